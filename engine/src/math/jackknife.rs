//! The interval of a figure that is dear to compute: from leaving out one part of the data at a time (the delete-a-group
//! jackknife, Kott 2001).

use super::statistics::Interval;

/// Student's t at 0.975 for 1 to 4 degrees of freedom.
const T: [f64; 4] = [12.706204736174705, 4.302652729749464, 3.182446305283708, 2.7764451051977934];

/// 95%, from the figure over all parts and over all but each. A point for fewer than two parts, and where the figure is not a
/// number.
///
/// # Panics
/// For more than five parts.
pub fn interval(value: f64, left_out: &[f64]) -> Interval {
    if left_out.len() < 2 || !value.is_finite() {
        return Interval::point(value);
    }
    let parts = left_out.len() as f64;
    let mean = left_out.iter().sum::<f64>() / parts;
    let squares: f64 = left_out.iter().map(|figure| (figure - mean) * (figure - mean)).sum();
    let half = T[left_out.len() - 2] * libm::sqrt((parts - 1.0) / parts * squares);
    if half.is_finite() { Interval { value, low: value - half, high: value + half } } else { Interval::point(value) }
}

/// The interval of a figure that comes as its value over all parts, then over all but each.
pub fn of(figures: &[f64]) -> Interval {
    figures.split_first().map_or(Interval::point(f64::NAN), |(value, left_out)| interval(*value, left_out))
}

/// The mean of such figures, place by place; empty for none.
pub fn mean<'a>(figures: impl ExactSizeIterator<Item = &'a Vec<f64>>) -> Vec<f64> {
    let (count, mut sums) = (figures.len() as f64, Vec::new());
    for figures in figures {
        sums.resize(figures.len(), 0.0);
        sums.iter_mut().zip(figures).for_each(|(sum, figure)| *sum += figure);
    }
    sums.iter().map(|sum| sum / count).collect()
}

/// The first less the second, place by place.
pub fn less(first: &[f64], second: &[f64]) -> Vec<f64> {
    first.iter().zip(second).map(|(first, second)| first - second).collect()
}

#[cfg(test)]
mod tests {
    use super::super::rng::Rng;
    use super::*;

    /// For a mean of equal parts it is Student's interval, which holds the truth 95 times in 100.
    #[test]
    fn ninety_five_in_a_hundred_hold_a_mean() {
        let mut rng = Rng::new(2);
        for parts in 2..=5usize {
            let held = (0..1000)
                .filter(|_| {
                    let figures: Vec<f64> = (0..parts).map(|_| rng.normal()).collect();
                    let sum: f64 = figures.iter().sum();
                    let left_out: Vec<f64> = figures.iter().map(|own| (sum - own) / (parts as f64 - 1.0)).collect();
                    let Interval { low, high, .. } = interval(sum / parts as f64, &left_out);
                    low <= 0.0 && 0.0 <= high
                })
                .count();
            assert!((925..=975).contains(&held), "{held} of 1000 with {parts} parts");
        }
        assert_eq!(interval(3.0, &[1.0]), Interval::point(3.0));
    }
}
