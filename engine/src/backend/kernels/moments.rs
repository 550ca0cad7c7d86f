//! Central moments per block of values, for the host to merge in f64.

use super::Given;
use crate::backend::declare::*;
use crate::backend::lanes::{self, LANES, Lanes, splat};
use crate::backend::proof::*;
use crate::backend::shaders::Shader;

/// Values that share one block of [`Moments`] and of [`MseGrid`](super::MseGrid).
pub const BLOCK: u32 = Shader::of("moments").constant("BLOCK");
/// Words that [`Moments`] writes per block: n, mean, Σ(x−mean)², ³, ⁴, max |x|, count beyond limit 1, count beyond limit 2.
pub const MOMENT_WORDS: u32 = 8;

kernel! {
    /// Central moments per block of [`BLOCK`] values, merged on the host in f64.
    Moments = moments(f32_in("x"), f32_out("out")) {
        /// Values in `x`.
        len: u32,
        /// First limit on |x − centre| that is counted.
        limit_1: f32,
        /// Second limit.
        limit_2: f32,
        /// Centre of the two limits.
        centre: f32,
    } needs |p, room| [area([p.len]), area([p.len.div_ceil(BLOCK), MOMENT_WORDS])]
      runs [main 64] grid([p.len.div_ceil(BLOCK), 1, 1]);
    checked vec![Check::of(Moments { len: 5000, limit_1: 0.5, limit_2: 0.9, centre: 0.1 }, [Values, Zeros])];
}

/// Runs the kernel.
pub fn run(p: &Moments, given: &mut Given<'_>) {
    let [x, out] = given.bound();
    let blocks = x.floats()[..p.len as usize].chunks(BLOCK as usize);
    for (x, out) in blocks.zip(out.floats_mut().chunks_exact_mut(MOMENT_WORDS as usize)) {
        let n = x.len() as f32;
        let mean = lanes::total(x) / n;
        let [second, third, fourth] = powers_about(mean, x);
        let [beyond_1, beyond_2] = beyond(p, x);
        out.copy_from_slice(&[n, mean, second, third, fourth, largest(x), beyond_1, beyond_2]);
    }
}

/// Σd², Σd³, Σd⁴ of d = x − mean.
fn powers_about(mean: f32, x: &[f32]) -> [f32; 3] {
    let mut sums: [Lanes; 3] = [splat(0.0); 3];
    lanes::each(x, mean, |x| {
        let d = x - splat(mean);
        let square = d * d;
        sums[0] += square;
        sums[1] += square * d;
        sums[2] += square * square;
    });
    sums.map(lanes::sum)
}

/// max |x|
fn largest(x: &[f32]) -> f32 {
    let mut most = splat(0.0);
    lanes::each(x, 0.0, |x| most = lanes::max(most, x.abs()));
    lanes::greatest(most)
}

/// How many lie farther from the centre than each limit.
fn beyond(p: &Moments, x: &[f32]) -> [f32; 2] {
    let mut counts = [[0u32; LANES]; 2];
    let (whole, tail) = x.as_chunks::<LANES>();
    let mut count = |lane: usize, x: f32| {
        let distance = (x - p.centre).abs();
        counts[0][lane] += u32::from(distance > p.limit_1);
        counts[1][lane] += u32::from(distance > p.limit_2);
    };
    for chunk in whole {
        for (lane, &x) in chunk.iter().enumerate() {
            count(lane, x);
        }
    }
    for (lane, &x) in tail.iter().enumerate() {
        count(lane, x);
    }
    counts.map(|lanes| lanes.iter().sum::<u32>() as f32)
}

/// Powers about the mean in f64.
pub(super) const PROOF: Proof = Proof {
    allowed: allow(1.0),
    breaks: &[
        (WORKGROUP, "counted.x / n", "counted.x / (n + 1.0)"),
        (WORKGROUP, "distance > p.limit_2", "distance >= p.limit_1"),
    ],
    cases: || {
        Box::new(each(LENGTHS, moderate()).map(|(_, len, kind)| {
            let (limit_1, limit_2, centre) = (0.5, 0.9, 0.125);
            let x = Source::new(len as u64 + kind as u64).values(len, kind);
            let blocks = len.div_ceil(BLOCK as usize);
            let p = Moments { len: len as u32, limit_1, limit_2, centre };
            let args = [Arg::F(&x), Arg::Out(blocks * MOMENT_WORDS as usize)];
            let case = Case::new(format!("{len} {kind:?}"), p, &args);
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
            case.near((truth, tolerance))
        }))
    },
};
