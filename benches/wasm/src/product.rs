//! One product, three contenders.

use std::cell::RefCell;

use crate::backend::Backend;
use crate::backend::cpu::{Cpu, CpuBuffer};
use crate::backend::kernels::{Matmul, MatmulPacked};

struct Operands {
    shape: [usize; 3],
    x: Vec<f32>,
    w: Vec<f32>,
    out: Vec<f32>,
    buffers: [CpuBuffer; 3],
    /// Weights in 8 bits, in 4 bits, and one scale per 64 input channels and output channel.
    packed: [CpuBuffer; 3],
}

/// Input channels that share a scale.
const GROUP: u32 = 64;

thread_local! {
    static OPERANDS: RefCell<Option<Operands>> = const { RefCell::new(None) };
}

/// Values in [−1, 1) from a multiplicative generator: any will do, but no zeros and no subnormals.
pub fn values(len: usize, mut state: u32) -> Vec<f32> {
    (0..len)
        .map(|_| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 8) as f32 / (1u32 << 23) as f32 - 1.0
        })
        .collect()
}

fn with<R>(f: impl FnOnce(&mut Operands) -> R) -> R {
    OPERANDS.with_borrow_mut(|operands| f(operands.as_mut().expect("prepare comes first")))
}

/// Makes operands of x (m, k) · w (k, n).
#[unsafe(no_mangle)]
pub extern "C" fn prepare(m: usize, k: usize, n: usize) {
    let (x, w) = (values(m * k, 1), values(k * n, 2));
    let cpu = Cpu::new();
    let buffers = [cpu.upload_f32(&x), cpu.upload_f32(&w), cpu.alloc(m * n)].map(|b| b.expect("memory"));
    let codes = |words: usize| cpu.upload(&(0..words as u32).map(|i| i.wrapping_mul(0x9e37_79b9)).collect::<Vec<_>>());
    let scales = cpu.upload_f32(&values(k.div_ceil(GROUP as usize) * n, 3));
    let packed = [codes((k * n).div_ceil(4)), codes((k * n).div_ceil(8)), scales].map(|b| b.expect("memory"));
    OPERANDS.set(Some(Operands { shape: [m, k, n], x, w, out: vec![0.0; m * n], buffers, packed }));
}

/// Our kernel, through the backend as the engine calls it.
#[unsafe(no_mangle)]
pub extern "C" fn ours() {
    with(|o| {
        let [m, k, n] = o.shape.map(|d| d as u32);
        let [x, w, out] = &o.buffers;
        Cpu::new().dispatch(&Matmul { m, k, n, transposed: 0, biased: 0 }, &[x, w, w, out]).expect("a valid dispatch");
    });
}

/// Our kernel on 8-bit weights.
#[unsafe(no_mangle)]
pub extern "C" fn q8() {
    with(|o| {
        let [m, k, n] = o.shape.map(|d| d as u32);
        let ([x, w, out], [codes, _, scales]) = (&o.buffers, &o.packed);
        let p = MatmulPacked { m, k, n, transposed: 0, biased: 0, group: GROUP, channels: n, bits: 8 };
        Cpu::new().dispatch(&p, &[x, codes, scales, w, out]).expect("a valid dispatch");
    });
}

/// Our kernel on 4-bit weights.
#[unsafe(no_mangle)]
pub extern "C" fn q4() {
    with(|o| {
        let [m, k, n] = o.shape.map(|d| d as u32);
        let ([x, w, out], [_, codes, scales]) = (&o.buffers, &o.packed);
        let p = MatmulPacked { m, k, n, transposed: 0, biased: 0, group: GROUP, channels: n, bits: 4 };
        Cpu::new().dispatch(&p, &[x, codes, scales, w, out]).expect("a valid dispatch");
    });
}

/// The `gemm` crate.
#[unsafe(no_mangle)]
pub extern "C" fn gemm() {
    with(|o| {
        let [m, k, n] = o.shape;
        // SAFETY: the three matrices are row-major, of exactly these shapes, and do not overlap.
        unsafe {
            ::gemm::gemm(
                m,
                n,
                k,
                o.out.as_mut_ptr(),
                1,
                n as isize,
                false,
                o.x.as_ptr(),
                1,
                k as isize,
                o.w.as_ptr(),
                1,
                n as isize,
                0.0,
                1.0,
                false,
                false,
                false,
                ::gemm::Parallelism::None,
            );
        }
    });
}

/// The `matrixmultiply` crate.
#[unsafe(no_mangle)]
pub extern "C" fn matrixmultiply() {
    with(|o| {
        let [m, k, n] = o.shape;
        let (x, w, out) = (o.x.as_ptr(), o.w.as_ptr(), o.out.as_mut_ptr());
        // SAFETY: as above.
        unsafe {
            ::matrixmultiply::sgemm(m, k, n, 1.0, x, k as isize, 1, w, n as isize, 1, 0.0, out, n as isize, 1);
        }
    });
}

/// Largest difference between our result and the peer's that ran last.
#[unsafe(no_mangle)]
pub extern "C" fn difference() -> f32 {
    with(|o| {
        let ours = o.buffers[2].to_f32();
        ours.iter().zip(&o.out).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max)
    })
}
