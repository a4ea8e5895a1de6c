//! Geometries that people know by a name. Most of these puzzles have too many positions for a table.

/// Names, names to show to people, and lines.
pub(super) const KNOWN: [[&str; 3]; 25] = [
    ["cube3", "Rubik's cube", "c f 0.333333333333333"],
    [
        "cube3-slices",
        "Rubik's cube, turns of middle layers one move",
        "c f 0.333333333333333 hold middle moves U,D,R,L,F,B,M=2L,E=2D,S=2F",
    ],
    ["cube2", "2×2×2 cube", "c f 0 hold DBL"],
    ["4x4x4", "4×4×4 cube", "c f 0.5 f 0"],
    ["5x5x5", "5×5×5 cube", "c f 0.6 f 0.2"],
    ["professor-skewb", "Professor Skewb", "c v 0 v 0.38"],
    ["ivy", "Ivy cube", "c v 0 moves R=UBR,L=UFL,D=DFR,B=DBL without CORNER"],
    ["compy", "Compy cube", "c v 0.915641442663986"],
    ["redi", "Redi cube", "c v 0.866025403784439"],
    ["helicopter", "Helicopter cube", "c e 0.707106781186547"],
    ["little-chop", "Little Chop", "c e 0"],
    ["master-pyraminx", "Master Pyraminx", "t v 0 v 1 v 2"],
    ["professor-pyraminx", "Professor Pyraminx", "t v -0.2 v 0.6 v 1.4 v 2.2"],
    ["fto", "Face-turning octahedron", "o f 0.333333333333333"],
    ["christophers-jewel", "Christopher's jewel", "o v 0.577350269189626"],
    ["trajbers-octahedron", "Trajber's octahedron", "o v 0.433012701892219"],
    ["megaminx", "Megaminx", "d f 0.7"],
    ["kilominx", "Kilominx", "d f 0.618 hold UFR without EDGE,CENTER"],
    ["pentultimate", "Pentultimate", "d f 0"],
    ["starminx", "Starminx", "d f 0.23606797749979"],
    ["chopasaurus", "Chopasaurus", "d v 0"],
    ["icosamate", "Icosamate", "i v 0"],
    ["domino", "Domino", "3x3x2 hold DBL"],
    ["tower", "Tower cube", "2x2x3 hold DBL"],
    ["floppy", "Floppy cube", "3x3x1"],
];
