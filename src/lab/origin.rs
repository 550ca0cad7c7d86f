//! Where the figures of a report are from.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use crate::{arch::scoring::Asked, model::files::Files};

/// Which program this is: its version, the [revision of its figures](FIGURES), and the identity of its build, which changes with
/// all that decides figures (`src/reports/build.rs`).
pub const VERSION: &str = concat!(env!("CARGO_PKG_VERSION"), "+f4.", env!("FAIRBITS_BUILD"));

/// Raised by hand when the same files and settings give other figures than before; `tests/fixtures/figures.json` holds what they
/// give. Reports of one revision can be compared, whichever builds made them.
///
/// 2: the token before a text is what the tokenizer puts there, not what config.json names.
/// 3: the digest of a report is of its figures, without what was asked.
/// 4: languages are measured by KL, flips and Δp too, and D has intervals that hold for few texts (the jackknife).
pub const FIGURES: u32 = 4;

/// The revision of figures that a version names; versions from before there was one are of the first.
pub fn figures(version: &str) -> u32 {
    let named = version.split_once("+f").map(|(_, rest)| rest.split('.').next().unwrap_or_default());
    named.and_then(|number| number.parse().ok()).unwrap_or(1)
}

/// The model, the texts, what computed, and by which program: part of every report.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Origin {
    /// Name of the model.
    pub model: String,
    /// Its files.
    #[serde(flatten)]
    pub files: Files,
    /// What was read, as `Reading::sha256` of the package that reads says; none where no text was.
    #[schemars(description = "[`Reading::sha256`] of what was read; none where no text was.")]
    #[serde(default)]
    pub corpus_sha256: Option<String>,
    /// What was put before each text; none where no text was read, and in reports from before it was kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub in_front: Option<InFront>,
    /// `cpu`, `fused` (the CPU with fused products) or `webgpu`; `webgpu, then cpu` where the run moved.
    pub backend: String,
    /// Program version.
    pub version: String,
    /// What it was asked about a text.
    #[serde(default, skip_serializing_if = "is_usual")]
    pub asked: Asked,
    /// Of its layers, so many belong to an encoder beside the decoder.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub encoder_layers: usize,
}

/// What stands before a text when a model reads it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum InFront {
    /// Nothing: the first token of a text is read and not scored.
    Nothing,
    /// A token, as the tokenizer writes it.
    Token(String),
}

/// Reports of models that are asked for the next token do not speak of it.
fn is_usual(asked: &Asked) -> bool {
    *asked == Asked::Next
}

/// Reports of models without such an encoder do not speak of it.
fn is_zero(layers: &usize) -> bool {
    *layers == 0
}

/// Where the figures of a report are from that is not about one model: from numbers alone, or from several models that the report
/// names itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Made {
    /// What was read, as `Reading::sha256` of the package that reads says; none where no text was.
    #[schemars(description = "[`Reading::sha256`] of what was read; none where no text was.")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub corpus_sha256: Option<String>,
    /// As that of an [`Origin`].
    pub backend: String,
    /// Program version.
    pub version: String,
}

impl Made {
    /// From numbers alone, which are always computed in exact mode.
    pub fn of_numbers() -> Made {
        Made { corpus_sha256: None, backend: EXACT.into(), version: VERSION.into() }
    }
}

/// Where any report is from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Whence<'a> {
    /// One model.
    Model(&'a Origin),
    /// None, or several.
    Made(&'a Made),
}

impl<'a> Whence<'a> {
    /// The model's, where the report is about one.
    pub fn model(self) -> Option<&'a Origin> {
        match self {
            Whence::Model(origin) => Some(origin),
            Whence::Made(_) => None,
        }
    }

    /// Of the texts that were read.
    pub fn corpus_sha256(self) -> Option<&'a String> {
        match self {
            Whence::Model(origin) => origin.corpus_sha256.as_ref(),
            Whence::Made(made) => made.corpus_sha256.as_ref(),
        }
    }

    /// What it was computed on.
    pub fn backend(self) -> &'a str {
        match self {
            Whence::Model(origin) => &origin.backend,
            Whence::Made(made) => &made.backend,
        }
    }

    /// Which program computed it.
    pub fn version(self) -> &'a str {
        match self {
            Whence::Model(origin) => &origin.version,
            Whence::Made(made) => &made.version,
        }
    }

    /// Whether every browser and the native program give these figures to the last bit.
    pub fn exact(self) -> bool {
        self.backend() == EXACT
    }
}

impl<'a> From<&'a Origin> for Whence<'a> {
    fn from(origin: &'a Origin) -> Whence<'a> {
        Whence::Model(origin)
    }
}

impl<'a> From<&'a Made> for Whence<'a> {
    fn from(made: &'a Made) -> Whence<'a> {
        Whence::Made(made)
    }
}

/// What a run in exact mode was computed on.
pub const EXACT: &str = "cpu";

impl Origin {
    /// A layer's number; those of an encoder and of its decoder are counted apart, as `e0` and `d0`.
    pub fn layer(&self, layer: usize) -> String {
        layer_name(layer, self.encoder_layers)
    }
}

/// A layer's number in a model of so many encoder layers; see [`Origin::layer`].
pub fn layer_name(layer: usize, encoder_layers: usize) -> String {
    match layer.checked_sub(encoder_layers) {
        _ if encoder_layers == 0 => layer.to_string(),
        Some(of_decoder) => format!("d{of_decoder}"),
        None => format!("e{layer}"),
    }
}
