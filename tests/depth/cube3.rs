//! Tables of the Rubik's cube that are built to a depth.

use std::sync::LazyLock;

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use tempfile::TempDir;
use twistbase::cache::{CacheMode, CachedTable};
use twistbase::puzzle::cube3::coordinate::PhaseTwoPosition;
use twistbase::puzzle::cube3::{Cube, Metric, Move, random_cube, random_walk};
use twistbase::query::KnownDistance;
use twistbase::query::cube3::{Cosets, FaceTurnOutcome, FaceTurnTable, PhaseTwo};
use twistbase::store::Store;
use twistbase::tables::{self, Definition};

use super::{assert_same, build, open, run, succeed};
use crate::support::CUBE21;
use crate::support::cube3::CUBE3;

/// `phase1` to depth 4, `phase2` to depth 6, `phase2-qtm` to depth 7.
static BOUNDED: LazyLock<TempDir> = LazyLock::new(|| {
    let dir = tempfile::tempdir().expect("a folder");
    for (name, depth) in [("phase1", 4), ("phase2", 6), ("phase2-qtm", 7)] {
        build(&Store::open(dir.path()), tables::find(name).expect("a table"), Some(depth), 2 << 30);
    }
    dir
});

fn bounded(table: &dyn Definition) -> CachedTable {
    CachedTable::open_to_depth(&Store::open(BOUNDED.path()), table.layout(), CacheMode::Off).expect("a table")
}

/// What a bounded table tells is what the complete one does, and what it does not is farther.
fn compare(depth: u8, found: KnownDistance, expected: u8) {
    match found {
        KnownDistance::Exactly(distance) => assert!(distance.moves() == expected && expected <= depth),
        KnownDistance::Beyond(beyond) => assert!(beyond == depth && expected > depth, "{expected}"),
    }
}

fn compare_moves(found: &[FaceTurnOutcome], expected: &[FaceTurnOutcome], most_unknown: usize) {
    assert_eq!(found.len(), expected.len());
    for (found, expected) in found.iter().zip(expected) {
        match found.known_distance {
            KnownDistance::Exactly(_) => assert_eq!(found, expected),
            KnownDistance::Beyond(depth) => {
                assert!(expected.known_distance.distance().unwrap().moves() > depth && found.change.is_none());
            }
        }
    }
    let unknown = found.iter().filter(|outcome| outcome.change.is_none()).count();
    assert!(unknown <= most_unknown, "{found:?}");
}

#[test]
fn distances_to_h_are_those_of_the_complete_table_or_none() {
    let definition = tables::phase_one(Metric::Htm);
    let table = Cosets::over(definition, bounded(definition));
    let complete = Cosets::over(definition, CUBE3.cached(definition));
    let (mut rng, mut within) = (ChaCha8Rng::seed_from_u64(4), 0);
    for number in 0..600 {
        let position = match number % 3 {
            0 => random_cube(&mut rng),
            _ => random_walk(&mut rng, Metric::Htm, number % 8).1,
        };
        let expected = complete.distance(&position).unwrap().moves();
        compare(4, table.known_distance(&position).unwrap(), expected);
        assert_eq!(table.distance(&position).is_ok(), expected <= 4);
        if expected <= 4 {
            within += 1;
            // Each move counts one: what is beside is known.
            compare_moves(&table.moves(&position).unwrap(), &complete.moves(&position).unwrap(), 0);
        }
    }
    assert!(within > 100, "{within}");
}

fn in_h(rng: &mut ChaCha8Rng, length: usize) -> PhaseTwoPosition {
    let moves: Vec<Move> = Move::all().filter(|turn| turn.is_in_h()).collect();
    let walked = (0..length).fold(Cube::SOLVED, |cube, _| cube.turned(moves[rng.random_range(0..moves.len())]));
    PhaseTwoPosition::of(&walked).expect("a position in H")
}

#[test]
#[ignore = "long suite: seconds of processor time"]
fn distances_in_h_are_those_of_the_complete_table_or_none() {
    // A nibble holds no more half turns than 16.
    for (metric, depth, most_unknown, most_told) in [(Metric::Htm, 6, 0, 16), (Metric::Qtm, 7, 6, u8::MAX)] {
        let definition = tables::phase_two(metric, false);
        let table = PhaseTwo::over(definition, bounded(definition));
        let complete = PhaseTwo::over(definition, CUBE3.cached(definition));
        let (mut rng, mut within) = (ChaCha8Rng::seed_from_u64(5), 0);
        for number in 0..600 {
            let h_position = in_h(&mut rng, number % 16);
            let expected = complete.distance(&h_position).unwrap().moves();
            compare(depth, table.known_distance(&h_position).unwrap(), expected);
            // Only the solved position may be at 0: where the table's group is larger than that, others are there.
            let least = u8::from(h_position != PhaseTwoPosition::SOLVED);
            for (bound, most) in [(complete.bound(&h_position), most_told), (table.bound(&h_position), depth + 1)] {
                assert_eq!(bound.unwrap().moves(), expected.min(most).max(least), "{h_position:?}");
            }
            if expected <= depth {
                within += 1;
                let [found, expected] = [table.moves(&h_position).unwrap(), complete.moves(&h_position).unwrap()];
                compare_moves(&found, &expected, most_unknown);
            } else {
                assert!(table.moves(&h_position).is_err());
            }
        }
        assert!(within > 100, "{within}");
    }
}

#[test]
fn queries_tell_what_there_is_and_what_is_farther() {
    let dir = BOUNDED.path();
    let one = |args: &[&str]| run(dir, &[&["query", "cube3"], args].concat());
    // Not in H, and near it.
    let near = one(&["R U F"]);
    assert!(
        near.code == Some(0) && near.stdout.contains("to H       3 moves") && !near.stdout.contains("more than"),
        "{}",
        near.stdout
    );
    let far = "R U F L' D B2 R' U' F L D'";
    for table in ["phase1", "phase2"] {
        let position = if table == "phase1" { far } else { "R2 U F2 D L2 U' B2 D2 R2 U F2 D'" };
        let ended = one(&[position, "--table", table]);
        assert!(ended.code == Some(4) && ended.stdout.is_empty(), "{}", ended.stdout);
        let said = ended.stderr.contains(", the depth of the table");
        assert!(said && ended.stderr.contains(&format!("run: twistbase build {table}")), "{}", ended.stderr);
    }
    // No table tells anything.
    assert_eq!(one(&[far]).code, Some(4));
    // One does: the position is in H.
    let ended = one(&["R2 U F2 D L2 U' B2 D2 R2 U F2 D'"]);
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    assert!(
        ended.stdout.contains("inside H   more than 6 moves (htm) (phase2 was built to that depth;"),
        "{}",
        ended.stdout
    );
    let json = &one(&["R2 U F2 D L2 U' B2 D2 R2 U F2 D'", "--json"]).json()[0];
    assert_eq!(
        (json["to_h"].as_u64(), json["bound_in_h"].as_u64(), json["beyond"]["bound_in_h"].as_u64()),
        (Some(0), None, Some(6))
    );
    let json = &one(&["R U F", "--json"]).json()[0];
    assert_eq!(json.get("beyond"), None);
}

/// What needs complete tables says which command makes them.
#[test]
fn solvers_refuse_tables_that_are_not_complete() {
    let dir = BOUNDED.path();
    for args in [
        &["solve", "cube3", "R U F"][..],
        &["solve", "cube3", "R U F", "--method", "optimal", "--table", "phase1"],
        &["solve", "cube3", "R2 U", "--method", "phase2"],
        &["coset", "R U F", "-d", "3"],
    ] {
        let ended = run(dir, args);
        assert_eq!(ended.code, Some(4), "{args:?}: {}{}", ended.stdout, ended.stderr);
        let table = if args.contains(&"phase2") { "phase2" } else { "phase1" };
        assert!(ended.stderr.contains(&format!("run: twistbase build {table}")), "{args:?}: {}", ended.stderr);
    }
    let solutions = run(dir, &["query", "cube3", "R2 U", "--solutions"]);
    assert!(solutions.code == Some(4) && solutions.stderr.contains("build phase1"), "{}", solutions.stderr);
}

#[test]
#[ignore = "long suite: seconds of processor time"]
fn bounded_tables_of_the_cube_follow_from_their_neighbours() {
    let said = succeed(BOUNDED.path(), &["verify", "--deep", "--positions", "4000"]).stdout;
    assert_eq!(said.lines().filter(|line| line.contains(": intact (")).count(), 3, "{said}");
    assert!(said.contains("4,000 positions against their neighbours"), "{said}");
}

/// Builds a table step by step; it ends as the one that was built at once.
fn continue_to_the_end(name: &str, depths: &[u8], memory: impl Fn(&dyn Definition, usize) -> u64) {
    let (dir, table) = (tempfile::tempdir().expect("a folder"), tables::find(name).expect("a table"));
    let store = Store::open(dir.path());
    let mut last = None;
    for (step, depth) in depths.iter().copied().map(Some).chain([None]).enumerate() {
        let (manifest, from) = build(&store, table, depth, memory(table, step));
        assert_eq!((from, manifest.depth), (last, depth), "{name}");
        last = depth;
    }
    let complete = match name {
        "cube21" => open(CUBE21.path(), table),
        _ => CUBE3.stored(table),
    };
    assert_same(&open(dir.path(), table), &complete, name);
    println!("{name}: {depths:?} and whole, the same table");
}

/// In the half-turn metric 15 is as deep as nibbles tell.
#[test]
#[ignore = "long suite: seconds of processor time"]
fn phase_two_is_continued_to_the_same_table() {
    continue_to_the_end("phase2", &[3, 15], |table, step| if step == 1 { table.least_memory() } else { 1 << 30 });
}

#[test]
#[ignore = "tier two: tables of the cube, continued"]
fn full_phase_one_and_phase_two_are_continued_to_the_same_tables() {
    for name in ["phase1", "phase1-qtm"] {
        continue_to_the_end(name, &[0, 1, 5, 9, 11], |_, _| 2 << 30);
    }
    for depths in [&[0, 1, 2, 3, 4, 5][..], &[0, 3, 10, 13, 14, 15]] {
        continue_to_the_end("phase2", depths, |_, _| 2 << 30);
    }
    // Moves that count two need two levels.
    for depths in [&[0, 1, 2, 3, 13, 14, 15, 16][..], &[1, 14, 15, 29], &[17, 28, 29]] {
        continue_to_the_end("phase2-qtm", depths, |_, _| 2 << 30);
    }
}

#[test]
#[ignore = "tier two: phase2-exact, continued"]
fn full_phase_two_exact_is_continued_to_the_same_table() {
    let little = |table: &dyn Definition, step| if step % 2 == 0 { 3 << 30 } else { table.least_memory() };
    continue_to_the_end("phase2-exact", &[4, 11, 15], little);
}

#[test]
#[ignore = "tier two: Cube21, continued"]
fn full_cube21_is_continued_to_the_same_table() {
    let little = |table: &dyn Definition, step| if step == 2 { table.least_memory() } else { 3 << 30 };
    continue_to_the_end("cube21", &[0, 5, 9], little);
}
