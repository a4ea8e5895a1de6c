//! Turns of the two layers.

/// A turn of the top and of the bottom layer, in units of 30°, anticlockwise **seen from above** for
/// both layers (the convention of Cube21), each amount in -5..=6.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Turn {
    top: i8,
    bottom: i8,
}

/// An amount reduced modulo 12 into -5..=6.
const fn reduce(amount: i32) -> i8 {
    let least = amount.rem_euclid(12);
    (if least > 6 { least - 12 } else { least }) as i8
}

impl Turn {
    /// No turn at all.
    pub const NONE: Self = Self { top: 0, bottom: 0 };

    /// A turn by these amounts, anticlockwise seen from above, reduced modulo 12.
    pub const fn new(top: i32, bottom: i32) -> Self {
        Self { top: reduce(top), bottom: reduce(bottom) }
    }

    /// The turn that the World Cube Association writes `(top, bottom)`: clockwise seen from each
    /// layer's own face, so the top amount changes its sign.
    pub const fn from_wca(top: i32, bottom: i32) -> Self {
        // Reduced first: the least i32 has no negative.
        Self::new(-(top.rem_euclid(12)), bottom)
    }

    /// The amounts as the World Cube Association writes them, each in -5..=6.
    pub const fn wca(self) -> (i8, i8) {
        (reduce(-(self.top as i32)), self.bottom)
    }

    /// The amount of the top layer, -5..=6.
    pub const fn top(self) -> i8 {
        self.top
    }

    /// The amount of the bottom layer, -5..=6.
    pub const fn bottom(self) -> i8 {
        self.bottom
    }

    /// Whether nothing turns.
    pub const fn is_none(self) -> bool {
        self.top == 0 && self.bottom == 0
    }

    /// How many layers turn: 0, 1 or 2.
    pub const fn layers(self) -> u8 {
        (self.top != 0) as u8 + (self.bottom != 0) as u8
    }

    /// The turn that undoes this one.
    pub const fn inverse(self) -> Self {
        Self::new(-(self.top as i32), -(self.bottom as i32))
    }

    /// This turn followed by `next`.
    pub const fn then(self, next: Self) -> Self {
        Self::new(self.top as i32 + next.top as i32, self.bottom as i32 + next.bottom as i32)
    }

    /// Both layers half a turn further. A twist after it gives the same position as a twist after
    /// `self`, up to turns of the layers and turning over.
    pub const fn opposite(self) -> Self {
        self.then(Self::new(6, 6))
    }

    /// The turn `t` for which turning the puzzle over and then making `self` is the same as making
    /// `t` and then turning the puzzle over.
    pub const fn turned_over(self) -> Self {
        Self::new(-(self.bottom as i32), -(self.top as i32))
    }
    /// Of `self` and its [opposite](Self::opposite) the one that the World Cube Association writes with a top amount in
    /// -2..=3, and whether that is the opposite.
    pub const fn distinct(self) -> (Self, bool) {
        if matches!(self.wca().0, -2..=3) { (self, false) } else { (self.opposite(), true) }
    }
}
