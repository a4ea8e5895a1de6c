//! `picture`: positions as files that show them.

use std::path::PathBuf;

use clap::ValueEnum;
use twistbase_core::error::Error;
use twistbase_database::{NormalizedPosition, SceneReport};
use twistbase_picture::{ColourScheme, DEFAULT_PIXELS, PNG_PIXELS, Viewpoint, png, svg};
use twistbase_store::NewFile;

use crate::arguments::puzzle;
use crate::environment::Environment;
use crate::failure::Failure;
use crate::output::json_line;
use crate::positions;

const EXAMPLES: &str = "\
Examples:
  twistbase picture cube3 \"R U R' U'\" -o sexy-move.svg
  twistbase picture square1 '(1,0)/(3,3)/' --view perspective -o square1.svg
  twistbase picture cube21 09BA3621-D457CF8E --colours colour-blind > cube21.svg
  twistbase picture cube21 09BA3621-D457CF8E -o cube21.png --size 1000
  twistbase picture square1 wca: --moves '(1,0)/(3,3)/' -o scene.json

The name of the file says what is written: .svg, .png, or .json for the scene, which is
the pieces as solids in space, and what each move of --moves turns, for a program that
plays it.";

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

    /// Turn a cube until white is up and green in front first, and print the turns
    #[arg(long)]
    normalize: bool,

    /// The file to write, .svg, .png or .json [default: SVG on standard output]
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,

    /// Pixels along the longer side of a PNG picture, 16 to 4096 [default: 480]
    #[arg(long, value_name = "PIXELS", value_parser = clap::value_parser!(u32).range(i64::from(*PNG_PIXELS.start())..=i64::from(*PNG_PIXELS.end())))]
    size: Option<u32>,

    /// How to look at it [default: flat]
    #[arg(long, value_enum)]
    view: Option<ViewArg>,

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

impl From<ViewArg> for Viewpoint {
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
    Png,
    Scene,
}

impl PictureFormat {
    /// The format that arguments ask for.
    fn of(args: &Args, json: bool) -> Result<Self, Error> {
        let usage = |text: &str| Err(Error::Usage(text.to_owned()));
        let extension_of = |path: &PathBuf| Some(path.extension()?.to_str()?.to_ascii_lowercase());
        let extension = args.output.as_ref().map(extension_of);
        let format = match (extension.as_ref().map(|end| end.as_deref()), json) {
            (None, true) | (Some(Some("json")), _) => Self::Scene,
            (None | Some(Some("svg")), false) => Self::Svg,
            (Some(Some("png")), false) => Self::Png,
            (Some(_), true) => return usage("--json writes a scene: -o FILE.json"),
            (Some(_), false) => return usage("the name of a picture ends in .svg, .png or .json"),
        };
        match format {
            Self::Svg | Self::Png if args.moves.is_some() => usage("--moves are for a scene: -o FILE.json, or --json"),
            Self::Svg | Self::Scene if args.size.is_some() => usage("--size is for pixels: -o FILE.png"),
            Self::Scene if args.view.is_some() => usage("--view is for pictures: a scene is looked at from anywhere"),
            format => Ok(format),
        }
    }
}

pub fn run(args: Args, env: &Environment) -> Result<(), Failure> {
    let format = PictureFormat::of(&args, env.json())?;
    let puzzle = env.database()?.puzzle(&args.puzzle)?;
    let NormalizedPosition { position, text, .. } = positions::read(&*puzzle, &args.position, args.normalize, env)?;
    let (moves, colours) = (args.moves.as_deref().unwrap_or(""), args.colours.into());
    let drawing = || -> Result<_, Error> {
        let view = args.view.unwrap_or_default();
        Ok(position.picture(moves)?.drawing(view.into(), colours))
    };
    let bytes = match format {
        PictureFormat::Svg => svg(&drawing()?, &format!("{}: {text}", args.puzzle)).into_bytes(),
        PictureFormat::Png => png(&drawing()?, args.size.unwrap_or(DEFAULT_PIXELS))?,
        PictureFormat::Scene => json_line(&SceneReport::new(&position, &text, moves, colours)?).into_bytes(),
    };
    match &args.output {
        Some(path) => Ok(NewFile::write_whole(path, &bytes)?),
        None => {
            let mut output = env.output();
            output.bytes(&bytes)?;
            output.finish()
        }
    }
}
