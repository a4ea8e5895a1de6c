//! `coset cover`: the cover, and its cosets.

use twistbase_cosets::{CoverCosetReport, CoverReport, PUBLISHED_COVER};
use twistbase_database::column;

use super::cover_search::{self, SearchArgs};
use crate::arguments::CacheArgs;
use crate::callback::Callback;
use crate::environment::Environment;
use crate::failure::Failure;
use crate::format::{counted, grouped};

/// Describe the cover, its cosets, or search for another one
///
/// Every position of the cube, its inverse, or one of its 48 images is in a coset of the cover. All of these are equally far
/// from solved. A sequence into a coset is looked up in the table phase1.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Numbers in the cover, or sequences [default: the whole cover]
    #[arg(value_name = "MOVES|NUMBER")]
    cosets: Vec<String>,

    #[command(flatten)]
    search: SearchArgs,

    #[command(flatten)]
    cache: CacheArgs,
}

pub fn run(args: Args, env: &Environment) -> Result<(), Failure> {
    if args.search.search {
        return cover_search::run(&args.search, env);
    }
    if args.cosets.is_empty() {
        return describe(env);
    }
    let cosets = args.cache.database(env)?.cosets();
    let mut out = env.output();
    let callback = Callback::default();
    let described = cosets.describe(&args.cosets, &env.context(), &mut |coset| {
        callback.run(|| {
            out.report(coset, |described| {
                let CoverCosetReport { input, coset, images, distance, sequence, number, .. } = described;
                let number =
                    number.map_or_else(|| "not in the cover".to_owned(), |number| format!("{number} of the cover"));
                let images = counted(*images, "image");
                let input = column(input);
                format!("{input}\tcoset {coset}\t{number}\t{images}\t{distance}\t{sequence}")
            })
        })
    });
    callback.outcome(described)?;
    out.finish()
}

/// By how many per cent a number of cosets exceeds that of the published cover.
pub fn percent_more(cosets: u64) -> f64 {
    (cosets as f64 / f64::from(PUBLISHED_COVER) - 1.0) * 100.0
}

fn describe(env: &Environment) -> Result<(), Failure> {
    env.print(&CoverReport::get(), |report| {
        let CoverReport { cover, cosets, classes, classes_in_all, cosets_in_all, published, .. } = report;
        let percent = percent_more(u64::from(*cosets));
        let [cosets, published] = [cosets, published].map(|&number| grouped(number.into()));
        let [all, classes, all_classes] = [*cosets_in_all, *classes as u64, *classes_in_all as u64].map(grouped);
        [
            format!("{cosets} cosets, of {all} up to the symmetries that keep the axis"),
            format!("{classes} classes of flips and places of the middle edges, of {all_classes}"),
            "each position, its inverse, or one of its 48 images is in one of them".to_owned(),
            format!("published: {published} (this is {percent:+.2} %)"),
            format!("identity: {cover}"),
        ]
        .join("\n")
    })
}
