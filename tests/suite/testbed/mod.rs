//! Tests of the test bed itself: what the other tests stand on has to hold.

mod fake_one_shot;
mod fake_streaming;
mod mcp;
mod sandbox;
