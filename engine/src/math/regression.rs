//! Least squares by orthogonal columns (modified Gram–Schmidt): residuals, coefficients and partial correlation.

use super::{
    correlation::{Draws, LEAST_PAIRS, pearson},
    rng::Rng,
    statistics::{Interval, bca},
};

/// A column whose residual on those before it is smaller than this share of itself adds nothing of its own.
const DEPENDENT: f64 = 1e-10;
/// Stream of the seed that permutations are drawn from, as that of a plain correlation.
const PERMUTATIONS: u64 = 1;
/// Two orders of the same numbers may differ in the last bits of r; they count as equally far from 0.
const TIE: f64 = 1e-12;

/// A constant and some columns made orthonormal, each row counted `times`.
pub struct Basis<'a> {
    times: &'a [u32],
    /// Orthonormal; those that depended on others are left out.
    columns: Vec<Vec<f64>>,
    /// For each given column (the constant first): its place among the orthonormal ones, and its products with them.
    products: Vec<(Option<usize>, Vec<f64>)>,
}

impl<'a> Basis<'a> {
    /// Of a constant and these columns.
    pub fn new(given: &[&[f64]], times: &'a [u32]) -> Basis<'a> {
        let mut basis = Basis { times, columns: Vec::new(), products: Vec::new() };
        basis.add(&vec![1.0; times.len()]);
        given.iter().for_each(|column| basis.add(column));
        basis
    }

    fn add(&mut self, column: &[f64]) {
        let whole = libm::sqrt(self.inner(column, column));
        let (mut rest, mut products) = self.split(column);
        // Once more: what rounding left in is taken out.
        let (again, more) = self.split(&rest);
        products.iter_mut().zip(&more).for_each(|(product, more)| *product += more);
        rest = again;
        let norm = libm::sqrt(self.inner(&rest, &rest));
        let own = (norm > DEPENDENT * whole).then(|| {
            rest.iter_mut().for_each(|value| *value /= norm);
            products.push(norm);
            self.columns.push(rest);
            self.columns.len() - 1
        });
        self.products.push((own, products));
    }

    fn inner(&self, a: &[f64], b: &[f64]) -> f64 {
        a.iter().zip(b).zip(self.times).map(|((a, b), times)| f64::from(*times) * a * b).sum()
    }

    /// What no column of the basis explains, and the products with each.
    fn split(&self, y: &[f64]) -> (Vec<f64>, Vec<f64>) {
        let mut rest = y.to_vec();
        let products = self.columns.iter().map(|column| {
            let product = self.inner(column, &rest);
            rest.iter_mut().zip(column).for_each(|(value, own)| *value -= product * own);
            product
        });
        let products = products.collect();
        (rest, products)
    }

    /// y less its fit.
    pub fn residuals(&self, y: &[f64]) -> Vec<f64> {
        self.split(&self.split(y).0).0
    }

    /// Columns that count, the constant among them.
    pub fn rank(&self) -> usize {
        self.columns.len()
    }

    /// The constant, then the coefficient of each given column; 0 for one that depends on those before it.
    pub fn coefficients(&self, y: &[f64]) -> Vec<f64> {
        let mut left = self.split(y).1;
        let mut coefficients = vec![0.0; self.products.len()];
        for (at, (own, products)) in self.products.iter().enumerate().rev() {
            if let Some(own) = own {
                coefficients[at] = left[*own] / products[*own];
                for (left, product) in left.iter_mut().zip(products) {
                    *left -= coefficients[at] * product;
                }
            }
        }
        coefficients
    }
}

/// r of what is left of x and y once the given columns are fitted to both, each row counted `times`; NaN where nothing is left.
pub fn partial_correlation(x: &[f64], y: &[f64], given: &[&[f64]], times: &[u32]) -> f64 {
    let basis = Basis::new(given, times);
    let (x_left, y_left) = (basis.residuals(x), basis.residuals(y));
    let varies =
        |left: &[f64], whole: &[f64]| basis.inner(left, left) > DEPENDENT * DEPENDENT * basis.inner(whole, whole);
    if !varies(&x_left, x) || !varies(&y_left, y) {
        return f64::NAN;
    }
    let products = [(&x_left, &y_left), (&x_left, &x_left), (&y_left, &y_left)].map(|(a, b)| basis.inner(a, b));
    (products[0] / (libm::sqrt(products[1]) * libm::sqrt(products[2]))).clamp(-1.0, 1.0)
}

/// A partial correlation with its BCa interval over rows and a two-sided permutation p: what is left of y is shuffled against
/// what is left of x. None where there are too few rows, or nothing is left.
pub fn correlate_given(x: &[f64], y: &[f64], given: &[&[f64]], draws: &Draws) -> Option<(Interval, f64)> {
    let once = vec![1; x.len()];
    let basis = Basis::new(given, &once);
    if x.len() < LEAST_PAIRS + given.len() {
        return None;
    }
    let r = partial_correlation(x, y, given, &once);
    if !r.is_finite() {
        return None;
    }
    let interval = bca(x.len(), 1, draws.resamples, draws.level, draws.seed, |drawn, out| {
        out[0] = partial_correlation(x, y, given, drawn);
    })[0];
    let (x_left, y_left) = (basis.residuals(x), basis.residuals(y));
    let (mut rng, mut order, mut as_far) = (Rng::stream(draws.seed, PERMUTATIONS), (0..x.len()).collect::<Vec<_>>(), 0);
    for _ in 0..draws.permutations {
        rng.shuffle(&mut order);
        let shuffled: Vec<f64> = order.iter().map(|&at| y_left[at]).collect();
        as_far += usize::from(pearson(&x_left, &shuffled).is_some_and(|other| other.abs() >= r.abs() - TIE));
    }
    Some((Interval { value: r, ..interval }, (as_far + 1) as f64 / (draws.permutations + 1) as f64))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn rows() -> impl Strategy<Value = Vec<(f64, f64, f64)>> {
        prop::collection::vec((-5f64..5.0, -5f64..5.0, -5f64..5.0), 6..20)
    }

    proptest! {
        /// With one given column the closed form holds: (r_xy − r_xz r_yz)/√((1 − r_xz²)(1 − r_yz²)); with none it is r.
        #[test]
        fn partial_correlation_has_its_closed_form(rows in rows()) {
            let [x, y, z] = [0, 1, 2].map(|at| rows.iter().map(|row| [row.0, row.1, row.2][at]).collect::<Vec<f64>>());
            let once = vec![1; x.len()];
            let [xy, xz, yz] = [(&x, &y), (&x, &z), (&y, &z)].map(|(a, b)| pearson(a, b).unwrap());
            let known = (xy - xz * yz) / libm::sqrt((1.0 - xz * xz) * (1.0 - yz * yz));
            prop_assert!((partial_correlation(&x, &y, &[&z], &once) - known).abs() < 1e-9);
            prop_assert!((partial_correlation(&x, &y, &[], &once) - xy).abs() < 1e-12);
            // A column that depends on others takes nothing more away, and itself leaves nothing.
            let twice: Vec<f64> = z.iter().map(|z| 2.0 * z + 1.0).collect();
            prop_assert!((partial_correlation(&x, &y, &[&z, &twice], &once) - known).abs() < 1e-9);
            prop_assert!(partial_correlation(&x, &z, &[&twice], &once).is_nan());
        }

        /// What the coefficients do not explain is at right angles to every column, and rows counted twice are rows twice.
        #[test]
        fn residuals_are_at_right_angles(rows in rows(), twice in 0usize..6) {
            let [x, y, z] = [0, 1, 2].map(|at| rows.iter().map(|row| [row.0, row.1, row.2][at]).collect::<Vec<f64>>());
            let once = vec![1; x.len()];
            let basis = Basis::new(&[&x, &z], &once);
            let fit = basis.coefficients(&y);
            for (at, left) in basis.residuals(&y).iter().enumerate() {
                let own = y[at] - fit[0] - fit[1] * x[at] - fit[2] * z[at];
                prop_assert!((own - left).abs() < 1e-8, "{} {}", own, left);
            }
            let mut times = once.clone();
            times[twice] = 2;
            let copied = |of: &[f64]| [of, &of[twice..=twice]].concat();
            let counted = Basis::new(&[&x, &z], &times).coefficients(&y);
            let (longer_x, longer_z, more) = (copied(&x), copied(&z), vec![1; x.len() + 1]);
            let longer = Basis::new(&[&longer_x, &longer_z], &more).coefficients(&copied(&y));
            for (a, b) in counted.iter().zip(&longer) {
                prop_assert!((a - b).abs() < 1e-8);
            }
        }
    }

    #[test]
    fn too_few_rows_have_no_partial_correlation() {
        let draws = Draws { resamples: 100, permutations: 100, level: 0.95, seed: 1 };
        let (x, y, z) = ([1.0, 2.0, 4.0], [1.0, 3.0, 2.0], [0.0, 1.0, 5.0]);
        assert_eq!(correlate_given(&x, &y, &[&z], &draws), None);
        assert!(correlate_given(&x, &y, &[], &draws).is_some());
    }
}
