//! Records of optimal searches, and the file to which they are added and from which an interrupted run continues.

use std::collections::HashMap;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use crate::store::sync_name;

/// How every line begins, as far as it has been written.
const BEGINNING: &[u8] = b"{\"number\":";

/// How often answers are brought to the disk: a crash of the machine loses no more than come in this time.
const SYNC_EVERY: Duration = Duration::from_secs(1);

/// The answer to a line of a batch, as JSON and as a line of a result file: `schema/json/optimal-cube3.json`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct OptimalRecord {
    /// The number of the line among those that are not blank, from 1.
    pub number: u64,
    /// The line.
    pub input: String,
    /// What was asked.
    #[serde(flatten)]
    pub asked: OptimalQuestion,
    /// The pruning table.
    pub table: String,
    /// The length of the shortest solutions, if one was found.
    pub length: Option<u8>,
    /// One of them.
    pub solution: Option<String>,
    /// There is no solution of fewer moves.
    pub at_least: u8,
    /// Solutions that were found.
    pub solutions: u64,
    /// All of them, where more than one was asked for.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub found: Option<Vec<String>>,
    /// Whether the solutions are all that were asked for.
    pub complete: bool,
    /// Nodes visited.
    pub nodes: u64,
    /// Look-ups made in the table.
    pub look_ups: u64,
    /// Seconds that it took.
    pub seconds: f64,
}

/// What was asked about each line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OptimalQuestion {
    /// The puzzle.
    pub puzzle: String,
    /// How moves are counted.
    pub metric: String,
    /// Where solutions lead instead of solved, as it was given.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub goal: Option<String>,
    /// How it is solved.
    pub method: String,
    /// Up to how many moves more than the shortest all solutions were wanted; `null` for one solution.
    pub extra: Option<u8>,
    /// At most so many solutions.
    pub limit: Option<u64>,
}

/// The answers known, by number and input.
pub(super) type KnownRecords = HashMap<(u64, String), OptimalRecord>;

/// The file, locked while it is open.
#[derive(Debug)]
pub(super) struct ResultFile {
    path: PathBuf,
    file: File,
    /// Whether nothing has been written to it.
    is_empty: bool,
    /// When the file was brought to the disk last.
    synced: Instant,
}

impl ResultFile {
    /// Opens the file, which need not exist, and returns the complete answers in it.
    ///
    /// A last line without end was being written when its program ended: it is dropped. So is all from the first line with
    /// a zero byte on: JSON has none, but a power cut leaves them in place of what had not been brought to the disk.
    ///
    /// # Errors
    /// [`Error::Usage`] when the file holds something else, or answers to another question; [`Error::Busy`];
    /// [`Error::Io`].
    pub fn open(path: &Path, asked: &OptimalQuestion) -> Result<(Self, KnownRecords)> {
        let mut file = OpenOptions::new()
            .read(true)
            .append(true)
            .create(true)
            .open(path)
            .map_err(|source| Error::io("open", path, source))?;
        sync_name(path)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let what = format!("the result file {}", path.display());
                return Err(Error::Busy { what, holder: "another process".to_owned() });
            }
            Err(TryLockError::Error(source)) => return Err(Error::io("lock", path, source)),
        }
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map_err(|source| Error::io("read", path, source))?;
        let sound = bytes.iter().position(|&byte| byte == 0).unwrap_or(bytes.len());
        let whole = bytes[..sound].iter().rposition(|&byte| byte == b'\n').map_or(0, |end| end + 1);
        let (whole, torn) = bytes[..sound].split_at(whole);
        let known = parse(path, whole, asked)?;
        // Only what this program began is taken away: the first line after its beginning is on the disk.
        let is_begun = torn.iter().zip(BEGINNING).all(|(byte, expected)| byte == expected);
        let is_lost = bytes.len() <= BEGINNING.len() && bytes.iter().all(|&byte| byte == 0);
        if !is_begun || (sound == 0 && !is_lost) {
            return Err(foreign(path, whole.iter().filter(|&&byte| byte == b'\n').count() + 1));
        }
        if whole.len() < bytes.len() {
            // For certain, before anything is written in its place: of two lines a power cut could otherwise make one.
            let shortened = file.set_len(whole.len() as u64).and_then(|()| file.sync_all());
            shortened.map_err(|source| Error::io("shorten", path, source))?;
        }
        let is_empty = whole.is_empty();
        Ok((Self { path: path.to_path_buf(), file, is_empty, synced: Instant::now() }, known))
    }

    /// Adds an answer. It is in the hands of the system when this returns: the end of this program, however it comes, does not
    /// lose it.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn add(&mut self, record: &OptimalRecord) -> Result<()> {
        let line = json_line(record)?;
        let mut line = line.as_bytes();
        if self.is_empty {
            // So that what a power cut leaves is known to be this program's.
            self.write(BEGINNING)?;
            self.sync()?;
            self.is_empty = false;
            line = &line[BEGINNING.len()..];
        }
        self.write(line)?;
        if self.synced.elapsed() >= SYNC_EVERY {
            self.sync()?;
        }
        Ok(())
    }

    fn write(&mut self, bytes: &[u8]) -> Result<()> {
        self.file.write_all(bytes).map_err(|source| Error::io("write to", &self.path, source))
    }

    /// Brings the answers to the disk.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn sync(&mut self) -> Result<()> {
        self.file.sync_data().map_err(|source| Error::io("write to", &self.path, source))?;
        self.synced = Instant::now();
        Ok(())
    }
}

/// A record as a line with its end.
fn json_line(record: &OptimalRecord) -> Result<String> {
    let text = serde_json::to_string(record).map_err(|error| Error::io("write", "a record", error.into()))?;
    Ok(text + "\n")
}

/// The complete answers among whole lines.
fn parse(path: &Path, lines: &[u8], asked: &OptimalQuestion) -> Result<KnownRecords> {
    let mut known = KnownRecords::new();
    for (number, line) in (1..).zip(lines.split(|&byte| byte == b'\n')).filter(|(_, line)| !line.is_empty()) {
        let record: OptimalRecord = serde_json::from_slice(line).map_err(|_| foreign(path, number))?;
        if record.asked != *asked {
            return Err(Error::Usage(format!(
                "{} holds answers to another question (line {number}: metric, goal, extra moves or limit differ); \
                 give another file",
                path.display()
            )));
        }
        if record.complete {
            known.insert((record.number, record.input.clone()), record);
        }
    }
    Ok(known)
}

fn foreign(path: &Path, line: usize) -> Error {
    Error::Usage(format!("line {line} of {} is no answer of this program; give another file", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line_of(record: &OptimalRecord) -> String {
        json_line(record).unwrap()
    }

    fn asked(metric: &str) -> OptimalQuestion {
        let [puzzle, method] = ["cube3", "optimal"].map(str::to_owned);
        OptimalQuestion { puzzle, metric: metric.to_owned(), goal: None, method, extra: None, limit: None }
    }

    fn record(number: u64, complete: bool) -> OptimalRecord {
        OptimalRecord {
            number,
            input: format!("R{number}"),
            asked: asked("htm"),
            table: "phase1".to_owned(),
            length: Some(1),
            solution: Some("R".to_owned()),
            at_least: 1,
            solutions: 1,
            found: None,
            complete,
            nodes: 3,
            look_ups: 4,
            seconds: 0.5,
        }
    }

    #[test]
    fn a_torn_line_is_dropped_and_the_rest_is_known() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("answers");
        let (mut results, known) = ResultFile::open(&path, &asked("htm")).unwrap();
        assert!(known.is_empty());
        assert!(matches!(ResultFile::open(&path, &asked("htm")), Err(Error::Busy { .. })));
        results.add(&record(1, true)).unwrap();
        results.add(&record(2, false)).unwrap();
        drop(results);
        let whole = std::fs::read(&path).unwrap();
        let third = line_of(&record(3, true));
        for cut in 0..third.len() {
            std::fs::write(&path, [&whole, &third.as_bytes()[..cut]].concat()).unwrap();
            let (_, known) = ResultFile::open(&path, &asked("htm")).unwrap();
            assert_eq!(known, KnownRecords::from([((1, "R1".to_owned()), record(1, true))]));
            assert_eq!(std::fs::read(&path).unwrap(), whole);
        }
        assert!(matches!(ResultFile::open(&path, &asked("qtm")), Err(Error::Usage(_))));
    }

    #[test]
    fn what_a_power_cut_left_is_dropped() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("answers");
        let lines = [1, 2, 3].map(|number| line_of(&record(number, true)));
        let first = lines[0].len();
        for lost in 0..=BEGINNING.len() {
            std::fs::write(&path, vec![0; lost]).unwrap();
            let (mut results, known) = ResultFile::open(&path, &asked("htm")).unwrap();
            assert!(known.is_empty());
            results.add(&record(1, true)).unwrap();
            assert_eq!(std::fs::read(&path).unwrap(), lines[0].as_bytes());
        }
        // Some bytes of the second and the third line never came to the disk.
        for lost in [first..first + 1, first + 5..first + 9, first + 5..first + lines[1].len() + 7] {
            let mut bytes = lines.concat().into_bytes();
            bytes[lost].fill(0);
            std::fs::write(&path, &bytes).unwrap();
            let (_, known) = ResultFile::open(&path, &asked("htm")).unwrap();
            assert_eq!(known, KnownRecords::from([((1, "R1".to_owned()), record(1, true))]));
            assert_eq!(std::fs::read(&path).unwrap(), lines[0].as_bytes());
        }
    }

    #[test]
    fn other_files_are_left_alone() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("notes");
        for text in [
            "R U\n",
            "R U",
            "\0\0\0\0\0\0\0\0\0\0\0",
            "\0R",
            "R\0{\"number\":",
            "{\"a\":1}\n",
            "\u{fe}\u{ff}\n{\"number\":",
        ] {
            std::fs::write(&path, text).unwrap();
            assert!(matches!(ResultFile::open(&path, &asked("htm")), Err(Error::Usage(_))), "{text}");
            assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
        }
    }

    fn fuzz(inputs: u64) {
        let lines: Vec<String> = (1..4).map(|number| line_of(&record(number, number < 3))).collect();
        let right = [lines.concat().into_bytes(), lines[0].clone().into_bytes()];
        crate::fuzz::fuzz("files of answers", inputs, &right, 1 << 16, |bytes| {
            // What is read is the answers of lines that are complete.
            match parse(Path::new("answers"), bytes, &asked("htm")) {
                Ok(known) => assert!(known.iter().all(|(key, found)| {
                    found.complete && found.asked == asked("htm") && *key == (found.number, found.input.clone())
                })),
                Err(error) => assert!(matches!(error, Error::Usage(_)), "{error}"),
            }
        });
    }

    #[test]
    fn any_bytes_are_answers_or_refused() {
        fuzz(2000);
    }

    #[test]
    #[ignore = "long suite: half a million files of answers"]
    fn half_a_million_files_are_answers_or_refused() {
        fuzz(crate::fuzz::many(500_000));
    }
}
