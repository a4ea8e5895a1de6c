//! `coset show`: the result of one coset.

use twistbase_cosets::{CosetReport, find_coset};

use super::report;
use super::solve::print_levels;
use crate::environment::Environment;
use crate::failure::Failure;

/// Show the result of a coset
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Sequence or position in the coset, or its number in the cover
    #[arg(value_name = "MOVES|NUMBER")]
    coset: String,
}

pub fn run(args: Args, env: &Environment) -> Result<(), Failure> {
    let coset = find_coset(&args.coset)?;
    let record = env.database()?.cosets().results().find(coset, &args.coset)?;
    let mut out = env.output();
    if env.json() {
        out.json(&CosetReport::new(Some(&args.coset), true, &record))?;
    } else {
        print_levels(&record, "", &mut out)?;
        out.line(report::summary(&record))?;
    }
    out.finish()
}
