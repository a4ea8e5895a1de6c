//! Progress of a search, depth by depth.

use std::time::{Duration, Instant};

use twistbase::context::Progress;
use twistbase::puzzle::cube3::Metric;
use twistbase::solve::Event;

use super::at_least_moves;
use crate::cli::format;

/// A depth that took less leaves no line behind.
const WORTH_A_LINE: Duration = Duration::from_millis(300);
/// Nodes of a depth in those of the depth before, where no two depths have told it: about the branching factors, 13.35 and
/// 9.37 (for one of two quarter turns, squared).
const GROWTH: [f64; 2] = [13.35, 87.8];

/// Shows how far a search is.
pub struct Depths<'a> {
    progress: &'a dyn Progress,
    metric: Metric,
    /// Whether the position takes an odd number of quarter turns.
    is_odd: bool,
    /// There is no solution of fewer moves.
    at_least: u8,
    /// When the depth under way began, and how many nodes had been visited.
    began: Instant,
    before: u64,
    /// Nodes of the last depth, 0 if there was none.
    last: u64,
    /// Nodes shown.
    shown: u64,
}

impl<'a> Depths<'a> {
    /// Nothing is known yet.
    pub fn new(progress: &'a dyn Progress, metric: Metric, is_odd: bool) -> Self {
        Self { progress, metric, is_odd, at_least: 0, began: Instant::now(), before: 0, last: 0, shown: 0 }
    }

    /// There is no solution of fewer moves, as far as was told.
    pub fn at_least(&self) -> u8 {
        self.at_least
    }

    /// Nodes visited, as far as was told.
    pub fn nodes(&self) -> u64 {
        self.shown
    }

    /// Takes what a search tells.
    pub fn take(&mut self, event: &Event<'_>) {
        match *event {
            Event::Solution(_) => {}
            Event::Nodes(nodes) => {
                let nodes = nodes.max(self.shown);
                self.progress.advance(nodes - self.shown);
                self.shown = nodes;
            }
            Event::Depth { depth, nodes } => self.finish(depth, nodes),
        }
    }

    /// A depth is finished.
    fn finish(&mut self, depth: u8, nodes: u64) {
        let next = depth + 1;
        // In the quarter-turn metric lengths of the other parity are impossible.
        let skips = self.metric == Metric::Qtm && (next % 2 == 1) != self.is_odd;
        self.at_least = next + u8::from(skips);
        let (visited, elapsed) = (nodes - self.before, self.began.elapsed());
        let growth =
            if self.last == 0 { GROWTH[self.metric as usize] } else { visited as f64 / self.last as f64 }.max(1.0);
        let estimate = (visited as f64 * growth).max(1.0);
        self.progress.begin(&format!("depth {}", self.at_least), estimate as u64, "nodes");
        if elapsed >= WORTH_A_LINE {
            let rate = visited as f64 / elapsed.as_secs_f64();
            let (bound, eta) = (at_least_moves(self.at_least, self.metric), format::seconds(estimate / rate.max(1.0)));
            let (all, rate) = (format::grouped(nodes), format::grouped(rate as u64));
            self.progress.note(&format!("{bound}: {all} nodes, {rate}/s; the next depth takes about {eta}"));
        }
        (self.began, self.before, self.last, self.shown) = (Instant::now(), nodes, visited, nodes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use twistbase::context::Silent;

    #[test]
    fn bounds_have_the_parity_of_the_position() {
        for (metric, is_odd, depth, bound) in [
            (Metric::Htm, false, 16, 17),
            (Metric::Htm, true, 16, 17),
            (Metric::Qtm, false, 16, 18),
            (Metric::Qtm, true, 16, 17),
        ] {
            let mut depths = Depths::new(&Silent, metric, is_odd);
            depths.take(&Event::Depth { depth, nodes: 5 });
            depths.take(&Event::Nodes(4));
            assert_eq!(depths.at_least(), bound);
        }
    }
}
