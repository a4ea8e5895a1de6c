//! Pictures of positions: flat, in perspective, and as scenes in space that a player can turn.
//!
//! A [`Picture`] is a position and moves from there on. It becomes a [`Drawing`], polygons in no format, of which [`svg`] makes a
//! file, and `png` pixels (feature `png`); or a [`Scene`], the pieces as solids with the turns that the moves are.
//!
//! ```
//! # mod twistbase { pub use twistbase_core::*; pub use twistbase_picture as picture; pub use twistbase_puzzle::cube3::Cube as Cube3Position; pub use twistbase_puzzle as puzzle; }
//! use twistbase::picture::{ColourScheme, Picture, Viewpoint, svg};
//! use twistbase::puzzle::cube3::notation::parse_position;
//!
//! let position = parse_position("R U F")?.position;
//! let drawing = Picture::cube3(&position, &[]).drawing(Viewpoint::Perspective, ColourScheme::Wca);
//! assert!(svg(&drawing, "R U F").starts_with("<svg "));
//! # Ok::<(), twistbase::Error>(())
//! ```

mod colour;
mod cubes;
mod defined;
mod drawing;
mod flat;
mod letters;
mod perspective;
#[cfg(feature = "png")]
mod png;
mod scene;
mod square1;
mod svg;

pub use colour::{Colour, ColourScheme};
pub use drawing::{Drawing, Point, Tile};
#[cfg(feature = "png")]
pub use png::{PNG_PIXELS, png};
pub use scene::{Facet, LetterColour, Scene, SceneChoice, SceneStep, Solid, SolidTurn};
pub use svg::{DEFAULT_PIXELS, svg};
pub use twistbase_core::math::vector::Vector;

use std::sync::Arc;

use self::cubes::HeldSolid;
use self::defined::DefinedPicture;
use twistbase_core::error::{Error, Result};
use twistbase_definition::{Geometry, Pattern, PuzzleDefinition};
use twistbase_puzzle::cube2::Cube2Position;
use twistbase_puzzle::cube3::{Centres, Cube, Move};
use twistbase_puzzle::square1::{BlockedTwist, Colouring, Middle, Position, TwistSequence};

/// How a position is looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Viewpoint {
    /// Everything at once: the net of a cube, the layers of Square-1 from outside.
    #[default]
    Flat,
    /// From above, right and front.
    Perspective,
}

/// A position, and moves from there on.
#[derive(Debug, Clone)]
pub struct Picture(Subject);

#[derive(Debug, Clone)]
enum Subject {
    Square1 { position: Position, middle: Option<Middle>, sequence: TwistSequence, colouring: Colouring },
    Cube { position: HeldSolid, moves: Vec<Move> },
    Defined(DefinedPicture),
}

impl Picture {
    /// A position of the Square-1 family. Without `middle` a flat picture shows the layers alone; in space the middle layer is
    /// that of the position.
    ///
    /// # Errors
    /// The first twist of the sequence that is blocked.
    pub fn square1(
        position: &Position,
        middle: Option<Middle>,
        sequence: &TwistSequence,
        colouring: Colouring,
    ) -> std::result::Result<Self, BlockedTwist> {
        sequence.apply(position)?;
        Ok(Self(Subject::Square1 { position: *position, middle, sequence: sequence.clone(), colouring }))
    }

    /// A position of the Rubik's cube.
    pub fn cube3(position: &Cube, moves: &[Move]) -> Self {
        Self(Subject::Cube { position: HeldSolid::new(3, *position), moves: moves.to_vec() })
    }

    /// A position of the 2×2×2 cube.
    pub fn cube2(position: &Cube2Position, moves: &[Move]) -> Self {
        Self(Subject::Cube { position: HeldSolid::new(2, position.cube()), moves: moves.to_vec() })
    }

    /// A position of a puzzle with a geometry, and moves by the names of its definition.
    ///
    /// # Errors
    /// [`Error::Invalid`] with every word that is no move.
    pub fn defined(geometry: &Arc<Geometry>, position: &Pattern, moves: &str) -> Result<Self> {
        Ok(Self(Subject::Defined(DefinedPicture::new(geometry, position, moves)?)))
    }

    /// The solved position of a definition.
    ///
    /// # Errors
    /// [`Error::Usage`] if it has no geometry.
    pub fn solved(definition: &PuzzleDefinition) -> Result<Self> {
        if definition.geometry.is_empty() {
            return Err(Error::Usage("this puzzle has no geometry, and so no pictures".to_owned()));
        }
        Self::defined(&Arc::new(Geometry::parse(&definition.geometry)?), &definition.solved, "")
    }

    /// The same, a cube in colours with which its centres are these.
    #[must_use]
    pub fn with_centres(mut self, centres: Centres) -> Self {
        if let Subject::Cube { position, .. } = &mut self.0 {
            position.centres = centres;
        }
        self
    }

    /// The position before all moves.
    pub fn drawing(&self, view: Viewpoint, scheme: ColourScheme) -> Drawing {
        match (view, &self.0) {
            (Viewpoint::Perspective, Subject::Square1 { position, colouring, .. }) => {
                perspective::drawing(&square1::solids(position, *colouring, scheme))
            }
            (Viewpoint::Perspective, Subject::Cube { position, .. }) => {
                perspective::drawing(&cubes::solids(position.order, &position.facelets(), scheme))
            }
            (_, Subject::Defined(picture)) => picture.drawing(view, scheme),
            (Viewpoint::Flat, Subject::Square1 { position, middle, colouring, .. }) => {
                flat::layers(position, *middle, *colouring, scheme)
            }
            (Viewpoint::Flat, Subject::Cube { position, .. }) => {
                flat::net(position.order, &position.facelets(), scheme)
            }
        }
    }

    /// The pieces in space, what the moves turn, and what can be turned after them.
    pub fn scene(&self, scheme: ColourScheme) -> Scene {
        match &self.0 {
            Subject::Square1 { position, middle, sequence, colouring } => {
                square1::scene(position, *middle, sequence, *colouring, scheme)
            }
            Subject::Cube { position, moves } => cubes::scene(position, moves, scheme),
            Subject::Defined(picture) => picture.scene(scheme),
        }
    }
}

#[cfg(test)]
pub(crate) mod tests;
