//! Positions and what moves do to them.

use std::fmt;

use serde::Serialize;

use super::{Colouring, Piece, Turn};

/// The middle layer, whose two halves are displaced relative to each other by every twist.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Middle {
    /// As in the solved puzzle.
    Square,
    /// The right half is turned against the left one.
    Kite,
}

impl Middle {
    /// The middle layer after a twist.
    #[must_use]
    pub const fn twisted(self) -> Self {
        match self {
            Self::Square => Self::Kite,
            Self::Kite => Self::Square,
        }
    }

    /// The symbol of position strings: `-` for the square, `/` for the kite.
    pub const fn symbol(self) -> char {
        match self {
            Self::Square => '-',
            Self::Kite => '/',
        }
    }
}

/// One of the two layers that hold pieces.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Layer {
    /// The upper one.
    Top,
    /// The lower one.
    Bottom,
}

impl fmt::Display for Layer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Top => "top",
            Self::Bottom => "bottom",
        })
    }
}

/// A big piece in the way of a twist.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BlockedCut {
    /// The layer it is in.
    pub layer: Layer,
    /// The slot before the cut, 5 (at the back) or 11 (at the front): the piece fills it and the next.
    pub slot: u8,
    /// The piece.
    pub piece: Piece,
}

impl fmt::Display for BlockedCut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let next = (self.slot + 1) % 12;
        write!(f, "big piece {} crosses slots {}|{next} of the {} layer", self.piece, self.slot, self.layer)
    }
}

/// Why slots filled with pieces are not a position.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum IllegalPosition {
    /// A big piece does not fill exactly two neighbouring slots of one layer.
    #[error("big piece {0} does not fill exactly two neighbouring slots of one layer")]
    BigPiece(Piece),
    /// A small piece does not fill exactly one slot.
    #[error("small piece {0} does not fill exactly one slot")]
    SmallPiece(Piece),
}

/// A position of the puzzle: which piece fills each slot, and the middle layer.
///
/// Legal by construction: every piece is there exactly once and both layers are full. Two positions
/// are equal when they are the same slot by slot; [`CanonicalPieces::least`] shows whether they are
/// the same up to turns of the layers and turning over.
///
/// [`CanonicalPieces::least`]: super::CanonicalPieces::least
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Position {
    top: [Piece; 12],
    bottom: [Piece; 12],
    middle: Middle,
}

/// The pieces of a solved layer by slot, from its first piece: small, big, small, big, …
const fn solved_layer(first: u8) -> [Piece; 12] {
    let mut layer = [Piece::from_low_bits(first); 12];
    let mut slot = 0;
    while slot < 12 {
        // Three slots hold two pieces: the small one in the first, the big one in the others.
        layer[slot] = Piece::from_low_bits(first + 2 * (slot as u8 / 3) + (slot % 3 != 0) as u8);
        slot += 1;
    }
    layer
}

/// The layer turned by `amount` slots upwards.
fn rotated(layer: &[Piece; 12], amount: i8) -> [Piece; 12] {
    let mut turned = *layer;
    turned.rotate_right(amount.rem_euclid(12) as usize);
    turned
}

/// Bit `i` is set when a piece boundary lies before element `i` of the ring.
pub(super) fn boundaries<T: PartialEq>(ring: &[T; 12]) -> u16 {
    let first = u16::from(ring[11] != ring[0]);
    (1..12).fold(first, |mask, i| mask | u16::from(ring[i - 1] != ring[i]) << i)
}

/// Bit `i` is set when the ring can be cut before elements `i` and `i + 6`.
pub(super) const fn cuts(boundaries: u16) -> u16 {
    boundaries & (boundaries >> 6 | boundaries << 6) & 0xFFF
}

impl Position {
    /// The solved position: `01234567-89ABCDEF`, the middle layer square.
    pub const SOLVED: Self = Self { top: solved_layer(0), bottom: solved_layer(8), middle: Middle::Square };

    /// The position with these pieces by slot; each big piece is listed in both its slots.
    ///
    /// # Errors
    /// Fails when a piece is missing, there too often, or a big one in slots that are not neighbours.
    pub fn from_layers(top: [Piece; 12], bottom: [Piece; 12], middle: Middle) -> Result<Self, IllegalPosition> {
        for piece in Piece::all() {
            check_piece(piece, &top, &bottom)?;
        }
        Ok(Self { top, bottom, middle })
    }

    /// The position with these [rings](Self::rings).
    ///
    /// # Errors
    /// As [`from_layers`](Self::from_layers).
    pub fn from_rings(rings: [[Piece; 12]; 2], middle: Middle) -> Result<Self, IllegalPosition> {
        let [top, mut bottom] = rings;
        bottom.reverse();
        Self::from_layers(top, bottom, middle)
    }

    /// As [`from_rings`](Self::from_rings), for rings that are legal by construction.
    pub(super) fn from_legal_rings(rings: [[Piece; 12]; 2], middle: Middle) -> Self {
        let [top, mut bottom] = rings;
        bottom.reverse();
        Self::from_legal_layers(top, bottom, middle)
    }

    /// As [`from_layers`](Self::from_layers), for layers that are legal by construction.
    pub(super) const fn from_legal_layers(top: [Piece; 12], bottom: [Piece; 12], middle: Middle) -> Self {
        Self { top, bottom, middle }
    }

    /// The pieces of the top layer by slot, each big piece in both its slots.
    pub const fn top(&self) -> &[Piece; 12] {
        &self.top
    }

    /// The pieces of the bottom layer by slot, each big piece in both its slots.
    pub const fn bottom(&self) -> &[Piece; 12] {
        &self.bottom
    }

    /// The middle layer.
    pub const fn middle(&self) -> Middle {
        self.middle
    }

    /// The same pieces with another middle layer.
    #[must_use]
    pub const fn with_middle(self, middle: Middle) -> Self {
        Self { middle, ..self }
    }

    /// Both layers as rings in the same handedness, each seen from its own side: ring 0 is the top
    /// layer by slot, element `j` of ring 1 is bottom slot `11 - j`.
    pub fn rings(&self) -> [[Piece; 12]; 2] {
        let mut bottom = self.bottom;
        bottom.reverse();
        [self.top, bottom]
    }

    /// The position after turning the layers.
    #[must_use]
    pub fn turn(&self, turn: Turn) -> Self {
        // Anticlockwise seen from above is the direction in which slots are numbered.
        Self { top: rotated(&self.top, turn.top()), bottom: rotated(&self.bottom, turn.bottom()), ..*self }
    }

    /// Whether no big piece is in the way of a twist.
    pub fn is_twistable(&self) -> bool {
        let is_cut = |pieces: &[Piece; 12]| pieces[5] != pieces[6] && pieces[11] != pieces[0];
        is_cut(&self.top) && is_cut(&self.bottom)
    }

    /// The big pieces in the way of a twist: at most one at each end of the cut of each layer.
    pub fn blocked_cuts(&self) -> impl Iterator<Item = BlockedCut> {
        let [top, bottom] = [self.top, self.bottom];
        let ends =
            [(Layer::Top, top, 5), (Layer::Top, top, 11), (Layer::Bottom, bottom, 5), (Layer::Bottom, bottom, 11)];
        ends.into_iter()
            .filter(|(_, pieces, slot)| pieces[*slot] == pieces[(*slot + 1) % 12])
            .map(|(layer, pieces, slot)| BlockedCut { layer, slot: slot as u8, piece: pieces[slot] })
    }

    /// The position after a twist; `None` when a big piece is in the way.
    pub fn twist(&self) -> Option<Self> {
        self.is_twistable().then(|| self.twist_unchecked())
    }

    /// The position after a twist, which must be possible.
    fn twist_unchecked(&self) -> Self {
        let mut next = Self { middle: self.middle.twisted(), ..*self };
        for slot in 0..6 {
            // The right half turns about the left-right axis: front comes to the back, top to the bottom.
            next.top[slot] = self.bottom[5 - slot];
            next.bottom[slot] = self.top[5 - slot];
        }
        next
    }

    /// The position after turning the whole puzzle over about its left-right axis (x2).
    #[must_use]
    pub fn turn_over(&self) -> Self {
        let from = |layer: &[Piece; 12]| std::array::from_fn(|slot| layer[(17 - slot) % 12]);
        Self { top: from(&self.bottom), bottom: from(&self.top), middle: self.middle }
    }

    /// Every turn after which a twist is possible, each amount in -5..=6, by top amount, then by
    /// bottom amount. There always is one: a layer of 7 pieces or more has two boundaries half a turn
    /// apart (there are 6 pairs of places), and a layer of 6 big pieces has three such pairs.
    pub fn alignments(&self) -> impl Iterator<Item = Turn> + use<> {
        let [top, bottom] = [cuts(boundaries(&self.top)), cuts(boundaries(&self.bottom))];
        let fits = |cuts: u16, amount: i32| cuts >> (-amount).rem_euclid(12) & 1 == 1;
        (-5..=6)
            .filter(move |&t| fits(top, t))
            .flat_map(move |t| (-5..=6).filter(move |&b| fits(bottom, b)).map(move |b| Turn::new(t, b)))
    }

    /// The position after the least turn that brings a piece in the way of the twist, but lays none across the ends of
    /// a layer, as position strings demand.
    pub fn blocked(&self) -> Option<Self> {
        let turns = (0..12).flat_map(|t| (0..12).map(move |b| Turn::new(t, b)));
        let turned = turns.map(|turn| self.turn(turn));
        turned.filter(|position| position.unstraddling_turn().is_none()).find(|position| !position.is_twistable())
    }

    /// One of each pair of [`alignments`](Self::alignments) that differ by half a turn of both
    /// layers, which give the same position up to turning over: the one that the World Cube
    /// Association writes with a top amount in -2..=3.
    pub fn distinct_alignments(&self) -> impl Iterator<Item = Turn> + use<> {
        self.alignments().filter(|turn| !turn.distinct().1)
    }

    /// The turn that makes it the solved position, slot by slot, up to alike pieces and whatever the
    /// middle layer; `None` when no turn does. Unique, since the big pieces are all different.
    pub fn solving_turn(&self, colouring: Colouring) -> Option<Turn> {
        let top = layer_turn(&self.top, &Self::SOLVED.top, colouring)?;
        let bottom = layer_turn(&self.bottom, &Self::SOLVED.bottom, colouring)?;
        Some(Turn::new(top, bottom))
    }

    /// Whether it is the solved position up to turns of the layers, turning over and alike pieces,
    /// whatever the middle layer: exactly the positions at distance 0.
    pub fn is_solved(&self, colouring: Colouring) -> bool {
        self.solving_turn(colouring).is_some() || self.turn_over().solving_turn(colouring).is_some()
    }

    /// The least turn after which no big piece fills both slot 11 and slot 0 of a layer, as position
    /// strings demand: amounts 0 or 1.
    pub fn unstraddling_turn(&self) -> Turn {
        let amount = |layer: &[Piece; 12]| i32::from(layer[11] == layer[0]);
        Turn::new(amount(&self.top), amount(&self.bottom))
    }
}

/// Checks that a piece is there exactly once.
fn check_piece(piece: Piece, top: &[Piece; 12], bottom: &[Piece; 12]) -> Result<(), IllegalPosition> {
    let count = |layer: &[Piece; 12]| layer.iter().filter(|&&p| p == piece).count();
    let pairs = |layer: &[Piece; 12]| (0..12).filter(|&i| layer[i] == piece && layer[(i + 1) % 12] == piece).count();
    let slots = count(top) + count(bottom);
    if !piece.is_big() && slots != 1 {
        return Err(IllegalPosition::SmallPiece(piece));
    }
    if piece.is_big() && (slots != 2 || pairs(top) + pairs(bottom) != 1) {
        return Err(IllegalPosition::BigPiece(piece));
    }
    Ok(())
}

/// The amount in 0..12 that turns `layer` into `solved`, up to alike pieces.
fn layer_turn(layer: &[Piece; 12], solved: &[Piece; 12], colouring: Colouring) -> Option<i32> {
    let matches = |amount: usize| (0..12).all(|slot| colouring.alike(layer[(slot + 12 - amount) % 12], solved[slot]));
    (0..12).find(|&amount| matches(amount)).map(|amount| amount as i32)
}

impl Default for Position {
    fn default() -> Self {
        Self::SOLVED
    }
}

impl fmt::Debug for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let slots = |layer: &[Piece; 12]| layer.iter().map(|p| p.hex_digit()).collect::<String>();
        write!(f, "Position({} {} {:?})", slots(&self.top), slots(&self.bottom), self.middle)
    }
}
