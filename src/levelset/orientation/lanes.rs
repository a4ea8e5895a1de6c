//! Sets of sixteen edge orientations, as many at a time as wide registers hold.
//!
//! Where each set comes from and how it is moved differs from part to part. So the sets of many parts are collected
//! first, with the steps that move them; then all are moved in the same masked shifts, some of which do nothing.
//! Measured: `schema/decisions/nx-generation.md`.

use bytemuck::Zeroable;

use crate::math::prefetch::prefetch;

use super::generate::{Origin, Origins, PullParts, keep_unreached};
use super::map::{MOVED_ORIENTATIONS, SmallMap, exchanged};
#[cfg(target_arch = "x86_64")]
use super::orders;
use super::set::{OrientationPlanes, OrientationSet, OrientationSet4};
use super::space::PartMove;

/// What a move does, by part.
pub struct LaneMoves {
    /// The part it comes from.
    from: Box<[u16]>,
    /// The steps that move its edge orientations.
    steps: Box<[u16]>,
    /// By part, the one that comes from it.
    to: Box<[u16]>,
}

impl LaneMoves {
    pub(super) fn new(parts: &[PartMove], maps: &[SmallMap]) -> Self {
        let steps = |part: &PartMove| maps[usize::from(part.orientations)].steps(part.turned);
        let mut to = vec![0; parts.len()].into_boxed_slice();
        (0..).zip(parts).for_each(|(number, part)| to[usize::from(part.part)] = number);
        Self { from: parts.iter().map(|part| part.part).collect(), steps: parts.iter().map(steps).collect(), to }
    }

    /// The steps that move the edge orientations of a part.
    #[inline(always)]
    pub(super) fn steps(&self, part: usize) -> u16 {
        self.steps[part]
    }
}

/// Finds what a row is next to.
#[inline(always)]
pub(super) fn pull<const P: usize>(task: PullParts<'_, OrientationSet4, P>) {
    let PullParts { origins, groups, found, fresh, .. } = task;
    found.fill(OrientationSet4::EMPTY);
    fresh.fill(0);
    let touched = match groups {
        1 => pull_single(origins, found),
        _ => pull_groups(origins, groups, found),
    };
    match touched {
        Touched::Any => {
            let parts = found.chunks_exact_mut(groups).zip(origins.own.chunks_exact(groups));
            fresh.iter_mut().zip(parts).for_each(|(fresh, (near, own))| *fresh = keep_unreached(near, own));
        }
        Touched::Only(parts) => {
            for part in parts.into_iter().map(usize::from) {
                let at = part * groups..(part + 1) * groups;
                fresh[part] = keep_unreached(&mut found[at.clone()], &origins.own[at]);
            }
        }
    }
}

/// The parts in which something may have been found.
enum Touched {
    Any,
    /// These; one may be told several times.
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
fn pull_single<const P: usize>(origins: &Origins<'_, OrientationSet4, P>, found: &mut [OrientationSet4]) -> Touched {
    let parts = found.len();
    let is_few = |count: usize| count * FEW < parts;
    if is_few(origins.sources.iter().map(|origin| origin.last.count()).sum()) {
        let mut touched = Vec::new();
        origins.sources.iter().for_each(|origin| add_few(found, origin, origins.code, |to| touched.push(to)));
        return Touched::Only(touched);
    }
    let mut blocks = vec![OrientationPlanes::zeroed(); parts];
    for (number, origin) in origins.sources.iter().enumerate() {
        if let Some(next) = origins.sources.get(number + 1) {
            prefetch(next.blocks);
        }
        if is_few(origin.last.count()) {
            add_few(found, origin, origins.code, |_| ());
        } else {
            fetch(&mut blocks, origin.blocks, &origin.ready.from);
            add_moved(found, &blocks, &origin.ready.steps, origins.code);
        }
    }
    Touched::Any
}

/// Adds what few parts lead to, one at a time: where few have anything, these have one or two edge orientations.
#[inline(never)]
fn add_few<const P: usize>(
    found: &mut [OrientationSet4],
    origin: &Origin<'_, OrientationSet4, P>,
    code: u8,
    mut touch: impl FnMut(u16),
) {
    let moved_orientations = &*MOVED_ORIENTATIONS;
    for number in origin.last.members() {
        let to = origin.ready.to[number];
        touch(to);
        let to = usize::from(to);
        let moved_orientations = &moved_orientations[usize::from(origin.ready.steps[to])];
        let mut set = origin.blocks[number].of(code).0;
        while set != 0 {
            found[to].0 |= 1 << moved_orientations[set.trailing_zeros() as usize % 16];
            set &= set - 1;
        }
    }
}

/// Parts of several groups: those that have anything to pull from, and are not complete.
#[inline(always)]
fn pull_groups<const P: usize>(
    origins: &Origins<'_, OrientationSet4, P>,
    groups: usize,
    found: &mut [OrientationSet4],
) -> Touched {
    let mut open = vec![true; found.len() / groups];
    let mut chosen = vec![0; open.len()];
    let mut lanes = Lanes::new(origins, groups);
    for (number, origin) in origins.sources.iter().enumerate() {
        if number % MOVES_BETWEEN == 0 {
            let parts = origins.own.chunks_exact(groups).zip(found.chunks_exact(groups));
            open.iter_mut().zip(parts).for_each(|(open, (own, near))| *open = is_open(own, near));
        }
        let count = choose(origin, &open, &mut chosen);
        lanes.add_parts(origin, &chosen[..count], found);
    }
    Touched::Any
}

/// Whether a part has states that have not been reached, nor found.
#[inline(always)]
fn is_open<const P: usize>(own: &[OrientationPlanes<OrientationSet4, P>], near: &[OrientationSet4]) -> bool {
    let missing = own.iter().zip(near).fold(0, |missing, (own, near)| missing | (own.unreached().0 & !near.0));
    missing != 0
}

/// Chooses the open parts that come from parts with anything to pull; returns how many.
#[inline(never)]
fn choose<const P: usize>(origin: &Origin<'_, OrientationSet4, P>, open: &[bool], chosen: &mut [u16]) -> usize {
    let mut count = 0;
    // In the order of the parts that they come from, which is how these lie in memory.
    for (&part, is_last) in origin.ready.to.iter().zip(origin.last.flags()) {
        // Without a branch, which nothing could foresee.
        chosen[count] = part;
        count += usize::from(open[usize::from(part)] & is_last);
    }
    count
}

/// The groups of some parts on their way from one row to another.
struct Lanes<'a, const P: usize> {
    origins: &'a Origins<'a, OrientationSet4, P>,
    groups: usize,
    blocks: Vec<OrientationPlanes<OrientationSet4, P>>,
    /// The steps that move each.
    steps: Vec<u16>,
    moved: Vec<OrientationSet4>,
    /// Whether the lower half of a group's number fits a register.
    #[cfg(target_arch = "x86_64")]
    in_registers: bool,
}

impl<'a, const P: usize> Lanes<'a, P> {
    fn new(origins: &'a Origins<'a, OrientationSet4, P>, groups: usize) -> Self {
        let lanes = (LANES / groups).max(1) * groups;
        let (blocks, moved) = (vec![OrientationPlanes::zeroed(); lanes], vec![OrientationSet4::EMPTY; lanes]);
        Self {
            origins,
            groups,
            blocks,
            steps: vec![0; lanes],
            moved,
            #[cfg(target_arch = "x86_64")]
            in_registers: orders::are_moved(origins.space.lower_groups(), P),
        }
    }

    /// Adds to the groups `found` of a row what some of its parts are next to by one move.
    #[inline(always)]
    fn add_parts(&mut self, origin: &Origin<'_, OrientationSet4, P>, parts: &[u16], found: &mut [OrientationSet4]) {
        #[cfg(target_arch = "x86_64")]
        if self.in_registers {
            return orders::add_parts(self.origins, origin, parts, found);
        }
        for parts in parts.chunks(self.blocks.len() / self.groups) {
            self.collect(origin, parts);
            let moved = &mut self.moved[..parts.len() * self.groups];
            moved.fill(OrientationSet4::EMPTY);
            add_moved(moved, &self.blocks, &self.steps, self.origins.code);
            for (&part, moved) in parts.iter().zip(moved.chunks_exact(self.groups)) {
                let near = &mut found[usize::from(part) * self.groups..][..self.groups];
                near.iter_mut().zip(moved).for_each(|(near, set)| near.add(set));
            }
        }
    }

    /// Fetches the groups that some parts come from, and the steps that move them.
    #[inline(never)]
    fn collect(&mut self, origin: &Origin<'_, OrientationSet4, P>, parts: &[u16]) {
        let groups = self.groups;
        let lanes = self.blocks.chunks_exact_mut(groups).zip(self.steps.chunks_exact_mut(groups));
        for (&part, (blocks, steps)) in parts.iter().zip(lanes) {
            let from = &origin.parts[usize::from(part)];
            let of_part = &origin.blocks[usize::from(from.part) * groups..][..groups];
            self.origins.space.collect(blocks, of_part, from);
            steps.fill(origin.ready.steps[usize::from(part)]);
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
