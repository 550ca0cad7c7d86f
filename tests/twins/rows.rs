//! Kernels that go row by row or value by value.

use crate::both;
use crate::harness::{Arg, KINDS, Kind, Source, U, Walk, run_f32};
use fairbits::backend::table::{Add, Embed, Gelu, LayerNorm, Norms};

const SHAPES: [[usize; 2]; 12] =
    [[1, 1], [1, 3], [3, 7], [2, 8], [5, 9], [17, 17], [4, 64], [3, 257], [2, 768], [257, 3], [1, 1023], [0, 5]];
const EPS: f32 = 1e-5;

fn wide(x: f32) -> f64 {
    f64::from(x)
}

pub async fn layer_norm(walk: &mut Walk) {
    for (i, [rows, width]) in SHAPES.into_iter().enumerate() {
        for kind in KINDS {
            let mut source = Source::new(i as u64 * 8 + kind as u64);
            let x = source.values(rows * width, kind);
            let (gain, bias) = (source.values(width, Kind::Plain), source.values(width, Kind::Plain));
            let got = normed(&x, &gain, &bias, rows).await;
            let (mut truth, mut tolerance) = (Vec::new(), Vec::new());
            for row in x.chunks(width) {
                let n = width as f64;
                let mean = row.iter().map(|x| wide(*x)).sum::<f64>() / n;
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
            walk.compare(&format!("{rows}×{width} {kind:?}"), &got, &truth, &tolerance);
        }
    }
}

async fn normed(x: &[f32], gain: &[f32], bias: &[f32], rows: usize) -> Vec<f32> {
    let p = LayerNorm { rows: rows as u32, width: gain.len() as u32, eps: EPS };
    run_f32(p, &[Arg::F(x), Arg::F(gain), Arg::F(bias), Arg::Out(x.len())]).await
}

pub async fn norms(walk: &mut Walk) {
    for (i, [rows, width]) in SHAPES.into_iter().enumerate() {
        for kind in KINDS {
            let x = Source::new(i as u64 * 8 + kind as u64).values(rows * width, kind);
            let p = Norms { rows: rows as u32, width: width as u32 };
            let got = run_f32(p, &[Arg::F(&x), Arg::Out(rows)]).await;
            let truth: Vec<f64> =
                x.chunks(width).map(|row| row.iter().map(|x| wide(*x) * wide(*x)).sum::<f64>().sqrt()).collect();
            // A square below the smallest f32 is lost: up to √(width·2⁻¹⁴⁹).
            let lost = (width as f64 * wide(f32::from_bits(1))).sqrt();
            let tolerance: Vec<f64> = truth.iter().map(|t| U * (width.div_ceil(8) + 6) as f64 * t + lost).collect();
            walk.compare(&format!("{rows}×{width} {kind:?}"), &got, &truth, &tolerance);
        }
    }
}

pub async fn gelu(walk: &mut Walk) {
    for len in [0, 1, 3, 7, 8, 9, 17, 64, 257, 1000, 4096, 4099] {
        for kind in KINDS {
            check_gelu(walk, Source::new(len as u64 + kind as u64).values(len, kind)).await;
        }
        check_gelu(walk, (0..len).map(|i| (i as f32 - len as f32 / 2.0) * (24.0 / len as f32)).collect()).await;
    }
}

async fn check_gelu(walk: &mut Walk, x: Vec<f32>) {
    let got = run_f32(Gelu { len: x.len() as u32 }, &[Arg::F(&x)]).await;
    let (truth, tolerance): (Vec<f64>, Vec<f64>) = x
        .iter()
        .map(|x| {
            let x = wide(*x);
            let twice_u = 2.0 * (2.0 / std::f64::consts::PI).sqrt() * (x + 0.044715 * x * x * x);
            let y = x / (1.0 + libm::exp(-twice_u));
            // The error of an exponent is a relative error of the exponential; where that is small beside 1 it is lost.
            let exponent = if twice_u > 0.0 { 1.0 } else { twice_u.abs() };
            (y, U * (8.0 + 6.0 * exponent) * y.abs() + 1e-36)
        })
        .unzip();
    walk.compare(&format!("{} values", x.len()), &got, &truth, &tolerance);
}

pub async fn add(walk: &mut Walk) {
    for len in [0, 1, 3, 17, 256, 257] {
        for kind in KINDS {
            let mut source = Source::new(len as u64);
            let (x, y) = (source.values(len, kind), source.values(len, Kind::Plain));
            let got = run_f32(Add { len: len as u32 }, &[Arg::F(&x), Arg::F(&y)]).await;
            walk.same_bits("sum", &got, &x.iter().zip(&y).map(|(x, y)| x + y).collect::<Vec<_>>());
        }
    }
}

pub async fn embed(walk: &mut Walk) {
    for [rows, width] in SHAPES {
        let (vocab, context) = (19, 11);
        let mut source = Source::new(rows as u64);
        let (tokens, places) = (source.values(vocab * width, Kind::Plain), source.values(context * width, Kind::Plain));
        let ids: Vec<u32> = (0..rows).map(|_| source.word() % (vocab as u32 + 2)).collect();
        let positions: Vec<u32> = (0..rows).map(|_| source.word() % (context as u32 + 1)).collect();
        let p = Embed { rows: rows as u32, width: width as u32, vocab: vocab as u32, context: context as u32 };
        let args = [Arg::W(&ids), Arg::W(&positions), Arg::F(&tokens), Arg::F(&places), Arg::Out(rows * width)];
        let got = run_f32(p, &args).await;
        let mut truth = Vec::new();
        for (id, position) in ids.iter().zip(&positions) {
            for c in 0..width {
                let known = (*id as usize) < vocab && (*position as usize) < context;
                truth.push(match known {
                    true => tokens[*id as usize * width + c] + places[*position as usize * width + c],
                    false => 0.0,
                });
            }
        }
        walk.same_bits("gather", &got, &truth);
    }
}

both! {
async fn a_normed_row_does_not_know_its_batch() {
    let mut source = Source::new(3);
    let (x, gain, bias) =
        (source.values(9 * 77, Kind::Plain), source.values(77, Kind::Plain), source.values(77, Kind::Plain));
    for (row, together) in x.chunks(77).zip(normed(&x, &gain, &bias, 9).await.chunks(77)) {
        assert_eq!(normed(row, &gain, &bias, 1).await, together);
    }
}
}
