//! Choosing: of which entries or lines batches are made, and in which order they are written.

use std::collections::VecDeque;

use rayon::prelude::*;

use super::batch::RecordBatch;
use super::columns::{Column, ColumnKind};
use super::entry_ranges::{self, EntryRange};
use super::records::Records;
use super::selection::Sample;
use twistbase_core::context::Context;
use twistbase_core::error::{Error, Result};
use twistbase_core::memory::{LEFT, address_space_left};
use twistbase_core::units::{bytes, bytes_rounded_up};

/// The most entries scanned for one batch, however few of them are selected.
const MOST_SCANNED: u64 = 1 << 24;
/// Ranges whose entries are counted together.
const STEP_RANGES: usize = 1 << 10;
/// Batches that a thread encodes while others are written.
const AHEAD: usize = 4;

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

impl dyn Records + '_ {
    /// Records of a batch: many enough to make its overhead small, few enough to fit in memory.
    pub fn batch_records(&self) -> u64 {
        if self.chosen().columns.contains(&Column::Solutions) {
            1 << 11
        } else if self.chosen().is_walked() || self.has_searched_levels() {
            1 << 15
        } else {
            1 << 18
        }
    }

    /// Batches that are made together, while as many made before are written: several for each thread, fewer if they do not fit the
    /// address space that is left. Where that has a limit, an allocation that fails would end the program.
    ///
    /// # Errors
    /// [`Error::Memory`] if no batch fits.
    pub fn wave(&self, has_lines: bool) -> Result<usize> {
        let most = rayon::current_num_threads() * AHEAD;
        let Some(left) = address_space_left() else { return Ok(most) };
        let batch = self.batch_records() * self.record_bytes(has_lines);
        let fitting = left.saturating_sub(LEFT as u64) / batch;
        match usize::try_from(fitting).unwrap_or(most).min(most) {
            0 => {
                let (batch, left) = (bytes_rounded_up(batch), bytes(left));
                Err(Error::Memory(format!("cannot export: a batch takes {batch}, of address space {left} are left")))
            }
            wave => Ok(wave),
        }
    }

    /// About how many bytes a record takes, at most, from being selected until it is written: as an entry, in its columns, in its
    /// format and compressed.
    fn record_bytes(&self, has_lines: bool) -> u64 {
        let column = |column: &Column| match column.kind() {
            ColumnKind::Long => 40,
            ColumnKind::Word => 24,
            ColumnKind::Byte => 16,
            ColumnKind::Text if column.is_walked() => 800,
            ColumnKind::Text => 320,
            ColumnKind::Texts => 1 << 14,
        };
        let [entry, line] = [48, 128];
        entry + if has_lines { line } else { 0 } + self.chosen().columns.iter().map(column).sum::<u64>()
    }

    /// Whether the selection needs levels that stored values do not determine: these take long.
    fn has_searched_levels(&self) -> bool {
        let is_told = |&row: &u32| self.values_by_level(row).is_some();
        self.chosen().needs_level() && !self.chosen().rows.first().is_none_or(is_told)
    }

    /// Entries of a row.
    pub fn row_entries(&self) -> u64 {
        self.definition().layout().row_entries()
    }

    /// Begins the progress of an export of a number of entries.
    pub fn begin_progress(&self, entries: u64, ctx: &Context) {
        ctx.progress().begin(&format!("exporting {}", self.definition().layout().name), entries, "entries");
    }

    /// The rows that may hold selected entries, each with the share of its entries that is selected.
    ///
    /// # Errors
    /// Those of the reader.
    pub fn selected_rows(&self) -> Result<Vec<(u32, f64)>> {
        let shares = self.chosen().rows.iter().map(|&row| Ok((row, self.selected_share(row)?)));
        shares.filter(|row| row.as_ref().map_or(true, |&(_, share)| share > 0.0)).collect()
    }

    /// The batches of a selection without a sample, of its [rows](Self::selected_rows).
    pub fn batches(&self, rows: Vec<(u32, f64)>) -> impl Iterator<Item = BatchSource> + use<> {
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
    fn expected_ranges(&self, rows: Vec<(u32, f64)>) -> impl Iterator<Item = (EntryRange, u64)> + use<> {
        let (layout, most) = (self.definition().layout(), self.batch_records());
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
        if self.selects_all() || self.values_by_level(row).is_none() {
            return Ok(1.0);
        }
        let record = self.entries().table().row_record(row)?;
        let selected = (0..).zip(&record.levels).filter(|(level, _)| self.chosen().levels.contains(*level));
        let selected: u64 = selected.map(|(_, count)| count).sum();
        Ok(selected as f64 / self.row_entries() as f64)
    }

    /// The batches of a sample.
    ///
    /// # Errors
    /// [`Error::Usage`] if fewer entries are selected; those of the reader; [`Error::Interrupted`].
    pub fn sampled(&self, sample: Sample, ctx: &Context) -> Result<impl Iterator<Item = BatchSource> + use<>> {
        let layout = self.definition().layout();
        let rows = self.selected_rows()?.into_iter();
        let ranges: Vec<EntryRange> = rows.flat_map(|(row, _)| entry_ranges::of_row(layout, row)).collect();
        let counts = self.counts(&ranges, ctx)?;
        let selected: u64 = counts.iter().sum();
        if sample.count > selected {
            let count = sample.count;
            return Err(Error::Usage(format!("cannot draw a sample of {count}: only {selected} entries are selected")));
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
        let mut counts = Vec::with_capacity(ranges.len());
        for some in ranges.chunks(STEP_RANGES) {
            ctx.check()?;
            counts.extend(some.par_iter().map(|range| self.count(range, ctx)).collect::<Result<Vec<u64>>>()?);
            ctx.progress().advance(some.len() as u64);
        }
        ctx.progress().end();
        Ok(counts)
    }

    /// Encodes all batches on all threads, `wave` at a time, and hands each to `write` in order while the next ones are encoded.
    /// `write` is called on this thread: where it waits, no thread of rayon's pool does.
    ///
    /// # Errors
    /// Those of the batches, of the reader, of `encode` and of `write`;
    /// [`Error::Interrupted`]. What was encoded before is written.
    pub fn each<T: Send>(
        &self,
        work: &mut dyn Iterator<Item = Result<BatchSource>>,
        wave: usize,
        ctx: &Context,
        encode: &(dyn Fn(RecordBatch) -> Result<T> + Sync),
        write: &mut dyn FnMut(T, &BatchSource) -> Result<()>,
    ) -> Result<()> {
        let mut write = |(work, encoded): (BatchSource, Result<T>)| {
            let encoded = encoded?;
            ctx.progress().advance(work.size());
            write(encoded, &work)
        };
        let mut ready: Vec<(BatchSource, Result<T>)> = Vec::new();
        loop {
            let next: Vec<Result<BatchSource>> = work.take(wave).collect();
            let done = next.is_empty();
            let encode = |work: Result<BatchSource>| {
                let work = work?;
                let encoded = self.batch(&work, ctx).and_then(encode);
                Ok((work, encoded))
            };
            let mut encoded = Vec::new();
            let written = rayon::in_place_scope(|scope| {
                scope.spawn(|_| encoded = next.into_par_iter().map(encode).collect::<Vec<Result<_>>>());
                ready.drain(..).try_for_each(&mut write)
            });
            written?;
            if done {
                return Ok(());
            }
            for one in encoded {
                match one {
                    Ok(one) => ready.push(one),
                    // Those before it are still written.
                    Err(error) => {
                        ready.drain(..).try_for_each(&mut write)?;
                        return Err(error);
                    }
                }
            }
        }
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
    use twistbase_tables::{self as tables, BuildRequest, Definition, cube2_place};

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
            let at = cube2_place(position);
            table.layout().index(at.row, at.entry)
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
        let row = |position: &Cube2Position| cube2_place(position).row;
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
