//! out (rows, width) = (x − mean)/√(var + eps)·(gain + offset) + bias, per row, in two passes; an RMS norm has no mean.

use super::Given;
use crate::backend::lanes::{self, Lanes, splat};
use crate::backend::table::LayerNorm;

/// Runs the kernel.
pub fn run(p: &LayerNorm, given: &mut Given<'_>) {
    let [x, gain, bias, out] = given.bound();
    let (rows, width) = (p.rows as usize, p.width as usize);
    if width == 0 {
        return;
    }
    let (gain, bias) = (&gain.floats()[..width], (p.biased != 0).then(|| &bias.floats()[..width]));
    let x = x.floats()[..rows * width].chunks_exact(width);
    for (x, out) in x.zip(out.floats_mut()[..rows * width].chunks_exact_mut(width)) {
        let mean = if p.centred != 0 { lanes::total(x) / p.width as f32 } else { 0.0 };
        let variance = squares_about(mean, x) / p.width as f32;
        let rate = 1.0 / (variance + p.eps).sqrt();
        for ((out, x), gain) in out.iter_mut().zip(x).zip(gain) {
            *out = ((x - mean) * rate) * (gain + p.offset);
        }
        if let Some(bias) = bias {
            out.iter_mut().zip(bias).for_each(|(out, bias)| *out += bias);
        }
    }
}

/// Σ(x − mean)²
fn squares_about(mean: f32, x: &[f32]) -> f32 {
    let mut squares: Lanes = splat(0.0);
    lanes::each(x, mean, |x| {
        let d = x - splat(mean);
        squares += d * d;
    });
    lanes::sum(squares)
}
