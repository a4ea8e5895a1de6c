//! How cosets are solved, as options.

use std::path::Path;
use std::time::{Duration, Instant};

use clap::ValueEnum;
use twistbase::context::Context;
use twistbase::cosets::CosetRecord;
use twistbase::error::Result;
use twistbase::puzzle::cube3::coordinate::CosetOfH;
use twistbase::puzzle::cube3::{Cube, Sequence};
use twistbase::solve::{CosetCheckpoint, CosetEvent, CosetMode, CosetOptions, CosetSolver, CosetWeights, TableBytes};
use twistbase::store::Store;

use crate::cli::arguments::EngineArgs;
use crate::cli::positions::Cache;

/// What a search of a coset may be asked to do.
#[derive(Debug, Clone, clap::Args)]
pub struct SolveOptions {
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

    /// Keep the state of the search in a file of the store, to go on from after an interruption
    ///
    /// It is written after levels, and takes up to 2.5 GB of disk.
    #[arg(long)]
    checkpoint: bool,

    /// Write it after levels that end so many seconds after the last one, or after the start
    #[arg(long, value_name = "SECONDS", requires = "checkpoint", default_value_t = 60)]
    checkpoint_every: u64,

    /// Solve again what has been solved, and put the result in the place of what is known
    #[arg(long)]
    force: bool,

    #[command(flatten)]
    engine: EngineArgs,

    /// How to use the hot cache
    #[arg(long, value_enum, default_value_t = Cache::OnDemand, value_name = "USE")]
    cache: Cache,
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

impl SolveOptions {
    /// Whether to solve again what has been solved.
    pub fn force(&self) -> bool {
        self.force
    }

    /// Checkpoints in that folder, if there are to be any.
    pub fn checkpoint(&self, folder: &Path) -> Option<CosetCheckpoint> {
        let every = Duration::from_secs(self.checkpoint_every);
        self.checkpoint.then(|| CosetCheckpoint { folder: folder.to_path_buf(), every })
    }

    /// As the library takes them.
    pub fn options(&self, checkpoint: Option<CosetCheckpoint>) -> CosetOptions {
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
            list_from: None,
            kernel: self.engine.kernel(),
            memory: self.engine.memory(),
            checkpoint,
        }
    }

    /// A solver with [such options](Self::options).
    pub fn recorder(&self, store: &Store, options: CosetOptions, context: &Context) -> Result<Recorder> {
        let solver = CosetSolver::open(store, options, self.cache.mode(), context)?;
        Ok(Recorder { solver, context: context.clone() })
    }
}

/// A solver that makes records.
pub struct Recorder {
    solver: CosetSolver<TableBytes>,
    context: Context,
}

impl Recorder {
    /// A shortest sequence into a coset.
    pub fn sequence_into(&self, coset: CosetOfH) -> Result<Sequence> {
        self.solver.sequence_into(coset)
    }

    /// Solves the coset of a position.
    pub fn solve(
        &mut self,
        representative: &Cube,
        weights: Option<&CosetWeights>,
        tell: &mut dyn FnMut(CosetEvent<'_>) -> Result<()>,
    ) -> Result<CosetRecord> {
        let started = Instant::now();
        let result = self.solver.solve(representative, weights, &self.context, tell)?;
        let (coset, time) = (CosetOfH::of(representative), started.elapsed());
        Ok(CosetRecord::new(coset, &result, self.solver.options(), weights.is_some(), time))
    }
}
