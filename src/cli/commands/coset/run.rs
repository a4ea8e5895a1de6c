//! `coset run`: cosets of the cover, one after the other.

use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use twistbase::context::Context;
use twistbase::cosets::{CosetQuestion, CosetRecord, CosetResults, CosetShard, CosetWriter, SHARD_EXTENSION};
use twistbase::error::{Error, Fault, Result};
use twistbase::puzzle::cube3::coordinate::CosetOfH;
use twistbase::puzzle::cube3::{Cover, Cube};
use twistbase::solve::{CosetCheckpoint, CosetWeights};
use twistbase::store::{Store, create_folder};

use super::options::{Recorder, SolveOptions};
use super::report::{self, Report};
use crate::cli::environment::Environment;
use crate::cli::failure::Failure;
use crate::cli::output::Output;

const EXAMPLES: &str = "\
Examples:
  twistbase coset run --range 100..102 -S 4 -d 4
  twistbase coset run --range 0..4 -S 4 -d 4 --shard 2/2 --out shards

Cosets that the store knows well enough are passed over: the same command goes on
where it was stopped, whatever stopped it, and at most the coset in hand is lost
(with --checkpoint, not even that). Counts are weighted for the whole cube.

With --shard and --out the range is divided among N machines. Each writes files
of --per-file cosets into its folder DIR, and none touches the results in the store;
the table phase1 is needed on each. A file gets its name when its cosets are done,
and is not made again. coset merge brings the files together.";

/// Solve cosets of the cover, one after the other
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// Numbers of the cosets in the cover: from A up to, but not including, B [default: all]
    #[arg(long, value_name = "A..B")]
    range: Option<Numbers>,

    /// Of N equal parts of the range, the Ith, from 1 (needs --out)
    #[arg(long, value_name = "I/N", requires = "out")]
    shard: Option<Part>,

    /// Write files into this folder instead of the store
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,

    /// Cosets in a file of --out
    #[arg(long, value_name = "K", default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    per_file: u32,

    #[command(flatten)]
    options: SolveOptions,
}

/// A range of numbers.
#[derive(Debug, Clone)]
struct Numbers(Range<u32>);

impl FromStr for Numbers {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let count = Cover::get().count();
        let range = text.split_once("..").and_then(|(first, end)| Some(first.parse().ok()?..end.parse().ok()?));
        let range: Range<u32> = range.ok_or_else(|| format!("{text:?} is no range; write 0..100"))?;
        if range.start < range.end && range.end <= count {
            Ok(Self(range))
        } else {
            Err(format!("the cover has cosets 0..{count}; {text} is no part of it"))
        }
    }
}

/// One of several equal parts.
#[derive(Debug, Clone, Copy)]
struct Part {
    number: u32,
    of: u32,
}

impl FromStr for Part {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let part = text.split_once('/').and_then(|(i, n)| Some(Self { number: i.parse().ok()?, of: n.parse().ok()? }));
        part.filter(|part| (1..=part.of).contains(&part.number))
            .ok_or_else(|| format!("{text:?} is no part; write 1/8 to 8/8"))
    }
}

impl Part {
    /// This part of a range.
    fn of(self, range: &Range<u32>) -> Range<u32> {
        let count = u64::from(range.end - range.start);
        let bound = |parts: u32| range.start + (count * u64::from(parts) / u64::from(self.of)) as u32;
        bound(self.number - 1)..bound(self.number)
    }
}

pub fn run(args: Args, env: &Environment) -> Result<(), Failure> {
    let all = args.range.as_ref().map_or_else(|| 0..Cover::get().count(), |range| range.0.clone());
    let range = args.shard.map_or_else(|| all.clone(), |part| part.of(&all));
    let (store, context) = (env.store()?, env.context()?);
    let checkpoint = args.options.checkpoint(args.out.as_deref().unwrap_or_else(|| store.dir()));
    let batch = Batch { args: &args, env, store, context, checkpoint, tally: Tally::default() };
    match &args.out {
        None => batch.into_store(range),
        Some(dir) => batch.into_files(range, dir),
    }
}

/// How many were solved, and how many had been solved before.
#[derive(Debug, Default)]
struct Tally {
    solved: u64,
    known: u64,
    unreached: u64,
}

struct Batch<'a> {
    args: &'a Args,
    env: &'a Environment,
    store: Store,
    context: Context,
    checkpoint: Option<CosetCheckpoint>,
    tally: Tally,
}

impl Batch<'_> {
    /// Solves what the store does not know.
    fn into_store(mut self, range: Range<u32>) -> Result<(), Failure> {
        let writer = CosetResults::open(self.store.dir()).writer(&self.context)?;
        let question = self.question()?;
        let mut recorder = None;
        let mut out = self.env.output();
        self.begin(&range);
        for number in range {
            if !self.args.options.force() && is_known(writer.results(), number, &question)? {
                self.pass_over(number)?;
                continue;
            }
            let record = self.solve(number, &mut recorder)?;
            keep(&writer, &record, self.args.options.force())?;
            self.remove_checkpoint(number)?;
            self.print(&record, &mut out)?;
        }
        self.finish(out)
    }

    /// Solves what no file knows.
    fn into_files(mut self, range: Range<u32>, dir: &Path) -> Result<(), Failure> {
        create_folder(dir)?;
        let mut recorder = None;
        let mut out = self.env.output();
        self.begin(&range);
        for first in range.clone().step_by(self.args.per_file as usize) {
            let part = first..range.end.min(first.saturating_add(self.args.per_file));
            self.one_file(part, dir, &mut recorder, &mut out)?;
        }
        self.finish(out)
    }

    /// Finishes one file.
    fn one_file(
        &mut self,
        range: Range<u32>,
        dir: &Path,
        recorder: &mut Option<Recorder>,
        out: &mut Output,
    ) -> Result<(), Failure> {
        let question = self.question()?;
        let name = dir.join(format!("{:08}-{:08}.{SHARD_EXTENSION}", range.start, range.end));
        let part = name.with_extension("part");
        let is_known = |shard: &CosetShard, number| shard.get(number).is_some_and(|record| record.answers(&question));
        let force = self.args.options.force();
        let mut shard = match read_if_there(&name)? {
            Some(shard) if !force && shard.range() == range => shard,
            // What an interrupted run left; what was torn is done again.
            _ => match read_if_there(&part) {
                Ok(Some(shard)) if !force && shard.range() == range => shard,
                Ok(_) | Err(Error::Data(_)) => CosetShard::new(range.clone()),
                Err(other) => return Err(other.into()),
            },
        };
        let before = self.tally.solved;
        for number in range {
            if is_known(&shard, number) {
                self.pass_over(number)?;
                continue;
            }
            let record = self.solve(number, recorder)?;
            shard.put(record.clone())?;
            shard.write(&part)?;
            self.remove_checkpoint(number)?;
            self.print(&record, out)?;
        }
        if self.tally.solved > before || part.exists() {
            shard.write(&name)?;
            match fs::remove_file(&part) {
                Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                    return Err(Error::io("remove", &part, error).into());
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn begin(&self, range: &Range<u32>) {
        self.context.progress().begin("cosets", u64::from(range.end - range.start), "cosets");
    }

    /// Leaves a coset that is known.
    fn pass_over(&mut self, number: u32) -> Result<()> {
        self.tally.known += 1;
        self.context.progress().advance(1);
        self.remove_checkpoint(number)
    }

    /// Removes the checkpoint of a coset whose result is kept.
    fn remove_checkpoint(&self, number: u32) -> Result<()> {
        self.checkpoint.as_ref().map_or(Ok(()), |checkpoint| checkpoint.remove(coset(number)?))
    }

    /// What is asked of each coset.
    fn question(&self) -> Result<CosetQuestion> {
        CosetQuestion::new(&self.args.options.options(None), true)
    }

    /// Solves the coset with that number. The solver is made when it is first needed: when everything is known, nothing is
    /// loaded.
    fn solve(&mut self, number: u32, recorder: &mut Option<Recorder>) -> Result<CosetRecord, Failure> {
        let recorder = match recorder {
            Some(recorder) => recorder,
            none => none.insert(self.recorder()?),
        };
        let sequence = recorder.sequence_into(coset(number)?)?;
        let representative = sequence.apply(&Cube::SOLVED);
        let weights = CosetWeights::of_cover(&representative);
        let record = recorder.solve(&representative, weights.as_ref(), &mut |_| Ok(()))?;
        self.tally.solved += 1;
        self.tally.unreached += u64::from(record.bound_20 && !record.is_complete());
        Ok(record)
    }

    fn recorder(&self) -> Result<Recorder> {
        let options = self.args.options.options(self.checkpoint.clone());
        // What is reported is how many cosets are done.
        let context = self.context.of_part();
        self.args.options.recorder(&self.store, options, &context)
    }

    /// Reports a result that is kept.
    fn print(&self, record: &CosetRecord, out: &mut Output) -> Result<(), Failure> {
        self.context.progress().advance(1);
        self.context.progress().make_way();
        if self.env.json() {
            out.json(&Report::new(None, false, record))?;
        } else if !self.env.quiet() {
            out.line(report::summary(record))?;
        }
        out.flush()
    }

    fn finish(self, out: Output) -> Result<(), Failure> {
        out.finish()?;
        self.context.progress().end();
        let Tally { solved, known, unreached } = self.tally;
        if !self.env.quiet() {
            self.context.progress().note(&format!("{solved} cosets solved, {known} were known"));
        }
        if unreached > 0 {
            return Err(Failure::Unreached(format!(
                "of {unreached} cosets not all positions were reached within 20 moves"
            )));
        }
        Ok(())
    }
}

/// The coset with that number in the cover.
fn coset(number: u32) -> Result<CosetOfH> {
    Cover::get().coset(number).ok_or_else(|| Error::Usage(format!("the cover has no coset {number}")))
}

/// Whether the store knows enough about the coset with that number in the cover.
fn is_known(results: &CosetResults, number: u32, question: &CosetQuestion) -> Result<bool> {
    Ok(results.get(coset(number)?.number())?.is_some_and(|known| known.answers(question)))
}

/// Puts a result into the store.
fn keep(writer: &CosetWriter, record: &CosetRecord, force: bool) -> Result<u64> {
    let record = std::slice::from_ref(record);
    if force { writer.replace(record) } else { writer.put(record) }
}

/// A shard, if its file is there. A newer program's or another cover's is not replaced.
fn read_if_there(path: &Path) -> Result<Option<CosetShard>> {
    match CosetShard::read(path) {
        Err(Error::Io { source, .. }) if source.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(Error::Data(error))
            if error.fault == Fault::Damaged && path.extension().is_some_and(|end| end == "part") =>
        {
            Ok(None)
        }
        other => other.map(Some),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fuzz(inputs: u64) {
        let right = ["0..100", "56303387..56303388", "1/8", "8/8", "100/100", "0..1"];
        let count = Cover::get().count();
        crate::fuzz::fuzz_text("ranges and parts", inputs, &right, 1 << 12, |text| {
            if let Ok(Numbers(range)) = text.parse() {
                assert!(range.start < range.end && range.end <= count);
            }
            if let Ok(part) = text.parse::<Part>() {
                // The parts of a range meet.
                let (range, next) = (5..count, Part { number: part.number + 1, ..part });
                assert_eq!(part.of(&range).end, if part.number < part.of { next.of(&range).start } else { count });
            }
        });
    }

    #[test]
    fn any_text_is_a_range_or_a_part_or_refused() {
        fuzz(5000);
    }

    #[test]
    #[ignore = "long suite: millions of ranges"]
    fn millions_of_texts_are_ranges_or_parts_or_refused() {
        fuzz(crate::fuzz::many(2_000_000));
    }
}
