//! Small spaces of flips, made up at random, against a plain search.

use std::collections::VecDeque;
use std::sync::Arc;

use rand::RngExt;
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;

use super::*;
use crate::context::Context;
use crate::levelset::MOST_LEVELS;

const FLIPS: usize = 2048;

/// A way into a row as its definition says it, one state at a time.
#[derive(Clone)]
struct Way {
    row: usize,
    blocks: Vec<u16>,
    places: [u8; 12],
    turned: u16,
}

impl Way {
    /// What state (block, flips) of the row that it leads into is reached from.
    fn source(&self, block: usize, number: usize) -> (usize, usize, usize) {
        let flips = number | (number.count_ones() as usize & 1) << 11;
        let moved = (0..12).fold(0, |moved, i| moved | (flips >> self.places[i] & 1) << i);
        (self.row, self.blocks[block].into(), (moved ^ usize::from(self.turned)) & (FLIPS - 1))
    }

    /// The way back, into the row that this one comes from.
    fn inverse(&self, into: usize) -> Self {
        let mut back = Self { row: into, blocks: vec![0; self.blocks.len()], places: [0; 12], turned: 0 };
        self.blocks.iter().enumerate().for_each(|(to, &from)| back.blocks[usize::from(from)] = to as u16);
        for (to, &from) in self.places.iter().enumerate() {
            back.places[usize::from(from)] = to as u8;
            back.turned |= (self.turned >> to & 1) << from;
        }
        back
    }

    fn random(rng: &mut ChaCha8Rng, rows: usize, blocks: usize, kept: usize) -> Self {
        let mut to: Vec<u16> = (0..blocks as u16).collect();
        to.shuffle(rng);
        // The first places are left as they are, so that some spaces have states that nothing reaches.
        let mut places: [u8; 12] = std::array::from_fn(|i| i as u8);
        places[kept..].shuffle(rng);
        let turned: u16 = rng.random_range(0..0x1000) >> kept << kept;
        let turned = if turned.count_ones() % 2 == 1 { turned ^ 0x800 } else { turned };
        Self { row: rng.random_range(0..rows), blocks: to, places, turned }
    }
}

/// Distances of all states by looking at one after the other; states are numbered row, block, flips.
fn plain_search(ways: &[Vec<Way>], blocks: usize, seeds: &[FlipSeed]) -> Vec<Option<u8>> {
    let index = |(row, block, flips): (usize, usize, usize)| (row * blocks + block) * FLIPS + flips;
    // Ways come in inverse pairs: what a state is reached from is what it leads to.
    let mut distance = vec![None; ways.len() * blocks * FLIPS];
    let mut queue: VecDeque<_> =
        seeds.iter().map(|seed| (seed.row as usize, seed.block as usize, usize::from(seed.flips))).collect();
    queue.iter().for_each(|&seed| distance[index(seed)] = Some(0));
    while let Some((row, block, flips)) = queue.pop_front() {
        let next = distance[index((row, block, flips))].map(|distance: u8| distance + 1);
        for way in &ways[row] {
            let reached = way.source(block, flips);
            if distance[index(reached)].is_none() {
                distance[index(reached)] = next;
                queue.push_back(reached);
            }
        }
    }
    distance
}

/// Compares every state of a space with the plain search; returns the number of levels and of states reached.
fn compare<const P: usize>(ways: &[Vec<Way>], blocks: usize, seeds: &[FlipSeed]) -> (usize, usize) {
    let source = |way: &Way| FlipSource {
        row: way.row as u32,
        blocks: way.blocks.clone().into(),
        flips: Arc::new(FlipMap::new(&way.places, way.turned)),
    };
    let space = FlipSpace::new(blocks, ways.iter().map(|ways| ways.iter().map(source).collect()).collect());
    let levels = generate_flips::<P>(&space, seeds, 1 << 30, &Context::silent()).unwrap();
    let expected = plain_search(ways, blocks, seeds);
    let last = expected.iter().flatten().max().copied().unwrap();
    for (row, expected) in expected.chunks(blocks * FLIPS).enumerate() {
        let mut counts = vec![0; usize::from(last) + 1];
        for (block, expected) in expected.chunks(FLIPS).enumerate() {
            for (number, &distance) in (0..).zip(expected) {
                let found = levels.row(row)[block].level(number);
                assert_eq!(found, distance.map(|d| d % FlipPlanes::<P>::MODULUS), "{row} {block} {number}");
                distance.into_iter().for_each(|distance| counts[usize::from(distance)] += 1);
            }
        }
        assert_eq!(levels.counts(row), counts, "row {row}");
    }
    (usize::from(last) + 1, expected.iter().flatten().count())
}

#[test]
fn random_spaces_have_the_levels_of_a_plain_search() {
    let mut rng = ChaCha8Rng::seed_from_u64(2048);
    let (mut most, mut partial) = (0, 0);
    // More rows than are searched at once, too.
    for (rows, blocks, moves, kept, seeds) in
        [(1, 1, 2, 0, 1), (1, 7, 1, 0, 1), (2, 5, 1, 0, 2), (3, 4, 2, 3, 1), (40, 3, 1, 2, 1), (50, 2, 1, 0, 3)]
    {
        let mut ways = vec![Vec::new(); rows];
        // A chain of rows first, so that all of them are met.
        for into in 1..rows {
            let way = Way { row: into - 1, ..Way::random(&mut rng, rows, blocks, kept) };
            ways[into - 1].push(way.inverse(into));
            ways[into].push(way);
        }
        for into in (0..rows).flat_map(|row| vec![row; moves]) {
            let way = Way::random(&mut rng, rows, blocks, kept);
            ways[way.row].push(way.inverse(into));
            ways[into].push(way);
        }
        let seed = |rng: &mut ChaCha8Rng| FlipSeed {
            row: rng.random_range(0..rows as u32),
            block: rng.random_range(0..blocks as u32),
            flips: rng.random_range(0..FLIPS as u16),
        };
        let seeds: Vec<_> = (0..seeds).map(|_| seed(&mut rng)).collect();
        let (levels, reached) = compare::<2>(&ways, blocks, &seeds);
        assert_eq!(compare::<4>(&ways, blocks, &seeds), (levels, reached));
        most = most.max(levels);
        partial += usize::from(reached < rows * blocks * FLIPS);
    }
    // More levels than remainders, and states that are never reached.
    assert!(most > 15 && partial > 0, "{most} {partial}");
}

#[test]
fn too_little_memory_and_too_many_levels_are_refused() {
    use crate::error::Error;
    // A chain of rows, where flips stay as they are.
    const ROWS: usize = MOST_LEVELS + 8;
    const MIDDLE: usize = ROWS / 2 - 1;
    let way = |row: usize| Way { row, blocks: vec![0], places: std::array::from_fn(|i| i as u8), turned: 0 };
    let ways = |row: usize| [row.checked_sub(1), (row + 1 < ROWS).then_some(row + 1)].into_iter().flatten().map(way);
    let ways: Vec<Vec<Way>> = (0..ROWS).map(|row| ways(row).collect()).collect();
    let source = |way: &Way| FlipSource {
        row: way.row as u32,
        blocks: way.blocks.clone().into(),
        flips: Arc::new(FlipMap::new(&way.places, way.turned)),
    };
    let space = FlipSpace::new(1, ways.iter().map(|ways| ways.iter().map(source).collect()).collect());
    let search = |row, memory| {
        let seed = FlipSeed { row, block: 0, flips: 5 };
        generate_flips::<2>(&space, &[seed], memory, &Context::silent()).map(|levels| levels.counts(0).len())
    };
    assert_eq!(search(MIDDLE as u32, 1 << 20).unwrap(), ROWS / 2 + 1);
    assert!(matches!(search(0, 1 << 20), Err(Error::Budget(_))));
    assert!(matches!(search(MIDDLE as u32, flip_memory::<2>(ROWS, 1) - 1), Err(Error::Budget(_))));
}
