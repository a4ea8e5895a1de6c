//! The geometry of a table, and what every reader of one offers.

use std::ops::Deref;

use super::packing::Packing;
use twistbase_core::error::{DataError, Error, Fault, Remedy, Result};

/// The fixed geometry and versions of a table: rows of pages of packed entries.
///
/// A *row* (a shape, a coset) is the unit of writing and repair; a *page*, a range of a row's bytes, is the unit of
/// compression and of a single read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TableLayout {
    /// The table's name, also the stem of its files: `a`..`z`, `0`..`9`, `-`, `_`; at most 64 bytes.
    pub name: &'static str,
    /// A number that no other table has; it is bound into every checksum.
    pub id: u16,
    /// Rows, at least 1.
    pub rows: u32,
    /// Pages per row, at least 1.
    pub pages: u32,
    /// How entries are packed into bytes.
    pub packing: Packing,
    /// Entries for which a page has room: a multiple of [`Packing::per_byte`], in at most
    /// [`TableLayout::MAX_PAGE_BYTES`] bytes.
    pub page_entries: u32,
    /// Of the entries for which a row has room, those at its end that are not used and hold 0: fewer than
    /// `page_entries`.
    pub padding: u32,
    /// What a file of the hot cache holds.
    pub unit: CacheUnit,
    /// Version of what an entry's index means. Another version makes stored data stale.
    pub spec_version: u32,
    /// Version of the generator. Another version makes stored data stale.
    pub generator_version: u32,
}

/// What a file of the hot cache holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CacheUnit {
    /// A row: for tables of which queries need some rows more than others.
    Row,
    /// The whole table, row after row: for tables that a solver reads everywhere.
    Table,
}

/// Where an entry lies within its row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct EntryPlace {
    pub page: u32,
    /// The byte of the page.
    pub byte: usize,
    /// The slot of the byte.
    pub slot: usize,
}

impl TableLayout {
    /// The largest page, 8 MiB: lengths within a segment then fit 32 bits.
    pub const MAX_PAGE_BYTES: usize = 8 << 20;

    /// Bytes of one page.
    pub const fn page_bytes(&self) -> usize {
        (self.page_entries / self.packing.per_byte()) as usize
    }

    /// Bytes of one row.
    pub const fn row_bytes(&self) -> usize {
        self.pages as usize * self.page_bytes()
    }

    /// Bytes of the whole table.
    pub const fn bytes(&self) -> u64 {
        self.row_bytes() as u64 * self.rows as u64
    }

    /// Entries of one row.
    pub const fn row_entries(&self) -> u64 {
        self.pages as u64 * self.page_entries as u64 - self.padding as u64
    }

    /// Entries of the whole table.
    pub const fn entries(&self) -> u64 {
        self.rows as u64 * self.row_entries()
    }

    /// The index of an entry: `row × entries of a row + entry`.
    pub const fn index(&self, row: u32, entry: u64) -> u64 {
        row as u64 * self.row_entries() + entry
    }

    /// The row and the entry of an index; `None` from [`TableLayout::entries`] on.
    pub fn entry_at(&self, index: u64) -> Option<(u32, u64)> {
        let row_entries = self.row_entries();
        let row = u32::try_from(index / row_entries).ok().filter(|&row| row < self.rows)?;
        Some((row, index % row_entries))
    }

    /// Checks the ranges that the fields' documentation states.
    ///
    /// # Errors
    /// [`Error::Usage`] naming the field that is out of range.
    pub fn check(&self) -> Result<()> {
        check_name(self.name)?;
        let fault = if self.rows == 0 || self.pages == 0 {
            "it has no rows or no pages"
        } else if !self.page_entries.is_multiple_of(self.packing.per_byte())
            || !(1..=Self::MAX_PAGE_BYTES).contains(&self.page_bytes())
        {
            "its page size is out of range or not a whole number of bytes"
        } else if self.padding >= self.page_entries {
            "its padding is a page or more"
        } else if self.page_bytes() as u128 * u128::from(self.pages) * u128::from(self.rows) > isize::MAX as u128 {
            "it does not fit the address space"
        } else {
            return Ok(());
        };
        Err(Error::Usage(format!("the layout of table {} is not valid: {fault}", self.name)))
    }

    /// The page that holds an entry of a row.
    pub const fn page_of(&self, entry: u64) -> u32 {
        // Within a row it is below `pages`, which is a u32.
        (self.packing.locate(self.row_bytes(), entry).0 / self.page_bytes()) as u32
    }

    /// Finds the page of an entry, and the byte and slot within that page.
    ///
    /// # Errors
    /// [`Error::Usage`] when the row or the entry does not exist.
    pub(crate) fn locate(&self, row: u32, entry: u64) -> Result<EntryPlace> {
        if row >= self.rows || entry >= self.row_entries() {
            return Err(self.outside(row, entry));
        }
        let (byte, slot) = self.packing.locate(self.row_bytes(), entry);
        Ok(EntryPlace { page: self.page_of(entry), byte: byte % self.page_bytes(), slot })
    }

    /// The error for an entry that holds what it cannot, or contradicts its neighbours: its bytes are as they were written, so
    /// only another build helps.
    #[cold]
    #[doc(hidden)]
    pub fn damaged(&self, row: u32, entry: u64, detail: String) -> Error {
        self.damaged_entry(row, entry, detail).into()
    }

    /// The same as the fault itself.
    #[cold]
    #[doc(hidden)]
    pub fn damaged_entry(&self, row: u32, entry: u64, detail: String) -> DataError {
        DataError { page: Some(self.page_of(entry)), ..self.damaged_row(row, detail) }
    }

    /// The same of a row as a whole.
    #[cold]
    #[doc(hidden)]
    pub fn damaged_row(&self, row: u32, detail: String) -> DataError {
        let remedy = Remedy::replace(self.name);
        DataError { row: Some(row), ..DataError::new(Fault::Damaged, self.name, detail, remedy) }
    }

    /// The error of a position that is farther than the depth of the table, in words.
    #[cold]
    #[doc(hidden)]
    pub fn beyond(&self, depth: &str) -> Error {
        let detail = format!("the position is farther than {depth}, the depth of the table");
        self.bounded(detail, Remedy::build(self.name))
    }

    /// The same after a short search beyond the depth, which ruled out distances below `at_least`.
    #[cold]
    #[doc(hidden)]
    pub fn far_beyond(&self, depth: &str, at_least: &str) -> Error {
        let detail = format!(
            "the position is farther than {depth}, the depth of the table; a short search shows at least \
             {at_least}"
        );
        self.bounded(detail, Remedy::BuildOrSearch { table: self.name.into() })
    }

    /// The error of a request that needs a complete table, to one built to a depth.
    #[cold]
    pub(super) fn incomplete(&self, depth: u8) -> Error {
        let detail = format!("this needs a complete table, but it was built to depth {depth}");
        self.bounded(detail, Remedy::build(self.name))
    }

    fn bounded(&self, detail: String, remedy: Remedy) -> Error {
        DataError::new(Fault::Bounded, self.name, detail, remedy).into()
    }

    #[cold]
    #[doc(hidden)]
    pub fn outside(&self, row: u32, entry: u64) -> Error {
        Error::Usage(format!(
            "table {} has {} rows of {} entries: there is no entry {entry} of row {row}",
            self.name,
            self.rows,
            self.row_entries()
        ))
    }
}

/// Checks that `name` can be a table's name and part of a file name on any system.
///
/// # Errors
/// [`Error::Usage`] when it cannot.
pub fn check_name(name: &str) -> Result<()> {
    let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-' || byte == b'_';
    if name.is_empty() || name.len() > 64 || !name.bytes().all(plain) {
        return Err(Error::Usage(format!("{name:?} is not a valid table name: use a-z, 0-9, - and _")));
    }
    Ok(())
}

/// Random access to the entries of a table, whatever holds them.
pub trait Entries: Sync {
    /// Entry number `entry` of `row`: a value below [`Packing::values`].
    ///
    /// # Errors
    /// [`Error::Usage`] when there is no such entry, [`Error::Data`] when what holds it is damaged, [`Error::Io`]
    /// when it cannot be read.
    fn get(&self, row: u32, entry: u64) -> Result<u8>;

    /// Asks for an entry before it is read, if that can be of use: waits for several then overlap. There need not be one.
    fn prefetch(&self, row: u32, entry: u64) {
        let _ = (row, entry);
    }

    /// The depth to which the table was built, beyond which all entries are 15, which is unset; `None` if it is
    /// complete.
    fn depth(&self) -> Option<u8> {
        None
    }
}

/// References, shared or counted, read what they refer to.
impl<T: Deref<Target: Entries> + Sync> Entries for T {
    fn get(&self, row: u32, entry: u64) -> Result<u8> {
        (**self).get(row, entry)
    }

    fn prefetch(&self, row: u32, entry: u64) {
        (**self).prefetch(row, entry);
    }

    fn depth(&self) -> Option<u8> {
        (**self).depth()
    }
}

/// A table held in memory, one byte string per row: the reader for tests and for freshly generated data.
#[derive(Debug, Clone)]
pub struct RamTable<B> {
    layout: TableLayout,
    rows: Vec<B>,
}

impl<B: AsRef<[u8]>> RamTable<B> {
    /// Takes the rows of a table, each of [`TableLayout::row_bytes`] bytes.
    ///
    /// # Errors
    /// [`Error::Usage`] when the number or the length of the rows does not match the layout.
    pub fn new(layout: TableLayout, rows: Vec<B>) -> Result<Self> {
        layout.check()?;
        if rows.len() != layout.rows as usize || rows.iter().any(|row| row.as_ref().len() != layout.row_bytes()) {
            return Err(Error::Usage(format!(
                "table {} needs {} rows of {} bytes",
                layout.name,
                layout.rows,
                layout.row_bytes()
            )));
        }
        Ok(Self { layout, rows })
    }

    /// The layout given to [`RamTable::new`].
    pub fn layout(&self) -> &TableLayout {
        &self.layout
    }

    /// The bytes of a row, or `None` past the last one.
    pub fn row(&self, row: u32) -> Option<&[u8]> {
        self.rows.get(row as usize).map(AsRef::as_ref)
    }
}

impl<B: AsRef<[u8]> + Sync> Entries for RamTable<B> {
    fn get(&self, row: u32, entry: u64) -> Result<u8> {
        let bytes = self.row(row).filter(|_| entry < self.layout.row_entries());
        bytes.and_then(|bytes| self.layout.packing.get(bytes, entry)).ok_or_else(|| self.layout.outside(row, entry))
    }
}

/// A table held as one byte string, row after row: the reader over a whole table in memory or in a map.
#[derive(Debug, Clone)]
pub struct FlatTable<B> {
    layout: TableLayout,
    bytes: B,
}

impl<B: AsRef<[u8]>> FlatTable<B> {
    /// Takes the bytes of all rows of a table.
    ///
    /// # Errors
    /// [`Error::Usage`] when their number does not match the layout.
    pub fn new(layout: TableLayout, bytes: B) -> Result<Self> {
        layout.check()?;
        let (needed, found) = (layout.bytes(), bytes.as_ref().len());
        if found as u64 != needed {
            return Err(Error::Usage(format!("table {} has {needed} bytes, not {found}", layout.name)));
        }
        Ok(Self { layout, bytes })
    }

    /// The bytes of all rows.
    pub fn bytes(&self) -> &[u8] {
        self.bytes.as_ref()
    }

    /// The same table over its bytes, whatever they are held in.
    pub fn borrowed(&self) -> FlatTable<&[u8]> {
        FlatTable { layout: self.layout, bytes: self.bytes() }
    }
}

impl<B: AsRef<[u8]> + Sync> Entries for FlatTable<B> {
    #[inline]
    fn get(&self, row: u32, entry: u64) -> Result<u8> {
        let row_bytes = self.layout.row_bytes();
        let bytes = self.bytes.as_ref().get(row as usize * row_bytes..).and_then(|rest| rest.get(..row_bytes));
        let (byte, slot) = self.layout.packing.locate(row_bytes, entry);
        match bytes.and_then(|row| row.get(byte)) {
            Some(&byte) => Ok(self.layout.packing.pick(byte, slot)),
            None => Err(self.layout.outside(row, entry)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LAYOUT: TableLayout = TableLayout {
        name: "tiny",
        id: 1,
        rows: 2,
        pages: 3,
        packing: Packing::Nibbles,
        page_entries: 4,
        padding: 0,
        unit: CacheUnit::Row,
        spec_version: 1,
        generator_version: 1,
    };
    const DIGITS: TableLayout = TableLayout { packing: Packing::Mod3, page_entries: 10, padding: 3, ..LAYOUT };

    #[test]
    fn sizes_follow_from_the_fields() {
        assert_eq!((LAYOUT.page_bytes(), LAYOUT.row_bytes(), LAYOUT.entries()), (2, 6, 24));
        assert_eq!(LAYOUT.locate(1, 9).unwrap(), EntryPlace { page: 2, byte: 0, slot: 1 });
        assert!(LAYOUT.locate(2, 0).is_err() && LAYOUT.locate(0, 12).is_err());
        assert_eq!((DIGITS.page_bytes(), DIGITS.row_bytes(), DIGITS.entries()), (2, 6, 54));
        assert_eq!(DIGITS.locate(1, 14).unwrap(), EntryPlace { page: 1, byte: 1, slot: 2 });
        assert_eq!(DIGITS.locate(1, 26).unwrap(), EntryPlace { page: 1, byte: 0, slot: 4 });
        assert!(DIGITS.locate(1, 27).is_err());
    }

    #[test]
    fn bad_layouts_are_refused() {
        for bad in [
            TableLayout { name: "../up", ..LAYOUT },
            TableLayout { name: "", ..LAYOUT },
            TableLayout { rows: 0, ..LAYOUT },
            TableLayout { pages: 0, ..LAYOUT },
            TableLayout { page_entries: 5, ..LAYOUT },
            TableLayout { page_entries: 0, ..LAYOUT },
            TableLayout { page_entries: 2 * TableLayout::MAX_PAGE_BYTES as u32 + 2, ..LAYOUT },
            TableLayout { page_entries: 5 * TableLayout::MAX_PAGE_BYTES as u32 + 5, ..DIGITS },
            TableLayout { page_entries: 12, ..DIGITS },
            TableLayout { padding: 10, ..DIGITS },
            TableLayout { rows: u32::MAX, pages: u32::MAX, ..LAYOUT },
        ] {
            assert!(matches!(bad.check(), Err(Error::Usage(_))), "{bad:?}");
        }
        LAYOUT.check().unwrap();
        DIGITS.check().unwrap();
        TableLayout { page_entries: 5 * TableLayout::MAX_PAGE_BYTES as u32, ..DIGITS }.check().unwrap();
    }

    #[test]
    fn ram_table_reads_and_refuses() {
        let table = RamTable::new(LAYOUT, vec![vec![0x21; 6], vec![0x43; 6]]).unwrap();
        assert_eq!((table.get(0, 0).unwrap(), table.get(0, 1).unwrap(), table.get(1, 11).unwrap()), (1, 2, 4));
        assert!(table.get(1, 12).is_err() && table.get(2, 0).is_err() && table.get(0, u64::MAX).is_err());
        assert!(RamTable::new(LAYOUT, vec![vec![0; 6]]).is_err());
        assert!(RamTable::new(LAYOUT, vec![vec![0; 6], vec![0; 5]]).is_err());
        let table = RamTable::new(DIGITS, vec![vec![140; 6]; 2]).unwrap();
        assert_eq!([0, 1, 2, 3, 4, 26].map(|entry| table.get(1, entry).unwrap()), [2, 1, 0, 2, 2, 1]);
        // Of the row's room, but padding.
        assert!(table.get(1, 27).is_err());
    }
}
