//! For each α: Σ of squared clipping error and Σ of squared rounding error per block; out is (blocks, alphas, 2).

use super::Given;
use super::quantize::{Grids, clip};
use crate::backend::declare::*;
use crate::backend::kernels::moments::BLOCK;
use crate::backend::lanes::{self, splat};
use crate::backend::proof::*;

kernel! {
    /// For each α: Σ of squared clipping error and Σ of squared rounding error, per block of [`BLOCK`] values; out is
    /// (blocks, alphas, 2).
    MseGrid = mse_grid(f32_in("x"), f32_in("alphas"), f32_out("out")) {
        /// Values in `x`.
        len: u32,
        /// How many α.
        count: u32,
        /// 2^(B−1) − 1.
        levels: u32,
    } needs |p, room| [area([p.len]), area([p.count]), area([p.len.div_ceil(BLOCK), p.count, 2])]
      where p.levels > 0, "`levels` must be at least 1"
      runs [main 64] grid([p.len.div_ceil(BLOCK), p.count, 1]);
    checked vec![Check::of(
        MseGrid { len: 500, count: 2, levels: 7 },
        [Values, Shares, Zeros],
    )];
}

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

/// Both errors in f64.
pub(super) const PROOF: Proof = Proof {
    allowed: allow(1.0),
    breaks: &[(WORKGROUP, "excess * excess", "excess")],
    cases: || {
        let levels = moderate().flat_map(|kind| [1, 7, 127].map(|levels| (kind, levels)));
        Box::new(each(LENGTHS, levels).map(|(_, len, (kind, levels))| {
            let x = Source::new(len as u64 + kind as u64).values(len, kind);
            let alphas = [0.0, 0.01, 0.3, 0.7, 1.0, 1500.0];
            let blocks = len.div_ceil(BLOCK as usize);
            let args = [Arg::F(&x), Arg::F(&alphas), Arg::Out(blocks * alphas.len() * 2)];
            let case = Case::of(format!("{len} {kind:?} {levels}"), [len, alphas.len(), levels as usize], &args);
            let (mut truth, mut tolerance) = (Vec::new(), Vec::new());
            for x in x.chunks(BLOCK as usize) {
                for alpha in alphas {
                    let (alpha, levels) = (wide(alpha), f64::from(levels));
                    let roundings = U * (x.len().div_ceil(8) + 12) as f64;
                    let [mut outside, mut inside, mut inside_off] = [0.0; 3];
                    for x in x {
                        let clip = wide(*x).clamp(-alpha, alpha);
                        outside += (wide(*x) - clip) * (wide(*x) - clip);
                        let code = if alpha > 0.0 { (clip * levels / alpha).round_ties_even() } else { 0.0 };
                        let rest = (clip - alpha / levels * code).abs();
                        // Each rest is known to 4 roundings of α.
                        let off = 4.0 * U * alpha;
                        inside += rest * rest;
                        inside_off += 2.0 * rest * off + off * off;
                    }
                    truth.extend([outside, inside]);
                    let lost = x.len() as f64 * 1e-44;
                    tolerance.extend([roundings * outside + lost, roundings * inside + inside_off + lost]);
                }
            }
            case.near((truth, tolerance))
        }))
    },
};
