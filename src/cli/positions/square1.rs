//! Options about positions of the Square-1 family.

use clap::builder::TypedValueParser;
use twistbase_puzzle::square1::notation::SequenceNotation;
use twistbase_query::MiddleGoal;

use crate::arguments::named;

/// Help on what a position may look like.
pub(super) const POSITIONS: &str = "\
A position of the Square-1 family is one of:
  01234567-89ABCDEF        hexadecimal: slots anticlockwise from above, top layer
                           first; 0-7 are the solved top layer, even digits the
                           small pieces; - or / at the end gives the middle layer
  A1B2C3D45E6F7G8H-        Jaap's letters, clockwise from the front seam; likewise
  '(1,0)/(3,3)/'           a WCA sequence from solved, in any spacing and brackets
  'cube21:(-1,0)/!(0,3)/'  a Cube21 sequence: anticlockwise from above, ! flips the
                           puzzle
  index:123456             an index of the table, as query prints it
  author:0,0,40319         only cube21: shape, small and big pieces in the numbers of
                           Cube21's author
A prefix hex:, jaap:, wca: or cube21: names the notation. solved, '' and wca: are the
solved position. Karnotation, commutators and conjugates are not supported.
After a position, - means a square middle layer and / a kite; the number of twists of
a sequence decides its middle layer. A turn may follow a position:
01234567-89ABCDEF-(1,0).";

/// Options about positions of the Square-1 family.
#[derive(Debug, Clone, Copy, clap::Args)]
#[command(next_help_heading = "Square-1 family")]
pub struct Square1Args {
    /// Require a square middle layer at the end
    ///
    /// The input gives the middle layer at the start; the default is square. Without this option the middle layer is
    /// ignored. The metrics wca and face always require a square one.
    #[arg(long)]
    middle: bool,

    /// Notation of turns and sequences [default: wca]
    #[arg(long, value_parser = notation())]
    pub notation: Option<SequenceNotation>,
}

/// How sequences are written.
fn notation() -> impl TypedValueParser<Value = SequenceNotation> {
    named([
        ("wca", "World Cube Association: clockwise seen from each layer's own face"),
        ("cube21", "Cube21: anticlockwise seen from above, both layers"),
    ])
}

impl Square1Args {
    /// The goal, if it is given.
    pub fn goal(self) -> Option<MiddleGoal> {
        self.middle.then_some(MiddleGoal::Square)
    }
}
