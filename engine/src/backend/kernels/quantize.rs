//! Quantize and dequantize, in the operations of [`crate::math::quantizer::Grid`]: out = step·round_half_even(clip(x, ±α)·inv),
//! inv = levels/α, step = α/levels. An α that has no grid gives zeros.

use super::Given;
use crate::backend::declare::*;
use crate::backend::lanes::{self, LANES, Lanes, splat};
use crate::backend::proof::*;

kernel! {
    /// Quantize and dequantize: out = step·round_half_even(clip(x, ±α)·inv), inv = levels/α, step = α/levels.
    Quantize = quantize(f32_in("x"), f32_in("alphas"), f32_out("out")) {
        /// Input channels of the matrix.
        k: u32,
        /// Output channels.
        n: u32,
        /// 0: x is (k, n). 1: x is (n, k).
        transposed: u32,
        /// Consecutive input channels that share an α.
        group: u32,
        /// Output channels with an α of their own: 1 or n. The α of (k, n) is `alphas[k/group·channels + (n if channels > 1)]`.
        channels: u32,
        /// 2^(B−1) − 1.
        levels: u32,
    } needs |p, room| [area([p.k, p.n]), area([p.k.div_ceil(p.group), p.channels]), area([p.k, p.n])]
      where p.group > 0, "`group` must be at least 1"
      where p.channels == 1 || p.channels == p.n, "`channels` must be 1 or n"
      where p.levels > 0, "`levels` must be at least 1"
      runs [narrow 64; wide 256] vec![by_value(p.k as u64 * p.n as u64)];
    checked vec![Check::of(
        Quantize { k: 20, n: 12, transposed: 0, group: 20, channels: 1, levels: 7 },
        [Values, Shares, Zeros],
    )];
}

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

/// The definition in `math` bit for bit; and no value lies farther from its clipped origin than half a step.
pub(super) const PROOF: Proof = Proof {
    // One product and two quotients, which IEEE rounds in one way.
    allowed: EXACT,
    breaks: &[(WORKGROUP, "clamp(x[i], -alpha, alpha)", "x[i]")],
    cases: || {
        let shapes = [[1, 1], [3, 5], [8, 8], [17, 9], [257, 3], [64, 33], [1, 257], [130, 16]];
        let groupings = |(i, [k, n]): (usize, [usize; 2])| {
            each([(k, 1), (k, n), (32, n), (5, n), (7, 1)], [(0, 1), (1, 3), (0, 7), (1, 127)])
                .map(move |(_, grouping, form)| case(i, [k, n], grouping, form))
        };
        Box::new(shapes.into_iter().enumerate().flat_map(groupings))
    },
};

fn case(i: usize, [k, n]: [usize; 2], (group, channels): (usize, usize), (transposed, levels): (u32, u32)) -> Case {
    let mut source = Source::new((i * 97 + group) as u64);
    let x = source.values(k * n, Kind::Plain);
    let mut alphas: Vec<f32> = (0..k.div_ceil(group) * channels).map(|_| 0.1 + source.unit().abs()).collect();
    if i == 3 {
        alphas[0] = 0.0;
    }
    let params = [k, n, transposed as usize, group, channels, levels as usize];
    let (mut stated, mut clipped, mut half_steps) = (Vec::new(), Vec::new(), Vec::new());
    for (i, x) in x.iter().enumerate() {
        let (row, column) = if transposed == 0 { (i / n, i % n) } else { (i % k, i / k) };
        let alpha = alphas[row / group * channels + if channels > 1 { column } else { 0 }];
        stated.push(crate::math::quantizer::value(*x, alpha, levels));
        clipped.push(wide(x.clamp(-alpha, alpha)));
        half_steps.push(wide(alpha) / f64::from(levels) * (0.5 + 1e-5));
    }
    let case = Case::of(format!("{params:?}"), params, &[Arg::F(&x), Arg::F(&alphas), Arg::Out(k * n)]);
    case.bits(stated).near((clipped, half_steps))
}
