//! Options for solving cosets.

use std::path::PathBuf;
use std::time::Duration;

use clap::builder::TypedValueParser;
use twistbase_core::context::Context;
use twistbase_core::error::Result;
use twistbase_cosets::{CosetDatabase, CosetRequest, PositionList};
use twistbase_export::refuse_existing;
use twistbase_solve::{CosetMode, CosetOptions};

use crate::arguments::{CacheArgs, EngineArgs, duration, named};
use crate::environment::Environment;
use crate::format::counted;
use crate::output::StandardOutput;

/// Options that decide the result of a search.
#[derive(Debug, Clone, clap::Args)]
#[group(skip)]
pub struct SearchOptions {
    /// Count exactly up to this depth, by a full search
    #[arg(short = 'S', long, value_name = "N", value_parser = clap::value_parser!(u8).range(0..=20))]
    search_depth: Option<u8>,

    /// Last depth; levels beyond -S are bounds
    #[arg(short, long, value_name = "N", default_value_t = CosetOptions::DEEPEST, value_parser = clap::value_parser!(u8).range(0..=20))]
    depth: u8,

    /// Stop the last level once it has more than N positions
    #[arg(short = 'e', long, value_name = "N")]
    stop_at: Option<u64>,

    /// Count only the last level after the search
    #[arg(short = 'a', long)]
    no_count: bool,

    /// Only show that 20 moves suffice
    ///
    /// Searches to depth 16, stops early if that is enough, and finds bounds to 20.
    #[arg(short = 'F', long, conflicts_with_all = ["search_depth", "depth", "stop_at"])]
    bound_20: bool,

    /// Search method; set and bitmap are slow and check fast
    #[arg(long, value_parser = mode(), default_value = "fast", hide_short_help = true)]
    mode: CosetMode,

    /// Search every level without extending it by moves of H first
    #[arg(short = 'U', long)]
    no_prepass: bool,
}

/// Options of a search.
#[derive(Debug, Clone, clap::Args)]
pub struct SolveOptions {
    #[command(flatten)]
    search: SearchOptions,

    /// Save the search state, to resume after an interruption
    ///
    /// Writes a file of up to 2.5 GB to the store after each level.
    #[arg(long)]
    checkpoint: bool,

    /// Least time between two checkpoints
    #[arg(long, value_name = "DURATION", requires = "checkpoint", default_value = "1m", value_parser = duration)]
    checkpoint_every: Duration,

    /// Solve again, and replace stored results and the file of --list
    #[arg(long)]
    force: bool,

    #[command(flatten)]
    engine: EngineArgs,

    #[command(flatten)]
    cache: CacheArgs,
}

/// The positions to list, and the file for them.
#[derive(Debug, Clone, clap::Args)]
#[group(skip)]
pub struct ListOptions {
    /// List positions at this distance or farther (needs --list)
    ///
    /// Writes them as cubies in Reid's order. Levels from 21 on are empty if the search reaches that far. A list of more
    /// than about a thousand million lines needs --force.
    #[arg(long, value_name = "LEVEL", requires = "list", value_parser = clap::value_parser!(u8).range(0..=21))]
    list_from: Option<u8>,

    /// File for the positions; - is standard output, without reports
    #[arg(long, value_name = "FILE", requires = "list_from")]
    list: Option<PathBuf>,
}

fn mode() -> impl TypedValueParser<Value = CosetMode> {
    named([
        ("set", "A set of positions, filled by a plain search"),
        ("bitmap", "A bitmap, filled by the same search"),
        ("fast", "The bitmap, searched on all threads; skips positions that moves of H find"),
    ])
}

impl SearchOptions {
    /// As the library takes them.
    pub fn options(&self) -> CosetOptions {
        CosetOptions {
            mode: self.mode,
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
    /// Whether only the list goes to standard output.
    pub fn is_on_output(&self) -> bool {
        self.list.as_deref().is_some_and(|path| path.as_os_str() == "-")
    }

    /// Begins the list. Replaces a file only by force.
    pub fn begin(&self, force: bool) -> Result<Option<PositionList>> {
        let Some(path) = &self.list else { return Ok(None) };
        if self.is_on_output() {
            return Ok(Some(PositionList::of_stream(StandardOutput, "standard output")));
        }
        refuse_existing(path, force)?;
        PositionList::create(path).map(Some)
    }

    /// Reports the number of positions in the finished list.
    pub fn report(&self, written: Option<u64>, ctx: &Context) {
        let (Some(written), Some(path)) = (written, &self.list) else { return };
        let place = if self.is_on_output() { "standard output".to_owned() } else { path.display().to_string() };
        ctx.progress().note(&format!("{} written to {place}", counted(written, "position")));
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
        Ok(self.cache.database(env)?.cosets())
    }
}
