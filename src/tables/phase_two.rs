//! The tables of phase 2: positions in H = ⟨U, D, R2, F2, L2, B2⟩, by moves that stay in H.
//!
//! Rows are classes of corner permutations under the 16 symmetries that keep the axis. With the middle edges the
//! distances are those in H, 19,508,428,800 positions. Without them they are those in H', a lower bound for H that is
//! a twelfth of the size (Tomas Rokicki's phase 2 table).
//!
//! These distances are in moves of H. The trivial coset of the coset solver holds the same positions, but counts all
//! moves of the cube, by which some are nearer: the numbers agree up to distance 4 only.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock};

use super::generated::{BlockRows, Generated, VisitRow, map_nibbles, sum};
use super::{BuildDepth, Definition, Distribution};
use crate::context::Context;
use crate::error::Result;
use crate::levelset::{self, BlockSource, KnownLevels, Levels, Options, Part, Seed, SlotMove, Source, Space, UNSET};
use crate::math::perm8::{PERMUTATIONS, compose, is_odd};
use crate::math::square::compose4;
use crate::math::{nibble, trits};
use crate::puzzle::cube3::coordinate::{
    CornerClass, CornerClasses, PhaseTwoPlace, PhaseTwoPosition, edge_relabelling, middle_coset, middle_of_coset,
    motions,
};
use crate::puzzle::cube3::{Face, Metric, Move, Symmetry};
use crate::store::{CacheUnit, Packing, RowLevels, TableLayout};

/// A table of distances in H or in H'.
#[derive(Debug)]
pub struct PhaseTwoTable {
    pub(super) layout: TableLayout,
    pub(super) metric: Metric,
    /// Whether the middle edges are told apart: H, not H'.
    pub(super) exact: bool,
    pub(super) summary: &'static str,
    pub(super) expected: Distribution,
}

/// The layout of a table in nibbles, of `blocks` arrangements of the middle edges; name and id to be filled in. A page
/// is the 40,320 entries of one of them.
pub(super) const fn layout(blocks: u32) -> TableLayout {
    TableLayout {
        name: "",
        id: 0,
        rows: CornerClasses::COUNT as u32,
        pages: blocks,
        packing: Packing::Nibbles,
        page_entries: PERMUTATIONS as u32,
        padding: 0,
        unit: CacheUnit::Table,
        spec_version: 1,
        generator_version: 1,
    }
}

/// The number of blocks of [`layout`] with the middle edges.
pub(super) const MIDDLES: u32 = PhaseTwoPlace::MIDDLES as u32;

impl PhaseTwoTable {
    /// How moves are counted.
    pub fn move_metric(&self) -> Metric {
        self.metric
    }

    /// Whether distances are those in H; otherwise the middle edges are ignored and they are those in H'.
    pub fn is_exact(&self) -> bool {
        self.exact
    }

    /// The entry, and the row it is in, of a position in H.
    #[inline]
    pub fn place(&self, h_position: &PhaseTwoPosition) -> (u32, u64) {
        self.place_of(PhaseTwoPlace::of(h_position))
    }

    /// The same of a position whose corners are the representative of their class.
    #[inline]
    pub(crate) fn place_of_representative(&self, class: u16, h_position: &PhaseTwoPosition) -> (u32, u64) {
        self.place_of(PhaseTwoPlace::of_representative(class, &h_position.edges, h_position.middle))
    }

    #[inline]
    fn place_of(&self, place: PhaseTwoPlace) -> (u32, u64) {
        let block = if self.exact { u64::from(place.middle) } else { 0 };
        let entry = block * PERMUTATIONS as u64 + u64::from(place.edges);
        match self.layout.packing {
            Packing::Nibbles => (u32::from(place.corners), entry),
            // Kociemba's order: all classes of the first permutation of the edges, then of the next.
            Packing::Mod3 | Packing::Quarters => (0, entry * CornerClasses::COUNT as u64 + u64::from(place.corners)),
        }
    }

    /// A position at an entry of a row: of those without the middle edges, with these as near to home as the parity
    /// allows. `None` if there is no such entry.
    pub fn position_at(&self, row: u32, entry: u64) -> Option<PhaseTwoPosition> {
        let (corners, entry) = match self.layout.packing {
            Packing::Nibbles => (row.into(), entry),
            Packing::Mod3 | Packing::Quarters if row == 0 => {
                (entry % CornerClasses::COUNT as u64, entry / CornerClasses::COUNT as u64)
            }
            Packing::Mod3 | Packing::Quarters => return None,
        };
        let (middle, edges) = (entry / PERMUTATIONS as u64, entry % PERMUTATIONS as u64);
        let place = PhaseTwoPlace {
            corners: u16::try_from(corners).ok()?,
            middle: u8::try_from(middle).ok().filter(|&middle| usize::from(middle) < self.blocks())?,
            edges: edges as u16,
        };
        place.h_position()
    }

    /// Whether the corners of a row are permuted oddly, in a table whose rows are classes of them.
    fn row_is_odd(&self, row: u32) -> bool {
        CornerClasses::get().classes().get(row as usize).is_some_and(|class| is_odd(&class.representative))
    }

    /// The largest distance that there is.
    pub fn farthest(&self) -> u8 {
        // A table has fewer than 32 levels.
        self.expected.positions.len() as u8 - 1
    }

    fn blocks(&self) -> usize {
        if self.exact { PhaseTwoPlace::MIDDLES } else { 1 }
    }

    fn total_blocks(&self) -> usize {
        CornerClasses::COUNT * self.blocks()
    }

    fn most_cost(&self) -> u8 {
        match self.metric {
            Metric::Htm => 1,
            Metric::Qtm => 2,
        }
    }

    /// What `value`, stored in the row of corners of that parity, tells about the distance.
    ///
    /// In the half-turn metric a nibble is the distance less one, so that it holds 1 to 16: 0 is for solved, too, and
    /// 15 for all that is farther (Rokicki). In the quarter-turn metric a nibble is half the distance, which is at most
    /// 30 and whose parity is that of the corners. Modulo 3 nothing more is told.
    #[inline]
    pub(crate) fn stored_distance(&self, value: u8, odd: bool) -> StoredDistance {
        match (self.layout.packing, self.metric) {
            (Packing::Mod3 | Packing::Quarters, _) => StoredDistance::Modulo3(value),
            (Packing::Nibbles, Metric::Htm) => match value {
                0 => StoredDistance::Either(0, 1),
                15 => StoredDistance::AtLeast(16),
                _ => StoredDistance::Exactly(value + 1),
            },
            (Packing::Nibbles, Metric::Qtm) => StoredDistance::Exactly(2 * value + u8::from(odd)),
        }
    }
}

/// What a stored value tells about a distance.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum StoredDistance {
    /// All.
    Exactly(u8),
    /// The first if the position is solved, otherwise the second.
    Either(u8, u8),
    /// That it is not less.
    AtLeast(u8),
    /// Its remainder.
    Modulo3(u8),
}

impl Definition for PhaseTwoTable {
    fn layout(&self) -> &TableLayout {
        &self.layout
    }

    fn puzzle(&self) -> &'static str {
        "cube3"
    }

    fn metric(&self) -> &'static str {
        self.metric.name()
    }

    fn summary(&self) -> &'static str {
        self.summary
    }

    fn row_noun(&self) -> &'static str {
        match self.layout.packing {
            Packing::Nibbles => "corner class",
            Packing::Mod3 | Packing::Quarters => "row",
        }
    }

    fn row_name(&self, row: u32) -> String {
        match (self.layout.packing, CornerClasses::get().classes().get(row as usize)) {
            (Packing::Nibbles, Some(class)) => class.representative.map(|corner| corner.to_string()).concat(),
            _ => "all".to_owned(),
        }
    }

    fn values_by_level(&self, row: u32) -> Option<Vec<Option<u8>>> {
        let odd = self.row_is_odd(row);
        let value = |level: u8| match (self.layout.packing, self.metric) {
            (Packing::Mod3 | Packing::Quarters, _) => Some(level % 3),
            (Packing::Nibbles, Metric::Qtm) if (level % 2 == 1) != odd => None,
            (Packing::Nibbles, metric) => Some(stored(metric, level)),
        };
        Some((0..=self.farthest()).map(value).collect())
    }

    fn row_positions(&self, row: u32) -> u64 {
        let of_class = |class: &CornerClass| class.size() * self.blocks() as u64 * PERMUTATIONS as u64;
        let classes = CornerClasses::get().classes();
        match self.layout.packing {
            Packing::Nibbles => classes.get(row as usize).map_or(0, of_class),
            Packing::Mod3 | Packing::Quarters => classes.iter().map(of_class).sum(),
        }
    }

    fn expected(&self) -> Option<&Distribution> {
        Some(&self.expected)
    }

    fn working_set(&self) -> u64 {
        let packed = if self.layout.packing == Packing::Mod3 { self.layout.row_bytes() as u64 } else { 0 };
        levelset::working_set(self.total_blocks(), self.most_cost()) + packed
    }

    fn least_memory(&self) -> u64 {
        levelset::least_memory(self.total_blocks(), self.most_cost())
    }

    fn deepest(&self) -> Option<u8> {
        // One less than the least distance that the nibble 15 stands for.
        let beyond = (0..=self.farthest()).find(|&distance| stored(self.metric, distance) == UNSET);
        beyond.filter(|_| self.layout.packing == Packing::Nibbles).map(|distance| distance - 1)
    }

    fn generate(
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
            (Packing::Mod3 | Packing::Quarters, _) => Ok(Box::new(Packed { layout: self.layout, levels })),
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
}

/// The nibble of a distance: what [`PhaseTwoTable::stored_distance`] reads.
fn stored(metric: Metric, distance: u8) -> u8 {
    match metric {
        Metric::Htm => distance.saturating_sub(1).min(15),
        // No distance is above 30.
        Metric::Qtm => distance / 2,
    }
}

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
type Near = HashMap<u32, Vec<(u64, u8)>>;

impl PhaseTwoTable {
    /// Turns a row as it is stored in a table that is built to a depth, where no distance stands for another, into
    /// levels modulo 15.
    fn read_levels(&self, row: u32, near: &Near, nibbles: &mut [u8]) {
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

    fn near(&self) -> Near {
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
        let mut rows = Near::new();
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
    fn sources(&self, class: &CornerClass, turn: &HMove, slots: &mut Slots) -> Vec<Source> {
        let (row, symmetry) = CornerClasses::get().of(&compose(&class.representative, &turn.effect.corners));
        let slots = slots.entry((turn.turn, symmetry)).or_insert_with(|| {
            let [_, back] = &motions()[symmetry.index()];
            Arc::new(SlotMove::new(&compose(&turn.effect.edges, &back.edges)))
        });
        let source = |part, blocks| Source {
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

type Slots = HashMap<(Move, Symmetry), Arc<SlotMove>>;

/// A move of H.
#[derive(Debug, Clone, Copy)]
pub struct HMove {
    /// The move.
    pub turn: Move,
    /// What it does.
    pub effect: PhaseTwoPosition,
}

/// The moves of H from which all others are made: in the half-turn metric all ten, in the quarter-turn metric all but
/// U2 and D2, the half turns of the sides counting two.
pub(crate) fn h_moves(metric: Metric) -> impl Iterator<Item = &'static HMove> + Clone {
    static MOVES: LazyLock<Vec<HMove>> = LazyLock::new(|| {
        Move::all().filter_map(|turn| Some(HMove { turn, effect: PhaseTwoPosition::of(&turn.cube())? })).collect()
    });
    let made_of_others = |turn: Move| matches!(turn.face(), Face::U | Face::D) && turn.quarters() == 2;
    MOVES.iter().filter(move |turn| metric == Metric::Htm || !made_of_others(turn.turn))
}

/// A table packed modulo 3, as one row in Kociemba's order.
struct Packed {
    layout: TableLayout,
    levels: Levels,
}

impl Packed {
    fn weighed(&self, row: usize) -> Vec<u64> {
        let size = CornerClasses::get().classes()[row].size();
        self.levels.counts(row).iter().map(|count| count * size).collect()
    }
}

impl Generated for Packed {
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
    use crate::levelset::{Kernel, MOST_LEVELS};
    use crate::tables::phase2;

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
        let options = Options { kernel: Kernel::detect(), memory: 4 << 30, scratch: std::env::temp_dir() };
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
        let counts = compare_half_turns(&phase2::TABLE);
        // A quotient of the group: as near as there, or nearer.
        assert_eq!(counts[..4], [1, 6, 27, 108]);
        assert_eq!(HALF_TURNS.iter().sum::<u64>() % counts.iter().sum::<u64>(), 0);
    }

    /// The middle edges make twelve blocks of a row, and sources in parts.
    #[test]
    fn half_turns_in_all_of_h_at_every_entry() {
        assert_eq!(compare_half_turns(&phase2::EXACT), HALF_TURNS);
    }
}
