//! Distances between distributions: Wasserstein's on a line, where the best plan moves sorted points in order, and its mean
//! over directions (Bonneel et al. 2015).

use super::rng::Rng;

/// W₁ and W₂² of two samples of figures in ascending order, which need not be of one size. 0 where one is empty.
pub fn on_a_line(a: &[f64], b: &[f64]) -> (f64, f64) {
    if a.is_empty() || b.is_empty() {
        return (0.0, 0.0);
    }
    // In parts of 1/(|a|·|b|), a point of a weighs |b| and a point of b |a|.
    let (mut first, mut second) = (0.0, 0.0);
    let (mut i, mut j, mut left_of_a, mut left_of_b) = (0, 0, b.len(), a.len());
    while i < a.len() && j < b.len() {
        let moved = left_of_a.min(left_of_b);
        let apart = (a[i] - b[j]).abs();
        first += moved as f64 * apart;
        second += moved as f64 * apart * apart;
        left_of_a -= moved;
        left_of_b -= moved;
        if left_of_a == 0 {
            (i, left_of_a) = (i + 1, b.len());
        }
        if left_of_b == 0 {
            (j, left_of_b) = (j + 1, a.len());
        }
    }
    let whole = a.len() as f64 * b.len() as f64;
    (first / whole, second / whole)
}

/// Directions of length 1, evenly spread over the sphere (count, width); the theory's own, whatever else is drawn.
pub fn directions(count: usize, width: usize, seed: u64) -> Vec<f64> {
    let mut all = Vec::with_capacity(count * width);
    for number in 0..count {
        let mut rng = Rng::stream(seed, number as u64);
        let drawn: Vec<f64> = (0..width).map(|_| rng.normal()).collect();
        let length = libm::sqrt(drawn.iter().map(|x| x * x).sum());
        all.extend(drawn.iter().map(|x| x / length));
    }
    all
}

/// How far two clouds of points are apart.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Apart {
    /// Mean over directions of W₂² along them; its root is the sliced W₂.
    pub sliced: f64,
    /// Mean over channels of the exact W₁ of each.
    pub channels: f64,
}

/// Of x and y, each (rows, width), along directions (count, width) and along each channel.
pub fn apart(x: &[f64], y: &[f64], width: usize, directions: &[f64]) -> Apart {
    let sorted = |figures: &mut dyn Iterator<Item = f64>| {
        let mut all: Vec<f64> = figures.collect();
        all.sort_unstable_by(f64::total_cmp);
        all
    };
    let along = |rows: &[f64], direction: &[f64]| {
        let part = |row: &[f64]| row.iter().zip(direction).map(|(x, d)| x * d).sum::<f64>();
        sorted(&mut rows.chunks_exact(width).map(part))
    };
    let count = directions.len() / width;
    let sliced: f64 =
        directions.chunks_exact(width).map(|direction| on_a_line(&along(x, direction), &along(y, direction)).1).sum();
    let of_channel = |rows: &[f64], channel: usize| sorted(&mut rows.chunks_exact(width).map(|row| row[channel]));
    let channels: f64 = (0..width).map(|c| on_a_line(&of_channel(x, c), &of_channel(y, c)).0).sum();
    Apart { sliced: sliced / count.max(1) as f64, channels: channels / width as f64 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn sorted(mut of: Vec<f64>) -> Vec<f64> {
        of.sort_by(f64::total_cmp);
        of
    }

    proptest! {
        /// A distance: 0 to itself, the same both ways, a shift moves every point as far, and repeating every point of a
        /// sample changes nothing.
        #[test]
        fn it_is_a_distance(
            a in prop::collection::vec(-9f64..9.0, 1..20), b in prop::collection::vec(-9f64..9.0, 1..20), by in -9f64..9.0,
        ) {
            let (a, b) = (sorted(a), sorted(b));
            prop_assert_eq!(on_a_line(&a, &a), (0.0, 0.0));
            let (there, back) = (on_a_line(&a, &b), on_a_line(&b, &a));
            prop_assert!((there.0 - back.0).abs() < 1e-12 && (there.1 - back.1).abs() < 1e-11);
            prop_assert!(there.0 * there.0 <= there.1 + 1e-12, "W₁ ≤ W₂");
            let moved: Vec<f64> = a.iter().map(|x| x + by).collect();
            prop_assert!((on_a_line(&a, &moved).0 - by.abs()).abs() < 1e-12);
            let twice: Vec<f64> = a.iter().flat_map(|x| [*x, *x]).collect();
            prop_assert!((on_a_line(&twice, &b).1 - there.1).abs() < 1e-10);
        }

        /// Moving a cloud by v moves it by v·θ along θ, and by |v_c| along channel c.
        #[test]
        fn a_moved_cloud_is_as_far_as_it_was_moved(
            rows in prop::collection::vec(prop::array::uniform3(-3f64..3.0), 2..9), by in prop::array::uniform3(-3f64..3.0),
        ) {
            let x: Vec<f64> = rows.concat();
            let y: Vec<f64> = rows.iter().flat_map(|row| [0, 1, 2].map(|c| row[c] + by[c])).collect();
            let directions = directions(5, 3, 1);
            let found = apart(&x, &y, 3, &directions);
            let part = |d: &[f64]| d[0] * by[0] + d[1] * by[1] + d[2] * by[2];
            let along = |d: &[f64]| part(d) * part(d);
            let expected = directions.chunks_exact(3).map(along).sum::<f64>() / 5.0;
            prop_assert!((found.sliced - expected).abs() < 1e-10);
            prop_assert!((found.channels - by.iter().map(|x| x.abs()).sum::<f64>() / 3.0).abs() < 1e-12);
        }
    }

    #[test]
    fn directions_have_length_one_and_do_not_depend_on_their_number() {
        let five = directions(5, 7, 3);
        assert!(five.chunks_exact(7).all(|d| (d.iter().map(|x| x * x).sum::<f64>() - 1.0).abs() < 1e-14));
        assert_eq!(directions(2, 7, 3), five[..14]);
        assert_ne!(directions(1, 7, 4), five[..7]);
    }
}
