//! `puzzle show`: what follows from a definition.

use twistbase_definition::{DefinitionReport, GoalReport, MoveReport, OrbitReport};
use twistbase_picture::{ColourScheme, Picture, Viewpoint, svg as drawn};

use super::Source;
use crate::environment::Environment;
use crate::failure::Failure;
use crate::format::{counted, grouped_digits};

const EXAMPLES: &str = "\
Examples:
  twistbase puzzle show pyraminx.tws
  twistbase puzzle show pyraminx.tws --kpuzzle > pyraminx.json
  twistbase puzzle show --geometry \"d f 0.7\" --svg > megaminx.svg

The order of the group counts pieces and orientations that look alike as different.
Symmetries exchange pieces and moves so that every sequence still does the same;
mirrors count. A turn is a move or a power of it; rotations of the whole puzzle (x, y,
z, and names that end in v) are none.";

/// Show the pieces, the moves, the order of the group and the symmetries
#[derive(Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub struct Args {
    #[command(flatten)]
    source: Source,

    /// Print the definition as twsearch and ksolve read it
    #[arg(long, group = "form")]
    tws: bool,

    /// Print the definition as cubing.js reads it (KPuzzle JSON)
    #[arg(long, group = "form")]
    kpuzzle: bool,

    /// Draw its net as SVG; stickers have ids as in cubing.js (CORNER-l0-o2)
    #[arg(long, group = "form")]
    svg: bool,
}

pub fn run(Args { source, tws, kpuzzle, svg }: Args, env: &Environment) -> Result<(), Failure> {
    let (puzzle, mut out) = (source.read()?, env.output());
    if tws {
        out.bytes(puzzle.to_tws().as_bytes())?;
    } else if kpuzzle {
        out.line(puzzle.to_kpuzzle())?;
    } else if svg {
        let net = Picture::solved(&puzzle)?.drawing(Viewpoint::Flat, ColourScheme::Wca);
        out.bytes(drawn(&net, &puzzle.geometry).as_bytes())?;
    } else {
        out.report(&puzzle.report(), text)?;
    }
    out.finish()
}

fn text(report: &DefinitionReport) -> String {
    let mut lines = Vec::new();
    let mut line = |name: &str, value: String| lines.push(format!("{name:<12}{value}"));
    if !report.name.is_empty() {
        line("name", report.name.clone());
    }
    if let Some(geometry) = &report.geometry {
        line("geometry", geometry.clone());
    }
    for (number, OrbitReport { orbit, pieces, orientations, kinds }) in report.orbits.iter().enumerate() {
        let orientations = if *orientations > 1 { format!(", {orientations} orientations") } else { String::new() };
        let kinds = if kinds < pieces { format!(", {}", counted(*kinds as u32, "kind")) } else { String::new() };
        let pieces = counted(*pieces as u32, "piece");
        line(if number == 0 { "orbits" } else { "" }, format!("{orbit}: {pieces}{orientations}{kinds}"));
    }
    let of_kind = |rotation: bool| {
        let names = report.moves.iter().filter(move |one| one.rotation == rotation);
        names.map(|MoveReport { name, order, .. }| format!("{name} ({order})")).collect::<Vec<_>>().join(" ")
    };
    line("moves", format!("{}, as {}", of_kind(false), counted(report.turns as u32, "turn")));
    if report.moves.iter().any(|one| one.rotation) {
        line("rotations", of_kind(true));
    }
    if !report.up_to.is_empty() {
        line("up to", report.up_to.join(", "));
    }
    for (number, GoalReport { name, restriction }) in report.goals.iter().enumerate() {
        line(if number == 0 { "goals" } else { "" }, format!("{name}: {restriction}"));
    }
    line("group order", grouped_digits(&report.group_order));
    if let Some(positions) = &report.positions {
        line("positions", grouped_digits(positions));
    }
    if let Some(symmetries) = report.symmetries {
        line("symmetries", symmetries.to_string());
    }
    lines.join("\n")
}
