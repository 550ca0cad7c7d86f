//! A setting of the wrong type is never passed over in silence.

use engine::{
    arch::{load::open, spec, spec::Spec},
    backend::cpu::Cpu,
    model::config::Config,
};
use serde_json::{Value, json};

use crate::{
    goldens::{FIXTURES, Fixture},
    places::{changed, places},
};

/// What stands in a config where something else should.
fn strange() -> [Value; 8] {
    [json!(null), json!(true), json!("text"), json!(-1), json!(0.5), json!([]), json!({}), json!([{ "a": 1 }])]
}

/// Whether two values are of one type of JSON; whole numbers are a type of their own.
fn same_type(a: &Value, b: &Value) -> bool {
    let kind = |value: &Value| match value {
        Value::Null => 0,
        Value::Bool(_) => 1,
        Value::Number(number) if number.is_f64() => 2,
        Value::Number(_) => 3,
        Value::String(_) => 4,
        Value::Array(_) => 5,
        Value::Object(_) => 6,
    };
    kind(a) == kind(b)
}

fn read(config: &Value) -> Result<Spec, String> {
    let config = Config::parse(config.to_string().as_bytes()).map_err(|fault| fault.to_string())?;
    spec(&config).map_err(|fault| fault.to_string())
}

/// Null, where it means: as usual. What differs then does not fit the weights.
const NULL_IS_USUAL: [&str; 3] = ["/head_dim", "/n_inner", "/num_key_value_heads"];
/// Null, where it means: none.
const NULL_IS_NONE: &str = "/rope_scaling";
/// Written as a whole number, and may be another.
const ANY_NUMBER: &str = "/query_pre_attn_scalar";

/// Law: each setting at each depth, of each wrong type, is refused by its name, or changes nothing that is computed.
fn holds(fixture: &Fixture, config: &Value) -> (usize, usize) {
    let own = read(config).unwrap_or_else(|fault| panic!("{}: {fault}", fixture.name));
    let (mut refused, mut tried) = (0, 0);
    for place in places(config) {
        let there = config.pointer(&place).expect("a place that is there");
        for value in strange().into_iter().filter(|value| !same_type(value, there)) {
            if value.is_null() && place == NULL_IS_NONE || value.is_number() && place == ANY_NUMBER {
                continue;
            }
            let changed = changed(config, &place, value.clone());
            let told = format!("{}: {place} = {value}", fixture.name);
            tried += 1;
            match read(&changed) {
                Ok(spec) if spec == own => {}
                Ok(_) if value.is_null() && NULL_IS_USUAL.contains(&place.as_str()) => {
                    let files = fixture.with(&changed.to_string());
                    assert!(pollster::block_on(open(Cpu, &files, "m", &mut ())).is_err(), "{told}: computed otherwise");
                    refused += 1;
                }
                Ok(_) => panic!("{told}: computed otherwise, and nothing is said"),
                Err(sentence) => {
                    let key = place.split('/').nth(1).expect("a key at the top");
                    let named = sentence.starts_with("config.json") && sentence.contains(key);
                    assert!(named, "{told}: {sentence}");
                    refused += 1;
                }
            }
        }
    }
    (tried, refused)
}

#[test]
fn a_setting_of_the_wrong_type_is_refused_by_name_or_changes_nothing() {
    for fixture in FIXTURES {
        let (tried, refused) = holds(fixture, &serde_json::from_str(fixture.config).unwrap());
        assert!(tried > 50 && refused > 20, "{}: {refused} of {tried} refused", fixture.name);
    }
    // As older configs say the same.
    for (name, fields) in [
        ("llama-tiny", json!({"rope_theta": 5000.0, "rope_scaling": {"type": "linear", "factor": 2.0}})),
        ("gpt_neox-tiny", json!({"rotary_pct": 0.5, "rotary_emb_base": 100})),
        (
            "gemma3_text-tiny",
            json!({"rope_theta": 100.0, "rope_local_base_freq": 10.0, "rope_scaling": {"rope_type": "linear", "factor": 8.0}}),
        ),
    ] {
        let fixture = Fixture::of(name);
        let mut older: Value = serde_json::from_str(fixture.config).unwrap();
        let map = older.as_object_mut().unwrap();
        map.remove("rope_parameters");
        map.extend(fields.as_object().unwrap().clone());
        holds(fixture, &older);
    }
}

/// Law: numbers that are each within bounds are refused where their product is not. 65,536² is 0 in the 32 bits of wasm: the model
/// would have run without queries.
#[test]
fn heads_whose_channels_cannot_be_counted_are_refused_by_name() {
    for (name, heads, head) in [
        ("llama-tiny", "num_attention_heads", "head_dim"),
        ("qwen2-tiny", "num_attention_heads", "head_dim"),
        ("gemma3_text-tiny", "num_attention_heads", "head_dim"),
        ("mt5-tiny", "num_heads", "d_kv"),
    ] {
        let mut config: Value = serde_json::from_str(Fixture::of(name).config).unwrap();
        (config[heads], config[head], config["num_key_value_heads"]) = (json!(65_536), json!(65_536), json!(1));
        let sentence = read(&config).unwrap_err();
        assert_eq!(sentence, format!("config.json: {heads} = 65536 with {head} = 65536 is not supported"), "{name}");
    }
}

/// Law: sizes are counted in 64 bits wherever the program runs: a table of 2^40 values is refused for its size, not taken for an
/// empty one.
#[test]
fn a_table_of_more_values_than_32_bits_count_has_its_size() {
    let mut config: Value = serde_json::from_str(Fixture::of("gpt2-tiny").config).unwrap();
    (config["vocab_size"], config["n_embd"], config["n_head"]) = (json!(1 << 24), json!(1 << 16), json!(1));
    let tensors = read(&config).unwrap().tensors();
    assert_eq!((tensors[0].values(), tensors[0].bytes()), (1 << 40, 1 << 42));
}

/// What an audit found: each ran, with other figures.
#[test]
fn rotary_settings_that_cannot_be_read_are_refused() {
    for (name, place, value) in [
        ("llama-tiny", "/rope_parameters", json!("default")),
        ("llama-tiny", "/rope_parameters/rope_theta", json!("100.0")),
        ("llama-tiny", "/rope_parameters/rope_theta", json!(null)),
        ("llama-tiny", "/rope_parameters/rope_type", json!(["llama3"])),
        ("gpt_neox-tiny", "/rope_parameters/partial_rotary_factor", json!(-1)),
        ("gpt_neox-tiny", "/rope_parameters/partial_rotary_factor", json!("0.5")),
        ("gemma3_text-tiny", "/rope_parameters/full_attention", json!(7)),
    ] {
        let config = changed(&serde_json::from_str(Fixture::of(name).config).unwrap(), place, value);
        let key = place[1..].replace('/', ".");
        let sentence = read(&config).unwrap_err();
        assert!(sentence.starts_with(&format!("config.json: {key} is ")), "{name}: {sentence}");
    }
}
