//! Tests of the model against itself, against brute force, and against golden answers.

use std::collections::{BTreeMap, HashSet};

use proptest::prelude::*;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::*;

fn rng() -> ChaCha8Rng {
    ChaCha8Rng::seed_from_u64(21)
}

fn hex(text: &str) -> Position {
    notation::hex::parse(text, Colouring::Square1).unwrap().position
}

fn random_turn(rng: &mut ChaCha8Rng) -> Turn {
    Turn::new(rng.random_range(-20..20), rng.random_range(-20..20))
}

#[test]
fn kinds_are_those_of_the_colouring() {
    let kinds = |colouring: Colouring| {
        let mut kinds = BTreeMap::<_, String>::new();
        for piece in Piece::all() {
            kinds.entry(colouring.kind(piece)).or_default().push(piece.hex_digit());
        }
        kinds.into_values().collect::<Vec<_>>().join(" ")
    };
    assert_eq!(kinds(Colouring::Square1), "0 1 2 3 4 5 6 7 8 9 A B C D E F");
    assert_eq!(kinds(Colouring::Cube21), "02 1 3 46 5 7 8A 9 B CE D F");
    assert_eq!(kinds(Colouring::Corners), "02468ACE 1 3 5 7 9 B D F");
}

#[test]
fn pieces_have_a_rank_in_their_size() {
    for piece in Piece::all() {
        let same = if piece.is_big() { Piece::big(piece.rank()) } else { Piece::small(piece.rank()) };
        assert_eq!(same, Some(piece));
        assert_eq!(Piece::new(piece.index()), Some(piece));
        assert_eq!(Piece::from_hex_digit(piece.hex_digit()), Some(piece));
    }
    assert_eq!((Piece::big(8), Piece::small(8), Piece::new(16)), (None, None, None));
}

#[test]
fn turns_are_reduced() {
    assert_eq!(Turn::new(7, -6), Turn::new(-5, 6));
    assert_eq!((Turn::new(7, -6).top(), Turn::new(7, -6).bottom()), (-5, 6));
    assert_eq!(Turn::from_wca(6, -6).wca(), (6, 6));
    assert_eq!(Turn::from_wca(1, 2), Turn::new(-1, 2));
    assert!(Turn::new(i32::MIN, i32::MAX).then(Turn::new(i32::MIN, i32::MAX).inverse()).is_none());
    assert_eq!(Turn::from_wca(i32::MIN, 0), Turn::new(-4, 0));
}

/// A slot's place: its angle in units of 30° anticlockwise seen from above, doubled, from the front
/// end of the seam, and its height. The middle of slot `j` lies at `2 j + 1`.
type AngleAndHeight = (i32, i32);

/// The half turn about the left-right axis: front and back exchange, top and bottom too.
fn half_turn((angle, height): AngleAndHeight) -> AngleAndHeight {
    ((12 - angle).rem_euclid(24), -height)
}

#[test]
fn twists_and_turn_overs_are_the_half_turns_of_the_puzzle() {
    let places = |position: &Position| -> HashSet<(AngleAndHeight, Piece)> {
        let layer = |slots: &[Piece; 12], height| {
            slots.iter().enumerate().map(move |(j, &p)| ((2 * j as i32 + 1, height), p)).collect::<Vec<_>>()
        };
        layer(position.top(), 1).into_iter().chain(layer(position.bottom(), -1)).collect()
    };
    let mut rng = rng();
    for _ in 0..100 {
        let position = random_position(&mut rng);
        let over = places(&position).into_iter().map(|(place, piece)| (half_turn(place), piece)).collect();
        assert_eq!(places(&position.turn_over()), over);
        // The right half spans the angles from the front end of the seam to the back end.
        let is_right = |(angle, _): AngleAndHeight| angle < 12;
        let turned = |place| if is_right(place) { half_turn(place) } else { place };
        let twisted = places(&position).into_iter().map(|(place, piece)| (turned(place), piece)).collect();
        assert_eq!(places(&position.twist().unwrap()), twisted);
    }
}

#[test]
fn rings_turn_moves_into_exchanges() {
    let mut rng = rng();
    for _ in 0..100 {
        let position = random_position(&mut rng);
        let [a, b] = position.rings();
        assert_eq!(Position::from_rings([a, b], position.middle()), Ok(position));
        let [mut twisted_a, mut twisted_b] = [a, b];
        twisted_a[..6].swap_with_slice(&mut twisted_b[6..]);
        assert_eq!(position.twist().unwrap().rings(), [twisted_a, twisted_b]);
        let over = [b, a].map(|ring| std::array::from_fn(|i| ring[(i + 6) % 12]));
        assert_eq!(position.turn_over().rings(), over);
    }
}

#[test]
fn moves_obey_their_laws() {
    let mut rng = rng();
    for _ in 0..100 {
        let position = random_position(&mut rng);
        let twisted = position.twist().unwrap();
        assert_ne!(twisted.middle(), position.middle());
        assert_eq!(twisted.twist(), Some(position));
        assert_eq!(position.turn_over().turn_over(), position);
        assert_eq!(position.turn_over().twist(), Some(twisted.turn_over()));
        let turn = random_turn(&mut rng);
        assert_eq!(position.turn(turn).turn(turn.inverse()), position);
        assert_eq!(position.turn_over().turn(turn), position.turn(turn.turned_over()).turn_over());
        // `/` is `(6,0)/(6,0)/(6,0)`, with the other middle layer.
        let long = notation::apply_sequence("(6,0)/(6,0)/(6,0)", &position).unwrap();
        assert_eq!(long.with_middle(twisted.middle()), twisted);
        assert_eq!(long.middle(), position.middle());
    }
}

#[test]
fn alignments_are_the_turns_that_allow_a_twist() {
    let mut rng = rng();
    for _ in 0..100 {
        let position = random_position(&mut rng).turn(random_turn(&mut rng));
        let alignments: Vec<_> = position.alignments().collect();
        let all = (-5..=6).flat_map(|t| (-5..=6).map(move |b| Turn::new(t, b)));
        assert_eq!(alignments, all.filter(|&turn| position.turn(turn).is_twistable()).collect::<Vec<_>>());
        let distinct: HashSet<_> = position.distinct_alignments().collect();
        assert_eq!(2 * distinct.len(), alignments.len());
        for turn in alignments {
            assert_ne!(distinct.contains(&turn), distinct.contains(&turn.opposite()));
            let class = |turn| {
                let twisted: Position = position.turn(turn).twist().unwrap();
                twisted.canonical_pieces().least(Colouring::Square1)
            };
            assert_eq!(class(turn), class(turn.opposite()));
        }
    }
}

#[test]
fn the_solved_position_is_solved_however_it_is_held() {
    let mut rng = rng();
    for colouring in Colouring::ALL {
        let turn = random_turn(&mut rng);
        let turned = Position::SOLVED.turn(turn).with_middle(Middle::Kite);
        assert_eq!(turned.solving_turn(colouring), Some(turn.inverse()));
        assert_eq!(turned.turn_over().solving_turn(colouring), None);
        assert!(turned.turn_over().is_solved(colouring));
        assert!(!Position::SOLVED.twist().unwrap().is_solved(colouring));
    }
    // Two alike small pieces exchanged.
    let position = hex("21034567-89ABCDEF");
    assert!(!position.is_solved(Colouring::Square1));
    assert_eq!(position.solving_turn(Colouring::Cube21), Some(Turn::NONE));
    assert!(!hex("41230567-89ABCDEF").is_solved(Colouring::Cube21));
    assert!(hex("41230567-89ABCDEF").is_solved(Colouring::Corners));
}

#[test]
fn positions_with_misplaced_pieces_are_rejected() {
    let [mut top, bottom] = Position::SOLVED.rings();
    top.swap(0, 1);
    let [big, small] = [1, 0].map(|index| Piece::new(index).unwrap());
    assert_eq!(Position::from_rings([top, bottom], Middle::Square), Err(IllegalPosition::BigPiece(big)));
    let mut top = *Position::SOLVED.top();
    top[0] = Piece::new(2).unwrap();
    let illegal = Position::from_layers(top, *Position::SOLVED.bottom(), Middle::Square);
    assert_eq!(illegal, Err(IllegalPosition::SmallPiece(small)));
}

#[test]
fn there_are_29_half_shapes() {
    let mut counts = BTreeMap::new();
    for half in HalfShape::all() {
        *counts.entry(half.big_pieces()).or_insert(0) += 1;
    }
    assert_eq!(counts, BTreeMap::from([(6, 1), (5, 3), (4, 10), (3, 10), (2, 5)]));
    assert_eq!(HalfShape::new(0).unwrap().pattern(), "CeCeCeCe");
    assert_eq!(HalfShape::new(0).unwrap().symmetry_order(), 4);
    // The 12-bit masks that some rotation of a half-shape has: one orbit of 12 / order each.
    let rings: usize = HalfShape::all().map(|half| 12 / usize::from(half.symmetry_order())).sum();
    let legal = |mask: u32| {
        let is_small = |i: u32| mask >> i & 1 == 1 && mask >> ((i + 1) % 12) & 1 == 1;
        let has_gap = (0..12).any(|i| mask >> i & 1 == 0 && mask >> ((i + 1) % 12) & 1 == 0);
        let small = (0..12).filter(|&i| is_small(i)).count();
        !has_gap && (2..=6).contains(&(mask.count_ones() as usize - small))
    };
    assert_eq!((0..1 << 12).filter(|&mask| legal(mask)).count(), rings);
}

#[test]
fn there_are_90_shapes_with_the_known_numbers_of_positions() {
    assert_eq!(Shape::all().len(), 90);
    assert_eq!(Shape::SOLVED.name(), "CeCeCeCe/CeCeCeCe");
    assert_eq!(Position::SOLVED.shape(), Shape::SOLVED);
    assert_eq!(Shape::SOLVED.stabiliser_order(), 32);
    let pairs: Vec<_> = Shape::all().map(Shape::half_shapes).collect();
    assert!(pairs.windows(2).all(|pair| pair[0] < pair[1]));
    assert!(pairs.iter().all(|[a, b]| a <= b && a.big_pieces() >= b.big_pieces()));
    for (shape, [a, b]) in Shape::all().zip(pairs) {
        assert_eq!(Shape::of_halves(b, a), Some(shape));
    }
    let positions = |orders: u64| Shape::all().map(|shape| orders / u64::from(shape.stabiliser_order())).sum::<u64>();
    // 8! orders of the big pieces; 8! / 2!^4 or 8! orders of the small ones.
    assert_eq!(positions(40320 * 2520), 6_810_804_000);
    assert_eq!(positions(40320 * 40320), 108_972_864_000);
}

#[test]
fn there_are_1390_moves_of_shapes() {
    let moves: usize = Shape::all().map(|shape| shape.alignments().len()).sum();
    assert_eq!(moves, 1390);
    let cuttable = |shape: Shape| {
        let all = (0..12).flat_map(|u| (0..12).map(move |v| (u, v)));
        all.filter(|&(u, v)| shape.twisted(u, v).is_some()).collect::<Vec<_>>()
    };
    assert_eq!(Shape::all().map(|shape| cuttable(shape).len()).sum::<usize>(), 2780);
    for shape in Shape::all() {
        let distinct: Vec<_> = cuttable(shape).into_iter().filter(|&(u, _)| u < 6).collect();
        assert_eq!(shape.alignments(), distinct);
    }
}

/// Every permutation of the stabiliser, and the set it makes.
fn group(shape: Shape) -> HashSet<([u8; 8], [u8; 8])> {
    shape.stabiliser().into_iter().map(|slots| (slots.big, slots.small)).collect()
}

#[test]
fn stabilisers_are_groups_without_fixed_points() {
    let identity = std::array::from_fn(|i| i as u8);
    for shape in Shape::all() {
        let elements = group(shape);
        assert_eq!(elements.len(), usize::from(shape.stabiliser_order()));
        let first = shape.stabiliser()[0];
        assert_eq!((first.big, first.small), (identity, identity));
        for slots in shape.stabiliser() {
            assert!(elements.iter().all(|(big, small)| elements.contains(&slots.apply(big, small))));
            assert!(slots == first || slots.big != identity);
        }
    }
}

#[test]
fn moves_of_shapes_can_be_undone() {
    let identity: [u8; 8] = std::array::from_fn(|i| i as u8);
    for shape in Shape::all() {
        let elements = group(shape);
        for (u, v) in shape.alignments() {
            let twisted = shape.twisted(u, v).unwrap();
            let (big, small) = twisted.slots.apply(&identity, &identity);
            let undone = twisted.shape.alignments().into_iter().any(|(u, v)| {
                let back = twisted.shape.twisted(u, v).unwrap();
                back.shape == shape && elements.contains(&back.slots.apply(&big, &small))
            });
            assert!(undone, "{shape} ({u}, {v})");
        }
    }
}

#[test]
fn moves_of_shapes_are_those_of_positions() {
    let mut rng = rng();
    let classes = |pieces: Vec<CanonicalPieces>| -> HashSet<_> {
        pieces.iter().map(|pieces| pieces.least(Colouring::Square1)).collect()
    };
    for _ in 0..300 {
        let position = random_position(&mut rng);
        let CanonicalPieces { shape, big, small } = position.canonical_pieces();
        let by_shape = shape.alignments().into_iter().map(|(u, v)| {
            let twisted = shape.twisted(u, v).unwrap();
            let (big, small) = twisted.slots.apply(&big, &small);
            CanonicalPieces { shape: twisted.shape, big, small }
        });
        let twist = |turn| position.turn(turn).twist().unwrap().canonical_pieces();
        let by_position = position.distinct_alignments().map(twist);
        assert_eq!(shape.alignments().len(), position.distinct_alignments().count());
        assert_eq!(classes(by_shape.collect()), classes(by_position.collect()));
    }
}

#[test]
fn layouts_describe_the_canonical_rings() {
    for shape in Shape::all() {
        for (ring, half) in shape.layout().iter().zip(shape.half_shapes()) {
            assert_eq!(position::boundaries(ring), half.boundaries());
            let big = ring.iter().filter(|slot| slot.is_big).count();
            assert_eq!(big, 2 * usize::from(half.big_pieces()));
        }
    }
}

#[test]
fn canonical_pieces_come_back() {
    let mut rng = rng();
    for _ in 0..300 {
        let position = random_position(&mut rng).turn(random_turn(&mut rng));
        let pieces = position.canonical_pieces();
        let back = Position::from_canonical(pieces.shape, &pieces.big, &pieces.small).unwrap();
        assert!(back.is_twistable());
        assert_eq!(back.canonical_pieces().least(Colouring::Square1), pieces.least(Colouring::Square1));
        assert_eq!(position.turn_over().canonical_pieces().least(Colouring::Cube21), pieces.least(Colouring::Cube21));
        assert!(Position::from_canonical(pieces.shape, &pieces.small, &pieces.big).is_err());
    }
}

#[test]
fn pieces_stand_in_the_order_of_the_canonical_rings() {
    let pieces = hex("36547210-BEDCF89A").canonical_pieces();
    let list = |pieces: [Piece; 8]| pieces.map(Piece::hex_digit).iter().collect::<String>();
    assert_eq!((list(pieces.big).as_str(), list(pieces.small).as_str()), ("35719FDB", "64208CEA"));
}

/// Level sizes by brute force, 0 to 3 twists; a node is a position up to turns and turning over, and
/// the middle layer unless it is ignored.
fn level_sizes(colouring: Colouring, middle_counts: bool) -> Vec<usize> {
    let class = |position: &Position| (position.canonical_pieces().least(colouring), position.middle());
    let normal = |position: Position| if middle_counts { position } else { position.with_middle(Middle::Square) };
    let mut seen = HashSet::from([class(&Position::SOLVED)]);
    let mut level = vec![Position::SOLVED];
    let mut sizes = vec![1];
    for _ in 0..3 {
        let mut next = Vec::new();
        for position in level {
            let twisted = position.distinct_alignments().map(|turn| normal(position.turn(turn).twist().unwrap()));
            next.extend(twisted.filter(|twisted| seen.insert(class(twisted))));
        }
        sizes.push(next.len());
        level = next;
    }
    sizes
}

#[test]
fn levels_have_the_known_sizes() {
    // Square-1 and Cube21: Savara's table and the prototype's, SQUARE1.md.
    assert_eq!(level_sizes(Colouring::Square1, false), [1, 32, 544, 7980]);
    assert_eq!(level_sizes(Colouring::Square1, true), [1, 32, 576, 8525]);
    assert_eq!(level_sizes(Colouring::Cube21, false), [1, 32, 536, 7652]);
    assert_eq!(level_sizes(Colouring::Cube21, true), [1, 32, 568, 8189]);
}

#[test]
fn random_positions_are_uniform_over_shapes() {
    let mut rng = rng();
    let mut counts = [0_u32; Shape::COUNT];
    let mut upright_kites = 0;
    let samples = 60_000;
    for _ in 0..samples {
        let position = random_position(&mut rng);
        assert!(position.is_twistable());
        counts[usize::from(position.shape().id())] += 1;
        upright_kites += u32::from(position.middle() == Middle::Kite);
    }
    let weight = |shape: Shape| 1.0 / f64::from(shape.stabiliser_order());
    let total: f64 = Shape::all().map(weight).sum();
    let deviation: f64 = Shape::all()
        .map(|shape| {
            let expected = f64::from(samples) * weight(shape) / total;
            (f64::from(counts[usize::from(shape.id())]) - expected).powi(2) / expected
        })
        .sum();
    // Chi-squared with 89 degrees of freedom exceeds 147 once in ten thousand times.
    assert!(deviation < 147.0, "{deviation}");
    assert!(upright_kites.abs_diff(samples / 2) < 500);
}

#[test]
fn random_shape_weights_are_whole() {
    assert!(Shape::all().all(|shape| 96 % shape.stabiliser_order() == 0));
}

#[test]
fn random_states_are_uniform_over_what_can_be_twisted() {
    let mut rng = ChaCha8Rng::seed_from_u64(12);
    let mut found = [0u32; Shape::COUNT];
    const DRAWN: u32 = 60_000;
    for _ in 0..DRAWN {
        let position = random_state(&mut rng);
        assert!(position.is_twistable());
        found[usize::from(position.shape().id())] += 1;
    }
    for shape in Shape::all() {
        // Of 3678 ways to lay two layers that can be twisted: either ring on top, cut at either end.
        let ways = 4.0 * shape.alignments().len() as f64 / f64::from(shape.stabiliser_order());
        let expected = f64::from(DRAWN) * ways / 3678.0;
        let off = (f64::from(found[usize::from(shape.id())]) - expected).abs();
        assert!(off < 5.0 * expected.sqrt() + 1.0, "{shape}: {off} off {expected}");
    }
}

#[test]
fn random_walks_lead_where_their_sequences_do() {
    let (sequence, position) = random_walk(&mut rng(), 40);
    assert_eq!(sequence.twists(), 40);
    assert_eq!(sequence.apply(&Position::SOLVED), Ok(position));
    assert_eq!(sequence.inverse().apply(&position), Ok(Position::SOLVED));
}

fn records(text: &str) -> Vec<Vec<String>> {
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    reader.records().map(|record| record.unwrap().iter().map(str::to_owned).collect()).collect()
}

#[test]
fn golden_scrambles_lead_to_their_positions() {
    for record in records(include_str!("../../../data/square1_twists.csv")) {
        let [position, scramble] = [&record[0], &record[1]];
        let parsed = notation::parse_position(scramble, Colouring::Square1).unwrap();
        assert_eq!(parsed.notation, notation::Square1Notation::Wca);
        assert_eq!(notation::hex::print(&parsed.position).as_ref(), Some(position));
        assert_eq!(hex(position), parsed.position.with_middle(Middle::Square));
    }
}

#[test]
fn golden_positions_are_read() {
    for text in
        [include_str!("../../../data/cube21_positions.csv"), include_str!("../../../data/cube21_not_twistable.csv")]
    {
        for record in records(text) {
            let parsed = notation::parse_position(&record[0], Colouring::Cube21).unwrap();
            assert_eq!(notation::hex::print(&parsed.position).as_ref(), Some(&record[0]));
            assert!(!parsed.middle_given);
            assert_eq!(parsed.position.is_solved(Colouring::Cube21), record[1] == "1");
        }
    }
    for record in records(include_str!("../../../data/cube21_not_twistable.csv")) {
        assert!(!hex(&record[0]).is_twistable());
    }
}

proptest! {
    #[test]
    fn any_pieces_in_slots_are_checked(top: [u8; 12], bottom: [u8; 12]) {
        let piece = |bits: u8| Piece::from_low_bits(bits);
        let _ = Position::from_layers(top.map(piece), bottom.map(piece), Middle::Kite);
    }
}
