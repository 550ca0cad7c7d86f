//! Fairbits: a lab in a web page that measures which languages pay when a language model is quantized.
//!
//! # Code map
//!
//! Five packages: the engine (`engine/`, the first four layers); reports (`src/reports`), which is what can be asked and said; this
//! library, which measures, with the command line; the page (`src/ui`), which sees reports alone; and its worker (`src/worker`). A
//! change in a page does not compile the engine, and one in the engine's tests nothing else. What a package may use, the compiler
//! holds; within one, each layer may use only what stands above it: `tests/layers.rs` reads the paths and fails on a wrong one.
//!
//! | module | holds | never |
//! |---|---|---|
//! | [`math`] | quantizer, moments, clipping, metrics, bootstrap, spectra, probes, random numbers | does I/O, knows a device or a model |
//! | [`backend`] | the [`backend::Backend`] trait, the kernel table, CPU kernels, shaders on WebGPU | knows a model |
//! | [`model`] | where bytes come from, safetensors stream, tokenizer, catalog, corpora, cards | computes on activations |
//! | [`arch`] | an architecture as data, the forward pass with named taps | knows a file name outside a checkpoint |
//! | [`report`] | what every report is made of: figures with intervals, tables, charts (SVG), CSV, labels, glossary, the theory's text | knows an analysis, touches the DOM |
//! | [`reports::lab`] | a folder for each analysis: settings, report, what it says, what the rest asks of it; and what these share | runs a model, touches the DOM |
//! | [`claims`], [`workshop`], [`fairness`] | what becomes of the theory's claims; the exercises; one page on fairness | runs anything |
//! | [`protocol`] | requests and events between the page and the worker | holds weights |
//! | [`share`] | links that reproduce: a run in an address, a Report's digest, what a repetition shows | does I/O |
//! | [`lab`] | all of that lab, with what measures: `src/measure` and `lab/*/measure.rs`, `Config -> Report` | says anything |
//! | `src/worker`, `cli` | the engine's event loop in the browser, a coordinator and its pool; the command line | draws |
//! | `src/ui`, `lab/*/page.rs` | the page, and that of each analysis | sees weights |
//!
//! The way of the data: bytes → `model::source` → `model::checkpoint` (each tensor handed on as soon as its last byte is
//! in) → `backend` buffers → `arch::forward` → `lab::<analysis>::run` → `Report` → `report` → page.

#[cfg(not(target_arch = "wasm32"))]
pub mod cli;

pub use engine::{arch, backend, math, model};
pub use reports::{claims, every_analysis, fairness, protocol, report, share, workshop};

/// A module for every row of the table of analyses, and the way to run any of them.
macro_rules! measured {
    ($($(#[$doc:meta])* $name:ident => $module:ident),* $(,)?) => {
        $(
            $(#[$doc])*
            pub mod $module {
                pub use reports::lab::$module::*;

                mod measure;

                pub use measure::*;
            }
        )*

        /// Runs an analysis: the one way, for the page and the command line.
        pub async fn run(config: &Config, lab: &impl Lab) -> Result<Report, AnalysisError> {
            match config { $(Config::$name(config) => $module::run(config, lab).await.map(Report::$name)),* }
        }

        /// Runs an analysis that needs nothing but its settings, without a model; none for any other.
        pub async fn run_alone(
            config: &Config,
            heard: &impl AsyncFn(Progress),
        ) -> Option<Result<Report, AnalysisError>> {
            match config {
                $(Config::$name(config) => config.alone(heard).await.map(|found| found.map(Report::$name))),*
            }
        }
    };
}

/// The lab as it runs: what [`reports::lab`] has, and beside it what measures. An analysis' module has its settings and its report
/// from there, and `run` from the `measure.rs` of its folder.
pub mod lab {
    #[path = "../measure/mod.rs"]
    mod measure;

    pub(crate) use measure::{Measuring, detection, effective_weights, groups, layer_activation, overflow};
    pub use measure::{
        degradation, hidden_states, origin, plan, result_cache, rounding, runner, sample, search, state_similarity,
    };
    pub use reports::lab::*;

    use runner::{Lab, Progress};

    crate::every_analysis!(measured);
}
