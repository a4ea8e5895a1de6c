//! The H-coset solver: all 19,508,428,800 positions of a coset of H = ⟨U, D, R2, F2, L2, B2⟩, by the number of moves.
//!
//! From a representative `r`, the solver goes through all sequences `s` that lead into H. What such a sequence reaches,
//! `h = r s`, is a bit of a bitmap; `s` solves the position `h⁻¹ r`, which differs from `r` by an element of H only and
//! is what the bit stands for. A bit first set at depth `d` is a position at distance `d`.
//!
//! Nearly all sequences end in moves of H. Those are not searched: a *prepass* extends all positions found so far by
//! the ten moves of H at once (`levelset`'s step on whole blocks of bits). A level that was searched after the prepass
//! is exact; one that had the prepass alone gives upper bounds.
//!
//! The method is Tomas Rokicki's (hcoset).

mod checkpoint;
mod count;
mod excursions;
mod found;
mod move_masks;
mod options;
mod places;
mod plain;
mod reached;
mod report;
mod representative;
mod search;
mod tails;
#[cfg(test)]
mod tests;
mod weights;
mod whole_cube;

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{LazyLock, OnceLock};
use std::time::Instant;

pub use options::{CosetCheckpoint, CosetMode, CosetOptions};
pub use report::{CosetEvent, CosetLevel, CosetResult};
pub use representative::sequence_into;
pub use weights::CosetWeights;
pub use whole_cube::{WholeCube, WholeCubeCount};

use twistbase_core::context::Context;
use twistbase_core::error::{Error, Result};
use twistbase_core::units::bytes;
use twistbase_levelset::{Block, Spread};
use twistbase_puzzle::cube3::coordinate::{CosetOfH, PhaseTwoPosition};
use twistbase_puzzle::cube3::{CanonicalState, Cube, Metric};
use twistbase_store::FlatTable;
use twistbase_tables::{self as tables, Definition};

use checkpoint::{CheckpointIdentity, CheckpointState};
use count::Weigher;
use excursions::Excursions;
use found::FoundPositions;
use move_masks::MoveMaskTable;
use places::{BitPlace, BitPlaces};
use plain::PlainSearch;
use reached::{ExcursionSearch, ReachedPositions};
use search::{LevelSearch, SearchCounters, SearchCounts, SearchTables};
use tails::{Ending, Tails};

/// Fewer positions than this are not worth a prepass: searching what it would do takes less time.
const LEAST_FOR_PREPASS: u64 = 4_000_000;
/// After a level on which fewer sequences than this were searched, the next, with up to seven times as many, takes less
/// time than it takes to make the table of move masks (`schema/decisions/coset-solver.md` has the times).
const LEAST_FOR_MOVE_MASKS: u64 = 50_000_000;
/// Levels after fewer positions than this are searched in less time than it takes to make excursions to all rows.
const LEAST_FOR_EXCURSIONS: u64 = 1_000_000_000;
/// Bytes of the tails of all endings: 214,000 each of two and 30,000 of one, with their hash tables.
const TAILS_MEMORY: u64 = 24 << 20;
/// Positions of earlier levels that are stored at most, to make excursions from them.
const MOST_REACHED: u64 = 13 << 20;

/// The coset solver over the bytes of `phase1`. Its bitmap is allocated once, and used for one coset after another.
pub struct CosetSolver<B> {
    phase1: B,
    options: CosetOptions,
    found: FoundPositions,
    ground: SearchTables,
    /// Made when they are first needed.
    move_masks: OnceLock<MoveMaskTable>,
    excursions: OnceLock<Excursions>,
    /// By [`Ending`].
    tails: [OnceLock<Tails>; Ending::COUNT],
}

impl<B> std::fmt::Debug for CosetSolver<B> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("CosetSolver").field("options", &self.options).finish_non_exhaustive()
    }
}

impl<B: AsRef<[u8]> + Sync> CosetSolver<B> {
    /// Bytes of memory that a solver in that mode needs besides `phase1`; in [`CosetMode::Set`], for each position.
    pub fn working_set(mode: CosetMode) -> u64 {
        match mode {
            CosetMode::Set => FoundPositions::BYTES_OF_POSITION,
            CosetMode::Bitmap => spread().memory(),
            CosetMode::Fast => {
                spread().memory()
                    + MoveMaskTable::MEMORY
                    + TAILS_MEMORY
                    + MOST_REACHED * ReachedPositions::BYTES_OF_POSITION
            }
        }
    }

    /// The solver over the bytes of `phase1`, row after row.
    ///
    /// # Errors
    /// [`Error::Usage`] when their length is not the table's or the options contradict each other, [`Error::Budget`]
    /// when [`Self::working_set`] exceeds the options' memory or it cannot be had.
    pub fn new(phase1: B, options: CosetOptions) -> Result<Self> {
        FlatTable::new(*tables::phase_one(Metric::Htm).layout(), phase1.as_ref())?;
        let options = options.checked()?;
        Error::check_memory(options.memory, Self::working_set(options.mode))?;
        Ok(Self {
            phase1,
            found: FoundPositions::new(options.mode)?,
            options,
            ground: SearchTables::new(),
            move_masks: OnceLock::new(),
            excursions: OnceLock::new(),
            tails: Default::default(),
        })
    }

    /// How it solves.
    pub fn options(&self) -> &CosetOptions {
        &self.options
    }

    /// Solves the coset of `representative`, from its checkpoint if there is one. Calls `tell` for each finished
    /// level, and for the positions to list. Uses the threads of rayon's pool.
    ///
    /// # Errors
    /// [`Error::Interrupted`]; [`Error::Memory`] when a set of positions outgrows the memory; those of `tell`, which
    /// end the search; [`Error::Io`] and [`Error::Data`] (damaged) about a checkpoint, [`Error::Usage`] if it is of
    /// something else.
    pub fn solve(
        &mut self,
        representative: &Cube,
        weights: Option<&CosetWeights>,
        ctx: &Context,
        tell: &mut dyn FnMut(CosetEvent<'_>) -> Result<()>,
    ) -> Result<CosetResult> {
        self.found.clear();
        let weigher = weights.map(Weigher::new);
        let identity = self.identity(representative, weights);
        let (levels, total, listed) = (Vec::new(), WeightedCount::default(), false);
        let mut run = SolverRun {
            solver: self,
            representative,
            weigher,
            ctx,
            tell,
            identity,
            levels,
            total,
            sequences_before: 0,
            reached: Vec::new(),
            listed,
            saved: Instant::now(),
        };
        let result = run.run();
        ctx.progress().end();
        result
    }

    /// Visits the positions that were reached when the coset of `representative` was solved last.
    ///
    /// # Errors
    /// Those of `visit`; [`Error::Interrupted`].
    pub fn for_each_reached(
        &self,
        representative: &Cube,
        ctx: &Context,
        visit: &mut dyn FnMut(&Cube) -> Result<()>,
    ) -> Result<()> {
        self.found.for_each(true, ctx, &mut |place| visit(&position(place, representative)))
    }

    /// What a checkpoint is of.
    fn identity(&self, representative: &Cube, weights: Option<&CosetWeights>) -> CheckpointIdentity {
        let mut hash = blake3::Hasher::new();
        let Cube { cp, co, ep, eo } = representative;
        hash.update(cp).update(co).update(ep).update(eo).update(&self.options.identity());
        if let Some(weights) = weights {
            let bytes: Vec<u8> = weights.by_edges().iter().flat_map(|weight| weight.to_le_bytes()).collect();
            hash.update(&bytes);
        }
        hash.finalize().into()
    }
}

/// The position that is solved by what makes of the representative the position with that place.
fn position(place: BitPlace, representative: &Cube) -> Cube {
    BitPlaces::get().position(place).position().inverse().then(representative)
}

/// The moves of H between the bits.
fn spread() -> &'static Spread {
    static SPREAD: LazyLock<Spread> = LazyLock::new(|| BitPlaces::get().spread());
    &SPREAD
}

/// The solution of one coset.
struct SolverRun<'a, B> {
    solver: &'a mut CosetSolver<B>,
    representative: &'a Cube,
    weigher: Option<Weigher>,
    ctx: &'a Context,
    tell: &'a mut dyn FnMut(CosetEvent<'_>) -> Result<()>,
    /// What a checkpoint is of.
    identity: CheckpointIdentity,
    levels: Vec<CosetLevel>,
    /// All positions so far.
    total: WeightedCount,
    /// Sequences that were searched on the level before, without those that end with an excursion.
    sequences_before: u64,
    /// The positions up to levels from which excursions are still to be made, with the levels, rising. Those from
    /// before a checkpoint are missing.
    reached: Vec<(u8, ReachedPositions)>,
    /// Whether the remaining positions have been listed.
    listed: bool,
    /// When there was a checkpoint last, or the start.
    saved: Instant,
}

/// Positions and the sum of their weights.
#[derive(Debug, Clone, Copy, Default)]
struct WeightedCount {
    positions: u64,
    weighted: u64,
}

impl<B: AsRef<[u8]> + Sync> SolverRun<'_, B> {
    fn run(&mut self) -> Result<CosetResult> {
        let first = self.plain().distance(self.representative);
        self.restore()?;
        let next = self.levels.last().map_or(first, |level| level.depth + 1);
        for depth in next..=self.solver.options.depth {
            if self.total.positions == CosetOfH::POSITIONS {
                break;
            }
            self.list_before(depth)?;
            self.total = self.level(depth, self.total)?;
            self.keep_reached(depth)?;
            (self.tell)(CosetEvent::Level(self.levels.last().expect("a level was made")))?;
            self.save()?;
        }
        let remaining = CosetOfH::POSITIONS - self.total.positions;
        if remaining > 0 {
            self.list()?;
        }
        let exact_to = self.levels.iter().take_while(|level| level.exact).last().map(|level| level.depth);
        Ok(CosetResult { levels: std::mem::take(&mut self.levels), exact_to, remaining })
    }

    /// Resumes from the checkpoint, if there is one, and reports its levels again.
    fn restore(&mut self) -> Result<()> {
        let CosetSolver { options, found, .. } = &mut *self.solver;
        let Some(checkpoint) = &options.checkpoint else { return Ok(()) };
        let file = checkpoint.file(CosetOfH::of(self.representative));
        let Some(state) = checkpoint::restore(&file, &self.identity, self.representative, found.bitmap()?, self.ctx)?
        else {
            return Ok(());
        };
        let CheckpointState { levels, positions, weighted, listed } = state;
        self.sequences_before = levels.last().map_or(0, |level| level.sequences);
        (self.levels, self.total, self.listed) = (levels, WeightedCount { positions, weighted }, listed);
        self.levels.iter().try_for_each(|level| (self.tell)(CosetEvent::Level(level)))
    }

    /// Writes a checkpoint, if one is due and there is another level.
    fn save(&mut self) -> Result<()> {
        let CosetSolver { options, found, .. } = &mut *self.solver;
        let Some(checkpoint) = &options.checkpoint else { return Ok(()) };
        let is_last = self.levels.last().is_some_and(|level| level.depth == options.depth);
        if self.saved.elapsed() >= checkpoint.every && !is_last && self.total.positions < CosetOfH::POSITIONS {
            let WeightedCount { positions, weighted } = self.total;
            let state = CheckpointState { levels: self.levels.clone(), positions, weighted, listed: self.listed };
            let file = checkpoint.file(CosetOfH::of(self.representative));
            checkpoint::save(&file, &self.identity, &state, found.bitmap()?, self.ctx)?;
            self.saved = Instant::now();
        }
        Ok(())
    }

    fn plain(&self) -> PlainSearch<'_> {
        PlainSearch { phase1: self.solver.phase1.as_ref(), ctx: self.ctx, nodes: 0 }
    }

    /// Keeps the positions up to a level that was just made, if they are few enough and a search will need them.
    fn keep_reached(&mut self, depth: u8) -> Result<()> {
        let CosetSolver { options, found, .. } = &mut *self.solver;
        self.reached.retain(|&(level, _)| level + Excursions::LONGEST > depth);
        let is_exact = self.levels.last().is_some_and(|level| level.exact);
        let kept: u64 = self.reached.iter().map(|(_, reached)| reached.count()).sum();
        if options.mode == CosetMode::Fast
            && options.prepass
            && is_exact
            && depth + Excursions::SHORTEST <= options.search_depth
            && kept + self.total.positions <= MOST_REACHED
        {
            self.reached.push((depth, ReachedPositions::new(found.bitmap()?)));
        }
        Ok(())
    }

    /// Makes a level; returns the count of all positions by then.
    fn level(&mut self, depth: u8, before: WeightedCount) -> Result<WeightedCount> {
        let options = &self.solver.options;
        let searched = depth <= options.search_depth;
        let is_counted = searched || options.count_after_search || depth == options.depth;
        let prepass = options.mode == CosetMode::Fast
            && !self.levels.is_empty()
            && (!searched || (options.prepass && before.positions > LEAST_FOR_PREPASS));
        let start = Instant::now();
        let mut total = before;
        if prepass {
            let counted = self.prepass(depth, is_counted)?;
            total = if is_counted { counted } else { before };
        }
        let prepass_seconds = if prepass { start.elapsed().as_secs_f64() } else { 0.0 };
        let (start, mut search) = (Instant::now(), SearchedLevel::default());
        if searched && total.positions < CosetOfH::POSITIONS {
            search = self.search(depth, total, prepass)?;
            total.positions += search.new.positions;
            total.weighted += search.new.weighted;
        }
        let exact_before = self.levels.last().is_none_or(|level| level.exact);
        // After a level that was not counted, what is new at this one is not known.
        let is_new_known = is_counted && self.levels.last().is_none_or(|level| level.total.is_some());
        let is_complete = total.positions == CosetOfH::POSITIONS;
        self.levels.push(CosetLevel {
            depth,
            positions: is_new_known.then(|| total.positions - before.positions),
            total: is_counted.then_some(total.positions),
            weighted: self.weigher.as_ref().filter(|_| is_new_known).map(|_| total.weighted - before.weighted),
            exact: exact_before && ((searched && !search.ended_early) || is_complete),
            searched,
            ended_early: search.ended_early,
            sequences: search.sequences,
            prepass_seconds,
            search_seconds: if searched { start.elapsed().as_secs_f64() } else { 0.0 },
        });
        Ok(total)
    }

    /// Extends all positions by the moves of H.
    fn prepass(&mut self, depth: u8, is_counted: bool) -> Result<WeightedCount> {
        let kernel = self.solver.options.kernel;
        let (positions, weighted) = (AtomicU64::new(0), AtomicU64::new(0));
        let count = |row: usize, blocks: &[Block]| {
            if is_counted {
                let of_row = blocks.iter().map(|block| kernel.count_in(block, &Block::FULL)).sum();
                positions.fetch_add(of_row, Ordering::Relaxed);
                let of_row = self.weigher.as_ref().map_or(0, |weigher| weigher.of_row(row, blocks, kernel));
                weighted.fetch_add(of_row, Ordering::Relaxed);
            }
        };
        let stage = format!("level {depth}: prepass");
        self.solver.found.bitmap()?.spread(spread(), kernel, &stage, self.ctx, &count)?;
        Ok(WeightedCount { positions: positions.into_inner(), weighted: weighted.into_inner() })
    }

    /// Searches a level, of which the bits in `total` are set before; with a prepass only what that leaves out.
    fn search(&mut self, depth: u8, total: WeightedCount, prepass: bool) -> Result<SearchedLevel> {
        let most = self.solver.options.most_positions(depth, total.positions);
        let Some(enough) = most.checked_sub(total.positions) else {
            return Ok(SearchedLevel { ended_early: true, ..SearchedLevel::default() });
        };
        let ending = match prepass {
            true if self.is_worth_excursions(depth, total) => Ending::FromOutside,
            true => Ending::NotInH,
            false => Ending::Any,
        };
        if self.solver.options.mode != CosetMode::Fast || depth < ending.tail_length() {
            return self.search_plainly(depth, enough);
        }
        if self.sequences_before > LEAST_FOR_MOVE_MASKS {
            self.make_move_masks(ending)?;
        }
        let mut searched = SearchedLevel::default();
        if ending == Ending::FromOutside {
            searched.add(self.search_excursions(depth, enough)?);
        }
        if !searched.ended_early {
            let others = self.search_ending(depth, ending, enough - searched.new.positions)?;
            self.sequences_before = others.sequences;
            searched.add(others);
        }
        Ok(searched)
    }

    /// Makes the table of move masks, and beside it the excursions that an ending needs, if that has not been done.
    fn make_move_masks(&self, ending: Ending) -> Result<()> {
        let CosetSolver { phase1, move_masks, excursions, .. } = &*self.solver;
        let phase1 = phase1.as_ref();
        if move_masks.get().is_none() {
            let find = || {
                (ending == Ending::FromOutside).then(|| excursions.get_or_init(|| Excursions::new(phase1)));
            };
            let (made, ()) = rayon::join(|| MoveMaskTable::new(phase1, self.ctx), find);
            let made = made?;
            move_masks.get_or_init(|| made);
        }
        Ok(())
    }

    /// Whether excursions can be made to a level, and it has sequences enough.
    fn is_worth_excursions(&self, depth: u8, total: WeightedCount) -> bool {
        total.positions > LEAST_FOR_EXCURSIONS && before_excursions(&self.levels, &self.reached, depth).is_some()
    }

    /// Searches what ends with an excursion.
    fn search_excursions(&mut self, depth: u8, enough: u64) -> Result<SearchedLevel> {
        let CosetSolver { phase1, found, ground, excursions, .. } = &mut *self.solver;
        let before = before_excursions(&self.levels, &self.reached, depth).expect("kept, as was looked at before");
        let search = ExcursionSearch {
            before,
            excursions: excursions.get_or_init(|| Excursions::new(phase1.as_ref())),
            finder: ground.finder(),
            weigher: self.weigher.as_ref(),
            ctx: self.ctx,
            enough,
            counts: SearchCounters::default(),
            stopped: AtomicBool::new(false),
        };
        search.run(found.bitmap()?, depth)?;
        Ok(SearchedLevel::of(search.counts, search.stopped))
    }

    /// Searches all sequences with an ending.
    fn search_ending(&mut self, depth: u8, ending: Ending, enough: u64) -> Result<SearchedLevel> {
        let CosetSolver { phase1, found, ground, move_masks, tails, .. } = &mut *self.solver;
        let phase1 = phase1.as_ref();
        let tails = tails[ending as usize].get_or_init(|| Tails::new(phase1, ending));
        let move_masks = move_masks.get();
        found.bitmap()?.share(|set| {
            let search = LevelSearch {
                ground,
                phase1,
                move_masks,
                tails,
                ending,
                set,
                weigher: self.weigher.as_ref(),
                ctx: self.ctx,
                enough,
                counts: SearchCounters::default(),
                stopped: AtomicBool::new(false),
            };
            search.run(self.representative, depth)?;
            Ok(SearchedLevel::of(search.counts, search.stopped))
        })
    }

    fn search_plainly(&mut self, depth: u8, enough: u64) -> Result<SearchedLevel> {
        let CosetSolver { phase1, found, options, .. } = &mut *self.solver;
        let mut searched = SearchedLevel::default();
        let mut reach = |position: &Cube| {
            let place = BitPlaces::get().of(&PhaseTwoPosition::of(position).expect("the search ends in H"));
            searched.sequences += 1;
            if found.insert(place) {
                searched.new.positions += 1;
                searched.new.weighted += self.weigher.as_ref().map_or(0, |w| w.weight(place.row, place.rank.into()));
            }
            searched.new.positions <= enough && found.bytes() <= options.memory
        };
        let mut plain = PlainSearch { phase1: phase1.as_ref(), ctx: self.ctx, nodes: 0 };
        let to_the_end = plain.search(self.representative, depth, CanonicalState::START, &mut reach)?;
        if !to_the_end && searched.new.positions <= enough {
            let memory = bytes(options.memory);
            return Err(Error::Memory(format!("level {depth} does not fit the memory limit of {memory}")));
        }
        searched.ended_early = !to_the_end;
        Ok(searched)
    }

    /// Lists what remains before a level, if that is the one to list it.
    fn list_before(&mut self, depth: u8) -> Result<()> {
        if self.solver.options.list_from.is_some_and(|from| from <= depth) { self.list() } else { Ok(()) }
    }

    /// Lists the positions that remain, if that is wanted and has not been done.
    fn list(&mut self) -> Result<()> {
        if self.solver.options.list_from.is_none() || std::mem::replace(&mut self.listed, true) {
            return Ok(());
        }
        let (tell, representative) = (&mut *self.tell, self.representative);
        self.solver
            .found
            .for_each(false, self.ctx, &mut |place| tell(CosetEvent::Remaining(&position(place, representative))))
    }
}

/// The positions up to the levels from which excursions lead to a level, by length; `None` if some were not stored.
fn before_excursions<'a>(
    levels: &[CosetLevel],
    reached: &'a [(u8, ReachedPositions)],
    depth: u8,
) -> Option<Vec<Option<&'a ReachedPositions>>> {
    let first = levels.first()?.depth;
    let lengths = Excursions::SHORTEST..=Excursions::LONGEST;
    let before = lengths.map(|length| match depth.checked_sub(length).filter(|&level| level >= first) {
        None => Some(None),
        Some(level) => reached.iter().find(|(kept, _)| *kept == level).map(|(_, reached)| Some(reached)),
    });
    before.collect()
}

/// What the search of a level found.
#[derive(Debug, Clone, Copy, Default)]
struct SearchedLevel {
    new: WeightedCount,
    sequences: u64,
    ended_early: bool,
}

impl SearchedLevel {
    fn of(counts: SearchCounters, stopped: AtomicBool) -> Self {
        let SearchCounts { sequences, positions, weighted } = counts.into_counted();
        Self { new: WeightedCount { positions, weighted }, sequences, ended_early: stopped.into_inner() }
    }

    /// Adds what another part of the search found.
    fn add(&mut self, other: Self) {
        self.new.positions += other.new.positions;
        self.new.weighted += other.new.weighted;
        self.sequences += other.sequences;
        self.ended_early |= other.ended_early;
    }
}
