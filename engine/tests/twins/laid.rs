//! A weight matrix that is laid out for products gives the bits of one that is not, and comes back as it went in.

use crate::both;
use crate::harness::{Kind, Source};
use engine::backend::{
    Backend, Stored,
    cpu::{Cpu, CpuBuffer},
    kernels::{Embed, Loss, Matmul, Params},
};

/// Input and output channels: within a strip, beyond one, beyond a block of k, beyond a panel of columns; and none.
const SHAPES: [[usize; 2]; 9] = [[1, 1], [5, 9], [64, 8], [192, 16], [385, 17], [800, 7], [96, 300], [0, 5], [5, 0]];

/// How both matrices of the same values are stored.
fn stored() -> impl Iterator<Item = Stored> {
    SHAPES.into_iter().flat_map(|[k, n]| [false, true].map(|transposed| Stored { k, n, transposed }))
}

/// Exact mode, and fused products.
fn ways() -> [Cpu; 2] {
    [Cpu, Cpu.fused().expect("Chromium has relaxed SIMD, and natively it is computed step by step")]
}

/// What a kernel makes of the same values in rows and laid out; it writes `out` words.
async fn both_ways<P: Params>(cpu: Cpu, params: P, args: [&CpuBuffer; 5], matrix: (usize, &CpuBuffer), out: usize) {
    let mut results = Vec::new();
    for laid in [false, true] {
        let written = cpu.alloc(out).unwrap();
        let mut args = args.to_vec();
        if laid {
            args[matrix.0] = matrix.1;
        }
        args.truncate(P::ROW.bindings.len() - 1);
        args.push(&written);
        cpu.dispatch(&params, &args).unwrap();
        results.push(cpu.read(&written).await.unwrap());
    }
    assert_eq!(results[0], results[1], "{} by {}", P::ROW.stem, cpu.name());
}

both! {
async fn products_have_the_same_bits() {
    for (seed, stored) in stored().enumerate() {
        let (mut source, Stored { k, n, transposed }) = (Source::new(seed as u64), stored);
        for (cpu, rows) in ways().into_iter().flat_map(|cpu| [1, 6, 10, 261].map(|rows| (cpu, rows))) {
            let up = |values: &[f32]| cpu.upload_f32(values).unwrap();
            let w = source.values(k * n, Kind::Outliers);
            let (x, bias) = (up(&source.values(rows * k, Kind::Plain)), up(&source.values(n, Kind::Plain)));
            let (plain, laid) = (up(&w), cpu.upload_matrix(&w, stored).unwrap());
            let [m, wide, columns] = [rows, k, n].map(|figure| figure as u32);
            let p = Matmul { m, k: wide, n: columns, transposed: u32::from(transposed), biased: 1 };
            both_ways(cpu, p, [&x, &plain, &bias, &x, &x], (1, &laid), rows * n).await;
            if transposed && n > 0 {
                let words = |below: usize, source: &mut Source| -> CpuBuffer {
                    cpu.upload(&(0..rows).map(|_| source.word() % below as u32).collect::<Vec<_>>()).unwrap()
                };
                let targets = words(n, &mut source);
                let p = Loss { rows: m, width: wide, vocab: columns, biased: 1 };
                both_ways(cpu, p, [&x, &plain, &bias, &targets, &x], (1, &laid), rows).await;
                // A token and a place that the tables do not have are among them.
                let (ids, places) = (words(n + 1, &mut source), up(&source.values(3 * k, Kind::Plain)));
                let positions = words(4, &mut source);
                let p = Embed { rows: m, width: wide, vocab: columns, context: 3, scale: 1.5 };
                both_ways(cpu, p, [&ids, &positions, &plain, &places, &x], (2, &laid), rows * k).await;
            }
        }
    }
}
}

both! {
async fn a_laid_matrix_is_read_in_its_own_order() {
    for (seed, stored) in stored().enumerate() {
        let values = Source::new(seed as u64).values(stored.k * stored.n, Kind::Plain);
        let laid = Cpu.upload_matrix(&values, stored).unwrap();
        assert_eq!(Cpu.read_f32(&laid).await.unwrap(), values, "{stored:?}");
    }
}
}

#[cfg(not(target_arch = "wasm32"))]
#[test]
#[should_panic(expected = "given a matrix in strips")]
fn a_kernel_that_reads_rows_does_not_take_it() {
    let laid = Cpu.upload_matrix(&[1.0; 64], Stored { k: 8, n: 8, transposed: false }).unwrap();
    let _ = Cpu.dispatch(&engine::backend::kernels::Add { len: 64 }, &[&Cpu.alloc(64).unwrap(), &laid]);
}
