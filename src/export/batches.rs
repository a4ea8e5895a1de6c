//! Records as batches, made on a thread of their own as far as a reader asks for them.

use std::panic::resume_unwind;
use std::thread::JoinHandle;

use crossbeam::channel::{Receiver, Sender, bounded};

use super::batch::RecordBatch;
use super::columns::Column;
use super::metadata::Metadata;
use super::partial_file::Resumed;
use super::records::Records;
use super::{PositionLines, RecordRequest, RecordSource, check_records, each_batch, of_table};
use twistbase_core::context::Context;
use twistbase_core::error::{Error, Result};
use twistbase_core::threads;
use twistbase_store::Store;
use twistbase_tables::Definition;

/// What the metadata call the format: batches are read as Apache Arrow.
const FORMAT: &str = "arrow";

/// Runs what makes batches, and blocks a thread while nobody reads, in threads of a host:
/// `Box::new(move |make| pool.install(make))`.
pub type RunIn = Box<dyn FnOnce(&mut (dyn FnMut() + Send)) + Send>;

/// Records of a table in batches, in the order of an export and with its columns.
///
/// They are made in waves of a few batches a thread, when the wave before has been read: a reader that is slow holds
/// them back, and dropping it ends them. Nothing follows an error.
#[derive(Debug)]
pub struct RecordBatches {
    columns: Vec<Column>,
    metadata: String,
    batches: Receiver<Result<RecordBatch>>,
    thread: Option<JoinHandle<()>>,
    ctx: Context,
}

/// Records of a table, or of the positions in `lines`, as batches, made in the threads of `run_in`, or of rayon's global
/// pool. Leaves out entries beyond the depth of a table that was built to one.
///
/// # Errors
/// [`Error::Usage`] for a request that makes no sense; [`Error::Data`] if the table cannot be opened; [`Error::Io`]
/// where there is no thread to be had. The batches can fail as those of [`export`](super::export()).
pub fn record_batches(
    store: &Store,
    table: &'static dyn Definition,
    request: &RecordRequest,
    mut lines: Option<PositionLines<'static>>,
    run_in: Option<RunIn>,
    ctx: &Context,
) -> Result<RecordBatches> {
    check_records(request, lines.is_some())?;
    let run = of_table(store, table, request)?;
    let metadata = Metadata::new(&*run, request, FORMAT, false, lines.is_some()).json()?;
    let columns = run.chosen().columns.clone();
    let (sender, batches) = bounded(1);
    let (sample, ctx) = (request.selection.sample, ctx.of_part());
    let (run_in, of_thread) = (run_in.unwrap_or_else(|| Box::new(|make| make())), ctx.clone());
    let mut send = move || send(&*run, RecordSource { sample, lines: lines.as_mut() }, &sender, &of_thread);
    let thread = threads::start("batches", move || run_in(&mut send));
    let thread = Some(thread.map_err(|source| Error::io("start a thread for", "record batches", source))?);
    Ok(RecordBatches { columns, metadata, batches, thread, ctx })
}

/// Makes the batches, and waits for each until there is room for it or nobody reads any more.
fn send(run: &dyn Records, source: RecordSource<'_, '_>, sender: &Sender<Result<RecordBatch>>, ctx: &Context) {
    let outcome = each_batch(run, source, &Resumed::default(), ctx, &Ok, &mut |batch, _| {
        if batch.records == 0 {
            return Ok(());
        }
        sender.send(Ok(batch)).map_err(|_| Error::Interrupted)
    });
    if let Err(error) = outcome {
        // Nobody need be there to hear it.
        let _ = sender.send(Err(error));
    }
}

impl RecordBatches {
    /// The columns that every batch has, in this order.
    pub fn columns(&self) -> &[Column] {
        &self.columns
    }

    /// The metadata of the export as JSON: `schema/json/export-metadata.json`.
    pub fn metadata(&self) -> &str {
        &self.metadata
    }
}

impl Iterator for RecordBatches {
    type Item = Result<RecordBatch>;

    fn next(&mut self) -> Option<Self::Item> {
        if let Ok(batch) = self.batches.recv() {
            return Some(batch);
        }
        // A thread that panicked has not sent all: that must not look like the end.
        let ended = self.thread.take().map_or(Ok(()), JoinHandle::join);
        ended.map_or_else(|panic| resume_unwind(panic), |()| None)
    }
}

impl Drop for RecordBatches {
    fn drop(&mut self) {
        self.ctx.cancel();
    }
}
