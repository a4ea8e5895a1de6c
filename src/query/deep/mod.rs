//! Whether what a table says fits together: the mathematics, not the bytes.

mod rows;

use rand::seq::IteratorRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;

use super::KnownDistance;
use super::cube3::{Cosets, FaceTurnTable, PhaseTwo};
use super::defined::DefinedDistances;
use super::position_table::PositionTable;
use super::square1::{EndingDistances, EndingEntries, Square1Table};
use twistbase_cache::{CacheMode, CachedTable};
use twistbase_core::context::Context;
use twistbase_core::error::{Error, Result};
use twistbase_levelset::Kernel;
use twistbase_puzzle::cube3::coordinate::PhaseTwoPosition;
use twistbase_puzzle::cube3::{Cube, Metric, random_cube, random_in_h, random_walk};
use twistbase_puzzle::square1::{EndingCoordinate, random_position};
use twistbase_store::{Entries, Store};
use twistbase_tables::{
    self as tables, CosetTable, DefinedTable, Definition, EndingTable, HMove, Kind, NxTable, PhaseTwoTable, h_moves,
};

pub use rows::{RowCheck, RowChecker};

/// How much of a table is checked.
#[derive(Debug, Clone, Copy)]
pub struct DeepRequest {
    /// Of tables whose rows follow from others: this number of rows, drawn at random; all if `None`.
    pub rows: Option<u32>,
    /// Of other tables: this number of positions, drawn at random.
    pub positions: u64,
    /// What chooses them.
    pub seed: u64,
    /// Bytes of memory to stay within.
    pub memory: u64,
    /// The inner step that rows are restored with.
    pub kernel: Kernel,
}

/// What was checked against its neighbours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct DeepVerified {
    /// Rows, each of them whole.
    pub rows: u32,
    /// Positions, each with all its neighbours.
    pub positions: u64,
    /// Faults found, each of which was reported.
    pub faults: u64,
}

/// Checks a stored table against what it must be by the distances of neighbours: an entry at distance d > 0 has a
/// neighbour at d - 1 and none nearer.
///
/// Rows of the Square-1 family's distances are computed anew from the rows of their neighbours and compared; of other
/// tables, random positions are looked up with all their neighbours. Those of distances to the position one twist from
/// solved need the table of distances to solved for that. Of the `nx-` tables, which tell bounds, the bounds of
/// neighbours must not differ by more than one where both are distances. Each fault is handed to `found`.
///
/// # Errors
/// Those of [`CachedTable::open_to_depth`]; [`Error::Memory`] if a row and its neighbours do not fit the memory;
/// [`Error::Interrupted`].
pub fn verify_deep(
    store: &Store,
    table: &'static dyn Definition,
    request: &DeepRequest,
    ctx: &Context,
    found: &mut dyn FnMut(Error),
) -> Result<DeepVerified> {
    let mut run = DeepRun { store, table, request, ctx, faults: 0, found };
    let (mut rows, mut positions) = (0, 0);
    match table.kind() {
        Kind::Twists(_) => rows = run.rows()?,
        Kind::Endings(endings) => {
            let twists = tables::twists(endings.colouring());
            // To a depth it would not show how far most positions are.
            let solved = CachedTable::open(store, twists.layout(), CacheMode::OnDemand)?;
            positions = run.positions(|entries| check_endings(endings, entries, solved))?;
        }
        Kind::PhaseOne(cosets) => positions = run.positions(|entries| check_subgroup(cosets, entries))?,
        Kind::Huge(cosets) => positions = run.positions(|entries| check_subgroup(cosets, entries))?,
        Kind::PhaseTwo(in_h) => positions = run.positions(|entries| check_in_h(in_h, entries))?,
        Kind::Defined(defined) => positions = run.positions(|entries| check_defined(defined, entries))?,
        Kind::Pruning(pruning) => positions = run.positions(|entries| check_pruning(pruning, entries))?,
    }
    ctx.progress().end();
    Ok(DeepVerified { rows, positions, faults: run.faults })
}

/// A deep verification under way.
struct DeepRun<'a> {
    store: &'a Store,
    table: &'static dyn Definition,
    request: &'a DeepRequest,
    ctx: &'a Context,
    faults: u64,
    found: &'a mut dyn FnMut(Error),
}

impl DeepRun<'_> {
    fn report(&mut self, error: Error) {
        self.faults += 1;
        (self.found)(error);
    }

    /// Computes rows from those of their neighbours and compares; returns how many.
    fn rows(&mut self) -> Result<u32> {
        let (request, ctx, layout) = (self.request, self.ctx, self.table.layout());
        let checker = RowChecker::open(self.store, self.table, request.memory, request.kernel)?;
        let all = 0..layout.rows;
        let mut rng = ChaCha8Rng::seed_from_u64(request.seed);
        let mut rows = all.clone().sample(&mut rng, request.rows.unwrap_or(all.end) as usize);
        rows.sort_unstable();
        ctx.progress().begin(&format!("checking {} deeply", layout.name), rows.len() as u64, "rows");
        for &row in &rows {
            ctx.check()?;
            match checker.examine(row, ctx) {
                Ok((_, None)) => {}
                Ok((_, Some(damage))) | Err(Error::Data(damage)) => self.report(damage.into()),
                Err(other) => return Err(other),
            }
            ctx.progress().advance(1);
        }
        Ok(rows.len() as u32)
    }

    /// Checks random positions, each with all its neighbours; returns how many.
    fn positions(&mut self, checker: impl FnOnce(CachedTable) -> PositionCheck) -> Result<u64> {
        let (request, ctx, layout) = (self.request, self.ctx, self.table.layout());
        // Hundreds of look-ups a position, all over the table: far too many to decode a page for each.
        let check = checker(CachedTable::open_to_depth(self.store, layout, CacheMode::OnDemand)?);
        let parts = request.positions.div_ceil(POSITIONS_A_PART);
        ctx.progress().begin(&format!("checking {} deeply", layout.name), request.positions, "positions");
        let mut first = 0;
        while first < parts {
            let wave = first..parts.min(first + PARTS_A_WAVE);
            first = wave.end;
            let found: Vec<Result<Vec<Error>>> =
                wave.into_par_iter().map(|part| check_part(&check, part, request, ctx)).collect();
            for part in found {
                part?.into_iter().for_each(|error| self.report(error));
            }
        }
        Ok(request.positions)
    }
}

/// Positions that one thread draws from one generator: so that which ones does not depend on the number of threads.
const POSITIONS_A_PART: u64 = 1024;
/// Parts whose faults are stored until they are reported in their order.
const PARTS_A_WAVE: u64 = 4096;

/// Checks the positions of a part; returns the faults that were found.
fn check_part(check: &PositionCheck, part: u64, request: &DeepRequest, ctx: &Context) -> Result<Vec<Error>> {
    ctx.check()?;
    let mut rng = ChaCha8Rng::seed_from_u64(request.seed);
    rng.set_stream(part);
    let count = POSITIONS_A_PART.min(request.positions - part * POSITIONS_A_PART);
    let mut faults = Vec::new();
    for _ in 0..count {
        match check(&mut rng) {
            Ok(()) => {}
            Err(error @ Error::Data(_)) => faults.push(error),
            Err(other) => return Err(other),
        }
    }
    ctx.progress().advance(count);
    Ok(faults)
}

/// Checks a random position of a table.
type PositionCheck = Box<dyn Fn(&mut ChaCha8Rng) -> Result<()> + Sync>;

fn check_subgroup(definition: &'static dyn CosetTable, entries: CachedTable) -> PositionCheck {
    let table = Cosets::over(definition, entries);
    Box::new(move |rng| {
        let position = draw(table.entries().depth(), definition.move_metric(), rng);
        let known_distances = table.known_distances(&position)?;
        check_changes(definition, definition.place(&position), table.known_distance(&position)?, &known_distances)
    })
}

fn check_in_h(definition: &'static PhaseTwoTable, entries: CachedTable) -> PositionCheck {
    let table = PhaseTwo::over(definition, entries);
    Box::new(move |rng| {
        let h_position = draw_in_h(table.entries().depth(), rng);
        let known_distances = table.known_distances(&h_position)?;
        check_changes(definition, definition.place(&h_position), table.known_distance(&h_position)?, &known_distances)
    })
}

/// Positions that the moves lead to have distances, and so do those one turn from them.
fn check_defined(definition: &'static DefinedTable, entries: CachedTable) -> PositionCheck {
    let table = DefinedDistances::over(definition, entries);
    let (space, drawer) = (definition.space(), definition.definition().drawer());
    Box::new(move |rng| {
        let position = space.draw(&drawer, rng);
        let place = (position.row, position.entry);
        let here = match table.known_distance(position) {
            Err(Error::Invalid(_)) => return Err(contradiction(definition, place)),
            found => found?,
        };
        let after = match here {
            KnownDistance::Exactly(here) => {
                let after = table.moves(position, here)?;
                after.into_iter().map(|(_, there)| (1, KnownDistance::Exactly(there))).collect()
            }
            KnownDistance::Beyond(_) => table.known_distances(position)?,
        };
        check_changes(definition, place, here, &after)
    })
}

fn check_pruning(definition: &'static NxTable, entries: CachedTable) -> PositionCheck {
    Box::new(move |rng| check_bounds(definition, &entries, &random_cube(rng)))
}

/// Of the distance to `K`, which both tables together tell exactly, as of other distances: `K` alone is at 0.
fn check_endings(definition: &'static EndingTable, entries: CachedTable, solved: CachedTable) -> PositionCheck {
    let solved = Square1Table::over(tables::twists(definition.colouring()), solved);
    let table = EndingDistances::new(solved, EndingEntries::over(definition, entries));
    let last = EndingCoordinate::last_pieces(definition.colouring());
    Box::new(move |rng| {
        let position = random_position(rng);
        let (here, after) = table.with_neighbours(&position)?;
        let is_last = position.canonical_pieces().least(definition.colouring()) == last;
        if is_last != (here.twists() == 0) {
            return Err(contradiction(definition, table.place(&position)));
        }
        let after: Vec<_> = after.into_iter().map(|there| (1, KnownDistance::Exactly(there))).collect();
        check_changes(definition, table.place(&position), KnownDistance::Exactly(here), &after)
    })
}

/// A random position. Where a table was built to a depth, half of them are not much farther: of all positions hardly
/// any may be within it.
fn draw(depth: Option<u8>, metric: Metric, rng: &mut ChaCha8Rng) -> Cube {
    match depth {
        Some(depth) if rng.random() => {
            let length = rng.random_range(0..=usize::from(depth) + 2);
            random_walk(rng, metric, length).1
        }
        _ => random_cube(rng),
    }
}

/// The same in H.
fn draw_in_h(depth: Option<u8>, rng: &mut ChaCha8Rng) -> PhaseTwoPosition {
    let moves: Vec<&HMove> = h_moves(Metric::Htm).collect();
    match depth {
        Some(depth) if rng.random() => {
            let length = rng.random_range(0..=depth + 2);
            (0..length).fold(PhaseTwoPosition::SOLVED, |h_position, _| {
                h_position.then(&moves[rng.random_range(0..moves.len())].effect)
            })
        }
        _ => PhaseTwoPosition::of(&random_in_h(rng)).expect("it is in H"),
    }
}

/// A move changes a distance by what it counts at most, and one of them by just that, towards solved. What is beyond
/// the depth of a table has no neighbour from which it would be within it. `after` has what each move counts and how
/// far the position then is.
fn check_changes(
    table: &dyn Definition,
    place: (u32, u64),
    here: KnownDistance,
    after: &[(u8, KnownDistance)],
) -> Result<()> {
    let there = |&(cost, known_distance): &(u8, KnownDistance)| match known_distance {
        KnownDistance::Exactly(distance) => (cost, distance.moves()),
        // At least.
        KnownDistance::Beyond(depth) => (cost, depth + 1),
    };
    let mut after_moves = after.iter().map(there);
    let wrong = match here {
        KnownDistance::Exactly(distance) => {
            let before = distance.moves();
            let leap = after.iter().map(there).any(|(cost, moves)| moves.abs_diff(before) > cost);
            leap || before > 0 && !after_moves.any(|(cost, moves)| moves + cost == before)
        }
        KnownDistance::Beyond(depth) => after_moves.any(|(cost, moves)| moves + cost <= depth),
    };
    if wrong { Err(contradiction(table, place)) } else { Ok(()) }
}

/// A distance is followed by bounds that are no greater than it allows, and one of them allows a smaller distance.
fn check_bounds(table: &NxTable, entries: &impl Entries, position: &Cube) -> Result<()> {
    let here = table.look_up(entries, position)?;
    if !here.is_exact {
        return Ok(());
    }
    let mut nearer = here.bound == 0;
    for turn in table.move_metric().moves() {
        let there = table.look_up(entries, &position.turned(turn))?;
        if there.bound > here.bound + 1 || there.is_exact && there.bound + 1 < here.bound {
            return Err(contradiction(table, table.place(position)));
        }
        nearer |= there.bound < here.bound;
    }
    if nearer { Ok(()) } else { Err(contradiction(table, table.place(position))) }
}

fn contradiction(table: &dyn Definition, (row, entry): (u32, u64)) -> Error {
    table.layout().damaged(row, entry, format!("entry {entry} contradicts its neighbours"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Distance;
    use crate::tests::Same;

    /// Whether a distance may stand beside those after moves, each with what the move counts.
    fn is_possible(here: KnownDistance, after: &[(u8, KnownDistance)]) -> bool {
        check_changes(tables::phase_one(Metric::Htm), (0, 0), here, after).is_ok()
    }

    #[test]
    fn a_move_changes_a_distance_by_what_it_counts_at_most() {
        let exactly = |moves| KnownDistance::Exactly(Distance::new(moves));
        let after = |moves: &[u8]| moves.iter().map(|&moves| (1, exactly(moves))).collect::<Vec<_>>();
        for right in [&[2, 3, 4][..], &[2], &[4, 2]] {
            assert!(is_possible(exactly(3), &after(right)), "{right:?}");
        }
        // A leap away, a leap nearer, and no move nearer.
        for wrong in [&[2, 5][..], &[2, 1], &[1], &[3, 4], &[]] {
            assert!(!is_possible(exactly(3), &after(wrong)), "{wrong:?}");
        }
        // A half turn may count two.
        assert!(is_possible(exactly(3), &[(2, exactly(1)), (2, exactly(5))]));
        assert!(!is_possible(exactly(3), &[(2, exactly(1)), (2, exactly(6))]));
        assert!(!is_possible(exactly(3), &[(1, exactly(2)), (2, exactly(0))]));
        assert!(is_possible(exactly(0), &after(&[1, 1])) && !is_possible(exactly(0), &after(&[1, 2])));
    }

    #[test]
    fn of_an_exact_bound_one_move_leads_nearer() {
        for table in tables::pruning_tables() {
            // One and two above the table's base are exact, and three may be any distance from there on.
            for (code, is_possible) in [(1, false), (2, false), (3, true)] {
                let checked = check_bounds(table, &Same(code), &Cube::SOLVED);
                assert_eq!(checked.is_ok(), is_possible, "{}: {code}", table.layout().name);
            }
        }
    }

    #[test]
    fn what_is_beyond_a_depth_has_no_neighbour_that_brings_it_within() {
        let exactly = |moves| KnownDistance::Exactly(Distance::new(moves));
        let (here, beyond) = (KnownDistance::Beyond(5), (1, KnownDistance::Beyond(5)));
        assert!(is_possible(here, &[beyond, (1, exactly(5)), (2, exactly(4))]));
        assert!(!is_possible(here, &[beyond, (1, exactly(4))]) && !is_possible(here, &[(2, exactly(3))]));
        assert!(
            is_possible(exactly(5), &[beyond, (1, exactly(4))]) && !is_possible(exactly(4), &[beyond, (1, exactly(3))])
        );
    }
}
