//! Reading a raw file, and putting the table that it holds into a store.

use std::fs::File;
use std::io::{self, BufReader, Read};
use std::path::Path;
use std::time::Instant;

use super::header::{
    DEPTH_VERSION, DIGEST_BYTES, MAGIC, RawHeader, RowHeader, VersionOnly, parse, read_sealed, version_of,
};
use twistbase_core::context::Context;
use twistbase_core::error::{DataError, Error, Fault, Remedy, Result};
use twistbase_core::math::nibble::UNSET;
use twistbase_store::{
    BuildInfo, BuildStart, Builder, Manifest, RecordSlot, Store, TableLayout, histogram, read_regular, table_digest,
};
use twistbase_tables::{self as tables, Definition, depth_of};

/// What an import did.
#[derive(Clone)]
pub struct Imported {
    /// The table.
    pub table: &'static dyn Definition,
    /// Its record in the store.
    pub manifest: Manifest,
    /// Whether it was there already, and nothing was done.
    pub already: bool,
    /// Rows taken over from a build or an import that was ended.
    pub rows_kept: u32,
}

/// Puts the table of a raw file into a store. First the whole file is checked, then it is read once more: nothing of a
/// file that is not right is stored. A complete table is left alone unless `force` is set.
///
/// # Errors
/// [`Error::Data`] for a file that is foreign, of a newer version, cut short or damaged, and for a table whose levels are
/// not the expected ones; those of [`Store::build`] and of its [`Builder`].
pub fn import_raw(store: &Store, path: &Path, force: bool, ctx: &Context) -> Result<Imported> {
    let started = Instant::now();
    let mut reader = RawReader::open(path)?;
    let (table, layout) = (reader.table, *reader.table.layout());
    let digests = reader.check(ctx)?;
    let mut builder = match store.build(&layout, reader.header.depth, force, ctx)? {
        BuildStart::AlreadyThere(manifest) if manifest.digest == reader.header.digest => {
            return Ok(Imported { table, manifest: *manifest, already: true, rows_kept: 0 });
        }
        BuildStart::AlreadyThere(manifest) => {
            let (name, file) = (layout.name, path.display());
            return Err(Error::Usage(match manifest.depth == reader.header.depth {
                true => {
                    format!(
                        "the stored table {name} has the same depth as {file} but another digest; --force replaces it"
                    )
                }
                false => {
                    format!("the stored table {name} is deeper than {file}; --force replaces it with the shallower one")
                }
            }));
        }
        BuildStart::Building(builder) => builder,
    };
    let rows_before = builder.rows_done();
    let rows_kept = rows_before - RawReader::open(path)?.store(&digests, &mut builder, force, ctx)?;
    let RawHeader { parameters, depends_on, .. } = reader.header;
    let info = BuildInfo { parameters, depends_on, seconds: started.elapsed().as_secs_f64() };
    Ok(Imported { table, manifest: builder.finish(info)?, already: false, rows_kept })
}

/// A raw file, read from its beginning to its end.
struct RawReader<'p> {
    path: &'p Path,
    file: BufReader<File>,
    hasher: blake3::Hasher,
    table: &'static dyn Definition,
    header: RawHeader,
}

impl<'p> RawReader<'p> {
    /// Opens a file and reads its header.
    fn open(path: &'p Path) -> Result<Self> {
        let mut file = BufReader::new(read_regular(path).map_err(|source| Error::io("read", path, source))?);
        let mut hasher = blake3::Hasher::new();
        let (table, header) = read_header(&mut file, &mut hasher).map_err(|wrong| wrong.at(path, None))?;
        Ok(Self { path, file, hasher, table, header })
    }

    fn layout(&self) -> TableLayout {
        *self.table.layout()
    }

    /// Calls `visit` with every row; then checks that the file ends as it must.
    fn each_row(&mut self, ctx: &Context, visit: &mut dyn FnMut(&RowHeader, &[u8]) -> Result<()>) -> Result<()> {
        let layout = self.layout();
        // As many bytes as the registry says: the file has no say in it.
        let mut bytes = vec![0; layout.row_bytes()];
        for row in 0..layout.rows {
            ctx.check()?;
            let header = read_row(&mut self.file, &mut self.hasher, self.table, self.header.depth, row, &mut bytes);
            let header = header.map_err(|wrong| wrong.at(self.path, Some((self.table, row))))?;
            visit(&header, &bytes)?;
            ctx.progress().advance(1);
        }
        read_end(&mut self.file, &self.hasher).map_err(|wrong| wrong.at(self.path, None))
    }

    /// Checks the file, and returns the digests of its rows.
    fn check(&mut self, ctx: &Context) -> Result<Vec<String>> {
        let (mut digests, mut entries, mut positions) = (Vec::new(), Vec::new(), Vec::new());
        ctx.progress().begin(&format!("checking {}", self.layout().name), self.layout().rows.into(), "rows");
        self.each_row(ctx, &mut |row, _| {
            digests.push(row.digest.clone());
            add(&mut entries, &row.levels);
            add(&mut positions, &row.positions);
            Ok(())
        })?;
        ctx.progress().end();
        let wrong = |detail: &str| RawFault::damaged(detail).at(self.path, None);
        if table_digest(&self.header.geometry, self.header.depth, digests.iter().map(String::as_str))
            != self.header.digest
        {
            return Err(wrong("the rows' digests do not add up to the table's"));
        }
        if (&entries, &positions) != (&self.header.entries_by_level, &self.header.distribution) {
            return Err(wrong("the rows' levels do not add up to the table's"));
        }
        match self.table.expected() {
            Some(expected) if expected.to_depth(self.header.depth) != positions => {
                Err(wrong(&format!("its levels are not those of {}: {positions:?}", expected.source)))
            }
            _ => Ok(digests),
        }
    }

    /// Stores the rows, which must be those that were checked. Rows of an interrupted build or import have to be the same, or
    /// are replaced by force; returns how many were.
    fn store(&mut self, digests: &[String], builder: &mut Builder, force: bool, ctx: &Context) -> Result<u32> {
        ctx.progress().begin(&format!("importing {}", self.layout().name), self.layout().rows.into(), "rows");
        let encoder = builder.encoder();
        let (path, mut replaced) = (self.path, 0);
        let changed = || RawFault::damaged("the file changed while it was read").at(path, None);
        self.each_row(ctx, &mut |header, bytes| {
            if digests.get(header.row as usize) != Some(&header.digest) {
                return Err(changed());
            }
            if let Some(kept) = builder.kept_row(header.row) {
                if kept.digest == header.digest && kept.row_levels() == header.row_levels() {
                    return Ok(());
                }
                if !force {
                    return Err(other_row(builder.layout().name, path, header.row));
                }
                replaced += 1;
            }
            builder.put_row(encoder.encode(header.row, bytes, &header.row_levels())?)
        })?;
        ctx.progress().end();
        builder.checkpoint()?;
        Ok(replaced)
    }
}

/// The error for a file that is not what an unfinished build has begun. A build finds out which of them is right.
fn other_row(table: &str, path: &Path, row: u32) -> Error {
    let detail = "a row of the unfinished build differs; --force replaces it with that of the file";
    let error = DataError::new(Fault::Damaged, table, detail, Remedy::build(table));
    DataError { file: Some(path.to_path_buf()), row: Some(row), ..error }.into()
}

/// The fault of a file.
enum RawFault {
    Io(io::Error),
    Data(Fault, String),
}

impl From<io::Error> for RawFault {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::UnexpectedEof => Self::damaged("the file is cut short"),
            io::ErrorKind::InvalidData => Self::damaged(&error.to_string()),
            _ => Self::Io(error),
        }
    }
}

impl RawFault {
    fn damaged(detail: &str) -> Self {
        Self::Data(Fault::Damaged, detail.to_owned())
    }

    fn foreign(detail: impl Into<String>) -> Self {
        Self::Data(Fault::Foreign, detail.into())
    }

    fn at(self, path: &Path, row: Option<(&dyn Definition, u32)>) -> Error {
        let (fault, detail) = match self {
            Self::Io(source) => return Error::io("read", path, source),
            Self::Data(fault, detail) => (fault, detail),
        };
        let table = row.map_or("raw", |(table, _)| table.layout().name);
        let (file, row) = (Some(path.to_path_buf()), row.map(|(_, row)| row));
        DataError { file, row, ..DataError::new(fault, table, detail, Remedy::ExportRaw) }.into()
    }
}

/// Reads magic and header, and finds the table.
fn read_header(
    reader: &mut impl Read,
    hasher: &mut blake3::Hasher,
) -> std::result::Result<(&'static dyn Definition, RawHeader), RawFault> {
    let mut magic = [0; MAGIC.len()];
    let is_raw = reader.read_exact(&mut magic).is_ok() && magic == MAGIC;
    if !is_raw {
        return Err(RawFault::foreign("the file is not a raw export"));
    }
    hasher.update(&magic);
    let sealed = hashed_record(reader, hasher)?;
    let VersionOnly { version } = parse(RecordSlot::RawHeader, &sealed).map_err(|wrong| RawFault::damaged(&wrong))?;
    if version == 0 || version > DEPTH_VERSION {
        let detail =
            format!("the file has version {version} of the raw format; this program reads 1 to {DEPTH_VERSION}");
        return Err(RawFault::foreign(detail));
    }
    let header: RawHeader = parse(RecordSlot::RawHeader, &sealed).map_err(|wrong| RawFault::damaged(&wrong))?;
    if version != version_of(header.depth) {
        return Err(RawFault::damaged("its version does not fit its depth"));
    }
    let table = tables::all().iter().copied().find(|table| table.name() == header.geometry.name);
    let table = table.ok_or_else(|| RawFault::foreign(format!("there is no table {:?}", header.geometry.name)))?;
    if header.depth.is_some_and(|depth| depth_of(table, Some(depth)).ok().flatten() != Some(depth)) {
        return Err(RawFault::damaged("its table has no such depth"));
    }
    match header.geometry.difference(table.layout()) {
        Some(difference) => Err(RawFault::Data(Fault::Stale, format!("table {}: {difference}", header.geometry.name))),
        None => Ok((table, header)),
    }
}

/// A record's sealed bytes, hashed with their length.
fn hashed_record(reader: &mut impl Read, hasher: &mut blake3::Hasher) -> io::Result<Vec<u8>> {
    let sealed = read_sealed(reader)?;
    // It is no longer than a record may be.
    hasher.update(&(sealed.len() as u32).to_le_bytes());
    hasher.update(&sealed);
    Ok(sealed)
}

/// Reads a row and checks it by itself.
fn read_row(
    reader: &mut impl Read,
    hasher: &mut blake3::Hasher,
    table: &dyn Definition,
    depth: Option<u8>,
    row: u32,
    bytes: &mut [u8],
) -> std::result::Result<RowHeader, RawFault> {
    let layout = table.layout();
    let sealed = hashed_record(reader, hasher)?;
    let header: RowHeader =
        parse(RecordSlot::RawRow(layout.name, row), &sealed).map_err(|wrong| RawFault::damaged(&wrong))?;
    reader.read_exact(bytes)?;
    hasher.update(bytes);
    if header.row != row || blake3::hash(bytes).to_hex().as_str() != header.digest {
        return Err(RawFault::damaged("the row does not match its digest"));
    }
    let counts = histogram(layout, bytes).map_err(RawFault::damaged)?;
    header.row_levels().check(layout, depth, &counts).map_err(|wrong| RawFault::damaged(&wrong))?;
    let Some(values) = table.values_by_level(row) else { return Ok(header) };
    let mut expected = [0u64; 16];
    if depth.is_some() {
        expected[usize::from(UNSET)] = counts[usize::from(UNSET)];
    }
    for (level, &count) in header.levels.iter().enumerate().filter(|(_, count)| **count > 0) {
        match values.get(level).copied().flatten() {
            Some(value) => expected[usize::from(value)] = expected[usize::from(value)].saturating_add(count),
            None => return Err(RawFault::damaged("the row has entries at an impossible level")),
        }
    }
    if expected != counts { Err(RawFault::damaged("the row's entries contradict its levels")) } else { Ok(header) }
}

/// Reads the digest at the end, behind which there is nothing.
fn read_end(reader: &mut impl Read, hasher: &blake3::Hasher) -> std::result::Result<(), RawFault> {
    let mut digest = [0; DIGEST_BYTES];
    reader.read_exact(&mut digest)?;
    if digest != *hasher.finalize().as_bytes() {
        return Err(RawFault::damaged("it does not match its digest"));
    }
    match reader.read(&mut [0])? {
        0 => Ok(()),
        _ => Err(RawFault::damaged("there is data after its end")),
    }
}

fn add(sums: &mut Vec<u64>, counts: &[u64]) {
    sums.resize(sums.len().max(counts.len()), 0);
    sums.iter_mut().zip(counts).for_each(|(sum, &count)| *sum = sum.saturating_add(count));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::raw::header::record;
    use twistbase_store::{CREATOR, Geometry};
    use twistbase_tables::find;

    /// The table of which the tests read one row.
    fn table() -> &'static dyn Definition {
        find("square1-corners").unwrap()
    }

    fn right_header() -> RawHeader {
        RawHeader {
            version: version_of(None),
            creator: CREATOR.to_owned(),
            geometry: Geometry::from(table().layout()),
            depth: None,
            distribution: vec![1, 24],
            entries_by_level: vec![1, 24],
            parameters: serde_json::json!({}),
            depends_on: Default::default(),
            digest: "d".to_owned(),
        }
    }

    fn right_row(bytes: &[u8]) -> RowHeader {
        let entries = table().layout().row_entries();
        let (levels, positions) = (vec![0, entries], vec![0, 24]);
        RowHeader { row: 0, levels, positions, digest: blake3::hash(bytes).to_hex().to_string() }
    }

    /// Reads a header, a row and an end, until the first fault.
    fn read(bytes: &[u8], row: &mut [u8]) {
        let (mut reader, mut hasher) = (bytes, blake3::Hasher::new());
        match read_header(&mut reader, &mut hasher) {
            Ok((_, header)) => {
                // The table is one of the registry, with its geometry.
                assert!(tables::all().iter().any(|table| header.geometry.difference(table.layout()).is_none()));
            }
            Err(RawFault::Data(..)) => return,
            Err(RawFault::Io(error)) => panic!("{error}"),
        }
        match read_row(&mut reader, &mut hasher, table(), None, 0, row) {
            Ok(header) => assert_eq!(blake3::hash(row).to_hex().as_str(), header.digest),
            Err(RawFault::Data(..)) => return,
            Err(RawFault::Io(error)) => panic!("{error}"),
        }
        // Only what is right to its last byte has the right end.
        assert!(read_end(&mut reader, &hasher).is_err() || bytes.len() > DIGEST_BYTES);
    }

    fn fuzz(inputs: u64) {
        let mut row = vec![0x11; table().layout().row_bytes()];
        let header = record(RecordSlot::RawHeader, &right_header()).unwrap();
        let before = record(RecordSlot::RawRow(table().layout().name, 0), &right_row(&row)).unwrap();
        let whole = [&MAGIC[..], &header, &before, &row].concat();
        let right = [[&whole[..], blake3::hash(&whole).as_bytes()].concat(), [&MAGIC[..], &header, &before].concat()];
        twistbase_testing::fuzz::fuzz("raw exports", inputs / 10, &right, 1 << 16, |bytes| read(bytes, &mut row));
        // Records of which nothing is right but the seal.
        let json = serde_json::to_vec(&right_header()).unwrap();
        twistbase_testing::fuzz::fuzz("headers of raw exports", inputs, &[json], 1 << 16, |json| {
            let value: serde_json::Value = serde_json::from_slice(json).unwrap_or_default();
            read(&[&MAGIC[..], &record(RecordSlot::RawHeader, &value).unwrap()].concat(), &mut row);
        });
        let json = serde_json::to_vec(&right_row(&row)).unwrap();
        twistbase_testing::fuzz::fuzz("rows of raw exports", inputs / 10, &[json], 1 << 17, |json| {
            let value: serde_json::Value = serde_json::from_slice(json).unwrap_or_default();
            let before = record(RecordSlot::RawRow(table().layout().name, 0), &value).unwrap();
            read(&[&MAGIC[..], &header, &before, &whole[whole.len() - row.len()..]].concat(), &mut row);
        });
    }

    /// A file that is changed between its check and its second reading, to another one that is right in itself.
    #[test]
    fn a_file_that_changes_while_it_is_read_is_not_stored() {
        let (dir, ctx) = (tempfile::tempdir().unwrap(), Context::silent());
        let store = Store::open(dir.path().join("from"));
        let kernel = twistbase_levelset::Kernel::detect();
        let request = tables::BuildRequest { depth: None, force: false, memory: 1 << 30, kernel };
        tables::build(&store, table(), &request, &ctx).unwrap();
        let path = dir.path().join("x.twraw");
        super::super::write::export_raw(&store, table(), &path, false, &ctx).unwrap();
        let right = RawReader::open(&path).unwrap().check(&ctx).unwrap();
        let to = Store::open(dir.path().join("to"));
        let import = |digests: &[String]| {
            let BuildStart::Building(mut builder) = to.build(table().layout(), None, true, &ctx).unwrap() else {
                panic!("it is to be replaced")
            };
            RawReader::open(&path).unwrap().store(digests, &mut builder, false, &ctx)
        };
        for row in [0, 44, 89] {
            let mut other = right.clone();
            other[row] = blake3::hash(b"other").to_hex().to_string();
            let error = import(&other).unwrap_err();
            assert!(error.to_string().contains("changed while it was read"), "{error}");
        }
        assert!(import(&right[..89]).is_err(), "a row more");
        import(&right).unwrap();
    }

    #[test]
    fn whatever_is_read_is_right_or_refused_and_takes_no_memory() {
        fuzz(2000);
    }

    #[test]
    #[ignore = "long suite: hundreds of thousands of raw exports"]
    fn hundreds_of_thousands_of_raw_exports_are_right_or_refused() {
        fuzz(twistbase_testing::fuzz::many(300_000));
    }
}
