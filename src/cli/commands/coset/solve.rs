//! `coset MOVES`: one coset, or those on lines of text.

use std::path::PathBuf;

use twistbase_core::context::Context;
use twistbase_core::error::Class;
use twistbase_cosets::{CosetRecord, CosetReport, CosetSolve, SolvedCoset, StoringCosetSolver, find_representative};
use twistbase_database::column;
use twistbase_database::lines::LineReader;

use super::options::{ListOptions, SolveOptions};
use super::report;
use crate::batch::{self, Tally};
use crate::callback::Callback;
use crate::environment::Environment;
use crate::failure::Failure;
use crate::format::counted;
use crate::output::Output;
use crate::standard_error;

/// Arguments of cosets given by sequences or numbers.
#[derive(Debug, clap::Args)]
pub struct Given {
    /// Sequence or position in the coset, or its number; - reads lines
    ///
    /// A sequence is like F1R1U2 or "F R U2"; U stands for H itself. The number is that of the cover. - reads one coset
    /// per line from standard input.
    #[arg(value_name = "MOVES|NUMBER", required_unless_present = "from")]
    coset: Option<String>,

    /// File with one coset per line; - is standard input
    #[arg(long, value_name = "FILE", conflicts_with = "coset")]
    from: Option<PathBuf>,

    #[command(flatten)]
    options: SolveOptions,

    /// Weight positions so that the cover's cosets add up to the cube
    #[arg(long)]
    weighted: bool,

    #[command(flatten)]
    list: ListOptions,
}

impl Given {
    /// The lines with cosets, if there are many.
    fn lines(&self) -> Result<Option<LineReader>, Failure> {
        match (&self.from, self.coset.as_deref()) {
            (Some(file), _) => Ok(Some(batch::lines_of(file)?)),
            (None, Some("-")) => Ok(Some(batch::standard_input())),
            (None, _) => Ok(None),
        }
    }
}

pub fn run(args: Given, env: &Environment) -> Result<(), Failure> {
    let (lines, input) = (args.lines()?, args.coset.as_deref().unwrap_or_default());
    if lines.is_none() {
        // A misspelt sequence is an error before a list is begun.
        find_representative(input)?;
    }
    let (cosets, context) = (args.options.cosets(env)?, env.context());
    let solve = CosetSolve { request: args.options.request(&args.list), weighted: args.weighted };
    let has_reports = !args.list.is_on_output();
    let mut solving = Solving {
        solver: cosets.solver(&solve, args.list.begin(solve.request.force)?, &context)?,
        ctx: &context,
        out: env.output(),
        has_reports,
        json: env.json(),
        shows_levels: has_reports && !env.json() && !env.quiet(),
    };
    let outcome = match lines {
        Some(lines) => solving.lines(&lines)?.conclude(),
        None => complete(&solving.one(input, "")?),
    };
    let Solving { solver, out, .. } = solving;
    let listed = solver.finish().map_err(|error| Failure::from(error).of_standard_output())?;
    out.finish()?;
    args.list.report(listed, &context);
    outcome
}

/// Refuses a result with positions that were not reached.
fn complete(record: &CosetRecord) -> Result<(), Failure> {
    match record.falls_short() {
        true => Err(Failure::Unreached(format!(
            "{} not reached within 20 moves; search deeper with -S 17",
            counted(record.remaining, "position")
        ))),
        false => Ok(()),
    }
}

/// A solver, and how its results are printed.
struct Solving<'a> {
    solver: StoringCosetSolver<'a>,
    ctx: &'a Context,
    out: Output,
    /// Whether results go to standard output, not a list.
    has_reports: bool,
    json: bool,
    shows_levels: bool,
}

impl Solving<'_> {
    /// Answers every line.
    fn lines(&mut self, lines: &LineReader) -> Result<Tally, Failure> {
        let mut tally = Tally::default();
        while let Some(chunk) = lines.next_chunk(self.ctx)? {
            for line in chunk.lines() {
                self.ctx.check()?;
                match self.one(line, &format!("{}\t", column(line))) {
                    Ok(record) => tally.count(record.falls_short().then_some(Class::Budget)),
                    // Other errors would occur on the next line, too.
                    Err(Failure::Error(error)) if matches!(error.class(), Class::Invalid | Class::Usage) => {
                        tally.count(Some(error.class()));
                        self.ctx.progress().make_way();
                        let refusal = batch::refusal(line, &error, self.json);
                        if self.has_reports {
                            self.out.bytes(refusal.as_bytes())?;
                        } else {
                            standard_error::write(&refusal);
                        }
                    }
                    Err(other) => return Err(other),
                }
                self.out.flush()?;
            }
        }
        Ok(tally)
    }

    /// Solves a coset and prints the result, each line of text behind `label`.
    fn one(&mut self, input: &str, label: &str) -> Result<CosetRecord, Failure> {
        let representative = find_representative(input)?;
        let Self { solver, out, shows_levels, .. } = self;
        let (callback, mut has_head) = (Callback::default(), false);
        let solved = solver.solve(&representative, &mut |level| {
            callback.run(|| {
                if *shows_levels {
                    print_head(&mut has_head, label, out)?;
                    out.line(format_args!("{label}{}", report::line(level)))?;
                    out.flush()?;
                }
                Ok(())
            })
        });
        let SolvedCoset { record, stored } = callback.outcome(solved).map_err(Failure::of_standard_output)?;
        if !self.has_reports {
            return Ok(record);
        }
        if self.json {
            out.json(&CosetReport::new(Some(input), stored, &record))?;
            return Ok(record);
        }
        if *shows_levels && stored {
            print_levels(&record, label, out)?;
        } else if *shows_levels {
            print_head(&mut has_head, label, out)?;
        }
        let source = if stored { " (from the store; --force solves it again)" } else { "" };
        out.line(format_args!("{label}{}{source}", report::summary(&record)))?;
        Ok(record)
    }
}

/// Prints the head of the levels before the first of them.
fn print_head(is_printed: &mut bool, label: &str, out: &mut Output) -> Result<(), Failure> {
    if std::mem::replace(is_printed, true) { Ok(()) } else { out.line(format_args!("{label}{}", report::HEAD)) }
}

/// Prints the levels of a result, each line behind `label`.
pub fn print_levels(record: &CosetRecord, label: &str, out: &mut Output) -> Result<(), Failure> {
    print_head(&mut false, label, out)?;
    record.levels.iter().try_for_each(|level| out.line(format_args!("{label}{}", report::line(level))))
}
