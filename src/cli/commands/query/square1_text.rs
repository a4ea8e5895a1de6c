//! Answers about the Square-1 family, for people.

use twistbase_database::{NextMoves, QuestionMetric, Square1Answer, Square1Text};
use twistbase_puzzle::square1::notation::SequenceNotation;
use twistbase_puzzle::square1::{Middle, Step};
use twistbase_query::{GivenPosition, MiddleGoal, SolutionCounts};
use twistbase_tables::Definition;

use super::next_moves::{Group, next_moves};
use crate::format::{self, grouped_wide};

/// The answer about one position, without the end of the last line.
pub fn answers(answer: &Square1Answer) -> String {
    let GivenPosition { position, middle_given } = answer.given;
    let Square1Text { hex, jaap } = Square1Text::new(&answer.given);
    let (shape, definition) = (position.shape(), answer.definition);
    let mut lines = vec![format!("{} position {hex}", definition.puzzle())];
    lines.extend(answer.goal.map(|goal| format!("  goal       {goal}")));
    lines.push(format!("  distance   {}", distance(answer)));
    let solution = answer.solution.as_ref().filter(|solution| !solution.is_empty());
    lines.extend(solution.map(|sequence| format!("  solution   {sequence}")));
    lines.extend(answer.solutions.as_ref().map(|counts| format!("  solutions  {}", solutions(counts))));
    match (answer.middle_goal, middle_given) {
        (_, true) => lines.push(format!("  middle     {}", middle_name(position.middle()))),
        (MiddleGoal::Square, false) => {
            lines.push("  middle     square (assumed: the input has no middle layer)".to_owned())
        }
        (MiddleGoal::Ignored, false) => {}
    }
    lines.extend([
        format!("  Jaap       {jaap}"),
        format!("  shape      {} (number {})", shape.name(), shape.id()),
        match answer.author_index() {
            Some(author) => format!("  index      {}; author:{author}", answer.index),
            None => format!("  index      {}", answer.index),
        },
    ]);
    lines.extend(answer.moves.iter().flat_map(|moves| by_distance(answer.notation, answer.distance, moves)));
    lines.join("\n")
}

const fn middle_name(middle: Middle) -> &'static str {
    match middle {
        Middle::Square => "square",
        Middle::Kite => "kite",
    }
}

fn distance(answer: &Square1Answer) -> String {
    let distance = answer.distance;
    let unit = match answer.metric {
        QuestionMetric::Wca => "WCA move",
        QuestionMetric::Face => "face move",
        QuestionMetric::Twists | QuestionMetric::Htm | QuestionMetric::Qtm | QuestionMetric::Moves => "twist",
    };
    let plural = if distance == 1 { "" } else { "s" };
    let level = match answer.level().filter(|_| answer.definition.facts().first_level > 0) {
        Some(level) => format!(" (level {level})"),
        None => String::new(),
    };
    let goal = match answer.middle_goal {
        MiddleGoal::Ignored => "the middle layer ignored",
        MiddleGoal::Square => "the middle layer square at the end",
    };
    format!("{distance} {unit}{plural}{level}, {goal}")
}

fn solutions(&SolutionCounts { alignments, sequences, paths }: &SolutionCounts) -> String {
    format!(
        "{} shortest (counted with both (x,y) and (x+6,y+6): {}; counted by positions passed: {})",
        grouped_wide(alignments),
        grouped_wide(sequences),
        grouped_wide(paths)
    )
}

/// The next moves, by the distance that they lead to: turns and the twist, or, where turns are free, the turn before each twist.
fn by_distance(notation: SequenceNotation, distance: u8, moves: &NextMoves) -> Vec<String> {
    let title = notation.title();
    let (title, moves) = match moves {
        NextMoves::Twists(moves) => {
            let written =
                moves.iter().map(|next| (Group::number(next.distance.moves()), notation.write_turn(next.turn)));
            (format!("next twists, by the distance they lead to: the turn before each ({title})"), written.collect())
        }
        NextMoves::Wca(moves) => {
            let written = moves.iter().map(|next| (Group::number(next.distance.moves()), step(notation, next.step)));
            (
                format!("next moves, by the distance they lead to: the twist, or a turn before it ({title})"),
                written.collect(),
            )
        }
    };
    next_moves(&title, Some(Group::number(distance)), moves, format::width())
}

/// A move, without spaces.
fn step(notation: SequenceNotation, step: Step) -> String {
    match step {
        Step::Turn(turn) => notation.write_turn(turn),
        Step::Twist | Step::TurnOver => notation.write(&step.into()),
    }
}
