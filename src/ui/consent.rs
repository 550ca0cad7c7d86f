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

/// Why an origin cannot be allowed, as a sentence; none where it can. A policy names hosts by letters or by IPv4 numbers:
/// browsers pass over whatever else stands there, so that its files would never come. `start.js` takes the same sources.
pub fn refusal(origin: &str) -> Option<String> {
    let host = host(origin);
    let (name, port) = host.rsplit_once(':').filter(|_| !host.ends_with(']')).unwrap_or((host, "0"));
    let plain = |b: u8| matches!(b, b'a'..=b'z' | b'0'..=b'9' | b'.' | b'_' | b'-');
    let web = origin.starts_with("http://") || origin.starts_with("https://");
    let number = !port.is_empty() && port.bytes().all(|b| b.is_ascii_digit());
    if web && number && !name.is_empty() && name.bytes().all(plain) {
        return None;
    }
    let instead = "Type the host's name or its IPv4 address instead (localhost or 127.0.0.1 for this machine), or choose the \
                   model's files from this device.";
    Some(match name.starts_with('[') {
        true => format!(
            "{host} is an IPv6 address, which no page's policy can name, so this page cannot fetch from it. {instead}"
        ),
        false => {
            format!("{host} is no host that a page's policy can name, so this page cannot fetch from it. {instead}")
        }
    })
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

    /// The origin of an address, where it is another than the page's.
    fn other_origin(address: &str) -> Option<String> {
        let origin = Url::new_with_base(address, &browser::base()).ok()?.origin();
        (origin != window().location().origin().unwrap_or_default()).then_some(origin)
    }

    /// The origin of a model's files, where it is another than the page's.
    pub fn elsewhere(state: State, url: &str) -> Option<String> {
        if url.starts_with(LOCAL) {
            return None;
        }
        let address = match Place::parse(url) {
            Ok(Place::Hub(_)) => state.hub.get(),
            _ => url.to_string(),
        };
        other_origin(&address)
    }

    /// Whether an address is on a host that cannot be allowed, which the person is then told.
    pub fn is_refused(state: State, address: &str) -> bool {
        tell_refusal(state, other_origin(address).as_deref())
    }

    fn tell_refusal(state: State, origin: Option<&str>) -> bool {
        let sentence = origin.and_then(refusal);
        let refused = sentence.is_some();
        if refused {
            state.error.set(sentence);
        }
        refused
    }

    /// Whether the page may fetch a model's files. Where it may not, the person is asked, or told why it never may.
    pub fn may_fetch(state: State, url: &str) -> bool {
        if tell_refusal(state, untrack(|| elsewhere(state, url)).as_deref()) {
            state.asking.set(None);
            return false;
        }
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
        if tell_refusal(state, Some(&asking.origin)) {
            return;
        }
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

    /// Without what could be allowed once and was never fetched from.
    fn list() -> Vec<String> {
        let kept = browser::kept(ALLOWED).and_then(|text| serde_json::from_str(&text).ok());
        let kept: Vec<String> = kept.unwrap_or_default();
        kept.into_iter().filter(|source| refusal(&source.replacen("*.", "", 1)).is_none()).collect()
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

    /// Law: what can be allowed is what `start.js` puts into the policy.
    #[test]
    fn a_host_that_no_policy_can_name_is_refused_with_what_to_use_instead() {
        for right in
            [USUAL_HUB, "http://localhost:8000", "http://127.0.0.1:1", "https://xn--bcher-kva.example", "http://a_b"]
        {
            assert_eq!(refusal(right), None, "{right}");
        }
        for wrong in ["http://[::1]:8000", "http://[::1]", "https://[2001:db8::7]", "https://[2001:db8::7]:443"] {
            let told = refusal(wrong).unwrap();
            assert!(told.starts_with(&format!("{} is an IPv6 address", host(wrong))), "{told}");
            assert!(told.contains("IPv4 address instead (localhost or 127.0.0.1"), "{told}");
        }
        for wrong in ["null", "", "http://", "ftp://a", "http://a:", "http://a:b", "http://a b", "http://a; img-src *"]
        {
            assert!(refusal(wrong).is_some(), "{wrong}");
        }
        let start = include_str!("../../public/scripts/start.js");
        let pattern = r"/^https?:\/\/(\*\.)?[a-z0-9._-]+(:[0-9]+)?$/";
        assert!(start.contains(pattern), "start.js takes other sources than these");
    }
}
