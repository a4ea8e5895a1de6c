//! The optimal solver: against known lengths, and against plain enumeration, which knows no table.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;
use std::time::Instant;

use rand::SeedableRng;
use rand::seq::IteratorRandom;
use rand_chacha::ChaCha8Rng;
use twistbase::cache::CacheMode;
use twistbase::context::Context;
use twistbase::error::{Error, Fault};
use twistbase::puzzle::cube3::notation::{facelets, parse_position, parse_sequence, wca};
use twistbase::puzzle::cube3::{Cube, Metric, Move, Symmetry, random_cube, random_walk};
use twistbase::solve::{Event, LONGEST_SEARCH, Optimal, OptimalLimits, SearchAnswer, TableBytes, TablePlace, Wanted};
use twistbase::tables::{self, Definition, Kind, TableMetric};
use twistbase::{Database, TableId};

use crate::support::cube3::{CUBE3, assert_solves, replayed};
use crate::support::golden;
use twistbase_testing::stickers::Stickers;

const METRICS: [Metric; 2] = [Metric::Htm, Metric::Qtm];
const ONE: Wanted = Wanted::ANY;
const ALL: Wanted = Wanted { solutions: u64::MAX, extra: 0 };
const LIMITS: OptimalLimits =
    OptimalLimits { max_depth: LONGEST_SEARCH, deadline: None, max_nodes: None, parallel: true };
const SERIAL: OptimalLimits = OptimalLimits { parallel: false, ..LIMITS };
/// Positions at each distance (cube20.org; all by plain enumeration).
const POSITIONS: [[u64; 6]; 2] = [[1, 18, 243, 3240, 43239, 574_908], [1, 12, 114, 1068, 10011, 93840]];

type Solver = Optimal<TableBytes>;
type Solutions = BTreeSet<Vec<Move>>;

/// The solver over a table.
fn over(table: Kind) -> Solver {
    let store = CUBE3.with(&[table.definition()]);
    Optimal::open(&store, table, TablePlace::Memory(0), CacheMode::OnDemand, &Context::silent()).expect("the table")
}

fn over_named(name: &str) -> Solver {
    over(tables::find_heuristic(name).expect("a table"))
}

/// The solver over `phase1` or its twin.
fn solver(metric: Metric) -> Solver {
    over(Kind::PhaseOne(tables::phase_one(metric)))
}

/// The weakest tables, up to `phase1`, which are of different kinds.
fn weakest(metric: Metric) -> impl Iterator<Item = Kind> {
    let phase1 = tables::phase_one(metric).facts().strength;
    tables::heuristics(metric).filter(move |table| table.definition().facts().strength <= phase1)
}

/// The solvers over these.
fn solvers(metric: Metric) -> Vec<Solver> {
    weakest(metric).map(over).collect()
}

/// Solves a position, and checks the solutions and what is told on the way.
fn solve(solver: &Solver, start: &Cube, wanted: Wanted, limits: &OptimalLimits) -> (SearchAnswer, Solutions) {
    let mut found = Solutions::new();
    let (mut bound, mut visited, mut longest) = (0, 0, 0);
    let mut tell = |event: Event<'_>| match event {
        Event::Solution(moves) => {
            assert_solves(start, moves);
            assert!(moves.len() >= longest && moves.len() >= bound, "shorter ones come first");
            longest = moves.len();
            assert!(found.insert(moves.to_vec()), "{} twice", wca::print(moves));
        }
        Event::Depth { depth, nodes } => {
            assert!(nodes >= visited);
            (bound, visited) = (usize::from(depth) + 1, nodes);
        }
        Event::Nodes(nodes) => assert!(nodes > 0),
    };
    let answer = solver.solve(start, &Cube::SOLVED, wanted, limits, &Context::silent(), &mut tell).expect("an answer");
    assert_eq!(answer.solutions, found.len() as u64);
    assert_eq!(answer.length.map(usize::from), found.iter().map(Vec::len).min());
    // What was told of longer ones, once there was a solution, is no bound.
    assert!(
        answer.nodes >= visited && usize::from(answer.at_least) >= bound.min(answer.length.unwrap_or(u8::MAX).into())
    );
    (answer, found)
}

/// The length of the shortest solutions, and all of them.
fn solve_all(solver: &Solver, start: &Cube, limits: &OptimalLimits) -> (usize, Solutions) {
    let (answer, found) = solve(solver, start, ALL, limits);
    assert!(answer.complete && Some(answer.at_least) == answer.length, "{answer:?}");
    (answer.at_least.into(), found)
}

/// Whether a turn may follow others, in a list where each set of sequences that differ only in the order of turns of
/// opposite faces is there once: U comes before D, R before L, F before B; and what one turn can do is done by one, in
/// the quarter-turn metric half turns by two clockwise ones.
fn may_follow(metric: Metric, before: &[Move], turn: Move) -> bool {
    let Some(&last) = before.last() else { return true };
    if last.face() == turn.face() {
        let of_face = before.iter().rev().take_while(|before| before.face() == turn.face()).count();
        return metric == Metric::Qtm && of_face == 1 && last == turn && turn.quarters() == 1;
    }
    last.face() != turn.face().opposite() || last.face() < turn.face()
}

/// Does something with every such sequence of a length, and the position that it leads to.
fn for_each_sequence(metric: Metric, length: usize, start: &Cube, act: &mut dyn FnMut(&[Move], &Cube)) {
    fn deeper(metric: Metric, left: usize, cube: &Cube, moves: &mut Vec<Move>, act: &mut dyn FnMut(&[Move], &Cube)) {
        if left == 0 {
            return act(moves, cube);
        }
        for turn in metric.moves() {
            if may_follow(metric, moves, turn) {
                moves.push(turn);
                deeper(metric, left - 1, &cube.turned(turn), moves, act);
                moves.pop();
            }
        }
    }
    deeper(metric, length, start, &mut Vec::new(), act);
}

/// All solutions of a length by enumeration: sequences from the position meet those from solved.
fn plain_solutions(metric: Metric, start: &Cube, length: usize) -> Solutions {
    let mut firsts: HashMap<Cube, Vec<Vec<Move>>> = HashMap::new();
    for_each_sequence(metric, length / 2, start, &mut |moves, cube| {
        firsts.entry(*cube).or_default().push(moves.to_vec());
    });
    let mut found = Solutions::new();
    for_each_sequence(metric, length - length / 2, &Cube::SOLVED, &mut |moves, cube| {
        for first in firsts.get(&cube.inverse()).into_iter().flatten() {
            let mut whole = first.clone();
            let fits = moves.iter().all(|&turn| {
                let follows = may_follow(metric, &whole, turn);
                whole.push(turn);
                follows
            });
            if fits {
                assert!(start.after(&whole).is_solved() && found.insert(whole));
            }
        }
    });
    found
}

/// All solutions of up to so many moves, by enumeration depth after depth.
fn plain_up_to(metric: Metric, start: &Cube, longest: usize) -> Solutions {
    (0..=longest).flat_map(|length| plain_solutions(metric, start, length)).collect()
}

/// The shortest solutions of a position by enumeration.
fn plain_shortest(metric: Metric, start: &Cube) -> Solutions {
    (0..).map(|length| plain_solutions(metric, start, length)).find(|found| !found.is_empty()).expect("a solution")
}

#[test]
fn every_position_near_solved_and_all_its_solutions() {
    for metric in METRICS {
        let solvers = solvers(metric);
        let mut nearer: HashMap<Cube, Solutions> = HashMap::new();
        for (distance, &expected) in POSITIONS[metric as usize][..4].iter().enumerate() {
            let mut level: HashMap<Cube, Solutions> = HashMap::new();
            for_each_sequence(metric, distance, &Cube::SOLVED, &mut |moves, cube| {
                let position = cube.inverse();
                if !nearer.contains_key(&position) {
                    level.entry(position).or_default().insert(moves.to_vec());
                }
            });
            assert_eq!(level.len() as u64, expected, "{metric:?} {distance}");
            for (position, solutions) in &level {
                for solver in &solvers {
                    assert_eq!(solve_all(solver, position, &SERIAL), (distance, solutions.clone()));
                }
            }
            nearer.extend(level);
        }
    }
}

/// Checks numbers of positions and, of a sample, lengths and numbers of solutions.
fn check_levels(metric: Metric, counts: &[u64], sample: usize) {
    let solvers = solvers(metric);
    let mut rng = ChaCha8Rng::seed_from_u64(45);
    let mut nearer: HashSet<Cube> = HashSet::new();
    for (distance, &expected) in counts.iter().enumerate() {
        // Solutions of each position.
        let mut level: HashMap<Cube, u16> = HashMap::new();
        for_each_sequence(metric, distance, &Cube::SOLVED, &mut |_, cube| {
            *level.entry(cube.inverse()).or_default() += 1
        });
        level.retain(|position, _| !nearer.contains(position));
        assert_eq!(level.len() as u64, expected, "{metric:?} {distance}");
        for (position, &solutions) in level.iter().sample(&mut rng, sample) {
            for solver in &solvers {
                let (length, found) = solve_all(solver, position, &SERIAL);
                assert_eq!((length, found.len()), (distance, usize::from(solutions)), "{}", facelets::print(position));
            }
        }
        nearer.extend(level.into_keys());
    }
}

#[test]
fn positions_at_each_distance_and_how_many_solutions() {
    METRICS.into_iter().for_each(|metric| check_levels(metric, &POSITIONS[metric as usize], 200));
}

#[test]
#[ignore = "tier two: eight million positions at once"]
fn full_positions_a_move_or_two_farther() {
    check_levels(Metric::Htm, &[1, 18, 243, 3240, 43239, 574_908, 7_618_438], 2000);
    check_levels(Metric::Qtm, &[1, 12, 114, 1068, 10011, 93840, 878_880, 8_221_632], 2000);
}

/// Solves the first golden positions with lengths in a range.
fn check_golden(solver: &Solver, name: &str, lengths: std::ops::RangeInclusive<usize>, most: usize) {
    let (mut count, mut nodes) = (0, 0);
    for record in golden(name).records().map(|record| record.expect("a line")) {
        let length: usize = record[2].parse().expect("a number");
        if !lengths.contains(&length) || count == most {
            continue;
        }
        let start = facelets::parse(&record[1]).expect("a position");
        assert_eq!(Stickers::after(&record[0]).to_string(), record[1]);
        let (answer, _) = solve(solver, &start, ONE, &LIMITS);
        assert_eq!((answer.length.map(usize::from), answer.complete), (Some(length), true), "{}", &record[0]);
        count += 1;
        nodes += answer.nodes;
    }
    let table = solver.table().name();
    println!("{name}, {table}: {count} positions, {nodes} nodes");
    assert_eq!(count, most);
}

#[test]
fn known_lengths() {
    check_golden(&solver(Metric::Htm), "optimal_333.csv", 0..=14, 7);
}

#[test]
#[ignore = "long suite: searches of seconds"]
fn known_lengths_by_other_tables() {
    check_golden(&over_named("nx-eo1-ep1-htm"), "optimal_333.csv", 0..=14, 7);
    check_golden(&over_named("phase1-kociemba"), "optimal_333.csv", 0..=14, 7);
    for solver in solvers(Metric::Qtm) {
        check_golden(&solver, "optimal_333_qtm.csv", 0..=17, 2);
    }
}

#[test]
#[ignore = "tier two: searches of seconds, tables of hundreds of megabytes"]
fn full_known_lengths_of_farther_positions() {
    check_golden(&solver(Metric::Htm), "optimal_333.csv", 15..=16, 10);
    check_golden(&over_named("phase1-kociemba"), "optimal_333.csv", 15..=15, 1);
    check_golden(&over_named("huge"), "optimal_333.csv", 0..=15, 8);
    check_golden(&over_named("nx-eo2-ep1-htm"), "optimal_333.csv", 15..=17, 4);
    check_golden(&over_named("nx-eo2-ep1-qtm"), "optimal_333_qtm.csv", 18..=19, 3);
}

/// Compares the mean of what six look-ups tell of random positions with Rokicki's figure.
fn check_average(name: &str, published: f64, positions: u32) {
    let (solver, mut rng) = (over_named(name), ChaCha8Rng::seed_from_u64(6));
    let bounds = (0..positions).map(|_| solver.bound(&random_cube(&mut rng)).expect("a bound").moves());
    let mean = f64::from(bounds.map(u32::from).sum::<u32>()) / f64::from(positions);
    println!("{name}: six look-ups tell {mean:.4} on average, published {published}");
    // The standard deviation of a bound is about 0.6.
    assert!((mean - published).abs() < 4.0 * 0.6 / f64::from(positions).sqrt(), "{name}: {mean}");
}

#[test]
fn six_look_ups_tell_what_is_published() {
    check_average("nx-eo1-ep1-htm", 9.84321, 50_000);
    check_average("nx-eo1-ep1-qtm", 10.9947, 50_000);
}

#[test]
#[ignore = "tier two: tables of hundreds of megabytes"]
fn full_six_look_ups_of_larger_tables_tell_what_is_published() {
    check_average("nx-eo2-ep1-htm", 10.8274, 500_000);
    check_average("nx-eo2-ep1-qtm", 12.0452, 500_000);
}

/// One order of turns of opposite faces, and one way to make half turns of quarter turns.
fn one_order(metric: Metric, moves: &[Move]) -> Vec<Move> {
    let mut moves = moves.to_vec();
    let of_axis = |a: Move, b: Move| a.face() == b.face() || a.face() == b.face().opposite();
    for part in moves.chunk_by_mut(|&a, &b| of_axis(a, b)) {
        part.sort_by_key(|turn| turn.face());
        for of_face in part.chunk_by_mut(|a, b| a.face() == b.face()) {
            assert!(of_face.len() == 1 || metric == Metric::Qtm);
            if of_face.len() == 2 {
                of_face.fill(Move::new(of_face[0].face(), 1));
            }
        }
    }
    moves
}

/// Of a symmetric position, only one of the first parts that are images of each other is searched where any solution
/// will do; all solutions are searched without that.
#[test]
#[ignore = "long suite: searches of seconds"]
fn any_solution_of_a_symmetric_position_is_as_short_as_all_are() {
    for (name, sequence, metric) in [
        ("cube in a cube", "F L F U' R U F2 L2 U' L' B D' B' L2 U", Metric::Htm),
        ("cube in a cube", "F L F U' R U F2 L2 U' L' B D' B' L2 U", Metric::Qtm),
    ] {
        let solver = solvers(metric).remove(0);
        let position = parse_position(sequence).expect("a sequence").position;
        assert!(Symmetry::all().filter(|symmetry| symmetry.of(&position) == position).count() > 1, "{name}");
        let (all, any) = (solve(&solver, &position, ALL, &LIMITS).0, solve(&solver, &position, ONE, &SERIAL).0);
        assert_eq!((any.length, any.at_least), (all.length, all.at_least), "{name} {metric:?}");
        assert!(any.nodes > 40_000, "{name}: {} nodes are too few for a search in parts", any.nodes);
    }
}

#[test]
fn solutions_of_symmetric_positions_are_closed_under_symmetry() {
    for (sequence, metric, symmetries) in [
        ("U2 D2 R2 L2 F2 B2", Metric::Htm, 48),
        ("U D", Metric::Htm, 8),
        ("U2 D2 R2 L2", Metric::Htm, 16),
        ("R L' F B' U D' R L'", Metric::Htm, 6),
        ("F2 B2 U D' R2 L2 U D'", Metric::Htm, 16),
        ("U2 D2", Metric::Qtm, 16),
        ("U D R2 L2 U D", Metric::Qtm, 8),
        ("R L' F B' U D' R L'", Metric::Qtm, 6),
    ] {
        let start = parse_position(sequence).expect("a sequence").position;
        let of_itself: Vec<Symmetry> = Symmetry::all().filter(|symmetry| symmetry.of(&start) == start).collect();
        let (length, found) = solve_all(&solver(metric), &start, &LIMITS);
        assert_eq!(solve_all(&solvers(metric)[0], &start, &LIMITS), (length, found.clone()), "{sequence}");
        for symmetry in &of_itself {
            let image = |moves: &Vec<Move>| {
                let moves: Vec<Move> = moves.iter().map(|&turn| symmetry.of_move(turn)).collect();
                one_order(metric, &moves)
            };
            assert_eq!(found.iter().map(image).collect::<Solutions>(), found, "{sequence}");
        }
        if start.inverse() == start {
            let back = |moves: &Vec<Move>| {
                one_order(metric, &moves.iter().rev().map(|turn| turn.inverse()).collect::<Vec<_>>())
            };
            assert_eq!(found.iter().map(back).collect::<Solutions>(), found, "{sequence}");
        }
        assert!(length <= 8, "{sequence}");
        assert_eq!(plain_shortest(metric, &start), found, "{sequence}");
        assert_eq!(of_itself.len(), symmetries, "{sequence}");
    }
}

#[test]
fn solutions_of_more_moves_than_the_shortest() {
    for metric in METRICS {
        let solver = solver(metric);
        let mut rng = ChaCha8Rng::seed_from_u64(2);
        let walks = (1..=6).map(|length| random_walk(&mut rng, metric, length).1);
        for start in walks.chain([Cube::SOLVED]).collect::<Vec<_>>() {
            for extra in [1, 2] {
                let (answer, found) = solve(&solver, &start, Wanted { extra, ..ALL }, &LIMITS);
                let length = answer.length.expect("a solution");
                assert!(answer.complete && answer.at_least == length);
                assert_eq!(
                    found,
                    plain_up_to(metric, &start, usize::from(length + extra)),
                    "{}",
                    facelets::print(&start)
                );
            }
        }
    }
}

#[test]
fn solutions_of_up_to_four_moves_more() {
    let start = parse_position("R U F2 L D'").expect("a sequence").position;
    let (answer, found) = solve(&solver(Metric::Htm), &start, Wanted { extra: 4, ..ALL }, &LIMITS);
    assert!(answer.complete && answer.length == Some(5));
    assert_eq!(found, plain_up_to(Metric::Htm, &start, 9));
}

#[test]
fn all_threads_find_what_one_finds() {
    for (metric, length) in [(Metric::Htm, 11), (Metric::Qtm, 13)] {
        let solver = solver(metric);
        for seed in 0..6 {
            let start = random_walk(&mut ChaCha8Rng::seed_from_u64(seed), metric, length).1;
            let wanted = Wanted { extra: 2, ..ALL };
            let [together, alone] = [&LIMITS, &SERIAL].map(|limits| solve(&solver, &start, wanted, limits));
            assert!(together.0.complete && together.1 == alone.1, "{}", facelets::print(&start));
            assert_eq!(together.0.length, alone.0.length);
            // One thread: the same nodes each time.
            assert_eq!(solve(&solver, &start, wanted, &SERIAL).0, alone.0);
            let (limited, some) = solve(&solver, &start, Wanted { solutions: 2, extra: 2 }, &LIMITS);
            assert!(limited.complete && some.is_subset(&alone.1) && some.len() == alone.1.len().min(2));
            // No solution is beyond the depth that is searched.
            let short = OptimalLimits { max_depth: together.0.at_least - 1, ..LIMITS };
            let (answer, none) = solve(&solver, &start, ALL, &short);
            assert!(none.is_empty() && !answer.complete && answer.at_least == together.0.at_least, "{answer:?}");
        }
    }
}

#[test]
fn budgets_and_requests_stop_a_search() {
    let solver = solver(Metric::Htm);
    let start = random_cube(&mut ChaCha8Rng::seed_from_u64(99));
    for parallel in [false, true] {
        let (answer, _) = solve(&solver, &start, ONE, &OptimalLimits { max_nodes: Some(100_000), parallel, ..LIMITS });
        assert!(!answer.complete && answer.length.is_none() && answer.at_least > 10, "{answer:?}");
        assert!((100_000..1_000_000).contains(&answer.nodes), "{answer:?}");
        let late = OptimalLimits { deadline: Some(Instant::now()), parallel, ..LIMITS };
        assert!(!solve(&solver, &start, ONE, &late).0.complete);
    }
    let ctx = Context::silent();
    ctx.cancel();
    let cancelled = solver.solve(&start, &Cube::SOLVED, ONE, &LIMITS, &ctx, &mut |_| {});
    assert!(matches!(cancelled, Err(Error::Interrupted)), "{cancelled:?}");
    let (answer, none) = solve(&solver, &start, Wanted { solutions: 0, extra: 0 }, &LIMITS);
    assert!(answer.complete && none.is_empty());
}

#[test]
fn any_position_can_be_the_goal() {
    for metric in METRICS {
        let solver = solver(metric);
        for seed in 0..10 {
            let mut rng = ChaCha8Rng::seed_from_u64(seed);
            let goal = random_cube(&mut rng);
            let (sequence, walk) = random_walk(&mut rng, metric, 7);
            let start = goal.then(&walk);
            for (start, goal) in [(start, goal), (goal, start), (goal, goal)] {
                let mut found = Vec::new();
                let mut tell = |event: Event<'_>| {
                    if let Event::Solution(moves) = event {
                        found.push(moves.to_vec());
                    }
                };
                let answer =
                    solver.solve(&start, &goal, ONE, &LIMITS, &Context::silent(), &mut tell).expect("an answer");
                assert_eq!((answer.length, found.len()), (Some(found[0].len() as u8), 1));
                assert_eq!(replayed(&start, &found[0]).to_string(), facelets::print(&goal));
                assert!(found[0].len() <= sequence.length(metric) && (start == goal) == found[0].is_empty());
            }
        }
    }
}

#[test]
fn the_strongest_table_there_is() {
    for metric in METRICS {
        let dir = tempfile::tempdir().expect("a folder");
        let small: Vec<&str> = weakest(metric).map(Kind::name).collect();
        assert_eq!(small.last(), Some(&tables::phase_one(metric).layout().name));
        let database = Database::open(dir.path()).expect("a folder").with_cache(CacheMode::Off);
        let cube = database.cube3();
        let open = || cube.optimal(Some(metric), None, false, &Context::silent());
        match open() {
            Err(Error::Data(error)) => assert_eq!(error.fault, Fault::Missing),
            other => panic!("{other:?}"),
        }
        for name in small {
            let table = tables::find(name).expect("a table");
            let [shared, link] =
                [&CUBE3.with(&[table]), database.store()].map(|store| store.file_of(table.layout()).expect("a folder"));
            std::os::unix::fs::symlink(shared, link).expect("a link");
            let solver = open().expect("a table");
            let named = cube.optimal(None, Some(TableId::from(table)), false, &Context::silent()).expect("a table");
            assert!(Arc::ptr_eq(&solver, &named), "one copy in memory, however it is asked for");
            assert_eq!((solver.metric(), solver.table().name()), (metric, name));
        }
        assert!(tables::heuristics(metric).all(|table| {
            let found = tables::find_heuristic(table.name()).expect("its name");
            found.definition().metric() == TableMetric::FaceTurns(metric)
        }));
    }
    assert!(matches!(tables::find_heuristic("phase2"), Err(Error::Usage(_))));
}

#[test]
fn what_was_proved_before_an_interrupt_is_the_answer() {
    let solver = solver(Metric::Htm);
    let start = parse_sequence("R U F2 L D'").expect("moves").apply(&Cube::SOLVED);
    for limits in [LIMITS, SERIAL] {
        let ctx = Context::silent();
        let mut tell = |event: Event<'_>| {
            if matches!(event, Event::Solution(_)) {
                ctx.cancel();
            }
        };
        let answer = solver.solve(&start, &Cube::SOLVED, ONE, &limits, &ctx, &mut tell).expect("an answer");
        assert_eq!((answer.length, answer.at_least, answer.complete), (Some(5), 5, true));
        let searched = solver.solve(&start, &Cube::SOLVED, ALL, &limits, &ctx, &mut tell);
        assert!(matches!(searched, Err(Error::Interrupted)));
    }
}

#[test]
fn loading_a_table_hears_an_interrupt() {
    let table = tables::find_heuristic("phase1-kociemba").expect("a table");
    let store = CUBE3.with(&[table.definition()]);
    let ctx = Context::silent();
    let [mapped, copied] = [TablePlace::Mapped, TablePlace::Memory(u64::MAX)];
    let open = |place, mode| Optimal::open(&store, table, place, mode, &ctx).map(drop);
    // So that the cache is there.
    for place in [mapped, copied] {
        open(place, CacheMode::OnDemand).expect("a table");
    }
    ctx.cancel();
    let modes = [CacheMode::OnDemand, CacheMode::ReadOnly, CacheMode::Off];
    let cached = [CacheMode::OnDemand, CacheMode::ReadOnly].map(|mode| (mapped, mode));
    for (place, mode) in modes.map(|mode| (copied, mode)).into_iter().chain(cached) {
        assert!(matches!(open(place, mode), Err(Error::Interrupted)), "{place:?} {mode:?}");
    }
    // Without a cache there is nothing to map.
    assert!(matches!(open(mapped, CacheMode::Off), Err(Error::Usage(_))));
}
