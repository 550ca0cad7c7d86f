//! Central moments per block of values, for the host to merge in f64.

use super::Given;
use crate::backend::lanes::{self, LANES, Lanes, splat};
use crate::backend::table::{BLOCK, MOMENT_WORDS, Moments};

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
