//! Integrals of smooth functions: Gauss–Legendre on panels of equal width, the same bits everywhere.

/// Points of a panel: a polynomial of degree 31 is exact.
const POINTS: usize = 16;
/// Newton's steps for a node; it is there after five.
const STEPS: usize = 8;

/// ∫ f from `low` to `high` on so many panels; 0 where the ends are not in order.
pub fn integrate(low: f64, high: f64, panels: usize, mut f: impl FnMut(f64) -> f64) -> f64 {
    if low >= high {
        return 0.0;
    }
    let (rule, half) = (rule(), 0.5 * (high - low) / panels as f64);
    let mut sum = 0.0;
    for panel in 0..panels {
        let middle = low + (2 * panel + 1) as f64 * half;
        for (node, weight) in rule {
            sum += weight * f(middle + half * node);
        }
    }
    sum * half
}

/// Nodes and weights between −1 and 1: roots of the Legendre polynomial by Newton's method.
fn rule() -> [(f64, f64); POINTS] {
    std::array::from_fn(|at| {
        let mut x = libm::cos(std::f64::consts::PI * (at as f64 + 0.75) / (POINTS as f64 + 0.5));
        let mut slope = 1.0;
        for _ in 0..STEPS {
            let (mut before, mut here) = (1.0, x);
            for k in 2..=POINTS {
                let k = k as f64;
                (before, here) = (here, ((2.0 * k - 1.0) * x * here - (k - 1.0) * before) / k);
            }
            slope = POINTS as f64 * (x * here - before) / (x * x - 1.0);
            x -= here / slope;
        }
        (x, 2.0 / ((1.0 - x * x) * slope * slope))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn polynomials_and_bells_are_integrated() {
        let cubic = integrate(-1.0, 3.0, 1, |x| x * x * x - x);
        assert!((cubic - 16.0).abs() < 1e-12, "{cubic}");
        let bell = integrate(-9.0, 9.0, 12, crate::math::normal::density);
        assert!((bell - 1.0).abs() < 1e-14, "{bell}");
        assert_eq!(integrate(1.0, 1.0, 4, |_| 1.0), 0.0);
        assert!((rule().iter().map(|(_, weight)| weight).sum::<f64>() - 2.0).abs() < 1e-14);
    }
}
