//! `solve`: one shortest solution.

use twistbase::cache::CachedTable;
use twistbase::error::Result;
use twistbase::query::{Solution, Table};

use crate::cli::batch;
use crate::cli::environment::Environment;
use crate::cli::failure::Failure;
use crate::cli::positions::{POSITIONS, SolutionReport, Target, read};

/// A shortest solution of a position
#[derive(Debug, clap::Args)]
#[command(after_help = POSITIONS)]
pub struct Args {
    #[command(flatten)]
    target: Target,

    /// The position; - for many, on standard input
    #[arg(allow_hyphen_values = true)]
    position: String,
}

pub fn run(args: Args, env: &Environment) -> std::result::Result<(), Failure> {
    let table = args.target.open(&env.store()?)?;
    let mut output = env.output();
    let json = env.json();
    if args.position == "-" {
        batch::run(json, &mut output, |input| args.line(&table, input, json))?;
    } else {
        output.bytes(args.line(&table, &args.position, json)?.as_bytes())?;
    }
    output.finish()
}

impl Args {
    fn line(&self, table: &Table<CachedTable>, input: &str, json: bool) -> Result<String> {
        let solution = self.solution(table, input)?;
        Ok(if json {
            let report = SolutionReport::new(&self.target, table, input, &solution, false);
            serde_json::to_string(&report).unwrap_or_default() + "\n"
        } else {
            self.target.write(solution.sequence()) + "\n"
        })
    }

    fn solution(&self, table: &Table<CachedTable>, input: &str) -> Result<Solution> {
        let position = read(table, input)?.position;
        let mut solutions = table.solutions(&position, self.target.goal())?;
        solutions.next().expect("every position has a solution")
    }
}
