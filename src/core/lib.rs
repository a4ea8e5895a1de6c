//! What every part of twistbase stands on: errors, progress and cancellation, numbers, processor features, memory, threads.

pub mod context;
pub mod error;
pub mod hash;
pub mod math;
pub mod memory;
pub mod simd;
pub mod spelling;
pub mod threads;
pub mod units;

pub use context::Context;
pub use error::{Error, Result};
