//! Slurm's programs.

use std::ffi::OsStr;
use std::io;
use std::path::Path;
use std::process::Command;

use twistbase_core::error::{Error, Result};

/// The most tasks of an array: as many logs are in a folder.
pub(super) const LARGEST_ARRAY: u32 = 1000;

/// How many indices an array may have here, from 0 on.
///
/// # Errors
/// [`Error::Io`] if Slurm is not here or does not answer.
pub(super) fn array_size() -> Result<u32> {
    let config = run("scontrol", &["show", "config"].map(OsStr::new))?;
    let line = config.lines().find_map(|line| line.strip_prefix("MaxArraySize"));
    let size = line.and_then(|line| line.trim_start_matches([' ', '=']).trim().parse::<u32>().ok());
    Ok(size.unwrap_or(LARGEST_ARRAY).clamp(1, LARGEST_ARRAY))
}

/// Submits a script; returns the number of the job.
///
/// # Errors
/// [`Error::Io`] with what sbatch says.
pub(super) fn submit(script: &Path) -> Result<String> {
    let said = run("sbatch", &["--parsable".as_ref(), script.as_os_str()])?;
    // With several clusters the name of the cluster follows.
    let job = said.trim().split(';').next().unwrap_or_default().to_owned();
    match job.is_empty() {
        false => Ok(job),
        true => Err(Error::io("run", "sbatch", io::Error::other("its output has no job number"))),
    }
}

/// The user's tasks that wait or run: the name of the job, and the index.
///
/// # Errors
/// [`Error::Io`] if Slurm is not here or does not answer.
pub(super) fn waiting() -> Result<Vec<(String, u32)>> {
    let queue = run("squeue", &["--noheader", "--me", "--array", "--format=%j %K"].map(OsStr::new))?;
    let task = |line: &str| {
        let (job, index) = line.trim().rsplit_once(' ')?;
        Some((job.trim().to_owned(), index.parse().ok()?))
    };
    Ok(queue.lines().filter_map(task).collect())
}

fn run(program: &str, arguments: &[&OsStr]) -> Result<String> {
    let without_slurm = "Slurm is not installed here; use farm work, which needs no Slurm";
    let output = Command::new(program).args(arguments).output().map_err(|source| match source.kind() {
        io::ErrorKind::NotFound => Error::io("run", program, io::Error::new(source.kind(), without_slurm)),
        _ => Error::io("run", program, source),
    })?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    let said = String::from_utf8_lossy(&output.stderr).trim().to_owned();
    Err(Error::io("run", program, io::Error::other(format!("{} ({said})", output.status))))
}
