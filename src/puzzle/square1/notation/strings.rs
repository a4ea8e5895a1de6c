//! Reading and printing positions as strings of 16 pieces: what their notations have in common.

use std::ops::Range;

use super::is_dash;
use crate::input::quoted;
use crate::square1::{Colouring, Middle, Piece, Position};
use twistbase_core::error::Problem;

/// In what a notation of positions differs from the others.
pub(super) struct Alphabet {
    /// The piece of a symbol in either case.
    pub(super) piece: fn(char) -> Option<Piece>,
    /// The symbol of a piece.
    pub(super) symbol: fn(Piece) -> char,
    /// The symbols in words.
    pub(super) symbols: &'static str,
    /// Whether the top layer is written against the order of the slots.
    pub(super) is_top_reversed: bool,
    /// Whether `-` or `/` between the layers gives the middle layer; otherwise `-` there has no meaning.
    pub(super) is_middle_between_layers: bool,
}

/// Something with its place in the text.
struct At<T> {
    value: T,
    range: Range<usize>,
}

/// A `-` or `/` in the text.
struct Mark {
    symbol: Middle,
    /// How many pieces stand before it.
    pieces_before: usize,
}

/// A text taken apart.
#[derive(Default)]
struct Symbols {
    pieces: Vec<At<Piece>>,
    marks: Vec<At<Mark>>,
}

/// What the marks of a text say.
#[derive(Default)]
struct Marks {
    middle: Option<Middle>,
    /// How many pieces the text says that the top layer has.
    top_pieces: Option<usize>,
}

fn problem(code: &'static str, message: String, at: Range<usize>) -> Problem {
    Problem { code, message, at: Some(at) }
}

impl Alphabet {
    /// Reads a position and the middle layer, if it is given (the position does not have it).
    pub(super) fn parse(&self, text: &str, colouring: Colouring) -> Result<(Position, Option<Middle>), Vec<Problem>> {
        let mut problems = Vec::new();
        let symbols = self.symbols(text, &mut problems);
        let marks = self.marks(&symbols, &mut problems);
        let are_all_known = problems.is_empty();
        let count = symbols.pieces.len();
        if count != Piece::COUNT {
            let message = format!("{count} piece{}; expected {}", if count == 1 { "" } else { "s" }, Piece::COUNT);
            problems.push(Problem { code: "piece-count", message, at: None });
        }
        let pieces = self.names(&symbols.pieces, colouring, &mut problems);
        let top_pieces = match marks.top_pieces {
            Some(top_pieces) => check_layers(&symbols.pieces, top_pieces, &mut problems),
            // Beyond an unknown symbol it is anybody's guess where the top layer ends.
            None if are_all_known => self.end_of_top(&symbols.pieces, &mut problems),
            None => 0,
        };
        if !problems.is_empty() {
            return Err(problems);
        }
        let position = self.position(&pieces, top_pieces).map_err(|problem| vec![problem])?;
        Ok((position, marks.middle))
    }

    /// Takes the text apart into pieces and marks; runs of other characters are problems.
    fn symbols(&self, text: &str, problems: &mut Vec<Problem>) -> Symbols {
        let mut symbols = Symbols::default();
        let mut foreign: Option<Range<usize>> = None;
        for (start, c) in text.char_indices() {
            let range = start..start + c.len_utf8();
            let mark = if is_dash(c) { Some(Middle::Square) } else { (c == '/').then_some(Middle::Kite) };
            if let Some(value) = (self.piece)(c) {
                symbols.pieces.push(At { value, range });
            } else if let Some(symbol) = mark {
                let value = Mark { symbol, pieces_before: symbols.pieces.len() };
                symbols.marks.push(At { value, range });
            } else if !c.is_whitespace() {
                match &mut foreign {
                    Some(run) if run.end == start => run.end = range.end,
                    _ => problems.extend(foreign.replace(range).map(|run| self.foreign(text, run))),
                }
            }
        }
        problems.extend(foreign.map(|run| self.foreign(text, run)));
        symbols
    }

    fn foreign(&self, text: &str, run: Range<usize>) -> Problem {
        let found = quoted(&text[run.clone()]);
        problem("bad-character", format!("{found} is not a piece: use {}", self.symbols), run)
    }

    /// What the marks say: one between the layers, one after the last piece, no others.
    fn marks(&self, symbols: &Symbols, problems: &mut Vec<Problem>) -> Marks {
        let mut marks = Marks::default();
        let mut middle_between = None;
        for At { value: mark, range } in &symbols.marks {
            let is_between = (1..symbols.pieces.len()).contains(&mark.pieces_before);
            let may_separate = self.is_middle_between_layers || mark.symbol == Middle::Square;
            if is_between && may_separate && marks.top_pieces.is_none() {
                marks.top_pieces = Some(mark.pieces_before);
                middle_between = self.is_middle_between_layers.then_some(mark.symbol);
            } else if !is_between && mark.pieces_before > 0 && marks.middle.is_none() {
                marks.middle = Some(mark.symbol);
            } else {
                problems.push(misplaced(mark.symbol, range.clone()));
            }
        }
        if let (Some(between), Some(last)) = (middle_between, marks.middle)
            && between != last
        {
            let message =
                "the symbols between and after the layers contradict each other about the middle layer".to_owned();
            problems.push(Problem { code: "contradictory-middle", message, at: None });
        }
        marks.middle = marks.middle.or(middle_between);
        marks
    }

    /// The pieces with their own names: where pieces are alike, a name that is there twice stands for
    /// one that is not there. Pieces that are there too often and those that are missing are problems.
    fn names(&self, pieces: &[At<Piece>], colouring: Colouring, problems: &mut Vec<Problem>) -> Vec<Piece> {
        let mut is_there = [false; Piece::COUNT];
        let mut take = |piece: Piece| !std::mem::replace(&mut is_there[usize::from(piece.index())], true);
        // Own names first, so that a string that names every piece is read as it stands.
        let mut names: Vec<_> = pieces.iter().map(|at| take(at.value).then_some(at.value)).collect();
        for (name, at) in names.iter_mut().zip(pieces).filter(|(name, _)| name.is_none()) {
            *name = colouring.alike_pieces(at.value).find(|&piece| take(piece));
            if name.is_none() {
                problems.push(self.duplicate(at, colouring));
            }
        }
        let missing: Vec<_> = Piece::all().filter(|piece| !is_there[usize::from(piece.index())]).collect();
        if !missing.is_empty() {
            let message = format!("missing: {}", self.list(missing.into_iter()));
            problems.push(Problem { code: "missing-piece", message, at: None });
        }
        names.into_iter().flatten().collect()
    }

    fn duplicate(&self, at: &At<Piece>, colouring: Colouring) -> Problem {
        let symbol = (self.symbol)(at.value);
        let kind = self.list(colouring.alike_pieces(at.value));
        let message = match colouring.alike_pieces(at.value).count() {
            1 => format!("piece {symbol} appears twice"),
            count => format!("piece {symbol} is one too many: there are {count} of its kind ({kind})"),
        };
        problem("duplicate-piece", message, at.range.clone())
    }

    /// Symbols of pieces, separated by commas.
    fn list(&self, pieces: impl Iterator<Item = Piece>) -> String {
        pieces.map(|piece| (self.symbol)(piece).to_string()).collect::<Vec<_>>().join(", ")
    }

    /// The number of pieces that fill the top layer, in a text without a mark between the layers.
    fn end_of_top(&self, pieces: &[At<Piece>], problems: &mut Vec<Problem>) -> usize {
        let mut units = 0;
        for (count, at) in pieces.iter().enumerate() {
            if units == 12 {
                return count;
            }
            units += at.value.width();
            if units > 12 {
                let symbol = (self.symbol)(at.value);
                let message = format!(
                    "big piece {symbol} crosses the end of the top layer, which has 1 unit left; turn that layer first"
                );
                problems.push(problem("straddling-piece", message, at.range.clone()));
                return count;
            }
        }
        pieces.len()
    }

    /// The position of pieces that were checked.
    fn position(&self, pieces: &[Piece], top_pieces: usize) -> Result<Position, Problem> {
        let (top, bottom) = pieces.split_at(top_pieces.min(pieces.len()));
        let mut top = slots(top);
        if self.is_top_reversed {
            top.reverse();
        }
        // The checks before leave nothing to be found here; if they did, it would still be reported.
        Position::from_layers(top, slots(bottom), Middle::Square).map_err(|illegal| Problem {
            code: "illegal-position",
            message: illegal.to_string(),
            at: None,
        })
    }

    /// The symbols of the two layers; `None` when a piece fills slots 11 and 0.
    pub(super) fn print(&self, position: &Position) -> Option<[String; 2]> {
        let (mut top, bottom) = (*position.top(), *position.bottom());
        if self.is_top_reversed {
            top.reverse();
        }
        let layer = |slots: [Piece; 12]| {
            let starts = |&slot: &usize| slot == 0 || slots[slot - 1] != slots[slot];
            (0..12).filter(starts).map(|slot| (self.symbol)(slots[slot])).collect()
        };
        position.unstraddling_turn().is_none().then(|| [layer(top), layer(bottom)])
    }
}

fn misplaced(symbol: Middle, at: Range<usize>) -> Problem {
    let message = match symbol {
        Middle::Square => {
            "misplaced dash: write it between the layers, or once after the last piece for a square middle layer"
        }
        Middle::Kite => "misplaced /: write it once after the last piece, for a kite middle layer",
    };
    problem("misplaced-mark", message.to_owned(), at)
}

/// Checks that both layers are full, in a text with a mark between them; the number of pieces of the top one.
fn check_layers(pieces: &[At<Piece>], top_pieces: usize, problems: &mut Vec<Problem>) -> usize {
    let (top, bottom) = pieces.split_at(top_pieces.min(pieces.len()));
    for (name, layer) in [("top", top), ("bottom", bottom)] {
        let units: usize = layer.iter().map(|at| at.value.width()).sum();
        if let ([first, ..], [.., last]) = (layer, layer)
            && units != 12
        {
            let message = format!("the {name} layer has {units} units of 30°; expected 12");
            problems.push(problem("layer-size", message, first.range.start..last.range.end));
        }
    }
    top_pieces
}

/// The slots that pieces fill from slot 0 on. Pieces beyond slot 11 are left out.
fn slots(pieces: &[Piece]) -> [Piece; 12] {
    let mut slots = [Piece::from_low_bits(0); 12];
    let filled = pieces.iter().flat_map(|&piece| std::iter::repeat_n(piece, piece.width()));
    for (slot, piece) in slots.iter_mut().zip(filled) {
        *slot = piece;
    }
    slots
}
