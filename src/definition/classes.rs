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
use num_bigint::BigUint;
use rayon::prelude::*;

use twistbase_core::context::Context;
use twistbase_core::error::{Error, Result};
use twistbase_levelset::ClassSpace;

use super::model::{PuzzleDefinition, Turn};
use super::symmetry::Symmetry;

/// The most symmetries that are used.
const MOST_SYMMETRIES: usize = 512;

/// The most units whose splits are looked at.
const MOST_UNITS: usize = 12;

/// The most entries of a row.
const MOST_ENTRIES: f64 = (1u32 << 20) as f64;

/// Of the tuples of all values, one in this many is reached at least, in puzzles that people know.
const UNREACHED: f64 = 64.0;

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
struct Images {
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
    /// A lower bound of the number of positions.
    least: f64,
}

/// Bytes of memory that counting takes with a split, about.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SplitMemory {
    /// At most, if all tuples of values are reached.
    pub most: f64,
    /// At least.
    pub least: f64,
    /// At least, where sets of positions are in files.
    pub least_in_files: f64,
}

/// Where each symbol comes from, and the table that changes it.
type Action = Vec<(u16, u16)>;

/// The rows, or the entries.
struct Side {
    start: Vec<u8>,
    turns: Vec<Action>,
    symmetries: Vec<Action>,
    tables: Vec<[u8; SYMBOLS]>,
    /// For each cell and symbol there, the least first symbol of an image in which it comes first, and the symmetries that do so.
    firsts: Vec<(u8, Vec<u16>)>,
}

/// A place of a side, and what of it matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Cell {
    place: usize,
    has_piece: bool,
    has_twist: bool,
}

impl PuzzleDefinition {
    /// What can be split into rows and entries, of a puzzle with `least` positions at least; `None` if positions are illegal or count up
    /// to moves, or there are too many units.
    pub(crate) fn splits(&self, least: &BigUint) -> Option<Splits<'_>> {
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
        let least = least.to_string().parse().unwrap_or(f64::INFINITY);
        Some(Splits { puzzle: self, turns, units, component, images, least })
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
    fn symmetries(&self, split: u32) -> Vec<&Images> {
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

    /// Bytes of memory that counting takes with a split; `None` if it has too many entries, or periods that differ.
    pub(crate) fn memory(&self, split: u32) -> Option<SplitMemory> {
        let values = |side: u32| -> f64 {
            let units = self.units.iter().enumerate().filter(|(at, _)| side >> at & 1 == 1);
            units.map(|(_, unit)| unit.values).product()
        };
        let entries = values(split);
        if entries > MOST_ENTRIES || !self.is_possible(split) {
            return None;
        }
        let (symmetries, turns) = (self.symmetries(split).len() as f64, self.turns.len() as f64);
        let most_rows = (values(self.rows_of(split)) / symmetries).max(1.0);
        let least_rows = (self.least / entries / symmetries).max(most_rows / UNREACHED).max(1.0);
        let (of_row, maps) = (6.0 * turns + 32.0, symmetries * turns * entries * 4.0);
        let sets = 2.0 * 8.0 * (entries / 64.0).ceil();
        Some(SplitMemory {
            most: most_rows * (of_row + sets) + maps,
            least: least_rows * (of_row + sets) + maps,
            least_in_files: least_rows * of_row + maps,
        })
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
    pub(crate) fn best(&self) -> Option<(u32, SplitMemory)> {
        let splits = (0..1u32 << self.units.len()).filter_map(|split| Some((split, self.memory(split)?)));
        splits.min_by(|one, other| one.1.most.total_cmp(&other.1.most))
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
        let states = self.puzzle.tells_all_apart().then(|| {
            let turns: Vec<_> = self.turns.iter().map(|turn| &turn.transformation).collect();
            u64::try_from(self.puzzle.chain(&turns).order()).ok()
        });
        let (states, entries) = (states.flatten(), numbered.turns[0].len());
        // Few rows have symmetries of their own.
        let likely = self.least / (entries * symmetries.len()) as f64;
        ctx.progress().begin("rows up to symmetry", (likely as u64).max(1), "rows");
        let rows = of_rows.classes(memory, ctx);
        ctx.progress().end();
        let rows = rows?;
        Ok(ClassSpace {
            turns: self.turns.len(),
            entries,
            weights: rows.weights,
            next: rows.next,
            map_of: rows.map_of,
            maps,
            inverse: self.inverses(&symmetries),
            start: (0, numbered.start),
            states,
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
            firsts: Vec::new(),
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
        side.firsts = (0..cells.len() * SYMBOLS).map(|at| side.first(at / SYMBOLS, at % SYMBOLS)).collect();
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

    /// The least first symbol of an image in which that of a cell comes first, and the symmetries that do so.
    fn first(&self, cell: usize, symbol: usize) -> (u8, Vec<u16>) {
        let comes_first = self.symmetries.iter().enumerate().filter(|(_, action)| usize::from(action[0].0) == cell);
        let images = comes_first.map(|(at, action)| (self.tables[usize::from(action[0].1)][symbol], at as u16));
        let least = images.clone().map(|(image, _)| image).min().unwrap_or(u8::MAX);
        (least, images.filter(|&(image, _)| image == least).map(|(_, at)| at).collect())
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

    /// The least image of a value under the symmetries, in `best`.
    fn canonical(&self, value: &[u8], best: &mut Vec<u8>) -> Canonical {
        let mut found = Canonical { symmetry: 0, ties: 0 };
        best.clear();
        if value.is_empty() {
            return Canonical { ties: self.symmetries.len(), ..found };
        }
        let firsts = || value.iter().zip(self.firsts.chunks(SYMBOLS)).map(|(&at, firsts)| &firsts[usize::from(at)]);
        let least = firsts().map(|&(least, _)| least).min();
        for &number in firsts().filter(|&&(first, _)| Some(first) == least).flat_map(|(_, symmetries)| symmetries) {
            let action = &self.symmetries[usize::from(number)];
            let differs = action.iter().zip(&*best).position(|(part, best)| self.symbol(value, part) != *best);
            match differs {
                None if found.ties > 0 => found.ties += 1,
                Some(at) if self.symbol(value, &action[at]) > best[at] => {}
                _ => {
                    best.clear();
                    best.extend(action.iter().map(|part| self.symbol(value, part)));
                    found = Canonical { symmetry: number.into(), ties: 1 };
                }
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
            let found = (begin * turns..end * turns).into_par_iter().map_init(Default::default, |room, number| {
                ctx.check()?;
                let (best, turned): &mut (Vec<u8>, Vec<u8>) = room;
                let value = &keys[number / turns * length..][..length];
                turned.clear();
                turned.extend(self.turns[number % turns].iter().map(|part| self.symbol(value, part)));
                let canonical = self.canonical(turned, best);
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
            ctx.progress().advance((end - begin) as u64);
            begin = end;
        }
        Ok(classes)
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use twistbase_levelset::{ClassOptions, count_classes};

    use super::*;
    use crate::tests::{pancakes, small_puzzles};

    /// Counts with a split: all levels, each with its number, or those before one at which `level` fails.
    fn levels(splits: &Splits<'_>, split: u32, folder: Option<&Path>, last: usize) -> (Result<bool>, Vec<u64>) {
        let (ctx, identity) = (Context::silent(), splits.identity(split));
        let space = splits.space(split, u64::MAX, &ctx).unwrap();
        // In files as little memory as possible: one group of rows at a time.
        let memory = space.least_memory(folder.is_some());
        let options = |memory| ClassOptions { identity: &identity, folder, memory, depth: 99 };
        let less = count_classes(&space, &options(memory - 1), &ctx, &mut |_, _| Ok(()));
        assert!(matches!(less, Err(Error::Memory(_))));
        let mut counts = Vec::new();
        let result = count_classes(&space, &options(memory), &ctx, &mut |distance, count| {
            assert_eq!(distance, counts.len());
            counts.push(count);
            if distance == last { Err(Error::Interrupted) } else { Ok(()) }
        });
        (result, counts)
    }

    fn plain_levels(puzzle: &PuzzleDefinition) -> Vec<u64> {
        let counted = puzzle.count_plainly(99, usize::MAX, u64::MAX, &Context::silent(), &mut |_, _| Ok(()));
        counted.unwrap().counts
    }

    /// Whatever the rows are: also rows with symmetries of their own, and pairs that no turns lead to.
    fn assert_all_splits_agree(puzzle: &PuzzleDefinition) {
        let (plain, splits) = (plain_levels(puzzle), puzzle.splits(&1u32.into()).unwrap());
        let is_cheap = |&split: &u32| splits.memory(split).is_some_and(|memory| memory.most < 2e7);
        let possible: Vec<u32> = (0..1 << splits.units.len()).filter(is_cheap).collect();
        assert!(!possible.is_empty() && possible.contains(&splits.best().unwrap().0));
        for split in possible {
            let (complete, counts) = levels(&splits, split, None, usize::MAX);
            assert_eq!((complete.unwrap(), &counts), (true, &plain), "{split:b} of {}", puzzle.to_tws());
        }
    }

    #[test]
    fn levels_up_to_symmetry_are_those_of_a_plain_search() {
        small_puzzles().iter().for_each(assert_all_splits_agree);
        for name in ["ivy", "floppy", "topspin-7-3"] {
            assert_all_splits_agree(&PuzzleDefinition::named(name).unwrap());
        }
    }

    /// Symmetries that map orbits to each other; corners that count their twists along one axis; both kinds of corners of a skewb.
    #[test]
    #[ignore = "long suite: millions of positions, in many ways"]
    fn levels_of_larger_puzzles_are_those_of_a_plain_search() {
        for line in ["t v 0.333333333333333 moves U,L,R,B", "c f 0 hold DBL", "o f 0 hold UFRL", "c v 0 hold UFR"] {
            assert_all_splits_agree(&PuzzleDefinition::parse(line).unwrap());
        }
    }

    /// Files, in several passes, and after an interruption.
    #[test]
    fn a_count_continues_behind_its_last_level() {
        let puzzle = pancakes(8);
        let (splits, plain) = (puzzle.splits(&1u32.into()).unwrap(), plain_levels(&puzzle));
        let folder = tempfile::tempdir().unwrap();
        for last in [0, 4, 5] {
            let (stopped, counts) = levels(&splits, 0, Some(folder.path()), last);
            assert!(matches!(stopped, Err(Error::Interrupted)));
            assert_eq!(counts, plain[..=last]);
        }
        for _ in 0..2 {
            let (complete, counts) = levels(&splits, 0, Some(folder.path()), usize::MAX);
            assert_eq!((complete.unwrap(), &counts), (true, &plain));
        }
        // Another puzzle has other files in the same folder.
        let other = pancakes(7);
        let (_, counts) = levels(&other.splits(&1u32.into()).unwrap(), 0, Some(folder.path()), usize::MAX);
        assert_eq!(counts, plain_levels(&other));
    }

    /// Each is a symmetry, and with any other one makes a third.
    #[test]
    fn symmetries_are_a_group() {
        for (name, count) in [("cube3", 48), ("fto", 48), ("compy", 48), ("pyraminx", 24), ("cube2", 6)] {
            let line = "t v 0.333333333333333 moves U,L,R,B";
            let puzzle = PuzzleDefinition::named(name).unwrap_or_else(|| PuzzleDefinition::parse(line).unwrap());
            let (all, turns) = (puzzle.list_symmetries(MOST_SYMMETRIES), puzzle.turns());
            assert_eq!((all.len(), Some(all.len())), (count, puzzle.symmetries()), "{name}");
            for symmetry in &all {
                for (turn, &other) in turns.iter().zip(&symmetry.turns) {
                    let [turn, other] =
                        [turn, &turns[usize::from(other)]].map(|of| puzzle.on_points(&of.transformation));
                    for (point, &image) in symmetry.points.iter().enumerate() {
                        let turned = symmetry.points[usize::from(turn[point])];
                        assert_eq!(turned, other[usize::from(image)], "{name}");
                    }
                }
                let products = all.iter().map(|first| symmetry.after(first).turns);
                assert!(products.into_iter().all(|turns| all.iter().any(|other| other.turns == turns)), "{name}");
            }
        }
    }
}
