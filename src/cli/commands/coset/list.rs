//! `coset list`: the cosets that have been solved.

use twistbase::cosets::{CosetRecord, CosetResults};
use twistbase::error::Result;

use super::report::{Report, number};
use crate::cli::environment::Environment;
use crate::cli::failure::Failure;
use crate::cli::format::{self, grouped};

/// List the cosets that have been solved
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(flatten)]
    filter: Filter,
}

/// Which results are wanted.
#[derive(Debug, clap::Args)]
pub struct Filter {
    /// Only cosets of which some positions were not reached
    #[arg(long)]
    incomplete: bool,

    /// Only cosets of the cover
    #[arg(long)]
    in_cover: bool,

    /// Only cosets whose counts are exact at least to this depth
    #[arg(long, value_name = "N")]
    exact_to: Option<u8>,
}

impl Filter {
    /// The results that are wanted, of all in the store.
    pub fn of<'a>(&'a self, results: &'a CosetResults) -> impl Iterator<Item = Result<CosetRecord>> + 'a {
        results.iter().filter(|record| record.as_ref().map_or(true, |record| self.admits(record)))
    }

    fn admits(&self, record: &CosetRecord) -> bool {
        let is_exact = |depth| record.exact_to.is_some_and(|exact| exact >= depth);
        (!self.incomplete || !record.is_complete())
            && (!self.in_cover || number(record).is_some())
            && self.exact_to.is_none_or(is_exact)
    }
}

/// The head of the lines.
const HEAD: &str = "    coset  of cover  mode    exact to  to       remaining         time";

pub fn run(args: Args, env: &Environment) -> Result<(), Failure> {
    let results = CosetResults::open(env.store()?.dir());
    let mut out = env.output();
    if !env.json() {
        out.line(HEAD)?;
    }
    for record in args.filter.of(&results) {
        let record = record?;
        if env.json() {
            out.json(&Report::new(None, true, &record))?;
        } else {
            out.line(line(&record))?;
        }
    }
    out.finish()
}

/// A result as a line: of a table of fixed width, since there may be millions.
fn line(record: &CosetRecord) -> String {
    let or_none = |number: Option<u32>| number.map_or_else(|| "-".to_owned(), |number| number.to_string());
    let (number, exact_to) = (or_none(number(record)), or_none(record.exact_to.map(u32::from)));
    let to = record.levels.last().map_or(record.depth, |last| last.depth);
    let (remaining, time) = (grouped(record.remaining), format::seconds(record.seconds));
    format!("{:>9} {number:>9}  {:<6}  {exact_to:>8}  {to:>2} {remaining:>15} {time:>12}", record.coset, record.mode)
}
