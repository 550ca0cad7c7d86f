//! Every shader against its CPU twin and the f64 oracle, on whatever adapter there is: without one these tests fail.

use std::borrow::Cow;

use crate::harness::{Walk, run_on};
use crate::{both, proof};
use engine::backend::kernels::{PROOFS, TABLE};
use engine::backend::proof::{CACHE, WORKGROUP};
use engine::backend::shaders::Shader;
use engine::backend::wgpu::{Options, Reuse, Wgpu};

/// Walks through the cases of one kernel on a device; gives what was wrong.
pub async fn walk(stem: &'static str, gpu: Wgpu) -> Vec<String> {
    let (row, proof) = proof(stem);
    let mut walk = Walk::allowing(stem, proof.allowed);
    let _on_gpu = run_on(gpu);
    walk.through(row, proof).await;
    walk.faults
}

/// Every kernel in one way of reusing values; those that reduce, with the device's subgroups or without.
async fn every_shader(reuse: Reuse) {
    let options = Options { reuse: Some(reuse), subgroups: Some(false), ..Options::default() };
    let gpu = Wgpu::open_with(&options, &mut |_, _| ()).await.unwrap();
    let mut faults = Vec::new();
    for row in TABLE {
        faults.extend(walk(row.stem, gpu.clone()).await);
    }
    assert!(faults.is_empty(), "on {:?}:\n{}", gpu.adapter(), faults.join("\n"));
}

both! {
async fn every_shader_agrees_with_its_twin_and_its_oracle() {
    every_shader(WORKGROUP).await;
}
}

both! {
async fn every_shader_agrees_also_without_barriers() {
    every_shader(CACHE).await;
}
}

/// A device that reduces with subgroups, broken if wanted; none where it has no subgroups, as in a browser through wgpu 30.
async fn with_subgroups(broken: Option<(&str, &str, &str)>) -> Option<Wgpu> {
    let source = |of: &'static str, text: &'static str| match broken {
        Some((stem, from, to)) if stem == of => {
            assert!(text.contains(from), "{stem}: `{from}` is not there to be broken");
            Cow::Owned(text.replace(from, to))
        }
        _ => Cow::Borrowed(text),
    };
    let options = Options { source: &source, subgroups: Some(true), ..Options::default() };
    Some(Wgpu::open_with(&options, &mut |_, _| ()).await.unwrap()).filter(Wgpu::subgroups)
}

both! {
async fn every_reduction_agrees_also_with_subgroups() {
    let gpu = with_subgroups(None).await;
    if cfg!(target_arch = "wasm32") && gpu.is_none() {
        return;
    }
    let gpu = gpu.expect("natively the device has subgroups");
    let reduces = |stem: &&str| Shader::of(stem).with_subgroups.is_some();
    let stems: Vec<&str> = TABLE.iter().map(|row| row.stem).filter(reduces).collect();
    assert!(stems.contains(&"moments") && stems.contains(&"norms"), "{stems:?}");
    for stem in stems {
        let faults = walk(stem, gpu.clone()).await;
        assert!(faults.is_empty(), "{}", faults.join("\n"));
        for (from, to) in [
            ("select(vec4f(), of_subgroup, place == 0u)", "of_subgroup"),
            ("i < LANES; i += size", "i < LANES - 1u; i += 2u * size"),
            ("of_subgroup = subgroupAdd(x)", "of_subgroup = x"),
        ] {
            let broken = with_subgroups(Some((stem, from, to))).await.unwrap();
            assert!(!walk(stem, broken).await.is_empty(), "{stem} with `{to}` for `{from}` passes");
        }
    }
}
}

both! {
/// Natively every break. In a browser, where a device in software compiles a shader for seconds, the first of each kernel: what
/// compares is the same, and that it sees each line is shown natively.
async fn a_broken_shader_is_seen() {
    for (row, proof) in PROOFS {
        assert!(!proof.breaks.is_empty(), "nothing breaks {}", row.stem);
        let tried = if cfg!(target_arch = "wasm32") { 1 } else { proof.breaks.len() };
        for (reuse, from, to) in &proof.breaks[..tried] {
            let break_it = |of: &'static str, text: &'static str| {
                if of != row.stem {
                    return Cow::Borrowed(text);
                }
                assert!(text.contains(from), "{of}: `{from}` is not there to be broken");
                Cow::Owned(text.replace(from, to))
            };
            let options = Options { source: &break_it, reuse: Some(*reuse), ..Options::default() };
            let broken = Wgpu::open_with(&options, &mut |_, _| ()).await.unwrap();
            assert!(!walk(row.stem, broken).await.is_empty(), "{} with `{to}` for `{from}` passes", row.stem);
        }
    }
}
}
