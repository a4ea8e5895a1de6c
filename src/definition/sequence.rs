//! Sequences of moves by the names of a definition.

use std::borrow::Cow;

use super::model::{PuzzleDefinition, Transformation};
use twistbase_core::error::Error;

/// A word of a sequence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SequenceStep {
    /// The word.
    pub text: String,
    /// The numbers of the moves that it consists of, each with how often it is repeated, less than its order.
    pub parts: Vec<(usize, u64)>,
}

impl PuzzleDefinition {
    /// What a sequence of moves does: names separated by spaces, each with an optional number of repetitions and an optional
    /// `'` for backwards (`U`, `U2`, `U'`, `U2'`).
    ///
    /// # Errors
    /// The first word that is no move.
    pub(crate) fn transformation_of<'a>(&self, sequence: &'a str) -> Result<Transformation, &'a str> {
        let mut all = self.identity();
        for word in sequence.split_whitespace() {
            let (name, mut amount, is_back) = self.word(word).ok_or(word)?;
            let one = self.transformation_named(name).ok_or(word)?;
            let mut power = if is_back { Cow::Owned(self.inverse(one)) } else { Cow::Borrowed(one) };
            // By squares: orders of names of several moves may be large.
            while amount > 0 {
                if amount % 2 == 1 {
                    all = self.compose(&all, &power);
                }
                amount /= 2;
                if amount > 0 {
                    power = Cow::Owned(self.compose(&power, &power));
                }
            }
        }
        Ok(all)
    }

    /// The words of a sequence, taken apart.
    ///
    /// # Errors
    /// As [`read_sequence`](Self::read_sequence).
    pub fn steps(&self, moves: &str) -> Result<Vec<SequenceStep>, Error> {
        self.read_sequence(moves)?;
        let mut steps = Vec::new();
        for word in moves.split_whitespace() {
            let mut parts = Vec::new();
            self.take_apart(word, false, &mut parts);
            steps.push(SequenceStep { text: word.to_owned(), parts });
        }
        Ok(steps)
    }

    /// Adds the moves of a word that is known, or those that undo it.
    fn take_apart(&self, word: &str, is_back: bool, parts: &mut Vec<(usize, u64)>) {
        let Some((name, amount, is_word_back)) = self.word(word) else { return };
        let order = self.order(self.transformation_named(name).expect("a name that was found"));
        let amount = if is_back != is_word_back { (order - amount) % order } else { amount };
        if let Some(number) = self.moves.iter().position(|one| one.name == name) {
            parts.push((number, amount));
            return;
        }
        // Words before the one that is defined: this ends.
        let derived = self.derived.iter().find(|derived| derived.name == name).expect("a move or a derived one");
        // The shorter way round.
        let (times, is_back) = if 2 * amount > order { (order - amount, true) } else { (amount, false) };
        for _ in 0..times {
            let mut words: Vec<&str> = derived.sequence.split_whitespace().collect();
            if is_back {
                words.reverse();
            }
            words.iter().for_each(|word| self.take_apart(word, is_back, parts));
        }
    }

    /// The name in a word, how often it is repeated, less than its order, and whether backwards.
    fn word<'a>(&self, word: &'a str) -> Option<(&'a str, u64, bool)> {
        if let Some(one) = self.transformation_named(word) {
            return Some((word, 1 % self.order(one), false));
        }
        let (forward, is_back) = match word.strip_suffix(['\'', '’']) {
            Some(forward) => (forward, true),
            None => (word, false),
        };
        // Names may end in digits, too: the longest name counts.
        let digits = forward.len() - forward.trim_end_matches(|c: char| c.is_ascii_digit()).len();
        let (one, amount) = (forward.len() - digits..=forward.len()).rev().find_map(|end| {
            let amount = if end == forward.len() { 1 } else { forward[end..].parse::<u64>().ok()? };
            self.transformation_named(&forward[..end])?;
            Some((&forward[..end], amount))
        })?;
        Some((one, amount % self.order(self.transformation_named(one)?), is_back))
    }

    /// The name `R2` of a move that is also called `R`, as half turns of boxes are.
    pub(crate) fn half_name(&self, name: &str) -> Option<String> {
        let half = format!("{name}2");
        let transformation = self.transformation_named(&half)?;
        (self.transformation_named(name)? == transformation).then_some(half)
    }

    pub(crate) fn transformation_named(&self, name: &str) -> Option<&Transformation> {
        let of_move = self.moves.iter().find(|one| one.name == name).map(|one| &one.transformation);
        of_move.or_else(|| Some(&self.derived.iter().find(|derived| derived.name == name)?.transformation))
    }
}
