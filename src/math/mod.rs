//! Arithmetic that knows no puzzle.

pub mod nibble;
