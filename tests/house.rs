//! What holds of the sources as a whole.
#![allow(unsafe_code)]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// The sources below a folder of `src`, with their texts.
fn sources(folder: &str) -> Vec<(PathBuf, String)> {
    let (mut folders, mut sources) = (vec![Path::new(env!("CARGO_MANIFEST_DIR")).join(folder)], Vec::new());
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|ending| ending == "rs") {
                let text = fs::read_to_string(&path).unwrap();
                sources.push((path, text));
            }
        }
    }
    sources
}

/// The type that a line of source defines.
fn defined(line: &str) -> Option<&str> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let kind = words.iter().position(|word| ["struct", "enum", "union", "trait", "type"].contains(word))?;
    let visibility = |word: &&str| word.starts_with("pub") || word.ends_with(')') || *word == "unsafe";
    let name = words.get(kind + 1).filter(|name| !name.starts_with('$') && words[..kind].iter().all(visibility))?;
    name.split(|letter: char| !letter.is_alphanumeric()).next()
}

/// A name stands for one thing, so that whoever looks for it finds that. The arguments of each command are `Args`, as clap's
/// own examples call them; types that belong to traits are named by those.
#[test]
fn no_type_name_has_two_meanings() {
    let mut types: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (path, text) in sources("src") {
        for (line, number) in text.lines().zip(1..) {
            let is_associated = line.starts_with(' ') && line.trim_start().starts_with("type ");
            if let Some(name) = defined(line).filter(|&name| !is_associated && name != "Args") {
                types.entry(name.to_owned()).or_default().push(format!("{}:{number}", path.display()));
            }
        }
    }
    assert!(types.len() > 300, "{} types", types.len());
    types.retain(|_, places| places.len() > 1);
    assert!(types.is_empty(), "{types:#?}");
}

/// The program adds nothing to the library, so that the tests of one with exports are those of the other.
#[test]
fn the_library_does_not_know_its_program() {
    for (path, text) in sources("src") {
        assert!(!text.contains("feature = \"cli\""), "{} depends on the program", path.display());
    }
}

/// The rooms that a source names, but those that nearly all know, and but in its tests.
fn rooms_named(text: &str) -> BTreeSet<&str> {
    let own = text.split("#[cfg(test)]\nmod tests").next().unwrap_or_default();
    let lines = own.lines().filter(|line| !line.trim_start().starts_with("//"));
    let named = lines.flat_map(|line| line.split("crate::").skip(1));
    let names =
        named.filter_map(|rest| rest.split(|letter: char| !letter.is_ascii_lowercase() && letter != '_').next());
    names.filter(|name| !["", "error", "context", "skipped"].contains(name)).collect()
}

/// The names in backticks.
fn in_backticks(text: &str) -> impl Iterator<Item = &str> {
    text.split('`').skip(1).step_by(2)
}

/// Each room depends on what `ARCHITECTURE.md` says, and on nothing else. The facade and the fronts over it may use all below.
#[test]
fn rooms_depend_on_what_the_map_says() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let map = fs::read_to_string(root.join("ARCHITECTURE.md")).unwrap();
    let mut rooms = BTreeSet::new();
    let mut differences = Vec::new();
    for row in map.lines().filter(|line| line.starts_with("| `src/")) {
        let [_, names, _, told, _] = row.split('|').collect::<Vec<_>>()[..] else { panic!("{row}") };
        let told: BTreeSet<&str> = in_backticks(told).collect();
        for room in in_backticks(names) {
            rooms.insert(room);
            let own = room.trim_start_matches("src/").trim_end_matches('/').trim_end_matches(".rs");
            if ["cli", "database", "error", "context"].contains(&own) {
                continue;
            }
            let files = match room.strip_suffix('/') {
                Some(_) => sources(room),
                None => vec![(root.join(room), fs::read_to_string(root.join(room)).unwrap())],
            };
            let is_test = |path: &Path| path.iter().any(|part| part == "tests" || part == "tests.rs");
            let found: BTreeSet<String> = files
                .iter()
                .filter(|(path, _)| !is_test(path))
                .flat_map(|(_, text)| rooms_named(text))
                .filter(|&name| {
                    name != own && (root.join("src").join(name).is_dir() || ["memory", "threads"].contains(&name))
                })
                .map(str::to_owned)
                .collect();
            let found: BTreeSet<&str> = found.iter().map(String::as_str).collect();
            if found != told {
                differences.push(format!("{room} uses {found:?}, told are {told:?}"));
            }
        }
    }
    assert!(differences.is_empty(), "{differences:#?}");
    for entry in fs::read_dir(root.join("src")).unwrap() {
        let entry = entry.unwrap();
        let name = format!("src/{}{}", entry.file_name().display(), if entry.path().is_dir() { "/" } else { "" });
        let is_root = ["src/lib.rs", "src/main.rs"].contains(&&*name);
        assert!(is_root || rooms.contains(&*name), "{name} is not on the map");
    }
}

/// A file that no `mod` names is never compiled.
#[test]
fn every_file_of_tests_is_in_the_binary() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    let all = fs::read_to_string(root.join("all.rs")).unwrap();
    for entry in fs::read_dir(&root).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
        let is_source = path.extension().is_some_and(|ending| ending == "rs") && name != "all";
        if is_source || path.join("mod.rs").exists() {
            assert!(all.contains(&format!("mod {name};")), "{} is not in tests/all.rs", path.display());
        }
    }
}

/// The store knows bytes, rows and checksums: what they mean is known above.
#[test]
fn the_store_knows_no_puzzle() {
    for (path, text) in sources("src/store") {
        for above in ["puzzle", "tables", "query", "solve", "cosets", "export", "database", "cli"] {
            let import = format!("crate::{above}");
            assert!(!text.contains(&import), "{} names {import}", path.display());
        }
    }
}

/// What is printed and how the program ends is the command line's.
#[test]
fn the_library_neither_prints_nor_exits() {
    for (path, text) in sources("src") {
        let relative = path.strip_prefix(env!("CARGO_MANIFEST_DIR")).unwrap();
        let is_program = relative.starts_with("src/cli") || relative == Path::new("src/main.rs");
        let own = text.split("#[cfg(test)]").next().unwrap_or_default();
        let is_test = relative.iter().any(|part| part == "tests" || part == "tests.rs");
        for call in ["println!(", "print!(", "process::exit", "panic::set_hook"] {
            let calls = own.lines().filter(|line| !line.trim_start().starts_with("//")).any(|line| line.contains(call));
            assert!(is_program || is_test || !calls, "{} calls {call}", path.display());
        }
    }
}

#[test]
fn the_python_package_has_the_version_of_the_library() {
    let manifest = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/tools/python/Cargo.toml")).unwrap();
    let version = manifest.lines().find_map(|line| line.strip_prefix("version = "));
    assert_eq!(version, Some(concat!('"', env!("CARGO_PKG_VERSION"), '"')));
}

/// The packages that a lock file names, each with its versions.
fn locked(folder: &str) -> BTreeMap<String, Vec<String>> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder).join("Cargo.lock");
    let lock: toml::Table = fs::read_to_string(path).unwrap().parse().unwrap();
    let mut packages: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for package in lock["package"].as_array().unwrap() {
        let text = |key: &str| package[key].as_str().unwrap().to_owned();
        packages.entry(text("name")).or_default().push(text("version"));
    }
    packages
}

/// What Cargo takes for the same: up to the first number that is not 0.
fn line_of(version: &str) -> &str {
    let parts = if version.starts_with("0.") { 2 } else { 1 };
    version.match_indices('.').nth(parts - 1).map_or(version, |(end, _)| &version[..end])
}

/// The package for Python reads and writes files as the program that is tested does, with the same code of others.
#[test]
fn lock_files_name_the_same_versions() {
    let own = locked("");
    for folder in ["tools/python", "tests/embed"] {
        let packages = locked(folder);
        assert!(packages.contains_key("redb"), "{folder}");
        for (name, versions) in packages {
            for version in versions {
                let same_line = own.get(&name).and_then(|all| all.iter().find(|own| line_of(own) == line_of(&version)));
                if let Some(own) = same_line {
                    assert_eq!(*own, version, "{name} in {folder}; run: cargo update -p {name} --precise {own}");
                }
            }
        }
    }
}
