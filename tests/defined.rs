//! Puzzles that are data, against a model of lists of pieces that shares no code with the library.

use std::collections::{BTreeSet, HashMap, VecDeque};

use serde_json::Value;
use twistbase::context::Context;
use twistbase::database::{ManyPositions, SolveRequest};
use twistbase::definition::{Geometry, PuzzleDefinition, Restriction};
use twistbase::error::Error;
use twistbase::tables::Definition;
use twistbase::{BuildRequest, Database, Question, RandomRequest, TableId};

use crate::support::golden;

/// A puzzle that nothing else knows: five tiles with two sides, a ring of two colours, and a lamp that no other move touches.
pub const TRAPDOOR: &str = "\
Name Trapdoor
Set TILE 5 2
Set RING 4 1
Set LAMP 1 3
Solved
TILE
1 2 3 4 5
0 0 0 0 0
RING
1 1 2 2
0 0 0 0
End
Move A
TILE
2 3 1 4 5
1 0 0 0 0
RING
2 1 3 4
0 0 0 0
End
Move B
TILE
1 2 4 5 3
0 0 0 1 0
RING
1 3 4 2
0 0 0 0
End
Move L
LAMP
1
1
End
";

/// The pieces of all places, then their orientations.
type Pieces = Vec<u8>;

/// A piece that does not matter, nor how it is turned.
const UNSEEN: u8 = u8::MAX;

/// A turn: where the piece of each place comes from, and by how much it is turned.
struct Turn {
    name: String,
    from: Vec<usize>,
    by: Vec<u8>,
}

/// The model: what a KPuzzle says.
struct Model {
    solved: Pieces,
    orientations: Vec<u8>,
    turns: Vec<Turn>,
}

impl Model {
    fn of(definition: &PuzzleDefinition) -> Self {
        let file: Value = serde_json::from_str(&definition.to_kpuzzle()).unwrap();
        let orbits: Vec<(&str, usize, u8)> = file["orbits"]
            .as_array()
            .unwrap()
            .iter()
            .map(|orbit| {
                let number = |name: &str| orbit[name].as_u64().unwrap();
                (orbit["orbitName"].as_str().unwrap(), number("numPieces") as usize, number("numOrientations") as u8)
            })
            .collect();
        let numbers =
            |list: &Value| list.as_array().unwrap().iter().map(|it| it.as_u64().unwrap() as usize).collect::<Vec<_>>();
        let (mut pieces, mut twists, mut orientations) = (Vec::new(), Vec::new(), Vec::new());
        for &(name, count, of_orbit) in &orbits {
            pieces.extend(numbers(&file["defaultPattern"][name]["pieces"]));
            twists.extend(numbers(&file["defaultPattern"][name]["orientation"]));
            orientations.extend(vec![of_orbit; count]);
        }
        let mut model = Self {
            solved: pieces.into_iter().chain(twists).map(|it| it as u8).collect(),
            orientations,
            turns: Vec::new(),
        };
        for turn in definition.turns() {
            let (forward, is_back) = match turn.name.strip_suffix('\'') {
                Some(forward) => (forward, true),
                None => (turn.name.as_str(), false),
            };
            // `R2` may be a move, not the half turn of one.
            let name = match file["moves"].get(forward) {
                Some(_) => forward,
                None => forward.trim_end_matches(|c: char| c.is_ascii_digit()),
            };
            let amount = forward[name.len()..].parse().unwrap_or(1);
            let (mut from, mut by, mut begin) = (Vec::new(), Vec::new(), 0);
            for &(orbit, count, _) in &orbits {
                let of_orbit = &file["moves"][name][orbit];
                from.extend(numbers(&of_orbit["permutation"]).into_iter().map(|from| begin + from));
                by.extend(numbers(&of_orbit["orientationDelta"]).into_iter().map(|by| by as u8));
                begin += count;
            }
            let once = Turn { name: turn.name.clone(), from, by };
            // The move, as often as it does something else.
            let mut powers = vec![model.solved_apart()];
            while let Some(next) = powers.last().map(|last| model.turned(last, &once)).filter(|next| *next != powers[0])
            {
                powers.push(next);
            }
            let last = &powers[if is_back { powers.len() - amount } else { amount }];
            let places = model.orientations.len();
            let from: Vec<usize> = last[..places].iter().map(|&piece| piece.into()).collect();
            model.turns.push(Turn { name: turn.name, from, by: last[places..].to_vec() });
        }
        model
    }

    /// The same puzzle, solved where the pieces of a goal are: `only` these, or all but those of orbits to `ignore`.
    fn with_goal(self, definition: &PuzzleDefinition, goal: &str) -> Self {
        let (places, (word, list)) = (self.orientations.len(), goal.split_once(' ').unwrap());
        let orbits = definition.orbits.iter().flat_map(|orbit| (0..orbit.pieces).map(move |at| (&*orbit.name, at)));
        let ids: Vec<(&str, usize)> = orbits.collect();
        let letters = |name: &str| name.chars().collect::<BTreeSet<_>>();
        let names = Geometry::parse(&definition.geometry).map(|geometry| geometry.place_names());
        let names = names.unwrap_or_else(|_| ids.iter().map(|(orbit, at)| format!("{orbit}-l{at}")).collect());
        let mut solved = vec![UNSEEN; places].into_iter().chain(vec![0; places]).collect::<Pieces>();
        for (place, (orbit, _)) in ids.iter().enumerate() {
            // Pieces that look alike when solved stay so.
            let alike = |at: usize, other: usize| ids[at].0 == ids[other].0 && self.solved[at] == self.solved[other];
            let first = |at: usize| (0..=at).find(|&other| alike(at, other));
            let piece = match word {
                "ignore" => first(place).filter(|_| list.split(',').all(|ignored| ignored != *orbit)),
                "only" => list.split(',').find_map(|group| {
                    let is_named = |at: &usize| group.split('=').any(|name| letters(name) == letters(&names[*at]));
                    let is_of = |at: &usize| (0..places).any(|other| is_named(&other) && alike(*at, other));
                    is_of(&place).then(|| if group.contains('=') { (0..places).find(is_of) } else { first(place) })?
                }),
                _ => panic!("{goal}"),
            };
            solved[place] = piece.map_or(UNSEEN, |at| at as u8);
        }
        Self { solved, ..self }
    }

    /// A position in which all pieces differ, by their places.
    fn solved_apart(&self) -> Pieces {
        let places = self.orientations.len();
        (0..places as u8).chain(vec![0; places]).collect()
    }

    fn turned(&self, position: &Pieces, turn: &Turn) -> Pieces {
        let places = self.orientations.len();
        let pieces = turn.from.iter().map(|&from| position[from]);
        let twists = turn.from.iter().zip(&turn.by).enumerate();
        let twists = twists.map(|(place, (&from, by))| match position[from] {
            UNSEEN => 0,
            _ => (position[places + from] + by) % self.orientations[place],
        });
        pieces.chain(twists).collect()
    }

    /// The distance of every position up to a depth.
    fn distances(&self, depth: u8) -> HashMap<Pieces, u8> {
        let (mut distances, mut queue) =
            (HashMap::from([(self.solved.clone(), 0)]), VecDeque::from([self.solved.clone()]));
        while let Some(position) = queue.pop_front() {
            let distance = distances[&position];
            for turn in self.turns.iter().filter(|_| distance < depth) {
                let to = self.turned(&position, turn);
                if !distances.contains_key(&to) {
                    distances.insert(to.clone(), distance + 1);
                    queue.push_back(to);
                }
            }
        }
        distances
    }

    /// All words of turns that solve a position in so many moves.
    fn words(&self, position: &Pieces, left: u8, distances: &HashMap<Pieces, u8>) -> Vec<Vec<usize>> {
        if left == 0 {
            return vec![Vec::new()];
        }
        let mut words = Vec::new();
        for (number, turn) in self.turns.iter().enumerate() {
            let to = self.turned(position, turn);
            if distances.get(&to) == Some(&(left - 1)) {
                words
                    .extend(self.words(&to, left - 1, distances).into_iter().map(|rest| [vec![number], rest].concat()));
            }
        }
        words
    }

    fn commute(&self, one: usize, other: usize) -> bool {
        let both = |first: usize, then: usize| {
            self.turned(&self.turned(&self.solved_apart(), &self.turns[first]), &self.turns[then])
        };
        both(one, other) == both(other, one)
    }

    /// The least of the words that differ from one in the order of turns that commute.
    fn least(&self, word: &[usize]) -> Vec<usize> {
        let (mut known, mut open) = (BTreeSet::from([word.to_vec()]), vec![word.to_vec()]);
        while let Some(word) = open.pop() {
            for at in 1..word.len() {
                let mut other = word.clone();
                other.swap(at - 1, at);
                if self.commute(word[at - 1], word[at]) && known.insert(other.clone()) {
                    open.push(other);
                }
            }
        }
        known.pop_first().unwrap()
    }

    /// A position as the program reads it.
    fn text(&self, position: &Pieces, definition: &PuzzleDefinition) -> String {
        let (mut orbits, mut begin, places) = (serde_json::Map::new(), 0, self.orientations.len());
        for orbit in &definition.orbits {
            let of = |from: usize| &position[from + begin..][..orbit.pieces];
            orbits.insert(orbit.name.clone(), serde_json::json!({ "pieces": of(0), "orientation": of(places) }));
            begin += orbit.pieces;
        }
        Value::from(orbits).to_string()
    }
}

fn ctx() -> Context {
    Context::silent()
}

/// A database in memory, a puzzle's definition, and the model of it.
fn opened(name: &str) -> (Database, PuzzleDefinition, Model) {
    let database = Database::in_memory().building_missing(true);
    if name == "trapdoor" {
        database.add_puzzle(name, PuzzleDefinition::parse(TRAPDOOR).unwrap()).unwrap();
    }
    let definition = Database::definition_of(name).unwrap();
    let model = Model::of(&definition);
    (database, definition, model)
}

/// Every position that the model reaches has its distance, and every answer fits the model.
fn compare(name: &str, depth: u8, every: usize) {
    let (database, definition, model) = opened(name);
    let distances = model.distances(depth);
    let table = database.table_arrays(name.parse::<TableId>().unwrap(), &ctx()).unwrap();
    let positions: Vec<&Pieces> = distances.keys().collect();
    let arrays: Vec<u8> = positions.iter().flat_map(|position| position.iter().copied()).collect();
    let mut found = vec![0; positions.len()];
    table.distances(ManyPositions::Arrays(&arrays), &mut found, &ctx()).unwrap();
    for (position, found) in positions.iter().zip(found) {
        assert_eq!(found, distances[*position], "{position:?}");
    }

    let puzzle = database.puzzle(name).unwrap();
    let (prepared, solver) = (
        puzzle.prepare(&Question { solutions: true, ..Question::default() }, &ctx()).unwrap(),
        puzzle.solver(&SolveRequest::default(), &ctx()).unwrap(),
    );
    let mut sorted = positions.clone();
    sorted.sort();
    for position in sorted.into_iter().step_by(every).filter(|position| distances[*position] < depth) {
        let (text, distance) = (model.text(position, &definition), distances[position]);
        let answer = prepared.query(&text, &ctx()).unwrap();
        assert_eq!(answer.distance(), Some(distance));
        let json = serde_json::to_value(&answer).unwrap();
        for (turn, next) in model.turns.iter().zip(json["moves"].as_array().unwrap()) {
            let after = distances[&model.turned(position, turn)];
            assert_eq!((&next["move"], &next["distance"]), (&Value::from(turn.name.as_str()), &after.into()), "{text}");
        }
        let words = model.words(position, distance, &distances);
        let classes: BTreeSet<Vec<usize>> = words.iter().map(|word| model.least(word)).collect();
        assert_eq!(json["solutions"], classes.len(), "{text}");
        let number = |name: &str| model.turns.iter().position(|turn| turn.name == name).unwrap();
        let solutions: Vec<Vec<usize>> = prepared
            .solutions(&text, &ctx())
            .unwrap()
            .map(|solution| solution.unwrap().moves().split_whitespace().map(number).collect())
            .collect();
        assert!(solutions.iter().all(|solution| words.contains(solution)), "{text}");
        let listed: BTreeSet<Vec<usize>> = solutions.iter().map(|word| model.least(word)).collect();
        assert_eq!((solutions.len(), listed), (classes.len(), classes), "{text}");
        let solved = solver.solve(&text, &ctx(), &mut |_| {}).unwrap();
        let moves = solved.solution().unwrap().moves().to_owned();
        assert!(words.contains(&moves.split_whitespace().map(number).collect()), "{text}: {moves}");
        assert!(puzzle.read(&text).unwrap().moved(&moves).unwrap().is_solved(), "{text}: {moves}");
    }
}

#[test]
fn a_puzzle_that_nothing_knew_answers_as_lists_of_pieces_do() {
    compare("trapdoor", u8::MAX, 997);
}

#[test]
fn the_pyraminx_answers_as_lists_of_pieces_do() {
    compare("pyraminx", 5, 101);
}

#[test]
fn puzzles_with_a_held_piece_answer_as_lists_of_pieces_do() {
    compare("jing", 5, 101);
    compare("skewb-diamond", 4, 97);
}

#[test]
fn puzzles_that_turn_by_halves_answer_as_lists_of_pieces_do() {
    compare("floppy", u8::MAX, 7);
    compare("tower", 5, 29);
}

#[test]
fn puzzles_that_lack_pieces_answer_as_lists_of_pieces_do() {
    compare("ivy", 5, 29);
    compare("pyraminx-duo", u8::MAX, 3);
    compare("lse", 5, 29);
}

#[test]
fn the_skewb_answers_as_lists_of_pieces_do() {
    compare("skewb", 5, 101);
}

/// The positions of the trapdoor that the moves reach, of those that have an entry, and no others.
#[test]
fn what_no_moves_reach_is_refused() {
    let (database, definition, model) = opened("trapdoor");
    let distances = model.distances(u8::MAX);
    let table: TableId = "trapdoor".parse().unwrap();
    let arrays = database.table_arrays(table, &ctx()).unwrap();
    let stats = database.stats(table).unwrap();
    assert_eq!(stats.positions, distances.len() as u64);
    let places = model.orientations.len();
    let (mut reached, mut refused) = (0, 0);
    for index in 0..arrays.entries() {
        let mut array = vec![0; 2 * places];
        match arrays.positions(&[index], &mut array, &ctx()) {
            Ok(()) => {
                assert!(distances.contains_key(&array), "{index}: {array:?}");
                reached += 1;
            }
            Err(Error::Element { error, .. }) if matches!(*error, Error::Invalid(_)) => refused += 1,
            Err(error) => panic!("{error}"),
        }
    }
    assert_eq!((reached, refused), (distances.len() as u64, arrays.entries() - distances.len() as u64));
    // In words, too: a lone tile that is turned over, if that is possible at all.
    let puzzle = database.puzzle("trapdoor").unwrap();
    let mut other = model.solved.clone();
    other.swap(0, 1);
    let asked = puzzle.query(&model.text(&other, &definition), &Question::default(), &ctx());
    match distances.get(&other) {
        Some(&distance) => assert_eq!(asked.unwrap().distance(), Some(distance)),
        None => assert!(asked.unwrap_err().to_string().contains("the moves do not lead to this position")),
    }
}

/// A table that was built to a depth answers as the model does up to there, and says so of farther positions. Continued, it is the
/// table that is built at once.
#[test]
fn a_table_to_a_depth_answers_as_far_as_it_goes() {
    let (database, definition, model) = opened("trapdoor");
    let id: TableId = "trapdoor".parse().unwrap();
    let build = |database: &Database, depth| {
        database.build(id, &BuildRequest { depth, ..BuildRequest::default() }, &ctx()).unwrap()
    };
    assert_eq!(build(&database, Some(3)).depth, Some(3));
    let (distances, puzzle) = (model.distances(u8::MAX), database.puzzle("trapdoor").unwrap());
    let mut near: Vec<_> = distances.iter().filter(|(_, distance)| **distance <= 4).collect();
    near.sort();
    for (position, &distance) in near.into_iter().step_by(3) {
        let text = model.text(position, &definition);
        let asked = puzzle.query(&text, &Question::default(), &ctx());
        if distance > 3 {
            let error = asked.unwrap_err().to_string();
            assert!(error.contains("farther than 3 moves, the depth of the table"), "{text}: {error}");
            continue;
        }
        let json = serde_json::to_value(asked.unwrap()).unwrap();
        assert_eq!(json["distance"], distance, "{text}");
        for (turn, next) in model.turns.iter().zip(json["moves"].as_array().unwrap()) {
            assert_eq!(next["distance"], distances[&model.turned(position, turn)], "{text} {}", turn.name);
        }
    }
    let (continued, at_once) = (build(&database, None), build(&Database::in_memory(), None));
    assert_eq!((continued.extended_from, continued.depth, at_once.extended_from), (Some(3), None, None));
    assert_eq!(continued.digest, at_once.digest);
}

#[test]
fn random_positions_are_reached_and_walks_lead_where_they_say() {
    for name in ["trapdoor", "skewb"] {
        let (database, ..) = opened(name);
        let puzzle = database.puzzle(name).unwrap();
        let question = Question::default();
        for walk in [None, Some(30)] {
            let request = RandomRequest { walk, ..RandomRequest::default() };
            let drawn: Vec<Value> = puzzle
                .random(&request, 9)
                .unwrap()
                .take(20)
                .map(|report| serde_json::to_value(report).unwrap())
                .collect();
            for report in &drawn {
                let position = puzzle.read(&report["position"].to_string()).unwrap();
                assert!(puzzle.query(&position.to_string(), &question, &ctx()).is_ok());
                assert_eq!(report["moves"].is_null(), walk.is_none());
                if let Some(moves) = report["moves"].as_str() {
                    assert_eq!(puzzle.read(moves).unwrap(), position);
                    assert_eq!(moves.split(' ').count(), 30);
                }
            }
            let again: Vec<Value> = puzzle
                .random(&request, 9)
                .unwrap()
                .take(20)
                .map(|report| serde_json::to_value(report).unwrap())
                .collect();
            assert_eq!(drawn, again);
        }
        let foreign = RandomRequest { in_h: true, ..RandomRequest::default() };
        assert!(matches!(puzzle.random(&foreign, 1), Err(Error::ForeignOptions { .. })));
    }
}

#[test]
fn names_that_mean_something_are_refused() {
    let database = Database::in_memory();
    let definition = || PuzzleDefinition::parse(TRAPDOOR).unwrap();
    for name in ["", "Trapdoor", "a b", "cube3", "phase1", "3x3", "cosets", "square1-family", "pyraminx", "sq1"] {
        assert!(matches!(database.add_puzzle(name, definition()), Err(Error::Usage(_))), "{name}");
    }
    database.add_puzzle("trapdoor", definition()).unwrap();
    let other = PuzzleDefinition::parse(&TRAPDOOR.replace("2 3 1 4 5", "3 1 2 4 5")).unwrap();
    let error = database.add_puzzle("trapdoor", other).unwrap_err().to_string();
    assert!(error.contains("another puzzle has the name"), "{error}");
    // Positions that no table can hold.
    let illegal = PuzzleDefinition::parse(&format!("{TRAPDOOR}Illegal TILE 1 5\n")).unwrap();
    let error = database.add_puzzle("trapdoor-2", illegal).unwrap_err().to_string();
    assert!(error.contains("cannot be numbered: some of them are illegal"), "{error}");
}

/// A step that people use, and a goal of a definition that nothing else knows.
#[test]
fn goals_are_answered_as_by_a_plain_search() {
    let json = PuzzleDefinition::parse(TRAPDOOR).unwrap().to_kpuzzle();
    let goals =
        r#","goals":{"roof":"only TILE-l0,TILE-l4","alike":"only TILE-l0=TILE-l1,RING-l0","ring":"ignore TILE,LAMP"}}"#;
    let definition = PuzzleDefinition::parse(&format!("{}{goals}", json.strip_suffix('}').unwrap())).unwrap();
    let database = Database::in_memory().building_missing(true);
    database.add_puzzle("attic", definition.clone()).unwrap();
    assert_eq!(Database::find_puzzle("attic").unwrap().goals, ["roof", "alike", "ring"]);
    assert!(Database::puzzles().all(|name| name != "attic-roof"), "it is no puzzle of its own");
    let named = definition.goals.iter().map(|goal| ("attic", goal.name.as_str(), goal.restriction.as_str()));
    let others = [
        ("attic", "only TILE-l2", "only TILE-l2"),
        ("pyraminx", "v", "only DFBL,DBRF,DBLBR,FBRBL,DF,DBL"),
        ("pyraminx", "only DF", "only DF"),
        ("skewb", "LAYER", "only D,DRF,DLB,DFL,DBR"),
    ];
    for (name, goal, restriction) in named.chain(others) {
        let definition = Database::definition_of(name).unwrap();
        let model = Model::of(&definition).with_goal(&definition, restriction);
        let distances = model.distances(99);
        let puzzle = database.puzzle(name).unwrap();
        let question = Question { goal: Some(goal.to_owned()), solutions: true, ..Question::default() };
        let prepared = puzzle.prepare(&question, &ctx()).unwrap();
        let request = SolveRequest { goal: Some(goal.to_owned()), ..SolveRequest::default() };
        let solver = puzzle.solver(&request, &ctx()).unwrap();
        let number = |name: &str| model.turns.iter().position(|turn| turn.name == name).unwrap();
        let numbers = |moves: &str| moves.split_whitespace().map(number).collect::<Vec<usize>>();
        for walk in puzzle.random(&RandomRequest { walk: Some(9), ..RandomRequest::default() }, 7).unwrap().take(12) {
            let text = walk.moves.unwrap();
            let turned =
                |at: Pieces, turns: &[usize]| turns.iter().fold(at, |at, &turn| model.turned(&at, &model.turns[turn]));
            let at = turned(model.solved.clone(), &numbers(&text));
            let answer = prepared.query(&text, &ctx()).unwrap();
            assert_eq!(answer.distance(), Some(distances[&at]), "{name} {goal}: {text}");
            let json = serde_json::to_value(&answer).unwrap();
            assert_eq!((&json["puzzle"], &json["goal"]), (&Value::from(name), &Value::from(goal)));
            for (turn, next) in model.turns.iter().zip(json["moves"].as_array().unwrap()) {
                assert_eq!(
                    (&next["move"], &next["distance"]),
                    (&turn.name.as_str().into(), &distances[&model.turned(&at, turn)].into())
                );
            }
            let words = model.words(&at, distances[&at], &distances);
            let classes: BTreeSet<Vec<usize>> = words.iter().map(|word| model.least(word)).collect();
            let listed: Vec<_> = prepared.solutions(&text, &ctx()).unwrap().map(Result::unwrap).collect();
            let found: BTreeSet<_> = listed.iter().map(|found| model.least(&numbers(found.moves()))).collect();
            assert_eq!(
                (&found, listed.len(), &json["solutions"]),
                (&classes, classes.len(), &classes.len().into()),
                "{text}"
            );
            let solved = solver.solve(&text, &ctx(), &mut |_| {}).unwrap();
            let solution = solved.solution().unwrap();
            assert_eq!(turned(at, &numbers(solution.moves())), model.solved, "{name} {goal}: {text}");
            assert_eq!(solution.length(), distances_of(&json));
        }
    }
    let question = Question { goal: Some("rof".to_owned()), ..Question::default() };
    let error = database.puzzle("attic").unwrap().query("A", &question, &ctx()).unwrap_err().to_string();
    assert!(
        error.contains("no goal \"rof\"; did you mean roof? choose from: roof, alike, ring; write only"),
        "{error}"
    );
    // A goal that only some moves lead to.
    let question = Question { goal: Some("only TILE-l0 moves B".to_owned()), ..Question::default() };
    let error = database.puzzle("attic").unwrap().query("A", &question, &ctx()).unwrap_err().to_string();
    assert!(error.contains("do not lead from here to the goal"), "{error}");
}

/// The distance of an answer.
fn distances_of(answer: &Value) -> usize {
    answer["distance"].as_u64().unwrap() as usize
}

/// The counts of goals, beside a search over lists of pieces.
#[test]
fn counts_of_goals_are_those_of_a_plain_search() {
    let mut compared = 0;
    for table in twistbase::tables::defined_tables().filter(|table| table.is_shipped()) {
        let (Some(goal), expected) = (table.puzzle_goal(), table.expected().unwrap().positions) else { continue };
        let whole = table.whole();
        let restriction = &whole.goals.iter().find(|known| known.name == goal.goal).unwrap().restriction;
        if expected.iter().sum::<u64>() > 30_000 || restriction.starts_with("up-to") {
            continue;
        }
        let distances = Model::of(whole).with_goal(whole, restriction).distances(99);
        let mut counts = vec![0; expected.len()];
        distances.values().for_each(|&distance| counts[usize::from(distance)] += 1);
        assert_eq!(counts, expected, "{}", table.name());
        compared += 1;
    }
    assert_eq!(compared, 28);
    // Each tip is turned in one of three ways.
    let tips = twistbase::tables::defined_tables().find(|table| table.name() == "pyraminx-tips-tips").unwrap();
    assert_eq!(tips.expected().unwrap().positions, [1, 4 * 2, 6 * 4, 4 * 8, 16]);
    // The last six edges: positions at each distance from all that U and M2 make.
    let eo = twistbase::tables::defined_tables().find(|table| table.name() == "lse-eo").unwrap();
    let model = Model::of(eo.whole());
    let is_left = |turn: &&Turn| turn.name.starts_with('U') || turn.name == "M2";
    let mut level: BTreeSet<Pieces> = BTreeSet::from([model.solved.clone()]);
    let mut open: Vec<Pieces> = level.iter().cloned().collect();
    while let Some(at) = open.pop() {
        let turned = model.turns.iter().filter(is_left).map(|turn| model.turned(&at, turn));
        open.extend(turned.filter(|to| level.insert(to.clone())));
    }
    let (size, mut seen, mut counts) = (level.len(), level.clone(), Vec::new());
    while !level.is_empty() {
        counts.push((level.len() / size) as u64);
        let turned = level.iter().flat_map(|at| model.turns.iter().map(|turn| model.turned(at, turn)));
        level = turned.filter(|to| seen.insert(to.clone())).collect();
    }
    assert_eq!(counts, eo.expected().unwrap().positions);
}

/// A build compares its distribution with the published one, and stores nothing if they differ.
#[test]
#[ignore = "long suite: builds all puzzles and goals that come with the program"]
fn every_puzzle_and_goal_has_its_published_distribution() {
    let folder = tempfile::tempdir().unwrap();
    let database = Database::open(folder.path()).unwrap();
    let shipped = || twistbase::tables::defined_tables().filter(|table| table.is_shipped());
    assert!(shipped().all(|table| table.expected().is_some()) && shipped().count() == 83);
    for table in shipped() {
        let id: TableId = table.name().parse().unwrap();
        let report = database.build(id, &BuildRequest::default(), &ctx()).unwrap();
        let expected: u64 = table.expected().unwrap().positions.iter().sum();
        assert_eq!(report.positions, expected, "{id}");
    }
}

/// The counts of `data/puzzle_levels.csv` (`puzzle levels NAME --ignore ORBITS`) are of all positions, and begin as a plain search does.
#[test]
fn counts_of_large_puzzles_are_of_all_their_positions() {
    let puzzles = [
        ("redi", "", 1_571_364_748_800),
        ("fto", "CORNER,EDGE", 369_600u64.pow(2)),
        ("cube3-slices", "CORNER", 980_995_276_800),
    ];
    for (name, ignored, all) in puzzles {
        let mut counts: Vec<u64> = Vec::new();
        for record in golden("puzzle_levels.csv").records().map(Result::unwrap).filter(|record| &record[0] == name) {
            assert_eq!((&record[1], record[2].parse()), (ignored, Ok(counts.len())));
            counts.push(record[3].parse().unwrap());
        }
        assert_eq!(counts.iter().sum::<u64>(), all, "{name}");
        let ignored =
            ignored.split(',').filter(|orbit| !orbit.is_empty()).map(|orbit| orbit.parse().unwrap()).collect();
        let puzzle = PuzzleDefinition::named(name).unwrap();
        let puzzle = puzzle.restricted(&Restriction { ignored, ..Restriction::default() }).unwrap();
        let near = puzzle.count_levels(4, u64::MAX, None, &Context::silent(), |_, _| Ok(())).unwrap();
        assert_eq!(near.counts, counts[..5], "{name}");
    }
}
