//! The host of an address: what a limit per server is counted on.
//!
//! Cut out by hand: the `url` crate brings the tables of international domain names, and a limit needs only that equal hosts
//! compare equal.

use super::number::Fault;
use std::borrow::Cow;

const NO_HOST: Fault = Fault::new("no host in this address", "Write addresses as https://example.org/page.");

/// The host of a URL, in lower case, without port and without a leading `www.`, which names the same server nearly always.
pub(super) fn host(url: &str) -> Result<Cow<'_, str>, Fault> {
    let rest = match url.bytes().position(|byte| matches!(byte, b':' | b'/')) {
        Some(0) if url.starts_with("//") => &url[2..],
        Some(place) if url[place..].starts_with("://") => {
            let scheme = &url.as_bytes()[..place];
            if scheme.is_empty() || !scheme.iter().all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(byte)) {
                return Err(NO_HOST);
            }
            &url[place + 3..]
        }
        _ => url,
    };
    let end = rest.bytes().position(|byte| matches!(byte, b'/' | b'?' | b'#' | b'\\')).unwrap_or(rest.len());
    let start = rest.as_bytes()[..end].iter().rposition(|byte| *byte == b'@').map_or(0, |place| place + 1);
    let authority = &rest[start..end];
    let name = match authority.bytes().position(|byte| matches!(byte, b':' | b'[')) {
        Some(place) if authority.as_bytes()[place] == b':' => &authority[..place],
        Some(_) => authority.split_inclusive(']').next().unwrap_or_default(),
        None => authority,
    };
    let name = name.trim_end_matches('.');
    // Without a scheme only a dotted name is taken for a host: a bare word is more likely a path.
    let plausible = rest.len() < url.len() || name.contains('.');
    if name.is_empty() || !plausible || name.bytes().any(|byte| byte.is_ascii_whitespace() || byte.is_ascii_control()) {
        return Err(NO_HOST);
    }
    Ok(normal(name))
}

/// A host's name in lower case and without `www.`.
pub(super) fn normal(name: &str) -> Cow<'_, str> {
    let lower = if name.bytes().any(|byte| byte.is_ascii_uppercase() || !byte.is_ascii()) {
        Cow::Owned(name.to_lowercase())
    } else {
        Cow::Borrowed(name)
    };
    let bare = lower.strip_prefix("www.").is_some_and(|bare| bare.contains('.'));
    match lower {
        Cow::Owned(name) if bare => Cow::Owned(name[4..].to_owned()),
        Cow::Borrowed(name) if bare => Cow::Borrowed(&name[4..]),
        name => name,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_are_lower_case_without_port_or_www() {
        for (url, name) in [
            ("https://www.Example.org:8080/a?b#c", "example.org"),
            ("http://user:word@example.org", "example.org"),
            ("example.org/path", "example.org"),
            ("//cdn.example.org/x", "cdn.example.org"),
            ("https://[::1]:80/", "[::1]"),
            ("http://localhost/", "localhost"),
            ("https://www.com/", "www.com"),
            ("https://BÜCHER.example", "bücher.example"),
        ] {
            assert_eq!(host(url).as_deref(), Ok(name), "{url}");
        }
        for url in ["", "page", "https://", "/path", "://x", "a b.example"] {
            assert_eq!(host(url), Err(NO_HOST), "{url}");
        }
    }
}
