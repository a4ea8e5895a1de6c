//! Farms: work in shards, shared by machines.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use twistbase::cosets::CoverRange;
use twistbase::farm::{Farm as OpenFarm, FarmMerge, PlanRequest, RefusedShard, ShardReport, ShardSize, TaskRequest};
use twistbase::solve::CosetOptions;

use crate::arguments::{folder, number, number_or_none, numbers, table, to_python};
use crate::database::Database;
use crate::errors::{self, OrRaise, usage};
use crate::solving::Search;
use crate::work::{self, Manner};

/// The options for the size of shards.
const SIZES: [&str; 3] = ["shard_seconds", "shard_items", "item_seconds"];

/// A folder with a plan and its finished shards.
#[pyclass(frozen, subclass, weakref, module = "twistbase._twistbase")]
pub struct Farm(OpenFarm);

#[pymethods]
impl Farm {
    #[new]
    fn new(py: Python<'_>, path: PathBuf) -> PyResult<Self> {
        Ok(Self(OpenFarm::open(folder(py, &path)?).or_raise(py)?))
    }

    /// The folder.
    #[getter]
    fn path(&self) -> &OsStr {
        self.0.path().as_os_str()
    }

    /// The number of shards.
    #[getter]
    fn shards(&self) -> u32 {
        self.0.shards()
    }

    /// A summary of the plan, as `twistbase farm plan --json` prints it.
    #[getter]
    fn plan<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        to_python(py, &self.0.report())
    }

    fn _status<'py>(
        &self,
        py: Python<'py>,
        check: bool,
        progress: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let manner = Manner { progress, cancel: None };
        to_python(py, &work::run(py, manner, |ctx, _| self.0.status(check, ctx))?.or_raise(py)?)
    }

    fn _work<'py>(
        &self,
        py: Python<'py>,
        database: &Database,
        shards: Option<&Bound<'py, PyAny>>,
        stage: Option<PathBuf>,
        progress: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let shards = shards.map(|shards| numbers("shards", shards)).transpose()?;
        let (request, manner) =
            (TaskRequest { shards, stage, ..TaskRequest::default() }, Manner { progress, cancel: None });
        let database = database.open(py)?;
        let done = work::run(py, manner, |ctx, _| {
            let mut reports: Vec<ShardReport> = Vec::new();
            let worked = self.0.work(&database, &request, ctx, &mut |report| {
                reports.push(report.clone());
                Ok(())
            });
            worked.map(|()| reports)
        })?;
        to_python(py, &done.or_raise(py)?)
    }

    fn _merge<'py>(
        &self,
        py: Python<'py>,
        database: &Database,
        output: Option<PathBuf>,
        partial: bool,
        progress: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (how, manner) = (FarmMerge { output, partial }, Manner { progress, cancel: None });
        let database = database.open(py)?;
        let report = work::run(py, manner, |ctx, _| self.0.merge(&database, &how, ctx))?.or_raise(py)?;
        match report.refused.first() {
            Some(RefusedShard { shard, fault }) if !partial => {
                let (refused, all, detail) = (report.refused.len(), report.shards, &fault.detail);
                let message = format!("{refused} of {all} shards cannot be merged; {shard}: {detail}");
                Err(errors::of_report(py, &message, fault))
            }
            _ => to_python(py, &report),
        }
    }

    #[staticmethod]
    #[pyo3(signature = (database, path, positions, size, progress, *, extra=None, limit=None, **options))]
    #[expect(clippy::too_many_arguments, reason = "as the package calls it")]
    fn _plan_solve(
        database: &Database,
        py: Python<'_>,
        path: PathBuf,
        positions: &Bound<'_, PyAny>,
        size: &Bound<'_, PyDict>,
        progress: Option<&Bound<'_, PyAny>>,
        extra: Option<&Bound<'_, PyAny>>,
        limit: Option<&Bound<'_, PyAny>>,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<()> {
        let positions = database.cube3_lines(positions)?;
        if let Some(position) = positions.iter().find(|position| position.trim().is_empty() || position.contains('\n'))
        {
            return Err(usage(py, format!("a position of a farm is one line of text, not {position:?}")));
        }
        let mut search = Search::new(options, &[])?;
        search.request.extra = number_or_none("extra", extra)?;
        search.request.limit = number_or_none("limit", limit)?;
        let (list, searched, opened) = (positions.join("\n"), &search.request, database.open(py)?);
        let request = py.detach(|| PlanRequest::positions(&list, searched, &opened));
        // Each position is a line of the list.
        let request = request.map_err(|error| match error {
            twistbase::Error::Line { number, error } => twistbase::Error::Element { number: number - 1, error },
            other => other,
        });
        let request = request.or_raise(py)?;
        plan(py, database, &path, request, size, progress)
    }

    #[staticmethod]
    fn _plan_verify(
        database: &Database,
        py: Python<'_>,
        path: PathBuf,
        table_name: &str,
        size: &Bound<'_, PyDict>,
        progress: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        let request = PlanRequest::verify(table(py, table_name)?, &*database.open(py)?).or_raise(py)?;
        plan(py, database, &path, request, size, progress)
    }

    #[staticmethod]
    #[pyo3(signature = (database, path, numbers, size, progress, *, search_depth=None, depth=None, stop_at=None, bound_20=false))]
    #[expect(clippy::too_many_arguments, reason = "as the package calls it")]
    fn _plan_cosets(
        database: &Database,
        py: Python<'_>,
        path: PathBuf,
        numbers: &Bound<'_, PyAny>,
        size: &Bound<'_, PyDict>,
        progress: Option<&Bound<'_, PyAny>>,
        search_depth: Option<&Bound<'_, PyAny>>,
        depth: Option<&Bound<'_, PyAny>>,
        stop_at: Option<&Bound<'_, PyAny>>,
        bound_20: bool,
    ) -> PyResult<()> {
        let depth = number_or_none("depth", depth)?.unwrap_or(CosetOptions::DEEPEST);
        let options = CosetOptions {
            search_depth: number_or_none("search_depth", search_depth)?.unwrap_or(depth),
            depth,
            stop_at: number_or_none("stop_at", stop_at)?,
            bound_20,
            ..CosetOptions::default()
        };
        let (is_range, numbers) = (numbers.is_instance_of::<PyTuple>(), self::numbers::<u32>("numbers", numbers)?);
        let request = match numbers[..] {
            [first, end] if is_range => {
                CoverRange::try_from(first..end).and_then(|range| PlanRequest::cosets(&range, &options))
            }
            _ => {
                let lines: Vec<String> = numbers.iter().map(u32::to_string).collect();
                PlanRequest::coset_list(&lines.join("\n"), &options)
            }
        };
        plan(py, database, &path, request.or_raise(py)?, size, progress)
    }
}

/// Makes a plan in shards of a size.
fn plan(
    py: Python<'_>,
    database: &Database,
    path: &Path,
    request: PlanRequest,
    size: &Bound<'_, PyDict>,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<()> {
    let given = |name: &str| size.get_item(name).map(|value| value.filter(|value| !value.is_none()));
    let seconds = |name: &str| -> PyResult<Option<Duration>> {
        let Some(given) = given(name)? else { return Ok(None) };
        let time = Duration::try_from_secs_f64(number(name, &given)?);
        time.map(Some).map_err(|_| usage(py, format!("{name} cannot be {given}")))
    };
    if let Some(name) = size.keys().extract::<Vec<String>>()?.iter().find(|name| !SIZES.contains(&name.as_str())) {
        return Err(usage(py, format!("shards have no {name:?}; they have {}", SIZES.join(", "))));
    }
    let shard_time = seconds("shard_seconds")?.unwrap_or(PlanRequest::SHARD_TIME);
    let shard_items = given("shard_items")?;
    let shard_items: Option<u64> = number_or_none("shard_items", shard_items.as_ref())?;
    if shard_items == Some(0) {
        return Err(usage(py, "a shard has at least 1 item"));
    }
    let request = request.in_shards(shard_items.map_or(ShardSize::Time(shard_time), ShardSize::Items));
    let request = seconds("item_seconds")?.into_iter().fold(request, PlanRequest::with_item_time);
    let (opened, manner) = (database.open(py)?, Manner { progress, cancel: None });
    work::run(py, manner, |ctx, _| OpenFarm::create(&opened, path, &request, ctx).map(drop))?.or_raise(py)
}
