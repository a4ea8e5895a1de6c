//! `puzzle solve`: shortest solutions by search.

use std::path::Path;
use std::sync::{Mutex, PoisonError};

use serde::Serialize;
use twistbase_core::context::Context;
use twistbase_core::error::{Error, Result};
use twistbase_database::lines::Portion;
use twistbase_database::{OnShortfall, column};
use twistbase_definition::{PuzzleSearch, SearchEvent, SearchRequest};

use super::{Shape, of_geometry, read};
use crate::arguments::at_least_one;
use crate::batch;
use crate::environment::Environment;
use crate::failure::Failure;
use crate::format::counted;
use crate::memory::Size;
use crate::output::json_line;

const EXAMPLES: &str = "\
Examples:
  twistbase puzzle solve pyraminx.tws \"U L' R B\"
  twistbase puzzle solve --geometry \"o f 0.333\" \"U R F L' BR\"
  twistbase puzzle solve trapdoor.tws \"A B2 L\" --all
  twistbase puzzle solve cube3 \"R F R' U2\" --ignore CORNER --quarter-turns
  twistbase puzzle solve cube3 \"F R' D2 L U\" --only DF,DR,DB,DL --all
  twistbase puzzle solve megaminx \"U R F' BR\" --goal star

Works for puzzles of any size, also those with Illegal lines. Tables of parts of the
puzzle guide the search; they are small at first and grow when the search gets long. A
puzzle with a table of its own is solved faster by 'twistbase solve'. Positions are
moves from solved, a KPattern of cubing.js, or a position as twsearch reads it;
- reads lines from standard input.";

/// Print a shortest solution of a position
#[derive(Debug, clap::Args)]
#[command(
    after_long_help = EXAMPLES,
    override_usage = "twistbase puzzle solve [OPTIONS] <FILE> <POSITION>\n       \
                      twistbase puzzle solve [OPTIONS] --geometry <LINE> <POSITION>"
)]
pub struct Args {
    /// Definition file, or a puzzle that is known, like pyraminx; then the position
    #[arg(value_name = "FILE> <POSITION", required = true, num_args = 1..=2)]
    operands: Vec<String>,

    #[command(flatten)]
    shape: Shape,

    /// Print every shortest solution, one a line
    #[arg(long)]
    all: bool,

    /// Print N solutions, longer ones after the shortest
    #[arg(long, value_name = "N", conflicts_with = "all", default_value_t = 1, value_parser = at_least_one())]
    count: usize,

    /// Print no solution of fewer than N moves
    #[arg(long, value_name = "N", default_value_t = 0)]
    min_depth: u8,

    /// Give up beyond N moves
    #[arg(long, value_name = "N", default_value_t = 255)]
    max_depth: u8,

    /// Memory for tables, like 3G or 3GiB [default: half of free memory]
    #[arg(long, value_name = "SIZE")]
    memory: Option<Size>,
}

pub fn run(
    Args { operands, shape, all, count, min_depth, max_depth, memory }: Args,
    env: &Environment,
) -> std::result::Result<(), Failure> {
    let usage = |text: &str| Err(Error::Usage(text.to_owned()).into());
    let (definition, position) = match (&operands[..], &shape.geometry) {
        ([position], Some(line)) => (of_geometry(line)?, position),
        ([file, position], None) => (read(Path::new(file))?, position),
        ([_], None) => return usage("give a file, or --geometry, and a position"),
        _ => return usage("give a file or --geometry, not both"),
    };
    let name = match &operands[..] {
        _ if !definition.name.is_empty() => definition.name.clone(),
        [known, _] if !Path::new(known).exists() => known.clone(),
        _ => definition.geometry.clone(),
    };
    if min_depth > max_depth {
        return usage("--min-depth is larger than --max-depth");
    }
    let restriction = shape.restriction(&definition)?;
    let search = PuzzleSearch::new(definition, &restriction, memory.map(|Size(bytes)| bytes))?;
    let request = SearchRequest { count: (!all).then_some(count), turns: [min_depth.into(), max_depth.into()] };
    let asked = Asked { search: Mutex::new(search), name, request, json: env.json() };
    let (context, mut out) = (env.context(), env.output());
    if position == "-" {
        let answer = |text: &mut Vec<u8>, inputs: &[&str], short: OnShortfall<'_>| {
            for input in inputs {
                match asked.answer(input, true, &context) {
                    Ok(lines) => text.extend_from_slice(lines.as_bytes()),
                    Err(error) => short(text, input, Err(error)),
                }
            }
        };
        batch::run(column, Portion::LONG_ANSWERS, &context, asked.json, None, &mut out, &answer)?;
    } else {
        out.bytes(asked.answer(position, false, &context)?.as_bytes())?;
    }
    out.finish()
}

/// The question about each position.
struct Asked {
    /// Its tables grow, so positions wait for each other; each is solved on all threads.
    search: Mutex<PuzzleSearch>,
    name: String,
    request: SearchRequest,
    json: bool,
}

impl Asked {
    /// The solutions of a position, one a line.
    fn answer(&self, input: &str, has_input: bool, ctx: &Context) -> Result<String> {
        let mut search = self.search.lock().unwrap_or_else(PoisonError::into_inner);
        let position = search.read_position(input)?;
        let mut is_found = false;
        let tell = |event: SearchEvent<'_>| match event {
            SearchEvent::Searched { turns, nodes } if !is_found => {
                let turns = counted(turns as u32, "move");
                ctx.progress().note(&format!("no solution of {turns}, {}", counted(nodes, "node")));
            }
            SearchEvent::Found(_) => is_found = true,
            _ => {}
        };
        let found = search.solutions(&position, &self.request, ctx, tell)?;
        if found.is_empty() {
            return Err(Error::Budget(none_of(self.request.turns)));
        }
        let line = |turns: &Vec<usize>| {
            let (solution, length) = (search.text(turns), turns.len());
            match (self.json, has_input) {
                (true, _) => {
                    json_line(&SearchedSolution { input, puzzle: &self.name, length, metric: "moves", solution })
                }
                (false, true) => format!("{}\t{length}\t{solution}\n", column(input)),
                (false, false) => format!("{length}\t{solution}\n"),
            }
        };
        Ok(found.iter().map(line).collect())
    }
}

/// Reports that there is no solution of this length.
fn none_of([least, most]: [usize; 2]) -> String {
    match least {
        0 => format!("no solution of at most {}: it takes at least {}", counted(most as u32, "move"), most + 1),
        _ => format!("no solution of {least} to {}", counted(most as u32, "move")),
    }
}

/// A solution: `schema/json/solution.json`.
#[derive(Debug, Serialize)]
struct SearchedSolution<'a> {
    input: &'a str,
    /// The name of the definition or of the known puzzle, or the line of the geometry.
    puzzle: &'a str,
    length: usize,
    metric: &'static str,
    solution: String,
}
