//! The inner step: what a row is next to, found by pulling the states of a level from the rows that moves lead from.
//! One portable kernel moves part by part, another many small sets at a time; kernels in AVX-512, and one in AVX2, move
//! whole registers.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod lanes;
#[cfg(target_arch = "x86_64")]
mod orders;
mod portable;
mod pullable;
mod sources;

pub(crate) use pullable::PreparedSpace;
pub use pullable::PullableOrientations;
pub(crate) use sources::{PullTask, RowSources};
