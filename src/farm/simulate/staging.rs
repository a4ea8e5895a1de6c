//! Nodes that copy tables from one server at the same time.

use std::collections::VecDeque;

/// The file server: all who copy share its bandwidth evenly, and copy as many bytes each.
#[derive(Debug)]
pub(super) struct Staging {
    /// Bytes that each copies.
    bytes: f64,
    bandwidth: f64,
    /// Who copies, with what the server will have given to each of them alone at their ends. They end in their order.
    copying: VecDeque<(u32, f64)>,
    /// What the server has given to each that copied from the beginning to now, and when that is.
    given: f64,
    at: f64,
}

impl Staging {
    pub fn new(bytes: u64, bandwidth: f64) -> Self {
        Self { bytes: bytes as f64, bandwidth, copying: VecDeque::new(), given: 0.0, at: 0.0 }
    }

    /// A node begins.
    pub fn begin(&mut self, node: u32, now: f64) {
        self.advance(now);
        self.copying.push_back((node, self.given + self.bytes));
    }

    /// A node that failed copies no more.
    pub fn abandon(&mut self, node: u32, now: f64) {
        self.advance(now);
        self.copying.retain(|&(copying, _)| copying != node);
    }

    /// When the next node ends, if nothing changes before.
    pub fn next_end(&self) -> Option<f64> {
        let &(_, end) = self.copying.front()?;
        Some(self.at + (end - self.given).max(0.0) * self.copying.len() as f64 / self.bandwidth)
    }

    /// The node that ends now.
    pub fn end(&mut self, now: f64) -> Option<u32> {
        self.advance(now);
        let (node, end) = self.copying.pop_front()?;
        // Rounding leaves no rest for the next.
        self.given = self.given.max(end);
        Some(node)
    }

    fn advance(&mut self, now: f64) {
        if !self.copying.is_empty() {
            self.given += (now - self.at) * self.bandwidth / self.copying.len() as f64;
        }
        self.at = now;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn those_who_copy_share_the_bandwidth() {
        let mut staging = Staging::new(100, 10.0);
        assert_eq!(staging.next_end(), None);
        staging.begin(7, 0.0);
        assert_eq!(staging.next_end(), Some(10.0));
        // Half of it is copied when another begins; then each has half the bandwidth.
        staging.begin(8, 5.0);
        assert_eq!(staging.next_end(), Some(15.0));
        assert_eq!((staging.end(15.0), staging.next_end()), (Some(7), Some(20.0)));
        assert_eq!((staging.end(20.0), staging.next_end()), (Some(8), None));
        // One that fails leaves the bandwidth to the others.
        staging.begin(1, 30.0);
        staging.begin(2, 30.0);
        staging.abandon(1, 40.0);
        assert_eq!((staging.next_end(), staging.end(45.0)), (Some(45.0), Some(2)));
    }
}
