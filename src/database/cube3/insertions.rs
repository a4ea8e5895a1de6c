//! Insertions: moves that are put into a sequence so that it solves the cube, as people solve for fewest moves.
//!
//! A *skeleton* is a sequence that nearly solves a position. Whatever is inserted at one place, and whatever of it cancels with its
//! neighbours, the result differs from the skeleton in one stretch. So for each stretch, the empty ones included, an optimal search finds
//! the fewest moves that may stand for it: the shortest result of one insertion is known to be the shortest.
//!
//! For two insertions the first is an algorithm that cycles three pieces, at any place. Of these the most promising are tried.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use rayon::prelude::*;
use serde::Serialize;

use super::Cube3;
use super::tables::SharedOptimal;
use crate::position::PuzzlePosition;
use crate::puzzle_info::CUBE3;
use crate::solving::SearchBudget;
use twistbase_core::context::Context;
use twistbase_core::error::{Error, Result};
use twistbase_puzzle::cube3::notation::parse_sequence;
use twistbase_puzzle::cube3::{Cube, Cubie, Cubies, Metric, Move, MoveSequence, Symmetry};
use twistbase_solve::{Event, LONGEST_SEARCH, OptimalLimits, Wanted};
use twistbase_tables::Counted;

/// The longest replacement of a stretch that may be searched for: more take minutes.
const LONGEST: u8 = 15;

/// The most moves of a skeleton: there are half as many stretches as the square of this number.
const MOST_MOVES: usize = 100;

/// The most moves of an algorithm that is inserted first.
const ALGORITHM: u8 = 9;

/// Results that are this number of moves longer than the shortest are listed, if so many are wanted.
const LONGER: usize = 4;

/// The most first insertions that are tried.
const WIDEST: usize = 10_000;

/// Every sequence up to the depth of a search.
const EVERY: Wanted = Wanted { solutions: u64::MAX, extra: LONGEST_SEARCH };

/// Which insertions to search for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InsertionsRequest {
    /// How many insertions at most: 1 or 2.
    pub insertions: u8,
    /// The most moves that stand for a stretch of the skeleton: up to 15.
    pub longest: u8,
    /// How many results: the shortest.
    pub count: usize,
    /// How many first insertions are tried if there are two.
    pub width: usize,
    /// Ends the search after this time, with the best results so far.
    pub time: Option<Duration>,
}

impl Default for InsertionsRequest {
    fn default() -> Self {
        Self { insertions: 1, longest: 12, count: 1, width: 100, time: None }
    }
}

/// What a search for insertions found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundInsertions {
    /// The best results, the shortest first: at least one.
    pub solutions: Vec<InsertionsSolution>,
    /// Whether the search went to its end. Otherwise there may be shorter results, or more.
    pub is_complete: bool,
}

/// A solution by insertions: `schema/json/insertions.json`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct InsertionsSolution {
    /// The position, as given.
    pub input: String,
    /// The puzzle.
    pub puzzle: &'static str,
    /// The metric of lengths.
    pub metric: &'static str,
    /// The skeleton.
    pub skeleton: String,
    /// The moves of the solution.
    pub length: usize,
    /// The whole solution.
    pub solution: String,
    /// The insertions, in the order in which they are made: none if the skeleton is the solution.
    pub insertions: Vec<Insertion>,
}

/// Moves inserted into a sequence: the skeleton, or what the insertion before made of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Insertion {
    /// The moves of the sequence before them.
    pub before: String,
    /// The inserted moves.
    pub inserted: String,
    /// The moves of the sequence after them.
    pub after: String,
    /// The number of moves before them, of them and after them.
    pub moves: [usize; 3],
    /// The moves of the result, in which moves that meet are joined.
    pub total: usize,
}

/// A sequence with the insertions that made it.
#[derive(Debug, Clone)]
struct Inserted {
    moves: MoveSequence,
    insertions: Vec<Insertion>,
}

impl Inserted {
    /// The sequence with an insertion more.
    fn with(&self, (moves, insertion): (MoveSequence, Insertion)) -> Self {
        let is_insertion = insertion.moves[1] > 0;
        let insertions = self.insertions.iter().cloned().chain(is_insertion.then_some(insertion));
        Self { moves, insertions: insertions.collect() }
    }

    /// The shortest first; of these, those that insert the fewest moves.
    fn order(&self) -> (usize, usize, String) {
        let inserted = self.insertions.iter().map(|insertion| insertion.moves[1]).sum();
        (self.moves.length(Metric::Htm), inserted, self.moves.to_string())
    }
}

/// A stretch of a sequence.
#[derive(Debug, Clone, Copy)]
struct Stretch {
    from: usize,
    to: usize,
}

/// A sequence from a position, to be solved by an insertion.
struct Skeleton<'a> {
    moves: &'a [Move],
    /// By the number of moves made: the position.
    reached: Vec<Cube>,
    /// By the same number: the position that the other moves solve.
    solved_by_rest: Vec<Cube>,
}

impl<'a> Skeleton<'a> {
    fn new(start: &Cube, moves: &'a [Move]) -> Self {
        let reached = (0..=moves.len()).map(|made| start.after(&moves[..made])).collect();
        let rest = (0..=moves.len()).map(|made| Cube::SOLVED.after(&moves[made..]).inverse()).collect();
        Self { moves, reached, solved_by_rest: rest }
    }

    /// The stretches of so many moves.
    fn stretches(&self, moves: usize) -> impl ParallelIterator<Item = Stretch> + use<> {
        (0..=self.moves.len() - moves).into_par_iter().map(move |from| Stretch { from, to: from + moves })
    }

    /// The positions before a stretch and after it, if the rest solves what is then left.
    fn ends(&self, Stretch { from, to }: Stretch) -> [&Cube; 2] {
        [&self.reached[from], &self.solved_by_rest[to]]
    }

    /// The sequence with other moves for a stretch. The insertion is at the place of the stretch at which it has the fewest moves.
    fn replaced(&self, Stretch { from, to }: Stretch, by: &[Move]) -> (MoveSequence, Insertion) {
        let sequence = |parts: &[&[Move]]| parts.concat().into_iter().collect::<MoveSequence>();
        let undone = |moves: &[Move]| sequence(&[moves]).inverse();
        let whole = sequence(&[&self.moves[..from], by, &self.moves[to..]]).canonical();
        let at = |place: usize| {
            let [before, after] = [undone(&self.moves[from..place]), undone(&self.moves[place..to])];
            (place, sequence(&[before.moves(), by, after.moves()]).canonical())
        };
        let least = (from..=to).map(at).min_by_key(|(_, inserted)| inserted.moves().len());
        let (place, inserted) = least.expect("a stretch has a place");
        let (before, after) = self.moves.split_at(place);
        let insertion = Insertion {
            before: sequence(&[before]).to_string(),
            inserted: inserted.to_string(),
            after: sequence(&[after]).to_string(),
            moves: [before.len(), inserted.moves().len(), after.len()],
            total: whole.length(Metric::Htm),
        };
        (whole, insertion)
    }
}

/// An opened table that finds insertions.
#[derive(Debug)]
pub struct InsertionsSolver {
    request: InsertionsRequest,
    optimal: SharedOptimal,
}

impl Cube3 {
    /// Opens a table that finds insertions: the strongest for optimal searches that there is.
    ///
    /// ```
    /// # mod twistbase { pub use twistbase_core::*; pub use twistbase_database::{self as database, *}; }
    /// use twistbase::database::{InsertionsRequest, Puzzle};
    /// use twistbase::{Context, Database};
    ///
    /// let (folder, ctx) = (tempfile::tempdir().unwrap(), Context::silent());
    /// let cube = Database::open(folder.path())?.building_missing(true).cube3();
    /// let solver = cube.insertions(InsertionsRequest::default(), &ctx)?;
    /// let found = solver.solve(&cube.read("R U F2 D")?, "R U F2 D", "D' U' R'", &ctx)?;
    /// let best = &found.solutions[0];
    /// assert_eq!((best.solution.as_str(), best.insertions[0].inserted.as_str()), ("D' F2 U' R'", "F2"));
    /// # Ok::<(), twistbase::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Usage`] for numbers out of range; those of opening the table, and of a build if the database
    /// [builds missing tables](crate::Database::building_missing).
    pub fn insertions(&self, request: InsertionsRequest, ctx: &Context) -> Result<InsertionsSolver> {
        let InsertionsRequest { insertions, longest, count, width, time: _ } = request;
        let is_right = (1..=2).contains(&insertions) && (1..=LONGEST).contains(&longest);
        if !is_right || count == 0 || !(1..=WIDEST).contains(&width) {
            return Err(Error::Usage(format!(
                "there are 1 or 2 insertions of 1 to {LONGEST} moves, at least 1 result, and a width of 1 to {WIDEST}"
            )));
        }
        Ok(InsertionsSolver { request, optimal: self.optimal(Some(Metric::Htm), None, false, ctx)? })
    }
}

/// The moves of a skeleton: those on the inverse come last, undone.
fn read_skeleton(text: &str) -> Result<MoveSequence> {
    // Any mistake is one of the whole text.
    let as_written = parse_sequence(text)?;
    let Some([normal, inverse]) = sides(text) else { return Ok(as_written) };
    let (normal, inverse) = (parse_sequence(&normal)?, parse_sequence(&inverse)?);
    Ok(normal.moves().iter().chain(inverse.inverse().moves()).copied().collect())
}

/// What is outside brackets, and what is inside; `None` if there are none, if they group what is repeated, or if other turns than those of
/// faces are there: after a turn of the whole cube, faces have other names.
fn sides(text: &str) -> Option<[String; 2]> {
    let lines: Vec<&str> = text.lines().map(|line| line.split("//").next().unwrap_or_default()).collect();
    let (moves, mut sides, mut is_inside) = (lines.join(" "), [String::new(), String::new()], false);
    for (at, letter) in moves.char_indices() {
        let is_repeated = || moves[at + 1..].trim_start().starts_with(|next: char| next.is_ascii_digit());
        match letter {
            '(' if !is_inside => is_inside = true,
            ')' if is_inside && !is_repeated() => is_inside = false,
            letter if "URFDLB123'’ ".contains(letter) => sides[usize::from(is_inside)].push(letter),
            _ => return None,
        }
    }
    moves.contains('(').then_some(sides)
}

impl InsertionsSolver {
    /// Solves a position by insertions into `skeleton`, a sequence of moves, on all threads. Results report the position as `input`.
    ///
    /// Moves of the skeleton in brackets are on the inverse, as [`StepsSolver`](super::StepsSolver) prints them: undone, they come last.
    ///
    /// # Errors
    /// [`Error::Invalid`] for a skeleton that is no sequence; [`Error::Usage`] for one that is too long, or a position of another puzzle;
    /// [`Error::Budget`] if no insertion solves it, or none was found in the time; those of the table; [`Error::Interrupted`].
    pub fn solve(
        &self,
        position: &PuzzlePosition,
        input: &str,
        skeleton: &str,
        ctx: &Context,
    ) -> Result<FoundInsertions> {
        let (start, moves) = (position.of_cube3()?, read_skeleton(skeleton)?);
        if moves.moves().len() > MOST_MOVES {
            return Err(Error::Usage(format!(
                "a skeleton has at most {MOST_MOVES} moves, not {}",
                moves.moves().len()
            )));
        }
        let search =
            Search { solver: self, ctx, ends: SearchBudget { time: self.request.time, nodes: None }.deadline() };
        let mut sequences = vec![Inserted { moves: moves.clone(), insertions: Vec::new() }];
        if self.request.insertions > 1 {
            sequences.extend(search.first_insertions(start, moves.moves())?);
        }
        // First how long the shortest results are, then all of that length.
        let shortest = Shortest { length: AtomicUsize::new(usize::MAX), found: Mutex::new(None) };
        ctx.progress().begin("insertions", sequences.len() as u64, "sequences");
        for sequence in &sequences {
            search.shorten(start, sequence, &shortest)?;
            ctx.progress().advance(1);
        }
        ctx.progress().end();
        let Some(first) = shortest.found.into_inner().unwrap_or_else(PoisonError::into_inner) else {
            let none = || self.none(&moves);
            let out_of_time = || "time limit reached before an insertion was found; give more time".to_owned();
            return Err(Error::Budget(if search.is_over() { out_of_time() } else { none() }));
        };
        let mut found = vec![first];
        let shortest = shortest.length.into_inner();
        for most in shortest..=shortest + LONGER {
            let all = search.all(start, &sequences, most)?;
            if search.is_over() {
                break;
            }
            found = all;
            if found.len() >= self.request.count {
                break;
            }
        }
        found.truncate(self.request.count);
        let report = |Inserted { moves: whole, insertions }: Inserted| InsertionsSolution {
            input: input.to_owned(),
            puzzle: CUBE3,
            metric: Metric::Htm.name(),
            skeleton: moves.to_string(),
            length: whole.length(Metric::Htm),
            solution: whole.to_string(),
            insertions,
        };
        Ok(FoundInsertions { solutions: found.into_iter().map(report).collect(), is_complete: !search.is_over() })
    }

    /// Why there is no result.
    fn none(&self, skeleton: &MoveSequence) -> String {
        let InsertionsRequest { insertions, longest, .. } = self.request;
        let (kind, more) = match insertions {
            1 => ("no insertion", "allow two insertions, or longer ones"),
            _ => ("none of the tried insertions", "try more of them, or longer ones"),
        };
        let moves = Counted::Moves.count(longest.into());
        format!("{kind} of at most {moves} into \"{skeleton}\" solves the position; {more}")
    }
}

/// The shortest result so far.
struct Shortest {
    length: AtomicUsize,
    found: Mutex<Option<Inserted>>,
}

/// A search, and when it ends.
struct Search<'a> {
    solver: &'a InsertionsSolver,
    ctx: &'a Context,
    ends: Option<Instant>,
}

impl Search<'_> {
    fn is_over(&self) -> bool {
        self.ends.is_some_and(|ends| Instant::now() >= ends)
    }

    /// Searches on one thread for sequences of at most `longest` moves from one position to another.
    fn search(
        &self,
        [start, goal]: [&Cube; 2],
        wanted: Wanted,
        longest: u8,
        each: &mut (dyn FnMut(&[Move]) + Send),
    ) -> Result<()> {
        if self.is_over() {
            return Ok(());
        }
        let limits = OptimalLimits { max_depth: longest, deadline: self.ends, max_nodes: None, parallel: false };
        self.solver.optimal.solve(start, goal, wanted, &limits, self.ctx, &mut |event| {
            if let Event::Solution(moves) = event {
                each(moves);
            }
        })?;
        Ok(())
    }

    /// The most moves that may stand for a stretch, so that the result has at most so many; `None` if it has more without any.
    fn room(&self, skeleton: &Skeleton<'_>, stretch: usize, most: usize) -> Option<u8> {
        let kept = skeleton.moves.len() - stretch;
        most.checked_sub(kept).map(|room| room.min(self.solver.request.longest.into()) as u8)
    }

    /// Finds shorter results by one more insertion into a sequence.
    fn shorten(&self, start: &Cube, sequence: &Inserted, shortest: &Shortest) -> Result<()> {
        let skeleton = &Skeleton::new(start, sequence.moves.moves());
        for stretch in 0..=skeleton.moves.len() {
            let kept = skeleton.moves.len() - stretch;
            skeleton.stretches(stretch).try_for_each(|place| {
                let Some(most) = shortest.length.load(Ordering::Relaxed).checked_sub(1) else { return Ok(()) };
                let Some(room) = self.room(skeleton, stretch, most) else { return Ok(()) };
                self.search(skeleton.ends(place), Wanted::ANY, room, &mut |moves| {
                    let length = kept + moves.len();
                    if shortest.length.fetch_min(length, Ordering::Relaxed) > length {
                        let new = sequence.with(skeleton.replaced(place, moves));
                        let mut found = shortest.found.lock().unwrap_or_else(PoisonError::into_inner);
                        if found.as_ref().is_none_or(|old| new.order() < old.order()) {
                            *found = Some(new);
                        }
                    }
                })
            })?;
        }
        Ok(())
    }

    /// All results of at most so many moves, each once, the shortest first.
    fn all(&self, start: &Cube, sequences: &[Inserted], most: usize) -> Result<Vec<Inserted>> {
        let mut best: HashMap<MoveSequence, Inserted> = HashMap::new();
        for sequence in sequences {
            let skeleton = Skeleton::new(start, sequence.moves.moves());
            for stretch in 0..=skeleton.moves.len() {
                let Some(room) = self.room(&skeleton, stretch, most) else { continue };
                let found = skeleton.stretches(stretch).map(|place| {
                    let (old, mut found) = (&skeleton.moves[place.from..place.to], Vec::new());
                    self.search(skeleton.ends(place), EVERY, room, &mut |new| {
                        // A shorter stretch has what begins or ends as before.
                        let is_kept = |old: Option<&Move>, new: Option<&Move>| old.is_some() && old == new;
                        if !is_kept(old.first(), new.first()) && !is_kept(old.last(), new.last()) {
                            found.push(skeleton.replaced(place, new));
                        }
                    })?;
                    Ok(found)
                });
                for replaced in found.collect::<Result<Vec<_>>>()?.into_iter().flatten() {
                    let new = sequence.with(replaced);
                    let known = best.entry(new.moves.clone()).or_insert_with(|| new.clone());
                    if new.order() < known.order() {
                        *known = new;
                    }
                }
            }
        }
        let mut found: Vec<Inserted> = best.into_values().collect();
        found.sort_by_cached_key(Inserted::order);
        Ok(found)
    }

    /// Skeletons with an algorithm inserted that leaves fewer pieces unsolved: the most promising.
    fn first_insertions(&self, start: &Cube, moves: &[Move]) -> Result<Vec<Inserted>> {
        let skeleton = Skeleton::new(start, moves);
        let left = unsolved(&start.after(moves));
        let algorithms = self.algorithms()?;
        let at = |place: usize| {
            let (reached, rest) = (&skeleton.reached[place], skeleton.solved_by_rest[place].inverse());
            let left_after = |cycle: &Cube| unsolved(&reached.then(cycle).then(&rest));
            let place = Stretch { from: place, to: place };
            let inserted =
                algorithms.iter().map(|(cycle, ways)| (left_after(cycle), ways)).filter(|&(then, _)| then < left);
            let each = |(left, ways): (usize, &Vec<Vec<Move>>)| {
                ways.iter().map(|moves| (left, skeleton.replaced(place, moves))).collect::<Vec<_>>()
            };
            inserted.flat_map(each).collect::<Vec<_>>()
        };
        let all = (0..=moves.len()).into_par_iter().flat_map_iter(at);
        let mut all: Vec<_> =
            all.map(|(left, (moves, insertion))| (moves.moves().len() + 2 * left, moves, insertion)).collect();
        all.sort_by_cached_key(|(score, moves, _)| (*score, moves.to_string()));
        let mut known = HashSet::new();
        let new = all.into_iter().filter(|(_, moves, _)| known.insert(moves.clone())).take(self.solver.request.width);
        Ok(new.map(|(_, moves, insertion)| Inserted { moves, insertions: vec![insertion] }).collect())
    }

    /// Every cycle of three pieces, with all sequences of at most [`ALGORITHM`] moves that lead from solved to it.
    fn algorithms(&self) -> Result<Vec<(Cube, Vec<Vec<Move>>)>> {
        // One of those that are images of each other is searched for.
        let mut of_class: BTreeMap<Cube, Vec<(Cube, Symmetry)>> = BTreeMap::new();
        for cycle in three_cycles() {
            let images = Symmetry::all().map(|symmetry| (symmetry.of(&cycle), symmetry));
            let (least, symmetry) = images.min_by_key(|(image, _)| *image).expect("there are 48");
            of_class.entry(least).or_default().push((cycle, symmetry.inverse()));
        }
        let found = of_class.into_par_iter().map(|(least, members)| {
            let mut ways: Vec<Vec<Move>> = Vec::new();
            self.search([&Cube::SOLVED, &least], EVERY, ALGORITHM, &mut |moves| ways.push(moves.to_vec()))?;
            let image = |(cycle, back): (Cube, Symmetry)| {
                let moves = |way: &Vec<Move>| way.iter().map(|&turn| back.of_move(turn)).collect();
                (cycle, ways.iter().map(moves).collect::<Vec<_>>())
            };
            Ok(members.into_iter().map(image).collect::<Vec<_>>())
        });
        Ok(found.collect::<Result<Vec<_>>>()?.into_iter().flatten().collect())
    }
}

/// The number of pieces that are not in their places as they should be.
fn unsolved(cube: &Cube) -> usize {
    let (of_cube, solved) = (cube.cubies(), Cube::SOLVED.cubies());
    let corners = of_cube.corners.iter().zip(&solved.corners).filter(|(one, other)| one != other).count();
    corners + of_cube.edges.iter().zip(&solved.edges).filter(|(one, other)| one != other).count()
}

/// The positions in which three corners, or three edges, are cycled, in all orientations: 1,008 and 1,760.
fn three_cycles() -> Vec<Cube> {
    let solved = Cube::SOLVED.cubies();
    let mut cycles = Vec::new();
    let mut add = |orientations: u8, places_of: fn(&mut Cubies) -> &mut [Option<Cubie>]| {
        let places = places_of(&mut solved.clone()).len();
        let triples =
            (0..places).flat_map(|a| (a + 1..places).flat_map(move |b| (a + 1..places).map(move |c| [a, b, c])));
        for [a, b, c] in triples.filter(|[_, b, c]| b != c) {
            for (one, two) in (0..orientations).flat_map(|one| (0..orientations).map(move |two| (one, two))) {
                let three = (2 * orientations - one - two) % orientations;
                let mut cubies = solved;
                for (place, piece, orientation) in [(a, b, one), (b, c, two), (c, a, three)] {
                    places_of(&mut cubies)[place] = Some(Cubie { piece: piece as u8, orientation });
                }
                cycles.push(Cube::from_cubies(&cubies).expect("a cycle of three is even"));
            }
        }
    };
    add(3, |cubies| &mut cubies.corners);
    add(2, |cubies| &mut cubies.edges);
    cycles
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_are_as_many_cycles_of_three_pieces_as_can_be_counted() {
        let cycles = three_cycles();
        assert_eq!(cycles.iter().collect::<HashSet<_>>().len(), 8 * 7 * 6 / 3 * 9 + 12 * 11 * 10 / 3 * 4);
        for cycle in &cycles {
            assert!(unsolved(cycle) == 3 && cycle.then(cycle).then(cycle).is_solved());
        }
    }
}
