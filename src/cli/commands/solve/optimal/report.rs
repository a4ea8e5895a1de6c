//! What is printed of an answer.

use serde::{Deserialize, Serialize};
use twistbase::puzzle::cube3::notation::wca;
use twistbase::puzzle::cube3::{Metric, Move};

use super::{Outcome, Solver};
use crate::cli::positions::cube3::NAME;

/// A solution of the position asked for, as JSON.
#[derive(Debug, Serialize)]
pub struct SolutionReport<'a> {
    pub input: &'a str,
    pub puzzle: &'static str,
    pub length: usize,
    pub metric: &'static str,
    pub solution: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub goal: Option<&'a str>,
    pub method: &'static str,
    pub number: u64,
    pub seconds: f64,
}

/// What follows the solutions, as JSON.
#[derive(Debug, Serialize)]
pub struct Summary<'a> {
    pub input: &'a str,
    pub puzzle: &'static str,
    pub metric: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub goal: Option<&'a str>,
    pub method: &'static str,
    pub table: &'static str,
    pub length: Option<u8>,
    pub at_least: u8,
    pub solutions: u64,
    pub complete: bool,
    /// Solutions that are symmetric to each other are all listed.
    pub symmetric_copies: bool,
    pub nodes: u64,
    pub look_ups: Option<u64>,
    pub seconds: f64,
}

/// The answer to a line of standard input, as JSON and as a line of a result file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Record {
    pub number: u64,
    pub input: String,
    #[serde(flatten)]
    pub asked: Asked,
    pub table: String,
    pub length: Option<u8>,
    pub solution: Option<String>,
    pub at_least: u8,
    pub solutions: u64,
    /// All of them, where more than one was asked for.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub found: Option<Vec<String>>,
    pub complete: bool,
    pub nodes: u64,
    pub look_ups: u64,
    pub seconds: f64,
}

/// What was asked about each line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Asked {
    pub puzzle: String,
    pub metric: String,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub goal: Option<String>,
    pub method: String,
    /// `null` for one solution.
    pub extra: Option<u8>,
    pub limit: Option<u64>,
}

impl Solver {
    /// What is asked about each line.
    pub fn asked(&self) -> Asked {
        Asked {
            puzzle: NAME.to_owned(),
            metric: self.metric().name().to_owned(),
            goal: self.question.goal.clone(),
            method: "optimal".to_owned(),
            extra: self.options().extra(),
            limit: self.options().limit,
        }
    }

    /// The answer to a line.
    pub fn record(&self, number: u64, input: String, found: Vec<String>, outcome: &Outcome) -> Record {
        let answer = &outcome.answer;
        Record {
            number,
            input,
            asked: self.asked(),
            table: self.table().to_owned(),
            length: answer.length,
            solution: found.first().cloned(),
            at_least: answer.at_least,
            solutions: answer.solutions,
            found: self.options().extra().map(|_| found),
            complete: outcome.complete,
            nodes: answer.nodes,
            look_ups: answer.look_ups,
            seconds: outcome.seconds,
        }
    }
}

impl Record {
    /// Its lines for people, without what it comes short of: number, length, solution, nodes, seconds.
    pub fn rows(&self, metric: Metric) -> Vec<String> {
        let Self { number, nodes, seconds, .. } = self;
        let solutions: Vec<&str> = match &self.found {
            Some(found) => found.iter().map(String::as_str).collect(),
            None => self.solution.iter().map(String::as_str).collect(),
        };
        if solutions.is_empty() {
            return vec![format!("{number}\t-\t-\t{nodes}\t{seconds:.6}")];
        }
        let row = |moves: &str| format!("{number}\t{}\t{moves}\t{nodes}\t{seconds:.6}", length(moves, metric));
        solutions.into_iter().map(row).collect()
    }
}

/// The length of a solution as [`text`] writes it.
fn length(moves: &str, metric: Metric) -> usize {
    let cost = |turn: &str| if metric == Metric::Qtm && turn.ends_with('2') { 2 } else { 1 };
    moves.split_whitespace().map(cost).sum()
}

/// A solution in WCA notation: two equal quarter turns in succession, which the quarter-turn metric has, are a half turn.
pub fn text(moves: &[Move]) -> String {
    let mut merged: Vec<Move> = Vec::with_capacity(moves.len());
    for &turn in moves {
        match merged.last_mut() {
            Some(last) if *last == turn => *last = Move::new(turn.face(), 2),
            _ => merged.push(turn),
        }
    }
    wca::print(&merged)
}

#[cfg(test)]
mod tests {
    use super::*;
    use twistbase::puzzle::cube3::notation::parse_sequence;

    #[test]
    fn half_turns_are_two_quarter_turns() {
        let moves: Vec<Move> =
            ["U", "U", "R'", "F"].iter().flat_map(|turn| parse_sequence(turn).unwrap().moves().to_vec()).collect();
        assert_eq!(text(&moves), "U2 R' F");
        assert_eq!(
            (length("U2 R' F", Metric::Qtm), length("U2 R' F", Metric::Htm), length("", Metric::Htm)),
            (4, 3, 0)
        );
    }
}
