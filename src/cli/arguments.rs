//! Arguments that several commands take.

use clap::ValueEnum;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use twistbase::cosets::COSETS_NAME;
use twistbase::error::Error;
use twistbase::levelset::Kernel;
use twistbase::puzzle::cube3::Cover;
use twistbase::puzzle::cube3::coordinate::CosetOfH;
use twistbase::tables::{self, Definition, REGISTRY, TWIST_TABLES, TwistTable};

use super::memory::{self, Size};

/// A table named on the command line.
#[derive(Clone, Copy)]
pub struct TableArg(pub &'static dyn Definition);

impl std::fmt::Debug for TableArg {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.0.layout().name)
    }
}

/// Parses the name of any table; shells can complete it.
pub fn any_table() -> impl TypedValueParser<Value = TableArg> {
    let names = REGISTRY.iter().map(|table| table.layout().name);
    PossibleValuesParser::new(names).try_map(|name| tables::find(&name).map(TableArg))
}

/// Something that can be checked, named on the command line.
#[derive(Debug, Clone, Copy)]
pub enum Checked {
    /// A table.
    Table(TableArg),
    /// The results about cosets.
    Cosets,
}

impl Checked {
    /// What a row is called.
    pub fn row_noun(&self) -> &'static str {
        match self {
            Self::Table(TableArg(table)) => table.row_noun(),
            Self::Cosets => "coset",
        }
    }

    /// The name of a row; of a coset, its number in the cover.
    pub fn row_name(&self, row: u32) -> Option<String> {
        match self {
            Self::Table(TableArg(table)) => Some(table.row_name(row)),
            Self::Cosets => {
                let number = Cover::get().number(CosetOfH::from_number(row)?)?;
                Some(format!("{number} of the cover"))
            }
        }
    }
}

/// Parses the name of any table, or of the results about cosets.
pub fn any_checked() -> impl TypedValueParser<Value = Checked> {
    let names = REGISTRY.iter().map(|table| table.layout().name).chain([COSETS_NAME]);
    PossibleValuesParser::new(names).try_map(|name| {
        Ok::<_, Error>(if name == COSETS_NAME {
            Checked::Cosets
        } else {
            Checked::Table(TableArg(tables::find(&name)?))
        })
    })
}

/// The row of a number or a name.
///
/// # Errors
/// [`Error::Usage`] saying which rows there are.
pub fn find_row(table: &dyn Definition, name: &str) -> Result<u32, Error> {
    let rows = table.layout().rows;
    let number = name.parse().ok().filter(|&row| row < rows);
    number.or_else(|| (0..rows).find(|&row| table.row_name(row) == name)).ok_or_else(|| {
        let (last, table) = (rows - 1, table.layout().name);
        Error::Usage(format!(
            "{table} has no row {name:?}; give a number from 0 to {last} or a name from stats {table} --rows"
        ))
    })
}

/// Parses the name of a table of the twist metric, which is also that of its puzzle.
pub fn twist_table() -> impl TypedValueParser<Value = &'static TwistTable> {
    let names = TWIST_TABLES.iter().map(|table| table.layout().name);
    PossibleValuesParser::new(names).try_map(|name| tables::find_twists(&name))
}

/// How generators run.
#[derive(Debug, Clone, Copy, clap::Args)]
pub struct EngineArgs {
    /// Memory to use, like 3G, 2500M or 3GiB [default: nine tenths of what is available]
    ///
    /// K, M, G and T are powers of 1000, KiB, MiB, GiB and TiB powers of 1024; without a unit, bytes. A build that
    /// gets less than it needs keeps its levels in a scratch file beside the store, and takes longer; a coset is
    /// refused.
    #[arg(long, value_name = "SIZE")]
    memory: Option<Size>,

    /// Inner loop to use: for benchmarks, and to check a processor's vector unit against plain instructions
    #[arg(long, value_enum, default_value_t = KernelArg::Auto)]
    kernel: KernelArg,
}

impl EngineArgs {
    /// Bytes of memory to stay within.
    pub fn memory(&self) -> u64 {
        self.memory.map_or_else(memory::available, |size| size.0)
    }

    /// The inner loop.
    pub fn kernel(&self) -> Kernel {
        match self.kernel {
            KernelArg::Auto => Kernel::detect(),
            KernelArg::Portable => Kernel::Portable,
        }
    }
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum KernelArg {
    /// The fastest that this processor has
    Auto,
    /// Table look-ups, as on every processor
    Portable,
}
