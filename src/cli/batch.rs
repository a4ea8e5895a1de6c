//! Positions on standard input, one a line, answered one a line, in order, on all threads.

use std::io::{self, Read};
use std::thread;

use crossbeam::channel::{self, Receiver};
use rayon::prelude::*;
use twistbase::error::{Class, Error, Result};

use super::failure::{self, Failure};
use super::output::{Output, json_line};

/// Bytes asked of standard input at once. What arrives is answered as soon as it does, so a person at a terminal
/// waits for nothing.
const READ_BYTES: usize = 1 << 18;
/// A line longer than this is cut; no notation reads more than [`LONGEST_INPUT`] bytes, so the rest only tells that
/// it is too long.
///
/// [`LONGEST_INPUT`]: twistbase::puzzle::square1::notation::LONGEST_INPUT
const LONGEST_LINE: usize = 20_000;
/// Pieces read ahead.
const READ_AHEAD: usize = 4;
/// How many lines are answered together, and wait in memory until the first of them is written.
#[derive(Debug, Clone, Copy)]
pub struct Portion {
    lines: usize,
    /// Lines that a thread answers at least before another one takes over.
    least: usize,
}

/// For answers of a line each: enough for hundreds of threads.
pub const SHORT_ANSWERS: Portion = Portion { lines: 1 << 14, least: 32 };
/// For answers that may be thousands of lines each, few because of the memory that they take, or that take long.
pub const LONG_ANSWERS: Portion = Portion { lines: 256, least: 1 };

/// The answer to a line: text ready to be written, with its line end.
pub struct Answer {
    text: String,
    /// The class of error that it comes short of what was asked by.
    shortfall: Option<Class>,
}

impl Answer {
    /// The best that could be said before a budget was spent.
    pub fn of_budget(text: String) -> Self {
        Self { text, shortfall: Some(Class::Budget) }
    }
}

impl From<String> for Answer {
    fn from(text: String) -> Self {
        Self { text, shortfall: None }
    }
}

/// Answers every line of standard input with `answer`, errors included; blank lines are passed over.
///
/// # Errors
/// After the last line, [`Failure::Lines`] if any line could not be answered, with the gravest class among them.
pub fn run(
    portion: Portion,
    json: bool,
    output: &mut Output,
    answer: impl Fn(&str) -> Result<Answer> + Sync,
) -> std::result::Result<(), Failure> {
    let (mut lines, mut failed, mut class) = (0u64, 0u64, Class::Budget);
    for piece in pieces() {
        let piece = piece.map_err(|source| Error::io("read", "standard input", source))?;
        for inputs in lines_of(&piece).collect::<Vec<_>>().chunks(portion.lines) {
            for (text, error) in answers(inputs, portion.least, json, &answer) {
                output.bytes(text.as_bytes())?;
                lines += 1;
                if let Some(error) = error {
                    failed += 1;
                    class = if gravity(error) > gravity(class) { error } else { class };
                }
            }
            output.flush()?;
        }
    }
    if failed == 0 { Ok(()) } else { Err(Failure::Lines { failed, lines, class }) }
}

/// An unreadable table outweighs any number of misspelt positions, and these outweigh searches that were cut short.
pub fn gravity(class: Class) -> u8 {
    match class {
        Class::Budget => 0,
        Class::Invalid => 1,
        _ => 2,
    }
}

/// The answers to some lines, in their order, each with the class of its error if it is one.
fn answers(
    inputs: &[&[u8]],
    least: usize,
    json: bool,
    answer: &(impl Fn(&str) -> Result<Answer> + Sync),
) -> Vec<(String, Option<Class>)> {
    let inputs = inputs.par_iter().with_min_len(least);
    let answers = inputs.map(|line| {
        let input = String::from_utf8_lossy(line);
        match answer(&input) {
            Ok(answer) => (answer.text, answer.shortfall),
            Err(error) => (refusal(&input, &error, json), Some(error.class())),
        }
    });
    answers.collect()
}

/// The answer to a line that cannot be answered.
fn refusal(input: &str, error: &Error, json: bool) -> String {
    if json {
        return json_line(&failure::report(Some(input), error));
    }
    format!("{input}\terror: {}\n", reasons(error))
}

/// Every reason of an error, in one line.
pub fn reasons(error: &Error) -> String {
    match error {
        Error::Invalid(invalid) => invalid.problems.iter().map(|p| p.message.as_str()).collect::<Vec<_>>().join("; "),
        other => failure::text(other).replace('\n', " "),
    }
}

/// The lines of a piece that are not blank, without the spaces around them.
pub fn lines_of(piece: &[u8]) -> impl Iterator<Item = &[u8]> {
    piece.split(|&byte| byte == b'\n').map(<[u8]>::trim_ascii).filter(|line| !line.is_empty())
}

/// Standard input in pieces of whole lines.
pub fn pieces() -> Receiver<io::Result<Vec<u8>>> {
    pieces_of(io::stdin())
}

/// Some input in pieces of whole lines, read by a thread of its own.
pub fn pieces_of(mut input: impl Read + Send + 'static) -> Receiver<io::Result<Vec<u8>>> {
    let (send, receive) = channel::bounded(READ_AHEAD);
    thread::spawn(move || {
        let mut lines = Lines::default();
        let mut buffer = vec![0; READ_BYTES];
        loop {
            let piece = match input.read(&mut buffer) {
                Ok(0) => Some(Ok(lines.finish())),
                Ok(count) => lines.push(&buffer[..count]).map(Ok),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => None,
                Err(error) => Some(Err(error)),
            };
            let last = matches!(&piece, Some(Err(_))) || matches!(&piece, Some(Ok(_)) if lines.finished);
            // Nobody receives any more when an answer could not be written.
            if piece.is_some_and(|piece| send.send(piece).is_err()) || last {
                return;
            }
        }
    });
    receive
}

/// Collects bytes into whole lines, of which overlong ones are cut.
#[derive(Default)]
struct Lines {
    /// The beginning of a line whose end is still to come, at most [`LONGEST_LINE`] bytes of it.
    begun: Vec<u8>,
    finished: bool,
}

impl Lines {
    /// Takes further bytes; returns the lines that they complete.
    fn push(&mut self, bytes: &[u8]) -> Option<Vec<u8>> {
        let end = bytes.iter().rposition(|&byte| byte == b'\n');
        let (whole, begun) = bytes.split_at(end.map_or(0, |end| end + 1));
        let piece = end.map(|_| {
            // The first line may have been begun and cut before.
            let first = whole.iter().position(|&byte| byte == b'\n').unwrap_or(whole.len());
            let mut piece = std::mem::take(&mut self.begun);
            piece.extend(&whole[..first.min(LONGEST_LINE.saturating_sub(piece.len()))]);
            piece.extend(&whole[first..]);
            piece
        });
        self.begun.extend(&begun[..begun.len().min(LONGEST_LINE.saturating_sub(self.begun.len()))]);
        piece
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
            let mut lines = Lines::default();
            let mut all: Vec<u8> = text.chunks(size).filter_map(|bytes| lines.push(bytes)).flatten().collect();
            all.extend(lines.finish());
            assert_eq!(all, text);
        }
    }

    #[test]
    fn a_line_without_end_takes_bounded_memory() {
        let mut lines = Lines::default();
        for _ in 0..100 {
            assert!(lines.push(&[b'x'; 4096]).is_none());
            assert!(lines.begun.len() <= LONGEST_LINE);
        }
        let piece = lines.push(b"yy\nnext\n").expect("two lines");
        assert_eq!(piece.iter().filter(|&&byte| byte == b'\n').count(), 2);
        assert!(piece.ends_with(b"\nnext\n") && piece.len() <= LONGEST_LINE + 6);
    }
}
