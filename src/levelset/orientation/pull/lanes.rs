//! Sets of the sixteen edge orientations of four places, as many at a time as wide registers hold.
//!
//! Where each set comes from and how it is moved differs from part to part. So the sets of many parts are collected
//! first, with the steps that move them; then all are moved in the same masked shifts, some of which do nothing.
//! Measured: `schema/decisions/nx-generation.md`.

use bytemuck::Zeroable;

use crate::orientation::moves::{MOVED_ORIENTATIONS, PartMove, PlaceMap4, exchanged};
use crate::orientation::representation::{OrientationPlanes, OrientationSet, OrientationSet4};
use twistbase_core::math::prefetch::prefetch;

#[cfg(target_arch = "x86_64")]
use super::orders::OrderRegisters;
use super::sources::{PullTask, RowSources, SourceRow, keep_unreached};

/// What a move does, by part.
pub struct LaneMoves {
    /// The part it comes from.
    from: Box<[u16]>,
    /// The steps that move its orientations.
    steps: Box<[u16]>,
    /// By part, the one that comes from it.
    to: Box<[u16]>,
}

impl LaneMoves {
    pub(super) fn new(parts: &[PartMove], maps: &[PlaceMap4]) -> Self {
        let steps = |part: &PartMove| maps[usize::from(part.orientations)].steps(part.turned);
        let mut to = vec![0; parts.len()].into_boxed_slice();
        (0..).zip(parts).for_each(|(number, part)| to[usize::from(part.part)] = number);
        Self { from: parts.iter().map(|part| part.part).collect(), steps: parts.iter().map(steps).collect(), to }
    }

    /// The steps that move the orientations of a part.
    #[inline(always)]
    pub(super) fn steps(&self, part: usize) -> u16 {
        self.steps[part]
    }
}

/// Finds what a row is next to.
#[inline(always)]
pub(super) fn pull<const P: usize>(task: PullTask<'_, OrientationSet4, P>) {
    let PullTask { row, groups, found, fresh, .. } = task;
    found.fill(OrientationSet4::EMPTY);
    fresh.fill(0);
    let touched = match groups {
        1 => pull_single(row, found),
        _ => pull_groups(row, groups, found),
    };
    match touched {
        TouchedParts::Any => {
            let parts = found.chunks_exact_mut(groups).zip(row.own.chunks_exact(groups));
            fresh.iter_mut().zip(parts).for_each(|(fresh, (near, own))| *fresh = keep_unreached(near, own));
        }
        TouchedParts::Only(parts) => {
            for part in parts.into_iter().map(usize::from) {
                let at = part * groups..(part + 1) * groups;
                fresh[part] = keep_unreached(&mut found[at.clone()], &row.own[at]);
            }
        }
    }
}

/// The parts in which something may have been found.
enum TouchedParts {
    Any,
    /// These; one may be listed several times.
    Only(Vec<u16>),
}

/// Lanes that are moved together: enough for any register, few enough for the nearest cache.
const LANES: usize = 512;
/// A row has few parts to pull from if these are less than one in so many.
const FEW: usize = 8;
/// Moves after which parts that are complete are left out.
const MOVES_BETWEEN: usize = 6;

/// Parts of one group, all of them.
#[inline(always)]
fn pull_single<const P: usize>(
    row: &RowSources<'_, OrientationSet4, P>,
    found: &mut [OrientationSet4],
) -> TouchedParts {
    let parts = found.len();
    let is_few = |count: usize| count * FEW < parts;
    if is_few(row.sources.iter().map(|source| source.last.count()).sum()) {
        let mut touched = Vec::new();
        row.sources.iter().for_each(|source| add_few(found, source, row.code, |to| touched.push(to)));
        return TouchedParts::Only(touched);
    }
    let mut blocks = vec![OrientationPlanes::zeroed(); parts];
    for (number, source) in row.sources.iter().enumerate() {
        if let Some(next) = row.sources.get(number + 1) {
            prefetch(next.blocks);
        }
        if is_few(source.last.count()) {
            add_few(found, source, row.code, |_| ());
        } else {
            fetch(&mut blocks, source.blocks, &source.prepared.from);
            add_moved(found, &blocks, &source.prepared.steps, row.code);
        }
    }
    TouchedParts::Any
}

/// Adds what few parts lead to, one state at a time: where few parts have any, these have one or two orientations.
#[inline(never)]
fn add_few<const P: usize>(
    found: &mut [OrientationSet4],
    source: &SourceRow<'_, OrientationSet4, P>,
    code: u8,
    mut touch: impl FnMut(u16),
) {
    let moved_orientations = &*MOVED_ORIENTATIONS;
    for number in source.last.members() {
        let to = source.prepared.to[number];
        touch(to);
        let to = usize::from(to);
        let moved_orientations = &moved_orientations[usize::from(source.prepared.steps[to])];
        let mut set = source.blocks[number].of(code).0;
        while set != 0 {
            found[to].0 |= 1 << moved_orientations[set.trailing_zeros() as usize % 16];
            set &= set - 1;
        }
    }
}

/// Parts of several groups: those that have anything to pull from, and are not complete.
#[inline(always)]
fn pull_groups<const P: usize>(
    row: &RowSources<'_, OrientationSet4, P>,
    groups: usize,
    found: &mut [OrientationSet4],
) -> TouchedParts {
    let mut open = vec![true; found.len() / groups];
    let mut chosen = vec![0; open.len()];
    let mut lanes = PartLanes::new(row, groups);
    for (number, source) in row.sources.iter().enumerate() {
        if number % MOVES_BETWEEN == 0 {
            let parts = row.own.chunks_exact(groups).zip(found.chunks_exact(groups));
            open.iter_mut().zip(parts).for_each(|(open, (own, near))| *open = is_open(own, near));
        }
        let count = choose(source, &open, &mut chosen);
        lanes.add_parts(source, &chosen[..count], found);
    }
    TouchedParts::Any
}

/// Whether a part has states that have not been reached, nor found.
#[inline(always)]
fn is_open<const P: usize>(own: &[OrientationPlanes<OrientationSet4, P>], near: &[OrientationSet4]) -> bool {
    let missing = own.iter().zip(near).fold(0, |missing, (own, near)| missing | (own.unreached().0 & !near.0));
    missing != 0
}

/// Chooses the open parts that come from parts with anything to pull; returns how many.
#[inline(never)]
fn choose<const P: usize>(source: &SourceRow<'_, OrientationSet4, P>, open: &[bool], chosen: &mut [u16]) -> usize {
    let mut count = 0;
    // In the order of the parts that they come from, which is how these lie in memory.
    for (&part, is_last) in source.prepared.to.iter().zip(source.last.flags()) {
        // Without a branch, which nothing could foresee.
        chosen[count] = part;
        count += usize::from(open[usize::from(part)] & is_last);
    }
    count
}

/// The groups of some parts on their way from one row to another.
struct PartLanes<'a, const P: usize> {
    row: &'a RowSources<'a, OrientationSet4, P>,
    groups: usize,
    blocks: Vec<OrientationPlanes<OrientationSet4, P>>,
    /// The steps that move each.
    steps: Vec<u16>,
    moved: Vec<OrientationSet4>,
    #[cfg(target_arch = "x86_64")]
    registers: Option<OrderRegisters>,
}

impl<'a, const P: usize> PartLanes<'a, P> {
    fn new(row: &'a RowSources<'a, OrientationSet4, P>, groups: usize) -> Self {
        let lanes = (LANES / groups).max(1) * groups;
        let (blocks, moved) = (vec![OrientationPlanes::zeroed(); lanes], vec![OrientationSet4::EMPTY; lanes]);
        Self {
            row,
            groups,
            blocks,
            steps: vec![0; lanes],
            moved,
            #[cfg(target_arch = "x86_64")]
            registers: OrderRegisters::detect(row.space.lower_groups(), P),
        }
    }

    /// Adds to the groups `found` of a row what some of its parts are next to by one move.
    #[inline(always)]
    fn add_parts(&mut self, source: &SourceRow<'_, OrientationSet4, P>, parts: &[u16], found: &mut [OrientationSet4]) {
        #[cfg(target_arch = "x86_64")]
        if let Some(registers) = self.registers {
            return registers.add_parts(self.row, source, parts, found);
        }
        for parts in parts.chunks(self.blocks.len() / self.groups) {
            self.collect(source, parts);
            let moved = &mut self.moved[..parts.len() * self.groups];
            moved.fill(OrientationSet4::EMPTY);
            add_moved(moved, &self.blocks, &self.steps, self.row.code);
            for (&part, moved) in parts.iter().zip(moved.chunks_exact(self.groups)) {
                let near = &mut found[usize::from(part) * self.groups..][..self.groups];
                near.iter_mut().zip(moved).for_each(|(near, set)| near.add(set));
            }
        }
    }

    /// Fetches the groups that some parts come from, and the steps that move them.
    #[inline(never)]
    fn collect(&mut self, source: &SourceRow<'_, OrientationSet4, P>, parts: &[u16]) {
        let groups = self.groups;
        let lanes = self.blocks.chunks_exact_mut(groups).zip(self.steps.chunks_exact_mut(groups));
        for (&part, (blocks, steps)) in parts.iter().zip(lanes) {
            let from = &source.parts[usize::from(part)];
            let of_part = &source.blocks[usize::from(from.part) * groups..][..groups];
            self.row.space.collect(blocks, of_part, from);
            steps.fill(source.prepared.steps[usize::from(part)]);
        }
    }
}

/// Fetches the blocks that parts of one group come from.
#[inline(never)]
fn fetch<const P: usize>(
    to: &mut [OrientationPlanes<OrientationSet4, P>],
    from: &[OrientationPlanes<OrientationSet4, P>],
    parts: &[u16],
) {
    to.iter_mut().zip(parts).for_each(|(to, &part)| *to = from[usize::from(part)]);
}

/// Adds the sets of that code, all moved in the same steps.
#[inline(always)]
fn add_moved<const P: usize>(
    found: &mut [OrientationSet4],
    blocks: &[OrientationPlanes<OrientationSet4, P>],
    steps: &[u16],
    code: u8,
) {
    for ((found, block), &steps) in found.iter_mut().zip(blocks).zip(steps) {
        found.0 |= exchanged(block.of(code).0, steps);
    }
}
