//! The 2×2×2 cube: every position, in both metrics.
//!
//! It is the corners of the Rubik's cube, turned by U, R and F. A row is an orientation of the corners, an entry of it a
//! permutation; the value is the distance.

use super::defined::{About, DefinedTable, Known, Notation};
use super::definition::first_layout;
use super::{Distribution, Goal, TableFacts, TableMetric, cube_definition};
use crate::published::published;
use twistbase_definition::{PuzzleDefinition, Restriction, SpacePosition};
use twistbase_puzzle::cube2::Cube2Position;
use twistbase_puzzle::cube3::{CORNERS, Metric};
use twistbase_store::{CacheUnit, Packing};

/// Bytes of memory of a build.
const MEMORY: u64 = Cube2Position::COUNT as u64 + (1 << 20);

/// Distances in the half-turn metric.
pub(super) static TABLE: DefinedTable =
    table(["cube2", "2x2x2 cube, every position"], 70, Metric::Htm, published("cube2"));

/// The same in the quarter-turn metric.
pub(super) static QTM: DefinedTable =
    table(["cube2-qtm", "the same table, in quarter turns"], 71, Metric::Qtm, published("cube2-qtm"));

const fn table([name, summary]: [&'static str; 2], id: u16, metric: Metric, expected: Distribution) -> DefinedTable {
    let size = [Cube2Position::ORIENTATIONS, 1, Cube2Position::PERMUTATIONS];
    let layout = first_layout((name, id), size, Packing::Nibbles, CacheUnit::Table);
    let words = ["cube2", "corner orientation"];
    let facts = TableFacts::new(words, TableMetric::FaceTurns(metric), Goal::Solved, summary, Some(expected));
    DefinedTable::new(About {
        notation: Notation::Cube2,
        known: Some(Known { layout, memory: MEMORY }),
        ..About::new(name, "2×2×2 cube", facts)
    })
}

/// The corners of the Rubik's cube, turned by U, R and F.
pub(super) fn definition() -> PuzzleDefinition {
    let corners = (0..CORNERS).map(|corner| format!("CORNER-l{corner}")).collect();
    let moves = ["U", "R", "F"].map(str::to_owned).into();
    let restriction = Restriction { pieces: Some(corners), moves: Some(moves), ..Restriction::default() };
    cube_definition().restricted(&restriction).expect("the cube has these pieces and moves")
}

/// The row and the entry of a position.
pub fn place(position: &Cube2Position) -> SpacePosition {
    SpacePosition { row: position.orientation().into(), entry: position.permutation().into() }
}

/// The position at an entry of a row.
///
/// # Panics
/// If there is no such row or entry.
pub fn position(at: SpacePosition) -> Cube2Position {
    Cube2Position::from_coordinates(at.entry as u16, at.row as u16).expect("an entry of the table")
}

/// The orientation of the corner in each place.
pub(super) fn row_name(row: u32) -> String {
    position(SpacePosition { row, entry: 0 }).corner_orientations().map(|twist| twist.to_string()).concat()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{BuildRequest, Built, Definition, build, cube_pattern, defined_tables};
    use twistbase_core::context::Context;
    use twistbase_core::error::{Error, Fault};
    use twistbase_levelset::Kernel;
    use twistbase_puzzle::cube2::moves;
    use twistbase_store::{BuildStart, Store};

    fn request(depth: Option<u8>) -> BuildRequest {
        BuildRequest { depth, force: false, memory: TABLE.least_memory(), kernel: Kernel::detect() }
    }

    /// Also where distances are stored modulo 3.
    #[test]
    fn what_is_continued_is_what_is_built_at_once() {
        let floppy = defined_tables().find(|table| table.name() == "floppy").unwrap();
        for table in [&TABLE, &QTM, floppy] {
            let [parts, whole] = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
            let built = |folder: &tempfile::TempDir, depth| {
                let request = BuildRequest { memory: table.least_memory(), ..request(depth) };
                build(&Store::open(folder.path()), table, &request, &Context::silent()).unwrap()
            };
            let mut digests = Vec::new();
            for (folder, depth, came_from) in
                [(&parts, Some(0), None), (&parts, Some(6), Some(0)), (&parts, None, Some(6)), (&whole, None, None)]
            {
                let Built::Now { manifest, from, .. } = built(folder, depth) else { panic!("there already") };
                assert_eq!(from, came_from);
                let expected = table.expected().unwrap().to_depth(depth);
                assert!(manifest.distribution.iter().zip(expected).all(|(found, expected)| found == expected));
                digests.push(manifest.digest);
            }
            assert_eq!(digests[2], digests[3], "{}", table.layout().name);
        }
    }

    /// What comes out is compared with what is published, before anything is stored.
    #[test]
    fn a_table_that_differs_is_not_stored() {
        const COUNTS: Distribution = Distribution { positions: &[1, 9, 55, 321], source: "nobody" };
        static OTHER: DefinedTable = table(["cube2", "another"], 70, Metric::Htm, COUNTS);
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(folder.path());
        let error = build(&store, &OTHER, &request(Some(2)), &Context::silent()).unwrap_err();
        let Error::Data(data) = &error else { panic!("{error}") };
        assert!(data.fault == Fault::Damaged && data.detail.contains("nothing was stored"), "{error}");
        assert!(store.table_to_depth(OTHER.layout()).is_err());
        // As far as it agrees, it is.
        build(&store, &OTHER, &request(Some(1)), &Context::silent()).unwrap();
        assert_eq!(store.table_to_depth(OTHER.layout()).unwrap().manifest().distribution, [1, 9]);
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
        let right = straight.table_to_depth(TABLE.layout()).unwrap();
        let BuildStart::Building(mut builder) = store.build(TABLE.layout(), Some(4), false, &ctx).unwrap() else {
            panic!("it is there")
        };
        // A row in its place, and one in the place of another that differs from it.
        let others = (1..TABLE.layout().rows)
            .filter(|&row| right.row_record(row).unwrap().digest != right.row_record(0).unwrap().digest);
        let [own, other] = [0, others.min().unwrap()];
        for row in [own, other] {
            let mut bytes = vec![0; TABLE.layout().row_bytes()];
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
        assert_eq!(manifest.distribution, TABLE.expected().unwrap().to_depth(Some(4)));
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

    /// The space numbers positions as the cube does, and turns lead to the same ones.
    #[test]
    fn places_are_those_of_their_positions() {
        let (space, mut at) = (TABLE.space(), Cube2Position::SOLVED);
        let turns: Vec<_> = moves(Metric::Htm).collect();
        assert!(
            space.turns().iter().map(|turn| &turn.name).eq(&turns.iter().map(ToString::to_string).collect::<Vec<_>>())
        );
        assert_eq!((space.rows(), space.entries(), space.solved()), (Some(729), 5040, place(&at)));
        for step in 0..1000 {
            let there = place(&at);
            assert_eq!((position(there), space.position_of(&space.pattern_of(there))), (at, Some(there)));
            let pattern = cube_pattern(&at.cube());
            assert_eq!(space.position_of(&cube_definition().position_in(space.definition(), &pattern)), Some(there));
            for (turn, (_, after)) in turns.iter().zip(space.turned(there)) {
                assert_eq!(position(after), at.turned(*turn));
            }
            at = at.turned(turns[step * step % 9]).turned(turns[step % 7]);
        }
        assert_eq!((TABLE.row_name(0), TABLE.row_name(1)), ("00000000".to_owned(), "10000002".to_owned()));
        assert_eq!((0..9).map(|turn| QTM.cost(turn)).collect::<Vec<_>>(), [1, 2, 1, 1, 2, 1, 1, 2, 1]);
    }
}
