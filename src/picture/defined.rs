//! Puzzles from a geometry: laid out flat, in perspective, and in space.

use std::sync::Arc;

use super::Viewpoint;
use super::colour::{Colour, ColourScheme};
use super::drawing::{Drawing, Point, Tile};
use super::perspective;
use super::scene::{Facet, Scene, SceneChoice, SceneStep, Solid, SolidTurn};
use twistbase_core::error::Result;
use twistbase_core::math::vector::Vector;
use twistbase_definition::{Face, Geometry, Pattern, PieceFacet, SequenceStep, Sticker, Turn};

/// The distance of a puzzle's corners from its centre: that of a cube.
const RADIUS: f64 = 1.732_050_807_568_877_2;

/// The face whose colour a sticker has, and this colour; `None` where the puzzle has no piece.
type Shown = Option<(usize, Colour)>;

/// A position, and moves from there on.
#[derive(Debug, Clone)]
pub(super) struct DefinedPicture {
    geometry: Arc<Geometry>,
    position: Pattern,
    steps: Vec<SequenceStep>,
}

impl DefinedPicture {
    pub fn new(geometry: &Arc<Geometry>, position: &Pattern, moves: &str) -> Result<Self> {
        let steps = geometry.definition().steps(moves)?;
        Ok(Self { geometry: Arc::clone(geometry), position: position.clone(), steps })
    }

    /// What each sticker shows.
    fn colours(&self, scheme: ColourScheme) -> Vec<Shown> {
        let names: Vec<&str> = self.geometry.faces().iter().map(|face| face.name).collect();
        let of_face = scheme.of_faces(&names);
        let shown = |face: Option<usize>| face.map(|face| (face, of_face[face]));
        self.geometry.colours(&self.position).into_iter().map(shown).collect()
    }

    fn scale(&self) -> f64 {
        RADIUS / self.geometry.radius()
    }

    pub fn drawing(&self, view: Viewpoint, scheme: ColourScheme) -> Drawing {
        match view {
            Viewpoint::Flat => self.net(scheme),
            Viewpoint::Perspective => perspective::surface(&self.facets(scheme)),
        }
    }

    /// The stickers in space.
    fn facets(&self, scheme: ColourScheme) -> Vec<(Facet, char)> {
        let scaled = |corner: &Vector| corner.times(self.scale());
        let stickers = self.geometry.stickers().iter().zip(self.colours(scheme));
        let facet = |(sticker, shown): (&Sticker, Shown)| {
            let (corners, colour) = (sticker.corners.iter().map(scaled).collect(), shown.map(|(_, colour)| colour));
            (Facet { corners, colour, at: None }, letter(self.geometry.faces(), shown))
        };
        stickers.map(facet).collect()
    }

    /// The faces laid out flat, each beside one that it shares an edge with. Stickers have the names that cubing.js gives them.
    fn net(&self, scheme: ColourScheme) -> Drawing {
        let layout = Layout::of(self.geometry.faces(), self.scale());
        let stickers = self.geometry.stickers().iter().zip(self.colours(scheme)).zip(self.geometry.sticker_ids());
        let tile = |((sticker, shown), id): ((&Sticker, Shown), Option<String>)| {
            let outline: Vec<Point> =
                sticker.corners.iter().map(|&corner| layout.place(sticker.face, corner)).collect();
            let face = &self.geometry.faces()[sticker.face];
            let colour = shown.map_or(Colour::BODY, |(_, colour)| colour);
            let tile = Tile { outline, colour, letter: letter(self.geometry.faces(), shown), label: None, id };
            let middle = layout.place(sticker.face, face.normal);
            let is_own = shown.is_some_and(|(shown, _)| shown == sticker.face);
            let is_named = face.name.len() == 1 && is_own && tile.holds(middle);
            if is_named { tile.labelled(middle) } else { tile }
        };
        let tiles = stickers.map(tile).collect();
        Drawing { width: layout.width, height: layout.height, tiles }
    }

    pub fn scene(&self, scheme: ColourScheme) -> Scene {
        let definition = self.geometry.definition();
        let solids = self.solids(scheme);
        let mut places: Vec<usize> = (0..solids.len()).collect();
        let steps = self.steps.iter().map(|step| self.step(step, &mut places)).collect();
        let text = |pattern: &Pattern| definition.kpattern(pattern).to_string();
        let sequence = self.steps.iter().map(|step| step.text.as_str()).collect::<Vec<_>>().join(" ");
        let all = definition.read_sequence(&sequence).expect("words that were read");
        let end = definition.apply(&self.position, &all);
        let choice = |Turn { name, of, transformation }: Turn| {
            // `R2` has the letter of R where there are no quarter turns.
            let letter = if definition.moves[of].order == 2 { name.trim_end_matches('2') } else { name.as_str() };
            let step = definition.steps(&name).expect("a turn").swap_remove(0);
            let moves = if sequence.is_empty() { name.clone() } else { format!("{sequence} {name}") };
            SceneChoice {
                key: key(letter),
                step: self.step(&step, &mut places.clone()),
                position: Some(text(&definition.apply(&end, &transformation))),
                moves,
            }
        };
        let choices = definition.turns().into_iter().map(choice).collect();
        let (written, letters) = (text(&self.position), Vec::new());
        Scene { written, letters, solids, steps, leads_to: Some(text(&end)), choices }
    }

    /// The pieces in their places, each as the solid of the solved piece there: turns of a puzzle preserve its shape.
    fn solids(&self, scheme: ColourScheme) -> Vec<Solid> {
        let (colours, scale) = (self.colours(scheme), self.scale());
        let solid = |(place, facets): (usize, Vec<PieceFacet>)| {
            let facet = |(corners, sticker): PieceFacet| Facet {
                corners: corners.into_iter().map(|corner| corner.times(scale)).collect(),
                colour: sticker.and_then(|sticker| colours[sticker]).map(|(_, colour)| colour),
                at: None,
            };
            Solid { name: self.geometry.piece_name(place), facets: facets.into_iter().map(facet).collect() }
        };
        self.geometry.pieces().into_iter().enumerate().map(solid).collect()
    }

    /// A step in space, while `places` follows where each solid is.
    fn step(&self, SequenceStep { text, parts }: &SequenceStep, places: &mut [usize]) -> SceneStep {
        let turn = |&(number, amount): &(usize, u64)| {
            let turn = self.geometry.turn(number);
            let to = |place: usize| turn.places.iter().find(|[from, _]| *from == place).map(|[_, to]| *to);
            let solids: Vec<usize> = (0..places.len()).filter(|&solid| to(places[solid]).is_some()).collect();
            for &solid in &solids {
                for _ in 0..amount {
                    places[solid] = to(places[solid]).expect("a layer keeps its places");
                }
            }
            let degrees = turn.degrees * amount as f64;
            let degrees = degrees - 360.0 * (degrees / 360.0).round();
            SolidTurn { axis: turn.axis, degrees, solids }
        };
        let turns = parts.iter().map(turn).collect();
        let undo = text.strip_suffix('\'').map_or_else(|| format!("{text}'"), str::to_owned);
        SceneStep { text: text.clone(), undo, turns }
    }
}

/// The letter of a move that has one, small for a turn and capital for its reverse.
fn key(name: &str) -> Option<char> {
    let (name, is_back) = name.strip_suffix('\'').map_or((name, false), |name| (name, true));
    let mut letters = name.chars();
    let letter = letters.next().filter(|letter| letters.next().is_none() && letter.is_ascii_uppercase())?;
    Some(if is_back { letter } else { letter.to_ascii_lowercase() })
}

/// The character of a colour where there are no colours: the name of its face, or a small letter by its number.
fn letter(faces: &[Face], shown: Shown) -> char {
    let Some((face, _)) = shown else { return ' ' };
    let name = faces[face].name;
    let of_number = || char::from(b'a' + face as u8);
    if name.len() == 1 { name.chars().next().unwrap_or(' ') } else { of_number() }
}

/// How the faces of a solid are laid out flat.
struct Layout {
    /// For each face the directions to the right and down, and where the origin of space would be.
    faces: Vec<[Vector; 2]>,
    origins: Vec<Point>,
    width: f64,
    height: f64,
}

impl Layout {
    /// Around the face in front, in rounds; each face beside the rightmost one of the last round that it shares an edge with. No
    /// way to unfold a Platonic solid or a box lets its faces overlap.
    fn of(faces: &[Face], scale: f64) -> Self {
        let first = faces.iter().position(|face| face.name == "F").unwrap_or(0);
        let up = Vector::new(0.0, 1.0, 0.0);
        let up = up.from(faces[first].normal.times(up.dot(faces[first].normal))).unit();
        let (right, down) = (up.cross(faces[first].normal).times(scale), up.times(-scale));
        let mut placed: Vec<Option<([Vector; 2], Point)>> = vec![None; faces.len()];
        placed[first] = Some(([right, down], Point::new(0.0, 0.0)));
        let mut last = vec![first];
        while !last.is_empty() {
            let mut round = Vec::new();
            for face in 0..faces.len() {
                if placed[face].is_some() {
                    continue;
                }
                let middle = |of: usize| placed[of].map_or(f64::NEG_INFINITY, |at| place(&at, faces[of].normal).x);
                let beside = last.iter().copied().filter(|&of| shared_edge(&faces[of], &faces[face]).is_some());
                if let Some(beside) = beside.max_by(|&one, &other| middle(one).total_cmp(&middle(other))) {
                    round.push((
                        face,
                        unfolded(&faces[beside], &placed[beside].expect("placed in the last round"), &faces[face]),
                    ));
                }
            }
            last = round.iter().map(|&(face, _)| face).collect();
            round.into_iter().for_each(|(face, at)| placed[face] = Some(at));
        }
        let placed: Vec<([Vector; 2], Point)> = placed.into_iter().flatten().collect();
        let corners =
            faces.iter().zip(&placed).flat_map(|(face, at)| face.corners.iter().map(|&corner| place(at, corner)));
        let corners: Vec<Point> = corners.collect();
        let bounds = |part: fn(&Point) -> f64| {
            let parts = corners.iter().map(part);
            [parts.clone().fold(f64::INFINITY, f64::min) - MARGIN, parts.fold(f64::NEG_INFINITY, f64::max) + MARGIN]
        };
        let ([left, end], [top, bottom]) = (bounds(|point| point.x), bounds(|point| point.y));
        let (faces, origins) =
            placed.into_iter().map(|(axes, Point { x, y })| (axes, Point::new(x - left, y - top))).unzip();
        Self { faces, origins, width: end - left, height: bottom - top }
    }

    fn place(&self, face: usize, corner: Vector) -> Point {
        place(&(self.faces[face], self.origins[face]), corner)
    }
}

/// Space around a net.
const MARGIN: f64 = 0.04;

/// Where a place in space is laid out.
fn place(([right, down], origin): &([Vector; 2], Point), corner: Vector) -> Point {
    Point::new(corner.dot(*right) + origin.x, corner.dot(*down) + origin.y)
}

/// The edge of two faces; `None` if they share none.
fn shared_edge(one: &Face, other: &Face) -> Option<[Vector; 2]> {
    let is_shared = |corner: &Vector| other.corners.iter().any(|of| of.from(*corner).dot(of.from(*corner)) < 1e-9);
    let mut shared = one.corners.iter().copied().filter(is_shared);
    Some([shared.next()?, shared.next()?])
}

/// A face laid out beside one that is: turned about their edge into its plane.
fn unfolded(beside: &Face, at: &([Vector; 2], Point), face: &Face) -> ([Vector; 2], Point) {
    let [from, to] = shared_edge(beside, face).expect("faces beside each other");
    let axis = to.from(from).unit();
    let cosine = face.normal.dot(beside.normal);
    let sine = face.normal.cross(beside.normal).dot(axis);
    let degrees = sine.atan2(cosine).to_degrees();
    // What turns the face turns the directions back.
    let axes = at.0.map(|direction| direction.turned(axis, -degrees));
    let edge = place(at, from);
    (axes, Point::new(edge.x - from.dot(axes[0]), edge.y - from.dot(axes[1])))
}

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    use super::*;
    use crate::tests::stickers;

    const SCHEME: ColourScheme = ColourScheme::Wca;

    /// Turning solids in space is another model of a puzzle.
    #[test]
    fn moves_lead_to_the_position_after_them() {
        let mut rng = ChaCha8Rng::seed_from_u64(7);
        for line in [
            "t v 0.333 v 1.667 moves U=Uw,L=Lw,R=Rw,B=Bw,u=U,l=L,r=R,b=B",
            "c v 0 hold UFR",
            "c f 0.5 f 0 hold UFR",
            "c v 0.577 hold UF",
            "c v 1.2 moves all",
            "o f 0.333",
            "d f 0.7",
            "i v 0",
            "2x2x3 hold DBL",
            "3x3x2",
            "3x3x1",
            "t v -0.2 moves U,L,R,B without EDGE",
            "d f 0.618 hold UFR without EDGE,CENTER",
        ] {
            let geometry = Arc::new(Geometry::parse(line).unwrap());
            let definition = geometry.definition();
            let turns = definition.turns();
            let mut words: Vec<&str> = (0..12).map(|_| turns[rng.random_range(0..turns.len())].name.as_str()).collect();
            // Other names of moves, too.
            words.extend(definition.derived.iter().map(|derived| derived.name.as_str()));
            let moves = words.join(" ");
            let after = |moves: &str| definition.apply(&definition.solved, &definition.read_sequence(moves).unwrap());
            let scene_of = |position: &Pattern, moves: &str| {
                DefinedPicture::new(&geometry, position, moves).unwrap().scene(SCHEME)
            };
            let played = scene_of(&definition.solved, &moves);
            assert_eq!(played.steps.len(), words.len());
            let end = scene_of(&after(&moves), "");
            assert_eq!(stickers(&played.end()), stickers(&end.solids), "{line}: {moves}");
            assert_eq!(played.leads_to.as_ref(), Some(&end.written));
            for (choice, turn) in played.choices.iter().zip(&turns) {
                let there = scene_of(&after(&format!("{moves} {}", turn.name)), "");
                assert_eq!((choice.position.as_ref(), &choice.step.text), (Some(&there.written), &turn.name));
                let mut solids = played.end();
                choice.step.make(&mut solids);
                assert_eq!(stickers(&solids), stickers(&there.solids), "{line}: {}", choice.moves);
            }
            // Undone, word by word.
            let undo: Vec<&str> = played.steps.iter().rev().map(|step| step.undo.as_str()).collect();
            assert_eq!(after(&format!("{moves} {}", undo.join(" "))), definition.solved);
        }
    }

    /// The stickers of a net cover it without overlapping, as those of the solid cover its surface.
    #[test]
    fn nets_have_the_size_of_the_surface() {
        for line in
            ["t v 0.333", "c f 0.333", "o f 0.333", "d f 0.7", "i v 0", "3x3x2", "1x2x5", "c v 0 without CORNER"]
        {
            let geometry = Arc::new(Geometry::parse(line).unwrap());
            let picture = DefinedPicture::new(&geometry, &geometry.definition().solved, "").unwrap();
            let net = picture.drawing(Viewpoint::Flat, SCHEME);
            let middles: Vec<Point> = net
                .tiles
                .iter()
                .map(|tile| {
                    let count = tile.outline.len() as f64;
                    let sum = tile.outline.iter().fold((0.0, 0.0), |(x, y), point| (x + point.x, y + point.y));
                    Point::new(sum.0 / count, sum.1 / count)
                })
                .collect();
            for (number, middle) in middles.iter().enumerate() {
                let holding: Vec<usize> = (0..net.tiles.len()).filter(|&tile| net.tiles[tile].holds(*middle)).collect();
                assert_eq!(holding, [number], "{line}");
                assert!((0.0..net.width).contains(&middle.x) && (0.0..net.height).contains(&middle.y));
            }
            let area = |corners: &[Point]| {
                let sides = corners.iter().zip(corners.iter().cycle().skip(1));
                (sides.map(|(from, to)| from.x * to.y - to.x * from.y).sum::<f64>() / 2.0).abs()
            };
            let whole: f64 = geometry
                .faces()
                .iter()
                .map(|face| {
                    let corner = |at: usize| face.corners[at].times(picture.scale());
                    (1..face.corners.len() - 1)
                        .map(|at| {
                            let cross = corner(at).from(corner(0)).cross(corner(at + 1).from(corner(0)));
                            cross.dot(cross).sqrt() / 2.0
                        })
                        .sum::<f64>()
                })
                .sum();
            let laid: f64 = net.tiles.iter().map(|tile| area(&tile.outline)).sum();
            assert!((laid - whole).abs() < 1e-6, "{line}: {laid} {whole}");
        }
    }

    #[test]
    fn every_facet_looks_outward() {
        for line in ["t v 0.333", "c v 0", "d f 0.7", "3x3x1", "4x3x2"] {
            let geometry = Arc::new(Geometry::parse(line).unwrap());
            let solids = DefinedPicture::new(&geometry, &geometry.definition().solved, "").unwrap().solids(SCHEME);
            for solid in &solids {
                assert!(solid.facets.len() > 3, "{}", solid.name);
                assert!(solid.facets.iter().all(|facet| facet.outside(solid.centre()) < 0.0), "{line} {}", solid.name);
            }
        }
    }
}
