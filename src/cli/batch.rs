//! Positions on standard input, one a line, answered one a line, in order, on all threads.

use std::io;

use twistbase::context::Context;
use twistbase::database::lines::{LineReader, Portion, answer_in_order};
use twistbase::database::{BatchEnd, BatchStop};
use twistbase::error::{Class, Error, Result};

use super::failure::{self, Failure};
use super::output::{Output, json_line};

/// The answer to a line: text ready to be written, with its line end.
pub struct LineText {
    pub text: String,
    /// The class of error that it comes short of what was asked by.
    pub shortfall: Option<Class>,
}

impl From<String> for LineText {
    fn from(text: String) -> Self {
        Self { text, shortfall: None }
    }
}

/// Lines that were answered, and those of them with an error.
#[derive(Default)]
pub struct Tally {
    lines: u64,
    failed: u64,
    /// The gravest class of error so far.
    gravest: Option<Class>,
}

impl Tally {
    /// Counts a line.
    pub fn count(&mut self, shortfall: Option<Class>) {
        self.lines += 1;
        if let Some(class) = shortfall {
            self.failed += 1;
            let is_graver = self.gravest.is_none_or(|gravest| gravity(class) > gravity(gravest));
            self.gravest = if is_graver { Some(class) } else { self.gravest };
        }
    }

    /// What all lines came to.
    ///
    /// # Errors
    /// [`Failure::Lines`] if any line could not be answered, with the gravest class among them.
    pub fn conclude(self) -> std::result::Result<(), Failure> {
        let Self { lines, failed, gravest } = self;
        gravest.map_or(Ok(()), |class| Err(Failure::Lines { failed, lines, class }))
    }
}

/// The lines of standard input.
pub fn standard_input() -> LineReader {
    LineReader::new(io::stdin(), "standard input")
}

/// Answers every line of standard input with `answer`, errors included; blank lines are passed over.
///
/// # Errors
/// After the last line, those of [`Tally::conclude`].
pub fn run(
    portion: Portion,
    json: bool,
    ctx: &Context,
    output: &mut Output,
    answer: impl Fn(&str) -> Result<LineText> + Sync,
) -> std::result::Result<(), Failure> {
    let (mut tally, mut failure) = (Tally::default(), None);
    let of_line = |input: &str| match answer(input) {
        Ok(answer) => answer,
        Err(error) => LineText { text: refusal(input, &error, json), shortfall: Some(error.class()) },
    };
    let ended = answer_in_order(&standard_input(), portion, ctx, of_line, &mut |answers| {
        let written = answers.iter().try_for_each(|answer| {
            tally.count(answer.shortfall);
            output.bytes(answer.text.as_bytes())
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
