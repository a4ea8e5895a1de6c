//! The symmetry group of a square, D4, and the symmetric group S4 as three cosets of it.
//!
//! An *order* of four labelled things in four places is a permutation `o` with `o[place] = label`.
//! Written as `o = d ∘ t` with `d` in D4 (acting on labels 0..4 as corners of a square, numbered
//! around it) and `t` one of three representatives, it becomes the pair (coset, element). This
//! coordinate has two properties that the level engine lives on:
//!
//! - relabelling by a symmetry `g` of the square keeps the coset and multiplies the element from
//!   the left: `g ∘ o = (g d) ∘ t`;
//! - moving the places by any permutation `a` permutes the cosets and multiplies the element from
//!   the right by an element that depends only on the coset: `o ∘ a = (d e) ∘ t'`.
//!
//! So both act on 24 orders as a permutation of three groups of eight and a permutation inside
//! each group that comes from a table of 8 × 8.

/// A permutation of 0..4, `p[i]` being the image of `i`.
pub type Perm4 = [u8; 4];

/// Number of symmetries of a square: 4 rotations × 2.
pub const D4_ORDER: usize = 8;
/// Number of cosets of D4 in S4: 4! / 8.
pub const COSETS: usize = 3;

/// A symmetry of the square: index 0..8, `rotation + 4 × reflection`; 0 is the identity.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct D4(u8);

impl D4 {
    /// The identity.
    pub const IDENTITY: Self = Self(0);

    /// All eight, by index.
    pub fn all() -> impl Iterator<Item = Self> {
        (0..D4_ORDER as u8).map(Self)
    }

    /// The element as a permutation of the corners 0..4: `x -> rotation ± x`.
    pub const fn perm(self) -> Perm4 {
        let mut perm = [0; 4];
        let mut x = 0;
        while x < 4 {
            let reflected = if self.0 >= 4 { 4 - x } else { x };
            perm[x as usize] = (reflected + self.0) % 4;
            x += 1;
        }
        perm
    }

    /// The element with that permutation of the corners, if it is a symmetry of the square.
    pub fn from_perm(perm: Perm4) -> Option<Self> {
        Self::all().find(|g| g.perm() == perm)
    }

    /// Index 0..8.
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// The element with index `index % 8`.
    pub const fn from_index(index: usize) -> Self {
        Self((index % D4_ORDER) as u8)
    }

    /// The product `self ∘ other`: first `other`, then `self`.
    pub fn then_after(self, other: Self) -> Self {
        let product = compose4(self.perm(), other.perm());
        Self::from_perm(product).expect("D4 is closed under composition")
    }
}

/// `a ∘ b`: first `b`, then `a`.
#[inline]
pub const fn compose4(a: Perm4, b: Perm4) -> Perm4 {
    [a[(b[0] & 3) as usize], a[(b[1] & 3) as usize], a[(b[2] & 3) as usize], a[(b[3] & 3) as usize]]
}

/// An order of four labels in four places, as (coset, element).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Order {
    /// Which of the three cosets, 0..3.
    pub coset: u8,
    /// The element of D4.
    pub element: D4,
}

/// Representatives of the cosets: one for each way to pair opposite corners of the square.
const REPRESENTATIVES: [Perm4; COSETS] = [[0, 1, 2, 3], [0, 2, 1, 3], [0, 1, 3, 2]];

/// Packs an order in 8 bits, two a place, for table look-ups.
const fn code(order: Perm4) -> usize {
    order[0] as usize | (order[1] as usize) << 2 | (order[2] as usize) << 4 | (order[3] as usize) << 6
}

/// Orders by [`code`]; entries of codes that are no permutation are never read. Computed by the compiler: a look-up
/// is a load, with no check of whether the table is there yet.
static ORDERS: [Order; 256] = {
    let mut orders = [Order { coset: 0, element: D4::IDENTITY }; 256];
    let mut coset = 0;
    while coset < COSETS {
        let mut index = 0;
        while index < D4_ORDER {
            let element = D4::from_index(index);
            orders[code(compose4(element.perm(), REPRESENTATIVES[coset]))] = Order { coset: coset as u8, element };
            index += 1;
        }
        coset += 1;
    }
    orders
};

impl Order {
    /// The coordinate of the order in which place `i` holds label `order[i]`; `order` must be a permutation of 0..4.
    pub fn of(order: Perm4) -> Self {
        Self::of_code(code(order))
    }

    /// As [`Order::of`], from the labels packed two bits a place, place 0 lowest.
    #[inline]
    pub fn of_code(code: usize) -> Self {
        ORDERS[code & 0xff]
    }

    /// The labels by place.
    pub fn perm(self) -> Perm4 {
        compose4(self.element.perm(), REPRESENTATIVES[self.coset as usize])
    }

    /// Where the coset `coset` goes when the places move by `places` (`new[i] = old[places[i]]`): the new coset
    /// and the element by which elements are multiplied from the right.
    pub fn moved_coset(coset: usize, places: Perm4) -> Self {
        Self::of(compose4(REPRESENTATIVES[coset], places))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all_perms() -> Vec<Perm4> {
        let mut perms = Vec::new();
        for n in 0..256u32 {
            let p = [0, 2, 4, 6].map(|shift| ((n >> shift) & 3) as u8);
            if (0..4).all(|x| p.contains(&x)) {
                perms.push(p);
            }
        }
        perms
    }

    #[test]
    fn every_order_has_one_coordinate() {
        let perms = all_perms();
        assert_eq!(perms.len(), 24);
        let mut seen = std::collections::HashSet::new();
        for p in perms {
            let order = Order::of(p);
            assert_eq!(order.perm(), p);
            assert!(seen.insert((order.coset, order.element)));
        }
    }

    #[test]
    fn relabelling_multiplies_from_the_left() {
        for p in all_perms() {
            for g in D4::all() {
                let order = Order::of(p);
                let moved = Order::of(compose4(g.perm(), p));
                assert_eq!(moved, Order { coset: order.coset, element: g.then_after(order.element) });
            }
        }
    }

    #[test]
    fn moving_places_multiplies_from_the_right() {
        for p in all_perms() {
            for places in all_perms() {
                let order = Order::of(p);
                let step = Order::moved_coset(order.coset as usize, places);
                let moved = Order::of(compose4(p, places));
                assert_eq!(moved, Order { coset: step.coset, element: order.element.then_after(step.element) });
            }
        }
    }

    #[test]
    fn only_symmetries_of_the_square_are_in_the_group() {
        assert_eq!(all_perms().into_iter().filter_map(D4::from_perm).count(), D4_ORDER);
    }
}
