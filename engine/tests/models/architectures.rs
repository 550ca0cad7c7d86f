//! Every architecture against Hugging Face transformers, on tiny seeded models made by `fixtures/architectures.py`.

use engine::{
    arch::{
        load::Opened,
        passes::run_texts,
        recipe::{Quantization, Recipe},
    },
    backend::{Backend, cpu::Cpu, kernels},
    math::{
        clipping::Rule,
        quantizer::{Bits, Granularity, Quantizer, Uniform},
    },
};
use serde_json::{Value, json};

use crate::goldens::{FIXTURES, Fixture, TOLERANCE, gpt2, gpt2_cases, nothing};

fn opened() -> Opened<Cpu> {
    pollster::block_on(gpt2(Cpu))
}

/// `cargo test --test models every_architecture -- --nocapture` prints how near each comes.
#[test]
fn every_architecture_agrees_with_transformers() {
    for (kind, _) in engine::arch::ARCHITECTURES {
        let of_kind = |fixture: &&Fixture| fixture.config.contains(&format!("\"model_type\": \"{kind}\""));
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
                let grids = Uniform { bits, granularity, rule: Rule::Absmax };
                let (alphas, grouping) = (grids.find(&values, layout), grids.blocks(layout));
                let cpu = &device.backend;
                let out = cpu.alloc(values.len()).unwrap();
                let params = kernels::Quantize {
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
                recipe.tensors.insert(name, Quantization { format: grids.into(), numbers: alphas });
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
            let grid = Uniform { bits, granularity: Granularity::Tensor, rule: Rule::Absmax };
            recipe.tensors.insert(name, Quantization::of(grid, &values, layout));
            matrices += 4 * values.len() as u64;
        }
        let scales = 4 * recipe.tensors.len() as u64;
        let packed = pollster::block_on(device.apply(&recipe)).unwrap();
        assert_eq!(packed.bytes(), device.full().bytes() - matrices + matrices / share + scales);
    }
}

/// Configs that ask for what the interpreter does not do are refused by name: fixture, field, its value, what is said.
#[test]
fn what_is_not_implemented_is_refused_by_name() {
    let refusals: Vec<(&str, &str, Value, &str)> = vec![
        ("gpt2-tiny", "model_type", json!("gptx"), "model_type \"gptx\" is not supported; supported are gpt2, bloom, "),
        ("gpt2-tiny", "quantization_config", json!({"bits": 4}), "quantization_config = {\"bits\":4} is not supported"),
        (
            "gpt2-tiny",
            "activation_function",
            json!("quick_gelu"),
            "activation_function = \"quick_gelu\" is not supported",
        ),
        ("gpt2-tiny", "scale_attn_weights", json!(false), "scale_attn_weights = false is not supported"),
        ("gpt2-tiny", "scale_attn_by_inverse_layer_idx", json!(true), "scale_attn_by_inverse_layer_idx = true is not"),
        ("gpt2-tiny", "add_cross_attention", json!(true), "add_cross_attention = true is not supported"),
        ("gpt2-tiny", "tie_word_embeddings", json!(false), "tie_word_embeddings = false is not supported"),
        ("gpt2-tiny", "n_head", json!(5), "n_head = 5 with n_embd = 24 is not supported"),
        (
            "bloom-tiny",
            "apply_residual_connection_post_layernorm",
            json!(true),
            "post_layernorm = true is not supported",
        ),
        ("bloom-tiny", "tie_word_embeddings", json!(false), "tie_word_embeddings = false is not supported"),
        ("bloom-tiny", "n_head", json!(5), "n_head = 5 with hidden_size = 36 is not supported"),
        ("xglm-tiny", "activation_function", json!("mish"), "activation_function = \"mish\" is not supported"),
        ("xglm-tiny", "add_cross_attention", json!(true), "add_cross_attention = true is not supported"),
        ("xglm-tiny", "tie_word_embeddings", json!(false), "tie_word_embeddings = false is not supported"),
        ("opt-tiny", "layer_norm_elementwise_affine", json!(false), "layer_norm_elementwise_affine = false is not"),
        ("opt-tiny", "tie_word_embeddings", json!(false), "tie_word_embeddings = false is not supported"),
        ("opt-tiny", "activation_function", json!("mish"), "activation_function = \"mish\" is not supported"),
        ("gpt_neox-tiny", "hidden_act", json!("mish"), "hidden_act = \"mish\" is not supported"),
        ("gpt_neox-tiny", "rope_parameters", json!({"rope_type": "dynamic"}), "rope_scaling type 'dynamic' is not"),
        ("llama-tiny", "rope_parameters", json!({"rope_type": "yarn"}), "rope_scaling type 'yarn' is not supported"),
        ("llama-tiny", "rope_parameters", json!({"type": "longrope"}), "rope_scaling type 'longrope' is not supported"),
        ("llama-tiny", "rope_parameters", json!({"type": "linear"}), "rope_parameters.factor is missing"),
        ("llama-tiny", "num_key_value_heads", json!(3), "num_key_value_heads = 3 with num_attention_heads = 4 is not"),
        ("llama-tiny", "hidden_act", json!("relu2"), "hidden_act = \"relu2\" is not supported"),
        ("qwen2-tiny", "use_sliding_window", json!(true), "use_sliding_window = true is not supported"),
        ("gemma3_text-tiny", "attn_logit_softcapping", json!(50.0), "attn_logit_softcapping = 50.0 is not supported"),
        ("gemma3_text-tiny", "final_logit_softcapping", json!(30.0), "final_logit_softcapping = 30.0 is not supported"),
        ("gemma3_text-tiny", "use_bidirectional_attention", json!(true), "use_bidirectional_attention = true is not"),
        ("gemma3_text-tiny", "tie_word_embeddings", json!(false), "tie_word_embeddings = false is not supported"),
        (
            "gemma3_text-tiny",
            "layer_types",
            json!(["chunked_attention"]),
            "layer_types = [… \"chunked_attention\" …] is not",
        ),
        ("gemma3_text-tiny", "layer_types", json!(["full_attention"]), "layer_types = of 1 layers, where there are 3"),
        (
            "xlm-roberta-tiny",
            "position_embedding_type",
            json!("relative_key"),
            "position_embedding_type = \"relative_key\"",
        ),
        ("xlm-roberta-tiny", "is_decoder", json!(true), "is_decoder = true is not supported"),
        ("xlm-roberta-tiny", "add_cross_attention", json!(true), "add_cross_attention = true is not supported"),
        ("xlm-roberta-tiny", "tie_word_embeddings", json!(false), "tie_word_embeddings = false is not supported"),
        ("mt5-tiny", "feed_forward_proj", json!("relu"), "feed_forward_proj = \"relu\" is not supported"),
        ("mt5-tiny", "tie_word_embeddings", json!(true), "tie_word_embeddings = true is not supported"),
        ("mamba-tiny", "hidden_act", json!("mish"), "hidden_act = \"mish\" is not supported"),
        ("mamba-tiny", "state_size", json!(64), "state_size"),
    ];
    for (name, field, value, expected) in refusals {
        let mut config: Value = serde_json::from_str(Fixture::of(name).config).unwrap();
        let read = |config: &Value| {
            let config = engine::model::config::Config::parse(config.to_string().as_bytes()).unwrap();
            engine::arch::spec(&config).map_err(|fault| fault.to_string())
        };
        assert!(read(&config).is_ok(), "{name}");
        config[field] = value;
        let sentence = read(&config).unwrap_err();
        assert!(sentence.starts_with("config.json") && sentence.contains(expected), "{name}: {sentence}");
    }
}

/// Older configs name rotary positions otherwise, and mean the same.
#[test]
fn older_configs_are_read_alike() {
    let spec = |config: &Value| {
        let config = engine::model::config::Config::parse(config.to_string().as_bytes()).unwrap();
        engine::arch::spec(&config).unwrap()
    };
    let read = |name: &str| serde_json::from_str::<Value>(Fixture::of(name).config).unwrap();
    for (name, fields) in [
        ("llama-linear-tiny", json!({"rope_theta": 10000.0, "rope_scaling": {"type": "linear", "factor": 2.0}})),
        ("gpt_neox-tiny", json!({"rotary_pct": 0.5, "rotary_emb_base": 10000})),
        (
            "gemma3_text-tiny",
            json!({"rope_theta": 1000.0, "rope_local_base_freq": 100.0, "rope_scaling": {"rope_type": "linear", "factor": 8.0}}),
        ),
    ] {
        let (now, mut older) = (read(name), read(name));
        older.as_object_mut().unwrap().remove("rope_parameters");
        assert_ne!(spec(&older), spec(&now), "{name}: the field is not read");
        older.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
        assert_eq!(spec(&older), spec(&now), "{name}");
    }
}
