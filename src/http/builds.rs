//! Builds while the server runs: their progress, build requests, and hints for requests whose table is missing.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use axum::Json;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use serde::Serialize;

use super::Service;
use super::body::TextBody;
use super::guard::is_of_own_page;
use super::parameters::{NameInPath, NoParameters, Parameters};
use super::problem::HttpProblem;
use twistbase_core::error::{Error, Remedy, Result};
use twistbase_database::{BuildFit, BuildState, TableBuild, TableCondition, TableId};

/// Longest Retry-After for a request whose table is being built.
const LONGEST_WAIT: f64 = 60.0;

/// A table and its build: `schema/json/table-build.json`.
#[derive(Debug, Serialize)]
pub(super) struct BuildReport {
    #[serde(flatten)]
    build: TableBuild,
    /// The progress in words.
    message: Option<String>,
    /// Whether this server builds the table on request.
    can_build: bool,
}

impl BuildReport {
    fn new(build: TableBuild, is_allowed: bool) -> Self {
        let is_wanted = matches!(build.state, BuildState::Missing | BuildState::Failed);
        let message = match (&build.progress, build.state) {
            (Some(progress), BuildState::Building | BuildState::Queued) => Some(progress.to_string()),
            (None, BuildState::Building) => Some("another process builds it".to_owned()),
            _ => None,
        };
        let can_build = is_allowed && is_wanted && build.fits != BuildFit::No;
        Self { build, message, can_build }
    }
}

/// `GET /api/v1/builds`.
pub(super) async fn list(
    State(service): State<Arc<Service>>,
    _: Parameters<NoParameters>,
) -> Result<Json<Vec<BuildReport>>, HttpProblem> {
    let (builds, is_allowed) = (Arc::clone(&service.builds), service.allows_builds);
    let tables = service.run_list(move |_| builds.list()).await?;
    Ok(Json(tables.into_iter().map(|build| BuildReport::new(build, is_allowed)).collect()))
}

/// `POST /api/v1/tables/{table}/build`: queues a build (`--allow-build`). A form on a page of another origin can send neither this
/// content type nor this origin.
pub(super) async fn build(
    State(service): State<Arc<Service>>,
    NameInPath(name): NameInPath,
    _: Parameters<NoParameters>,
    headers: HeaderMap,
    TextBody(body, _): TextBody,
) -> Result<(StatusCode, Json<BuildReport>), HttpProblem> {
    if !service.allows_builds {
        let table = name.parse::<TableId>().map(TableId::name).unwrap_or("TABLE");
        let command = Remedy::build(table).command(service.named_store.as_deref());
        return Err(HttpProblem::builds_are_not_allowed(command));
    }
    if !is_of_own_page(&headers) {
        return Err(HttpProblem::from_elsewhere());
    }
    if !is_json(&headers) {
        return Err(HttpProblem::not_json());
    }
    if !matches!(body.trim_ascii(), b"" | b"{}") {
        return Err(HttpProblem::usage("the body of a build request is {}".to_owned()));
    }
    let table: TableId = name.parse().map_err(|error: Error| HttpProblem::not_found(error.to_string()))?;
    let builds = Arc::clone(&service.builds);
    let pushed = service.questions.run(move || builds.push(table).and_then(|()| builds.describe(table)));
    let report = BuildReport::new(pushed.await?.map_err(refusal)?, true);
    let status = if report.build.state == BuildState::Ready { StatusCode::OK } else { StatusCode::ACCEPTED };
    Ok((status, Json(report)))
}

/// The reason for a rejected build. Another machine, or a later time, may have room.
fn refusal(error: Error) -> HttpProblem {
    match error {
        Error::Memory(text) => HttpProblem::no_room(text),
        // The disk check names no path.
        Error::Io { source, .. } if source.kind() == io::ErrorKind::StorageFull => {
            HttpProblem::no_room(source.to_string())
        }
        error => error.into(),
    }
}

/// Whether a request says that its body is JSON.
fn is_json(headers: &HeaderMap) -> bool {
    let kind = headers.get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    kind.split(';').next().unwrap_or_default().trim().eq_ignore_ascii_case("application/json")
}

/// For requests whose table is missing: adds the progress of its build, or the way to build it.
pub(super) async fn advise(State(service): State<Arc<Service>>, request: Request, next: Next) -> Response {
    let mut response = next.run(request).await;
    let Some(problem) = response.extensions_mut().remove::<HttpProblem>() else { return response };
    let own = Arc::clone(&service);
    // Checking files may wait for a disk.
    match service.questions.run(move || own.advised(problem)).await {
        Ok(advised) => advised.into_response(),
        Err(_) => response,
    }
}

impl Service {
    /// Adds the state of the build, or the way to build, to a problem with a table.
    fn advised(&self, problem: HttpProblem) -> HttpProblem {
        let Some(remedy) = problem.remedy().cloned() else { return problem };
        let command = remedy.command(self.named_store.as_deref());
        let Remedy::Build { table, force: false } = remedy else { return problem.with_command(command) };
        let tables: Vec<TableId> = table.split(' ').filter_map(|name| name.parse().ok()).collect();
        if let Some(building) = tables.iter().find_map(|&table| self.being_built(table)) {
            return building;
        }
        let is_offered = |build| BuildReport::new(build, self.allows_builds).can_build;
        let offered = tables.first().copied().filter(|&table| self.builds.describe(table).is_ok_and(is_offered));
        let failures = tables.iter().filter_map(|&table| Some((table, self.builds.failure(table)?)));
        let mut problem = match offered {
            Some(_) => problem.without_command(),
            None => problem.with_command(command),
        };
        for (table, reason) in failures {
            problem = problem.with_hint(&format!("the last build of {table} failed: {reason}"));
        }
        match offered {
            Some(table) => problem.with_hint(&format!("press Build, or POST to /api/v1/tables/{table}/build")),
            None => problem,
        }
    }

    /// The answer to a request for a table under construction.
    fn being_built(&self, table: TableId) -> Option<HttpProblem> {
        if let Some(progress) = self.builds.progress(table) {
            let verb = if progress.ahead == 0 { "being built" } else { "about to be built" };
            let detail = format!("table {table} is {verb}: {progress}");
            let seconds = self.database.table(table).map_or(1.0, |info| info.build_seconds * (1.0 - progress.done));
            let wait = Duration::from_secs(seconds.clamp(1.0, LONGEST_WAIT).ceil() as u64);
            return Some(HttpProblem::building(table.name(), detail, Some(progress.done), wait));
        }
        let building = |state: &str, progress| {
            let detail = format!("table {table} {state}");
            Some(HttpProblem::building(table.name(), detail, progress, Duration::from_secs(1)))
        };
        match self.database.table(table).ok()?.status {
            TableCondition::Building => building("is being built by another process", None),
            // Its build ended after the request had found it missing.
            TableCondition::Complete => building("was built just now", Some(1.0)),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ServeOptions;
    use axum::http::HeaderValue;
    use twistbase_core::context::Context;
    use twistbase_database::{Database, Question};

    /// A build may end between a question that finds its table missing and the look at the queue.
    #[test]
    fn a_table_that_was_built_meanwhile_is_worth_another_request() {
        let (ctx, database) = (Context::silent(), Database::in_memory());
        let service = Service::new(&database, &ServeOptions::default(), &ctx).unwrap();
        let answer = || {
            let cube = Database::in_memory().puzzle("cube2").unwrap();
            let missing = cube.query("", &Question::default(), &ctx).expect_err("its store is empty");
            service.advised(HttpProblem::from(missing)).into_response()
        };
        let before = answer();
        assert_eq!((before.status(), before.headers().get("retry-after")), (StatusCode::SERVICE_UNAVAILABLE, None));
        database.clone().building_missing(true).build_missing(&["cube2".parse().unwrap()], &ctx).unwrap();
        let after = answer();
        let soon = HeaderValue::from_static("1");
        assert_eq!(
            (after.status(), after.headers().get("retry-after")),
            (StatusCode::SERVICE_UNAVAILABLE, Some(&soon))
        );
    }

    #[test]
    fn only_json_is_json() {
        for (kind, expected) in [
            ("application/json", true),
            ("Application/JSON; charset=utf-8", true),
            ("text/plain", false),
            ("application/x-www-form-urlencoded", false),
            ("application/jsonp", false),
        ] {
            let headers = HeaderMap::from_iter([(header::CONTENT_TYPE, HeaderValue::from_static(kind))]);
            assert_eq!(is_json(&headers), expected, "{kind}");
        }
        assert!(!is_json(&HeaderMap::new()));
    }
}
