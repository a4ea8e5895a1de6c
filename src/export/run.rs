//! Reading and choosing: which records there are, and what their fields hold.

use std::collections::VecDeque;

use rayon::prelude::*;

use super::answers::{Answers, EntryRecord, PositionOf};
use super::batch::{Fields, RecordBatch, Texts};
use super::columns::Column;
use super::entry_ranges::{self, EntryRange, Share};
use super::selection::{Sample, SelectedLevels};
use twistbase_core::context::Context;
use twistbase_core::error::{Error, Problem, Result};
use twistbase_core::math::nibble::UNSET;
use twistbase_query::PositionTable;
use twistbase_store::Entries;

/// The most entries scanned for one batch, however few of them are selected.
const MOST_SCANNED: u64 = 1 << 24;
/// Ranges whose entries are counted together.
const STEP_RANGES: usize = 1 << 10;
/// Positions that are solved between two checks for cancellation.
const STEP_POSITIONS: usize = 1 << 10;
/// The level of a record that is not known yet.
const UNKNOWN: u8 = u8::MAX;

/// An export of records: which columns of which entries of a table.
pub(super) struct RecordExport<A> {
    pub answers: A,
    pub columns: Vec<Column>,
    pub levels: SelectedLevels,
    pub rows: Vec<u32>,
    /// The most solutions of a position that are listed.
    pub limit: usize,
}

/// The entries or the input that a batch is made of.
#[derive(Debug, Clone)]
pub(super) enum BatchSource {
    Ranges(Vec<EntryRange>),
    /// Lines of input with their numbers, and the digest of all lines up to their end.
    Lines {
        lines: Vec<(u64, String)>,
        digest: String,
    },
}

impl BatchSource {
    /// The number of entries or lines scanned.
    pub fn size(&self) -> u64 {
        match self {
            Self::Ranges(ranges) => {
                ranges.iter().map(|range| range.share.map_or(range.len(), |share| share.taken())).sum()
            }
            Self::Lines { lines, .. } => lines.len() as u64,
        }
    }
}

/// Whether entries with a stored value are selected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ValueSelection {
    /// They are; all of them have this level.
    Selected(u8),
    /// They are not.
    Other,
    /// That depends on the position.
    Unclear,
}

impl<A: Answers> RecordExport<A> {
    fn table(&self) -> &A::Table {
        self.answers.table()
    }

    /// Records of a batch: many enough to make its overhead small, few enough to fit in memory.
    pub fn batch_records(&self) -> u64 {
        if self.columns.contains(&Column::Solutions) {
            1 << 11
        } else if self.is_walked() || self.has_searched_levels() {
            1 << 15
        } else {
            1 << 18
        }
    }

    /// Whether solutions are searched for.
    fn is_walked(&self) -> bool {
        self.columns.iter().any(|column| column.is_walked())
    }

    /// Whether levels matter.
    fn needs_level(&self) -> bool {
        !self.levels.are_all() || self.columns.iter().any(|column| matches!(column, Column::Distance | Column::Bound))
    }

    /// Whether levels matter that no stored value tells: they take long.
    fn has_searched_levels(&self) -> bool {
        let is_told = |&row: &u32| self.answers.values_by_level(row).is_some();
        self.needs_level() && !self.rows.first().is_none_or(is_told)
    }

    /// Whether the table was built to a depth: entries that are farther are left out.
    fn is_bounded(&self) -> bool {
        self.table().entries().depth().is_some()
    }

    /// Whether all entries are selected, whatever they hold.
    fn selects_all(&self) -> bool {
        self.levels.are_all() && !self.is_bounded()
    }

    /// For each value that a row can hold, whether its entries are selected.
    fn selection_by_value(&self, row: u32) -> [ValueSelection; 16] {
        if !self.needs_level() {
            return [ValueSelection::Selected(UNKNOWN); 16];
        }
        let Some(values) = self.answers.values_by_level(row) else {
            return std::array::from_fn(|value| match self.answers.levels_of_value(value as u8) {
                Some(levels) if levels.clone().all(|level| !self.levels.contains(level)) => ValueSelection::Other,
                _ => ValueSelection::Unclear,
            });
        };
        std::array::from_fn(|value| {
            let mut levels =
                (0..).zip(&values).filter(|(_, stored)| **stored == Some(value as u8)).map(|(level, _)| level);
            match (levels.next(), levels.next()) {
                (Some(level), None) if self.levels.contains(level) => ValueSelection::Selected(level),
                (Some(_), None) => ValueSelection::Other,
                // Also a value that no entry of the row may have: `levelled` refuses it.
                _ => ValueSelection::Unclear,
            }
        })
    }

    /// Reads the page of a range, and returns the records of its entries: `None` for those that are not selected.
    fn open<'p>(
        &'p self,
        range: &EntryRange,
        page: &'p mut Vec<u8>,
        ctx: &'p Context,
    ) -> Result<impl Fn(u64) -> Result<Option<EntryRecord>> + use<'p, A>> {
        let layout = *self.table().definition().layout();
        let (row, number) = (range.row, layout.page_of(range.entries.start));
        let (selection, bounded) = (self.selection_by_value(row), self.is_bounded());
        let entries = self.table().entries();
        let page = if self.is_walked() {
            // The walks read the cache anyway, where there is one; its bytes need no decoding.
            entries.page(row, number, page)?
        } else {
            // Only these pages are read, and the store has them compressed: less to fetch from a disk.
            entries.table().read_page(row, number, page)?;
            &page[..]
        };
        let first = number as usize * layout.page_bytes();
        Ok(move |entry| {
            let (byte, slot) = layout.packing.locate(layout.row_bytes(), entry);
            let value = layout.packing.pick(page[byte - first], slot);
            if bounded && value == UNSET {
                return Ok(None);
            }
            let record = EntryRecord { row, entry, value, level: UNKNOWN };
            Ok(match selection[usize::from(value & 15)] {
                ValueSelection::Selected(level) => Some(EntryRecord { level, ..record }),
                ValueSelection::Other => None,
                ValueSelection::Unclear => {
                    ctx.check()?;
                    Some(self.levelled(record)?).filter(|record| self.levels.contains(record.level))
                }
            })
        })
    }

    /// Calls `visit` for the selected entries of a range that `choose`, asked for each of them in order, takes.
    fn scan(
        &self,
        range: &EntryRange,
        page: &mut Vec<u8>,
        ctx: &Context,
        mut choose: impl FnMut() -> bool,
        mut visit: impl FnMut(EntryRecord),
    ) -> Result<()> {
        let record = self.open(range, page, ctx)?;
        // Where all are selected, the level of an entry that is not taken is not needed.
        let all = self.selects_all();
        for entry in range.entries.clone().filter(|&entry| self.table().is_entry(range.row, entry)) {
            if (!all || choose())
                && let Some(record) = record(entry)?
                && (all || choose())
            {
                visit(record);
            }
        }
        Ok(())
    }

    /// Calls `visit` for the chosen entries of a range in which all are selected.
    fn choose(
        &self,
        range: &EntryRange,
        share: Share,
        page: &mut Vec<u8>,
        ctx: &Context,
        mut visit: impl FnMut(EntryRecord),
    ) -> Result<()> {
        let record = self.open(range, page, ctx)?;
        for number in share.chosen() {
            record(range.entries.start + number)?.into_iter().for_each(&mut visit);
        }
        Ok(())
    }

    /// The record with the level of its position.
    fn levelled(&self, record: EntryRecord) -> Result<EntryRecord> {
        let (table, EntryRecord { row, entry, value, .. }) = (self.table().definition(), record);
        let known = self.answers.values_by_level(row);
        if known.is_some_and(|values| !values.contains(&Some(value))) {
            return Err(table.layout().damaged(row, entry, format!("entry {entry} holds {value}, which is no level")));
        }
        let level = self.table().level_at(row, entry, value)?;
        Ok(EntryRecord { level, ..record })
    }

    /// Entries of a row.
    pub fn row_entries(&self) -> u64 {
        self.table().definition().layout().row_entries()
    }

    /// Begins the progress of an export of so many entries.
    pub fn begin_progress(&self, entries: u64, ctx: &Context) {
        ctx.progress().begin(&format!("exporting {}", self.table().definition().layout().name), entries, "entries");
    }

    /// The rows that may hold selected entries, each with the share of its entries that is selected.
    ///
    /// # Errors
    /// Those of the reader.
    pub fn selected_rows(&self) -> Result<Vec<(u32, f64)>> {
        let shares = self.rows.iter().map(|&row| Ok((row, self.selected_share(row)?)));
        shares.filter(|row| row.as_ref().map_or(true, |&(_, share)| share > 0.0)).collect()
    }

    /// The batches of a selection without a sample, of its [rows](Self::selected_rows).
    pub fn batches(&self, rows: Vec<(u32, f64)>) -> impl Iterator<Item = BatchSource> + use<A> {
        let most = self.batch_records();
        let mut ranges = self.expected_ranges(rows).peekable();
        std::iter::from_fn(move || {
            let (mut batch, mut expected, mut scanned) = (Vec::new(), 0, 0);
            while let Some((range, records)) = ranges.next_if(|(range, records)| {
                batch.is_empty() || expected + records <= most && scanned + range.len() <= MOST_SCANNED
            }) {
                expected += records;
                scanned += range.len();
                batch.push(range);
            }
            (!batch.is_empty()).then_some(BatchSource::Ranges(batch))
        })
    }

    /// The ranges of some rows, each with about how many of its entries are selected, none with more than a batch has.
    fn expected_ranges(&self, rows: Vec<(u32, f64)>) -> impl Iterator<Item = (EntryRange, u64)> + use<A> {
        let (layout, most) = (self.table().definition().layout(), self.batch_records());
        rows.into_iter().flat_map(move |(row, share)| {
            entry_ranges::of_row(layout, row).flat_map(move |range| {
                let parts = (range.len() as f64 * share / most as f64).ceil().max(1.0) as u64;
                let length = range.len().div_ceil(parts);
                range.split(length).map(move |range| {
                    let expected = (range.len() as f64 * share).ceil() as u64;
                    (range, expected)
                })
            })
        })
    }

    /// The share of a row's entries that is selected, by the counts in its record.
    fn selected_share(&self, row: u32) -> Result<f64> {
        let table = self.table();
        if self.selects_all() || self.answers.values_by_level(row).is_none() {
            return Ok(1.0);
        }
        let record = table.entries().table().row_record(row)?;
        let selected = (0..).zip(&record.levels).filter(|(level, _)| self.levels.contains(*level));
        let selected: u64 = selected.map(|(_, count)| count).sum();
        Ok(selected as f64 / self.row_entries() as f64)
    }

    /// Whether all of a row is selected, and all values in it belong to entries.
    fn is_whole(&self, row: u32) -> bool {
        self.selects_all() && self.table().definition().values_by_level(row).is_some()
    }

    /// The batches of a sample.
    ///
    /// # Errors
    /// [`Error::Usage`] if fewer entries are selected; those of the reader; [`Error::Interrupted`].
    pub fn sampled(&self, sample: Sample, ctx: &Context) -> Result<impl Iterator<Item = BatchSource> + use<A>> {
        let layout = self.table().definition().layout();
        let rows = self.selected_rows()?.into_iter();
        let ranges: Vec<EntryRange> = rows.flat_map(|(row, _)| entry_ranges::of_row(layout, row)).collect();
        let counts = self.counts(&ranges, ctx)?;
        let selected: u64 = counts.iter().sum();
        if sample.count > selected {
            let count = sample.count;
            return Err(Error::Usage(format!("a sample of {count} cannot be drawn: {selected} entries are selected")));
        }
        let drawn = entry_ranges::draw(ranges, &counts, sample, ctx)?;
        let most = self.batch_records();
        let mut drawn = VecDeque::from(drawn);
        Ok(std::iter::from_fn(move || {
            let (mut batch, mut records) = (Vec::new(), 0);
            while let Some(taken) = drawn.front().and_then(|range| Some(range.share?.taken()))
                && (batch.is_empty() || records + taken <= most)
            {
                records += taken;
                batch.extend(drawn.pop_front());
            }
            (!batch.is_empty()).then_some(BatchSource::Ranges(batch))
        }))
    }

    /// How many entries of each range are selected.
    fn counts(&self, ranges: &[EntryRange], ctx: &Context) -> Result<Vec<u64>> {
        ctx.progress().begin("counting", ranges.len() as u64, "pages");
        let count = |range: &EntryRange| {
            if self.is_whole(range.row) {
                return Ok(range.len());
            }
            if self.selects_all() {
                let entries = range.entries.clone();
                return Ok(entries.filter(|&entry| self.table().is_entry(range.row, entry)).count() as u64);
            }
            let mut found = 0;
            self.scan(range, &mut Vec::new(), ctx, || true, |_| found += 1)?;
            Ok(found)
        };
        let mut counts = Vec::with_capacity(ranges.len());
        for some in ranges.chunks(STEP_RANGES) {
            ctx.check()?;
            counts.extend(some.par_iter().map(count).collect::<Result<Vec<u64>>>()?);
            ctx.progress().advance(some.len() as u64);
        }
        ctx.progress().end();
        Ok(counts)
    }

    /// The records of a batch.
    pub fn of_source(&self, work: &BatchSource, ctx: &Context) -> Result<RecordBatch> {
        ctx.check()?;
        match work {
            BatchSource::Ranges(ranges) => self.of_entries(&self.records(ranges, ctx)?, ctx),
            BatchSource::Lines { lines, .. } => self.of_lines(lines, ctx),
        }
    }

    /// The records of ranges.
    fn records(&self, ranges: &[EntryRange], ctx: &Context) -> Result<Vec<EntryRecord>> {
        let (mut records, mut page) = (Vec::new(), Vec::new());
        for range in ranges {
            let visit = |record| records.push(record);
            match range.share {
                None => self.scan(range, &mut page, ctx, || true, visit)?,
                Some(share) if self.is_whole(range.row) => self.choose(range, share, &mut page, ctx, visit)?,
                Some(share) => self.scan(range, &mut page, ctx, share.chooser(), visit)?,
            }
        }
        Ok(records)
    }

    fn of_entries(&self, records: &[EntryRecord], ctx: &Context) -> Result<RecordBatch> {
        let positions = if self.columns.iter().any(|column| column.is_walked()) {
            let position = |record: &EntryRecord| self.table().position_of(record.row, record.entry);
            records.iter().map(position).collect::<Result<Vec<_>>>()?
        } else {
            Vec::new()
        };
        self.batch(records, &positions, false, ctx)
    }

    /// The selected positions of some lines.
    fn of_lines(&self, lines: &[(u64, String)], ctx: &Context) -> Result<RecordBatch> {
        let (mut records, mut positions) = (Vec::new(), Vec::new());
        for (number, line) in lines {
            let position = self.table().parse(line).map_err(|error| at_line(error, *number))?;
            let (row, entry) = self.table().place(&position);
            if self.rows.binary_search(&row).is_err() {
                continue;
            }
            ctx.check()?;
            let value = self.table().entries().get(row, entry)?;
            if value == UNSET && self.is_bounded() {
                continue;
            }
            let level = if self.needs_level() { self.table().level(&position, value)? } else { UNKNOWN };
            if self.levels.are_all() || self.levels.contains(level) {
                records.push(EntryRecord { row, entry, value, level });
                positions.push(position);
            }
        }
        self.batch(&records, &positions, true, ctx)
    }

    /// The columns of records; `given` says that the positions are to be written, rather than those of the entries.
    fn batch(
        &self,
        records: &[EntryRecord],
        positions: &[PositionOf<A>],
        given: bool,
        ctx: &Context,
    ) -> Result<RecordBatch> {
        let column = |&column: &Column| Ok((column, self.fields(column, records, positions, given, ctx)?));
        let columns = self.columns.iter().map(column).collect::<Result<_>>()?;
        Ok(RecordBatch { records: records.len(), columns })
    }

    fn fields(
        &self,
        column: Column,
        records: &[EntryRecord],
        positions: &[PositionOf<A>],
        given: bool,
        ctx: &Context,
    ) -> Result<Fields> {
        let layout = *self.table().definition().layout();
        let mut texts = Texts::default();
        Ok(match column {
            Column::Index => {
                Fields::Long(records.iter().map(|record| layout.index(record.row, record.entry)).collect())
            }
            Column::Row => Fields::Word(records.iter().map(|record| record.row).collect()),
            Column::Entry => Fields::Long(records.iter().map(|record| record.entry).collect()),
            Column::Distance | Column::Bound => Fields::Byte(records.iter().map(|record| record.level).collect()),
            Column::Value => Fields::Byte(records.iter().map(|record| record.value).collect()),
            Column::Count => Fields::Long(positions.iter().map(|at| self.count(at, ctx)).collect::<Result<_>>()?),
            Column::Position if given => {
                for position in positions {
                    self.answers.write(position, &mut texts.text)?;
                    texts.end();
                }
                Fields::Text(texts)
            }
            Column::Position => {
                self.answers.write_positions(records, &mut texts)?;
                Fields::Text(texts)
            }
            Column::Solution => {
                for some in positions.chunks(STEP_POSITIONS) {
                    ctx.check()?;
                    self.answers.first_solutions(some, &mut texts)?;
                }
                Fields::Text(texts)
            }
            Column::Solutions => {
                let mut ends = Vec::with_capacity(positions.len());
                for position in positions {
                    ctx.check()?;
                    self.answers.solutions(position, self.limit, &mut texts)?;
                    ends.push(texts.len());
                }
                Fields::Texts(texts, ends)
            }
        })
    }

    fn count(&self, position: &PositionOf<A>, ctx: &Context) -> Result<u64> {
        let count = self.answers.count(position, ctx)?;
        u64::try_from(count).map_err(|_| Error::Budget(format!("{count} shortest solutions do not fit a column")))
    }
}

/// Says in which line of the input something is wrong.
fn at_line(error: Error, number: u64) -> Error {
    match error {
        Error::Invalid(mut invalid) => {
            let message = format!("this is line {number} of the positions; nothing is exported until it is one");
            invalid.problems.push(Problem { code: "line", message, at: None });
            Error::Invalid(invalid)
        }
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use crate::{Column, ExportFormat, ExportRequest, ExportTarget, PositionLines, RecordRequest, Selection, export};
    use twistbase_core::context::Context;
    use twistbase_levelset::Kernel;
    use twistbase_puzzle::cube2::{Cube2Position, moves};
    use twistbase_puzzle::cube3::Metric;
    use twistbase_store::Store;
    use twistbase_tables::{self as tables, BuildRequest, Definition};

    /// Of positions that are given, those of the rows, of the levels and within the depth of the table are written; without
    /// positions, all entries that these select.
    #[test]
    fn a_selection_holds_for_given_positions_too() {
        let folder = tempfile::tempdir().unwrap();
        let (store, table, ctx) = (Store::open(folder.path()), tables::cube2(Metric::Htm), Context::silent());
        let request = BuildRequest { depth: Some(2), force: false, memory: 1 << 30, kernel: Kernel::detect() };
        tables::build(&store, table, &request, &ctx).unwrap();
        // The solved position, all that one turn leads to, and what is farther than the table was built to.
        let solved = Cube2Position::SOLVED;
        let near: Vec<_> = moves(Metric::Htm).map(|turn| solved.turned(turn)).collect();
        let far = moves(Metric::Htm).step_by(3).fold(solved, |at, turn| at.turned(turn));
        let index = |position: &Cube2Position| {
            let (row, entry) = table.place(position);
            table.layout().index(row, entry)
        };
        let exported = |selection: Selection, given: Option<&[Cube2Position]>| -> Vec<u64> {
            let columns = vec![Column::Index];
            let records = RecordRequest { columns, selection, ..RecordRequest::default() };
            let request = ExportRequest { records, format: ExportFormat::Csv, zstd: false };
            let mut lines = given.map(|given| {
                let mut chunks = Some(given.iter().map(|position| format!("index:{}", index(position))).collect());
                PositionLines::new(move || Ok(chunks.take()))
            });
            let mut text = Vec::new();
            let done = export(&store, table, &request, lines.as_mut(), ExportTarget::Stream(&mut text), &ctx).unwrap();
            let text = String::from_utf8(text).unwrap();
            let indices: Vec<u64> = text.lines().skip(1).map(|line| line.parse().unwrap()).collect();
            assert_eq!((text.lines().next(), done.records), (Some("index"), indices.len() as u64));
            indices
        };
        let given = [&[solved][..], &near, &[far]].concat();
        // U turns no corner.
        let row = |position: &Cube2Position| table.place(position).0;
        let (untwisted, twisted): (Vec<_>, Vec<_>) =
            given[..10].iter().copied().partition(|position| row(position) == 0);
        assert_eq!((untwisted.len(), twisted.len(), row(&solved)), (4 + 2, 4, 0), "half turns twist none");
        let indices = |positions: &[Cube2Position]| positions.iter().map(index).collect::<Vec<_>>();
        assert_eq!(exported(Selection::default(), Some(&given)), indices(&given[..10]));
        let rows = |rows| Selection { rows: Some(vec![rows]), ..Selection::default() };
        assert_eq!(exported(rows(0..=0), Some(&given)), indices(&untwisted));
        assert_eq!(exported(rows(1..=table.layout().rows - 1), Some(&given)), indices(&twisted));
        let levels = |levels| Selection { levels: Some(vec![levels]), ..Selection::default() };
        assert_eq!(exported(levels(1..=2), Some(&given)), indices(&near));
        assert_eq!(exported(levels(0..=0), Some(&given)), indices(&[solved]));
        let both = Selection { levels: Some(vec![1..=1]), ..rows(0..=0) };
        assert_eq!(exported(both.clone(), Some(&given)), indices(&untwisted[1..]));
        // In the order of the table.
        let mut expected = indices(&untwisted[1..]);
        expected.sort_unstable();
        assert_eq!(exported(both, None), expected);
        assert_eq!(exported(levels(0..=1), None).len(), 10);
        assert_eq!(exported(Selection::default(), None).len(), 1 + 9 + 54);
    }
}
