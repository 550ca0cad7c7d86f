//! The outlier dial on a small model: the function keeps its bits, the weights do not keep their tails.

use std::{path::PathBuf, sync::LazyLock};

use engine::{
    arch::{
        ArchError,
        dial::{Dial, Joint, Turn, Turned},
        flatten::flatten,
        load::{Opened, open},
        passes::run_texts,
        recipe::{Quantization, Recipe},
        spec::Linear,
        tensors::Part,
    },
    backend::cpu::Cpu,
    math::{
        clipping::Rule,
        moments::Moments,
        quantizer::{Bits, Granularity, Uniform},
    },
    model::source::Folder,
};
use proptest::prelude::*;

thread_local! {
    static MODEL: Opened<Cpu> = {
        let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../tests/fixtures/gpt2-tiny");
        pollster::block_on(open(Cpu, &Folder::new(&folder), "gpt2-tiny", &mut ())).unwrap()
    };
}

/// Texts over the tiny model's vocabulary of 101.
static TEXTS: LazyLock<Vec<Vec<u32>>> = LazyLock::new(|| {
    (0..4u32).map(|text| (0..9 + 5 * text).map(|i| (text * 31 + i * i * 7) % 101).collect()).collect()
});

fn losses(recipe: &Recipe) -> Result<Vec<u64>, ArchError> {
    MODEL.with(|model| {
        let weights = pollster::block_on(model.device.apply(recipe))?;
        let nats = pollster::block_on(run_texts(&model.device, &weights, &TEXTS, &async || ()))?;
        Ok(nats.into_iter().map(f64::to_bits).collect())
    })
}

fn turned(dial: Dial) -> Recipe {
    Recipe { dial, ..Recipe::default() }
}

/// Largest κ of a matrix after a dial.
fn largest_kurtosis(dial: &Dial) -> f64 {
    MODEL.with(|model| {
        let scalings = dial.scalings(&model.device.spec).unwrap();
        let kurtosis = |linear: &Linear| {
            let values = pollster::block_on(model.device.values_after(&scalings, &linear.weight)).unwrap();
            Moments::of(&values).kurtosis()
        };
        model.device.spec.linears().map(kurtosis).fold(f64::NEG_INFINITY, f64::max)
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    /// Whatever is turned, by whatever power of two within range: not one bit of the full-precision losses changes. The
    /// quantized ones do.
    #[test]
    fn full_precision_keeps_its_bits(
        exponent in prop_oneof![-20i32..=-1, 1i32..=20], channels in 1usize..8, seed: u64,
        layers in prop::sample::subsequence(vec![0usize, 1, 2], 1..=3),
        joints in prop::sample::subsequence(Joint::ALL.to_vec(), 1..=3),
    ) {
        let places = Turned { layers: &layers, joints: &joints, channels, seed };
        let dial = MODEL.with(|model| Dial::outliers(&model.device.spec, &places, exponent)).unwrap();
        prop_assert_eq!(dial.turns().len(), layers.len() * joints.len() * channels);
        let before = losses(&Recipe::default()).unwrap();
        prop_assert_eq!(losses(&turned(dial.clone())).unwrap(), before.clone());
        let name = MODEL.with(|model| {
            let block = &model.device.spec.blocks[layers[0]];
            let part = if joints.contains(&Joint::MlpNorm) { Part::Up } else { Part::Qkv };
            block.parts().find(|(own, _)| *own == part).unwrap().1.weight.clone()
        });
        let format = Uniform { bits: Bits::ALL[2], granularity: Granularity::Tensor, rule: Rule::Absmax }.into();
        let how = Quantization { format, numbers: vec![0.5] };
        let quantized = |dial| losses(&Recipe { dial, tensors: [(name.clone(), how.clone())].into(), ..Recipe::default() }).unwrap();
        prop_assert_ne!(quantized(dial), quantized(Dial::default()));
    }

    /// Flattening changes no bit either, takes the tails away that the dial made, and leaves rows behind a norm within √2
    /// of one size.
    #[test]
    fn flattening_goes_back(exponent in 3i32..=12, seed: u64) {
        let places = Turned { layers: &[0, 2], joints: &Joint::ALL, channels: 1, seed };
        let (dial, flat) = MODEL.with(|model| {
            let dial = Dial::outliers(&model.device.spec, &places, exponent).unwrap();
            let flat = pollster::block_on(flatten(&model.device, &dial)).unwrap();
            (dial, flat)
        });
        prop_assert_eq!(losses(&turned(flat.clone())).unwrap(), losses(&Recipe::default()).unwrap());
        prop_assert!(largest_kurtosis(&dial) > largest_kurtosis(&Dial::default()) + 1.0);
        prop_assert!(largest_kurtosis(&flat) < largest_kurtosis(&dial) - 1.0);
        MODEL.with(|model| {
            let (spec, scalings) = (&model.device.spec, flat.scalings(&model.device.spec).unwrap());
            let behind_norm = |(_, part, _): &(usize, Part, &Linear)| matches!(part, Part::Qkv | Part::Up);
            for (_, _, linear) in spec.matrices().filter(behind_norm) {
                let values = pollster::block_on(model.device.values_after(&scalings, &linear.weight)).unwrap();
                let size = |k: usize| {
                    let row = (0..linear.layout.n).map(|n| f64::from(values[linear.layout.place(k, n)]));
                    0.5 * libm::log2(row.map(|x| x * x).sum::<f64>())
                };
                let sizes: Vec<f64> = (0..linear.layout.k).map(size).collect();
                let (least, most) = (sizes.iter().copied().fold(f64::MAX, f64::min), sizes.iter().copied().fold(f64::MIN, f64::max));
                // Each is within half a binade of the mean before rounding, so any two are within one of each other.
                assert!(most - least <= 1.0 + 1e-9, "{}: {least} to {most}", linear.weight);
            }
        });
    }
}

#[test]
fn what_cannot_be_exact_is_refused_with_a_sentence() {
    let refused = |turn| losses(&turned(Dial::new([turn]))).unwrap_err().to_string();
    let turn = Turn { layer: 0, joint: Joint::MlpNorm, channel: 0, exponent: 3 };
    assert!(refused(Turn { layer: 9, ..turn }).contains("layers up to 2"), "no such layer");
    assert!(refused(Turn { channel: 4000, ..turn }).contains("channel 4000"), "no such channel");
    assert!(refused(Turn { exponent: 41, ..turn }).contains("2^41"), "further than any turn");
    let far = refused(Turn { exponent: 40, ..turn });
    assert!(far.contains("leaves the range"), "{far}");
}

/// Channels are chosen by the seed alone: turning further turns the same ones.
#[test]
fn the_same_channels_at_every_turn() {
    let chosen = |seed, exponent| {
        MODEL.with(|model| {
            let places = Turned { layers: &[1], joints: &Joint::ALL, channels: 3, seed };
            let dial = Dial::outliers(&model.device.spec, &places, exponent).unwrap();
            dial.turns().iter().map(|turn| (turn.joint, turn.channel)).collect::<Vec<_>>()
        })
    };
    assert_eq!(chosen(1, 2), chosen(1, 9));
    assert_ne!(chosen(1, 2), chosen(2, 2));
}
