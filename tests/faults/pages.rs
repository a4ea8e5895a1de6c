//! Pages of a file that hold nothing any more, as a disk or a file system leaves them: every command answers rightly or says that
//! the table is damaged, and what mends it.

use std::fs;
use std::path::Path;

use super::{Ended, Numbers, SMALL, digest, files, run, small, succeed};
use crate::support::Fixture;

/// Bytes of redb's smallest pages.
const PAGE: usize = 4096;

/// What comes from the text of a panic and from nothing else.
const OF_PANICS: [&str; 9] = [
    "internal error",
    "unreachable",
    "unwrap()",
    "assertion",
    "out of range",
    "out of bounds",
    ".rs:",
    "not implemented",
    "overflow",
];

/// A store whose one table is damaged over and over.
struct Attacked {
    store: Fixture,
    /// What only reads, and how it ends where nothing is damaged.
    readers: Vec<(Vec<&'static str>, Ended)>,
    digest: String,
    good: Vec<u8>,
}

impl Attacked {
    fn new() -> Self {
        let store = small();
        let dir = store.path();
        let readers: [&[&str]; 9] = [
            &["query", SMALL, "(1,0)/(3,3)/(-1,0)/", "--json"],
            &["query", SMALL, "(1,0)/(3,3)/(-1,0)/", "--solutions"],
            &["query", SMALL, "(1,0)/(3,3)/", "--cache", "off"],
            &["solve", SMALL, "(1,0)/(3,3)/(-1,0)/(0,-3)/"],
            &["stats", SMALL],
            &["stats", SMALL, "--rows", "--json"],
            &["export", SMALL, "--levels", "0..3", "--format", "csv", "-o", "-"],
            &["cache", "status", SMALL],
            &["random", SMALL, "--seed", "3", "-n", "2"],
        ];
        let readers = readers.map(|args| (args.to_vec(), succeed(dir, args))).into();
        let good = fs::read(dir.join("square1-corners.redb")).expect("the table");
        Self { digest: digest(dir, SMALL), readers, good, store }
    }

    /// Numbers of the pages that hold something.
    fn pages(&self) -> Vec<usize> {
        let pages = self.good.chunks(PAGE).enumerate();
        pages.filter(|(_, page)| page.iter().any(|&byte| byte != 0)).map(|(at, _)| at).collect()
    }

    /// The table's bytes without these pages.
    fn without(&self, pages: &[usize]) -> Vec<u8> {
        let mut bytes = self.good.clone();
        for page in pages {
            bytes[page * PAGE..][..PAGE].fill(0);
        }
        bytes
    }

    /// What a command says of a damaged table: nothing of panics, and of data that is damaged its file and what mends it.
    fn check(&self, ended: &Ended, what: &str) {
        let said = format!("{}{}", ended.stdout, ended.stderr);
        let of_panic = OF_PANICS.iter().find(|text| said.contains(**text));
        assert!(of_panic.is_none(), "{what}: {of_panic:?} in {said}");
        assert!(matches!(ended.code, Some(0 | 4)), "{what}: {:?} {said}", ended.code);
    }

    /// Asks everything of the table without these pages, then mends it. Returns how many commands were refused.
    fn ask_without(&self, pages: &[usize]) -> usize {
        let dir = self.store.path();
        let _ = fs::remove_dir_all(dir.join("cache"));
        let file = dir.join(format!("{SMALL}.redb"));
        fs::write(&file, self.without(pages)).expect("room");
        let mut refused = 0;
        for (args, right) in &self.readers {
            let (ended, what) = (run(dir, args), format!("pages {pages:?}: {args:?}"));
            self.check(&ended, &what);
            if ended.code == Some(0) {
                assert!(args[0] == "cache" || ended.stdout == right.stdout, "{what}: {}", ended.stdout);
                continue;
            }
            refused += 1;
            let advised = [format!("twistbase rebuild {SMALL}"), format!("twistbase build {SMALL} --force")];
            let names_file = ended.stderr.contains(file.to_str().expect("text"));
            assert!(names_file && advised.iter().any(|text| ended.stderr.contains(text)), "{what}: {}", ended.stderr);
        }
        for args in
            [&["tables"][..], &["tables", "--json"], &["rebuild", SMALL, "--dry-run"], &["cache", "warm", SMALL]]
        {
            self.check(&run(dir, args), &format!("pages {pages:?}: {args:?}"));
        }
        let verified = run(dir, &["verify", SMALL, "--json"]);
        self.check(&verified, &format!("pages {pages:?}: verify"));
        assert!(refused == 0 || verified.code == Some(4), "pages {pages:?}: verify finds nothing");
        // What redb reads only to write may be damaged, too.
        self.check(&run(dir, &["build", SMALL]), &format!("pages {pages:?}: build"));
        let rebuilt = run(dir, &["rebuild", SMALL]);
        self.check(&rebuilt, &format!("pages {pages:?}: rebuild"));
        if rebuilt.code == Some(4) {
            // The first page says that the file is redb's; what is not is left alone.
            assert!(pages.contains(&0) && rebuilt.stdout.contains("--force"), "{pages:?}: {rebuilt:?}");
            succeed(dir, &["build", SMALL, "--force"]);
        }
        assert!(self.digest == digest(dir, SMALL) && succeed(dir, &["verify", SMALL]).code == Some(0));
        refused
    }

    /// An unfinished build without these pages is continued, or begun again.
    fn build_without(&self, pages: &[usize]) {
        let dir = tempfile::tempdir().expect("a folder");
        let dir = dir.path();
        fs::write(dir.join(format!("{SMALL}.building.redb")), self.without(pages)).expect("room");
        for args in [&["tables"][..], &["query", SMALL, "/"], &["build", SMALL]] {
            self.check(&run(dir, args), &format!("unfinished, pages {pages:?}: {args:?}"));
        }
        succeed(dir, &["build", SMALL]);
        assert_eq!(self.digest, digest(dir, SMALL));
        assert_eq!(files(dir), [Path::new(SMALL).with_extension("redb")]);
    }
}

/// Zeroes single pages, each `step`th that holds something, and some at random together.
fn zero_pages(step: usize, together: usize) {
    let attacked = Attacked::new();
    let pages = attacked.pages();
    let mut refused = 0;
    // The root of everything comes first: of it redb panics.
    for page in [0, 1].into_iter().chain(pages.iter().copied().skip(2).step_by(step)) {
        refused += attacked.ask_without(&[page]);
        attacked.build_without(&[page]);
    }
    let mut numbers = Numbers(47);
    for _ in 0..together {
        let some: Vec<usize> =
            (0..2 + numbers.below(12)).map(|_| pages[numbers.below(pages.len() as u64) as usize]).collect();
        refused += attacked.ask_without(&some);
        attacked.build_without(&some);
    }
    assert!(refused > 0);
    println!("{} pages; {refused} commands refused", pages.len());
}

#[test]
#[ignore = "long suite: seconds of processor time"]
fn zeroed_pages_are_damage_that_is_named() {
    zero_pages(40, 1);
}

#[test]
#[ignore = "tier two: every page"]
fn full_every_page_zeroed_is_damage_that_is_named() {
    zero_pages(1, 60);
}
