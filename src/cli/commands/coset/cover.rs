//! `coset cover`: the cover, and its cosets.

use serde::Serialize;
use twistbase::puzzle::cube3::coordinate::{CosetOfH, FlipSliceClasses};
use twistbase::puzzle::cube3::{Cover, Metric};
use twistbase::solve::{TableBytes, sequence_into};
use twistbase::tables::{self, Definition};

use super::cover_search::{self, SearchArgs};
use super::show::find;
use crate::cli::environment::Environment;
use crate::cli::failure::Failure;
use crate::cli::format::grouped;
use crate::cli::positions::Cache;
use crate::cli::positions::cube3::NAME;

/// Cosets of the published cover (Rokicki, Kociemba, Davidson and Dethridge, 2010).
pub const PUBLISHED: u32 = 55_882_296;

/// Describe the cover, or cosets of it
///
/// Every position of the cube, or one of its 48 images, is in a coset of the cover. A sequence into a coset is looked up in
/// the table phase1.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Numbers of cosets in the cover, or sequences to positions [default: the cover as a whole]
    #[arg(value_name = "MOVES|NUMBER")]
    cosets: Vec<String>,

    #[command(flatten)]
    search: SearchArgs,

    /// How to use the hot cache
    #[arg(long, value_enum, default_value_t = Cache::OnDemand, value_name = "USE")]
    cache: Cache,
}

#[derive(Debug, Serialize)]
struct CoverReport {
    puzzle: &'static str,
    cover: &'static str,
    cosets: u32,
    classes: usize,
    classes_in_all: usize,
    cosets_in_all: u64,
    published: u32,
}

#[derive(Debug, Serialize)]
struct CosetReport<'a> {
    puzzle: &'static str,
    input: &'a str,
    coset: u32,
    number: Option<u32>,
    images: u32,
    distance: usize,
    sequence: String,
}

pub fn run(args: Args, env: &Environment) -> Result<(), Failure> {
    if args.search.search {
        return cover_search::run(&args.search, env);
    }
    if args.cosets.is_empty() {
        return describe(env);
    }
    let layout = tables::phase_one(Metric::Htm).layout();
    let phase1 = TableBytes::open(&env.store()?, layout, args.cache.mode(), &env.context()?)?;
    let mut out = env.output();
    for input in &args.cosets {
        let coset = find(input)?;
        let sequence = sequence_into(phase1.as_ref(), coset)?;
        let number = Cover::get().number(coset);
        let (distance, images) = (sequence.moves().len(), coset.images());
        if env.json() {
            let sequence = sequence.to_string();
            out.json(&CosetReport { puzzle: NAME, input, coset: coset.number(), number, images, distance, sequence })?;
        } else {
            let number =
                number.map_or_else(|| "not in the cover".to_owned(), |number| format!("{number} of the cover"));
            out.line(format_args!("{input}\tcoset {coset}\t{number}\t{images} images\t{distance}\t{sequence}"))?;
        }
    }
    out.finish()
}

/// By how many per cent so many cosets are more than those of the published cover.
pub fn percent_more(cosets: u64) -> f64 {
    (cosets as f64 / f64::from(PUBLISHED) - 1.0) * 100.0
}

fn describe(env: &Environment) -> Result<(), Failure> {
    let cover = Cover::get();
    let (cosets, classes) = (cover.count(), cover.classes().len());
    let report = CoverReport {
        puzzle: NAME,
        cover: Cover::identity(),
        cosets,
        classes,
        classes_in_all: FlipSliceClasses::COUNT,
        cosets_in_all: CosetOfH::COUNT,
        published: PUBLISHED,
    };
    let mut out = env.output();
    if env.json() {
        out.json(&report)?;
        return out.finish();
    }
    let percent = percent_more(cosets.into());
    let [cosets, published] = [cosets, PUBLISHED].map(|number| grouped(number.into()));
    let [all, classes, all_classes] = [CosetOfH::COUNT, classes as u64, FlipSliceClasses::COUNT as u64].map(grouped);
    out.line(format_args!("{cosets} cosets, of {all} up to the symmetries that keep the axis"))?;
    out.line(format_args!("{classes} classes of flips and middle edges' places, of {all_classes}"))?;
    out.line(format_args!("published: {published} (this is {percent:+.2} %)"))?;
    out.line(format_args!("identity: {}", Cover::identity()))?;
    out.finish()
}
