//! The inner loop of every product, and the only unsafe code of the library: 4 rows × 8 columns of running sums.
//!
//! Pointers are used because the bounds checks of slices, and the shuffles that the compiler makes of neighbouring
//! scalar loads, cost a third of the speed in wasm.
#![allow(unsafe_code)]

use super::tile::Strip;
use crate::backend::lanes::{Lanes, splat};

/// sums[r] += Σ_k x[r][k]·strip[k], in the order of k; each product is rounded before it is added.
///
/// # Panics
/// If a row is shorter than the strip.
#[inline(always)]
pub fn accumulate<const R: usize>(x: [&[f32]; R], strip: &Strip, sums: &mut [Lanes; R]) {
    assert!(x.iter().all(|row| row.len() >= strip.len()));
    let mut held = *sums;
    let mut rows = x.map(<[f32]>::as_ptr);
    // One step per turn: unrolled by hand, the compiler reorders it until the registers no longer suffice, at half the
    // speed.
    for weights in strip {
        let weights = Lanes::new(*weights);
        for r in 0..R {
            // SAFETY: the loop makes as many steps as the strip is long, and the assertion says that every row is at
            // least as long.
            unsafe {
                held[r] += splat(rows[r].read()) * weights;
                rows[r] = rows[r].add(1);
            }
        }
    }
    *sums = held;
}
