//! Goals of puzzles that come with the program or are known by their names. What each is stands among the goals of the puzzle's definition.

use super::defined::DefinedTable;
use crate::published::published;

/// Those whose positions a table holds, in the order of their puzzles.
pub(super) static GOALS: [DefinedTable; 35] = [
    DefinedTable::part(
        ["pyraminx", "centers"],
        ["pyraminx-centers", "Centres", "pyraminx to turned centres"],
        (1, 81, 192, [234, 132, 25, 110, 5, 71]),
        published("pyraminx-centers"),
    ),
    DefinedTable::part(
        ["pyraminx", "v"],
        ["pyraminx-v", "V", "pyraminx to its centres and two edges of a face"],
        (1, 9_720, 5_312, [72, 235, 217, 23, 192, 54]),
        published("pyraminx-v"),
    ),
    DefinedTable::part(
        ["pyraminx", "top"],
        ["pyraminx-top", "Top", "pyraminx to a centre and its three edges"],
        (1, 2_880, 1_568, [88, 245, 37, 225, 248, 187]),
        published("pyraminx-top"),
    ),
    DefinedTable::part(
        ["pyraminx", "layer"],
        ["pyraminx-layer", "Layer", "pyraminx to the layer on D"],
        (1, 25_920, 13_088, [67, 154, 186, 226, 253, 98]),
        published("pyraminx-layer"),
    ),
    DefinedTable::part(
        ["pyraminx", "edges"],
        ["pyraminx-edges", "Edges", "pyraminx to its edges"],
        (1, 11_520, 6_272, [25, 207, 235, 123, 48, 229]),
        published("pyraminx-edges"),
    ),
    DefinedTable::part(
        ["pyraminx-tips", "tips"],
        ["pyraminx-tips-tips", "Tips", "pyraminx to tips that fit"],
        (1, 81, 192, [220, 241, 24, 16, 255, 50]),
        published("pyraminx-tips-tips"),
    ),
    DefinedTable::part(
        ["skewb", "layer"],
        ["skewb-layer", "Layer", "skewb to the layer on D"],
        (1, 17_496, 9_632, [88, 240, 54, 161, 78, 100]),
        published("skewb-layer"),
    ),
    DefinedTable::part(
        ["skewb", "centers"],
        ["skewb-centers", "Centres", "skewb to its centres"],
        (1, 360, 320, [26, 237, 242, 216, 121, 224]),
        published("skewb-centers"),
    ),
    DefinedTable::part(
        ["skewb", "corners"],
        ["skewb-corners", "Corners", "skewb to its corners"],
        (1, 8_748, 4_512, [139, 224, 214, 198, 201, 249]),
        published("skewb-corners"),
    ),
    DefinedTable::part(
        ["dino", "layer"],
        ["dino-layer", "Layer", "dino cube to the layer on D"],
        (1, 7_920, 4_096, [189, 224, 129, 246, 73, 178]),
        published("dino-layer"),
    ),
    DefinedTable::part(
        ["jing", "layer"],
        ["jing-layer", "Layer", "Jing's pyraminx to the layer on D"],
        (1, 103_680, 51_968, [175, 186, 4, 220, 116, 162]),
        published("jing-layer"),
    ),
    DefinedTable::part(
        ["skewb-diamond", "layer"],
        ["skewb-diamond-layer", "Layer", "skewb diamond to the face on U"],
        (1, 320, 288, [98, 144, 192, 194, 174, 148]),
        published("skewb-diamond-layer"),
    ),
    DefinedTable::part(
        ["skewb-diamond", "centers"],
        ["skewb-diamond-centers", "Centres", "skewb diamond to its centres"],
        (1, 144, 512, [188, 220, 65, 80, 53, 50]),
        published("skewb-diamond-centers"),
    ),
    DefinedTable::part(
        ["master-pyramorphix", "corners"],
        ["master-pyramorphix-corners", "Corners", "master pyramorphix to its corners"],
        (1, 24, 160, [55, 171, 43, 115, 212, 19]),
        published("master-pyramorphix-corners"),
    ),
    DefinedTable::part(
        ["master-pyramorphix", "edges"],
        ["master-pyramorphix-edges", "Edges", "master pyramorphix to its edges"],
        (1, 64, 160, [186, 204, 227, 244, 240, 100]),
        published("master-pyramorphix-edges"),
    ),
    DefinedTable::part(
        ["ivy", "corners"],
        ["ivy-corners", "Corners", "Ivy cube to its corners"],
        (1, 81, 192, [21, 188, 113, 209, 76, 157]),
        published("ivy-corners"),
    ),
    DefinedTable::part(
        ["ivy", "centers"],
        ["ivy-centers", "Centres", "Ivy cube to its centres"],
        (1, 360, 320, [176, 136, 200, 54, 48, 123]),
        published("ivy-centers"),
    ),
    DefinedTable::part(
        ["floppy", "corners"],
        ["floppy-corners", "Corners", "floppy cube to its corners"],
        (1, 24, 160, [228, 243, 122, 215, 112, 55]),
        published("floppy-corners"),
    ),
    DefinedTable::part(
        ["floppy", "edges"],
        ["floppy-edges", "Edges", "floppy cube to its edges"],
        (1, 16, 160, [201, 236, 102, 107, 186, 226]),
        published("floppy-edges"),
    ),
    DefinedTable::part(
        ["tower", "separation"],
        ["tower-separation", "Separation", "tower cube to corners in their layers"],
        (1, 35, 160, [81, 215, 199, 95, 129, 132]),
        published("tower-separation"),
    ),
    DefinedTable::part(
        ["tower", "layer"],
        ["tower-layer", "Layer", "tower cube to the corners on D"],
        (1, 210, 256, [192, 201, 171, 165, 91, 164]),
        published("tower-layer"),
    ),
    DefinedTable::part(
        ["tower", "corners"],
        ["tower-corners", "Corners", "tower cube to its corners"],
        (1, 5_040, 2_656, [191, 235, 115, 245, 188, 150]),
        published("tower-corners"),
    ),
    DefinedTable::part(
        ["domino", "cross"],
        ["domino-cross", "Cross", "domino to the cross on D"],
        (1, 1_680, 992, [140, 187, 41, 225, 87, 86]),
        published("domino-cross"),
    ),
    DefinedTable::part(
        ["domino", "layer"],
        ["domino-layer", "Layer", "domino to the layer on D"],
        (1, 352_800, 181_568, [243, 221, 48, 209, 189, 99]),
        published("domino-layer"),
    ),
    DefinedTable::part(
        ["domino", "corners"],
        ["domino-corners", "Corners", "domino to its corners"],
        (1, 5_040, 2_656, [83, 203, 179, 106, 34, 230]),
        published("domino-corners"),
    ),
    DefinedTable::part(
        ["pyraminx-duo", "corners"],
        ["pyraminx-duo-corners", "Corners", "Pyraminx Duo to its corners"],
        (1, 81, 192, [31, 212, 109, 76, 0, 253]),
        published("pyraminx-duo-corners"),
    ),
    DefinedTable::part(
        ["pyraminx-duo", "centers"],
        ["pyraminx-duo-centers", "Centres", "Pyraminx Duo to its centres"],
        (1, 12, 160, [170, 206, 227, 186, 196, 251]),
        published("pyraminx-duo-centers"),
    ),
    DefinedTable::part(
        ["lse", "eo"],
        ["lse-eo", "Oriented edges", "last six edges to what U and M2 solve"],
        (1, 1_920, 1_088, [90, 189, 72, 84, 45, 28]),
        published("lse-eo"),
    ),
    DefinedTable::part(
        ["redi", "corners"],
        ["redi-corners", "Redi cube, its corners", "Redi cube to its corners"],
        (1, 6_561, 3_424, [203, 198, 105, 182, 80, 110]),
        published("redi-corners"),
    ),
    DefinedTable::part(
        ["redi", "cross"],
        ["redi-cross", "Redi cube, its cross", "Redi cube to the edges on D"],
        (1, 11_880, 6_080, [143, 255, 184, 39, 65, 177]),
        published("redi-cross"),
    ),
    DefinedTable::part(
        ["redi", "layer"],
        ["redi-layer", "Redi cube, a layer", "Redi cube to the layer on D"],
        (1, 962_280, 482_240, [83, 219, 2, 75, 112, 162]),
        published("redi-layer"),
    ),
    DefinedTable::part(
        ["kilominx", "layer"],
        ["kilominx-layer", "Kilominx, a layer", "kilominx to the layer on U"],
        (93_024, 81, 17_860_608, [92, 213, 177, 32, 11, 162]),
        published("kilominx-layer"),
    ),
    DefinedTable::part(
        ["megaminx", "block"],
        ["megaminx-block", "Megaminx, a block", "megaminx to a corner and its three edges"],
        (60, 194_880, 5_854_080, [90, 157, 180, 251, 128, 6]),
        published("megaminx-block"),
    ),
    DefinedTable::part(
        ["fto", "corners"],
        ["fto-corners", "FTO, its corners", "FTO to its corners"],
        (1, 11_520, 6_272, [105, 245, 212, 150, 200, 126]),
        published("fto-corners"),
    ),
    DefinedTable::part(
        ["4x4x4", "center"],
        ["4x4x4-center", "4x4x4 cube, a centre", "4x4x4 cube to the centre on U"],
        (1, 10_626, 5_472, [32, 180, 235, 194, 61, 124]),
        published("4x4x4-center"),
    ),
];
