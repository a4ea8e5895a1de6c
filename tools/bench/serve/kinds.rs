//! What is asked, and what the library answers.

use std::sync::Arc;

use serde::Serialize;
use serde_json::{json, to_value, to_writer};
use twistbase::database::SceneReport;
use twistbase::picture::{ColourScheme, Viewpoint, svg};
use twistbase::{Context, Database, Detail, Puzzle, Question, RandomRequest};

/// Random positions of a puzzle.
const POSITIONS: usize = 20_000;
/// Lines of a batch.
const LINES: usize = 1_000;

type SharedPuzzle = Arc<dyn Puzzle>;

/// The bytes of an answer, and how many positions or solutions it is about.
type LibraryAnswer = (Vec<u8>, usize);

/// One kind of question.
pub struct Kind {
    pub name: String,
    /// One for each request.
    pub inputs: Vec<String>,
    pub way: Way,
    /// What the library answers to an input.
    pub answer: Box<dyn Fn(&str) -> LibraryAnswer + Sync>,
    /// Whether clients have the answers, and ask whether they still hold.
    pub revalidates: bool,
}

/// How an input is sent.
pub enum Way {
    /// At the end of this path.
    Path(String),
    /// As the body, to this path.
    Body(String),
}

/// All kinds.
pub fn kinds(database: &Database) -> Vec<Kind> {
    let puzzle = |name| SharedPuzzle::from(database.puzzle(name).expect("a puzzle"));
    let (cube21, cube2, cube3) = (puzzle("cube21"), puzzle("cube2"), puzzle("cube3"));
    let mut kinds = Vec::new();
    for puzzle in [&cube21, &cube2, &cube3] {
        kinds.push(query(puzzle, "brief", Detail::Brief));
        kinds.push(query(puzzle, "full", Detail::Full));
    }
    let again =
        Kind { name: "cube21 query, full, 304".to_owned(), revalidates: true, ..query(&cube21, "full", Detail::Full) };
    kinds.extend([again, random(&cube3), picture(&cube3), scene(&cube3), solutions(&cube21), batch(&cube21)]);
    kinds
}

/// Positions of a puzzle, the same ones in every run.
fn positions(puzzle: &SharedPuzzle, count: usize) -> Vec<String> {
    let drawn = puzzle.random(&RandomRequest::default(), 1).expect("positions").take(count);
    let text = |position| {
        let position = to_value(position).expect("JSON");
        let text = position.get("hex").or(position.get("facelets")).expect("a notation without spaces");
        text.as_str().expect("text").to_owned()
    };
    drawn.map(text).collect()
}

/// Lines of JSON, each with an end if there may be more.
fn lines(answers: &[impl Serialize], end: &[u8]) -> Vec<u8> {
    let mut text = Vec::new();
    for answer in answers {
        to_writer(&mut text, answer).expect("JSON");
        text.extend_from_slice(end);
    }
    text
}

fn of_one(answer: impl Serialize) -> LibraryAnswer {
    (lines(&[answer], b""), 1)
}

fn query(puzzle: &SharedPuzzle, word: &str, detail: Detail) -> Kind {
    let (asked, question) = (Arc::clone(puzzle), Question { detail, ..Question::default() });
    Kind {
        name: format!("{} query, {word}", puzzle.name()),
        inputs: positions(puzzle, POSITIONS),
        // A search takes as long as its position wants: these are look-ups.
        way: Way::Path(format!("{}/query?detail={word}&exact=false&position=", puzzle.name())),
        answer: Box::new(move |input| of_one(asked.query(input, &question, &Context::silent()).expect("an answer"))),
        revalidates: false,
    }
}

fn random(puzzle: &SharedPuzzle) -> Kind {
    let asked = Arc::clone(puzzle);
    Kind {
        name: format!("{} random", puzzle.name()),
        inputs: (0..POSITIONS).map(|seed| seed.to_string()).collect(),
        way: Way::Path(format!("{}/random?seed=", puzzle.name())),
        answer: Box::new(move |seed| {
            let seed = seed.parse().expect("a number");
            let drawn = asked.random(&RandomRequest::default(), seed).expect("positions").take(1);
            of_one(drawn.collect::<Vec<_>>())
        }),
        revalidates: false,
    }
}

fn picture(puzzle: &SharedPuzzle) -> Kind {
    let asked = Arc::clone(puzzle);
    Kind {
        name: format!("{} picture", puzzle.name()),
        inputs: positions(puzzle, POSITIONS),
        way: Way::Path(format!("{}/picture.svg?view=perspective&position=", puzzle.name())),
        answer: Box::new(move |input| {
            let picture = asked.read(input).and_then(|position| position.picture("")).expect("a position");
            let drawing = picture.drawing(Viewpoint::Perspective, ColourScheme::Wca);
            (svg(&drawing, &format!("{}: {input}", asked.name())).into_bytes(), 1)
        }),
        revalidates: false,
    }
}

fn scene(puzzle: &SharedPuzzle) -> Kind {
    let asked = Arc::clone(puzzle);
    Kind {
        name: format!("{} scene", puzzle.name()),
        inputs: positions(puzzle, POSITIONS),
        way: Way::Path(format!("{}/scene?moves=RUF&position=", puzzle.name())),
        answer: Box::new(move |input| {
            let scene = |position| SceneReport::new(&position, input, "RUF", ColourScheme::Wca);
            of_one(asked.read(input).and_then(scene).expect("a scene"))
        }),
        revalidates: false,
    }
}

fn solutions(puzzle: &SharedPuzzle) -> Kind {
    let asked = Arc::clone(puzzle);
    Kind {
        name: format!("{} solutions", puzzle.name()),
        inputs: positions(puzzle, POSITIONS / 10),
        way: Way::Path(format!("{}/solutions?position=", puzzle.name())),
        answer: Box::new(move |input| {
            let found = asked.solutions(input, &Question::default(), &Context::silent()).expect("solutions");
            let found: Vec<_> = found.collect::<Result<_, _>>().expect("solutions");
            let end = lines(&[json!({ "solutions": found.len(), "truncated": false })], b"\n");
            ([lines(&found, b"\n"), end].concat(), found.len())
        }),
        revalidates: false,
    }
}

fn batch(puzzle: &SharedPuzzle) -> Kind {
    let (asked, question) = (Arc::clone(puzzle), Question { detail: Detail::Brief, ..Question::default() });
    let positions = positions(puzzle, 5 * POSITIONS);
    Kind {
        name: format!("{} batch, brief", puzzle.name()),
        inputs: positions.chunks(LINES).map(|lines| lines.join("\n")).collect(),
        way: Way::Body(format!("{}/batch?detail=brief", puzzle.name())),
        answer: Box::new(move |input| {
            let ctx = Context::silent();
            let prepared = asked.prepare(&question, &ctx).expect("a table");
            let answers: Vec<_> = input.lines().map(|line| prepared.query(line, &ctx).expect("an answer")).collect();
            (lines(&answers, b"\n"), answers.len())
        }),
        revalidates: false,
    }
}
