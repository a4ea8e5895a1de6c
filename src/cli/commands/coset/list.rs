//! `coset list`: solved cosets.

use twistbase_cosets::{CosetFilter, CosetRecord, CosetReport};

use crate::environment::Environment;
use crate::failure::Failure;
use crate::format::{self, grouped};

/// List solved cosets
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(flatten)]
    filter: Filter,
}

/// Which results are wanted.
#[derive(Debug, clap::Args)]
pub struct Filter {
    /// Only cosets with positions that were not reached
    #[arg(long)]
    incomplete: bool,

    /// Only cosets of the cover
    #[arg(long)]
    in_cover: bool,

    /// Only cosets with exact counts to depth N or deeper
    #[arg(long, value_name = "N")]
    exact_to: Option<u8>,
}

impl Filter {
    /// As the library takes it.
    pub fn wanted(&self) -> CosetFilter {
        let Self { incomplete, in_cover, exact_to } = *self;
        CosetFilter { incomplete, in_cover, exact_to }
    }
}

/// The head of the lines.
const HEAD: &str = "    coset  of cover  mode    exact to  to       remaining         time";

pub fn run(args: Args, env: &Environment) -> Result<(), Failure> {
    let cosets = env.database()?.cosets();
    let mut out = env.output();
    if !env.json() {
        out.line(HEAD)?;
    }
    for record in cosets.results().filtered(args.filter.wanted()) {
        let record = record?;
        out.report(&CosetReport::new(None, true, &record), |_| line(&record))?;
    }
    out.finish()
}

/// A result as a line: of a table of fixed width, since there may be millions.
fn line(record: &CosetRecord) -> String {
    let or_none = |number: Option<u32>| number.map_or_else(|| "-".to_owned(), |number| number.to_string());
    let (number, exact_to) = (or_none(record.number()), or_none(record.exact_to.map(u32::from)));
    let to = record.levels.last().map_or(record.depth, |last| last.depth);
    let (remaining, time) = (grouped(record.remaining), format::seconds(record.seconds));
    format!("{:>9} {number:>9}  {:<6}  {exact_to:>8}  {to:>2} {remaining:>15} {time:>12}", record.coset, record.mode)
}
