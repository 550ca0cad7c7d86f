//! out (rows, width) = (x − mean)/√(var + eps)·(gain + offset) + bias, per row, in two passes; an RMS norm has no mean.

use super::Given;
use crate::backend::declare::*;
use crate::backend::lanes::{self, Lanes, splat};
use crate::backend::proof::*;

kernel! {
    /// out (rows, width) = (x − mean)/√(var + eps)·(gain + offset) + bias, per row; without the mean, x/√(mean of x² + eps).
    LayerNorm = layer_norm(f32_in("x"), f32_in("gain"), f32_in("bias"), f32_out("out")) {
        /// Rows.
        rows: u32,
        /// Channels.
        width: u32,
        /// Added to the variance.
        eps: f32,
        /// Added to every gain: 1 where a checkpoint stores gains about 0.
        offset: f32,
        /// 1: layer norm. 0: RMS norm, which takes no mean off.
        centred: u32,
        /// 1: add `bias`. 0: `bias` is not read and may be any buffer.
        biased: u32,
    } needs |p, room| [
        area([p.rows, p.width]), area([p.width]), area([p.biased, p.width]), area([p.rows, p.width])
    ]
      runs [main 64] grid(folded(p.rows as u64, BY_ROWS));
    checked [(1, 0.0), (0, 1.0)]
        .map(|(centred, offset)| {
            let p = LayerNorm { rows: 11, width: 40, eps: 1e-5, offset, centred, biased: centred };
            Check::of(p, [Values, Values, Values, Zeros])
        })
        .into();
}

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

/// Mean and variance in f64.
pub(super) const PROOF: Proof = Proof {
    allowed: allow(1.0),
    breaks: &[
        (WORKGROUP, " + p.eps", ""),
        (WORKGROUP, "8u * (lane / 8u) + i", "8u * (lane / 8u)"),
        (WORKGROUP, "p.centred != 0u", "p.centred == 0u"),
        (WORKGROUP, " + p.offset", ""),
    ],
    cases: || {
        Box::new(each(SHAPES, KINDS).map(|(i, [rows, width], kind)| {
            let mut source = Source::new(i as u64 * 8 + kind as u64);
            let x = source.values(rows * width, kind);
            let (gain, bias) = (source.values(width, Kind::Plain), source.values(width, Kind::Plain));
            // Layer norm, RMS norm, and each with what it usually has not.
            let [centred, biased] = [[1, 1], [0, 0], [1, 0], [0, 1]][i % 4];
            let offset = if i % 3 == 1 { 1.0 } else { 0.0 };
            let p = LayerNorm { rows: rows as u32, width: width as u32, eps: EPS, offset, centred, biased };
            let given = if biased == 1 { &bias[..] } else { &[] };
            let args = [Arg::F(&x), Arg::F(&gain), Arg::F(given), Arg::Out(x.len())];
            let case = Case::new(format!("{rows}×{width} {kind:?}"), p, &args);
            let gain: Vec<f32> = gain.iter().map(|gain| gain + offset).collect();
            let bias: Vec<f32> = bias.iter().map(|bias| bias * biased as f32).collect();
            let (mut truth, mut tolerance) = (Vec::new(), Vec::new());
            for row in x.chunks(width) {
                let n = width as f64;
                let mean = f64::from(centred) * row.iter().map(|x| wide(*x)).sum::<f64>() / n;
                let variance = row.iter().map(|x| (wide(*x) - mean) * (wide(*x) - mean)).sum::<f64>() / n;
                let rate = 1.0 / (variance + wide(EPS)).sqrt();
                let largest = row.iter().fold(0.0, |most: f64, x| most.max(wide(x.abs())));
                // Roundings of a lane's sum, of the eight lanes and of the few steps after them.
                let roundings = (width.div_ceil(8) + 12) as f64;
                for ((x, gain), bias) in row.iter().zip(&gain).zip(&bias) {
                    let scaled = (wide(*x) - mean) * rate * wide(*gain);
                    let from_mean = largest * rate * wide(gain.abs());
                    truth.push(scaled + wide(*bias));
                    tolerance.push(U * (roundings * (from_mean + scaled.abs()) + 2.0 * wide(bias.abs())) + 1e-37);
                }
            }
            case.near((truth, tolerance))
        }))
    },
};

const EPS: f32 = 1e-5;
