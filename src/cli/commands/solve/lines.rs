//! Positions on standard input.

use twistbase_database::{
    BatchStop, FaceletOrders, LineAnswer, LineSolution, LineSolved, OptimalRecord, Solution, SolveBatch, column,
};

use super::Solving;
use crate::batch::{self, Tally, reasons};
use crate::failure::{self, Failure};
use crate::output::{Output, json_line};

impl Solving {
    /// Prints the answer to every line. Notes at the end which facelets of the puzzle `noted` were in another order than usual.
    pub fn lines(&self, how: &SolveBatch, noted: Option<&str>, output: &mut Output) -> Result<(), Failure> {
        let (mut tally, mut failure, mut text) = (Tally::default(), None, Vec::new());
        let mut orders = FaceletOrders::default();
        let ended = self.solver.solve_lines(batch::standard_input(), how, &self.ctx, &mut |line| {
            tally.count(match &line.solved {
                Ok(solution) => solution.shortfall.as_ref().map(|reason| reason.class()),
                Err(error) => Some(error.class()),
            });
            if let Some(puzzle) = noted {
                orders.append(FaceletOrders::of(puzzle, &[&line.input]));
            }
            text.clear();
            self.append_line(&mut text, &line);
            let written = output.bytes(&text);
            let written = written.and_then(|()| if line.is_followed { Ok(()) } else { output.flush() });
            written.map_err(|error| {
                failure = Some(error);
                BatchStop
            })
        });
        batch::conclude(ended, failure)?;
        batch::note_orders(&orders, self.json);
        tally.conclude()
    }

    /// Adds the answer to a line, with its end.
    fn append_line(&self, text: &mut Vec<u8>, LineSolved { number, input, solved, .. }: &LineSolved) {
        let first = column(input);
        let line = match solved {
            Ok(LineSolution { answer: LineAnswer::Listed(all), .. }) if self.json => {
                all.iter().map(json_line).collect()
            }
            Ok(solution) if self.json => json_line(&solution.answer),
            Ok(LineSolution { answer, shortfall }) => {
                let end = shortfall.as_ref().map_or_else(String::new, |reason| format!("\t{reason}")) + "\n";
                match answer {
                    LineAnswer::Listed(all) => {
                        let line = |found: &Solution| format!("{first}\t{}\t{}{end}", found.length(), found.moves());
                        all.iter().map(line).collect()
                    }
                    LineAnswer::Solution(found) => format!("{first}\t{}\t{}{end}", found.length(), found.moves()),
                    LineAnswer::Optimal(record) => rows(record).into_iter().map(|row| row + &end).collect(),
                }
            }
            Err(error) if self.json => {
                let report = failure::report(Some(input), error);
                json_line(&if self.is_numbered { report.numbered(*number) } else { report })
            }
            Err(error) if self.is_numbered => format!("{number}\terror: {}\n", reasons(error)),
            Err(error) => format!("{first}\terror: {}\n", reasons(error)),
        };
        text.extend_from_slice(line.as_bytes());
    }
}

/// The lines of a record, without its shortfall: number, length, solution, nodes, seconds.
fn rows(record: &OptimalRecord) -> Vec<String> {
    let OptimalRecord { number, nodes, seconds, asked, .. } = record;
    let solutions: Vec<&str> = match &record.found {
        Some(found) => found.iter().map(String::as_str).collect(),
        None => record.solution.iter().map(String::as_str).collect(),
    };
    if solutions.is_empty() {
        return vec![format!("{number}\t-\t-\t{nodes}\t{seconds:.6}")];
    }
    let row = |moves: &str| format!("{number}\t{}\t{moves}\t{nodes}\t{seconds:.6}", length(moves, &asked.metric));
    solutions.into_iter().map(row).collect()
}

/// The length of a solution in text.
fn length(moves: &str, metric: &str) -> usize {
    let cost = |turn: &str| if metric == "qtm" && turn.ends_with('2') { 2 } else { 1 };
    moves.split_whitespace().map(cost).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_turns_count_two_quarter_turns() {
        let lengths = [length("U2 R' F", "qtm"), length("U2 R' F", "htm"), length("", "htm")];
        assert_eq!(lengths, [4, 3, 0]);
    }
}
