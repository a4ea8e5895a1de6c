//! `twistbase puzzle`: puzzles as data, from files.

mod add;
mod levels;
mod show;

use std::path::PathBuf;

use twistbase_core::error::{Error, Result};
use twistbase_definition::{Ignored, PuzzleDefinition, Restriction};

use crate::definitions::{of_geometry, read};
use crate::environment::Environment;
use crate::failure::Failure;

const EXAMPLES: &str = "\
Examples:
  twistbase puzzle show pyraminx
  twistbase puzzle levels trapdoor.tws --depth 5
  twistbase puzzle add trapdoor.tws
  twistbase puzzle add my-skewb --geometry \"c v 0 hold UFR\"

Files are those of twsearch and ksolve (.tws, .def) or of cubing.js (KPuzzle JSON).
They list the pieces and what each move does. Most twisty puzzles need no file:
--geometry takes one line: a solid, cuts, the held piece and the moves:
  t c o d i    tetrahedron, cube, octahedron, dodecahedron or icosahedron; its faces
               are at distance 1 from the centre
  3x3x2        box of 3 by 3 by 2 pieces: width, depth and height, each 1 to 13. It is
               cut at every unit
  f v e        planes across the axes of faces, vertices or edges, at the distance
               that follows: c f 0.333 is the Rubik's cube, c f 0.5 f 0 the 4x4x4
  hold PIECE   piece that stays, like UF or UFR: where a layer with it would turn, all
               other layers turn back. middle is the inside of the solid: so cube3-slices
               counts M, E and S as one move each
  moves LIST   U, the outermost layer at U; 2U, the one below; Uw or 3Uw, the outermost
               two or three; NAME=LAYERS, with a name of your own; all, every layer
               [default: the layers that do not hold the centre]
  without LIST orbits that the puzzle lacks, like EDGE,CENTER; 'puzzle show' names them
Layers turn clockwise by the smallest angle of their axis. Layers of a box that are no
squares turn by halves: R2, or R for short. A file may hold such a line.

Instead of a file, give the name of a puzzle that is data, a box like 2x3x4, or one of
these: cube3 cube3-slices cube2 4x4x4 5x5x5 domino tower floppy professor-skewb ivy
compy redi helicopter little-chop master-pyraminx professor-pyraminx fto
christophers-jewel trajbers-octahedron megaminx kilominx pentultimate starminx
chopasaurus icosamate.
Steps that people use are goals: --goal star of the megaminx. 'puzzle show' lists them. A
definition in KPuzzle JSON may name its own: \"goals\": {\"star\": \"only UF,UR,UBR,UBL,UL\"}.
Puzzles without a geometry:
  pancake-N    a stack of 2 to 255: 5F flips the upper five
  topspin-N-K  a ring of N pieces: L and R shift them, F flips the first K";

/// Read, convert and add puzzles from files or from their geometry
///
/// Shows what follows from the moves, converts or draws the puzzle, counts positions by their distance, or adds the
/// puzzle to those with tables.
#[derive(Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub struct Args {
    #[command(subcommand)]
    command: Command,
}

commands! { Command:
    Show(show::Args) => show::run,
    Levels(levels::Args) => levels::run,
    Add(add::Args) => add::run,
    Remove(add::RemoveArgs) => add::remove,
}

pub fn run(args: Args, env: &Environment) -> std::result::Result<(), Failure> {
    args.command.run(env)
}

/// The definition that a command reads.
#[derive(Debug, clap::Args)]
struct Source {
    /// Definition file; - for standard input; or a puzzle that is known, like pyraminx
    #[arg(value_name = "FILE", value_hint = clap::ValueHint::FilePath, required_unless_present = "geometry")]
    file: Option<PathBuf>,

    #[command(flatten)]
    shape: Shape,
}

#[derive(Debug, Clone, clap::Args)]
struct Shape {
    /// Solid, cuts and moves instead of a file, like "c v 0" (see twistbase help puzzle)
    #[arg(long, value_name = "LINE")]
    geometry: Option<String>,

    /// Solve with these moves only, like R,U2
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    moves: Option<Vec<String>>,

    /// Count a half turn as two
    #[arg(long)]
    quarter_turns: bool,

    /// Pieces that matter, like DF,DR,DB,DL; ignores all others
    ///
    /// With EDGE:orientations in the list, all edges must be oriented. FR=FL=BL=BR are pieces
    /// that may take each other's places. Without a geometry, EDGE-l5 is the piece of place 5
    /// (from 0) of the orbit EDGE.
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    only: Option<Vec<String>>,

    /// Orbits whose pieces do not matter, like CENTER or EDGE:orientations
    ///
    /// EDGE:places ignores which edge is where; EDGE:orientations ignores flips; EDGE does
    /// both. 'puzzle show' lists the orbits.
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    ignore: Vec<Ignored>,

    /// Count as solved what these moves alone solve, like U2,R2
    ///
    /// With U2,D2,R2,L2,F2,B2 each position that half turns solve counts as solved. The moves
    /// are those of the whole puzzle, or short sequences like "R U R'".
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    up_to: Option<Vec<String>>,

    /// Goal instead of solved: a name, like star, or its restriction, like "only UF,UR"
    ///
    /// 'puzzle show' lists the goals. A restriction has the words of the options above: only,
    /// ignore, moves, up-to and quarter-turns.
    #[arg(long, value_name = "GOAL", conflicts_with_all = ["moves", "only", "ignore", "up_to"])]
    goal: Option<String>,
}

impl Shape {
    /// The restriction of a puzzle.
    fn restriction(&self, whole: &PuzzleDefinition) -> Result<Restriction> {
        let Self { moves, quarter_turns, only, ignore, up_to, goal, .. } = self.clone();
        match goal {
            None => Ok(Restriction { moves, quarter_turns, pieces: only, ignored: ignore, up_to }),
            Some(goal) => {
                let restriction = whole.goal(&goal)?;
                Ok(Restriction { quarter_turns: quarter_turns || restriction.quarter_turns, ..restriction })
            }
        }
    }
}

impl Source {
    fn read(&self) -> Result<PuzzleDefinition> {
        let whole = match (&self.file, &self.shape.geometry) {
            (Some(_), Some(_)) => return Err(Error::Usage("give a file or --geometry, not both".to_owned())),
            (Some(file), None) => read(file)?,
            (None, line) => of_geometry(line.as_deref().unwrap_or_default())?,
        };
        whole.restricted(&self.shape.restriction(&whole)?)
    }
}

#[cfg(test)]
mod tests {
    use twistbase_definition::Geometry;

    use super::*;

    #[test]
    fn the_help_lists_the_geometries_that_are_known() {
        let words: Vec<&str> = EXAMPLES.split([' ', '\n', '.']).collect();
        assert!(Geometry::names().all(|name| words.contains(&name)));
    }
}
