//! A level database of the Square-1 family, open for questions.

use arrayvec::ArrayVec;

use super::ending_distances::EndingEntries;
use super::middle_goal::MiddleGoal;
use super::near_twists::{NEAR, NearTwists};
use crate::Distance;
use twistbase_cache::{CacheMode, CachedTable};
use twistbase_core::error::{Error, Result};
use twistbase_levelset::UNSET;
use twistbase_puzzle::square1::{
    CanonicalPieces, Colouring, Coordinate, Middle, Neighbours, Place, Position, Shape, Turn,
};
use twistbase_store::{Entries, RamTable, Store, StoredTable};
use twistbase_tables::{self as tables, Definition, TwistTable};

/// A level database over any reader of its entries: memory, the store, or the hot cache.
///
/// ```
/// # mod twistbase { pub use twistbase_core::*; pub use twistbase_levelset::Kernel; pub use {twistbase_puzzle as puzzle, twistbase_query as query, twistbase_store as store, twistbase_tables as tables}; }
/// use twistbase::context::Context;
/// use twistbase::Kernel;
/// use twistbase::puzzle::square1::notation::parse_position;
/// use twistbase::query::{MiddleGoal, Square1Table};
/// use twistbase::store::Store;
/// use twistbase::tables::{self, BuildRequest};
///
/// # fn main() -> twistbase::error::Result<()> {
/// let folder = tempfile::tempdir().unwrap();
/// let store = Store::open(folder.path());
/// let definition = tables::find_twists("square1-corners")?;
/// let request = BuildRequest { depth: None, force: false, memory: 1 << 30, kernel: Kernel::detect() };
/// tables::build(&store, definition, &request, &Context::silent())?;
///
/// let table = Square1Table::stored(&store, definition)?;
/// let position = parse_position("(1,0)/(3,3)/(-3,0)/", table.colouring())?.position;
/// assert_eq!(table.distance(&position, MiddleGoal::Ignored)?.twists(), 3);
/// for solution in table.solutions(&position, MiddleGoal::Ignored)? {
///     let end = solution?.sequence().apply(&position).expect("every solution can be executed");
///     assert!(end.is_solved(table.colouring()));
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Square1Table<E> {
    definition: &'static TwistTable,
    coordinate: &'static Coordinate,
    entries: E,
    endings: Option<EndingEntries<E>>,
    near: NearTwists,
    /// Whether solutions end at the solved position, aligned. Else with their last twist.
    ends_solved: bool,
}

/// What a twist does to a position's distance.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TwistOutcome {
    /// The turn before the twist.
    pub turn: Turn,
    /// The position after the twist.
    pub position: Position,
    /// Its distance.
    pub distance: Distance,
    /// Its distance less the one before: -1 on a shortest solution, 0, or 1; with the middle layer also ±3 next to
    /// the solved position.
    pub change: i8,
}

impl Square1Table<StoredTable> {
    /// The table in a store, complete or built to a depth, read page by page.
    ///
    /// # Errors
    /// Those of [`Store::table_to_depth`].
    pub fn stored(store: &Store, definition: &'static TwistTable) -> Result<Self> {
        Ok(Self::over(definition, store.table_to_depth(definition.layout())?))
    }
}

impl Square1Table<CachedTable> {
    /// The table in a store, complete or built to a depth, read through the hot cache.
    ///
    /// # Errors
    /// Those of [`CachedTable::open_to_depth`].
    pub fn cached(store: &Store, definition: &'static TwistTable, cache: CacheMode) -> Result<Self> {
        Ok(Self::over(definition, CachedTable::open_to_depth(store, definition.layout(), cache)?))
    }

    /// [With](Square1Table::with_endings) the table of distances to the position one twist from solved, if the store has it.
    ///
    /// # Errors
    /// Those of [`CachedTable::open`], unless it was never built, or not to its end.
    pub fn with_built_endings(self, store: &Store, cache: CacheMode) -> Result<Self> {
        let definition = tables::endings(self.colouring());
        match CachedTable::open(store, definition.layout(), cache) {
            Err(error) if error.is_not_built() => Ok(self),
            opened => Ok(self.with_endings(EndingEntries::over(definition, opened?))),
        }
    }
}

impl<B: AsRef<[u8]> + Sync> Square1Table<RamTable<B>> {
    /// The table in memory: rows of nibbles as the generator makes them.
    ///
    /// # Errors
    /// [`Error::Usage`] when number or length of the rows is not the layout's.
    pub fn in_memory(definition: &'static TwistTable, rows: Vec<B>) -> Result<Self> {
        Ok(Self::over(definition, RamTable::new(*definition.layout(), rows)?))
    }
}

impl<E: Entries> Square1Table<E> {
    /// The table over any reader; `entries` must be of the definition's layout.
    pub fn over(definition: &'static TwistTable, entries: E) -> Self {
        let (coordinate, near) = (definition.coordinate(), NearTwists::default());
        Self { definition, coordinate, entries, endings: None, near, ends_solved: true }
    }

    /// With solutions that end with their last twist, for entries that are distances to another goal than solved.
    pub(super) fn ending_anyhow(self) -> Self {
        Self { ends_solved: false, ..self }
    }

    /// Whether solutions end at the solved position.
    pub(super) fn ends_solved(&self) -> bool {
        self.ends_solved
    }

    /// With the table of distances to the position one twist from solved, of the same puzzle, beside it. It shows what
    /// [`WcaDistances`](super::WcaDistances) otherwise searches for.
    pub fn with_endings(self, endings: EndingEntries<E>) -> Self {
        Self { endings: Some(endings), ..self }
    }

    /// Its definition.
    pub fn definition(&self) -> &'static TwistTable {
        self.definition
    }

    /// The colouring of its puzzle.
    pub fn colouring(&self) -> Colouring {
        self.definition.colouring()
    }

    /// The coordinate that its entries are numbered by.
    pub(super) fn coordinate(&self) -> &'static Coordinate {
        self.coordinate
    }

    /// The reader.
    pub fn entries(&self) -> &E {
        &self.entries
    }

    /// The table of distances to the position one twist from solved, where there is one.
    pub fn endings(&self) -> Option<&EndingEntries<E>> {
        self.endings.as_ref()
    }

    /// Where a position is found in the table.
    #[inline]
    pub fn place(&self, position: &Position) -> Place {
        self.coordinate.place(position)
    }

    /// Where pieces in canonical order are found in the table.
    #[inline]
    #[doc(hidden)]
    pub fn place_of_pieces(&self, pieces: &CanonicalPieces) -> Place {
        self.coordinate.place_of_pieces(pieces)
    }

    /// Asks for what is found at a place before it is looked up: waits for several then overlap.
    #[inline]
    #[doc(hidden)]
    pub fn prefetch(&self, Place { row, entry }: Place) {
        self.entries.prefetch(row, entry.into());
    }

    /// The exact distance of a position.
    ///
    /// # Errors
    /// Those of the reader; [`Error::Data`]: bounded if the position is farther (the middle layer ignored) than the
    /// table was built to, damaged if the entry of a complete one holds no level.
    #[inline]
    pub fn distance(&self, position: &Position, goal: MiddleGoal) -> Result<Distance> {
        self.distance_at(self.place(position), position.middle(), goal)
    }

    /// The distance of what is found at `place`, with that middle layer.
    #[inline]
    #[doc(hidden)]
    pub fn distance_at(&self, Place { row, entry }: Place, middle: Middle, goal: MiddleGoal) -> Result<Distance> {
        let level = self.level_told(self.entries.get(row, u64::from(entry))?, || Place { row, entry })?;
        Ok(goal.distance(level, middle))
    }

    /// The distance of pieces in canonical order, the middle layer ignored.
    #[inline]
    pub(super) fn level_of_pieces(&self, pieces: &CanonicalPieces) -> Result<u8> {
        let place = self.place_of_pieces(pieces);
        self.level_told(self.entries.get(place.row, place.entry.into())?, || place)
    }

    /// What the entry at `place` holds, if it is a level.
    #[inline]
    pub(super) fn level_told(&self, value: u8, place: impl FnOnce() -> Place) -> Result<u8> {
        if value >= UNSET {
            let Place { row, entry } = place();
            return Err(self.without_level(row, entry));
        }
        Ok(value)
    }

    /// The distance of what is found at `place` beside a position whose distance the table has. If it has no value
    /// for this one, it is one more than the depth to which it was built.
    #[inline]
    #[doc(hidden)]
    pub fn distance_beside(&self, Place { row, entry }: Place, middle: Middle, goal: MiddleGoal) -> Result<Distance> {
        match self.entries.get(row, u64::from(entry))? {
            UNSET.. => match self.entries.depth() {
                Some(depth) => Ok(goal.distance(depth + 1, middle)),
                None => Err(self.without_level(row, entry)),
            },
            level => Ok(goal.distance(level, middle)),
        }
    }

    /// The error for what is farther than the depth to which the table was built.
    #[cold]
    fn beyond(&self, depth: u8) -> Error {
        self.definition.layout().beyond(&self.definition.metric().count(depth.into()))
    }

    /// The error for an entry that is unset.
    #[cold]
    fn without_level(&self, row: u32, entry: u32) -> Error {
        match self.entries.depth() {
            Some(depth) => self.beyond(depth),
            None => self.damaged(row, entry, format!("entry {entry} holds no level")),
        }
    }

    /// The error of a position that no neighbour is nearer than.
    #[cold]
    pub(super) fn inconsistent(&self, position: &Position, distance: u8) -> Error {
        let Place { row, entry } = self.place(position);
        self.damaged(row, entry, format!("entry {entry} is at distance {distance}, but has no nearer neighbour"))
    }

    /// The error of a position that a sequence should solve, by the table, and does not.
    #[cold]
    #[doc(hidden)]
    pub fn contradicted(&self, position: &Position) -> Error {
        let Place { row, entry } = self.place(position);
        self.damaged(row, entry, "the table gave a sequence that does not solve".to_owned())
    }

    fn damaged(&self, row: u32, entry: u32, detail: String) -> Error {
        self.definition.layout().damaged(row, entry.into(), detail)
    }

    /// What each twist does, one for each alignment up to turning over ([`Position::distinct_alignments`]), in the
    /// order of the turns.
    ///
    /// # Errors
    /// Those of [`Square1Table::distance`].
    pub fn moves(&self, position: &Position, goal: MiddleGoal) -> Result<Vec<TwistOutcome>> {
        let before = self.distance(position, goal)?.twists() as i8;
        let (neighbours, mut moves) = (Neighbours::of(position), Vec::new());
        let outcome = |number: u8, distance: Distance| {
            let turn = neighbours.turn(number.into())?;
            let (position, change) = (position.turn(turn).twist()?, distance.twists() as i8 - before);
            Some(TwistOutcome { turn, position, distance, change })
        };
        self.for_each_neighbour(
            &neighbours,
            position.middle(),
            goal,
            |_| true,
            |number, distance| moves.extend(outcome(number, distance)),
        )?;
        moves.sort_by_key(|outcome| outcome.turn.wca());
        Ok(moves)
    }

    /// Fails where a walk would leave the table's depth. On all others each position is within it: the next one is
    /// nearer, or as far with the other middle layer. Only the solved position whose middle layer is to change has to
    /// go away first.
    pub(super) fn check_walk(&self, distance: u8) -> Result<()> {
        match self.entries.depth() {
            Some(0) if distance > 0 => Err(self.beyond(0)),
            _ => Ok(()),
        }
    }

    /// The number of all that the twists which bring a position nearer depend on, if it is near: 38 bits, not 0. `middle` is
    /// the position's.
    pub(super) fn near_key(
        &self,
        neighbours: &Neighbours,
        middle: Middle,
        goal: MiddleGoal,
        distance: u8,
    ) -> Option<u64> {
        const ENTRY_BITS: u32 = 26;
        const NEAR_BITS: u32 = 3;
        const { assert!(NEAR < 1 << NEAR_BITS) };
        (1..=NEAR).contains(&distance).then(|| {
            let Place { row, entry } = self.place_of_pieces(neighbours.own_pieces());
            let wanted = match (goal, middle) {
                (MiddleGoal::Ignored, _) => 0,
                (MiddleGoal::Square, Middle::Square) => 1,
                (MiddleGoal::Square, Middle::Kite) => 2,
            };
            ((u64::from(row) << 2 | wanted) << NEAR_BITS | u64::from(distance)) << ENTRY_BITS | u64::from(entry)
        })
    }

    /// The turns before the twists that bring a position at `distance` nearer, in the order of the twists' numbers.
    ///
    /// # Errors
    /// Those of [`Square1Table::distance`].
    pub(super) fn nearer_twists(&self, position: &Position, goal: MiddleGoal, distance: u8) -> Result<Vec<Turn>> {
        self.check_walk(distance)?;
        let (neighbours, middle) = (Neighbours::of(position), position.middle());
        let turn = |number: u8| neighbours.turn(number.into());
        let key = self.near_key(&neighbours, middle, goal, distance);
        if let Some(numbers) = key.and_then(|key| self.near.get(key)) {
            return Ok(numbers.filter_map(turn).collect());
        }
        let mut nearer = Vec::new();
        // A shape that is too far from the solved one needs no reading: near the end that is most of them.
        let within_reach = |shape: Shape| shape.twists() < distance;
        self.for_each_neighbour(&neighbours, middle, goal, within_reach, |number, reached| {
            nearer.extend((reached.twists() + 1 == distance).then_some(number));
        })?;
        if let Some(key) = key {
            self.near.put(key, &nearer);
        }
        Ok(nearer.into_iter().filter_map(turn).collect())
    }

    /// Calls `visit` with the number of each twist of a position that `wanted` asks for, by the shape that it leads to, and the
    /// distance that it leads to. `middle` is the position's. The table must tell the distance of the position itself.
    pub(super) fn for_each_neighbour(
        &self,
        neighbours: &Neighbours,
        middle: Middle,
        goal: MiddleGoal,
        wanted: impl Fn(Shape) -> bool,
        mut visit: impl FnMut(u8, Distance),
    ) -> Result<()> {
        let place = |number: u8| Some((number, self.coordinate.place_of_pieces(&neighbours.pieces(number.into())?)));
        // All places first, then all that is asked for: the reads, each of which misses the processor's caches, then overlap.
        let wanted = (0..).zip(neighbours.shape().neighbours()).filter(|&(_, shape)| wanted(shape));
        let places: ArrayVec<_, { Neighbours::MOST }> = wanted.filter_map(|(number, _)| place(number)).collect();
        places.iter().for_each(|&(_, place)| self.prefetch(place));
        for (number, place) in places {
            visit(number, self.distance_beside(place, middle.twisted(), goal)?);
        }
        Ok(())
    }
}
