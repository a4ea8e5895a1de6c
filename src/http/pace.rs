//! The pace of clients: how long the server waits for each of them, and which connection makes room for another.
//!
//! Each connection has one deadline while the server waits for its client, and none while the client waits for the server. A head
//! has a fixed time, as has an idle connection. A body, and an answer that the client should read, have an allowance: waiting uses it up,
//! bytes earn it back. So a client that is slower than the least rate is given up. When all places are taken, the connection
//! with the nearest deadline makes room.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context as TaskContext, Poll};
use std::time::{Duration, Instant};

use futures_util::task::AtomicWaker;
use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore};

/// Interval between two looks at the deadlines.
const TICK: Duration = Duration::from_millis(50);
/// Connections to consider at a time when one has to make room: so a crowd is sorted once for many.
const CONSIDERED: usize = 32;
/// The deadline of a connection that does not wait for its client.
const NONE: u64 = u64::MAX;

/// How long to wait for clients.
#[derive(Debug, Clone, Copy)]
pub(super) struct Patience {
    /// For a head, and for an idle connection.
    pub head: Duration,
    /// The largest allowance of a body or an answer.
    pub pause: Duration,
    /// Bytes that earn a second. With 0, any byte earns the whole allowance.
    pub least_rate: u64,
}

/// What the server waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Awaited {
    /// The next request, or the rest of its head.
    Head,
    /// More of a request's body.
    Body,
    /// That the client reads more of an answer.
    Reader,
}

impl Awaited {
    pub const ALL: [Self; 3] = [Self::Head, Self::Body, Self::Reader];

    /// The name in metrics.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Head => "head",
            Self::Body => "body",
            Self::Reader => "reader",
        }
    }
}

/// The time that a client may still use.
#[derive(Debug)]
struct Allowance {
    left: Duration,
    /// Since when the server waits.
    since: Option<Instant>,
}

impl Allowance {
    fn full(patience: Patience) -> Self {
        Self { left: patience.pause, since: None }
    }

    /// The wait ends: some bytes went through.
    fn earn(&mut self, bytes: usize, now: Instant, patience: Patience) {
        let Some(since) = self.since.take() else { return };
        let left = self.left.saturating_sub(now.saturating_duration_since(since));
        let earned = match (bytes, patience.least_rate) {
            (0, _) => Duration::ZERO,
            (_, 0) => patience.pause,
            (bytes, rate) => Duration::from_secs_f64(bytes as f64 / rate as f64),
        };
        self.left = left.saturating_add(earned).min(patience.pause);
    }
}

/// The state of a connection.
#[derive(Debug)]
struct PaceState {
    awaited: Option<Awaited>,
    /// Since when the server waits for a head.
    idle_since: Instant,
    allowance: Allowance,
}

/// The pace of a connection's client.
#[derive(Debug)]
pub(super) struct Pace {
    patience: Patience,
    origin: Instant,
    state: Mutex<PaceState>,
    /// Milliseconds from `origin` to the deadline.
    deadline: AtomicU64,
    /// Whether a request is being answered.
    is_working: AtomicBool,
    /// Whether the request that is being answered is here as a whole.
    is_whole: AtomicBool,
    /// Whether the client sends nothing more.
    is_half_closed: AtomicBool,
    /// Whether a body is late. It has a reader that reports this.
    is_late: AtomicBool,
    /// The task of the connection, while it waits for a body that may be late, or for the answer after which it looks again for the
    /// end of what the client sends.
    task: AtomicWaker,
    given_up: Notify,
}

impl Pace {
    fn new(patience: Patience, origin: Instant) -> Self {
        let state = PaceState { awaited: None, idle_since: Instant::now(), allowance: Allowance::full(patience) };
        let pace = Self {
            patience,
            origin,
            state: Mutex::new(state),
            deadline: AtomicU64::new(NONE),
            is_working: AtomicBool::new(false),
            is_whole: AtomicBool::new(false),
            is_half_closed: AtomicBool::new(false),
            is_late: AtomicBool::new(false),
            task: AtomicWaker::new(),
            given_up: Notify::new(),
        };
        pace.end();
        pace
    }

    /// Changes the state, and sets the deadline that follows.
    fn change(&self, change: impl FnOnce(&mut PaceState, Instant)) {
        let (mut state, now) = (self.state.lock().unwrap_or_else(PoisonError::into_inner), Instant::now());
        change(&mut state, now);
        let until = match state.allowance.since {
            Some(since) => since.checked_add(state.allowance.left),
            None if state.awaited == Some(Awaited::Head) => state.idle_since.checked_add(self.patience.head),
            None => None,
        };
        let millis = until.map(|until| until.saturating_duration_since(self.origin).as_millis());
        self.deadline.store(millis.and_then(|millis| millis.try_into().ok()).unwrap_or(NONE), Ordering::Relaxed);
    }

    /// The head of a request is here. `is_whole`: nothing follows it.
    pub fn begin(&self, is_whole: bool) {
        self.is_working.store(true, Ordering::Relaxed);
        self.is_whole.store(is_whole, Ordering::Relaxed);
        self.change(|state, _| {
            state.awaited = None;
            state.allowance = Allowance::full(self.patience);
        });
    }

    /// The answer is made; the next request may come.
    pub fn end(&self) {
        self.is_working.store(false, Ordering::Relaxed);
        self.change(|state, now| {
            state.idle_since = now;
            if state.allowance.since.is_none() {
                state.awaited = Some(Awaited::Head);
            }
        });
        if self.is_half_closed() {
            self.task.wake();
        }
    }

    /// Waits for a body or a reader from now on, if not already.
    pub fn wait(&self, awaited: Awaited) {
        self.change(|state, now| {
            state.awaited = Some(awaited);
            state.allowance.since.get_or_insert(now);
        });
    }

    /// The wait for a body or a reader ends: some bytes went through.
    pub fn earn(&self, bytes: usize) {
        let is_idle = !self.is_working();
        self.change(|state, now| {
            state.allowance.earn(bytes, now, self.patience);
            state.awaited = is_idle.then_some(Awaited::Head);
            state.idle_since = now;
        });
    }

    /// The whole body is here.
    pub fn finish_body(&self) {
        self.is_whole.store(true, Ordering::Relaxed);
    }

    /// Whether a request is being answered.
    pub fn is_working(&self) -> bool {
        self.is_working.load(Ordering::Relaxed)
    }

    /// The client sends nothing more. Pending if it still waits for the answer to a whole request: until then.
    pub fn poll_half_closed(&self, task: &mut TaskContext<'_>) -> Poll<()> {
        let waits = self.is_working() && self.is_whole.load(Ordering::Relaxed);
        if waits {
            self.task.register(task.waker());
            self.is_half_closed.store(true, Ordering::Relaxed);
        }
        if waits { Poll::Pending } else { Poll::Ready(()) }
    }

    /// Whether the client sends nothing more and waits for an answer, or is gone.
    pub fn is_half_closed(&self) -> bool {
        self.is_half_closed.load(Ordering::Relaxed)
    }

    /// Ready when the body is late.
    pub fn poll_late(&self, task: &mut TaskContext<'_>) -> Poll<()> {
        self.task.register(task.waker());
        if self.is_late.swap(false, Ordering::Relaxed) { Poll::Ready(()) } else { Poll::Pending }
    }

    /// Ends when the connection is given up.
    pub async fn given_up(&self) {
        self.given_up.notified().await;
    }

    fn deadline(&self) -> u64 {
        self.deadline.load(Ordering::Relaxed)
    }

    /// Gives the client up, if its deadline is still the one given: returns what the server waited for. A late body has a reader, which
    /// reports this; `for_room`: the connection ends at once.
    fn give_up(&self, deadline: u64, for_room: bool) -> Option<Awaited> {
        let mut awaited = None;
        self.change(|state, now| {
            if self.deadline() == deadline {
                awaited = state.awaited.take();
                state.allowance.earn(0, now, self.patience);
            }
        });
        match awaited {
            None => {}
            Some(Awaited::Body) if !for_room => {
                self.is_late.store(true, Ordering::Relaxed);
                self.task.wake();
            }
            Some(_) => self.given_up.notify_one(),
        }
        awaited
    }
}

/// Connections that the server gave up.
#[derive(Debug, Default)]
pub(super) struct GivenUp {
    /// Because their clients were too slow, by what the server waited for.
    pub slow: [AtomicU64; Awaited::ALL.len()],
    /// To make room.
    pub for_room: AtomicU64,
}

/// The places for connections.
#[derive(Debug)]
pub(super) struct Places {
    room: Arc<Semaphore>,
    patience: Patience,
    origin: Instant,
    taken: Mutex<TakenPlaces>,
    pub given_up: GivenUp,
}

#[derive(Debug, Default)]
struct TakenPlaces {
    paces: HashMap<u64, Arc<Pace>>,
    next: u64,
    /// Those with the nearest deadlines when they were last looked for, the nearest at the end.
    nearest: Vec<(u64, u64)>,
    /// Those with later deadlines may not be the nearest any more.
    exact_until: u64,
}

/// The place of a connection. Dropping this frees it.
#[derive(Debug)]
pub(super) struct Place {
    pub pace: Arc<Pace>,
    number: u64,
    places: Arc<Places>,
    _permit: OwnedSemaphorePermit,
}

impl Drop for Place {
    fn drop(&mut self) {
        self.places.taken().paces.remove(&self.number);
    }
}

impl Places {
    pub fn new(count: usize, patience: Patience) -> Self {
        let room = Arc::new(Semaphore::new(count.clamp(1, Semaphore::MAX_PERMITS)));
        let (origin, taken) = (Instant::now(), Mutex::default());
        Self { room, patience, origin, taken, given_up: GivenUp::default() }
    }

    fn taken(&self) -> MutexGuard<'_, TakenPlaces> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Number of connections.
    pub fn count(&self) -> usize {
        self.taken().paces.len()
    }

    /// A place for a connection: a free one, or that of the client whom the server would give up first. `None` if it waits for no
    /// client.
    pub async fn take(self: &Arc<Self>) -> Option<Place> {
        let free = Arc::clone(&self.room).try_acquire_owned().ok();
        let permit = match free {
            Some(permit) => permit,
            None if self.make_room() => Arc::clone(&self.room).acquire_owned().await.ok()?,
            None => return None,
        };
        let pace = Arc::new(Pace::new(self.patience, self.origin));
        let mut taken = self.taken();
        let number = taken.next;
        taken.next += 1;
        taken.paces.insert(number, Arc::clone(&pace));
        drop(taken);
        Some(Place { pace, number, places: Arc::clone(self), _permit: permit })
    }

    /// Gives up the connection with the nearest deadline, if any has one.
    fn make_room(&self) -> bool {
        let mut taken = self.taken();
        let TakenPlaces { paces, nearest, exact_until, .. } = &mut *taken;
        for is_sorted in [false, true] {
            if is_sorted {
                nearest.clear();
                nearest.extend(paces.iter().map(|(&number, pace)| (pace.deadline(), number)));
                nearest.retain(|&(deadline, _)| deadline != NONE);
                nearest.sort_unstable_by(|one, other| other.cmp(one));
                nearest.drain(..nearest.len().saturating_sub(CONSIDERED));
                // Who comes later has a later deadline than this.
                let coming = self.patience.head.min(self.patience.pause);
                *exact_until = self.origin.elapsed().saturating_add(coming).as_millis().try_into().unwrap_or(NONE);
            }
            while let Some((deadline, number)) = nearest.pop_if(|(deadline, _)| is_sorted || *deadline <= *exact_until)
            {
                // It may have gone on meanwhile.
                if paces.get(&number).is_some_and(|pace| pace.give_up(deadline, true).is_some()) {
                    self.given_up.for_room.fetch_add(1, Ordering::Relaxed);
                    return true;
                }
            }
        }
        false
    }

    /// Gives up the connections whose deadline has passed.
    fn give_up_late(&self) {
        let now = self.origin.elapsed().as_millis() as u64;
        for pace in self.taken().paces.values() {
            let deadline = pace.deadline();
            if deadline <= now
                && let Some(awaited) = pace.give_up(deadline, false)
            {
                self.given_up.slow[awaited as usize].fetch_add(1, Ordering::Relaxed);
            }
        }
    }

    /// Gives up slow clients, for ever.
    pub async fn watch(&self) {
        loop {
            tokio::time::sleep(TICK).await;
            self.give_up_late();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PATIENCE: Patience =
        Patience { head: Duration::from_secs(10), pause: Duration::from_secs(60), least_rate: 100 };

    /// The rest of an allowance after waits of a second, each for some bytes.
    fn left(patience: Patience, waits: usize, bytes: usize) -> Duration {
        let (mut allowance, mut now) = (Allowance::full(patience), Instant::now());
        for _ in 0..waits {
            allowance.since = Some(now);
            now += Duration::from_secs(1);
            allowance.earn(bytes, now, patience);
        }
        allowance.left
    }

    #[test]
    fn bytes_earn_time_up_to_the_allowance() {
        let seconds = Duration::from_secs;
        assert_eq!(left(PATIENCE, 20, 0), seconds(40));
        assert_eq!(left(PATIENCE, 20, 50), seconds(50));
        assert_eq!(left(PATIENCE, 20, 100), seconds(60));
        assert_eq!(left(PATIENCE, 20, 10_000), seconds(60));
        assert_eq!(left(PATIENCE, 100, 0), seconds(0));
        // Without a least rate one byte is enough.
        assert_eq!(left(Patience { least_rate: 0, ..PATIENCE }, 20, 1), seconds(60));
    }

    #[tokio::test]
    async fn who_is_nearest_to_the_deadline_makes_room() {
        let places = Arc::new(Places::new(3, PATIENCE));
        let [idle, reader, busy] = [places.take().await, places.take().await, places.take().await].map(Option::unwrap);
        reader.pace.begin(true);
        reader.pace.wait(Awaited::Reader);
        busy.pace.begin(true);
        let next = tokio::spawn({
            let places = Arc::clone(&places);
            async move { places.take().await.unwrap() }
        });
        idle.pace.given_up().await;
        drop(idle);
        let next = next.await.unwrap();
        // A head that has not come is nearer to its deadline than a reader.
        assert!(places.make_room());
        next.pace.given_up().await;
        assert!(places.make_room());
        reader.pace.given_up().await;
        // Who waits for the server is not given up, and nobody twice.
        assert!(!places.make_room() && places.take().await.is_none());
        assert_eq!(places.given_up.for_room.load(Ordering::Relaxed), 3);
        drop((next, reader));
        assert_eq!(places.count(), 1);
        assert!(places.take().await.is_some());
    }

    #[tokio::test]
    async fn slow_clients_are_given_up_each_for_its_reason() {
        let places = Arc::new(Places::new(4, Patience { head: Duration::ZERO, pause: Duration::ZERO, least_rate: 1 }));
        let mut taken = Vec::new();
        for _ in 0..4 {
            taken.push(places.take().await.unwrap());
        }
        let [_, body, reader, busy] = &taken[..] else { panic!("four places") };
        for place in [body, reader, busy] {
            place.pace.begin(false);
        }
        body.pace.wait(Awaited::Body);
        reader.pace.wait(Awaited::Reader);
        places.give_up_late();
        assert_eq!(places.given_up.slow.each_ref().map(|count| count.load(Ordering::Relaxed)), [1, 1, 1]);
        taken[0].pace.given_up().await;
        reader.pace.given_up().await;
        // A late body can still be answered.
        std::future::poll_fn(|task| body.pace.poll_late(task)).await;
        places.give_up_late();
        assert_eq!(places.given_up.slow[Awaited::Body as usize].load(Ordering::Relaxed), 1);
    }

    #[test]
    fn a_client_that_sends_nothing_more_waits_for_a_whole_request() {
        let pace = Pace::new(PATIENCE, Instant::now());
        let waits = || pace.poll_half_closed(&mut TaskContext::from_waker(std::task::Waker::noop())).is_pending();
        assert!(!waits());
        pace.begin(false);
        assert!(!waits());
        pace.finish_body();
        assert!(waits() && pace.is_half_closed());
        pace.end();
        assert!(!waits());
    }
}
