//! Where a model was loaded from.

use std::fmt;

use super::error::{LinkError, shown};

/// Characters of the longest folder.
const MOST_CHARACTERS: usize = 300;

/// A model's folder: of the site, or anywhere on the web.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Place {
    /// A path inside the site: `models/skew-skew`.
    Site(String),
    /// An absolute http or https URL, without query and fragment.
    Web(String),
}

impl Place {
    /// Of a model of the site's catalog.
    pub fn catalog(name: &str) -> Result<Place, LinkError> {
        Place::parse(&format!("models/{name}"))
    }

    /// Only a path that stays inside the site, or an http or https URL.
    pub fn parse(text: &str) -> Result<Place, LinkError> {
        let text = text.strip_suffix('/').unwrap_or(text);
        let place = match text.strip_prefix("https://").or_else(|| text.strip_prefix("http://")) {
            Some(rest) => is_address(rest).then(|| Place::Web(text.into())),
            None => text.split('/').all(is_name).then(|| Place::Site(text.into())),
        };
        place.filter(|_| text.len() <= MOST_CHARACTERS).ok_or_else(|| LinkError::Place(shown(text)))
    }

    /// Host and port, where it is on the web.
    pub fn host(&self) -> Option<&str> {
        match self {
            Place::Site(_) => None,
            Place::Web(url) => url.split('/').nth(2),
        }
    }
}

/// `host[:port][/path]`, without a user's name.
fn is_address(rest: &str) -> bool {
    let host = rest.split('/').next().unwrap_or_default();
    let in_host = |b: u8| b.is_ascii_alphanumeric() || b"-.:[]_".contains(&b);
    let in_path = |b: u8| b.is_ascii_alphanumeric() || b"-._~/%+,=@!$&'()*;:[]".contains(&b);
    !host.is_empty() && host.bytes().all(in_host) && rest.bytes().all(in_path)
}

/// A plain name, which cannot lead upwards.
fn is_name(name: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
    !name.is_empty() && !name.starts_with('.') && name.chars().all(plain)
}

/// The folder as the page and the command line load it.
impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::Site(path) => f.write_str(path),
            Place::Web(url) => f.write_str(url),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_site_and_the_web() {
        assert_eq!(Place::parse("models/skew-skew/"), Ok(Place::Site("models/skew-skew".into())));
        let web = Place::parse("https://example.org:8000/a%20b/m").unwrap();
        assert_eq!(web.host(), Some("example.org:8000"));
        assert_eq!(Place::catalog("m").unwrap().host(), None);
        let wrong = [
            "",
            "/",
            "/etc",
            "../m",
            "models/../../m",
            "models//m",
            "javascript:alert(1)",
            "data:text/html,x",
            "file:///m",
            "//example.org/m",
            "http://",
            "https:///m",
            "http://user@example.org/m",
            "http://example.org/m?x",
            "HTTP://x/y",
            "http://example.org/m#x",
            "http://example.org/<b>",
            "models/m\u{202e}",
            "models\\m",
            "http://ex ample.org",
        ];
        for wrong in wrong {
            assert!(Place::parse(wrong).is_err(), "{wrong}");
        }
        assert!(Place::parse(&"m".repeat(MOST_CHARACTERS + 1)).is_err());
    }
}
