//! Tables for tests of which only what is near is made, in a moment. All else is told as just beyond: a lower bound that no move
//! changes by more than it counts, by which a search finds what it would find by the whole table.

use std::collections::{HashMap, HashSet};
use std::sync::OnceLock;

use twistbase_core::error::Result;
use twistbase_core::math::{nibble, trits};
use twistbase_puzzle::cube3::coordinate::PhaseTwoPosition;
use twistbase_puzzle::cube3::{CanonicalState, Cube, Metric, Move, Symmetry};
use twistbase_store::{Entries, Packing};
use twistbase_tables::{
    self as tables, BLOCK_BYTES, BLOCK_SLOTS, CosetTable, Definition, Kind, PhaseTwoTable, h_moves,
};

/// The least distance that is not told, where a test does not choose it.
pub const FAR: u8 = 6;

/// Sequences to and fro, of none to six turns, some to positions with symmetries.
pub const SCRAMBLES: [&str; 11] =
    ["", "U", "R2", "F'", "R U", "F B'", "U2 D2", "R U F'", "R U F' L2", "R U F' L2 D", "R2 L2 U2 D2 F2 B2"];

/// Calls `enter` with every entry of a table that is nearer than `far`: row, entry, distance.
fn for_each_near(table: &dyn CosetTable, far: u8, enter: &mut dyn FnMut(u32, u64, u8)) {
    let mut known = HashSet::new();
    // A coset has an entry for each of its images, though look-ups need not come by all.
    let mut meet = |position: &Cube, distance: u8| {
        if known.contains(&table.place(position)) {
            return false;
        }
        for symmetry in Symmetry::keeping_axis() {
            let (row, entry) = table.place(&symmetry.of(position));
            if known.insert((row, entry)) {
                enter(row, entry, distance);
            }
        }
        true
    };
    meet(&Cube::SOLVED, 0);
    let mut level = vec![Cube::SOLVED];
    for distance in 1..far {
        let turned = level.iter().flat_map(|at| table.move_metric().moves().map(move |turn| at.turned(turn)));
        let next = turned.filter(|position| meet(position, distance)).collect();
        level = next;
    }
}

/// The bytes of a table that guides optimal searches, to distances below `far`: a multiple of 3 for remainders by 3.
pub fn heuristic(table: Kind, far: u8) -> Vec<u8> {
    let definition = table.cosets().expect("a table of cosets");
    let layout = *definition.layout();
    let fill = match layout.packing {
        Packing::Nibbles => far | far << 4,
        // Pages of zeros take no memory until they are written.
        Packing::Mod3 => {
            assert_eq!(far % 3, 0);
            0
        }
        Packing::Quarters => 0,
    };
    let mut bytes = vec![fill; usize::try_from(layout.bytes()).unwrap()];
    if layout.packing == Packing::Quarters {
        // The least of each block, which is all that these tell of small distances.
        bytes.iter_mut().skip(BLOCK_BYTES - 1).step_by(BLOCK_BYTES).for_each(|byte| *byte = far << 4);
    }
    for_each_near(definition, far, &mut |row, entry, distance| {
        let row = &mut bytes[row as usize * layout.row_bytes()..][..layout.row_bytes()];
        match layout.packing {
            Packing::Nibbles => nibble::set(row, entry as usize, distance),
            Packing::Mod3 => trits::set(row, entry, distance % 3),
            Packing::Quarters => {
                let least = &mut row[(entry as usize / BLOCK_SLOTS + 1) * BLOCK_BYTES - 1];
                *least = (*least >> 4).min(distance) << 4;
            }
        }
    });
    bytes
}

/// The bytes of `phase1` or `phase1-qtm`, to distances below [`FAR`].
pub fn phase1(metric: Metric) -> &'static [u8] {
    static BYTES: [OnceLock<Vec<u8>>; 2] = [const { OnceLock::new() }; 2];
    BYTES[metric as usize].get_or_init(|| heuristic(tables::phase_one(metric).kind(), FAR))
}

/// The bytes of the table of bounds in H, `phase2` or `phase2-qtm`, to distances below [`FAR`].
pub fn phase2(metric: Metric) -> &'static [u8] {
    static BYTES: [OnceLock<Vec<u8>>; 2] = [const { OnceLock::new() }; 2];
    BYTES[metric as usize].get_or_init(|| {
        let table = tables::phase_two(metric, false);
        let layout = *table.layout();
        let far = stored_in_h(metric, FAR);
        let mut bytes = vec![far | far << 4; usize::try_from(layout.bytes()).unwrap()];
        for ((row, entry), distance) in near_in_h(table) {
            let row = &mut bytes[row as usize * layout.row_bytes()..][..layout.row_bytes()];
            nibble::set(row, entry as usize, stored_in_h(metric, distance));
        }
        bytes
    })
}

/// What a nibble holds of a distance in H: half of it in quarter turns, where its parity is known, else one less.
fn stored_in_h(metric: Metric, distance: u8) -> u8 {
    match metric {
        Metric::Htm => distance.saturating_sub(1),
        Metric::Qtm => distance / 2,
    }
}

/// Distances below [`FAR`] in H, or in H', by their places.
fn near_in_h(table: &PhaseTwoTable) -> HashMap<(u32, u64), u8> {
    let reached = |position: PhaseTwoPosition| if table.is_exact() { position } else { position.at_home() };
    let (metric, mut known) = (table.move_metric(), HashMap::new());
    let mut seen = HashSet::new();
    // The positions at each distance, as far as they have been reached.
    let mut levels: Vec<Vec<PhaseTwoPosition>> = vec![Vec::new(); usize::from(FAR) + 2];
    levels[0].push(PhaseTwoPosition::SOLVED);
    for distance in 0..FAR {
        for position in std::mem::take(&mut levels[usize::from(distance)]) {
            if seen.insert(position) {
                known.entry(table.place(&position)).or_insert(distance);
                for turn in h_moves(metric) {
                    let cost = metric.cost(turn.turn);
                    levels[usize::from(distance + cost)].push(reached(position.then(&turn.effect)));
                }
            }
        }
    }
    known
}

/// The entries of `phase2-exact` or `phase2-exact-qtm`, to distances below [`FAR`].
pub struct NearInH {
    metric: Metric,
    distances: HashMap<(u32, u64), u8>,
}

impl NearInH {
    pub fn new(metric: Metric) -> Self {
        Self { metric, distances: near_in_h(tables::phase_two(metric, true)) }
    }
}

impl Entries for NearInH {
    fn get(&self, row: u32, entry: u64) -> Result<u8> {
        let distance = self.distances.get(&(row, entry)).copied();
        Ok(stored_in_h(self.metric, distance.unwrap_or(FAR)))
    }
}

/// All positions within some moves of solved, found by trying every move: what searches are compared with.
pub struct NearPositions {
    metric: Metric,
    radius: u8,
    distances: HashMap<Cube, u8>,
}

impl NearPositions {
    pub fn new(metric: Metric, radius: u8) -> Self {
        let mut distances = HashMap::from([(Cube::SOLVED, 0)]);
        let mut level = vec![Cube::SOLVED];
        for distance in 1..=radius {
            let mut next = Vec::new();
            for position in level.iter().flat_map(|at| metric.moves().map(move |turn| at.turned(turn))) {
                distances.entry(position).or_insert_with(|| {
                    next.push(position);
                    distance
                });
            }
            level = next;
        }
        Self { metric, radius, distances }
    }

    /// The positions, each with its distance.
    pub fn positions(&self) -> impl Iterator<Item = (&Cube, u8)> {
        self.distances.iter().map(|(position, &distance)| (position, distance))
    }

    /// The distance of a position, if it is at most twice the radius: two balls meet.
    pub fn distance(&self, position: &Cube) -> Option<u8> {
        let via = |(before, distance): (&Cube, u8)| Some(distance + self.distances.get(&before.then(position))?);
        self.positions().filter_map(via).min()
    }

    /// The canonical sequences of `length` moves that solve a position.
    pub fn solutions(&self, position: &Cube, length: u8) -> Vec<Vec<Move>> {
        let (mut path, mut found) = (Vec::new(), Vec::new());
        self.search(position, CanonicalState::START, length, &mut path, &mut found);
        found
    }

    fn search(&self, at: &Cube, state: CanonicalState, left: u8, path: &mut Vec<Move>, found: &mut Vec<Vec<Move>>) {
        if left <= self.radius && self.distances.get(at).is_none_or(|&distance| distance > left) {
            return;
        }
        if left == 0 {
            found.push(path.clone());
            return;
        }
        for turn in Move::of_mask(state.allowed(self.metric)) {
            let next = state.next(self.metric, turn).expect("an allowed move");
            path.push(turn);
            self.search(&at.turned(turn), next, left - 1, path, found);
            path.pop();
        }
    }
}

/// The published numbers of positions at each distance.
#[test]
fn what_is_near_is_as_it_is_published() {
    let count = |distances: &mut dyn Iterator<Item = u8>| {
        let mut counts = [0; FAR as usize];
        distances.for_each(|distance| counts[usize::from(distance)] += 1);
        counts
    };
    assert_eq!(
        count(&mut NearPositions::new(Metric::Htm, 4).positions().map(|(_, d)| d))[..5],
        [1, 18, 243, 3240, 43_239]
    );
    assert_eq!(
        count(&mut NearPositions::new(Metric::Qtm, 4).positions().map(|(_, d)| d))[..5],
        [1, 12, 114, 1068, 10_011]
    );
    let ball = NearPositions::new(Metric::Htm, 2);
    let turn = Move::from_index(0).unwrap();
    let turned = Cube::SOLVED.turned(turn);
    assert_eq!((ball.distance(&Cube::SOLVED), ball.distance(&turned)), (Some(0), Some(1)));
    assert_eq!(ball.solutions(&turned, 1), [vec![turn.inverse()]]);
}
