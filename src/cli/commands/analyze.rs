//! `analyze`: the numbers of a scramble that people who solve for fewest moves want.

use std::time::Duration;

use twistbase_core::error::Error;
use twistbase_database::cube3::CUBE3;
use twistbase_database::lines::Portion;
use twistbase_database::{
    AnalysisRequest, BoundInMetric, BySide, CubeAnalysis, NormalizedPosition, OnShortfall, Puzzle, QuestionMetric,
    SearchBudget, Shortfall, column,
};

use crate::arguments::duration;
use crate::environment::Environment;
use crate::failure::Failure;
use crate::format::{self, Align};
use crate::output::json_line;
use crate::positions::Target;
use crate::{batch, positions};

const EXAMPLES: &str = "\
Examples:
  twistbase analyze cube3 \"R' U' F D2 L2 F R2 U2 R2 B D2 L B2 D' B2 L' R' B U2 R' U' F\"
  twistbase analyze cube3 \"R U F2 D L2 B' R\" --optimal --time 10s
  twistbase random cube3 --scramble -n 3 --seed 7 | twistbase analyze cube3 -

Output:
  Distances to goals in moves (htm), from every side; - where the moves of the goal do
  not lead to it. A column names the axis, the face or the corner. The row 'inverse' is
  that of the inverse, for solutions that switch to it (NISS). Bad edges need quarter
  turns of the axis. Bad corners have no sticker of the axis on it. The inverse has as
  many of both.
    row          goal         reached when
    eo           eo           edges are oriented: they need no quarter turns of the axis
    dr           dr           domino reduction is reached, by all moves
    dr from eo   dr-from-eo   the same, from edges oriented along another axis
    htr from dr  htr-from-dr  half-turn reduction is reached, from domino reduction
    finish       half-turns   the cube is solved, by half turns
    co           co           corners are oriented for the axis
    cross        cross        the cross on the face is solved
    1x2x3 block  roux-block   the nearest block on the face is solved
    2x2x2 block  block-222    the block at the corner is solved
  query --goal GOAL:SIDE, like roux-block:L, shows the solutions of each number.
  For a line of standard input: the input, and for each goal the least number from any
  side, of the position or its inverse. --json has all numbers.";

/// Show the distances of a scramble to the goals of fewest-moves solvers
#[derive(Debug, clap::Args)]
#[command(after_long_help = format!("{EXAMPLES}\n\n{}", positions::cube3::POSITIONS))]
pub struct Args {
    #[command(flatten)]
    target: Target,

    /// Search for a shortest solution, too, until --time or --max-nodes
    #[arg(long)]
    optimal: bool,

    /// Stop the search after this time, like 500ms, 2s or 1m (each position)
    #[arg(long, value_name = "DURATION", value_parser = duration, requires = "optimal")]
    time: Option<Duration>,

    /// Stop the search after N nodes, or a few thousand more (each position)
    #[arg(long, value_name = "N", requires = "optimal")]
    max_nodes: Option<u64>,
}

pub fn run(args: Args, env: &Environment) -> Result<(), Failure> {
    let Args { target, optimal, time, max_nodes } = args;
    if target.puzzle != CUBE3 {
        return Err(Error::Usage(format!("analyze is for {CUBE3}, not for {}", target.puzzle)).into());
    }
    let budget = SearchBudget { time, nodes: max_nodes };
    let request = AnalysisRequest { optimal: optimal.then_some(budget), many: target.is_batch() };
    let (ctx, cube) = (env.context(), target.cache.database(env)?.cube3());
    let (mut output, json) = (env.output(), env.json());
    if target.is_batch() {
        let analyzer = cube.analyzer(request, &ctx)?;
        let answer = |text: &mut Vec<u8>, inputs: &[&str], short: OnShortfall<'_>| {
            for input in inputs {
                match cube.read(input).and_then(|position| analyzer.analyze(&position, input, &ctx)) {
                    Ok(analysis) => {
                        text.extend(if json { json_line(&analysis) } else { line(&analysis) }.bytes());
                        if let Some(bound) = only_bound(&analysis) {
                            short(text, input, Ok(bound));
                        }
                    }
                    Err(error) => short(text, input, Err(error)),
                }
            }
        };
        let portion = if optimal { Portion::LONG_ANSWERS } else { Portion::SHORT_ANSWERS };
        batch::run(column, portion, &ctx, json, target.noted(env), &mut output, &answer)?;
        return output.finish();
    }
    let NormalizedPosition { position, text, .. } = positions::read(&cube, &target.position, target.normalize, env)?;
    let analysis = cube.analyzer(request, &ctx)?.analyze(&position, &text, &ctx)?;
    output.bytes(if json { json_line(&analysis) } else { whole(&analysis) }.as_bytes())?;
    output.finish()?;
    match only_bound(&analysis) {
        Some(bound) if ctx.is_cancelled() => Err(Failure::Interrupted(bound.to_string())),
        Some(bound) => Err(Failure::Unreached(Shortfall::NoDistance { bound }.to_string())),
        None => Ok(()),
    }
}

/// The bound that a search ended with.
fn only_bound(analysis: &CubeAnalysis) -> Option<BoundInMetric> {
    let from_solved = analysis.optimal.as_ref()?.from_solved;
    let bound = BoundInMetric { at_least: from_solved.at_least, metric: QuestionMetric::Htm };
    from_solved.distance.is_none().then_some(bound)
}

/// The name of a goal for people.
fn title(goal: &str) -> &str {
    match goal {
        "dr-from-eo" => "dr from eo",
        "htr-from-dr" => "htr from dr",
        "half-turns" => "finish",
        "roux-block" => "1x2x3 block",
        "block-222" => "2x2x2 block",
        other => other,
    }
}

/// The shortest solution, or the bound.
fn optimal(analysis: &CubeAnalysis) -> Option<String> {
    let found = analysis.optimal.as_ref()?;
    Some(match (&found.solution, found.from_solved.distance) {
        (Some(solution), Some(distance)) => format!("{distance}  {solution}").trim_end().to_owned(),
        _ => format!(">={}", found.from_solved.at_least),
    })
}

/// A position as a line.
fn line(analysis: &CubeAnalysis) -> String {
    let CubeAnalysis { input, goals, .. } = analysis;
    let goals = goals.iter().filter_map(|goal| Some(format!("\t{} {}", title(goal.goal), goal.least()?)));
    let optimal = optimal(analysis).map_or_else(String::new, |optimal| format!("\toptimal {optimal}"));
    format!("{}{}{optimal}\n", column(input), goals.collect::<String>())
}

/// A row of a table: a title, and a number for each side.
fn row<T>(title: &str, numbers: &BySide<T>, number: impl Fn(&T) -> String) -> Vec<String> {
    std::iter::once(title.to_owned()).chain(numbers.0.iter().map(|(_, value)| number(value))).collect()
}

/// A position as tables: a column for each side.
fn whole(analysis: &CubeAnalysis) -> String {
    let count = |count: &usize| count.to_string();
    let distance = |distance: &Option<u8>| distance.map_or_else(|| "-".to_owned(), |distance| distance.to_string());
    // Goals of the same sides are in one table, below what is counted for them.
    let mut tables: Vec<(Vec<&str>, Vec<Vec<String>>)> = Vec::new();
    let counted = [("bad edges", &analysis.bad_edges), ("bad corners", &analysis.bad_corners)];
    let counted = counted.into_iter().map(|(title, numbers)| (sides(numbers), vec![row(title, numbers, count)]));
    let goals = analysis.goals.iter().filter_map(|goal| {
        goal.least()?;
        // The inverse of a position at a goal is at it.
        let rows = [(title(goal.goal), &goal.normal), ("  inverse", &goal.inverse)];
        Some((sides(&goal.normal), rows.map(|(title, numbers)| row(title, numbers, distance)).into()))
    });
    for (sides, rows) in counted.chain(goals) {
        match tables.iter_mut().find(|(known, _)| *known == sides) {
            Some((_, all)) => all.extend(rows),
            None => tables.push((sides, rows)),
        }
    }
    let tables = tables.iter().map(|(sides, rows)| {
        // Titles are as wide in all tables.
        let columns: Vec<_> = std::iter::once("           ").chain(sides.iter().copied()).collect();
        let columns: Vec<_> = columns
            .iter()
            .enumerate()
            .map(|(at, name)| (*name, if at == 0 { Align::Left } else { Align::Right }))
            .collect();
        let mut table = format::table(&columns);
        table.add_rows(rows);
        table.trim_fmt()
    });
    let mut texts: Vec<String> = tables.collect();
    texts.extend(optimal(analysis).map(|optimal| format!("optimal  {optimal}")));
    texts.join("\n\n") + "\n"
}

/// The names of sides.
fn sides<T>(numbers: &BySide<T>) -> Vec<&str> {
    numbers.0.iter().map(|(side, _)| side.as_str()).collect()
}
