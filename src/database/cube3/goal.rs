//! Goals of the cubes other than solved: the cross, oriented edges, a block; a face of the 2×2×2.
//!
//! A goal is a puzzle that is data, whose table holds the distances. Domino reduction by all moves is in `phase1`. A goal is for the cube
//! held in one way. Seen from another side, the position is turned first, and the moves of its solutions are turned back. Sides of the
//! 2×2×2 are colours: they are exchanged, and the cube is turned about until its corner DBL is in place.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::ops::Deref;
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use super::choice::{CubeTables, TableChoice};
use super::pattern::SearchedGoal;
use super::tables::tables_to_h;
use crate::answers::table::{TableAnswer, TableSolution};
use crate::answers::{Answer, FromSolved, Solution};
use crate::defined::{OpenedDefined, SharedTable};
use crate::lines::Portion;
use crate::look_up::LookUpSolver;
use crate::metric::QuestionMetric;
use crate::opened::OpenedTables;
use crate::position::PuzzlePosition;
use crate::puzzle::{Detail, Prepared, Question, Solutions, Solver, count_of};
use crate::puzzle_info::{CUBE2, CUBE3, no_goal, noun_with_goal};
use crate::solving::SolveRequest;
use crate::{Database, TableId};
use rand::SeedableRng;
use rand::seq::IndexedRandom;
use rand_chacha::ChaCha8Rng;
use twistbase_cache::CachedTable;
use twistbase_core::context::Context;
use twistbase_core::error::{Error, Fault, InvalidInput, Problem, Result};
use twistbase_definition::{SpacePosition, Turn};
use twistbase_puzzle::cube2::{by_free_faces, seen_with_colours};
use twistbase_puzzle::cube3::{Cube, Face, Metric, Move, MoveSequence, Symmetry};
use twistbase_query::cube3::Cosets;
use twistbase_query::{DefinedDistances, Distance};
use twistbase_solve::HalfTurnReduction;
use twistbase_store::TableLayout;
use twistbase_tables::{
    self as tables, CubeGoal, DOMINO_REDUCTION, DefinedTable, Definition, TableMetric, cube2_position,
};

/// Faces in the order of the names of sides.
pub(super) const SIDES: [Face; 6] = [Face::U, Face::D, Face::F, Face::B, Face::R, Face::L];

/// Half-turn reduction by all moves. It has no table: a search finds the distance.
pub(super) const HTR: &str = "htr";

/// The side that is the nearest of all.
pub(super) const ANY_SIDE: &str = "any";

/// The names of the goals of a cube other than solved.
pub(crate) fn names(puzzle: &str) -> impl Iterator<Item = &'static str> {
    all(puzzle, Metric::Htm).map(|(_, goal)| goal.name).chain((puzzle == CUBE3).then_some(HTR))
}

/// Whether a text is meant as one of those of the Rubik's cube, not as a position.
pub(super) fn is_named(goal: &str) -> bool {
    let (asked, _) = name_and_side(goal);
    names(CUBE3).any(|name| name == asked)
}

/// The name of a goal, and the side that follows it, in the usual case: `CROSS:r` is `cross:R`.
pub(super) fn name_and_side(goal: &str) -> (String, Option<String>) {
    let (name, side) = goal.split_once(':').map_or((goal, None), |(name, side)| (name, Some(side.trim())));
    let in_usual_case = |side: &str| match side.to_ascii_lowercase() {
        any if any == ANY_SIDE => any,
        _ => side.to_ascii_uppercase(),
    };
    (name.trim().to_ascii_lowercase(), side.map(in_usual_case))
}

/// A goal as it is named.
fn with_side(name: &str, side: Option<&str>) -> String {
    side.map_or_else(|| name.to_owned(), |side| format!("{name}:{side}"))
}

/// The tables that goals of a cube have of their own, in all metrics.
pub(crate) fn table_ids(puzzle: &str) -> impl Iterator<Item = TableId> {
    let of_goals = [Metric::Htm, Metric::Qtm].into_iter().flat_map(move |metric| goals(puzzle, metric));
    of_goals.map(|(table, _)| TableId::from(table as &'static dyn Definition))
}

/// The goals that have a table of their own in a metric.
pub(super) fn goals(puzzle: &str, metric: Metric) -> impl Iterator<Item = (&'static DefinedTable, &'static CubeGoal)> {
    let all = tables::defined_tables().filter_map(|table| table.cube_goal().map(|goal| (table, goal)));
    all.filter(move |(_, goal)| goal.puzzle == puzzle && goal.metric == metric)
}

/// All goals of a cube in a metric, with their own tables.
fn all(puzzle: &str, metric: Metric) -> impl Iterator<Item = (Option<&'static DefinedTable>, &'static CubeGoal)> {
    let others = [(None, &DOMINO_REDUCTION)].into_iter().filter(move |(_, goal)| goal.puzzle == puzzle);
    goals(puzzle, metric).map(|(table, goal)| (Some(table), goal)).chain(others)
}

/// The rotations after which a cube is held as the goal wants it.
fn views(goal: &CubeGoal, held: Option<&str>) -> Option<Vec<Symmetry>> {
    let Some(held) = held else { return Some(vec![Symmetry::IDENTITY]) };
    let faces: Option<Vec<Face>> = held.chars().map(Face::from_letter).collect();
    Some(match *faces.unwrap_or_default() {
        _ if held == ANY_SIDE => Symmetry::rotations().collect(),
        [face] => Symmetry::rotations().filter(|rotation| rotation.of_face(face) == goal.face).collect(),
        [face, other] if other == face.opposite() => {
            let axis = [goal.face, goal.face.opposite()];
            Symmetry::rotations().filter(|rotation| axis.contains(&rotation.of_face(face))).collect()
        }
        [first, second, third] => {
            let at: BTreeSet<Face> = goal.corner()?.into();
            let is_there =
                |rotation: &Symmetry| at == BTreeSet::from([first, second, third].map(|face| rotation.of_face(face)));
            Some(Symmetry::rotations().filter(is_there).collect()).filter(|views: &Vec<_>| !views.is_empty())?
        }
        _ => return None,
    })
}

/// What a goal is, with its own table if it has one, and the rotations after which a cube is held as the goal wants it.
///
/// # Errors
/// [`Error::Usage`] that lists the goals, or says how a side is written; [`Error::ForeignValue`] for a metric that the goal does not have.
fn find(puzzle: &str, name: &str, side: Option<&str>, metric: Metric) -> Result<FoundGoal> {
    if puzzle == CUBE3 && name == HTR {
        let why = "the goal htr has no table: query and solve search for it; htr-from-dr has one";
        return Err(Error::Usage(why.to_owned()));
    }
    let named = |metric| all(puzzle, metric).find(|(_, of)| of.name == name);
    named(Metric::Htm).ok_or_else(|| no_goal(puzzle, name))?;
    let (table, of) = named(metric).ok_or_else(|| foreign_metric(metric.name(), format!("the goal {name}"), "htm"))?;
    let views = views(of, side).ok_or_else(|| {
        let side = side.unwrap_or_default();
        let corner = of.corner().map(|_| format!(", {name}:DBL for a corner")).unwrap_or_default();
        Error::Usage(format!(
            "the goal {:?} has {side:?} for a side: write {name}:R for a face, {name}:UD for an axis{corner}, {name}:any for the \
             nearest of all sides",
            format!("{name}:{side}")
        ))
    })?;
    Ok((table, of, views))
}

type FoundGoal = (Option<&'static DefinedTable>, &'static CubeGoal, Vec<Symmetry>);

/// Half-turn reduction by all moves, as asked for. It looks alike from all sides.
#[derive(Debug)]
struct HalfTurnGoal {
    name: String,
    reduction: HalfTurnReduction<ToH>,
}

/// Whether a goal is half-turn reduction by all moves.
///
/// # Errors
/// [`Error::Usage`] for a wrong side.
pub(super) fn is_half_turns(goal: &str) -> Result<bool> {
    let (name, side) = name_and_side(goal);
    // Sides are written as those of domino reduction.
    if name != HTR {
        return Ok(false);
    }
    find(CUBE3, DOMINO_REDUCTION.name, side.as_deref(), Metric::Htm).map(|_| true)
}

/// Opens half-turn reduction by all moves.
///
/// # Errors
/// Those of opening the table of moves to H.
pub(super) fn half_turns(opened: &OpenedGoals, goal: &str, ctx: &Context) -> Result<Box<dyn SearchedGoal>> {
    let (name, side) = name_and_side(goal);
    let reduction = HalfTurnReduction::over(opened.to_h(Metric::Htm, ctx)?);
    Ok(Box::new(HalfTurnGoal { name: with_side(&name, side.as_deref()), reduction }))
}

impl SearchedGoal for HalfTurnGoal {
    fn name(&self) -> &str {
        &self.name
    }

    fn solutions(&self, cube: &Cube, _: &str, count: usize, ctx: &Context) -> Result<Vec<MoveSequence>> {
        let found = self.reduction.solutions(cube, count == 1, ctx)?;
        Ok(found.into_iter().take(count).map(|moves| MoveSequence::new(moves).canonical()).collect())
    }
}

/// The metric of a question about a goal.
///
/// # Errors
/// [`Error::ForeignValue`] for one that cubes do not have.
pub(super) fn metric_of(metric: Option<QuestionMetric>, of: &str) -> Result<Metric> {
    match metric {
        None | Some(QuestionMetric::Htm) => Ok(Metric::Htm),
        Some(QuestionMetric::Qtm) => Ok(Metric::Qtm),
        Some(foreign) => Err(foreign_metric(foreign.name(), of.to_owned(), "htm, qtm")),
    }
}

/// The metric of a question about a goal that has one alone.
///
/// # Errors
/// [`Error::ForeignValue`] for another one.
pub(super) fn only_half_turns(metric: Option<QuestionMetric>, of: &str) -> Result<Metric> {
    match metric {
        None | Some(QuestionMetric::Htm) => Ok(Metric::Htm),
        Some(foreign) => Err(foreign_metric(foreign.name(), of.to_owned(), "htm")),
    }
}

/// The error of a metric that `of` does not have.
fn foreign_metric(value: &'static str, of: String, own: &str) -> Error {
    Error::ForeignValue { option: "metric", value, of, own: own.to_owned() }
}

/// The moves that some turns are, by their names.
pub(crate) fn moves_of(turns: &[Turn]) -> Vec<Move> {
    let named =
        |name: &str| Move::all().find(|turn| turn.to_string() == name).expect("a goal has the moves of the cube");
    turns.iter().map(|turn| named(&turn.name)).collect()
}

/// A solution to a goal.
pub(super) fn report(puzzle: &'static str, goal: &str, metric: Metric, input: &str, moves: &MoveSequence) -> Solution {
    Solution::Table(TableSolution {
        input: input.to_owned(),
        puzzle,
        goal: Some(goal.to_owned()),
        length: moves.length(metric),
        metric: TableMetric::FaceTurns(metric),
        solution: moves.to_string(),
    })
}

/// The error of a position that the moves do not lead on from.
pub(crate) fn unreachable(input: &str, expected: &'static str, message: String) -> Error {
    let problems = vec![Problem { code: "unreachable", message, at: None }];
    InvalidInput { input: input.to_owned(), expected, problems, instead: None }.into()
}

/// The open tables of a cube's goals.
#[derive(Debug)]
pub(crate) struct OpenedGoals {
    database: Database,
    puzzle: &'static str,
    data: OpenedDefined,
    to_h: OpenedTables<TableId, CubeTables>,
    /// For each goal by its name, the rotations that keep it.
    kept_by: Mutex<HashMap<&'static str, Vec<Symmetry>>>,
}

impl OpenedGoals {
    pub fn new(database: &Database, puzzle: &'static str) -> Self {
        let (data, to_h, kept_by) = (OpenedDefined::default(), OpenedTables::default(), Mutex::default());
        Self { database: database.clone(), puzzle, data, to_h, kept_by }
    }

    /// The goal that is asked for; `None` if there is none, or the puzzle has no goals.
    pub fn named<'a>(&self, goal: Option<&'a str>) -> Option<&'a str> {
        goal.filter(|_| names(self.puzzle).next().is_some())
    }

    /// The distances to domino reduction: `phase1`, or its twin if that exists alone.
    fn to_h(&self, metric: Metric, ctx: &Context) -> Result<ToH> {
        let table = self.database.first_there(&tables_to_h(metric)).expect("there are such tables");
        self.database.build_missing(&[table], ctx)?;
        let open = || CubeTables::open(&self.database, TableChoice::Only(table));
        Ok(ToH(self.to_h.get(self.database.editions(&[table]), table, ctx, open)?))
    }

    /// The rotations that keep a goal, found once.
    fn kept_by(&self, goal: &'static str, find: impl FnOnce() -> Vec<Symmetry>) -> Vec<Symmetry> {
        let known = || self.kept_by.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(kept_by) = known().get(goal) {
            return kept_by.clone();
        }
        // Two threads may find them, and find the same.
        let found = find();
        known().insert(goal, found.clone());
        found
    }
}

/// A goal, and from which sides it is seen.
#[derive(Debug)]
pub(super) struct Goal {
    /// As asked for.
    pub(super) name: String,
    of: &'static CubeGoal,
    /// One of those from which it looks alike.
    pub(super) views: Vec<Symmetry>,
    /// The rotations that keep it.
    kept_by: Vec<Symmetry>,
    table: GoalTable,
    /// The moves of the table, by the numbers of its turns. In quarter turns, half turns are among them.
    pub(super) moves: Vec<Move>,
    metric: Metric,
}

/// The distances to a goal.
#[derive(Debug, Clone)]
enum GoalTable {
    Data(SharedTable),
    DominoReduction(ToH),
}

/// The table of moves to H.
#[derive(Debug, Clone)]
struct ToH(Arc<CubeTables>);

impl Deref for ToH {
    type Target = Cosets<CachedTable>;

    fn deref(&self) -> &Self::Target {
        self.0.to_h.as_ref().expect("opened for it")
    }
}

/// A position seen from one side, and how far it is from the goal.
#[derive(Debug, Clone, Copy)]
pub(super) struct Seen {
    /// What turns the moves of the goal back to the cube as it is held.
    pub(super) back: Symmetry,
    position: GoalPosition,
    pub(super) distance: Distance,
}

/// A cube that is held as a goal wants it: its place in the goal's table, or itself.
#[derive(Debug, Clone, Copy)]
enum GoalPosition {
    Place(SpacePosition),
    Cube(Cube),
}

/// Solutions of a position in the table of a goal.
type Ways = Box<dyn Iterator<Item = Result<Vec<Move>>> + Send>;

impl GoalPosition {
    fn place(self) -> SpacePosition {
        if let Self::Place(place) = self { place } else { unreachable!("a position of a table of moves to H") }
    }

    fn cube(self) -> Cube {
        if let Self::Cube(cube) = self { cube } else { unreachable!("a position of a table of a goal") }
    }
}

impl GoalTable {
    fn open(opened: &OpenedGoals, table: Option<&'static DefinedTable>, metric: Metric, ctx: &Context) -> Result<Self> {
        match table {
            Some(table) => Ok(Self::Data(opened.data.open(&opened.database, table, ctx)?)),
            None => Ok(Self::DominoReduction(opened.to_h(metric, ctx)?)),
        }
    }

    fn layout(&self) -> &TableLayout {
        match self {
            Self::Data(table) => table.definition().layout(),
            Self::DominoReduction(table) => table.definition().layout(),
        }
    }

    /// The moves, in the order of [`GoalTable::after`].
    fn moves(&self) -> Vec<Move> {
        match self {
            Self::Data(table) => moves_of(table.space().turns()),
            Self::DominoReduction(_) => Move::all().collect(),
        }
    }

    /// A cube in the table; `None` if the moves do not lead from there to the goal, which a distance may say, too.
    fn position(&self, of: &CubeGoal, cube: Cube) -> Option<GoalPosition> {
        match self {
            Self::Data(table) => of.position(table.space(), &cube).map(GoalPosition::Place),
            Self::DominoReduction(_) => Some(GoalPosition::Cube(cube)),
        }
    }

    fn is_goal(&self, position: GoalPosition) -> bool {
        match self {
            Self::Data(table) => table.space().is_solved(position.place()),
            Self::DominoReduction(_) => position.cube().is_in_h(),
        }
    }

    /// The index of a position.
    fn index(&self, position: GoalPosition) -> u64 {
        let (row, entry) = match self {
            Self::Data(_) => (position.place().row, position.place().entry),
            Self::DominoReduction(table) => table.definition().place(&position.cube()),
        };
        self.layout().index(row, entry)
    }

    /// The distance of a position; `None` if the moves do not lead from there to the goal.
    fn distance(&self, position: GoalPosition) -> Result<Option<Distance>> {
        let distance = match self {
            Self::Data(table) => table.distance(position.place()),
            Self::DominoReduction(table) => table.distance(&position.cube()),
        };
        match distance {
            Ok(distance) => Ok(Some(distance)),
            Err(Error::Invalid(_)) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// The places after each of the `moves` that count one, and their distances. `before` is the distance of the position.
    fn after(
        &self,
        position: GoalPosition,
        moves: &[Move],
        before: Distance,
    ) -> Result<Vec<(Move, GoalPosition, Distance)>> {
        match self {
            Self::Data(table) => {
                let place = |turn| GoalPosition::Place(table.space().after(position.place(), turn));
                let counted = table.moves(position.place(), before)?.into_iter();
                Ok(counted.map(|(turn, distance)| (moves[turn], place(turn), distance)).collect())
            }
            Self::DominoReduction(table) => {
                let after = |turn| {
                    let cube = position.cube().turned(turn);
                    Ok((turn, GoalPosition::Cube(cube), table.distance(&cube)?))
                };
                let metric = table.definition().move_metric();
                moves.iter().filter(|turn| metric.cost(**turn) == 1).map(|&turn| after(turn)).collect()
            }
        }
    }

    /// Every shortest solution of a position by the `moves`.
    fn solutions(&self, position: GoalPosition, moves: Vec<Move>) -> Result<Ways> {
        match self.clone() {
            Self::Data(table) => {
                let solutions = DefinedDistances::solutions_from(table, position.place())?;
                Ok(Box::new(solutions.map(move |found| Ok(found?.into_iter().map(|turn| moves[turn]).collect()))))
            }
            Self::DominoReduction(table) => Ok(Box::new(Cosets::solutions_from(table, &position.cube())?)),
        }
    }

    /// Their number.
    fn count(&self, position: GoalPosition, ctx: &Context) -> Result<u64> {
        match self {
            Self::Data(table) => table.count(position.place(), ctx),
            Self::DominoReduction(table) => table.count(&position.cube(), ctx),
        }
    }
}

impl Goal {
    /// Opens the table of a goal for a question in a metric.
    ///
    /// # Errors
    /// Those of [`Goal::open`]; [`Error::ForeignValue`] for a metric that cubes do not have.
    fn asked(opened: &OpenedGoals, goal: &str, metric: Option<QuestionMetric>, ctx: &Context) -> Result<Self> {
        let (name, side) = name_and_side(goal);
        // An unknown goal is the first error.
        find(opened.puzzle, &name, side.as_deref(), Metric::Htm)?;
        let metric = metric_of(metric, &noun_with_goal(opened.puzzle))?;
        Self::open(opened, &name, side.as_deref(), metric, ctx)
    }

    /// Opens the table of a goal, by its name and the side that it is seen from: as the cube is held if there is none.
    ///
    /// # Errors
    /// Those of [`find`], and of opening the table.
    pub(super) fn open(
        opened: &OpenedGoals,
        name: &str,
        side: Option<&str>,
        metric: Metric,
        ctx: &Context,
    ) -> Result<Self> {
        let (table, of, views) = find(opened.puzzle, name, side, metric)?;
        let table = GoalTable::open(opened, table, metric, ctx)?;
        let moves = table.moves();
        let asked = with_side(name, side);
        let mut goal = Self { name: asked, of, views, kept_by: vec![Symmetry::IDENTITY], table, moves, metric };
        if goal.views.len() > 1 {
            goal.kept_by = opened.kept_by(of.name, || goal.rotations_that_keep_it());
            let mut distinct: Vec<Symmetry> = Vec::new();
            for &view in &goal.views {
                if !distinct.iter().any(|known| goal.kept_by.contains(&view.after(known.inverse()))) {
                    distinct.push(view);
                }
            }
            goal.views = distinct;
        }
        Ok(goal)
    }

    /// The rotations after which the same positions are at the goal, by the same moves.
    fn rotations_that_keep_it(&self) -> Vec<Symmetry> {
        // Positions at the goal are a group: some power of any walk is in it, and so is what powers make together. A rotation that does
        // not keep the group takes half of it or more to others. No distance is asked for: a table may be built to a depth.
        let is_goal = |rotation: Symmetry, cube: &Cube| {
            self.position(rotation, cube).is_some_and(|(position, _)| self.table.is_goal(position))
        };
        let mut rng = ChaCha8Rng::seed_from_u64(0);
        let mut at_goal = || {
            let mut end = Cube::SOLVED;
            for _ in 0..4 {
                let walk: Vec<Move> = (0..40).filter_map(|_| self.moves.choose(&mut rng).copied()).collect();
                let mut power = Cube::SOLVED;
                loop {
                    (power, end) = (power.after(&walk), end.after(&walk));
                    if is_goal(Symmetry::IDENTITY, &power) {
                        break;
                    }
                }
            }
            end
        };
        let samples: Vec<Cube> = (0..40).map(|_| at_goal()).collect();
        let keeps = |rotation: &Symmetry| {
            // All moves of the 2×2×2 are turns of three faces.
            let has = |turn: &Move| self.of.puzzle == CUBE2 || self.moves.contains(&rotation.of_move(*turn));
            self.moves.iter().all(has) && samples.iter().all(|cube| is_goal(*rotation, cube))
        };
        Symmetry::rotations().filter(keeps).collect()
    }

    /// How its moves are counted.
    pub(super) fn metric(&self) -> Metric {
        self.metric
    }

    /// The faces that the goal may be named by as it is seen from a side, if several because it looks alike.
    pub(super) fn faces(&self, view: Symmetry) -> Vec<Face> {
        let is_one = |face: &Face| self.kept_by.iter().any(|kept| kept.after(view).of_face(*face) == self.of.face);
        SIDES.into_iter().filter(is_one).collect()
    }

    /// The position in the table of the goal, as it is seen from a side, and what turns moves back; `None` if the moves do not lead from
    /// there to the goal, which the table may say, too.
    fn position(&self, view: Symmetry, cube: &Cube) -> Option<(GoalPosition, Symmetry)> {
        let (cube, back) = match self.of.puzzle {
            CUBE2 => seen_with_colours(cube, view),
            _ => (view.of(cube), view.inverse()),
        };
        Some((self.table.position(self.of, cube)?, back))
    }

    /// The position as it is seen from a side from which the moves lead to the goal.
    pub(super) fn seen_from(&self, view: Symmetry, cube: &Cube) -> Result<Option<Seen>> {
        let Some((position, back)) = self.position(view, cube) else { return Ok(None) };
        Ok(self.table.distance(position)?.map(|distance| Seen { back, position, distance }))
    }

    /// The same after each of the goal's moves that count one.
    pub(super) fn after(&self, Seen { back, position, distance }: Seen) -> Result<impl Iterator<Item = (Move, Seen)>> {
        let after = self.table.after(position, &self.moves, distance)?;
        Ok(after.into_iter().map(move |(turn, position, distance)| (turn, Seen { back, position, distance })))
    }

    /// The position from all sides that the moves of the goal lead to.
    fn seen(&self, position: &Cube) -> Result<Vec<Seen>> {
        within_depth(self.views.iter().map(|&view| self.seen_from(view, position)))
    }

    /// The same, from the sides that are nearest to the goal alone.
    fn nearest(&self, position: &Cube, input: &str) -> Result<Vec<Seen>> {
        let mut all = self.seen(position)?;
        let Some(least) = all.iter().map(|seen| seen.distance).min() else {
            let names = MoveSequence::new(self.moves.clone());
            let message = format!("no turns of {names} lead from here to the goal {}", self.name);
            return Err(unreachable(input, "position for this goal", message));
        };
        all.retain(|seen| seen.distance == least);
        Ok(all)
    }

    /// Every shortest solution, each once.
    fn solutions(&self, seen: Vec<Seen>) -> impl Iterator<Item = Result<MoveSequence>> + Send + use<> {
        let (table, moves, mut known) = (self.table.clone(), self.moves.clone(), HashSet::new());
        let is_one = seen.len() == 1;
        let of = self.of;
        let of_one = move |Seen { back, position, .. }: Seen| match table.solutions(position, moves.clone()) {
            Ok(solutions) => Box::new(solutions.map(move |found| Ok(held(of, back, &found?).canonical())))
                as Box<dyn Iterator<Item = Result<MoveSequence>> + Send>,
            Err(error) => Box::new(std::iter::once(Err(error))),
        };
        // One may lead to the goal as it is seen from two sides.
        let is_new = move |found: &Result<MoveSequence>| {
            is_one || found.as_ref().map_or(true, |found| known.insert(found.clone()))
        };
        seen.into_iter().flat_map(of_one).filter(is_new)
    }

    fn first(&self, seen: Vec<Seen>) -> Result<MoveSequence> {
        self.solutions(seen).next().expect("every position has a solution")
    }
}

/// What is seen from sides. Those beyond the depth of the table are left out if there are others: these are nearer.
///
/// # Errors
/// The first that is another one; that of a side beyond the depth if there is no other side.
fn within_depth(sides: impl Iterator<Item = Result<Option<Seen>>>) -> Result<Vec<Seen>> {
    let (mut all, mut beyond) = (Vec::new(), None);
    for side in sides {
        match side {
            Ok(seen) => all.extend(seen),
            Err(error) if is_beyond(&error) => beyond = Some(error),
            Err(error) => return Err(error),
        }
    }
    beyond.filter(|_| all.is_empty()).map_or(Ok(all), Err)
}

/// Whether a position is beyond the depth that a table was built to.
fn is_beyond(error: &Error) -> bool {
    matches!(error, Error::Data(error) if error.fault == Fault::Bounded)
}

/// A goal with the distances that were asked for: for many questions.
#[derive(Debug)]
pub(super) struct KnownGoal {
    goal: Goal,
    /// Of each entry 1 more than its distance; 0 where nobody asked yet, [`UNREACHED`] where no moves lead. Empty where the table itself
    /// holds distances.
    known: Vec<AtomicU8>,
}

const UNREACHED: u8 = u8::MAX;

impl Deref for KnownGoal {
    type Target = Goal;

    fn deref(&self) -> &Goal {
        &self.goal
    }
}

impl KnownGoal {
    pub(super) fn new(goal: Goal) -> Self {
        let entries = match &goal.table {
            GoalTable::Data(_) => usize::try_from(goal.table.layout().entries()).expect("a table in memory"),
            GoalTable::DominoReduction(_) => 0,
        };
        Self { goal, known: std::iter::repeat_with(AtomicU8::default).take(entries).collect() }
    }

    /// As [`Goal::seen_from`].
    pub(super) fn seen_from(&self, view: Symmetry, cube: &Cube) -> Result<Option<Seen>> {
        let Some((position, back)) = self.position(view, cube) else { return Ok(None) };
        let index = self.table.index(position);
        let Some(known) = self.known.get(index as usize) else { return self.goal.seen_from(view, cube) };
        if known.load(Ordering::Relaxed) == 0 {
            let found = self.table.distance(position)?;
            known.store(found.map_or(UNREACHED, |distance| distance.moves() + 1), Ordering::Relaxed);
        }
        let known = known.load(Ordering::Relaxed);
        Ok((known != UNREACHED).then(|| Seen { back, position, distance: Distance::new(known - 1) }))
    }

    /// The least distance of a cube from any of the sides; `None` where the moves of the goal do not lead to it.
    pub(super) fn least(&self, cube: &Cube) -> Result<Option<Distance>> {
        let seen = within_depth(self.views.iter().map(|&view| self.seen_from(view, cube)))?;
        Ok(seen.iter().map(|seen| seen.distance).min())
    }
}

/// Moves of a goal on the cube as it is held.
fn held(of: &CubeGoal, back: Symmetry, moves: &[Move]) -> MoveSequence {
    let turned = moves.iter().map(|&turn| back.of_move(turn));
    if of.puzzle == CUBE2 { MoveSequence::new(by_free_faces(turned)) } else { turned.collect() }
}

/// Reads a position of a cube.
fn read(puzzle: &str, input: &str) -> Result<PuzzlePosition> {
    if puzzle == CUBE2 { PuzzlePosition::read_cube2(input) } else { PuzzlePosition::read_cube3(input) }
}

/// The cube of a position: of the 2×2×2 the corners.
fn cube_of(puzzle: &str, position: &PuzzlePosition) -> Result<Cube> {
    match puzzle {
        CUBE2 => Ok(cube2_position(position.of_defined(tables::cube2(Metric::Htm))?).cube()),
        _ => position.of_cube3().copied(),
    }
}

/// Opens the table of a goal for a question.
///
/// # Errors
/// Those of [`Goal::asked`]; [`Error::ForeignOptions`](twistbase_core::error::Error::ForeignOptions).
pub(crate) fn prepare(
    opened: &OpenedGoals,
    goal: &str,
    question: &Question,
    ctx: &Context,
) -> Result<Box<dyn Prepared>> {
    question.refuse_foreign(&noun_with_goal(opened.puzzle), &["metric", "goal"])?;
    let Question { detail, limit, metric, .. } = *question;
    Ok(Box::new(PreparedGoal { goal: Arc::new(Goal::asked(opened, goal, metric, ctx)?), detail, limit }))
}

/// Opens the table of a goal for solutions.
///
/// # Errors
/// As [`prepare`].
pub(crate) fn solver(
    opened: &OpenedGoals,
    goal: &str,
    request: &SolveRequest,
    ctx: &Context,
) -> Result<Box<dyn Solver>> {
    request.refuse_foreign(&noun_with_goal(opened.puzzle), &["metric", "goal"])?;
    let goal = Arc::new(Goal::asked(opened, goal, request.metric, ctx)?);
    let prepared = PreparedGoal { goal, detail: Detail::Brief, limit: None };
    Ok(Box::new(LookUpSolver { prepared, noun: "a goal, reached by look-up,", portion: Portion::SHORT_ANSWERS }))
}

/// A goal whose table answers a question.
#[derive(Debug)]
struct PreparedGoal {
    goal: Arc<Goal>,
    detail: Detail,
    limit: Option<u64>,
}

impl PreparedGoal {
    /// The moves that the goal has from some side, and the distance after each from the nearest.
    fn moves(&self, seen: &[Seen], cube: &Cube) -> Result<Vec<(String, FromSolved)>> {
        let mut nearest = BTreeMap::<Move, Distance>::new();
        for &seen in seen {
            for (turn, after) in self.goal.after(seen)? {
                for &turn in held(self.goal.of, seen.back, &[turn]).moves() {
                    let least = nearest.entry(turn).or_insert(after.distance);
                    *least = after.distance.min(*least);
                }
            }
        }
        if seen.len() < self.goal.views.len() {
            // A side beyond the depth of the table may be the nearest after a move.
            for (&turn, least) in &mut nearest {
                match self.goal.seen(&cube.turned(turn)) {
                    Ok(seen) => seen.iter().for_each(|seen| *least = seen.distance.min(*least)),
                    Err(error) if is_beyond(&error) => {}
                    Err(error) => return Err(error),
                }
            }
        }
        let exactly = |(turn, after): (Move, Distance)| (turn.to_string(), FromSolved::exactly(after.moves()));
        Ok(nearest.into_iter().map(exactly).collect())
    }

    /// The number of shortest solutions.
    fn count(&self, seen: &[Seen], ctx: &Context) -> Result<u64> {
        if let [one] = seen {
            return self.goal.table.count(one.position, ctx);
        }
        let mut all = self.goal.solutions(seen.to_vec());
        all.try_fold(0, |count, found| {
            ctx.check()?;
            found.map(|_| count + 1)
        })
    }
}

impl Prepared for PreparedGoal {
    fn read(&self, input: &str) -> Result<PuzzlePosition> {
        read(self.goal.of.puzzle, input)
    }

    fn query_position(&self, position: &PuzzlePosition, input: &str, ctx: &Context) -> Result<Answer> {
        let goal = &*self.goal;
        let cube = &cube_of(goal.of.puzzle, position)?;
        let full = self.detail == Detail::Full;
        let nearest = goal.nearest(cube, input)?;
        let index = |Seen { position, .. }: &Seen| goal.table.index(*position);
        Ok(Answer::Table(TableAnswer {
            input: input.to_owned(),
            position: position.clone(),
            goal: Some(goal.name.clone()),
            turned: None,
            metric: TableMetric::FaceTurns(goal.metric),
            from_solved: FromSolved::exactly(nearest[0].distance.moves()),
            index: (goal.views == [Symmetry::IDENTITY]).then(|| index(&nearest[0])),
            solution: full.then(|| goal.first(nearest.clone())).transpose()?.map(|moves| moves.to_string()),
            solutions: full.then(|| self.count(&nearest, ctx)).transpose()?,
            moves: full.then(|| self.moves(&goal.seen(cube)?, cube)).transpose()?,
        }))
    }

    fn solutions_of_position(&self, position: &PuzzlePosition, input: &str, _: &Context) -> Result<Solutions> {
        let nearest = self.goal.nearest(&cube_of(self.goal.of.puzzle, position)?, input)?;
        let (goal, input) = (Arc::clone(&self.goal), input.to_owned());
        let solutions = self.goal.solutions(nearest).take(count_of(self.limit));
        Ok(Box::new(
            solutions
                .map(move |moves| moves.map(|moves| report(goal.of.puzzle, &goal.name, goal.metric, &input, &moves))),
        ))
    }
}
