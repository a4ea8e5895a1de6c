//! Positions that are given, a line each.

use super::partial_file::Resumed;
use super::run::BatchSource;
use crate::error::{Error, Result};

/// Lines that are answered together.
const BATCH_LINES: usize = 1 << 12;

/// Lines of input with a position each, in chunks of any length.
pub struct PositionLines<'a> {
    next: Box<dyn FnMut() -> Result<Option<Vec<String>>> + Send + 'a>,
    waiting: std::collections::VecDeque<String>,
    ended: bool,
    hasher: blake3::Hasher,
    number: u64,
}

impl<'a> PositionLines<'a> {
    /// Lines from a function that returns some more at each call, `None` at the end; blank ones are to be left out.
    pub fn new(next: impl FnMut() -> Result<Option<Vec<String>>> + Send + 'a) -> Self {
        let waiting = std::collections::VecDeque::new();
        Self { next: Box::new(next), waiting, ended: false, hasher: blake3::Hasher::new(), number: 0 }
    }

    /// The batches that follow those that are done.
    ///
    /// # Errors
    /// Those of the source; [`Error::Usage`] if the lines before are others than they were.
    pub(super) fn batches(
        &mut self,
        done: &Resumed,
    ) -> Result<impl Iterator<Item = Result<BatchSource>> + Send + use<'_, 'a>> {
        for _ in 0..done.batches {
            self.batch()?;
        }
        if done.input.as_ref().is_some_and(|digest| *digest != self.digest()) {
            let message = "the positions are not those that the export was begun with; give the same ones to go on";
            return Err(Error::Usage(format!("{message} with it, or --force to begin anew")));
        }
        Ok(std::iter::from_fn(move || match self.batch() {
            Ok(lines) if lines.is_empty() => None,
            Ok(lines) => {
                let first = self.number - lines.len() as u64 + 1;
                Some(Ok(BatchSource::Lines { first, lines, digest: self.digest() }))
            }
            Err(error) => Some(Err(error)),
        }))
    }

    fn digest(&self) -> String {
        self.hasher.finalize().to_hex().to_string()
    }

    /// The lines of the next batch; none at the end.
    fn batch(&mut self) -> Result<Vec<String>> {
        while !self.ended && self.waiting.len() < BATCH_LINES {
            match (self.next)()? {
                Some(lines) => self.waiting.extend(lines),
                None => self.ended = true,
            }
        }
        let lines: Vec<String> = self.waiting.drain(..BATCH_LINES.min(self.waiting.len())).collect();
        for line in &lines {
            self.hasher.update(line.as_bytes());
            self.hasher.update(b"\n");
        }
        self.number += lines.len() as u64;
        Ok(lines)
    }
}

impl std::fmt::Debug for PositionLines<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PositionLines").field("number", &self.number).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What comes behind so many batches of these lines, whatever their chunks were.
    fn rest(lines: &[String], chunk: usize, done: &Resumed) -> Result<Vec<BatchSource>> {
        let mut chunks = lines.chunks(chunk);
        let mut lines = PositionLines::new(move || Ok(chunks.next().map(<[String]>::to_vec)));
        lines.batches(done)?.collect()
    }

    #[test]
    fn an_export_goes_on_with_the_same_lines_and_no_others() {
        let lines: Vec<String> = (0..3 * BATCH_LINES - 5).map(|number| number.to_string()).collect();
        let all = rest(&lines, 1000, &Resumed::default()).unwrap();
        let [BatchSource::Lines { digest, .. }, ..] = &all[..] else { panic!("no lines") };
        let done = Resumed { batches: 1, input: Some(digest.clone()), ..Resumed::default() };
        let after = rest(&lines, 77, &done).unwrap();
        let [BatchSource::Lines { first, lines: next, .. }, BatchSource::Lines { lines: last, .. }] = &after[..] else {
            panic!("not the second and the third")
        };
        assert_eq!(*first, BATCH_LINES as u64 + 1);
        assert_eq!([&next[..], last].concat(), lines[BATCH_LINES..]);
        let mut others = lines;
        others[7].push('0');
        let Err(Error::Usage(message)) = rest(&others, 1000, &done) else { panic!("other lines are taken") };
        assert!(message.contains("not those that the export was begun with"), "{message}");
    }
}
