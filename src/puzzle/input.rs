//! Reading what people type: how much of it is read, and how problems name their places. All notations share it.

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
            let message = format!("{} bytes are too many: at most {LONGEST_INPUT} are read", self.input.len());
            return Err(self.invalid(vec![Problem { code: "too-long", message, at: None }]));
        }
        parse(&self.input[self.start..]).map_err(|mut problems| {
            for at in problems.iter_mut().filter_map(|problem| problem.at.as_mut()) {
                *at = at.start + self.start..at.end + self.start;
            }
            self.invalid(problems)
        })
    }

    fn invalid(self, mut problems: Vec<Problem>) -> InvalidInput {
        if problems.len() > MOST_PROBLEMS {
            let message = format!("and {} problems more", problems.len() - MOST_PROBLEMS + 1);
            problems.truncate(MOST_PROBLEMS - 1);
            problems.push(Problem { code: "more-problems", message, at: None });
        }
        InvalidInput { input: self.input.to_owned(), expected: self.expected, problems, instead: None }
    }
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
        let message = format!("{number} is no {noun}: these are the numbers 0 to {}", symbols.len() - 1);
        (usize::from(number) >= symbols.len()).then(|| Problem { code: "bad-number", message, at: Some(at..at + 1) })
    };
    let mut problems: Vec<Problem> = numbers.iter().enumerate().filter_map(unknown).collect();
    Text { input: &input, start: 0, expected }.read(|text| match parse(text) {
        Ok(read) if problems.is_empty() => Ok(read),
        Ok(_) => Err(problems),
        Err(found) => {
            // What is no symbol, and therefore none of so many, was told.
            let is_told = !problems.is_empty();
            let is_new = |code| !is_told || !["bad-character", "piece-count", "facelet-count"].contains(&code);
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
