//! Scenes: a puzzle as convex solids in space, and moves as turns of some of them.

use serde::Serialize;

use super::colour::Colour;
use twistbase_core::math::vector::Vector;

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
    /// The key for the move, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key: Option<char>,
    /// The position after the move; `None` for Square-1 with a big piece across the ends of a layer.
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
    /// The position after them; `None` for Square-1 with a big piece across the ends of a layer.
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
