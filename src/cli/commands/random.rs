//! `random`: positions to practise, test and measure with.

use std::borrow::Cow;

use clap::ValueEnum;
use rand::RngExt;
use twistbase_core::error::Error;
use twistbase_database::{CubeState, PositionReport, PositionText, RandomRequest, Scrambles, WrittenPosition};
use twistbase_puzzle::cube3::Metric;

use crate::arguments::cube_metric;
use crate::definitions::{self, any_puzzle};
use crate::environment::Environment;
use crate::failure::Failure;

const EXAMPLES: &str = "\
Examples:
  twistbase random square1 -n 3
  twistbase random cube21 --seed 7 --form jaap
  twistbase random square1 --walk 12 --form moves
  twistbase random cube3 --scramble -n 5
  twistbase random square1 --scramble -n 5
  twistbase random pyraminx-tips --scramble -n 5
  twistbase random cube21 -n 1000 | twistbase query cube21 -
  twistbase random cube3 --seed 7 --form reid
  twistbase random cube3 --in-h -n 3
  twistbase random cube3 --state pll --seed 7
  twistbase random cube3 --state ll --scramble -n 5
  twistbase random cube3 --walk 15 --form moves --metric qtm

Positions:
  All positions are equally likely. In the Square-1 family this includes the turns of
  the layers: each position can be twisted at once, and half of the middle layers
  are square.

Scrambles (--scramble):
  Follow the rules of the World Cube Association: random states, equally likely, not
  too near to solved. Prints moves that lead to the state.
  cube3    at least 2 moves from solved; about 20 moves, from the two-phase solver
  cube2    at least 4 moves from solved; a shortest sequence of U, R and F turns
           (4 to 11 moves)
  square1  at least 11 moves from solved, a turn and a twist being one each; a
           shortest sequence. All states can be twisted at once
  pyraminx, pyraminx-tips, skewb
           at least 6, 6 and 7 moves from solved; a shortest sequence, tips last
  Other puzzles with a table have no such rules: all states, each by a shortest
  sequence. Puzzles without a table have --walk.

States (--state, cube3):
  Positions of a case, all equally likely, with the cube as it is held. --scramble
  prints moves that lead there, also to solved. --state is one of:
    ll           the last layer, on U: the first two layers solved (62,208 positions)
    zbll         the same with its edges oriented (7,776)
    pll          the same with its pieces oriented (288)
    dr           domino reduction on U and D
    htr          half-turn reduction: solved by half turns (663,552)
    2gen         solved by turns of R and U (73,483,200)
    cross xcross block-222 roux-block eo line eo-line eo-cross co corners
                 that goal of query reached

Walks (--walk):
  A walk on a cube never turns the same face twice in a row; in quarter turns, it
  never undoes a turn. Turns of opposite faces have a fixed order.";

/// Print random positions, competition scrambles or random walks
#[derive(Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub struct Args {
    /// Puzzle: its name, the file of a definition, or the line of a geometry
    #[arg(value_parser = any_puzzle())]
    puzzle: String,

    /// Number of positions
    #[arg(short = 'n', long, default_value_t = 1, value_name = "N")]
    count: u64,

    /// Seed; the same seed gives the same positions [default: a new one]
    #[arg(long, value_name = "SEED")]
    seed: Option<u64>,

    /// Walk N random moves from solved (at most 1000)
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(..=i64::from(RandomRequest::LONGEST_WALK)))]
    walk: Option<u16>,

    /// Print competition scrambles
    ///
    /// Not for cube21, square1-corners, and puzzles without a table. Uses the tables of solve.
    #[arg(long, alias = "wca", conflicts_with_all = ["walk", "in_h", "metric"])]
    scramble: bool,

    /// Form of a position [default: hex; facelets for cubes; a KPattern for other puzzles]
    ///
    /// The default of --scramble is moves. --json prints all forms.
    #[arg(long, value_enum)]
    form: Option<PositionForm>,

    #[command(flatten)]
    cube3: Cube3RandomArgs,
}

/// What only the cube has.
#[derive(Debug, Clone, clap::Args)]
#[command(next_help_heading = "Rubik's cube")]
#[group(skip)]
struct Cube3RandomArgs {
    /// Draw from the positions in H = <U, D, R2, F2, L2, B2>
    #[arg(long, conflicts_with = "walk")]
    in_h: bool,

    /// Draw from the positions of a state, like ll, pll, dr or cross (see --help)
    #[arg(long, value_name = "STATE", conflicts_with_all = ["walk", "in_h"])]
    state: Option<String>,

    /// Metric of a walk, also of cube2 [default: htm]
    ///
    /// A walk in qtm consists of quarter turns.
    #[arg(long, value_parser = cube_metric(), requires = "walk")]
    metric: Option<Metric>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum PositionForm {
    /// Square-1 family: hexadecimal positions, with the middle layer
    Hex,
    /// Square-1 family: Jaap's letters, with the middle layer
    Jaap,
    /// cube21: shape, small and big pieces in its author's numbers
    Author,
    /// cube3, cube2: the 54 or 24 facelets
    Facelets,
    /// cube3: cubies in Reid's order
    Reid,
    /// The moves from solved, in WCA notation (only with --walk or --scramble)
    Moves,
}

impl PositionForm {
    /// The option that asks for it.
    const fn option(self) -> &'static str {
        match self {
            Self::Hex => "form hex",
            Self::Jaap => "form jaap",
            Self::Author => "form author",
            Self::Facelets => "form facelets",
            Self::Reid => "form reid",
            Self::Moves => "form moves",
        }
    }

    /// A position in this form; `None` if its puzzle does not have it. No moves are written so that they are no blank line, which
    /// who reads positions passes over.
    fn of(self, report: &PositionReport) -> Option<&str> {
        self.text_of(report).map(|text| if text.is_empty() { "solved" } else { text })
    }

    fn text_of(self, report: &PositionReport) -> Option<&str> {
        match (self, &report.text) {
            (Self::Moves, _) => report.moves.as_deref(),
            (Self::Hex, PositionText::Square1 { written, .. }) => Some(&written.hex),
            (Self::Jaap, PositionText::Square1 { written, .. }) => Some(&written.jaap),
            (Self::Author, PositionText::Square1 { author, .. }) => author.as_deref(),
            (Self::Facelets, PositionText::Cube3 { written, .. }) => Some(&written.facelets),
            (Self::Reid, PositionText::Cube3 { written, .. }) => Some(&written.reid),
            (Self::Facelets, PositionText::Table(WrittenPosition::Facelets(facelets))) => Some(facelets),
            _ => None,
        }
    }
}

pub fn run(args: Args, env: &Environment) -> Result<(), Failure> {
    if args.form == Some(PositionForm::Moves) && args.walk.is_none() && !args.scramble {
        let message = "--form moves needs --walk or --scramble".to_owned();
        return Err(Error::Usage(message).into());
    }
    let Cube3RandomArgs { in_h, state, metric } = args.cube3;
    let state = state.as_deref().map(CubeState::find).transpose()?;
    let request = RandomRequest { walk: args.walk, in_h, state, metric };
    let seed = args.seed.unwrap_or_else(|| rand::rng().random());
    let puzzle = definitions::open(&env.database()?, &args.puzzle)?;
    let mut output = env.output();
    let drawn: Scrambles = if args.scramble {
        puzzle.scrambles(&request, seed, &env.context())?
    } else {
        Box::new(puzzle.random(&request, seed)?.map(Ok))
    };
    let form = args.form.or_else(|| args.scramble.then_some(PositionForm::Moves));
    for report in drawn.take(usize::try_from(args.count).unwrap_or(usize::MAX)) {
        let report = report?;
        let text = match form {
            None => Cow::Owned(report.text.to_string()),
            Some(form) => Cow::Borrowed(form.of(&report).ok_or_else(|| Error::ForeignOptions {
                options: vec![form.option()],
                of: format!("the puzzle {}", args.puzzle),
            })?),
        };
        output.report(&report, |_| text)?;
    }
    output.finish()
}
