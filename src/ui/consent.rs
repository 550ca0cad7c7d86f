//! Which other hosts the page may fetch from: none, until the person allows one.
//!
//! The page's policy (`index.html`, `public/scripts/start.js`) is what enforces it, in the page and in its workers. A policy
//! cannot be widened while the page stands, so that allowing a host keeps it and loads the page again.

use crate::protocol::USUAL_HUB;

/// Under which name allowed sources are kept; `start.js` reads it.
#[cfg(target_arch = "wasm32")]
const ALLOWED: &str = "fairbits-allowed";
/// Under which name a tab remembers, over its own reload, what the person agreed to.
#[cfg(target_arch = "wasm32")]
const AGREED: &str = "fairbits-agreed";
/// The usual hub hands files out from these.
const OF_USUAL_HUB: [&str; 2] = ["https://*.huggingface.co", "https://*.hf.co"];

/// A model of another host that waits for the person's word.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Asking {
    /// `https://example.org`.
    pub origin: String,
    /// The model's address, as the engine would take it.
    pub url: String,
}

/// What a policy must name so that a model of this origin can be fetched.
pub fn sources(origin: &str) -> Vec<String> {
    let handing_out: &[&str] = if origin == USUAL_HUB { &OF_USUAL_HUB } else { &[] };
    [origin].iter().chain(handing_out).map(|source| source.to_string()).collect()
}

/// An origin without its scheme, as a person reads it.
pub fn host(origin: &str) -> &str {
    origin.split_once("://").map_or(origin, |(_, host)| host)
}

/// The list with an origin's sources, or without them.
pub fn changed(mut list: Vec<String>, origin: &str, allowed: bool) -> Vec<String> {
    let own = sources(origin);
    list.retain(|source| !own.contains(source));
    if allowed {
        list.extend(own);
    }
    list
}

/// Origins that a list of sources was made for.
pub fn origins(list: &[String]) -> Vec<String> {
    list.iter().filter(|source| !OF_USUAL_HUB.contains(&source.as_str())).cloned().collect()
}

#[cfg(target_arch = "wasm32")]
pub use here::*;

#[cfg(target_arch = "wasm32")]
mod here {
    use leptos::prelude::*;
    use web_sys::Url;

    use super::super::browser;
    use super::super::state::State;
    use super::*;
    use crate::protocol::LOCAL;
    use crate::share::Place;

    /// The origin of a model's files, where it is another than the page's.
    pub fn elsewhere(state: State, url: &str) -> Option<String> {
        if url.starts_with(LOCAL) {
            return None;
        }
        let address = match Place::parse(url) {
            Ok(Place::Hub(_)) => state.hub.get(),
            _ => url.to_string(),
        };
        let origin = Url::new_with_base(&address, &browser::base()).ok()?.origin();
        (origin != window().location().origin().unwrap_or_default()).then_some(origin)
    }

    /// Whether the page may fetch a model's files. Where it may not, the person is asked.
    pub fn may_fetch(state: State, url: &str) -> bool {
        let Some(origin) = untrack(|| elsewhere(state, url)).filter(|origin| !is_allowed(origin)) else {
            state.asking.set(None);
            return true;
        };
        state.asking.set(Some(Asking { origin, url: url.into() }));
        false
    }

    /// Whether the policy of this page names an origin.
    pub fn is_allowed(origin: &str) -> bool {
        list().iter().any(|source| source == origin)
    }

    /// Origins that the person has allowed.
    pub fn allowed() -> Vec<String> {
        origins(&list())
    }

    /// Allows a host and loads the page again, which goes on with the model that was asked for.
    pub fn allow(state: State, asking: &Asking) {
        set(&asking.origin, true);
        browser::keep_in_tab(AGREED, &asking.url);
        if !is_allowed(&asking.origin) {
            return state.fail(format!(
                "This browser keeps nothing for the page, so {} cannot be allowed: choose the model's files from this device \
                 instead.",
                host(&asking.origin)
            ));
        }
        browser::reload();
    }

    /// Takes a word back, and loads the page again without that host.
    pub fn forbid(origin: &str) {
        set(origin, false);
        browser::reload();
    }

    /// What the person agreed to before this load of the page, once.
    pub fn agreed() -> Option<String> {
        let agreed = browser::kept_in_tab(AGREED);
        browser::keep_in_tab(AGREED, "");
        agreed
    }

    fn list() -> Vec<String> {
        browser::kept(ALLOWED).and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default()
    }

    fn set(origin: &str, allowed: bool) {
        let list = changed(list(), origin, allowed);
        browser::keep(ALLOWED, &serde_json::to_string(&list).expect("a list of strings"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_is_allowed_once_and_taken_back_whole() {
        let with = changed(changed(Vec::new(), "http://a:1", true), "http://a:1", true);
        assert_eq!(with, ["http://a:1"]);
        let both = changed(with, USUAL_HUB, true);
        assert!(both.len() > 2, "a hub hands files out from other hosts than its own");
        assert_eq!(origins(&both), ["http://a:1", USUAL_HUB]);
        assert_eq!(changed(both, USUAL_HUB, false), ["http://a:1"]);
        assert_eq!(host(USUAL_HUB), USUAL_HUB.trim_start_matches("https://"));
    }
}
