//! Plain searches over the 54 stickers of a cube with labels on some: what goals are compared with. They are compiled with
//! optimisation here, which tests are not.

use std::collections::{BTreeSet, HashMap};

use crate::stickers::Stickers;

/// The stickers, each with a label; 0 where any will do.
pub type Labels = [u8; 54];

/// A move, and where the sticker on each facelet comes from.
pub type NamedTurn = (String, [usize; 54]);

/// The six faces, each with its three moves.
pub const ALL_MOVES: &str = "U R F D L B";

/// What moves do to labels, by the cube of stickers: where the sticker on each facelet comes from.
fn permutation(moves: &str) -> [usize; 54] {
    let mut stickers = Stickers::of(&(0..54).map(|at| char::from(b'A' + at)).collect::<String>());
    stickers.apply(moves);
    let letters: Vec<char> = stickers.to_string().chars().collect();
    std::array::from_fn(|facelet| letters[facelet] as usize - usize::from(b'A'))
}

/// Where moves lead.
pub fn after(labels: &Labels, moves: &str) -> Labels {
    permutation(moves).map(|from| labels[from])
}

/// The moves that faces have: `F2` has one, `F` three.
pub fn turns(faces: &str) -> Vec<NamedTurn> {
    let of = |face: &str| match face.ends_with('2') {
        true => vec![face.to_owned()],
        false => ["", "2", "'"].map(|suffix| format!("{face}{suffix}")).to_vec(),
    };
    faces.split(' ').flat_map(of).map(|name| (name.clone(), permutation(&name))).collect()
}

/// All labels at most so many moves from any of some, with their distances: level by level.
pub fn distances_within(goals: &[Labels], faces: &str, moves: usize) -> HashMap<Labels, usize> {
    let (turns, mut found, mut level) = (turns(faces), HashMap::new(), goals.to_vec());
    for distance in 0..=moves {
        level.retain(|labels| !found.contains_key(labels) && found.insert(*labels, distance).is_none());
        if level.is_empty() {
            break;
        }
        level = level.iter().flat_map(|labels| turns.iter().map(|(_, from)| from.map(|from| labels[from]))).collect();
    }
    found
}

/// All labels that moves lead to from a goal, with their distances.
pub fn distances(goal: &Labels, faces: &str) -> HashMap<Labels, usize> {
    distances_within(&[*goal], faces, usize::MAX)
}

/// All shortest ways to the goal, turns of opposite faces in one order.
pub fn shortest_ways(labels: &Labels, faces: &str, distances: &HashMap<Labels, usize>) -> BTreeSet<String> {
    fn walk(
        labels: &Labels,
        turns: &[NamedTurn],
        distances: &HashMap<Labels, usize>,
        way: &mut Vec<String>,
        all: &mut BTreeSet<String>,
    ) {
        if distances[labels] == 0 {
            all.insert(in_one_order(way));
        }
        for (name, permutation) in turns {
            let there = permutation.map(|from| labels[from]);
            if distances[&there] < distances[labels] {
                way.push(name.clone());
                walk(&there, turns, distances, way, all);
                way.pop();
            }
        }
    }
    let mut all = BTreeSet::new();
    walk(labels, &turns(faces), distances, &mut Vec::new(), &mut all);
    all
}

/// All shortest ways to a goal, and their length, by trying every sequence.
pub fn shortest_by_trying(
    labels: &Labels,
    is_goal: &dyn Fn(&Labels) -> bool,
    turns: &[NamedTurn],
) -> (usize, BTreeSet<String>) {
    let mut level = vec![(*labels, Vec::<String>::new())];
    loop {
        let reached = level.iter().filter(|(labels, _)| is_goal(labels));
        let ways: BTreeSet<_> = reached.map(|(_, way)| in_one_order(way)).collect();
        if !ways.is_empty() {
            return (level[0].1.len(), ways);
        }
        let next = level.iter().flat_map(|(labels, way)| {
            let is_new = |name: &str| way.last().is_none_or(|last: &String| last[..1] != name[..1]);
            let new = turns.iter().filter(move |(name, _)| is_new(name));
            new.map(move |(name, from)| {
                (from.map(|from| labels[from]), [&way[..], std::slice::from_ref(name)].concat())
            })
        });
        level = next.collect();
    }
}

/// Moves, those of two opposite faces beside each other in the order U D, R L, F B.
fn in_one_order(moves: &[String]) -> String {
    let mut moves = moves.to_vec();
    for at in 1..moves.len() {
        let pair = [&moves[at][..1], &moves[at - 1][..1]].concat();
        if ["UD", "RL", "FB"].contains(&pair.as_str()) {
            moves.swap(at - 1, at);
        }
    }
    moves.join(" ")
}
