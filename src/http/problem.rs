//! Errors as `application/problem+json` (RFC 9457).

use std::error;
use std::io;
use std::iter;
use std::ops::Range;
use std::time::Duration;

use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Serialize;

use twistbase_core::error::{Class, DataError, Error, Fault, Problem, Remedy};

/// When a client may repeat a request that the full queue rejected.
const RETRY_AFTER: Duration = Duration::from_secs(1);

/// An error answer.
#[derive(Debug, Clone, Serialize)]
#[serde(transparent)]
pub(super) struct HttpProblem {
    body: Box<ProblemBody>,
    /// When the client may ask again.
    #[serde(skip)]
    retry_after: Option<Duration>,
    /// The remedy.
    #[serde(skip)]
    remedy: Option<Remedy>,
}

/// The JSON of an error: `schema/json/problem.json`. It names no path of the server, except that of the store in `remedy`.
#[derive(Debug, Clone, Default, Serialize)]
struct ProblemBody {
    /// The class, as a URN.
    r#type: String,
    title: &'static str,
    status: u16,
    /// The error in words.
    detail: String,
    /// The class of the error, as on the command line.
    code: &'static str,
    /// The first offending bytes of the input.
    #[serde(skip_serializing_if = "Option::is_none")]
    at: Option<Range<usize>>,
    /// Every reason why an input is invalid.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    problems: Vec<Problem>,
    #[serde(skip_serializing_if = "Option::is_none")]
    table: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    row: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    page: Option<u32>,
    /// The finished share of the table's build, from 0 to 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    progress: Option<f64>,
    /// The command that fixes this, for whoever runs the server.
    #[serde(skip_serializing_if = "Option::is_none")]
    remedy: Option<String>,
}

impl HttpProblem {
    fn new(status: StatusCode, code: &'static str, title: &'static str, detail: String) -> Self {
        let body = ProblemBody {
            r#type: format!("urn:twistbase:problem:{code}"),
            title,
            status: status.as_u16(),
            detail,
            code,
            ..ProblemBody::default()
        };
        Self { body: Box::new(body), retry_after: None, remedy: None }
    }

    /// The reason, as a sentence.
    pub fn detail(&self) -> &str {
        &self.body.detail
    }

    /// An error that may pass in a moment.
    fn try_again(code: &'static str, title: &'static str, detail: String) -> Self {
        let problem = Self::new(StatusCode::SERVICE_UNAVAILABLE, code, title, detail);
        Self { retry_after: Some(RETRY_AFTER), ..problem }
    }

    pub fn not_found(detail: String) -> Self {
        Self::new(StatusCode::NOT_FOUND, "not-found", "Not found", detail)
    }

    pub fn nothing_here() -> Self {
        Self::not_found("nothing here".to_owned())
    }

    pub fn method_not_allowed() -> Self {
        let detail = "this address does not support this method".to_owned();
        Self::new(StatusCode::METHOD_NOT_ALLOWED, "method", "Method not allowed", detail)
    }

    /// An invalid request.
    pub fn usage(detail: String) -> Self {
        Self::new(StatusCode::UNPROCESSABLE_ENTITY, Class::Usage.code(), "Invalid request", detail)
    }

    pub fn too_large(detail: String) -> Self {
        Self::new(StatusCode::PAYLOAD_TOO_LARGE, "too-large", "Request too large", detail)
    }

    /// A body of more than `most` bytes.
    pub fn body_is_too_large(most: usize) -> Self {
        Self::too_large(format!("the body is too large: {most} bytes at most"))
    }

    /// A compressed body.
    pub fn encoded_body() -> Self {
        let detail = "send the body as plain text, without Content-Encoding".to_owned();
        Self::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, "encoding", "The body cannot be read", detail)
    }

    /// A body that ended early.
    pub fn of_body(reason: &axum::Error) -> Self {
        let mut causes = iter::successors(Some(reason as &(dyn error::Error + 'static)), |cause| cause.source());
        let is_late = |cause: &io::Error| cause.kind() == io::ErrorKind::TimedOut;
        match causes.any(|cause| cause.downcast_ref().is_some_and(is_late)) {
            true => Self::body_is_late(),
            false => Self::usage("the body ended early".to_owned()),
        }
    }

    fn body_is_late() -> Self {
        let detail = "the body of the request did not arrive in time".to_owned();
        Self::new(StatusCode::REQUEST_TIMEOUT, "timeout", "Request timeout", detail)
    }

    pub fn no_host() -> Self {
        let detail = "the request needs exactly one header Host".to_owned();
        Self::new(StatusCode::BAD_REQUEST, "host", "Bad request", detail)
    }

    pub fn wrong_host() -> Self {
        let detail =
            "the request is for the host of another server; to accept this name, start the server with --allow-host"
                .to_owned();
        Self::new(StatusCode::MISDIRECTED_REQUEST, "host", "Misdirected request", detail)
    }

    pub fn queue_is_full() -> Self {
        Self::try_again(
            "overloaded",
            "The queue is full",
            "the server is busy and its queue is full; try again".to_owned(),
        )
    }

    /// Too many bytes of bodies and answers in transfer.
    pub fn too_much_in_transfer() -> Self {
        let detail = "the server has too many unsent answers; try again".to_owned();
        Self::try_again("overloaded", "Too much in transfer", detail)
    }

    /// A request on a connection beyond the limit.
    pub fn connections_are_taken() -> Self {
        let detail = "the server has too many connections; try again".to_owned();
        Self::try_again("overloaded", "Too many connections", detail)
    }

    /// A request for a table under construction. The client may repeat it after `wait`.
    pub fn building(table: &str, detail: String, progress: Option<f64>, wait: Duration) -> Self {
        let mut problem = Self::try_again("building", "A table is being built", detail);
        (problem.body.table, problem.body.progress) = (Some(table.to_owned()), progress);
        Self { retry_after: Some(wait), ..problem }
    }

    /// A build request to a server without --allow-build. `command` builds the table instead.
    pub fn builds_are_not_allowed(command: String) -> Self {
        let detail =
            "this server does not build tables on request; start it with --allow-build, or run the command".to_owned();
        Self::new(StatusCode::FORBIDDEN, "forbidden", "Builds not allowed", detail).with_command(command)
    }

    /// A build request from a page of another origin.
    pub fn from_elsewhere() -> Self {
        let detail = "only this server's own page may request a build".to_owned();
        Self::new(StatusCode::FORBIDDEN, "forbidden", "Another origin", detail)
    }

    /// A body that is not JSON.
    pub fn not_json() -> Self {
        let detail = "a build request needs Content-Type: application/json".to_owned();
        Self::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, "encoding", "The body cannot be read", detail)
    }

    /// Too little memory or disk for a build.
    pub fn no_room(detail: String) -> Self {
        let title = "Not enough memory or disk for the build";
        Self::new(StatusCode::INSUFFICIENT_STORAGE, Class::Budget.code(), title, detail)
    }

    pub fn stopping() -> Self {
        let detail = "the server is about to stop".to_owned();
        Self::new(StatusCode::SERVICE_UNAVAILABLE, Class::Interrupted.code(), "The server is stopping", detail)
    }

    pub fn internal() -> Self {
        let detail = "the program has a defect; details are in the log".to_owned();
        Self::new(StatusCode::INTERNAL_SERVER_ERROR, "internal", "Internal error", detail)
    }

    fn of_data(error: DataError) -> Self {
        let (status, title) = match error.fault {
            Fault::Damaged => (StatusCode::INTERNAL_SERVER_ERROR, "A table is damaged"),
            Fault::Missing | Fault::Unfinished | Fault::Stale | Fault::Bounded | Fault::Foreign => {
                (StatusCode::SERVICE_UNAVAILABLE, "A table cannot answer")
            }
        };
        let error = DataError { file: None, ..error };
        let mut problem = Self::new(status, Class::Data.code(), title, error.to_string());
        let DataError { table, row, page, remedy, .. } = error;
        let body = &mut *problem.body;
        (body.table, body.row, body.page) = (Some(table), row, page);
        body.remedy = Some(remedy.command(None));
        Self { remedy: Some(remedy), ..problem }
    }

    /// The remedy for a fault of the data.
    pub fn remedy(&self) -> Option<&Remedy> {
        self.remedy.as_ref()
    }

    /// Adds the command that fixes this.
    pub fn with_command(mut self, command: String) -> Self {
        self.body.remedy = Some(command);
        self
    }

    /// Removes the command: there is an easier way.
    pub fn without_command(mut self) -> Self {
        self.body.remedy = None;
        self
    }

    /// Adds a hint to the detail.
    pub fn with_hint(mut self, hint: &str) -> Self {
        self.body.detail = format!("{}; {hint}", self.body.detail);
        self
    }

    /// The error in words, owned.
    pub fn into_detail(self) -> String {
        self.body.detail
    }

    /// The status code.
    #[cfg(test)]
    pub fn status(&self) -> u16 {
        self.body.status
    }
}

impl From<Error> for HttpProblem {
    fn from(error: Error) -> Self {
        let (class, text) = (error.class(), error.to_string());
        match error {
            Error::Invalid(invalid) => {
                let title = if invalid.instead.is_some() {
                    "The position is valid, but does not fit the question"
                } else {
                    "Invalid input"
                };
                let mut problem = Self::new(StatusCode::BAD_REQUEST, class.code(), title, text);
                problem.body.at = invalid.problems.iter().find_map(|problem| problem.at.clone());
                problem.body.problems = invalid.problems;
                problem
            }
            Error::Data(error) => Self::of_data(error),
            Error::Usage(_) => Self::usage(text),
            Error::ForeignOptions { options, of } => {
                let names: Vec<_> = options.iter().map(|option| format!("?{}=", option.replace('-', "_"))).collect();
                Self::usage(format!("{} cannot be used with {of}", names.join(" and ")))
            }
            Error::ForeignValue { option, value, of, own } => {
                let option = option.replace('-', "_");
                Self::usage(format!("?{option}={value} cannot be used with {of}, which has: {own}"))
            }
            // A request has one position, or answers line by line.
            Error::Element { error, .. } | Error::Line { error, .. } => Self::from(*error),
            Error::Memory(_) => Self::new(StatusCode::SERVICE_UNAVAILABLE, class.code(), "Too little memory", text),
            Error::Budget(_) => Self::new(StatusCode::GATEWAY_TIMEOUT, class.code(), "Limit reached", text),
            Error::Interrupted => Self::stopping(),
            Error::Busy { what, .. } => Self::try_again(class.code(), "In use", format!("{what} is in use")),
            Error::Io { source, .. } if is_out_of_files(&source) => {
                let detail = "the server has too many open files; try again".to_owned();
                Self::try_again("overloaded", "Too many open files", detail)
            }
            Error::Io { action, source, .. } => {
                let detail = format!("the server cannot {action} its data ({})", source.kind());
                Self::new(StatusCode::INTERNAL_SERVER_ERROR, class.code(), "Input or output failed", detail)
            }
        }
    }
}

/// Whether a file could not be opened because too many are.
fn is_out_of_files(error: &std::io::Error) -> bool {
    matches!(rustix::io::Errno::from_io_error(error), Some(rustix::io::Errno::MFILE | rustix::io::Errno::NFILE))
}

impl IntoResponse for HttpProblem {
    fn into_response(self) -> Response {
        let status = StatusCode::from_u16(self.body.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        // Only text and numbers: writing cannot fail.
        let body = serde_json::to_vec(&self).unwrap_or_default();
        let headers = [(header::CONTENT_TYPE, "application/problem+json"), (header::CACHE_CONTROL, "no-store")];
        let mut response = (status, headers, body).into_response();
        if status == StatusCode::REQUEST_TIMEOUT {
            // The server would read the rest of the body as the next request.
            response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
        }
        if let Some(after) = self.retry_after {
            response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(after.as_secs()));
        }
        if self.remedy.is_some() {
            // For the layer that knows about builds.
            response.extensions_mut().insert(self);
        }
        response
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use twistbase_core::error::InvalidInput;

    /// Each kind of error has its status. Retry-After appears only if waiting may help.
    #[test]
    fn each_kind_of_error_has_its_status() {
        let problem = Problem { code: "bad", message: "it is bad".to_owned(), at: Some(2..3) };
        let invalid =
            InvalidInput { input: "abc".to_owned(), expected: "position", problems: vec![problem], instead: None };
        let data = |fault| {
            Error::Data(DataError {
                fault,
                table: "cube2".to_owned(),
                file: None,
                row: None,
                page: None,
                detail: "so it is".to_owned(),
                remedy: Remedy::build("cube2"),
            })
        };
        let too_many_files = io::Error::from_raw_os_error(rustix::io::Errno::MFILE.raw_os_error());
        let busy = Error::Busy { what: "table cube2".to_owned(), holder: "process 7".to_owned() };
        for (error, status, again) in [
            (Error::Invalid(invalid), 400, false),
            (Error::Usage("no".to_owned()), 422, false),
            (data(Fault::Damaged), 500, false),
            (data(Fault::Missing), 503, false),
            (data(Fault::Bounded), 503, false),
            (Error::Memory("too little".to_owned()), 503, false),
            (Error::Budget("spent".to_owned()), 504, false),
            (Error::Interrupted, 503, false),
            (busy, 503, true),
            (Error::io("open", "/x", too_many_files), 503, true),
            (Error::io("open", "/x", io::ErrorKind::PermissionDenied.into()), 500, false),
        ] {
            let text = error.to_string();
            let problem = HttpProblem::from(error);
            assert_eq!((problem.status(), problem.retry_after.is_some()), (status, again), "{text}");
            let response = problem.into_response();
            assert_eq!(response.status().as_u16(), status, "{text}");
            assert_eq!(response.headers().contains_key(header::RETRY_AFTER), again, "{text}");
        }
    }

    #[test]
    fn no_problem_names_a_path() {
        let data = DataError {
            fault: Fault::Missing,
            table: "square1".to_owned(),
            file: Some("/secret/square1.redb".into()),
            row: Some(7),
            page: None,
            detail: "it has not been built".to_owned(),
            remedy: Remedy::build("square1"),
        };
        let io = Error::io("read", "/secret/square1.redb", io::ErrorKind::PermissionDenied.into());
        for (error, status) in [(Error::Data(data), 503), (io, 500)] {
            let problem = HttpProblem::from(error);
            let text = serde_json::to_string(&problem).unwrap();
            assert!(problem.status() == status && !text.contains("secret"), "{text}");
        }
    }
}
