//! Goals of puzzles other than solved, by their names: `star` of the megaminx is `only UF,UR,UBR,UBL,UL`.

use twistbase_core::error::{Error, Result};
use twistbase_core::spelling;

use super::model::{PuzzleDefinition, Refusal};
use super::restriction::Restriction;

/// The steps that people use, puzzle by puzzle: name of the puzzle, name of the goal, and the [restriction](Restriction) that it is.
const KNOWN: [[&str; 3]; 36] = [
    // The tips may be off; the last four edges are left.
    ["pyraminx", "centers", "only DFBL,DBRF,DBLBR,FBRBL"],
    ["pyraminx", "v", "only DFBL,DBRF,DBLBR,FBRBL,DF,DBL"],
    ["pyraminx", "top", "only FBRBL,FBL,FBR,BLBR"],
    ["pyraminx", "layer", "only DFBL,DBRF,DBLBR,DF,DBL,DBR"],
    ["pyraminx", "edges", "only DF,DBL,DBR,FBL,FBR,BLBR"],
    // The tips are as the corners below them are.
    ["pyraminx-tips", "tips", "up-to U,L,R,B"],
    ["skewb", "layer", "only D,DRF,DLB,DFL,DBR"],
    ["skewb", "centers", "only U,D,F,B,R,L"],
    ["skewb", "corners", "only UBL,DFL,DBR,ULF,URB,DRF,DLB"],
    ["dino", "layer", "only DF,DB,DR,DL"],
    ["jing", "layer", "only D,DFBL,DBRF,DBLBR,DF,DBL,DBR"],
    ["skewb-diamond", "layer", "only U,ULFR,URBRB,UBBLL"],
    ["skewb-diamond", "centers", "only U,F,BL,BR,R,L,D,B"],
    ["master-pyramorphix", "corners", "only DFBL,DBRF,DBLBR,FBRBL"],
    ["master-pyramorphix", "edges", "only DF,BLBR,DBL,FBR,DBR,FBL"],
    ["ivy", "corners", "only ULF,URB,DRF,DLB"],
    ["ivy", "centers", "only U,D,F,B,R,L"],
    ["floppy", "corners", "only UFDR,ULDF,URDB,UBDL"],
    ["floppy", "edges", "only UDF,UDB,UDR,UDL"],
    // Corners are in their layer.
    ["tower", "separation", "only DRF=DFL=DBR=DLB"],
    ["tower", "layer", "only DRF,DFL,DBR,DLB"],
    ["tower", "corners", "ignore EDGE"],
    ["domino", "cross", "only DF,DB,DR,DL"],
    ["domino", "layer", "only DF,DB,DR,DL,DRF,DFL,DBR,DLB"],
    ["domino", "corners", "ignore EDGE,CENTER"],
    ["pyraminx-duo", "corners", "ignore CENTER"],
    ["pyraminx-duo", "centers", "ignore CORNER"],
    // Roux 4a: turns of U and half turns of M are left.
    ["lse", "eo", "up-to U,M2"],
    ["redi", "corners", "ignore EDGE"],
    ["redi", "cross", "only DF,DB,DR,DL"],
    ["redi", "layer", "only DF,DB,DR,DL,DRF,DLB,DFL,DBR"],
    ["kilominx", "layer", "only ULF,URBR,UBRBL,UBLL"],
    // A corner with its three edges; the edges of a face.
    ["megaminx", "block", "only UFR,UF,UR,FR"],
    ["megaminx", "star", "only UF,UR,UBR,UBL,UL"],
    ["fto", "corners", "ignore EDGE,CENTER,CENTER2"],
    ["4x4x4", "center", "only U"],
];

/// A goal of a puzzle other than solved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedGoal {
    /// Its name: a to z, 0 to 9 and -.
    pub name: String,
    /// The [restriction](Restriction) of the puzzle, as text.
    pub restriction: String,
}

impl PuzzleDefinition {
    /// With the goals that a puzzle of this name has.
    #[must_use]
    pub fn with_goals_of(self, name: &str) -> Self {
        let named = |[_, name, restriction]: &[&str; 3]| NamedGoal {
            name: (*name).to_owned(),
            restriction: (*restriction).to_owned(),
        };
        Self { goals: KNOWN.iter().filter(|[puzzle, ..]| *puzzle == name).map(named).collect(), ..self }
    }

    /// The names of the goals that a puzzle of this name has.
    pub fn goal_names_of(name: &str) -> impl Iterator<Item = &'static str> {
        KNOWN.iter().filter(move |[puzzle, ..]| *puzzle == name).map(|[_, goal, _]| *goal)
    }

    /// The restriction that a goal is: one of the [goals](Self::goals) by its name, or a restriction as text.
    ///
    /// ```
    /// use twistbase_definition::PuzzleDefinition;
    ///
    /// let megaminx = PuzzleDefinition::named("megaminx").expect("a known name");
    /// assert_eq!(megaminx.goal("star")?, megaminx.goal("only UF,UR,UBR,UBL,UL")?);
    /// assert!(megaminx.goal("stra").unwrap_err().to_string().contains("did you mean star?"));
    /// # Ok::<(), twistbase_core::error::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Usage`] that names the nearest goals and all; those of reading a restriction.
    pub fn goal(&self, goal: &str) -> Result<Restriction> {
        if let Some(named) = self.goals.iter().find(|known| known.name.eq_ignore_ascii_case(goal.trim())) {
            return named.restriction.parse();
        }
        if Restriction::is_meant(goal) {
            return goal.parse();
        }
        let names = || self.goals.iter().map(|goal| goal.name.as_str());
        let nearest = spelling::nearest(goal, names());
        let meant = spelling::did_you_mean(&nearest).map(|meant| format!(" {meant}")).unwrap_or_default();
        let listed = match &*names().collect::<Vec<_>>().join(", ") {
            "" => String::new(),
            all => format!(" choose from: {all};"),
        };
        Err(Error::Usage(format!(
            "there is no goal {goal:?};{meant}{listed} write only PIECES, ignore ORBITS or up-to MOVES for another"
        )))
    }

    /// Adds a goal, unless it has no name that is free or restricts the puzzle to what it lacks.
    pub(crate) fn add_goal(&mut self, name: String, restriction: String) -> std::result::Result<(), Refusal> {
        let is_letter = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
        if !(1..=32).contains(&name.len()) || !name.chars().all(is_letter) {
            let message = format!("{name:?} is no name of a goal: use a to z, 0 to 9 and -, at most 32");
            return Err(("name", message));
        }
        if self.goals.iter().any(|goal| goal.name == name) {
            return Err(("name", format!("the goal {name} exists already")));
        }
        let restricted = restriction.parse().and_then(|restriction| self.restricted(&restriction));
        restricted.map_err(|error| ("goal", error.to_string()))?;
        self.goals.push(NamedGoal { name, restriction });
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use twistbase_core::context::Context;

    use super::*;

    #[test]
    fn goals_are_parts_of_their_puzzles() {
        let mut seen = HashSet::new();
        for [puzzle, goal, text] in KNOWN {
            assert!(seen.insert([puzzle, goal]) && Restriction::is_meant(text), "{puzzle} {goal}");
            // Others have their lines in the list of tables.
            let Some(whole) = PuzzleDefinition::named(puzzle) else { continue };
            let restriction = whole.goal(goal).unwrap();
            let left = whole.restricted(&restriction).unwrap();
            assert!(left.goals.is_empty() && left != whole, "{puzzle} {goal}");
            let mut again = PuzzleDefinition { goals: Vec::new(), ..whole.clone() };
            assert_eq!(again.add_goal(goal.to_owned(), text.to_owned()), Ok(()), "{puzzle} {goal}");
        }
    }

    #[test]
    fn restrictions_are_read_as_the_options_of_commands() {
        let words = |words: &str| Some(words.split(' ').map(str::to_owned).collect());
        for (text, restriction) in [
            ("only UF,UR", Restriction { pieces: words("UF UR"), ..Restriction::default() }),
            ("only UF, UR", Restriction { pieces: words("UF UR"), ..Restriction::default() }),
            (
                "only UF=UB moves R,U2 quarter-turns",
                Restriction {
                    pieces: words("UF=UB"),
                    moves: words("R U2"),
                    quarter_turns: true,
                    ..Restriction::default()
                },
            ),
            (
                "ignore CENTER,EDGE:orientations up-to R U R',U2",
                Restriction {
                    ignored: vec!["CENTER".parse().unwrap(), "EDGE:orientations".parse().unwrap()],
                    up_to: Some(vec!["R U R'".to_owned(), "U2".to_owned()]),
                    ..Restriction::default()
                },
            ),
        ] {
            assert_eq!(text.parse::<Restriction>().unwrap(), restriction, "{text}");
        }
        for (text, reason) in [
            ("", "only, ignore, moves, up-to or quarter-turns"),
            ("UF,UR", "\"UF,UR\" is none of"),
            ("only", "after only, a list is missing"),
            ("only UF only UR", "only is there twice"),
            ("quarter-turns R", "nothing follows quarter-turns"),
            ("ignore EDGE:flips", "places or orientations"),
        ] {
            let error = text.parse::<Restriction>().unwrap_err().to_string();
            assert!(error.contains(reason), "{text:?}: {error}");
        }
    }

    #[test]
    fn a_definition_keeps_its_goals() {
        let text = "Set TILE 4 1\nMove S\nTILE\n2 1 3 4\nEnd\nMove T\nTILE\n2 3 4 1\nEnd\n";
        let mut row = PuzzleDefinition::parse(text).unwrap();
        row.add_goal("first".to_owned(), "only TILE-l0".to_owned()).unwrap();
        let again = PuzzleDefinition::parse(&row.to_kpuzzle()).unwrap();
        assert_eq!(again, row);
        let first = again.restricted(&again.goal("FIRST").unwrap()).unwrap();
        let levels = first.count_levels(9, u64::MAX, None, &Context::silent(), |_, _| Ok(())).unwrap();
        assert_eq!(levels.counts, [1, 3]);
        for (name, restriction, reason) in [
            ("first", "only TILE-l1", "exists already"),
            ("Two", "only TILE-l1", "is no name of a goal"),
            ("two", "only TILE-l9", "is no piece"),
            ("two", "TILE-l1", "is none of"),
        ] {
            let (_, error) = row.add_goal(name.to_owned(), restriction.to_owned()).unwrap_err();
            assert!(error.contains(reason), "{error}");
            let json = row.to_kpuzzle().replace(r#""first":"only TILE-l0""#, &format!("{name:?}:{restriction:?}"));
            if name != "first" {
                let error = PuzzleDefinition::parse(&json).unwrap_err().to_string();
                assert!(error.contains("/goals/") || error.contains("puzzle definition"), "{error}");
            }
        }
    }
}
