//! Questions about the Square-1 family, answered by a table and, beyond its depth, by a search.

use std::sync::Arc;

use super::beyond::{BeyondSearch, DeepenedTable, Reach};
use super::style::{SharedSquare1Table, Square1Metric, Square1Style};
use crate::answers::square1::{NextMoves, Square1Answer};
use crate::answers::{Answer, BriefAnswer};
use crate::metric::BoundInMetric;
use crate::position::PuzzlePosition;
use crate::puzzle::{Detail, Prepared, Solutions, count_of, query_in_brief};
use crate::solving::{ExactSearch, SearchBudget, Shortfall};
use crate::waves::query_in_waves;
use twistbase_core::context::Context;
use twistbase_core::error::{Error, Result};
use twistbase_puzzle::square1::notation::read_list;
use twistbase_puzzle::square1::{Middle, Place, Position};
use twistbase_query::{GivenPosition, Square1Solution, Square1Table, WcaDistances, index_of, parse};
use twistbase_store::Entries;
use twistbase_tables::Definition;

/// A table that answers a question.
#[derive(Debug)]
pub(super) struct PreparedSquare1 {
    pub table: SharedSquare1Table,
    pub detail: Detail,
    pub limit: Option<u64>,
    pub shapes: bool,
    pub beyond: Option<BeyondQuestion>,
    pub style: Square1Style,
}

/// A position, and its place in the table.
#[derive(Debug, Clone, Copy)]
pub(super) struct Located {
    pub given: GivenPosition,
    pub place: Place,
}

/// The search beyond the depth of a table.
#[derive(Debug, Clone, Copy)]
pub(super) struct BeyondQuestion {
    search: BeyondSearch,
    /// Whether it must be short.
    is_cheap: bool,
}

impl BeyondQuestion {
    pub fn new(style: Square1Style, exact: ExactSearch) -> Self {
        let (budget, is_cheap) = match exact {
            ExactSearch::WhereCheap => (SearchBudget { nodes: Some(CHEAP_NODES), ..SearchBudget::default() }, true),
            ExactSearch::Within(budget) => (budget, false),
        };
        Self { search: BeyondSearch::new(style, budget), is_cheap }
    }

    /// The search for one of many positions at once.
    fn side_by_side(self) -> Self {
        Self { search: self.search.side_by_side(), ..self }
    }
}

/// Maximum number of positions that a short search beyond a table's depth expands.
const CHEAP_NODES: u64 = 50_000;

impl PreparedSquare1 {
    /// The table, on request extended by a search around a position that it does not hold.
    ///
    /// # Errors
    /// Those of the search; [`Error::Data`] (bounded) and [`Error::Budget`] at its limit.
    fn searched(
        &self,
        beyond: Option<BeyondQuestion>,
        position: &Position,
        neighbours: bool,
        ctx: &Context,
    ) -> Result<Option<Box<DeepenedTable>>> {
        let Some(BeyondQuestion { search, is_cheap }) = beyond else { return Ok(None) };
        let search = BeyondSearch { neighbours, ..search };
        match search.reach(&self.table, position, ctx)? {
            Reach::Table => Ok(None),
            Reach::Searched(table) => Ok(Some(table)),
            Reach::AtLeast(_) if ctx.is_cancelled() => Err(Error::Interrupted),
            Reach::AtLeast(BoundInMetric { at_least, .. }) if is_cheap => {
                let (definition, depth) = (self.table.definition(), self.table.entries().depth().unwrap_or_default());
                let metric = definition.metric();
                Err(definition.layout().far_beyond(&metric.count(depth.into()), &metric.count(at_least.into())))
            }
            Reach::AtLeast(bound) => Err(Error::Budget(Shortfall::NoDistance { bound }.to_string())),
        }
    }

    /// Locates a position in the table.
    fn locate(&self, given: GivenPosition) -> Located {
        Located { given, place: self.table.place(&given.position) }
    }

    /// Like [`Self::locate`], but faster for a position in the usual notation.
    #[inline]
    fn locate_briefly(&self, input: &str) -> Result<(Place, Middle)> {
        let definition = self.table.definition();
        Ok(match read_list(input) {
            Some((list, middle)) => (definition.coordinate().place_of_list(&list), middle.unwrap_or(Middle::Square)),
            None => {
                let GivenPosition { position, .. } = parse(definition, input)?;
                (self.table.place(&position), position.middle())
            }
        })
    }

    /// The answer about a position.
    fn query_located(
        &self,
        located: Located,
        input: &str,
        beyond: Option<BeyondQuestion>,
        ctx: &Context,
    ) -> Result<Answer> {
        match self.searched(beyond, &located.given.position, self.detail == Detail::Full, ctx)? {
            Some(table) => answer(&Arc::from(table), self.style, self.detail, located, input, ctx),
            None => answer(&self.table, self.style, self.detail, located, input, ctx),
        }
    }
}

/// The answer of a table about a position.
pub(super) fn answer<E: Entries + Send + 'static>(
    table: &Arc<Square1Table<E>>,
    style: Square1Style,
    detail: Detail,
    Located { given, place }: Located,
    input: &str,
    ctx: &Context,
) -> Result<Answer> {
    let Square1Style { metric, goal, notation, part } = style;
    let (position, full) = (&given.position, detail == Detail::Full);
    let first = || style.first(Arc::clone(table), position).map(|first| notation.write(first.sequence()));
    let (distance, solutions, moves) = match metric {
        Square1Metric::Twists => {
            let distance = table.distance_at(place, position.middle(), goal)?.twists();
            let solutions = full.then(|| table.count(position, goal, ctx)).transpose()?;
            (distance, solutions, full.then(|| table.moves(position, goal).map(NextMoves::Twists)).transpose()?)
        }
        Square1Metric::Wca => {
            let wca = WcaDistances::new(&**table);
            let distance = wca.distance(position)?.moves();
            let solutions = full.then(|| wca.count(position, ctx)).transpose()?;
            (distance, solutions, full.then(|| wca.moves(position).map(NextMoves::Wca)).transpose()?)
        }
    };
    Ok(Answer::Square1(Square1Answer {
        input: input.to_owned(),
        definition: table.definition(),
        index: index_of(table.definition(), place),
        given,
        distance,
        goal: part,
        solution: full.then(first).transpose()?,
        solutions,
        moves,
        metric: metric.into(),
        middle_goal: goal,
        notation,
    }))
}

impl Prepared for PreparedSquare1 {
    fn read(&self, input: &str) -> Result<PuzzlePosition> {
        PuzzlePosition::read_square1(self.table.definition(), input)
    }

    fn query_position(&self, position: &PuzzlePosition, input: &str, ctx: &Context) -> Result<Answer> {
        let given = *position.of_square1(self.table.definition())?;
        self.query_located(self.locate(given), input, self.beyond, ctx)
    }

    fn may_search(&self) -> bool {
        // A complete table leaves nothing to search.
        self.beyond.is_some() && self.table.entries().depth().is_some()
    }

    fn query_many(&self, inputs: &[&str], ctx: &Context, each: &mut dyn FnMut(&str, Result<Answer>)) {
        let beyond = self.beyond.map(BeyondQuestion::side_by_side);
        let locate = |input: &str| parse(self.table.definition(), input).map(|given| self.locate(given));
        let prefetch = |located: &Located| self.table.prefetch(located.place);
        query_in_waves(
            inputs,
            locate,
            prefetch,
            |&located, input| self.query_located(located, input, beyond, ctx),
            each,
        );
    }

    fn query_many_briefly(&self, inputs: &[&str], ctx: &Context, each: &mut dyn FnMut(&str, Result<BriefAnswer>)) {
        if self.style.metric != Square1Metric::Twists || self.beyond.is_some() {
            return query_in_brief(self, inputs, ctx, each);
        }
        let distance = |&(place, middle): &(Place, Middle), _: &str| {
            Ok(BriefAnswer::Distance(Some(self.table.distance_at(place, middle, self.style.goal)?.twists())))
        };
        let prefetch = |&(place, _): &(Place, Middle)| self.table.prefetch(place);
        query_in_waves(inputs, |input| self.locate_briefly(input), prefetch, distance, each);
    }

    fn solutions_of_position(&self, position: &PuzzlePosition, input: &str, ctx: &Context) -> Result<Solutions> {
        let position = &position.of_square1(self.table.definition())?.position;
        let solutions = match self.searched(self.beyond, position, false, ctx)? {
            Some(table) => self.style.solutions(Arc::from(table), position)?,
            None => self.style.solutions(Arc::clone(&self.table), position)?,
        };
        let limit = count_of(self.limit);
        let (input, definition, style, shapes) = (input.to_owned(), self.table.definition(), self.style, self.shapes);
        let report = move |found: Result<Square1Solution>| Ok(style.report(&input, definition, &found?, shapes));
        Ok(Box::new(solutions.take(limit).map(report)))
    }
}
