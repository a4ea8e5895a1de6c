//! The 2×2×2 cube of pieces against the corners of a cube of stickers, which knows nothing of pieces.

use rand::SeedableRng;
use rand::seq::IndexedRandom;
use rand_chacha::ChaCha8Rng;
use twistbase::puzzle::cube2::{Cube2, notation, random_walk};
use twistbase::puzzle::cube3::{Metric, Move};

use crate::support::stickers::Stickers;

/// The corner stickers of a 3×3×3, in the order of facelets.
fn corners(stickers: &Stickers) -> String {
    let facelets = "URFDLB".chars().flat_map(|face| [1, 3, 7, 9].map(|number| format!("{face}{number}")));
    facelets.map(|name| stickers.at(&name)).collect()
}

fn position(text: &str) -> Cube2 {
    notation::parse_position(text).unwrap().0
}

#[test]
fn turns_of_u_r_and_f_do_the_same_to_pieces_and_stickers() {
    let mut rng = ChaCha8Rng::seed_from_u64(54);
    for metric in [Metric::Htm, Metric::Qtm] {
        for length in 0..100 {
            let (sequence, cube) = random_walk(&mut rng, metric, length);
            assert_eq!(notation::print(&cube), corners(&Stickers::after(&sequence.to_string())), "{sequence}");
        }
    }
    for turn in Move::all().take(9) {
        assert_eq!(position(&turn.to_string()), Cube2::SOLVED.turned(turn));
    }
}

#[test]
fn every_sequence_leads_to_the_same_position_however_the_cube_is_held_then() {
    let letters: Vec<_> = "URFDLBurfdlbMESxyz".chars().collect();
    let mut rng = ChaCha8Rng::seed_from_u64(24);
    let every = letters.iter().flat_map(|letter| ["", "2", "'"].map(|suffix| format!("{letter}{suffix}")));
    let random = (0..500).map(|_| {
        let moves = (0..20)
            .map(|_| format!("{}{}", letters.choose(&mut rng).unwrap(), ["", "2", "'"].choose(&mut rng).unwrap()));
        moves.collect::<Vec<_>>().join(" ")
    });
    for sequence in every.collect::<Vec<_>>().into_iter().chain(random) {
        let stickers = corners(&Stickers::after(&sequence));
        assert_eq!(position(&sequence), position(&stickers), "{sequence}");
    }
}
