//! The inner loop of every product, and the only unsafe code of the library: a tile of running sums.
//!
//! Pointers are used because the bounds checks of slices, and the shuffles that the compiler makes of neighbouring
//! scalar loads, cost a third of the speed in wasm.
#![allow(unsafe_code)]

use super::strips::{STRIP, Strip};
use crate::backend::lanes::{LANES, Lanes, splat};

/// Sums of one row and the columns of one strip.
pub type Sums = Lanes;

/// Where every sum starts.
pub const ZERO: Sums = Lanes::new([0.0; LANES]);

/// sums[r] += Σ_k x[k][r]·strip[k], in the order of k; each product is rounded before it is added.
///
/// # Panics
/// If `x` is shorter than the strip.
#[inline(always)]
pub fn accumulate<const R: usize>(x: &[[f32; R]], strip: &Strip, sums: &mut [Sums; R]) {
    assert!(x.len() >= strip.len());
    let mut held = *sums;
    let mut x = x.as_ptr().cast::<f32>();
    for weights in strip {
        let weights = Lanes::new(*weights);
        for (r, held) in held.iter_mut().enumerate() {
            // SAFETY: the loop makes as many steps as the strip is long, and the assertion says that x is at least as long.
            *held += splat(unsafe { x.add(r).read() }) * weights;
        }
        x = x.wrapping_add(R);
    }
    *sums = held;
}

/// The first [`STRIP`] values.
#[inline(always)]
pub fn load(x: &[f32]) -> Sums {
    Lanes::new(*x.first_chunk::<STRIP>().expect("a strip's width"))
}

/// Up to [`STRIP`] values; zeros beyond.
pub fn padded(x: &[f32]) -> Sums {
    let mut row = [0.0; STRIP];
    row[..x.len()].copy_from_slice(x);
    Lanes::new(row)
}

/// To the first [`STRIP`] places.
#[inline(always)]
pub fn store(sums: Sums, out: &mut [f32]) {
    *out.first_chunk_mut::<STRIP>().expect("a strip's width") = sums.to_array();
}
