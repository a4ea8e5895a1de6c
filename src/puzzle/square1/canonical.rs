//! Positions as a shape and the order of the pieces in it, and moves as permutations of that order.

use std::sync::LazyLock;

use super::position::{IllegalPosition, Middle};
use super::shape::CanonicalForm;
use super::{Colouring, Piece, Position, Shape};

/// A position up to turns of the layers and turning over: its shape, and its pieces in the order in
/// which they stand along the canonical first ring and then along the second one.
///
/// A shape with symmetry allows several orders for the same position; [`Position::canonical_pieces`]
/// gives one of them, [`least`](Self::least) one that depends on nothing else.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CanonicalPieces {
    /// The shape.
    pub shape: Shape,
    /// The big pieces in order.
    pub big: [Piece; 8],
    /// The small pieces in order.
    pub small: [Piece; 8],
}

/// A rearrangement of the slots of the big and of the small pieces of a shape: big slot `i`
/// afterwards holds what big slot `big[i]` held, and likewise the small ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct SlotPermutation {
    /// Sources of the big slots, a permutation of 0..8.
    pub big: [u8; 8],
    /// Sources of the small slots, a permutation of 0..8.
    pub small: [u8; 8],
}

/// What a twist, or a mirror, makes of a shape.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct TwistedShape {
    /// The shape afterwards.
    pub shape: Shape,
    /// From where its slots are filled.
    pub slots: SlotPermutation,
}

impl SlotPermutation {
    /// The big and small pieces rearranged.
    #[inline]
    pub fn apply<T: Copy>(&self, big: &[T; 8], small: &[T; 8]) -> ([T; 8], [T; 8]) {
        let (mut new_big, mut new_small) = (*big, *small);
        // Loops rather than `map`, which is not inlined here: solving passes this a billion times.
        for slot in 0..8 {
            new_big[slot] = big[usize::from(self.big[slot]) & 7];
            new_small[slot] = small[usize::from(self.small[slot]) & 7];
        }
        (new_big, new_small)
    }
}

/// The [stabilisers](Shape::stabiliser) of the shapes, by id.
static STABILISERS: LazyLock<Vec<Vec<SlotPermutation>>> =
    LazyLock::new(|| Shape::all().map(Shape::stabiliser).collect());

/// Labels of slots while they are moved around: 0..8 the big ones, 8..16 the small ones.
const FIRST_SMALL: u8 = 8;

/// The canonical rings of a shape filled with the labels of their slots.
fn labelled_rings(shape: Shape) -> [[u8; 12]; 2] {
    shape.layout().map(|ring| ring.map(|slot| if slot.is_big { slot.index } else { slot.index + FIRST_SMALL }))
}

/// The canonical rings of a shape from where they are cut, filled with the labels of their slots.
fn cut_rings(shape: Shape, u: u8, v: u8) -> [[u8; 12]; 2] {
    let mut rings = labelled_rings(shape);
    rings[0].rotate_left(usize::from(u) % 12);
    rings[1].rotate_left(usize::from(v) % 12);
    rings
}

/// The rings with their first halves exchanged.
fn exchanged(mut rings: [[u8; 12]; 2]) -> [[u8; 12]; 2] {
    let [a, b] = &mut rings;
    a[..6].swap_with_slice(&mut b[..6]);
    rings
}

/// The shape of labelled rings, and from where its canonical slots are filled.
fn read_labels(rings: &[[u8; 12]; 2]) -> TwistedShape {
    let form = CanonicalForm::of(rings);
    let slots = permutation(form.shape, |start| form.read(rings, start));
    TwistedShape { shape: form.shape, slots }
}

/// The permutation that fills each canonical slot of `shape` with the label found where it starts.
fn permutation(shape: Shape, label: impl Fn(super::shape::Start) -> u8) -> SlotPermutation {
    let data = shape.data();
    SlotPermutation { big: data.big.map(&label), small: data.small.map(|start| label(start) - FIRST_SMALL) }
}

impl Shape {
    /// What a twist does after cutting the first canonical ring A before elements `u` and `u + 6` and
    /// the second, B, before `v` and `v + 6`: A becomes `B[v..v+6] ++ A[u+6..u+12]`, B becomes
    /// `A[u..u+6] ++ B[v+6..v+12]`, indexes modulo 12, and both are brought to canonical form.
    ///
    /// `None` when a piece is in the way; [`alignments`](Self::alignments) lists where none is.
    pub fn twisted(self, u: u8, v: u8) -> Option<TwistedShape> {
        let rings = cut_rings(self, u, v);
        let is_cuttable = rings.iter().all(|ring| ring[11] != ring[0] && ring[5] != ring[6]);
        is_cuttable.then(|| read_labels(&exchanged(rings)))
    }

    /// Where the elements that such a twist brings to the places of `A[u]` and `B[v]` are in the canonical rings
    /// afterwards, and whether the first of these is what became of B.
    pub(super) fn landing(self, u: u8, v: u8) -> ([u8; 2], bool) {
        CanonicalForm::of(&exchanged(cut_rings(self, u, v))).landing([0, 0])
    }

    /// What a mirror makes of a shape: both rings are read backwards, and brought to canonical form.
    pub fn mirrored(self) -> TwistedShape {
        read_labels(&labelled_rings(self).map(|mut ring| {
            ring.reverse();
            ring
        }))
    }

    /// The rotations of the rings, with and without exchanging them, that map the shape to itself,
    /// as rearrangements of its slots; the identity comes first.
    /// There are [`stabiliser_order`](Self::stabiliser_order) of them.
    pub fn stabiliser(self) -> Vec<SlotPermutation> {
        let halves = self.half_shapes();
        let labels = labelled_rings(self);
        let [first, second] = halves.map(|half| 12 / half.symmetry_order());
        let exchanges: &[bool] = if halves[0] == halves[1] { &[false, true] } else { &[false] };
        let mut group = Vec::with_capacity(usize::from(self.stabiliser_order()));
        for &exchange in exchanges {
            for a in (0..12).step_by(usize::from(first)) {
                for b in (0..12).step_by(usize::from(second)) {
                    let mut rings = labels;
                    rings[0].rotate_left(a);
                    rings[1].rotate_left(b);
                    if exchange {
                        rings.swap(0, 1);
                    }
                    group.push(permutation(self, |s| rings[usize::from(s.ring)][usize::from(s.element)]));
                }
            }
        }
        group
    }
}

impl CanonicalPieces {
    /// All orders of the same position that the shape's symmetry allows.
    #[doc(hidden)]
    pub fn orders(self) -> impl Iterator<Item = Self> {
        STABILISERS[usize::from(self.shape.id())].iter().map(move |slots| {
            let (big, small) = slots.apply(&self.big, &self.small);
            Self { big, small, ..self }
        })
    }

    /// The least of the orders that the shape's symmetry allows, each piece replaced by the
    /// representative of its [kind](Colouring::kind). Two positions are the same up to turns of the
    /// layers, turning over and alike pieces exactly when this is equal.
    #[must_use]
    pub fn least(&self, colouring: Colouring) -> Self {
        let small = self.small.map(|piece| colouring.kind(piece));
        let stabiliser = &STABILISERS[usize::from(self.shape.id())];
        let orders = stabiliser.iter().map(|slots| slots.apply(&self.big, &small));
        // The stabiliser has the identity, so the fallback stands for nothing.
        let (big, small) = orders.min().unwrap_or((self.big, small));
        Self { big, small, ..*self }
    }
}

impl Position {
    /// The shape and the order of the pieces. Where the shape's symmetry allows several orders, the
    /// least rotation of each ring is taken, and the top ring first when both are alike.
    pub fn canonical_pieces(&self) -> CanonicalPieces {
        self.canonical_form().1
    }

    /// How its rings are brought to canonical form, and [`canonical_pieces`](Self::canonical_pieces).
    pub(super) fn canonical_form(&self) -> (CanonicalForm, CanonicalPieces) {
        let rings = self.rings();
        let form = CanonicalForm::of(&rings);
        let data = form.shape.data();
        let mut pieces = CanonicalPieces { shape: form.shape, big: [rings[0][0]; 8], small: [rings[0][0]; 8] };
        // A loop rather than `map`, which is not inlined here: solving passes this at every step.
        for slot in 0..8 {
            pieces.big[slot] = form.read(&rings, data.big[slot]);
            pieces.small[slot] = form.read(&rings, data.small[slot]);
        }
        (form, pieces)
    }

    /// A twistable position of this shape with the pieces in this order, the middle layer square:
    /// the first ring on top, each ring rotated as little as a twist demands.
    ///
    /// # Errors
    /// Fails when a piece is missing, there twice, or big where a small one belongs or vice versa.
    pub fn from_canonical(shape: Shape, big: &[Piece; 8], small: &[Piece; 8]) -> Result<Self, IllegalPosition> {
        let rings = filled_rings(shape, big, small);
        Self::from_rings(rings, Middle::Square).map(|position| position.least_aligned())
    }

    /// As [`from_canonical`](Self::from_canonical), for pieces that are legal by construction.
    pub(super) fn from_legal_canonical(shape: Shape, big: &[Piece; 8], small: &[Piece; 8]) -> Self {
        Self::from_legal_rings(filled_rings(shape, big, small), Middle::Square).least_aligned()
    }

    /// The position of a shape in whose canonical order the pieces of either size rise: the [rank](Piece::rank) of a piece is its
    /// slot. It shows where a notation has the piece of each slot.
    pub(super) fn with_pieces_in_order(shape: Shape) -> Self {
        let [small, big] = [0, 1].map(|odd| std::array::from_fn(|slot| Piece::from_low_bits(2 * slot as u8 + odd)));
        Self::from_legal_canonical(shape, &big, &small)
    }

    /// The position after the alignment that turns both layers least.
    fn least_aligned(self) -> Self {
        let size = |turn: &super::Turn| (turn.top().unsigned_abs() + turn.bottom().unsigned_abs(), turn.top());
        self.alignments().min_by_key(size).map_or(self, |turn| self.turn(turn))
    }
}

/// The canonical rings of a shape filled with pieces.
pub(super) fn filled_rings(shape: Shape, big: &[Piece; 8], small: &[Piece; 8]) -> [[Piece; 12]; 2] {
    shape.layout().map(|ring| {
        ring.map(|slot| {
            let pieces = if slot.is_big { big } else { small };
            pieces[usize::from(slot.index)]
        })
    })
}
