//! The indices of entries that are selected.

use super::batch::{Fields, RecordBatch};
use super::columns::Column;
use super::partial_file::Resumed;
use super::{RecordRequest, RecordSource, Selection, each_batch, of_table};
use twistbase_cache::CacheMode;
use twistbase_core::context::Context;
use twistbase_core::error::Result;
use twistbase_store::Store;
use twistbase_tables::Definition;

/// The indices of the entries of a table that are selected, in order: those of the records that an export of the same
/// selection has.
///
/// # Errors
/// [`Error::Usage`](twistbase_core::Error::Usage) for a selection that makes no sense, and for a sample of more than there are;
/// [`Error::Data`](twistbase_core::Error::Data) if the table cannot be read; [`Error::Interrupted`](twistbase_core::Error::Interrupted).
pub fn select(
    store: &Store,
    table: &'static dyn Definition,
    selection: &Selection,
    cache: CacheMode,
    ctx: &Context,
) -> Result<Vec<u64>> {
    let columns = vec![Column::Index];
    let request = RecordRequest { columns, selection: selection.clone(), cache, ..RecordRequest::default() };
    let source = RecordSource { sample: selection.sample, lines: None };
    let (of_table, mut indices) = (of_table(store, table, &request)?, Vec::new());
    each_batch(&*of_table, source, &Resumed::default(), ctx, &|batch| Ok(of_records(batch)), &mut |of_batch, _| {
        indices.extend(of_batch);
        Ok(())
    })?;
    Ok(indices)
}

/// The indices of records, of which they are the only fields.
fn of_records(batch: RecordBatch) -> Vec<u64> {
    let indices = |fields| if let Fields::Long(indices) = fields { indices } else { Vec::new() };
    batch.columns.into_iter().flat_map(|(_, fields)| indices(fields)).collect()
}
