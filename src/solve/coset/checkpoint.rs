//! The state between two levels, in a file.
//!
//! The layout is in `schema/coset-checkpoint.md`. A file is written beside its place and moved there when it is complete.

use std::io::{BufReader, Read, Write};
use std::path::Path;

use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::Xxh3;

use super::CosetLevel;
use twistbase_core::context::Context;
use twistbase_core::error::{DataError, Error, Fault, Remedy, Result};
use twistbase_levelset::{Block, SpreadSet};
use twistbase_puzzle::cube3::Cube;
use twistbase_puzzle::cube3::notation::reid;
use twistbase_store::{NewFile, read_regular};

const MAGIC: &[u8; 16] = b"twistbase coset\n";
const VERSION: u32 = 1;
/// Rows that are compressed at once.
const ROWS_AT_ONCE: usize = 512;
/// Zstandard's quickest level: the bits of the last levels hardly compress, those of the first ones in any case.
const COMPRESSION: i32 = 1;
/// In place of a row's number after the last row.
const NO_ROW: u32 = u32::MAX;
/// More bytes than a row can have when compressed: its own are 60,672.
const MOST_BYTES: u32 = 1 << 17;
/// More bytes than the levels can have.
const MOST_LEVELS_BYTES: u32 = 1 << 20;

/// Data besides the bits.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct CheckpointState {
    /// The levels so far.
    pub levels: Vec<CosetLevel>,
    /// Positions so far.
    pub positions: u64,
    /// The sum of their weights.
    pub weighted: u64,
    /// Whether the remaining positions have been listed.
    pub listed: bool,
}

/// What a checkpoint is of: a hash of all that decides what comes out.
pub(super) type CheckpointIdentity = [u8; 32];

/// Writes the state, to the end: an interrupt in these seconds is not to lose the level.
pub(super) fn save(
    path: &Path,
    identity: &CheckpointIdentity,
    state: &CheckpointState,
    set: &SpreadSet,
    ctx: &Context,
) -> Result<()> {
    let fail = |source| Error::io("write", path, source);
    let mut to = Hashing { inner: NewFile::create(path)?, hash: Xxh3::new() };
    let levels = serde_json::to_vec(state).map_err(|error| fail(error.into()))?;
    write_head(&mut to, identity, &levels).map_err(fail)?;
    let rows: Vec<usize> = set.touched().collect();
    ctx.progress().begin("checkpoint", rows.len() as u64, "rows");
    for rows in rows.chunks(ROWS_AT_ONCE) {
        let compress = |&row: &usize| zstd::bulk::compress(bytemuck::cast_slice(set.row(row)), COMPRESSION);
        let bytes: Vec<Vec<u8>> = rows.par_iter().map(compress).collect::<Result<_, _>>().map_err(fail)?;
        rows.iter().zip(&bytes).try_for_each(|(&row, bytes)| write_row(&mut to, row, bytes)).map_err(fail)?;
        ctx.progress().advance(rows.len() as u64);
    }
    to.write_all(&NO_ROW.to_le_bytes()).map_err(fail)?;
    let hash = to.hash.digest128();
    let Hashing { mut inner, .. } = to;
    inner.write_all(&hash.to_le_bytes()).map_err(fail)?;
    inner.publish()
}

fn write_head(to: &mut impl Write, identity: &CheckpointIdentity, levels: &[u8]) -> std::io::Result<()> {
    to.write_all(MAGIC)?;
    to.write_all(&VERSION.to_le_bytes())?;
    to.write_all(identity)?;
    to.write_all(&(levels.len() as u32).to_le_bytes())?;
    to.write_all(levels)
}

fn write_row(to: &mut impl Write, row: usize, bytes: &[u8]) -> std::io::Result<()> {
    to.write_all(&(row as u32).to_le_bytes())?;
    to.write_all(&(bytes.len() as u32).to_le_bytes())?;
    to.write_all(bytes)
}

/// Reads the state, if the file is there; `set` must be empty.
///
/// # Errors
/// [`Error::Usage`] if it is of something else, [`Error::Data`] (damaged) with `set` in disorder, whose remedy is to solve the
/// coset of `of` again, [`Error::Io`].
pub(super) fn restore(
    path: &Path,
    identity: &CheckpointIdentity,
    of: &Cube,
    set: &mut SpreadSet,
    ctx: &Context,
) -> Result<Option<CheckpointState>> {
    let file = match read_regular(path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        other => other.map_err(|source| Error::io("open", path, source))?,
    };
    let solve_again = |error| match error {
        Error::Data(fault) => {
            let position = Some(reid::print(of).into());
            Error::Data(DataError { remedy: Remedy::SolveCoset { position, force: false }, ..fault })
        }
        other => other,
    };
    read(BufReader::new(file), path, identity, set, ctx).map(Some).map_err(solve_again)
}

/// Reads the state from a file that is open; `path` is what errors call it.
fn read(
    from: impl Read,
    path: &Path,
    identity: &CheckpointIdentity,
    set: &mut SpreadSet,
    ctx: &Context,
) -> Result<CheckpointState> {
    let mut from = Hashing { inner: from, hash: Xxh3::new() };
    let damaged = |detail: String| damaged(path, detail);
    let cut = |error: std::io::Error| match error.kind() {
        std::io::ErrorKind::UnexpectedEof => damaged("it ends too early".to_owned()),
        _ => Error::io("read", path, error),
    };
    let mut head = [0; 16 + 4];
    from.read_exact(&mut head).map_err(cut)?;
    if head[..16] != MAGIC[..] || head[16..] != VERSION.to_le_bytes() {
        return Err(other(path, "is not a checkpoint of this version of twistbase"));
    }
    let mut of = CheckpointIdentity::default();
    from.read_exact(&mut of).map_err(cut)?;
    if of != *identity {
        return Err(other(path, "belongs to another position of the coset, or to other options"));
    }
    let state = read_bytes(&mut from, MOST_LEVELS_BYTES).map_err(cut)?;
    while let Some(row) = Some(read_number(&mut from).map_err(cut)?).filter(|&row| row != NO_ROW) {
        ctx.check()?;
        let bytes = read_bytes(&mut from, MOST_BYTES).map_err(cut)?;
        if !restore_row(set, row as usize, &bytes) {
            return Err(damaged(format!("row {row} cannot be read")));
        }
    }
    let hash = from.hash.digest128();
    let mut expected = [0; 16];
    from.inner.read_exact(&mut expected).map_err(cut)?;
    if hash.to_le_bytes() != expected {
        return Err(damaged("its checksum is wrong".to_owned()));
    }
    serde_json::from_slice(&state).map_err(|error| damaged(error.to_string()))
}

fn restore_row(set: &mut SpreadSet, row: usize, bytes: &[u8]) -> bool {
    if row >= set.rows() {
        return false;
    }
    let blocks: &mut [Block] = set.row_mut(row);
    let whole = std::mem::size_of_val(blocks);
    zstd::bulk::decompress_to_buffer(bytes, bytemuck::cast_slice_mut::<_, u8>(blocks)).is_ok_and(|read| read == whole)
}

fn read_number(from: &mut impl Read) -> std::io::Result<u32> {
    let mut bytes = [0; 4];
    from.read_exact(&mut bytes)?;
    Ok(u32::from_le_bytes(bytes))
}

/// Some bytes after their number, which is cut to `most`: what follows is then not what was written.
fn read_bytes(from: &mut impl Read, most: u32) -> std::io::Result<Vec<u8>> {
    let mut bytes = vec![0; read_number(from)?.min(most) as usize];
    from.read_exact(&mut bytes)?;
    Ok(bytes)
}

fn damaged(path: &Path, detail: String) -> Error {
    let detail = format!("{detail}; remove the file to start the coset again");
    let remedy = Remedy::SolveCoset { position: None, force: false };
    let fault = DataError::new(Fault::Damaged, "coset checkpoint", detail, remedy);
    DataError { file: Some(path.to_path_buf()), ..fault }.into()
}

fn other(path: &Path, what: &str) -> Error {
    Error::Usage(format!("{} {what}; use those to resume, or remove the file to start again", path.display()))
}

/// Hashes what is written or read.
struct Hashing<T> {
    inner: T,
    hash: Xxh3,
}

impl<T: Write> Write for Hashing<T> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        let written = self.inner.write(bytes)?;
        self.hash.update(&bytes[..written]);
        Ok(written)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.inner.flush()
    }
}

impl<T: Read> Read for Hashing<T> {
    fn read(&mut self, bytes: &mut [u8]) -> std::io::Result<usize> {
        let read = self.inner.read(bytes)?;
        self.hash.update(&bytes[..read]);
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use twistbase_levelset::{SQUARE, SlotMove, Spread, SpreadSource};

    /// The smallest space there is.
    fn space() -> Spread {
        let source = SpreadSource { row: 0, slots: 0 };
        Spread::new(vec![vec![0]], vec![SlotMove::new(&[0, 1, 2, 3, 4, 5, 6, 7])], vec![source; SQUARE])
    }

    fn fuzz(inputs: u64) {
        let (space, ctx, identity) = (space(), Context::silent(), [7; 32]);
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("checkpoint");
        let mut set = SpreadSet::new(&space).unwrap();
        let state = CheckpointState { levels: Vec::new(), positions: 3, weighted: 4, listed: false };
        set.row_mut(2);
        set.row_mut(5);
        save(&path, &identity, &state, &set, &ctx).unwrap();
        let right = std::fs::read(&path).unwrap();
        twistbase_testing::fuzz::fuzz(
            "checkpoints of cosets",
            inputs,
            std::slice::from_ref(&right),
            1 << 20,
            |bytes| {
                match read(bytes, &path, &identity, &mut set, &ctx) {
                    // What is behind the end is not looked at.
                    Ok(found) => assert!(bytes.starts_with(&right) && found.positions == 3),
                    Err(Error::Usage(_) | Error::Data(_)) => {}
                    Err(other) => panic!("{other}"),
                }
            },
        );
        // Of which nothing is right but the hash.
        let body = right[..right.len() - 16].to_vec();
        twistbase_testing::fuzz::fuzz("sealed checkpoints of cosets", inputs, &[body], 1 << 20, |bytes| {
            let mut hash = Xxh3::new();
            hash.update(bytes);
            let sealed = [bytes, &hash.digest128().to_le_bytes()].concat();
            let _ = read(&sealed[..], &path, &identity, &mut set, &ctx);
        });
    }

    #[test]
    fn checkpoints_are_right_or_refused() {
        fuzz(2000);
    }

    #[test]
    #[ignore = "long suite: hundreds of thousands of checkpoints"]
    fn hundreds_of_thousands_of_checkpoints_are_right_or_refused() {
        fuzz(twistbase_testing::fuzz::many(200_000));
    }
}
