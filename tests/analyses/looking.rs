//! A model that is looked through and not held: the reports on its weights and on texts are those of the held model, to the bit.

use fairbits::lab::settings::{Resampling, Texts};
use std::path::PathBuf;

use fairbits::{
    arch::{
        dial::{Dial, Joint, Turned},
        load::{Opened, look_through},
        passes::run_texts,
        recipe::Recipe,
        walk::ProtectedPart,
    },
    backend::cpu::Cpu,
    lab::{self, Config, clipping, matrix, weights},
    model::source::Memory,
};

use super::{
    activation, alone, clipping as laws, config, dressed, folder, gateway, goldens, matrix as looks, named, report_of,
};

fn looked(name: &str) -> Opened<Cpu> {
    dressed(pollster::block_on(look_through(Cpu, &folder(name), name, &mut ())).unwrap())
}

#[test]
fn reports_on_weights_are_those_of_the_held_model() {
    for fixture in goldens::FIXTURES {
        let (held, looked) = (named(fixture.name), looked(fixture.name));
        assert!(!looked.device.holds_all() && looked.device.held() < held.device.held());
        assert_eq!(looked.device.full().bytes(), held.device.full().bytes());
        let threshold = weights::Config { threshold: fairbits::lab::thresholds::OUTLIER };
        let [ours, theirs]: [weights::Report; 2] = [&held, &looked].map(|model| report_of(threshold, &alone(model)));
        assert_eq!(ours, theirs, "{}", fixture.name);
        let without = clipping::Config {
            texts: Texts { languages: Vec::new(), ..laws::config().texts },
            losses: false,
            ..laws::config()
        };
        let [ours, theirs]: [clipping::Report; 2] =
            [&held, &looked].map(|model| report_of(without.clone(), &alone(model)));
        assert_eq!(ours, theirs, "{}", fixture.name);
        let (layer, part, _) = held.device.spec.matrices().next().unwrap();
        let one = matrix::Config { layer, part, ..looks::config() };
        let [ours, theirs]: [matrix::Report; 2] = [&held, &looked].map(|model| report_of(one.clone(), &alone(model)));
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
    let threshold = weights::Config { threshold: fairbits::lab::thresholds::OUTLIER };
    let [ours, theirs]: [weights::Report; 2] =
        [&named("llama-tiny"), &turned].map(|model| report_of(threshold, &alone(model)));
    assert_eq!((ours.tensors, ours.layers), (theirs.tensors, theirs.layers));
}

/// Layers and tables that are read again for every pass give the bits of those that are held: in full precision, packed, turned
/// by a dial, and protected set by set.
#[test]
fn reports_on_texts_are_those_of_the_held_model() {
    for fixture in goldens::FIXTURES {
        let (held, looked) = (named(fixture.name), looked(fixture.name));
        let layers = held.device.spec.blocks.len();
        let search = lab::gateway::Config {
            texts: Texts { units: 2, ..gateway::config().texts },
            draws: Resampling { resamples: 100, ..gateway::config().draws },
            budgets: vec![0, 1, layers],
            protects: ProtectedPart::Attention,
            ..gateway::config()
        };
        let configs: [Config; 4] = [config().into(), activation::config().into(), laws::config().into(), search.into()];
        for config in configs {
            let [ours, theirs] =
                [&held, &looked].map(|model| pollster::block_on(lab::run(&config, &alone(model))).unwrap());
            assert_eq!(ours, theirs, "{}: {}", fixture.name, config.kind().name());
        }
        for joint in Joint::ALL {
            let places = Turned { layers: &[0], joints: &[joint], channels: 2, seed: 5 };
            let Ok(dial) = Dial::outliers(&held.device.spec, &places, 5) else { continue };
            let tokens = [[1u32, 5, 9, 40, 7, 33], [2, 3, 5, 7, 11, 13]];
            let nats = [&held, &looked].map(|model| {
                let recipe = Recipe { dial: dial.clone(), ..Recipe::default() };
                let weights = pollster::block_on(model.device.apply(&recipe)).unwrap();
                pollster::block_on(run_texts(&model.device, &weights, &tokens, &async || ())).unwrap()
            });
            assert_eq!(nats[0], nats[1], "{}: {joint:?}", fixture.name);
        }
        // The large ones are still not there, but for what was packed.
        let held = looked.device.spec.tensors().into_iter().filter(|tensor| tensor.role.is_large());
        assert!(held.clone().count() > 0 && held.clone().all(|tensor| looked.device.full().get(&tensor.name).is_err()));
    }
}
