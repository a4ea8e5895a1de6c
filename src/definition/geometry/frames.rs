//! Pieces as a definition knows them: orbits, and how a piece lies in a place, from where its stickers are.

use std::collections::BTreeMap;

use super::cut::CutSolid;
use super::solid::{Face, name_around, near};
use crate::model::{Orbit, Pattern, PuzzleDefinition, Transformation, gcd};
use twistbase_core::math::vector::Vector;

/// Stickers that move as one: those of a piece. The piece in the centre turns about more than one axis, which no number of
/// twists can express; each of its stickers stands alone.
#[derive(Debug)]
struct Units {
    /// For each sticker, its unit.
    of: Vec<usize>,
    stickers: Vec<Vec<usize>>,
}

impl Units {
    /// The unit of a list of stickers.
    fn at(&self, stickers: &[usize]) -> usize {
        self.of[stickers[0]]
    }

    fn split(&mut self, unit: usize) {
        for sticker in self.stickers[unit].split_off(1) {
            self.of[sticker] = self.stickers.len();
            self.stickers.push(vec![sticker]);
        }
    }

    /// Units by their faces, then by their places.
    fn sorted(&self, cut: &CutSolid, units: impl Iterator<Item = usize>) -> Vec<usize> {
        let mut units: Vec<usize> = units.collect();
        units.sort_by_key(|&unit| {
            let stickers = &self.stickers[unit];
            let mut faces = faces_of(cut, stickers);
            faces.sort_unstable();
            (faces, &cut.pieces[cut.stickers[stickers[0]].piece].layers)
        });
        units
    }
}

/// The faces of stickers.
fn faces_of(cut: &CutSolid, stickers: &[usize]) -> Vec<usize> {
    stickers.iter().map(|&sticker| cut.stickers[sticker].face).collect()
}

/// The number of a piece's faces. Opposite ones count as one: they belong to a piece where a box is flat.
fn sides_of(faces: &[Face], cut: &CutSolid, stickers: &[usize]) -> usize {
    let normal = |face: usize| faces[face].normal;
    let of = faces_of(cut, stickers);
    let is_new = |&at: &usize| !of[..at].iter().any(|&other| near(normal(of[at]).times(-1.0), normal(other)));
    (0..of.len()).filter(is_new).count()
}

/// Where the middle of a sticker is.
fn middle_of(cut: &CutSolid, sticker: usize) -> Vector {
    Vector::centroid(cut.stickers[sticker].corners.iter().copied())
}

/// Pieces that can take each other's places, in the order of their places.
#[derive(Debug)]
struct FramedOrbit {
    name: String,
    /// For each place its stickers, in an order such that turns take the first sticker of one to the first of another, or twist it.
    frames: Vec<Vec<usize>>,
    /// Where a piece's sticker is after one twist in its place, by its number in the frame. All twists are powers of this one.
    twist: Vec<usize>,
    orientations: usize,
}

/// All orbits that moves change.
#[derive(Debug)]
pub(super) struct Frames {
    units: Units,
    orbits: Vec<FramedOrbit>,
}

impl Frames {
    /// The orbits under turns of all layers, without those that no move changes.
    pub fn new<'a>(faces: &[Face], cut: &CutSolid, moves: impl Iterator<Item = &'a Vec<usize>> + Clone) -> Self {
        let mut layer_turns: Vec<Vec<usize>> = Vec::new();
        for (number, line) in cut.lines.iter().enumerate() {
            layer_turns.extend((0..line.layers()).map(|layer| turned_layers(cut, number, &|of| of == layer)));
        }
        let stickers: Vec<_> = cut.pieces.iter().map(|piece| piece.stickers.clone()).collect();
        let mut units = Units { of: cut.stickers.iter().map(|sticker| sticker.piece).collect(), stickers };
        let mut seen = vec![false; cut.stickers.len()];
        let mut orbits = Vec::new();
        while let Some(first) =
            units.sorted(cut, (0..units.stickers.len()).filter(|&unit| !seen[units.stickers[unit][0]])).first()
        {
            match FramedOrbit::new(&units, &layer_turns, *first) {
                None => {
                    let first = *first;
                    units.split(first);
                }
                Some(mut orbit) => {
                    orbit.frames.iter().flatten().for_each(|&sticker| seen[sticker] = true);
                    orbit.settle(cut, &units);
                    orbits.push(orbit);
                }
            }
        }
        orbits.retain(|orbit: &FramedOrbit| {
            moves.clone().any(|moved| orbit.frames.iter().flatten().any(|&sticker| moved[sticker] != sticker))
        });
        // Corners first, then edges, then centres.
        let sides = |orbit: &FramedOrbit| sides_of(faces, cut, &orbit.frames[0]);
        orbits.sort_by_key(|orbit| std::cmp::Reverse(sides(orbit)));
        let mut counts = BTreeMap::new();
        for orbit in &mut orbits {
            let kind = ["CENTER", "EDGE", "CORNER"][sides(orbit).clamp(1, 3) - 1];
            let count = counts.entry(kind).or_insert(0);
            *count += 1;
            orbit.name = if *count == 1 { kind.to_owned() } else { format!("{kind}{count}") };
        }
        Self { units, orbits }
    }

    /// The orbits of a definition.
    pub fn orbits(&self) -> impl Iterator<Item = Orbit> {
        self.orbits.iter().map(|FramedOrbit { name, frames, orientations, .. }| Orbit {
            name: name.clone(),
            pieces: frames.len(),
            orientations: *orientations,
        })
    }

    /// Leaves out an orbit. Returns its stickers; `None` if no orbit has this name.
    pub fn leave_out(&mut self, name: &str) -> Option<Vec<usize>> {
        let at = self.orbits.iter().position(|orbit| orbit.name == name)?;
        Some(self.orbits.remove(at).frames.concat())
    }

    /// A sticker of each place of all orbits.
    pub fn first_stickers(&self) -> impl Iterator<Item = usize> {
        self.orbits.iter().flat_map(|orbit| orbit.frames.iter().map(|frame| frame[0]))
    }

    /// For each place of all orbits, the number of the first piece that has the same colours.
    pub fn looks(&self, cut: &CutSolid) -> impl Iterator<Item = u8> {
        self.orbits.iter().flat_map(|FramedOrbit { frames, .. }| {
            let looks: Vec<_> = frames.iter().map(|frame| faces_of(cut, frame)).collect();
            (0..looks.len())
                .map(move |place| looks.iter().position(|other| *other == looks[place]).expect("itself") as u8)
        })
    }

    /// What a motion of stickers does to the pieces of all orbits.
    pub fn transformation(&self, moved: &[usize]) -> Transformation {
        let (mut from, mut twist) = (Vec::new(), Vec::new());
        for orbit in &self.orbits {
            let begin = from.len();
            from.resize(begin + orbit.frames.len(), 0);
            twist.resize(from.len(), 0);
            for (place, frame) in orbit.frames.iter().enumerate() {
                let arrived: Vec<usize> = frame.iter().map(|&sticker| moved[sticker]).collect();
                let unit = self.units.at(&arrived);
                let to = orbit.frames.iter().position(|frame| self.units.at(frame) == unit).expect("turns keep orbits");
                from[begin + to] = (begin + place) as u16;
                twist[begin + to] = orbit.twists(to, &arrived) as u8;
            }
        }
        Transformation { from, twist }
    }

    /// Each sticker with the name of its place.
    pub fn ids(&self) -> impl Iterator<Item = (usize, String)> {
        self.orbits.iter().flat_map(|orbit| {
            let twisted: Vec<usize> = (0..orbit.orientations).map(|times| orbit.slots_after(times)[0]).collect();
            let of_slot = move |slot: usize| twisted.iter().position(|&at| at == slot).unwrap_or(slot);
            orbit.frames.iter().enumerate().flat_map(move |(place, frame)| {
                let id = |(slot, &sticker)| (sticker, format!("{}-l{place}-o{}", orbit.name, of_slot(slot)));
                frame.iter().enumerate().map(id).collect::<Vec<_>>()
            })
        })
    }

    /// For each place of a sticker in an orbit, the sticker that is there in a position.
    pub fn shown(&self, definition: &PuzzleDefinition, pattern: &Pattern) -> Vec<(usize, usize)> {
        let mut shown = Vec::new();
        for (orbit, (_, range)) in self.orbits.iter().zip(definition.ranges()) {
            for (frame, at) in orbit.frames.iter().zip(range) {
                let piece = &orbit.frames[usize::from(pattern.pieces[at])];
                let slots = orbit.slots_after(usize::from(pattern.twist[at]));
                shown.extend(slots.into_iter().zip(piece).map(|(slot, &sticker)| (frame[slot], sticker)));
            }
        }
        shown
    }
}

impl FramedOrbit {
    /// The orbit of a unit, with frames as the first turns that lead to a place bring them there. `None` if its twists are not
    /// the powers of one.
    fn new(units: &Units, layer_turns: &[Vec<usize>], first: usize) -> Option<Self> {
        let own = units.stickers[first].clone();
        let mut at = BTreeMap::from([(first, 0)]);
        let mut frames = vec![own.clone()];
        // Twists of the first piece in its place: each is a way back to it.
        let mut twists: Vec<Vec<usize>> = Vec::new();
        let mut next = 0;
        while next < frames.len() {
            for moved in layer_turns {
                let arrived: Vec<usize> = frames[next].iter().map(|&sticker| moved[sticker]).collect();
                match at.get(&units.at(&arrived)) {
                    None => {
                        at.insert(units.at(&arrived), frames.len());
                        frames.push(arrived);
                    }
                    Some(&known) => {
                        let slot = |sticker| {
                            frames[known].iter().position(|other| other == sticker).expect("a sticker of the piece")
                        };
                        let twist: Vec<usize> = arrived.iter().map(slot).collect();
                        if !twists.contains(&twist) {
                            twists.push(twist);
                        }
                    }
                }
            }
            next += 1;
        }
        let mut group = vec![(0..own.len()).collect::<Vec<usize>>()];
        let mut at = 0;
        while at < group.len() {
            for twist in &twists {
                let product: Vec<usize> = group[at].iter().map(|&slot| twist[slot]).collect();
                if !group.contains(&product) {
                    group.push(product);
                }
            }
            at += 1;
        }
        let orientations = group.len();
        let all = |twist: Vec<usize>| Self { name: String::new(), frames: frames.clone(), twist, orientations };
        group.into_iter().map(all).find(Self::is_of_all)
    }

    /// Whether all twists are powers of this one.
    fn is_of_all(&self) -> bool {
        let is_none = |times: usize| self.slots_after(times).into_iter().eq(0..self.twist.len());
        is_none(self.orientations) && !(1..self.orientations).any(is_none)
    }

    /// The slot of each sticker of a piece after a number of twists.
    fn slots_after(&self, times: usize) -> Vec<usize> {
        let mut slots: Vec<usize> = (0..self.twist.len()).collect();
        for _ in 0..times {
            slots.iter_mut().for_each(|slot| *slot = self.twist[*slot]);
        }
        slots
    }

    /// Puts places in their order, begins frames with their first face if twists allow it, and lets a twist be the
    /// smallest one clockwise.
    fn settle(&mut self, cut: &CutSolid, units: &Units) {
        let order = units.sorted(cut, self.frames.iter().map(|frame| units.at(frame)));
        self.frames.sort_by_key(|frame| order.iter().position(|&unit| unit == units.at(frame)));
        let ways: Vec<Vec<usize>> = (0..self.orientations).map(|times| self.slots_after(times)).collect();
        for frame in &mut self.frames {
            let turned = ways.iter().map(|way| way.iter().map(|&slot| frame[slot]).collect::<Vec<_>>());
            *frame = turned.min_by_key(|frame| faces_of(cut, frame)).expect("at least one way");
        }
        let frame = &self.frames[0];
        let outward = Vector::centroid(frame.iter().map(|&sticker| middle_of(cut, sticker)));
        // Out of the piece in the centre, every direction is outward: let it be up.
        let outward = if near(outward, Vector::ORIGIN) { Vector::new(0.0, 1.0, 0.0) } else { outward };
        let clockwise = |way: &Vec<usize>| {
            // A sticker on the axis stays where it is.
            let moved = way.iter().enumerate().find(|&(slot, &to)| to != slot).map_or(0, |(slot, _)| slot);
            let [from, to] = [moved, way[moved]].map(|slot| middle_of(cut, frame[slot]).from(outward));
            // The angle against the right-hand rule about the direction outward.
            (to.cross(from).dot(outward.unit())).atan2(from.dot(to)).rem_euclid(std::f64::consts::TAU)
        };
        // A power generates all twists if its exponent has no divisor in common with their number.
        let generators = ways.iter().enumerate().filter(|&(times, _)| gcd(times as u64, ways.len() as u64) == 1);
        let least = generators.map(|(_, way)| way).min_by(|one, other| clockwise(one).total_cmp(&clockwise(other)));
        self.twist = least.expect("one twist generates all").clone();
    }

    /// How often a piece is twisted whose stickers have arrived at a place.
    fn twists(&self, place: usize, arrived: &[usize]) -> usize {
        let is_so = |&times: &usize| {
            let slots = self.slots_after(times);
            slots.iter().zip(arrived).all(|(&slot, &sticker)| self.frames[place][slot] == sticker)
        };
        (0..self.orientations).find(is_so).expect("all ways to arrive are twists")
    }
}

/// Where the stickers of some layers of a line go, by one clockwise turn for whoever looks at its first end.
pub(super) fn turned_layers(cut: &CutSolid, line: usize, layers: &dyn Fn(usize) -> bool) -> Vec<usize> {
    let turned = &cut.lines[line].turned;
    let moved = |(at, sticker): (usize, &super::Sticker)| match layers(cut.pieces[sticker.piece].layers[line]) {
        true => turned[at],
        false => at,
    };
    cut.stickers.iter().enumerate().map(moved).collect()
}

/// The name of a piece from its faces: `UFR`.
pub(super) fn piece_name(faces: &[Face], cut: &CutSolid, piece: usize) -> String {
    let stickers = &cut.pieces[piece].stickers;
    let middle = Vector::centroid(stickers.iter().flat_map(|&sticker| cut.stickers[sticker].corners.iter().copied()));
    name_around(faces, &faces_of(cut, stickers), middle.unit())
}
