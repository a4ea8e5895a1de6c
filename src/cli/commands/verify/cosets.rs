//! `verify` for results about cosets.

use std::time::Instant;

use rand::SeedableRng;
use rand::seq::IteratorRandom;
use rand_chacha::ChaCha8Rng;
use twistbase::context::Context;
use twistbase::error::{DataError, Error, Result, collect_faults};
use twistbase::puzzle::cube3::Metric;
use twistbase::query::DeepRequest;
use twistbase::solve::{TableBytes, recount};
use twistbase::store::{COSETS_NAME, CosetRecord, Store};
use twistbase::tables::{self, Definition};

use super::{CacheMode, Summary};
use crate::cli::format;

/// How many records are there, and what is wrong with them. That there are none is an error.
pub fn check(store: &Store, ctx: &Context) -> Result<(u32, Vec<DataError>)> {
    collect_faults(|found| store.cosets().verify(ctx, found))
}

/// Checks the results, and their small depths if that is asked for.
pub fn verify(store: &Store, deep: Option<&DeepRequest>, ctx: &Context) -> Result<(Summary, Vec<DataError>)> {
    let started = Instant::now();
    let (rows, mut faults) = check(store, ctx)?;
    let mut deep_rows = 0;
    if let Some(request) = deep
        && faults.is_empty()
    {
        (deep_rows, faults) = collect_faults(|found| recount_all(store, request, rows, ctx, found))?;
    }
    let summary = Summary {
        table: COSETS_NAME,
        intact: faults.is_empty(),
        rows,
        pages: 0,
        cached_files: 0,
        deep_rows,
        deep_positions: 0,
        faults: faults.len() as u64,
        seconds: started.elapsed().as_secs_f64(),
    };
    Ok((summary, faults))
}

/// Counts small depths of results once more: of all, or of some drawn at random. Returns of how many.
fn recount_all(
    store: &Store,
    request: &DeepRequest,
    count: u32,
    ctx: &Context,
    found: &mut dyn FnMut(Error),
) -> Result<u32> {
    let phase1 = TableBytes::open(store, tables::phase_one(Metric::Htm).layout(), CacheMode::OnDemand, ctx)?;
    let results = store.cosets();
    let total = request.rows.map_or(count, |rows| rows.min(count));
    ctx.progress().begin("counting cosets again", total.into(), "cosets");
    let mut one = |record: CosetRecord| -> Result<()> {
        ctx.check()?;
        if let Some(difference) = recount(phase1.as_ref(), &record, ctx)? {
            found(results.contradicted(record.coset, difference));
        }
        ctx.progress().advance(1);
        Ok(())
    };
    match request.rows {
        None => results.iter().try_for_each(|record| one(record?))?,
        Some(rows) => {
            let mut rng = ChaCha8Rng::seed_from_u64(request.seed);
            let drawn = results.iter().filter_map(Result::ok).sample(&mut rng, rows as usize);
            drawn.into_iter().try_for_each(one)?;
        }
    }
    ctx.progress().end();
    Ok(total)
}

/// What was checked, in a sentence.
pub fn summary_text(summary: &Summary) -> String {
    let mut scope = format::counted(summary.rows, "result");
    if summary.deep_rows > 0 {
        scope += &format!(", {} of them counted again", format::grouped(summary.deep_rows.into()));
    }
    super::verdict(summary, &scope)
}
