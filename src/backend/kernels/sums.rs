//! The inner loop of every product, and the only unsafe code of the library: 2 rows × 16 columns of running sums.
//!
//! Pointers are used because the bounds checks of slices, and the shuffles that the compiler makes of neighbouring
//! scalar loads, cost a third of the speed in wasm.
#![allow(unsafe_code)]

use super::strips::{STRIP, Strip};
use crate::backend::lanes::{LANES, Lanes, splat};

/// Sums of one row and the columns of one strip.
pub type Sums = [Lanes; STRIP / LANES];

/// Where every sum starts.
pub const ZERO: Sums = [Lanes::new([0.0; LANES]); STRIP / LANES];

/// sums[r] += Σ_k x[r][k]·strip[k], in the order of k; each product is rounded before it is added.
///
/// # Panics
/// If a row is shorter than the strip.
#[inline(always)]
pub fn accumulate<const R: usize>(x: [&[f32]; R], strip: &Strip, sums: &mut [Sums; R]) {
    assert!(x.iter().all(|row| row.len() >= strip.len()));
    let mut held = *sums;
    let mut rows = x.map(<[f32]>::as_ptr);
    // One step per turn: unrolled by hand, the compiler reorders it until the registers no longer suffice, at half the
    // speed.
    for weights in strip {
        let weights = lanes(weights);
        for r in 0..R {
            // SAFETY: the loop makes as many steps as the strip is long, and the assertion says that every row is at
            // least as long.
            let x = unsafe {
                let x = splat(rows[r].read());
                rows[r] = rows[r].add(1);
                x
            };
            for (held, weights) in held[r].iter_mut().zip(weights) {
                *held += x * weights;
            }
        }
    }
    *sums = held;
}

#[inline(always)]
fn lanes(row: &[f32; STRIP]) -> Sums {
    let (halves, _) = row.as_chunks::<LANES>();
    [Lanes::new(halves[0]), Lanes::new(halves[1])]
}

/// Up to [`STRIP`] values; zeros beyond.
#[inline(always)]
pub fn load(x: &[f32]) -> Sums {
    match x.first_chunk::<STRIP>() {
        Some(whole) => lanes(whole),
        None => {
            let mut row = [0.0; STRIP];
            row[..x.len()].copy_from_slice(x);
            lanes(&row)
        }
    }
}

/// As many sums as `out` is long.
#[inline(always)]
pub fn store(sums: Sums, out: &mut [f32]) {
    let [low, high] = sums.map(Lanes::to_array);
    if let Some(whole) = out.first_chunk_mut::<STRIP>() {
        whole[..LANES].copy_from_slice(&low);
        whole[LANES..].copy_from_slice(&high);
    } else {
        let (first, second) = out.split_at_mut(LANES.min(out.len()));
        first.copy_from_slice(&low[..first.len()]);
        second.copy_from_slice(&high[..second.len()]);
    }
}
