//! Tables of distances to subgroups, and pruning tables: bounds for the distance to solved.

use super::{Answers, CUBE_NOTATIONS, write_cube};
use twistbase_cache::CachedTable;
use twistbase_core::error::Result;
use twistbase_puzzle::cube3::Cube;
use twistbase_query::cube3::Cosets;

impl Answers for Cosets<CachedTable> {
    type Table = Self;

    fn table(&self) -> &Self {
        self
    }

    fn notations(&self) -> [&'static str; 2] {
        CUBE_NOTATIONS
    }

    fn write(&self, position: &Cube, text: &mut String) -> Result<()> {
        write_cube(position, text);
        Ok(())
    }
}
