//! The page: files inside the program. The page uses no other server.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Query, State};
use axum::http::{HeaderMap, StatusCode, Uri, header};
use axum::response::{Html, IntoResponse, Response};

use super::Service;
use super::answers;
use super::caching::{knows, tag_of, tagged};
use super::parameters::{Asked, NameInPath, QuestionParameters};
use super::problem::HttpProblem;
use twistbase_database::Answer;
use twistbase_database::cube3::CUBE3;

/// A file of the page: name and content.
type PageFile = (&'static str, &'static str);

const INDEX: PageFile = ("index.html", include_str!("page/index.html"));
/// The files that the page loads.
const FILES: &[PageFile] = included!("page/", "",
    "style.css" "icon.svg" "main.js" "address.js" "answer.js" "api.js" "builds.js" "dom.js" "editor.js"
    "help.js" "lists.js" "menus.js" "method.js" "model.js" "moves.js" "net.js" "player.js" "reasons.js"
    "requests.js" "search.js" "space.js" "tables.js" "tabs.js" "verdict.js" "visits.js" "words.js"
);

/// The files that the page loads later.
#[cfg(test)]
const LATER: [&str; 6] = ["editor.js", "help.js", "lists.js", "method.js", "net.js", "tables.js"];

/// The place of the verdict in the page.
const VERDICT: &str = "<!--verdict-->";

/// `GET /`. With `?q=SCRAMBLE`, browsers without JavaScript show the verdict about this scramble of the Rubik's cube.
pub(super) async fn index(
    State(service): State<Arc<Service>>,
    uri: Uri,
    headers: HeaderMap,
) -> Result<Response, HttpProblem> {
    let Some(scramble) = scramble_of(&uri) else { return Ok(response(INDEX, &headers)) };
    let puzzle = service.puzzle(CUBE3)?;
    let verdict = match answers::query(Asked { service, puzzle, asked: QuestionParameters::about(scramble) }).await {
        Ok(Json(answer)) => verdict(&answer),
        Err(problem) => problem.detail().to_owned(),
    };
    let text = INDEX.1.replacen(VERDICT, &format!("<p class=\"notice\">{}</p>", escaped(&verdict)), 1);
    Ok(Html(text).into_response())
}

/// The scramble in an address: `?q=SCRAMBLE`.
fn scramble_of(uri: &Uri) -> Option<String> {
    let Query(pairs) = Query::<Vec<(String, String)>>::try_from_uri(uri).ok()?;
    pairs.into_iter().find_map(|(name, value)| (name == "q" && !value.is_empty()).then_some(value))
}

/// The distance as a sentence, with a shortest solution.
fn verdict(answer: &Answer) -> String {
    let from_solved = answer.from_solved();
    let moves = |count: u8| if count == 1 { "1 move".to_owned() } else { format!("{count} moves") };
    match (from_solved.distance, answer.solution()) {
        (Some(0), _) => "Solved.".to_owned(),
        (Some(distance), solution) => {
            let solution = solution.map(|solution| format!(": {solution}")).unwrap_or_default();
            format!("{} from solved{solution}", moves(distance))
        }
        (None, _) => format!("At least {} from solved.", moves(from_solved.at_least)),
    }
}

/// A text as HTML.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// `GET /page/{name}`.
pub(super) async fn asset(NameInPath(name): NameInPath, headers: HeaderMap) -> Result<Response, HttpProblem> {
    let file = FILES.iter().find(|(own, _)| *own == name);
    let file = file.ok_or_else(|| HttpProblem::not_found("the page has no file of this name".to_owned()))?;
    Ok(response(*file, &headers))
}

/// A file, or 304 if the client has it.
fn response((name, text): PageFile, headers: &HeaderMap) -> Response {
    let kind = match name.rsplit_once('.') {
        Some((_, "css")) => "text/css; charset=utf-8",
        Some((_, "html")) => "text/html; charset=utf-8",
        Some((_, "svg")) => "image/svg+xml",
        _ => "text/javascript; charset=utf-8",
    };
    let tag = tag_of(text);
    let response = match knows(headers, &tag) {
        true => StatusCode::NOT_MODIFIED.into_response(),
        false => ([(header::CONTENT_TYPE, kind)], text).into_response(),
    };
    tagged(response, &tag)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Phones load the page fast.
    #[test]
    fn the_page_is_small() {
        let first = [&INDEX].into_iter().chain(FILES).filter(|(name, _)| !LATER.contains(name));
        let bytes: usize = first.map(|(_, text)| text.len()).sum();
        assert!(bytes < 150_000, "{bytes} bytes");
    }

    /// Else the browser learns of a file only when it has read the one that imports it.
    #[test]
    fn the_files_of_the_first_screen_are_named_by_it() {
        for (name, _) in FILES.iter().filter(|(name, _)| name.ends_with(".js")) {
            let is_named = INDEX.1.contains(&format!("=\"page/{name}\""));
            assert_eq!(is_named, !LATER.contains(name), "{name}");
        }
    }

    #[test]
    fn the_verdict_has_a_place_and_is_no_markup() {
        assert_eq!(INDEX.1.matches(VERDICT).count(), 1);
        assert_eq!(escaped("<b> & R U"), "&lt;b&gt; &amp; R U");
    }

    #[test]
    fn a_scramble_comes_from_the_address() {
        let read = |address: &str| scramble_of(&address.parse().unwrap());
        assert_eq!(read("/?q=R+U2+F%27"), Some("R U2 F'".to_owned()));
        assert_eq!(read("/?puzzle=cube2&position=R"), None);
        assert_eq!(read("/?q="), None);
    }

    /// The content security policy blocks other servers; the page does not even try them.
    #[test]
    fn the_page_loads_nothing_from_elsewhere() {
        for (name, text) in [&INDEX].into_iter().chain(FILES) {
            let elsewhere = text.match_indices("//").filter(|(at, _)| text[..*at].ends_with(':'));
            let addresses: Vec<_> = elsewhere.map(|(at, _)| text[at..].lines().next().unwrap_or_default()).collect();
            assert!(addresses.iter().all(|address| address.starts_with("//www.w3.org/")), "{name}: {addresses:?}");
        }
    }
}
