//! Every architecture against Hugging Face transformers, on tiny seeded models made by `fixtures/architectures.py`.

mod goldens;

use fairbits::{
    analysis::passes::run_texts,
    arch::{
        load::Opened,
        recipe::{Quantization, Recipe},
    },
    backend::{Backend, cpu::Cpu, table},
    math::{
        clipping::Rule,
        grouping::{Grouping, thresholds},
        quantizer::{Bits, Granularity},
    },
};
use goldens::{FIXTURES, Fixture, TOLERANCE, gpt2, gpt2_cases, nothing};

fn opened() -> Opened<Cpu> {
    pollster::block_on(gpt2(Cpu))
}

/// `cargo test --test architectures every -- --nocapture` prints how near each comes.
#[test]
fn every_architecture_agrees_with_transformers() {
    for (kind, _) in fairbits::arch::ARCHITECTURES {
        let of_kind = |fixture: &&Fixture| fixture.config().contains(&format!("\"model_type\": \"{kind}\""));
        assert!(FIXTURES.iter().any(|fixture| of_kind(&fixture)), "{kind} has no golden");
    }
    for fixture in FIXTURES {
        let device = pollster::block_on(fixture.open(Cpu)).device;
        let worst = fixture.cases().into_iter().map(|case| pollster::block_on(case.agrees(&device)));
        println!("{}: largest relative difference {:.1e}", fixture.name, worst.fold(0.0, f64::max));
    }
}

/// The comparison itself can fail: one matrix scaled by a fiftieth is seen.
#[test]
fn a_changed_weight_is_seen() {
    let model = opened();
    let mut device = model.device;
    let name = "h.1.mlp.c_fc.weight";
    let mut values = pollster::block_on(device.values(name)).unwrap();
    values.iter_mut().for_each(|value| *value *= 1.02);
    device.insert(name, &[24, 96], &values).unwrap();
    let case = gpt2_cases().pop().unwrap();
    let nats = pollster::block_on(run_texts(&device, device.full(), &[&case.tokens], &nothing)).unwrap()[0];
    let golden: f64 = case.losses.iter().sum();
    assert!(((nats - golden) / golden).abs() > TOLERANCE);
}

/// Texts in one batch, in any company, have the bits that they have alone.
#[test]
fn a_text_does_not_see_its_batch() {
    let model = opened();
    let device = &model.device;
    let texts: Vec<Vec<u32>> = gpt2_cases().into_iter().map(|case| case.tokens).collect();
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
    let model = opened();
    let device = &model.device;
    let texts: Vec<Vec<u32>> = gpt2_cases().into_iter().map(|case| case.tokens).collect();
    for bits in Bits::ALL {
        for granularity in [
            Granularity::Tensor,
            Granularity::Channel,
            Granularity::Group32,
            Granularity::Group64,
            Granularity::Group128,
        ] {
            let mut recipe = Recipe::default();
            let mut plain = opened().device;
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
    let device = &opened().device;
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
    let text = include_str!("fixtures/gpt2-tiny/config.json");
    for (from, to, expected) in [
        ("\"gpt2\"", "\"gptx\"", "model_type \"gptx\" is not supported; supported are gpt2"),
        ("gelu_new", "quick_gelu", "activation_function = \"quick_gelu\" is not supported"),
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
