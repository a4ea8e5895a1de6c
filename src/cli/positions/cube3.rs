//! Options about positions of the Rubik's cube.

use clap::builder::{PossibleValuesParser, TypedValueParser};
use twistbase_database::TableId;

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

/// Parses the name of a table of the cube; shells can complete it.
pub fn cube_table() -> impl TypedValueParser<Value = TableId> {
    let tables = TableId::all().filter(|table| table.definition().puzzle() == "cube3");
    PossibleValuesParser::new(tables.map(TableId::name)).try_map(|name| name.parse())
}
