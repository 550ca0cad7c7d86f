//! The GPU backend itself: what it refuses, what it keeps, and a whole model on it. Without an adapter these tests fail.

use std::{borrow::Cow, cell::RefCell, collections::BTreeMap, path::PathBuf};

use fairbits::{
    arch::{
        batch::Batch,
        forward::{Observer, Tap, forward},
        load::{Opened, open},
    },
    backend::{
        Backend, BackendError,
        table::{Add, Gelu, Matmul, Norms},
        wgpu::{Wgpu, WgpuBuffer},
    },
    model::source::Folder,
};
use pollster::block_on;
use serde::Deserialize;

/// Relative to the largest figure of its kind, as on the CPU; goldens are computed in f64 from the same f32 weights.
const TOLERANCE: f64 = 1e-4;

fn gpu() -> Wgpu {
    block_on(Wgpu::open(|_, _| ())).unwrap()
}

#[test]
fn kernels_are_compiled_with_progress_and_the_adapter_has_a_name() {
    let mut heard = Vec::new();
    let gpu = block_on(Wgpu::open(|done, of| heard.push((done, of)))).unwrap();
    let kernels = fairbits::backend::table::TABLE.len();
    assert_eq!(heard, (0..=kernels).map(|done| (done, kernels)).collect::<Vec<_>>());
    assert!(!gpu.adapter().name.is_empty());
    assert_eq!(gpu.name(), "webgpu");
}

#[test]
fn a_shader_that_does_not_compile_is_named() {
    let broken = |shader: &'static fairbits::backend::shaders::Shader| match shader.stem {
        "gelu" => Cow::Owned(shader.source.replace("p.len", "p.length")),
        _ => Cow::Borrowed(shader.source),
    };
    let Err(fault) = block_on(Wgpu::open_with(broken, |_, _| ())) else { panic!("it compiled") };
    assert!(matches!(fault, BackendError::Shader { kernel: "gelu", .. }), "{fault}");
    assert!(fault.to_string().contains("length"), "{fault}");
}

#[test]
fn what_the_cpu_refuses_is_refused_here() {
    let gpu = gpu();
    let (four, other) = (gpu.alloc(4).unwrap(), gpu.alloc(4).unwrap());
    let add = |len, bindings: &[&WgpuBuffer]| gpu.dispatch(&Add { len }, bindings);
    assert_eq!(add(4, &[&four]), Err(BackendError::Bindings { kernel: "add", expected: 2, given: 1 }));
    let short = BackendError::Short { kernel: "add", binding: "x", given: 4, needed: 5 };
    assert_eq!(add(5, &[&four, &other]), Err(short));
    assert_eq!(add(4, &[&four, &four.clone()]), Err(BackendError::Aliased { kernel: "add", binding: "y" }));
    assert_eq!(add(4, &[&four, &other]), Ok(()));
    let product = Matmul { m: 1, k: 1, n: 1, transposed: 0, biased: 0 };
    assert_eq!(gpu.dispatch(&product, &[&four, &four, &four, &other]), Ok(()));
}

#[test]
fn a_tensor_larger_than_a_binding_is_refused() {
    let Err(BackendError::TooLarge { bytes, limit }) = gpu().alloc(1 << 40) else { panic!("4 TiB were given") };
    assert_eq!(bytes, 4 << 40);
    assert!(limit >= 128 << 20, "WebGPU promises 128 MiB, here are {limit} bytes");
}

#[test]
fn work_longer_than_a_submission_keeps_its_order() {
    let gpu = gpu();
    let one = gpu.upload_f32(&[1.0; 300]).unwrap();
    let sum = gpu.alloc(300).unwrap();
    for _ in 0..1000 {
        gpu.dispatch(&Add { len: 300 }, &[&sum, &one]).unwrap();
    }
    assert_eq!(block_on(gpu.read_f32(&sum)).unwrap(), [1000.0; 300]);
}

/// A buffer that comes back while recorded work still reads it must not be overwritten before that work is done.
#[test]
fn buffers_used_again_never_mix() {
    let gpu = gpu();
    for round in 0..20 {
        let sum = gpu.alloc(1000).unwrap();
        for i in 0..30 {
            let term = gpu.upload_f32(&[(round * 100 + i) as f32; 1000]).unwrap();
            gpu.dispatch(&Add { len: 1000 }, &[&sum, &term]).unwrap();
            drop(term);
            let zeros = gpu.alloc(1000).unwrap();
            gpu.dispatch(&Add { len: 1000 }, &[&sum, &zeros]).unwrap();
        }
        let expected = (0..30).map(|i| (round * 100 + i) as f32).sum::<f32>();
        assert_eq!(block_on(gpu.read_f32(&sum)).unwrap(), [expected; 1000], "round {round}");
    }
}

#[test]
fn empty_tensors_are_no_trouble() {
    let gpu = gpu();
    let nothing = gpu.alloc(0).unwrap();
    gpu.dispatch(&Gelu { len: 0 }, &[&nothing]).unwrap();
    assert_eq!(block_on(gpu.read(&nothing)), Ok(Vec::new()));
}

#[derive(Deserialize)]
struct Case {
    tokens: Vec<u32>,
    losses: Vec<f64>,
    norms: BTreeMap<String, Vec<f64>>,
}

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/gpt2-tiny")
}

fn cases() -> Vec<Case> {
    serde_json::from_str(&std::fs::read_to_string(folder().join("golden.json")).unwrap()).unwrap()
}

fn tiny() -> Opened<Wgpu> {
    block_on(open(gpu(), &Folder::new(folder()), "gpt2-tiny", &mut ())).unwrap()
}

fn batch(case: &Case) -> Batch {
    let mut batch = Batch::default();
    let n = case.tokens.len();
    batch.push_window(&case.tokens[..n - 1], &case.tokens[1..]);
    batch
}

/// Keeps the norms at every tap, unread.
#[derive(Default)]
struct Watch(RefCell<BTreeMap<String, WgpuBuffer>>);

impl Observer<Wgpu> for Watch {
    fn see(
        &mut self,
        gpu: &Wgpu,
        tap: Tap,
        stream: &WgpuBuffer,
        rows: usize,
        width: usize,
    ) -> Result<(), BackendError> {
        let name = match tap {
            Tap::Embedding => "embedding".to_string(),
            Tap::Hidden(layer) => format!("hidden.{layer}"),
            Tap::Last => "last".to_string(),
        };
        let out = gpu.alloc(rows)?;
        gpu.dispatch(&Norms { rows: rows as u32, width: width as u32 }, &[stream, &out])?;
        self.0.borrow_mut().insert(name, out);
        Ok(())
    }
}

fn close(what: &str, ours: &[f32], golden: &[f64]) {
    assert_eq!(ours.len(), golden.len(), "{what}");
    let scale = golden.iter().fold(0.0_f64, |most, value| most.max(value.abs()));
    for (i, (&ours, &golden)) in ours.iter().zip(golden).enumerate() {
        let error = (f64::from(ours) - golden).abs() / scale;
        assert!(error <= TOLERANCE, "{what}[{i}]: {ours} against {golden}, relative error {error:e}");
    }
}

async fn nothing() {}

#[test]
fn gpt2_agrees_with_transformers() {
    let device = tiny().device;
    for case in cases() {
        let mut watch = Watch::default();
        let batch = batch(&case);
        let run = forward(&device.backend, &device.spec, device.full(), &batch, &mut watch, &nothing);
        close("losses", &block_on(run).unwrap(), &case.losses);
        let seen = watch.0.into_inner();
        assert_eq!(seen.len(), case.norms.len());
        for (tap, golden) in &case.norms {
            close(tap, &block_on(device.backend.read_f32(&seen[tap])).unwrap(), golden);
        }
    }
}

#[test]
fn a_thousand_passes_leak_nothing() {
    let device = tiny().device;
    let case = cases().pop().unwrap();
    let batch = batch(&case);
    let kept = || (device.backend.buffers(), device.backend.allocated());
    let (mut after_ten, mut nobody) = ((0, None), ());
    for pass in 0..1000 {
        let run = forward(&device.backend, &device.spec, device.full(), &batch, &mut nobody, &nothing);
        let losses = block_on(run).unwrap();
        if pass == 9 {
            after_ten = kept();
        }
        if pass == 999 {
            close("losses", &losses, &case.losses);
        }
    }
    assert_eq!(kept(), after_ten, "buffers and bytes after all passes and after the first ten");
    assert!(after_ten.1.is_some_and(|bytes| bytes > 0), "the bytes were not counted");
}
