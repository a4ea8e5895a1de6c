//! How positions and sequences are written, and reading whatever of it a person types.
//!
//! | notation | positions | sequences |
//! |---|---|---|
//! | [`hex`] | `01234567-89ABCDEF` | |
//! | [`jaap`] | `A1B2C3D45E6F7G8H-` | |
//! | [`author`], of Cube21 | `author:0,0,40319` | |
//! | [`wca`] | | `(1, 0) / (3, 3) /` |
//! | [`cube21`] | | `(-1,0)/!(-3,3)/` |
//!
//! [`parse_position`] takes any of them. A prefix `hex:`, `jaap:`, `author:`, `wca:` or `cube21:` names the
//! notation, and `author:` is always needed; without one the text decides:
//! - no text, and `solved`, are the solved position;
//! - text with `!` is a Cube21 sequence;
//! - text with a round bracket behind nine digits or letters, none of them an `x`, and no comma, is a position and a turn;
//! - text with a comma or bracket, and text of nothing but `/`, `x2` and spaces, is a WCA sequence;
//! - text with a letter `G` or `H` and neither `0` nor `9` is a Jaap position (every legal one has
//!   both letters);
//! - any other text is a hexadecimal position (every legal one has a `9`).
//!
//! Behind a position may be a turn of the layers in WCA notation, which is made: `01234567-89ABCDEF-(1,0)`. Only so can a position be
//! written in which a big piece fills slots 11 and 0 of a layer.
//!
//! A minus sign (−) or an en dash (–) is as good as a hyphen everywhere, and so are full-width characters for the usual ones. The
//! number of a list before a text (`1. (1,0)/`) is skipped.
//!
//! An error names other notations: moves of cubes, karnotation, commutators, turns with one number.
//!
//! A sequence stands for the position to which it leads from the solved one, as a scramble does.

pub mod array;
pub mod author;
pub mod cube21;
mod foreign;
pub mod hex;
mod hex_entries;
pub mod jaap;
mod moves;
mod strings;
pub mod wca;

#[cfg(test)]
mod tests;

use std::fmt;
use std::ops::Range;

pub use hex_entries::{HEX_LENGTH, HexEntries};

use super::{Colouring, Middle, PieceList, Position, Step, Turn, TwistSequence};
pub use crate::input::LONGEST_INPUT;
use crate::input::{self, Text};
use twistbase_core::error::{InvalidInput, Problem};

/// How sequences are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum SequenceNotation {
    /// World Cube Association: clockwise seen from each layer's own face.
    #[default]
    Wca,
    /// Cube21: anticlockwise seen from above, both layers.
    Cube21,
}

impl SequenceNotation {
    /// Writes a sequence.
    pub fn write(self, sequence: &TwistSequence) -> String {
        match self {
            Self::Wca => wca::print(sequence),
            Self::Cube21 => cube21::print(sequence),
        }
    }

    /// Writes a turn as short as can be, also one that turns nothing.
    pub fn write_turn(self, turn: Turn) -> String {
        let (top, bottom) = match self {
            Self::Wca => turn.wca(),
            Self::Cube21 => (turn.top(), turn.bottom()),
        };
        format!("({top},{bottom})")
    }

    /// Its usual name.
    pub const fn title(self) -> &'static str {
        match self {
            Self::Wca => "WCA",
            Self::Cube21 => "Cube21",
        }
    }
}

/// A way of writing positions or sequences.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Square1Notation {
    /// Positions as in [`hex`].
    Hex,
    /// Positions as in [`jaap`].
    Jaap,
    /// Positions as in [`author`].
    Author,
    /// Sequences as in [`wca`].
    Wca,
    /// Sequences as in [`cube21`].
    Cube21,
}

impl Square1Notation {
    /// Every notation.
    pub const ALL: [Self; 5] = [Self::Hex, Self::Jaap, Self::Author, Self::Wca, Self::Cube21];

    /// Its name, which before a colon is its prefix.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Hex => "hex",
            Self::Jaap => "jaap",
            Self::Author => "author",
            Self::Wca => "wca",
            Self::Cube21 => "cube21",
        }
    }

    /// What a text in this notation is, in words.
    const fn expected(self) -> &'static str {
        match self {
            Self::Hex => "hexadecimal Square-1 position",
            Self::Jaap => "Jaap Square-1 position",
            Self::Author => "Cube21 position by its author's numbers",
            Self::Wca => "WCA Square-1 sequence",
            Self::Cube21 => "Cube21 sequence",
        }
    }

    /// The notation of a text without prefix, by the rules of the [module](self).
    fn guess(text: &str) -> Self {
        let text = before_turn(text);
        let has = |set: &str| text.chars().any(|c| set.contains(c.to_ascii_uppercase()));
        // Lists mark some sequences with an asterisk.
        let is_twists = has("/") && text.chars().all(|c| c.is_whitespace() || "/xX2'*".contains(c));
        if has("!") {
            Self::Cube21
        } else if has(",([)]") || is_twists || text.trim().eq_ignore_ascii_case("x2") {
            Self::Wca
        } else if has("GH") && !has("09") {
            Self::Jaap
        } else {
            Self::Hex
        }
    }
}

impl fmt::Display for Square1Notation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A position that was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ParsedSquare1 {
    /// The position; its middle layer is square unless the input says otherwise.
    pub position: Position,
    /// Whether the input gives the middle layer: by a symbol, or by its number of twists.
    pub middle_given: bool,
    /// The notation that the input was in.
    pub notation: Square1Notation,
}

impl ParsedSquare1 {
    fn new(position: Position, middle: Option<Middle>, notation: Square1Notation) -> Self {
        let position = position.with_middle(middle.unwrap_or(Middle::Square));
        Self { position, middle_given: middle.is_some(), notation }
    }
}

/// A sequence with the place of each of its steps in the text.
struct Spanned {
    sequence: TwistSequence,
    spans: Vec<Range<usize>>,
}

impl Spanned {
    /// Where the sequence leads from `position`.
    fn apply(&self, position: &Position) -> Result<Position, Vec<Problem>> {
        self.sequence.apply(position).map_err(|blocked| {
            let at = self.spans.get(blocked.step).cloned();
            vec![Problem { code: "blocked-twist", message: blocked.to_string(), at }]
        })
    }
}

/// Part of an input: the text to read, and in which notation.
#[derive(Clone, Copy)]
struct NotationText<'a> {
    input: &'a str,
    start: usize,
    notation: Square1Notation,
}

impl<'a> NotationText<'a> {
    /// All of the input.
    fn whole(input: &'a str, notation: Square1Notation) -> Self {
        Self { input, start: 0, notation }
    }

    /// The input after its prefix, if it has one of the prefixes of `allowed`; else all of it, in the
    /// notation that `guess` tells.
    fn detect(input: &'a str, allowed: &[Square1Notation], guess: impl Fn(&str) -> Square1Notation) -> Self {
        let prefixed = input::prefix(input).and_then(|(name, start)| {
            let notation = *allowed.iter().find(|notation| name.eq_ignore_ascii_case(notation.name()))?;
            Some(Self { input, start, notation })
        });
        prefixed.unwrap_or_else(|| {
            let start = input::after_list_number(input);
            let narrowed = || input[start..].chars().map(input::narrow).collect::<String>();
            let notation = if input::is_too_long(input) { allowed[0] } else { guess(&narrowed()) };
            Self { input, start, notation }
        })
    }

    /// Reads the text, unless it is too long; places of problems become places in the input. An error names the notation of a
    /// text in another one.
    fn read<T>(self, parse: impl FnOnce(&str) -> Result<T, Vec<Problem>>) -> Result<T, InvalidInput> {
        let Self { input, start, notation } = self;
        let parse = |text: &str| input::read_narrow(text, parse);
        Text { input, start, expected: notation.expected() }.read(parse).map_err(|invalid| {
            match foreign::problem(input, start) {
                Some(problem) => {
                    InvalidInput { expected: "Square-1 position or sequence", problems: vec![problem], ..invalid }
                }
                None => invalid,
            }
        })
    }

    fn parse_position(self, colouring: Colouring) -> Result<ParsedSquare1, InvalidInput> {
        match self.notation {
            Square1Notation::Hex | Square1Notation::Jaap => {
                let alphabet = if self.notation == Square1Notation::Hex { &hex::ALPHABET } else { &jaap::ALPHABET };
                let (position, middle) = self.read(|text| read_turned(text, alphabet, colouring))?;
                Ok(ParsedSquare1::new(position, middle, self.notation))
            }
            Square1Notation::Author => {
                let (position, middle) = self.read(|text| author::read(text, colouring))?;
                Ok(ParsedSquare1::new(position, middle, self.notation))
            }
            Square1Notation::Wca | Square1Notation::Cube21 => {
                let position = self.apply_sequence(&Position::SOLVED)?;
                Ok(ParsedSquare1::new(position, Some(position.middle()), self.notation))
            }
        }
    }

    fn apply_sequence(self, position: &Position) -> Result<Position, InvalidInput> {
        self.read(|text| self.dialect().parse(text)?.apply(position))
    }

    fn parse_sequence(self) -> Result<TwistSequence, InvalidInput> {
        self.read(|text| self.dialect().parse(text).map(|spanned| spanned.sequence))
    }

    fn dialect(self) -> &'static moves::Dialect {
        if self.notation == Square1Notation::Cube21 { &cube21::DIALECT } else { &wca::DIALECT }
    }
}

/// What is before the turn of a text that is a position and a turn; all of any other text.
fn before_turn(text: &str) -> &str {
    const FEWEST_PIECES: usize = 9;
    let position = text.split('(').next().unwrap_or_default();
    let pieces = position.chars().filter(char::is_ascii_alphanumeric).count();
    if pieces < FEWEST_PIECES || position.contains([',', 'x', 'X']) { text } else { position }
}

/// Reads a position, and the turn behind it, which is made.
fn read_turned(
    text: &str,
    alphabet: &strings::Alphabet,
    colouring: Colouring,
) -> Result<(Position, Option<Middle>), Vec<Problem>> {
    let position = before_turn(text);
    let moves = wca::DIALECT.parse(&text[position.len()..]).and_then(|moves| match moves.sequence.steps() {
        [] => Ok(Turn::NONE),
        [Step::Turn(turn)] => Ok(*turn),
        _ => {
            let message = "only one turn (top, bottom) may follow a position".to_owned();
            Err(vec![Problem { code: "moves-after-position", message, at: Some(0..text.len() - position.len()) }])
        }
    });
    match (alphabet.parse(position, colouring), moves) {
        (Ok((read, middle)), Ok(turn)) => Ok((read.turn(turn), middle)),
        (read, moves) => {
            let mut problems = read.err().unwrap_or_default();
            problems.extend(moves.err().unwrap_or_default().into_iter().map(|problem| {
                let at = problem.at.map(|at| at.start + position.len()..at.end + position.len());
                Problem { at, ..problem }
            }));
            Err(problems)
        }
    }
}

/// The source of a sequence in either notation: Cube21 when prefixed so or when it has a `!`.
fn detect_sequence(input: &str) -> NotationText<'_> {
    let guess = |text: &str| if text.contains('!') { Square1Notation::Cube21 } else { Square1Notation::Wca };
    NotationText::detect(input, &[Square1Notation::Wca, Square1Notation::Cube21], guess)
}

/// Reads a position in any notation, by the rules of the [module](self).
///
/// `colouring` says which pieces may stand for each other: with [`Colouring::Cube21`] a string may
/// name both small pieces of a kind by the same digit.
///
/// # Errors
/// Fails with every reason found when it is not a legal position, and at the first twist that is
/// blocked when it is a sequence.
///
/// ```
/// # mod twistbase { pub use twistbase_core::*; pub use twistbase_puzzle as puzzle; }
/// use twistbase::puzzle::square1::{Colouring, notation};
///
/// let scramble = notation::parse_position("(0, -1) / (1, 1) /", Colouring::Square1)?;
/// let printed = notation::hex::print(&scramble.position);
/// assert_eq!(printed.as_deref(), Some("1238567C-49AB0DEF"));
/// # Ok::<(), twistbase::error::InvalidInput>(())
/// ```
pub fn parse_position(input: &str, colouring: Colouring) -> Result<ParsedSquare1, InvalidInput> {
    match read_list(input) {
        Some((list, middle)) => Ok(ParsedSquare1::new(list.position(), middle, Square1Notation::Hex)),
        None => parse_in_full(input, colouring),
    }
}

/// Reads the form in which positions are printed, hexadecimal digits, without laying the pieces in slots; `None` for any other
/// form, and for what is none.
#[inline]
#[doc(hidden)]
pub fn read_list(input: &str) -> Option<(PieceList, Option<Middle>)> {
    hex::read_quickly(input.as_bytes())
}

/// The same for every form of a position, with every reason where there is none.
fn parse_in_full(input: &str, colouring: Colouring) -> Result<ParsedSquare1, InvalidInput> {
    let text = match input::names_solved(input) && !input::is_too_long(input) {
        // No moves lead there.
        true => NotationText { input, start: input.len(), notation: Square1Notation::Wca },
        false => NotationText::detect(input, &Square1Notation::ALL, Square1Notation::guess),
    };
    text.parse_position(colouring)
}

/// Reads a sequence in WCA notation, or in Cube21's when it has the prefix `cube21:` or a `!`.
///
/// # Errors
/// Fails with every reason found.
pub fn parse_sequence(input: &str) -> Result<TwistSequence, InvalidInput> {
    detect_sequence(input).parse_sequence()
}

/// Reads a sequence as [`parse_sequence`] does and makes it in `position`.
///
/// # Errors
/// Fails as [`parse_sequence`] does, and at the first twist that is blocked, with its place.
pub fn apply_sequence(input: &str, position: &Position) -> Result<Position, InvalidInput> {
    detect_sequence(input).apply_sequence(position)
}

/// Whether a character is a minus sign or dash: web pages write all of these.
fn is_dash(c: char) -> bool {
    matches!(c, '-' | '\u{2212}' | '\u{2013}')
}

/// The sequences of all notations are written alike, but for how a turn and a turn-over are.
fn print_steps(sequence: &TwistSequence, separator: &str, step: impl Fn(&Step) -> String) -> String {
    sequence.steps().iter().map(step).collect::<Vec<_>>().join(separator)
}
