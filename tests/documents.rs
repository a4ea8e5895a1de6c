//! What README.md, ARCHITECTURE.md and BENCHMARKS.md point to is there.

use std::fs;
use std::path::Path;

const DOCUMENTS: [&str; 3] = ["README.md", "ARCHITECTURE.md", "BENCHMARKS.md"];
/// What paths of the repository begin with, where they are named in backticks.
const FOLDERS: [&str; 8] = [".ci/", "benches/", "data/", "examples/", "schema/", "src/", "tests/", "tools/"];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn text(document: &str) -> String {
    fs::read_to_string(root().join(document)).unwrap()
}

/// What stands between backticks, outside of blocks of code.
fn quoted(text: &str) -> Vec<&str> {
    let lines = text.lines().filter(|line| !line.starts_with("    "));
    lines.flat_map(|line| line.split('`').skip(1).step_by(2)).collect()
}

/// Targets of links that lead to no other site.
fn linked(text: &str) -> Vec<&str> {
    let targets = text.split("](").skip(1).filter_map(|rest| rest.split_once(')')).map(|(target, _)| target);
    targets.filter(|target| !target.contains("://")).collect()
}

#[test]
fn every_path_that_is_named_exists() {
    for document in DOCUMENTS {
        let text = text(document);
        let paths: Vec<_> = quoted(&text)
            .into_iter()
            .filter(|words| FOLDERS.iter().any(|folder| words.starts_with(folder)))
            .map(|words| words.split_whitespace().next().unwrap_or_default())
            .chain(linked(&text))
            .collect();
        assert!(paths.len() > 3, "{document}: {paths:?}");
        for path in paths {
            assert!(root().join(path).exists(), "{document} names {path}, which does not exist");
        }
    }
}

#[test]
fn every_path_that_formats_and_decisions_name_exists() {
    let mut documents = 0;
    for folder in ["schema", "schema/decisions"] {
        for entry in fs::read_dir(root().join(folder)).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_none_or(|ending| ending != "md") {
                continue;
            }
            let text = fs::read_to_string(&path).unwrap();
            let named = quoted(&text).into_iter().filter(|word| {
                let is_path = |letter: char| letter.is_ascii_alphanumeric() || "_-./".contains(letter);
                FOLDERS.iter().any(|folder| word.starts_with(folder)) && word.chars().all(is_path)
            });
            let missing: Vec<_> = named.filter(|name| !root().join(name).exists()).collect();
            assert!(missing.is_empty(), "{} names {missing:?}", path.display());
            let beside = path.parent().unwrap();
            let is_lost = |link: &&str| !beside.join(link.split('#').next().unwrap_or_default()).exists();
            let lost: Vec<_> = linked(&text).into_iter().filter(is_lost).collect();
            assert!(lost.is_empty(), "{} links to {lost:?}", path.display());
            documents += 1;
        }
    }
    assert!(documents > 20, "{documents}");
}

#[test]
fn the_readme_is_short() {
    assert!(text("README.md").lines().count() <= 200);
}

#[test]
fn every_table_of_the_readme_exists() {
    let text = text("README.md");
    let rows = text.lines().filter_map(|line| line.strip_prefix("| `")?.split_once('`'));
    let named: Vec<_> = rows.map(|(name, _)| name).collect();
    assert!(named.len() >= 7, "{named:?}");
    for name in named {
        assert!(twistbase::tables::find(name).is_ok(), "{name}");
    }
}
