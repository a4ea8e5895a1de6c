//! The page: files inside the program. The page uses no other server.

use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};

use super::caching::{knows, tag_of, tagged};
use super::parameters::NameInPath;
use super::problem::HttpProblem;

/// A file of the page: name, type, content.
struct PageFile(&'static str, &'static str, &'static str);

const SCRIPT: &str = "text/javascript; charset=utf-8";
const INDEX: PageFile = PageFile("index.html", "text/html; charset=utf-8", include_str!("page/index.html"));
/// The files that the page loads.
const FILES: [PageFile; 22] = [
    PageFile("style.css", "text/css; charset=utf-8", include_str!("page/style.css")),
    PageFile("icon.svg", "image/svg+xml", include_str!("page/icon.svg")),
    PageFile("main.js", SCRIPT, include_str!("page/main.js")),
    PageFile("address.js", SCRIPT, include_str!("page/address.js")),
    PageFile("answer.js", SCRIPT, include_str!("page/answer.js")),
    PageFile("api.js", SCRIPT, include_str!("page/api.js")),
    PageFile("builds.js", SCRIPT, include_str!("page/builds.js")),
    PageFile("dom.js", SCRIPT, include_str!("page/dom.js")),
    PageFile("help.js", SCRIPT, include_str!("page/help.js")),
    PageFile("lists.js", SCRIPT, include_str!("page/lists.js")),
    PageFile("method.js", SCRIPT, include_str!("page/method.js")),
    PageFile("moves.js", SCRIPT, include_str!("page/moves.js")),
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

/// `GET /`.
pub(super) async fn index(headers: HeaderMap) -> Response {
    INDEX.response(&headers)
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
        let bytes: usize = [&INDEX].into_iter().chain(&FILES).map(|PageFile(.., text)| text.len()).sum();
        assert!(bytes < 150_000, "{bytes} bytes");
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
