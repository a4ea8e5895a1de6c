//! The `twistbase` program.

use std::process::ExitCode;

fn main() -> ExitCode {
    twistbase_cli::main()
}
