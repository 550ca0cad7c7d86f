//! How a kernel is shown to be right: cases, with what an oracle in f64 expects of each; what a device may do worse than the CPU;
//! and what breaks its shader, which the tests must see.

use super::row::{Params, Reuse};

/// Of one kernel.
pub struct Proof {
    /// What a device may do worse. The sums of the shaders are shorter than those of the twins (64 lanes instead of 8, or the same
    /// order), so nothing but subnormal numbers is granted, except where it is said why.
    pub allowed: Allowance,
    /// A piece of its shader, what breaks it, and the way on which that is met. Every entry point has one.
    pub breaks: &'static [(Reuse, &'static str, &'static str)],
    /// Odd shapes and hostile values.
    pub cases: fn() -> Cases,
}

/// Made one by one: some are large.
pub type Cases = Box<dyn Iterator<Item = Case>>;

/// Where values of a tile are used again, for [`Proof::breaks`].
pub const WORKGROUP: Reuse = Reuse::Workgroup;
/// See [`WORKGROUP`].
pub const CACHE: Reuse = Reuse::Cache;

/// What a device may do worse than exact mode.
#[derive(Debug, Clone, Copy)]
pub struct Allowance {
    /// Times the tolerance of the CPU kernel.
    pub times: f64,
    /// Beside that: what is lost where subnormal numbers are taken for 0.
    pub lost: f64,
    /// Where the CPU kernel owes certain bits, this device owes them too.
    pub same_bits: bool,
}

/// A device that takes subnormal numbers for 0 loses up to 2⁻¹²⁶ in each of at most a thousand terms.
const LOST: f64 = 1.2e-35;

/// No arithmetic that IEEE rounds in more than one way.
pub const EXACT: Allowance = Allowance { times: 1.0, lost: 0.0, same_bits: true };

/// So many times the tolerance of the CPU kernel.
pub const fn allow(times: f64) -> Allowance {
    Allowance { times, lost: LOST, same_bits: false }
}

/// One dispatch, and what must come of it.
pub struct Case {
    /// For whoever reads of a fault.
    pub name: String,
    /// Parameters as words.
    pub params: Vec<u32>,
    /// The words of each buffer.
    pub buffers: Vec<Vec<u32>>,
    /// What the result must be, by each of these.
    pub expected: Vec<Expected>,
}

/// What a result must be.
pub enum Expected {
    /// Each value as near to the truth as its tolerance says.
    Near {
        /// Of the oracle.
        truth: Vec<f64>,
        /// As many.
        tolerance: Vec<f64>,
    },
    /// These bits, in exact mode and where [`Allowance::same_bits`].
    Bits(Vec<f32>),
    /// These words, everywhere.
    Words(Vec<u32>),
}

impl Case {
    /// A dispatch of which nothing is expected yet.
    pub fn new(name: impl Into<String>, params: impl Params, args: &[Arg<'_>]) -> Case {
        let (name, params) = (name.into(), bytemuck::cast_slice(&[params]).to_vec());
        Case { name, params, buffers: args.iter().map(Arg::words).collect(), expected: Vec::new() }
    }

    /// The same by parameters that are all whole numbers, in their order.
    pub fn of<const N: usize>(name: String, params: [usize; N], args: &[Arg<'_>]) -> Case {
        let params = params.map(|param| param as u32).to_vec();
        Case { name, params, buffers: args.iter().map(Arg::words).collect(), expected: Vec::new() }
    }

    /// Each value within its tolerance, both given together.
    pub fn near(self, oracle: (Vec<f64>, Vec<f64>)) -> Case {
        let (truth, tolerance) = oracle;
        self.expecting(Expected::Near { truth, tolerance })
    }

    /// No difference at all.
    pub fn bits(self, values: Vec<f32>) -> Case {
        self.expecting(Expected::Bits(values))
    }

    /// The same, in words.
    pub fn words(self, words: Vec<u32>) -> Case {
        self.expecting(Expected::Words(words))
    }

    fn expecting(mut self, expected: Expected) -> Case {
        self.expected.push(expected);
        self
    }
}

/// Every pair of two lists, with the place of its first.
pub fn each<A: Clone + 'static, B: 'static>(
    first: impl IntoIterator<Item = A>,
    second: impl IntoIterator<Item = B> + Clone + 'static,
) -> impl Iterator<Item = (usize, A, B)> {
    let pairs = move |(i, a): (usize, A)| second.clone().into_iter().map(move |b| (i, a.clone(), b));
    first.into_iter().enumerate().flat_map(pairs)
}

/// One buffer of a dispatch.
pub enum Arg<'a> {
    /// Floats.
    F(&'a [f32]),
    /// Words.
    W(&'a [u32]),
    /// A result of so many words, poisoned beforehand so that a value not written is seen.
    Out(usize),
}

/// A NaN of our own.
const POISON: u32 = 0x7fc0_1234;

impl Arg<'_> {
    /// Its words.
    pub fn words(&self) -> Vec<u32> {
        match *self {
            Arg::F(values) => bytemuck::cast_slice(values).to_vec(),
            Arg::W(words) => words.to_vec(),
            Arg::Out(words) => vec![POISON; words],
        }
    }
}

/// Kinds of values that a kernel meets.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Kind {
    /// Uniform in ±1.
    Plain,
    /// A few values a thousand times the others.
    Outliers,
    /// Subnormal numbers.
    Tiny,
    /// Around 10¹⁵, both signs.
    Huge,
    /// All the same.
    Equal,
    /// Zeros of both signs.
    Zeros,
}

/// All of them.
pub const KINDS: [Kind; 6] = [Kind::Plain, Kind::Outliers, Kind::Tiny, Kind::Huge, Kind::Equal, Kind::Zeros];

/// Seeded values.
pub struct Source(u64);

impl Source {
    /// Of a seed.
    pub fn new(seed: u64) -> Source {
        Source(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    /// Any word.
    pub fn word(&mut self) -> u32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 32) as u32
    }

    /// Uniform in [−1, 1).
    pub fn unit(&mut self) -> f32 {
        (self.word() >> 8) as f32 / (1 << 23) as f32 - 1.0
    }

    /// So many values of a kind.
    pub fn values(&mut self, len: usize, kind: Kind) -> Vec<f32> {
        (0..len)
            .map(|i| match kind {
                Kind::Plain => self.unit(),
                Kind::Outliers if i % 61 == 7 => self.unit() * 1000.0,
                Kind::Outliers => self.unit(),
                Kind::Tiny => self.unit() * 1e-39,
                Kind::Huge => self.unit() * 1e15,
                Kind::Equal => 0.7,
                Kind::Zeros => [0.0, -0.0][i % 2],
            })
            .collect()
    }
}

/// Half the distance from 1 to the next f32: the relative error of one rounding.
pub const U: f64 = 1.0 / (1u64 << 24) as f64;

/// In f64.
pub fn wide(x: f32) -> f64 {
    f64::from(x)
}

/// Rows and channels: one, odd, beyond a workgroup, none.
pub const SHAPES: [[usize; 2]; 12] =
    [[1, 1], [1, 3], [3, 7], [2, 8], [5, 9], [17, 17], [4, 64], [3, 257], [2, 768], [257, 3], [1, 1023], [0, 5]];

/// Numbers of values: within a block of weights, a block, beyond it.
pub const LENGTHS: [usize; 9] = [1, 3, 8, 17, 257, 4095, 4096, 4097, 12_301];

/// The kinds whose fourth powers an f32 can hold.
pub fn moderate() -> impl Iterator<Item = Kind> + Clone {
    KINDS.into_iter().filter(|kind| *kind != Kind::Huge)
}

/// First row of each row's sequence, by the lengths of packed sequences.
pub fn starts(lengths: &[usize]) -> Vec<u32> {
    let mut starts = Vec::new();
    for len in lengths {
        starts.extend(vec![starts.len() as u32; *len]);
    }
    starts
}
