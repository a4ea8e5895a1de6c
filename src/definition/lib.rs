//! Puzzles as data: what moves where, and what follows from that alone.
//!
//! A [`PuzzleDefinition`] is read from a file of [twsearch] or ksolve (`.tws`, `.def`) or of [cubing.js] (KPuzzle JSON), and
//! can be written in both forms; or it follows from a [`Geometry`], one line; or it is known by its
//! [name](PuzzleDefinition::named). [`PuzzleSpace`] numbers its positions, and
//! [`PuzzleSearch`] solves them. From its moves follow the [order of the group](PuzzleDefinition::group_order), the
//! [symmetries](PuzzleDefinition::symmetries) (mirrors included), and the [positions at each
//! distance](PuzzleDefinition::count_levels), counted up to symmetry where they are many.
//!
//! ```
//! use twistbase_core::context::Context;
//! use twistbase_definition::PuzzleDefinition;
//!
//! // Four tiles in a row: swap the first two, or move all of them on by one.
//! let text = "Name Row\nSet TILE 4 1\nSolved\nTILE\n1 2 3 4\nEnd\n\
//!             Move S\nTILE\n2 1 3 4\nEnd\nMove T\nTILE\n2 3 4 1\nEnd\n";
//! let row = PuzzleDefinition::parse(text)?;
//! assert_eq!(row.group_order().to_string(), "24");
//! let levels = row.count_levels(9, u64::MAX, None, &Context::silent(), |_, _| Ok(()))?;
//! assert_eq!((levels.counts.iter().sum::<u64>(), levels.complete), (24, true));
//! # Ok::<(), twistbase_core::error::Error>(())
//! ```
//!
//! [twsearch]: https://github.com/cubing/twsearch
//! [cubing.js]: https://js.cubing.net/cubing/

mod classes;
mod cosets;
mod geometry;
mod goals;
mod group;
mod kpuzzle;
mod levels;
mod model;
mod named;
mod positions;
mod report;
mod restriction;
mod search;
mod sequence;
mod space;
mod symmetry;
#[cfg(test)]
mod tests;
mod tws;

pub use geometry::{Face, Geometry, LayerTurn, PieceFacet, Sticker};
pub use goals::NamedGoal;
pub use kpuzzle::KPattern;
pub use levels::Levels;
pub use model::{Derived, Generator, Illegal, Move, Orbit, Pattern, PuzzleDefinition, Transformation, Turn};
pub use positions::{PositionDrawer, SpacePosition};
pub use report::{DefinitionReport, GoalReport, MoveReport, OrbitReport};
pub use restriction::{Ignored, Restriction};
pub use search::{PuzzleSearch, SearchEvent, SearchFound, SearchRequest};
pub use sequence::SequenceStep;
pub use space::PuzzleSpace;
