//! Goals of the cubes other than solved, as data: what of the cube matters, and by which moves. The 2×2×2 has the corners of the 3×3×3.
//!
//! Places, pieces and orientations are those of a [`Cube`]: an edge is oriented if it can be solved without quarter turns of F and B, a
//! corner if its sticker of U or D is on U or D.

use crate::published::published;
use std::sync::LazyLock;

use serde_json::json;

use super::defined::DefinedTable;
use twistbase_definition::{Pattern, PuzzleDefinition, PuzzleSpace, Restriction, SpacePosition};
use twistbase_puzzle::cube3::{CORNER_NAMES, CORNERS, Cube, EDGE_NAMES, EDGES, Face, Metric, Move};

/// What a goal of a cube is.
#[derive(Debug, Clone, Copy)]
pub struct CubeGoal {
    /// The puzzle: `cube3` or `cube2`.
    pub puzzle: &'static str,
    /// Its name, without that of the puzzle.
    pub name: &'static str,
    /// The face that it is named by when the cube is held otherwise: `cross:R`, `eo:UD`.
    pub face: Face,
    /// The pieces that matter, separated by commas: `UF` for a piece, `UF=UB` for pieces that count as alike, `EDGE:orientations` for the
    /// orientations of all others. All pieces if empty.
    pub only: &'static str,
    /// The moves; all if empty.
    pub moves: &'static str,
    /// The moves that may be left to do at the goal.
    pub(super) up_to: &'static str,
    /// How moves are counted.
    pub metric: Metric,
}

/// The 2×2×2 is held by its corner DBL.
const CUBE2_MOVES: &str = "U,R,F";
const EO_MOVES: &str = "U,D,R,L,F2,B2";
const DR_MOVES: &str = "U,D,R2,L2,F2,B2";
/// Domino reduction: all orientations, and the middle edges in their places.
const REDUCED: &str = "FR=FL=BL=BR,EDGE:orientations,CORNER:orientations";
const HALF_TURNS: &str = "U2,D2,R2,L2,F2,B2";
/// What floppy reduction leaves: the cube turns like one of 3×3×1.
const FLOPPY_MOVES: &str = "R2,L2,F2,B2";
/// All pieces but the edges between U and D.
const ALL_BUT_SLICE: &str = "UF,UR,UB,UL,DF,DR,DB,DL,URF,UFL,ULB,UBR,DFR,DLF,DBL,DRB";

// Goals that are counted in both metrics.
const CROSS: CubeGoal = CubeGoal { only: "DF,DR,DB,DL", ..CubeGoal::on("cross", Face::D) };
const BLOCK_222: CubeGoal = CubeGoal { only: "DB,DL,BL,DBL", ..CubeGoal::on("block-222", Face::D) };
const ROUX_BLOCK: CubeGoal = CubeGoal { only: "DL,FL,BL,DLF,DBL", ..CubeGoal::on("roux-block", Face::L) };
const EO: CubeGoal = CubeGoal { only: "EDGE:orientations", ..CubeGoal::on("eo", Face::F) };
const LINE: CubeGoal = CubeGoal { only: "DF,DB", ..CubeGoal::on("line", Face::D) };
const EO_LINE: CubeGoal = CubeGoal { only: "DF,DB,EDGE:orientations", ..CubeGoal::on("eo-line", Face::D) };
const EO_CROSS: CubeGoal = CubeGoal { only: "DF,DR,DB,DL,EDGE:orientations", ..CubeGoal::on("eo-cross", Face::D) };
const CO: CubeGoal = CubeGoal { only: "CORNER:orientations", ..CubeGoal::on("co", Face::U) };
const CORNERS_SOLVED: CubeGoal =
    CubeGoal { only: "URF,UFL,ULB,UBR,DFR,DLF,DBL,DRB", ..CubeGoal::on("corners", Face::U) };
const CUBE2_FACE: CubeGoal = CubeGoal { only: "DFR=DLF=DBL=DRB", ..CubeGoal::on_cube2("face", Face::D) };
const CUBE2_LAYER: CubeGoal = CubeGoal { only: "DFR,DLF,DBL,DRB", ..CubeGoal::on_cube2("layer", Face::D) };
const CUBE2_CO: CubeGoal = CubeGoal { only: "CORNER:orientations", ..CubeGoal::on_cube2("co", Face::U) };
const CUBE2_OLL: CubeGoal =
    CubeGoal { only: "DFR=DLF=DBL=DRB,CORNER:orientations", ..CubeGoal::on_cube2("oll", Face::D) };

/// The goals of the cubes in the half-turn metric, those of the Rubik's cube first, the quick ones first.
pub(super) static GOALS: [DefinedTable; 22] = [
    DefinedTable::goal(
        ["cube3-cross", "Cross", "Rubik's cube to the cross on D"],
        CROSS,
        (1, 190_080, 95_168, [237, 205, 127, 39, 23, 157]),
        published("cube3-cross"),
    ),
    DefinedTable::goal(
        ["cube3-xcross", "Cross and a pair", "Rubik's cube to the cross on D and the pair at FR"],
        CubeGoal { only: "DF,DR,DB,DL,FR,DFR", ..CubeGoal::on("xcross", Face::D) },
        (95_040, 768, 48_660_480, [73, 188, 228, 58, 141, 14]),
        published("cube3-xcross"),
    ),
    DefinedTable::goal(
        ["cube3-block-222", "2x2x2 block", "Rubik's cube to the 2x2x2 block at DBL"],
        BLOCK_222,
        (1, 253_440, 126_848, [67, 246, 143, 235, 121, 243]),
        published("cube3-block-222"),
    ),
    DefinedTable::goal(
        ["cube3-roux-block", "1x2x3 block", "Rubik's cube to the 1x2x3 block on L, the first of Roux"],
        ROUX_BLOCK,
        (504, 10_560, 2_725_632, [244, 248, 168, 161, 202, 199]),
        published("cube3-roux-block"),
    ),
    DefinedTable::goal(
        ["cube3-eo", "Oriented edges", "Rubik's cube to oriented edges (F and B)"],
        EO,
        (1, 2_048, 1_152, [104, 192, 17, 233, 16, 63]),
        published("cube3-eo"),
    ),
    DefinedTable::goal(
        ["cube3-line", "Line", "Rubik's cube to the line DF, DB"],
        LINE,
        (1, 528, 416, [192, 186, 203, 80, 106, 207]),
        published("cube3-line"),
    ),
    DefinedTable::goal(
        ["cube3-eo-line", "Oriented edges and line", "Rubik's cube to oriented edges and the line"],
        EO_LINE,
        (1, 270_336, 135_296, [12, 233, 92, 202, 251, 35]),
        published("cube3-eo-line"),
    ),
    DefinedTable::goal(
        ["cube3-eo-cross", "Oriented edges and cross", "Rubik's cube to oriented edges and the cross"],
        EO_CROSS,
        (2_048, 11_880, 12_451_840, [59, 236, 95, 229, 221, 40]),
        published("cube3-eo-cross"),
    ),
    DefinedTable::goal(
        ["cube3-co", "Oriented corners", "Rubik's cube to oriented corners (U and D)"],
        CO,
        (1, 2_187, 1_248, [73, 253, 149, 103, 106, 123]),
        published("cube3-co"),
    ),
    DefinedTable::goal(
        ["cube3-corners", "Corners", "Rubik's cube to solved corners"],
        CORNERS_SOLVED,
        (2_187, 40_320, 44_369_856, [229, 163, 41, 167, 250, 67]),
        published("cube3-corners"),
    ),
    DefinedTable::goal(
        ["cube3-dr-from-eo", "Domino reduction", "Rubik's cube to domino reduction (U and D), edges oriented"],
        CubeGoal { only: REDUCED, moves: EO_MOVES, ..CubeGoal::on("dr-from-eo", Face::U) },
        (495, 2_187, 617_760, [3, 242, 219, 216, 205, 251]),
        published("cube3-dr-from-eo"),
    ),
    DefinedTable::goal(
        ["cube3-htr-from-dr", "Half-turn reduction", "Rubik's cube to half-turn reduction, from domino reduction"],
        CubeGoal { moves: DR_MOVES, up_to: HALF_TURNS, ..CubeGoal::on("htr-from-dr", Face::U) },
        (1, 29_400, 14_848, [118, 151, 247, 100, 134, 80]),
        published("cube3-htr-from-dr"),
    ),
    DefinedTable::goal(
        ["cube3-half-turns", "Half turns", "Rubik's cube, solved by half turns"],
        CubeGoal { moves: HALF_TURNS, ..CubeGoal::on("half-turns", Face::U) },
        (1, 663_552, 331_904, [153, 199, 160, 204, 213, 27]),
        published("cube3-half-turns"),
    ),
    DefinedTable::goal(
        [
            "cube3-fr-from-htr",
            "Floppy reduction",
            "Rubik's cube to floppy reduction (U and D), from half-turn reduction",
        ],
        CubeGoal { moves: HALF_TURNS, up_to: FLOPPY_MOVES, ..CubeGoal::on("fr-from-htr", Face::U) },
        (1, 3_456, 1_856, [93, 202, 38, 228, 63, 187]),
        published("cube3-fr-from-htr"),
    ),
    DefinedTable::goal(
        ["cube3-fr-leave-slice", "Floppy reduction but for a slice", "the same, the edges between U and D anywhere"],
        CubeGoal {
            only: ALL_BUT_SLICE,
            moves: HALF_TURNS,
            up_to: FLOPPY_MOVES,
            ..CubeGoal::on("fr-leave-slice", Face::U)
        },
        (1, 288, 288, [172, 200, 103, 132, 190, 100]),
        published("cube3-fr-leave-slice"),
    ),
    DefinedTable::goal(
        ["cube3-fr-finish", "Half turns of four faces", "Rubik's cube, solved by half turns of R, L, F and B"],
        CubeGoal { moves: FLOPPY_MOVES, ..CubeGoal::on("fr-finish", Face::U) },
        (1, 192, 224, [39, 223, 89, 234, 148, 12]),
        published("cube3-fr-finish"),
    ),
    DefinedTable::goal(
        [
            "cube3-finish-leave-slice",
            "Half turns but for a slice",
            "Rubik's cube, solved by half turns but for the edges between U and D",
        ],
        CubeGoal { only: ALL_BUT_SLICE, moves: HALF_TURNS, ..CubeGoal::on("finish-leave-slice", Face::U) },
        (1, 55_296, 27_776, [114, 199, 58, 175, 206, 228]),
        published("cube3-finish-leave-slice"),
    ),
    DefinedTable::goal(
        ["cube3-2gen", "Two faces", "Rubik's cube, solved by turns of R and U"],
        CubeGoal { moves: "R,U", ..CubeGoal::on("2gen", Face::U) },
        (243, 604_800, 73_747_584, [230, 151, 90, 79, 89, 176]),
        published("cube3-2gen"),
    ),
    DefinedTable::goal(
        ["cube2-face", "Face", "2x2x2 cube to a face of one colour on D"],
        CUBE2_FACE,
        (1, 945, 608, [30, 188, 126, 140, 227, 202]),
        published("cube2-face"),
    ),
    DefinedTable::goal(
        ["cube2-layer", "Layer", "2x2x2 cube to the solved layer on D"],
        CUBE2_LAYER,
        (1, 5_670, 2_976, [236, 213, 236, 127, 234, 112]),
        published("cube2-layer"),
    ),
    DefinedTable::goal(
        ["cube2-co", "Oriented corners", "2x2x2 cube to oriented corners (U and D)"],
        CUBE2_CO,
        (1, 729, 512, [220, 158, 33, 169, 72, 208]),
        published("cube2-co"),
    ),
    DefinedTable::goal(
        ["cube2-oll", "Both faces", "2x2x2 cube to faces of one colour on U and on D"],
        CUBE2_OLL,
        (1, 25_515, 13_568, [181, 195, 8, 43, 127, 144]),
        published("cube2-oll"),
    ),
];

/// The goals in the quarter-turn metric: no moves are half turns alone.
pub(super) static QUARTER_TURN_GOALS: [DefinedTable; 13] = [
    DefinedTable::goal(
        ["cube3-cross-qtm", "Cross", "Rubik's cube to the cross on D, in quarter turns"],
        CROSS.in_quarter_turns(),
        (1, 190_080, 95_168, [3, 241, 155, 13, 164, 7]),
        published("cube3-cross-qtm"),
    ),
    DefinedTable::goal(
        ["cube3-block-222-qtm", "2x2x2 block", "Rubik's cube to the 2x2x2 block at DBL, in quarter turns"],
        BLOCK_222.in_quarter_turns(),
        (1, 253_440, 126_848, [91, 247, 129, 63, 111, 130]),
        published("cube3-block-222-qtm"),
    ),
    DefinedTable::goal(
        ["cube3-roux-block-qtm", "1x2x3 block", "Rubik's cube to the 1x2x3 block on L, in quarter turns"],
        ROUX_BLOCK.in_quarter_turns(),
        (504, 10_560, 2_725_632, [170, 241, 143, 7, 101, 28]),
        published("cube3-roux-block-qtm"),
    ),
    DefinedTable::goal(
        ["cube3-eo-qtm", "Oriented edges", "Rubik's cube to oriented edges (F and B), in quarter turns"],
        EO.in_quarter_turns(),
        (1, 2_048, 1_152, [84, 230, 193, 67, 196, 169]),
        published("cube3-eo-qtm"),
    ),
    DefinedTable::goal(
        ["cube3-line-qtm", "Line", "Rubik's cube to the line DF, DB, in quarter turns"],
        LINE.in_quarter_turns(),
        (1, 528, 416, [188, 250, 147, 244, 178, 132]),
        published("cube3-line-qtm"),
    ),
    DefinedTable::goal(
        [
            "cube3-eo-line-qtm",
            "Oriented edges and line",
            "Rubik's cube to oriented edges and the line, in quarter turns",
        ],
        EO_LINE.in_quarter_turns(),
        (1, 270_336, 135_296, [2, 131, 31, 235, 0, 197]),
        published("cube3-eo-line-qtm"),
    ),
    DefinedTable::goal(
        [
            "cube3-eo-cross-qtm",
            "Oriented edges and cross",
            "Rubik's cube to oriented edges and the cross, in quarter turns",
        ],
        EO_CROSS.in_quarter_turns(),
        (2_048, 11_880, 12_451_840, [216, 245, 15, 79, 70, 187]),
        published("cube3-eo-cross-qtm"),
    ),
    DefinedTable::goal(
        ["cube3-co-qtm", "Oriented corners", "Rubik's cube to oriented corners (U and D), in quarter turns"],
        CO.in_quarter_turns(),
        (1, 2_187, 1_248, [215, 189, 187, 93, 117, 37]),
        published("cube3-co-qtm"),
    ),
    DefinedTable::goal(
        ["cube3-corners-qtm", "Corners", "Rubik's cube to solved corners, in quarter turns"],
        CORNERS_SOLVED.in_quarter_turns(),
        (2_187, 40_320, 44_369_856, [60, 233, 224, 85, 127, 88]),
        published("cube3-corners-qtm"),
    ),
    DefinedTable::goal(
        ["cube2-face-qtm", "Face", "2x2x2 cube to a face of one colour on D, in quarter turns"],
        CUBE2_FACE.in_quarter_turns(),
        (1, 945, 608, [152, 206, 177, 20, 99, 196]),
        published("cube2-face-qtm"),
    ),
    DefinedTable::goal(
        ["cube2-layer-qtm", "Layer", "2x2x2 cube to the solved layer on D, in quarter turns"],
        CUBE2_LAYER.in_quarter_turns(),
        (1, 5_670, 2_976, [102, 210, 25, 139, 152, 151]),
        published("cube2-layer-qtm"),
    ),
    DefinedTable::goal(
        ["cube2-co-qtm", "Oriented corners", "2x2x2 cube to oriented corners (U and D), in quarter turns"],
        CUBE2_CO.in_quarter_turns(),
        (1, 729, 512, [172, 181, 253, 102, 115, 45]),
        published("cube2-co-qtm"),
    ),
    DefinedTable::goal(
        ["cube2-oll-qtm", "Both faces", "2x2x2 cube to faces of one colour on U and on D, in quarter turns"],
        CUBE2_OLL.in_quarter_turns(),
        (1, 25_515, 13_568, [77, 240, 88, 55, 192, 175]),
        published("cube2-oll-qtm"),
    ),
];

/// Domino reduction by all moves. It has no table of its own: `phase1` holds its distances.
pub static DOMINO_REDUCTION: CubeGoal = CubeGoal { only: REDUCED, ..CubeGoal::on("dr", Face::U) };

/// The cube as a puzzle that is data, with the pieces and orientations of [`Cube`].
pub fn cube_definition() -> &'static PuzzleDefinition {
    static CUBE: LazyLock<PuzzleDefinition> = LazyLock::new(|| {
        let orbits = |cube: &Cube, [from, twist]: [&str; 2]| {
            let orbit = |from_places, twists| json!({ from: from_places, twist: twists });
            let corners = orbit(&cube.corners()[..], &cube.corner_orientations()[..]);
            json!({ "CORNER": corners, "EDGE": orbit(&cube.edges()[..], &cube.edge_orientations()[..]) })
        };
        let turn = |face| orbits(&Move::new(face, 1).cube(), ["permutation", "orientationDelta"]);
        let turns: Vec<_> = Face::ALL.map(|face| format!(r#""{}":{}"#, face.letter(), turn(face))).into();
        let of = |name, pieces, orientations| json!({ "orbitName": name, "numPieces": pieces, "numOrientations": orientations });
        let text = format!(
            r#"{{"orbits":{},"defaultPattern":{},"moves":{{{}}}}}"#,
            json!([of("CORNER", CORNERS, 3), of("EDGE", EDGES, 2)]),
            orbits(&Cube::SOLVED, ["pieces", "orientation"]),
            turns.join(",")
        );
        PuzzleDefinition::parse(&text).expect("the cube is a puzzle")
    });
    &CUBE
}

/// A piece by its name, as definitions without a geometry name it.
fn piece_id(name: &str) -> String {
    let at = |names: &[&str]| names.iter().position(|known| *known == name);
    match (at(&CORNER_NAMES), at(&EDGE_NAMES)) {
        (Some(corner), _) => format!("CORNER-l{corner}"),
        (_, Some(edge)) => format!("EDGE-l{edge}"),
        _ => name.to_owned(),
    }
}

impl CubeGoal {
    /// The faces of the corner that the goal is at, if all its pieces have stickers of these alone.
    pub fn corner(&self) -> Option<[Face; 3]> {
        let corner = self.only.split(',').find(|piece| piece.len() == 3)?;
        let is_beside = |piece: &str| piece.chars().all(|letter| corner.contains(letter));
        let faces: Vec<Face> = corner.chars().map(Face::from_letter).collect::<Option<_>>()?;
        faces.try_into().ok().filter(|_| self.only.split(',').all(is_beside))
    }

    /// All of the cube, by all moves.
    const fn on(name: &'static str, face: Face) -> Self {
        Self { puzzle: "cube3", name, face, only: "", moves: "", up_to: "", metric: Metric::Htm }
    }

    /// A goal of the 2×2×2, by all moves.
    const fn on_cube2(name: &'static str, face: Face) -> Self {
        Self { puzzle: "cube2", moves: CUBE2_MOVES, ..Self::on(name, face) }
    }

    /// The same, counted in quarter turns.
    const fn in_quarter_turns(self) -> Self {
        Self { metric: Metric::Qtm, ..self }
    }

    /// The puzzle that is solved where the goal is reached, by the name of its table.
    pub(super) fn definition(&self, name: &str) -> PuzzleDefinition {
        let list = |text: &str| text.split(',').filter(|word| !word.is_empty()).map(str::to_owned).collect::<Vec<_>>();
        let ids = |piece: String| piece.split('=').map(piece_id).collect::<Vec<_>>().join("=");
        let given = |list: Vec<String>| (!list.is_empty()).then_some(list);
        let restriction = Restriction {
            moves: given(list(self.moves)),
            pieces: given(list(self.only).into_iter().map(ids).collect()),
            up_to: given(list(self.up_to)),
            ..Restriction::default()
        };
        let mut definition =
            cube_definition().restricted(&restriction).expect("goals name pieces and moves of the cube");
        name.clone_into(&mut definition.name);
        definition
    }

    /// A position of the cube as one of the goal's puzzle; `None` if no moves of the goal lead from it there. Where
    /// it is one, they need not either: the table says so.
    pub fn position(&self, space: &PuzzleSpace, position: &Cube) -> Option<SpacePosition> {
        space.position_of(&cube_definition().position_in(space.definition(), &cube_pattern(position)))
    }
}

/// A position of the cube as one of [`cube_definition`].
pub fn cube_pattern(position: &Cube) -> Pattern {
    Pattern {
        pieces: [&position.corners()[..], position.edges()].concat(),
        twist: [&position.corner_orientations()[..], position.edge_orientations()].concat(),
        period: [&[3; CORNERS][..], &[2; EDGES]].concat(),
    }
}
