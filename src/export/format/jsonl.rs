//! A JSON object a line: `schema/json/export-record.json`.

use std::io;

use super::append_number;
use crate::batch::{Field, RecordBatch};
use twistbase_core::error::{Error, Result};

/// A line for each record.
pub(super) fn lines(batch: &RecordBatch) -> Result<Vec<u8>> {
    let mut out = Vec::with_capacity(64 * batch.records);
    for record in 0..batch.records {
        for (at, (column, fields)) in batch.columns.iter().enumerate() {
            out.push(if at == 0 { b'{' } else { b',' });
            text(column.name(), &mut out)?;
            out.push(b':');
            match fields.get(record) {
                Field::Number(value) => append_number(value, &mut out),
                Field::Text(value) => text(value, &mut out)?,
                Field::Texts(texts, range) => {
                    out.push(b'[');
                    for (at, number) in range.enumerate() {
                        if at > 0 {
                            out.push(b',');
                        }
                        text(texts.get(number), &mut out)?;
                    }
                    out.push(b']');
                }
            }
        }
        out.extend_from_slice(b"}\n");
    }
    Ok(out)
}

fn text(text: &str, out: &mut Vec<u8>) -> Result<()> {
    serde_json::to_writer(out, text).map_err(|error| Error::io("write", "the export", io::Error::from(error)))
}
