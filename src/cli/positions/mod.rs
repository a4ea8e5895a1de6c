//! Shared by the commands about positions: puzzle, position, and the options of each puzzle.

pub mod cube3;
pub mod square1;

use twistbase_core::{Error, Result};
use twistbase_database::{NormalizedPosition, Puzzle};

use crate::environment::Environment;
use crate::standard_error;

use crate::arguments::CacheArgs;
use crate::definitions::{self, any_puzzle};

/// Which position of which puzzle, and how its tables are read.
#[derive(Debug, clap::Args)]
pub struct Target {
    /// Puzzle: its name, the file of a definition, or the line of a geometry
    #[arg(value_parser = any_puzzle())]
    pub puzzle: String,

    /// Position, in any notation (see --help); - reads lines from standard input
    // A sequence without brackets may begin with a minus sign.
    #[arg(allow_hyphen_values = true, value_parser = position_text)]
    pub position: String,

    /// First turn the cube so that white is up and green in front
    ///
    /// Prints the turns on standard error.
    #[arg(long)]
    pub normalize: bool,

    /// The turns that this took.
    #[arg(skip)]
    pub turns: Option<String>,

    #[command(flatten)]
    pub cache: CacheArgs,
}

impl Target {
    /// Whether positions are on standard input.
    pub fn is_batch(&self) -> bool {
        self.position == "-"
    }

    /// The puzzle for notes about lines, unless the run is quiet.
    pub fn noted(&self, env: &Environment) -> Option<&str> {
        (!env.quiet()).then_some(&*self.puzzle)
    }

    /// Opens the puzzle. An invalid position is an error now, before tables are built.
    pub fn open(&mut self, env: &Environment) -> Result<Box<dyn Puzzle>> {
        let puzzle = definitions::open(&self.cache.database(env)?, &self.puzzle)?;
        if !self.is_batch() {
            let NormalizedPosition { text, turns, .. } = read(&*puzzle, &self.position, self.normalize, env)?;
            (self.position, self.turns) = (text, turns);
        } else if self.normalize {
            return Err(Error::Usage(
                "--normalize needs a single position; it does not apply to standard input".to_owned(),
            ));
        }
        Ok(puzzle)
    }
}

/// Reads a position, and turns it first if asked to. Reports on standard error a reading of the text that may surprise.
pub fn read(puzzle: &dyn Puzzle, text: &str, normalize: bool, env: &Environment) -> Result<NormalizedPosition> {
    let position = puzzle.read(text)?;
    if let Some(order) = position.order().filter(|_| !env.quiet()) {
        standard_error::tell(&format!("facelets read in the order {order}"), env.json());
    }
    let normalized = position.normalized(text, normalize)?;
    if let Some(turns) = &normalized.turns {
        standard_error::tell(&format!("turned by {turns}: white is up, green in front"), env.json());
    }
    Ok(normalized)
}

/// Takes any text for a position but what can only be a misspelt option.
fn position_text(text: &str) -> std::result::Result<String, &'static str> {
    match text {
        _ if text.starts_with("--") => Err("unknown option; no position begins with --"),
        // The byte order mark, which a line of standard input may begin with, too.
        _ => Ok(text.trim_start_matches('\u{FEFF}').to_owned()),
    }
}

/// Help of a command about positions: its examples and remarks, and what positions and lines of them look like.
pub fn help(examples: &str) -> String {
    format!("{examples}\n\n{}\n\n{}\n\n{CUBE2}\n\n{DEFINED}\n\n{BATCHES}", square1::POSITIONS, cube3::POSITIONS)
}

/// Help on what a position of cube2 may look like.
const CUBE2: &str = "\
A position of cube2 is one of:
  R U2 F'                    a WCA sequence from solved, as for cube3
  UUUURRRRFFFFDDDDLLLLBBBB   24 facelets, faces in the order U R F D L B; any six
                             letters will do
  index:2483071              an index of the table, as query prints it
A prefix wca: or facelets: names the notation.

You may hold a cube in any way: moves and solutions apply to the cube as you hold
it. --normalize first turns it so that white is up and green in front.";

/// Help on what a position of a puzzle that is data may look like.
const DEFINED: &str = "\
A position of pyraminx, fto, megaminx and the like, or of a puzzle that you added:
  U L' B                     moves from solved, by the names that 'puzzle show' lists
  '{\"CORNER\":{...},...}'     a KPattern of cubing.js, as query prints it
  index:65536                an index of the table, as query prints it
Instead of a name, a puzzle may be a file (.tws, .def, KPuzzle JSON) or the line of a
geometry: twistbase help puzzle.";

/// Help on lines of standard input.
const BATCHES: &str = "\
Answers each line of standard input in order; an invalid line gets its error. Skips
blank lines, and lines that begin with # or //. A text answer begins with its input
and a tab. A note at the end names facelets in another order than U R F D L B.
Exit status 3: a line is invalid; 7: a line hit a limit.";
