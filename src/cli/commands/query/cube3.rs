//! Answers about positions of the Rubik's cube.

use serde::Serialize;
use twistbase::cache::CachedTable;
use twistbase::context::Context;
use twistbase::error::Result;
use twistbase::puzzle::cube3::coordinate::PhaseTwoPosition;
use twistbase::puzzle::cube3::{Cube, Move, Sequence};
use twistbase::query::KnownDistance;
use twistbase::query::cube3::{Cosets, PhaseTwo, position_in_h};
use twistbase::store::Store;
use twistbase::tables::Kind;

use super::{Answers, Detail, Lines, cube3_text};
use crate::cli::output::json_line;
use crate::cli::positions::Cache;
use crate::cli::positions::cube3::{self as positions, MetricArg, Tables, Written, cube_table, read};

/// What only the cube has.
#[derive(Debug, Clone, Copy, clap::Args)]
#[command(next_help_heading = "Rubik's cube")]
#[group(skip)]
pub struct Options {
    /// How to count moves [default: htm]
    #[arg(long, value_enum)]
    metric: Option<MetricArg>,

    /// Ask this table only; its metric is taken
    #[arg(long, value_name = "TABLE", value_parser = cube_table(), conflicts_with_all = ["metric", "solutions"])]
    table: Option<Kind>,
}

impl Options {
    /// The options, each with whether it was given.
    pub fn given(self) -> [(&'static str, bool); 2] {
        [("--metric", self.metric.is_some()), ("--table", self.table.is_some())]
    }
}

/// The tables, and which one alone was asked for.
struct Cube3 {
    tables: Tables,
    only: Option<Kind>,
}

/// Opens the tables that answer.
pub fn open(options: Options, solutions: bool, store: &Store, cache: Cache) -> Result<Box<dyn Answers>> {
    let (metric, cache) = (MetricArg::metric(options.metric), cache.mode());
    let tables = match options.table {
        Some(table) => Tables::only(table, store, cache)?,
        None if solutions => Tables::exact(metric, store, cache)?,
        None => Tables::built(metric, store, cache)?,
    };
    Ok(Box::new(Cube3 { tables, only: options.table }))
}

/// What is known about one position. What no table tells is absent.
pub(super) struct Known {
    pub position: Cube,
    pub h_position: Option<PhaseTwoPosition>,
    pub distances: Distances,
    /// The number of shortest solutions by moves of H.
    pub solutions: Option<u64>,
    pub moves: Option<Vec<MoveReport>>,
}

/// What the tables tell about how far a position is, in moves.
#[derive(Debug, Clone, Copy, Serialize)]
pub(super) struct Distances {
    /// Exactly to solved, by moves of H.
    pub distance: Option<u8>,
    /// Exactly to H.
    pub to_h: Option<u8>,
    /// At least to solved by moves of H: exactly in H'.
    pub bound: Option<u8>,
    /// At least to solved: exactly to the subgroup of the huge table.
    pub huge: Option<u8>,
    /// At least to solved: what a pruning table tells of the distance to its subgroup.
    pub nx: Option<u8>,
    /// What these are more than, where a table was built to a depth.
    #[serde(skip_serializing_if = "Beyond::is_nowhere")]
    pub beyond: Beyond,
}

/// The depth of each table that a position is beyond.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub(super) struct Beyond {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub distance: Option<u8>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to_h: Option<u8>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bound: Option<u8>,
}

impl Beyond {
    fn is_nowhere(&self) -> bool {
        *self == Self::default()
    }
}

/// What the tables tell, before it is put in numbers.
#[derive(Debug, Clone, Copy)]
struct KnownDistances {
    distance: Option<KnownDistance>,
    to_h: Option<KnownDistance>,
    huge: Option<KnownDistance>,
    /// In H', and the least number of moves of H that it admits: 1 for a position that is not solved and lacks only the
    /// middle edges.
    bound: Option<(KnownDistance, u8)>,
    nx: Option<u8>,
}

impl KnownDistances {
    /// What is known more because a move that counts `cost` leads here from where `before` is told.
    fn beside(self, before: &Self, cost: u8) -> Self {
        let beside = |known_distance: Option<KnownDistance>, before: Option<KnownDistance>| match before
            .and_then(KnownDistance::distance)
        {
            Some(distance) => known_distance.map(|known_distance| known_distance.beside(distance, cost)),
            None => known_distance,
        };
        let in_h_prime = beside(
            self.bound.map(|(known_distance, _)| known_distance),
            before.bound.map(|(known_distance, _)| known_distance),
        );
        Self {
            distance: beside(self.distance, before.distance),
            to_h: beside(self.to_h, before.to_h),
            huge: beside(self.huge, before.huge),
            bound: in_h_prime.zip(self.bound.map(|(_, least)| least)),
            nx: self.nx,
        }
    }
}

impl From<KnownDistances> for Distances {
    fn from(KnownDistances { distance, to_h, huge, bound, nx }: KnownDistances) -> Self {
        let moves = |known_distance: Option<KnownDistance>| Some(known_distance?.distance()?.moves());
        let beyond = |known_distance: Option<KnownDistance>| match known_distance {
            Some(KnownDistance::Beyond(depth)) => Some(depth),
            _ => None,
        };
        let in_h_prime = bound.map(|(known_distance, _)| known_distance);
        Self {
            distance: moves(distance),
            to_h: moves(to_h),
            bound: moves(in_h_prime).zip(bound).map(|(moves, (_, least))| moves.max(least)),
            huge: moves(huge),
            nx,
            beyond: Beyond { distance: beyond(distance), to_h: beyond(to_h), bound: beyond(in_h_prime) },
        }
    }
}

/// What a move does.
#[derive(Debug, Clone, Copy, Serialize)]
pub(super) struct MoveReport {
    #[serde(serialize_with = "as_text")]
    pub r#move: Move,
    #[serde(flatten)]
    pub distances: Distances,
}

fn as_text<S: serde::Serializer>(turn: &Move, serializer: S) -> std::result::Result<S::Ok, S::Error> {
    serializer.collect_str(turn)
}

/// Everything asked about one position, as JSON.
#[derive(Debug, Serialize)]
struct Report<'a> {
    input: &'a str,
    puzzle: &'static str,
    metric: &'static str,
    #[serde(flatten)]
    distances: Distances,
    in_h: bool,
    #[serde(flatten)]
    written: Written,
    tables: Vec<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    solutions: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    moves: Option<&'a [MoveReport]>,
}

/// A solution by moves of H, as JSON.
#[derive(Debug, Serialize)]
struct HSolution<'a> {
    input: &'a str,
    puzzle: &'static str,
    length: usize,
    metric: &'static str,
    solution: String,
}

impl Answers for Cube3 {
    fn whole(&self, input: &str, detail: Detail, json: bool) -> Result<String> {
        let known = self.known(input, detail)?;
        Ok(if json { self.report(input, &known) } else { cube3_text::answers(&self.tables, &known) + "\n" })
    }

    fn line(&self, input: &str, detail: Detail, json: bool) -> Result<String> {
        let known = self.known(input, detail)?;
        if json {
            return Ok(self.report(input, &known));
        }
        let distances = &known.distances;
        if self.only.is_some() {
            return Ok(format!("{input}\t{}\n", number_or_dash(distances.only())));
        }
        let to_h = number_or_more(distances.to_h, distances.beyond.to_h);
        let line = format!("{input}\t{to_h}\t{}", number_or_more(distances.distance, distances.beyond.distance));
        let solutions = match detail {
            Detail::Brief => String::new(),
            Detail::Full => format!("\t{}", number_or_dash(known.solutions)),
        };
        Ok(line + &solutions + "\n")
    }

    fn solutions<'a>(&'a self, input: &'a str, json: bool) -> Result<Lines<'a>> {
        let h_position = position_in_h(input, &read(input)?)?;
        let Some(exact) = &self.tables.exact else { return Ok(Box::new(std::iter::empty())) };
        let metric = self.tables.metric;
        Ok(Box::new(exact.solutions(&h_position)?.map(move |moves| {
            let solution = Sequence::new(moves?);
            let length = solution.length(metric);
            let (solution, metric) = (solution.to_string(), metric.name());
            let report = HSolution { input, puzzle: positions::NAME, length, metric, solution };
            Ok(if json { json_line(&report) } else { report.solution + "\n" })
        })))
    }
}

/// A number, `-` where there is none.
fn number_or_dash(number: Option<impl ToString>) -> String {
    number.map_or_else(|| "-".to_owned(), |number| number.to_string())
}

/// A number, or what it is more than.
fn number_or_more(number: Option<u8>, beyond: Option<u8>) -> String {
    beyond.map_or_else(|| number_or_dash(number), |depth| format!(">{depth}"))
}

impl Distances {
    /// The only one that is known.
    fn only(&self) -> Option<u8> {
        self.distance.or(self.to_h).or(self.bound).or(self.huge).or(self.nx)
    }
}

impl Cube3 {
    fn known(&self, input: &str, detail: Detail) -> Result<Known> {
        let position = read(input)?;
        let h_position = match self.only {
            Some(Kind::PhaseTwo(_)) => Some(position_in_h(input, &position)?),
            None | Some(Kind::PhaseOne(_) | Kind::Huge(_) | Kind::Pruning(_) | Kind::Twists(_)) => {
                PhaseTwoPosition::of(&position)
            }
        };
        let known_distances = self.known_distances(&position)?;
        let distances = Distances::from(known_distances);
        if distances.only().is_none() {
            self.refuse_beyond(&position)?;
        }
        let full = detail == Detail::Full;
        let solutions = match (&self.tables.exact, &h_position) {
            (Some(exact), Some(h_position)) if full && distances.distance.is_some() => {
                Some(exact.count(h_position, &Context::silent())?)
            }
            _ => None,
        };
        let moves = full.then(|| self.moves(&position, &known_distances)).transpose()?;
        Ok(Known { position, h_position, distances, solutions, moves })
    }

    /// Fails with what a table says about a position that is beyond its depth, when no table tells anything else.
    fn refuse_beyond(&self, position: &Cube) -> Result<()> {
        let Tables { to_h, bound, exact, .. } = &self.tables;
        to_h.as_ref().map(|table| table.distance(position)).transpose()?;
        let Some(h_position) = PhaseTwoPosition::of(position) else { return Ok(()) };
        [exact, bound].into_iter().flatten().try_for_each(|table| table.distance(&h_position).map(|_| ()))
    }

    /// What the tables tell about a position.
    fn known_distances(&self, position: &Cube) -> Result<KnownDistances> {
        let Tables { to_h, huge, bound, exact, nx, .. } = &self.tables;
        let to = |table: &Option<Cosets<CachedTable>>| {
            table.as_ref().map(|table| table.known_distance(position)).transpose()
        };
        let h_position = PhaseTwoPosition::of(position);
        let in_h_prime =
            |table: &PhaseTwo<CachedTable>, h_position: &PhaseTwoPosition| -> Result<(KnownDistance, u8)> {
                Ok((table.known_distance(h_position)?, table.bound(h_position)?.moves()))
            };
        Ok(KnownDistances {
            distance: exact
                .as_ref()
                .zip(h_position)
                .map(|(table, h_position)| table.known_distance(&h_position))
                .transpose()?,
            to_h: to(to_h)?,
            huge: to(huge)?,
            bound: bound
                .as_ref()
                .zip(h_position)
                .map(|(table, h_position)| in_h_prime(table, &h_position))
                .transpose()?,
            nx: nx
                .as_ref()
                .map(|(table, entries)| table.look_up(entries, position))
                .transpose()?
                .map(|value| value.bound),
        })
    }

    /// What each of the eighteen moves does.
    fn moves(&self, position: &Cube, before: &KnownDistances) -> Result<Vec<MoveReport>> {
        let metric = self.tables.metric;
        let report = |turn| {
            let known_distances = self.known_distances(&position.turned(turn))?.beside(before, metric.cost(turn));
            Ok(MoveReport { r#move: turn, distances: known_distances.into() })
        };
        Move::all().map(report).collect()
    }

    fn report(&self, input: &str, known: &Known) -> String {
        json_line(&Report {
            input,
            puzzle: positions::NAME,
            metric: self.tables.metric.name(),
            distances: known.distances,
            in_h: known.h_position.is_some(),
            written: Written::new(&known.position),
            tables: self.tables.names(),
            solutions: known.solutions,
            moves: known.moves.as_deref(),
        })
    }
}
