//! The definitions, each in one place. Pure: no I/O, no async, no device.
//!
//! Every transcendental function comes from `libm`, so that native and wasm agree to the bit.

pub mod clipping;
pub mod correlation;
pub mod effective;
pub mod grouping;
pub mod histogram;
pub mod line;
pub mod metrics;
pub mod moments;
pub mod normal;
pub mod optimum;
pub mod packing;
pub mod quantizer;
pub mod rng;
pub mod sets;
pub mod spread;
pub mod statistics;
