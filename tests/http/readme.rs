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

/// Whoever reads the help knows every address, and none that is not there.
#[test]
fn the_help_names_every_address() {
    let server = Server::start(CUBE21.path(), &[]);
    let (_, help, _) = crate::cli::run(CUBE21.path(), &["serve", "--help"]);
    let text = help.split_once("Addresses below").unwrap().1.split_once("\n\n").unwrap().0.replace("TABLE", "{table}");
    let words: Vec<_> =
        text.split([' ', ',', ';', '\n', ':', '(', ')']).map(|word| word.trim_end_matches('.')).collect();
    let document = server.json("openapi.json", &[]);
    for path in document["paths"].as_object().unwrap().keys() {
        let name =
            path.trim_start_matches("/api/v1/").replace("{puzzle}/query", "PUZZLE/query").replace("{puzzle}/", "");
        assert!(words.contains(&name.as_str()), "{path} is not in {text}");
    }
    for path in ["/", "/healthz", "/readyz", "/metrics", "/api/v1/openapi.json"] {
        assert!(words.contains(&path.trim_start_matches("/api/v1/")), "{path} is not in {text}");
        assert_eq!(server.get(path, &[]).status, 200, "{path}");
    }
}

/// What the help says of parameters that are not called as options.
#[test]
fn parameters_differ_from_options_as_the_help_says() {
    let server = Server::start(CUBE21.path(), &[]);
    let status = |path: &str, query: &[(&str, &str)]| {
        server.get(&format!("/api/v1/cube21/{path}"), &[&[("position", "/")], query].concat()).status
    };
    for (name, value, expected) in [
        ("middle", "square", 200),
        ("middle", "true", 422),
        ("exact", "true", 200),
        ("exact", "false", 200),
        ("no_exact", "true", 422),
        ("time", "1s", 422),
        ("max_nodes", "1", 422),
    ] {
        assert_eq!(status("query", &[(name, value)]), expected, "{name}={value}");
    }
    for name in ["time", "map", "results", "as_finished"] {
        assert_eq!(status("solve", &[(name, "true")]), 422, "{name}");
    }
}
