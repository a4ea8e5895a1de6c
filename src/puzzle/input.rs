//! Reading what people type: how much of it is read, and how problems name their places. All notations share it.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use twistbase_core::error::{InvalidInput, Problem};

/// The longest input that is read, in bytes.
pub const LONGEST_INPUT: usize = 10_000;

/// Reasons listed for one input; what is beyond is counted.
pub(super) const MOST_PROBLEMS: usize = 32;

/// Part of an input: the text to read, from where in the input it starts to the end.
#[derive(Clone, Copy)]
pub(super) struct Text<'a> {
    pub(super) input: &'a str,
    pub(super) start: usize,
    /// What it is taken for, in words.
    pub(super) expected: &'static str,
}

impl Text<'_> {
    /// Reads the text, unless it is too long; places of problems become places in the input.
    pub(super) fn read<T>(self, parse: impl FnOnce(&str) -> Result<T, Vec<Problem>>) -> Result<T, InvalidInput> {
        if is_too_long(self.input) {
            // A line of a batch may have been cut already: its own length is unknown.
            let message = format!("the text is longer than the limit of {LONGEST_INPUT} bytes");
            return Err(self.invalid(vec![Problem { code: "too-long", message, at: None }]));
        }
        parse(&self.input[self.start..]).map_err(|mut problems| {
            for at in problems.iter_mut().filter_map(|problem| problem.at.as_mut()) {
                *at = at.start + self.start..at.end + self.start;
            }
            self.invalid(problems)
        })
    }

    fn invalid(self, problems: Vec<Problem>) -> InvalidInput {
        let mut problems = without_repetitions(problems);
        if problems.len() > MOST_PROBLEMS {
            let message = format!("and {} more problems", problems.len() - MOST_PROBLEMS + 1);
            problems.truncate(MOST_PROBLEMS - 1);
            problems.push(Problem { code: "more-problems", message, at: None });
        }
        InvalidInput { input: self.input.to_owned(), expected: self.expected, problems, instead: None }
    }
}

/// Problems, of which those that repeat a message many times are counted in the first.
fn without_repetitions(problems: Vec<Problem>) -> Vec<Problem> {
    const MOST_ALIKE: usize = 3;
    if problems.len() <= MOST_ALIKE {
        return problems;
    }
    let mut counts: HashMap<String, usize> = HashMap::new();
    for problem in &problems {
        *counts.entry(problem.message.clone()).or_default() += 1;
    }
    let mut is_listed = HashSet::new();
    let once = |mut problem: Problem| {
        let count = counts.get(&problem.message).copied().filter(|&count| count > MOST_ALIKE);
        let Some(count) = count else { return Some(problem) };
        let is_first = is_listed.insert(problem.message.clone());
        problem.message = format!("{} ({count} times)", problem.message);
        is_first.then_some(problem)
    };
    problems.into_iter().filter_map(once).collect()
}

/// Reads numbers that stand for symbols by the rules for texts of these symbols. In places of problems and in the input that
/// the error names each number is its symbol, or `?` if it has none; `noun` is what the symbols stand for.
#[cold]
pub(super) fn read_numbers<T>(
    numbers: &[u8],
    symbols: &[u8],
    noun: &str,
    expected: &'static str,
    parse: impl FnOnce(&str) -> Result<T, Vec<Problem>>,
) -> Result<T, InvalidInput> {
    // They are ASCII: a number has one byte in the text.
    let symbol = |&number: &u8| symbols.get(usize::from(number)).map_or('?', |&symbol| symbol.into());
    let input: String = numbers.iter().map(symbol).collect();
    let unknown = |(at, &number): (usize, &u8)| {
        let message = format!("{number} is not a {noun}: use 0 to {}", symbols.len() - 1);
        (usize::from(number) >= symbols.len()).then(|| Problem { code: "bad-number", message, at: Some(at..at + 1) })
    };
    let mut problems: Vec<Problem> = numbers.iter().enumerate().filter_map(unknown).collect();
    Text { input: &input, start: 0, expected }.read(|text| match parse(text) {
        Ok(read) if problems.is_empty() => Ok(read),
        Ok(_) => Err(problems),
        Err(found) => {
            // Numbers without a symbol are reported; their characters and the count are not reported again.
            let are_reported = !problems.is_empty();
            let is_new = |code| !are_reported || !["bad-character", "piece-count", "facelet-count"].contains(&code);
            problems.extend(found.into_iter().filter(|problem| is_new(problem.code)));
            Err(problems)
        }
    })
}

/// Whether an input is not read, not even to guess its notation.
pub(super) fn is_too_long(input: &str) -> bool {
    input.len() > LONGEST_INPUT
}

/// Whether a text stands for the solved position without being a sequence: there is none, or the word `solved`.
pub(super) fn names_solved(text: &str) -> bool {
    let text = text.trim();
    text.is_empty() || text.eq_ignore_ascii_case("solved")
}

/// What is before the first colon of an input, and where the text behind it starts.
pub(super) fn prefix(input: &str) -> Option<(&str, usize)> {
    input.split_once(':').map(|(name, rest)| (name.trim(), input.len() - rest.len()))
}

/// Where the text behind the number of a list begins, as in `1. R U` and `1) R U`; 0 without such a number.
pub(super) fn after_list_number(input: &str) -> usize {
    let text = input.trim_start();
    let rest = text.trim_start_matches(|c: char| c.is_ascii_digit());
    let behind = rest.strip_prefix(['.', ')']).filter(|behind| {
        rest.len() < text.len() && behind.starts_with(char::is_whitespace) && !behind.trim().is_empty()
    });
    behind.map_or(0, |behind| input.len() - behind.len())
}

/// The usual character for one of full width, as input methods write it.
pub(super) fn narrow(c: char) -> char {
    match c {
        '\u{FF01}'..='\u{FF5E}' => char::from_u32(u32::from(c) - 0xFEE0).unwrap_or(c),
        _ => c,
    }
}

/// Reads a text in which characters of full width stand for the usual ones. Places of problems are those of `text`.
pub(super) fn read_narrow<T>(
    text: &str,
    parse: impl FnOnce(&str) -> Result<T, Vec<Problem>>,
) -> Result<T, Vec<Problem>> {
    if text.chars().all(|c| narrow(c) == c) {
        return parse(text);
    }
    let narrowed: String = text.chars().map(narrow).collect();
    parse(&narrowed).map_err(|mut problems| {
        // A character stands for a character.
        let wide = |at: usize| text.chars().take(narrowed[..at].chars().count()).map(char::len_utf8).sum();
        for at in problems.iter_mut().filter_map(|problem| problem.at.as_mut()) {
            *at = wide(at.start)..wide(at.end);
        }
        problems
    })
}

/// A part of an input as problems quote it, cut when it is long.
pub(super) fn quoted(text: &str) -> String {
    const LONGEST: usize = 40;
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{:?}…", &text[..end]),
        None => format!("{text:?}"),
    }
}

/// A place in a text, and what was found wrong before it.
pub(super) struct Reader<'a> {
    pub(super) text: &'a str,
    pub(super) at: usize,
    pub(super) problems: Vec<Problem>,
}

impl<'a> Reader<'a> {
    /// At the start of a text.
    pub(super) fn new(text: &'a str) -> Self {
        Self { text, at: 0, problems: Vec::new() }
    }

    pub(super) fn peek(&self) -> Option<char> {
        self.text[self.at..].chars().next()
    }

    /// Reads a character that means something.
    pub(super) fn take_some<T>(&mut self, meaning: impl Fn(char) -> Option<T>) -> Option<T> {
        let (c, found) = self.peek().and_then(|c| Some((c, meaning(c)?)))?;
        self.at += c.len_utf8();
        Some(found)
    }

    /// Reads a character that `wanted` accepts.
    pub(super) fn take(&mut self, wanted: impl Fn(char) -> bool) -> bool {
        self.take_some(|c| wanted(c).then_some(())).is_some()
    }

    /// Reads an ASCII word in either case.
    pub(super) fn take_word(&mut self, word: &str) -> bool {
        let found = self.text.as_bytes()[self.at..].get(..word.len());
        let is_found = found.is_some_and(|bytes| bytes.eq_ignore_ascii_case(word.as_bytes()));
        self.at += if is_found { word.len() } else { 0 };
        is_found
    }

    /// Skips spaces; whether anything is left.
    pub(super) fn skip_spaces(&mut self) -> bool {
        while self.take(char::is_whitespace) {}
        self.at < self.text.len()
    }

    pub(super) fn problem(&mut self, code: &'static str, message: impl Into<String>, at: Range<usize>) {
        self.problems.push(Problem { code, message: message.into(), at: Some(at) });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_lists_are_no_part_of_the_text() {
        for (input, text) in [
            ("1. R U", " R U"),
            (" 12) R U", " R U"),
            ("1.R U", "1.R U"),
            ("2R U", "2R U"),
            (". R", ". R"),
            ("1.", "1."),
            ("1. ", "1. "),
            ("", ""),
        ] {
            assert_eq!(&input[after_list_number(input)..], text, "{input:?}");
        }
    }

    #[test]
    fn places_in_full_width_text_are_those_of_the_text() {
        let read = read_narrow("ａ（!", |text| {
            assert_eq!(text, "a(!");
            Err::<(), _>(vec![Problem { code: "x", message: String::new(), at: Some(1..2) }])
        });
        assert_eq!(read.unwrap_err()[0].at, Some(3..6));
    }

    #[test]
    fn a_message_that_repeats_is_counted() {
        let problem = |message: &str| Problem { code: "x", message: message.to_owned(), at: None };
        let messages = |count: usize| {
            let problems = [vec![problem("a"); count], vec![problem("b")]].concat();
            without_repetitions(problems).into_iter().map(|problem| problem.message).collect::<Vec<_>>()
        };
        assert_eq!(messages(3), ["a", "a", "a", "b"]);
        assert_eq!(messages(100), ["a (100 times)", "b"]);
    }
}
