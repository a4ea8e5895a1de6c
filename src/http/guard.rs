//! Checks on every request, and headers of every response.

use std::net::IpAddr;
use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use super::Service;
use super::problem::HttpProblem;

/// The content security policy: pages load from this server only.
const CONTENT_SECURITY_POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; \
     base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

/// Says which origins may show an answer.
pub(super) const SHOWN_BY: HeaderName = HeaderName::from_static("cross-origin-resource-policy");

/// Where a request comes from, set by the browser.
const FETCHED_FROM: HeaderName = HeaderName::from_static("sec-fetch-site");

/// Rejects requests for a foreign host. Otherwise a foreign page could read answers after its name was pointed to this address
/// (DNS rebinding). Adds the headers of every response.
pub(super) async fn guard(State(service): State<Arc<Service>>, request: Request, next: Next) -> Response {
    // The host of an absolute target replaces the header.
    let target = request.uri().host();
    let is_own = |host: &str| is_own(host, &service.hosts);
    let mut response = match host(request.headers()) {
        Some(host) if is_own(host) && target.is_none_or(is_own) => next.run(request).await,
        Some(_) => HttpProblem::wrong_host().into_response(),
        None => HttpProblem::no_host().into_response(),
    };
    let headers = [
        (header::CONTENT_SECURITY_POLICY, CONTENT_SECURITY_POLICY),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "no-referrer"),
        (SHOWN_BY, "same-origin"),
    ];
    for (name, value) in headers {
        response.headers_mut().entry(name).or_insert(HeaderValue::from_static(value));
    }
    response
}

/// The `Host` of a request; with two of them none, because a proxy may have checked the other one.
fn host(headers: &HeaderMap) -> Option<&str> {
    let mut hosts = headers.get_all(header::HOST).iter();
    let host = hosts.next().filter(|_| hosts.next().is_none());
    host.and_then(|host| host.to_str().ok())
}

/// Whether a request comes from this server's page or from a program. Foreign pages cannot forge these headers. Browsers without
/// `Sec-Fetch-Site` send `Origin` with requests that change something.
pub(super) fn is_of_own_page(headers: &HeaderMap) -> bool {
    let value = |name| headers.get(name).map(|value: &HeaderValue| value.to_str().unwrap_or_default());
    match (value(FETCHED_FROM), value(header::ORIGIN)) {
        (Some(site), _) => ["same-origin", "none"].contains(&site),
        (None, Some(origin)) => {
            let authority = origin.split_once("://").map(|(_, authority)| authority);
            authority.is_some_and(|own| host(headers).is_some_and(|host| host.eq_ignore_ascii_case(own)))
        }
        (None, None) => true,
    }
}

/// Whether a `Host` is an IP address, `localhost`, or an allowed name. (Nobody can point an IP address elsewhere.)
fn is_own(host: &str, allowed: &[String]) -> bool {
    let name = match host.strip_prefix('[') {
        Some(rest) => rest.split(']').next().unwrap_or_default(),
        None => host.rsplit_once(':').map_or(host, |(name, _)| name),
    };
    let name = name.trim_end_matches('.');
    name.eq_ignore_ascii_case("localhost")
        || name.parse::<IpAddr>().is_ok()
        || allowed.iter().any(|allowed| allowed.eq_ignore_ascii_case(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_own_names_are_answered() {
        let allowed = ["cubes.example.org".to_owned()];
        let is_allowed = |host: &str| is_own(host, &allowed);
        for own in ["localhost", "localhost:8021", "127.0.0.1:8021", "[::1]:80", "[::1]", "CUBES.example.org:443"] {
            assert!(is_allowed(own), "{own}");
        }
        for other in ["example.org", "localhost.example.org:8021", "", ":80", "cubes.example.org.evil.net"] {
            assert!(!is_allowed(other), "{other}");
        }
    }

    #[test]
    fn pages_elsewhere_are_not_own_pages() {
        for (site, origin, expected) in [
            (None, None, true),
            (Some("same-origin"), Some("http://localhost:8021"), true),
            (Some("none"), None, true),
            (Some("cross-site"), None, false),
            // Another port.
            (Some("same-site"), Some("http://localhost:8021"), false),
            (None, Some("http://LOCALHOST:8021"), true),
            (None, Some("http://localhost:3000"), false),
            (None, Some("https://evil.example.org"), false),
            (None, Some("null"), false),
        ] {
            let mut headers = HeaderMap::from_iter([(header::HOST, HeaderValue::from_static("localhost:8021"))]);
            headers.extend(site.map(|site| (FETCHED_FROM, HeaderValue::from_static(site))));
            headers.extend(origin.map(|origin| (header::ORIGIN, HeaderValue::from_static(origin))));
            assert_eq!(is_of_own_page(&headers), expected, "{site:?} {origin:?}");
        }
    }

    #[test]
    fn a_request_has_one_host() {
        let mut headers = HeaderMap::new();
        assert_eq!(host(&headers), None);
        headers.append(header::HOST, HeaderValue::from_static("localhost"));
        assert_eq!(host(&headers), Some("localhost"));
        headers.append(header::HOST, HeaderValue::from_static("evil.example.org"));
        assert_eq!(host(&headers), None);
    }
}
