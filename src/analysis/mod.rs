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
mod error;
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
pub mod overflow;
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

pub use error::AnalysisError;
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
