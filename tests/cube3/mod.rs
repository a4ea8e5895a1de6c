//! The Rubik's cube: its model, its tables in both phases, and the two-phase solver.

mod builds;
mod full;
mod golden;
mod model;
mod nx;
mod oracle;
mod two_phase;
