//! What can go wrong in an analysis, and what can be done about it.

use super::statistics::FiguresError;
use crate::{arch::ArchError, model::ModelError};

/// Where a pass stopped giving numbers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Began {
    /// In a layer, by its name: none before it.
    Layer(String),
    /// After the last layer.
    Logits,
    /// It was not looked for.
    Somewhere,
}

impl std::fmt::Display for Began {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Began::Layer(name) => write!(f, " in layer {name}"),
            Began::Logits => write!(f, " in its logits"),
            Began::Somewhere => Ok(()),
        }
    }
}

/// What can go wrong in an analysis.
#[derive(Debug, thiserror::Error)]
pub enum AnalysisError {
    /// No language was chosen.
    #[error("choose at least one language")]
    NoLanguages,
    /// Disparity is a difference between languages.
    #[error(
        "choose at least two languages that the model has seen in training: disparity is a difference between them"
    )]
    OneLanguage,
    /// A code that the corpus does not have.
    #[error("the corpus {corpus} has no text in language `{code}`")]
    UnknownLanguage {
        /// The corpus.
        corpus: String,
        /// The code.
        code: String,
    },
    /// A code given twice would count twice in every mean.
    #[error("language `{0}` is named twice")]
    Repeated(String),
    /// A whole number out of its range.
    #[error("{what} is {given}; it must be between {least} and {most}")]
    Range {
        /// The setting.
        what: &'static str,
        /// Its value.
        given: usize,
        /// Smallest allowed.
        least: usize,
        /// Largest allowed.
        most: usize,
    },
    /// A setting out of its range.
    #[error("{label} is “{came}”; it must be {wanted}")]
    Setting {
        /// What it is called.
        label: String,
        /// What came.
        came: String,
        /// What it may be.
        wanted: String,
    },
    /// Settings that are none of an analysis.
    #[error("these are no settings of {analysis}: {fault}")]
    Settings {
        /// Which.
        analysis: &'static str,
        /// What is wrong.
        fault: String,
    },
    /// A text that the site does not have.
    #[error("the text “{0}” is not on this site; choose another")]
    NoCorpus(String),
    /// A layer that the model does not have.
    #[error("layer {layer} is not there; choose layers from 0 to {last}")]
    NoLayer {
        /// The layer.
        layer: usize,
        /// The last that there is.
        last: usize,
    },
    /// A search without a size of set.
    #[error("choose at least one number of layers to protect")]
    NoBudget,
    /// Coefficients that no simulation can be drawn from.
    #[error("β₁, β₂ and γ of the simulated model must lie between 0.01 and 10, its noise between 0 and 10")]
    Coefficients,
    /// A matrix that the model does not have.
    #[error("layer {layer} has no matrix of this kind; the model has layers 0 to {}", layers.saturating_sub(1))]
    NoMatrix {
        /// The layer.
        layer: usize,
        /// Layers of the model.
        layers: usize,
    },
    /// A window that reaches beyond its matrix.
    #[error("the window reaches beyond the matrix, which has {inputs} input and {outputs} output channels")]
    Window {
        /// Input channels of the matrix.
        inputs: usize,
        /// Output channels.
        outputs: usize,
    },
    /// A lab that has no way to others.
    #[error("this run needs other models of the site, and only one can be used here")]
    OneModel,
    /// Figures that no statistic can be made of.
    #[error(transparent)]
    Figures(#[from] FiguresError),
    /// Bounds that leave no room between them, or are no numbers.
    #[error("the bound of light tails, {light}, must be below that of heavy tails, {heavy}")]
    Bounds {
        /// Below it tails are light.
        light: f64,
        /// Above it they are heavy.
        heavy: f64,
    },
    /// The language whose α is tried on the others is not among them.
    #[error("the reference language `{0}` is not one of the languages chosen")]
    Reference(String),
    /// A text without a token to score.
    #[error("unit {unit} of language `{code}` has no token to score")]
    EmptyText {
        /// The language.
        code: String,
        /// Counted from 1.
        unit: usize,
    },
    /// The model gave a loss that is not a number, or larger than any that a model that works can have.
    #[error("the {which} model overflows{began}: its loss on unit {unit} of language `{code}` is {value} nats")]
    NotFinite {
        /// `full-precision`, `quantized`, or `shortened` where layers are left out.
        which: &'static str,
        /// Where it began.
        began: Began,
        /// The language.
        code: String,
        /// Counted from 1.
        unit: usize,
        /// What came.
        value: f64,
    },
    /// Texts cannot be cut into tokens.
    #[error("tokenizer.json: not found, so no text can be measured")]
    NoTokenizer,
    /// A worker could not do its part.
    #[error("{0}")]
    Worker(String),
    /// The run is no longer wanted; whoever cancelled it knows.
    #[error("the run was cancelled")]
    Cancelled,
    /// From the forward pass.
    #[error(transparent)]
    Arch(#[from] ArchError),
    /// From the model's or the corpus's files.
    #[error(transparent)]
    Model(#[from] ModelError),
}

impl AnalysisError {
    /// What a person can do about it on the page, as a sentence; nothing where the fault says it itself.
    pub fn what_to_do(&self) -> &'static str {
        use AnalysisError as E;
        match self {
            // A choice that was left open, or bounds that the choice must keep to.
            E::NoLanguages
            | E::OneLanguage
            | E::Range { .. }
            | E::Setting { .. }
            | E::NoCorpus(_)
            | E::NoBudget
            | E::NoLayer { .. }
            | E::Coefficients
            | E::Bounds { .. } => "",
            // Whoever cancelled it knows, and a worker has said what to do.
            E::Cancelled | E::Worker(_) => "",
            E::UnknownLanguage { .. } => "Choose other languages, or another text.",
            E::Repeated(_) => "Name it once.",
            E::Settings { .. } => "Write down only settings of that analysis; one that is left out has its default.",
            E::NoMatrix { .. } => "Choose another layer or matrix.",
            E::Window { .. } => "Look at the whole matrix, and come closer from there.",
            E::OneModel => "Run it where the site is: on its page, or with fairbits run.",
            E::Figures(FiguresError::Repeated(_)) => "Rename one of them.",
            E::Figures(FiguresError::Length { .. }) => "Give every column as many rows.",
            E::Figures(FiguresError::Place(_) | FiguresError::Group(_)) => "Choose the columns and groups again.",
            E::Figures(
                FiguresError::Name(_)
                | FiguresError::Value { .. }
                | FiguresError::Range { .. }
                | FiguresError::Work { .. },
            ) => "",
            E::Reference(_) => "Choose it too, or another reference.",
            E::EmptyText { .. } => "Leave the language out, or choose another text.",
            E::NotFinite { which: "quantized", .. } => "Choose more bits, or another clipping rule.",
            E::NotFinite { .. } => "The model itself gives no number there: choose another text, or another model.",
            E::NoTokenizer => {
                "Put the model's tokenizer.json into its folder and load it again; without it, the Weights page can be run."
            }
            E::Arch(fault) => fault.what_to_do(),
            // The model was there when the run began, and so was the site.
            E::Model(ModelError::NotFound { .. } | ModelError::Status { .. }) => {
                "Check the network and run it again; if this stays, tell whoever hosts the file."
            }
            E::Model(fault) => fault.what_to_do(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backend::{BackendError, OUR_FAULT};

    /// The bound of the page's tests on a sentence.
    const SENTENCE: usize = 300;

    /// Law: what cannot be run says what to do, in its own words (what to choose, or what it must be) or in those after it.
    #[test]
    fn every_fault_says_what_to_do() {
        let code = || "eng".to_string();
        let not_finite = |which| {
            let began = Began::Layer("23".into());
            AnalysisError::NotFinite { which, began, code: code(), unit: 1, value: f64::NAN }
        };
        let faults = [
            AnalysisError::NoLanguages,
            AnalysisError::OneLanguage,
            AnalysisError::UnknownLanguage { corpus: "udhr".into(), code: code() },
            AnalysisError::Repeated(code()),
            AnalysisError::Range { what: "the number of resamples", given: 1, least: 2, most: 3 },
            AnalysisError::Setting { label: "Resamples".into(), came: "x".into(), wanted: "a whole number".into() },
            AnalysisError::Settings { analysis: "languages", fault: "unknown field `bit`".into() },
            AnalysisError::NoCorpus("x".into()),
            AnalysisError::NoBudget,
            AnalysisError::NoLayer { layer: 12, last: 11 },
            AnalysisError::Coefficients,
            AnalysisError::NoMatrix { layer: 9, layers: 2 },
            AnalysisError::Window { inputs: 8, outputs: 8 },
            AnalysisError::OneModel,
            AnalysisError::Bounds { light: 2.0, heavy: 1.0 },
            AnalysisError::Reference(code()),
            AnalysisError::EmptyText { code: code(), unit: 1 },
            not_finite("quantized"),
            not_finite("full-precision"),
            AnalysisError::NoTokenizer,
            FiguresError::Repeated("x".into()).into(),
            FiguresError::Length { name: "x".into(), came: 1, expected: 2 }.into(),
            FiguresError::Place(9).into(),
            FiguresError::Group(9).into(),
            FiguresError::Work { tests: 9, rows: 9 }.into(),
            ArchError::Unknown("x".into()).into(),
            ArchError::NotQuantizable("x".into()).into(),
            ArchError::NoSuchLayer { layer: 9, layers: 2 }.into(),
            ModelError::NotFound { file: "corpora/x.json".into(), place: "http://127.0.0.1/corpora/x.json".into() }
                .into(),
        ];
        for fault in faults {
            let (sentence, step) = (fault.to_string(), fault.what_to_do());
            let itself = ["choose", "must"].iter().any(|word| sentence.contains(word));
            assert!(if step.is_empty() { itself } else { step.ends_with('.') }, "{sentence}. {step}");
            assert!(sentence.chars().count() + step.chars().count() < SENTENCE, "{sentence}. {step}");
        }
    }

    /// What the device cannot do, the CPU can; what the program did wrong is not put down to the person.
    #[test]
    fn faults_of_a_device_lead_to_the_cpu() {
        let on_device = |fault: BackendError| AnalysisError::Arch(fault.into()).what_to_do();
        for fault in [
            BackendError::NoRoom { needed: 2, room: 1 },
            BackendError::OutOfMemory { bytes: 1 },
            BackendError::Lost { reason: "unplugged".into() },
            BackendError::Device { kernels: "matmul".into(), fault: "x".into() },
        ] {
            assert!(on_device(fault).contains("#/?backend=cpu"));
        }
        assert_eq!(on_device(BackendError::Bindings { kernel: "add", expected: 2, given: 1 }), OUR_FAULT);
    }
}
