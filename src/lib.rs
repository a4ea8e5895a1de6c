//! twistbase: an embedded database of puzzle states.
#![warn(missing_docs)]
#![warn(unsafe_op_in_unsafe_fn)]
#![deny(unsafe_code)]

pub mod cache;
pub mod context;
pub mod error;
pub mod math;
pub mod store;
