//! Standard output: buffered, and without fuss when its reader goes away.

use std::fmt::Display;
use std::io::{self, BufWriter, Write};

use serde::Serialize;
use twistbase_core::error::Error;

use super::failure::Failure;
use super::limits::standard_output;

/// Bytes collected before they are written: enough to make the calls to the system free.
const BUFFER: usize = 1 << 16;

/// Buffered standard output. A command ends with [`Output::finish`]; what it wrote before an error is
/// written when it is dropped.
pub struct Output {
    to: BufWriter<StandardOutput>,
    json: bool,
}

/// Standard output, to which nothing can be written if it was closed from the start.
pub struct StandardOutput;

impl Write for StandardOutput {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        standard_output()?.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        io::stdout().flush()
    }
}

impl Output {
    /// Takes standard output.
    pub fn standard(json: bool) -> Self {
        Self { to: BufWriter::with_capacity(BUFFER, StandardOutput), json }
    }

    /// Prints a report: as JSON, or its text.
    pub fn report<T: Serialize, D: Display>(&mut self, report: &T, text: impl FnOnce(&T) -> D) -> Result<(), Failure> {
        if self.json { self.json(report) } else { self.line(text(report)) }
    }

    /// Prints reports: each as JSON, or the text of all.
    pub fn reports<T: Serialize, D: Display>(
        &mut self,
        reports: &[T],
        text: impl FnOnce(&[T]) -> D,
    ) -> Result<(), Failure> {
        if self.json { reports.iter().try_for_each(|report| self.json(report)) } else { self.line(text(reports)) }
    }

    /// Writes a line of text.
    pub fn line(&mut self, text: impl Display) -> Result<(), Failure> {
        writeln!(self.to, "{text}").map_err(failed)
    }

    /// Writes an object as a line of JSON.
    pub fn json(&mut self, object: &impl Serialize) -> Result<(), Failure> {
        serde_json::to_writer(&mut self.to, object).map_err(|error| failed(error.into()))?;
        self.to.write_all(b"\n").map_err(failed)
    }

    /// Writes bytes as they are.
    pub fn bytes(&mut self, bytes: &[u8]) -> Result<(), Failure> {
        self.to.write_all(bytes).map_err(failed)
    }

    /// Hands on what was collected, for a reader that waits.
    pub fn flush(&mut self) -> Result<(), Failure> {
        self.to.flush().map_err(failed)
    }

    /// Hands on the rest.
    pub fn finish(mut self) -> Result<(), Failure> {
        self.flush()
    }
}

/// An object as a line of JSON with its end.
pub fn json_line(object: &impl Serialize) -> String {
    // Only a map with keys that are no strings, or a failing `Serialize`, cannot be written: no object here has either.
    serde_json::to_string(object).unwrap_or_default() + "\n"
}

fn failed(error: io::Error) -> Failure {
    match error.kind() {
        io::ErrorKind::BrokenPipe => Failure::ClosedPipe,
        _ => Failure::Error(Error::io("write to", "standard output", error)),
    }
}
