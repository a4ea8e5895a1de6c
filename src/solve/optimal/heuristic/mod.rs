//! What guides the search: tables of bounds, each looked up its own way.

mod modulo3;
mod nx;
mod phase_one;

use std::sync::LazyLock;

pub(super) use self::modulo3::Modulo3Heuristic;
pub(super) use self::nx::Nx;
pub(super) use self::phase_one::{PackedPhaseOne, PhaseOne};
use super::AXES;
use super::bounds::Bounds;
use super::node::{OptimalNode, rotations};
use crate::packed_cube::{CubeKernel, PackedCube, Portable, corner_orientation_number};
use twistbase_core::error::Result;
use twistbase_core::math::quarters;
use twistbase_puzzle::cube3::{AXIS_SYMMETRIES, Cube, Metric, Symmetry};
use twistbase_tables::{BLOCK_BYTES, BLOCK_SLOTS};

/// A table of lower bounds over its bytes: distances to a subgroup that holds all turns of U and D.
pub(super) trait Heuristic: Sync {
    /// Whether an entry gives its bound. Otherwise it tells the change since a neighbour: then the inverse, which jumps
    /// from coset to coset, is not looked up.
    const TELLS_BOUNDS: bool = true;

    /// How moves are counted.
    fn metric(&self) -> Metric;

    /// What tells the row of a position. (The three steps of a look-up, this and the two that follow, are each made for
    /// many positions: a processor overlaps short chains of dependent steps, not long ones.)
    #[inline(always)]
    fn key<K: CubeKernel>(&self, _kernel: K, seen: &PackedCube) -> u32 {
        corner_orientation_number(&seen.corners).into()
    }

    /// Where the bound of a position is, from its key and its edges.
    fn index<K: CubeKernel>(&self, kernel: K, key: u32, edges: &[u8; 16]) -> usize;

    /// Asks for what [`Heuristic::bound`] will read.
    fn prefetch<K: CubeKernel>(&self, kernel: K, index: usize);

    /// The bound at an index, a move after another bound.
    fn bound(&self, index: usize, before: u8) -> u8;

    /// The bounds of a position that nothing is known of, where [entries do not give](Heuristic::TELLS_BOUNDS) them.
    ///
    /// # Errors
    /// [`Error::Data`](twistbase_core::error::Error::Data) (damaged) if the table contradicts itself.
    fn first_bounds(&self, _seen: [Cube; AXES]) -> Result<Bounds> {
        Ok(Bounds::default())
    }
}

/// The bound of a position that nothing is known of.
pub(super) fn bound_of<G: Heuristic>(heuristic: &G, seen: &PackedCube) -> u8 {
    heuristic.bound(heuristic.index(Portable, heuristic.key(Portable, seen), &seen.edges), 0)
}

/// The bounds of a position and its inverse along all axes.
///
/// # Errors
/// [`Error::Data`](twistbase_core::error::Error::Data) (damaged) if the table contradicts itself.
pub(super) fn first_bounds<G: Heuristic>(heuristic: &G, position: &Cube) -> Result<Bounds> {
    if !G::TELLS_BOUNDS {
        return heuristic.first_bounds(rotations().map(|rotation| rotation.of(position)));
    }
    let node = OptimalNode::start(position, Bounds::default(), 0);
    Ok(Bounds::of(std::array::from_fn(|look_up| bound_of(heuristic, &node.seen()[look_up]))))
}

/// The edges of the symmetries that keep the axis, each with its inverse: what takes a position's edges to their image.
struct Images([[[u8; 16]; 2]; AXIS_SYMMETRIES]);

impl Images {
    /// The only instance.
    fn get() -> &'static Self {
        static IMAGES: LazyLock<Images> = LazyLock::new(|| {
            let edges = |symmetry: Symmetry| PackedCube::of(symmetry.motion()).edges;
            Images(std::array::from_fn(|index| {
                let symmetry = Symmetry::from_index(index);
                [edges(symmetry), edges(symmetry.inverse())]
            }))
        });
        &IMAGES
    }

    #[inline(always)]
    fn of<K: CubeKernel>(&self, kernel: K, symmetry: Symmetry, edges: &[u8; 16]) -> [u8; 16] {
        let [there, back] = &self.0[symmetry.index() % AXIS_SYMMETRIES];
        kernel.edges(&kernel.edges(there, edges), back)
    }
}

/// Bounds in two bits each: 1 to 3 more than a base, or the least value of the block, as in the tables of Rokicki's
/// family.
#[derive(Debug, Clone, Copy)]
struct Blocks<'a> {
    base: u8,
    blocks: &'a [[u8; BLOCK_BYTES]],
}

impl Blocks<'_> {
    #[inline(always)]
    fn prefetch<K: CubeKernel>(&self, kernel: K, index: usize) {
        kernel.prefetch(self.blocks.as_flattened(), index / 4);
    }

    #[inline(always)]
    fn bound(&self, index: usize) -> u8 {
        let block = &self.blocks[index / BLOCK_SLOTS];
        let value = quarters::pick(block[index % BLOCK_SLOTS / quarters::PER_BYTE], index);
        // The least value of the block is in the upper half of its last byte.
        let least = block[BLOCK_BYTES - 1] >> 4;
        if value == 0 { least } else { self.base + value }
    }
}

#[cfg(test)]
mod tests {
    use super::modulo3::{LocateHuge, LocatePhaseOne, SLOTS};
    use super::*;
    use crate::packed_cube::{CubeWork, on_this_processor};
    use rand::SeedableRng;
    use rand_chacha::ChaCha8Rng;
    use twistbase_puzzle::cube3::random_cube;
    use twistbase_store::Packing;
    use twistbase_tables::{self as tables, BLOCK_ENTRIES, CosetTable, Definition, PhaseOneTable};

    /// `phase1-kociemba`.
    fn modulo_3() -> &'static PhaseOneTable {
        tables::phase_one_tables(Metric::Htm).find(|table| table.layout().packing == Packing::Mod3).expect("a table")
    }

    /// Compares where a guide looks with the table's definition; `slots` is the number of places that a byte counts,
    /// `packed` shows where a place of the table is in what the solver makes of it.
    struct Places<'g, G> {
        heuristic: &'g G,
        table: &'static dyn CosetTable,
        slots: usize,
        packed: fn(usize) -> usize,
    }

    impl<G: Heuristic> CubeWork for Places<'_, G> {
        type Output = ();

        fn run<K: CubeKernel>(self, kernel: K) {
            let mut rng = ChaCha8Rng::seed_from_u64(4);
            let layout = self.table.layout();
            for _ in 0..500 {
                let position = random_cube(&mut rng);
                let (row, entry) = self.table.place(&position);
                let (byte, slot) = layout.packing.locate(layout.row_bytes(), entry);
                let place = (row as usize * layout.row_bytes() + byte) * self.slots + slot;
                let expected = (self.packed)(place);
                let seen = PackedCube::of(&position);
                let index = self.heuristic.index(kernel, self.heuristic.key(kernel, &seen), &seen.edges);
                assert_eq!(index, expected, "{}", layout.name);
            }
        }
    }

    fn check<G: Heuristic>(heuristic: &G, table: &'static dyn CosetTable, slots: usize, packed: fn(usize) -> usize) {
        Places { heuristic, table, slots, packed }.run(Portable);
        on_this_processor(Places { heuristic, table, slots, packed });
    }

    #[test]
    fn guides_look_where_the_definitions_say() {
        for metric in [Metric::Htm, Metric::Qtm] {
            let table = tables::phase_one(metric);
            check(&PhaseOne::over(table, Blocks { base: 0, blocks: &[] }), table, 2, |place| {
                place / BLOCK_ENTRIES * BLOCK_SLOTS + place % BLOCK_ENTRIES
            });
        }
        for table in tables::pruning_tables() {
            check(&Nx::over(table, &[]), table, 4, |place| place);
        }
        let table = modulo_3();
        check(&Modulo3Heuristic::places_alone(table, LocatePhaseOne::get()), table, SLOTS, |place| place);
        let table = tables::huge();
        check(&Modulo3Heuristic::places_alone(table, LocateHuge::get()), table, SLOTS, |place| place);
    }
}
