//! `random`: positions to practise, test and measure with.

use clap::ValueEnum;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde::Serialize;
use twistbase::puzzle::square1::notation::wca;
use twistbase::puzzle::square1::{Position, Sequence, random_position, random_walk};
use twistbase::query::Given;
use twistbase::tables::{Definition, TwistTable};

use crate::cli::arguments::twist_table;
use crate::cli::environment::Environment;
use crate::cli::failure::Failure;
use crate::cli::positions::{Written, middle_name};

const EXAMPLES: &str = "\
Examples:
  twistbase random square1 -n 3
  twistbase random cube21 --seed 7 --form jaap
  twistbase random square1 --walk 12 --form moves
  twistbase random cube21 -n 1000 | twistbase query cube21 -

Every position is equally likely, whichever way its layers are turned; it can be
twisted as it stands, and its middle layer is as likely square as not. Whoever
twists a puzzle at random for a while does not get this.";

/// Print random positions, all equally likely, or random walks
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// The puzzle
    #[arg(value_parser = twist_table())]
    puzzle: &'static TwistTable,

    /// How many to print
    #[arg(short = 'n', long, default_value_t = 1, value_name = "N")]
    count: u64,

    /// Start of the random numbers; the same seed gives the same positions [default: a new one each time]
    #[arg(long, value_name = "SEED")]
    seed: Option<u64>,

    /// Walk N random twists (at most 1000) from solved instead of drawing from all positions
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(0..=1000))]
    walk: Option<u16>,

    /// What to print; --json prints all of it
    #[arg(long, value_enum, default_value_t = Form::Hex)]
    form: Form,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Form {
    /// Hexadecimal positions, with the middle layer
    Hex,
    /// Jaap's letters, with the middle layer
    Jaap,
    /// The moves of the walk from solved, in WCA notation (only with --walk)
    Moves,
}

#[derive(Debug, Serialize)]
struct Report {
    puzzle: &'static str,
    hex: String,
    jaap: String,
    middle: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    moves: Option<String>,
}

pub fn run(args: Args, env: &Environment) -> Result<(), Failure> {
    let puzzle = args.puzzle.puzzle();
    if args.form == Form::Moves && args.walk.is_none() {
        let message = "--form moves needs --walk: a position drawn at random has no moves".to_owned();
        return Err(twistbase::error::Error::Usage(message).into());
    }
    let mut rng = ChaCha8Rng::seed_from_u64(args.seed.unwrap_or_else(|| rand::rng().random()));
    let mut output = env.output();
    for _ in 0..args.count {
        let (moves, position) = args.draw(&mut rng);
        let Written { hex, jaap } = Written::new(&Given { position, middle_given: true });
        if env.json() {
            let middle = middle_name(position.middle());
            let moves = moves.map(|moves| wca::print(&moves));
            let report = Report { puzzle, hex, jaap, middle, moves };
            output.json(&report)?;
            continue;
        }
        output.line(match (args.form, moves) {
            (Form::Moves, Some(moves)) => wca::print(&moves),
            (Form::Jaap, _) => jaap,
            _ => hex,
        })?;
    }
    output.finish()
}

impl Args {
    fn draw(&self, rng: &mut ChaCha8Rng) -> (Option<Sequence>, Position) {
        match self.walk {
            Some(twists) => {
                let (moves, position) = random_walk(rng, usize::from(twists));
                (Some(moves), position)
            }
            None => (None, random_position(rng)),
        }
    }
}
