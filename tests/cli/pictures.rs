//! Pictures of positions: on terminals, and nowhere else.

use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::process::{Command, Stdio};

use rustix::pty::{OpenptFlags, grantpt, ioctl_tiocgptpeer, openpt, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};

use super::{SMALL, run, small_store};

const POSITION: &str = "(1,0)/(3,3)/(-1,0)/";
/// How an escape sequence that colours begins.
const COLOUR: &str = "\x1b[0;";

/// What the program writes to a terminal of so many columns.
fn on_terminal(dir: &Path, columns: u16, options: &[&str], environment: &[(&str, &str)]) -> String {
    let terminal = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
    grantpt(&terminal).unwrap();
    unlockpt(&terminal).unwrap();
    tcsetwinsize(&terminal, Winsize { ws_row: 50, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 }).unwrap();
    let mut child = {
        let end = ioctl_tiocgptpeer(&terminal, OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
        let mut command = Command::new(assert_cmd::cargo::cargo_bin("twistbase"));
        command.args(["query", SMALL, POSITION, "--detail", "brief"]).args(options);
        command
            .env("TWISTBASE_STORE", dir)
            .env("TERM", "xterm-256color")
            .env_remove("NO_COLOR")
            .env_remove("COLORTERM");
        command.envs(environment.iter().copied()).stdin(Stdio::null()).stdout(end).stderr(Stdio::null());
        command.spawn().unwrap()
    };
    let (mut written, mut terminal, mut part) = (Vec::new(), File::from(terminal), [0; 4096]);
    // The end of a terminal is an error (EIO) when nobody holds its other side any more.
    while let Ok(length @ 1..) = terminal.read(&mut part) {
        written.extend_from_slice(&part[..length]);
    }
    assert!(child.wait().unwrap().success());
    String::from_utf8(written).unwrap()
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
fn a_pipe_gets_none() {
    let dir = small_store();
    let (code, stdout, stderr) = run(dir.path(), &["query", SMALL, POSITION]);
    assert_eq!((code, stderr.as_str()), (0, ""));
    assert!(stdout.starts_with(&format!("{SMALL} position")) && !stdout.contains('\x1b'), "{stdout}");
}
