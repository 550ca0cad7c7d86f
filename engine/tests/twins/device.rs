//! The GPU backend itself: what it refuses, what it keeps, how it fails, and a whole model on it. Without an adapter these tests
//! fail.

use std::borrow::Cow;

use crate::both;
use crate::goldens::{FIXTURES, Fixture, TOLERANCE, close, gpt2, gpt2_cases, nothing};
use engine::{
    arch::{
        forward::forward,
        load::look_through,
        passes::run_texts,
        recipe::{Quantization, Recipe},
        weights::Device,
    },
    backend::{
        Backend, BackendError,
        choose::self_check,
        cpu::Cpu,
        kernels::{Activate, Add, Matmul, TABLE},
        wgpu::{Options, Wgpu, WgpuBuffer},
    },
    math::{
        clipping::Rule,
        quantizer::{Bits, Granularity, Uniform},
    },
};
use half::f16;

async fn gpu() -> Wgpu {
    Wgpu::open(|_, _| ()).await.unwrap()
}

/// A device whose shader `stem` says `to` where it said `from`.
async fn broken(stem: &str, from: &str, to: &str) -> Result<Wgpu, BackendError> {
    let source = |of: &'static str, text: &'static str| {
        if of != stem {
            return Cow::Borrowed(text);
        }
        assert!(text.contains(from), "{stem}: `{from}` is not there");
        Cow::Owned(text.replace(from, to))
    };
    Wgpu::open_with(&Options { source: &source, ..Options::default() }, &mut |_, _| ()).await
}

both! {
async fn kernels_are_compiled_with_progress_and_the_adapter_has_a_name() {
    let mut heard = Vec::new();
    let gpu = Wgpu::open(|done, of| heard.push((done, of))).await.unwrap();
    let kernels = TABLE.len();
    assert_eq!(heard, (0..=kernels).map(|done| (done, kernels)).collect::<Vec<_>>());
    assert!(!gpu.adapter().name.is_empty());
    assert_eq!(gpu.name(), "webgpu");
}
}

both! {
async fn a_shader_that_does_not_compile_is_named() {
    let Err(fault) = broken("activate", "p.len", "p.length").await else { panic!("it compiled") };
    assert!(matches!(fault, BackendError::Shader { kernel: "activate", .. }), "{fault}");
    assert!(fault.to_string().contains("length"), "{fault}");
}
}

both! {
async fn what_the_cpu_refuses_is_refused_here() {
    let gpu = gpu().await;
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
}

both! {
async fn a_tensor_larger_than_a_buffer_is_refused() {
    // 8 GiB in a browser, more than there is anywhere else.
    let words = (usize::MAX >> 1) >> (usize::BITS / 4 - 8);
    let Err(BackendError::TooLarge { bytes, limit }) = gpu().await.alloc(words) else { panic!("all memory was given") };
    assert_eq!(bytes, (4 * words as u64).next_multiple_of(16));
    assert!(limit >= 256 << 20, "WebGPU promises 256 MiB, here are {limit} bytes");
}
}

both! {
async fn work_longer_than_a_submission_keeps_its_order() {
    let gpu = gpu().await;
    let one = gpu.upload_f32(&[1.0; 300]).unwrap();
    let sum = gpu.alloc(300).unwrap();
    for _ in 0..1000 {
        gpu.dispatch(&Add { len: 300 }, &[&sum, &one]).unwrap();
    }
    assert_eq!(gpu.read_f32(&sum).await.unwrap(), [1000.0; 300]);
}
}

both! {
/// A buffer that comes back while recorded work still reads it must not be overwritten before that work is done.
async fn buffers_used_again_never_mix() {
    let gpu = gpu().await;
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
        assert_eq!(gpu.read_f32(&sum).await.unwrap(), [expected; 1000], "round {round}");
    }
}
}

both! {
async fn empty_tensors_are_no_trouble() {
    let gpu = gpu().await;
    let nothing = gpu.alloc(0).unwrap();
    gpu.dispatch(&Activate { len: 0, kind: 0 }, &[&nothing]).unwrap();
    assert_eq!(gpu.read(&nothing).await, Ok(Vec::new()));
}
}

both! {
async fn an_error_names_its_kernel() {
    // The row says that `y` is only read.
    let gpu = broken("add", "<storage, read> y", "<storage, read_write> y").await.unwrap();
    let (x, y) = (gpu.upload_f32(&[1.0]).unwrap(), gpu.upload_f32(&[2.0]).unwrap());
    let z = gpu.upload_f32(&[3.0]).unwrap();
    gpu.dispatch(&Activate { len: 1, kind: 0 }, &[&z]).unwrap();
    gpu.dispatch(&Add { len: 1 }, &[&x, &y]).unwrap();
    let fault = gpu.read(&x).await.unwrap_err();
    assert!(matches!(&fault, BackendError::Device { kernels, .. } if kernels == "add"), "{fault}");
    // What was wrong is told once; the device goes on.
    assert!(gpu.read(&z).await.is_ok());
}
}

both! {
async fn memory_that_is_not_there_is_refused() {
    let gpu = Wgpu::open_with(&Options { memory: Some(1 << 20), ..Options::default() }, &mut |_, _| ()).await.unwrap();
    let half = gpu.alloc(1 << 17).unwrap();
    assert_eq!(gpu.alloc(1 << 18).err(), Some(BackendError::OutOfMemory { bytes: 1 << 20 }));
    let no_room = BackendError::NoRoom { needed: 1 << 20, room: 1 << 19 };
    assert_eq!(gpu.reserve(1 << 20, 4).await, Err(no_room));
    assert_eq!(gpu.reserve(1 << 19, 4).await, Ok(()));
    assert!(matches!(gpu.reserve(1 << 50, 1 << 50).await, Err(BackendError::TooLarge { .. })));
    drop(half);
}
}

/// A browser's device can be asked for more than there is: every buffer as the largest that it may have. What is then done with
/// the buffers fails, too, and at once; told is why.
#[cfg(target_arch = "wasm32")]
#[wasm_bindgen_test::wasm_bindgen_test]
async fn memory_that_has_run_out_is_told_before_what_follows_from_it() {
    let (gpu, other) = (gpu().await, gpu().await);
    let x = gpu.upload_f32(&[1.0; 64]).unwrap();
    let largest = "globalThis.create = GPUDevice.prototype.createBuffer; \
                   GPUDevice.prototype.createBuffer = function (wanted) { \
                       return create.call(this, { ...wanted, size: this.limits.maxBufferSize }); };";
    js_sys::eval(largest).unwrap();
    let y = gpu.upload_f32(&[1.0; 64]).unwrap();
    js_sys::eval("GPUDevice.prototype.createBuffer = create").unwrap();
    // Time in which an error outside every scope would be heard.
    other.read(&other.alloc(64).unwrap()).await.unwrap();
    assert_eq!(gpu.dispatch(&Add { len: 64 }, &[&x, &y]), Ok(()));
    assert_eq!(gpu.read(&x).await, Err(BackendError::OutOfMemory { bytes: 256 }));
}

both! {
async fn a_lost_device_says_so() {
    let gpu = gpu().await;
    let x = gpu.upload_f32(&[1.0; 64]).unwrap();
    gpu.destroy();
    let _ = gpu.dispatch(&Activate { len: 64, kind: 0 }, &[&x]);
    let fault = gpu.read(&x).await.unwrap_err();
    assert!(matches!(fault, BackendError::Lost { .. }), "{fault}");
}
}

both! {
async fn kernels_are_timed_where_the_device_has_timestamps() {
    let gpu = Wgpu::open_with(&Options { profile: true, ..Options::default() }, &mut |_, _| ()).await.unwrap();
    let x = gpu.upload_f32(&[0.5; 1 << 16]).unwrap();
    for _ in 0..3 {
        gpu.dispatch(&Activate { len: 1 << 16, kind: 0 }, &[&x]).unwrap();
    }
    gpu.read(&x).await.unwrap();
    let times = gpu.times().expect("these adapters have timestamps");
    assert_eq!(times["activate"].runs, 3);
    assert!(times["activate"].milliseconds > 0.0, "{times:?}");
    assert_eq!(gpu.times().unwrap().len(), 0, "told once");
}
}

both! {
async fn the_self_check_knows_every_kernel_and_names_a_wrong_one() {
    let mut heard = Vec::new();
    assert_eq!(self_check(&gpu().await, |done, of| heard.push((done, of))).await, Ok(()));
    assert_eq!(heard.last(), Some(&(TABLE.len(), TABLE.len())));
    for (stem, from, to) in [
        ("matmul_packed", "* scale_four(k, column)", "* 1.5 * scale_four(k, column)"),
        ("activate", "0.044715", "0.054"),
        ("histogram", "place >= 1.0", "place >= 2.0"),
    ] {
        let gpu = broken(stem, from, to).await.unwrap();
        let fault = self_check(&gpu, |_, _| ()).await.unwrap_err();
        assert!(matches!(fault, BackendError::Wrong { kernel, .. } if kernel == stem), "{fault}");
    }
}
}

both! {
/// Within the same tolerance as on the CPU.
async fn every_architecture_agrees_with_transformers() {
    let gpu = gpu().await;
    for fixture in FIXTURES {
        let device = fixture.open(gpu.clone()).await.device;
        let mut worst: f64 = 0.0;
        for case in fixture.cases() {
            worst = worst.max(case.agrees(&device).await);
        }
        println!("{}: largest relative difference {worst:.1e}", fixture.name);
    }
}
}

both! {
/// Layers that are read for a pass and let go give the bits of those that are held, and their room is used again.
async fn layers_that_stream_by_give_the_bits_of_held_ones() {
    let gpu = gpu().await;
    for name in ["gpt2-tiny", "mt5-tiny", "mamba-tiny"] {
        let fixture = Fixture::of(name);
        let held = fixture.open(gpu.clone()).await.device;
        let looked = look_through(gpu.clone(), &fixture.files(), name, &mut ()).await.unwrap().device;
        assert!(looked.held() < held.held());
        let mut recipe = Recipe::default();
        for (name, _, layout) in held.matrices() {
            let values = looked.values(&name).await.unwrap();
            let grid = Uniform { bits: Bits::new(4).unwrap(), granularity: Granularity::Tensor, rule: Rule::Absmax };
            recipe.tensors.insert(name, Quantization::of(grid, &values, layout));
        }
        let texts: Vec<Vec<u32>> = fixture.cases().into_iter().map(|case| case.tokens).collect();
        for recipe in [Recipe::default(), recipe] {
            let run = async |device: &Device<Wgpu>| {
                run_texts(device, &device.apply(&recipe).await.unwrap(), &texts, &nothing).await.unwrap()
            };
            let theirs = run(&held).await;
            assert_eq!(run(&looked).await, theirs, "{name}");
            let kept = (gpu.buffers(), gpu.bytes());
            assert_eq!(run(&looked).await, theirs, "{name}");
            assert_eq!((gpu.buffers(), gpu.bytes()), kept, "{name}: buffers and bytes after a second pass");
        }
    }
}
}

both! {
async fn packed_weights_agree_with_the_cpu() {
    let (cpu, gpu) = (gpt2(Cpu).await.device, gpt2(gpu().await).await.device);
    let texts: Vec<Vec<u32>> = gpt2_cases().into_iter().map(|case| case.tokens).collect();
    for (bits, granularity) in [(3, Granularity::Tensor), (4, Granularity::Channel), (7, Granularity::Group32)] {
        let grids = Uniform { bits: Bits::new(bits).unwrap(), granularity, rule: Rule::Absmax };
        let mut recipe = Recipe::default();
        for (name, _, layout) in cpu.matrices() {
            let values = cpu.values(&name).await.unwrap();
            recipe.tensors.insert(name, Quantization::of(grids, &values, layout));
        }
        let (ours, theirs) = (gpu.apply(&recipe).await.unwrap(), cpu.apply(&recipe).await.unwrap());
        let ours = run_texts(&gpu, &ours, &texts, &nothing).await.unwrap();
        let theirs = run_texts(&cpu, &theirs, &texts, &nothing).await.unwrap();
        for (ours, theirs) in ours.iter().zip(&theirs) {
            assert!((ours - theirs).abs() <= TOLERANCE * theirs, "{ours} against {theirs}");
        }
    }
}
}

both! {
/// An f16 checkpoint takes half the memory and gives the same bits; one of f32 is left as it is.
async fn matrices_of_halves_are_kept_as_halves() {
    let with = async |halves| {
        let options = Options { halves: Some(halves), ..Options::default() };
        gpt2(Wgpu::open_with(&options, &mut |_, _| ()).await.unwrap()).await.device
    };
    let (mut packed, mut plain) = (with(true).await, with(false).await);
    assert_eq!(packed.full().bytes(), plain.full().bytes());
    let mut saved = 0;
    for (name, _, layout) in plain.matrices() {
        let shape = plain.wants(&name).unwrap().shape.clone();
        let values = plain.values(&name).await.unwrap();
        let values: Vec<f32> = values.into_iter().map(|value| f16::from_f32(value).to_f32()).collect();
        packed.insert(&name, &shape, &values).unwrap();
        plain.insert(&name, &shape, &values).unwrap();
        saved += 2 * layout.len() as u64;
        assert_eq!(packed.values(&name).await.unwrap(), values);
    }
    assert_eq!(packed.full().bytes(), plain.full().bytes() - saved);
    assert_eq!(packed.bytes(&Recipe::default()).unwrap(), packed.full().bytes());
    for case in gpt2_cases() {
        let run = async |device: &Device<Wgpu>| {
            forward(&device.backend, &device.spec, device.full(), &case.batch(&device.spec), &mut (), &nothing).await.unwrap()
        };
        assert_eq!(run(&packed).await, run(&plain).await);
    }
}
}

both! {
async fn a_thousand_passes_leak_nothing() {
    let device = gpt2(gpu().await).await.device;
    let case = gpt2_cases().pop().unwrap();
    let batch = case.batch(&device.spec);
    let kept = || (device.backend.buffers(), device.backend.bytes(), device.backend.allocated());
    let (mut after_ten, mut nobody) = ((0, 0, None), ());
    for pass in 0..1000 {
        let run = forward(&device.backend, &device.spec, device.full(), &batch, &mut nobody, &nothing);
        let losses = run.await.unwrap();
        if pass == 9 {
            after_ten = kept();
        }
        if pass == 999 {
            close("losses", &losses, &case.losses);
        }
    }
    assert_eq!(kept(), after_ten, "buffers and bytes after all passes and after the first ten");
    assert!(after_ten.1 > 0, "the bytes were not counted");
}
}
