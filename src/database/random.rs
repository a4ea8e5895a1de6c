//! Random positions of each puzzle.

use std::iter;
use std::sync::Arc;

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use super::answers::PositionReport;
use super::cube3::CubeState;
use super::large::LargePuzzle;
use super::puzzle_info::{CUBE3, noun, refuse_foreign};
use twistbase_core::context::Context;
use twistbase_core::error::Result;
use twistbase_definition::{Pattern, SpacePosition};
use twistbase_puzzle::cube2::{self, random_cube2};
use twistbase_puzzle::cube3::{self, Cube, Metric, MoveSequence, random_cube, random_in_h};
use twistbase_puzzle::square1::{self, Position, TwistSequence, random_position};
use twistbase_tables::{DefinedTable, Definition, Notation, cube2_place};

/// The kind of random positions: all equally likely, or ends of random walks.
#[derive(Debug, Clone, Copy, Default)]
pub struct RandomRequest {
    /// Walk this many twists or moves from solved.
    pub walk: Option<u16>,
    /// Draw from the positions in H (Rubik's cube): all equally likely.
    pub in_h: bool,
    /// Draw from the positions of a case (Rubik's cube): all equally likely.
    pub state: Option<CubeState>,
    /// The metric of a walk (cubes).
    pub metric: Option<Metric>,
}

/// Scrambled positions with their moves, one at a time.
pub type Scrambles = Box<dyn Iterator<Item = Result<PositionReport>> + Send>;

/// Positions; the end of a walk has its moves.
type Drawn<M, P> = Box<dyn Iterator<Item = (Option<M>, P)> + Send>;

impl RandomRequest {
    /// The longest walk on the command line and in the server.
    pub const LONGEST_WALK: u16 = 1000;

    /// Rejects options outside `own`, and options that do not fit with, or without, a walk.
    fn refuse_foreign(&self, puzzle: &str, own: &[&str]) -> Result<()> {
        let [_, in_h, metric, state] = self.given();
        refuse_foreign(&noun(puzzle), &[in_h, metric, state], own)?;
        match self.walk {
            Some(_) => refuse_foreign("a walk", &[in_h, state], &[]),
            None if self.state.is_some() => refuse_foreign("positions of a state", &[in_h, metric], &[]),
            None => refuse_foreign("positions that are all equally likely", &[metric], &[]),
        }
    }

    /// Rejects options that a scramble does not have.
    pub(super) fn check_scramble(&self, puzzle: &str, own: &[&str]) -> Result<()> {
        let [walk, in_h, metric, state] = self.given();
        refuse_foreign("a scramble", &[walk, in_h, metric], &[])?;
        refuse_foreign(&noun(puzzle), &[state], own)
    }

    /// The options, by name, and whether they are given.
    fn given(&self) -> [(&'static str, bool); 4] {
        let Self { walk, in_h, metric, state } = self;
        [("walk", walk.is_some()), ("in-h", *in_h), ("metric", metric.is_some()), ("state", state.is_some())]
    }

    /// Positions of the Rubik's cube.
    pub(super) fn cube3(&self, seed: u64) -> Result<Drawn<MoveSequence, Cube>> {
        self.refuse_foreign(CUBE3, &["in-h", "metric", "state"])?;
        let draw: Box<dyn Fn(&mut ChaCha8Rng) -> Cube + Send> = match self.state {
            Some(state) => state.drawer(),
            None if self.in_h => Box::new(random_in_h),
            None => Box::new(random_cube),
        };
        let metric = self.metric.unwrap_or_default();
        Ok(self.drawn(seed, draw, move |rng, length| cube3::random_walk(rng, metric, length)))
    }

    /// Positions of a puzzle that is data, with the moves of a walk.
    pub(super) fn defined(&self, table: &'static DefinedTable, seed: u64) -> Result<Drawn<String, SpacePosition>> {
        if table.notation() == Notation::Cube2 {
            self.refuse_foreign(table.puzzle(), &["metric"])?;
            let metric = self.metric.unwrap_or_default();
            let walk = move |rng: &mut ChaCha8Rng, length| {
                let (moves, position) = cube2::random_walk(rng, metric, length);
                (moves.to_string(), cube2_place(&position))
            };
            return Ok(self.drawn(seed, |rng| cube2_place(&random_cube2(rng)), walk));
        }
        self.refuse_foreign(table.puzzle(), &[])?;
        let space = table.space();
        let drawer = self.walk.is_none().then(|| table.definition().drawer());
        let draw = move |rng: &mut ChaCha8Rng| drawer.as_ref().map_or(space.solved(), |drawer| space.draw(drawer, rng));
        let walk = move |rng: &mut ChaCha8Rng, length| {
            let (moves, pattern) = table.definition().walk(space.turns(), rng, length);
            (moves, space.position_of(&pattern).expect("turns lead there"))
        };
        Ok(self.drawn(seed, draw, walk))
    }

    /// Positions of a puzzle without a table, with the moves of a walk.
    pub(super) fn large(&self, puzzle: &Arc<LargePuzzle>, seed: u64) -> Result<Drawn<String, Pattern>> {
        self.refuse_foreign(puzzle.info.puzzle, &[])?;
        let (drawer, puzzle) = (self.walk.is_none().then(|| puzzle.definition().drawer()), Arc::clone(puzzle));
        let solved = puzzle.definition().solved.clone();
        let draw =
            move |rng: &mut ChaCha8Rng| drawer.as_ref().map_or_else(|| solved.clone(), |drawer| drawer.draw(rng));
        let walk = move |rng: &mut ChaCha8Rng, length| puzzle.definition().walk(puzzle.turns(), rng, length);
        Ok(self.drawn(seed, draw, walk))
    }

    /// Positions of a puzzle of the Square-1 family.
    pub(super) fn square1(&self, puzzle: &str, seed: u64) -> Result<Drawn<TwistSequence, Position>> {
        self.refuse_foreign(puzzle, &[])?;
        Ok(self.drawn(seed, random_position, square1::random_walk))
    }

    /// Ends of walks, or positions from `draw`.
    fn drawn<M, P>(
        &self,
        seed: u64,
        draw: impl Fn(&mut ChaCha8Rng) -> P + Send + 'static,
        walk: impl Fn(&mut ChaCha8Rng, usize) -> (M, P) + Send + 'static,
    ) -> Drawn<M, P> {
        let (mut rng, length) = (ChaCha8Rng::seed_from_u64(seed), self.walk);
        Box::new(iter::repeat_with(move || match length {
            Some(length) => {
                let (moves, position) = walk(&mut rng, length.into());
                (Some(moves), position)
            }
            None => (None, draw(&mut rng)),
        }))
    }
}

/// Endless scrambles; `draw` makes each from random numbers. It returns `None` for a state that the rules exclude, and is then called
/// again.
pub(super) fn scrambles(
    seed: u64,
    ctx: &Context,
    mut draw: impl FnMut(&mut ChaCha8Rng, &Context) -> Result<Option<PositionReport>> + Send + 'static,
) -> Scrambles {
    let (mut rng, ctx) = (ChaCha8Rng::seed_from_u64(seed), ctx.clone());
    let drawn = iter::repeat_with(move || ctx.check().and_then(|()| draw(&mut rng, &ctx)));
    Box::new(drawn.filter_map(Result::transpose))
}
