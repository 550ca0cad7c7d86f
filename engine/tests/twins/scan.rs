//! What Mamba needs beside products: rows and columns taken out, a causal convolution, and the selective scan.

use crate::harness::{Arg, KINDS, Kind, Source, U, Walk, run_f32};
use engine::backend::table::{Convolve, Gather, Scan};

fn wide(x: f32) -> f64 {
    f64::from(x)
}

/// First row of each row's sequence.
fn starts(lengths: &[usize]) -> Vec<u32> {
    let mut starts = Vec::new();
    for len in lengths {
        starts.extend(vec![starts.len() as u32; *len]);
    }
    starts
}

/// Rows taken, values of each, rows there are.
const GATHERED: [[usize; 3]; 12] = [
    [1, 1, 1],
    [3, 2, 5],
    [7, 8, 3],
    [9, 17, 4],
    [64, 3, 70],
    [257, 5, 9],
    [0, 3, 4],
    [5, 64, 64],
    [1, 257, 2],
    [3, 1, 17],
    [17, 33, 1],
    [2, 129, 300],
];

pub async fn gather(walk: &mut Walk) {
    for (i, [rows, width, count]) in GATHERED.into_iter().enumerate() {
        for kind in [Kind::Plain, Kind::Outliers] {
            let (first, stride) = (i % 3, width + i % 3 + i % 2);
            let mut source = Source::new(i as u64);
            let x = source.values(count * stride, kind);
            // Now and then a row that does not exist.
            let named: Vec<u32> = (0..rows).map(|_| source.word() % (count as u32 + 1)).collect();
            let [p_rows, p_width, p_count, p_stride, p_first] =
                [rows, width, count, stride, first].map(|figure| figure as u32);
            let p = Gather { rows: p_rows, width: p_width, count: p_count, stride: p_stride, first: p_first };
            let got = run_f32(p, &[Arg::F(&x), Arg::W(&named), Arg::Out(rows * width)]).await;
            let value = |row: u32, c: usize| x.get(row as usize * stride + first + c).copied().unwrap_or(0.0);
            let truth: Vec<f32> = named.iter().flat_map(|&row| (0..width).map(move |c| value(row, c))).collect();
            walk.same_bits("rows", &got, &truth);
        }
    }
}

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

pub async fn convolve(walk: &mut Walk) {
    for (i, (lengths, width, size)) in CONVOLVED.into_iter().enumerate() {
        for kind in KINDS {
            let (starts, stride, biased) = (starts(lengths), width + i % 3, i % 2);
            let rows = starts.len();
            let mut source = Source::new(i as u64 * 8 + kind as u64);
            let x = source.values(rows * stride, kind);
            let (w, bias) = (source.values(width * size, Kind::Plain), source.values(width * biased, Kind::Plain));
            let [p_rows, p_width, p_stride, p_size, p_biased] =
                [rows, width, stride, size, biased].map(|figure| figure as u32);
            let p = Convolve { rows: p_rows, width: p_width, stride: p_stride, size: p_size, biased: p_biased };
            let args = [Arg::F(&x), Arg::F(&w), Arg::F(&bias), Arg::W(&starts), Arg::Out(rows * width)];
            let got = run_f32(p, &args).await;
            let (mut truth, mut tolerance) = (Vec::new(), Vec::new());
            for (row, c) in (0..rows).flat_map(|row| (0..width).map(move |c| (row, c))) {
                let added = bias.get(c).map_or(0.0, |bias| wide(*bias));
                let seen = (starts[row] as usize).max((row + 1).saturating_sub(size))..row + 1;
                let terms = || seen.clone().map(|j| wide(w[c * size + size - 1 - (row - j)]) * wide(x[j * stride + c]));
                truth.push(terms().sum::<f64>() + added);
                let sizes = terms().map(f64::abs).sum::<f64>() + added.abs();
                tolerance.push(U * (size + 2) as f64 * sizes + 1e-40);
            }
            walk.compare(&format!("{lengths:?} {width}×{size} {kind:?}"), &got, &truth, &tolerance);
        }
    }
}

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

pub async fn scan(walk: &mut Walk) {
    for (i, (lengths, width, state)) in SCANNED.into_iter().enumerate() {
        for kind in [Kind::Plain, Kind::Outliers, Kind::Equal, Kind::Zeros] {
            let (starts, first) = (starts(lengths), i % 4);
            let (rows, stride) = (starts.len(), first + 2 * state + i % 2);
            let mut source = Source::new(i as u64 * 8 + kind as u64);
            let x = source.values(rows * width, kind);
            let steps: Vec<f32> = source.values(rows * width, Kind::Plain).iter().map(|x| x.abs()).collect();
            let selected = source.values(rows * stride, Kind::Plain);
            // Rates as a model has them: ln 1 to ln 16, about.
            let rates: Vec<f32> = source.values(width * state, Kind::Plain).iter().map(|x| 1.4 + 1.4 * x).collect();
            let skip = source.values(width, Kind::Plain);
            let [p_rows, p_width, p_state, p_stride, p_first] =
                [rows, width, state, stride, first].map(|figure| figure as u32);
            let p = Scan { rows: p_rows, width: p_width, state: p_state, stride: p_stride, first: p_first };
            let args = [
                Arg::F(&x),
                Arg::F(&steps),
                Arg::F(&selected),
                Arg::F(&rates),
                Arg::F(&skip),
                Arg::W(&starts),
                Arg::Out(rows * width),
            ];
            let got = run_f32(p, &args).await;
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
            walk.compare(&format!("{lengths:?} {width}×{state} {kind:?}"), &got, &truth, &tolerance);
        }
    }
}
