//! What a definition says: orbits of pieces, a solved pattern, and moves.

use std::collections::HashSet;
use std::ops::Range;

use twistbase_core::error::{Error, InvalidInput, Problem, Result};

use super::goals::NamedGoal;

/// The largest number of pieces in an orbit, and of orientations of a piece.
pub(crate) const LARGEST: usize = 255;

/// The most bytes of a chain of stabilisers. It also limits the orientations of all places to what 16 bits number.
const MOST_CHAIN_BYTES: usize = 1 << 28;

/// The most moves, and the most other names of moves.
const MOST_MOVES: usize = 1_000;

/// The most words of a sequence that a name stands for.
pub(crate) const MOST_WORDS: usize = 1_000;

/// The most images of points under all powers of moves.
const MOST_IMAGES: u64 = 1 << 24;

/// The most mistakes of a text that are listed.
pub(crate) const MOST_PROBLEMS: usize = 100;

/// The most characters of a reason: it may quote the text.
const LONGEST_REASON: usize = 400;

/// Why a part of a definition is refused: a code, and the reason in words.
pub(crate) type Refusal = (&'static str, String);

/// Pieces that can take each other's places.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Orbit {
    /// Its name, for instance `CORNER`.
    pub name: String,
    /// The number of its places, which is that of its pieces: 1 to 255.
    pub pieces: usize,
    /// The number of orientations of a piece in a place: 1 to 255.
    pub orientations: usize,
}

/// Where the pieces of all orbits come from, and how they are twisted. Places are numbered from 0 through all orbits, in
/// their order.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Transformation {
    /// For each place, the place that its piece comes from.
    pub from: Vec<u16>,
    /// For each place, the change of orientation of the piece that arrives there.
    pub twist: Vec<u8>,
}

/// The piece in each place, and its orientation. Pieces of an orbit with the same number look alike.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Pattern {
    /// For each place, the number of its piece, from 0.
    pub pieces: Vec<u8>,
    /// For each place, the orientation of its piece, less than its period.
    pub twist: Vec<u8>,
    /// For each place, after how many twists its piece looks the same: 1 where the orientation is ignored.
    pub period: Vec<u8>,
}

/// A move as the definition names it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Move {
    /// Its name.
    pub name: String,
    /// Its effect.
    pub transformation: Transformation,
    /// Its order: the least number of repetitions that do nothing.
    pub order: u64,
    /// Whether it turns the whole puzzle, which is no move of a solution.
    pub is_rotation: bool,
}

/// A move or one of its powers: one step of a solution.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Turn {
    /// Its name: that of the move, with the number of repetitions, and `'` backwards.
    pub name: String,
    /// The number of its move among the moves of the definition.
    pub of: usize,
    /// Its effect.
    pub transformation: Transformation,
}

/// A name for a sequence of moves. It is no step of a solution.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Derived {
    /// The name.
    pub name: String,
    /// The sequence.
    pub sequence: String,
    /// Its effect.
    pub transformation: Transformation,
}

/// One of the sequences up to which a puzzle is solved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Generator {
    /// The sequence, in moves of the puzzle that it was first given for. Of these some may be left out since.
    pub sequence: String,
    /// Its effect.
    pub transformation: Transformation,
}

/// A piece that must not be in a place, as in the cut of a Square-1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Illegal {
    /// The place, numbered through all orbits.
    pub place: usize,
    /// The number of the piece in its orbit, from 0.
    pub piece: u8,
}

/// A puzzle: orbits, moves and the solved pattern.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PuzzleDefinition {
    /// Its name; empty if the file gives none.
    pub name: String,
    /// The orbits.
    pub orbits: Vec<Orbit>,
    /// The solved position.
    pub solved: Pattern,
    /// The moves and rotations of the file. Powers are not listed.
    pub moves: Vec<Move>,
    /// Other names: of moves, and of sequences.
    pub derived: Vec<Derived>,
    /// Positions that have one of these do not exist.
    pub illegal: Vec<Illegal>,
    /// Whether the steps of solutions are the moves and their inverses alone, so that a half turn counts two.
    pub quarter_turns: bool,
    /// Generators of a group: each position that they alone solve counts as solved. Empty if there is one solved position.
    pub up_to: Vec<Generator>,
    /// The line of its [geometry](super::Geometry), from which it has pictures; empty if it has none.
    pub geometry: String,
    /// Goals other than solved, by name.
    pub goals: Vec<NamedGoal>,
}

impl PuzzleDefinition {
    /// The most bytes of a text that is read. Definitions of the largest puzzles take some hundred thousand.
    pub const MOST_BYTES: usize = 1 << 23;

    /// Reads a definition in any of the formats: KPuzzle JSON if it begins with a brace; a line of [geometry](super::Geometry) if
    /// it begins with the letter of a solid or with a digit, as a box does; else `.tws` or `.def`.
    ///
    /// # Errors
    /// [`Error::Invalid`](twistbase_core::error::Error::Invalid) with every reason and its place.
    pub fn parse(text: &str) -> Result<Self> {
        let is_solid =
            |word: &str| matches!(word, "t" | "c" | "o" | "d" | "i") || word.starts_with(|c: char| c.is_ascii_digit());
        match text.split_whitespace().next() {
            Some(word) if word.starts_with('{') => Self::parse_kpuzzle(text),
            Some(word) if is_solid(word) => Ok(super::Geometry::parse(text)?.definition().clone()),
            _ => Self::parse_tws(text),
        }
    }

    /// The number of places in all orbits.
    pub fn places(&self) -> usize {
        self.orbits.iter().map(|orbit| orbit.pieces).sum()
    }

    /// The places of each orbit.
    pub(crate) fn ranges(&self) -> impl Iterator<Item = (&Orbit, Range<usize>)> {
        ranges(&self.orbits)
    }

    /// The orbit of a place, with all its places.
    pub(crate) fn orbit_of(&self, place: usize) -> (&Orbit, Range<usize>) {
        self.ranges().find(|(_, range)| range.contains(&place)).expect("a place")
    }

    /// For each place, the number of orientations of its orbit.
    pub(crate) fn orientations(&self) -> Vec<u8> {
        self.ranges().flat_map(|(orbit, range)| range.map(|_| orbit.orientations as u8)).collect()
    }

    /// The first place of the orbit of each place, and the period of each piece at that place plus its number.
    pub(crate) fn periods(&self) -> (Vec<usize>, Vec<u8>) {
        let first: Vec<usize> = self.ranges().flat_map(|(_, range)| vec![range.start; range.len()]).collect();
        let mut period = vec![1; first.len()];
        for (place, &first) in first.iter().enumerate() {
            period[first + usize::from(self.solved.pieces[place])] = self.solved.period[place];
        }
        (first, period)
    }

    /// A position with the periods that its pieces have.
    pub(crate) fn with_periods(&self, mut pattern: Pattern) -> Pattern {
        let (first, period) = self.periods();
        for (place, first) in first.into_iter().enumerate() {
            pattern.period[place] = period[first + usize::from(pattern.pieces[place])];
            pattern.twist[place] %= pattern.period[place];
        }
        pattern
    }

    /// The position after a transformation.
    ///
    /// # Panics
    /// If either is of another puzzle.
    pub fn apply(&self, pattern: &Pattern, transformation: &Transformation) -> Pattern {
        let Transformation { from, twist } = transformation;
        let moved = |of: &[u8]| from.iter().map(|&place| of[usize::from(place)]).collect::<Vec<u8>>();
        let (pieces, mut turned, period) = (moved(&pattern.pieces), moved(&pattern.twist), moved(&pattern.period));
        for ((turned, twist), period) in turned.iter_mut().zip(twist).zip(&period) {
            *turned = ((u16::from(*turned) + u16::from(*twist)) % u16::from(*period)) as u8;
        }
        Pattern { pieces, twist: turned, period }
    }

    /// One transformation after another.
    ///
    /// # Panics
    /// If either is of another puzzle.
    pub fn compose(&self, first: &Transformation, then: &Transformation) -> Transformation {
        let from = then.from.iter().map(|&place| first.from[usize::from(place)]).collect();
        let sum = |((&place, &twist), &orientations): ((&u16, &u8), &u8)| {
            ((u16::from(first.twist[usize::from(place)]) + u16::from(twist)) % u16::from(orientations)) as u8
        };
        let twist = then.from.iter().zip(&then.twist).zip(&self.orientations()).map(sum).collect();
        Transformation { from, twist }
    }

    /// What undoes a transformation.
    ///
    /// # Panics
    /// If it is of another puzzle.
    pub fn inverse(&self, transformation: &Transformation) -> Transformation {
        let mut inverse = self.identity();
        let places = transformation.from.iter().zip(&transformation.twist).zip(self.orientations());
        for (place, ((&from, &twist), orientations)) in places.enumerate() {
            inverse.from[usize::from(from)] = place as u16;
            inverse.twist[usize::from(from)] = (orientations - twist) % orientations;
        }
        inverse
    }

    /// What changes nothing.
    pub fn identity(&self) -> Transformation {
        let places = self.places();
        Transformation { from: (0..places as u16).collect(), twist: vec![0; places] }
    }

    /// The order of a transformation: the least common multiple of the lengths of its cycles, twists included.
    pub(crate) fn order(&self, transformation: &Transformation) -> u64 {
        let (mut order, mut seen) = (1, vec![false; self.places()]);
        for (start, orientations) in self.orientations().into_iter().enumerate() {
            let (mut place, mut length, mut twist) = (start, 0u64, 0u64);
            while !seen[place] {
                seen[place] = true;
                length += 1;
                twist += u64::from(transformation.twist[place]);
                place = usize::from(transformation.from[place]);
            }
            if length > 0 {
                let orientations = u64::from(orientations);
                let repeated = orientations / gcd(orientations, twist % orientations);
                let cycle = length * repeated;
                // What no longer fits is far too large in any case.
                order = (order / gcd(order, cycle)).saturating_mul(cycle);
            }
        }
        order
    }

    /// Adds a move, unless its name is taken.
    pub(crate) fn add_move(&mut self, name: &str, transformation: Transformation) -> std::result::Result<(), Refusal> {
        check_name(name)?;
        if self.moves.len() == MOST_MOVES {
            return Err(("size", format!("{name} is one move too many: {MOST_MOVES} are the most")));
        }
        if self.moves.iter().any(|one| one.name == name) {
            return Err(("name", format!("the move {name} exists already")));
        }
        let order = self.order(&transformation);
        // `x`, `y`, `z`, and names that end in `v`, turn the whole puzzle.
        let is_rotation = matches!(name, "x" | "y" | "z") || name.ends_with('v');
        self.moves.push(Move { name: name.to_owned(), transformation, order, is_rotation });
        Ok(())
    }

    /// Adds another name for moves, unless it stands for something else already.
    pub(crate) fn add_derived(&mut self, derived: Derived) -> std::result::Result<(), Refusal> {
        let name = &derived.name;
        check_name(name)?;
        match self.transformation_named(name) {
            Some(known) if *known == derived.transformation => return Ok(()),
            Some(_) => return Err(("name", format!("the name {name} stands for another move already"))),
            None if self.derived.len() == MOST_MOVES => {
                return Err(("size", format!("{name} is one name too many: {MOST_MOVES} are the most")));
            }
            None => self.derived.push(derived),
        }
        Ok(())
    }

    /// All steps of solutions: the moves that are no rotations, and their powers (in quarter turns, their inverses), each once. Empty
    /// powers are left out.
    pub fn turns(&self) -> Vec<Turn> {
        let (mut turns, mut known) = (Vec::new(), HashSet::new());
        for (of, one) in self.moves.iter().enumerate().filter(|(_, one)| !one.is_rotation) {
            let mut power = one.transformation.clone();
            for amount in 1..one.order {
                let is_step = !self.quarter_turns || amount == 1 || amount == one.order - 1;
                if is_step && known.insert(power.clone()) {
                    let name = power_name(&one.name, amount, one.order);
                    turns.push(Turn { name, of, transformation: power.clone() });
                }
                power = self.compose(&power, &one.transformation);
            }
        }
        turns
    }

    /// Whether a position can exist.
    pub fn is_legal(&self, pattern: &Pattern) -> bool {
        self.may_lie(&pattern.pieces)
    }

    /// Whether the pieces may be in these places.
    pub(crate) fn may_lie(&self, pieces: &[u8]) -> bool {
        self.illegal.iter().all(|illegal| pieces[illegal.place] != illegal.piece)
    }

    /// How many kinds of pieces look different when solved, in the places of an orbit.
    pub(crate) fn kinds(&self, range: Range<usize>) -> usize {
        let mut pieces = self.solved.pieces[range].to_vec();
        pieces.sort_unstable();
        pieces.dedup();
        pieces.len()
    }

    /// Whether the solved pattern distinguishes all pieces and orientations, and no other position counts as solved. Then each element
    /// of the group is a position.
    pub fn tells_all_apart(&self) -> bool {
        self.up_to.is_empty()
            && self.ranges().all(|(orbit, range)| {
                self.kinds(range.clone()) == orbit.pieces
                    && self.solved.period[range].iter().all(|&period| usize::from(period) == orbit.orientations)
            })
    }

    /// Checks what can only be seen of the whole that a reader collected.
    pub(crate) fn finished(self, text: &str, mut problems: Vec<Problem>) -> Result<Self> {
        if problems.is_empty() {
            if self.orbits.is_empty() {
                problems.push(of_all("it has no pieces: give at least one orbit"));
            }
            if self.moves.iter().all(|one| one.is_rotation) {
                problems.push(of_all("it has no moves"));
            }
            for one in self.moves.iter().filter(|one| one.order > MOST_POWERS) {
                problems.push(of_all(&format!("the order of {} is larger than {MOST_POWERS}", one.name)));
            }
            let powers: u64 = self.moves.iter().map(|one| one.order - 1).sum();
            if problems.is_empty() && powers * self.points() as u64 > MOST_IMAGES {
                problems.push(of_all(&format!("{powers} moves and powers of moves are too many for its pieces")));
            }
            let alike = |one: usize, other: usize| self.solved.pieces[one] == self.solved.pieces[other];
            for (orbit, range) in self.ranges() {
                let differ = |one: usize, other: usize| self.solved.period[one] != self.solved.period[other];
                let mut pairs = range.clone().flat_map(|one| (one + 1..range.end).map(move |other| (one, other)));
                if let Some((one, _)) = pairs.find(|&(one, other)| alike(one, other) && differ(one, other)) {
                    let (name, piece) = (&orbit.name, self.solved.pieces[one] + 1);
                    problems.push(of_all(&format!(
                        "Solved ignores the orientation of some pieces {piece} of {name} and not of others"
                    )));
                }
            }
            if problems.is_empty() && !self.is_legal(&self.solved) {
                problems.push(of_all("the solved position is illegal"));
            }
        }
        if problems.is_empty() { Ok(self) } else { Err(invalid(text, problems)) }
    }
}

/// A reason that concerns the whole definition.
pub(crate) fn of_all(message: &str) -> Problem {
    Problem { code: "definition", message: message.to_owned(), at: None }
}

/// The error of a text that is no definition.
pub(crate) fn invalid(text: &str, mut problems: Vec<Problem>) -> Error {
    if problems.len() >= MOST_PROBLEMS {
        problems.truncate(MOST_PROBLEMS);
        problems.push(of_all("these are many mistakes: the rest of the text was not read"));
    }
    // Words of the text may be long, and have characters that a terminal obeys.
    for Problem { message, .. } in &mut problems {
        if let Some((at, _)) = message.char_indices().nth(LONGEST_REASON) {
            message.replace_range(at.., "…");
        }
        if message.contains(char::is_control) {
            *message = message.replace(char::is_control, "\u{FFFD}");
        }
    }
    InvalidInput { input: text.to_owned(), expected: "puzzle definition", problems, instead: None }.into()
}

/// Powers of one move that are still steps of solutions.
const MOST_POWERS: u64 = 255;

/// Refuses a text that is too long to read.
pub(crate) fn check_length(text: &str) -> Result<()> {
    if text.len() <= PuzzleDefinition::MOST_BYTES {
        return Ok(());
    }
    let message = format!("a definition has at most {} bytes", PuzzleDefinition::MOST_BYTES);
    Err(invalid("", vec![Problem { code: "size", message, at: None }]))
}

/// Refuses a name that no sequence of moves and no file of twsearch can have.
fn check_name(name: &str) -> std::result::Result<(), Refusal> {
    if name.is_empty() || name.contains(|c: char| c.is_whitespace() || c.is_control()) {
        return Err(("name", format!("{name:?} is no name: names are not empty and have no spaces")));
    }
    Ok(())
}

/// Adds an orbit, unless its name is taken or the pieces of all would have too many orders to count.
pub(crate) fn add_orbit(orbits: &mut Vec<Orbit>, orbit: Orbit) -> std::result::Result<(), Refusal> {
    let name = &orbit.name;
    check_name(name)?;
    if orbits.iter().any(|other| other.name == *name) {
        return Err(("name", format!("the orbit {name} exists already")));
    }
    // One level for each piece: an element for each orientation of the places that are left, two bytes for each point.
    let (mut points, mut elements) = (0, 0);
    for Orbit { pieces, orientations, .. } in orbits.iter().chain([&orbit]) {
        points += pieces * orientations;
        elements += pieces * (pieces + 1) / 2 * orientations;
    }
    if 2 * points * elements > MOST_CHAIN_BYTES {
        return Err(("size", format!("{name} is too large: there are {points} orientations of all pieces together")));
    }
    orbits.push(orbit);
    Ok(())
}

/// The places of each orbit.
pub(crate) fn ranges(orbits: &[Orbit]) -> impl Iterator<Item = (&Orbit, Range<usize>)> {
    orbits.iter().scan(0, |begin, orbit| {
        let range = *begin..*begin + orbit.pieces;
        *begin = range.end;
        Some((orbit, range))
    })
}

pub(crate) fn power_name(name: &str, amount: u64, order: u64) -> String {
    let (times, back) = if 2 * amount <= order { (amount, "") } else { (order - amount, "'") };
    let times = if times == 1 { String::new() } else { times.to_string() };
    format!("{name}{times}{back}")
}

pub(crate) fn gcd(mut a: u64, mut b: u64) -> u64 {
    while b > 0 {
        (a, b) = (b, a % b);
    }
    a
}
