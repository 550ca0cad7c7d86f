//! The path model: A on T; R on A and T; D on R, A and T, all standardised, by least squares.

use crate::lab::{
    causes::{LEAST_LANGUAGES, Paths},
    draws::LEVEL,
};
use crate::math::{regression::Basis, statistics::bca};

const FIGURES: usize = 10;

/// Standardised by the rows as they are counted; none where a column does not vary.
fn standard(rows: &[[f64; 4]], times: &[u32]) -> Option<[Vec<f64>; 4]> {
    let n: f64 = times.iter().map(|times| f64::from(*times)).sum();
    let mut columns: [Vec<f64>; 4] = std::array::from_fn(|at| rows.iter().map(|row| row[at]).collect());
    for column in &mut columns {
        let weighted = |f: &dyn Fn(f64) -> f64| {
            column.iter().zip(times).map(|(value, times)| f64::from(*times) * f(*value)).sum::<f64>() / n
        };
        let mean = weighted(&|value| value);
        let deviation = libm::sqrt(weighted(&|value| (value - mean) * (value - mean)));
        if deviation <= 1e-12 * mean.abs() || !deviation.is_finite() {
            return None;
        }
        column.iter_mut().for_each(|value| *value = (*value - mean) / deviation);
    }
    Some(columns)
}

/// All figures of the model, in the order of [`Paths`]; NaN where they cannot be told apart.
fn figures(rows: &[[f64; 4]], times: &[u32]) -> [f64; FIGURES] {
    let Some([t, a, r, d]) = standard(rows, times) else { return [f64::NAN; FIGURES] };
    let on = |y: &[f64], given: &[&[f64]]| {
        let basis = Basis::new(given, times);
        // As many as there are, or some path is made up.
        (basis.rank() == given.len() + 1).then(|| basis.coefficients(y))
    };
    let fits = (on(&a, &[&t]), on(&r, &[&a, &t]), on(&d, &[&r, &a, &t]), on(&d, &[&t]));
    let (Some(a_fit), Some(r_fit), Some(d_fit), Some(whole)) = fits else { return [f64::NAN; FIGURES] };
    let (t_a, a_r, t_r) = (a_fit[1], r_fit[1], r_fit[2]);
    let (r_d, a_d, direct, total) = (d_fit[1], d_fit[2], d_fit[3], whole[1]);
    let indirect = total - direct;
    [t_a, a_r, r_d, t_r, a_d, direct, total, indirect, t_a * a_r * r_d, indirect.abs() - direct.abs()]
}

/// The model over languages, each with T, A, R and D.
pub(super) fn fit(rows: &[[f64; 4]], resamples: usize, seed: u64) -> Option<Paths> {
    if rows.len() < LEAST_LANGUAGES {
        return None;
    }
    let intervals = bca(rows.len(), FIGURES, resamples, LEVEL, seed, |drawn, out| {
        out.copy_from_slice(&figures(rows, drawn));
    });
    let [t_a, a_r, r_d, t_r, a_d, direct, total, indirect, serial, dominance] = intervals[..] else { return None };
    total.value.is_finite().then_some(Paths {
        n: rows.len(),
        t_a,
        a_r,
        r_d,
        t_r,
        a_d,
        direct,
        total,
        indirect,
        serial,
        dominance,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::{correlation::pearson, rng::Rng};

    fn chain(n: usize, noise: f64, direct: f64) -> Vec<[f64; 4]> {
        let mut rng = Rng::new(3);
        let row = |_| {
            let t = rng.normal();
            let a = 0.9 * t + noise * rng.normal();
            let r = 0.8 * a + noise * rng.normal();
            [t, a, r, -0.7 * r + direct * t + noise * rng.normal()]
        };
        (0..n).map(row).collect()
    }

    /// Path tracing: the ways from T to D add up to r(T, D).
    #[test]
    fn the_ways_add_up() {
        let rows = chain(30, 0.5, 0.3);
        let [t_a, a_r, r_d, t_r, a_d, direct, total, indirect, serial, _] = figures(&rows, &[1; 30]);
        let column = |at: usize| rows.iter().map(|row| row[at]).collect::<Vec<f64>>();
        assert!((total - pearson(&column(0), &column(3)).unwrap()).abs() < 1e-12);
        assert!((t_a * a_r * r_d + t_a * a_d + t_r * r_d + direct - total).abs() < 1e-10);
        assert!((indirect + direct - total).abs() < 1e-12 && (serial - t_a * a_r * r_d).abs() < 1e-12);
    }

    /// Against numpy (`tests/fixtures/statistics_golden.py`).
    #[test]
    fn coefficients_are_numpys() {
        let golden = include_str!("../../../../tests/fixtures/statistics.json");
        let golden: serde_json::Value = serde_json::from_str(golden).unwrap();
        let list = |name: &str| serde_json::from_value::<Vec<f64>>(golden[name].clone()).unwrap();
        let columns = ["x", "y", "z", "w"].map(list);
        let rows: Vec<[f64; 4]> = (0..columns[0].len()).map(|row| std::array::from_fn(|at| columns[at][row])).collect();
        let found = figures(&rows, &vec![1; rows.len()]);
        for (own, known) in found.iter().zip(list("paths")) {
            assert!((own - known).abs() < 1e-9, "{own} against {known}");
        }
    }

    #[test]
    fn a_chain_has_no_direct_effect_and_a_short_cut_has() {
        let found = fit(&chain(200, 0.5, 0.0), 300, 1).unwrap();
        assert!(found.direct.low < 0.0 && found.direct.high > 0.0, "{:?}", found.direct);
        assert!(found.serial.high < 0.0 && found.dominance.low > 0.0, "{found:?}");
        let cut = fit(&chain(200, 0.5, 3.0), 300, 1).unwrap();
        assert!(cut.direct.low > 0.0 && cut.dominance.high < 0.0, "{cut:?}");
    }

    #[test]
    fn what_cannot_be_told_apart_has_no_paths() {
        assert_eq!(fit(&chain(5, 0.5, 0.0), 100, 1), None);
        let same: Vec<[f64; 4]> = chain(12, 0.5, 0.0).into_iter().map(|[t, _, r, d]| [t, t, r, d]).collect();
        assert_eq!(fit(&same, 100, 1), None, "A is T");
        let constant: Vec<[f64; 4]> = chain(12, 0.5, 0.0).into_iter().map(|[t, a, _, d]| [t, a, 0.0, d]).collect();
        assert_eq!(fit(&constant, 100, 1), None);
    }
}
