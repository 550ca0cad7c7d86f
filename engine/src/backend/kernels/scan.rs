//! Mamba's selective scan (arXiv:2312.00752, algorithm 2): for each channel c and state n of a sequence,
//! `h_n = exp(−Δ·e^rates[c][n])·h_n + Δ·x·B_n`, and `out = Σ_n h_n·C_n + skip[c]·x`.
//!
//! Eight channels side by side, rows one after another, states summed in rising order: a channel's bits depend on no other.

use super::Given;
use crate::backend::lanes::{self, Exp, LANES, Lanes, splat};
use crate::backend::table::Scan;

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
