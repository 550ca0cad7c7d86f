//! A member of the pool: holds the model on a device and runs what the lead asks for, one request after another.
//!
//! On WebGPU the pool has one member, with one device: a second would hold the weights a second time in the same memory, and
//! the two would only take turns on the same hardware. The lead has no device at all, so that it answers while shaders are
//! compiled, and keeps the weights in its own memory, from which a lost device is filled again.

use std::{cell::RefCell, rc::Rc};

use futures::{
    StreamExt,
    channel::mpsc::{UnboundedReceiver, unbounded},
    future::{AbortHandle, abortable},
};
use js_sys::ArrayBuffer;
use serde::{Deserialize, Serialize};
use wasm_bindgen::{JsCast, closure::Closure};
use wasm_bindgen_futures::spawn_local;
use web_sys::{DedicatedWorkerGlobalScope, MessageEvent};

use super::{
    breath::{Breath, now},
    port::{Parcel, buffer_of_f64, floats},
};
use crate::{
    analysis::{
        passes::see_texts,
        plan::Taps,
        search::walk_piece,
        study::{Looks, study_language},
    },
    arch::{
        ArchError,
        batch::Batch,
        forward::forward,
        recipe::Recipe,
        walk::{Kept, Walk},
        weights::{Device, Weights},
    },
    backend::{
        Backend, BackendError,
        choose::{Choice, Wanted, choose},
        cpu::Cpu,
        wgpu::Wgpu,
    },
    math::sets::{Branch, Family},
    model::{ModelError, config::Config},
    protocol::{KernelRow, Profile},
};

/// Lead → member.
#[derive(Debug, Serialize, Deserialize)]
pub enum Ask {
    /// Open a device; before that there is none.
    Open {
        /// What the person wants.
        wanted: Wanted,
        /// Take the time of each kernel.
        profile: bool,
    },
    /// The time of each kernel since this was last asked.
    Profile,
    /// Begin a model; what was there is dropped.
    Model {
        /// Text of config.json.
        config: String,
    },
    /// A tensor of it; its floats come as the parcel's buffer.
    Tensor {
        /// Name in the file.
        name: String,
        /// Shape in the file.
        shape: Vec<usize>,
    },
    /// The weights of the jobs to come.
    Recipes(Vec<Recipe>),
    /// Texts under one of the recipes; the answer's buffer holds their figures.
    Job {
        /// Index into the recipes.
        recipe: usize,
        /// Tokens.
        texts: Vec<Vec<u32>>,
        /// What is to be seen of each.
        taps: Taps,
    },
    /// The protection sets of a family beyond a branch, over texts; the answer's buffer holds their nats in the order of the
    /// tree.
    Walk {
        /// Index into the recipes: every block quantized.
        recipe: usize,
        /// What protection keeps.
        kept: Kept,
        /// The sets.
        family: Family,
        /// Of them those beyond.
        branch: Branch,
        /// Tokens.
        texts: Vec<Vec<u32>>,
        /// Bytes for states.
        budget: usize,
    },
    /// Texts of one language under all recipes; the answer's buffer holds what their hidden states show.
    Study {
        /// What is to be seen.
        looks: Looks,
        /// Tokens.
        texts: Vec<Vec<u32>>,
    },
    /// One forward pass over a sequence, timed by the lead.
    Sequence {
        /// Tokens.
        tokens: Vec<u32>,
        /// With fused products, whatever the device usually does.
        fused: bool,
    },
    /// Forget every request up to this number, also the one being run.
    Cancel,
}

/// Member → lead.
#[derive(Debug, Serialize, Deserialize)]
pub enum Answer {
    /// It is done; results are in the buffer.
    Done,
    /// A device is being opened; the answer is still to come.
    Opening {
        /// Steps done.
        done: usize,
        /// Steps in all.
        total: usize,
    },
    /// It is open.
    Opened {
        /// `cpu`, `fused` or `webgpu`.
        backend: String,
        /// Why this one.
        why: String,
    },
    /// Where the time went.
    Profiled(Profile),
    /// It could not be done, as a sentence.
    Failed(String),
    /// The device is gone, or has no memory left: what was asked can be asked again on another.
    Lost(String),
    /// It was cancelled.
    Cancelled,
}

/// Why something was not done.
enum Fault {
    Said(String),
    Lost(String),
}

impl From<&str> for Fault {
    fn from(sentence: &str) -> Fault {
        Fault::Said(sentence.to_string())
    }
}

impl From<ModelError> for Fault {
    fn from(error: ModelError) -> Fault {
        Fault::Said(error.to_string())
    }
}

impl From<ArchError> for Fault {
    fn from(error: ArchError) -> Fault {
        let sentence = error.to_string();
        match error {
            ArchError::Backend(BackendError::Lost { .. } | BackendError::OutOfMemory { .. }) => Fault::Lost(sentence),
            ArchError::Backend(
                BackendError::NoRoom { .. } | BackendError::TooLarge { .. } | BackendError::Unbindable { .. },
            ) => Fault::Said(format!(
                "the model does not fit on the WebGPU device: {sentence} (backend=cpu in the link \
                                     computes on the CPU)"
            )),
            _ => Fault::Said(sentence),
        }
    }
}

/// A device of either kind.
enum Seat {
    Cpu(Held<Cpu>),
    Gpu(Held<Wgpu>),
}

/// A device, its model and the recipes in use. The device keeps what it has packed, also for the recipes of another plan.
struct Held<B: Backend> {
    backend: B,
    device: Option<Device<B>>,
    recipes: Vec<Recipe>,
    /// The weights of one of them, ready for walks.
    walked: Option<(usize, Weights<B>)>,
    /// Passes and their milliseconds, for devices that do not time their kernels.
    passes: (u64, f64),
}

impl<B: Backend + Clone> Held<B> {
    fn new(backend: B) -> Held<B> {
        Held { backend, device: None, recipes: Vec::new(), walked: None, passes: (0, 0.0) }
    }
}

/// What Cancel must reach while a request is being run.
#[derive(Default)]
struct Running {
    cancelled_up_to: u64,
    current: Option<AbortHandle>,
}

pub(super) fn start(scope: DedicatedWorkerGlobalScope, first: MessageEvent) {
    let (queue, requests) = unbounded();
    let running = Rc::new(RefCell::new(Running::default()));
    let shared = running.clone();
    let receive = Closure::<dyn Fn(MessageEvent)>::new(move |message: MessageEvent| {
        let Some(parcel) = Parcel::<Ask>::from_message(&message) else { return };
        if matches!(parcel.body, Ask::Cancel) {
            let mut running = shared.borrow_mut();
            running.cancelled_up_to = parcel.number;
            if let Some(current) = running.current.take() {
                current.abort();
            }
        } else {
            // The receiver lives as long as the worker.
            let _ = queue.unbounded_send(parcel);
        }
    });
    scope.set_onmessage(Some(receive.as_ref().unchecked_ref()));
    let deliver: &js_sys::Function = receive.as_ref().unchecked_ref();
    // The first message decided the part; it is a request like any other.
    let _ = deliver.call1(&wasm_bindgen::JsValue::NULL, &first);
    receive.forget();
    spawn_local(serve(scope, requests, running));
}

async fn serve(
    scope: DedicatedWorkerGlobalScope,
    mut requests: UnboundedReceiver<Parcel<Ask>>,
    running: Rc<RefCell<Running>>,
) {
    let (mut seat, breath) = (Seat::Cpu(Held::new(Cpu)), Breath::new());
    while let Some(Parcel { number, body, buffers }) = requests.next().await {
        if number <= running.borrow().cancelled_up_to {
            continue;
        }
        let tell = |body, buffers| {
            // A lead that is gone does not read the answer.
            let _ = Parcel { number, body, buffers }.post_to_parent(&scope);
        };
        let work = async {
            match body {
                Ask::Open { wanted, profile } => {
                    let opening = |done, total| tell(Answer::Opening { done, total }, Vec::new());
                    let Choice { gpu, cpu, why } = choose(wanted, profile, opening).await;
                    seat = gpu.map_or_else(|| Seat::Cpu(Held::new(cpu)), |gpu| Seat::Gpu(Held::new(gpu)));
                    Ok((Answer::Opened { backend: seat.name().to_string(), why }, Vec::new()))
                }
                Ask::Profile => Ok((Answer::Profiled(seat.profile()), Vec::new())),
                other => {
                    let figures = seat.answer(other, &buffers, &breath).await?;
                    Ok((Answer::Done, vec![buffer_of_f64(&figures)]))
                }
            }
        };
        let (work, handle) = abortable(work);
        running.borrow_mut().current = Some(handle);
        let outcome = work.await;
        running.borrow_mut().current = None;
        match outcome {
            Ok(Ok((body, buffers))) => tell(body, buffers),
            Ok(Err(Fault::Said(sentence))) => tell(Answer::Failed(sentence), Vec::new()),
            Ok(Err(Fault::Lost(sentence))) => tell(Answer::Lost(sentence), Vec::new()),
            Err(_) => tell(Answer::Cancelled, Vec::new()),
        }
    }
}

impl Seat {
    fn name(&self) -> &'static str {
        match self {
            Seat::Cpu(held) => held.backend.name(),
            Seat::Gpu(held) => held.backend.name(),
        }
    }

    async fn answer(&mut self, ask: Ask, buffers: &[ArrayBuffer], breath: &Breath) -> Result<Vec<f64>, Fault> {
        match self {
            Seat::Cpu(held) => held.answer(ask, buffers, breath).await,
            Seat::Gpu(held) => held.answer(ask, buffers, breath).await,
        }
    }

    fn profile(&mut self) -> Profile {
        let times = match self {
            Seat::Cpu(_) => None,
            Seat::Gpu(held) => held.backend.times(),
        };
        let passes = match self {
            Seat::Cpu(held) => std::mem::take(&mut held.passes),
            Seat::Gpu(held) => std::mem::take(&mut held.passes),
        };
        let Some(times) = times else {
            let how = "This device does not time its kernels, so only whole passes are timed.".to_string();
            let all = KernelRow { name: "all kernels".into(), runs: passes.0, milliseconds: passes.1 };
            return Profile { how, kernels: vec![all] };
        };
        let row = |(stem, time): (&'static str, crate::backend::wgpu::KernelTime)| KernelRow {
            name: stem.to_string(),
            runs: time.runs,
            milliseconds: time.milliseconds,
        };
        let mut kernels: Vec<KernelRow> = times.into_iter().map(row).collect();
        kernels.sort_by(|a, b| b.milliseconds.total_cmp(&a.milliseconds));
        let how = "Timed on the device, around every dispatch; browsers round to a tenth of a millisecond.".to_string();
        Profile { how, kernels }
    }
}

impl<B: Backend + Clone> Held<B> {
    async fn answer(&mut self, ask: Ask, buffers: &[ArrayBuffer], breath: &Breath) -> Result<Vec<f64>, Fault> {
        let pause = async || breath.pause().await;
        match ask {
            Ask::Model { config } => {
                let spec = crate::arch::spec(&Config::parse(config.as_bytes())?)?;
                (self.device, self.recipes, self.walked) = (None, Vec::new(), None);
                let sizes = spec.tensors().into_iter().map(|tensor| 4 * tensor.shape.iter().product::<usize>() as u64);
                let (bytes, largest) = sizes.fold((0, 0), |(sum, most), bytes| (sum + bytes, bytes.max(most)));
                self.backend.reserve(bytes, largest).await.map_err(ArchError::from)?;
                self.device = Some(Device::new(self.backend.clone(), spec));
            }
            Ask::Tensor { name, shape } => {
                let device = self.device.as_mut().ok_or("a tensor came before its model")?;
                let values = buffers.first().map(floats).ok_or("a tensor came without its values")?;
                device.insert(&name, &shape, &values)?;
            }
            Ask::Recipes(recipes) => (self.recipes, self.walked) = (recipes, None),
            Ask::Job { recipe, texts, taps } => {
                let device = self.device.as_ref().ok_or("a job came before its model")?;
                let recipe = self.recipes.get(recipe).ok_or("a job came before its recipe")?;
                let began = now();
                let weights = device.apply(recipe).await?;
                let figures = see_texts(device, &weights, &texts, taps, &pause).await?;
                self.passed(now() - began);
                return Ok(figures);
            }
            Ask::Walk { recipe, kept, family, branch, texts, budget } => {
                let device = self.device.as_ref().ok_or("a walk came before its model")?;
                let own = self.recipes.get(recipe).ok_or("a walk came before its recipe")?;
                let began = now();
                // Piece after piece of one search has the same weights.
                if self.walked.as_ref().is_none_or(|(of, _)| *of != recipe) {
                    self.walked = Some((recipe, device.apply_to_walk(own).await?));
                }
                let (_, quantized) = self.walked.as_ref().ok_or("a walk has no weights")?;
                let walk = Walk { device, quantized, kept, family: &family, budget };
                let nats = walk_piece(&walk, branch, &texts, &pause).await?;
                self.passed(now() - began);
                return Ok(nats);
            }
            Ask::Study { looks, texts } => {
                let device = self.device.as_ref().ok_or("a study came before its model")?;
                if looks.of.len() != self.recipes.len() {
                    return Err("a study came before its recipes".into());
                }
                let began = now();
                let figures = study_language(device, &self.recipes, &looks, &texts, &pause).await?;
                self.passed(now() - began);
                return Ok(figures);
            }
            Ask::Sequence { tokens, fused } => {
                let device = self.device.as_ref().ok_or("a sequence came before its model")?;
                let backend = if fused { device.backend.fused() } else { Some(device.backend.clone()) };
                let backend = backend.ok_or("this device has no fused products")?;
                let mut batch = Batch::default();
                let targets: Vec<u32> = tokens.iter().cycle().skip(1).take(tokens.len()).copied().collect();
                batch.push_window(&tokens, &targets);
                let began = now();
                let losses = forward(&backend, &device.spec, device.full(), &batch, &mut (), &pause).await?;
                self.passed(now() - began);
                return Ok(losses.into_iter().map(f64::from).collect());
            }
            Ask::Open { .. } | Ask::Profile | Ask::Cancel => {}
        }
        Ok(Vec::new())
    }

    fn passed(&mut self, milliseconds: f64) {
        self.passes.0 += 1;
        self.passes.1 += milliseconds;
    }
}
