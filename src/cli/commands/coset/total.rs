//! `coset total`: sums over the solved cosets.

use twistbase_cosets::CosetTotals;

use crate::environment::Environment;
use crate::failure::Failure;
use crate::format::{self, Align, grouped};

/// No arguments.
#[derive(Debug, clap::Args)]
pub struct Args {}

pub fn run(Args {}: Args, env: &Environment) -> Result<(), Failure> {
    let totals = env.database()?.cosets().results().totals()?;
    env.print(&totals, text)
}

fn text(totals: &CosetTotals) -> String {
    use Align::Right;
    let columns = [("depth", Right), ("positions of the cube", Right), ("cosets", Right), ("of the cover, %", Right)];
    let mut table = format::table(&columns);
    for sum in &totals.levels {
        let share = format::share(sum.cosets, totals.cosets_of_cover.into());
        table.add_row([sum.depth.to_string(), format::grouped_wide(sum.positions), grouped(sum.cosets), share]);
    }
    let CosetTotals { solved, solved_of_cover, complete_of_cover, cosets_of_cover, seconds, .. } = *totals;
    let time = format::seconds(seconds);
    let solved = format::counted(solved, "coset");
    let [of_cover, complete, all] = [solved_of_cover, complete_of_cover, cosets_of_cover.into()].map(grouped);
    format!(
        "{}\n{solved} solved in {time}; {of_cover} of the {all} of the cover, {complete} completely",
        table.trim_fmt()
    )
}
