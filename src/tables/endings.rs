//! Distances to the position one twist from solved, which show the last twist of a solution of the Square-1 family.

use super::definition::first_layout;
use super::generated::{Generated, VisitRow, sum_of_positions, weighed};
use super::twists::twist_into;
use super::{BuildDepth, Definition, Distribution, Goal, Kind, TableFacts, TableMetric};
use twistbase_core::context::Context;
use twistbase_core::error::{Error, Result};
use twistbase_core::math::perm8::PERMUTATIONS;
use twistbase_levelset::{self as levelset, LevelsModulo3, Options, Seed, Space};
use twistbase_puzzle::square1::{Colouring, EndingCoordinate};
use twistbase_store::{CacheUnit, Packing, RowLevels, TableLayout};

/// Distances in twists, the middle layer ignored, to `K`: the position that one twist solves. They are stored modulo 3: a
/// position is at most one twist farther from `K`, or nearer to it, than from solved, so the distance to solved determines the
/// rest.
#[derive(Debug)]
pub struct EndingTable {
    layout: TableLayout,
    colouring: Colouring,
    facts: TableFacts,
}

impl EndingTable {
    /// The table of a colouring with these numbers of rows and classes of outer arrangements. A page has room for the 40,320
    /// entries of a class.
    pub(super) const fn new(
        colouring: Colouring,
        name: (&'static str, u16),
        [rows, classes]: [usize; 2],
        expected: Distribution,
    ) -> Self {
        let summary = "twists to the position one twist from solved, for WCA's metric";
        let words = [colouring.name(), "shape"];
        let facts = TableFacts::new(words, TableMetric::Twists, Goal::LastTwist, summary, Some(expected));
        Self {
            layout: first_layout(name, [rows, classes, PERMUTATIONS], Packing::Mod3, CacheUnit::Row),
            colouring,
            // A search finds the same without it.
            facts: TableFacts { is_in_all: false, ..facts },
        }
    }

    /// The colouring of its puzzle.
    pub fn colouring(&self) -> Colouring {
        self.colouring
    }

    /// Its coordinate.
    pub fn coordinate(&self) -> &'static EndingCoordinate {
        EndingCoordinate::of(self.colouring)
    }

    /// Bytes of memory for what becomes of a row: its bytes, and those of rows that wait to be written.
    fn row_memory(&self) -> u64 {
        5 * self.layout.row_bytes() as u64
    }
}

impl Definition for EndingTable {
    fn kind(&'static self) -> Kind {
        Kind::Endings(self)
    }

    fn facts(&self) -> &TableFacts {
        &self.facts
    }

    fn layout(&self) -> &TableLayout {
        &self.layout
    }

    fn row_name(&self, row: u32) -> String {
        self.coordinate().shape(row).map_or_else(|| row.to_string(), |shape| shape.name())
    }

    fn row_positions(&self, row: u32) -> u64 {
        positions(self.coordinate(), row, self.layout.row_entries())
    }

    fn working_set(&self) -> u64 {
        levelset::modulo3_working_set(self.layout.rows as usize, self.layout.pages as usize) + self.row_memory()
    }

    fn least_memory(&self) -> u64 {
        least_search_memory(self.coordinate()) + self.row_memory()
    }

    fn generate(
        &self,
        build_depth: BuildDepth<'_>,
        options: &Options,
        ctx: &Context,
    ) -> Result<Box<dyn Generated + '_>> {
        build_depth.must_be_whole(self)?;
        Error::check_memory(options.memory, self.least_memory())?;
        let coordinate = self.coordinate();
        let options = Options { memory: options.memory - self.row_memory(), ..options.clone() };
        let levels = levelset::generate_modulo3(&space(coordinate), &seeds(coordinate), &options, ctx)?;
        Ok(Box::new(EndingRows { table: self, levels }))
    }
}

/// Distances to `K`, generated.
struct EndingRows<'t> {
    table: &'t EndingTable,
    levels: LevelsModulo3,
}

impl EndingRows<'_> {
    fn row_levels(&self, row: u32) -> RowLevels {
        let coordinate = self.table.coordinate();
        weighed(self.levels.counts(row as usize), |entries| positions(coordinate, row, entries))
    }
}

impl Generated for EndingRows<'_> {
    fn distribution(&self) -> Vec<u64> {
        sum_of_positions((0..self.table.layout.rows).map(|row| self.row_levels(row)))
    }

    fn for_each_row(&mut self, visit: &mut VisitRow<'_>) -> Result<()> {
        let mut bytes = vec![0; self.table.layout.row_bytes()];
        for row in 0..self.table.layout.rows {
            self.levels.pack_row(row as usize, &mut bytes)?;
            visit(row, &bytes, &self.row_levels(row))?;
        }
        Ok(())
    }
}

/// Bytes of memory without which the distances to `K` cannot be searched.
pub(super) fn least_search_memory(coordinate: &EndingCoordinate) -> u64 {
    let most_sources = (0..coordinate.rows() as u32).map(|row| coordinate.sources(row).len()).max().unwrap_or(0);
    levelset::modulo3_least_memory(coordinate.rows(), coordinate.classes(), most_sources)
}

/// The positions that an entry of a row stands for: arrangements, each once per symmetry of the shape.
pub(super) fn weight(coordinate: &EndingCoordinate, row: u32) -> (u64, u64) {
    let images = if coordinate.is_chiral(row) { 2 } else { 1 };
    let symmetries = coordinate.shape(row).map_or(1, |shape| u64::from(shape.stabiliser_order()));
    (coordinate.relabellings() * images, symmetries)
}

/// The number of positions that some entries of a row stand for.
pub(super) fn positions(coordinate: &EndingCoordinate, row: u32, entries: u64) -> u64 {
    let (arrangements, symmetries) = weight(coordinate, row);
    entries * arrangements / symmetries
}

/// The twists between the entries of a coordinate.
pub(super) fn space(coordinate: &EndingCoordinate) -> Space {
    let classes = coordinate.classes();
    let sources = |row: usize| {
        let sources = coordinate.twists(row as u32).map(|twist| {
            let (_, inner) = coordinate.split(&twist.slots);
            twist_into(twist.row, inner, (0..classes as u32).map(|class| coordinate.move_class(class, &twist)))
        });
        sources.collect()
    };
    Space::new(classes, (0..coordinate.rows()).map(sources).collect())
}

/// Every entry of `K`.
pub(super) fn seeds(coordinate: &EndingCoordinate) -> Vec<Seed> {
    coordinate.last_places().into_iter().map(|(row, block, rank)| Seed { row, block, rank }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use twistbase_core::units::bytes_rounded_up;
    use twistbase_levelset::Kernel;

    /// What is said to be needed is enough, and nothing less is.
    #[test]
    fn the_least_memory_is_enough_and_is_told() {
        let (table, ctx) = (crate::endings(Colouring::Corners), Context::silent());
        let generate = |memory| {
            let options = Options { kernel: Kernel::detect(), memory, scratch: Some(std::env::temp_dir()) };
            table.generate(BuildDepth::WHOLE, &options, &ctx).map(|generated| generated.distribution())
        };
        let least = table.least_memory();
        assert_eq!(generate(least).unwrap(), table.expected().unwrap().positions);
        let Err(Error::Memory(why)) = generate(least - 1) else { panic!("it is too little") };
        assert!(why.ends_with(&bytes_rounded_up(least)), "{why}");
    }
}
