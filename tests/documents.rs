//! What documents point to is there.

use std::fs;
use std::path::{Path, PathBuf};

const DOCUMENTS: [&str; 6] =
    ["README.md", "ENTERING.md", "ARCHITECTURE.md", "BENCHMARKS.md", "CHANGELOG.md", "tools/python/README.md"];
/// What paths of the repository begin with, where they are named in backticks.
const FOLDERS: [&str; 6] = [".ci/", "data/", "schema/", "src/", "tests/", "tools/"];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn text(document: &str) -> String {
    fs::read_to_string(root().join(document)).unwrap()
}

/// The sources below a folder, but for what tools put there.
fn sources(folder: &Path) -> Vec<PathBuf> {
    let paths = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let (folders, files): (Vec<_>, Vec<_>) = paths.partition(|path| path.is_dir());
    let is_own = |folder: &&PathBuf| {
        let name = folder.file_name().unwrap_or_default().to_string_lossy();
        !name.starts_with('.') && !["target", "node_modules"].contains(&&*name)
    };
    let below = folders.iter().filter(is_own).flat_map(|folder| sources(folder));
    files.into_iter().filter(|path| path.extension().is_some_and(|ending| ending == "rs")).chain(below).collect()
}

/// What is written about formats and decisions.
fn formats_and_decisions() -> Vec<PathBuf> {
    let folders =
        ["schema", "schema/decisions"].into_iter().flat_map(|folder| fs::read_dir(root().join(folder)).unwrap());
    let files = folders.map(|entry| entry.unwrap().path());
    files.filter(|path| path.extension().is_some_and(|ending| ending == "md")).collect()
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

/// Asserts that all that a document names in backticks or links to is there, and returns how much that is.
fn check_paths(document: &Path) -> usize {
    let text = fs::read_to_string(document).unwrap();
    let named = quoted(&text).into_iter().filter(|words| FOLDERS.iter().any(|folder| words.starts_with(folder)));
    let named = named.map(|words| root().join(words.split_whitespace().next().unwrap_or_default()));
    // What follows a # is a part of the page.
    let links = linked(&text).into_iter().map(|link| link.split('#').next().unwrap_or_default());
    let paths: Vec<_> = named.chain(links.map(|link| document.with_file_name("").join(link))).collect();
    let missing: Vec<_> = paths.iter().filter(|path| !path.exists()).collect();
    assert!(missing.is_empty(), "{} names {missing:?}", document.display());
    paths.len()
}

#[test]
fn every_path_that_is_named_exists() {
    for document in DOCUMENTS {
        let paths = check_paths(&root().join(document));
        assert!(paths > 2, "{document}: {paths}");
    }
}

#[test]
fn every_path_that_formats_and_decisions_name_exists() {
    let documents = formats_and_decisions();
    assert!(documents.len() > 20, "{documents:?}");
    for document in &documents {
        check_paths(document);
    }
}

/// A source may be named by the end of its path where the text says what it is about.
#[test]
fn every_source_that_is_named_exists() {
    let sources: Vec<_> =
        ["src", "tests", "tools"].into_iter().flat_map(|folder| sources(&root().join(folder))).collect();
    for document in DOCUMENTS.map(|document| root().join(document)).into_iter().chain(formats_and_decisions()) {
        let text = fs::read_to_string(&document).unwrap();
        let named = quoted(&text).into_iter().filter(|words| words.ends_with(".rs") && !words.contains(' '));
        let missing: Vec<_> = named.filter(|name| !sources.iter().any(|source| source.ends_with(name))).collect();
        assert!(missing.is_empty(), "{} names {missing:?}", document.display());
    }
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
