//! The indices of entries that are selected.

use super::answers::Answers;
use super::batch::{Fields, RecordBatch};
use super::columns::Column;
use super::partial_file::Resumed;
use super::run::RecordExport;
use super::{RecordRequest, RecordSource, Selection, WithAnswers, answered, each_batch};
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
    answered(store, table, false, cache, Indices { selection, cache, ctx })
}

/// Collects the indices of records.
struct Indices<'r> {
    selection: &'r Selection,
    cache: CacheMode,
    ctx: &'r Context,
}

impl WithAnswers for Indices<'_> {
    type Output = Vec<u64>;

    fn with<A: Answers + Send + 'static>(self, answers: A) -> Result<Vec<u64>> {
        let Self { selection, cache, ctx } = self;
        let request = RecordRequest {
            columns: vec![Column::Index],
            selection: selection.clone(),
            cache,
            ..RecordRequest::default()
        };
        let run = RecordExport::new(answers, &request)?;
        let source = RecordSource { sample: selection.sample, lines: None };
        let mut indices = Vec::new();
        each_batch(&run, source, &Resumed::default(), ctx, &|batch| Ok(of_records(batch)), &mut |of_batch, _| {
            indices.extend(of_batch);
            Ok(())
        })?;
        Ok(indices)
    }
}

/// The indices of records, of which they are the only fields.
fn of_records(batch: RecordBatch) -> Vec<u64> {
    let indices = |fields| if let Fields::Long(indices) = fields { indices } else { Vec::new() };
    batch.columns.into_iter().flat_map(|(_, fields)| indices(fields)).collect()
}
