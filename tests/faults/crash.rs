//! What a disk holds after the power failed: a model of files and folders of which only what was synced is certain.
//!
//! It is as strict as POSIX allows, and stricter than the usual file systems:
//!
//! - What was written to a file before a sync of that file returned is there, and so is its length. Of what was written since,
//!   each sector of 512 bytes is there or is not, one by one; where a file is longer than what arrived, it is zeros. Sectors
//!   are not torn. The length is one that the file had since it was synced.
//! - A sync of a file says nothing about its name. New names, renames and removals are certain when the folder that they are
//!   in was synced; before, any of them can be lost, by themselves or all from some moment on. A rename is atomic: there is
//!   the old name or the new one. It is certain when one of its two folders was synced.
//! - A folder that is lost takes all that is in it with it, synced or not.
//! - The call that was being carried out when the power failed has happened in part, as if it had not been synced.

use std::collections::BTreeMap;
use std::fs;
use std::ops::Range;
use std::os::unix::fs::{MetadataExt, symlink};
use std::path::{Path, PathBuf};

use super::Numbers;
use super::record::{Event, Recording};

/// What is there or is not as a whole: every disk has sectors at least as large.
const SECTOR: usize = 512;

/// What is in a folder.
#[derive(Debug, Clone)]
enum Node {
    Folder,
    Link(PathBuf),
    /// A file, by its place in [`Disk::files`].
    File(usize),
}

/// A change to the entries of folders.
#[derive(Debug, Clone)]
enum Entry {
    Made(PathBuf, Node),
    Renamed(PathBuf, PathBuf, Node),
    Removed(PathBuf),
}

/// A change to a file.
#[derive(Debug, Clone)]
enum Change {
    Length(u64),
    Written(u64, Range<usize>),
}

#[derive(Debug, Clone, Default)]
struct File {
    /// What is certain.
    synced: Vec<u8>,
    /// What is not.
    pending: Vec<Change>,
}

/// Files below a folder, as they were before a run of the program.
#[derive(Debug, Clone)]
pub struct Disk {
    entries: BTreeMap<PathBuf, Node>,
    files: Vec<File>,
    /// Which file a number in a recording means.
    numbers: BTreeMap<u64, usize>,
    pending: Vec<Entry>,
}

impl Disk {
    /// What is below a folder; all of it is certain.
    pub fn of(root: &Path) -> Self {
        let mut disk =
            Self { entries: BTreeMap::new(), files: Vec::new(), numbers: BTreeMap::new(), pending: Vec::new() };
        let mut folders = vec![root.to_path_buf()];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(&folder).expect("a folder") {
                let path = entry.expect("an entry").path();
                let found = path.symlink_metadata().expect("metadata");
                let node = if found.is_dir() {
                    folders.push(path.clone());
                    Node::Folder
                } else if found.is_symlink() {
                    Node::Link(fs::read_link(&path).expect("a link"))
                } else {
                    disk.numbers.insert(found.ino(), disk.files.len());
                    disk.files.push(File { synced: fs::read(&path).expect("a file"), pending: Vec::new() });
                    Node::File(disk.files.len() - 1)
                };
                disk.entries.insert(path.strip_prefix(root).expect("below it").to_path_buf(), node);
            }
        }
        disk
    }

    /// The disk when the power fails while event `at` happens: all before it has happened, some of it is certain.
    pub fn at(&self, recording: &Recording, at: usize) -> Self {
        let mut disk = self.clone();
        recording.events[..at].iter().for_each(|event| disk.happen(event, &recording.log));
        match &recording.events.get(at) {
            // Had it come back, all would be certain.
            None | Some(Event::Sync { .. } | Event::SyncFolder { .. }) => {}
            Some(event) => disk.happen(event, &recording.log),
        }
        disk
    }

    fn file(&mut self, number: u64) -> &mut File {
        let place = *self.numbers.get(&number).expect("a file that was there or was made");
        &mut self.files[place]
    }

    fn happen(&mut self, event: &Event, log: &[u8]) {
        match event {
            Event::Create { file, path } => {
                self.numbers.insert(*file, self.files.len());
                self.pending.push(Entry::Made(path.clone(), Node::File(self.files.len())));
                self.files.push(File::default());
            }
            Event::Write { file, at, bytes } => {
                self.file(*file).pending.push(Change::Written(*at, bytes.clone()));
            }
            Event::Length { file, length } => self.file(*file).pending.push(Change::Length(*length)),
            Event::Sync { file } => self.file(*file).sync(log),
            Event::SyncFolder { path } => self.sync_folder(path),
            Event::Rename { file, from, to } => {
                let node = Node::File(*self.numbers.get(file).expect("a file that was there or was made"));
                self.pending.push(Entry::Renamed(from.clone(), to.clone(), node));
            }
            Event::Remove { path } => self.pending.push(Entry::Removed(path.clone())),
            Event::Folder { path } => self.pending.push(Entry::Made(path.clone(), Node::Folder)),
            Event::Report { .. } => {}
        }
    }

    /// Makes what was changed in a folder certain.
    fn sync_folder(&mut self, folder: &Path) {
        let is_in = |path: &PathBuf| path.parent() == Some(folder);
        for entry in std::mem::take(&mut self.pending) {
            let certain = match &entry {
                Entry::Made(path, _) | Entry::Removed(path) => is_in(path),
                Entry::Renamed(from, to, _) => is_in(from) || is_in(to),
            };
            if certain { enter(&mut self.entries, entry) } else { self.pending.push(entry) }
        }
    }

    /// Puts below `root` what the disk may hold after the power failed.
    pub fn put(&self, root: &Path, log: &[u8], numbers: &mut Numbers) {
        let mut entries = self.entries.clone();
        let kept = Kept::some(self.pending.len(), numbers);
        for (place, entry) in self.pending.iter().enumerate() {
            if kept.keeps(place, numbers) {
                enter(&mut entries, entry.clone());
            }
        }
        for (path, node) in &entries {
            // In the order of paths, a folder comes before what is in it. What is in a lost one is lost.
            let full = root.join(path);
            if !full.parent().is_some_and(Path::is_dir) {
                continue;
            }
            match node {
                Node::Folder => fs::create_dir(full).expect("a folder"),
                Node::Link(to) => symlink(to, full).expect("a link"),
                Node::File(file) => fs::write(full, self.files[*file].after_crash(log, numbers)).expect("room"),
            }
        }
    }
}

fn enter(entries: &mut BTreeMap<PathBuf, Node>, entry: Entry) {
    match entry {
        Entry::Made(path, node) => {
            entries.insert(path, node);
        }
        Entry::Removed(path) => {
            entries.remove(&path);
        }
        Entry::Renamed(from, to, node) => {
            entries.remove(&from);
            entries.insert(to, node);
        }
    }
}

impl File {
    fn sync(&mut self, log: &[u8]) {
        let mut bytes = std::mem::take(&mut self.synced);
        for change in self.pending.drain(..) {
            change.apply(&mut bytes, log);
        }
        self.synced = bytes;
    }

    /// What is there of the file after the power failed.
    fn after_crash(&self, log: &[u8], numbers: &mut Numbers) -> Vec<u8> {
        let mut bytes = self.synced.clone();
        if self.pending.is_empty() {
            return bytes;
        }
        let kept = Kept::some(self.pending.len(), numbers);
        // All changes to the length up to some moment.
        let lengths = match kept {
            Kept::First(count) => count,
            Kept::Share(_) => numbers.below(self.pending.len() as u64 + 1) as usize,
        };
        let mut length = bytes.len();
        for (place, change) in self.pending.iter().enumerate() {
            match change {
                Change::Length(new) if place < lengths => {
                    change.apply(&mut bytes, log);
                    length = *new as usize;
                }
                Change::Length(_) => {}
                Change::Written(at, range) => {
                    if place < lengths {
                        length = length.max(*at as usize + range.len());
                    }
                    for (start, part) in sectors(*at as usize, range.clone()) {
                        if kept.keeps(place, numbers) {
                            Change::Written(start as u64, part).apply(&mut bytes, log);
                        }
                    }
                }
            }
        }
        bytes.resize(length, 0);
        bytes
    }
}

impl Change {
    fn apply(&self, bytes: &mut Vec<u8>, log: &[u8]) {
        match self {
            Self::Length(length) => bytes.resize(*length as usize, 0),
            Self::Written(at, range) => {
                let at = *at as usize;
                bytes.resize(bytes.len().max(at + range.len()), 0);
                bytes[at..at + range.len()].copy_from_slice(&log[range.clone()]);
            }
        }
    }
}

/// The parts of a write that lie in one sector each: where, and which bytes of the log.
fn sectors(at: usize, bytes: Range<usize>) -> impl Iterator<Item = (usize, Range<usize>)> {
    let mut done = 0;
    std::iter::from_fn(move || {
        let start = at + done;
        let length = (SECTOR - start % SECTOR).min(bytes.len() - done);
        let part = bytes.start + done..bytes.start + done + length;
        done += length;
        (length > 0).then_some((start, part))
    })
}

/// Which of some changes arrived.
#[derive(Debug, Clone, Copy)]
enum Kept {
    /// Those before some moment.
    First(usize),
    /// Each with this chance, in 8ths.
    Share(u64),
}

impl Kept {
    /// Everything and nothing come more often than their number would make them.
    fn some(count: usize, numbers: &mut Numbers) -> Self {
        match numbers.below(4) {
            0 => Self::First(numbers.below(count as u64 + 1) as usize),
            1 => Self::First(if numbers.below(2) == 0 { 0 } else { count }),
            _ => Self::Share(1 + numbers.below(7)),
        }
    }

    fn keeps(self, place: usize, numbers: &mut Numbers) -> bool {
        match self {
            Self::First(count) => place < count,
            Self::Share(eighths) => numbers.below(8) < eighths,
        }
    }
}

/// A file of which nothing is certain but what was synced, with its changes; the log is `log`.
#[test]
fn what_was_synced_is_certain_and_the_rest_is_not() {
    let log: Vec<u8> = (0..=255).cycle().skip(1).take(3000).collect();
    let mut file = File { synced: Vec::new(), pending: vec![Change::Written(0, 0..1000), Change::Length(700)] };
    file.sync(&log);
    assert!(file.pending.is_empty() && file.synced == log[..700]);
    file.pending = vec![Change::Written(600, 600..1700), Change::Length(1500)];
    let (mut numbers, mut lengths, mut sectors) = (Numbers(1), [0; 3], [0; 3]);
    for _ in 0..1000 {
        let after = file.after_crash(&log, &mut numbers);
        assert!(after[..600] == log[..600]);
        lengths[[700, 1700, 1500].iter().position(|&length| length == after.len()).expect("a length it had")] += 1;
        // The sectors of the write: the rest of the second, the third, the fourth.
        for (seen, sector) in sectors.iter_mut().zip([700..1024, 1024..1500, 1536..1700]) {
            let Some(found) = after.get(sector.clone()) else { continue };
            assert!(found == &log[sector] || found.iter().all(|&byte| byte == 0), "a torn sector");
            *seen += usize::from(found[0] != 0);
        }
    }
    assert!(lengths.iter().all(|&count| count > 100) && sectors.iter().all(|&count| count > 100), "{lengths:?}");
}

#[test]
fn names_are_certain_when_their_folder_was_synced() {
    let events = vec![
        Event::Folder { path: "a".into() },
        Event::Create { file: 7, path: "a/new".into() },
        Event::Sync { file: 7 },
        Event::Rename { file: 7, from: "a/new".into(), to: "a/named".into() },
        Event::SyncFolder { path: "a".into() },
        Event::SyncFolder { path: "".into() },
    ];
    let ended = super::Ended { code: Some(0), stdout: String::new(), stderr: String::new() };
    let recording = Recording { ended, events, log: Vec::new(), reached: false, failed: false };
    let empty = tempfile::tempdir().expect("a folder");
    let disk = Disk::of(empty.path());
    let (mut numbers, mut named) = (Numbers(2), [0; 4]);
    for round in 0..400 {
        let root = tempfile::tempdir().expect("a folder");
        // While it is renamed, while its folder is synced, before the folder above is, and after.
        disk.at(&recording, 3 + round % 4).put(root.path(), &recording.log, &mut numbers);
        let there = |name: &str| root.path().join(name).exists();
        assert!(!(there("a/new") && there("a/named")), "a rename is atomic");
        assert!(round % 4 < 2 || there("a/named") == there("a"), "the folder was synced");
        named[round % 4] += usize::from(there("a/named"));
    }
    assert!(named[..3].iter().all(|&count| count > 10 && count < 90) && named[3] == 100, "{named:?}");
}
