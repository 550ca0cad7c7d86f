//! Tensors larger than a binding: the kernels that take them in windows give the same bits as with the whole, the others refuse.

use std::borrow::Cow;

use crate::both;
use crate::goldens::{gpt2, gpt2_cases};
use crate::harness::{Arg, Kind, Source, dispatched};
use engine::backend::{
    Backend, BackendError,
    kernels::{Add, Embed, Loss, Matmul, MatmulPacked, Params},
    wgpu::{Options, Reuse, Wgpu},
};

/// Bytes that a binding may have here.
const LIMIT: u64 = 16 << 10;

/// (m, k, n) of products whose weights are larger than [`LIMIT`] in f32, and in the last three also in 4 bits: lines that begin
/// at fours and others, many rows and few.
const PRODUCTS: [[usize; 3]; 9] = [
    [9, 300, 77],
    [33, 64, 120],
    [12, 128, 96],
    [40, 100, 101],
    [5, 513, 67],
    [1, 768, 130],
    [9, 448, 300],
    [9, 445, 300],
    [6, 513, 300],
];
/// Up to so many rows a sum over k is made of slices; over windows they are other slices.
const FEW: usize = 8;

async fn opened(reuse: Reuse, binding: Option<u64>, broken: Option<(&str, &str, &str)>) -> Wgpu {
    let source = |of: &'static str, text: &'static str| match broken {
        Some((stem, from, to)) if stem == of => {
            assert!(text.contains(from), "{stem}: `{from}` is not there to be broken");
            Cow::Owned(text.replace(from, to))
        }
        _ => Cow::Borrowed(text),
    };
    let options = Options { source: &source, reuse: Some(reuse), binding, ..Options::default() };
    Wgpu::open_with(&options, &mut |_, _| ()).await.unwrap()
}

/// Two devices, one of which binds [`LIMIT`] bytes, and what they made of the same differently.
struct Pair {
    whole: Wgpu,
    split: Wgpu,
    cases: usize,
    faults: Vec<String>,
}

impl Pair {
    /// `near` is how far two values may be apart, 0 for the same bits.
    async fn compare<P: Params + std::fmt::Debug>(&mut self, params: P, args: &[Arg<'_>], near: f32) {
        let windows = (P::ROW.launches)(bytemuck::cast_slice(&[params]), LIMIT as usize / 4);
        assert!(windows.iter().filter(|launch| launch.window.is_some()).count() > 1, "{params:?} is not split");
        if !self.faults.is_empty() {
            return;
        }
        let whole = dispatched(&self.whole, params, args).await.unwrap();
        let split = dispatched(&self.split, params, args).await.unwrap();
        self.cases += 1;
        let same = |(a, b): (&u32, &u32)| a == b || (f32::from_bits(*a) - f32::from_bits(*b)).abs() <= near;
        if let Some(i) = whole.iter().zip(&split).position(|pair| !same(pair)) {
            let [whole, split] = [whole[i], split[i]].map(f32::from_bits);
            self.faults.push(format!("{params:?}: value {i} is {split:e}, whole {whole:e}"));
        }
    }

    async fn products(&mut self) {
        for (i, s @ [m, k, n]) in PRODUCTS.into_iter().enumerate() {
            for transposed in [0, 1] {
                let mut source = Source::new(i as u64);
                let (x, w) = (source.values(m * k, Kind::Plain), source.values(k * n, Kind::Plain));
                let bias = source.values(n, Kind::Plain);
                // A sum of some hundred products of at most 1, in another order.
                let near = if m <= FEW && transposed == 0 { 2e-4 } else { 0.0 };
                let [m, k, n] = s.map(|d| d as u32);
                let args = [Arg::F(&x), Arg::F(&w), Arg::F(&bias), Arg::Out(s[0] * s[2])];
                let biased = u32::from(!i.is_multiple_of(3));
                self.compare(Matmul { m, k, n, transposed, biased }, &args, near).await;
            }
        }
    }

    async fn packed_products(&mut self) {
        for s @ [m, k, n] in PRODUCTS.into_iter().skip(6) {
            for (transposed, bits) in [(0, 4), (1, 4), (0, 8), (1, 8), (0, 16), (1, 16)] {
                let mut source = Source::new(bits as u64);
                let (x, bias) = (source.values(m * k, Kind::Plain), source.values(n, Kind::Plain));
                // As halves below 1.
                let codes: Vec<u32> = (0..(k * n * bits).div_ceil(32)).map(|_| source.word() & 0xbbff_bbff).collect();
                let scales: Vec<f32> =
                    source.values(k.div_ceil(64) * n, Kind::Plain).iter().map(|s| s / 99.0).collect();
                let near = if m <= FEW && transposed == 0 { 2e-4 } else { 0.0 };
                let [m, k, n, bits] = [m, k, n, bits].map(|d| d as u32);
                let args = [Arg::F(&x), Arg::W(&codes), Arg::F(&scales), Arg::F(&bias), Arg::Out(s[0] * s[2])];
                let p = MatmulPacked { m, k, n, transposed, biased: 1, group: 64, channels: n, bits };
                self.compare(p, &args, near).await;
            }
        }
    }

    async fn losses(&mut self) {
        // The windows of the last two end within slices.
        for [rows, width, vocab] in [[17, 9, 700], [3, 8, 701], [9, 4, 5001], [17, 3, 5003]] {
            let mut source = Source::new(vocab as u64);
            let (x, w) = (source.values(rows * width, Kind::Plain), source.values(vocab * width, Kind::Plain));
            let targets: Vec<u32> = (0..rows).map(|_| source.word() % vocab as u32).collect();
            let p = Loss { rows: rows as u32, width: width as u32, vocab: vocab as u32, biased: 0 };
            self.compare(p, &[Arg::F(&x), Arg::F(&w), Arg::F(&[]), Arg::W(&targets), Arg::Out(rows)], 0.0).await;
        }
    }

    async fn embeddings(&mut self) {
        for [rows, width, vocab] in [[40, 17, 1000], [200, 12, 601], [62, 66, 63]] {
            let (mut source, context) = (Source::new(vocab as u64), 11);
            let tokens = source.values(vocab * width, Kind::Plain);
            let places = source.values(context * width, Kind::Plain);
            // In the last case every token in turn, also those at the edges of windows.
            let id = |i| if 2 * rows > vocab { i } else { source.word() % (vocab as u32 + 9) };
            let ids: Vec<u32> = (0..rows as u32).map(id).collect();
            let positions: Vec<u32> = (0..rows).map(|_| source.word() % (context as u32 + 1)).collect();
            let p = Embed {
                rows: rows as u32,
                width: width as u32,
                vocab: vocab as u32,
                context: context as u32,
                scale: 1.0,
            };
            let args = [Arg::W(&ids), Arg::W(&positions), Arg::F(&tokens), Arg::F(&places), Arg::Out(rows * width)];
            self.compare(p, &args, 0.0).await;
        }
    }

    /// Every case, or those of the kernel that is broken; up to the first fault.
    async fn all(whole: Wgpu, reuse: Reuse, broken: Option<(&str, &str, &str)>) -> Pair {
        let split = opened(reuse, Some(LIMIT), broken).await;
        let mut pair = Pair { whole, split, cases: 0, faults: Vec::new() };
        let only = broken.map(|(stem, ..)| stem);
        if only.is_none_or(|stem| stem == "matmul") {
            pair.products().await;
        }
        if only.is_none_or(|stem| stem == "matmul_packed") {
            pair.packed_products().await;
        }
        if only.is_none_or(|stem| stem == "loss") {
            pair.losses().await;
        }
        if only.is_none_or(|stem| stem == "embed") {
            pair.embeddings().await;
        }
        assert!(pair.cases > 0, "nothing was compared");
        pair
    }
}

both! {
async fn windows_change_no_bit() {
    for reuse in [Reuse::Workgroup, Reuse::Cache] {
        let pair = Pair::all(opened(reuse, None, None).await, reuse, None).await;
        assert!(pair.faults.is_empty(), "{reuse:?}:\n{}", pair.faults.join("\n"));
    }
}
}

both! {
async fn a_broken_window_is_seen() {
    use Reuse::{Cache, Workgroup};
    let (in_memory, in_cache) = (opened(Workgroup, None, None).await, opened(Cache, None, None).await);
    for (reuse, stem, from, to) in [
        (Cache, "matmul", "vec4u(columns - 1u)) * fours - fours_before()", "vec4u(columns - 1u)) * fours"),
        (Cache, "matmul", "begin * line - fours_before()", "begin * line"),
        (Workgroup, "matmul", "w[(i - p.first) / 4u]", "w[i / 4u]"),
        (Workgroup, "matmul", "w_quad(i / 4u - fours_before()", "w_quad(i / 4u"),
        (Workgroup, "matmul", "select(0u, p.low, TRANSPOSED)", "0u"),
        (Workgroup, "matmul", "&& end_k() == p.k", ""),
        (Workgroup, "matmul", "whole = standing(group.y, first + 4u * lane)", "whole = vec4f()"),
        (Cache, "matmul", "sums[r] = standing(row + r, column)", "sums[r] = vec4f()"),
        (Workgroup, "matmul_packed", "codes[i / per_word - p.first]", "codes[i / per_word]"),
        (Workgroup, "matmul_packed", "w_quad(i / 4u - fours_before()", "w_quad(i / 4u"),
        (Workgroup, "loss", "p.low > slice * SLICE", "p.low > slice * SLICE + SLICE"),
        (Cache, "loss", "max(slice * SLICE, p.low)", "slice * SLICE"),
        (Workgroup, "embed", "id < p.high", "id < p.high - 1u"),
        (Workgroup, "embed", "p.low == 0u", "p.low == 1u"),
    ] {
        let whole = if reuse == Cache { &in_cache } else { &in_memory };
        let pair = Pair::all(whole.clone(), reuse, Some((stem, from, to))).await;
        assert!(!pair.faults.is_empty(), "{stem} with `{to}` for `{from}` passes");
    }
}
}

both! {
async fn what_no_window_makes_small_is_refused_with_the_limit() {
    let gpu = opened(Reuse::Workgroup, Some(LIMIT), None).await;
    let refused = |kernel, binding, bytes| Err(BackendError::Unbindable { kernel, binding, bytes, limit: LIMIT });
    // A buffer may be larger than a binding, and a part of it be bound.
    let (x, y) = (gpu.upload_f32(&[1.0; 5000]).unwrap(), gpu.upload_f32(&[2.0; 5000]).unwrap());
    assert_eq!(gpu.dispatch(&Add { len: 5000 }, &[&x, &y]), refused("add", "x", 20_000));
    assert_eq!(gpu.dispatch(&Add { len: 4096 }, &[&x, &y]), Ok(()));
    let sum = gpu.read_f32(&x).await.unwrap();
    assert!(sum[..4096].iter().all(|x| *x == 3.0) && sum[4096..].iter().all(|x| *x == 1.0));
    // One line alone is larger.
    let p = Matmul { m: 1, k: 5000, n: 1, transposed: 1, biased: 0 };
    assert_eq!(gpu.dispatch(&p, &[&x, &y, &y, &gpu.alloc(1).unwrap()]), refused("matmul", "x", 20_000));
    let w = gpu.alloc(20_000).unwrap();
    let p = Matmul { m: 1, k: 4, n: 5000, transposed: 0, biased: 0 };
    assert_eq!(gpu.dispatch(&p, &[&x, &w, &y, &gpu.alloc(5000).unwrap()]), refused("matmul", "w", 80_000));
}
}

both! {
/// Of the table of tokens (101, 24) and the matrices of an MLP, (24, 96) and (96, 24), 2,048 words are seen at once.
async fn gpt2_agrees_with_transformers_through_windows() {
    for reuse in [Reuse::Workgroup, Reuse::Cache] {
        let device = gpt2(opened(reuse, Some(4 * 2048), None).await).await.device;
        for case in gpt2_cases() {
            case.agrees(&device).await;
        }
    }
}
}

/// At the device's own limit.
#[cfg(not(target_arch = "wasm32"))]
#[test]
fn a_table_larger_than_the_device_binds_is_looked_up() {
    pollster::block_on(async {
        let gpu = Wgpu::open(|_, _| ()).await.unwrap();
        let (width, vocab) = (1000, 1 + gpu.binding_limit() as usize / 4000);
        let tokens: Vec<u32> = (0..vocab).flat_map(|id| vec![(id as f32).to_bits(); width]).collect();
        let ids = [0, vocab as u32 - 1, 7, vocab as u32 / 2];
        let zeros = vec![0.0; width];
        let p = Embed { rows: 4, width: width as u32, vocab: vocab as u32, context: 1, scale: 1.0 };
        let args = [Arg::W(&ids), Arg::W(&[0; 4]), Arg::W(&tokens), Arg::F(&zeros), Arg::Out(4 * width)];
        let rows = dispatched(&gpu, p, &args).await.unwrap();
        for (row, id) in rows.chunks(width).zip(ids) {
            assert!(row.iter().all(|word| f32::from_bits(*word) == id as f32), "row of token {id}");
        }
    });
}
