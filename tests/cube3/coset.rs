//! The coset solver: known counts, and one way of solving against another.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use twistbase::cache::CacheMode;
use twistbase::context::{Context, Progress};
use twistbase::error::{Class, Error, Remedy};
use twistbase::puzzle::cube3::coordinate::CosetOfH;
use twistbase::puzzle::cube3::notation::{reid, wca};
use twistbase::puzzle::cube3::{CanonicalState, Cube, Metric, Move};
use twistbase::solve::{
    CosetCheckpoint, CosetEvent, CosetMode, CosetOptions, CosetResult, CosetSolver, CosetWeights, TableBytes,
};
use twistbase::tables;

use crate::support::count;
use crate::support::cube3::CUBE3;

type Solver = CosetSolver<TableBytes>;

/// Options for a search to a depth, and nothing after it.
fn to_depth(mode: CosetMode, depth: u8) -> CosetOptions {
    CosetOptions { mode, search_depth: depth, depth, ..CosetOptions::default() }
}

fn solver(options: CosetOptions) -> Solver {
    let store = CUBE3.with(&[tables::phase_one(Metric::Htm)]);
    Solver::open(&store, options, CacheMode::OnDemand, &Context::silent()).unwrap_or_else(|error| panic!("{error}"))
}

fn solve(solver: &mut Solver, moves: &str, weights: Option<&CosetWeights>) -> CosetResult {
    let mut told = Vec::new();
    let result = solver.solve(&cube(moves), weights, &Context::silent(), &mut |event| {
        if let CosetEvent::Level(level) = event {
            told.push(level.clone());
        }
        Ok(())
    });
    let result = result.unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(told, result.levels);
    result
}

fn cube(moves: &str) -> Cube {
    Cube::SOLVED.after(wca::parse(moves).expect("moves").moves())
}

/// The counts of levels, which all must be exact, after empty ones up to the first.
fn exact_counts(result: &CosetResult) -> Vec<u64> {
    let first = result.levels[0].depth;
    let counts = result.levels.iter().map(|level| {
        assert!(level.exact && level.searched && !level.ended_early, "{level:?}");
        level.positions.expect("a level that was searched is counted")
    });
    let mut all = vec![0; first.into()];
    all.extend(counts);
    assert_eq!(result.remaining, CosetOfH::POSITIONS - all.iter().sum::<u64>());
    assert_eq!(result.exact_to.map(usize::from), Some(all.len() - 1));
    all
}

/// Of H, by all moves, exact so far: what Rokicki's hcoset finds, too.
pub(super) const TRIVIAL: [u64; 14] = [
    1,
    10,
    67,
    456,
    3079,
    20_076,
    125_218,
    756_092,
    4_331_124,
    23_639_531,
    122_749_840,
    582_017_108,
    2_278_215_506,
    5_790_841_966,
];
const FRU2: [u64; 16] = [
    0,
    0,
    0,
    2,
    18,
    118,
    864,
    6032,
    39_629,
    248_049,
    1_505_750,
    8_639_203,
    47_129_839,
    243_237_791,
    1_115_174_697,
    3_915_873_358,
];

/// Distances of all positions up to a depth that are in the coset, by trying every move everywhere.
fn plain_levels(representative: &Cube, depth: u8) -> HashMap<Cube, u8> {
    let mut distances = HashMap::from([(Cube::SOLVED, 0)]);
    let mut level = vec![Cube::SOLVED];
    for distance in 1..=depth {
        let next: HashSet<Cube> = level.iter().flat_map(|at| Move::all().map(move |turn| at.turned(turn))).collect();
        level = next.into_iter().filter(|next| !distances.contains_key(next)).collect();
        distances.extend(level.iter().map(|&next| (next, distance)));
    }
    // The coset of r: what differs from it by an element of H that comes first.
    distances.retain(|position, _| position.then(&representative.inverse()).is_in_h());
    distances
}

/// Compares the levels of a coset with those of a plain search.
fn compare_shallow_levels(moves: &str, modes: &[CosetMode]) {
    let representative = cube(moves);
    let expected = plain_levels(&representative, 5);
    for &mode in modes {
        let mut solver = solver(to_depth(mode, 5));
        let counts = exact_counts(&solve(&mut solver, moves, None));
        let count = |depth| expected.values().filter(|&&distance| usize::from(distance) == depth).count() as u64;
        assert_eq!(counts, (0..6).map(count).collect::<Vec<_>>(), "{moves} {mode:?}");
        let mut reached = HashSet::new();
        let visit = &mut |position: &Cube| {
            assert!(reached.insert(*position));
            Ok(())
        };
        solver.for_each_reached(&representative, &Context::silent(), visit).unwrap();
        assert_eq!(reached, expected.keys().copied().collect(), "{moves} {mode:?}");
    }
}

#[test]
fn shallow_levels_hold_the_positions_that_a_plain_search_finds() {
    compare_shallow_levels("F R U2", &[CosetMode::Set]);
}

#[test]
#[ignore = "tier two: whole bitmaps"]
fn full_shallow_levels_in_every_mode() {
    for moves in ["", "F R U2", "R F' D L2 B"] {
        compare_shallow_levels(moves, &[CosetMode::Set, CosetMode::Bitmap, CosetMode::Fast]);
    }
}

/// Compares the counts of two cosets with those that are known.
fn compare_counts(mode: CosetMode, depth: u8) {
    for (moves, expected) in [("", &TRIVIAL[..]), ("F R U2", &FRU2[..])] {
        let result = solve(&mut solver(to_depth(mode, depth)), moves, None);
        assert_eq!(exact_counts(&result), expected[..=depth.into()], "{moves} {mode:?}");
    }
}

#[test]
fn a_set_counts_what_is_known() {
    compare_counts(CosetMode::Set, 7);
}

#[test]
#[ignore = "tier two: whole bitmaps"]
fn full_the_modes_count_the_same_and_what_is_known() {
    compare_counts(CosetMode::Set, 8);
    compare_counts(CosetMode::Fast, 6);
}

/// A sum over the canonical sequences: no table and no row is involved.
#[test]
fn weights_are_summed_over_the_positions_of_a_level() {
    let weights = CosetWeights::new((0..40_320).map(|rank| (rank % 7) as u16).collect()).unwrap();
    let representative = cube("F R U2");
    let mut expected = [0; 6];
    for (position, distance) in plain_levels(&representative, 5) {
        // The position is h⁻¹ r.
        let reached = representative.then(&position.inverse());
        let h_position = twistbase::puzzle::cube3::coordinate::PhaseTwoPosition::of(&reached).expect("in H");
        expected[usize::from(distance)] += u64::from(h_position.edge_rank() % 7);
    }
    for mode in [CosetMode::Set, CosetMode::Fast] {
        let mut solver = solver(to_depth(mode, 5));
        let result = solve(&mut solver, "F R U2", Some(&weights));
        let weighted: Vec<u64> = result.levels.iter().map(|level| level.weighted.unwrap()).collect();
        assert_eq!(weighted, expected[3..], "{mode:?}");
        let result = solve(&mut solver, "F R U2", Some(&CosetWeights::uniform(3)));
        assert!(result.levels.iter().all(|level| level.weighted == level.positions.map(|positions| 3 * positions)));
    }
}

#[test]
fn what_cannot_be_is_refused() {
    let refused = |options: CosetOptions| {
        let store = CUBE3.with(&[tables::phase_one(Metric::Htm)]);
        Solver::open(&store, options, CacheMode::OnDemand, &Context::silent()).expect_err("refused")
    };
    let needed = Solver::working_set(CosetMode::Fast);
    let small = CosetOptions { memory: needed - 1, ..CosetOptions::default() };
    let (error, expected) = (refused(small), Error::small_memory(needed - 1, needed));
    assert_eq!((error.class(), error.to_string()), (Class::Budget, expected.to_string()));
    // The bits, a tenth more, 160 MB of tables, and 110 MB of positions.
    assert!((2_446_295_040..2_446_295_040 * 11 / 10 + 270_000_000).contains(&needed), "{needed}");
    let deeper = CosetOptions { search_depth: 9, depth: 8, ..CosetOptions::default() };
    let slow_bound = CosetOptions { mode: CosetMode::Set, bound_20: true, ..CosetOptions::default() };
    let checkpoint = Some(CosetCheckpoint { folder: "x".into(), every: Duration::ZERO });
    let set_checkpoint = CosetOptions { mode: CosetMode::Set, checkpoint, ..CosetOptions::default() };
    for options in [deeper, slow_bound, set_checkpoint] {
        assert_eq!(refused(options).class(), Class::Usage);
    }
    assert!(CosetSolver::new(vec![0u8; 10], CosetOptions::default()).is_err_and(|error| error.class() == Class::Usage));
    // One position fits exactly what it takes, not less.
    let of_one = CosetOptions { memory: Solver::working_set(CosetMode::Set), ..to_depth(CosetMode::Set, 6) };
    solver(of_one.clone());
    assert_eq!(refused(CosetOptions { memory: of_one.memory - 1, ..of_one }).class(), Class::Budget);
    let mut set = solver(CosetOptions { memory: 10_000, ..to_depth(CosetMode::Set, 6) });
    let error = set.solve(&Cube::SOLVED, None, &Context::silent(), &mut |_| Ok(())).expect_err("too many");
    assert_eq!(error.class(), Class::Budget);
}

/// Stops the work when a stage begins, or when some of it is done.
struct StopAt {
    stage: &'static str,
    cancel: Arc<AtomicBool>,
}

impl Progress for StopAt {
    fn begin(&self, stage: &str, _total: u64, _unit: &str) {
        if stage == self.stage {
            self.cancel.store(true, Ordering::Relaxed);
        }
    }
    fn advance(&self, _count: u64) {}
    fn note(&self, _line: &str) {}
    fn end(&self) {}
}

fn stopping_at(stage: &'static str) -> Context {
    let cancel = Arc::new(AtomicBool::new(false));
    Context::new(Arc::clone(&cancel), Arc::new(StopAt { stage, cancel }))
}

/// Interrupts a coset in a level, and goes on from its checkpoint: everything is as without.
fn interrupt_and_go_on(depth: u8, stage: &'static str) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let checkpoint = CosetCheckpoint { folder: folder.path().to_path_buf(), every: Duration::ZERO };
    let (representative, weights) = (cube("F R U2"), CosetWeights::uniform(2));
    let coset = CosetOfH::of(&representative);
    let file = checkpoint.file(coset);
    let options = CosetOptions { checkpoint: Some(checkpoint.clone()), ..to_depth(CosetMode::Fast, depth) };
    let mut solver = solver(options);
    let mut levels = 0;
    let interrupted = solver.solve(&representative, Some(&weights), &stopping_at(stage), &mut |_| {
        levels += 1;
        Ok(())
    });
    assert!(matches!(interrupted, Err(Error::Interrupted)));
    assert!(levels > 0 && file.exists());
    let same_coset = cube("D2 F R U2");
    assert_eq!(CosetOfH::of(&same_coset), coset);
    let other = solver.solve(&same_coset, Some(&weights), &Context::silent(), &mut |_| Ok(()));
    assert!(other.is_err_and(|error| error.class() == Class::Usage));
    let other = solver.solve(&representative, None, &Context::silent(), &mut |_| Ok(()));
    assert!(other.is_err_and(|error| error.class() == Class::Usage));
    let result = solve(&mut solver, "F R U2", Some(&weights));
    assert_eq!(exact_counts(&result), FRU2[..=depth.into()]);
    assert!(result.levels.iter().all(|level| level.weighted == level.positions.map(|positions| 2 * positions)));
    assert!(file.exists(), "until the result is kept it is needed");
    checkpoint.remove(coset).expect("a file");
    assert!(!file.exists());
    checkpoint.remove(coset).expect("nothing to do");
}

#[test]
fn an_interrupted_coset_goes_on_where_it_was() {
    interrupt_and_go_on(5, "level 5: search");
    // What a checkpoint keeps is not lost by an interrupt while it is written.
    interrupt_and_go_on(5, "checkpoint");
}

#[test]
fn damaged_checkpoints_are_refused() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let checkpoint = CosetCheckpoint { folder: folder.path().to_path_buf(), every: Duration::ZERO };
    let file = checkpoint.file(CosetOfH::of(&cube("F R U2")));
    let mut solver = solver(CosetOptions { checkpoint: Some(checkpoint), ..to_depth(CosetMode::Fast, 5) });
    let _ = solver.solve(&cube("F R U2"), None, &stopping_at("level 5: search"), &mut |_| Ok(()));
    let bytes = std::fs::read(&file).expect("a checkpoint");
    let mut class_with = |bytes: &[u8]| {
        std::fs::write(&file, bytes).unwrap();
        let result = solver.solve(&cube("F R U2"), None, &Context::silent(), &mut |_| Ok(()));
        result.err().map(|error| {
            if let Error::Data(fault) = &error {
                let position = Some(reid::print(&cube("F R U2")).into());
                assert_eq!(fault.remedy, Remedy::SolveCoset { position, force: false }, "a command that can be run");
            }
            error.class()
        })
    };
    for at in (60..bytes.len()).step_by(bytes.len() / 40) {
        let mut damaged = bytes.clone();
        damaged[at] ^= 0x10;
        assert_eq!(class_with(&damaged), Some(Class::Data), "byte {at} of {}", bytes.len());
        assert_eq!(class_with(&bytes[..at]), Some(Class::Data), "cut at {at}");
    }
    assert_eq!(class_with(b"something else altogether, and long enough"), Some(Class::Usage));
    assert_eq!(class_with(&bytes), None);
}

#[test]
#[ignore = "tier two: whole bitmaps"]
fn full_the_trivial_coset_to_thirteen_moves() {
    // The search of the last level ends when it has all of them, whether an excursion or another sequence led there.
    let stop_at = Some(TRIVIAL.iter().sum::<u64>() - 1);
    let result = solve(&mut solver(CosetOptions { stop_at, ..to_depth(CosetMode::Fast, 13) }), "", None);
    let counts: Vec<_> = result.levels.iter().filter_map(|level| level.positions).collect();
    assert_eq!(counts, TRIVIAL);
    assert_eq!(result.remaining, CosetOfH::POSITIONS - TRIVIAL.iter().sum::<u64>());
    let (last, before) = result.levels.split_last().expect("levels");
    assert!(before.iter().all(|level| level.exact && level.searched && !level.ended_early), "{before:?}");
    assert!(!last.exact && last.searched && last.ended_early, "{last:?}");
    assert_eq!(result.exact_to, Some(12));
    // Sequences that end in no move of H; at level 12 there are 329,352,128 of them, and excursions make that fewer.
    assert_eq!(result.levels[10].sequences, 6_252_064);
    assert!(result.levels[12].sequences < 290_000_000);
    // The search of level 13 has a table of move masks: this count is short by 719,012 if the moves that keep a distance are
    // left out.
}

#[test]
#[ignore = "long suite: whole bitmaps"]
fn the_coset_of_f_r_u2_with_prepass_and_without() {
    let depth = count(12, 13);
    let mut with = solver(to_depth(CosetMode::Fast, depth as u8));
    assert_eq!(exact_counts(&solve(&mut with, "F R U2", None)), FRU2[..=depth]);
    drop(with);
    let mut without = solver(CosetOptions { prepass: false, ..to_depth(CosetMode::Fast, depth as u8 - 1) });
    let result = solve(&mut without, "F R U2", None);
    assert_eq!(exact_counts(&result), FRU2[..depth]);
    assert!(result.levels.iter().all(|level| level.prepass_seconds == 0.0));
}

#[test]
#[ignore = "tier two: whole bitmaps"]
fn full_published_cosets() {
    let mut solver = solver(to_depth(CosetMode::Fast, 13));
    let published: [(&str, [u64; 5]); 2] = [
        ("B' L F L2 D B2 R B L' U2", [0, 14, 534, 11_657, 196_080]),
        ("L' F2 R D' U B' U' F2 U'", [12, 283, 3909, 50_440, 625_227]),
    ];
    for (moves, expected) in published {
        assert_eq!(exact_counts(&solve(&mut solver, moves, None))[9..], expected, "{moves}");
    }
}

#[test]
#[ignore = "tier two: whole bitmaps"]
fn full_any_number_of_threads_finds_the_same() {
    let mut solver = solver(to_depth(CosetMode::Fast, 11));
    for threads in [1, 2, 4] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let result = pool.install(|| solve(&mut solver, "F R U2", Some(&CosetWeights::uniform(5))));
        assert_eq!(exact_counts(&result), FRU2[..12], "{threads} threads");
        assert!(result.levels.iter().all(|level| level.weighted == level.positions.map(|positions| 5 * positions)));
    }
}

#[test]
#[ignore = "tier two: whole bitmaps, and files of them"]
fn full_an_interrupted_prepass_goes_on_where_it_was() {
    interrupt_and_go_on(6, "level 6: search");
    interrupt_and_go_on(12, "level 12: prepass");
    interrupt_and_go_on(12, "level 12: search");
}

#[test]
#[ignore = "tier two: whole bitmaps"]
fn full_a_bitmap_found_slowly_is_the_one_found_fast() {
    let representative = cube("F R U2");
    let reached = |mode| {
        let mut solver = solver(to_depth(mode, 9));
        let counts = exact_counts(&solve(&mut solver, "F R U2", None));
        let mut reached = Vec::new();
        let visit = &mut |position: &Cube| {
            reached.push(*position);
            Ok(())
        };
        solver.for_each_reached(&representative, &Context::silent(), visit).unwrap();
        (counts, reached)
    };
    let [slow, fast] = [CosetMode::Bitmap, CosetMode::Fast].map(reached);
    assert!(slow == fast);
    assert_eq!(slow.1.len() as u64, FRU2[..=9].iter().sum::<u64>());
}

#[test]
#[ignore = "long suite: whole bitmaps"]
fn a_search_ends_when_there_is_enough() {
    const ENOUGH: u64 = 50_000_000;
    let options = CosetOptions { stop_at: Some(ENOUGH), ..to_depth(CosetMode::Fast, 12) };
    let result = solve(&mut solver(CosetOptions { depth: 13, ..options }), "F R U2", None);
    let [.., eleven, twelve, thirteen] = &result.levels[..] else { panic!("levels") };
    assert!(eleven.exact && twelve.searched && twelve.ended_early && !twelve.exact);
    assert!(!thirteen.searched && !thirteen.exact && result.exact_to == Some(11));
    let total = twelve.total.expect("counted");
    assert!((ENOUGH..FRU2[..=12].iter().sum()).contains(&total), "{total}");
}

#[test]
fn canonical_sequences_of_length_five_are_met_once_each() {
    let representative = cube("F R U2");
    let mut sequences = 0;
    let mut ends = vec![(CanonicalState::START, representative)];
    for _ in 0..5 {
        let after = |&(state, at): &(CanonicalState, Cube)| {
            Move::all().filter_map(move |turn| Some((state.next(Metric::Htm, turn)?, at.turned(turn))))
        };
        ends = ends.iter().flat_map(after).collect();
    }
    sequences += ends.iter().filter(|(_, at)| at.is_in_h()).count() as u64;
    for mode in [CosetMode::Set, CosetMode::Fast] {
        let result = solve(&mut solver(to_depth(mode, 5)), "F R U2", None);
        assert_eq!(result.levels.last().map(|level| level.sequences), Some(sequences), "{mode:?}");
    }
}
