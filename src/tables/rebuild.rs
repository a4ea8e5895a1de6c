//! Rebuilding what is missing, stale or damaged, and no more.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Instant;

use serde_json::json;

use super::build::compare;
use super::generated::sum;
use super::{BuildRequest, Built, Definition, RestoreRows, RestoredRow, build};
use twistbase_core::context::Context;
use twistbase_core::error::{DataError, Error, Fault, Remedy, Result, collect_faults};
use twistbase_store::{BuildInfo, BuildStart, Builder, Entries, Manifest, Store, StoredTable};

/// What a table needs.
#[derive(Debug, Clone, PartialEq)]
pub enum Plan {
    /// Nothing: every page and record is what it was.
    Intact,
    /// To be generated as a whole.
    Build {
        /// Why.
        reason: String,
        /// Whether a file has to be replaced that claims to be complete.
        force: bool,
        /// To which depth, if the table was built, or begun, to a depth.
        depth: Option<u8>,
    },
    /// Some rows are to be restored from those of their neighbours.
    Restore {
        /// Per row that is damaged: what is wrong.
        rows: BTreeMap<u32, String>,
    },
}

/// What a rebuild did.
#[derive(Debug, Clone)]
pub enum Rebuilt {
    /// Nothing had to be done.
    Intact,
    /// The whole table was generated.
    Built(Built),
    /// The rows of the plan were restored, all others taken over as they are.
    Restored {
        /// What is stored now.
        manifest: Manifest,
        /// Seconds.
        seconds: f64,
    },
}

/// Finds out what a table needs, which takes as long as verifying it; nothing is changed, but that what a killed build left is
/// repaired.
///
/// # Errors
/// [`Error::Data`] (foreign) for a file that another program wrote; [`Error::Busy`], [`Error::Io`],
/// [`Error::Interrupted`].
pub fn plan(store: &Store, table: &dyn Definition, memory: u64, ctx: &Context) -> Result<Plan> {
    let stored = match store.table_to_depth(table.layout()) {
        Ok(stored) => stored,
        Err(Error::Data(fault)) if fault.fault != Fault::Foreign => {
            let force = !matches!(fault.fault, Fault::Missing | Fault::Unfinished);
            let depth = if fault.fault == Fault::Unfinished { store.depth_begun(table.layout(), ctx) } else { None };
            return Ok(Plan::Build { reason: reason(&fault), force, depth });
        }
        Err(other) => return Err(other),
    };
    let (_, faults) = collect_faults(|found| stored.verify(ctx, found))?;
    let whole = faults.iter().find(|fault| fault.row.is_none()).map(reason);
    // Of a row, the first fault.
    let rows: BTreeMap<u32, String> =
        faults.iter().rev().filter_map(|fault| Some((fault.row?, reason(fault)))).collect();
    let only_whole = |why: &str| {
        let first = rows.iter().next().map(|(row, reason)| format!("row {row}: {reason}"));
        let reason = whole.clone().or(first).unwrap_or_default();
        Plan::Build { reason: format!("{reason}{why}"), force: true, depth: stored.depth() }
    };
    if rows.is_empty() {
        return Ok(if whole.is_none() { Plan::Intact } else { only_whole("") });
    }
    let lost: BTreeSet<u32> = rows.keys().copied().collect();
    Ok(match table.restorer() {
        None => only_whole("; single rows of this table cannot be restored"),
        Some(_) if lost.len() == table.layout().rows as usize => only_whole("; all other rows are damaged, too"),
        Some(restorer) if restorer.restore_memory(&lost) > memory => {
            only_whole("; restoring its rows would exceed the memory limit")
        }
        Some(_) => Plan::Restore { rows },
    })
}

fn reason(fault: &DataError) -> String {
    match fault.page {
        Some(page) => format!("{}: page {page}: {}", fault.fault, fault.detail),
        None => format!("{}: {}", fault.fault, fault.detail),
    }
}

/// Does what a [`plan`] says. The old table answers until the new one is complete; finished work survives an
/// interrupt or a kill.
///
/// # Errors
/// Those of [`build`]; [`Error::Data`] (damaged) if restored rows are not those that were lost, by their digests: then
/// neighbours are wrong, too, and nothing is changed.
pub fn rebuild(
    store: &Store,
    table: &dyn Definition,
    plan: &Plan,
    request: &BuildRequest,
    ctx: &Context,
) -> Result<Rebuilt> {
    let (force, depth) = match plan {
        Plan::Intact => return Ok(Rebuilt::Intact),
        Plan::Restore { rows } => {
            if let Some(restorer) = table.restorer() {
                return restore(store, table, &*restorer, rows.keys().copied().collect(), request, ctx);
            }
            (true, store.table_to_depth(table.layout())?.depth())
        }
        Plan::Build { force, depth, .. } => (*force, *depth),
    };
    // Somebody may have built it farther since it was looked at.
    let is_farther = |planned: u8, found: Option<u8>| found.is_none_or(|found| found > planned);
    if let Some(planned) = depth
        && store.table_to_depth(table.layout()).is_ok_and(|found| is_farther(planned, found.depth()))
    {
        return Ok(Rebuilt::Intact);
    }
    build(store, table, &BuildRequest { depth, force, ..*request }, ctx).map(Rebuilt::Built)
}

fn restore(
    store: &Store,
    table: &dyn Definition,
    restorer: &dyn RestoreRows,
    lost: BTreeSet<u32>,
    request: &BuildRequest,
    ctx: &Context,
) -> Result<Rebuilt> {
    let started = Instant::now();
    let stored = store.table_to_depth(table.layout())?;
    let depth = stored.depth();
    let mut builder = match store.build(table.layout(), depth, true, ctx)? {
        BuildStart::Building(builder) => builder,
        BuildStart::AlreadyThere(_) => return Ok(Rebuilt::Intact),
    };
    ctx.progress().begin(&format!("restoring rows of {}", table.layout().name), u64::from(table.layout().rows), "rows");
    let mut read = |row: u32, bytes: &mut [u8]| stored.read_row(row, bytes);
    let mut restored = restorer.restore(&lost, depth, &mut read, request.kernel, ctx)?;
    // A row that was built counts as many levels as the table has, though its own may end sooner.
    let levels = stored.manifest().entries_by_level.len();
    for row in &mut restored {
        row.levels.entries.resize(levels, 0);
        row.levels.positions.resize(levels, 0);
    }
    let encoder = builder.encoder();
    for row in &restored {
        ctx.check()?;
        let encoded = encoder.encode(row.row, &row.bytes, &row.levels)?;
        compare_with_record(&stored, row, &encoded.record().digest)?;
        builder.put_row(encoded)?;
        ctx.progress().advance(1);
    }
    take_over(&stored, &mut builder, ctx)?;
    ctx.progress().end();
    compare_levels(table, &stored, &restored)?;
    let before = stored.manifest();
    let info = BuildInfo {
        parameters: json!({ "restored_rows": lost, "built_with": before.parameters }),
        depends_on: before.depends_on.clone(),
        seconds: before.seconds,
    };
    let manifest = builder.finish(info)?;
    Ok(Rebuilt::Restored { manifest, seconds: started.elapsed().as_secs_f64() })
}

/// Copies the rows that the build does not have, or has from a build that was interrupted and came to something else.
fn take_over(stored: &StoredTable, builder: &mut Builder, ctx: &Context) -> Result<()> {
    for row in 0..builder.layout().rows {
        let is_there = match builder.kept_row(row) {
            Some(kept) => kept.digest == stored.row_record(row)?.digest,
            None => builder.has_row(row),
        };
        if !is_there {
            ctx.check()?;
            builder.take_row(stored, row)?;
            ctx.progress().advance(1);
        }
    }
    builder.checkpoint()
}

/// A lost row's record, if it is not lost as well, has its digest.
fn compare_with_record(stored: &StoredTable, row: &RestoredRow, digest: &str) -> Result<()> {
    match stored.row_record(row.row) {
        Ok(record) if record.digest != digest => {
            let detail = "its neighbours are wrong, too: they do not restore its digest; nothing was changed";
            Err(damaged(stored.layout().name, Some(row.row), detail.to_owned()))
        }
        _ => Ok(()),
    }
}

/// Where there is no record left to compare with, the numbers of positions at each distance still have to come out.
fn compare_levels(table: &dyn Definition, stored: &StoredTable, restored: &[RestoredRow]) -> Result<()> {
    let lost: BTreeSet<u32> = restored.iter().map(|row| row.row).collect();
    let kept = (0..table.layout().rows).filter(|row| !lost.contains(row));
    let kept = kept.map(|row| stored.row_record(row).map(|record| record.positions.clone()));
    let mut all = kept.collect::<Result<Vec<_>>>()?;
    all.extend(restored.iter().map(|row| row.levels.positions.clone()));
    compare(table, stored.depth(), &sum(all.into_iter()))
}

fn damaged(table: &str, row: Option<u32>, detail: String) -> Error {
    DataError { row, ..DataError::new(Fault::Damaged, table, detail, Remedy::replace(table)) }.into()
}
