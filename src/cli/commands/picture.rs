//! `picture`: positions as files that show them.

use std::ffi::OsStr;
use std::fs;
use std::path::PathBuf;

use clap::ValueEnum;
use twistbase::database::SceneReport;
use twistbase::error::Error;
use twistbase::picture::{ColourScheme, View, svg};

use crate::cli::environment::Environment;
use crate::cli::failure::Failure;
use crate::cli::output::json_line;
use crate::cli::positions::puzzle;

const EXAMPLES: &str = "\
Examples:
  twistbase picture cube3 \"R U R' U'\" -o sexy-move.svg
  twistbase picture square1 '(1,0)/(3,3)/' --view perspective -o square1.svg
  twistbase picture cube21 09BA3621-D457CF8E --colours colour-blind > cube21.svg
  twistbase picture square1 wca: --moves '(1,0)/(3,3)/' -o scene.json

A picture is SVG. A file whose name ends in .json gets the scene instead: the pieces
as solids in space, and what each move of --moves turns, for a program that plays it.";

/// Draw a position
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// The puzzle
    #[arg(value_parser = puzzle())]
    puzzle: String,

    /// The position, in any notation
    #[arg(allow_hyphen_values = true)]
    position: String,

    /// The file to write, .svg or .json [default: SVG on standard output]
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,

    /// How to look at it
    #[arg(long, value_enum, default_value_t)]
    view: ViewArg,

    /// Its colours
    #[arg(long, value_enum, default_value_t)]
    colours: ColoursArg,

    /// Moves from there on, for the scene
    #[arg(long, value_name = "SEQUENCE", allow_hyphen_values = true)]
    moves: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
enum ViewArg {
    /// Everything at once: the net of a cube, both layers of Square-1
    #[default]
    Flat,
    /// From above, right and front
    Perspective,
}

impl From<ViewArg> for View {
    fn from(view: ViewArg) -> Self {
        match view {
            ViewArg::Flat => Self::Flat,
            ViewArg::Perspective => Self::Perspective,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
enum ColoursArg {
    /// Those of competitions
    #[default]
    Wca,
    /// Told apart without seeing red and green
    ColourBlind,
}

impl From<ColoursArg> for ColourScheme {
    fn from(colours: ColoursArg) -> Self {
        match colours {
            ColoursArg::Wca => Self::Wca,
            ColoursArg::ColourBlind => Self::ColourBlind,
        }
    }
}

/// What is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum PictureFormat {
    Svg,
    Scene,
}

pub fn run(args: Args, env: &Environment) -> Result<(), Failure> {
    let format = match args.output.as_deref().map(|path| path.extension().and_then(OsStr::to_str)) {
        _ if env.json() => PictureFormat::Scene,
        None | Some(Some("svg")) => PictureFormat::Svg,
        Some(Some("json")) => PictureFormat::Scene,
        Some(_) => return Err(Error::Usage("a picture is a file .svg or .json".to_owned()).into()),
    };
    if format == PictureFormat::Svg && args.moves.is_some() {
        return Err(Error::Usage("--moves are for a scene: -o FILE.json".to_owned()).into());
    }
    let puzzle = env.database()?.puzzle(&args.puzzle)?;
    let (moves, colours) = (args.moves.as_deref().unwrap_or(""), args.colours.into());
    let text = match format {
        PictureFormat::Svg => {
            let drawing = puzzle.picture(&args.position, moves)?.drawing(args.view.into(), colours);
            svg(&drawing, &format!("{}: {}", args.puzzle, args.position))
        }
        PictureFormat::Scene => json_line(&SceneReport::new(&*puzzle, &args.position, moves, colours)?),
    };
    match &args.output {
        Some(path) => Ok(fs::write(path, text).map_err(|source| Error::io("write", path, source))?),
        None => {
            let mut output = env.output();
            output.bytes(text.as_bytes())?;
            output.finish()
        }
    }
}
