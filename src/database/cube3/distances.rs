//! Distances of many positions to several goals, for statistics of scrambles.

use std::collections::HashSet;
use std::sync::Arc;

use rayon::prelude::*;
use serde::Serialize;

use super::Cube3;
use super::choice::CubeTables;
use super::goal::{self, Goal, KnownGoal, SIDES};
use crate::position::PuzzlePosition;
use crate::puzzle_info::CUBE3;
use twistbase_core::context::Context;
use twistbase_core::error::{Error, Result};
use twistbase_puzzle::cube3::{Cube, Face, Metric, Symmetry};

/// Domino reduction by all moves. Its table has a kind of its own.
pub(super) const DR: &str = "dr";

/// Opened tables of several goals. Distances that were asked for are remembered.
#[derive(Debug)]
pub struct GoalTables(Vec<AskedGoal>);

/// A goal, and the ways to see it.
#[derive(Debug)]
struct AskedGoal {
    name: String,
    table: GoalTable,
    views: Vec<Symmetry>,
}

/// The distances to a goal.
#[derive(Debug)]
pub(super) enum GoalTable {
    Known(Box<KnownGoal>),
    DominoReduction(Arc<CubeTables>),
}

impl GoalTable {
    /// Opens the table of a goal, with the ways to see it from a side.
    ///
    /// # Errors
    /// [`Error::Usage`] for an unknown goal or side; those of opening the table.
    pub(super) fn open(cube: &Cube3, name: &str, side: Option<&str>, ctx: &Context) -> Result<(Self, Vec<Symmetry>)> {
        if name == DR {
            let (_, _, mut views) = goal::find("dr-from-eo", side)?;
            let table = Self::DominoReduction(cube.open_domino_reduction(ctx)?);
            // Of the ways to see an axis, one.
            let mut axes = HashSet::new();
            views.retain(|&view| axes.insert(table.faces(view)));
            return Ok((table, views));
        }
        if !goal::is_named(name) {
            let all: Vec<_> = [DR].into_iter().chain(goal::names()).collect();
            return Err(Error::Usage(format!("there is no goal {name:?} of {CUBE3}; choose from: {}", all.join(", "))));
        }
        let goal = Goal::open(cube, name, side, ctx)?;
        let views = goal.views.clone();
        Ok((Self::Known(Box::new(KnownGoal::new(goal))), views))
    }

    /// The faces that name the side from which it is seen.
    pub(super) fn faces(&self, view: Symmetry) -> Vec<Face> {
        match self {
            Self::Known(goal) => goal.faces(view),
            Self::DominoReduction(_) => {
                let is_up_or_down = |face: &Face| [Face::U, Face::D].contains(&view.of_face(*face));
                SIDES.into_iter().filter(is_up_or_down).collect()
            }
        }
    }

    /// The distance of a cube as it is seen from a side; `None` where the moves of the goal do not lead to it.
    pub(super) fn distance(&self, view: Symmetry, cube: &Cube) -> Result<Option<u8>> {
        match self {
            Self::Known(goal) => Ok(goal.seen_from(view, cube)?.map(|seen| seen.distance.moves())),
            Self::DominoReduction(tables) => {
                let table = tables.to_h.as_ref().expect("opened for it");
                Ok(Some(table.distance(&view.of(cube))?.moves()))
            }
        }
    }
}

impl AskedGoal {
    fn open(cube: &Cube3, asked: &str, ctx: &Context) -> Result<Self> {
        let (name, side) = goal::name_and_side(asked);
        let (table, views) = GoalTable::open(cube, name, side, ctx)?;
        Ok(Self { name: asked.to_owned(), table, views })
    }

    /// The least distance of a cube, from any of the sides.
    fn distance(&self, cube: &Cube) -> Result<Option<u8>> {
        let mut distances = self.views.iter().map(|&view| self.table.distance(view, cube));
        distances.try_fold(None::<u8>, |least, next| Ok(least.into_iter().chain(next?).min()))
    }
}

impl Cube3 {
    /// Opens the tables of goals, written as [`Question::goal`](crate::Question::goal): `cross`, `cross:R`, `cross:any`. Also `dr`, domino
    /// reduction by all moves.
    ///
    /// ```
    /// # mod twistbase { pub use twistbase_core::*; pub use twistbase_database::{self as database, *}; }
    /// use twistbase::database::Puzzle;
    /// use twistbase::{Context, Database};
    ///
    /// let (folder, ctx) = (tempfile::tempdir().unwrap(), Context::silent());
    /// let cube = Database::open(folder.path())?.building_missing(true).cube3();
    /// let tables = cube.goal_tables(&["eo".to_owned(), "cross:any".to_owned()], &ctx)?;
    /// assert_eq!(tables.distances(&cube.read("F R")?)?, [Some(2), Some(1)]);
    /// # Ok::<(), twistbase::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Usage`] for an unknown goal; those of opening the tables, and of a build if the database
    /// [builds missing tables](crate::Database::building_missing).
    pub fn goal_tables(&self, goals: &[String], ctx: &Context) -> Result<GoalTables> {
        Ok(GoalTables(goals.iter().map(|goal| AskedGoal::open(self, goal, ctx)).collect::<Result<_>>()?))
    }
}

impl GoalTables {
    /// The distance of a position to each goal, in their order; `None` where the moves of the goal do not lead to it.
    ///
    /// # Errors
    /// Those of the tables; [`Error::Usage`] for a position of another puzzle.
    pub fn distances(&self, position: &PuzzlePosition) -> Result<Vec<Option<u8>>> {
        let cube = position.of_cube3()?;
        self.0.iter().map(|goal| goal.distance(cube)).collect()
    }

    /// The same of many positions on all threads: those of the first position, then those of the next.
    ///
    /// # Errors
    /// As [`Self::distances`]; [`Error::Interrupted`].
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
        let none = |goal: &String| GoalCounts {
            puzzle: CUBE3,
            goal: goal.clone(),
            metric: Metric::Htm.name(),
            positions: 0,
            mean: None,
            levels: Vec::new(),
            unreached: 0,
        };
        self.0.iter().map(|goal| none(&goal.name)).collect()
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
