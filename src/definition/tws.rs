//! The text format of twsearch and ksolve: `.tws` and `.def`.
//!
//! ```text
//! Name 2x2x2
//! Set CORNER 8 3
//! Solved / CORNER / 1 2 3 4 5 6 7 8 / 0 0 0 0 0 0 0 0 / End      (each on a line of its own)
//! Move R / CORNER / 2 5 1 4 3 6 7 8 / 1 2 2 0 1 0 0 0 / End
//! ```
//! Places and pieces count from 1. The first row of a move gives the place that each piece comes from; the second row lists the
//! twist of a piece at the place that it *leaves*. Orbits without a row stay as they are. `?` in the second row of `Solved` marks
//! an orientation that does not matter. `StartState` and `MoveTransformation` say the same as `Solved` and `Move`, but count pieces and
//! places from 0, and list a twist at the place where the piece arrives. ksolve's conditions on sequences (`Ignore`, `Block`, `ForbiddenPairs` …) are refused.

use std::fmt::Write;
use std::iter::Peekable;
use std::ops::Range;

use twistbase_core::error::{Problem, Result};

use super::model::{
    Derived, Illegal, LARGEST, MOST_PROBLEMS, MOST_WORDS, Move, Orbit, Pattern, PuzzleDefinition, Refusal,
    Transformation, add_orbit, check_length, ranges,
};

/// A word of the text and its place.
type Word<'a> = (&'a str, Range<usize>);

/// Reads the lines of a text, without comments and without blank ones.
struct Lines<'a> {
    lines: Peekable<Box<dyn Iterator<Item = Vec<Word<'a>>> + 'a>>,
    end: usize,
    problems: Vec<Problem>,
}

impl<'a> Lines<'a> {
    fn of(text: &'a str) -> Self {
        let mut end = 0;
        let lines = text.split_inclusive('\n').map(move |line| {
            let begin = end;
            end += line.len();
            let code = line.split('#').next().unwrap_or_default();
            let word = |word: &'a str| {
                let at = begin + (word.as_ptr() as usize - line.as_ptr() as usize);
                (word, at..at + word.len())
            };
            code.split_whitespace().map(word).collect()
        });
        let lines: Box<dyn Iterator<Item = Vec<Word>>> = Box::new(lines.filter(|words: &Vec<Word>| !words.is_empty()));
        Self { lines: lines.peekable(), end: text.len(), problems: Vec::new() }
    }

    /// Notes a mistake. After many, reading ends.
    fn refuse(&mut self, code: &'static str, at: Range<usize>, message: impl Into<String>) {
        self.problems.push(Problem { code, message: message.into(), at: Some(at) });
        if self.is_full() {
            let none: Box<dyn Iterator<Item = Vec<Word>>> = Box::new(std::iter::empty());
            self.lines = none.peekable();
        }
    }

    fn is_full(&self) -> bool {
        self.problems.len() >= MOST_PROBLEMS
    }

    /// Keeps why something at a place was refused, if it was.
    fn note(&mut self, at: &Range<usize>, outcome: std::result::Result<(), Refusal>) {
        if let Err((code, reason)) = outcome {
            self.refuse(code, at.clone(), reason);
        }
    }

    /// The rows below the name of an orbit, up to `End`: for each orbit that is named, one or two rows of words.
    fn block(&mut self, orbits: &[Orbit]) -> Vec<(usize, Vec<Vec<Word<'a>>>)> {
        let of = |words: &[Word]| match words {
            [(name, _)] => orbits.iter().position(|orbit| orbit.name == *name),
            _ => None,
        };
        let is_row = |words: &Vec<Word>| words[0].0 == "?" || words[0].0.starts_with(|c: char| c.is_ascii_digit());
        let mut rows = Vec::new();
        loop {
            let Some(words) = self.lines.next() else {
                self.refuse("syntax", self.end..self.end, "End is missing");
                return rows;
            };
            if words[0].0 == "End" {
                return rows;
            }
            let Some(orbit) = of(&words) else {
                let (word, at) = words[0].clone();
                self.refuse("unknown-orbit", at, format!("{word} is no orbit of the puzzle; expected one, or End"));
                // What follows belongs to it.
                while self.lines.next_if(is_row).is_some() {}
                continue;
            };
            if rows.iter().any(|(known, _)| *known == orbit) {
                let (name, at) = words[0].clone();
                self.refuse("syntax", at, format!("{name} is there twice"));
            }
            let mut of_orbit = Vec::new();
            while let Some(row) = self.lines.next_if(is_row) {
                of_orbit.push(row);
            }
            match of_orbit.len() {
                1 | 2 => rows.push((orbit, of_orbit)),
                more => {
                    let (name, at) = words[0].clone();
                    self.refuse("syntax", at, format!("{name} has {more} rows; expected places, then orientations"));
                }
            }
        }
    }

    /// Numbers of a row, each in a range and with `less` taken off; `?` is `unknown`.
    fn numbers(&mut self, row: &[Word], count: usize, of: Range<usize>, unknown: Option<usize>) -> Option<Vec<usize>> {
        if row.len() != count {
            let at = row[0].1.start..row[row.len() - 1].1.end;
            self.refuse("count", at, format!("{} numbers where {count} are expected", row.len()));
            return None;
        }
        let before = self.problems.len();
        let mut numbers = Vec::with_capacity(row.len());
        for (word, at) in row {
            match (word.parse::<usize>(), unknown) {
                (Ok(number), _) if of.contains(&number) => numbers.push(number),
                (Err(_), Some(number)) if *word == "?" => numbers.push(number),
                _ => self.refuse("number", at.clone(), format!("expected {} to {}", of.start, of.end - 1)),
            }
        }
        (self.problems.len() == before).then_some(numbers)
    }
}

impl PuzzleDefinition {
    /// Reads a definition in the format of twsearch or ksolve.
    ///
    /// # Errors
    /// [`Error::Invalid`](twistbase_core::error::Error::Invalid) with every reason and its place.
    pub fn parse_tws(text: &str) -> Result<Self> {
        check_length(text)?;
        let mut lines = Lines::of(text);
        let mut puzzle = Self {
            name: String::new(),
            orbits: Vec::new(),
            solved: Pattern { pieces: Vec::new(), twist: Vec::new(), period: Vec::new() },
            moves: Vec::new(),
            derived: Vec::new(),
            illegal: Vec::new(),
            quarter_turns: false,
            up_to: Vec::new(),
            geometry: String::new(),
            goals: Vec::new(),
        };
        while let Some(words) = lines.lines.next() {
            let (command, at) = words[0].clone();
            let whole = at.start..words[words.len() - 1].1.end;
            match (command, &words[1..]) {
                ("Name", [_, ..]) => puzzle.name = text[words[1].1.start..whole.end].to_owned(),
                ("Set", [name, pieces, orientations]) => puzzle.read_orbit(&mut lines, name, pieces, orientations),
                ("Solved" | "StartState", []) => {
                    let solved = solved_of(&puzzle.orbits);
                    puzzle.solved = puzzle.read_state(&mut lines, solved, command == "Solved");
                }
                ("Move" | "MoveTransformation", [name]) => {
                    let rows = lines.block(&puzzle.orbits);
                    let transformation = puzzle.read_move(&mut lines, rows, command == "Move");
                    lines.note(&name.1, puzzle.add_move(name.0, transformation));
                }
                ("MoveAlias" | "MoveSequence", [_, rest @ ..]) if rest.len() > MOST_WORDS => {
                    let reason = format!("{} moves are too many: {MOST_WORDS} are the most", rest.len());
                    lines.refuse("size", whole, reason);
                }
                ("MoveAlias" | "MoveSequence", [name, rest @ ..]) if !rest.is_empty() => {
                    let sequence = &text[rest[0].1.start..whole.end];
                    match puzzle.transformation_of(sequence) {
                        Ok(transformation) if command == "MoveSequence" => {
                            lines.note(&name.1, puzzle.add_move(name.0, transformation));
                        }
                        Ok(transformation) => {
                            let ((name, at), sequence) = (name, sequence.to_owned());
                            let derived = Derived { name: (*name).to_owned(), sequence, transformation };
                            lines.note(at, puzzle.add_derived(derived));
                        }
                        Err(word) => {
                            let at = rest.iter().find(|(other, _)| *other == word).map_or(whole, |(_, at)| at.clone());
                            lines.refuse("unknown-move", at, format!("{word} is no move that was defined before"));
                        }
                    }
                }
                ("Illegal", [orbit, place, pieces @ ..]) if !pieces.is_empty() => {
                    puzzle.read_illegal(&mut lines, orbit, place, pieces);
                }
                (
                    "Name" | "Set" | "Solved" | "StartState" | "Move" | "MoveTransformation" | "MoveAlias"
                    | "MoveSequence" | "Illegal",
                    _,
                ) => lines.refuse("syntax", whole, format!("{command} has other words after it than expected")),
                _ => lines.refuse("unknown-command", at, format!("{command} is not supported here")),
            }
        }
        let places = puzzle.places();
        if puzzle.solved.pieces.len() != places {
            // Orbits that were added after it, or no Solved at all.
            if !puzzle.solved.pieces.is_empty() {
                lines.refuse("syntax", 0..0, "Set must come before Solved");
            } else {
                puzzle.solved = solved_of(&puzzle.orbits);
            }
        }
        puzzle.finished(text, lines.problems)
    }

    fn read_orbit(&mut self, lines: &mut Lines, name: &Word, pieces: &Word, orientations: &Word) {
        let mut size = |(word, at): &Word, what: &str| match word.parse::<usize>() {
            Ok(size @ 1..=LARGEST) => size,
            _ => {
                lines.refuse("size", at.clone(), format!("expected a number of {what} from 1 to {LARGEST}"));
                1
            }
        };
        let (pieces, orientations) = (size(pieces, "pieces"), size(orientations, "orientations"));
        if !self.moves.is_empty() || !self.solved.pieces.is_empty() {
            lines.refuse("syntax", name.1.clone(), "Set must come before Solved and Move");
        } else {
            let orbit = Orbit { name: name.0.to_owned(), pieces, orientations };
            lines.note(&name.1, add_orbit(&mut self.orbits, orbit));
        }
    }

    /// Reads the pieces in all places; orbits without a row are as in `state`. Pieces count from 1, or from 0.
    fn read_state(&self, lines: &mut Lines, mut state: Pattern, from_one: bool) -> Pattern {
        let first = usize::from(from_one);
        for (orbit, rows) in lines.block(&self.orbits) {
            let (Orbit { pieces, orientations, .. }, range) =
                ranges(&self.orbits).nth(orbit).expect("an orbit that was found");
            if let Some(numbers) = lines.numbers(&rows[0], *pieces, first..*pieces + first, None) {
                state.pieces.splice(range.clone(), numbers.iter().map(|&number| (number - first) as u8));
            }
            let ignored = Some(LARGEST + 1);
            if let Some(row) = rows.get(1)
                && let Some(twists) = lines.numbers(row, *pieces, 0..*orientations, ignored)
            {
                for (place, twist) in range.zip(twists) {
                    let is_ignored = Some(twist) == ignored;
                    (state.twist[place], state.period[place]) =
                        if is_ignored { (0, 1) } else { (twist as u8, *orientations as u8) };
                }
            }
        }
        state
    }

    /// Reads a move, with places from 1 and twists at the places that are left, or with places from 0 and twists where pieces arrive.
    fn read_move(&self, lines: &mut Lines, rows: Vec<(usize, Vec<Vec<Word>>)>, from_one: bool) -> Transformation {
        let first = usize::from(from_one);
        let mut transformation = self.identity();
        for (orbit, rows) in rows {
            let (Orbit { pieces, orientations, name }, range) =
                ranges(&self.orbits).nth(orbit).expect("an orbit that was found");
            let Some(from) = lines.numbers(&rows[0], *pieces, first..*pieces + first, None) else { continue };
            let mut seen = vec![false; *pieces];
            for (&from, (_, at)) in from.iter().zip(&rows[0]) {
                if std::mem::replace(&mut seen[from - first], true) {
                    lines.refuse("permutation", at.clone(), format!("{from} is there twice: no permutation of {name}"));
                }
            }
            let twists = match rows.get(1) {
                None => vec![0; *pieces],
                Some(row) => match lines.numbers(row, *pieces, 0..*orientations, None) {
                    None => continue,
                    Some(twists) => twists,
                },
            };
            for (at, (place, from)) in range.clone().zip(from).enumerate() {
                transformation.from[place] = (range.start + from - first) as u16;
                transformation.twist[place] = twists[if from_one { from - first } else { at }] as u8;
            }
        }
        transformation
    }

    fn read_illegal(&mut self, lines: &mut Lines, (name, at): &Word, place: &Word, pieces: &[Word]) {
        let Some((orbit, range)) = ranges(&self.orbits).find(|(orbit, _)| orbit.name == *name) else {
            return lines.refuse("unknown-orbit", at.clone(), format!("{name} is no orbit of the puzzle"));
        };
        let all = 1..orbit.pieces + 1;
        let place = lines.numbers(std::slice::from_ref(place), 1, all.clone(), None);
        let pieces = lines.numbers(pieces, pieces.len().min(orbit.pieces), all, None);
        if let (Some(place), Some(pieces)) = (place, pieces) {
            let place = range.start + place[0] - 1;
            self.illegal.extend(pieces.into_iter().map(|piece| Illegal { place, piece: (piece - 1) as u8 }));
        }
    }

    /// Whether a text is a position as twsearch reads it: it begins with `Scramble`, `ScrambleState`, `StartState`, `ScrambleAlg` or
    /// `CPOS`.
    pub(crate) fn is_scramble(text: &str) -> bool {
        let word = text.split_whitespace().next();
        word.is_some_and(|word| ["Scramble", "ScrambleState", "StartState", "ScrambleAlg", "CPOS"].contains(&word))
    }

    /// Reads a position as twsearch does.
    ///
    /// # Errors
    /// Every reason with its place.
    pub(crate) fn read_scramble(&self, text: &str) -> std::result::Result<Pattern, Vec<Problem>> {
        let mut lines = Lines::of(text);
        let words = lines.lines.next().unwrap_or_default();
        let mut state = self.solved.clone();
        match words.first().map_or("", |(word, _)| *word) {
            "ScrambleAlg" => {
                let mut all = self.identity();
                let of_lines = std::iter::from_fn(|| lines.lines.next_if(|words| words[0].0 != "End"));
                let words: Vec<Word> = of_lines.flatten().collect();
                if lines.lines.next().is_none() {
                    lines.refuse("syntax", text.len()..text.len(), "End is missing");
                }
                for (word, at) in words {
                    if lines.is_full() {
                        break;
                    }
                    match self.transformation_of(word) {
                        Ok(one) => all = self.compose(&all, &one),
                        Err(_) => lines.refuse("unknown-move", at, format!("{word} is no move")),
                    }
                }
                state = self.apply(&state, &all);
            }
            "CPOS" => match &words[1..] {
                [(digits, at)] => match self.read_compact(digits) {
                    Some(found) => state = found,
                    None => lines.refuse("syntax", at.clone(), "no compact position of this puzzle"),
                },
                _ => lines.refuse("syntax", 0..text.len(), "after CPOS comes one word"),
            },
            command => state = self.read_state(&mut lines, state, command == "Scramble"),
        }
        if let Some((word, at)) = lines.lines.next().and_then(|words| words.into_iter().next()) {
            lines.refuse("syntax", at, format!("{word} is one line too many: give one position"));
        }
        if lines.problems.is_empty() { Ok(self.with_periods(state)) } else { Err(lines.problems) }
    }

    /// Reads a digit for each place, or two where one has too few values: piece times orientations plus orientation, to the base 62.
    fn read_compact(&self, digits: &str) -> Option<Pattern> {
        const DIGITS: usize = 62;
        let value = |digit: u8| match digit {
            b'0'..=b'9' => Some(usize::from(digit - b'0')),
            b'A'..=b'Z' => Some(usize::from(digit - b'A') + 10),
            b'a'..=b'z' => Some(usize::from(digit - b'a') + 36),
            _ => None,
        };
        let (mut digits, mut state) = (digits.bytes(), self.solved.clone());
        for (Orbit { pieces, orientations, .. }, range) in self.ranges() {
            let values = pieces * orientations;
            for place in range {
                let mut number = value(digits.next()?)?;
                if values > DIGITS {
                    number = number * DIGITS + value(digits.next()?)?;
                }
                if number >= values {
                    return None;
                }
                (state.pieces[place], state.twist[place]) =
                    ((number / orientations) as u8, (number % orientations) as u8);
            }
        }
        digits.next().is_none().then_some(state)
    }

    /// Writes the definition in the format of twsearch. ksolve reads it, too, where nothing is illegal and no orientation is
    /// ignored. The format has no word for [`quarter_turns`](Self::quarter_turns), for the moves [up to](Self::up_to) which it is solved, nor
    /// for names of several moves together.
    pub fn to_tws(&self) -> String {
        let mut text = String::new();
        let name = if self.name.is_empty() { "Puzzle" } else { &self.name };
        // Writing to a string does not fail.
        let _ = writeln!(text, "Name {name}\n");
        for Orbit { name, pieces, orientations } in &self.orbits {
            let _ = writeln!(text, "Set {name} {pieces} {orientations}");
        }
        let _ = writeln!(text, "\nSolved");
        for (orbit, range) in self.ranges() {
            let _ = writeln!(text, "{}\n{}", orbit.name, joined(range.clone().map(|at| self.solved.pieces[at] + 1)));
            let twist = |at: usize| match usize::from(self.solved.period[at]) == orbit.orientations {
                true => self.solved.twist[at].to_string(),
                false => "?".to_owned(),
            };
            let _ = writeln!(text, "{}", joined(range.map(twist)));
        }
        let _ = writeln!(text, "End");
        for Move { name, transformation: Transformation { from, twist }, .. } in &self.moves {
            let _ = writeln!(text, "\nMove {name}");
            for (orbit, range) in self.ranges() {
                if range.clone().all(|at| usize::from(from[at]) == at && twist[at] == 0) {
                    continue;
                }
                let mut left = vec![0; orbit.pieces];
                range.clone().for_each(|at| left[usize::from(from[at]) - range.start] = twist[at]);
                let from = range.clone().map(|at| usize::from(from[at]) - range.start + 1);
                let _ = writeln!(text, "{}\n{}\n{}", orbit.name, joined(from), joined(left));
            }
            let _ = writeln!(text, "End");
        }
        // A name for several moves has no form there that is no step.
        for Derived { name, sequence, .. } in self.derived.iter().filter(|one| !one.sequence.contains(' ')) {
            let _ = writeln!(text, "\nMoveAlias {name} {sequence}");
        }
        for Illegal { place, piece } in &self.illegal {
            if let Some((orbit, range)) = self.ranges().find(|(_, range)| range.contains(place)) {
                let _ = writeln!(text, "\nIllegal {} {} {}", orbit.name, place - range.start + 1, piece + 1);
            }
        }
        text
    }
}

/// The pattern in which all pieces differ and are in their places.
pub(crate) fn solved_of(orbits: &[Orbit]) -> Pattern {
    let each = |of: fn(&Orbit, usize) -> usize| -> Vec<u8> {
        orbits.iter().flat_map(|orbit| (0..orbit.pieces).map(move |at| of(orbit, at) as u8)).collect()
    };
    Pattern { pieces: each(|_, at| at), twist: each(|_, _| 0), period: each(|orbit, _| orbit.orientations) }
}

fn joined(numbers: impl IntoIterator<Item = impl ToString>) -> String {
    numbers.into_iter().map(|number| number.to_string()).collect::<Vec<_>>().join(" ")
}
