//! What the commands about positions share: which puzzle, which goal, which table, which notation.

use clap::ValueEnum;
use serde::Serialize;
use twistbase::cache::{CacheMode, CachedTable};
use twistbase::error::Result;
use twistbase::puzzle::square1::notation::{cube21, hex, jaap, wca};
use twistbase::puzzle::square1::{Position, Sequence};
use twistbase::query::{Given, MiddleGoal, Solution, Table, parse};
use twistbase::store::Store;
use twistbase::tables::{Definition, TwistTable};

use super::arguments::twist_table;

/// Help on what a position may look like.
pub const POSITIONS: &str = "\
Positions:
  01234567-89ABCDEF       hexadecimal, slots anticlockwise from above, 0-7 the solved top layer;
                          even digits small pieces, odd ones big; a final - or / gives the middle
  A1B2C3D45E6F7G8H-       Jaap's letters, clockwise from the front seam; a final - or / likewise
  \"(1,0)/(3,3)/\"          a WCA sequence from solved; any spacing and brackets
  \"cube21:(-1,0)/!(0,3)/\" a Cube21 sequence: anticlockwise from above, ! turns the puzzle over
  index:123456            a place in the table
  -                       read positions from standard input, one a line; answer one a line, in order
hex:, jaap:, wca: or cube21: before a text names its notation.";

/// Which puzzle, and how it is read.
#[derive(Debug, clap::Args)]
pub struct Target {
    /// The puzzle
    #[arg(value_parser = twist_table())]
    pub puzzle: &'static TwistTable,

    /// The middle layer must end square too, starting as the input tells (square if it does not tell)
    #[arg(long)]
    pub middle: bool,

    /// How to write sequences
    #[arg(long, value_enum, default_value_t = Notation::Wca)]
    pub notation: Notation,

    /// How to use the hot cache: fill and read it, only read it, or neither
    #[arg(long, value_enum, default_value_t = Cache::OnDemand, value_name = "USE")]
    pub cache: Cache,
}

/// How sequences are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Notation {
    /// World Cube Association: clockwise seen from each layer's own face
    Wca,
    /// Cube21: anticlockwise seen from above, both layers
    Cube21,
}

/// How the hot cache is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Cache {
    /// Read it, and add shapes that are asked for often
    OnDemand,
    /// Read what is there
    ReadOnly,
    /// Read the store alone
    Off,
}

impl Target {
    /// Opens the puzzle's table.
    pub fn open(&self, store: &Store) -> Result<Table<CachedTable>> {
        let mode = match self.cache {
            Cache::OnDemand => CacheMode::OnDemand,
            Cache::ReadOnly => CacheMode::ReadOnly,
            Cache::Off => CacheMode::Off,
        };
        Ok(Table::over(self.puzzle, CachedTable::open(store, self.puzzle.layout(), mode)?))
    }

    /// What counts as solved.
    pub fn goal(&self) -> MiddleGoal {
        if self.middle { MiddleGoal::Square } else { MiddleGoal::Ignored }
    }

    /// Writes a sequence.
    pub fn write(&self, sequence: &Sequence) -> String {
        match self.notation {
            Notation::Wca => wca::print(sequence),
            Notation::Cube21 => cube21::print(sequence),
        }
    }
}

/// Reads a position of a table.
pub fn read(table: &Table<CachedTable>, input: &str) -> Result<Given> {
    parse(table.definition(), input)
}

/// A solution as JSON.
#[derive(Debug, Serialize)]
pub struct SolutionReport<'a> {
    input: &'a str,
    puzzle: &'static str,
    length: usize,
    metric: &'static str,
    middle: &'static str,
    solution: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    shapes: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    stays_in_cube_shape: Option<bool>,
}

impl<'a> SolutionReport<'a> {
    /// Describes a solution of `input`, with the shapes on the way if `shapes` says so.
    pub fn new(target: &Target, table: &Table<CachedTable>, input: &'a str, solution: &Solution, shapes: bool) -> Self {
        let definition = table.definition();
        Self {
            input,
            puzzle: definition.puzzle(),
            length: solution.sequence().twists(),
            metric: definition.metric(),
            middle: middle_name(target.goal()),
            solution: target.write(solution.sequence()),
            shapes: shapes.then(|| solution.shapes().iter().map(|shape| shape.name()).collect()),
            stays_in_cube_shape: shapes.then(|| solution.stays_in_cube_shape()),
        }
    }
}

/// The name of a goal for the middle layer.
pub const fn middle_name(goal: MiddleGoal) -> &'static str {
    match goal {
        MiddleGoal::Ignored => "ignored",
        MiddleGoal::Square => "square",
    }
}

/// The position in hexadecimal, turned a little where a big piece would lie across the ends of a layer.
pub fn hexadecimal(position: &Position) -> String {
    let whole = position.turn(position.unstraddling_turn());
    hex::print(&whole).unwrap_or_default()
}

/// The position in Jaap's letters, likewise.
pub fn letters(position: &Position) -> String {
    let whole = position.turn(position.unstraddling_turn());
    jaap::print(&whole).unwrap_or_default()
}
