//! Random positions of the Square-1 family.

use rand_chacha::ChaCha8Rng;
use serde::Serialize;
use twistbase::puzzle::square1::notation::wca;
use twistbase::puzzle::square1::{random_position, random_walk};
use twistbase::query::GivenPosition;

use super::Form;
use crate::cli::output::json_line;
use crate::cli::positions::square1::{Written, middle_name};

#[derive(Debug, Serialize)]
struct Report {
    puzzle: &'static str,
    hex: String,
    jaap: String,
    middle: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    moves: Option<String>,
}

/// A random position, or the end of a walk of so many twists, as a line.
pub fn line(puzzle: &'static str, walk: Option<u16>, form: Form, json: bool, rng: &mut ChaCha8Rng) -> String {
    let (moves, position) = match walk {
        Some(twists) => {
            let (moves, position) = random_walk(rng, twists.into());
            (Some(wca::print(&moves)), position)
        }
        None => (None, random_position(rng)),
    };
    let Written { hex, jaap } = Written::new(&GivenPosition { position, middle_given: true });
    if json {
        return json_line(&Report { puzzle, hex, jaap, middle: middle_name(position.middle()), moves });
    }
    let text = match (form, moves) {
        (Form::Moves, Some(moves)) => moves,
        (Form::Jaap, _) => jaap,
        _ => hex,
    };
    text + "\n"
}
