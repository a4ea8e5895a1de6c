//! The search for a cover: sets of classes of edge orientations and middle edges' places of which each position or its
//! inverse has one along some axis.
//!
//! `schema/decisions/coset-cover.md` says what the problem is, and what was tried.

mod cells;

use std::collections::HashMap;

use rayon::prelude::*;

use twistbase_core::context::Context;
use twistbase_core::error::{Error, Result};
use twistbase_core::math::hitting_set::{Cooling, HittingSets};
use twistbase_puzzle::cube3::coordinate::{AxisClasses, Crossings, FlipSliceClasses};
use twistbase_puzzle::cube3::{CoverClasses, class_costs};

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
    CoolingStage { exchanges: Exchanges::All, from: 3.0, to: 0.05, share: 50 },
    CoolingStage { exchanges: Exchanges::Square, from: 0.4, to: 0.03, share: 5 },
    CoolingStage { exchanges: Exchanges::Opposite, from: 0.3, to: 0.03, share: 15 },
    CoolingStage { exchanges: Exchanges::None, from: 0.25, to: 0.03, share: 30 },
];
/// The steps of the first stage are those of so many searches: one from nothing, the others from the best so far, and less hot.
/// Where one ends depends on chance more than on how long it takes.
const FIRST_SEARCHES: u64 = 32;
const HEATED_AGAIN: f64 = 0.4;
/// What tells the seeds of stages and starts apart: 2^64 divided by the golden ratio.
const SEEDS_APART: u64 = 0x9E37_79B9_7F4A_7C15;

/// A search for a cover with few cosets.
#[derive(Debug, Clone)]
pub struct CoverSearch {
    /// Steps of each start: so many times a class is looked at.
    pub steps: u64,
    /// The best of this number of searches is taken. They run beside each other.
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
        let no_start = || Error::Usage("a search needs at least one start".to_owned());
        if self.starts == 0 {
            return Err(no_start());
        }
        let triples = Triples::new();
        let stages = if self.from.is_some() { &STAGES[STAGES.len() - 1..] } else { &STAGES[..] };
        let stages: Vec<_> = stages.iter().map(|stage| (stage, stage.exchanges.cells())).collect();
        ctx.progress().begin("searching", self.steps.saturating_mul(self.starts.into()), "steps");
        let found: Vec<CoverClasses> = (0..self.starts)
            .into_par_iter()
            .map(|start| self.one(start, &triples, &stages, ctx))
            .collect::<Result<_>>()?;
        ctx.progress().end();
        found.into_iter().min_by_key(CoverClasses::cosets).ok_or_else(no_start)
    }

    fn one(
        &self,
        start: u32,
        triples: &Triples,
        stages: &[(&CoolingStage, (Vec<u32>, usize))],
        ctx: &Context,
    ) -> Result<CoverClasses> {
        let mut chosen =
            self.from.as_ref().map_or_else(|| vec![false; FlipSliceClasses::COUNT], CoverClasses::to_bools);
        let shares: u64 = stages.iter().map(|(stage, _)| stage.share).sum();
        let mut check = |steps| {
            ctx.progress().advance(steps);
            ctx.check()
        };
        for (number, (stage, (cells, count))) in (0..).zip(stages) {
            let cooling = Cooling { from: stage.from, to: stage.to, steps: self.steps / shares * stage.share };
            let seed = (u64::from(start) * STAGES.len() as u64 + number).wrapping_mul(SEEDS_APART) ^ self.seed;
            let closure = closure(&chosen, cells, *count);
            let found = if stage.exchanges == Exchanges::All {
                let problem = triples.of_crossings(cells, *count);
                let mut cooling = Cooling { steps: cooling.steps / FIRST_SEARCHES, ..cooling };
                let mut best = problem.search(&closure, cooling, seed, &mut check)?;
                cooling.from = HEATED_AGAIN;
                for search in 1..FIRST_SEARCHES {
                    let found = problem.search(&best, cooling, seed.wrapping_add(search), &mut check)?;
                    if problem.cost(&found) <= problem.cost(&best) {
                        best = found;
                    }
                }
                best
            } else {
                let problem = triples.of_classes(&triples.required(&chosen), cells, *count);
                problem.search(&closure, cooling, seed, &mut check)?
            };
            chosen = cells.iter().map(|&cell| found[cell as usize]).collect();
        }
        Ok(CoverClasses::of_bools(&chosen).thinned_out())
    }
}

/// The cells that have a class of the set.
fn closure(chosen: &[bool], cells: &[u32], count: usize) -> Vec<bool> {
    let mut closure = vec![false; count];
    cells.iter().zip(chosen).filter(|&(_, &is_in)| is_in).for_each(|(&cell, _)| closure[cell as usize] = true);
    closure
}

/// The classes of every position along the three axes, with the crossings of its edges.
///
/// A set is a cover if of all crossings or those of the inverse it meets every triple.
struct Triples {
    /// Each with the number of the crossings.
    triples: Vec<([u32; 3], usize)>,
    /// By number of the crossings, those of the inverse.
    inverses: Vec<usize>,
}

impl Triples {
    fn new() -> Self {
        let axes = AxisClasses::get();
        let of_class = |class: u16| {
            (0..AxisClasses::ARRANGEMENTS).map(move |number| {
                let [second, third] = axes.others(class, number);
                let mut triple = [class, second, third].map(u32::from);
                triple.sort_unstable();
                (triple, axes.crossings(class, number))
            })
        };
        let mut triples: Vec<_> = (0..FlipSliceClasses::COUNT as u16).into_par_iter().flat_map_iter(of_class).collect();
        triples.par_sort_unstable();
        triples.dedup();
        let mut all: Vec<Crossings> = triples.iter().map(|&(_, crossings)| crossings).collect();
        all.sort_unstable();
        all.dedup();
        let numbers: HashMap<Crossings, usize> = all.iter().copied().zip(0..).collect();
        Self {
            inverses: all.iter().map(|crossings| numbers[&crossings.inverse()]).collect(),
            triples: triples.into_iter().map(|(triple, crossings)| (triple, numbers[&crossings])).collect(),
        }
    }

    /// The problem for sets that are closed under exchanges within layers: `cells` of these are the same in all triples with
    /// the same crossings.
    fn of_crossings(&self, cells: &[u32], count: usize) -> HittingSets<6> {
        let mut sets = vec![[0; 3]; self.inverses.len()];
        self.triples
            .iter()
            .for_each(|&(triple, crossings)| sets[crossings] = triple.map(|class| cells[class as usize]));
        let with_inverse = sets.iter().zip(&self.inverses).map(|(set, &inverse)| {
            let mut both = [0; 6];
            both[..3].copy_from_slice(set);
            both[3..].copy_from_slice(&sets[inverse]);
            both
        });
        HittingSets::new(costs(cells, count), with_inverse)
    }

    /// The problem for sets of cells that meet the triples with the crossings that are required.
    fn of_classes(&self, required: &[bool], cells: &[u32], count: usize) -> HittingSets<3> {
        let triples = self.triples.iter().filter(|&&(_, crossings)| required[crossings]);
        HittingSets::new(costs(cells, count), triples.map(|(triple, _)| triple.map(|class| cells[class as usize])))
    }

    /// Of all crossings and their inverse one: with fewer triples that a set of classes does not meet, then with fewer that one
    /// class alone meets. By crossings.
    fn required(&self, chosen: &[bool]) -> Vec<bool> {
        let mut met = vec![[0u32; 2]; self.inverses.len()];
        for &(triple, crossings) in &self.triples {
            // A class that is there twice meets the triple once: they are in rising order.
            let is_chosen =
                |&place: &usize| chosen[triple[place] as usize] && (place == 0 || triple[place] != triple[place - 1]);
            if let Some(met) = met[crossings].get_mut((0..3).filter(is_chosen).count()) {
                *met += 1;
            }
        }
        let rank = |crossings: usize| (met[crossings], crossings);
        self.inverses.iter().enumerate().map(|(own, &inverse)| rank(own) <= rank(inverse)).collect()
    }
}

/// Cosets of each cell: those of its classes.
fn costs(cells: &[u32], count: usize) -> Vec<u32> {
    let mut costs = vec![0; count];
    cells.iter().zip(class_costs()).for_each(|(&cell, &cost)| costs[cell as usize] += u32::from(cost));
    costs
}

#[cfg(test)]
mod tests {
    use super::*;

    /// On one thread and on two, which finds the same cover, and from it to one with fewer cosets.
    #[test]
    #[ignore = "tier two: millions of steps"]
    fn full_searches_are_repeatable_and_go_on() {
        let steps = 3_000_000;
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
        assert!(better.cosets() < found.cosets(), "{} {}", better.cosets(), found.cosets());
    }
}
