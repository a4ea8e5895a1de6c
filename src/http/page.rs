//! The page: files inside the program. The page uses no other server.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Query, State};
use axum::http::{HeaderMap, StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};

use super::Service;
use super::answers;
use super::caching::{knows, tag_of, tagged};
use super::parameters::{Asked, NameInPath, QuestionParameters};
use super::problem::HttpProblem;
use twistbase_database::Answer;
use twistbase_database::cube3::CUBE3;

/// A file of the page: name, type, content.
struct PageFile(&'static str, &'static str, &'static str);

const SCRIPT: &str = "text/javascript; charset=utf-8";
const INDEX: PageFile = PageFile("index.html", "text/html; charset=utf-8", include_str!("page/index.html"));
/// The files that the page loads.
const FILES: [PageFile; 26] = [
    PageFile("style.css", "text/css; charset=utf-8", include_str!("page/style.css")),
    PageFile("icon.svg", "image/svg+xml", include_str!("page/icon.svg")),
    PageFile("main.js", SCRIPT, include_str!("page/main.js")),
    PageFile("address.js", SCRIPT, include_str!("page/address.js")),
    PageFile("answer.js", SCRIPT, include_str!("page/answer.js")),
    PageFile("api.js", SCRIPT, include_str!("page/api.js")),
    PageFile("builds.js", SCRIPT, include_str!("page/builds.js")),
    PageFile("dom.js", SCRIPT, include_str!("page/dom.js")),
    PageFile("editor.js", SCRIPT, include_str!("page/editor.js")),
    PageFile("help.js", SCRIPT, include_str!("page/help.js")),
    PageFile("lists.js", SCRIPT, include_str!("page/lists.js")),
    PageFile("menus.js", SCRIPT, include_str!("page/menus.js")),
    PageFile("method.js", SCRIPT, include_str!("page/method.js")),
    PageFile("model.js", SCRIPT, include_str!("page/model.js")),
    PageFile("moves.js", SCRIPT, include_str!("page/moves.js")),
    PageFile("net.js", SCRIPT, include_str!("page/net.js")),
    PageFile("player.js", SCRIPT, include_str!("page/player.js")),
    PageFile("reasons.js", SCRIPT, include_str!("page/reasons.js")),
    PageFile("requests.js", SCRIPT, include_str!("page/requests.js")),
    PageFile("search.js", SCRIPT, include_str!("page/search.js")),
    PageFile("space.js", SCRIPT, include_str!("page/space.js")),
    PageFile("tables.js", SCRIPT, include_str!("page/tables.js")),
    PageFile("tabs.js", SCRIPT, include_str!("page/tabs.js")),
    PageFile("verdict.js", SCRIPT, include_str!("page/verdict.js")),
    PageFile("visits.js", SCRIPT, include_str!("page/visits.js")),
    PageFile("words.js", SCRIPT, include_str!("page/words.js")),
];

/// The files that the page loads later.
#[cfg(test)]
const LATER: [&str; 2] = ["editor.js", "net.js"];

/// The place of the verdict in the page.
const VERDICT: &str = "<!--verdict-->";

/// `GET /`. With `?q=SCRAMBLE`, browsers without JavaScript show the verdict about this scramble of the Rubik's cube.
pub(super) async fn index(
    State(service): State<Arc<Service>>,
    uri: Uri,
    headers: HeaderMap,
) -> Result<Response, HttpProblem> {
    let Some(scramble) = scramble_of(&uri) else { return Ok(INDEX.response(&headers)) };
    let puzzle = service.puzzle(CUBE3)?;
    let verdict = match answers::query(Asked { service, puzzle, asked: QuestionParameters::about(scramble) }).await {
        Ok(Json(answer)) => verdict(&answer),
        Err(problem) => problem.detail().to_owned(),
    };
    let PageFile(_, kind, text) = INDEX;
    let text = text.replacen(VERDICT, &format!("<p class=\"notice\">{}</p>", escaped(&verdict)), 1);
    Ok(([(header::CONTENT_TYPE, kind)], text).into_response())
}

/// The scramble in an address: `?q=SCRAMBLE`.
fn scramble_of(uri: &Uri) -> Option<String> {
    let Query(pairs) = Query::<Vec<(String, String)>>::try_from_uri(uri).ok()?;
    pairs.into_iter().find_map(|(name, value)| (name == "q" && !value.is_empty()).then_some(value))
}

/// The distance as a sentence, with a shortest solution.
fn verdict(answer: &Answer) -> String {
    let from_solved = answer.from_solved();
    match (from_solved.distance, answer.solution()) {
        (Some(0), _) => "Solved.".to_owned(),
        (Some(distance), solution) => {
            let unit = if distance == 1 { "move" } else { "moves" };
            let solution = solution.map(|solution| format!(": {solution}")).unwrap_or_default();
            format!("{distance} {unit} from solved{solution}")
        }
        (None, _) => format!("At least {} moves from solved.", from_solved.at_least),
    }
}

/// A text as HTML.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// `GET /page/{name}`.
pub(super) async fn asset(NameInPath(name): NameInPath, headers: HeaderMap) -> Result<Response, HttpProblem> {
    let file = FILES.iter().find(|PageFile(own, ..)| *own == name);
    Ok(file.ok_or_else(|| HttpProblem::not_found("the page has no file of this name".to_owned()))?.response(&headers))
}

impl PageFile {
    /// The file, or 304 if the client has it.
    fn response(&self, headers: &HeaderMap) -> Response {
        let Self(_, kind, text) = *self;
        let tag = tag_of(text);
        let response = match knows(headers, &tag) {
            true => StatusCode::NOT_MODIFIED.into_response(),
            false => ([(header::CONTENT_TYPE, kind)], text).into_response(),
        };
        tagged(response, &tag)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Phones load the page fast.
    #[test]
    fn the_page_is_small() {
        let first = [&INDEX].into_iter().chain(&FILES).filter(|PageFile(name, ..)| !LATER.contains(name));
        let bytes: usize = first.map(|PageFile(.., text)| text.len()).sum();
        assert!(bytes < 150_000, "{bytes} bytes");
    }

    #[test]
    fn the_verdict_has_a_place_and_is_no_markup() {
        assert_eq!(INDEX.2.matches(VERDICT).count(), 1);
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
        for PageFile(name, _, text) in [&INDEX].into_iter().chain(&FILES) {
            let elsewhere = text.match_indices("//").filter(|(at, _)| text[..*at].ends_with(':'));
            let addresses: Vec<_> = elsewhere.map(|(at, _)| text[at..].lines().next().unwrap_or_default()).collect();
            assert!(addresses.iter().all(|address| address.starts_with("//www.w3.org/")), "{name}: {addresses:?}");
        }
    }
}
