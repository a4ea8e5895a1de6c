//! Arguments that several commands take.

use std::ffi::OsStr;
use std::path::PathBuf;
use std::time::Duration;

use clap::builder::{OsStringValueParser, PossibleValue, PossibleValuesParser, RangedU64ValueParser, TypedValueParser};
use twistbase_cache::CacheMode;
use twistbase_core::Error;
use twistbase_database::{Database, Named, QuestionMetric, StoreItem, TableId, TableSet, available_memory};
use twistbase_levelset::Kernel;
use twistbase_puzzle::cube3::Metric;
use twistbase_tables::{self as tables, Definition, TwistTable};

use super::environment::Environment;
use super::memory::Size;

/// Parses names as another parser does, and accepts capitals and other names of puzzles (`3x3`, `sq1`).
#[derive(Clone)]
pub struct PuzzleNames<P>(pub P);

impl<P: TypedValueParser> TypedValueParser for PuzzleNames<P> {
    type Value = P::Value;

    fn parse_ref(
        &self,
        command: &clap::Command,
        argument: Option<&clap::Arg>,
        value: &OsStr,
    ) -> Result<Self::Value, clap::Error> {
        // An error names what was typed.
        let is_known =
            |name: &&str| self.possible_values().is_some_and(|mut known| known.any(|it| it.matches(name, false)));
        let found = value.to_str().and_then(|name| Database::find_puzzle(name).ok());
        let lower = value.to_str().map(str::to_ascii_lowercase);
        let name = found.map(|found| found.puzzle).filter(is_known).or(lower.as_deref().filter(is_known));
        self.0.parse_ref(command, argument, name.map_or(value, OsStr::new))
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        self.0.possible_values()
    }
}

/// Parses the name of a puzzle; shells can complete it.
pub fn puzzle() -> impl TypedValueParser<Value = String> {
    PuzzleNames(PossibleValuesParser::new(Database::puzzles()))
}

/// Parses the name of any table; shells can complete it.
pub fn any_table() -> impl TypedValueParser<Value = TableId> {
    PuzzleNames(PossibleValuesParser::new(TableId::all().map(TableId::name)).try_map(|name| name.parse::<TableId>()))
}

/// A table or a set of tables, named on the command line.
#[derive(Debug, Clone, Copy)]
pub enum TableOrSet {
    /// One table.
    Table(TableId),
    /// Several that belong together.
    Set(TableSet),
}

impl TableOrSet {
    /// The tables that are meant, each once, in the order in which they are named.
    pub fn tables(named: &[Self]) -> Vec<TableId> {
        let mut tables = Vec::new();
        for one in named {
            let more = match one {
                Self::Table(table) => vec![*table],
                Self::Set(set) => set.tables().collect(),
            };
            for table in more {
                if !tables.contains(&table) {
                    tables.push(table);
                }
            }
        }
        tables
    }
}

/// Parses the name of any table or set of tables.
pub fn table_or_set() -> impl TypedValueParser<Value = TableOrSet> {
    let names = TableId::all().map(TableId::name).chain(TableSet::all().map(TableSet::name));
    PuzzleNames(PossibleValuesParser::new(names).try_map(|name| match name.parse() {
        Ok(set) => Ok(TableOrSet::Set(set)),
        Err(_) => name.parse().map(TableOrSet::Table),
    }))
}

/// Parses the name of any table, or of the results about cosets.
pub fn any_item() -> impl TypedValueParser<Value = StoreItem> {
    let names = StoreItem::all().map(StoreItem::name);
    PuzzleNames(PossibleValuesParser::new(names).try_map(|name| name.parse::<StoreItem>()))
}

/// Parses the name of a table of the twist metric, which is also that of its puzzle.
pub fn twist_table() -> impl TypedValueParser<Value = &'static TwistTable> {
    let names = tables::twist_tables().map(|table| table.layout().name);
    PuzzleNames(PossibleValuesParser::new(names).try_map(|name| tables::find_twists(&name)))
}

/// How generators run.
#[derive(Debug, Clone, Copy, clap::Args)]
pub struct EngineArgs {
    /// Memory limit, like 3G or 3GiB [default: 90% of free memory]
    ///
    /// K, M, G and T are powers of 1000; KiB, MiB, GiB and TiB are powers of 1024. A number alone counts bytes. A build
    /// that needs more stores its levels in a scratch file in the store's folder and takes longer. A coset search that
    /// needs more fails, and so does a build with --store :memory:.
    #[arg(long, value_name = "SIZE")]
    memory: Option<Size>,

    /// Inner loop of generators, for benchmarks and checks
    ///
    /// auto is the fastest for this processor; portable runs on every processor. The generators of phase1, huge, cube2
    /// and the nx tables ignore this option: they always use their fastest loop.
    #[arg(long, value_parser = kernel(), default_value = "auto", hide_short_help = true)]
    kernel: Kernel,
}

impl EngineArgs {
    /// Bytes of memory to stay within.
    pub fn memory(&self) -> u64 {
        self.memory.map_or_else(available_memory, |size| size.0)
    }

    /// The inner loop.
    pub fn kernel(&self) -> Kernel {
        self.kernel
    }
}

/// A file that is resumed or replaced as a whole, so standard output cannot stand for it.
pub fn named_file() -> impl TypedValueParser<Value = PathBuf> {
    OsStringValueParser::new().try_map(|name| match name == "-" {
        true => Err("give a file name: this output cannot go to standard output (./- is a file named -)"),
        false => Ok(PathBuf::from(name)),
    })
}

/// Parses a number that is not 0.
pub fn at_least_one() -> impl TypedValueParser<Value = usize> {
    RangedU64ValueParser::<usize>::new().range(1..)
}

/// Parses a duration: `90s`, `10m`; a number alone means seconds.
pub fn duration(text: &str) -> Result<Duration, String> {
    match text.parse() {
        Ok(seconds) => Ok(Duration::from_secs(seconds)),
        Err(_) => humantime::parse_duration(text).map_err(|_| "not a duration; write 500ms, 2s or 1m".to_owned()),
    }
}

/// Parses a limit of a list: at least 1.
pub fn list_limit(text: &str) -> Result<u64, &'static str> {
    match text.parse() {
        Ok(0) => Err("0 would list nothing; write 1 or more"),
        Ok(limit) => Ok(limit),
        Err(_) => Err("not a whole number; write 1 or more"),
    }
}

/// The inner loop of a name, if this processor has it.
fn kernel() -> impl TypedValueParser<Value = Kernel> {
    PossibleValuesParser::new(["auto"].into_iter().chain(Kernel::NAMES)).try_map(|name| {
        let available = Kernel::available();
        match available.iter().find(|kernel| kernel.name() == name) {
            Some(&kernel) => Ok(kernel),
            None if name == "auto" => Ok(Kernel::detect()),
            None => {
                let names: Vec<_> = available.iter().map(|kernel| kernel.name()).collect();
                Err(format!("this processor supports {}", names.join(", ")))
            }
        }
    })
}

/// Parses the names of a type's values, with a line of help each.
pub fn named<T: Named + Send + Sync>(
    values: impl IntoIterator<Item = (&'static str, &'static str)>,
) -> impl TypedValueParser<Value = T> {
    let values = values.into_iter().map(|(name, help)| PossibleValue::new(name).help(help));
    PossibleValuesParser::new(values).try_map(|name| T::named(&name))
}

/// How moves of a cube are counted.
pub fn cube_metric() -> impl TypedValueParser<Value = Metric> {
    named([
        ("htm", "Half-turn metric: every turn of a face is one move"),
        ("qtm", "Quarter-turn metric: a half turn is two moves"),
    ])
}

/// How moves are counted.
pub fn metric() -> impl TypedValueParser<Value = QuestionMetric> {
    named([
        ("htm", "Cubes: every turn of a face is one move"),
        ("qtm", "Cubes: a half turn is two moves"),
        ("twists", "Square-1 family: a twist / is one move, turns are free"),
        ("wca", "Square-1 family: a turn (x,y) is one move, and so is a twist /"),
        ("face", "Square-1 family, solve alone: a turn of one layer is one move, and so is a twist /"),
        ("moves", "Other puzzles: a move or a power of it is one"),
    ])
}

/// The use of the hot cache.
#[derive(Debug, Clone, Copy, clap::Args)]
#[group(skip)]
pub struct CacheArgs {
    /// Use of the hot cache
    #[arg(long, value_parser = cache_mode(), default_value = "on-demand", value_name = "USE", hide_short_help = true)]
    pub cache: CacheMode,
}

fn cache_mode() -> impl TypedValueParser<Value = CacheMode> {
    named([
        ("on-demand", "Read it, and add rows that are read often"),
        ("read-only", "Read it, add nothing"),
        ("off", "Read only the store"),
    ])
}

impl CacheArgs {
    /// The database, with this use of its cache.
    pub fn database(self, env: &Environment) -> Result<Database, Error> {
        Ok(env.database()?.with_cache(self.cache))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn puzzles_tables_and_sets_have_the_names_that_people_type() {
        let command = clap::Command::new("test");
        let parsed = |parser: &dyn Fn(&OsStr) -> Result<String, clap::Error>, name: &str| parser(name.as_ref()).ok();
        let puzzle = |name: &OsStr| puzzle().parse_ref(&command, None, name);
        let table = |name: &OsStr| any_table().parse_ref(&command, None, name).map(|table| table.to_string());
        let tables = |name: &OsStr| {
            let named = table_or_set().parse_ref(&command, None, name)?;
            Ok(TableOrSet::tables(&[named]).into_iter().map(TableId::name).collect::<Vec<_>>().join(" "))
        };
        assert_eq!(parsed(&puzzle, "3x3").as_deref(), Some("cube3"));
        assert_eq!(parsed(&puzzle, "square-1").as_deref(), Some("square1"));
        assert_eq!(parsed(&table, "SQ1").as_deref(), Some("square1"));
        assert_eq!(parsed(&table, "phase1").as_deref(), Some("phase1"));
        assert_eq!(parsed(&table, "CUBE3-Cross").as_deref(), Some("cube3-cross"));
        assert_eq!(parsed(&tables, "3x3"), parsed(&tables, "cube3"));
        let error = twist_table().parse_ref(&command, None, "3x3".as_ref()).unwrap_err().to_string();
        assert!(error.contains("'3x3'") && !error.contains("'cube3'"), "{error}");
        for parser in [&puzzle as &dyn Fn(&OsStr) -> _, &table, &tables] {
            assert_eq!(parsed(parser, "8x8"), None);
        }
    }
}
