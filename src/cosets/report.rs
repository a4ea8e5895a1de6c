//! A result as JSON.

use serde::Serialize;

use super::CosetRecord;

/// What the puzzle is called in JSON.
pub(super) const PUZZLE: &str = "cube3";

/// The result about a coset, as JSON: `schema/json/coset.json`.
#[derive(Debug, Clone, Serialize)]
pub struct CosetReport<'a> {
    /// "cube3".
    pub puzzle: &'static str,
    /// The sequence or position that was given, if one was.
    pub input: Option<&'a str>,
    /// The coset's number in the cover, if it is in it.
    pub number: Option<u32>,
    /// Whether the result was known, and not found now.
    pub stored: bool,
    /// Whether every position was reached.
    pub complete: bool,
    /// The result.
    #[serde(flatten)]
    pub record: &'a CosetRecord,
}

impl<'a> CosetReport<'a> {
    /// The report of a result.
    pub fn new(input: Option<&'a str>, stored: bool, record: &'a CosetRecord) -> Self {
        let (number, complete) = (record.number(), record.is_complete());
        Self { puzzle: PUZZLE, input, number, stored, complete, record }
    }
}
