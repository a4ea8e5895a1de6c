//! Small spaces, made up at random, against a plain search: moves that count two, and parts.

use std::sync::Arc;

use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::*;
use twistbase_core::context::Context;
use twistbase_core::math::nibble;
use twistbase_core::math::perm8::{PERMUTATIONS, Perm8, Relabelling, compose, inverse, is_odd, rank, unrank};
use twistbase_core::math::square::D4;

/// A move into a row as its definition says it, one state at a time. What is by parity is for even permutations first.
#[derive(Clone)]
struct RowMove {
    row: usize,
    cost: u8,
    slots: Perm8,
    /// By parity and block: the block that it comes from, and the relabelling. All relabellings are even.
    blocks: [Vec<(u32, Relabelling)>; 2],
}

impl RowMove {
    fn random(rng: &mut ChaCha8Rng, rows: usize, blocks: usize, cost: u8, parts: bool) -> Self {
        let of_parity = |rng: &mut ChaCha8Rng| {
            let mut to: Vec<u32> = (0..blocks as u32).collect();
            to.shuffle(rng);
            to.into_iter().map(|block| (block, even_relabelling(rng))).collect()
        };
        let even: Vec<_> = of_parity(rng);
        let odd = if parts { of_parity(rng) } else { even.clone() };
        let slots = unrank(rng.random_range(0..PERMUTATIONS as u32));
        Self { row: rng.random_range(0..rows), cost, slots, blocks: [even, odd] }
    }

    /// What a state of the row that it leads into is reached from.
    fn source(&self, block: usize, state: &Perm8) -> (usize, usize, u32) {
        let (from, relabelling) = self.blocks[usize::from(is_odd(state))][block];
        (self.row, from as usize, rank(&compose(&relabelling.labels(), &compose(state, &self.slots))))
    }

    /// The inverse move, into the row that this one comes from.
    fn inverse(&self, into: usize) -> Self {
        let blocks = self.blocks[0].len();
        let mut back = Self {
            row: into,
            cost: self.cost,
            slots: inverse(&self.slots),
            blocks: [(); 2].map(|()| vec![(0, Relabelling::default()); blocks]),
        };
        for (odd, to) in (0..2).flat_map(|odd| (0..blocks).map(move |to| (odd, to))) {
            let (from, relabelling) = self.blocks[odd][to];
            let relabelling = Relabelling::from_labels(&inverse(&relabelling.labels())).expect("they are a group");
            // The state that it comes from has this parity.
            let parity = odd ^ usize::from(is_odd(&self.slots));
            back.blocks[parity][from as usize] = (to as u32, relabelling);
        }
        back
    }

    fn sources(&self) -> Vec<RowSource> {
        let slots = Arc::new(SlotMove::new(&self.slots));
        let source = |part, blocks: &[(u32, Relabelling)]| RowSource {
            row: self.row as u32,
            cost: self.cost,
            part,
            slots: Arc::clone(&slots),
            blocks: blocks.iter().map(|&(block, relabelling)| BlockSource { block, relabelling }).collect(),
        };
        let [even, odd] = &self.blocks;
        if even == odd { vec![source(Part::All, even)] } else { vec![source(Part::Odd, odd), source(Part::Even, even)] }
    }
}

fn even_relabelling(rng: &mut ChaCha8Rng) -> Relabelling {
    loop {
        let mut element = || D4::from_index(rng.random_range(0..8));
        let (p, q) = (element(), element());
        let relabelling = Relabelling { swap: rng.random(), p, q };
        if !is_odd(&relabelling.labels()) {
            return relabelling;
        }
    }
}

/// Distances of all states, numbered row, block, permutation: level after level, each state looks at all those that it
/// is reached from.
fn plain_search(moves: &[Vec<RowMove>], blocks: usize, seeds: &[Seed]) -> Vec<Option<u8>> {
    let index = |(row, block, rank): (usize, usize, u32)| ((row * blocks + block) * PERMUTATIONS) as u32 + rank;
    let mut distance = vec![None; moves.len() * blocks * PERMUTATIONS];
    let states = (0..moves.len()).flat_map(|row| (0..blocks).map(move |block| (row, block)));
    let states = states.flat_map(|(row, block)| (0..PERMUTATIONS as u32).map(move |rank| (row, block, rank)));
    let reached_from: Vec<Vec<(u8, u32)>> = states
        .map(|(row, block, rank)| {
            let state = unrank(rank);
            moves[row].iter().map(|row_move| (row_move.cost, index(row_move.source(block, &state)))).collect()
        })
        .collect();
    for seed in seeds {
        distance[index((seed.row as usize, seed.block as usize, seed.rank)) as usize] = Some(0);
    }
    let mut idle = 0;
    for level in 1.. {
        let is_next = |&(cost, from): &(u8, u32)| distance[from as usize].is_some_and(|d: u8| d + cost == level);
        let next: Vec<usize> =
            (0..distance.len()).filter(|&s| distance[s].is_none() && reached_from[s].iter().any(is_next)).collect();
        idle = if next.is_empty() { idle + 1 } else { 0 };
        if idle == 2 {
            break;
        }
        next.into_iter().for_each(|state| distance[state] = Some(level));
    }
    distance
}

/// A search that ends at a depth and continues from there, once or several times, in memory and in a scratch file,
/// finds what one does that is not interrupted.
fn compare_continued(space: &Space, seeds: &[Seed], depths: &[u8], rng: &mut ChaCha8Rng) {
    let ctx = Context::silent();
    let nibbles = |levels: &mut Levels| {
        let mut rows = Vec::new();
        let keep = |_: usize, row: &mut [u8]| {
            rows.push(row.to_vec());
            Ok(())
        };
        levels.for_each_row(keep).unwrap();
        rows
    };
    let memory = [1 << 30, least_memory(space.total_blocks(), space.most_cost())];
    let options = |memory| Options { kernel: Kernel::detect(), memory, scratch: Some(std::env::temp_dir()) };
    let mut whole = generate(space, seeds, None, None, &options(1 << 30), &ctx).unwrap();
    let last = whole.counts(0).len() - 1;
    assert!((5..2 * usize::from(UNSET)).contains(&last), "{last}");
    let right = nibbles(&mut whole);
    let (mut rows, mut known) = (Vec::new(), None);
    for depth in depths.iter().copied().map(Some).chain([None]) {
        let mut read = |row: usize, nibbles: &mut [u8]| {
            nibbles.copy_from_slice(&rows[row] as &Vec<u8>);
            Ok(())
        };
        let taken = known.take().map(|(depth, counts)| KnownLevels { depth, counts, read: &mut read });
        let options = options(memory[usize::from(rng.random::<bool>())]);
        let mut levels = generate(space, seeds, taken, depth, &options, &ctx).unwrap();
        rows = nibbles(&mut levels);
        let within = |level: u8| depth.is_none_or(|depth| level <= depth);
        for (row, (found, right)) in rows.iter().zip(&right).enumerate() {
            for entry in 0..2 * found.len() {
                let must = nibble::pick(right[entry / 2], entry);
                if usize::from(must + UNSET) <= last {
                    // One of two levels.
                    continue;
                }
                let must = if must != UNSET && within(must) { must } else { UNSET };
                assert_eq!(nibble::pick(found[entry / 2], entry), must, "{depth:?} {row} {entry}");
            }
            let counts = &whole.counts(row)[..whole.counts(row).len().min(depth.map_or(64, |d| usize::from(d) + 1))];
            // Empty levels at the end are not counted.
            let (found, empty) = counts.split_at(levels.counts(row).len());
            assert_eq!(levels.counts(row), found, "{depth:?} row {row}");
            assert!(empty.iter().all(|&count| count == 0), "{depth:?} row {row}");
        }
        let mut counts: Vec<Vec<u64>> = (0..space.rows()).map(|row| levels.counts(row).to_vec()).collect();
        known = depth.map(|depth| {
            counts.iter_mut().for_each(|counts| counts.resize(usize::from(depth) + 1, 0));
            (depth, counts)
        });
    }
}

/// Compares every state of a space with the plain search; returns the number of levels and of states reached.
fn compare(moves: &[Vec<RowMove>], blocks: usize, seeds: &[Seed]) -> (usize, usize) {
    let expected = plain_search(moves, blocks, seeds);
    let last = usize::from(expected.iter().flatten().max().copied().unwrap());
    let space =
        Space::new(blocks, moves.iter().map(|moves| moves.iter().flat_map(RowMove::sources).collect()).collect());
    for kernel in Kernel::available() {
        let options = Options { kernel, memory: 1 << 30, scratch: Some(std::env::temp_dir()) };
        let mut levels = generate(&space, seeds, None, None, &options, &Context::silent()).unwrap();
        for (row, expected) in expected.chunks(blocks * PERMUTATIONS).enumerate() {
            let mut counts = vec![0; last + 1];
            expected.iter().flatten().for_each(|&distance| counts[usize::from(distance)] += 1);
            assert_eq!(levels.counts(row), counts, "{kernel:?} row {row}");
        }
        let check = |row: usize, nibbles: &mut [u8]| {
            let expected = &expected[row * blocks * PERMUTATIONS..][..blocks * PERMUTATIONS];
            for (entry, distance) in expected.iter().enumerate() {
                let found = nibble::pick(nibbles[entry / 2], entry);
                assert_eq!(found, distance.map_or(UNSET, |d| d % UNSET), "{kernel:?} {row} {entry}");
            }
            Ok(())
        };
        levels.for_each_row(check).unwrap();
        if space.most_cost() == 1 {
            compare_modulo3(&space, seeds, &expected, kernel);
        }
    }
    (last + 1, expected.iter().flatten().count())
}

/// Compares what is stored of a level with the plain search, in memory and in a scratch file.
fn compare_modulo3(space: &Space, seeds: &[Seed], expected: &[Option<u8>], kernel: Kernel) {
    let (rows, blocks) = (space.rows(), space.blocks());
    let most_sources = (0..rows).map(|row| sources_of(space, &[row].into()).len()).max().unwrap();
    let least = modulo3_least_memory(rows, blocks, most_sources);
    for memory in [modulo3_working_set(rows, blocks), least] {
        let options = Options { kernel, memory, scratch: Some(std::env::temp_dir()) };
        let mut levels = generate_modulo3(space, seeds, &options, &Context::silent()).unwrap();
        for (row, expected) in expected.chunks(blocks * PERMUTATIONS).enumerate() {
            for (level, &count) in (0..).zip(levels.counts(row)) {
                assert_eq!(expected.iter().filter(|&&distance| distance == Some(level)).count() as u64, count);
            }
            levels.bring(&[row]).unwrap();
            for (block, expected) in levels.row(row).iter().zip(expected.chunks(PERMUTATIONS)) {
                for level in 0..3 {
                    let states = (0..).zip(expected).filter(|(_, distance)| distance.is_some_and(|d| d % 3 == level));
                    assert!(block.at(level).ranks().eq(states.map(|(rank, _)| rank)), "{kernel:?} row {row}");
                }
            }
        }
        let options = Options { memory: least - 1, ..options };
        let refused = generate_modulo3(space, seeds, &options, &Context::silent());
        assert!(matches!(refused, Err(twistbase_core::error::Error::Memory(_))));
    }
}

#[test]
fn random_spaces_have_the_levels_of_a_plain_search() {
    let mut rng = ChaCha8Rng::seed_from_u64(40_320);
    let mut most = 0;
    for (rows, blocks, costs, parts, seeds) in [
        (1, 1, &[1, 2][..], false, 1),
        (1, 3, &[2, 1], true, 1),
        (2, 2, &[1, 2], true, 2),
        (3, 1, &[1, 1], false, 1),
        (4, 2, &[1, 1], true, 2),
        // Every other level is empty.
        (1, 2, &[2, 2], true, 1),
        (2, 3, &[2, 2], true, 3),
    ] {
        let mut moves = vec![Vec::new(); rows];
        for (into, &cost) in (0..rows).flat_map(|row| costs.iter().map(move |cost| (row, cost))) {
            let row_move = RowMove::random(&mut rng, rows, blocks, cost, parts);
            moves[row_move.row].push(row_move.inverse(into));
            moves[into].push(row_move);
        }
        let seed = |rng: &mut ChaCha8Rng| Seed {
            row: rng.random_range(0..rows as u32),
            block: rng.random_range(0..blocks as u32),
            rank: rng.random_range(0..PERMUTATIONS as u32),
        };
        let seeds: Vec<_> = (0..seeds).map(|_| seed(&mut rng)).collect();
        let (levels, reached) = compare(&moves, blocks, &seeds);
        most = most.max(levels);
        println!("{rows} rows of {blocks} blocks: {levels} levels, {reached} states");
    }
    // More levels than remainders.
    assert!(most > 15, "{most}");
}

#[test]
fn a_search_that_ended_at_a_depth_can_be_continued() {
    let mut rng = ChaCha8Rng::seed_from_u64(9);
    for (rows, blocks, costs, depths) in [
        (3, 2, &[1; 5][..], &[0, 1, 2, 4][..]),
        (3, 2, &[1, 2, 1, 2], &[0, 1, 3, 4]),
        (2, 3, &[2, 1, 2], &[2, 5]),
        // Every other level is empty: one of the two that are needed always is.
        (2, 2, &[2; 6], &[0, 1, 4, 5]),
    ] {
        let mut moves = vec![Vec::new(); rows];
        for (into, &cost) in (0..rows).flat_map(|row| costs.iter().map(move |cost| (row, cost))) {
            let row_move = RowMove::random(&mut rng, rows, blocks, cost, true);
            moves[row_move.row].push(row_move.inverse(into));
            moves[into].push(row_move);
        }
        let space =
            Space::new(blocks, moves.iter().map(|moves| moves.iter().flat_map(RowMove::sources).collect()).collect());
        compare_continued(&space, &[Seed { row: 1, block: 0, rank: 77 }], depths, &mut rng);
    }
}

#[test]
fn rows_are_restored_from_those_that_they_are_reached_from() {
    let mut rng = ChaCha8Rng::seed_from_u64(7);
    let (rows, blocks) = (4, 2);
    let mut moves = vec![Vec::new(); rows];
    for into in (0..rows).flat_map(|row| [row; 4]) {
        let row_move = RowMove::random(&mut rng, rows, blocks, 1, true);
        moves[row_move.row].push(row_move.inverse(into));
        moves[into].push(row_move);
    }
    let space =
        Space::new(blocks, moves.iter().map(|moves| moves.iter().flat_map(RowMove::sources).collect()).collect());
    let seeds = [Seed { row: 1, block: 0, rank: 77 }];
    let (kernel, ctx) = (Kernel::detect(), Context::silent());
    let options = Options { kernel, memory: 1 << 30, scratch: Some(std::env::temp_dir()) };
    let mut levels = generate(&space, &seeds, None, None, &options, &ctx).unwrap();
    let counts: Vec<_> = (0..rows).map(|row| levels.counts(row).to_vec()).collect();
    assert!(counts.iter().all(|counts| counts.len() < usize::from(UNSET)));
    let mut whole = vec![Vec::new(); rows];
    let keep = |row: usize, nibbles: &mut [u8]| {
        whole[row] = nibbles.to_vec();
        Ok(())
    };
    levels.for_each_row(keep).unwrap();
    for lost in [&[1][..], &[0, 2], &[3], &[0, 1, 2, 3]] {
        let lost = lost.iter().copied().collect();
        let mut asked = Vec::new();
        let mut read = |row: usize, nibbles: &mut [u8]| {
            asked.push(row);
            nibbles.copy_from_slice(&whole[row]);
            Ok(())
        };
        let restored = restore(&space, &lost, &seeds, None, &mut read, kernel, &ctx).unwrap();
        assert_eq!(restored.iter().map(|row| row.row).collect::<Vec<_>>(), lost.iter().copied().collect::<Vec<_>>());
        for row in restored {
            assert!(row.nibbles == whole[row.row] && row.counts == counts[row.row], "{lost:?} {}", row.row);
        }
        assert_eq!(asked, sources_of(&space, &lost).into_iter().collect::<Vec<_>>());
        assert!(asked.iter().all(|row| !lost.contains(row)));
    }
}
