//! All levels of a space that is larger than memory, counted.
//!
//! Only what is reached is stored, a bit per state: within one more move is what was reached, and its neighbours. So a level reads
//! the set of the level before and writes its own; each is a file of rows. A level takes a few passes. Each holds as many rows of
//! the old set as memory has room for, and goes through all rows of the new set, to which it adds what they are next to in these.
//! So each file is read and written from front to back as many times as there are passes.
//!
//! A level that is complete is recorded. A search that ended before its last level, in whatever way, continues behind that.

use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::MOST_LEVELS;
use crate::orientation::moves::OrientationSpace;
use crate::orientation::pull::{PreparedSpace, PullTask, PullableOrientations, RowSources};
use crate::orientation::representation::{OrientationPlanes, OrientationSet, PartMarks};
use twistbase_core::context::Context;
use twistbase_core::error::{Error, Result};
use twistbase_core::memory::Zeroed;
use twistbase_core::simd::in_wide_registers;
use twistbase_core::threads::start_in_pool;

use super::search::OrientationSeed;
use crate::level_files::{LevelFiles, RowBytes, RowFile};

/// A set that says only what is reached: all of its states have the one code.
type Reached<S> = OrientationPlanes<S, 1>;

/// The code of what is reached.
const REACHED: u8 = 1;

/// States of a level that are listed, at most.
const MOST_LISTED: usize = 1 << 16;

/// Threads for each one of rayon's pool: some wait for the disk.
const THREADS_FOR_ONE: usize = 2;

/// The levels of a space, counted.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ReachedLevels {
    /// By level, the number of states of each row, each state counted once.
    pub counts: Vec<Vec<u64>>,
    /// By level, how often the sets of each row's [tallies](ReachedTallies) have states of it.
    pub tallies: Vec<Vec<u64>>,
    /// The states of the last level, if they are not too many.
    pub farthest: Option<Vec<OrientationSeed>>,
    /// The levels of the probes, in their order; `None` for those that are not reached.
    pub probes: Vec<Option<u8>>,
}

impl ReachedLevels {
    /// The states of a level, each counted once.
    fn total(&self, level: usize) -> u64 {
        self.counts[level].iter().sum()
    }

    /// The states of a row that are reached.
    fn of_row(&self, row: usize) -> u64 {
        self.counts.iter().map(|counts| counts[row]).sum()
    }
}

/// Sets of states that are counted by themselves: those that a symmetry keeps.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReachedTallies<S> {
    /// Lists of sets, each with its block.
    pub lists: Vec<Vec<(u32, S)>>,
    /// By row, the lists that are counted.
    pub rows: Vec<Vec<u32>>,
}

impl<S> Default for ReachedTallies<S> {
    /// Nothing.
    fn default() -> Self {
        Self { lists: Vec::new(), rows: Vec::new() }
    }
}

impl<S: OrientationSet> ReachedTallies<S> {
    /// How many states of a row the sets of its lists have, of those of some blocks.
    fn count(&self, row: usize, states: &[S], has: impl Fn(usize) -> bool) -> u64 {
        let lists = self.rows.get(row).into_iter().flatten().map(|&list| &self.lists[list as usize]);
        let sets = lists.flatten().filter(|(block, _)| has(*block as usize));
        sets.map(|(block, set)| u64::from(states[*block as usize].and(set).count())).sum()
    }
}

/// How the levels of a large space are counted.
#[derive(Debug, Clone, Copy)]
pub struct ReachedOptions<'a> {
    /// The folder of the files, which nobody else may use. They stay there, for a search that continues.
    pub folder: &'a Path,
    /// The name of the space, in messages and in the record. Whatever changes its states or its moves needs another one.
    pub name: &'a str,
    /// Bytes of memory to stay within.
    pub memory: u64,
    /// The last level to count; all if there is none.
    pub depth: Option<u8>,
    /// States whose level is wanted.
    pub probes: &'a [OrientationSeed],
}

/// Bytes of memory without which the levels of such a space cannot be counted.
pub fn reached_least_memory<S: PullableOrientations>(space: &OrientationSpace<S>) -> u64 {
    fixed_memory(space) + row_bytes(space) as u64
}

/// Bytes in memory whatever the number of rows that are held.
fn fixed_memory<S: PullableOrientations>(space: &OrientationSpace<S>) -> u64 {
    let threads = rayon::current_num_threads() * THREADS_FOR_ONE;
    let marks = PartMarks::bytes(space.shape().rows, space.shape().parts);
    // A thread has a row, what is found of it, and the row compressed.
    (threads * 3 * row_bytes(space) + marks) as u64 + space.bytes()
}

fn row_bytes<S: PullableOrientations>(space: &OrientationSpace<S>) -> usize {
    space.shape().blocks() * size_of::<S>()
}

/// Counts the states of `space` by their distance from the nearest of `seeds`. `ended` gets what is known after each level.
///
/// # Errors
/// [`Error::Memory`] below [`reached_least_memory`]; [`Error::Io`] from the files; [`Error::Busy`] if another search uses them;
/// [`Error::Usage`] if the folder has the record of another space or search; [`Error::Budget`] if there are [`MOST_LEVELS`] levels or
/// more; [`Error::Interrupted`].
pub fn count_reached<S: PullableOrientations>(
    space: &OrientationSpace<S>,
    seeds: &[OrientationSeed],
    tallies: &ReachedTallies<S>,
    options: &ReachedOptions<'_>,
    ctx: &Context,
    ended: &mut (dyn FnMut(&ReachedLevels) + Send),
) -> Result<ReachedLevels> {
    Error::check_memory(options.memory, reached_least_memory(space))?;
    let slots = ((options.memory - fixed_memory(space)) / row_bytes(space) as u64) as usize;
    let threads = rayon::current_num_threads() * THREADS_FOR_ONE;
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).spawn_handler(start_in_pool).build();
    let pool = pool.map_err(|error| Error::no_thread(io::Error::other(error)))?;
    let mut files =
        LevelFiles::open((options.folder, options.name), options.probes, space.shape().rows, row_bytes(space))?;
    let levels = match files.recorded()? {
        Some(levels) => levels,
        None => start(space, (seeds, tallies), options, &mut files)?,
    };
    let mut search = ReachedSearch {
        prepared: PreparedSpace::new(space),
        tallies,
        probes: options.probes,
        slots: slots.clamp(1, space.shape().rows),
        files,
        levels,
    };
    pool.install(|| search.run(options.depth, ctx, ended))?;
    Ok(search.levels)
}

/// Writes the set of the seeds.
fn start<S: PullableOrientations>(
    space: &OrientationSpace<S>,
    (seeds, tallies): (&[OrientationSeed], &ReachedTallies<S>),
    options: &ReachedOptions<'_>,
    files: &mut LevelFiles,
) -> Result<ReachedLevels> {
    let shape = space.shape();
    let (mut counts, mut tallied) = (vec![0; shape.rows], vec![0; shape.rows]);
    let mut bytes = RowBytes::default();
    for row in seeds.iter().map(|seed| seed.row as usize) {
        let mut sets = vec![S::EMPTY; shape.blocks()];
        for seed in seeds.iter().filter(|seed| seed.row as usize == row) {
            sets[seed.part as usize * shape.groups + seed.group as usize].insert(seed.orientations);
        }
        counts[row] = sets.iter().map(|set| u64::from(set.count())).sum();
        tallied[row] = tallies.count(row, &sets, |_| true);
        let written = files.new.write(row, bytemuck::cast_slice(&sets), &mut bytes)?;
        files.new.set(row, written);
    }
    let probes = options.probes.iter().map(|probe| seeds.contains(probe).then_some(0)).collect();
    let (counts, tallies) = (vec![counts], vec![tallied]);
    let levels = ReachedLevels { counts, tallies, farthest: Some(seeds.to_vec()), probes };
    files.record(&levels)?;
    Ok(levels)
}

/// A search between two levels.
struct ReachedSearch<'a, S: PullableOrientations> {
    prepared: PreparedSpace<'a, S>,
    tallies: &'a ReachedTallies<S>,
    probes: &'a [OrientationSeed],
    /// Rows of the old set that are held at a time.
    slots: usize,
    files: LevelFiles,
    levels: ReachedLevels,
}

/// What a pass is for.
struct ReachedPass<'a> {
    level: u8,
    /// Whether it is the first of its level: rows come from the old set.
    is_first: bool,
    /// The rows of the old set to pull from.
    held: &'a [usize],
}

/// The rows that are held.
struct HeldRows<S> {
    /// By row, its slot.
    slots: Vec<Option<usize>>,
    sets: Zeroed<S>,
    /// By slot, which parts have any states.
    marks: PartMarks,
}

/// What a pass finds, by all threads.
#[derive(Default)]
struct Findings {
    states: Mutex<Vec<OrientationSeed>>,
    listed: AtomicU64,
}

/// How many states a row gets, and how many the sets of its tallies have of these.
#[derive(Default)]
struct FreshStates {
    states: u64,
    tallied: u64,
}

/// What a thread works with.
struct Buffers<S> {
    own: Vec<S>,
    found: Vec<S>,
    fresh: Vec<u32>,
    bytes: RowBytes,
}

impl<S: PullableOrientations> ReachedSearch<'_, S> {
    /// Counts levels until there is nothing left, or the depth is reached.
    fn run(&mut self, depth: Option<u8>, ctx: &Context, ended: &mut (dyn FnMut(&ReachedLevels) + Send)) -> Result<()> {
        let shape = *self.prepared.space.shape();
        let states = (shape.rows * shape.blocks() * S::STATES) as u64;
        let mut held = HeldRows {
            slots: vec![None; shape.rows],
            sets: Zeroed::new(self.slots * shape.blocks())?,
            marks: PartMarks::new(self.slots, shape.parts),
        };
        for level in self.levels.counts.len()..=MOST_LEVELS {
            let reached: u64 = (0..level).map(|level| self.levels.total(level)).sum();
            let is_wanted = reached < states && depth.is_none_or(|depth| level <= depth.into());
            if !is_wanted || !self.level(level as u8, &mut held, ctx)? {
                ctx.progress().end();
                return Ok(());
            }
            ended(&self.levels);
        }
        Err(Error::Budget(format!(
            "{} has states at distance {MOST_LEVELS} or more, beyond the supported depth",
            self.files.name()
        )))
    }

    /// Counts a level; returns whether it has any states. One without any is not recorded.
    fn level(&mut self, level: u8, held: &mut HeldRows<S>, ctx: &Context) -> Result<bool> {
        let rows = self.prepared.space.shape().rows;
        self.files.exchange();
        let (mut counts, mut tallies, findings) = (vec![0; rows], vec![0; rows], Findings::default());
        // Rows without states lead to nothing.
        let live: Vec<usize> = (0..rows).filter(|&row| !self.files.old.is_empty(row)).collect();
        let passes = live.len().div_ceil(self.slots);
        for (number, rows_to_hold) in live.chunks(self.slots).enumerate() {
            let pass = ReachedPass { level, is_first: number == 0, held: rows_to_hold };
            let part = if passes > 1 { format!(", part {} of {passes}", number + 1) } else { String::new() };
            ctx.progress().begin(&format!("level {level}{part}"), rows as u64, "rows");
            self.hold(&pass, held, ctx)?;
            for (row, fresh) in self.pass(&pass, held, &findings, ctx)?.into_iter().enumerate() {
                counts[row] += fresh.states;
                tallies[row] += fresh.tallied;
            }
        }
        let states = findings.states.into_inner().unwrap_or_else(PoisonError::into_inner);
        let count = counts.iter().sum::<u64>();
        if count == 0 {
            self.files.exchange();
            return Ok(false);
        }
        self.levels.counts.push(counts);
        self.levels.tallies.push(tallies);
        self.levels.farthest = (states.len() as u64 == count).then(|| {
            let mut states = states;
            states.sort_unstable_by_key(|state| (state.row, state.part, state.group, state.orientations));
            states
        });
        self.files.record(&self.levels)?;
        Ok(true)
    }

    /// Reads the rows of the old set that a pass pulls from.
    fn hold(&self, pass: &ReachedPass<'_>, held: &mut HeldRows<S>, ctx: &Context) -> Result<()> {
        let shape = self.prepared.space.shape();
        held.slots.fill(None);
        for (slot, &row) in pass.held.iter().enumerate() {
            held.slots[row] = Some(slot);
        }
        let marks: Vec<_> = held.marks.rows_mut(0).collect();
        let slots = held.sets.par_chunks_exact_mut(shape.blocks()).zip(marks).zip(pass.held);
        slots.try_for_each_init(RowBytes::default, |bytes, ((sets, marks), &row)| {
            ctx.check()?;
            self.files.old.read(row, bytemuck::cast_slice_mut(sets), bytes)?;
            let has_any = |sets: &[S]| sets.iter().any(|set| *set != S::EMPTY);
            PartMarks::mark(marks, sets.chunks_exact(shape.groups).map(has_any));
            Ok(())
        })
    }

    /// Adds to all rows of the new set what they are next to; returns by row what that is.
    fn pass(
        &mut self,
        pass: &ReachedPass<'_>,
        held: &HeldRows<S>,
        findings: &Findings,
        ctx: &Context,
    ) -> Result<Vec<FreshStates>> {
        let shape = self.prepared.space.shape();
        let buffers = || Buffers {
            own: vec![S::EMPTY; shape.blocks()],
            found: vec![S::EMPTY; shape.blocks()],
            fresh: vec![0; shape.parts],
            bytes: RowBytes::default(),
        };
        let probed = Mutex::new(Vec::new());
        let results = (0..shape.rows).into_par_iter().map_init(buffers, |buffers, row| {
            ctx.check()?;
            let result = self.row(pass, row, held, findings, buffers, &probed);
            ctx.progress().advance(1);
            result
        });
        let results: Vec<(RowFile, FreshStates)> = results.collect::<Result<_>>()?;
        for (row, (written, _)) in results.iter().enumerate() {
            self.files.new.set(row, *written);
        }
        for number in probed.into_inner().unwrap_or_else(PoisonError::into_inner) {
            self.levels.probes[number] = Some(pass.level);
        }
        Ok(results.into_iter().map(|(_, fresh)| fresh).collect())
    }

    /// The same for one row: also what was written of it.
    fn row(
        &self,
        pass: &ReachedPass<'_>,
        row: usize,
        held: &HeldRows<S>,
        findings: &Findings,
        buffers: &mut Buffers<S>,
        probed: &Mutex<Vec<usize>>,
    ) -> Result<(RowFile, FreshStates)> {
        let shape = self.prepared.space.shape();
        let before = if pass.is_first { &self.files.old } else { &self.files.new };
        let Buffers { own, found, fresh, bytes } = buffers;
        let unchanged = |bytes: &mut RowBytes| match pass.is_first {
            true => Ok((self.files.copy(row, bytes)?, FreshStates::default())),
            false => Ok((before.get(row), FreshStates::default())),
        };
        let sources = self.prepared.space.sources(row).iter();
        let sources = sources.filter_map(|source| Some((source, held.slots[source.row as usize]?)));
        let mut sources = sources.peekable();
        if sources.peek().is_none() || self.levels.of_row(row) == (shape.blocks() * S::STATES) as u64 {
            return unchanged(bytes);
        }
        match held.slots[row].filter(|_| pass.is_first) {
            Some(slot) => own.copy_from_slice(&held.sets[slot * shape.blocks()..][..shape.blocks()]),
            None => before.read(row, bytemuck::cast_slice_mut(own), bytes)?,
        }
        let sources = sources.map(|(source, slot)| {
            let blocks: &[Reached<S>] = shape.blocks_of(&held.sets[slot * shape.blocks()..][..shape.blocks()]);
            (source, blocks, held.marks.row(slot))
        });
        let own_blocks: &[Reached<S>] = shape.blocks_of(own);
        let of_row = RowSources::over(&self.prepared, own_blocks, sources, REACHED);
        found.fill(S::EMPTY);
        in_wide_registers(PullTask { row: &of_row, first: 0, groups: shape.groups, found, fresh });
        let count = fresh.iter().map(|&fresh| u64::from(fresh)).sum();
        if count == 0 {
            return unchanged(bytes);
        }
        let is_found = |part: usize| fresh[part] > 0;
        for part in (0..shape.parts).filter(|&part| is_found(part)) {
            for block in part * shape.groups..(part + 1) * shape.groups {
                own[block].add(&found[block]);
            }
        }
        findings.list(row, shape.groups, found, fresh, count);
        for (number, probe) in self.probes.iter().enumerate().filter(|(_, probe)| probe.row as usize == row) {
            let (part, block) = (probe.part as usize, probe.part as usize * shape.groups + probe.group as usize);
            if is_found(part) && found[block].contains(probe.orientations) {
                probed.lock().unwrap_or_else(PoisonError::into_inner).push(number);
            }
        }
        let tallied = self.tallies.count(row, found, |block| is_found(block / shape.groups));
        let written = self.files.new.write(row, bytemuck::cast_slice(own), bytes)?;
        Ok((written, FreshStates { states: count, tallied }))
    }
}

impl Findings {
    /// Lists what a row found, unless all together are too many.
    fn list<S: OrientationSet>(&self, row: usize, groups: usize, found: &[S], fresh: &[u32], count: u64) {
        if self.listed.fetch_add(count, Ordering::Relaxed) + count > MOST_LISTED as u64 {
            return;
        }
        let mut states = self.states.lock().unwrap_or_else(PoisonError::into_inner);
        for part in (0..fresh.len()).filter(|&part| fresh[part] > 0) {
            for group in 0..groups {
                let set = &found[part * groups + group];
                let members = (0..S::STATES as u16).filter(|&number| set.contains(number));
                states.extend(members.map(|orientations| OrientationSeed {
                    row: row as u32,
                    part: part as u32,
                    group: group as u32,
                    orientations,
                }));
            }
        }
    }
}
