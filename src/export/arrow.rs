//! Records as batches of Apache Arrow, made on a thread of their own as far as a reader asks for them.

use std::collections::HashMap;
use std::panic::resume_unwind;
use std::sync::Arc;
use std::thread::JoinHandle;

use arrow_array::{ArrayRef, ListArray, RecordBatchReader, StringArray, UInt8Array, UInt32Array, UInt64Array};
use arrow_buffer::{Buffer, OffsetBuffer, ScalarBuffer};
use arrow_schema::{ArrowError, DataType, Field as ArrowField, FieldRef, Schema, SchemaRef};
use crossbeam::channel::{Receiver, Sender, bounded};

use super::batch::{Fields, RecordBatch, Texts};
use super::columns::{Column, ColumnKind};
use super::format::METADATA_KEY;
use super::metadata::Metadata;
use super::partial_file::Resumed;
use super::records::Records;
use super::{PositionLines, RecordRequest, RecordSource, check_records, each_batch, of_table};
use twistbase_core::context::Context;
use twistbase_core::error::{Error, Result};
use twistbase_core::threads;
use twistbase_store::Store;
use twistbase_tables::Definition;

/// What the metadata call the format.
const FORMAT: &str = "arrow";
/// The name of the texts of a list, as in Parquet.
const ELEMENT: &str = "element";

type BatchResult = Result<arrow_array::RecordBatch>;

/// Runs what makes batches, and blocks a thread while nobody reads, in threads of a host:
/// `Box::new(move |make| pool.install(make))`.
pub type RunIn = Box<dyn FnOnce(&mut (dyn FnMut() + Send)) + Send>;

/// Records of a table as [batches](arrow_array::RecordBatch) of Apache Arrow, in the order of an export and with its
/// columns: numbers are unsigned integers, texts `Utf8`, solutions a `List` of `Utf8`; nothing is null. The schema's
/// metadata have those of the export under `twistbase`.
///
/// They are made in waves of a few batches a thread, when the wave before has been read: a reader that is slow holds
/// them back, and dropping it ends them. An error is an [`ArrowError::ExternalError`] with an [`Error`] in it, and
/// nothing follows.
#[derive(Debug)]
pub struct RecordBatches {
    schema: SchemaRef,
    batches: Receiver<BatchResult>,
    thread: Option<JoinHandle<()>>,
    ctx: Context,
}

/// Records of a table, or of the positions in `lines`, as batches of Apache Arrow, made in the threads of `run_in`, or of
/// rayon's global pool. Leaves out entries beyond the depth of a table that was built to one.
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
    let schema = Arc::new(schema(&run.chosen().columns, metadata));
    let (sender, batches) = bounded(1);
    let (sample, to, ctx) = (request.selection.sample, Arc::clone(&schema), ctx.of_part());
    let (run_in, of_thread) = (run_in.unwrap_or_else(|| Box::new(|make| make())), ctx.clone());
    let mut send = move || send(&*run, RecordSource { sample, lines: lines.as_mut() }, &to, &sender, &of_thread);
    let thread = threads::start(FORMAT, move || run_in(&mut send));
    let thread = Some(thread.map_err(|source| Error::io("start a thread for", "record batches", source))?);
    Ok(RecordBatches { schema, batches, thread, ctx })
}

/// Makes the batches, and waits for each until there is room for it or nobody reads any more.
fn send(
    run: &dyn Records,
    source: RecordSource<'_, '_>,
    schema: &SchemaRef,
    sender: &Sender<BatchResult>,
    ctx: &Context,
) {
    let encode = |batch| encode(batch, schema);
    let outcome = each_batch(run, source, &Resumed::default(), ctx, &encode, &mut |batch, _| {
        if batch.num_rows() == 0 {
            return Ok(());
        }
        sender.send(Ok(batch)).map_err(|_| Error::Interrupted)
    });
    if let Err(error) = outcome {
        // Nobody need be there to hear it.
        let _ = sender.send(Err(error));
    }
}

impl Iterator for RecordBatches {
    type Item = Result<arrow_array::RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        if let Ok(batch) = self.batches.recv() {
            return Some(batch.map_err(|error| ArrowError::ExternalError(Box::new(error))));
        }
        // A thread that panicked has not sent all: that must not look like the end.
        let ended = self.thread.take().map_or(Ok(()), JoinHandle::join);
        ended.map_or_else(|panic| resume_unwind(panic), |()| None)
    }
}

impl RecordBatchReader for RecordBatches {
    fn schema(&self) -> SchemaRef {
        Arc::clone(&self.schema)
    }
}

impl Drop for RecordBatches {
    fn drop(&mut self) {
        self.ctx.cancel();
    }
}

fn schema(columns: &[Column], metadata: String) -> Schema {
    let fields: Vec<ArrowField> = columns.iter().map(field).collect();
    Schema::new_with_metadata(fields, HashMap::from([(METADATA_KEY.to_owned(), metadata)]))
}

fn field(column: &Column) -> ArrowField {
    let kind = match column.kind() {
        ColumnKind::Long => DataType::UInt64,
        ColumnKind::Word => DataType::UInt32,
        ColumnKind::Byte => DataType::UInt8,
        ColumnKind::Text => DataType::Utf8,
        ColumnKind::Texts => DataType::List(element()),
    };
    ArrowField::new(column.name(), kind, false)
}

/// The texts of a list.
fn element() -> FieldRef {
    Arc::new(ArrowField::new(ELEMENT, DataType::Utf8, false))
}

fn encode(batch: RecordBatch, schema: &SchemaRef) -> BatchResult {
    let columns = batch.columns.into_iter().map(|(_, fields)| array(fields)).collect::<Result<_>>()?;
    arrow_array::RecordBatch::try_new(Arc::clone(schema), columns).map_err(failed)
}

fn array(fields: Fields) -> Result<ArrayRef> {
    Ok(match fields {
        Fields::Long(numbers) => Arc::new(UInt64Array::from(numbers)),
        Fields::Word(numbers) => Arc::new(UInt32Array::from(numbers)),
        Fields::Byte(numbers) => Arc::new(UInt8Array::from(numbers)),
        Fields::Text(texts) => Arc::new(strings(texts)?),
        Fields::Texts(texts, ends) => {
            let strings = Arc::new(strings(texts)?);
            Arc::new(ListArray::try_new(element(), offsets(&ends)?, strings, None).map_err(failed)?)
        }
    })
}

fn strings(texts: Texts) -> Result<StringArray> {
    let (text, ends) = texts.into_parts();
    StringArray::try_new(offsets(&ends)?, Buffer::from_vec(text.into_bytes()), None).map_err(failed)
}

/// Where each of some texts or lists begins, and the last ends.
fn offsets(ends: &[usize]) -> Result<OffsetBuffer<i32>> {
    let all = [0].iter().chain(ends).map(|&end| i32::try_from(end)).collect::<Result<Vec<i32>, _>>();
    let all =
        all.map_err(|_| Error::Budget("the texts of a batch exceed 2 GiB; set a limit of solutions".to_owned()))?;
    Ok(OffsetBuffer::new(ScalarBuffer::from(all)))
}

fn failed(error: ArrowError) -> Error {
    Error::io("make", "record batches", std::io::Error::other(error))
}
