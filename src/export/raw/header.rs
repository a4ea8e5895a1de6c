//! The records of a raw file: its header and what stands before each row.

use std::collections::BTreeMap;
use std::io::{self, Read};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use twistbase_store::{Geometry, RecordSlot, RowLevels, seal, unseal};

/// What a raw file begins with.
pub(super) const MAGIC: [u8; 8] = *b"TWBRAW\r\n";
/// The version of the format of complete tables.
const VERSION: u32 = 1;
/// The version of the format of tables that are built to a depth.
pub(super) const DEPTH_VERSION: u32 = 2;

/// The version of the format of a table that is complete, or built to a depth.
pub(super) const fn version_of(depth: Option<u8>) -> u32 {
    match depth {
        None => VERSION,
        Some(_) => DEPTH_VERSION,
    }
}
/// The longest record that is read: what a damaged length can ask for.
const LONGEST_RECORD: u32 = 1 << 20;
/// Bytes of the BLAKE3 at the end.
pub(super) const DIGEST_BYTES: usize = 32;

/// The header: the table as its manifest describes it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct RawHeader {
    pub version: u32,
    pub creator: String,
    pub geometry: Geometry,
    /// The depth to which the table is built; none if it is complete.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub depth: Option<u8>,
    /// Positions at each distance.
    pub distribution: Vec<u64>,
    /// Entries at each distance.
    pub entries_by_level: Vec<u64>,
    pub parameters: serde_json::Value,
    pub depends_on: BTreeMap<String, String>,
    /// The table's digest.
    pub digest: String,
}

/// The one member of a header that every version keeps.
#[derive(Debug, Deserialize)]
pub(super) struct VersionOnly {
    pub version: u32,
}

/// What stands before the bytes of a row.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct RowHeader {
    pub row: u32,
    /// Entries at each distance.
    pub levels: Vec<u64>,
    /// Positions at each distance.
    pub positions: Vec<u64>,
    /// BLAKE3 of the row's bytes, in hexadecimal.
    pub digest: String,
}

impl RowHeader {
    pub fn row_levels(&self) -> RowLevels {
        RowLevels { entries: self.levels.clone(), positions: self.positions.clone() }
    }
}

/// A record as it stands in the file: its length, then its seal and its JSON.
pub(super) fn record<T: Serialize>(slot: RecordSlot<'_>, record: &T) -> io::Result<Vec<u8>> {
    let sealed = seal(slot, record)?;
    let length = u32::try_from(sealed.len()).ok().filter(|&length| length <= LONGEST_RECORD);
    let length = length.ok_or_else(|| io::Error::other("a record is too long"))?;
    Ok([&length.to_le_bytes(), sealed.as_slice()].concat())
}

/// Reads the sealed bytes of a record; no more memory is taken than there are bytes.
///
/// # Errors
/// What the reader says; [`io::ErrorKind::InvalidData`] for a length that no record has.
pub(super) fn read_sealed(reader: &mut impl Read) -> io::Result<Vec<u8>> {
    let mut length = [0; 4];
    reader.read_exact(&mut length)?;
    let length = u32::from_le_bytes(length);
    if length > LONGEST_RECORD {
        return Err(io::Error::new(io::ErrorKind::InvalidData, "a record's length is out of range"));
    }
    let mut sealed = Vec::new();
    reader.take(length.into()).read_to_end(&mut sealed)?;
    if sealed.len() != length as usize { Err(io::ErrorKind::UnexpectedEof.into()) } else { Ok(sealed) }
}

/// Parses a record.
///
/// # Errors
/// What is wrong with it.
pub(super) fn parse<T: DeserializeOwned>(slot: RecordSlot<'_>, sealed: &[u8]) -> Result<T, String> {
    unseal(slot, sealed)
}
