//! Answers positions on lines of text, in order, on all threads.

use std::io::{self, Read};
use std::thread;
use std::time::Duration;

use crossbeam::channel::{self, Receiver, RecvTimeoutError, Sender};
use memchr::memchr2_iter;
use rayon::prelude::*;

use super::batch::{BatchEnd, BatchStop};
use twistbase_core::context::Context;
use twistbase_core::error::{Error, Result};
use twistbase_core::threads;

/// Bytes to read at once. Lines are answered on arrival, so a person at a terminal does not wait.
const READ_BYTES: usize = 1 << 18;
/// Longer lines are cut. No notation accepts more than [`LONGEST_INPUT`] bytes, so the rest would only be an error.
///
/// [`LONGEST_INPUT`]: twistbase_puzzle::square1::notation::LONGEST_INPUT
const LONGEST_LINE: usize = 20_000;
/// Chunks of lines read ahead.
const READ_AHEAD: usize = 4;

/// Interval of checks for cancellation while no line arrives.
const PATIENCE: Duration = Duration::from_millis(100);

/// Numbers of lines to answer together. Their answers wait in memory until the first is taken.
#[derive(Debug, Clone, Copy)]
pub struct Portion {
    lines: usize,
    /// Maximum lines that a thread answers at a time.
    piece: usize,
}

/// Chunks per thread, if there are enough lines: threads then end at about the same time.
const PIECES: usize = 8;

impl Portion {
    /// For one-line answers: enough for a hundred threads.
    pub const SHORT_ANSWERS: Self = Self { lines: 1 << 14, piece: 128 };
    /// For slow answers, or answers of up to thousands of lines: few, to save memory.
    pub const LONG_ANSWERS: Self = Self { lines: 128, piece: 1 };

    /// Answers lines on all threads. After a cancellation, leaves out the lines in progress and all later ones.
    fn answer<T: Send>(self, lines: &[Line<'_>], ctx: &Context, answer: &(dyn Fn(&[Line<'_>]) -> T + Sync)) -> Vec<T> {
        let piece = (lines.len() / (PIECES * rayon::current_num_threads())).clamp(1, self.piece);
        let whole = |lines: &[Line<'_>]| {
            let answers = (!ctx.is_cancelled()).then(|| answer(lines));
            // The answers of a cancelled search are invalid.
            answers.filter(|_| !ctx.is_cancelled())
        };
        lines.par_chunks(piece).map(whole).collect::<Vec<_>>().into_iter().map_while(|answers| answers).collect()
    }
}

/// A line that is neither blank nor a comment, without the spaces around it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Line<'a> {
    /// Its number, from 1, blank lines and comments counted.
    pub number: usize,
    /// The text.
    pub text: &'a str,
}

impl<'a> Line<'a> {
    /// The texts of some lines.
    pub fn texts(lines: &[Self]) -> Vec<&'a str> {
        lines.iter().map(|line| line.text).collect()
    }
}

/// Reads lines on a separate thread, in chunks of whole lines. Cuts lines that are too long for any position.
#[derive(Debug)]
pub struct LineReader {
    chunks: Receiver<io::Result<LineChunk>>,
    /// The name of the input in errors.
    name: String,
}

/// Some whole lines. Invalid UTF-8 is replaced, as by [`String::from_utf8_lossy`].
#[derive(Debug)]
pub struct LineChunk(String);

impl LineChunk {
    fn new(bytes: Vec<u8>) -> Self {
        Self(String::from_utf8(bytes).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned()))
    }

    /// The lines that are neither blank nor comments, without the spaces around them.
    pub fn lines(&self) -> impl Iterator<Item = &str> {
        lines_of(&self.0)
    }

    /// All lines, without the spaces around them.
    pub fn all_lines(&self) -> impl Iterator<Item = &str> {
        all_lines_of(&self.0)
    }
}

/// The byte order mark that some programs put before a text.
const MARK: char = '\u{FEFF}';

/// The lines of a text that are neither blank nor comments, without the spaces around them. Also without byte order marks, which
/// concatenated files have within the text.
#[doc(hidden)]
pub fn lines_of(text: &str) -> impl Iterator<Item = &str> {
    all_lines_of(text).filter(|line| !is_passed_over(line))
}

/// All lines, including those to skip. A line ends with a line feed, a carriage return or both. Text after the last end is a line if
/// it is not empty.
#[doc(hidden)]
pub fn all_lines_of(text: &str) -> impl Iterator<Item = &str> {
    let bytes = text.as_bytes();
    let (mut start, last) = (0, (!text.is_empty() && !text.ends_with(['\n', '\r'])).then_some(text.len()));
    let is_end = |&at: &usize| bytes[at] == b'\n' || bytes.get(at + 1) != Some(&b'\n');
    memchr2_iter(b'\n', b'\r', bytes).filter(is_end).chain(last).map(move |end| {
        let line = &text[start..end];
        start = end + 1;
        line.strip_prefix(MARK).unwrap_or(line).trim_ascii()
    })
}

/// Whether to skip a line: it is blank, or a comment after `#` or `//`. Two twists of Square-1 (`//`) are no comment unless a space or
/// a letter follows.
pub fn is_passed_over(line: &str) -> bool {
    let is_comment = |text: &str| {
        let are_words = text.starts_with(|c: char| c.is_whitespace() || c.is_alphabetic());
        let are_twists = text.trim_matches(['/', ' ', '\t']).is_empty()
            || text.contains(',')
                && text.chars().all(|c| c.is_ascii_digit() || "()[],/!+-\u{2212}\u{2013}xX ".contains(c));
        are_words || !are_twists
    };
    line.is_empty() || line.starts_with('#') || line.strip_prefix("//").is_some_and(is_comment)
}

impl LineReader {
    /// Reads an input; errors call it `name`.
    pub fn new(input: impl Read + Send + 'static, name: impl Into<String>) -> Self {
        Self { chunks: read_chunks(input), name: name.into() }
    }

    /// Waits for the next lines; `None` after the last.
    ///
    /// # Errors
    /// [`Error::Io`]; [`Error::Interrupted`], also while no line arrives.
    pub fn next_chunk(&self, ctx: &Context) -> Result<Option<LineChunk>> {
        loop {
            ctx.check()?;
            match self.next_chunk_within(PATIENCE) {
                Ok(chunk) => return Ok(chunk),
                Err(Some(error)) => return Err(error),
                Err(None) => {}
            }
        }
    }

    /// Waits for the next lines with a timeout: `Err(None)` if none arrived.
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

/// Answers all lines that are neither blank nor comments with `answer`, some at a time, on all threads. `take` gets the answers to a
/// group of lines together, in order; meanwhile the threads answer the lines that have arrived.
///
/// # Errors
/// [`BatchEnd::Failed`] if the input cannot be read or the context is cancelled; [`BatchEnd::Stopped`] if `take` fails.
pub fn answer_in_order<T: Send>(
    input: &LineReader,
    portion: Portion,
    ctx: &Context,
    answer: &(dyn Fn(&[Line<'_>]) -> T + Sync),
    take: &mut dyn FnMut(Vec<T>) -> Result<(), BatchStop>,
) -> Result<(), BatchEnd> {
    let mut answered = Vec::new();
    let ended = answer_portions(input, portion, ctx, answer, &mut answered, take);
    // Reports earlier answers, however the batch ended.
    match ended {
        Err(BatchEnd::Stopped) => ended,
        _ => take_all(&mut answered, take).map_err(BatchEnd::from).and(ended),
    }
}

/// The loop of the function above. Leaves the last answers in `answered`.
fn answer_portions<T: Send>(
    input: &LineReader,
    portion: Portion,
    ctx: &Context,
    answer: &(dyn Fn(&[Line<'_>]) -> T + Sync),
    answered: &mut Vec<T>,
    take: &mut dyn FnMut(Vec<T>) -> Result<(), BatchStop>,
) -> Result<(), BatchEnd> {
    let mut before = 0;
    loop {
        ctx.check()?;
        // Reports answers before waiting for more lines.
        let patience = if answered.is_empty() { PATIENCE } else { Duration::ZERO };
        let chunk = match input.next_chunk_within(patience) {
            Ok(Some(chunk)) => chunk,
            Ok(None) => return Ok(()),
            Err(None) => {
                take_all(answered, take)?;
                continue;
            }
            Err(Some(error)) => return Err(error.into()),
        };
        let all = (before + 1..).zip(chunk.all_lines()).inspect(|(number, _)| before = *number);
        let lines = all.filter(|(_, text)| !is_passed_over(text)).map(|(number, text)| Line { number, text });
        for lines in lines.collect::<Vec<_>>().chunks(portion.lines) {
            ctx.check()?;
            let mut next = Vec::new();
            rayon::in_place_scope(|scope| {
                scope.spawn(|_| next = portion.answer(lines, ctx, answer));
                take_all(answered, take)
            })?;
            *answered = next;
        }
    }
}

/// Reports the available answers.
fn take_all<T>(answered: &mut Vec<T>, take: &mut dyn FnMut(Vec<T>) -> Result<(), BatchStop>) -> Result<(), BatchStop> {
    if answered.is_empty() { Ok(()) } else { take(std::mem::take(answered)) }
}

/// An input in chunks of whole lines, read by a separate thread.
fn read_chunks(mut input: impl Read + Send + 'static) -> Receiver<io::Result<LineChunk>> {
    let (send, receive) = channel::bounded(READ_AHEAD);
    let failed = send.clone();
    let reader = threads::start("lines", move || {
        // Without a last chunk, a cut input would look complete.
        let send = PanicReport(send);
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
            // The receiver is gone if an answer could not be taken.
            if chunk.is_some_and(|chunk| send.0.send(chunk.map(LineChunk::new)).is_err()) || last {
                return;
            }
        }
    });
    if let Err(error) = reader {
        // The channel has room: there is no other sender.
        let _ = failed.send(Err(io::Error::new(error.kind(), format!("cannot start a thread: {error}"))));
    }
    receive
}

/// The channel for chunks. A panic of the reading thread arrives as an error.
struct PanicReport(Sender<io::Result<LineChunk>>);

impl Drop for PanicReport {
    fn drop(&mut self) {
        if thread::panicking() {
            // The receiver is gone if an answer could not be taken.
            let _ = self.0.send(Err(io::Error::other("the thread that reads it panicked")));
        }
    }
}

/// Collects bytes into whole lines, and cuts overlong ones.
#[derive(Default)]
struct LineAssembler {
    /// The start of an unfinished line, up to [`LONGEST_LINE`] bytes.
    begun: Vec<u8>,
    /// Whether the last byte was a carriage return: a line feed after it belongs to the same end.
    after_return: bool,
    finished: bool,
}

impl LineAssembler {
    /// Takes more bytes; returns the completed lines.
    fn push(&mut self, bytes: &[u8]) -> Option<Vec<u8>> {
        let is_end = |byte: &u8| matches!(byte, b'\n' | b'\r');
        let rest = if self.after_return { bytes.strip_prefix(b"\n") } else { None };
        let bytes = rest.unwrap_or(bytes);
        self.after_return = bytes.last() == Some(&b'\r');
        let end = bytes.iter().rposition(is_end);
        let (whole, begun) = bytes.split_at(end.map_or(0, |end| end + 1));
        let chunk = end.map(|_| {
            // The first line may have started, and been cut, before.
            let first = whole.iter().position(is_end).unwrap_or(whole.len());
            let mut chunk = std::mem::take(&mut self.begun);
            chunk.extend(&whole[..first.min(LONGEST_LINE.saturating_sub(chunk.len()))]);
            chunk.extend(&whole[first..]);
            chunk
        });
        self.begun.extend(&begun[..begun.len().min(LONGEST_LINE.saturating_sub(self.begun.len()))]);
        chunk
    }

    /// The last line, if it has no line end.
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
    fn lines_end_with_a_line_feed_a_carriage_return_or_both() {
        let text = b"one\rtwo\r\nthree\n\rfour\r\r\nfive\r";
        for size in 1..text.len() + 1 {
            let mut lines = LineAssembler::default();
            let mut chunks: Vec<_> = text.chunks(size).filter_map(|bytes| lines.push(bytes)).collect();
            chunks.push(lines.finish());
            let chunks: Vec<_> = chunks.into_iter().map(LineChunk::new).collect();
            let all: Vec<&str> = chunks.iter().flat_map(LineChunk::all_lines).collect();
            assert_eq!(all, ["one", "two", "three", "", "four", "", "five"], "{size}");
            assert_eq!(chunks.iter().flat_map(LineChunk::lines).count(), 5);
        }
        let long = [&[b'x'; 2 * LONGEST_LINE][..], b"\rnext\r"].concat();
        let chunk = LineAssembler::default().push(&long).map(LineChunk::new).unwrap();
        assert_eq!(chunk.lines().map(str::len).collect::<Vec<_>>(), [LONGEST_LINE, 4]);
    }

    #[test]
    fn lines_of_comments_are_passed_over_and_twists_are_not() {
        let text = "# a list\nR U\n  // my list\n//\n//(3,0)/\n// 12345\n//-----\n/ (1,0)\nR // named\n";
        assert_eq!(lines_of(text).collect::<Vec<_>>(), ["R U", "//", "//(3,0)/", "/ (1,0)", "R // named"]);
        assert_eq!(lines_of("// (1,0)/\n//\t(1,0)/\n//x2(1,0)/\n// /\n").next(), None);
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

    /// An input that fails.
    struct Torn;

    impl Read for Torn {
        fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
            Err(io::Error::other("torn"))
        }
    }

    #[test]
    fn what_comes_before_an_error_is_answered() {
        let input = LineReader::new(io::Cursor::new("one\ntwo\n").chain(Torn), "a text");
        let (mut taken, ctx) = (Vec::new(), Context::silent());
        let answer = |lines: &[Line<'_>]| Line::texts(lines).join(" ");
        let ended = answer_in_order(&input, Portion::SHORT_ANSWERS, &ctx, &answer, &mut |answers| {
            taken.extend(answers);
            Ok(())
        });
        assert!(matches!(ended, Err(BatchEnd::Failed(Error::Io { .. }))));
        assert_eq!(taken, ["one", "two"]);
    }

    /// Lines in progress at an interrupt have no answer.
    #[test]
    fn lines_in_hand_at_an_interrupt_are_not_answered() {
        let text: String = (0..1000).map(|number| format!("{number}\n")).collect();
        let input = LineReader::new(io::Cursor::new(text), "a text");
        let (mut taken, ctx) = (Vec::new(), Context::silent());
        let answer = |lines: &[Line<'_>]| {
            let texts = Line::texts(lines);
            if texts.contains(&"500") {
                ctx.cancel();
            }
            if ctx.is_cancelled() { "interrupted".to_owned() } else { texts.join(" ") }
        };
        let ended = answer_in_order(&input, Portion::LONG_ANSWERS, &ctx, &answer, &mut |answers| {
            taken.extend(answers);
            Ok(())
        });
        assert!(matches!(ended, Err(BatchEnd::Failed(Error::Interrupted))));
        // All answers to earlier lines are present.
        assert!((384..=500).contains(&taken.len()), "{}", taken.len());
        assert_eq!(taken, (0..taken.len()).map(|number| number.to_string()).collect::<Vec<_>>());
    }

    #[test]
    fn answers_come_in_the_order_of_the_lines_until_nobody_wants_more() {
        let text: String = (0..1000).map(|number| format!(" {number} \n\n")).collect();
        let input = LineReader::new(io::Cursor::new(text), "a text");
        let (mut taken, ctx) = (Vec::new(), Context::silent());
        let answer = |lines: &[Line<'_>]| {
            assert!(lines.iter().all(|line| line.text == ((line.number - 1) / 2).to_string() && line.number % 2 == 1));
            Line::texts(lines).join(" ")
        };
        let ended = answer_in_order(&input, Portion::LONG_ANSWERS, &ctx, &answer, &mut |answers| {
            taken.extend(answers);
            if taken.len() < 600 { Ok(()) } else { Err(BatchStop) }
        });
        assert!(matches!(ended, Err(BatchEnd::Stopped)));
        assert_eq!(taken, (0..taken.len()).map(|number| number.to_string()).collect::<Vec<_>>());
        assert_eq!(taken.len(), 640);
    }
}
