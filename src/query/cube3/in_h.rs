//! Whether a position is in H, and why it is not.

use twistbase_core::error::{InvalidInput, Problem};
use twistbase_puzzle::cube3::coordinate::PhaseTwoPosition;
use twistbase_puzzle::cube3::{CORNER_NAMES, Cube, EDGE_NAMES};

/// The edges of the middle layer, and their places, are the last four.
const FIRST_MIDDLE_EDGE: usize = 8;

/// The layers of a position in H = ⟨U, D, R2, F2, L2, B2⟩; `input` is what a person wrote for it.
///
/// # Errors
/// Fails for a position that is not in H with every reason: corners that are twisted, edges that are flipped, edges of
/// the middle layer that are outside of it.
pub fn position_in_h(input: &str, position: &Cube) -> Result<PhaseTwoPosition, InvalidInput> {
    PhaseTwoPosition::of(position).ok_or_else(|| InvalidInput {
        input: input.to_owned(),
        expected: "position in H = <U, D, R2, F2, L2, B2>",
        problems: reasons(position),
        instead: Some("use the method optimal, which solves every position in all moves"),
    })
}

fn reasons(position: &Cube) -> Vec<Problem> {
    let twisted = named(&CORNER_NAMES, position.corners(), |place, _| position.corner_orientations()[place] != 0);
    let flipped = named(&EDGE_NAMES, position.edges(), |place, _| position.edge_orientations()[place] != 0);
    let is_outside = |place, edge| edge >= FIRST_MIDDLE_EDGE && place < FIRST_MIDDLE_EDGE;
    let outside = named(&EDGE_NAMES, position.edges(), is_outside);
    let problem = |code, what: &str, names: Vec<&str>| {
        (!names.is_empty()).then(|| Problem { code, message: format!("{what}: {}", names.join(", ")), at: None })
    };
    let problems = [
        problem("corners-twisted", "corners are twisted", twisted),
        problem("edges-flipped", "edges are flipped", flipped),
        problem("edges-outside", "edges of the middle layer are outside it", outside),
    ];
    problems.into_iter().flatten().collect()
}

/// The names of the pieces for which `is_wanted` holds of place and piece.
fn named(names: &[&'static str], pieces: &[u8], is_wanted: impl Fn(usize, usize) -> bool) -> Vec<&'static str> {
    let pieces = pieces.iter().map(|&piece| usize::from(piece)).enumerate();
    pieces.filter(|&(place, piece)| is_wanted(place, piece)).map(|(_, piece)| names[piece]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use twistbase_puzzle::cube3::{Face, Move};

    #[test]
    fn every_reason_is_named() {
        let codes = |face| {
            let illegal = position_in_h("?", &Move::new(face, 1).cube()).unwrap_err();
            illegal.problems.iter().map(|problem| problem.code).collect::<Vec<_>>()
        };
        assert_eq!(codes(Face::R), ["corners-twisted", "edges-outside"]);
        assert_eq!(codes(Face::F), ["corners-twisted", "edges-flipped", "edges-outside"]);
        let illegal = position_in_h("R", &Move::new(Face::R, 1).cube()).unwrap_err();
        assert_eq!(illegal.problems[1].message, "edges of the middle layer are outside it: FR, BR");
        let said = illegal.to_string();
        assert!(said.starts_with("valid, but not a position in H = <") && said.contains("optimal"), "{said}");
        assert_eq!(
            position_in_h("R2", &Move::new(Face::R, 2).cube()).map(|h_position| h_position.position().is_solved()),
            Ok(false)
        );
    }
}
