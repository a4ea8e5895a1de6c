//! What is known about a position of the Rubik's cube, for people.

use std::cmp::Ordering;

use twistbase_core::error::Remedy;
use twistbase_database::{Cube3Answer, CubeDistances, CubeText, ExactReport, FaceTurnReport};
use twistbase_puzzle::cube3::Metric;
use twistbase_tables::{self as tables, Definition, TableMetric};

use crate::failure::command;
use crate::format::{self, grouped};

/// The answers about one position, without the end of the last line.
pub fn answers(answer: &Cube3Answer, is_searched: bool) -> String {
    let CubeText { facelets, reid } = CubeText::new(&answer.position);
    let mut lines = vec![format!("cube3 position {facelets}"), format!("  Reid       {reid}")];
    lines.extend(distances(answer, is_searched));
    if let Some(moves) = &answer.moves {
        lines.extend(next_moves(&answer.distances, moves, format::width()));
    }
    lines.join("\n")
}

/// How far a position is by all moves of the cube, in lines.
fn exact(report: &ExactReport, metric: Metric, is_searched: bool) -> Vec<String> {
    let ExactReport { distance, at_least, solution, nearer, .. } = report;
    let Some(distance) = distance else {
        let bound = count(*at_least, metric);
        let advice = if is_searched { "" } else { "; --exact searches on" };
        return vec![format!("  exact      at least {bound}, by all moves: a bound{advice}")];
    };
    let mut lines = vec![format!("  exact      {}, by all moves", count(*distance, metric))];
    lines.extend(solution.iter().filter(|solution| !solution.is_empty()).map(|moves| format!("  solution   {moves}")));
    lines.extend(nearer.iter().filter(|moves| !moves.is_empty()).flat_map(|moves| {
        let moves: Vec<String> = moves.iter().map(ToString::to_string).collect();
        format::wrapped("  nearer by ", &moves, format::width())
    }));
    lines
}

/// A line for each thing that is known, or could be.
fn distances(answer: &Cube3Answer, is_searched: bool) -> Vec<String> {
    let CubeDistances { distance, to_h, bound, huge, pruning, beyond } = answer.distances;
    let metric = answer.metric;
    let more = |depth: u8, name: &str| {
        let command = command(&Remedy::build(name));
        format!("more than {}, to which {name} was built; {command} goes on", count(depth, metric))
    };
    let in_h_table = |exact| tables::phase_two(metric, exact).layout().name;
    let in_h = if answer.h_position.is_some() { "yes" } else { "no" };
    let mut lines = vec![format!("  in H       {in_h}")];
    lines.extend(to_h.map(|moves| format!("  to H       {}", count(moves, metric))));
    lines.extend(
        beyond.to_h.map(|depth| format!("  to H       {}", more(depth, tables::phase_one(metric).layout().name))),
    );
    lines.extend(huge.map(|moves| format!("  huge       at least {} to solved", count(moves, metric))));
    lines.extend(pruning.map(|moves| format!("  bound      at least {} to solved", count(moves, metric))));
    if answer.h_position.is_some() && pruning.is_none() {
        lines.extend(match (distance, beyond.distance) {
            (Some(moves), _) => Some(format!("  distance   {}, by moves of H", count(moves, metric))),
            (None, Some(depth)) => Some(format!("  distance   {}", more(depth, in_h_table(true)))),
            // What was not asked may know it.
            (None, None) => answer.only.is_none().then(|| format!("  distance   not known: {}", remedy(metric))),
        });
        lines.extend(bound.map(|moves| format!("  bound      at least {}, by moves of H", count(moves, metric))));
        lines.extend(beyond.bound.map(|depth| format!("  bound      {}", more(depth, in_h_table(false)))));
    }
    lines.extend(answer.exact.iter().flat_map(|report| exact(report, metric, is_searched)));
    lines.extend(answer.solutions.map(|number| format!("  solutions  {} shortest, by moves of H", grouped(number))));
    lines
}

fn count(moves: u8, metric: Metric) -> String {
    TableMetric::FaceTurns(metric).count(moves.into())
}

/// Which table tells exact distances in H.
fn remedy(metric: Metric) -> String {
    let name = tables::phase_two(metric, true).layout().name;
    format!("only {name} tells it; to build it, run: twistbase build {name}")
}

/// A number of moves; or, after `true`, what it is more than.
type Number = (u8, bool);

/// A way of counting that moves are sorted by.
type Aspect = (&'static str, fn(&CubeDistances) -> Option<Number>);

const TO_H: Aspect =
    ("by the moves that are then left to H", |distances| either(distances.to_h, distances.beyond.to_h));
const HUGE: Aspect = ("by what huge then tells", |distances| either(distances.huge, None));
const PRUNING: Aspect = ("by the bound that it leads to", |distances| either(distances.pruning, None));
const IN_H: Aspect =
    ("of H, by the distance that it leads to", |distances| either(distances.distance, distances.beyond.distance));
const BOUND: Aspect =
    ("of H, by the bound that it leads to", |distances| either(distances.bound, distances.beyond.bound));

fn either(moves: Option<u8>, beyond: Option<u8>) -> Option<Number> {
    moves.map(|moves| (moves, false)).or(beyond.map(|depth| (depth, true)))
}

/// The next moves, in each way of counting that is known here. Beside exact distances the bound tells nothing.
fn next_moves(before: &CubeDistances, moves: &[FaceTurnReport], width: usize) -> Vec<String> {
    let in_h = if before.distance.is_some() { IN_H } else { BOUND };
    let is_told = |(_, aspect): &Aspect| aspect(before).is_some_and(|(_, is_more)| !is_more);
    let aspects = [TO_H, HUGE, PRUNING, in_h].into_iter().filter(is_told);
    aspects.flat_map(|aspect| groups(&aspect, before, moves, width)).collect()
}

/// The next moves by the number that they lead to, in lines of at most `width`.
fn groups((title, aspect): &Aspect, before: &CubeDistances, moves: &[FaceTurnReport], width: usize) -> Vec<String> {
    let mut reached: Vec<Number> = moves.iter().filter_map(|report| aspect(&report.distances)).collect();
    reached.sort_unstable();
    reached.dedup();
    let mut lines = vec![String::new(), format!("next move {title}")];
    for number in reached {
        let same = moves.iter().filter(|report| aspect(&report.distances) == Some(number));
        let turns: Vec<String> = same.map(|report| report.r#move.to_string()).collect();
        // Bounds of two positions do not tell which is nearer.
        let word = if before.pruning.is_some() { "" } else { compared(number, aspect(before)) };
        let shown = format!("{}{}", if number.1 { ">" } else { "" }, number.0);
        let label = format!("  {shown:>2} {word:<7} {:>3} ", format!("{}:", turns.len()));
        lines.extend(format::wrapped(&label, &turns, width));
    }
    lines
}

/// How a number of moves compares with the one before.
fn compared(number: Number, before: Option<Number>) -> &'static str {
    match Some(number).cmp(&before) {
        Ordering::Less => "nearer",
        Ordering::Equal => "as far",
        Ordering::Greater => "farther",
    }
}
