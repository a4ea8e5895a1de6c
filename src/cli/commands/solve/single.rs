//! One position, searched by all threads.

use std::sync::mpsc::{self, Receiver};
use std::thread;

use twistbase_core::Error;
use twistbase_core::error::Class;
use twistbase_core::threads;
use twistbase_database::{Counted, OptimalSummary, Shortfall, Solution, SolveEvent, SolveOutcome, Solved};

use super::Solving;
use super::progress::DepthProgress;
use crate::failure::Failure;
use crate::output::{Output, json_line};

/// Events that wait to be printed: the search waits when there are more.
const WAITING: usize = 1 << 10;

impl Solving {
    /// Prints solutions of one position as they are found, and what the search came to.
    pub fn single(&self, input: &str, output: &mut Output) -> Result<(), Failure> {
        let (send, receive) = mpsc::sync_channel(WAITING);
        let searched = thread::scope(|scope| -> Result<_, Failure> {
            // Nobody receives any more when an event could not be printed.
            let mut on = move |event| drop(send.send(event));
            let search = move || self.solver.solve(input, &self.ctx, &mut on);
            let search = threads::start_scoped(scope, "search", search);
            let search = search.map_err(|source| Error::io("start", "a thread", source))?;
            let shown = self.show(receive, output);
            if shown.is_err() {
                self.ctx.cancel();
            }
            let solved = search.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            shown.map(|last| (last, solved))
        });
        let (last, solved) = searched?;
        self.ctx.progress().end();
        match solved {
            Ok(solved) => self.conclude(solved, output),
            Err(error) => {
                // What has not been printed yet is lost otherwise.
                if let Some(last) = last.filter(|_| self.quiet) {
                    output.bytes(self.found(&last).as_bytes())?;
                }
                Err(error.into())
            }
        }
    }

    /// Prints solutions as they come, of those that improve only the last if that is wanted; returns the last.
    fn show(&self, events: Receiver<SolveEvent>, output: &mut Output) -> Result<Option<Solution>, Failure> {
        let (mut last, mut progress) = (None, DepthProgress::new(self.ctx.progress()));
        for event in events {
            match event {
                SolveEvent::Solution(solution) => {
                    if !(self.quiet && matches!(solution, Solution::TwoPhase(_))) {
                        output.bytes(self.found(&solution).as_bytes())?;
                        output.flush()?;
                    }
                    last = Some(solution);
                }
                SolveEvent::DepthFinished { bound, nodes } => progress.finish(bound, nodes),
                SolveEvent::Nodes(nodes) => progress.visited(nodes),
            }
        }
        Ok(last)
    }

    /// Prints what has not been said yet when the search is over.
    fn conclude(&self, Solved { outcome, shortfall }: Solved, output: &mut Output) -> Result<(), Failure> {
        match &outcome {
            SolveOutcome::NotFound => {}
            outcome if self.json => output.json(outcome)?,
            // It was printed when it was found.
            SolveOutcome::Found(Solution::TwoPhase(_)) if !self.quiet => {}
            SolveOutcome::Found(solution) => output.bytes(self.found(solution).as_bytes())?,
            SolveOutcome::Optimal(_) if matches!(shortfall, Some(Shortfall::Interrupted { .. })) => {}
            SolveOutcome::Optimal(summary) => self.remark(summary),
        }
        match shortfall {
            None => Ok(()),
            Some(known) if known.class() == Class::Interrupted => Err(Failure::Interrupted(known.to_string())),
            Some(reason) => Err(Failure::Unreached(reason.to_string())),
        }
    }

    /// A solution as a line.
    fn found(&self, solution: &Solution) -> String {
        match solution {
            solution if self.json => json_line(solution),
            Solution::Square1(found) => format!("{}\n", found.solution),
            other => format!("{}\t{}\n", other.length(), other.moves()),
        }
    }

    /// Says on standard error what the list of solutions is.
    fn remark(&self, summary: &OptimalSummary) {
        let (Some(extra), Some(length)) = (self.extra, summary.length) else { return };
        let which = if extra == 0 {
            Counted::Moves.count(length.into())
        } else {
            format!("{length} to {} moves", length + extra)
        };
        let all = if summary.complete { "all there are" } else { "there may be more" };
        let noun = if summary.solutions == 1 { "solution" } else { "solutions" };
        self.ctx.progress().note(&format!(
            "{} {noun} of {which} ({}), {all}; of those that differ only in the order of turns of opposite faces one is \
             listed, symmetric copies are listed",
            summary.solutions, summary.metric
        ));
    }
}
