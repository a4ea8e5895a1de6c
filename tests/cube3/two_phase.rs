//! The two-phase solver: every solution is replayed on the cube of stickers.

use rand::SeedableRng;
use rand::seq::IteratorRandom;
use rand_chacha::ChaCha8Rng;
use twistbase::cache::{CacheMode, CachedTable};
use twistbase::context::Context;
use twistbase::puzzle::cube3::coordinate::PhaseTwoPosition;
use twistbase::puzzle::cube3::notation::{facelets, parse_position, parse_sequence};
use twistbase::puzzle::cube3::{Cube, Face, Metric, Move, random_cube, random_walk};
use twistbase::query::cube3::PhaseTwo;
use twistbase::solve::{
    Event, LONGEST, Limits, Optimal, OptimalLimits, Stopped, TableBytes, TwoPhase, TwoPhaseFound, Wanted,
};
use twistbase::store::Entries;
use twistbase::tables::{self, Definition, PhaseOneTable, PhaseTwoTable};

use crate::support::cube3::{CUBE3, assert_solves, replayed};
use crate::support::{count, golden};
use twistbase_testing::stickers::Stickers;

const LIMITS: Limits = Limits { target: 20, longest: LONGEST, deadline: None, max_nodes: None, parallel: true };

type Solver = TwoPhase<TableBytes, CachedTable>;

/// The tables of the two phases: those of distances, then their twins modulo 3.
fn phase_one_tables() -> [&'static PhaseOneTable; 2] {
    let tables: Vec<_> = tables::phase_one_tables(Metric::Htm).collect();
    tables.try_into().expect("two tables")
}

fn phase_two_tables() -> [&'static PhaseTwoTable; 2] {
    let tables: Vec<_> = tables::bounds_in_h(Metric::Htm).collect();
    tables.try_into().expect("two tables")
}

fn opened(table: &'static dyn Definition) -> TableBytes {
    let store = CUBE3.with(&[table]);
    TableBytes::open(&store, table.layout(), CacheMode::OnDemand, &Context::silent()).expect("a table")
}

/// The solver over some tables, without `phase2-exact`, whether that has been built or not.
fn over(phase1: &'static PhaseOneTable, phase2: &'static PhaseTwoTable) -> Solver {
    let solver = TwoPhase::new((phase1, opened(phase1)), (phase2, opened(phase2)), None::<PhaseTwo<CachedTable>>);
    let solver = solver.expect("the layouts' lengths");
    assert!(!solver.is_exact());
    assert_eq!(solver.tables()[..], [phase1.layout().name, phase2.layout().name]);
    solver
}

fn without_exact() -> Solver {
    over(phase_one_tables()[0], phase_two_tables()[0])
}

fn with_exact() -> Solver {
    let exact = tables::phase_two(Metric::Htm, true);
    let store = CUBE3.with(&[phase_one_tables()[0], phase_two_tables()[0], exact]);
    let solver = TwoPhase::open(&store, Metric::Htm, CacheMode::OnDemand, &Context::silent()).expect("the tables");
    assert!(solver.is_exact());
    assert_eq!(solver.tables()[..], ["phase1", "phase2", "phase2-exact"]);
    solver
}

/// The solvers over tables of which at least one is modulo 3.
fn modulo_3() -> [Solver; 3] {
    let ([phase1, phase1_modulo_3], [phase2, phase2_modulo_3]) = (phase_one_tables(), phase_two_tables());
    [(phase1_modulo_3, phase2_modulo_3), (phase1_modulo_3, phase2), (phase1, phase2_modulo_3)]
        .map(|(phase1, phase2)| over(phase1, phase2))
}

/// Solves a position; checks the solution, and that what is reported on the way gets shorter and shorter.
fn solve<B: AsRef<[u8]> + Sync, E: Entries>(solver: &TwoPhase<B, E>, start: &Cube, limits: &Limits) -> TwoPhaseFound {
    let mut reported: Vec<Vec<Move>> = Vec::new();
    let mut improved = |moves: &[Move], _nodes: u64| reported.push(moves.to_vec());
    let found = solver.solve(start, &Cube::SOLVED, limits, &Context::silent(), &mut improved).expect("an answer");
    reported.iter().for_each(|moves| assert_solves(start, moves));
    let length = |moves: &Vec<Move>| solver.metric().length(moves);
    assert!(reported.is_sorted_by(|a, b| length(a) > length(b)), "{reported:?}");
    assert_eq!(found.solution.as_ref(), reported.last());
    found
}

fn solved(solver: &Solver, start: &Cube, limits: &Limits) -> (Vec<Move>, u64) {
    let found = solve(solver, start, limits);
    let solution = found.solution.unwrap_or_else(|| panic!("not solved: {}", facelets::print(start)));
    assert!(solver.metric().length(&solution) <= usize::from(limits.target), "{}", facelets::print(start));
    assert_ne!(found.stopped, Stopped::Budget);
    (solution, found.nodes)
}

fn solve_random(solver: &Solver, count: u64) {
    let mut lengths = [0; 21];
    let mut nodes = 0;
    for seed in 0..count {
        let start = random_cube(&mut ChaCha8Rng::seed_from_u64(seed));
        let (solution, visited) = solved(solver, &start, &LIMITS);
        lengths[solution.len()] += 1;
        nodes += visited;
    }
    let exact = solver.is_exact();
    println!("{count} random positions (phase2-exact: {exact}): {nodes} nodes, by length {lengths:?}");
}

#[test]
fn random_positions_in_twenty_moves() {
    solve_random(&without_exact(), 60);
}

#[test]
#[ignore = "long suite: builds every table of the cube"]
fn hundreds_of_random_positions_in_twenty_moves() {
    let some = count(100, 500) as u64;
    solve_random(&without_exact(), some);
    solve_random(&with_exact(), some);
    // On one thread both find the same moves, so that a scramble does not depend on which tables there are.
    let (solvers, alone) = ([without_exact(), with_exact()], Limits { parallel: false, ..LIMITS });
    for seed in 0..some {
        let start = random_cube(&mut ChaCha8Rng::seed_from_u64(seed));
        let [without, with] = solvers.each_ref().map(|solver| solved(solver, &start, &alone).0);
        assert_eq!(without, with, "{seed}");
    }
}

/// The solver in quarter turns, with `phase2-exact-qtm` or without.
fn in_quarter_turns(is_exact: bool) -> Solver {
    let (phase1, phase2) = (tables::phase_one(Metric::Qtm), tables::phase_two(Metric::Qtm, false));
    if !is_exact {
        return over(phase1, phase2);
    }
    let store = CUBE3.with(&[phase1, phase2, tables::phase_two(Metric::Qtm, true)]);
    let solver = TwoPhase::open(&store, Metric::Qtm, CacheMode::OnDemand, &Context::silent()).expect("the tables");
    assert_eq!(solver.tables()[..], ["phase1-qtm", "phase2-qtm", "phase2-exact-qtm"]);
    solver
}

fn solve_random_in_quarter_turns(solver: &Solver, count: u64) {
    let limits = Limits { target: 26, ..LIMITS };
    for seed in 0..count {
        let start = random_cube(&mut ChaCha8Rng::seed_from_u64(seed));
        let (solution, _) = solved(solver, &start, &limits);
        assert_eq!(Metric::Qtm.length(&solution) % 2 == 1, start.is_odd());
    }
}

#[test]
fn random_positions_in_twenty_six_quarter_turns() {
    solve_random_in_quarter_turns(&in_quarter_turns(false), 10);
}

#[test]
#[ignore = "long suite: builds phase2-exact-qtm"]
fn more_random_positions_in_twenty_six_quarter_turns() {
    solve_random_in_quarter_turns(&in_quarter_turns(false), 60);
    solve_random_in_quarter_turns(&in_quarter_turns(true), 60);
}

/// A walk of quarter turns is no shorter than what is found, and everything shorter is tried, as the optimal solver does.
#[test]
fn shortest_solutions_in_quarter_turns_are_those_of_the_optimal_solver() {
    let solver = in_quarter_turns(false);
    let table = tables::phase_one(Metric::Qtm);
    let optimal = Optimal::new(table.kind(), opened(table)).expect("a heuristic");
    let mut rng = ChaCha8Rng::seed_from_u64(7);
    let walks = (1..=10).map(|length| random_walk(&mut rng, Metric::Qtm, length).1);
    let symmetric = ["U2 D2 F2 B2", "U D' R L' F B' U D'", "U2 D2", "R L'", "R U"];
    let symmetric = symmetric.map(|moves| parse_sequence(moves).unwrap().apply(&Cube::SOLVED));
    for start in walks.chain(symmetric) {
        let mut shortest = None;
        let (limits, ctx) =
            (OptimalLimits { max_depth: 12, deadline: None, max_nodes: None, parallel: false }, Context::silent());
        let mut hear = |event: Event<'_>| {
            if let Event::Solution(moves) = event {
                shortest = Some(Metric::Qtm.length(moves));
            }
        };
        optimal.solve(&start, &Cube::SOLVED, Wanted::ANY, &limits, &ctx, &mut hear).expect("an answer");
        for parallel in [true, false] {
            let found = solve(&solver, &start, &Limits { target: 0, parallel, ..LIMITS });
            let solution = found.solution.expect("a solution");
            assert_eq!((Some(Metric::Qtm.length(&solution)), found.stopped), (shortest, Stopped::Shortest));
        }
    }
}

/// Of symmetric positions not all ways into H are tried, and still the shortest solutions come out, on one thread and on
/// several.
#[test]
fn symmetric_positions_have_the_shortest_solutions_that_there_are() {
    let solver = without_exact();
    for (sequence, length) in [
        ("U2 D2 F2 B2 R2 L2", 6),
        ("F2 B2 U D' R2 L2 U D'", 8),
        ("U D' R L' F B' U D'", 8),
        ("U2 D2", 2),
        ("R L'", 2),
        ("R U", 2),
        ("U R2 L2 U2 R2 L2 U", 7),
    ] {
        let start = parse_sequence(sequence).unwrap().apply(&Cube::SOLVED);
        for parallel in [true, false] {
            let found = solve(&solver, &start, &Limits { target: 0, parallel, ..LIMITS });
            let solution = found.solution.expect("a solution");
            assert_eq!((solution.len(), found.stopped), (length, Stopped::Shortest), "{sequence}");
        }
    }
}

#[test]
fn the_solved_cube_and_short_sequences() {
    let solver = without_exact();
    let found = solve(&solver, &Cube::SOLVED, &LIMITS);
    assert_eq!((found.solution, found.stopped), (Some(Vec::new()), Stopped::Target));
    let found = solve(&solver, &Cube::SOLVED, &Limits { target: 0, ..LIMITS });
    assert_eq!(found.solution, Some(Vec::new()));
    // Asked for the shortest: so many moves or fewer undo so many, and it ends by itself.
    let mut rng = ChaCha8Rng::seed_from_u64(7);
    for length in (1..=7).chain(1..=7) {
        let (sequence, start) = random_walk(&mut rng, Metric::Htm, length);
        let found = solve(&solver, &start, &Limits { target: 0, ..LIMITS });
        let solution = found.solution.expect("a solution");
        assert!(solution.len() <= length && found.stopped == Stopped::Shortest, "{sequence} {:?}", found.stopped);
    }
}

/// "Shortest" is said when everything shorter has been tried, and not before. How many nodes that takes was counted once,
/// on one thread; whoever has the search leave out more shows first that nothing is lost.
#[test]
fn the_shortest_is_said_after_everything_shorter_was_tried() {
    let solver = without_exact();
    let limits = Limits { target: 0, parallel: false, ..LIMITS };
    let searched = |length: usize, seed: u64| {
        let (_, start) = random_walk(&mut ChaCha8Rng::seed_from_u64(seed), Metric::Htm, length);
        let found = solve(&solver, &start, &limits);
        assert_eq!(found.stopped, Stopped::Shortest);
        (found.solution.expect("a solution").len(), found.nodes)
    };
    let found: Vec<_> =
        [(9, 1), (10, 2), (11, 3), (12, 4), (12, 5)].map(|(length, seed)| searched(length, seed)).into();
    assert_eq!(found, [(9, 796), (10, 652), (11, 950), (12, 2_683_018), (12, 198_804)]);
}

/// On one thread the solver finds the same solution of each position over tables modulo 3, by no more nodes (it knows
/// distances of 17 and 18 in H', for which a nibble has no room); on all threads one that is short enough. With a target of 0 it
/// goes on until everything shorter has been tried.
fn compare_modulo_3(positions: impl Iterator<Item = Cube>, limits: &Limits) {
    let (expected, solvers) = (without_exact(), modulo_3());
    let alone = Limits { parallel: false, ..*limits };
    for start in positions {
        let right = solve(&expected, &start, &alone);
        assert!(right.solution.is_some());
        for solver in &solvers {
            let found = solve(solver, &start, &alone);
            assert_eq!((&found.solution, found.stopped), (&right.solution, right.stopped), "{:?}", solver.tables());
            assert!(found.nodes <= right.nodes, "{:?} {}", solver.tables(), facelets::print(&start));
        }
        assert_eq!(solve(&solvers[0], &start, limits).stopped, right.stopped);
    }
}

#[test]
fn tables_modulo_3_lead_to_the_same_solutions() {
    let random = (100..140).map(|seed| random_cube(&mut ChaCha8Rng::seed_from_u64(seed)));
    compare_modulo_3(random, &LIMITS);
    let mut rng = ChaCha8Rng::seed_from_u64(8);
    let near = (0..=10).map(|length| random_walk(&mut rng, Metric::Htm, length).1);
    compare_modulo_3(near, &Limits { target: 0, ..LIMITS });
}

#[test]
#[ignore = "tier two: searches of seconds"]
fn full_tables_modulo_3_lead_to_the_same_solutions_of_many_positions() {
    let random = (1000..1500).map(|seed| random_cube(&mut ChaCha8Rng::seed_from_u64(seed)));
    compare_modulo_3(random, &LIMITS);
    // To 19 moves all stages of the search are gone through.
    let random = (2000..2020).map(|seed| random_cube(&mut ChaCha8Rng::seed_from_u64(seed)));
    compare_modulo_3(random, &Limits { target: 19, ..LIMITS });
    solve_golden(&modulo_3()[0]);
}

#[test]
fn tables_that_do_not_serve_the_phases_are_refused() {
    let ([phase1, _], [phase2, phase2_modulo_3]) = (phase_one_tables(), phase_two_tables());
    let refusal = |phase1: (_, Vec<u8>), phase2: (_, Vec<u8>)| {
        TwoPhase::new(phase1, phase2, None::<PhaseTwo<CachedTable>>).expect_err("they do not serve").to_string()
    };
    let quarter_turns = tables::phase_one(Metric::Qtm);
    assert!(refusal((quarter_turns, Vec::new()), (phase2, Vec::new())).contains("phase1-qtm and phase2"));
    let exact = tables::phase_two(Metric::Htm, true);
    assert!(refusal((phase1, Vec::new()), (exact, Vec::new())).contains("phase1 and phase2-exact"));
    let bytes = |table: &dyn Definition| vec![0; table.layout().bytes() as usize];
    assert!(refusal((phase1, bytes(phase1)), (phase2_modulo_3, bytes(phase2))).contains("phase2-kociemba has"));
}

/// By moves of H alone, the same: a walk tells the first distance, a look-up for each move the others.
#[test]
fn tables_modulo_3_lead_to_the_same_solutions_in_h() {
    let [whole, modulo_3] = phase_two_tables().map(|table| PhaseTwo::over(table, CUBE3.cached(table)));
    let mut rng = ChaCha8Rng::seed_from_u64(3);
    let positions = (0..12).map(|length| {
        let turns: Vec<Move> = Move::all().filter(|turn| turn.is_in_h()).collect();
        Cube::SOLVED.after(&(0..length).filter_map(|_| turns.iter().copied().choose(&mut rng)).collect::<Vec<_>>())
    });
    for start in positions {
        let h_position = PhaseTwoPosition::of(&start).expect("in H");
        let solved = |table: &PhaseTwo<CachedTable>| {
            let mut nodes = 0;
            let mut visit = || {
                nodes += 1;
                Ok(true)
            };
            let solution = table.solve(&h_position, 18, &mut visit).expect("an answer");
            (solution.expect("a solution"), nodes)
        };
        let (solution, nodes) = solved(&whole);
        assert_solves(&start, &solution);
        assert_eq!(solved(&modulo_3), (solution, nodes), "{}", facelets::print(&start));
    }
}

/// A target that no solution exceeds is reached by the first.
#[test]
fn a_target_beyond_all_lengths_is_reached() {
    let start = Cube::SOLVED.turned(Move::new(Face::R, 1));
    for (target, longest) in [(31, 30), (255, 255), (20, 8)] {
        let limits = Limits { target, longest, ..LIMITS };
        let found = without_exact().solve(&start, &Cube::SOLVED, &limits, &Context::silent(), &mut |_, _| {});
        let found = found.expect("an answer");
        assert_eq!((found.solution.map(|moves| moves.len()), found.stopped), (Some(1), Stopped::Target));
    }
}

#[test]
fn any_position_can_be_the_goal() {
    let solver = without_exact();
    for seed in 0..10 {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let [start, goal] = [random_cube(&mut rng), random_cube(&mut rng)];
        for (start, goal) in [(start, goal), (start, start), (Cube::SOLVED, goal)] {
            let mut nothing = |_: &[Move], _| {};
            let found = solver.solve(&start, &goal, &LIMITS, &Context::silent(), &mut nothing).expect("an answer");
            let solution = found.solution.expect("a solution");
            assert_eq!(replayed(&start, &solution).to_string(), facelets::print(&goal));
            assert!(solution.len() <= 20 && (start != goal || solution.is_empty()));
        }
    }
}

#[test]
fn budgets_and_requests_stop_a_search() {
    let solver = without_exact();
    let start = random_cube(&mut ChaCha8Rng::seed_from_u64(99));
    for parallel in [false, true] {
        let limits = Limits { target: 0, max_nodes: Some(100_000), parallel, ..LIMITS };
        let found = solve(&solver, &start, &limits);
        assert_eq!(found.stopped, Stopped::Budget);
        // Each of six searches looks after 4096 nodes.
        assert!((100_000..100_000 + 6 * 4096).contains(&found.nodes), "{}", found.nodes);
        assert!(found.solution.is_some_and(|solution| solution.len() <= usize::from(LONGEST)));
    }
    let late = Limits { target: 0, deadline: Some(std::time::Instant::now()), ..LIMITS };
    assert_eq!(solve(&solver, &start, &late).stopped, Stopped::Budget);
    let ctx = Context::silent();
    ctx.cancel();
    let cancelled = solver.solve(&start, &Cube::SOLVED, &LIMITS, &ctx, &mut |_, _| {});
    assert!(matches!(cancelled, Err(twistbase::error::Error::Interrupted)), "{cancelled:?}");
    // One thread: the same solution and the same nodes each time.
    let alone = Limits { parallel: false, ..LIMITS };
    assert_eq!(solve(&solver, &start, &alone), solve(&solver, &start, &alone));
}

/// Optimal lengths, found by nxopt: never beaten, and reached where they are short.
fn solve_golden(solver: &Solver) {
    let mut over = 0;
    for record in golden("optimal_333.csv").records() {
        let record = record.expect("a line");
        let start = facelets::parse(&record[1]).expect("a position");
        assert_eq!(Stickers::after(&record[0]).to_string(), record[1]);
        let optimal: usize = record[2].parse().expect("a number");
        let (solution, _) = solved(solver, &start, &LIMITS);
        assert!(solution.len() >= optimal, "{} is shorter than {optimal}: {solution:?}", &record[0]);
        over += solution.len() - optimal;
    }
    println!("40 positions of known length: {over} moves more than optimal in all");
}

#[test]
fn no_solution_is_shorter_than_optimal() {
    solve_golden(&without_exact());
}

/// Hard positions: the superflip takes twenty moves, and the others, too, look much the same from every side, so that
/// the six searches are one or two. All are legal because sequences lead to them, and every position has a solution of
/// twenty moves.
const HARD: [(&str, &str); 5] = [
    // All edges flipped, all else in place (Michael Reid, 1995: it takes twenty).
    ("superflip", "U R2 F B R B2 R U2 L B2 R U' D' R2 F R' L B2 U2 F2"),
    // The superflip after the pattern of four spots: none is farther in quarter turns (Reid, 1998).
    ("superflip with four spots", "U R2 F B R B2 R U2 L B2 R U' D' R2 F R' L B2 U2 F2 F2 B2 U D' R2 L2 U D'"),
    ("superflip with six spots", "U R2 F B R B2 R U2 L B2 R U' D' R2 F R' L B2 U2 F2 U D' R L' F B' U D'"),
    ("superflip with checks", "U R2 F B R B2 R U2 L B2 R U' D' R2 F R' L B2 U2 F2 U2 D2 F2 B2 L2 R2"),
    ("superflip with checks in pairs", "U R2 F B R B2 R U2 L B2 R U' D' R2 F R' L B2 U2 F2 U2 D2 F2 B2"),
];

#[test]
#[ignore = "tier two: the superflip and its like"]
fn full_hard_positions_in_twenty_moves() {
    for solver in [with_exact(), without_exact()] {
        for (name, sequence) in HARD {
            let start = parse_position(sequence).expect("a sequence").position;
            assert_eq!(facelets::print(&start), Stickers::after(sequence).to_string());
            let limits = Limits { max_nodes: Some(2_000_000_000), ..LIMITS };
            let (solution, nodes) = solved(&solver, &start, &limits);
            println!("{name}: {} moves, {nodes} nodes", solution.len());
        }
    }
    let superflip = parse_position(HARD[0].1).expect("a sequence").position;
    assert_eq!((superflip.edge_orientations(), Cube::SOLVED.edges()), (&[1; 12], superflip.edges()));
}

/// The position that was hardest for the programs by which twenty moves were shown to suffice (Rokicki, Kociemba,
/// Davidson, Dethridge, 2010). It is for these, too: within the budget there is a solution of a move or two more.
#[test]
fn the_hardest_position_within_a_budget() {
    let start = parse_position("F U' F2 D' B U R' F' L D' R' U' L U B' D2 R' F U2 D2").expect("a sequence").position;
    let found = solve(&without_exact(), &start, &Limits { max_nodes: Some(2_000_000), ..LIMITS });
    let length = found.solution.expect("a solution").len();
    assert!((20..=22).contains(&length), "{length}");
    assert_eq!(found.stopped, if length == 20 { Stopped::Target } else { Stopped::Budget });
}
