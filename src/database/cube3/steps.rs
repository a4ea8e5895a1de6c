//! Solutions in steps: oriented edges, domino reduction, half-turn reduction, finish, as people solve for fewest moves.
//!
//! Each step leads from a position to a goal by a shortest sequence or a longer one, and the next step goes on from there. Steps may be
//! made on the inverse of the position, too (normal-inverse scramble switch, NISS): moves on the inverse come at the end of the
//! solution, in reverse. A goal is a group of positions, so a position is at it if its inverse is.
//!
//! After each step the most promising of the sequences found so far go on: those that are shortest with the distance to the next goal.

use std::collections::HashSet;
use std::fmt;
use std::ops::RangeInclusive;
use std::str::FromStr;
use std::sync::atomic::{AtomicU8, Ordering};
use std::time::{Duration, Instant};

use rayon::prelude::*;
use serde::Serialize;

use super::Cube3;
use super::goal::Goal;
use crate::named::Named;
use crate::position::PuzzlePosition;
use crate::puzzle_info::CUBE3;
use twistbase_core::context::Context;
use twistbase_core::error::{Error, InvalidInput, Problem, Result};
use twistbase_definition::SpacePosition;
use twistbase_puzzle::cube3::{CanonicalState, Cube, Face, Metric, Move, MoveSequence, Symmetry};
use twistbase_query::Distance;
use twistbase_tables::Definition;

/// Short names of goals that follow one another.
const SHORT: [(&str, &str); 3] = [("dr", "dr-from-eo"), ("htr", "htr-from-dr"), ("finish", "half-turns")];

/// The most moves of a step.
const LONGEST_STEP: u8 = 30;

/// Sequences found after a step for each that goes on.
const FOUND_FOR_ONE: usize = 8;

/// Moves more than the shortest that a step is made in, with those before it.
const LONGER: usize = 6;

/// The most sequences that go on after a step: those found for them take about a gigabyte.
const WIDEST: usize = 50_000;

/// How much more go on after each step, the next time.
const WIDENING: usize = 4;

/// Steps, in their order. As text: `eo > dr > htr > finish`. Each is a goal or several, `eo:FB|eo:RL`, and may have a number of moves,
/// `dr 3..10`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StepPlan(Vec<PlannedStep>);

#[derive(Debug, Clone, PartialEq, Eq)]
struct PlannedStep {
    goals: Vec<String>,
    moves: RangeInclusive<u8>,
}

impl Default for StepPlan {
    /// Edges oriented, domino reduction, half-turn reduction, finish, along all axes.
    fn default() -> Self {
        "eo > dr > htr > finish".parse().expect("these are steps")
    }
}

impl FromStr for StepPlan {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let step = |step: &str| {
            let (goals, moves) = match step.trim().rsplit_once(char::is_whitespace) {
                Some((goals, range)) if range.contains("..") => {
                    (goals, moves_of(range).ok_or_else(|| range.to_owned())?)
                }
                _ => (step, 0..=LONGEST_STEP),
            };
            let goals: Vec<_> = goals.split('|').map(|goal| goal.trim().to_owned()).collect();
            match goals.iter().find(|goal| goal.is_empty() || goal.contains(char::is_whitespace)) {
                Some(wrong) => Err(wrong.clone()),
                None => Ok(PlannedStep { goals, moves }),
            }
        };
        let steps: std::result::Result<Vec<_>, String> = text.split('>').map(step).collect();
        steps.map(Self).map_err(|wrong| {
            Error::Usage(format!(
                "{wrong:?} is no step: write goals separated by >, like eo > dr > htr > finish; eo:FB|eo:RL for one of two, \
                 dr 3..10 for 3 to 10 moves ({LONGEST_STEP} at most)"
            ))
        })
    }
}

/// A range of moves: `3..10`, `..10` or `3..`, both ends included.
fn moves_of(text: &str) -> Option<RangeInclusive<u8>> {
    let (least, most) = text.split_once("..")?;
    let number = |text: &str, default| if text.is_empty() { Some(default) } else { text.parse().ok() };
    let range = number(least, 0)?..=number(most, LONGEST_STEP)?;
    (range.start() <= range.end() && *range.end() <= LONGEST_STEP).then_some(range)
}

/// Whether steps are made on the inverse, too.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Niss {
    /// All moves on the position.
    Never,
    /// Each step on the position or on its inverse.
    #[default]
    Before,
    /// Moves of a step on both.
    Always,
}

impl Named for Niss {
    const WHAT: &'static str = "niss";
    const NAMES: &'static [(&'static str, Self)] =
        &[("never", Self::Never), ("before", Self::Before), ("always", Self::Always)];
}

/// How to solve in steps.
#[derive(Debug, Clone)]
pub struct StepsRequest {
    /// The steps.
    pub plan: StepPlan,
    /// Whether they are made on the inverse, too.
    pub niss: Niss,
    /// How many solutions: the best.
    pub count: usize,
    /// How many sequences go on after each step: 1 to 50,000.
    pub width: usize,
    /// Goes on with more sequences until this time is over. Without it, one time with `width`: always with the same result.
    pub time: Option<Duration>,
}

impl Default for StepsRequest {
    fn default() -> Self {
        Self { plan: StepPlan::default(), niss: Niss::default(), count: 1, width: 500, time: None }
    }
}

/// A solution in steps: `schema/json/steps.json`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct StepsSolution {
    /// The input, as given.
    pub input: String,
    /// The puzzle.
    pub puzzle: &'static str,
    /// The metric of lengths.
    pub metric: &'static str,
    /// Its moves, where turns of a face that meet are one.
    pub length: usize,
    /// The whole solution. If the steps end before the cube is solved, the moves on the inverse are in brackets.
    pub solution: String,
    /// The steps.
    pub steps: Vec<SolvedStep>,
}

/// A step of a solution. As text: the moves, those on the inverse in brackets.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SolvedStep {
    /// The goal as the plan names it, with the faces it is seen from.
    pub goal: String,
    /// The moves on the position.
    pub normal: String,
    /// The moves on its inverse.
    pub inverse: String,
    /// Their number.
    pub length: usize,
    /// The moves of all steps so far.
    pub total: usize,
}

impl fmt::Display for SolvedStep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&in_brackets(&self.normal, &self.inverse))
    }
}

/// Moves on a position and on its inverse, as people write them.
fn in_brackets(normal: &str, inverse: &str) -> String {
    match (normal, inverse) {
        (normal, "") => normal.to_owned(),
        ("", inverse) => format!("({inverse})"),
        (normal, inverse) => format!("{normal} ({inverse})"),
    }
}

/// A goal of a step, with the distances that were asked for.
#[derive(Debug)]
struct StepGoal {
    /// As the plan names it, without a side.
    name: String,
    goal: Goal,
    /// Of each entry 1 more than its distance; 0 where nobody asked yet, [`UNREACHED`] where no moves lead.
    known: Vec<AtomicU8>,
}

const UNREACHED: u8 = u8::MAX;

/// A position in the puzzle of a goal, seen from a side, and its distance.
#[derive(Debug, Clone, Copy)]
struct At {
    view: Symmetry,
    position: SpacePosition,
    distance: u8,
}

impl StepGoal {
    fn open(cube: &Cube3, name: &str, ctx: &Context) -> Result<Self> {
        let (plain, side) = name.split_once(':').map_or((name, None), |(plain, side)| (plain, Some(side)));
        let long = SHORT.iter().find(|(short, _)| *short == plain).map_or(plain, |(_, long)| long);
        // From all sides, unless one is named.
        let goal = Goal::open(cube, &format!("{long}:{}", side.unwrap_or("any")), None, ctx)?;
        let entries = usize::try_from(goal.table.definition().layout().entries()).expect("a table in memory");
        Ok(Self {
            name: plain.to_owned(),
            goal,
            known: std::iter::repeat_with(AtomicU8::default).take(entries).collect(),
        })
    }

    /// The position of the cube as the goal sees it from a side; `None` where its moves do not lead to it.
    fn at(&self, view: Symmetry, cube: &Cube) -> Result<Option<At>> {
        let Some(position) = self.goal.position(view, cube) else { return Ok(None) };
        let index = self.goal.table.definition().layout().index(position.row, position.entry) as usize;
        let known = match self.known[index].load(Ordering::Relaxed) {
            0 => {
                let found = match self.goal.table.distance(position) {
                    Ok(distance) => distance.moves() + 1,
                    Err(Error::Invalid(_)) => UNREACHED,
                    Err(error) => return Err(error),
                };
                self.known[index].store(found, Ordering::Relaxed);
                found
            }
            known => known,
        };
        Ok((known != UNREACHED).then(|| At { view, position, distance: known - 1 }))
    }

    /// The least distance of a cube, and of its inverse if that counts.
    fn least(&self, cube: &Cube, niss: Niss) -> Result<Option<u8>> {
        let mut least: Option<u8> = None;
        for &view in &self.goal.views {
            let sides = [Some(*cube), (niss != Niss::Never).then(|| cube.inverse())];
            for side in sides.iter().flatten() {
                let distance = self.at(view, side)?.map(|at| at.distance);
                least = least.into_iter().chain(distance).min();
            }
        }
        Ok(least)
    }

    /// Calls `visit` with every sequence of so many moves that reaches the goal with its last move, and with it alone. Ends when
    /// `visit` returns `false`, and returns that.
    fn each(
        &self,
        at: At,
        left: u8,
        state: CanonicalState,
        path: &mut Vec<Move>,
        visit: &mut dyn FnMut(&[Move]) -> bool,
    ) -> Result<bool> {
        if left == 0 {
            return Ok(visit(path));
        }
        let (table, back) = (&self.goal.table, at.view.inverse());
        let after = table.moves(at.position, Distance::new(at.distance))?;
        for (turn, (&of_goal, distance)) in self.goal.moves.iter().zip(after).enumerate() {
            let (distance, made) = (distance.moves(), back.of_move(of_goal));
            if distance >= left || (distance == 0) != (left == 1) {
                continue;
            }
            let Some(next) = state.next(Metric::Htm, made) else { continue };
            path.push(made);
            let at = At { position: table.space().after(at.position, turn), distance, ..at };
            let goes_on = self.each(at, left - 1, next, path, visit)?;
            path.pop();
            if !goes_on {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The name of the goal with the faces that it is seen from: none if it looks alike from all.
    fn label(&self, view: Symmetry) -> String {
        let faces: String = self.goal.faces(view).into_iter().map(Face::letter).collect();
        if faces.len() == 6 { self.name.clone() } else { format!("{}:{faces}", self.name) }
    }
}

/// Moves on the position and on its inverse.
#[derive(Debug, Clone, Default)]
struct Moves {
    normal: Vec<Move>,
    inverse: Vec<Move>,
}

impl Moves {
    /// The number of moves, where turns of a face that meet are one.
    fn length(&self) -> usize {
        let [normal, inverse] = self.sides();
        normal.length(Metric::Htm) + inverse.length(Metric::Htm)
    }

    fn sides(&self) -> [MoveSequence; 2] {
        [&self.normal, &self.inverse].map(|moves| MoveSequence::new(moves.clone()).canonical())
    }

    /// The whole sequence that solves the cube if these do: moves on the inverse come last, undone.
    fn whole(&self) -> MoveSequence {
        let undone = self.inverse.iter().rev().map(|turn| turn.inverse());
        self.normal.iter().copied().chain(undone).collect::<MoveSequence>().canonical()
    }
}

/// A sequence of steps.
#[derive(Debug, Clone)]
struct Partial {
    /// The position after all moves: those on the inverse undone before it.
    cube: Cube,
    all: Moves,
    steps: Vec<(String, Moves)>,
}

impl Partial {
    /// The solution and its length. One that ends before the cube is solved has the moves on the inverse in brackets.
    fn solution(&self) -> (String, usize) {
        if self.cube.is_solved() {
            let whole = self.all.whole();
            return (whole.to_string(), whole.length(Metric::Htm));
        }
        let [normal, inverse] = self.all.sides().map(|side| side.to_string());
        (in_brackets(&normal, &inverse), self.all.length())
    }

    /// The same after one more step.
    fn after(&self, goal: String, step: Moves) -> Self {
        let mut all = self.all.clone();
        all.normal.extend(&step.normal);
        all.inverse.extend(&step.inverse);
        let cube = self.cube.after(&step.normal).inverse().after(&step.inverse).inverse();
        let steps = self.steps.iter().cloned().chain([(goal, step)]).collect();
        Self { cube, all, steps }
    }
}

/// Opened tables that solve in steps.
#[derive(Debug)]
pub struct StepsSolver {
    request: StepsRequest,
    /// For each step, its goals.
    steps: Vec<Vec<StepGoal>>,
}

/// A search.
struct Search<'a> {
    request: &'a StepsRequest,
    steps: &'a [Vec<StepGoal>],
    ends: Option<Instant>,
    ctx: &'a Context,
}

impl Search<'_> {
    fn is_over(&self) -> bool {
        self.ends.is_some_and(|ends| Instant::now() >= ends)
    }

    /// All ways to make a step of so many moves, at most `most`.
    fn ways(&self, goals: &[StepGoal], from: &Partial, moves: u8, most: usize) -> Result<Vec<Partial>> {
        let (normal, inverse) = (from.cube, from.cube.inverse());
        let mut ways = Vec::new();
        self.ctx.check()?;
        if self.is_over() {
            return Ok(ways);
        }
        for goal in goals {
            for &view in &goal.goal.views {
                let Some(at) = goal.at(view, &normal)? else { continue };
                if at.distance == 0 || moves == 0 {
                    if at.distance == moves {
                        ways.push(from.after(goal.label(view), Moves::default()));
                    }
                    continue;
                }
                let label = goal.label(view);
                let mut add = |normal: &[Move], inverse: &[Move]| {
                    ways.push(from.after(label.clone(), Moves { normal: normal.to_vec(), inverse: inverse.to_vec() }));
                    ways.len() < most
                };
                goal.each(at, moves, CanonicalState::START, &mut Vec::new(), &mut |path| add(path, &[]))?;
                if self.request.niss != Niss::Never {
                    let at = goal.at(view, &inverse)?.expect("an inverse has the goals of the position");
                    goal.each(at, moves, CanonicalState::START, &mut Vec::new(), &mut |path| add(&[], path))?;
                }
                if self.request.niss == Niss::Always {
                    // All sequences of the shorter side; the table leads the longer one.
                    for on_normal in 1..moves {
                        let on_inverse = moves - on_normal;
                        let is_normal_led = on_normal > on_inverse;
                        let (side, few, many) = if is_normal_led {
                            (&inverse, on_inverse, on_normal)
                        } else {
                            (&normal, on_normal, on_inverse)
                        };
                        self.both(goal, view, side, [few, many], &mut |few, many| {
                            if is_normal_led { add(many, few) } else { add(few, many) }
                        })?;
                    }
                }
                if ways.len() >= most {
                    return Ok(ways);
                }
            }
        }
        Ok(ways)
    }

    /// Sequences of `few` moves on one side, each with all sequences of `many` on the other that lead to the goal.
    fn both(
        &self,
        goal: &StepGoal,
        view: Symmetry,
        side: &Cube,
        [few, many]: [u8; 2],
        add: &mut dyn FnMut(&[Move], &[Move]) -> bool,
    ) -> Result<()> {
        let turns: Vec<Move> = goal.goal.moves.iter().map(|&turn| view.inverse().of_move(turn)).collect();
        let mut open = vec![(Vec::new(), CanonicalState::START)];
        while let Some((path, state)) = open.pop() {
            if path.len() < usize::from(few) {
                let next = turns.iter().rev().filter_map(|&turn| Some((turn, state.next(Metric::Htm, turn)?)));
                open.extend(next.map(|(turn, next)| ([&path[..], &[turn]].concat(), next)));
                continue;
            }
            self.ctx.check()?;
            let other = side.after(&path).inverse();
            let Some(at) = goal.at(view, &other)?.filter(|at| (1..=many).contains(&at.distance)) else { continue };
            if !goal.each(at, many, CanonicalState::START, &mut Vec::new(), &mut |led| add(&path, led))?
                || self.is_over()
            {
                return Ok(());
            }
        }
        Ok(())
    }

    /// The best sequences after a step, the shortest first; `None` if the time was over before.
    fn step(&self, number: usize, from: &[Partial], width: usize) -> Result<Option<Vec<Partial>>> {
        let (goals, planned) = (&self.steps[number], &self.request.plan.0[number]);
        let (mut seen, mut found) = (HashSet::new(), Vec::<Partial>::new());
        let mut solutions = HashSet::new();
        let length = |partial: &Partial| partial.all.normal.len() + partial.all.inverse.len();
        let lengths: Vec<usize> = from.iter().map(length).collect();
        let (Some(&first), Some(&last)) = (lengths.iter().min(), lengths.iter().max()) else { return Ok(Some(found)) };
        let next = self.steps.get(number + 1);
        // What counts after the last step are solutions, else positions.
        let wanted = if next.is_some() { width * FOUND_FOR_ONE } else { self.request.count };
        let of_one = (4 * wanted / from.len()).max(4 * FOUND_FOR_ONE);
        let mut longest = last + usize::from(*planned.moves.end());
        for total in first.. {
            if total > longest || found.len() >= wanted {
                break;
            }
            self.ctx.check()?;
            if self.is_over() {
                return Ok(None);
            }
            let ways = |(partial, &length): (&Partial, &usize)| {
                let moves = total.checked_sub(length).and_then(|moves| u8::try_from(moves).ok());
                match moves.filter(|moves| planned.moves.contains(moves)) {
                    Some(moves) => self.ways(goals, partial, moves, of_one),
                    None => Ok(Vec::new()),
                }
            };
            let all: Vec<Vec<Partial>> = from.par_iter().zip(&lengths).map(ways).collect::<Result<_>>()?;
            found.extend(all.into_iter().flatten().filter(|partial| match next {
                Some(_) => seen.insert(partial.cube),
                None => solutions.insert(partial.solution().0),
            }));
            if !found.is_empty() {
                longest = longest.min(total + LONGER);
            }
        }
        // As far as the next goal, at least.
        let Some(next) = next else { return Ok(Some(found)) };
        let scored = found.into_par_iter().map(|partial| {
            self.ctx.check()?;
            let mut least: Option<u8> = None;
            for goal in next {
                least = least.into_iter().chain(goal.least(&partial.cube, self.request.niss)?).min();
            }
            Ok(least.map(|least| (partial.all.length() + usize::from(least), partial)))
        });
        let mut scored: Vec<_> = scored.collect::<Result<Vec<_>>>()?.into_iter().flatten().collect();
        scored.sort_by_key(|(score, _)| *score);
        scored.truncate(width);
        Ok(Some(scored.into_iter().map(|(_, partial)| partial).collect()))
    }

    /// The best solutions where so many sequences go on after each step; `None` if the time was over before.
    fn run(&self, start: &Cube, width: usize, input: &str) -> Result<Option<Vec<StepsSolution>>> {
        let mut partials = vec![Partial { cube: *start, all: Moves::default(), steps: Vec::new() }];
        for number in 0..self.steps.len() {
            let Some(next) = self.step(number, &partials, width)? else { return Ok(None) };
            if next.is_empty() {
                let goals = self.request.plan.0[number].goals.join("|");
                let message = format!("nothing that was found leads to step {} ({goals})", number + 1);
                let problems = vec![Problem { code: "unreachable", message, at: None }];
                let (input, expected) = (input.to_owned(), "position that the steps lead on from");
                return Err(InvalidInput { input, expected, problems, instead: None }.into());
            }
            partials = next;
        }
        let mut solutions: Vec<_> = partials.iter().map(|partial| report(partial, input)).collect();
        solutions.sort_by(|one, other| (one.length, &one.solution).cmp(&(other.length, &other.solution)));
        solutions.dedup_by(|one, other| one.solution == other.solution);
        solutions.truncate(self.request.count);
        Ok(Some(solutions))
    }
}

fn report(partial: &Partial, input: &str) -> StepsSolution {
    let mut so_far = Moves::default();
    let steps = partial.steps.iter().map(|(goal, moves)| {
        so_far.normal.extend(&moves.normal);
        so_far.inverse.extend(&moves.inverse);
        let text = |moves: &[Move]| MoveSequence::new(moves.to_vec()).to_string();
        SolvedStep {
            goal: goal.clone(),
            normal: text(&moves.normal),
            inverse: text(&moves.inverse),
            length: moves.normal.len() + moves.inverse.len(),
            total: so_far.normal.len() + so_far.inverse.len(),
        }
    });
    let (steps, (solution, length)) = (steps.collect(), partial.solution());
    StepsSolution { input: input.to_owned(), puzzle: CUBE3, metric: Metric::Htm.name(), length, solution, steps }
}

impl Cube3 {
    /// Opens the tables of some steps.
    ///
    /// ```
    /// # mod twistbase { pub use twistbase_core::*; pub use twistbase_database::{self as database, *}; }
    /// use twistbase::database::{Puzzle, StepsRequest};
    /// use twistbase::{Context, Database};
    ///
    /// let (folder, ctx) = (tempfile::tempdir().unwrap(), Context::silent());
    /// let cube = Database::open(folder.path())?.building_missing(true).cube3();
    /// let solver = cube.steps(&StepsRequest { width: 50, ..StepsRequest::default() }, &ctx)?;
    /// let scramble = "R' U' F D2 L2 F R2 U2 R2 B D2 L B2 D' B2 L' R' B D2 B U2 L U2 R' U' F";
    /// let best = &solver.solve(&cube.read(scramble)?, scramble, &ctx, &mut |_| {})?[0];
    /// assert_eq!(best.steps.len(), 4);
    /// assert!(cube.read(scramble)?.moved(&best.solution)?.is_solved());
    /// # Ok::<(), twistbase::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Usage`] for a step that is no goal, and for numbers of 0; those of opening the tables, and of a build if the database
    /// [builds missing tables](crate::Database::building_missing).
    pub fn steps(&self, request: &StepsRequest, ctx: &Context) -> Result<StepsSolver> {
        if request.count == 0 || !(1..=WIDEST).contains(&request.width) {
            return Err(Error::Usage(format!("the number of solutions is at least 1, the width 1 to {WIDEST}")));
        }
        let open = |step: &PlannedStep| step.goals.iter().map(|name| StepGoal::open(self, name, ctx)).collect();
        Ok(StepsSolver { steps: request.plan.0.iter().map(open).collect::<Result<_>>()?, request: request.clone() })
    }
}

impl StepsSolver {
    /// Solves a position of the Rubik's cube on all threads. Calls `on` with each solution that is shorter than those before; returns
    /// the best, the shortest first. They report the position as `input`.
    ///
    /// # Errors
    /// [`Error::Invalid`] if no sequence leads to a step; those of the tables; [`Error::Interrupted`]; [`Error::Usage`] for a position of
    /// another puzzle.
    pub fn solve(
        &self,
        position: &PuzzlePosition,
        input: &str,
        ctx: &Context,
        on: &mut dyn FnMut(&StepsSolution),
    ) -> Result<Vec<StepsSolution>> {
        let (cube, request, began) = (position.of_cube3()?, &self.request, Instant::now());
        let mut search = Search { request, steps: &self.steps, ends: None, ctx };
        let mut best = search.run(cube, request.width, input)?.expect("without a time, it ends");
        best.first().into_iter().for_each(&mut *on);
        search.ends = request.time.map(|time| began + time);
        let mut width = request.width;
        while search.ends.is_some() && !search.is_over() && width < WIDEST {
            width = WIDEST.min(width * WIDENING);
            let Some(found) = search.run(cube, width, input)? else { break };
            found.first().filter(|found| found.length < best[0].length).into_iter().for_each(&mut *on);
            best.extend(found);
            best.sort_by(|one, other| (one.length, &one.solution).cmp(&(other.length, &other.solution)));
            best.dedup_by(|one, other| one.solution == other.solution);
            best.truncate(request.count);
        }
        Ok(best)
    }
}
