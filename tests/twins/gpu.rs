//! Every shader against its CPU twin and the f64 oracle, on whatever adapter there is: without one these tests fail.

use std::borrow::Cow;
use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::harness::{Allowance, Walk, run_on};
use crate::{CASES, CHECKS};
use fairbits::backend::table::TABLE;
use fairbits::backend::wgpu::Wgpu;

/// A device that takes subnormal numbers for 0 loses up to 2⁻¹²⁶ in each of at most a thousand terms.
const LOST: f64 = 1.2e-35;

/// What each kernel may do worse than its twin. The sums of the shaders are shorter than those of the twins (64 lanes
/// instead of 8, or the same order), so nothing but subnormal numbers is granted, except where it is said why.
const ALLOWED: &[(&str, Allowance)] = &[
    ("moments", allow(1.0)),
    // Counts and copies: no arithmetic that rounds differently.
    ("histogram", EXACT),
    ("add", EXACT),
    ("embed", EXACT),
    // One product and two quotients, which IEEE rounds in one way.
    ("quantize", EXACT),
    ("mse_grid", allow(1.0)),
    ("matmul", allow(1.0)),
    ("matmul_q8", allow(1.0)),
    ("matmul_q4", allow(1.0)),
    ("layer_norm", allow(1.0)),
    ("gelu", allow(1.0)),
    ("attention", allow(1.0)),
    // The logarithm and the last sum are taken in f32, and a lane rescales its sum with every tile of 64 columns.
    ("loss", allow(2.0)),
    ("norms", allow(1.0)),
];

const EXACT: Allowance = Allowance { times: 1.0, lost: 0.0, same_bits: true };

const fn allow(times: f64) -> Allowance {
    Allowance { times, lost: LOST, same_bits: false }
}

/// A piece of each shader, and what breaks it. Every entry point has one.
const BREAKS: &[(&str, &str, &str)] = &[
    ("moments", "counted.x / n", "counted.x / (n + 1.0)"),
    ("moments", "distance > p.limit_2", "distance >= p.limit_1"),
    ("histogram", "place >= 1.0", "place >= 2.0"),
    ("quantize", "clamp(x[i], -alpha, alpha)", "x[i]"),
    ("mse_grid", "excess * excess", "excess"),
    ("matmul", "b.w * w", "b.z * w"),
    ("matmul", "whole += of_slices", "whole = of_slices"),
    ("matmul", "value += bias", "value -= bias"),
    ("matmul_q8", "extractBits(bitcast<i32>(word)", "extractBits((word)"),
    ("matmul_q4", "group * p.channels", "group"),
    ("matmul_q4", "scale(k + 3u, column)", "scale(k, column)"),
    ("layer_norm", " + p.eps", ""),
    ("gelu", "0.044715", "0.0447"),
    ("add", "x[i] += y[i]", "x[i] -= y[i]"),
    ("embed", "position < p.context", "position <= p.context"),
    ("attention", "vec4u(key) <= held", "vec4u(key) < held"),
    ("loss", "< vec4u(p.vocab)", "< vec4u(p.vocab + 1u)"),
    ("norms", "sqrt(sum)", "sum"),
];

/// Walks through the cases of one kernel on a device.
fn walk(stem: &'static str, gpu: Wgpu) {
    let (_, check) = CHECKS.iter().find(|(name, _)| *name == stem).unwrap_or_else(|| panic!("no check of {stem}"));
    let (_, allowed) =
        ALLOWED.iter().find(|(name, _)| *name == stem).unwrap_or_else(|| panic!("no allowance for {stem}"));
    let mut walk = Walk::allowing(stem, *allowed);
    let _on_gpu = run_on(gpu);
    check(&mut walk);
    assert!(walk.cases >= CASES, "{stem}: only {} cases", walk.cases);
}

#[test]
fn every_shader_agrees_with_its_twin_and_its_oracle() {
    let gpu = pollster::block_on(Wgpu::open(|_, _| ())).unwrap();
    let faults: Vec<_> =
        TABLE.iter().filter(|row| catch_unwind(AssertUnwindSafe(|| walk(row.stem, gpu.clone()))).is_err()).collect();
    let stems: Vec<_> = faults.iter().map(|row| row.stem).collect();
    assert!(stems.is_empty(), "on {:?} these differ: {stems:?}", gpu.adapter());
}

#[test]
fn a_broken_shader_is_seen() {
    for row in TABLE {
        assert!(BREAKS.iter().any(|(stem, ..)| *stem == row.stem), "nothing breaks {}", row.stem);
    }
    for (stem, from, to) in BREAKS {
        let break_it = |shader: &'static fairbits::backend::shaders::Shader| {
            if shader.stem != *stem {
                return Cow::Borrowed(shader.source);
            }
            assert!(shader.source.contains(from), "{stem}: `{from}` is not there to be broken");
            Cow::Owned(shader.source.replace(from, to))
        };
        let broken = pollster::block_on(Wgpu::open_with(break_it, |_, _| ())).unwrap();
        let outcome = catch_unwind(AssertUnwindSafe(|| walk(stem, broken)));
        let message = outcome.expect_err(&format!("{stem} with `{to}` for `{from}` passes"));
        // It must be the comparison that fails, not the device.
        let message = message.downcast_ref::<String>().map_or("", String::as_str);
        assert!(message.contains(stem) || message.contains("cells"), "{stem}: {message}");
    }
}
