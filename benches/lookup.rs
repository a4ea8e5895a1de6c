//! Reading a table: ranks, look-ups through every reader, moves and solutions, on all of Cube21.
//!
//! `cargo bench --bench lookup` builds Cube21 in a temporary folder first (a few seconds, 0.8 GB of disk).

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use twistbase::Kernel;
use twistbase::cache::{CacheMode, CachedTable};
use twistbase::context::Context;
use twistbase::puzzle::square1::notation::{hex, parse_position};
use twistbase::puzzle::square1::{Position, random_position};
use twistbase::query::{MiddleGoal, Square1Table};
use twistbase::store::{Entries, Store};
use twistbase::tables::{self, BuildRequest, Definition};

/// Positions drawn at random: enough to miss every cache.
const POSITIONS: usize = 100_000;

fn distances<E: Entries>(c: &mut Criterion, name: &str, table: &Square1Table<E>, positions: &[Position]) {
    let mut next = positions.iter().cycle();
    c.bench_function(name, |b| {
        b.iter(|| table.distance(next.next().expect("a position"), MiddleGoal::Ignored).expect("an answer"));
    });
}

fn lookups(c: &mut Criterion) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let store = Store::open(folder.path());
    let definition = tables::find_twists("cube21").expect("a table");
    let request = BuildRequest { depth: None, force: false, memory: 4 << 30, kernel: Kernel::detect() };
    tables::build(&store, definition, &request, &Context::silent()).expect("the build");

    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let positions: Vec<Position> = (0..POSITIONS).map(|_| random_position(&mut rng)).collect();
    let texts: Vec<String> =
        positions.iter().map(|p| hex::print(&p.turn(p.unstraddling_turn())).expect("printable")).collect();

    let mut next = texts.iter().cycle();
    c.bench_function("parse a hexadecimal position", |b| {
        b.iter(|| parse_position(next.next().expect("a text"), definition.colouring()).expect("a position"));
    });
    let mut next = positions.iter().cycle();
    c.bench_function("rank a position", |b| {
        b.iter(|| definition.coordinate().place(next.next().expect("a position")));
    });
    let stored = Square1Table::stored(&store, definition).expect("a complete table");
    distances(c, "distance, from the store", &stored, &positions);
    let cached = CachedTable::open(&store, definition.layout(), CacheMode::OnDemand).expect("a cache");
    cached.warm(&Context::silent()).expect("room for the cache");
    let cached = Square1Table::over(definition, cached);
    // One pass verifies the blocks that are touched; what is measured is the steady state.
    for position in &positions {
        black_box(cached.distance(position, MiddleGoal::Ignored).expect("an answer"));
    }
    distances(c, "distance, from the warm cache", &cached, &positions);
    let mut next = positions.iter().cycle();
    c.bench_function("what every twist does", |b| {
        b.iter(|| cached.moves(next.next().expect("a position"), MiddleGoal::Ignored).expect("moves"));
    });

    let few = &positions[..500];
    let all = || {
        let each = few.iter().map(|p| cached.solutions(p, MiddleGoal::Ignored).expect("solutions").count());
        each.sum::<usize>()
    };
    let mut group = c.benchmark_group("all shortest solutions");
    group.sample_size(10).throughput(Throughput::Elements(all() as u64));
    group.bench_function("of 500 random positions", |b| b.iter(all));
    group.finish();
}

criterion_group!(benches, lookups);
criterion_main!(benches);
