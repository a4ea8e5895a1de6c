//! Shared by the commands about positions: puzzle, position, and the options of each puzzle.

pub mod cube3;
pub mod square1;

use clap::ValueEnum;
use twistbase_cache::CacheMode;
use twistbase_core::{Error, Result};
use twistbase_database::{NormalizedPosition, Puzzle, QuestionMetric};

use crate::environment::Environment;
use crate::standard_error;

use crate::arguments::puzzle;

/// Which position of which puzzle, and how its tables are read.
#[derive(Debug, clap::Args)]
pub struct Target {
    /// Puzzle
    #[arg(value_parser = puzzle())]
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

    /// Use of the hot cache
    #[arg(long, value_enum, default_value_t = Cache::OnDemand, value_name = "USE", hide_short_help = true)]
    pub cache: Cache,
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
        let puzzle = env.database()?.with_cache(self.cache.mode()).puzzle(&self.puzzle)?;
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

/// How moves are counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum QuestionMetricArg {
    /// Cubes: every turn of a face is one move
    Htm,
    /// Cubes: a half turn is two moves
    Qtm,
    /// Square-1 family: a twist / is one move, turns are free
    Twists,
    /// Square-1 family: a turn (x,y) is one move, and so is a twist /
    Wca,
    /// Square-1 family, solve alone: a turn of one layer is one move, and so is a twist /
    Face,
    /// Other puzzles: a move or a power of it is one
    Moves,
}

impl From<QuestionMetricArg> for QuestionMetric {
    fn from(metric: QuestionMetricArg) -> Self {
        match metric {
            QuestionMetricArg::Htm => Self::Htm,
            QuestionMetricArg::Qtm => Self::Qtm,
            QuestionMetricArg::Twists => Self::Twists,
            QuestionMetricArg::Wca => Self::Wca,
            QuestionMetricArg::Face => Self::Face,
            QuestionMetricArg::Moves => Self::Moves,
        }
    }
}

/// How the hot cache is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Cache {
    /// Read it, and add rows that are read often
    OnDemand,
    /// Read it, add nothing
    ReadOnly,
    /// Read only the store
    Off,
}

impl Cache {
    /// As the library calls it.
    pub const fn mode(self) -> CacheMode {
        match self {
            Self::OnDemand => CacheMode::OnDemand,
            Self::ReadOnly => CacheMode::ReadOnly,
            Self::Off => CacheMode::Off,
        }
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
A position of pyraminx, skewb, dino and the like, or of a puzzle that you added:
  U L' B                     moves from solved, by the names that 'puzzle show' lists
  '{\"CORNER\":{...},...}'     a KPattern of cubing.js, as query prints it
  index:65536                an index of the table, as query prints it";

/// Help on lines of standard input.
const BATCHES: &str = "\
Answers each line of standard input in order; an invalid line gets its error. Skips
blank lines, and lines that begin with # or //. A text answer begins with its input
and a tab. A note at the end names facelets in another order than U R F D L B.
Exit status 3: a line is invalid; 7: a line hit a limit.";

#[cfg(test)]
mod tests {
    use twistbase_database::Named;

    use super::*;

    #[test]
    fn uses_of_the_cache_have_the_names_of_the_library() {
        for cache in Cache::value_variants() {
            let name = cache.to_possible_value().unwrap().get_name().to_owned();
            assert_eq!(CacheMode::named(&name).unwrap(), cache.mode());
        }
        assert_eq!(CacheMode::NAMES.len(), Cache::value_variants().len());
    }
}
