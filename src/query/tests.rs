//! Tables with right checksums that give every position the same distance: every question reports that no move leads nearer, and
//! never answers.

use std::fmt::Debug;

use super::*;
use twistbase_core::context::Context;
use twistbase_core::error::{Error, Fault, Result};
use twistbase_puzzle::cube3::Metric;
use twistbase_puzzle::cube3::coordinate::PhaseTwoPosition;
use twistbase_puzzle::square1::Colouring;
use twistbase_store::Entries;
use twistbase_tables::{self as tables, Definition};

/// Every entry holds the same.
pub(super) struct Same(pub u8);

impl Entries for Same {
    fn get(&self, _row: u32, _entry: u64) -> Result<u8> {
        Ok(self.0)
    }
}

fn assert_damaged<T: Debug>(answer: Result<T>, table: &dyn Definition) {
    let error = answer.expect_err("no move leads nearer");
    let Error::Data(data) = &error else { panic!("{error}") };
    assert!(data.fault == Fault::Damaged && error.to_string().contains(table.layout().name), "{error}");
}

#[test]
fn solutions_of_the_small_cube_are_not_none() {
    for metric in [Metric::Htm, Metric::Qtm] {
        let definition = tables::cube2(metric);
        let table = DefinedDistances::over(definition, Same(3));
        assert_damaged(table.count(definition.space().solved(), &Context::silent()), definition);
        assert_damaged(table.solutions(definition.space().solved()).unwrap().collect::<Result<Vec<_>>>(), definition);
    }
}

#[test]
fn solutions_in_h_are_not_none() {
    for metric in [Metric::Htm, Metric::Qtm] {
        let definition = tables::phase_two(metric, true);
        let table = cube3::PhaseTwo::over(definition, Same(3));
        assert_damaged(table.count(&PhaseTwoPosition::SOLVED, &Context::silent()), definition);
        let all = table.solutions(&PhaseTwoPosition::SOLVED);
        assert_damaged(all.and_then(|all| all.collect::<Result<Vec<_>>>()), definition);
    }
}

#[test]
fn solutions_of_square1_are_not_none() {
    for colouring in Colouring::ALL {
        let definition = tables::twists(colouring);
        let table = Square1Table::over(definition, Same(3));
        let position = parse(definition, "(1,0)/(3,3)/(-1,0)/").unwrap().position;
        let goal = MiddleGoal::Ignored;
        assert_damaged(table.count(&position, goal, &Context::silent()), definition);
        assert_damaged(table.solutions(&position, goal).unwrap().collect::<Result<Vec<_>>>(), definition);
    }
}
