use rand::SeedableRng;
use rand::seq::IndexedRandom;
use rand_chacha::ChaCha8Rng;

use super::near::NearSolved;
use super::side::{Alignments, made};
use super::*;
use twistbase_puzzle::square1::{Colouring, Turn, TwistSequence, random_position};

/// Half a circle more before any twists leads to the same position, one side up or the other, and is the same sequence up to that.
#[test]
fn half_a_circle_more_changes_the_side_alone() {
    let mut rng = ChaCha8Rng::seed_from_u64(6);
    for _ in 0..200 {
        let (start, mut at, mut turns) = (random_position(&mut rng), None, Vec::new());
        for _ in 0..5 {
            let position: Position = at.unwrap_or(start);
            let alignments: Vec<Turn> = position.distinct_alignments().collect();
            let turn = *alignments.choose(&mut rng).expect("an alignment");
            turns.push(turn);
            at = position.turn(turn).twist();
        }
        let least = |position: &Position| position.canonical_pieces().least(Colouring::Square1);
        let (steps, end) = made(&start, &turns, &[]).expect("alignments");
        let written = Alignments::of(&TwistSequence::new(steps));
        let mut ends = Vec::new();
        for more in [&[][..], &[3], &[4], &[3, 4], &[0, 2], &[0, 1, 2, 3, 4]] {
            let (steps, other) = made(&start, &turns, more).expect("the same alignments");
            assert_eq!(least(&other), least(&end));
            let begins_with_turn = matches!(steps.first(), Some(Step::Turn(_)));
            if begins_with_turn != turns[0].is_none() {
                assert_eq!(Alignments::of(&TwistSequence::new(steps)), written, "{turns:?} {more:?}");
            }
            ends.push(other);
        }
        // The last two decide: upright and turned over, both turned by half a circle or not.
        let half = Turn::new(6, 6);
        let four = [end, end.turn_over().turn(half), end.turn_over(), end.turn(half)];
        assert_eq!(ends[..4], [four[0], four[2], four[1], four[3]]);
    }
}

#[test]
fn what_is_near_solved_is_listed_as_it_is_counted() {
    let near = NearSolved::of(Colouring::Square1);
    assert_eq!(near.distance(&Position::SOLVED), Some(0));
    assert_eq!(near.distance(&Position::SOLVED.turn(Turn::new(1, 2))), Some(1));
    assert_eq!(near.distance(&Position::SOLVED.turn_over()), None);
    // Turned over, it takes two twists and two turns, of which either may be the first or the last move.
    let over = Position::SOLVED.turn_over();
    let solutions: Vec<String> =
        near.solutions(&over, 4).iter().map(|solution| solution.sequence().to_string()).collect();
    assert_eq!(solutions, ["/ (6, 6) / (6, 6)", "(6, 6) / (6, 6) /"]);
    assert_eq!(near.count(&over, 4).alignments, 2);
    assert_eq!(near.count(&Position::SOLVED, 0), SolutionCounts { alignments: 1, sequences: 1, paths: 1 });
}
