//! The examples of README.md and of the help, as they stand there.

use std::fs;
use std::path::Path;

use serde_json::Value;

use super::Server;
use crate::support::CUBE21;

/// The paths that `curl` is told to fetch in a text, each with the line that follows.
fn fetched(text: &str) -> Vec<(&str, &str)> {
    let mut lines = text.lines().map(str::trim).peekable();
    let mut found = Vec::new();
    while let Some(line) = lines.next() {
        let Some(url) = line.trim_start_matches("$ ").strip_prefix("curl ") else { continue };
        let path = url.trim_matches(['"', '\'']).strip_prefix("http://127.0.0.1:8021").expect("the default address");
        assert!(!path.contains(['"', '\'', ' ']), "{line}: one address, and no option");
        found.push((path, lines.peek().copied().unwrap_or_default()));
    }
    found
}

#[test]
fn the_examples_of_the_readme_are_answered_so() {
    let readme = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("README.md")).unwrap();
    let server = Server::start(CUBE21.path(), &[]);
    let examples = fetched(&readme);
    assert!(!examples.is_empty());
    for (path, expected) in examples {
        let reply = server.get(path, &[]);
        let expected: Value = serde_json::from_str(expected).unwrap_or_else(|error| panic!("{error}: {expected}"));
        assert_eq!((reply.status, reply.json()), (200, expected), "{path}");
    }
}

#[test]
fn the_examples_of_the_help_are_answered() {
    let server = Server::start(&crate::support::CUBE3, &[]);
    let (_, help, _) = crate::cli::run(CUBE21.path(), &["help", "serve"]);
    let examples = fetched(&help);
    assert!(!examples.is_empty(), "{help}");
    for (path, _) in examples {
        assert_eq!(server.get(path, &[]).status, 200, "{path}");
    }
}
