//! The `twistbase` program; everything it knows about people and terminals is in [`cli`].
#![warn(missing_docs)]
#![deny(unsafe_code)]

mod cli;
#[cfg(test)]
#[path = "../tests/support/fuzz.rs"]
mod fuzz;

use std::process::ExitCode;

fn main() -> ExitCode {
    cli::main()
}
