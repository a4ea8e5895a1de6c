//! A finished shard: its records and their sum. `schema/farm.md` states the format.

use std::io;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::Farm;
use super::claim::host_name;
use super::plan::ItemList;
use super::record::FarmRecord;
use super::summary::FarmSummary;
use twistbase_core::error::{Error, Fault, Result};
use twistbase_store::{
    CREATOR, NewFile, json_line_of, read_regular, read_whole, seal_text, seconds_since_1970, unseal_text,
};

/// How hard it is compressed: what takes longer than computing a record takes is not worth it.
const LEVEL: i32 = 6;

/// The first line of a shard.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct ShardHead {
    /// The version of the format: that of the plan.
    twistbase_farm_shard: u32,
    /// The plan.
    plan: String,
    /// The program that did it.
    creator: String,
    /// The shard.
    shard: u32,
    /// The digests of the tables that were read, in the order of the plan.
    tables: Vec<String>,
    /// The machine that finished it.
    pub host: String,
    /// Threads that worked on it there.
    pub threads: u32,
    /// Seconds that all tasks worked on its finished items.
    pub seconds: f64,
    /// When it was finished, in seconds since 1970.
    pub finished: u64,
    /// What its records come to.
    pub summary: FarmSummary,
}

/// A shard that is done.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct ShardFile {
    pub head: ShardHead,
    /// One for each item, in their order.
    pub records: Vec<FarmRecord>,
}

impl ShardFile {
    /// The file of all records of a shard, on which tasks worked for some seconds.
    pub fn new(farm: &Farm, shard: u32, seconds: f64, records: Vec<FarmRecord>) -> Self {
        let summary = FarmSummary::of(&farm.plan().work, &records);
        let head = ShardHead {
            twistbase_farm_shard: 1,
            plan: farm.plan().id.clone(),
            creator: CREATOR.to_owned(),
            shard,
            tables: farm.plan().tables.iter().map(|table| table.digest.clone()).collect(),
            host: host_name(),
            threads: rayon::current_num_threads() as u32,
            seconds,
            finished: seconds_since_1970(),
            summary,
        };
        Self { head, records }
    }

    fn to_bytes(&self) -> io::Result<Vec<u8>> {
        let mut text = json_line_of(&self.head);
        self.records.iter().for_each(|record| text += &json_line_of(record));
        zstd::bulk::compress(seal_text(text).as_bytes(), LEVEL)
    }

    /// Writes it: all of it is there, or nothing.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn write(&self, path: &Path) -> Result<()> {
        let bytes = self.to_bytes().map_err(|source| Error::io("compress", path, source))?;
        NewFile::write_whole(path, &bytes)
    }

    /// Reads the shard of a farm, and checks that it is that shard of that plan, by this program, and that it has a sound record
    /// of each of its items.
    ///
    /// # Errors
    /// [`Error::Data`]: missing, damaged (another shard, too), or stale if it is of another plan, program or tables; [`Error::Io`].
    pub fn read(farm: &Farm, list: &ItemList, shard: u32) -> Result<Self> {
        let path = farm.folder.shard(shard).done();
        let fault = |fault, detail: String| farm.fault(fault, path.clone(), detail);
        let damaged = |detail: String| fault(Fault::Damaged, detail);
        let bytes = match read_whole(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Err(fault(Fault::Missing, "no task has finished it".to_owned()));
            }
            other => other.map_err(|source| Error::io("read", &path, source))?,
        };
        let text = zstd::stream::decode_all(&bytes[..]).ok().and_then(|text| String::from_utf8(text).ok());
        let text = text.ok_or_else(|| damaged("it does not decompress to UTF-8 text".to_owned()))?;
        let lines = unseal_text(&text).map_err(|detail| damaged(detail.to_owned()))?;
        let mut lines = lines.lines();
        let head: ShardHead = serde_json::from_str(lines.next().unwrap_or_default())
            .map_err(|error| damaged(format!("its first line does not parse: {error}")))?;
        head.check(farm).map_err(|detail| fault(Fault::Stale, detail))?;
        if head.shard != shard {
            return Err(damaged(format!("the file holds shard {}, not {shard}", head.shard)));
        }
        let records = lines
            .map(serde_json::from_str)
            .collect::<serde_json::Result<Vec<FarmRecord>>>()
            .map_err(|error| damaged(format!("a record does not parse: {error}")))?;
        let items = farm.plan().items_of(shard)?;
        if !items.eq(records.iter().map(|record| record.item)) {
            return Err(damaged("it lacks one record per item".to_owned()));
        }
        records.iter().try_for_each(|record| record.check(list)).map_err(damaged)?;
        let summary = FarmSummary::of(&farm.plan().work, &records);
        if summary != head.summary || summary.records() != records.len() as u64 {
            return Err(damaged("its summary contradicts its records".to_owned()));
        }
        Ok(Self { head, records })
    }

    /// The first line of a shard's file: quick, without a check of records. `None` if the file is missing, unreadable, or of
    /// another shard.
    pub fn head(farm: &Farm, shard: u32) -> Option<ShardHead> {
        let file = read_regular(&farm.folder.shard(shard).done()).ok()?;
        let mut text = io::BufReader::new(zstd::stream::Decoder::new(file).ok()?);
        let mut line = String::new();
        io::BufRead::read_line(&mut text, &mut line).ok()?;
        let head: ShardHead = serde_json::from_str(&line).ok()?;
        (head.shard == shard && head.check(farm).is_ok()).then_some(head)
    }
}

impl ShardHead {
    /// Whether it is of the plan of a farm; else why not.
    fn check(&self, farm: &Farm) -> Result<(), String> {
        let plan = farm.plan();
        if self.plan != plan.id {
            return Err(format!("it belongs to plan {}, not to {}", self.plan, plan.id));
        }
        if self.creator != CREATOR || self.twistbase_farm_shard != 1 {
            return Err(format!("{} ran it, but the plan is of {CREATOR}", self.creator));
        }
        if !self.tables.iter().eq(plan.tables.iter().map(|table| &table.digest)) {
            return Err("its tables differ from those of the plan".to_owned());
        }
        Ok(())
    }
}
