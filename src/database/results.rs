//! Records of optimal searches, and their file, from which an interrupted run resumes: `schema/results.md`.

use std::collections::HashMap;
use std::fs::{OpenOptions, TryLockError};
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::answers::cube3::{OptimalQuestion, OptimalRecord};
use super::solving::Cube3Goal;
use twistbase_core::error::{Error, Result};
use twistbase_puzzle::cube3::Metric;
use twistbase_puzzle::cube3::notation::{parse_position, parse_sequence};
use twistbase_store::{Locked, open_regular, sync_name};

/// The beginning of every line.
const BEGINNING: &[u8] = b"{\"number\":";

/// The text before the hash of a line. It replaces the end of the hashed object.
const SEAL: &str = ",\"blake3\":\"";
/// The text after the hash.
const SEAL_END: &str = "\"}";
/// Hexadecimal digits of the hash.
const SEAL_DIGITS: usize = 32;
/// The last member of a line without a hash.
const LAST_MEMBER: &[u8] = b"\"seconds\":";

/// The longest line, with its end: millions of solutions. A longer line counts as damaged.
const LONGEST_LINE: usize = 1 << 28;

/// Maximum number of damaged lines to report one by one.
const WARNINGS: usize = 10;

/// Interval of syncs to the disk: a crash of the machine loses only the answers of this time.
const SYNC_EVERY: Duration = Duration::from_secs(1);

/// Known answers by number and input.
pub(super) type KnownRecords = HashMap<(u64, String), OptimalRecord>;

/// The question about each line, and the data to check an answer.
#[derive(Debug)]
pub(super) struct ResultQuestion {
    pub question: OptimalQuestion,
    pub metric: Metric,
    pub goal: Cube3Goal,
}

/// The file, locked while it is open.
#[derive(Debug)]
pub(super) struct ResultFile {
    path: PathBuf,
    file: Locked,
    /// Whether this run has written nothing yet.
    is_empty: bool,
    /// The time of the last sync to the disk.
    synced: Instant,
}

impl ResultFile {
    /// Opens or creates the file. Returns its complete answers.
    ///
    /// Drops a last line without end: its program ended while writing. Drops everything from the first line with a zero byte on: a power
    /// cut leaves zero bytes in place of unsynced data, and JSON has none. Skips other damaged lines, with a warning.
    ///
    /// # Errors
    /// [`Error::Usage`] if the file holds something else, or answers to another question; [`Error::Busy`]; [`Error::Io`], also if it is
    /// no regular file.
    pub fn open(path: &Path, asked: &ResultQuestion) -> Result<(Self, KnownRecords)> {
        let file = open_regular(OpenOptions::new().read(true).append(true).create(true), path)
            .map_err(|source| Error::io("open", path, source))?;
        sync_name(path)?;
        let file = match file.try_lock() {
            Ok(()) => Locked::of(file),
            Err(TryLockError::WouldBlock) => {
                let what = format!("the result file {}", path.display());
                return Err(Error::Busy { what, holder: "another process".to_owned() });
            }
            Err(TryLockError::Error(source)) => return Err(Error::io("lock", path, source)),
        };
        let bytes = file.metadata().map_err(|source| Error::io("read", path, source))?.len();
        let read = read_lines(BufReader::new(&*file), asked, LONGEST_LINE);
        let lines = read.map_err(|source| Error::io("read", path, source))?;
        lines.check(path)?;
        if lines.whole < bytes {
            // Syncs before writing in its place: otherwise a power cut could merge two lines into one.
            let shortened = file.set_len(lines.whole).and_then(|()| file.sync_all());
            shortened.map_err(|source| Error::io("shorten", path, source))?;
        }
        let is_empty = lines.whole == 0;
        Ok((Self { path: path.to_path_buf(), file, is_empty, synced: Instant::now() }, lines.known))
    }

    /// Appends an answer. On return the system has it: even a killed program does not lose it.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn add(&mut self, record: &OptimalRecord) -> Result<()> {
        let line = record.line();
        let mut line = line.as_bytes();
        if self.is_empty {
            // Marks the file as this program's, even after a power cut.
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

    /// Syncs the answers to the disk.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn sync(&mut self) -> Result<()> {
        self.file.sync_data().map_err(|source| Error::io("write to", &self.path, source))?;
        self.synced = Instant::now();
        Ok(())
    }
}

impl OptimalRecord {
    /// The record as a line of a result file, with its hash and its end: `schema/results.md`.
    #[doc(hidden)]
    pub fn line(&self) -> String {
        // The record has neither maps with other keys than strings nor a failing `Serialize`.
        let mut text = serde_json::to_string(self).unwrap_or_default();
        let hash = seal_of(text.as_bytes());
        text.pop();
        text + SEAL + &hash + SEAL_END + "\n"
    }

    /// Reads a line without its end, and checks its hash if it has one.
    ///
    /// # Errors
    /// The fault.
    fn of_line(line: &[u8]) -> Result<Self, &'static str> {
        const UNREADABLE: &str = "the line is damaged";
        let sealed = line.len().checked_sub(SEAL.len() + SEAL_DIGITS + SEAL_END.len());
        let (before, seal) = line.split_at(sealed.unwrap_or(line.len()));
        let Some(hash) = seal.strip_prefix(SEAL.as_bytes()).and_then(|seal| seal.strip_suffix(SEAL_END.as_bytes()))
        else {
            // An earlier version wrote it, or its hash is damaged.
            let last = line.rsplit(|&byte| byte == b',').next().unwrap_or_default();
            let record = serde_json::from_slice(line).ok().filter(|_| last.starts_with(LAST_MEMBER));
            return record.ok_or(UNREADABLE);
        };
        let text = [before, b"}"].concat();
        if seal_of(&text).as_bytes() != hash {
            return Err("it does not match its hash");
        }
        serde_json::from_slice(&text).map_err(|_| UNREADABLE)
    }

    /// Whether the answer is complete: it has all requested solutions, or the maximum number.
    fn is_answer(&self) -> bool {
        self.complete || self.length.is_some() && self.asked.limit == Some(self.solutions)
    }

    /// Checks an [answer](Self::is_answer): applies its solutions to its position.
    ///
    /// # Errors
    /// The fault.
    fn replay(&self, asked: &ResultQuestion) -> Result<(), &'static str> {
        let start = parse_position(&self.input).map_err(|_| "its input is not a position")?.held();
        let goal = asked.goal.held_like(&start).map_err(|_| "its position has another colour scheme than the goal")?;
        let (Some(length), Some(solution)) = (self.length, &self.solution) else { return Err("it has no solution") };
        let longest = length.saturating_add(self.asked.extra.unwrap_or(0));
        let leads = |moves: &String| {
            let sequence = parse_sequence(moves).ok()?;
            (sequence.apply(&start.position) == goal).then(|| sequence.length(asked.metric))
        };
        if leads(solution) != Some(usize::from(length)) || self.at_least != length {
            return Err("its solution does not have its length");
        }
        let mut found: Vec<&String> = self.found.as_ref().map_or(vec![solution], |found| found.iter().collect());
        let lengths = usize::from(length)..=usize::from(longest);
        if !found.iter().all(|moves| leads(moves).is_some_and(|length| lengths.contains(&length))) {
            return Err("one of its solutions does not solve");
        }
        let (solutions, is_first) = (found.len(), found.first() == Some(&solution));
        found.sort_unstable();
        found.dedup();
        let is_right = found.len() == solutions && self.solutions == solutions as u64 && is_first;
        let is_asked = self.found.is_some() == self.asked.extra.is_some();
        if is_right && is_asked { Ok(()) } else { Err("the number of its solutions is wrong") }
    }
}

/// The hash of a line: that of its object without the hash.
fn seal_of(text: &[u8]) -> String {
    blake3::hash(text).to_hex()[..SEAL_DIGITS].to_owned()
}

/// A damaged line: its number from 1, and the reason.
type DamagedLine = (u64, &'static str);

/// The content of a result file.
#[derive(Debug, Default)]
struct ResultLines {
    /// Complete answers.
    known: KnownRecords,
    /// Number of answers.
    sound: u64,
    /// Damaged answers.
    damaged: Vec<DamagedLine>,
    /// The first foreign line, which does not begin like an answer.
    foreign: Option<u64>,
    /// The first answer to another question.
    other: Option<u64>,
    /// Bytes of the lines with an end.
    whole: u64,
    /// The number of a foreign rest after them.
    torn: Option<u64>,
}

/// Reads lines to the end, or to the first zero byte.
fn read_lines(mut input: impl BufRead, asked: &ResultQuestion, longest: usize) -> io::Result<ResultLines> {
    let (mut lines, mut line) = (ResultLines::default(), Vec::new());
    for number in 1.. {
        line.clear();
        input.by_ref().take(longest as u64).read_until(b'\n', &mut line)?;
        if let Some(zero) = line.iter().position(|&byte| byte == 0) {
            // Alone in a file, they may be the rest of its beginning.
            let is_lost = line.len() <= BEGINNING.len() && line.iter().all(|&byte| byte == 0);
            let is_ours = is_begun(&line[..zero]) && (zero > 0 || lines.whole > 0 || is_lost);
            lines.torn = Some(number).filter(|_| !is_ours);
            break;
        }
        let bytes = line.len() as u64;
        if line.pop_if(|byte| *byte == b'\n').is_some() {
            lines.take(number, &line, asked);
            lines.whole += bytes;
        } else if line.len() < longest {
            lines.torn = Some(number).filter(|_| !is_begun(&line));
            break;
        } else {
            lines.refuse(number, &line, "the line is longer than any answer");
            lines.whole += bytes + skip_line(&mut input)?;
        }
    }
    Ok(lines)
}

/// Reads to the end of a line; returns the bytes.
fn skip_line(input: &mut impl BufRead) -> io::Result<u64> {
    let mut skipped = 0;
    loop {
        let buffer = input.fill_buf()?;
        let end = buffer.iter().position(|&byte| byte == b'\n');
        let count = end.map_or(buffer.len(), |end| end + 1);
        input.consume(count);
        skipped += count as u64;
        if end.is_some() || count == 0 {
            return Ok(skipped);
        }
    }
}

/// Whether this may be the beginning of this program's line.
fn is_begun(line: &[u8]) -> bool {
    line.iter().zip(BEGINNING).all(|(byte, expected)| byte == expected)
}

impl ResultLines {
    /// Takes a line without its end.
    fn take(&mut self, number: u64, line: &[u8], asked: &ResultQuestion) {
        if line.is_empty() {
            return;
        }
        match OptimalRecord::of_line(line) {
            Ok(record) if record.asked != asked.question => self.other = self.other.or(Some(number)),
            Ok(record) if !record.is_answer() => self.sound += 1,
            Ok(record) => match record.replay(asked) {
                Ok(()) => {
                    self.sound += 1;
                    self.known.insert((record.number, record.input.clone()), record);
                }
                Err(reason) => self.refuse(number, line, reason),
            },
            Err(reason) => self.refuse(number, line, reason),
        }
    }

    /// Skips a line.
    fn refuse(&mut self, number: u64, line: &[u8], reason: &'static str) {
        if line.len() < BEGINNING.len() || !is_begun(line) {
            self.foreign = self.foreign.or(Some(number));
        }
        self.damaged.push((number, reason));
    }

    /// Rejects a file that is no result file or answers another question. Warns of damaged lines.
    fn check(&self, path: &Path) -> Result<()> {
        let foreign = |line: u64| {
            let file = path.display();
            Err(Error::Usage(format!("line {line} of {file} is not an answer of this program; give another file")))
        };
        // Removes only this program's own data: its first line is synced at the beginning.
        match (self.foreign, self.torn) {
            // Among answers, it is a damaged answer.
            (Some(line), _) if self.sound == 0 && self.other.is_none() => return foreign(line),
            (_, Some(line)) => return foreign(line),
            _ => {}
        }
        if let Some(line) = self.other {
            return Err(Error::Usage(format!(
                "{} holds answers to another question (line {line}: metric, goal, extra moves or limit differ); \
                 give another file",
                path.display()
            )));
        }
        for (line, reason) in self.damaged.iter().take(WARNINGS) {
            tracing::warn!(path = %path.display(), line, reason, "a damaged answer is ignored: its position is solved again");
        }
        if let Some(more) = self.damaged.len().checked_sub(WARNINGS).filter(|&more| more > 0) {
            tracing::warn!(path = %path.display(), more, "further damaged answers are ignored");
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(metric: Metric) -> ResultQuestion {
        let [puzzle, method] = ["cube3", "optimal"].map(str::to_owned);
        let question =
            OptimalQuestion { puzzle, metric: metric.name().to_owned(), goal: None, method, extra: None, limit: None };
        ResultQuestion { question, metric, goal: Cube3Goal::SOLVED }
    }

    /// Positions that a move solves.
    const INPUTS: [&str; 3] = ["R", "F2", "U'"];

    fn record(number: u64, complete: bool) -> OptimalRecord {
        OptimalRecord {
            number,
            input: INPUTS[number as usize - 1].to_owned(),
            asked: asked(Metric::Htm).question,
            table: "phase1".to_owned(),
            length: Some(1),
            solution: Some(["R'", "F2", "U"][number as usize - 1].to_owned()),
            at_least: 1,
            solutions: 1,
            found: None,
            complete,
            nodes: 3,
            look_ups: 4,
            seconds: 0.5,
        }
    }

    fn known(numbers: &[u64]) -> KnownRecords {
        numbers.iter().map(|&number| ((number, INPUTS[number as usize - 1].to_owned()), record(number, true))).collect()
    }

    /// A line in the format of earlier versions, without its end.
    fn old_line(record: &OptimalRecord) -> String {
        serde_json::to_string(record).unwrap()
    }

    /// The answers in some bytes, and the numbers of the damaged lines.
    fn read_all(bytes: &[u8], longest: usize) -> (KnownRecords, Vec<u64>) {
        let lines = read_lines(bytes, &asked(Metric::Htm), longest).unwrap();
        (lines.known, lines.damaged.iter().map(|(number, _)| *number).collect())
    }

    #[test]
    fn a_torn_line_is_dropped_and_the_rest_is_known() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("answers");
        let (mut results, found) = ResultFile::open(&path, &asked(Metric::Htm)).unwrap();
        assert!(found.is_empty());
        assert!(matches!(ResultFile::open(&path, &asked(Metric::Htm)), Err(Error::Busy { .. })));
        results.add(&record(1, true)).unwrap();
        results.add(&record(2, false)).unwrap();
        drop(results);
        let whole = std::fs::read(&path).unwrap();
        let third = record(3, true).line();
        for cut in 0..third.len() {
            std::fs::write(&path, [&whole, &third.as_bytes()[..cut]].concat()).unwrap();
            let (_, found) = ResultFile::open(&path, &asked(Metric::Htm)).unwrap();
            assert_eq!(found, known(&[1]));
            assert_eq!(std::fs::read(&path).unwrap(), whole);
        }
        assert!(matches!(ResultFile::open(&path, &asked(Metric::Qtm)), Err(Error::Usage(_))));
    }

    #[test]
    fn what_a_power_cut_left_is_dropped() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("answers");
        let lines = [1, 2, 3].map(|number| record(number, true).line());
        let first = lines[0].len();
        for lost in 0..=BEGINNING.len() {
            std::fs::write(&path, vec![0; lost]).unwrap();
            let (mut results, found) = ResultFile::open(&path, &asked(Metric::Htm)).unwrap();
            assert!(found.is_empty());
            results.add(&record(1, true)).unwrap();
            assert_eq!(std::fs::read(&path).unwrap(), lines[0].as_bytes());
        }
        // Some bytes of the second and the third line never reached the disk.
        for lost in [first..first + 1, first + 5..first + 9, first + 5..first + lines[1].len() + 7] {
            let mut bytes = lines.concat().into_bytes();
            bytes[lost].fill(0);
            std::fs::write(&path, &bytes).unwrap();
            let (_, found) = ResultFile::open(&path, &asked(Metric::Htm)).unwrap();
            assert_eq!(found, known(&[1]));
            assert_eq!(std::fs::read(&path).unwrap(), lines[0].as_bytes());
        }
    }

    #[test]
    fn no_changed_byte_becomes_an_answer() {
        let lines = [1, 2, 3].map(|number| record(number, true).line()).concat().into_bytes();
        assert_eq!(read_all(&lines, LONGEST_LINE), (known(&[1, 2, 3]), vec![]));
        for at in 0..lines.len() {
            for flip in [1, 2, 16, 128] {
                let mut bytes = lines.clone();
                bytes[at] ^= flip;
                let (found, damaged) = read_all(&bytes, LONGEST_LINE);
                assert!(found.iter().all(|(key, found)| known(&[1, 2, 3]).get(key) == Some(found)), "{at}");
                assert!(
                    !found.is_empty() && (found.len() == 3 || !damaged.is_empty() || at >= lines.len() - 1),
                    "{at}"
                );
            }
        }
    }

    #[test]
    fn answers_of_earlier_versions_are_replayed() {
        let text = |record: &OptimalRecord| old_line(record) + "\n";
        let sound = record(1, true);
        assert_eq!(read_all(text(&sound).as_bytes(), LONGEST_LINE), (known(&[1]), vec![]));
        let changed: [fn(&mut OptimalRecord); 8] = [
            |record| record.solution = Some("R".to_owned()),
            |record| record.solution = Some("R2 R".to_owned()),
            |record| record.solution = None,
            |record| record.length = Some(2),
            |record| record.at_least = 0,
            |record| record.solutions = 2,
            |record| record.input = "R2".to_owned(),
            |record| record.found = Some(vec!["R'".to_owned(), "R'".to_owned()]),
        ];
        for (case, change) in changed.into_iter().enumerate() {
            let mut record = sound.clone();
            change(&mut record);
            assert_eq!(read_all(text(&record).as_bytes(), LONGEST_LINE), (known(&[]), vec![1]), "{case}");
            // A correct hash does not make a solution correct.
            assert_eq!(read_all(record.line().as_bytes(), LONGEST_LINE), (known(&[]), vec![1]), "{case}");
        }
    }

    /// An earlier version read a goal as a pattern of faces, not of colours, if the start was held in another way.
    #[test]
    fn answers_lead_to_the_goal_as_it_is_held() {
        let asked = ResultQuestion { goal: Cube3Goal::of("F").unwrap(), ..asked(Metric::Htm) };
        for (solution, is_known) in [("U", true), ("F", false)] {
            let [input, solution] = ["x", solution].map(str::to_owned);
            let record = OptimalRecord { input, solution: Some(solution), ..record(1, true) };
            let lines = read_lines(record.line().as_bytes(), &asked, LONGEST_LINE).unwrap();
            assert_eq!((lines.known.len(), lines.damaged.len()), (usize::from(is_known), usize::from(!is_known)));
        }
    }

    #[test]
    fn several_solutions_are_all_replayed() {
        let mut asked = asked(Metric::Htm);
        asked.question.extra = Some(1);
        let of = |found: &[&str], solutions| OptimalRecord {
            input: "U D".to_owned(),
            asked: asked.question.clone(),
            length: Some(2),
            at_least: 2,
            solution: Some("U' D'".to_owned()),
            found: Some(found.iter().map(|&moves| moves.to_owned()).collect()),
            solutions,
            ..record(1, true)
        };
        let is_known = |record: &OptimalRecord| {
            read_lines(record.line().as_bytes(), &asked, LONGEST_LINE).unwrap().known.len() == 1
        };
        assert!(is_known(&of(&["U' D'", "U' D2 D"], 2)));
        let wrong: [(&[&str], u64); 6] = [
            (&["U' D'"], 2),
            (&["U' D'", "U' D'"], 2),
            (&["U' D2 D", "U' D'"], 2),
            (&["U' D'", "U' D"], 2),
            (&["U' D'", "U U2 D2 D"], 2),
            (&[], 0),
        ];
        for (found, solutions) in wrong {
            assert!(!is_known(&of(found, solutions)), "{found:?}");
        }
    }

    #[test]
    fn lines_are_bounded() {
        let long = format!("{}{}\n", str::from_utf8(BEGINNING).unwrap(), " ".repeat(5000));
        let lines = [record(1, true).line(), long.clone(), record(2, true).line(), long].concat();
        let read = read_lines(lines.as_bytes(), &asked(Metric::Htm), 1000).unwrap();
        assert_eq!((read.known, read.damaged.len(), read.whole), (known(&[1, 2]), 2, lines.len() as u64));
    }

    #[test]
    fn only_regular_files_are_opened() {
        let folder = tempfile::tempdir().unwrap();
        for path in [Path::new("/dev/full"), Path::new("/dev/zero"), folder.path()] {
            let error = ResultFile::open(path, &asked(Metric::Htm)).unwrap_err();
            assert!(matches!(&error, Error::Io { .. }) && error.to_string().contains("regular file"), "{error}");
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
            assert!(matches!(ResultFile::open(&path, &asked(Metric::Htm)), Err(Error::Usage(_))), "{text}");
            assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
        }
    }

    fn fuzz(inputs: u64) {
        let lines: Vec<String> = (1..4).map(|number| record(number, number < 3).line()).collect();
        let right = [lines.concat().into_bytes(), lines[0].clone().into_bytes()];
        twistbase_testing::fuzz::fuzz("files of answers", inputs, &right, 1 << 16, |bytes| {
            // Only answers of complete, correct lines are read.
            let asked = asked(Metric::Htm);
            let known = read_lines(bytes, &asked, LONGEST_LINE).unwrap().known;
            assert!(known.iter().all(|(key, found)| {
                let is_right = found.complete && found.asked == asked.question && found.replay(&asked).is_ok();
                is_right && *key == (found.number, found.input.clone())
            }));
        });
    }

    #[test]
    fn any_bytes_are_answers_or_refused() {
        fuzz(2000);
    }

    #[test]
    #[ignore = "long suite: half a million files of answers"]
    fn half_a_million_files_are_answers_or_refused() {
        fuzz(twistbase_testing::fuzz::many(500_000));
    }
}
