//! Shards as arrays of tasks of Slurm, which runs them: what this does itself is to find what is missing.

mod options;
mod programs;
mod script;
mod submit;

pub use options::SlurmOptions;
pub use submit::{SubmitReport, SubmittedArray};
