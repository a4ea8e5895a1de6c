//! How cosets are solved, as options.

use std::path::PathBuf;
use std::time::Duration;

use clap::ValueEnum;
use twistbase_core::context::Context;
use twistbase_core::error::Result;
use twistbase_cosets::{CosetDatabase, CosetRequest, PositionList};
use twistbase_solve::{CosetMode, CosetOptions};

use crate::arguments::{EngineArgs, duration};
use crate::environment::Environment;
use crate::format::grouped;
use crate::output::StandardOutput;
use crate::positions::Cache;

/// What decides what comes out of a search of a coset.
#[derive(Debug, Clone, clap::Args)]
#[group(skip)]
pub struct SearchOptions {
    /// Count exactly up to this depth: all sequences so long are searched
    #[arg(short = 'S', long, value_name = "N", value_parser = clap::value_parser!(u8).range(0..=20))]
    search_depth: Option<u8>,

    /// Stop after this depth; levels that are not searched are bounds, found by moves of H alone
    #[arg(short, long, value_name = "N", default_value_t = CosetOptions::DEEPEST, value_parser = clap::value_parser!(u8).range(0..=20))]
    depth: u8,

    /// Stop the search of the last level once there are more than N positions
    #[arg(short = 'e', long, value_name = "N")]
    stop_at: Option<u64>,

    /// Do not count levels after the search, but for the last
    #[arg(short = 'a', long)]
    no_count: bool,

    /// Only show that 20 moves suffice: search to 16, stop early when that is enough, bounds to 20
    #[arg(short = 'F', long, conflicts_with_all = ["search_depth", "depth", "stop_at"])]
    bound_20: bool,

    /// How positions are kept and found: the slow ways are there to check the fast one
    #[arg(long, value_enum, default_value_t = Mode::Fast)]
    mode: Mode,

    /// Search all levels whole, without extending what was found by moves of H first
    #[arg(short = 'U', long)]
    no_prepass: bool,
}

/// What a search of a coset may be asked to do.
#[derive(Debug, Clone, clap::Args)]
pub struct SolveOptions {
    #[command(flatten)]
    search: SearchOptions,

    /// Keep the state of the search in a file of the store, to go on from after an interruption
    ///
    /// It is written after levels, and takes up to 2.5 GB of disk.
    #[arg(long)]
    checkpoint: bool,

    /// Write it after levels that end so long after the last one, or after the start
    #[arg(long, value_name = "DURATION", requires = "checkpoint", default_value = "1m", value_parser = duration)]
    checkpoint_every: Duration,

    /// Solve again what has been solved, and put the result in the place of what is known
    #[arg(long)]
    force: bool,

    #[command(flatten)]
    engine: EngineArgs,

    /// How to use the hot cache
    #[arg(long, value_enum, default_value_t = Cache::OnDemand, value_name = "USE")]
    cache: Cache,
}

/// Which positions of cosets are listed, and where.
#[derive(Debug, Clone, clap::Args)]
#[group(skip)]
pub struct ListOptions {
    /// Write the positions that no level before this one reached, as cubies in Reid's order (needs --list)
    ///
    /// From 21 on there are none, if the search reaches so far. A list of more than about a thousand million lines is
    /// refused without --force.
    #[arg(long, value_name = "LEVEL", requires = "list", value_parser = clap::value_parser!(u8).range(0..=21))]
    list_from: Option<u8>,

    /// The file to write them to, coset after coset; - is standard output, without the reports
    #[arg(long, value_name = "FILE", requires = "list_from")]
    list: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Mode {
    /// A set of positions, filled by a plain search
    Set,
    /// A bitmap, filled by the same search
    Bitmap,
    /// The bitmap, with a search on all threads that leaves out what moves of H find
    Fast,
}

impl SearchOptions {
    /// As the library takes them.
    pub fn options(&self) -> CosetOptions {
        let mode = match self.mode {
            Mode::Set => CosetMode::Set,
            Mode::Bitmap => CosetMode::Bitmap,
            Mode::Fast => CosetMode::Fast,
        };
        CosetOptions {
            mode,
            search_depth: self.search_depth.unwrap_or(self.depth),
            depth: self.depth,
            prepass: !self.no_prepass,
            stop_at: self.stop_at,
            count_after_search: !self.no_count,
            bound_20: self.bound_20,
            ..CosetOptions::default()
        }
    }
}

impl ListOptions {
    /// Whether the list is all that goes to standard output.
    pub fn is_on_output(&self) -> bool {
        self.list.as_deref().is_some_and(|path| path.as_os_str() == "-")
    }

    /// Begins the list.
    pub fn begin(&self) -> Result<Option<PositionList>> {
        match &self.list {
            Some(_) if self.is_on_output() => Ok(Some(PositionList::of_stream(StandardOutput, "standard output"))),
            path => path.as_deref().map(PositionList::create).transpose(),
        }
    }

    /// Tells how many positions the finished list has.
    pub fn tell(&self, written: Option<u64>, ctx: &Context) {
        let (Some(written), Some(path)) = (written, &self.list) else { return };
        let positions = if written == 1 { "position" } else { "positions" };
        let place = if self.is_on_output() { "standard output".to_owned() } else { path.display().to_string() };
        ctx.progress().note(&format!("{} {positions} written to {place}", grouped(written)));
    }
}

impl SolveOptions {
    /// As the library takes them.
    pub fn request(&self, list: &ListOptions) -> CosetRequest {
        CosetRequest {
            options: CosetOptions { list_from: list.list_from, ..self.solver_options() },
            force: self.force,
            checkpoint_every: self.checkpoint.then_some(self.checkpoint_every),
        }
    }

    fn solver_options(&self) -> CosetOptions {
        CosetOptions { kernel: self.engine.kernel(), memory: self.engine.memory(), ..self.search.options() }
    }

    /// The cosets of the database that the environment names.
    pub fn cosets(&self, env: &Environment) -> Result<CosetDatabase> {
        Ok(env.database()?.with_cache(self.cache.mode()).cosets())
    }
}
