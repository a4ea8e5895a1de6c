//! Positions on standard input, one a line, answered one a line, in order, on all threads.

use std::fs::File;
use std::io;
use std::path::Path;

use twistbase_core::context::Context;
use twistbase_core::error::{Class, Error, InvalidInput, Result};
use twistbase_database::lines::{LineReader, Portion, answer_in_order};
use twistbase_database::{BatchEnd, BatchStop, OnShortfall};

use super::failure::{self, Failure};
use super::output::{Output, json_line};

/// Bytes of a brief answer besides its input.
const BRIEF: usize = 8;

/// The answer to a line that cannot be answered.
pub fn refusal(input: &str, error: &Error, json: bool) -> String {
    if json { json_line(&failure::report(Some(input), error)) } else { format!("{input}\terror: {}\n", reasons(error)) }
}

/// Lines that were answered, and those of them that were not answered as it was asked.
#[derive(Default)]
pub struct Tally {
    lines: u64,
    /// Those that could not be answered.
    failed: u64,
    /// Those that came short of the target.
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

    /// Says of a line that is counted that it was not answered as it was asked.
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

    /// What all lines came to.
    ///
    /// # Errors
    /// [`Failure::Lines`] if any line could not be answered or came short, with the gravest class among them.
    pub fn conclude(self) -> std::result::Result<(), Failure> {
        let Self { lines, failed, short, gravest } = self;
        gravest.map_or(Ok(()), |class| Err(Failure::Lines { failed, short, lines, class }))
    }
}

/// The lines of standard input.
pub fn standard_input() -> LineReader {
    LineReader::new(io::stdin(), "standard input")
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
    Ok(LineReader::new(opened, file.display().to_string()))
}

/// What adds the answers to some inputs to a text.
type AddAnswers<'a> = dyn Fn(&mut Vec<u8>, &[&str], OnShortfall<'_>) + Sync + 'a;

/// Answers every line of standard input with `answer`, which gets some of them at a time to add their answers to a text; blank lines
/// and comments are passed over.
///
/// # Errors
/// After the last line, those of [`Tally::conclude`].
pub fn run(
    portion: Portion,
    ctx: &Context,
    json: bool,
    output: &mut Output,
    answer: &AddAnswers<'_>,
) -> std::result::Result<(), Failure> {
    let (mut tally, mut failure) = (Tally::default(), None);
    let answer = |inputs: &[&str]| {
        let mut text = Vec::with_capacity(inputs.iter().map(|input| input.len() + BRIEF).sum());
        let mut tally = Tally { lines: inputs.len() as u64, ..Tally::default() };
        answer(&mut text, inputs, &mut |text, input, short| match short {
            Ok(_) => tally.fall_short(Class::Budget),
            Err(error) => {
                text.extend_from_slice(refusal(input, &error, json).as_bytes());
                tally.fall_short(error.class());
            }
        });
        (text, tally)
    };
    let ended = answer_in_order(&standard_input(), portion, ctx, &answer, &mut |answers| {
        let written = answers.into_iter().try_for_each(|(text, of_lines)| {
            tally.add(of_lines);
            output.bytes(&text)
        });
        written.and_then(|()| output.flush()).map_err(|error| {
            failure = Some(error);
            BatchStop
        })
    });
    conclude(ended, failure)?;
    tally.conclude()
}

/// What ended a batch: the failure to write its answers comes before everything else.
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

    /// What a batch ends with, whose lines came to that.
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
    fn a_refused_line_tells_its_input_and_why() {
        for json in [false, true] {
            let text = refusal("abc", &Error::Budget("the time is over".to_owned()), json);
            assert!(text.contains("abc") && text.contains("the time is over") && text.ends_with('\n'), "{text}");
        }
    }
}
