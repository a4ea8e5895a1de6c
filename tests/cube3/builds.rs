//! The same bytes however a table is built.

use twistbase::Kernel;
use twistbase::context::Context;
use twistbase::error::Error;
use twistbase::puzzle::cube3::Metric;
use twistbase::store::{Manifest, Store};
use twistbase::tables::{self, BuildRequest, Built, Definition};

use crate::support::cancelling::cancelled_after;
use crate::support::cube3::CUBE3;

const REQUEST: BuildRequest = BuildRequest { depth: None, force: true, memory: 8 << 30, kernel: Kernel::Portable };

fn right_digest(table: &'static dyn Definition) -> String {
    CUBE3.stored(table).manifest().digest.clone()
}

/// Builds a table on so many threads; returns its manifest and the rows taken over from an interrupted build.
fn build(store: &Store, table: &dyn Definition, threads: usize, request: &BuildRequest) -> (Manifest, u32) {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
    match pool.install(|| tables::build(store, table, request, &Context::silent())).expect("the build") {
        Built::Now { manifest, rows_kept, .. } => (manifest, rows_kept),
        Built::Already(_) => panic!("built by force"),
    }
}

/// Interrupts a build when `rows` are stored, and finishes it.
fn interrupt_and_resume(table: &'static dyn Definition, rows: u64) {
    let dir = tempfile::tempdir().expect("a folder");
    let store = Store::open(dir.path());
    let ctx = cancelled_after("store", rows);
    let name = table.layout().name;
    let request = BuildRequest { depth: None, force: false, kernel: Kernel::detect(), ..REQUEST };
    let interrupted = tables::build(&store, table, &request, &ctx);
    assert!(matches!(interrupted, Err(Error::Interrupted)), "{name}: {interrupted:?}");
    assert!(store.table(table.layout()).is_err(), "{name} is unfinished");
    let (manifest, kept) = build(&store, table, 2, &request);
    assert_eq!(manifest.digest, right_digest(table), "{name}");
    assert_eq!(manifest.distribution, table.expected().expect("known").positions, "{name}");
    assert!(u64::from(kept) >= rows && kept < table.layout().rows, "{name}: {kept} of {rows} rows kept");
    println!("{name}: interrupted after {rows} rows, {kept} rows kept");
}

#[test]
fn an_interrupted_build_is_continued_to_the_same_table() {
    interrupt_and_resume(tables::phase_two(Metric::Htm, false), 900);
}

#[test]
#[ignore = "long suite: builds tables of the cube in many ways"]
fn tables_are_the_same_however_they_are_built() {
    let dir = tempfile::tempdir().expect("a folder");
    let store = Store::open(dir.path());
    let mut ways = 0;
    for table in [tables::phase_two(Metric::Htm, false) as &dyn Definition, tables::phase_one(Metric::Htm)] {
        // The shared store has the table as all cores and the best kernel build it.
        for (kernel, threads) in [(Kernel::Portable, 1), (Kernel::detect(), 4)] {
            let (manifest, _) = build(&store, table, threads, &BuildRequest { kernel, ..REQUEST });
            assert_eq!(manifest.digest, right_digest(table), "{} {kernel:?} {threads}", table.layout().name);
            ways += 1;
        }
    }
    println!("phase2 and phase1 built in {ways} ways, one digest each");
}

#[test]
#[ignore = "tier two: builds tables of the cube in many ways"]
fn full_interrupted_builds_are_continued_to_the_same_tables() {
    interrupt_and_resume(tables::phase_one(Metric::Htm), 40);
    interrupt_and_resume(tables::phase_two(Metric::Htm, false), 1);
    interrupt_and_resume(tables::phase_two(Metric::Htm, true), 2000);
}

/// With as little memory as it takes at all, the levels are in a scratch file.
#[test]
#[ignore = "tier two: builds phase2-exact in a scratch file"]
fn full_a_scratch_file_makes_the_same_table() {
    let table = tables::phase_two(Metric::Htm, true);
    let dir = tempfile::tempdir().expect("a folder");
    let store = Store::open(dir.path());
    assert!(table.least_memory() < table.working_set() / 2);
    let request = BuildRequest { memory: table.least_memory(), kernel: Kernel::detect(), ..REQUEST };
    let (manifest, _) = build(&store, table, 2, &request);
    assert_eq!(manifest.digest, right_digest(table));
    let too_little = BuildRequest { memory: table.least_memory() - 1, ..request };
    let refused = tables::build(&store, table, &too_little, &Context::silent());
    assert!(matches!(refused, Err(Error::Memory(_))), "{refused:?}");
    println!("phase2-exact built with {} MB of memory", table.least_memory() >> 20);
}
