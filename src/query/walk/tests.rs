use super::*;
use twistbase_core::context::Context;
use twistbase_core::error::{Error, Result};

/// Squares of a grid, on the way to its corner: by one to the left or down, or by two to the left, which costs 2. One
/// to the left is not followed by another, so that each path is listed once.
struct Grid {
    /// Whose distance is one too many, as in a damaged table.
    wrong: Option<(u8, u8)>,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Square {
    at: (u8, u8),
    after_left: bool,
}

impl Square {
    fn start(x: u8, y: u8) -> Self {
        Self { at: (x, y), after_left: false }
    }
}

impl DistanceGraph for Grid {
    type Node = Square;
    type Move = char;
    type Key = Square;
    type Solution = String;

    fn distance(&self, node: &Square) -> Result<u8> {
        Ok(node.at.0 + node.at.1 + u8::from(self.wrong == Some(node.at)))
    }

    fn nearer(&self, node: &Square, distance: u8) -> Result<Vec<PathStep<char, Square>>> {
        let mut nearer = Vec::new();
        for (turn, cost, [left, down]) in [('l', 1, [1, 0]), ('2', 2, [2, 0]), ('d', 1, [0, 1])] {
            let (Some(x), Some(y)) = (node.at.0.checked_sub(left), node.at.1.checked_sub(down)) else { continue };
            let to = Square { at: (x, y), after_left: turn != 'd' };
            let is_allowed = turn == 'd' || !node.after_left;
            if is_allowed && self.distance(&to)? + cost == distance {
                nearer.push(PathStep { turn, cost, to });
            }
        }
        Ok(nearer)
    }

    fn check_dead_end(&self, node: &Square, _distance: u8) -> Result<()> {
        if node.after_left { Ok(()) } else { Err(Error::Usage("no step".to_owned())) }
    }

    fn key(&self, node: &Square) -> Square {
        *node
    }

    fn solution(&self, _start: &Square, path: &[PathStep<char, Square>]) -> Result<String> {
        Ok(path.iter().map(|step| step.turn).collect())
    }
}

/// All paths by plain recursion, in their order.
fn plain(grid: &Grid, node: Square, path: &str, paths: &mut Vec<String>) {
    if node.at == (0, 0) {
        paths.push(path.to_owned());
    }
    for step in grid.nearer(&node, node.at.0 + node.at.1).unwrap() {
        plain(grid, step.to, &format!("{path}{}", step.turn), paths);
    }
}

#[test]
fn every_path_is_listed_once_and_counted() {
    let grid = Grid { wrong: None };
    for (x, y) in (0..=6).flat_map(|x| (0..=6).map(move |y| (x, y))) {
        let (start, mut expected) = (Square::start(x, y), Vec::new());
        plain(&grid, start, "", &mut expected);
        let paths = ShortestPaths::new(Grid { wrong: None }, start).unwrap();
        assert_eq!(paths.distance(), x + y);
        assert_eq!(paths.map(Result::unwrap).collect::<Vec<_>>(), expected, "{x} {y}");
        let count: u64 = count_paths(&grid, &start, x + y, &Context::silent()).unwrap();
        assert_eq!(count, expected.len() as u64, "{x} {y}");
    }
}

#[test]
fn dead_ends_are_passed_over() {
    let paths = |x, y| ShortestPaths::new(Grid { wrong: None }, Square::start(x, y)).unwrap().map(Result::unwrap);
    assert_eq!(paths(2, 1).collect::<Vec<_>>(), ["ldl", "2d", "d2"]);
    assert_eq!(paths(0, 0).collect::<Vec<_>>(), [""]);
    assert_eq!(paths(3, 0).count(), 0);
}

#[test]
fn contradictions_end_the_list_and_the_count() {
    let grid = || Grid { wrong: Some((0, 2)) };
    let start = Square::start(0, 2);
    let mut paths = ShortestPaths::new(grid(), start).unwrap();
    assert!(paths.next().is_some_and(|path| path.is_err()) && paths.next().is_none());
    assert!(count_paths::<_, u64>(&grid(), &start, 3, &Context::silent()).is_err());
}
