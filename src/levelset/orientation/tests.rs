//! Small random spaces of edge orientations, against a plain search.

use std::collections::VecDeque;

use rand::RngExt;
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;

use super::*;
use crate::{Kernel, MOST_LEVELS, Options};
use twistbase_core::context::Context;
use twistbase_core::error::Error;

/// The size of a space: parts, and the two halves of a group's number.
#[derive(Clone, Copy)]
struct SpaceSize {
    parts: usize,
    outer: usize,
    inner: usize,
}

impl SpaceSize {
    fn groups(self) -> usize {
        self.outer * self.inner
    }

    fn blocks(self) -> usize {
        self.parts * self.groups()
    }
}

/// What a move does to a part, as the definition says it.
#[derive(Clone)]
struct PlainMove {
    part: usize,
    outer: Vec<u16>,
    inner: Vec<u16>,
    places: Vec<u8>,
    turned: u16,
}

/// A move into a row.
#[derive(Clone)]
struct PlainSource {
    row: usize,
    parts: Vec<PlainMove>,
}

fn shuffled<T: TryFrom<usize>>(rng: &mut ChaCha8Rng, count: usize) -> Vec<T> {
    let mut all: Vec<T> = (0..count).filter_map(|i| T::try_from(i).ok()).collect();
    all.shuffle(rng);
    all
}

fn inverse(map: &[u16]) -> Vec<u16> {
    let mut back = vec![0; map.len()];
    map.iter().enumerate().for_each(|(to, &from)| back[usize::from(from)] = to as u16);
    back
}

impl PlainMove {
    fn random<S: PullableOrientations>(rng: &mut ChaCha8Rng, size: SpaceSize, part: usize, kept: usize) -> Self {
        // The first places are left as they are, so that some spaces have states that nothing reaches.
        let mut places: Vec<u8> = (0..S::PLACES as u8).collect();
        places[kept..].shuffle(rng);
        let turned: u16 = rng.random_range(0..1u16 << S::PLACES) >> kept << kept;
        let is_odd = S::PLACES == 12 && turned.count_ones() % 2 == 1;
        let turned = if is_odd { turned ^ 0x800 } else { turned };
        Self { part, outer: shuffled(rng, size.outer), inner: shuffled(rng, size.inner), places, turned }
    }

    fn inverse(&self, part: usize) -> Self {
        let (outer, inner) = (inverse(&self.outer), inverse(&self.inner));
        let mut back = Self { part, outer, inner, places: vec![0; self.places.len()], turned: 0 };
        for (to, &from) in self.places.iter().enumerate() {
            back.places[usize::from(from)] = to as u8;
            back.turned |= (self.turned >> to & 1) << from;
        }
        back
    }
}

impl PlainSource {
    /// What state (part, group, orientation) of the row that it leads into is reached from.
    fn origin<S: PullableOrientations>(&self, size: SpaceSize, part: usize, group: usize, number: usize) -> [usize; 4] {
        let step = &self.parts[part];
        let orientations = if S::PLACES == 12 { number | (number.count_ones() as usize & 1) << 11 } else { number };
        let moved = (0..S::PLACES).fold(0, |moved, i| moved | (orientations >> step.places[i] & 1) << i);
        let (outer, inner) = (step.outer[group / size.inner], step.inner[group % size.inner]);
        let group = usize::from(outer) * size.inner + usize::from(inner);
        [self.row, step.part, group, (moved ^ usize::from(step.turned)) & (S::STATES - 1)]
    }

    /// The inverse move, into the row that this one comes from.
    fn inverse(&self, into: usize) -> Self {
        let mut parts = self.parts.clone();
        self.parts.iter().enumerate().for_each(|(part, step)| parts[step.part] = step.inverse(part));
        Self { row: into, parts }
    }

    fn random<S: PullableOrientations>(rng: &mut ChaCha8Rng, rows: usize, size: SpaceSize, kept: usize) -> Self {
        let from: Vec<usize> = shuffled(rng, size.parts);
        let parts = from.into_iter().map(|part| PlainMove::random::<S>(rng, size, part, kept)).collect();
        Self { row: rng.random_range(0..rows), parts }
    }
}

/// Distances of all states, searched one by one; states are numbered row, part, group, orientation.
fn plain_search<S: PullableOrientations>(
    sources: &[Vec<PlainSource>],
    size: SpaceSize,
    seeds: &[OrientationSeed],
) -> Vec<Option<u8>> {
    let index = |[row, part, group, orientations]: [usize; 4]| {
        ((row * size.parts + part) * size.groups() + group) * S::STATES + orientations
    };
    // Moves come in inverse pairs: what a state is reached from is what it leads to.
    let mut distance = vec![None; sources.len() * size.blocks() * S::STATES];
    let start =
        |seed: &OrientationSeed| [seed.row as usize, seed.part as usize, seed.group as usize, seed.orientations.into()];
    let mut queue: VecDeque<_> = seeds.iter().map(start).collect();
    queue.iter().for_each(|&seed| distance[index(seed)] = Some(0));
    while let Some(state) = queue.pop_front() {
        let next = distance[index(state)].map(|distance: u8| distance + 1);
        let [row, part, group, orientations] = state;
        for source in &sources[row] {
            let reached = source.origin::<S>(size, part, group, orientations);
            if distance[index(reached)].is_none() {
                distance[index(reached)] = next;
                queue.push_back(reached);
            }
        }
    }
    distance
}

fn space<S: PullableOrientations>(
    sources: &[Vec<PlainSource>],
    size: SpaceSize,
    gathered: usize,
) -> OrientationSpace<S> {
    let mut moves =
        OrientationMoves::<S> { parts: Vec::new(), orientations: Vec::new(), outer: Vec::new(), inner: Vec::new() };
    let rows = sources.iter().map(|sources| {
        let source = |source: &PlainSource| {
            let part = |step: &PlainMove| {
                moves.orientations.push(S::map(&step.places));
                moves.outer.push(step.outer.clone().into());
                moves.inner.push(step.inner.clone().into());
                let number = moves.orientations.len() - 1;
                let (orientations, outer, inner) = (number as u16, number as u32, number as u16);
                PartMove { part: step.part as u16, turned: step.turned, orientations, inner, outer }
            };
            let parts = source.parts.iter().map(part).collect();
            moves.parts.push(parts);
            OrientationSource { row: source.row as u32, parts: moves.parts.len() as u32 - 1 }
        };
        sources.iter().map(source).collect()
    });
    let rows = rows.collect();
    OrientationSpace::new(size.parts, gathered, moves, rows)
}

/// A search that ends at a depth has the levels up to there, and one that continues from these finds the others.
fn compare_continued<S: PullableOrientations, const P: usize>(
    sources: &[Vec<PlainSource>],
    size: SpaceSize,
    seeds: &[OrientationSeed],
    depth: u8,
    right: &OrientationLevels<S, P>,
) {
    let (space, ctx) = (space(sources, size, 0), Context::silent());
    let some = generate_orientations::<S, P>(&space, seeds, None, Some(depth), 1 << 30, &ctx).unwrap();
    let mut enter = |rows: &mut [&mut [OrientationPlanes<S, P>]]| {
        for (row, blocks) in rows.iter_mut().enumerate() {
            for ((to, from), right) in blocks.iter_mut().zip(some.row(row)).zip(right.row(row)) {
                let must = |number| right.level(number).filter(|&level| level <= depth);
                assert!((0..S::STATES as u16).all(|number| from.level(number) == must(number)), "depth {depth}");
                *to = OrientationPlanes::of_levels(|number| from.level(number));
            }
        }
        Ok(())
    };
    let known = KnownOrientations { depth, enter: &mut enter };
    let all = generate_orientations::<S, P>(&space, seeds, Some(known), None, 1 << 30, &ctx).unwrap();
    for row in 0..sources.len() {
        assert!(all.row(row).iter().zip(right.row(row)).all(|(found, right)| found.planes() == right.planes()));
        assert_eq!(all.counts(row), right.counts(row), "row {row}");
        assert_eq!(some.counts(row), &right.counts(row)[..=usize::from(depth)], "row {row}");
    }
}

/// Compares every state of a space with the plain search; returns the number of levels and of states reached.
fn compare<S: PullableOrientations, const P: usize>(
    sources: &[Vec<PlainSource>],
    size: SpaceSize,
    seeds: &[OrientationSeed],
) -> (usize, usize) {
    let levels =
        generate_orientations::<S, P>(&space(sources, size, 0), seeds, None, None, 1 << 30, &Context::silent())
            .unwrap();
    let expected = plain_search::<S>(sources, size, seeds);
    let last = expected.iter().flatten().max().copied().unwrap();
    for (row, expected) in expected.chunks(size.blocks() * S::STATES).enumerate() {
        let mut counts = vec![0; usize::from(last) + 1];
        for (block, expected) in expected.chunks(S::STATES).enumerate() {
            let mut codes = vec![0xff; S::STATES];
            levels.row(row)[block].write_codes(&mut codes);
            for (number, &distance) in (0..).zip(expected) {
                let found = levels.row(row)[block].level(number);
                assert_eq!(codes[usize::from(number)].checked_sub(1), found, "{row} {block} {number}");
                assert_eq!(found, distance.map(|d| d % OrientationPlanes::<S, P>::MODULUS), "{row} {block} {number}");
                distance.into_iter().for_each(|distance| counts[usize::from(distance)] += 1);
            }
        }
        assert_eq!(levels.counts(row), counts, "row {row}");
    }
    if last < OrientationPlanes::<S, P>::MODULUS {
        for depth in [0, last / 2, last.saturating_sub(1)] {
            compare_continued(sources, size, seeds, depth, &levels);
        }
    }
    (usize::from(last) + 1, expected.iter().flatten().count())
}

/// Compares bounds and least levels with the plain search, in memory and with as little of it as it takes.
fn compare_bounds<S: PullableOrientations>(
    sources: &[Vec<PlainSource>],
    size: SpaceSize,
    seeds: &[OrientationSeed],
    base: u8,
) {
    const GATHERED: usize = 2;
    let (folder, ctx) = (tempfile::tempdir().unwrap(), Context::silent());
    let space = space::<S>(sources, size, GATHERED);
    let (least, most) = (space.shape().least_memory::<S, 2>(), space.shape().working_set::<S, 2>());
    let expected = plain_search::<S>(sources, size, seeds);
    let at = |row: usize, part: usize, group: usize, number: usize| {
        expected[((row * size.parts + part) * size.groups() + group) * S::STATES + number]
    };
    let options = |memory, scratch| Options { kernel: Kernel::detect(), memory, scratch };
    let in_folder = |memory| options(memory, Some(folder.path().to_owned()));
    for options in [in_folder(most), in_folder(least), options(most, None)] {
        let mut bounds = generate_bounds(&space, seeds, base, &options, &ctx).unwrap();
        for row in 0..sources.len() {
            let mut counts = vec![0; usize::from(base) + 4];
            let found = bounds.row(row).unwrap();
            for (group, number) in (0..size.groups()).flat_map(|g| (0..S::STATES).map(move |n| (g, n))) {
                let bit = |set: &S| u8::from(set.contains(number as u16));
                for part in 0..size.parts {
                    let distance = at(row, part, group, number).map_or(base + 3, |distance| distance.min(base + 3));
                    counts[usize::from(distance)] += 1;
                    let code = if distance > base + 2 { 0 } else { distance.saturating_sub(base) + 1 };
                    let [low, high] = found.planes(part, group).map(bit);
                    assert_eq!(low | high << 1, code, "{row} {part} {group} {number}");
                }
                for first in (0..size.parts).step_by(GATHERED) {
                    let parts = first..size.parts.min(first + GATHERED);
                    let nearest = parts.filter_map(|part| at(row, part, group, number)).min();
                    let kept = nearest.filter(|&nearest| nearest <= base + 2).map_or(0, |nearest| 15 - nearest);
                    let planes = found.least(first / GATHERED, group).map(bit);
                    assert_eq!(planes.iter().rev().fold(0, |value, bit| value << 1 | bit), kept);
                }
            }
            assert_eq!(bounds.counts(row), counts, "row {row}");
        }
    }
    for options in [in_folder(least - 1), options(most - 1, None)] {
        let refused = generate_bounds(&space, seeds, base, &options, &ctx);
        assert!(matches!(refused, Err(Error::Memory(_))));
    }
}

/// A random space of so many rows, in which all rows are met, and seeds in it.
fn random_space<S: PullableOrientations>(
    rng: &mut ChaCha8Rng,
    size: SpaceSize,
    [rows, moves, kept, seeds]: [usize; 4],
) -> (Vec<Vec<PlainSource>>, Vec<OrientationSeed>) {
    let mut sources = vec![Vec::new(); rows];
    // A chain of rows first, so that all of them are met.
    for into in 1..rows {
        let source = PlainSource { row: into - 1, ..PlainSource::random::<S>(rng, rows, size, kept) };
        sources[into - 1].push(source.inverse(into));
        sources[into].push(source);
    }
    for into in (0..rows).flat_map(|row| vec![row; moves]) {
        let source = PlainSource::random::<S>(rng, rows, size, kept);
        sources[source.row].push(source.inverse(into));
        sources[into].push(source);
    }
    let seed = |rng: &mut ChaCha8Rng| OrientationSeed {
        row: rng.random_range(0..rows as u32),
        part: rng.random_range(0..size.parts as u32),
        group: rng.random_range(0..size.groups() as u32),
        orientations: rng.random_range(0..S::STATES as u16),
    };
    let seeds = (0..seeds).map(|_| seed(rng)).collect();
    (sources, seeds)
}

fn random_spaces<S: PullableOrientations>(seed: u64) {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let (mut most, mut partial) = (0, 0);
    let kept = |few: usize| few.min(S::PLACES - 2);
    // More rows than are searched at once, too.
    for (rows, parts, outer, inner, moves, keep, seeds) in [
        (1, 1, 1, 1, 2, 0, 1),
        (1, 7, 1, 1, 1, 0, 1),
        (2, 5, 1, 1, 1, 0, 2),
        (3, 4, 2, 3, 2, 3, 1),
        // As many as the orders of four edges, which may be done in registers.
        (2, 3, 2, 24, 1, 0, 1),
        (40, 3, 1, 2, 1, 2, 1),
        (50, 2, 1, 1, 1, 0, 3),
    ] {
        let size = SpaceSize { parts, outer, inner };
        let (sources, seeds) = random_space::<S>(&mut rng, size, [rows, moves, kept(keep), seeds]);
        let (levels, reached) = compare::<S, 2>(&sources, size, &seeds);
        assert_eq!(compare::<S, 4>(&sources, size, &seeds), (levels, reached));
        compare_bounds::<S>(&sources, size, &seeds, 4);
        most = most.max(levels);
        partial += usize::from(reached < rows * size.blocks() * S::STATES);
    }
    // More levels than remainders, of four planes where states are many, and states that are never reached.
    assert!(most > if S::PLACES == 12 { 15 } else { 7 } && partial > 0, "{most} {partial}");
}

/// Levels counted from files are those of a plain search, with any number of rows in memory, also where the search was ended between.
fn levels_in_files<S: PullableOrientations>(seed: u64) {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    for (rows, parts, outer, inner) in [(2, 5, 1, 1), (5, 3, 1, 1), (3, 4, 2, 3)] {
        let size = SpaceSize { parts, outer, inner };
        let kept = if inner > 1 { 2 } else { 0 };
        let (sources, seeds) = random_space::<S>(&mut rng, size, [rows, 2, kept, 2]);
        let space = space::<S>(&sources, size, 0);
        let expected = plain_search::<S>(&sources, size, &seeds);
        let last = expected.iter().flatten().max().copied().unwrap();
        let state = |index: usize| {
            let (block, orientations) = (index / S::STATES, (index % S::STATES) as u16);
            let [row, part] =
                [block / size.blocks(), block % size.blocks() / size.groups()].map(|number| number as u32);
            OrientationSeed { row, part, group: (block % size.groups()) as u32, orientations }
        };
        let mut counts = vec![vec![0; rows]; usize::from(last) + 1];
        let set = |rng: &mut ChaCha8Rng| S::from_words(|_| rng.random());
        let list = |rng: &mut ChaCha8Rng| (0..size.blocks() as u32).step_by(2).map(|block| (block, set(rng))).collect();
        let tallies = ReachedTallies {
            lists: (0..3).map(|_| list(&mut rng)).collect(),
            rows: (0..rows).map(|row| (0..row as u32 % 3).collect()).collect(),
        };
        let mut tallied = counts.clone();
        let mut farthest = Vec::new();
        for (index, distance) in expected.iter().enumerate() {
            let Some(distance) = *distance else { continue };
            let OrientationSeed { row, orientations, .. } = state(index);
            let (row, block) = (row as usize, (index / S::STATES % size.blocks()) as u32);
            counts[usize::from(distance)][row] += 1;
            let lists = tallies.rows[row].iter().flat_map(|&list| &tallies.lists[list as usize]);
            let having = lists.filter(|(of, set)| *of == block && set.contains(orientations));
            tallied[usize::from(distance)][row] += having.count() as u64;
            if distance == last {
                farthest.push(state(index));
            }
        }
        let probed: Vec<usize> = (0..50).map(|_| rng.random_range(0..expected.len())).collect();
        let probes: Vec<_> = probed.iter().map(|&index| state(index)).collect();
        let right = ReachedLevels {
            counts,
            tallies: tallied,
            farthest: Some(farthest),
            probes: probed.iter().map(|&index| expected[index]).collect(),
        };
        let (folder, ctx, least) = (tempfile::tempdir().unwrap(), Context::silent(), reached_least_memory(&space));
        let options =
            |name, memory, depth| ReachedOptions { folder: folder.path(), name, memory, depth, probes: &probes };
        let count = |options: &ReachedOptions<'_>| count_reached(&space, &seeds, &tallies, options, &ctx, &mut |_| {});
        assert_eq!(count(&options("little", least, None)).unwrap(), right);
        let part = count(&options("much", 1 << 30, Some(last / 2))).unwrap();
        assert_eq!(part.counts, right.counts[..=usize::from(last / 2)]);
        assert_eq!(count(&options("much", least, None)).unwrap(), right);
        // All is recorded: the rows are not needed any more.
        assert_eq!(count(&options("much", 1 << 30, None)).unwrap(), right);
        assert!(matches!(count(&options("none", least - 1, None)), Err(Error::Memory(_))));
        let others = ReachedOptions { probes: &probes[1..], ..options("much", 1 << 30, None) };
        assert!(matches!(count(&others), Err(Error::Usage(_))));
    }
}

#[test]
fn levels_in_files_are_those_of_a_plain_search() {
    levels_in_files::<OrientationSet4>(4);
    levels_in_files::<OrientationSet8>(8);
    levels_in_files::<OrientationSet12>(12);
}

/// Whatever byte of the files is changed, a search that continues ends with the error of a damaged file, or finds the same.
#[test]
fn changed_files_of_levels_are_noticed() {
    let mut rng = ChaCha8Rng::seed_from_u64(77);
    let size = SpaceSize { parts: 6, outer: 1, inner: 1 };
    let (sources, seeds) = random_space::<OrientationSet12>(&mut rng, size, [3, 2, 0, 1]);
    let (space, ctx) = (space::<OrientationSet12>(&sources, size, 0), Context::silent());
    let search = |folder: &std::path::Path, depth| {
        let options = ReachedOptions { folder, name: "changed", memory: 1 << 30, depth, probes: &[] };
        count_reached(&space, &seeds, &ReachedTallies::default(), &options, &ctx, &mut |_| {})
    };
    let [right, part] = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
    let right = search(right.path(), None).unwrap();
    let depth = right.counts.len() as u8 / 2;
    search(part.path(), Some(depth)).unwrap();
    let mut noticed = 0;
    for (name, changes) in [("changed.levels", 60), ("changed.rows-0", 20), ("changed.rows-1", 20)] {
        let path = part.path().join(name);
        let whole = std::fs::read(&path).unwrap();
        for _ in 0..changes {
            let (mut bytes, folder) = (whole.clone(), tempfile::tempdir().unwrap());
            let at = rng.random_range(0..bytes.len());
            bytes[at] ^= 1 << rng.random_range(0..8);
            for entry in std::fs::read_dir(part.path()).unwrap() {
                let entry = entry.unwrap();
                std::fs::copy(entry.path(), folder.path().join(entry.file_name())).unwrap();
            }
            std::fs::write(folder.path().join(name), bytes).unwrap();
            match search(folder.path(), None) {
                Ok(found) => assert_eq!(found, right, "{name}, byte {at}"),
                Err(error) => {
                    assert!(matches!(error, Error::Io { .. } | Error::Usage(_)), "{error}");
                    noticed += 1;
                }
            }
        }
    }
    assert!(noticed >= 70, "{noticed}");
}

#[test]
fn random_spaces_have_the_levels_of_a_plain_search() {
    random_spaces::<OrientationSet4>(16);
    random_spaces::<OrientationSet8>(256);
    random_spaces::<OrientationSet12>(2048);
}

#[test]
fn too_little_memory_and_too_many_levels_are_refused() {
    // A chain of rows, where orientations stay as they are.
    const ROWS: usize = MOST_LEVELS + 8;
    const MIDDLE: usize = ROWS / 2 - 1;
    let size = SpaceSize { parts: 1, outer: 1, inner: 1 };
    let step = PlainMove { part: 0, outer: vec![0], inner: vec![0], places: (0..12).collect(), turned: 0 };
    let source = |row: usize| PlainSource { row, parts: vec![step.clone()] };
    let sources =
        |row: usize| [row.checked_sub(1), (row + 1 < ROWS).then_some(row + 1)].into_iter().flatten().map(source);
    let sources: Vec<Vec<PlainSource>> = (0..ROWS).map(|row| sources(row).collect()).collect();
    let space = space::<OrientationSet12>(&sources, size, 0);
    let search = |row, memory| {
        let seed = OrientationSeed { row, part: 0, group: 0, orientations: 5 };
        generate_orientations::<_, 2>(&space, &[seed], None, None, memory, &Context::silent())
            .map(|levels| levels.counts(0).len())
    };
    assert_eq!(search(MIDDLE as u32, 1 << 20).unwrap(), ROWS / 2 + 1);
    assert!(matches!(search(0, 1 << 20), Err(Error::Budget(_))));
    let needed = space.shape().working_set::<OrientationSet12, 2>();
    assert!(matches!(search(MIDDLE as u32, needed - 1), Err(Error::Memory(_))));
}
