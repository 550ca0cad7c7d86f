//! The theory's grid: Q_α(x) = α·round(clip(x, −α, α)·L/α)/L with L = 2^(B−1) − 1, rounding half to even.
//!
//! All in f32, and in this order of operations wherever weights are quantized, so that every path agrees to the bit:
//! `inv = L/α`, `code = round(clip(x, ±α)·inv)`, `step = α/L`, `value = code·step` with the code as an integer first,
//! which makes a zero positive.

/// 1.5·2^23: adding it to a float below 2^22 in magnitude and taking it off again rounds to the nearest integer, half to
/// even, in two additions that every target vectorises.
const ROUNDER: f32 = 12_582_912.0;

/// The grid of one threshold.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Grid {
    /// α.
    pub alpha: f32,
    /// L/α.
    pub inv: f32,
    /// α/L: a value is its code times this.
    pub step: f32,
}

impl Grid {
    /// Where α is zero, negative, not finite, or so small that L/α is not finite, the grid has the one value 0.
    pub fn new(alpha: f32, levels: u32) -> Grid {
        let levels = levels as f32;
        let inv = levels / alpha;
        if alpha > 0.0 && alpha.is_finite() && inv.is_finite() {
            Grid { alpha, inv, step: alpha / levels }
        } else {
            Grid { alpha: 0.0, inv: 0.0, step: 0.0 }
        }
    }

    /// The code of x, from −L to L; a NaN gets 0.
    #[inline]
    pub fn code(&self, x: f32) -> i32 {
        let clipped = if x < -self.alpha {
            -self.alpha
        } else if x > self.alpha {
            self.alpha
        } else {
            x
        };
        ((clipped * self.inv + ROUNDER) - ROUNDER) as i32
    }

    /// The value that stands for x.
    #[inline]
    pub fn value(&self, x: f32) -> f32 {
        self.code(x) as f32 * self.step
    }
}

/// Code of x under threshold α.
pub fn code(x: f32, alpha: f32, levels: u32) -> i32 {
    Grid::new(alpha, levels).code(x)
}

/// Q_α(x).
pub fn value(x: f32, alpha: f32, levels: u32) -> f32 {
    Grid::new(alpha, levels).value(x)
}

#[cfg(test)]
mod tests {
    use super::super::Bits;
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn halves_go_to_the_even_code() {
        // α = L makes the step 1.
        let codes: Vec<i32> = [0.5, 1.5, 2.5, -0.5, -1.5, -2.5, 6.5, 9.0, -9.0].map(|x| code(x, 7.0, 7)).to_vec();
        assert_eq!(codes, [0, 2, 2, 0, -2, -2, 6, 7, -7]);
    }

    #[test]
    fn degenerate_thresholds_give_positive_zero() {
        for alpha in [0.0, -1.0, f32::NAN, f32::INFINITY, 1e-45, f32::MIN_POSITIVE / 4.0] {
            for x in [0.0, -0.0, 1.0, -3.0, f32::MAX, f32::NAN] {
                assert_eq!(value(x, alpha, 127).to_bits(), 0, "α = {alpha}, x = {x}");
            }
        }
        assert_eq!(value(-0.01, 1.0, 7).to_bits(), 0);
        assert_eq!(code(f32::NAN, 1.0, 7), 0);
    }

    proptest! {
        /// The code is the nearest one on the exact grid, but for the last bits near a boundary between two codes.
        #[test]
        fn the_code_is_the_nearest(x in -4f32..4.0, alpha in 0.01f32..3.0, b in 2u8..=8) {
            let levels = Bits::new(b).unwrap().levels();
            let c = code(x, alpha, levels);
            prop_assert!(c.unsigned_abs() <= levels);
            let place = (x.clamp(-alpha, alpha) as f64) * levels as f64 / alpha as f64;
            prop_assert!((c as f64 - place).abs() <= 0.5 + 1e-6 * levels as f64);
        }

        /// Quantizing what has been quantized changes nothing.
        #[test]
        fn values_of_the_grid_stay(x in -4f32..4.0, alpha in 1e-20f32..1e20, b in 2u8..=8) {
            let levels = Bits::new(b).unwrap().levels();
            let once = value(x, alpha, levels);
            prop_assert_eq!(once.to_bits(), value(once, alpha, levels).to_bits());
        }
    }
}
