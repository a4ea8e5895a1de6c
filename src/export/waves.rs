//! Batches of records, made in waves on all threads and handed on in order.

use rayon::prelude::*;

use super::answers::Answers;
use super::batch::RecordBatch;
use super::run::{BatchSource, RecordExport};
use twistbase_core::context::Context;
use twistbase_core::error::Result;

/// Batches that a thread encodes while others are written.
const AHEAD: usize = 4;

impl<A: Answers> RecordExport<A> {
    /// Encodes all batches, in waves on all threads, and hands each to `write` in order while the next wave is encoded.
    /// `write` is called on this thread: where it waits, no thread of rayon's pool does.
    ///
    /// # Errors
    /// Those of the batches, of the reader, of `encode` and of `write`;
    /// [`Error::Interrupted`](twistbase_core::error::Error::Interrupted). What was encoded before is written.
    pub fn each<T: Send>(
        &self,
        mut work: impl Iterator<Item = Result<BatchSource>>,
        ctx: &Context,
        encode: &(dyn Fn(RecordBatch) -> Result<T> + Sync),
        write: &mut dyn FnMut(T, &BatchSource) -> Result<()>,
    ) -> Result<()> {
        let mut write = |(work, encoded): (BatchSource, Result<T>)| {
            let encoded = encoded?;
            ctx.progress().advance(work.size());
            write(encoded, &work)
        };
        let wave = rayon::current_num_threads() * AHEAD;
        let mut ready: Vec<(BatchSource, Result<T>)> = Vec::new();
        loop {
            let next: Vec<Result<BatchSource>> = work.by_ref().take(wave).collect();
            let done = next.is_empty();
            let encode = |work: Result<BatchSource>| {
                let work = work?;
                let encoded = self.of_source(&work, ctx).and_then(encode);
                Ok((work, encoded))
            };
            let mut encoded = Vec::new();
            let written = rayon::in_place_scope(|scope| {
                scope.spawn(|_| encoded = next.into_par_iter().map(encode).collect::<Vec<Result<_>>>());
                ready.drain(..).try_for_each(&mut write)
            });
            written?;
            if done {
                return Ok(());
            }
            for one in encoded {
                match one {
                    Ok(one) => ready.push(one),
                    // Those before it are still written.
                    Err(error) => {
                        ready.drain(..).try_for_each(&mut write)?;
                        return Err(error);
                    }
                }
            }
        }
    }
}
