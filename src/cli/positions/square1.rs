//! Options about positions of the Square-1 family.

use clap::ValueEnum;
use twistbase_puzzle::square1::notation::SequenceNotation;
use twistbase_query::MiddleGoal;

/// Help on what a position may look like.
pub(super) const POSITIONS: &str = "\
A position of the Square-1 family is one of:
  01234567-89ABCDEF        hexadecimal: slots anticlockwise from above, top layer
                           first; 0-7 are the solved top layer, even digits the
                           small pieces; - or / at the end gives the middle layer
  A1B2C3D45E6F7G8H-        Jaap's letters, clockwise from the front seam; likewise
  '(1,0)/(3,3)/'           a WCA sequence from solved, in any spacing and brackets
  'cube21:(-1,0)/!(0,3)/'  a Cube21 sequence: anticlockwise from above, ! turns the
                           puzzle over
  index:123456             a place in the table, as query tells it
  author:0,0,40319         cube21 alone: shape, small and big pieces as Cube21's own
                           program numbers them
hex:, jaap:, wca: or cube21: before a text names its notation, too. solved, ''
and wca: are the solved position. Karnotation, commutators and conjugates are not
read.
At the end of a position, - is a square middle layer and / one like a kite; a
sequence gives it by its number of twists. Behind a position may be a turn that is
made: 01234567-89ABCDEF-(1,0).";

/// What is asked of positions of the Square-1 family, and how they are told.
#[derive(Debug, Clone, Copy, clap::Args)]
#[command(next_help_heading = "Square-1 family")]
pub struct Square1Args {
    /// Ask for a square middle layer at the end, too
    ///
    /// At the start it is as the input tells, or square where that does not tell. Without this option the middle
    /// layer is ignored, but not in the metrics wca and face, which count to the solved position with its middle layer
    /// square.
    #[arg(long)]
    middle: bool,

    /// How to write turns and sequences [default: wca]
    #[arg(long, value_enum)]
    notation: Option<NotationArg>,
}

/// How sequences are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum NotationArg {
    /// World Cube Association: clockwise seen from each layer's own face
    Wca,
    /// Cube21: anticlockwise seen from above, both layers
    Cube21,
}

impl Square1Args {
    /// How sequences are written, where that is said.
    pub fn notation(self) -> Option<SequenceNotation> {
        self.notation.map(|notation| match notation {
            NotationArg::Wca => SequenceNotation::Wca,
            NotationArg::Cube21 => SequenceNotation::Cube21,
        })
    }

    /// What counts as solved, where that is said.
    pub fn goal(self) -> Option<MiddleGoal> {
        self.middle.then_some(MiddleGoal::Square)
    }
}
