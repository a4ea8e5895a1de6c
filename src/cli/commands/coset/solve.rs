//! `coset MOVES`: one coset.

use std::cell::RefCell;
use std::io::Write;
use std::path::{Path, PathBuf};

use twistbase::cosets::{CosetQuestion, CosetRecord, CosetResults};
use twistbase::error::{Error, Result};
use twistbase::puzzle::cube3::coordinate::CosetOfH;
use twistbase::puzzle::cube3::notation::reid;
use twistbase::puzzle::cube3::{Cover, Cube};
use twistbase::solve::{CosetEvent, CosetWeights};
use twistbase::store::NewFile;

use super::options::SolveOptions;
use super::report::{self, Report};
use crate::cli::environment::Environment;
use crate::cli::failure::Failure;
use crate::cli::output::Output;
use crate::cli::positions::cube3::read;

/// Arguments of a coset given by a sequence.
#[derive(Debug, clap::Args)]
pub struct Given {
    /// A sequence to a position of the coset, like F1R1U2 or "F R U2" (or the position); "U" for H itself
    #[arg(required = true)]
    moves: Option<String>,

    #[command(flatten)]
    options: SolveOptions,

    /// Count each position as often as the cover's cosets need so that together they count the whole cube
    #[arg(long)]
    weighted: bool,

    /// Write the positions that no level before this one reached, as cubies in Reid's order (needs --list)
    #[arg(long, value_name = "LEVEL", requires = "list", value_parser = clap::value_parser!(u8).range(0..=21))]
    list_from: Option<u8>,

    /// The file to write them to
    #[arg(long, value_name = "FILE", requires = "list_from")]
    list: Option<PathBuf>,
}

pub fn run(args: Given, env: &Environment) -> Result<(), Failure> {
    let input = args.moves.as_deref().unwrap_or_default();
    let representative = read(input)?;
    let coset = CosetOfH::of(&representative);
    let weights = if args.weighted { Some(weights(&representative)?) } else { None };
    let (store, context) = (env.store()?, env.context()?);
    let results = CosetResults::open(store.dir());
    let checkpoint = args.options.checkpoint(store.dir());
    let mut options = args.options.options(checkpoint.clone());
    options.list_from = args.list_from;
    let mut out = env.output();
    let question = CosetQuestion::new(&options, weights.is_some())?;
    // What is to be replaced need not be readable.
    let is_asked_for = !args.options.force() && args.list.is_none();
    let known = if is_asked_for { results.get(coset.number())? } else { None };
    if let Some(known) = known.filter(|known| known.answers(&question)) {
        checkpoint.map_or(Ok(()), |checkpoint| checkpoint.remove(coset))?;
        print_stored(input, &known, env, &mut out)?;
        return conclude(&known, out);
    }
    let writer = results.writer(&context)?;
    let mut recorder = args.options.recorder(&store, options, &context)?;
    let record = {
        let mut printer = Printer::new(env, &mut out, args.list.as_deref())?;
        let record = recorder.solve(&representative, weights.as_ref(), &mut |event| printer.tell(event));
        let record = printer.outcome(record)?;
        printer.finish()?;
        record
    };
    if args.options.force() {
        writer.replace(std::slice::from_ref(&record))
    } else {
        writer.put(std::slice::from_ref(&record))
    }?;
    checkpoint.map_or(Ok(()), |checkpoint| checkpoint.remove(coset))?;
    if env.json() {
        out.json(&Report::new(Some(input), false, &record))?;
    } else {
        out.line(report::summary(&record))?;
    }
    conclude(&record, out)
}

fn weights(representative: &Cube) -> Result<CosetWeights> {
    CosetWeights::of_cover(representative).ok_or_else(|| {
        let coset = CosetOfH::of(representative);
        let count = Cover::get().count();
        Error::Usage(format!("coset {coset} is none of the {count} of the cover, so its positions have no weights"))
    })
}

fn print_stored(input: &str, record: &CosetRecord, env: &Environment, out: &mut Output) -> Result<(), Failure> {
    if env.json() {
        return out.json(&Report::new(Some(input), true, record));
    }
    if !env.quiet() {
        print_levels(record, out)?;
    }
    out.line(format_args!("{} (from the store; --force solves it again)", report::summary(record)))
}

/// Prints the levels of a result.
pub fn print_levels(record: &CosetRecord, out: &mut Output) -> Result<(), Failure> {
    out.line(report::HEAD)?;
    record.levels.iter().try_for_each(|level| out.line(report::line(level)))
}

/// What is left to say when everything is printed.
fn conclude(record: &CosetRecord, out: Output) -> Result<(), Failure> {
    out.finish()?;
    if record.bound_20 && !record.is_complete() {
        let left = record.remaining;
        return Err(Failure::Unreached(format!(
            "{left} positions were not reached within 20 moves; search deeper (-S 17)"
        )));
    }
    Ok(())
}

/// Prints levels as they come, and writes the positions that remain to a file.
struct Printer<'a> {
    out: Option<&'a mut Output>,
    list: Option<(NewFile, &'a Path)>,
    /// Why printing failed, where the solver only learns that it did.
    failure: RefCell<Option<Failure>>,
}

impl<'a> Printer<'a> {
    fn new(env: &Environment, out: &'a mut Output, list: Option<&'a Path>) -> Result<Self, Failure> {
        let list = list.map(|path| Ok::<_, Error>((NewFile::create(path)?, path))).transpose()?;
        let is_shown = !env.json() && !env.quiet();
        if is_shown {
            out.line(report::HEAD)?;
            out.flush()?;
        }
        Ok(Self { out: is_shown.then_some(out), list, failure: RefCell::new(None) })
    }

    fn tell(&mut self, event: CosetEvent<'_>) -> Result<()> {
        match event {
            CosetEvent::Level(level) => {
                let Some(out) = &mut self.out else { return Ok(()) };
                let printed = out.line(report::line(level)).and_then(|()| out.flush());
                printed.map_err(|failure| {
                    self.failure.replace(Some(failure));
                    Error::Interrupted
                })
            }
            CosetEvent::Remaining(position) => {
                let Some((file, path)) = &mut self.list else { return Ok(()) };
                writeln!(file, "{}", reid::print(position)).map_err(|source| Error::io("write", path, source))
            }
        }
    }

    fn outcome(&self, record: Result<CosetRecord>) -> Result<CosetRecord, Failure> {
        record.map_err(|error| self.failure.take().unwrap_or_else(|| error.into()))
    }

    /// Gives the list its name.
    fn finish(self) -> Result<(), Failure> {
        Ok(self.list.map_or(Ok(()), |(file, _)| file.publish())?)
    }
}
