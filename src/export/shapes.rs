//! The shapes of the Square-1 family, with all that a search over shapes needs.

use std::collections::BTreeMap;

use serde::Serialize;

use twistbase_core::error::{Error, Fault, Result};
use twistbase_puzzle::square1::notation::hex;
use twistbase_puzzle::square1::{HalfShape, Piece, Position, Shape, SlotPermutation};
use twistbase_store::{CREATOR, Store};
use twistbase_tables::{self as tables, Definition};

/// The version of the document.
const FORMAT_VERSION: u32 = 1;
/// Elements of a ring.
const ELEMENTS: u8 = 12;

/// All shapes: `schema/json/shapes.json`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ShapeDatabase {
    format_version: u32,
    creator: &'static str,
    half_shapes: Vec<HalfShapeRecord>,
    /// The shapes by number.
    pub shapes: Vec<ShapeRecord>,
}

/// The pattern of a layer.
#[derive(Debug, Clone, PartialEq, Serialize)]
struct HalfShapeRecord {
    id: u8,
    pattern: &'static str,
    big_pieces: u8,
    starts: Vec<u8>,
    cuts: Vec<u8>,
    symmetry_order: u8,
}

/// A shape.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ShapeRecord {
    id: u8,
    name: String,
    half_shapes: [u8; 2],
    example: String,
    twists_from_solved: u8,
    stabiliser: Vec<SlotRecord>,
    twists: Vec<TwistRecord>,
    neighbours: BTreeMap<u8, u32>,
    /// Of each table that was asked, the positions of the shape at each distance.
    pub positions: BTreeMap<&'static str, ShapeCounts>,
}

/// How many positions of a shape there are.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ShapeCounts {
    /// All of them.
    pub total: u64,
    /// Those at each distance, if the table has been built.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub levels: Option<Vec<u64>>,
}

/// A rearrangement of slots: slot `i` afterwards holds what slot `big[i]`, or `small[i]`, held.
#[derive(Debug, Clone, PartialEq, Serialize)]
struct SlotRecord {
    big: [u8; 8],
    small: [u8; 8],
}

/// A twist of a shape.
#[derive(Debug, Clone, PartialEq, Serialize)]
struct TwistRecord {
    cuts: [u8; 2],
    to: u8,
    #[serde(flatten)]
    slots: SlotRecord,
}

impl From<SlotPermutation> for SlotRecord {
    fn from(SlotPermutation { big, small }: SlotPermutation) -> Self {
        Self { big, small }
    }
}

impl ShapeDatabase {
    /// All shapes, with the numbers of positions by distance of the tables that are complete in a store.
    ///
    /// # Errors
    /// [`Error::Data`] for a table that is there and cannot be read; [`Error::Io`].
    pub fn new(store: &Store) -> Result<Self> {
        let mut shapes: Vec<_> = Shape::all().map(ShapeRecord::new).collect();
        for table in tables::twist_tables() {
            let stored = match store.table(table.layout()) {
                Ok(stored) => Some(stored),
                Err(Error::Data(fault))
                    if matches!(fault.fault, Fault::Missing | Fault::Unfinished | Fault::Bounded) =>
                {
                    None
                }
                Err(other) => return Err(other),
            };
            for (row, shape) in (0..).zip(&mut shapes) {
                let levels = stored.as_ref().map(|stored| Ok::<_, Error>(stored.row_record(row)?.positions.clone()));
                let counts = ShapeCounts { total: table.row_positions(row), levels: levels.transpose()? };
                shape.positions.insert(table.puzzle(), counts);
            }
        }
        let half_shapes = HalfShape::all().map(HalfShapeRecord::new).collect();
        Ok(Self { format_version: FORMAT_VERSION, creator: CREATOR, half_shapes, shapes })
    }
}

impl HalfShapeRecord {
    fn new(half: HalfShape) -> Self {
        let starts_at = |element: u8| half.boundaries() >> (element % ELEMENTS) & 1 == 1;
        Self {
            id: half.id(),
            pattern: half.pattern(),
            big_pieces: half.big_pieces(),
            starts: (0..ELEMENTS).filter(|&element| starts_at(element)).collect(),
            cuts: (0..ELEMENTS).filter(|&element| starts_at(element) && starts_at(element + 6)).collect(),
            symmetry_order: half.symmetry_order(),
        }
    }
}

impl ShapeRecord {
    fn new(shape: Shape) -> Self {
        let twist = |(u, v)| {
            let to = shape.twisted(u, v)?;
            Some(TwistRecord { cuts: [u, v], to: to.shape.id(), slots: to.slots.into() })
        };
        let twists: Vec<TwistRecord> = shape.alignments().into_iter().filter_map(twist).collect();
        let mut neighbours = BTreeMap::new();
        twists.iter().for_each(|twist| *neighbours.entry(twist.to).or_default() += 1);
        Self {
            id: shape.id(),
            name: shape.name(),
            half_shapes: shape.half_shapes().map(HalfShape::id),
            example: example(shape).expect("every shape can be filled, and then aligned"),
            twists_from_solved: shape.twists(),
            stabiliser: shape.stabiliser().into_iter().map(SlotRecord::from).collect(),
            twists,
            neighbours,
            positions: BTreeMap::new(),
        }
    }
}

/// The position with piece number `i` of each size in slot `i`.
fn example(shape: Shape) -> Option<String> {
    let pieces = |of: fn(u8) -> Option<Piece>| -> Option<[Piece; 8]> {
        (0..8).map(of).collect::<Option<Vec<_>>>()?.try_into().ok()
    };
    let position = Position::from_canonical(shape, &pieces(Piece::big)?, &pieces(Piece::small)?).ok()?;
    hex::print(&position)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The pieces by the pattern's letters: a big one takes two elements.
    #[test]
    fn half_shapes_say_where_pieces_start_and_where_they_can_be_cut() {
        for record in HalfShape::all().map(HalfShapeRecord::new) {
            let mut at = 0;
            let starts: Vec<u8> = record
                .pattern
                .chars()
                .map(|piece| {
                    let start = at;
                    at += if piece == 'C' { 2 } else { 1 };
                    start
                })
                .collect();
            let is_cut = |start: &&u8| **start < 6 && starts.contains(&(*start + 6));
            let cuts: Vec<u8> = starts.iter().filter(is_cut).copied().collect();
            assert_eq!((at, &record.starts), (ELEMENTS, &starts), "{}", record.pattern);
            let below: Vec<u8> = record.cuts.iter().copied().filter(|&cut| cut < 6).collect();
            assert_eq!((below.len() * 2, below), (record.cuts.len(), cuts), "{}", record.pattern);
        }
    }
}
