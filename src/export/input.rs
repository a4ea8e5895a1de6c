//! Positions that are given, a line each.

use super::partial_file::Resumed;
use super::run::BatchSource;
use twistbase_core::error::{Error, Result};

/// Lines that are answered together.
const BATCH_LINES: usize = 1 << 12;

/// Some lines of input, each with its number from 1.
type NumberedLines = Vec<(u64, String)>;

/// Lines of input with a position each, in chunks of any length.
pub struct PositionLines<'a> {
    next: Box<dyn FnMut() -> Result<Option<NumberedLines>> + Send + 'a>,
    waiting: std::collections::VecDeque<(u64, String)>,
    ended: bool,
    hasher: blake3::Hasher,
}

impl<'a> PositionLines<'a> {
    /// Lines from a function that returns some more at each call, `None` at the end; blank ones and comments are to be left out.
    pub fn new(mut next: impl FnMut() -> Result<Option<Vec<String>>> + Send + 'a) -> Self {
        let mut last = 0;
        Self::numbered(move || {
            let Some(lines) = next()? else { return Ok(None) };
            let first = last + 1;
            last += lines.len() as u64;
            Ok(Some((first..).zip(lines).collect()))
        })
    }

    /// The same with the number of each line, for errors: lines that are left out count.
    pub fn numbered(next: impl FnMut() -> Result<Option<NumberedLines>> + Send + 'a) -> Self {
        let waiting = std::collections::VecDeque::new();
        Self { next: Box::new(next), waiting, ended: false, hasher: blake3::Hasher::new() }
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
            let message = "the positions differ from those of the unfinished export; give the same ones to resume";
            return Err(Error::Usage(format!("{message} it, or --force to start again")));
        }
        Ok(std::iter::from_fn(move || match self.batch() {
            Ok(lines) if lines.is_empty() => None,
            Ok(lines) => Some(Ok(BatchSource::Lines { lines, digest: self.digest() })),
            Err(error) => Some(Err(error)),
        }))
    }

    fn digest(&self) -> String {
        self.hasher.finalize().to_hex().to_string()
    }

    /// The lines of the next batch; none at the end.
    fn batch(&mut self) -> Result<NumberedLines> {
        while !self.ended && self.waiting.len() < BATCH_LINES {
            match (self.next)()? {
                Some(lines) => self.waiting.extend(lines),
                None => self.ended = true,
            }
        }
        let lines: NumberedLines = self.waiting.drain(..BATCH_LINES.min(self.waiting.len())).collect();
        for (_, line) in &lines {
            self.hasher.update(line.as_bytes());
            self.hasher.update(b"\n");
        }
        Ok(lines)
    }
}

impl std::fmt::Debug for PositionLines<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PositionLines").field("ended", &self.ended).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The lines behind a number of batches, for any sizes of chunks.
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
        let [BatchSource::Lines { lines: next, .. }, BatchSource::Lines { lines: last, .. }] = &after[..] else {
            panic!("not the second and the third")
        };
        let expected = (1..).zip(lines.iter().cloned()).skip(BATCH_LINES).collect::<Vec<_>>();
        assert_eq!([&next[..], last].concat(), expected);
        let mut others = lines;
        others[7].push('0');
        let Err(Error::Usage(message)) = rest(&others, 1000, &done) else { panic!("other lines are taken") };
        assert!(message.contains("differ from those of the unfinished export"), "{message}");
    }
}
