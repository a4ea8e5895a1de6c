//! Part by part: sets that are large enough to be moved one at a time.

use crate::orientation::moves::PartMove;
use crate::orientation::representation::OrientationPlanes;
use twistbase_core::math::prefetch::{LINE, prefetch};

use super::pullable::PullableOrientations;
use super::sources::{PartSource, PullTask, RowSources, keep_unreached};

/// Parts between the one that is pulled and the one whose sources are prefetched.
const AHEAD: usize = 3;

/// More than this number of bytes of a block are left to the hardware prefetcher.
const MOST_PREFETCHED: usize = 512;

/// Finds what the parts of a task are next to.
#[inline(always)]
pub(super) fn pull_part_by_part<S: PullableOrientations, const P: usize>(task: PullTask<'_, S, P>) {
    let parts = (task.first..).zip(task.found.chunks_exact_mut(task.groups)).zip(task.fresh);
    for ((part, near), fresh) in parts {
        prefetch_part(task.row, part + AHEAD);
        *fresh = pull_part(task.row, part, near);
    }
}

/// Prefetches what a part will be pulled from, which lies in an order that the hardware cannot predict. Small blocks,
/// of which a cache line holds several, are soon all in the cache.
#[inline(always)]
fn prefetch_part<S: PullableOrientations, const P: usize>(row: &RowSources<'_, S, P>, part: usize) {
    let shape = row.space.shape();
    if part < shape.parts && shape.groups * P * size_of::<S>() >= LINE {
        row.of_part(part).for_each(|source| prefetch_start(source.groups));
    }
}

/// Prefetches values as far as the hardware does not do that by itself.
#[inline(always)]
fn prefetch_start<T>(values: &[T]) {
    prefetch(&values[..values.len().min(MOST_PREFETCHED.div_ceil(size_of::<T>()))]);
}

/// Finds the unreached states of a part next to the frontier; returns how many.
#[inline(always)]
fn pull_part<S: PullableOrientations, const P: usize>(row: &RowSources<'_, S, P>, part: usize, near: &mut [S]) -> u32 {
    let groups = row.space.shape().groups;
    match &row.own[part * groups..][..groups] {
        [own] => pull_block(row, part, own, &mut near[0]),
        own => pull_groups(row, part, own, near),
    }
}

#[inline(always)]
fn pull_block<S: PullableOrientations, const P: usize>(
    row: &RowSources<'_, S, P>,
    part: usize,
    own: &OrientationPlanes<S, P>,
    near: &mut S,
) -> u32 {
    let wanted = own.unreached();
    if wanted == S::EMPTY {
        return 0;
    }
    let mut found = S::EMPTY;
    for (moves, source) in (1..).zip(row.of_part(part)) {
        add_part(row, &source, std::slice::from_mut(&mut found));
        if moves % 2 == 0 && wanted.is_subset(&found) {
            break;
        }
    }
    *near = found.and(&wanted);
    near.count()
}

#[inline(always)]
fn pull_groups<S: PullableOrientations, const P: usize>(
    row: &RowSources<'_, S, P>,
    part: usize,
    own: &[OrientationPlanes<S, P>],
    near: &mut [S],
) -> u32 {
    let mut sources = row.of_part(part).peekable();
    if sources.peek().is_none() || own.iter().all(|planes| planes.unreached() == S::EMPTY) {
        return 0;
    }
    near.fill(S::EMPTY);
    for (moves, source) in (1..).zip(sources) {
        add_part(row, &source, near);
        if moves % 3 == 0 && own.iter().zip(&*near).all(|(own, near)| own.unreached().is_subset(near)) {
            break;
        }
    }
    keep_unreached(near, own)
}

/// Adds to the groups `near` of a part every state whose source has the row's code.
#[inline(always)]
fn add_part<S: PullableOrientations, const P: usize>(
    row: &RowSources<'_, S, P>,
    source: &PartSource<'_, S, P>,
    near: &mut [S],
) {
    if let ([near], [_]) = (&mut *near, source.groups) {
        return S::add_groups(row, source, (source.groups, &[0]), std::slice::from_mut(near));
    }
    let (outer, inner) = row.space.group_sources(source.part);
    for (near, &outer) in near.chunks_exact_mut(inner.len()).zip(outer) {
        let from = &source.groups[usize::from(outer) * inner.len()..][..inner.len()];
        S::add_groups(row, source, (from, inner), near);
    }
}

/// The same of groups with one upper half of their number: group `i` gets what group `inner[i]` has.
#[inline(always)]
pub(super) fn add_groups<S: PullableOrientations, const P: usize>(
    row: &RowSources<'_, S, P>,
    part: &PartMove,
    (from, inner): (&[OrientationPlanes<S, P>], &[u16]),
    near: &mut [S],
) {
    for (near, &inner) in near.iter_mut().zip(inner) {
        near.add(&row.space.moved(&from[usize::from(inner)], part, row.code));
    }
}
