//! Kernels that go row by row or value by value.

use crate::both;
use crate::harness::{Arg, KINDS, Kind, Source, U, Walk, run_f32};
use engine::backend::{
    kernels::activate::{GELU, GELU_TANH, KINDS as ACTIVATIONS, RELU, SILU},
    table::{Activate, Add, Embed, LayerNorm, Multiply, Norms, Rotary},
};

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
            // Layer norm, RMS norm, and each with what it usually has not.
            let [centred, biased] = [[1, 1], [0, 0], [1, 0], [0, 1]][i % 4];
            let offset = if i % 3 == 1 { 1.0 } else { 0.0 };
            let p = LayerNorm { rows: rows as u32, width: width as u32, eps: EPS, offset, centred, biased };
            let given = if biased == 1 { &bias[..] } else { &[] };
            let got = run_f32(p, &[Arg::F(&x), Arg::F(&gain), Arg::F(given), Arg::Out(x.len())]).await;
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
            walk.compare(&format!("{rows}×{width} {kind:?}"), &got, &truth, &tolerance);
        }
    }
}

async fn normed(x: &[f32], gain: &[f32], bias: &[f32], rows: usize) -> Vec<f32> {
    let (rows, width) = (rows as u32, gain.len() as u32);
    let p = LayerNorm { rows, width, eps: EPS, offset: 0.0, centred: 1, biased: 1 };
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

pub async fn activate(walk: &mut Walk) {
    for kind_of in 0..ACTIVATIONS {
        for len in [0, 1, 3, 7, 8, 9, 17, 64, 257, 1000, 4096, 4099] {
            for kind in KINDS {
                check_activation(walk, kind_of, Source::new(len as u64 + kind as u64).values(len, kind)).await;
            }
            let ramp = (0..len).map(|i| (i as f32 - len as f32 / 2.0) * (24.0 / len as f32)).collect();
            check_activation(walk, kind_of, ramp).await;
        }
    }
}

/// The function in f64, and the size of the exponent whose error is a relative error of the result.
fn activation(kind: u32, x: f64) -> (f64, f64) {
    match kind {
        GELU_TANH => {
            let twice_u = 2.0 * (2.0 / std::f64::consts::PI).sqrt() * (x + 0.044715 * x * x * x);
            (x / (1.0 + libm::exp(-twice_u)), twice_u.min(0.0).abs())
        }
        GELU => (x * 0.5 * libm::erfc(-x * std::f64::consts::FRAC_1_SQRT_2), if x < 0.0 { x * x / 2.0 } else { 0.0 }),
        RELU => (x.max(0.0), 0.0),
        SILU => (x / (1.0 + libm::exp(-x)), x.min(0.0).abs()),
        _ => (x.max(0.0) + libm::log1p(libm::exp(-x.abs())), x.abs().min(90.0)),
    }
}

async fn check_activation(walk: &mut Walk, kind: u32, x: Vec<f32>) {
    let got = run_f32(Activate { len: x.len() as u32, kind }, &[Arg::F(&x)]).await;
    let (truth, tolerance): (Vec<f64>, Vec<f64>) = x
        .iter()
        .map(|x| {
            let (y, exponent) = activation(kind, wide(*x));
            // The error of an exponent is a relative error of the exponential; where that is small beside 1 it is lost.
            // The approximation of erfc is good to 1.2·10⁻⁷, and its polynomial rounds to as much again.
            let formula = if kind == GELU { 12.0 } else { 0.0 };
            (y, U * (14.0 + formula + 6.0 * exponent) * y.abs() + 1e-36)
        })
        .unzip();
    walk.compare(&format!("{} values, kind {kind}", x.len()), &got, &truth, &tolerance);
}

pub async fn multiply(walk: &mut Walk) {
    for len in [0, 1, 3, 17, 256, 257] {
        for kind in [Kind::Plain, Kind::Outliers, Kind::Huge, Kind::Equal, Kind::Zeros] {
            let mut source = Source::new(len as u64);
            let (x, y) = (source.values(len, kind), source.values(len, Kind::Plain));
            let got = run_f32(Multiply { len: len as u32 }, &[Arg::F(&x), Arg::F(&y)]).await;
            walk.same_bits("product", &got, &x.iter().zip(&y).map(|(x, y)| x * y).collect::<Vec<_>>());
        }
    }
}

/// Rows, heads, pairs that are turned, other channels of a head, first column.
const TURNED: [[usize; 5]; 12] = [
    [1, 1, 1, 0, 0],
    [3, 1, 2, 0, 0],
    [5, 2, 4, 0, 0],
    [7, 3, 3, 2, 1],
    [2, 4, 8, 16, 0],
    [9, 1, 5, 1, 4],
    [33, 2, 16, 0, 64],
    [4, 12, 32, 0, 0],
    [257, 1, 3, 3, 3],
    [6, 2, 1, 7, 0],
    [0, 2, 4, 0, 0],
    [17, 5, 7, 0, 2],
];

pub async fn rotary(walk: &mut Walk) {
    for (i, [rows, heads, half, other, first]) in TURNED.into_iter().enumerate() {
        for kind in KINDS {
            let (step, context) = (2 * half + other, 11);
            let stride = first + heads * step + i % 3;
            let mut source = Source::new(i as u64 * 8 + kind as u64);
            let (x, turns) = (source.values(rows * stride, kind), source.values(context * 2 * half, Kind::Plain));
            let positions: Vec<u32> = (0..rows).map(|_| source.word() % (context as u32 + 1)).collect();
            let [p_rows, p_heads, p_stride, p_step, p_first, p_half, p_context] =
                [rows, heads, stride, step, first, half, context].map(|figure| figure as u32);
            let p = Rotary {
                rows: p_rows,
                heads: p_heads,
                stride: p_stride,
                step: p_step,
                first: p_first,
                half: p_half,
                context: p_context,
            };
            let got = run_f32(p, &[Arg::F(&x), Arg::W(&positions), Arg::F(&turns)]).await;
            let mut truth: Vec<f64> = x.iter().map(|x| wide(*x)).collect();
            let mut tolerance = vec![0.0; x.len()];
            for (row, &position) in positions.iter().enumerate().filter(|(_, position)| (**position as usize) < context)
            {
                for (head, c) in (0..heads).flat_map(|head| (0..half).map(move |c| (head, c))) {
                    let at = row * stride + first + head * step + c;
                    let (a, b) = (wide(x[at]), wide(x[at + half]));
                    let line = position as usize * 2 * half;
                    let (cos, sin) = (wide(turns[line + c]), wide(turns[line + half + c]));
                    (truth[at], truth[at + half]) = (a * cos - b * sin, b * cos + a * sin);
                    let size = (a * cos).abs() + (b * sin).abs();
                    let other = (b * cos).abs() + (a * sin).abs();
                    (tolerance[at], tolerance[at + half]) = (2.0 * U * size + 1e-40, 2.0 * U * other + 1e-40);
                }
            }
            walk.compare(&format!("{rows} rows, {heads}×{half} {kind:?}"), &got, &truth, &tolerance);
        }
    }
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
    for (i, [rows, width]) in SHAPES.into_iter().enumerate() {
        // Without places every third time; powers of two, so that nothing is rounded but the sum.
        let (vocab, context, scale) = (19, if i % 3 == 2 { 0 } else { 11 }, [1.0, 4.0][i % 2]);
        let mut source = Source::new(rows as u64);
        let (tokens, places) = (source.values(vocab * width, Kind::Plain), source.values(context * width, Kind::Plain));
        let ids: Vec<u32> = (0..rows).map(|_| source.word() % (vocab as u32 + 2)).collect();
        let positions: Vec<u32> = (0..rows).map(|_| source.word() % (context as u32 + 1)).collect();
        let p = Embed { rows: rows as u32, width: width as u32, vocab: vocab as u32, context: context as u32, scale };
        let args = [Arg::W(&ids), Arg::W(&positions), Arg::F(&tokens), Arg::F(&places), Arg::Out(rows * width)];
        let got = run_f32(p, &args).await;
        let mut truth = Vec::new();
        for (id, position) in ids.iter().zip(&positions) {
            for c in 0..width {
                let known = (*id as usize) < vocab && ((*position as usize) < context || context == 0);
                let place = places.get(*position as usize * width + c).copied();
                truth.push(match known {
                    true if context == 0 => scale * tokens[*id as usize * width + c],
                    true => scale * tokens[*id as usize * width + c] + place.unwrap(),
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
