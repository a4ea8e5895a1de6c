//! Questions about the Rubik's cube, answered by its tables and by short searches.

use std::sync::Arc;

use super::choice::CubeTables;
use super::exact::ExactSearcher;
use super::lists_no_solutions;
use crate::TableId;
use crate::answers::cube3::{Beyond, Cube3Answer, CubeDistances, ExactReport, FaceTurnReport};
use crate::answers::table::TableSolution;
use crate::answers::{Answer, BriefAnswer, FromSolved, Solution};
use crate::position::PuzzlePosition;
use crate::puzzle::{Detail, Prepared, Solutions, count_of};
use crate::puzzle_info::CUBE3;
use crate::waves::query_in_waves;
use twistbase_cache::CachedTable;
use twistbase_core::context::Context;
use twistbase_core::error::{Error, Result};
use twistbase_puzzle::cube3::coordinate::PhaseTwoPosition;
use twistbase_puzzle::cube3::notation::{HeldCube, parse_position, read_facelets};
use twistbase_puzzle::cube3::{Cube, Move, MoveSequence};
use twistbase_query::KnownDistance;
use twistbase_query::cube3::{Cosets, PhaseTwo, position_in_h};
use twistbase_store::Entries;
use twistbase_tables::{Kind, TableMetric};

/// Of positions up to this distance, all next moves are searched whose distance does not follow.
const NEAR: u8 = 4;

/// Opened tables, and the question.
#[derive(Debug)]
pub(super) struct PreparedCube3 {
    pub tables: Arc<CubeTables>,
    /// The search for exact distances by all moves, on request.
    pub exact: Option<ExactSearcher>,
    /// The table named in the question.
    pub only: Option<TableId>,
    pub detail: Detail,
    pub limit: Option<u64>,
}

/// The tables' results, before conversion to numbers.
#[derive(Debug, Clone, Copy)]
struct KnownDistances {
    distance: Option<KnownDistance>,
    to_h: Option<KnownDistance>,
    huge: Option<KnownDistance>,
    /// The distance in H', and the bound from it in moves of H: 1 for an unsolved position with only middle edges out of place.
    bound: Option<(KnownDistance, u8)>,
    pruning: Option<u8>,
}

impl KnownDistances {
    /// Narrows these numbers, given those of the position before a move of length `cost`.
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
            to_h: moves(to_h),
            distance_in_h: moves(distance),
            bound_in_h: moves(in_h_prime).zip(bound).map(|(moves, (_, least))| moves.max(least)),
            huge: moves(huge),
            pruning,
            beyond: Beyond { to_h: beyond(to_h), distance_in_h: beyond(distance), bound_in_h: beyond(in_h_prime) },
        }
    }
}

/// A position, with its places in the tables used.
#[derive(Debug, Clone, Copy)]
struct LocatedCube {
    held: HeldCube<Cube>,
    h_position: Option<PhaseTwoPosition>,
    to_h: Option<(u32, u64)>,
    huge: Option<(u32, u64)>,
    bound: Option<(u32, u64)>,
    exact: Option<(u32, u64)>,
}

impl Prepared for PreparedCube3 {
    fn read(&self, input: &str) -> Result<PuzzlePosition> {
        PuzzlePosition::read_cube3(input)
    }

    fn query_position(&self, position: &PuzzlePosition, input: &str, ctx: &Context) -> Result<Answer> {
        self.query_located(&self.locate(*position.held_cube3()?), input, ctx)
    }

    fn may_search(&self) -> bool {
        self.exact.is_some()
    }

    fn query_many(&self, inputs: &[&str], ctx: &Context, each: &mut dyn FnMut(&str, Result<Answer>)) {
        let query = |located: &LocatedCube, input: &str| self.query_located(located, input, ctx);
        query_in_waves(inputs, |input| self.read_and_locate(input), |located| self.prefetch(located), query, each);
    }

    fn query_many_briefly(&self, inputs: &[&str], _: &Context, each: &mut dyn FnMut(&str, Result<BriefAnswer>)) {
        let brief = |located: &LocatedCube, input: &str| {
            let distances = self.distances(located, input)?.0;
            let shown = || distances.shown(&located.held.position, self.tables.metric);
            Ok(BriefAnswer::of_cube3(self.only, distances, shown))
        };
        query_in_waves(inputs, |input| self.read_and_locate(input), |located| self.prefetch(located), brief, each);
    }

    fn solutions_of_position(&self, position: &PuzzlePosition, input: &str, ctx: &Context) -> Result<Solutions> {
        let metric = self.tables.metric;
        let limit = count_of(self.limit);
        let report = {
            let input = input.to_owned();
            move |solution: MoveSequence| {
                let (length, metric) = (solution.length(metric), TableMetric::FaceTurns(metric));
                let (input, solution) = (input.clone(), solution.to_string());
                Solution::Table(TableSolution { input, puzzle: CUBE3, goal: None, length, metric, solution })
            }
        };
        if let Some(table) = self.only {
            let exact = self.tables.exact.as_ref().ok_or_else(|| lists_no_solutions(table))?;
            let h_position = position_in_h(input, position.of_cube3()?)?;
            let solutions = PhaseTwo::solutions_from(Arc::clone(exact), &h_position)?.take(limit);
            return Ok(Box::new(solutions.map(move |moves| Ok(report(MoveSequence::new(moves?))))));
        }
        let Some(searcher) = &self.exact else {
            return Err(Error::Usage("the question was not prepared to list solutions".to_owned()));
        };
        let solutions = searcher.solutions(position.of_cube3()?, self.limit.unwrap_or(u64::MAX), ctx)?;
        Ok(Box::new(solutions.into_iter().map(move |moves| Ok(report(moves)))))
    }
}

impl PreparedCube3 {
    /// The places of a position in the tables. (Inlined: otherwise the result is copied several times.)
    #[inline(always)]
    fn locate(&self, held: HeldCube<Cube>) -> LocatedCube {
        let position = held.position;
        let CubeTables { to_h, huge, bound, exact, .. } = &*self.tables;
        let place = |table: &Option<Cosets<CachedTable>>| Some(table.as_ref()?.definition().place(&position));
        let h_position = PhaseTwoPosition::of(&position);
        let in_h = |table: Option<&PhaseTwo<CachedTable>>| Some(table?.definition().place(h_position.as_ref()?));
        LocatedCube {
            held,
            h_position,
            to_h: place(to_h),
            huge: place(huge),
            bound: in_h(bound.as_ref()),
            exact: in_h(exact.as_deref()),
        }
    }

    /// Reads a position, and locates it in the tables.
    #[inline(always)]
    fn read_and_locate(&self, input: &str) -> Result<LocatedCube> {
        // Like `parse_position`, but with one copy less of the result, for the speed of batches.
        let held = match read_facelets(input) {
            Some(position) => position.into(),
            None => parse_position(input)?.held(),
        };
        Ok(self.locate(held))
    }

    /// Prefetches the tables' entries of a position.
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

    /// The distance of a position, if any table in use says something about it.
    ///
    /// # Errors
    /// [`Error::Invalid`] if the named table is for positions in H and this is outside H; [`Error::Data`] (bounded) if the position is
    /// beyond the depth of all tables and a search is not enabled.
    #[inline]
    fn distances(&self, located: &LocatedCube, input: &str) -> Result<(CubeDistances, KnownDistances)> {
        if let (None, Some(Kind::PhaseTwo(_))) = (located.h_position, self.only.map(|table| table.definition().kind()))
        {
            position_in_h(input, &located.held.position)?;
        }
        let known = self.known_distances(located)?;
        let distances = CubeDistances::from(known);
        if distances.only().is_none() && self.exact.is_none() {
            self.refuse_beyond(&located.held.position)?;
        }
        Ok((distances, known))
    }

    /// The answer about a position.
    fn query_located(&self, located: &LocatedCube, input: &str, ctx: &Context) -> Result<Answer> {
        let LocatedCube { held: HeldCube { position, centres, order }, h_position, .. } = *located;
        let (distances, known) = self.distances(located, input)?;
        let full = self.detail == Detail::Full;
        let solutions_in_h = match (&self.tables.exact, &h_position) {
            (Some(exact), Some(h_position)) if full && distances.distance_in_h.is_some() => {
                Some(exact.count(h_position, ctx)?)
            }
            _ => None,
        };
        let (metric, tables, only) = (self.tables.metric, self.tables.names(), self.only);
        let shown = distances.shown(&position, metric);
        let search = self.exact.as_ref().map(|searcher| searcher.search(&position, ctx)).transpose()?;
        let from_solved = search.as_ref().map_or(shown, |search| search.from_solved.with(shown));
        let moves = full.then(|| self.moves(&position, &known, from_solved, search.as_ref(), ctx)).transpose()?;
        let input = input.to_owned();
        Ok(Answer::Cube3(Cube3Answer {
            input,
            position,
            centres,
            order,
            turned: None,
            h_position,
            metric,
            tables,
            only,
            from_solved,
            distances,
            search,
            solutions_in_h,
            moves,
        }))
    }

    /// Fails if the position is beyond the depth of a table and no other table says anything.
    fn refuse_beyond(&self, position: &Cube) -> Result<()> {
        let CubeTables { to_h, bound, exact, .. } = &*self.tables;
        to_h.as_ref().map(|table| table.distance(position)).transpose()?;
        let Some(h_position) = PhaseTwoPosition::of(position) else { return Ok(()) };
        exact.as_ref().map(|table| table.distance(&h_position)).transpose()?;
        bound.as_ref().map(|table| table.distance(&h_position)).transpose()?;
        Ok(())
    }

    /// The tables' results for a position.
    #[inline]
    fn known_distances(&self, located: &LocatedCube) -> Result<KnownDistances> {
        let LocatedCube { held: HeldCube { position, .. }, h_position, .. } = located;
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

    /// The results of the eighteen moves.
    fn moves(
        &self,
        position: &Cube,
        before: &KnownDistances,
        from_solved: FromSolved,
        search: Option<&ExactReport>,
        ctx: &Context,
    ) -> Result<Vec<FaceTurnReport>> {
        let metric = self.tables.metric;
        let nearer = search.and_then(|search| search.nearer.as_deref());
        // So near, a search takes no time.
        let is_near = from_solved.distance.is_some_and(|distance| distance <= NEAR);
        let searcher = self.exact.as_ref().filter(|_| is_near);
        let report = |turn| {
            let located = self.locate(position.turned(turn).into());
            let known = self.known_distances(&located)?.beside(before, metric.cost(turn));
            let distances = CubeDistances::from(known);
            let shown = distances.shown(&located.held.position, metric);
            let mut after = from_solved.after(turn, nearer, shown, metric);
            if let Some(searcher) = searcher.filter(|_| after.distance.is_none()) {
                after = searcher.search(&located.held.position, ctx)?.from_solved.with(after);
            }
            Ok(FaceTurnReport { r#move: turn, from_solved: after, distances })
        };
        Move::all().map(report).collect()
    }
}
