//! Causal depthwise convolution: `out[i][c] = bias[c] + Σ_t w[c][t]·x[i − size + 1 + t][c]`, over rows of i's own sequence.

use super::Given;
use crate::backend::table::Convolve;

/// Runs the kernel.
pub fn run(p: &Convolve, given: &mut Given<'_>) {
    let [x, w, bias, starts, out] = given.bound();
    let [width, stride, size] = [p.width, p.stride, p.size].map(|d| d as usize);
    if width == 0 {
        return;
    }
    let (x, w) = (x.floats(), w.floats());
    let out = out.floats_mut()[..p.rows as usize * width].chunks_exact_mut(width);
    for (row, (out, &start)) in out.zip(starts.words()).enumerate() {
        match p.biased {
            0 => out.fill(0.0),
            _ => out.copy_from_slice(&bias.floats()[..width]),
        }
        // The last step is the row itself.
        for back in (0..size.min((row + 1).saturating_sub(start as usize))).rev() {
            let step = size - 1 - back;
            let x = &x[(row - back) * stride..][..width];
            for (c, (out, x)) in out.iter_mut().zip(x).enumerate() {
                *out += w[c * size + step] * x;
            }
        }
    }
}
