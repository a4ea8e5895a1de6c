//! Competition scrambles: random states, reached by the two-phase solver.

use super::states::CubeState;
use super::tables::Cube3;
use crate::position::PuzzlePosition;
use crate::random::{self, Scrambles};
use rand_chacha::ChaCha8Rng;
use twistbase_core::context::Context;
use twistbase_core::error::{Error, Result};
use twistbase_puzzle::cube3::{Cube, Metric, Move, MoveSequence, random_cube};
use twistbase_solve::{LONGEST, Limits, Stopped};

/// Limits of a search. With one thread and no clock it finds the same moves each time. A random state takes about a millisecond, with
/// far fewer nodes than these: so the moves do not depend on the solver's tables either.
const LIMITS: Limits =
    Limits { target: 20, longest: LONGEST, deadline: None, max_nodes: Some(100_000_000), parallel: false };

/// Endless competition scrambles, or scrambles that lead to the states of a case.
pub(super) fn scrambles(cube: &Cube3, of: Option<CubeState>, seed: u64, ctx: &Context) -> Result<Scrambles> {
    let draw =
        of.map_or_else(|| Box::new(random_cube) as Box<dyn Fn(&mut ChaCha8Rng) -> Cube + Send>, CubeState::drawer);
    let solver = cube.two_phase(Metric::Htm, ctx)?;
    Ok(random::scrambles(seed, ctx, move |rng, ctx| {
        let state = draw(rng);
        // All states of a case are wanted, the solved one, too.
        if of.is_none() && is_within_a_move(&state) {
            return Ok(None);
        }
        let found = solver.solve(&Cube::SOLVED, &state, &LIMITS, ctx, &mut |_, _| {})?;
        if found.stopped == Stopped::Interrupted {
            return Err(Error::Interrupted);
        }
        let moves = MoveSequence::new(found.solution.expect("a first solution is found at once")).to_string();
        Ok(Some(PuzzlePosition::from(state).reached_by(Some(moves))))
    }))
}

/// Whether a state is solved, or one move from it: the regulations of the World Cube Association exclude these (4b3).
fn is_within_a_move(state: &Cube) -> bool {
    state.is_solved() || Move::all().any(|turn| state.turned(turn).is_solved())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_states_of_two_moves_or_more_are_scrambles() {
        assert!(is_within_a_move(&Cube::SOLVED));
        for first in Move::all() {
            let state = Cube::SOLVED.turned(first);
            assert!(is_within_a_move(&state), "{first}");
            for second in Move::all() {
                let is_one_turn = first.face() == second.face();
                assert_eq!(is_within_a_move(&state.turned(second)), is_one_turn, "{first} {second}");
            }
        }
    }
}
