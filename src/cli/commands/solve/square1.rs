//! Shortest solutions of positions of the Square-1 family.

use twistbase::cache::CachedTable;
use twistbase::error::Result;
use twistbase::query::{Square1Solution, Square1Table};
use twistbase::tables::TwistTable;

use crate::cli::batch;
use crate::cli::environment::Environment;
use crate::cli::failure::Failure;
use crate::cli::output::json_line;
use crate::cli::positions::Target;
use crate::cli::positions::square1::{self as positions, Options, SolutionReport, read};

pub fn run(
    options: Options,
    puzzle: &'static TwistTable,
    target: &Target,
    env: &Environment,
) -> std::result::Result<(), Failure> {
    let table = positions::open(puzzle, &env.store()?, target.cache)?;
    let mut output = env.output();
    let json = env.json();
    let line = |input: &str, label: bool| -> Result<String> {
        let solution = first_solution(options, &table, input)?;
        if json {
            return Ok(json_line(&SolutionReport::new(options, &table, input, &solution, false)));
        }
        let moves = options.write(solution.sequence());
        Ok(if label { format!("{input}\t{moves}\n") } else { moves + "\n" })
    };
    match target.position.as_str() {
        "-" => batch::run(batch::SHORT_ANSWERS, json, &mut output, |input| Ok(line(input, true)?.into()))?,
        input => output.bytes(line(input, false)?.as_bytes())?,
    }
    output.finish()
}

fn first_solution(options: Options, table: &Square1Table<CachedTable>, input: &str) -> Result<Square1Solution> {
    let position = read(table, input)?.position;
    table.solutions(&position, options.goal())?.next().expect("every position has a solution")
}
