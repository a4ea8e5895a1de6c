//! One position, searched by all threads.

use std::sync::mpsc::{self, Receiver, SyncSender};
use std::thread;
use std::time::Instant;

use twistbase::error::{Error, Result};
use twistbase::solve::{Answer, Event};

use super::progress::Depths;
use super::report::{SolutionReport, Summary, text};
use super::{Outcome, Solver, at_least_moves};
use crate::cli::failure::Failure;
use crate::cli::output::Output;
use crate::cli::positions::cube3::{NAME, read};

/// Solutions that wait to be printed: the search waits when there are more.
const WAITING: usize = 1 << 10;

/// A solution on its way to standard output.
struct Found {
    moves: String,
    length: usize,
    seconds: f64,
}

/// Prints the solutions of a position as they are found.
pub fn run(solver: &Solver, input: &str, output: &mut Output) -> std::result::Result<(), Failure> {
    let (send, receive) = mpsc::sync_channel(WAITING);
    let searched = thread::scope(|scope| {
        let search = scope.spawn(|| solver.search_telling(input, send));
        let shown = solver.show(receive, input, output);
        if shown.is_err() {
            solver.context.cancel();
        }
        let searched = search.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        shown.map(|()| searched)
    })?;
    let (outcome, was_interrupted) = searched?;
    if solver.json {
        output.json(&solver.summary(input, &outcome, was_interrupted))?;
    }
    if was_interrupted {
        return Err(Failure::Interrupted(at_least_moves(outcome.answer.at_least, solver.metric())));
    }
    solver.remark(&outcome);
    solver.shortfall(&outcome).map_or(Ok(()), |reason| Err(Failure::Unreached(reason)))
}

impl Solver {
    /// Searches and sends every solution away. Returns also whether it was interrupted, and then what was known by that time.
    fn search_telling(&self, input: &str, send: SyncSender<Found>) -> Result<(Outcome, bool)> {
        let start = read(input)?;
        let started = Instant::now();
        let progress = self.context.progress();
        let mut depths = Depths::new(progress, self.metric(), self.goal.inverse().then(&start).is_odd());
        let (mut solutions, mut shortest) = (0, None);
        let searched = self.search(&start, true, &mut |event| {
            depths.take(&event);
            if let Event::Solution(moves) = event {
                solutions += 1;
                shortest = shortest.or(Some(moves.len() as u8));
                let seconds = started.elapsed().as_secs_f64();
                // Nobody receives any more when a solution could not be written.
                let _ = send.send(Found { moves: text(moves), length: moves.len(), seconds });
            }
        });
        progress.end();
        match searched {
            Err(Error::Interrupted) => {
                let (at_least, nodes) = (shortest.unwrap_or(depths.at_least()), depths.nodes());
                let answer = Answer { length: shortest, at_least, solutions, complete: false, nodes, look_ups: 0 };
                Ok((Outcome { answer, complete: false, seconds: started.elapsed().as_secs_f64() }, true))
            }
            searched => Ok((searched?, false)),
        }
    }

    /// Prints solutions as they come.
    fn show(&self, found: Receiver<Found>, input: &str, output: &mut Output) -> std::result::Result<(), Failure> {
        for (number, Found { moves, length, seconds }) in (1..).zip(found) {
            if self.json {
                output.json(&SolutionReport {
                    input,
                    puzzle: NAME,
                    length,
                    metric: self.metric().name(),
                    solution: &moves,
                    goal: self.question.goal.as_deref(),
                    method: "optimal",
                    number,
                    seconds,
                })?;
            } else {
                output.line(format_args!("{length}\t{moves}"))?;
            }
            output.flush()?;
        }
        Ok(())
    }

    fn summary<'a>(&'a self, input: &'a str, outcome: &Outcome, was_interrupted: bool) -> Summary<'a> {
        let Outcome { answer, complete, seconds } = *outcome;
        Summary {
            input,
            puzzle: NAME,
            metric: self.metric().name(),
            goal: self.question.goal.as_deref(),
            method: "optimal",
            table: self.table(),
            length: answer.length,
            at_least: answer.at_least,
            solutions: answer.solutions,
            complete,
            symmetric_copies: true,
            nodes: answer.nodes,
            // The count is lost with the search.
            look_ups: (!was_interrupted).then_some(answer.look_ups),
            seconds,
        }
    }

    /// Says on standard error what the list of solutions is.
    fn remark(&self, outcome: &Outcome) {
        let Some(extra) = self.options().extra().filter(|_| !self.json) else { return };
        let Answer { length, solutions, .. } = outcome.answer;
        let Some(length) = length else { return };
        let which =
            if extra == 0 { format!("{length} moves") } else { format!("{length} to {} moves", length + extra) };
        let all = if outcome.complete { "all there are" } else { "there may be more" };
        let noun = if solutions == 1 { "solution" } else { "solutions" };
        self.context.progress().note(&format!(
            "{solutions} {noun} of {which} ({}), {all}; of those that differ only in the order of turns of opposite faces one is \
             listed, symmetric copies are listed",
            self.metric().name()
        ));
    }
}
