//! The geometry of a table, and what every reader of one offers.

use crate::error::{Error, Result};
use crate::math::nibble;

/// The fixed geometry and versions of a table: rows of pages of nibbles.
///
/// A *row* (a shape, a coset) is the unit of writing, caching and repair; a *page* is the unit of
/// compression and of a single read. Nibble 15 means "unset" ([`nibble::UNSET`]).
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
    /// Nibbles per page: even, from 2 to [`TableLayout::MAX_PAGE_ENTRIES`].
    pub page_entries: u32,
    /// Version of what an entry's index means. Another version makes stored data stale.
    pub spec_version: u32,
    /// Version of the generator. Another version makes stored data stale.
    pub generator_version: u32,
}

/// Where an entry lies within its row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Place {
    pub page: u32,
    pub index: usize,
}

impl TableLayout {
    /// The largest page, 2^24 nibbles = 8 MiB: lengths within a segment then fit 32 bits.
    pub const MAX_PAGE_ENTRIES: u32 = 1 << 24;

    /// Bytes of one page.
    pub const fn page_bytes(&self) -> usize {
        self.page_entries as usize / 2
    }

    /// Bytes of one row.
    pub const fn row_bytes(&self) -> usize {
        self.pages as usize * self.page_bytes()
    }

    /// Entries of one row.
    pub const fn row_entries(&self) -> u64 {
        self.pages as u64 * self.page_entries as u64
    }

    /// Entries of the whole table.
    pub const fn entries(&self) -> u64 {
        self.rows as u64 * self.row_entries()
    }

    /// Checks the ranges that the fields' documentation states.
    ///
    /// # Errors
    /// [`Error::Usage`] naming the field that is out of range.
    pub fn check(&self) -> Result<()> {
        check_name(self.name)?;
        let fault = if self.rows == 0 || self.pages == 0 {
            "it has no rows or no pages"
        } else if !self.page_entries.is_multiple_of(2) || !(2..=Self::MAX_PAGE_ENTRIES).contains(&self.page_entries) {
            "its page size is odd or out of range"
        } else if self.row_entries() / 2 > isize::MAX as u64 {
            "its rows do not fit the address space"
        } else {
            return Ok(());
        };
        Err(Error::Usage(format!("the layout of table {} is not valid: {fault}", self.name)))
    }

    /// Splits the index of an entry within its row into a page and an index within that page.
    ///
    /// # Errors
    /// [`Error::Usage`] when the row or the entry does not exist.
    pub(crate) fn locate(&self, row: u32, entry: u64) -> Result<Place> {
        if row >= self.rows || entry >= self.row_entries() {
            return Err(self.outside(row, entry));
        }
        let page_entries = u64::from(self.page_entries);
        // Both fit: entry < pages * page_entries, and pages is a u32.
        Ok(Place { page: (entry / page_entries) as u32, index: (entry % page_entries) as usize })
    }

    #[cold]
    pub(crate) fn outside(&self, row: u32, entry: u64) -> Error {
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
pub(crate) fn check_name(name: &str) -> Result<()> {
    let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-' || byte == b'_';
    if name.is_empty() || name.len() > 64 || !name.bytes().all(plain) {
        return Err(Error::Usage(format!("{name:?} is not a name for a table: use a-z, 0-9, - and _")));
    }
    Ok(())
}

/// Random access to the entries of a table, whatever holds them.
pub trait Entries: Sync {
    /// The entry (0 to 15, where 15 is "unset") number `entry` of `row`.
    ///
    /// # Errors
    /// [`Error::Usage`] when there is no such entry, [`Error::Data`] when what holds it is damaged, [`Error::Io`]
    /// when it cannot be read.
    fn get(&self, row: u32, entry: u64) -> Result<u8>;
}

impl<T: Entries + ?Sized> Entries for &T {
    fn get(&self, row: u32, entry: u64) -> Result<u8> {
        (**self).get(row, entry)
    }
}

impl<T: Entries + ?Sized + Send> Entries for std::sync::Arc<T> {
    fn get(&self, row: u32, entry: u64) -> Result<u8> {
        (**self).get(row, entry)
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
        usize::try_from(entry)
            .ok()
            .and_then(|index| nibble::get(self.row(row)?, index))
            .ok_or_else(|| self.layout.outside(row, entry))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LAYOUT: TableLayout =
        TableLayout { name: "tiny", id: 1, rows: 2, pages: 3, page_entries: 4, spec_version: 1, generator_version: 1 };

    #[test]
    fn sizes_follow_from_the_fields() {
        assert_eq!((LAYOUT.page_bytes(), LAYOUT.row_bytes(), LAYOUT.entries()), (2, 6, 24));
        assert_eq!(LAYOUT.locate(1, 9).unwrap(), Place { page: 2, index: 1 });
        assert!(LAYOUT.locate(2, 0).is_err() && LAYOUT.locate(0, 12).is_err());
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
            TableLayout { page_entries: TableLayout::MAX_PAGE_ENTRIES + 2, ..LAYOUT },
        ] {
            assert!(matches!(bad.check(), Err(Error::Usage(_))), "{bad:?}");
        }
        LAYOUT.check().unwrap();
    }

    #[test]
    fn ram_table_reads_and_refuses() {
        let table = RamTable::new(LAYOUT, vec![vec![0x21; 6], vec![0x43; 6]]).unwrap();
        assert_eq!((table.get(0, 0).unwrap(), table.get(0, 1).unwrap(), table.get(1, 11).unwrap()), (1, 2, 4));
        assert!(table.get(1, 12).is_err() && table.get(2, 0).is_err() && table.get(0, u64::MAX).is_err());
        assert!(RamTable::new(LAYOUT, vec![vec![0; 6]]).is_err());
        assert!(RamTable::new(LAYOUT, vec![vec![0; 6], vec![0; 5]]).is_err());
    }
}
