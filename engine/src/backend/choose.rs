//! Which backend computes here, and why: WebGPU on hardware that computes rightly, else the CPU.

use super::cpu::Cpu;
use super::kernels::{Element, Row, TABLE};
use super::wgpu::{self, Options, Wgpu};
use super::{Backend, BackendError};

/// What the person wants.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Wanted {
    /// The best that is right here.
    #[default]
    Auto,
    /// Exact mode.
    Cpu,
    /// The CPU with fused products.
    Fused,
    /// WebGPU also in software.
    WebGpu,
}

/// A backend, and a sentence that says why this one.
pub struct Choice {
    /// None for the CPU.
    pub gpu: Option<Wgpu>,
    /// The CPU where it computes.
    pub cpu: Cpu,
    /// Without a full stop.
    pub why: String,
}

/// Reads shaders and checks kernels, in one count.
const STEPS: usize = 2;

/// Chooses. `progress` hears how many of how many steps of opening a device are done.
pub async fn choose(wanted: Wanted, profile: bool, mut progress: impl FnMut(usize, usize)) -> Choice {
    let cpu = |why: String| Choice { gpu: None, cpu: Cpu, why };
    if wanted == Wanted::Cpu {
        return cpu("exact mode, as the link asks: the same bits in every browser and natively".into());
    }
    if wanted == Wanted::Fused {
        let why = "fused products, as the link asks; figures agree with exact mode to about five digits";
        return match Cpu.fused() {
            Some(fused) => Choice { gpu: None, cpu: fused, why: why.into() },
            None => cpu("exact mode; this browser has no fused products (relaxed SIMD)".into()),
        };
    }
    let adapter = match wgpu::look().await {
        Ok(adapter) => adapter,
        Err(fault) => return cpu(format!("exact mode; {fault}")),
    };
    if adapter.software && wanted == Wanted::Auto {
        let name = &adapter.name;
        return cpu(format!("exact mode; the only WebGPU adapter, {name}, is software and slower than the CPU code"));
    }
    let options = Options { profile, ..Options::default() };
    let mut first = |done, of| progress(done, STEPS * of);
    let gpu = match Wgpu::open_with(&options, &mut first).await {
        Ok(gpu) => gpu,
        Err(fault) => return cpu(format!("exact mode; {fault}")),
    };
    match self_check(&gpu, |done, of| progress(of + done, STEPS * of)).await {
        Ok(()) => {
            // What the check took is nobody's run.
            gpu.times();
            let asked = if wanted == Wanted::WebGpu { ", as the link asks" } else { "" };
            let why = format!("on {}{asked}; figures agree with exact mode to about five digits", adapter.name);
            Choice { gpu: Some(gpu), cpu: Cpu, why }
        }
        Err(fault) => cpu(format!("exact mode; {} is not used: {fault}", adapter.name)),
    }
}

/// Largest difference from the twin, relative to the twin's largest value: far above what a sound device rounds, far below
/// what a wrong one makes of these cases.
const TOLERANCE: f32 = 1e-4;

/// Runs the checks of every kernel and compares each with its twin; an error names the first that is wrong.
pub async fn self_check(gpu: &Wgpu, mut progress: impl FnMut(usize, usize)) -> Result<(), BackendError> {
    for (done, row) in TABLE.iter().enumerate() {
        progress(done, TABLE.len());
        for check in (row.checks)() {
            let buffers = check.words(row);
            let twins = row.run(&Cpu, &check.params, &buffers).await?;
            compare(row, row.run(gpu, &check.params, &buffers).await?, twins)?;
        }
    }
    progress(TABLE.len(), TABLE.len());
    Ok(())
}

fn compare(row: &Row, ours: Vec<u32>, twins: Vec<u32>) -> Result<(), BackendError> {
    let wrong = |i: usize, ours: &dyn std::fmt::Display, twin: &dyn std::fmt::Display| {
        Err(BackendError::Wrong { kernel: row.stem, fault: format!("value {i} is {ours} and should be {twin}") })
    };
    if row.bindings[row.written()].element == Element::U32 {
        return match ours.iter().zip(&twins).position(|(ours, twin)| ours != twin) {
            Some(i) => wrong(i, &ours[i], &twins[i]),
            None => Ok(()),
        };
    }
    let floats = |words: Vec<u32>| words.into_iter().map(f32::from_bits).collect::<Vec<_>>();
    let (ours, twins) = (floats(ours), floats(twins));
    let most = twins.iter().fold(0.0_f32, |most, twin| most.max(twin.abs()));
    // Not a number is not near.
    let near = |ours: f32, twin: f32| (ours - twin).abs() <= TOLERANCE * most;
    match ours.iter().zip(&twins).position(|(&ours, &twin)| !near(ours, twin)) {
        Some(i) => wrong(i, &ours[i], &twins[i]),
        None => Ok(()),
    }
}
