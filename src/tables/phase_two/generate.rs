//! Generating the tables of phase 2, by the block engine: blocks are orders of the middle edges.

use std::collections::HashMap;
use std::sync::Arc;

use super::{HMove, PhaseTwoTable, StoredDistance, h_moves, stored};
use crate::BuildDepth;
use crate::generated::{BlockRows, Generated, VisitRow, map_nibbles, sum};
use twistbase_core::context::Context;
use twistbase_core::error::Result;
use twistbase_core::math::perm8::{PERMUTATIONS, compose, is_odd};
use twistbase_core::math::square::compose4;
use twistbase_core::math::{nibble, trits};
use twistbase_levelset::{
    self as levelset, BlockSource, KnownLevels, Levels, Options, Part, RowSource, Seed, SlotMove, Space, UNSET,
};
use twistbase_puzzle::cube3::coordinate::{
    CornerClass, CornerClasses, PhaseTwoPlace, PhaseTwoPosition, edge_relabelling, middle_coset, middle_of_coset,
    motions,
};
use twistbase_puzzle::cube3::{Metric, Move, Symmetry};
use twistbase_store::{Packing, RowLevels, TableLayout};

/// The nibble of the largest distance that leaves the remainder `level` by 15, for corners of that parity. The few
/// positions nearer than [`NEAR`] have a smaller one; what has no level stays unset.
fn stored_far(metric: Metric, level: u8, odd: bool) -> u8 {
    let distance = match metric {
        _ if level == UNSET => return UNSET,
        Metric::Htm if level < NEAR => level + 15,
        Metric::Htm => level,
        // With the parity, the remainder by 30 is known. 30 itself occurs, and 0 only once.
        Metric::Qtm if level == 0 && !odd => 30,
        Metric::Qtm if (level % 2 == 1) == odd => level,
        Metric::Qtm => level + 15,
    };
    stored(metric, distance)
}

/// Distances below this can be mistaken for others that leave the same remainder by 15: 0 to 3 for 15 to 18, or 0 for
/// 30.
const NEAR: u8 = 4;

/// The entries nearer than [`NEAR`], with their distances, by row.
type NearEntries = HashMap<u32, Vec<(u64, u8)>>;

impl PhaseTwoTable {
    /// Searches all positions as far as `build_depth` says.
    ///
    /// # Errors
    /// Those of [`Definition::generate`](crate::Definition::generate).
    pub(super) fn search(
        &self,
        build_depth: BuildDepth<'_>,
        options: &Options,
        ctx: &Context,
    ) -> Result<Box<dyn Generated + '_>> {
        if self.layout.packing != Packing::Nibbles {
            build_depth.must_be_whole(self)?;
        }
        let near = self.near();
        let known = build_depth.known_counts()?;
        let mut read = |row: usize, nibbles: &mut [u8]| match build_depth.known {
            Some(stored) => stored.read_row(row as u32, nibbles).map(|()| self.read_levels(row as u32, &near, nibbles)),
            None => Ok(()),
        };
        let known = known.map(|(depth, counts)| KnownLevels { depth, counts, read: &mut read });
        let (space, seed) = (self.space(h_moves(self.metric)), self.seed());
        let levels = levelset::generate(&space, &[seed], known, build_depth.depth, options, ctx)?;
        match (self.layout.packing, self.metric) {
            (Packing::Mod3 | Packing::Quarters, _) => Ok(Box::new(PackedPhaseTwo { layout: self.layout, levels })),
            (Packing::Nibbles, metric) => {
                let convert = move |row: u32, nibbles: &mut [u8]| {
                    let odd = self.row_is_odd(row);
                    map_nibbles(nibbles, &std::array::from_fn(|level| stored_far(metric, level as u8, odd)));
                    let is_within = |distance| build_depth.depth.is_none_or(|depth| distance <= depth);
                    let of_row = near.get(&row).into_iter().flatten();
                    for &(entry, distance) in of_row.filter(|&&(_, distance)| is_within(distance)) {
                        nibble::set(nibbles, entry as usize, stored(metric, distance));
                    }
                };
                Ok(self.rows(levels, convert))
            }
        }
    }

    /// Turns a row as it is stored in a table that is built to a depth, where no distance stands for another, into
    /// levels modulo 15.
    fn read_levels(&self, row: u32, near: &NearEntries, nibbles: &mut [u8]) {
        let odd = self.row_is_odd(row);
        let level = |value: u8| match self.stored_distance(value, odd) {
            _ if value == UNSET => UNSET,
            StoredDistance::Exactly(distance) | StoredDistance::Either(_, distance) => distance % UNSET,
            StoredDistance::AtLeast(_) | StoredDistance::Modulo3(_) => {
                unreachable!("only 15 stands for several distances")
            }
        };
        map_nibbles(nibbles, &std::array::from_fn(|value| level(value as u8)));
        let of_row = near.get(&row).into_iter().flatten();
        for &(entry, distance) in of_row.filter(|&&(_, distance)| distance == 0) {
            nibble::set(nibbles, entry as usize, distance);
        }
    }

    fn rows<'t>(&self, levels: Levels, convert: impl Fn(u32, &mut [u8]) + 't) -> Box<dyn Generated + 't> {
        let weigh = |row: u32, entries| entries * CornerClasses::get().classes()[row as usize].size();
        Box::new(BlockRows { levels, rows: self.layout.rows, weigh, convert })
    }

    fn near(&self) -> NearEntries {
        let mut places = HashMap::new();
        let mut levels: [Vec<PhaseTwoPosition>; NEAR as usize] = Default::default();
        levels[0].push(PhaseTwoPosition::SOLVED);
        for distance in 0..NEAR {
            for h_position in std::mem::take(&mut levels[usize::from(distance)]) {
                for place in Symmetry::keeping_axis().map(|symmetry| self.place(&h_position.image(symmetry))) {
                    places.entry(place).or_insert(distance);
                }
                for turn in h_moves(self.metric) {
                    let farther = usize::from(distance + self.metric.cost(turn.turn));
                    if let Some(level) = levels.get_mut(farther) {
                        level.push(h_position.then(&turn.effect));
                    }
                }
            }
        }
        let mut rows = NearEntries::new();
        places.into_iter().for_each(|((row, entry), distance)| rows.entry(row).or_default().push((entry, distance)));
        rows
    }

    /// The entry of the solved position.
    fn seed(&self) -> Seed {
        let solved = PhaseTwoPlace::of(&PhaseTwoPosition::SOLVED);
        Seed {
            row: solved.corners.into(),
            block: if self.exact { solved.middle.into() } else { 0 },
            rank: solved.edges.into(),
        }
    }

    /// What `moves`, which must be closed under the symmetries and inversion, do between the entries.
    fn space<'m>(&self, moves: impl Iterator<Item = &'m HMove> + Clone) -> Space {
        let mut slots = HashMap::new();
        let classes = CornerClasses::get().classes();
        let rows =
            classes.iter().map(|class| moves.clone().flat_map(|turn| self.sources(class, turn, &mut slots)).collect());
        Space::new(self.blocks(), rows.collect())
    }

    /// The sources of a row for one move: two where the parity of the edges decides about the middle ones.
    fn sources(&self, class: &CornerClass, turn: &HMove, slots: &mut SlotMoves) -> Vec<RowSource> {
        let (row, symmetry) = CornerClasses::get().of(&compose(&class.representative, &turn.effect.corners));
        let slots = slots.entry((turn.turn, symmetry)).or_insert_with(|| {
            let [_, back] = &motions()[symmetry.index()];
            Arc::new(SlotMove::new(&compose(&turn.effect.edges, &back.edges)))
        });
        let source = |part, blocks| RowSource {
            row: row.into(),
            cost: self.metric.cost(turn.turn),
            part,
            slots: Arc::clone(slots),
            blocks,
        };
        let [even, odd] = [false, true].map(|odd| self.block_sources(class, turn, symmetry, odd));
        if even == odd { vec![source(Part::All, even)] } else { vec![source(Part::Even, even), source(Part::Odd, odd)] }
    }

    /// Where each block comes from, for edges of one parity.
    fn block_sources(&self, class: &CornerClass, turn: &HMove, symmetry: Symmetry, odd: bool) -> Vec<BlockSource> {
        let relabelling = edge_relabelling(symmetry);
        let [there, back] = &motions()[symmetry.index()];
        let block = |block: usize| {
            let middle = middle_of_coset(block as u8, is_odd(&class.representative) ^ odd);
            let moved = compose4(compose4(there.middle, compose4(middle, turn.effect.middle)), back.middle);
            u32::from(middle_coset(moved).0)
        };
        let block = |number| if self.exact { block(number) } else { 0 };
        (0..self.blocks()).map(|number| BlockSource { block: block(number), relabelling }).collect()
    }
}

/// Moves of slots by move and the symmetry after it.
type SlotMoves = HashMap<(Move, Symmetry), Arc<SlotMove>>;

/// A table packed modulo 3, as one row in Kociemba's order.
struct PackedPhaseTwo {
    layout: TableLayout,
    levels: Levels,
}

impl PackedPhaseTwo {
    fn weighed(&self, row: usize) -> Vec<u64> {
        let size = CornerClasses::get().classes()[row].size();
        self.levels.counts(row).iter().map(|count| count * size).collect()
    }
}

impl Generated for PackedPhaseTwo {
    fn distribution(&self) -> Vec<u64> {
        sum((0..CornerClasses::COUNT).map(|row| self.weighed(row)))
    }

    fn for_each_row(&mut self, visit: &mut VisitRow<'_>) -> Result<()> {
        let entries = (0..CornerClasses::COUNT).map(|row| self.levels.counts(row).to_vec());
        let levels = RowLevels { entries: sum(entries), positions: self.distribution() };
        let mut packed = vec![0; self.layout.row_bytes()];
        self.levels.for_each_row(|row, nibbles| {
            // 15 is a multiple of 3: the remainder by 3 is still there.
            for (edges, place) in (row as u64..).step_by(CornerClasses::COUNT).take(PERMUTATIONS).enumerate() {
                trits::set(&mut packed, place, nibble::pick(nibbles[edges / 2], edges) % 3);
            }
            Ok(())
        })?;
        visit(0, &packed, &levels)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::phase_two;
    use twistbase_levelset::{Kernel, MOST_LEVELS};

    /// Positions at each distance by half turns: a group of 663,552 positions, known since the seventies.
    const HALF_TURNS: [u64; 16] =
        [1, 6, 27, 120, 519, 1932, 6484, 20310, 55034, 113_892, 178_495, 179_196, 89728, 16176, 1488, 144];

    /// Distances by half turns alone of everything that they reach, by trying each everywhere, with the middle edges
    /// or without.
    fn plain_search(moves: &[HMove], middle: bool) -> Vec<Vec<PhaseTwoPosition>> {
        let kept = |h_position: PhaseTwoPosition| if middle { h_position } else { h_position.at_home() };
        let mut known = std::collections::HashSet::from([PhaseTwoPosition::SOLVED]);
        let mut levels = vec![vec![PhaseTwoPosition::SOLVED]];
        while let Some(last) = levels.last().filter(|last| !last.is_empty()) {
            let reached = last.iter().flat_map(|at| moves.iter().map(|turn| kept(at.then(&turn.effect))));
            let next = reached.filter(|&h_position| known.insert(h_position)).collect();
            levels.push(next);
        }
        levels.pop();
        levels
    }

    /// Generates a table with half turns alone, and compares every entry with the plain search: those that half turns
    /// do not reach must have no level.
    fn compare_half_turns(table: &PhaseTwoTable) -> Vec<u64> {
        let half_turns: Vec<HMove> = h_moves(Metric::Htm).filter(|turn| turn.turn.quarters() == 2).copied().collect();
        assert_eq!(half_turns.len(), 6);
        let levels = plain_search(&half_turns, table.exact);
        let mut expected = HashMap::new();
        for (distance, h_position) in (0..).zip(&levels).flat_map(|(d, level)| level.iter().map(move |at| (d, at))) {
            let (row, entry) = table.place(h_position);
            let known = *expected.entry(row).or_insert_with(HashMap::new).entry(entry).or_insert(distance);
            assert_eq!(known, distance, "positions of one entry are as far");
        }
        assert!(levels.len() < MOST_LEVELS);
        let options = Options { kernel: Kernel::detect(), memory: 4 << 30, scratch: Some(std::env::temp_dir()) };
        let space = table.space(half_turns.iter());
        let mut found = levelset::generate(&space, &[table.seed()], None, None, &options, &Context::silent()).unwrap();
        let counts = sum((0..CornerClasses::COUNT).map(|row| {
            let size = CornerClasses::get().classes()[row].size();
            found.counts(row).iter().map(|count| count * size).collect()
        }));
        let (mut rows, mut set) = (0, 0);
        found
            .for_each_row(|row, nibbles| {
                let expected = expected.get(&(row as u32));
                for entry in 0..table.layout.row_entries() {
                    let level = nibble::pick(nibbles[entry as usize / 2], entry as usize);
                    let known = expected.and_then(|row| row.get(&entry));
                    assert_eq!(level, known.map_or(UNSET, |distance: &u8| distance % UNSET), "{row} {entry}");
                    set += usize::from(level != UNSET);
                }
                rows += 1;
                Ok(())
            })
            .unwrap();
        assert_eq!((rows, set), (CornerClasses::COUNT, expected.values().map(HashMap::len).sum()));
        assert!(levels.iter().map(|level| level.len() as u64).eq(counts.iter().copied()));
        counts
    }

    #[test]
    fn half_turns_without_the_middle_edges_at_every_entry() {
        let counts = compare_half_turns(&phase_two::TABLE);
        // A quotient of the group: as near as there, or nearer.
        assert_eq!(counts[..4], [1, 6, 27, 108]);
        assert_eq!(HALF_TURNS.iter().sum::<u64>() % counts.iter().sum::<u64>(), 0);
    }

    /// The middle edges make twelve blocks of a row, and sources in parts.
    #[test]
    #[ignore = "tier two: the half turns of all of H"]
    fn full_half_turns_in_all_of_h_at_every_entry() {
        assert_eq!(compare_half_turns(&phase_two::EXACT), HALF_TURNS);
    }
}
