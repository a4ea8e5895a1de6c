//! Batches: cosets of the cover, one after the other, into the results.

use super::cover_solver::coset_of_cover;
use super::position_list::PositionList;
use super::request::CosetRun;
use super::{CosetDatabase, CosetRecord};
use twistbase_core::context::Context;
use twistbase_core::error::Result;
use twistbase_puzzle::cube3::Metric;

/// What became of a batch.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CosetRunTotals {
    /// Cosets that were solved.
    pub solved: u64,
    /// Cosets that were known well enough.
    pub known: u64,
    /// Cosets that were solved to [show that 20 moves suffice](twistbase_solve::CosetOptions::bound_20), of which some
    /// positions were not reached.
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
    /// `list`, which gets the positions that [`list_from`](twistbase_solve::CosetOptions::list_from) lists. `on` receives
    /// each result when it is stored.
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
        // What is reported is how many cosets are done.
        let (part, is_listed) = (ctx.of_part(), list.is_some());
        let mut solver = self.storing(&run.request, true, list, &part)?;
        if is_listed {
            run.request.check_list(run.expected_list())?;
        }
        self.provide_phase1(Metric::Htm, ctx)?;
        solver.lock()?;
        let (mut totals, numbers) = (CosetRunTotals::default(), run.range.numbers());
        ctx.progress().begin("cosets", numbers.len() as u64, "cosets");
        for number in numbers {
            ctx.check()?;
            let coset = coset_of_cover(number)?;
            // Before the results are asked: of most cosets there are none, and the table is in memory.
            if !solver.is_beyond(coset) && solver.known(coset)?.is_some() {
                totals.known += 1;
                ctx.progress().advance(1);
                continue;
            }
            solver.opened()?;
            if solver.is_beyond(coset) {
                totals.beyond += 1;
                ctx.progress().advance(1);
                continue;
            }
            let (representative, weights) = solver.opened()?.nearest(coset)?;
            let record = solver.solve_anew(&representative, weights.as_ref(), &mut |_| Ok(()))?;
            totals.solved += 1;
            totals.unreached += u64::from(record.falls_short());
            ctx.progress().advance(1);
            ctx.progress().make_way();
            on(&record)?;
        }
        ctx.progress().end();
        Ok(CosetRunTotals { listed: solver.finish()?, ..totals })
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
    use twistbase_solve::CosetOptions;
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
