//! The positions of a puzzle up to symmetry, for counts of more positions than a [product of coordinates](super::space) has room for.
//!
//! What moves by itself of an orbit, its pieces or their orientations, is a unit. Some units are the rows, up to symmetry; the others
//! are the entries of a row. Symmetries are used that map rows to rows and entries to entries, each by themselves. The split is that
//! which takes the least memory.
//!
//! The values of a side are lists of symbols, one for each place that matters. Turns and symmetries do the same to them: each symbol
//! comes from another place, and changes by a table.

use std::hash::BuildHasher;
use std::ops::Range;

use hashbrown::{DefaultHashBuilder, HashMap, HashTable};
use rayon::prelude::*;

use twistbase_core::context::Context;
use twistbase_core::error::{Error, Result};
use twistbase_levelset::ClassSpace;

use super::model::{PuzzleDefinition, Turn};
use super::symmetry::Symmetry;

/// The most symmetries that are used.
const MOST_SYMMETRIES: usize = 512;

/// The most units whose splits are looked at.
const MOST_UNITS: usize = 14;

/// The most entries of a row.
const MOST_ENTRIES: f64 = (1u32 << 20) as f64;

/// Symbols of a place.
const SYMBOLS: usize = 256;

/// Rows whose neighbours are looked for together.
const ROWS_AT_ONCE: usize = 1 << 15;

/// What a unit is of an orbit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Of {
    Pieces,
    Twists,
}

/// What moves by itself.
#[derive(Debug)]
struct Unit {
    orbit: usize,
    of: Of,
    /// Its places, through all orbits.
    places: Vec<usize>,
    /// An upper bound of the number of its values.
    values: f64,
}

/// What a symmetry does to places, pieces and orientations.
pub(crate) struct Images {
    symmetry: Symmetry,
    /// For each place, its image.
    places: Vec<usize>,
    /// For each place, what a twist there is multiplied by, and what is added.
    twists: Vec<[usize; 2]>,
    /// For each place, by how much the orientation of its piece counts differently, wherever it is.
    frames: Vec<usize>,
    /// Orbits whose orientations do not map without the pieces: bits.
    tied: u64,
}

/// The units, and the symmetries that keep what looks alike.
pub(crate) struct Splits<'a> {
    puzzle: &'a PuzzleDefinition,
    turns: Vec<Turn>,
    units: Vec<Unit>,
    /// For each place, the first place that turns connect it with.
    component: Vec<usize>,
    images: Vec<Images>,
}

/// Where each symbol comes from, and the table that changes it.
type Action = Vec<(u16, u16)>;

/// The rows, or the entries.
struct Side {
    start: Vec<u8>,
    turns: Vec<Action>,
    symmetries: Vec<Action>,
    tables: Vec<[u8; SYMBOLS]>,
}

/// A place of a side, and what of it matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Cell {
    place: usize,
    has_piece: bool,
    has_twist: bool,
}

impl PuzzleDefinition {
    /// What can be split into rows and entries; `None` if positions are illegal or count up to moves, or there are too many units.
    pub(crate) fn splits(&self) -> Option<Splits<'_>> {
        if !self.illegal.is_empty() || !self.up_to.is_empty() || self.points() > usize::from(u16::MAX) {
            return None;
        }
        let turns = self.turns();
        let component = components(self, &turns);
        let mut units = Vec::new();
        for (number, (orbit, range)) in self.ranges().enumerate() {
            for of in [Of::Pieces, Of::Twists] {
                let places: Vec<usize> =
                    range.clone().filter(|&place| self.matters(of, place, &component, &turns)).collect();
                if !places.is_empty() {
                    let values = self.most_values(of, &places, &component);
                    units.push(Unit { orbit: number, of, places, values });
                }
            }
            if orbit.pieces * orbit.orientations > SYMBOLS {
                return None;
            }
        }
        if units.len() > MOST_UNITS {
            return None;
        }
        let symmetries = self.list_symmetries(MOST_SYMMETRIES.min(usize::from(u16::MAX) / turns.len().max(1)));
        let images = symmetries.into_iter().filter_map(|symmetry| Images::new(self, symmetry, &component)).collect();
        Some(Splits { puzzle: self, turns, units, component, images })
    }

    /// Whether the piece in a place, or its orientation, differs between positions.
    fn matters(&self, of: Of, place: usize, component: &[usize], turns: &[Turn]) -> bool {
        let mut connected = (0..component.len()).filter(|&other| component[other] == component[place]);
        match of {
            Of::Pieces => connected.any(|other| self.solved.pieces[other] != self.solved.pieces[place]),
            Of::Twists => {
                let connected: Vec<usize> = connected.collect();
                let changes = |at: usize| move |turn: &Turn| turn.transformation.twist[at];
                let twists = || connected.iter().flat_map(|&at| turns.iter().map(changes(at)));
                connected.iter().any(|&at| twists().any(|twist| !twist.is_multiple_of(self.solved.period[at])))
            }
        }
    }

    /// At most how many values a unit has.
    fn most_values(&self, of: Of, places: &[usize], component: &[usize]) -> f64 {
        let solved = &self.solved;
        let factor = |(number, &place): (usize, &usize)| {
            let before = || places[..number].iter().filter(|&&other| component[other] == component[place]);
            let alike = before().filter(|&&other| solved.pieces[other] == solved.pieces[place]).count();
            (1 + before().count()) as f64 / (1 + alike) as f64
        };
        match of {
            Of::Pieces => places.iter().enumerate().map(factor).product(),
            Of::Twists => places.iter().map(|&place| f64::from(solved.period[place])).product(),
        }
    }
}

/// For each place, the first place that turns connect it with.
fn components(puzzle: &PuzzleDefinition, turns: &[Turn]) -> Vec<usize> {
    let mut component: Vec<usize> = (0..puzzle.places()).collect();
    let mut is_open = true;
    while std::mem::take(&mut is_open) {
        for turn in turns {
            for (place, &from) in turn.transformation.from.iter().enumerate() {
                let least = component[place].min(component[usize::from(from)]);
                for at in [place, usize::from(from)] {
                    is_open |= std::mem::replace(&mut component[at], least) != least;
                }
            }
        }
    }
    component
}

impl Images {
    /// `None` if pieces that look alike do not look alike after it, turned as they are.
    fn new(puzzle: &PuzzleDefinition, symmetry: Symmetry, component: &[usize]) -> Option<Self> {
        let (solved, mut begin) = (&puzzle.solved, 0);
        let mut first_points = Vec::new();
        for (orbit, range) in puzzle.ranges() {
            first_points.extend(range.clone().map(|place| begin + (place - range.start) * orbit.orientations));
            begin += orbit.pieces * orbit.orientations;
        }
        let orientations = puzzle.orientations();
        let image = |place: usize, twist: usize| {
            let point = usize::from(symmetry.points[first_points[place] + twist]);
            let image = first_points.partition_point(|&first| first <= point) - 1;
            (image, point - first_points[image])
        };
        let (mut places, mut twists, mut frames) = (Vec::new(), Vec::new(), Vec::new());
        for (place, &orientations) in orientations.iter().enumerate() {
            let ((to, added), count) = (image(place, 0), usize::from(orientations));
            let factor = (image(place, 1 % count).1 + count - added) % count;
            let period = usize::from(solved.period[place]);
            let turned = factor * usize::from(solved.twist[place]) + added + period - usize::from(solved.twist[to]);
            places.push(to);
            twists.push([factor, added]);
            frames.push(turned % period);
        }
        let mut tied = 0;
        for (number, (_, range)) in puzzle.ranges().enumerate() {
            for (one, other) in range.clone().flat_map(|one| range.clone().map(move |other| (one, other))) {
                let is_same = frames[one] == frames[other]
                    && twists[one][0] == twists[other][0]
                    && solved.period[one] == solved.period[other];
                if !is_same && solved.pieces[one] == solved.pieces[other] {
                    return None;
                }
                if !is_same && component[one] == component[other] {
                    tied |= 1 << (number % 64);
                }
            }
        }
        Some(Self { symmetry, places, twists, frames, tied })
    }
}

impl Splits<'_> {
    /// The number of units: a split is a number whose bits are those that the entries have.
    pub(crate) fn units(&self) -> usize {
        self.units.len()
    }

    fn has(&self, split: u32, orbit: usize, of: Of) -> bool {
        self.units.iter().enumerate().any(|(at, unit)| split >> at & 1 == 1 && (unit.orbit, unit.of) == (orbit, of))
    }

    /// The places of a side, whose units are bits.
    fn cells(&self, side: u32) -> Vec<Cell> {
        let units = |of: Of| {
            let chosen = self.units.iter().enumerate().filter(move |(at, unit)| side >> at & 1 == 1 && unit.of == of);
            chosen.flat_map(|(_, unit)| unit.places.iter().copied()).collect::<Vec<usize>>()
        };
        let (pieces, twists) = (units(Of::Pieces), units(Of::Twists));
        let cell = |place| Cell { place, has_piece: pieces.contains(&place), has_twist: twists.contains(&place) };
        (0..self.component.len()).map(cell).filter(|cell| cell.has_piece || cell.has_twist).collect()
    }

    fn rows_of(&self, split: u32) -> u32 {
        !split & ((1 << self.units.len()) - 1)
    }

    /// The symmetries that map both sides of a split to themselves.
    pub(crate) fn symmetries(&self, split: u32) -> Vec<&Images> {
        let mut tied = 0;
        for unit in self.units.iter().filter(|unit| unit.of == Of::Twists) {
            let is_apart = self.has(split, unit.orbit, Of::Twists) != self.has(split, unit.orbit, Of::Pieces)
                && self.units.iter().any(|other| (other.orbit, other.of) == (unit.orbit, Of::Pieces));
            tied |= u64::from(is_apart) << (unit.orbit % 64);
        }
        let sides = [split, self.rows_of(split)].map(|side| self.cells(side));
        let keeps = |images: &&Images| {
            let keeps = |cells: &Vec<Cell>| {
                let image = |cell: &Cell| Cell { place: images.places[cell.place], ..*cell };
                cells.iter().all(|cell| cells.contains(&image(cell)))
            };
            images.tied & tied == 0 && sides.iter().all(keeps)
        };
        self.images.iter().filter(keeps).collect()
    }

    /// Bytes of memory that counting takes with a split, about; `None` if it has too many entries, or periods that differ.
    fn cost(&self, split: u32) -> Option<f64> {
        let values = |side: u32| -> f64 {
            let units = self.units.iter().enumerate().filter(|(at, _)| side >> at & 1 == 1);
            units.map(|(_, unit)| unit.values).product()
        };
        let entries = values(split);
        if entries > MOST_ENTRIES || !self.is_possible(split) {
            return None;
        }
        let (symmetries, turns) = (self.symmetries(split).len() as f64, self.turns.len() as f64);
        let rows = (values(self.rows_of(split)) / symmetries).max(1.0);
        Some(rows * (2.0 * 8.0 * (entries / 64.0).ceil() + 6.0 * turns + 32.0) + symmetries * turns * entries * 4.0)
    }

    /// Whether orientations are with the pieces that say how they count.
    pub(crate) fn is_possible(&self, split: u32) -> bool {
        let mut twists = self.units.iter().filter(|unit| unit.of == Of::Twists);
        twists.all(|unit| {
            let periods = || unit.places.iter().map(|&place| (self.component[place], self.puzzle.solved.period[place]));
            let is_one = periods().all(|(of, period)| periods().all(|other| other.0 != of || other.1 == period));
            is_one || self.has(split, unit.orbit, Of::Twists) == self.has(split, unit.orbit, Of::Pieces)
        })
    }

    /// The split that takes the least memory.
    pub(crate) fn best(&self) -> Option<u32> {
        let splits = (0..1u32 << self.units.len()).filter_map(|split| Some((split, self.cost(split)?)));
        splits.min_by(|one, other| one.1.total_cmp(&other.1)).map(|(split, _)| split)
    }

    /// A text of all that the rows and entries of a split, and the turns, follow from.
    pub(crate) fn identity(&self, split: u32) -> String {
        let turns: Vec<&str> = self.turns.iter().map(|turn| turn.name.as_str()).collect();
        format!("1 {split} {} {}", turns.join(" "), self.puzzle.to_kpuzzle())
    }

    /// The space of a split.
    ///
    /// # Errors
    /// [`Error::Memory`] if its rows take more than some bytes; [`Error::Interrupted`].
    pub(crate) fn space(&self, split: u32, memory: u64, ctx: &Context) -> Result<ClassSpace> {
        let symmetries = self.symmetries(split);
        let [of_rows, of_entries] = [self.rows_of(split), split].map(|side| self.side(&self.cells(side), &symmetries));
        let numbered = of_entries.numbered();
        let then = |symmetry: &[u32], turn: &[u32]| turn.iter().map(|&entry| symmetry[entry as usize]).collect();
        let of_symmetry =
            |symmetry: &Vec<u32>| numbered.turns.iter().map(|turn| then(symmetry, turn)).collect::<Vec<_>>();
        let maps = numbered.symmetries.iter().flat_map(of_symmetry).collect();
        let rows = of_rows.classes(memory, ctx)?;
        let states = (self.puzzle.tells_all_apart()).then(|| {
            let turns: Vec<_> = self.turns.iter().map(|turn| &turn.transformation).collect();
            u64::try_from(self.puzzle.chain(&turns).order()).ok()
        });
        Ok(ClassSpace {
            turns: self.turns.len(),
            entries: numbered.turns[0].len(),
            weights: rows.weights,
            next: rows.next,
            map_of: rows.map_of,
            maps,
            inverse: self.inverses(&symmetries),
            start: (0, numbered.start),
            states: states.flatten(),
        })
    }

    /// For each symmetry and turn, those that undo the turn and then the symmetry, the symmetry first.
    fn inverses(&self, symmetries: &[&Images]) -> Vec<u16> {
        let count = self.turns.len();
        let undoes = |turn: usize| {
            let inverse = self.puzzle.inverse(&self.turns[turn].transformation);
            self.turns.iter().position(|other| other.transformation == inverse).expect("turns have inverses")
        };
        let inverses: Vec<usize> = (0..count).map(undoes).collect();
        let of_symmetry = |images: &&Images| {
            let image = &images.symmetry.turns;
            let back = symmetries.iter().position(|other| {
                let other = &other.symmetry.turns;
                image.iter().enumerate().all(|(turn, &image)| usize::from(other[usize::from(image)]) == turn)
            });
            let back = back.expect("symmetries are a group");
            (0..count).map(|turn| (back * count + inverses[usize::from(image[turn])]) as u16).collect::<Vec<u16>>()
        };
        symmetries.iter().flat_map(of_symmetry).collect()
    }

    /// What turns and symmetries do to the values of some places.
    fn side(&self, cells: &[Cell], symmetries: &[&Images]) -> Side {
        let puzzle = self.puzzle;
        let (first, periods) = puzzle.periods();
        let orientations = puzzle.orientations();
        let mut numbers = vec![0; self.component.len()];
        cells.iter().enumerate().for_each(|(at, cell)| numbers[cell.place] = at as u16);
        let symbol = |cell: &Cell, piece: usize, twist: usize| {
            let factor = if cell.has_twist { usize::from(orientations[cell.place]) } else { 1 };
            (if cell.has_piece { piece * factor } else { 0 }) + if cell.has_twist { twist } else { 0 }
        };
        let start = |cell: &Cell| {
            let (piece, twist) = (puzzle.solved.pieces[cell.place], puzzle.solved.twist[cell.place]);
            symbol(cell, piece.into(), twist.into()) as u8
        };
        let mut side = Side {
            start: cells.iter().map(start).collect(),
            turns: Vec::new(),
            symmetries: Vec::new(),
            tables: Vec::new(),
        };
        // The pieces that come to a place, and their homes.
        let homes = |place: usize| -> Range<usize> { puzzle.orbit_of(place).1 };
        let visits = |place: usize| homes(place).filter(move |&home| self.component[home] == self.component[place]);
        for turn in &self.turns {
            let of_cell = |cell: &Cell| {
                let mut table = [0; SYMBOLS];
                for home in visits(cell.place) {
                    let piece = usize::from(puzzle.solved.pieces[home]);
                    let period = usize::from(periods[first[home] + piece]);
                    for twist in 0..if cell.has_twist { period } else { 1 } {
                        let turned = (twist + usize::from(turn.transformation.twist[cell.place])) % period;
                        table[symbol(cell, piece, twist)] = symbol(cell, piece, turned) as u8;
                    }
                }
                (numbers[usize::from(turn.transformation.from[cell.place])], table)
            };
            let action = cells.iter().map(of_cell).collect();
            side.turns.push(numbered_tables(action, &mut side.tables));
        }
        for images in symmetries {
            let mut action = vec![(0, [0; SYMBOLS]); cells.len()];
            for (at, cell) in cells.iter().enumerate() {
                let to = images.places[cell.place];
                let (cell_to, [factor, added]) = (cells[usize::from(numbers[to])], images.twists[cell.place]);
                let mut table = [0; SYMBOLS];
                for home in visits(cell.place) {
                    let piece = usize::from(puzzle.solved.pieces[home]);
                    let piece_to = usize::from(puzzle.solved.pieces[images.places[home]]);
                    let period = usize::from(periods[first[home] + piece]);
                    for twist in 0..if cell.has_twist { period } else { 1 } {
                        let turned = (factor * twist + added + period - images.frames[home]) % period;
                        table[symbol(cell, piece, twist)] = symbol(&cell_to, piece_to, turned) as u8;
                    }
                }
                action[usize::from(numbers[to])] = (at as u16, table);
            }
            side.symmetries.push(numbered_tables(action, &mut side.tables));
        }
        side
    }
}

/// An action whose tables are numbered, each once.
fn numbered_tables(action: Vec<(u16, [u8; SYMBOLS])>, tables: &mut Vec<[u8; SYMBOLS]>) -> Action {
    let number = |(from, table)| {
        let known = tables.iter().position(|other| *other == table).unwrap_or_else(|| {
            tables.push(table);
            tables.len() - 1
        });
        (from, known as u16)
    };
    action.into_iter().map(number).collect()
}

/// All values of a side, numbered.
struct Numbered {
    start: u32,
    /// For each turn, the value after each value.
    turns: Vec<Vec<u32>>,
    /// For each symmetry, the image of each value.
    symmetries: Vec<Vec<u32>>,
}

/// The classes of a side's values.
struct Classes {
    weights: Vec<u32>,
    next: Vec<u32>,
    map_of: Vec<u16>,
}

/// The representative of a value's class.
struct Canonical {
    /// A symmetry that takes the value there.
    symmetry: usize,
    /// How many do.
    ties: usize,
}

impl Side {
    fn symbol(&self, value: &[u8], &(from, table): &(u16, u16)) -> u8 {
        self.tables[usize::from(table)][usize::from(value[usize::from(from)])]
    }

    fn after(&self, value: &[u8], action: &[(u16, u16)]) -> Box<[u8]> {
        action.iter().map(|part| self.symbol(value, part)).collect()
    }

    /// All values that the turns reach, in rising order.
    fn numbered(&self) -> Numbered {
        let start: Box<[u8]> = self.start.as_slice().into();
        let (mut values, mut at) = (vec![start.clone()], 0);
        let mut numbers: HashMap<Box<[u8]>, u32> = HashMap::from([(start, 0)]);
        while at < values.len() {
            for turn in &self.turns {
                let value = self.after(&values[at], turn);
                if !numbers.contains_key(&value) {
                    numbers.insert(value.clone(), 0);
                    values.push(value);
                }
            }
            at += 1;
        }
        values.sort_unstable();
        (0..).zip(&values).for_each(|(number, value)| *numbers.get_mut(value).expect("a value") = number);
        let map = |action: &Action| values.iter().map(|value| numbers[&self.after(value, action)]).collect();
        Numbered {
            start: numbers[self.start.as_slice()],
            turns: self.turns.iter().map(map).collect(),
            symmetries: self.symmetries.iter().map(map).collect(),
        }
    }

    /// The least image of a value under the symmetries.
    fn canonical(&self, value: &[u8], best: &mut Vec<u8>) -> Canonical {
        let mut found = Canonical { symmetry: 0, ties: 0 };
        best.clear();
        best.extend(self.symmetries[0].iter().map(|part| self.symbol(value, part)));
        for (number, action) in self.symmetries.iter().enumerate() {
            let differs = action.iter().zip(&*best).position(|(part, best)| self.symbol(value, part) != *best);
            match differs {
                None => found.ties += 1,
                Some(at) if self.symbol(value, &action[at]) < best[at] => {
                    for (best, part) in best[at..].iter_mut().zip(&action[at..]) {
                        *best = self.symbol(value, part);
                    }
                    found = Canonical { symmetry: number, ties: 1 };
                }
                Some(_) => {}
            }
        }
        found
    }

    /// The classes of all values that the turns reach from the start, which is the first.
    fn classes(&self, memory: u64, ctx: &Context) -> Result<Classes> {
        let (length, turns, symmetries) = (self.start.len(), self.turns.len(), self.symmetries.len());
        let hasher = DefaultHashBuilder::default();
        let mut keys = Vec::new();
        let start = self.canonical(&self.start, &mut keys);
        let mut classes =
            Classes { weights: vec![(symmetries / start.ties) as u32], next: Vec::new(), map_of: Vec::new() };
        let mut numbers: HashTable<u32> = HashTable::new();
        numbers.insert_unique(hasher.hash_one(&keys[..]), 0, |_| 0);
        let bytes_each = (length + 12 + 6 * turns) as u64;
        let mut begin = 0;
        while begin < classes.weights.len() {
            let end = classes.weights.len().min(begin + ROWS_AT_ONCE);
            if end as u64 * bytes_each > memory {
                return Err(Error::small_memory(memory, (classes.weights.len() as u64 + 1) * bytes_each));
            }
            let found = (begin * turns..end * turns).into_par_iter().map_init(Vec::new, |best, number| {
                ctx.check()?;
                let value = &keys[number / turns * length..][..length];
                let canonical = self.canonical(&self.after(value, &self.turns[number % turns]), best);
                let hash = hasher.hash_one(&best[..]);
                let known = numbers.find(hash, |&row| keys[row as usize * length..][..length] == best[..]);
                Ok((canonical, hash, known.copied().ok_or_else(|| best.clone())))
            });
            for (number, found) in found.collect::<Result<Vec<_>>>()?.into_iter().enumerate() {
                let (Canonical { symmetry, ties }, hash, known) = found;
                let row = known.unwrap_or_else(|key| {
                    let at = |row: u32| row as usize * length..(row as usize + 1) * length;
                    if let Some(&row) = numbers.find(hash, |&row| keys[at(row)] == key[..]) {
                        return row;
                    }
                    let row = classes.weights.len() as u32;
                    keys.extend(&key);
                    classes.weights.push((symmetries / ties) as u32);
                    numbers.insert_unique(hash, row, |&row| hasher.hash_one(&keys[at(row)]));
                    row
                });
                classes.next.push(row);
                classes.map_of.push((symmetry * turns + number % turns) as u16);
            }
            begin = end;
        }
        Ok(classes)
    }
}

#[cfg(test)]
mod tests {
    use twistbase_levelset::{ClassOptions, count_classes};

    use super::*;

    /// Counts with a split, in memory or in files.
    fn levels(splits: &Splits<'_>, split: u32, memory: u64, folder: Option<&std::path::Path>) -> Vec<u64> {
        let ctx = Context::silent();
        let space = splits.space(split, u64::MAX, &ctx).unwrap();
        let least = space.least_memory(folder.is_some());
        let identity = splits.identity(split);
        let options = ClassOptions { identity: &identity, folder, memory: memory.max(least), depth: 99 };
        let mut counts = Vec::new();
        let complete = count_classes(&space, &options, &ctx, &mut |distance, count| {
            assert_eq!(distance, counts.len());
            counts.push(count);
            Ok(())
        });
        assert!(complete.unwrap());
        counts
    }

    /// All splits of small puzzles have the levels of a plain search.
    #[test]
    fn levels_up_to_symmetry_are_those_of_a_plain_search() {
        for name in ["ivy", "floppy", "t v 0.333333333333333 moves U,L,R,B", "cube2", "c v 0 hold UFR"] {
            let puzzle = PuzzleDefinition::named(name).or_else(|| PuzzleDefinition::parse(name).ok()).unwrap();
            let ctx = Context::silent();
            let plain = puzzle.count_plainly(99, usize::MAX, u64::MAX, &ctx, &mut |_, _| Ok(())).unwrap().counts;
            let splits = puzzle.splits().unwrap();
            for split in 0..1 << splits.units.len() {
                if splits.cost(split).is_none() {
                    continue;
                }
                let begin = std::time::Instant::now();
                let s = splits.space(split, u64::MAX, &ctx).unwrap();
                println!("{name} {split:b} {:?} sym {} rows {} entries {}", splits.units.iter().map(|u| (u.orbit, u.of, u.values)).collect::<Vec<_>>(), splits.symmetries(split).len(), s.rows(), s.entries);
                assert_eq!(levels(&splits, split, u64::MAX, None), plain, "{name} {split:b}");
                println!("{:?}", begin.elapsed());
            }
        }
    }
}
