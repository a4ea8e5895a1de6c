//! Options about positions of the Rubik's cube.

use clap::ValueEnum;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use twistbase_database::{QuestionMetric, TableId};
use twistbase_puzzle::cube3::Metric;

/// Help on what a position may look like.
pub(super) const POSITIONS: &str = "\
A position of cube3 is one of:
  'R U2 F'\\'' M x'           a WCA sequence from solved, as scrambles are written;
                             3Rw, 2R (= M'), 2-3r, (R U)3, [R, U] and [r: U], too
  UUUUUUUUURRRRRRRRRFFF...   54 facelets, faces in the order U R F D L B; or in
                             another usual order, which is reported
  WWWWWWWWWRRRRRRRRRGGG...   the same by colours or any six letters; the centres
                             show which face each is
  'UF UR UB UL DF ...'       cubies in the order of Singmaster and Reid
  solved                     or no text at all
wca:, facelets: or reid: before a text names its notation.";

/// How moves of a cube are counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum MetricArg {
    /// Half-turn metric: every turn of a face is one move
    Htm,
    /// Quarter-turn metric: a half turn is two moves
    Qtm,
}

impl From<MetricArg> for QuestionMetric {
    fn from(metric: MetricArg) -> Self {
        Metric::from(metric).into()
    }
}

impl From<MetricArg> for Metric {
    fn from(metric: MetricArg) -> Self {
        match metric {
            MetricArg::Htm => Self::Htm,
            MetricArg::Qtm => Self::Qtm,
        }
    }
}

/// Parses the name of a table of the cube; shells can complete it.
pub fn cube_table() -> impl TypedValueParser<Value = TableId> {
    let tables = TableId::all().filter(|table| table.definition().puzzle() == "cube3");
    PossibleValuesParser::new(tables.map(TableId::name)).try_map(|name| name.parse())
}
