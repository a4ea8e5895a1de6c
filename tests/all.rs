//! Integration tests, in one binary: linking is what takes long.

mod cli;
