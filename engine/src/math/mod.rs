//! The definitions, each in one place. Pure: no I/O, no async, no device.
//!
//! Every transcendental function comes from `libm`, so that native and wasm agree to the bit.

pub mod cka;
pub mod clipping;
pub mod correlation;
pub mod effect;
pub mod effective;
pub mod fisher;
pub mod grouping;
pub mod histogram;
pub mod influence;
pub mod jackknife;
pub mod jackknife_t;
pub mod line;
pub mod metrics;
pub mod moments;
pub mod mosaic;
pub mod multiplicity;
pub mod normal;
pub mod optimum;
pub mod packing;
pub mod power;
pub mod probe;
pub mod quadrature;
pub mod quantizer;
pub mod range_test;
pub mod regression;
pub mod rng;
pub mod scm;
pub mod sets;
pub mod spectrum;
pub mod spread;
pub mod statistics;
pub mod student;
pub mod transport;
