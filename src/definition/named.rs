//! Puzzles by their names: geometries, and others that have none.

use std::fmt::Write;

use super::geometry::Geometry;
use super::model::{LARGEST, PuzzleDefinition};

impl PuzzleDefinition {
    /// The puzzle that people know by a name, in capitals or not; `None` if there is none. Names are those of
    /// [geometries](Geometry::named), and:
    /// - `pancake-N`: a stack of N pancakes. `5F` flips the upper five; there are `2F` to `NF`. N is 2 to 255.
    /// - `topspin-N-K`: N pieces in a ring. `L` and `R` shift them by one, `L3` by three in one move; `F` flips the first K.
    ///   N is up to 255, K is 2 to N.
    ///
    /// ```
    /// use twistbase_definition::PuzzleDefinition;
    ///
    /// let stack = PuzzleDefinition::named("pancake-10").expect("a known name");
    /// assert_eq!(stack.group_order().to_string(), "3628800");
    /// assert_eq!(stack.read_sequence("10F 2F 2F 10F")?, stack.identity());
    /// assert!(PuzzleDefinition::named("topspin-20-4").is_some() && PuzzleDefinition::named("domino").is_some());
    /// # Ok::<(), twistbase_core::error::Error>(())
    /// ```
    pub fn named(name: &str) -> Option<Self> {
        let name = &name.to_ascii_lowercase();
        if let Some(geometry) = Geometry::named(name) {
            return Some(geometry.definition().clone().with_goals_of(name));
        }
        // One way to write each number, so that a puzzle has one name.
        let number = |word: &str| word.parse().ok().filter(|number: &usize| number.to_string() == word);
        let text = match name.split('-').collect::<Vec<_>>()[..] {
            ["pancake", pieces] => pancake(number(pieces)?)?,
            ["topspin", pieces, turned] => topspin(number(pieces)?, number(turned)?)?,
            _ => return None,
        };
        Self::parse(&format!("Name {name}\n{text}")).ok()
    }
}

/// A move of pieces without orientations, by where each piece comes from.
fn write_move(text: &mut String, name: &str, orbit: &str, from: impl Iterator<Item = usize>) {
    let from: Vec<String> = from.map(|place| place.to_string()).collect();
    let _ = writeln!(text, "Move {name}\n{orbit}\n{}\nEnd", from.join(" "));
}

fn pancake(pieces: usize) -> Option<String> {
    if !(2..=LARGEST).contains(&pieces) {
        return None;
    }
    let mut text = format!("Set PANCAKE {pieces} 1\n");
    for flipped in 2..=pieces {
        write_move(&mut text, &format!("{flipped}F"), "PANCAKE", (1..=flipped).rev().chain(flipped + 1..=pieces));
    }
    Some(text)
}

fn topspin(pieces: usize, turned: usize) -> Option<String> {
    if pieces > LARGEST || !(2..=pieces).contains(&turned) {
        return None;
    }
    let mut text = format!("Set PIECE {pieces} 1\n");
    write_move(&mut text, "L", "PIECE", (2..=pieces).chain([1]));
    write_move(&mut text, "F", "PIECE", (1..=turned).rev().chain(turned + 1..=pieces));
    text.push_str("MoveSequence R L'\n");
    Some(text)
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use twistbase_core::context::Context;

    use super::*;

    fn named(name: &str) -> PuzzleDefinition {
        let puzzle = PuzzleDefinition::named(name).unwrap_or_else(|| panic!("{name}"));
        assert_eq!(
            (puzzle.name.as_str(), PuzzleDefinition::parse(&puzzle.to_tws()).as_ref().ok()),
            (name, Some(&puzzle))
        );
        puzzle
    }

    fn levels(name: &str) -> Vec<u64> {
        let levels = named(name).count_levels(99, u64::MAX, None, &Context::silent(), |_, _| Ok(())).unwrap();
        assert!(levels.complete, "{name}");
        levels.counts
    }

    /// Positions at each distance of a row of pieces, by a plain search.
    fn levels_of_a_row(pieces: u8, after: &dyn Fn(&[u8]) -> Vec<Vec<u8>>) -> Vec<u64> {
        let solved: Vec<u8> = (0..pieces).collect();
        let (mut seen, mut last, mut counts) = (HashSet::from([solved.clone()]), vec![solved], Vec::new());
        while !last.is_empty() {
            counts.push(last.len() as u64);
            last = last.iter().flat_map(|row| after(row)).filter(|row| seen.insert(row.clone())).collect();
        }
        counts
    }

    fn flipped(row: &[u8], count: usize) -> Vec<u8> {
        let mut row = row.to_vec();
        row[..count].reverse();
        row
    }

    /// OEIS A058986.
    #[test]
    fn pancakes_are_farthest_as_published() {
        for (pieces, farthest) in (2..).zip([1, 3, 4, 5, 7, 8, 9, 10, 11]) {
            let counts = levels(&format!("pancake-{pieces}"));
            assert_eq!((counts.len() - 1, counts.iter().sum()), (farthest, (1..=pieces).product::<u64>()));
            if pieces < 8 {
                let after = |row: &[u8]| (2..=row.len()).map(|count| flipped(row, count)).collect();
                assert_eq!(counts, levels_of_a_row(pieces as u8, &after), "{pieces}");
            }
        }
    }

    #[test]
    fn topspin_has_the_levels_of_a_plain_search() {
        for (pieces, turned) in [(2, 2), (3, 2), (4, 3), (5, 4), (6, 3), (6, 4), (6, 5), (6, 6), (7, 3), (7, 4), (8, 4)]
        {
            let after = |row: &[u8]| {
                let shifted = |count: usize| [&row[count..], &row[..count]].concat();
                (1..row.len()).map(shifted).chain([flipped(row, turned)]).collect()
            };
            let (name, plain) = (format!("topspin-{pieces}-{turned}"), levels_of_a_row(pieces, &after));
            assert_eq!(levels(&name), plain, "{name}");
            assert_eq!(named(&name).group_order(), plain.iter().sum::<u64>().into(), "{name}");
        }
        let puzzle = named("topspin-20-4");
        assert_eq!(puzzle.group_order(), (1..=20u64).product::<u64>().into());
        let shifted = puzzle.apply(&puzzle.solved, &puzzle.read_sequence("L3 R").unwrap());
        assert_eq!(shifted.pieces[..3], [2, 3, 4]);
    }

    #[test]
    fn names_are_read_or_refused() {
        for name in ["pancake-255", "topspin-255-254", "topspin-255-255"] {
            assert_eq!(named(name).places(), 255);
        }
        let stack = named("pancake-40");
        assert_eq!(stack.read_sequence("31F 31F'").unwrap(), stack.identity());
        for name in [
            "",
            "pancake",
            "pancake-1",
            "pancake-256",
            "pancake-05",
            "pancake-+5",
            "pancake-5-5",
            "pancake-99999999999999",
            "pancake-99999999999999999999999",
            "topspin-20",
            "topspin-4-5",
            "topspin-4-1",
            "topspin-256-4",
            "ivy-3",
        ] {
            assert_eq!(PuzzleDefinition::named(name), None, "{name}");
        }
        let ivy = PuzzleDefinition::named("ivy");
        assert!(ivy.is_some() && PuzzleDefinition::named("Ivy") == ivy);
    }
}
