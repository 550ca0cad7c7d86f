//! Fairbits: a lab in a web page that measures which languages pay when a language model is quantized.
//!
//! # Code map
//!
//! Four packages: the engine (`engine/`, the first four layers), this library with the command line, the page (`src/ui`) and its
//! worker (`src/worker`). A change in a page does not compile the engine, and one in the engine's tests nothing else. Each layer
//! may use only what stands above it; `tests/layers.rs` reads the paths and fails on a wrong one.
//!
//! | module | holds | never |
//! |---|---|---|
//! | [`math`] | quantizer, moments, clipping, metrics, bootstrap, spectra, probes, random numbers | does I/O, knows a device or a model |
//! | [`backend`] | the [`backend::Backend`] trait, the kernel table, CPU kernels, shaders on WebGPU | knows a model |
//! | [`model`] | where bytes come from, safetensors stream, tokenizer, catalog, corpora, cards | computes on activations |
//! | [`arch`] | an architecture as data, the forward pass with named taps | knows a file name outside a checkpoint |
//! | [`report`] | what every report is made of: figures with intervals, tables, charts (SVG), CSV, labels, glossary, the theory's text | knows an analysis, touches the DOM |
//! | [`lab`] | the frame and a folder for each analysis: `Config -> Report`, what it says, what the rest asks of it | touches the DOM |
//! | [`claims`], [`workshop`], [`fairness`] | what becomes of the theory's claims; the exercises; one page on fairness | runs anything |
//! | [`protocol`] | requests and events between the page and the worker | holds weights |
//! | [`share`] | links that reproduce: a run in an address, a Report's digest, what a repetition shows | does I/O |
//! | `src/worker`, `cli` | the engine's event loop in the browser, a coordinator and its pool; the command line | draws |
//! | `src/ui`, `lab/*/page.rs` | the page, and that of each analysis | sees weights |
//!
//! The way of the data: bytes → `model::source` → `model::checkpoint` (each tensor handed on as soon as its last byte is
//! in) → `backend` buffers → `arch::forward` → `lab::<analysis>::run` → `Report` → `report` → page.

pub mod claims;
#[cfg(not(target_arch = "wasm32"))]
pub mod cli;
pub mod fairness;
pub mod lab;
pub mod protocol;
pub mod report;
pub mod share;
pub mod workshop;

pub use engine::{arch, backend, math, model};
