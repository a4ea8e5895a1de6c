//! The cube in three colours, one for each two faces that are opposite: how many positions are at each distance.
//!
//! 10,863,756,288,000 positions, 226,331,259,372 up to symmetry, are too many for a table here; they are counted. A row is a class of
//! the corners up to the 48 symmetries, a part of it a choice of the edges' places, whose edge orientations are bits.

use crate::published::published;
use std::collections::HashSet;
use std::path::Path;

use rayon::prelude::*;

use super::Distribution;
use twistbase_core::context::Context;
use twistbase_core::error::Result;
use twistbase_levelset::{
    MovableOrientations, OrientationMoves, OrientationSeed, OrientationSet, OrientationSet12, OrientationSource,
    OrientationSpace, PartMove, ReachedLevels, ReachedOptions, ReachedTallies, count_reached,
};
use twistbase_puzzle::cube3::coordinate::{
    THREE_COLOUR_CORNERS, THREE_COLOUR_EDGES, ThreeColourClasses, ThreeColourMoves, edge_orientation,
    three_colour_corners, three_colour_edges,
};
use twistbase_puzzle::cube3::{Cube, EDGES, Metric, Move, SYMMETRIES, Symmetry};

/// Positions of the cube in three colours.
pub const THREE_COLOUR_POSITIONS: u64 = (THREE_COLOUR_CORNERS * THREE_COLOUR_EDGES * OrientationSet12::STATES) as u64;

/// Positions up to the 48 symmetries (Norskog, 2011).
pub const THREE_COLOUR_CLASSES: u64 = 226_331_259_372;

/// A plain search counts positions up to this number of moves as well.
const NEAR: usize = 5;

/// How the positions of the cube in three colours are counted.
#[derive(Debug, Clone, Copy)]
pub struct ThreeColourOptions<'a> {
    /// How moves are counted.
    pub metric: Metric,
    /// Bytes of memory to stay within.
    pub memory: u64,
    /// The folder of the files: up to 60 GB. They stay, so that a count that was ended continues.
    pub folder: &'a Path,
    /// The last distance to count; all if there is none.
    pub depth: Option<u8>,
    /// Positions whose distance is wanted. Their order and number belong to a count that continues.
    pub probes: &'a [Cube],
}

/// The positions of the cube in three colours at each distance: moves until each face shows the colours of its own axis only.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ThreeColourCounts {
    /// Positions at distance 0, 1, 2, …
    pub positions: Vec<u64>,
    /// The same, up to the 48 symmetries.
    pub classes: Vec<u64>,
    /// Whether all positions are counted.
    pub is_complete: bool,
    /// Whether a plain search counts as many near solved, and all together are as many as there are.
    pub agrees: bool,
    /// A position of each class at the last distance, if these are not too many.
    pub farthest: Option<Vec<Cube>>,
    /// The distances of the probes; `None` beyond the depth.
    pub probes: Vec<Option<u8>>,
}

/// The known distributions: of positions, and of these up to symmetry.
pub const fn known_three_colours(metric: Metric) -> [Distribution; 2] {
    match metric {
        Metric::Htm => {
            [published("cube in three colours, half turns"), published("cube in three colours, half turns, classes")]
        }
        Metric::Qtm => [
            published("cube in three colours, quarter turns"),
            published("cube in three colours, quarter turns, classes"),
        ],
    }
}

/// Counts the positions of the cube in three colours by their distance. `ended` gets each distance with its positions.
///
/// # Errors
/// Those of [`count_reached`].
pub fn count_three_colours(
    options: &ThreeColourOptions<'_>,
    ctx: &Context,
    ended: &mut (dyn FnMut(usize, u64) + Send),
) -> Result<ThreeColourCounts> {
    let space = space(options.metric);
    let probes: Vec<OrientationSeed> = options.probes.iter().map(state_of).collect();
    let tallies = kept_states();
    let levels = count_reached(
        &space,
        &[state_of(&Cube::SOLVED)],
        &tallies,
        &ReachedOptions {
            folder: options.folder,
            name: match options.metric {
                Metric::Htm => "cube3-colours-htm",
                Metric::Qtm => "cube3-colours-qtm",
            },
            memory: options.memory,
            depth: options.depth,
            probes: &probes,
        },
        ctx,
        &mut |levels| {
            let distance = levels.counts.len() - 1;
            ended(distance, positions(&levels.counts[distance]));
        },
    )?;
    Ok(counts(&levels, &count_near(options.metric)))
}

/// The place of a position in the space, after the symmetry that makes its corners the representative of their class.
fn state_of(position: &Cube) -> OrientationSeed {
    let (class, symmetry) = ThreeColourClasses::get().of(three_colour_corners(position));
    let (_, edges, orientations) = looks(&symmetry.of(position));
    OrientationSeed { row: class.into(), part: edges.into(), group: 0, orientations }
}

/// The moves between positions.
fn space(metric: Metric) -> OrientationSpace<OrientationSet12> {
    let classes = ThreeColourClasses::get();
    let turns: Vec<Move> = metric.moves().collect();
    let rows = classes.classes().par_iter().map(|class| {
        let source = |(number, &turn): (usize, &Move)| {
            let (row, symmetry) = ThreeColourClasses::moved(class, turn);
            OrientationSource { row: row.into(), parts: (number * SYMMETRIES + symmetry.index()) as u32 }
        };
        turns.iter().enumerate().map(source).collect()
    });
    let rows = rows.collect();
    let moves =
        turns.iter().flat_map(|&turn| Symmetry::all().map(move |symmetry| ThreeColourMoves::new(Some(turn), symmetry)));
    let moves: Vec<_> = moves.collect();
    let parts = moves.par_iter().enumerate().map(|(number, moves)| {
        let part = |edges| {
            let (part, turned) = moves.at(edges);
            PartMove { part, turned, orientations: number as u16, inner: 0, outer: 0 }
        };
        (0..THREE_COLOUR_EDGES as u16).map(part).collect()
    });
    let moves = OrientationMoves {
        parts: parts.collect(),
        orientations: moves.iter().map(|moves| OrientationSet12::map(moves.from())).collect(),
        outer: vec![[0].into()],
        inner: vec![[0].into()],
    };
    OrientationSpace::new(THREE_COLOUR_EDGES, 0, moves, rows)
}

/// For each symmetry but the identity, the states of the edges that it keeps; for each class of the corners, its symmetries.
fn kept_states() -> ReachedTallies<OrientationSet12> {
    let lists = (1..SYMMETRIES).into_par_iter().map(|symmetry| {
        let moves = ThreeColourMoves::new(None, Symmetry::from_index(symmetry));
        let kept = (0..THREE_COLOUR_EDGES as u16).filter_map(|edges| {
            let (image, flipped) = moves.at(edges);
            let is_kept = |number: usize| {
                let orientations = number as u16 | (number.count_ones() as u16 & 1) << (EDGES - 1);
                let moved =
                    (0..).zip(moves.from()).fold(0, |moved, (to, &from)| moved | (orientations >> from & 1) << to);
                moved ^ flipped == orientations
            };
            let set = || {
                OrientationSet12::from_words(|word| {
                    (0..64).fold(0, |bits, bit| bits | u64::from(is_kept(64 * word + bit)) << bit)
                })
            };
            (image == edges).then(|| (u32::from(edges), set())).filter(|(_, set)| *set != OrientationSet12::EMPTY)
        });
        kept.collect()
    });
    let symmetries = |stabiliser: u64| (1..SYMMETRIES as u32).filter(move |symmetry| stabiliser >> symmetry & 1 == 1);
    let classes = ThreeColourClasses::get().classes().iter();
    let rows = classes.map(|class| symmetries(class.stabiliser).map(|symmetry| symmetry - 1).collect());
    ReachedTallies { lists: lists.collect(), rows: rows.collect() }
}

/// The number of positions, from that of the states of each row.
fn positions(states: &[u64]) -> u64 {
    ThreeColourClasses::get().classes().iter().zip(states).map(|(class, count)| class.size() * count).sum()
}

/// The counts of positions, from those of states.
fn counts(levels: &ReachedLevels, near: &[u64]) -> ThreeColourCounts {
    let classes = ThreeColourClasses::get().classes();
    let positions: Vec<u64> = levels.counts.iter().map(|states| positions(states)).collect();
    // The number of orbits is the mean number of states that a symmetry keeps (Cauchy, Frobenius).
    let orbits = |(counts, kept): (&Vec<u64>, &Vec<u64>)| -> u64 {
        let states = counts.iter().zip(kept).map(|(count, kept)| count + kept);
        classes.iter().zip(states).map(|(class, states)| states / u64::from(class.stabiliser.count_ones())).sum()
    };
    let of_classes: Vec<u64> = levels.counts.iter().zip(&levels.tallies).map(orbits).collect();
    let is_complete = positions.iter().sum::<u64>() == THREE_COLOUR_POSITIONS;
    let is_near = positions.iter().zip(near).all(|(found, near)| found == near);
    let agrees = is_near && (!is_complete || of_classes.iter().sum::<u64>() == THREE_COLOUR_CLASSES);
    let farthest = levels.farthest.as_ref().map(|states| representatives(states));
    ThreeColourCounts { positions, classes: of_classes, is_complete, agrees, farthest, probes: levels.probes.clone() }
}

/// What is seen of a position.
fn looks(position: &Cube) -> (u32, u16, u16) {
    (three_colour_corners(position), three_colour_edges(position), edge_orientation(position))
}

/// A position of each class under symmetry.
fn representatives(states: &[OrientationSeed]) -> Vec<Cube> {
    let mut known = HashSet::new();
    let classes = ThreeColourClasses::get().classes();
    let position = |state: &OrientationSeed| {
        ThreeColourClasses::position(&classes[state.row as usize], state.part as u16, state.orientations)
    };
    let least = |cube: &Cube| Symmetry::all().map(|symmetry| looks(&symmetry.of(cube))).min();
    states.iter().map(position).filter(|position| known.insert(least(position))).collect()
}

/// The positions at distances up to [`NEAR`], one by one and without symmetry.
fn count_near(metric: Metric) -> Vec<u64> {
    let (mut known, mut level, mut counts) = (HashSet::from([looks(&Cube::SOLVED)]), vec![Cube::SOLVED], vec![1]);
    for _ in 0..NEAR {
        let mut next = Vec::new();
        for position in level.iter().flat_map(|at| metric.moves().map(move |turn| at.turned(turn))) {
            if known.insert(looks(&position)) {
                next.push(position);
            }
        }
        counts.push(next.len() as u64);
        level = next;
    }
    counts
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The states that symmetries keep are counted so that orbits come out, for all states of all rows.
    #[test]
    fn all_states_make_as_many_classes_as_are_known() {
        let tallies = kept_states();
        let kept =
            |list: &u32| tallies.lists[*list as usize].iter().map(|(_, set)| u64::from(set.count())).sum::<u64>();
        let all = (THREE_COLOUR_EDGES * OrientationSet12::STATES) as u64;
        let levels = ReachedLevels {
            counts: vec![vec![all; tallies.rows.len()]],
            tallies: vec![tallies.rows.iter().map(|lists| lists.iter().map(kept).sum()).collect()],
            ..ReachedLevels::default()
        };
        let counts = counts(&levels, &[]);
        assert!(counts.is_complete && counts.agrees);
        assert_eq!((counts.positions, counts.classes), (vec![10_863_756_288_000], vec![226_331_259_372]));
    }

    /// A state is the same after any symmetry of its position, and its position is found from it.
    #[test]
    fn states_stand_for_positions() {
        let mut position = Cube::SOLVED;
        for turn in (0..200).filter_map(|number| Move::from_index((number * number + number / 7) % Move::COUNT)) {
            position = position.turned(turn);
            let found = representatives(&[state_of(&position)]);
            let all = Symmetry::all().map(|symmetry| state_of(&symmetry.of(&position))).chain([state_of(&found[0])]);
            assert_eq!(representatives(&all.collect::<Vec<_>>()).len(), 1);
        }
    }
}
