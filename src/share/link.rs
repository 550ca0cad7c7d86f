//! A link: a page, what was run, how the page is to be shown.

use std::fmt;

use super::{LinkError, Place, View, digest, error::shown, v1};
use crate::lab::{
    Config, Kind, Report,
    headline::{Figure, headline},
    origin::Origin,
};

/// Characters of a link at most: five times what the largest default-sized run takes, and far below what browsers bear.
pub const MOST_CHARACTERS: usize = 8_192;

/// A link to a run.
#[derive(Debug, Clone, PartialEq)]
pub struct Link {
    /// How the page is to be shown.
    pub view: View,
    /// What was asked, on what, and what was found.
    pub run: Run,
}

/// What was asked, on what, and what was found. Digests are SHA-256 in hexadecimal.
#[derive(Debug, Clone, PartialEq)]
pub struct Run {
    /// The analysis and its settings, the seed among them.
    pub config: Config,
    /// The model; none where the run needs none, or names several itself.
    pub model: Option<Model>,
    /// Of the texts, as `Reading::sha256` of the package that reads says; none where no text was read.
    pub corpus: Option<String>,
    /// Program that computed.
    pub version: String,
    /// `cpu`, `fused` or `webgpu`; `webgpu, then cpu` where the run moved.
    pub backend: String,
    /// [`digest`] of the report; none outside exact mode.
    pub digest: Option<String>,
    /// [`headline`] of the report.
    pub figures: Vec<Figure>,
}

/// A model by its files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Model {
    /// Its name.
    pub name: String,
    /// Its folder.
    pub place: Place,
    /// Of model.safetensors.
    pub checkpoint: String,
    /// Of config.json.
    pub config: Option<String>,
    /// Of tokenizer.json.
    pub tokenizer: Option<String>,
}

/// The page of an analysis, as the fragment names it: `#/<page>`; the start page's is empty.
pub fn page(kind: Kind) -> &'static str {
    kind.about().path
}

impl Link {
    /// To a report, whose model, where it has one, was loaded from a place.
    pub fn of(report: &Report, place: impl Into<Option<Place>>, view: View) -> Result<Link, LinkError> {
        Link::digested(report, digest(report), place, view)
    }

    /// To a report whose [`digest`] is known.
    pub fn digested(
        report: &Report,
        digest: Option<String>,
        place: impl Into<Option<Place>>,
        view: View,
    ) -> Result<Link, LinkError> {
        let origin = report.origin();
        let model = |(of, place): (&Origin, Place)| Model {
            name: of.model.clone(),
            place,
            checkpoint: of.files.model_sha256.clone(),
            config: of.files.config_sha256.clone(),
            tokenizer: of.files.tokenizer_sha256.clone(),
        };
        let run = Run {
            config: report.config(),
            model: origin.model().zip(place.into()).map(model),
            corpus: origin.corpus_sha256().cloned(),
            version: origin.version().to_string(),
            backend: origin.backend().to_string(),
            digest,
            figures: headline(report),
        };
        run.check()?;
        let link = Link { view, run };
        // Settings that hold a person's own data may be of any length.
        let came = if v1::holds(&link.run) { link.to_string().len() } else { usize::MAX };
        match came <= MOST_CHARACTERS {
            true => Ok(link),
            false => Err(LinkError::NoRoom { most: MOST_CHARACTERS }),
        }
    }

    /// Reads a link: a whole address, or its fragment. Options other than `run` and `view` are not its business.
    pub fn parse(text: &str) -> Result<Link, LinkError> {
        let text = text.trim();
        if text.len() > MOST_CHARACTERS {
            return Err(LinkError::TooLong { came: text.len(), most: MOST_CHARACTERS });
        }
        let fragment = text.split_once('#').map_or(text, |(_, fragment)| fragment);
        let (path, query) = fragment.split_once('?').ok_or(LinkError::NoRun)?;
        let option = |name: &str| {
            let pairs = query.split('&').rev().filter_map(|pair| pair.split_once('='));
            pairs.filter(|(key, _)| *key == name).map(|(_, value)| value).next()
        };
        let carried = option("run").ok_or(LinkError::NoRun)?;
        let path = path.trim_matches('/');
        let known = Kind::ALL.iter().find(|kind| page(**kind) == path);
        let on_page = known.ok_or_else(|| LinkError::Page(shown(path)))?;
        let view = View::parse(option("view").unwrap_or_default())?;
        let run = match carried.split_once('.') {
            Some((v1::VERSION, payload)) => v1::decode(payload)?,
            other => return Err(LinkError::Version(shown(other.map_or(carried, |(version, _)| version)))),
        };
        if run.config.kind() != *on_page {
            return Err(LinkError::OtherPage { page: on_page.name(), run: run.config.kind().name() });
        }
        Ok(Link { view, run })
    }

    /// `run=…` and `view=…`, as they stand after the `?` of the fragment.
    pub fn options(&self) -> String {
        let view = self.view.to_string();
        let view = if view.is_empty() { view } else { format!("&view={view}") };
        format!("run={}.{}{view}", v1::VERSION, v1::encode(&self.run))
    }
}

/// The fragment: `#/<page>?run=…&view=…`.
impl fmt::Display for Link {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "#/{}?{}", page(self.run.config.kind()), self.options())
    }
}
