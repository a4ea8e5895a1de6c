//! Links that play solutions of cubes on alg.cubing.net.

use twistbase_core::error::{Error, Result};
use twistbase_database::cube3::CUBE3;

/// The name of the 2×2×2 cube.
const CUBE2: &str = "cube2";

/// The letters of moves and of turns of the whole cube, and what follows them.
const MOVES: &str = "URFDLBMESurfdlbxyzw23'’";

/// What a link begins with.
#[derive(Debug)]
pub struct Link {
    puzzle: &'static str,
    /// The moves that lead to the position; `None` if its solution, undone, does.
    setup: Option<String>,
}

/// Refuses links of lines of standard input, which would follow no line that they belong to, and in JSON, which has none.
///
/// # Errors
/// [`Error::Usage`].
pub fn check(is_wanted: bool, is_batch: bool, is_json: bool) -> Result<()> {
    let message = match is_batch {
        true => "--link needs a single position; it does not apply to standard input",
        false => "--link prints a link for people; it does not apply with --json",
    };
    if is_wanted && (is_batch || is_json) { Err(Error::Usage(message.to_owned())) } else { Ok(()) }
}

impl Link {
    /// Links for solutions of a position.
    ///
    /// # Errors
    /// [`Error::Usage`] for other puzzles than cubes, and for a position not given as moves whose solutions do not end with a solved
    /// cube.
    pub fn of(puzzle: &str, position: &str, is_solved: bool) -> Result<Self> {
        let puzzle = match puzzle {
            CUBE3 => "",
            CUBE2 => "&puzzle=2x2x2",
            other => return Err(Error::Usage(format!("--link is for {CUBE3} and {CUBE2}, not for {other}"))),
        };
        let is_move = |word: &str| word.len() <= 5 && word.chars().all(|letter| MOVES.contains(letter));
        let moves = position.strip_prefix("wca:").unwrap_or(position);
        let setup = match moves.eq_ignore_ascii_case("solved") {
            true => Some(String::new()),
            false => moves.split_whitespace().all(is_move).then(|| moves.to_owned()),
        };
        if setup.is_none() && !is_solved {
            return Err(Error::Usage("--link with a goal needs a position given as moves".to_owned()));
        }
        Ok(Self { puzzle, setup })
    }

    /// The link for a solution. Moves in brackets are made on the inverse: undone, they come before the position.
    pub fn to(&self, solution: &str) -> String {
        let (normal, inverse) = solution.split_once('(').unwrap_or((solution, ""));
        let setup = self.setup.clone().unwrap_or_else(|| undone(normal));
        let setup = format!("{} {setup}", undone(inverse.trim_end_matches(')')));
        let [setup, moves] = [&setup, normal].map(|moves| moves.trim().replace(' ', "_").replace(['\'', '’'], "-"));
        format!("https://alg.cubing.net/?setup={setup}&alg={moves}{}", self.puzzle)
    }
}

/// Moves that undo these.
fn undone(moves: &str) -> String {
    let undo = |turn: &str| match turn.strip_suffix('\'') {
        Some(turn) => turn.to_owned(),
        None if turn.ends_with('2') => turn.to_owned(),
        None => format!("{turn}'"),
    };
    moves.split_whitespace().rev().map(undo).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_have_the_letters_of_the_site() {
        let to =
            |puzzle, position, is_solved, solution| Link::of(puzzle, position, is_solved).map(|link| link.to(solution));
        const SITE: &str = "https://alg.cubing.net/?";
        let facelets = "UUUUUUUUURRRRRRRRRFFFFFFFFFDDDDDDDDDLLLLLLLLLBBBBBBBBB";
        for (puzzle, position, solution, expected) in [
            (CUBE3, "R U'", "U R'", "setup=R_U-&alg=U_R-"),
            (CUBE3, "wca:Rw2 x'", "U R'", "setup=Rw2_x-&alg=U_R-"),
            (CUBE3, "solved", "", "setup=&alg="),
            (CUBE3, facelets, "U R2 F'", "setup=F_R2_U-&alg=U_R2_F-"),
            (CUBE2, "R U'", "U R'", "setup=R_U-&alg=U_R-&puzzle=2x2x2"),
            (CUBE3, "R U'", "D (F B2)", "setup=B2_F-_R_U-&alg=D"),
            (CUBE3, "R U'", "(F)", "setup=F-_R_U-&alg="),
        ] {
            assert_eq!(to(puzzle, position, true, solution).unwrap(), format!("{SITE}{expected}"));
        }
        assert!(to("cube21", "R", true, "").unwrap_err().to_string().contains("not for cube21"));
        assert!(to(CUBE3, facelets, false, "U").unwrap_err().to_string().contains("given as moves"));
    }
}
