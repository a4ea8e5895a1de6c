//! Sequences of moves by the names of a definition.

use super::model::{PuzzleDefinition, Transformation};

impl PuzzleDefinition {
    /// What a sequence of moves does: names separated by spaces, each with an optional number of repetitions and an optional
    /// `'` for backwards (`U`, `U2`, `U'`, `U2'`).
    ///
    /// # Errors
    /// The first word that is no move.
    pub(crate) fn transformation_of<'a>(&self, sequence: &'a str) -> Result<Transformation, &'a str> {
        let mut all = self.identity();
        for word in sequence.split_whitespace() {
            let (one, amount) = self.power_of(word).ok_or(word)?;
            for _ in 0..amount {
                all = self.compose(&all, one);
            }
        }
        Ok(all)
    }

    /// What a word repeats, and how often, less than its order.
    fn power_of(&self, word: &str) -> Option<(&Transformation, u64)> {
        if let Some(one) = self.named(word) {
            return Some((one, 1 % self.order(one)));
        }
        let (forward, is_back) = match word.strip_suffix(['\'', '’']) {
            Some(forward) => (forward, true),
            None => (word, false),
        };
        // Names may end in digits, too: the longest name counts.
        let digits = forward.len() - forward.trim_end_matches(|c: char| c.is_ascii_digit()).len();
        let (one, amount) = (forward.len() - digits..=forward.len()).rev().find_map(|end| {
            let amount = if end == forward.len() { 1 } else { forward[end..].parse::<u64>().ok()? };
            Some((self.named(&forward[..end])?, amount))
        })?;
        let order = self.order(one);
        let amount = amount % order;
        Some((one, if is_back { (order - amount) % order } else { amount }))
    }

    fn named(&self, name: &str) -> Option<&Transformation> {
        let of_move = self.moves.iter().find(|one| one.name == name).map(|one| &one.transformation);
        of_move.or_else(|| Some(&self.derived.iter().find(|derived| derived.name == name)?.transformation))
    }
}
