//! Activation functions, in place.

use super::Given;
use crate::backend::declare::*;
use crate::backend::lanes::{self, Exp, Lanes, splat};
use crate::backend::proof::{KINDS as OF_VALUES, *};

kernel! {
    /// An activation function in place; the constants of this file say what each is.
    Activate = activate(f32_out("x")) {
        /// Values.
        len: u32,
        /// One of [`KINDS`].
        kind: u32,
    } needs |p, room| [area([p.len])]
      where p.kind < KINDS, "`kind` must be an activation that there is"
      runs [narrow 64; wide 256] vec![by_value(p.len as u64)];
    checked (0..KINDS).map(|kind| Check::of(Activate { len: 300, kind }, [Values])).collect();
}

/// GELU in its tanh form: x·σ(2u) = x / (1 + e^(−2u)), u = √(2/π)(x + 0.044715x³).
pub const GELU_TANH: u32 = 0;
/// GELU itself: x·Φ(x).
pub const GELU: u32 = 1;
/// The greater of x and 0.
pub const RELU: u32 = 2;
/// x·σ(x).
pub const SILU: u32 = 3;
/// ln(1 + e^x).
pub const SOFTPLUS: u32 = 4;
/// How many there are.
pub const KINDS: u32 = 5;

/// −2√(2/π)
const MINUS_TWO_ROOT: f32 = -1.595_769;
const CUBIC: f32 = 0.044_715;

/// erfc z = t·exp(−z² + P(t)), t = 1/(1 + z/2), to 1.2·10⁻⁷ of itself for z ≥ 0 (Numerical Recipes, section 6.2); the
/// coefficients of P from the highest.
const ERFC: [f32; 10] = [
    0.170_872_77,
    -0.822_152_23,
    1.488_515_9,
    -1.135_204,
    0.278_868_07,
    -0.186_288_06,
    0.096_784_18,
    0.374_091_96,
    1.000_023_7,
    -1.265_512_2,
];

/// 1/15, 1/13, … 1/3, 1: atanh s = s·Σ s²ⁿ/(2n + 1), to 10⁻⁸ of itself for s ≤ 1/3.
const ATANH: [f32; 8] = [1.0 / 15.0, 1.0 / 13.0, 1.0 / 11.0, 1.0 / 9.0, 1.0 / 7.0, 0.2, 1.0 / 3.0, 1.0];

/// Runs the kernel.
pub fn run(p: &Activate, given: &mut Given<'_>) {
    let [x] = given.bound();
    let x = &mut x.floats_mut()[..p.len as usize];
    let exp = Exp::new();
    let [one, two, half] = std::hint::black_box([1.0, 2.0, 0.5]).map(splat);
    match p.kind {
        GELU_TANH => {
            let [cubic, minus_two_root] = std::hint::black_box([CUBIC, MINUS_TWO_ROOT]).map(splat);
            lanes::map(x, |x| {
                let inner = x + (cubic * x) * (x * x);
                x / (one + exp.of(inner * minus_two_root))
            });
        }
        GELU => {
            let root_half = splat(std::f32::consts::FRAC_1_SQRT_2);
            lanes::map(x, |x| {
                let z = x.abs() * root_half;
                let t = one / (one + half * z);
                // The part of the normal distribution beyond |x|.
                let tail = (half * t) * exp.of(polynomial(&ERFC, t) - z * z);
                x * x.simd_lt(splat(0.0)).select(tail, one - tail)
            });
        }
        RELU => lanes::map(x, |x| lanes::max(x, splat(0.0))),
        SILU => lanes::map(x, |x| x / (one + exp.of(-x))),
        _ => lanes::map(x, |x| {
            // ln(1 + e) = 2·atanh(e/(2 + e)) keeps its digits where e is small.
            let e = exp.of(-x.abs());
            let s = e / (two + e);
            lanes::max(x, splat(0.0)) + two * s * polynomial(&ATANH, s * s)
        }),
    }
}

/// Horner's scheme.
#[inline(always)]
fn polynomial(coefficients: &[f32], x: Lanes) -> Lanes {
    coefficients.iter().fold(splat(0.0), |sum, &coefficient| sum * x + splat(coefficient))
}

/// Each function in f64.
pub(super) const PROOF: Proof = Proof {
    allowed: allow(1.0),
    breaks: &[
        (WORKGROUP, "0.044715", "0.0447"),
        (WORKGROUP, "poly * t + 1.4885159", "poly * t + 1.4886"),
        (WORKGROUP, "max(value, 0.0)", "value"),
        (WORKGROUP, "min(-x, 87.0)", "min(x, 87.0)"),
        (WORKGROUP, "poly * t + 0.33333333", "poly * t + 0.3333"),
    ],
    cases: || {
        let lengths = [0, 1, 3, 7, 8, 9, 17, 64, 257, 1000, 4096, 4099];
        Box::new(each(0..KINDS, lengths).flat_map(|(_, kind, len)| {
            let ramp = (0..len).map(|i| (i as f32 - len as f32 / 2.0) * (24.0 / len as f32)).collect();
            let values = OF_VALUES.into_iter().map(move |of| Source::new(len as u64 + of as u64).values(len, of));
            values.chain([ramp]).map(move |x| case(kind, &x))
        }))
    },
};

fn case(kind: u32, x: &[f32]) -> Case {
    let oracle = x
        .iter()
        .map(|x| {
            let (y, exponent) = activation(kind, wide(*x));
            // The error of an exponent is a relative error of the exponential; where that is small beside 1 it is lost.
            // The approximation of erfc is good to 1.2·10⁻⁷, and its polynomial rounds to as much again.
            let formula = if kind == GELU { 12.0 } else { 0.0 };
            (y, U * (14.0 + formula + 6.0 * exponent) * y.abs() + 1e-36)
        })
        .unzip();
    Case::of(format!("{} values, kind {kind}", x.len()), [x.len(), kind as usize], &[Arg::F(x)]).near(oracle)
}

/// The function in f64, and the size of the exponent whose error is a relative error of the result.
fn activation(kind: u32, x: f64) -> (f64, f64) {
    match kind {
        GELU_TANH => {
            let twice_u = 2.0 * (2.0 / std::f64::consts::PI).sqrt() * (x + 0.044715 * x * x * x);
            (x / (1.0 + libm::exp(-twice_u)), twice_u.min(0.0).abs())
        }
        GELU => (x * 0.5 * libm::erfc(-x * std::f64::consts::FRAC_1_SQRT_2), if x < 0.0 { x * x / 2.0 } else { 0.0 }),
        RELU => (x.max(0.0), 0.0),
        SILU => (x / (1.0 + libm::exp(-x)), x.min(0.0).abs()),
        _ => (x.max(0.0) + libm::log1p(libm::exp(-x.abs())), x.abs().min(90.0)),
    }
}
