//! Positions on lines of text, answered in their order on all threads.

use std::io::{self, Read};
use std::thread;
use std::time::Duration;

use crossbeam::channel::{self, Receiver, RecvTimeoutError};
use rayon::prelude::*;

use super::batch::{BatchEnd, BatchStop};
use crate::context::Context;
use crate::error::{Error, Result};

/// Bytes asked of the input at once. What arrives is answered as soon as it does, so a person at a terminal waits for nothing.
const READ_BYTES: usize = 1 << 18;
/// A line longer than this is cut; no notation reads more than [`LONGEST_INPUT`] bytes, so the rest only tells that
/// it is too long.
///
/// [`LONGEST_INPUT`]: crate::puzzle::square1::notation::LONGEST_INPUT
const LONGEST_LINE: usize = 20_000;
/// Chunks of lines read ahead.
const READ_AHEAD: usize = 4;

/// How often it is looked whether to stop while no line arrives.
const PATIENCE: Duration = Duration::from_millis(100);

/// How many lines are answered together, and wait in memory until the first of them is taken.
#[derive(Debug, Clone, Copy)]
pub struct Portion {
    lines: usize,
    /// Lines that a thread answers at least before another one takes over.
    least: usize,
}

impl Portion {
    /// For answers of a line each: enough for hundreds of threads.
    pub const SHORT_ANSWERS: Self = Self { lines: 1 << 14, least: 32 };
    /// For answers that may be thousands of lines each, few because of the memory that they take, or that take long.
    pub const LONG_ANSWERS: Self = Self { lines: 256, least: 1 };
}

/// Reads lines on a thread of its own, in chunks of whole lines. A line that is too long for any position is cut.
#[derive(Debug)]
pub struct LineReader {
    chunks: Receiver<io::Result<LineChunk>>,
    /// What the input is called in errors.
    name: String,
}

/// Some whole lines.
#[derive(Debug)]
pub struct LineChunk(Vec<u8>);

impl LineChunk {
    /// The lines that are not blank, without the spaces around them.
    pub fn lines(&self) -> impl Iterator<Item = &[u8]> {
        lines_of(&self.0)
    }
}

/// What some programs put before a text: a byte order mark.
const MARK: &[u8] = b"\xEF\xBB\xBF";

/// The lines of a text that are not blank, without the spaces around them, and without the mark that a line begins with where
/// files were put one behind the other.
pub(crate) fn lines_of(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    let lines = text.split(|&byte| byte == b'\n').map(|line| line.strip_prefix(MARK).unwrap_or(line).trim_ascii());
    lines.filter(|line| !line.is_empty())
}

impl LineReader {
    /// Reads an input, which errors call `name`.
    pub fn new(input: impl Read + Send + 'static, name: impl Into<String>) -> Self {
        Self { chunks: read_chunks(input), name: name.into() }
    }

    /// The next lines, as soon as there are any; `None` after the last.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn next_chunk(&self) -> Result<Option<LineChunk>> {
        self.chunks.recv().ok().transpose().map_err(|source| self.failed(source))
    }

    /// The same, waiting for at most so long: `Err(None)` if nothing has come by then.
    pub(super) fn next_chunk_within(&self, patience: Duration) -> Result<Option<LineChunk>, Option<Error>> {
        match self.chunks.recv_timeout(patience) {
            Ok(chunk) => chunk.map(Some).map_err(|source| Some(self.failed(source))),
            Err(RecvTimeoutError::Disconnected) => Ok(None),
            Err(RecvTimeoutError::Timeout) => Err(None),
        }
    }

    fn failed(&self, source: io::Error) -> Error {
        Error::io("read", &self.name, source)
    }
}

/// Answers every line that is not blank with `answer`, on all threads; `take` gets the answers of a portion of lines together,
/// in their order.
///
/// # Errors
/// [`BatchEnd::Failed`] when the input cannot be read, or the context is cancelled; [`BatchEnd::Stopped`] when `take` wants
/// no more.
pub fn answer_in_order<T: Send>(
    input: &LineReader,
    portion: Portion,
    ctx: &Context,
    answer: impl Fn(&str) -> T + Sync,
    take: &mut dyn FnMut(Vec<T>) -> Result<(), BatchStop>,
) -> Result<(), BatchEnd> {
    loop {
        ctx.check()?;
        let chunk = match input.next_chunk_within(PATIENCE) {
            Ok(Some(chunk)) => chunk,
            Ok(None) => return Ok(()),
            Err(None) => continue,
            Err(Some(error)) => return Err(error.into()),
        };
        for lines in chunk.lines().collect::<Vec<_>>().chunks(portion.lines) {
            ctx.check()?;
            let lines = lines.par_iter().with_min_len(portion.least);
            take(lines.map(|line| answer(&String::from_utf8_lossy(line))).collect())?;
        }
    }
}

/// An input in chunks of whole lines, read by a thread of its own.
fn read_chunks(mut input: impl Read + Send + 'static) -> Receiver<io::Result<LineChunk>> {
    let (send, receive) = channel::bounded(READ_AHEAD);
    let failed = send.clone();
    let reader = thread::Builder::new().spawn(move || {
        let mut lines = LineAssembler::default();
        let mut buffer = vec![0; READ_BYTES];
        loop {
            let chunk = match input.read(&mut buffer) {
                Ok(0) => Some(Ok(lines.finish())),
                Ok(count) => lines.push(&buffer[..count]).map(Ok),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => None,
                Err(error) => Some(Err(error)),
            };
            let last = matches!(&chunk, Some(Err(_))) || matches!(&chunk, Some(Ok(_)) if lines.finished);
            // Nobody receives any more when an answer could not be taken.
            if chunk.is_some_and(|chunk| send.send(chunk.map(LineChunk)).is_err()) || last {
                return;
            }
        }
    });
    if let Err(error) = reader {
        // There is room: nobody else sends.
        let _ = failed.send(Err(io::Error::new(error.kind(), format!("cannot start a thread: {error}"))));
    }
    receive
}

/// Collects bytes into whole lines, of which overlong ones are cut.
#[derive(Default)]
struct LineAssembler {
    /// The beginning of a line whose end is still to come, at most [`LONGEST_LINE`] bytes of it.
    begun: Vec<u8>,
    finished: bool,
}

impl LineAssembler {
    /// Takes further bytes; returns the lines that they complete.
    fn push(&mut self, bytes: &[u8]) -> Option<Vec<u8>> {
        let end = bytes.iter().rposition(|&byte| byte == b'\n');
        let (whole, begun) = bytes.split_at(end.map_or(0, |end| end + 1));
        let chunk = end.map(|_| {
            // The first line may have been begun and cut before.
            let first = whole.iter().position(|&byte| byte == b'\n').unwrap_or(whole.len());
            let mut chunk = std::mem::take(&mut self.begun);
            chunk.extend(&whole[..first.min(LONGEST_LINE.saturating_sub(chunk.len()))]);
            chunk.extend(&whole[first..]);
            chunk
        });
        self.begun.extend(&begun[..begun.len().min(LONGEST_LINE.saturating_sub(self.begun.len()))]);
        chunk
    }

    /// The last line, if it has no end.
    fn finish(&mut self) -> Vec<u8> {
        self.finished = true;
        std::mem::take(&mut self.begun)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_whole_however_they_arrive() {
        let text = b"one\ntwo\n\nthree\nfour";
        for size in 1..text.len() + 1 {
            let mut lines = LineAssembler::default();
            let mut all: Vec<u8> = text.chunks(size).filter_map(|bytes| lines.push(bytes)).flatten().collect();
            all.extend(lines.finish());
            assert_eq!(all, text);
        }
    }

    #[test]
    fn a_line_without_end_takes_bounded_memory() {
        let mut lines = LineAssembler::default();
        for _ in 0..100 {
            assert!(lines.push(&[b'x'; 4096]).is_none());
            assert!(lines.begun.len() <= LONGEST_LINE);
        }
        let chunk = lines.push(b"yy\nnext\n").expect("two lines");
        assert_eq!(chunk.iter().filter(|&&byte| byte == b'\n').count(), 2);
        assert!(chunk.ends_with(b"\nnext\n") && chunk.len() <= LONGEST_LINE + 6);
    }

    #[test]
    fn answers_come_in_the_order_of_the_lines_until_nobody_wants_more() {
        let text: String = (0..1000).map(|number| format!(" {number} \n\n")).collect();
        let input = LineReader::new(io::Cursor::new(text), "a text");
        let (mut taken, ctx) = (Vec::new(), Context::silent());
        let ended = answer_in_order(&input, Portion::LONG_ANSWERS, &ctx, str::to_owned, &mut |answers| {
            taken.extend(answers);
            if taken.len() < 600 { Ok(()) } else { Err(BatchStop) }
        });
        assert!(matches!(ended, Err(BatchEnd::Stopped)));
        assert_eq!(taken, (0..taken.len()).map(|number| number.to_string()).collect::<Vec<_>>());
        assert_eq!(taken.len(), 768);
    }
}
