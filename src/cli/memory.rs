//! Amounts of memory, as a person writes them.

use std::fmt;
use std::str::FromStr;

/// A number of bytes as written on the command line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Size(pub u64);

impl FromStr for Size {
    type Err = String;

    /// Plain bytes, or a number (`3`, `2.5`) with a unit: `K`, `M`, `G`, `T` and `KB`… are powers of 1000, `KiB`… powers
    /// of 1024.
    fn from_str(text: &str) -> Result<Self, String> {
        let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
        let (number, unit) = text.split_at(end);
        let unit = unit_bytes(unit.trim())
            .ok_or_else(|| format!("{unit:?} is no unit; use K, M, G, T, KiB, MiB, GiB, TiB"))?;
        let value: f64 = number.parse().map_err(|_| format!("{text:?} does not begin with a number"))?;
        let bytes = match number.parse::<u64>() {
            // A fraction of a unit need not be exact, whole numbers must.
            Err(_) => value * unit as f64,
            Ok(whole) => return whole.checked_mul(unit).map(Self).ok_or_else(|| format!("{text:?} is too large")),
        };
        if bytes < u64::MAX as f64 { Ok(Self(bytes as u64)) } else { Err(format!("{text:?} is too large")) }
    }
}

impl fmt::Display for Size {
    /// Exactly, with the largest unit of which it is a multiple: it is read back as the same.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let units = [("T", 1_000_000_000_000), ("G", 1_000_000_000), ("M", 1_000_000), ("K", 1000)];
        match units.into_iter().find(|(_, unit)| self.0 != 0 && self.0.is_multiple_of(*unit)) {
            Some((name, unit)) => write!(f, "{}{name}", self.0 / unit),
            None => write!(f, "{}", self.0),
        }
    }
}

fn unit_bytes(unit: &str) -> Option<u64> {
    let unit = unit.to_ascii_lowercase();
    let (prefix, base) = match unit.strip_suffix("ib") {
        Some(prefix) => (prefix, 1024u64),
        None => (unit.strip_suffix('b').unwrap_or(&unit), 1000),
    };
    match (prefix, base) {
        ("", 1000) => Some(1),
        ("k", _) => Some(base),
        ("m", _) => Some(base.pow(2)),
        ("g", _) => Some(base.pow(3)),
        ("t", _) => Some(base.pow(4)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_decimal_unless_written_binary() {
        let good = [
            ("0", 0),
            ("4096", 4096),
            ("12b", 12),
            ("3G", 3_000_000_000),
            ("3gb", 3_000_000_000),
            ("3GiB", 3 << 30),
            ("3 GiB", 3 << 30),
            ("2500M", 2_500_000_000),
            ("2.5K", 2500),
            (".5KiB", 512),
            ("18446744073709551615", u64::MAX),
        ];
        for (text, bytes) in good {
            assert_eq!(text.parse(), Ok(Size(bytes)), "{text}");
        }
        assert_eq!(
            [0, 999, 28_000_000, 2_500_000_000].map(|bytes| Size(bytes).to_string()),
            ["0", "999", "28M", "2500M"]
        );
    }

    #[test]
    fn what_is_no_size_is_refused() {
        for text in
            ["", "G", "-1", "3X", "3ib", "1.2.3", ".", "99999999999999999999", "99999999T", "1e9999", "3G x", "٣"]
        {
            assert!(text.parse::<Size>().is_err(), "{text}");
        }
    }

    fn fuzz(inputs: u64) {
        let right = ["0", "4096", "2.5G", "3 GiB", "12b", "1.5TiB", "300M", "0.001 kb"];
        twistbase_testing::fuzz::fuzz_text("sizes", inputs, &right, 1 << 12, |text| {
            // A number of bytes is read as itself, and as it is written.
            let Ok(Size(bytes)) = text.parse() else { return };
            assert_eq!(Size(bytes).to_string().parse(), Ok(Size(bytes)));
            assert_eq!(bytes.to_string().parse(), Ok(Size(bytes)));
        });
    }

    #[test]
    fn any_text_is_a_size_or_refused() {
        fuzz(5000);
    }

    #[test]
    #[ignore = "long suite: millions of sizes"]
    fn millions_of_texts_are_sizes_or_refused() {
        fuzz(twistbase_testing::fuzz::many(2_000_000));
    }
}
