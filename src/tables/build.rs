//! Building a table: generate, compare with what must come out, store row by row.

use std::time::Instant;

use crossbeam::channel;
use serde_json::json;

use super::{BuildDepth, Definition, Distribution, Generated, depth_of};
use twistbase_core::context::Context;
use twistbase_core::error::{DataError, Error, Fault, Remedy, Result};
use twistbase_core::memory::available_memory;
use twistbase_core::threads;
use twistbase_levelset::{Kernel, Options};
use twistbase_store::{BuildInfo, BuildStart, Builder, EncodedRow, Entries, Manifest, RowRecord, Store, StoredTable};

/// How to build.
#[derive(Debug, Clone, Copy)]
pub struct BuildRequest {
    /// Build to this depth; the whole table if `None`. What was built to a smaller depth is continued.
    pub depth: Option<u8>,
    /// Build again what is complete.
    pub force: bool,
    /// Bytes of memory for the generator.
    pub memory: u64,
    /// The generator's inner step.
    pub kernel: Kernel,
}

/// All of a table, in the memory that is available, with the fastest instructions of this processor; what is there stays.
impl Default for BuildRequest {
    fn default() -> Self {
        Self { depth: None, force: false, memory: available_memory(), kernel: Kernel::detect() }
    }
}

impl BuildRequest {
    /// Checks whether a table can be built like this, without starting.
    ///
    /// # Errors
    /// [`Error::Usage`](twistbase_core::Error::Usage) for a depth to which the table cannot be built.
    pub fn check(&self, table: &dyn Definition) -> Result<()> {
        depth_of(table, self.depth).map(|_| ())
    }
}

/// What a build did.
#[derive(Debug, Clone)]
pub enum Built {
    /// The table reached as far already; nothing was done.
    Already(Manifest),
    /// The table was built.
    Now {
        /// What was stored.
        manifest: Manifest,
        /// The depth of the table that was continued; `None` if it was built from nothing.
        from: Option<u8>,
        /// Rows reused from an interrupted build.
        rows_kept: u32,
        /// Seconds until all levels were known.
        generated: f64,
    },
}

/// Builds a table in `store`, or finishes its interrupted build, or continues what was built to a smaller depth.
///
/// # Errors
/// Those of [`depth_of`], [`Store::build`] and of the generator; [`Error::Data`] (damaged) if the distribution that
/// comes out is not the one expected, in which case nothing is stored.
pub fn build(store: &Store, table: &dyn Definition, request: &BuildRequest, ctx: &Context) -> Result<Built> {
    let started = Instant::now();
    let depth = depth_of(table, request.depth)?;
    let mut builder = match store.build(table.layout(), depth, request.force, ctx)? {
        BuildStart::AlreadyThere(manifest) => return Ok(Built::Already(*manifest)),
        BuildStart::Building(builder) => builder,
    };
    let rows_before = builder.rows_done();
    let options = options(store, table, request)?;
    let known = if request.force { None } else { known(store, table) };
    let (mut generated, from) = generate(table, depth, known.as_ref(), &options, ctx)?;
    let distribution = generated.distribution();
    compare(table, depth, &distribution)?;
    let seconds = started.elapsed().as_secs_f64();
    let counts = if table.expected().is_some() { "all counts as expected" } else { "no published counts" };
    ctx.progress().note(&format!("{} levels, {counts}, in {seconds:.1} s", distribution.len()));
    let rows_kept = rows_before - store_rows(table, &mut *generated, &mut builder, ctx)?;
    let info = BuildInfo {
        parameters: json!({ "kernel": request.kernel.name() }),
        seconds: started.elapsed().as_secs_f64(),
        ..BuildInfo::default()
    };
    Ok(Built::Now { manifest: builder.finish(info)?, from, rows_kept, generated: seconds })
}

/// Bytes of memory that a build of a table into memory takes: what it generates is there until all of it is stored.
#[doc(hidden)]
pub fn memory_to_store(table: &dyn Definition) -> u64 {
    table.working_set().saturating_add(table.layout().most_stored_bytes())
}

/// How the generator runs. What is stored in memory has no folder for a scratch file, and counts.
fn options(store: &Store, table: &dyn Definition, request: &BuildRequest) -> Result<Options> {
    let &BuildRequest { kernel, memory, .. } = request;
    if let Some(folder) = store.dir() {
        return Ok(Options { kernel, memory, scratch: Some(folder.to_path_buf()) });
    }
    Error::check_memory(memory, memory_to_store(table))?;
    Ok(Options { kernel, memory: memory - table.layout().most_stored_bytes(), scratch: None })
}

/// The table as it was built to some depth. Nobody replaces it while the builder holds its lock.
fn known(store: &Store, table: &dyn Definition) -> Option<StoredTable> {
    store.table_to_depth(table.layout()).ok().filter(|stored| stored.depth().is_some())
}

/// Generates a table, from where it ended if it was built to some depth; returns that depth, too. Of a table that is
/// damaged nothing is taken.
fn generate<'t>(
    table: &'t dyn Definition,
    depth: Option<u8>,
    known: Option<&StoredTable>,
    options: &Options,
    ctx: &Context,
) -> Result<(Box<dyn Generated + 't>, Option<u8>)> {
    if let Some(stored) = known {
        match table.generate(BuildDepth { depth, known }, options, ctx) {
            Err(Error::Data(fault)) => {
                let name = table.layout().name;
                ctx.progress().note(&format!("cannot extend {name}, building it from the start: {fault}"));
            }
            generated => return Ok((generated?, stored.depth())),
        }
    }
    Ok((table.generate(BuildDepth { depth, known: None }, options, ctx)?, None))
}

pub(super) fn compare(table: &dyn Definition, depth: Option<u8>, found: &[u64]) -> Result<()> {
    match table.expected() {
        Some(expected) if found != expected.to_depth(depth) => Err(damaged_levels(table, depth, found, expected)),
        _ => Ok(()),
    }
}

/// The error for numbers of positions that are not those expected.
fn damaged_levels(table: &dyn Definition, depth: Option<u8>, found: &[u64], expected: &Distribution) -> Error {
    let detail = format!(
        "the levels {found:?} differ from the published {:?} ({}); nothing was stored; check the memory of this machine",
        expected.to_depth(depth),
        expected.source
    );
    let name = table.layout().name;
    DataError::new(Fault::Damaged, name, detail, Remedy::replace(name)).into()
}

/// Encodes rows on all threads while one thread writes those before. Rows of an interrupted build stay if they are what was
/// generated; returns how many were not: an import of another file may have been interrupted, too.
fn store_rows(
    table: &dyn Definition,
    generated: &mut dyn Generated,
    builder: &mut Builder,
    ctx: &Context,
) -> Result<u32> {
    let encoder = builder.encoder();
    let kept: Vec<Option<RowRecord>> = (0..table.layout().rows).map(|row| builder.kept_row(row).cloned()).collect();
    let mut replaced = 0;
    ctx.progress().begin("store", u64::from(table.layout().rows), "rows");
    // Two rows waiting keep both sides busy; more would only take memory.
    let (send, receive) = channel::bounded::<EncodedRow>(2);
    let result = std::thread::scope(|scope| {
        let write = move || -> Result<()> {
            for row in receive {
                builder.put_row(row)?;
                ctx.progress().advance(1);
            }
            builder.checkpoint()
        };
        let writer = threads::start_scoped(scope, "rows", write).map_err(Error::no_thread)?;
        let encoded = generated.for_each_row(&mut |row, bytes, levels| {
            ctx.check()?;
            if let Some(kept) = &kept[row as usize] {
                if kept.row_levels() == *levels && blake3::hash(bytes).to_hex().as_str() == kept.digest {
                    ctx.progress().advance(1);
                    return Ok(());
                }
                replaced += 1;
            }
            let encoded = encoder.encode(row, bytes, levels)?;
            // The writer hangs up only when it failed; its error is reported below.
            send.send(encoded).map_err(|_| Error::Interrupted)
        });
        drop(send);
        let written = writer.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        written.and(encoded)
    });
    ctx.progress().end();
    result?;
    if replaced > 0 {
        ctx.progress().note(&format!("replacing {replaced} rows of the unfinished build that differ"));
    }
    Ok(replaced)
}
