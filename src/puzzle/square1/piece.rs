//! The sixteen pieces, and which of them look alike.

use std::fmt;

/// One of the 16 pieces, named by its hexadecimal digit: odd digits are big, even digits small.
///
/// The solved position is `01234567-89ABCDEF`, each layer by slot.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Piece(u8);

impl Piece {
    /// How many pieces there are.
    pub const COUNT: usize = 16;

    /// The piece of an index in 0..16; `None` beyond.
    pub const fn new(index: u8) -> Option<Self> {
        if index < Self::COUNT as u8 { Some(Self(index)) } else { None }
    }

    /// The piece of the four low bits of `bits`.
    pub(super) const fn from_low_bits(bits: u8) -> Self {
        Self(bits & 15)
    }

    /// The piece of a hexadecimal digit of either case; `None` for any other character.
    pub fn from_hex_digit(digit: char) -> Option<Self> {
        digit.to_digit(16).map(|value| Self::from_low_bits(value as u8))
    }

    /// The index, 0..16.
    pub const fn index(self) -> u8 {
        self.0
    }

    /// The rank among the pieces of its size, 0..8: half the index, rounded down.
    pub const fn rank(self) -> u8 {
        self.0 / 2
    }

    /// The big piece of a [`rank`](Self::rank) in 0..8; `None` beyond.
    pub const fn big(rank: u8) -> Option<Self> {
        if rank < 8 { Some(Self(2 * rank + 1)) } else { None }
    }

    /// The small piece of a [`rank`](Self::rank) in 0..8; `None` beyond.
    pub const fn small(rank: u8) -> Option<Self> {
        if rank < 8 { Some(Self(2 * rank)) } else { None }
    }

    /// The upper-case hexadecimal digit.
    pub const fn hex_digit(self) -> char {
        b"0123456789ABCDEF"[self.0 as usize] as char
    }

    /// Whether this is a big piece (a corner).
    pub const fn is_big(self) -> bool {
        self.0 & 1 == 1
    }

    /// The slots it fills: 2 when big, 1 when small.
    pub const fn width(self) -> usize {
        if self.is_big() { 2 } else { 1 }
    }

    /// All pieces in the order of their indexes.
    pub fn all() -> impl DoubleEndedIterator<Item = Self> + ExactSizeIterator + Clone {
        (0..Self::COUNT as u8).map(Self)
    }
}

impl fmt::Display for Piece {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.hex_digit())
    }
}

impl fmt::Debug for Piece {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Piece({})", self.hex_digit())
    }
}

/// Which pieces look alike.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Colouring {
    /// Square-1: all 16 pieces are different.
    Square1,
    /// Cube21 silver edition: the big pieces are all different, the small ones of four kinds, two of
    /// each: {0,2}, {4,6}, {8,A}, {C,E}.
    Cube21,
    /// Only the big pieces count: the small ones are all alike.
    Corners,
}

impl Colouring {
    /// Every colouring.
    pub const ALL: [Self; 3] = [Self::Square1, Self::Cube21, Self::Corners];

    /// A stable lower-case name, also that of its table: `square1`, `cube21`, `square1-corners`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Square1 => "square1",
            Self::Cube21 => "cube21",
            Self::Corners => "square1-corners",
        }
    }

    /// The representative of the pieces that look like `piece`: the one of least index.
    pub const fn kind(self, piece: Piece) -> Piece {
        match self {
            _ if piece.is_big() => piece,
            Self::Square1 => piece,
            // Kinds are {4i, 4i + 2}.
            Self::Cube21 => Piece(piece.0 & !2),
            Self::Corners => Piece(0),
        }
    }

    /// Whether two pieces look alike.
    pub const fn alike(self, a: Piece, b: Piece) -> bool {
        self.kind(a).0 == self.kind(b).0
    }

    /// The pieces that look like `piece`, itself included, in the order of their indexes.
    pub fn alike_pieces(self, piece: Piece) -> impl Iterator<Item = Piece> {
        Piece::all().filter(move |&other| self.alike(piece, other))
    }
}

impl fmt::Display for Colouring {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
