//! Any line is a frame: whatever Claude prints is read without a panic, and an outcome can be told at any point.

#![no_main]

use ccmcp::core::{
    claude::{Frame, Observation},
    process::Exit,
};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let mut observation = Observation::default();
    for line in bytes.split(|byte| *byte == b'\n') {
        observation.see(&Frame::read(line));
    }
    match observation.conclude(Exit::Code(0), "") {
        Ok(result) => assert!(result.is_success(), "what did not succeed is no success"),
        Err(failure) => assert!(!failure.reason().is_empty(), "a failure says why"),
    }
});
