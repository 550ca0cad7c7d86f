//! Fused products against the f64 oracle and against exact mode, over the cases of the kernels that have them; and their own
//! law: one sum over k in order, each step rounded once.

use crate::harness::{Allowance, Arg, KINDS, Kind, Source, Walk, dispatched, run_on_cpu};
use crate::{both, proof};
use engine::backend::{
    Backend,
    cpu::{Cpu, FUSED, is_cpu},
    kernels::{Loss, Matmul, Params},
};

/// A step that rounds once is never off by more than one that rounds twice.
const ALLOWED: Allowance = Allowance { times: 1.0, lost: 0.0, same_bits: false };

fn fused() -> Cpu {
    Cpu.fused().expect("Chromium has relaxed SIMD, and natively it is computed step by step")
}

async fn floats(cpu: &Cpu, p: impl Params, args: &[Arg<'_>]) -> Vec<f32> {
    dispatched(cpu, p, args).await.unwrap().into_iter().map(f32::from_bits).collect()
}

both! {
async fn fused_products_agree_with_their_oracle() {
    for stem in ["matmul", "matmul_packed", "loss"] {
        let _elsewhere = run_on_cpu(fused());
        let (mut walk, (row, proof)) = (Walk::allowing(stem, ALLOWED), proof(stem));
        walk.through(row, proof).await;
        walk.passed();
    }
}
}

both! {
/// Also across tiles of six rows, strips that stick out and blocks of k, with a bias and without.
async fn every_step_of_a_fused_sum_rounds_once() {
    for (i, s) in [[1, 1, 1], [7, 5, 9], [6, 64, 8], [13, 400, 17], [12, 385, 8]].into_iter().enumerate() {
        let [m, k, n] = s;
        for kind in KINDS {
            let mut source = Source::new(i as u64 * 8 + kind as u64);
            let (x, w) = (source.values(m * k, kind), source.values(k * n, Kind::Plain));
            let bias = source.values(if i % 2 == 0 { n } else { 0 }, Kind::Plain);
            let p = Matmul { m: m as u32, k: k as u32, n: n as u32, transposed: 0, biased: u32::from(i % 2 == 0) };
            let got = floats(&fused(), p, &[Arg::F(&x), Arg::F(&w), Arg::F(&bias), Arg::Out(m * n)]).await;
            for (at, got) in got.into_iter().enumerate() {
                let (row, column) = (at / n, at % n);
                let step = |sum: f32, l: usize| libm::fmaf(x[row * k + l], w[l * n + column], sum);
                let sum = (0..k).fold(0.0, step);
                let sum = bias.get(column).map_or(sum, |bias| sum + bias);
                assert_eq!(got.to_bits(), sum.to_bits(), "{s:?} {kind:?} at {at}: {got:e}, not {sum:e}");
            }
        }
    }
}
}

both! {
async fn a_row_of_a_fused_product_does_not_know_its_batch() {
    let (k, n) = (300, 137);
    let mut source = Source::new(5);
    let (x, w) = (source.values(11 * k, Kind::Outliers), source.values(k * n, Kind::Plain));
    let products = async |x: &[f32]| {
        let m = x.len() / k;
        let p = Matmul { m: m as u32, k: k as u32, n: n as u32, transposed: 0, biased: 0 };
        floats(&fused(), p, &[Arg::F(x), Arg::F(&w), Arg::F(&[]), Arg::Out(m * n)]).await
    };
    let targets: Vec<u32> = (0..11).map(|_| source.word() % n as u32).collect();
    let losses = async |x: &[f32], targets: &[u32]| {
        let p = Loss { rows: targets.len() as u32, width: k as u32, vocab: n as u32, biased: 0 };
        let args = [Arg::F(x), Arg::F(&w), Arg::F(&[]), Arg::W(targets), Arg::Out(targets.len())];
        floats(&fused(), p, &args).await
    };
    let (together, lost) = (products(&x).await, losses(&x, &targets).await);
    for (i, row) in x.chunks(k).enumerate() {
        assert_eq!(products(row).await, together[i * n..][..n]);
        assert_eq!(losses(row, &targets[i..=i]).await, lost[i..=i]);
    }
}
}

both! {
/// What is called fused is not exact mode under another name.
async fn fused_products_are_not_exact_ones() {
    assert!(fused().name() == FUSED && is_cpu(FUSED) && is_cpu(Cpu.name()));
    let mut source = Source::new(3);
    let (x, w) = (source.values(64, Kind::Plain), source.values(64 * 64, Kind::Plain));
    let p = Matmul { m: 1, k: 64, n: 64, transposed: 0, biased: 0 };
    let args = [Arg::F(&x), Arg::F(&w), Arg::F(&[]), Arg::Out(64)];
    assert_ne!(floats(&fused(), p, &args).await, floats(&Cpu, p, &args).await);
}
}
