//! Answers in a line each: the input and, each behind a tab, numbers. A batch has millions of them.

use std::io::Write;

use twistbase_database::{BriefAnswer, CubeDistances};

/// A line that is added to a text.
pub struct AnswerLine<'a>(&'a mut Vec<u8>);

impl<'a> AnswerLine<'a> {
    /// Begins with the input.
    pub fn new(text: &'a mut Vec<u8>, input: &str) -> Self {
        text.extend_from_slice(input.as_bytes());
        Self(text)
    }

    /// Adds how far the position is: one number, or of the cube without a named table the moves to H and those in H.
    pub fn brief(&mut self, brief: &BriefAnswer) {
        match brief {
            BriefAnswer::Distance(moves) => self.told(*moves, None),
            BriefAnswer::Cube3(CubeDistances { to_h, distance, beyond, .. }) => {
                self.told(*to_h, beyond.to_h);
                self.told(*distance, beyond.distance);
            }
        }
    }

    /// Adds moves, or that there are more than so many, or that nothing is known.
    fn told(&mut self, moves: Option<u8>, beyond: Option<u8>) {
        match (moves, beyond) {
            (_, Some(depth)) => self.moves(">", depth),
            (Some(moves), None) => self.moves("", moves),
            (None, None) => self.dash(),
        }
    }

    /// Adds what is written before a number, and it.
    pub fn moves(&mut self, before: &str, moves: u8) {
        self.0.push(b'\t');
        self.0.extend_from_slice(before.as_bytes());
        for (unit, least) in [(100, 100), (10, 10), (1, 0)] {
            if moves >= least {
                self.0.push(b'0' + moves / unit % 10);
            }
        }
    }

    /// Adds a number.
    pub fn count(&mut self, count: u128) {
        // Writing to memory does not fail.
        let _ = write!(self.0, "\t{count}");
    }

    /// Adds what stands for a number that is not known.
    pub fn dash(&mut self) {
        self.0.extend_from_slice(b"\t-");
    }

    /// Ends the line.
    pub fn end(self) {
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
