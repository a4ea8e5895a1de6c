//! The columns of an export.

use std::fmt;

use twistbase_core::error::{Error, Result};

/// A column of an export.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Column {
    /// `row × entries of a row + entry`.
    Index,
    /// The row: a shape, a class of positions.
    Row,
    /// The entry's number in its row.
    Entry,
    /// A position that the entry stands for, or the given one.
    Position,
    /// The exact distance to the table's goal, which is solved or the position one twist from it.
    Distance,
    /// A lower bound of the distance to solved.
    Bound,
    /// The value as stored.
    Value,
    /// The number of shortest solutions.
    Count,
    /// One shortest solution.
    Solution,
    /// All shortest solutions.
    Solutions,
}

/// The type of a column's fields.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ColumnKind {
    /// Whole numbers of up to 64, 32 or 8 bits, none negative.
    Long,
    /// See [`ColumnKind::Long`].
    Word,
    /// See [`ColumnKind::Long`].
    Byte,
    /// A text.
    Text,
    /// One text or more.
    Texts,
}

impl Column {
    /// Every column, in the order in which they are written.
    pub const ALL: [Self; 10] = [
        Self::Index,
        Self::Row,
        Self::Entry,
        Self::Position,
        Self::Distance,
        Self::Bound,
        Self::Value,
        Self::Count,
        Self::Solution,
        Self::Solutions,
    ];

    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Index => "index",
            Self::Row => "row",
            Self::Entry => "entry",
            Self::Position => "position",
            Self::Distance => "distance",
            Self::Bound => "bound",
            Self::Value => "value",
            Self::Count => "count",
            Self::Solution => "solution",
            Self::Solutions => "solutions",
        }
    }

    /// The type of its fields.
    pub const fn kind(self) -> ColumnKind {
        match self {
            Self::Index | Self::Entry | Self::Count => ColumnKind::Long,
            Self::Row => ColumnKind::Word,
            Self::Distance | Self::Bound | Self::Value => ColumnKind::Byte,
            Self::Position | Self::Solution => ColumnKind::Text,
            Self::Solutions => ColumnKind::Texts,
        }
    }

    /// Whether it needs a search down to solved.
    pub(super) const fn is_walked(self) -> bool {
        matches!(self, Self::Count | Self::Solution | Self::Solutions)
    }
}

impl fmt::Display for Column {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Puts columns into the order in which they are written.
///
/// # Errors
/// [`Error::Usage`] for none at all, for one that is there twice, and for those that the table, which offers `offered`,
/// does not have.
pub(super) fn ordered(columns: &[Column], offered: &[Column], table: &str) -> Result<Vec<Column>> {
    let mut sorted = columns.to_vec();
    sorted.sort();
    if let Some(twice) = sorted.windows(2).find(|pair| pair[0] == pair[1]) {
        return Err(Error::Usage(format!("column {} appears twice", twice[0])));
    }
    if let Some(&column) = sorted.iter().rev().find(|column| !offered.contains(column)) {
        let why = match column {
            Column::Distance => "it stores lower bounds, not distances",
            Column::Bound => "it stores distances, not bounds",
            _ => "bounds, and distances to another goal, give no solutions",
        };
        let offered = offered.iter().map(|column| column.name()).collect::<Vec<_>>().join(", ");
        return Err(Error::Usage(format!("table {table} has no column {column}: {why}; it has {offered}")));
    }
    if sorted.is_empty() {
        return Err(Error::Usage("an export needs at least one column".to_owned()));
    }
    Ok(sorted)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_sorted_and_what_a_table_lacks_is_refused() {
        use Column::{Bound, Distance, Index, Position, Solution};
        let offered = [Index, Position, Bound];
        assert_eq!(ordered(&[Bound, Index], &offered, "t").unwrap(), [Index, Bound]);
        for bad in [&[Distance][..], &[Index, Solution], &[Index, Index], &[]] {
            assert!(matches!(ordered(bad, &offered, "t"), Err(Error::Usage(_))), "{bad:?}");
        }
        assert!(Column::ALL.is_sorted());
    }
}
