//! Positions of a [space](PuzzleSpace) by their numbers: moved, read, written and drawn.

use num_bigint::BigUint;
use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use twistbase_core::context::Context;
use twistbase_core::error::{InvalidInput, Problem, Result};
use twistbase_levelset::{Keep, KnownRows, LevelSearch, ProductLevels};

use super::group::Chain;
use super::kpuzzle::KPattern;
use super::model::{Pattern, PuzzleDefinition, Transformation, Turn};
use super::space::PuzzleSpace;

/// A position of a [`PuzzleSpace`]: the row and the entry that its number consists of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SpacePosition {
    /// The row.
    pub row: u32,
    /// The entry of the row.
    pub entry: u64,
}

impl PuzzleSpace {
    /// The puzzle.
    pub fn definition(&self) -> &PuzzleDefinition {
        &self.definition
    }

    /// The steps of solutions: each counts one.
    pub fn turns(&self) -> &[Turn] {
        &self.turns
    }

    /// The number of states that have a number. The moves need not reach all of them.
    pub fn states(&self) -> u128 {
        self.product.states()
    }

    /// The number of rows; `None` if it does not fit.
    pub fn rows(&self) -> Option<u32> {
        u32::try_from(self.product.rows()).ok()
    }

    /// The number of entries of a row.
    pub fn entries(&self) -> u64 {
        self.product.entries()
    }

    fn number(&self, state: &[u32]) -> SpacePosition {
        let (row, entry) = self.product.place(state);
        SpacePosition { row: row as u32, entry }
    }

    fn values(&self, position: SpacePosition) -> Vec<u32> {
        self.product.state(position.row as usize, position.entry)
    }

    /// The solved position.
    pub fn solved(&self) -> SpacePosition {
        self.number(&self.solved)
    }

    /// Whether a position is solved.
    pub fn is_solved(&self, position: SpacePosition) -> bool {
        position == self.solved()
    }

    /// The number of each turn, with the position after it.
    ///
    /// # Panics
    /// If it is a position of another puzzle.
    pub fn turned(&self, position: SpacePosition) -> impl Iterator<Item = (usize, SpacePosition)> {
        let values = self.values(position);
        (0..self.turns.len()).map(move |turn| (turn, self.number(&self.product.after(&values, turn))))
    }

    /// A position after the turn of a number.
    ///
    /// # Panics
    /// If either is of another puzzle.
    pub fn after(&self, position: SpacePosition, turn: usize) -> SpacePosition {
        self.number(&self.product.after(&self.values(position), turn))
    }

    /// The pattern of a position; for a puzzle that is solved up to moves, that of one position of the coset.
    ///
    /// # Panics
    /// If it is a position of another puzzle.
    pub fn pattern_of(&self, position: SpacePosition) -> Pattern {
        self.pattern(&self.values(position))
    }

    /// The position with a pattern; `None` if it has no number, which no moves reach. Not all that have one are reached.
    pub fn position_of(&self, pattern: &Pattern) -> Option<SpacePosition> {
        self.state(pattern).map(|state| self.number(&state))
    }

    /// A position after a sequence of moves.
    ///
    /// # Errors
    /// [`Error::Invalid`](twistbase_core::error::Error::Invalid) with every word that is no move.
    pub fn moved(&self, position: SpacePosition, moves: &str) -> Result<SpacePosition> {
        let moved = self.definition.moved(&self.pattern_of(position), moves)?;
        // Rotations lead to positions that turns do not reach.
        self.position_of(&moved).ok_or_else(|| refused(moves, "sequence of moves", vec![unreached()]).into())
    }

    /// Reads a position: moves from solved by the names of the definition (`U R2 L'`), `solved`, or a KPattern of cubing.js.
    ///
    /// # Errors
    /// [`Error::Invalid`](twistbase_core::error::Error::Invalid) with every reason.
    pub fn read(&self, input: &str) -> Result<SpacePosition> {
        let position = self.position_of(&self.definition.read_position(input)?);
        Ok(position.ok_or_else(|| self.refused(input))?)
    }

    /// The error of a text for a position that no moves lead to.
    pub fn refused(&self, input: &str) -> InvalidInput {
        refused(input, "position", vec![unreached()])
    }

    /// The error of a position with a number that no moves lead to.
    pub fn unreached(&self, position: SpacePosition) -> InvalidInput {
        refused(&self.kpattern(position).to_string(), "position", vec![unreached()])
    }

    /// A position as a KPattern of cubing.js, which can be [read](Self::read) as text.
    ///
    /// # Panics
    /// If it is a position of another puzzle.
    pub fn kpattern(&self, position: SpacePosition) -> KPattern {
        self.definition.kpattern(&self.pattern_of(position))
    }

    /// Bytes of a position as an array.
    pub fn array_bytes(&self) -> usize {
        self.definition.array_bytes()
    }

    /// Writes a position [as an array](PuzzleDefinition::write_array).
    ///
    /// # Panics
    /// If the array has another length.
    pub fn write_array(&self, position: SpacePosition, array: &mut [u8]) {
        self.definition.write_array(&self.pattern_of(position), array);
    }

    /// Reads a position from an array.
    ///
    /// # Errors
    /// If the array has another length, a number is out of range, or the moves do not lead to the position.
    pub fn read_array(&self, array: &[u8]) -> Result<SpacePosition, InvalidInput> {
        let pattern = self.definition.read_array(array)?;
        self.position_of(&pattern).ok_or_else(|| refused(&written(array), "position", vec![unreached()]))
    }

    /// A position from what draws them for the [definition](Self::definition).
    ///
    /// # Panics
    /// If it draws those of another puzzle.
    pub fn draw(&self, drawer: &PositionDrawer, rng: &mut ChaCha8Rng) -> SpacePosition {
        self.position_of(&drawer.draw(rng)).expect("turns lead there")
    }

    /// The search for all distances, modulo 3, where each turn counts one.
    pub fn whole(&self) -> LevelSearch {
        LevelSearch { turns: (0..self.turns.len()).collect(), depth: usize::MAX, keep: Keep::Modulo3 }
    }

    /// Finds the distance of each position from solved, on all threads of the caller's pool.
    ///
    /// # Errors
    /// [`Error::Memory`](twistbase_core::error::Error::Memory) if there is no room for
    /// [`memory_of_levels`](Self::memory_of_levels); [`Error::Interrupted`](twistbase_core::error::Error::Interrupted); those of
    /// reading what is known.
    pub fn levels(
        &self,
        search: &LevelSearch,
        known: Option<KnownRows<'_>>,
        ctx: &Context,
    ) -> Result<ProductLevels<'_>> {
        self.product.levels(&self.solved, search, known, ctx)
    }

    /// Bytes of memory that [`levels`](Self::levels) takes.
    pub fn memory_of_levels(&self, keep: Keep) -> u128 {
        self.product.memory(keep)
    }

    /// For each turn, the earlier turns that commute with it, and all that do: bits by their numbers. A sequence is canonical if
    /// no turn follows that could as well come earlier before a later one.
    ///
    /// # Panics
    /// If there are more turns than bits.
    pub fn commuting(&self) -> Vec<[u128; 2]> {
        self.definition.commuting(&self.turns)
    }

    /// The word for the solved position.
    pub const SOLVED: &str = "solved";

    /// The most turns of a puzzle whose solutions are counted.
    pub const MOST_TURNS: usize = 128;
}

/// Draws positions that the turns of a puzzle reach, all equally likely.
#[derive(Debug)]
pub struct PositionDrawer {
    definition: PuzzleDefinition,
    chain: Chain,
}

impl PositionDrawer {
    /// The number of elements of the group that the turns generate.
    pub fn group_order(&self) -> BigUint {
        self.chain.order()
    }

    /// A position.
    pub fn draw(&self, rng: &mut ChaCha8Rng) -> Pattern {
        self.definition.apply(&self.definition.solved, &self.definition.of_points(&self.chain.draw(rng)))
    }
}

/// An array as text.
fn written(array: &[u8]) -> String {
    array.iter().map(u8::to_string).collect::<Vec<_>>().join(" ")
}

/// The reason against a position that the moves do not reach.
pub(crate) fn unreached() -> Problem {
    Problem { code: "unreachable", message: "the moves do not lead to this position".to_owned(), at: None }
}

pub(crate) fn refused(input: &str, expected: &'static str, problems: Vec<Problem>) -> InvalidInput {
    InvalidInput { input: input.to_owned(), expected, problems, instead: None }
}

/// The most moves that an error lists.
const LISTED_MOVES: usize = 40;

impl PuzzleDefinition {
    /// Reads a position: moves from solved by the names of the definition (`U R2 L'`), `solved`, a KPattern of cubing.js, or a
    /// position as twsearch reads it (`ScrambleState` and its rows). The moves need not lead to one of the last two.
    ///
    /// # Errors
    /// [`Error::Invalid`](twistbase_core::error::Error::Invalid) with every reason; also for the first word that leads to a position
    /// that cannot exist.
    pub fn read_position(&self, input: &str) -> Result<Pattern> {
        if input.trim().eq_ignore_ascii_case(PuzzleSpace::SOLVED) {
            return Ok(self.solved.clone());
        }
        let illegal = |message: &str, at| {
            let problem = Problem { code: "illegal", message: message.to_owned(), at };
            refused(input, "position", vec![problem])
        };
        let is_scramble = Self::is_scramble(input);
        if is_scramble || input.trim_start().starts_with('{') {
            let pattern = if is_scramble { self.read_scramble(input) } else { self.read_kpattern(input) };
            let pattern = pattern.map_err(|problems| refused(input, "position", problems))?;
            return if self.is_legal(&pattern) {
                Ok(pattern)
            } else {
                Err(illegal("a piece is where it cannot be", None))?
            };
        }
        let all = self.read_sequence(input)?;
        if !self.illegal.is_empty() {
            let mut at = self.solved.clone();
            for word in input.split_whitespace() {
                at = self.apply(&at, &self.read_sequence(word)?);
                if !self.is_legal(&at) {
                    let begin = word.as_ptr() as usize - input.as_ptr() as usize;
                    return Err(illegal(&format!("{word} is blocked"), Some(begin..begin + word.len())))?;
                }
            }
        }
        Ok(self.apply(&self.solved, &all))
    }

    /// A position after a sequence of moves.
    ///
    /// # Errors
    /// Those of [`PuzzleDefinition::read_sequence`].
    pub fn moved(&self, position: &Pattern, moves: &str) -> Result<Pattern> {
        Ok(self.apply(position, &self.read_sequence(moves)?))
    }

    /// Bytes of a position as an array: the pieces of all places, then their orientations.
    pub fn array_bytes(&self) -> usize {
        2 * self.places()
    }

    /// Writes a position as an array.
    ///
    /// # Panics
    /// If the array has another length.
    pub fn write_array(&self, Pattern { pieces, twist, .. }: &Pattern, array: &mut [u8]) {
        let (to_pieces, to_twist) = array.split_at_mut(pieces.len());
        to_pieces.copy_from_slice(pieces);
        to_twist.copy_from_slice(twist);
    }

    /// Reads a position from an array. The moves need not lead to it.
    ///
    /// # Errors
    /// If the array has another length, or a number is out of range.
    pub fn read_array(&self, array: &[u8]) -> Result<Pattern, InvalidInput> {
        let places = self.places();
        let mut problems = Vec::new();
        let mut refuse = |code, message| problems.push(Problem { code, message, at: None });
        if array.len() == 2 * places {
            for (number, &value) in array.iter().enumerate() {
                let (orbit, _) = self.orbit_of(number % places);
                let most = if number < places { orbit.pieces } else { orbit.orientations };
                if usize::from(value) >= most {
                    refuse("number", format!("element {number} is {value} where 0 to {} is expected", most - 1));
                }
            }
        } else {
            refuse("length", format!("expected {} numbers, not {}", 2 * places, array.len()));
        }
        if !problems.is_empty() {
            return Err(refused(&written(array), "position", problems));
        }
        let (pieces, twist) = array.split_at(places);
        Ok(self.with_periods(Pattern { pieces: pieces.to_vec(), twist: twist.to_vec(), period: vec![1; places] }))
    }

    /// What draws positions that the turns reach, all equally likely. It takes a moment to make.
    pub fn drawer(&self) -> PositionDrawer {
        let turns = self.turns();
        let transformations: Vec<_> = turns.iter().map(|turn| &turn.transformation).collect();
        PositionDrawer { definition: self.clone(), chain: self.chain(&transformations) }
    }

    /// The end of a walk of random turns from solved, with their names. No turn undoes the one before, or is of the same move.
    ///
    /// # Panics
    /// If there are no turns.
    pub fn walk(&self, turns: &[Turn], rng: &mut ChaCha8Rng, length: usize) -> (String, Pattern) {
        let (mut at, mut names, mut last) = (self.solved.clone(), Vec::new(), None);
        while names.len() < length {
            let turn = &turns[rng.random_range(0..turns.len())];
            // Of a puzzle with one move every turn is of it.
            if last == Some(turn.of) && turns.iter().any(|other| other.of != turn.of) {
                continue;
            }
            last = Some(turn.of);
            names.push(turn.name.as_str());
            at = self.apply(&at, &turn.transformation);
        }
        (names.join(" "), at)
    }

    /// For each turn, the earlier turns that commute with it, and all that do: bits by their numbers.
    pub(crate) fn commuting(&self, turns: &[Turn]) -> Vec<[u128; 2]> {
        assert!(turns.len() <= PuzzleSpace::MOST_TURNS);
        let commute =
            |one: &Transformation, other: &Transformation| self.compose(one, other) == self.compose(other, one);
        let of_turn = |(number, turn): (usize, &Turn)| {
            let others = turns.iter().enumerate();
            let all = others.filter(|(_, other)| commute(&turn.transformation, &other.transformation));
            let all = all.fold(0, |bits, (other, _)| bits | 1 << other);
            [all & ((1 << number) - 1), all]
        };
        turns.iter().enumerate().map(of_turn).collect()
    }

    /// What a sequence of moves does.
    ///
    /// # Errors
    /// [`Error::Invalid`](twistbase_core::error::Error::Invalid) with every word that is no move.
    pub fn read_sequence(&self, moves: &str) -> Result<Transformation> {
        let (mut all, mut problems) = (self.identity(), Vec::new());
        for word in moves.split_whitespace() {
            match self.transformation_of(word) {
                Ok(one) => all = self.compose(&all, &one),
                Err(_) => {
                    let at = word.as_ptr() as usize - moves.as_ptr() as usize;
                    let names: Vec<_> = self.moves.iter().take(LISTED_MOVES).map(|one| one.name.as_str()).collect();
                    let more = if names.len() < self.moves.len() { " …" } else { "" };
                    // Once is enough.
                    let all = Some(names.join(" ") + more).filter(|_| problems.is_empty());
                    let all = all.map(|all| format!("; choose from: {all}")).unwrap_or_default();
                    let message = format!("{word:?} is no move of this puzzle{all}");
                    problems.push(Problem { code: "unknown-move", message, at: Some(at..at + word.len()) });
                }
            }
        }
        if problems.is_empty() { Ok(all) } else { Err(refused(moves, "sequence of moves", problems).into()) }
    }
}
