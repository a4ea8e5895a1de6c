//! Failures within callbacks of the library.

use std::cell::RefCell;

use twistbase_core::error::{Error, Result};

use super::failure::Failure;

/// Keeps why a callback failed, where the library only learns that it did and ends its work.
#[derive(Default)]
pub struct Callback(RefCell<Option<Failure>>);

impl Callback {
    /// Runs the body of a callback.
    pub fn run(&self, body: impl FnOnce() -> Result<(), Failure>) -> Result<()> {
        body().map_err(|failure| {
            self.0.replace(Some(failure));
            Error::Interrupted
        })
    }

    /// What the work came to, with the reason of a callback that failed.
    pub fn outcome<T>(self, outcome: Result<T>) -> Result<T, Failure> {
        outcome.map_err(|error| self.0.into_inner().unwrap_or_else(|| error.into()))
    }
}
