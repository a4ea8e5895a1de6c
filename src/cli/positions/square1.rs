//! Positions of the Square-1 family: which goal, which notation, how they are written.

use clap::ValueEnum;
use serde::Serialize;
use twistbase::cache::CachedTable;
use twistbase::error::Result;
use twistbase::puzzle::square1::notation::{cube21, hex, jaap, wca};
use twistbase::puzzle::square1::{Middle, Sequence, Turn};
use twistbase::query::{GivenPosition, MiddleGoal, Square1Solution, Square1Table, parse};
use twistbase::store::Store;
use twistbase::tables::{Definition, TwistTable};

use super::Cache;

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
hex:, jaap:, wca: or cube21: before a text names its notation; wca: is solved.
At the end of a position, - is a square middle layer and / one like a kite; a
sequence gives it by its number of twists.";

/// What is asked of positions of the Square-1 family, and how they are told.
#[derive(Debug, Clone, Copy, clap::Args)]
#[command(next_help_heading = "Square-1 family")]
pub struct Options {
    /// Ask for a square middle layer at the end, too
    ///
    /// At the start it is as the input tells, or square where that does not tell. Without this option the middle
    /// layer is ignored.
    #[arg(long)]
    middle: bool,

    /// How to write turns and sequences [default: wca]
    #[arg(long, value_enum)]
    notation: Option<Notation>,
}

/// How sequences are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Notation {
    /// World Cube Association: clockwise seen from each layer's own face
    Wca,
    /// Cube21: anticlockwise seen from above, both layers
    Cube21,
}

/// Opens the table of a puzzle.
pub fn open(puzzle: &'static TwistTable, store: &Store, cache: Cache) -> Result<Square1Table<CachedTable>> {
    Ok(Square1Table::over(puzzle, CachedTable::open_to_depth(store, puzzle.layout(), cache.mode())?))
}

impl Options {
    /// The options, each with whether it was given.
    pub fn given(self) -> [(&'static str, bool); 2] {
        [("--middle", self.middle), ("--notation", self.notation.is_some())]
    }

    /// How sequences are written.
    pub fn notation(self) -> Notation {
        self.notation.unwrap_or(Notation::Wca)
    }

    /// What counts as solved.
    pub fn goal(self) -> MiddleGoal {
        if self.middle { MiddleGoal::Square } else { MiddleGoal::Ignored }
    }

    /// Writes a sequence.
    pub fn write(self, sequence: &Sequence) -> String {
        match self.notation() {
            Notation::Wca => wca::print(sequence),
            Notation::Cube21 => cube21::print(sequence),
        }
    }

    /// Writes a turn as short as can be, also one that turns nothing.
    pub fn write_turn(self, turn: Turn) -> String {
        let (top, bottom) = match self.notation() {
            Notation::Wca => turn.wca(),
            Notation::Cube21 => (turn.top(), turn.bottom()),
        };
        format!("({top},{bottom})")
    }
}

impl Notation {
    /// Its name for people.
    pub const fn title(self) -> &'static str {
        match self {
            Self::Wca => "WCA",
            Self::Cube21 => "Cube21",
        }
    }
}

/// Reads a position of a table.
pub fn read(table: &Square1Table<CachedTable>, input: &str) -> Result<GivenPosition> {
    parse(table.definition(), input)
}

/// A solution as JSON.
#[derive(Debug, Serialize)]
pub struct SolutionReport<'a> {
    input: &'a str,
    puzzle: &'static str,
    length: usize,
    metric: &'static str,
    middle_goal: &'static str,
    solution: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    shapes: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    stays_in_cube_shape: Option<bool>,
}

impl<'a> SolutionReport<'a> {
    /// Describes a solution of `input`, with the shapes on the way if `shapes` says so.
    pub fn new(
        options: Options,
        table: &Square1Table<CachedTable>,
        input: &'a str,
        solution: &Square1Solution,
        shapes: bool,
    ) -> Self {
        let definition = table.definition();
        Self {
            input,
            puzzle: definition.puzzle(),
            length: solution.sequence().twists(),
            metric: definition.metric().name(),
            middle_goal: goal_name(options.goal()),
            solution: options.write(solution.sequence()),
            shapes: shapes.then(|| solution.shapes().iter().map(|shape| shape.name()).collect()),
            stays_in_cube_shape: shapes.then(|| solution.stays_in_cube_shape()),
        }
    }
}

/// The name of a goal for the middle layer.
pub const fn goal_name(goal: MiddleGoal) -> &'static str {
    match goal {
        MiddleGoal::Ignored => "ignored",
        MiddleGoal::Square => "square",
    }
}

/// The name of a state of the middle layer.
pub const fn middle_name(middle: Middle) -> &'static str {
    match middle {
        Middle::Square => "square",
        Middle::Kite => "kite",
    }
}

/// A position in the notations for positions, with the symbol of its middle layer where that is known.
pub struct Written {
    /// Hexadecimal.
    pub hex: String,
    /// Jaap's letters.
    pub jaap: String,
}

impl Written {
    /// Writes a position, turned a little where a big piece would lie across the ends of a layer: that cannot be
    /// written.
    pub fn new(GivenPosition { position, middle_given }: &GivenPosition) -> Self {
        let whole = position.turn(position.unstraddling_turn());
        let mut hex = hex::print_with_middle(&whole).unwrap_or_default();
        let mut jaap = jaap::print(&whole).unwrap_or_default();
        if !middle_given {
            // Both end with the symbol.
            hex.pop();
            jaap.pop();
        }
        Self { hex, jaap }
    }
}
