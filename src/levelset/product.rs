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

    /// Bytes of memory that counting takes: three bits a state, padding included. Keeping the levels takes a fourth bit.
    pub fn memory(&self, keeping: Keep) -> u128 {
        let rows = self
            .rows
            .iter()
            .fold(1u128, |product, &number| product.saturating_mul(self.coordinates[number].size() as u128));
        // And the number of new states of each row, of all levels if these are kept.
        let counts = if keeping == Keep::Modulo3 { 4 * LIKELY_LEVELS } else { 8 };
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
        let (_, complete) = self.search(start, depth, Keep::Reached, ctx, |distance, of_rows| {
            level(distance, of_rows.iter().map(|&new| u64::from(new)).sum())
        })?;
        Ok(complete)
    }

    /// Finds the distance of each state from one.
    ///
    /// # Errors
    /// As [`count_levels`](Self::count_levels).
    pub fn levels(&self, start: &[u32], ctx: &Context) -> Result<ProductLevels<'_>> {
        let mut counts = Vec::new();
        let (kept, _) = self.search(start, usize::MAX, Keep::Modulo3, ctx, |_, of_rows| {
            counts.push(of_rows.to_vec());
            Ok(())
        })?;
        Ok(ProductLevels { space: self, kept, counts })
    }

    /// The search, level by level; `level` gets the number of new states of each row. Returns what was kept, and whether no states
    /// are left.
    fn search(
        &self,
        start: &[u32],
        depth: usize,
        keep: Keep,
        ctx: &Context,
        mut level: impl FnMut(usize, &[u32]) -> Result<()>,
    ) -> Result<(Zeroed<u64>, bool)> {
        let (rows, row_words) = (self.rows(), self.row_words());
        let kept_words = keep.planes() * row_words;
        let mut kept = Zeroed::<u64>::new(rows * kept_words)?;
        let mut last = Zeroed::<u64>::new(rows * row_words)?;
        let mut next = Zeroed::<u64>::new(rows * row_words)?;
        let mut new_of_row = vec![0; rows];
        let (row, entry) = self.place(start);
        let (word, bit) = (self.bit(entry) / 64, 1 << (self.bit(entry) % 64));
        (kept[row * kept_words + word], last[row * row_words + word], new_of_row[row]) = (bit, bit, 1);
        level(0, &new_of_row)?;
        for distance in 1..=depth {
            ctx.progress().begin(&format!("level {distance}"), rows as u64, "rows");
            let of_rows = next.par_chunks_exact_mut(row_words).zip(kept.par_chunks_exact_mut(kept_words)).enumerate();
            let counted = of_rows.map_init(Rooms::default, |rooms, (row, (next, kept))| {
                ctx.check()?;
                let mut of_row = OfRow { next, kept, modulo3: (distance % 3) as u8 };
                let new = self.reach(row, &mut of_row, &Last { bits: &last, new_of_row: &new_of_row }, rooms);
                ctx.progress().advance(1);
                Ok::<_, Error>(new)
            });
            let counted: Result<Vec<u32>> = counted.collect();
            ctx.progress().end();
            new_of_row = counted?;
            std::mem::swap(&mut last, &mut next);
            if new_of_row.iter().all(|&new| new == 0) {
                return Ok((kept, true));
            }
            level(distance, &new_of_row)?;
        }
        Ok((kept, false))
    }

    /// Finds the new states of a row: those that a turn makes of a state of the last level. Returns their number.
    fn reach(&self, row: usize, of_row: &mut OfRow<'_>, last: &Last<'_>, rooms: &mut Rooms) -> u32 {
        let (values, row_words, block_words) = (self.row_values(row), self.row_words(), self.block_words());
        of_row.next.fill(0);
        let sources = (0..self.turns).map(|turn| {
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
        if pushed <= left * self.turns as u64 / 2 {
            // From the states of the last level, one turn each.
            for &(turn, from, _) in &sources {
                Maps::new(self, turn, &self.row_values(from), rooms).push(bits(from), of_row, block_words);
            }
        } else {
            // From the states that are left: does a turn reach the last level? Turns have inverses among them.
            for turn in 0..self.turns {
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
}

impl Keep {
    /// Bits of a state.
    const fn planes(self) -> usize {
        match self {
            Self::Reached => 1,
            Self::Modulo3 => 2,
        }
    }
}

/// The distances of all states of a space, modulo 3.
#[derive(Debug)]
pub struct ProductLevels<'a> {
    space: &'a ProductSpace,
    kept: Zeroed<u64>,
    /// For each level, the number of states of each row.
    counts: Vec<Vec<u32>>,
}

#[expect(clippy::len_without_is_empty, reason = "there is the start")]
impl ProductLevels<'_> {
    /// The number of levels.
    pub fn len(&self) -> usize {
        self.counts.len()
    }

    /// The number of states of a row at each distance.
    pub fn counts(&self, row: usize) -> Vec<u64> {
        self.counts.iter().map(|of_rows| of_rows[row].into()).collect()
    }

    /// Writes the distances of a row modulo 3 in two bits each, four a byte, the first in the lowest bits; 3 for what no turns
    /// reach. Bits behind the last state are not changed.
    pub fn write_row(&self, row: usize, quarters: &mut [u8]) {
        let row_words = self.space.row_words();
        let (ones, twos) = self.kept[2 * row * row_words..][..2 * row_words].split_at(row_words);
        let low = self.space.sizes(&self.space.low) as usize;
        let mut entry = 0;
        for block in (0..row_words).step_by(self.space.block_words()) {
            for place in 0..low {
                let bit = |words: &[u64]| (words[block + place / 64] >> (place % 64) & 1) as u8;
                // 0 is not reached.
                let value = (bit(ones) + 2 * bit(twos) + 3) % 4;
                let slot = 2 * (entry % 4);
                quarters[entry / 4] = quarters[entry / 4] & !(3 << slot) | value << slot;
                entry += 1;
            }
        }
    }
}

/// What a level changes in a row: its new states, and what is kept of all that were reached, a plane of bits or two of them: 1 and 2
/// for a distance of 0 and 1 modulo 3, both for 2.
struct OfRow<'a> {
    next: &'a mut [u64],
    kept: &'a mut [u64],
    modulo3: u8,
}

impl OfRow<'_> {
    /// The states of a word that were reached before.
    fn reached(&self, word: usize) -> u64 {
        self.kept[word] | self.kept.get(self.next.len() + word).unwrap_or(&0)
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
            let (one, two) = self.kept.split_at_mut(self.next.len());
            match two.get_mut(word) {
                None => one[word] |= new,
                Some(two) => {
                    one[word] |= if self.modulo3 == 1 { 0 } else { new };
                    *two |= if self.modulo3 == 0 { 0 } else { new };
                }
            }
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
