//! Metrics of all puzzles.

use std::fmt;

use serde::{Serialize, Serializer};

use super::named::Named;
use super::puzzle_info::PuzzleInfo;
use twistbase_core::error::{Error, Result};
use twistbase_puzzle::cube3::Metric;
use twistbase_tables::Counted;

/// The metric of a question. Each puzzle has some of these ([`PuzzleInfo::metrics`]).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum QuestionMetric {
    /// Half-turn metric: every turn of a face of a cube is one move.
    Htm,
    /// Quarter-turn metric: a half turn of a cube is two moves.
    Qtm,
    /// Twists `/` of the Square-1 family; turns of the layers between them are free.
    Twists,
    /// Rule 12c4 of the World Cube Association, for the Square-1 family: a turn of the layers is one move, a twist is one. The turns of
    /// the layers are part of a position, and the middle layer must be square at the end.
    Wca,
    /// Face turns, for the Square-1 family: a turn of one layer is one move, a twist is one. Positions and their goal are as in
    /// [`Wca`](Self::Wca). No table has this metric: only solvers use it ([`PuzzleInfo::solve_metrics`]).
    Face,
    /// Moves of a definition and their powers, for puzzles that are data: each is one.
    Moves,
}

impl QuestionMetric {
    /// Its name: `htm`, `qtm`, `twists`, `wca`, `face` or `moves`.
    pub fn name(self) -> &'static str {
        Self::NAMES.iter().find(|(_, metric)| *metric == self).map_or("", |(name, _)| name)
    }

    /// The metric for a cube called `puzzle`, if one was requested.
    ///
    /// # Errors
    /// [`Error::ForeignValue`] that lists the puzzle's metrics.
    pub(crate) fn of_cube(asked: Option<Self>, puzzle: &str) -> Result<Option<Metric>> {
        match asked {
            None => Ok(None),
            Some(Self::Htm) => Ok(Some(Metric::Htm)),
            Some(Self::Qtm) => Ok(Some(Metric::Qtm)),
            Some(foreign @ (Self::Twists | Self::Wca | Self::Face | Self::Moves)) => {
                Err(foreign.is_none_of(PuzzleInfo::of(puzzle)))
            }
        }
    }

    /// The error of a metric that a puzzle does not have.
    pub(super) fn is_none_of(self, info: &PuzzleInfo) -> Error {
        let PuzzleInfo { puzzle, title, metrics, solve_metrics, .. } = info;
        let (of, own) = (format!("the puzzle {puzzle} ({title})"), [*metrics, *solve_metrics].concat().join(", "));
        Error::ForeignValue { option: "metric", value: self.name(), of, own }
    }
}

impl Named for QuestionMetric {
    const WHAT: &'static str = "metric";
    const NAMES: &'static [(&'static str, Self)] = &[
        ("htm", Self::Htm),
        ("qtm", Self::Qtm),
        ("twists", Self::Twists),
        ("wca", Self::Wca),
        ("face", Self::Face),
        ("moves", Self::Moves),
    ];
}

impl From<Metric> for QuestionMetric {
    fn from(metric: Metric) -> Self {
        match metric {
            Metric::Htm => Self::Htm,
            Metric::Qtm => Self::Qtm,
        }
    }
}

impl Serialize for QuestionMetric {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

/// A lower bound of the distance in a metric.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BoundInMetric {
    /// The lower bound.
    pub at_least: u8,
    /// The metric.
    pub metric: QuestionMetric,
}

impl fmt::Display for BoundInMetric {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let at_least = usize::from(self.at_least);
        match self.metric {
            QuestionMetric::Twists => write!(f, "at least {}", Counted::Twists.count(at_least)),
            QuestionMetric::Moves => write!(f, "at least {}", Counted::Moves.count(at_least)),
            metric => write!(f, "at least {} ({})", Counted::Moves.count(at_least), metric.name()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Database, Question, SolveRequest};
    use twistbase_core::Context;
    use twistbase_core::Error;

    #[test]
    fn puzzles_have_the_metrics_that_they_say() {
        let database = Database::open("/nonexistent").unwrap();
        // Those without a table are all asked in the same way, and opening a search takes long.
        for info in Database::puzzle_infos().filter(|info| info.has_table || info.puzzle == "fto") {
            let (puzzle, ctx) = (database.puzzle(info.puzzle).unwrap(), Context::silent());
            for (name, metric) in QuestionMetric::NAMES {
                let question = Question { metric: Some(*metric), ..Question::default() };
                let request = SolveRequest { metric: Some(*metric), ..SolveRequest::default() };
                let asked = [puzzle.prepare(&question, &ctx).err(), puzzle.solver(&request, &ctx).err()];
                if !info.has_table && info.metrics.contains(name) {
                    assert!(asked.iter().all(Option::is_none), "{}: a search answers", info.puzzle);
                    continue;
                }
                let [asked, solved] = asked.map(|error| error.expect("there are no tables"));
                for error in [&asked, &solved] {
                    let is_refused = matches!(error, Error::ForeignValue { .. });
                    let is_one = info.metrics.contains(name) || info.solve_metrics.contains(name);
                    assert_eq!(is_refused, !is_one, "{} {name}: {error}", info.puzzle);
                    assert!(!is_refused || error.to_string().contains(info.title), "{error}");
                }
                // Metrics of solvers alone are rejected in questions for distances.
                let is_searched = info.solve_metrics.contains(name);
                assert_eq!(asked.to_string().contains("use solve"), is_searched, "{asked}");
                assert!(!solved.to_string().contains("use solve"), "{solved}");
            }
        }
    }
}
