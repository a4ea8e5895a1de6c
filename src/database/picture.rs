//! What is shown of positions, as it is printed.

use serde::Serialize;

use super::Puzzle;
use crate::error::Result;
use crate::picture::{ColourScheme, Scene};

/// A position and moves from there on, as a scene in space: `schema/json/scene.json`.
#[derive(Debug, Clone, Serialize)]
pub struct SceneReport {
    /// The position as it was given.
    pub input: String,
    /// The puzzle.
    pub puzzle: &'static str,
    /// The colours.
    pub colours: &'static str,
    /// The pieces, and what the moves turn.
    #[serde(flatten)]
    pub scene: Scene,
}

impl SceneReport {
    /// The scene of a position of a puzzle, and of moves from there on.
    ///
    /// # Errors
    /// Those of [`Puzzle::read`] and [`PuzzlePosition::picture`](super::PuzzlePosition::picture).
    pub fn new(puzzle: &dyn Puzzle, input: &str, moves: &str, colours: ColourScheme) -> Result<Self> {
        let scene = puzzle.read(input)?.picture(moves)?.scene(colours);
        Ok(Self { input: input.to_owned(), puzzle: puzzle.name(), colours: colours.name(), scene })
    }
}
