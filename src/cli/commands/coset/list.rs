//! `coset list`: the cosets that have been solved.

use twistbase::store::CosetRecord;

use super::report::{Report, number};
use crate::cli::environment::Environment;
use crate::cli::failure::Failure;
use crate::cli::format::{self, Align, grouped};

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
    pub fn of(&self, env: &Environment) -> Result<Vec<CosetRecord>, Failure> {
        let mut records = env.store()?.cosets().all()?;
        records.retain(|record| self.admits(record));
        Ok(records)
    }

    fn admits(&self, record: &CosetRecord) -> bool {
        let is_exact = |depth| record.exact_to.is_some_and(|exact| exact >= depth);
        (!self.incomplete || !record.is_complete())
            && (!self.in_cover || number(record).is_some())
            && self.exact_to.is_none_or(is_exact)
    }
}

pub fn run(args: Args, env: &Environment) -> Result<(), Failure> {
    let records = args.filter.of(env)?;
    let mut out = env.output();
    if env.json() {
        records.iter().try_for_each(|record| out.json(&Report::new(None, true, record)))?;
        return out.finish();
    }
    use Align::{Left, Right};
    let columns = [
        ("coset", Right),
        ("of cover", Right),
        ("mode", Left),
        ("exact to", Right),
        ("to", Right),
        ("remaining", Right),
        ("time", Right),
    ];
    let mut table = format::table(&columns);
    for record in &records {
        table.add_row([
            record.coset.to_string(),
            number(record).map_or_else(|| "-".to_owned(), |number| number.to_string()),
            record.mode.clone(),
            record.exact_to.map_or_else(|| "-".to_owned(), |depth| depth.to_string()),
            record.levels.last().map_or(record.depth, |last| last.depth).to_string(),
            grouped(record.remaining),
            format::seconds(record.seconds),
        ]);
    }
    out.line(table.trim_fmt())?;
    out.finish()
}
