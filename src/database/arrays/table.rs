//! Many positions of a table at once.

use std::fmt;

use arrayvec::ArrayVec;

use super::{FailedElement, check_room, fill, fill_chunks, positions_in};
use crate::TableId;
use crate::waves::WAVE;
use twistbase_cache::{CacheMode, CachedTable};
use twistbase_core::context::Context;
use twistbase_core::error::{Error, InvalidInput, Problem, Result};
use twistbase_query::cube3::{Cosets, PhaseTwo};
use twistbase_query::{DefinedDistances, EndingDistances, EndingEntries, PositionTable, Square1Table, no_such_index};
use twistbase_store::{Entries, Store};
use twistbase_tables::{self as tables, CosetTable, Kind, LevelMeaning};

/// Positions, many at once.
#[derive(Debug, Clone, Copy)]
pub enum ManyPositions<'a> {
    /// Indices of the table, `row × entries of a row + entry`. An index means any position of its entry.
    Indices(&'a [u64]),
    /// Consecutive arrays of [`TableArrays::width`] bytes each.
    Arrays(&'a [u8]),
    /// Texts in any notation.
    Texts(&'a [&'a str]),
}

/// A table for questions about many positions at once, from any thread.
///
/// ```
/// # mod twistbase { pub use twistbase_core::*; pub use twistbase_database::{self as database, *}; }
/// use twistbase::database::ManyPositions;
/// use twistbase::{Context, Database};
///
/// let folder = tempfile::tempdir().unwrap();
/// let database = Database::open(folder.path())?.building_missing(true);
/// let ctx = Context::silent();
/// let table = database.table_arrays("square1-corners".parse()?, &ctx)?;
/// let (mut distances, mut indices) = ([0; 2], [0; 2]);
/// let texts = ManyPositions::Texts(&["(1,0)/(3,3)/(-3,0)/", "wca:"]);
/// table.distances(texts, &mut distances, &ctx)?;
/// table.indices(texts, &mut indices, &ctx)?;
/// assert_eq!(distances, [3, 0]);
/// table.distances(ManyPositions::Indices(&indices), &mut distances, &ctx)?;
/// assert_eq!(distances, [3, 0]);
/// # Ok::<(), twistbase::Error>(())
/// ```
pub struct TableArrays {
    table: TableId,
    of: Box<dyn AnyTable>,
}

/// [`PositionTable`] for any type of position.
trait AnyTable: Send + Sync {
    fn width(&self) -> usize;

    fn depth(&self) -> Option<u8>;

    fn levels(&self, of: ManyPositions<'_>, to: &mut [u8], ctx: &Context) -> Result<()>;

    fn indices(&self, of: ManyPositions<'_>, to: &mut [u64], ctx: &Context) -> Result<()>;

    fn positions(&self, indices: &[u64], to: &mut [u8], ctx: &Context) -> Result<()>;
}

impl TableArrays {
    /// Opens a table that is complete or built to a depth.
    pub(crate) fn open(store: &Store, mode: CacheMode, table: TableId) -> Result<Self> {
        let entries = CachedTable::open_to_depth(store, table.definition().layout(), mode)?;
        let subgroup = |table: &'static dyn CosetTable, entries| Cosets::over(table, entries).remembering();
        let of: Box<dyn AnyTable> = match table.definition().kind() {
            Kind::Twists(table) => Box::new(Square1Table::over(table, entries)),
            Kind::Endings(table) => {
                let twists = tables::twists(table.colouring());
                let solved = Square1Table::cached(store, twists, mode)?;
                Box::new(EndingDistances::new(solved, EndingEntries::over(table, entries)))
            }
            Kind::PhaseOne(table) => Box::new(subgroup(table, entries)?),
            Kind::Huge(table) => Box::new(subgroup(table, entries)?),
            Kind::PhaseTwo(table) => Box::new(PhaseTwo::over(table, entries).remembering()?),
            Kind::Defined(table) => Box::new(DefinedDistances::over(table, entries)),
            Kind::Pruning(table) => Box::new(subgroup(table, entries)?),
        };
        Ok(Self { table, of })
    }

    /// The table.
    pub fn table(&self) -> TableId {
        self.table
    }

    /// Bytes of a position as an array.
    pub fn width(&self) -> usize {
        self.of.width()
    }

    /// The number of indices; every index is less. Pruning tables have unused indices.
    pub fn entries(&self) -> u64 {
        self.table.definition().layout().entries()
    }

    /// The depth to which the table was built; `None` if it is complete.
    pub fn depth(&self) -> Option<u8> {
        self.of.depth()
    }

    /// Whether the table holds distances to solved. Others hold bounds, or distances to another goal.
    pub fn has_distances(&self) -> bool {
        self.tells() == LevelMeaning::Distance
    }

    fn tells(&self) -> LevelMeaning {
        self.table.definition().goal().tells()
    }

    /// The exact distances to solved, in the metric of the table. The Square-1 family ignores the middle layer; tables of H count moves
    /// of H.
    ///
    /// # Errors
    /// [`Error::Usage`] for a table of bounds, and if `to` has another length than the positions;
    /// [`Error::Element`] for the first position without a distance: it is [invalid](Error::Invalid), with every reason, or
    /// [beyond](Error::Data) the depth of the table; those of the reader, in an [`Error::Element`]; [`Error::Interrupted`]. After an
    /// error the content of `to` is undefined.
    pub fn distances(&self, of: ManyPositions<'_>, to: &mut [u8], ctx: &Context) -> Result<()> {
        self.check_tells(LevelMeaning::Distance)?;
        self.of.levels(of, to, ctx)
    }

    /// Lower bounds of the distances to solved: the exact distances to the table's goal, or the values of a pruning table.
    ///
    /// # Errors
    /// As [`TableArrays::distances`], but [`Error::Usage`] for a table of distances.
    pub fn bounds(&self, of: ManyPositions<'_>, to: &mut [u8], ctx: &Context) -> Result<()> {
        self.check_tells(LevelMeaning::Bound)?;
        self.of.levels(of, to, ctx)
    }

    /// The indices of the positions' entries. A symmetric position can have several entries; the result is always the same one.
    ///
    /// # Errors
    /// As [`TableArrays::distances`], but the depth of the table does not matter.
    pub fn indices(&self, of: ManyPositions<'_>, to: &mut [u64], ctx: &Context) -> Result<()> {
        self.of.indices(of, to, ctx)
    }

    /// One position of each entry, as an array.
    ///
    /// # Errors
    /// As [`TableArrays::indices`].
    pub fn positions(&self, indices: &[u64], to: &mut [u8], ctx: &Context) -> Result<()> {
        self.of.positions(indices, to, ctx)
    }

    /// Rejects distances where bounds are expected, and the reverse.
    fn check_tells(&self, asked: LevelMeaning) -> Result<()> {
        let tells = self.tells();
        let why = match tells {
            _ if tells == asked => return Ok(()),
            LevelMeaning::Distance => "it stores distances; use distances()",
            LevelMeaning::Bound => "it stores lower bounds; use bounds()",
            LevelMeaning::Other => "it stores distances to another position than the solved one",
        };
        let asked = if asked == LevelMeaning::Distance { "distances" } else { "bounds" };
        Err(Error::Usage(format!("table {} has no {asked}: {why}", self.table)))
    }
}

impl fmt::Debug for TableArrays {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TableArrays").field("table", &self.table).finish_non_exhaustive()
    }
}

impl ManyPositions<'_> {
    /// The number of positions, for a position of `width` bytes.
    fn count(self, width: usize) -> Result<usize> {
        match self {
            Self::Indices(indices) => Ok(indices.len()),
            Self::Arrays(array) => positions_in(array.len(), width),
            Self::Texts(texts) => Ok(texts.len()),
        }
    }
}

/// The row and the entry of an index.
///
/// # Errors
/// [`Error::Invalid`] for an unknown or unused index.
#[inline]
fn entry_at<T: PositionTable>(table: &T, index: u64) -> Result<(u32, u64)> {
    let layout = table.definition().layout();
    match layout.entry_at(index) {
        Some((row, entry)) if table.is_entry(row, entry) => Ok((row, entry)),
        found => {
            let part = |(row, entry)| {
                let message =
                    format!("entry {entry} of row {row} stands for no position; it holds part of other values");
                Problem { code: "no-position", message, at: None }
            };
            let problem = found.map_or_else(|| no_such_index(layout), part);
            let (input, expected) = (index.to_string(), "index of a position");
            Err(InvalidInput { input, expected, problems: vec![problem], instead: None }.into())
        }
    }
}

/// An element of [`ManyPositions`].
enum Element<P> {
    Entry(u32, u64),
    Position(P),
}

impl<P> Element<P> {
    #[inline]
    fn read<T: PositionTable<Position = P>>(table: &T, of: ManyPositions<'_>, number: usize) -> Result<Self> {
        Ok(match of {
            ManyPositions::Indices(indices) => {
                let (row, entry) = entry_at(table, indices[number])?;
                Self::Entry(row, entry)
            }
            ManyPositions::Arrays(array) => {
                let width = table.array_bytes();
                let array = &array[number * width..][..width];
                match table.place_of_array(array) {
                    Some((row, entry)) => Self::Entry(row, entry),
                    None => Self::Position(table.read_array(array)?),
                }
            }
            ManyPositions::Texts(texts) => match table.place_of_text(texts[number]) {
                Some((row, entry)) => Self::Entry(row, entry),
                None => Self::Position(table.parse(texts[number])?),
            },
        })
    }
}

/// An element that was read, with its place in the table.
struct LocatedElement<P> {
    element: Element<P>,
    row: u32,
    entry: u64,
}

impl<P> LocatedElement<P> {
    /// Reads an element, and locates it in the table.
    #[inline]
    fn read<T: PositionTable<Position = P>>(table: &T, of: ManyPositions<'_>, number: usize) -> Result<Self> {
        let element = Element::read(table, of, number)?;
        let (row, entry) = match &element {
            Element::Entry(row, entry) => (*row, *entry),
            Element::Position(position) => table.place(position),
        };
        Ok(Self { element, row, entry })
    }

    #[inline]
    fn level<T: PositionTable<Position = P>>(self, table: &T) -> Result<u8> {
        let Self { element, row, entry } = self;
        let value = table.entries().get(row, entry)?;
        match element {
            Element::Entry(row, entry) => table.level_at(row, entry, value),
            Element::Position(position) => table.level(&position, value),
        }
    }
}

/// Fills in the levels of some elements; `first` is the number of the first. Returns the first element without a level.
fn fill_levels<T: PositionTable>(
    table: &T,
    of: ManyPositions<'_>,
    first: usize,
    to: &mut [u8],
) -> Option<FailedElement> {
    // First locates a whole wave, then prefetches it, then reads it: so cache misses overlap, and page table walks too.
    for (first, to) in (first..).step_by(WAVE).zip(to.chunks_mut(WAVE)) {
        let mut wave: ArrayVec<LocatedElement<T::Position>, WAVE> = ArrayVec::new();
        let unread = (first..first + to.len()).find_map(|number| match LocatedElement::read(table, of, number) {
            Ok(located) => {
                wave.push(located);
                None
            }
            Err(error) => Some((number, error)),
        });
        wave.iter().for_each(|located| table.entries().prefetch(located.row, located.entry));
        for ((number, located), to) in (first..).zip(wave).zip(to) {
            match located.level(table) {
                Ok(level) => *to = level,
                Err(error) => return Some((number, error)),
            }
        }
        if unread.is_some() {
            return unread;
        }
    }
    None
}

impl<T: PositionTable + Send> AnyTable for T {
    fn width(&self) -> usize {
        self.array_bytes()
    }

    fn depth(&self) -> Option<u8> {
        self.entries().depth()
    }

    fn levels(&self, of: ManyPositions<'_>, to: &mut [u8], ctx: &Context) -> Result<()> {
        check_room(to.len(), of.count(self.array_bytes())?)?;
        fill_chunks(to, 1, ctx, &|first, to| fill_levels(self, of, first, to))
    }

    fn indices(&self, of: ManyPositions<'_>, to: &mut [u64], ctx: &Context) -> Result<()> {
        check_room(to.len(), of.count(self.array_bytes())?)?;
        let layout = *self.definition().layout();
        fill(to, 1, ctx, |number, to| {
            let (row, entry) = match Element::read(self, of, number)? {
                Element::Entry(row, entry) => (row, entry),
                Element::Position(position) => self.place(&position),
            };
            to[0] = layout.index(row, entry);
            Ok(())
        })
    }

    fn positions(&self, indices: &[u64], to: &mut [u8], ctx: &Context) -> Result<()> {
        check_room(positions_in(to.len(), self.array_bytes())?, indices.len())?;
        fill(to, self.array_bytes(), ctx, |number, to| {
            let (row, entry) = entry_at(self, indices[number])?;
            self.write_array_at(row, entry, to).ok_or_else(|| self.no_position(row, entry))
        })
    }
}
