//! All integration tests, in one binary: tables built once are shared by the tests of a run.

mod arrays;
mod cli;
mod cube2;
mod cube3;
mod depth;
mod documents;
mod export;
mod face;
mod farm;
mod faults;
mod golden;
mod house;
mod http;
mod neighbours;
mod oracle;
mod progress;
mod support;
mod wca;
mod written;
