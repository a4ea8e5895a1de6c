//! Answers in a line each, as text or JSON. A batch has millions of them.

use std::io::Write;

use serde::Serialize;

use crate::answers::cube3::{Cube3Answer, CubeDistances};
use crate::answers::{Answer, BriefAnswer, FromSolved, PositionReport, Solution};
use crate::batch::LineAnswer;
use crate::metric::BoundInMetric;
use crate::puzzle::{Detail, Prepared};
use twistbase_core::context::Context;
use twistbase_core::error::Result;

/// Adds an object as a line of JSON with its end.
fn append_json(text: &mut Vec<u8>, object: &impl Serialize) {
    // Only a map with keys that are no strings, or a failing `Serialize`, cannot be written: no answer has either.
    let _ = serde_json::to_writer(&mut *text, object);
    text.push(b'\n');
}

impl Answer {
    /// Adds it as a line of JSON with its end.
    pub fn append_json(&self, text: &mut Vec<u8>) {
        append_json(text, self);
    }
}

impl LineAnswer {
    /// Adds it as a line of JSON with its end.
    pub fn append_json(&self, text: &mut Vec<u8>) {
        append_json(text, self);
    }
}

impl PositionReport {
    /// Adds it as a line of JSON with its end.
    pub fn append_json(&self, text: &mut Vec<u8>) {
        append_json(text, self);
    }
}

impl Solution {
    /// Adds it as a line with its end: as JSON, or its moves with the shapes that it passes behind a tab where they are wanted.
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

/// Called for each input without a full answer: with the error (nothing was written, so it may add a line), or with the bound
/// that its line has.
pub type OnShortfall<'a> = &'a mut dyn FnMut(&mut Vec<u8>, &str, Result<BoundInMetric>);

/// How lines are answered: by opened tables, in text or as JSON.
#[derive(Debug, Clone, Copy)]
pub struct AnswerLines<'a> {
    /// The tables.
    pub prepared: &'a dyn Prepared,
    /// Detail of text lines.
    pub detail: Detail,
    /// Whether distances that no table has are searched for to the end: a bound alone then falls short.
    pub is_searched: bool,
    /// Whether answers are JSON.
    pub json: bool,
}

impl AnswerLines<'_> {
    /// Adds what is known about some inputs, a line each, which in text begins with the input.
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
                    answer.append_json(text);
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

    /// What is known of the exact distance, where it was to be searched for and was not found.
    pub fn only_bound(self, answer: &Answer) -> Option<BoundInMetric> {
        match answer {
            Answer::Cube3(answer) if self.is_searched => answer.search.as_ref()?.only_bound(answer.metric),
            _ => None,
        }
    }

    /// Adds all solutions of some inputs, a line each, which in text begins with the input. Those found before an error are left
    /// out.
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
                text.extend_from_slice(input.as_bytes());
                text.push(b'\t');
            }
            solution?.append(text, self.json);
        }
        Ok(())
    }

    /// Adds a line of text with an answer: the input, the brief answer and the number of shortest solutions.
    fn append_text(self, text: &mut Vec<u8>, input: &str, answer: &Answer) {
        let mut line = AnswerLine::new(text, input);
        line.brief(&answer.brief());
        match answer {
            Answer::Square1(answer) => answer.solutions.iter().for_each(|counts| line.count(counts.alignments)),
            Answer::Cube2(answer) => answer.solutions.iter().for_each(|&solutions| line.count(solutions.into())),
            Answer::Cube3(answer) => line.cube3(answer, self.detail),
        }
        line.end();
    }
}

/// A line that is added to a text: the input and, each behind a tab, numbers.
struct AnswerLine<'a>(&'a mut Vec<u8>);

impl<'a> AnswerLine<'a> {
    /// Begins with the input.
    fn new(text: &'a mut Vec<u8>, input: &str) -> Self {
        text.extend_from_slice(input.as_bytes());
        Self(text)
    }

    /// Adds the distance; of the cube, where no table was named, the moves to H and those in H, too.
    fn brief(&mut self, brief: &BriefAnswer) {
        match brief {
            BriefAnswer::Distance(moves) => self.moves_or_bound(*moves, None),
            BriefAnswer::Cube3(from_solved, CubeDistances { to_h, distance_in_h, beyond, .. }) => {
                self.distance_or_bound(*from_solved);
                self.moves_or_bound(*to_h, beyond.to_h);
                self.moves_or_bound(*distance_in_h, beyond.distance_in_h);
            }
        }
    }

    /// Adds the number of shortest solutions, where it is wanted; behind the number of a named table what a search found.
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

    /// Adds moves, or a lower bound for their number, or that nothing is known.
    fn moves_or_bound(&mut self, moves: Option<u8>, beyond: Option<u8>) {
        match (moves, beyond) {
            (_, Some(depth)) => self.moves(">", depth),
            (Some(moves), None) => self.moves("", moves),
            (None, None) => self.dash(),
        }
    }

    /// Adds what is written before a number, and it.
    fn moves(&mut self, before: &str, moves: u8) {
        self.0.push(b'\t');
        self.0.extend_from_slice(before.as_bytes());
        for (unit, least) in [(100, 100), (10, 10), (1, 0)] {
            if moves >= least {
                self.0.push(b'0' + moves / unit % 10);
            }
        }
    }

    /// Adds a number.
    fn count(&mut self, count: u128) {
        // Writing to memory does not fail.
        let _ = write!(self.0, "\t{count}");
    }

    /// Adds what stands for a number that is not known.
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
