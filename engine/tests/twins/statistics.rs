//! Kernels that look at weights: moments, histogram, quantization and its error.

use crate::harness::{Arg, KINDS, Kind, Source, U, Walk, run, run_f32};
use engine::backend::table::{BLOCK, Histogram, MOMENT_WORDS, Moments, MseGrid, Quantize};

const LENGTHS: [usize; 9] = [1, 3, 8, 17, 257, 4095, 4096, 4097, 12_301];

fn wide(x: f32) -> f64 {
    f64::from(x)
}

/// The kinds whose fourth powers an f32 can hold.
fn moderate() -> impl Iterator<Item = Kind> {
    KINDS.into_iter().filter(|kind| *kind != Kind::Huge)
}

pub async fn moments(walk: &mut Walk) {
    let (limit_1, limit_2, centre) = (0.5, 0.9, 0.125);
    for len in LENGTHS {
        for kind in moderate() {
            let x = Source::new(len as u64 + kind as u64).values(len, kind);
            let blocks = len.div_ceil(BLOCK as usize);
            let p = Moments { len: len as u32, limit_1, limit_2, centre };
            let got = run_f32(p, &[Arg::F(&x), Arg::Out(blocks * MOMENT_WORDS as usize)]).await;
            let (mut truth, mut tolerance) = (Vec::new(), Vec::new());
            for x in x.chunks(BLOCK as usize) {
                let n = x.len() as f64;
                let roundings = U * (x.len().div_ceil(8) + 10) as f64;
                let mean = x.iter().map(|x| wide(*x)).sum::<f64>() / n;
                let about =
                    |power: i32| x.iter().map(|x| (0..power).fold(1.0, |p, _| p * (wide(*x) - mean))).sum::<f64>();
                let size = |power: i32| {
                    x.iter().map(|x| (0..power).fold(1.0, |p, _| p * (wide(*x) - mean).abs())).sum::<f64>()
                };
                let most = x.iter().fold(0.0, |most: f64, x| most.max(wide(x.abs())));
                let mean_off = roundings * x.iter().map(|x| wide(x.abs())).sum::<f64>() / n + U * most;
                let beyond = |limit: f32| x.iter().filter(|x| (*x - centre).abs() > limit).count() as f64;
                truth.extend([n, mean, about(2), about(3), about(4), most, beyond(limit_1), beyond(limit_2)]);
                let lost = n * 1e-44;
                let power = |p: i32| {
                    roundings * size(p) + wide(p as f32) * mean_off * size(p - 1) + n * mean_off * mean_off + lost
                };
                tolerance.extend([0.0, mean_off + lost, power(2), power(3), power(4), 0.0, 0.0, 0.0]);
            }
            walk.compare(&format!("{len} {kind:?}"), &got, &truth, &tolerance);
        }
    }
}

pub async fn histogram(walk: &mut Walk) {
    for len in LENGTHS {
        for (bins, low, per_unit) in [(1, -1.0, 1.0), (7, -0.9, 4.0), (256, -1.0, 128.0)] {
            let mut x = Source::new(len as u64).values(len, Kind::Plain);
            x[0] = f32::INFINITY;
            x[len / 2] = f32::NEG_INFINITY;
            x[len - 1] = low + 1.0 / per_unit;
            let p = Histogram { len: len as u32, bins: bins as u32, low, per_unit };
            let before = vec![3; bins];
            let got = run(p, &[Arg::F(&x), Arg::W(&before)]).await;
            let mut truth = before;
            for x in &x {
                let cell = ((x - low) * per_unit).floor().clamp(0.0, (bins - 1) as f32);
                truth[cell as usize] += 1;
            }
            walk.same_words(&format!("{len} values in {bins} cells"), &got, &truth);
        }
    }
}

pub async fn quantize(walk: &mut Walk) {
    for (i, [k, n]) in
        [[1, 1], [3, 5], [8, 8], [17, 9], [257, 3], [64, 33], [1, 257], [130, 16]].into_iter().enumerate()
    {
        for (group, channels) in [(k, 1), (k, n), (32, n), (5, n), (7, 1)] {
            for (transposed, levels) in [(0, 1), (1, 3), (0, 7), (1, 127)] {
                let mut source = Source::new((i * 97 + group) as u64);
                let x = source.values(k * n, Kind::Plain);
                let mut alphas: Vec<f32> =
                    (0..k.div_ceil(group) * channels).map(|_| 0.1 + source.unit().abs()).collect();
                if i == 3 {
                    alphas[0] = 0.0;
                }
                let p = Quantize {
                    k: k as u32,
                    n: n as u32,
                    transposed,
                    group: group as u32,
                    channels: channels as u32,
                    levels,
                };
                let got = run_f32(p, &[Arg::F(&x), Arg::F(&alphas), Arg::Out(k * n)]).await;
                check_quantized(walk, p, &x, &alphas, &got);
            }
        }
    }
}

/// The definition in `math` bit for bit; and, in f64, that no value lies farther from its clipped origin than half a step.
fn check_quantized(walk: &mut Walk, p: Quantize, x: &[f32], alphas: &[f32], got: &[f32]) {
    let levels = p.levels as f32;
    let (mut stated, mut clipped, mut half_steps) = (Vec::new(), Vec::new(), Vec::new());
    for (i, x) in x.iter().enumerate() {
        let (row, column) = match p.transposed {
            0 => (i / p.n as usize, i % p.n as usize),
            _ => (i % p.k as usize, i / p.k as usize),
        };
        let own = if p.channels > 1 { column } else { 0 };
        let alpha = alphas[row / p.group as usize * p.channels as usize + own];
        let clip = x.clamp(-alpha, alpha);
        stated.push(engine::math::quantizer::value(*x, alpha, p.levels));
        clipped.push(wide(clip));
        half_steps.push(wide(alpha) / wide(levels) * (0.5 + 1e-5));
    }
    walk.same_bits("as defined", got, &stated);
    walk.compare("half a step", got, &clipped, &half_steps);
}

pub async fn mse_grid(walk: &mut Walk) {
    for len in LENGTHS {
        for kind in moderate() {
            let x = Source::new(len as u64 + kind as u64).values(len, kind);
            let alphas = [0.0, 0.01, 0.3, 0.7, 1.0, 1500.0];
            for levels in [1, 7, 127] {
                let p = MseGrid { len: len as u32, count: alphas.len() as u32, levels };
                let blocks = len.div_ceil(BLOCK as usize);
                let got = run_f32(p, &[Arg::F(&x), Arg::F(&alphas), Arg::Out(blocks * alphas.len() * 2)]).await;
                let (mut truth, mut tolerance) = (Vec::new(), Vec::new());
                for x in x.chunks(BLOCK as usize) {
                    for alpha in alphas {
                        let (alpha, levels) = (wide(alpha), f64::from(levels));
                        let roundings = U * (x.len().div_ceil(8) + 12) as f64;
                        let [mut outside, mut inside, mut inside_off] = [0.0; 3];
                        for x in x {
                            let clip = wide(*x).clamp(-alpha, alpha);
                            outside += (wide(*x) - clip) * (wide(*x) - clip);
                            let code = if alpha > 0.0 { (clip * levels / alpha).round_ties_even() } else { 0.0 };
                            let rest = (clip - alpha / levels * code).abs();
                            // Each rest is known to 4 roundings of α.
                            let off = 4.0 * U * alpha;
                            inside += rest * rest;
                            inside_off += 2.0 * rest * off + off * off;
                        }
                        truth.extend([outside, inside]);
                        let lost = x.len() as f64 * 1e-44;
                        tolerance.extend([roundings * outside + lost, roundings * inside + inside_off + lost]);
                    }
                }
                walk.compare(&format!("{len} {kind:?} {levels}"), &got, &truth, &tolerance);
            }
        }
    }
}
