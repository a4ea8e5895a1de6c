//! Numbers, sizes and times for people; tables and bars for terminals.

use comfy_table::{Cell, CellAlignment, Table, presets};
pub use twistbase_core::units::bytes;

/// A number with commas: `6,810,804,000`.
pub fn grouped(number: u64) -> String {
    grouped_wide(number.into())
}

/// The same of a number that may be larger than 64 bits.
pub fn grouped_wide(number: u128) -> String {
    grouped_digits(&number.to_string())
}

/// The same of a number of any size, in digits.
pub fn grouped_digits(digits: &str) -> String {
    let mut out = String::with_capacity(digits.len() * 4 / 3);
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// A number of things: `1 whole`, `90 shapes`, `2,768 corner classes`, `85 ranges of classes`.
pub fn counted(number: impl Into<u64>, noun: &str) -> String {
    let number = number.into();
    let plural = match (number, noun.split_once(" of ")) {
        (1, _) => noun.to_owned(),
        (_, Some((what, of))) => format!("{} of {of}", plural(what)),
        (_, None) => plural(noun),
    };
    format!("{} {plural}", grouped(number))
}

fn plural(noun: &str) -> String {
    match noun.strip_suffix('y') {
        Some(stem) => format!("{stem}ies"),
        None if noun.ends_with('s') => format!("{noun}es"),
        None => format!("{noun}s"),
    }
}

/// A time in seconds: `0.04 s`, `12.3 s`, `3 min 04 s`.
pub fn seconds(time: f64) -> String {
    if time < 10.0 {
        format!("{time:.2} s")
    } else if time < 100.0 {
        format!("{time:.1} s")
    } else {
        let whole = time.round() as u64;
        format!("{} min {:02} s", whole / 60, whole % 60)
    }
}

/// A time in seconds that may be years: `12.3 s`, `3 min 04 s`, `7.5 h`, `12.0 days`, `178 years`.
pub fn long_time(time: f64) -> String {
    const HOUR: f64 = 3600.0;
    const DAY: f64 = 24.0 * HOUR;
    const YEAR: f64 = 365.25 * DAY;
    let (value, unit) = match time {
        short if short < 2.0 * HOUR => return seconds(short),
        hours if hours < 2.0 * DAY => (hours / HOUR, "h"),
        days if days < 2.0 * YEAR => (days / DAY, "days"),
        years => (years / YEAR, "years"),
    };
    if value < 99.95 { format!("{value:.1} {unit}") } else { format!("{} {unit}", grouped(value.round() as u64)) }
}

/// A part of a whole in per cent, `-` where there is no whole.
pub fn share(part: u64, whole: u64) -> String {
    if whole == 0 {
        return "-".to_owned();
    }
    let percent = part as f64 / whole as f64 * 100.0;
    match percent {
        0.0 => "0".to_owned(),
        tiny if tiny < 0.0001 => format!("{tiny:.0e}"),
        small if small < 1.0 => format!("{small:.4}"),
        _ => format!("{percent:.2}"),
    }
}

/// A bar of up to `width` characters, to an eighth of one. Anything above nothing shows.
pub fn bar(fraction: f64, width: usize) -> String {
    const EIGHTHS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];
    if fraction <= 0.0 {
        return String::new();
    }
    let eighths = ((fraction.min(1.0) * width as f64 * 8.0).round() as usize).max(1);
    "█".repeat(eighths / 8) + EIGHTHS[eighths % 8]
}

/// One character for each fraction, from a dot (nothing) to a full block.
pub fn sparkline(fractions: impl Iterator<Item = f64>) -> String {
    const HEIGHTS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
    let height = |fraction: f64| HEIGHTS[((fraction * 8.0) as usize).min(7)];
    fractions.map(|fraction| if fraction > 0.0 { height(fraction) } else { '·' }).collect()
}

/// How a column of a table is set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Align {
    /// Text.
    Left,
    /// Numbers.
    Right,
}

/// An empty table with these columns. Lines are never wrapped: a terminal does that without cutting numbers.
pub fn table(columns: &[(&str, Align)]) -> Table {
    let mut table = Table::new();
    table.load_style(presets::NOTHING).set_header(columns.iter().map(|&(name, _)| Cell::new(name)));
    for (column, &(_, align)) in table.column_iter_mut().zip(columns) {
        column.set_cell_alignment(match align {
            Align::Left => CellAlignment::Left,
            Align::Right => CellAlignment::Right,
        });
    }
    table
}

/// The width of the terminal that standard output is, in characters, or 100 if it is no terminal or has no known width.
pub fn width() -> usize {
    width_of(Table::new().width())
}

/// A width that a terminal reports. One that knows none reports 0.
fn width_of(reported: Option<u16>) -> usize {
    reported.filter(|&width| width > 0).map_or(100, usize::from)
}

/// Words behind a label, wrapped to lines of at most `width` characters, unless a word is longer; the words
/// of all lines begin below each other.
pub fn wrapped(label: &str, words: &[String], width: usize) -> Vec<String> {
    let indent = label.chars().count();
    let mut lines = Vec::new();
    let (mut line, mut length) = (label.to_owned(), indent);
    for word in words {
        let further = 1 + word.chars().count();
        if length > indent && length + further > width {
            lines.push(std::mem::replace(&mut line, " ".repeat(indent)));
            length = indent;
        }
        line.push(' ');
        line += word;
        length += further;
    }
    lines.push(line);
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_grouped_by_three() {
        let texts = [0, 7, 999, 1000, 6_810_804_000, u64::MAX].map(grouped);
        assert_eq!(texts, ["0", "7", "999", "1,000", "6,810,804,000", "18,446,744,073,709,551,615"]);
    }

    #[test]
    fn times_and_shares_are_readable() {
        assert_eq!([0.041, 12.34, 99.97, 184.0].map(seconds), ["0.04 s", "12.3 s", "100.0 s", "3 min 04 s"]);
        let long = [7199.0, 7200.0, 172_800.0, 8_640_000.0, 63_115_200.0, 5.617e9, 3.2e10].map(long_time);
        assert_eq!(long, ["119 min 59 s", "2.0 h", "2.0 days", "100 days", "2.0 years", "178 years", "1,014 years"]);
        assert_eq!([share(1, 0), share(0, 9), share(1, 4), share(1, 1000)], ["-", "0", "25.00", "0.1000"]);
        assert_eq!(share(1, 6_810_804_000), "1e-8");
    }

    #[test]
    fn words_are_wrapped_below_each_other() {
        let words = ["aa", "bbb", "c"].map(str::to_owned);
        assert_eq!(wrapped("x:", &words, 100), ["x: aa bbb c"]);
        assert_eq!(wrapped("x:", &words, 9), ["x: aa bbb", "   c"]);
        assert_eq!(wrapped("x:", &words, 8), ["x: aa", "   bbb c"]);
        assert_eq!(wrapped("x:", &words, 0), ["x: aa", "   bbb", "   c"]);
    }

    #[test]
    fn a_terminal_without_a_width_is_as_wide_as_none() {
        assert_eq!([None, Some(0), Some(1), Some(80)].map(width_of), [100, 100, 1, 80]);
    }

    #[test]
    fn bars_show_the_least_and_stop_at_the_most() {
        assert_eq!([0.0, 1e-9, 0.5, 1.0, 2.0].map(|fraction| bar(fraction, 2)), ["", "▏", "█", "██", "██"]);
        assert_eq!(sparkline([0.0, 0.01, 0.5, 1.0].into_iter()), "·▁▅█");
    }
}
