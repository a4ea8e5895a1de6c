//! Plain breadth-first search over positions as arrays, against the tables.

use std::collections::HashMap;

use twistbase::context::Context;
use twistbase::puzzle::square1::{CanonicalPieces, Colouring, Middle, Position};
use twistbase::query::{MiddleGoal, Square1Table};
use twistbase::store::Entries;
use twistbase::tables::Definition;

use crate::support::{CORNERS, CUBE21};

/// What the oracle knows of a position: its distance, and its shortest paths to solved, counted by alignments.
#[derive(Clone, Copy)]
struct Known {
    distance: u8,
    alignments: u128,
    example: Position,
}

/// Every position up to `levels` twists from solved, up to turns and turning over, found by turning and twisting.
fn search(colouring: Colouring, levels: u8) -> HashMap<CanonicalPieces, Known> {
    let key = |position: &Position| position.canonical_pieces().least(colouring);
    let solved = Known { distance: 0, alignments: 1, example: Position::SOLVED };
    let mut known = HashMap::from([(key(&Position::SOLVED), solved)]);
    let mut level = vec![Position::SOLVED];
    for distance in 1..=levels {
        let mut next = Vec::new();
        for position in &level {
            let alignments = known[&key(position)].alignments;
            for turn in position.distinct_alignments() {
                let reached = position.turn(turn).twist().expect("an alignment").with_middle(Middle::Square);
                let entry = known.entry(key(&reached)).or_insert_with(|| {
                    next.push(reached);
                    Known { distance, alignments: 0, example: reached }
                });
                // A twist undone is a twist, so paths from solved and paths to it are as many.
                if entry.distance == distance {
                    entry.alignments += alignments;
                }
            }
        }
        level = next;
    }
    known
}

fn compare<E: Entries>(table: &Square1Table<E>, levels: u8, counted: usize) {
    let known = search(table.colouring(), levels);
    let mut sizes = vec![0; usize::from(levels) + 1];
    for (i, found) in known.values().enumerate() {
        let distance = table.distance(&found.example, MiddleGoal::Ignored).expect("an answer").twists();
        assert_eq!(distance, found.distance, "{:?}", found.example);
        sizes[usize::from(distance)] += 1;
        if i % counted == 0 {
            let counts = table.count(&found.example, MiddleGoal::Ignored, &Context::silent()).expect("counts");
            assert_eq!(counts.alignments, found.alignments, "{:?}", found.example);
        }
    }
    let expected = &table.definition().expected().expect("known").positions;
    assert_eq!(sizes[..], expected[..sizes.len()]);
}

#[test]
fn first_levels_of_cube21_and_their_numbers_of_solutions() {
    compare(&CUBE21.stored(), 4, 101);
}

#[test]
fn half_the_levels_of_the_corners() {
    compare(&CORNERS.loaded(), 4, 101);
}

#[test]
#[ignore = "tier two: all positions of the corners as arrays"]
fn full_every_position_of_the_corners() {
    compare(&CORNERS.loaded(), 8, 1009);
}

/// 1,406,978 positions, each turned and twisted as arrays.
#[test]
#[ignore = "tier two: 1.4 million positions as arrays"]
fn full_five_twists_of_cube21() {
    compare(&CUBE21.loaded(), 5, 101);
}
