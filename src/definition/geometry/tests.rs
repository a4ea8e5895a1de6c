use std::collections::HashSet;

use super::*;
use crate::Restriction;
use twistbase_core::context::Context;
use twistbase_core::error::Error;

/// Geometries, the numbers of their layers, and the orders of the groups that these generate, as cubing.js finds them
/// (`PuzzleGeometry.writeSchreierSims`, version 0.56.0).
const ORDERS: &[(&str, usize, &str)] = &[
    ("c f 0", 6, "88179840"),
    ("c f 0.333333333333333", 9, "1038048078587756544000"),
    ("c f 0.5 f 0", 12, "16972688908618238933770849245964147960401887232000000000"),
    ("c v 0", 8, "37791360"),
    ("c v 0 v 0.38", 16, "409117699416772494054372085743811545252242375519625648537600000000000000000"),
    ("c v 0.915641442663986", 12, "18856376985600"),
    ("c v 0.866025403784439", 12, "18856376985600"),
    ("c e 0.707106781186547", 18, "284367878671564800000"),
    ("c v 0.577350269189626", 12, "239500800"),
    ("c e 0", 12, "310224200866619719680000"),
    ("t e 0.346184634065199", 9, "21233664"),
    ("t v 0.333333333333333 v 1.66666666666667", 12, "906992640"),
    ("t v 0 v 1 v 2", 16, "2606705554489344000"),
    ("t v -0.2 v 0.6 v 1.4 v 2.2", 20, "149522281173134166047493980160000000"),
    ("t f 0", 8, "44789760"),
    ("d f 0.7", 18, "6040176993211400827350961938818730310121286984661186117632000000000000"),
    ("d f 0", 12, "338614404853905491534363492352000000"),
    (
        "d f 0 f 0.145905",
        24,
        "101457660607050342741252667928704383949978298914804489605128396681558218259398673802184434431040512289980189592552582186075352849369207232438902402519757427645673148554291540764795745444488159550586866479416762514337674631186596373691735963322442176452113416381898605821840199706473487047918305358643200000000000000000000000000000000000000000000000000000000000000",
    ),
    (
        "d f 0.23606797749979",
        18,
        "70949898036712568092387954977500865670258871652210008242184709170750011585178767590490850925828813859533619200000000000000000000000",
    ),
    (
        "d v 0",
        20,
        "4226409148466914830588222182413738020783944955407795279403773227994397488830813474660343201189068800000000000000000000",
    ),
    ("o f 0", 8, "1658880"),
    ("o f 0.333333333333333", 12, "158260810061489362698240000000"),
    ("o v 0.577350269189626", 9, "48217879845273600"),
    ("o v 0.433012701892219", 9, "972072457680715776000"),
    ("i v 0", 12, "71128171054676736000000000000000000"),
];

fn check_orders(is_checked: impl Fn(&str) -> bool) {
    for &(spec, layers, order) in ORDERS.iter().filter(|(.., order)| is_checked(order)) {
        let geometry = Geometry::parse(&format!("{spec} moves all")).unwrap_or_else(|error| panic!("{spec}: {error}"));
        let definition = geometry.definition();
        assert_eq!(
            (definition.moves.len(), definition.group_order().to_string()),
            (layers, order.to_owned()),
            "{spec}"
        );
    }
}

/// The numbers of digits up to which orders are found in a moment.
const DIGITS: usize = 40;

#[test]
fn orders_are_those_of_cubing_js() {
    check_orders(|order| order.len() <= DIGITS);
}

#[test]
#[ignore = "long suite: groups of hundreds of pieces"]
fn large_orders_are_those_of_cubing_js() {
    check_orders(|order| order.len() > DIGITS);
}

fn levels(line: &str, depth: usize) -> Vec<u64> {
    let definition = PuzzleDefinition::parse(line).unwrap_or_else(|error| panic!("{error}"));
    definition.count_levels(depth, u64::MAX, None, &Context::silent(), |_, _| Ok(())).unwrap().counts
}

/// Positions at each distance as twsearch counts them, from definitions that cubing.js makes of the same geometry.
#[test]
fn levels_are_those_of_twsearch() {
    // The skewb diamond whole; of the others the first: Jing's pyraminx, FTO, compy cube, 2x2x2.
    for (line, counts) in [
        ("o f 0", &[1, 16, 208, 2_280, 18_795, 104_856, 433_752, 897_588, 198_564, 2_640, 180][..]),
        ("t f 0", &[1, 16, 208, 2_280, 19_683, 123_840]),
        ("o f 0.333", &[1, 16, 208, 2_688, 34_752]),
        ("c v 0.866025403784439", &[1, 16, 160, 1_408, 11_808, 95_712]),
        ("c v 0.915641442663986", &[1, 16, 160, 1_408, 11_808, 95_712]),
        ("c f 0 hold DBL", &[1, 9, 54, 321, 1_847, 9_992]),
    ] {
        let depth = if line == "o f 0" { 99 } else { counts.len() - 1 };
        assert_eq!(levels(line, depth), counts, "{line}");
    }
    let skewb = levels("c v 0", 99);
    assert_eq!((skewb.iter().sum::<u64>(), skewb.len(), skewb[11]), (37_791_360, 12, 1_080));
}

#[test]
fn a_held_piece_stays_and_opposite_layers_are_one_move() {
    let cube = Geometry::parse("c f 0 hold DBL").unwrap();
    let definition = cube.definition();
    let held = |faces: &str| (0..8).find(|&piece| cube.piece_name(piece) == faces).unwrap();
    assert!((0..definition.moves.len()).all(|turn| cube.turn(turn).places.iter().all(|[at, _]| *at != held("DLB"))));
    let names: Vec<_> = definition.moves.iter().map(|one| one.name.as_str()).collect();
    let others: Vec<_> = definition.derived.iter().map(|one| (one.name.as_str(), one.sequence.as_str())).collect();
    assert_eq!((names, others), (vec!["U", "F", "R"], vec![("D", "U"), ("B", "F"), ("L", "R")]));
    assert_eq!(definition.read_sequence("R L'").unwrap(), definition.identity());
}

/// The slice metric: each turn of a layer between faces turns both of them the other way.
#[test]
fn the_middle_can_be_held() {
    for line in ["c f 0.333 moves all hold middle", "3x3x3 hold middle moves all"] {
        assert_eq!(levels(line, 3), [1, 27, 501, 9_175], "{line}");
    }
    assert_eq!(levels_of_a_box([3; 3], Some([0; 3]), 3), [1, 27, 501, 9_175]);
    let cube = PuzzleDefinition::named("cube3-slices").unwrap();
    for (slice, faces) in [("M", "R L'"), ("E", "U D'"), ("S", "B F'")] {
        assert_eq!(cube.read_sequence(slice).unwrap(), cube.read_sequence(faces).unwrap(), "{slice}");
    }
    let pieces: Vec<_> = cube.orbits.iter().map(|orbit| orbit.name.as_str()).collect();
    assert_eq!(pieces, ["CORNER", "EDGE"]);
}

#[test]
fn pieces_of_the_same_colours_are_alike() {
    let cube = Geometry::parse("c f 0.5 f 0").unwrap();
    let report = cube.definition().report();
    let kinds: Vec<_> = report.orbits.iter().map(|orbit| (orbit.orbit.as_str(), orbit.pieces, orbit.kinds)).collect();
    assert_eq!(kinds, [("CORNER", 8, 8), ("EDGE", 24, 24), ("CENTER", 24, 6)]);
}

#[test]
fn a_line_is_kept_in_a_file_and_must_fit_it() {
    let skewb = PuzzleDefinition::parse("c v 0  hold UFR\tmoves R=DBR,U=UBL").unwrap();
    assert_eq!(skewb.geometry, "c v 0 hold UFR moves R=DBR,U=UBL");
    let file = skewb.to_kpuzzle();
    assert_eq!(PuzzleDefinition::parse(&file).unwrap(), skewb);
    for other in [file.replace("hold UFR", "hold UFL"), file.replace("c v 0", "c v x"), file.replace("\"R\"", "\"Q\"")]
    {
        assert_ne!(other, file);
        let error = PuzzleDefinition::parse(&other).unwrap_err().to_string();
        assert!(error.contains("/geometry"), "{error}");
    }
}

#[test]
fn a_wrong_line_is_refused_with_every_reason_and_its_place() {
    for (line, reasons) in [
        ("q f 0.3", &[("q", "the first word is the solid")][..]),
        ("3x3", &[("3x3", "or a box such as 3x3x2")]),
        ("3x+3x2", &[("3x+3x2", "or a box such as 3x3x2")]),
        ("3xx3x2", &[("3xx3x2", "or a box such as 3x3x2")]),
        ("0x0x0 hold UF", &[("0x0x0", "each size of a box is 1 to 13")]),
        ("14x1x1", &[("14x1x1", "each size of a box is 1 to 13")]),
        ("99999999999999999999999x1x1", &[("99999999999999999999999x1x1", "each size of a box is 1 to 13")]),
        ("1x1x1", &[("1x1x1", "one size must be 2 or more")]),
        ("3x3x2 f 0.5 e", &[("f", "remove f 0.5"), ("e", "the distance of the cut is missing")]),
        ("3x3x2 moves U2,R2,3U", &[("U2", "remove the 2"), ("3U", "there are 2 layers")]),
        ("3x3x1 moves U", &[("U", "ends of axes are F B R L")]),
        ("3x3x1 hold UFR", &[("UFR", "no piece is called UFR")]),
        ("c", &[("c", "give at least one cut")]),
        ("c f", &[("f", "after f, the distance of the cut is missing")]),
        ("c f one v 2", &[("one", "a distance is a number"), ("2", "does not divide the solid")]),
        ("c f NaN v inf", &[("NaN", "does not divide"), ("inf", "does not divide")]),
        ("c f 0 X", &[("X", "neither a kind of cut")]),
        ("c f 0 hold", &[("hold", "the name of a piece is missing")]),
        ("c f 0 hold middle", &[("middle", "a plane goes through the middle")]),
        ("c f 0 hold UU", &[("UU", "no piece is called UU")]),
        ("c f 0.5 f 0 hold UF", &[("UF", "several pieces are called UF")]),
        ("c f 0 moves", &[("moves", "a list of moves is missing")]),
        ("c f 0 moves U,3U,Q", &[("3U", "there are 2 layers: 1 to 2"), ("Q", "no layers are called Q")]),
        ("c f 0 moves U,U", &[("U", "the move U is there twice")]),
        ("c f 0 without", &[("without", "a list of orbits is missing")]),
        ("c f 0 without EDGE,CORNER,X", &[("EDGE", "no orbit is called EDGE; there are CORNER"), ("X", "no orbit")]),
        ("c f 0 without CORNER moves", &[("moves", "a list of moves is missing")]),
        ("c f 0 moves 2=U", &[("2=U", "is no name of a move")]),
        ("c f 0 moves 99999999999999999999U", &[("99999999999999999999U", "there are 2 layers")]),
    ] {
        let Err(Error::Invalid(error)) = Geometry::parse(line) else { panic!("{line}") };
        let found: Vec<_> =
            error.problems.iter().map(|problem| (&line[problem.at.clone().unwrap()], &problem.message)).collect();
        assert_eq!(found.len(), reasons.len(), "{line}: {found:?}");
        for ((word, message), (of, part)) in found.iter().zip(reasons) {
            assert!(word == of && message.contains(part), "{line}: {word}: {message}");
        }
    }
    let long = format!("c {}", "f 0 ".repeat(30_000_000));
    assert!(Geometry::parse(&long).unwrap_err().to_string().contains("at most 4096 bytes"));
    let many: String = (1..40).map(|number| format!(" f 0.{number:02}")).collect();
    assert!(Geometry::parse(&format!("i{many}")).unwrap_err().to_string().contains("at most 16 cuts"));
    let many: String = (1..16).map(|number| format!(" f 0.{number:02}")).collect();
    assert!(Geometry::parse(&format!("i{many}")).unwrap_err().to_string().contains("more than 4000 stickers"));
}

/// Three digits are enough to say which fraction or root is meant.
#[test]
fn distances_are_read_as_they_are_meant() {
    for (short, exact) in [
        ("c f 0.333", "c f 0.333333333333333"),
        ("c v 0.577", "c v 0.577350269189626"),
        ("c e 0.707", "c e 0.707106781186547"),
        ("o f 0.333", "o f 0.333333333333333"),
        ("o v 0.433", "o v 0.433012701892219"),
        ("d f 0.236", "d f 0.23606797749979"),
        ("t v 0.333 v 1.667", "t v 0.333333333333333 v 1.66666666666667"),
        ("t e 0.866", "t e 0.866025403784439"),
    ] {
        let [short, exact] = [short, exact].map(|line| Geometry::parse(line).unwrap_or_else(|error| panic!("{error}")));
        assert_eq!(short.stickers().len(), exact.stickers().len());
        assert_eq!(short.definition().moves, exact.definition().moves, "{}", short.definition().geometry);
    }
    // Whatever is typed, there is a puzzle or a reason.
    for thousandths in (0..1200).step_by(7) {
        for line in [format!("c v {}", f64::from(thousandths) / 1000.0), format!("d f 0.{thousandths:03}33331")] {
            if let Err(error) = Geometry::parse(&line) {
                assert!(
                    error.to_string().contains("does not divide") || error.to_string().contains("centre"),
                    "{error}"
                );
            }
        }
    }
}

#[test]
fn known_geometries_are_those_whose_orders_are_checked() {
    for name in Geometry::names() {
        let geometry = Geometry::named(name).unwrap();
        let words = geometry.definition().geometry.split(' ');
        let cuts: Vec<&str> = words.take_while(|word| !["hold", "moves"].contains(word)).collect();
        let is_box = cuts[0].starts_with(|c: char| c.is_ascii_digit());
        let is_checked = is_box || ["5x5x5", "kilominx"].contains(&name);
        assert!(is_checked || ORDERS.iter().any(|(of, ..)| *of == cuts.join(" ")), "{name}");
    }
    assert!(["nosuch", "", "0x1x1", "3x3x2 hold DBL"].into_iter().all(|name| Geometry::named(name).is_none()));
}

/// Pieces that are left out: puzzles whose cuts are no planes. Numbers of Jaap Scherphuis (jaapsch.net/puzzles).
#[test]
fn orbits_are_left_out() {
    let orbits = |line: &str| {
        let orbits = PuzzleDefinition::parse(line).unwrap().orbits;
        orbits.iter().map(|orbit| format!("{} {}", orbit.name, orbit.pieces)).collect::<Vec<_>>()
    };
    let duo = "t v -0.2 moves U,L,R,B without EDGE";
    assert_eq!((orbits(duo), levels(duo, 99)), (vec!["CORNER 4".into(), "CENTER 4".into()], vec![1, 8, 48, 188, 79]));
    let ivy = Geometry::named("ivy").unwrap();
    let ivy = ivy.definition();
    assert_eq!(orbits(&ivy.geometry), ["CORNER2 4", "CENTER 6"]);
    assert_eq!(levels(&ivy.geometry, 99), [1, 8, 48, 288, 1_640, 7_582, 15_262, 4_221, 110]);
    let kilominx = Geometry::named("kilominx").unwrap();
    assert_eq!(kilominx.definition().group_order().to_string(), "23563902142421896679424000");
    // A file keeps them, and stickers of pieces that are missing have no colours.
    assert_eq!(PuzzleDefinition::parse(&ivy.to_kpuzzle()).unwrap(), *ivy);
    let stickers = |geometry: &Geometry| {
        let colours = geometry.colours(&geometry.definition().solved);
        [colours.iter().flatten().count(), colours.len(), geometry.sticker_ids().iter().flatten().count()]
    };
    assert_eq!(stickers(&Geometry::parse(duo).unwrap()), [16, 28, 16]);
    assert_eq!(stickers(&kilominx), [60, 132, 60]);
}

/// Positions of a box by another model: each sticker is a place and a direction with whole numbers, and a position is the
/// face whose colour each sticker shows. A layer with the piece `held` stays, and the other ones turn back.
fn levels_of_a_box(sizes: [i32; 3], held: Option<[i32; 3]>, depth: usize) -> Vec<u64> {
    // Right, up, front; the place of a piece counts in halves from the centre.
    let [width, deep, height] = sizes;
    let sizes = [width, height, deep];
    let cells = |axis: usize| (0..sizes[axis]).map(move |at| 2 * at + 1 - sizes[axis]);
    let mut stickers: Vec<([i32; 3], [i32; 3])> = Vec::new();
    for x in cells(0) {
        for y in cells(1) {
            for z in cells(2) {
                for (axis, sign) in (0..3).flat_map(|axis| [(axis, 1), (axis, -1)]) {
                    let (place, mut direction) = ([x, y, z], [0; 3]);
                    if place[axis] == sign * (sizes[axis] - 1) {
                        direction[axis] = sign;
                        stickers.push((place, direction));
                    }
                }
            }
        }
    }
    let quarter = |[x, y, z]: [i32; 3], axis: usize| match axis {
        0 => [x, -z, y],
        1 => [z, y, -x],
        _ => [-y, x, z],
    };
    let mut turns: Vec<Vec<usize>> = Vec::new();
    for axis in 0..3 {
        let is_square = sizes[(axis + 1) % 3] == sizes[(axis + 2) % 3];
        let has_slices = held == Some([0; 3]);
        for layer in cells(axis).filter(|&layer| (layer != 0 || has_slices) && sizes[axis] > 1) {
            for quarters in if is_square { 1..=3 } else { 2..=2 } {
                let is_turned =
                    |place: [i32; 3]| (place[axis] == layer) != held.is_some_and(|held| held[axis] == layer);
                let to = |&(place, direction): &([i32; 3], [i32; 3])| {
                    let times = if is_turned(place) { quarters } else { 0 };
                    let turned = |it| (0..times).fold(it, |it, _| quarter(it, axis));
                    let there = (turned(place), turned(direction));
                    stickers.iter().position(|of| *of == there).unwrap()
                };
                turns.push(stickers.iter().map(to).collect());
            }
        }
    }
    let solved: Vec<[i32; 3]> = stickers.iter().map(|&(_, direction)| direction).collect();
    let (mut seen, mut last, mut counts) = (HashSet::from([solved.clone()]), vec![solved], Vec::new());
    while !last.is_empty() && counts.len() <= depth {
        counts.push(last.len() as u64);
        let mut next = Vec::new();
        for (position, turn) in last.iter().flat_map(|position| turns.iter().map(move |turn| (position, turn))) {
            let mut turned = position.clone();
            turn.iter().enumerate().for_each(|(from, &to)| turned[to] = position[from]);
            if seen.insert(turned.clone()) {
                next.push(turned);
            }
        }
        last = next;
    }
    counts
}

#[test]
fn boxes_have_the_levels_of_another_model() {
    for (sizes, depth) in [
        ([3, 3, 1], 99),
        ([1, 3, 3], 99),
        ([1, 2, 3], 99),
        ([1, 2, 2], 99),
        ([1, 1, 2], 99),
        ([1, 1, 3], 99),
        ([2, 5, 1], 99),
        ([2, 2, 3], 5),
        ([3, 3, 2], 4),
        ([2, 3, 3], 4),
        ([3, 3, 5], 3),
        ([3, 5, 3], 3),
        ([2, 3, 4], 4),
        ([4, 3, 2], 4),
        ([4, 4, 1], 4),
        ([4, 4, 2], 3),
        ([3, 3, 3], 3),
        ([5, 4, 1], 4),
    ] {
        let line = sizes.map(|size| size.to_string()).join("x");
        assert_eq!(levels(&line, depth), levels_of_a_box(sizes, None, depth), "{line}");
        let [width, deep, height] = sizes;
        // The piece at the left, below and behind.
        let held = [width, height, deep].map(|size| 1 - size);
        let geometry = Geometry::parse(&line).unwrap();
        let is_named = |name: &String| ['D', 'B', 'L'].iter().all(|face| name.contains(*face));
        let name = (0..geometry.pieces().len()).map(|piece| geometry.piece_name(piece)).find(is_named).unwrap();
        let line = format!("{line} hold {name}");
        assert_eq!(levels(&line, depth), levels_of_a_box(sizes, Some(held), depth), "{line}");
    }
}

/// The domino, the tower and the floppy cube as Jaap Scherphuis counts them (jaapsch.net/puzzles).
#[test]
fn known_boxes_have_their_positions() {
    for (name, order) in [
        ("domino", "406425600"),
        ("3x3x2", "1625702400"),
        ("2x3x3", "1625702400"),
        ("tower", "241920"),
        ("2x2x3", "967680"),
        ("floppy", "192"),
        ("3x3x1 hold UFDR", "192"),
        ("2x2x2", "88179840"),
        ("3x3x3", "43252003274489856000"),
        ("4x4x4 moves all", "16972688908618238933770849245964147960401887232000000000"),
    ] {
        let geometry = Geometry::named(name).map_or_else(|| Geometry::parse(name), Ok).unwrap();
        assert_eq!(geometry.definition().group_order().to_string(), order, "{name}");
    }
    assert_eq!(levels("3x3x1", 99), [1, 4, 10, 24, 53, 64, 31, 4, 1]);
    let tower = [1, 8, 35, 157, 678, 2_527, 7_442, 17_088, 31_568, 44_704, 47_216, 49_792, 29_024, 11_104, 576];
    assert_eq!(levels("2x2x3 hold DBL", 99), tower);
    assert_eq!(levels_of_a_box([2, 2, 3], Some([-1, -2, -1]), 99), tower);
}

#[test]
fn half_turns_have_two_names() {
    let domino = Geometry::parse("3x3x2 hold DBL").unwrap();
    let domino = domino.definition();
    let read = |moves: &str| domino.read_sequence(moves).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(read("R2 U F2 U'"), read("R U F' D3"));
    assert_eq!(read("R2' L2 L"), read("R"));
    assert_eq!(read("R2 R2"), domino.identity());
    let names: Vec<String> = domino.turns().into_iter().map(|turn| turn.name).collect();
    assert_eq!(names, ["U", "U2", "U'", "F2", "B2", "R2", "L2"]);
    // cubing.js would read R2 as twice R.
    let file = domino.to_kpuzzle();
    assert!(file.contains(r#""derivedMoves":{"D":"U"}"#), "{file}");
    assert_eq!(PuzzleDefinition::parse(&file).unwrap(), *domino);
    // Without R2 there would be twice R.
    for left in ["R", "R2"] {
        let moves = Some(vec![left.to_owned(), "U".to_owned()]);
        let left = domino.restricted(&Restriction { moves, ..Restriction::default() }).unwrap();
        assert_eq!(left.turns().iter().map(|turn| &*turn.name).collect::<Vec<_>>(), ["R2", "U", "U2", "U'"]);
        assert_eq!(left.read_sequence("R U").unwrap(), left.read_sequence("R2 U").unwrap());
    }
    let chosen = Geometry::parse("2x2x5 moves R,Lw2,2U,A=F,Q=B2").unwrap();
    let of = |one: &Derived| format!("{}={}", one.name, one.sequence);
    let names: Vec<_> = chosen.definition().moves.iter().map(|one| one.name.as_str()).collect();
    assert_eq!(names, ["R2", "Lw2", "2U", "A", "Q"]);
    assert_eq!(chosen.definition().derived.iter().map(of).collect::<Vec<_>>(), ["R=R2", "Lw=Lw2"]);
}

#[test]
fn boxes_of_all_sizes_are_read() {
    for sizes in 1..64 {
        let line = format!("{}x{}x{}", sizes / 16 + 1, sizes / 4 % 4 + 1, sizes % 4 + 1);
        let geometry = Geometry::parse(&line).unwrap();
        for name in (0..geometry.pieces().len()).map(|piece| geometry.piece_name(piece)) {
            if let Err(error) = Geometry::parse(&format!("{line} moves all hold {name}")) {
                assert!(error.to_string().contains("several pieces"), "{line}: {name}: {error}");
            }
        }
    }
    for line in ["13x13x13", "13x13x12", "1x13x12", "1x1x13", "12x13x1 moves all"] {
        let geometry = Geometry::parse(line).unwrap();
        assert_eq!(geometry.sticker_ids().len(), geometry.stickers().len(), "{line}");
    }
}

/// Turning pieces in space is another model of a turn.
#[test]
fn pieces_of_boxes_are_boxes_and_go_where_turns_take_them() {
    for line in ["3x3x1", "2x2x3 hold DBL", "4x3x2 moves all", "1x2x5", "1x1x3 moves all", "3x3x3"] {
        let geometry = Geometry::parse(line).unwrap();
        let pieces = geometry.pieces();
        assert!(pieces.iter().all(|facets| facets.len() == 6 && facets.iter().all(|(corners, _)| corners.len() == 4)));
        let middle = |piece: usize| Vector::centroid(pieces[piece].iter().flat_map(|(corners, _)| corners).copied());
        for number in 0..geometry.definition().moves.len() {
            let LayerTurn { axis, degrees, places } = geometry.turn(number);
            for &[from, to] in places {
                assert!(cut::is_one(middle(from).turned(*axis, *degrees), middle(to)), "{line}");
            }
        }
        // The colours, too.
        let definition = geometry.definition();
        let (mut position, mut colours) = (definition.solved.clone(), geometry.colours(&definition.solved));
        let middle = |sticker: &Sticker| Vector::centroid(sticker.corners.iter().copied());
        for number in (0..definition.moves.len()).cycle().take(40) {
            let LayerTurn { axis, degrees, places } = geometry.turn(number);
            let mut turned = colours.clone();
            for (from, sticker) in geometry.stickers().iter().enumerate() {
                if places.iter().any(|[at, _]| *at == sticker.piece) {
                    let there = middle(sticker).turned(*axis, *degrees);
                    let to = geometry.stickers().iter().position(|other| cut::is_one(middle(other), there)).unwrap();
                    turned[to] = colours[from];
                }
            }
            position = definition.apply(&position, &definition.moves[number].transformation);
            colours = turned;
            assert_eq!(geometry.colours(&position), colours, "{line}");
        }
    }
}

/// Jaap Scherphuis: at most 18 moves (jaapsch.net/puzzles/domino.htm).
#[test]
#[ignore = "long suite: 406,425,600 positions"]
fn the_domino_is_at_most_18_moves_from_solved() {
    let counts = levels("3x3x2 hold DBL", 99);
    assert_eq!((counts.len() - 1, counts.iter().sum::<u64>()), (18, 406_425_600), "{counts:?}");
}

/// Layers that turn together have the names that they have in a list of moves.
#[test]
fn wide_turns_are_read() {
    for (line, list) in [
        ("c f 0.5 f 0", "Uw,Rw,3Rw,Fw,Lw,3Dw"),
        ("c f 0.6 f 0.2", "Uw,Rw,Bw"),
        ("c f 0.6 f 0.2 moves all", "Uw,3Uw,4Rw"),
        ("d f 0.7 f 0.5", "Uw,BRw"),
        ("4x4x3 hold DBL", "Rw2,Fw,Lw"),
        ("2x3x5", "Uw,Dw2,R,F"),
    ] {
        let whole = Geometry::parse(line).unwrap();
        let (base, _) = line.split_once(" moves").unwrap_or((line, ""));
        let chosen = PuzzleDefinition::parse(&format!("{base} moves {list}"));
        let Ok(chosen) = chosen else { panic!("{line} {list}: {chosen:?}") };
        for name in list.split(',') {
            let wide = whole.definition().read_position(name).unwrap();
            let back = whole.definition().read_position(&format!("{name}' {name}")).unwrap();
            assert_eq!(back, whole.definition().solved, "{line}: {name}");
            let expected = chosen.read_position(name).unwrap();
            assert_eq!(wide, expected, "{line}: {name}");
        }
        let file = PuzzleDefinition::parse(&whole.definition().to_kpuzzle()).unwrap();
        assert_eq!(file, *whole.definition(), "{line}");
        PuzzleDefinition::parse(&whole.definition().to_tws()).unwrap();
    }
    let none = Geometry::parse("c f 0.333").unwrap();
    assert!(none.definition().derived.is_empty());
}
