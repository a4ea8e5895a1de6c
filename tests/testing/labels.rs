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

/// Those of them that are quarter turns.
pub fn quarter_turns(faces: &str) -> Vec<NamedTurn> {
    turns(faces).into_iter().filter(|(name, _)| !name.ends_with('2')).collect()
}

/// All labels at most so many turns from any of some, with their distances: level by level.
pub fn distances_within(goals: &[Labels], turns: &[NamedTurn], most: usize) -> HashMap<Labels, usize> {
    let (mut found, mut level) = (HashMap::new(), goals.to_vec());
    for distance in 0..=most {
        level.retain(|labels| !found.contains_key(labels) && found.insert(*labels, distance).is_none());
        if level.is_empty() {
            break;
        }
        level = level.iter().flat_map(|labels| turns.iter().map(|(_, from)| from.map(|from| labels[from]))).collect();
    }
    found
}

/// All labels that the moves of faces lead to from a goal, with their distances.
pub fn distances(goal: &Labels, faces: &str) -> HashMap<Labels, usize> {
    distances_within(&[*goal], &turns(faces), usize::MAX)
}

/// The same in quarter turns.
pub fn distances_in_quarter_turns(goal: &Labels, faces: &str) -> HashMap<Labels, usize> {
    distances_within(&[*goal], &quarter_turns(faces), usize::MAX)
}

/// All shortest ways to the goal, turns of opposite faces in one order.
pub fn shortest_ways(labels: &Labels, faces: &str, distances: &HashMap<Labels, usize>) -> BTreeSet<String> {
    ways_by(labels, faces, distances, |_| 1)
}

/// The same in quarter turns: a half turn is two moves.
pub fn ways_in_quarter_turns(labels: &Labels, faces: &str, distances: &HashMap<Labels, usize>) -> BTreeSet<String> {
    ways_by(labels, faces, distances, |name| if name.ends_with('2') { 2 } else { 1 })
}

fn ways_by(
    labels: &Labels,
    faces: &str,
    distances: &HashMap<Labels, usize>,
    cost: fn(&str) -> usize,
) -> BTreeSet<String> {
    struct Walk<'a> {
        turns: &'a [NamedTurn],
        distances: &'a HashMap<Labels, usize>,
        cost: fn(&str) -> usize,
        way: Vec<String>,
        all: BTreeSet<String>,
    }
    fn walk(labels: &Labels, on: &mut Walk<'_>) {
        if on.distances[labels] == 0 {
            on.all.insert(in_one_order(&on.way));
        }
        for (name, permutation) in on.turns {
            // Two turns of a face, perhaps with one of the opposite face between them, are one.
            let mut faces = on.way.iter().rev().map(|turn| &turn[..1]);
            let (last, one_before) = (faces.next(), faces.next());
            let is_beside = last.is_some_and(|last| "UDU RLR FBF".contains(&[&name[..1], last].concat()));
            if last == Some(&name[..1]) || is_beside && one_before == Some(&name[..1]) {
                continue;
            }
            let there = permutation.map(|from| labels[from]);
            if on.distances[&there] + (on.cost)(name) == on.distances[labels] {
                on.way.push(name.clone());
                walk(&there, on);
                on.way.pop();
            }
        }
    }
    let mut on = Walk { turns: &turns(faces), distances, cost, way: Vec::new(), all: BTreeSet::new() };
    walk(labels, &mut on);
    on.all
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
