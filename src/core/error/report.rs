//! Errors as JSON: `schema/json/error.json`.

use std::ops::Range;

use serde::{Serialize, Serializer};

use super::{Class, DataError, Error, Problem, Remedy};

/// An error as a JSON object.
#[derive(Debug, Clone, Serialize)]
pub struct ErrorReport {
    /// The number of the line of a batch, where answers need not be in order.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub number: Option<u64>,
    /// The position or sequence as given, where there is one.
    pub input: Option<String>,
    /// The fault.
    pub error: ErrorBody,
}

/// The error as a JSON object.
#[derive(Debug, Clone, Serialize)]
pub struct ErrorBody {
    /// The class.
    pub code: Class,
    /// The error in words.
    pub message: String,
    /// The first offending bytes of the input.
    pub at: Option<Range<usize>>,
    /// Every reason why an input is invalid.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub problems: Vec<Problem>,
    /// The table that cannot answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub data: Option<DataError>,
}

impl ErrorReport {
    /// Describes an error about `input`, or about a whole request. An invalid input is named in any case.
    pub fn new(input: Option<&str>, error: &Error) -> Self {
        let mut report = Self::of_class(error.class(), error.to_string());
        report.input = input.map(str::to_owned);
        report.describe(error);
        report
    }

    /// Adds the parts of an error besides its message.
    fn describe(&mut self, error: &Error) {
        match error {
            Error::Invalid(invalid) => {
                self.input.get_or_insert_with(|| invalid.input.clone());
                self.error.at = invalid.problems.iter().find_map(|problem| problem.at.clone());
                self.error.problems = invalid.problems.clone();
            }
            Error::Data(fault) => self.error.data = Some(fault.clone()),
            Error::Element { error, .. } | Error::Line { error, .. } => self.describe(error),
            _ => {}
        }
    }

    /// Describes a failure that has only a class and words.
    pub fn of_class(class: Class, message: impl Into<String>) -> Self {
        let error = ErrorBody { code: class, message: message.into(), at: None, problems: Vec::new(), data: None };
        Self { number: None, input: None, error }
    }

    /// Says which line of a batch it is about.
    #[must_use]
    pub fn numbered(self, number: u64) -> Self {
        Self { number: Some(number), ..self }
    }
}

impl Serialize for Remedy {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::InvalidInput;

    #[test]
    fn an_invalid_input_is_reported_with_every_reason() {
        let problem = |code, at| Problem { code, message: format!("{code}!"), at };
        let problems = vec![problem("parity", None), problem("duplicate-piece", Some(3..4))];
        let error =
            Error::Invalid(InvalidInput { input: "0120".into(), expected: "position", problems, instead: None });
        let json = serde_json::to_value(ErrorReport::new(None, &error)).unwrap();
        assert_eq!(json["input"], "0120");
        assert_eq!(json["error"]["code"], "invalid");
        assert_eq!(json["error"]["at"], serde_json::json!({"start": 3, "end": 4}));
        assert_eq!(json["error"]["problems"][0]["code"], "parity");
        assert_eq!(json["error"]["problems"][1]["message"], "duplicate-piece!");
    }
}
