//! Reading a table: ranks, look-ups through every reader, moves and solutions, on all of Cube21.
//!
//! `cargo bench -p twistbase-bench --bench lookup` builds Cube21 in a temporary folder first (a few seconds, 0.8 GB of disk).
#![allow(clippy::print_stderr, clippy::print_stdout)]

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use twistbase::cache::{CacheMode, CachedTable};
use twistbase::context::Context;
use twistbase::database::ManyPositions;
use twistbase::puzzle::square1::notation::{hex, parse_position};
use twistbase::puzzle::square1::{Position, random_position};
use twistbase::query::{MiddleGoal, Square1Table};
use twistbase::store::{Entries, Store};
use twistbase::tables::{self, BuildRequest, Definition};
use twistbase::{Database, Kernel};

/// Positions drawn at random: enough to miss every cache.
const POSITIONS: usize = 100_000;
/// Positions that are asked for at once.
const MANY: usize = 1_000_000;

fn distances<E: Entries>(c: &mut Criterion, name: &str, table: &Square1Table<E>, positions: &[Position]) {
    let mut next = positions.iter().cycle();
    c.bench_function(name, |b| {
        b.iter(|| table.distance(next.next().expect("a position"), MiddleGoal::Ignored).expect("an answer"));
    });
}

/// Many positions at once, on all cores.
fn at_once(c: &mut Criterion, database: &Database) {
    let (ctx, mut rng) = (Context::silent(), ChaCha8Rng::seed_from_u64(2));
    let table = database.table_arrays("cube21".parse().expect("a table"), &ctx).expect("a complete table");
    let indices: Vec<u64> = (0..MANY).map(|_| rng.random_range(0..table.entries())).collect();
    let puzzle = database.puzzle("cube21").expect("a puzzle").arrays();
    let mut array = vec![0; MANY * table.width()];
    table.positions(&indices, &mut array, &ctx).expect("positions");
    let mut expected = vec![0; MANY];
    table.distances(ManyPositions::Indices(&indices), &mut expected, &ctx).expect("distances");
    let mut group = c.benchmark_group("a million at once");
    group.sample_size(10).throughput(Throughput::Elements(MANY as u64));
    for (name, of) in [("indices", ManyPositions::Indices(&indices)), ("arrays", ManyPositions::Arrays(&array))] {
        group.bench_function(format!("distances of {name}"), |b| {
            let mut distances = vec![0; MANY];
            b.iter(|| table.distances(of, &mut distances, &ctx).expect("distances"));
            assert!(distances == expected);
        });
    }
    group.bench_function("positions of indices", |b| {
        b.iter(|| table.positions(&indices, &mut array, &ctx).expect("positions"));
    });
    let texts = puzzle.texts(&array, &ctx).expect("positions");
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    group.bench_function("arrays of texts", |b| {
        b.iter(|| puzzle.parse(&texts, &mut array, &ctx).expect("positions"));
    });
    group.finish();
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
    at_once(c, &Database::open(folder.path()).expect("a folder"));
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
