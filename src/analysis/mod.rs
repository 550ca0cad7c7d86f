//! Analyses: each is a pure function `(Model, Corpus, Config, seed) -> Report`, in a file of its own.
//!
//! An analysis is `run(&Config, &impl Lab) -> Report`. What it needs of the model's arithmetic it asks for in a
//! [`plan::Plan`]; its [`Lab`] runs the plan, alone or over any number of workers, and the figures come back in the order
//! of the plan, so that the report does not depend on who computed them.
//!
//! To add one: a file here with `Config` (which has `needs` and `check`), `Report` and `run`, and a row in the table below. The
//! protocol, the command line, progress and Cancel come with the row.

pub mod activation;
pub mod causes;
pub mod clipping;
pub mod degradation;
pub mod detection;
pub mod dial;
mod dial_verdicts;
pub mod family;
pub mod gateway;
pub mod lab;
pub mod language_clipping;
pub mod languages;
pub mod likeness;
pub mod matrix;
pub mod memory;
pub mod mitigation;
pub mod origin;
pub mod passes;
pub mod plan;
pub mod redundancy;
pub mod representation;
pub mod rounding;
pub mod rule_losses;
pub mod sample;
pub mod screening;
pub mod search;
pub mod statistics;
pub mod study;
pub mod sweep;
pub mod tokens;
pub mod usage;
pub mod verdict;
pub mod weights;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{arch::ArchError, model::ModelError};
use lab::Lab;
use sample::Sample;

/// What an analysis must have before it can run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Needs<'a> {
    /// Nothing but the settings.
    Nothing,
    /// The model's weights alone.
    Weights,
    /// Texts too, and passes over them.
    Texts(Sample<'a>),
}

macro_rules! analyses {
    ($($(#[$doc:meta])* $name:ident => $module:ident),* $(,)?) => {
        /// Which analysis.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
        #[serde(rename_all = "snake_case")]
        pub enum Kind { $($(#[$doc])* $name),* }

        impl Kind {
            /// Every analysis.
            pub const ALL: &[Kind] = &[$(Kind::$name),*];

            /// Whether its report is about one model.
            pub fn has_model(self) -> bool {
                !matches!(self, Kind::Statistics | Kind::Family)
            }

            /// As files and links call it.
            pub fn name(self) -> &'static str {
                match self { $(Kind::$name => stringify!($module)),* }
            }
        }

        /// What any analysis is asked. In JSON the field `analysis` says which; the others are its own.
        #[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
        #[serde(tag = "analysis", rename_all = "snake_case")]
        pub enum Config { $($(#[$doc])* $name($module::Config)),* }

        /// What any analysis found. In JSON the field `analysis` says which; the others are its own, `config` among them.
        #[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
        #[serde(tag = "analysis", rename_all = "snake_case")]
        pub enum Report { $($(#[$doc])* $name($module::Report)),* }

        $(impl From<$module::Config> for Config {
            fn from(config: $module::Config) -> Config {
                Config::$name(config)
            }
        })*

        $(impl From<$module::Report> for Report {
            fn from(report: $module::Report) -> Report {
                Report::$name(report)
            }
        })*

        $(impl<'a> TryFrom<&'a Report> for &'a $module::Report {
            /// What it is instead.
            type Error = Kind;

            fn try_from(report: &'a Report) -> Result<Self, Kind> {
                match report {
                    Report::$name(report) => Ok(report),
                    other => Err(other.kind()),
                }
            }
        })*

        impl Config {
            /// Which analysis it is of.
            pub fn kind(&self) -> Kind {
                match self { $(Config::$name(_) => Kind::$name),* }
            }

            /// Refuses what no model and no corpus can be asked, with a sentence.
            pub fn check(&self) -> Result<(), AnalysisError> {
                match self { $(Config::$name(config) => config.check()),* }
            }

            /// What must be there before it can run.
            pub fn needs(&self) -> Needs<'_> {
                match self { $(Config::$name(config) => config.needs()),* }
            }
        }

        impl Report {
            /// Which analysis it is of.
            pub fn kind(&self) -> Kind {
                match self { $(Report::$name(_) => Kind::$name),* }
            }

            /// Where the figures are from.
            pub fn origin(&self) -> origin::Whence<'_> {
                match self { $(Report::$name(report) => (&report.origin).into()),* }
            }

            /// What was asked.
            pub fn config(&self) -> Config {
                match self { $(Report::$name(report) => report.config.clone().into()),* }
            }
        }

        /// Runs an analysis: the one way, for the page and the command line.
        pub async fn run(config: &Config, lab: &impl Lab) -> Result<Report, AnalysisError> {
            match config { $(Config::$name(config) => $module::run(config, lab).await.map(Report::$name)),* }
        }
    };
}

analyses! {
    /// Which languages pay.
    Languages => languages,
    /// How the weights are spread.
    Weights => weights,
    /// Where the grid should end.
    Clipping => clipping,
    /// Who uses which layers.
    Activation => activation,
    /// What helps.
    Mitigation => mitigation,
    /// What heavier tails do.
    Dial => dial,
    /// Which layers to protect.
    Gateway => gateway,
    /// How much a language could lose.
    Redundancy => redundancy,
    /// What happens to hidden states.
    Representation => representation,
    /// What figures can say together.
    Statistics => statistics,
    /// What goes before a loss.
    Causes => causes,
    /// What data and tokenizer do.
    Family => family,
    /// What each bit buys.
    Sweep => sweep,
    /// Whether to expect disparity.
    Screening => screening,
    /// What rounding does to one matrix.
    Matrix => matrix,
    /// What each token pays.
    Tokens => tokens,
}

/// Runs an analysis that needs nothing but its settings, without a model; none for any other.
pub async fn run_alone(config: &Config, heard: &impl AsyncFn(lab::Progress)) -> Option<Result<Report, AnalysisError>> {
    match config {
        Config::Statistics(config) => Some(statistics::compute(config, heard).await.map(Report::Statistics)),
        _ => None,
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
    /// A threshold that no κ can be compared with.
    #[error("the threshold of outlier layers is {0}; it must be a finite number")]
    Threshold(f64),
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
    Figures(#[from] statistics::FiguresError),
    /// What is asked for twice would count twice.
    #[error("{0} is named twice")]
    Twice(&'static str),
    /// Bounds that leave no room between them, or are no numbers.
    #[error("the bounds of κ are {light} and {heavy}; both must be finite and the first the smaller")]
    Bounds {
        /// Below it tails are light.
        light: f64,
        /// Above it they are heavy.
        heavy: f64,
    },
    /// A bound of a variance that none can be compared with.
    #[error("the bound of Var[ā] is {0}; it must be a finite number, 0 or more")]
    Variance(f64),
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
    /// The model gave a loss that is not a number.
    #[error("the {which} model's loss on unit {unit} of language `{code}` is {value}, not a finite number")]
    NotFinite {
        /// `full-precision` or `quantized`.
        which: &'static str,
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
