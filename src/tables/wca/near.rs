//! Positions near the solved one, by plain search.

use std::collections::HashSet;

use twistbase_core::context::Context;
use twistbase_core::error::Result;
use twistbase_puzzle::square1::{Colouring, Middle, Piece, Position};

/// Positions as they lie at 0, 1, 2, … moves.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct PlainCounts {
    /// That can be twisted.
    pub(super) twistable: Vec<u64>,
    /// That cannot.
    pub(super) blocked: Vec<u64>,
}

/// A position as it is seen.
type SeenPosition = ([Piece; 12], [Piece; 12], Middle);

fn seen(position: &Position, colouring: Colouring) -> SeenPosition {
    let kinds = |layer: &[Piece; 12]| layer.map(|piece| colouring.kind(piece));
    (kinds(position.top()), kinds(position.bottom()), position.middle())
}

/// The same of all positions that differ by turns: each layer in the order that is the least.
fn seen_turned((top, bottom, middle): SeenPosition) -> SeenPosition {
    let least = |layer: [Piece; 12]| {
        let rotated = |amount: usize| {
            let mut layer = layer;
            layer.rotate_left(amount);
            layer
        };
        (1..12).map(rotated).fold(layer, Ord::min)
    };
    (least(top), least(bottom), middle)
}

/// All turns of two layers.
const TURNS: u64 = 144;

/// Counts the positions within `depth` moves of any of `solved`, by a search that knows nothing but the moves.
pub(super) fn count_near(
    colouring: Colouring,
    solved: &[Position],
    depth: usize,
    ctx: &Context,
) -> Result<PlainCounts> {
    let mut counts = PlainCounts { twistable: vec![0; depth + 1], blocked: vec![0; depth + 1] };
    let mut level: Vec<Position> = solved.to_vec();
    let (mut all, mut turned) = (HashSet::<SeenPosition>::new(), HashSet::new());
    all.extend(level.iter().map(|position| seen(position, colouring)));
    for moves in 0..=depth {
        ctx.check()?;
        counts.twistable[moves] = level.len() as u64;
        let mut next = Vec::new();
        for position in &level {
            // What cannot be twisted is a turn away from what can, and no way leads on from it but another turn.
            let is_new = turned.insert(seen_turned(seen(position, colouring)));
            if let Some(blocked) = counts.blocked.get_mut(moves + 1).filter(|_| is_new) {
                *blocked += TURNS - position.alignments().count() as u64;
            }
            if moves < depth {
                let moved = position.alignments().map(|turn| position.turn(turn)).chain(position.twist());
                next.extend(moved.filter(|to| all.insert(seen(to, colouring))));
            }
        }
        level = next;
    }
    Ok(counts)
}
