//! Mamba's selective scan (arXiv:2312.00752, algorithm 2): for each channel c and state n of a sequence,
//! `h_n = exp(−Δ·e^rates[c][n])·h_n + Δ·x·B_n`, and `out = Σ_n h_n·C_n + skip[c]·x`.
//!
//! Eight channels side by side, rows one after another, states summed in rising order: a channel's bits depend on no other.

use super::Given;
use crate::backend::declare::*;
use crate::backend::lanes::{self, Exp, LANES, Lanes, splat};
use crate::backend::proof::*;
use crate::backend::shaders::Shader;

/// States of a channel that `scan` can hold; Mamba has 16.
pub const MOST_STATES: u32 = Shader::of("scan").constant("MOST_STATES");

kernel! {
    /// Mamba's selective scan over packed sequences, which begin where `starts[i] = i`: h = exp(−Δ·e^rates)·h + Δ·x·B, out =
    /// Σ h·C + skip·x, with B at `first` and C at `first` + state of a row of `selected`.
    Scan = scan(
        f32_in("x"), f32_in("steps"), f32_in("selected"), f32_in("rates"), f32_in("skip"), u32_in("starts"), f32_out("out")
    ) {
        /// Rows.
        rows: u32,
        /// Channels.
        width: u32,
        /// States of a channel.
        state: u32,
        /// Columns of `selected`.
        stride: u32,
        /// First column of B.
        first: u32,
    } needs |p, room| [
        area([p.rows, p.width]), area([p.rows, p.width]), area([p.rows, p.stride]), area([p.width, p.state]),
        area([p.width]), area([p.rows]), area([p.rows, p.width])
    ]
      where p.state <= MOST_STATES, "`state` must be at most MOST_STATES"
      where p.first as u64 + 2 * p.state as u64 <= p.stride as u64, "B and C must lie within `stride` columns"
      runs [narrow 64; wide 256] vec![by_value(p.width as u64)];
    checked vec![Check::of(
        Scan { rows: 20, width: 10, state: 4, stride: 11, first: 3 },
        [Values, Shares, Values, Values, Values, Below(2), Zeros],
    )];
}

/// Runs the kernel.
pub fn run(p: &Scan, given: &mut Given<'_>) {
    let [x, steps, selected, rates, skip, starts, out] = given.bound();
    let [rows, width, state, stride, first] = [p.rows, p.width, p.state, p.stride, p.first].map(|d| d as usize);
    let (x, steps, selected) = (x.floats(), steps.floats(), selected.floats());
    let (rates, skip, starts) = (rates.floats(), skip.floats(), &starts.words()[..rows]);
    let (exp, out) = (Exp::new(), out.floats_mut());
    let mut held = vec![splat(0.0); state];
    for channel in (0..width).step_by(LANES) {
        let count = LANES.min(width - channel);
        let eight = |of: &[f32], at: usize| lanes::partial(&of[at + channel..][..count], 0.0);
        let fading: Vec<Lanes> = (0..state)
            .map(|n| {
                let each: Vec<f32> = (0..count).map(|lane| rates[(channel + lane) * state + n]).collect();
                -exp.of(lanes::partial(&each, 0.0))
            })
            .collect();
        let skip = eight(skip, 0);
        for (row, &start) in starts.iter().enumerate() {
            if start as usize >= row {
                held.fill(splat(0.0));
            }
            let (own, step) = (eight(x, row * width), eight(steps, row * width));
            let (b, c) = selected[row * stride + first..][..2 * state].split_at(state);
            let taken = step * own;
            let mut sum = splat(0.0);
            for (((held, fading), b), c) in held.iter_mut().zip(&fading).zip(b).zip(c) {
                *held = exp.of(step * *fading) * *held + taken * splat(*b);
                sum += *held * splat(*c);
            }
            let result = (sum + skip * own).to_array();
            out[row * width + channel..][..count].copy_from_slice(&result[..count]);
        }
    }
}

/// The states in f64.
pub(super) const PROOF: Proof = Proof {
    allowed: allow(1.0),
    breaks: &[
        (WORKGROUP, "select(held[n], 0.0, fresh)", "held[n]"),
        (WORKGROUP, "chosen + p.state + n", "chosen + n"),
        (WORKGROUP, "+ skip[c] * x[at]", ""),
        (WORKGROUP, "exponential(steps[at] * fading[n])", "(1.0 + steps[at] * fading[n])"),
    ],
    cases: || {
        let kinds = [Kind::Plain, Kind::Outliers, Kind::Equal, Kind::Zeros];
        Box::new(each(SCANNED, kinds).map(|(i, (lengths, width, state), kind)| {
            let (starts, first) = (starts(lengths), i % 4);
            let (rows, stride) = (starts.len(), first + 2 * state + i % 2);
            let mut source = Source::new(i as u64 * 8 + kind as u64);
            let x = source.values(rows * width, kind);
            let steps: Vec<f32> = source.values(rows * width, Kind::Plain).iter().map(|x| x.abs()).collect();
            let selected = source.values(rows * stride, Kind::Plain);
            // Rates as a model has them: ln 1 to ln 16, about.
            let rates: Vec<f32> = source.values(width * state, Kind::Plain).iter().map(|x| 1.4 + 1.4 * x).collect();
            let skip = source.values(width, Kind::Plain);
            let params = [rows, width, state, stride, first];
            let args = [
                Arg::F(&x),
                Arg::F(&steps),
                Arg::F(&selected),
                Arg::F(&rates),
                Arg::F(&skip),
                Arg::W(&starts),
                Arg::Out(rows * width),
            ];
            let case = Case::of(format!("{lengths:?} {width}×{state} {kind:?}"), params, &args);
            let (mut truth, mut tolerance) = (vec![0.0; rows * width], vec![0.0; rows * width]);
            for c in 0..width {
                // Each state, and how far it may be off.
                let mut held = vec![(0.0, 0.0); state];
                for row in 0..rows {
                    if starts[row] as usize == row {
                        held.fill((0.0, 0.0));
                    }
                    let (own, step) = (wide(x[row * width + c]), wide(steps[row * width + c]));
                    let chosen = |at: usize| wide(selected[row * stride + first + at]);
                    let (mut sum, mut off) = (wide(skip[c]) * own, 2.0 * U * (wide(skip[c]) * own).abs());
                    for (n, (held, held_off)) in held.iter_mut().enumerate() {
                        let exponent = -step * libm::exp(wide(rates[c * state + n]));
                        let (kept, taken) = (libm::exp(exponent) * *held, step * own * chosen(n));
                        // The exponent is off by two roundings and the 2 ulp of its own exponential.
                        let roundings = 6.0 + 7.0 * exponent.abs();
                        *held_off = libm::exp(exponent) * *held_off + U * (roundings * kept.abs() + 4.0 * taken.abs());
                        *held = kept + taken;
                        sum += *held * chosen(state + n);
                        let size = (*held * chosen(state + n)).abs();
                        off += *held_off * chosen(state + n).abs() + U * (state + 3) as f64 * size;
                    }
                    truth[row * width + c] = sum;
                    tolerance[row * width + c] = off + 1e-36;
                }
            }
            case.near((truth, tolerance))
        }))
    },
};

/// Lengths of sequences, channels, states.
const SCANNED: [(&[usize], usize, usize); 12] = [
    (&[1], 1, 1),
    (&[3], 2, 4),
    (&[5], 8, 16),
    (&[2, 3], 9, 16),
    (&[17, 1, 4], 5, 3),
    (&[33], 17, 8),
    (&[4, 4, 4], 64, 16),
    (&[100], 2, 32),
    (&[9, 31], 33, 1),
    (&[], 4, 4),
    (&[1, 1, 1, 1], 7, 5),
    (&[257], 3, 16),
];
