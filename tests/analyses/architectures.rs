//! Every architecture's tiny model through the analyses: layers mean the same thing in all of them.

use fairbits::lab::{
    sample,
    settings::{Resampling, Texts},
};
use fairbits::report::Measure;
use fairbits::{
    arch::{
        ArchError,
        dial::{Dial, Joint, Turned},
        flatten::flatten,
        load::Opened,
        passes::see_texts,
        recipe::Recipe,
    },
    backend::cpu::Cpu,
    lab::{self, plan::Taps},
    math::sets::LayerSet,
};

use super::{CODES, activation, alone, clipping, config, gateway, goldens, named, report_of, run_texts};

/// Every tiny model that has a golden.
fn names() -> impl Iterator<Item = &'static str> {
    goldens::FIXTURES.iter().map(|fixture| fixture.name)
}

#[test]
fn languages_activation_clipping_and_gateway_run_on_every_architecture() {
    for name in names() {
        let model = named(name);
        let layers = model.device.spec.blocks.len();
        let matrices = model.device.spec.linears().count();
        let lab = alone(&model);

        let languages: lab::languages::Report = report_of(config(), &lab);
        assert_eq!((languages.rows.len(), languages.tensors.len()), (CODES.len(), matrices), "{name}");
        let spread = languages.over(Measure::Degradation).disparity.unwrap().value;
        assert!(spread.is_finite() && spread > 0.0, "{name}: quantization costs every language the same");

        let (first, last) = (languages.origin.layer(0), languages.origin.layer(layers - 1));
        let named =
            if name == "mt5-tiny" { ("e0".into(), "d2".into()) } else { ("0".into(), (layers - 1).to_string()) };
        assert_eq!((first, last), named, "{name}");

        let usage: lab::activation::Report = report_of(activation::config(), &lab);
        for row in &usage.rows {
            assert_eq!(row.shares.len(), layers, "{name}");
            assert!((row.shares.iter().sum::<f64>() - 1.0).abs() < 1e-12 && row.norms.iter().all(|norm| *norm > 0.0));
        }

        let clipped: lab::clipping::Report = report_of(clipping::config(), &lab);
        assert_eq!((clipped.tensors.len(), clipped.languages[0].tensors.len()), (matrices, matrices), "{name}");

        let budgets: Vec<usize> = (0..=layers).collect();
        let search = lab::gateway::Config {
            texts: Texts { units: 2, ..gateway::config().texts },
            draws: Resampling { resamples: 100, ..gateway::config().draws },
            budgets,
            ..gateway::config()
        };
        let ranked: lab::gateway::Report = report_of(search, &lab);
        assert_eq!(ranked.rows.len(), 1 << layers, "{name}");
        let all = ranked.row(LayerSet::all(layers)).unwrap();
        assert!(all.cost.degradation.iter().all(|of| of.value == 0.0), "{name}: all protected is full precision");
        assert_eq!(all.bytes, ranked.bytes_full);
    }
}

/// Texts over the vocabulary of 101, one of them longer than any context.
fn texts() -> Vec<Vec<u32>> {
    [3, 9, 20, 60].iter().map(|&n: &u32| (0..n).map(|i| (i * i * 31 + 7 * i + n) % 100).collect()).collect()
}

fn bits(model: &Opened<Cpu>, dial: Dial) -> Result<Vec<u64>, ArchError> {
    let weights = pollster::block_on(model.device.apply(&Recipe { dial, ..Recipe::default() }))?;
    let nats = pollster::block_on(run_texts(&model.device, &weights, &texts(), &async || ()))?;
    Ok(nats.into_iter().map(f64::to_bits).collect())
}

/// Where the dial can be turned, not one bit of the losses changes; where it cannot, the layer and the reason are named.
#[test]
fn the_dial_keeps_every_bit_or_says_why_it_cannot_be_turned() {
    let stream = "its norm is that of the residual stream, which others read too";
    let gemma = "1 is added to its gains, so they cannot be scaled exactly";
    let none = "the layer has no such part";
    for name in names() {
        let model = named(name);
        let full = bits(&model, Dial::default()).unwrap();
        let mut turned = Dial::default();
        for joint in Joint::ALL {
            let expected = match (name, joint) {
                ("opt-post-tiny" | "xlm-roberta-tiny", Joint::AttentionNorm | Joint::MlpNorm) => Some(stream),
                ("gemma3_text-tiny", Joint::AttentionNorm | Joint::MlpNorm) => Some(gemma),
                ("mamba-tiny", Joint::Values | Joint::MlpNorm) => Some(none),
                _ => None,
            };
            let places = Turned { layers: &[0, 1], joints: &[joint], channels: 2, seed: 5 };
            match (Dial::outliers(&model.device.spec, &places, 5), expected) {
                (Ok(dial), None) => {
                    assert_eq!(dial.turns().len(), 4);
                    assert_eq!(bits(&model, dial.clone()).unwrap(), full, "{name}, {joint:?}");
                    turned = dial;
                }
                (Err(refused), Some(why)) => {
                    let told = refused.to_string();
                    assert!(told.contains("layer 0") && told.ends_with(why), "{name}: {told}");
                }
                (_, _) => panic!("{name}, {joint:?}: expected {expected:?}"),
            }
        }
        let flat = pollster::block_on(flatten(&model.device, &turned)).unwrap();
        assert_ne!(flat, turned, "{name}: outliers of 2⁵ are not left as they are");
        assert_eq!(bits(&model, flat).unwrap(), full, "{name}, flattened");
    }
}

#[test]
fn layers_of_an_encoder_and_of_its_decoder_are_named_apart() {
    let spec = named("mt5-tiny").device.spec;
    let names: Vec<String> = (0..spec.blocks.len()).map(|layer| spec.layer_name(layer)).collect();
    assert_eq!(names, ["encoder layer 0", "encoder layer 1", "decoder layer 0", "decoder layer 1", "decoder layer 2"]);
    assert_eq!(named("llama-tiny").device.spec.layer_name(1), "layer 1");
}

/// What is scored of a text, and the bytes of it, follow from how the model is asked.
#[test]
fn a_continuation_is_scored_over_its_own_bytes() {
    for (name, halved) in [("llama-tiny", false), ("xlm-roberta-tiny", false), ("mt5-tiny", true)] {
        let model = named(name);
        let reading = pollster::block_on(sample::read(config().texts.sample(), &alone(&model))).unwrap();
        for text in &reading.texts {
            // The letters of the corpus take three bytes each; a start token takes none.
            let letters = text.tokens.len() - usize::from(!halved);
            let scored = if halved { letters - letters / 2 } else { letters };
            assert_eq!((text.scored, text.bytes), (scored, 3 * scored as u64), "{name}");
        }
    }
}

/// A left-out block changes nothing, on every architecture: the stream after it is the stream before it, with every other
/// block as it was. All left out, what remains is the embedding and the head; one that is not there is refused by name.
#[test]
fn a_left_out_block_passes_the_stream_on() {
    for name in names() {
        let model = named(name);
        let (layers, width, device) = (model.device.spec.blocks.len(), model.device.spec.width, &model.device);
        let see = |skipped: &[usize]| {
            let recipe = Recipe { skipped: skipped.iter().copied().collect(), ..Recipe::default() };
            let weights = pollster::block_on(device.apply(&recipe)).unwrap();
            let taps = Taps { means: true, ..Taps::LOSSES };
            pollster::block_on(see_texts(device, &weights, &texts()[2..3], taps, &async || ())).unwrap()
        };
        let full = see(&[]);
        for layer in 0..layers {
            let without = see(&[layer]);
            let mean = |of: &[f64], layer: usize| of[1 + layer * width..][..width].to_vec();
            (0..layer).for_each(|before| assert_eq!(mean(&without, before), mean(&full, before), "{name}"));
            assert_ne!(mean(&without, layer), mean(&full, layer), "{name}, layer {layer}");
            let same_side = layer > 0 && device.spec.blocks[layer].side == device.spec.blocks[layer - 1].side;
            if same_side {
                assert_eq!(mean(&without, layer), mean(&without, layer - 1), "{name}, layer {layer}");
            }
            assert_ne!(without[0], full[0], "{name}: layer {layer} says nothing");
        }
        assert!(see(&(0..layers).collect::<Vec<_>>())[0].is_finite());
        let absent = Recipe { skipped: [layers].into(), ..Recipe::default() };
        let refused = pollster::block_on(device.apply(&absent)).err().unwrap().to_string();
        assert!(refused.contains("cannot be left out"), "{refused}");
    }
    let plain = serde_json::to_string(&Recipe::default()).unwrap();
    assert!(!plain.contains("skipped"), "recipes that leave nothing out are written as before");
}
