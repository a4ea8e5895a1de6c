//! `coset merge`: results of files of earlier versions into the store.

use std::path::PathBuf;

use twistbase_core::error::Error;

use crate::callback::Callback;
use crate::environment::Environment;
use crate::failure::{self, Failure};

/// Bring the results of files of earlier versions into the store
///
/// These files end in .cosets; coset run --out wrote them. What farms have found is brought together by farm merge.
///
/// A file that is damaged, of another cover or a newer program, or that disagrees with what is known is refused as a whole;
/// the others are taken. Merging a file once more changes nothing.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Files, or folders of them
    #[arg(value_name = "DIR", required = true)]
    from: Vec<PathBuf>,
}

pub fn run(args: Args, env: &Environment) -> Result<(), Failure> {
    let (cosets, context, mut out) = (env.database()?.cosets(), env.context()?, env.output());
    let callback = Callback::default();
    let totals = cosets.merge(&args.from, &context, &mut |merged| {
        callback.run(|| {
            if env.json() {
                return out.json(merged);
            }
            out.line(format_args!("{}: {} results, {} of them new", merged.file.display(), merged.results, merged.new))
        })
    });
    let totals = callback.outcome(totals)?;
    out.finish()?;
    let (count, files) = (totals.refused.len(), totals.files);
    if files == 0 {
        let folders: Vec<_> = args.from.iter().map(|folder| folder.display().to_string()).collect();
        return Err(Failure::Findings(format!(
            "there is no file that ends in .cosets in {}; run: twistbase farm merge, to bring together what a farm has found",
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
