//! Where a model was loaded from.

use std::fmt;

use super::error::{LinkError, shown};
use crate::model::{hub::Reference, source::is_plain};

/// Where the site keeps its models.
const CATALOG: &str = "models/";
/// Characters of the longest folder.
const MOST_CHARACTERS: usize = 300;

/// How the place of a model of a hub begins.
const HUB: &str = "hub:";

/// A model's folder: of the site, of a hub, or anywhere on the web.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Place {
    /// A path inside the site: `models/skew-skew`.
    Site(String),
    /// A model of whatever hub the person uses: `hub:org/name@commit`.
    Hub(Reference),
    /// An absolute http or https URL, without query and fragment.
    Web(String),
}

impl Place {
    /// Of a model of the site's catalog.
    pub fn catalog(name: &str) -> Result<Place, LinkError> {
        Place::parse(&format!("{CATALOG}{name}"))
    }

    /// What a person types: an http or https URL, `org/name[@revision]` of a hub, or a path of the site that is no such name.
    pub fn typed(text: &str) -> Result<Place, LinkError> {
        let text = text.trim();
        match Reference::parse(text).filter(|reference| !reference.id().starts_with(CATALOG)) {
            Some(reference) => Ok(Place::Hub(reference)),
            None => Place::parse(text),
        }
    }

    /// Only a path that stays inside the site, a model of a hub, or an http or https URL.
    pub fn parse(text: &str) -> Result<Place, LinkError> {
        let text = text.strip_suffix('/').unwrap_or(text);
        if let Some(reference) = text.strip_prefix(HUB) {
            return Reference::parse(reference).map(Place::Hub).ok_or_else(|| LinkError::Place(shown(text)));
        }
        let place = match text.strip_prefix("https://").or_else(|| text.strip_prefix("http://")) {
            Some(rest) => is_address(rest).then(|| Place::Web(text.into())),
            None => text.split('/').all(is_plain).then(|| Place::Site(text.into())),
        };
        place.filter(|_| text.len() <= MOST_CHARACTERS).ok_or_else(|| LinkError::Place(shown(text)))
    }

    /// Host and port, where it names one.
    pub fn host(&self) -> Option<&str> {
        match self {
            Place::Site(_) | Place::Hub(_) => None,
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

/// The folder as the page and the command line load it.
impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::Site(path) => f.write_str(path),
            Place::Hub(reference) => write!(f, "{HUB}{reference}"),
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
        let hub = Place::parse("hub:org/name@0123abcd").unwrap();
        assert_eq!((hub.to_string().as_str(), hub.host()), ("hub:org/name@0123abcd", None));
        let wrong = [
            "",
            "hub:",
            "hub:name",
            "hub:org/name@../x",
            "hub:org/../name",
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

    #[test]
    fn what_is_typed_is_a_model_of_a_hub_or_a_folder() {
        let typed = |text: &str| Place::typed(text).map(|place| place.to_string());
        assert_eq!(typed(" bigscience/bloom-560m "), Ok("hub:bigscience/bloom-560m".into()));
        assert_eq!(typed("org/name@refs/pr/2"), Ok("hub:org/name@refs/pr/2".into()));
        assert_eq!(typed("https://example.org/m/"), Ok("https://example.org/m".into()));
        assert_eq!(typed("models/skew-skew"), Ok("models/skew-skew".into()));
        assert!(typed("org/name@").is_err() && typed("javascript:alert(1)").is_err());
    }
}
