//! Distances of many positions to several goals, for statistics of scrambles.

use rayon::prelude::*;
use serde::Serialize;

use super::Cube3;
use super::goal::{self, Goal, KnownGoal};
use crate::position::PuzzlePosition;
use crate::puzzle_info::CUBE3;
use twistbase_core::context::Context;
use twistbase_core::error::Result;
use twistbase_puzzle::cube3::Metric;
use twistbase_query::Distance;

/// Opened tables of several goals. Distances that were asked for are remembered.
#[derive(Debug)]
pub struct GoalTables(Vec<KnownGoal>);

impl Cube3 {
    /// Opens the tables of goals, written as [`Question::goal`](crate::Question::goal): `cross`, `cross:R`, `cross:any`.
    ///
    /// ```
    /// # mod twistbase { pub use twistbase_core::*; pub use twistbase_database::{self as database, *}; pub use twistbase_puzzle::cube3::Metric; }
    /// use twistbase::database::Puzzle;
    /// use twistbase::{Context, Database, Metric};
    ///
    /// let (folder, ctx) = (tempfile::tempdir().unwrap(), Context::silent());
    /// let cube = Database::open(folder.path())?.building_missing(true).cube3();
    /// let tables = cube.goal_tables(&["eo".to_owned(), "cross:any".to_owned()], Metric::Htm, &ctx)?;
    /// assert_eq!(tables.distances(&cube.read("F R")?)?, [Some(2), Some(1)]);
    /// # Ok::<(), twistbase::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Usage`](twistbase_core::error::Error::Usage) for an unknown goal;
    /// [`Error::ForeignValue`](twistbase_core::error::Error::ForeignValue) for a goal without this metric; those of opening the tables, and of a build if the
    /// database [builds missing tables](crate::Database::building_missing).
    pub fn goal_tables(&self, goals: &[String], metric: Metric, ctx: &Context) -> Result<GoalTables> {
        let open = |asked: &String| {
            let (name, side) = goal::name_and_side(asked);
            Ok(KnownGoal::new(Goal::open(self.goals(), &name, side.as_deref(), metric, ctx)?))
        };
        Ok(GoalTables(goals.iter().map(open).collect::<Result<_>>()?))
    }
}

impl GoalTables {
    /// The distance of a position to each goal, in their order; `None` where the moves of the goal do not lead to it.
    ///
    /// # Errors
    /// Those of the tables; [`Error::Usage`](twistbase_core::error::Error::Usage) for a position of another puzzle.
    pub fn distances(&self, position: &PuzzlePosition) -> Result<Vec<Option<u8>>> {
        let cube = position.of_cube3()?;
        self.0.iter().map(|goal| Ok(goal.least(cube)?.map(Distance::moves))).collect()
    }

    /// The same of many positions on all threads: those of the first position, then those of the next.
    ///
    /// # Errors
    /// As [`Self::distances`]; [`Error::Interrupted`](twistbase_core::error::Error::Interrupted).
    pub fn distances_of_many(&self, positions: &[PuzzlePosition], ctx: &Context) -> Result<Vec<Option<u8>>> {
        let of_some = |some: &[PuzzlePosition]| {
            ctx.check()?;
            some.iter().map(|position| self.distances(position)).collect::<Result<Vec<_>>>()
        };
        let all = positions.par_chunks(1 << 10).map(of_some).collect::<Result<Vec<_>>>()?;
        Ok(all.into_iter().flatten().flatten().collect())
    }

    /// Counts of no position yet, for each goal.
    pub fn counts(&self) -> Vec<GoalCounts> {
        let none = |goal: &KnownGoal| GoalCounts {
            puzzle: CUBE3,
            goal: goal.name.clone(),
            metric: goal.metric().name(),
            positions: 0,
            mean: None,
            levels: Vec::new(),
            unreached: 0,
        };
        self.0.iter().map(none).collect()
    }
}

/// The numbers of positions at each distance from a goal: `schema/json/stats-scrambles.json`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct GoalCounts {
    /// The puzzle.
    pub puzzle: &'static str,
    /// The goal, as asked for.
    pub goal: String,
    /// The metric of distances.
    pub metric: &'static str,
    /// All positions.
    pub positions: u64,
    /// The mean distance of those that the moves of the goal lead to it; `None` without any.
    pub mean: Option<f64>,
    /// The positions at each distance, from 0 to the greatest.
    pub levels: Vec<GoalLevel>,
    /// Positions that the moves of the goal do not lead to it.
    pub unreached: u64,
}

/// The number of positions at a distance from a goal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct GoalLevel {
    /// The distance.
    pub distance: u8,
    /// The number of positions.
    pub positions: u64,
}

impl GoalCounts {
    /// Counts a position.
    pub fn add(&mut self, distance: Option<u8>) {
        self.positions += 1;
        let Some(distance) = distance else {
            self.unreached += 1;
            return;
        };
        let next = self.levels.len() as u8..=distance;
        self.levels.extend(next.map(|distance| GoalLevel { distance, positions: 0 }));
        self.levels[usize::from(distance)].positions += 1;
    }

    /// The same with the mean.
    pub fn finished(mut self) -> Self {
        let reached = self.positions - self.unreached;
        let sum: u64 = self.levels.iter().map(|level| u64::from(level.distance) * level.positions).sum();
        self.mean = (reached > 0).then(|| sum as f64 / reached as f64);
        self
    }
}
