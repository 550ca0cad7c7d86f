//! Softmax attention, with everything that it can be asked for.

use crate::both;
use crate::harness::{Arg, Kind, Source, U, Walk, run_f32};
use engine::backend::table::Attention;

/// Which keys a row sees.
#[derive(Debug, Clone, Copy)]
enum See {
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
type Case = (&'static [usize], usize, usize, usize, See, usize);

const CASES: &[Case] = &[
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

fn params(rows: usize, key_rows: usize, &(_, heads, head, group, _, span): &Case) -> Attention {
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
struct Given {
    p: Attention,
    queries: Vec<f32>,
    keys: Vec<f32>,
    seen: [Vec<u32>; 2],
    bias: Vec<f32>,
}

impl Given {
    fn new(case: &Case, seed: u64, kind: Kind) -> Given {
        let (seen, key_rows) = seen(case.0, case.4);
        let p = params(seen[0].len(), key_rows, case);
        let mut source = Source::new(seed);
        // Scores of a few thousand, and yet not so large that their own rounding leaves nothing to compare.
        let mut values = |len: u32| -> Vec<f32> {
            source.values(len as usize, kind).into_iter().map(|x| x.clamp(-30.0, 30.0)).collect()
        };
        let (queries, keys) = (values(p.rows * p.stride), values(p.key_rows * p.key_stride));
        Given { p, queries, keys, seen, bias: values(p.span * p.heads) }
    }

    async fn attend(&self) -> Vec<f32> {
        let out = (self.p.rows * self.p.heads * self.p.head) as usize;
        let (keys, [starts, ends]) = (Arg::F(&self.keys), &self.seen);
        let args = [
            Arg::F(&self.queries),
            keys,
            Arg::F(&self.keys),
            Arg::W(starts),
            Arg::W(ends),
            Arg::F(&self.bias),
            Arg::Out(out),
        ];
        run_f32(self.p, &args).await
    }

    /// In f64. Tolerance: an error e of a score is a relative error e of its weight; it comes from the product (head + 4
    /// roundings of Σ|q·k|·scale), from the bias and from the exponent (2 roundings of its size).
    fn oracle(&self) -> (Vec<f64>, Vec<f64>) {
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

pub async fn attention(walk: &mut Walk) {
    for (i, case) in CASES.iter().enumerate() {
        for kind in [Kind::Plain, Kind::Equal, Kind::Zeros, Kind::Tiny, Kind::Outliers] {
            let given = Given::new(case, i as u64 * 8 + kind as u64, kind);
            let (truth, tolerance) = given.oracle();
            walk.compare(&format!("{case:?} {kind:?}"), &given.attend().await, &truth, &tolerance);
        }
    }
}

both! {
async fn packed_sequences_give_the_bits_of_each_alone() {
    for case @ (lengths, heads, head, group, see, span) in CASES {
        let whole = Given::new(case, 77, Kind::Plain);
        let together = whole.attend().await;
        let (mut row, mut key) = (0, 0);
        let (stride, key_stride, width) = (whole.p.stride as usize, whole.p.key_stride as usize, heads * head);
        for len in *lengths {
            let own = vec![*len].leak();
            let mut alone = Given::new(&(own, *heads, *head, *group, *see, *span), 1, Kind::Plain);
            let keys = alone.p.key_rows as usize;
            alone.queries = whole.queries[row * stride..][..len * stride].to_vec();
            alone.keys = whole.keys[key * key_stride..][..keys * key_stride].to_vec();
            alone.bias = whole.bias.clone();
            assert_eq!(alone.attend().await, together[row * width..][..len * width], "{len} of {case:?}");
            (row, key) = (row + len, key + keys);
        }
    }
}
}

both! {
async fn a_row_never_sees_what_comes_after_it() {
    let mut given = Given::new(&(&[21], 2, 8, 1, See::Causal, 0), 78, Kind::Plain);
    let (stride, width) = (given.p.key_stride as usize, 16);
    let before = given.attend().await;
    for row in (1..21).rev() {
        given.keys[row * stride..][..stride].fill(f32::INFINITY);
        let after = given.attend().await;
        assert_eq!(after[..row * width], before[..row * width], "rows before {row}");
        assert!(after[row * width..].iter().all(|x| x.is_nan()), "rows from {row} on");
    }
}
}

both! {
async fn ranges_may_overlap_and_one_of_nothing_gives_zeros() {
    let mut given = Given::new(&(&[6], 1, 4, 1, See::Causal, 0), 79, Kind::Plain);
    given.seen = [vec![0, 0, 1, 9, 2, 3], vec![1, 2, 3, 4, 2, 99]];
    let got = given.attend().await;
    assert_eq!(got[12..20], [0.0; 8]);
    let (truth, tolerance) = given.oracle();
    let mut walk = Walk::new("attention");
    walk.compare("first rows", &got[..12], &truth[..12], &tolerance[..12]);
    // Keys beyond the last are not there.
    walk.compare("last row", &got[20..], &truth[20..], &tolerance[20..]);
    walk.passed();
}
}
