//! Answers about positions of the Rubik's cube, and what bounds mean in them.

use std::sync::Arc;

use arrayvec::ArrayVec;
use serde::{Serialize, Serializer};

use super::{CUBE3, CubeTables, CubeText, ExactReport, ExactSearcher, read_held};
use crate::TableId;
use crate::position::PuzzlePosition;
use crate::puzzle::{Answer, BriefAnswer, Detail, Prepared, Solution, Solutions, count_of, query_in_waves};
use twistbase_cache::CachedTable;
use twistbase_core::context::Context;
use twistbase_core::error::{Error, Result};
use twistbase_puzzle::cube3::coordinate::PhaseTwoPosition;
use twistbase_puzzle::cube3::notation::{FaceletOrder, HeldCube, read_facelets};
use twistbase_puzzle::cube3::{Centres, Cube, Metric, Move, MoveSequence};
use twistbase_query::KnownDistance;
use twistbase_query::cube3::{Cosets, PhaseTwo, position_in_h};
use twistbase_store::Entries;
use twistbase_tables::Kind;

/// Opened tables, and what is asked of them.
#[derive(Debug)]
pub(super) struct PreparedCube3 {
    pub tables: Arc<CubeTables>,
    /// What searches for exact distances by all moves, if that is wanted.
    pub exact: Option<ExactSearcher>,
    /// The one table that was named.
    pub only: Option<TableId>,
    pub detail: Detail,
    pub limit: Option<u64>,
}

/// What is known about a position of the cube. As JSON: `schema/json/query-cube3.json`.
#[derive(Debug, Clone)]
pub struct Cube3Answer {
    /// The position as it was given.
    pub input: String,
    /// The position, of the cube as it is held.
    pub position: Cube,
    /// The centres: how it is held.
    pub centres: Centres,
    /// The order of the facelets in the input.
    pub order: FaceletOrder,
    /// The same as a position of phase 2, if it is in H.
    pub h_position: Option<PhaseTwoPosition>,
    /// How moves are counted.
    pub metric: Metric,
    /// The tables that were asked.
    pub tables: ArrayVec<&'static str, 5>,
    /// The one table that was named.
    pub only: Option<TableId>,
    /// What the tables say about how far it is.
    pub distances: CubeDistances,
    /// How far it is by all moves, if that was searched for.
    pub exact: Option<ExactReport>,
    /// The number of shortest solutions by moves of H.
    pub solutions: Option<u64>,
    /// What each of the eighteen moves does.
    pub moves: Option<Vec<FaceTurnReport>>,
}

/// [`Cube3Answer`] as JSON: what is costly to write is written only here.
#[derive(Serialize)]
struct Cube3AnswerWire<'a> {
    input: &'a str,
    puzzle: &'static str,
    metric: &'static str,
    #[serde(flatten)]
    distances: CubeDistances,
    in_h: bool,
    #[serde(flatten)]
    position: CubeText,
    #[serde(skip_serializing_if = "Option::is_none")]
    order: Option<String>,
    tables: &'a [&'static str],
    #[serde(skip_serializing_if = "Option::is_none")]
    exact: Option<&'a ExactReport>,
    #[serde(skip_serializing_if = "Option::is_none")]
    solutions: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    moves: Option<&'a [FaceTurnReport]>,
}

impl Cube3Answer {
    /// How far the position is, as the tables tell it.
    pub fn brief(&self) -> BriefAnswer {
        self.distances.brief(self.only)
    }
}

impl Serialize for Cube3Answer {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let wire = Cube3AnswerWire {
            input: &self.input,
            puzzle: CUBE3,
            metric: self.metric.name(),
            distances: self.distances,
            in_h: self.h_position.is_some(),
            position: CubeText::new(&self.position),
            order: (!self.order.is_usual()).then(|| self.order.to_string()),
            tables: &self.tables,
            exact: self.exact.as_ref(),
            solutions: self.solutions,
            moves: self.moves.as_deref(),
        };
        wire.serialize(serializer)
    }
}

/// What the tables say about how far a position is, in moves. What no table says is absent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct CubeDistances {
    /// Exactly to solved, by moves of H.
    pub distance: Option<u8>,
    /// Exactly to H.
    pub to_h: Option<u8>,
    /// At least to solved by moves of H: exactly in H'.
    pub bound: Option<u8>,
    /// At least to solved: exactly to the subgroup of the huge table.
    pub huge: Option<u8>,
    /// At least to solved: what a pruning table says about the distance to its subgroup.
    #[serde(rename = "nx")]
    pub pruning: Option<u8>,
    /// What these are more than, where a table was built to a depth.
    #[serde(skip_serializing_if = "Beyond::is_nowhere")]
    pub beyond: Beyond,
}

impl CubeDistances {
    /// The only one that is known.
    pub fn only(&self) -> Option<u8> {
        self.distance.or(self.to_h).or(self.bound).or(self.huge).or(self.pruning)
    }

    /// In brief, where `only` was the table that was named.
    fn brief(self, only: Option<TableId>) -> BriefAnswer {
        if only.is_some() { BriefAnswer::Distance(self.only()) } else { BriefAnswer::Cube3(self) }
    }
}

/// The depth of each table that a position is beyond.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Beyond {
    /// Of the table of exact distances in H.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub distance: Option<u8>,
    /// Of the table of distances to H.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to_h: Option<u8>,
    /// Of the table of distances in H'.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bound: Option<u8>,
}

impl Beyond {
    fn is_nowhere(&self) -> bool {
        *self == Self::default()
    }
}

/// What a move does.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct FaceTurnReport {
    /// The move.
    #[serde(serialize_with = "as_text")]
    pub r#move: Move,
    /// How far the position then is.
    #[serde(flatten)]
    pub distances: CubeDistances,
}

fn as_text<S: Serializer>(turn: &Move, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(turn)
}

/// A shortest solution by moves of H.
#[derive(Debug, Clone, Serialize)]
pub struct HSolution {
    /// The position as it was given.
    pub input: String,
    /// The puzzle.
    pub puzzle: &'static str,
    /// Its moves.
    pub length: usize,
    /// How they are counted.
    pub metric: &'static str,
    /// The moves.
    pub solution: String,
}

/// What the tables say, before it is put in numbers.
#[derive(Debug, Clone, Copy)]
struct KnownDistances {
    distance: Option<KnownDistance>,
    to_h: Option<KnownDistance>,
    huge: Option<KnownDistance>,
    /// In H', and the least number of moves of H that it admits: 1 for a position that is not solved and lacks only the
    /// middle edges.
    bound: Option<(KnownDistance, u8)>,
    pruning: Option<u8>,
}

impl KnownDistances {
    /// What is known more because a move that counts `cost` leads here from a position of which `before` is known.
    fn beside(self, before: &Self, cost: u8) -> Self {
        let beside = |known: Option<KnownDistance>, before: Option<KnownDistance>| match before
            .and_then(KnownDistance::distance)
        {
            Some(distance) => known.map(|known| known.beside(distance, cost)),
            None => known,
        };
        let in_h_prime = beside(self.bound.map(|(known, _)| known), before.bound.map(|(known, _)| known));
        Self {
            distance: beside(self.distance, before.distance),
            to_h: beside(self.to_h, before.to_h),
            huge: beside(self.huge, before.huge),
            bound: in_h_prime.zip(self.bound.map(|(_, least)| least)),
            pruning: self.pruning,
        }
    }
}

impl From<KnownDistances> for CubeDistances {
    fn from(KnownDistances { distance, to_h, huge, bound, pruning }: KnownDistances) -> Self {
        let moves = |known: Option<KnownDistance>| Some(known?.distance()?.moves());
        let beyond = |known: Option<KnownDistance>| match known {
            Some(KnownDistance::Beyond(depth)) => Some(depth),
            _ => None,
        };
        let in_h_prime = bound.map(|(known, _)| known);
        Self {
            distance: moves(distance),
            to_h: moves(to_h),
            bound: moves(in_h_prime).zip(bound).map(|(moves, (_, least))| moves.max(least)),
            huge: moves(huge),
            pruning,
            beyond: Beyond { distance: beyond(distance), to_h: beyond(to_h), bound: beyond(in_h_prime) },
        }
    }
}

/// A position, and where the tables that are asked have it.
#[derive(Debug, Clone, Copy)]
struct LocatedCube {
    position: Cube,
    centres: Centres,
    order: FaceletOrder,
    h_position: Option<PhaseTwoPosition>,
    to_h: Option<(u32, u64)>,
    huge: Option<(u32, u64)>,
    bound: Option<(u32, u64)>,
    exact: Option<(u32, u64)>,
}

impl Prepared for PreparedCube3 {
    fn read(&self, input: &str) -> Result<PuzzlePosition> {
        Ok(read_held(input)?.into())
    }

    fn distance(&self, position: &PuzzlePosition) -> Result<Option<u8>> {
        let Some((exact, h_position)) = self.tables.exact.as_ref().zip(PhaseTwoPosition::of(position.of_cube3()?))
        else {
            return Ok(None);
        };
        Ok(Some(exact.distance(&h_position)?.moves()))
    }

    fn query_position(&self, position: &PuzzlePosition, input: &str, ctx: &Context) -> Result<Answer> {
        self.query_located(&self.locate(*position.held_cube3()?), input, ctx)
    }

    fn query_many(&self, inputs: &[&str], ctx: &Context, each: &mut dyn FnMut(&str, Result<Answer>)) {
        let query = |located: &LocatedCube, input: &str| self.query_located(located, input, ctx);
        query_in_waves(inputs, |input| self.read_and_locate(input), |located| self.prefetch(located), query, each);
    }

    fn query_many_briefly(&self, inputs: &[&str], _: &Context, each: &mut dyn FnMut(&str, Result<BriefAnswer>)) {
        let distances = |located: &LocatedCube, input: &str| Ok(self.distances(located, input)?.0.brief(self.only));
        query_in_waves(inputs, |input| self.read_and_locate(input), |located| self.prefetch(located), distances, each);
    }

    fn solutions_of_position(&self, position: &PuzzlePosition, input: &str, _: &Context) -> Result<Solutions> {
        let h_position = position_in_h(input, position.of_cube3()?)?;
        let Some(exact) = &self.tables.exact else {
            return Err(Error::Usage("solutions are listed by a table of exact distances in H alone".to_owned()));
        };
        let (input, metric) = (input.to_owned(), self.tables.metric);
        let limit = count_of(self.limit);
        let solutions = PhaseTwo::solutions_from(Arc::clone(exact), &h_position)?.take(limit);
        Ok(Box::new(solutions.map(move |moves| {
            let solution = MoveSequence::new(moves?);
            let (length, metric) = (solution.length(metric), metric.name());
            let (input, solution) = (input.clone(), solution.to_string());
            Ok(Solution::H(HSolution { input, puzzle: CUBE3, length, metric, solution }))
        })))
    }
}

impl PreparedCube3 {
    /// Where the tables have a position. (What it tells is copied several times unless it is inlined.)
    #[inline(always)]
    fn locate(&self, held: HeldCube<Cube>) -> LocatedCube {
        let HeldCube { position, centres, order } = held;
        let CubeTables { to_h, huge, bound, exact, .. } = &*self.tables;
        let place = |table: &Option<Cosets<CachedTable>>| Some(table.as_ref()?.definition().place(&position));
        let h_position = PhaseTwoPosition::of(&position);
        let in_h = |table: Option<&PhaseTwo<CachedTable>>| Some(table?.definition().place(h_position.as_ref()?));
        LocatedCube {
            position,
            centres,
            order,
            h_position,
            to_h: place(to_h),
            huge: place(huge),
            bound: in_h(bound.as_ref()),
            exact: in_h(exact.as_deref()),
        }
    }

    /// Reads a position, and finds out where the tables have it.
    #[inline(always)]
    fn read_and_locate(&self, input: &str) -> Result<LocatedCube> {
        // `read` does the same; a result with its reasons is copied once more, which batches notice.
        let held = read_facelets(input).map_or_else(|| read_held(input), |position| Ok(position.into()))?;
        Ok(self.locate(held))
    }

    /// Asks for what the tables hold of a position.
    #[inline]
    fn prefetch(&self, located: &LocatedCube) {
        let CubeTables { to_h, huge, bound, exact, .. } = &*self.tables;
        fn prefetch(table: Option<&CachedTable>, place: Option<(u32, u64)>) {
            if let (Some(table), Some((row, entry))) = (table, place) {
                table.prefetch(row, entry);
            }
        }
        prefetch(to_h.as_ref().map(Cosets::entries), located.to_h);
        prefetch(huge.as_ref().map(Cosets::entries), located.huge);
        prefetch(bound.as_ref().map(PhaseTwo::entries), located.bound);
        prefetch(exact.as_deref().map(PhaseTwo::entries), located.exact);
    }

    /// How far a position is, if any table that was asked tells anything of it.
    ///
    /// # Errors
    /// [`Error::Invalid`] where the one table is of positions in H and this is none; [`Error::Data`] (bounded) where it is
    /// beyond the depth of all tables and is not to be searched for.
    #[inline]
    fn distances(&self, located: &LocatedCube, input: &str) -> Result<(CubeDistances, KnownDistances)> {
        if let (None, Some(Kind::PhaseTwo(_))) = (located.h_position, self.only.map(|table| table.definition().kind()))
        {
            position_in_h(input, &located.position)?;
        }
        let known = self.known_distances(located)?;
        let distances = CubeDistances::from(known);
        if distances.only().is_none() && self.exact.is_none() {
            self.refuse_beyond(&located.position)?;
        }
        Ok((distances, known))
    }

    /// What is known about a position.
    fn query_located(&self, located: &LocatedCube, input: &str, ctx: &Context) -> Result<Answer> {
        let LocatedCube { position, centres, order, h_position, .. } = *located;
        let (distances, known) = self.distances(located, input)?;
        let full = self.detail == Detail::Full;
        let solutions = match (&self.tables.exact, &h_position) {
            (Some(exact), Some(h_position)) if full && distances.distance.is_some() => {
                Some(exact.count(h_position, ctx)?)
            }
            _ => None,
        };
        let moves = full.then(|| self.moves(&position, &known)).transpose()?;
        let exact = self.exact.as_ref().map(|searcher| searcher.search(&position, ctx)).transpose()?;
        let (metric, tables, only) = (self.tables.metric, self.tables.names(), self.only);
        let input = input.to_owned();
        Ok(Answer::Cube3(Cube3Answer {
            input,
            position,
            centres,
            order,
            h_position,
            metric,
            tables,
            only,
            distances,
            exact,
            solutions,
            moves,
        }))
    }

    /// Fails with what a table says about a position that is beyond its depth, when no table says anything else.
    fn refuse_beyond(&self, position: &Cube) -> Result<()> {
        let CubeTables { to_h, bound, exact, .. } = &*self.tables;
        to_h.as_ref().map(|table| table.distance(position)).transpose()?;
        let Some(h_position) = PhaseTwoPosition::of(position) else { return Ok(()) };
        exact.as_ref().map(|table| table.distance(&h_position)).transpose()?;
        bound.as_ref().map(|table| table.distance(&h_position)).transpose()?;
        Ok(())
    }

    /// What the tables say about a position.
    #[inline]
    fn known_distances(&self, located: &LocatedCube) -> Result<KnownDistances> {
        let LocatedCube { position, h_position, .. } = located;
        let CubeTables { to_h, huge, bound, exact, pruning, .. } = &*self.tables;
        let to = |table: &Option<Cosets<CachedTable>>, place: Option<(u32, u64)>| {
            let known = |(table, place): (&Cosets<_>, _)| table.known_distance_at(position, place);
            table.as_ref().zip(place).map(known).transpose()
        };
        let in_h = |table: Option<&PhaseTwo<CachedTable>>, place: Option<(u32, u64)>| {
            let known = |((table, place), h_position)| PhaseTwo::known_distance_at(table, h_position, place);
            table.zip(place).zip(h_position.as_ref()).map(known).transpose()
        };
        let in_h_prime = in_h(bound.as_ref(), located.bound)?;
        let least = |h_position: &PhaseTwoPosition| u8::from(*h_position != PhaseTwoPosition::SOLVED);
        let pruning = pruning.as_ref().map(|(table, entries)| table.look_up(entries, position));
        Ok(KnownDistances {
            distance: in_h(exact.as_deref(), located.exact)?,
            to_h: to(to_h, located.to_h)?,
            huge: to(huge, located.huge)?,
            bound: in_h_prime.zip(h_position.as_ref().map(least)),
            pruning: pruning.transpose()?.map(|value| value.bound),
        })
    }

    /// What each of the eighteen moves does.
    fn moves(&self, position: &Cube, before: &KnownDistances) -> Result<Vec<FaceTurnReport>> {
        let metric = self.tables.metric;
        let report = |turn| {
            let located = self.locate(position.turned(turn).into());
            let known = self.known_distances(&located)?.beside(before, metric.cost(turn));
            Ok(FaceTurnReport { r#move: turn, distances: known.into() })
        };
        Move::all().map(report).collect()
    }
}
