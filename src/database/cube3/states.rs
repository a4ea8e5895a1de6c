//! Random positions of a case: the last layer, the cross, domino reduction.

use rand::RngExt;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;

use super::goal;
use crate::puzzle_info::CUBE3;
use twistbase_core::error::{Error, Result};
use twistbase_puzzle::cube3::{CORNER_NAMES, CORNERS, Cube, Cubie, Cubies, EDGE_NAMES, Metric};
use twistbase_tables::DefinedTable;

/// The first two layers solved, and more that is.
macro_rules! last_layer {
    ($more:literal) => {
        concat!("DF,DR,DB,DL,FR,FL,BL,BR,DFR,DLF,DBL,DRB", $more)
    };
}

/// The cases that are no goals by all moves.
const OWN: [CubeState; 6] = [
    CubeState { name: "ll", at: Case::Pieces(last_layer!("")) },
    CubeState { name: "zbll", at: Case::Pieces(last_layer!(",EDGE:orientations")) },
    CubeState { name: "pll", at: Case::Pieces(last_layer!(",EDGE:orientations,CORNER:orientations")) },
    CubeState { name: "dr", at: Case::Goal("dr-from-eo") },
    CubeState { name: "htr", at: Case::Goal("half-turns") },
    CubeState { name: "2gen", at: Case::Goal("2gen") },
];

/// A case that random positions of the Rubik's cube are of, by its name: all positions of the case are equally likely.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CubeState {
    name: &'static str,
    at: Case,
}

/// What the positions of a case have in common.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Case {
    /// These pieces are solved, written as those of a [goal](twistbase_tables::CubeGoal).
    Pieces(&'static str),
    /// The pieces of the goal are; if it names none, its moves solve the position.
    Goal(&'static str),
}

impl CubeState {
    /// All cases.
    pub fn all() -> impl Iterator<Item = Self> {
        let by_all_moves = goal::goals(CUBE3, Metric::Htm).filter(|(_, goal)| goal.moves.is_empty());
        OWN.into_iter().chain(by_all_moves.map(|(_, goal)| Self { name: goal.name, at: Case::Goal(goal.name) }))
    }

    /// The case with a name: `ll`, `pll`, `dr`, `cross`.
    ///
    /// # Errors
    /// [`Error::Usage`] that lists the cases.
    pub fn find(name: &str) -> Result<Self> {
        Self::all().find(|state| state.name.eq_ignore_ascii_case(name)).ok_or_else(|| {
            let all: Vec<_> = Self::all().map(|state| state.name).collect();
            Error::Usage(format!("there is no state {name:?} of {CUBE3}; choose from: {}", all.join(", ")))
        })
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        self.name
    }

    /// What draws its positions, all equally likely.
    pub(crate) fn drawer(self) -> Box<dyn Fn(&mut ChaCha8Rng) -> Cube + Send> {
        let pieces = match self.at {
            Case::Pieces(pieces) => pieces,
            Case::Goal(name) => {
                match goal::goals(CUBE3, Metric::Htm).find(|(_, goal)| goal.name == name).expect("a goal") {
                    (table, goal) if goal.only.is_empty() => return solved_by_moves(table),
                    (_, goal) => goal.only,
                }
            }
        };
        let corners = FreePieces::new(&CORNER_NAMES, "CORNER", pieces);
        let edges = FreePieces::new(&EDGE_NAMES, "EDGE", pieces);
        Box::new(move |rng| {
            loop {
                let cubies = Cubies { corners: corners.draw(rng, 3), edges: edges.draw(rng, 2) };
                // Half of them have different parities of corners and edges, unless all pieces are in place.
                if let Ok(cube) = Cube::from_cubies(&cubies) {
                    return cube;
                }
            }
        })
    }
}

/// Positions of the whole cube that the moves of a goal lead to from solved.
fn solved_by_moves(table: &'static DefinedTable) -> Box<dyn Fn(&mut ChaCha8Rng) -> Cube + Send> {
    let drawer = table.definition().drawer();
    Box::new(move |rng| {
        let pattern = drawer.draw(rng);
        let at = |place: usize| Some(Cubie { piece: pattern.pieces[place], orientation: pattern.twist[place] });
        let (corners, edges) = (std::array::from_fn(at), std::array::from_fn(|edge| at(CORNERS + edge)));
        Cube::from_cubies(&Cubies { corners, edges }).expect("moves lead there")
    })
}

/// What may be different of the corners, or of the edges.
struct FreePieces<const N: usize> {
    /// Places whose pieces may be exchanged.
    groups: Vec<Vec<u8>>,
    /// Places whose pieces may be twisted.
    twisted: Vec<usize>,
}

impl<const N: usize> FreePieces<N> {
    /// What pieces that are solved leave free: `UF` is solved, `UF=UB` may be exchanged, `EDGE:orientations` are all solved.
    fn new(names: &[&str; N], orbit: &str, solved: &str) -> Self {
        let place = |name: &str| Some(names.iter().position(|known| *known == name)? as u8);
        let groups = solved.split(',').map(|alike| alike.split('=').filter_map(place).collect::<Vec<_>>());
        let mut groups: Vec<_> = groups.collect();
        let rest: Vec<u8> = (0..N as u8).filter(|place| !groups.iter().flatten().any(|known| known == place)).collect();
        let is_oriented = solved.split(',').any(|word| word.split_once(':') == Some((orbit, "orientations")));
        let twisted = if is_oriented { Vec::new() } else { rest.iter().map(|&place| place.into()).collect() };
        groups.push(rest);
        Self { groups, twisted }
    }

    fn draw(&self, rng: &mut ChaCha8Rng, order: u8) -> [Option<Cubie>; N] {
        let mut drawn: [_; N] = std::array::from_fn(|place| Cubie { piece: place as u8, orientation: 0 });
        for places in &self.groups {
            let mut pieces = places.clone();
            pieces.shuffle(rng);
            places.iter().zip(pieces).for_each(|(&place, piece)| drawn[usize::from(place)].piece = piece);
        }
        if let Some((&last, others)) = self.twisted.split_last() {
            for &place in others {
                let twist = rng.random_range(0..order);
                drawn[place].orientation = twist;
                // The twists of all are a multiple of the order.
                drawn[last].orientation = (drawn[last].orientation + order - twist) % order;
            }
        }
        drawn.map(Some)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::{HashMap, HashSet};

    use rand::SeedableRng;

    use super::*;
    use twistbase_puzzle::cube3::{EDGES, Face, Move};

    #[test]
    fn the_positions_of_a_case_are_equally_likely() {
        for (name, count) in [("pll", 288), ("corners", 239_500_800_u64 * 2048), ("zbll", 7_776), ("ll", 62_208)] {
            let (draw, mut rng) = (CubeState::find(name).unwrap().drawer(), ChaCha8Rng::seed_from_u64(1));
            let draws = 40 * count.min(10_000);
            let mut drawn = HashMap::<Cube, u64>::new();
            (0..draws).for_each(|_| *drawn.entry(draw(&mut rng)).or_default() += 1);
            if count > 10_000 {
                // Of many positions, pairs of equal draws are as many as expected.
                let pairs: u64 = drawn.values().map(|times| times * (times - 1) / 2).sum();
                let expected = draws as f64 * (draws as f64 - 1.0) / 2.0 / count as f64;
                assert!((pairs as f64 - expected).abs() < 6.0 * expected.sqrt() + 1.0, "{name}: {pairs}, {expected}");
                continue;
            }
            assert_eq!(drawn.len() as u64, count, "{name}");
            // Chi squared: its mean is one less than the number of positions, its variance twice that.
            let (mean, freedom) = (draws as f64 / count as f64, count as f64 - 1.0);
            let squared: f64 = drawn.values().map(|&times| (times as f64 - mean).powi(2) / mean).sum();
            assert!((squared - freedom).abs() < 6.0 * (2.0 * freedom).sqrt(), "{name}: {squared}, {freedom}");
        }
    }

    /// 21 cases of the last layer's permutation, and the solved one: positions that turns of U before or after make equal are one.
    #[test]
    fn pll_has_its_cases() {
        let (draw, mut rng) = (CubeState::find("pll").unwrap().drawer(), ChaCha8Rng::seed_from_u64(1));
        let mut left: HashSet<Cube> = (0..10_000).map(|_| draw(&mut rng)).collect();
        let (u, mut sizes) = (Move::new(Face::U, 1), Vec::new());
        while let Some(&first) = left.iter().next() {
            let (mut case, mut open) = (HashSet::new(), vec![first]);
            while let Some(cube) = open.pop().filter(|cube| case.insert(*cube)) {
                open = [open, vec![cube.turned(u), u.cube().then(&cube)]].concat();
                open.retain(|cube| !case.contains(cube));
            }
            left.retain(|cube| !case.contains(cube));
            sizes.push(case.len());
        }
        sizes.sort_unstable();
        assert_eq!(sizes, [&[4; 4][..], &[8; 2], &[16; 16]].concat());
    }

    #[test]
    fn positions_of_a_case_reach_its_goal() {
        for (table, goal) in goal::goals(CUBE3, Metric::Htm) {
            let Ok(state) = CubeState::find(goal.name) else { continue };
            let (draw, mut rng) = (state.drawer(), ChaCha8Rng::seed_from_u64(2));
            for _ in 0..20 {
                let cube = draw(&mut rng);
                let at = goal.position(table.space(), &cube);
                let is_solvable = at.is_some_and(|at| goal.only.is_empty() || at == table.space().solved());
                assert!(is_solvable, "{}: {cube:?}", goal.name);
            }
        }
    }

    #[test]
    fn half_turns_draw_all_of_their_positions() {
        let (draw, mut rng) = (CubeState::find("htr").unwrap().drawer(), ChaCha8Rng::seed_from_u64(3));
        let (mut corners, mut edges) = (HashMap::<_, u32>::new(), [[0; EDGES]; EDGES]);
        for _ in 0..9_600 {
            let cube = draw(&mut rng);
            assert!(cube.is_in_h());
            *corners.entry(*cube.corners()).or_default() += 1;
            cube.edges().iter().enumerate().for_each(|(place, &piece)| edges[place][usize::from(piece)] += 1);
        }
        // 96 arrangements of the corners; each edge is in the four places of its slice.
        assert_eq!(corners.len(), 96);
        assert!(corners.values().all(|times| (50..=150).contains(times)), "{corners:?}");
        for counts in edges {
            let mut there: Vec<_> = counts.into_iter().filter(|&times| times > 0).collect();
            there.sort_unstable();
            assert!(there.len() == 4 && there[0] > 2_150 && there[3] < 2_650, "{there:?}");
        }
    }
}
