//! Items into shards.

use std::time::Duration;

/// The most shards of a plan: with a log for each, and folders, the farm has fewer than a hundred thousand files.
pub const MOST_SHARDS: u32 = 40_000;

/// How much a shard is to be.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum ShardSize {
    /// Estimated time of one core.
    Time(Duration),
    /// A number of items, at least 1.
    Items(u64),
}

/// The ends of shards: items before each end, and from the one before on, are a shard. No shard is empty; `seconds` gives what
/// an item is expected to take.
///
/// Too many shards become [`MOST_SHARDS`] of the same work.
pub(super) fn shard_ends(items: u64, size: ShardSize, seconds: impl Fn(u64) -> f64) -> Vec<u64> {
    let costs = |item: u64| match size {
        ShardSize::Time(_) => seconds(item).max(f64::MIN_POSITIVE),
        ShardSize::Items(_) => 1.0,
    };
    let wanted = match size {
        ShardSize::Time(time) => time.as_secs_f64().max(f64::MIN_POSITIVE),
        ShardSize::Items(items) => items.max(1) as f64,
    };
    let total: f64 = (0..items).map(costs).sum();
    // Rounding does not make one more.
    let shards = (total / wanted * (1.0 - 1e-12)).ceil().clamp(1.0, f64::from(MOST_SHARDS));
    // Equal numbers of items are given exactly; the last shard takes the rest.
    let share = match size {
        ShardSize::Items(_) if total / wanted <= f64::from(MOST_SHARDS) => wanted,
        _ => total / shards,
    };
    let (mut ends, mut so_far) = (Vec::new(), 0.0);
    for item in 0..items {
        so_far += costs(item);
        let is_full = so_far >= share * (ends.len() as f64 + 1.0) * (1.0 - 1e-12);
        if item + 1 == items || is_full && (ends.len() as f64) < shards - 1.0 {
            ends.push(item + 1);
        }
    }
    ends
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shards_are_of_equal_work_and_leave_nothing_out() {
        let ends = |items, size| shard_ends(items, size, |item| if item < 10 { 10.0 } else { 1.0 });
        assert_eq!(ends(5, ShardSize::Items(2)), [2, 4, 5]);
        assert_eq!(ends(4, ShardSize::Items(2)), [2, 4]);
        assert_eq!(ends(3, ShardSize::Items(100)), [3]);
        // The first ten items take as long as the hundred after them.
        assert_eq!(ends(110, ShardSize::Time(Duration::from_secs(50))), [5, 10, 60, 110]);
        assert_eq!(ends(110, ShardSize::Time(Duration::from_secs(1))).len(), 110);
        for items in [1, 2, 999, 100_000] {
            for size in [ShardSize::Items(1), ShardSize::Items(7), ShardSize::Time(Duration::from_secs(30))] {
                let ends = ends(items, size);
                assert!(
                    ends.is_sorted_by(|a, b| a < b) && ends[0] > 0 && ends.last() == Some(&items),
                    "{items} {size:?}"
                );
                assert!(ends.len() <= MOST_SHARDS as usize);
            }
        }
    }
}
