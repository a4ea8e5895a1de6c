//! Puzzles that are data: each has a table, of all its positions.
//!
//! A row and an entry are those of the [space](PuzzleSpace) of the definition. The value is the distance modulo 3, or 3 where no
//! moves lead: whoever walks to solved counts the moves. In nibbles it is the distance.
//!
//! Of a table that was built to a depth the largest value also stands for what is farther.

use crate::published::published;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use super::cube2;
use super::definition::first_layout;
use super::generated::{Generated, VisitRow, sum_of_positions};
use super::goals::CubeGoal;
use super::{BuildDepth, Definition, Distribution, Goal, Kind, TableFacts, TableMetric};
use twistbase_core::context::Context;
use twistbase_core::error::{Error, InvalidInput, Result};
use twistbase_core::math::nibble::UNSET;
use twistbase_definition::{Geometry, NamedGoal, Pattern, PuzzleDefinition, PuzzleSpace, SpacePosition};
use twistbase_levelset::{Keep, KnownRows, LevelSearch, Options, ProductLevels};
use twistbase_puzzle::cube2::notation::{self, array};
use twistbase_puzzle::cube3::Metric;
use twistbase_store::{CacheUnit, Packing, RowLevels, TableLayout};

/// The value, in two bits, of an entry that no moves lead to, or that is beyond the depth.
pub const UNREACHED: u8 = 3;

/// The most levels of a row, in a file.
const MOST_LEVELS: usize = 64;

/// The table of a puzzle that is data.
#[derive(Debug)]
pub struct DefinedTable {
    about: About,
    definition: OnceLock<PuzzleDefinition>,
    /// Of a goal, the puzzle that it is a goal of.
    whole: OnceLock<PuzzleDefinition>,
    numbered: OnceLock<Numbered>,
    geometry: OnceLock<Option<Arc<Geometry>>>,
}

/// What is known of a table before its definition is read.
#[derive(Debug)]
pub(super) struct About {
    pub name: &'static str,
    pub title: &'static str,
    pub facts: TableFacts,
    /// The line of its geometry; empty if it has none.
    pub line: &'static str,
    /// What it is a goal of a cube by, if it is one.
    pub goal: Option<CubeGoal>,
    /// What it is a goal of another puzzle by, if it is one.
    pub part: Option<PuzzleGoal>,
    pub is_shipped: bool,
    pub notation: Notation,
    /// What follows from the definition, where it is known, so that a list of tables numbers no positions.
    pub known: Option<Known>,
}

impl About {
    /// About a table that comes with the program.
    pub const fn new(name: &'static str, title: &'static str, facts: TableFacts) -> Self {
        let (line, goal, part, is_shipped, notation, known) = ("", None, None, true, Notation::KPattern, None);
        Self { name, title, facts, line, goal, part, is_shipped, notation, known }
    }
}

/// The facts of a table of all positions of a puzzle, whose name it has.
const fn facts(puzzle: &'static str, summary: &'static str, expected: Option<Distribution>) -> TableFacts {
    TableFacts::new([puzzle, "row"], TableMetric::Moves, Goal::Solved, summary, expected)
}

/// A goal of a puzzle that is data: a restriction of its definition.
#[derive(Debug, Clone, Copy)]
pub struct PuzzleGoal {
    /// The name of the puzzle, which need not have a table.
    pub puzzle: &'static str,
    /// The goal, as [`PuzzleDefinition::goal`] reads it.
    pub goal: &'static str,
}

/// How positions are written, and rows named.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Notation {
    /// As KPatterns of cubing.js.
    KPattern,
    /// As the facelets of a 2×2×2 cube.
    Cube2,
}

/// The layout, and the bytes of memory that a build takes.
#[derive(Debug)]
pub(super) struct Known {
    pub layout: TableLayout,
    pub memory: u64,
}

/// Rows, entries of a row, the bytes of memory of a build, and the first bytes of the definition's digest.
pub(super) type Sizes = (u32, u32, u64, [u8; 6]);

/// The positions, numbered.
#[derive(Debug)]
struct Numbered {
    layout: TableLayout,
    space: PuzzleSpace,
}

/// The tables of the puzzles that come with the program: names, titles, what is in the table, geometries, and positions at each
/// distance. Numbering the positions takes some milliseconds, so it waits until somebody asks.
pub(super) static SHIPPED: [DefinedTable; 13] = [
    DefinedTable::shipped(
        ["pyraminx", "Pyraminx without its tips", "pyraminx without its tips, every position"],
        "t v 0.333333333333333 moves U,L,R,B",
        (1, 933_120, 472_448, [80, 230, 172, 209, 64, 225]),
        published("pyraminx"),
    ),
    DefinedTable::shipped(
        ["pyraminx-tips", "Pyraminx with its tips", "pyraminx with its tips, every position"],
        "t v 0.333333333333333 v 1.66666666666667 moves U=Uw,L=Lw,R=Rw,B=Bw,u=U,l=L,r=R,b=B",
        (81, 933_120, 38_268_288, [214, 134, 25, 107, 219, 56]),
        published("pyraminx-tips"),
    ),
    DefinedTable::shipped(
        ["skewb", "Skewb", "skewb, every position"],
        "c v 0 hold UFR moves R=DBR,U=UBL,L=DLF,B=DLB",
        (81, 38_880, 1_689_984, [167, 227, 86, 57, 211, 59]),
        published("skewb"),
    ),
    DefinedTable::shipped(
        ["dino", "Dino cube", "dino cube, every position"],
        "c v 0.577350269189626 hold UF",
        (462, 86_400, 21_348_096, [127, 187, 72, 242, 20, 149]),
        published("dino"),
    ),
    DefinedTable::shipped(
        ["jing", "Jing's pyraminx", "Jing's pyraminx, every position"],
        "t f 0 hold DF moves F,L=BL,R=BR,D",
        (12, 311_040, 1_867_776, [61, 146, 88, 125, 110, 126]),
        published("jing"),
    ),
    DefinedTable::shipped(
        ["skewb-diamond", "Skewb diamond", "skewb diamond, every position"],
        "o f 0 hold UFRL",
        (1, 138_240, 69_248, [75, 205, 116, 89, 252, 3]),
        published("skewb-diamond"),
    ),
    DefinedTable::shipped(
        ["master-pyramorphix", "Master pyramorphix", "master pyramorphix, every position"],
        "t e 0.866025403784439",
        (64, 331_776, 10_625_024, [66, 219, 90, 248, 201, 28]),
        published("master-pyramorphix"),
    ),
    DefinedTable::shipped(
        ["ivy", "Ivy cube", "Ivy cube, every position"],
        "c v 0 moves R=UBR,L=UFL,D=DFR,B=DBL without CORNER",
        (1, 29_160, 15_680, [178, 252, 239, 234, 87, 160]),
        published("ivy"),
    ),
    DefinedTable::shipped(
        ["floppy", "Floppy cube", "floppy cube (3x3x1), every position"],
        "3x3x1",
        (1, 384, 320, [158, 207, 187, 186, 53, 17]),
        published("floppy"),
    ),
    DefinedTable::shipped(
        ["tower", "Tower cube", "tower cube (2x2x3), every position"],
        "2x2x3 hold DBL",
        (1, 241_920, 121_472, [90, 241, 222, 51, 10, 145]),
        published("tower"),
    ),
    DefinedTable::shipped(
        ["domino", "Domino", "domino (3x3x2), every position"],
        "3x3x2 hold DBL",
        (5_040, 80_640, 203_857_920, [238, 234, 155, 43, 96, 204]),
        published("domino"),
    ),
    DefinedTable::shipped(
        ["pyraminx-duo", "Pyraminx Duo", "Pyraminx Duo, every position"],
        "t v -0.2 moves U,L,R,B without EDGE",
        (1, 324, 320, [187, 151, 143, 76, 182, 38]),
        published("pyraminx-duo"),
    ),
    DefinedTable::shipped(
        ["lse", "Last six edges, by M and U", "last six edges of Roux by M and U, every position"],
        "c f 0.333333333333333 moves M=2L,U",
        (1, 368_640, 184_448, [13, 139, 220, 70, 187, 121]),
        published("lse"),
    ),
];

impl DefinedTable {
    /// A puzzle that comes with the program, from the line of its geometry.
    const fn shipped(names: [&'static str; 3], line: &'static str, sizes: Sizes, expected: Distribution) -> Self {
        Self::counted(names, line, None, sizes, expected)
    }

    /// A goal of a puzzle that comes with the program or is known by its name.
    pub(super) const fn part(
        [puzzle, goal]: [&'static str; 2],
        names: [&'static str; 3],
        sizes: Sizes,
        expected: Distribution,
    ) -> Self {
        let mut table = Self::counted(names, "", None, sizes, expected);
        table.about.part = Some(PuzzleGoal { puzzle, goal });
        table
    }

    /// A goal of a cube.
    pub(super) const fn goal(names: [&'static str; 3], goal: CubeGoal, sizes: Sizes, expected: Distribution) -> Self {
        Self::counted(names, "", Some(goal), sizes, expected)
    }

    const fn counted(
        [name, title, summary]: [&'static str; 3],
        line: &'static str,
        goal: Option<CubeGoal>,
        (rows, entries, memory, digest): Sizes,
        expected: Distribution,
    ) -> Self {
        let mut facts = facts(name, summary, Some(expected));
        if let Some(CubeGoal { metric: Metric::Qtm, .. }) = goal {
            facts.metric = TableMetric::FaceTurns(Metric::Qtm);
        }
        Self::new(About {
            known: Some(Known { layout: layout_of(name, rows, entries, digest), memory }),
            line,
            goal,
            ..About::new(name, title, facts)
        })
    }

    pub(super) const fn new(about: About) -> Self {
        Self {
            about,
            definition: OnceLock::new(),
            whole: OnceLock::new(),
            numbered: OnceLock::new(),
            geometry: OnceLock::new(),
        }
    }

    /// The table of a puzzle that was added. With its sizes, its positions are numbered when somebody asks.
    fn added(
        name: &'static str,
        title: &'static str,
        definition: PuzzleDefinition,
        sizes: Option<&str>,
    ) -> Result<Self> {
        let [summary, line]: [&'static str; 2] =
            [format!("{title}, every position").leak(), definition.geometry.clone().leak()];
        let known = sizes.and_then(|sizes| Known::read(name, &definition, sizes));
        let numbered = match known {
            Some(_) => OnceLock::new(),
            None => OnceLock::from(Numbered::new(name, Notation::KPattern, definition.clone())?),
        };
        let facts = facts(name, summary, None);
        let about = About { line, is_shipped: false, known, ..About::new(name, title, facts) };
        Ok(Self { definition: OnceLock::from(definition), numbered, ..Self::new(about) })
    }

    /// The table of a goal of a puzzle. Its positions are numbered when somebody asks.
    fn part_of([puzzle, goal, name]: [&'static str; 3], whole: PuzzleDefinition) -> Self {
        let facts = facts(name, format!("{puzzle} to the goal {goal}").leak(), None);
        let part = Some(PuzzleGoal { puzzle, goal });
        let about = About { part, is_shipped: false, ..About::new(name, goal, facts) };
        Self { whole: OnceLock::from(whole), ..Self::new(about) }
    }

    /// The tables of the goals of a puzzle: of those whose positions can be numbered, which `sizes` may say.
    fn parts_of(puzzle: &'static str, whole: &PuzzleDefinition, sizes: Option<&str>) -> Vec<Self> {
        let is_in = |line: &str, goal: &str| line.split(' ').any(|word| word == goal);
        let known = sizes.and_then(|sizes| {
            let (line, checksum) = sizes.lines().nth(1)?.rsplit_once(' ')?;
            (goals_line(whole, line) == format!("{line} {checksum}\n")).then_some(line)
        });
        let has_table = |goal: &NamedGoal| match known {
            Some(line) => is_in(line, &goal.name),
            None => {
                let left = || whole.restricted(&whole.goal(&goal.name)?);
                is_name(&format!("{puzzle}-{}", goal.name)) && left().and_then(check_goal).is_ok()
            }
        };
        let named = |goal: &NamedGoal| {
            let [goal, name]: [&'static str; 2] = [goal.name.clone().leak(), format!("{puzzle}-{}", goal.name).leak()];
            Self::part_of([puzzle, goal, name], whole.clone())
        };
        whole.goals.iter().filter(|goal| has_table(goal)).map(named).collect()
    }

    /// The puzzle.
    pub fn definition(&self) -> &PuzzleDefinition {
        self.definition.get_or_init(|| {
            let About { name, goal, notation, .. } = &self.about;
            if *notation == Notation::Cube2 {
                return cube2::definition();
            }
            let of_line = || self.geometry().map(|geometry| geometry.definition().clone().with_goals_of(name));
            let of_goal = goal.as_ref().map(|goal| goal.definition(name));
            let of_part = || self.about.part.map(|part| self.restricted_to(part));
            let definition = of_goal.or_else(of_part).or_else(of_line).or_else(|| PuzzleDefinition::named(name));
            definition.expect("a puzzle that comes with the program has a line or is known by its name")
        })
    }

    /// A goal that comes with the program.
    fn restricted_to(&self, part: PuzzleGoal) -> PuzzleDefinition {
        let restricted = self.whole().goal(part.goal).and_then(|goal| self.whole().restricted(&goal));
        let definition = restricted.expect("a goal that comes with the program");
        PuzzleDefinition { name: self.about.name.to_owned(), ..definition }
    }

    /// Of a goal, the puzzle that it is a goal of; else the puzzle.
    pub fn whole(&self) -> &PuzzleDefinition {
        let Some(PuzzleGoal { puzzle, .. }) = self.about.part else { return self.definition() };
        self.whole.get_or_init(|| {
            // Not the list of all, which may be locked: others begin with their whole puzzle.
            let table = SHIPPED.iter().find(|table| table.about.name == puzzle);
            let of_table = table.map(|table| table.definition().clone());
            of_table.or_else(|| PuzzleDefinition::named(puzzle)).expect("a puzzle with goals")
        })
    }

    /// A position of the [whole](Self::whole) puzzle in this table; `None` where no moves of the goal lead.
    pub fn place_of(&self, position: &Pattern) -> Option<SpacePosition> {
        match self.about.part {
            None => self.space().position_of(position),
            Some(_) => self.space().position_of(&self.whole().position_in(self.definition(), position)),
        }
    }

    /// The rows, the entries of a row and the bytes of memory of a build, and the goals with a table, as lines for [`define`].
    pub fn sizes(&self) -> String {
        let layout = Definition::layout(self);
        let sizes = [layout.rows.into(), layout.row_entries(), self.working_set()];
        let goals: Vec<_> = goals_of(self.about.name).filter_map(|table| table.about.part).map(|of| of.goal).collect();
        sizes_line(self.definition(), sizes) + &goals_line(self.definition(), &goals.join(" "))
    }

    fn numbered(&self) -> &Numbered {
        self.numbered.get_or_init(|| {
            let About { name, notation, .. } = self.about;
            Numbered::new(name, notation, self.definition().clone()).expect("positions that can be numbered")
        })
    }

    /// The positions.
    pub fn space(&self) -> &PuzzleSpace {
        &self.numbered().space
    }

    /// The name of the puzzle for people.
    pub fn title(&self) -> &'static str {
        self.about.title
    }

    /// How positions are written.
    pub fn notation(&self) -> Notation {
        self.about.notation
    }

    /// What the turn of a number counts.
    pub fn cost(&self, turn: usize) -> u8 {
        let is_half_turn = || self.space().turns()[turn].name.ends_with('2');
        if self.metric() == TableMetric::FaceTurns(Metric::Qtm) && is_half_turn() { 2 } else { 1 }
    }

    /// Bytes of a position as an array.
    pub fn array_bytes(&self) -> usize {
        match self.about.notation {
            Notation::KPattern => self.space().array_bytes(),
            Notation::Cube2 => array::LENGTH,
        }
    }

    /// Reads a position from an array.
    ///
    /// # Errors
    /// Fails with every reason.
    pub fn read_array(&self, array: &[u8]) -> Result<SpacePosition, InvalidInput> {
        match self.about.notation {
            Notation::KPattern => self.space().read_array(array),
            Notation::Cube2 => array::read(array).map(|position| cube2::place(&position)),
        }
    }

    /// Writes a position to an array of [`array_bytes`](Self::array_bytes).
    ///
    /// # Panics
    /// If it is a position of another puzzle, or the array has another length.
    pub fn write_array(&self, position: SpacePosition, array: &mut [u8]) {
        match self.about.notation {
            Notation::KPattern => self.space().write_array(position, array),
            Notation::Cube2 => array.copy_from_slice(&array::write(&cube2::position(position))),
        }
    }

    /// Appends a position to a text.
    ///
    /// # Panics
    /// If it is a position of another puzzle.
    pub fn append(&self, position: SpacePosition, text: &mut String) {
        match self.about.notation {
            Notation::KPattern => text.push_str(&self.space().kpattern(position).to_string()),
            Notation::Cube2 => notation::append(&cube2::position(position), text),
        }
    }

    /// What a search keeps of each position, and the most levels of which that holds.
    fn keep(&self) -> (Keep, usize) {
        match self.layout().packing {
            Packing::Nibbles => (Keep::Distance, UNSET.into()),
            Packing::Quarters | Packing::Mod3 => (Keep::Modulo3, MOST_LEVELS),
        }
    }

    /// Whether the puzzle comes with the program.
    pub fn is_shipped(&self) -> bool {
        self.about.is_shipped
    }

    /// What it is a goal of a cube by; `None` if it is none.
    pub fn cube_goal(&self) -> Option<&CubeGoal> {
        self.about.goal.as_ref()
    }

    /// What it is a goal of another puzzle by; `None` if it is none.
    pub fn puzzle_goal(&self) -> Option<&PuzzleGoal> {
        self.about.part.as_ref()
    }

    /// Whether the puzzle has a geometry, and so pictures.
    pub fn has_geometry(&self) -> bool {
        !self.about.line.is_empty()
    }

    /// The geometry of the puzzle, if it has one.
    pub fn geometry(&self) -> Option<&Arc<Geometry>> {
        let parsed = || Arc::new(Geometry::parse(self.about.line).expect("the definition comes from this line"));
        self.geometry.get_or_init(|| self.has_geometry().then(parsed)).as_ref()
    }
}

/// The layout of a table. Another definition makes a stored table stale.
const fn layout_of(name: &'static str, rows: u32, entries: u32, digest: [u8; 6]) -> TableLayout {
    let page_entries = entries.next_multiple_of(Packing::Quarters.per_byte());
    let [low, high, one, two, three, four] = digest;
    let name = (name, FIRST_ID | u16::from_le_bytes([low, high]));
    TableLayout {
        padding: page_entries - entries,
        spec_version: u32::from_le_bytes([one, two, three, four]),
        ..first_layout(name, [rows as usize, 1, page_entries as usize], Packing::Quarters, CacheUnit::Table)
    }
}

/// What positions of a puzzle are, as text: goals do not matter.
fn identity_of(definition: &PuzzleDefinition) -> String {
    PuzzleDefinition { goals: Vec::new(), ..definition.clone() }.to_kpuzzle()
}

/// The sizes of a table as a line, with a checksum of them, the definition and the version of the program.
fn sizes_line(definition: &PuzzleDefinition, [rows, entries, memory]: [u64; 3]) -> String {
    with_checksum(&format!("{rows} {entries} {memory}"), &identity_of(definition))
}

/// The goals of a puzzle that have a table, in the same way.
fn goals_line(definition: &PuzzleDefinition, goals: &str) -> String {
    with_checksum(goals, &definition.to_kpuzzle())
}

fn with_checksum(line: &str, definition: &str) -> String {
    let checked = [env!("CARGO_PKG_VERSION"), line, definition].join("\n");
    format!("{line} {}\n", blake3::hash(checked.as_bytes()).to_hex())
}

/// Numbers the positions of a goal of a puzzle, to see that a table can hold them, and returns the number of entries.
fn check_goal(left: PuzzleDefinition) -> Result<u64> {
    Ok(Numbered::new("goal", Notation::KPattern, left)?.layout.entries())
}

impl Known {
    /// What the first line says of a definition; `None` if it is of another definition or version.
    fn read(name: &'static str, definition: &PuzzleDefinition, sizes: &str) -> Option<Self> {
        let line = sizes.split_inclusive('\n').next()?;
        let numbers: Vec<u64> = line.split(' ').take(3).map(|word| word.parse().ok()).collect::<Option<_>>()?;
        let &[rows, entries, memory] = numbers.as_slice() else { return None };
        if sizes_line(definition, [rows, entries, memory]) != line {
            return None;
        }
        let digest = *blake3::hash(identity_of(definition).as_bytes()).as_bytes().first_chunk()?;
        Some(Self { layout: layout_of(name, rows.try_into().ok()?, entries.try_into().ok()?, digest), memory })
    }
}

impl Numbered {
    fn new(name: &'static str, notation: Notation, definition: PuzzleDefinition) -> Result<Self> {
        let text = identity_of(&definition);
        let space = match notation {
            Notation::KPattern => PuzzleSpace::new(definition)?,
            Notation::Cube2 => PuzzleSpace::with_first_place_lowest(definition)?,
        };
        let too_large = || Error::Usage(format!("{name} has too many positions for a table"));
        let rows = space.rows().ok_or_else(too_large)?;
        let entries = u32::try_from(space.entries()).map_err(|_| too_large())?;
        if space.turns().len() > PuzzleSpace::MOST_TURNS {
            let (turns, most) = (space.turns().len(), PuzzleSpace::MOST_TURNS);
            return Err(Error::Usage(format!("{name} has {turns} turns, and a table at most {most}")));
        }
        let digest = blake3::hash(text.as_bytes());
        let layout = layout_of(name, rows, entries, *digest.as_bytes().first_chunk().expect("32 bytes"));
        layout.check().map_err(|reason| Error::Usage(format!("{name}: {reason}")))?;
        Ok(Self { layout, space })
    }
}

/// The first of the ids of these tables; those of all other tables are less.
const FIRST_ID: u16 = 1 << 15;

/// Whether a puzzle or a goal of one can have a name.
fn is_name(name: &str) -> bool {
    let is_letter = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-' || c == '_';
    (1..=64).contains(&name.len()) && name.chars().all(is_letter) && name.starts_with(|c: char| c.is_ascii_lowercase())
}

/// Adds a puzzle to those of this process, for the rest of its life, and returns its table. The same puzzle can be added again.
/// With the line of its [sizes](DefinedTable::sizes) its positions are not numbered yet.
///
/// # Errors
/// [`Error::Usage`] for a name that is none or is taken, by a table or by another definition, and for positions that a table cannot hold.
pub fn define(name: &str, definition: PuzzleDefinition, sizes: Option<&str>) -> Result<&'static DefinedTable> {
    if !is_name(name) {
        return Err(Error::Usage(format!(
            "{name:?} is no name of a puzzle: use a to z, 0 to 9, - and _, at most 64, and begin with a letter"
        )));
    }
    // Two threads that define puzzles do it one after the other.
    let mut tables = super::REGISTRY.write().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = tables.iter().find(|known| known.name() == name) {
        return match known.kind() {
            Kind::Defined(known) if known.definition() == &definition => Ok(known),
            Kind::Defined(_) => Err(Error::Usage(format!("another puzzle has the name {name:?} already"))),
            _ => Err(Error::Usage(format!("a table has the name {name:?} already"))),
        };
    }
    // In one line.
    let title: String = definition.name.split_whitespace().collect::<Vec<_>>().join(" ");
    let title = if title.is_empty() { name.to_owned() } else { title };
    let [name, title]: [&'static str; 2] = [name.to_owned().leak(), title.leak()];
    let goals = DefinedTable::parts_of(name, &definition, sizes);
    if let Some(goal) = goals.iter().find(|goal| tables.iter().any(|known| known.name() == goal.name())) {
        return Err(Error::Usage(format!("another table has the name {:?} of a goal of {name}", goal.name())));
    }
    let table = &*Box::leak(Box::new(DefinedTable::added(name, title, definition, sizes)?));
    let added = [table as &dyn Definition].into_iter().chain(goals.leak().iter().map(|goal| goal as &dyn Definition));
    *tables = tables.iter().copied().chain(added).collect::<Vec<_>>().leak();
    Ok(table)
}

/// The tables of the goals of a puzzle, which need not have a table.
pub fn goals_of(puzzle: &str) -> impl Iterator<Item = &'static DefinedTable> {
    super::defined_tables().filter(move |table| table.puzzle_goal().is_some_and(|goal| goal.puzzle == puzzle))
}

/// The most entries of the table of a goal without a name, and of all these; each counts as this number at least.
const MOST_UNNAMED: [u64; 2] = [1 << 26, 1 << 28];
const LEAST_UNNAMED: u64 = 1 << 18;

/// The table of a goal of a puzzle, and whether it is in the list of all tables. If not, it is one of this process, for the rest of its
/// life. `None` for a goal of too many positions, and beyond a number of such tables: a search answers.
///
/// # Errors
/// Those of [`PuzzleDefinition::goal`] and [`PuzzleDefinition::restricted`].
pub fn goal_table(
    puzzle: &'static str,
    definition: &PuzzleDefinition,
    goal: &str,
) -> Result<Option<(&'static DefinedTable, bool)>> {
    static UNNAMED: Mutex<Vec<&'static DefinedTable>> = Mutex::new(Vec::new());
    let words = goal.split_whitespace().collect::<Vec<_>>().join(" ");
    let is_named = |table: &&DefinedTable| table.puzzle_goal().is_some_and(|of| of.goal.eq_ignore_ascii_case(&words));
    if let Some(table) = goals_of(puzzle).find(is_named) {
        return Ok(Some((table, true)));
    }
    let left = definition.restricted(&definition.goal(&words)?)?;
    let mut unnamed = UNNAMED.lock().unwrap_or_else(PoisonError::into_inner);
    let is_it = |table: &&DefinedTable| table.puzzle_goal().is_some_and(|of| of.puzzle == puzzle && of.goal == words);
    if let Some(table) = unnamed.iter().copied().find(|table| is_it(table) && table.whole() == definition) {
        return Ok(Some((table, false)));
    }
    let Ok(entries) = check_goal(left) else { return Ok(None) };
    let [most, most_of_all] = MOST_UNNAMED;
    let counted = unnamed.iter().map(|table| table.layout().entries()).chain([entries]);
    if entries > most || counted.map(|entries| entries.max(LEAST_UNNAMED)).sum::<u64>() > most_of_all {
        return Ok(None);
    }
    let digest = blake3::hash([puzzle, &words, &definition.to_kpuzzle()].join("\n").as_bytes()).to_hex();
    let name = format!("goal-{}", &digest[..16]);
    let names: [&'static str; 3] = [puzzle, words.leak(), name.leak()];
    let table = &*Box::leak(Box::new(DefinedTable::part_of(names, definition.clone())));
    unnamed.push(table);
    Ok(Some((table, false)))
}

impl Definition for DefinedTable {
    fn kind(&'static self) -> Kind {
        Kind::Defined(self)
    }

    fn facts(&self) -> &TableFacts {
        &self.about.facts
    }

    fn layout(&self) -> &TableLayout {
        self.about.known.as_ref().map_or_else(|| &self.numbered().layout, |known| &known.layout)
    }

    fn name(&self) -> &'static str {
        self.about.name
    }

    fn row_name(&self, row: u32) -> String {
        match self.about.notation {
            Notation::KPattern => row.to_string(),
            Notation::Cube2 => cube2::row_name(row),
        }
    }

    fn values_by_level(&self, _row: u32) -> Option<Vec<Option<u8>>> {
        // In two bits some values are of no level.
        let levels = self.about.facts.expected.filter(|_| self.layout().packing == Packing::Nibbles)?.positions.len();
        Some((0..levels as u8).map(Some).collect())
    }

    fn row_positions(&self, _row: u32) -> u64 {
        self.layout().row_entries()
    }

    /// If nobody has counted them: the number of entries. The moves may reach fewer.
    fn positions(&self) -> u64 {
        self.about.facts.expected.map_or_else(|| self.layout().entries(), |expected| expected.positions.iter().sum())
    }

    fn working_set(&self) -> u64 {
        let memory = || u64::try_from(self.space().memory_of_levels(Keep::Modulo3)).unwrap_or(u64::MAX);
        self.about.known.as_ref().map_or_else(memory, |known| known.memory)
    }

    fn deepest(&self) -> Option<u8> {
        let levels = self.about.facts.expected.map_or(MOST_LEVELS, |expected| expected.positions.len());
        Some(levels as u8 - 2)
    }

    fn generate(
        &self,
        build_depth: BuildDepth<'_>,
        options: &Options,
        ctx: &Context,
    ) -> Result<Box<dyn Generated + '_>> {
        Error::check_memory(options.memory, self.least_memory())?;
        let (keep, most) = self.keep();
        let turns = (0..self.space().turns().len()).filter(|&turn| self.cost(turn) == 1).collect();
        let search = LevelSearch { turns, depth: build_depth.depth.map_or(most, usize::from), keep };
        let counts = build_depth.known_counts()?.map(|(depth, rows)| {
            let of_level = |level: u8| rows.iter().map(|levels| levels[usize::from(level)] as u32).collect();
            (0..=depth).map(of_level).collect::<Vec<Vec<u32>>>()
        });
        let mut read = |row: usize, packed: &mut [u8]| {
            build_depth.known.map_or(Ok(()), |stored| stored.read_row(row as u32, packed))
        };
        let known = counts.as_ref().map(|counts| KnownRows { counts, read: &mut read });
        let levels = self.space().levels(&search, known, ctx)?;
        if levels.len() > most {
            return Err(Error::Budget(format!("positions are at distance {most} or more, beyond the supported depth")));
        }
        Ok(Box::new(DefinedRows { table: self, levels }))
    }
}

/// The rows of a table that was generated.
struct DefinedRows<'a> {
    table: &'a DefinedTable,
    levels: ProductLevels<'a>,
}

impl DefinedRows<'_> {
    fn row_levels(&self, row: u32) -> RowLevels {
        let counts = self.levels.counts(row as usize);
        RowLevels { entries: counts.clone(), positions: counts }
    }
}

impl Generated for DefinedRows<'_> {
    fn distribution(&self) -> Vec<u64> {
        sum_of_positions((0..self.table.layout().rows).map(|row| self.row_levels(row)))
    }

    fn for_each_row(&mut self, visit: &mut VisitRow<'_>) -> Result<()> {
        let mut packed = vec![0; self.table.layout().row_bytes()];
        for row in 0..self.table.layout().rows {
            self.levels.write_row(row as usize, &mut packed);
            visit(row, &packed, &self.row_levels(row))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{goals, puzzle_goals};

    #[test]
    fn what_is_known_of_a_puzzle_follows_from_its_definition() {
        let mut wrong = Vec::new();
        for table in SHIPPED.iter().chain(&goals::GOALS).chain(&goals::QUARTER_TURN_GOALS).chain(&puzzle_goals::GOALS) {
            let (space, layout) = (table.space(), &table.numbered().layout);
            let known = table.about.known.as_ref().expect("it comes with the program");
            let memory = u64::try_from(space.memory_of_levels(Keep::Modulo3)).expect("it fits");
            let entries = layout.page_entries - layout.padding;
            let (id, version) = (layout.id.to_le_bytes(), layout.spec_version.to_le_bytes());
            if known.layout != *layout || known.memory != memory {
                let digest = [&id[..], &version[..]].concat();
                wrong.push(format!("{}: ({}, {entries}, {memory}, {digest:?})", table.about.name, layout.rows));
            }
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }
}
