//! The tables that exist.
pub mod twists;
