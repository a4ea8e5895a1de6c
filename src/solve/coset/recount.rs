//! Checking a result by counting its small depths once more.

use super::{CosetMode, CosetOptions, CosetSolver};
use crate::context::Context;
use crate::error::{Error, Result};
use crate::puzzle::cube3::coordinate::CosetOfH;
use crate::store::CosetRecord;

/// Levels to this one are counted again, and the first one in any case: that takes milliseconds.
const RECOUNTED: u8 = 5;

/// Counts the first levels of a result again, as far as it is exact, by a plain search into a set of positions; says in what
/// it differs, if it does. `phase1` are the bytes of that table.
///
/// # Errors
/// [`Error::Usage`] if the result is about no coset or the bytes are of another length; [`Error::Interrupted`].
pub fn recount(phase1: &[u8], record: &CosetRecord, ctx: &Context) -> Result<Option<String>> {
    let coset = CosetOfH::from_number(record.coset)
        .ok_or_else(|| Error::Usage(format!("there is no coset {}", record.coset)))?;
    let first = record.levels.first().map_or(0, |level| level.depth);
    let Some(depth) = record.exact_to.map(|exact| exact.min(first.max(RECOUNTED))) else { return Ok(None) };
    let options = CosetOptions { mode: CosetMode::Set, search_depth: depth, depth, ..CosetOptions::default() };
    let representative = coset.representative();
    let counted = CosetSolver::new(phase1, options)?.solve(&representative, None, ctx, &mut |_| Ok(()))?;
    let positions = |levels: &[crate::store::CosetLevel], depth| {
        levels.iter().find(|level| level.depth == depth).map_or(Some(0), |level| level.positions)
    };
    let mut depths =
        (0..=depth).map(|depth| (depth, positions(&record.levels, depth), positions(&counted.levels, depth)));
    Ok(depths.find(|(_, recorded, counted)| recorded.is_some() && recorded != counted).map(
        |(depth, recorded, counted)| {
            let [recorded, counted] = [recorded, counted].map(Option::unwrap_or_default);
            format!("{recorded} positions at depth {depth}, where {counted} are counted")
        },
    ))
}
