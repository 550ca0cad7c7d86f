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
//! | [`analysis`] | one file per analysis: `Config -> Report`, as a pure function over passes | touches the page |
//! | [`report`] | a Report as charts (SVG), tables, CSV, JSON, a fairness report; reports from files | touches the DOM |
//! | [`protocol`] | requests and events between the page and the worker | holds weights |
//! | [`share`] | links that reproduce: a run in an address, a Report's digest, what a repetition shows | does I/O |
//! | `src/worker`, `cli` | the engine's event loop in the browser, a lead and its pool; the command line | draws |
//! | `src/ui` | the page | sees weights: it uses `protocol`, `share` and `report` only |
//!
//! The way of the data: bytes → `model::source` → `model::checkpoint` (each tensor handed on as soon as its last byte is
//! in) → `backend` buffers → `arch::forward` → `analysis` → `Report` → `report` → page.

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
