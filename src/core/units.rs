//! Numbers of bytes as people read them.

/// A number of bytes in decimal units, with three digits: `1.93 GB`.
pub fn bytes(number: u64) -> String {
    in_units(number, |number, step| (number + step / 2) / step)
}

/// The same, rounded up: so much is enough.
pub fn bytes_rounded_up(number: u64) -> String {
    in_units(number, u128::div_ceil)
}

/// `round` divides the number by the value of its last digit.
fn in_units(number: u64, round: fn(u128, u128) -> u128) -> String {
    const UNITS: [&str; 5] = ["kB", "MB", "GB", "TB", "PB"];
    if number < 1000 {
        return format!("{number} B");
    }
    let (number, mut unit, mut of_unit) = (u128::from(number), 0, 1000);
    while 2 * number >= 1999 * of_unit && unit + 1 < UNITS.len() {
        of_unit *= 1000;
        unit += 1;
    }
    // Three digits: more would pretend to matter.
    let decimals = if 1000 * number < 9_995 * of_unit { 2 } else { usize::from(100 * number < 9_995 * of_unit) };
    let parts = 10_u128.pow(decimals as u32);
    let value = round(number, of_unit / parts) as f64 / parts as f64;
    format!("{value:.decimals$} {}", UNITS[unit])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_keep_three_digits() {
        let texts = [0, 999, 1000, 9_996, 99_960, 999_499, 999_500, 2_867_000_000, u64::MAX].map(bytes);
        let expected = ["0 B", "999 B", "1.00 kB", "10.0 kB", "100 kB", "999 kB", "1.00 MB", "2.87 GB", "18447 PB"];
        assert_eq!(texts, expected);
    }

    #[test]
    fn what_is_enough_is_rounded_up() {
        let texts = [999, 1000, 1001, 1_230_000_000, 1_230_000_001, 9_991, 45_000_000_001].map(bytes_rounded_up);
        assert_eq!(texts, ["999 B", "1.00 kB", "1.01 kB", "1.23 GB", "1.24 GB", "10.00 kB", "45.1 GB"]);
    }
}
