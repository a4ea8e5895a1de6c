//! `coset export`: results as files for other programs.

use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use clap::ValueEnum;
use twistbase::cosets::{CosetRecord, CosetResults};
use twistbase::error::Error;
use twistbase::solve::CosetLevel;
use twistbase::store::NewFile;

use super::list::Filter;
use super::report::{Report, number};
use crate::cli::environment::Environment;
use crate::cli::failure::Failure;
use crate::cli::output::json_line;

/// Export the results
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The format
    #[arg(long, value_enum, default_value_t = Format::Csv)]
    format: Format,

    /// The file to write [default: standard output]
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,

    #[command(flatten)]
    filter: Filter,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Format {
    /// A line for each coset and depth, with a head
    Csv,
    /// An object a line for each coset, as coset list --json prints it
    Jsonl,
}

const HEAD: &str =
    "coset,number,depth,positions,total,weighted,exact,searched,sequences,prepass_seconds,search_seconds\n";

pub fn run(args: Args, env: &Environment) -> Result<(), Failure> {
    let results = CosetResults::open(env.store()?.dir());
    let head = if matches!(args.format, Format::Csv) { HEAD } else { "" };
    let texts = args.filter.of(&results).map(|record| {
        Ok(match args.format {
            Format::Csv => csv(&record?),
            Format::Jsonl => json_line(&Report::new(None, true, &record?)),
        })
    });
    let texts = std::iter::once(Ok(head.to_owned())).chain(texts);
    match &args.output {
        Some(path) => Ok(write(path, texts)?),
        None => {
            let mut out = env.output();
            for text in texts {
                out.bytes(text?.as_bytes())?;
            }
            out.finish()
        }
    }
}

/// Writes a file that gets its name when it is complete.
fn write(path: &Path, texts: impl Iterator<Item = Result<String, Error>>) -> Result<(), Error> {
    let mut file = BufWriter::new(NewFile::create(path)?);
    let failed = |source| Error::io("write", path, source);
    for text in texts {
        file.write_all(text?.as_bytes()).map_err(failed)?;
    }
    file.into_inner().map_err(|error| failed(error.into_error()))?.publish()
}

/// The levels of a result as lines.
fn csv(record: &CosetRecord) -> String {
    let text = |number: Option<u64>| number.map_or_else(String::new, |number| number.to_string());
    let place = number(record).map(u64::from);
    let line = |level: &CosetLevel| {
        let counts = [level.positions, level.total, level.weighted].map(text).join(",");
        let times = format!("{:.6},{:.6}", level.prepass_seconds, level.search_seconds);
        let (coset, place) = (record.coset, text(place));
        format!(
            "{coset},{place},{},{counts},{},{},{},{times}\n",
            level.depth, level.exact, level.searched, level.sequences
        )
    };
    record.levels.iter().map(line).collect()
}
