//! A model that is looked through and not held: the reports on its weights are those of the held model, to the bit, and texts
//! are refused.

use std::path::PathBuf;

use fairbits::{
    analysis::{self, AnalysisError, clipping, matrix, weights},
    arch::load::{Opened, look_through},
    backend::cpu::Cpu,
    model::source::{Folder, Memory},
};

use super::{clipping as laws, config, goldens, lab, matrix as looks, named, report_of};

fn looked(name: &str) -> Opened<Cpu> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(name);
    pollster::block_on(look_through(Cpu, &Folder::new(folder), name, &mut ())).unwrap()
}

#[test]
fn reports_on_weights_are_those_of_the_held_model() {
    for fixture in goldens::FIXTURES {
        let mut held = named(fixture.name);
        held.tokenizer = None;
        let looked = looked(fixture.name);
        assert!(!looked.device.holds_all() && looked.device.full().bytes() == 0);
        let threshold = weights::Config { threshold: weights::THRESHOLD };
        let [ours, theirs]: [weights::Report; 2] = [&held, &looked].map(|model| report_of(threshold, &lab(model)));
        assert_eq!(ours, theirs, "{}", fixture.name);
        let alone = clipping::Config { languages: Vec::new(), losses: false, ..laws::config() };
        let [ours, theirs]: [clipping::Report; 2] = [&held, &looked].map(|model| report_of(alone.clone(), &lab(model)));
        assert_eq!(ours, theirs, "{}", fixture.name);
        let (layer, part, _) = held.device.spec.matrices().next().unwrap();
        let one = matrix::Config { layer, part, ..looks::config() };
        let [ours, theirs]: [matrix::Report; 2] = [&held, &looked].map(|model| report_of(one.clone(), &lab(model)));
        assert_eq!(ours, theirs, "{}", fixture.name);
    }
}

/// Matrices of a layer may come in any order, between those of others: their moments are merged in the order of the block.
#[test]
fn the_order_of_the_file_changes_no_bit() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/llama-tiny");
    let file = std::fs::read(folder.join("model.safetensors")).unwrap();
    let tensors = safetensors::SafeTensors::deserialize(&file).unwrap().tensors();
    // The writer sorts by name; other names for the same places turn the order around.
    let mut header = serde_json::Map::new();
    let mut data = Vec::new();
    for (name, view) in tensors.iter().rev() {
        let begin = data.len();
        data.extend_from_slice(view.data());
        let entry = serde_json::json!({"dtype": "F32", "shape": view.shape(), "data_offsets": [begin, data.len()]});
        header.insert(name.clone(), entry);
    }
    let json = serde_json::Value::Object(header).to_string();
    let turned = [&(json.len() as u64).to_le_bytes()[..], json.as_bytes(), &data].concat();
    let config = std::fs::read(folder.join("config.json")).unwrap();
    let source = Memory::new([("config.json", config), ("model.safetensors", turned)]);
    let turned = pollster::block_on(look_through(Cpu, &source, "llama-tiny", &mut ())).unwrap();
    let threshold = weights::Config { threshold: weights::THRESHOLD };
    let [ours, theirs]: [weights::Report; 2] =
        [&named("llama-tiny"), &turned].map(|model| report_of(threshold, &lab(model)));
    assert_eq!((ours.tensors, ours.layers), (theirs.tensors, theirs.layers));
}

#[test]
fn texts_are_refused_with_a_sentence() {
    let model = looked("gpt2-tiny");
    let refused = pollster::block_on(analysis::run(&config().into(), &lab(&model)));
    assert!(matches!(refused, Err(AnalysisError::NotHeld)));
}
