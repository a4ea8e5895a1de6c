//! `random`: positions to practise, test and measure with.

mod cube3;
mod square1;

use clap::ValueEnum;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use twistbase::error::Error;

use crate::cli::environment::Environment;
use crate::cli::failure::Failure;
use crate::cli::positions::{Puzzle, puzzle};

const EXAMPLES: &str = "\
Examples:
  twistbase random square1 -n 3
  twistbase random cube21 --seed 7 --form jaap
  twistbase random square1 --walk 12 --form moves
  twistbase random cube21 -n 1000 | twistbase query cube21 -
  twistbase random cube3 --seed 7 --form reid
  twistbase random cube3 --in-h -n 3
  twistbase random cube3 --walk 15 --form moves --metric qtm

Every position is equally likely; of the Square-1 family, whichever way its
layers are turned: it can be twisted as it stands, and its middle layer is as
likely square as not. Whoever turns a puzzle at random for a while does not get
this. A walk never turns a face of the cube twice in a row, in quarter turns not
back, and turns of opposite faces come in one order.";

/// Print random positions, all equally likely, or random walks
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// The puzzle
    #[arg(value_parser = puzzle())]
    puzzle: Puzzle,

    /// How many to print
    #[arg(short = 'n', long, default_value_t = 1, value_name = "N")]
    count: u64,

    /// Start of the random numbers; the same seed gives the same positions [default: a new one each time]
    #[arg(long, value_name = "SEED")]
    seed: Option<u64>,

    /// Walk N random twists or moves (at most 1000) from solved instead of drawing from all positions
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(0..=1000))]
    walk: Option<u16>,

    /// What to print; --json prints all of it [default: hex, or for cube3 facelets]
    #[arg(long, value_enum)]
    form: Option<Form>,

    #[command(flatten)]
    cube3: cube3::Options,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Form {
    /// Square-1 family: hexadecimal positions, with the middle layer
    Hex,
    /// Square-1 family: Jaap's letters, with the middle layer
    Jaap,
    /// cube3: the 54 facelets
    Facelets,
    /// cube3: cubies in Reid's order
    Reid,
    /// The moves of the walk from solved, in WCA notation (only with --walk)
    Moves,
}

impl Form {
    /// The option that asks for it.
    const fn option(self) -> &'static str {
        match self {
            Self::Hex => "--form hex",
            Self::Jaap => "--form jaap",
            Self::Facelets => "--form facelets",
            Self::Reid => "--form reid",
            Self::Moves => "--form moves",
        }
    }
}

impl Args {
    /// What to print, after a check that nothing is asked that the puzzle does not have.
    fn own_form(&self) -> Result<Form, Error> {
        let ([first, second], foreign) = match self.puzzle {
            Puzzle::Square1(_) => ([Form::Hex, Form::Jaap], &self.cube3.given()[..]),
            Puzzle::Cube3 => ([Form::Facelets, Form::Reid], &[][..]),
        };
        let form = self.form.unwrap_or(first);
        let is_foreign = ![first, second, Form::Moves].contains(&form);
        self.puzzle.refuse(&[foreign, &[(form.option(), is_foreign)]].concat())?;
        Ok(form)
    }
}

pub fn run(args: Args, env: &Environment) -> Result<(), Failure> {
    if args.form == Some(Form::Moves) && args.walk.is_none() {
        let message = "--form moves needs --walk: a position drawn at random has no moves".to_owned();
        return Err(Error::Usage(message).into());
    }
    let mut rng = ChaCha8Rng::seed_from_u64(args.seed.unwrap_or_else(|| rand::rng().random()));
    let form = args.own_form()?;
    let mut output = env.output();
    for _ in 0..args.count {
        let line = match args.puzzle {
            Puzzle::Square1(_) => square1::line(args.puzzle.name(), args.walk, form, env.json(), &mut rng),
            Puzzle::Cube3 => cube3::line(args.cube3, args.walk, form, env.json(), &mut rng),
        };
        output.bytes(line.as_bytes())?;
    }
    output.finish()
}
