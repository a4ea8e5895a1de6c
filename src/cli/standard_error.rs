//! Standard error: what its terminal can show, and lines on it, as text or as JSON (`schema/json/log.json`).

use std::collections::BTreeMap;
use std::env;
use std::ffi::OsStr;
use std::fmt;
use std::io::{self, IsTerminal, Write};

use serde::Serialize;
use serde_json::Value;
use tracing::field::{Field, Visit};
use tracing::level_filters::LevelFilter;
use tracing::{Event, Level, Subscriber};
use tracing_subscriber::fmt::format::Writer;
use tracing_subscriber::fmt::{FmtContext, FormatEvent, FormatFields};
use tracing_subscriber::registry::LookupSpan;

/// Whether a stream is a terminal that can move its cursor.
pub fn is_capable(stream: &impl IsTerminal) -> bool {
    stream.is_terminal() && is_capable_terminal(env::var_os("TERM").as_deref())
}

/// Whether colours are refused by nobody (<https://no-color.org>).
pub fn are_colours_allowed() -> bool {
    env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
}

/// Whether clap may colour what it says, where that goes to a terminal.
pub fn clap_colours() -> clap::ColorChoice {
    let is_capable = is_capable_terminal(env::var_os("TERM").as_deref());
    if is_capable && are_colours_allowed() { clap::ColorChoice::Auto } else { clap::ColorChoice::Never }
}

fn is_capable_terminal(name: Option<&OsStr>) -> bool {
    name.is_some_and(|name| !name.is_empty() && name != "dumb")
}

/// Writes a line of progress or a note.
pub fn tell(line: &str, json: bool) {
    if json {
        write(&LogReport::new(Level::INFO, line.to_owned(), BTreeMap::new()).line());
    } else {
        write(&format!("{line}\n"));
    }
}

/// Writes text as it is. A failure cannot be reported anywhere, and `eprintln!` would panic.
pub fn write(text: &str) {
    let _ = io::stderr().write_all(text.as_bytes());
}

/// Sends the library's log to standard error.
pub fn start_log(level: LevelFilter, json: bool) {
    let log = tracing_subscriber::fmt().with_max_level(level).with_writer(io::stderr).with_target(false);
    if json {
        log.event_format(JsonEvents).init();
    } else {
        log.with_ansi(is_capable(&io::stderr()) && are_colours_allowed()).init();
    }
}

/// A line that is no error, as JSON.
#[derive(Debug, Serialize)]
struct LogReport {
    log: LogBody,
}

#[derive(Debug, Serialize)]
struct LogBody {
    level: &'static str,
    message: String,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    about: BTreeMap<&'static str, Value>,
}

impl LogReport {
    fn new(level: Level, message: String, about: BTreeMap<&'static str, Value>) -> Self {
        let level = match level {
            Level::ERROR => "error",
            Level::WARN => "warning",
            Level::INFO => "info",
            Level::DEBUG => "debug",
            Level::TRACE => "trace",
        };
        Self { log: LogBody { level, message, about } }
    }

    /// The object as a line with its end.
    fn line(&self) -> String {
        super::output::json_line(self)
    }
}

/// Writes each event of the log as an object.
struct JsonEvents;

impl<S, N> FormatEvent<S, N> for JsonEvents
where
    S: Subscriber + for<'a> LookupSpan<'a>,
    N: for<'a> FormatFields<'a> + 'static,
{
    fn format_event(&self, _: &FmtContext<'_, S, N>, mut to: Writer<'_>, event: &Event<'_>) -> fmt::Result {
        let mut fields = EventFields::default();
        event.record(&mut fields);
        to.write_str(&LogReport::new(*event.metadata().level(), fields.message, fields.about).line())
    }
}

/// The message and fields of an event.
#[derive(Default)]
struct EventFields {
    message: String,
    about: BTreeMap<&'static str, Value>,
}

impl Visit for EventFields {
    fn record_u64(&mut self, field: &Field, value: u64) {
        self.about.insert(field.name(), value.into());
    }

    fn record_i64(&mut self, field: &Field, value: i64) {
        self.about.insert(field.name(), value.into());
    }

    fn record_bool(&mut self, field: &Field, value: bool) {
        self.about.insert(field.name(), value.into());
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.about.insert(field.name(), value.into());
    }

    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        let text = format!("{value:?}");
        if field.name() == "message" {
            self.message = text;
        } else {
            self.about.insert(field.name(), text.into());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dumb_terminal_and_none_are_not_drawn_on() {
        assert!(is_capable_terminal(Some("xterm-256color".as_ref())));
        for name in [None, Some(""), Some("dumb")] {
            assert!(!is_capable_terminal(name.map(OsStr::new)), "{name:?}");
        }
        let file = std::fs::File::open(env!("CARGO_MANIFEST_DIR")).unwrap();
        assert!(!is_capable(&file));
    }

    #[test]
    fn a_line_is_one_object() {
        let about = BTreeMap::from([("block", 7.into())]);
        let line = LogReport::new(Level::WARN, "two\nlines".to_owned(), about).line();
        assert_eq!(line, "{\"log\":{\"level\":\"warning\",\"message\":\"two\\nlines\",\"about\":{\"block\":7}}}\n");
        let plain = LogReport::new(Level::INFO, "level 3".to_owned(), BTreeMap::new()).line();
        assert_eq!(plain, "{\"log\":{\"level\":\"info\",\"message\":\"level 3\"}}\n");
    }
}
