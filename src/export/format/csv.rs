//! Comma-separated values (RFC 4180, but lines end with a line feed alone).

use csv::WriterBuilder;

use super::append_number;
use crate::batch::{Field, RecordBatch};
use crate::columns::Column;
use twistbase_core::error::{Error, Result};

/// What stands between the solutions in a field: no notation has it.
const BETWEEN: char = ';';

/// The line of names.
pub(super) fn head(columns: &[Column]) -> Result<Vec<u8>> {
    let mut writer = WriterBuilder::new().from_writer(Vec::new());
    writer.write_record(columns.iter().map(|column| column.name())).map_err(failed)?;
    writer.into_inner().map_err(|error| failed(error.into_error().into()))
}

/// A line for each record.
pub(super) fn lines(batch: &RecordBatch) -> Result<Vec<u8>> {
    let mut writer = WriterBuilder::new().from_writer(Vec::with_capacity(32 * batch.records));
    let (mut number, mut joined) = (Vec::new(), String::new());
    for record in 0..batch.records {
        for (_, fields) in &batch.columns {
            let field = match fields.get(record) {
                Field::Number(value) => {
                    number.clear();
                    append_number(value, &mut number);
                    number.as_slice()
                }
                Field::Text(text) => text.as_bytes(),
                Field::Texts(texts, range) => {
                    joined.clear();
                    for at in range {
                        if !joined.is_empty() {
                            joined.push(BETWEEN);
                        }
                        joined.push_str(texts.get(at));
                    }
                    joined.as_bytes()
                }
            };
            writer.write_field(field).map_err(failed)?;
        }
        writer.write_record(None::<&[u8]>).map_err(failed)?;
    }
    writer.into_inner().map_err(|error| failed(error.into_error().into()))
}

/// Writing to memory does not fail.
fn failed(error: csv::Error) -> Error {
    Error::io("write", "the export", std::io::Error::other(error))
}
