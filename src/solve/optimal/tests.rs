//! Searches by tables of which only what is near is made, compared with trying every move.

use std::collections::HashSet;

use super::*;
use crate::images::tests::position;
use crate::tests::{self, FAR, NearPositions, SCRAMBLES};
use twistbase_tables as tables;

const NO_LIMITS: OptimalLimits =
    OptimalLimits { max_depth: LONGEST_SEARCH, deadline: None, max_nodes: None, parallel: false };

/// What a search finds out, its solutions and the depths that it finishes.
fn solve<B: SearchBytes>(
    solver: &Optimal<B>,
    [start, goal]: [&Cube; 2],
    wanted: Wanted,
    limits: &OptimalLimits,
) -> (SearchAnswer, Vec<Vec<Move>>, Vec<u8>) {
    let (mut solutions, mut depths) = (Vec::new(), Vec::new());
    let mut tell = |event: Event<'_>| match event {
        Event::Solution(moves) => solutions.push(moves.to_vec()),
        Event::Depth { depth, .. } => depths.push(depth),
        Event::Nodes(_) => {}
    };
    let answer = solver.solve(start, goal, wanted, limits, &Context::silent(), &mut tell).unwrap();
    (answer, solutions, depths)
}

/// Solves positions near solved by a table that tells distances below `far`; compares lengths, and all solutions, with those
/// that every move leads to.
fn check(name: &str, far: u8) {
    let table = tables::find_heuristic(name).unwrap();
    let solver = Optimal::new(table, tests::heuristic(table, far)).unwrap();
    let (metric, elsewhere) = (solver.metric(), position("L U2 B' R D F2 U"));
    assert_eq!(solver.table().name(), name);
    let ball = NearPositions::new(metric, 3);
    // Where remainders are walked down from, they have to be true.
    let most = if table.definition().layout().packing == Packing::Mod3 { far } else { 6 };
    let mut checked = 0;
    for scramble in SCRAMBLES {
        let start = position(scramble);
        let Some(distance) = ball.distance(&start).filter(|&distance| distance <= most) else { continue };
        checked += 1;
        assert!(solver.bound(&start).unwrap().moves() <= distance, "{name}: {scramble}");
        for parallel in [false, true] {
            let limits = OptimalLimits { parallel, ..NO_LIMITS };
            let (answer, solutions, depths) = solve(&solver, [&start, &Cube::SOLVED], Wanted::ANY, &limits);
            let SearchAnswer { length, at_least, solutions: told, complete, .. } = answer;
            assert_eq!((length, at_least, told, complete), (Some(distance), distance, 1, true), "{name}: {scramble}");
            assert!(solutions.len() == 1 && metric.length(&solutions[0]) == usize::from(distance));
            assert!(start.after(&solutions[0]).is_solved(), "{name}: {scramble}");
            assert!(depths.is_sorted_by(|a, b| a < b) && depths.iter().all(|&depth| depth < distance), "{depths:?}");
        }
        if distance <= most.min(4) {
            let all = Wanted { solutions: u64::MAX, extra: 1 };
            let (answer, solutions, _) = solve(&solver, [&elsewhere.then(&start), &elsewhere], all, &NO_LIMITS);
            let expected = [distance, distance + 1].map(|length| ball.solutions(&start, length)).concat();
            let found: HashSet<_> = solutions.iter().collect();
            assert_eq!(found, expected.iter().collect::<HashSet<_>>(), "{name}: {scramble}");
            assert_eq!(
                (answer.solutions, solutions.len()),
                (expected.len() as u64, expected.len()),
                "{name}: {scramble}"
            );
            assert_eq!((answer.length, answer.at_least, answer.complete), (Some(distance), distance, true));
            assert!(solutions.is_sorted_by_key(Vec::len), "shorter ones come first");
            let few = Wanted { solutions: 1, extra: 1 };
            let (answer, solutions, _) = solve(&solver, [&start, &Cube::SOLVED], few, &NO_LIMITS);
            assert_eq!((answer.solutions, solutions.len(), answer.complete), (1, 1, true));
        }
    }
    assert!(checked >= 7, "{name}: {checked}");
}

#[test]
fn phase1_guides_to_what_every_move_finds() {
    check("phase1", FAR);
}

#[test]
fn phase1_in_quarter_turns_guides_to_what_every_move_finds() {
    check("phase1-qtm", FAR);
}

#[test]
fn remainders_of_phase1_guide_to_what_every_move_finds() {
    check("phase1-kociemba", FAR);
}

#[test]
fn the_huge_table_guides_to_what_every_move_finds() {
    check("huge", 3);
}

#[test]
fn a_pruning_table_guides_to_what_every_move_finds() {
    check("nx-eo1-ep1-htm", 4);
}

#[test]
fn a_pruning_table_in_quarter_turns_guides_to_what_every_move_finds() {
    check("nx-eo1-ep1-qtm", 4);
}

#[test]
fn a_search_ends_where_it_is_told_to() {
    let solver = Optimal::new(tables::find_heuristic("phase1").unwrap(), tests::phase1(Metric::Htm)).unwrap();
    let start = position("R U F' L2 D");
    let distance = NearPositions::new(Metric::Htm, 3).distance(&start).unwrap();
    let search = |wanted, limits: OptimalLimits| solve(&solver, [&start, &Cube::SOLVED], wanted, &limits).0;
    let short = search(Wanted::ANY, OptimalLimits { max_depth: distance - 1, ..NO_LIMITS });
    assert_eq!((short.length, short.at_least, short.complete), (None, distance, false));
    let enough = search(Wanted::ANY, OptimalLimits { max_depth: distance, ..NO_LIMITS });
    assert_eq!((enough.length, enough.complete), (Some(distance), true));
    let none = search(Wanted { solutions: 0, extra: 0 }, NO_LIMITS);
    assert_eq!((none.length, none.solutions, none.nodes), (None, 0, 0));
    // Budgets that are spent by the first look at them.
    let all = Wanted { solutions: u64::MAX, extra: 2 };
    let whole = search(all, NO_LIMITS);
    for limits in [
        OptimalLimits { max_nodes: Some(1), ..NO_LIMITS },
        OptimalLimits { deadline: Some(Instant::now()), ..NO_LIMITS },
        OptimalLimits { max_nodes: Some(1), parallel: true, ..NO_LIMITS },
    ] {
        let spent = search(all, limits);
        assert!(whole.complete && !spent.complete && spent.at_least <= distance, "{spent:?}");
        assert!((1..whole.nodes).contains(&spent.nodes) && spent.look_ups <= whole.look_ups, "{spent:?}");
    }
    let ctx = Context::silent();
    ctx.cancel();
    let interrupted = solver.solve(&start, &Cube::SOLVED, all, &NO_LIMITS, &ctx, &mut |_| {});
    assert!(matches!(interrupted, Err(Error::Interrupted)), "{interrupted:?}");
}

#[test]
fn tables_that_guide_no_search_are_refused() {
    let of = |table: Kind, bytes: usize| Optimal::new(table, vec![0; bytes]).map(drop);
    let no_guides = [tables::phase_two(Metric::Htm, false).kind(), tables::cube2(Metric::Htm).kind()];
    assert!(no_guides.into_iter().all(|table| matches!(of(table, 0), Err(Error::Usage(_)))));
    for name in ["phase1", "phase1-kociemba", "huge", "nx-eo1-ep1-htm"] {
        let table = tables::find_heuristic(name).unwrap();
        assert!(matches!(of(table, 77), Err(Error::Usage(_))), "{name}: too few bytes");
    }
}
