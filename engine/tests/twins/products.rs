//! Matmul in its three forms.

use crate::both;
use crate::harness::{Arg, KINDS, Kind, Source, U, Walk, dispatched, run_f32};
use engine::backend::{
    cpu::Cpu,
    table::{Matmul, MatmulPacked},
    wgpu::Wgpu,
};
use half::f16;

/// (m, k, n): single, odd, one past a tile, one past a strip, across blocks of k and panels of n.
const SHAPES: [[usize; 3]; 14] = [
    [1, 1, 1],
    [1, 17, 8],
    [3, 1, 5],
    [4, 8, 8],
    [5, 9, 9],
    [17, 3, 257],
    [2, 257, 3],
    [7, 256, 16],
    [6, 513, 17],
    [33, 64, 129],
    [1, 768, 130],
    [9, 300, 7],
    [3, 0, 4],
    [64, 128, 96],
];

/// So large that large tiles are taken; all sums of one fit into tens of milliseconds.
const LARGE_SHAPES: [[usize; 3]; 3] = [[513, 17, 520], [512, 20, 515], [577, 36, 516]];

/// w[k][n] whichever way it is stored.
fn at(transposed: u32, [_, k, n]: [usize; 3], row: usize, column: usize) -> usize {
    if transposed == 0 { row * n + column } else { column * k + row }
}

/// Σ_k x·w + bias in f64, and the bound (k + 2)·u·(Σ|x·w| + |bias|) that every order of summing keeps, with room for
/// products that are subnormal.
fn oracle(x: &[f32], w: impl Fn(usize, usize) -> f64, bias: Option<&[f32]>, s: [usize; 3]) -> (Vec<f64>, Vec<f64>) {
    let [m, k, n] = s;
    let mut truth = Vec::new();
    let mut tolerance = Vec::new();
    for i in 0..m {
        for j in 0..n {
            let bias = bias.map_or(0.0, |b| f64::from(b[j]));
            let terms = (0..k).map(|l| f64::from(x[i * k + l]) * w(l, j));
            let (sum, size) = terms.fold((0.0, 0.0), |(sum, size), t| (sum + t, size + t.abs()));
            truth.push(sum + bias);
            tolerance.push((k + 2) as f64 * (U * (size + bias.abs()) + f64::from(f32::from_bits(1))));
        }
    }
    (truth, tolerance)
}

/// The law of the table, taken at its word: one f32 sum over k in order.
fn in_order(x: &[f32], w: &[f32], bias: Option<&[f32]>, transposed: u32, s: [usize; 3]) -> Vec<f32> {
    let [m, k, n] = s;
    let mut out = Vec::new();
    for i in 0..m {
        for j in 0..n {
            let mut sum = 0.0f32;
            for l in 0..k {
                let product = x[i * k + l] * w[at(transposed, s, l, j)];
                sum += product;
            }
            out.push(bias.map_or(sum, |b| sum + b[j]));
        }
    }
    out
}

async fn product(x: &[f32], w: &[f32], bias: Option<&[f32]>, transposed: u32, [m, k, n]: [usize; 3]) -> Vec<f32> {
    let biased = u32::from(bias.is_some());
    let p = Matmul { m: m as u32, k: k as u32, n: n as u32, transposed, biased };
    run_f32(p, &[Arg::F(x), Arg::F(w), Arg::F(bias.unwrap_or(&[])), Arg::Out(m * n)]).await
}

pub async fn matmul(walk: &mut Walk) {
    let large = LARGE_SHAPES.map(|s| (s, &KINDS[..1]));
    for (i, (s, kinds)) in SHAPES.map(|s| (s, &KINDS[..])).into_iter().chain(large).enumerate() {
        for transposed in [0, 1] {
            for kind in kinds.iter().copied() {
                let mut source = Source::new(i as u64 * 16 + u64::from(transposed) * 8 + kind as u64);
                let [m, k, n] = s;
                let (x, w) = (source.values(m * k, kind), source.values(k * n, Kind::Plain));
                let bias = source.values(n, Kind::Plain);
                let bias = i.is_multiple_of(2).then_some(&bias[..]);
                let got = product(&x, &w, bias, transposed, s).await;
                let (truth, tolerance) = oracle(&x, |l, j| f64::from(w[at(transposed, s, l, j)]), bias, s);
                walk.compare(&format!("{s:?} {transposed} {kind:?}"), &got, &truth, &tolerance);
                walk.same_bits("in order", &got, &in_order(&x, &w, bias, transposed, s));
            }
        }
    }
}

/// Packed weights: codes in −levels…levels, and scales for a granularity.
struct Quantized {
    codes: Vec<i32>,
    scales: Vec<f32>,
    group: usize,
    channels: usize,
}

impl Quantized {
    fn new(source: &mut Source, [_, k, n]: [usize; 3], group: usize, channels: usize, bits: u32) -> Quantized {
        let levels = (1i64 << (bits - 1)) - 1;
        // The lowest code of the word, −levels − 1, is not made by our quantizer; the kernel must read it all the same.
        let codes = (0..k * n).map(|_| (i64::from(source.word()) % (2 * levels + 2) - levels - 1) as i32).collect();
        let scales = (0..k.div_ceil(group) * channels).map(|_| 0.001 + source.unit().abs()).collect();
        Quantized { codes, scales, group, channels }
    }

    fn words(&self, bits: u32) -> Vec<u32> {
        let mask = u32::MAX >> (32 - bits);
        self.codes
            .chunks((32 / bits) as usize)
            .map(|codes| {
                codes.iter().enumerate().fold(0, |word, (i, c)| word | ((*c as u32 & mask) << (i as u32 * bits)))
            })
            .collect()
    }

    /// The matrix, stored as the codes are.
    fn dequantized(&self, transposed: u32, s: [usize; 3]) -> Vec<f32> {
        let mut w = vec![0.0; self.codes.len()];
        for l in 0..s[1] {
            for j in 0..s[2] {
                let scale = self.scales[l / self.group * self.channels + if self.channels > 1 { j } else { 0 }];
                let place = at(transposed, s, l, j);
                w[place] = self.codes[place] as f32 * scale;
            }
        }
        w
    }
}

/// Halves of any size, a tenth of them subnormal, zeros of both signs among them.
async fn of_halves(walk: &mut Walk, i: usize, transposed: u32) {
    let s @ [m, k, n] = SHAPES[i];
    let mut source = Source::new((i * 2) as u64 + u64::from(transposed));
    let x = source.values(m * k, Kind::Plain);
    let bias = source.values(n, Kind::Plain);
    let bias = i.is_multiple_of(2).then_some(&bias[..]);
    let halves: Vec<f16> = (0..k * n)
        .map(|j| match j % 10 {
            3 => f16::from_bits(source.word() as u16 & 0x83ff),
            _ => f16::from_f32(source.unit()),
        })
        .collect();
    let w: Vec<f32> = halves.iter().map(|half| half.to_f32()).collect();
    let word = |pair: &[f16]| pair.iter().rev().fold(0, |word, half| word << 16 | u32::from(half.to_bits()));
    let words: Vec<u32> = halves.chunks(2).map(word).collect();
    let [m, k, n] = s.map(|d| d as u32);
    let (group, channels, biased) = (k.max(1), 1, u32::from(bias.is_some()));
    let p = MatmulPacked { m, k, n, transposed, biased, group, channels, bits: 16 };
    let args = [Arg::F(&x), Arg::W(&words), Arg::F(&[]), Arg::F(bias.unwrap_or(&[])), Arg::Out(s[0] * s[2])];
    let got = run_f32(p, &args).await;
    let (truth, tolerance) = oracle(&x, |l, j| f64::from(w[at(transposed, s, l, j)]), bias, s);
    walk.compare(&format!("{s:?} halves {transposed}"), &got, &truth, &tolerance);
    walk.same_bits("as f32", &got, &product(&x, &w, bias, transposed, s).await);
}

both! {
/// Nothing but subnormal halves: a device that took them for 0 would be found out.
async fn subnormal_halves_are_no_zeros() {
    let gpu = Wgpu::open(|_, _| ()).await.unwrap();
    let words: Vec<u32> = (0..512).map(|i| (2 * i + 1) | (0x8000 + 2 * i) << 16).collect();
    let p = MatmulPacked { m: 9, k: 1, n: 1024, transposed: 0, biased: 0, group: 1, channels: 1, bits: 16 };
    let args = [Arg::F(&[1024.0; 9]), Arg::W(&words), Arg::F(&[]), Arg::F(&[]), Arg::Out(9 * 1024)];
    let got = dispatched(&gpu, p, &args).await.unwrap();
    assert_eq!(got, dispatched(&Cpu, p, &args).await.unwrap());
    assert_eq!(f32::from_bits(got[0]), 1.0 / 16_384.0);
}
}

/// A product with packed weights: bit for bit the one with the unpacked matrix, for every width and granularity.
pub async fn matmul_packed(walk: &mut Walk) {
    for i in 0..SHAPES.len() {
        for transposed in [0, 1] {
            of_halves(walk, i, transposed).await;
        }
    }
    for bits in [4, 8] {
        for (i, s) in SHAPES.into_iter().enumerate() {
            let (k, n) = (s[1].max(1), s[2]);
            for (group, channels) in [(k, 1), (k, n), (32, n), (64, n), (128, n), (32, 1), (5, n)] {
                for transposed in [0, 1] {
                    packed(walk, s, i, bits, [group, channels], transposed).await;
                }
            }
        }
        for (i, s) in LARGE_SHAPES.into_iter().enumerate() {
            for transposed in [0, 1] {
                packed(walk, s, i, bits, [8, s[2]], transposed).await;
            }
        }
    }
}

async fn packed(walk: &mut Walk, s: [usize; 3], i: usize, bits: u32, [group, channels]: [usize; 2], transposed: u32) {
    let [m, k, n] = s;
    let mut source = Source::new((i * 1000 + group * 2 + channels) as u64);
    let x = source.values(m * k, Kind::Plain);
    let bias = source.values(n, Kind::Plain);
    let bias = i.is_multiple_of(2).then_some(&bias[..]);
    let q = Quantized::new(&mut source, s, group, channels, bits);
    let [m, k, n] = s.map(|d| d as u32);
    let (group, channels, biased) = (q.group as u32, q.channels as u32, u32::from(bias.is_some()));
    let p = MatmulPacked { m, k, n, transposed, biased, group, channels, bits };
    let words = q.words(bits);
    let args = [Arg::F(&x), Arg::W(&words), Arg::F(&q.scales), Arg::F(bias.unwrap_or(&[])), Arg::Out(s[0] * s[2])];
    let got = run_f32(p, &args).await;
    let w = q.dequantized(transposed, s);
    let (truth, tolerance) = oracle(&x, |l, j| f64::from(w[at(transposed, s, l, j)]), bias, s);
    walk.compare(&format!("{s:?} {bits} bits {transposed} {group}/{channels}"), &got, &truth, &tolerance);
    walk.same_bits("unpacked", &got, &product(&x, &w, bias, transposed, s).await);
}

both! {
async fn a_row_of_a_product_does_not_know_its_batch() {
    let (k, n) = (300, 37);
    let mut source = Source::new(5);
    let (x, w) = (source.values(11 * k, Kind::Outliers), source.values(k * n, Kind::Plain));
    let together = product(&x, &w, None, 0, [11, k, n]).await;
    for (row, together) in x.chunks(k).zip(together.chunks(n)) {
        assert_eq!(product(row, &w, None, 0, [1, k, n]).await, together);
    }
}
}
