//! `coset cover --search`: another cover.

use std::path::PathBuf;

use twistbase_core::error::Error;
use twistbase_cosets::{read_cover, search_cover};
use twistbase_solve::CoverSearch;

use super::cover::percent_more;
use crate::environment::Environment;
use crate::failure::Failure;
use crate::format::{self, grouped};

/// How a cover is searched.
#[derive(Debug, clap::Args)]
pub struct SearchArgs {
    /// Search a cover with few cosets, and write it to the file of -o
    ///
    /// The same seed and numbers of steps and starts find the same on any number of threads. The cover of this program
    /// is not changed: that is src/puzzle/cube3/cover/cube3_cover.bin of its source.
    #[arg(long, requires = "output", conflicts_with = "cosets")]
    pub search: bool,

    /// Steps of each search: more find smaller covers, and take longer
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

pub fn run(args: &SearchArgs, env: &Environment) -> Result<(), Failure> {
    let SearchArgs { steps, starts, seed, .. } = *args;
    let Some(file) = args.output.as_deref() else { return Err(Error::Usage("give a file: -o FILE".to_owned()).into()) };
    let from = args.from.as_deref().map(read_cover).transpose()?;
    let search = CoverSearch { steps, starts, seed, from };
    let found = search_cover(&search, file, &env.context()?)?;
    let mut out = env.output();
    if env.json() {
        out.json(&found)?;
        return out.finish();
    }
    let (percent, time) = (percent_more(found.cosets), format::seconds(found.seconds));
    let [cosets, classes] = [found.cosets, found.classes as u64].map(grouped);
    out.line(format_args!("{cosets} cosets of {classes} classes ({percent:+.2} % of the published), in {time}"))?;
    out.line(format_args!("identity: {}", found.cover))?;
    out.finish()
}
