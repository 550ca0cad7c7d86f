//! out (m, n) = x (m, k) · w (+ bias), the weights packed in 4 or 8 bits, or as halves. Bit for bit the product with the unpacked matrix.

use super::Given;
use super::matmul::{LARGE_SHAPES, SHAPES, at, in_order, oracle, product};
use super::packed::Packed;
use super::strips::Rows;
use super::tile::multiply;
use crate::backend::declare::*;
use crate::backend::proof::*;
use half::f16;

kernel! {
    /// [`Matmul`](super::Matmul) with weights packed as signed integers, lowest first in each word, in row-major order; w = code · scale.
    /// Or as IEEE halves, which are the weights themselves: then `scales` is not read and may be any buffer.
    MatmulPacked = matmul_packed(f32_in("x"), u32_in("codes"), f32_in("scales"), f32_in("bias"), f32_out("out")) {
        /// Rows of x.
        m: u32,
        /// Input channels.
        k: u32,
        /// Output channels.
        n: u32,
        /// 0: the codes are (k, n). 1: (n, k).
        transposed: u32,
        /// 1: add `bias`.
        biased: u32,
        /// Consecutive input channels that share a scale.
        group: u32,
        /// Output channels with a scale of their own: 1 or n.
        channels: u32,
        /// Bits of a code: 4 or 8; 16 for halves.
        bits: u32,
    } needs |p, room| [
        area([p.m, p.k]), area([p.k, p.n]).div_ceil(32 / p.bits as usize),
        area([u32::from(p.bits < 16), p.k.div_ceil(p.group), p.channels]), area([p.biased, p.n]), area([p.m, p.n])
    ]
      where matches!(p.bits, 4 | 8 | 16), "`bits` must be 4, 8 or 16"
      where p.group > 0, "`group` must be at least 1"
      where p.channels == 1 || p.channels == p.n, "`channels` must be 1 or n"
      runs [blocks 64; tiles 64, few 256, large 64] product([p.m, p.k, p.n], p.transposed, p.bits, room);
    checked [(4, 1, 16), (8, 64, 16), (16, 1, 32)]
        .map(|(bits, channels, group)| {
            let p = MatmulPacked { m: 40, k: 32, n: 64, transposed: 0, biased: 1, group, channels, bits };
            let codes = if bits < 16 { Words } else { Halves };
            Check::of(p, [Values, codes, Values, Values, Zeros])
        })
        .into();
}

/// Runs the kernel.
pub fn run(p: &MatmulPacked, given: &mut Given<'_>) {
    match p.bits {
        4 => of_width::<4>(p, given),
        16 => of_width::<16>(p, given),
        _ => of_width::<8>(p, given),
    }
}

fn of_width<const BITS: u32>(p: &MatmulPacked, given: &mut Given<'_>) {
    let products = given.products;
    let [x, codes, scales, bias, out] = given.bound();
    let [m, k, n] = [p.m, p.k, p.n].map(|d| d as usize);
    let w = Packed::<BITS> {
        codes: codes.words(),
        scales: scales.floats(),
        k,
        n,
        transposed: p.transposed != 0,
        group: p.group as usize,
        channels: p.channels as usize,
    };
    let bias = (p.biased != 0).then(|| bias.floats());
    multiply(products, Rows { values: x.floats(), stride: k }, &w, [m, k, n], bias, out.floats_mut());
}

/// Bit for bit the product with the unpacked matrix, for every width and granularity.
pub(super) const PROOF: Proof = Proof {
    allowed: allow(1.0),
    breaks: &[
        (WORKGROUP, "store_all(&right, own_row, own_column + 4u)", "store_all(&left, own_row, own_column + 4u)"),
        (CACHE, "32u - BITS * (vec4u", "32u - BITS * (vec4u(1u) + vec4u"),
        (WORKGROUP, "extractBits(bitcast<i32>(", "extractBits(("),
        (WORKGROUP, "group * p.channels", "group"),
        (WORKGROUP, "* 5.9604644775390625e-8", "* 5.9e-3"),
        (CACHE, "halves(codes[2u * four + 1u])", "halves(codes[2u * four])"),
        (WORKGROUP, "scale(k + 3u, column)", "scale(k, column)"),
    ],
    cases: || {
        let halves = each(0..SHAPES.len(), [0, 1]).map(|(_, i, transposed)| of_halves(i, transposed));
        let groupings = |(bits, i): (u32, usize)| {
            let (k, n) = (SHAPES[i][1].max(1), SHAPES[i][2]);
            each([[k, 1], [k, n], [32, n], [64, n], [128, n], [32, 1], [5, n]], [0, 1])
                .map(move |(_, grouping, transposed)| of_codes(SHAPES[i], i, bits, grouping, transposed))
        };
        let codes = [4, 8].into_iter().flat_map(|bits| (0..SHAPES.len()).map(move |i| (bits, i))).flat_map(groupings);
        let large =
            |(i, s, (bits, transposed)): (usize, [usize; 3], (u32, u32))| of_codes(s, i, bits, [8, s[2]], transposed);
        let large = each(LARGE_SHAPES, [(4, 0), (4, 1), (8, 0), (8, 1)]).map(large);
        Box::new(halves.chain(codes).chain(large))
    },
};

/// A product with the matrix w, stored as `codes` and `scales`.
fn case(
    name: String,
    p: MatmulPacked,
    x: &[f32],
    [codes, w]: [Arg<'_>; 2],
    scales: &[f32],
    bias: Option<&[f32]>,
) -> Case {
    let (s, Arg::F(w)) = ([p.m, p.k, p.n].map(|d| d as usize), w) else { panic!("the weights are floats") };
    let args = [Arg::F(x), codes, Arg::F(scales), Arg::F(bias.unwrap_or(&[])), Arg::Out(s[0] * s[2])];
    let truth = oracle(x, |l, j| wide(w[at(p.transposed, s, l, j)]), bias, s);
    Case::new(name, p, &args).near(truth).bits(in_order(x, w, bias, p.transposed, s))
}

/// Halves of any size, a tenth of them subnormal, zeros of both signs among them.
fn of_halves(i: usize, transposed: u32) -> Case {
    let s @ [m, k, n] = SHAPES[i];
    let mut source = Source::new((i * 2) as u64 + u64::from(transposed));
    let x = source.values(m * k, Kind::Plain);
    let bias = source.values(n, Kind::Plain);
    let bias = i.is_multiple_of(2).then_some(&bias[..]);
    let halves: Vec<f16> = (0..k * n)
        .map(|j| match j % 10 {
            3 => f16::from_bits(source.word() as u16 & 0x83ff),
            _ => f16::from_f32(source.unit()),
        })
        .collect();
    let w: Vec<f32> = halves.iter().map(|half| half.to_f32()).collect();
    let word = |pair: &[f16]| pair.iter().rev().fold(0, |word, half| word << 16 | u32::from(half.to_bits()));
    let words: Vec<u32> = halves.chunks(2).map(word).collect();
    let [m, k, n] = s.map(|d| d as u32);
    let (group, channels, biased) = (k.max(1), 1, u32::from(bias.is_some()));
    let p = MatmulPacked { m, k, n, transposed, biased, group, channels, bits: 16 };
    case(format!("{s:?} halves {transposed}"), p, &x, [Arg::W(&words), Arg::F(&w)], &[], bias)
}

fn of_codes(s: [usize; 3], i: usize, bits: u32, [group, channels]: [usize; 2], transposed: u32) -> Case {
    let [m, k, n] = s;
    let mut source = Source::new((i * 1000 + group * 2 + channels) as u64);
    let x = source.values(m * k, Kind::Plain);
    let bias = source.values(n, Kind::Plain);
    let bias = i.is_multiple_of(2).then_some(&bias[..]);
    let q = Quantized::new(&mut source, s, group, channels, bits);
    let [m, k, n, group, channels] = [m, k, n, group, channels].map(|d| d as u32);
    let p = MatmulPacked { m, k, n, transposed, biased: u32::from(bias.is_some()), group, channels, bits };
    let (words, w) = (q.words(bits), q.dequantized(transposed, s));
    let name = format!("{s:?} {bits} bits {transposed} {group}/{channels}");
    case(name, p, &x, [Arg::W(&words), Arg::F(&w)], &q.scales, bias)
}

/// Packed weights: codes in −levels…levels, and scales for a granularity.
struct Quantized {
    codes: Vec<i32>,
    scales: Vec<f32>,
    group: usize,
    channels: usize,
}

impl Quantized {
    fn new(source: &mut Source, [_, k, n]: [usize; 3], group: usize, channels: usize, bits: u32) -> Quantized {
        let levels = (1i64 << (bits - 1)) - 1;
        // The lowest code of the word, −levels − 1, is not made by our quantizer; the kernel must read it all the same.
        let codes = (0..k * n).map(|_| (i64::from(source.word()) % (2 * levels + 2) - levels - 1) as i32).collect();
        let scales = (0..k.div_ceil(group) * channels).map(|_| 0.001 + source.unit().abs()).collect();
        Quantized { codes, scales, group, channels }
    }

    fn words(&self, bits: u32) -> Vec<u32> {
        let mask = u32::MAX >> (32 - bits);
        self.codes
            .chunks((32 / bits) as usize)
            .map(|codes| {
                codes.iter().enumerate().fold(0, |word, (i, c)| word | ((*c as u32 & mask) << (i as u32 * bits)))
            })
            .collect()
    }

    /// The matrix, stored as the codes are.
    fn dequantized(&self, transposed: u32, s: [usize; 3]) -> Vec<f32> {
        let mut w = vec![0.0; self.codes.len()];
        for l in 0..s[1] {
            for j in 0..s[2] {
                let scale = self.scales[l / self.group * self.channels + if self.channels > 1 { j } else { 0 }];
                let place = at(transposed, s, l, j);
                w[place] = self.codes[place] as f32 * scale;
            }
        }
        w
    }
}
