//! Options about positions of the Rubik's cube.

use clap::ValueEnum;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use twistbase_database::{QuestionMetric, TableId};
use twistbase_puzzle::cube3::Metric;

/// Help on what a position may look like.
pub const POSITIONS: &str = "\
A position of cube3 is one of:
  'R U2 F'\\'' M x'           a WCA sequence from solved, like a scramble; also 3Rw,
                             2R (= M'), 2-3r, (R U)3, [R, U] and [r: U]
  UUUUUUUUURRRRRRRRRFFF...   54 facelets, faces in the order U R F D L B; another
                             usual order is accepted and reported
  WWWWWWWWWRRRRRRRRRGGG...   facelets by colours or any six letters; the centres
                             name the faces
  'UF UR UB UL DF ...'       cubies in the order of Singmaster and Reid
  solved, or an empty text   the solved position
A prefix wca:, facelets: or reid: names the notation.";

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
