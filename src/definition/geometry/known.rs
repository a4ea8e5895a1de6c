//! Geometries that people know by a name. Most of these puzzles have too many positions for a table.

/// Names and lines.
pub(super) const KNOWN: [[&str; 2]; 24] = [
    ["cube3", "c f 0.333333333333333"],
    ["cube2", "c f 0 hold DBL"],
    ["4x4x4", "c f 0.5 f 0"],
    ["5x5x5", "c f 0.6 f 0.2"],
    ["professor-skewb", "c v 0 v 0.38"],
    ["ivy", "c v 0 moves R=UBR,L=UFL,D=DFR,B=DBL without CORNER"],
    ["compy", "c v 0.915641442663986"],
    ["redi", "c v 0.866025403784439"],
    ["helicopter", "c e 0.707106781186547"],
    ["little-chop", "c e 0"],
    ["master-pyraminx", "t v 0 v 1 v 2"],
    ["professor-pyraminx", "t v -0.2 v 0.6 v 1.4 v 2.2"],
    ["fto", "o f 0.333333333333333"],
    ["christophers-jewel", "o v 0.577350269189626"],
    ["trajbers-octahedron", "o v 0.433012701892219"],
    ["megaminx", "d f 0.7"],
    ["kilominx", "d f 0.618 hold UFR without EDGE,CENTER"],
    ["pentultimate", "d f 0"],
    ["starminx", "d f 0.23606797749979"],
    ["chopasaurus", "d v 0"],
    ["icosamate", "i v 0"],
    ["domino", "3x3x2 hold DBL"],
    ["tower", "2x2x3 hold DBL"],
    ["floppy", "3x3x1"],
];
