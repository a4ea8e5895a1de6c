//! Tables of the Square-1 family.

use super::{Answers, EntryRecord, OF_DISTANCES, row_levels};
use crate::cache::CachedTable;
use crate::context::Context;
use crate::error::Result;
use crate::export::batch::Texts;
use crate::export::columns::Column;
use crate::puzzle::square1::notation::{HexEntries, hex, wca};
use crate::puzzle::square1::{Place, Position};
use crate::query::{self, FirstSolutions, MiddleGoal, Square1Table, TwistOrder};
use crate::tables::Definition;

/// Entries do not tell the middle layer.
const GOAL: MiddleGoal = MiddleGoal::Ignored;

pub(in crate::export) struct TwistAnswers(FirstSolutions<CachedTable>);

impl TwistAnswers {
    pub fn new(table: Square1Table<CachedTable>) -> Result<Self> {
        let order = TwistOrder::new(&row_levels(table.entries())?);
        Ok(Self(FirstSolutions::new(table, GOAL, order)?))
    }
}

impl Answers for TwistAnswers {
    type Position = Position;

    fn definition(&self) -> &'static dyn Definition {
        self.0.table().definition()
    }

    fn entries(&self) -> &CachedTable {
        self.0.table().entries()
    }

    fn offered(&self) -> &'static [Column] {
        &OF_DISTANCES
    }

    fn notations(&self) -> [&'static str; 2] {
        ["hex", "wca"]
    }

    fn parse(&self, input: &str) -> Result<Position> {
        let position = query::parse(self.0.table().definition(), input)?.position;
        // Only so can it be written in digits; a turn is free.
        Ok(position.turn(position.unstraddling_turn()))
    }

    fn place(&self, position: &Position) -> (u32, u64) {
        let Place { row, entry } = self.0.table().place(position);
        (row, entry.into())
    }

    fn position(&self, row: u32, entry: u64) -> Option<Position> {
        self.0.table().definition().coordinate().position(Place { row, entry: u32::try_from(entry).ok()? })
    }

    fn write(&self, position: &Position, text: &mut String) {
        // Positions that were parsed were turned so that they can be written, and those of entries can be twisted.
        text.push_str(&hex::print(position).unwrap_or_default());
    }

    fn write_positions(&self, records: &[EntryRecord], texts: &mut Texts) -> Result<()> {
        let coordinate = self.0.table().definition().coordinate();
        for of_row in records.chunk_by(|a, b| a.row == b.row) {
            let mut entries = HexEntries::new(coordinate, of_row[0].row);
            for record in of_row {
                let text = entries.as_mut().and_then(|entries| entries.text(record.entry as u32));
                match text {
                    Some(text) => texts.push(text),
                    None => self.position_of(record).map(|_| ())?,
                }
            }
        }
        Ok(())
    }

    fn level(&self, position: &Position, _value: u8) -> Result<u8> {
        Ok(self.0.table().distance(position, GOAL)?.twists())
    }

    fn count(&self, position: &Position, ctx: &Context) -> Result<u128> {
        Ok(self.0.table().count(position, GOAL, ctx)?.alignments)
    }

    fn first_solutions(&self, positions: &[Position], texts: &mut Texts) -> Result<()> {
        self.0.each(positions, &mut |solution| {
            wca::append(solution.sequence().steps(), &mut texts.text);
            texts.end();
        })
    }

    fn solutions(&self, position: &Position, limit: usize, texts: &mut Texts) -> Result<()> {
        for solution in self.0.table().solutions(position, GOAL)?.take(limit) {
            wca::append(solution?.sequence().steps(), &mut texts.text);
            texts.end();
        }
        Ok(())
    }
}
