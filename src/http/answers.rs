//! Answers that need no stream.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use rand::RngExt;

use super::guard::SHOWN_BY;
use super::parameters::{
    AnalysisParameters, Asked, InsertionsParameters, NoParameters, Parameters, PictureParameters, QuestionParameters,
    RandomParameters, SceneParameters, StatsParameters, StepsParameters,
};
use super::pieces::{self, Work, array};
use super::problem::HttpProblem;
use super::transfer::AcceptsGzip;
use super::{ServeLimits, Service};
use twistbase_core::context::Context;
use twistbase_core::error::Error;
use twistbase_database::cube3::CUBE3;
use twistbase_database::{
    Answer, Database, InsertionsSolution, NormalizedPosition, Prepared, Puzzle, PuzzleInfo, SceneReport, StepsSolution,
    TableInfo, TableStats,
};
use twistbase_export::ShapeDatabase;
use twistbase_picture::svg;

/// The media type of JSON.
const JSON: &str = "application/json";

type Answered<T> = Result<T, HttpProblem>;

/// A table for remote clients: its file without the folder.
fn without_folder(table: TableInfo) -> TableInfo {
    let file = table.file.as_deref().and_then(|file| file.file_name()).map(Into::into);
    TableInfo { file, ..table }
}

/// `GET /api/v1/puzzles`.
pub(super) async fn puzzles(_: Parameters<NoParameters>) -> Json<Vec<&'static PuzzleInfo>> {
    Json(Database::puzzle_infos().collect())
}

/// `GET /api/v1/shapes`.
pub(super) async fn shapes(
    State(service): State<Arc<Service>>,
    _: Parameters<NoParameters>,
) -> Answered<Json<ShapeDatabase>> {
    let database = service.database.clone();
    Ok(Json(service.run_list(move |_| database.shapes()).await?))
}

/// `GET /api/v1/tables`.
pub(super) async fn tables(
    State(service): State<Arc<Service>>,
    _: Parameters<NoParameters>,
) -> Answered<Json<Vec<TableInfo>>> {
    let database = service.database.clone();
    let tables = service.run_list(move |_| database.tables()).await?;
    Ok(Json(tables.into_iter().map(without_folder).collect()))
}

/// `GET /api/v1/{puzzle}/query`.
pub(super) async fn query(Asked { service, puzzle, asked }: Asked<QuestionParameters>) -> Answered<Json<Answer>> {
    let (position, ctx) = (asked.position()?, service.ctx.of_part());
    let (question, is_normalized) = (asked.question()?, asked.is_normalized()?);
    let answer = move |prepared: &dyn Prepared, normalized: &NormalizedPosition, ctx: &Context| {
        let answer = prepared.query_position(&normalized.position, &normalized.text, ctx)?;
        Ok::<_, Error>(answer.after_turns(normalized.turns.clone()))
    };
    if puzzle.prepares_long(&question) {
        // That takes too long for the lane of the questions, too.
        let whole = move |ctx: &Context| {
            let normalized = puzzle.read(&position)?.normalized(&position, is_normalized)?;
            answer(&*puzzle.prepare(&question, ctx)?, &normalized, ctx)
        };
        return Ok(Json(service.in_time(service.run_list(whole), "").await?));
    }
    let begin = move || {
        let normalized = puzzle.read(&position)?.normalized(&position, is_normalized)?;
        let prepared = puzzle.prepare(&question, &ctx)?;
        let answered = (!prepared.may_search()).then(|| answer(&*prepared, &normalized, &ctx)).transpose()?;
        Ok::<_, Error>((prepared, normalized, answered))
    };
    let (prepared, normalized, answered) = service.questions.run(begin).await??;
    Ok(Json(match answered {
        Some(answered) => answered,
        // A search takes too long for the lane of the questions.
        // That of a pattern may take any time.
        None => service.in_time(service.run_list(move |ctx| answer(&*prepared, &normalized, ctx)), "").await?,
    }))
}

/// Refuses what is for the Rubik's cube alone; `what` ends with its verb.
fn must_be_cube3(puzzle: &dyn Puzzle, what: &str) -> Answered<()> {
    match puzzle.name() {
        CUBE3 => Ok(()),
        name => Err(HttpProblem::usage(format!("{what} for {CUBE3}, not for {name}"))),
    }
}

/// `GET /api/v1/{puzzle}/steps`.
pub(super) async fn steps(
    Asked { service, puzzle, asked }: Asked<StepsParameters>,
) -> Answered<Json<Vec<StepsSolution>>> {
    must_be_cube3(&*puzzle, "steps are")?;
    let ServeLimits { listed, search_time, .. } = service.limits;
    let (request, cube) = (asked.request(listed, search_time)?, service.database.cube3());
    let solve = move |ctx: &Context| {
        let position = cube.read(&asked.position)?;
        cube.steps(&request, ctx)?.solve(&position, &asked.position, ctx, &mut |_| {})
    };
    let solved = async { Ok(service.searches.run_long(service.ctx.of_part(), solve).await??) };
    Ok(Json(service.in_time(solved, "; ask with a smaller width").await?))
}

/// `GET /api/v1/{puzzle}/insertions`.
pub(super) async fn insertions(
    Asked { service, puzzle, asked }: Asked<InsertionsParameters>,
) -> Answered<Json<Vec<InsertionsSolution>>> {
    must_be_cube3(&*puzzle, "insertions are")?;
    let ServeLimits { listed, search_time, .. } = service.limits;
    let (request, cube) = (asked.request(listed, search_time)?, service.database.cube3());
    let solve = move |ctx: &Context| {
        let position = cube.read(&asked.position)?;
        let found = cube.insertions(request, ctx)?.solve(&position, &asked.position, &asked.skeleton, ctx);
        found.map(|found| found.solutions)
    };
    let solved = async { Ok(service.searches.run_long(service.ctx.of_part(), solve).await??) };
    Ok(Json(service.in_time(solved, "; ask for shorter insertions").await?))
}

/// `GET /api/v1/{puzzle}/analysis`.
pub(super) async fn analysis(Asked { service, puzzle, asked }: Asked<AnalysisParameters>) -> Answered<Response> {
    must_be_cube3(&*puzzle, "analysis is")?;
    let (request, cube) = (asked.request(service.limits.search_time), service.database.cube3());
    let analyze = move |ctx: &Context| {
        let normalized = cube.read(&asked.position)?.normalized(&asked.position, asked.normalize)?;
        cube.analyzer(request, ctx)?.analyze(&normalized.position, &normalized.text, ctx)
    };
    let analysis = match request.optimal {
        Some(_) => service.searches.run_long(service.ctx.of_part(), analyze).await??,
        None => service.run_list(analyze).await?,
    };
    let is_cut = analysis.optimal.as_ref().is_some_and(|optimal| optimal.from_solved.distance.is_none());
    let mut response = Json(analysis).into_response();
    if is_cut {
        // With more time there is a better answer.
        response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    }
    Ok(response)
}

/// Maximum number of moves for one request of random positions, so that it ends soon.
const MOST_MOVES: u64 = 1_000_000;
/// Random positions and moves up to these numbers take no longer than a query.
const FEW: [u64; 2] = [20, 500];

/// `GET /api/v1/{puzzle}/random`.
pub(super) async fn random(
    Asked { service, puzzle, asked }: Asked<RandomParameters>,
    gzip: AcceptsGzip,
) -> Answered<Response> {
    let (is_seeded, count, most) = (asked.seed().is_some(), asked.count(), service.limits.listed);
    if count > most {
        return Err(HttpProblem::too_large(format!("?n= can be {most} at most")));
    }
    if count.saturating_mul(asked.moves_of_each()) > MOST_MOVES {
        let most = MOST_MOVES / asked.moves_of_each();
        return Err(HttpProblem::too_large(format!("?n= is {most} at most for these positions")));
    }
    let (seed, request) = (asked.seed().unwrap_or_else(|| rand::rng().random()), asked.request()?);
    let is_short = count <= FEW[0] && count.saturating_mul(asked.moves_of_each()) <= FEW[1];
    let mut response = match asked.is_scramble() {
        true => {
            let open = move |work: &Work| {
                Ok(array(
                    puzzle
                        .scrambles(&request, seed, &work.ctx)
                        .map_err(|error| work.error(error))?
                        .take(count as usize),
                ))
            };
            pieces::answer(&service, gzip, JSON, open).await?
        }
        false if is_short => {
            let draw = move || Ok::<_, Error>(puzzle.random(&request, seed)?.take(count as usize).collect());
            Json(service.questions.run::<Result<Vec<_>, _>>(draw).await??).into_response()
        }
        false => {
            let open = move |_: &Work| Ok(array(puzzle.random(&request, seed)?.take(count as usize).map(Ok)));
            pieces::answer(&service, gzip, JSON, open).await?
        }
    };
    if !is_seeded {
        response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    }
    Ok(response)
}

/// `GET /api/v1/{puzzle}/stats`.
pub(super) async fn stats(Asked { service, puzzle, asked }: Asked<StatsParameters>) -> Answered<Json<TableStats>> {
    let (table, database) = (asked.table(&puzzle.tables())?, service.database.clone());
    Ok(Json(service.questions.run(move || database.stats(table)).await??))
}

/// Rows to read at a time.
const ROWS: usize = 64;

/// `GET /api/v1/{puzzle}/rows`.
pub(super) async fn rows(
    Asked { service, puzzle, asked }: Asked<StatsParameters>,
    gzip: AcceptsGzip,
) -> Answered<Response> {
    let (table, database) = (asked.table(&puzzle.tables())?, service.database.clone());
    let rows = table.definition().layout().rows;
    if u64::from(rows) > service.limits.listed {
        return Err(HttpProblem::too_large(format!("{table} has {rows} rows, more than one request lists")));
    }
    let open = move |_: &Work| {
        let edition = database.editions(&[table]);
        let read = move |first: u32| {
            // An answer that nobody reads must not hold the table open.
            let read = database.stats_of_rows(table, first..rows.min(first + ROWS as u32))?;
            match database.editions(&[table]) == edition {
                true => Ok(read),
                false => Err(Error::Busy { what: format!("table {table}"), holder: "a build".to_owned() }),
            }
        };
        let failed = |read: Result<Vec<_>, Error>| match read {
            Ok(rows) => rows.into_iter().map(Ok).collect(),
            Err(error) => vec![Err(error)],
        };
        Ok(array((0..rows).step_by(ROWS).flat_map(move |first| failed(read(first)))))
    };
    pieces::answer(&service, gzip, JSON, open).await
}

/// `GET /api/v1/{puzzle}/picture.svg`.
pub(super) async fn picture(Asked { service, puzzle, asked }: Asked<PictureParameters>) -> Answered<Response> {
    let drawn = service.questions.run(move || {
        let normalized = puzzle.read(&asked.position)?.normalized(&asked.position, asked.normalize)?;
        let drawing = normalized.position.picture("")?.drawing(asked.view.0, asked.colours.0);
        Ok::<_, Error>(svg(&drawing, &format!("{}: {}", puzzle.name(), normalized.text)))
    });
    // Origins that may read pictures may show them.
    let shown_by = HeaderValue::from_static(if service.is_shared { "cross-origin" } else { "same-origin" });
    let headers = [(header::CONTENT_TYPE, HeaderValue::from_static("image/svg+xml")), (SHOWN_BY, shown_by)];
    Ok((headers, drawn.await??).into_response())
}

/// `GET /api/v1/{puzzle}/scene`.
pub(super) async fn scene(Asked { service, puzzle, asked }: Asked<SceneParameters>) -> Answered<Json<SceneReport>> {
    let scene = move || {
        let normalized = puzzle.read(&asked.position)?.normalized(&asked.position, asked.normalize)?;
        SceneReport::new(&normalized.position, &normalized.text, &asked.moves, asked.colours.0)
    };
    Ok(Json(service.questions.run(scene).await??))
}

/// `GET /healthz`: the server runs.
pub(super) async fn health() -> &'static str {
    "ok\n"
}

/// `GET /readyz`: the server takes requests. A stopping server accepts no connections.
pub(super) async fn readiness(State(service): State<Arc<Service>>) -> (StatusCode, &'static str) {
    let [_, waiting] = service.questions.load();
    match service.ctx.is_cancelled() || waiting >= service.limits.questions[1] {
        true => (StatusCode::SERVICE_UNAVAILABLE, "not ready\n"),
        false => (StatusCode::OK, "ready\n"),
    }
}
