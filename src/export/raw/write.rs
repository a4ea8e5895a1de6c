//! Writing a whole table.

use std::path::Path;

use serde_json::json;

use super::header::{MAGIC, RawHeader, RowHeader, record, version_of};
use crate::Exported;
use crate::partial_file::{Appended, PartialFile};
use twistbase_core::context::Context;
use twistbase_core::error::{DataError, Error, Fault, Remedy, Result};
use twistbase_store::{CREATOR, Entries, RecordSlot, Store, StoredTable};
use twistbase_tables::Definition;

/// Writes a whole table, complete or built to a depth, as it is packed. An interrupted export is
/// resumed at its first missing row.
///
/// # Errors
/// [`Error::Usage`] if the file is there already or another export was begun in its place, unless `force` is set;
/// [`Error::Data`] if the table cannot be read; [`Error::Busy`]; [`Error::Io`]; [`Error::Interrupted`].
pub fn export_raw(
    store: &Store,
    table: &'static dyn Definition,
    path: &Path,
    force: bool,
    ctx: &Context,
) -> Result<Exported> {
    let stored = store.table_to_depth(table.layout())?;
    let version = version_of(stored.depth());
    let request = json!({ "raw": version, "table": table.layout().name, "digest": stored.manifest().digest });
    let mut part = PartialFile::open(path, None, &request.to_string(), force, ctx)?;
    let resumed = part.resumed().clone();
    let begun = part.write_head(|| head(&stored));
    let name = table.layout().name;
    ctx.progress().begin(&format!("exporting {name}"), table.layout().rows.into(), "rows");
    ctx.progress().advance(resumed.batches);
    let outcome = begun.and_then(|()| write_rows(&stored, resumed.batches, &mut part, ctx));
    ctx.progress().end();
    if let Err(error) = outcome {
        part.stop(&error);
        return Err(error);
    }
    let records = part.records();
    let (bytes, digest) = part.publish_digested()?;
    Ok(Exported { records, resumed: resumed.records, bytes, digest: Some(digest) })
}

fn head(stored: &StoredTable) -> Result<Vec<u8>> {
    let manifest = stored.manifest().clone();
    let header = RawHeader {
        version: version_of(manifest.depth),
        creator: CREATOR.to_owned(),
        geometry: manifest.geometry,
        depth: manifest.depth,
        distribution: manifest.distribution,
        entries_by_level: manifest.entries_by_level,
        parameters: manifest.parameters,
        depends_on: manifest.depends_on,
        digest: manifest.digest,
    };
    let record = record(RecordSlot::RawHeader, &header).map_err(|source| Error::io("write", "the header", source))?;
    Ok([&MAGIC, record.as_slice()].concat())
}

fn write_rows(stored: &StoredTable, done: u64, part: &mut PartialFile, ctx: &Context) -> Result<()> {
    let layout = *stored.layout();
    let mut bytes = vec![0; layout.row_bytes()];
    // Rows done are fewer than there are.
    for row in done as u32..layout.rows {
        ctx.check()?;
        stored.read_row(row, &mut bytes)?;
        let known = stored.row_record(row)?;
        if blake3::hash(&bytes).to_hex().as_str() != known.digest {
            return Err(damaged(&layout, stored.path(), row));
        }
        let (levels, positions) = (known.levels.clone(), known.positions.clone());
        let header = RowHeader { row, levels, positions, digest: known.digest.clone() };
        let record = record(RecordSlot::RawRow(layout.name, row), &header)
            .map_err(|e| Error::io("write", "a row's header", e))?;
        let row = Appended { batches: 1, records: layout.row_entries(), ..Appended::default() };
        part.append(&[&record, &bytes], row)?;
        ctx.progress().advance(1);
    }
    Ok(())
}

fn damaged(layout: &twistbase_store::TableLayout, file: Option<&Path>, row: u32) -> Error {
    let (detail, remedy) = ("the row does not match its digest", Remedy::replace(layout.name));
    let error = DataError::new(Fault::Damaged, layout.name, detail, remedy);
    DataError { file: file.map(Path::to_path_buf), row: Some(row), ..error }.into()
}
