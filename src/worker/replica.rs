//! What a member holds: a device, its model and the recipes in use.

use js_sys::ArrayBuffer;

use super::{
    failure::Failure,
    messages::{Answer, Ask},
    port::{buffer_of, buffer_of_f64, floats},
    yield_now::{Yielder, now},
};
use crate::{
    arch::{
        ArchError,
        batch::Batch,
        forward::forward,
        passes::see_texts,
        recipe::Recipe,
        tensor_reader::TensorReader,
        walk::Walk,
        weights::{Device, Weights},
    },
    backend::{Backend, BackendError, cpu::Cpu, wgpu::Wgpu},
    lab::{hidden_states::study_language, search::walk_piece},
    model::{ModelError, config::Config},
    protocol::{KernelRow, Profile},
    report::labels::OUR_FAULT,
};

/// Why something was not done.
pub enum Fault {
    /// As a sentence.
    Said(String),
    /// The device is gone, or has no memory left.
    Lost(String),
}

/// The coordinator and its members do not agree; nobody else is at fault.
impl From<&str> for Fault {
    fn from(sentence: &str) -> Fault {
        Fault::Said(Failure::told(sentence, OUR_FAULT).sentence())
    }
}

impl From<ModelError> for Fault {
    fn from(error: ModelError) -> Fault {
        Fault::Said(Failure::from(error).sentence())
    }
}

impl From<ArchError> for Fault {
    fn from(error: ArchError) -> Fault {
        match error {
            ArchError::Backend(fault @ (BackendError::Lost { .. } | BackendError::OutOfMemory { .. })) => {
                Fault::Lost(fault.to_string())
            }
            ArchError::Backend(
                fault @ (BackendError::NoRoom { .. } | BackendError::TooLarge { .. } | BackendError::Unbindable { .. }),
            ) => {
                let clause = format!("the model does not fit on the WebGPU device: {fault}");
                Fault::Said(Failure::told(clause, fault.what_to_do()).sentence())
            }
            other => Fault::Said(Failure::from(other).sentence()),
        }
    }
}

/// A device of either kind.
pub enum Replica {
    /// Exact mode.
    Cpu(Held<Cpu>),
    /// On WebGPU.
    Gpu(Held<Wgpu>),
}

/// A device, its model and the recipes in use. The device keeps what it has packed, also for the recipes of another plan.
pub struct Held<B: Backend> {
    backend: B,
    device: Option<Device<B>>,
    recipes: Vec<Recipe>,
    /// The weights of one of them, ready for walks.
    walked: Option<(usize, Weights<B>)>,
    /// Asks the coordinator for what is not held.
    reader: TensorReader,
    /// Passes and their milliseconds, for devices that do not time their kernels.
    passes: (u64, f64),
}

impl<B: Backend + Clone> Held<B> {
    fn new(backend: B, reader: TensorReader) -> Held<B> {
        Held { backend, device: None, recipes: Vec::new(), walked: None, reader, passes: (0, 0.0) }
    }
}

/// What is answered, with its buffers.
type Answered = Result<(Answer, Vec<ArrayBuffer>), Fault>;

impl Replica {
    /// On a GPU, or on the CPU; without a model.
    pub fn new(gpu: Option<Wgpu>, cpu: Cpu, reader: TensorReader) -> Replica {
        match gpu {
            Some(gpu) => Replica::Gpu(Held::new(gpu, reader)),
            None => Replica::Cpu(Held::new(cpu, reader)),
        }
    }

    /// `cpu`, `fused` or `webgpu`.
    pub fn name(&self) -> &'static str {
        match self {
            Replica::Cpu(held) => held.backend.name(),
            Replica::Gpu(held) => held.backend.name(),
        }
    }

    /// Does what is asked.
    pub async fn answer(&mut self, ask: Ask, buffers: &[ArrayBuffer], yielder: &Yielder) -> Answered {
        match self {
            Replica::Cpu(held) => held.answer(ask, buffers, yielder).await,
            Replica::Gpu(held) => held.answer(ask, buffers, yielder).await,
        }
    }

    /// Where the time went since this was last asked.
    pub fn profile(&mut self) -> Profile {
        let times = match self {
            Replica::Cpu(_) => None,
            Replica::Gpu(held) => held.backend.times(),
        };
        let passes = match self {
            Replica::Cpu(held) => std::mem::take(&mut held.passes),
            Replica::Gpu(held) => std::mem::take(&mut held.passes),
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
    async fn answer(&mut self, ask: Ask, buffers: &[ArrayBuffer], yielder: &Yielder) -> Answered {
        if let Ask::Read { name } = ask {
            let device = self.device.as_ref().ok_or("a tensor was asked for before its model came")?;
            return Ok((Answer::Values, vec![buffer_of(&device.values(&name).await?)]));
        }
        let figures = self.figures(ask, buffers, yielder).await?;
        Ok((Answer::Done, vec![buffer_of_f64(&figures)]))
    }

    async fn begin(&mut self, config: &str, packed: bool) -> Result<(), Fault> {
        let spec = crate::arch::spec(&Config::parse(config.as_bytes())?)?;
        (self.device, self.recipes, self.walked) = (None, Vec::new(), None);
        let sizes = spec.tensors().into_iter().map(|tensor| tensor.bytes());
        let (bytes, largest) = sizes.fold((0, 0), |(sum, most), bytes| (sum + bytes, bytes.max(most)));
        let held = if packed { bytes / 8 + largest } else { bytes };
        self.backend.reserve(held, largest).await.map_err(ArchError::from)?;
        let mut device = Device::new(self.backend.clone(), spec);
        if packed {
            device.reads(self.reader.clone());
        }
        self.device = Some(device);
        Ok(())
    }

    async fn figures(&mut self, ask: Ask, buffers: &[ArrayBuffer], yielder: &Yielder) -> Result<Vec<f64>, Fault> {
        let pause = async || yielder.pause().await;
        match ask {
            Ask::Model { config, packed } => self.begin(&config, packed).await?,
            Ask::Tensor { name, shape } => {
                let device = self.device.as_mut().ok_or("a tensor came before its model")?;
                let values = buffers.first().map(floats).ok_or("a tensor came without its values")?;
                device.insert(&name, &shape, &values)?;
            }
            Ask::Pack { name, how } => {
                let device = self.device.as_ref().ok_or("a tensor came before its model")?;
                let values = buffers.first().map(floats).ok_or("a tensor came without its values")?;
                device.pack_ahead(&name, &values, &how)?;
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
            Ask::Open { .. }
            | Ask::Profile
            | Ask::Read { .. }
            | Ask::Values { .. }
            | Ask::Tokenizer { .. }
            | Ask::Cut { .. }
            | Ask::Alive
            | Ask::Cancel => {}
        }
        Ok(Vec::new())
    }

    fn passed(&mut self, milliseconds: f64) {
        self.passes.0 += 1;
        self.passes.1 += milliseconds;
    }
}
