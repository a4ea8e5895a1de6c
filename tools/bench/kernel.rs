//! The generator's inner step against the floor that memory sets: reading the same blocks in the same order.
//!
//! `cargo bench -p twistbase-bench --bench kernel`. A dense sweep of all of Square-1 is 1,751,400 steps (1390 moves × 1260 blocks).
#![allow(clippy::print_stderr, clippy::print_stdout)]

use std::hint::black_box;

use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use rand::seq::SliceRandom;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use twistbase::Kernel;
use twistbase_core::math::perm8::{PERMUTATIONS, Relabelling, unrank};
use twistbase_core::math::square::D4;
use twistbase_levelset::{Block, SlotMove};

/// Blocks to read: 1 GB, far more than a cache holds.
const BLOCKS: usize = 200_000;
/// Blocks read in one measured round.
const ROUND: usize = 4096;

fn random_block(rng: &mut impl Rng) -> Block {
    let mut block = Block::EMPTY;
    for rank in 0..PERMUTATIONS as u32 {
        if rng.next_u32() & 1 == 1 {
            block.insert(rank);
        }
    }
    block
}

fn inner_step(c: &mut Criterion) {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let samples: Vec<Block> = (0..64).map(|_| random_block(&mut rng)).collect();
    let blocks: Vec<Block> = (0..BLOCKS).map(|i| samples[i % samples.len()]).collect();
    let mut order: Vec<usize> = (0..BLOCKS).collect();
    order.shuffle(&mut rng);
    let slots: Vec<SlotMove> = [1234, 23_456, 39_999].map(|rank| SlotMove::new(&unrank(rank))).into();
    let relabellings = [
        Relabelling::default(),
        Relabelling { swap: false, p: D4::from_index(1), q: D4::from_index(3) },
        Relabelling { swap: true, p: D4::from_index(2), q: D4::from_index(1) },
    ];
    let mut group = c.benchmark_group("a block");
    group.throughput(Throughput::Elements(ROUND as u64));
    let mut rounds = order.chunks_exact(ROUND).cycle();
    group.bench_function("read only (the floor)", |b| {
        b.iter_batched(
            || rounds.next().expect("a round"),
            |round| {
                let fold = |sum, &at: &usize| blocks[at].words().iter().fold(sum, |sum, word| sum ^ word);
                round.iter().fold(0u64, fold)
            },
            BatchSize::SmallInput,
        );
    });
    for kernel in Kernel::available() {
        for (place, spread) in [("from memory", BLOCKS), ("from cache", 64)] {
            group.bench_function(format!("{}, {place}", kernel.name()), |b| {
                let mut to = Block::EMPTY;
                b.iter_batched(
                    || rounds.next().expect("a round"),
                    |round| {
                        for (i, &at) in round.iter().enumerate() {
                            blocks[round[(i + 1) % ROUND] % spread].prefetch();
                            kernel.or_moved(&mut to, &blocks[at % spread], &slots[i % 3], relabellings[i / 3 % 3]);
                        }
                        black_box(&to);
                    },
                    BatchSize::SmallInput,
                );
            });
        }
    }
    group.finish();
}

criterion_group! {
    name = benches;
    config = Criterion::default().sample_size(20);
    targets = inner_step
}
criterion_main!(benches);
