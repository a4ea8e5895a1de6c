//! Turning rows of nibbles into what the store writes, away from the one thread that writes.

use rayon::prelude::*;

use super::layout::TableLayout;
use super::record::RowRecord;
use super::segment::{self, Identity, PackedPage};
use crate::error::{Error, Result};
use crate::math::nibble;

/// Encodes rows: compression, checksums, histogram, digest. It can be shared by threads, and uses rayon's pool
/// itself; the bytes it produces do not depend on either.
#[derive(Debug, Clone, Copy)]
pub struct RowEncoder {
    layout: TableLayout,
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

    /// Histogram, digest and sizes of the row.
    pub fn record(&self) -> &RowRecord {
        &self.record
    }
}

impl RowEncoder {
    pub(super) fn new(layout: TableLayout, generation: u64) -> Self {
        Self { layout, generation }
    }

    /// Encodes a row of [`TableLayout::row_bytes`] bytes of nibbles, low nibble first.
    ///
    /// # Errors
    /// [`Error::Usage`] when the row does not exist or has another length; [`Error::Io`] when zstd finds no memory.
    pub fn encode(&self, row: u32, nibbles: &[u8]) -> Result<EncodedRow> {
        if row >= self.layout.rows || nibbles.len() != self.layout.row_bytes() {
            return Err(Error::Usage(format!(
                "row {row} of {} bytes does not belong to table {}: it has {} rows of {} bytes",
                nibbles.len(),
                self.layout.name,
                self.layout.rows,
                self.layout.row_bytes()
            )));
        }
        let identity = Identity::new(&self.layout, row, self.generation);
        let (packed, (digest, histogram)) = rayon::join(
            || pack_pages(&identity, nibbles),
            || (blake3::hash(nibbles).to_hex().to_string(), histogram(nibbles, self.layout.page_bytes())),
        );
        let packed = packed.map_err(|source| Error::io("compress", self.layout.name, source))?;
        let segments = segment::pack_row(&identity, &packed);
        let record = RowRecord {
            row,
            generation: self.generation,
            pages: self.layout.pages,
            histogram,
            digest,
            bytes: segments.iter().map(|(_, bytes)| bytes.len() as u64).sum(),
            segments: segments.iter().map(|&(first, _)| first).collect(),
        };
        Ok(EncodedRow { record, segments })
    }
}

fn pack_pages(identity: &Identity, nibbles: &[u8]) -> std::io::Result<Vec<PackedPage>> {
    nibbles
        .par_chunks_exact(identity.page_bytes)
        .enumerate()
        .map(|(page, nibbles)| segment::pack_page(identity, page as u32, nibbles))
        .collect()
}

/// The histogram of a row, counted page by page in parallel.
pub(super) fn histogram(nibbles: &[u8], page_bytes: usize) -> [u64; 16] {
    nibbles.par_chunks(page_bytes.max(4096)).map(nibble::histogram).reduce(
        || [0; 16],
        |mut sum, counts| {
            sum.iter_mut().zip(counts).for_each(|(total, count)| *total += count);
            sum
        },
    )
}
