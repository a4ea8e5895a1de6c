//! Random positions of the Rubik's cube.

use rand_chacha::ChaCha8Rng;
use serde::Serialize;
use twistbase::puzzle::cube3::{random_cube, random_in_h, random_walk};

use super::Form;
use crate::cli::output::json_line;
use crate::cli::positions::cube3::{MetricArg, NAME, Written};

/// What only the cube has.
#[derive(Debug, Clone, Copy, clap::Args)]
#[command(next_help_heading = "Rubik's cube")]
#[group(skip)]
pub struct Options {
    /// Draw from the positions in H = <U, D, R2, F2, L2, B2>
    #[arg(long, conflicts_with = "walk")]
    in_h: bool,

    /// How to count the moves of the walk: in qtm it is made of quarter turns [default: htm]
    #[arg(long, value_enum, requires = "walk")]
    metric: Option<MetricArg>,
}

impl Options {
    /// The options, each with whether it was given.
    pub fn given(self) -> [(&'static str, bool); 2] {
        [("--in-h", self.in_h), ("--metric", self.metric.is_some())]
    }
}

#[derive(Debug, Serialize)]
struct Report {
    puzzle: &'static str,
    #[serde(flatten)]
    written: Written,
    in_h: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    moves: Option<String>,
}

/// A random position, or the end of a walk of so many moves, as a line.
pub fn line(options: Options, walk: Option<u16>, form: Form, json: bool, rng: &mut ChaCha8Rng) -> String {
    let (moves, position) = match walk {
        Some(length) => {
            let (moves, position) = random_walk(rng, MetricArg::metric(options.metric), length.into());
            (Some(moves.to_string()), position)
        }
        None if options.in_h => (None, random_in_h(rng)),
        None => (None, random_cube(rng)),
    };
    let written = Written::new(&position);
    if json {
        return json_line(&Report { puzzle: NAME, written, in_h: position.is_in_h(), moves });
    }
    let text = match (form, moves) {
        (Form::Moves, Some(moves)) => moves,
        (Form::Reid, _) => written.reid,
        _ => written.facelets,
    };
    text + "\n"
}
