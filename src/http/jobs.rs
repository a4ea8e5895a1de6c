//! Work off the threads that serve connections, with limits on how much runs and waits.

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use crossbeam::queue::SegQueue;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, oneshot};
use tokio::task;

use super::problem::HttpProblem;
use twistbase_core::context::Context;

/// A place of a job that runs.
pub(super) type JobPlace = OwnedSemaphorePermit;

/// A short job.
type Job = Box<dyn FnOnce() + Send>;

/// Runs the jobs of one kind, and holds those that wait.
#[derive(Clone)]
pub(super) struct Lane {
    running: Arc<Semaphore>,
    at_once: usize,
    waiting: Arc<AtomicUsize>,
    most_waiting: usize,
    refused: Arc<AtomicU64>,
    /// Waiting short jobs. A thread that ends a job takes the next one, without a change of threads.
    jobs: Arc<SegQueue<Job>>,
}

impl Lane {
    /// A lane with limits: jobs at a time, and jobs that may wait.
    pub fn new([at_once, most_waiting]: [usize; 2]) -> Self {
        let at_once = at_once.clamp(1, Semaphore::MAX_PERMITS);
        Self {
            running: Arc::new(Semaphore::new(at_once)),
            at_once,
            waiting: Arc::default(),
            most_waiting,
            refused: Arc::default(),
            jobs: Arc::default(),
        }
    }

    /// Numbers of running and of waiting jobs.
    pub fn load(&self) -> [usize; 2] {
        let waiting = self.waiting.load(Ordering::Relaxed) + self.jobs.len();
        [self.at_once - self.running.available_permits(), waiting]
    }

    /// Number of jobs that the full queue refused.
    pub fn refused(&self) -> u64 {
        self.refused.load(Ordering::Relaxed)
    }

    /// Waits for a place.
    ///
    /// # Errors
    /// 503 at once, if the queue is full.
    pub async fn enter(&self) -> Result<JobPlace, HttpProblem> {
        if let Ok(place) = Arc::clone(&self.running).try_acquire_owned() {
            return Ok(place);
        }
        if self.waiting.load(Ordering::Relaxed) >= self.most_waiting {
            return Err(self.refuse());
        }
        self.enter_again().await
    }

    /// Waits for a place for the next part of a job that has begun. The queue is never too full for it, but it counts there.
    ///
    /// # Errors
    /// 503 if the server is about to stop.
    pub async fn enter_again(&self) -> Result<JobPlace, HttpProblem> {
        let _waits = Waiting::new(&self.waiting);
        Arc::clone(&self.running).acquire_owned().await.map_err(|_| HttpProblem::stopping())
    }

    fn refuse(&self) -> HttpProblem {
        self.refused.fetch_add(1, Ordering::Relaxed);
        HttpProblem::queue_is_full()
    }

    /// Runs a short job in its turn.
    ///
    /// # Errors
    /// 503 at once, if the queue is full; 500 if the work panics.
    pub async fn run<T: Send + 'static>(&self, work: impl FnOnce() -> T + Send + 'static) -> Result<T, HttpProblem> {
        if self.running.available_permits() == 0 && self.jobs.len() >= self.most_waiting {
            return Err(self.refuse());
        }
        let (send, done) = oneshot::channel();
        self.jobs.push(Box::new(move || {
            // Fails if the client is gone.
            if !send.is_closed() {
                let _ = send.send(work());
            }
        }));
        self.start();
        done.await.map_err(|_| HttpProblem::internal())
    }

    /// Runs a long job when there is a place. Cancels its context when nobody waits for the result any more.
    ///
    /// # Errors
    /// 503 at once, if the queue is full; 500 if the work panics.
    pub async fn run_long<T: Send + 'static>(
        &self,
        ctx: Context,
        work: impl FnOnce(&Context) -> T + Send + 'static,
    ) -> Result<T, HttpProblem> {
        let place = self.enter().await?;
        let awaited = Awaited(ctx.clone());
        let done = task::spawn_blocking(move || {
            let _place = place;
            work(&ctx)
        });
        let result = done.await.map_err(|_| HttpProblem::internal());
        drop(awaited);
        result
    }

    /// Starts waiting jobs, if there is a place.
    fn start(&self) {
        if let Ok(place) = Arc::clone(&self.running).try_acquire_owned() {
            let lane = self.clone();
            task::spawn_blocking(move || lane.work_off(place));
        }
    }

    /// Runs waiting jobs until the queue is empty.
    fn work_off(&self, place: JobPlace) {
        while let Some(job) = self.jobs.pop() {
            // After a panic the receiver gets an error.
            let _ = catch_unwind(AssertUnwindSafe(job));
        }
        drop(place);
        // A job that arrived after the last check may have found no place.
        if !self.jobs.is_empty() {
            self.start();
        }
    }
}

impl fmt::Debug for Lane {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Lane").field("load", &self.load()).finish_non_exhaustive()
    }
}

/// Dropping this cancels the job: nobody waits for it.
pub(super) struct Awaited(pub Context);

impl Drop for Awaited {
    fn drop(&mut self) {
        self.0.cancel();
    }
}

/// A waiting job. Dropping this frees its place in the queue.
struct Waiting<'a>(&'a AtomicUsize);

impl<'a> Waiting<'a> {
    fn new(count: &'a AtomicUsize) -> Self {
        count.fetch_add(1, Ordering::Relaxed);
        Self(count)
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use std::pin::pin;
    use std::task::{Context as TaskContext, Poll, Waker};
    use std::time::{Duration, Instant};

    use super::*;

    /// Upper limit of a test's wait: after it, the test fails.
    const FOR_EVER: Duration = Duration::from_secs(120);

    /// The result of a future, polled once.
    fn at_once<T>(future: impl Future<Output = T>) -> T {
        match pin!(future).poll(&mut TaskContext::from_waker(Waker::noop())) {
            Poll::Ready(done) => done,
            Poll::Pending => panic!("it waits"),
        }
    }

    /// Lets other tasks work until a lane has this load.
    async fn load_is(lane: &Lane, load: [usize; 2]) {
        let begun = Instant::now();
        while lane.load() != load {
            assert!(begun.elapsed() < FOR_EVER, "the load is {:?}, not {load:?}", lane.load());
            task::yield_now().await;
        }
    }

    #[tokio::test]
    async fn who_finds_the_queue_full_is_told_at_once() {
        let lane = Lane::new([1, 1]);
        let first = at_once(lane.enter()).unwrap();
        let second = tokio::spawn({
            let lane = lane.clone();
            async move { lane.enter().await.is_ok() }
        });
        load_is(&lane, [1, 1]).await;
        assert_eq!(at_once(lane.enter()).unwrap_err().status(), 503);
        assert_eq!(lane.refused(), 1);
        // A job that has begun is not refused, and counts.
        let third = tokio::spawn({
            let lane = lane.clone();
            async move { lane.enter_again().await.is_ok() }
        });
        load_is(&lane, [1, 2]).await;
        drop(first);
        assert!(second.await.unwrap() && third.await.unwrap());
        assert_eq!(lane.load(), [0, 0]);
    }

    /// A cancelled wait makes room for another job.
    #[tokio::test]
    async fn who_gives_up_makes_room_in_the_queue() {
        let lane = Lane::new([1, 1]);
        let _place = at_once(lane.enter()).unwrap();
        let second = tokio::spawn({
            let lane = lane.clone();
            async move { lane.enter().await.is_ok() }
        });
        load_is(&lane, [1, 1]).await;
        second.abort();
        load_is(&lane, [1, 0]).await;
    }

    #[tokio::test]
    async fn short_work_is_done_in_turn_also_after_a_panic() {
        let lane = Lane::new([1, 100]);
        let jobs: Vec<_> = (0..50)
            .map(|number| {
                let lane = lane.clone();
                tokio::spawn(async move { lane.run(move || if number == 7 { panic!("meant") } else { number }).await })
            })
            .collect();
        for (number, job) in jobs.into_iter().enumerate() {
            match job.await.unwrap() {
                Ok(done) => assert_eq!(done, number),
                Err(problem) => assert_eq!((number, problem.status()), (7, 500)),
            }
        }
        load_is(&lane, [0, 0]).await;
    }

    #[tokio::test]
    async fn long_work_is_cancelled_when_nobody_waits_for_it() {
        let (lane, ctx) = (Lane::new([1, 1]), Context::silent());
        let work = tokio::spawn({
            let (lane, ctx) = (lane.clone(), ctx.clone());
            // The runtime waits for the thread, so the thread must end in any case.
            let work = |ctx: &Context| {
                let begun = Instant::now();
                while !ctx.is_cancelled() && begun.elapsed() < FOR_EVER {
                    std::thread::yield_now();
                }
            };
            async move { lane.run_long(ctx, work).await }
        });
        load_is(&lane, [1, 0]).await;
        work.abort();
        load_is(&lane, [0, 0]).await;
        assert!(ctx.is_cancelled());
        assert_eq!(lane.run_long(Context::silent(), |_| 7).await.unwrap(), 7);
    }

    #[tokio::test]
    async fn short_work_that_finds_the_queue_full_is_refused() {
        let lane = Lane::new([1, 0]);
        let place = at_once(lane.enter()).unwrap();
        assert_eq!(at_once(lane.run(|| ())).unwrap_err().status(), 503);
        // Without a queue, jobs still run if there is a place.
        drop(place);
        lane.run(|| ()).await.unwrap();
    }
}
