//! Where the segments of a table lie in its file.

use std::ops::Range;

/// Where the pages of a row's segment lie in the file of a table.
#[derive(Debug, Clone)]
pub struct SegmentPlace {
    pub row: u32,
    pub first: u32,
    /// Header and list of pages.
    pub head: Range<u64>,
    /// The stored bytes of each page.
    pub pages: Vec<Range<u64>>,
}

impl SegmentPlace {
    /// Reads a segment's list of pages (`schema/store.md`) at `at` in a file.
    pub fn parse(bytes: &[u8], at: usize, row: u32) -> Self {
        let number = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().expect("four bytes"));
        let count = usize::from(u16::from_le_bytes([bytes[at + 6], bytes[at + 7]]));
        let head = at as u64..(at + 16 + 16 * count) as u64;
        let mut start = head.end;
        let pages = (0..count)
            .map(|entry| {
                let page = start..start + u64::from(number(at + 16 + 16 * entry));
                start = page.end;
                page
            })
            .collect();
        Self { row, first: number(at + 8), head, pages }
    }

    pub fn all(&self) -> Range<u64> {
        self.head.start..self.pages.last().expect("a page").end
    }

    /// The pages that a flip at `at` makes unreadable.
    pub fn pages_at(&self, at: u64) -> Range<u32> {
        let last = self.first + self.pages.len() as u32;
        match self.pages.iter().position(|page| page.contains(&at)) {
            Some(page) => self.first + page as u32..self.first + page as u32 + 1,
            None => self.first..last,
        }
    }
}

/// The beginnings of segments in a file.
pub fn segment_starts(bytes: &[u8]) -> Vec<usize> {
    bytes.windows(5).enumerate().filter(|(_, found)| *found == b"TWSG\x01").map(|(at, _)| at).collect()
}
