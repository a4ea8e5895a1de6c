//! Distances to the position one twist from solved.

use super::index::parse_of;
use super::table::Square1Table;
use crate::Distance;
use crate::position_table::PositionTable;
use twistbase_core::error::{InvalidInput, Result};
use twistbase_puzzle::square1::notation::array;
use twistbase_puzzle::square1::{CanonicalPieces, EndingCoordinate, Place, Position};
use twistbase_store::Entries;
use twistbase_tables::{Definition, EndingTable};

/// A table of distances modulo 3 to `K`, the position that one twist solves, over any reader of its entries.
#[derive(Debug)]
pub struct EndingEntries<E> {
    definition: &'static EndingTable,
    coordinate: &'static EndingCoordinate,
    entries: E,
}

impl<E: Entries> EndingEntries<E> {
    /// The table over any reader; `entries` must be of the definition's layout.
    pub fn over(definition: &'static EndingTable, entries: E) -> Self {
        Self { definition, coordinate: definition.coordinate(), entries }
    }

    /// Its definition.
    pub fn definition(&self) -> &'static EndingTable {
        self.definition
    }

    /// The distance in twists to `K` of a position whose distance to solved is known, the middle layer ignored.
    ///
    /// # Errors
    /// Those of the reader; [`Error::Data`](twistbase_core::error::Error::Data) (damaged) for what no position of that distance has.
    #[inline]
    pub fn distance(&self, pieces: &CanonicalPieces, to_solved: u8) -> Result<u8> {
        let place = self.coordinate.place_of_pieces(pieces);
        let value = self.entries.get(place.row, place.entry.into())?;
        self.level_told(value, to_solved, || place)
    }

    /// The distance of an entry with this value, of a position at this distance from solved.
    fn level_told(&self, value: u8, to_solved: u8, place: impl FnOnce() -> Place) -> Result<u8> {
        // It is at most one twist more or less, so that one of three numbers is the one with that remainder.
        let most = to_solved + 1;
        let less = (most + 3 - value.min(3)) % 3;
        match most.checked_sub(less) {
            Some(level) if value < 3 => Ok(level),
            _ => {
                let Place { row, entry } = place();
                let entry = u64::from(entry);
                let detail =
                    format!("entry {entry} has the value {value}, which is impossible {to_solved} twists from solved");
                Err(self.definition.layout().damaged(row, entry, detail))
            }
        }
    }
}

/// The exact distances to `K`, from its table and that of the distances to solved.
#[derive(Debug)]
pub struct EndingDistances<E> {
    solved: Square1Table<E>,
    endings: EndingEntries<E>,
}

impl<E: Entries> EndingDistances<E> {
    /// From the two tables of one puzzle.
    pub fn new(solved: Square1Table<E>, endings: EndingEntries<E>) -> Self {
        Self { solved, endings }
    }

    /// The distance of a position, and those of its neighbours by twists, in twists, the middle layer ignored.
    ///
    /// # Errors
    /// Those of the readers; [`Error::Data`](twistbase_core::error::Error::Data) (damaged) for values that no position has.
    pub(crate) fn with_neighbours(&self, position: &Position) -> Result<(Distance, Vec<Distance>)> {
        let distance = |pieces: &CanonicalPieces| self.of_pieces(pieces).map(Distance::new);
        let pieces = position.canonical_pieces();
        let neighbours = pieces.neighbours().map(|next| distance(&next));
        Ok((distance(&pieces)?, neighbours.collect::<Result<_>>()?))
    }

    fn of_pieces(&self, pieces: &CanonicalPieces) -> Result<u8> {
        self.endings.distance(pieces, self.solved.level_of_pieces(pieces)?)
    }
}

impl<E: Entries> PositionTable for EndingDistances<E> {
    type Position = Position;
    type Entries = E;

    fn array_bytes(&self) -> usize {
        array::LENGTH
    }

    fn definition(&self) -> &'static dyn Definition {
        self.endings.definition
    }

    fn entries(&self) -> &E {
        &self.endings.entries
    }

    fn parse(&self, input: &str) -> Result<Position> {
        let EndingEntries { definition, coordinate, .. } = &self.endings;
        let at = |place| coordinate.position(place);
        let position = parse_of(definition.layout(), definition.colouring(), at, input)?.position;
        // Only so can it be written in digits; a turn is free.
        Ok(position.turn(position.unstraddling_turn()))
    }

    fn read_array(&self, array: &[u8]) -> Result<Position, InvalidInput> {
        array::read(array, self.endings.definition.colouring())
    }

    fn write_array(&self, position: &Position, array: &mut [u8]) {
        array.copy_from_slice(&array::write(position));
    }

    fn place(&self, position: &Position) -> (u32, u64) {
        let Place { row, entry } = self.endings.coordinate.place(position);
        (row, entry.into())
    }

    fn position(&self, row: u32, entry: u64) -> Option<Position> {
        self.endings.coordinate.position(Place { row, entry: u32::try_from(entry).ok()? })
    }

    fn level(&self, position: &Position, value: u8) -> Result<u8> {
        let to_solved = self.solved.level_of_pieces(&position.canonical_pieces())?;
        self.endings.level_told(value, to_solved, || self.endings.coordinate.place(position))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;
    use crate::{DeepRequest, verify_deep};
    use twistbase_core::context::Context;
    use twistbase_core::error::{Error, Fault};
    use twistbase_levelset::Kernel;
    use twistbase_puzzle::square1::Colouring;
    use twistbase_store::{BuildInfo, BuildStart, Store, StoredTable};
    use twistbase_tables::{self as tables, BuildRequest};

    fn built() -> (tempfile::TempDir, Store) {
        let folder = tempfile::tempdir().unwrap();
        let (store, ctx) = (Store::open(folder.path()), Context::silent());
        for table in ["square1-corners", "square1-corners-endings"] {
            tables::build(&store, tables::find(table).unwrap(), &BuildRequest::default(), &ctx).unwrap();
        }
        (folder, store)
    }

    fn opened(store: &Store) -> EndingDistances<StoredTable> {
        let solved = Square1Table::stored(store, tables::twists(Colouring::Corners)).unwrap();
        let endings = tables::endings(Colouring::Corners);
        EndingDistances::new(solved, EndingEntries::over(endings, store.table(endings.layout()).unwrap()))
    }

    #[test]
    fn layouts_are_those_of_the_coordinates() {
        for colouring in Colouring::ALL {
            let (layout, coordinate) = (tables::endings(colouring).layout(), EndingCoordinate::of(colouring));
            assert_eq!((layout.rows as usize, layout.pages as usize), (coordinate.rows(), coordinate.classes()));
        }
    }

    #[test]
    fn distances_are_those_of_a_plain_search() {
        let (_folder, store) = built();
        let table = opened(&store);
        let class = |pieces: &CanonicalPieces| pieces.least(Colouring::Corners);
        let last = EndingCoordinate::last_position();
        let (mut known, mut level) = (HashMap::from([(class(&last.canonical_pieces()), 0)]), vec![last]);
        for distance in 0..=5 {
            let mut next = Vec::new();
            for position in level {
                assert_eq!(table.of_pieces(&position.canonical_pieces()).unwrap(), distance);
                let (row, entry) = PositionTable::place(&table, &position);
                let value = table.entries().get(row, entry).unwrap();
                assert_eq!((table.level(&position, value).unwrap(), value), (distance, distance % 3));
                for neighbour in position.neighbours() {
                    if known.insert(class(&neighbour.pieces), distance + 1).is_none() {
                        next.extend(position.turn(neighbour.turn).twist());
                    }
                }
            }
            level = next;
        }
        assert_eq!(known.len(), 1 + 8 + 108 + 1259 + 13_618 + 136_812 + 893_486);
    }

    /// What deep verification reports of a table whose row 41 `change` has changed.
    fn faults(change: impl Fn(&mut [u8])) -> Vec<Error> {
        let (_folder, store) = built();
        let table = tables::endings(Colouring::Corners);
        let (ctx, right) = (Context::silent(), store.table(table.layout()).unwrap());
        let started = store.build(table.layout(), None, true, &ctx).unwrap();
        let BuildStart::Building(mut builder) = started else { panic!("it is built again") };
        for row in 0..table.layout().rows {
            let mut bytes = vec![0; table.layout().row_bytes()];
            right.read_row(row, &mut bytes).unwrap();
            if row == 41 {
                change(&mut bytes);
            }
            let levels = right.row_record(row).unwrap().row_levels();
            builder.put_row(builder.encoder().encode(row, &bytes, &levels).unwrap()).unwrap();
        }
        builder.finish(BuildInfo::default()).unwrap();
        let request = DeepRequest { rows: None, positions: 20_000, seed: 1, memory: 1 << 30, kernel: Kernel::detect() };
        let mut faults = Vec::new();
        let found = verify_deep(&store, table, &request, &ctx, &mut |fault| faults.push(fault)).unwrap();
        assert_eq!((found.rows, found.positions, found.faults), (0, 20_000, faults.len() as u64));
        faults
    }

    #[test]
    fn deep_verification_tells_a_changed_row_by_its_neighbours() {
        assert!(faults(|_| {}).is_empty());
        let faults = faults(|bytes| bytes.reverse());
        assert!(faults.len() > 100 && faults.iter().all(|fault| matches!(fault, Error::Data(_))), "{faults:?}");
    }

    #[test]
    fn deep_verification_wants_all_distances_to_solved() {
        let folder = tempfile::tempdir().unwrap();
        let (store, ctx) = (Store::open(folder.path()), Context::silent());
        let endings = tables::endings(Colouring::Corners);
        let request = BuildRequest { depth: Some(3), ..BuildRequest::default() };
        tables::build(&store, tables::twists(Colouring::Corners), &request, &ctx).unwrap();
        tables::build(&store, endings, &BuildRequest::default(), &ctx).unwrap();
        let request = DeepRequest { rows: None, positions: 100, seed: 1, memory: 1 << 30, kernel: Kernel::detect() };
        let verified = verify_deep(&store, endings, &request, &ctx, &mut |fault| panic!("not of this table: {fault}"));
        let Err(Error::Data(missing)) = verified else { panic!("{verified:?}") };
        assert_eq!((missing.fault, &*missing.table), (Fault::Bounded, "square1-corners"));
    }

    #[test]
    fn a_value_that_no_position_has_is_damage() {
        let (_folder, store) = built();
        let EndingDistances { endings, .. } = opened(&store);
        let place = || Place { row: 3, entry: 5 };
        let told = |value, to_solved| endings.level_told(value, to_solved, place).ok();
        assert_eq!([0, 1, 2].map(|value| told(value, 7)), [Some(6), Some(7), Some(8)]);
        assert_eq!([0, 1, 2, 3].map(|value| told(value, 0)), [Some(0), Some(1), None, None]);
        assert_eq!(told(3, 7), None);
    }
}
