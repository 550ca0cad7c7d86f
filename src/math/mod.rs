//! The definitions, each in one place. Pure: no I/O, no async, no device.
//!
//! Every transcendental function comes from `libm`, so that native and wasm agree to the bit.

pub mod clipping;
pub mod moments;
pub mod quantizer;
pub mod statistics;
