//! What the lab can be asked and what it says: a folder for each analysis, and what they share.
//!
//! An analysis is a pure function `(Model, Corpus, Config, seed) -> Report`. Its settings, its report and all that is said of them
//! belong to this library; the function itself, in the `measure.rs` of the same folder, to the package `fairbits` (`src/lib.rs`).
//!
//! To add one: a folder here and a row in the table below. In the folder stand `settings.rs` (`Config`, what it is asked),
//! `figures.rs` (`Report`, what it finds), `report.rs` (what it says: tables, charts, sentences), `findings.rs` (what the rest of the
//! lab asks of it), `measure.rs` (`run`, from settings to a report) and `page.rs` (its page, compiled for the page alone). Links,
//! exports, import, the command line, navigation, progress and Cancel come with the row; outside its folder nothing names an analysis
//! but the claims' table and the workshop.

pub mod activation;
mod analysis;
pub mod causes;
pub mod clipping;
pub mod degradation;
pub mod dial;
pub mod draws;
mod error;
pub mod error_parts;
pub mod facts;
pub mod family;
mod fits;
pub mod gateway;
pub mod headline;
pub mod import;
pub mod judged;
pub mod languages;
pub mod matrix;
pub mod mitigation;
pub mod origin;
pub mod p_values;
pub mod preview;
mod provenance;
pub mod redundancy;
pub mod representation;
pub mod rounding;
pub mod sample;
pub mod screening;
pub mod settings;
pub mod statistics;
pub mod sweep;
pub mod tables;
pub mod thresholds;
pub mod tokens;
pub mod verdict;
pub mod verdicts;
pub mod weights;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

pub use analysis::{About, Analysis, Findings};
pub use error::{AnalysisError, Began};
use facts::Facts;
use headline::Headline;
use import::{Document, ImportError};
use judged::Found;
use p_values::Tests;
use sample::Sample;
use settings::{Around, Declared, Setting};

pub use import::{import, schema};
pub(crate) use provenance::{made, provenance};

use crate::report::table::Table;

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

            /// How the lab knows it.
            pub fn about(self) -> &'static About {
                match self { $(Kind::$name => &$module::ABOUT),* }
            }

            /// Whether its report is about one model.
            pub fn has_model(self) -> bool {
                self.about().of_one_model
            }

            /// What it is asked, as it is declared.
            pub fn settings(self) -> Vec<Setting> {
                match self { $(Kind::$name => <$module::Config as Declared>::settings()),* }
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

        $(impl<'a> TryFrom<&'a Config> for &'a $module::Config {
            /// What it is of instead.
            type Error = Kind;

            fn try_from(config: &'a Config) -> Result<Self, Kind> {
                match config {
                    Config::$name(config) => Ok(config),
                    other => Err(other.kind()),
                }
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

            /// Settings of an analysis, from the JSON of them; what is left out has its default.
            pub fn of(kind: Kind, settings: Value) -> Result<Config, AnalysisError> {
                let wrong = |fault: serde_json::Error| AnalysisError::Settings { analysis: kind.name(), fault: fault.to_string() };
                match kind {
                    $(Kind::$name => $module::Config::deserialize(settings).map(Config::$name).map_err(wrong)),*
                }
            }

            /// The same without the name of the analysis.
            pub fn settings(&self) -> Value {
                let json = match self { $(Config::$name(config) => serde_json::to_value(config)),* };
                json.expect("settings are numbers, strings and lists")
            }

            /// Fits it to a site and a model, or says what is wrong with it there.
            pub fn settle(&mut self, around: &Around) -> Result<(), AnalysisError> {
                match self { $(Config::$name(config) => config.settle(around)),* }
            }

            /// What must be there before it can run.
            pub fn needs(&self) -> Needs<'_> {
                match self { $(Config::$name(config) => config.needs()),* }
            }

            /// Passes over the texts that it takes on a model of so many layers, roughly.
            pub fn passes(&self, layers: usize) -> f64 {
                match self { $(Config::$name(config) => config.passes(layers)),* }
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

            pub(crate) fn headline(&self, found: &mut Headline) {
                match self { $(Report::$name(report) => report.headline(found)),* }
            }

            pub(crate) fn tables(&self) -> Vec<(&'static str, Table)> {
                match self { $(Report::$name(report) => report.tables()),* }
            }

            pub(crate) fn shuffles(&self) -> usize {
                match self { $(Report::$name(report) => report.shuffles()),* }
            }

            pub(crate) fn tests(&self, made: &mut Tests) {
                match self { $(Report::$name(report) => report.tests(made)),* }
            }

            pub(crate) fn fits(&self) -> Result<(), ImportError> {
                match self { $(Report::$name(report) => report.fits()),* }
            }

            pub(crate) fn facts(&self) -> Facts {
                match self { $(Report::$name(report) => report.facts()),* }
            }

            pub(crate) fn judge(&self, claim: &str) -> Vec<(String, Found)> {
                match self { $(Report::$name(report) => report.judge(claim)),* }
            }
        }

        /// How the names of a report's files begin.
        pub fn stem(report: &Report) -> String {
            match report { $(Report::$name(report) => $module::file_stem(report)),* }
        }

        /// Refuses by name what a newer program may have written and this one does not know.
        pub(crate) fn refuse_newer(report: &Value) -> Result<(), ImportError> {
            match Kind::deserialize(&report["analysis"]) {
                $(Ok(Kind::$name) => <$module::Report as Findings>::known(report),)*
                // The reader says what is wrong with it.
                Err(_) => Ok(()),
            }
        }
    };
}

/// The table of analyses, in the order of the argument; the first is the start page. Hands its rows to a macro.
#[macro_export]
macro_rules! every_analysis {
    ($then:ident) => {
        $then! {
            /// Which languages pay.
            Languages => languages,
            /// What each bit buys.
            Sweep => sweep,
            /// What each token pays.
            Tokens => tokens,
            /// How the weights are spread.
            Weights => weights,
            /// What rounding does to one matrix.
            Matrix => matrix,
            /// Where the grid should end.
            Clipping => clipping,
            /// Who uses which layers.
            Activation => activation,
            /// How much a language could lose.
            Redundancy => redundancy,
            /// What happens to hidden states.
            Representation => representation,
            /// What heavier tails do.
            Dial => dial,
            /// What helps.
            Mitigation => mitigation,
            /// Which layers to protect.
            Gateway => gateway,
            /// What goes before a loss.
            Causes => causes,
            /// What data and tokenizer do.
            Family => family,
            /// Whether to expect disparity.
            Screening => screening,
            /// What figures can say together.
            Statistics => statistics,
        }
    };
}

every_analysis!(analyses);

/// Any report as JSON, indented, with the version of its form; see [`import()`].
pub fn json(report: &Report) -> String {
    serde_json::to_string_pretty(&Document::of(report)).expect("a report holds numbers, strings and lists only")
}
