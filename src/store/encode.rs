//! Turning rows into what the store writes, away from the one thread that writes.

use rayon::prelude::*;

use super::layout::TableLayout;
use super::record::{RowLevels, RowRecord};
use super::segment::{self, Identity, PackedPage};
use twistbase_core::error::{Error, Result};

/// Encodes rows: compression, checksums, histogram, digest. It can be shared by threads, and uses rayon's pool
/// itself; the bytes it produces do not depend on either.
#[derive(Debug, Clone, Copy)]
pub struct RowEncoder {
    layout: TableLayout,
    depth: Option<u8>,
    generation: u64,
}

/// A row ready to be written with [`Builder::put_row`](super::Builder::put_row).
#[derive(Debug, Clone)]
pub struct EncodedRow {
    pub(super) record: RowRecord,
    pub(super) segments: Vec<(u32, Vec<u8>)>,
}

impl EncodedRow {
    /// The row's number.
    pub fn row(&self) -> u32 {
        self.record.row
    }

    /// Histogram, levels, digest and sizes of the row.
    pub fn record(&self) -> &RowRecord {
        &self.record
    }
}

impl RowEncoder {
    pub(super) fn new(layout: TableLayout, depth: Option<u8>, generation: u64) -> Self {
        Self { layout, depth, generation }
    }

    /// Encodes a row of [`TableLayout::row_bytes`] bytes, packed as [`TableLayout::packing`] says, whose entries and
    /// positions are at the distances that `levels` says.
    ///
    /// # Errors
    /// [`Error::Usage`] when the row does not exist, has another length, holds bytes that are not entries or padding
    /// that is not 0, or `levels` do not fit it; [`Error::Io`] when zstd finds no memory.
    pub fn encode(&self, row: u32, row_bytes: &[u8], levels: &RowLevels) -> Result<EncodedRow> {
        if row >= self.layout.rows || row_bytes.len() != self.layout.row_bytes() {
            return Err(Error::Usage(format!(
                "row {row} of {} bytes does not belong to table {}: it has {} rows of {} bytes",
                row_bytes.len(),
                self.layout.name,
                self.layout.rows,
                self.layout.row_bytes()
            )));
        }
        let refuse = |reason| Error::Usage(format!("row {row} of table {} is not valid: {reason}", self.layout.name));
        let identity = Identity::new(&self.layout, row, self.generation);
        let (packed, (digest, histogram)) = rayon::join(
            || pack_pages(&identity, row_bytes),
            || (blake3::hash(row_bytes).to_hex().to_string(), histogram(&self.layout, row_bytes)),
        );
        let histogram = histogram.map_err(|reason| refuse(reason.to_owned()))?;
        levels.check(&self.layout, self.depth, &histogram).map_err(refuse)?;
        let packed = packed.map_err(|source| Error::io("compress", self.layout.name, source))?;
        let segments = segment::pack_row(&self.layout, &identity, &packed);
        let record = RowRecord {
            row,
            generation: self.generation,
            pages: self.layout.pages,
            histogram,
            levels: levels.entries.clone(),
            positions: levels.positions.clone(),
            digest,
            bytes: segments.iter().map(|(_, bytes)| bytes.len() as u64).sum(),
            segments: segments.iter().map(|&(first, _)| first).collect(),
        };
        Ok(EncodedRow { record, segments })
    }
}

fn pack_pages(identity: &Identity, row_bytes: &[u8]) -> std::io::Result<Vec<PackedPage>> {
    row_bytes
        .par_chunks_exact(identity.page_bytes)
        .enumerate()
        .map(|(page, bytes)| segment::pack_page(identity, page as u32, bytes))
        .collect()
}

/// The histogram of a row without its padding, or why its bytes are not a row of the table.
pub fn histogram(layout: &TableLayout, row_bytes: &[u8]) -> Result<[u64; 16], &'static str> {
    let entries = layout.row_entries();
    let padding = entries..entries + u64::from(layout.padding);
    let mut counts = layout.packing.histogram(row_bytes).ok_or("the row holds bytes that are not entries")?;
    if !padding.into_iter().all(|entry| layout.packing.get(row_bytes, entry) == Some(0)) {
        return Err("the row's padding is not zero");
    }
    counts[0] -= u64::from(layout.padding);
    Ok(counts)
}
