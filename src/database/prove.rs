//! The theorem about the middle layer of the Square-1 family, by exhaustive search.

use std::time::Instant;

use serde::Serialize;

use super::TableId;
use crate::context::Context;
use crate::error::{Error, Result};
use crate::levelset::Kernel;
use crate::tables::{Definition, Distribution, ParityProof, TwistTable, find_twists};

/// What an exhaustive search said about the middle layer: `schema/json/prove.json`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ParityReport {
    /// The table whose positions were searched.
    pub table: TableId,
    /// Their puzzle.
    pub puzzle: &'static str,
    /// What distances count.
    pub metric: &'static str,
    /// Whether the theorem holds and every comparison is equal.
    pub holds: bool,
    /// Whether every pair was reached and only the solved position is an exception.
    pub theorem: bool,
    /// Pairs (position, middle layer) at each distance, the turned-over puzzle identified.
    pub pairs: CountComparison,
    /// Of these, pairs whose position has the other middle layer at a distance that is smaller by more than one.
    pub exceptions: Vec<u64>,
    /// Pairs (entry, middle layer) that nothing reaches.
    pub unreached: u64,
    /// The same with the turned-over puzzle counted as different, where it was counted so before.
    pub not_identified: Option<CountComparison>,
    /// Seconds.
    pub seconds: f64,
}

/// Counts by distance, and those that must come out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CountComparison {
    /// The counts at distance 0, 1, 2, …
    pub counts: Vec<u64>,
    /// Their sum.
    pub total: u64,
    /// The counts that must come out, where they are known.
    pub expected: Option<&'static [u64]>,
    /// Who says so.
    pub source: Option<&'static str>,
    /// Whether they are equal; none where nothing is known to compare with.
    pub equal: Option<bool>,
}

impl CountComparison {
    /// Counts up to a depth, or all, beside those that must come out.
    pub(super) fn new(counts: Vec<u64>, depth: Option<u8>, expected: Option<&Distribution>) -> Self {
        let total = counts.iter().sum();
        let (source, expected) = (expected.map(|known| known.source), expected.map(|known| known.to_depth(depth)));
        let equal = expected.map(|expected| expected == counts);
        Self { counts, total, expected, source, equal }
    }

    pub(super) fn differs(&self) -> bool {
        self.equal == Some(false)
    }
}

impl ParityReport {
    fn new(table: &'static TwistTable, proof: &ParityProof, seconds: f64) -> Self {
        let pairs = CountComparison::new(proof.pairs.clone(), None, table.expected_with_middle());
        let published = table.expected_not_identified();
        let not_identified =
            published.map(|published| CountComparison::new(proof.not_identified(), None, Some(published)));
        let differs = pairs.differs() || not_identified.as_ref().is_some_and(CountComparison::differs);
        let table = TableId::from(table as &'static dyn Definition);
        Self {
            table,
            puzzle: table.definition().puzzle(),
            metric: table.definition().metric().name(),
            holds: proof.holds() && !differs,
            theorem: proof.holds(),
            pairs,
            exceptions: proof.exceptions.clone(),
            unreached: proof.unreached,
            not_identified,
            seconds,
        }
    }
}

/// Bytes of memory that [`prove_parity`] needs.
///
/// # Errors
/// [`Error::Usage`] for a table that is not of the Square-1 family.
pub fn parity_memory(table: TableId) -> Result<u64> {
    Ok(find_twists(table.name())?.parity_memory())
}

/// Searches every pair of a position and a parity of the number of twists, which needs no table that was built and leaves
/// nothing behind, within `memory` bytes.
///
/// The theorem: the parity that the shortest solution does not have takes exactly one twist more, for every position but
/// the solved one, whose other middle layer takes 3.
///
/// # Errors
/// [`Error::Usage`] for a table that is not of the Square-1 family; [`Error::Budget`] if the memory does not suffice;
/// [`Error::Interrupted`].
pub fn prove_parity(table: TableId, memory: u64, kernel: Kernel, ctx: &Context) -> Result<ParityReport> {
    let table = find_twists(table.name())?;
    let needed = table.parity_memory();
    if memory < needed {
        return Err(Error::Budget(format!("the proof needs {needed} bytes of memory, and may use {memory}")));
    }
    let started = Instant::now();
    let proof = table.prove_parity(kernel, memory, ctx)?;
    Ok(ParityReport::new(table, &proof, started.elapsed().as_secs_f64()))
}
