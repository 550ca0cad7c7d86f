//! Devices that allow less than WebGPU's defaults: each kernel is run by the variant that fits, or refused by name.

use std::borrow::Cow;

use crate::both;
use crate::gpu::walk;
use crate::harness::{Arg, Kind, Source, U, dispatched};
use engine::backend::{
    BackendError,
    choose::self_check,
    cpu::Cpu,
    kernels::{Access, Add, Element, Histogram, Loss, Matmul, Params, TABLE},
    shaders::Shader,
    wgpu::{Options, Reuse, Wgpu, Workgroup},
};

/// WebGPU's defaults.
const USUAL: Workgroup = Workgroup { lanes: 256, memory: 16 << 10 };
/// As WebGPU's compatibility mode has it, for older phones.
const COMPATIBLE: Workgroup = Workgroup { lanes: 128, ..USUAL };
/// Room for a large tile (8.5 KiB) and not for a small one (13 KiB), which is deeper.
const SHALLOW: Workgroup = Workgroup { memory: 10 << 10, ..USUAL };
/// No less will do: the reductions have 64 lanes, attention shares 5 KiB.
const LEAST: Workgroup = Workgroup { lanes: 64, memory: 5 << 10 };

/// A device of such workgroups, on which an entry point of a shader does nothing, if one is named.
async fn opened(workgroup: Workgroup, idle: Option<(&str, &str)>) -> Result<Wgpu, BackendError> {
    let source = |of: &'static str, text: &'static str| match idle {
        Some((stem, entry)) if stem == of => {
            let fields = Shader::of(stem).fields;
            let begin = text.find(&format!("fn {entry}(")).unwrap_or_else(|| panic!("{stem} has no {entry}"));
            let body = begin + text[begin..].find(") {").expect("a body") + ") {".len();
            // Never more than this, but a compiler does not know that what follows is never reached.
            let (before, after) = text.split_at(body);
            Cow::Owned(format!("{before} if p.{field} < 0xffffffffu {{ return; }} {after}", field = fields[0].0))
        }
        _ => Cow::Borrowed(text),
    };
    let options =
        Options { source: &source, reuse: Some(Reuse::Workgroup), workgroup: Some(workgroup), ..Options::default() };
    Wgpu::open_with(&options, &mut |_, _| ()).await
}

/// Entry points by which a dispatch is run: those without which the result is another. The result of all of them together must
/// be near the twin's.
async fn entries<P: Params>(workgroup: Workgroup, params: P, args: &[Arg<'_>], near: f64) -> Vec<&'static str> {
    let twin = dispatched(&Cpu, params, args).await.unwrap();
    let result = P::ROW.bindings.iter().find(|binding| binding.access == Access::Write).expect("a result");
    let floats = result.element == Element::F32;
    let close = |ours: &[u32]| {
        ours.iter().zip(&twin).all(|(ours, twin)| match floats {
            true => (f64::from(f32::from_bits(*ours)) - f64::from(f32::from_bits(*twin))).abs() <= near,
            false => ours == twin,
        })
    };
    let whole = dispatched(&opened(workgroup, None).await.unwrap(), params, args).await.unwrap();
    assert!(close(&whole), "{} within {workgroup:?}", P::ROW.stem);
    let mut run = Vec::new();
    for entry in P::ROW.entries {
        let gpu = opened(workgroup, Some((P::ROW.stem, entry.name))).await.unwrap();
        if !close(&dispatched(&gpu, params, args).await.unwrap()) {
            run.push(entry.name);
        }
    }
    run
}

both! {
async fn a_product_is_run_by_the_variant_that_fits() {
    for ([m, k, n], of_each) in [
        ([520, 17, 520], [(USUAL, "large"), (COMPATIBLE, "large"), (SHALLOW, "large"), (LEAST, "blocks")]),
        ([40, 64, 129], [(USUAL, "tiles"), (COMPATIBLE, "tiles"), (SHALLOW, "blocks"), (LEAST, "blocks")]),
        ([1, 256, 130], [(USUAL, "few"), (COMPATIBLE, "blocks"), (SHALLOW, "few"), (LEAST, "blocks")]),
    ] {
        let mut source = Source::new(m as u64);
        let (x, w) = (source.values(m * k, Kind::Plain), source.values(k * n, Kind::Plain));
        let p = Matmul { m: m as u32, k: k as u32, n: n as u32, transposed: 0, biased: 0 };
        let args = [Arg::F(&x), Arg::F(&w), Arg::F(&[]), Arg::Out(m * n)];
        // Of values in ±1, for both orders of summing: (k + 2)·u·Σ|x·w| each.
        let near = 2.0 * (k + 2) as f64 * U * k as f64;
        for (workgroup, entry) in of_each {
            assert_eq!(entries(workgroup, p, &args, near).await, [entry], "{p:?} within {workgroup:?}");
        }
    }
}
}

both! {
async fn other_kernels_are_run_by_the_variant_that_fits() {
    let mut source = Source::new(3);
    let (x, y) = (source.values(5000, Kind::Plain), source.values(5000, Kind::Plain));
    for (workgroup, entry) in [(USUAL, "wide"), (COMPATIBLE, "narrow"), (SHALLOW, "wide"), (LEAST, "narrow")] {
        assert_eq!(entries(workgroup, Add { len: 5000 }, &[Arg::F(&x), Arg::F(&y)], 0.0).await, [entry]);
        let p = Histogram { len: 5000, bins: 16, low: -1.0, per_unit: 8.0 };
        assert_eq!(entries(workgroup, p, &[Arg::F(&x), Arg::W(&[0; 16])], 0.0).await, [entry]);
    }
    let targets: Vec<u32> = (0..40).map(|row| row * 3).collect();
    let args = [Arg::F(&x[..480]), Arg::F(&y[..1800]), Arg::F(&[]), Arg::W(&targets), Arg::Out(40)];
    for (workgroup, entry) in [(USUAL, "tiles"), (COMPATIBLE, "tiles"), (SHALLOW, "blocks"), (LEAST, "blocks")] {
        let mut run = entries(workgroup, Loss { rows: 40, width: 12, vocab: 150, biased: 0 }, &args, 1e-5).await;
        run.sort_unstable_by_key(|name| *name == "join");
        assert_eq!(run, [entry, "join"], "{workgroup:?}");
    }
}
}

both! {
/// The device is asked for no more than this; natively it then refuses workgroups of more lanes.
async fn every_kernel_with_a_choice_agrees_on_the_least_device() {
    let gpu = opened(LEAST, None).await.unwrap();
    let chosen: Vec<_> = TABLE.iter().filter(|row| row.least < row.entries.len()).map(|row| row.stem).collect();
    assert!(chosen.len() > TABLE.len() / 2, "only {chosen:?} have a choice");
    for stem in chosen {
        let faults = walk(stem, gpu.clone()).await;
        assert!(faults.is_empty(), "{}", faults.join("\n"));
    }
    assert_eq!(self_check(&gpu, |_, _| ()).await, Ok(()));
}
}

both! {
async fn a_device_without_room_for_a_kernel_is_refused_by_name() {
    let refused = async |workgroup| opened(workgroup, None).await.err().expect("a refusal");
    let what = "bytes of workgroup memory";
    let unfit = BackendError::Unfit { kernel: "attention", what, needed: 5 << 10, given: (5 << 10) - 4 };
    assert_eq!(refused(Workgroup { memory: LEAST.memory - 4, ..USUAL }).await, unfit);
    assert_eq!(unfit.to_string(), "kernel attention needs 5120 bytes of workgroup memory, the device allows 5116");
    let what = "invocations per workgroup";
    let unfit = BackendError::Unfit { kernel: TABLE[0].stem, what, needed: 64, given: 63 };
    assert_eq!(refused(Workgroup { lanes: 63, ..USUAL }).await, unfit);
}
}

/// Whatever the parameters, the last way of every launch is one that a device must be able to run.
#[cfg(not(target_arch = "wasm32"))]
#[test]
fn every_launch_ends_with_a_way_for_every_device() {
    let mut source = Source::new(11);
    let words = [1, 3, 4, 8, 16, 64, 257, 600];
    for row in TABLE {
        let mut launches = 0;
        while launches < 200 {
            let params: Vec<u32> = (0..row.params).map(|_| words[source.word() as usize % words.len()]).collect();
            if (row.fault)(&params).is_some() {
                continue;
            }
            for launch in (row.launches)(&params, 4096) {
                let last = launch.ways.last().expect("a way");
                assert!(last.entry < row.least, "{}: {launch:?} for {params:?}", row.stem);
                launches += 1;
            }
        }
    }
}
