//! `coset cover --search`: another cover.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Instant;

use serde::Serialize;
use twistbase::error::Error;
use twistbase::puzzle::cube3::CoverClasses;
use twistbase::solve::CoverSearch;
use twistbase::store::NewFile;

use super::cover::{PUBLISHED, percent_more};
use crate::cli::environment::Environment;
use crate::cli::failure::Failure;
use crate::cli::format::{self, grouped};
use crate::cli::positions::cube3::NAME;

/// How a cover is searched.
#[derive(Debug, clap::Args)]
pub struct SearchArgs {
    /// Search a cover with few cosets, and write it to the file of -o
    ///
    /// The same seed and numbers of steps and starts find the same on any number of threads. The cover of this program
    /// is not changed: that is data/cube3_cover.bin of its source.
    #[arg(long, requires = "output", conflicts_with = "cosets")]
    pub search: bool,

    /// Steps of each search, 60 to 90 seconds for 2,000,000,000
    #[arg(long, requires = "search", value_name = "N", default_value_t = 2_000_000_000, value_parser = clap::value_parser!(u64).range(1_000..=1_000_000_000_000_000))]
    steps: u64,

    /// Searches, side by side, of which the best is taken
    #[arg(long, requires = "search", value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    starts: u32,

    /// What decides where they lead
    #[arg(long, requires = "search", value_name = "SEED", default_value_t = 0)]
    seed: u64,

    /// A file of -o to go on from
    #[arg(long, requires = "search", value_name = "FILE")]
    from: Option<PathBuf>,

    /// The file to write: a bit for each class of edge orientations and middle edges' places
    #[arg(short, long, requires = "search", value_name = "FILE")]
    output: Option<PathBuf>,
}

/// What was found, as JSON: `schema/json/coset-cover-search.json`.
#[derive(Debug, Serialize)]
struct Report<'a> {
    puzzle: &'static str,
    file: &'a Path,
    cover: String,
    cosets: u64,
    classes: usize,
    published: u32,
    steps: u64,
    starts: u32,
    seed: u64,
    seconds: f64,
}

pub fn run(args: &SearchArgs, env: &Environment) -> Result<(), Failure> {
    let SearchArgs { steps, starts, seed, .. } = *args;
    let Some(file) = args.output.as_deref() else { return Err(Error::Usage("give a file: -o FILE".to_owned()).into()) };
    let from = args.from.as_deref().map(read).transpose()?;
    let (started, mut out) = (Instant::now(), env.output());
    let found = CoverSearch { steps, starts, seed, from }.run(&env.context()?)?;
    write(file, &found)?;
    let (cosets, seconds) = (found.cosets(), started.elapsed().as_secs_f64());
    let (cover, classes) = (found.identity(), found.count());
    if env.json() {
        let published = PUBLISHED;
        out.json(&Report { puzzle: NAME, file, cover, cosets, classes, published, steps, starts, seed, seconds })?;
    } else {
        let (percent, time) = (percent_more(cosets), format::seconds(seconds));
        let [cosets, classes] = [cosets, classes as u64].map(grouped);
        out.line(format_args!("{cosets} cosets of {classes} classes ({percent:+.2} % of the published), in {time}"))?;
        out.line(format_args!("identity: {cover}"))?;
    }
    out.finish()
}

fn read(path: &Path) -> Result<CoverClasses, Error> {
    let bytes = fs::read(path).map_err(|source| Error::io("read", path, source))?;
    CoverClasses::from_bytes(&bytes).ok_or_else(|| Error::Usage(format!("{} is no set of classes", path.display())))
}

fn write(path: &Path, found: &CoverClasses) -> Result<(), Error> {
    let mut file = NewFile::create(path)?;
    file.write_all(found.as_bytes()).map_err(|source| Error::io("write", path, source))?;
    file.publish()
}
