//! The records of a table: which there are, and what their fields hold.

use super::answers::{Answers, EntryRecord, PositionOf};
use super::batch::{Fields, RecordBatch, Texts};
use super::columns::Column;
use super::entry_ranges::{EntryRange, Share};
use super::run::BatchSource;
use super::selection::SelectedLevels;
use twistbase_cache::CachedTable;
use twistbase_core::context::Context;
use twistbase_core::error::{Error, Problem, Result};
use twistbase_query::PositionTable;
use twistbase_store::Entries;
use twistbase_tables::Definition;

/// Positions that are solved between two checks for cancellation.
const STEP_POSITIONS: usize = 1 << 10;
/// The level of a record that is not known yet.
const UNKNOWN: u8 = u8::MAX;

/// Which columns of which entries are exported.
pub(super) struct Chosen {
    pub columns: Vec<Column>,
    pub levels: SelectedLevels,
    pub rows: Vec<u32>,
    /// Maximum number of solutions listed for a position.
    pub limit: usize,
}

impl Chosen {
    /// Whether solutions are searched for.
    pub fn is_walked(&self) -> bool {
        self.columns.iter().any(|column| column.is_walked())
    }

    /// Whether levels matter.
    pub fn needs_level(&self) -> bool {
        !self.levels.are_all() || self.columns.iter().any(|column| matches!(column, Column::Distance | Column::Bound))
    }
}

/// The records of a table of any kind, a batch at a time: all that follows is compiled once for all of them.
pub(super) trait Records: Send + Sync {
    fn chosen(&self) -> &Chosen;

    fn definition(&self) -> &'static dyn Definition;

    fn entries(&self) -> &CachedTable;

    /// As [`Answers::metric_and_goal`].
    fn metric_and_goal(&self) -> [&'static str; 2];

    /// As [`Answers::notations`].
    fn notations(&self) -> [&'static str; 2];

    /// As [`Answers::values_by_level`].
    fn values_by_level(&self, row: u32) -> Option<Vec<Option<u8>>>;

    /// How many entries of a range are selected.
    fn count(&self, range: &EntryRange, ctx: &Context) -> Result<u64>;

    /// The records of a batch.
    fn batch(&self, source: &BatchSource, ctx: &Context) -> Result<RecordBatch>;

    /// The value of entries beyond the depth, if the table was built to one: they are left out.
    fn beyond(&self) -> Option<u8> {
        self.entries().depth().map(|_| self.definition().layout().packing.values() - 1)
    }

    /// Whether all entries are selected, whatever they hold.
    fn selects_all(&self) -> bool {
        self.chosen().levels.are_all() && self.beyond().is_none()
    }

    /// Whether all of a row is selected, and all values in it belong to entries.
    fn is_whole(&self, row: u32) -> bool {
        self.selects_all() && self.definition().values_by_level(row).is_some()
    }
}

/// The records that the answers of a table make.
pub(super) struct TableRecords<A> {
    pub answers: A,
    pub chosen: Chosen,
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

impl<A: Answers + Send> Records for TableRecords<A> {
    fn chosen(&self) -> &Chosen {
        &self.chosen
    }

    fn definition(&self) -> &'static dyn Definition {
        self.table().definition()
    }

    fn entries(&self) -> &CachedTable {
        self.table().entries()
    }

    fn metric_and_goal(&self) -> [&'static str; 2] {
        self.answers.metric_and_goal()
    }

    fn notations(&self) -> [&'static str; 2] {
        self.answers.notations()
    }

    fn values_by_level(&self, row: u32) -> Option<Vec<Option<u8>>> {
        self.answers.values_by_level(row)
    }

    fn count(&self, range: &EntryRange, ctx: &Context) -> Result<u64> {
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
    }

    fn batch(&self, source: &BatchSource, ctx: &Context) -> Result<RecordBatch> {
        ctx.check()?;
        match source {
            BatchSource::Ranges(ranges) => self.of_entries(&self.records(ranges, ctx)?, ctx),
            BatchSource::Lines { lines, .. } => self.of_lines(lines, ctx),
        }
    }
}

impl<A: Answers + Send> TableRecords<A> {
    fn table(&self) -> &A::Table {
        self.answers.table()
    }

    /// For each value that a row can hold, whether its entries are selected.
    fn selection_by_value(&self, row: u32) -> [ValueSelection; 16] {
        if !self.chosen.needs_level() {
            return [ValueSelection::Selected(UNKNOWN); 16];
        }
        let Some(values) = self.answers.values_by_level(row) else {
            return std::array::from_fn(|value| match self.answers.levels_of_value(value as u8) {
                Some(levels) if levels.clone().all(|level| !self.chosen.levels.contains(level)) => {
                    ValueSelection::Other
                }
                _ => ValueSelection::Unclear,
            });
        };
        std::array::from_fn(|value| {
            let mut levels =
                (0..).zip(&values).filter(|(_, stored)| **stored == Some(value as u8)).map(|(level, _)| level);
            match (levels.next(), levels.next()) {
                (Some(level), None) if self.chosen.levels.contains(level) => ValueSelection::Selected(level),
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
        let (selection, beyond) = (self.selection_by_value(row), self.beyond());
        let entries = self.table().entries();
        let page = if self.chosen.is_walked() {
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
            if beyond == Some(value) {
                return Ok(None);
            }
            let record = EntryRecord { row, entry, value, level: UNKNOWN };
            Ok(match selection[usize::from(value & 15)] {
                ValueSelection::Selected(level) => Some(EntryRecord { level, ..record }),
                ValueSelection::Other => None,
                ValueSelection::Unclear => {
                    ctx.check()?;
                    Some(self.levelled(record)?).filter(|record| self.chosen.levels.contains(record.level))
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
            return Err(table.layout().damaged(
                row,
                entry,
                format!("entry {entry} has the value {value}, which is not a level"),
            ));
        }
        let level = self.table().level_at(row, entry, value)?;
        Ok(EntryRecord { level, ..record })
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
        let positions = if self.chosen.is_walked() {
            let position = |record: &EntryRecord| self.table().position_of(record.row, record.entry);
            records.iter().map(position).collect::<Result<Vec<_>>>()?
        } else {
            Vec::new()
        };
        self.columns(records, &positions, false, ctx)
    }

    /// The selected positions of some lines.
    fn of_lines(&self, lines: &[(u64, String)], ctx: &Context) -> Result<RecordBatch> {
        let (mut records, mut positions) = (Vec::new(), Vec::new());
        for (number, line) in lines {
            let position = self.table().parse(line).map_err(|error| at_line(error, *number))?;
            let (row, entry) = self.table().place(&position);
            if self.chosen.rows.binary_search(&row).is_err() {
                continue;
            }
            ctx.check()?;
            let value = self.table().entries().get(row, entry)?;
            if self.beyond() == Some(value) {
                continue;
            }
            let level = if self.chosen.needs_level() { self.table().level(&position, value)? } else { UNKNOWN };
            if self.chosen.levels.are_all() || self.chosen.levels.contains(level) {
                records.push(EntryRecord { row, entry, value, level });
                positions.push(position);
            }
        }
        self.columns(&records, &positions, true, ctx)
    }

    /// The columns of records; `given` says that the positions are to be written, rather than those of the entries.
    fn columns(
        &self,
        records: &[EntryRecord],
        positions: &[PositionOf<A>],
        given: bool,
        ctx: &Context,
    ) -> Result<RecordBatch> {
        let column = |&column: &Column| Ok((column, self.fields(column, records, positions, given, ctx)?));
        let columns = self.chosen.columns.iter().map(column).collect::<Result<_>>()?;
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
            Column::Count => Fields::Long(positions.iter().map(|at| self.solutions(at, ctx)).collect::<Result<_>>()?),
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
                    self.answers.solutions(position, self.chosen.limit, &mut texts)?;
                    ends.push(texts.len());
                }
                Fields::Texts(texts, ends)
            }
        })
    }

    fn solutions(&self, position: &PositionOf<A>, ctx: &Context) -> Result<u64> {
        let count = self.answers.count(position, ctx)?;
        u64::try_from(count).map_err(|_| Error::Budget(format!("{count} shortest solutions do not fit in a column")))
    }
}

/// Says in which line of the input something is wrong.
fn at_line(error: Error, number: u64) -> Error {
    match error {
        Error::Invalid(mut invalid) => {
            let message = format!("line {number} of the positions is invalid; nothing was exported");
            invalid.problems.push(Problem { code: "line", message, at: None });
            Error::Invalid(invalid)
        }
        other => other,
    }
}
