//! Causal attention.

use crate::both;
use crate::harness::{Arg, Kind, Source, U, Walk, run_f32};
use fairbits::backend::table::Attention;

/// Lengths of the packed sequences, heads, channels of a head.
const CASES: &[(&[usize], usize, usize)] = &[
    (&[1], 1, 1),
    (&[3], 1, 8),
    (&[5], 2, 3),
    (&[17], 3, 16),
    (&[8], 4, 32),
    (&[9, 1], 1, 9),
    (&[1, 1, 1], 2, 4),
    (&[33, 17], 2, 17),
    (&[257], 1, 8),
    (&[4, 4, 9, 31], 2, 8),
    (&[100], 1, 64),
    (&[65, 3], 2, 33),
    (&[], 2, 4),
];

fn starts(lengths: &[usize]) -> Vec<u32> {
    let mut starts = Vec::new();
    for len in lengths {
        starts.extend(vec![starts.len() as u32; *len]);
    }
    starts
}

fn params(rows: usize, heads: usize, head: usize) -> Attention {
    let width = (heads * head) as u32;
    // Two columns that belong to nobody between the parts, so that offsets are not taken for widths.
    let (keys, values) = (width + 2, 2 * width + 4);
    let scale = 1.0 / (head as f32).sqrt();
    Attention { rows: rows as u32, heads: heads as u32, head: head as u32, stride: values + width, keys, values, scale }
}

async fn attend(p: Attention, qkv: &[f32], starts: &[u32]) -> Vec<f32> {
    run_f32(p, &[Arg::F(qkv), Arg::W(starts), Arg::Out((p.rows * p.heads * p.head) as usize)]).await
}

/// Softmax attention in f64. Tolerance: an error e of a score is a relative error e of its weight; it comes from the
/// product (head + 4 roundings of Σ|q·k|·scale) and from the exponent (2 roundings of its size).
fn oracle(p: &Attention, qkv: &[f32], starts: &[u32]) -> (Vec<f64>, Vec<f64>) {
    let at = |row: usize, column: usize| f64::from(qkv[row * p.stride as usize + column]);
    let (heads, head) = (p.heads as usize, p.head as usize);
    let (mut truth, mut tolerance) = (Vec::new(), Vec::new());
    for (i, start) in starts.iter().enumerate().take(p.rows as usize) {
        let seen = *start as usize..i + 1;
        for h in 0..heads {
            let terms = |j: usize| {
                (0..head).map(move |c| at(i, h * head + c) * at(j, p.keys as usize + h * head + c) * f64::from(p.scale))
            };
            let scores: Vec<f64> = seen.clone().map(|j| terms(j).sum()).collect();
            let sizes: Vec<f64> = seen.clone().map(|j| terms(j).map(f64::abs).sum()).collect();
            let greatest = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            let lowest = scores.iter().copied().fold(f64::INFINITY, f64::min);
            let size = sizes.iter().copied().fold(0.0, f64::max);
            let score_off = U * ((head + 4) as f64 * size + 2.0 * (greatest - lowest).min(90.0));
            let total: f64 = scores.iter().map(|s| libm::exp(s - greatest)).sum();
            for c in 0..head {
                let value = |j: usize| at(j, p.values as usize + h * head + c);
                let weighted = || seen.clone().zip(&scores).map(|(j, s)| libm::exp(s - greatest) / total * value(j));
                truth.push(weighted().sum());
                let size: f64 = weighted().map(f64::abs).sum();
                let roundings = U * (seen.len() + seen.len().div_ceil(8) + 12) as f64;
                tolerance.push(size * (2.0 * score_off + roundings) + 1e-36);
            }
        }
    }
    (truth, tolerance)
}

pub async fn attention(walk: &mut Walk) {
    for (i, (lengths, heads, head)) in CASES.iter().enumerate() {
        for kind in [Kind::Plain, Kind::Equal, Kind::Zeros, Kind::Tiny, Kind::Outliers] {
            let starts = starts(lengths);
            let p = params(starts.len(), *heads, *head);
            let mut source = Source::new(i as u64 * 8 + kind as u64);
            let mut qkv = source.values(starts.len() * p.stride as usize, kind);
            // Scores of a few thousand, and yet not so large that their own rounding leaves nothing to compare.
            qkv.iter_mut().for_each(|x| *x = x.clamp(-30.0, 30.0));
            let (truth, tolerance) = oracle(&p, &qkv, &starts);
            walk.compare(
                &format!("{lengths:?} {heads}×{head} {kind:?}"),
                &attend(p, &qkv, &starts).await,
                &truth,
                &tolerance,
            );
        }
    }
}

both! {
async fn packed_sequences_give_the_bits_of_each_alone() {
    for (lengths, heads, head) in CASES {
        let starts = starts(lengths);
        let p = params(starts.len(), *heads, *head);
        let (stride, width) = (p.stride as usize, heads * head);
        let qkv = Source::new(77).values(starts.len() * stride, Kind::Plain);
        let together = attend(p, &qkv, &starts).await;
        let mut first = 0;
        for len in *lengths {
            let alone = attend(params(*len, *heads, *head), &qkv[first * stride..][..len * stride], &vec![0; *len]).await;
            assert_eq!(alone, together[first * width..][..len * width], "{len} of {lengths:?}");
            first += len;
        }
    }
}
}

both! {
async fn a_row_never_sees_what_comes_after_it() {
    let p = params(21, 2, 8);
    let (stride, width) = (p.stride as usize, 16);
    let mut qkv = Source::new(78).values(21 * stride, Kind::Plain);
    let before = attend(p, &qkv, &[0; 21]).await;
    for row in (1..21).rev() {
        qkv[row * stride..][..stride].fill(f32::INFINITY);
        let after = attend(p, &qkv, &[0; 21]).await;
        assert_eq!(after[..row * width], before[..row * width], "rows before {row}");
        assert!(after[row * width..].iter().all(|x| x.is_nan()), "rows from {row} on");
    }
}
}

both! {
async fn windows_may_overlap_and_a_start_beyond_the_row_gives_zeros() {
    let p = params(6, 1, 4);
    let qkv = Source::new(79).values(6 * p.stride as usize, Kind::Plain);
    let starts = [0, 0, 1, 9, 9, 3];
    let got = attend(p, &qkv, &starts).await;
    assert_eq!(got[12..20], [0.0; 8]);
    let (truth, tolerance) = oracle(&params(3, 1, 4), &qkv, &starts);
    let mut walk = Walk::new("attention");
    walk.compare("first rows", &got[..12], &truth, &tolerance);
    walk.passed();
    // Row 5 alone, with the three rows that it sees.
    let last = attend(params(3, 1, 4), &qkv[3 * p.stride as usize..], &[0; 3]).await;
    assert_eq!(got[20..], last[8..]);
}
}
