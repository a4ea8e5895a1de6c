//! The tables that exist: a file for a definition or a family of them, one line each in the registry, which [`all`] returns.
//!
//! A table is a value of a type that implements [`Definition`]; that type is a variant of [`Kind`], by which everything
//! that depends on it is chosen. [`build`] generates a table, compares its distribution with the expected one and stores
//! it; [`rebuild`] mends it.
//!
//! # Adding a table
//!
//! Of a kind that exists (one file, two lines):
//!
//! 1. Write its `static` in a file of its own, or beside its siblings: name, an id that no table has or had, geometry and
//!    summary.
//! 2. Add a line to `published.tsv`: the distribution that must come out, with its source.
//! 3. Add the table to the list in `REGISTRY`, at its place in listings.
//!
//! Listings, `build`, `verify`, exports, queries and solvers then know it by its name. Its row in `README.md` and a line in `CHANGELOG.md` inform people
//! of it; a table that a question of one puzzle may build by itself belongs in `tools/python/README.md`, too.
//!
//! Of a new kind, before that:
//!
//! 1. Write its type in a file of its own, with its implementation of [`Definition`]: the geometry
//!    ([`TableLayout`](twistbase_store::TableLayout)), how rows are named and weighed, and how it is generated
//!    ([`Generated`]).
//! 2. Add a variant to [`Kind`], and if its distances are counted to something else, or otherwise, to [`Goal`] or
//!    [`TableMetric`].
//! 3. Compile: each `match` that is incomplete is a consumer that has to handle the new kind.
//!    They are [`Kind`] itself, [`subgroup_tables`], [`reduction`], the deep verification (`query::verify_deep`), exports
//!    (`export::export`), many positions at once (`database::TableArrays`), the optimal search (`solve::Optimal`) and the
//!    choice of the tables that answer a query of the cube.
//! 4. State what an entry means in `schema/`, named in `schema/README.md`; a new [`Definition::row_noun`] is one of those
//!    in `schema/json/table.json`, too.
//!
//! The tests of this module check every table of the registry: names, ids, layouts, weights, distributions, depths, and
//! that looking up the position of an entry finds that entry.

mod published;

mod build;
mod build_depth;
mod counted;
mod cube2;
mod defined;
mod definition;
mod endings;
mod generated;
mod goals;
mod huge;
mod nx;
mod phase_one;
mod phase_two;
mod puzzle_goals;
mod rebuild;
mod reduction;
mod restore;
mod slice_cosets;
mod square1;
mod three_colours;
mod twists;
mod wca;

use std::sync::{LazyLock, PoisonError, RwLock};

use twistbase_core::error::{Error, Result};
use twistbase_core::spelling;
use twistbase_puzzle::cube3::Metric;
use twistbase_puzzle::square1::Colouring;

#[doc(hidden)]
pub use build::memory_to_store;
pub use build::{BuildRequest, Built, build};
pub use build_depth::{BuildDepth, depth_of};
pub use counted::Counted;
pub use cube2::{place as cube2_place, position as cube2_position};
pub use defined::{DefinedTable, Notation, PuzzleGoal, UNREACHED, define, goal_table, goals_of};
pub use definition::{CosetTable, Definition, Distribution, Goal, Kind, LevelMeaning, TableFacts, TableMetric};
pub use endings::EndingTable;
pub use generated::{Generated, VisitRow};
pub use goals::{CubeGoal, DOMINO_REDUCTION, cube_definition, cube_pattern};
pub use huge::HugeTable;
#[doc(hidden)]
pub use nx::{BLOCK_BYTES, BLOCK_SLOTS};
pub use nx::{BLOCK_ENTRIES, NxTable, NxValue, nx_entry};
pub use phase_one::PhaseOneTable;
pub use phase_two::{HMove, PhaseTwoTable};
#[doc(hidden)]
pub use phase_two::{StoredDistance, h_moves};
pub use published::known_cube;
pub use rebuild::{Plan, Rebuilt, plan, rebuild};
pub use reduction::{ReductionStep, reduction};
pub use restore::{ReadRow, RestoreRows, RestoredRow};
pub use three_colours::{
    THREE_COLOUR_CLASSES, THREE_COLOUR_POSITIONS, ThreeColourCounts, ThreeColourOptions, count_three_colours,
    known_three_colours,
};
pub use twistbase_levelset::Options as GenerateOptions;
pub use twists::{ParityProof, TwistTable};
pub use wca::{KnownWcaCounts, WcaCounts, WcaProof, prove_wca, wca_least_memory, wca_working_set};

/// Every table, in the order of listings. Puzzles that are [defined](define) later add theirs: a longer list replaces this one.
static REGISTRY: LazyLock<RwLock<&'static [&'static dyn Definition]>> = LazyLock::new(|| {
    let mut tables: Vec<&'static dyn Definition> = vec![
        &square1::CUBE21,
        &square1::CUBE21_ENDINGS,
        &square1::SQUARE1,
        &square1::SQUARE1_ENDINGS,
        &square1::CORNERS,
        &square1::CORNERS_ENDINGS,
        &phase_one::TABLE,
        &phase_one::QTM,
        &phase_one::KOCIEMBA,
        &phase_two::TABLE,
        &phase_two::QTM,
        &phase_two::KOCIEMBA,
        &phase_two::EXACT,
        &phase_two::EXACT_QTM,
        &huge::TABLE,
    ];
    tables.extend(nx::FAMILY.iter().map(|table| table as &dyn Definition));
    tables.extend([&cube2::TABLE, &cube2::QTM].map(|table| table as &dyn Definition));
    let goals = goals::GOALS.iter().chain(&goals::QUARTER_TURN_GOALS).chain(&puzzle_goals::GOALS);
    tables.extend(defined::SHIPPED.iter().chain(goals).map(|table| table as &dyn Definition));
    RwLock::new(tables.leak())
});

/// Every table, in the order of listings.
pub fn all() -> &'static [&'static dyn Definition] {
    *REGISTRY.read().unwrap_or_else(PoisonError::into_inner)
}

/// The tables of puzzles that are data, and of goals; not those of the 2×2×2 cube, which has a notation of its own.
pub fn defined_tables() -> impl DoubleEndedIterator<Item = &'static DefinedTable> + Clone {
    of_kind(|kind| match kind {
        Kind::Defined(table) if table.notation() == Notation::KPattern => Some(table),
        _ => None,
    })
}

/// The tables of one kind, in the order of listings.
fn of_kind<T: 'static>(pick: fn(Kind) -> Option<T>) -> impl DoubleEndedIterator<Item = T> + Clone {
    all().iter().filter_map(move |table| pick(table.kind()))
}

/// The tables of the Square-1 family.
pub fn twist_tables() -> impl DoubleEndedIterator<Item = &'static TwistTable> + Clone {
    of_kind(|kind| if let Kind::Twists(table) = kind { Some(table) } else { None })
}

/// The table of the twist metric of the puzzle of that colouring.
pub fn twists(colouring: Colouring) -> &'static TwistTable {
    match colouring {
        Colouring::Square1 => &square1::SQUARE1,
        Colouring::Cube21 => &square1::CUBE21,
        Colouring::Corners => &square1::CORNERS,
    }
}

/// The table of distances to the position one twist from solved, of the puzzle of that colouring.
pub fn endings(colouring: Colouring) -> &'static EndingTable {
    match colouring {
        Colouring::Square1 => &square1::SQUARE1_ENDINGS,
        Colouring::Cube21 => &square1::CUBE21_ENDINGS,
        Colouring::Corners => &square1::CORNERS_ENDINGS,
    }
}

/// The tables of distances to subgroups of the cube: those of phase 1, and `huge`.
pub fn subgroup_tables() -> impl DoubleEndedIterator<Item = &'static dyn CosetTable> + Clone {
    of_kind(|kind| match kind {
        Kind::PhaseOne(table) => Some(table as &dyn CosetTable),
        Kind::Huge(table) => Some(table),
        Kind::Twists(_) | Kind::Endings(_) | Kind::PhaseTwo(_) | Kind::Pruning(_) | Kind::Defined(_) => None,
    })
}

/// The tables of positions in H.
pub fn phase_two_tables() -> impl DoubleEndedIterator<Item = &'static PhaseTwoTable> + Clone {
    of_kind(|kind| if let Kind::PhaseTwo(table) = kind { Some(table) } else { None })
}

/// Rokicki's pruning tables: by the edge orientations that they distinguish, then by edges, then by metric.
pub fn pruning_tables() -> impl DoubleEndedIterator<Item = &'static NxTable> + Clone {
    of_kind(|kind| if let Kind::Pruning(table) = kind { Some(table) } else { None })
}

/// The tables of a metric that an optimal search can use as its heuristic, from the weakest, which is the smallest, to
/// the strongest.
pub fn heuristics(metric: Metric) -> impl DoubleEndedIterator<Item = Kind> {
    let of_metric = all().iter().filter(|table| table.metric() == TableMetric::FaceTurns(metric));
    let mut ranked: Vec<_> = of_metric.filter_map(|table| Some((table.facts().strength?, table.kind()))).collect();
    ranked.sort_by_key(|&(strength, _)| strength);
    ranked.into_iter().map(|(_, kind)| kind)
}

/// The table of that name that an optimal search can use as its heuristic.
///
/// # Errors
/// [`Error::Usage`] naming the tables.
pub fn find_heuristic(name: &str) -> Result<Kind> {
    let known = || [Metric::Htm, Metric::Qtm].into_iter().flat_map(heuristics);
    known().find(|table| table.name() == name).ok_or_else(|| {
        Error::Usage(format!(
            "no table {name:?} guides an optimal search; choose from: {}",
            listed(known().map(Kind::name))
        ))
    })
}

/// The table of a name, in capitals or not.
///
/// # Errors
/// [`Error::Usage`] naming the nearest tables.
pub fn find(name: &str) -> Result<&'static dyn Definition> {
    all().iter().copied().find(|table| table.name().eq_ignore_ascii_case(name)).ok_or_else(|| {
        let names = all().iter().map(|table| table.name());
        Error::Usage(spelling::unknown("table", name, names))
    })
}

/// Names of tables for people: the pruning tables, which are many, as one family.
fn listed(names: impl Iterator<Item = &'static str>) -> String {
    let is_pruning = |name: &&str| pruning_tables().any(|table| table.layout().name == *name);
    let (family, mut names): (Vec<_>, Vec<_>) = names.partition(is_pruning);
    if !family.is_empty() {
        names.push("nx-eoA-epB-htm and nx-eoA-epB-qtm (A: 1 to 3, B: 1 to 4)");
    }
    names.join(", ")
}

/// The table of the twist metric with that name, which is also the name of its puzzle.
///
/// # Errors
/// [`Error::Usage`] naming the tables.
pub fn find_twists(name: &str) -> Result<&'static TwistTable> {
    twist_tables().find(|table| table.layout().name == name).ok_or_else(|| {
        let names: Vec<_> = twist_tables().map(|table| table.layout().name).collect();
        Error::Usage(format!("there is no puzzle {name:?} in the Square-1 family; choose from: {}", names.join(", ")))
    })
}

/// The table of positions in H, exact or not, in that metric: `phase2`, `phase2-exact` and their twins in quarter
/// turns.
pub fn phase_two(metric: Metric, exact: bool) -> &'static PhaseTwoTable {
    match (metric, exact) {
        (Metric::Htm, false) => &phase_two::TABLE,
        (Metric::Htm, true) => &phase_two::EXACT,
        (Metric::Qtm, false) => &phase_two::QTM,
        (Metric::Qtm, true) => &phase_two::EXACT_QTM,
    }
}

/// The tables of distances to H in that metric, the one with plain distances first: of `phase1` and its
/// twin modulo 3 that one.
pub fn phase_one_tables(metric: Metric) -> impl DoubleEndedIterator<Item = &'static PhaseOneTable> + Clone {
    let all = of_kind(|kind| if let Kind::PhaseOne(table) = kind { Some(table) } else { None });
    all.filter(move |table| table.move_metric() == metric)
}

/// The tables of bounds in H, which ignore the middle edges, in that metric, in the same order.
pub fn bounds_in_h(metric: Metric) -> impl DoubleEndedIterator<Item = &'static PhaseTwoTable> + Clone {
    phase_two_tables().filter(move |table| table.move_metric() == metric && !table.is_exact())
}

/// The table of distances to H in that metric: `phase1` or `phase1-qtm`.
pub fn phase_one(metric: Metric) -> &'static PhaseOneTable {
    match metric {
        Metric::Htm => &phase_one::TABLE,
        Metric::Qtm => &phase_one::QTM,
    }
}

/// The table of the 2×2×2 cube in that metric: `cube2` or `cube2-qtm`.
pub fn cube2(metric: Metric) -> &'static DefinedTable {
    match metric {
        Metric::Htm => &cube2::TABLE,
        Metric::Qtm => &cube2::QTM,
    }
}

/// Kociemba's huge table.
pub fn huge() -> &'static HugeTable {
    &huge::TABLE
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;
    use twistbase_store::Packing;

    #[test]
    fn unknown_tables_are_told_what_there_is_in_a_line() {
        let said = find_heuristic("cube12").err().unwrap().to_string();
        assert!(said.contains("huge") && said.contains("nx-eoA-epB-htm"), "{said}");
        assert!(!said.contains("nx-eo1") && !said.contains('\n'), "{said}");
        let said = find("cube12").err().unwrap().to_string();
        assert!(said.contains("did you mean cube21"), "{said}");
        assert_eq!(find("CUBE3-Cross").unwrap().name(), "cube3-cross");
        let names: HashSet<_> = pruning_tables().map(|table| table.layout().name).collect();
        for (eo, ep) in (1..=3).flat_map(|eo| (1..=4).map(move |ep| (eo, ep))) {
            assert!(["htm", "qtm"].iter().all(|metric| names.contains(&*format!("nx-eo{eo}-ep{ep}-{metric}"))));
        }
        assert_eq!(names.len(), 24);
    }

    #[test]
    fn names_and_ids_are_unique_and_layouts_valid() {
        let names: HashSet<_> = all().iter().map(|table| table.layout().name).collect();
        let ids: HashSet<_> = all().iter().map(|table| table.layout().id).collect();
        assert_eq!((names.len(), ids.len()), (all().len(), all().len()));
        for table in all() {
            table.layout().check().unwrap();
            let rows = 0..table.layout().rows;
            let all: u64 = rows.map(|row| table.row_positions(row)).sum();
            if table.layout().packing == Packing::Quarters && matches!(table.kind(), Kind::Defined(_)) {
                // Moves need not reach every entry.
                assert!(all >= table.positions(), "{}", table.layout().name);
                continue;
            }
            assert_eq!(all, table.positions(), "{}", table.layout().name);
            if let Some(expected) = table.expected() {
                let covered = expected.positions.iter().sum::<u64>();
                assert_eq!(all, covered, "{}: the distribution covers every entry", table.layout().name);
            }
        }
    }

    #[test]
    fn each_says_in_a_line_what_it_holds() {
        for summary in all().iter().map(|table| table.summary()) {
            assert!(summary.split(' ').count() > 2 && !summary.contains('\n'), "{summary}");
        }
    }

    /// The contents of a row determine each distance, as far as its packing can.
    #[test]
    fn entries_of_different_levels_differ() {
        for table in all() {
            let (layout, mut seen) = (table.layout(), HashSet::new());
            let step = layout.rows as usize / 50 + 1;
            for values in (0..layout.rows).step_by(step | 1).filter_map(|row| table.values_by_level(row)) {
                let levels = (0u8..).zip(&values).filter_map(|(level, &value)| Some((level, value?)));
                let values: Vec<(u8, u8)> = levels.collect();
                // In phase 2 the two nearest distances have one value, and so have the farthest.
                let may_share = |value| layout.name.starts_with("phase2") && [0, 15].contains(&value);
                let is_told = match layout.packing {
                    Packing::Mod3 | Packing::Quarters => values.iter().all(|&(level, value)| value == level % 3),
                    Packing::Nibbles => values.windows(2).all(|two| two[0].1 < two[1].1 || may_share(two[1].1)),
                };
                assert!(is_told, "{}: {values:?}", layout.name);
                seen.extend(values.iter().map(|&(level, _)| usize::from(level)));
            }
            let expected = table.expected().map_or(0, |expected| expected.positions.len());
            assert!(seen.is_empty() || seen.len() == expected, "{}: {seen:?}", layout.name);
        }
    }

    /// Of the families of which one table is chosen by its size, none.
    #[test]
    fn all_tables_are_those_without_a_choice() {
        for table in all() {
            let name = table.layout().name;
            let is_chosen = name.starts_with("nx-") || name.ends_with("-endings");
            assert_eq!(table.facts().is_in_all, !is_chosen, "{name}");
        }
    }

    #[test]
    fn the_position_of_an_entry_is_found_at_that_entry() {
        use twistbase_puzzle::cube3::Cube;
        let cosets = all().iter().filter_map(|table| table.kind().cosets());
        for table in cosets {
            let (layout, mut found) = (table.layout(), 0);
            for row in (0..layout.rows).step_by(layout.rows as usize / 7 + 1) {
                let step = layout.row_entries() / 400 + 1;
                for entry in (0..layout.row_entries()).step_by(step as usize | 1) {
                    let Some(position) = table.position(row, entry) else { continue };
                    assert_eq!(table.place(&position), (row, entry), "{}", layout.name);
                    assert_eq!(Cube::from_cubies(&position.cubies()), Ok(position), "{}", layout.name);
                    found += 1;
                }
            }
            assert!(found > 300, "{}: {found}", layout.name);
            assert_eq!((table.position(layout.rows, 0), table.position(0, layout.row_entries())), (None, None));
        }
        for table in phase_two_tables() {
            let layout = table.layout();
            for row in (0..layout.rows).step_by(layout.rows as usize / 7 + 1) {
                for entry in (0..layout.row_entries()).step_by(layout.row_entries() as usize / 400 + 1) {
                    let h_position = table.position_at(row, entry).unwrap();
                    assert_eq!(table.place(&h_position), (row, entry), "{}", layout.name);
                    assert!(Cube::from_cubies(&h_position.position().cubies()).is_ok());
                }
            }
            assert_eq!((table.position_at(layout.rows, 0), table.position_at(0, layout.row_entries())), (None, None));
        }
    }
}
