//! What Hugging Face transformers makes of tiny seeded models (`fixtures/architectures.py`), and an observer that collects the
//! same from any backend. The files are compiled in, so that a browser has them too.

use std::collections::BTreeMap;

use engine::{
    arch::{
        batch::Batch,
        forward::{Observer, Tap, forward},
        load::{Opened, open},
        spec::{Side, Spec},
        weights::Device,
    },
    backend::{
        Backend, BackendError,
        kernels::{Matmul, Norms},
    },
    model::source::Memory,
};
use serde::Deserialize;

/// Relative to the largest figure of its kind; goldens are computed in f64 from the same f32 weights.
pub const TOLERANCE: f64 = 1e-4;

/// One text of the golden file.
#[derive(Deserialize)]
pub struct Case {
    /// As an analysis would hand them on.
    pub tokens: Vec<u32>,
    /// Of each scored row.
    pub losses: Vec<f64>,
    norms: BTreeMap<String, Vec<f64>>,
    /// Of the last scored row.
    logits: Vec<f64>,
}

impl Case {
    /// The whole text.
    pub fn batch(&self, spec: &Spec) -> Batch {
        let mut batch = Batch::default();
        batch.push_text(&self.tokens, &spec.scoring, spec.context);
        batch
    }

    /// Runs it and compares losses, norms at every tap, and logits; gives the largest relative difference.
    pub async fn agrees<B: Backend>(&self, device: &Device<B>) -> f64 {
        let mut watch = Watch { device, norms: BTreeMap::new(), logits: None };
        let batch = self.batch(&device.spec);
        let run = forward(&device.backend, &device.spec, device.full(), &batch, &mut watch, &nothing);
        let mut worst = close("losses", &run.await.unwrap(), &self.losses);
        assert_eq!(watch.norms.len(), self.norms.len());
        for (tap, golden) in &self.norms {
            worst = worst.max(close(tap, &device.backend.read_f32(&watch.norms[tap]).await.unwrap(), golden));
        }
        let logits = device.backend.read_f32(&watch.logits.expect("the last tap was seen")).await.unwrap();
        worst.max(close("logits", &logits[logits.len() - self.logits.len()..], &self.logits))
    }
}

/// Never waits.
pub async fn nothing() {}

/// A tiny model and what transformers makes of it.
pub struct Fixture {
    /// Name of its folder.
    pub name: &'static str,
    /// Its config.json.
    pub config: &'static str,
    weights: &'static [u8],
    golden: &'static str,
}

macro_rules! fixtures {
    ($($name:literal),* $(,)?) => {
        &[$(Fixture {
            name: $name,
            config: include_str!(concat!("../../../tests/fixtures/", $name, "/config.json")),
            weights: include_bytes!(concat!("../../../tests/fixtures/", $name, "/model.safetensors")),
            golden: include_str!(concat!("../../../tests/fixtures/", $name, "/golden.json")),
        }),*]
    };
}

/// Every tiny model; each architecture has one at least.
pub const FIXTURES: &[Fixture] = fixtures![
    "gpt2-tiny",
    "bloom-tiny",
    "xglm-tiny",
    "opt-tiny",
    "opt-post-tiny",
    "gpt_neox-tiny",
    "llama-tiny",
    "llama-linear-tiny",
    "qwen2-tiny",
    "gemma3_text-tiny",
    "xlm-roberta-tiny",
    "mt5-tiny",
    "mamba-tiny",
];

impl Fixture {
    /// By name.
    pub fn of(name: &str) -> &'static Fixture {
        FIXTURES.iter().find(|fixture| fixture.name == name).unwrap_or_else(|| panic!("no fixture {name}"))
    }

    /// Its texts.
    pub fn cases(&self) -> Vec<Case> {
        serde_json::from_str(self.golden).unwrap()
    }

    /// On a backend.
    pub async fn open<B: Backend>(&self, backend: B) -> Opened<B> {
        open(backend, &self.files(), self.name, &mut ()).await.unwrap()
    }

    /// Its folder.
    pub fn files(&self) -> Memory {
        self.with(self.config)
    }

    /// Its folder with another config.
    pub fn with(&self, config: &str) -> Memory {
        Memory::new([("config.json", config.as_bytes().to_vec()), ("model.safetensors", self.weights.to_vec())])
    }
}

/// The texts of `gpt2-tiny`.
pub fn gpt2_cases() -> Vec<Case> {
    Fixture::of("gpt2-tiny").cases()
}

/// The model `gpt2-tiny` on a backend.
pub async fn gpt2<B: Backend>(backend: B) -> Opened<B> {
    Fixture::of("gpt2-tiny").open(backend).await
}

/// Keeps norms at every tap and the logits, unread.
struct Watch<'a, B: Backend> {
    device: &'a Device<B>,
    norms: BTreeMap<String, B::Buffer>,
    logits: Option<B::Buffer>,
}

impl<B: Backend> Observer<B> for Watch<'_, B> {
    fn see(
        &mut self,
        backend: &B,
        tap: Tap,
        stream: &B::Buffer,
        rows: usize,
        width: usize,
    ) -> Result<(), BackendError> {
        let name = match tap {
            Tap::Embedding(Side::Main) => "embedding".to_string(),
            Tap::Embedding(Side::Source) => "source".to_string(),
            Tap::Hidden(layer) => format!("hidden.{layer}"),
            Tap::Last => "last".to_string(),
        };
        let out = backend.alloc(rows)?;
        backend.dispatch(&Norms { rows: rows as u32, width: width as u32 }, &[stream, &out])?;
        self.norms.insert(name, out);
        if tap == Tap::Last {
            let spec = &self.device.spec;
            let logits = backend.alloc(rows * spec.vocabulary)?;
            let head = self.device.full().full(&spec.head.table).unwrap();
            let bias = spec.head.bias.as_ref().map_or(head, |bias| self.device.full().full(bias).unwrap());
            let [m, k, n] = [rows, width, spec.vocabulary].map(|figure| figure as u32);
            let params = Matmul { m, k, n, transposed: 1, biased: u32::from(spec.head.bias.is_some()) };
            backend.dispatch(&params, &[stream, head, bias, &logits])?;
            self.logits = Some(logits);
        }
        Ok(())
    }
}

/// Every figure within [`TOLERANCE`] of the largest; gives the largest difference, relative to it.
pub fn close(what: &str, ours: &[f32], golden: &[f64]) -> f64 {
    assert_eq!(ours.len(), golden.len(), "{what}");
    let scale = golden.iter().fold(0.0_f64, |most, value| most.max(value.abs()));
    let mut worst: f64 = 0.0;
    for (i, (&ours, &golden)) in ours.iter().zip(golden).enumerate() {
        let error = (f64::from(ours) - golden).abs() / scale;
        assert!(error <= TOLERANCE, "{what}[{i}]: {ours} against {golden}, relative error {error:e}");
        worst = worst.max(error);
    }
    worst
}
