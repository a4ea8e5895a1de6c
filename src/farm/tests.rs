//! Farms from plan to merger, over a table that is built in a moment.

use std::fs;
use std::path::Path;

use super::*;
use twistbase_core::context::Context;
use twistbase_core::error::Result;
use twistbase_database::{Database, SolveRequest, TableCheck, TableId};
use twistbase_levelset::Kernel;
use twistbase_puzzle::cube3::Cover;
use twistbase_solve::CosetOptions;
use twistbase_store::{json_line_of, seal_text, unseal_text};
use twistbase_tables::BuildRequest;

/// A folder with a database and a farm that checks its table's ninety rows in shards of 25.
struct FarmSite {
    folder: tempfile::TempDir,
    database: Database,
    farm: Farm,
}

fn corners() -> TableId {
    "square1-corners".parse().unwrap()
}

impl FarmSite {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let database = Database::open(folder.path().join("store")).unwrap();
        database.build(corners(), &BuildRequest::default(), &Context::silent()).unwrap();
        let farm = Self::plan(&database, &folder.path().join("farm")).unwrap();
        Self { folder, database, farm }
    }

    fn plan(database: &Database, folder: &Path) -> Result<Farm> {
        let request = PlanRequest::verify(corners(), database)?.in_shards(ShardSize::Items(25));
        Farm::create(database, folder, &request, &Context::silent())
    }

    /// Works on shards; returns what became of each.
    fn work(&self, shards: Option<Vec<u32>>, ctx: &Context) -> Result<Vec<ShardReport>> {
        let mut reports = Vec::new();
        let mut request = TaskRequest { shards, ..TaskRequest::default() };
        request.solver.options.kernel = Kernel::detect();
        self.farm.work(&self.database, &request, ctx, &mut |report| {
            reports.push(report.clone());
            Ok(())
        })?;
        Ok(reports)
    }

    fn merge(&self) -> Result<FarmMergeReport> {
        let how = FarmMerge { output: Some(self.output()), partial: false };
        self.farm.merge(&self.database, &how, &Context::silent())
    }

    fn output(&self) -> std::path::PathBuf {
        self.folder.path().join("check.json")
    }

    fn status(&self, check: bool) -> FarmStatus {
        self.farm.status(check, &Context::silent()).unwrap()
    }
}

/// The fault of a result that fails because of data.
fn fault<T: std::fmt::Debug>(result: Result<T>) -> Fault {
    match result {
        Err(Error::Data(error)) => error.fault,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_farm_comes_to_what_the_rows_come_to() {
    let (site, ctx) = (FarmSite::new(), Context::silent());
    let plan = site.farm.plan();
    assert_eq!((plan.shards(), plan.items, plan.items_of(3).unwrap()), (4, 90, 75..90));
    assert!(matches!(plan.items_of(4), Err(Error::Usage(_))));
    assert_eq!(site.status(false).missing, 4);
    // Nothing is merged of what is not whole.
    let report = site.merge().unwrap();
    assert_eq!((report.merged, report.refused.len(), site.output().exists()), (0, 4, false));

    let reports = site.work(Some(vec![2]), &ctx).unwrap();
    assert_eq!((reports[0].outcome, reports[0].items), (ShardOutcome::Done, 25));
    assert_eq!(site.work(Some(vec![2]), &ctx).unwrap()[0].outcome, ShardOutcome::Known);
    let reports = site.work(None, &ctx).unwrap();
    assert_eq!(reports.iter().map(|report| report.items).collect::<Vec<_>>(), [25, 25, 0, 15]);
    let status = site.status(true);
    assert!(status.is_done() && status.to_do.is_empty() && status.damaged == Some(0), "{status:?}");

    let report = site.merge().unwrap();
    assert!(report.complete && report.refused.is_empty());
    assert_eq!((report.merged, report.items_merged, report.summary.records()), (4, 90, 90));
    // The rows one by one, without a farm.
    let checker = site.database.row_checker(corners(), u64::MAX, Kernel::detect()).unwrap();
    let checks = (0..90).map(|row| checker.check(row, &ctx).unwrap());
    let check = TableCheck::of(corners(), None, &plan.tables[0].digest, checks).unwrap();
    assert!(check.holds);
    assert_eq!(fs::read_to_string(site.output()).unwrap(), json_line_of(&check));
    assert_eq!(site.merge().unwrap().check, Some(check));
}

#[test]
fn a_shard_goes_on_where_it_was_stopped() {
    let (site, ctx) = (FarmSite::new(), Context::silent());
    let paths = site.farm.folder.shard(0);
    ctx.cancel();
    assert!(matches!(site.work(Some(vec![0]), &ctx), Err(Error::Interrupted)));
    // What a task had finished: the first rows of the shard, as its journal keeps them.
    let whole = FarmSite::new();
    whole.work(Some(vec![0]), &Context::silent()).unwrap();
    let list = site.farm.plan().list(&site.farm.folder).unwrap();
    let records = shard_file::ShardFile::read(&whole.farm, &list, 0).unwrap().records;
    let (mut journal, _) = journal::ShardJournal::open(&paths.journal(), &site.farm.plan().id, 0, &list).unwrap();
    records[..9].iter().for_each(|record| journal.add(record).unwrap());
    assert_eq!(site.status(false).interrupted, 1);
    let report = &site.work(Some(vec![0]), &Context::silent()).unwrap()[0];
    assert_eq!((report.items, report.journalled), (16, 9));
    assert_eq!(shard_file::ShardFile::read(&site.farm, &list, 0).unwrap().records, records);
    assert!(!paths.journal().exists() && !paths.lock().exists());
}

#[test]
fn a_task_at_work_keeps_others_away() {
    let (site, ctx) = (FarmSite::new(), Context::silent());
    let claim = claim::Claim::acquire(&site.farm.folder.shard(1).lock(), 1).unwrap();
    assert!(matches!(site.work(Some(vec![1]), &ctx), Err(Error::Busy { .. })));
    assert_eq!(site.work(None, &ctx).unwrap()[1].outcome, ShardOutcome::Busy);
    assert_eq!((site.status(false).running, site.status(false).done), (1, 3));
    drop(claim);
    assert_eq!(site.work(None, &ctx).unwrap()[1].outcome, ShardOutcome::Done);
}

#[test]
fn every_changed_byte_of_a_shard_is_noticed_and_mended() {
    let (site, ctx) = (FarmSite::new(), Context::silent());
    site.work(None, &ctx).unwrap();
    let path = site.farm.folder.shard(1).done();
    let sound = fs::read(&path).unwrap();
    for at in (0..sound.len()).step_by(sound.len().div_ceil(60)) {
        let mut changed = sound.clone();
        changed[at] ^= 1 << (at % 8);
        fs::write(&path, &changed).unwrap();
        let report = site.merge().unwrap();
        assert_eq!((report.complete, report.refused.len(), report.refused[0].shard), (false, 1, 1), "byte {at}");
    }
    assert_eq!((site.status(true).damaged, site.status(true).to_do), (Some(1), vec![1]));
    assert!(!site.output().exists());
    let reports = site.work(None, &ctx).unwrap();
    assert_eq!((reports[0].outcome, reports[1].outcome), (ShardOutcome::Known, ShardOutcome::Done));
    assert!(site.merge().unwrap().complete && !site.farm.folder.shard(1).damaged().exists());
}

#[test]
fn shards_of_other_plans_and_places_are_refused() {
    let (site, ctx) = (FarmSite::new(), Context::silent());
    site.work(None, &ctx).unwrap();
    let other = FarmSite::new();
    let path = |site: &FarmSite, shard| site.farm.folder.shard(shard).done();
    fs::copy(path(&site, 2), path(&other, 2)).unwrap();
    assert_eq!(fault(other.work(Some(vec![2]), &ctx)), Fault::Stale);
    assert_eq!((other.status(true).damaged, other.status(false).done), (Some(1), 0));
    // Of several shards the others are done all the same.
    assert_eq!(fault(other.work(None, &ctx)), Fault::Stale);
    assert_eq!(other.status(true).done, other.farm.shards() - 1);
    fs::copy(path(&site, 1), path(&site, 2)).unwrap();
    let refused = site.merge().unwrap().refused;
    assert!(refused.len() == 1 && refused[0].fault.detail.contains("holds shard 1"), "{refused:?}");
    // What is in the wrong place is done again.
    assert_eq!(site.status(false).done, site.farm.shards() - 1);
    site.work(None, &ctx).unwrap();
    assert_eq!(site.status(true).done, site.farm.shards());
}

#[test]
fn plans_of_other_programs_and_tables_are_refused() {
    let site = FarmSite::new();
    let path = site.farm.folder.plan();
    let text = fs::read_to_string(&path).unwrap();
    let open_with = |from: &str, to: &str| {
        let line = unseal_text(&text).unwrap().replacen(from, to, 1);
        assert_ne!(line, unseal_text(&text).unwrap());
        fs::write(&path, seal_text(line)).unwrap();
        Farm::open(site.farm.path())
    };
    assert_eq!(fault(open_with(twistbase_store::CREATOR, "twistbase 0.1.0")), Fault::Stale);
    assert_eq!(fault(open_with("\"twistbase_farm\":1", "\"twistbase_farm\":2")), Fault::Foreign);
    // Numbers of another cover, or of before plans named theirs.
    let checks = json_line_of(&FarmWork::Verify(VerifyWork::new(corners())));
    let mut cosets = json_line_of(&FarmWork::Cosets(CosetWork::new(&CosetOptions::default()).unwrap()));
    assert!(open_with(checks.trim_end(), cosets.trim_end()).is_ok());
    for (from, to) in [(Cover::identity(), "0123456789abcdef"), ("\"cover\":\"0123456789abcdef\",", "")] {
        cosets = cosets.replace(from, to);
        assert_eq!(fault(open_with(checks.trim_end(), cosets.trim_end())), Fault::Stale, "{cosets}");
    }
    for (from, to) in
        [("[25,50,75,90]", "[25,50,75,89]"), ("[25,50,75,90]", "[25,25,75,90]"), ("\"first\":0", "\"first\":null")]
    {
        assert_eq!(fault(open_with(from, to)), Fault::Damaged, "{to}");
    }
    fs::write(&path, text.replacen("25", "26", 1)).unwrap();
    assert_eq!(fault(Farm::open(site.farm.path())), Fault::Damaged);
    fs::write(&path, "{}").unwrap();
    assert_eq!(fault(Farm::open(site.farm.path())), Fault::Foreign);
    fs::remove_file(&path).unwrap();
    assert_eq!(fault(Farm::open(site.farm.path())), Fault::Missing);
    fs::write(&path, &text).unwrap();
    // A table to a depth is another one.
    let request = BuildRequest { depth: Some(4), force: true, ..BuildRequest::default() };
    site.database.build(corners(), &request, &Context::silent()).unwrap();
    assert_eq!(fault(site.work(Some(vec![0]), &Context::silent())), Fault::Stale);
    assert_eq!(site.status(false).failed, 1);
    assert!(matches!(FarmSite::plan(&site.database, site.farm.path()), Err(Error::Usage(_))));
}

#[test]
fn lists_are_checked_with_every_line() {
    let (folder, options) = (tempfile::tempdir().unwrap(), CosetOptions::default());
    for list in ["5\n6\n5\n", "x\n", "-1", "138639780"] {
        assert!(matches!(PlanRequest::coset_list(list, &options), Err(Error::Usage(_))), "{list}");
    }
    let request = PlanRequest::coset_list(" 9\n\n3 \n", &options).unwrap();
    assert_eq!(request.items(), 2);
    let database = Database::open(folder.path()).unwrap();
    let positions = |list: &str| {
        let request = SolveRequest { table: Some("phase1".parse().unwrap()), ..SolveRequest::default() };
        PlanRequest::positions(list, &request, &database)
    };
    assert_eq!(positions("R U\n\nF2\n").unwrap().items(), 2);
    let Err(Error::Line { number, .. }) = positions("R U\n\nR X\n") else { panic!("R X is a position") };
    assert_eq!(number, 3);
    let nothing = Farm::create(&database, &folder.path().join("farm"), &positions("\n").unwrap(), &Context::silent());
    assert!(matches!(nothing, Err(Error::Usage(_))));
    // Without a table that was named there has to be one.
    assert_eq!(fault(PlanRequest::positions("R", &SolveRequest::default(), &database)), Fault::Missing);
}
