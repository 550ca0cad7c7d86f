//! The engine of Fairbits: mathematics, kernels, files of models, and the forward pass. It knows no language, no report and no page.
//!
//! Each layer may use only those before it: [`math`], [`backend`], [`model`], [`arch`]. The map of the whole program is in
//! `src/lib.rs` of the package around this one.

pub mod arch;
pub mod backend;
pub mod math;
pub mod model;
