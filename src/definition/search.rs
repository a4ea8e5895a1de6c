//! Shortest solutions of puzzles of any size, by search.
//!
//! Iterative deepening (IDA*, Korf 1985): it tries sequences up to a length, then up to one more, and skips positions that are farther
//! from solved than the moves left. Coarser puzzles give lower bounds: some orbits, or some pieces of one, the others all alike. A
//! table holds the distances of all positions of such a puzzle. The tables are small at first. They grow when the search gets long.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use num_bigint::BigUint;
use rayon::prelude::*;

use twistbase_core::context::{Context, SharedMeter};
use twistbase_core::error::{Error, Result};
use twistbase_core::math::quarters;
use twistbase_core::memory::available_memory;
use twistbase_levelset::Keep;

use super::model::{Pattern, PuzzleDefinition, Turn};
use super::positions::{refused, unreached};
use super::restriction::Restriction;
use super::space::PuzzleSpace;

/// The most arrangements of the pieces that a coarser puzzle distinguishes, and the most orientations. Turns have a table of each.
const MOST_ARRANGEMENTS: u128 = 1 << 17;
const MOST_TWISTS: u128 = 1 << 20;

/// The positions of a coarser puzzle, in the first tables, and times how many more in the next ones.
const FIRST_POSITIONS: u64 = 1 << 17;
const GROWTH: u64 = 16;

/// Nodes that take as long as a position of a table.
const POSITIONS_A_NODE: u64 = 8;

/// Nodes between two looks at the context.
const NODES_A_LOOK: u64 = 1 << 12;

/// Turns that are made before the work is shared among threads.
const SHARED_TURNS: usize = 2;

/// A puzzle whose positions are solved by search. Threads can share it.
///
/// ```
/// use twistbase_core::context::Context;
/// use twistbase_definition::{PuzzleDefinition, PuzzleSearch, Restriction, SearchRequest};
///
/// let (fto, ctx) = (PuzzleDefinition::parse("o f 0.333")?, Context::silent());
/// let search = PuzzleSearch::new(fto, &Restriction::default(), &ctx)?;
/// let position = search.read_position("U R F L' BR")?;
/// let found = search.solutions(&position, &SearchRequest::default(), &ctx, |_| {})?;
/// assert_eq!(search.text(&found.solutions[0]), "L BR' F' R' U'");
/// # Ok::<(), twistbase_core::error::Error>(())
/// ```
#[derive(Debug)]
pub struct PuzzleSearch {
    /// The puzzle by whose names positions are read.
    whole: PuzzleDefinition,
    /// The restricted puzzle.
    definition: PuzzleDefinition,
    turns: Vec<Turn>,
    /// For each turn, the turns that must not follow it, and those that stay barred after it.
    bars: Vec<[u128; 2]>,
    first: Arc<Tables>,
    /// The largest tables.
    latest: Mutex<Arc<Tables>>,
    /// Held by the thread that makes larger ones. Nobody waits for it: it works on all threads, and one of them would wait for itself.
    growing: Mutex<()>,
}

/// Tables of distances in coarser puzzles.
#[derive(Debug)]
struct Tables {
    /// The most positions of each.
    positions: u64,
    bounds: Vec<Bound>,
}

/// Which solutions a search lists, and how long it may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SearchRequest {
    /// How many, the shortest first; `None` for all of the least length.
    pub count: Option<usize>,
    /// How many turns longer than the shortest ones all may be; `None` for any number.
    pub extra: Option<usize>,
    /// The least and the most turns of a solution.
    pub turns: [usize; 2],
    /// When to stop.
    pub deadline: Option<Instant>,
    /// The nodes to visit; each thread may exceed them by some thousands.
    pub nodes: Option<u64>,
    /// Bytes for tables; default: half of the free memory.
    pub memory: Option<u64>,
    /// Whether the same request always has the same answer, if no deadline ends it: one thread searches with the first tables.
    pub is_repeatable: bool,
}

impl Default for SearchRequest {
    /// One shortest solution, of at most 255 turns, without limits.
    fn default() -> Self {
        Self {
            count: Some(1),
            extra: None,
            turns: [0, 255],
            deadline: None,
            nodes: None,
            memory: None,
            is_repeatable: false,
        }
    }
}

/// What a search found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SearchFound {
    /// Solutions as numbers of turns, the shortest first.
    pub solutions: Vec<Vec<usize>>,
    /// No solution has fewer turns.
    pub at_least: usize,
    /// Whether it is all that was asked for. A limit or an interrupt ends a search earlier.
    pub is_complete: bool,
    /// The nodes that it took.
    pub nodes: u64,
}

/// What happens during a search.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SearchEvent<'a> {
    /// Larger tables are made, of at most this number of positions.
    Tables(u64),
    /// The solutions of a length are listed.
    Searched {
        /// The length.
        turns: usize,
        /// The nodes that it took.
        nodes: u64,
    },
    /// The nodes so far, told now and then.
    Nodes(u64),
    /// A solution.
    Found(&'a [usize]),
}

/// Hears of the events of a search, from any thread.
type Tell<'a> = dyn Fn(SearchEvent<'_>) + Sync + 'a;

/// Distances in a coarser puzzle.
#[derive(Debug)]
struct Bound {
    space: PuzzleSpace,
    /// Distances modulo 3 in two bits, 3 for what no turns reach.
    quarters: Vec<u8>,
    row_bytes: usize,
}

/// The pieces of an orbit that a coarser puzzle distinguishes.
#[derive(Debug, Clone)]
struct Kept {
    orbit: usize,
    /// The numbers of pieces.
    pieces: Vec<u8>,
    /// Whether it knows the orientations of all pieces, not of these alone.
    twists: bool,
    /// The most positions.
    size: u128,
}

impl PuzzleSearch {
    /// A search of a restricted puzzle. Makes its first tables, which takes a moment.
    ///
    /// # Errors
    /// [`Error::Usage`] for a puzzle with more turns than can be searched; those of [`PuzzleDefinition::restricted`];
    /// [`Error::Memory`]; [`Error::Interrupted`].
    pub fn new(whole: PuzzleDefinition, restriction: &Restriction, ctx: &Context) -> Result<Self> {
        let definition = whole.restricted(restriction)?;
        let turns = definition.turns();
        if turns.len() > PuzzleSpace::MOST_TURNS {
            let (turns, most) = (turns.len(), PuzzleSpace::MOST_TURNS);
            return Err(Error::Usage(format!("this puzzle has {turns} turns, and a search takes at most {most}")));
        }
        // What two turns of a move do, one does. In quarter turns only one that undoes the other is of no use.
        let is_barred = |after: &Turn, turn: &Turn| {
            after.of == turn.of
                && (!definition.quarter_turns || definition.inverse(&after.transformation) == turn.transformation)
        };
        let bar = |(turn, [earlier, all]): (&Turn, [u128; 2])| {
            let barred = (0..turns.len()).filter(|&other| is_barred(turn, &turns[other]));
            [barred.fold(earlier, |bits, other| bits | 1 << other), all]
        };
        let bars = turns.iter().zip(definition.commuting(&turns)).map(bar).collect();
        let first = Arc::new(Tables::first(&definition, &turns, ctx)?);
        let (latest, growing) = (Mutex::new(Arc::clone(&first)), Mutex::default());
        Ok(Self { whole, definition, turns, bars, first, latest, growing })
    }

    /// The most positions of each of the first tables.
    pub const FIRST_POSITIONS: u64 = FIRST_POSITIONS;

    /// The restriction of the puzzle.
    pub fn definition(&self) -> &PuzzleDefinition {
        &self.definition
    }

    /// The whole puzzle.
    pub fn whole(&self) -> &PuzzleDefinition {
        &self.whole
    }

    /// The turns.
    pub fn turns(&self) -> &[Turn] {
        &self.turns
    }

    /// Reads a position by the names of the whole puzzle, as [`PuzzleDefinition::read_position`] does.
    ///
    /// # Errors
    /// Those of it.
    pub fn read_position(&self, input: &str) -> Result<Pattern> {
        Ok(self.position_of(&self.whole.read_position(input)?))
    }

    /// What is left of a position of the whole puzzle.
    pub fn position_of(&self, position: &Pattern) -> Pattern {
        self.whole.position_in(&self.definition, position)
    }

    /// The names of turns.
    pub fn text(&self, turns: &[usize]) -> String {
        turns.iter().map(|&turn| self.turns[turn].name.as_str()).collect::<Vec<_>>().join(" ")
    }

    /// The fewest turns that may solve a position, by the first tables: a lower bound, found at once.
    ///
    /// # Errors
    /// [`Error::Invalid`] for a position that no moves lead to, if the tables show it.
    pub fn bound(&self, position: &Pattern) -> Result<usize> {
        let searcher = Searcher { search: self, tables: Arc::clone(&self.first), began: Instant::now() };
        let least = searcher.root(position)?.least();
        // The coarser puzzles together need not tell all positions apart.
        Ok(if least == 0 && !searcher.is_solved(position) { 1 } else { least })
    }

    /// The turns that can begin a solution: its first, and those that commute with all before them.
    pub fn first_turns(&self, solution: &[usize]) -> impl Iterator<Item = usize> {
        let commute = |one: usize, other: usize| self.bars[one][1] >> other & 1 == 1;
        let can_be_first = move |at: &usize| solution[..*at].iter().all(|&before| commute(before, solution[*at]));
        (0..solution.len()).filter(can_be_first).map(|at| solution[at])
    }

    /// Solutions of a position, as numbers of turns, the shortest first; of those that differ in the order of turns that commute one.
    /// None is solved before its end. Works on all threads of the caller's pool, unless it is repeatable. An interrupt ends it as a
    /// limit does.
    ///
    /// # Errors
    /// [`Error::Invalid`] for a position that no moves lead to, if the tables show it; [`Error::Memory`].
    pub fn solutions(
        &self,
        position: &Pattern,
        request: &SearchRequest,
        ctx: &Context,
        each: impl FnMut(SearchEvent<'_>) + Send,
    ) -> Result<SearchFound> {
        let each = Mutex::new(each);
        let tell = |event: SearchEvent<'_>| each.lock().unwrap_or_else(PoisonError::into_inner)(event);
        let meter = SharedMeter::new(request.deadline, request.nodes, ctx);
        let mut found = SearchFound { solutions: Vec::new(), at_least: 0, is_complete: false, nodes: 0 };
        let searched = self.search(position, request, ctx, &meter, &tell, &mut found);
        found.nodes = meter.nodes();
        match searched {
            Err(Error::Interrupted) => Ok(found),
            searched => searched.map(|is_complete| SearchFound { is_complete, ..found }),
        }
    }

    /// The largest tables.
    fn latest(&self) -> Arc<Tables> {
        Arc::clone(&self.latest.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// A position after turns.
    fn after(&self, position: &Pattern, turns: &[usize]) -> Pattern {
        let turned = |at: Pattern, &turn: &usize| self.definition.apply(&at, &self.turns[turn].transformation);
        turns.iter().fold(position.clone(), turned)
    }

    /// Adds solutions to those that were found. Returns whether they are all.
    fn search(
        &self,
        position: &Pattern,
        request: &SearchRequest,
        ctx: &Context,
        meter: &SharedMeter<'_>,
        tell: &Tell<'_>,
        found: &mut SearchFound,
    ) -> Result<bool> {
        let [least, mut most] = request.turns;
        let wanted = request.count.unwrap_or(usize::MAX);
        let is_one = request.count.is_none_or(|count| count == 1) && request.extra.is_none();
        let tables = if request.is_repeatable { Arc::clone(&self.first) } else { self.latest() };
        let mut searcher = Searcher { search: self, tables, began: Instant::now() };
        let mut root = searcher.root(position)?;
        if least == 0 && searcher.is_solved(position) {
            tell(SearchEvent::Found(&[]));
            found.solutions.push(Vec::new());
            if is_one {
                return Ok(true);
            }
            most = most.min(request.extra.unwrap_or(most));
        }
        let mut nodes_before = 0;
        let mut depth = root.least().max(least).max(1);
        while depth <= most && found.solutions.len() < wanted {
            if found.solutions.is_empty() {
                found.at_least = depth;
            }
            let before = meter.nodes();
            let task = Task {
                searcher: &searcher,
                position,
                meter,
                tell,
                all: wanted - found.solutions.len() > 1,
                is_shared: !request.is_repeatable,
                // Else a shorter solution would have been found.
                may_pass_solved: least > 0 || !found.solutions.is_empty(),
            };
            let mut of_depth = task.search(&root, depth);
            of_depth.truncate(wanted - found.solutions.len());
            of_depth.iter().for_each(|solution| tell(SearchEvent::Found(solution)));
            if found.solutions.is_empty() && !of_depth.is_empty() {
                let extra = request.extra.or(request.count.is_none().then_some(0));
                most = extra.map_or(most, |extra| most.min(depth + extra));
            }
            found.solutions.append(&mut of_depth);
            if meter.is_over() && found.solutions.len() < wanted {
                return Ok(false);
            }
            let nodes = meter.nodes() - before;
            tell(SearchEvent::Searched { turns: depth, nodes });
            depth += 1;
            // The next depth takes about as many times longer as the last one did.
            let expected = nodes.saturating_mul((nodes / (nodes_before + 1)).clamp(2, 32));
            nodes_before = nodes;
            while depth <= most
                && found.solutions.len() < wanted
                && !request.is_repeatable
                && expected.saturating_mul(POSITIONS_A_NODE) > searcher.tables.positions.saturating_mul(GROWTH)
                && searcher.grow(request, meter, ctx, tell)?
            {
                root = searcher.root(position)?;
            }
        }
        if found.solutions.is_empty() {
            found.at_least = depth;
        }
        Ok(true)
    }
}

impl Tables {
    /// The first tables of a puzzle.
    fn first(definition: &PuzzleDefinition, turns: &[Turn], ctx: &Context) -> Result<Self> {
        if !definition.up_to.is_empty() {
            // A coset tells all that matters.
            let bounds = vec![Bound::new(PuzzleSpace::new(definition.clone())?, ctx)?];
            return Ok(Self { positions: u64::MAX, bounds });
        }
        let kept = kept(definition, turns, FIRST_POSITIONS.into());
        Self::new(definition, &kept, FIRST_POSITIONS, available_memory() / 2, ctx)
    }

    /// Tables of the coarser puzzles that distinguish some pieces.
    fn new(
        definition: &PuzzleDefinition,
        kept: &[Vec<Kept>],
        positions: u64,
        memory: u64,
        ctx: &Context,
    ) -> Result<Self> {
        let bound = |group: &Vec<Kept>| Bound::of_group(definition, group, memory, ctx);
        let bounds: Result<Vec<_>> = kept.par_iter().map(bound).collect();
        let mut bounds: Vec<Bound> = bounds?.into_iter().flatten().collect();
        // The largest first: they rule out most.
        bounds.sort_by_key(|bound| std::cmp::Reverse(bound.quarters.len()));
        Ok(Self { positions, bounds })
    }

    /// The positions of all tables.
    fn states(&self) -> u128 {
        self.bounds.iter().map(|bound| bound.space.states()).sum()
    }
}

/// A search with its tables.
struct Searcher<'a> {
    search: &'a PuzzleSearch,
    tables: Arc<Tables>,
    began: Instant,
}

impl Searcher<'_> {
    /// Takes the next larger tables, and makes them if there are none. Returns `false` if another thread is making them, or if they take
    /// too much memory, or too much of the time that is left.
    fn grow(
        &mut self,
        request: &SearchRequest,
        meter: &SharedMeter<'_>,
        ctx: &Context,
        tell: &Tell<'_>,
    ) -> Result<bool> {
        let PuzzleSearch { definition, turns, growing, .. } = self.search;
        let Ok(_growing) = growing.try_lock() else { return Ok(false) };
        let others = self.search.latest();
        if others.positions > self.tables.positions {
            self.tables = others;
            return Ok(true);
        }
        let positions = self.tables.positions * GROWTH;
        let kept = kept(definition, turns, positions.into());
        // Eight bits a position while tables are made, two afterwards.
        let all: u128 = kept.iter().map(|group| size_of(group)).sum();
        let memory = request.memory.unwrap_or_else(|| available_memory() / 2);
        let in_time = request.deadline.is_none_or(|deadline| {
            let (left, so_far) = (deadline.saturating_duration_since(Instant::now()), self.began.elapsed());
            let nodes = all as f64 / POSITIONS_A_NODE as f64;
            so_far.as_secs_f64() * nodes / meter.nodes().max(1) as f64 <= left.as_secs_f64() / 2.0
        });
        if all <= self.tables.states() || all > memory.into() || !in_time {
            return Ok(false);
        }
        tell(SearchEvent::Tables(positions));
        self.tables = Arc::new(Tables::new(definition, &kept, positions, memory, ctx)?);
        *self.search.latest.lock().unwrap_or_else(PoisonError::into_inner) = Arc::clone(&self.tables);
        Ok(true)
    }

    /// Where the search begins.
    fn root(&self, position: &Pattern) -> Result<Node> {
        let mut root = Node::default();
        for bound in &self.tables.bounds {
            let state = bound.state(&self.search.definition, position);
            let distance = state.as_ref().and_then(|state| bound.distance(state));
            let (Some(state), Some(distance)) = (state, distance) else {
                let text = self.search.definition.kpattern(position).to_string();
                return Err(refused(&text, "position", vec![unreached()]).into());
            };
            root.states.extend(state);
            root.distances.push(distance);
        }
        Ok(root)
    }

    /// Makes a turn. Returns `false` if it is barred, or solved cannot be reached in the `left` turns of which it is the first;
    /// then what `to` holds is of no meaning.
    fn step(&self, from: &Node, turn: usize, left: usize, to: &mut Node) -> bool {
        if from.barred >> turn & 1 == 1 {
            return false;
        }
        let mut begin = 0;
        for ((bound, &before), distance) in self.tables.bounds.iter().zip(&from.distances).zip(&mut to.distances) {
            let range = begin..begin + bound.space.solved.len();
            begin = range.end;
            bound.space.product.after_into(&from.states[range.clone()], turn, &mut to.states[range.clone()]);
            *distance = bound.near(&to.states[range], before);
            if usize::from(*distance) >= left {
                return false;
            }
        }
        let [not_next, still] = self.search.bars[turn];
        to.barred = from.barred & still | not_next;
        true
    }

    /// Whether a position counts as solved. A puzzle that is solved up to moves has a table for this.
    fn is_solved(&self, position: &Pattern) -> bool {
        let definition = &self.search.definition;
        if definition.up_to.is_empty() {
            return *position == definition.solved;
        }
        let space = &self.tables.bounds[0].space;
        space.state(position).as_ref() == Some(&space.solved)
    }

    /// A position after turns.
    fn after(&self, position: &Pattern, turns: &[usize]) -> Pattern {
        self.search.after(position, turns)
    }
}

/// The pieces that the coarser puzzles distinguish, each puzzle with at most this number of positions.
fn kept(definition: &PuzzleDefinition, turns: &[Turn], positions: u128) -> Vec<Vec<Kept>> {
    let mut parts = Vec::new();
    for number in 0..definition.ranges().count() {
        parts_of_orbit(definition, turns, number, positions, &mut parts);
    }
    parts.sort_by_key(|part: &Kept| std::cmp::Reverse(part.size));
    // Many pieces that are alike have many arrangements. They wait for larger tables, unless there are no others.
    let is_small = |part: &Kept| part.size <= positions;
    if parts.iter().any(is_small) {
        parts.retain(is_small);
    }
    let mut groups: Vec<Vec<Kept>> = Vec::new();
    for part in parts {
        let fits = |group: &&mut Vec<Kept>| {
            size_of(group) * part.size <= positions && group.iter().all(|other| other.orbit != part.orbit)
        };
        match groups.iter_mut().find(fits) {
            Some(group) => group.push(part),
            None => groups.push(vec![part]),
        }
    }
    groups
}

/// Splits an orbit into parts of distinguished pieces.
fn parts_of_orbit(
    definition: &PuzzleDefinition,
    turns: &[Turn],
    number: usize,
    positions: u128,
    parts: &mut Vec<Kept>,
) {
    let (orbit, range) = definition.ranges().nth(number).expect("an orbit of the puzzle");
    let moves = |place: &usize| {
        let changes = |turn: &Turn| {
            let transformation = &turn.transformation;
            usize::from(transformation.from[*place]) != *place || transformation.twist[*place] != 0
        };
        turns.iter().any(changes)
    };
    let solved = &definition.solved;
    let moving: Vec<usize> = range.clone().filter(moves).collect();
    // How many pieces of each kind move.
    let mut kinds: Vec<(u8, usize)> = Vec::new();
    for &place in &moving {
        match kinds.iter_mut().find(|(piece, _)| *piece == solved.pieces[place]) {
            Some((_, count)) => *count += 1,
            None => kinds.push((solved.pieces[place], 1)),
        }
    }
    if moving.is_empty() {
        return;
    }
    let power = |count: usize| (orbit.orientations as u128).checked_pow(count as u32).unwrap_or(u128::MAX);
    let of_all = power(moving.len());
    let one = arrangements(moving.len(), &kinds[..1]);
    let twists = orbit.orientations == 1 || of_all <= MOST_TWISTS && one.saturating_mul(of_all) <= positions;
    let size = |kinds: &[(u8, usize)]| {
        let arranged = arrangements(moving.len(), kinds);
        let counted: usize = kinds.iter().map(|(_, count)| count).sum();
        arranged.saturating_mul(if twists { of_all } else { power(counted) })
    };
    let fits = |kinds: &[(u8, usize)]| {
        let most = if twists { MOST_ARRANGEMENTS } else { MOST_TWISTS };
        let alone = if twists { arrangements(moving.len(), kinds) } else { size(kinds) };
        alone <= most && size(kinds) <= positions
    };
    let longest = (1..=kinds.len()).rev().find(|&count| kinds.chunks(count).all(fits)).unwrap_or(1);
    // As many parts as are needed, of about the same size.
    let each = kinds.len().div_ceil(kinds.len().div_ceil(longest));
    parts.extend(kinds.chunks(each).map(|kinds| Kept {
        orbit: number,
        pieces: kinds.iter().map(|&(piece, _)| piece).collect(),
        twists,
        size: size(kinds),
    }));
}

/// The number of positions that some parts have together, at most.
fn size_of(group: &[Kept]) -> u128 {
    group.iter().fold(1, |size, kept| size.saturating_mul(kept.size))
}

/// The number of arrangements of pieces of some kinds in places, the others all alike.
fn arrangements(places: usize, kinds: &[(u8, usize)]) -> u128 {
    let mut left = places as u128;
    let mut ways = BigUint::from(1u32);
    for &(_, count) in kinds {
        for number in 1..=count as u128 {
            ways = ways * left / number;
            left -= 1;
        }
    }
    ways.try_into().unwrap_or(u128::MAX)
}

impl Bound {
    /// The table of a coarser puzzle; `None` if its positions cannot be numbered.
    fn of_group(definition: &PuzzleDefinition, group: &[Kept], memory: u64, ctx: &Context) -> Result<Option<Self>> {
        let mut coarse = definition.clone();
        coarse.illegal.clear();
        for (number, (_, range)) in definition.ranges().enumerate() {
            let kept = group.iter().find(|kept| kept.orbit == number);
            let periods = &definition.solved.period[range.clone()];
            let has_period = kept.is_some_and(|kept| kept.twists) && periods.iter().all(|&period| period == periods[0]);
            coarse.leave_alike(range, kept.map_or(&[], |kept| &kept.pieces), has_period);
        }
        let Ok(space) = PuzzleSpace::of_coordinates(coarse) else { return Ok(None) };
        // It may have more positions than were thought, where orders of pieces are numbered that no moves reach.
        if space.product.memory(Keep::Modulo3) > memory.max(FIRST_POSITIONS).into() {
            return Ok(None);
        }
        Self::new(space, ctx).map(Some)
    }

    fn new(space: PuzzleSpace, ctx: &Context) -> Result<Self> {
        let rows = space.product.rows();
        let row_bytes = (space.entries() as usize).div_ceil(quarters::PER_BYTE);
        let levels = space.levels(&space.whole(), None, ctx)?;
        let mut quarters = vec![0; rows * row_bytes];
        quarters.par_chunks_mut(row_bytes).enumerate().for_each(|(row, bytes)| levels.write_row(row, bytes));
        drop(levels);
        Ok(Self { space, quarters, row_bytes })
    }

    /// The values of a position of the puzzle.
    fn state(&self, definition: &PuzzleDefinition, position: &Pattern) -> Option<Vec<u32>> {
        self.space.state(&definition.position_in(self.space.definition(), position))
    }

    /// What the table has: the distance modulo 3.
    fn value(&self, state: &[u32]) -> u8 {
        let (row, entry) = self.space.product.place(state);
        let (byte, slot) = (entry as usize / quarters::PER_BYTE, entry as usize % quarters::PER_BYTE);
        quarters::pick(self.quarters[row * self.row_bytes + byte], slot)
    }

    /// The distance beside a position whose distance is known.
    fn near(&self, state: &[u32], beside: u16) -> u16 {
        // A turn changes the distance by one at most.
        match (u16::from(self.value(state)) + 3 - beside % 3) % 3 {
            0 => beside,
            1 => beside + 1,
            _ => beside - 1,
        }
    }

    /// The distance, by a walk to solved; `None` if no turns lead there.
    fn distance(&self, state: &[u32]) -> Option<u16> {
        let product = &self.space.product;
        let (mut at, mut distance) = (state.to_vec(), 0);
        let mut value = self.value(&at);
        if value == 3 {
            return None;
        }
        while at != self.space.solved {
            let nearer = (0..self.space.turns().len()).map(|turn| product.after(&at, turn));
            at = nearer.into_iter().find(|next| self.value(next) == (value + 2) % 3)?;
            value = (value + 2) % 3;
            distance += 1;
        }
        Some(distance)
    }
}

/// A position on the way, as the coarser puzzles see it.
#[derive(Debug, Clone, Default)]
struct Node {
    /// The values of all bounds, one after the other.
    states: Vec<u32>,
    /// The distance in each.
    distances: Vec<u16>,
    /// Turns that must not follow: they could as well have come before, or would undo the last of their move.
    barred: u128,
    /// The turns that lead to where the work is shared.
    path: Vec<usize>,
}

impl Node {
    /// The turns that it takes at least.
    fn least(&self) -> usize {
        self.distances.iter().copied().max().unwrap_or(0).into()
    }
}

/// The search for solutions of one length.
#[derive(Clone, Copy)]
struct Task<'a> {
    searcher: &'a Searcher<'a>,
    position: &'a Pattern,
    meter: &'a SharedMeter<'a>,
    tell: &'a Tell<'a>,
    /// Whether all are wanted, not the first alone.
    all: bool,
    /// Whether all threads work.
    is_shared: bool,
    /// Whether turns may lead through solved. Such a sequence is no solution.
    may_pass_solved: bool,
}

impl Task<'_> {
    /// The solutions of a depth: the first, or all. If the search is over before, only some.
    fn search(&self, root: &Node, depth: usize) -> Vec<Vec<usize>> {
        let walk = |begin: &Node| {
            let mut walk = Walk { task: *self, own_nodes: 0, found: Vec::new() };
            if self.meter.is_over() {
                return walk.found;
            }
            let mut stack = vec![begin.clone(); depth - begin.path.len() + 1];
            walk.descend(&mut stack, &mut begin.path.clone());
            walk.look(walk.own_nodes % NODES_A_LOOK);
            walk.found
        };
        let mut begins = vec![root.clone()];
        for made in 0..SHARED_TURNS.min(depth - 1) {
            let mut longer = Vec::new();
            for node in &begins {
                for turn in 0..self.searcher.search.turns.len() {
                    let mut next = node.clone();
                    if self.searcher.step(node, turn, depth - made, &mut next) {
                        next.path.push(turn);
                        longer.extend(self.may_go_on(&next, &next.path).then_some(next));
                    }
                }
            }
            self.meter.count(longer.len() as u64);
            begins = longer;
        }
        let first = |begin: &Node| walk(begin).into_iter().next();
        match (self.all, self.is_shared) {
            (true, true) => begins.par_iter().flat_map_iter(walk).collect(),
            (true, false) => begins.iter().flat_map(walk).collect(),
            (false, true) => begins.par_iter().find_map_first(first).into_iter().collect(),
            (false, false) => begins.iter().find_map(first).into_iter().collect(),
        }
    }

    /// Whether the position after turns can exist, and is not solved where that may be.
    fn may_go_on(&self, node: &Node, path: &[usize]) -> bool {
        let may_be_solved = self.may_pass_solved && node.least() == 0;
        let definition = &self.searcher.search.definition;
        if !may_be_solved && definition.illegal.is_empty() {
            return true;
        }
        let at = self.searcher.after(self.position, path);
        definition.is_legal(&at) && !(may_be_solved && self.searcher.is_solved(&at))
    }
}

/// A thread's part of the search.
struct Walk<'a> {
    task: Task<'a>,
    own_nodes: u64,
    found: Vec<Vec<usize>>,
}

impl Walk<'_> {
    /// Counts nodes against the limits, and tells how many there are.
    fn look(&self, nodes: u64) {
        let Task { meter, tell, .. } = self.task;
        // An interrupt ends the search, as a limit does.
        let _ = meter.spend(nodes);
        tell(SearchEvent::Nodes(meter.nodes()));
    }

    /// Tries all turns from the first node of a stack that has room for the others; `path` leads there. Returns `false` if the search
    /// is over.
    fn descend(&mut self, stack: &mut [Node], path: &mut Vec<usize>) -> bool {
        let [node, rest @ ..] = stack else { return true };
        let Task { searcher, position, meter, .. } = self.task;
        if rest.is_empty() {
            // The coarser puzzles together need not tell all positions apart.
            if searcher.is_solved(&searcher.after(position, path)) {
                self.found.push(path.clone());
            }
            return true;
        }
        for turn in 0..searcher.search.turns.len() {
            if !searcher.step(node, turn, rest.len(), &mut rest[0]) {
                continue;
            }
            self.own_nodes += 1;
            if self.own_nodes.is_multiple_of(NODES_A_LOOK) {
                self.look(NODES_A_LOOK);
                if meter.is_over() {
                    return false;
                }
            }
            path.push(turn);
            let goes_on = !(rest.len() == 1 || self.task.may_go_on(&rest[0], path)) || self.descend(rest, path);
            path.pop();
            if !goes_on {
                return false;
            }
            if !self.task.all && !self.found.is_empty() {
                break;
            }
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeSet, HashMap};

    use super::*;

    /// All positions up to a depth, with their distances: a plain search over patterns.
    fn distances(definition: &PuzzleDefinition, depth: usize) -> Vec<HashMap<Pattern, usize>> {
        let mut levels = vec![HashMap::from([(definition.solved.clone(), 0)])];
        let mut known = levels[0].clone();
        let turns = definition.turns();
        for distance in 1..=depth {
            let mut level = HashMap::new();
            for at in levels[distance - 1].keys() {
                for turn in &turns {
                    let next = definition.apply(at, &turn.transformation);
                    if definition.is_legal(&next) && !known.contains_key(&next) {
                        level.insert(next, distance);
                    }
                }
            }
            known.extend(level.clone());
            levels.push(level);
        }
        levels
    }

    /// All shortest words, each as the least of those that differ in the order of turns that commute.
    fn words(
        search: &PuzzleSearch,
        levels: &[HashMap<Pattern, usize>],
        at: &Pattern,
        left: usize,
    ) -> BTreeSet<Vec<usize>> {
        if left == 0 {
            return BTreeSet::from([Vec::new()]);
        }
        let mut all = BTreeSet::new();
        for (number, turn) in search.turns.iter().enumerate() {
            let next = search.definition.apply(at, &turn.transformation);
            if levels[left - 1].contains_key(&next) {
                let rest = words(search, levels, &next, left - 1);
                all.extend(rest.into_iter().map(|rest| least(search, [vec![number], rest].concat())));
            }
        }
        all
    }

    fn least(search: &PuzzleSearch, mut word: Vec<usize>) -> Vec<usize> {
        let commute = |one: usize, other: usize| {
            let [one, other] = [one, other].map(|turn| &search.turns[turn].transformation);
            search.definition.compose(one, other) == search.definition.compose(other, one)
        };
        // The least first turn that can come first, then the same of the rest.
        for begin in 0..word.len() {
            let can_be_first = |&at: &usize| (begin..at).all(|before| commute(word[before], word[at]));
            let first =
                (begin..word.len()).filter(can_be_first).min_by_key(|&at| (word[at], at)).expect("the first one can");
            word[begin..=first].rotate_right(1);
        }
        word
    }

    fn searching(definition: PuzzleDefinition) -> PuzzleSearch {
        PuzzleSearch::new(definition, &Restriction::default(), &Context::silent()).unwrap()
    }

    /// All positions that the moves up to which a puzzle is solved reach from solved.
    fn solved_positions(definition: &PuzzleDefinition) -> Vec<Pattern> {
        let mut all = vec![definition.solved.clone()];
        let mut next = 0;
        while let Some(at) = all.get(next).cloned() {
            for one in &definition.up_to {
                let after = definition.apply(&at, &one.transformation);
                if !all.contains(&after) {
                    all.push(after);
                }
            }
            next += 1;
        }
        all
    }

    /// What is left of a puzzle is solved in its own steps, and longer solutions follow the shortest.
    #[test]
    fn restricted_puzzles_are_solved_in_their_steps() {
        let cube = PuzzleDefinition::parse("c f 0.333").unwrap();
        let names = |names: &[&str]| Some(names.iter().map(|name| (*name).to_owned()).collect());
        for (moves, quarter_turns, ignored, up_to, scramble) in [
            (names(&["R", "U"]), false, vec![], None, "R U R'"),
            (names(&["R", "U"]), true, vec![], None, "R2 U"),
            (names(&["R2", "U", "F2"]), false, vec!["CORNER"], None, "U F2"),
            (names(&["R", "F"]), true, vec!["EDGE:places", "CORNER:orientations"], None, "F R2"),
            (names(&["R", "F"]), false, vec!["EDGE", "CORNER:places"], None, "R F R2"),
            (names(&["R", "U"]), false, vec!["CORNER"], names(&["U2", "R2"]), "R U R' U"),
            (names(&["R", "F"]), true, vec!["EDGE"], names(&["F", "R2 U2 R2"]), "F R2"),
        ] {
            let ignored: Vec<crate::Ignored> = ignored.into_iter().map(|text| text.parse().unwrap()).collect();
            let restriction = Restriction { moves, quarter_turns, pieces: None, ignored, up_to };
            let search = PuzzleSearch::new(cube.clone(), &restriction, &Context::silent()).unwrap();
            let position = search.read_position(scramble).unwrap();
            let solved = solved_positions(search.definition());
            let request = SearchRequest { count: Some(usize::MAX), turns: [0, 5], ..SearchRequest::default() };
            let found = search.solutions(&position, &request, &Context::silent(), |_| {}).unwrap().solutions;
            assert!(found.is_sorted_by_key(Vec::len), "{restriction:?}");
            // No two of these moves commute: all words that solve it, and not before, without two turns of a move in a row, or in
            // quarter turns without one that undoes the last.
            let turns = search.definition().turns();
            let may_follow = |pair: &[usize]| match quarter_turns {
                true => {
                    let [one, two] = [pair[0], pair[1]].map(|turn| &turns[turn].transformation);
                    search.definition.compose(one, two) != search.definition.identity()
                }
                false => turns[pair[0]].of != turns[pair[1]].of,
            };
            let mut words: Vec<Vec<usize>> = vec![vec![]];
            let mut expected = Vec::new();
            for _ in 0..=5 {
                let (solves, on): (Vec<_>, Vec<_>) =
                    words.into_iter().partition(|word| solved.contains(&search.after(&position, word)));
                expected.extend(solves);
                let longer = on.iter().flat_map(|word| (0..turns.len()).map(|turn| [&word[..], &[turn]].concat()));
                words = longer.filter(|word| word.len() < 2 || may_follow(&word[word.len() - 2..])).collect();
            }
            assert_eq!(found.len(), expected.len(), "{restriction:?}");
            assert_eq!(BTreeSet::from_iter(found.clone()), BTreeSet::from_iter(expected), "{restriction:?}");
            let few = SearchRequest { count: Some(2), turns: [found[0].len() + 1, 5], ..SearchRequest::default() };
            let longer = search.solutions(&position, &few, &Context::silent(), |_| {}).unwrap().solutions;
            assert!(longer.len() <= 2 && longer.iter().all(|word| word.len() > found[0].len()), "{restriction:?}");
        }
    }

    const BLOCKED: &str = "Set TILE 5 1\nSolved\nTILE\n1 2 3 3 4\nEnd\nMove A\nTILE\n2 3 1 4 5\nEnd\nMove B\nTILE\n1 2 4 5 3\nEnd\n\
                           Illegal TILE 2 4\n";

    #[test]
    fn solutions_are_those_of_a_plain_search() {
        for (text, depth, every) in [
            ("c f 0", 3, 17),
            ("c f 0.333", 3, 53),
            ("c f 0.5 f 0", 2, 7),
            ("c v 0.577 hold UF", 4, 401),
            ("o f 0.333", 3, 97),
            ("t v 0.333 v 1.667", 4, 211),
            ("d f 0.7", 2, 61),
            (BLOCKED, 6, 1),
        ] {
            let definition = PuzzleDefinition::parse(text).unwrap();
            let levels = distances(&definition, depth);
            let search = searching(definition.clone());
            for (distance, level) in levels.iter().enumerate() {
                let mut positions: Vec<&Pattern> = level.keys().collect();
                positions.sort_by_key(|position| (&position.pieces, &position.twist));
                for position in positions.into_iter().step_by(every) {
                    let solve = |search: &PuzzleSearch, most, all: bool| {
                        let request =
                            SearchRequest { count: (!all).then_some(1), turns: [0, most], ..SearchRequest::default() };
                        search.solutions(position, &request, &Context::silent(), |_| {}).unwrap().solutions
                    };
                    let all = solve(&search, distance, true);
                    let listed: BTreeSet<_> = all.iter().map(|word| least(&search, word.clone())).collect();
                    assert_eq!(listed.len(), all.len(), "{text}: each once");
                    assert_eq!(listed, words(&search, &levels, position, distance), "{text}: {position:?}");
                    assert_eq!(solve(&search, distance + 1, false), all[..1], "{text}: the first of them");
                    if distance > 0 {
                        assert!(solve(&search, distance - 1, true).is_empty());
                    }
                }
            }
        }
    }

    /// Larger tables rule out more, and change no solution. A repeatable search keeps to the first.
    #[test]
    fn tables_grow_while_solutions_stay() {
        let definition = PuzzleDefinition::parse("c f 0.333").unwrap();
        let position = definition.read_position("R U2 F' L D B2 R' U F D'").unwrap();
        let (search, ctx) = (searching(definition), Context::silent());
        let all = SearchRequest { count: None, turns: [0, 10], ..SearchRequest::default() };
        let solve = |request| search.solutions(&position, &request, &ctx, |_| {}).unwrap();
        let small = solve(SearchRequest { is_repeatable: true, ..all });
        let mut searcher = Searcher { search: &search, tables: search.latest(), began: Instant::now() };
        assert!(searcher.grow(&all, &SharedMeter::new(None, None, &ctx), &ctx, &|_| {}).unwrap());
        let large = solve(all);
        assert!(large.nodes < small.nodes, "{} {}", large.nodes, small.nodes);
        assert!(small.solutions.iter().all(|word| search.after(&position, word) == search.definition.solved));
        assert_eq!(SearchFound { nodes: small.nodes, ..large }, small);
        assert_eq!(solve(SearchRequest { is_repeatable: true, ..all }), small);
        assert_eq!((small.at_least, small.is_complete), (small.solutions[0].len(), true));
    }

    /// What a limit leaves is true, and the same each time if it should be.
    #[test]
    fn limits_leave_a_lower_bound() {
        let definition = PuzzleDefinition::parse("o f 0.333").unwrap();
        let position = definition.read_position("U R F L' BR U' B L R' F' U BL L R").unwrap();
        let (search, ctx) = (searching(definition), Context::silent());
        let mut bounds = Vec::new();
        for nodes in [0, 5_000, 20_000, 300_000] {
            let request = SearchRequest { nodes: Some(nodes), is_repeatable: true, ..SearchRequest::default() };
            let found = search.solutions(&position, &request, &ctx, |_| {}).unwrap();
            assert_eq!(found, search.solutions(&position, &request, &ctx, |_| {}).unwrap());
            assert!(!found.is_complete && found.solutions.is_empty() && found.nodes < nodes + 2 * NODES_A_LOOK);
            bounds.push(found.at_least);
        }
        assert!(bounds.is_sorted() && bounds[0] >= search.bound(&position).unwrap() && bounds[3] <= 14, "{bounds:?}");
        assert!(bounds[3] > bounds[0], "{bounds:?}");
        let late = SearchRequest { deadline: Some(Instant::now()), ..SearchRequest::default() };
        assert!(!search.solutions(&position, &late, &ctx, |_| {}).unwrap().is_complete);
        ctx.cancel();
        let found = search.solutions(&position, &SearchRequest::default(), &ctx, |_| {}).unwrap();
        assert!(!found.is_complete && found.at_least >= bounds[0]);
    }

    /// The shortest, and those longer by a number of turns; each turn that begins a shortest one.
    #[test]
    fn longer_solutions_follow_the_shortest() {
        let definition = PuzzleDefinition::parse("c f 0").unwrap();
        let levels = distances(&definition, 3);
        let (search, ctx) = (searching(definition.clone()), Context::silent());
        for position in levels[3].keys().take(20).chain(levels[0].keys()) {
            let solve = |extra, count| {
                let request = SearchRequest { count, extra, ..SearchRequest::default() };
                search.solutions(position, &request, &ctx, |_| {}).unwrap()
            };
            let (shortest, longer) = (solve(Some(0), None), solve(Some(2), None));
            let least = shortest.at_least;
            assert_eq!(solve(None, None), shortest);
            assert_eq!(longer.solutions[..shortest.solutions.len()], shortest.solutions);
            assert!(longer.solutions.iter().all(|word| (least..=least + 2).contains(&word.len())));
            assert_eq!(solve(Some(2), Some(usize::MAX)).solutions, longer.solutions);
            let expected: BTreeSet<usize> = (0..search.turns.len())
                .filter(|&turn| least > 0 && levels[least - 1].contains_key(&search.after(position, &[turn])))
                .collect();
            let firsts = shortest.solutions.iter().flat_map(|word| search.first_turns(word));
            assert_eq!(firsts.collect::<BTreeSet<usize>>(), expected);
        }
    }

    #[test]
    fn what_is_blocked_is_refused() {
        let blocked = PuzzleDefinition::parse(BLOCKED).unwrap();
        let turns = ["A", "A'", "B", "B'"];
        let words = turns.iter().flat_map(|one| turns.map(|two| format!("{one} {two}")));
        let (read, refused): (Vec<_>, Vec<_>) = words.map(|word| blocked.read_position(&word)).partition(Result::is_ok);
        assert!(!read.is_empty() && !refused.is_empty());
        for error in refused.into_iter().filter_map(Result::err) {
            let Error::Invalid(error) = error else { panic!("{error}") };
            let problem = &error.problems[0];
            assert!(problem.message.ends_with(" is blocked") && problem.at.is_some(), "{error}");
        }
        let pattern = r#"{"TILE":{"pieces":[0,3,2,2,1],"orientation":[0,0,0,0,0]}}"#;
        assert!(blocked.read_position(pattern).unwrap_err().to_string().contains("where it cannot be"));
    }

    #[test]
    fn what_no_moves_reach_is_refused() {
        let search = searching(PuzzleDefinition::parse("c f 0 hold DBL").unwrap());
        let mut twisted = search.definition().solved.clone();
        twisted.twist[0] = 1;
        let error = search.solutions(&twisted, &SearchRequest::default(), &Context::silent(), |_| {}).unwrap_err();
        assert!(error.to_string().contains("the moves do not lead to this position"), "{error}");
    }
}
