//! For each α: Σ of squared clipping error and Σ of squared rounding error per block; out is (blocks, alphas, 2).

use super::Given;
use super::quantize::{Grids, clip};
use crate::backend::lanes::{self, splat};
use crate::backend::table::{BLOCK, MseGrid};

/// Runs the kernel. An α of 0 clips everything and rounds nothing.
pub fn run(p: &MseGrid, given: &mut Given<'_>) {
    let [x, alphas, out] = given.bound();
    let count = p.count as usize;
    let alphas = &alphas.floats()[..count];
    if count == 0 {
        return;
    }
    let blocks = x.floats()[..p.len as usize].chunks(BLOCK as usize);
    for (x, out) in blocks.zip(out.floats_mut().chunks_exact_mut(count * 2)) {
        for (alpha, out) in alphas.iter().zip(out.chunks_exact_mut(2)) {
            out.copy_from_slice(&errors(x, *alpha, p.levels as f32));
        }
    }
}

/// [Σ(x − clip x)², Σ(clip x − Q(x))²]
fn errors(x: &[f32], alpha: f32, levels: f32) -> [f32; 2] {
    let mut sums = [splat(0.0); 2];
    let grids = Grids::new(splat(alpha), levels);
    lanes::each(x, 0.0, |x| {
        let clipped = clip(x, grids.alpha);
        let excess = x - clipped;
        sums[0] += excess * excess;
        let rest = clipped - grids.value(clipped);
        sums[1] += rest * rest;
    });
    sums.map(lanes::sum)
}
