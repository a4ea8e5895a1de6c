//! However a table came to its depth, it is the same.

use twistbase::context::Context;
use twistbase::error::{Class, Error};
use twistbase::store::{BuildStart, Builder, Store};
use twistbase::tables::{self, Built};

use super::{BUILT, FARTHEST, SMALL, assert_same, build, copy_to, open, request, run, small, succeed};

/// From every depth to every greater one, and to the whole: so every chain of depths ends with the table that is built at
/// once. On one, two and four threads, with much memory, and with as little as it takes at all, in a scratch file.
#[test]
fn every_step_from_one_depth_to_another_leads_to_the_same_table() {
    let pools = [1, 2, 4].map(|threads| rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads"));
    let mut steps = 0;
    for (from, dir) in &BUILT[..BUILT.len() - 1] {
        for (to, right) in BUILT.iter().filter(|(to, _)| to.is_none() || to > from) {
            let copy = copy_to(*from);
            let store = Store::open(copy.path());
            let memory = if steps % 2 == 0 { 1 << 30 } else { small().least_memory() };
            let (_, continued) = pools[steps % 3].install(|| build(&store, small(), *to, memory));
            assert_eq!(continued, *from);
            let what = format!("{from:?} to {to:?}");
            assert_same(&open(copy.path(), small()), &open(right.path(), small()), &what);
            steps += 1;
        }
        assert_eq!(open(dir.path(), small()).manifest().depth, *from);
    }
    assert_eq!(steps, 36);
}

#[test]
fn digests_tell_depths_apart() {
    let digests: std::collections::BTreeSet<_> =
        BUILT.iter().map(|(_, dir)| open(dir.path(), small()).manifest().digest.clone()).collect();
    assert_eq!(digests.len(), BUILT.len());
}

/// What is there already, what is not, and what is built by force.
#[test]
fn the_command_goes_on_or_says_that_it_is_there() {
    let dir = tempfile::tempdir().unwrap();
    let build = |args: &[&str]| {
        let line = succeed(dir.path(), &[&["build", SMALL, "--json"], args].concat()).json().remove(0);
        (line["outcome"].as_str().unwrap().to_owned(), line["depth"].as_u64(), line["extended_from"].as_u64())
    };
    let is = |outcome: &str, depth, from| (outcome.to_owned(), depth, from);
    assert_eq!(build(&["--depth", "4"]), is("built", Some(4), None));
    assert_eq!(build(&["--depth", "4"]), is("already-there", Some(4), None));
    assert_eq!(build(&["--depth", "3"]), is("already-there", Some(4), None));
    let text = succeed(dir.path(), &["build", SMALL, "--depth", "2"]).stdout;
    assert!(text.contains("already complete to depth 4") && text.contains("extends it"), "{text}");
    assert_eq!(build(&["--depth", "6"]), is("extended", Some(6), Some(4)));
    assert_eq!(build(&["--depth", "2", "--force"]), is("built", Some(2), None));
    let text = succeed(dir.path(), &["tables"]).stdout;
    assert!(text.lines().any(|line| line.contains(SMALL) && line.ends_with("to depth 2")), "{text}");
    let text = succeed(dir.path(), &["build", SMALL]).stdout;
    assert!(text.contains("extended from depth 2") && !text.contains("DIFFERENT"), "{text}");
    assert_eq!(build(&["--depth", "6"]), is("already-complete", None, None));
    // What reaches everything is complete.
    let farthest = FARTHEST.to_string();
    assert_eq!(build(&["--depth", &farthest, "--force"]), is("built", None, None));
}

#[test]
fn tables_without_a_value_for_what_is_farther_are_refused_with_the_reason() {
    let dir = tempfile::tempdir().unwrap();
    let refusals = [
        ("huge", "modulo 3"),
        ("phase1-kociemba", "modulo 3"),
        ("phase2-kociemba", "modulo 3"),
        ("nx-eo1-ep1-htm", "two bits"),
    ];
    for (table, reason) in refusals {
        // Of several none is begun.
        let ended = run(dir.path(), &["build", SMALL, table, "--depth", "3"]);
        assert_eq!(ended.code, Some(2), "{}", ended.stderr);
        assert!(ended.stderr.contains(table) && ended.stderr.contains(reason), "{}", ended.stderr);
    }
    let ended = run(dir.path(), &["build", "phase2", "--depth", "16"]);
    assert_eq!(ended.code, Some(2));
    assert!(ended.stderr.contains("phase2 can be built at most to depth 15, or completely"), "{}", ended.stderr);
    assert_eq!(run(dir.path(), &["build", "--all", "--depth", "3"]).code, Some(2));
    assert!(super::super::faults::files(dir.path()).is_empty());
    let store = Store::open(dir.path());
    let refused = store.build(tables::find("huge").unwrap().layout(), Some(3), false, &Context::silent());
    assert_eq!(refused.unwrap_err().class(), Class::Usage);
}

/// An interrupted continuation leaves the bounded table, and goes on with the rows that it stored. One to another depth
/// begins anew, from the table.
#[test]
fn an_interrupted_continuation_is_gone_on_with() {
    let dir = copy_to(Some(3));
    let store = Store::open(dir.path());
    let ctx = Context::silent();
    let whole = open(BUILT[6].1.path(), small());
    let begin = |depth| match store.build(small().layout(), depth, false, &ctx).unwrap() {
        twistbase::store::BuildStart::Building(builder) => builder,
        twistbase::store::BuildStart::AlreadyThere(_) => panic!("it is not"),
    };
    let mut builder = begin(Some(6));
    let mut bytes = vec![0; small().layout().row_bytes()];
    for row in 0..40 {
        whole.read_row(row, &mut bytes).unwrap();
        let levels = whole.row_record(row).unwrap().row_levels();
        builder.put_row(builder.encoder().encode(row, &bytes, &levels).unwrap()).unwrap();
    }
    drop(builder);
    assert_eq!(store.depth_begun(small().layout(), &ctx), Some(6));
    assert_eq!(open(dir.path(), small()).manifest().depth, Some(3));
    assert_eq!(begin(Some(6)).rows_done(), 40);
    let Built::Now { manifest, from, rows_kept, .. } =
        tables::build(&store, small(), &request(Some(6), 1 << 30), &ctx).unwrap()
    else {
        panic!("it is not there")
    };
    assert_eq!((from, rows_kept, manifest.depth), (Some(3), 40, Some(6)));
    assert_same(&open(dir.path(), small()), &whole, "interrupted");
    drop(begin(Some(7)));
    assert_eq!(begin(None).rows_done(), 0);
}

/// Begins to build the small table to depth 6, with 40 rows of it.
fn begin_to_six(store: &Store) -> Box<Builder> {
    let whole = open(BUILT[6].1.path(), small());
    let BuildStart::Building(mut builder) = store.build(small().layout(), Some(6), false, &Context::silent()).unwrap()
    else {
        panic!("it is there")
    };
    let mut bytes = vec![0; small().layout().row_bytes()];
    for row in 0..40 {
        whole.read_row(row, &mut bytes).unwrap();
        let levels = whole.row_record(row).unwrap().row_levels();
        builder.put_row(builder.encoder().encode(row, &bytes, &levels).unwrap()).unwrap();
    }
    builder.checkpoint().unwrap();
    builder
}

#[test]
fn rows_to_another_depth_are_discarded_by_force_alone() {
    let dir = tempfile::tempdir().unwrap();
    let (store, ctx) = (Store::open(dir.path()), Context::silent());
    drop(begin_to_six(&store));
    for options in [&[][..], &["--depth", "4"]] {
        let command = [&["build", SMALL], options].concat().join(" ");
        let refused = run(dir.path(), &[&["build", SMALL], options].concat());
        let continues = format!("build {SMALL} --depth 6 resumes it, {command} --force discards it");
        assert_eq!((refused.code, refused.stderr.contains(&continues)), (Some(2), true), "{}", refused.stderr);
        assert!(refused.stderr.contains("has 40 rows"), "{}", refused.stderr);
    }
    let begun = |depth, force| match store.build(small().layout(), depth, force, &ctx).unwrap() {
        BuildStart::Building(builder) => builder.rows_done(),
        BuildStart::AlreadyThere(_) => panic!("it is there"),
    };
    assert_eq!((begun(Some(6), false), begun(Some(6), true), begun(None, true)), (40, 40, 0));
}

/// What is advised about a build beside a table continues it.
#[test]
fn the_build_that_is_beside_a_table_is_told_with_what_continues_it() {
    let dir = tempfile::tempdir().unwrap();
    let building = dir.path().join(format!("{SMALL}.building.redb"));
    drop(begin_to_six(&Store::open(dir.path())));
    let rows = std::fs::read(&building).unwrap();
    for (there, asked, advice) in [
        (&["--depth", "4"][..], &["--depth", "4"][..], format!("build {SMALL} --depth 6 resumes it, or ")),
        (&[], &[], "there is also an unfinished build of ".to_owned()),
    ] {
        std::fs::remove_file(&building).unwrap();
        succeed(dir.path(), &[&["build", SMALL], there].concat());
        std::fs::write(&building, &rows).unwrap();
        let said = succeed(dir.path(), &[&["build", SMALL], asked].concat()).stderr;
        assert!(said.contains(&advice) && said.contains("remove "), "{said}");
        assert_eq!(said.contains("resumes"), advice.contains("resumes"), "{said}");
    }
    // Of a build that was killed it cannot be told what it was to be: nobody is told to remove it.
    let elsewhere = tempfile::tempdir().unwrap();
    let begun = begin_to_six(&Store::open(elsewhere.path()));
    let unclosed = std::fs::read(elsewhere.path().join(building.file_name().unwrap())).unwrap();
    drop(begun);
    std::fs::write(&building, unclosed).unwrap();
    let said = succeed(dir.path(), &["build", SMALL]).stderr;
    assert!(said.contains(&format!("build {SMALL} --force resumes it if possible")), "{said}");
    assert!(!said.contains("remove"), "{said}");
}

/// A kill leaves a file that nobody closed: the depth is in it all the same.
#[test]
fn a_rebuild_goes_on_to_the_depth_of_a_build_that_was_killed() {
    let [dir, killed] = [(); 2].map(|()| tempfile::tempdir().unwrap());
    let building = format!("{SMALL}.building.redb");
    let builder = begin_to_six(&Store::open(dir.path()));
    std::fs::copy(dir.path().join(&building), killed.path().join(&building)).unwrap();
    drop(builder);
    let planned = succeed(killed.path(), &["rebuild", "--dry-run"]).stdout;
    assert!(planned.contains("would build to depth 6"), "{planned}");
    let report = succeed(killed.path(), &["rebuild", "--json"]).json().remove(0);
    assert_eq!((&report["done"], &report["depth"]), (&true.into(), &6.into()), "{report}");
    assert_same(&open(killed.path(), small()), &open(BUILT[6].1.path(), small()), "killed");
}

/// Of a damaged table nothing is taken: it is built from nothing.
#[test]
fn a_damaged_table_is_not_continued() {
    let dir = copy_to(Some(5));
    let path = dir.path().join(format!("{SMALL}.redb"));
    let right = std::fs::read(&path).unwrap();
    let store = Store::open(dir.path());
    let mut refused = 0;
    let used = right.iter().rposition(|&byte| byte != 0).unwrap();
    for at in (0..used).step_by(used / 24) {
        let mut bytes = right.clone();
        bytes[at] ^= 4;
        std::fs::write(&path, bytes).unwrap();
        match tables::build(&store, small(), &request(Some(6), 1 << 30), &Context::silent()) {
            Ok(Built::Now { manifest, from, .. }) => {
                assert_same(&open(dir.path(), small()), &open(BUILT[6].1.path(), small()), "damaged");
                assert_eq!(manifest.depth, Some(6));
                refused += usize::from(from.is_none());
            }
            Ok(Built::Already(_)) => panic!("it is not there"),
            Err(Error::Data(fault)) => assert!(fault.remedy.to_string().contains("--force"), "{fault}"),
            Err(other) => panic!("{other}"),
        }
    }
    assert!(refused > 0, "{refused}");
}
