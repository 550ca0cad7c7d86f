//! The spectrum of a symmetric matrix, and how evenly it is spread: the entropy of its normalised eigenvalues, whose
//! exponential is the effective rank (Roy & Vetterli 2007).

/// Mean and sum of products of rows, mergeable and in f64 (Chan et al. 1979), so that a large mean takes no digits from the
/// spread.
#[derive(Debug, Clone, PartialEq)]
pub struct Scatter {
    /// Rows.
    pub count: f64,
    /// (width)
    pub mean: Vec<f64>,
    /// Σ (x − mean)(x − mean)ᵀ (width, width)
    pub products: Vec<f64>,
}

impl Scatter {
    /// Of no rows.
    pub fn none(width: usize) -> Scatter {
        Scatter { count: 0.0, mean: vec![0.0; width], products: vec![0.0; width * width] }
    }

    /// Takes in the rows that another has seen.
    pub fn merge(&mut self, other: &Scatter) {
        let whole = self.count + other.count;
        if other.count == 0.0 {
            return;
        }
        let (width, weight) = (self.mean.len(), self.count * other.count / whole);
        let apart: Vec<f64> = other.mean.iter().zip(&self.mean).map(|(theirs, own)| theirs - own).collect();
        let lines = self.products.chunks_exact_mut(width).zip(other.products.chunks_exact(width));
        for ((own, theirs), &of_line) in lines.zip(&apart) {
            for ((own, theirs), &of_column) in own.iter_mut().zip(theirs).zip(&apart) {
                *own += theirs + weight * of_line * of_column;
            }
        }
        for (own, apart) in self.mean.iter_mut().zip(&apart) {
            *own += apart * other.count / whole;
        }
        self.count = whole;
    }

    /// Entropy of the spectrum of the covariance, in nats.
    pub fn entropy(&self) -> f64 {
        entropy(&eigenvalues(self.products.clone(), self.mean.len()))
    }
}

/// −Σ p ln p of eigenvalues over their sum; those that rounding made negative count as 0. 0 where all are.
pub fn entropy(eigenvalues: &[f64]) -> f64 {
    let whole: f64 = eigenvalues.iter().map(|value| value.max(0.0)).sum();
    let parts = eigenvalues.iter().map(|value| value.max(0.0) / whole).filter(|part| *part > 0.0);
    let sum: f64 = parts.map(|part| -part * libm::log(part)).sum();
    sum.max(0.0)
}

/// Eigenvalues of a symmetric matrix (width, width), descending: Householder's reduction to three diagonals, then implicit QL
/// (Golub & Van Loan, sections 8.3.1 and 8.3.3), the same bits everywhere. All NaN where an entry is not finite.
pub fn eigenvalues(mut a: Vec<f64>, width: usize) -> Vec<f64> {
    if a.iter().any(|entry| !entry.is_finite()) {
        return vec![f64::NAN; width];
    }
    let (mut diagonal, mut beside) = tridiagonal(&mut a, width);
    implicit_ql(&mut diagonal, &mut beside);
    diagonal.sort_unstable_by(|a, b| b.total_cmp(a));
    diagonal
}

/// Sums kept side by side, so that they can be added at once; their order is fixed.
const LANES: usize = 4;

fn dot(x: &[f64], y: &[f64]) -> f64 {
    let mut sums = [0.0; LANES];
    let (xs, ys) = (x.chunks_exact(LANES), y.chunks_exact(LANES));
    let rest: f64 = xs.remainder().iter().zip(ys.remainder()).map(|(x, y)| x * y).sum();
    for (x, y) in xs.zip(ys) {
        for lane in 0..LANES {
            sums[lane] += x[lane] * y[lane];
        }
    }
    (sums[0] + sums[1]) + (sums[2] + sums[3]) + rest
}

/// The diagonal and what stands beside it (one less), with the same eigenvalues.
fn tridiagonal(a: &mut [f64], width: usize) -> (Vec<f64>, Vec<f64>) {
    let mut beside = vec![0.0; width.saturating_sub(1)];
    let mut diagonal = Vec::with_capacity(width);
    for step in 0..width {
        diagonal.push(a[step * width + step]);
        if step + 1 == width {
            break;
        }
        let from = step + 1;
        // Scaled, so that squares neither vanish nor overflow.
        let line = a[step * width + from..(step + 1) * width].to_vec();
        let scale = line.iter().fold(0.0f64, |most, x| most.max(x.abs()));
        if scale == 0.0 || from + 1 == width {
            beside[step] = line[0];
            continue;
        }
        let mut v: Vec<f64> = line.iter().map(|x| x / scale).collect();
        let length = libm::sqrt(dot(&v, &v));
        let turned = if v[0] > 0.0 { -length } else { length };
        v[0] -= turned;
        beside[step] = turned * scale;
        let beta = 2.0 / dot(&v, &v);
        // w = β·A·v − (β/2)(β·vᵀA·v)·v; then A −= v·wᵀ + w·vᵀ.
        let mut w: Vec<f64> =
            (from..width).map(|line| beta * dot(&a[line * width + from..(line + 1) * width], &v)).collect();
        let shift = 0.5 * beta * dot(&w, &v);
        w.iter_mut().zip(&v).for_each(|(w, v)| *w -= shift * v);
        for (place, line) in (from..width).enumerate() {
            let (of_v, of_w) = (v[place], w[place]);
            for ((entry, v), w) in a[line * width + from..(line + 1) * width].iter_mut().zip(&v).zip(&w) {
                *entry -= of_v * w + of_w * v;
            }
        }
    }
    (diagonal, beside)
}

/// Two or three rounds find an eigenvalue; so many are never needed.
const MOST_ROUNDS: usize = 64;

fn implicit_ql(diagonal: &mut [f64], beside: &mut Vec<f64>) {
    let width = diagonal.len();
    beside.push(0.0);
    for first in 0..width {
        for _ in 0..MOST_ROUNDS {
            // The first place from here on where the matrix falls into two.
            let apart = |at: &usize| {
                let around = diagonal[*at].abs() + diagonal[*at + 1].abs();
                beside[*at].abs() <= f64::EPSILON * around
            };
            let last = (first..width - 1).find(apart).unwrap_or(width - 1);
            if last == first {
                break;
            }
            let mut shift = (diagonal[first + 1] - diagonal[first]) / (2.0 * beside[first]);
            let mut length = libm::hypot(shift, 1.0);
            let signed = if shift >= 0.0 { length } else { -length };
            shift = diagonal[last] - diagonal[first] + beside[first] / (shift + signed);
            let (mut sine, mut cosine, mut gone) = (1.0, 1.0, 0.0);
            let mut split = None;
            for at in (first..last).rev() {
                let (across, along) = (sine * beside[at], cosine * beside[at]);
                length = libm::hypot(across, shift);
                beside[at + 1] = length;
                if length == 0.0 {
                    split = Some(at);
                    break;
                }
                (sine, cosine) = (across / length, shift / length);
                shift = diagonal[at + 1] - gone;
                length = (diagonal[at] - shift) * sine + 2.0 * cosine * along;
                gone = sine * length;
                diagonal[at + 1] = shift + gone;
                shift = cosine * length - along;
            }
            match split {
                Some(at) => {
                    diagonal[at + 1] -= gone;
                    beside[last] = 0.0;
                }
                None => {
                    diagonal[first] -= gone;
                    beside[first] = shift;
                    beside[last] = 0.0;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::rng::Rng;
    use super::*;
    use proptest::prelude::*;

    fn scatter(rows: &[Vec<f64>]) -> Scatter {
        let width = rows[0].len();
        let mut whole = Scatter::none(width);
        for row in rows {
            whole.merge(&Scatter { count: 1.0, mean: row.clone(), products: vec![0.0; width * width] });
        }
        whole
    }

    #[test]
    fn small_matrices_are_known() {
        assert!(eigenvalues(Vec::new(), 0).is_empty());
        assert_eq!(eigenvalues(vec![3.0], 1), [3.0]);
        let two = eigenvalues(vec![2.0, 1.0, 1.0, 2.0], 2);
        assert!((two[0] - 3.0).abs() < 1e-15 && (two[1] - 1.0).abs() < 1e-15);
        assert_eq!(eigenvalues(vec![1.0, 0.0, 0.0, 0.0, 5.0, 0.0, 0.0, 0.0, -2.0], 3), [5.0, 1.0, -2.0]);
        assert!(eigenvalues(vec![1.0, f64::NAN, f64::NAN, 1.0], 2)[0].is_nan());
    }

    #[test]
    fn an_even_spectrum_has_the_logarithm_of_its_width_and_one_direction_none() {
        assert!((entropy(&[2.0; 8]) - libm::log(8.0)).abs() < 1e-15);
        assert_eq!(entropy(&[7.0, 0.0, -1e-18]), 0.0);
        assert_eq!(entropy(&[0.0; 3]), 0.0);
    }

    proptest! {
        /// The trace and the sum of squares are those of the matrix, a known spectrum comes back, and scaling scales.
        #[test]
        fn a_turned_diagonal_gives_its_entries_back(
            spectrum in prop::collection::vec(-5f64..5.0, 1..24), seed in any::<u64>(), scale in -20i32..20,
        ) {
            let (width, mut rng) = (spectrum.len(), Rng::new(seed));
            let scale = libm::pow(10.0, f64::from(scale));
            let mut a = vec![0.0; width * width];
            spectrum.iter().enumerate().for_each(|(at, value)| a[at * width + at] = value * scale);
            // Reflections turn it; the spectrum stays.
            for _ in 0..3 {
                let v: Vec<f64> = (0..width).map(|_| rng.normal()).collect();
                let square: f64 = v.iter().map(|x| x * x).sum();
                let h = |i: usize, j: usize| f64::from(i == j) - 2.0 * v[i] * v[j] / square;
                let product = |x: &dyn Fn(usize, usize) -> f64, y: &dyn Fn(usize, usize) -> f64| {
                    let entry = |at: usize| (0..width).map(|k| x(at / width, k) * y(k, at % width)).sum::<f64>();
                    (0..width * width).map(entry).collect::<Vec<f64>>()
                };
                let once = product(&h, &|i, j| a[i * width + j]);
                a = product(&|i, j| once[i * width + j], &h);
            }
            let mut expected = spectrum.clone();
            expected.sort_by(|a, b| b.total_cmp(a));
            for (found, expected) in eigenvalues(a, width).iter().zip(&expected) {
                prop_assert!((found / scale - expected).abs() < 1e-12 * 5.0 * width as f64, "{} {}", found, expected);
            }
        }

        /// Merging in any cut gives the scatter of all rows, also around a mean that is far away.
        #[test]
        fn a_scatter_is_that_of_all_rows(cut in 1usize..9, far in 0f64..1e6, seed in any::<u64>()) {
            let mut rng = Rng::new(seed);
            let rows: Vec<Vec<f64>> = (0..10).map(|_| (0..3).map(|_| far + rng.normal()).collect()).collect();
            let (mut first, second) = (scatter(&rows[..cut]), scatter(&rows[cut..]));
            first.merge(&second);
            first.merge(&Scatter::none(3));
            let mean: Vec<f64> = (0..3).map(|c| rows.iter().map(|row| row[c]).sum::<f64>() / 10.0).collect();
            for (at, found) in first.products.iter().enumerate() {
                let of = |row: &Vec<f64>| (row[at / 3] - mean[at / 3]) * (row[at % 3] - mean[at % 3]);
                prop_assert!((found - rows.iter().map(of).sum::<f64>()).abs() < 1e-7);
            }
            prop_assert!(first.entropy() <= libm::log(3.0) + 1e-12);
        }
    }
}
