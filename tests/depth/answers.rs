//! What is told of positions, by tables that were built to a depth.

use std::io::{Seek, Write};
use std::path::Path;
use std::sync::Arc;

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use twistbase::cache::{CacheMode, CachedTable};
use twistbase::context::Context;
use twistbase::error::{Class, Error, Fault, Remedy};
use twistbase::puzzle::square1::{Place, Position, random_position, random_walk};
use twistbase::query::{Deepening, DeepeningRequest, FirstSolutions, MiddleGoal, Square1Table, TwistOrder};
use twistbase::store::{Entries, Store};
use twistbase::tables::{self, Definition, TwistTable};

use super::{BUILT, FARTHEST, SMALL, copy_to, run, small, succeed};
use crate::faults::{Ended, program};

fn table() -> &'static TwistTable {
    tables::find_twists(SMALL).expect("a table")
}

fn positions() -> Vec<Position> {
    let mut rng = ChaCha8Rng::seed_from_u64(6);
    let far: Vec<_> = (0..150).map(|_| random_position(&mut rng)).collect();
    let near = (0..150).map(|number| random_walk(&mut rng, number % 9).1);
    near.chain(far).chain([Position::SOLVED, Position::SOLVED.turn_over()]).collect()
}

fn check(bounded: &Square1Table<impl Entries>, complete: &Square1Table<impl Entries>, depth: u8) -> usize {
    let (mut within, ctx) = (0, Context::silent());
    for position in positions() {
        let is_within = complete.distance(&position, MiddleGoal::Ignored).unwrap().twists() <= depth;
        within += usize::from(is_within);
        // Its number is read back as a position that is as far.
        let index = bounded.index(&position);
        let (row, entry) = table().layout().entry_at(index).unwrap();
        let read = table().coordinate().position(Place { row, entry: entry as u32 }).unwrap();
        assert_eq!((bounded.index(&read), complete.index(&position)), (index, index));
        let distances = [read, position].map(|position| complete.distance(&position, MiddleGoal::Ignored).unwrap());
        assert_eq!(distances[0], distances[1]);
        for goal in [MiddleGoal::Ignored, MiddleGoal::Square] {
            if !is_within {
                let refused = bounded.distance(&position, goal).unwrap_err();
                assert!(
                    matches!(&refused, Error::Data(fault) if fault.fault == Fault::Bounded && fault.remedy == Remedy::build("square1-corners")),
                    "{refused}"
                );
                let text = refused.to_string();
                let twists = if depth == 1 { "twist" } else { "twists" };
                assert!(text.contains(&format!("farther than {depth} {twists}, the depth")), "{text}");
                assert!(bounded.moves(&position, goal).is_err() && bounded.solutions(&position, goal).is_err());
                continue;
            }
            assert_eq!(bounded.distance(&position, goal).unwrap(), complete.distance(&position, goal).unwrap());
            assert_eq!(bounded.moves(&position, goal).unwrap(), complete.moves(&position, goal).unwrap());
            // The middle layer of the solved position changes by way of others.
            if depth == 0 && complete.distance(&position, goal).unwrap().twists() > 0 {
                assert!(bounded.count(&position, goal, &ctx).is_err());
                assert!(bounded.solutions(&position, goal).unwrap().next().unwrap().is_err());
                continue;
            }
            let counts = bounded.count(&position, goal, &ctx).unwrap();
            assert_eq!(counts, complete.count(&position, goal, &ctx).unwrap());
            let solutions = bounded.solutions(&position, goal).unwrap().take(20).map(Result::unwrap);
            let expected = complete.solutions(&position, goal).unwrap().take(20).map(Result::unwrap);
            assert!(solutions.eq(expected));
        }
    }
    within
}

/// Distances, neighbours, counts and solutions are those of the complete table, or there are none.
#[test]
fn what_is_within_the_depth_is_answered_as_by_the_complete_table() {
    let complete = Square1Table::stored(&Store::open(BUILT[8].1.path()), table()).unwrap();
    let mut last = 0;
    for (depth, dir) in &BUILT[..8] {
        let (depth, store) = (depth.unwrap(), Store::open(dir.path()));
        let bounded = Square1Table::stored(&store, table()).unwrap();
        let within = check(&bounded, &complete, depth);
        assert!(within > last, "{within} at depth {depth}");
        last = within;
        for goal in [MiddleGoal::Ignored, MiddleGoal::Square] {
            let records = (0..small().layout().rows).map(|row| bounded.entries().row_record(row).unwrap());
            let order = TwistOrder::new(&records.map(|record| record.levels.as_slice()).collect::<Vec<_>>());
            let solver = FirstSolutions::new(Square1Table::over(table(), bounded.entries()), goal, order).unwrap();
            let is_near = |at: &Position| bounded.distance(at, goal).is_ok_and(|far| depth > 0 || far.twists() == 0);
            let near: Vec<_> = positions().into_iter().filter(is_near).collect();
            let mut found = Vec::new();
            solver.each(&near, &mut |solution| found.push(solution)).unwrap();
            assert_eq!(found.len(), near.len());
            for (at, found) in near.iter().zip(found) {
                assert!(complete.solutions(at, goal).unwrap().any(|solution| solution.unwrap() == found));
            }
        }
    }
}

/// The same from the hot cache, which is of its edition: one of another depth is not read.
#[test]
fn the_cache_of_one_depth_is_not_that_of_another() {
    let dir = copy_to(Some(4));
    let (store, layout) = (Store::open(dir.path()), small().layout());
    let complete = Square1Table::stored(&Store::open(BUILT[8].1.path()), table()).unwrap();
    for depth in [Some(4), Some(6), None] {
        if depth != Some(4) {
            super::build(&store, small(), depth, 1 << 30);
        }
        let cached = CachedTable::open_to_depth(&store, layout, CacheMode::OnDemand).unwrap();
        assert!(!cached.is_cached(3), "that was of another edition");
        cached.warm(&Context::silent()).unwrap();
        assert!(cached.is_cached(3) && cached.depth() == depth);
        check(&Square1Table::over(table(), cached), &complete, depth.unwrap_or(FARTHEST));
        assert_eq!(CachedTable::open(&store, layout, CacheMode::ReadOnly).is_ok(), depth.is_none());
    }
}

/// What asks for a complete table does not get another.
#[test]
fn a_bounded_table_is_no_complete_one() {
    let store = Store::open(BUILT[5].1.path());
    let refused = store.table(small().layout()).unwrap_err();
    assert_eq!(refused.class(), Class::Data);
    let Error::Data(fault) = &refused else { panic!("{refused}") };
    assert_eq!(fault.remedy, Remedy::build("square1-corners"));
    let text = refused.to_string();
    assert!(text.contains("depth 5"), "{text}");
}

/// By how much a table's depth may come short of the farthest distance for a test.
const SHORT: u8 = 5;

/// The distance, the neighbours, the counts and the solutions are those of the complete table.
#[test]
fn what_is_beyond_the_depth_is_searched_for() {
    let ctx = Context::silent();
    let complete = Square1Table::stored(&Store::open(BUILT[8].1.path()), table()).unwrap();
    for (depth, dir) in &BUILT[usize::from(FARTHEST - SHORT)..8] {
        let bounded = Arc::new(Square1Table::stored(&Store::open(dir.path()), table()).unwrap());
        let is_beyond = |position: &Position| bounded.is_beyond(position).unwrap();
        let (far, near): (Vec<_>, Vec<_>) = positions().into_iter().partition(is_beyond);
        assert!(far.iter().all(|at| complete.distance(at, MiddleGoal::Ignored).unwrap().twists() > depth.unwrap()));
        assert!(near.iter().all(|at| complete.distance(at, MiddleGoal::Ignored).unwrap().twists() <= depth.unwrap()));
        for (position, goal) in far.iter().take(12).flat_map(|at| [(at, MiddleGoal::Ignored), (at, MiddleGoal::Square)])
        {
            for neighbours in [false, true] {
                let request =
                    DeepeningRequest { goal, neighbours, deadline: None, max_nodes: None, memory: 1 << 30, ctx: &ctx };
                let Deepening::Reached(found) = bounded.deepened(position, request).unwrap() else { panic!("a bound") };
                assert_eq!(found.distance(position, goal).unwrap(), complete.distance(position, goal).unwrap());
                assert_eq!(found.count(position, goal, &ctx).unwrap(), complete.count(position, goal, &ctx).unwrap());
                let [listed, expected] = [
                    found.solutions(position, goal).unwrap().take(50).map(Result::unwrap).collect::<Vec<_>>(),
                    complete.solutions(position, goal).unwrap().take(50).map(Result::unwrap).collect::<Vec<_>>(),
                ];
                assert_eq!(listed, expected);
                if neighbours {
                    assert_eq!(found.moves(position, goal).unwrap(), complete.moves(position, goal).unwrap());
                }
            }
            // No bound is too high, and the more is searched, the better it is.
            let mut last = 0;
            for max_nodes in [0, 1, 10, 100] {
                let max_nodes = Some(max_nodes);
                let request =
                    DeepeningRequest { goal, neighbours: true, deadline: None, max_nodes, memory: 1 << 30, ctx: &ctx };
                let distance = complete.distance(position, goal).unwrap();
                match bounded.deepened(position, request).unwrap() {
                    Deepening::AtLeast(least) => {
                        assert!(depth.unwrap() < least.twists() && last <= least.twists() && least <= distance);
                        last = least.twists();
                    }
                    Deepening::Reached(found) => assert_eq!(found.distance(position, goal).unwrap(), distance),
                    Deepening::Known => panic!("the table does not know it"),
                }
            }
        }
        let request = DeepeningRequest {
            goal: MiddleGoal::Ignored,
            neighbours: true,
            deadline: None,
            max_nodes: None,
            memory: 1 << 30,
            ctx: &ctx,
        };
        assert!(matches!(bounded.deepened(&near[0], request), Ok(Deepening::Known)));
        if *depth == Some(FARTHEST - SHORT) {
            let small = bounded.deepened(&far[0], DeepeningRequest { memory: 100, ..request });
            assert_eq!(small.unwrap_err().class(), Class::Budget);
            let stopped = ctx.of_part();
            stopped.cancel();
            let ended = bounded.deepened(&far[0], DeepeningRequest { ctx: &stopped, ..request });
            // As far as it came by then; that it was cancelled, the context tells.
            assert!(matches!(ended, Ok(Deepening::AtLeast(_))));
        }
    }
}

/// What the program prints about lines of standard input.
fn piped(dir: &Path, args: &[&str], lines: &str) -> String {
    let mut input = tempfile::tempfile().unwrap();
    input.write_all(lines.as_bytes()).unwrap();
    input.rewind().unwrap();
    let ended = Ended::of(program(dir, args).stdin(input).output().unwrap());
    assert_eq!(ended.code, Some(0), "{args:?}: {}{}", ended.stdout, ended.stderr);
    ended.stdout
}

/// Every front asks the facade, which searches where it is asked to.
#[test]
fn the_program_searches_beyond_the_depth() {
    let far = "(1,0)/(3,3)/(-3,0)/(3,0)/(-1,2)/(3,0)/(1,1)/(2,0)/(3,0)/";
    let (bounded, complete) = (BUILT[3].1.path(), BUILT[8].1.path());
    for command in [
        &["query", SMALL, far][..],
        &["query", SMALL, far, "--json"],
        &["query", SMALL, far, "--json", "--exact", "--middle"],
        &["query", SMALL, far, "--solutions", "--limit", "100"],
        &["query", SMALL, far, "--solutions", "--exact", "--middle", "--limit", "100"],
        &["solve", SMALL, far],
        &["solve", SMALL, far, "--middle", "--json"],
    ] {
        assert_eq!(succeed(bounded, command).stdout, succeed(complete, command).stdout, "{command:?}");
    }
    let limited = succeed(bounded, &["solve", SMALL, far, "--time", "1m", "--max-nodes", "1000000"]).stdout;
    assert_eq!(limited, succeed(complete, &["solve", SMALL, far]).stdout);
    for command in
        [&["solve", SMALL, far, "--max-nodes", "1"][..], &["query", SMALL, far, "--exact", "--max-nodes", "1"]]
    {
        let ended = run(bounded, command);
        assert_eq!((ended.code, &*ended.stdout), (Some(7), ""), "{}", ended.stderr);
        assert!(ended.stderr.ends_with("at least 5 twists\n"), "{}", ended.stderr);
    }
    // Many positions: solved as they are, looked up unless a search is asked for.
    let lines = format!("{far}\n(1,0)/\n");
    let solved = piped(bounded, &["solve", SMALL, "-"], &lines);
    assert_eq!(solved, piped(complete, &["solve", SMALL, "-"], &lines));
    assert_eq!(
        piped(bounded, &["query", SMALL, "-", "--exact"], &lines),
        piped(complete, &["query", SMALL, "-"], &lines)
    );
    assert_eq!(run(complete, &["solve", SMALL, far, "--time", "1s"]).code, Some(2), "there is nothing to search");
}

#[test]
fn the_program_answers_or_says_how_to_go_on() {
    let dir = BUILT[3].1.path();
    let near = succeed(dir, &["query", SMALL, "(1,0)/(3,3)/(-3,0)/"]).stdout;
    assert!(near.contains("distance   3 twists") && near.contains("4 farther"), "{near}");
    for command in
        [&["query", "--no-exact"][..], &["query", "--solutions", "--no-exact"], &["query", "--metric", "wca"]]
    {
        let far = "(1,0)/(3,3)/(-3,0)/(3,0)/(-1,2)/(3,0)/(1,1)/(2,0)/(3,0)/";
        let ended = run(dir, &[command, &[SMALL, far]].concat());
        assert_eq!(ended.code, Some(4), "{}", ended.stdout);
        let said = ended.stderr.contains("farther than 3 twists, the depth of the table");
        assert!(said && ended.stderr.contains("run: twistbase build square1-corners"), "{}", ended.stderr);
        assert!(ended.stdout.is_empty());
    }
    let stats = succeed(dir, &["stats", SMALL]).stdout;
    assert!(stats.contains("2,700,078 positions are farther than 3 twists, the depth"), "{stats}");
    let stats = succeed(BUILT[1].1.path(), &["stats", SMALL]).stdout;
    assert!(stats.contains("positions are farther than 1 twist, the depth"), "{stats}");
    assert!(succeed(dir, &["stats", SMALL, "--rows"]).stdout.contains("farther"));
}
