//! Scenes as they look from a place.

use super::colour::Colour;
use super::drawing::{Drawing, Point, Tile};
use super::scene::{Facet, Solid};
use twistbase_core::math::vector::Vector;

/// Where the reader's eye is: above, and to the right of the front.
const EYE: Vector = Vector::new(3.4, 3.6, 6.4);
/// How large a sticker is beside its facet.
const STICKER: f64 = 0.9;
/// Space around the puzzle, in half edges.
const MARGIN: f64 = 0.08;

/// Solids as they look from above, right and front.
pub(super) fn drawing(solids: &[Solid]) -> Drawing {
    let view = Camera::new();
    let mut tiles = Vec::new();
    for solid in from_the_farthest(solids) {
        for facet in solid.facets.iter().filter(|facet| facet.outside(EYE) > 0.0) {
            tiles.push(view.tile(&facet.corners, Colour::BODY, &solid.name));
            tiles.extend(facet.colour.map(|colour| view.tile(&shrunk(facet), colour, &solid.name)));
        }
    }
    framed(tiles)
}

/// Facets of a convex puzzle as they look from there, with the letters of their tiles. None hides another.
pub(super) fn surface(facets: &[(Facet, char)]) -> Drawing {
    let view = Camera::new();
    let mut tiles = Vec::new();
    for (facet, letter) in facets.iter().filter(|(facet, _)| facet.outside(EYE) > 0.0) {
        let name = letter.to_string();
        tiles.push(view.tile(&facet.corners, Colour::BODY, &name));
        tiles.extend(facet.colour.map(|colour| view.tile(&shrunk(facet), colour, &name)));
    }
    framed(tiles)
}

/// Puts tiles into a frame with a margin.
fn framed(mut tiles: Vec<Tile>) -> Drawing {
    let points = || tiles.iter().flat_map(|tile| &tile.outline);
    let least = |part: fn(&Point) -> f64| points().map(part).fold(f64::INFINITY, f64::min) - MARGIN;
    let most = |part: fn(&Point) -> f64| points().map(part).fold(f64::NEG_INFINITY, f64::max) + MARGIN;
    let (left, above) = (least(|point| point.x), least(|point| point.y));
    let (width, height) = (most(|point| point.x) - left, most(|point| point.y) - above);
    for point in tiles.iter_mut().flat_map(|tile| &mut tile.outline) {
        *point = Point::new(point.x - left, point.y - above);
    }
    Drawing { width, height, tiles }
}

/// The corners of a facet's sticker.
fn shrunk(facet: &Facet) -> Vec<Vector> {
    let middle = Vector::centroid(facet.corners.iter().copied());
    facet.corners.iter().map(|corner| middle.plus(corner.from(middle).times(STICKER))).collect()
}

/// The eye, and the directions that are seen as to the right and as up.
struct Camera {
    right: Vector,
    up: Vector,
    forward: Vector,
    distance: f64,
}

impl Camera {
    fn new() -> Self {
        let forward = EYE.times(-1.0).unit();
        let right = forward.cross(Vector::new(0.0, 1.0, 0.0)).unit();
        Self { right, up: right.cross(forward), forward, distance: EYE.dot(EYE).sqrt() }
    }

    /// Where a place is seen; the scale is true at the distance of the origin.
    fn point(&self, place: Vector) -> Point {
        let way = place.from(EYE);
        let scale = self.distance / way.dot(self.forward);
        Point::new(way.dot(self.right) * scale, -way.dot(self.up) * scale)
    }

    fn tile(&self, corners: &[Vector], colour: Colour, name: &str) -> Tile {
        let outline = corners.iter().map(|&corner| self.point(corner)).collect();
        Tile { outline, colour, letter: name.chars().next().unwrap_or(' '), label: None, id: None }
    }
}

/// The solids in an order in which none is hidden by one before it. They touch at most, so of any two a face of one has the
/// other on its outside: whichever is on the eye's side of its plane may hide the other.
fn from_the_farthest(solids: &[Solid]) -> Vec<&Solid> {
    let mut left: Vec<&Solid> = solids.iter().collect();
    let mut ordered = Vec::with_capacity(left.len());
    while !left.is_empty() {
        let hides_nothing = |&at: &usize| !left.iter().any(|other| may_hide(left[at], other));
        // There is one, unless solids hide each other in a circle, which those of a puzzle do not.
        let next = (0..left.len()).find(hides_nothing).unwrap_or(0);
        ordered.push(left.remove(next));
    }
    ordered
}

/// Whether a solid may hide another from the eye: some plane between them has the solid on the eye's side, and none has it on
/// the far one.
fn may_hide(solid: &Solid, other: &Solid) -> bool {
    let own = solid.facets.iter().filter(|facet| is_beyond(facet, other)).map(|facet| facet.outside(EYE) < 0.0);
    let others = other.facets.iter().filter(|facet| is_beyond(facet, solid)).map(|facet| facet.outside(EYE) > 0.0);
    let near: Vec<bool> = own.chain(others).collect();
    !std::ptr::eq(solid, other) && near.contains(&true) && !near.contains(&false)
}

/// Whether all of a solid is on the outside of a facet's plane, or touches it.
fn is_beyond(facet: &Facet, solid: &Solid) -> bool {
    const TOUCHING: f64 = 1e-9;
    solid.facets.iter().flat_map(|facet| &facet.corners).all(|&corner| facet.outside(corner) > -TOUCHING)
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;
    use rand_chacha::ChaCha8Rng;

    use super::*;
    use crate::{ColourScheme, square1};
    use twistbase_puzzle::square1::{Colouring, random_position};

    /// In whatever shape the puzzle is, whoever is drawn later is not behind.
    #[test]
    fn no_solid_is_hidden_by_one_before_it() {
        let mut rng = ChaCha8Rng::seed_from_u64(90);
        for _ in 0..40 {
            let position = random_position(&mut rng);
            let solids = square1::solids(&position, Colouring::Square1, ColourScheme::Wca);
            let ordered = from_the_farthest(&solids);
            for (at, solid) in ordered.iter().enumerate() {
                assert!(!ordered[at..].iter().any(|later| may_hide(solid, later)), "{position:?}");
            }
        }
    }
}
