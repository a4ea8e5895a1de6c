//! Shared by the tests of all crates.

pub mod fuzz;
pub mod skipped;
