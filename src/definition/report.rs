//! What follows from a definition, as JSON: `schema/json/definition.json`.

use serde::Serialize;

use super::goals::NamedGoal;
use super::model::{Move, Orbit, PuzzleDefinition};
use super::space::PuzzleSpace;

/// A definition and what follows from it: `schema/json/definition.json`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct DefinitionReport {
    /// Its name; empty if the file gives none.
    pub name: String,
    /// The line of its [geometry](super::Geometry); `None` if it has none.
    pub geometry: Option<String>,
    /// The orbits.
    pub orbits: Vec<OrbitReport>,
    /// The moves and rotations, in the order of the file.
    pub moves: Vec<MoveReport>,
    /// The number of turns: moves and their powers, without rotations, each once.
    pub turns: usize,
    /// The number of elements of the group, in decimal digits: it may be larger than 64 bits.
    pub group_order: String,
    /// The sequences up to which it is solved.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub up_to: Vec<String>,
    /// The goals other than solved.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub goals: Vec<GoalReport>,
    /// The number of positions that the moves reach, in decimal digits: of cosets, if it is solved up to moves. `None` where pieces look
    /// alike, orientations are ignored or positions are illegal, and of too many cosets.
    pub positions: Option<String>,
    /// The number of symmetries, mirrors and the identity included; `None` where positions are illegal, or where the search for
    /// symmetries takes more than some seconds.
    pub symmetries: Option<usize>,
}

/// Pieces that can take each other's places.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct OrbitReport {
    /// The name of the orbit.
    pub orbit: String,
    /// The number of pieces.
    pub pieces: usize,
    /// The number of orientations of each.
    pub orientations: usize,
    /// How many kinds of pieces look different when solved.
    pub kinds: usize,
}

/// A move of the file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct MoveReport {
    /// Its name.
    #[serde(rename = "move")]
    pub name: String,
    /// The smallest number of repetitions that changes nothing.
    pub order: u64,
    /// Whether it turns the whole puzzle.
    pub rotation: bool,
}

/// A goal other than solved.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct GoalReport {
    /// Its name.
    #[serde(rename = "goal")]
    pub name: String,
    /// What counts, as a [restriction](super::Restriction) of the puzzle.
    pub restriction: String,
}

impl PuzzleDefinition {
    /// Collects what follows from the definition.
    pub fn report(&self) -> DefinitionReport {
        let orbit = |(orbit, range): (&Orbit, std::ops::Range<usize>)| {
            let Orbit { name, pieces, orientations } = orbit.clone();
            OrbitReport { orbit: name, pieces, orientations, kinds: self.kinds(range) }
        };
        let of_move = |one: &Move| MoveReport { name: one.name.clone(), order: one.order, rotation: one.is_rotation };
        let goal = |goal: &NamedGoal| GoalReport { name: goal.name.clone(), restriction: goal.restriction.clone() };
        let group_order = self.group_order().to_string();
        // Rotations are no steps of solutions: what they alone reach is no position of the puzzle.
        let is_group =
            self.tells_all_apart() && self.illegal.is_empty() && !self.moves.iter().any(|one| one.is_rotation);
        let positions = match self.up_to.is_empty() {
            true => is_group.then(|| group_order.clone()),
            false => PuzzleSpace::new(self.clone()).ok().map(|space| space.states().to_string()),
        };
        DefinitionReport {
            name: self.name.clone(),
            geometry: (!self.geometry.is_empty()).then(|| self.geometry.clone()),
            orbits: self.ranges().map(orbit).collect(),
            moves: self.moves.iter().map(of_move).collect(),
            turns: self.turns().len(),
            up_to: self.up_to.iter().map(|of| of.sequence.clone()).collect(),
            goals: self.goals.iter().map(goal).collect(),
            positions,
            group_order,
            symmetries: self.symmetries(),
        }
    }
}
