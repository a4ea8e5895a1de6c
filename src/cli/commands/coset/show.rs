//! `coset show`: what is known about one coset.

use twistbase::cosets::CosetResults;
use twistbase::error::{DataError, Error, Fault, Remedy, Result};
use twistbase::puzzle::cube3::Cover;
use twistbase::puzzle::cube3::coordinate::CosetOfH;

use super::report::{self, Report};
use super::solve::print_levels;
use crate::cli::environment::Environment;
use crate::cli::failure::Failure;
use crate::cli::positions::cube3::read;

/// Show what is known about a coset
#[derive(Debug, clap::Args)]
pub struct Args {
    /// A sequence to a position of the coset (or the position), or its number in the cover
    #[arg(value_name = "MOVES|NUMBER")]
    coset: String,
}

pub fn run(args: Args, env: &Environment) -> Result<(), Failure> {
    let coset = find(&args.coset)?;
    let results = CosetResults::open(env.store()?.dir());
    let record = results.get(coset.number())?.ok_or_else(|| missing(coset, results.path(), &args.coset))?;
    let mut out = env.output();
    if env.json() {
        out.json(&Report::new(Some(&args.coset), true, &record))?;
    } else {
        print_levels(&record, &mut out)?;
        out.line(report::summary(&record))?;
    }
    out.finish()
}

/// The coset of a number in the cover, or of a position.
pub fn find(text: &str) -> Result<CosetOfH> {
    let cover = Cover::get();
    match text.parse::<u32>() {
        Ok(number) => cover.coset(number).ok_or_else(|| {
            Error::Usage(format!("the cover has no coset {number}; its numbers are 0 to {}", cover.count() - 1))
        }),
        Err(_) => Ok(CosetOfH::of(&read(text)?)),
    }
}

fn missing(coset: CosetOfH, file: &std::path::Path, input: &str) -> Error {
    let remedy = match (input.parse::<u32>(), input) {
        (Ok(number), _) => Remedy::RunCosets { range: number..number + 1, force: false },
        (Err(_), moves) => Remedy::SolveCoset { position: Some(moves.to_owned()), force: false },
    };
    DataError {
        fault: Fault::Missing,
        table: "cosets".to_owned(),
        file: Some(file.to_path_buf()),
        row: Some(coset.number()),
        page: None,
        detail: "this coset has not been solved".to_owned(),
        remedy,
    }
    .into()
}
