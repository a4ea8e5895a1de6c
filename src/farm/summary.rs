//! What records come to, added up.

use serde::{Deserialize, Serialize};

use super::record::{FarmFinding, FarmRecord};
use super::work::FarmWork;
use twistbase_store::add_levels;

/// The sum of records.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FarmSummary {
    /// Of cosets.
    Cosets(CosetSummary),
    /// Of positions.
    Answers(AnswerSummary),
    /// Of rows.
    Rows(RowSummary),
}

/// The sum of results about cosets.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CosetSummary {
    /// Cosets.
    pub cosets: u64,
    /// Cosets with every position reached.
    pub complete: u64,
    /// Cosets for which 20 moves were not proven to suffice, although that was the question.
    pub unreached: u64,
    /// Positions of all these cosets that were not reached.
    pub remaining: u64,
}

/// The sum of answers about positions.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AnswerSummary {
    /// Positions.
    pub positions: u64,
    /// Positions whose answer misses the request.
    pub incomplete: u64,
    /// How many are solved in 0, 1, 2, … moves.
    pub lengths: Vec<u64>,
}

/// The sum of recomputed rows.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RowSummary {
    /// Rows.
    pub rows: u64,
    /// Those that do not follow from their neighbours.
    pub faults: u64,
    /// Positions at each distance.
    pub positions: Vec<u64>,
}

impl FarmSummary {
    /// That of no record.
    pub(super) fn empty(work: &FarmWork) -> Self {
        match work {
            FarmWork::Cosets(_) => Self::Cosets(CosetSummary::default()),
            FarmWork::Solve(_) => Self::Answers(AnswerSummary::default()),
            FarmWork::Verify(_) => Self::Rows(RowSummary::default()),
        }
    }

    /// That of records of some work.
    pub(super) fn of(work: &FarmWork, records: &[FarmRecord]) -> Self {
        let mut summary = Self::empty(work);
        // A record of other work counts nowhere, so that the summary is not that of the records.
        records.iter().for_each(|record| summary.add(&record.into()));
        summary
    }

    /// Adds another of the same work.
    pub(super) fn add(&mut self, other: &Self) {
        match (self, other) {
            (Self::Cosets(sum), Self::Cosets(more)) => {
                sum.cosets += more.cosets;
                sum.complete += more.complete;
                sum.unreached += more.unreached;
                sum.remaining += more.remaining;
            }
            (Self::Answers(sum), Self::Answers(more)) => {
                sum.positions += more.positions;
                sum.incomplete += more.incomplete;
                add_levels(&mut sum.lengths, &more.lengths);
            }
            (Self::Rows(sum), Self::Rows(more)) => {
                sum.rows += more.rows;
                sum.faults += more.faults;
                add_levels(&mut sum.positions, &more.positions);
            }
            _ => {}
        }
    }

    /// The records that it is of.
    pub fn records(&self) -> u64 {
        match self {
            Self::Cosets(sum) => sum.cosets,
            Self::Answers(sum) => sum.positions,
            Self::Rows(sum) => sum.rows,
        }
    }
}

/// The summary of one record.
impl From<&FarmRecord> for FarmSummary {
    fn from(record: &FarmRecord) -> Self {
        match &record.found {
            FarmFinding::Coset(record) => Self::Cosets(CosetSummary {
                cosets: 1,
                complete: record.is_complete().into(),
                unreached: record.falls_short().into(),
                remaining: record.remaining,
            }),
            FarmFinding::Answer(record) => {
                let is_as_asked = record.complete || record.asked.limit == Some(record.solutions);
                let mut lengths = vec![0; record.length.map_or(0, |length| usize::from(length) + 1)];
                lengths.last_mut().into_iter().for_each(|count| *count = 1);
                Self::Answers(AnswerSummary { positions: 1, incomplete: (!is_as_asked).into(), lengths })
            }
            FarmFinding::Row(check) => {
                let faults = check.fault.is_some().into();
                Self::Rows(RowSummary { rows: 1, faults, positions: check.positions.clone() })
            }
        }
    }
}
