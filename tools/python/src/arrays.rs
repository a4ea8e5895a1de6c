//! Many positions at once, as arrays of NumPy: `schema/arrays.md`.

use numpy::{
    IntoPyArray, PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1, PyReadonlyArray2, PyUntypedArrayMethods,
};
use pyo3::exceptions::{PyMemoryError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyList, PySequence, PyString, PyTuple};
use twistbase::database::{ManyPositions, TableArrays};
use twistbase::{Context, RandomRequest, TableId};

use crate::errors::{OrRaise, usage};
use crate::position::Position;
use crate::puzzle::OpenPuzzle;
use crate::work::{self, Manner};

/// Has what the crate for NumPy looks up on first use looked up, while the module is imported. A child that is forked while another
/// thread does so would wait for that for ever.
///
/// # Errors
/// `ImportError` if there is no NumPy.
pub fn prepare(py: Python<'_>) -> PyResult<()> {
    PyArray1::from_slice(py, &[0u8]).into_any().extract::<PyReadonlyArray1<'_, u8>>()?;
    Ok(())
}

/// Positions as they are given: an array that can be read where it is, or texts.
pub enum Given<'py> {
    Indices(PyReadonlyArray1<'py, u64>),
    Arrays(PyReadonlyArray2<'py, u8>),
    Texts(Vec<String>),
}

impl<'py> Given<'py> {
    /// Reads what is given. An array of another type, or one that does not lie in order, is copied.
    ///
    /// # Errors
    /// `TypeError` for what is neither array nor texts; `UsageError` for an array of another shape.
    pub fn new(given: &Bound<'py, PyAny>, width: usize) -> PyResult<Self> {
        if given.is_instance_of::<PyString>() {
            return Err(PyTypeError::new_err(
                "a single text is asked about as a position; here a list of them is wanted",
            ));
        }
        if let Some(texts) = texts(given)? {
            return Ok(Self::Texts(texts));
        }
        let py = given.py();
        let array = py.import("numpy")?.getattr("asarray")?.call1((given,))?;
        // Nothing is imported here: a child that is forked meanwhile would wait for that for ever. Where there is a masked array,
        // its module has been imported.
        let masked = py.import("sys")?.getattr("modules")?.call_method1("get", ("numpy.ma",))?;
        if !masked.is_none() && given.is_instance(&masked.getattr("MaskedArray")?)? {
            return Err(usage(
                py,
                "of a masked array only what is not masked can be asked about: give its compressed()",
            ));
        }
        let (kind, shape): (String, Vec<usize>) =
            (array.getattr("dtype")?.getattr("kind")?.extract()?, array.getattr("shape")?.extract()?);
        match (kind.as_str(), shape.as_slice()) {
            ("U" | "T" | "O", [_]) => match texts(&array.call_method0("tolist")?)? {
                Some(texts) => Ok(Self::Texts(texts)),
                None => Err(usage(
                    py,
                    "an array of objects holds texts and positions; an index is a number of at most 64 bits",
                )),
            },
            ("i" | "u", [_]) => Ok(Self::Indices(unsigned(&array)?.extract()?)),
            ("i" | "u", [_, own]) if *own == width => Ok(Self::Arrays(bytes(&array)?.extract()?)),
            ("f", [0]) => Ok(Self::Texts(Vec::new())),
            _ => Err(usage(
                py,
                format!(
                    "an array of positions has the shape (n, {width}) and whole numbers, one of indices the shape (n,); this one has the \
                 shape {} and the type {}",
                    PyTuple::new(py, &shape)?,
                    array.getattr("dtype")?
                ),
            )),
        }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        match self {
            Self::Indices(indices) => indices.len(),
            Self::Arrays(arrays) => arrays.shape()[0],
            Self::Texts(texts) => texts.len(),
        }
    }

    /// Calls `with` with them as the library takes them.
    fn with<T>(&self, with: impl FnOnce(ManyPositions<'_>) -> PyResult<T>) -> PyResult<T> {
        match self {
            Self::Indices(indices) => with(ManyPositions::Indices(indices.as_slice()?)),
            Self::Arrays(arrays) => with(ManyPositions::Arrays(arrays.as_slice()?)),
            Self::Texts(texts) => with(ManyPositions::Texts(&texts.iter().map(String::as_str).collect::<Vec<_>>())),
        }
    }
}

/// Texts and positions, as texts; `None` for what does not begin with one.
fn texts(given: &Bound<'_, PyAny>) -> PyResult<Option<Vec<String>>> {
    let Ok(items) = given.cast::<PySequence>() else { return Ok(None) };
    let mut texts = Vec::new();
    for (number, item) in items.try_iter()?.enumerate() {
        let item = item?;
        if let Ok(position) = item.cast::<Position>() {
            texts.push(position.get().position.to_string());
        } else if let Ok(text) = item.cast::<PyString>() {
            texts.push(text.to_string());
        } else if number == 0 {
            return Ok(None);
        } else {
            return Err(usage(
                given.py(),
                format!("item {number} is neither text nor position, as those before it are"),
            ));
        }
    }
    Ok(Some(texts))
}

/// An array of indices as 64-bit numbers that lie in order.
fn unsigned<'py>(array: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let py = array.py();
    let numpy = py.import("numpy")?;
    if array.getattr("dtype")?.getattr("kind")?.extract::<String>()? == "i"
        && array.call_method0("__len__")?.extract::<usize>()? > 0
        && array.call_method0("min")?.lt(0)?
    {
        return Err(usage(py, "an index is not negative"));
    }
    numpy.getattr("ascontiguousarray")?.call1((array, "uint64"))
}

/// An array of positions as bytes that lie in order.
fn bytes<'py>(array: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let py = array.py();
    let numpy = py.import("numpy")?;
    if array.getattr("dtype")?.getattr("name")?.extract::<String>()? != "uint8"
        && array.getattr("size")?.extract::<usize>()? > 0
        && (array.call_method0("min")?.lt(0)? || array.call_method0("max")?.gt(u8::MAX)?)
    {
        return Err(usage(py, "the numbers of an array of positions are from 0 to 255"));
    }
    numpy.getattr("ascontiguousarray")?.call1((array, "uint8"))
}

/// What is asked of each of many positions.
pub type Ask<T> = fn(&TableArrays, ManyPositions<'_>, &mut [T], &Context) -> twistbase::Result<()>;

/// What a table tells of many positions: one item for each.
///
/// # Errors
/// Those of the table; of the first position that cannot be answered.
pub fn ask<'py, T: numpy::Element + Copy + Default + Send>(
    database: &twistbase::Database,
    table: TableId,
    given: &Bound<'py, PyAny>,
    ask: Ask<T>,
) -> PyResult<Bound<'py, PyArray1<T>>> {
    let py = given.py();
    let opened = work::run(py, Manner::default(), |ctx, _| database.table_arrays(table, ctx))?.or_raise(py)?;
    let given = Given::new(given, opened.width())?;
    let mut answers = room(given.len(), 1)?;
    given.with(|given| {
        work::run(py, Manner::default(), |ctx, _| ask(&opened, given, &mut answers, ctx))?.or_raise(py)
    })?;
    Ok(answers.into_pyarray(py))
}

/// The positions of indices of a table.
///
/// # Errors
/// As [`ask`].
pub fn positions<'py>(
    database: &twistbase::Database,
    table: TableId,
    indices: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyArray2<u8>>> {
    let py = indices.py();
    let opened = work::run(py, Manner::default(), |ctx, _| database.table_arrays(table, ctx))?.or_raise(py)?;
    let width = opened.width();
    let given = Given::new(indices, width)?;
    let mut bytes = room(given.len(), width)?;
    given.with(|given| match given {
        ManyPositions::Indices(indices) => {
            work::run(py, Manner::default(), |ctx, _| opened.positions(indices, &mut bytes, ctx))?.or_raise(py)
        }
        ManyPositions::Arrays(_) | ManyPositions::Texts(_) => Err(usage(py, "indices are an array of shape (n,)")),
    })?;
    shaped(py, bytes, width)
}

/// Positions that are given as an array.
///
/// # Errors
/// As [`Given::new`]; `UsageError` for indices and texts.
fn position_arrays<'py>(given: &Bound<'py, PyAny>, width: usize) -> PyResult<PyReadonlyArray2<'py, u8>> {
    match Given::new(given, width)? {
        Given::Arrays(arrays) => Ok(arrays),
        Given::Indices(_) | Given::Texts(_) => {
            Err(usage(given.py(), format!("positions are an array of shape (n, {width})")))
        }
    }
}

/// Room for so many items of a width.
///
/// # Errors
/// `MemoryError` if there is none.
fn room<T: Copy + Default>(count: usize, width: usize) -> PyResult<Vec<T>> {
    let mut room = Vec::new();
    let items = count.checked_mul(width).filter(|&items| room.try_reserve_exact(items).is_ok());
    let items = items.ok_or_else(|| PyMemoryError::new_err(format!("there is no room for {count} positions")))?;
    room.resize(items, T::default());
    Ok(room)
}

/// Bytes as an array of positions.
fn shaped(py: Python<'_>, bytes: Vec<u8>, width: usize) -> PyResult<Bound<'_, PyArray2<u8>>> {
    let count = bytes.len() / width;
    bytes.into_pyarray(py).reshape([count, width])
}

impl OpenPuzzle {
    /// Texts and positions as an array.
    ///
    /// # Errors
    /// Of the first that is none.
    pub fn array<'py>(&self, given: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyArray2<u8>>> {
        let (py, arrays) = (given.py(), self.puzzle.arrays());
        let width = arrays.width();
        let Given::Texts(texts) = Given::new(given, width)? else {
            return Err(usage(py, "an array is made of texts and positions"));
        };
        let (texts, mut bytes) = (texts.iter().map(String::as_str).collect::<Vec<_>>(), room(texts.len(), width)?);
        work::run(py, Manner::default(), |ctx, _| arrays.parse(&texts, &mut bytes, ctx))?.or_raise(py)?;
        shaped(py, bytes, width)
    }

    /// The positions of an array as texts.
    ///
    /// # Errors
    /// Of the first that is none.
    pub fn texts<'py>(&self, given: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyList>> {
        let (py, arrays) = (given.py(), self.puzzle.arrays());
        let array = position_arrays(given, arrays.width())?;
        let array = array.as_slice()?;
        PyList::new(py, work::run(py, Manner::default(), |ctx, _| arrays.texts(array, ctx))?.or_raise(py)?)
    }

    /// A single position of shape (width,) as text.
    ///
    /// # Errors
    /// `InvalidPosition`; `TypeError` for what is no such array.
    pub fn text(&self, given: &Bound<'_, PyAny>) -> PyResult<String> {
        let (py, width) = (given.py(), self.puzzle.arrays().width());
        let array = py.import("numpy")?.getattr("asarray")?.call1((given,))?;
        if array.getattr("shape")?.extract::<Vec<usize>>()? != [width] {
            return Err(PyTypeError::new_err(format!("a position is text or an array of shape ({width},)")));
        }
        self.texts(&array.call_method1("reshape", ((1, width),))?)?.get_item(0)?.extract()
    }

    /// The neighbours of the positions of an array, as `Neighbours`.
    ///
    /// # Errors
    /// Of the first that is none.
    pub fn neighbours<'py>(&self, given: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let (py, arrays) = (given.py(), self.puzzle.arrays());
        let array = position_arrays(given, arrays.width())?;
        let array = array.as_slice()?;
        let found = work::run(py, Manner::default(), |ctx, _| arrays.neighbours(array, ctx))?.or_raise(py)?;
        let positions = shaped(py, found.positions, arrays.width())?;
        let neighbours = py.import("twistbase._arrays")?.getattr("Neighbours")?;
        neighbours.call1((positions, found.origins.into_pyarray(py), found.moves.into_pyarray(py)))
    }

    /// Random positions.
    ///
    /// # Errors
    /// `UsageError` for what the puzzle does not have.
    pub fn drawn<'py>(
        &self,
        py: Python<'py>,
        count: usize,
        seed: u64,
        request: RandomRequest,
    ) -> PyResult<Bound<'py, PyArray2<u8>>> {
        let arrays = self.puzzle.arrays();
        let mut bytes = room(count, arrays.width())?;
        work::run(py, Manner::default(), |ctx, _| arrays.random(&request, seed, &mut bytes, ctx))?.or_raise(py)?;
        shaped(py, bytes, arrays.width())
    }
}
