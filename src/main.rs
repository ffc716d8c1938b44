//! The `ccmcp` executable.

use std::process::ExitCode;

fn main() -> ExitCode {
    ccmcp::app::main()
}
