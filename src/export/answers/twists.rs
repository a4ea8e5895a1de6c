//! Tables of the Square-1 family.

use super::{Answers, EntryRecord, row_levels};
use crate::batch::Texts;
use twistbase_cache::CachedTable;
use twistbase_core::context::Context;
use twistbase_core::error::Result;
use twistbase_puzzle::square1::Position;
use twistbase_puzzle::square1::notation::{HexEntries, hex, wca};
use twistbase_query::{FirstSolutions, MiddleGoal, PositionTable, Square1Table, TwistOrder};

/// Entries ignore the middle layer.
const GOAL: MiddleGoal = MiddleGoal::Ignored;

pub(crate) struct TwistAnswers(FirstSolutions<CachedTable>);

impl TwistAnswers {
    pub fn new(table: Square1Table<CachedTable>) -> Result<Self> {
        let order = TwistOrder::new(&row_levels(table.entries())?);
        Ok(Self(FirstSolutions::new(table, GOAL, order)?))
    }
}

impl Answers for TwistAnswers {
    type Table = Square1Table<CachedTable>;

    fn table(&self) -> &Square1Table<CachedTable> {
        self.0.table()
    }

    fn notations(&self) -> [&'static str; 2] {
        ["hex", "wca"]
    }

    fn write(&self, position: &Position, text: &mut String) -> Result<()> {
        // Positions that were parsed were turned so that they can be written, and those of entries can be twisted.
        text.push_str(&hex::print(position).unwrap_or_default());
        Ok(())
    }

    fn write_positions(&self, records: &[EntryRecord], texts: &mut Texts) -> Result<()> {
        let coordinate = self.table().definition().coordinate();
        for of_row in records.chunk_by(|a, b| a.row == b.row) {
            let mut entries = HexEntries::new(coordinate, of_row[0].row);
            for record in of_row {
                let text = entries.as_mut().and_then(|entries| entries.text(record.entry as u32));
                match text {
                    Some(text) => texts.push(text),
                    None => return Err(self.table().no_position(record.row, record.entry)),
                }
            }
        }
        Ok(())
    }

    fn count(&self, position: &Position, ctx: &Context) -> Result<u128> {
        Ok(self.table().count(position, GOAL, ctx)?.alignments)
    }

    fn first_solutions(&self, positions: &[Position], texts: &mut Texts) -> Result<()> {
        self.0.each(positions, &mut |solution| {
            wca::append(solution.sequence().steps(), &mut texts.text);
            texts.end();
        })
    }

    fn solutions(&self, position: &Position, limit: usize, texts: &mut Texts) -> Result<()> {
        for solution in self.table().solutions(position, GOAL)?.take(limit) {
            wca::append(solution?.sequence().steps(), &mut texts.text);
            texts.end();
        }
        Ok(())
    }
}
