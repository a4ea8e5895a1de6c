//! Batches: cosets of the cover, one after the other, into the results or into shard files.

use std::fs;
use std::ops::Range;
use std::path::Path;

use super::recorder::CosetRecorder;
use super::request::{CosetRun, remove_checkpoint};
use super::{CosetDatabase, CosetQuestion, CosetRecord, CosetShard, SHARD_EXTENSION};
use crate::context::Context;
use crate::error::{Error, Fault, Result};
use crate::puzzle::cube3::coordinate::CosetOfH;
use crate::puzzle::cube3::{Cover, Cube};
use crate::solve::{CosetOptions, CosetWeights};
use crate::store::create_folder;

/// How a shard file is called until it is finished.
const PART_EXTENSION: &str = "part";

/// What became of a batch.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CosetRunTotals {
    /// Cosets that were solved.
    pub solved: u64,
    /// Cosets that were known well enough.
    pub known: u64,
    /// Cosets that were solved to [show that 20 moves suffice](CosetOptions::bound_20), of which some positions were not
    /// reached.
    pub unreached: u64,
}

impl CosetDatabase {
    /// Solves cosets of the cover one after the other; what is known well enough is passed over, so that the same call
    /// continues a batch that was interrupted. `on` hears of each result when it is kept. A shard file gets its name when
    /// its cosets are done, and none of the database's results are touched then.
    ///
    /// Reports the number of finished cosets as progress, and notices between cosets, and within them, that it is cancelled.
    ///
    /// # Errors
    /// [`Error::Interrupted`]; [`Error::Usage`] when options contradict each other; those of
    /// [`CosetSolver::open`](crate::solve::CosetSolver::open) and [`CosetSolver::solve`](crate::solve::CosetSolver::solve);
    /// [`Error::Busy`] when another process writes results; those of `on`, which ends the batch.
    pub fn run(
        &self,
        run: &CosetRun,
        ctx: &Context,
        on: &mut dyn FnMut(&CosetRecord) -> Result<()>,
    ) -> Result<CosetRunTotals> {
        let folder = run.out.as_deref().unwrap_or_else(|| self.database.folder());
        let options = run.request.options_in(folder);
        let question = CosetQuestion::new(&options, true)?;
        let totals = CosetRunTotals::default();
        let mut runner = CosetRunner { cosets: self, run, options, question, ctx, on, recorder: None, totals };
        match &run.out {
            None => runner.run_into_results()?,
            Some(dir) => runner.run_into_files(dir)?,
        }
        ctx.progress().end();
        Ok(runner.totals)
    }
}

/// A batch at work.
struct CosetRunner<'a> {
    cosets: &'a CosetDatabase,
    run: &'a CosetRun,
    options: CosetOptions,
    /// What is asked of each coset.
    question: CosetQuestion,
    ctx: &'a Context,
    on: &'a mut dyn FnMut(&CosetRecord) -> Result<()>,
    /// Made when it is first needed: when everything is known, nothing is loaded.
    recorder: Option<CosetRecorder>,
    totals: CosetRunTotals,
}

impl CosetRunner<'_> {
    /// Solves what the results do not tell.
    fn run_into_results(&mut self) -> Result<()> {
        let writer = self.cosets.results.writer(self.ctx)?;
        let force = self.run.request.force;
        self.begin();
        for number in self.run.numbers() {
            self.ctx.check()?;
            let known = if force { None } else { writer.results().get(coset(number)?.number())? };
            if known.is_some_and(|known| known.answers(&self.question)) {
                self.pass_over(number)?;
                continue;
            }
            let record = self.solve(number)?;
            writer.keep(std::slice::from_ref(&record), force)?;
            self.finish_one(number, &record)?;
        }
        Ok(())
    }

    /// Solves what no file tells.
    fn run_into_files(&mut self, dir: &Path) -> Result<()> {
        create_folder(dir)?;
        self.begin();
        let range = self.run.numbers();
        let per_file = self.run.per_file.max(1);
        for first in range.clone().step_by(per_file as usize) {
            self.one_file(first..range.end.min(first.saturating_add(per_file)), dir)?;
        }
        Ok(())
    }

    /// Finishes one file.
    fn one_file(&mut self, range: Range<u32>, dir: &Path) -> Result<()> {
        let name = dir.join(format!("{:08}-{:08}.{SHARD_EXTENSION}", range.start, range.end));
        let part = name.with_extension(PART_EXTENSION);
        let mut shard = self.shard_so_far(&range, &name, &part)?;
        let before = self.totals.solved;
        for number in range {
            self.ctx.check()?;
            if shard.get(number).is_some_and(|record| record.answers(&self.question)) {
                self.pass_over(number)?;
                continue;
            }
            let record = self.solve(number)?;
            shard.put(record.clone())?;
            shard.write(&part)?;
            self.finish_one(number, &record)?;
        }
        if self.totals.solved > before || part.exists() {
            shard.write(&name)?;
            match fs::remove_file(&part) {
                Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                    return Err(Error::io("remove", &part, error));
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// What there is of a shard: its file, or the part that an interrupted batch left. A part that is torn is done again.
    fn shard_so_far(&self, range: &Range<u32>, name: &Path, part: &Path) -> Result<CosetShard> {
        let is_of_use = |shard: &CosetShard| !self.run.request.force && shard.range() == *range;
        if let Some(shard) = read_if_there(name)?.filter(is_of_use) {
            return Ok(shard);
        }
        match read_if_there(part) {
            Ok(found) => Ok(found.filter(is_of_use).unwrap_or_else(|| CosetShard::new(range.clone()))),
            Err(Error::Data(_)) => Ok(CosetShard::new(range.clone())),
            Err(other) => Err(other),
        }
    }

    fn begin(&self) {
        let range = self.run.numbers();
        self.ctx.progress().begin("cosets", u64::from(range.end - range.start), "cosets");
    }

    /// Leaves a coset that is known.
    fn pass_over(&mut self, number: u32) -> Result<()> {
        self.totals.known += 1;
        self.ctx.progress().advance(1);
        self.remove_checkpoint(number)
    }

    /// Removes the checkpoint of a coset whose result is kept.
    fn remove_checkpoint(&self, number: u32) -> Result<()> {
        remove_checkpoint(self.options.checkpoint.as_ref(), coset(number)?)
    }

    /// Solves the coset with that number in the cover.
    fn solve(&mut self, number: u32) -> Result<CosetRecord> {
        let recorder = match &mut self.recorder {
            Some(recorder) => recorder,
            // What is reported is how many cosets are done.
            none => none.insert(CosetRecorder::open(&self.cosets.database, self.options.clone(), &self.ctx.of_part())?),
        };
        let sequence = recorder.sequence_into(coset(number)?)?;
        let representative = sequence.apply(&Cube::SOLVED);
        let weights = CosetWeights::of_cover(&representative);
        let record = recorder.solve(&representative, weights.as_ref(), &mut |_| Ok(()))?;
        self.totals.solved += 1;
        self.totals.unreached += u64::from(record.falls_short());
        Ok(record)
    }

    /// Reports a result that is kept.
    fn finish_one(&mut self, number: u32, record: &CosetRecord) -> Result<()> {
        self.remove_checkpoint(number)?;
        self.ctx.progress().advance(1);
        self.ctx.progress().make_way();
        (self.on)(record)
    }
}

/// The coset with that number in the cover.
fn coset(number: u32) -> Result<CosetOfH> {
    Cover::get().coset(number).ok_or_else(|| Error::Usage(format!("the cover has no coset {number}")))
}

/// A shard, if its file is there. A newer program's or another cover's is not replaced.
fn read_if_there(path: &Path) -> Result<Option<CosetShard>> {
    match CosetShard::read(path) {
        Err(Error::Io { source, .. }) if source.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(Error::Data(error))
            if error.fault == Fault::Damaged && path.extension().is_some_and(|end| end == PART_EXTENSION) =>
        {
            Ok(None)
        }
        other => other.map(Some),
    }
}

#[cfg(test)]
mod tests {
    use super::super::shard::tests::record;
    use super::super::{CosetRequest, CoverRange};
    use super::*;
    use crate::database::Database;

    fn run(range: Range<u32>, out: Option<&Path>) -> CosetRun {
        let options = CosetOptions { search_depth: 5, depth: 6, ..CosetOptions::default() };
        CosetRun {
            range: CoverRange::try_from(range).unwrap(),
            shard: None,
            out: out.map(Path::to_path_buf),
            per_file: 2,
            request: CosetRequest { options, ..CosetRequest::default() },
        }
    }

    fn known(number: u32) -> CosetRecord {
        record(Cover::get().coset(number).unwrap().number(), &[2, 18, 118], 2)
    }

    /// No table is there: what is known is passed over without one, and a batch that is cancelled ends before the first
    /// coset, in the results and in files.
    #[test]
    fn batches_pass_over_what_is_known_and_hear_that_they_are_cancelled() {
        let dir = tempfile::tempdir().unwrap();
        let out = dir.path().join("out");
        let (cosets, ctx) = (Database::open(dir.path()).unwrap().cosets(), Context::silent());
        let records = [1000, 1001, 1002].map(known);
        cosets.results().writer(&ctx).unwrap().put(&records).unwrap();
        let run_into_results = run(1000..1003, None);
        let run_into_files = run(1000..1003, Some(&out));
        let mut silent = |_: &CosetRecord| -> Result<()> { panic!("nothing is solved") };
        let totals = cosets.run(&run_into_results, &ctx, &mut silent).unwrap();
        assert_eq!(totals, CosetRunTotals { known: 3, ..CosetRunTotals::default() });
        // The files know nothing.
        assert!(matches!(cosets.run(&run_into_files, &ctx, &mut silent), Err(Error::Data(_))));
        ctx.cancel();
        for run in [&run_into_results, &run_into_files] {
            assert!(matches!(cosets.run(run, &ctx, &mut silent), Err(Error::Interrupted)));
        }
        assert_eq!(fs::read_dir(&out).unwrap().count(), 0);
    }

    /// A part is continued; one that is torn is not, nor one of another range.
    #[test]
    fn parts_of_shards_become_files() {
        let dir = tempfile::tempdir().unwrap();
        let out = dir.path().join("out");
        fs::create_dir(&out).unwrap();
        let (cosets, ctx) = (Database::open(dir.path()).unwrap().cosets(), Context::silent());
        let [name, part] = ["cosets", "part"].map(|end| out.join(format!("00001000-00001002.{end}")));
        let mut shard = CosetShard::new(1000..1002);
        [1000, 1001].map(known).into_iter().for_each(|record| shard.put(record).unwrap());
        let files = run(1000..1002, Some(&out));
        for torn in [&shard.to_bytes()[..500], &CosetShard::new(1000..1003).to_bytes()] {
            fs::write(&part, torn).unwrap();
            assert!(matches!(cosets.run(&files, &ctx, &mut |_| Ok(())), Err(Error::Data(_))), "phase1 is missing");
        }
        shard.write(&part).unwrap();
        assert_eq!(cosets.run(&files, &ctx, &mut |_| Ok(())).unwrap().known, 2);
        assert_eq!(CosetShard::read(&name).unwrap(), shard);
        assert!(!part.exists());
    }
}
