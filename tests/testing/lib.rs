//! Shared by the tests of all crates.
#![allow(clippy::print_stderr, clippy::print_stdout)]

pub mod fuzz;
pub mod labels;
pub mod skipped;
pub mod stickers;
