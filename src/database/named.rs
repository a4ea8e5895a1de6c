//! Values of options by their names, for fronts.

use twistbase_cache::CacheMode;
use twistbase_core::error::{Error, Result};
use twistbase_cosets::CosetFormat;
use twistbase_picture::{ColourScheme, Viewpoint};
use twistbase_puzzle::cube3::Metric;
use twistbase_puzzle::square1::notation::SequenceNotation;
use twistbase_query::MiddleGoal;
use twistbase_solve::CosetMode;

/// A set of named values.
///
/// ```
/// # mod twistbase { pub use twistbase_core::*; pub use twistbase_database::{self as database, *}; pub use twistbase_puzzle::{self as puzzle, cube3::Metric}; }
/// use twistbase::Metric;
/// use twistbase::database::Named;
///
/// assert_eq!(Metric::named("qtm")?, Metric::Qtm);
/// assert_eq!(Metric::named("stm").unwrap_err().to_string(), "there is no metric \"stm\"; choose from: htm, qtm");
/// # Ok::<(), twistbase::Error>(())
/// ```
pub trait Named: Copy + 'static {
    /// The kind of value, for errors.
    const WHAT: &'static str;
    /// The values and their names.
    const NAMES: &'static [(&'static str, Self)];

    /// The value with a name.
    ///
    /// # Errors
    /// [`Error::Usage`] that lists the names.
    fn named(name: &str) -> Result<Self> {
        let found = Self::NAMES.iter().find(|(own, _)| *own == name);
        found.map(|&(_, value)| value).ok_or_else(|| {
            let names: Vec<_> = Self::NAMES.iter().map(|(name, _)| *name).collect();
            Error::Usage(format!("there is no {} {name:?}; choose from: {}", Self::WHAT, names.join(", ")))
        })
    }
}

impl Named for CacheMode {
    const WHAT: &'static str = "use of the cache";
    const NAMES: &'static [(&'static str, Self)] =
        &[("on-demand", Self::OnDemand), ("read-only", Self::ReadOnly), ("off", Self::Off)];
}

impl Named for Metric {
    const WHAT: &'static str = "metric";
    const NAMES: &'static [(&'static str, Self)] = &[("htm", Self::Htm), ("qtm", Self::Qtm)];
}

impl Named for CosetMode {
    const WHAT: &'static str = "coset search mode";
    const NAMES: &'static [(&'static str, Self)] =
        &[("set", Self::Set), ("bitmap", Self::Bitmap), ("fast", Self::Fast)];
}

impl Named for CosetFormat {
    const WHAT: &'static str = "format";
    const NAMES: &'static [(&'static str, Self)] = &[("csv", Self::Csv), ("jsonl", Self::JsonLines)];
}

impl Named for MiddleGoal {
    const WHAT: &'static str = "goal for the middle layer";
    const NAMES: &'static [(&'static str, Self)] = &[("ignored", Self::Ignored), ("square", Self::Square)];
}

impl Named for SequenceNotation {
    const WHAT: &'static str = "notation";
    const NAMES: &'static [(&'static str, Self)] = &[("wca", Self::Wca), ("cube21", Self::Cube21)];
}

impl Named for Viewpoint {
    const WHAT: &'static str = "view";
    const NAMES: &'static [(&'static str, Self)] = &[("flat", Self::Flat), ("perspective", Self::Perspective)];
}

impl Named for ColourScheme {
    const WHAT: &'static str = "colours";
    const NAMES: &'static [(&'static str, Self)] = &[("wca", Self::Wca), ("colour-blind", Self::ColourBlind)];
}

#[cfg(feature = "export")]
impl Named for twistbase_export::ExportFormat {
    const WHAT: &'static str = "format";
    const NAMES: &'static [(&'static str, Self)] =
        &[("parquet", Self::Parquet), ("csv", Self::Csv), ("jsonl", Self::Jsonl)];
}
