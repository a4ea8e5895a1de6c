//! Pictures of positions: on terminals, and nowhere else.

use std::fs::{self, File};
use std::io::Read;
use std::path::Path;
use std::process::{ExitStatus, Stdio};

use rustix::pty::{OpenptFlags, grantpt, ioctl_tiocgptpeer, openpt, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};

use super::{SMALL, run, small_store};
use crate::support::program::command;

const POSITION: &str = "(1,0)/(3,3)/(-1,0)/";
/// How an escape sequence that colours begins.
const COLOUR: &str = "\x1b[0;";

/// What the program writes to a terminal of so many columns.
fn on_terminal(dir: &Path, columns: u16, options: &[&str], environment: &[(&str, &str)]) -> String {
    let args = [&["query", SMALL, POSITION, "--detail", "brief"], options].concat();
    let (status, text) = written(dir, columns, &args, environment, false);
    assert!(status.success());
    text
}

/// How the program ends, and what it writes to a terminal of so many columns that is its standard output, or error.
fn written(
    dir: &Path,
    columns: u16,
    args: &[&str],
    environment: &[(&str, &str)],
    is_error: bool,
) -> (ExitStatus, String) {
    // A process that another test starts meanwhile does not get it: its end would be waited for.
    let of_this_process = OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC;
    let terminal = openpt(of_this_process).unwrap();
    grantpt(&terminal).unwrap();
    unlockpt(&terminal).unwrap();
    tcsetwinsize(&terminal, Winsize { ws_row: 50, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 }).unwrap();
    let mut child = {
        let end = ioctl_tiocgptpeer(&terminal, of_this_process).unwrap();
        let mut command = command();
        command
            .args(args)
            .env("TWISTBASE_STORE", dir)
            .env("TERM", "xterm-256color")
            .env_remove("NO_COLOR")
            .env_remove("COLORTERM");
        command.envs(environment.iter().copied()).stdin(Stdio::null());
        let [stdout, stderr] = if is_error { [Stdio::null(), end.into()] } else { [end.into(), Stdio::null()] };
        command.stdout(stdout).stderr(stderr).spawn().unwrap()
    };
    let (mut written, mut terminal, mut part) = (Vec::new(), File::from(terminal), [0; 4096]);
    // The end of a terminal is an error (EIO) when nobody holds its other side any more.
    while let Ok(length @ 1..) = terminal.read(&mut part) {
        written.extend_from_slice(&part[..length]);
    }
    (child.wait().unwrap(), String::from_utf8(written).unwrap())
}

#[test]
fn a_terminal_gets_a_picture_first() {
    let dir = small_store();
    let text = on_terminal(dir.path(), 100, &[], &[]);
    let (picture, rest) = text.split_once(&format!("{SMALL} position")).unwrap();
    assert!(picture.contains(COLOUR) && picture.contains(";5;") && !picture.contains(";2;"), "{text}");
    assert!(rest.contains("distance   3 twists") && !rest.contains('\x1b'), "{text}");
    let text = on_terminal(dir.path(), 100, &[], &[("COLORTERM", "truecolor")]);
    assert!(text.contains(COLOUR) && text.contains(";2;") && !text.contains(";5;"), "{text}");
}

#[test]
fn whoever_objects_gets_none() {
    let dir = small_store();
    type Variables<'a> = &'a [(&'a str, &'a str)];
    let objections: &[(&[&str], Variables)] = &[
        (&["--no-picture"], &[]),
        (&["--quiet"], &[]),
        (&["--json"], &[]),
        (&[], &[("NO_COLOR", "1")]),
        (&[], &[("TERM", "dumb")]),
    ];
    for (options, environment) in objections {
        let text = on_terminal(dir.path(), 100, options, environment);
        assert!(!text.contains('\x1b') && !text.is_empty(), "{options:?} {environment:?}: {text}");
    }
    assert!(!on_terminal(dir.path(), 40, &[], &[]).contains('\x1b'), "a terminal that is too narrow");
    assert!(on_terminal(dir.path(), 100, &[], &[("NO_COLOR", "")]).contains(COLOUR), "NO_COLOR without a value");
}

#[test]
fn standard_error_has_colours_where_its_terminal_knows_them() {
    let dir = small_store();
    assert_eq!(run(dir.path(), &["cache", "warm", SMALL, "--quiet"]).0, 0);
    let shown = |args: &[&str], environment: &[(&str, &str)]| written(dir.path(), 100, args, environment, true).1;
    // A usage error, and a warning of the log.
    let usage: &[&str] = &["nonsense"];
    let warning: &[&str] = &["query", SMALL, POSITION, "--cache", "read-only"];
    for entry in fs::read_dir(dir.path().join("cache").join(SMALL)).unwrap() {
        fs::write(entry.unwrap().path(), [7; 9000]).unwrap();
    }
    for args in [usage, warning] {
        assert!(shown(args, &[]).contains('\x1b'), "{args:?}: {}", shown(args, &[]));
        let dumb = ("TERM", "dumb");
        for environment in [&[("NO_COLOR", "1")][..], &[dumb], &[dumb, ("CI", "true")]] {
            let text = shown(args, environment);
            assert!(!text.is_empty() && !text.contains('\x1b'), "{args:?} {environment:?}: {text}");
        }
        let (_, _, piped) = run(dir.path(), args);
        assert!(!piped.is_empty() && !piped.contains('\x1b'), "{args:?}: {piped}");
    }
}

/// The commands of a page, split as a shell does.
fn commands_of(document: &str) -> Vec<Vec<String>> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(document);
    let text = fs::read_to_string(path).unwrap();
    let lines = text.lines().filter_map(|line| line.strip_prefix("    $ twistbase "));
    let words = |line: &str| {
        let parts = line.split('"').enumerate();
        let words = parts.flat_map(|(number, part)| match number % 2 {
            1 => vec![part.to_owned()],
            _ => part.split_whitespace().map(str::to_owned).collect(),
        });
        words.collect()
    };
    lines.map(words).collect()
}

#[test]
fn the_guide_s_pictures_are_those_that_are_drawn_and_its_positions_are_theirs() {
    let (dir, root) = (small_store(), Path::new(env!("CARGO_MANIFEST_DIR")));
    let commands = commands_of("ENTERING.md");
    let (pictures, queries): (Vec<_>, Vec<_>) = commands.iter().partition(|words| words[0] == "picture");
    assert_eq!((pictures.len(), queries.len()), (4, 22));
    for words in &pictures {
        let [_, puzzle, position, _, file] = words.iter().map(String::as_str).collect::<Vec<_>>()[..] else {
            panic!("{words:?}")
        };
        let draw = |position: &str| {
            let (code, svg, stderr) = run(dir.path(), &["picture", puzzle, position]);
            assert_eq!(code, 0, "{stderr}");
            svg
        };
        assert_eq!(draw(position), fs::read_to_string(root.join(file)).unwrap(), "{file}");
        // The title is the position as it was given.
        let drawn = |position: &str| -> Vec<String> {
            let svg = draw(position);
            svg.lines().filter(|line| !line.starts_with("<title>")).map(str::to_owned).collect()
        };
        for query in queries.iter().filter(|query| query[1] == puzzle) {
            // The middle layer may be told there alone.
            assert_eq!(drawn(query[2].trim_end_matches('-')), drawn(position), "{query:?}");
        }
    }
}

#[test]
fn a_pipe_gets_none() {
    let dir = small_store();
    let (code, stdout, stderr) = run(dir.path(), &["query", SMALL, POSITION]);
    assert_eq!((code, stderr.as_str()), (0, ""));
    assert!(stdout.starts_with(&format!("{SMALL} position")) && !stdout.contains('\x1b'), "{stdout}");
}
