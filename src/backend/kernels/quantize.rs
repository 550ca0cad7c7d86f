//! Quantize and dequantize: out = step·round_half_even(clip(x, ±α)·levels/α), step = α/levels. An α of 0 gives zeros.

use super::{Slot, bound};
use crate::backend::lanes::{self, LANES, Lanes, splat};
use crate::backend::table::Quantize;

/// clip(x, ±α)
#[inline(always)]
pub(crate) fn clip(x: Lanes, alpha: Lanes) -> Lanes {
    lanes::max(lanes::min(x, alpha), -alpha)
}

/// round_half_even(clipped·levels/α): −levels…levels for an already clipped value.
#[inline(always)]
pub(crate) fn code(clipped: Lanes, alpha: Lanes, levels: f32) -> Lanes {
    lanes::round((clipped * splat(levels)) / alpha)
}

/// Runs the kernel.
pub fn run(p: &Quantize, slots: &mut [Slot<'_>]) {
    let [x, alphas, out] = bound(slots);
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
    let step = alpha / splat(levels);
    let value = step * code(clip(x, alpha), alpha, levels);
    let value = alpha.simd_eq(splat(0.0)).select(splat(0.0), value).to_array();
    out.copy_from_slice(&value[..out.len()]);
}
