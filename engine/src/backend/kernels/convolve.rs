//! Causal depthwise convolution: `out[i][c] = bias[c] + Σ_t w[c][t]·x[i − size + 1 + t][c]`, over rows of i's own sequence.

use super::Given;
use crate::backend::declare::*;
use crate::backend::proof::*;

kernel! {
    /// Causal depthwise convolution over packed sequences: `out[i][c] = bias[c] + Σ_t w[c][t]·x[i − size + 1 + t][c]`, where only
    /// rows from `starts[i]` on count.
    Convolve = convolve(f32_in("x"), f32_in("w"), f32_in("bias"), u32_in("starts"), f32_out("out")) {
        /// Rows.
        rows: u32,
        /// Channels.
        width: u32,
        /// Columns of `x`, of which the first `width` are read.
        stride: u32,
        /// Rows that a result sees.
        size: u32,
        /// 1: add `bias`. 0: `bias` is not read and may be any buffer.
        biased: u32,
    } needs |p, room| [
        area([p.rows, p.stride]), area([p.width, p.size]), area([p.biased, p.width]), area([p.rows]),
        area([p.rows, p.width])
    ]
      where p.width <= p.stride, "`width` must be at most `stride`"
      runs [narrow 64; wide 256] vec![by_value(p.rows as u64 * p.width as u64)];
    checked vec![Check::of(
        Convolve { rows: 9, width: 10, stride: 12, size: 4, biased: 1 },
        [Values, Values, Values, Below(5), Zeros],
    )];
}

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

/// Sums in f64.
pub(super) const PROOF: Proof = Proof {
    allowed: allow(1.0),
    breaks: &[
        (WORKGROUP, "row - back >= starts[row]", "row - back > starts[row]"),
        (WORKGROUP, "c * p.size + t", "c * p.size + back"),
        (WORKGROUP, "sum = bias[c]", "sum = 0.0"),
    ],
    cases: || {
        Box::new(each(CONVOLVED, KINDS).map(|(i, (lengths, width, size), kind)| {
            let (starts, stride, biased) = (starts(lengths), width + i % 3, i % 2);
            let rows = starts.len();
            let mut source = Source::new(i as u64 * 8 + kind as u64);
            let x = source.values(rows * stride, kind);
            let (w, bias) = (source.values(width * size, Kind::Plain), source.values(width * biased, Kind::Plain));
            let params = [rows, width, stride, size, biased];
            let args = [Arg::F(&x), Arg::F(&w), Arg::F(&bias), Arg::W(&starts), Arg::Out(rows * width)];
            let case = Case::of(format!("{lengths:?} {width}×{size} {kind:?}"), params, &args);
            let (mut truth, mut tolerance) = (Vec::new(), Vec::new());
            for (row, c) in (0..rows).flat_map(|row| (0..width).map(move |c| (row, c))) {
                let added = bias.get(c).map_or(0.0, |bias| wide(*bias));
                let seen = (starts[row] as usize).max((row + 1).saturating_sub(size))..row + 1;
                let terms = || seen.clone().map(|j| wide(w[c * size + size - 1 - (row - j)]) * wide(x[j * stride + c]));
                truth.push(terms().sum::<f64>() + added);
                let sizes = terms().map(f64::abs).sum::<f64>() + added.abs();
                tolerance.push(U * (size + 2) as f64 * sizes + 1e-40);
            }
            case.near((truth, tolerance))
        }))
    },
};

/// Lengths of sequences, channels, rows that a result sees.
const CONVOLVED: [(&[usize], usize, usize); 12] = [
    (&[1], 1, 1),
    (&[1], 3, 4),
    (&[5], 8, 4),
    (&[2, 3], 9, 4),
    (&[17, 1, 4], 5, 2),
    (&[33], 17, 3),
    (&[4, 4, 4], 64, 4),
    (&[100], 2, 7),
    (&[9, 31], 33, 1),
    (&[], 4, 4),
    (&[1, 1, 1, 1], 7, 4),
    (&[257], 3, 5),
];
