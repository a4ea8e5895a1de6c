//! The Rubik's cube, unfolded to a net.

use twistbase::puzzle::cube3::Cube;
use twistbase::puzzle::cube3::notation::facelets;

use super::net;
use super::scene::Scene;

/// Stickers along an edge.
const ORDER: usize = 3;

/// The net of a position: U above F, D below it, L to the left, R and B to the right. The centres are labelled.
pub fn scene(cube: &Cube) -> Scene {
    net::scene(ORDER, &facelets::print(cube))
}

#[cfg(test)]
mod tests {
    use twistbase::puzzle::cube3::notation::parse_position;

    use super::*;
    use crate::cli::picture::NET_SCALE;
    use crate::cli::picture::terminal::letters;

    #[test]
    fn a_turn_of_the_right_face_is_seen() {
        let upper = "        UUUUFF";
        let around = "LLLLLL  FFFFDD  RRRRRR  UUBBBB";
        let lower = "        DDDDBB";
        let cube = parse_position("R").unwrap().position;
        assert_eq!(
            letters(&scene(&cube), NET_SCALE),
            [upper, upper, upper, "", around, around, around, "", lower, lower, lower]
        );
    }
}
