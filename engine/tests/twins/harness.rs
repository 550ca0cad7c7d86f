//! Runs kernels on slices, compares with a stated tolerance and makes sure that the comparison can fail.

use std::cell::RefCell;

use engine::backend::cpu::Cpu;
use engine::backend::kernels::{Params, Row};
pub use engine::backend::proof::{Allowance, Arg, Case, Expected, KINDS, Kind, Proof, Source, U};
use engine::backend::wgpu::Wgpu;
use engine::backend::{Backend, BackendError};

/// Cases that each kernel must have at least.
const CASES: usize = 12;

/// Where kernels run in this thread, if not on the CPU in exact mode.
#[derive(Default)]
struct Stand {
    other: Option<Other>,
    /// What exact mode made of the last dispatch elsewhere.
    twin: Vec<u32>,
}

#[derive(Clone)]
enum Other {
    Gpu(Wgpu),
    Cpu(Cpu),
}

thread_local! {
    static STAND: RefCell<Stand> = RefCell::default();
}

/// Kernels of this thread run on `gpu` as long as the guard lives.
pub fn run_on(gpu: Wgpu) -> Elsewhere {
    STAND.with_borrow_mut(|stand| stand.other = Some(Other::Gpu(gpu)));
    Elsewhere
}

/// Kernels of this thread run on this CPU as long as the guard lives.
pub fn run_on_cpu(cpu: Cpu) -> Elsewhere {
    STAND.with_borrow_mut(|stand| stand.other = Some(Other::Cpu(cpu)));
    Elsewhere
}

/// Sends the kernels back to exact mode when dropped. A device must not live until the thread's own end, where its driver's
/// memory of the thread is gone.
pub struct Elsewhere;

impl Drop for Elsewhere {
    fn drop(&mut self) {
        STAND.set(Stand::default());
    }
}

/// Dispatches on fresh buffers and returns the words of the one that the kernel writes.
pub async fn run<P: Params>(params: P, args: &[Arg<'_>]) -> Vec<u32> {
    try_run(params, args).await.expect("a valid dispatch")
}

/// [`run`] as floats.
pub async fn run_f32<P: Params>(params: P, args: &[Arg<'_>]) -> Vec<f32> {
    run(params, args).await.into_iter().map(f32::from_bits).collect()
}

/// [`run`] of a dispatch that may be refused.
pub async fn try_run<P: Params>(params: P, args: &[Arg<'_>]) -> Result<Vec<u32>, BackendError> {
    let buffers: Vec<Vec<u32>> = args.iter().map(Arg::words).collect();
    try_run_row(P::ROW, bytemuck::cast_slice(&[params]), &buffers).await
}

/// The same by its row.
async fn try_run_row(row: &'static Row, params: &[u32], buffers: &[Vec<u32>]) -> Result<Vec<u32>, BackendError> {
    let twin = row.run(&Cpu, params, buffers).await?;
    let Some(other) = STAND.with_borrow(|stand| stand.other.clone()) else { return Ok(twin) };
    STAND.with_borrow_mut(|stand| stand.twin = twin);
    match other {
        Other::Gpu(gpu) => row.run(&gpu, params, buffers).await,
        Other::Cpu(cpu) => row.run(&cpu, params, buffers).await,
    }
}

/// A case of a proof, as floats.
pub async fn run_case<P: Params>(case: &Case) -> Vec<f32> {
    let words = try_run_row(P::ROW, &case.params, &case.buffers).await.expect("a valid dispatch");
    words.into_iter().map(f32::from_bits).collect()
}

/// [`try_run`] on a certain backend.
pub async fn dispatched<B: Backend, P: Params>(
    backend: &B,
    params: P,
    args: &[Arg<'_>],
) -> Result<Vec<u32>, BackendError> {
    let buffers: Vec<Vec<u32>> = args.iter().map(Arg::words).collect();
    P::ROW.run(backend, bytemuck::cast_slice(&[params]), &buffers).await
}

/// The walk through the cases of one kernel.
pub struct Walk {
    stem: &'static str,
    pub cases: usize,
    /// What was wrong, in the order it was met.
    pub faults: Vec<String>,
    /// None in exact mode.
    allowed: Option<Allowance>,
    /// Of the last case.
    tolerance: Vec<f64>,
}

impl Walk {
    pub fn new(stem: &'static str) -> Walk {
        Walk { stem, cases: 0, faults: Vec::new(), allowed: None, tolerance: Vec::new() }
    }

    /// A walk elsewhere.
    pub fn allowing(stem: &'static str, allowed: Allowance) -> Walk {
        Walk { allowed: Some(allowed), ..Walk::new(stem) }
    }

    /// Every case of a kernel's proof.
    pub async fn through(&mut self, row: &'static Row, proof: &Proof) {
        for case in (proof.cases)() {
            let got = try_run_row(row, &case.params, &case.buffers).await.expect("a valid dispatch");
            let floats: &[f32] = bytemuck::cast_slice(&got);
            for expected in &case.expected {
                match expected {
                    Expected::Near { truth, tolerance } => self.compare(&case.name, floats, truth, tolerance),
                    Expected::Bits(values) => self.same_bits(&case.name, floats, values),
                    Expected::Words(words) => self.same_words(&case.name, &got, words),
                }
            }
        }
        assert!(self.cases >= CASES, "{}: only {} cases", self.stem, self.cases);
    }

    /// Fails if anything was wrong.
    pub fn passed(&self) {
        assert!(self.faults.is_empty(), "{} faults, the first: {}", self.faults.len(), self.faults[0]);
    }

    fn fault(&mut self, case: &str, fault: String) {
        self.faults.push(format!("{} {case}: {fault}", self.stem));
        // One is enough; the rest of the walk need not wait for the device.
        STAND.with_borrow_mut(|stand| stand.other = None);
    }

    /// One case: every value within its tolerance; and one value moved out of it must be noticed. On a GPU each value must
    /// also be as near to that of the CPU twin as the two tolerances together allow.
    pub fn compare(&mut self, case: &str, got: &[f32], truth: &[f64], tolerance: &[f64]) {
        self.cases += 1;
        let allowed = self.allowed.unwrap_or(Allowance { times: 1.0, lost: 0.0, same_bits: true });
        let exact = tolerance;
        let tolerance: Vec<f64> = exact.iter().map(|t| t * allowed.times + allowed.lost).collect();
        if let Some(fault) = mismatch(got, truth, &tolerance) {
            self.fault(case, fault);
        }
        if self.allowed.is_some() {
            let twin: Vec<f64> =
                STAND.with_borrow(|stand| stand.twin.iter().map(|x| f64::from(f32::from_bits(*x))).collect());
            let both: Vec<f64> = exact.iter().zip(&tolerance).map(|(a, b)| a + b).collect();
            if let Some(fault) = mismatch(got, &twin, &both).filter(|_| self.faults.is_empty()) {
                self.fault(&format!("{case}, against its twin"), fault);
            }
            self.tolerance = both;
        }
        let tolerance = &tolerance;
        if got.is_empty() {
            return;
        }
        let i = (self.cases * 7919) % got.len();
        let mut broken = got.to_vec();
        broken[i] = if truth[i].is_nan() { 0.0 } else { moved(truth[i], tolerance[i]) };
        assert!(mismatch(&broken, truth, tolerance).is_some(), "{} {case}: a wrong value {i} passes", self.stem);
    }

    /// One case that allows no difference.
    pub fn same_bits(&mut self, case: &str, got: &[f32], truth: &[f32]) {
        if self.allowed.is_none_or(|allowed| allowed.same_bits) {
            let bits = |values: &[f32]| values.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
            return self.same_words(case, &bits(got), &bits(truth));
        }
        self.cases += 1;
        let truth: Vec<f64> = truth.iter().map(|x| f64::from(*x)).collect();
        if let Some(fault) = mismatch(got, &truth, &self.tolerance).filter(|_| self.faults.is_empty()) {
            self.fault(case, fault);
        }
    }

    /// One case that allows no difference, in words.
    pub fn same_words(&mut self, case: &str, got: &[u32], truth: &[u32]) {
        self.cases += 1;
        assert_eq!(got.len(), truth.len());
        if let Some((i, (got, truth))) = got.iter().zip(truth).enumerate().find(|(_, (got, truth))| got != truth) {
            let (got, truth) = (*got, *truth);
            let floats = [got, truth].map(f32::from_bits);
            self.fault(case, format!("value {i} is {got} ({:e}), not {truth} ({:e})", floats[0], floats[1]));
        }
    }
}

/// A value a little farther from the truth than the tolerance allows.
fn moved(truth: f64, tolerance: f64) -> f32 {
    let mut x = (truth + 1.5 * tolerance) as f32;
    while (f64::from(x) - truth).abs() <= tolerance {
        x = x.next_up();
    }
    x
}

/// The first value that is not within its tolerance. Not a number must be not a number.
fn mismatch(got: &[f32], truth: &[f64], tolerance: &[f64]) -> Option<String> {
    if got.len() != truth.len() || got.len() != tolerance.len() {
        return Some(format!("{} values, expected {}", got.len(), truth.len()));
    }
    got.iter().zip(truth).zip(tolerance).enumerate().find_map(|(i, ((&got, &truth), &tolerance))| {
        let off = (f64::from(got) - truth).abs();
        let fine = if truth.is_nan() { got.is_nan() } else { off <= tolerance };
        (!fine).then(|| format!("value {i} is {got:e}, expected {truth:e} ± {tolerance:e} (off by {off:e})"))
    })
}
