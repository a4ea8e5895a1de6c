//! Puzzles from their geometry: a Platonic solid or a box that planes cut into pieces, and layers between them that turn.

mod cut;
mod frames;
mod known;
mod solid;
mod spec;
#[cfg(test)]
mod tests;

pub use cut::Sticker;
pub use solid::Face;
pub(crate) use spec::is_same_name;

use twistbase_core::error::{Problem, Result};
use twistbase_core::math::vector::Vector;

use self::cut::{CutSolid, side};
use self::frames::Frames;
use self::solid::{Solid, anticlockwise};
use self::spec::Spec;
use super::model::{
    Derived, LARGEST, Move, Orbit, Pattern, PuzzleDefinition, Transformation, add_orbit, invalid, of_all, power_name,
};
use super::tws::solved_of;

/// A puzzle from its geometry, as one line says it: a solid, cuts, the piece that is held, and the moves.
///
/// The solid is `c` (cube), `t` (tetrahedron), `d` (dodecahedron), `o` (octahedron) or `i` (icosahedron), its faces at distance 1
/// from the centre; or a box, `WIDTHxDEPTHxHEIGHT`, which is cut at every unit: `3x3x2` is the domino. A cut is a kind of axis (`f` faces, `v` vertices, `e` edges) and the distance of the planes from the centre:
/// `c f 0.333` is the Rubik's cube, `c v 0` the skewb. Layers turn by the smallest angle of their axis, clockwise as seen from outside.
/// Layers of a box that are no squares turn by halves: `R2` is the move, and `R` another name for it.
/// - `hold PIECE` keeps a piece in its place: where a layer with it would turn, all other layers turn back. `hold middle` keeps what is
///   in the middle of the solid.
/// - `moves LIST` chooses moves: `U`, the outermost layer at U; `2U`, the one below; `Uw` or `3Uw`, the outermost two or three;
///   `NAME=LAYERS` gives a name. `moves all` takes all layers. Else those take part that do not hold the centre.
/// - `without LIST` leaves out orbits, by their names: the kilominx is a megaminx without its edges and centres.
///
/// Pieces of the same colours are alike, and so are turns of a piece that change no colour.
///
/// ```
/// use twistbase_definition::Geometry;
///
/// let skewb = Geometry::parse("c v 0 hold UFR moves R=DBR,U=UBL,L=DLF,B=DLB")?;
/// assert_eq!(skewb.definition().group_order().to_string(), "3149280");
/// assert_eq!(skewb.stickers().len(), 30);
/// assert_eq!(Geometry::parse("c f 0.333")?.definition().group_order().to_string(), "43252003274489856000");
/// assert_eq!(Geometry::parse("3x3x1")?.definition().group_order().to_string(), "192");
/// # Ok::<(), twistbase_core::error::Error>(())
/// ```
#[derive(Debug)]
pub struct Geometry {
    solid: Solid,
    cut: CutSolid,
    frames: Frames,
    /// For each sticker, whether its piece is part of the puzzle.
    has_colour: Vec<bool>,
    /// What each move of the definition turns.
    turns: Vec<LayerTurn>,
    definition: PuzzleDefinition,
}

/// A turn of some pieces about an axis.
#[derive(Debug, Clone, PartialEq)]
pub struct LayerTurn {
    /// The axis, of length 1.
    pub axis: Vector,
    /// By how much, by the right-hand rule.
    pub degrees: f64,
    /// The places that turn, by the numbers of the pieces that are there when solved, and where their pieces go.
    pub places: Vec<[usize; 2]>,
}

/// A part of a piece's surface: its corners, anticlockwise from outside, and the number of its sticker, if it has one.
pub type PieceFacet = (Vec<Vector>, Option<usize>);

impl Geometry {
    /// Reads a line.
    ///
    /// # Errors
    /// [`Error::Invalid`](twistbase_core::error::Error::Invalid) with every reason and its place.
    pub fn parse(text: &str) -> Result<Self> {
        let Spec { solid, cut, turns, wide, without, text: line } = Spec::parse(text)?;
        let mut frames = Frames::new(&solid.faces, &cut, turns.iter().map(|turn| &turn.moved));
        let names: Vec<String> = frames.orbits().map(|orbit| orbit.name).collect();
        let (mut has_colour, mut unknown) = (vec![true; cut.stickers.len()], Vec::new());
        for (name, at) in without {
            match frames.leave_out(&name) {
                Some(stickers) => stickers.into_iter().for_each(|sticker| has_colour[sticker] = false),
                None if names.contains(&name) => {}
                None => {
                    let message = format!("no orbit is called {name}; there are {}", names.join(" "));
                    unknown.push(Problem { code: "unknown-orbit", message, at: Some(at) });
                }
            }
        }
        if !unknown.is_empty() {
            return Err(invalid(text, unknown));
        }
        let refused = |reason: &str| invalid(text, vec![of_all(reason)]);
        let mut added = Vec::new();
        for orbit in frames.orbits() {
            if orbit.pieces > LARGEST {
                let Orbit { name, pieces, .. } = orbit;
                return Err(refused(&format!("the orbit {name} has {pieces} pieces, and {LARGEST} are the most")));
            }
            add_orbit(&mut added, orbit).map_err(|(_, reason)| refused(&reason))?;
        }
        let mut solved = solved_of(&added);
        frames.looks(&cut).enumerate().for_each(|(place, piece)| solved.pieces[place] = piece);
        let mut definition = PuzzleDefinition {
            name: String::new(),
            orbits: added,
            solved,
            moves: Vec::new(),
            derived: Vec::new(),
            illegal: Vec::new(),
            quarter_turns: false,
            up_to: Vec::new(),
            geometry: line,
            goals: Vec::new(),
        };
        let mut layer_turns = Vec::new();
        for turn in turns {
            let transformation = frames.transformation(&turn.moved);
            match power_of(&definition, &transformation) {
                // The same turn from the other end, or of the rest: another name for it.
                Some(sequence) => definition.derived.push(Derived { name: turn.name, sequence, transformation }),
                None => {
                    definition.add_move(&turn.name, transformation).map_err(|(_, reason)| refused(&reason))?;
                    let to = |piece: usize| cut.stickers[turn.moved[cut.pieces[piece].stickers[0]]].piece;
                    let turned = (0..cut.pieces.len()).filter(|&piece| turn.is_moved(&cut, piece));
                    let places = turned.map(|piece| [piece, to(piece)]).collect();
                    layer_turns.push(LayerTurn { axis: turn.axis, degrees: turn.degrees, places });
                }
            }
        }
        for [name, sequence] in wide {
            let known = definition.transformation_of(&sequence);
            let transformation = known.map_err(|word| refused(&format!("{word} is no move")))?;
            definition.derived.push(Derived { name, sequence, transformation });
        }
        let definition = definition.finished(text, Vec::new())?;
        Ok(Self { solid, cut, frames, has_colour, turns: layer_turns, definition })
    }

    /// The geometry that people know by a name: `fto`, `megaminx`, `4x4x4`, or a box by its sizes; `None` if there is none.
    pub fn named(name: &str) -> Option<Self> {
        let known = known::KNOWN.iter().find(|[known, ..]| *known == name).map(|[.., line]| *line);
        let is_box = name.starts_with(|c: char| c.is_ascii_digit()) && !name.contains(char::is_whitespace);
        Self::parse(known.or(is_box.then_some(name))?).ok()
    }

    /// The names of [`named`](Self::named), without those of boxes.
    pub fn names() -> impl Iterator<Item = &'static str> {
        known::KNOWN.iter().map(|[name, ..]| *name)
    }

    /// The name to show to people of one of the [`names`](Self::names).
    pub fn title_of(name: &str) -> Option<&'static str> {
        known::KNOWN.iter().find(|[known, ..]| *known == name).map(|[_, title, _]| *title)
    }

    /// The puzzle. It has no name.
    pub fn definition(&self) -> &PuzzleDefinition {
        &self.definition
    }

    /// The faces of the solid.
    pub fn faces(&self) -> &[Face] {
        &self.solid.faces
    }

    /// The stickers.
    pub fn stickers(&self) -> &[Sticker] {
        &self.cut.stickers
    }

    /// How far the solid reaches.
    pub fn radius(&self) -> f64 {
        self.solid.radius()
    }

    /// The name of a piece: of its faces.
    pub fn piece_name(&self, piece: usize) -> String {
        frames::piece_name(&self.solid.faces, &self.cut, piece)
    }

    /// For each place of the definition, the name of the piece that belongs there. Several may have one name.
    pub fn place_names(&self) -> Vec<String> {
        let piece = |sticker: usize| self.cut.stickers[sticker].piece;
        self.frames.first_stickers().map(|sticker| self.piece_name(piece(sticker))).collect()
    }

    /// For each sticker, the face whose colour it has in a position; `None` where the puzzle has no piece.
    ///
    /// # Panics
    /// If it is a position of another puzzle.
    pub fn colours(&self, pattern: &Pattern) -> Vec<Option<usize>> {
        let own = self.cut.stickers.iter().zip(&self.has_colour);
        let mut colours: Vec<_> = own.map(|(sticker, has_colour)| has_colour.then_some(sticker.face)).collect();
        for (at, sticker) in self.frames.shown(&self.definition, pattern) {
            colours[at] = Some(self.cut.stickers[sticker].face);
        }
        colours
    }

    /// For each sticker of a piece that moves, its name in pictures of cubing.js: `CORNER-l2-o1`, orbit, place and orientation.
    pub fn sticker_ids(&self) -> Vec<Option<String>> {
        let mut ids = vec![None; self.cut.stickers.len()];
        self.frames.ids().for_each(|(sticker, id)| ids[sticker] = Some(id));
        ids
    }

    /// What a move of the definition turns.
    ///
    /// # Panics
    /// If there is no move of that number.
    pub fn turn(&self, number: usize) -> &LayerTurn {
        &self.turns[number]
    }

    /// The surface of each piece.
    pub fn pieces(&self) -> Vec<Vec<PieceFacet>> {
        self.cut.pieces.iter().map(|piece| self.surface(&piece.layers, &piece.stickers)).collect()
    }

    /// The part of the solid between the planes around a piece.
    fn surface(&self, layers: &[usize], stickers: &[usize]) -> Vec<PieceFacet> {
        let mut facets: Vec<(Vec<Vector>, Option<usize>)> =
            self.solid.faces.iter().enumerate().map(|(face, of)| (of.corners.clone(), Some(face))).collect();
        for (line, &layer) in self.cut.lines.iter().zip(layers) {
            // The planes above and below the layer.
            let above = layer.checked_sub(1).map(|above| (line.offsets[above], false));
            let below = line.offsets.get(layer).map(|&below| (below, true));
            for (offset, is_beyond) in above.into_iter().chain(below) {
                facets = facets
                    .into_iter()
                    .map(|(corners, face)| (side(&corners, line.direction, offset, is_beyond), face))
                    .filter(|(corners, _)| corners.len() > 2)
                    .collect();
                let outward = line.direction.times(if is_beyond { -1.0 } else { 1.0 });
                let mut rim: Vec<Vector> = Vec::new();
                for &corner in facets.iter().flat_map(|(corners, _)| corners) {
                    if cut::is_on(corner, line.direction, offset)
                        && !rim.iter().any(|&known| cut::is_one(known, corner))
                    {
                        rim.push(corner);
                    }
                }
                if rim.len() > 2 {
                    facets.push((anticlockwise(rim, outward), None));
                }
            }
        }
        let sticker_on =
            |face: usize| stickers.iter().copied().find(|&sticker| self.cut.stickers[sticker].face == face);
        facets.into_iter().map(|(corners, face)| (corners, face.and_then(sticker_on))).collect()
    }
}

/// A move as a power of one of the definition; `None` if there is no such power.
fn power_of(definition: &PuzzleDefinition, transformation: &Transformation) -> Option<String> {
    definition.moves.iter().find_map(|Move { name, transformation: one, order, .. }| {
        let mut power = one.clone();
        for amount in 1..*order {
            if power == *transformation {
                return Some(power_name(name, amount, *order));
            }
            power = definition.compose(&power, one);
        }
        None
    })
}
