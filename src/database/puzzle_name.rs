//! Puzzles by their usual names: `3x3`, `Rubik's cube`, `sq1`.

use super::puzzle_info::PuzzleInfo;

/// Other names of puzzles, in the form of [`plain`].
const FURTHER_NAMES: [(&str, &str); 12] = [
    ("3x3", "cube3"),
    ("3x3x3", "cube3"),
    ("333", "cube3"),
    ("rubik", "cube3"),
    ("rubiks", "cube3"),
    ("rubikscube", "cube3"),
    ("2x2", "cube2"),
    ("2x2x2", "cube2"),
    ("222", "cube2"),
    ("sq1", "square1"),
    ("squareone", "square1"),
    ("sq1corners", "square1-corners"),
];

/// The puzzle with a name or another usual name. Ignores case and signs.
pub(super) fn find(name: &str) -> Option<&'static PuzzleInfo> {
    let name = plain(name);
    let further = FURTHER_NAMES.iter().find(|(further, _)| *further == name);
    let name = further.map_or(name, |(_, puzzle)| plain(puzzle));
    // 4x4 is 4x4x4.
    let cube =
        name.split_once('x').filter(|(width, height)| width == height).map(|(width, _)| format!("{name}x{width}"));
    PuzzleInfo::all().iter().find(|info| plain(info.puzzle) == name || Some(info.puzzle) == cube.as_deref())
}

/// The letters and digits of a name, in lower case.
fn plain(name: &str) -> String {
    let with_ascii_sign = name.chars().map(|c| if c == '×' { 'x' } else { c });
    with_ascii_sign.filter(|c| c.is_ascii_alphanumeric()).map(|c| c.to_ascii_lowercase()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn puzzles_have_the_names_that_people_type() {
        let found = |name| find(name).map(|info| info.puzzle);
        for (names, puzzle) in [
            (&["cube3", "3x3", "3×3×3", "333", "Rubik", "Rubik's cube"][..], "cube3"),
            (&["cube2", "2x2", "2X2X2", "222"], "cube2"),
            (&["square1", "square-1", "Square-1", "sq1", "SQ-1", "Square One"], "square1"),
            (&["cube21", "Cube 21"], "cube21"),
            (&["square1-corners", "Square1_Corners", "sq1-corners"], "square1-corners"),
            (&["4x4x4", "4x4", "4×4"], "4x4x4"),
            (&["5x5x5", "5x5"], "5x5x5"),
        ] {
            names.iter().for_each(|name| assert_eq!(found(name), Some(puzzle), "{name}"));
        }
        for name in ["", "-", "6x6", "cube", "cube1", "square", "phase1"] {
            assert_eq!(found(name), None, "{name:?}");
        }
    }

    #[test]
    fn further_names_are_those_of_puzzles_and_plain() {
        for (further, puzzle) in FURTHER_NAMES {
            assert!(
                plain(further) == further && PuzzleInfo::all().iter().any(|info| info.puzzle == puzzle),
                "{further}"
            );
            assert!(PuzzleInfo::all().iter().all(|info| plain(info.puzzle) != further), "{further}");
        }
    }
}
