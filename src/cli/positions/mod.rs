//! What the commands about positions share: which puzzle, which position, which options belong to which puzzle.

pub mod cube3;
pub mod square1;

use clap::ValueEnum;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use twistbase::cache::CacheMode;
use twistbase::error::{Error, Result};
use twistbase::tables::{self, Definition, TwistTable};

/// A puzzle named on the command line.
#[derive(Debug, Clone, Copy)]
pub enum Puzzle {
    /// One of the Square-1 family, by its table.
    Square1(&'static TwistTable),
    /// The Rubik's cube.
    Cube3,
}

/// Parses the name of a puzzle; shells can complete it.
pub fn puzzle() -> impl TypedValueParser<Value = Puzzle> {
    let names = tables::twist_tables().map(|table| table.puzzle()).chain([cube3::NAME]);
    PossibleValuesParser::new(names).try_map(|name| match name.as_str() {
        cube3::NAME => Ok(Puzzle::Cube3),
        other => tables::find_twists(other).map(Puzzle::Square1),
    })
}

impl Puzzle {
    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Square1(table) => table.puzzle(),
            Self::Cube3 => cube3::NAME,
        }
    }

    /// Refuses options that this puzzle does not have, each with whether it was given.
    ///
    /// # Errors
    /// [`Error::Usage`] naming all that were.
    pub fn refuse(self, options: &[(&str, bool)]) -> Result<()> {
        let given: Vec<&str> = options.iter().filter(|(_, is_given)| *is_given).map(|(name, _)| *name).collect();
        if given.is_empty() {
            return Ok(());
        }
        let message = format!("{} cannot be used with the puzzle {}", given.join(" and "), self.name());
        Err(Error::Usage(format!("{message}; see --help for which puzzle has which options")))
    }
}

/// Which position of which puzzle, and how its tables are read.
#[derive(Debug, clap::Args)]
pub struct Target {
    /// The puzzle
    #[arg(value_parser = puzzle())]
    pub puzzle: Puzzle,

    /// The position, in any notation (see below); - for many, one a line on standard input
    // A sequence without brackets may begin with a minus sign.
    #[arg(allow_hyphen_values = true, value_parser = position_text)]
    pub position: String,

    /// How to use the hot cache
    #[arg(long, value_enum, default_value_t = Cache::OnDemand, value_name = "USE")]
    pub cache: Cache,
}

/// Takes any text for a position but what can only be a misspelt option.
fn position_text(text: &str) -> std::result::Result<String, &'static str> {
    if text.starts_with("--") { Err("there is no such option, and no position begins so") } else { Ok(text.to_owned()) }
}

/// How the hot cache is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Cache {
    /// Read it, and add what is asked for often
    OnDemand,
    /// Read what is there, add nothing
    ReadOnly,
    /// Neither: read the store alone
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
    format!("{examples}\n\n{}\n\n{}\n\n{BATCHES}", square1::POSITIONS, cube3::POSITIONS)
}

/// Help on lines of standard input.
const BATCHES: &str = "\
Lines of standard input are answered in their order, one that is no position
with its error; blank ones are passed over. An answer in text begins with its
input and a tab. If any line was no position, the exit status is 3 at the end;
if any came short of its target and nothing worse happened, 7.";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn foreign_options_are_named() {
        let refused = Puzzle::Cube3.refuse(&[("--middle", true), ("--shapes", false), ("--notation", true)]);
        let message = refused.unwrap_err().to_string();
        assert!(message.starts_with("--middle and --notation cannot be used with the puzzle cube3"), "{message}");
        assert!(Puzzle::Cube3.refuse(&[("--middle", false)]).is_ok());
    }
}
