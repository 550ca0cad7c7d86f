//! Every architecture against Hugging Face transformers, on tiny seeded models made by `fixtures/architectures.py`.

use std::{cell::RefCell, collections::BTreeMap, path::PathBuf};

use fairbits::{
    analysis::passes::run_texts,
    arch::{
        batch::Batch,
        forward::{Observer, Tap, forward},
        load::{Opened, open},
        recipe::{Quantization, Recipe},
        weights::Device,
    },
    backend::{Backend, BackendError, cpu::Cpu, table},
    math::{
        clipping::Rule,
        grouping::{Grouping, thresholds},
        quantizer::{Bits, Granularity},
    },
    model::source::Folder,
};
use serde::Deserialize;

/// Relative to the figure's own size; goldens are computed in f64 from the same f32 weights.
const TOLERANCE: f64 = 1e-4;

#[derive(Deserialize)]
struct Case {
    tokens: Vec<u32>,
    losses: Vec<f64>,
    norms: BTreeMap<String, Vec<f64>>,
    logits: Vec<f64>,
}

fn folder(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(name)
}

fn opened(name: &str) -> Opened<Cpu> {
    pollster::block_on(open(Cpu, &Folder::new(folder(name)), name, &mut ())).unwrap()
}

fn cases(name: &str) -> Vec<Case> {
    serde_json::from_str(&std::fs::read_to_string(folder(name).join("golden.json")).unwrap()).unwrap()
}

/// Keeps norms at every tap and the logits.
struct Watch<'a> {
    device: &'a Device<Cpu>,
    norms: RefCell<BTreeMap<String, Vec<f32>>>,
    logits: Vec<f32>,
}

impl Observer<Cpu> for Watch<'_> {
    fn see(
        &mut self,
        cpu: &Cpu,
        tap: Tap,
        stream: &<Cpu as Backend>::Buffer,
        rows: usize,
        width: usize,
    ) -> Result<(), BackendError> {
        let name = match tap {
            Tap::Embedding => "embedding".to_string(),
            Tap::Hidden(layer) => format!("hidden.{layer}"),
            Tap::Last => "last".to_string(),
        };
        let out = cpu.alloc(rows)?;
        cpu.dispatch(&table::Norms { rows: rows as u32, width: width as u32 }, &[stream, &out])?;
        self.norms.borrow_mut().insert(name, pollster::block_on(cpu.read_f32(&out))?);
        if tap == Tap::Last {
            let n = self.device.spec.vocabulary;
            let logits = cpu.alloc(rows * n)?;
            let head = self.device.full().full(&self.device.spec.tokens).unwrap();
            let (m, k) = (rows as u32, width as u32);
            let params = table::Matmul { m, k, n: n as u32, transposed: 1, biased: 0 };
            cpu.dispatch(&params, &[stream, head, head, &logits])?;
            self.logits = pollster::block_on(cpu.read_f32(&logits))?;
        }
        Ok(())
    }
}

fn close(what: &str, ours: &[f32], golden: &[f64]) {
    assert_eq!(ours.len(), golden.len(), "{what}");
    let scale = golden.iter().fold(0.0_f64, |most, value| most.max(value.abs()));
    for (i, (&ours, &golden)) in ours.iter().zip(golden).enumerate() {
        let error = (f64::from(ours) - golden).abs() / scale;
        assert!(error <= TOLERANCE, "{what}[{i}]: {ours} against {golden}, relative error {error:e}");
    }
}

async fn nothing() {}

#[test]
fn gpt2_agrees_with_transformers() {
    let model = opened("gpt2-tiny");
    let device = &model.device;
    for case in cases("gpt2-tiny") {
        let mut batch = Batch::default();
        let n = case.tokens.len();
        batch.push_window(&case.tokens[..n - 1], &case.tokens[1..]);
        let mut watch = Watch { device, norms: RefCell::default(), logits: Vec::new() };
        let run = forward(&device.backend, &device.spec, device.full(), &batch, &mut watch, &nothing);
        let losses = pollster::block_on(run).unwrap();
        close("losses", &losses, &case.losses);
        for (tap, golden) in &case.norms {
            close(tap, &watch.norms.borrow()[tap], golden);
        }
        assert_eq!(watch.norms.borrow().len(), case.norms.len());
        close("logits", &watch.logits[watch.logits.len() - case.logits.len()..], &case.logits);
    }
}

/// The comparison itself can fail: one matrix scaled by a fiftieth is seen.
#[test]
fn a_changed_weight_is_seen() {
    let model = opened("gpt2-tiny");
    let mut device = model.device;
    let name = "h.1.mlp.c_fc.weight";
    let mut values = pollster::block_on(device.values(name)).unwrap();
    values.iter_mut().for_each(|value| *value *= 1.02);
    device.insert(name, &[24, 96], &values).unwrap();
    let case = cases("gpt2-tiny").pop().unwrap();
    let nats = pollster::block_on(run_texts(&device, device.full(), &[&case.tokens], &nothing)).unwrap()[0];
    let golden: f64 = case.losses.iter().sum();
    assert!(((nats - golden) / golden).abs() > TOLERANCE);
}

/// Texts in one batch, in any company, have the bits that they have alone.
#[test]
fn a_text_does_not_see_its_batch() {
    let model = opened("gpt2-tiny");
    let device = &model.device;
    let texts: Vec<Vec<u32>> = cases("gpt2-tiny").into_iter().map(|case| case.tokens).collect();
    let long: Vec<u32> = (0..60).map(|i| i * 7 % 101).collect(); // longer than the context: four windows
    let texts: Vec<Vec<u32>> = texts.into_iter().chain([long]).collect();
    let together = pollster::block_on(run_texts(device, device.full(), &texts, &nothing)).unwrap();
    for (text, together) in texts.iter().zip(&together) {
        let alone = pollster::block_on(run_texts(device, device.full(), &[text], &nothing)).unwrap()[0];
        assert_eq!(alone.to_bits(), together.to_bits());
    }
}

/// Packed weights give the bits of the same weights quantized and dequantized in f32, at every width and granularity.
#[test]
fn packed_weights_equal_dequantized_ones() {
    let model = opened("gpt2-tiny");
    let device = &model.device;
    let texts: Vec<Vec<u32>> = cases("gpt2-tiny").into_iter().map(|case| case.tokens).collect();
    for bits in Bits::ALL {
        for granularity in [
            Granularity::Tensor,
            Granularity::Channel,
            Granularity::Group32,
            Granularity::Group64,
            Granularity::Group128,
        ] {
            let mut recipe = Recipe::default();
            let mut plain = opened("gpt2-tiny").device;
            for (name, _, layout) in device.matrices() {
                let values = pollster::block_on(device.values(&name)).unwrap();
                let alphas = thresholds(&values, layout, granularity, Rule::Absmax, bits);
                let grouping = Grouping::new(layout, granularity);
                let cpu = &device.backend;
                let out = cpu.alloc(values.len()).unwrap();
                let params = table::Quantize {
                    k: layout.k as u32,
                    n: layout.n as u32,
                    transposed: 0,
                    group: grouping.group as u32,
                    channels: grouping.channels as u32,
                    levels: bits.levels(),
                };
                let (x, a) = (cpu.upload_f32(&values).unwrap(), cpu.upload_f32(&alphas).unwrap());
                cpu.dispatch(&params, &[&x, &a, &out]).unwrap();
                let dequantized = pollster::block_on(cpu.read_f32(&out)).unwrap();
                plain.insert(&name, &[layout.k, layout.n], &dequantized).unwrap();
                recipe.tensors.insert(name, Quantization { bits, granularity, alphas });
            }
            let packed = pollster::block_on(device.apply(&recipe)).unwrap();
            let packed = pollster::block_on(run_texts(device, &packed, &texts, &nothing)).unwrap();
            let plain = pollster::block_on(run_texts(&plain, plain.full(), &texts, &nothing)).unwrap();
            for (packed, plain) in packed.iter().zip(&plain) {
                assert_eq!(packed.to_bits(), plain.to_bits(), "{} bits, {granularity:?}", bits.get());
            }
        }
    }
}

/// A packed layer takes the memory of its codes and scales: at 4 bits an eighth of f32, at 8 bits a quarter.
#[test]
fn packed_layers_are_as_small_as_their_bits() {
    let device = &opened("gpt2-tiny").device;
    for (bits, share) in [(2, 8), (4, 8), (5, 4), (8, 4)] {
        let bits = Bits::new(bits).unwrap();
        let mut recipe = Recipe::default();
        let mut matrices = 0;
        for (name, _, layout) in device.matrices() {
            let values = pollster::block_on(device.values(&name)).unwrap();
            let alphas = thresholds(&values, layout, Granularity::Tensor, Rule::Absmax, bits);
            recipe.tensors.insert(name, Quantization { bits, granularity: Granularity::Tensor, alphas });
            matrices += 4 * values.len() as u64;
        }
        let scales = 4 * recipe.tensors.len() as u64;
        let packed = pollster::block_on(device.apply(&recipe)).unwrap();
        assert_eq!(packed.bytes(), device.full().bytes() - matrices + matrices / share + scales);
    }
}

/// Configs that ask for what the interpreter does not do are refused by name.
#[test]
fn what_is_not_implemented_is_refused_by_name() {
    let text = std::fs::read_to_string(folder("gpt2-tiny").join("config.json")).unwrap();
    for (from, to, expected) in [
        ("\"gpt2\"", "\"gptx\"", "model_type \"gptx\" is not supported; supported are gpt2"),
        ("gelu_new", "relu", "activation_function = \"relu\" is not supported"),
        (
            "\"scale_attn_weights\": true",
            "\"scale_attn_weights\": false",
            "scale_attn_weights = false is not supported",
        ),
        ("\"n_head\": 4", "\"n_head\": 5", "n_head = 5 with n_embd = 24 is not supported"),
    ] {
        assert!(text.contains(from), "{from}");
        let config = fairbits::model::config::Config::parse(text.replace(from, to).as_bytes()).unwrap();
        let sentence = fairbits::arch::spec(&config).unwrap_err().to_string();
        assert!(sentence.contains(expected), "{sentence}");
    }
}
