//! Apache Parquet: a row group for each batch.
//!
//! A batch is written as a file of its own in memory. The bytes between that file's magic and its footer are the row group
//! as in any file, except for the offsets of its columns, which only the footer has.

use std::sync::Arc;

use ::parquet::basic::{Compression, ZstdLevel};
use ::parquet::data_type::{ByteArray, ByteArrayType, DataType, Int32Type, Int64Type};
use ::parquet::errors::ParquetError;
use ::parquet::file::metadata::{
    FileMetaData, KeyValue, ParquetMetaData, ParquetMetaDataReader, ParquetMetaDataWriter, RowGroupMetaData,
};
use ::parquet::file::properties::{EnabledStatistics, WriterProperties, WriterVersion};
use ::parquet::file::writer::{SerializedColumnWriter, SerializedFileWriter};
use ::parquet::schema::parser::parse_message_type;
use ::parquet::schema::types::{SchemaDescriptor, TypePtr};
use bytes::Bytes;

use super::METADATA_KEY;
use crate::batch::{Fields, RecordBatch, Texts};
use crate::columns::{Column, ColumnKind};
use twistbase_core::error::{Error, Result};
use twistbase_store::CREATOR;

/// What a file begins and ends with.
pub(super) const MAGIC: [u8; 4] = *b"PAR1";
/// The fastest: those above it take much longer, for files that are hardly smaller.
const ZSTD_LEVEL: i32 = 1;
/// The version of the format that the crate writes into footers for [`WriterVersion::PARQUET_1_0`].
const FORMAT_VERSION: i32 = 1;

/// The schema of a file.
fn schema(columns: &[Column]) -> Result<TypePtr, ParquetError> {
    let field = |column: &Column| {
        let name = column.name();
        match column.kind() {
            ColumnKind::Long => format!("required int64 {name} (INTEGER(64,false));"),
            ColumnKind::Word => format!("required int32 {name} (INTEGER(32,false));"),
            ColumnKind::Byte => format!("required int32 {name} (INTEGER(8,false));"),
            ColumnKind::Text => format!("required binary {name} (UTF8);"),
            ColumnKind::Texts => {
                format!("required group {name} (LIST) {{ repeated group list {{ required binary element (UTF8); }} }}")
            }
        }
    };
    let fields: String = columns.iter().map(field).collect();
    Ok(Arc::new(parse_message_type(&format!("message twistbase {{ {fields} }}"))?))
}

pub(crate) fn properties() -> Result<WriterProperties, ParquetError> {
    Ok(WriterProperties::builder()
        .set_created_by(CREATOR.to_owned())
        .set_writer_version(WriterVersion::PARQUET_1_0)
        .set_compression(Compression::ZSTD(ZstdLevel::try_new(ZSTD_LEVEL)?))
        .set_dictionary_enabled(false)
        .set_statistics_enabled(EnabledStatistics::Chunk)
        .set_offset_index_disabled(true)
        .build())
}

/// The bytes of a row group, and the footer of a file that begins with [`MAGIC`] and these bytes.
pub(super) fn row_group(batch: &RecordBatch) -> Result<(Vec<u8>, Vec<u8>)> {
    let file = write_file(batch).map_err(failed)?;
    let ends = MAGIC.len() + size_of::<u32>();
    let length = file.len().checked_sub(ends).and_then(|at| file[at..].first_chunk().copied()).map(u32::from_le_bytes);
    let footer = length.and_then(|length| file.len().checked_sub(ends + length as usize));
    let footer =
        footer.filter(|&start| start >= MAGIC.len()).ok_or_else(|| failed(ParquetError::EOF(String::new())))?;
    Ok((file[MAGIC.len()..footer].to_vec(), file[footer..file.len() - ends].to_vec()))
}

fn write_file(batch: &RecordBatch) -> Result<Vec<u8>, ParquetError> {
    let columns: Vec<Column> = batch.columns.iter().map(|(column, _)| *column).collect();
    let mut writer = SerializedFileWriter::new(Vec::new(), schema(&columns)?, Arc::new(properties()?))?;
    let mut group = writer.next_row_group()?;
    for (_, fields) in &batch.columns {
        let mut column = group.next_column()?.ok_or_else(|| ParquetError::General("a column is missing".to_owned()))?;
        write_column(&mut column, fields)?;
        column.close()?;
    }
    group.close()?;
    writer.into_inner()
}

fn write_column(column: &mut SerializedColumnWriter<'_>, fields: &Fields) -> Result<(), ParquetError> {
    match fields {
        // Unsigned numbers are stored as the signed ones of the same bits.
        Fields::Long(numbers) => {
            write::<Int64Type>(column, &numbers.iter().map(|&n| n as i64).collect::<Vec<_>>(), None)
        }
        Fields::Word(numbers) => {
            write::<Int32Type>(column, &numbers.iter().map(|&n| n as i32).collect::<Vec<_>>(), None)
        }
        Fields::Byte(numbers) => {
            write::<Int32Type>(column, &numbers.iter().map(|&n| n.into()).collect::<Vec<_>>(), None)
        }
        Fields::Text(texts) => write::<ByteArrayType>(column, &byte_arrays(texts), None),
        Fields::Texts(texts, ends) => {
            // Every list has an element, and the first element of each begins a record.
            let mut repetition = vec![1; texts.len()];
            for &start in [0].iter().chain(ends).take(ends.len()) {
                repetition[start] = 0;
            }
            write::<ByteArrayType>(column, &byte_arrays(texts), Some(&repetition))
        }
    }
}

fn write<T: DataType>(
    column: &mut SerializedColumnWriter<'_>,
    values: &[T::T],
    repetition: Option<&[i16]>,
) -> Result<(), ParquetError> {
    let definition = repetition.map(|levels| vec![1; levels.len()]);
    column.typed::<T>().write_batch(values, definition.as_deref(), repetition)?;
    Ok(())
}

fn byte_arrays(texts: &Texts) -> Vec<ByteArray> {
    let all = Bytes::copy_from_slice(texts.text.as_bytes());
    (0..texts.len()).map(|at| ByteArray::from(all.slice(texts.range(at)))).collect()
}

/// What a file of these row groups ends with. `footers` are what [`row_group`] returned, each with where the bytes that
/// belong to it begin in the file.
pub(super) fn footer(columns: &[Column], footers: &[(u64, Vec<u8>)], metadata: &str) -> Result<Vec<u8>> {
    file_footer(columns, footers, metadata).map_err(failed)
}

fn file_footer(columns: &[Column], footers: &[(u64, Vec<u8>)], metadata: &str) -> Result<Vec<u8>, ParquetError> {
    let schema = Arc::new(SchemaDescriptor::new(schema(columns)?));
    let groups: Vec<_> = footers.iter().map(|(start, footer)| moved(footer, *start)).collect::<Result<_, _>>()?;
    let records = groups.iter().map(RowGroupMetaData::num_rows).sum();
    let pairs = vec![KeyValue::new(METADATA_KEY.to_owned(), metadata.to_owned())];
    let file = FileMetaData::new(FORMAT_VERSION, records, Some(CREATOR.to_owned()), Some(pairs), schema, None);
    let mut bytes = Vec::new();
    ParquetMetaDataWriter::new(&mut bytes, &ParquetMetaData::new(file, groups)).finish()?;
    Ok(bytes)
}

/// The row group of a footer, as it is when its bytes begin at `start` instead of behind the magic.
fn moved(footer: &[u8], start: u64) -> Result<RowGroupMetaData, ParquetError> {
    let alone = ParquetMetaDataReader::decode_metadata(footer)?;
    let [group] = alone.row_groups() else {
        return Err(ParquetError::General("a batch is not one row group".to_owned()));
    };
    let by = i64::try_from(start)? - MAGIC.len() as i64;
    let columns = group.columns().iter().map(|column| {
        let at = column.data_page_offset() + by;
        column.clone().into_builder().set_data_page_offset(at).build()
    });
    // Without its number, which is 0 in a file of its own and may not exceed 16 bits: readers count by themselves.
    RowGroupMetaData::builder(group.schema_descr_ptr())
        .set_num_rows(group.num_rows())
        .set_total_byte_size(group.total_byte_size())
        .set_column_metadata(columns.collect::<Result<_, _>>()?)
        .set_file_offset(start as i64)
        .build()
}

fn failed(error: ParquetError) -> Error {
    Error::io("write", "the export", std::io::Error::other(error))
}
