//! `solve`: one shortest solution.

use twistbase::cache::CachedTable;
use twistbase::error::Result;
use twistbase::query::{Solution, Table};

use crate::cli::batch;
use crate::cli::environment::Environment;
use crate::cli::failure::Failure;
use crate::cli::output::json_line;
use crate::cli::positions::{POSITIONS, SolutionReport, Target, read};

const EXAMPLES: &str = "\
Examples:
  twistbase solve cube21 '(1,0)/(3,3)/(-1,5)/'
  twistbase solve square1 01234567-89ABCDEF/ --middle
  twistbase random cube21 -n 5 --seed 7 | twistbase solve cube21 - --notation cube21

A solution has the fewest twists there can be, is written to be made on the
puzzle as it is held, and ends with the turn that aligns the layers; that of a
solved and aligned position is empty. query --solutions lists all of them.";

/// Print a shortest solution of a position
#[derive(Debug, clap::Args)]
#[command(after_help = format!("{EXAMPLES}\n\n{POSITIONS}"))]
pub struct Args {
    #[command(flatten)]
    target: Target,
}

pub fn run(Args { target }: Args, env: &Environment) -> std::result::Result<(), Failure> {
    let table = target.open(&env.store()?)?;
    let mut output = env.output();
    let json = env.json();
    let line = |input: &str, label: bool| -> Result<String> {
        let solution = first_solution(&target, &table, input)?;
        if json {
            return Ok(json_line(&SolutionReport::new(&target, &table, input, &solution, false)));
        }
        let moves = target.write(solution.sequence());
        Ok(if label { format!("{input}\t{moves}\n") } else { moves + "\n" })
    };
    match target.position.as_str() {
        "-" => batch::run(batch::SHORT_ANSWERS, json, &mut output, |input| line(input, true))?,
        input => output.bytes(line(input, false)?.as_bytes())?,
    }
    output.finish()
}

fn first_solution(target: &Target, table: &Table<CachedTable>, input: &str) -> Result<Solution> {
    let position = read(table, input)?.position;
    table.solutions(&position, target.goal())?.next().expect("every position has a solution")
}
