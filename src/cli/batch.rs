//! Positions on standard input, one a line, answered one a line, in order, on all threads.

use std::borrow::Cow;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use twistbase_core::context::Context;
use twistbase_core::error::{Class, Error, InvalidInput, Result};
use twistbase_database::lines::{Line, LineReader, Portion, answer_in_order};
use twistbase_database::{BatchEnd, BatchStop, FaceletOrders, OnShortfall, column};
use twistbase_puzzle::cube3::notation::LONGEST_INPUT;

use super::failure::{self, Failure};
use super::limits;
use super::output::{Output, json_line};
use super::standard_error;

/// Bytes of a brief answer besides its input.
const BRIEF: usize = 8;
/// Characters of a line that is too long for any position, before its error.
const EXCERPT: usize = 60;

/// The output for a line that failed.
pub fn refusal(input: &str, error: &Error, json: bool) -> String {
    refusal_behind(column, input, error, json)
}

/// What makes a first column of an input.
pub type Echo = fn(&str) -> Cow<'_, str>;

/// The same, behind an input as `echo` writes it.
fn refusal_behind(echo: Echo, input: &str, error: &Error, json: bool) -> String {
    if json {
        return json_line(&failure::report(Some(input), error));
    }
    format!("{}\terror: {}\n", echo(&excerpt(input)), reasons(error))
}

/// A line, cut if it is too long for any position.
pub fn excerpt(input: &str) -> String {
    let is_cut = input.len() > LONGEST_INPUT;
    if is_cut { input.chars().take(EXCERPT).chain(['…']).collect() } else { input.to_owned() }
}

/// Counts of lines: all, failed, and short of the target.
#[derive(Default)]
pub struct Tally {
    lines: u64,
    /// Lines that failed.
    failed: u64,
    /// Lines that hit the limit before the target.
    short: u64,
    /// The gravest class of error so far.
    gravest: Option<Class>,
}

impl Tally {
    /// Counts a line.
    pub fn count(&mut self, shortfall: Option<Class>) {
        self.lines += 1;
        shortfall.into_iter().for_each(|class| self.fall_short(class));
    }

    /// Counts the shortfall of a line.
    fn fall_short(&mut self, class: Class) {
        let short = u64::from(class == Class::Budget);
        self.add(Self { lines: 0, failed: 1 - short, short, gravest: Some(class) });
    }

    /// Adds other lines.
    fn add(&mut self, other: Self) {
        self.lines += other.lines;
        self.failed += other.failed;
        self.short += other.short;
        // Of equally grave ones the first: the maximum is the last.
        self.gravest = other.gravest.into_iter().chain(self.gravest).max_by_key(|&class| gravity(class));
    }

    /// The outcome of all lines.
    ///
    /// # Errors
    /// [`Failure::Lines`] if any line failed or hit a limit, with the gravest class among them.
    pub fn conclude(self) -> std::result::Result<(), Failure> {
        let Self { lines, failed, short, gravest } = self;
        gravest.map_or(Ok(()), |class| Err(Failure::Lines { failed, short, lines, class }))
    }
}

/// The lines of standard input.
pub fn standard_input() -> LineReader {
    const NAME: &str = "standard input";
    match limits::standard_input() {
        Ok(input) => LineReader::new(Utf8Input::new(input), NAME),
        Err(closed) => LineReader::new(ClosedInput(Some(closed)), NAME),
    }
}

/// An input that was closed when the process started.
struct ClosedInput(Option<io::Error>);

impl Read for ClosedInput {
    fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
        self.0.take().map_or(Ok(0), Err)
    }
}

/// Refuses UTF-16, by the mark at its beginning: its characters would be no text.
///
/// # Errors
/// An error that says how to convert the text.
pub fn refuse_utf16(bytes: &[u8]) -> io::Result<()> {
    match bytes {
        [0xFF, 0xFE, ..] | [0xFE, 0xFF, ..] => Err(io::Error::new(
            io::ErrorKind::InvalidData,
            "the text is UTF-16; convert it to UTF-8, for example with: iconv -f UTF-16 -t UTF-8",
        )),
        _ => Ok(()),
    }
}

/// An input that fails if it begins like UTF-16.
struct Utf8Input<R> {
    input: R,
    /// Its first two bytes, once they are read, until they are handed on.
    head: io::Cursor<Vec<u8>>,
    is_begun: bool,
}

impl<R: Read> Utf8Input<R> {
    fn new(input: R) -> Self {
        Self { input, head: io::Cursor::default(), is_begun: false }
    }
}

impl<R: Read> Read for Utf8Input<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if !self.is_begun {
            self.input.by_ref().take(2).read_to_end(self.head.get_mut())?;
            self.is_begun = true;
            refuse_utf16(self.head.get_ref())?;
        }
        match self.head.read(buffer)? {
            0 => self.input.read(buffer),
            count => Ok(count),
        }
    }
}

/// The lines of a file; of standard input where its name is -.
///
/// # Errors
/// [`Error::Io`].
pub fn lines_of(file: &Path) -> Result<LineReader> {
    if file.as_os_str() == "-" {
        return Ok(standard_input());
    }
    let opened = File::open(file).map_err(|source| Error::io("read", file, source))?;
    Ok(LineReader::new(Utf8Input::new(opened), file.display().to_string()))
}

/// The text of a file; of standard input where its name is -.
///
/// # Errors
/// [`Error::Io`].
pub fn text_of(file: &Path) -> Result<String> {
    beginning_of(file, u64::MAX)
}

/// The first bytes of the text of a file, at most so many.
///
/// # Errors
/// [`Error::Io`].
pub fn beginning_of(file: &Path, most: u64) -> Result<String> {
    let mut bytes = Vec::new();
    let read = if file.as_os_str() == "-" {
        limits::standard_input().and_then(|input| input.take(most).read_to_end(&mut bytes))
    } else {
        File::open(file).and_then(|file| file.take(most).read_to_end(&mut bytes))
    };
    read.and_then(|_| refuse_utf16(&bytes)).map_err(|source| Error::io("read", file, source))?;
    // Who reads the text reports what is not text.
    let text = String::from_utf8_lossy(&bytes);
    // Some programs put a byte order mark before a text.
    Ok(text.strip_prefix('\u{FEFF}').unwrap_or(&text).to_owned())
}

/// Appends the answers to some inputs to a text.
type AddAnswers<'a> = dyn Fn(&mut Vec<u8>, &[&str], OnShortfall<'_>) + Sync + 'a;

/// Answers every line of standard input with `answer`, which gets some lines at a time and appends their answers to a text. Skips
/// blank lines and comments. `echo` writes the inputs before errors. Notes at the end which facelets of the puzzle `noted` were in
/// another order than usual.
///
/// # Errors
/// After the last line, those of [`Tally::conclude`].
pub fn run(
    echo: Echo,
    portion: Portion,
    ctx: &Context,
    json: bool,
    noted: Option<&str>,
    output: &mut Output,
    answer: &AddAnswers<'_>,
) -> std::result::Result<(), Failure> {
    let (mut tally, mut orders, mut failure) = (Tally::default(), FaceletOrders::default(), None);
    let answer = |lines: &[Line<'_>]| {
        let inputs = &Line::texts(lines)[..];
        let mut text = Vec::with_capacity(inputs.iter().map(|input| input.len() + BRIEF).sum());
        let mut tally = Tally { lines: inputs.len() as u64, ..Tally::default() };
        answer(&mut text, inputs, &mut |text, input, short| match short {
            Ok(_) => tally.fall_short(Class::Budget),
            Err(error) => {
                text.extend_from_slice(refusal_behind(echo, input, &error, json).as_bytes());
                tally.fall_short(error.class());
            }
        });
        let orders = noted.map(|puzzle| FaceletOrders::of(puzzle, inputs)).unwrap_or_default();
        (text, tally, orders)
    };
    let ended = answer_in_order(&standard_input(), portion, ctx, &answer, &mut |answers| {
        let written = answers.into_iter().try_for_each(|(text, of_lines, orders_of_lines)| {
            tally.add(of_lines);
            orders.append(orders_of_lines);
            output.bytes(&text)
        });
        written.and_then(|()| output.flush()).map_err(|error| {
            failure = Some(error);
            BatchStop
        })
    });
    conclude(ended, failure)?;
    note_orders(&orders, json);
    tally.conclude()
}

/// Notes orders of facelets on standard error.
pub fn note_orders(orders: &FaceletOrders, json: bool) {
    orders.notes().for_each(|note| standard_error::tell(&note.to_string(), json));
}

/// The outcome of a batch: a failure to write answers comes first.
pub fn conclude(ended: Result<(), BatchEnd>, failure: Option<Failure>) -> std::result::Result<(), Failure> {
    match (failure, ended) {
        (Some(failure), _) => Err(failure),
        (None, Err(BatchEnd::Failed(error))) => Err(error.into()),
        (None, Ok(()) | Err(BatchEnd::Stopped)) => Ok(()),
    }
}

/// An unreadable table outweighs any number of misspelt positions, and these outweigh searches that were cut short.
fn gravity(class: Class) -> u8 {
    match class {
        Class::Budget => 0,
        Class::Invalid => 1,
        _ => 2,
    }
}

/// Every reason of an error, in one line; of a valid input first that it is valid.
pub fn reasons(error: &Error) -> String {
    match error {
        Error::Invalid(InvalidInput { expected, problems, instead, .. }) => {
            let listed = problems.iter().map(|p| p.message.as_str()).collect::<Vec<_>>().join("; ");
            match instead {
                None => listed,
                Some(instead) => format!("valid, but not a {expected}: {listed}; {instead}"),
            }
        }
        other => failure::text(other).replace('\n', " "),
    }
}

#[cfg(test)]
mod tests {
    use twistbase_core::error::Problem;

    use super::*;

    /// The end of a batch with these lines.
    fn end(lines: &[Option<Class>]) -> Option<(u64, u64, u64, Class)> {
        let mut tally = Tally::default();
        lines.iter().for_each(|&shortfall| tally.count(shortfall));
        match tally.conclude() {
            Ok(()) => None,
            Err(Failure::Lines { failed, short, lines, class }) => Some((failed, short, lines, class)),
            Err(other) => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_batch_ends_with_the_gravest_class_of_its_lines() {
        use Class::{Budget, Data, Invalid, Usage};
        assert_eq!((end(&[]), end(&[None, None])), (None, None));
        for (lines, expected) in [
            (&[None, Some(Budget), None][..], (0, 1, 3, Budget)),
            (&[Some(Budget), Some(Invalid)], (1, 1, 2, Invalid)),
            (&[Some(Invalid), Some(Budget)], (1, 1, 2, Invalid)),
            (&[Some(Invalid), Some(Data), Some(Budget), None], (2, 1, 4, Data)),
            // Of equally grave ones the first.
            (&[Some(Usage), Some(Data)], (2, 0, 2, Usage)),
            (&[Some(Data), Some(Usage)], (2, 0, 2, Data)),
        ] {
            assert_eq!(end(lines), Some(expected), "{lines:?}");
        }
    }

    #[test]
    fn a_valid_line_is_said_to_be_valid_before_the_reasons() {
        let problem = |message: &str| Problem { code: "x", message: message.to_owned(), at: None };
        let mut invalid = InvalidInput {
            input: "R".to_owned(),
            expected: "position in H",
            problems: vec![problem("twisted"), problem("flipped")],
            instead: Some("try that"),
        };
        let text = refusal("R", &Error::Invalid(invalid.clone()), false);
        assert_eq!(text, "R\terror: valid, but not a position in H: twisted; flipped; try that\n");
        invalid.instead = None;
        assert_eq!(refusal("R", &Error::Invalid(invalid), false), "R\terror: twisted; flipped\n");
    }

    #[test]
    fn text_is_utf8() {
        let read = |bytes: &'static [u8]| {
            let mut text = String::new();
            Utf8Input::new(bytes).read_to_string(&mut text).map(|_| text).map_err(|error| error.to_string())
        };
        for text in ["", "R", "R U", "\u{FEFF}R U\n"] {
            assert_eq!(read(text.as_bytes()).as_deref(), Ok(text));
        }
        for utf16 in [&b"\xFF\xFER\0"[..], b"\xFE\xFF\0R"] {
            assert!(read(utf16).unwrap_err().contains("UTF-16"));
        }
    }

    #[test]
    fn a_line_that_is_too_long_is_cut_before_its_error() {
        let error = Error::Budget("too long".to_owned());
        let text = refusal(&"(".repeat(LONGEST_INPUT + 1), &error, false);
        assert_eq!(text, format!("{}…\terror: too long\n", "(".repeat(EXCERPT)));
    }

    #[test]
    fn a_refused_line_begins_with_one_column() {
        let text = refusal("R\tQ", &Error::Budget("time limit reached".to_owned()), false);
        assert_eq!(text, "R Q\terror: time limit reached\n");
    }

    #[test]
    fn a_refused_line_has_its_input_and_the_reason() {
        for json in [false, true] {
            let text = refusal("abc", &Error::Budget("time limit reached".to_owned()), json);
            assert!(text.contains("abc") && text.contains("time limit reached") && text.ends_with('\n'), "{text}");
        }
    }
}
