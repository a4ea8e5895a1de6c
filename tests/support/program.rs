//! The program, run.

use std::io::{self, Write};
use std::process::{Command, Output, Stdio};
use std::thread;

/// The file of the program.
pub const PROGRAM: &str = env!("CARGO_BIN_EXE_twistbase");

/// The program in the environment of the tests.
pub fn command() -> Command {
    Command::new(PROGRAM)
}

pub trait Run {
    /// Runs a command that reads this.
    fn output_of(&mut self, input: impl AsRef<[u8]>) -> io::Result<Output>;

    /// Runs a command that has to succeed.
    fn succeed(&mut self);
}

impl Run for Command {
    fn output_of(&mut self, input: impl AsRef<[u8]>) -> io::Result<Output> {
        let mut child = self.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
        let (mut stdin, input) = (child.stdin.take().expect("a pipe"), input.as_ref());
        thread::scope(|scope| {
            // It need not read all of it.
            scope.spawn(move || drop(stdin.write_all(input)));
            child.wait_with_output()
        })
    }

    fn succeed(&mut self) {
        let Output { status, stderr, .. } = self.output().expect("a program");
        assert!(status.success(), "{self:?}: {status}: {}", String::from_utf8_lossy(&stderr));
    }
}
