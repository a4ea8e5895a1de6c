//! How many files a farm has, and where.

use super::super::folder::SHARDS_A_FOLDER;

/// The plan, the list of items and the options of the last submit.
const FIXED_FILES: u64 = 3;
/// The farm's own folder, and those of shards, of jobs and of logs.
const FIXED_FOLDERS: u64 = 4;
/// Files in the farm's own folder.
const TOP_ENTRIES: u64 = FIXED_FILES + FIXED_FOLDERS - 1;
/// The script of an array, and its note.
const FILES_OF_AN_ARRAY: u64 = 2;

/// Files and folders of a farm.
#[derive(Debug)]
pub(super) struct FileCount {
    /// Entries of each folder of shards.
    shards: Vec<u64>,
    /// Entries of the folder of each array's logs.
    logs: Vec<u64>,
    pub files: u64,
    pub most: u64,
    pub fullest: u64,
}

impl FileCount {
    pub fn new(shards: u32) -> Self {
        let folders = shards.div_ceil(SHARDS_A_FOLDER) as usize;
        let fullest = TOP_ENTRIES.max(folders as u64);
        Self { shards: vec![0; folders], logs: Vec::new(), files: FIXED_FILES, most: FIXED_FILES, fullest }
    }

    /// An array of tasks is submitted; returns its number.
    pub fn add_array(&mut self) -> usize {
        self.logs.push(0);
        // The folder of jobs has more entries than that of the logs' folders.
        let jobs = self.logs.len() as u64 * FILES_OF_AN_ARRAY;
        self.count(FILES_OF_AN_ARRAY, jobs);
        self.logs.len() - 1
    }

    /// A task of an array writes its log.
    pub fn add_log(&mut self, array: usize) {
        self.logs[array] += 1;
        self.count(1, self.logs[array]);
    }

    /// Changes the number of files of a shard.
    pub fn change(&mut self, shard: u32, before: u64, now: u64) {
        let folder = &mut self.shards[(shard / SHARDS_A_FOLDER) as usize];
        *folder = *folder + now - before;
        let entries = *folder;
        self.files -= before;
        self.count(now, entries);
    }

    pub fn arrays(&self) -> u64 {
        self.logs.len() as u64
    }

    pub fn folders(&self) -> u64 {
        FIXED_FOLDERS + self.shards.len() as u64 + self.arrays()
    }

    fn count(&mut self, more: u64, entries: u64) {
        self.files += more;
        self.most = self.most.max(self.files);
        self.fullest = self.fullest.max(entries);
    }
}
