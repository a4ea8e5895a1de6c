//! Positions of the whole cube at each distance, by the cosets of the cover that have any.

use std::time::Instant;

use serde::Serialize;

use super::report::PUZZLE;
use super::{CosetDatabase, CoverRange};
use twistbase_core::context::Context;
use twistbase_core::error::{DataError, Error, Fault, Remedy, Result};
use twistbase_levelset::Kernel;
use twistbase_puzzle::cube3::coordinate::CosetOfH;
use twistbase_puzzle::cube3::{Cover, Metric};
use twistbase_solve::{CosetMode, CosetOptions, CosetSolver, CosetWeights, TableBytes, WholeCube};
use twistbase_tables::{self as tables, Definition};

/// A coset that many moves nearer than a level has about ten million positions there, and more: a bitmap counts them in less
/// time and memory than sorting does.
const MOVES_FOR_BITMAP: u8 = 9;

/// How the positions of the whole cube are counted.
#[derive(Debug, Clone)]
pub struct CubeCount {
    /// What a move counts.
    pub metric: Metric,
    /// The cosets of the cover that are looked at. What ranges without gaps count adds up to the whole cube.
    pub range: CoverRange,
    /// The last distance, 0 to 20 moves.
    pub depth: u8,
    /// Bytes of memory to stay within, besides the table of phase 1.
    pub memory: u64,
    /// The inner step of the bitmap solver.
    pub kernel: Kernel,
}

/// The positions of the whole cube at a distance, as JSON: `schema/json/coset-count.json`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CubeLevel {
    /// "cube3".
    pub puzzle: &'static str,
    /// "htm" or "qtm".
    pub metric: &'static str,
    /// The identity of the cover.
    pub cover: &'static str,
    /// First number in the cover of the range.
    pub first: u32,
    /// The number after its last.
    pub end: u32,
    /// The distance, in moves.
    pub depth: u8,
    /// Positions at this distance, and not nearer.
    pub positions: u128,
    /// Positions up to this distance.
    pub total: u128,
    /// Cosets of the cover that have any: the others were not looked at.
    pub cosets: u64,
    /// Whether as many were published; `None` where no exact number has been, and of a part of the cover.
    pub published: Option<bool>,
    /// Time that the level took.
    pub seconds: f64,
}

impl CosetDatabase {
    /// Counts the positions of the whole cube at each distance up to a depth. Only cosets of the cover are looked at that
    /// have positions near enough; nothing is stored. `on` receives each level when it is finished.
    ///
    /// Needs the table `phase1` (`phase1-qtm` for quarter turns), for each coset within the depth four bytes, and from 9 half
    /// turns on what [`CosetSolver::working_set`] says; with less memory it does without, and takes longer. Each level takes
    /// about 13 times as long as the one before (9 times in quarter turns).
    ///
    /// # Errors
    /// Those of [`TableBytes::open`] and `on`; [`Error::Usage`] for a depth beyond 20; [`Error::Memory`] if the positions of a coset do not fit the memory;
    /// [`Error::Data`] (damaged) if a level has another number of positions than is published; [`Error::Interrupted`].
    pub fn count(&self, count: &CubeCount, ctx: &Context, on: &mut dyn FnMut(&CubeLevel) -> Result<()>) -> Result<()> {
        if usize::from(count.depth) >= LEVELS {
            return Err(Error::Usage(format!("depth {} is out of range: 0 to {}", count.depth, LEVELS - 1)));
        }
        self.provide_phase1(count.metric, ctx)?;
        let (layout, mode) = (tables::phase_one(count.metric).layout(), self.cache);
        let phase1 = TableBytes::open(&self.store, layout, mode, ctx)?;
        let numbers = count.range.numbers();
        let cube = WholeCube::new(phase1, count.metric, numbers.clone(), count.depth, ctx)?;
        let mut near = CosetsNearH { cube: &cube, count, ctx, solver: None, solved_to: None, levels: [(0, 0); LEVELS] };
        let mut total = 0;
        for depth in 0..=count.depth {
            let started = Instant::now();
            let nearest = near.solve_for(depth)?;
            let found = cube.count(depth, nearest, count.memory, ctx)?;
            let (near_positions, near_cosets) = near.level(depth);
            let positions = found.positions + near_positions;
            total += positions;
            let published = tables::known_cube(count.metric).positions.get(usize::from(depth));
            let published = published.filter(|_| count.range == CoverRange::all());
            let level = CubeLevel {
                puzzle: PUZZLE,
                metric: count.metric.name(),
                cover: Cover::identity(),
                first: numbers.start,
                end: numbers.end,
                depth,
                positions,
                total,
                cosets: found.cosets + near_cosets,
                published: published.map(|&published| u128::from(published) == positions),
                seconds: started.elapsed().as_secs_f64(),
            };
            if let Some(&published) = published.filter(|_| level.published == Some(false)) {
                return Err(not_as_published(layout.name, &level, published));
            }
            ctx.progress().make_way();
            on(&level)?;
        }
        Ok(())
    }
}

const LEVELS: usize = CosetOptions::DEEPEST as usize + 1;

/// The cosets near H, which are solved with a bitmap when a level first has many of their positions.
struct CosetsNearH<'a> {
    cube: &'a WholeCube<TableBytes>,
    count: &'a CubeCount,
    ctx: &'a Context,
    /// Made when it is first needed.
    solver: Option<CosetSolver<&'a [u8]>>,
    /// The greatest distance of those that are solved, to the last depth.
    solved_to: Option<u8>,
    /// By level: positions of the whole cube, and cosets that have any.
    levels: [(u128, u64); LEVELS],
}

impl CosetsNearH<'_> {
    /// Solves the cosets of which a level has many positions; returns the distance of the nearest that are left.
    fn solve_for(&mut self, depth: u8) -> Result<u8> {
        let first = self.solved_to.map_or(0, |solved| solved + 1);
        let is_possible =
            self.count.metric == Metric::Htm && self.count.memory >= CosetSolver::<&[u8]>::working_set(CosetMode::Fast);
        let Some(last) = depth.checked_sub(MOVES_FOR_BITMAP).filter(|_| is_possible) else { return Ok(first) };
        for distance in first..=last {
            let cosets = self.cube.cosets_at(distance);
            let stage = format!("cosets at {distance} moves from H, to {} moves", self.count.depth);
            self.ctx.progress().begin(&stage, cosets.len() as u64, "cosets");
            for &coset in cosets {
                self.solve(coset)?;
                self.ctx.progress().advance(1);
            }
            self.ctx.progress().end();
            self.solved_to = Some(distance);
        }
        Ok(last + 1)
    }

    fn solve(&mut self, coset: CosetOfH) -> Result<()> {
        let solver = match &mut self.solver {
            Some(solver) => solver,
            none => {
                let CubeCount { depth, memory, kernel, .. } = *self.count;
                let mode = CosetMode::Fast;
                let options =
                    CosetOptions { search_depth: depth, depth, mode, memory, kernel, ..CosetOptions::default() };
                none.insert(CosetSolver::new(self.cube.phase1().as_ref(), options)?)
            }
        };
        let representative = coset.representative();
        let weights = CosetWeights::of_cover(&representative);
        let result = solver.solve(&representative, weights.as_ref(), &self.ctx.of_part(), &mut |_| Ok(()))?;
        for level in &result.levels {
            let (positions, cosets) = &mut self.levels[usize::from(level.depth)];
            *positions += u128::from(level.weighted.unwrap_or_default());
            *cosets += 1;
        }
        Ok(())
    }

    /// What those that are solved have at a level.
    fn level(&self, depth: u8) -> (u128, u64) {
        self.levels[usize::from(depth)]
    }
}

/// The error for a level that came out otherwise than it was published.
fn not_as_published(table: &str, level: &CubeLevel, published: u64) -> Error {
    let CubeLevel { depth, positions, .. } = level;
    let why = "check the table, and the memory of this machine";
    let detail =
        format!("found {positions} positions of the cube at {depth} moves, but {published} are published: {why}");
    let remedy = Remedy::Verify { tables: Box::new([if table == "phase1" { "phase1" } else { "phase1-qtm" }]) };
    DataError::new(Fault::Damaged, table, detail, remedy).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each is larger than the one before, and at most that times the moves.
    #[test]
    fn published_numbers_are_plausible() {
        for (metric, moves) in [(Metric::Htm, 18), (Metric::Qtm, 12)] {
            let published = tables::known_cube(metric).positions;
            assert!(published.windows(2).all(|pair| pair[0] < pair[1] && pair[1] <= moves * pair[0]));
        }
    }
}
