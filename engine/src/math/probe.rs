//! A linear probe: ridge regression on the classes' indicators, the largest wins. Solved in the space of examples, of which
//! there are few.

/// Examples as rows of features, and what each is.
#[derive(Debug, Clone, Copy)]
pub struct Examples<'a> {
    /// (examples, width)
    pub features: &'a [Vec<f64>],
    /// Class of each, from 0.
    pub classes: &'a [usize],
}

/// A trained probe.
#[derive(Debug, Clone, PartialEq)]
pub struct Probe {
    mean: Vec<f64>,
    /// A direction of the features for each class (classes, width).
    weights: Vec<Vec<f64>>,
    /// What a class gets where the features are the mean: its share.
    shares: Vec<f64>,
}

impl Probe {
    /// Trains on examples of so many classes. λ is `ridge` times the mean squared length of the centred features, so that it
    /// means the same for states of any scale. None for no examples, or where the features do not vary.
    pub fn train(examples: Examples<'_>, classes: usize, ridge: f64) -> Option<Probe> {
        let Examples { features, classes: of } = examples;
        let (count, width) = (features.len(), features.first()?.len());
        let mut mean = vec![0.0; width];
        for row in features {
            mean.iter_mut().zip(row).for_each(|(mean, x)| *mean += x / count as f64);
        }
        let centred: Vec<Vec<f64>> =
            features.iter().map(|row| row.iter().zip(&mean).map(|(x, mean)| x - mean).collect()).collect();
        let mut kernel: Vec<f64> = vec![0.0; count * count];
        for i in 0..count {
            for j in 0..=i {
                let product: f64 = centred[i].iter().zip(&centred[j]).map(|(a, b)| a * b).sum();
                (kernel[i * count + j], kernel[j * count + i]) = (product, product);
            }
        }
        let scale = (0..count).map(|i| kernel[i * count + i]).sum::<f64>() / count as f64;
        if scale.is_nan() || scale <= 0.0 {
            return None;
        }
        (0..count).for_each(|i| kernel[i * count + i] += ridge * scale);
        let root = cholesky(kernel, count)?;
        let shares: Vec<f64> =
            (0..classes).map(|class| of.iter().filter(|own| **own == class).count() as f64 / count as f64).collect();
        let weights = |class: usize| {
            let targets = of.iter().map(|own| f64::from(*own == class) - shares[class]).collect();
            let solved = solve(&root, targets);
            let mut weights = vec![0.0; width];
            for (row, by) in centred.iter().zip(solved) {
                weights.iter_mut().zip(row).for_each(|(weight, x)| *weight += by * x);
            }
            weights
        };
        Some(Probe { weights: (0..classes).map(weights).collect(), mean, shares })
    }

    /// The class that gets most; of equals the first.
    pub fn guess(&self, features: &[f64]) -> usize {
        let mut best = (0, f64::NEG_INFINITY);
        for (class, (weights, share)) in self.weights.iter().zip(&self.shares).enumerate() {
            let along: f64 = weights.iter().zip(features).zip(&self.mean).map(|((w, x), mean)| w * (x - mean)).sum();
            if along + share > best.1 {
                best = (class, along + share);
            }
        }
        best.0
    }
}

/// The lower root of a positive matrix (count, count); none where it is not positive.
fn cholesky(mut a: Vec<f64>, count: usize) -> Option<Vec<f64>> {
    for i in 0..count {
        for j in 0..=i {
            let (above, own) = a.split_at(i * count);
            let row = if i == j { &own[..j] } else { &above[j * count..j * count + j] };
            let sum = a[i * count + j] - own[..j].iter().zip(row).map(|(x, y)| x * y).sum::<f64>();
            a[i * count + j] = if i == j { libm::sqrt(sum) } else { sum / a[j * count + j] };
        }
        let pivot = a[i * count + i];
        if pivot.is_nan() || pivot <= 0.0 {
            return None;
        }
    }
    Some(a)
}

/// x with L·Lᵀ·x = b.
fn solve(root: &[f64], mut x: Vec<f64>) -> Vec<f64> {
    let count = x.len();
    for i in 0..count {
        let known: f64 = root[i * count..i * count + i].iter().zip(&x).map(|(l, x)| l * x).sum();
        x[i] = (x[i] - known) / root[i * count + i];
    }
    for i in (0..count).rev() {
        let known: f64 = (i + 1..count).map(|j| root[j * count + i] * x[j]).sum();
        x[i] = (x[i] - known) / root[i * count + i];
    }
    x
}

#[cfg(test)]
mod tests {
    use super::super::rng::Rng;
    use super::*;

    /// Clouds around corners of a simplex are told apart; with shuffled classes a probe is at chance.
    #[test]
    fn what_lies_apart_is_told_apart_and_noise_is_not() {
        let mut rng = Rng::new(3);
        let mut drawn = |apart: f64| -> (Vec<Vec<f64>>, Vec<usize>) {
            let row = |class: usize| {
                (0..8).map(|c| rng.normal() + if c == class { apart } else { 0.0 }).collect::<Vec<f64>>()
            };
            let rows: Vec<Vec<f64>> = (0..120).map(|at| at % 4).map(row).collect();
            (rows, (0..120).map(|at| at % 4).collect())
        };
        for (apart, least, most) in [(20.0, 1.0, 1.0), (0.0, 0.05, 0.45)] {
            let ((train, classes), (test, truth)) = (drawn(apart), drawn(apart));
            let probe = Probe::train(Examples { features: &train, classes: &classes }, 4, 0.01).unwrap();
            let right = test.iter().zip(&truth).filter(|(row, class)| probe.guess(row) == **class).count();
            let share = right as f64 / 120.0;
            assert!((least..=most).contains(&share), "{share} at {apart}");
        }
    }

    /// λ is in units of the features: scale and place of the states change no guess.
    #[test]
    fn scale_and_place_change_no_guess() {
        let mut rng = Rng::new(5);
        let rows: Vec<Vec<f64>> = (0..30).map(|_| (0..6).map(|_| rng.normal()).collect()).collect();
        let classes: Vec<usize> = (0..30).map(|at| at % 3).collect();
        let moved: Vec<Vec<f64>> = rows.iter().map(|row| row.iter().map(|x| 64.0 * x + 128.0).collect()).collect();
        let guesses = |rows: &[Vec<f64>]| {
            let probe = Probe::train(Examples { features: &rows[..20], classes: &classes[..20] }, 3, 0.1).unwrap();
            rows.iter().map(|row| probe.guess(row)).collect::<Vec<_>>()
        };
        assert_eq!(guesses(&rows), guesses(&moved));
        let same = vec![vec![1.0; 6]; 4];
        assert!(Probe::train(Examples { features: &same, classes: &[0, 1, 0, 1] }, 2, 0.1).is_none());
        assert!(Probe::train(Examples { features: &[], classes: &[] }, 2, 0.1).is_none());
    }
}
