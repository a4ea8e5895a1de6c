//! Many positions at once, as arrays of NumPy: `schema/arrays.md`.

use std::ffi::CString;

use numpy::{
    IntoPyArray, PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1, PyReadonlyArray2, PyUntypedArray,
    PyUntypedArrayMethods,
};
use pyo3::exceptions::{PyMemoryError, PyTypeError, PyUserWarning};
use pyo3::prelude::*;
use pyo3::types::{PyList, PyMemoryView, PyString, PyTuple};
use twistbase::database::{FaceletOrders, ManyPositions, TableArrays};
use twistbase::{Context, Error, RandomRequest, TableId};

use crate::errors::{OrRaise, of_element, usage};
use crate::position::Position;
use crate::puzzle::OpenPuzzle;
use crate::work::{self, Manner};

/// Makes the NumPy crate do its first-use look-ups while the module is imported. A child forked during a look-up by another thread
/// would wait for ever.
///
/// # Errors
/// `ImportError` without NumPy.
pub fn prepare(py: Python<'_>) -> PyResult<()> {
    PyArray1::from_slice(py, &[0u8]).into_any().extract::<PyReadonlyArray1<'_, u8>>()?;
    Ok(())
}

/// Given positions: an array, read in place, or texts.
pub enum Given<'py> {
    Indices(PyReadonlyArray1<'py, u64>),
    Arrays(PyReadonlyArray2<'py, u8>),
    Texts(Vec<String>),
}

impl<'py> Given<'py> {
    /// Reads positions of a puzzle. Copies an array of another type or one that is not contiguous.
    ///
    /// # Errors
    /// `TypeError` if it is neither array nor texts; `UsageError` for a wrong shape, or for a position of another puzzle.
    pub fn new(given: &Bound<'py, PyAny>, puzzle: &str, width: usize) -> PyResult<Self> {
        refuse_single_text(given)?;
        let py = given.py();
        if let Some(texts) = texts(given, puzzle)? {
            return Self::of_texts(py, texts, puzzle);
        }
        let array = py.import("numpy")?.getattr("asarray")?.call1((given,))?;
        // No import here: a child forked meanwhile would wait for ever. A masked array exists only if its module is imported.
        let masked = py.import("sys")?.getattr("modules")?.call_method1("get", ("numpy.ma",))?;
        if !masked.is_none() && given.is_instance(&masked.getattr("MaskedArray")?)? {
            return Err(usage(py, "masked arrays are not supported; give its compressed()"));
        }
        let (kind, shape): (String, Vec<usize>) =
            (array.getattr("dtype")?.getattr("kind")?.extract()?, array.getattr("shape")?.extract()?);
        match (kind.as_str(), shape.as_slice()) {
            ("U" | "T" | "O", [_]) => match texts(&array.call_method0("tolist")?, puzzle)? {
                Some(texts) => Self::of_texts(py, texts, puzzle),
                None => Err(usage(
                    py,
                    "an array of objects holds texts and positions; an index is a number of at most 64 bits",
                )),
            },
            // A row of an array of positions. Its numbers could be indices, but are rarely meant as such.
            ("i" | "u", [own]) if *own == width && array.getattr("itemsize")?.extract::<usize>()? == 1 => Err(usage(
                py,
                format!(
                    "an array of {width} bytes is ambiguous: for one position give shape (1, {width}), like array[None]; \
                     for indices use a larger type, like array.astype(\"uint64\")"
                ),
            )),
            ("i" | "u", [_]) => Ok(Self::Indices(unsigned(&array)?.extract()?)),
            ("i" | "u", [_, own]) if *own == width => Ok(Self::Arrays(bytes(&array)?.extract()?)),
            // NumPy's array of an empty list.
            ("f", [0]) => Ok(Self::Texts(Vec::new())),
            ("f", [0, own]) if *own == width => Ok(Self::none(py, width)),
            _ => Err(usage(
                py,
                format!(
                    "expected integers of shape (n, {width}), or indices of shape (n,); got {} {}",
                    array.getattr("dtype")?,
                    PyTuple::new(py, &shape)?
                ),
            )),
        }
    }

    /// Texts. Warns of facelets in another order than usual: numbers cannot report the order.
    ///
    /// # Errors
    /// The warning, if Python's filters make it an exception.
    fn of_texts(py: Python<'py>, texts: Vec<String>, puzzle: &str) -> PyResult<Self> {
        let orders = py.detach(|| FaceletOrders::of(puzzle, &texts.iter().map(String::as_str).collect::<Vec<_>>()));
        for note in orders.notes() {
            let note = CString::new(note.to_string()).unwrap_or_default();
            PyErr::warn(py, &py.get_type::<PyUserWarning>(), &note, 1)?;
        }
        Ok(Self::Texts(texts))
    }

    /// An empty array of positions.
    fn none(py: Python<'py>, width: usize) -> Self {
        Self::Arrays(PyArray2::zeros(py, [0, width], false).readonly())
    }

    /// The number of positions.
    pub fn len(&self) -> usize {
        match self {
            Self::Indices(indices) => indices.len(),
            Self::Arrays(arrays) => arrays.shape()[0],
            Self::Texts(texts) => texts.len(),
        }
    }

    /// Calls `with` with the positions in the library's type.
    fn with<T>(&self, with: impl FnOnce(ManyPositions<'_>) -> PyResult<T>) -> PyResult<T> {
        match self {
            Self::Indices(indices) => with(ManyPositions::Indices(indices.as_slice()?)),
            Self::Arrays(arrays) => with(ManyPositions::Arrays(arrays.as_slice()?)),
            Self::Texts(texts) => with(ManyPositions::Texts(&texts.iter().map(String::as_str).collect::<Vec<_>>())),
        }
    }
}

/// Rejects a single text instead of a list. A text is also a sequence of texts, and each letter could be a move.
///
/// # Errors
/// `TypeError` for a text.
pub fn refuse_single_text(given: &Bound<'_, PyAny>) -> PyResult<()> {
    if given.is_instance_of::<PyString>() {
        return Err(PyTypeError::new_err("expected a list of positions, got one string"));
    }
    Ok(())
}

/// Whether a value is a Python sequence. PyO3's own check swallows exceptions, even Ctrl-C.
fn is_sequence(given: &Bound<'_, PyAny>) -> PyResult<bool> {
    if given.is_instance_of::<PyList>() || given.is_instance_of::<PyTuple>() {
        return Ok(true);
    }
    // Arrays first: asking Python takes longer.
    if given.is_instance_of::<PyUntypedArray>() || given.is_instance_of::<PyMemoryView>() {
        return Ok(false);
    }
    given.is_instance(&given.py().import("collections.abc")?.getattr("Sequence")?)
}

/// Texts and positions, as texts; `None` if the first item is neither.
fn texts(given: &Bound<'_, PyAny>, puzzle: &str) -> PyResult<Option<Vec<String>>> {
    if !is_sequence(given)? {
        return Ok(None);
    }
    let mut texts = Vec::new();
    for (number, item) in given.try_iter()?.enumerate() {
        let item = item?;
        if let Ok(position) = item.cast::<Position>() {
            let position = position.get();
            position.check_puzzle(given.py(), puzzle).map_err(|error| of_element(given.py(), number, error))?;
            texts.push(position.position.to_string());
        } else if let Ok(text) = item.cast::<PyString>() {
            texts.push(text.to_cow().map_err(|error| of_element(given.py(), number, error))?.into_owned());
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

/// An array of indices as contiguous 64-bit numbers.
fn unsigned<'py>(array: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let py = array.py();
    if array.getattr("dtype")?.getattr("kind")?.extract::<String>()? == "i"
        && array.call_method0("__len__")?.extract::<usize>()? > 0
        && array.call_method0("min")?.lt(0)?
    {
        return Err(usage(py, "an index is not negative"));
    }
    in_order(array, "uint64")
}

/// An array of positions as contiguous bytes.
fn bytes<'py>(array: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let py = array.py();
    if array.getattr("dtype")?.getattr("name")?.extract::<String>()? != "uint8"
        && array.getattr("size")?.extract::<usize>()? > 0
        && (array.call_method0("min")?.lt(0)? || array.call_method0("max")?.gt(u8::MAX)?)
    {
        return Err(usage(py, "the numbers of an array of positions are from 0 to 255"));
    }
    in_order(array, "uint8")
}

/// A contiguous, aligned array of a type.
fn in_order<'py>(array: &Bound<'py, PyAny>, dtype: &str) -> PyResult<Bound<'py, PyAny>> {
    array.py().import("numpy")?.getattr("require")?.call1((array, dtype, ["C_CONTIGUOUS", "ALIGNED"]))
}

/// A question about each of many positions.
pub type Ask<T> = fn(&TableArrays, ManyPositions<'_>, &mut [T], &Context) -> twistbase::Result<()>;

/// A table's answers to many positions, one item for each.
///
/// # Errors
/// Those of the table; that of the first position without an answer.
pub fn ask<'py, T: numpy::Element + Copy + Default + Send>(
    database: &twistbase::Database,
    table: TableId,
    given: &Bound<'py, PyAny>,
    ask: Ask<T>,
) -> PyResult<Bound<'py, PyArray1<T>>> {
    let py = given.py();
    let opened = work::run(py, Manner::default(), |ctx, _| database.table_arrays(table, ctx))?.or_raise(py)?;
    let given = Given::new(given, table.definition().puzzle(), opened.width())?;
    let mut answers = room(given.len(), 1)?;
    given.with(|given| {
        work::run(py, Manner::default(), |ctx, _| ask(&opened, given, &mut answers, ctx))?.or_raise(py)
    })?;
    Ok(answers.into_pyarray(py))
}

/// The positions at indices of a table.
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
    let given = Given::new(indices, table.definition().puzzle(), width)?;
    let mut bytes = room(given.len(), width)?;
    given.with(|given| match given {
        ManyPositions::Indices(indices) => {
            work::run(py, Manner::default(), |ctx, _| opened.positions(indices, &mut bytes, ctx))?.or_raise(py)
        }
        ManyPositions::Texts([]) => Ok(()),
        ManyPositions::Arrays(_) | ManyPositions::Texts(_) => Err(usage(py, "indices are an array of shape (n,)")),
    })?;
    shaped(py, bytes, width)
}

/// Positions from an array.
///
/// # Errors
/// As [`Given::new`]; `UsageError` for indices and texts.
fn position_arrays<'py>(given: &Bound<'py, PyAny>, puzzle: &OpenPuzzle) -> PyResult<PyReadonlyArray2<'py, u8>> {
    let width = puzzle.puzzle.arrays().width();
    let given_positions = match Given::new(given, puzzle.info.puzzle, width)? {
        Given::Texts(texts) if texts.is_empty() => Given::none(given.py(), width),
        other => other,
    };
    match given_positions {
        Given::Arrays(arrays) => Ok(arrays),
        Given::Indices(_) | Given::Texts(_) => {
            Err(usage(given.py(), format!("positions are an array of shape (n, {width})")))
        }
    }
}

/// Memory for `count` items of a width.
///
/// # Errors
/// `MemoryError` if there is too little.
fn room<T: Copy + Default>(count: usize, width: usize) -> PyResult<Vec<T>> {
    let mut room = Vec::new();
    let items = count.checked_mul(width).filter(|&items| room.try_reserve_exact(items).is_ok());
    let items = items.ok_or_else(|| PyMemoryError::new_err(format!("not enough memory for {count} positions")))?;
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
    /// That of the first invalid position.
    pub fn array<'py>(&self, given: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyArray2<u8>>> {
        let (py, arrays) = (given.py(), self.puzzle.arrays());
        let width = arrays.width();
        let Given::Texts(texts) = Given::new(given, self.info.puzzle, width)? else {
            return Err(usage(py, "an array is made of texts and positions"));
        };
        let (texts, mut bytes) = (texts.iter().map(String::as_str).collect::<Vec<_>>(), room(texts.len(), width)?);
        work::run(py, Manner::default(), |ctx, _| arrays.parse(&texts, &mut bytes, ctx))?.or_raise(py)?;
        shaped(py, bytes, width)
    }

    /// The positions of an array as texts.
    ///
    /// # Errors
    /// That of the first invalid position.
    pub fn texts<'py>(&self, given: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyList>> {
        let (py, arrays) = (given.py(), self.puzzle.arrays());
        let array = position_arrays(given, self)?;
        let array = array.as_slice()?;
        PyList::new(py, work::run(py, Manner::default(), |ctx, _| arrays.texts(array, ctx))?.or_raise(py)?)
    }

    /// A single position as text, from a text or an array of shape (width,).
    ///
    /// # Errors
    /// `InvalidPosition`; `TypeError` for other types.
    pub fn text(&self, given: &Bound<'_, PyAny>) -> PyResult<String> {
        if let Ok(text) = given.cast::<PyString>() {
            return Ok(text.to_cow()?.into_owned());
        }
        let (py, arrays) = (given.py(), self.puzzle.arrays());
        let width = arrays.width();
        let array = py.import("numpy")?.getattr("asarray")?.call1((given,))?;
        if array.getattr("shape")?.extract::<Vec<usize>>()? != [width] {
            return Err(PyTypeError::new_err(format!(
                "expected a position as a string or an array of shape ({width},)"
            )));
        }
        let row = position_arrays(&array.call_method1("reshape", ((1, width),))?, self)?;
        // A single position takes less time than waking another thread.
        let texts = arrays.texts(row.as_slice()?, &Context::silent()).map_err(|error| match error {
            Error::Element { error, .. } => *error,
            other => other,
        });
        Ok(texts.or_raise(py)?.swap_remove(0))
    }

    /// A position of this puzzle as a line of text: text, a `Position`, or an array of shape (width,).
    ///
    /// # Errors
    /// As [`OpenPuzzle::text`]; `UsageError` for a position of another puzzle.
    pub fn line(&self, given: &Bound<'_, PyAny>) -> PyResult<String> {
        let Ok(position) = given.cast::<Position>() else { return self.text(given) };
        let (py, position) = (given.py(), position.get());
        position.check_puzzle(py, self.info.puzzle)?;
        Ok(position.position.to_string())
    }

    /// Positions of this puzzle, one per line.
    ///
    /// # Errors
    /// As [`OpenPuzzle::line`], with the number of the first invalid one; `TypeError` for a single text.
    pub fn lines(&self, given: &Bound<'_, PyAny>) -> PyResult<Vec<String>> {
        refuse_single_text(given)?;
        let line = |(number, item): (usize, PyResult<Bound<'_, PyAny>>)| {
            let item = item?;
            self.line(&item).map_err(|error| of_element(item.py(), number, error))
        };
        given.try_iter()?.enumerate().map(line).collect()
    }

    /// The neighbours of the positions of an array, as `Neighbours`.
    ///
    /// # Errors
    /// That of the first invalid position.
    pub fn neighbours<'py>(&self, given: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let (py, arrays) = (given.py(), self.puzzle.arrays());
        let array = position_arrays(given, self)?;
        let array = array.as_slice()?;
        let found = work::run(py, Manner::default(), |ctx, _| arrays.neighbours(array, ctx))?.or_raise(py)?;
        let positions = shaped(py, found.positions, arrays.width())?;
        let neighbours = py.import("twistbase._arrays")?.getattr("Neighbours")?;
        neighbours.call1((positions, found.origins.into_pyarray(py), found.moves.into_pyarray(py)))
    }

    /// Random positions.
    ///
    /// # Errors
    /// `UsageError` for an option that the puzzle does not have.
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
