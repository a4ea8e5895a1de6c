//! Tables of distances to the position one twist from solved.

use super::Answers;
use twistbase_cache::CachedTable;
use twistbase_core::error::Result;
use twistbase_puzzle::square1::Position;
use twistbase_puzzle::square1::notation::hex;
use twistbase_query::EndingDistances;

impl Answers for EndingDistances<CachedTable> {
    type Table = Self;

    fn table(&self) -> &Self {
        self
    }

    fn notations(&self) -> [&'static str; 2] {
        ["hex", "wca"]
    }

    fn write(&self, position: &Position, text: &mut String) -> Result<()> {
        // Positions that were parsed were turned so that they can be written, and those of entries can be twisted.
        text.push_str(&hex::print(position).unwrap_or_default());
        Ok(())
    }
}
