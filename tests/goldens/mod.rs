//! What Hugging Face transformers makes of tiny seeded models (`fixtures/architectures.py`), and an observer that collects the
//! same from any backend. The files are compiled in, so that a browser has them too.

use std::collections::BTreeMap;

use fairbits::{
    arch::{
        batch::Batch,
        forward::{Observer, Tap, forward},
        load::{Opened, open},
        weights::Device,
    },
    backend::{
        Backend, BackendError,
        table::{Matmul, Norms},
    },
    model::source::Memory,
};
use serde::Deserialize;

/// Relative to the largest figure of its kind; goldens are computed in f64 from the same f32 weights.
pub const TOLERANCE: f64 = 1e-4;

/// One text of the golden file.
#[derive(Deserialize)]
pub struct Case {
    pub tokens: Vec<u32>,
    pub losses: Vec<f64>,
    norms: BTreeMap<String, Vec<f64>>,
    /// Of the last row.
    logits: Vec<f64>,
}

impl Case {
    /// The whole text in one window.
    pub fn batch(&self) -> Batch {
        let mut batch = Batch::default();
        let n = self.tokens.len();
        batch.push_window(&self.tokens[..n - 1], &self.tokens[1..]);
        batch
    }

    /// Runs it and compares losses, norms at every tap, and logits.
    pub async fn agrees<B: Backend>(&self, device: &Device<B>) {
        let mut watch = Watch { device, norms: BTreeMap::new(), logits: None };
        let batch = self.batch();
        let run = forward(&device.backend, &device.spec, device.full(), &batch, &mut watch, &nothing);
        close("losses", &run.await.unwrap(), &self.losses);
        assert_eq!(watch.norms.len(), self.norms.len());
        for (tap, golden) in &self.norms {
            close(tap, &device.backend.read_f32(&watch.norms[tap]).await.unwrap(), golden);
        }
        let logits = device.backend.read_f32(&watch.logits.expect("the last tap was seen")).await.unwrap();
        close("logits", &logits[logits.len() - self.logits.len()..], &self.logits);
    }
}

/// Never waits.
pub async fn nothing() {}

/// The texts of `gpt2-tiny`.
pub fn gpt2_cases() -> Vec<Case> {
    serde_json::from_str(include_str!("../fixtures/gpt2-tiny/golden.json")).unwrap()
}

/// The model `gpt2-tiny` on a backend.
pub async fn gpt2<B: Backend>(backend: B) -> Opened<B> {
    let folder = Memory::new([
        ("config.json", include_bytes!("../fixtures/gpt2-tiny/config.json").to_vec()),
        ("model.safetensors", include_bytes!("../fixtures/gpt2-tiny/model.safetensors").to_vec()),
    ]);
    open(backend, &folder, "gpt2-tiny", &mut ()).await.unwrap()
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
            Tap::Embedding => "embedding".to_string(),
            Tap::Hidden(layer) => format!("hidden.{layer}"),
            Tap::Last => "last".to_string(),
        };
        let out = backend.alloc(rows)?;
        backend.dispatch(&Norms { rows: rows as u32, width: width as u32 }, &[stream, &out])?;
        self.norms.insert(name, out);
        if tap == Tap::Last {
            let n = self.device.spec.vocabulary;
            let logits = backend.alloc(rows * n)?;
            let head = self.device.full().full(&self.device.spec.tokens).unwrap();
            let params = Matmul { m: rows as u32, k: width as u32, n: n as u32, transposed: 1, biased: 0 };
            backend.dispatch(&params, &[stream, head, head, &logits])?;
            self.logits = Some(logits);
        }
        Ok(())
    }
}

/// Every figure within [`TOLERANCE`] of the largest.
pub fn close(what: &str, ours: &[f32], golden: &[f64]) {
    assert_eq!(ours.len(), golden.len(), "{what}");
    let scale = golden.iter().fold(0.0_f64, |most, value| most.max(value.abs()));
    for (i, (&ours, &golden)) in ours.iter().zip(golden).enumerate() {
        let error = (f64::from(ours) - golden).abs() / scale;
        assert!(error <= TOLERANCE, "{what}[{i}]: {ours} against {golden}, relative error {error:e}");
    }
}
