//! A solid cut by planes: its stickers, its pieces, and what turns of layers do to them.

use std::collections::BTreeMap;

use twistbase_core::math::vector::Vector;

use super::solid::{Cut, GripKind, NEAR, Solid, near};

/// How near a place is to a plane through it.
const ON_PLANE: f64 = 1e-6;

/// The most stickers of a puzzle.
const MOST_STICKERS: usize = 4_000;

/// Parallel planes, and the layers between them. Layers count from where the direction points.
#[derive(Debug)]
pub(super) struct Line {
    /// Of length 1.
    pub direction: Vector,
    /// How far out the planes are, falling.
    pub offsets: Vec<f64>,
    /// The number of turns that make a whole one.
    pub order: u32,
    /// The names of both ends.
    pub names: [String; 2],
    /// What cubers write after a name: `2` where a face of a box turns by halves alone.
    pub amount: &'static str,
    /// For each sticker, where a turn of the whole puzzle takes it, clockwise for whoever looks at the first end.
    pub turned: Vec<usize>,
}

impl Line {
    pub fn layers(&self) -> usize {
        self.offsets.len() + 1
    }

    /// The layer that holds the centre of the puzzle; `None` if a plane goes through it.
    pub fn middle(&self) -> Option<usize> {
        let is_through = self.offsets.iter().any(|offset| offset.abs() < ON_PLANE);
        (!is_through).then(|| self.offsets.iter().filter(|&&offset| offset > 0.0).count())
    }
}

/// A polygon of one colour on the surface.
#[derive(Debug, Clone, PartialEq)]
pub struct Sticker {
    /// The number of its face.
    pub face: usize,
    /// Its corners, anticlockwise for whoever looks at it from outside.
    pub corners: Vec<Vector>,
    /// The number of its piece.
    pub piece: usize,
}

/// A space between the planes: the layer on each line.
#[derive(Debug)]
pub(super) struct Piece {
    pub layers: Vec<usize>,
    pub stickers: Vec<usize>,
}

/// A solid that is cut.
#[derive(Debug)]
pub(super) struct CutSolid {
    pub lines: Vec<Line>,
    pub stickers: Vec<Sticker>,
    pub pieces: Vec<Piece>,
}

impl CutSolid {
    /// Cuts a solid.
    ///
    /// # Errors
    /// Why that cannot be done.
    pub fn new(solid: &Solid, cuts: &[Cut]) -> Result<Self, String> {
        let mut lines: Vec<Line> = Vec::new();
        for &(grip, distance) in cuts {
            let grip = &solid.grips[grip];
            let back = grip.direction.times(-1.0);
            let known =
                lines.iter().position(|line| near(line.direction, grip.direction) || near(line.direction, back));
            let number = known.unwrap_or_else(|| {
                let name_at = |direction: Vector| {
                    let at = solid.grips.iter().find(|grip| near(grip.direction, direction));
                    at.map_or_else(String::new, |grip| grip.name.clone())
                };
                let names = [grip.direction, back].map(name_at);
                let (direction, order) = (grip.direction, grip.order);
                let amount = if grip.kind == GripKind::Face && order == 2 { "2" } else { "" };
                lines.push(Line { direction, offsets: Vec::new(), order, names, amount, turned: Vec::new() });
                lines.len() - 1
            });
            let line = &mut lines[number];
            let offset = if near(line.direction, grip.direction) { distance } else { -distance };
            if !line.offsets.iter().any(|known| (known - offset).abs() < ON_PLANE) {
                line.offsets.push(offset);
            }
        }
        lines.iter_mut().for_each(|line| line.offsets.sort_by(|one, other| other.total_cmp(one)));
        let too_many = || format!("the cuts make more than {MOST_STICKERS} stickers");
        let polygons = polygons(solid, &lines).ok_or_else(too_many)?;
        let layers_of = |corners: &[Vector]| -> Vec<usize> {
            let middle = Vector::centroid(corners.iter().copied());
            let layer =
                |line: &Line| line.offsets.iter().filter(|&&offset| middle.dot(line.direction) < offset).count();
            lines.iter().map(layer).collect()
        };
        let mut at: BTreeMap<(Vec<usize>, usize), usize> = BTreeMap::new();
        let mut pieces: Vec<Piece> = Vec::new();
        let mut stickers = Vec::new();
        let mut piece_at: BTreeMap<Vec<usize>, usize> = BTreeMap::new();
        for (face, corners) in polygons {
            let layers = layers_of(&corners);
            let piece = *piece_at.entry(layers.clone()).or_insert_with(|| {
                pieces.push(Piece { layers: layers.clone(), stickers: Vec::new() });
                pieces.len() - 1
            });
            pieces[piece].stickers.push(stickers.len());
            at.insert((layers, face), stickers.len());
            stickers.push(Sticker { face, corners, piece });
        }
        for number in 0..lines.len() {
            let turned = {
                let (axis, degrees) = (lines[number].direction, -360.0 / f64::from(lines[number].order));
                // What a line becomes, and whether its ends change places.
                let image = |line: &Line| {
                    let there = line.direction.turned(axis, degrees);
                    let same = lines.iter().position(|other| near(other.direction, there));
                    let back = || lines.iter().position(|other| near(other.direction, there.times(-1.0)));
                    same.map(|same| (same, false)).or_else(|| Some((back()?, true)))
                };
                let images: Vec<_> = lines.iter().map(|line| image(line).expect("the solid is symmetric")).collect();
                let faces: Vec<usize> = solid
                    .faces
                    .iter()
                    .map(|face| {
                        let there = face.normal.turned(axis, degrees);
                        solid.faces.iter().position(|other| near(other.normal, there)).expect("the solid is symmetric")
                    })
                    .collect();
                // Of planes that meet in nearly one place, some may seem to and others not.
                let unclear = "stickers are too small to distinguish; give the distances with more digits";
                let turned = |sticker: &Sticker| {
                    let mut layers = vec![0; lines.len()];
                    for (&layer, &(line, is_back)) in pieces[sticker.piece].layers.iter().zip(&images) {
                        layers[line] = if is_back { lines[line].layers() - 1 - layer } else { layer };
                    }
                    at.get(&(layers, faces[sticker.face])).copied().ok_or_else(|| unclear.to_owned())
                };
                stickers.iter().map(turned).collect::<Result<_, _>>()?
            };
            lines[number].turned = turned;
        }
        Ok(Self { lines, stickers, pieces })
    }
}

/// The polygons that the planes cut the faces into, with their faces.
fn polygons(solid: &Solid, lines: &[Line]) -> Option<Vec<(usize, Vec<Vector>)>> {
    let mut polygons: Vec<_> = solid.faces.iter().map(|face| face.corners.clone()).enumerate().collect();
    for line in lines {
        for &offset in &line.offsets {
            let mut cut = Vec::new();
            for (face, corners) in polygons {
                let sides = [false, true].map(|is_beyond| side(&corners, line.direction, offset, is_beyond));
                cut.extend(sides.into_iter().filter(|side| side.len() > 2).map(|side| (face, side)));
            }
            polygons = cut;
            if polygons.len() > MOST_STICKERS {
                return None;
            }
        }
    }
    Some(polygons)
}

/// The part of a convex polygon on one side of a plane; fewer than three corners if it is empty.
pub(super) fn side(corners: &[Vector], direction: Vector, offset: f64, is_beyond: bool) -> Vec<Vector> {
    let sign = if is_beyond { 1.0 } else { -1.0 };
    let outs: Vec<f64> = corners.iter().map(|corner| sign * (corner.dot(direction) - offset)).collect();
    if outs.iter().all(|&out| out < ON_PLANE) {
        return Vec::new();
    }
    let mut left = Vec::new();
    for (at, (&corner, &out)) in corners.iter().zip(&outs).enumerate() {
        let next = (at + 1) % corners.len();
        if out > -ON_PLANE {
            left.push(corner);
        }
        if out.abs() >= ON_PLANE && outs[next].abs() >= ON_PLANE && (out > 0.0) != (outs[next] > 0.0) {
            left.push(corner.plus(corners[next].from(corner).times(out / (out - outs[next]))));
        }
    }
    left
}

/// Whether a place is on a plane.
pub(super) fn is_on(place: Vector, direction: Vector, offset: f64) -> bool {
    (place.dot(direction) - offset).abs() < ON_PLANE
}

/// Whether two corners are one.
pub(super) fn is_one(one: Vector, other: Vector) -> bool {
    let way = one.from(other);
    way.dot(way) < (2.0 * ON_PLANE).powi(2)
}

/// Whether a cut at a distance divides the solid.
pub(super) fn divides(solid: &Solid, kind: GripKind, distance: f64) -> bool {
    let grip = solid.grips.iter().find(|grip| grip.kind == kind).expect("every solid has grips of each kind");
    let corners = || solid.faces.iter().flat_map(|face| &face.corners).map(|corner| corner.dot(grip.direction));
    let (least, most) = (corners().fold(f64::INFINITY, f64::min), corners().fold(f64::NEG_INFINITY, f64::max));
    distance.is_finite() && distance < most - ON_PLANE - NEAR && distance > least + ON_PLANE + NEAR
}
