//! Eight f32 lanes: the arithmetic that all CPU kernels share.
//!
//! Only IEEE add, subtract, multiply, divide, square root, comparisons and bit operations are used, none of them fused,
//! so wasm simd128 and a native CPU give the same bits.
//!
//! Order of every reduction: element i of a run goes to lane i mod 8, each lane sums in rising order from 0, and the
//! lanes are added as ((0+1)+(2+3))+((4+5)+(6+7)).

use bytemuck::cast;
use wide::{f32x8, i32x8};

/// How many.
pub const LANES: usize = 8;

/// Eight lanes.
pub type Lanes = f32x8;

/// Eight equal lanes.
#[inline(always)]
pub fn splat(x: f32) -> Lanes {
    Lanes::new([x; LANES])
}

/// `b` where it is greater, else `a` (so a NaN in `a` stays).
#[inline(always)]
pub fn max(a: Lanes, b: Lanes) -> Lanes {
    if cfg!(any(target_arch = "x86", target_arch = "x86_64")) {
        // maxps(b, a) is `b > a ? b : a`, the same as pmax(a, b) of wasm, signed zeros and NaN included.
        b.fast_max(a)
    } else if cfg!(target_arch = "wasm32") {
        a.fast_max(b)
    } else {
        a.simd_lt(b).select(b, a)
    }
}

/// `b` where it is less, else `a` (so a NaN in `a` stays).
#[inline(always)]
pub fn min(a: Lanes, b: Lanes) -> Lanes {
    if cfg!(any(target_arch = "x86", target_arch = "x86_64")) {
        b.fast_min(a)
    } else if cfg!(target_arch = "wasm32") {
        a.fast_min(b)
    } else {
        b.simd_lt(a).select(b, a)
    }
}

/// Sum of the lanes: ((0+1)+(2+3))+((4+5)+(6+7)).
#[inline(always)]
pub fn sum(lanes: Lanes) -> f32 {
    let l = lanes.to_array();
    ((l[0] + l[1]) + (l[2] + l[3])) + ((l[4] + l[5]) + (l[6] + l[7]))
}

/// Greatest lane.
#[inline(always)]
pub fn greatest(lanes: Lanes) -> f32 {
    let l = lanes.to_array();
    let of = |a: f32, b: f32| if b > a { b } else { a };
    of(of(of(l[0], l[1]), of(l[2], l[3])), of(of(l[4], l[5]), of(l[6], l[7])))
}

/// Runs over `x` in lanes; the tail comes as one more step, filled up with `rest`.
#[inline(always)]
pub fn each(x: &[f32], rest: f32, mut step: impl FnMut(Lanes)) {
    let (whole, tail) = x.as_chunks::<LANES>();
    for chunk in whole {
        step(Lanes::new(*chunk));
    }
    if !tail.is_empty() {
        step(partial(tail, rest));
    }
}

/// Runs over `x` and `y`, which are as long, together; the tail comes as one more step, both filled up with `rest`.
#[inline(always)]
pub fn pairs(x: &[f32], y: &[f32], rest: f32, mut step: impl FnMut(Lanes, Lanes)) {
    let ((whole_x, tail_x), (whole_y, tail_y)) = (x.as_chunks::<LANES>(), y.as_chunks::<LANES>());
    for (x, y) in whole_x.iter().zip(whole_y) {
        step(Lanes::new(*x), Lanes::new(*y));
    }
    if !tail_x.is_empty() {
        step(partial(tail_x, rest), partial(tail_y, rest));
    }
}

/// Replaces each value of `x`, in lanes; the unused lanes of the tail see zeros.
#[inline(always)]
pub fn map(x: &mut [f32], mut f: impl FnMut(Lanes) -> Lanes) {
    let (whole, tail) = x.as_chunks_mut::<LANES>();
    for chunk in whole {
        *chunk = f(Lanes::new(*chunk)).to_array();
    }
    if !tail.is_empty() {
        let mapped = f(partial(tail, 0.0)).to_array();
        tail.copy_from_slice(&mapped[..tail.len()]);
    }
}

/// Up to eight values, the other lanes filled with `rest`.
#[inline(always)]
pub fn partial(x: &[f32], rest: f32) -> Lanes {
    let mut lanes = [rest; LANES];
    lanes[..x.len()].copy_from_slice(x);
    Lanes::new(lanes)
}

/// 1.5·2²³: adding it rounds to an integer, half to even, and leaves that integer in the low bits.
const ROUNDER: f32 = 12_582_912.0;

/// Nearest integer, half to even, for |x| < 2²².
#[inline(always)]
pub fn round(x: Lanes) -> Lanes {
    (x + splat(ROUNDER)) - splat(ROUNDER)
}

/// e^x to 2 ulp. Results under 2⁻¹²⁵ are 0, those over the largest f32 are infinite; NaN stays.
///
/// x = n·ln 2 + r with |r| ≤ ln 2 / 2, ln 2 in two parts so that n·high is exact; e^r by Cephes' polynomial; 2ⁿ⁻¹ by adding
/// to the exponent, and the last factor 2 by a product, which overflows as it should.
pub struct Exp {
    constants: [Lanes; CONSTANTS.len()],
}

/// −125·ln 2: below, the result is 0.
pub const EXP_LOW: f32 = -86.643_4;

const CONSTANTS: [f32; 14] = [
    EXP_LOW,
    // Beyond 128·ln 2 the result is infinite; what is larger still is taken for this.
    88.8,
    std::f32::consts::LOG2_E,
    // Less 1, so that it leaves n − 1 in the low bits.
    ROUNDER - 1.0,
    355.0 / 512.0,
    -2.121_944_4e-4,
    1.987_569_1e-4,
    1.398_199_9e-3,
    8.333_452e-3,
    4.166_579_6e-2,
    1.666_666_5e-1,
    0.5,
    1.0,
    2.0,
];

impl Default for Exp {
    fn default() -> Exp {
        Exp::new()
    }
}

impl Exp {
    /// Makes the constants ready. They are hidden from the compiler, which would otherwise write each of them out again in
    /// the loop, where a wasm engine needs several instructions for one.
    #[inline(always)]
    pub fn new() -> Exp {
        Exp { constants: std::hint::black_box(CONSTANTS).map(splat) }
    }

    /// e^x
    #[inline(always)]
    pub fn of(&self, x: Lanes) -> Lanes {
        let [low, high, log2_e, rounder, ln2_high, ln2_low, p5, p4, p3, p2, p1, p0, one, two] = self.constants;
        let bounded = min(x, high);
        let shifted = bounded * log2_e + rounder;
        let n = shifted - rounder;
        let r = (bounded - n * ln2_high) - n * ln2_low;
        // In pairs (Estrin): as many operations as Horner's scheme, fewer of them waiting for each other.
        let square = r * r;
        let p = ((p5 * r + p4) * square + (p3 * r + p2)) * square + (p1 * r + p0);
        let y = (p * square + r) + one;
        let halved: Lanes = cast(cast::<Lanes, i32x8>(y) + (cast::<Lanes, i32x8>(shifted) << 23));
        let flushed: i32x8 = cast(x.simd_lt(low));
        cast(!flushed & cast::<Lanes, i32x8>(halved * two))
    }
}

/// Sum of a run, in the order stated above.
pub fn total(x: &[f32]) -> f32 {
    let mut lanes = splat(0.0);
    each(x, 0.0, |v| lanes += v);
    sum(lanes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn exp_1(x: f32) -> f32 {
        Exp::new().of(splat(x)).to_array()[3]
    }

    /// Distance in units of the last place of the f32 nearest to the truth.
    fn ulps(x: f32) -> f64 {
        let truth = libm::exp(f64::from(x));
        let near = truth as f32;
        let ulp = f64::from(f32::from_bits(near.to_bits() + 1)) - f64::from(near);
        (f64::from(exp_1(x)) - truth).abs() / ulp
    }

    #[test]
    fn exp_is_within_2_ulp_of_f64() {
        let mut worst: f64 = 0.0;
        for i in 0..4_000_000 {
            let x = EXP_LOW + 1e-4 + (i as f32) * ((88.72 - EXP_LOW) / 4_000_000.0);
            if x < 88.72 {
                worst = worst.max(ulps(x));
            }
        }
        for i in 0..200_000 {
            worst = worst.max(ulps((i as f32 - 100_000.0) * 1e-6));
        }
        assert!(worst < 2.0, "worst error {worst} ulp");
        assert!(worst > 0.4, "an error of {worst} ulp means that nothing was measured");
    }

    #[test]
    fn exp_at_its_ends() {
        assert_eq!(exp_1(0.0), 1.0);
        assert_eq!(exp_1(-0.0), 1.0);
        assert_eq!(exp_1(f32::NEG_INFINITY), 0.0);
        assert_eq!(exp_1(-1e30), 0.0);
        assert_eq!(exp_1(-86.65), 0.0);
        assert!(exp_1(-86.643) > 0.0);
        assert_eq!(exp_1(f32::INFINITY), f32::INFINITY);
        assert_eq!(exp_1(88.722_85), f32::INFINITY);
        assert!(exp_1(88.72) < f32::INFINITY);
        assert!(exp_1(f32::NAN).is_nan());
    }

    #[test]
    fn exp_never_falls_where_x_rises() {
        let mut last = 0.0;
        for i in 0..1_000_000 {
            let y = exp_1(-90.0 + i as f32 * 1.8e-4);
            assert!(f64::from(y) >= last * (1.0 - 1.3e-7), "exp({})", -90.0 + i as f32 * 1.8e-4);
            last = f64::from(y);
        }
    }

    #[test]
    fn order_of_the_sum_is_the_stated_one() {
        let x: Vec<f32> = (0..1003).map(|i| libm::sinf(i as f32)).collect();
        let mut l = [0.0f32; 8];
        for (i, v) in x.iter().enumerate() {
            l[i % 8] += v;
        }
        let stated = ((l[0] + l[1]) + (l[2] + l[3])) + ((l[4] + l[5]) + (l[6] + l[7]));
        assert_eq!(total(&x).to_bits(), stated.to_bits());
        assert_ne!(total(&x).to_bits(), x.iter().sum::<f32>().to_bits());
    }

    #[test]
    fn max_and_min_treat_zeros_and_nan_as_stated() {
        let one = |f: fn(Lanes, Lanes) -> Lanes, a: f32, b: f32| f(splat(a), splat(b)).to_array()[0];
        assert_eq!(one(max, 0.0, -0.0).to_bits(), 0.0f32.to_bits());
        assert_eq!(one(max, -0.0, 0.0).to_bits(), (-0.0f32).to_bits());
        assert!(one(max, f32::NAN, 1.0).is_nan());
        assert_eq!(one(max, 1.0, f32::NAN), 1.0);
        assert_eq!(one(min, 2.0, 1.0), 1.0);
        assert!(one(min, f32::NAN, 1.0).is_nan());
    }

    #[test]
    fn round_is_half_to_even() {
        for (x, y) in [(0.5, 0.0), (1.5, 2.0), (2.5, 2.0), (-0.5, 0.0), (-1.5, -2.0), (126.5, 126.0), (3.2, 3.0)] {
            assert_eq!(round(splat(x)).to_array()[0], y);
        }
    }
}
