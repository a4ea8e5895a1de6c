//! The state of a search between two levels.

use serde::{Deserialize, Serialize};

use crate::orientation::moves::OrientationSpace;
use crate::orientation::pull::{PreparedSpace, PullableOrientations};
use crate::orientation::representation::{Frontier, OrientationPlanes, OrientationSet, PartMarks};
use crate::row_store::RowStore;
use twistbase_core::context::Context;
use twistbase_core::error::Result;
use twistbase_core::memory::Zeroed;
use twistbase_core::simd::in_wide_registers;

use super::enter::EnterFound;

/// A state at distance 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct OrientationSeed {
    /// Its row.
    pub row: u32,
    /// Its part of the row.
    pub part: u32,
    /// Its group of the part.
    pub group: u32,
    /// The number of its edge orientation.
    pub orientations: u16,
}

/// A level, with its code and that of the level it is pulled from.
#[derive(Clone, Copy)]
pub(super) struct LevelCodes {
    pub(super) level: u8,
    /// The code of the states to pull from.
    pub(super) from: u8,
    /// The code of the states found.
    pub(super) to: u8,
}

impl LevelCodes {
    /// A level that is pulled from the one before it.
    pub(super) fn after_last<S: OrientationSet, const P: usize>(level: u8) -> Self {
        let code = OrientationPlanes::<S, P>::code;
        Self { level, from: code(level - 1), to: code(level) }
    }
}

/// The search between two levels.
pub(super) struct OrientationSearch<'a, S: PullableOrientations, const P: usize> {
    pub(super) prepared: PreparedSpace<'a, S>,
    pub(super) rows: RowStore<S>,
    /// Where the states of the last level are, to be pulled from.
    pub(super) frontier: Frontier,
    /// The parts that get states of the next level.
    pub(super) next: PartMarks,
    /// Number of states by row and level.
    pub(super) counts: Vec<Vec<u64>>,
    /// What the rows of a batch found, and how many states by part.
    pub(super) found: Zeroed<S>,
    pub(super) fresh: Vec<u32>,
}

impl<'a, S: PullableOrientations, const P: usize> OrientationSearch<'a, S, P> {
    /// A search that pulls batches of `at_once` rows.
    pub(super) fn new(space: &'a OrientationSpace<S>, rows: RowStore<S>, at_once: usize) -> Result<Self> {
        let shape = space.shape();
        Ok(Self {
            prepared: PreparedSpace::new(space),
            rows,
            frontier: Frontier::new(shape.rows, shape.parts),
            next: PartMarks::new(shape.rows, shape.parts),
            counts: vec![Vec::new(); shape.rows],
            found: Zeroed::new(at_once * shape.blocks())?,
            fresh: vec![0; at_once * shape.parts],
        })
    }

    /// Enters the seeds at level 0.
    pub(super) fn start(&mut self, seeds: &[OrientationSeed]) -> Result<()> {
        self.counts.iter_mut().for_each(|counts| counts.push(0));
        seeds.iter().try_for_each(|seed| self.enter_seed(seed))
    }

    fn enter_seed(&mut self, seed: &OrientationSeed) -> Result<()> {
        let shape = self.prepared.space.shape();
        let (row, part) = (seed.row as usize, seed.part as usize);
        let block = part * shape.groups + seed.group as usize;
        self.rows.bring(&[row])?;
        let planes: &[OrientationPlanes<S, P>] = shape.blocks_of(self.rows.row(row));
        if planes[block].level(seed.orientations).is_some() {
            return Ok(());
        }
        let found = &mut self.found[..shape.blocks()];
        found.fill(S::EMPTY);
        found[block].insert(seed.orientations);
        let mut parts = PartMarks::new(1, shape.parts);
        parts.insert(0, part);
        let codes = LevelCodes { level: 0, from: 0, to: OrientationPlanes::<S, P>::code(0) };
        for sets in self.rows.rows_mut(&[row]) {
            in_wide_registers(EnterFound::<S, P>::new(shape, codes, sets, found, parts.row(0)));
        }
        self.frontier.insert(row, part);
        self.counts[row][0] += 1;
        Ok(())
    }

    /// Gives the level to every unreached state next to those of the code to pull from.
    ///
    /// Rows are pulled in batches: first what they find, with the planes only read, then the planes.
    pub(super) fn pull(&mut self, codes: LevelCodes, ctx: &Context) -> Result<()> {
        let shape = *self.prepared.space.shape();
        ctx.progress().begin(&format!("level {}", codes.level), shape.rows as u64, "rows");
        let at_once = self.found.len() / shape.blocks();
        self.next.clear();
        for first in (0..shape.rows).step_by(at_once) {
            ctx.check()?;
            let rows = first..shape.rows.min(first + at_once);
            self.pull_batch(rows.clone(), codes)?;
            ctx.progress().advance(rows.len() as u64);
        }
        std::mem::swap(&mut self.frontier.parts, &mut self.next);
        for (live, counts) in self.frontier.live.iter_mut().zip(&self.counts) {
            *live = counts.last().is_some_and(|&count| count > 0);
        }
        Ok(())
    }
}
