//! How positions and sequences of the cube are written, and reading whatever of it a person types.
//!
//! | notation | solved, or an example |
//! |---|---|
//! | [`facelets`] | `UUUUUUUUURRRRRRRRRFFFFFFFFFDDDDDDDDDLLLLLLLLLBBBBBBBBB`, or by colours W R G Y O B |
//! | [`wca`], a sequence | `R U2 F' Rw M (x U)3`, `F1R1U2` |
//! | [`reid`] | `UF UR UB UL DF DR DB DL FR FL BR BL UFR URB UBL ULF DRF DFL DLB DBR` |
//!
//! [`parse_position`] takes any of them. A prefix `facelets:`, `wca:` or `reid:` (also `cubies:`) names the notation;
//! without one the text decides:
//! - no text at all, and the word `solved`, are the solved position;
//! - text with a comment (`//` or `/*`) is a sequence;
//! - text with ten or more words that are pieces is cubies in Reid's order;
//! - text with nine letters URFDLB in a row, and text of nothing but these letters and at least 27 of them, are facelets;
//!   the same holds for letters of colours (WRGYOB), if all or none are capitals;
//! - text of nothing but any other six letters or digits, nine of each, is facelets, unless it is a sequence; one without spaces,
//!   whose letters are all capitals or all small, is facelets if the six centres differ;
//! - any other text is a sequence.
//!
//! The number of a list before a text (`1. R U`) is skipped.
//!
//! A sequence stands for the position to which it leads from the solved one, as a scramble does.
//!
//! The cube may be held in any way, in facelets as by turns of the whole cube at the end of a sequence: what is read is the
//! cube as it is held, so that moves and solutions are to be made without turning it.

pub mod array;
pub mod facelets;
mod order;
pub mod reid;
pub mod wca;

#[cfg(test)]
mod tests;

use std::fmt;
use std::ops::Range;

use self::facelets::{FaceletLetters, StickerNames};
pub use self::order::FaceletOrder;
pub use self::wca::Motion;
use super::Centres;
use super::cube::{CORNERS, Cube, EDGES};
use super::cubies::{Cubie, CubieKind, Cubies, IllegalCube, IllegalReason};
use super::sequence::MoveSequence;
pub use crate::input::LONGEST_INPUT;
use crate::input::{self, Text, names_solved};
use twistbase_core::error::{InvalidInput, Problem};

/// A way of writing positions or sequences.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Cube3Notation {
    /// Positions as in [`facelets`].
    Facelets,
    /// Sequences as in [`wca`].
    Wca,
    /// Positions as in [`reid`].
    Reid,
}

impl Cube3Notation {
    /// Every notation.
    pub const ALL: [Self; 3] = [Self::Facelets, Self::Wca, Self::Reid];

    /// Its name, which before a colon is its prefix.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Facelets => "facelets",
            Self::Wca => "wca",
            Self::Reid => "reid",
        }
    }

    /// What a text in this notation is, in words.
    const fn expected(self) -> &'static str {
        match self {
            Self::Facelets => "cube as facelets",
            Self::Wca => "sequence of cube moves",
            Self::Reid => "cube as cubies",
        }
    }

    /// The notation that has this name or other name, in either case.
    fn with_name(name: &str) -> Option<Self> {
        let is_named = |notation: &Self| name.eq_ignore_ascii_case(notation.name());
        let is_cubies = name.eq_ignore_ascii_case("cubies");
        Self::ALL.into_iter().find(is_named).or(is_cubies.then_some(Self::Reid))
    }

    /// The notation of a text without prefix, by the rules of the [module](self).
    fn guess(text: &str) -> Self {
        let letters = FaceletLetters { in_a_row: 9, alone: 27, alone_in_a_row: 1 };
        let are_own = || {
            let may_be = StickerNames::own(text, facelets::OF_FACE).is_some();
            may_be && (wca::read(text).is_err() || facelets::has_centres(text))
        };
        if names_solved(text) || has_comment(text) {
            Self::Wca
        } else if text.split_whitespace().filter(|word| reid::is_piece(word)).count() >= 10 {
            Self::Reid
        } else if letters.are_in(text) || are_own() {
            Self::Facelets
        } else {
            Self::Wca
        }
    }
}

impl fmt::Display for Cube3Notation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A position that was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ParsedCube3 {
    /// The position, of the cube as it is held.
    pub position: Cube,
    /// The notation that the input was in.
    pub notation: Cube3Notation,
    /// The centres: how it is held.
    pub centres: Centres,
    /// The order of the facelets in the input.
    pub order: FaceletOrder,
}

/// A position of a cube in the hand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HeldCube<P> {
    /// The position, which names colours by the faces that have them as the cube is held.
    pub position: P,
    /// The colours by these names.
    pub centres: Centres,
    /// The order in which its facelets were written.
    pub order: FaceletOrder,
}

impl<P> From<P> for HeldCube<P> {
    fn from(position: P) -> Self {
        Self { position, centres: Centres::USUAL, order: FaceletOrder::USUAL }
    }
}

impl<P> HeldCube<P> {
    /// The position, unless its facelets were in another order than arrays have.
    pub(crate) fn in_usual_order(self) -> Result<P, Vec<Problem>> {
        if self.order.is_usual() {
            return Ok(self.position);
        }
        let message = format!("the facelets are in the order {}; arrays have {}", self.order, FaceletOrder::USUAL);
        Err(vec![Problem { code: "facelet-order", message, at: None }])
    }
}

impl HeldCube<Cube> {
    /// The cube after a sequence, as it is held then.
    #[must_use]
    pub fn after(&self, motion: &Motion) -> Self {
        Self { centres: self.centres.then(motion.centres), ..Self::from(motion.apply(&self.position)) }
    }

    /// The cube turned about until its centres are these; `None` if no turns lead there, as where the colours are those of
    /// another scheme.
    pub fn held_like(&self, centres: Centres) -> Option<Self> {
        self.turned_to(centres).map(|(held, _)| held)
    }

    /// The cube turned about until white is up and green in front, and the turns that do it; `None` if no turns do, as with
    /// other colours.
    pub fn turned_home(&self) -> Option<(Self, String)> {
        self.turned_to(Centres::USUAL)
    }

    /// The cube turned about until its centres are these, and the turns that do it.
    fn turned_to(&self, centres: Centres) -> Option<(Self, String)> {
        let (turns, turned) = self.centres.turns_to(centres)?;
        Some((self.after(&turned.into()), turns))
    }
}

/// Whether a text has a comment, as sequences have.
pub(crate) fn has_comment(text: &str) -> bool {
    text.contains("//") || text.contains("/*")
}

/// The usual character for one of full width, as input methods write it, or for a superscript digit.
fn plain(c: char) -> char {
    match c {
        '¹' => '1',
        '²' => '2',
        '³' => '3',
        _ => input::narrow(c),
    }
}

impl ParsedCube3 {
    fn new(held: HeldCube<Cube>, notation: Cube3Notation) -> Self {
        let HeldCube { position, centres, order } = held;
        Self { position, notation, centres, order }
    }

    /// The cube that was read.
    pub fn held(&self) -> HeldCube<Cube> {
        HeldCube { position: self.position, centres: self.centres, order: self.order }
    }
}

/// The text of an input in a notation, from byte `start` on.
fn text(input: &str, start: usize, notation: Cube3Notation) -> Text<'_> {
    Text { input, start, expected: notation.expected() }
}

/// Reads a position in any notation, by the rules of the [module](self).
///
/// # Errors
/// Fails with every reason found.
///
/// ```
/// # mod twistbase { pub use twistbase_core::*; pub use twistbase_puzzle as puzzle; }
/// use twistbase::puzzle::cube3::notation;
///
/// let scramble = notation::parse_position("R U2 M' // any comment")?;
/// let printed = notation::facelets::print(&scramble.position);
/// assert_eq!(notation::parse_position(&printed)?.position, scramble.position);
/// # Ok::<(), twistbase::error::InvalidInput>(())
/// ```
pub fn parse_position(input: &str) -> Result<ParsedCube3, InvalidInput> {
    match read_facelets(input) {
        Some(position) => Ok(ParsedCube3::new(position.into(), Cube3Notation::Facelets)),
        None => parse_in_full(input),
    }
}

/// Reads the form in which positions are printed, 54 letters of a cube that is held as it should be; `None` for any other form,
/// and for what is none.
#[inline]
#[doc(hidden)]
pub fn read_facelets(input: &str) -> Option<Cube> {
    array::read_quickly(&facelets::numbers(input)?)
}

/// The same for every form of a position, with every reason where there is none.
fn parse_in_full(input: &str) -> Result<ParsedCube3, InvalidInput> {
    let prefixed = input::prefix(input).and_then(|(name, start)| Some((start, Cube3Notation::with_name(name)?)));
    let (start, notation) = prefixed.unwrap_or_else(|| {
        let (start, is_read) = (input::after_list_number(input), !input::is_too_long(input));
        (start, if is_read { Cube3Notation::guess(&input[start..]) } else { Cube3Notation::Facelets })
    });
    let held = text(input, start, notation).read(|text| match notation {
        Cube3Notation::Wca if names_solved(text) => Ok(Cube::SOLVED.into()),
        Cube3Notation::Facelets => facelets::read(text),
        Cube3Notation::Wca => wca::read(text).map(|motion| HeldCube::from(Cube::SOLVED).after(&motion)),
        Cube3Notation::Reid => reid::read(text).map(HeldCube::from),
    })?;
    Ok(ParsedCube3::new(held, notation))
}

/// Reads a sequence, with or without the prefix `wca:`, as turns of faces named by their centres.
///
/// # Errors
/// Fails with every reason found.
pub fn parse_sequence(input: &str) -> Result<MoveSequence, InvalidInput> {
    parse_motion(input).map(|motion| motion.turns)
}

/// The same with how the whole cube is turned by it.
///
/// # Errors
/// Fails with every reason found.
pub fn parse_motion(input: &str) -> Result<Motion, InvalidInput> {
    sequence_text(input).read(wca::read)
}

/// The text of a sequence, behind the prefix `wca:` if it is there.
pub(crate) fn sequence_text(input: &str) -> Text<'_> {
    let prefix = input::prefix(input).filter(|(name, _)| Cube3Notation::with_name(name) == Some(Cube3Notation::Wca));
    text(input, prefix.map_or_else(|| input::after_list_number(input), |(_, start)| start), Cube3Notation::Wca)
}

/// Pieces that were read, where they are in the text, and what was found wrong so far.
#[derive(Default)]
pub(crate) struct Pieces {
    pub(crate) cubies: Cubies,
    corners_at: [Option<Range<usize>>; CORNERS],
    edges_at: [Option<Range<usize>>; EDGES],
    problems: Vec<Problem>,
}

impl Pieces {
    /// No pieces yet, and what was found wrong before them.
    pub(crate) fn after(problems: Vec<Problem>) -> Self {
        Self { problems, ..Self::default() }
    }

    fn put_corner(&mut self, place: usize, corner: Option<Cubie>, at: Range<usize>) {
        self.cubies.corners[place] = corner;
        self.corners_at[place] = Some(at);
    }

    fn put_edge(&mut self, place: usize, edge: Option<Cubie>, at: Range<usize>) {
        self.cubies.edges[place] = edge;
        self.edges_at[place] = Some(at);
    }

    fn problem(&mut self, code: &'static str, message: String, at: Option<Range<usize>>) {
        self.problems.push(Problem { code, message, at });
    }

    /// The position that they were checked to be, if nothing was found wrong before. Of the reasons why they are none
    /// those count that `is_wanted` accepts.
    pub(crate) fn checked<T>(
        mut self,
        checked: Result<T, IllegalCube>,
        is_wanted: impl Fn(&IllegalReason) -> bool,
    ) -> Result<T, Vec<Problem>> {
        for reason in checked.as_ref().err().iter().flat_map(|illegal| &illegal.reasons).filter(|r| is_wanted(r)) {
            let at = reason.place().and_then(|(kind, place)| match kind {
                CubieKind::Corner => self.corners_at.get(usize::from(place))?.clone(),
                CubieKind::Edge => self.edges_at.get(usize::from(place))?.clone(),
            });
            self.problem(reason.code(), reason.to_string(), at);
        }
        checked.ok().filter(|_| self.problems.is_empty()).ok_or(self.problems)
    }
}
