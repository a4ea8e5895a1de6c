//! twistbase: an embedded database of puzzle states.
#![warn(missing_docs)]
#![warn(unsafe_op_in_unsafe_fn)]
#![deny(unsafe_code)]

pub mod cache;
pub mod context;
pub mod error;
pub mod levelset;
pub mod math;
pub mod puzzle;
pub mod query;
pub mod store;
pub mod tables;
