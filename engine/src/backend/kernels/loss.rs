//! Cross-entropy of each row: log Σ_j exp(logit j) − logit of the target, logit j = `x·w[j] (+ bias[j])`.
//!
//! Logits exist for a block of rows and a slice of the vocabulary at a time, and each slice is packed once for all rows. Each
//! row keeps the greatest logit so far and Σ exp(logit − greatest) in eight lanes; a slice with a greater logit rescales the
//! sum. The slices start at fixed columns, so a row's result does not depend on the other rows.

use super::strips::{Rows, STRIP, Transposed, Weights};
use super::tile::{Exact, Panel, ROWS, Tiles, Tiling};
use super::{Given, Products};
use crate::backend::lanes::{self, Exp, Lanes, splat};
use crate::backend::table::Loss;

/// Rows whose logits are made together: 256 × 128 of them take 128 KiB.
const ROW_BLOCK: usize = 256;
/// Logits of a row that are made together. Each slice may rescale the sum, so another number would change last bits.
const SLICE: usize = 128;

/// Runs the kernel.
pub fn run(p: &Loss, given: &mut Given<'_>) {
    match given.products {
        Products::Exact => run_by::<ROWS>(Exact, p, given),
        Products::Fused(fused) => run_by(fused, p, given),
    }
}

fn run_by<const R: usize>(tiling: impl Tiling<R>, p: &Loss, given: &mut Given<'_>) {
    let [x, w, bias, targets, out] = given.bound();
    let [rows, width, vocab] = [p.rows, p.width, p.vocab].map(|d| d as usize);
    let laid = w.laid([width, vocab]);
    let w: &dyn Weights = match &laid {
        Some(laid) => laid,
        None => &Transposed { rows: Rows { values: w.floats(), stride: width }, n: vocab },
    };
    let exp = Exp::new();
    let tiles = |first: usize| {
        let x = Rows { values: &x.floats()[first * width..], stride: width };
        Tiles::<R>::new(x, ROW_BLOCK.min(rows - first), width)
    };
    let blocks: Vec<Tiles<R>> = (0..rows).step_by(ROW_BLOCK).map(tiles).collect();
    let mut logits = vec![0.0; ROW_BLOCK.min(rows) * SLICE.min(vocab)];
    let mut room = vec![[0.0; STRIP]; SLICE.min(vocab).div_ceil(STRIP) * width];
    let mut sums = vec![RunningSum::default(); rows];
    let targets = &targets.words()[..rows];
    for column in (0..vocab).step_by(SLICE) {
        let n = SLICE.min(vocab - column);
        let slice = Panel::new(w, column, n, width, &mut room);
        for ((block, sums), targets) in blocks.iter().zip(sums.chunks_mut(ROW_BLOCK)).zip(targets.chunks(ROW_BLOCK)) {
            block.times_panel(tiling, &slice, &mut logits);
            for ((sum, logits), &target) in sums.iter_mut().zip(logits.chunks_exact_mut(n)).zip(targets) {
                if p.biased != 0 {
                    logits.iter_mut().zip(&bias.floats()[column..]).for_each(|(logit, bias)| *logit += bias);
                }
                sum.add(logits, &exp);
                if (column..column + n).contains(&(target as usize)) {
                    sum.target = logits[target as usize - column];
                }
            }
        }
    }
    for (out, sum) in out.floats_mut()[..rows].iter_mut().zip(&sums) {
        *out = sum.loss();
    }
}

/// What is known of a row's logits so far.
#[derive(Clone)]
struct RunningSum {
    greatest: f32,
    /// Σ exp(logit − greatest)
    exps: Lanes,
    target: f32,
}

impl Default for RunningSum {
    fn default() -> RunningSum {
        RunningSum { greatest: f32::NEG_INFINITY, exps: splat(0.0), target: f32::NAN }
    }
}

impl RunningSum {
    /// Takes in the next logits.
    fn add(&mut self, logits: &[f32], exp: &Exp) {
        let mut most = splat(self.greatest);
        lanes::each(logits, f32::NEG_INFINITY, |x| most = lanes::max(most, x));
        let greatest = lanes::greatest(most);
        if greatest > self.greatest {
            self.exps *= exp.of(splat(self.greatest - greatest));
            self.greatest = greatest;
        }
        let (mut exps, greatest) = (splat(0.0), splat(self.greatest));
        lanes::each(logits, f32::NEG_INFINITY, |x| exps += exp.of(x - greatest));
        self.exps += exps;
    }

    /// In f64, because the greatest logit may be large and the loss small.
    fn loss(&self) -> f32 {
        let log_sum = libm::log(f64::from(lanes::sum(self.exps)));
        ((f64::from(self.greatest) - f64::from(self.target)) + log_sum) as f32
    }
}
