//! What lengths and distances count, in words.

/// What the length of a solution, or a distance, counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Counted {
    /// Moves of a cube.
    Moves,
    /// Moves of H.
    MovesOfH,
    /// Twists `/` of the Square-1 family.
    Twists,
}

impl Counted {
    /// So many: `1 move`, `18 moves of H`, `2 twists`.
    pub fn count(self, number: usize) -> String {
        let (one, of) = match self {
            Self::Moves => ("move", ""),
            Self::MovesOfH => ("move", " of H"),
            Self::Twists => ("twist", ""),
        };
        let plural = if number == 1 { "" } else { "s" };
        format!("{number} {one}{plural}{of}")
    }
}
