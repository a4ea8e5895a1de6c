//! A cube of 54 stickers, each move written out as cycles of stickers: a second model, which knows nothing of pieces.

/// The cycles of a quarter turn of each face, of each layer between faces, and of nothing else. The sticker on the
/// first facelet of a cycle goes to the second, and so on.
const TURNS: [(char, &str); 9] = [
    ('U', "U1 U3 U9 U7, U2 U6 U8 U4, F1 L1 B1 R1, F2 L2 B2 R2, F3 L3 B3 R3"),
    ('R', "R1 R3 R9 R7, R2 R6 R8 R4, F3 U3 B7 D3, F6 U6 B4 D6, F9 U9 B1 D9"),
    ('F', "F1 F3 F9 F7, F2 F6 F8 F4, U7 R1 D3 L9, U8 R4 D2 L6, U9 R7 D1 L3"),
    ('D', "D1 D3 D9 D7, D2 D6 D8 D4, F7 R7 B7 L7, F8 R8 B8 L8, F9 R9 B9 L9"),
    ('L', "L1 L3 L9 L7, L2 L6 L8 L4, U1 F1 D1 B9, U4 F4 D4 B6, U7 F7 D7 B3"),
    ('B', "B1 B3 B9 B7, B2 B6 B8 B4, U1 L7 D9 R3, U2 L4 D8 R6, U3 L1 D7 R9"),
    ('M', "U2 F2 D2 B8, U5 F5 D5 B5, U8 F8 D8 B2"),
    ('E', "F4 R4 B4 L4, F5 R5 B5 L5, F6 R6 B6 L6"),
    ('S', "U4 R2 D6 L8, U5 R5 D5 L5, U6 R8 D4 L2"),
];

/// The layers that turn with the others: each as a letter of [`TURNS`] and its quarter turns.
const TOGETHER: [(&str, &[(char, usize)]); 9] = [
    ("u", &[('U', 1), ('E', 3)]),
    ("r", &[('R', 1), ('M', 3)]),
    ("f", &[('F', 1), ('S', 1)]),
    ("d", &[('D', 1), ('E', 1)]),
    ("l", &[('L', 1), ('M', 1)]),
    ("b", &[('B', 1), ('S', 3)]),
    ("x", &[('R', 1), ('M', 3), ('L', 3)]),
    ("y", &[('U', 1), ('E', 3), ('D', 3)]),
    ("z", &[('F', 1), ('S', 1), ('B', 3)]),
];

/// The letters on the facelets U1 to U9, R1 to R9, F1 to F9, D1 to D9, L1 to L9, B1 to B9.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stickers([char; 54]);

/// The number of a facelet such as `U1`.
pub fn facelet(name: &str) -> usize {
    let face = "URFDLB".find(&name[..1]).expect("a face");
    9 * face + name[1..].parse::<usize>().expect("a number") - 1
}

impl Stickers {
    /// The solved cube.
    pub fn solved() -> Self {
        Self(std::array::from_fn(|facelet| ['U', 'R', 'F', 'D', 'L', 'B'][facelet / 9]))
    }

    /// From 54 letters, as [`Stickers`] is displayed.
    pub fn of(letters: &str) -> Self {
        let letters: Vec<char> = letters.chars().collect();
        Self(letters.try_into().expect("54 letters"))
    }

    /// The letter on a facelet such as `U1`.
    pub fn at(&self, name: &str) -> char {
        self.0[facelet(name)]
    }

    fn quarter(&mut self, letter: char) {
        let (_, cycles) = TURNS.iter().find(|(name, _)| *name == letter).expect("a layer");
        for cycle in cycles.split(", ") {
            let facelets: Vec<_> = cycle.split(' ').map(facelet).collect();
            let before = facelets.iter().map(|&facelet| self.0[facelet]).collect::<Vec<_>>();
            for (i, &facelet) in facelets.iter().enumerate() {
                self.0[facelet] = before[(i + 3) % 4];
            }
        }
    }

    /// Makes moves such as `R U2 F' r M2 x'`, separated by spaces.
    pub fn apply(&mut self, sequence: &str) {
        for word in sequence.split_whitespace() {
            let (name, quarters) = match (word.strip_suffix('2'), word.strip_suffix('\'')) {
                (Some(name), _) => (name, 2),
                (_, Some(name)) => (name, 3),
                _ => (word, 1),
            };
            let letter = name.chars().next().expect("a letter");
            let alone = [(letter, 1)];
            let layers = TOGETHER.iter().find(|(known, _)| *known == name).map_or(&alone[..], |(_, layers)| layers);
            for &(layer, times) in layers {
                (0..times * quarters).for_each(|_| self.quarter(layer));
            }
        }
    }

    /// Where a sequence leads from the solved cube.
    pub fn after(sequence: &str) -> Self {
        let mut stickers = Self::solved();
        stickers.apply(sequence);
        stickers
    }
}

impl std::fmt::Display for Stickers {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.iter().try_for_each(|letter| write!(f, "{letter}"))
    }
}

/// The corner stickers as facelets of a 2×2×2 cube.
pub fn corner_facelets(stickers: &Stickers) -> String {
    let facelets = "URFDLB".chars().flat_map(|face| [1, 3, 7, 9].map(|number| format!("{face}{number}")));
    facelets.map(|name| stickers.at(&name)).collect()
}
