//! Commands that change files, each with what has to hold of the files whenever it ends, and how it is gone on with.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::LazyLock;

use twistbase::export::{Column, ExportFormat};

use super::checks::{
    OUT, STORE, build, check_all_shards, check_all_solved, check_answers, check_bounded_or_complete_table, check_built,
    check_cache, check_cached_answers, check_checkpoint, check_damaged_table, check_export, check_exported,
    check_merged, check_new_table, check_old_or_new_table, check_results, check_shards, check_solved, check_warm,
    copy_damaged_table, copy_plan, copy_table, export, export_raw, import, keep_solved, link_phase1, make_out, merge,
    nothing, put_table, rebuild, solve_from_checkpoint, warm, work,
};
use super::record::{Event, Recording};
use super::right::RIGHT;
use super::{Ended, SMALL, files, program, succeed};
use crate::support::KEPT_SHARDS;

/// A command, and what is asked of what it leaves. All paths are below a folder of the job's own.
pub struct Job {
    pub name: &'static str,
    /// What follows the name of the program; `{}` is the folder.
    pub args: &'static [&'static str],
    /// Makes the files that are there before.
    prepare: fn(&Path),
    /// What holds at any moment, given what the program had printed.
    pub check: fn(&Path, &str),
    /// Does the same in this process, to the end.
    pub go_on: fn(&Path),
    /// What holds at the end, but for what another attempt could leave.
    pub check_end: fn(&Path),
    /// How many milliseconds each write takes longer, so that there are checkpoints.
    pub pause: u64,
}

/// What is answered there is on the disk a second later, not at once.
const SOLVE: &str = "solve --results";

static JOBS: [Job; 16] = [
    Job {
        name: "build",
        args: &["build", SMALL, "--store", "{}/new/store"],
        prepare: nothing,
        check: check_new_table,
        go_on: |root| build(root, false),
        check_end: check_built,
        pause: 0,
    },
    Job {
        name: "build --force",
        args: &["build", SMALL, "--force", "--store", "{}/new/store"],
        prepare: copy_table,
        check: check_old_or_new_table,
        go_on: |root| build(root, true),
        check_end: check_built,
        pause: 0,
    },
    Job {
        name: "build, continued from a depth",
        args: &["build", SMALL, "--store", "{}/new/store"],
        prepare: |root| put_table(root, &RIGHT.bounded.0),
        check: check_bounded_or_complete_table,
        go_on: |root| build(root, false),
        check_end: check_built,
        pause: 0,
    },
    Job {
        name: "rebuild",
        args: &["rebuild", SMALL, "--store", "{}/new/store"],
        prepare: copy_damaged_table,
        check: check_damaged_table,
        go_on: rebuild,
        check_end: check_built,
        pause: 0,
    },
    Job {
        name: "cache warm",
        args: &["cache", "warm", SMALL, "--store", "{}/new/store"],
        prepare: copy_table,
        check: check_cache,
        go_on: warm,
        check_end: check_warm,
        pause: 0,
    },
    Job {
        name: "query",
        args: &["query", SMALL, "-", "--store", "{}/new/store"],
        prepare: copy_table,
        check: check_cache,
        go_on: warm,
        check_end: check_cached_answers,
        pause: 0,
    },
    Job {
        name: "import",
        args: &["import", "{right}/x.twraw", "--store", "{}/new/store"],
        prepare: nothing,
        check: check_new_table,
        go_on: import,
        check_end: check_built,
        pause: 0,
    },
    Job {
        name: "export to JSON Lines",
        args: &["export", SMALL, "--sample", "6000", "--solution", "one", "-o", "{}/out/x.jsonl", "--store", "{right}"],
        prepare: make_out,
        check: |root, said| check_export(root, said, &["x.jsonl", "x.jsonl.meta.json"]),
        go_on: |root| export(root, "x.jsonl", ExportFormat::Jsonl, vec![Column::Solution], 6000, None),
        check_end: |root| check_exported(root, &["x.jsonl", "x.jsonl.meta.json"]),
        pause: 0,
    },
    Job {
        name: "export to Parquet",
        args: &[
            "export",
            SMALL,
            "--sample",
            "7000",
            "--solution",
            "all",
            "--limit",
            "1",
            "-o",
            "{}/out/x.parquet",
            "--store",
            "{right}",
        ],
        prepare: make_out,
        check: |root, said| check_export(root, said, &["x.parquet"]),
        go_on: |root| export(root, "x.parquet", ExportFormat::Parquet, vec![Column::Solutions], 7000, Some(1)),
        check_end: |root| check_exported(root, &["x.parquet"]),
        pause: 150,
    },
    Job {
        name: "export --raw",
        args: &["export", SMALL, "--raw", "-o", "{}/out/x.twraw", "--store", "{right}"],
        prepare: make_out,
        check: |root, said| check_export(root, said, &["x.twraw"]),
        go_on: export_raw,
        check_end: |root| check_exported(root, &["x.twraw"]),
        pause: 5,
    },
    Job {
        name: "export shapes",
        args: &["export", "shapes", "-o", "{}/out/x.json", "--store", "{right}"],
        prepare: make_out,
        check: |root, said| check_export(root, said, &["x.json"]),
        go_on: |root| {
            let path = root.join(OUT).join("x.json");
            if !path.exists() {
                succeed(RIGHT.folder(), &["export", "shapes", "-o", path.to_str().expect("text")]);
            }
        },
        check_end: |root| check_exported(root, &["x.json"]),
        pause: 0,
    },
    Job {
        name: "coset merge",
        args: &["coset", "merge", KEPT_SHARDS, "--json", "--store", "{}/new/store"],
        prepare: nothing,
        check: check_results,
        go_on: merge,
        check_end: check_merged,
        pause: 0,
    },
    Job {
        name: "coset run",
        args: &[
            "coset",
            "run",
            "--range",
            "1000..1003",
            "-S",
            "11",
            "-d",
            "11",
            "--mode",
            "set",
            "--cache",
            "off",
            "--json",
            "--store",
            "{}/new/store",
        ],
        prepare: link_phase1,
        check: check_solved,
        go_on: keep_solved,
        check_end: check_all_solved,
        pause: 0,
    },
    Job {
        name: "farm work",
        args: &["farm", "work", "{}/farm", "--cache", "off", "--json", "--store", "{right}"],
        prepare: copy_plan,
        check: check_shards,
        go_on: work,
        check_end: check_all_shards,
        pause: 0,
    },
    Job {
        name: "coset --checkpoint",
        args: &[
            "coset",
            "F1R1U2",
            "-S",
            "5",
            "-d",
            "5",
            "--mode",
            "bitmap",
            "--checkpoint",
            "--checkpoint-every",
            "0",
            "--cache",
            "off",
            "--store",
            "{}/new/store",
        ],
        prepare: link_phase1,
        check: check_checkpoint,
        go_on: solve_from_checkpoint,
        check_end: |root| {
            check_checkpoint(root, "coset ");
            assert_eq!(files(&root.join(STORE)), [Path::new("cosets.redb"), Path::new("phase1.redb")]);
        },
        pause: 0,
    },
    Job {
        name: SOLVE,
        args: &[
            "solve",
            "cube3",
            "-",
            "--method",
            "optimal",
            "--table",
            "phase1",
            "--cache",
            "off",
            "--results",
            "{}/out/x.jsonl",
            "--json",
            "--store",
            "{right}",
        ],
        prepare: make_out,
        check: check_answers,
        go_on: |root| {
            let ended = Ended::of(job(SOLVE).command(root).output().expect("the program"));
            assert_eq!(ended.code, Some(0), "{}", ended.stderr);
        },
        check_end: |root| check_answers(root, &RIGHT.answers),
        pause: 300,
    },
];

/// Only the job of this name is disturbed.
const JOB: &str = "TWISTBASE_TEST_JOB";

/// The jobs to disturb: all, or the one that is asked for from outside.
pub fn jobs() -> Vec<&'static Job> {
    match std::env::var(JOB) {
        Ok(name) => vec![job(&name)],
        Err(_) => JOBS.iter().collect(),
    }
}

/// Makes what has to come out. Not in a thread of rayon's pool: while one waits for the others, it would take up another
/// job, which waits for this.
pub fn make_right() {
    LazyLock::force(&RIGHT);
}

/// The job of that name.
pub fn job(name: &str) -> &'static Job {
    JOBS.iter().find(|job| job.name == name).expect("a job")
}

impl Job {
    /// Makes the files that are there before.
    pub fn prepare(&self, root: &Path) {
        (self.prepare)(root);
    }

    /// The command.
    pub fn command(&self, root: &Path) -> Command {
        let (root, right) = (root.to_str().expect("text"), RIGHT.folder().to_str().expect("text"));
        let args: Vec<String> = self.args.iter().map(|arg| arg.replace("{right}", right).replace("{}", root)).collect();
        let mut command = program(Path::new("/nonexistent"), &args.iter().map(String::as_str).collect::<Vec<_>>());
        let input = match self.name {
            "query" => "questions",
            SOLVE => "scrambles",
            _ => return command,
        };
        command.stdin(Stdio::from(fs::File::open(RIGHT.folder().join(input)).expect("a file")));
        command
    }

    /// What the program had promised before an event: what it had said, if it had said it late enough.
    pub fn promised(&self, recording: &Recording, before: usize) -> String {
        let is_sync = |event: &Event| matches!(event, Event::Sync { .. });
        let event = match self.name {
            SOLVE => recording.events[..before].iter().rposition(is_sync).unwrap_or(0),
            _ => before,
        };
        recording.said(event)
    }
}
