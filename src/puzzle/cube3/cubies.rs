//! Pieces in places, legal or not, and the check that makes a [`Cube`] of them.

use std::fmt;

use super::colours::PackedCubie;
use super::cube::{CORNER_NAMES, CORNERS, Cube, EDGE_NAMES, EDGES};
use twistbase_core::math::perm8::is_odd;

/// One of the two kinds of pieces.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CubieKind {
    /// A corner: three stickers.
    Corner,
    /// An edge: two stickers.
    Edge,
}

impl CubieKind {
    /// The name of a piece of this kind, or of its place; `None` if there is none with that number.
    pub fn name(self, number: u8) -> Option<&'static str> {
        match self {
            Self::Corner => CORNER_NAMES.get(usize::from(number)).copied(),
            Self::Edge => EDGE_NAMES.get(usize::from(number)).copied(),
        }
    }
}

impl fmt::Display for CubieKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Corner => "corner",
            Self::Edge => "edge",
        })
    }
}

/// A piece in some place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Cubie {
    /// Its number: 0..8 for a corner, 0..12 for an edge.
    pub piece: u8,
    /// Its corner orientation, modulo 3, or its edge orientation, modulo 2, as a [`Cube`] counts them.
    pub orientation: u8,
}

/// What is in each place, unchecked: pieces may be missing or there twice, and no moves need lead here.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Cubies {
    /// The corner in each place, where it is known.
    pub corners: [Option<Cubie>; CORNERS],
    /// The edge in each place, where it is known.
    pub edges: [Option<Cubie>; EDGES],
}

/// One reason why pieces in places are not a position of the cube.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum IllegalReason {
    /// There is no piece with that number.
    Unknown {
        /// The kind of place.
        kind: CubieKind,
        /// The place.
        place: u8,
        /// The number.
        piece: u8,
    },
    /// A piece is in two places. One that is in more gives a reason for each of the others.
    Duplicate {
        /// The kind of piece.
        kind: CubieKind,
        /// The piece.
        piece: u8,
        /// The least place that it is in.
        first: u8,
        /// Another place that it is in.
        place: u8,
    },
    /// Pieces of a kind are in no place.
    Missing {
        /// The kind of pieces.
        kind: CubieKind,
        /// The pieces, in increasing order.
        pieces: Vec<u8>,
    },
    /// The corner orientations do not add up to whole turns.
    Twist {
        /// Whether a third of a turn clockwise is left over, rather than one anticlockwise.
        is_clockwise: bool,
    },
    /// An odd number of edges is flipped.
    Flip,
    /// The permutation of the corners is even and that of the edges odd, or vice versa.
    Parity,
}

impl IllegalReason {
    /// A stable name for programs.
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Unknown { .. } => "unknown-piece",
            Self::Duplicate { .. } => "duplicate-piece",
            Self::Missing { .. } => "missing-piece",
            Self::Twist { .. } => "twisted-corner",
            Self::Flip => "flipped-edge",
            Self::Parity => "exchanged-pieces",
        }
    }

    /// The place that is concerned, if it is one.
    pub const fn place(&self) -> Option<(CubieKind, u8)> {
        match *self {
            Self::Unknown { kind, place, .. } | Self::Duplicate { kind, place, .. } => Some((kind, place)),
            _ => None,
        }
    }
}

impl fmt::Display for IllegalReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = |kind: CubieKind, number| kind.name(number).unwrap_or("?");
        match self {
            Self::Unknown { kind, place, piece } => {
                write!(f, "no {kind} has the number {piece}, given for {}", name(*kind, *place))
            }
            Self::Duplicate { kind, piece, first, place } => {
                let [piece, first, place] = [piece, first, place].map(|&number| name(*kind, number));
                write!(f, "{kind} {piece} appears twice: at {first} and at {place}")
            }
            Self::Missing { kind, pieces } => {
                let names: Vec<_> = pieces.iter().map(|&piece| name(*kind, piece)).collect();
                write!(f, "missing {kind}{}: {}", if names.len() == 1 { "" } else { "s" }, names.join(", "))
            }
            Self::Twist { is_clockwise } => {
                let [is, mend] = if *is_clockwise { ["", "anti"] } else { ["anti", ""] };
                write!(f, "a corner is twisted {is}clockwise: twist any corner {mend}clockwise by a third")
            }
            Self::Flip => f.write_str("an edge is flipped: flip any edge"),
            Self::Parity => f.write_str("two pieces are exchanged: exchange any two corners or any two edges"),
        }
    }
}

/// Pieces in places that are not a position of the cube, with every reason.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}", reasons.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))]
pub struct IllegalCube {
    /// At least one reason.
    pub reasons: Vec<IllegalReason>,
}

impl Cube {
    /// The position with these pieces.
    ///
    /// # Errors
    /// Fails with every reason why no moves lead there. The sum of the corner orientations is checked if every corner
    /// is there, that of the edge orientations if every edge is, and the parity if every piece is.
    pub fn from_cubies(cubies: &Cubies) -> Result<Self, IllegalCube> {
        let mut reasons = Vec::new();
        let corners = all_pieces(CubieKind::Corner, &cubies.corners, &mut reasons);
        let edges = all_pieces(CubieKind::Edge, &cubies.edges, &mut reasons);
        let co = corner_orientations(&cubies.corners);
        let eo = cubies.edges.map(|edge| edge.map_or(0, |edge| edge.orientation % 2));
        reasons.extend(corners.and_then(|_| excess_twist(&co)));
        if edges.is_some() && eo.iter().sum::<u8>() % 2 != 0 {
            reasons.push(IllegalReason::Flip);
        }
        if let (Some(cp), Some(ep)) = (corners, edges) {
            if is_odd(&cp) != is_odd(&ep) {
                reasons.push(IllegalReason::Parity);
            }
            if reasons.is_empty() {
                return Ok(Self { cp, co, ep, eo });
            }
        }
        Err(IllegalCube { reasons })
    }

    /// The same, without telling what is wrong with pieces that are no position. No branch depends on which piece is where.
    #[inline]
    pub(super) fn from_packed(corners: &[PackedCubie; CORNERS], edges: &[PackedCubie; EDGES]) -> Option<Self> {
        let mut cube = Self::SOLVED;
        let (mut found_corners, mut found_edges, mut twist, mut flip) = (0u32, 0u32, 0, 0);
        for (place, corner) in corners.iter().enumerate() {
            (cube.cp[place], cube.co[place]) = (corner.piece(), corner.orientation());
            found_corners |= 1 << corner.piece();
            twist += u32::from(corner.orientation());
        }
        for (place, edge) in edges.iter().enumerate() {
            (cube.ep[place], cube.eo[place]) = (edge.piece(), edge.orientation());
            found_edges |= 1 << edge.piece();
            flip ^= edge.orientation();
        }
        let are_all_there = found_corners == (1 << CORNERS) - 1 && found_edges == (1 << EDGES) - 1;
        let is_right = are_all_there && twist.is_multiple_of(3) && flip == 0 && is_odd(&cube.cp) == is_odd(&cube.ep);
        is_right.then_some(cube)
    }

    /// Its pieces.
    pub fn cubies(&self) -> Cubies {
        let cubie = |(piece, orientation)| Some(Cubie { piece, orientation });
        Cubies {
            corners: std::array::from_fn(|place| cubie((self.cp[place], self.co[place]))),
            edges: std::array::from_fn(|place| cubie((self.ep[place], self.eo[place]))),
        }
    }
}

/// The corner in each place and its orientation, of corners alone: no parity ties them to edges.
///
/// # Errors
/// Fails with every reason why no moves lead there.
pub(crate) fn check_corners(corners: &[Option<Cubie>; CORNERS]) -> Result<([u8; CORNERS], [u8; CORNERS]), IllegalCube> {
    let mut reasons = Vec::new();
    let (cp, co) = (all_pieces(CubieKind::Corner, corners, &mut reasons), corner_orientations(corners));
    reasons.extend(cp.and_then(|_| excess_twist(&co)));
    cp.filter(|_| reasons.is_empty()).map(|cp| (cp, co)).ok_or(IllegalCube { reasons })
}

fn corner_orientations(corners: &[Option<Cubie>; CORNERS]) -> [u8; CORNERS] {
    corners.map(|corner| corner.map_or(0, |corner| corner.orientation % 3))
}

/// The reason why all corners with these orientations are no position, if their sum is one.
fn excess_twist(co: &[u8; CORNERS]) -> Option<IllegalReason> {
    let excess = co.iter().sum::<u8>() % 3;
    (excess != 0).then_some(IllegalReason::Twist { is_clockwise: excess == 1 })
}

/// The pieces in their places if each is there once; otherwise the reasons why not.
fn all_pieces<const N: usize>(
    kind: CubieKind,
    cubies: &[Option<Cubie>; N],
    reasons: &mut Vec<IllegalReason>,
) -> Option<[u8; N]> {
    let mut places = [None; N];
    for (place, cubie) in (0..).zip(cubies) {
        let Some(Cubie { piece, .. }) = *cubie else { continue };
        match places.get_mut(usize::from(piece)) {
            None => reasons.push(IllegalReason::Unknown { kind, place, piece }),
            Some(Some(first)) => reasons.push(IllegalReason::Duplicate { kind, piece, first: *first, place }),
            Some(found) => *found = Some(place),
        }
    }
    let missing: Vec<u8> = (0..).zip(places).filter(|(_, found)| found.is_none()).map(|(piece, _)| piece).collect();
    if !missing.is_empty() {
        reasons.push(IllegalReason::Missing { kind, pieces: missing });
        return None;
    }
    Some(cubies.map(|cubie| cubie.map_or(0, |cubie| cubie.piece)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reasons(change: impl FnOnce(&mut Cubies)) -> Vec<IllegalReason> {
        let mut cubies = Cube::SOLVED.cubies();
        change(&mut cubies);
        Cube::from_cubies(&cubies).map_or_else(|illegal| illegal.reasons, |_| Vec::new())
    }

    fn corner_orientation(cubies: &mut Cubies, place: usize, by: u8) {
        if let Some(corner) = &mut cubies.corners[place] {
            corner.orientation += by;
        }
    }

    #[test]
    fn sums_and_parity_are_checked() {
        assert_eq!(reasons(|c| corner_orientation(c, 3, 1)), [IllegalReason::Twist { is_clockwise: true }]);
        assert_eq!(reasons(|c| corner_orientation(c, 3, 2)), [IllegalReason::Twist { is_clockwise: false }]);
        assert_eq!(reasons(|c| corner_orientation(c, 3, 3)), []);
        let all = reasons(|c| {
            corner_orientation(c, 0, 1);
            c.edges[4] = Some(Cubie { piece: 4, orientation: 1 });
            c.corners.swap(6, 7);
        });
        let codes: Vec<_> = all.iter().map(IllegalReason::code).collect();
        assert_eq!(codes, ["twisted-corner", "flipped-edge", "exchanged-pieces"]);
        assert_eq!(reasons(|c| c.edges.swap(0, 1)), [IllegalReason::Parity]);
        let both = |c: &mut Cubies| {
            c.edges.swap(0, 1);
            c.corners.swap(0, 1);
        };
        assert_eq!(reasons(both), []);
    }

    #[test]
    fn pieces_are_checked() {
        let duplicate = IllegalReason::Duplicate { kind: CubieKind::Edge, piece: 8, first: 2, place: 8 };
        let missing = IllegalReason::Missing { kind: CubieKind::Edge, pieces: vec![2] };
        let found = reasons(|c| {
            c.edges[2] = c.edges[8];
            corner_orientation(c, 1, 2);
        });
        assert_eq!(found, [duplicate, missing, IllegalReason::Twist { is_clockwise: false }]);
        let unknown = IllegalReason::Unknown { kind: CubieKind::Corner, place: 5, piece: 255 };
        let missing = IllegalReason::Missing { kind: CubieKind::Corner, pieces: vec![5] };
        let foreign = Some(Cubie { piece: 255, orientation: 255 });
        assert_eq!(reasons(|c| c.corners[5] = foreign), [unknown, missing]);
        let none = Cube::from_cubies(&Cubies::default()).unwrap_err();
        let names = "missing corners: URF, UFL, ULB, UBR, DFR, DLF, DBL, DRB; missing edges: UR,";
        assert!(none.to_string().starts_with(names), "{none}");
    }
}
