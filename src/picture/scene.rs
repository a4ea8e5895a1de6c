//! Scenes: a puzzle as convex solids in space, and moves as turns of some of them.

use serde::Serialize;

use super::colour::Colour;

/// A place or a direction in space: x to the right, y up, z towards the reader. The puzzle's centre is the origin, and half
/// its edge is the unit.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(into = "[f64; 3]")]
pub struct Vector {
    /// To the right.
    pub x: f64,
    /// Up.
    pub y: f64,
    /// Towards the reader.
    pub z: f64,
}

impl From<Vector> for [f64; 3] {
    /// Six decimals: more than any screen shows.
    fn from(Vector { x, y, z }: Vector) -> Self {
        [x, y, z].map(|part| (part * 1e6).round() / 1e6 + 0.0)
    }
}

impl Vector {
    /// The origin.
    pub const ORIGIN: Self = Self::new(0.0, 0.0, 0.0);

    /// A vector by its parts.
    pub const fn new(x: f64, y: f64, z: f64) -> Self {
        Self { x, y, z }
    }

    /// The mean of places; the origin if there are none.
    #[must_use]
    pub fn centroid(places: impl IntoIterator<Item = Self>) -> Self {
        let (sum, count) =
            places.into_iter().fold((Self::ORIGIN, 0_u32), |(sum, count), place| (sum.plus(place), count + 1));
        sum.times(1.0 / f64::from(count.max(1)))
    }

    /// The sum of two vectors.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self::new(self.x + other.x, self.y + other.y, self.z + other.z)
    }

    /// The vector `factor` times as long.
    #[must_use]
    pub fn times(self, factor: f64) -> Self {
        Self::new(self.x * factor, self.y * factor, self.z * factor)
    }

    /// The way from another place to this one.
    #[must_use]
    pub fn from(self, other: Self) -> Self {
        self.plus(other.times(-1.0))
    }

    /// The product of the lengths and the cosine between them.
    pub fn dot(self, other: Self) -> f64 {
        self.x * other.x + self.y * other.y + self.z * other.z
    }

    /// The vector that is perpendicular to both, by the right-hand rule.
    #[must_use]
    pub fn cross(self, other: Self) -> Self {
        Self::new(
            self.y * other.z - self.z * other.y,
            self.z * other.x - self.x * other.z,
            self.x * other.y - self.y * other.x,
        )
    }

    /// The vector turned about an axis of length 1 by the right-hand rule (Rodrigues' formula).
    #[must_use]
    pub fn turned(self, axis: Self, degrees: f64) -> Self {
        let (sine, cosine) = degrees.to_radians().sin_cos();
        let along = axis.times(axis.dot(self) * (1.0 - cosine));
        self.times(cosine).plus(axis.cross(self).times(sine)).plus(along)
    }
}

/// A face of a solid: a convex polygon.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Facet {
    /// Its corners, anticlockwise for whoever looks at it from outside.
    pub corners: Vec<Vector>,
    /// Its colour; `None` where no sticker is.
    pub colour: Option<Colour>,
    /// Which character of [`Scene::written`] stands for its sticker, or for its piece.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<usize>,
}

impl Facet {
    /// The direction out of the solid. Its length is of no meaning.
    pub fn outward(&self) -> Vector {
        match self.corners[..] {
            [a, b, c, ..] => b.from(a).cross(c.from(a)),
            _ => Vector::ORIGIN,
        }
    }

    /// How far a place is from the plane of the facet, outside of the solid if it is positive; in lengths of
    /// [`outward`](Facet::outward).
    pub fn outside(&self, place: Vector) -> f64 {
        self.outward().dot(place.from(self.corners[0]))
    }
}

/// A convex solid: a piece of the puzzle.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Solid {
    /// Its name among the solids of the scene, in the literature's letters (`URF`, `UR`, `U`; a digit for a piece of Square-1).
    pub name: String,
    /// Its faces.
    pub facets: Vec<Facet>,
}

impl Solid {
    /// The solid turned about an axis of length 1 through the origin.
    #[must_use]
    pub fn turned(&self, axis: Vector, degrees: f64) -> Self {
        let turned = |facet: &Facet| Facet {
            corners: facet.corners.iter().map(|corner| corner.turned(axis, degrees)).collect(),
            ..*facet
        };
        Self { name: self.name.clone(), facets: self.facets.iter().map(turned).collect() }
    }

    /// The mean of the corners of its faces.
    pub fn centre(&self) -> Vector {
        Vector::centroid(self.facets.iter().flat_map(|facet| facet.corners.iter().copied()))
    }
}

/// A turn of some solids at once, about an axis through the origin.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SolidTurn {
    /// The axis, of length 1.
    pub axis: Vector,
    /// By how much, by the right-hand rule.
    pub degrees: f64,
    /// The numbers of the solids that turn.
    pub solids: Vec<usize>,
}

/// A move: turns that are made at the same time.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SceneStep {
    /// The move as it is written.
    pub text: String,
    /// The move that undoes it.
    pub undo: String,
    /// What turns.
    pub turns: Vec<SolidTurn>,
}

impl SceneStep {
    /// Turns the solids of a scene.
    pub fn make(&self, solids: &mut [Solid]) {
        for turn in &self.turns {
            for &solid in &turn.solids {
                solids[solid] = solids[solid].turned(turn.axis, turn.degrees);
            }
        }
    }
}

/// A move that can be made, and where it leads.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SceneChoice {
    /// The move.
    #[serde(flatten)]
    pub step: SceneStep,
    /// The key by which people make it, where there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key: Option<char>,
    /// Where it leads; `None` where a big piece of Square-1 lies across the ends of a layer.
    pub position: Option<String>,
    /// All moves from the scene's position to there.
    pub moves: String,
}

/// What a letter of [`Scene::written`] stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct LetterColour {
    /// The letter.
    pub letter: char,
    /// The colour of stickers with that letter.
    pub colour: Colour,
}

/// A puzzle in space, moves from there on, and the moves that can follow: all that a player needs to know of a puzzle. As JSON:
/// `schema/json/scene.json`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Scene {
    /// The position, a character for each sticker or piece.
    pub written: String,
    /// The letters of stickers; none where characters stand for pieces.
    pub letters: Vec<LetterColour>,
    /// The pieces.
    pub solids: Vec<Solid>,
    /// The moves.
    pub steps: Vec<SceneStep>,
    /// The position after them; `None` where a big piece of Square-1 lies across the ends of a layer.
    pub leads_to: Option<String>,
    /// The moves that can be made after these.
    pub choices: Vec<SceneChoice>,
}

impl Scene {
    /// The solids after all steps.
    #[must_use]
    pub fn end(&self) -> Vec<Solid> {
        let mut solids = self.solids.clone();
        self.steps.iter().for_each(|step| step.make(&mut solids));
        solids
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quarter_turns_follow_the_right_hand_rule() {
        let up = Vector::new(0.0, 1.0, 0.0);
        let turned: [f64; 3] = Vector::new(0.0, 0.5, 1.0).turned(up, 90.0).into();
        assert_eq!(turned, [1.0, 0.5, 0.0]);
    }

    #[test]
    fn a_centroid_is_the_mean_of_places() {
        let places = [Vector::new(3.0, 0.0, -1.0), Vector::ORIGIN, Vector::new(0.0, 6.0, 4.0)];
        assert_eq!(<[f64; 3]>::from(Vector::centroid(places)), [1.0, 2.0, 1.0]);
        assert_eq!(Vector::centroid([]), Vector::ORIGIN);
    }
}
