//! `coset merge`: results of shards into the store.

use std::path::{Path, PathBuf};

use serde::Serialize;
use twistbase::cosets::{CosetResults, CosetShard, CosetWriter, shard_files};
use twistbase::error::{Error, Result};

use crate::cli::environment::Environment;
use crate::cli::failure::{self, Failure};
use crate::cli::positions::cube3::NAME;

/// Bring the results of shards into the store
///
/// A file that is damaged, of another cover or a newer program, or that disagrees with what is known is refused as a whole;
/// the others are taken. Merging a file once more changes nothing.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Files that coset run --out wrote, or folders of them
    #[arg(value_name = "DIR", required = true)]
    from: Vec<PathBuf>,
}

/// What became of a file, as JSON.
#[derive(Debug, Serialize)]
struct Report<'a> {
    puzzle: &'static str,
    file: &'a Path,
    /// Numbers of the cosets in the cover.
    first: u32,
    end: u32,
    /// Results in it, and those that the store did not know, or not so well.
    results: usize,
    new: u64,
}

pub fn run(args: Args, env: &Environment) -> Result<(), Failure> {
    let mut files = Vec::new();
    for path in &args.from {
        if path.is_dir() { files.append(&mut shard_files(path)?) } else { files.push(path.clone()) }
    }
    let context = env.context()?;
    let writer = CosetResults::open(env.store()?.dir()).writer(&context)?;
    let mut out = env.output();
    let mut refused = Vec::new();
    for file in &files {
        context.check()?;
        match merge(&writer, file) {
            Ok(report) if env.json() => out.json(&report)?,
            Ok(Report { results, new, .. }) => {
                out.line(format_args!("{}: {results} results, {new} of them new", file.display()))?;
            }
            Err(Error::Data(error)) => refused.push(error),
            Err(other) => return Err(other.into()),
        }
    }
    out.finish()?;
    let count = refused.len();
    let reasons =
        refused.iter().map(|error| format!("\n  {}", failure::text(&Error::Data(error.clone())))).collect::<String>();
    match refused.into_iter().next() {
        None => Ok(()),
        Some(only) if count == 1 => Err(Error::Data(only).into()),
        Some(_) => Err(Failure::Findings(format!("{count} of {} files were refused:{reasons}", files.len()))),
    }
}

fn merge<'a>(writer: &CosetWriter, file: &'a Path) -> Result<Report<'a>> {
    let shard = CosetShard::read(file)?;
    let new = match writer.put(shard.records()) {
        // The file that is refused is the shard's, not the store's.
        Err(Error::Data(mut error)) if error.row.is_some() => {
            error.detail = format!("{} is refused: {}", file.display(), error.detail);
            return Err(error.into());
        }
        other => other?,
    };
    let (range, results) = (shard.range(), shard.records().len());
    Ok(Report { puzzle: NAME, file, first: range.start, end: range.end, results, new })
}
