//! What is known about a position of the Square-1 family, for people.

use std::cmp::Ordering;

use twistbase_database::{NextMoves, QuestionMetric, Square1Answer, Square1Text};
use twistbase_puzzle::square1::notation::SequenceNotation;
use twistbase_puzzle::square1::{Middle, Step};
use twistbase_query::{GivenPosition, MiddleGoal, SolutionCounts};
use twistbase_tables::Definition;

use crate::format::{self, grouped_wide};

/// The answers about one position, without the end of the last line.
pub fn answers(answer: &Square1Answer) -> String {
    let GivenPosition { position, middle_given } = answer.given();
    let Square1Text { hex, jaap } = Square1Text::new(answer.given());
    let (shape, definition) = (position.shape(), answer.definition());
    let mut lines = vec![
        format!("{} position {hex}", definition.puzzle()),
        format!("  Jaap       {jaap}"),
        format!("  shape      {} (number {})", shape.name(), shape.id()),
        match answer.author_index() {
            Some(author) => format!("  index      {}; author:{author}", answer.index),
            None => format!("  index      {}", answer.index),
        },
    ];
    match (answer.middle_goal(), middle_given) {
        (_, true) => lines.push(format!("  middle     {}", middle_name(position.middle()))),
        (MiddleGoal::Square, false) => lines.push("  middle     taken for square: the input does not tell".to_owned()),
        (MiddleGoal::Ignored, false) => {}
    }
    lines.push(format!("  distance   {}", distance(answer)));
    lines.extend(answer.solutions.as_ref().map(|counts| format!("  solutions  {}", solutions(counts))));
    if let Some(moves) = &answer.moves {
        lines.push(String::new());
        lines.extend(next_moves(answer.notation(), answer.distance(), moves, format::width()));
    }
    lines.join("\n")
}

const fn middle_name(middle: Middle) -> &'static str {
    match middle {
        Middle::Square => "square",
        Middle::Kite => "kite",
    }
}

fn distance(answer: &Square1Answer) -> String {
    let distance = answer.distance();
    let unit = match answer.metric() {
        QuestionMetric::Wca => "WCA move",
        QuestionMetric::Face => "face move",
        QuestionMetric::Twists | QuestionMetric::Htm | QuestionMetric::Qtm => "twist",
    };
    let plural = if distance == 1 { "" } else { "s" };
    let level = match answer.level().filter(|_| answer.definition().first_level() > 0) {
        Some(level) => format!(" (level {level})"),
        None => String::new(),
    };
    let goal = match answer.middle_goal() {
        MiddleGoal::Ignored => "the middle layer ignored",
        MiddleGoal::Square => "the middle layer square at the end",
    };
    format!("{distance} {unit}{plural}{level}, {goal}")
}

fn solutions(&SolutionCounts { alignments, sequences, paths }: &SolutionCounts) -> String {
    format!(
        "{} shortest ({} with turns by (x,y) and (x+6,y+6) told apart; {} if only the positions passed count)",
        grouped_wide(alignments),
        grouped_wide(sequences),
        grouped_wide(paths)
    )
}

/// The next moves, by the distance that they lead to, in lines of at most `width`: turns and the twist, or, where turns are
/// free, the turn before each twist.
fn next_moves(notation: SequenceNotation, distance: u8, moves: &NextMoves, width: usize) -> Vec<String> {
    let title = notation.title();
    let (heading, moves): (String, Vec<(u8, String)>) = match moves {
        NextMoves::Twists(moves) => {
            let written = moves.iter().map(|next| (next.distance.moves(), notation.write_turn(next.turn)));
            (format!("next twist: the turn before it ({title})"), written.collect())
        }
        NextMoves::Wca(moves) => {
            let written = moves.iter().map(|next| (next.distance.moves(), step(notation, next.step)));
            (format!("next move: the twist or a turn before it ({title})"), written.collect())
        }
    };
    let mut reached: Vec<u8> = moves.iter().map(|&(to, _)| to).collect();
    reached.sort_unstable();
    reached.dedup();
    let mut lines = vec![format!("{heading}, by the distance that it leads to")];
    for to in reached {
        let same: Vec<String> = moves.iter().filter(|next| next.0 == to).map(|(_, written)| written.clone()).collect();
        let word = match to.cmp(&distance) {
            Ordering::Less => "nearer",
            Ordering::Equal => "as far",
            Ordering::Greater => "farther",
        };
        let label = format!("  {to:>2} {word:<7} {:>3} ", format!("{}:", same.len()));
        lines.extend(format::wrapped(&label, &same, width));
    }
    lines
}

/// A move, without spaces.
fn step(notation: SequenceNotation, step: Step) -> String {
    match step {
        Step::Turn(turn) => notation.write_turn(turn),
        Step::Twist | Step::TurnOver => notation.write(&step.into()),
    }
}
