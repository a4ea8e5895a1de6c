//! What the solver finds by tables of which only what is near is made, compared with trying every move.

use super::*;
use crate::images::tests::position;
use crate::tests::{self, FAR, NearInH, NearPositions, SCRAMBLES};
use twistbase_store::Packing;
use twistbase_tables as tables;

/// Eight moves: phase 1 then starts after moves that come after phase 2 as well.
const EIGHT: &str = "R U F' L2 D B R' U2";

type NearTwoPhase = TwoPhase<&'static [u8], NearInH>;

fn solver(metric: Metric, exact: Option<PhaseTwo<NearInH>>) -> NearTwoPhase {
    let phase1 = (tables::phase_one(metric), tests::phase1(metric));
    TwoPhase::new(phase1, (tables::phase_two(metric, false), tests::phase2(metric)), exact).unwrap()
}

/// No more moves than `longest`, down to `target`.
fn limits(target: u8, longest: u8) -> Limits {
    Limits { target, longest, deadline: None, max_nodes: None, parallel: false }
}

/// Searches, and checks that each solution is shorter than the one before, and the last what is found.
fn solve(solver: &NearTwoPhase, start: &Cube, limits: &Limits) -> TwoPhaseFound {
    let mut told: Vec<Vec<Move>> = Vec::new();
    let mut improved = |moves: &[Move], _: u64| told.push(moves.to_vec());
    let found = solver.solve(start, &Cube::SOLVED, limits, &Context::silent(), &mut improved).unwrap();
    let length = |moves: &Vec<Move>| solver.metric().length(moves);
    assert!(told.is_sorted_by(|a, b| length(a) > length(b)) && told.last() == found.solution.as_ref());
    assert!(told.iter().all(|moves| start.after(moves).is_solved() && length(moves) <= limits.longest.into()));
    found
}

/// All that is shorter is tried, so that what is found in the end is a shortest solution.
fn check(solver: &NearTwoPhase, ball: &NearPositions, scramble: &str, beyond: u8) {
    let start = position(scramble);
    let distance = ball.distance(&start).unwrap();
    let length = |found: &TwoPhaseFound| found.solution.as_ref().map(|moves| solver.metric().length(moves));
    for parallel in [false, true] {
        let limits = |target, longest| Limits { parallel, ..limits(target, longest) };
        let best = solve(solver, &start, &limits(0, distance + beyond));
        let stopped = if distance == 0 { Stopped::Target } else { Stopped::Shortest };
        assert_eq!((length(&best), best.stopped), (Some(distance.into()), stopped), "{scramble}");
        let enough = solve(solver, &start, &limits(distance, distance + beyond));
        assert_eq!((length(&enough), enough.stopped), (Some(distance.into()), Stopped::Target), "{scramble}");
        if let Some(less) = distance.checked_sub(1) {
            let none = solve(solver, &start, &limits(0, less));
            assert_eq!((none.solution, none.stopped), (None, Stopped::Shortest), "{scramble}");
        }
    }
}

#[test]
fn what_is_found_in_the_end_is_shortest() {
    for (metric, radius, tables) in
        [(Metric::Htm, 4, ["phase1", "phase2"]), (Metric::Qtm, 5, ["phase1-qtm", "phase2-qtm"])]
    {
        let (solver, ball) = (solver(metric, None), NearPositions::new(metric, radius));
        assert!(!solver.is_exact());
        assert_eq!((solver.metric(), &solver.tables()[..]), (metric, &tables[..]));
        // One is twelve quarter turns away, which is beyond the ball.
        let is_near = |scramble: &&str| ball.distance(&position(scramble)).is_some();
        let near: Vec<_> = SCRAMBLES.into_iter().chain([EIGHT]).filter(is_near).collect();
        assert_eq!(near.len(), SCRAMBLES.len() + usize::from(metric == Metric::Htm));
        near.into_iter().for_each(|scramble| check(&solver, &ball, scramble, 1));
    }
}

#[test]
fn exact_distances_in_h_lead_to_the_same() {
    for (metric, all) in [
        (Metric::Htm, ["phase1", "phase2", "phase2-exact"]),
        (Metric::Qtm, ["phase1-qtm", "phase2-qtm", "phase2-exact-qtm"]),
    ] {
        let exact = PhaseTwo::over(tables::phase_two(metric, true), NearInH::new(metric));
        let (solver, ball) = (solver(metric, Some(exact)), NearPositions::new(metric, 3));
        assert!(solver.is_exact());
        assert_eq!(solver.tables()[..], all);
        // Positions beyond the range of the entries must not be reached.
        let near = |scramble: &&str| ball.distance(&position(scramble)).is_some_and(|distance| distance < FAR);
        for scramble in SCRAMBLES.into_iter().filter(near) {
            check(&solver, &ball, scramble, 0);
        }
    }
}

#[test]
fn remainders_by_3_lead_to_the_same_solutions() {
    let table = tables::phase_one_tables(Metric::Htm).find(|table| table.layout().packing == Packing::Mod3).unwrap();
    let remainders = tests::heuristic(table.kind(), FAR);
    let phase2 = (tables::phase_two(Metric::Htm, false), tests::phase2(Metric::Htm));
    let twin = TwoPhase::<&[u8], NearInH>::new((table, remainders.as_slice()), phase2, None).unwrap();
    let (solver, ball) = (solver(Metric::Htm, None), NearPositions::new(Metric::Htm, 3));
    for scramble in SCRAMBLES {
        let start = position(scramble);
        let distance = ball.distance(&start).unwrap();
        for limits in [limits(0, distance), limits(distance, distance + 1)] {
            let ctx = Context::silent();
            let found = twin.solve(&start, &Cube::SOLVED, &limits, &ctx, &mut |_, _| {}).unwrap();
            let whole = solve(&solver, &start, &limits);
            assert_eq!(found, whole, "{scramble}");
        }
    }
}

#[test]
fn a_goal_is_reached_as_solved_is() {
    let (solver, goal) = (solver(Metric::Htm, None), position("L U2 B' R D F2 U"));
    let start = goal.then(&position("R U F'"));
    let found = solver.solve(&start, &goal, &limits(3, 3), &Context::silent(), &mut |_, _| {}).unwrap();
    assert_eq!(start.after(&found.solution.unwrap()), goal);
}

#[test]
fn budgets_and_interrupts_end_a_search() {
    let (solver, start) = (solver(Metric::Htm, None), position(EIGHT));
    for spent in [
        Limits { max_nodes: Some(1), ..limits(0, 9) },
        Limits { deadline: Some(Instant::now()), ..limits(0, 9) },
        Limits { max_nodes: Some(1), parallel: true, ..limits(0, 9) },
    ] {
        assert_eq!(solve(&solver, &start, &spent).stopped, Stopped::Budget);
    }
    let ctx = Context::silent();
    ctx.cancel();
    let interrupted = solver.solve(&start, &Cube::SOLVED, &limits(0, 9), &ctx, &mut |_, _| {});
    assert!(matches!(interrupted, Err(Error::Interrupted)), "{interrupted:?}");
}

#[test]
fn tables_that_are_not_of_the_two_phases_are_refused() {
    let none: &[u8] = &[];
    let right = (tables::phase_one(Metric::Htm), tables::phase_two(Metric::Htm, false));
    for (phase1, phase2) in [
        (tables::phase_one(Metric::Qtm), right.1),
        (right.0, tables::phase_two(Metric::Qtm, false)),
        (tables::phase_one(Metric::Qtm), tables::phase_two(Metric::Qtm, true)),
        (right.0, tables::phase_two(Metric::Htm, true)),
        // Of these the bytes are missing.
        right,
    ] {
        let refused = TwoPhase::<&[u8], NearInH>::new((phase1, none), (phase2, none), None);
        assert!(matches!(refused.map(drop), Err(Error::Usage(_))));
    }
}
