//! All integration tests, in one binary: the tests of a run share its tables. With `TWISTBASE_TEST_TABLES`, runs share them, too.
//!
//! `cargo test --release -p twistbase` runs the quick tests. `.ci/run` also runs the ignored ones. Ignored tests with names that begin with `full_` belong
//! to the second tier: `tools/check_all` runs them, and all others with their full counts (`TWISTBASE_TEST_FULL`).
#![allow(clippy::print_stderr, clippy::print_stdout)]

mod arrays;
mod cli;
mod colours;
mod cube2;
mod cube3;
mod defined;
mod depth;
mod documents;
mod export;
mod face;
mod farm;
mod faults;
mod golden;
mod http;
mod memory;
mod neighbours;
mod oracle;
mod progress;
mod support;
mod wca;
mod written;
