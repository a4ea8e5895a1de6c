//! Shards as arrays of tasks of Slurm. This module finds the missing ones; Slurm runs them.

mod options;
mod programs;
mod script;
mod submit;

pub use options::SlurmOptions;
pub use submit::{SubmitReport, SubmittedArray};
