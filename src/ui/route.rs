//! Which page the fragment names, and with what options.

use std::sync::Arc;

use super::pages::{self, LAB};
use crate::protocol::Wanted;
use crate::report::labels;
use crate::share::{Link, LinkError, View};

/// Sequences of the Bench page where the link does not say.
const BENCH_TOKENS: usize = 256;
/// As many pool members as the engine takes.
pub const MOST_WORKERS: usize = 8;
/// Names of backends in a link.
const BACKENDS: [(&str, Wanted); 4] =
    [("auto", Wanted::Auto), ("cpu", Wanted::Cpu), ("fused", Wanted::Fused), ("webgpu", Wanted::WebGpu)];

/// What a link asks of the engine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Asked {
    /// Pool size, 0 for one per core.
    pub workers: usize,
    /// What to compute on.
    pub backend: Wanted,
    /// Show the time of each kernel.
    pub profile: bool,
}

/// A page with its options.
#[derive(Debug, Clone, PartialEq)]
pub enum Route {
    /// A page of the lab: `#/`, …
    Lab {
        /// Its place in [`LAB`].
        page: usize,
        /// Of the engine.
        asked: Asked,
        /// How the page is to be shown.
        view: View,
        /// A run that it carries.
        link: Option<Arc<Link>>,
    },
    /// `#/bench`: time of a forward pass.
    Bench(Bench),
    /// A page that is not there.
    NotFound(String),
    /// An option that cannot be, as a sentence.
    Wrong(String),
}

/// Options of the Bench page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bench {
    /// Folder URL; none to let the person choose.
    pub model: Option<String>,
    /// Tokens per sequence.
    pub tokens: usize,
    /// Of the engine; its workers are sequences side by side.
    pub asked: Asked,
}

impl Asked {
    /// As an address says it, after other options; nothing for what is not asked.
    pub fn options(self) -> String {
        let Asked { workers, backend, profile } = self;
        let backend = BACKENDS.iter().find(|(_, wanted)| *wanted == backend && backend != Wanted::Auto);
        let workers = Some(workers).filter(|workers| *workers > 0).map(|workers| format!("&workers={workers}"));
        let backend = backend.map(|(name, _)| format!("&backend={name}"));
        let profile = profile.then(|| "&profile=1".to_string());
        [workers, backend, profile].into_iter().flatten().collect()
    }
}

impl Default for Bench {
    fn default() -> Bench {
        Bench { model: None, tokens: BENCH_TOKENS, asked: Asked { workers: 1, ..Asked::default() } }
    }
}

impl Bench {
    /// The fragment that names this page.
    pub fn fragment(&self) -> String {
        let model = self.model.as_deref().map(|model| format!("model={}&", encoded(model))).unwrap_or_default();
        let Asked { workers, backend, profile } = self.asked;
        let backend = BACKENDS.iter().find(|(_, wanted)| *wanted == backend).map_or("auto", |(name, _)| name);
        let profile = if profile { "&profile=1" } else { "" };
        format!("#/bench?{model}tokens={}&backend={backend}&workers={workers}{profile}", self.tokens)
    }
}

impl Route {
    /// Path of the page, where there is one.
    pub fn path(&self) -> Option<&'static str> {
        match self {
            Route::Lab { page, .. } => Some(LAB[*page].path),
            Route::Bench(_) => Some(pages::BENCH.0),
            Route::NotFound(_) | Route::Wrong(_) => None,
        }
    }

    /// What the window is called.
    pub fn title(&self) -> String {
        match self {
            Route::Lab { page: 0, .. } => "Fairbits: which languages pay when a language model is quantized".into(),
            Route::Lab { page, .. } => format!("{}: {} · Fairbits", LAB[*page].title, LAB[*page].measures),
            Route::Bench(_) => format!("{} · Fairbits", pages::BENCH.1),
            Route::NotFound(_) | Route::Wrong(_) => "Fairbits".into(),
        }
    }

    /// How the page is to be shown.
    pub fn view(&self) -> View {
        match self {
            Route::Lab { view, .. } => view.clone(),
            _ => View::default(),
        }
    }

    /// Reads `location.hash`, and `location.search` for options given before the fragment.
    pub fn parse(fragment: &str, search: &str) -> Route {
        let fragment = fragment.trim_start_matches('#');
        let (path, query) = fragment.split_once('?').unwrap_or((fragment, ""));
        let options: Vec<(String, String)> = pairs(search.trim_start_matches('?')).chain(pairs(query)).collect();
        match route(fragment, path, &options) {
            Ok(route) => route,
            Err(sentence) => Route::Wrong(sentence),
        }
    }
}

fn route(fragment: &str, path: &str, options: &[(String, String)]) -> Result<Route, String> {
    // The fragment's options come last and win.
    let option = |name: &str| options.iter().rev().find(|(key, _)| key == name).map(|(_, value)| value.as_str());
    let number = |name: &str, otherwise: usize, least: usize, most: usize| match option(name) {
        None => Ok(otherwise),
        Some(text) => text.parse().ok().filter(|number| (least..=most).contains(number)).ok_or_else(|| {
            format!("The link says {name}={text}; {name} must be a whole number from {least} to {most}.")
        }),
    };
    let asked = |workers| {
        let backend = option("backend").unwrap_or("auto");
        let known = BACKENDS.iter().find(|(name, _)| *name == backend);
        let (_, backend) = known.ok_or_else(|| {
            format!("The link asks for backend={backend}; there are backend=cpu, backend=fused, backend=webgpu and backend=auto.")
        })?;
        let profile = number("profile", 0, 0, 1)? == 1;
        Ok::<Asked, String>(Asked { workers, backend: *backend, profile })
    };
    let path = path.trim_matches('/');
    if let Some(page) = LAB.iter().position(|page| page.path == path) {
        let mut asked = asked(number("workers", 0, 0, MOST_WORKERS)?)?;
        let sentence =
            |fault: LinkError| labels::with_step(&labels::as_sentence(&fault.to_string()), fault.what_to_do());
        let view = View::parse(option("view").unwrap_or_default()).map_err(sentence)?;
        let link = option("run").map(|_| Link::parse(fragment).map(Arc::new)).transpose().map_err(sentence)?;
        // What was computed to the last bit is compared to the last bit.
        if link.as_ref().is_some_and(|link| link.run.digest.is_some()) && option("backend").is_none() {
            asked.backend = Wanted::Cpu;
        }
        return Ok(Route::Lab { page, asked, view, link });
    }
    match path {
        path if path == pages::BENCH.0 => Ok(Route::Bench(Bench {
            model: option("model").filter(|model| !model.is_empty()).map(String::from),
            tokens: number("tokens", BENCH_TOKENS, 2, 1 << 20)?,
            asked: asked(number("workers", 1, 1, MOST_WORKERS)?)?,
        })),
        other => Ok(Route::NotFound(other.to_string())),
    }
}

fn pairs(query: &str) -> impl Iterator<Item = (String, String)> + '_ {
    query.split('&').filter(|pair| !pair.is_empty()).map(|pair| {
        let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
        (decoded(key), decoded(value))
    })
}

/// Percent-decoding as in a query; what is not a valid escape stays as it is.
fn decoded(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let escape = (bytes[at] == b'%').then(|| text.get(at + 1..at + 3)).flatten();
        match escape.and_then(|hex| u8::from_str_radix(hex, 16).ok()) {
            Some(byte) => {
                out.push(byte);
                at += 3;
            }
            None => {
                out.push(if bytes[at] == b'+' { b' ' } else { bytes[at] });
                at += 1;
            }
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}

fn encoded(text: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.~/:".contains(&byte);
    text.bytes().map(|b| if plain(b) { char::from(b).to_string() } else { format!("%{b:02X}") }).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn every_page_has_a_title_of_its_own() {
        let paths = LAB.iter().map(|page| page.path).chain([pages::BENCH.0]);
        let titles: std::collections::BTreeSet<String> =
            paths.map(|path| Route::parse(&format!("#/{path}"), "").title()).collect();
        assert_eq!(titles.len(), LAB.len() + 1);
        assert!(titles.iter().all(|title| title.contains("Fairbits")), "{titles:?}");
        let index = include_str!("../../index.html");
        assert!(
            index.contains(&format!("<title>{}</title>", Route::parse("", "").title())),
            "as before the page is there"
        );
    }

    #[test]
    fn the_start_page() {
        let lab = |workers, backend, profile| {
            let asked = Asked { workers, backend, profile };
            Route::Lab { page: 0, asked, view: View::default(), link: None }
        };
        for fragment in ["", "#", "#/"] {
            assert_eq!(Route::parse(fragment, ""), lab(0, Wanted::Auto, false));
        }
        assert_eq!(Route::parse("#/?workers=3", ""), lab(3, Wanted::Auto, false));
        assert_eq!(Route::parse("", "?workers=2"), lab(2, Wanted::Auto, false));
        assert_eq!(Route::parse("#/?workers=3", "?workers=2"), lab(3, Wanted::Auto, false));
        assert_eq!(Route::parse("#/?backend=webgpu&profile=1", ""), lab(0, Wanted::WebGpu, true));
        assert_eq!(Route::parse("#/", "?backend=cpu"), lab(0, Wanted::Cpu, false));
    }

    #[test]
    fn every_page_has_a_route_that_leads_back() {
        for (path, ..) in pages::all() {
            assert_eq!(Route::parse(&format!("#/{path}"), "").path(), Some(path));
        }
    }

    #[test]
    fn the_bench_page() {
        assert_eq!(Route::parse("#/bench", ""), Route::Bench(Bench::default()));
        let link = "#/bench?model=http%3A%2F%2Flocalhost%3A8000%2Fmodels%2Fd128&tokens=256&backend=cpu&workers=2";
        let model = Some("http://localhost:8000/models/d128".to_string());
        assert_eq!(
            Route::parse(link, ""),
            Route::Bench(Bench {
                model,
                tokens: 256,
                asked: Asked { workers: 2, backend: Wanted::Cpu, profile: false }
            })
        );
    }

    #[test]
    fn what_cannot_be_is_a_sentence() {
        let wrong = |link| match Route::parse(link, "") {
            Route::Wrong(sentence) => sentence,
            other => panic!("{link} was taken as {other:?}"),
        };
        assert!(wrong("#/bench?tokens=many").contains("tokens=many"));
        assert!(wrong("#/bench?workers=9").contains("from 1 to 8"));
        assert!(wrong("#/bench?backend=tpu").contains("backend=tpu"));
        assert!(wrong("#/?profile=yes").contains("profile=yes"));
        assert!(wrong("#/?run=1.AAAA").ends_with("ask whoever made it for a new one."));
        assert!(wrong("#/?run=9.AAAA").contains("Reload the page"));
        assert_eq!(Route::parse("#/nowhere?x=1", ""), Route::NotFound("nowhere".into()));
    }

    proptest! {
        #[test]
        fn a_bench_link_leads_back(model in "\\PC{1,40}", tokens in 2usize..5000, workers in 1usize..=8, kind in 0usize..BACKENDS.len(), profile: bool) {
            let bench = Bench { model: Some(model), tokens, asked: Asked { workers, backend: BACKENDS[kind].1, profile } };
            prop_assert_eq!(Route::parse(&bench.fragment(), ""), Route::Bench(bench));
        }

        #[test]
        fn any_fragment_is_some_page(fragment in "\\PC{0,60}") {
            Route::parse(&fragment, &fragment);
        }
    }
}
