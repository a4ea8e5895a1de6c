//! `verify` for results about cosets.

use std::time::Instant;

use twistbase::Database;
use twistbase::context::Context;
use twistbase::cosets::{COSETS_NAME, CosetDatabase};
use twistbase::error::{DataError, Result};
use twistbase::query::DeepRequest;
use twistbase::store::Store;

use super::Summary;
use crate::cli::format;

fn database(store: &Store) -> Result<CosetDatabase> {
    Ok(Database::open(store.dir())?.cosets())
}

/// How many records are there, and what is wrong with them. That there are none is an error.
pub fn check(store: &Store, ctx: &Context) -> Result<(u32, Vec<DataError>)> {
    database(store)?.verify(ctx)
}

/// Checks the results, and their small depths if that is asked for.
pub fn verify(store: &Store, deep: Option<&DeepRequest>, ctx: &Context) -> Result<(Summary, Vec<DataError>)> {
    let started = Instant::now();
    let cosets = database(store)?;
    let (rows, mut faults) = cosets.verify(ctx)?;
    let mut deep_rows = 0;
    if let Some(request) = deep
        && faults.is_empty()
    {
        (deep_rows, faults) = cosets.recount(request, rows, ctx)?;
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

/// What was checked, in a sentence.
pub fn summary_text(summary: &Summary) -> String {
    let mut scope = format::counted(summary.rows, "result");
    if summary.deep_rows > 0 {
        scope += &format!(", {} of them counted again", format::grouped(summary.deep_rows.into()));
    }
    super::verdict(summary, &scope)
}
