//! What happens on a farm, event after event.

use std::collections::{BTreeMap, VecDeque};
use std::f64::consts::TAU;

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::files::FileCount;
use super::staging::Staging;
use super::{FarmModel, Simulated};

/// Events after which the simulation gives up: some farms never end.
const MOST_EVENTS: u64 = 4_000_000;
/// However its time spreads, an item takes this part of the mean.
const LEAST_SHARE: f64 = 0.01;
const HOUR: f64 = 3600.0;

/// A farm that is simulated.
pub(super) struct Simulation<'a> {
    model: &'a FarmModel,
    rng: ChaCha8Rng,
    now: f64,
    /// What happens next, by the bits of its time, which order times from 0 on as numbers, and by when it was planned.
    moments: BTreeMap<(u64, u64), Happening>,
    /// Events that were planned so far: of two at the same time the one that was planned first comes first.
    planned: u64,
    shards: Vec<ModelShard>,
    nodes: Vec<ModelNode>,
    /// Of each node as many as it has tasks at the same time.
    slots: Vec<ModelSlot>,
    /// Slots that may be free, the next one last.
    free: Vec<u32>,
    /// Shards that wait for a slot.
    queue: VecDeque<u32>,
    /// Shards to be submitted again.
    missing: Vec<u32>,
    staging: Staging,
    /// Distinguishes the planned end of staging from earlier plans.
    staging_plan: u64,
    files: FileCount,
    running: u64,
    sums: SimulatedSums,
}

/// The sums.
#[derive(Debug, Default)]
struct SimulatedSums {
    finished: u32,
    tasks: u64,
    resubmissions: u64,
    node_failures: u64,
    task_seconds: f64,
    work_seconds: f64,
    lost_seconds: f64,
    journalled: u64,
    staged: u64,
}

/// A shard.
#[derive(Debug, Clone)]
pub(super) struct ModelShard {
    pub items: u64,
    /// Items with stored results.
    done: u64,
    /// Time of an item on one core.
    pub item_seconds: f64,
    /// The array that it is in, and whether there is a log of it there.
    array: usize,
    is_logged: bool,
    has_failed: bool,
    /// Files that it has.
    files: u64,
}

#[derive(Debug, Clone)]
struct ModelNode {
    is_up: bool,
    tables: Tables,
}

/// Whether a node has the tables.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Tables {
    Absent,
    Coming,
    There,
}

#[derive(Debug, Clone, Default)]
struct ModelSlot {
    task: Option<ModelTask>,
    /// Distinguishes the planned end of its task from those of earlier tasks.
    plan: u64,
    /// Whether it is in the list of free slots.
    is_listed: bool,
}

/// A task that runs.
#[derive(Debug, Clone, Copy)]
struct ModelTask {
    shard: u32,
    started: f64,
    /// When its first item begins; not known while it waits for tables.
    works_from: Option<f64>,
    end: TaskEnd,
}

/// How a task ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TaskEnd {
    /// The shard is finished.
    Finished,
    /// By itself: its journal is there.
    Failed,
    /// By the time limit: its journal is there.
    Cut,
    /// With its node: the synced part of its journal remains.
    Lost,
}

/// What happens.
#[derive(Debug, Clone, Copy)]
enum Happening {
    TaskEnds { slot: u32, plan: u64 },
    Staged { plan: u64 },
    NodeFails,
    NodeIsBack { node: u32 },
}

impl<'a> Simulation<'a> {
    /// A farm before anything was submitted. The model has been checked.
    pub fn new(model: &'a FarmModel, seed: u64) -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let shards = cut(model, &mut rng);
        let slots = model.nodes as usize * model.tasks_per_node as usize;
        let tables = if model.stage_bytes == 0 { Tables::There } else { Tables::Absent };
        Self {
            model,
            rng,
            now: 0.0,
            moments: BTreeMap::new(),
            planned: 0,
            nodes: vec![ModelNode { is_up: true, tables }; model.nodes as usize],
            slots: vec![ModelSlot { is_listed: true, ..ModelSlot::default() }; slots],
            free: (0..slots as u32).rev().collect(),
            queue: VecDeque::new(),
            missing: (0..shards.len() as u32).collect(),
            staging: Staging::new(model.stage_bytes, model.server_bandwidth),
            staging_plan: 0,
            files: FileCount::new(shards.len() as u32),
            shards,
            running: 0,
            sums: SimulatedSums::default(),
        }
    }

    /// The shards.
    #[cfg(test)]
    pub fn shards(&self) -> &[ModelShard] {
        &self.shards
    }

    /// Plays it to its end.
    pub fn run(mut self) -> Simulated {
        self.submit();
        self.plan_failure();
        let mut events = 0;
        while (self.sums.finished as usize) < self.shards.len() && events < MOST_EVENTS {
            self.start_tasks();
            if self.running == 0 && self.queue.is_empty() {
                self.sums.resubmissions += 1;
                self.submit();
                continue;
            }
            // There is always something: a task that ends, or a node that comes back.
            let Some(((time, _), happening)) = self.moments.pop_first() else { break };
            events += 1;
            self.now = f64::from_bits(time);
            match happening {
                Happening::TaskEnds { slot, plan } if self.slots[slot as usize].plan == plan => self.end_task(slot),
                Happening::Staged { plan } if self.staging_plan == plan => self.end_staging(),
                Happening::TaskEnds { .. } | Happening::Staged { .. } => {}
                Happening::NodeFails => {
                    self.plan_failure();
                    self.fail_a_node();
                }
                Happening::NodeIsBack { node } => {
                    self.nodes[node as usize].is_up = true;
                    self.free_slots(node);
                }
            }
        }
        self.outcome(events)
    }

    fn plan(&mut self, time: f64, what: Happening) {
        self.planned += 1;
        self.moments.insert((time.to_bits(), self.planned), what);
    }

    /// Submits the missing shards.
    fn submit(&mut self) {
        let mut missing = std::mem::take(&mut self.missing);
        // As `farm resubmit` finds them.
        missing.sort_unstable();
        for shards in missing.chunks(self.model.largest_array as usize) {
            let array = self.files.add_array();
            for &shard in shards {
                let shard = &mut self.shards[shard as usize];
                (shard.array, shard.is_logged) = (array, false);
            }
        }
        self.queue.extend(missing);
    }

    /// Starts tasks as long as there are shards and slots.
    fn start_tasks(&mut self) {
        let most = self.model.throttle.map_or(u64::MAX, u64::from);
        while self.running < most && !self.queue.is_empty() {
            let Some(slot) = self.free_slot() else { return };
            if let Some(shard) = self.queue.pop_front() {
                self.start_task(slot, shard);
            }
        }
    }

    fn free_slot(&mut self) -> Option<u32> {
        while let Some(slot) = self.free.pop() {
            self.slots[slot as usize].is_listed = false;
            if self.nodes[self.node_of(slot)].is_up {
                return Some(slot);
            }
        }
        None
    }

    fn node_of(&self, slot: u32) -> usize {
        (slot / self.model.tasks_per_node) as usize
    }

    fn slots_of(&self, node: u32) -> std::ops::Range<u32> {
        let tasks = self.model.tasks_per_node;
        node * tasks..(node + 1) * tasks
    }

    /// Lists the slots of a node that is up.
    fn free_slots(&mut self, node: u32) {
        for slot in self.slots_of(node).rev() {
            if !std::mem::replace(&mut self.slots[slot as usize].is_listed, true) {
                self.free.push(slot);
            }
        }
    }

    fn start_task(&mut self, slot: u32, number: u32) {
        self.running += 1;
        self.sums.tasks += 1;
        let shard = &mut self.shards[number as usize];
        if !std::mem::replace(&mut shard.is_logged, true) {
            self.files.add_log(shard.array);
        }
        // Its journal and its lock.
        let files = 2 + u64::from(shard.has_failed);
        self.set_files(number, files);
        let (started, end) = (self.now, TaskEnd::Cut);
        self.slots[slot as usize].task = Some(ModelTask { shard: number, started, works_from: None, end });
        let node = self.node_of(slot);
        match self.nodes[node].tables {
            Tables::There => return self.begin_work(slot),
            Tables::Coming => {}
            Tables::Absent => {
                self.nodes[node].tables = Tables::Coming;
                self.staging.begin(node as u32, self.now);
                self.plan_staging();
            }
        }
        self.slots[slot as usize].plan += 1;
        if let Some(limit) = self.model.time_limit {
            self.plan_end(slot, started + limit);
        }
    }

    /// A task whose node has the tables begins: its end is known, unless the node fails.
    fn begin_work(&mut self, slot: u32) {
        let Some(mut task) = self.slots[slot as usize].task else { return };
        let shard = &self.shards[task.shard as usize];
        let left = (shard.items - shard.done) as f64 * shard.item_seconds / self.model.speed();
        let from = self.now + self.model.overhead_seconds;
        let (mut time, mut end) = (from + left, TaskEnd::Finished);
        if self.model.task_failure > 0.0 && self.rng.random::<f64>() < self.model.task_failure {
            (time, end) = (from + left * self.rng.random::<f64>(), TaskEnd::Failed);
        }
        if let Some(limit) = self.model.time_limit.map(|limit| task.started + limit).filter(|&limit| limit < time) {
            (time, end) = (limit, TaskEnd::Cut);
        }
        (task.works_from, task.end) = (Some(from), end);
        let state = &mut self.slots[slot as usize];
        state.task = Some(task);
        state.plan += 1;
        self.plan_end(slot, time);
    }

    fn plan_end(&mut self, slot: u32, time: f64) {
        let plan = self.slots[slot as usize].plan;
        self.plan(time, Happening::TaskEnds { slot, plan });
    }

    /// The task of a slot ends as it was planned.
    fn end_task(&mut self, slot: u32) {
        let Some(task) = self.slots[slot as usize].task.take() else { return };
        self.account(task, task.end);
        self.slots[slot as usize].is_listed = true;
        self.free.push(slot);
    }

    /// Adds up what a task has done that is over now.
    fn account(&mut self, task: ModelTask, end: TaskEnd) {
        self.running -= 1;
        let model = self.model;
        let shard = &mut self.shards[task.shard as usize];
        let item_seconds = shard.item_seconds / model.speed();
        let worked = task.works_from.map_or(0.0, |from| (self.now - from).max(0.0));
        let left = shard.items - shard.done;
        let on_disk = match end {
            TaskEnd::Lost if model.journal_seconds > 0.0 => {
                (worked / model.journal_seconds).floor() * model.journal_seconds
            }
            _ => worked,
        };
        // An item that ends at this moment counts, whatever the rounding.
        let kept = match end {
            TaskEnd::Finished => left,
            _ => ((on_disk / item_seconds * (1.0 + 1e-12)).floor() as u64).min(left),
        };
        shard.done += kept;
        self.sums.task_seconds += self.now - task.started;
        self.sums.work_seconds += kept as f64 * shard.item_seconds;
        self.sums.journalled += kept;
        if end != TaskEnd::Finished {
            self.sums.lost_seconds += (worked - kept as f64 * item_seconds).max(0.0);
        }
        shard.has_failed |= end == TaskEnd::Failed;
        let failed = u64::from(shard.has_failed);
        match end {
            TaskEnd::Finished => {
                self.sums.finished += 1;
                // For a moment the new file stands beside the journal and the lock.
                self.set_files(task.shard, 3 + failed);
                self.set_files(task.shard, 1);
            }
            TaskEnd::Failed | TaskEnd::Cut => {
                self.set_files(task.shard, 1 + failed);
                self.missing.push(task.shard);
            }
            // The batch system starts it again; the lock stays.
            TaskEnd::Lost => self.queue.push_back(task.shard),
        }
    }

    fn set_files(&mut self, number: u32, files: u64) {
        let before = std::mem::replace(&mut self.shards[number as usize].files, files);
        self.files.change(number, before, files);
    }

    /// Nodes fail as often in every hour, whatever they do: the next one of all.
    fn plan_failure(&mut self) {
        let rate = self.model.node_failures_per_hour * f64::from(self.model.nodes) / HOUR;
        if rate > 0.0 {
            let wait = -(1.0 - self.rng.random::<f64>()).ln() / rate;
            self.plan(self.now + wait, Happening::NodeFails);
        }
    }

    /// One of all nodes fails, if it is up.
    fn fail_a_node(&mut self) {
        let number = self.rng.random_range(0..self.model.nodes);
        let node = &mut self.nodes[number as usize];
        if !std::mem::replace(&mut node.is_up, false) {
            return;
        }
        self.sums.node_failures += 1;
        if node.tables == Tables::Coming {
            self.staging.abandon(number, self.now);
            self.plan_staging();
        }
        if self.model.stage_bytes > 0 {
            self.nodes[number as usize].tables = Tables::Absent;
        }
        for slot in self.slots_of(number) {
            let state = &mut self.slots[slot as usize];
            state.plan += 1;
            if let Some(task) = state.task.take() {
                self.account(task, TaskEnd::Lost);
            }
        }
        self.plan(self.now + self.model.node_return_seconds, Happening::NodeIsBack { node: number });
    }

    /// Plans the end of staging anew, when somebody began or fell out.
    fn plan_staging(&mut self) {
        self.staging_plan += 1;
        if let Some(time) = self.staging.next_end() {
            self.plan(time, Happening::Staged { plan: self.staging_plan });
        }
    }

    /// A node has its tables, and its tasks begin.
    fn end_staging(&mut self) {
        if let Some(node) = self.staging.end(self.now) {
            self.sums.staged += 1;
            self.nodes[node as usize].tables = Tables::There;
            for slot in self.slots_of(node) {
                self.begin_work(slot);
            }
        }
        self.plan_staging();
    }

    fn outcome(self, events: u64) -> Simulated {
        let (model, sums, files) = (self.model, &self.sums, &self.files);
        let shards = self.shards.len() as u32;
        let kept: u64 = self.shards.iter().filter(|shard| shard.done == shard.items).map(|shard| shard.items).sum();
        let written = kept as f64 * model.item_bytes as f64 + sums.journalled as f64 * model.journal_bytes as f64;
        let core_seconds = sums.task_seconds * f64::from(model.cores);
        let unfinished = shards - sums.finished;
        let mut reasons = Vec::new();
        if unfinished > 0 {
            reasons.push(format!("{unfinished} of {shards} shards are unfinished after {events} events"));
        }
        let (most, folders) = (files.most, files.folders());
        if most + folders > model.files {
            reasons.push(format!("{most} files and {folders} folders exceed the limit of {}", model.files));
        }
        if files.fullest > model.folder_entries {
            reasons.push(format!("{} entries in a folder exceed the limit of {}", files.fullest, model.folder_entries));
        }
        Simulated {
            items: model.items,
            cores: model.cores_in_all(),
            shards,
            items_per_shard: model.items.div_ceil(shards.into()),
            arrays: files.arrays(),
            tasks: sums.tasks,
            resubmissions: sums.resubmissions,
            node_failures: sums.node_failures,
            wall_seconds: self.now,
            core_seconds,
            work_seconds: sums.work_seconds,
            lost: ratio(sums.lost_seconds, sums.task_seconds),
            cost: core_seconds / HOUR * model.price,
            files: files.files,
            files_at_most: most,
            folders,
            fullest_folder: files.fullest,
            bytes: kept.saturating_mul(model.item_bytes),
            written_per_second: ratio(written, self.now),
            staged_bytes: sums.staged.saturating_mul(model.stage_bytes),
            unfinished,
            fits: reasons.is_empty(),
            reasons,
        }
    }
}

/// Cuts the items into shards of equal numbers; draws how long the items of each take on average.
fn cut(model: &FarmModel, rng: &mut ChaCha8Rng) -> Vec<ModelShard> {
    let shards = model.shards();
    let bound = |shard: u32| (u128::from(model.items) * u128::from(shard) / u128::from(shards)) as u64;
    let shard = |number| {
        let items = bound(number + 1) - bound(number);
        let item_seconds = match model.item_spread {
            0.0 => model.item_seconds,
            spread => model.item_seconds + normal(rng) * spread / (items as f64).sqrt(),
        };
        let item_seconds = item_seconds.max(model.item_seconds * LEAST_SHARE);
        ModelShard { items, done: 0, item_seconds, array: 0, is_logged: false, has_failed: false, files: 0 }
    };
    (0..shards).map(shard).collect()
}

/// A number of the normal distribution (Box and Muller's method).
fn normal(rng: &mut ChaCha8Rng) -> f64 {
    let (radius, angle) = (1.0 - rng.random::<f64>(), rng.random::<f64>());
    (-2.0 * radius.ln()).sqrt() * (TAU * angle).cos()
}

fn ratio(part: f64, whole: f64) -> f64 {
    if whole > 0.0 { part / whole } else { 0.0 }
}
