//! `coset cover --search`: another cover.

use std::path::PathBuf;

use twistbase_core::error::Error;
use twistbase_cosets::{read_cover, search_cover};
use twistbase_export::refuse_existing;
use twistbase_solve::CoverSearch;

use super::cover::percent_more;
use crate::environment::Environment;
use crate::failure::Failure;
use crate::format::{self, grouped};

/// How a cover is searched.
#[derive(Debug, clap::Args)]
pub struct SearchArgs {
    /// Search for a cover with fewer cosets; needs -o
    ///
    /// The same seed, steps and starts find the same cover on any number of threads. The search does not change the
    /// program's own cover, which is src/puzzle/cube3/cover/cube3_cover.bin of its source.
    #[arg(long, requires = "output", conflicts_with = "cosets")]
    pub search: bool,

    /// Steps of each search; more steps find smaller covers
    #[arg(long, requires = "search", conflicts_with = "cosets", value_name = "N", default_value_t = 2_000_000_000, value_parser = clap::value_parser!(u64).range(1_000..=1_000_000_000_000_000))]
    steps: u64,

    /// Number of searches; the best cover counts
    #[arg(long, requires = "search", conflicts_with = "cosets", value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    starts: u32,

    /// Seed
    #[arg(long, requires = "search", conflicts_with = "cosets", value_name = "SEED", default_value_t = 0)]
    seed: u64,

    /// File of an earlier search to continue
    #[arg(long, requires = "search", conflicts_with = "cosets", value_name = "FILE")]
    from: Option<PathBuf>,

    /// File to write: one bit per class of edge orientations and middle edges
    #[arg(short, long, requires = "search", conflicts_with = "cosets", value_name = "FILE")]
    output: Option<PathBuf>,

    /// Replace an existing file
    #[arg(long, requires = "search", conflicts_with = "cosets")]
    force: bool,
}

pub fn run(args: &SearchArgs, env: &Environment) -> Result<(), Failure> {
    let SearchArgs { steps, starts, seed, .. } = *args;
    let Some(file) = args.output.as_deref() else {
        return Err(Error::Usage("--search needs a file: -o FILE".to_owned()).into());
    };
    refuse_existing(file, args.force)?;
    let from = args.from.as_deref().map(read_cover).transpose()?;
    let search = CoverSearch { steps, starts, seed, from };
    let found = search_cover(&search, file, &env.context())?;
    env.print(&found, |found| {
        let (percent, time) = (percent_more(found.cosets), format::seconds(found.seconds));
        let [cosets, classes] = [found.cosets, found.classes as u64].map(grouped);
        let cover = &found.cover;
        format!("{cosets} cosets of {classes} classes ({percent:+.2} % of the published), in {time}\nidentity: {cover}")
    })
}
