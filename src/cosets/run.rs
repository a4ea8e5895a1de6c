//! Batches: cosets of the cover, one after the other, into the results.

use super::cover_solver::{CoverSolver, coset_of_cover};
use super::position_list::{PositionList, refuse_list_with_checkpoint};
use super::request::{CosetRun, remove_checkpoint};
use super::{CosetDatabase, CosetQuestion, CosetRecord};
use twistbase_core::context::Context;
use twistbase_core::error::Result;
use twistbase_puzzle::cube3::Metric;
use twistbase_solve::{CosetEvent, CosetOptions};

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
    /// Cosets that were passed over because all their positions are farther than the last level that was to be searched.
    pub beyond: u64,
    /// Positions that were listed, if there is a list.
    pub listed: Option<u64>,
}

impl CosetDatabase {
    /// Solves cosets of the cover one after the other. Skips cosets with a sufficient result, so the same call continues an
    /// interrupted batch. Also skips cosets beyond the depth of the search: none of their positions can be counted, and
    /// nothing is stored about them. With [`CosetRequest::force`](super::CosetRequest::force) all are solved, and for
    /// `list`, which gets the positions that [`CosetOptions::list_from`] lists. `on` receives each result when it is stored.
    ///
    /// Reports the number of finished cosets as progress, and notices between cosets, and within them, that it is cancelled.
    ///
    /// # Errors
    /// [`Error::Interrupted`](twistbase_core::error::Error::Interrupted); [`Error::Usage`](twistbase_core::error::Error::Usage) when options contradict each
    /// other, or a list is [expected](CosetRun::expected_list) to be too long; those of [`CosetSolver::open`](twistbase_solve::CosetSolver::open) and
    /// [`CosetSolver::solve`](twistbase_solve::CosetSolver::solve); [`Error::Busy`](twistbase_core::error::Error::Busy) when another process writes
    /// results; those of `on`, which ends the batch.
    pub fn run(
        &self,
        run: &CosetRun,
        list: Option<PositionList>,
        ctx: &Context,
        on: &mut dyn FnMut(&CosetRecord) -> Result<()>,
    ) -> Result<CosetRunTotals> {
        let options = run.request.options_in(&self.store)?;
        let question = CosetQuestion::new(&options, true)?;
        refuse_list_with_checkpoint(list.is_some(), options.checkpoint.is_some())?;
        if list.is_some() {
            run.request.check_list(run.expected_list())?;
        }
        self.provide_phase1(Metric::Htm, ctx)?;
        let totals = CosetRunTotals::default();
        let mut runner = CosetRunner { cosets: self, run, options, question, ctx, on, solver: None, list, totals };
        runner.run()?;
        ctx.progress().end();
        let CosetRunner { list, totals, .. } = runner;
        let listed = list.map(PositionList::publish).transpose()?;
        Ok(CosetRunTotals { listed, ..totals })
    }
}

/// A batch at work.
struct CosetRunner<'a> {
    cosets: &'a CosetDatabase,
    run: &'a CosetRun,
    options: CosetOptions,
    /// The question about each coset.
    question: CosetQuestion,
    ctx: &'a Context,
    on: &'a mut dyn FnMut(&CosetRecord) -> Result<()>,
    /// Made when it is first needed: when everything is known, nothing is loaded.
    solver: Option<CoverSolver>,
    /// Where the positions that remain are listed, if they are.
    list: Option<PositionList>,
    totals: CosetRunTotals,
}

impl CosetRunner<'_> {
    /// Solves cosets without a sufficient result.
    fn run(&mut self) -> Result<()> {
        let writer = self.cosets.results.writer(self.ctx)?;
        let force = self.run.request.force;
        let numbers = self.run.range.numbers();
        self.ctx.progress().begin("cosets", numbers.len() as u64, "cosets");
        for number in numbers {
            self.ctx.check()?;
            // Before the results are asked: of most cosets there are none, and the table is in memory.
            if self.passes_beyond(number)? {
                continue;
            }
            let all = force || self.list.is_some();
            let known = if all { None } else { writer.results().get(coset_of_cover(number)?.number())? };
            if known.is_some_and(|known| known.answers(&self.question)) {
                self.pass_over(number)?;
                continue;
            }
            self.solver()?;
            if self.passes_beyond(number)? {
                continue;
            }
            let record = self.solve(number)?;
            writer.keep(std::slice::from_ref(&record), force)?;
            self.finish_one(number, &record)?;
        }
        Ok(())
    }

    /// Whether to skip a coset because it is beyond the search. Needs the open table.
    fn passes_beyond(&mut self, number: u32) -> Result<bool> {
        // Of what is listed, all remain; and whoever forces wants a record.
        let Some(solver) = self.solver.as_ref().filter(|_| self.list.is_none() && !self.run.request.force) else {
            return Ok(false);
        };
        let is_beyond = solver.distance(number)? > self.question.search_depth;
        if is_beyond {
            self.totals.beyond += 1;
            self.ctx.progress().advance(1);
        }
        Ok(is_beyond)
    }

    /// The solver, which is made when it is first asked for.
    fn solver(&mut self) -> Result<&mut CoverSolver> {
        match &mut self.solver {
            Some(solver) => Ok(solver),
            // What is reported is how many cosets are done.
            none => {
                let CosetDatabase { store, cache, .. } = self.cosets;
                Ok(none.insert(CoverSolver::open(store, *cache, self.options.clone(), &self.ctx.of_part())?))
            }
        }
    }

    /// Leaves a coset that is known.
    fn pass_over(&mut self, number: u32) -> Result<()> {
        self.totals.known += 1;
        self.ctx.progress().advance(1);
        self.remove_checkpoint(number)
    }

    /// Removes the checkpoint of a coset whose result is stored.
    fn remove_checkpoint(&self, number: u32) -> Result<()> {
        remove_checkpoint(self.options.checkpoint.as_ref(), coset_of_cover(number)?)
    }

    /// Solves the coset with that number in the cover.
    fn solve(&mut self, number: u32) -> Result<CosetRecord> {
        let mut list = self.list.take();
        let record = self.solver()?.solve(number, &mut |event| match (event, &mut list) {
            (CosetEvent::Remaining(position), Some(list)) => list.add(position),
            _ => Ok(()),
        })?;
        self.list = list;
        self.totals.solved += 1;
        self.totals.unreached += u64::from(record.falls_short());
        Ok(record)
    }

    /// Reports a stored result.
    fn finish_one(&mut self, number: u32, record: &CosetRecord) -> Result<()> {
        self.remove_checkpoint(number)?;
        self.ctx.progress().advance(1);
        self.ctx.progress().make_way();
        (self.on)(record)
    }
}

#[cfg(test)]
mod tests {
    use super::super::record::tests::record;
    use super::super::{CosetRequest, CoverRange};
    use super::*;
    use twistbase_cache::CacheMode;
    use twistbase_core::error::Error;
    use twistbase_puzzle::cube3::Cover;
    use twistbase_store::Store;

    /// Without any table, known results are skipped, and a cancelled batch ends before the first coset.
    #[test]
    fn batches_pass_over_what_is_known_and_hear_that_they_are_cancelled() {
        let dir = tempfile::tempdir().unwrap();
        let (cosets, ctx) = (CosetDatabase::new(&Store::open(dir.path()), CacheMode::Off), Context::silent());
        let known = |number| record(Cover::get().coset(number).unwrap().number(), &[2, 18, 118], 2);
        cosets.results().writer(&ctx).unwrap().put(&[1000, 1001, 1002].map(known)).unwrap();
        let options = CosetOptions { search_depth: 5, depth: 6, ..CosetOptions::default() };
        let request = CosetRequest { options, ..CosetRequest::default() };
        let run = |end| CosetRun { range: CoverRange::try_from(1000..end).unwrap(), request: request.clone() };
        let mut silent = |_: &CosetRecord| -> Result<()> { panic!("nothing is solved") };
        let totals = cosets.run(&run(1003), None, &ctx, &mut silent).unwrap();
        assert_eq!(totals, CosetRunTotals { known: 3, ..CosetRunTotals::default() });
        assert!(matches!(cosets.run(&run(1004), None, &ctx, &mut silent), Err(Error::Data(_))), "phase1 is missing");
        // A list has the positions of every coset: results do not contain them.
        let file = dir.path().join("list");
        let list = Some(PositionList::create(&file).unwrap());
        assert!(matches!(cosets.run(&run(1003), list, &ctx, &mut silent), Err(Error::Data(_))), "phase1 is missing");
        assert!(!file.exists(), "a list has its name when it is complete");
        // So does who insists.
        let mut forced = run(1003);
        forced.request.force = true;
        assert!(matches!(cosets.run(&forced, None, &ctx, &mut silent), Err(Error::Data(_))), "phase1 is missing");
        ctx.cancel();
        assert!(matches!(cosets.run(&run(1003), None, &ctx, &mut silent), Err(Error::Interrupted)));
    }
}
