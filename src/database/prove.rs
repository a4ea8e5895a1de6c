//! Exhaustive searches: the theorem about the middle layer and WCA's metric, of the Square-1 family; the cube in three colours.

use std::path::Path;
use std::time::Instant;

use serde::Serialize;

use super::TableId;
use super::position::PuzzlePosition;
use twistbase_core::context::Context;
use twistbase_core::error::{Error, Result};
use twistbase_levelset::Kernel;
use twistbase_puzzle::cube3::notation::facelets;
use twistbase_puzzle::cube3::{Cube, Metric};
use twistbase_puzzle::square1::notation::hex;
use twistbase_tables::{
    self as tables, Definition, Distribution, KnownWcaCounts, ParityProof, TableMetric, ThreeColourCounts,
    ThreeColourOptions, TwistTable, WcaCounts, WcaProof, find_twists, known_three_colours,
};

/// The result of an exhaustive search about the middle layer: `schema/json/prove.json`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ParityReport {
    /// The table with the searched positions.
    pub table: TableId,
    /// Their puzzle.
    pub puzzle: &'static str,
    /// The metric of the distances.
    pub metric: &'static str,
    /// Whether the theorem holds and every comparison is equal.
    pub holds: bool,
    /// Whether every pair was reached and only the solved position is an exception.
    pub theorem: bool,
    /// Pairs (position, middle layer) at each distance, the turned-over puzzle identified.
    pub pairs: CountComparison,
    /// Of these, pairs that are more than one twist farther than their position with the other middle layer.
    pub exceptions: Vec<u64>,
    /// Unreached pairs (entry, middle layer).
    pub unreached: u64,
    /// The same pairs with the turned-over puzzle counted as different, if published counts do so.
    pub not_identified: Option<CountComparison>,
    /// Seconds.
    pub seconds: f64,
}

/// Counts by distance, and the expected counts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CountComparison {
    /// The counts at distance 0, 1, 2, …
    pub counts: Vec<u64>,
    /// Their sum.
    pub total: u64,
    /// The expected counts, if known.
    pub expected: Option<&'static [u64]>,
    /// Their source.
    pub source: Option<&'static str>,
    /// Whether they are equal; `None` without expected counts.
    pub equal: Option<bool>,
}

impl CountComparison {
    /// Counts up to a depth, or all, with the expected counts.
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
        let pairs = CountComparison::new(proof.pairs.clone(), None, table.with_middle.as_ref());
        let published = table.not_identified.as_ref();
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

/// Searches all pairs of a position and a parity of the number of twists, within `memory` bytes. Needs no table and stores nothing.
///
/// The theorem: a solution of the other parity than the shortest one takes exactly one twist more. The only exception is the solved
/// position: its other middle layer takes 3 twists.
///
/// # Errors
/// [`Error::Usage`] for a table that is not of the Square-1 family; [`Error::Memory`] if the memory does not suffice;
/// [`Error::Interrupted`].
pub fn prove_parity(table: TableId, memory: u64, kernel: Kernel, ctx: &Context) -> Result<ParityReport> {
    let table = find_twists(table.name())?;
    let started = Instant::now();
    let proof = table.prove_parity(kernel, memory, ctx)?;
    Ok(ParityReport::new(table, &proof, started.elapsed().as_secs_f64()))
}

/// Every position by WCA's metric: `schema/json/prove-wca.json`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct WcaReport {
    /// The table with the counted positions.
    pub table: TableId,
    /// Their puzzle.
    pub puzzle: &'static str,
    /// The metric of the distances: `wca`.
    pub metric: &'static str,
    /// Whether the two searches agree and every comparison is equal.
    pub holds: bool,
    /// Whether a plain search near solved finds the same counts as the full search.
    pub agrees: bool,
    /// God's number: the largest distance of a position that can be twisted without a turn first.
    pub farthest_twistable: usize,
    /// The largest distance of any position, including those that must be turned before a twist.
    pub farthest: usize,
    /// All positions with the turns of their layers, the turned-over puzzle counted as different.
    pub told_apart: WcaComparison,
    /// The turned-over puzzle identified.
    pub identified: WcaComparison,
    /// Positions (the middle layer ignored, up to turns and turning over) at each distance in twists from the position
    /// one twist from solved.
    pub to_last: Vec<u64>,
    /// The number of the farthest positions, counted as in [`WcaProof::farthest`].
    pub farthest_classes: usize,
    /// These positions in hexadecimal digits, with their middle layer.
    #[serde(skip)]
    pub farthest_positions: Vec<String>,
    /// Seconds.
    pub seconds: f64,
}

/// Positions with the turns of their layers, by distance, with the expected counts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct WcaComparison {
    /// Positions that can be twisted without a turn first.
    pub twistable: CountComparison,
    /// Positions that must be turned before a twist.
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
        let told_apart = WcaComparison::new(&proof.told_apart, table.wca.as_ref());
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

/// Bytes of memory that [`prove_wca`] needs: with a scratch file, and without.
///
/// # Errors
/// [`Error::Usage`] for a table that is not of the Square-1 family.
pub fn wca_memory(table: TableId) -> Result<[u64; 2]> {
    let table = find_twists(table.name())?;
    Ok([tables::wca_least_memory(table), tables::wca_working_set(table)])
}

/// Counts all positions, with the turns of their layers and the middle layer, by WCA's metric: a turn of the layers is one move, a
/// twist is one. Needs no table and stores nothing. Stays within `memory` bytes; if needed, it uses an unnamed file in the folder
/// `scratch`.
///
/// # Errors
/// As [`wca_memory`]; [`Error::Memory`] if there is too little memory; [`Error::Io`] from the scratch file;
/// [`Error::Interrupted`].
pub fn prove_wca(table: TableId, memory: u64, scratch: &Path, kernel: Kernel, ctx: &Context) -> Result<WcaReport> {
    let table = find_twists(table.name())?;
    let started = Instant::now();
    Error::check_memory(memory, tables::wca_least_memory(table))?;
    let proof = tables::prove_wca(table, memory, scratch, kernel, ctx)?;
    Ok(WcaReport::new(table, &proof, started.elapsed().as_secs_f64()))
}

/// The name of the cube in three colours.
pub const THREE_COLOURS: &str = "cube3-colours";

/// How the positions of the cube in three colours are counted.
#[derive(Debug, Clone)]
pub struct ColoursRequest<'a> {
    /// How moves are counted.
    pub metric: Metric,
    /// Bytes of memory to stay within: half a gigabyte at least, and more with many threads.
    pub memory: u64,
    /// The folder of the working files, up to 60 GB. They stay there. A count that was stopped continues after the last complete
    /// distance.
    pub folder: &'a Path,
    /// The last distance to count; all if there is none.
    pub depth: Option<u8>,
    /// Positions of the Rubik's cube whose distance in three colours is wanted: text and position. A count continues only with the
    /// same ones.
    pub probes: &'a [(String, PuzzlePosition)],
}

/// The positions of the cube in three colours by distance: `schema/json/prove-colours.json`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ColoursReport {
    /// `cube3-colours`.
    pub puzzle: &'static str,
    /// The metric of the distances.
    pub metric: &'static str,
    /// Whether the counts near solved are those of a plain search, the totals are right, and every comparison is equal.
    pub holds: bool,
    /// Whether all positions are counted.
    pub complete: bool,
    /// The largest distance counted: God's number, if all positions are.
    pub farthest: usize,
    /// Positions at each distance.
    pub positions: CountComparison,
    /// Positions up to symmetry at each distance.
    pub classes: CountComparison,
    /// The number of classes at the largest distance whose positions are known; `None` if there are too many to list.
    pub farthest_classes: Option<usize>,
    /// A position of each, as facelets of a Rubik's cube that looks like it.
    #[serde(skip)]
    pub farthest_positions: Vec<String>,
    /// The distances of the requested positions.
    pub probes: Vec<ColoursProbe>,
    /// Seconds of this run.
    pub seconds: f64,
}

/// The distance of a position in three colours.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ColoursProbe {
    /// The position as it was given.
    pub input: String,
    /// Its distance; `None` beyond the last distance counted.
    pub distance: Option<u8>,
}

impl ColoursReport {
    fn new(request: &ColoursRequest<'_>, counts: &ThreeColourCounts, seconds: f64) -> Self {
        let [known_positions, known_classes] = known_three_colours(request.metric);
        let depth = (!counts.is_complete).then(|| counts.positions.len() as u8 - 1);
        let compare = |counts: &[u64], known| CountComparison::new(counts.to_vec(), depth, Some(known));
        let positions = compare(&counts.positions, &known_positions);
        let classes = compare(&counts.classes, &known_classes);
        let farthest = counts.farthest.as_ref();
        let probes = request.probes.iter().zip(&counts.probes);
        Self {
            puzzle: THREE_COLOURS,
            metric: TableMetric::FaceTurns(request.metric).name(),
            holds: counts.agrees && !positions.differs() && !classes.differs(),
            complete: counts.is_complete,
            farthest: counts.positions.len() - 1,
            positions,
            classes,
            farthest_classes: farthest.map(Vec::len),
            farthest_positions: farthest.into_iter().flatten().map(facelets::print).collect(),
            probes: probes.map(|((input, _), &distance)| ColoursProbe { input: input.clone(), distance }).collect(),
            seconds,
        }
    }
}

/// Counts all positions of the cube in three colours, one for each two faces that are opposite, by the moves until every face shows
/// its own two colours only. `ended` gets each distance with its positions.
///
/// # Errors
/// [`Error::Memory`] if there is too little memory; [`Error::Io`] from the files; [`Error::Busy`] if another count uses them;
/// [`Error::Usage`] if they are of another request, or a position is of another puzzle; [`Error::Interrupted`].
pub fn prove_three_colours(
    request: &ColoursRequest<'_>,
    ctx: &Context,
    ended: &mut (dyn FnMut(usize, u64) + Send),
) -> Result<ColoursReport> {
    let started = Instant::now();
    let probes: Vec<Cube> =
        request.probes.iter().map(|(_, position)| position.of_cube3().copied()).collect::<Result<_>>()?;
    let ColoursRequest { metric, memory, folder, depth, .. } = *request;
    let options = ThreeColourOptions { metric, memory, folder, depth, probes: &probes };
    let counts = tables::count_three_colours(&options, ctx, ended)?;
    Ok(ColoursReport::new(request, &counts, started.elapsed().as_secs_f64()))
}
