//! Quantize and dequantize, in the operations of [`crate::math::quantizer::Grid`]: out = step·round_half_even(clip(x, ±α)·inv),
//! inv = levels/α, step = α/levels. An α that has no grid gives zeros.

use super::Given;
use crate::backend::lanes::{self, LANES, Lanes, splat};
use crate::backend::table::Quantize;

/// clip(x, ±α)
#[inline(always)]
pub(crate) fn clip(x: Lanes, alpha: Lanes) -> Lanes {
    lanes::max(lanes::min(x, alpha), -alpha)
}

/// The grids of eight thresholds.
pub(crate) struct Grids {
    /// Thresholds; 0 where there is no grid.
    pub alpha: Lanes,
    inv: Lanes,
    step: Lanes,
}

impl Grids {
    #[inline(always)]
    pub fn new(alpha: Lanes, levels: f32) -> Grids {
        let inv = splat(levels) / alpha;
        let sound = alpha.simd_gt(splat(0.0)) & alpha.simd_le(splat(f32::MAX)) & inv.simd_le(splat(f32::MAX));
        let or_zero = |x: Lanes| sound.select(x, splat(0.0));
        Grids { alpha: or_zero(alpha), inv: or_zero(inv), step: or_zero(alpha / splat(levels)) }
    }

    /// The value that stands for an already clipped x; zero is always +0.
    #[inline(always)]
    pub fn value(&self, clipped: Lanes) -> Lanes {
        lanes::round(clipped * self.inv) * self.step + splat(0.0)
    }
}

/// Runs the kernel.
pub fn run(p: &Quantize, given: &mut Given<'_>) {
    let [x, alphas, out] = given.bound();
    let (k, n) = (p.k as usize, p.n as usize);
    let (x, alphas, out) = (&x.floats()[..k * n], alphas.floats(), &mut out.floats_mut()[..k * n]);
    let (group, channels, levels) = (p.group as usize, p.channels as usize, p.levels as f32);
    if k == 0 || n == 0 {
        return;
    }
    if p.transposed == 0 {
        for ((k, x), out) in x.chunks_exact(n).enumerate().zip(out.chunks_exact_mut(n)) {
            let alphas = &alphas[k / group * channels..][..channels];
            if channels == 1 {
                uniform(x, alphas[0], levels, out);
            } else {
                for ((x, alphas), out) in x.chunks(LANES).zip(alphas.chunks(LANES)).zip(out.chunks_mut(LANES)) {
                    lanes_of(lanes::partial(x, 0.0), lanes::partial(alphas, 0.0), levels, out);
                }
            }
        }
    } else {
        for ((n, x), out) in x.chunks_exact(k).enumerate().zip(out.chunks_exact_mut(k)) {
            let channel = if channels > 1 { n } else { 0 };
            for ((g, x), out) in x.chunks(group).enumerate().zip(out.chunks_mut(group)) {
                uniform(x, alphas[g * channels + channel], levels, out);
            }
        }
    }
}

/// A run of values that share an α.
fn uniform(x: &[f32], alpha: f32, levels: f32, out: &mut [f32]) {
    for (x, out) in x.chunks(LANES).zip(out.chunks_mut(LANES)) {
        lanes_of(lanes::partial(x, 0.0), splat(alpha), levels, out);
    }
}

#[inline(always)]
fn lanes_of(x: Lanes, alpha: Lanes, levels: f32, out: &mut [f32]) {
    let grids = Grids::new(alpha, levels);
    let value = grids.value(clip(x, grids.alpha)).to_array();
    out.copy_from_slice(&value[..out.len()]);
}
