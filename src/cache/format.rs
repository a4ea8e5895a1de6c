//! The bytes of a cache file. `schema/cache.md` draws them.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::Path;

use rustix::fs::OFlags;
use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

use super::units::Units;
use twistbase_store::StoredTable;

/// Bytes of the header, one page of memory: the payload behind it is page-aligned.
pub(super) const HEADER_BYTES: usize = 4096;

/// Bytes that share a hash: a page of memory. A look-up far from all others then reads, verifies and keeps no more than that.
pub(super) const BLOCK_BYTES: usize = 1 << 12;

/// The version of this format; it is also part of the file names, so that another version's files are never opened.
pub(super) const FORMAT_VERSION: u32 = 3;

const MAGIC: [u8; 8] = *b"twbrow\x1A\n";

/// Stored as a little-endian number: a program that wrote numbers in another order would be noticed.
const BYTE_ORDER_TAG: u32 = 0x0A0B_0C0D;

/// The place of the header's own hash: its last eight bytes.
const HEADER_HASH_AT: usize = HEADER_BYTES - 8;

/// Where the fields that say which unit this is begin and end; they are compared as a whole.
const IDENTITY: std::ops::Range<usize> = 16..88;

/// Which unit a file holds, in which edition of the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct UnitIdentity {
    pub table: u16,
    pub spec_version: u32,
    pub uuid: [u8; 16],
    pub generation: u64,
    pub unit: u32,
    pub payload: u64,
}

impl UnitIdentity {
    pub fn of(table: &StoredTable, unit: u32) -> Self {
        let layout = table.layout();
        Self {
            table: layout.id,
            spec_version: layout.spec_version,
            uuid: *table.uuid().as_bytes(),
            generation: table.manifest().generation,
            unit,
            payload: Units::of(layout).bytes() as u64,
        }
    }

    pub fn blocks(&self) -> usize {
        self.payload.div_ceil(BLOCK_BYTES as u64) as usize
    }

    /// The file's exact length: header, payload, a hash of eight bytes per block.
    pub fn file_bytes(&self) -> u64 {
        HEADER_BYTES as u64 + self.payload + 8 * self.blocks() as u64
    }

    /// The identifying fields as they stand in the header, at [`IDENTITY`].
    fn fields(&self) -> [u8; IDENTITY.end - IDENTITY.start] {
        let mut fields = [0; IDENTITY.end - IDENTITY.start];
        let mut at = 0;
        let mut put = |bytes: &[u8]| {
            fields[at..at + bytes.len()].copy_from_slice(bytes);
            at += bytes.len();
        };
        put(&self.table.to_le_bytes());
        put(&[0, 0]);
        put(&self.spec_version.to_le_bytes());
        put(&self.uuid);
        put(&self.generation.to_le_bytes());
        put(&self.unit.to_le_bytes());
        put(&(BLOCK_BYTES as u32).to_le_bytes());
        put(&(HEADER_BYTES as u64).to_le_bytes());
        put(&self.payload.to_le_bytes());
        put(&(HEADER_BYTES as u64 + self.payload).to_le_bytes());
        put(&self.file_bytes().to_le_bytes());
        fields
    }

    /// What hashes the blocks of the payload.
    pub fn hasher(&self) -> BlockHasher {
        BlockHasher { seed: xxh3_64(&self.fields()) }
    }

    /// The header of a file with these block hashes.
    pub fn header(&self, hashes: &[u8]) -> Vec<u8> {
        let mut header = vec![0; HEADER_BYTES];
        header[..8].copy_from_slice(&MAGIC);
        header[8..12].copy_from_slice(&FORMAT_VERSION.to_le_bytes());
        header[12..16].copy_from_slice(&BYTE_ORDER_TAG.to_le_bytes());
        header[IDENTITY].copy_from_slice(&self.fields());
        header[IDENTITY.end..IDENTITY.end + 8].copy_from_slice(&self.root(hashes).to_le_bytes());
        let hash = xxh3_64(&header[..HEADER_HASH_AT]);
        header[HEADER_HASH_AT..].copy_from_slice(&hash.to_le_bytes());
        header
    }

    fn root(&self, hashes: &[u8]) -> u64 {
        xxh3_64_with_seed(hashes, xxh3_64(&self.fields()))
    }
}

/// Hashes blocks of one unit.
#[derive(Debug, Clone, Copy)]
pub(super) struct BlockHasher {
    seed: u64,
}

impl BlockHasher {
    /// The hash of a block, bound to the unit, the edition and the block's number.
    pub fn hash(self, block: usize, bytes: &[u8]) -> u64 {
        xxh3_64_with_seed(bytes, self.seed.wrapping_add(block as u64))
    }
}

/// What a file turned out to be.
#[derive(Debug)]
pub(super) enum Probe {
    /// The unit asked for; its payload is not verified yet.
    Valid(Opened),
    /// Of another edition of the table, or of another table.
    Stale,
    /// Not a file that was published, or no longer what was published.
    Damaged(&'static str),
    /// Nothing.
    Absent,
}

/// A cache file whose header and block hashes are verified.
#[derive(Debug)]
pub(super) struct Opened {
    pub file: File,
    /// Bytes of the payload.
    pub payload: usize,
    pub hasher: BlockHasher,
    /// The hash that each block must have.
    pub hashes: Vec<u64>,
}

/// Opens a file and checks everything but the payload.
///
/// # Errors
/// When the system refuses: no permission, too many open files, a failing disk.
pub(super) fn probe(path: &Path, identity: &UnitIdentity) -> io::Result<Probe> {
    // A link would let the file be changed elsewhere. NONBLOCK: opening a pipe must not wait.
    let flags = (OFlags::NOFOLLOW | OFlags::NONBLOCK).bits() as i32;
    let file = match OpenOptions::new().read(true).custom_flags(flags).open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Probe::Absent),
        Err(error) if error.raw_os_error() == Some(rustix::io::Errno::LOOP.raw_os_error()) => {
            return Ok(Probe::Damaged("the file is a symbolic link"));
        }
        Err(error) => return Err(error),
    };
    let found = file.metadata()?;
    if !found.is_file() || found.len() < HEADER_BYTES as u64 {
        return Ok(Probe::Damaged("the file is not a regular file with a header"));
    }
    let mut header = vec![0; HEADER_BYTES];
    file.read_exact_at(&mut header, 0)?;
    if let Some(fault) = header_fault(&header) {
        return Ok(Probe::Damaged(fault));
    }
    if header[IDENTITY] != identity.fields() {
        return Ok(Probe::Stale);
    }
    if found.len() != identity.file_bytes() {
        return Ok(Probe::Damaged("its length differs from its header"));
    }
    read_hashes(file, identity, &header)
}

fn header_fault(header: &[u8]) -> Option<&'static str> {
    if header[..8] != MAGIC {
        Some("it is not a cache file")
    } else if header[8..12] != FORMAT_VERSION.to_le_bytes() || header[12..16] != BYTE_ORDER_TAG.to_le_bytes() {
        Some("its format is that of another version")
    } else if header[HEADER_HASH_AT..] != xxh3_64(&header[..HEADER_HASH_AT]).to_le_bytes() {
        Some("its header does not match its hash")
    } else {
        None
    }
}

fn read_hashes(file: File, identity: &UnitIdentity, header: &[u8]) -> io::Result<Probe> {
    let mut bytes = vec![0; 8 * identity.blocks()];
    file.read_exact_at(&mut bytes, HEADER_BYTES as u64 + identity.payload)?;
    if header[IDENTITY.end..IDENTITY.end + 8] != identity.root(&bytes).to_le_bytes() {
        return Ok(Probe::Damaged("its block hashes do not match their root hash"));
    }
    let (hashes, _) = bytes.as_chunks::<8>();
    let hashes = hashes.iter().map(|&hash| u64::from_le_bytes(hash)).collect();
    let payload = usize::try_from(identity.payload).map_err(io::Error::other)?;
    Ok(Probe::Valid(Opened { file, payload, hasher: identity.hasher(), hashes }))
}

#[cfg(test)]
mod tests {
    use super::*;

    const IDENTITY_OF_A_UNIT: UnitIdentity =
        UnitIdentity { table: 1, spec_version: 1, uuid: [7; 16], generation: 1, unit: 0, payload: 64 };

    /// Equal bytes at another place, of another unit or another edition have another hash: none stands in for the other.
    #[test]
    fn a_hash_of_a_block_tells_where_it_belongs() {
        let identity =
            UnitIdentity { table: 3, spec_version: 1, uuid: [7; 16], generation: 1, unit: 5, payload: 3 << 16 };
        let bytes = [0x44; 1000];
        let all = [
            identity.hasher().hash(0, &bytes),
            identity.hasher().hash(1, &bytes),
            identity.hasher().hash(2, &bytes),
            UnitIdentity { unit: 6, ..identity }.hasher().hash(0, &bytes),
            UnitIdentity { generation: 2, ..identity }.hasher().hash(0, &bytes),
            UnitIdentity { uuid: [8; 16], ..identity }.hasher().hash(0, &bytes),
            UnitIdentity { table: 4, ..identity }.hasher().hash(0, &bytes),
        ];
        let different: std::collections::HashSet<u64> = all.into_iter().collect();
        assert_eq!(different.len(), all.len());
    }

    /// A link in a file's place is replaced; an error of the system is reported.
    #[test]
    fn a_link_is_damage_and_a_refusal_an_error() {
        let dir = tempfile::tempdir().unwrap();
        let [file, link] = ["file", "link"].map(|name| dir.path().join(name));
        assert!(matches!(probe(&file, &IDENTITY_OF_A_UNIT), Ok(Probe::Absent)));
        std::fs::write(&file, b"").unwrap();
        std::os::unix::fs::symlink(&file, &link).unwrap();
        assert!(matches!(probe(&link, &IDENTITY_OF_A_UNIT), Ok(Probe::Damaged("the file is a symbolic link"))));
        let refused = probe(&file.join("within"), &IDENTITY_OF_A_UNIT).map(|_| ()).unwrap_err();
        assert_eq!(refused.kind(), io::ErrorKind::NotADirectory);
    }

    /// Another version's or machine's file may have a hash that is right.
    #[test]
    fn headers_of_other_formats_are_refused_though_their_hash_is_right() {
        let right = IDENTITY_OF_A_UNIT.header(&[0; 8]);
        assert_eq!(header_fault(&right), None);
        for (byte, reason) in [(0, "not a cache file"), (8, "another version"), (12, "another version")] {
            let mut header = right.clone();
            header[byte] ^= 1;
            let hash = xxh3_64(&header[..HEADER_HASH_AT]);
            header[HEADER_HASH_AT..].copy_from_slice(&hash.to_le_bytes());
            assert!(header_fault(&header).unwrap().contains(reason), "{byte}");
        }
        let mut header = right;
        header[HEADER_HASH_AT - 1] ^= 1;
        assert!(header_fault(&header).unwrap().contains("does not match its hash"));
    }
}
