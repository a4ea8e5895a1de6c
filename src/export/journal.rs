//! The journal of an unfinished export: its request, and how far its file is written.
//!
//! Lines of JSON, each behind its XXH3-64 in sixteen hexadecimal digits and a space. The first line is the request; each
//! further line replaces the one before but for its footers, which add up. A line that was cut short or damaged ends the
//! journal: what the lines before it say still holds.

use std::io::{BufRead, Read};

use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

/// A line longer than this ends the journal.
const LONGEST_LINE: u64 = 64 << 20;
/// Digits of a checksum.
const SUM_DIGITS: usize = 16;

/// How far the file of an export is written and synced.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Checkpoint {
    /// Batches that are written.
    pub batches: u64,
    /// Records in them.
    pub records: u64,
    /// Bytes of the file.
    pub bytes: u64,
    /// BLAKE3 of these, in hexadecimal.
    pub digest: String,
    /// BLAKE3 of the lines of input that were read for them, each with its end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input: Option<String>,
    /// Where the bytes of each batch since the last line begin, and its footer in hexadecimal.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub footers: Vec<(u64, String)>,
}

/// The content of a journal.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Journal {
    /// The request, as JSON.
    pub request: String,
    /// Its last line, with the footers of all.
    pub last: Checkpoint,
    /// Bytes of the lines that hold.
    pub bytes: u64,
}

/// A line of the journal with its checksum and its end.
pub(super) fn line(json: &str) -> String {
    format!("{:016x} {json}\n", xxh3_64(json.as_bytes()))
}

/// Reads the valid beginning of a journal; `None` without a first line.
///
/// # Errors
/// What the reader says.
pub(super) fn read(mut reader: impl BufRead) -> std::io::Result<Option<Journal>> {
    let mut journal = Journal::default();
    let mut buffer = Vec::new();
    let Some(request) = next_line(&mut reader, &mut buffer)? else { return Ok(None) };
    journal.request = request.to_owned();
    journal.bytes = buffer.len() as u64;
    while let Some(text) = next_line(&mut reader, &mut buffer)? {
        let Ok(checkpoint) = serde_json::from_str::<Checkpoint>(text) else { break };
        let mut footers = std::mem::take(&mut journal.last.footers);
        footers.extend(checkpoint.footers.iter().cloned());
        journal.last = Checkpoint { footers, ..checkpoint };
        journal.bytes += buffer.len() as u64;
    }
    Ok(Some(journal))
}

/// The JSON of the next line, if that is whole and as it was written.
fn next_line<'b>(reader: &mut impl BufRead, buffer: &'b mut Vec<u8>) -> std::io::Result<Option<&'b str>> {
    buffer.clear();
    reader.take(LONGEST_LINE).read_until(b'\n', buffer)?;
    let Some(line) = buffer.strip_suffix(b"\n").and_then(|line| std::str::from_utf8(line).ok()) else {
        return Ok(None);
    };
    let json = line.split_at_checked(SUM_DIGITS).and_then(|(sum, rest)| Some((sum, rest.strip_prefix(' ')?)));
    Ok(json.filter(|(sum, json)| format!("{:016x}", xxh3_64(json.as_bytes())) == *sum).map(|(_, json)| json))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn checkpoint(batches: u64) -> Checkpoint {
        let footers = vec![(batches * 10, format!("{batches:02x}"))];
        Checkpoint { batches, records: 7 * batches, bytes: 100 * batches, digest: "d".into(), input: None, footers }
    }

    fn written() -> String {
        let lines = (1..4).map(|batches| serde_json::to_string(&checkpoint(batches)).unwrap());
        std::iter::once("{\"table\":\"t\"}".to_owned()).chain(lines).map(|json| line(&json)).collect()
    }

    #[test]
    fn a_journal_reads_back() {
        let journal = read(written().as_bytes()).unwrap().unwrap();
        assert_eq!((journal.request.as_str(), journal.bytes), ("{\"table\":\"t\"}", written().len() as u64));
        assert_eq!(journal.last.footers, [(10, "01".to_owned()), (20, "02".to_owned()), (30, "03".to_owned())]);
        assert_eq!(Checkpoint { footers: checkpoint(3).footers, ..journal.last }, checkpoint(3));
    }

    /// Whatever is cut off or flipped, the lines before it hold, and no others.
    #[test]
    fn a_journal_holds_as_far_as_it_is_whole() {
        let text = written().into_bytes();
        let ends: Vec<usize> = (0..text.len()).filter(|&at| text[at] == b'\n').map(|at| at + 1).collect();
        for at in 0..text.len() {
            let whole = ends.iter().filter(|&&end| end <= at).count();
            let batches = whole.saturating_sub(1) as u64;
            let mut flipped = text.clone();
            flipped[at] ^= 1;
            for bytes in [&text[..at], &flipped] {
                match read(bytes).unwrap() {
                    None => assert_eq!(whole, 0),
                    Some(journal) => assert_eq!((whole > 0, journal.last.batches), (true, batches)),
                }
            }
        }
    }

    /// Whatever it is, what it holds is what its beginning holds by itself.
    fn read_again(bytes: &[u8]) {
        let Some(journal) = read(bytes).unwrap() else { return };
        assert_eq!(read(&bytes[..journal.bytes as usize]).unwrap(), Some(journal));
    }

    fn fuzz(inputs: u64) {
        let right = [written().into_bytes(), line("{}").into_bytes()];
        twistbase_testing::fuzz::fuzz("journals of exports", inputs, &right, 1 << 16, read_again);
        // Lines of which nothing is right but their sums.
        let lines: Vec<String> = written().lines().map(|line| line[SUM_DIGITS + 1..].to_owned()).collect();
        let right: Vec<&str> = lines.iter().map(String::as_str).collect();
        twistbase_testing::fuzz::fuzz_text("lines of journals", inputs, &right, 1 << 16, |text| {
            read_again((line("{}") + &line(text)).as_bytes());
        });
    }

    #[test]
    fn whatever_is_read_does_not_panic() {
        fuzz(3000);
    }

    #[test]
    #[ignore = "long suite: a million journals"]
    fn a_million_journals_do_not_make_it_panic() {
        fuzz(twistbase_testing::fuzz::many(1_000_000));
    }
}
