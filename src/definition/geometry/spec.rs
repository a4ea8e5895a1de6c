//! The line that says what a puzzle is: solid, cuts, the piece that is held, moves, pieces that are left out.

use std::ops::Range;

use twistbase_core::error::{Problem, Result};
use twistbase_core::math::vector::Vector;

use super::cut::{CutSolid, Line, divides};
use super::frames::{piece_name, turned_layers};
use super::solid::{Cut, GripKind, Solid};
use crate::model::invalid;

/// The most cuts of a puzzle.
const MOST_CUTS: usize = 16;
/// The most bytes of a line.
const LONGEST: usize = 1 << 12;

/// A line that was read.
#[derive(Debug)]
pub(super) struct Spec {
    pub solid: Solid,
    pub cut: CutSolid,
    pub turns: Vec<NamedTurn>,
    /// Names of several layers that turn together, and the moves that they consist of.
    pub wide: Vec<[String; 2]>,
    /// The orbits that the puzzle lacks, and their places in the text.
    pub without: Vec<(String, Range<usize>)>,
    /// The line, its words separated by one space.
    pub text: String,
}

/// A move: some layers of a line turn.
#[derive(Debug)]
pub(super) struct NamedTurn {
    pub name: String,
    pub axis: Vector,
    pub degrees: f64,
    /// Where it takes each sticker.
    pub moved: Vec<usize>,
    line: usize,
    /// For each layer, whether it turns.
    layers: Vec<bool>,
}

impl NamedTurn {
    /// Whether a place of a piece turns.
    pub fn is_moved(&self, cut: &CutSolid, piece: usize) -> bool {
        self.layers[cut.pieces[piece].layers[self.line]]
    }
}

/// Layers of a line as they are turned from one of its ends.
#[derive(Clone)]
struct Layers {
    line: usize,
    /// Whether they are turned as from the second end.
    is_back: bool,
    layers: Vec<bool>,
}

/// Words of the line, and their faults.
struct Words<'a> {
    text: &'a str,
    left: Vec<&'a str>,
    problems: Vec<Problem>,
}

impl<'a> Words<'a> {
    fn next(&mut self) -> Option<&'a str> {
        (!self.left.is_empty()).then(|| self.left.remove(0))
    }

    /// The word after another one, which calls for it.
    fn after(&mut self, word: &'a str, expected: &str) -> Option<&'a str> {
        let next = self.next();
        if next.is_none() {
            self.refuse("missing", word, &format!("after {word}, {expected} is missing"));
        }
        next
    }

    /// The words after another one, up to the next that calls for words.
    fn list_after(&mut self, word: &'a str, expected: &str) -> Vec<&'a str> {
        let is_other = |word: &&str| ["hold", "moves", "without"].contains(word);
        let count = self.left.iter().position(is_other).unwrap_or(self.left.len());
        let list = self.left.drain(..count).flat_map(|word| word.split(','));
        let list: Vec<&str> = list.filter(|name| !name.is_empty()).collect();
        if list.is_empty() {
            self.refuse("missing", word, &format!("after {word}, {expected} is missing"));
        }
        list
    }

    /// Where a word is.
    fn place(&self, word: &str) -> Range<usize> {
        let begin = word.as_ptr() as usize - self.text.as_ptr() as usize;
        begin..begin + word.len()
    }

    fn refuse(&mut self, code: &'static str, word: &str, message: &str) {
        let at = self.place(word);
        self.problems.push(Problem { code, message: message.to_owned(), at: Some(at) });
    }
}

impl Spec {
    pub fn parse(text: &str) -> Result<Self> {
        if text.len() > LONGEST {
            let message = format!("a geometry is a line of at most {LONGEST} bytes");
            return Err(invalid("", vec![Problem { code: "size", message, at: None }]));
        }
        let mut words = Words { text, left: text.split_whitespace().collect(), problems: Vec::new() };
        let letter = words.next().unwrap_or(text);
        let (solid, mut cuts) = match Solid::of_word(letter) {
            Ok((solid, cuts)) => (Some(solid), cuts),
            Err(reason) => {
                words.refuse("solid", letter, &reason);
                (None, Vec::new())
            }
        };
        let (is_box, mut cut_words) = (!cuts.is_empty(), 0);
        let (mut held, mut chosen): (Option<&str>, Option<Vec<&str>>) = (None, None);
        let mut without = Vec::new();
        while let Some(word) = words.next() {
            let kind = match word {
                "f" => GripKind::Face,
                "v" => GripKind::Vertex,
                "e" => GripKind::Edge,
                "hold" => {
                    held = words.after(word, "the name of a piece").or(held);
                    continue;
                }
                "moves" => {
                    chosen = Some(words.list_after(word, "a list of moves"));
                    continue;
                }
                "without" => {
                    let list = words.list_after(word, "a list of orbits");
                    without.extend(list.into_iter().map(|name| (name.to_owned(), words.place(name))));
                    continue;
                }
                _ => {
                    let message = format!("{word} is neither a kind of cut (f, v, e) nor hold, moves or without");
                    words.refuse("word", word, &message);
                    continue;
                }
            };
            let Some(number) = words.after(word, "the distance of the cut") else { continue };
            match (distance(number, matches!(letter, "d" | "i")), &solid) {
                (Some(_), Some(_)) if is_box => {
                    let message = format!("a box is cut at every unit and takes no other cuts: remove {word} {number}");
                    words.refuse("cuts", word, &message);
                }
                (Some(distance), Some(solid)) if divides(solid, kind, distance) => {
                    cut_words += 1;
                    let grips = solid.grips.iter().enumerate().filter(|(_, grip)| grip.kind == kind);
                    cuts.extend(grips.map(|(number, _)| -> Cut { (number, distance) }));
                }
                (Some(_), Some(_)) => {
                    words.refuse("distance", number, "a plane at this distance does not divide the solid")
                }
                (Some(_), None) => {}
                (None, _) => words.refuse("distance", number, "a distance is a number"),
            }
        }
        if cuts.is_empty() && words.problems.is_empty() {
            words.refuse("missing", letter, "give at least one cut, such as f 0.333");
        }
        if cut_words > MOST_CUTS {
            words.refuse("size", letter, &format!("at most {MOST_CUTS} cuts"));
        }
        let Some(solid) = solid.filter(|_| words.problems.is_empty()) else {
            return Err(invalid(text, words.problems));
        };
        let cut = match CutSolid::new(&solid, &cuts) {
            Ok(cut) => cut,
            Err(reason) => {
                words.refuse("cuts", letter, &reason);
                return Err(invalid(text, words.problems));
            }
        };
        // The layer of each axis that stays.
        let held: Option<Vec<usize>> = held.and_then(|name| {
            if name == "middle" {
                let middle: Option<_> = cut.lines.iter().map(Line::middle).collect();
                if middle.is_none() {
                    words.refuse("piece", name, "a plane goes through the middle: hold a piece");
                }
                return middle;
            }
            let is_so = |&piece: &usize| is_same_name(&piece_name(&solid.faces, &cut, piece), name);
            let mut named = (0..cut.pieces.len()).filter(is_so);
            match (named.next(), named.next()) {
                (Some(piece), None) => return Some(cut.pieces[piece].layers.clone()),
                (None, _) => words.refuse(
                    "piece",
                    name,
                    &format!(
                        "no piece is called {name}; names are those of its faces, such as {}",
                        piece_name(&solid.faces, &cut, 0)
                    ),
                ),
                (Some(_), Some(_)) => words.refuse("piece", name, &format!("several pieces are called {name}")),
            }
            None
        });
        let named: Vec<(String, Layers)> = match chosen.as_deref() {
            None => all_layers(&cut, false),
            Some(["all"]) => all_layers(&cut, true),
            Some(list) => list.iter().filter_map(|item| chosen_layers(&cut, item, &mut words)).flatten().collect(),
        };
        for (number, (name, _)) in named.iter().enumerate() {
            if named[..number].iter().any(|(other, _)| other == name) {
                let at =
                    chosen.iter().flatten().rfind(|item| item.starts_with(name.as_str())).copied().unwrap_or(letter);
                words.refuse("name", at, &format!("the move {name} is there twice"));
            }
        }
        if words.problems.is_empty() && named.is_empty() {
            words.refuse("missing", letter, "each layer holds the centre: choose moves, or moves all");
        }
        if !words.problems.is_empty() {
            return Err(invalid(text, words.problems));
        }
        let wide = match chosen.as_deref() {
            None => wide_turns(&cut, false),
            Some(["all"]) => wide_turns(&cut, true),
            Some(_) => Vec::new(),
        };
        let turns = named.into_iter().map(|(name, layers)| turn(&cut, name, layers, held.as_deref())).collect();
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        Ok(Self { solid, cut, turns, wide, without, text })
    }
}

/// A distance as it was meant: where pieces meet in one place, it is a fraction or a root, of which people type some digits.
/// Three to nine digits are read as the first fraction, root or, above all in solids with pentagons, part of the golden ratio.
fn distance(number: &str, has_pentagons: bool) -> Option<f64> {
    let given: f64 = number.parse().ok()?;
    let digits = number.split_once('.').map_or(0, |(_, digits)| digits.len());
    if !(3..=9).contains(&digits) || number.contains(['e', 'E']) {
        return Some(given);
    }
    let half = 0.5 * 10.0_f64.powi(-(digits as i32));
    let roots = [1, 2, 3, 5, 6]
        .into_iter()
        .flat_map(|root| (1..=12).map(move |below| (f64::from(root).sqrt(), f64::from(below))));
    let of_root = roots.filter_map(|(root, below): (f64, f64)| {
        let above = (given * below / root).round();
        (above.abs() <= 12.0).then_some(above * root / below)
    });
    let golden =
        (1..=5).flat_map(|below| (-5..=5).map(move |fives| (f64::from(below), f64::from(fives) * 5.0_f64.sqrt())));
    let of_golden = golden.map(|(below, fives)| ((given * below - fives).round() + fives) / below);
    let is_meant = |meant: &f64| (meant - given).abs() <= half;
    let (of_root, of_golden): (Vec<f64>, Vec<f64>) =
        (of_root.filter(is_meant).collect(), of_golden.filter(is_meant).collect());
    let found =
        if has_pentagons { of_golden.first().or(of_root.first()) } else { of_root.first().or(of_golden.first()) };
    Some(found.copied().unwrap_or(given))
}

/// What turns, if a layer of each axis must not: then the other layers turn back.
fn turn(cut: &CutSolid, name: String, layers: Layers, held: Option<&[usize]>) -> NamedTurn {
    let Layers { line: number, mut is_back, mut layers } = layers;
    let line = &cut.lines[number];
    if held.is_some_and(|held| layers[held[number]]) {
        is_back = !is_back;
        layers.iter_mut().for_each(|turns| *turns = !*turns);
    }
    let once = turned_layers(cut, number, &|layer| layers[layer]);
    let mut moved = once.clone();
    if is_back {
        once.iter().enumerate().for_each(|(at, &to)| moved[to] = at);
    }
    let degrees = if is_back { 360.0 } else { -360.0 } / f64::from(line.order);
    NamedTurn { name, axis: line.direction, degrees, moved, line: number, layers }
}

/// Layers with their name and, where they turn by halves alone, first with the name that says so: `R2`, then `R`.
fn with_amount(line: &Line, name: String, layers: Layers) -> Vec<(String, Layers)> {
    match line.amount {
        "" => vec![(name, layers)],
        amount => vec![(format!("{name}{amount}"), layers.clone()), (name, layers)],
    }
}

/// The name of a layer from its nearer end, and whether that is the second one.
fn layer_name(line: &Line, layer: usize) -> (String, bool) {
    let count = line.layers();
    let is_back = layer + 1 > count - layer;
    let depth = if is_back { count - layer } else { layer + 1 };
    let name = &line.names[usize::from(is_back)];
    (if depth == 1 { name.clone() } else { format!("{depth}{name}") }, is_back)
}

/// The outermost two layers of each end, three, and so on: `Rw` for `R 2R`; without `all`, up to the layer that holds the centre.
fn wide_turns(cut: &CutSolid, all: bool) -> Vec<[String; 2]> {
    let mut wide = Vec::new();
    for (line, is_back) in cut.lines.iter().flat_map(|line| [(line, false), (line, true)]) {
        let count = line.layers();
        let from_end = |depth: usize| if is_back { count - 1 - depth } else { depth };
        let mut sequence = Vec::new();
        for layer in (0..count - 1).map(from_end).take_while(|&layer| all || line.middle() != Some(layer)) {
            let (name, of_other) = layer_name(line, layer);
            let back = if of_other == is_back || !line.amount.is_empty() { "" } else { "'" };
            sequence.push(format!("{name}{}{back}", line.amount));
            let name = &line.names[usize::from(is_back)];
            let name = match sequence.len() {
                1 => continue,
                2 => format!("{name}w"),
                depth => format!("{depth}{name}w"),
            };
            if !line.amount.is_empty() {
                wide.push([format!("{name}{}", line.amount), sequence.join(" ")]);
            }
            wide.push([name, sequence.join(" ")]);
        }
    }
    wide
}

/// Each layer as a move, named from the nearer end; without `all`, those that do not hold the centre.
fn all_layers(cut: &CutSolid, all: bool) -> Vec<(String, Layers)> {
    let mut named = Vec::new();
    for (number, line) in cut.lines.iter().enumerate() {
        let count = line.layers();
        for layer in (0..count).filter(|&layer| all || line.middle() != Some(layer)) {
            let (name, is_back) = layer_name(line, layer);
            let layers = (0..count).map(|other| other == layer).collect();
            named.extend(with_amount(line, name, Layers { line: number, is_back, layers }));
        }
    }
    named
}

/// A move of a list: `NAME=LAYERS` or layers alone, such as `U`, `2U`, `Uw`, `3Uw`, and `R2` for a half turn; with all its names.
fn chosen_layers(cut: &CutSolid, item: &str, words: &mut Words<'_>) -> Option<Vec<(String, Layers)>> {
    let (given, layers) = item.split_once('=').map_or((None, item), |(name, layers)| (Some(name), layers));
    let (layers, is_half) = layers.strip_suffix('2').map_or((layers, false), |layers| (layers, true));
    let name = given.unwrap_or(layers);
    let is_name = name.trim_start_matches(|c: char| c.is_ascii_digit()).chars().all(|c| c.is_ascii_alphabetic());
    if !is_name || !name.ends_with(|c: char| c.is_ascii_alphabetic()) {
        words.refuse("name", item, &format!("{name:?} is no name of a move: use letters, after digits if need be"));
        return None;
    }
    let grip = layers.trim_start_matches(|c: char| c.is_ascii_digit());
    let number = &layers[..layers.len() - grip.len()];
    let end_of = |grip: &str| {
        let ends =
            cut.lines.iter().enumerate().flat_map(|(line, of)| [(line, 0, &of.names[0]), (line, 1, &of.names[1])]);
        let mut found = ends.filter(|(.., name)| is_same_name(name, grip));
        let first = found.next();
        first.filter(|_| found.next().is_none())
    };
    let whole = end_of(grip).map(|end| (end, false));
    let Some(((line, end, _), is_wide)) = whole.or_else(|| Some((end_of(grip.strip_suffix('w')?)?, true))) else {
        let ends: Vec<&str> = cut.lines.iter().flat_map(|line| &line.names).map(String::as_str).collect();
        let message = format!("no layers are called {layers}; ends of axes are {}", ends.join(" "));
        words.refuse("layers", item, &message);
        return None;
    };
    if is_half && cut.lines[line].amount.is_empty() {
        words.refuse("layers", item, &format!("{layers} turns by less than a half: remove the 2"));
        return None;
    }
    let (count, usual) = (cut.lines[line].layers(), if is_wide { 2 } else { 1 });
    let depth = if number.is_empty() { Some(usual) } else { number.parse::<usize>().ok() };
    let Some(depth) = depth.filter(|depth| (1..=count).contains(depth)) else {
        words.refuse("layers", item, &format!("there are {count} layers: 1 to {count}"));
        return None;
    };
    let turns = |layer: usize| {
        let from_end = if end == 0 { layer } else { count - 1 - layer };
        if is_wide { from_end < depth } else { from_end + 1 == depth }
    };
    let layers = (0..count).map(turns).collect();
    let layers = Layers { line, is_back: end == 1, layers };
    Some(match given {
        Some(name) => vec![(name.to_owned(), layers)],
        None => with_amount(&cut.lines[line], name.to_owned(), layers),
    })
}

/// Whether names have the same letters: the faces around a corner may come in any order.
pub(crate) fn is_same_name(one: &str, other: &str) -> bool {
    let letters = |name: &str| {
        let mut letters: Vec<char> = name.chars().collect();
        letters.sort_unstable();
        letters
    };
    letters(one) == letters(other)
}
