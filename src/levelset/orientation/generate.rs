//! Breadth-first search over a space of edge orientations.

use std::path::Path;

use rayon::prelude::*;

use crate::context::Context;
use crate::error::{Error, Result};
use crate::levelset::MOST_LEVELS;
use crate::levelset::memory::Zeroed;
use crate::math::prefetch::LINE;

use super::features::{Work, in_wide_registers, prefetch_start};
use super::marks::{Marks, PartSet};
use super::rows::Rows;
use super::set::{OrientationPlanes, OrientationSet};
use super::space::{OrientationShape, OrientationSpace, PartMove, PartOrigin};

/// A state at distance 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OrientationSeed {
    /// Its row.
    pub row: u32,
    /// Its part of the row.
    pub part: u32,
    /// Its group of the part.
    pub group: u32,
    /// The number of its edge orientations.
    pub orientations: u16,
}

/// The levels of a whole space.
pub struct OrientationLevels<S: OrientationSet, const P: usize> {
    rows: Rows<S>,
    counts: Vec<Vec<u64>>,
}

impl<S: OrientationSet, const P: usize> OrientationLevels<S, P> {
    /// Number of states of a row at each level up to the last one of the space, each state counted once.
    pub fn counts(&self, row: usize) -> &[u64] {
        &self.counts[row]
    }

    /// The blocks of a row: the groups of its parts.
    pub fn row(&self, row: usize) -> &[OrientationPlanes<S, P>] {
        bytemuck::cast_slice(self.rows.row(row))
    }
}

/// The levels of a whole space up to two above a base, in which all levels up to the base are one.
pub struct OrientationBounds<S: OrientationSet> {
    rows: Rows<S>,
    shape: OrientationShape,
    counts: Vec<Vec<u64>>,
}

/// A row of [`OrientationBounds`].
#[derive(Debug, Clone, Copy)]
pub struct BoundedRow<'a, S> {
    sets: &'a [S],
    shape: OrientationShape,
}

impl<S: OrientationSet> OrientationBounds<S> {
    /// Number of states of a row at each level up to two above the base, and then of all others.
    pub fn counts(&self, row: usize) -> &[u64] {
        &self.counts[row]
    }

    /// Brings a row into memory.
    ///
    /// # Errors
    /// [`Error::Io`] from the scratch file.
    pub fn row(&mut self, row: usize) -> Result<BoundedRow<'_, S>> {
        self.rows.bring(&[row])?;
        Ok(BoundedRow { sets: self.rows.row(row), shape: self.shape })
    }
}

impl<S: OrientationSet> BoundedRow<'_, S> {
    /// Two bit planes of a block: 1 up to the base, 2 and 3 for the next two levels, 0 for all others.
    #[inline]
    pub fn planes(&self, part: usize, group: usize) -> [&S; 2] {
        let at = (part * self.shape.groups + group) * BOUND_PLANES;
        [&self.sets[at], &self.sets[at + 1]]
    }

    /// Four bit planes of 15 less the least level that the states of a group and their edge orientations have in any of
    /// the parts that are gathered under that number; 0 if they have none, or 15.
    #[inline]
    pub fn least(&self, gathering: usize, group: usize) -> [&S; 4] {
        let at = self.shape.blocks() * BOUND_PLANES + (gathering * self.shape.groups + group) * LEAST_PLANES;
        std::array::from_fn(|bit| &self.sets[at + bit])
    }
}

/// Bit planes of [`OrientationBounds`].
const BOUND_PLANES: usize = 2;
/// Bit planes of a least level.
const LEAST_PLANES: usize = 4;
/// What a least level is kept subtracted from, so that fresh memory says "none".
const MOST_LEAST: u8 = 15;

/// Bytes of what is found before it is entered: so many that threads seldom wait for each other, which takes long where
/// a system lends its processors late. Measured: `schema/decisions/nx-generation.md`.
const FOUND_BYTES: usize = 1 << 25;

impl OrientationShape {
    /// Bytes in which such a space is searched without a scratch file.
    pub fn working_set<S: OrientationSet, const P: usize>(&self) -> u64 {
        let rows = self.rows * self.row_bytes::<S, P>() + self.rows_at_once::<S>() * self.found_bytes::<S>();
        rows as u64 + self.marks()
    }

    /// Bytes without which such a space cannot be searched.
    pub fn least_memory<S: OrientationSet, const P: usize>(&self) -> u64 {
        let rows = (self.moves + 1).min(self.rows);
        (rows * self.row_bytes::<S, P>() + self.found_bytes::<S>()) as u64 + self.marks()
    }

    fn row_bytes<S: OrientationSet, const P: usize>(&self) -> usize {
        self.row_sets(P) * size_of::<S>()
    }

    /// Bytes of what is found of a row, with its counts.
    fn found_bytes<S: OrientationSet>(&self) -> usize {
        self.blocks() * size_of::<S>() + self.parts * 4
    }

    /// Bytes of the marks of parts, of the last level and the next.
    fn marks(&self) -> u64 {
        (Marks::bytes(self.rows, self.parts) * 2) as u64
    }

    /// Rows that are searched before what they found is entered.
    fn rows_at_once<S: OrientationSet>(&self) -> usize {
        let few = (4 * rayon::current_num_threads()).max(16);
        few.max(FOUND_BYTES / self.found_bytes::<S>()).min(self.rows)
    }
}

fn too_little(memory: u64, needed: u64) -> Error {
    Error::Budget(format!("a memory budget of {memory} bytes is too small: this needs {needed}"))
}

/// Levels of a space of edge orientations that are known already; all of them below 2^P - 1.
pub struct KnownOrientations<'a, S: OrientationSet, const P: usize> {
    /// Every state at this level or nearer has its level, no other has one.
    pub depth: u8,
    /// Is given the blocks of every row, empty, to enter the levels.
    pub enter: &'a mut EnterOrientations<'a, S, P>,
}

/// Enters levels into the blocks of every row.
pub type EnterOrientations<'a, S, const P: usize> = dyn FnMut(&mut [&mut [OrientationPlanes<S, P>]]) -> Result<()> + 'a;

/// Finds the distance of every state of `space` from the nearest of `seeds`, modulo 2^P - 1; with a depth, of those at
/// most so far. States of levels that are known are not searched again.
///
/// # Errors
/// [`Error::Budget`] if `memory` is less than [`OrientationShape::working_set`] or there are [`MOST_LEVELS`] levels or
/// more; [`Error::Interrupted`]; those of reading what is known.
pub fn generate_orientations<S: OrientationSet, const P: usize>(
    space: &OrientationSpace<S>,
    seeds: &[OrientationSeed],
    known: Option<KnownOrientations<'_, S, P>>,
    depth: Option<u8>,
    memory: u64,
    ctx: &Context,
) -> Result<OrientationLevels<S, P>> {
    let shape = space.shape();
    let needed = shape.working_set::<S, P>();
    if memory < needed {
        return Err(too_little(memory, needed));
    }
    let rows = Rows::in_memory(shape.rows, shape.row_sets(P))?;
    let mut search = Search::<S, P>::new(space, rows, shape.rows_at_once::<S>())?;
    match known {
        Some(known) => search.take_up(known)?,
        None => search.start(seeds)?,
    }
    rayon::scope(|_| search.levels(depth, ctx))?;
    Ok(OrientationLevels { rows: search.rows, counts: search.counts })
}

/// Finds which states of `space` are at a distance of at most `base` from the nearest of `seeds`, one more, or two
/// more, and the least levels of the parts that are gathered.
///
/// With less memory than [`OrientationShape::working_set`] the rows are in a scratch file in `folder`, and as many in
/// memory as it has room for.
///
/// # Errors
/// [`Error::Budget`] if `memory` is less than [`OrientationShape::least_memory`]; [`Error::Io`] from the scratch file;
/// [`Error::Interrupted`].
pub fn generate_bounds<S: OrientationSet>(
    space: &OrientationSpace<S>,
    seeds: &[OrientationSeed],
    base: u8,
    memory: u64,
    folder: &Path,
    ctx: &Context,
) -> Result<OrientationBounds<S>> {
    let shape = *space.shape();
    let (rows, at_once) = bounds_storage::<S>(&shape, memory, folder)?;
    let mut search = Search::<S, BOUND_PLANES>::new(space, rows, at_once)?;
    search.start(seeds)?;
    // From within the pool, because each batch of rows would wake it twice.
    rayon::scope(|_| search.bounds(base, ctx))?;
    ctx.progress().end();
    let states = (shape.blocks() * S::STATES) as u64;
    for counts in &mut search.counts {
        counts.push(states - counts.iter().sum::<u64>());
    }
    Ok(OrientationBounds { rows: search.rows, shape, counts: search.counts })
}

/// Room for the rows, and how many of them are searched at once.
fn bounds_storage<S: OrientationSet>(shape: &OrientationShape, memory: u64, folder: &Path) -> Result<(Rows<S>, usize)> {
    let row_sets = shape.row_sets(BOUND_PLANES);
    if memory >= shape.working_set::<S, BOUND_PLANES>() {
        return Ok((Rows::in_memory(shape.rows, row_sets)?, shape.rows_at_once::<S>()));
    }
    let least = shape.least_memory::<S, BOUND_PLANES>();
    if memory < least {
        return Err(too_little(memory, least));
    }
    let (row, found) = (shape.row_bytes::<S, BOUND_PLANES>(), shape.found_bytes::<S>());
    let rest = (memory - shape.marks()) as usize;
    // A row that is searched needs those of all its moves, and room for what it finds.
    let at_once = (rest / ((shape.moves + 1) * row + found)).clamp(1, shape.rows_at_once::<S>());
    let slots = ((rest - at_once * found) / row).min(shape.rows);
    Ok((Rows::in_file(shape.rows, row_sets, slots, folder)?, at_once))
}

/// What a level is pulled from, and what it is entered as.
#[derive(Clone, Copy)]
struct Step {
    level: u8,
    /// The code of the states to pull from.
    from: u8,
    /// The code of the states found.
    to: u8,
}

/// The search between two levels.
struct Search<'a, S: OrientationSet, const P: usize> {
    space: &'a OrientationSpace<S>,
    rows: Rows<S>,
    /// The parts that have states to pull from, and those that get some.
    last: Marks,
    next: Marks,
    /// The same of rows.
    live: Vec<bool>,
    counts: Vec<Vec<u64>>,
    /// What the rows at hand found, and how many states by part.
    found: Zeroed<S>,
    fresh: Vec<u32>,
}

impl<'a, S: OrientationSet, const P: usize> Search<'a, S, P> {
    /// A search that does `at_once` rows at a time.
    fn new(space: &'a OrientationSpace<S>, rows: Rows<S>, at_once: usize) -> Result<Self> {
        let shape = space.shape();
        Ok(Self {
            space,
            rows,
            last: Marks::new(shape.rows, shape.parts),
            next: Marks::new(shape.rows, shape.parts),
            live: vec![false; shape.rows],
            counts: vec![Vec::new(); shape.rows],
            found: Zeroed::new(at_once * shape.blocks())?,
            fresh: vec![0; at_once * shape.parts],
        })
    }

    /// Enters the seeds at level 0.
    fn start(&mut self, seeds: &[OrientationSeed]) -> Result<()> {
        let shape = self.space.shape();
        self.counts.iter_mut().for_each(|counts| counts.push(0));
        for seed in seeds {
            let (row, part) = (seed.row as usize, seed.part as usize);
            let block = part * shape.groups + seed.group as usize;
            self.rows.bring(&[row])?;
            let planes: &[OrientationPlanes<S, P>] = bytemuck::cast_slice(&self.rows.row(row)[..shape.blocks() * P]);
            if planes[block].level(seed.orientations).is_some() {
                continue;
            }
            let found = &mut self.found[..shape.blocks()];
            found.fill(S::EMPTY);
            found[block].insert(seed.orientations);
            let mut parts = Marks::new(1, shape.parts);
            parts.insert(0, part);
            let step = Step { level: 0, from: 0, to: OrientationPlanes::<S, P>::code(0) };
            for sets in self.rows.rows_mut(&[row]) {
                in_wide_registers(Enter::<S, P>::new(shape, step, sets, found, parts.row(0)));
            }
            self.last.insert(row, part);
            self.live[row] = true;
            self.counts[row][0] += 1;
        }
        Ok(())
    }

    /// Takes up levels that are known, the last one to be pulled from.
    fn take_up(&mut self, known: KnownOrientations<'_, S, P>) -> Result<()> {
        let shape = *self.space.shape();
        assert!(shape.gathered == 0 && known.depth < OrientationPlanes::<S, P>::MODULUS);
        let all: Vec<usize> = (0..shape.rows).collect();
        let mut rows: Vec<&mut [OrientationPlanes<S, P>]> =
            self.rows.rows_mut(&all).into_iter().map(bytemuck::cast_slice_mut).collect();
        (known.enter)(&mut rows)?;
        let marks: Vec<_> = self.last.rows_mut(0).zip(&mut self.live).collect();
        rows.par_iter().zip(marks).zip(&mut self.counts).for_each(|((blocks, (last, live)), counts)| {
            let count = |code| blocks.iter().map(|planes| u64::from(planes.of(code).count())).sum();
            *counts = (0..=known.depth).map(OrientationPlanes::<S, P>::code).map(count).collect();
            let code = OrientationPlanes::<S, P>::code(known.depth);
            let is_last = |planes: &OrientationPlanes<S, P>| planes.of(code) != S::EMPTY;
            let parts = Marks::mark(last, blocks.chunks(shape.groups).map(|blocks| blocks.iter().any(is_last)));
            *live = parts.count() > 0;
        });
        Ok(())
    }

    /// Gives `step.level` to every unreached state next to those of `step.from`.
    ///
    /// Rows are done some at a time: first what they find, with the planes only read, then the planes.
    fn pull(&mut self, step: Step, ctx: &Context) -> Result<()> {
        let shape = *self.space.shape();
        ctx.progress().begin(&format!("level {}", step.level), shape.rows as u64, "rows");
        let at_once = self.found.len() / shape.blocks();
        self.next.clear();
        for first in (0..shape.rows).step_by(at_once) {
            ctx.check()?;
            let rows = first..shape.rows.min(first + at_once);
            self.pull_rows(rows.clone(), step)?;
            ctx.progress().advance(rows.len() as u64);
        }
        std::mem::swap(&mut self.last, &mut self.next);
        for (live, counts) in self.live.iter_mut().zip(&self.counts) {
            *live = counts.last().is_some_and(|&count| count > 0);
        }
        Ok(())
    }

    fn pull_rows(&mut self, range: std::ops::Range<usize>, step: Step) -> Result<()> {
        let Self { space, rows, last, next, live, counts, found, fresh } = self;
        let shape = space.shape();
        let (parts, groups) = (shape.parts, shape.groups);
        let sources = |row: usize| space.sources(row).iter().map(|source| source.row as usize).filter(|&row| live[row]);
        let todo: Vec<usize> = range.clone().filter(|&row| sources(row).next().is_some()).collect();
        let needed: Vec<usize> = todo.iter().flat_map(|&row| sources(row).chain([row])).collect();
        rows.bring(&needed)?;
        let at_once = (S::TASK_BLOCKS / groups).clamp(1, parts);
        todo.par_iter()
            .zip(found.par_chunks_exact_mut(parts * groups))
            .zip(fresh.par_chunks_exact_mut(parts))
            .for_each(|((&row, found), fresh)| {
                let origins = Origins::<S, P>::of(space, row, rows, last, live, step.from);
                let tasks = found.par_chunks_mut(at_once * groups).zip(fresh.par_chunks_mut(at_once)).enumerate();
                tasks.for_each(|(task, (found, fresh))| {
                    in_wide_registers(PullParts { origins: &origins, first: task * at_once, groups, found, fresh });
                });
            });
        range.clone().for_each(|row| counts[row].push(0));
        let mut wanted = todo.iter().copied().peekable();
        let told = (range.start..).zip(next.rows_mut(range.start).zip(&mut counts[range.clone()]));
        let told: Vec<_> = told.filter_map(|(row, told)| wanted.next_if_eq(&row).map(|_| told)).collect();
        rows.rows_mut(&todo)
            .into_par_iter()
            .zip(told)
            .zip(found.par_chunks_exact(parts * groups))
            .zip(fresh.par_chunks_exact(parts))
            .for_each(|(((sets, (marks, counts)), found), fresh)| {
                let parts = Marks::mark(marks, fresh.iter().map(|&fresh| fresh > 0));
                in_wide_registers(Enter::<S, P>::new(shape, step, sets, found, parts));
                if let Some(count) = counts.last_mut() {
                    *count = fresh.iter().map(|&fresh| u64::from(fresh)).sum();
                }
            });
        Ok(())
    }

    /// Makes one level of all levels, to be pulled from.
    fn merge_levels(&mut self, ctx: &Context) -> Result<()> {
        let shape = *self.space.shape();
        let at_once = self.rows.slots().min(shape.rows);
        for first in (0..shape.rows).step_by(at_once) {
            ctx.check()?;
            let rows: Vec<usize> = (first..shape.rows.min(first + at_once)).collect();
            self.rows.bring(&rows)?;
            self.rows.rows_mut(&rows).into_par_iter().zip(self.last.rows_mut(first).collect::<Vec<_>>()).for_each(
                |(sets, marks)| {
                    let planes: &mut [OrientationPlanes<S, P>] =
                        bytemuck::cast_slice_mut(&mut sets[..shape.blocks() * P]);
                    in_wide_registers(Merge { planes, groups: shape.groups, marks });
                },
            );
        }
        for (live, counts) in self.live.iter_mut().zip(&self.counts) {
            *live = counts.iter().any(|&count| count > 0);
        }
        Ok(())
    }
}

impl<S: OrientationSet, const P: usize> Search<'_, S, P> {
    /// Pulls levels until there is nothing left, or the depth is reached.
    fn levels(&mut self, depth: Option<u8>, ctx: &Context) -> Result<()> {
        let first = self.counts.first().map_or(0, Vec::len) as u8;
        for level in first..=MOST_LEVELS as u8 {
            if self.counts.iter().all(|counts| counts.last() == Some(&0)) {
                ctx.progress().end();
                self.counts.iter_mut().for_each(|counts| counts.truncate(usize::from(level) - 1));
                return Ok(());
            }
            if depth.is_some_and(|depth| level > depth) {
                ctx.progress().end();
                return Ok(());
            }
            let code = OrientationPlanes::<S, P>::code;
            self.pull(Step { level, from: code(level - 1), to: code(level) }, ctx)?;
        }
        Err(Error::Budget(format!("the space has states at distance {MOST_LEVELS} or more, which nobody expected")))
    }
}

impl<S: OrientationSet> Search<'_, S, BOUND_PLANES> {
    /// Pulls all levels up to two above a base.
    fn bounds(&mut self, base: u8, ctx: &Context) -> Result<()> {
        let code = OrientationPlanes::<S, BOUND_PLANES>::code;
        for level in 1..=base {
            self.pull(Step { level, from: code(level - 1), to: code(level) }, ctx)?;
        }
        // What is next to anything reached, and not reached itself, is one level farther than the last one.
        self.merge_levels(ctx)?;
        self.pull(Step { level: base + 1, from: 1, to: 2 }, ctx)?;
        self.pull(Step { level: base + 2, from: 2, to: 3 }, ctx)
    }
}

/// What a row found, to be entered in the parts that have any of it, and in the least levels of what is gathered.
struct Enter<'a, S: OrientationSet, const P: usize> {
    shape: &'a OrientationShape,
    step: Step,
    planes: &'a mut [OrientationPlanes<S, P>],
    least: &'a mut [S],
    found: &'a [S],
    parts: PartSet<'a>,
}

impl<'a, S: OrientationSet, const P: usize> Enter<'a, S, P> {
    /// What is to be entered in the sets of a row.
    fn new(shape: &'a OrientationShape, step: Step, row: &'a mut [S], found: &'a [S], parts: PartSet<'a>) -> Self {
        let (planes, least) = row.split_at_mut(shape.blocks() * P);
        Self { shape, step, planes: bytemuck::cast_slice_mut(planes), least, found, parts }
    }
}

impl<S: OrientationSet, const P: usize> Work for Enter<'_, S, P> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Self { shape, step, planes, least, found, parts } = self;
        let enter = |planes: &mut [OrientationPlanes<S, P>], found: &[S]| {
            planes.iter_mut().zip(found).for_each(|(planes, found)| planes.assign_code(found, step.to));
        };
        if S::LEAVES_EMPTY && parts.count() * MANY >= shape.parts {
            enter(planes, found);
        } else {
            for part in parts.members() {
                let groups = part * shape.groups..(part + 1) * shape.groups;
                enter(&mut planes[groups.clone()], &found[groups]);
            }
        }
        if shape.gathered > 0 {
            gather_least(shape, step.level, least, found, parts);
        }
    }
}

/// If of so many parts one has anything, going through all is faster than from one to the next.
const MANY: usize = 8;

/// Gives a level to all groups and edge orientations that have none yet in any of the parts that are gathered, and were
/// found in one.
#[inline(always)]
fn gather_least<S: OrientationSet>(
    shape: &OrientationShape,
    level: u8,
    least: &mut [S],
    found: &[S],
    parts: PartSet<'_>,
) {
    let code = MOST_LEAST.saturating_sub(level);
    let groups = shape.groups;
    let mut first = vec![S::EMPTY; groups];
    let mut members = parts.members().peekable();
    while let Some(&part) = members.peek() {
        let gathering = part / shape.gathered;
        let least = &mut least[gathering * groups * LEAST_PLANES..][..groups * LEAST_PLANES];
        let gathered = std::iter::from_fn(|| members.next_if(|part| part / shape.gathered == gathering));
        if least.chunks(LEAST_PLANES).all(|least| unknown(least) == S::EMPTY) {
            gathered.for_each(drop);
            continue;
        }
        first.fill(S::EMPTY);
        for part in gathered {
            first.iter_mut().zip(&found[part * groups..][..groups]).for_each(|(first, found)| first.add(found));
        }
        for (least, first) in least.chunks_mut(LEAST_PLANES).zip(&first) {
            let new = unknown(least).and(first);
            let planes = least.iter_mut().enumerate().filter(|(bit, _)| code >> bit & 1 == 1);
            planes.for_each(|(_, plane)| plane.add(&new));
        }
    }
}

/// All levels of a row, to be made one.
struct Merge<'a, S: OrientationSet, const P: usize> {
    planes: &'a mut [OrientationPlanes<S, P>],
    groups: usize,
    /// Which parts have any.
    marks: &'a mut [u64],
}

impl<S: OrientationSet, const P: usize> Work for Merge<'_, S, P> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Self { planes, groups, marks } = self;
        planes.iter_mut().for_each(OrientationPlanes::merge_levels);
        let is_reached = |planes: &OrientationPlanes<S, P>| planes.planes()[0] != S::EMPTY;
        match groups {
            1 => Marks::mark(marks, planes.iter().map(is_reached)),
            _ => Marks::mark(marks, planes.chunks(groups).map(|planes| planes.iter().any(is_reached))),
        };
    }
}

/// The edge orientations that have no least level.
#[inline(always)]
fn unknown<S: OrientationSet>(least: &[S]) -> S {
    let known = least.iter().fold(S::EMPTY, |mut known, plane| {
        known.add(plane);
        known
    });
    known.nor(&S::EMPTY)
}

/// Parts between the one that is pulled and the one whose origins are asked for.
const AHEAD: usize = 3;

/// Some parts of a row, to be pulled from its origins.
pub struct PullParts<'a, S: OrientationSet, const P: usize> {
    pub(super) origins: &'a Origins<'a, S, P>,
    pub(super) first: usize,
    pub(super) groups: usize,
    /// What is found, and how many of it in each part.
    pub(super) found: &'a mut [S],
    pub(super) fresh: &'a mut [u32],
}

impl<S: OrientationSet, const P: usize> Work for PullParts<'_, S, P> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        S::pull(self);
    }
}

impl<S: OrientationSet, const P: usize> PullParts<'_, S, P> {
    #[inline(always)]
    pub(super) fn each_by_itself(self) {
        let each = (self.first..).zip(self.found.chunks_exact_mut(self.groups)).zip(self.fresh);
        for ((part, near), fresh) in each {
            self.origins.prefetch_part(part + AHEAD);
            *fresh = self.origins.pull_part(part, near);
        }
    }
}

/// A row, and the rows to pull its states from.
pub(super) struct Origins<'a, S: OrientationSet, const P: usize> {
    pub(super) space: &'a OrientationSpace<S>,
    /// The row's own blocks.
    pub(super) own: &'a [OrientationPlanes<S, P>],
    pub(super) sources: Vec<Origin<'a, S, P>>,
    /// The code of the states to pull from.
    pub(super) code: u8,
}

/// A row to pull from.
pub(super) struct Origin<'a, S: OrientationSet, const P: usize> {
    pub(super) parts: &'a [PartMove],
    pub(super) ready: &'a S::Ready,
    pub(super) blocks: &'a [OrientationPlanes<S, P>],
    /// The parts that have anything to pull.
    pub(super) last: PartSet<'a>,
}

impl<'a, S: OrientationSet, const P: usize> Origins<'a, S, P> {
    fn of(
        space: &'a OrientationSpace<S>,
        row: usize,
        rows: &'a Rows<S>,
        last: &'a Marks,
        live: &[bool],
        code: u8,
    ) -> Self {
        let shape = space.shape();
        let blocks = |row: usize| bytemuck::cast_slice(&rows.row(row)[..shape.blocks() * P]);
        let sources = space.sources(row).iter().filter(|source| live[source.row as usize]).map(|source| {
            let row = source.row as usize;
            let (parts, ready) = space.parts(source);
            Origin { parts, ready, blocks: blocks(row), last: last.row(row) }
        });
        Self { space, own: blocks(row), sources: sources.collect(), code }
    }

    /// The groups that a part comes from, with what moves them.
    #[inline(always)]
    fn of_part(&self, part: usize) -> impl Iterator<Item = (PartOrigin<'_, S>, &[OrientationPlanes<S, P>])> {
        let groups = self.space.shape().groups;
        self.sources.iter().filter_map(move |source| {
            let from = &source.parts[part];
            let at = usize::from(from.part);
            source.last.has(at).then(|| (((from, part), source.ready), &source.blocks[at * groups..][..groups]))
        })
    }

    /// Asks for what a part will be pulled from: a processor does not foresee in which order that lies. Small blocks,
    /// of which many share what is fetched at once, are soon all there.
    #[inline(always)]
    fn prefetch_part(&self, part: usize) {
        let shape = self.space.shape();
        if part < shape.parts && shape.groups * P * size_of::<S>() >= LINE {
            self.of_part(part).for_each(|(_, blocks)| prefetch_start(blocks));
        }
    }

    /// Finds the unreached states of a part next to the frontier; returns how many.
    #[inline(always)]
    fn pull_part(&self, part: usize, near: &mut [S]) -> u32 {
        let groups = self.space.shape().groups;
        match &self.own[part * groups..][..groups] {
            [own] => self.pull_block(part, own, &mut near[0]),
            own => self.pull_groups(part, own, near),
        }
    }

    #[inline(always)]
    fn pull_block(&self, part: usize, own: &OrientationPlanes<S, P>, near: &mut S) -> u32 {
        let wanted = own.unreached();
        if wanted == S::EMPTY {
            return 0;
        }
        let mut found = S::EMPTY;
        for (moves, (from, blocks)) in (1..).zip(self.of_part(part)) {
            self.space.add_moved(std::slice::from_mut(&mut found), blocks, from, self.code);
            if moves % 2 == 0 && wanted.is_subset(&found) {
                break;
            }
        }
        *near = found.and(&wanted);
        near.count()
    }

    #[inline(always)]
    fn pull_groups(&self, part: usize, own: &[OrientationPlanes<S, P>], near: &mut [S]) -> u32 {
        let mut origins = self.of_part(part).peekable();
        if origins.peek().is_none() || own.iter().all(|planes| planes.unreached() == S::EMPTY) {
            return 0;
        }
        near.fill(S::EMPTY);
        for (moves, (from, blocks)) in (1..).zip(origins) {
            self.space.add_moved(near, blocks, from, self.code);
            if moves % 3 == 0 && own.iter().zip(&*near).all(|(own, near)| own.unreached().is_subset(near)) {
                break;
            }
        }
        keep_unreached(near, own)
    }
}

/// Leaves of what was found in a part what has not been reached; returns how much that is.
#[inline(always)]
pub(super) fn keep_unreached<S: OrientationSet, const P: usize>(
    near: &mut [S],
    own: &[OrientationPlanes<S, P>],
) -> u32 {
    let mut count = 0;
    for (near, own) in near.iter_mut().zip(own) {
        *near = near.and(&own.unreached());
        count += near.count();
    }
    count
}
