//! Entering what a row found: in the planes of its parts, and in the least levels of those that are gathered.

use crate::orientation::pull::PullableOrientations;
use crate::orientation::representation::{LEAST_PLANES, OrientationPlanes, OrientationSet, OrientationShape, PartSet};
use twistbase_core::simd::VectorWork;

use super::search::LevelCodes;

/// What a least level is stored subtracted from, so that fresh memory says "none".
const MOST_LEAST: u8 = 15;

/// If one in so many parts has anything, going through all of them is faster than from one such part to the next.
const MANY: usize = 8;

/// What a row found, to be entered in the parts that have any of it, and in the least levels of what is gathered.
pub(super) struct EnterFound<'a, S: OrientationSet, const P: usize> {
    shape: &'a OrientationShape,
    codes: LevelCodes,
    planes: &'a mut [OrientationPlanes<S, P>],
    least: &'a mut [S],
    found: &'a [S],
    parts: PartSet<'a>,
}

impl<'a, S: OrientationSet, const P: usize> EnterFound<'a, S, P> {
    /// What is to be entered in the sets of a row.
    pub(super) fn new(
        shape: &'a OrientationShape,
        codes: LevelCodes,
        row: &'a mut [S],
        found: &'a [S],
        parts: PartSet<'a>,
    ) -> Self {
        let (planes, least) = shape.split_mut(row);
        Self { shape, codes, planes, least, found, parts }
    }
}

impl<S: PullableOrientations, const P: usize> VectorWork for EnterFound<'_, S, P> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Self { shape, codes, planes, least, found, parts } = self;
        let enter = |planes: &mut [OrientationPlanes<S, P>], found: &[S]| {
            planes.iter_mut().zip(found).for_each(|(planes, found)| planes.assign_code(found, codes.to));
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
            gather_least(shape, codes.level, least, found, parts);
        }
    }
}

/// Gives a level to all groups and orientations that have none yet in any of the parts that are gathered, and were
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
        if least.chunks(LEAST_PLANES).all(|least| without_level(least) == S::EMPTY) {
            gathered.for_each(drop);
            continue;
        }
        first.fill(S::EMPTY);
        for part in gathered {
            first.iter_mut().zip(&found[part * groups..][..groups]).for_each(|(first, found)| first.add(found));
        }
        for (least, first) in least.chunks_mut(LEAST_PLANES).zip(&first) {
            let new = without_level(least).and(first);
            let planes = least.iter_mut().enumerate().filter(|(bit, _)| code >> bit & 1 == 1);
            planes.for_each(|(_, plane)| plane.add(&new));
        }
    }
}

/// The orientations that have no least level.
#[inline(always)]
fn without_level<S: OrientationSet>(least: &[S]) -> S {
    let known = least.iter().fold(S::EMPTY, |mut known, plane| {
        known.add(plane);
        known
    });
    known.nor(&S::EMPTY)
}
