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
use std::time::{Duration, Instant};

use rayon::prelude::*;
use serde::Serialize;

use super::Cube3;
use super::goal::{self, Goal, KnownGoal, Seen};
use crate::named::Named;
use crate::position::PuzzlePosition;
use crate::puzzle_info::CUBE3;
use crate::solving::SearchBudget;
use twistbase_core::context::Context;
use twistbase_core::error::{Error, Result};
use twistbase_puzzle::cube3::{CanonicalState, Cube, Face, Metric, Move, MoveSequence, Symmetry};
use twistbase_query::Distance;

/// Short names of goals that follow one another.
const SHORT: [(&str, &str); 7] = [
    ("dr", "dr-from-eo"),
    ("htr", "htr-from-dr"),
    ("finish", "half-turns"),
    ("fr", "fr-from-htr"),
    ("frls", "fr-leave-slice"),
    ("fin", "fr-finish"),
    ("finls", "finish-leave-slice"),
];

/// The most moves of a step.
const LONGEST_STEP: u8 = 30;

/// Sequences found after a step for each that goes on.
const FOUND_FOR_ONE: usize = 8;

/// Moves more than the shortest that a step is made in, with those before it.
const LONGER: usize = 6;

/// The most sequences that go on after a step: those found for them take about a gigabyte.
const WIDEST: usize = 50_000;

/// How many go on after each step at first, where a time is given.
const NARROW: usize = 20;

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
    /// Begins with at most 20 sequences, and goes on with more until this time is over. Without it, one time with `width`: always with the
    /// same result.
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

/// A goal of a step.
#[derive(Debug)]
struct StepGoal {
    /// As the plan names it, without a side.
    name: String,
    goal: KnownGoal,
}

impl StepGoal {
    fn open(cube: &Cube3, name: &str, ctx: &Context) -> Result<Self> {
        let (plain, side) = goal::name_and_side(name);
        let long = SHORT.iter().find(|(short, _)| *short == plain).map_or(plain.as_str(), |(_, long)| long);
        let side = side.as_deref().unwrap_or(goal::ANY_SIDE);
        let goal = KnownGoal::new(Goal::open(cube.goals(), long, Some(side), Metric::Htm, ctx)?);
        Ok(Self { name: plain, goal })
    }

    /// Calls `visit` with every sequence of so many moves that reaches the goal with its last move and not before. Ends when `visit`
    /// returns `false`, and returns that.
    fn each(&self, seen: Seen, moves: u8, visit: &mut dyn FnMut(&[Move]) -> bool) -> Result<bool> {
        self.each_after(seen, moves, CanonicalState::START, &mut Vec::new(), visit)
    }

    fn each_after(
        &self,
        seen: Seen,
        left: u8,
        state: CanonicalState,
        path: &mut Vec<Move>,
        visit: &mut dyn FnMut(&[Move]) -> bool,
    ) -> Result<bool> {
        if left == 0 {
            return Ok(visit(path));
        }
        for (of_goal, seen) in self.goal.after(seen)? {
            let (made, distance) = (seen.back.of_move(of_goal), seen.distance.moves());
            if distance >= left || (distance == 0) != (left == 1) {
                continue;
            }
            let Some(next) = state.next(Metric::Htm, made) else { continue };
            path.push(made);
            let goes_on = self.each_after(seen, left - 1, next, path, visit)?;
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
    /// The number of moves as they are made.
    fn count(&self) -> usize {
        self.normal.len() + self.inverse.len()
    }

    /// The same where turns of a face that meet are one.
    fn length(&self) -> usize {
        self.sides().map(|side| side.length(Metric::Htm)).into_iter().sum()
    }

    fn sides(&self) -> [MoveSequence; 2] {
        [&self.normal, &self.inverse].map(|moves| MoveSequence::new(moves.clone()).canonical())
    }

    fn extend(&mut self, more: &Self) {
        self.normal.extend(&more.normal);
        self.inverse.extend(&more.inverse);
    }

    /// The whole sequence that solves the cube if these do: moves on the inverse come last, undone.
    fn whole(&self) -> MoveSequence {
        let undone = MoveSequence::new(self.inverse.clone()).inverse();
        self.normal.iter().chain(undone.moves()).copied().collect::<MoveSequence>().canonical()
    }
}

/// A sequence of steps.
#[derive(Debug, Clone)]
struct Partial {
    /// The position after all moves: those on the inverse undone before it.
    cube: Cube,
    steps: Vec<(String, Moves)>,
}

impl Partial {
    /// The moves of all steps.
    fn all(&self) -> Moves {
        let mut all = Moves::default();
        self.steps.iter().for_each(|(_, moves)| all.extend(moves));
        all
    }

    /// The number of moves as they are made.
    fn count(&self) -> usize {
        self.steps.iter().map(|(_, moves)| moves.count()).sum()
    }

    /// The solution and its length. One that ends before the cube is solved has the moves on the inverse in brackets.
    fn solution(&self) -> (String, usize) {
        let all = self.all();
        if self.cube.is_solved() {
            let whole = all.whole();
            return (whole.to_string(), whole.length(Metric::Htm));
        }
        let [normal, inverse] = all.sides().map(|side| side.to_string());
        (in_brackets(&normal, &inverse), all.length())
    }

    /// The same after one more step.
    fn after(&self, goal: String, step: Moves) -> Self {
        let cube = self.cube.after(&step.normal).inverse().after(&step.inverse).inverse();
        let steps = self.steps.iter().cloned().chain([(goal, step)]).collect();
        Self { cube, steps }
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

    /// Ways to make a step of so many moves: all, or a few more than `most`.
    fn ways(&self, goals: &[StepGoal], from: &Partial, moves: u8, most: usize) -> Result<Vec<Partial>> {
        let (normal, inverse) = (from.cube, from.cube.inverse());
        let mut ways = Vec::new();
        self.ctx.check()?;
        if self.is_over() {
            return Ok(ways);
        }
        for goal in goals {
            for &view in &goal.goal.views {
                let Some(seen) = goal.goal.seen_from(view, &normal)? else { continue };
                let (distance, label) = (seen.distance.moves(), goal.label(view));
                if distance == 0 || moves == 0 {
                    if distance == moves {
                        ways.push(from.after(label, Moves::default()));
                    }
                    continue;
                }
                let mut add = |normal: &[Move], inverse: &[Move]| {
                    ways.push(from.after(label.clone(), Moves { normal: normal.to_vec(), inverse: inverse.to_vec() }));
                    ways.len() < most
                };
                goal.each(seen, moves, &mut |path| add(path, &[]))?;
                if self.request.niss != Niss::Never {
                    let seen = goal.goal.seen_from(view, &inverse)?.expect("an inverse has the goals of the position");
                    goal.each(seen, moves, &mut |path| add(&[], path))?;
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
            let is_led = |seen: &Seen| (1..=many).contains(&seen.distance.moves());
            let Some(seen) = goal.goal.seen_from(view, &other)?.filter(is_led) else { continue };
            if !goal.each(seen, many, &mut |led| add(&path, led))? || self.is_over() {
                return Ok(());
            }
        }
        Ok(())
    }

    /// The least distance of a cube from some goals, and of its inverse if that counts.
    fn least(&self, goals: &[StepGoal], cube: &Cube) -> Result<Option<Distance>> {
        let inverse = (self.request.niss != Niss::Never).then(|| cube.inverse());
        let mut least: Option<Distance> = None;
        for goal in goals {
            for side in [Some(cube), inverse.as_ref()].into_iter().flatten() {
                least = least.into_iter().chain(goal.goal.least(side)?).min();
            }
        }
        Ok(least)
    }

    /// The best sequences after a step, the shortest first, and whether the step itself was reached: some lead no further.
    /// `None` if the time was over before.
    fn step(&self, number: usize, from: &[Partial], width: usize) -> Result<Option<(Vec<Partial>, bool)>> {
        let (goals, planned) = (&self.steps[number], &self.request.plan.0[number]);
        let (mut seen, mut found) = (HashSet::new(), Vec::<Partial>::new());
        let mut solutions = HashSet::new();
        let lengths: Vec<usize> = from.iter().map(Partial::count).collect();
        let (Some(&first), Some(&last)) = (lengths.iter().min(), lengths.iter().max()) else {
            return Ok(Some((found, false)));
        };
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
        let is_reached = !found.is_empty();
        // As far as the next goal, at least.
        let Some(next) = next else { return Ok(Some((found, is_reached))) };
        let scored = found.into_par_iter().map(|partial| {
            self.ctx.check()?;
            let least = self.least(next, &partial.cube)?;
            Ok(least.map(|least| (partial.all().length() + usize::from(least.moves()), partial)))
        });
        let mut scored: Vec<_> = scored.collect::<Result<Vec<_>>>()?.into_iter().flatten().collect();
        scored.sort_by_key(|(score, _)| *score);
        scored.truncate(width);
        Ok(Some((scored.into_iter().map(|(_, partial)| partial).collect(), is_reached)))
    }

    /// The error of a step that no sequence reaches.
    fn not_reached(&self, number: usize, input: &str) -> Error {
        let goals = &self.request.plan.0[number].goals;
        let step = format!("step {} ({}) is not reached", number + 1, goals.join("|"));
        let needs = match goal::name_and_side(&goals[0]).0.as_str() {
            "dr" => "it needs oriented edges: put eo before it",
            "htr" => "it needs domino reduction: put eo > dr before it",
            "finish" | "fr" | "frls" | "finls" => "it needs half-turn reduction: put eo > dr > htr before it",
            "fin" => "it needs floppy reduction: put eo > dr > htr > fr before it",
            _ => return Error::Budget(format!("{step}; allow more moves for the steps, or a greater width")),
        };
        goal::unreachable(input, "start of these steps", format!("{step}; {needs}"))
    }

    /// The best solutions, with `width` sequences that go on after each step; `None` if the time was over before.
    fn run(&self, start: &Cube, width: usize, input: &str) -> Result<Option<Vec<StepsSolution>>> {
        let mut partials = vec![Partial { cube: *start, steps: Vec::new() }];
        for number in 0..self.steps.len() {
            let Some((next, is_reached)) = self.step(number, &partials, width)? else { return Ok(None) };
            if next.is_empty() {
                return Err(self.not_reached(number + usize::from(is_reached), input));
            }
            partials = next;
        }
        Ok(Some(best(partials.iter().map(|partial| report(partial, input)).collect(), self.request.count)))
    }
}

/// The best solutions, each once, the shortest first.
fn best(mut solutions: Vec<StepsSolution>, count: usize) -> Vec<StepsSolution> {
    solutions.sort_by(|one, other| (one.length, &one.solution).cmp(&(other.length, &other.solution)));
    solutions.dedup_by(|one, other| one.solution == other.solution);
    solutions.truncate(count);
    solutions
}

fn report(partial: &Partial, input: &str) -> StepsSolution {
    let mut total = 0;
    let steps = partial.steps.iter().map(|(goal, moves)| {
        total += moves.count();
        let text = |moves: &[Move]| MoveSequence::new(moves.to_vec()).to_string();
        SolvedStep {
            goal: goal.clone(),
            normal: text(&moves.normal),
            inverse: text(&moves.inverse),
            length: moves.count(),
            total,
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
    /// [`Error::Invalid`] if the steps before do not prepare a step; [`Error::Budget`] if no sequence of the allowed moves leads to it;
    /// those of the tables; [`Error::Interrupted`]; [`Error::Usage`] for a position of
    /// another puzzle.
    pub fn solve(
        &self,
        position: &PuzzlePosition,
        input: &str,
        ctx: &Context,
        on: &mut dyn FnMut(&StepsSolution),
    ) -> Result<Vec<StepsSolution>> {
        let (cube, request) = (position.of_cube3()?, &self.request);
        let ends = SearchBudget { time: request.time, nodes: None }.deadline();
        let mut search = Search { request, steps: &self.steps, ends: None, ctx };
        // With a time there is soon something to show.
        let mut width = if request.time.is_some() { request.width.min(NARROW) } else { request.width };
        let mut solutions = search.run(cube, width, input)?.expect("without a time, it ends");
        solutions.first().into_iter().for_each(&mut *on);
        search.ends = ends;
        while request.time.is_some() && !search.is_over() && width < WIDEST {
            width = WIDEST.min(width * WIDENING);
            let Some(found) = search.run(cube, width, input)? else { break };
            found.first().filter(|found| found.length < solutions[0].length).into_iter().for_each(&mut *on);
            solutions = best([solutions, found].concat(), request.count);
        }
        Ok(solutions)
    }
}
