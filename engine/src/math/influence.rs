//! What one pair does to a correlation: r with each pair left out.

use super::correlation::pearson;

/// r without each pair in turn; none where the rest has no r.
pub fn left_out(x: &[f64], y: &[f64]) -> Vec<Option<f64>> {
    let without = |values: &[f64], at: usize| [&values[..at], &values[at + 1..]].concat();
    (0..x.len()).map(|at| pearson(&without(x, at), &without(y, at))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_pair_can_make_an_r() {
        let (x, y) = ([1.0, 2.0, 3.0, 4.0, 50.0], [2.0, 1.0, 2.0, 1.0, 40.0]);
        let whole = pearson(&x, &y).unwrap();
        let without = left_out(&x, &y);
        assert!(whole > 0.99 && without[4].unwrap() < 0.0, "{whole} {without:?}");
        assert!(without[0].unwrap() > 0.99);
        assert_eq!(left_out(&[1.0, 2.0, 3.0], &[1.0, 2.0, 3.0]), [None; 3]);
    }
}
