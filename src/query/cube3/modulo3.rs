//! Distances out of tables that hold their remainders by 3: by walking down to the goal.

use super::inconsistent;
use crate::remembered::Remembered;
use twistbase_core::error::Result;
use twistbase_store::{Entries, Packing};
use twistbase_tables::Definition;

/// Neighbours that are looked at together: most often one of so many is nearer.
const TOGETHER: usize = 6;

/// Distances near the goal that walks have found: walks end where they meet them.
#[derive(Debug)]
pub struct NearDistances {
    distances: Remembered,
    /// The farthest that are remembered.
    farthest: u8,
}

impl NearDistances {
    /// For a table; `None` if it holds whole distances.
    ///
    /// # Errors
    /// [`Error::Memory`](twistbase_core::error::Error::Memory) when there is no memory for them, 32 MiB.
    pub fn of(definition: &dyn Definition) -> Result<Option<Self>> {
        if definition.layout().packing != Packing::Mod3 {
            return Ok(None);
        }
        Ok(Some(Self { distances: Remembered::new()?, farthest: Remembered::known_distance(definition) }))
    }
}

/// A table that holds remainders by 3 of distances.
pub trait Modulo3 {
    /// A position, or one of a coset.
    type Position: Copy;
    /// What reads the table.
    type Entries: Entries;

    /// The reader of the table.
    fn entries(&self) -> &Self::Entries;

    /// The table.
    fn definition(&self) -> &dyn Definition;

    /// Distances near the goal, where they are known without a walk.
    fn near(&self) -> Option<&NearDistances> {
        None
    }

    /// Row and entry of a position.
    fn place(&self, position: &Self::Position) -> (u32, u64);

    /// Whether it is at distance 0.
    fn is_reached(&self, position: &Self::Position) -> bool;

    /// The positions one move away.
    fn neighbours(&self, position: &Self::Position) -> impl Iterator<Item = Self::Position>;
}

/// A neighbour with that value. Those looked at together are asked for beforehand, so that waits for them overlap.
fn neighbour<T: Modulo3>(table: &T, position: &T::Position, value: u8) -> Result<Option<T::Position>> {
    let mut neighbours = table.neighbours(position);
    loop {
        let mut together = [None; TOGETHER];
        for (slot, neighbour) in together.iter_mut().zip(&mut neighbours) {
            let (row, entry) = table.place(&neighbour);
            *slot = Some((neighbour, row, entry));
        }
        together.iter().flatten().for_each(|&(_, row, entry)| table.entries().prefetch(row, entry));
        if together[0].is_none() {
            return Ok(None);
        }
        for (neighbour, row, entry) in together.into_iter().flatten() {
            if table.entries().get(row, entry)? == value {
                return Ok(Some(neighbour));
            }
        }
    }
}

/// The distance of a position that has that value: it is never more than `most`.
///
/// # Errors
/// Those of the reader; [`Error::Data`](twistbase_core::error::Error::Data) (damaged) if the table contradicts itself.
pub fn distance<T: Modulo3>(table: &T, position: &T::Position, mut value: u8, most: u8) -> Result<u8> {
    let mut at = *position;
    // By what each step's start is remembered.
    let mut keys = Vec::new();
    let left = loop {
        if table.is_reached(&at) {
            break 0;
        }
        let (row, entry) = table.place(&at);
        let key = (u64::from(row) << 32 | entry) + 1;
        if let Some(distance) = table.near().and_then(|near| near.distances.get(key)) {
            break distance;
        }
        value = (value + 2) % 3;
        let next = neighbour(table, &at, value)?.filter(|_| keys.len() < usize::from(most));
        at = next.ok_or_else(|| inconsistent(table.definition().layout(), (row, entry)))?;
        keys.push(key);
    };
    if let Some(near) = table.near() {
        for (&key, distance) in keys.iter().rev().zip(left + 1..=near.farthest) {
            near.distances.put(key, distance);
        }
    }
    Ok(left + keys.len() as u8)
}
