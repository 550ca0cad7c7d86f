//! Cross-entropy without a matrix of logits.

use crate::both;
use crate::harness::{Arg, Kind, Source, U, Walk, run_f32};
use engine::backend::table::Loss;

/// (rows, width, vocab): across slices of the vocabulary and blocks of rows.
const SHAPES: [[usize; 3]; 12] = [
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

async fn losses(x: &[f32], w: &[f32], bias: &[f32], targets: &[u32], width: usize) -> Vec<f32> {
    let (rows, vocab, biased) = (targets.len() as u32, (w.len() / width) as u32, u32::from(!bias.is_empty()));
    let p = Loss { rows, width: width as u32, vocab, biased };
    run_f32(p, &[Arg::F(x), Arg::F(w), Arg::F(bias), Arg::W(targets), Arg::Out(targets.len())]).await
}

pub async fn loss(walk: &mut Walk) {
    for (i, [rows, width, vocab]) in SHAPES.into_iter().enumerate() {
        for (kind, size) in
            [(Kind::Plain, 1.0), (Kind::Plain, 30.0), (Kind::Equal, 1.0), (Kind::Zeros, 1.0), (Kind::Tiny, 1.0)]
        {
            let mut source = Source::new(i as u64 * 8 + kind as u64);
            let x: Vec<f32> = source.values(rows * width, kind).iter().map(|x| x * size).collect();
            let w = source.values(vocab * width, Kind::Plain);
            // With a bias every other time.
            let bias = source.values(if i % 2 == 1 { vocab } else { 0 }, Kind::Plain);
            // Now and then a target that does not exist.
            let targets: Vec<u32> = (0..rows).map(|_| source.word() % (vocab as u32 + 1)).collect();
            let thrice: Vec<f32> = bias.iter().map(|bias| 3.0 * bias).collect();
            let added = |j: usize| thrice.get(j).map_or(0.0, |bias| f64::from(*bias));
            let got = losses(&x, &w, &thrice, &targets, width).await;
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
            walk.compare(&format!("{rows}×{width}×{vocab} {kind:?}·{size}"), &got, &truth, &tolerance);
        }
    }
}

both! {
async fn a_loss_does_not_know_its_batch() {
    let (width, vocab) = (19, 700);
    let mut source = Source::new(9);
    let (x, w) = (source.values(260 * width, Kind::Plain), source.values(vocab * width, Kind::Plain));
    let targets: Vec<u32> = (0..260).map(|_| source.word() % vocab as u32).collect();
    let together = losses(&x, &w, &[], &targets, width).await;
    for (i, row) in x.chunks(width).enumerate() {
        assert_eq!(losses(row, &w, &[], &targets[i..=i], width).await[0].to_bits(), together[i].to_bits());
    }
}
}
