//! `picture`: files that show positions.

use std::fs;

use serde_json::Value;

use super::{object, run, run_json, store};
use twistbase_testing::stickers::Stickers;

/// A position of each puzzle, and moves that can be made from there.
const POSITIONS: [(&str, &str, &str); 5] = [
    ("cube3", "R U F", "R2 U' F"),
    ("cube2", "R U F", "R2 U' F"),
    ("square1", "(1,0)/(3,3)/", "(0,-3)/(3,0)/"),
    ("cube21", "(1,0)/(3,3)/", "(0,-3)/(3,0)/"),
    ("square1-corners", "(1,0)/(3,3)/", "(0,-3)/(3,0)/"),
];

#[test]
fn every_puzzle_has_pictures() {
    let dir = store();
    for (puzzle, position, _) in POSITIONS {
        for view in ["flat", "perspective"] {
            let file = dir.path().join("x.SVG");
            let args = ["picture", puzzle, position, "--view", view, "--force", "-o", file.to_str().unwrap()];
            let (code, stdout, stderr) = run(dir.path(), &args);
            assert_eq!((code, stdout.as_str(), stderr.as_str()), (0, "", ""), "{args:?}");
            let written = fs::read_to_string(&file).unwrap();
            assert!(written.starts_with("<svg xmlns=") && written.ends_with("</svg>\n"), "{written}");
            let paths = written.matches("<path ").count();
            assert!(paths >= 24 && !written.contains("NaN"), "{puzzle} {view}: {paths} paths");
            // Without a file it is printed.
            let (code, printed, _) = run(dir.path(), &args[..5]);
            assert_eq!((code, printed == written), (0, true));
            let (_, other, _) = run(dir.path(), &[&args[..5], &["--colours", "colour-blind"]].concat());
            assert_ne!(other, written);
        }
    }
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1, "no table is needed");
}

#[test]
fn a_picture_is_called_by_the_position_that_it_shows() {
    let dir = store();
    let (code, turned, stderr) = run(dir.path(), &["picture", "cube3", "R U x", "--normalize"]);
    assert!(code == 0 && turned.contains(&format!("cube3: {}", Stickers::after("R U"))), "{stderr}{turned}");
    assert!(run(dir.path(), &["picture", "cube3", "R U x"]).1.contains("cube3: R U x"));
}

#[test]
fn a_picture_of_pixels_has_the_size_that_is_asked_for() {
    let dir = store();
    let file = dir.path().join("x.png");
    for (puzzle, position, _) in POSITIONS {
        for (size, expected) in [(&[][..], 480), (&["--size", "200"], 200)] {
            let args = ["picture", puzzle, position, "--view", "perspective", "--force", "-o", file.to_str().unwrap()];
            let (code, stdout, stderr) = run(dir.path(), &[&args, size].concat());
            assert_eq!((code, stdout.as_str(), stderr.as_str()), (0, "", ""), "{args:?}");
            let written = fs::read(&file).unwrap();
            assert!(written.starts_with(b"\x89PNG\r\n\x1a\n"));
            // Width and height come first in the first chunk.
            let side = |at: usize| u32::from_be_bytes(written[at..at + 4].try_into().unwrap());
            assert_eq!(side(16).max(side(20)), expected, "{puzzle}");
        }
    }
}

/// Three parts of a vector in thousandths.
fn vector(value: &Value) -> [f64; 3] {
    std::array::from_fn(|part| value[part].as_f64().unwrap())
}

#[test]
fn a_scene_has_what_a_player_needs() {
    let dir = store();
    for (puzzle, position, moves) in POSITIONS {
        let (code, mut lines, stderr) = run_json(dir.path(), &["picture", puzzle, position, "--moves", moves]);
        assert_eq!(code, 0, "{stderr}");
        let scene = lines.remove(0);
        let solids = scene["solids"].as_array().unwrap().len();
        assert!(scene["steps"].as_array().unwrap().len() >= 3, "{scene}");
        for turn in scene["steps"].as_array().unwrap().iter().flat_map(|step| step["turns"].as_array().unwrap()) {
            let length = vector(&turn["axis"]).iter().map(|part| part * part).sum::<f64>();
            assert!((length - 1.0).abs() < 1e-4, "{turn}");
            let turning = turn["solids"].as_array().unwrap();
            assert!(!turning.is_empty() && turning.iter().all(|solid| solid.as_u64().unwrap() < solids as u64));
        }
        let file = dir.path().join("x.json");
        let args = ["picture", puzzle, position, "--moves", moves, "--force", "-o", file.to_str().unwrap()];
        assert_eq!(run(dir.path(), &args).0, 0);
        assert_eq!(object(&fs::read_to_string(&file).unwrap()), scene);
    }
}

#[test]
fn those_of_the_readme_are_made_by_the_program() {
    let dir = store();
    for (name, args) in [
        ("superflip", &["cube3", "U R2 F B R B2 R U2 L B2 R U' D' R2 F R' L B2 U2 F2", "--view", "perspective"][..]),
        ("square1", &["square1", "(1,0)/(3,3)/(-1,0)/(0,-3)/", "--view", "perspective"]),
        ("cube21", &["cube21", "(1,0)/(3,3)/(-1,0)/(0,-3)/(-2,0)/"]),
    ] {
        let (code, made, stderr) = run(dir.path(), &[&["picture"], args].concat());
        assert_eq!(code, 0, "{stderr}");
        let path = [env!("CARGO_MANIFEST_DIR"), "data", "pictures", &format!("{name}.svg")]
            .iter()
            .collect::<std::path::PathBuf>();
        assert!(fs::read_to_string(&path).unwrap() == made, "{} is not what {args:?} makes", path.display());
    }
}

#[test]
fn an_existing_file_is_replaced_by_force_alone() {
    let dir = store();
    let file = dir.path().join("there.svg");
    fs::write(&file, "mine").unwrap();
    let args = ["picture", "cube3", "R", "-o", file.to_str().unwrap()];
    let (code, _, stderr) = run(dir.path(), &args);
    assert!(code == 2 && stderr.contains("there.svg exists already; --force replaces it"), "{code} {stderr}");
    assert_eq!(fs::read_to_string(&file).unwrap(), "mine");
    assert_eq!(run(dir.path(), &[&args[..], &["--force"]].concat()).0, 0);
    assert!(fs::read_to_string(&file).unwrap().starts_with("<svg"));
    assert_eq!(run(dir.path(), &["picture", "cube3", "R", "--force"]).0, 2);
}

#[test]
fn what_cannot_be_drawn_is_refused() {
    let dir = store();
    let refused: &[(&[&str], i32, &str)] = &[
        (&["cube3", "R U X"], 3, "is no move"),
        (&["cube3", "R", "-o", "x.bmp"], 2, ".svg, .png or .json"),
        (&["cube3", "R", "--json", "-o", "x.svg"], 2, ".json"),
        (&["cube3", "R", "--size", "100"], 2, ".png"),
        (&["cube3", "R", "-o", "x.png", "--size", "5000"], 2, "16..=4096"),
        (&["cube3", "R", "-o", "x.json", "--view", "flat"], 2, "scene"),
        (&["cube3", "R", "--moves", "U"], 2, "scene"),
        (&["cube3", "R", "--moves", "Q", "--json"], 3, "is no move"),
        (&["square1", "wca:", "--moves", "(1,0)/(1,0)/", "--json"], 3, "blocked"),
        (&["cube3", "R", "-o", "/nonexistent/x.svg"], 6, "cannot create a file in /nonexistent"),
    ];
    for (args, expected, words) in refused {
        let (code, stdout, stderr) = run(dir.path(), &[&["picture"], *args].concat());
        assert_eq!((code, stdout.as_str()), (*expected, ""), "{args:?}: {stderr}");
        assert!(stderr.contains(words), "{args:?}: {stderr}");
    }
}
