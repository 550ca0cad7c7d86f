//! Cross-entropy of each row: log Σ_j exp(logit j) − logit of the target, logit j = `x·w[j] (+ bias[j])`.
//!
//! Logits exist for a block of rows and a slice of the vocabulary at a time, and each slice is packed once for all rows. Each
//! row keeps the greatest logit so far and Σ exp(logit − greatest) in eight lanes; a slice with a greater logit rescales the
//! sum. The slices start at fixed columns, so a row's result does not depend on the other rows.

use super::strips::{Rows, STRIP, Transposed, Weights};
use super::tile::{Exact, Panel, ROWS, Tiles, Tiling};
use super::{Given, Products};
use crate::backend::declare::*;
use crate::backend::kernels::matmul::{TILE_COLUMNS, TILE_ROWS};
use crate::backend::lanes::{self, Exp, Lanes, splat};
use crate::backend::proof::*;
use crate::backend::row::{Launch, Way, Window};
use crate::backend::shaders::Shader;
use crate::backend::windows::Lines;

kernel! {
    /// Cross-entropy of each row in nats: `out[r] = log Σ_j exp(logit j) − logit target[r]`, logit j = `x[r]·w[j] (+ bias[j])`.
    /// Logits exist only for a block of rows at a time.
    Loss = loss(f32_in("x"), f32_in("w"), f32_in("bias"), u32_in("targets"), f32_out("out")) {
        /// Rows.
        rows: u32,
        /// Channels.
        width: u32,
        /// Rows of `w` (vocab, width). A target outside it gives NaN.
        vocab: u32,
        /// 1: add `bias` (vocab). 0: `bias` is not read and may be any buffer.
        biased: u32,
    } needs |p, room| [
        area([p.rows, p.width]), area([p.vocab, p.width]), area([p.biased, p.vocab]), area([p.rows]), area([p.rows])
    ]
      runs [blocks 64, join 64; tiles 64] losses(p.rows, p.width, p.vocab, room), scratch area([p.vocab.div_ceil(COLUMNS), PARTS, p.rows, 4]);
    checked vec![Check::of(
        Loss { rows: 40, width: 12, vocab: 150, biased: 1 },
        [Values, Values, Values, Below(150), Zeros],
    )];
}

/// Rows whose logits are made together: 256 × 128 of them take 128 KiB.
const ROW_BLOCK: usize = 256;
/// Logits of a row that are made together. Each slice may rescale the sum, so another number would change last bits.
pub(super) const SLICE: usize = 128;
/// Columns of the vocabulary that a workgroup takes, and parts that it leaves of each row.
const COLUMNS: u32 = Shader::of("loss").constant("SLICE");
const PARTS: u32 = Shader::of("loss").constant("PARTS");

/// Slices of the vocabulary, those of one window after another; then what they left is joined, without a look at `w`.
fn losses(rows: u32, width: u32, vocab: u32, room: usize) -> Vec<Launch> {
    let slices = |window: Window| {
        let slices = window.to.min(vocab).div_ceil(COLUMNS) - window.from / COLUMNS;
        let groups = [rows.div_ceil(TILE_ROWS), slices, 1];
        let tiles = Way { entry: 2, groups, waits: true };
        Launch {
            ways: vec![tiles, Way::of(0, groups)],
            constants: vec![("EVEN", u32::from(width.is_multiple_of(4)))],
            window: Some(window),
        }
    };
    let windows = Lines { count: vocab, width, bits: 32, step: TILE_COLUMNS }.windows(1, room);
    let nothing = Some(Window { binding: 1, first: 0, words: 0, from: 0, to: 0 });
    let join = Launch { window: nothing, ..Launch::of(vec![Way::of(1, [rows.div_ceil(NARROW), 1, 1])]) };
    windows.into_iter().map(slices).chain([join]).collect()
}

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
pub(super) struct RunningSum {
    greatest: f32,
    /// Σ exp(logit − greatest)
    exps: Lanes,
    /// Of the target.
    pub(super) target: f32,
}

impl Default for RunningSum {
    fn default() -> RunningSum {
        RunningSum { greatest: f32::NEG_INFINITY, exps: splat(0.0), target: f32::NAN }
    }
}

impl RunningSum {
    /// Takes in the next logits.
    pub(super) fn add(&mut self, logits: &[f32], exp: &Exp) {
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
    pub(super) fn loss(&self) -> f32 {
        let log_sum = libm::log(f64::from(lanes::sum(self.exps)));
        ((f64::from(self.greatest) - f64::from(self.target)) + log_sum) as f32
    }
}

/// Every logit in f64.
pub(super) const PROOF: Proof = Proof {
    // The logarithm and the last sum are taken in f32, and a lane rescales its sum with every tile of 64 columns.
    allowed: allow(2.0),
    breaks: &[
        (WORKGROUP, "(*logits)[r] + added", "(*logits)[r]"),
        (WORKGROUP, "< vec4u(p.vocab)", "< vec4u(p.vocab + 1u)"),
        (CACHE, "x[b.w + k] * w", "x[b.z + k] * w"),
        (CACHE, "part < parts", "part < parts - 1u"),
    ],
    cases: || {
        let kinds =
            [(Kind::Plain, 1.0), (Kind::Plain, 30.0), (Kind::Equal, 1.0), (Kind::Zeros, 1.0), (Kind::Tiny, 1.0)];
        Box::new(each(OF_VOCABULARY, kinds).map(|(i, [rows, width, vocab], (kind, size))| {
            let mut source = Source::new(i as u64 * 8 + kind as u64);
            let x: Vec<f32> = source.values(rows * width, kind).iter().map(|x| x * size).collect();
            let w = source.values(vocab * width, Kind::Plain);
            // With a bias every other time.
            let bias = source.values(if i % 2 == 1 { vocab } else { 0 }, Kind::Plain);
            // Now and then a target that does not exist.
            let targets: Vec<u32> = (0..rows).map(|_| source.word() % (vocab as u32 + 1)).collect();
            let thrice: Vec<f32> = bias.iter().map(|bias| 3.0 * bias).collect();
            let added = |j: usize| thrice.get(j).map_or(0.0, |bias| f64::from(*bias));
            let params = [rows, width, vocab, usize::from(!thrice.is_empty())];
            let args = [Arg::F(&x), Arg::F(&w), Arg::F(&thrice), Arg::W(&targets), Arg::Out(rows)];
            let case = Case::of(format!("{rows}×{width}×{vocab} {kind:?}·{size}"), params, &args);
            let (mut truth, mut tolerance) = (Vec::new(), Vec::new());
            for (x, target) in x.chunks(width).zip(&targets) {
                let terms = |j: usize| x.iter().zip(&w[j * width..]).map(|(x, w)| f64::from(*x) * f64::from(*w));
                let logits: Vec<f64> = (0..vocab).map(|j| terms(j).sum::<f64>() + added(j)).collect();
                let size = (0..vocab).map(|j| terms(j).map(f64::abs).sum::<f64>() + added(j).abs()).fold(0.0, f64::max);
                let greatest = logits.iter().copied().fold(f64::NEG_INFINITY, f64::max);
                let range = (greatest - logits.iter().copied().fold(f64::INFINITY, f64::min)).min(90.0);
                let log_sum = libm::log(logits.iter().map(|l| libm::exp(l - greatest)).sum());
                let loss = logits.get(*target as usize).map_or(f64::NAN, |t| log_sum + (greatest - t));
                truth.push(loss);
                // Two logits, each (width + 1) roundings off; the exponents; a lane's sum slice by slice; the result.
                let slices = vocab.div_ceil(128) + 16;
                let logit_off = (width + 2) as f64 * U * size;
                let off = 2.0 * logit_off + U * (2.0 * range + (slices + 24) as f64 + loss.abs()) + 1e-37;
                tolerance.push(off);
            }
            case.near((truth, tolerance))
        }))
    },
};

/// (rows, width, vocab): across slices of the vocabulary and blocks of rows.
const OF_VOCABULARY: [[usize; 3]; 12] = [
    [1, 1, 1],
    [3, 3, 5],
    [5, 17, 8],
    [4, 8, 9],
    [17, 9, 127],
    [2, 16, 128],
    [7, 16, 129],
    [3, 257, 300],
    [257, 4, 33],
    [261, 3, 257],
    [2, 64, 5003],
    [0, 4, 9],
];
