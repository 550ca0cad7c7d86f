//! Which backend computes here, and why: WebGPU on hardware that computes rightly, else the CPU.

use super::cpu::Cpu;
use super::kernels::activate::KINDS;
use super::table::{
    Access, Activate, Add, Attention, BLOCK, Convolve, Embed, Gather, Histogram, LayerNorm, Loss, MOMENT_WORDS, Matmul,
    MatmulPacked, Moments, MseGrid, Multiply, Norms, Params, Quantize, Rotary, Scan, TABLE,
};
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

/// One buffer of a case.
enum Arg {
    /// So many values in ±1 that repeat nowhere.
    Values(usize),
    /// So many in (0, 1].
    Shares(usize),
    /// So many small whole numbers below a bound.
    Below(usize, u32),
    /// Any words.
    Words(usize),
    /// So many halves below 2 in size, two to a word, subnormal ones among them.
    Halves(usize),
    /// A result of so many words.
    Out(usize),
}

/// Runs every kernel on a small case and compares it with its twin; an error names the first that is wrong. It also compiles the
/// pipelines that a model of the usual shapes will need.
pub async fn self_check(gpu: &Wgpu, mut progress: impl FnMut(usize, usize)) -> Result<(), BackendError> {
    use Arg::{Below, Halves, Out, Shares, Values, Words};
    for (done, row) in TABLE.iter().enumerate() {
        progress(done, TABLE.len());
        match row.stem {
            "moments" => {
                let p = Moments { len: 5000, limit_1: 0.5, limit_2: 0.9, centre: 0.1 };
                let out = 5000_u32.div_ceil(BLOCK) * MOMENT_WORDS;
                check(gpu, p, &[Values(5000), Out(out as usize)]).await?;
            }
            "histogram" => {
                check(gpu, Histogram { len: 500, bins: 16, low: -1.0, per_unit: 8.0 }, &[Values(500), Out(16)]).await?;
            }
            "quantize" => {
                let p = Quantize { k: 20, n: 12, transposed: 0, group: 20, channels: 1, levels: 7 };
                check(gpu, p, &[Values(240), Shares(1), Out(240)]).await?;
            }
            "mse_grid" => {
                check(gpu, MseGrid { len: 500, count: 2, levels: 7 }, &[Values(500), Shares(2), Out(4)]).await?;
            }
            "matmul" => {
                for (m, transposed) in [(40, 0), (2, 0), (40, 1)] {
                    let p = Matmul { m, k: 36, n: 68, transposed, biased: 1 };
                    let m = m as usize;
                    check(gpu, p, &[Values(m * 36), Values(36 * 68), Values(68), Out(m * 68)]).await?;
                }
            }
            "matmul_packed" => {
                for (bits, channels) in [(4, 1), (8, 64)] {
                    let p = MatmulPacked { m: 40, k: 32, n: 64, transposed: 0, biased: 1, group: 16, channels, bits };
                    let (codes, scales) = (Words(32 * 64 * bits as usize / 32), Values(2 * channels as usize));
                    check(gpu, p, &[Values(40 * 32), codes, scales, Values(64), Out(40 * 64)]).await?;
                }
                let p =
                    MatmulPacked { m: 40, k: 32, n: 64, transposed: 0, biased: 1, group: 32, channels: 1, bits: 16 };
                check(gpu, p, &[Values(40 * 32), Halves(32 * 64), Values(1), Values(64), Out(40 * 64)]).await?;
            }
            "layer_norm" => {
                for (centred, offset) in [(1, 0.0), (0, 1.0)] {
                    let p = LayerNorm { rows: 11, width: 40, eps: 1e-5, offset, centred, biased: centred };
                    check(gpu, p, &[Values(440), Values(40), Values(40), Out(440)]).await?;
                }
            }
            "activate" => {
                for kind in 0..KINDS {
                    check(gpu, Activate { len: 300, kind }, &[Values(300)]).await?;
                }
            }
            "multiply" => check(gpu, Multiply { len: 300 }, &[Values(300), Values(300)]).await?,
            "rotary" => {
                let p = Rotary { rows: 9, heads: 2, stride: 20, step: 10, first: 0, half: 4, context: 10 };
                check(gpu, p, &[Values(180), Below(9, 10), Values(80)]).await?;
            }
            "gather" => {
                let p = Gather { rows: 9, width: 5, count: 12, stride: 9, first: 3 };
                check(gpu, p, &[Values(108), Below(9, 14), Out(45)]).await?;
            }
            "convolve" => {
                let p = Convolve { rows: 9, width: 10, stride: 12, size: 4, biased: 1 };
                check(gpu, p, &[Values(108), Values(40), Values(10), Below(9, 5), Out(90)]).await?;
            }
            "scan" => {
                let p = Scan { rows: 20, width: 10, state: 4, stride: 11, first: 3 };
                let (x, steps, selected) = (Values(200), Shares(200), Values(220));
                check(gpu, p, &[x, steps, selected, Values(40), Values(10), Below(20, 2), Out(200)]).await?;
            }
            "add" => check(gpu, Add { len: 300 }, &[Values(300), Values(300)]).await?,
            "embed" => {
                let p = Embed { rows: 9, width: 12, vocab: 20, context: 10, scale: 2.0 };
                check(gpu, p, &[Below(9, 20), Below(9, 10), Values(240), Values(120), Out(108)]).await?;
            }
            "attention" => {
                for (group, span) in [(1, 0), (2, 9)] {
                    let p = Attention {
                        rows: 70,
                        key_rows: 80,
                        heads: 2,
                        head: 8,
                        group,
                        stride: 16,
                        step: 8,
                        key_stride: 32,
                        key_step: 8,
                        key_at: 0,
                        value_at: 16,
                        span,
                        scale: 0.35,
                    };
                    let both = || Values(80 * 32);
                    let (starts, ends, bias) = (Below(70, 20), Below(70, 80), Values(2 * span as usize));
                    check(gpu, p, &[Values(70 * 16), both(), both(), starts, ends, bias, Out(70 * 16)]).await?;
                }
            }
            "loss" => {
                let p = Loss { rows: 40, width: 12, vocab: 150, biased: 1 };
                check(gpu, p, &[Values(480), Values(1800), Values(150), Below(40, 150), Out(40)]).await?;
            }
            "norms" => check(gpu, Norms { rows: 9, width: 40 }, &[Values(360), Out(9)]).await?,
            other => return Err(BackendError::Wrong { kernel: other, fault: "nothing checks it".into() }),
        }
    }
    progress(TABLE.len(), TABLE.len());
    Ok(())
}

async fn check<P: Params>(gpu: &Wgpu, params: P, args: &[Arg]) -> Result<(), BackendError> {
    let (ours, twins) = (run(gpu, params, args).await?, run(&Cpu, params, args).await?);
    let binding = P::ROW.bindings.iter().find(|binding| binding.access == Access::Write);
    let wrong = |i: usize, ours: &dyn std::fmt::Display, twin: &dyn std::fmt::Display| {
        Err(BackendError::Wrong { kernel: P::ROW.stem, fault: format!("value {i} is {ours} and should be {twin}") })
    };
    if binding.is_some_and(|binding| binding.element == super::table::Element::U32) {
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

/// Golden ratio's fraction as a word: its multiples repeat nowhere and fill the range evenly.
const GOLDEN: u32 = 0x9e37_79b9;

async fn run<B: Backend, P: Params>(backend: &B, params: P, args: &[Arg]) -> Result<Vec<u32>, BackendError> {
    let mut next = 1_u32;
    let mut word = || {
        next = next.wrapping_add(GOLDEN);
        next ^ next >> 15
    };
    let mut buffers = Vec::new();
    for arg in args {
        let words: Vec<u32> = match *arg {
            Arg::Values(len) => (0..len).map(|_| (word() as i32 as f32 / 2_147_483_648.0).to_bits()).collect(),
            Arg::Shares(len) => (0..len).map(|_| ((word() as f32 + 1.0) / 4_294_967_296.0).to_bits()).collect(),
            Arg::Below(len, bound) => (0..len).map(|_| word() % bound).collect(),
            Arg::Halves(len) => (0..len / 2).map(|_| word() & 0xbfff_bfff).collect(),
            Arg::Words(len) => (0..len).map(|_| word()).collect(),
            Arg::Out(len) => vec![0; len],
        };
        buffers.push(backend.upload(&words)?);
    }
    backend.dispatch(&params, &buffers.iter().collect::<Vec<_>>())?;
    let written = P::ROW.bindings.iter().position(|binding| binding.access == Access::Write);
    backend.read(&buffers[written.unwrap_or_default()]).await
}
