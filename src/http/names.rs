//! Host names and origins given on the command line, written as browsers send them. A name that no browser sends is rejected: it
//! would never match.

use std::net::Ipv6Addr;

use axum::http::HeaderValue;
use axum::http::uri::Authority;

use twistbase_core::error::{Error, Result};

/// Parses a host name of the server.
///
/// # Errors
/// [`Error::Usage`].
pub(super) fn host(text: &str) -> Result<String> {
    let name = text.trim_end_matches('.').to_ascii_lowercase();
    if is_name(&name) {
        return Ok(name);
    }
    let reason = match name.rsplit_once(':') {
        Some((name, port)) if is_name(name) && port.parse::<u16>().is_ok() => {
            format!("has a port, but a name counts at every port: give {name}")
        }
        _ => "is not a host name like cubes.example.org (IP addresses are always accepted)".to_owned(),
    };
    Err(Error::Usage(format!("{text:?} {reason}")))
}

/// Parses an origin, as in the header of a request.
///
/// # Errors
/// [`Error::Usage`].
pub(super) fn origin(text: &str) -> Result<HeaderValue> {
    let wrong = |reason: &str| Error::Usage(format!("{text:?} is no origin{reason}"));
    let none = || wrong(", like https://example.org");
    // The origin of files and of sandboxed pages.
    if text == "null" {
        return Ok(HeaderValue::from_static("null"));
    }
    let (scheme, rest) = text.split_once("://").ok_or_else(none)?;
    let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let own = written(scheme, host).ok_or_else(none)?;
    if host.len() < rest.len() {
        return Err(wrong(&format!(", which has no path: give {own}")));
    }
    own.parse().map_err(|_| none())
}

/// An origin as browsers write it: lower case, without the default port of its scheme.
fn written(scheme: &str, host: &str) -> Option<String> {
    let scheme = scheme.to_ascii_lowercase();
    let is_scheme = scheme.starts_with(|first: char| first.is_ascii_alphabetic())
        && scheme.chars().all(|letter| letter.is_ascii_alphanumeric() || "+-.".contains(letter));
    let authority: Authority = host.to_ascii_lowercase().parse().ok()?;
    let (name, port) = (authority.host(), authority.port_u16());
    let address = name.strip_prefix('[').and_then(|name| name.strip_suffix(']'));
    let is_host = address.map_or(is_name(name), |address| address.parse::<Ipv6Addr>().is_ok());
    let port = port.map(|port| format!(":{port}")).unwrap_or_default();
    if !is_scheme || !is_host || authority.as_str() != format!("{name}{port}") {
        return None;
    }
    let is_usual = [("http", ":80"), ("https", ":443")].contains(&(scheme.as_str(), port.as_str()));
    Some(format!("{scheme}://{name}{}", if is_usual { "" } else { &port }))
}

fn is_name(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|letter| letter.is_ascii_alphanumeric() || "-._".contains(letter))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_are_names_without_a_port() {
        for (text, name) in [
            ("Cubes.Example.org", Some("cubes.example.org")),
            ("cubes.example.org.", Some("cubes.example.org")),
            ("10.0.0.1", Some("10.0.0.1")),
            ("Cubes.Example.org:443", None),
            ("https://cubes.example.org", None),
            ("*.example.org", None),
            ("", None),
            ("a b", None),
        ] {
            assert_eq!(host(text).ok().as_deref(), name, "{text:?}");
        }
        let reason = host("Cubes.Example.org:443").unwrap_err().to_string();
        assert!(reason.ends_with("give cubes.example.org"), "{reason}");
    }

    #[test]
    fn origins_are_written_as_browsers_send_them() {
        for (text, own) in [
            ("https://example.org", Some("https://example.org")),
            ("HTTPS://Example.org:443", Some("https://example.org")),
            ("http://example.org:80", Some("http://example.org")),
            ("http://example.org:443", Some("http://example.org:443")),
            ("http://[::1]:8021", Some("http://[::1]:8021")),
            ("moz-extension://0123", Some("moz-extension://0123")),
            ("null", Some("null")),
            ("not a url", None),
            ("example.org", None),
            ("http://x/", None),
            ("http://x?y", None),
            ("http://x:99999", None),
            ("http://user@x", None),
            ("https://*.example.org", None),
            ("http://[1]", None),
            ("://x", None),
            ("http://", None),
            ("a\nb", None),
        ] {
            let found = origin(text).ok().map(|value| value.to_str().unwrap().to_owned());
            assert_eq!(found.as_deref(), own, "{text:?}");
        }
        let reason = origin("HTTP://x/").unwrap_err().to_string();
        assert!(reason.ends_with("give http://x"), "{reason}");
    }
}
