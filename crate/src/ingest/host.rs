//! The host of an address: what a limit per server is counted on.
//!
//! Cut out by hand: the `url` crate brings the tables of international domain names, and a limit needs only that equal hosts
//! compare equal.

use super::number::Fault;
use std::borrow::Cow;

const NO_HOST: Fault = Fault::new("no host in this address", "Write addresses as https://example.org/page.");

/// Which bytes most hosts are made of.
const PLAIN: [bool; 256] = {
    let mut plain = [false; 256];
    let mut byte = 0_u8;
    while byte < 128 {
        plain[byte as usize] = matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'.' | b'-');
        byte += 1;
    }
    plain
};

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
    // One walk finds both ends, and whether there is anything in between that needs a closer look: most often not.
    let (mut start, mut end, mut plain) = (0, rest.len(), true);
    for (place, byte) in rest.bytes().enumerate().filter(|(_, byte)| !PLAIN[usize::from(*byte)]) {
        match byte {
            b'/' | b'?' | b'#' | b'\\' => {
                end = place;
                break;
            }
            b'@' => (start, plain) = (place + 1, true),
            _ => plain = false,
        }
    }
    let authority = &rest[start..end];
    let mark = if plain { None } else { authority.bytes().position(|byte| matches!(byte, b':' | b'[')) };
    let name = match mark {
        Some(place) if authority.as_bytes()[place] == b':' => &authority[..place],
        Some(_) => authority.split_inclusive(']').next().unwrap_or_default(),
        None => authority,
    };
    let name = name.trim_end_matches('.');
    // Without a scheme only a dotted name is taken for a host: a bare word is more likely a path.
    let plausible = rest.len() < url.len() || name.contains('.');
    let broken = |byte: u8| byte.is_ascii_whitespace() || byte.is_ascii_control();
    if name.is_empty() || !plausible || (!plain && name.bytes().any(broken)) {
        return Err(NO_HOST);
    }
    Ok(if plain { Cow::Borrowed(without_www(name)) } else { normal(name) })
}

/// A host's name in lower case and without `www.`.
pub(super) fn normal(name: &str) -> Cow<'_, str> {
    if name.bytes().any(|byte| byte.is_ascii_uppercase() || !byte.is_ascii()) {
        Cow::Owned(without_www(&name.to_lowercase()).to_owned())
    } else {
        Cow::Borrowed(without_www(name))
    }
}

fn without_www(name: &str) -> &str {
    name.strip_prefix("www.").filter(|bare| bare.contains('.')).unwrap_or(name)
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
