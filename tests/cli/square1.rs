//! A model of the puzzle of our own, as plain as can be, so that printed solutions are checked by something that
//! shares no code with the program.
//!
//! Both layers have 12 slots, anticlockwise seen from above, 0 to 5 the right half. A twist exchanges top slot `j` with
//! bottom slot `5 - j`; turning over maps slot `s` of a layer to slot `17 - s` (mod 12) of the other.

/// The letter of the piece in each slot; a big piece is there twice.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Puzzle {
    top: Vec<char>,
    bottom: Vec<char>,
    pub kite: bool,
}

/// How a sequence is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Notation {
    /// Clockwise seen from each layer's own face.
    Wca,
    /// Anticlockwise seen from above.
    Cube21,
}

impl Puzzle {
    /// The puzzle of a hexadecimal position, `/` at the end for a kite.
    pub fn from_hex(text: &str) -> Self {
        let pieces: Vec<char> = text.chars().filter(char::is_ascii_hexdigit).collect();
        let big = |piece: char| piece.to_digit(16).unwrap() % 2 == 1;
        let slots: Vec<char> =
            pieces.iter().flat_map(|&piece| std::iter::repeat_n(piece, if big(piece) { 2 } else { 1 })).collect();
        assert_eq!((pieces.len(), slots.len()), (16, 24), "{text}");
        Self { top: slots[..12].to_vec(), bottom: slots[12..].to_vec(), kite: text.ends_with('/') }
    }

    /// The puzzle with these letters in the slots of its layers.
    pub fn of_slots([top, bottom]: [Vec<char>; 2], kite: bool) -> Self {
        Self { top, bottom, kite }
    }

    pub fn solved() -> Self {
        Self::from_hex("01234567-89ABCDEF")
    }

    /// Makes the moves of a sequence; returns the number of twists. Panics where a big piece is in the way.
    pub fn apply(&mut self, sequence: &str, notation: Notation) -> usize {
        let mut twists = 0;
        let compact: String = sequence.chars().filter(|c| !c.is_whitespace()).collect();
        let mut rest = compact.as_str();
        while !rest.is_empty() {
            if let Some(after) = rest.strip_prefix('/') {
                self.twist(sequence);
                twists += 1;
                rest = after;
            } else if let Some(after) = rest.strip_prefix(if notation == Notation::Wca { "x2" } else { "!" }) {
                self.turn_over();
                rest = after;
            } else {
                let (turn, after) = rest.strip_prefix('(').and_then(|rest| rest.split_once(')')).expect(sequence);
                let (top, bottom) = turn.split_once(',').expect(sequence);
                let [top, bottom] = [top, bottom].map(|amount| amount.parse::<i32>().expect(sequence));
                // Clockwise seen from below is anticlockwise seen from above.
                self.turn(if notation == Notation::Wca { -top } else { top }, bottom);
                rest = after;
            }
        }
        twists
    }

    fn turn(&mut self, top: i32, bottom: i32) {
        self.top.rotate_right(top.rem_euclid(12) as usize);
        self.bottom.rotate_right(bottom.rem_euclid(12) as usize);
    }

    fn twist(&mut self, sequence: &str) {
        for layer in [&self.top, &self.bottom] {
            assert!(layer[5] != layer[6] && layer[11] != layer[0], "{sequence} is blocked at {self:?}");
        }
        for slot in 0..6 {
            std::mem::swap(&mut self.top[slot], &mut self.bottom[5 - slot]);
        }
        self.kite = !self.kite;
    }

    fn turn_over(&mut self) {
        let turned = |layer: &[char]| (0..12).map(|slot| layer[(17 - slot) % 12]).collect();
        (self.top, self.bottom) = (turned(&self.bottom), turned(&self.top));
    }

    /// Whether every slot holds what it holds in the solved puzzle of that name, alike pieces being as good.
    pub fn is_solved_as(&self, puzzle: &str) -> bool {
        let kind = |piece: &char| {
            let number = piece.to_digit(16).unwrap();
            match (puzzle, number % 2) {
                ("square1", _) | (_, 1) => number,
                ("cube21", _) => number & !2,
                ("square1-corners", _) => 0,
                _ => panic!("{puzzle}"),
            }
        };
        let kinds = |puzzle: &Self| puzzle.top.iter().chain(&puzzle.bottom).map(kind).collect::<Vec<_>>();
        kinds(self) == kinds(&Self::solved())
    }
}

#[test]
fn the_model_agrees_with_what_is_known() {
    for (sequence, notation, twists) in [
        ("/ (6, 0) / (6, 0) / (6, 0)", Notation::Wca, 3),
        ("/ /", Notation::Wca, 2),
        ("x2 / x2 /", Notation::Wca, 2),
        ("!(1,0)!(0,1)", Notation::Cube21, 0),
    ] {
        let mut puzzle = Puzzle::solved();
        assert_eq!(puzzle.apply(sequence, notation), twists);
        assert!(puzzle.is_solved_as("square1"), "{sequence}: {puzzle:?}");
        assert_eq!(puzzle.kite, twists % 2 == 1);
    }
    let mut puzzle = Puzzle::solved();
    puzzle.apply("(1,0)", Notation::Wca);
    assert!(!puzzle.is_solved_as("square1-corners"));
    // Sequences and where an independent program says that they lead.
    let mut compared = 0;
    for record in crate::support::golden("square1_twists.csv").records() {
        let record = record.expect("a record");
        let mut puzzle = Puzzle::solved();
        puzzle.apply(&record[1], Notation::Wca);
        puzzle.kite = false;
        assert_eq!(puzzle, Puzzle::from_hex(&record[0]), "{}", &record[1]);
        compared += 1;
    }
    assert_eq!(compared, 200);
}
