//! Scores and weights in f64, with everything that attention can be asked for.

use super::Attention;
use crate::backend::proof::*;

/// How it is shown to be right.
pub(in crate::backend) const PROOF: Proof = Proof {
    allowed: allow(1.0),
    breaks: &[
        (WORKGROUP, "(vec4u(key) < finish)", "(vec4u(key) <= finish)"),
        (WORKGROUP, "first = min(first, starts[r])", "first = starts[r]"),
        (WORKGROUP, "group.y / p.group", "group.y"),
        (WORKGROUP, "key + p.span / 2u", "key + 1u + p.span / 2u"),
        (WORKGROUP, "bias_of(key + 2u, held", "bias_of(key + 1u, held"),
        (WORKGROUP, "mixed[5] += weight.y", "mixed[5] += weight.x"),
    ],
    cases: || {
        let kinds = [Kind::Plain, Kind::Equal, Kind::Zeros, Kind::Tiny, Kind::Outliers];
        Box::new(each(SHAPES.iter().copied(), kinds).map(|(i, shape, kind)| {
            let asked = Asked::new(&shape, i as u64 * 8 + kind as u64, kind);
            asked.case(format!("{shape:?} {kind:?}")).near(asked.oracle())
        }))
    },
};

/// Which keys a row sees.
#[derive(Debug, Clone, Copy)]
pub enum See {
    /// Itself and those before.
    Causal,
    /// Its whole sequence.
    All,
    /// Itself and so many before, less one.
    Window(usize),
    /// Sequences of other rows, of this much more than its own.
    Across(usize),
}

/// Lengths of the packed sequences, heads, channels of a head, heads that share keys, what is seen, rows of the bias.
pub type Shape = (&'static [usize], usize, usize, usize, See, usize);

/// Each of them at least once.
pub const SHAPES: &[Shape] = &[
    (&[1], 1, 1, 1, See::Causal, 0),
    (&[3], 1, 8, 1, See::Causal, 0),
    (&[5], 2, 3, 1, See::Causal, 0),
    (&[17], 3, 16, 1, See::Causal, 0),
    (&[8], 4, 32, 1, See::Causal, 0),
    (&[9, 1], 1, 9, 1, See::Causal, 0),
    (&[1, 1, 1], 2, 4, 1, See::Causal, 0),
    (&[33, 17], 2, 17, 1, See::Causal, 0),
    (&[257], 1, 8, 1, See::Causal, 0),
    (&[4, 4, 9, 31], 2, 8, 1, See::Causal, 0),
    (&[100], 1, 64, 1, See::Causal, 0),
    (&[65, 3], 2, 33, 1, See::Causal, 0),
    (&[], 2, 4, 1, See::Causal, 0),
    (&[20, 40], 4, 8, 2, See::Causal, 0),
    (&[7, 37], 6, 5, 3, See::All, 0),
    (&[70], 4, 4, 4, See::All, 0),
    (&[50, 3], 2, 8, 1, See::Window(1), 0),
    (&[50, 3], 2, 6, 2, See::Window(7), 0),
    (&[90], 1, 68, 1, See::Window(33), 0),
    (&[1, 40], 2, 8, 1, See::Across(9), 0),
    (&[33, 2], 2, 7, 2, See::Across(0), 0),
    (&[30, 9], 2, 8, 1, See::Causal, 61),
    (&[41], 3, 5, 1, See::All, 7),
    (&[12, 12], 4, 8, 2, See::Window(5), 1),
];

/// Keys that each row sees, from … to; and how many keys there are.
fn seen(lengths: &[usize], see: See) -> ([Vec<u32>; 2], usize) {
    let ([mut starts, mut ends], mut row, mut key) = ([Vec::new(), Vec::new()], 0, 0);
    for len in lengths {
        let keys = if let See::Across(more) = see { len + more } else { *len };
        for own in row..row + len {
            let (start, end) = match see {
                See::Causal => (row, own + 1),
                See::All => (row, row + len),
                See::Window(size) => (row.max((own + 1).saturating_sub(size)), own + 1),
                See::Across(_) => (key, key + keys),
            };
            starts.push(start as u32);
            ends.push(end as u32);
        }
        (row, key) = (row + len, key + keys);
    }
    ([starts, ends], key)
}

fn params(rows: usize, key_rows: usize, &(_, heads, head, group, _, span): &Shape) -> Attention {
    // Columns that belong to nobody between heads and parts, so that steps are not taken for widths.
    let gap = if head % 4 == 0 { 4 } else { 1 };
    let (step, key_step) = (head + gap, head + 2 * gap);
    let (key_at, value_at) = (gap, 3 * gap + heads / group * key_step);
    let [rows, key_rows, heads, head, group, step, key_step, key_at, value_at, span] =
        [rows, key_rows, heads, head, group, step, key_step, key_at, value_at, span].map(|figure| figure as u32);
    Attention {
        rows,
        key_rows,
        heads,
        head,
        group,
        stride: heads * step,
        step,
        key_stride: value_at + heads / group * key_step,
        key_step,
        key_at,
        value_at,
        span,
        scale: 1.0 / (head as f32).sqrt(),
    }
}

/// What a dispatch reads: queries; keys and values side by side; what each row sees; the bias.
#[derive(Clone)]
pub struct Asked {
    /// Parameters.
    pub p: Attention,
    /// (rows, stride)
    pub queries: Vec<f32>,
    /// (key_rows, key_stride)
    pub keys: Vec<f32>,
    /// From which key each row sees, and to which.
    pub seen: [Vec<u32>; 2],
    /// (span, heads)
    pub bias: Vec<f32>,
}

impl Asked {
    /// Seeded, as a case says.
    pub fn new(case: &Shape, seed: u64, kind: Kind) -> Asked {
        let (seen, key_rows) = seen(case.0, case.4);
        let p = params(seen[0].len(), key_rows, case);
        let mut source = Source::new(seed);
        // Scores of a few thousand, and yet not so large that their own rounding leaves nothing to compare.
        let mut values = |len: u32| -> Vec<f32> {
            source.values(len as usize, kind).into_iter().map(|x| x.clamp(-30.0, 30.0)).collect()
        };
        let (queries, keys) = (values(p.rows * p.stride), values(p.key_rows * p.key_stride));
        Asked { p, queries, keys, seen, bias: values(p.span * p.heads) }
    }

    /// The dispatch.
    pub fn case(&self, name: impl Into<String>) -> Case {
        let out = (self.p.rows * self.p.heads * self.p.head) as usize;
        let ([starts, ends], keys) = (&self.seen, || Arg::F(&self.keys));
        let bias = Arg::F(&self.bias);
        let args = [Arg::F(&self.queries), keys(), keys(), Arg::W(starts), Arg::W(ends), bias, Arg::Out(out)];
        Case::new(name, self.p, &args)
    }

    /// In f64. Tolerance: an error e of a score is a relative error e of its weight; it comes from the product (head + 4
    /// roundings of Σ|q·k|·scale), from the bias and from the exponent (2 roundings of its size).
    pub fn oracle(&self) -> (Vec<f64>, Vec<f64>) {
        let p = &self.p;
        let [heads, head, group] = [p.heads, p.head, p.group].map(|figure| figure as usize);
        let query =
            |row: usize, h: usize, c: usize| f64::from(self.queries[row * p.stride as usize + h * p.step as usize + c]);
        let key = |row: usize, at: u32, h: usize, c: usize| {
            f64::from(self.keys[row * p.key_stride as usize + at as usize + h / group * p.key_step as usize + c])
        };
        let bias = |i: usize, j: usize, h: usize| match p.span {
            0 => 0.0,
            span => {
                let line = (j as i64 - i as i64 + i64::from(span / 2)).clamp(0, i64::from(span) - 1);
                f64::from(self.bias[line as usize * heads + h])
            }
        };
        let (mut truth, mut tolerance) = (Vec::new(), Vec::new());
        for i in 0..p.rows as usize {
            let seen = self.seen[0][i] as usize..self.seen[1][i].min(p.key_rows) as usize;
            for h in 0..heads {
                let terms =
                    |j: usize| (0..head).map(move |c| query(i, h, c) * key(j, p.key_at, h, c) * f64::from(p.scale));
                let scores: Vec<f64> = seen.clone().map(|j| terms(j).sum::<f64>() + bias(i, j, h)).collect();
                let sizes: Vec<f64> =
                    seen.clone().map(|j| terms(j).map(f64::abs).sum::<f64>() + bias(i, j, h).abs()).collect();
                let greatest = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
                let lowest = scores.iter().copied().fold(f64::INFINITY, f64::min);
                let size = sizes.iter().copied().fold(0.0, f64::max);
                let score_off = U * ((head + 5) as f64 * size + 2.0 * (greatest - lowest).min(90.0));
                let total: f64 = scores.iter().map(|s| libm::exp(s - greatest)).sum();
                for c in 0..head {
                    let value = |j: usize| key(j, p.value_at, h, c);
                    let weighted =
                        || seen.clone().zip(&scores).map(|(j, s)| libm::exp(s - greatest) / total * value(j));
                    truth.push(weighted().sum());
                    let size: f64 = weighted().map(f64::abs).sum();
                    let roundings = U * (seen.len() + seen.len().div_ceil(8) + 12) as f64;
                    tolerance.push(size * (2.0 * score_off + roundings) + 1e-36);
                }
            }
        }
        (truth, tolerance)
    }
}
