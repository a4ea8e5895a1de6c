//! Plans: the work, its shards and its tables.

use std::io::Read;
use std::ops::Range;
use std::path::Path;
use std::time::Duration;

use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::folder::FarmFolder;
use super::split::{MOST_SHARDS, ShardSize, shard_ends};
use super::stage::hash_file;
use super::work::{CosetWork, FarmWork, SolveWork, VerifyWork};
use super::{FARM, Farm, fault_of};
use twistbase_core::context::Context;
use twistbase_core::error::{DataError, Error, Fault, Remedy, Result};
use twistbase_cosets::CoverRange;
use twistbase_database::lines::{all_lines_of, is_passed_over};
use twistbase_database::{Database, SolveRequest, TableId};
use twistbase_levelset::Kernel;
use twistbase_puzzle::cube3::notation::parse_position;
use twistbase_puzzle::cube3::{Cover, Metric};
use twistbase_solve::CosetOptions;
use twistbase_store::{
    CREATOR, Manifest, NewFile, TableState, create_folder, json_line_of, read_regular, seal_text, seconds_since_1970,
    unseal_text,
};
use twistbase_tables::{self as tables, Definition};

/// The version of everything in a farm's folder.
const VERSION: u32 = 1;

/// The work to plan.
#[derive(Debug, Clone)]
pub struct PlanRequest {
    work: FarmWork,
    items: PlanItems,
    size: ShardSize,
    item_time: Option<Duration>,
}

/// What the items are.
#[derive(Debug, Clone)]
enum PlanItems {
    /// Numbers: of cosets in the cover, of rows.
    Numbers(Range<u64>),
    /// Lines of a text.
    Lines(Vec<String>),
}

impl PlanRequest {
    /// The work of one core that a shard is to be where nothing else is said.
    pub const SHARD_TIME: Duration = Duration::from_secs(3600);

    fn new(work: FarmWork, items: PlanItems) -> Self {
        Self { work, items, size: ShardSize::Time(Self::SHARD_TIME), item_time: None }
    }

    /// Cosets of the cover by a range of their numbers. Only options that affect results count.
    ///
    /// # Errors
    /// [`Error::Usage`] when options contradict each other.
    pub fn cosets(range: &CoverRange, options: &CosetOptions) -> Result<Self> {
        let Range { start, end } = range.numbers();
        let items = PlanItems::Numbers(u64::from(start)..u64::from(end));
        Ok(Self::new(FarmWork::Cosets(CosetWork::new(options)?), items))
    }

    /// Cosets of the cover by a list of their numbers, one a line.
    ///
    /// # Errors
    /// [`Error::Usage`] for a number outside the cover, a repeated number, an empty list, and as
    /// [`PlanRequest::cosets`].
    pub fn coset_list(list: &str, options: &CosetOptions) -> Result<Self> {
        let count = Cover::get().count();
        let number = |(line, text): (usize, &str)| {
            let number = text.parse::<u32>().ok().filter(|&number| number < count);
            number.ok_or_else(|| {
                let last = count - 1;
                Error::Usage(format!("line {line}: {text:?} is not the number of a coset in the cover (0 to {last})"))
            })
        };
        let mut numbers = written_lines(list).map(number).collect::<Result<Vec<_>>>()?;
        numbers.sort_unstable();
        if let Some(twice) = numbers.windows(2).find(|pair| pair[0] == pair[1]) {
            return Err(Error::Usage(format!("coset {} appears twice in the list", twice[0])));
        }
        let lines = numbers.iter().map(u32::to_string).collect();
        Ok(Self::new(FarmWork::Cosets(CosetWork::new(options)?), PlanItems::Lines(lines)))
    }

    /// Positions of the Rubik's cube to be solved optimally, one a line in any notation. Without a table in the request, the
    /// strongest that the database has is planned.
    ///
    /// # Errors
    /// [`Error::Line`] with every reason why a line is no position, or for one of another colour scheme than the goal;
    /// [`Error::Usage`] for an empty list, and for a request that makes no sense or depends on the speed of a machine;
    /// [`Error::Data`] if there is no table.
    pub fn positions(list: &str, request: &SolveRequest, database: &Database) -> Result<Self> {
        let goal = request.cube3_goal()?;
        let check = |line: &str| -> Result<()> { goal.held_like(&parse_position(line)?.held()).map(drop) };
        let lines: Vec<(usize, &str)> = written_lines(list).collect();
        let wrong = lines.par_iter().find_map_first(|&(number, line)| {
            check(line).err().map(|error| Error::Line { number, error: Box::new(error) })
        });
        wrong.map_or(Ok(()), Err)?;
        let lines = lines.into_iter().map(|(_, line)| line.to_owned()).collect();
        let table = match request.table {
            Some(table) => table,
            None => strongest(request.cube3_metric()?.unwrap_or_default(), database)?,
        };
        Ok(Self::new(FarmWork::Solve(SolveWork::new(request, table)?), PlanItems::Lines(lines)))
    }

    /// All rows of a table, to be computed anew from those of their neighbours.
    ///
    /// # Errors
    /// [`Error::Usage`] for a table whose rows do not follow from others; [`Error::Data`] if it is missing or cannot be used.
    pub fn verify(table: TableId, database: &Database) -> Result<Self> {
        database.store().dir_for(FARM)?;
        // It says which tables are checked so, and what is wrong with this one.
        database.row_checker(table, u64::MAX, Kernel::detect())?;
        let rows = table.definition().layout().rows.into();
        Ok(Self::new(FarmWork::Verify(VerifyWork::new(table)), PlanItems::Numbers(0..rows)))
    }

    /// The same in shards of that size.
    #[must_use]
    pub fn in_shards(self, size: ShardSize) -> Self {
        Self { size, ..self }
    }

    /// The same with the time that an item takes on one core, where it is known: without it, it is estimated roughly.
    #[must_use]
    pub fn with_item_time(self, time: Duration) -> Self {
        Self { item_time: Some(time), ..self }
    }

    /// How many items there are.
    pub fn items(&self) -> u64 {
        match &self.items {
            PlanItems::Numbers(numbers) => numbers.end - numbers.start,
            PlanItems::Lines(lines) => lines.len() as u64,
        }
    }

    /// The ends of the shards, and what an item is expected to take on average.
    fn split(&self) -> (Vec<u64>, f64) {
        let items = self.items();
        let estimate = |item: u64| match &self.items {
            PlanItems::Numbers(_) => self.work.seconds(""),
            PlanItems::Lines(lines) => self.work.seconds(&lines[item as usize]),
        };
        let mean = (0..items).map(estimate).sum::<f64>() / items as f64;
        let measured = self.item_time.map_or(mean, |time| time.as_secs_f64());
        (shard_ends(items, self.size, |item| estimate(item) * measured / mean), measured)
    }
}

/// The lines of a text that are neither blank nor comments, without the spaces around them, with their numbers from 1.
fn written_lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    (1..).zip(all_lines_of(text)).filter(|(_, line)| !is_passed_over(line))
}

/// The strongest table that there is for optimal searches.
fn strongest(metric: Metric, database: &Database) -> Result<TableId> {
    database.store().dir_for(FARM)?;
    let candidates = tables::heuristics(metric).map(|table| TableId::from(table.definition()));
    candidates.rev().find(|&table| database.has_table(table)).ok_or_else(|| {
        let phase1: &'static dyn Definition = tables::phase_one(metric);
        let name = phase1.layout().name;
        let detail = "no pruning table for optimal searches is built";
        let file = database.store().file_of(phase1.layout());
        DataError { file, ..DataError::new(Fault::Missing, name, detail, Remedy::build(name)) }.into()
    })
}

/// A table as it was when the plan was made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlannedTable {
    /// Its name.
    pub name: String,
    /// The depth to which it was built; none if it is complete.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub depth: Option<u8>,
    /// The digest over all rows: equal tables have equal digests.
    pub digest: String,
    /// BLAKE3 of its file, to check copies.
    pub file_blake3: String,
    /// Bytes of its file.
    pub bytes: u64,
}

impl PlannedTable {
    fn of(table: TableId, database: &Database, ctx: &Context) -> Result<Self> {
        let layout = table.definition().layout();
        let file = database.store().file_for(layout, FARM)?;
        let manifest = manifest_of(table, database)?;
        let (file_blake3, bytes) = hash_file(&file, ctx)?;
        let (depth, digest) = (manifest.depth, manifest.digest);
        Ok(Self { name: layout.name.to_owned(), depth, digest, file_blake3, bytes })
    }

    /// The table.
    pub(super) fn id(&self) -> Result<TableId> {
        self.name.parse()
    }

    /// Fails unless that is the table of a database.
    pub(super) fn check(&self, database: &Database) -> Result<()> {
        let table = self.id()?;
        let file = database.store().file_for(table.definition().layout(), FARM)?;
        let found = manifest_of(table, database)?.digest;
        if found == self.digest {
            return Ok(());
        }
        let detail = format!("table {table} has the digest {found}, but the plan needs {}", self.digest);
        Err(fault_of(Fault::Stale, file, detail, Remedy::PlanFarm))
    }
}

/// The record of a table that is there.
fn manifest_of(table: TableId, database: &Database) -> Result<Manifest> {
    let layout = table.definition().layout();
    match database.store().status(layout)?.state {
        TableState::Complete(manifest) | TableState::Bounded(manifest) => Ok(*manifest),
        // It says what is wrong, and what mends it.
        _ => Ok(database.store().table_to_depth(layout)?.manifest().clone()),
    }
}

/// The plan, as `plan.json`. `schema/farm.md` states the format.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FarmPlan {
    /// The version of the format.
    twistbase_farm: u32,
    /// The program that made it, and that does the work.
    creator: String,
    /// Distinguishes plans.
    pub id: String,
    /// When it was made, in seconds since 1970.
    created: u64,
    /// The work on each item.
    pub work: FarmWork,
    /// How many items there are.
    pub items: u64,
    /// The number of the first item, where they are not lines of a list.
    first: Option<u64>,
    /// BLAKE3 of the list.
    list_blake3: Option<String>,
    /// The tables that are needed.
    pub tables: Vec<PlannedTable>,
    /// Expected seconds of one core for an item.
    pub item_seconds: f64,
    /// The number of items before the end of each shard.
    ends: Vec<u64>,
}

/// The members of a plan that every version keeps.
#[derive(Debug, Deserialize)]
struct PlanVersion {
    twistbase_farm: u32,
    creator: String,
}

impl FarmPlan {
    /// How many shards there are.
    pub fn shards(&self) -> u32 {
        self.ends.len() as u32
    }

    /// The items of a shard.
    ///
    /// # Errors
    /// [`Error::Usage`] if there is no such shard.
    pub fn items_of(&self, shard: u32) -> Result<Range<u64>> {
        let end = self.ends.get(shard as usize).copied();
        let end = end.ok_or_else(|| {
            let last = self.shards() - 1;
            Error::Usage(format!("the farm has no shard {shard}; its shards are 0 to {last}"))
        })?;
        Ok(shard.checked_sub(1).map_or(0, |before| self.ends[before as usize])..end)
    }

    /// What the items are.
    ///
    /// # Errors
    /// [`Error::Data`] if the list is missing or is not that of the plan; [`Error::Io`].
    pub(super) fn list(&self, folder: &FarmFolder) -> Result<ItemList> {
        if let Some(first) = self.first {
            return Ok(ItemList::Numbers { first });
        }
        let path = folder.items();
        let damaged = |detail: &str| fault_of(Fault::Damaged, path.clone(), detail, Remedy::PlanFarm);
        let mut text = String::new();
        match read_regular(&path).and_then(|mut file| file.read_to_string(&mut text)) {
            Err(error) if error.kind() == std::io::ErrorKind::InvalidData => {
                return Err(damaged("the file is not UTF-8 text"));
            }
            other => drop(other.map_err(|source| Error::io("read", &path, source))?),
        }
        let is_right = self.list_blake3.as_deref() == Some(blake3::hash(text.as_bytes()).to_hex().as_str());
        let lines: Vec<String> = text.lines().map(str::to_owned).collect();
        match is_right && lines.len() as u64 == self.items {
            true => Ok(ItemList::Lines(lines)),
            false => Err(damaged("the list differs from that of the plan")),
        }
    }

    /// Reads and checks the plan of a folder.
    pub(super) fn read(folder: &FarmFolder) -> Result<Self> {
        let path = folder.plan();
        let fault = |fault, detail: &str| {
            let remedy = match fault {
                Fault::Foreign => Remedy::Update,
                Fault::Missing => Remedy::PlanFarmIn { folder: folder.path().into() },
                _ => Remedy::PlanFarm,
            };
            fault_of(fault, path.clone(), detail, remedy)
        };
        let mut bytes = Vec::new();
        match read_regular(&path).and_then(|mut file| file.read_to_end(&mut bytes)) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                return Err(fault(Fault::Missing, "there is no plan in this folder"));
            }
            other => other.map_err(|source| Error::io("read", &path, source))?,
        };
        let text = str::from_utf8(&bytes).map_err(|_| fault(Fault::Foreign, "the file is not a plan of a farm"))?;
        let version: PlanVersion = serde_json::from_str(text.lines().next().unwrap_or_default())
            .map_err(|_| fault(Fault::Foreign, "the file is not a plan of a farm"))?;
        if version.twistbase_farm != VERSION {
            let found = version.twistbase_farm;
            return Err(fault(
                Fault::Foreign,
                &format!("the file has version {found}; this program reads version {VERSION}"),
            ));
        }
        let line = unseal_text(text).map_err(|detail| fault(Fault::Damaged, detail))?;
        if version.creator != CREATOR {
            let of = version.creator;
            let detail = format!("{of} made the plan and this is {CREATOR}; a farm needs one version of the program");
            return Err(fault(Fault::Stale, &detail));
        }
        let plan: Self = serde_json::from_str(line)
            .map_err(|error| fault(Fault::Damaged, &format!("the plan does not parse: {error}")))?;
        plan.check().map_err(|detail| fault(Fault::Damaged, detail))?;
        if let FarmWork::Cosets(cosets) = &plan.work {
            cosets.check_cover().map_err(|detail| fault(Fault::Stale, &detail))?;
        }
        Ok(plan)
    }

    /// Fails unless every item is in just one shard.
    fn check(&self) -> Result<(), &'static str> {
        let are_rising = self.ends.is_sorted_by(|a, b| a < b) && self.ends.first().is_some_and(|&end| end > 0);
        if !are_rising || self.ends.last() != Some(&self.items) || self.ends.len() > MOST_SHARDS as usize {
            return Err("its shards do not cover its items");
        }
        if self.first.is_some() == self.list_blake3.is_some() || self.tables.is_empty() {
            return Err("its list of items is missing");
        }
        Ok(())
    }

    fn write(&self, path: &Path) -> Result<()> {
        NewFile::write_whole(path, seal_text(json_line_of(self)).as_bytes())
    }
}

/// What the items of a plan are.
#[derive(Debug)]
pub(super) enum ItemList {
    /// Numbers from there on.
    Numbers {
        /// That of item 0.
        first: u64,
    },
    /// Lines of a text.
    Lines(Vec<String>),
}

impl ItemList {
    /// The number that an item is: of a coset in the cover, of a row.
    pub fn number(&self, item: u64) -> Option<u32> {
        match self {
            Self::Numbers { first } => u32::try_from(first + item).ok(),
            Self::Lines(lines) => lines.get(item as usize)?.parse().ok(),
        }
    }

    /// The line that an item is; empty where items are numbers.
    pub fn line(&self, item: u64) -> &str {
        match self {
            Self::Numbers { .. } => "",
            Self::Lines(lines) => lines.get(item as usize).map_or("", String::as_str),
        }
    }
}

/// A plan in short, as JSON: `schema/json/farm-plan.json`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PlanReport<'a> {
    /// The folder.
    #[serde(serialize_with = "twistbase_database::path_as_text")]
    pub farm: &'a Path,
    /// Distinguishes plans.
    pub plan: &'a str,
    /// The work on each item.
    pub work: &'a FarmWork,
    /// Items in all.
    pub items: u64,
    /// Shards in all.
    pub shards: u32,
    /// Expected seconds of one core for an item.
    pub item_seconds: f64,
    /// The tables that are needed.
    pub tables: &'a [PlannedTable],
}

impl Farm {
    /// The plan in short.
    pub fn report(&self) -> PlanReport<'_> {
        let plan = self.plan();
        PlanReport {
            farm: self.path(),
            plan: &plan.id,
            work: &plan.work,
            items: plan.items,
            shards: plan.shards(),
            item_seconds: plan.item_seconds,
            tables: &plan.tables,
        }
    }
}

impl Farm {
    /// Makes a plan, in a folder that has none. The tables that it needs must be in the database; their files are read once.
    ///
    /// # Errors
    /// [`Error::Usage`] if there is a plan already, or nothing to do; [`Error::Data`] for a table that is missing or cannot be
    /// used; [`Error::Io`], [`Error::Interrupted`].
    pub fn create(database: &Database, folder: &Path, request: &PlanRequest, ctx: &Context) -> Result<Self> {
        let paths = FarmFolder::new(folder.to_path_buf());
        if request.items() == 0 {
            return Err(Error::Usage("the list is empty".to_owned()));
        }
        if paths.plan().symlink_metadata().is_ok() {
            let there = folder.display();
            return Err(Error::Usage(format!("{there} has a plan already; choose another folder, or remove the plan")));
        }
        let needed = request.work.tables()?;
        let tables = needed.into_iter().map(|table| PlannedTable::of(table, database, ctx)).collect::<Result<_>>()?;
        let (ends, item_seconds) = request.split();
        create_folder(folder)?;
        let (first, list_blake3) = match &request.items {
            PlanItems::Numbers(numbers) => (Some(numbers.start), None),
            PlanItems::Lines(lines) => {
                let text = lines.iter().fold(String::new(), |text, line| text + line + "\n");
                NewFile::write_whole(&paths.items(), text.as_bytes())?;
                (None, Some(blake3::hash(text.as_bytes()).to_hex().to_string()))
            }
        };
        let plan = FarmPlan {
            twistbase_farm: VERSION,
            creator: CREATOR.to_owned(),
            id: Uuid::new_v4().simple().to_string(),
            created: seconds_since_1970(),
            work: request.work.clone(),
            items: request.items(),
            first,
            list_blake3,
            tables,
            item_seconds,
            ends,
        };
        paths.create_shard_folders(plan.shards())?;
        // The last file: with it the folder is a farm.
        plan.write(&paths.plan())?;
        ctx.progress().end();
        Self::open(folder)
    }
}
