//! Small pictures of positions, for people at a terminal.
//!
//! A puzzle's file here computes a [`Scene`]: polygons with colours, in no format. [`terminal`] writes one with coloured half
//! blocks; another writer needs nothing but the scene.

mod cube3;
mod net;
mod raster;
mod scene;
mod square1;
mod terminal;

use std::env;
use std::io::{self, IsTerminal};

use twistbase::database::Answer;
use twistbase::puzzle::cube2;

use self::scene::Scene;
use self::terminal::Palette;
use super::format;

/// Pixels to a sticker of a net.
const NET_SCALE: f64 = 2.0;
/// Pixels to half the edge of a solved layer of Square-1.
const LAYER_SCALE: f64 = 9.0;
/// Before each line.
const INDENT: &str = "  ";

/// Whether positions are shown as pictures, too: standard output is a terminal that knows colours, and neither options nor
/// `NO_COLOR` (<https://no-color.org>) object.
pub fn is_wanted(no_picture: bool, json: bool, quiet: bool) -> bool {
    let is_refused = no_picture || json || quiet || env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    !is_refused && io::stdout().is_terminal() && env::var_os("TERM").is_some_and(|term| term != "dumb")
}

/// The position of an answer in lines, without their ends; `None` where the terminal is too narrow.
pub fn of(answer: &Answer) -> Option<Vec<String>> {
    match answer {
        Answer::Square1(answer) => {
            let middle = answer.given().middle_given.then(|| answer.position().middle());
            let scene = square1::scene(answer.position(), answer.definition().colouring(), middle);
            lines(&scene, LAYER_SCALE)
        }
        Answer::Cube3(answer) => lines(&cube3::scene(&answer.position), NET_SCALE),
        Answer::Cube2(answer) => lines(&net::scene(2, &cube2::notation::print(&answer.position)), NET_SCALE),
    }
}

fn lines(scene: &Scene, scale: f64) -> Option<Vec<String>> {
    if INDENT.len() + (scene.width * scale).ceil() as usize > format::width() {
        return None;
    }
    let lines = terminal::coloured(scene, scale, palette());
    let is_empty = |line: &&String| line.is_empty();
    let above = lines.iter().take_while(is_empty).count();
    let below = lines[above..].iter().rev().take_while(is_empty).count();
    Some(lines[above..lines.len() - below].iter().map(|line| format!("{INDENT}{line}")).collect())
}

/// What the terminal says it can show. 256 colours are told by no variable that all terminals set; all in use have them.
fn palette() -> Palette {
    match env::var("COLORTERM").as_deref() {
        Ok("truecolor" | "24bit") => Palette::True,
        _ => Palette::Indexed,
    }
}
