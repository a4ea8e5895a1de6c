//! `picture`: positions as files that show them.

use std::path::PathBuf;

use clap::builder::TypedValueParser;
use twistbase_core::error::Error;
use twistbase_database::{NormalizedPosition, SceneReport};
use twistbase_export::refuse_existing;
use twistbase_picture::{ColourScheme, DEFAULT_PIXELS, PNG_PIXELS, Viewpoint, png, svg};
use twistbase_store::NewFile;

use crate::arguments::named;
use crate::definitions::{self, any_puzzle};
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

The extension of the file chooses the format: .svg, .png, or .json for a scene. A
scene lists the pieces as solids, and the pieces that each move of --moves turns.";

/// Draw a position as SVG or PNG, or write it as a 3D scene
#[derive(Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub struct Args {
    /// Puzzle: its name, the file of a definition, or the line of a geometry
    #[arg(value_parser = any_puzzle())]
    puzzle: String,

    /// Position, in any notation (see twistbase help query)
    #[arg(allow_hyphen_values = true)]
    position: String,

    /// First turn the cube so that white is up and green in front
    #[arg(long)]
    normalize: bool,

    /// File to write: .svg, .png or .json [default: SVG to standard output]
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,

    /// Replace an existing file
    #[arg(long, requires = "output")]
    force: bool,

    /// Pixels of the longer side of a PNG, 16 to 4096 [default: 480]
    #[arg(long, value_name = "PIXELS", value_parser = clap::value_parser!(u32).range(i64::from(*PNG_PIXELS.start())..=i64::from(*PNG_PIXELS.end())))]
    size: Option<u32>,

    /// View [default: flat]
    #[arg(long, value_parser = view())]
    view: Option<Viewpoint>,

    /// Colours
    #[arg(long, value_parser = colours(), default_value = "wca")]
    colours: ColourScheme,

    /// Moves to play in the scene
    #[arg(long, value_name = "SEQUENCE", allow_hyphen_values = true)]
    moves: Option<String>,
}

fn view() -> impl TypedValueParser<Value = Viewpoint> {
    named([("flat", "Net of a cube, both layers of Square-1"), ("perspective", "From above, right and front")])
}

fn colours() -> impl TypedValueParser<Value = ColourScheme> {
    named([("wca", "Competition colours"), ("colour-blind", "Colours that differ without red and green vision")])
}

/// The kind of picture.
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
            (Some(_), true) => return usage("--json writes a scene; name the file FILE.json"),
            (Some(_), false) => return usage("the format of a picture is its extension: .svg, .png or .json"),
        };
        match format {
            Self::Svg | Self::Png if args.moves.is_some() => {
                usage("--moves needs a scene: give -o FILE.json or --json")
            }
            Self::Svg | Self::Scene if args.size.is_some() => usage("--size needs a PNG: give -o FILE.png"),
            Self::Scene if args.view.is_some() => {
                usage("--view does not apply to a scene: its viewer chooses the view")
            }
            format => Ok(format),
        }
    }
}

pub fn run(args: Args, env: &Environment) -> Result<(), Failure> {
    let format = PictureFormat::of(&args, env.json())?;
    args.output.as_ref().map_or(Ok(()), |path| refuse_existing(path, args.force))?;
    let puzzle = definitions::open(&env.database()?, &args.puzzle)?;
    let NormalizedPosition { position, text, .. } = positions::read(&*puzzle, &args.position, args.normalize, env)?;
    let (moves, colours) = (args.moves.as_deref().unwrap_or(""), args.colours);
    let drawing = || -> Result<_, Error> {
        let view = args.view.unwrap_or_default();
        Ok(position.picture(moves)?.drawing(view, colours))
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
