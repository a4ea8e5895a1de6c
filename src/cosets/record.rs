//! Results about a coset.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use twistbase_puzzle::cube3::Cover;
use twistbase_puzzle::cube3::coordinate::CosetOfH;
use twistbase_solve::{CosetLevel, CosetOptions, CosetResult};
use twistbase_store::{CREATOR, seconds_since_1970};

/// The result of solving a coset.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CosetRecord {
    /// The coset, as [`CosetOfH`](twistbase_puzzle::cube3::coordinate::CosetOfH) numbers it.
    pub coset: u32,
    /// The last level to search.
    pub search_depth: u8,
    /// The last requested level.
    pub depth: u8,
    /// The search method.
    pub mode: String,
    /// Whether a prepass came before each searched level.
    pub prepass: bool,
    /// The search of the last level ended as soon as more positions than this were reached.
    pub stop_at: Option<u64>,
    /// Whether the only question was if 20 moves suffice.
    pub bound_20: bool,
    /// The cover whose weights were added up, if any were.
    pub cover: Option<String>,
    /// The levels, in order, from the first that has a position.
    pub levels: Vec<CosetLevel>,
    /// The last level to which all counts are exact, levels before the first included; `None` if not even level 0 is.
    pub exact_to: Option<u8>,
    /// Positions not reached.
    pub remaining: u64,
    /// How long it took.
    pub seconds: f64,
    /// Number of threads.
    pub threads: u32,
    /// When it was finished, in seconds since 1970.
    pub finished: u64,
    /// The program that found it.
    pub creator: String,
}

impl CosetRecord {
    /// The record of a result; `options` are those that the [solver has](twistbase_solve::CosetSolver::options).
    pub fn new(
        coset: CosetOfH,
        result: &CosetResult,
        options: &CosetOptions,
        is_weighted: bool,
        time: Duration,
    ) -> Self {
        let before_first = match result.levels.first() {
            Some(first) => first.depth.checked_sub(1),
            // Nothing was found however far it was searched.
            None => Some(options.search_depth),
        };
        Self {
            coset: coset.number(),
            search_depth: options.search_depth,
            depth: options.depth,
            mode: options.mode.name().to_owned(),
            prepass: options.prepass,
            stop_at: options.stop_at,
            bound_20: options.bound_20,
            cover: is_weighted.then(|| Cover::identity().to_owned()),
            levels: result.levels.clone(),
            exact_to: result.exact_to.or(before_first),
            remaining: result.remaining,
            seconds: time.as_secs_f64(),
            threads: rayon::current_num_threads() as u32,
            finished: seconds_since_1970(),
            creator: CREATOR.to_owned(),
        }
    }

    /// The number of its coset in the cover; `None` if the cover does without it.
    pub fn number(&self) -> Option<u32> {
        self.number_in(Cover::get())
    }

    /// Its number in a cover.
    pub(super) fn number_in(&self, cover: &Cover) -> Option<u32> {
        cover.number(CosetOfH::from_number(self.coset)?)
    }

    /// Whether its weights are those of this program's cover.
    pub(super) fn has_own_weights(&self) -> bool {
        self.cover.as_deref() == Some(Cover::identity())
    }

    /// Whether it was to show that 20 moves suffice, and does not: positions remain.
    pub fn falls_short(&self) -> bool {
        self.bound_20 && !self.is_complete()
    }

    /// Whether every position was reached: then the last level is an upper bound for all.
    pub fn is_complete(&self) -> bool {
        self.remaining == 0
    }

    /// Whether the counts of all levels to `depth` are exact: there are no positions after a complete last level.
    pub(super) fn is_exact_to(&self, depth: u8) -> bool {
        let all = self.is_complete() && self.levels.iter().all(|level| level.exact);
        all || self.exact_to.is_some_and(|exact| exact >= depth)
    }

    /// Combines two results about one coset: the better one, with the weights of the other where both are exact. Of the
    /// weights of two covers, those of this program's cover win.
    ///
    /// # Errors
    /// The contradictions between them.
    pub fn combined(self, other: Self) -> Result<Self, String> {
        self.compare(&other)?;
        let rank = |record: &Self| (record.exact_to, std::cmp::Reverse(record.remaining), record.depth);
        let (mut better, worse) = if rank(&other) > rank(&self) { (other, self) } else { (self, other) };
        let is_replaced = better.cover.is_none() || worse.has_own_weights() && !better.has_own_weights();
        if worse.cover.is_some() && (is_replaced || better.cover == worse.cover) {
            if is_replaced {
                better.levels.iter_mut().for_each(|level| level.weighted = None);
            }
            better.cover.clone_from(&worse.cover);
            for (level, other) in better
                .levels
                .iter_mut()
                .filter_map(|level| Some((worse.level(level.depth)?, level)))
                .map(|(o, l)| (l, o))
            {
                if level.exact && other.exact {
                    level.weighted = level.weighted.or(other.weighted);
                }
            }
        }
        Ok(better)
    }

    fn level(&self, depth: u8) -> Option<&CosetLevel> {
        self.levels.iter().find(|level| level.depth == depth)
    }

    /// Fails when two results cannot both be right.
    fn compare(&self, other: &Self) -> Result<(), String> {
        for (first, second) in self.levels.iter().filter_map(|level| Some((level, other.level(level.depth)?))) {
            let depth = first.depth;
            let differ = |a: Option<u64>, b: Option<u64>| a.zip(b).filter(|(a, b)| a != b);
            if first.exact && second.exact {
                if let Some((a, b)) = differ(first.positions, second.positions) {
                    return Err(format!("{a} and {b} positions at depth {depth}, both claimed exact"));
                }
                let same_cover = self.cover == other.cover;
                if let Some((a, b)) = differ(first.weighted, second.weighted).filter(|_| same_cover) {
                    return Err(format!("weighted counts of {a} and {b} at depth {depth}, both exact"));
                }
            }
            for (exact, bound) in [(first, second), (second, first)] {
                if let (true, Some(most), Some(found)) = (exact.exact, exact.total, bound.total)
                    && found > most
                {
                    return Err(format!("{found} positions to depth {depth}, but a coset has {most}"));
                }
            }
        }
        let first = |record: &Self| record.levels.first().map(|level| level.depth);
        let exact_before = |a: &Self, b: &Self| {
            // Positions where the other knows that there are none.
            first(a).is_some_and(|depth| b.exact_to.is_some_and(|to| depth <= to) && first(b).is_none_or(|b| depth < b))
        };
        if exact_before(self, other) || exact_before(other, self) {
            return Err("they begin at different depths".to_owned());
        }
        Ok(())
    }

    /// Fails when the numbers of a result do not belong together.
    #[doc(hidden)]
    pub fn check(&self) -> Result<(), String> {
        let mut before: Option<&CosetLevel> = None;
        let mut reached = Some(0u64);
        for level in &self.levels {
            let follows = before.is_none_or(|before| {
                before.depth.checked_add(1) == Some(level.depth) && (before.exact || !level.exact)
            });
            reached = reached.zip(level.positions).and_then(|(reached, more)| reached.checked_add(more));
            let adds_up = reached.is_none() || level.total == reached;
            let in_range = level.total.is_none_or(|total| total <= CosetOfH::POSITIONS) && level.depth <= self.depth;
            if !(follows && adds_up && in_range) {
                return Err(format!("the counts to depth {} do not add up", level.depth));
            }
            reached = level.total;
            before = Some(level);
        }
        let left = before.map_or(Some(0), |last| last.total).map(|total| CosetOfH::POSITIONS - total);
        if left.is_some_and(|left| left != self.remaining) || self.remaining > CosetOfH::POSITIONS {
            return Err(format!("{} remaining positions are impossible", self.remaining));
        }
        let last = self.levels.iter().filter(|level| level.exact).map(|level| level.depth).next_back();
        if last.is_some() && last != self.exact_to {
            return Err("its exact depth is wrong".to_owned());
        }
        Ok(())
    }
}

#[cfg(test)]
pub(super) mod tests;
