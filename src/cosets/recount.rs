//! Checking a result by counting its small depths once more.

use rand::SeedableRng;
use rand::seq::IteratorRandom;
use rand_chacha::ChaCha8Rng;

use super::CosetDatabase;
use super::record::CosetRecord;
use twistbase_core::context::Context;
use twistbase_core::error::{DataError, Error, Result, collect_faults};
use twistbase_puzzle::cube3::Metric;
use twistbase_puzzle::cube3::coordinate::CosetOfH;
use twistbase_query::DeepRequest;
use twistbase_solve::{CosetLevel, CosetMode, CosetOptions, CosetSolver, TableBytes};
use twistbase_tables::{self as tables, Definition};

/// Levels to this one are counted again, and the first one in any case: that takes milliseconds.
const RECOUNTED: u8 = 5;

/// Counts the first exact levels of a result again, by a plain search into a set of positions. Returns the difference, if
/// any. `phase1` are the bytes of that table.
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
    let positions = |levels: &[CosetLevel], depth| {
        levels.iter().find(|level| level.depth == depth).map_or(Some(0), |level| level.positions)
    };
    let mut depths =
        (0..=depth).map(|depth| (depth, positions(&record.levels, depth), positions(&counted.levels, depth)));
    Ok(depths.find(|(_, recorded, counted)| recorded.is_some() && recorded != counted).map(
        |(depth, recorded, counted)| {
            let [recorded, counted] = [recorded, counted].map(Option::unwrap_or_default);
            format!("{recorded} positions are stored for depth {depth}, but {counted} are counted")
        },
    ))
}

impl CosetDatabase {
    /// Counts small depths of results once more: of all `results` of them, or of the random sample in the request.
    /// Returns the number of results and their faults. Needs the table `phase1`.
    ///
    /// # Errors
    /// As [`TableBytes::open`]; [`Error::Interrupted`].
    pub fn recount(&self, request: &DeepRequest, results: u32, ctx: &Context) -> Result<(u32, Vec<DataError>)> {
        if results == 0 {
            return Ok((0, Vec::new()));
        }
        let layout = tables::phase_one(Metric::Htm).layout();
        let phase1 = TableBytes::open(&self.store, layout, self.cache, ctx)?;
        let total = request.rows.map_or(results, |rows| rows.min(results));
        ctx.progress().begin("counting cosets again", total.into(), "cosets");
        let checked = collect_faults(|found| {
            let mut one = |record: CosetRecord| -> Result<()> {
                ctx.check()?;
                if let Some(difference) = recount(phase1.as_ref(), &record, ctx)? {
                    found(self.results.contradicted(record.coset, difference));
                }
                ctx.progress().advance(1);
                Ok(())
            };
            match request.rows {
                None => self.results.iter().try_for_each(|record| one(record?))?,
                Some(rows) => {
                    let mut rng = ChaCha8Rng::seed_from_u64(request.seed);
                    let drawn = self.results.iter().filter_map(Result::ok).sample(&mut rng, rows as usize);
                    drawn.into_iter().try_for_each(one)?;
                }
            }
            Ok(total)
        })?;
        ctx.progress().end();
        Ok(checked)
    }
}
