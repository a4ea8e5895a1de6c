//! `twistbase puzzles`: what can be asked about.

use twistbase_database::{Database, PuzzleInfo};

use crate::environment::Environment;
use crate::failure::Failure;
use crate::format::{self, Align};

const EXAMPLES: &str = "\
Examples:
  twistbase puzzles
  twistbase puzzles --json | jq -r .puzzle
  twistbase puzzles --json | jq -r '[.puzzle] + .goals | join(\" \")'

The first metric of a puzzle is the default. Only solve has the metrics in
brackets. twistbase help solve describes the methods of the Rubik's cube. Puzzles
solved by search have no table. Boxes (2x3x4), pancake-N and topspin-N-K of any size
are known, too.

Other names: 3x3, 333 or rubik for cube3; 2x2 or 222 for cube2; sq1 or square-1
for square1. Case and punctuation do not matter.";

/// List the puzzles, their metrics and solving methods
#[derive(Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub struct Args {}

pub fn run(Args {}: Args, env: &Environment) -> Result<(), Failure> {
    env.print_all(&Database::puzzle_infos().collect::<Vec<_>>(), |_| listing())
}

fn listing() -> String {
    let columns = ["puzzle", "name", "metrics", "methods", "solved"].map(|name| (name, Align::Left));
    let mut table = format::table(&columns);
    for info in Database::puzzle_infos() {
        let PuzzleInfo { puzzle, title, solved, methods, has_table, .. } = *info;
        let searched = info.solve_metrics.iter().map(|metric| format!("({metric})"));
        let metrics: Vec<String> = info.metrics.iter().map(|&metric| metric.to_owned()).chain(searched).collect();
        let methods = match methods {
            [] if !has_table => "search".to_owned(),
            [] => "-".to_owned(),
            all => all.join(" "),
        };
        table.add_row([puzzle.to_owned(), title.to_owned(), metrics.join(" "), methods, solved.to_owned()]);
    }
    table.trim_fmt()
}
