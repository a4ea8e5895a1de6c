//! The changes that the program makes to the files below a folder, written down as it runs, and made to fail.
//!
//! `shim.c` says how. It catches system calls, so nothing of the program is left out: not what redb does, and not what
//! calls the kernel without the C library.

use std::ffi::OsStr;
use std::fs;
use std::ops::Range;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU64, Ordering};

use super::Ended;
use crate::support::folder::lasting_folder;

/// The compiled shim; beside it the logs are written.
static SHIM: LazyLock<PathBuf> = LazyLock::new(|| compiled("shim"));

/// A source beside this one, compiled to be loaded into the program.
pub fn compiled(name: &str) -> PathBuf {
    let shim = lasting_folder().join(name).with_extension("so");
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/faults").join(name).with_extension("c");
    let compiled = Command::new("cc")
        .args(["-shared", "-fPIC", "-O2", "-Wall", "-Wextra", "-Werror", "-o"])
        .args([&shim, &source])
        .output()
        .expect("a C compiler, which zstd needs as well");
    assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
    shim
}

/// What the program did, in order. Paths begin at the folder that was watched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Event {
    /// A file that was not there before; its number.
    Create {
        file: u64,
        path: PathBuf,
    },
    /// These bytes of the log were written at `at`.
    Write {
        file: u64,
        at: u64,
        bytes: Range<usize>,
    },
    /// A file was made so long, or short.
    Length {
        file: u64,
        length: u64,
    },
    /// A file was brought to the disk.
    Sync {
        file: u64,
    },
    /// The entries of a folder were brought to the disk.
    SyncFolder {
        path: PathBuf,
    },
    Rename {
        file: u64,
        from: PathBuf,
        to: PathBuf,
    },
    /// A name was removed: of a file, or of an empty folder.
    Remove {
        path: PathBuf,
    },
    Folder {
        path: PathBuf,
    },
    /// The program printed these bytes of the log.
    Report {
        bytes: Range<usize>,
    },
}

/// How the nth change fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way {
    /// It alone, with an error of the device.
    Once,
    /// It and all after it, with an error of the device.
    FromThenOn,
    /// It and all after it that take space, for want of it.
    Full,
    /// It alone, by a signal.
    Interrupted,
    /// It and all writes after it write half of what they should. That is no failure.
    Short,
}

impl Way {
    fn number(self) -> u32 {
        match self {
            Self::Once => 0,
            Self::FromThenOn => 1,
            Self::Full => 2,
            Self::Interrupted => 3,
            Self::Short => 4,
        }
    }

    /// The error, of Linux on every machine.
    fn error(self) -> u32 {
        const EINTR: u32 = 4;
        const EIO: u32 = 5;
        const ENOSPC: u32 = 28;
        match self {
            Self::Once | Self::FromThenOn => EIO,
            Self::Full => ENOSPC,
            Self::Interrupted => EINTR,
            Self::Short => 0,
        }
    }
}

/// A run of the program.
#[derive(Debug)]
pub struct Recording {
    pub ended: Ended,
    pub events: Vec<Event>,
    /// What the events' ranges are of.
    pub log: Vec<u8>,
    /// Whether there were as many changes as the one that was to fail, and whether it failed.
    pub reached: bool,
    pub failed: bool,
}

/// Runs a command to its end and writes down what it does below `root`; `fault` is the change that fails and how, `pause`
/// makes each write take so many milliseconds longer.
pub fn record(root: &Path, command: &mut Command, fault: Option<(u64, Way)>, pause: u64) -> Recording {
    static LOGS: AtomicU64 = AtomicU64::new(0);
    let path = SHIM.with_file_name(format!("{}.log", LOGS.fetch_add(1, Ordering::Relaxed)));
    command.env("LD_PRELOAD", &*SHIM).env("TWISTBASE_SHIM_ROOT", root).env("TWISTBASE_SHIM_LOG", &path);
    if let Some((change, way)) = fault {
        command.env("TWISTBASE_SHIM_FAULT", format!("{change} {} {}", way.error(), way.number()));
    }
    if pause > 0 {
        command.env("TWISTBASE_SHIM_PAUSE", pause.to_string());
    }
    let ended = Ended::of(command.output().expect("the program"));
    let log = fs::read(&path).expect("the shim writes it");
    fs::remove_file(path).expect("a file");
    let mut recording = Recording { ended, events: Vec::new(), log, reached: false, failed: false };
    recording.parse(root);
    recording
}

impl Recording {
    fn parse(&mut self, root: &Path) {
        const HEAD: usize = 32;
        let mut at = 0;
        while at < self.log.len() {
            let small = |place: usize| u32::from_le_bytes(self.log[at + place..][..4].try_into().expect("four bytes"));
            let large = |place: usize| u64::from_le_bytes(self.log[at + place..][..8].try_into().expect("eight bytes"));
            let (kind, file, place) = (small(0), large(16), large(24));
            let first = at + HEAD..at + HEAD + small(4) as usize;
            let second = first.end..first.end + small(8) as usize;
            at = second.end;
            let below = |range: Range<usize>| {
                let path = Path::new(OsStr::from_bytes(&self.log[range]));
                path.strip_prefix(root).expect("a path below the folder").to_path_buf()
            };
            self.events.push(match kind {
                1 => Event::Create { file, path: below(first) },
                2 => Event::Write { file, at: place, bytes: first },
                3 => Event::Length { file, length: place },
                4 if place == 1 => Event::SyncFolder { path: below(first) },
                4 => Event::Sync { file },
                5 => Event::Rename { file, from: below(first), to: below(second) },
                6 => Event::Remove { path: below(first) },
                7 => Event::Folder { path: below(first) },
                8 => Event::Report { bytes: first },
                9 => {
                    (self.reached, self.failed) = (true, self.failed || file != 0);
                    continue;
                }
                _ => panic!("system call {file} changes files in a way that is not followed"),
            });
        }
    }

    /// What the program had printed before an event.
    pub fn said(&self, before: usize) -> String {
        let reports = self.events[..before].iter().filter_map(|event| match event {
            Event::Report { bytes } => Some(&self.log[bytes.clone()]),
            _ => None,
        });
        String::from_utf8(reports.collect::<Vec<_>>().concat()).expect("text")
    }
}
