//! Answers about the Rubik's cube, for people: the distance first, then the facts about H.

use twistbase_core::error::Remedy;
use twistbase_database::{Cube3Answer, CubeDistances, CubeText, FaceTurnReport, FromSolved};
use twistbase_puzzle::cube3::Metric;
use twistbase_tables::{self as tables, Definition, TableMetric};

use super::next_moves::{Group, next_moves};
use crate::failure::command;
use crate::format::{self, grouped};

/// What H is.
const H: &str = "H = <U, D, R2, F2, L2, B2>: solvable by these moves alone";

/// The answer about one position, without the end of the last line.
pub fn answers(answer: &Cube3Answer, is_searched: bool) -> String {
    let CubeText { facelets, reid } = CubeText::new(&answer.position);
    let mut lines = vec![format!("cube3 position {facelets}")];
    match answer.only {
        // The question is what this table holds.
        Some(_) if answer.search.is_none() => {}
        _ => lines.extend(from_solved(answer, is_searched)),
    }
    lines.push(format!("  Reid       {reid}"));
    let is_exact = answer.search.as_ref().is_some_and(|search| search.nearer.is_some());
    if is_exact {
        lines.extend(by_distance(answer));
    }
    lines.extend(bounds(answer));
    lines.extend(about_h(answer));
    if !is_exact {
        lines.extend(by_h(answer));
    }
    lines.join("\n")
}

fn count(moves: u8, metric: Metric) -> String {
    TableMetric::FaceTurns(metric).count(moves.into())
}

/// How far the position is by all moves of the cube, and a shortest solution.
fn from_solved(answer: &Cube3Answer, is_searched: bool) -> Vec<String> {
    let FromSolved { distance, at_least } = answer.from_solved;
    let Some(distance) = distance else {
        let advice = if is_searched { "" } else { "; to search on, add --exact" };
        return vec![format!("  distance   at least {}{advice}", count(at_least, answer.metric))];
    };
    let search = answer.search.as_ref();
    let solution = search.and_then(|search| search.solution.as_ref()).filter(|solution| !solution.is_empty());
    let solutions = search.and_then(|search| search.solutions).filter(|_| distance > 0);
    let mut lines = vec![format!("  distance   {}", count(distance, answer.metric))];
    lines.extend(solution.map(|moves| format!("  solution   {moves}")));
    lines.extend(solutions.map(|number| format!("  solutions  {} shortest", grouped(number))));
    lines
}

/// The next moves by the distance that they lead to.
fn by_distance(answer: &Cube3Answer) -> Vec<String> {
    let group = |next: &FaceTurnReport| Some(Group::of(next.from_solved));
    let title = "next moves, by the distance they lead to";
    grouped_moves(title, answer, Some(Group::of(answer.from_solved)), group)
}

fn grouped_moves(
    title: &str,
    answer: &Cube3Answer,
    before: Option<Group>,
    group: impl Fn(&FaceTurnReport) -> Option<Group>,
) -> Vec<String> {
    let moves = answer.moves.iter().flatten();
    let moves = moves.filter_map(|next| Some((group(next)?, next.r#move.to_string()))).collect();
    next_moves(title, before, moves, format::width())
}

/// Lower bounds of the distance that tables hold.
fn bounds(answer: &Cube3Answer) -> Vec<String> {
    type Bound = fn(&CubeDistances) -> Option<u8>;
    let kinds: [(&str, Bound); 2] = [("huge", |it| it.huge), ("bound", |it| it.pruning)];
    let mut lines = Vec::new();
    for (name, bound) in kinds {
        let Some(moves) = bound(&answer.distances) else { continue };
        lines.push(String::new());
        lines.push(format!("  {name:<10} at least {} to solved", count(moves, answer.metric)));
        let group = |next: &FaceTurnReport| bound(&next.distances).map(Group::number);
        // Two lower bounds do not show which position is nearer.
        lines.extend(grouped_moves("next moves, by the bound they lead to", answer, None, group));
    }
    lines
}

/// The distance to H, and inside H.
fn about_h(answer: &Cube3Answer) -> Vec<String> {
    let &CubeDistances { to_h, distance_in_h, bound_in_h, beyond, .. } = &answer.distances;
    let (metric, is_in_h) = (answer.metric, answer.h_position.is_some());
    let more = |depth: u8, name: &str| {
        let command = command(&Remedy::build(name));
        format!("more than {} ({name} was built to that depth; {command} extends it)", count(depth, metric))
    };
    let in_h_table = |exact| tables::phase_two(metric, exact).layout().name;
    let mut lines = Vec::new();
    lines.extend(to_h.map(|moves| format!("  to H       {}", count(moves, metric))));
    lines.extend(
        beyond.to_h.map(|depth| format!("  to H       {}", more(depth, tables::phase_one(metric).layout().name))),
    );
    if is_in_h && answer.distances.pruning.is_none() {
        lines.extend(match (distance_in_h, beyond.distance_in_h) {
            (Some(moves), _) => Some(format!("  inside H   {}", count(moves, metric))),
            (None, Some(depth)) => Some(format!("  inside H   {}", more(depth, in_h_table(true)))),
            // A table that was not asked may hold it.
            (None, None) => answer.only.is_none().then(|| format!("  inside H   not known: {}", remedy(metric))),
        });
        let solutions = answer.solutions_in_h;
        lines.extend(solutions.map(|number| format!("  solutions  {} shortest inside H", grouped(number))));
        if distance_in_h.is_none() {
            lines.extend(bound_in_h.map(|moves| format!("  inside H   at least {}", count(moves, metric))));
        }
        lines.extend(beyond.bound_in_h.map(|depth| format!("  inside H   {}", more(depth, in_h_table(false)))));
    }
    if lines.is_empty() {
        return lines;
    }
    let heading = if is_in_h { "the position is in H" } else { "the position is outside H" };
    lines.splice(0..0, [String::new(), format!("{heading}; {H}")]);
    lines
}

/// The next moves by their effect on the distance to H or inside H.
fn by_h(answer: &Cube3Answer) -> Vec<String> {
    type Aspect = fn(&CubeDistances) -> Option<Group>;
    let to_h: Aspect = |it| Group::number_or_more(it.to_h, it.beyond.to_h);
    let distance: Aspect = |it| Group::number_or_more(it.distance_in_h, it.beyond.distance_in_h);
    let bound: Aspect = |it| Group::number_or_more(it.bound_in_h, it.beyond.bound_in_h);
    let inside = match answer.distances.distance_in_h {
        Some(_) => ("next moves of H, by the distance inside H they lead to", distance),
        None => ("next moves of H, by the bound inside H they lead to", bound),
    };
    let outside = ("next moves, by the moves left to H", to_h);
    let is_known = |(_, aspect): &(&str, Aspect)| aspect(&answer.distances).is_some_and(Group::is_exact);
    let aspects = [outside, inside].into_iter().filter(is_known);
    aspects
        .flat_map(|(title, aspect)| grouped_moves(title, answer, aspect(&answer.distances), |it| aspect(&it.distances)))
        .collect()
}

/// The table that holds exact distances in H.
fn remedy(metric: Metric) -> String {
    let name = tables::phase_two(metric, true).layout().name;
    format!("to build {name}, which holds it, run: twistbase build {name}")
}
