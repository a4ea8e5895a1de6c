//! What a farm has found, brought together.

use std::io::Write;
use std::path::{Path, PathBuf};

use rayon::prelude::*;
use serde::Serialize;

use super::record::{FarmFinding, FarmRecord};
use super::shard_file::ShardFile;
use super::summary::FarmSummary;
use super::work::FarmWork;
use super::{FARM, Farm};
use twistbase_core::context::Context;
use twistbase_core::error::{DataError, Error, Result};
use twistbase_cosets::{CosetRecord, CosetResults};
use twistbase_database::{Database, TableCheck};
use twistbase_store::{NewFile, json_line_of};

/// Shards that are in memory at a time.
const SHARDS_AT_ONCE: u32 = 64;

/// How the findings of a farm are brought together.
#[derive(Debug, Clone, Default)]
pub struct FarmMerge {
    /// The file to write answers about positions, or what checking a table came to, into; cosets go into the database.
    pub output: Option<PathBuf>,
    /// Whether to merge the other shards if some are missing or refused. The check of a table needs all of them.
    pub partial: bool,
}

/// What bringing a farm together came to, as JSON: `schema/json/farm-merge.json`.
#[derive(Debug, Clone, Serialize)]
pub struct FarmMergeReport {
    /// The folder.
    #[serde(serialize_with = "twistbase_database::path_as_text")]
    pub farm: PathBuf,
    /// The plan.
    pub plan: String,
    /// Whether every item of the plan was counted, just once.
    pub complete: bool,
    /// Shards in all.
    pub shards: u32,
    /// Shards that were merged.
    pub merged: u32,
    /// Items in all.
    pub items: u64,
    /// Items of the shards that were merged.
    pub items_merged: u64,
    /// Results that the database did not know, or not so well (cosets).
    pub new: Option<u64>,
    /// The sum of the merged records.
    pub summary: FarmSummary,
    /// What checking all rows came to (verify).
    pub check: Option<TableCheck>,
    /// The file that was written.
    pub output: Option<PathBuf>,
    /// Shards that were not merged, and why.
    pub refused: Vec<RefusedShard>,
}

/// A shard that was not merged.
#[derive(Debug, Clone, Serialize)]
pub struct RefusedShard {
    /// The shard.
    pub shard: u32,
    /// Why.
    #[serde(flatten)]
    pub fault: DataError,
}

impl Farm {
    /// Brings together what was found: results about cosets into the database, answers and checks into a file. Shards that are
    /// damaged, of other tables, of another plan or of another version are refused, and so are results that disagree with those
    /// of the database. Nothing is merged unless every shard is there and sound, or part of it is wanted. Merging once more
    /// changes nothing.
    ///
    /// # Errors
    /// [`Error::Usage`] if a file to write is missing, or given without need, and for a partial merge of work that needs all
    /// shards; [`Error::Io`], [`Error::Busy`], [`Error::Interrupted`]. Shards that are refused
    /// are no error: the report lists them.
    pub fn merge(&self, database: &Database, how: &FarmMerge, ctx: &Context) -> Result<FarmMergeReport> {
        self.check_request(how)?;
        let mut report = self.empty_report();
        // What is not sound is known before anything is merged.
        let sound = self.look_at_all(&mut report, ctx)?;
        if !report.refused.is_empty() && !how.partial {
            return Ok(report);
        }
        match &self.plan().work {
            FarmWork::Cosets(_) => self.merge_cosets(database, how, &sound, &mut report, ctx)?,
            FarmWork::Solve(_) => self.merge_answers(how, &sound, &mut report, ctx)?,
            FarmWork::Verify(_) => self.merge_rows(how, &sound, &mut report, ctx)?,
        }
        report.complete = report.merged == report.shards && report.items_merged == report.items;
        ctx.progress().end();
        Ok(report)
    }

    fn check_request(&self, how: &FarmMerge) -> Result<()> {
        let usage = |text: &str| Err(Error::Usage(text.to_owned()));
        match (&self.plan().work, &how.output) {
            (FarmWork::Cosets(_), Some(_)) => usage("results about cosets go to the store; leave out --output"),
            (FarmWork::Solve(_) | FarmWork::Verify(_), None) => {
                usage("answers and checks go to a file; name it with --output")
            }
            (FarmWork::Verify(_), _) if how.partial => {
                usage("a check of a table needs all its rows; leave out --partial")
            }
            _ => Ok(()),
        }
    }

    fn empty_report(&self) -> FarmMergeReport {
        FarmMergeReport {
            farm: self.path().to_path_buf(),
            plan: self.plan().id.clone(),
            complete: false,
            shards: self.shards(),
            merged: 0,
            items: self.plan().items,
            items_merged: 0,
            new: None,
            summary: FarmSummary::empty(&self.plan().work),
            check: None,
            output: None,
            refused: Vec::new(),
        }
    }

    /// The shards that are sound; the others are refused.
    fn look_at_all(&self, report: &mut FarmMergeReport, ctx: &Context) -> Result<Vec<u32>> {
        let list = self.plan().list(&self.folder)?;
        ctx.progress().begin("checking shards", self.shards().into(), "shards");
        let looked = (0..self.shards()).into_par_iter().map(|shard| {
            ctx.check()?;
            let read = ShardFile::read(self, &list, shard);
            ctx.progress().advance(1);
            match read {
                Ok(_) => Ok(None),
                Err(Error::Data(fault)) => Ok(Some(RefusedShard { shard, fault })),
                Err(other) => Err(other),
            }
        });
        let refused: Vec<Option<RefusedShard>> = looked.collect::<Result<_>>()?;
        let sound = (0..).zip(&refused).filter(|(_, refused)| refused.is_none()).map(|(shard, _)| shard).collect();
        report.refused = refused.into_iter().flatten().collect();
        Ok(sound)
    }

    /// Hands the records of shards on, a shard at a time, in their order.
    fn each_shard(
        &self,
        shards: &[u32],
        ctx: &Context,
        take: &mut dyn FnMut(u32, ShardFile) -> Result<()>,
    ) -> Result<()> {
        let list = self.plan().list(&self.folder)?;
        ctx.progress().begin("merging shards", shards.len() as u64, "shards");
        for some in shards.chunks(SHARDS_AT_ONCE as usize) {
            let read = some.par_iter().map(|&shard| Ok((shard, ShardFile::read(self, &list, shard)?)));
            for (shard, file) in read.collect::<Result<Vec<_>>>()? {
                ctx.check()?;
                take(shard, file)?;
                ctx.progress().advance(1);
            }
        }
        Ok(())
    }

    fn merge_cosets(
        &self,
        database: &Database,
        how: &FarmMerge,
        shards: &[u32],
        report: &mut FarmMergeReport,
        ctx: &Context,
    ) -> Result<()> {
        database.store().dir_for(FARM)?;
        let cosets = database.cosets();
        // Nobody else writes from here on: what agrees with the results that are there still does when it is put.
        let writer = cosets.results().writer(ctx)?;
        if !how.partial {
            self.each_shard(shards, ctx, &mut |shard, file| {
                let mut records = file.records.iter().filter_map(FarmRecord::as_coset);
                let compared = records.try_for_each(|record| check_agrees(writer.results(), record));
                report.refuse(shard, compared).map(drop)
            })?;
            if !report.refused.is_empty() {
                return Ok(());
            }
        }
        let mut new = 0;
        self.each_shard(shards, ctx, &mut |shard, file| {
            let results: Vec<CosetRecord> = file.records.iter().filter_map(FarmRecord::as_coset).cloned().collect();
            if let Some(more) = report.refuse(shard, writer.put(&results))? {
                new += more;
                report.count(&file);
            }
            Ok(())
        })?;
        report.new = Some(new);
        Ok(())
    }

    fn merge_answers(
        &self,
        how: &FarmMerge,
        shards: &[u32],
        report: &mut FarmMergeReport,
        ctx: &Context,
    ) -> Result<()> {
        let Some(path) = &how.output else { return Ok(()) };
        let mut to = NewFile::create(path)?;
        self.each_shard(shards, ctx, &mut |_, file| {
            report.count(&file);
            for record in &file.records {
                if let FarmFinding::Answer(answer) = &record.found {
                    write_line(&mut to, path, &answer.line())?;
                }
            }
            Ok(())
        })?;
        to.publish()?;
        report.output = Some(path.clone());
        Ok(())
    }

    fn merge_rows(&self, how: &FarmMerge, shards: &[u32], report: &mut FarmMergeReport, ctx: &Context) -> Result<()> {
        let (Some(path), [table]) = (&how.output, self.plan().tables.as_slice()) else { return Ok(()) };
        let mut checks = Vec::new();
        self.each_shard(shards, ctx, &mut |_, file| {
            report.count(&file);
            checks.extend(file.records.into_iter().filter_map(FarmRecord::into_row));
            Ok(())
        })?;
        let check = TableCheck::of(table.id()?, table.depth, &table.digest, checks)?;
        NewFile::write_whole(path, json_line_of(&check).as_bytes())?;
        report.output = Some(path.clone());
        report.check = Some(check);
        Ok(())
    }
}

/// Fails if a result disagrees with the one that is there.
fn check_agrees(results: &CosetResults, record: &CosetRecord) -> Result<()> {
    let Some(known) = results.get(record.coset)? else { return Ok(()) };
    let combined = known.combined(record.clone());
    combined.map(drop).map_err(|why| results.disagrees(record.coset, &why))
}

fn write_line(to: &mut NewFile, path: &Path, line: &str) -> Result<()> {
    to.write_all(line.as_bytes()).map_err(|source| Error::io("write", path, source))
}

impl FarmMergeReport {
    /// What came of a shard; none if it is refused for what its records, or those that are there about the same, are like.
    fn refuse<T>(&mut self, shard: u32, outcome: Result<T>) -> Result<Option<T>> {
        match outcome {
            // The shard is refused, not the database.
            Err(Error::Data(fault)) if fault.row.is_some() => {
                self.refused.push(RefusedShard { shard, fault });
                Ok(None)
            }
            other => other.map(Some),
        }
    }

    /// Counts a shard that was merged.
    fn count(&mut self, file: &ShardFile) {
        self.merged += 1;
        self.items_merged += file.records.len() as u64;
        self.summary.add(&file.head.summary);
    }
}
