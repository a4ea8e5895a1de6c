//! Scenes of positions, for printing.

use serde::Serialize;

use super::PuzzlePosition;
use twistbase_core::error::Result;
use twistbase_picture::{ColourScheme, Scene};

/// A position and moves from there on, as a scene in space: `schema/json/scene.json`.
#[derive(Debug, Clone, Serialize)]
pub struct SceneReport {
    /// The input.
    pub input: String,
    /// The puzzle.
    pub puzzle: &'static str,
    /// The colours.
    pub colours: &'static str,
    /// The pieces, and the pieces that each move turns.
    #[serde(flatten)]
    pub scene: Scene,
}

impl SceneReport {
    /// The scene of a position, and of moves from it; reports the position as `input`.
    ///
    /// # Errors
    /// Those of [`PuzzlePosition::picture`].
    pub fn new(position: &PuzzlePosition, input: &str, moves: &str, colours: ColourScheme) -> Result<Self> {
        let scene = position.picture(moves)?.scene(colours);
        Ok(Self { input: input.to_owned(), puzzle: position.puzzle(), colours: colours.name(), scene })
    }
}
