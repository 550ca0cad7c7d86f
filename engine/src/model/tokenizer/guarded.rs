//! A tokenizer that runs where it can be lost. Its parts are checked before any of them runs, but the library that runs them is
//! not ours: what it breaks or holds up is ended by name, and nothing else ends with it.

use std::{fmt, future::Future, pin::Pin, rc::Rc, time::Duration};

use serde::{Deserialize, Serialize};

use super::{Besides, Cut, FILE, Files, Tokenizer};
use crate::model::error::ModelError;

/// For reading the file, and for cutting the texts of one language. The largest files in wide use are read within two seconds in
/// a browser, texts are cut in less; a phone may take ten times as long.
pub const PATIENCE: Duration = Duration::from_secs(30);

/// What a tokenizer is at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum Part {
    /// Its file is being read.
    #[default]
    File,
    /// Texts are being normalised.
    Normalizer,
    /// They are being cut into words.
    PreTokenizer,
    /// Words are being cut into tokens.
    Model,
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Part::File => "reading it",
            Part::Normalizer => "its normalizer",
            Part::PreTokenizer => "its pre_tokenizer",
            Part::Model => "its model",
        })
    }
}

/// How a part of a tokenizer ended before its end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ending {
    /// It took longer than it may.
    Slow(Duration),
    /// What ran it stopped, and said this.
    Broke(String),
}

impl fmt::Display for Ending {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Ending::Slow(limit) => write!(f, "took longer than {} seconds and was ended", limit.as_secs_f64()),
            Ending::Broke(reason) => write!(f, "broke off: {reason}"),
        }
    }
}

impl Ending {
    /// The fault of a file whose tokenizer ended so.
    pub fn of(self, part: Part) -> ModelError {
        ModelError::TokenizerEnded { file: FILE.into(), part, ending: self }
    }
}

/// What is known of a tokenizer that was read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct About {
    text_start: Option<u32>,
    text_start_name: Option<String>,
    vocabulary: usize,
    sha256: String,
    settings_sha256: Option<String>,
}

impl About {
    /// What this one says of itself.
    pub fn of(tokenizer: &Tokenizer) -> About {
        About {
            text_start: tokenizer.text_start(),
            text_start_name: tokenizer.text_start_name(),
            vocabulary: tokenizer.vocabulary(),
            sha256: tokenizer.sha256().to_string(),
            settings_sha256: tokenizer.settings_sha256().map(str::to_string),
        }
    }
}

/// A tokenizer on its way.
pub type Reading = Pin<Box<dyn Future<Output = Result<Guarded, ModelError>>>>;
/// Texts on their way, cut.
pub type Cutting = Pin<Box<dyn Future<Output = Result<Vec<Cut>, ModelError>>>>;

/// Reads tokenizers.
#[derive(Clone)]
pub struct Reader(Rc<dyn Fn(Files) -> Reading>);

impl Reader {
    /// In a way of one's own.
    pub fn by(read: impl Fn(Files) -> Reading + 'static) -> Reader {
        Reader(Rc::new(read))
    }

    /// Reads one.
    pub async fn read(&self, files: Files) -> Result<Guarded, ModelError> {
        (self.0)(files).await
    }
}

impl Default for Reader {
    /// In a thread of its own; in a browser, where threads are workers that somebody must start, in this one.
    fn default() -> Reader {
        #[cfg(not(target_arch = "wasm32"))]
        return Reader::within(PATIENCE);
        #[cfg(target_arch = "wasm32")]
        Reader::by(|files| Box::pin(async move { Tokenizer::parse_files(&files).map(Guarded::from) }))
    }
}

/// A tokenizer, wherever it runs.
pub struct Guarded {
    about: About,
    cut: Rc<dyn Fn(Vec<String>, Besides) -> Cutting>,
}

impl Guarded {
    /// One that somebody else runs.
    pub fn by(about: About, cut: impl Fn(Vec<String>, Besides) -> Cutting + 'static) -> Guarded {
        Guarded { about, cut: Rc::new(cut) }
    }

    /// Cuts texts.
    pub async fn cut(&self, texts: Vec<String>, besides: Besides) -> Result<Vec<Cut>, ModelError> {
        (self.cut)(texts, besides).await
    }

    /// See [`Tokenizer::text_start`].
    pub fn text_start(&self) -> Option<u32> {
        self.about.text_start
    }

    /// The same as it is written.
    pub fn text_start_name(&self) -> Option<&str> {
        self.about.text_start_name.as_deref()
    }

    /// Tokens of the model, padding included.
    pub fn vocabulary(&self) -> usize {
        self.about.vocabulary
    }

    /// SHA-256 of the file.
    pub fn sha256(&self) -> &str {
        &self.about.sha256
    }

    /// See [`Tokenizer::settings_sha256`].
    pub fn settings_sha256(&self) -> Option<&str> {
        self.about.settings_sha256.as_deref()
    }
}

/// In this thread, without a guard.
impl From<Tokenizer> for Guarded {
    fn from(tokenizer: Tokenizer) -> Guarded {
        let (about, tokenizer) = (About::of(&tokenizer), Rc::new(tokenizer));
        Guarded::by(about, move |texts, besides| {
            let tokenizer = tokenizer.clone();
            Box::pin(async move { tokenizer.cut(&texts, besides, |_| ()) })
        })
    }
}
