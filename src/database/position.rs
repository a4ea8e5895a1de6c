//! Positions of any puzzle: read once, used many times.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use super::answers::cube3::CubeText;
use super::answers::square1::{Square1Text, author_index};
use super::answers::{PositionReport, PositionText};
use super::large::{LargePosition, LargePuzzle};
use super::puzzle_info::{CUBE2, CUBE3};
use serde::Serialize;
use twistbase_core::error::{Error, InvalidInput, Problem, Result};
use twistbase_definition::{KPattern, Pattern, SpacePosition};
use twistbase_picture::{ColourScheme, Picture};
use twistbase_puzzle::cube2::{self, Cube2Position};
use twistbase_puzzle::cube3::notation::{FaceletOrder, HeldCube, facelets, parse_motion, parse_position};
use twistbase_puzzle::cube3::{Centres, Cube, Face};
use twistbase_puzzle::square1::Position;
use twistbase_puzzle::square1::notation::{self, apply_sequence};
use twistbase_query::{GivenPosition, parse, parse_defined, parse_held_cube2};
use twistbase_tables::{DefinedTable, Definition, Notation, TwistTable, cube2_place, cube2_position};

/// A position of a puzzle, read by [`Puzzle::read`](super::Puzzle::read). Two positions are equal if puzzle and pieces are equal; cubes
/// must also be held in the same way.
///
/// ```
/// # mod twistbase { pub use twistbase_core::*; pub use twistbase_database::{self as database, *}; }
/// use twistbase::Database;
///
/// let puzzle = Database::open("/nonexistent")?.puzzle("cube3")?;
/// let position = puzzle.read("R U")?;
/// assert_eq!(position.moved("U' R'")?, puzzle.read("wca:")?);
/// assert_eq!(puzzle.read(&position.to_string())?, position);
/// # Ok::<(), twistbase::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct PuzzlePosition(AnyPosition);

/// The position of a question: as read, or turned first.
#[derive(Debug, Clone)]
pub struct NormalizedPosition {
    /// The position.
    pub position: PuzzlePosition,
    /// A text for this position: the input, unless it was turned.
    pub text: String,
    /// The turns of the whole cube made first, such as `x' y2`; `None` if there were none.
    pub turns: Option<String>,
}

/// A position of each kind of puzzle.
#[derive(Debug, Clone)]
enum AnyPosition {
    Square1(&'static TwistTable, GivenPosition),
    Cube3(HeldCube<Cube>),
    Cube2(HeldCube<Cube2Position>),
    Defined(&'static DefinedTable, SpacePosition),
    Large(LargePosition),
}

/// A position in the notation of its puzzle.
#[derive(Debug, Clone, Serialize)]
pub enum WrittenPosition {
    /// Of the Square-1 family. If a corner lies across the cut, a turn follows that brings it there.
    #[serde(rename = "hex")]
    Hex(String),
    /// The facelets of a cube, colours named by its faces as it is held.
    #[serde(rename = "facelets")]
    Facelets(String),
    /// Of a puzzle that is data.
    #[serde(rename = "position")]
    KPattern(KPattern),
}

impl fmt::Display for WrittenPosition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Hex(text) | Self::Facelets(text) => f.write_str(text),
            Self::KPattern(pattern) => write!(f, "{pattern}"),
        }
    }
}

impl PuzzlePosition {
    /// Reads a position of a puzzle of the Square-1 family in any notation.
    pub(super) fn read_square1(definition: &'static TwistTable, input: &str) -> Result<Self> {
        Ok(Self(AnyPosition::Square1(definition, parse(definition, input)?)))
    }

    /// Reads a position of the Rubik's cube in any notation.
    pub(super) fn read_cube3(input: &str) -> Result<Self> {
        Ok(parse_position(input)?.held().into())
    }

    /// Reads a position of the 2×2×2 cube in any notation, or as its index.
    pub(super) fn read_cube2(input: &str) -> Result<Self> {
        Ok(parse_held_cube2(input)?.into())
    }

    /// Reads a position of a puzzle that is data: moves, a KPattern, or an index.
    pub(super) fn read_defined(table: &'static DefinedTable, input: &str) -> Result<Self> {
        match table.notation() {
            Notation::KPattern => Ok((table, parse_defined(table, input)?).into()),
            Notation::Cube2 => Self::read_cube2(input),
        }
    }

    /// The name of its puzzle.
    pub fn puzzle(&self) -> &'static str {
        match &self.0 {
            AnyPosition::Square1(definition, _) => definition.puzzle(),
            AnyPosition::Cube3(_) => CUBE3,
            AnyPosition::Cube2(_) => CUBE2,
            AnyPosition::Defined(table, _) => table.puzzle(),
            AnyPosition::Large(position) => position.puzzle.info.puzzle,
        }
    }

    /// The position in the notations of its puzzle.
    pub fn report(&self) -> PositionReport {
        self.reached_by(None)
    }

    /// The position in the notations of its puzzle, with the moves that lead to it.
    pub(super) fn reached_by(&self, moves: Option<String>) -> PositionReport {
        let text = match &self.0 {
            AnyPosition::Square1(definition, given) => PositionText::Square1 {
                written: Square1Text::new(given),
                middle: given.middle_given.then(|| given.position.middle()),
                author: author_index(definition, &given.position).map(|index| index.to_string()),
            },
            AnyPosition::Cube3(HeldCube { position, .. }) => {
                PositionText::Cube3 { written: CubeText::new(position), in_h: position.is_in_h() }
            }
            AnyPosition::Cube2(_) | AnyPosition::Defined(..) | AnyPosition::Large(_) => {
                PositionText::Table(self.written())
            }
        };
        PositionReport { puzzle: self.puzzle(), text, moves }
    }

    /// The position in the notation of its puzzle.
    pub fn written(&self) -> WrittenPosition {
        match &self.0 {
            AnyPosition::Square1(_, given) => WrittenPosition::Hex(Square1Text::new(given).hex),
            AnyPosition::Cube3(held) => WrittenPosition::Facelets(facelets::print(&held.position)),
            AnyPosition::Cube2(held) => WrittenPosition::Facelets(cube2::notation::print(&held.position)),
            AnyPosition::Defined(table, position) => WrittenPosition::KPattern(table.space().kpattern(*position)),
            AnyPosition::Large(LargePosition { puzzle, pattern }) => {
                WrittenPosition::KPattern(puzzle.definition().kpattern(pattern))
            }
        }
    }

    /// Whether the puzzle is solved. In the Square-1 family the middle layer may have either form, as in tables.
    pub fn is_solved(&self) -> bool {
        match &self.0 {
            AnyPosition::Square1(definition, given) => given.position.is_solved(definition.colouring()),
            AnyPosition::Cube3(held) => held.position.is_solved(),
            AnyPosition::Cube2(held) => held.position.is_solved(),
            AnyPosition::Defined(table, position) => table.space().is_solved(*position),
            AnyPosition::Large(LargePosition { puzzle, pattern }) => **pattern == puzzle.definition().solved,
        }
    }

    /// A text for this position, with a cube held in the same way.
    #[doc(hidden)]
    pub fn held_text(&self) -> String {
        let text = self.to_string();
        match self.centres() {
            Some(centres) if centres != Centres::USUAL => centres.painted_in(&text, Face::COLOUR_LETTERS),
            _ => text,
        }
    }

    /// The way a cube is held.
    fn centres(&self) -> Option<Centres> {
        match &self.0 {
            AnyPosition::Square1(..) | AnyPosition::Defined(..) | AnyPosition::Large(_) => None,
            AnyPosition::Cube3(held) => Some(held.centres),
            AnyPosition::Cube2(held) => Some(held.centres),
        }
    }

    /// The order of the faces in the facelets read, if it is not U R F D L B.
    pub fn order(&self) -> Option<FaceletOrder> {
        match &self.0 {
            AnyPosition::Square1(..) | AnyPosition::Defined(..) | AnyPosition::Large(_) => None,
            AnyPosition::Cube3(held) => held.order.unusual(),
            AnyPosition::Cube2(held) => held.order.unusual(),
        }
    }

    /// The cube turned until white is up and green in front, and the turns used, such as `x' y2`. For the 2×2×2 cube: until the corner
    /// yellow, orange, blue is at DBL.
    ///
    /// # Errors
    /// [`Error::Usage`] for another puzzle, and for a cube with other colours.
    pub fn turned_home(&self) -> Result<(Self, String)> {
        let (turned, turns) = match &self.0 {
            AnyPosition::Square1(..) | AnyPosition::Defined(..) | AnyPosition::Large(_) => {
                let message = format!("{} cannot be turned so that white is up; only cubes can", self.puzzle());
                return Err(Error::Usage(message));
            }
            AnyPosition::Cube3(held) => held.turned_home().map(|(held, turns)| (AnyPosition::Cube3(held), turns)),
            AnyPosition::Cube2(held) => held.turned_home().map(|(held, turns)| (AnyPosition::Cube2(held), turns)),
        }
        .ok_or_else(|| InvalidInput {
            input: self.to_string(),
            expected: "cube of the usual colours",
            problems: vec![Problem {
                code: "other-colours",
                message: "no turn brings white up and green in front".to_owned(),
                at: None,
            }],
            instead: None,
        })?;
        Ok((Self(turned), turns))
    }

    /// The position read from `input`; if `wanted`, [turned](Self::turned_home) until white is up and green in front.
    ///
    /// # Errors
    /// Those of [`PuzzlePosition::turned_home`], if `wanted`.
    pub fn normalized(&self, input: &str, wanted: bool) -> Result<NormalizedPosition> {
        let with_input = |error| match error {
            Error::Invalid(invalid) => Error::Invalid(InvalidInput { input: input.to_owned(), ..invalid }),
            other => other,
        };
        let turned = if wanted { Some(self.turned_home().map_err(with_input)?) } else { None };
        Ok(match turned.filter(|(_, turns)| !turns.is_empty()) {
            None => NormalizedPosition { position: self.clone(), text: input.to_owned(), turns: None },
            Some((position, turns)) => NormalizedPosition { text: position.to_string(), position, turns: Some(turns) },
        })
    }

    /// The position after moves, in a notation for sequences of its puzzle.
    ///
    /// # Errors
    /// [`Error::Invalid`] with every reason, also for a blocked twist.
    pub fn moved(&self, moves: &str) -> Result<Self> {
        Ok(Self(match &self.0 {
            AnyPosition::Square1(definition, given) => {
                let position = apply_sequence(moves, &given.position)?;
                AnyPosition::Square1(definition, GivenPosition { position, ..*given })
            }
            AnyPosition::Cube3(held) => AnyPosition::Cube3(held.after(&parse_motion(moves)?)),
            AnyPosition::Cube2(held) => AnyPosition::Cube2(held.after(&cube2::notation::parse_motion(moves)?)),
            AnyPosition::Defined(table, position) => {
                AnyPosition::Defined(table, table.space().moved(*position, moves)?)
            }
            AnyPosition::Large(position) => AnyPosition::Large(position.moved(moves)?),
        }))
    }

    /// A picture of the position, and of moves from it.
    ///
    /// # Errors
    /// As [`PuzzlePosition::moved`]; [`Error::Usage`] for a puzzle without pictures.
    pub fn picture(&self, moves: &str) -> Result<Picture> {
        Ok(match &self.0 {
            AnyPosition::Square1(definition, given) => {
                apply_sequence(moves, &given.position)?;
                let sequence = notation::parse_sequence(moves)?;
                let (position, colouring) = (&given.position, definition.colouring());
                Picture::square1(position, given.middle(), &sequence, colouring).expect("the sequence was made")
            }
            AnyPosition::Cube3(held) => {
                Picture::cube3(&held.position, parse_motion(moves)?.turns.moves()).with_centres(held.centres)
            }
            AnyPosition::Cube2(held) => {
                let motion = cube2::notation::parse_motion(moves)?;
                Picture::cube2(&held.position, motion.turns.moves()).with_centres(held.centres)
            }
            AnyPosition::Defined(table, position) => {
                let geometry = table.geometry().ok_or_else(|| self.no_geometry())?;
                Picture::defined(geometry, &table.space().pattern_of(*position), moves)?
            }
            AnyPosition::Large(LargePosition { puzzle, pattern }) => {
                Picture::defined(puzzle.geometry().ok_or_else(|| self.no_geometry())?, pattern, moves)?
            }
        })
    }

    /// Moves one by one; for the Square-1 family, turns and twists.
    ///
    /// # Errors
    /// As [`PuzzlePosition::moved`].
    pub fn steps(&self, moves: &str) -> Result<Vec<String>> {
        if let AnyPosition::Defined(..) | AnyPosition::Large(_) = &self.0 {
            self.moved(moves)?;
            return Ok(moves.split_whitespace().map(str::to_owned).collect());
        }
        let scene = self.picture(moves)?.scene(ColourScheme::Wca);
        Ok(scene.steps.into_iter().map(|step| step.text).collect())
    }

    /// The names of the shapes along moves, at the start and after each twist; `None` for a puzzle without shapes.
    ///
    /// # Errors
    /// As [`PuzzlePosition::moved`].
    pub fn shapes(&self, moves: &str) -> Result<Option<Vec<String>>> {
        let AnyPosition::Square1(_, given) = &self.0 else { return Ok(None) };
        apply_sequence(moves, &given.position)?;
        let shapes = notation::parse_sequence(moves)?.shapes_from(&given.position);
        Ok(Some(shapes.into_iter().map(|shape| shape.name()).collect()))
    }

    /// The position as one of the Square-1 family.
    ///
    /// # Errors
    /// [`Error::Usage`] for a position of another puzzle.
    pub(super) fn of_square1(&self, definition: &TwistTable) -> Result<&GivenPosition> {
        match &self.0 {
            AnyPosition::Square1(own, given) if own.puzzle() == definition.puzzle() => Ok(given),
            _ => Err(self.foreign(definition.puzzle())),
        }
    }

    /// The position as one of the Rubik's cube.
    ///
    /// # Errors
    /// As [`PuzzlePosition::of_square1`].
    pub(super) fn of_cube3(&self) -> Result<&Cube> {
        self.held_cube3().map(|held| &held.position)
    }

    /// The position, and the way it is held.
    ///
    /// # Errors
    /// As [`PuzzlePosition::of_square1`].
    pub(super) fn held_cube3(&self) -> Result<&HeldCube<Cube>> {
        if let AnyPosition::Cube3(held) = &self.0 { Ok(held) } else { Err(self.foreign(CUBE3)) }
    }

    /// The position as one of a puzzle that is data.
    ///
    /// # Errors
    /// As [`PuzzlePosition::of_square1`].
    pub(super) fn of_defined(&self, table: &DefinedTable) -> Result<SpacePosition> {
        match &self.0 {
            AnyPosition::Defined(own, position) if own.puzzle() == table.puzzle() => Ok(*position),
            AnyPosition::Cube2(held) if table.notation() == Notation::Cube2 => Ok(cube2_place(&held.position)),
            _ => Err(self.foreign(table.puzzle())),
        }
    }

    /// The position as one of a puzzle without a table.
    ///
    /// # Errors
    /// As [`PuzzlePosition::of_square1`].
    pub(super) fn of_large(&self, puzzle: &LargePuzzle) -> Result<&Pattern> {
        match &self.0 {
            AnyPosition::Large(own) if own.puzzle.info.puzzle == puzzle.info.puzzle => Ok(&own.pattern),
            _ => Err(self.foreign(puzzle.info.puzzle)),
        }
    }

    /// The error of a picture of a puzzle without geometry.
    fn no_geometry(&self) -> Error {
        Error::Usage(format!("the puzzle {} has no geometry, and so no pictures", self.puzzle()))
    }

    /// The error of a position of another puzzle.
    fn foreign(&self, puzzle: &str) -> Error {
        Error::Usage(format!("expected a position of {puzzle}, got one of {}", self.puzzle()))
    }
}

/// A position with both halves of its middle layer.
impl From<(&'static TwistTable, Position)> for PuzzlePosition {
    fn from((definition, position): (&'static TwistTable, Position)) -> Self {
        Self(AnyPosition::Square1(definition, GivenPosition { position, middle_given: true }))
    }
}

impl From<HeldCube<Cube>> for PuzzlePosition {
    fn from(held: HeldCube<Cube>) -> Self {
        Self(AnyPosition::Cube3(held))
    }
}

impl From<HeldCube<Cube2Position>> for PuzzlePosition {
    fn from(held: HeldCube<Cube2Position>) -> Self {
        Self(AnyPosition::Cube2(held))
    }
}

impl From<(&'static DefinedTable, SpacePosition)> for PuzzlePosition {
    fn from((table, position): (&'static DefinedTable, SpacePosition)) -> Self {
        match table.notation() {
            Notation::KPattern => Self(AnyPosition::Defined(table, position)),
            Notation::Cube2 => cube2_position(position).into(),
        }
    }
}

impl From<(&Arc<LargePuzzle>, Pattern)> for PuzzlePosition {
    fn from((puzzle, pattern): (&Arc<LargePuzzle>, Pattern)) -> Self {
        Self(AnyPosition::Large(LargePosition { puzzle: Arc::clone(puzzle), pattern: Arc::new(pattern) }))
    }
}

impl From<Cube> for PuzzlePosition {
    fn from(position: Cube) -> Self {
        HeldCube::from(position).into()
    }
}

impl From<Cube2Position> for PuzzlePosition {
    fn from(position: Cube2Position) -> Self {
        HeldCube::from(position).into()
    }
}

/// Writes the position [in the notation of its puzzle](PuzzlePosition::written).
impl fmt::Display for PuzzlePosition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.written())
    }
}

impl PartialEq for PuzzlePosition {
    fn eq(&self, other: &Self) -> bool {
        match (&self.0, &other.0) {
            (AnyPosition::Square1(_, own), AnyPosition::Square1(_, others)) => {
                self.puzzle() == other.puzzle() && own.position == others.position
            }
            (AnyPosition::Cube3(own), AnyPosition::Cube3(others)) => own.position == others.position,
            (AnyPosition::Cube2(own), AnyPosition::Cube2(others)) => own.position == others.position,
            (AnyPosition::Defined(_, own), AnyPosition::Defined(_, others)) => {
                self.puzzle() == other.puzzle() && own == others
            }
            (AnyPosition::Large(own), AnyPosition::Large(others)) => own == others,
            _ => false,
        }
    }
}

impl Eq for PuzzlePosition {}

impl Hash for PuzzlePosition {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.puzzle().hash(state);
        match &self.0 {
            AnyPosition::Square1(_, given) => given.position.hash(state),
            AnyPosition::Cube3(held) => held.position.hash(state),
            AnyPosition::Cube2(held) => held.position.hash(state),
            AnyPosition::Defined(_, position) => position.hash(state),
            AnyPosition::Large(position) => position.pattern.hash(state),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::{Database, RandomRequest};

    /// Reads a position of a puzzle.
    fn read(puzzle: &str, input: &str) -> PuzzlePosition {
        Database::open("/nonexistent").unwrap().puzzle(puzzle).unwrap().read(input).unwrap()
    }

    #[test]
    fn what_is_written_is_read_again() {
        for puzzle in Database::puzzles() {
            let puzzle = Database::open("/nonexistent").unwrap().puzzle(puzzle).unwrap();
            for position in puzzle.random(&RandomRequest::default(), 5).unwrap().take(50) {
                let json = serde_json::to_value(&position).unwrap();
                let text = ["facelets", "hex"].iter().find_map(|name| Some(json.get(name)?.as_str()?.to_owned()));
                let text = text.unwrap_or_else(|| json["position"].to_string());
                let position = puzzle.read(&text).unwrap();
                assert_eq!(
                    (puzzle.read(&position.to_string()).unwrap(), position.puzzle()),
                    (position.clone(), puzzle.name())
                );
                assert_eq!(serde_json::to_value(position.report()).unwrap(), json);
            }
        }
    }

    #[test]
    fn moves_there_and_back() {
        for (puzzle, there, back) in [
            ("cube3", "R U2 F'", "F U2 R'"),
            ("cube2", "R U2 F'", "F U2 R'"),
            ("cube21", "(1,0)/(3,3)/", "/(-3,-3)/(-1,0)"),
            ("square1", "(1,0)/(3,3)/", "/(-3,-3)/(-1,0)"),
        ] {
            let info = Database::puzzle_infos().find(|info| info.puzzle == puzzle).unwrap();
            let start = read(puzzle, info.solved);
            let far = start.moved(there).unwrap();
            assert!(start.is_solved() && !far.is_solved() && start != far, "{puzzle}");
            assert_eq!(far.moved(back).unwrap(), start, "{puzzle}");
            assert_eq!(HashSet::from([start, far.clone(), far.moved(back).unwrap()]).len(), 2, "{puzzle}");
            assert!(far.moved("?").is_err() && far.picture("?").is_err(), "{puzzle}");
        }
        // A corner lies across the cut of the top layer.
        for puzzle in ["square1", "cube21", "square1-corners"] {
            let turned = read(puzzle, "01234567-89ABCDEF-").moved("(-1,0)").unwrap();
            assert!(turned.to_string().ends_with(')') && read(puzzle, &turned.to_string()) == turned, "{turned}");
            let PositionText::Square1 { written, .. } = turned.report().text else { panic!("{turned}") };
            assert_eq!(read(puzzle, &written.jaap), turned);
        }
    }

    #[test]
    fn cubes_are_as_they_are_held() {
        for puzzle in ["cube3", "cube2"] {
            let (turned, same) = (read(puzzle, "R U x y"), read(puzzle, "R U").moved("x y").unwrap());
            assert_eq!(turned, same, "{puzzle}");
            // Moves are for the cube as it is held.
            assert!(turned.moved("y' x' U' R'").unwrap().is_solved() && !turned.moved("U' R'").unwrap().is_solved());
            let (home, turns) = turned.turned_home().unwrap();
            assert_eq!(
                (&home, &turned.moved(&turns).unwrap()),
                (&read(puzzle, "R U"), &read(puzzle, "R U")),
                "{puzzle} {turns}"
            );
            let normalized = turned.normalized("R U x y", true).unwrap();
            assert_eq!((&normalized.position, normalized.turns.as_ref()), (&home, Some(&turns)), "{puzzle}");
            assert_eq!(read(puzzle, &normalized.text), home, "{puzzle}");
            for (position, input, wanted) in [(&turned, "R U x y", false), (&home, "R U", true)] {
                let same = position.normalized(input, wanted).unwrap();
                assert_eq!((&same.position, same.text.as_str(), same.turns), (position, input, None), "{puzzle}");
            }
            let facelets = turned.picture("").unwrap().scene(ColourScheme::Wca).written;
            assert_eq!(read(puzzle, &facelets), turned, "{facelets}");
            assert_eq!(read(puzzle, &facelets).turned_home().unwrap(), (home, turns), "{facelets}");
        }
        let of_layers = read("cube21", "/");
        assert!(of_layers.turned_home().is_err() && of_layers.normalized("/", true).is_err());
    }

    #[test]
    fn every_text_of_a_cube_is_read_as_it_is_held() {
        // The usual colours; red and orange exchanged; the scheme of Japan.
        for colours in ["WRGYOB", "WOGYRB", "WRGBOY"] {
            for (puzzle, of_face) in [("cube3", 9), ("cube2", 4)] {
                let solved: String = colours.chars().flat_map(|colour| std::iter::repeat_n(colour, of_face)).collect();
                let held = read(puzzle, &solved).moved("R U2 x y").unwrap();
                let is_read = |text: &str, moves: &str| {
                    let (again, expected) = (read(puzzle, text), held.moved(moves).unwrap());
                    assert_eq!((&again, again.centres()), (&expected, expected.centres()), "{colours} {moves}: {text}");
                };
                is_read(&held.held_text(), "");
                let scene = held.picture("F").unwrap().scene(ColourScheme::Wca);
                is_read(&scene.written, "");
                is_read(scene.leads_to.as_deref().unwrap(), "F");
                scene.choices.iter().for_each(|choice| is_read(choice.position.as_deref().unwrap(), &choice.moves));
                let written: Vec<char> = scene.written.chars().collect();
                for facet in scene.solids.iter().flat_map(|solid| &solid.facets) {
                    let Some(at) = facet.at else { continue };
                    let legend = scene.letters.iter().find(|known| known.letter == written[at]);
                    assert_eq!(legend.map(|known| known.colour), facet.colour, "{colours}: {}", scene.written);
                }
            }
        }
    }

    /// A derived position has no order of faces.
    #[test]
    fn the_order_of_the_facelets_is_that_of_the_text() {
        for (puzzle, of_face) in [("cube3", 9), ("cube2", 4)] {
            let text = read(puzzle, "R U2 F' L D B2 R' U").to_string();
            let face = |face: char| &text[of_face * "URFDLB".find(face).unwrap()..][..of_face];
            let ordered: String = "ULFRBD".chars().map(face).collect();
            let held = read(puzzle, &ordered);
            assert_eq!(held.order().map(|order| order.to_string()).as_deref(), Some("U L F R B D"), "{puzzle}");
            for made in [held.moved("R").unwrap(), held.turned_home().unwrap().0] {
                assert_eq!(made.order(), None, "{puzzle}");
            }
        }
    }

    #[test]
    fn moves_pass_shapes() {
        let start = read("square1", "(1,0)");
        let shapes = start.shapes("/(3,3)/(-1,0)/").unwrap().unwrap();
        assert_eq!(shapes.len(), 4);
        for (shape, moves) in shapes.into_iter().zip(["", "/", "/(3,3)/", "/(3,3)/(-1,0)/"]) {
            assert_eq!(start.moved(moves).unwrap().shapes("").unwrap().unwrap(), [shape], "{moves}");
        }
        assert!(start.shapes("/(1,0)/").is_err() && start.shapes("?").is_err());
        assert_eq!(read("cube2", "R").shapes("R").unwrap(), None);
    }

    #[test]
    fn positions_of_different_puzzles_are_different() {
        let solved = |puzzle| read(puzzle, "01234567-89ABCDEF-");
        assert_ne!(solved("cube21"), solved("square1"));
        let error = solved("cube21").of_cube3().unwrap_err();
        assert_eq!(error.to_string(), "expected a position of cube3, got one of cube21");
    }
}
