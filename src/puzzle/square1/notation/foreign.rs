//! Texts in unsupported notations: one error names the notation, instead of an error for each character.

use super::is_dash;
use crate::input::is_too_long;
use twistbase_core::error::Problem;

/// A notation that is not read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ForeignNotation {
    /// Moves of cubes: `R U R'`.
    Cubes,
    /// Short names of turns, and turns without commas: `u' m D'`, `10/33/`.
    Karnotation,
    /// `[A, B]`, `[A: B]`.
    Commutator,
    /// Turns with one number: `-1`, `3/-1/`.
    OneNumber,
}

impl ForeignNotation {
    /// The notation of a text that could not be read as a position or a sequence; `None` for one that is in none of these.
    fn guess(text: &str) -> Option<Self> {
        let text = text.trim_end_matches(|c: char| c == '*' || c.is_whitespace());
        if is_commutator(text) {
            Some(Self::Commutator)
        } else if is_of_cubes(text) {
            Some(Self::Cubes)
        } else if is_karnotation(text) {
            Some(Self::Karnotation)
        } else {
            are_numbers(text).then_some(Self::OneNumber)
        }
    }

    const fn message(self) -> &'static str {
        match self {
            Self::Cubes => "this is a sequence for cubes; a turn of Square-1 is (top,bottom), its twist is /",
            Self::Karnotation => {
                "karnotation is not supported; write each turn as (top,bottom) and each twist as /, like (1,0)/(3,3)/"
            }
            Self::OneNumber => {
                "a turn has two numbers, (top,bottom): (-1,0) turns the top layer alone, (0,-1) the bottom layer"
            }
            Self::Commutator => {
                "commutators and conjugates are not supported; write [A, B] as A, B and the inverses of A and B, \
                 [A: B] as A, B and the inverse of A"
            }
        }
    }
}

/// What the text of an input from `start` on is, if it is in a notation of something else. It could not be read as a position or a
/// sequence.
pub(super) fn problem(input: &str, start: usize) -> Option<Problem> {
    if is_too_long(input) {
        return None;
    }
    let text = input[start..].trim_start();
    let message = ForeignNotation::guess(text)?.message().to_owned();
    let start = input.len() - text.len();
    Some(Problem { code: "foreign-notation", message, at: Some(start..start + text.trim_end().len()) })
}

/// Whether square brackets hold more than a turn.
fn is_commutator(text: &str) -> bool {
    let mut inside = text.split('[').skip(1).filter_map(|rest| rest.split(']').next());
    inside.any(|inside| inside.contains(['/', '(', ':']) || inside.contains(char::is_alphabetic))
}

/// Whether all characters are those of moves of cubes, and some of them those of no position of Square-1.
fn is_of_cubes(text: &str) -> bool {
    const SYMBOLS: &str = "URFDLBMESurfdlbwxyz²³";
    let is_of_moves = |c: char| SYMBOLS.contains(c) || c.is_whitespace() || c.is_ascii_digit() || is_prime(c);
    text.chars().all(|c| is_of_moves(c) || "()".contains(c)) && text.contains(|c: char| "URLMSurlxyz".contains(c))
}

/// Whether all words are names of turns, or turns, of which some are named or have two numbers without a comma.
fn is_karnotation(text: &str) -> bool {
    let words = || text.split(|c: char| c.is_whitespace() || c == '/').filter(|word| !word.is_empty());
    let is_of_turns = |c: char| "()-+,".contains(c) || c.is_ascii_digit();
    let is_turn = |word: &str| word.contains(',') && word.chars().all(is_of_turns) || word.eq_ignore_ascii_case("x2");
    let are_all = |is_other: fn(&str) -> bool| words().all(|word| is_pair(word) || is_turn(word) || is_other(word));
    (are_all(is_name) || are_all(is_number)) && words().any(|word| !is_turn(word) && !is_number(word))
}

/// Whether there is a number before each twist and behind the last, or nothing.
fn are_numbers(text: &str) -> bool {
    let mut turns = text.split('/').map(str::trim).filter(|turn| !turn.is_empty()).peekable();
    turns.peek().is_some() && turns.all(is_number)
}

/// Whether a word is a letter, and perhaps a digit and apostrophes behind it.
fn is_name(word: &str) -> bool {
    let mut characters = word.chars();
    let rest = |c: char| c.is_ascii_digit() || is_prime(c);
    characters.next().is_some_and(|c| c.is_ascii_alphabetic()) && characters.all(rest) && word.chars().count() <= 3
}

/// What is behind a digit and perhaps a sign before it.
fn after_amount(word: &str) -> Option<&str> {
    word.strip_prefix(|c| c == '+' || is_dash(c)).unwrap_or(word).strip_prefix(|c: char| c.is_ascii_digit())
}

/// Whether a word is a digit, perhaps with a sign before it.
fn is_number(word: &str) -> bool {
    after_amount(word).is_some_and(str::is_empty)
}

/// Whether a word is two digits, each perhaps with a sign before it.
fn is_pair(word: &str) -> bool {
    after_amount(word).and_then(after_amount).is_some_and(str::is_empty)
}

/// Whether a character is an apostrophe.
fn is_prime(c: char) -> bool {
    matches!(c, '\'' | '\u{2019}' | '\u{2032}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notations_of_others_are_told_apart() {
        use ForeignNotation::{Commutator, Cubes, Karnotation, OneNumber};
        for (text, notation) in [
            ("R U R'", Some(Cubes)),
            ("RUR'U'", Some(Cubes)),
            ("(R U R' U')3", Some(Cubes)),
            ("Rw x2 M’", Some(Cubes)),
            ("R² U", Some(Cubes)),
            ("10/33/", Some(Karnotation)),
            ("10/33/-1", Some(Karnotation)),
            ("-1", Some(OneNumber)),
            ("3/ −1 /", Some(OneNumber)),
            ("1,0/3,0/-1", None),
            ("0 1 2 3 4 5 6 7 8 9 A B C D E E", None),
            ("1-1/-33 *", Some(Karnotation)),
            ("u' m D'", Some(Karnotation)),
            ("W B' e", Some(Karnotation)),
            ("1,0/ U' D/-1,0", Some(Karnotation)),
            ("[U'/R' D' R]", Some(Commutator)),
            ("[(1,0)/: (3,3)/]", Some(Commutator)),
            ("[/(1,0), (3,3)/]", Some(Commutator)),
            ("[1,0]/[3,3]/", None),
            ("(1,0)/x2 /(1,0)/", None),
            ("01234567-89ABCDE", None),
            ("A1B2C3D45E6F7G8", None),
            ("(1,0)/3;3/", None),
            ("nonsense", None),
            ("/", None),
            ("", None),
        ] {
            assert_eq!(ForeignNotation::guess(text), notation, "{text:?}");
        }
    }
}
