//! KPuzzle definitions of cubing.js, as JSON. Places and pieces count from 0; a twist is listed at the place where its piece
//! *arrives*. `derivedMoves` name sequences, which are no steps of solutions. Members that are not known here are passed over.

use std::fmt;
use std::marker::PhantomData;
use std::ops::Range;

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde::ser::{Serialize, Serializer};
use twistbase_core::error::{Problem, Result};

use super::geometry::Geometry;
use super::model::{
    Derived, Generator, LARGEST, MOST_PROBLEMS, MOST_WORDS, Move, Orbit, Pattern, PuzzleDefinition, Refusal,
    Transformation, add_orbit, check_length, invalid, ranges,
};
use super::tws::solved_of;

/// The whole file.
#[derive(serde::Deserialize, serde::Serialize)]
#[serde(rename_all = "camelCase")]
struct Definition {
    #[serde(default)]
    name: String,
    orbits: Vec<OrbitDefinition>,
    default_pattern: Pairs<OrbitPattern>,
    moves: Pairs<Pairs<OrbitMove>>,
    #[serde(default, skip_serializing_if = "Pairs::is_empty")]
    derived_moves: Pairs<String>,
    /// Whether moves and their inverses alone count as steps; of this program, as the next three.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    quarter_turns: bool,
    /// What sequences do that generate the group up to which it is solved.
    #[serde(default, skip_serializing_if = "Pairs::is_empty")]
    up_to: Pairs<Pairs<OrbitMove>>,
    /// The line of its geometry.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    geometry: String,
    /// Goals other than solved, as restrictions by name.
    #[serde(default, skip_serializing_if = "Pairs::is_empty")]
    goals: Pairs<String>,
}

#[derive(serde::Deserialize, serde::Serialize)]
#[serde(rename_all = "camelCase")]
struct OrbitDefinition {
    orbit_name: String,
    num_pieces: usize,
    num_orientations: usize,
}

#[derive(Debug, Clone, serde::Deserialize, serde::Serialize)]
#[serde(rename_all = "camelCase")]
struct OrbitPattern {
    pieces: Vec<usize>,
    orientation: Vec<usize>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    orientation_mod: Vec<usize>,
}

#[derive(serde::Deserialize, serde::Serialize)]
#[serde(rename_all = "camelCase")]
struct OrbitMove {
    permutation: Vec<usize>,
    orientation_delta: Vec<usize>,
}

/// A position as cubing.js writes it: for each orbit the pieces and orientations in its places. Its text is JSON in one line.
#[derive(Debug, Clone, serde::Serialize)]
#[serde(transparent)]
pub struct KPattern(Pairs<OrbitPattern>);

impl fmt::Display for KPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&serde_json::to_string(self).map_err(|_| fmt::Error)?)
    }
}

/// The members of an object, in the order of the file.
#[derive(Debug, Clone)]
struct Pairs<T>(Vec<(String, T)>);

impl<T> Default for Pairs<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T> Pairs<T> {
    fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Pairs<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        struct Members<T>(PhantomData<T>);
        impl<'de, T: Deserialize<'de>> Visitor<'de> for Members<T> {
            type Value = Pairs<T>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> std::result::Result<Pairs<T>, A::Error> {
                let mut pairs = Vec::new();
                while let Some(pair) = map.next_entry()? {
                    pairs.push(pair);
                }
                Ok(Pairs(pairs))
            }
        }
        deserializer.deserialize_map(Members(PhantomData))
    }
}

impl<T: Serialize> Serialize for Pairs<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(name, value)| (name, value)))
    }
}

/// The reasons found, each with the JSON pointer of its place.
struct Problems(Vec<Problem>);

impl Problems {
    fn refuse(&mut self, code: &'static str, pointer: &str, message: &str) {
        self.0.push(Problem { code, message: format!("{pointer}: {message}"), at: None });
    }

    fn is_full(&self) -> bool {
        self.0.len() >= MOST_PROBLEMS
    }

    /// Keeps why something at a place was refused, if it was.
    fn note(&mut self, pointer: &str, outcome: std::result::Result<(), Refusal>) {
        if let Err((code, reason)) = outcome {
            self.refuse(code, pointer, &reason);
        }
    }

    /// Checks a list of numbers; returns whether it is as expected.
    fn check(&mut self, pointer: &str, numbers: &[usize], count: usize, of: Range<usize>) -> bool {
        let before = self.0.len();
        if numbers.len() != count {
            self.refuse("count", pointer, &format!("{} numbers where {count} are expected", numbers.len()));
            return false;
        }
        if let Some(at) = numbers.iter().position(|number| !of.contains(number)) {
            let place = format!("{pointer}/{at}");
            self.refuse("number", &place, &format!("{} where {} to {} is expected", numbers[at], of.start, of.end - 1));
        }
        self.0.len() == before
    }
}

impl PuzzleDefinition {
    /// Reads a KPuzzle definition.
    ///
    /// # Errors
    /// [`Error::Invalid`](twistbase_core::error::Error::Invalid) with every reason, and its place as a JSON pointer.
    pub fn parse_kpuzzle(text: &str) -> Result<Self> {
        check_length(text)?;
        let file: Definition =
            serde_json::from_str(text).map_err(|error| invalid(text, vec![syntax_problem(text, &error)]))?;
        let mut problems = Problems(Vec::new());
        if file.name.contains(char::is_control) {
            problems.refuse("name", "/name", "a name has no line breaks");
        }
        let mut orbits: Vec<Orbit> = Vec::new();
        for (number, OrbitDefinition { orbit_name: name, num_pieces, num_orientations }) in
            file.orbits.into_iter().enumerate()
        {
            if problems.is_full() {
                break;
            }
            let pointer = format!("/orbits/{number}");
            let mut size = |size: usize, member: &str| {
                if (1..=LARGEST).contains(&size) {
                    return size;
                }
                problems.refuse("size", &format!("{pointer}/{member}"), &format!("expected 1 to {LARGEST}"));
                1
            };
            let (pieces, orientations) = (size(num_pieces, "numPieces"), size(num_orientations, "numOrientations"));
            problems.note(&pointer, add_orbit(&mut orbits, Orbit { name, pieces, orientations }));
        }
        let solved = read_pattern(&orbits, &file.default_pattern, "/defaultPattern", &mut problems);
        let mut puzzle = Self {
            name: file.name,
            orbits,
            solved,
            moves: Vec::new(),
            derived: Vec::new(),
            illegal: Vec::new(),
            quarter_turns: file.quarter_turns,
            up_to: Vec::new(),
            geometry: file.geometry,
            goals: Vec::new(),
        };
        for (name, of) in &file.moves.0 {
            if problems.is_full() {
                break;
            }
            let pointer = format!("/moves/{name}");
            let transformation = puzzle.read_kpuzzle_move(&pointer, of, &mut problems);
            problems.note(&pointer, puzzle.add_move(name, transformation));
        }
        for (sequence, of) in file.up_to.0 {
            let pointer = format!("/upTo/{sequence}");
            let before = problems.0.len();
            let transformation = puzzle.read_kpuzzle_move(&pointer, &of, &mut problems);
            if problems.0.len() == before {
                problems.note(&pointer, puzzle.add_generator(Generator { sequence, transformation }));
            }
        }
        if problems.0.is_empty() {
            for (name, sequence) in file.derived_moves.0 {
                let pointer = format!("/derivedMoves/{name}");
                if problems.is_full() {
                    break;
                }
                if sequence.split_whitespace().nth(MOST_WORDS).is_some() {
                    problems.refuse("size", &pointer, &format!("a sequence has at most {MOST_WORDS} moves"));
                    continue;
                }
                match puzzle.transformation_of(&sequence) {
                    Ok(transformation) => {
                        problems.note(&pointer, puzzle.add_derived(Derived { name, sequence, transformation }));
                    }
                    Err(word) => {
                        let message = format!("{word} is no move that was defined before");
                        problems.refuse("unknown-move", &pointer, &message);
                    }
                }
            }
        }
        if problems.0.is_empty() && !puzzle.geometry.is_empty() {
            puzzle.check_geometry(&mut problems);
        }
        // Last: pieces have the names of the geometry.
        for (name, restriction) in file.goals.0 {
            if !problems.0.is_empty() {
                break;
            }
            let pointer = format!("/goals/{name}");
            problems.note(&pointer, puzzle.add_goal(name, restriction));
        }
        puzzle.finished(text, problems.0)
    }

    /// The geometry of a file is that of its pieces and moves. Other names of moves that the file leaves out are added.
    fn check_geometry(&mut self, problems: &mut Problems) {
        match Geometry::parse(&self.geometry) {
            Ok(geometry) => {
                let (name, up_to) = (self.name.clone(), self.up_to.clone());
                let own = Self { name, quarter_turns: self.quarter_turns, up_to, ..geometry.definition().clone() };
                if self.derived.iter().all(|derived| own.derived.contains(derived)) {
                    self.derived.clone_from(&own.derived);
                }
                if own != *self {
                    problems.refuse("geometry", "/geometry", "another puzzle: pieces or moves of the file differ");
                }
            }
            Err(error) => problems.refuse("geometry", "/geometry", &error.to_string()),
        }
    }

    /// Reads what a move does, at a JSON pointer.
    fn read_kpuzzle_move(&self, at: &str, of: &Pairs<OrbitMove>, problems: &mut Problems) -> Transformation {
        let mut transformation = self.identity();
        for (orbit_name, OrbitMove { permutation, orientation_delta }) in &of.0 {
            let pointer = format!("{at}/{orbit_name}");
            let Some((orbit, range)) = ranges(&self.orbits).find(|(orbit, _)| orbit.name == *orbit_name) else {
                problems.refuse("unknown-orbit", &pointer, "no orbit of the puzzle");
                continue;
            };
            let list = format!("{pointer}/permutation");
            let is_list = problems.check(&list, permutation, orbit.pieces, 0..orbit.pieces);
            let deltas = format!("{pointer}/orientationDelta");
            if !is_list | !problems.check(&deltas, orientation_delta, orbit.pieces, 0..orbit.orientations) {
                continue;
            }
            if let Some(at) = (0..orbit.pieces).find(|&at| permutation[..at].contains(&permutation[at])) {
                problems.refuse("permutation", &format!("{list}/{at}"), "the number is there twice: no permutation");
            }
            for (place, (from, twist)) in range.clone().zip(permutation.iter().zip(orientation_delta)) {
                transformation.from[place] = (range.start + from) as u16;
                transformation.twist[place] = *twist as u8;
            }
        }
        transformation
    }

    /// Reads a position as cubing.js writes it (KPattern): for each orbit the pieces and orientations in its places.
    ///
    /// # Errors
    /// Every reason, with its place as a JSON pointer.
    pub(crate) fn read_kpattern(&self, text: &str) -> std::result::Result<Pattern, Vec<Problem>> {
        let file: Pairs<OrbitPattern> =
            serde_json::from_str(text).map_err(|error| vec![syntax_problem(text, &error)])?;
        let mut problems = Problems(Vec::new());
        let pattern = read_pattern(&self.orbits, &file, "", &mut problems);
        if problems.0.is_empty() { Ok(self.with_periods(pattern)) } else { Err(problems.0) }
    }

    /// A position as cubing.js writes it.
    pub fn kpattern(&self, pattern: &Pattern) -> KPattern {
        let orbits =
            self.ranges().map(|(orbit, range)| (orbit.name.clone(), orbit_pattern(pattern, range, Vec::new())));
        KPattern(Pairs(orbits.collect()))
    }

    /// Writes the definition for cubing.js. Illegal positions have no form there and are left out.
    pub fn to_kpuzzle(&self) -> String {
        let pattern = |(orbit, range): (&Orbit, Range<usize>)| {
            let mut orientation_mod = numbers(&self.solved.period, &range);
            if orientation_mod.iter().all(|&period| period == orbit.orientations) {
                orientation_mod.clear();
            }
            (orbit.name.clone(), orbit_pattern(&self.solved, range, orientation_mod))
        };
        let moved = |transformation: &Transformation| {
            let of_orbit = |(orbit, range): (&Orbit, Range<usize>)| {
                let from = range.clone().map(|at| usize::from(transformation.from[at]) - range.start);
                let orientation_delta = numbers(&transformation.twist, &range);
                (orbit.name.clone(), OrbitMove { permutation: from.collect(), orientation_delta })
            };
            Pairs(self.ranges().map(of_orbit).collect())
        };
        let orbit = |Orbit { name, pieces, orientations }: &Orbit| OrbitDefinition {
            orbit_name: name.clone(),
            num_pieces: *pieces,
            num_orientations: *orientations,
        };
        // cubing.js reads `R2` as two of `R` where there is an `R`. Who reads the geometry adds the name again.
        let is_left_out = |derived: &&Derived| !self.geometry.is_empty() && self.half_name(&derived.name).is_some();
        let derived = self.derived.iter().filter(|derived| !is_left_out(derived));
        let derived = derived.map(|derived| (derived.name.clone(), derived.sequence.clone()));
        let moves = self.moves.iter().map(|Move { name, transformation, .. }| (name.clone(), moved(transformation)));
        let up_to = self.up_to.iter().map(|of| (of.sequence.clone(), moved(&of.transformation)));
        let goals = self.goals.iter().map(|goal| (goal.name.clone(), goal.restriction.clone()));
        let file = Definition {
            name: self.name.clone(),
            orbits: self.orbits.iter().map(orbit).collect(),
            default_pattern: Pairs(self.ranges().map(pattern).collect()),
            moves: Pairs(moves.collect()),
            derived_moves: Pairs(derived.collect()),
            quarter_turns: self.quarter_turns,
            up_to: Pairs(up_to.collect()),
            geometry: self.geometry.clone(),
            goals: Pairs(goals.collect()),
        };
        // Maps have texts for keys, and nothing fails to serialize.
        serde_json::to_string(&file).unwrap_or_default()
    }
}

fn numbers(of: &[u8], range: &Range<usize>) -> Vec<usize> {
    of[range.clone()].iter().map(|&number| number.into()).collect()
}

/// The pieces and orientations in some places.
fn orbit_pattern(pattern: &Pattern, range: Range<usize>, orientation_mod: Vec<usize>) -> OrbitPattern {
    let (pieces, orientation) = (numbers(&pattern.pieces, &range), numbers(&pattern.twist, &range));
    OrbitPattern { pieces, orientation, orientation_mod }
}

/// Why a text is no JSON of the expected form.
fn syntax_problem(text: &str, error: &serde_json::Error) -> Problem {
    let line_begin: usize = text.split_inclusive('\n').take(error.line().saturating_sub(1)).map(str::len).sum();
    let at = (line_begin + error.column().saturating_sub(1)).min(text.len());
    let message = error.to_string();
    let message = message.split(" at line ").next().unwrap_or_default().to_owned();
    Problem { code: "syntax", message, at: Some(at..at + 1) }
}

/// Reads a pattern of all orbits, at a JSON pointer.
fn read_pattern(orbits: &[Orbit], file: &Pairs<OrbitPattern>, at: &str, problems: &mut Problems) -> Pattern {
    let mut solved = solved_of(orbits);
    for (name, OrbitPattern { pieces, orientation, orientation_mod }) in &file.0 {
        let pointer = format!("{at}/{name}");
        let Some((orbit, range)) = ranges(orbits).find(|(orbit, _)| orbit.name == *name) else {
            problems.refuse("unknown-orbit", &pointer, "no orbit of the puzzle");
            continue;
        };
        let all = orbit.pieces;
        // What is not given is full; 0 means the same.
        let periods = match orientation_mod.is_empty() {
            true => vec![0; all],
            false => orientation_mod.clone(),
        };
        let is_right = problems.check(&format!("{pointer}/pieces"), pieces, all, 0..all)
            & problems.check(&format!("{pointer}/orientation"), orientation, all, 0..orbit.orientations)
            & problems.check(&format!("{pointer}/orientationMod"), &periods, all, 0..orbit.orientations + 1);
        if !is_right {
            continue;
        }
        for (number, place) in range.enumerate() {
            let period = if periods[number] == 0 { orbit.orientations } else { periods[number] };
            if !orbit.orientations.is_multiple_of(period) {
                let message = format!("{period} does not divide the {} orientations", orbit.orientations);
                problems.refuse("orientation", &format!("{pointer}/orientationMod/{number}"), &message);
                continue;
            }
            solved.pieces[place] = pieces[number] as u8;
            solved.twist[place] = (orientation[number] % period) as u8;
            solved.period[place] = period as u8;
        }
    }
    if let Some(orbit) = orbits.iter().find(|orbit| file.0.iter().all(|(name, _)| *name != orbit.name)) {
        problems.refuse(
            "unknown-orbit",
            if at.is_empty() { "/" } else { at },
            &format!("the orbit {} is missing", orbit.name),
        );
    }
    solved
}
