//! Records of a table as batches of Apache Arrow.

use std::collections::HashMap;
use std::sync::Arc;

use arrow_array::{
    ArrayRef, ListArray, RecordBatch, RecordBatchReader, StringArray, UInt8Array, UInt32Array, UInt64Array,
};
use arrow_buffer::{Buffer, OffsetBuffer, ScalarBuffer};
use arrow_schema::{ArrowError, DataType, Field, FieldRef, Schema, SchemaRef};
use twistbase_core::error::{Error, Result};
use twistbase_export::{Column, ColumnKind, Fields, METADATA_KEY, RecordBatches, Texts};

/// The name of the texts of a list, as in Parquet.
const ELEMENT: &str = "element";

/// Records of a table as [batches](RecordBatch) of Apache Arrow: numbers are unsigned integers, texts `Utf8`, solutions a
/// `List` of `Utf8`; nothing is null. The schema's metadata have those of the export under `twistbase`.
///
/// An error is an [`ArrowError::ExternalError`] with an [`Error`] in it, and nothing follows.
///
/// ```
/// use arrow_array::RecordBatchReader;
/// use twistbase_arrow::ArrowBatches;
/// use twistbase_core::context::Context;
/// use twistbase_export::{RecordRequest, record_batches};
/// use twistbase_store::Store;
/// use twistbase_tables::{BuildRequest, build, find};
///
/// # let folder = tempfile::tempdir().unwrap();
/// # let folder = folder.path();
/// let (store, ctx) = (Store::open(folder), Context::silent());
/// let table = find("cube3-cross")?;
/// build(&store, table, &BuildRequest::default(), &ctx)?;
/// let records = record_batches(&store, table, &RecordRequest::default(), None, None, &ctx)?;
/// let batches = ArrowBatches::from(records);
/// assert_eq!(batches.schema().field(2).name(), "distance");
/// let records: usize = batches.map(|batch| batch.unwrap().num_rows()).sum();
/// assert_eq!(records, 190_080);
/// # Ok::<(), twistbase_core::error::Error>(())
/// ```
#[derive(Debug)]
pub struct ArrowBatches {
    schema: SchemaRef,
    batches: RecordBatches,
}

impl From<RecordBatches> for ArrowBatches {
    fn from(batches: RecordBatches) -> Self {
        let fields: Vec<Field> = batches.columns().iter().map(field).collect();
        let metadata = HashMap::from([(METADATA_KEY.to_owned(), batches.metadata().to_owned())]);
        Self { schema: Arc::new(Schema::new_with_metadata(fields, metadata)), batches }
    }
}

impl Iterator for ArrowBatches {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        let batch = self.batches.next()?.and_then(|batch| {
            let columns = batch.columns.into_iter().map(|(_, fields)| array(fields)).collect::<Result<_>>()?;
            RecordBatch::try_new(Arc::clone(&self.schema), columns).map_err(failed)
        });
        Some(batch.map_err(|error| ArrowError::ExternalError(Box::new(error))))
    }
}

impl RecordBatchReader for ArrowBatches {
    fn schema(&self) -> SchemaRef {
        Arc::clone(&self.schema)
    }
}

fn field(column: &Column) -> Field {
    let kind = match column.kind() {
        ColumnKind::Long => DataType::UInt64,
        ColumnKind::Word => DataType::UInt32,
        ColumnKind::Byte => DataType::UInt8,
        ColumnKind::Text => DataType::Utf8,
        ColumnKind::Texts => DataType::List(element()),
    };
    Field::new(column.name(), kind, false)
}

/// The texts of a list.
fn element() -> FieldRef {
    Arc::new(Field::new(ELEMENT, DataType::Utf8, false))
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

#[cfg(test)]
mod tests {
    use arrow_array::Array;
    use arrow_array::cast::AsArray;
    use arrow_array::types::{UInt8Type, UInt32Type, UInt64Type};

    use super::*;

    #[test]
    fn lists_of_texts_end_where_they_are_said_to() {
        let texts = ["R", "U'", "", "F2"].into_iter().collect();
        let lists = array(Fields::Texts(texts, vec![2, 2, 4])).unwrap();
        let lists = lists.as_list::<i32>();
        let of = |at: usize| lists.value(at).as_string::<i32>().iter().flatten().map(str::to_owned).collect::<Vec<_>>();
        assert_eq!([of(0), of(1), of(2)], [vec!["R", "U'"], vec![], vec!["", "F2"]]);
        assert_eq!((lists.len(), lists.null_count()), (3, 0));
    }

    #[test]
    fn numbers_keep_their_widths_and_texts_their_order() {
        let long = array(Fields::Long(vec![1, u64::MAX])).unwrap();
        assert_eq!(long.as_primitive::<UInt64Type>().values(), &[1, u64::MAX]);
        let word = array(Fields::Word(vec![u32::MAX])).unwrap();
        assert_eq!(word.as_primitive::<UInt32Type>().values(), &[u32::MAX]);
        let byte = array(Fields::Byte(vec![7, 255])).unwrap();
        assert_eq!(byte.as_primitive::<UInt8Type>().values(), &[7, 255]);
        let text = array(Fields::Text(["", "zwei"].into_iter().collect())).unwrap();
        assert_eq!(text.as_string::<i32>().iter().flatten().collect::<Vec<_>>(), ["", "zwei"]);
    }
}
