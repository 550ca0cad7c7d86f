//! What belongs to places and distances: angles, sines, slopes and buckets. Made on the host with `libm`, so that every device
//! has the same.

use super::spec::{Bias, Rotary};
use crate::backend::Backend;

/// Tables of one pass, by what they are of.
pub struct PositionTables<B: Backend> {
    /// (longest, 2·pairs): cosines and sines of each place.
    pub turns: Vec<(Rotary, B::Buffer)>,
    /// (2·longest − 1, heads) by distance.
    pub biases: Vec<(Bias, B::Buffer)>,
    /// First rows that windows of a size let rows see.
    pub windows: Vec<(usize, B::Buffer)>,
}

impl<B: Backend> Default for PositionTables<B> {
    fn default() -> PositionTables<B> {
        PositionTables { turns: Vec::new(), biases: Vec::new(), windows: Vec::new() }
    }
}

/// The table of a kind, made where it is not there yet.
pub fn kept<K: Clone + PartialEq, T: Clone, E>(
    tables: &mut Vec<(K, T)>,
    key: &K,
    make: impl FnOnce() -> Result<T, E>,
) -> Result<T, E> {
    if let Some((_, table)) = tables.iter().find(|(known, _)| known == key) {
        return Ok(table.clone());
    }
    let table = make()?;
    tables.push((key.clone(), table.clone()));
    Ok(table)
}

/// (places, 2·pairs): cosines, then sines. The angle is rounded to f32 before, as models are trained with it.
pub fn turns(rotary: &Rotary, places: usize) -> Vec<f32> {
    let line = |place: usize| {
        let angles = rotary.frequencies.iter().map(move |frequency| f64::from(place as f32 * frequency));
        let cosines = angles.clone().map(|angle| libm::cos(angle) as f32);
        cosines.chain(angles.map(|angle| libm::sin(angle) as f32)).collect::<Vec<f32>>()
    };
    (0..places).flat_map(line).collect()
}

/// (places, width): sines, then cosines, of place/10000^(c/(half − 1)); a last odd channel is 0.
pub fn sines(places: usize, width: usize) -> Vec<f32> {
    let half = width / 2;
    let rate = libm::log(10_000.0) / (half.max(2) - 1) as f64;
    let frequencies: Vec<f64> = (0..half).map(|c| libm::exp(c as f64 * -rate)).collect();
    let line = |place: usize| {
        let angles = frequencies.iter().map(move |frequency| place as f64 * frequency);
        let sines = angles.clone().map(|angle| libm::sin(angle) as f32);
        let both = sines.chain(angles.map(|angle| libm::cos(angle) as f32));
        both.chain(std::iter::repeat_n(0.0, width % 2)).collect::<Vec<f32>>()
    };
    (0..places).flat_map(line).collect()
}

/// The slopes of ALiBi for so many heads (arXiv:2108.12409, section 3): powers of 2^(−8/n) for a power of two n; for other
/// numbers, those of the next lower power of two, then every other of the next higher.
pub fn slopes(heads: usize) -> Vec<f32> {
    let of_power = |n: usize| (1..=n).map(move |i| libm::pow(2.0, -8.0 * i as f64 / n as f64) as f32);
    let lower = if heads == 0 { 0 } else { 1 << heads.ilog2() };
    of_power(lower).chain(of_power(2 * lower).step_by(2)).take(heads).collect()
}

/// slope·(key − query) for every distance of a sequence: (2·longest − 1, heads), the middle line being distance 0.
pub fn slope_lines(slopes: &[f32], longest: usize) -> Vec<f32> {
    distances(longest).flat_map(|distance| slopes.iter().map(move |slope| slope * distance as f32)).collect()
}

/// Distances key − query of a sequence, from the farthest key before.
pub fn distances(longest: usize) -> impl Iterator<Item = i64> {
    let far = longest as i64 - 1;
    -far..=far
}

/// The bucket of a distance key − query (arXiv:1910.10683, as T5's code has it): near ones have their own, farther ones share
/// buckets that grow with the logarithm.
pub fn bucket(distance: i64, buckets: usize, farthest: usize, both_ways: bool) -> usize {
    let (buckets, first, distance) = match both_ways {
        true => (buckets / 2, if distance > 0 { buckets / 2 } else { 0 }, distance.unsigned_abs() as usize),
        false => (buckets, 0, (-distance).max(0) as usize),
    };
    let exact = buckets / 2;
    if distance < exact {
        return first + distance;
    }
    // In f32, as the model was trained: the step between two buckets lies where that rounds.
    let log = |x: f32| libm::logf(x);
    let share = log(distance as f32 / exact as f32) / log(farthest as f32 / exact as f32);
    let far = exact + (share * (buckets - exact) as f32) as usize;
    first + far.min(buckets - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slopes_are_those_of_the_paper() {
        assert_eq!(slopes(8), [0.5, 0.25, 0.125, 0.0625, 0.03125, 0.015625, 0.0078125, 0.00390625]);
        let twelve = slopes(12);
        assert_eq!(twelve[..8], slopes(8)[..]);
        assert_eq!(twelve[8..], [0, 2, 4, 6].map(|i| slopes(16)[i]));
    }

    #[test]
    fn near_distances_have_buckets_of_their_own_and_far_ones_share() {
        let of = |distance| bucket(distance, 32, 128, false);
        assert_eq!((0..16).map(|d| of(-d)).collect::<Vec<_>>(), (0..16).collect::<Vec<_>>());
        assert_eq!((of(5), of(-16), of(-127), of(-1000)), (0, 16, 31, 31));
        let both = |distance| bucket(distance, 32, 128, true);
        assert_eq!((both(0), both(-3), both(3), both(-1000), both(1000)), (0, 3, 19, 15, 31));
        assert!((-200..0).map(both).is_sorted_by(|a, b| a >= b));
    }
}
