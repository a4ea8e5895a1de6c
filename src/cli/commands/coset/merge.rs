//! `coset merge`: results of files of earlier versions into the store.

use std::path::PathBuf;

use twistbase_core::error::Error;

use crate::callback::Callback;
use crate::environment::Environment;
use crate::failure::{self, Failure};
use crate::format::counted;

/// Merge result files of earlier versions into the store
///
/// Reads the files *.cosets that coset run --out wrote. For the results of a farm, use farm merge.
///
/// A file is refused as a whole if it is damaged, of another cover or of a newer program, or if it contradicts stored results.
/// The other files are merged. Merging a file again changes nothing.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Files *.cosets, or folders with such files
    #[arg(value_name = "DIR", required = true)]
    from: Vec<PathBuf>,
}

pub fn run(args: Args, env: &Environment) -> Result<(), Failure> {
    let (cosets, context, mut out) = (env.database()?.cosets(), env.context(), env.output());
    let callback = Callback::default();
    let totals = cosets.merge(&args.from, &context, &mut |merged| {
        callback.run(|| {
            out.report(merged, |merged| {
                let results = counted(merged.results as u64, "result");
                format!("{}: {results}, {} of them new", merged.file.display(), merged.new)
            })
        })
    });
    let totals = callback.outcome(totals)?;
    out.finish()?;
    let (count, files) = (totals.refused.len(), totals.files);
    if files == 0 {
        let folders: Vec<_> = args.from.iter().map(|folder| folder.display().to_string()).collect();
        return Err(Failure::Findings(format!(
            "there is no .cosets file in {}; for the results of a farm, run: twistbase farm merge",
            folders.join(", ")
        )));
    }
    let reasons: String =
        totals.refused.iter().map(|error| format!("\n  {}", failure::text(&Error::Data(error.clone())))).collect();
    match totals.refused.into_iter().next() {
        None => Ok(()),
        Some(only) if count == 1 => Err(Error::Data(only).into()),
        Some(_) => Err(Failure::Findings(format!("{count} of {files} files were refused:{reasons}"))),
    }
}
