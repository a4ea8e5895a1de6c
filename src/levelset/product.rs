//! Levels of spaces that are products of coordinates.
//!
//! A state is a tuple of values. A turn moves each coordinate by itself, or as a coordinate of the row says: two small tables
//! of numbers replace all arithmetic on pieces. The slow coordinates number the *rows*, the others the *entries* of a row, one
//! bit each. All states of a row move alike, so a level takes for each row and turn one pair of tables and then one look-up a state.

use rayon::prelude::*;

use twistbase_core::context::Context;
use twistbase_core::error::{Error, Result};
use twistbase_core::memory::Zeroed;

/// The most entries of a row: so many bits fit the second-level cache of a core, three times.
const MOST_ENTRIES: u64 = 1 << 20;

/// The share of padding, as a divisor, up to which small tables count more than padding.
const PADDING: u64 = 8;

/// A coordinate that moves by itself.
#[derive(Debug, Clone)]
pub struct Coordinate {
    /// For each turn, where it takes each value.
    after: Vec<Box<[u32]>>,
}

impl Coordinate {
    /// A coordinate of which each turn permutes the values.
    ///
    /// # Panics
    /// If a turn does not permute them, or there are none.
    pub fn new(after: Vec<Box<[u32]>>) -> Self {
        let size = after.first().map_or(0, |values| values.len());
        assert!(size > 0 && after.iter().all(|values| values.len() == size && is_permutation(values)));
        Self { after }
    }

    /// The number of values.
    pub fn size(&self) -> usize {
        self.after[0].len()
    }

    /// The number of turns.
    pub fn turns(&self) -> usize {
        self.after.len()
    }

    /// The value after a turn.
    pub fn after(&self, turn: usize, value: u32) -> u32 {
        self.after[turn][value as usize]
    }
}

/// A coordinate that moves as the value of another one says.
#[derive(Debug, Clone)]
pub struct Guided {
    /// The number of the coordinate that says it.
    pub guide: usize,
    /// For each turn and value of the guide before the turn, which of the maps applies.
    pub map_of: Vec<Box<[u32]>>,
    /// The maps: where each takes each value.
    pub maps: Vec<Box<[u32]>>,
}

impl Guided {
    /// The number of values.
    pub fn size(&self) -> usize {
        self.maps[0].len()
    }

    /// The map of a turn at a value of the guide.
    fn map(&self, turn: usize, guide: u32) -> &[u32] {
        &self.maps[self.map_of[turn][guide as usize] as usize]
    }
}

/// What one digit of an entry is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Digit {
    /// The value of a coordinate.
    Free(usize),
    /// The value of a guided one.
    Guided(usize),
}

/// All tuples of values, with how turns move them.
#[derive(Debug)]
pub struct ProductSpace {
    turns: usize,
    coordinates: Vec<Coordinate>,
    /// For each coordinate and turn, the value before each value.
    before: Vec<Vec<Box<[u32]>>>,
    guided: Vec<Guided>,
    /// The coordinates that number rows, the last one fastest.
    rows: Vec<usize>,
    /// The digits of an entry's block, and of its place in the block; the last one fastest.
    high: Vec<Digit>,
    low: Vec<Digit>,
}

impl ProductSpace {
    /// The space of some coordinates. Turns must come with their inverses.
    ///
    /// # Panics
    /// If the coordinates differ in the number of turns, a guided one does not fit its guide, or there are more than
    /// [`MOST_STATES`](Self::MOST_STATES).
    pub fn new(coordinates: Vec<Coordinate>, guided: Vec<Guided>) -> Self {
        let sizes = coordinates.iter().map(Coordinate::size).chain(guided.iter().map(Guided::size));
        assert!(Self::states_of(sizes) <= Self::MOST_STATES);
        let turns = coordinates.first().map_or(0, |coordinate| coordinate.after.len());
        assert!(coordinates.iter().all(|coordinate| coordinate.after.len() == turns));
        for one in &guided {
            let guide = coordinates[one.guide].size();
            assert!(one.map_of.len() == turns && one.map_of.iter().all(|of_turn| of_turn.len() == guide));
            assert!(one.map_of.iter().flatten().all(|&map| (map as usize) < one.maps.len()));
            assert!(one.maps.iter().all(|map| map.len() == one.size() && is_permutation(map)));
        }
        let before = coordinates.iter().map(|of| of.after.iter().map(|values| inverted(values)).collect()).collect();
        let mut space =
            Self { turns, coordinates, before, guided, rows: Vec::new(), high: Vec::new(), low: Vec::new() };
        space.lay_out();
        space
    }

    /// Chooses what numbers rows, blocks, and places in blocks.
    fn lay_out(&mut self) {
        let mut digits: Vec<Digit> = (0..self.guided.len()).map(Digit::Guided).collect();
        let mut entries: u64 = digits.iter().map(|&digit| self.size(digit)).product();
        let is_guide = |number: &usize| self.guided.iter().any(|one| one.guide == *number);
        let (mut rows, mut free): (Vec<usize>, Vec<usize>) = (0..self.coordinates.len()).partition(is_guide);
        free.sort_by_key(|&number| std::cmp::Reverse(self.coordinates[number].size()));
        // What has one value is always 0, and no digit.
        for number in free.into_iter().filter(|&number| self.coordinates[number].size() > 1) {
            let size = self.size(Digit::Free(number));
            // At least one is in the entries, however large.
            if digits.is_empty() || entries * size <= MOST_ENTRIES {
                entries *= size;
                digits.push(Digit::Free(number));
            } else {
                rows.push(number);
            }
        }
        // Tables are made anew for each row and turn: their sizes, then the padding, shall be small.
        let cost = |low: u32| {
            let [mut inside, mut outside] = [1u64; 2];
            for (at, &digit) in digits.iter().enumerate() {
                *(if low >> at & 1 == 1 { &mut inside } else { &mut outside }) *= self.size(digit);
            }
            let padding = (inside.next_multiple_of(64) - inside) * outside;
            (padding > entries / PADDING, inside + outside + padding / PADDING)
        };
        let low = (0..1u32 << digits.len()).min_by_key(|&low| cost(low)).unwrap_or(0);
        let chosen = |inside| {
            let of = digits.iter().enumerate().filter(move |&(at, _)| (low >> at & 1 == 1) == inside);
            of.map(|(_, &digit)| digit).collect()
        };
        (self.high, self.low, self.rows) = (chosen(false), chosen(true), rows);
    }

    fn size(&self, digit: Digit) -> u64 {
        match digit {
            Digit::Free(number) => self.coordinates[number].size() as u64,
            Digit::Guided(number) => self.guided[number].size() as u64,
        }
    }

    fn sizes(&self, digits: &[Digit]) -> u64 {
        digits.iter().map(|&digit| self.size(digit)).product()
    }

    /// The most states of a space, so that 64 bits number them.
    pub const MOST_STATES: u128 = 1 << 60;

    /// The number of states with coordinates of some sizes.
    pub fn states_of(sizes: impl Iterator<Item = usize>) -> u128 {
        sizes.fold(1, |product, size| product.saturating_mul(size as u128))
    }

    /// The number of states: of tuples of values. The turns need not reach all of them.
    pub fn states(&self) -> u128 {
        Self::states_of(self.coordinates.iter().map(Coordinate::size).chain(self.guided.iter().map(Guided::size)))
    }

    /// Bytes of memory that counting takes: three bits a state, padding included. Keeping the levels takes one bit more, or three.
    pub fn memory(&self, keeping: Keep) -> u128 {
        let rows = self
            .rows
            .iter()
            .fold(1u128, |product, &number| product.saturating_mul(self.coordinates[number].size() as u128));
        // And the number of new states of each row, of all levels if these are kept.
        let counts = if keeping == Keep::Reached { 8 } else { 4 * LIKELY_LEVELS };
        rows.saturating_mul((2 + keeping.planes()) as u128 * 8 * self.row_words() as u128 + counts)
    }

    /// The number of rows.
    pub fn rows(&self) -> usize {
        self.rows.iter().map(|&number| self.coordinates[number].size()).product()
    }

    /// The number of entries of a row.
    pub fn entries(&self) -> u64 {
        self.sizes(&self.high) * self.sizes(&self.low)
    }

    fn block_words(&self) -> usize {
        self.sizes(&self.low).div_ceil(64) as usize
    }

    fn row_words(&self) -> usize {
        self.block_words() * self.sizes(&self.high) as usize
    }

    /// The bit of an entry among those of a row: blocks are padded to whole words.
    fn bit(&self, entry: u64) -> usize {
        let low = self.sizes(&self.low);
        (entry / low) as usize * 64 * self.block_words() + (entry % low) as usize
    }

    /// The digits of an entry, the last one fastest.
    fn digits(&self) -> impl DoubleEndedIterator<Item = Digit> {
        self.high.iter().chain(&self.low).copied()
    }

    /// Where a digit's value is in a state.
    fn at(&self, digit: Digit) -> usize {
        match digit {
            Digit::Free(number) => number,
            Digit::Guided(number) => self.coordinates.len() + number,
        }
    }

    /// The row and the entry of a state: the values of all coordinates, then those of the guided ones.
    pub fn place(&self, state: &[u32]) -> (usize, u64) {
        let row = self.moved_row(|number| state[number]);
        (row, self.digits().fold(0, |place, digit| place * self.size(digit) + u64::from(state[self.at(digit)])))
    }

    /// The state at an entry of a row.
    ///
    /// # Panics
    /// If there is no such row or entry.
    pub fn state(&self, row: usize, entry: u64) -> Vec<u32> {
        assert!(row < self.rows() && entry < self.entries());
        let mut state = self.row_values(row);
        let mut rest = entry;
        for digit in self.digits().rev() {
            state[self.at(digit)] = (rest % self.size(digit)) as u32;
            rest /= self.size(digit);
        }
        state
    }

    /// The state after a turn.
    pub fn after(&self, state: &[u32], turn: usize) -> Vec<u32> {
        let mut after = vec![0; state.len()];
        self.after_into(state, turn, &mut after);
        after
    }

    /// The state after a turn, in `to`.
    ///
    /// # Panics
    /// If either is of another length.
    pub fn after_into(&self, state: &[u32], turn: usize, to: &mut [u32]) {
        let (free, guided) = state.split_at(self.coordinates.len());
        let (to_free, to_guided) = to.split_at_mut(self.coordinates.len());
        for ((of, &value), to) in self.coordinates.iter().zip(free).zip(to_free) {
            *to = of.after(turn, value);
        }
        for ((of, &value), to) in self.guided.iter().zip(guided).zip(to_guided) {
            *to = of.map(turn, free[of.guide])[value as usize];
        }
    }

    /// A state with the values that number a row; the others are 0.
    fn row_values(&self, row: usize) -> Vec<u32> {
        let (mut values, mut rest) = (vec![0; self.coordinates.len() + self.guided.len()], row);
        for &number in self.rows.iter().rev() {
            let size = self.coordinates[number].size();
            values[number] = (rest % size) as u32;
            rest /= size;
        }
        values
    }

    /// The row with some values of the coordinates.
    fn moved_row(&self, value: impl Fn(usize) -> u32) -> usize {
        self.rows.iter().fold(0, |row, &number| row * self.coordinates[number].size() + value(number) as usize)
    }

    /// Where a turn takes the values of a digit of the entries of a row, `values` being those of the row.
    fn digit_map(&self, digit: Digit, turn: usize, values: &[u32]) -> &[u32] {
        match digit {
            Digit::Free(number) => &self.coordinates[number].after[turn],
            Digit::Guided(number) => self.guided[number].map(turn, values[self.guided[number].guide]),
        }
    }

    /// The same of some digits together, in `room` if there are several.
    fn map<'a>(&'a self, room: &'a mut Vec<u32>, digits: &[Digit], turn: usize, values: &[u32]) -> &'a [u32] {
        let [first, others @ ..] = digits else { return &[0] };
        let first = self.digit_map(*first, turn, values);
        if others.is_empty() {
            return first;
        }
        room.clear();
        room.extend(first);
        for &digit in others {
            let of_digit = self.digit_map(digit, turn, values);
            let slower = std::mem::take(room);
            room.reserve_exact(slower.len() * of_digit.len());
            for value in slower {
                room.extend(of_digit.iter().map(|&faster| value * of_digit.len() as u32 + faster));
            }
        }
        room
    }

    /// Counts the states at each distance from one, up to `depth`. `level` gets each distance with its number as soon as it is
    /// known; an error of its own ends the search. Returns whether no states are left.
    ///
    /// # Errors
    /// [`Error::Memory`] if there is no room for [`memory`](Self::memory); [`Error::Interrupted`]; those of `level`.
    pub fn count_levels(
        &self,
        start: &[u32],
        depth: usize,
        ctx: &Context,
        mut level: impl FnMut(usize, u64) -> Result<()>,
    ) -> Result<bool> {
        let turns: Vec<usize> = (0..self.turns).collect();
        let mut reached = self.start(start, Keep::Reached)?;
        level(0, 1)?;
        for distance in 1..=depth {
            if !self.next_level(distance, &turns, &mut reached, ctx)? {
                return Ok(true);
            }
            level(distance, reached.new_of_row.iter().map(|&new| u64::from(new)).sum())?;
        }
        Ok(false)
    }

    /// Finds the distance of each state from one, as far as `search` says.
    ///
    /// # Errors
    /// As [`count_levels`](Self::count_levels); those of [`KnownRows::read`].
    pub fn levels(
        &self,
        start: &[u32],
        search: &LevelSearch,
        known: Option<KnownRows<'_>>,
        ctx: &Context,
    ) -> Result<ProductLevels<'_>> {
        let (mut reached, mut counts) = match known {
            Some(known) => (self.reached(search.keep, known.counts, known.read)?, known.counts.to_vec()),
            None => {
                let reached = self.start(start, search.keep)?;
                let counts = vec![reached.new_of_row.clone()];
                (reached, counts)
            }
        };
        let mut is_complete = false;
        while !is_complete && counts.len() <= search.depth {
            is_complete = !self.next_level(counts.len(), &search.turns, &mut reached, ctx)?;
            if !is_complete {
                counts.push(reached.new_of_row.clone());
            }
        }
        Ok(ProductLevels { space: self, kept: reached.kept, keep: search.keep, counts, is_complete })
    }

    /// No states yet.
    fn none(&self, keep: Keep) -> Result<Reached> {
        let (rows, row_words) = (self.rows(), self.row_words());
        let room = |planes: usize| Zeroed::<u64>::new(planes * rows * row_words);
        Ok(Reached { keep, kept: room(keep.planes())?, last: room(1)?, next: room(1)?, new_of_row: vec![0; rows] })
    }

    /// One state.
    fn start(&self, start: &[u32], keep: Keep) -> Result<Reached> {
        let mut reached = self.none(keep)?;
        let (row, entry) = self.place(start);
        let (word, bit) = (self.bit(entry) / 64, 1 << (self.bit(entry) % 64));
        let row_words = self.row_words();
        (reached.kept[row * keep.planes() * row_words + word], reached.last[row * row_words + word]) = (bit, bit);
        reached.new_of_row[row] = 1;
        Ok(reached)
    }

    /// The states of some levels, as [`ProductLevels::write_row`] wrote their rows.
    fn reached(&self, keep: Keep, counts: &[Vec<u32>], read: &mut ReadRow<'_>) -> Result<Reached> {
        let mut reached = self.none(keep)?;
        let (row_words, planes) = (self.row_words(), keep.planes());
        let mut packed = vec![0; (self.entries() as usize).div_ceil(8 / planes)];
        let depth = counts.len() - 1;
        let rows = reached.kept.chunks_exact_mut(planes * row_words).zip(reached.last.chunks_exact_mut(row_words));
        for (row, (kept, last)) in rows.enumerate() {
            read(row, &mut packed)?;
            self.for_each_word(|first, word, count| {
                for (bit, entry) in (first..first + count).enumerate() {
                    let kept_as = keep.kept_as(packed[entry * planes / 8] >> (entry * planes % 8));
                    for plane in 0..planes {
                        kept[plane * row_words + word] |= u64::from(kept_as >> plane & 1) << bit;
                    }
                    // Some are of earlier levels, with the same remainder: all their neighbours are reached.
                    last[word] |= u64::from(kept_as == keep.of_distance(depth)) << bit;
                }
            });
        }
        reached.new_of_row.clone_from(&counts[depth]);
        Ok(reached)
    }

    /// Calls `each` for every word of a row, with the first entry of which it has a bit, its number, and how many entries follow.
    fn for_each_word(&self, mut each: impl FnMut(usize, usize, usize)) {
        let low = self.sizes(&self.low) as usize;
        for (block, begin) in (0..self.row_words()).step_by(self.block_words()).enumerate() {
            for (word, place) in (begin..).zip((0..low).step_by(64)) {
                each(block * low + place, word, 64.min(low - place));
            }
        }
    }

    /// Finds the states of the next level, whose distance that is; whether there are any.
    fn next_level(&self, distance: usize, turns: &[usize], reached: &mut Reached, ctx: &Context) -> Result<bool> {
        let row_words = self.row_words();
        let Reached { keep, kept, last, next, new_of_row } = reached;
        ctx.progress().begin(&format!("level {distance}"), self.rows() as u64, "rows");
        let of_rows =
            next.par_chunks_exact_mut(row_words).zip(kept.par_chunks_exact_mut(keep.planes() * row_words)).enumerate();
        let counted = of_rows.map_init(Rooms::default, |rooms, (row, (next, kept))| {
            ctx.check()?;
            let mut of_row = OfRow { next, kept, kept_as: keep.of_distance(distance) };
            let new = self.reach(row, turns, &mut of_row, &Last { bits: last, new_of_row }, rooms);
            ctx.progress().advance(1);
            Ok::<_, Error>(new)
        });
        let counted: Result<Vec<u32>> = counted.collect();
        ctx.progress().end();
        *new_of_row = counted?;
        std::mem::swap(last, next);
        Ok(new_of_row.iter().any(|&new| new > 0))
    }

    /// Finds the new states of a row: those that a turn makes of a state of the last level. Returns their number.
    fn reach(&self, row: usize, turns: &[usize], of_row: &mut OfRow<'_>, last: &Last<'_>, rooms: &mut Rooms) -> u32 {
        let (values, row_words, block_words) = (self.row_values(row), self.row_words(), self.block_words());
        of_row.next.fill(0);
        let sources = turns.iter().map(|&turn| {
            let from = self.moved_row(|number| self.before[number][turn][values[number] as usize]);
            (turn, from, last.new_of_row[from])
        });
        let sources: Vec<_> = sources.filter(|&(.., new)| new > 0).collect();
        if sources.is_empty() {
            return 0;
        }
        let left = self.entries() - of_row.count_reached();
        let pushed: u64 = sources.iter().map(|&(.., new)| u64::from(new)).sum();
        if left == 0 {
            return 0;
        }
        let bits = |row: usize| &last.bits[row * row_words..][..row_words];
        if pushed <= left * turns.len() as u64 / 2 {
            // From the states of the last level, one turn each.
            for &(turn, from, _) in &sources {
                Maps::new(self, turn, &self.row_values(from), rooms).push(bits(from), of_row, block_words);
            }
        } else {
            // From the states that are left: does a turn reach the last level? Turns have inverses among them.
            for &turn in turns {
                let to = self.moved_row(|number| self.coordinates[number].after(turn, values[number]));
                if last.new_of_row[to] > 0 {
                    Maps::new(self, turn, &values, rooms).pull(bits(to), of_row, block_words);
                }
            }
        }
        of_row.keep()
    }
}

/// Levels whose numbers of states are allowed for.
const LIKELY_LEVELS: u128 = 32;

/// What a search keeps of each state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Keep {
    /// Whether it was reached.
    Reached,
    /// Its distance modulo 3.
    Modulo3,
    /// Its distance, which is less than 15.
    Distance,
}

impl Keep {
    /// Bits of a state.
    const fn planes(self) -> usize {
        match self {
            Self::Reached => 1,
            Self::Modulo3 => 2,
            Self::Distance => 4,
        }
    }

    /// All of these bits.
    const fn most(self) -> u8 {
        (1 << self.planes()) - 1
    }

    /// The bits of a state at a distance: 0 is not reached.
    const fn of_distance(self, distance: usize) -> u8 {
        (distance % self.most() as usize) as u8 + 1
    }

    /// The bits of a state from its packed value, of which all bits are set if it is not reached.
    const fn kept_as(self, packed: u8) -> u8 {
        packed.wrapping_add(1) & self.most()
    }

    /// The packed value of a state from its bits.
    const fn packed(self, kept: u8) -> u8 {
        kept.wrapping_sub(1) & self.most()
    }
}

/// How a search finds levels.
#[derive(Debug, Clone)]
pub struct LevelSearch {
    /// The numbers of the turns that count one, among them their inverses.
    pub turns: Vec<usize>,
    /// The last level to look for.
    pub depth: usize,
    /// What to keep of each state.
    pub keep: Keep,
}

/// Reads a row, by its number, as [`ProductLevels::write_row`] wrote it.
type ReadRow<'a> = dyn FnMut(usize, &mut [u8]) -> Result<()> + 'a;

/// Levels that were found before.
pub struct KnownRows<'a> {
    /// For each level, the number of states of each row.
    pub counts: &'a [Vec<u32>],
    /// Reads a row.
    pub read: &'a mut ReadRow<'a>,
}

/// The states that a search has reached.
struct Reached {
    keep: Keep,
    /// For each row, planes of bits: what is kept of each state.
    kept: Zeroed<u64>,
    /// The bits of the last level, and room for the next one.
    last: Zeroed<u64>,
    next: Zeroed<u64>,
    /// The number of states of each row in the last level.
    new_of_row: Vec<u32>,
}

/// The distances of the states of a space.
#[derive(Debug)]
pub struct ProductLevels<'a> {
    space: &'a ProductSpace,
    kept: Zeroed<u64>,
    keep: Keep,
    /// For each level, the number of states of each row.
    counts: Vec<Vec<u32>>,
    is_complete: bool,
}

#[expect(clippy::len_without_is_empty, reason = "there is the start")]
impl ProductLevels<'_> {
    /// The number of levels.
    pub fn len(&self) -> usize {
        self.counts.len()
    }

    /// Whether no turns lead to states beyond them.
    pub fn is_complete(&self) -> bool {
        self.is_complete
    }

    /// The number of states of a row at each distance.
    pub fn counts(&self, row: usize) -> Vec<u64> {
        self.counts.iter().map(|of_rows| of_rows[row].into()).collect()
    }

    /// Writes the distances of a row, the first in the lowest bits: modulo 3 in two bits each, or whole in four; all bits are set for
    /// what was not reached. Bits behind the last state are not changed.
    pub fn write_row(&self, row: usize, packed: &mut [u8]) {
        let (row_words, planes, most) = (self.space.row_words(), self.keep.planes(), self.keep.most());
        let kept = &self.kept[planes * row * row_words..][..planes * row_words];
        self.space.for_each_word(|first, word, count| {
            let words: [u64; 4] = std::array::from_fn(|plane| kept.get(plane * row_words + word).copied().unwrap_or(0));
            for (bit, entry) in (first..first + count).enumerate() {
                let kept_as = (0..4).fold(0, |bits, plane| bits | ((words[plane] >> bit & 1) as u8) << plane);
                let (byte, slot) = (&mut packed[entry * planes / 8], entry * planes % 8);
                *byte = *byte & !(most << slot) | self.keep.packed(kept_as) << slot;
            }
        });
    }
}

/// The parts of a row that a level changes: the new states, and planes of bits with what is kept of all reached states.
struct OfRow<'a> {
    next: &'a mut [u64],
    kept: &'a mut [u64],
    /// The bits of a state of this level.
    kept_as: u8,
}

impl OfRow<'_> {
    /// The states of a word that were reached before.
    fn reached(&self, word: usize) -> u64 {
        let plane = |plane: usize| self.kept.get(plane * self.next.len() + word).unwrap_or(&0);
        let reached = plane(0) | plane(1);
        if self.kept.len() > 2 * self.next.len() { reached | plane(2) | plane(3) } else { reached }
    }

    fn count_reached(&self) -> u64 {
        (0..self.next.len()).map(|word| u64::from(self.reached(word).count_ones())).sum()
    }

    /// Keeps the new states that were not reached before. Returns their number.
    fn keep(&mut self) -> u32 {
        let mut count = 0;
        for word in 0..self.next.len() {
            let new = self.next[word] & !self.reached(word);
            self.next[word] = new;
            count += new.count_ones();
        }
        let planes = self.kept.chunks_exact_mut(self.next.len()).enumerate();
        for (_, plane) in planes.filter(|(plane, _)| self.kept_as >> plane & 1 == 1) {
            plane.iter_mut().zip(&*self.next).for_each(|(kept, new)| *kept |= new);
        }
        count
    }
}

/// The last level: its bits, and how many there are in each row.
struct Last<'a> {
    bits: &'a [u64],
    new_of_row: &'a [u32],
}

/// Room for maps.
#[derive(Default)]
struct Rooms {
    high: Vec<u32>,
    low: Vec<u32>,
}

/// Where one turn takes the blocks of a row, and the places in a block.
struct Maps<'a> {
    high: &'a [u32],
    low: &'a [u32],
}

impl<'a> Maps<'a> {
    fn new(space: &'a ProductSpace, turn: usize, values: &[u32], rooms: &'a mut Rooms) -> Self {
        Self {
            high: space.map(&mut rooms.high, &space.high, turn, values),
            low: space.map(&mut rooms.low, &space.low, turn, values),
        }
    }

    /// Adds the states where those of `from` go.
    fn push(&self, from: &[u64], to: &mut OfRow<'_>, block_words: usize) {
        for (block, &image) in from.chunks_exact(block_words).zip(self.high) {
            let next = &mut to.next[image as usize * block_words..][..block_words];
            for (&word, map) in block.iter().zip(self.low.chunks(64)) {
                let mut left = word;
                while left != 0 {
                    let to = map[left.trailing_zeros() as usize] as usize;
                    next[to / 64] |= 1 << (to % 64);
                    left &= left - 1;
                }
            }
        }
    }

    /// Adds the states that are not reached and whose image is in `of`.
    fn pull(&self, of: &[u64], to: &mut OfRow<'_>, block_words: usize) {
        for (block, &image) in self.high.iter().enumerate() {
            let of = &of[image as usize * block_words..][..block_words];
            for (word, map) in (block * block_words..).zip(self.low.chunks(64)) {
                let mut left = !(to.next[word] | to.reached(word));
                if map.len() < 64 {
                    left &= (1 << map.len()) - 1;
                }
                while left != 0 {
                    let bit = left.trailing_zeros();
                    let image = map[bit as usize] as usize;
                    to.next[word] |= (of[image / 64] >> (image % 64) & 1) << bit;
                    left &= left - 1;
                }
            }
        }
    }
}

fn is_permutation(values: &[u32]) -> bool {
    let mut seen = vec![false; values.len()];
    values.iter().all(|&value| seen.get_mut(value as usize).is_some_and(|seen| !std::mem::replace(seen, true)))
}

fn inverted(values: &[u32]) -> Box<[u32]> {
    let mut inverse = vec![0; values.len()];
    (0..).zip(values).for_each(|(value, &image)| inverse[image as usize] = value);
    inverse.into()
}
