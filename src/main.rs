//! The `twistbase` program; everything it knows about people and terminals is in [`cli`].
#![warn(missing_docs)]
#![forbid(unsafe_code)]

mod cli;

use std::process::ExitCode;

fn main() -> ExitCode {
    cli::main()
}
