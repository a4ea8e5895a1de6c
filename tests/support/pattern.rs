//! Regular expressions, as far as the patterns of `schema/json/` use them: from `^` to `$`, characters, classes, groups, choices and
//! repetitions. What is not here is an error.

/// A pattern of a whole text.
pub struct Pattern(Vec<Part>);

/// A part with the least and most times it comes.
struct Part {
    unit: Unit,
    least: usize,
    most: usize,
}

enum Unit {
    /// A character in one of these ranges.
    Class(Vec<(char, char)>),
    /// One of several sequences.
    Choice(Vec<Vec<Part>>),
}

impl Pattern {
    pub fn new(pattern: &str) -> Self {
        let inner = pattern.strip_prefix('^').and_then(|rest| rest.strip_suffix('$'));
        let mut left: Vec<char> =
            inner.unwrap_or_else(|| panic!("{pattern} is not from ^ to $")).chars().rev().collect();
        let mut choices = choices(&mut left);
        assert!(left.is_empty() && choices.len() == 1, "{pattern} ends early or is a choice without a group");
        Self(choices.remove(0))
    }

    pub fn matches(&self, text: &str) -> bool {
        let text: Vec<char> = text.chars().collect();
        matches_sequence(&self.0, &text, &|rest| rest.is_empty())
    }
}

/// Reads sequences between `|`, up to the end or a `)`. The characters left are in reverse order.
fn choices(left: &mut Vec<char>) -> Vec<Vec<Part>> {
    let mut choices = vec![Vec::new()];
    while let Some(next) = left.pop_if(|next| *next != ')') {
        let unit = match next {
            '|' => {
                choices.push(Vec::new());
                continue;
            }
            '(' => {
                let group = self::choices(left);
                assert_eq!(left.pop(), Some(')'), "a group ends");
                Unit::Choice(group)
            }
            '[' => Unit::Class(class(left)),
            '\\' => Unit::Class(vec![literal(left.pop().filter(char::is_ascii_punctuation))]),
            '.' | '^' | '$' | '*' | '+' | '?' | '{' | '}' | ']' => panic!("{next} is not known here"),
            _ => Unit::Class(vec![(next, next)]),
        };
        let (least, most) = repetitions(left);
        choices.last_mut().expect("one at least").push(Part { unit, least, most });
    }
    choices
}

fn literal(letter: Option<char>) -> (char, char) {
    let letter = letter.expect("a character after \\");
    (letter, letter)
}

/// Reads a class after its `[`.
fn class(left: &mut Vec<char>) -> Vec<(char, char)> {
    let mut ranges = Vec::new();
    loop {
        match left.pop().expect("a class ends") {
            ']' => return ranges,
            letter @ ('^' | '[' | '\\') => panic!("{letter} is not known in a class"),
            first => {
                let is_range = left.ends_with(&['-']) && !left.ends_with(&[']', '-']);
                let last = if is_range { left.split_off(left.len() - 2)[0] } else { first };
                ranges.push((first, last));
            }
        }
    }
}

/// Reads how often a part comes.
fn repetitions(left: &mut Vec<char>) -> (usize, usize) {
    match left.pop_if(|next| "?*+{".contains(*next)) {
        None => (1, 1),
        Some('?') => (0, 1),
        Some('*') => (0, usize::MAX),
        Some('+') => (1, usize::MAX),
        Some(_) => {
            let end = left.iter().rposition(|&next| next == '}').expect("a } after {");
            let limits: String = left.split_off(end).into_iter().skip(1).rev().collect();
            let number = |text: &str| text.parse().expect("a number");
            match limits.split_once(',') {
                None => (number(&limits), number(&limits)),
                Some((least, "")) => (number(least), usize::MAX),
                Some((least, most)) => (number(least), number(most)),
            }
        }
    }
}

/// Whether a text begins with a sequence, and what is left of it fits.
fn matches_sequence(parts: &[Part], text: &[char], fits: &dyn Fn(&[char]) -> bool) -> bool {
    match parts.split_first() {
        None => fits(text),
        Some((part, rest)) => {
            repeat(&part.unit, part.least, part.most, text, &|left| matches_sequence(rest, left, fits))
        }
    }
}

fn repeat(unit: &Unit, least: usize, most: usize, text: &[char], fits: &dyn Fn(&[char]) -> bool) -> bool {
    // Once more. What is empty does not come again and again.
    let again = |left: &[char]| {
        (left.len() < text.len() || least > 0) && repeat(unit, least.saturating_sub(1), most - 1, left, fits)
    };
    let comes = match unit {
        _ if most == 0 => false,
        Unit::Class(ranges) => text.split_first().is_some_and(|(letter, left)| {
            ranges.iter().any(|(first, last)| (first..=last).contains(&letter)) && again(left)
        }),
        Unit::Choice(choices) => choices.iter().any(|choice| matches_sequence(choice, text, &again)),
    };
    comes || least == 0 && fits(text)
}

#[test]
fn patterns_match_whole_texts() {
    for (pattern, matching, others) in [
        ("^[a-c]{1,3}$", &["a", "abc"][..], &["", "abcd", "abd"][..]),
        ("^[-/]?x$", &["x", "-x", "/x"], &["", "--x", "ax"]),
        ("^(ab|c)+d*$", &["ab", "cabdd"], &["a", "dd", "abda"]),
        ("^([URF][2']?( [URF][2']?)*)?$", &["", "R", "R U2 F'"], &["R ", "R  U", "2"]),
        ("^a{2}(b?)c{2,}$", &["aacc", "aabccc"], &["aac", "abcc"]),
        ("^\\(-?[0-9]\\)(:(any|U))?$", &["(-3)", "(0):any"], &["(-)", "(0):", "(12)"]),
    ] {
        let found = Pattern::new(pattern);
        assert!(matching.iter().all(|text| found.matches(text)), "{pattern}");
        assert!(!others.iter().any(|text| found.matches(text)), "{pattern}");
    }
}
