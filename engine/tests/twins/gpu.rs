//! Every shader against its CPU twin and the f64 oracle, on whatever adapter there is: without one these tests fail.

use std::borrow::Cow;

use crate::harness::{Allowance, Walk, run_on};
use crate::{CASES, both, check};
use engine::backend::shaders::Shader;
use engine::backend::table::TABLE;
use engine::backend::wgpu::{Options, Reuse, Wgpu};

/// A device that takes subnormal numbers for 0 loses up to 2⁻¹²⁶ in each of at most a thousand terms.
const LOST: f64 = 1.2e-35;

/// What each kernel may do worse than its twin. The sums of the shaders are shorter than those of the twins (64 lanes
/// instead of 8, or the same order), so nothing but subnormal numbers is granted, except where it is said why.
const ALLOWED: &[(&str, Allowance)] = &[
    ("moments", allow(1.0)),
    // Counts and copies: no arithmetic that rounds differently.
    ("histogram", EXACT),
    ("add", EXACT),
    ("multiply", EXACT),
    ("gather", EXACT),
    ("embed", EXACT),
    // One product and two quotients, which IEEE rounds in one way.
    ("quantize", EXACT),
    ("mse_grid", allow(1.0)),
    ("matmul", allow(1.0)),
    ("matmul_packed", allow(1.0)),
    ("layer_norm", allow(1.0)),
    ("activate", allow(1.0)),
    ("rotary", allow(1.0)),
    ("convolve", allow(1.0)),
    ("scan", allow(1.0)),
    ("attention", allow(1.0)),
    // The logarithm and the last sum are taken in f32, and a lane rescales its sum with every tile of 64 columns.
    ("loss", allow(2.0)),
    ("norms", allow(1.0)),
];

const EXACT: Allowance = Allowance { times: 1.0, lost: 0.0, same_bits: true };

const fn allow(times: f64) -> Allowance {
    Allowance { times, lost: LOST, same_bits: false }
}

/// A piece of each shader, what breaks it, and the way on which it is met. Every entry point has one.
const BREAKS: &[(&str, Reuse, &str, &str)] = &[
    ("moments", WORKGROUP, "counted.x / n", "counted.x / (n + 1.0)"),
    ("moments", WORKGROUP, "distance > p.limit_2", "distance >= p.limit_1"),
    ("histogram", WORKGROUP, "place >= 1.0", "place >= 2.0"),
    ("quantize", WORKGROUP, "clamp(x[i], -alpha, alpha)", "x[i]"),
    ("mse_grid", WORKGROUP, "excess * excess", "excess"),
    ("matmul", WORKGROUP, "b.w * w", "b.z * w"),
    ("matmul", WORKGROUP, "x_large[x_at + 1u]", "x_large[x_at]"),
    (
        "matmul",
        WORKGROUP,
        "add_products(&right, a, b, w_large[w_at + 1u])",
        "add_products(&right, a, b, w_large[w_at])",
    ),
    ("matmul", WORKGROUP, "w_turned[i]", "w_turned[0]"),
    (
        "matmul_packed",
        WORKGROUP,
        "store_all(&right, own_row, own_column + 4u)",
        "store_all(&left, own_row, own_column + 4u)",
    ),
    ("matmul", WORKGROUP, "whole += of_slices", "whole = of_slices"),
    ("matmul", WORKGROUP, "value += bias", "value -= bias"),
    ("matmul", CACHE, "w * x[b.z + k]", "w * x[b.y + k]"),
    ("matmul", CACHE, "x[a.w + k] * w", "x[a.z + k] * w"),
    ("matmul", CACHE, "select(w * four, four * w, TRANSPOSED)", "select(w * four, w * four, TRANSPOSED)"),
    ("matmul_packed", CACHE, "32u - BITS * (vec4u", "32u - BITS * (vec4u(1u) + vec4u"),
    ("matmul_packed", WORKGROUP, "extractBits(bitcast<i32>(", "extractBits(("),
    ("matmul_packed", WORKGROUP, "group * p.channels", "group"),
    ("matmul_packed", WORKGROUP, "* 5.9604644775390625e-8", "* 5.9e-3"),
    ("matmul_packed", CACHE, "halves(codes[2u * four + 1u])", "halves(codes[2u * four])"),
    ("matmul_packed", WORKGROUP, "scale(k + 3u, column)", "scale(k, column)"),
    ("layer_norm", WORKGROUP, " + p.eps", ""),
    ("layer_norm", WORKGROUP, "8u * (lane / 8u) + i", "8u * (lane / 8u)"),
    ("layer_norm", WORKGROUP, "p.centred != 0u", "p.centred == 0u"),
    ("layer_norm", WORKGROUP, " + p.offset", ""),
    ("activate", WORKGROUP, "0.044715", "0.0447"),
    ("activate", WORKGROUP, "poly * t + 1.4885159", "poly * t + 1.4886"),
    ("activate", WORKGROUP, "max(value, 0.0)", "value"),
    ("activate", WORKGROUP, "min(-x, 87.0)", "min(x, 87.0)"),
    ("activate", WORKGROUP, "poly * t + 0.33333333", "poly * t + 0.3333"),
    ("multiply", WORKGROUP, "x[i] *= y[i]", "x[i] += y[i]"),
    ("rotary", WORKGROUP, "a * cosine - b * sine", "a * cosine + b * sine"),
    ("rotary", WORKGROUP, "head * p.step", "head * 2u * p.half"),
    ("rotary", WORKGROUP, "position >= p.context", "position > p.context"),
    ("add", WORKGROUP, "x[i] += y[i]", "x[i] -= y[i]"),
    ("embed", WORKGROUP, "position < p.context", "position <= p.context"),
    ("embed", WORKGROUP, "p.scale * tokens", "tokens"),
    ("attention", WORKGROUP, "(vec4u(key) < finish)", "(vec4u(key) <= finish)"),
    ("attention", WORKGROUP, "first = min(first, starts[r])", "first = starts[r]"),
    ("attention", WORKGROUP, "group.y / p.group", "group.y"),
    ("attention", WORKGROUP, "key + p.span / 2u", "key + 1u + p.span / 2u"),
    ("attention", WORKGROUP, "bias_of(key + 2u, held", "bias_of(key + 1u, held"),
    ("attention", WORKGROUP, "mixed[5] += weight.y", "mixed[5] += weight.x"),
    ("gather", WORKGROUP, "row < p.count", "row <= p.count"),
    ("gather", WORKGROUP, " + p.first", ""),
    ("convolve", WORKGROUP, "row - back >= starts[row]", "row - back > starts[row]"),
    ("convolve", WORKGROUP, "c * p.size + t", "c * p.size + back"),
    ("convolve", WORKGROUP, "sum = bias[c]", "sum = 0.0"),
    ("scan", WORKGROUP, "select(held[n], 0.0, fresh)", "held[n]"),
    ("scan", WORKGROUP, "chosen + p.state + n", "chosen + n"),
    ("scan", WORKGROUP, "+ skip[c] * x[at]", ""),
    ("scan", WORKGROUP, "exponential(steps[at] * fading[n])", "(1.0 + steps[at] * fading[n])"),
    ("loss", WORKGROUP, "(*logits)[r] + added", "(*logits)[r]"),
    ("loss", WORKGROUP, "< vec4u(p.vocab)", "< vec4u(p.vocab + 1u)"),
    ("loss", CACHE, "x[b.w + k] * w", "x[b.z + k] * w"),
    ("loss", CACHE, "part < parts", "part < parts - 1u"),
    ("norms", WORKGROUP, "sqrt(sum)", "sum"),
];

const WORKGROUP: Reuse = Reuse::Workgroup;
const CACHE: Reuse = Reuse::Cache;

/// Walks through the cases of one kernel on a device; gives what was wrong.
pub async fn walk(stem: &'static str, gpu: Wgpu) -> Vec<String> {
    let (_, allowed) =
        ALLOWED.iter().find(|(name, _)| *name == stem).unwrap_or_else(|| panic!("no allowance for {stem}"));
    let mut walk = Walk::allowing(stem, *allowed);
    let _on_gpu = run_on(gpu);
    check(stem)(&mut walk).await;
    assert!(walk.cases >= CASES, "{stem}: only {} cases", walk.cases);
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
    assert_eq!(stems, ["moments", "mse_grid", "layer_norm", "norms"]);
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

/// Natively every break. In a browser, where a device in software compiles a shader for seconds, the first of each kernel: what
/// compares is the same, and that it sees each line is shown natively.
fn breaks() -> impl Iterator<Item = &'static (&'static str, Reuse, &'static str, &'static str)> {
    let first = |at: usize| BREAKS[..at].iter().all(|(stem, ..)| *stem != BREAKS[at].0);
    (0..BREAKS.len()).filter(move |at| cfg!(not(target_arch = "wasm32")) || first(*at)).map(|at| &BREAKS[at])
}

both! {
async fn a_broken_shader_is_seen() {
    for row in TABLE {
        assert!(breaks().any(|(stem, ..)| *stem == row.stem), "nothing breaks {}", row.stem);
    }
    for (stem, reuse, from, to) in breaks() {
        let break_it = |of: &'static str, text: &'static str| {
            if of != *stem {
                return Cow::Borrowed(text);
            }
            assert!(text.contains(from), "{stem}: `{from}` is not there to be broken");
            Cow::Owned(text.replace(from, to))
        };
        let options = Options { source: &break_it, reuse: Some(*reuse), ..Options::default() };
        let broken = Wgpu::open_with(&options, &mut |_, _| ()).await.unwrap();
        assert!(!walk(stem, broken).await.is_empty(), "{stem} with `{to}` for `{from}` passes");
    }
}
}
