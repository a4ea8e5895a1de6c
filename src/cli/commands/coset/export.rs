//! `coset export`: results as files for other programs.

use std::path::PathBuf;

use clap::builder::TypedValueParser;
use twistbase_core::error::Error;
use twistbase_cosets::CosetFormat;
use twistbase_export::refuse_existing;

use super::list::Filter;
use crate::arguments::named;
use crate::environment::Environment;
use crate::failure::Failure;

/// Export the results as CSV or JSON Lines
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Format [default: csv; jsonl with --json]
    #[arg(long, value_parser = format())]
    format: Option<CosetFormat>,

    /// File to write; - is standard output [default: -]
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,

    /// Replace an existing file
    #[arg(long, requires = "output")]
    force: bool,

    #[command(flatten)]
    filter: Filter,
}

fn format() -> impl TypedValueParser<Value = CosetFormat> {
    named([
        ("csv", "A header, then one line per coset and depth"),
        ("jsonl", "One object per coset and line, like coset list --json"),
    ])
}

pub fn run(args: Args, env: &Environment) -> Result<(), Failure> {
    let cosets = env.database()?.cosets();
    let results = cosets.results();
    let filter = args.filter.wanted();
    let format = match (args.format, env.json()) {
        (Some(CosetFormat::Csv), true) => {
            return Err(
                Error::Usage("--json and --format csv contradict each other; give one of them".to_owned()).into()
            );
        }
        (Some(CosetFormat::Csv) | None, false) => CosetFormat::Csv,
        (Some(CosetFormat::JsonLines), _) | (None, true) => CosetFormat::JsonLines,
    };
    if let Some(path) = args.output.filter(|path| path.as_os_str() != "-") {
        refuse_existing(&path, args.force)?;
        return Ok(results.export(&path, format, filter)?);
    }
    let mut out = env.output();
    out.bytes(format.head().as_bytes())?;
    for record in results.filtered(filter) {
        out.bytes(format.lines(&record?).as_bytes())?;
    }
    out.finish()
}
