//! Answers as lines of text or JSON. A batch has millions of them.

use std::borrow::Cow;
use std::io::Write;

use serde::Serialize;

use crate::answers::cube3::{Cube3Answer, CubeDistances};
use crate::answers::{Answer, BriefAnswer, FromSolved, Solution};
use crate::metric::{BoundInMetric, QuestionMetric};
use crate::puzzle::{Detail, Prepared};
use twistbase_core::context::Context;
use twistbase_core::error::Result;

/// An input as the first column of a line: its tabs become spaces, so that they begin no column.
pub fn column(input: &str) -> Cow<'_, str> {
    if input.contains('\t') { Cow::Owned(input.replace('\t', " ")) } else { Cow::Borrowed(input) }
}

/// Appends an object as a line of JSON.
fn append_json(text: &mut Vec<u8>, object: &impl Serialize) {
    // Writing fails only for maps with other keys than strings, or for a failing `Serialize`. No answer has either.
    let _ = serde_json::to_writer(&mut *text, object);
    text.push(b'\n');
}

impl Solution {
    /// Appends a line: JSON, or the moves and, on request, a tab and the shapes.
    pub fn append(&self, text: &mut Vec<u8>, json: bool) {
        if json {
            return append_json(text, self);
        }
        text.extend_from_slice(self.moves().as_bytes());
        if let Self::Square1(found) = self
            && let Some((shapes, stays)) = found.shapes.as_ref().zip(found.stays_in_cube_shape)
        {
            let stays = if stays { "stays in" } else { "leaves" };
            text.extend(format!("\t{stays} cube shape: {}", shapes.join(" ")).into_bytes());
        }
        text.push(b'\n');
    }
}

/// Called for each input without a full answer. It gets the error (nothing is written yet, so it may append a line), or the bound
/// in the line.
pub type OnShortfall<'a> = &'a mut dyn FnMut(&mut Vec<u8>, &str, Result<BoundInMetric>);

/// Answers lines from opened tables, as text or JSON.
#[derive(Debug, Clone, Copy)]
pub struct AnswerLines<'a> {
    /// The tables.
    pub prepared: &'a dyn Prepared,
    /// Detail of text lines.
    pub detail: Detail,
    /// Whether to search until distances are exact. A bound alone is then a shortfall.
    pub is_searched: bool,
    /// Whether to write JSON.
    pub json: bool,
}

impl AnswerLines<'_> {
    /// Appends the answers to some inputs, one line each. A line of text begins with the input.
    pub fn append(self, text: &mut Vec<u8>, inputs: &[&str], ctx: &Context, short: OnShortfall<'_>) {
        if !self.json && !self.is_searched && self.detail == Detail::Brief {
            self.prepared.query_many_briefly(inputs, ctx, &mut |input, answer| match answer {
                Ok(brief) => {
                    let mut line = AnswerLine::new(text, input);
                    line.brief(&brief);
                    line.end();
                }
                Err(error) => short(text, input, Err(error)),
            });
            return;
        }
        self.prepared.query_many(inputs, ctx, &mut |input, answer| match answer {
            Ok(answer) => {
                if self.json {
                    append_json(text, &answer);
                } else {
                    self.append_text(text, input, &answer);
                }
                if let Some(bound) = self.only_bound(&answer) {
                    short(text, input, Ok(bound));
                }
            }
            Err(error) => short(text, input, Err(error)),
        });
    }

    /// The bound, if a search for the exact distance did not find it.
    pub fn only_bound(self, answer: &Answer) -> Option<BoundInMetric> {
        match answer {
            Answer::Cube3(answer) if self.is_searched => answer.search.as_ref()?.only_bound(answer.metric),
            Answer::Table(answer) if self.is_searched && answer.from_solved.distance.is_none() => {
                Some(BoundInMetric { at_least: answer.from_solved.at_least, metric: QuestionMetric::Moves })
            }
            _ => None,
        }
    }

    /// Appends all solutions of some inputs, one line each. A line of text begins with the input. Leaves out solutions found before an
    /// error.
    pub fn append_solutions(self, text: &mut Vec<u8>, inputs: &[&str], ctx: &Context, short: OnShortfall<'_>) {
        for input in inputs {
            let before = text.len();
            if let Err(error) = self.append_solutions_of(text, input, ctx) {
                text.truncate(before);
                short(text, input, Err(error));
            }
        }
    }

    fn append_solutions_of(self, text: &mut Vec<u8>, input: &str, ctx: &Context) -> Result<()> {
        for solution in self.prepared.solutions(input, ctx)? {
            ctx.check()?;
            if !self.json {
                text.extend_from_slice(column(input).as_bytes());
                text.push(b'\t');
            }
            solution?.append(text, self.json);
        }
        Ok(())
    }

    /// Appends an answer as a line of text: the input, the brief answer, the number of shortest solutions.
    fn append_text(self, text: &mut Vec<u8>, input: &str, answer: &Answer) {
        let mut line = AnswerLine::new(text, input);
        line.brief(&answer.brief());
        match answer {
            Answer::Square1(answer) => answer.solutions.iter().for_each(|counts| line.count(counts.alignments)),
            Answer::Table(answer) => answer.solutions.iter().for_each(|&solutions| line.count(solutions.into())),
            Answer::Cube3(answer) => line.cube3(answer, self.detail),
        }
        line.end();
    }
}

/// A line of text: the input, then numbers, separated by tabs.
struct AnswerLine<'a>(&'a mut Vec<u8>);

impl<'a> AnswerLine<'a> {
    /// Begins with the input.
    fn new(text: &'a mut Vec<u8>, input: &str) -> Self {
        text.extend_from_slice(column(input).as_bytes());
        Self(text)
    }

    /// Appends the distance. For the Rubik's cube without a named table also the moves to H and the distance in H.
    fn brief(&mut self, brief: &BriefAnswer) {
        match brief {
            BriefAnswer::Distance(moves) => self.moves_or_bound(*moves, None),
            BriefAnswer::AtLeast(moves) => self.moves(">=", *moves),
            BriefAnswer::Cube3(from_solved, CubeDistances { to_h, distance_in_h, beyond, .. }) => {
                self.distance_or_bound(*from_solved);
                self.moves_or_bound(*to_h, beyond.to_h);
                self.moves_or_bound(*distance_in_h, beyond.distance_in_h);
            }
        }
    }

    /// Appends the number of shortest solutions, on request; after the number of a named table, that of a search.
    fn cube3(&mut self, answer: &Cube3Answer, detail: Detail) {
        if answer.only.is_some() {
            return answer.search.iter().for_each(|search| self.distance_or_bound(search.from_solved));
        }
        if detail == Detail::Full {
            for solutions in [answer.search.as_ref().and_then(|search| search.solutions), answer.solutions_in_h] {
                match solutions {
                    Some(solutions) => self.count(solutions.into()),
                    None => self.dash(),
                }
            }
        }
    }

    /// Adds a distance, or a bound of it behind `>=`.
    fn distance_or_bound(&mut self, FromSolved { distance, at_least }: FromSolved) {
        match distance {
            Some(distance) => self.moves("", distance),
            None => self.moves(">=", at_least),
        }
    }

    /// Appends a number of moves, or `>` and the table's depth, or the sign for unknown.
    fn moves_or_bound(&mut self, moves: Option<u8>, beyond: Option<u8>) {
        match (moves, beyond) {
            (_, Some(depth)) => self.moves(">", depth),
            (Some(moves), None) => self.moves("", moves),
            (None, None) => self.dash(),
        }
    }

    /// Appends a prefix and a number.
    fn moves(&mut self, before: &str, moves: u8) {
        self.0.push(b'\t');
        self.0.extend_from_slice(before.as_bytes());
        self.0.extend_from_slice(itoa::Buffer::new().format(moves).as_bytes());
    }

    /// Adds a number.
    fn count(&mut self, count: u128) {
        // Writing to memory does not fail.
        let _ = write!(self.0, "\t{count}");
    }

    /// Appends the sign for an unknown number.
    fn dash(&mut self) {
        self.0.extend_from_slice(b"\t-");
    }

    /// Ends the line.
    fn end(self) {
        self.0.push(b'\n');
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_in_full() {
        let mut text = Vec::new();
        for moves in 0..=u8::MAX {
            let mut line = AnswerLine::new(&mut text, "x");
            line.moves(">", moves);
            line.end();
        }
        let expected: String = (0..=255).map(|moves| format!("x\t>{moves}\n")).collect();
        assert_eq!(text, expected.as_bytes());
    }
}
