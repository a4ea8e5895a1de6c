//! How a table is divided into the files of its cache.

use std::ops::Range;

use twistbase_store::{CacheUnit, Packing, TableLayout};

/// The units of a table: its rows one by one, or all of them together.
#[derive(Debug, Clone, Copy)]
pub(super) struct Units {
    kind: CacheUnit,
    packing: Packing,
    rows: u32,
    pages: u32,
    row_entries: u64,
    row_bytes: usize,
    page_bytes: usize,
}

/// The place of an entry: the unit, the byte of the unit, and the slot of the byte.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct UnitPlace {
    pub unit: u32,
    pub byte: usize,
    pub slot: usize,
}

impl Units {
    pub fn of(layout: &TableLayout) -> Self {
        Self {
            kind: layout.unit,
            packing: layout.packing,
            rows: layout.rows,
            pages: layout.pages,
            row_entries: layout.row_entries(),
            row_bytes: layout.row_bytes(),
            page_bytes: layout.page_bytes(),
        }
    }

    pub fn kind(&self) -> CacheUnit {
        self.kind
    }

    pub fn packing(&self) -> Packing {
        self.packing
    }

    /// How many there are.
    pub fn count(&self) -> u32 {
        match self.kind {
            CacheUnit::Row => self.rows,
            CacheUnit::Table => 1,
        }
    }

    /// The rows that a unit holds.
    pub fn rows(&self, unit: u32) -> Range<u32> {
        match self.kind {
            CacheUnit::Row => unit..unit + 1,
            CacheUnit::Table => 0..self.rows,
        }
    }

    /// Bytes of each of them.
    pub fn bytes(&self) -> usize {
        // The layout was checked: the table fits the address space.
        self.rows(0).len() * self.row_bytes
    }

    /// Pages of each of them.
    pub fn pages(&self) -> u64 {
        self.rows(0).len() as u64 * u64::from(self.pages)
    }

    /// The place of an entry; `None` if the table has no such entry.
    #[inline]
    pub fn locate(&self, row: u32, entry: u64) -> Option<UnitPlace> {
        if row >= self.rows || entry >= self.row_entries {
            return None;
        }
        let (byte, slot) = self.packing.locate(self.row_bytes, entry);
        Some(match self.kind {
            CacheUnit::Row => UnitPlace { unit: row, byte, slot },
            CacheUnit::Table => UnitPlace { unit: 0, byte: row as usize * self.row_bytes + byte, slot },
        })
    }

    /// The place of a page: the unit, and the bytes of the unit; `None` if the table has no such page.
    pub fn locate_page(&self, row: u32, page: u32) -> Option<(u32, Range<usize>)> {
        if row >= self.rows || page >= self.pages {
            return None;
        }
        let (unit, before) = match self.kind {
            CacheUnit::Row => (row, 0),
            CacheUnit::Table => (0, row as usize * self.row_bytes),
        };
        let first = before + page as usize * self.page_bytes;
        Some((unit, first..first + self.page_bytes))
    }

    /// The row and the page of a byte of a unit.
    pub fn page_at(&self, unit: u32, byte: usize) -> (u32, u32) {
        // Both fit: they count rows and pages.
        let row = self.rows(unit).start + (byte / self.row_bytes) as u32;
        (row, (byte % self.row_bytes / self.page_bytes) as u32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples::DIGITS;

    #[test]
    fn every_entry_has_a_place_of_its_own() {
        for layout in [DIGITS, TableLayout { unit: CacheUnit::Row, ..DIGITS }] {
            let units = Units::of(&layout);
            assert_eq!(units.count() as usize * units.bytes(), layout.rows as usize * layout.row_bytes());
            assert_eq!(u64::from(units.count()) * units.pages(), u64::from(layout.rows * layout.pages));
            let mut places = std::collections::HashSet::new();
            for (row, entry) in (0..layout.rows).flat_map(|row| (0..layout.row_entries()).map(move |at| (row, at))) {
                let place = units.locate(row, entry).unwrap();
                assert!(place.unit < units.count() && place.byte < units.bytes());
                assert!(units.rows(place.unit).contains(&row));
                assert_eq!(units.page_at(place.unit, place.byte), (row, layout.page_of(entry)));
                let (unit, bytes) = units.locate_page(row, layout.page_of(entry)).unwrap();
                assert!(unit == place.unit && bytes.contains(&place.byte));
                assert_eq!(bytes.len(), layout.page_bytes());
                assert!(places.insert((place.unit, place.byte, place.slot)));
            }
            assert_eq!((units.locate(layout.rows, 0), units.locate(0, layout.row_entries())), (None, None));
            assert_eq!((units.locate(u32::MAX, 0), units.locate(0, u64::MAX)), (None, None));
            assert_eq!((units.locate_page(layout.rows, 0), units.locate_page(0, layout.pages)), (None, None));
        }
    }
}
