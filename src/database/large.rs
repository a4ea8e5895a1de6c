//! Puzzles that are data and too large for a table.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use super::puzzle_info::PuzzleInfo;
use twistbase_core::error::Result;
use twistbase_definition::{Geometry, Pattern, PuzzleDefinition, Turn};

/// A puzzle without a table: a search answers. Its definition is read when somebody asks.
#[derive(Debug)]
pub(super) struct LargePuzzle {
    pub info: &'static PuzzleInfo,
    definition: OnceLock<PuzzleDefinition>,
    turns: OnceLock<Vec<Turn>>,
    geometry: OnceLock<Option<Arc<Geometry>>>,
}

/// A position of one.
#[derive(Debug, Clone)]
pub(super) struct LargePosition {
    pub puzzle: Arc<LargePuzzle>,
    pub pattern: Arc<Pattern>,
}

impl LargePuzzle {
    /// The puzzle of a list, or that is known by name.
    pub fn of(info: &'static PuzzleInfo) -> Arc<Self> {
        static OPENED: Mutex<Vec<Arc<LargePuzzle>>> = Mutex::new(Vec::new());
        let mut opened = OPENED.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = opened.iter().find(|known| known.info.puzzle == info.puzzle) {
            return Arc::clone(known);
        }
        let new = Arc::new(Self::over(info, OnceLock::new()));
        if PuzzleInfo::is_listed(info.puzzle) {
            opened.push(Arc::clone(&new));
        }
        new
    }

    /// A puzzle of which nobody has heard.
    pub fn new(info: &'static PuzzleInfo, definition: PuzzleDefinition) -> Arc<Self> {
        Arc::new(Self::over(info, OnceLock::from(definition)))
    }

    fn over(info: &'static PuzzleInfo, definition: OnceLock<PuzzleDefinition>) -> Self {
        Self { info, definition, turns: OnceLock::new(), geometry: OnceLock::new() }
    }

    /// Its definition.
    pub fn definition(&self) -> &PuzzleDefinition {
        self.definition
            .get_or_init(|| PuzzleDefinition::named(self.info.puzzle).expect("a puzzle that is known by name"))
    }

    /// Its turns.
    pub fn turns(&self) -> &[Turn] {
        self.turns.get_or_init(|| self.definition().turns())
    }

    /// Its geometry, if it has one.
    pub fn geometry(&self) -> Option<&Arc<Geometry>> {
        let parsed = || {
            let line = &self.definition().geometry;
            (!line.is_empty()).then(|| Arc::new(Geometry::parse(line).expect("the definition comes from this line")))
        };
        self.geometry.get_or_init(parsed).as_ref()
    }
}

impl LargePosition {
    /// The position after moves.
    ///
    /// # Errors
    /// Those of [`PuzzleDefinition::moved`].
    pub fn moved(&self, moves: &str) -> Result<Self> {
        let pattern = Arc::new(self.puzzle.definition().moved(&self.pattern, moves)?);
        Ok(Self { puzzle: Arc::clone(&self.puzzle), pattern })
    }
}

impl PartialEq for LargePosition {
    fn eq(&self, other: &Self) -> bool {
        let is_same = Arc::ptr_eq(&self.puzzle, &other.puzzle)
            || self.puzzle.info.puzzle == other.puzzle.info.puzzle
                && self.puzzle.definition() == other.puzzle.definition();
        is_same && self.pattern == other.pattern
    }
}
