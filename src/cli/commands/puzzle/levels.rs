//! `puzzle levels`: the number of positions at each distance.

use std::path::PathBuf;

use serde::Serialize;
use twistbase_core::error::Error;
use twistbase_core::memory::available_memory;

use super::Source;
use crate::callback::Callback;
use crate::environment::Environment;
use crate::failure::Failure;
use crate::format::{bytes, grouped};
use crate::memory::Size;

const EXAMPLES: &str = "\
Examples:
  twistbase puzzle levels pyraminx.tws --depth 5
  twistbase puzzle levels pyraminx.tws --depth 5 --json
  twistbase puzzle levels --geometry \"o f 0.333\" --depth 4
  twistbase puzzle levels cube3 --moves U,D,R2,L2,F2,B2 --up-to U2,D2,R2,L2,F2,B2
  twistbase puzzle levels redi --goal layer

Each turn counts one. Up to two thousand million positions take three bits each. Of more
positions, all that are alike up to symmetry take two bits together: the Redi cube (redi)
takes 9 GB. With --work they take one bit of memory, or less. The first levels, and those
of larger puzzles, are lists of positions: a million take a few seconds.";

/// Count the positions at each distance from solved
#[derive(Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub struct Args {
    #[command(flatten)]
    source: Source,

    /// Last distance [default: the farthest that fits in memory]
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u16))]
    depth: Option<u16>,

    /// Memory limit, like 3G or 3GiB [default: 90% of free memory]
    #[arg(long, value_name = "SIZE")]
    memory: Option<Size>,

    /// Folder of working files, for counts that take hours or more than the memory
    ///
    /// Each distance is saved: the same command continues a stopped count. Remove the folder
    /// when you no longer need it.
    #[arg(long, value_name = "DIR", value_hint = clap::ValueHint::DirPath)]
    work: Option<PathBuf>,
}

pub fn run(Args { source, depth, memory, work }: Args, env: &Environment) -> Result<(), Failure> {
    let puzzle = source.read()?;
    let (context, mut out) = (env.context(), env.output());
    let memory = memory.map_or_else(available_memory, |Size(bytes)| bytes);
    let (callback, mut total) = (Callback::default(), 0);
    let (last, work) = (depth.map_or(usize::MAX, usize::from), work.as_deref());
    let counted = puzzle.count_levels(last, memory, work, &context, |depth, positions| {
        total += positions;
        callback.run(|| {
            if depth == 0 && !env.json() {
                // Not earlier: an error has no table.
                out.line(format!("{:>5}{:>20}{:>20}", "depth", "positions", "total"))?;
            }
            out.report(&Level { depth, positions, total }, line)?;
            out.flush()
        })
    });
    let levels = callback.outcome(counted)?;
    out.finish()?;
    let last = levels.counts.len() - 1;
    if levels.complete || depth.is_some_and(|depth| usize::from(depth) == last) {
        return Ok(());
    }
    Err(Error::Memory(format!(
        "depth {} takes more than {} of memory; the counts up to depth {last} are complete",
        last + 1,
        bytes(memory)
    ))
    .into())
}

fn line(&Level { depth, positions, total }: &Level) -> String {
    format!("{depth:>5}{:>20}{:>20}", grouped(positions), grouped(total))
}

/// The positions at a distance: `schema/json/definition-level.json`.
#[derive(Debug, Serialize)]
struct Level {
    depth: usize,
    positions: u64,
    total: u64,
}
