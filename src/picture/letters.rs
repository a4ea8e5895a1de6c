//! The letters of labels as strokes, so that a picture is the same wherever it is shown: no font is needed.

/// How wide a letter is on its grid.
pub(super) const WIDTH: f64 = 4.0;
/// How high a letter is on its grid.
pub(super) const HEIGHT: f64 = 6.0;

/// The strokes of a digit or a letter of a label, on a grid of 4 × 6, as the path data of SVG; `None` for any other.
pub(super) const fn strokes(letter: char) -> Option<&'static str> {
    Some(match letter {
        '0' => "M1 0L3 0L4 1L4 5L3 6L1 6L0 5L0 1Z",
        '1' => "M1 1L2 0L2 6M1 6L3 6",
        '2' => "M0 1L1 0L3 0L4 1L4 2L0 6L4 6",
        '3' => "M0 1L1 0L3 0L4 1L4 2L3 3L2 3M3 3L4 4L4 5L3 6L1 6L0 5",
        '4' => "M3 6L3 0L0 4L4 4",
        '5' => "M4 0L0 0L0 3L3 3L4 4L4 5L3 6L0 6",
        '6' => "M4 0L2 0L0 2L0 5L1 6L3 6L4 5L4 4L3 3L0 3",
        '7' => "M0 0L4 0L1 6",
        '8' => "M1 3L0 2L0 1L1 0L3 0L4 1L4 2L3 3L1 3L0 4L0 5L1 6L3 6L4 5L4 4L3 3",
        '9' => "M4 3L1 3L0 2L0 1L1 0L3 0L4 1L4 4L2 6L0 6",
        'A' => "M0 6L0 2L2 0L4 2L4 6M0 4L4 4",
        'B' => "M0 0L3 0L4 1L4 2L3 3L0 3M3 3L4 4L4 5L3 6L0 6L0 0",
        'C' => "M4 1L3 0L1 0L0 1L0 5L1 6L3 6L4 5",
        'D' => "M0 0L2 0L4 2L4 4L2 6L0 6Z",
        'E' => "M4 0L0 0L0 6L4 6M0 3L3 3",
        'F' => "M4 0L0 0L0 6M0 3L3 3",
        'L' => "M0 0L0 6L4 6",
        'R' => "M0 6L0 0L3 0L4 1L4 2L3 3L0 3M2 3L4 6",
        'U' => "M0 0L0 5L1 6L3 6L4 5L4 0",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_label_has_letters_of_its_own() {
        let letters = "0123456789ABCDEFURFDLB".chars().collect::<BTreeSet<_>>();
        let strokes: BTreeSet<_> = letters.iter().map(|&letter| strokes(letter).expect("strokes")).collect();
        assert_eq!(strokes.len(), letters.len());
        for number in strokes.iter().flat_map(|path| path.split(['M', 'L', 'Z', ' '])).filter(|part| !part.is_empty()) {
            assert!(number.parse::<f64>().is_ok_and(|number| number <= HEIGHT), "{number}");
        }
    }
}
