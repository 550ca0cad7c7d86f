//! What the CPU backend refuses, and how it says so.

use crate::harness::{self, Arg};
use engine::backend::cpu::Cpu;
use engine::backend::kernels::{Activate, Add, Attention, Histogram, Matmul, MatmulPacked, Params};
use engine::backend::{Backend, BackendError};

/// Two heads of four channels, fused.
const ATTENTION: Attention = Attention {
    rows: 1,
    key_rows: 1,
    heads: 2,
    head: 4,
    group: 1,
    stride: 24,
    step: 4,
    key_stride: 24,
    key_step: 4,
    key_at: 8,
    value_at: 16,
    span: 0,
    scale: 1.0,
};

fn attend(p: Attention) -> Result<Vec<u32>, BackendError> {
    let fused = || Arg::Out(24);
    try_run(p, &[fused(), fused(), fused(), Arg::Out(1), Arg::Out(1), Arg::Out(0), Arg::Out(8)])
}

fn try_run<P: Params>(params: P, args: &[Arg]) -> Result<Vec<u32>, BackendError> {
    pollster::block_on(harness::try_run(params, args))
}

#[test]
fn wrong_number_of_buffers() {
    let fault = try_run(Add { len: 1 }, &[Arg::Out(1)]).unwrap_err();
    assert_eq!(fault, BackendError::Bindings { kernel: "add", expected: 2, given: 1 });
    assert_eq!(fault.to_string(), "kernel add takes 2 buffers and was given 1");
}

#[test]
fn short_buffers() {
    let p = Matmul { m: 3, k: 4, n: 5, transposed: 0, biased: 1 };
    let args = |x, w, bias, out| [Arg::Out(x), Arg::Out(w), Arg::Out(bias), Arg::Out(out)];
    assert!(try_run(p, &args(12, 20, 5, 15)).is_ok());
    for (x, w, bias, out, binding, given, needed) in [
        (11, 20, 5, 15, "x", 11, 12),
        (12, 19, 5, 15, "w", 19, 20),
        (12, 20, 4, 15, "bias", 4, 5),
        (12, 20, 5, 14, "out", 14, 15),
    ] {
        let fault = try_run(p, &args(x, w, bias, out)).unwrap_err();
        assert_eq!(fault, BackendError::Short { kernel: "matmul", binding, given, needed });
    }
}

#[test]
fn shapes_that_overflow_32_bits_are_short_buffers() {
    // 65536 · 65536 is 0 modulo 2³².
    let p = Matmul { m: 65_536, k: 65_536, n: 0, transposed: 0, biased: 0 };
    let fault = try_run(p, &[Arg::Out(8), Arg::Out(8), Arg::Out(0), Arg::Out(8)]).unwrap_err();
    assert!(matches!(fault, BackendError::Short { kernel: "matmul", binding: "x", given: 8, needed } if needed > 8));
    let p = Attention {
        rows: u32::MAX,
        heads: u32::MAX,
        step: 1,
        head: 1,
        stride: u32::MAX,
        key_stride: u32::MAX,
        key_step: 1,
        key_at: 0,
        value_at: 0,
        ..ATTENTION
    };
    assert!(matches!(attend(p), Err(BackendError::Short { kernel: "attention", .. })));
}

#[test]
fn parameters_that_contradict_each_other() {
    let p = MatmulPacked { m: 1, k: 8, n: 8, transposed: 0, biased: 0, group: 8, channels: 1, bits: 4 };
    let args = [Arg::Out(8), Arg::Out(8), Arg::Out(8), Arg::Out(0), Arg::Out(8)];
    let fault = |group, channels, bits| match try_run(MatmulPacked { group, channels, bits, ..p }, &args) {
        Err(BackendError::Parameters { rule, .. }) => Some(rule),
        Err(other) => panic!("{other}"),
        Ok(_) => None,
    };
    assert_eq!(fault(8, 1, 4), None);
    assert_eq!(fault(0, 1, 8), Some("`group` must be at least 1"));
    assert_eq!(fault(8, 3, 4), Some("`channels` must be 1 or n"));
    assert_eq!(fault(8, 1, 5), Some("`bits` must be 4, 8 or 16"));
    let p = Histogram { len: 0, bins: 0, low: 0.0, per_unit: 1.0 };
    assert!(try_run(p, &[Arg::Out(0), Arg::Out(0)]).is_err());
    assert!(attend(ATTENTION).is_ok());
    for p in [
        Attention { value_at: 17, ..ATTENTION },
        Attention { stride: 7, ..ATTENTION },
        Attention { group: 0, ..ATTENTION },
        Attention { group: 3, ..ATTENTION },
    ] {
        assert!(matches!(attend(p), Err(BackendError::Parameters { kernel: "attention", .. })), "{p:?}");
    }
    assert!(matches!(try_run(Activate { len: 1, kind: 5 }, &[Arg::Out(1)]), Err(BackendError::Parameters { .. })));
}

#[test]
fn a_written_buffer_bound_twice() {
    let cpu = Cpu::new();
    let buffer = cpu.alloc(64).unwrap();
    let aliased = |binding| Err(BackendError::Aliased { kernel: "matmul", binding });
    let p = Matmul { m: 1, k: 1, n: 1, transposed: 0, biased: 0 };
    assert_eq!(cpu.dispatch(&p, &[&buffer, &buffer, &buffer, &buffer.clone()]), aliased("out"));
    let out = cpu.alloc(64).unwrap();
    assert_eq!(cpu.dispatch(&p, &[&buffer, &buffer, &buffer, &out]), Ok(()));
    // A refusal leaves nothing borrowed.
    assert_eq!(cpu.dispatch(&Activate { len: 64, kind: 0 }, &[&buffer]), Ok(()));
    assert_eq!(
        cpu.dispatch(&Add { len: 1 }, &[&out, &out]),
        Err(BackendError::Aliased { kernel: "add", binding: "y" })
    );
}

#[test]
fn buffers_are_fresh_and_clones_share() {
    let cpu = Cpu::new();
    for _ in 0..3 {
        let zeros = cpu.alloc(1000).unwrap();
        assert!(pollster::block_on(cpu.read(&zeros)).unwrap().iter().all(|word| *word == 0));
        let ones = cpu.upload_f32(&[1.0; 1000]).unwrap();
        cpu.dispatch(&Add { len: 1000 }, &[&zeros.clone(), &ones]).unwrap();
        assert_eq!(pollster::block_on(cpu.read_f32(&zeros)).unwrap(), [1.0; 1000]);
    }
    assert_eq!(cpu.name(), "cpu");
}
