//! A row of a result does not know its batch; and a device that takes subnormal halves for 0 would be found out.

use crate::both;
use crate::harness::{Arg, Kind, Source, dispatched, run_f32};
use engine::backend::{
    cpu::Cpu,
    kernels::{LayerNorm, Loss, Matmul, MatmulPacked},
    wgpu::Wgpu,
};

async fn product(x: &[f32], w: &[f32], [m, k, n]: [usize; 3]) -> Vec<f32> {
    let p = Matmul { m: m as u32, k: k as u32, n: n as u32, transposed: 0, biased: 0 };
    run_f32(p, &[Arg::F(x), Arg::F(w), Arg::F(&[]), Arg::Out(m * n)]).await
}

both! {
async fn a_row_of_a_product_does_not_know_its_batch() {
    let (k, n) = (300, 37);
    let mut source = Source::new(5);
    let (x, w) = (source.values(11 * k, Kind::Outliers), source.values(k * n, Kind::Plain));
    let together = product(&x, &w, [11, k, n]).await;
    for (row, together) in x.chunks(k).zip(together.chunks(n)) {
        assert_eq!(product(row, &w, [1, k, n]).await, together);
    }
}
}

async fn normed(x: &[f32], gain: &[f32], bias: &[f32], rows: usize) -> Vec<f32> {
    let (rows, width) = (rows as u32, gain.len() as u32);
    let p = LayerNorm { rows, width, eps: 1e-5, offset: 0.0, centred: 1, biased: 1 };
    run_f32(p, &[Arg::F(x), Arg::F(gain), Arg::F(bias), Arg::Out(x.len())]).await
}

both! {
async fn a_normed_row_does_not_know_its_batch() {
    let mut source = Source::new(3);
    let (x, gain, bias) =
        (source.values(9 * 77, Kind::Plain), source.values(77, Kind::Plain), source.values(77, Kind::Plain));
    for (row, together) in x.chunks(77).zip(normed(&x, &gain, &bias, 9).await.chunks(77)) {
        assert_eq!(normed(row, &gain, &bias, 1).await, together);
    }
}
}

async fn losses(x: &[f32], w: &[f32], bias: &[f32], targets: &[u32], width: usize) -> Vec<f32> {
    let (rows, vocab, biased) = (targets.len() as u32, (w.len() / width) as u32, u32::from(!bias.is_empty()));
    let p = Loss { rows, width: width as u32, vocab, biased };
    run_f32(p, &[Arg::F(x), Arg::F(w), Arg::F(bias), Arg::W(targets), Arg::Out(targets.len())]).await
}

both! {
async fn a_loss_does_not_know_its_batch() {
    let (width, vocab) = (19, 700);
    let mut source = Source::new(9);
    let (x, w) = (source.values(260 * width, Kind::Plain), source.values(vocab * width, Kind::Plain));
    let targets: Vec<u32> = (0..260).map(|_| source.word() % vocab as u32).collect();
    let together = losses(&x, &w, &[], &targets, width).await;
    for (i, row) in x.chunks(width).enumerate() {
        assert_eq!(losses(row, &w, &[], &targets[i..=i], width).await[0].to_bits(), together[i].to_bits());
    }
}
}

both! {
/// Nothing but subnormal halves: a device that took them for 0 would be found out.
async fn subnormal_halves_are_no_zeros() {
    let gpu = Wgpu::open(|_, _| ()).await.unwrap();
    let words: Vec<u32> = (0..512).map(|i| (2 * i + 1) | (0x8000 + 2 * i) << 16).collect();
    let p = MatmulPacked { m: 9, k: 1, n: 1024, transposed: 0, biased: 0, group: 1, channels: 1, bits: 16 };
    let args = [Arg::F(&[1024.0; 9]), Arg::W(&words), Arg::F(&[]), Arg::F(&[]), Arg::Out(9 * 1024)];
    let got = dispatched(&gpu, p, &args).await.unwrap();
    assert_eq!(got, dispatched(&Cpu, p, &args).await.unwrap());
    assert_eq!(f32::from_bits(got[0]), 1.0 / 16_384.0);
}
}
