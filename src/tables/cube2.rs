//! The 2×2×2 cube: every position, in both metrics.
//!
//! A row is an orientation of the corners, an entry of it a permutation; the value is the distance.

use super::generated::{Generated, VisitRow, sum_of_positions};
use super::{BuildDepth, Definition, Distribution, Goal, Kind, TableMetric};
use twistbase_core::context::Context;
use twistbase_core::error::{Error, Result};
use twistbase_core::math::nibble::UNSET;
use twistbase_levelset::Options;
use twistbase_puzzle::cube2::{Cube2Position, moves};
use twistbase_puzzle::cube3::Metric;
use twistbase_store::{CacheUnit, Packing, RowLevels, TableLayout};

/// A table of all distances of the 2×2×2 cube.
#[derive(Debug)]
pub struct Cube2Table {
    layout: TableLayout,
    metric: Metric,
    summary: &'static str,
    expected: Distribution,
}

/// The layout of both tables; name and id to be filled in.
const LAYOUT: TableLayout = TableLayout {
    name: "",
    id: 0,
    rows: Cube2Position::ORIENTATIONS as u32,
    pages: 1,
    packing: Packing::Nibbles,
    page_entries: Cube2Position::PERMUTATIONS as u32,
    padding: 0,
    unit: CacheUnit::Table,
    spec_version: 1,
    generator_version: 1,
};

const SOURCE: &str = "Jaap Scherphuis, jaapsch.net/puzzles/cube2.htm";

/// Distances in the half-turn metric.
pub static TABLE: Cube2Table = Cube2Table {
    layout: TableLayout { name: "cube2", id: 70, ..LAYOUT },
    metric: Metric::Htm,
    summary: "2x2x2 cube, every position",
    expected: Distribution {
        positions: &[1, 9, 54, 321, 1_847, 9_992, 50_136, 227_536, 870_072, 1_887_748, 623_800, 2_644],
        source: SOURCE,
    },
};

/// The same in the quarter-turn metric.
pub static QTM: Cube2Table = Cube2Table {
    layout: TableLayout { name: "cube2-qtm", id: 71, ..LAYOUT },
    metric: Metric::Qtm,
    summary: "the same table, in quarter turns",
    expected: Distribution {
        positions: &[
            1, 6, 27, 120, 534, 2_256, 8_969, 33_058, 114_149, 360_508, 930_588, 1_350_852, 782_536, 90_280, 276,
        ],
        source: SOURCE,
    },
};

impl Cube2Table {
    /// How moves are counted.
    pub fn move_metric(&self) -> Metric {
        self.metric
    }

    /// The entry, and the row it is in, of a position.
    pub fn place(&self, position: &Cube2Position) -> (u32, u64) {
        (position.orientation().into(), position.permutation().into())
    }

    /// The position at an entry of a row; `None` if there is no such entry.
    pub fn position(&self, row: u32, entry: u64) -> Option<Cube2Position> {
        Cube2Position::from_coordinates(u16::try_from(entry).ok()?, u16::try_from(row).ok()?)
    }
}

impl Definition for Cube2Table {
    fn kind(&'static self) -> Kind {
        Kind::Cube2(self)
    }

    fn layout(&self) -> &TableLayout {
        &self.layout
    }

    fn puzzle(&self) -> &'static str {
        "cube2"
    }

    fn metric(&self) -> TableMetric {
        TableMetric::FaceTurns(self.metric)
    }

    fn goal(&self) -> Goal {
        Goal::Solved
    }

    fn summary(&self) -> &'static str {
        self.summary
    }

    fn row_noun(&self) -> &'static str {
        "corner orientation"
    }

    fn row_name(&self, row: u32) -> String {
        let orientations = self.position(row, 0).map(|position| position.corner_orientations().map(|o| o.to_string()));
        orientations.map_or_else(|| row.to_string(), |orientations| orientations.concat())
    }

    fn values_by_level(&self, _row: u32) -> Option<Vec<Option<u8>>> {
        Some((0..self.expected.positions.len() as u8).map(Some).collect())
    }

    fn row_positions(&self, _row: u32) -> u64 {
        self.layout.row_entries()
    }

    fn expected(&self) -> Option<&Distribution> {
        Some(&self.expected)
    }

    fn working_set(&self) -> u64 {
        // A byte per position; the moves of coordinates take little beside that.
        Cube2Position::COUNT as u64 + (1 << 20)
    }

    fn least_memory(&self) -> u64 {
        self.working_set()
    }

    fn deepest(&self) -> Option<u8> {
        // Every distance is below 15, which says "farther".
        Some(self.expected.positions.len() as u8 - 2)
    }

    fn generate(
        &self,
        build_depth: BuildDepth<'_>,
        options: &Options,
        ctx: &Context,
    ) -> Result<Box<dyn Generated + '_>> {
        let (given, least) = (options.memory, self.least_memory());
        if given < least {
            return Err(Error::small_memory(given, least));
        }
        let mut search = Cube2Search::new(self.metric);
        let first = search.start(&build_depth)?;
        for level in first..UNSET {
            if build_depth.depth == Some(level) || search.expand(level, ctx)? == 0 {
                ctx.progress().end();
                return Ok(Box::new(search));
            }
        }
        Err(Error::Budget(format!("positions are at distance {UNSET} or more, beyond the supported depth")))
    }
}

/// A breadth-first search over all positions.
struct Cube2Search {
    /// Of each position, [`UNSET`] if it is not reached: row after row, as in the table.
    distances: Vec<u8>,
    /// What the moves that count one do to the coordinates.
    moves: Vec<CoordinateMove>,
}

/// Where a move takes each orientation and each permutation: neither depends on the other.
struct CoordinateMove {
    orientations: Vec<u16>,
    permutations: Vec<u16>,
}

impl Cube2Search {
    fn new(metric: Metric) -> Self {
        let coordinate_move = |turn| {
            let turned = |permutation, orientation| {
                let position = Cube2Position::from_coordinates(permutation, orientation).expect("below the counts");
                position.turned(turn)
            };
            CoordinateMove {
                orientations: (0..Cube2Position::ORIENTATIONS as u16).map(|o| turned(0, o).orientation()).collect(),
                permutations: (0..Cube2Position::PERMUTATIONS as u16).map(|p| turned(p, 0).permutation()).collect(),
            }
        };
        Self { distances: vec![UNSET; Cube2Position::COUNT], moves: moves(metric).map(coordinate_move).collect() }
    }

    /// Enters what is known, or else the solved position; returns the farthest distance entered.
    fn start(&mut self, build_depth: &BuildDepth<'_>) -> Result<u8> {
        let Some((stored, (depth, _))) = build_depth.known.zip(build_depth.known_counts()?) else {
            self.distances[0] = 0;
            return Ok(0);
        };
        let mut nibbles = vec![0; LAYOUT.row_bytes()];
        for (row, distances) in (0..).zip(self.distances.chunks_exact_mut(Cube2Position::PERMUTATIONS)) {
            stored.read_row(row, &mut nibbles)?;
            let pairs = distances.chunks_exact_mut(2).zip(&nibbles);
            pairs.for_each(|(pair, byte)| pair.copy_from_slice(&[byte & 15, byte >> 4]));
        }
        Ok(depth)
    }

    /// Enters the neighbours of the positions at a distance, as far as they are not reached; returns how many.
    fn expand(&mut self, distance: u8, ctx: &Context) -> Result<u64> {
        let mut reached = 0;
        ctx.progress().begin(&format!("level {}", distance + 1), LAYOUT.rows.into(), "rows");
        for row in 0..Cube2Position::ORIENTATIONS {
            ctx.check()?;
            for entry in 0..Cube2Position::PERMUTATIONS {
                if self.distances[row * Cube2Position::PERMUTATIONS + entry] == distance {
                    reached += self.reach_neighbours(row, entry, distance + 1);
                }
            }
            ctx.progress().advance(1);
        }
        Ok(reached)
    }

    fn reach_neighbours(&mut self, row: usize, entry: usize, distance: u8) -> u64 {
        let Self { distances, moves } = self;
        let neighbours = moves.iter().map(|coordinates| {
            let (row, entry) = (coordinates.orientations[row], coordinates.permutations[entry]);
            usize::from(row) * Cube2Position::PERMUTATIONS + usize::from(entry)
        });
        let mut reached = 0;
        for neighbour in neighbours {
            if distances[neighbour] == UNSET {
                distances[neighbour] = distance;
                reached += 1;
            }
        }
        reached
    }

    fn rows(&self) -> impl Iterator<Item = &[u8]> {
        self.distances.chunks_exact(Cube2Position::PERMUTATIONS)
    }
}

/// How many of the distances are 0, 1, 2, …
fn row_levels(distances: &[u8]) -> RowLevels {
    let mut counts = Vec::new();
    for &distance in distances.iter().filter(|&&distance| distance != UNSET) {
        counts.resize(counts.len().max(usize::from(distance) + 1), 0);
        counts[usize::from(distance)] += 1;
    }
    RowLevels { entries: counts.clone(), positions: counts }
}

impl Generated for Cube2Search {
    fn distribution(&self) -> Vec<u64> {
        sum_of_positions(self.rows().map(row_levels))
    }

    fn for_each_row(&mut self, visit: &mut VisitRow<'_>) -> Result<()> {
        for (row, distances) in (0..).zip(self.rows()) {
            let nibbles: Vec<u8> = distances.chunks_exact(2).map(|pair| pair[0] | pair[1] << 4).collect();
            visit(row, &nibbles, &row_levels(distances))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{BuildRequest, Built, build};
    use twistbase_core::error::Fault;
    use twistbase_levelset::Kernel;
    use twistbase_store::{BuildStart, Store};

    fn request(depth: Option<u8>) -> BuildRequest {
        BuildRequest { depth, force: false, memory: TABLE.least_memory(), kernel: Kernel::detect() }
    }

    #[test]
    fn what_is_continued_is_what_is_built_at_once() {
        for table in [&TABLE, &QTM] {
            let [parts, whole] = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
            let built = |folder: &tempfile::TempDir, depth| {
                build(&Store::open(folder.path()), table, &request(depth), &Context::silent()).unwrap()
            };
            let mut digests = Vec::new();
            for (folder, depth, came_from) in
                [(&parts, Some(0), None), (&parts, Some(6), Some(0)), (&parts, None, Some(6)), (&whole, None, None)]
            {
                let Built::Now { manifest, from, .. } = built(folder, depth) else { panic!("there already") };
                assert_eq!(from, came_from);
                let expected = table.expected.to_depth(depth);
                assert!(manifest.distribution.iter().zip(expected).all(|(found, expected)| found == expected));
                digests.push(manifest.digest);
            }
            assert_eq!(digests[2], digests[3], "{}", table.layout.name);
        }
    }

    /// What comes out is compared with what is published, before anything is stored.
    #[test]
    fn a_table_that_differs_is_not_stored() {
        static OTHER: Cube2Table = Cube2Table {
            layout: TABLE.layout,
            metric: Metric::Htm,
            summary: TABLE.summary,
            expected: Distribution { positions: &[1, 9, 55, 321], source: "nobody" },
        };
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(folder.path());
        let error = build(&store, &OTHER, &request(Some(2)), &Context::silent()).unwrap_err();
        let Error::Data(data) = &error else { panic!("{error}") };
        assert!(data.fault == Fault::Damaged && data.detail.contains("nothing was stored"), "{error}");
        assert!(store.table_to_depth(&OTHER.layout).is_err());
        // As far as it agrees, it is.
        build(&store, &OTHER, &request(Some(1)), &Context::silent()).unwrap();
        assert_eq!(store.table_to_depth(&OTHER.layout).unwrap().manifest().distribution, [1, 9]);
    }

    #[test]
    fn what_reaches_as_far_is_built_again_only_by_force() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(folder.path());
        let build = |request| build(&store, &TABLE, &request, &Context::silent()).unwrap();
        let generation = |built: Built| match built {
            Built::Now { manifest, .. } => (true, manifest.generation, manifest.depth),
            Built::Already(manifest) => (false, manifest.generation, manifest.depth),
        };
        assert_eq!(generation(build(request(Some(3)))), (true, 1, Some(3)));
        assert_eq!(generation(build(request(Some(2)))), (false, 1, Some(3)));
        assert_eq!(generation(build(request(Some(3)))), (false, 1, Some(3)));
        let forced = BuildRequest { force: true, ..request(Some(2)) };
        assert_eq!(generation(build(forced)), (true, 2, Some(2)));
    }

    /// Of an interrupted build, as of an import of another file, rows stay that are what they must be, and no others.
    #[test]
    fn rows_of_an_interrupted_build_are_compared() {
        let [straight, interrupted] = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
        let (straight, store, ctx) = (Store::open(straight.path()), Store::open(interrupted.path()), Context::silent());
        build(&straight, &TABLE, &request(Some(4)), &ctx).unwrap();
        let right = straight.table_to_depth(&TABLE.layout).unwrap();
        let BuildStart::Building(mut builder) = store.build(&TABLE.layout, Some(4), false, &ctx).unwrap() else {
            panic!("it is there")
        };
        // A row in its place, and one in the place of another that differs from it.
        let others = (1..TABLE.layout.rows)
            .filter(|&row| right.row_record(row).unwrap().digest != right.row_record(0).unwrap().digest);
        let [own, other] = [0, others.min().unwrap()];
        for row in [own, other] {
            let mut bytes = vec![0; TABLE.layout.row_bytes()];
            right.read_row(own, &mut bytes).unwrap();
            let levels = right.row_record(own).unwrap().row_levels();
            let encoded = builder.encoder().encode(row, &bytes, &levels).unwrap();
            builder.put_row(encoded).unwrap();
        }
        drop(builder);
        let Built::Now { manifest, rows_kept, .. } = build(&store, &TABLE, &request(Some(4)), &ctx).unwrap() else {
            panic!("it is there")
        };
        assert_eq!((rows_kept, &manifest.digest), (1, &right.manifest().digest));
        assert_eq!(manifest.distribution, TABLE.expected.to_depth(Some(4)));
    }

    #[test]
    fn too_little_memory_is_refused_and_cancelling_ends_it() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(folder.path());
        let few = BuildRequest { memory: TABLE.least_memory() - 1, ..request(None) };
        assert!(matches!(build(&store, &TABLE, &few, &Context::silent()), Err(Error::Memory(_))));
        let ctx = Context::silent();
        ctx.cancel();
        assert!(matches!(build(&store, &TABLE, &request(None), &ctx), Err(Error::Interrupted)));
    }

    #[test]
    fn places_are_those_of_their_positions() {
        for (row, entry) in [(0, 0), (728, 5039), (17, 1234)] {
            let position = TABLE.position(row, entry).unwrap();
            assert_eq!(TABLE.place(&position), (row, entry));
        }
        assert_eq!(TABLE.place(&Cube2Position::SOLVED), (0, 0));
        assert_eq!((TABLE.position(729, 0), TABLE.position(0, 5040), TABLE.position(0, u64::MAX)), (None, None, None));
        assert_eq!((TABLE.row_name(0), TABLE.row_name(1)), ("00000000".to_owned(), "10000002".to_owned()));
    }
}
