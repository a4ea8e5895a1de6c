//! Puzzles with fewer moves, other steps, or pieces that do not matter.

use std::ops::Range;
use std::str::FromStr;

use twistbase_core::error::{Error, Result};

use super::geometry::{Geometry, is_same_name};
use super::model::{Generator, Pattern, PuzzleDefinition};

/// A restriction of a puzzle to some moves and pieces.
///
/// ```
/// use twistbase_definition::{PuzzleDefinition, Restriction};
///
/// let cube = PuzzleDefinition::parse("c f 0.333")?;
/// let ru = Restriction { moves: Some(vec!["R".into(), "U2".into()]), ..Restriction::default() };
/// assert_eq!(cube.restricted(&ru)?.turns().iter().map(|turn| &*turn.name).collect::<Vec<_>>(), ["R", "R2", "R'", "U2"]);
/// # Ok::<(), twistbase_core::error::Error>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Restriction {
    /// The moves of solutions: `R` with all its powers, `R2` alone. `None` for all moves.
    pub moves: Option<Vec<String>>,
    /// Whether a half turn counts two: the steps of solutions are the moves and their inverses.
    pub quarter_turns: bool,
    /// The pieces that matter, by the names of their faces (`DF`) or as `EDGE-l5`, orbit and place from 0; `FR=FL` for pieces that may
    /// take each other's places. The others may be anywhere, but twisted as in the solved puzzle if the list has
    /// `EDGE:orientations`. `None` for all.
    pub pieces: Option<Vec<String>>,
    /// What may be as it likes when the puzzle is solved.
    pub ignored: Vec<Ignored>,
    /// Moves, or short sequences of them, of the whole puzzle: a position counts as solved if these alone solve it. With those of the
    /// puzzle, if it has some already. `None` for no more.
    pub up_to: Option<Vec<String>>,
}

/// What does not matter of an orbit. As text: `EDGE`, `EDGE:places` or `EDGE:orientations`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ignored {
    /// The name of the orbit.
    pub orbit: String,
    /// Whether to ignore which piece of the orbit is where.
    pub places: bool,
    /// Whether pieces may be twisted.
    pub orientations: bool,
}

impl FromStr for Ignored {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Self, String> {
        let (orbit, [places, orientations]) = match text.rsplit_once(':') {
            None => (text, [true; 2]),
            Some((orbit, "places")) => (orbit, [true, false]),
            Some((orbit, "orientations")) => (orbit, [false, true]),
            Some(_) => return Err("after : comes places or orientations".to_owned()),
        };
        Ok(Self { orbit: orbit.to_owned(), places, orientations })
    }
}

/// The words that a restriction as text consists of.
const WORDS: [&str; 5] = ["only", "ignore", "moves", "up-to", "quarter-turns"];

impl Restriction {
    /// Whether a text is meant as a restriction.
    pub fn is_meant(text: &str) -> bool {
        text.split_whitespace().next().is_some_and(|word| WORDS.contains(&word))
    }
}

/// Reads the options of `puzzle levels` without dashes: `only DF,DR`, `ignore CENTER,EDGE:orientations`, `moves R,U2`, `up-to U2,R U R'`,
/// `quarter-turns`, or several of these.
impl FromStr for Restriction {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let (mut restriction, mut reasons, mut seen) = (Self::default(), Vec::new(), Vec::new());
        let words: Vec<&str> = text.split_whitespace().collect();
        for clause in words.chunk_by(|_, next| !WORDS.contains(next)) {
            let (word, list) = (clause[0], clause[1..].join(" "));
            // Between commas a sequence may have several moves.
            let is_between = |c: char| c == ',' || c == ' ' && word != "up-to";
            let list: Vec<String> =
                list.split(is_between).map(|item| item.trim().to_owned()).filter(|item| !item.is_empty()).collect();
            match word {
                _ if seen.contains(&word) => reasons.push(format!("{word} is there twice")),
                "quarter-turns" if list.is_empty() => restriction.quarter_turns = true,
                "quarter-turns" => reasons.push("nothing follows quarter-turns but another word".to_owned()),
                _ if WORDS.contains(&word) && list.is_empty() => {
                    reasons.push(format!("after {word}, a list is missing"));
                }
                "only" => restriction.pieces = Some(list),
                "moves" => restriction.moves = Some(list),
                "up-to" => restriction.up_to = Some(list),
                "ignore" => {
                    for item in list {
                        match item.parse() {
                            Ok(ignored) => restriction.ignored.push(ignored),
                            Err(reason) => reasons.push(format!("{item}: {reason}")),
                        }
                    }
                }
                _ => reasons.push(format!("{word:?} is none of only, ignore, moves, up-to and quarter-turns")),
            }
            seen.push(word);
        }
        if words.is_empty() {
            reasons.push("write only, ignore, moves, up-to or quarter-turns".to_owned());
        }
        if reasons.is_empty() { Ok(restriction) } else { Err(Error::Usage(reasons.join("; "))) }
    }
}

impl PuzzleDefinition {
    /// The restricted puzzle. It has no goals by name.
    ///
    /// # Errors
    /// [`Error::Usage`] with every reason: moves, pieces and orbits that do not exist, rotations as moves.
    pub fn restricted(&self, restriction: &Restriction) -> Result<Self> {
        let Restriction { moves, quarter_turns, pieces, ignored, up_to } = restriction;
        let (mut puzzle, mut reasons) = (self.clone(), Vec::new());
        puzzle.quarter_turns |= quarter_turns;
        if let Some(names) = moves {
            puzzle.keep_moves(self, names, &mut reasons);
        }
        if let Some(names) = pieces {
            puzzle.keep_pieces(names, &mut reasons);
        }
        for ignored in ignored {
            if let Err(reason) = puzzle.ignore(ignored) {
                reasons.push(reason);
            }
        }
        puzzle.solve_up_to(self, up_to.as_deref(), &mut reasons);
        if moves.is_some() || pieces.is_some() || !ignored.is_empty() || up_to.is_some() {
            puzzle.geometry.clear();
            puzzle.goals.clear();
        }
        if reasons.is_empty() { Ok(puzzle) } else { Err(Error::Usage(reasons.join("; "))) }
    }

    /// Keeps, of the moves of `all`, those with the names.
    fn keep_moves(&mut self, all: &Self, names: &[String], reasons: &mut Vec<String>) {
        self.moves.retain(|one| one.is_rotation);
        for name in names {
            // Without the name R2, two of R would be read.
            let name = &all.half_name(name).unwrap_or_else(|| name.clone());
            let is_rotation = |word: &str| self.moves.iter().any(|one| one.is_rotation && one.name == word);
            match all.transformation_of(name) {
                _ if name.split_whitespace().count() != 1 => reasons.push(format!("{name:?} is no move")),
                Err(_) => reasons.push(all.no_move(name)),
                Ok(_) if is_rotation(name) => reasons.push(format!("{name} turns the whole puzzle")),
                Ok(transformation) => {
                    if let Err((_, reason)) = self.add_move(name, transformation) {
                        reasons.push(reason);
                    }
                }
            }
        }
        if names.is_empty() {
            reasons.push("give at least one move".to_owned());
        }
        let derived = std::mem::take(&mut self.derived);
        let is_known = |sequence: &str| self.transformation_of(sequence).is_ok();
        self.derived = derived
            .into_iter()
            .filter(|derived| is_known(&derived.sequence) && self.moves.iter().all(|one| one.name != derived.name))
            .collect();
    }

    /// Why a word is no move.
    fn no_move(&self, word: &str) -> String {
        let known = self.moves.iter().filter(|one| !one.is_rotation).map(|one| one.name.as_str());
        format!("{word:?} is no move; choose from: {}", known.collect::<Vec<_>>().join(" "))
    }

    /// Lets sequences of moves of `all`, and those that it has, solve the puzzle.
    fn solve_up_to(&mut self, all: &Self, sequences: Option<&[String]>, reasons: &mut Vec<String>) {
        let mut generators = std::mem::take(&mut self.up_to);
        for sequence in sequences.into_iter().flatten() {
            // Without the name R2, two of R would be read.
            let words = sequence.split_whitespace().map(|word| all.half_name(word).unwrap_or_else(|| word.to_owned()));
            let sequence = words.collect::<Vec<_>>().join(" ");
            match all.transformation_of(&sequence) {
                Err(word) => reasons.push(all.no_move(word)),
                Ok(_) if generators.iter().any(|one| one.sequence == sequence) => {}
                Ok(transformation) => generators.push(Generator { sequence, transformation }),
            }
        }
        let is_blank = |sequence: &String| sequence.trim().is_empty();
        if sequences.is_some_and(|sequences| sequences.is_empty() || sequences.iter().any(is_blank)) {
            reasons.push("name the moves up to which it is solved".to_owned());
        }
        reasons
            .extend(generators.into_iter().filter_map(|one| self.add_generator(one).err()).map(|(_, reason)| reason));
    }

    /// Lets all pieces look alike, orbit by orbit, but those with the names.
    fn keep_pieces(&mut self, names: &[String], reasons: &mut Vec<String>) {
        let geometry = Geometry::parse(&self.geometry).ok();
        let faces = geometry.map_or_else(|| vec![String::new(); self.places()], |geometry| geometry.place_names());
        let ids = self.ranges().flat_map(|(orbit, range)| (0..range.len()).map(|at| format!("{}-l{at}", orbit.name)));
        let ids: Vec<String> = ids.collect();
        let (mut is_kept, mut oriented, mut alike) = (vec![false; self.places()], Vec::new(), Vec::new());
        for (group, name) in
            names.iter().enumerate().flat_map(|(group, names)| names.split('=').map(move |name| (group, name)))
        {
            let of_orbit = name.strip_suffix(":orientations").and_then(|orbit| self.orbit_range(orbit));
            if let Some(range) = of_orbit {
                oriented.push(range);
                continue;
            }
            let named: Vec<usize> =
                (0..faces.len()).filter(|&at| ids[at] == name || is_same_name(&faces[at], name)).collect();
            if named.is_empty() || name.is_empty() {
                let known = if faces.iter().all(String::is_empty) { &ids } else { &faces };
                let mut known = known.clone();
                known.dedup();
                reasons.push(format!("{name:?} is no piece; choose from: {}", known.join(" ")));
            }
            named.iter().for_each(|&at| is_kept[at] = true);
            alike.push((group, named));
        }
        if names.is_empty() {
            reasons.push("give at least one piece".to_owned());
        }
        for range in self.ranges().map(|(_, range)| range).collect::<Vec<_>>() {
            // Pieces that look alike are kept together.
            let kept: Vec<u8> = range.clone().filter(|&at| is_kept[at]).map(|at| self.solved.pieces[at]).collect();
            let is_changed = self.leave_alike(range.clone(), &kept, oriented.contains(&range));
            let illegal = self.illegal.iter().find(|illegal| is_changed && range.contains(&illegal.place));
            if let Some(illegal) = illegal {
                reasons.push(format!(
                    "{} cannot be left out: its place decides which moves are possible",
                    ids[illegal.place]
                ));
            }
        }
        for group in alike.chunk_by(|(one, _), (other, _)| one == other) {
            let mut places = group.iter().flat_map(|(_, places)| places.iter().copied());
            let Some(first) = places.next() else { continue };
            let (range, solved) = (self.orbit_of(first).1, self.solved.clone());
            let looks = |at: usize| (solved.twist[at], solved.period[at]);
            for at in places {
                let is_guarded = self.illegal.iter().any(|illegal| range.contains(&illegal.place));
                if !range.contains(&at) || looks(at) != looks(first) || is_guarded {
                    reasons.push(format!("{} and {} cannot count as alike", ids[first], ids[at]));
                } else {
                    self.solved.pieces[at] = solved.pieces[first];
                }
            }
        }
    }

    /// Lets all pieces in the places of an orbit look alike but the `kept` ones; their orientation is ignored, unless they are
    /// `oriented` and have one period. Returns whether there are any.
    pub(crate) fn leave_alike(&mut self, range: Range<usize>, kept: &[u8], oriented: bool) -> bool {
        let solved = &mut self.solved;
        let others: Vec<usize> = range.filter(|&at| !kept.contains(&solved.pieces[at])).collect();
        let Some(&first) = others.first() else { return false };
        let (piece, period) = (solved.pieces[first], solved.period[first]);
        let oriented = oriented && others.iter().all(|&at| solved.period[at] == period);
        for at in others {
            solved.pieces[at] = piece;
            if !oriented {
                (solved.twist[at], solved.period[at]) = (0, 1);
            }
        }
        true
    }

    /// The places of an orbit.
    fn orbit_range(&self, name: &str) -> Option<Range<usize>> {
        self.ranges().find(|(orbit, _)| orbit.name == name).map(|(_, range)| range)
    }

    /// Lets pieces of an orbit look alike.
    fn ignore(&mut self, Ignored { orbit, places, orientations }: &Ignored) -> std::result::Result<(), String> {
        let Some(range) = self.orbit_range(orbit) else {
            let known: Vec<&str> = self.orbits.iter().map(|orbit| orbit.name.as_str()).collect();
            return Err(format!("{orbit} is no orbit; there are {}", known.join(" ")));
        };
        if *places && self.illegal.iter().any(|illegal| range.contains(&illegal.place)) {
            return Err(format!("the places of {orbit} cannot be ignored: they decide which moves are possible"));
        }
        let solved = &mut self.solved;
        if *orientations {
            solved.twist[range.clone()].fill(0);
            solved.period[range.clone()].fill(1);
        }
        if *places {
            let period = solved.period[range.start];
            if solved.period[range.clone()].iter().any(|&other| other != period) {
                return Err(format!(
                    "the orientation of some pieces of {orbit} matters already no more: ignore all of {orbit}"
                ));
            }
            let piece = solved.pieces[range.start];
            solved.pieces[range].fill(piece);
        }
        Ok(())
    }

    /// A position of this puzzle as one of the puzzle that is left of it.
    ///
    /// # Panics
    /// If they have other orbits, or the position is of another puzzle.
    pub fn position_in(&self, left: &Self, position: &Pattern) -> Pattern {
        let mut coarse = position.clone();
        for (_, range) in self.ranges() {
            let place_of = |piece: u8| range.clone().find(|&place| self.solved.pieces[place] == piece);
            for place in range.clone() {
                // A piece that does not exist stays one.
                if let Some(home) = place_of(position.pieces[place]) {
                    coarse.pieces[place] = left.solved.pieces[home];
                }
            }
        }
        left.with_periods(coarse)
    }
}
