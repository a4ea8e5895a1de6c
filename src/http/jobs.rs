//! Work that does not run on the threads that serve connections, so much of it at a time.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task;

use super::problem::HttpProblem;

/// Where work of one kind runs, and waits for it.
#[derive(Debug, Clone)]
pub(super) struct Lane {
    running: Arc<Semaphore>,
    at_once: usize,
    waiting: Arc<AtomicUsize>,
    most_waiting: usize,
}

impl Lane {
    /// So many at a time, and so many that may wait.
    pub fn new([at_once, most_waiting]: [usize; 2]) -> Self {
        let at_once = at_once.clamp(1, Semaphore::MAX_PERMITS);
        Self { running: Arc::new(Semaphore::new(at_once)), at_once, waiting: Arc::default(), most_waiting }
    }

    /// How many pieces of work run, and how many wait.
    pub fn load(&self) -> [usize; 2] {
        [self.at_once - self.running.available_permits(), self.waiting.load(Ordering::Relaxed)]
    }

    /// Waits for a place.
    ///
    /// # Errors
    /// 503 at once, when as many wait as may.
    pub async fn enter(&self) -> Result<OwnedSemaphorePermit, HttpProblem> {
        if let Ok(place) = Arc::clone(&self.running).try_acquire_owned() {
            return Ok(place);
        }
        let waits = Waiting::new(&self.waiting);
        if waits.number > self.most_waiting {
            return Err(HttpProblem::queue_is_full());
        }
        Arc::clone(&self.running).acquire_owned().await.map_err(|_| HttpProblem::stopping())
    }

    /// Does something in its turn.
    ///
    /// # Errors
    /// Those of [`Self::enter`]; 500 if the work panics.
    pub async fn run<T: Send + 'static>(&self, work: impl FnOnce() -> T + Send + 'static) -> Result<T, HttpProblem> {
        let place = self.enter().await?;
        let done = task::spawn_blocking(move || {
            let _place = place;
            work()
        });
        done.await.map_err(|_| HttpProblem::internal())
    }
}

/// One that waits, as long as it lives: whoever gives up counts no more.
struct Waiting<'a> {
    count: &'a AtomicUsize,
    number: usize,
}

impl<'a> Waiting<'a> {
    fn new(count: &'a AtomicUsize) -> Self {
        Self { count, number: count.fetch_add(1, Ordering::Relaxed) + 1 }
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.count.fetch_sub(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn who_finds_the_queue_full_is_told_at_once() {
        let lane = Lane::new([1, 1]);
        let first = lane.enter().await.unwrap();
        let second = tokio::spawn({
            let lane = lane.clone();
            async move { lane.enter().await.is_ok() }
        });
        while lane.load() != [1, 1] {
            task::yield_now().await;
        }
        assert_eq!(lane.enter().await.unwrap_err().status(), 503);
        drop(first);
        assert!(second.await.unwrap());
        assert_eq!(lane.load(), [0, 0]);
    }
}
