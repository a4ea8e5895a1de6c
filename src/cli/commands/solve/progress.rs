//! Progress of a search, depth by depth.

use std::time::{Duration, Instant};

use twistbase_core::context::Progress;
use twistbase_database::{BoundInMetric, QuestionMetric};

use crate::format;

/// A shorter depth prints no line.
const WORTH_A_LINE: Duration = Duration::from_millis(300);

/// Shows the progress of a search.
pub struct DepthProgress<'a> {
    progress: &'a dyn Progress,
    /// The start of the current depth, and the nodes before it.
    began: Instant,
    before: u64,
    /// Nodes of the last depth, or 0.
    last: u64,
    /// Nodes shown.
    shown: u64,
}

impl<'a> DepthProgress<'a> {
    /// Begins with no depth.
    pub fn new(progress: &'a dyn Progress) -> Self {
        Self { progress, began: Instant::now(), before: 0, last: 0, shown: 0 }
    }

    /// Updates the nodes visited.
    pub fn visited(&mut self, nodes: u64) {
        let nodes = nodes.max(self.shown);
        self.progress.advance(nodes - self.shown);
        self.shown = nodes;
    }

    /// Finishes a depth.
    pub fn finish(&mut self, bound: BoundInMetric, nodes: u64) {
        let (visited, elapsed) = (nodes.saturating_sub(self.before), self.began.elapsed());
        let growth = match self.last {
            0 => growth(bound.metric),
            last => visited as f64 / last as f64,
        };
        let estimate = (visited as f64 * growth.max(1.0)).max(1.0);
        self.progress.begin(&format!("depth {}", bound.at_least), estimate as u64, "nodes");
        if elapsed >= WORTH_A_LINE {
            let rate = visited as f64 / elapsed.as_secs_f64();
            let eta = format::seconds(estimate / rate.max(1.0));
            let (all, rate) = (format::grouped(nodes), format::grouped(rate as u64));
            self.progress.note(&format!("{bound}: {all} nodes, {rate}/s; the next depth takes about {eta}"));
        }
        (self.began, self.before, self.last, self.shown) = (Instant::now(), nodes, visited, nodes);
    }
}

/// Growth of the nodes from depth to depth, before two depths show it: about the branching factor. For the cube it is 13.35, and
/// 9.37 for a quarter turn, squared because depths grow by two.
fn growth(metric: QuestionMetric) -> f64 {
    match metric {
        QuestionMetric::Qtm => 87.8,
        QuestionMetric::Face => 3.5,
        QuestionMetric::Htm | QuestionMetric::Twists | QuestionMetric::Wca | QuestionMetric::Moves => 13.35,
    }
}
