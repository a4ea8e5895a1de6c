//! Solutions in face turns of positions near solved, compared with trying every turn and twist.

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use super::*;
use twistbase_levelset::Kernel;
use twistbase_puzzle::square1::{Colouring, Turn, random_walk};
use twistbase_store::RamTable;
use twistbase_tables::{self as tables, BuildDepth, Definition, GenerateOptions};

/// The puzzle of the corners, whose table takes a moment.
const COLOURING: Colouring = Colouring::Corners;

fn table() -> Square1Table<RamTable<Vec<u8>>> {
    let definition = tables::twists(COLOURING);
    let options = GenerateOptions { kernel: Kernel::detect(), memory: 1 << 30, scratch: Some(std::env::temp_dir()) };
    let mut rows = Vec::new();
    let mut generated = definition.generate(BuildDepth::WHOLE, &options, &Context::silent()).unwrap();
    let mut keep = |_: u32, row: &[u8], _: &twistbase_store::RowLevels| {
        rows.push(row.to_vec());
        Ok(())
    };
    generated.for_each_row(&mut keep).unwrap();
    Square1Table::in_memory(definition, rows).unwrap()
}

/// Whether it is solved as it lies.
fn is_solved(position: &Position) -> bool {
    position.middle() == Middle::Square && position.solving_turn(COLOURING).is_some_and(Turn::is_none)
}

/// What was moved last.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Last {
    Top,
    Bottom,
    /// A twist, or nothing.
    Twist,
}

/// Whether at most this number of moves solve a position: a turn of the bottom after one of the top, and none twice.
fn is_solved_within(at: &Position, left: u8, last: Option<Last>) -> bool {
    if is_solved(at) {
        return true;
    }
    let Some(left) = left.checked_sub(1) else { return false };
    let after = |turn: Turn, moved: Last| is_solved_within(&at.turn(turn), left, Some(moved));
    let may_turn = matches!(last, None | Some(Last::Twist));
    may_turn && (1..12).any(|amount| after(Turn::new(amount, 0), Last::Top))
        || last != Some(Last::Bottom) && (1..12).any(|amount| after(Turn::new(0, amount), Last::Bottom))
        || last != Some(Last::Twist)
            && at.twist().is_some_and(|twisted| is_solved_within(&twisted, left, Some(Last::Twist)))
}

/// Solved, turned, and after walks of one and of two twists.
fn starts() -> Vec<Position> {
    let mut rng = ChaCha8Rng::seed_from_u64(45);
    let turns = [(0, 0), (3, 0), (1, -2), (0, 6)].map(|(top, bottom)| Position::SOLVED.turn(Turn::new(top, bottom)));
    let walks = [1, 1, 1, 2, 2, 2, 2].map(|twists| random_walk(&mut rng, twists).1);
    turns.into_iter().chain(walks).collect()
}

#[test]
fn solutions_in_face_turns_are_shortest() {
    let table = table();
    let mut lengths = Vec::new();
    for start in starts() {
        let fewest = (0..=6).find(|&moves| is_solved_within(&start, moves, None)).expect("it is near");
        lengths.push(fewest);
        for parallel in [false, true] {
            let mut depths = Vec::new();
            let limits = FaceLimits { parallel, ..FaceLimits::default() };
            let mut tell = |told: FaceDepth| depths.push(told.depth);
            let found = solve_by_face_turns(&table, &start, &limits, &Context::silent(), &mut tell).unwrap();
            assert_eq!((found.at_least, found.stopped), (fewest, None), "{start:?}");
            let solution = found.solution.unwrap();
            assert_eq!(solution.face_moves(), usize::from(fewest), "{start:?}: {solution}");
            assert!(is_solved(&solution.apply(&start).unwrap()), "{start:?}: {solution}");
            let are_told_in_turn = depths.windows(2).all(|two| two[0] + 1 == two[1]);
            assert!(are_told_in_turn && depths.iter().all(|&depth| depth < fewest), "{start:?}: {depths:?}");
        }
    }
    assert!(lengths[..4] == [0, 1, 2, 1] && lengths.iter().any(|&length| length > 3), "{lengths:?}");
}

#[test]
fn budgets_and_interrupts_end_a_search_in_face_turns() {
    let table = table();
    // What turns alone solve needs no search.
    let is_searched = |start: &Position| start.middle() == Middle::Kite || start.solving_turn(COLOURING).is_none();
    let searched: Vec<_> = starts().into_iter().filter(is_searched).collect();
    assert!(searched.len() > 2);
    for start in searched {
        for limits in [
            FaceLimits { max_nodes: Some(1), ..FaceLimits::default() },
            FaceLimits { deadline: Some(Instant::now()), ..FaceLimits::default() },
        ] {
            let spent = solve_by_face_turns(&table, &start, &limits, &Context::silent(), &mut |_| {}).unwrap();
            assert_eq!(spent.stopped, Some(FaceStop::Budget), "{start:?}");
            assert!(is_solved_within(&start, 6, None) && !is_solved_within(&start, spent.at_least.max(1) - 1, None));
        }
        let ctx = Context::silent();
        ctx.cancel();
        let interrupted = solve_by_face_turns(&table, &start, &FaceLimits::default(), &ctx, &mut |_| {}).unwrap();
        assert_eq!((interrupted.solution, interrupted.stopped), (None, Some(FaceStop::Interrupted)));
    }
}
