//! Square-1 and its relatives in space.

use super::colour::{Colour, ColourScheme};
use super::scene::{Facet, Scene, SceneChoice, SceneStep, Solid, SolidTurn};
use twistbase_core::math::vector::Vector;
use twistbase_puzzle::square1::notation::{hex, wca};
use twistbase_puzzle::square1::{Colouring, Middle, Piece, Position, Step, Turn, TwistSequence};

/// Degrees of a slot.
pub(super) const SLOT: f64 = 30.0;
/// Where slot 0 begins, in degrees anticlockwise from the right as seen from above: at the front end of the seam, half a slot
/// before the front's middle.
pub(super) const SEAM: f64 = -90.0 - SLOT / 2.0;
/// How far a corner of a solved layer is from the axis.
pub(super) const CORNER: f64 = std::f64::consts::SQRT_2;
/// How far from the middle the layers begin.
const LAYER: f64 = 1.0 / 3.0;
const UP: Vector = Vector::new(0.0, 1.0, 0.0);

/// A position, the steps of a sequence without blocked twists, and all moves after it. Without `middle` no position shows its
/// middle layer.
pub(super) fn scene(
    position: &Position,
    middle: Option<Middle>,
    sequence: &TwistSequence,
    colouring: Colouring,
    scheme: ColourScheme,
) -> Scene {
    let (mut held, solids) = (Held::new(position), solids(position, colouring, scheme));
    let steps = sequence.steps().iter().map(|step| held.step(step)).collect();
    let end = sequence.apply(position).expect("no twist is blocked");
    let write =
        |position: &Position| if middle.is_some() { hex::print_with_middle(position) } else { hex::print(position) };
    let choice = |(step, key): (Step, Option<char>)| {
        let there = TwistSequence::new(vec![step]).apply(&end).ok()?;
        let moves = wca::print(&sequence.followed_by(step));
        Some(SceneChoice { step: held.clone().step(&step), key, position: write(&there), moves })
    };
    let choices = choices().filter_map(choice).collect();
    let written = write(&position.turn(position.unstraddling_turn())).unwrap_or_default();
    Scene { written, letters: Vec::new(), solids, steps, leads_to: write(&end), choices }
}

/// The pieces of the top layer by slot, those of the bottom layer, and the left and the right half of the middle one.
pub(super) fn solids(position: &Position, colouring: Colouring, scheme: ColourScheme) -> Vec<Solid> {
    let held = Held::new(position);
    let places = held.written_at(position.unstraddling_turn());
    let pieces = held.pieces.iter().zip(places).map(|(held, at)| solid(held, at, colouring, scheme));
    pieces.chain(middle_layer(position.middle(), colouring, scheme)).collect()
}

/// What can be done with the puzzle, and the keys for it: those of the layers as those of a cube's faces.
fn choices() -> impl Iterator<Item = (Step, Option<char>)> {
    let amounts = || (1..=6).chain(-5..=-1);
    let key = |amount: i32, letter: char| match amount {
        1 => Some(letter.to_ascii_lowercase()),
        -1 => Some(letter),
        _ => None,
    };
    let top = amounts().map(move |amount| (Step::Turn(Turn::from_wca(amount, 0)), key(amount, 'U')));
    let bottom = amounts().map(move |amount| (Step::Turn(Turn::from_wca(0, amount)), key(amount, 'D')));
    [(Step::Twist, Some('/')), (Step::TurnOver, Some('!'))].into_iter().chain(top).chain(bottom)
}

/// The colours of the sides of a piece, from its first slot on in the layer that is its own: front, right, back, left. The
/// pieces of each solved layer begin with the small one at the front and go to the right. A twist turns a piece over, so that in the
/// other layer its sides come the other way round.
pub(super) fn side_colours(piece: Piece, is_below: bool, colouring: Colouring, scheme: ColourScheme) -> Vec<Colour> {
    let sides = sides(scheme);
    let side = usize::from(piece.rank() % 4);
    let mut colours = match colouring {
        // Its sides have the colour of the face.
        Colouring::Cube21 => vec![face_colour(piece, colouring, scheme); piece.width()],
        Colouring::Corners if !piece.is_big() => vec![Colour::GREY],
        _ if piece.is_big() => vec![sides[side], sides[(side + 1) % 4]],
        _ => vec![sides[side]],
    };
    if (piece.index() < 8) == is_below {
        colours.reverse();
    }
    colours
}

/// The colours of the sides from the front to the right: red, green, orange, blue, since Square-1 is held with white below.
fn sides(scheme: ColourScheme) -> [Colour; 4] {
    let [_, red, green, _, orange, blue] = scheme.cube();
    [red, green, orange, blue]
}

/// The colours of the middle layer at the front and at the back.
pub(super) fn middle_colours(colouring: Colouring, scheme: ColourScheme) -> [Colour; 2] {
    let [front, _, back, _] = middle_sides(colouring, scheme);
    [front, back]
}

/// The colours of the sides of the middle layer from the front to the right.
fn middle_sides(colouring: Colouring, scheme: ColourScheme) -> [Colour; 4] {
    match colouring {
        Colouring::Square1 => sides(scheme),
        Colouring::Cube21 | Colouring::Corners => [Colour::GREY; 4],
    }
}

/// The colour of the layer that a piece belongs to when the puzzle is solved.
pub(super) fn face_colour(piece: Piece, colouring: Colouring, scheme: ColourScheme) -> Colour {
    let [white, _, _, yellow, ..] = scheme.cube();
    let [top, bottom] = match colouring {
        Colouring::Cube21 => scheme.cube21(),
        Colouring::Corners if !piece.is_big() => [Colour::GREY; 2],
        Colouring::Square1 | Colouring::Corners => [yellow, white],
    };
    let colour = if piece.index() < 8 { top } else { bottom };
    // A shade tells neighbours of one colour apart: big and small ones.
    if piece.is_big() { colour } else { colour.shaded() }
}

/// How far from the axis the ends of the seam are, and where the sides of two pieces meet: 1 / cos 15°.
fn near() -> f64 {
    1.0 / (SLOT / 2.0).to_radians().cos()
}

/// The slots of a layer at which its pieces begin.
pub(super) fn first_slots(slots: &[Piece; 12]) -> impl Iterator<Item = usize> {
    (0..slots.len()).filter(|&slot| slots[slot] != slots[(slot + 11) % 12])
}

/// The corners of a piece that begins at an angle, from its first side to its last, as angles and distances from the axis.
pub(super) fn rim(piece: Piece, begin: f64) -> Vec<(f64, f64)> {
    let near = near();
    let end = begin + SLOT * piece.width() as f64;
    if piece.is_big() {
        vec![(begin, near), (f64::midpoint(begin, end), CORNER), (end, near)]
    } else {
        vec![(begin, near), (end, near)]
    }
}

/// Where a piece is: its layer and its first slot.
#[derive(Debug, Clone, Copy)]
struct HeldPiece {
    piece: Piece,
    is_below: bool,
    slot: usize,
}

impl HeldPiece {
    fn begin(&self) -> f64 {
        SEAM + SLOT * self.slot as f64
    }
}

/// Where all pieces are while a sequence is made, in the order of the solids.
#[derive(Clone)]
struct Held {
    pieces: Vec<HeldPiece>,
}

impl Held {
    fn new(position: &Position) -> Self {
        let layer = |slots: &[Piece; 12], is_below: bool| {
            first_slots(slots).map(|slot| HeldPiece { piece: slots[slot], is_below, slot }).collect::<Vec<_>>()
        };
        Self { pieces: [layer(position.top(), false), layer(position.bottom(), true)].concat() }
    }

    /// For each piece its character in the hexadecimal position of the puzzle after a turn.
    fn written_at(&self, turn: Turn) -> Vec<usize> {
        let amount = |held: &HeldPiece| i32::from(if held.is_below { turn.bottom() } else { turn.top() });
        let place = |held: &HeldPiece| (held.is_below, (held.slot as i32 + amount(held)).rem_euclid(12));
        let before = |held: &HeldPiece| self.pieces.iter().filter(|other| place(other) < place(held)).count();
        // A dash is between the layers.
        self.pieces.iter().map(|held| before(held) + usize::from(held.is_below)).collect()
    }

    /// The solids of pieces that are meant.
    fn solids(&self, is_meant: impl Fn(&HeldPiece) -> bool) -> Vec<usize> {
        (0..self.pieces.len()).filter(|&solid| is_meant(&self.pieces[solid])).collect()
    }

    fn step(&mut self, step: &Step) -> SceneStep {
        let sequence = TwistSequence::new(vec![*step]);
        let [text, undo] = [&sequence, &sequence.inverse()].map(wca::print);
        let turns = match step {
            Step::Turn(turn) => [(false, turn.top()), (true, turn.bottom())]
                .into_iter()
                .filter(|(_, slots)| *slots != 0)
                .map(|(is_below, slots)| self.turn(is_below, slots))
                .collect(),
            Step::Twist => vec![self.twist()],
            Step::TurnOver => vec![self.turn_over()],
        };
        SceneStep { text, undo, turns }
    }

    /// Turns a layer by this number of slots upwards, anticlockwise as seen from above.
    fn turn(&mut self, is_below: bool, slots: i8) -> SolidTurn {
        let solids = self.solids(|held| held.is_below == is_below);
        for &solid in &solids {
            let held = &mut self.pieces[solid];
            held.slot = (held.slot as i32 + i32::from(slots)).rem_euclid(12) as usize;
        }
        SolidTurn { axis: UP, degrees: SLOT * f64::from(slots), solids }
    }

    /// Turns the right half over, about the horizontal axis that is perpendicular to the seam.
    fn twist(&mut self) -> SolidTurn {
        let mut solids = self.solids(|held| held.slot < 6);
        for &solid in &solids {
            let held = &mut self.pieces[solid];
            (held.is_below, held.slot) = (!held.is_below, 6 - held.slot - held.piece.width());
        }
        solids.push(self.pieces.len() + 1);
        SolidTurn { axis: toward(SEAM + 90.0), degrees: 180.0, solids }
    }

    /// Turns the whole puzzle over about the axis of a twist.
    fn turn_over(&mut self) -> SolidTurn {
        let whole = self.solids(|_| true);
        for held in &mut self.pieces {
            (held.is_below, held.slot) = (!held.is_below, (18 - held.slot - held.piece.width()) % 12);
        }
        let halves = [self.pieces.len(), self.pieces.len() + 1];
        SolidTurn { axis: toward(SEAM + 90.0), degrees: 180.0, solids: [&whole[..], &halves].concat() }
    }
}

/// The direction at an angle, horizontal and of length 1.
fn toward(degrees: f64) -> Vector {
    let (sine, cosine) = degrees.to_radians().sin_cos();
    Vector::new(cosine, 0.0, -sine)
}

/// The solid of a piece where it is, which a character of the written position stands for.
fn solid(held: &HeldPiece, at: usize, colouring: Colouring, scheme: ColourScheme) -> Solid {
    let corners = rim(held.piece, held.begin());
    let outline: Vec<Vector> = std::iter::once(Vector::ORIGIN)
        .chain(corners.iter().map(|&(degrees, radius)| toward(degrees).times(radius)))
        .collect();
    let sides = side_colours(held.piece, held.is_below, colouring, scheme);
    let face = face_colour(held.piece, colouring, scheme);
    let heights = if held.is_below { [-1.0, -LAYER] } else { [LAYER, 1.0] };
    let faces = if held.is_below { [Some(face), None] } else { [None, Some(face)] };
    let walls = std::iter::once(None).chain(sides.into_iter().map(Some)).chain([None]);
    let name = colouring.kind(held.piece).hex_digit().to_string();
    let mut facets = prism(&outline, heights, faces, walls);
    facets.iter_mut().filter(|facet| facet.colour.is_some()).for_each(|facet| facet.at = Some(at));
    Solid { name, facets }
}

/// A prism over an outline that goes anticlockwise as seen from above: its lower and its upper face, then its walls, each from a
/// corner to the next.
fn prism(
    outline: &[Vector],
    [low, high]: [f64; 2],
    [lower, upper]: [Option<Colour>; 2],
    walls: impl Iterator<Item = Option<Colour>>,
) -> Vec<Facet> {
    let at = |height: f64| move |corner: &Vector| corner.plus(UP.times(height));
    let mut facets = vec![
        Facet { corners: outline.iter().rev().map(at(low)).collect(), colour: lower, at: None },
        Facet { corners: outline.iter().map(at(high)).collect(), colour: upper, at: None },
    ];
    let next = outline.iter().cycle().skip(1);
    facets.extend(outline.iter().zip(next).zip(walls).map(|((from, to), colour)| {
        let corners = vec![at(low)(from), at(low)(to), at(high)(to), at(high)(from)];
        Facet { corners, colour, at: None }
    }));
    facets
}

/// The halves of the middle layer: the left one stays; the right one is as in the solved puzzle, or turned over.
fn middle_layer(middle: Middle, colouring: Colouring, scheme: ColourScheme) -> [Solid; 2] {
    let [front, right, back, left] = middle_sides(colouring, scheme);
    let near = near();
    // From the front end of the seam to its back end, on the right and on the left.
    let half = |begin: f64, name: &str, walls: [Colour; 3]| {
        let angles = [(0.0, near), (60.0, CORNER), (150.0, CORNER), (180.0, near)];
        let outline: Vec<Vector> =
            angles.iter().map(|&(degrees, radius)| toward(begin + degrees).times(radius)).collect();
        let walls = walls.into_iter().map(Some).chain([None]);
        Solid { name: name.to_owned(), facets: prism(&outline, [-LAYER, LAYER], [None; 2], walls) }
    };
    let fixed = half(SEAM + 180.0, "left", [back, left, front]);
    let loose = half(SEAM, "right", [front, right, back]);
    match middle {
        Middle::Square => [fixed, loose],
        Middle::Kite => [fixed, loose.turned(toward(SEAM + 90.0), 180.0)],
    }
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;
    use rand_chacha::ChaCha8Rng;

    use super::*;
    use crate::tests::stickers;
    use twistbase_puzzle::square1::notation::parse_sequence;
    use twistbase_puzzle::square1::{random_position, random_walk};

    fn shown(position: &Position, sequence: &TwistSequence) -> Scene {
        scene(position, Some(position.middle()), sequence, Colouring::Square1, ColourScheme::Wca)
    }

    /// Turning solids in space is another model of the puzzle.
    #[test]
    fn sequences_lead_to_the_position_after_them() {
        let mut rng = ChaCha8Rng::seed_from_u64(21);
        for twists in 0..30 {
            let (sequence, end) = random_walk(&mut rng, twists);
            let played = shown(&Position::SOLVED, &sequence).end();
            assert_eq!(stickers(&played), stickers(&shown(&end, &TwistSequence::default()).solids), "{sequence}");
        }
    }

    /// Every move that can be made turns the solids as the position that it is said to lead to.
    #[test]
    fn choices_lead_where_they_say() {
        let mut rng = ChaCha8Rng::seed_from_u64(22);
        for twists in 0..10 {
            let (sequence, end) = random_walk(&mut rng, twists);
            let played = shown(&Position::SOLVED, &sequence);
            assert!(played.choices.len() >= 23);
            for choice in &played.choices {
                let there = parse_sequence(&choice.moves).unwrap().apply(&Position::SOLVED).unwrap();
                let mut solids = played.end();
                choice.step.make(&mut solids);
                let [mut turned, mut drawn] =
                    [&solids, &shown(&there, &TwistSequence::default()).solids].map(|solids| stickers(solids));
                if choice.key == Some('!') {
                    // A position does not show how the left half of the middle layer is held: it is drawn as it was at first.
                    for stickers in [&mut turned, &mut drawn] {
                        stickers.retain(|([_, height, _], _)| *height != 0);
                    }
                }
                assert_eq!(turned, drawn);
                assert_eq!(choice.position, hex::print_with_middle(&there), "{}", choice.moves);
                let back = parse_sequence(&choice.step.undo).unwrap();
                assert_eq!(back.apply(&there).unwrap(), end);
            }
        }
    }

    /// The character of a piece is its digit, even with a big piece across the ends of a layer.
    #[test]
    fn characters_stand_for_pieces() {
        let mut rng = ChaCha8Rng::seed_from_u64(23);
        for amount in 0..24 {
            let position = random_position(&mut rng).turn(Turn::new(amount, amount / 2));
            let scene = shown(&position, &TwistSequence::default());
            for solid in scene.solids.iter().take(16) {
                let at = solid.facets.iter().find_map(|facet| facet.at).unwrap();
                assert_eq!(scene.written[at..=at], solid.name, "{}", scene.written);
            }
        }
    }

    #[test]
    fn the_whole_puzzle_is_turned_over() {
        let start = Position::SOLVED.turn(Turn::new(1, 3));
        let over = TwistSequence::new(vec![Step::TurnOver]);
        let (played, again) = (shown(&start, &over), TwistSequence::new(vec![Step::TurnOver; 2]));
        assert_eq!(played.steps[0].turns[0].solids.len(), played.solids.len());
        assert_eq!(stickers(&shown(&start, &again).end()), stickers(&played.solids));
    }

    #[test]
    fn every_facet_looks_outward() {
        let mut rng = ChaCha8Rng::seed_from_u64(4);
        for _ in 0..20 {
            for solid in shown(&random_position(&mut rng), &TwistSequence::default()).solids {
                assert!(solid.facets.iter().all(|facet| facet.outside(solid.centre()) < 0.0), "{solid:?}");
            }
        }
    }
}
