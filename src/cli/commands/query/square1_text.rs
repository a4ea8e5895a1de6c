//! What is known about a position of the Square-1 family, for people.

use std::cmp::Ordering;

use twistbase::cache::CachedTable;
use twistbase::query::{GivenPosition, MiddleGoal, SolutionCounts, Square1Table, TwistOutcome};
use twistbase::tables::Definition;

use super::square1::Known;
use crate::cli::format::{self, grouped};
use crate::cli::positions::square1::{Options, Written, middle_name};

/// The answers about one position, without the end of the last line.
pub fn answers(options: Options, table: &Square1Table<CachedTable>, answers: &Known) -> String {
    let GivenPosition { position, middle_given } = answers.given;
    let Written { hex, jaap } = Written::new(&answers.given);
    let shape = position.shape();
    let mut lines = vec![
        format!("{} position {hex}", table.definition().puzzle()),
        format!("  Jaap       {jaap}"),
        format!("  shape      {} (number {})", shape.name(), shape.id()),
        format!("  index      {}", table.index(&position)),
    ];
    match (options.goal(), middle_given) {
        (_, true) => lines.push(format!("  middle     {}", middle_name(position.middle()))),
        (MiddleGoal::Square, false) => lines.push("  middle     taken for square: the input does not tell".to_owned()),
        (MiddleGoal::Ignored, false) => {}
    }
    lines
        .push(format!("  distance   {}", distance(options.goal(), answers.distance, table.definition().first_level())));
    lines.extend(answers.counts.as_ref().map(|counts| format!("  solutions  {}", solutions(counts))));
    if let Some(moves) = &answers.moves {
        lines.push(String::new());
        lines.extend(next_twists(options, answers.distance, moves, format::width()));
    }
    lines.join("\n")
}

fn distance(goal: MiddleGoal, distance: u8, first_level: u8) -> String {
    let twists = if distance == 1 { "twist" } else { "twists" };
    let level = if first_level > 0 { format!(" (level {})", distance + first_level) } else { String::new() };
    let goal = match goal {
        MiddleGoal::Ignored => "the middle layer ignored",
        MiddleGoal::Square => "the middle layer square at the end",
    };
    format!("{distance} {twists}{level}, {goal}")
}

fn solutions(&SolutionCounts { alignments, sequences, paths }: &SolutionCounts) -> String {
    let number = |count: u128| u64::try_from(count).map_or_else(|_| count.to_string(), grouped);
    format!(
        "{} shortest ({} with turns by (x,y) and (x+6,y+6) told apart; {} if only the positions passed count)",
        number(alignments),
        number(sequences),
        number(paths)
    )
}

/// The next twists, by the distance that they lead to: each as the turn before it, in lines of at most `width`.
fn next_twists(options: Options, distance: u8, moves: &[TwistOutcome], width: usize) -> Vec<String> {
    let mut reached: Vec<u8> = moves.iter().map(|outcome| outcome.distance.twists()).collect();
    reached.sort_unstable();
    reached.dedup();
    let title = options.notation().title();
    let mut lines = vec![format!("next twist: the turn before it ({title}), by the distance that it leads to")];
    for twists in reached {
        let same = moves.iter().filter(|outcome| outcome.distance.twists() == twists);
        let turns: Vec<String> = same.map(|outcome| options.write_turn(outcome.turn)).collect();
        let word = match twists.cmp(&distance) {
            Ordering::Less => "nearer",
            Ordering::Equal => "as far",
            Ordering::Greater => "farther",
        };
        let label = format!("  {twists:>2} {word:<7} {:>3} ", format!("{}:", turns.len()));
        lines.extend(format::wrapped(&label, &turns, width));
    }
    lines
}
