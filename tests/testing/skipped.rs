//! Tests that cannot run here say so.

use std::io::Write;

/// Says why a test, or a part of it, does not run. Not by a macro of the library: what these print is shown of failing
/// tests alone.
pub fn skipped(why: &str) {
    let test = std::thread::current().name().unwrap_or("a test").to_owned();
    let _ = writeln!(std::io::stderr(), "skipped: {test}: {why}");
}
