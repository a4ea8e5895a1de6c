//! The Rubik's cube: its model, its tables in both phases, and the solvers.

mod builds;
mod coset;
mod cover;
mod exact;
mod full;
mod golden;
mod model;
mod nx;
mod optimal;
mod oracle;
mod two_phase;
