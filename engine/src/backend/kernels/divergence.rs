//! What a change of the weights does to a prediction, row by row: its loss, how far it diverges from that of full precision, and
//! whether another token is the most likely one.
//!
//! Both rows of logits are there as a whole, made for a few rows at a time. The loss has the bits of [`Loss`](super::Loss).

use super::Given;
use super::loss::{RunningSum, SLICE};
use crate::backend::declare::*;
use crate::backend::lanes::{self, Exp, Lanes, splat};
use crate::backend::proof::*;

kernel! {
    /// Of each row of logits `x` beside those of full precision: the loss in nats, `log Σ exp(x) − x[target]`; the divergence
    /// Σ p·log(p/q) in nats of p = softmax(full) from q = softmax(x); and 1 where another token has the greatest logit.
    Divergence = divergence(f32_in("x"), f32_in("full"), u32_in("targets"), f32_out("out")) {
        /// Rows.
        rows: u32,
        /// Logits of a row. A target that is none of them has a loss of NaN.
        vocab: u32,
    } needs |p, room| [
        area([p.rows, p.vocab]), area([p.rows, p.vocab]), area([p.rows]), area([p.rows, DIVERGENCE_WORDS])
    ]
      where p.vocab <= MOST_PLACES, "a row must have at most 16,777,216 logits"
      runs [main 64] grid(folded(u64::from(p.rows), 1));
    checked vec![Check::of(Divergence { rows: 5, vocab: 150 }, [Values, Values, Below(150), Zeros])];
}

/// Words that [`Divergence`] writes per row: loss, divergence, whether the most likely token is another.
pub const DIVERGENCE_WORDS: u32 = 3;
/// Places that an f32 tells apart.
const MOST_PLACES: u32 = 1 << 24;
/// Stands where a row ends within eight lanes: e to it is 0, and so is its distance from itself.
const BEYOND: f32 = -1.0e30;

/// Runs the kernel.
pub fn run(p: &Divergence, given: &mut Given<'_>) {
    let [x, full, targets, out] = given.bound();
    let (rows, vocab) = (p.rows as usize, p.vocab as usize);
    let (x, full, targets) = (x.floats(), full.floats(), targets.words());
    let exp = Exp::new();
    for (row, out) in out.floats_mut().chunks_exact_mut(DIVERGENCE_WORDS as usize).take(rows).enumerate() {
        let [x, full] = [x, full].map(|logits| &logits[row * vocab..][..vocab]);
        let (divergence, flipped) = beside(x, full, &exp);
        out.copy_from_slice(&[loss(x, targets[row], &exp), divergence, f32::from(u8::from(flipped))]);
    }
}

fn loss(x: &[f32], target: u32, exp: &Exp) -> f32 {
    let mut sum = RunningSum::default();
    x.chunks(SLICE).for_each(|logits| sum.add(logits, exp));
    sum.target = x.get(target as usize).copied().unwrap_or(f32::NAN);
    sum.loss()
}

/// Σ p·log(p/q), and whether the greatest logits lie at different places. Sums are in f32 within a slice, then in f64: what is
/// small is the difference of two that are not.
fn beside(x: &[f32], full: &[f32], exp: &Exp) -> (f32, bool) {
    let [most_x, most_full] = [x, full].map(greatest);
    let mut sums = [0.0f64; 3];
    for (x, full) in x.chunks(SLICE).zip(full.chunks(SLICE)) {
        let mut slice: [Lanes; 3] = [splat(0.0); 3];
        lanes::pairs(x, full, BEYOND, |x, full| {
            let (x, full) = (x - splat(most_x), full - splat(most_full));
            let weight = exp.of(full);
            slice[0] += exp.of(x);
            slice[1] += weight;
            slice[2] += weight * (full - x);
        });
        sums.iter_mut().zip(slice).for_each(|(sum, lanes)| *sum += f64::from(lanes::sum(lanes)));
    }
    let [of_x, of_full, apart] = sums;
    let divergence = apart / of_full + (libm::log(of_x) - libm::log(of_full));
    let first = |logits: &[f32], most: f32| logits.iter().position(|logit| *logit == most);
    // A NaN stays one; a rounding below 0 does not.
    let divergence = if divergence < 0.0 { 0.0 } else { divergence };
    (divergence as f32, first(x, most_x) != first(full, most_full))
}

fn greatest(logits: &[f32]) -> f32 {
    let mut most = splat(f32::NEG_INFINITY);
    lanes::each(logits, f32::NEG_INFINITY, |x| most = lanes::max(most, x));
    lanes::greatest(most)
}

/// Every sum in f64.
pub(super) const PROOF: Proof = Proof {
    // Logarithms and the last sums are taken in f32, and a lane's sum is as long as the vocabulary has 64s.
    allowed: allow(2.0),
    breaks: &[
        (WORKGROUP, "sum.z / sum.y", "sum.z"),
        (WORKGROUP, "first.x != first.y", "most.x != most.y"),
        (WORKGROUP, "(log_sum - logarithm(sum.y))", "log_sum"),
        (WORKGROUP, "(most.x - x[", "(most.y - x["),
    ],
    cases: || {
        let kinds =
            [(Kind::Plain, 1.0), (Kind::Plain, 30.0), (Kind::Equal, 1.0), (Kind::Zeros, 1.0), (Kind::Outliers, 1.0)];
        // How far full precision is from it: not at all, a little, and as far as anything.
        let apart = [0.0, 1e-3, 1.0];
        Box::new(each(OF_VOCABULARY, kinds).flat_map(move |(i, [rows, vocab], (kind, size))| {
            apart.into_iter().map(move |apart| {
                let mut source = Source::new(i as u64 * 8 + kind as u64);
                let full: Vec<f32> = source.values(rows * vocab, kind).iter().map(|x| x * size).collect();
                let x: Vec<f32> = full.iter().map(|x| x + apart * size * source.unit()).collect();
                // Now and then a target that does not exist.
                let targets: Vec<u32> = (0..rows).map(|_| source.word() % (vocab as u32 + 1)).collect();
                let words = rows * DIVERGENCE_WORDS as usize;
                let args = [Arg::F(&x), Arg::F(&full), Arg::W(&targets), Arg::Out(words)];
                let case = Case::of(format!("{rows}×{vocab} {kind:?}·{size}, {apart} apart"), [rows, vocab], &args);
                let rows = x.chunks(vocab).zip(full.chunks(vocab)).zip(&targets);
                let (truth, tolerance): (Vec<_>, Vec<_>) =
                    rows.flat_map(|((x, full), to)| of_row(x, full, *to)).unzip();
                case.near((truth, tolerance))
            })
        }))
    },
};

/// (rows, vocab): one, odd, a slice, beyond it.
const OF_VOCABULARY: [[usize; 2]; 9] =
    [[1, 1], [3, 5], [5, 8], [4, 9], [17, 127], [2, 128], [7, 129], [65, 300], [2, 5003]];

/// The three figures of a row in f64, each with what may be lost of it.
fn of_row(x: &[f32], full: &[f32], target: u32) -> [(f64, f64); 3] {
    let most = |logits: &[f32]| logits.iter().fold(f64::NEG_INFINITY, |most: f64, logit| most.max(wide(*logit)));
    let first = |logits: &[f32]| logits.iter().position(|logit| wide(*logit) == most(logits));
    let (most_x, most_full) = (most(x), most(full));
    let log_sum =
        |logits: &[f32], most: f64| libm::log(logits.iter().map(|logit| libm::exp(wide(*logit) - most)).sum());
    let (log_x, log_full) = (log_sum(x, most_x), log_sum(full, most_full));
    let of_target = x.get(target as usize).map_or(f64::NAN, |logit| log_x + (most_x - wide(*logit)));
    let range =
        |logits: &[f32], most: f64| logits.iter().map(|logit| most - wide(*logit)).fold(0.0, f64::max).min(90.0);
    // Exponents, the sums of lanes and of what they leave, the logarithm.
    let sums = (x.len().div_ceil(64) + SLICE / 8 + 24) as f64;
    let loss_off = U * (2.0 * range(x, most_x) + (x.len().div_ceil(SLICE) as f64) + sums + of_target.abs()) + 1e-37;
    let (mut divergence, mut apart, mut size) = (0.0, 0.0, 0.0);
    for (x, full) in x.iter().zip(full) {
        let (below_x, below) = (wide(*x) - most_x, wide(*full) - most_full);
        let share = libm::exp(below - log_full);
        divergence += share * ((below - log_full) - (below_x - log_x));
        apart += share * (below - below_x).abs() * (below.abs().min(90.0) + sums);
        size += share * 2.0 * (below.abs() + below_x.abs());
    }
    let logs = 2.0 * (range(x, most_x).min(20.0) + range(full, most_full).min(20.0) + 2.0 * sums) + log_x + log_full;
    let off = U * (apart + size + logs + divergence.abs()) + 1e-37;
    let flipped = f64::from(u8::from(first(x) != first(full)));
    [(of_target, loss_off), (divergence.max(0.0), off), (flipped, 1e-9)]
}
