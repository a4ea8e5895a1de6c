//! One position, searched by all threads.

use std::sync::mpsc::{self, Receiver};
use std::thread;

use twistbase_core::Error;
use twistbase_core::error::Class;
use twistbase_core::threads;
use twistbase_database::cube3::{LengthProof, TwoPhaseSolution};
use twistbase_database::{Counted, OptimalSummary, Shortfall, Solution, SolveEvent, SolveOutcome, Solved};

use super::Solving;
use super::progress::DepthProgress;
use crate::failure::Failure;
use crate::output::{Output, json_line};

/// The most events that wait to be printed; then the search waits.
const WAITING: usize = 1 << 10;

impl Solving {
    /// Prints the solutions of one position as they are found, then the result.
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
                // Otherwise the best solution would be lost.
                if let Some(last) = last.filter(|_| self.quiet) {
                    output.bytes(self.found(&last).as_bytes())?;
                }
                Err(error.into())
            }
        }
    }

    /// Prints solutions as they come; quietly, not those that only improve. Returns the last.
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
                SolveEvent::DepthFinished { bound, nodes } if self.shows_depths => progress.finish(bound, nodes),
                SolveEvent::DepthFinished { .. } => {}
                SolveEvent::Nodes(nodes) => progress.visited(nodes),
            }
        }
        Ok(last)
    }

    /// Prints the result, except for solutions printed before.
    fn conclude(&self, Solved { outcome, shortfall }: Solved, output: &mut Output) -> Result<(), Failure> {
        match &outcome {
            SolveOutcome::NotFound => {}
            outcome if self.json => output.json(outcome)?,
            // It was printed when it was found.
            SolveOutcome::Found(Solution::TwoPhase(found)) if !self.quiet => self.remark_proof(found),
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
            other => {
                let link =
                    self.link.as_ref().map_or_else(String::new, |link| format!("  {}\n", link.to(other.moves())));
                format!("{}\t{}\n{link}", other.length(), other.moves())
            }
        }
    }

    /// Prints on standard error whether the best solution is proven shortest.
    fn remark_proof(&self, TwoPhaseSolution { length, metric, proof, .. }: &TwoPhaseSolution) {
        let Some(LengthProof { at_least, optimal }) = proof else { return };
        let moves = Counted::Moves.count(*length);
        let proof = if *optimal { "optimal".to_owned() } else { format!("not proven shortest: at least {at_least}") };
        self.ctx.progress().note(&format!("{moves} ({metric}), {proof}"));
    }

    /// Prints on standard error what the list of solutions contains.
    fn remark(&self, summary: &OptimalSummary) {
        let (Some(extra), Some(length)) = (self.extra, summary.length) else { return };
        let which = if extra == 0 {
            Counted::Moves.count(length.into())
        } else {
            format!("{length} to {} moves", length + extra)
        };
        let all = if summary.complete { "all of them" } else { "there may be more" };
        let noun = if summary.solutions == 1 { "solution" } else { "solutions" };
        // Solutions that differ only in the order of turns that commute count as one, as the help says.
        let metric = if summary.metric == "moves" { String::new() } else { format!(" ({})", summary.metric) };
        self.ctx.progress().note(&format!("{} {noun} of {which}{metric}, {all}", summary.solutions));
    }
}
