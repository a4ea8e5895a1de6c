//! What is farther than the depth to which a level database was built: found by meeting in the middle.
//!
//! From a position that the table does not know, positions are searched outwards, twist by twist, until one has an
//! entry: the distance then is known, twists plus entry. A table built to depth K so serves positions of distance 2K with
//! about as many positions again as it has entries. What was passed on the way gets its own distance from there, so that
//! solutions are listed and counted as in a complete table.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::mem;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Instant;

use rayon::prelude::*;

use super::middle_goal::MiddleGoal;
use super::table::Square1Table;
use crate::Distance;
use twistbase_core::context::{Context, SearchMeter};
use twistbase_core::error::{Error, Result};
use twistbase_levelset::UNSET;
use twistbase_puzzle::square1::{CanonicalPieces, Place, Position};
use twistbase_store::Entries;
use twistbase_tables::Definition;

/// Positions that are gone on from between two looks at the budget.
const PORTION: usize = 1 << 12;
/// Bytes that a position takes while it is remembered: its pieces, and its place while the map of places grows.
const POSITION_BYTES: u64 = 64;

/// What a search beyond a table's depth is to find out, and what it may take.
#[derive(Debug, Clone, Copy)]
pub struct DeepeningRequest<'a> {
    /// What counts as solved.
    pub goal: MiddleGoal,
    /// Whether distances of all positions one twist away are wanted, and not only the position's own solutions.
    pub neighbours: bool,
    /// Until when to search.
    pub deadline: Option<Instant>,
    /// Positions that may be gone on from.
    pub max_nodes: Option<u64>,
    /// Bytes that positions may take.
    pub memory: u64,
    /// Where progress is reported, and what interrupts.
    pub ctx: &'a Context,
}

/// What a search beyond a table's depth came to.
#[derive(Debug)]
pub enum Deepening<E> {
    /// Nothing: the table itself knows the position.
    Known,
    /// A table that tells the position's distance and its solutions, and the distances of its neighbours if these were asked for.
    Reached(Box<Square1Table<DeepenedEntries<E>>>),
    /// The budget was spent, or the search cancelled: no position nearer than this is it.
    AtLeast(Distance),
}

/// Entries of a table that was built to a depth, and what a search around one position has added to them.
#[derive(Debug)]
pub struct DeepenedEntries<E> {
    table: Arc<Square1Table<E>>,
    /// By their [keys](Square1Table::key).
    found: HashMap<Place, u8>,
    /// The level of the position, which all that is missing here is beyond, as far as its solutions are concerned.
    depth: u8,
}

impl<E: Entries + Send> Entries for DeepenedEntries<E> {
    fn get(&self, row: u32, entry: u64) -> Result<u8> {
        let value = self.table.entries().get(row, entry)?;
        if value < UNSET {
            return Ok(value);
        }
        let place = u32::try_from(entry).map(|entry| Place { row, entry });
        let position = place.ok().and_then(|place| self.table.coordinate().position(place));
        let key = position.map(|position| self.table.key(&position.canonical_pieces()));
        Ok(key.and_then(|key| self.found.get(&key)).copied().unwrap_or(value))
    }

    fn prefetch(&self, row: u32, entry: u64) {
        self.table.entries().prefetch(row, entry);
    }

    fn depth(&self) -> Option<u8> {
        Some(self.depth)
    }
}

impl<E: Entries> Square1Table<E> {
    /// The least of the places of a position: a shape's symmetry allows several.
    fn key(&self, pieces: &CanonicalPieces) -> Place {
        let places = pieces.orders().map(|pieces| self.place_of_pieces(&pieces));
        places.min().unwrap_or_else(|| self.place_of_pieces(pieces))
    }
}

impl<E: Entries + Send> Square1Table<E> {
    /// Whether the table was built to a depth and does not know a position.
    ///
    /// # Errors
    /// Those of the reader.
    pub fn is_beyond(&self, position: &Position) -> Result<bool> {
        if self.entries().depth().is_none() {
            return Ok(false);
        }
        let Place { row, entry } = self.place(position);
        Ok(self.entries().get(row, entry.into())? >= UNSET)
    }

    /// Searches for the distance of a position, if it [is beyond](Self::is_beyond) the depth to which the table was built.
    ///
    /// # Errors
    /// Those of the reader; [`Error::Memory`] when there is no memory for more positions; [`Error::Interrupted`].
    pub fn deepened(self: &Arc<Self>, position: &Position, request: DeepeningRequest<'_>) -> Result<Deepening<E>> {
        let is_beyond = self.is_beyond(position)?;
        let Some(depth) = self.entries().depth().filter(|_| is_beyond) else { return Ok(Deepening::Known) };
        let meter = SearchMeter::new(request.deadline, request.max_nodes, request.ctx);
        let found = HashMap::new();
        let mut search = OutwardSearch { table: self, depth, position, request, meter, found, touching: Vec::new() };
        let outcome = search.find();
        request.ctx.progress().end();
        match outcome? {
            ControlFlow::Break(level) => {
                search.settle()?;
                let entries = DeepenedEntries { table: Arc::clone(self), found: search.found, depth: level };
                Ok(Deepening::Reached(Box::new(Square1Table::over(self.definition(), entries))))
            }
            ControlFlow::Continue(at_least) => {
                Ok(Deepening::AtLeast(request.goal.distance(at_least, position.middle())))
            }
        }
    }
}

/// A search outwards from a position.
struct OutwardSearch<'s, 'a, E> {
    table: &'s Square1Table<E>,
    /// To which the table was built.
    depth: u8,
    position: &'s Position,
    request: DeepeningRequest<'a>,
    meter: SearchMeter<'a>,
    /// The positions seen that the table does not know, by their [keys](Square1Table::key), with their levels where these are
    /// known already.
    found: HashMap<Place, u8>,
    /// Those of them that are one twist from one that it knows.
    touching: Vec<CanonicalPieces>,
}

/// What lies around a position.
struct Around {
    pieces: CanonicalPieces,
    /// Whether a neighbour has an entry.
    is_touching: bool,
    /// The neighbours that have none, with their [keys](Square1Table::key), if they are to be kept.
    beyond: Vec<(Place, CanonicalPieces)>,
}

impl<E: Entries> OutwardSearch<'_, '_, E> {
    /// Finds the level of the position; goes on with a lower bound of it when the budget is spent.
    fn find(&mut self) -> Result<ControlFlow<u8, u8>> {
        let start = self.position.canonical_pieces();
        self.found.insert(self.table.key(&start), UNSET);
        let mut layer = vec![start];
        // Before a layer is gone on from, all that is nearer than this has been ruled out.
        for level in self.depth + 1.. {
            let Some(next) = self.go_on_from(&layer, true)? else { return Ok(ControlFlow::Continue(level)) };
            if !self.touching.is_empty() {
                // One twist more than the fewest is made where the middle layer asks for it; it may lead to what is as far. So may
                // that to a neighbour.
                let is_longer = self.request.goal.distance(level, self.position.middle()) != Distance::new(level);
                if (self.request.neighbours || is_longer) && self.go_on_from(&next, false)?.is_none() {
                    return Ok(ControlFlow::Continue(level));
                }
                return Ok(ControlFlow::Break(level));
            }
            if next.is_empty() {
                break;
            }
            layer = next;
        }
        // All that can be reached has been seen, and nothing of it has an entry.
        Err(self.table.contradicted(self.position))
    }

    /// Looks around each position of a layer; returns what is newly seen of what the table does not know, if it is to be
    /// `kept`, and `None` when the budget is spent or the search is cancelled.
    fn go_on_from(&mut self, layer: &[CanonicalPieces], kept: bool) -> Result<Option<Vec<CanonicalPieces>>> {
        let progress = self.request.ctx.progress();
        progress.begin("beyond the table", layer.len() as u64, "positions");
        let mut next = Vec::new();
        for portion in layer.chunks(PORTION) {
            for _ in portion {
                match self.meter.visit() {
                    Ok(true) => {}
                    // What is known by then is told; that it was cancelled, the context tells.
                    Ok(false) | Err(Error::Interrupted) => return Ok(None),
                    Err(error) => return Err(error),
                }
            }
            let around: Vec<Around> =
                portion.par_iter().map(|pieces| self.around(pieces, kept)).collect::<Result<_>>()?;
            for Around { pieces, is_touching, beyond } in around {
                if is_touching {
                    self.found.insert(self.table.key(&pieces), self.depth + 1);
                    self.touching.push(pieces);
                }
                for (key, pieces) in beyond {
                    if let Entry::Vacant(unseen) = self.found.entry(key) {
                        unseen.insert(UNSET);
                        next.push(pieces);
                    }
                }
            }
            if self.found.len() as u64 > self.request.memory / POSITION_BYTES {
                return Err(Error::Memory(format!(
                    "searching farther beyond table {} needs more memory; build the table deeper",
                    self.table.definition().layout().name
                )));
            }
            progress.advance(portion.len() as u64);
        }
        Ok(Some(next))
    }

    /// Looks around a position that the table does not know; returns the unknown positions around it if `kept`.
    fn around(&self, pieces: &CanonicalPieces, kept: bool) -> Result<Around> {
        // All places first: the reads, each of which misses the processor's caches, then overlap.
        let places: Vec<_> = pieces.neighbours().map(|next| (self.table.place_of_pieces(&next), next)).collect();
        let mut around = Around { pieces: *pieces, is_touching: false, beyond: Vec::new() };
        for (place, next) in places {
            match self.table.entries().get(place.row, place.entry.into())? {
                ..UNSET => around.is_touching = true,
                _ if kept => around.beyond.push((self.table.key(&next), next)),
                _ => {}
            }
        }
        Ok(around)
    }

    /// Gives all positions that were seen their levels, as far as ways among them tell: from those next to the table's
    /// outwards.
    fn settle(&mut self) -> Result<()> {
        let mut level = self.depth + 1;
        let mut reached = mem::take(&mut self.touching);
        while !reached.is_empty() {
            level += 1;
            let mut farther = Vec::new();
            for portion in reached.chunks(PORTION) {
                self.request.ctx.check()?;
                for next in portion.iter().flat_map(|pieces| pieces.neighbours()) {
                    if let Some(known) = self.found.get_mut(&self.table.key(&next))
                        && *known > level
                    {
                        *known = level;
                        farther.push(next);
                    }
                }
            }
            reached = farther;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;
    use rand_chacha::ChaCha8Rng;

    use super::*;
    use twistbase_levelset::Kernel;
    use twistbase_puzzle::square1::{Colouring, random_position};
    use twistbase_store::{RamTable, RowLevels};
    use twistbase_tables::{self as tables, BuildDepth, GenerateOptions};

    /// Three twists less than the farthest.
    const DEPTH: u8 = 5;

    /// The entries that a table built to a depth has.
    struct Shallow<'t>(&'t RamTable<Vec<u8>>);

    impl Entries for Shallow<'_> {
        fn get(&self, row: u32, entry: u64) -> Result<u8> {
            Ok(Some(self.0.get(row, entry)?).filter(|&level| level <= DEPTH).unwrap_or(UNSET))
        }

        fn depth(&self) -> Option<u8> {
            Some(DEPTH)
        }
    }

    #[test]
    fn what_is_beyond_the_depth_is_found_as_a_complete_table_tells_it() {
        let definition = tables::twists(Colouring::Corners);
        let options =
            GenerateOptions { kernel: Kernel::detect(), memory: 1 << 30, scratch: Some(std::env::temp_dir()) };
        let mut rows = Vec::new();
        let mut keep = |_: u32, row: &[u8], _: &RowLevels| {
            rows.push(row.to_vec());
            Ok(())
        };
        let ctx = Context::silent();
        definition.generate(BuildDepth::WHOLE, &options, &ctx).unwrap().for_each_row(&mut keep).unwrap();
        let whole = Square1Table::in_memory(definition, rows).unwrap();
        let shallow = Arc::new(Square1Table::over(definition, Shallow(whole.entries())));
        let mut rng = ChaCha8Rng::seed_from_u64(6);
        let mut outcomes = [0; 3];
        let random = (0..60).map(|_| random_position(&mut rng));
        for position in random.chain([Position::SOLVED]) {
            for (goal, max_nodes) in
                [(MiddleGoal::Ignored, None), (MiddleGoal::Square, None), (MiddleGoal::Ignored, Some(1))]
            {
                let memory = 1 << 30;
                let request =
                    DeepeningRequest { goal, neighbours: false, deadline: None, max_nodes, memory, ctx: &ctx };
                let [ignored, distance] =
                    [MiddleGoal::Ignored, goal].map(|goal| whole.distance(&position, goal).unwrap());
                assert_eq!(shallow.is_beyond(&position).unwrap(), ignored.twists() > DEPTH);
                match shallow.deepened(&position, request).unwrap() {
                    Deepening::Known => {
                        assert!(ignored.twists() <= DEPTH, "{position:?}");
                        outcomes[0] += 1;
                    }
                    Deepening::Reached(deepened) => {
                        assert!(ignored.twists() > DEPTH, "{position:?}");
                        assert_eq!(deepened.distance(&position, goal).unwrap(), distance, "{position:?} {goal:?}");
                        let counts = deepened.count(&position, goal, &ctx).unwrap();
                        assert_eq!(counts, whole.count(&position, goal, &ctx).unwrap(), "{position:?} {goal:?}");
                        outcomes[1] += 1;
                    }
                    Deepening::AtLeast(bound) => {
                        assert!(max_nodes.is_some() && bound.twists() > DEPTH && bound <= distance, "{position:?}");
                        outcomes[2] += 1;
                    }
                }
            }
        }
        assert!(outcomes.iter().all(|&count| count > 0), "{outcomes:?}");
    }
}
