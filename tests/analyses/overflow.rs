//! Models whose figures grow beyond all bounds: a run ends with a report that can be read again, or with a sentence.

use fairbits::lab::settings::{Resampling, Texts};
use fairbits::{
    arch::load::Opened,
    backend::cpu::Cpu,
    lab::{self, Config},
    lab::{import, json},
};

use super::{
    activation, alone, causes, clipping, config, dial, gateway, matrix, mitigation, model, redundancy, representation,
    screening, sweep,
};

fn every() -> Vec<Config> {
    vec![
        config().into(),
        activation::config().into(),
        causes::config().into(),
        clipping::config().into(),
        dial::config().into(),
        lab::gateway::Config {
            texts: Texts { units: 2, ..gateway::config().texts },
            draws: Resampling { resamples: 100, ..gateway::config().draws },
            ..gateway::config()
        }
        .into(),
        matrix::config().into(),
        mitigation::config().into(),
        redundancy::config().into(),
        representation::config().into(),
        screening::config().into(),
        sweep::config().into(),
    ]
}

/// A model of which one tensor is scaled.
fn scaled(name: &str, shape: &[usize], factor: f32) -> Opened<Cpu> {
    let mut model = model();
    let mut values = pollster::block_on(model.device.values(name)).unwrap();
    values.iter_mut().for_each(|value| *value *= factor);
    model.device.insert(name, shape, &values).unwrap();
    model
}

/// A model that breaks is told with the text and the layer where it began.
#[test]
fn an_overflow_is_told_with_its_layer() {
    let said = |name: &str, shape: &[usize], factor: f32, config: Config| {
        let model = scaled(name, shape, factor);
        pollster::block_on(lab::run(&config, &alone(&model))).unwrap_err().to_string()
    };
    for config in [config().into(), representation::config().into(), redundancy::config().into()] {
        let told = said("h.1.mlp.c_proj.weight", &[96, 24], 1e38, config);
        assert!(told.starts_with("the full-precision model overflows in layer 1: its loss on unit "), "{told}");
    }
    let told = said("ln_f.weight", &[24], 1e38, config().into());
    assert!(told.starts_with("the full-precision model overflows in its logits: "), "{told}");
}

/// Law: every run that succeeds can be imported again, whatever the size of the model's logits: the token table, which is the
/// head too, is scaled up until losses are no longer numbers.
#[test]
fn every_run_that_succeeds_can_be_imported_again() {
    let mut refused = 0;
    for factor in [1.0, 50.0, 1e4, 1e18, 1e38] {
        let model = scaled("wte.weight", &[101, 24], factor);
        for config in every() {
            let kind = config.kind().name();
            match pollster::block_on(lab::run(&config, &alone(&model))) {
                Ok(report) => {
                    let again = import(json(&report).as_bytes());
                    assert!(again.as_ref() == Ok(&report), "{kind} × {factor}: {:?}", again.err());
                }
                Err(fault) => {
                    let said = fault.to_string();
                    assert!(factor > 1.0 && said.contains("overflows"), "{kind} × {factor}: {said}");
                    refused += 1;
                }
            }
        }
    }
    assert!(refused > 0, "no model overflowed");
}
