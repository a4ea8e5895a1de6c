//! Progress of long work on standard error: a bar on a terminal, a few lines elsewhere.
//!
//! Work reports each block of a level, a hundred thousand in a fraction of a second and from every thread:
//! [`Progress::advance`] is one atomic addition, and a thread of our own looks at the sum now and then.

use std::io;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use twistbase_core::context::{Progress, Silent};
use twistbase_core::threads;

use super::{format, standard_error};

/// How often the bar moves. A stage shorter than this shows none.
const TICK: Duration = Duration::from_millis(100);
/// Time to the first line about a long stage, without a terminal. Each further line comes after twice that time.
const LINE_EVERY: Duration = Duration::from_secs(5);
/// The longest time between two lines: logs of days stay short, and show that the work goes on.
const LONGEST_SILENCE: Duration = Duration::from_secs(300);
/// A stage shorter than this leaves no line behind: a log of twelve levels that took a millisecond helps nobody.
const WORTH_A_LINE: Duration = Duration::from_millis(300);

/// Progress on standard error, its lines as text or as JSON, or nowhere.
pub fn for_terminal(quiet: bool, json: bool) -> Arc<dyn Progress> {
    let is_capable = standard_error::is_capable(&io::stderr());
    if quiet { Arc::new(Silent) } else { Arc::new(Reporter::start(is_capable, json)) }
}

/// Shows progress until it is dropped.
struct Reporter {
    shared: Arc<TickerState>,
    ticker: Option<JoinHandle<()>>,
}

struct TickerState {
    /// Units of the current stage that are done.
    done: AtomicU64,
    state: Mutex<State>,
    /// Wakes the ticker when it is to end.
    ending: Condvar,
    terminal: bool,
    /// Whether lines are objects.
    json: bool,
}

#[derive(Default)]
struct State {
    stage: Option<Stage>,
    ended: bool,
}

impl State {
    /// The next tick draws it again.
    fn take_bar_away(&mut self) {
        if let Some(bar) = self.stage.as_mut().and_then(|stage| stage.bar.take()) {
            bar.finish_and_clear();
        }
    }
}

/// Some work with a known number of units.
struct Stage {
    name: String,
    total: u64,
    unit: String,
    started: Instant,
    /// The bar, once the stage lasts long enough for one.
    bar: Option<ProgressBar>,
    /// When the next line is due, where there is no terminal.
    next_line: Instant,
}

impl Reporter {
    fn start(terminal: bool, json: bool) -> Self {
        let state = Mutex::new(State::default());
        let shared = Arc::new(TickerState { done: AtomicU64::new(0), state, ending: Condvar::new(), terminal, json });
        let seen = Arc::clone(&shared);
        // Without a thread to spare there is no progress to see, and nothing else is wrong.
        let ticker = threads::start("progress", move || seen.run()).ok();
        Self { shared, ticker }
    }
}

impl Drop for Reporter {
    fn drop(&mut self) {
        let mut state = self.shared.lock();
        state.stage = None;
        state.ended = true;
        drop(state);
        self.shared.ending.notify_all();
        if let Some(ticker) = self.ticker.take() {
            // It only panics when the bar does; the work it showed is not affected.
            let _ = ticker.join();
        }
    }
}

impl Progress for Reporter {
    fn begin(&self, name: &str, total: u64, unit: &str) {
        let mut state = self.shared.lock();
        self.shared.close_stage(&mut state);
        self.shared.done.store(0, Ordering::Relaxed);
        let started = Instant::now();
        let (name, unit, next_line) = (name.to_owned(), unit.to_owned(), started + LINE_EVERY);
        state.stage = Some(Stage { name, total, unit, started, bar: None, next_line });
    }

    fn advance(&self, count: u64) {
        self.shared.done.fetch_add(count, Ordering::Relaxed);
    }

    fn note(&self, line: &str) {
        let mut state = self.shared.lock();
        state.take_bar_away();
        standard_error::tell(line, self.shared.json);
    }

    fn make_way(&self) {
        self.shared.lock().take_bar_away();
    }

    fn end(&self) {
        self.shared.close_stage(&mut self.shared.lock());
    }
}

impl TickerState {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The ticker's thread.
    fn run(&self) {
        let mut state = self.lock();
        while !state.ended {
            state = self.ending.wait_timeout(state, TICK).unwrap_or_else(PoisonError::into_inner).0;
            let done = self.done.load(Ordering::Relaxed);
            if let Some(stage) = &mut state.stage {
                if self.terminal { stage.draw(done) } else { stage.write_line_if_due(done, self.json) }
            }
        }
    }

    /// Ends the stage; a long one leaves a line where there is no terminal.
    fn close_stage(&self, state: &mut State) {
        let Some(stage) = state.stage.take() else { return };
        let elapsed = stage.started.elapsed();
        if !self.terminal && elapsed >= WORTH_A_LINE {
            // A total may have been an estimate.
            let done = self.done.load(Ordering::Relaxed);
            let time = format::seconds(elapsed.as_secs_f64());
            let line = format!("{}: {} {} in {time}", stage.name, format::grouped(done), stage.unit);
            standard_error::tell(&line, self.json);
        }
    }
}

impl Stage {
    fn draw(&mut self, done: u64) {
        let (total, elapsed) = (self.total, self.started.elapsed());
        if elapsed < TICK {
            return;
        }
        let name = &self.name;
        let bar = self.bar.get_or_insert_with(|| {
            ProgressBar::with_draw_target(Some(total), ProgressDrawTarget::stderr())
                .with_style(style())
                .with_message(name.clone())
        });
        // A clone is another handle of the same bar.
        let bar = bar.clone();
        let done = done.min(total);
        bar.set_position(done);
        // Draws the bar. The figures are ours: indicatif's estimate takes longer to settle than most stages last.
        bar.set_prefix(self.figures(done, elapsed));
    }

    fn write_line_if_due(&mut self, done: u64, json: bool) {
        let now = Instant::now();
        if now < self.next_line {
            return;
        }
        self.next_line = now + (now - self.started).clamp(LINE_EVERY, LONGEST_SILENCE);
        let line = format!("{}: {}", self.name, self.figures(done.min(self.total), self.started.elapsed()));
        standard_error::tell(&line, json);
    }

    /// How far the stage is, how fast it goes, and how long it will take.
    fn figures(&self, done: u64, elapsed: Duration) -> String {
        let rate = done as f64 / elapsed.as_secs_f64().max(f64::MIN_POSITIVE);
        let percent = done as f64 * 100.0 / self.total.max(1) as f64;
        let rate_text = if rate < 100.0 { format!("{rate:.1}") } else { format::grouped(rate as u64) };
        let left = match done {
            0 => String::new(),
            _ => format!(", {} left", format::seconds((self.total - done) as f64 / rate)),
        };
        let (done, total) = (format::grouped(done), format::grouped(self.total));
        format!("{percent:.0}%, {done} of {total} {}, {rate_text}/s{left}", self.unit)
    }
}

impl Drop for Stage {
    /// Takes the bar away, also when the work ends early.
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

fn style() -> ProgressStyle {
    let plain = ProgressStyle::default_bar();
    let ours = ProgressStyle::with_template("{msg:12} {bar:30} {prefix}");
    ours.map_or(plain, |style| style.progress_chars("█▉▊▋▌▍▎▏ "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stage(total: u64) -> Stage {
        let started = Instant::now();
        Stage { name: "level 9".into(), total, unit: "blocks".into(), started, bar: None, next_line: started }
    }

    #[test]
    fn a_line_says_how_far_and_how_long() {
        let figures = stage(113_400).figures(28_350, Duration::from_secs(5));
        assert_eq!(figures, "25%, 28,350 of 113,400 blocks, 5,670/s, 15.0 s left");
        assert_eq!(stage(0).figures(0, Duration::ZERO), "0%, 0 of 0 blocks, 0.0/s");
    }

    #[test]
    fn many_threads_may_report_and_the_ticker_ends() {
        let reporter = Reporter::start(false, false);
        reporter.begin("level 1", 40_000, "blocks");
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| (0..10_000).for_each(|_| reporter.advance(1)));
            }
        });
        assert_eq!(reporter.shared.done.load(Ordering::Relaxed), 40_000);
        reporter.end();
        drop(reporter);
    }
}
