//! How far a table is built, and from where on.

use super::{Definition, Distribution};
use twistbase_core::error::{Error, Result};
use twistbase_store::{Entries, Packing, StoredTable};

/// How far a table is generated, and from where on.
#[derive(Debug, Clone, Copy, Default)]
pub struct BuildDepth<'a> {
    /// To this depth; the whole table if `None`.
    pub depth: Option<u8>,
    /// The same table, built to a smaller depth: what it holds is not searched again.
    pub known: Option<&'a StoredTable>,
}

impl BuildDepth<'_> {
    /// The whole table, from nothing.
    pub const WHOLE: Self = Self { depth: None, known: None };

    /// The depth of what is known, and how many entries each row of it has at each distance up to there.
    ///
    /// # Errors
    /// Those of the reader.
    pub(super) fn known_counts(&self) -> Result<Option<(u8, Vec<Vec<u64>>)>> {
        let Some((stored, depth)) = self.known.and_then(|stored| Some((stored, stored.depth()?))) else {
            return Ok(None);
        };
        let counts = |row| {
            let mut levels = stored.row_record(row)?.levels.clone();
            levels.resize(usize::from(depth) + 1, 0);
            Ok(levels)
        };
        Ok(Some((depth, (0..stored.layout().rows).map(counts).collect::<Result<_>>()?)))
    }

    /// # Errors
    /// [`Error::Usage`] unless all of the table is asked for, from nothing.
    pub(super) fn must_be_whole(&self, table: &dyn Definition) -> Result<()> {
        if self.depth.is_some() || self.known.is_some() { Err(refused(table)) } else { Ok(()) }
    }
}

/// The depth to which a table is to be built when `depth` is asked for: none if nothing is beyond it.
///
/// # Errors
/// [`Error::Usage`] for a table that cannot be built to that depth, with the reason.
pub fn depth_of(table: &dyn Definition, depth: Option<u8>) -> Result<Option<u8>> {
    let Some(depth) = depth else { return Ok(None) };
    let deepest = table.deepest().ok_or_else(|| refused(table))?;
    if table.expected().is_some_and(|expected| usize::from(depth) + 1 >= expected.positions.len()) {
        return Ok(None);
    }
    if depth <= deepest {
        return Ok(Some(depth));
    }
    let (name, first) = (table.layout().name, deepest + 1);
    Err(Error::Usage(format!(
        "table {name} can be built at most to depth {deepest}, or completely: its largest value stands for all distances from {first} on"
    )))
}

fn refused(table: &dyn Definition) -> Error {
    let name = table.layout().name;
    let reason = match table.layout().packing {
        Packing::Mod3 => "it stores distances modulo 3, without a value for farther entries",
        Packing::Quarters => "it stores two bits for each entry, without a value for farther entries",
        Packing::Nibbles => "it has no value for farther entries",
    };
    Error::Usage(format!("table {name} cannot be built to a depth: {reason}; build the complete table"))
}

impl Distribution {
    /// The positions at each distance up to a depth.
    pub fn to_depth(&self, depth: Option<u8>) -> &'static [u64] {
        let all = self.positions;
        depth.map_or(all, |depth| &all[..all.len().min(usize::from(depth) + 1)])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use twistbase_core::math::nibble::UNSET;

    #[test]
    fn tables_have_depths_or_say_why_not() {
        for &table in crate::all() {
            let name = table.layout().name;
            let Some(deepest) = table.deepest() else {
                assert!(table.layout().packing != Packing::Nibbles, "{name}");
                let refused = depth_of(table, Some(3)).unwrap_err().to_string();
                assert!(refused.contains(name) && refused.contains("value for farther entries"), "{refused}");
                continue;
            };
            let farthest = table.expected().unwrap().positions.len() as u8 - 1;
            assert!(deepest < farthest, "{name}");
            assert_eq!(depth_of(table, Some(deepest)).unwrap(), Some(deepest), "{name}");
            assert_eq!(depth_of(table, Some(farthest)).unwrap(), None, "{name}");
            assert_eq!(depth_of(table, Some(u8::MAX)).unwrap(), None, "{name}");
            assert!((deepest + 1..farthest).all(|depth| depth_of(table, Some(depth)).is_err()), "{name}");
            // Whatever the entries can hold they may be built to.
            let (rows, deepest) = (0..table.layout().rows, usize::from(deepest));
            let rows: Vec<_> = rows.filter_map(|row| table.values_by_level(row)).collect();
            let has_no_value = rows.iter().any(|values| values[deepest + 1] == Some(UNSET));
            let is_last = deepest + 1 == usize::from(farthest);
            assert!(is_last || has_no_value || table.facts().last_is_open, "{name}: {deepest} of {farthest}");
            // No entry at these distances holds what says that it is unset.
            assert!(!rows.iter().any(|values| values[..=deepest].contains(&Some(UNSET))), "{name}");
        }
    }
}
