//! Results of exhaustive searches of the Square-1 family: the theorem about the middle layer, and WCA's metric.

use std::path::Path;
use std::time::Instant;

use serde::Serialize;

use super::TableId;
use twistbase_core::context::Context;
use twistbase_core::error::{Error, Result};
use twistbase_levelset::Kernel;
use twistbase_puzzle::square1::notation::hex;
use twistbase_tables::{
    self as tables, Definition, Distribution, KnownWcaCounts, ParityProof, TwistTable, WcaCounts, WcaProof, find_twists,
};

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
/// [`Error::Usage`] for a table that is not of the Square-1 family; [`Error::Memory`] if the memory does not suffice;
/// [`Error::Interrupted`].
pub fn prove_parity(table: TableId, memory: u64, kernel: Kernel, ctx: &Context) -> Result<ParityReport> {
    let table = find_twists(table.name())?;
    let needed = table.parity_memory();
    if memory < needed {
        return Err(Error::Memory(format!("the proof needs {needed} bytes of memory; the limit is {memory}")));
    }
    let started = Instant::now();
    let proof = table.prove_parity(kernel, memory, ctx)?;
    Ok(ParityReport::new(table, &proof, started.elapsed().as_secs_f64()))
}

/// Every position by WCA's metric: `schema/json/prove-wca.json`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct WcaReport {
    /// The table whose positions were counted.
    pub table: TableId,
    /// Their puzzle.
    pub puzzle: &'static str,
    /// What distances count: `wca`.
    pub metric: &'static str,
    /// Whether the two searches agree and every comparison is equal.
    pub holds: bool,
    /// Whether plain search counts as many positions near solved as the search of everything.
    pub agrees: bool,
    /// The most moves that a position takes which can be twisted as it lies: God's number.
    pub farthest_twistable: usize,
    /// The most moves that any position takes, those included that have to be turned first.
    pub farthest: usize,
    /// All positions as they lie, the turned-over puzzle counted as different.
    pub told_apart: WcaComparison,
    /// The turned-over puzzle identified.
    pub identified: WcaComparison,
    /// Positions (the middle layer ignored, up to turns and turning over) at each distance in twists from the position
    /// one twist from solved.
    pub to_last: Vec<u64>,
    /// Positions that take the most moves, as [`WcaProof::farthest`] has them: how many there are.
    pub farthest_classes: usize,
    /// The same in hexadecimal digits, with their middle layer.
    #[serde(skip)]
    pub farthest_positions: Vec<String>,
    /// Seconds.
    pub seconds: f64,
}

/// Positions as they lie by moves, beside those that must come out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct WcaComparison {
    /// Positions that can be twisted as they lie.
    pub twistable: CountComparison,
    /// Positions that have to be turned first.
    pub blocked: CountComparison,
}

impl WcaComparison {
    fn new(counts: &WcaCounts, expected: Option<&KnownWcaCounts>) -> Self {
        let compare = |counts: &[u64], expected| CountComparison::new(counts.to_vec(), None, expected);
        Self {
            twistable: compare(&counts.twistable, expected.map(|expected| &expected.twistable)),
            blocked: compare(&counts.blocked, expected.map(|expected| &expected.blocked)),
        }
    }

    fn differs(&self) -> bool {
        self.twistable.differs() || self.blocked.differs()
    }
}

impl WcaReport {
    fn new(table: &'static TwistTable, proof: &WcaProof, seconds: f64) -> Self {
        let told_apart = WcaComparison::new(&proof.told_apart, table.expected_wca());
        let [farthest_twistable, farthest] = proof.told_apart.farthest();
        Self {
            table: TableId::from(table as &'static dyn Definition),
            puzzle: table.puzzle(),
            metric: "wca",
            holds: proof.agrees && !told_apart.differs(),
            agrees: proof.agrees,
            farthest_twistable,
            farthest,
            told_apart,
            identified: WcaComparison::new(&proof.identified, None),
            to_last: proof.to_last.clone(),
            farthest_classes: proof.farthest.len(),
            farthest_positions: proof.farthest.iter().filter_map(hex::print_with_middle).collect(),
            seconds,
        }
    }
}

/// Bytes of memory that [`prove_wca`] needs, and bytes in which it needs no scratch file.
///
/// # Errors
/// [`Error::Usage`] for a table that is not of the Square-1 family.
pub fn wca_memory(table: TableId) -> Result<[u64; 2]> {
    let table = find_twists(table.name())?;
    Ok([tables::wca_least_memory(table), tables::wca_working_set(table)])
}

/// Counts every position as it lies, the middle layer included, by WCA's metric: a turn of the layers is one move, and a
/// twist is one. Needs no table that was built, and leaves nothing behind; stays within `memory` bytes, for which an
/// unnamed file in the folder `scratch` is used if need be.
///
/// # Errors
/// As [`wca_memory`]; [`Error::Memory`] if the memory does not suffice; [`Error::Io`] from the scratch file;
/// [`Error::Interrupted`].
pub fn prove_wca(table: TableId, memory: u64, scratch: &Path, kernel: Kernel, ctx: &Context) -> Result<WcaReport> {
    let table = find_twists(table.name())?;
    let started = Instant::now();
    let needed = tables::wca_least_memory(table);
    if memory < needed {
        return Err(Error::Memory(format!("the proof needs {needed} bytes of memory; the limit is {memory}")));
    }
    let proof = tables::prove_wca(table, memory, scratch, kernel, ctx)?;
    Ok(WcaReport::new(table, &proof, started.elapsed().as_secs_f64()))
}
