//! The search for a cover: sets of classes of edge orientations and middle edges' places of which each position has one
//! along some axis.
//!
//! `schema/decisions/coset-cover.md` says what the problem is, and what was tried.

mod cells;

use rayon::prelude::*;

use crate::context::Context;
use crate::error::{Error, Result};
use crate::math::hitting_set::{Cooling, HittingSets};
use crate::puzzle::cube3::coordinate::{AxisClasses, FlipSliceClasses};
use crate::puzzle::cube3::{CoverClasses, class_costs};

use cells::Exchanges;

/// A stage of the search: which exchanges the set is closed under, how it cools down, and its share of the steps in per
/// cent.
struct CoolingStage {
    exchanges: Exchanges,
    from: f64,
    to: f64,
    share: u64,
}

/// From sets that all exchanges within a layer keep to any: each stage begins with what the one before found.
const STAGES: [CoolingStage; 4] = [
    CoolingStage { exchanges: Exchanges::All, from: 3.0, to: 0.05, share: 10 },
    CoolingStage { exchanges: Exchanges::Square, from: 0.4, to: 0.03, share: 15 },
    CoolingStage { exchanges: Exchanges::Opposite, from: 0.3, to: 0.03, share: 25 },
    CoolingStage { exchanges: Exchanges::None, from: 0.25, to: 0.03, share: 50 },
];
/// What tells the seeds of stages and starts apart: 2^64 divided by the golden ratio.
const SEEDS_APART: u64 = 0x9E37_79B9_7F4A_7C15;

/// A search for a cover with few cosets.
#[derive(Debug, Clone)]
pub struct CoverSearch {
    /// Steps of each start: so many times a class is looked at.
    pub steps: u64,
    /// The best of so many searches is taken. They run beside each other.
    pub starts: u32,
    /// What decides where they lead, with the numbers of steps and starts and nothing else.
    pub seed: u64,
    /// A set to begin with, which only the last stage changes.
    pub from: Option<CoverClasses>,
}

impl CoverSearch {
    /// Searches on the threads of rayon's pool; of covers with the same number of cosets that of the first start is
    /// taken.
    ///
    /// # Errors
    /// [`Error::Interrupted`]; [`Error::Usage`] if there is no start.
    pub fn run(&self, ctx: &Context) -> Result<CoverClasses> {
        let triples = HittingSets::new(class_costs().iter().map(|&cost| u32::from(cost)).collect(), triples());
        let stages = if self.from.is_some() { &STAGES[STAGES.len() - 1..] } else { &STAGES[..] };
        let prepared: Vec<_> =
            stages.iter().map(|stage| (stage, MergedCells::new(&triples, stage.exchanges))).collect();
        ctx.progress().begin("searching", self.steps * u64::from(self.starts), "steps");
        let found: Vec<CoverClasses> =
            (0..self.starts).into_par_iter().map(|start| self.one(start, &prepared, ctx)).collect::<Result<_>>()?;
        ctx.progress().end();
        let least = found.into_iter().min_by_key(CoverClasses::cosets);
        least.ok_or_else(|| Error::Usage("a search needs at least one start".to_owned()))
    }

    fn one(&self, start: u32, stages: &[(&CoolingStage, MergedCells)], ctx: &Context) -> Result<CoverClasses> {
        let mut chosen =
            self.from.as_ref().map_or_else(|| vec![false; FlipSliceClasses::COUNT], CoverClasses::to_bools);
        let shares: u64 = stages.iter().map(|(stage, _)| stage.share).sum();
        for (number, (stage, merged)) in (0..).zip(stages) {
            let cooling = Cooling { from: stage.from, to: stage.to, steps: self.steps / shares * stage.share };
            let seed = (u64::from(start) * STAGES.len() as u64 + number).wrapping_mul(SEEDS_APART) ^ self.seed;
            chosen = merged.search(&chosen, cooling, seed, &mut |steps| {
                ctx.progress().advance(steps);
                ctx.check()
            })?;
        }
        Ok(CoverClasses::of_bools(&chosen))
    }
}

/// The problem for sets that are closed under exchanges.
struct MergedCells {
    problem: HittingSets,
    cells: Vec<u32>,
    count: usize,
}

impl MergedCells {
    fn new(triples: &HittingSets, exchanges: Exchanges) -> Self {
        let (cells, count) = exchanges.cells();
        Self { problem: triples.merged(&cells, count), cells, count }
    }

    /// Searches from the closure of a set.
    fn search(
        &self,
        chosen: &[bool],
        cooling: Cooling,
        seed: u64,
        check: &mut dyn FnMut(u64) -> Result<()>,
    ) -> Result<Vec<bool>> {
        let mut closure = vec![false; self.count];
        self.cells.iter().zip(chosen).filter(|&(_, &is_in)| is_in).for_each(|(&cell, _)| closure[cell as usize] = true);
        let found = self.problem.search(&closure, cooling, seed, check)?;
        Ok(self.cells.iter().map(|&cell| found[cell as usize]).collect())
    }
}

/// The classes of every position along the three axes.
fn triples() -> Vec<[u32; 3]> {
    let axes = AxisClasses::get();
    let of_class = |class: u16| {
        (0..AxisClasses::ARRANGEMENTS).map(move |number| {
            let [second, third] = axes.others(class, number);
            [class, second, third].map(u32::from)
        })
    };
    (0..FlipSliceClasses::COUNT as u16).flat_map(of_class).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A few sweeps find a cover, the same on one thread and on two, and more sweeps a better one.
    /// Searches on one thread and on two, and goes on from what was found: how many cosets each cover has.
    fn search_and_go_on(steps: u64) -> [u64; 2] {
        let search = CoverSearch { steps, starts: 2, seed: 7, from: None };
        let on = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| search.run(&Context::silent())).unwrap()
        };
        let found = on(1);
        assert!(found.is_cover() && found == on(2));
        let from = CoverClasses::from_bytes(found.as_bytes()).unwrap();
        let more = CoverSearch { steps, starts: 1, seed: 8, from: Some(from) };
        let better = more.run(&Context::silent()).unwrap();
        assert!(better.is_cover());
        [found.cosets(), better.cosets()]
    }

    #[test]
    fn searches_are_repeatable_and_go_on() {
        let [found, better] = search_and_go_on(300_000);
        assert!(better <= found, "{better} {found}");
    }

    #[test]
    #[ignore = "long suite: millions of steps"]
    fn longer_searches_are_repeatable_and_go_on() {
        let [found, better] = search_and_go_on(3_000_000);
        assert!(better < found, "{better} {found}");
    }
}
