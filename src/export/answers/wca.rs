//! Tables of the Square-1 family in WCA's metric: positions include the turns of the layers and the middle layer.

use std::ops::RangeInclusive;

use super::Answers;
use crate::WCA;
use crate::batch::Texts;
use twistbase_cache::CachedTable;
use twistbase_core::context::Context;
use twistbase_core::error::Result;
use twistbase_puzzle::square1::Position;
use twistbase_puzzle::square1::notation::{hex, wca};
use twistbase_query::WcaPositions;

impl Answers for WcaPositions<CachedTable> {
    type Table = Self;

    fn table(&self) -> &Self {
        self
    }

    fn metric_and_goal(&self) -> [&'static str; 2] {
        [WCA, "solved, as it lies"]
    }

    fn values_by_level(&self, _row: u32) -> Option<Vec<Option<u8>>> {
        None
    }

    fn levels_of_value(&self, value: u8) -> Option<RangeInclusive<u8>> {
        self.distances_of_value(value)
    }

    fn notations(&self) -> [&'static str; 2] {
        ["hex, or wca where a piece has no place in it", "wca"]
    }

    fn write(&self, position: &Position, text: &mut String) -> Result<()> {
        match hex::print_with_middle(position) {
            Some(digits) => text.push_str(&digits),
            // Turned so that digits could write it, it would be another position: what leads there is written.
            None => {
                let solution = self.distances().solutions(position)?.next().transpose()?;
                let scramble = solution.map(|solution| solution.sequence().inverse());
                scramble.iter().for_each(|scramble| wca::append(scramble.steps(), text));
            }
        }
        Ok(())
    }

    fn count(&self, position: &Position, ctx: &Context) -> Result<u128> {
        Ok(self.distances().count(position, ctx)?.alignments)
    }

    fn solutions(&self, position: &Position, limit: usize, texts: &mut Texts) -> Result<()> {
        for solution in self.distances().solutions(position)?.take(limit) {
            wca::append(solution?.sequence().steps(), &mut texts.text);
            texts.end();
        }
        Ok(())
    }
}
