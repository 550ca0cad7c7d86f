//! The states of one text at one layer: their place and spread, and how like they are to those of the same tokens under
//! other weights.

use crate::math::{
    cka,
    rng::Rng,
    spectrum::Scatter,
    transport::{self, Apart},
};

/// Figures of [`figures`], in its order.
pub const FIGURES: usize = 8;

/// Rows: tokens that were compared.
pub const ROWS: usize = 0;
/// Sum over rows of the cosine between the two states of a token.
pub const COSINES: usize = 1;
/// HSIC₁ of both, times rows.
pub const HSIC_BOTH: usize = 2;
/// HSIC₁ of the first with itself, times rows.
pub const HSIC_FIRST: usize = 3;
/// HSIC₁ of the second with itself, times rows.
pub const HSIC_SECOND: usize = 4;
/// Mean over directions of W₂², times rows.
pub const SLICED: usize = 5;
/// Mean over channels of W₁, times rows.
pub const CHANNELS: usize = 6;
/// Variance of a channel of the first, mean over channels, times rows.
pub const VARIANCE: usize = 7;

/// States (rows, width) in f64, as they are and around their mean.
pub struct States {
    width: usize,
    raw: Vec<f64>,
    mean: Vec<f64>,
    centred: Vec<f64>,
}

impl States {
    /// From rows of a stream.
    pub fn new(rows: &[f32], width: usize) -> States {
        let raw: Vec<f64> = rows.iter().map(|&value| f64::from(value)).collect();
        let mean = crate::arch::passes::mean_row(rows.chunks_exact(width), width);
        let centre = |row: &[f64]| row.iter().zip(&mean).map(|(x, mean)| x - mean).collect::<Vec<f64>>();
        let centred = raw.chunks_exact(width).flat_map(centre).collect();
        States { width, raw, mean, centred }
    }

    fn rows(&self) -> usize {
        self.raw.len() / self.width
    }

    /// Place and spread, in a subspace (narrow, width) where one is given.
    pub fn scatter(&self, subspace: Option<&[f64]>) -> Scatter {
        let Some(subspace) = subspace else {
            let products = cka::products(&self.centred, &self.centred, self.width);
            return Scatter { count: self.rows() as f64, mean: self.mean.clone(), products };
        };
        let project = |rows: &[f64]| {
            let along = |row: &[f64], axis: &[f64]| row.iter().zip(axis).map(|(x, axis)| x * axis).sum::<f64>();
            let row = |row: &[f64]| subspace.chunks_exact(self.width).map(|axis| along(row, axis)).collect::<Vec<_>>();
            rows.chunks_exact(self.width).flat_map(row).collect::<Vec<f64>>()
        };
        let narrow = project(&self.centred);
        let products = cka::products(&narrow, &narrow, subspace.len() / self.width);
        Scatter { count: self.rows() as f64, mean: project(&self.mean), products }
    }
}

/// How like the second is to the first, row by row; sums that add up over texts.
pub fn figures(first: &States, second: &States, directions: &[f64]) -> [f64; FIGURES] {
    let (width, rows) = (first.width, first.rows() as f64);
    let cosines: f64 =
        first.raw.chunks_exact(width).zip(second.raw.chunks_exact(width)).map(|(a, b)| cosine(a, b)).sum();
    let hsic = cka::hsic(&first.centred, &second.centred, width);
    let Apart { sliced, channels } = transport::apart(&first.raw, &second.raw, width, directions);
    let squares: f64 = first.centred.iter().map(|x| x * x).sum();
    let mut out = [0.0; FIGURES];
    (out[ROWS], out[COSINES]) = (rows, cosines);
    (out[HSIC_BOTH], out[HSIC_FIRST], out[HSIC_SECOND]) = (rows * hsic.both, rows * hsic.of_x, rows * hsic.of_y);
    (out[SLICED], out[CHANNELS], out[VARIANCE]) = (rows * sliced, rows * channels, squares / width as f64);
    out
}

/// 0 where one of them has no length.
pub fn cosine(a: &[f64], b: &[f64]) -> f64 {
    let (mut both, mut of_a, mut of_b) = (0.0, 0.0, 0.0);
    for (a, b) in a.iter().zip(b) {
        both += a * b;
        of_a += a * a;
        of_b += b * b;
    }
    if of_a > 0.0 && of_b > 0.0 { both / (libm::sqrt(of_a) * libm::sqrt(of_b)) } else { 0.0 }
}

/// Axes of a random subspace (narrow, width), each of length 1 and square to the others.
pub fn subspace(width: usize, narrow: usize, seed: u64) -> Vec<f64> {
    let mut axes: Vec<Vec<f64>> = Vec::with_capacity(narrow);
    // Another stream of the seed than those of the directions.
    let mut rng = Rng::stream(seed, u64::MAX);
    while axes.len() < narrow {
        let mut axis: Vec<f64> = (0..width).map(|_| rng.normal()).collect();
        // Twice is enough for as many digits as there are.
        for _ in 0..2 {
            for known in &axes {
                let along: f64 = axis.iter().zip(known).map(|(x, known)| x * known).sum();
                axis.iter_mut().zip(known).for_each(|(x, known)| *x -= along * known);
            }
        }
        let length = libm::sqrt(axis.iter().map(|x| x * x).sum());
        axes.push(axis.into_iter().map(|x| x / length).collect());
    }
    axes.concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows() -> Vec<f32> {
        (0..60).map(|at| ((at * at * 7 + at * 3) % 23) as f32 - 9.0).collect()
    }

    #[test]
    fn states_are_wholly_like_themselves() {
        let states = States::new(&rows(), 6);
        let found = figures(&states, &states, &transport::directions(3, 6, 1));
        assert_eq!((found[ROWS], found[SLICED], found[CHANNELS]), (10.0, 0.0, 0.0));
        assert!((found[COSINES] - 10.0).abs() < 1e-12 && found[VARIANCE] > 0.0);
        assert_eq!((found[HSIC_BOTH], found[HSIC_BOTH]), (found[HSIC_FIRST], found[HSIC_SECOND]));
    }

    #[test]
    fn axes_are_square_to_each_other_and_a_whole_space_keeps_the_spectrum() {
        let axes = subspace(6, 6, 1);
        for (i, a) in axes.chunks_exact(6).enumerate() {
            for (j, b) in axes.chunks_exact(6).enumerate() {
                let along: f64 = a.iter().zip(b).map(|(a, b)| a * b).sum();
                assert!((along - f64::from(i == j)).abs() < 1e-14);
            }
        }
        let states = States::new(&rows(), 6);
        let (turned, plain) = (states.scatter(Some(&axes)).entropy(), states.scatter(None).entropy());
        assert!((turned - plain).abs() < 1e-12, "{turned} against {plain}");
    }
}
