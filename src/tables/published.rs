//! Published numbers of positions at each distance, as data: `published.tsv`.
//!
//! A line has a name, who says so, and the numbers at distance 0, 1, 2, …, separated by spaces; tabs separate the three.

const TEXT: &[u8] = include_bytes!("published.tsv");

/// A line.
pub(crate) struct Line {
    pub source: &'static str,
    pub numbers: &'static [u8],
}

/// The [`Distribution`](crate::Distribution) of a name. A name that the file lacks does not compile.
macro_rules! published {
    ($name:expr) => {{
        const LINE: $crate::published::Line = $crate::published::line($name);
        const POSITIONS: [u64; $crate::published::count(LINE.numbers)] = $crate::published::parse(LINE.numbers);
        $crate::Distribution { positions: &POSITIONS, source: LINE.source }
    }};
}

/// The line of a name.
pub(crate) const fn line(name: &str) -> Line {
    let mut rest = TEXT;
    while !rest.is_empty() {
        let (found, after) = cut(rest, b'\t');
        let (source, after) = cut(after, b'\t');
        let (numbers, after) = cut(after, b'\n');
        if is_same(found, name.as_bytes()) {
            let Ok(source) = str::from_utf8(source) else { panic!("the file is UTF-8") };
            return Line { source, numbers };
        }
        rest = after;
    }
    panic!("nobody published numbers of this name")
}

/// How many numbers there are.
pub(crate) const fn count(numbers: &[u8]) -> usize {
    let (mut count, mut at) = (1, 0);
    while at < numbers.len() {
        count += (numbers[at] == b' ') as usize;
        at += 1;
    }
    count
}

/// The numbers.
pub(crate) const fn parse<const COUNT: usize>(numbers: &[u8]) -> [u64; COUNT] {
    let (mut parsed, mut number, mut at) = ([0; COUNT], 0, 0);
    while at < numbers.len() {
        match numbers[at] {
            b' ' => number += 1,
            digit => parsed[number] = 10 * parsed[number] + (digit - b'0') as u64,
        }
        at += 1;
    }
    parsed
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
