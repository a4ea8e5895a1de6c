//! What is known about a position of the Square-1 family, for people.

use std::cmp::Ordering;

use twistbase::database::{Square1Answer, Square1SolutionReport, Square1Text};
use twistbase::puzzle::square1::Middle;
use twistbase::puzzle::square1::notation::SequenceNotation;
use twistbase::query::{GivenPosition, MiddleGoal, SolutionCounts, TwistOutcome};
use twistbase::tables::Definition;

use crate::cli::format::{self, grouped};

/// The answers about one position, without the end of the last line.
pub fn answers(answer: &Square1Answer) -> String {
    let GivenPosition { position, middle_given } = answer.given();
    let Square1Text { hex, jaap } = Square1Text::new(answer.given());
    let (shape, definition) = (position.shape(), answer.definition());
    let mut lines = vec![
        format!("{} position {hex}", definition.puzzle()),
        format!("  Jaap       {jaap}"),
        format!("  shape      {} (number {})", shape.name(), shape.id()),
        format!("  index      {}", answer.index),
    ];
    match (answer.middle_goal(), middle_given) {
        (_, true) => lines.push(format!("  middle     {}", middle_name(position.middle()))),
        (MiddleGoal::Square, false) => lines.push("  middle     taken for square: the input does not tell".to_owned()),
        (MiddleGoal::Ignored, false) => {}
    }
    let distance_text = distance(answer.middle_goal(), answer.distance(), definition.first_level());
    lines.push(format!("  distance   {distance_text}"));
    lines.extend(answer.solutions.as_ref().map(|counts| format!("  solutions  {}", solutions(counts))));
    if let Some(moves) = &answer.moves {
        lines.push(String::new());
        lines.extend(next_twists(answer.notation(), answer.distance(), moves, format::width()));
    }
    lines.join("\n")
}

/// The same in a line, without its end.
pub fn line(answer: &Square1Answer) -> String {
    let (input, distance) = (&answer.input, answer.distance());
    match answer.solutions {
        None => format!("{input}\t{distance}"),
        Some(counts) => format!("{input}\t{distance}\t{}", counts.alignments),
    }
}

/// A solution, with the shapes that it passes behind a tab where they are wanted.
pub fn solution(found: &Square1SolutionReport) -> String {
    let shapes = found.shapes.as_ref().zip(found.stays_in_cube_shape).map(|(shapes, stays)| {
        let stays = if stays { "stays in" } else { "leaves" };
        format!("\t{stays} cube shape: {}", shapes.join(" "))
    });
    format!("{}{}", found.solution, shapes.unwrap_or_default())
}

const fn middle_name(middle: Middle) -> &'static str {
    match middle {
        Middle::Square => "square",
        Middle::Kite => "kite",
    }
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
fn next_twists(notation: SequenceNotation, distance: u8, moves: &[TwistOutcome], width: usize) -> Vec<String> {
    let mut reached: Vec<u8> = moves.iter().map(|outcome| outcome.distance.twists()).collect();
    reached.sort_unstable();
    reached.dedup();
    let title = notation.title();
    let mut lines = vec![format!("next twist: the turn before it ({title}), by the distance that it leads to")];
    for twists in reached {
        let same = moves.iter().filter(|outcome| outcome.distance.twists() == twists);
        let turns: Vec<String> = same.map(|outcome| notation.write_turn(outcome.turn)).collect();
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
