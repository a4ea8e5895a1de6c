//! Published numbers of positions at each distance, as data: `published.tsv`.
//!
//! A line has a name, who says so, and the numbers at distance 0, 1, 2, …, separated by spaces; tabs separate the three.

use crate::Distribution;
use twistbase_puzzle::cube3::Metric;

const TEXT: &[u8] = include_bytes!("published.tsv");

/// All numbers, line after line.
const NUMBERS: &[u64] = &parse::<{ parse::<0>().1 }>().0;

/// The distribution of a name. A name that the file lacks does not compile.
pub(crate) const fn published(name: &str) -> Distribution {
    match find(name) {
        Some(distribution) => distribution,
        None => panic!("nobody published numbers of this name"),
    }
}

/// The distribution of a name, if the file has it.
pub(crate) const fn find(name: &str) -> Option<Distribution> {
    let (mut rest, mut before) = (TEXT, 0);
    while !rest.is_empty() {
        let (found, after) = cut(rest, b'\t');
        let (source, after) = cut(after, b'\t');
        let (numbers, after) = cut(after, b'\n');
        if is_same(found, name.as_bytes()) {
            let Ok(source) = str::from_utf8(source) else { panic!("the file is UTF-8") };
            return Some(Distribution { positions: NUMBERS.split_at(before).1.split_at(count(numbers)).0, source });
        }
        (rest, before) = (after, before + count(numbers));
    }
    None
}

/// The positions of the Rubik's cube at each distance at which their number is known exactly.
pub const fn known_cube(metric: Metric) -> Distribution {
    match metric {
        Metric::Htm => published("cube, half turns"),
        Metric::Qtm => published("cube, quarter turns"),
    }
}

/// How many numbers there are.
const fn count(numbers: &[u8]) -> usize {
    let (mut count, mut at) = (1, 0);
    while at < numbers.len() {
        count += (numbers[at] == b' ') as usize;
        at += 1;
    }
    count
}

/// The first numbers of all, and how many there are.
const fn parse<const FIRST: usize>() -> ([u64; FIRST], usize) {
    let (mut numbers, mut count, mut field, mut at) = ([0; FIRST], 0, 0, 0);
    while at < TEXT.len() {
        match TEXT[at] {
            b'\t' => field += 1,
            b'\n' => (count, field) = (count + 1, 0),
            b' ' if field == 2 => count += 1,
            digit if field == 2 && count < FIRST => numbers[count] = 10 * numbers[count] + (digit - b'0') as u64,
            _ => {}
        }
        at += 1;
    }
    (numbers, count)
}

/// What is before the first of a byte, and what is behind it.
const fn cut(text: &'static [u8], by: u8) -> (&'static [u8], &'static [u8]) {
    let mut at = 0;
    while text[at] != by {
        at += 1;
    }
    (text.split_at(at).0, text.split_at(at + 1).1)
}

const fn is_same(one: &[u8], other: &[u8]) -> bool {
    let mut at = 0;
    while at < one.len() && at < other.len() && one[at] == other[at] {
        at += 1;
    }
    at == one.len() && at == other.len()
}
