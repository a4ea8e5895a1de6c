//! Canonical sequences: one order of the turns that commute, and no turn of a face in two parts.

use super::moves::{Face, Metric, Move};

/// Where a canonical sequence stands: at its start, or how far the face that moved last has been turned by then.
///
/// A sequence of moves that count one is canonical if each of them is [allowed](Self::allowed) after those before it:
/// - of two successive turns of opposite faces, U comes before D, R before L and F before B;
/// - in the half-turn metric a face never turns twice in succession;
/// - in the quarter-turn metric a face turns twice in succession only clockwise, and never three times: that is how
///   half turns are made.
///
/// Every position has a shortest sequence that is canonical, because turns of opposite faces commute and successive
/// turns of a face add up. There are 1, 18, 243, 3240, 43254, … of length 0, 1, 2, … in the half-turn metric and 1, 12,
/// 114, 1068, 10011, … in the quarter-turn metric.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CanonicalState(u8);

/// The moves allowed after, by metric and state.
static ALLOWED: [[u32; CanonicalState::COUNT]; 2] = [allowed(Metric::Htm, false), allowed(Metric::Qtm, false)];
/// The moves allowed before.
static ALLOWED_BEFORE: [[u32; CanonicalState::COUNT]; 2] = [allowed(Metric::Htm, true), allowed(Metric::Qtm, true)];

const fn allowed(metric: Metric, before: bool) -> [u32; CanonicalState::COUNT] {
    let mut masks = [0; CanonicalState::COUNT];
    let mut state = 0;
    while state < masks.len() {
        let mut index = 0;
        while let Some(turn) = Move::from_index(index) {
            let at = CanonicalState(state as u8);
            if if before { at.allows_before(metric, turn) } else { at.allows(metric, turn) } {
                masks[state] |= 1 << index;
            }
            index += 1;
        }
        state += 1;
    }
    masks
}

impl CanonicalState {
    /// The state before the first move.
    pub const START: Self = Self(0);

    /// How many states there are: the start, and one for each of the 18 turns.
    pub const COUNT: usize = 1 + Move::COUNT;

    /// Its number, 0..19.
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// By which turn the face that moved last has been turned; `None` at the start.
    pub const fn last(self) -> Option<Move> {
        if self.0 == 0 { None } else { Move::from_index(self.0 as usize - 1) }
    }

    /// The moves that may follow: bit [`Move::index`] is set for each.
    pub const fn allowed(self, metric: Metric) -> u32 {
        ALLOWED[metric as usize][self.index()]
    }

    /// The state after a move, if it is allowed.
    pub const fn next(self, metric: Metric, turn: Move) -> Option<Self> {
        if self.allowed(metric) >> turn.index() & 1 == 0 {
            return None;
        }
        Some(self.joined(turn))
    }

    /// For sequences that are made from their end, where the state shows how the first face so far is turned: the moves that may
    /// precede, a bit each.
    pub const fn allowed_before(self, metric: Metric) -> u32 {
        ALLOWED_BEFORE[metric as usize][self.index()]
    }

    /// The state after a move has been put before, if it is allowed.
    pub const fn before(self, metric: Metric, turn: Move) -> Option<Self> {
        if self.allowed_before(metric) >> turn.index() & 1 == 0 {
            return None;
        }
        Some(self.joined(turn))
    }

    /// The state after an allowed turn, at whichever end.
    const fn joined(self, turn: Move) -> Self {
        let total = match self.last() {
            // Only a second clockwise quarter turn is allowed.
            Some(last) if last.face() as u8 == turn.face() as u8 => Move::new(turn.face(), 2),
            _ => turn,
        };
        Self(1 + total.index() as u8)
    }

    /// A turn may precede if what it leads to allows the first turn so far.
    const fn allows_before(self, metric: Metric, turn: Move) -> bool {
        if metric.cost(turn) != 1 {
            return false;
        }
        let Some(first) = self.last() else { return true };
        if metric.cost(first) == 1 {
            return Self(1 + turn.index() as u8).allows(metric, first);
        }
        // A half turn in the quarter-turn metric is two turns already.
        turn.face() as u8 != first.face() as u8
            && Self(1 + turn.index() as u8).allows(metric, Move::new(first.face(), 1))
    }

    const fn allows(self, metric: Metric, turn: Move) -> bool {
        if metric.cost(turn) != 1 {
            return false;
        }
        let Some(last) = self.last() else { return true };
        let (before, now) = (last.face(), turn.face());
        if before as u8 == now as u8 {
            matches!(metric, Metric::Qtm) && last.quarters() == 1 && turn.quarters() == 1
        } else {
            before.opposite() as u8 != now as u8 || (before as u8) < Face::D as u8
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::cube3::Cube;

    /// Canonical sequences of length 0, 1, …, by counting how many end in each state.
    fn counts(metric: Metric, length: usize) -> Vec<u64> {
        let mut ending = [0; CanonicalState::COUNT];
        ending[CanonicalState::START.index()] = 1;
        let mut counts = vec![1];
        for _ in 0..length {
            let mut next = [0; CanonicalState::COUNT];
            for (state, count) in ending.into_iter().enumerate() {
                for after in Move::all().filter_map(|turn| CanonicalState(state as u8).next(metric, turn)) {
                    next[after.index()] += count;
                }
            }
            ending = next;
            counts.push(ending.iter().sum());
        }
        counts
    }

    /// All sequences of a length, made from the start or from the end.
    fn sequences(metric: Metric, length: usize, from_end: bool) -> HashSet<Vec<Move>> {
        let mut all = vec![(CanonicalState::START, Vec::new())];
        for _ in 0..length {
            let longer = |(state, moves): &(CanonicalState, Vec<Move>)| {
                let (state, moves) = (*state, moves.clone());
                Move::all().filter_map(move |turn| {
                    let next = if from_end { state.before(metric, turn) } else { state.next(metric, turn) };
                    let moves = if from_end { [&[turn], &moves[..]].concat() } else { [&moves[..], &[turn]].concat() };
                    next.map(|next| (next, moves))
                })
            };
            all = all.iter().flat_map(longer).collect();
        }
        all.into_iter().map(|(_, moves)| moves).collect()
    }

    #[test]
    fn sequences_made_from_their_end_are_the_same() {
        for metric in [Metric::Htm, Metric::Qtm] {
            for length in 0..=4 {
                assert!(sequences(metric, length, false) == sequences(metric, length, true), "{metric:?} {length}");
            }
        }
    }

    #[test]
    fn canonical_sequences_are_as_many_as_published() {
        assert_eq!(counts(Metric::Htm, 6), [1, 18, 243, 3240, 43254, 577_368, 7_706_988]);
        assert_eq!(counts(Metric::Qtm, 6), [1, 12, 114, 1068, 10011, 93840, 879_624]);
    }

    /// Sequences alternate between the three axes. With A(z) the series of what turns of one axis can be (HTM 6z + 9z²,
    /// QTM (1 + 2z + z²)² - 1), the series of all is (1 + A) / (1 - 2A).
    #[test]
    fn counts_follow_the_series() {
        for (metric, axis) in [(Metric::Htm, [6, 9, 0, 0]), (Metric::Qtm, [4, 6, 4, 1])] {
            let counts = counts(metric, 12);
            for n in 1..counts.len() {
                let before = (1..=n.min(4)).map(|k| 2 * axis[k - 1] * counts[n - k]).sum::<u64>();
                assert_eq!(counts[n], before + axis.get(n - 1).unwrap_or(&0), "{metric:?} {n}");
            }
        }
    }

    /// Positions at each distance, by trying every move everywhere.
    fn plain_levels(metric: Metric, depth: usize) -> Vec<HashSet<Cube>> {
        let mut levels = vec![HashSet::from([Cube::SOLVED])];
        for level in 1..=depth {
            let reached = levels[level - 1].iter().flat_map(|cube| metric.moves().map(|turn| cube.turned(turn)));
            let is_new = |cube: &Cube| levels.iter().rev().take(2).all(|known| !known.contains(cube));
            let next = reached.filter(is_new).collect();
            levels.push(next);
        }
        levels
    }

    #[test]
    fn canonical_sequences_reach_every_position_at_its_distance() {
        for metric in [Metric::Htm, Metric::Qtm] {
            let levels = plain_levels(metric, 5);
            let sizes: Vec<_> = levels.iter().map(HashSet::len).collect();
            match metric {
                Metric::Htm => assert_eq!(sizes, [1, 18, 243, 3240, 43239, 574_908]),
                Metric::Qtm => assert_eq!(sizes, [1, 12, 114, 1068, 10011, 93840]),
            }
            let mut ends = vec![(CanonicalState::START, Cube::SOLVED)];
            for level in &levels {
                let reached: HashSet<_> = ends.iter().map(|&(_, cube)| cube).collect();
                assert!(level.is_subset(&reached));
                let after = |&(state, cube): &(CanonicalState, Cube)| {
                    Move::all().filter_map(move |turn| Some((state.next(metric, turn)?, cube.turned(turn))))
                };
                ends = ends.iter().flat_map(after).collect();
            }
        }
    }

    #[test]
    fn states_tell_the_last_turn() {
        let [u, d] = [Face::U, Face::D].map(|face| Move::new(face, 1));
        let after_u = CanonicalState::START.next(Metric::Qtm, u).unwrap();
        assert_eq!((CanonicalState::START.last(), after_u.last()), (None, Some(u)));
        assert_eq!(after_u.next(Metric::Htm, u), None);
        let twice = after_u.next(Metric::Qtm, u).unwrap();
        assert_eq!((twice.last(), twice.next(Metric::Qtm, u)), (Some(Move::new(Face::U, 2)), None));
        let after_d = after_u.next(Metric::Htm, d).unwrap();
        assert_eq!((after_d.next(Metric::Htm, u), after_d.next(Metric::Qtm, u)), (None, None));
        assert_eq!(CanonicalState::START.allowed(Metric::Htm), (1 << Move::COUNT) - 1);
    }
}
