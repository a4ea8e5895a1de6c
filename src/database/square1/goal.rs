//! Goals of the Square-1 family other than solved: cube shape.

use std::sync::Arc;

use super::prepared::{Located, answer};
use super::style::{Square1Metric, Square1Style};
use crate::answers::Answer;
use crate::lines::Portion;
use crate::look_up::LookUpSolver;
use crate::position::PuzzlePosition;
use crate::puzzle::{Detail, Prepared, Question, Solutions, Solver, count_of};
use crate::puzzle_info::{no_goal, noun_with_goal};
use crate::solving::SolveRequest;
use twistbase_core::context::Context;
use twistbase_core::error::{Error, Result};
use twistbase_puzzle::square1::Colouring;
use twistbase_query::{ShapeEntries, ShapeGoal, Square1Table};
use twistbase_tables::{self as tables, Definition, TwistTable};

/// The names of the goals. Pieces that look alike have no parity.
const GOALS: [(&str, ShapeGoal); 2] =
    [("cube-shape", ShapeGoal::CubeShape), ("cube-shape-parity", ShapeGoal::EvenCubeShape)];

fn goals(definition: &TwistTable) -> impl Iterator<Item = (&'static str, ShapeGoal)> {
    let has_parity = definition.colouring() == Colouring::Square1;
    GOALS.into_iter().filter(move |(_, goal)| *goal == ShapeGoal::CubeShape || has_parity)
}

/// The names of the goals of a puzzle; none of a puzzle of another family.
pub(crate) fn names(puzzle: &str) -> impl Iterator<Item = &'static str> {
    tables::find_twists(puzzle).into_iter().flat_map(goals).map(|(name, _)| name)
}

/// A goal of a puzzle in the notation and metric of a question.
#[derive(Debug)]
pub(super) struct Square1Goal {
    table: Arc<Square1Table<ShapeEntries>>,
    style: Square1Style,
}

impl Square1Goal {
    /// # Errors
    /// [`Error::Usage`] that lists the goals; [`Error::ForeignValue`] for another metric than twists.
    fn new(definition: &'static TwistTable, name: &str, style: Square1Style) -> Result<Self> {
        let puzzle = definition.puzzle();
        let found = goals(definition).find(|(known, _)| known.eq_ignore_ascii_case(name.trim()));
        let (name, goal) = found.ok_or_else(|| no_goal(puzzle, name))?;
        if style.metric != Square1Metric::Twists {
            let (option, value, own) = ("metric", "wca", "twists".to_owned());
            return Err(Error::ForeignValue { option, value, of: noun_with_goal(puzzle), own });
        }
        let style = Square1Style { part: Some(name), ..style };
        Ok(Self { table: Arc::new(Square1Table::of_shapes(definition, goal)), style })
    }
}

/// Makes a goal ready for a question.
///
/// # Errors
/// Those of [`Square1Goal::new`]; [`Error::ForeignOptions`].
pub(super) fn prepare(definition: &'static TwistTable, goal: &str, question: &Question) -> Result<Box<dyn Prepared>> {
    question.refuse_foreign(&noun_with_goal(definition.puzzle()), &["goal", "metric", "notation", "shapes"])?;
    let style = Square1Style::new(definition, question.metric, None, question.notation)?;
    let goal = Square1Goal::new(definition, goal, style)?;
    let Question { detail, limit, shapes, .. } = *question;
    Ok(Box::new(PreparedShape { goal, detail, limit, shapes }))
}

/// Makes a goal ready for solutions.
///
/// # Errors
/// As [`prepare`].
pub(super) fn solver(definition: &'static TwistTable, goal: &str, request: &SolveRequest) -> Result<Box<dyn Solver>> {
    request.refuse_foreign(&noun_with_goal(definition.puzzle()), &["goal", "metric", "notation"])?;
    let style = Square1Style::new(definition, request.metric, None, request.notation)?;
    let goal = Square1Goal::new(definition, goal, style)?;
    let prepared = PreparedShape { goal, detail: Detail::Brief, limit: None, shapes: false };
    Ok(Box::new(LookUpSolver { prepared, noun: "a goal of Square-1", portion: Portion::SHORT_ANSWERS }))
}

/// A goal, and the question.
#[derive(Debug)]
struct PreparedShape {
    goal: Square1Goal,
    detail: Detail,
    limit: Option<u64>,
    shapes: bool,
}

impl Prepared for PreparedShape {
    fn read(&self, input: &str) -> Result<PuzzlePosition> {
        PuzzlePosition::read_square1(self.goal.table.definition(), input)
    }

    fn query_position(&self, position: &PuzzlePosition, input: &str, ctx: &Context) -> Result<Answer> {
        let Square1Goal { table, style } = &self.goal;
        let given = *position.of_square1(table.definition())?;
        let located = Located { given, place: table.place(&given.position) };
        answer(table, *style, self.detail, located, input, ctx)
    }

    fn solutions_of_position(&self, position: &PuzzlePosition, input: &str, _: &Context) -> Result<Solutions> {
        let Square1Goal { table, style } = &self.goal;
        let (definition, style, shapes, input) = (table.definition(), *style, self.shapes, input.to_owned());
        let solutions = style.solutions(Arc::clone(table), &position.of_square1(definition)?.position)?;
        let solutions = solutions.take(count_of(self.limit));
        Ok(Box::new(solutions.map(move |found| Ok(style.report(&input, definition, &found?, shapes)))))
    }
}
