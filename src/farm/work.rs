//! What a farm does.

use serde::{Deserialize, Serialize};

use twistbase_core::error::{Error, Result};
use twistbase_cosets::CosetRequest;
use twistbase_database::{Named, SearchBudget, SolveMethod, SolveRequest, TableId};
use twistbase_puzzle::cube3::{Cover, Metric};
use twistbase_solve::{CosetMode, CosetOptions};
use twistbase_tables::{self as tables, Definition};

/// What a farm does with each of its items.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum FarmWork {
    /// Solves cosets of the cover, with its weights.
    Cosets(CosetWork),
    /// Solves positions of the Rubik's cube optimally.
    Solve(SolveWork),
    /// Computes the rows of a table anew from those of their neighbours, and compares.
    Verify(VerifyWork),
}

/// How cosets are solved: the part of [`CosetOptions`] that affects results.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CosetWork {
    /// The identity of the cover that numbers the cosets; empty in plans older than the current cover.
    #[serde(default)]
    cover: String,
    mode: String,
    search_depth: u8,
    depth: u8,
    prepass: bool,
    stop_at: Option<u64>,
    count_after_search: bool,
    bound_20: bool,
}

impl CosetWork {
    /// What the options ask for.
    ///
    /// # Errors
    /// [`Error::Usage`] when they contradict each other.
    pub fn new(options: &CosetOptions) -> Result<Self> {
        let options = options.clone().checked()?;
        Ok(Self {
            cover: Cover::identity().to_owned(),
            mode: options.mode.name().to_owned(),
            search_depth: options.search_depth,
            depth: options.depth,
            prepass: options.prepass,
            stop_at: options.stop_at,
            count_after_search: options.count_after_search,
            bound_20: options.bound_20,
        })
    }

    /// Fails if its cosets are numbered by another cover than this program's.
    pub(super) fn check_cover(&self) -> std::result::Result<(), String> {
        let own = Cover::identity();
        if self.cover == own {
            return Ok(());
        }
        let other = if self.cover.is_empty() { "an earlier cover" } else { &self.cover };
        Err(format!(
            "its coset numbers belong to {other}, but this program has {own}; plan a new farm (merged results stay valid)"
        ))
    }

    /// As the solver takes it; memory, kernel and checkpoints are those of `request`.
    pub(super) fn options(&self, request: &CosetRequest) -> Result<CosetOptions> {
        let mode = CosetMode::named(&self.mode)?;
        CosetOptions {
            mode,
            search_depth: self.search_depth,
            depth: self.depth,
            prepass: self.prepass,
            stop_at: self.stop_at,
            count_after_search: self.count_after_search,
            bound_20: self.bound_20,
            list_from: None,
            ..request.options.clone()
        }
        .checked()
    }

    /// What a coset takes, very roughly: a level that is searched has thirteen times the sequences of the one before.
    fn seconds(&self) -> f64 {
        if self.bound_20 {
            return 120.0;
        }
        let prepass = if self.depth > 9 { 12.0 } else { 1.0 };
        prepass + 40.0 * BRANCHING.powi(i32::from(self.search_depth) - 15)
    }
}

/// By how much a search grows with each move.
const BRANCHING: f64 = 13.35;

/// How positions are solved.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SolveWork {
    /// How moves are counted.
    metric: String,
    /// The pruning table.
    table: String,
    /// Where solutions lead instead of solved.
    goal: Option<String>,
    /// All solutions with up to this number of moves more than the shortest; `None` for one shortest solution.
    extra: Option<u8>,
    /// The limit of solutions.
    limit: Option<u64>,
    /// No solutions of more moves.
    max_depth: Option<u8>,
    /// Nodes for one position.
    max_nodes: Option<u64>,
}

impl SolveWork {
    /// The question, with the table of its search.
    ///
    /// # Errors
    /// [`Error::Usage`] for what makes no sense together, or what depends on the machine: a time.
    pub(super) fn new(request: &SolveRequest, table: TableId) -> Result<Self> {
        let metric = request.cube3_metric()?;
        let SolveRequest { method, goal, budget, target, extra, limit, max_depth, .. } = request.clone();
        if method.is_some_and(|method| method != SolveMethod::Optimal) || target.is_some() {
            return Err(Error::Usage("a farm solves positions only with the method optimal".to_owned()));
        }
        if budget.time.is_some() {
            let why = "a farm has no time limit per position, because it would depend on the machine";
            return Err(Error::Usage(format!("{why}; give a limit of nodes")));
        }
        if limit.is_some() && extra.is_none() {
            return Err(Error::Usage("a limit of solutions needs all solutions".to_owned()));
        }
        tables::find_heuristic(table.name())?;
        table.check_metric(metric)?;
        Ok(Self {
            metric: table.definition().metric().name().to_owned(),
            table: table.name().to_owned(),
            goal,
            extra,
            limit,
            max_depth,
            max_nodes: budget.nodes,
        })
    }

    /// As the solver takes it.
    pub(super) fn request(&self) -> Result<SolveRequest> {
        Ok(SolveRequest {
            method: Some(SolveMethod::Optimal),
            table: Some(self.table.parse()?),
            goal: self.goal.clone(),
            budget: SearchBudget { time: None, nodes: self.max_nodes },
            extra: self.extra,
            limit: self.limit,
            max_depth: self.max_depth,
            ..SolveRequest::default()
        })
    }

    /// What a line takes, very roughly: a sequence is solved by as many moves at most, anything else hardly by fewer than 18.
    fn seconds(&self, line: &str) -> f64 {
        const RANDOM: usize = 18;
        let is_move = |word: &str| word.starts_with(|first| "URFDLB".contains(first)) && word.len() <= 3;
        let words = line.split_whitespace().count();
        let moves = if line.split_whitespace().all(is_move) { words.min(RANDOM) } else { RANDOM };
        let moves = moves + usize::from(self.extra.unwrap_or(0));
        2e-5 + 2.0 * BRANCHING.powi(moves as i32 - RANDOM as i32)
    }
}

/// Which rows are computed anew.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct VerifyWork {
    table: String,
}

impl VerifyWork {
    /// All of a table.
    pub(super) fn new(table: TableId) -> Self {
        Self { table: table.name().to_owned() }
    }

    /// The table.
    pub(super) fn table(&self) -> Result<TableId> {
        self.table.parse()
    }
}

impl FarmWork {
    /// Its name.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Cosets(_) => "cosets",
            Self::Solve(_) => "solve",
            Self::Verify(_) => "verify",
        }
    }

    /// What an item is.
    pub const fn noun(&self) -> &'static str {
        match self {
            Self::Cosets(_) => "coset",
            Self::Solve(_) => "position",
            Self::Verify(_) => "row",
        }
    }

    /// The tables that tasks read.
    pub(super) fn tables(&self) -> Result<Vec<TableId>> {
        Ok(vec![match self {
            Self::Cosets(_) => (tables::phase_one(Metric::Htm) as &'static dyn Definition).into(),
            Self::Solve(work) => work.table.parse()?,
            Self::Verify(work) => work.table()?,
        }])
    }

    /// What an item takes on one core, very roughly; `line` is what the list says of it.
    pub(super) fn seconds(&self, line: &str) -> f64 {
        match self {
            Self::Cosets(work) => work.seconds(),
            Self::Solve(work) => work.seconds(line),
            Self::Verify(work) => {
                let entries = work.table().map_or(1, |table| table.definition().layout().row_entries());
                entries as f64 * 2e-7
            }
        }
    }
}
