//! Tables as Apache Arrow, through its C data interface.

use std::ops::RangeInclusive;
use std::sync::Arc;

use arrow_array::RecordBatchReader;
use arrow_array::ffi::FFI_ArrowSchema;
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyDict};
use twistbase::TableId;
use twistbase::arrow::ArrowBatches;
use twistbase::export::{Column, PositionLines, RecordRequest, RunIn, Sample, Selection};

use crate::arguments::{number, numbers};
use crate::errors::{OrRaise, usage};
use crate::home::Home;
use crate::puzzle::OpenPuzzle;
use crate::work::{self, Lent, Manner};

/// Records of a table, created while they are read. Every library with Arrow streams reads them: `pyarrow.table(records)`,
/// `polars.DataFrame(records)`, DuckDB by the variable's name in a query. Each reader gets all records.
#[pyclass(frozen, weakref, module = "twistbase")]
pub struct Records {
    home: Arc<Home>,
    table: TableId,
    request: RecordRequest,
    /// The chosen positions, one per line.
    lines: Option<Vec<String>>,
}

impl Records {
    /// Records of a table, chosen by the options of a call. `puzzle` opens the table's puzzle.
    ///
    /// # Errors
    /// `TypeError` for an unknown option; `UsageError` for an unknown column, or a seed without a sample.
    pub fn new(
        py: Python<'_>,
        home: &Arc<Home>,
        table: TableId,
        options: Option<&Bound<'_, PyDict>>,
        puzzle: impl Fn(Python<'_>) -> PyResult<Arc<OpenPuzzle>>,
    ) -> PyResult<Self> {
        let mut records = Self { home: Arc::clone(home), table, request: RecordRequest::default(), lines: None };
        records.request.cache = home.cache;
        let (mut sample, mut seed) = (None, None);
        for (name, value) in options.into_iter().flatten().filter(|(_, value)| !value.is_none()) {
            let (name, request) = (name.extract::<String>()?, &mut records.request);
            match name.as_str() {
                "columns" => request.columns = columns(&value)?,
                "levels" => request.selection.levels = Some(ranges(numbers(&name, &value)?)),
                "rows" => request.selection.rows = Some(ranges(numbers(&name, &value)?)),
                "sample" => sample = Some(number(&name, &value)?),
                "seed" => seed = Some(number(&name, &value)?),
                "limit" => request.limit = Some(number(&name, &value)?),
                "metric" => {
                    request.count_in(&value.extract::<String>()?, table.definition()).or_raise(value.py())?;
                }
                "positions" => records.lines = Some(puzzle(value.py())?.lines(&value)?),
                _ => return Err(PyTypeError::new_err(format!("export has no option {name:?}"))),
            }
        }
        records.request.selection.sample = Sample::drawn(sample, seed).or_raise(py)?;
        Ok(records)
    }

    /// The selection to export.
    pub fn request(&self) -> &RecordRequest {
        &self.request
    }

    /// The chosen positions.
    pub fn lines(&self) -> Option<PositionLines<'static>> {
        let mut lines = Some(self.lines.clone()?);
        Some(PositionLines::new(move || Ok(lines.take())))
    }

    /// The table.
    pub fn table(&self) -> TableId {
        self.table
    }

    /// A reader of all records.
    fn reader(&self, py: Python<'_>) -> PyResult<impl RecordBatchReader + Send + use<>> {
        let (database, threads) = (self.home.database(py)?, Lent::apart(py)?);
        let run: RunIn = Box::new(move |make| threads.install(make));
        let begin = |ctx: &_, _: &_| {
            database.build_missing(&[self.table], ctx)?;
            database.record_batches(self.table, &self.request, self.lines(), Some(run), ctx)
        };
        Ok(ArrowBatches::from(work::run(py, Manner::default(), begin)?.or_raise(py)?))
    }
}

/// The columns with these names.
fn columns(names: &Bound<'_, PyAny>) -> PyResult<Vec<Column>> {
    let py = names.py();
    let column = |name: &String| {
        Column::ALL.into_iter().find(|column| column.name() == name).ok_or_else(|| {
            let names: Vec<_> = Column::ALL.iter().map(|column| column.name()).collect();
            usage(py, format!("there is no column {name:?}; there are: {}", names.join(", ")))
        })
    };
    names.extract::<Vec<String>>()?.iter().map(column).collect()
}

/// Each number as a range of its own.
fn ranges<T: Copy>(numbers: Vec<T>) -> Vec<RangeInclusive<T>> {
    numbers.into_iter().map(|number| number..=number).collect()
}

#[pymethods]
impl Records {
    /// A stream of all records, as a capsule of the Arrow PyCapsule interface.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        // A reader that wants another schema must cast; the interface allows that.
        let _ = requested_schema;
        let stream = FFI_ArrowArrayStream::new(Box::new(self.reader(py)?));
        PyCapsule::new_with_value(py, stream, c"arrow_array_stream")
    }

    /// The schema of the records, in a capsule.
    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        let schema = self.reader(py)?.schema();
        let schema = FFI_ArrowSchema::try_from(&*schema).map_err(|error| usage(py, error.to_string()))?;
        PyCapsule::new_with_value(py, schema, c"arrow_schema")
    }

    fn __repr__(&self) -> String {
        format!("<records of {}>", self.table)
    }
}

/// The selection of a sample of a level.
pub fn sample(level: Option<u8>, count: u64, seed: u64) -> Selection {
    let levels = level.map(|level| vec![level..=level]);
    Selection { levels, sample: Some(Sample { count, seed }), ..Selection::default() }
}
