//! Configurations, checkpoints and tables of strangers, a few thousand of each: good ones, changed. Those of tokenizers are in
//! `hostile.rs`; what libFuzzer does for hours with the same functions is in `fuzz/`.

use fairbits::math::rng::Rng;
use serde_json::{Value, json};

use crate::{
    fuzz_csv::csv,
    fuzz_model::{TINY, checkpoint, config},
    mutations::{below, mutate},
    places::{changed, places},
    safetensors_file::{file, valid},
    survive::Target,
};

/// Tiny models: what asks for much more believes a number that a stranger wrote.
const MOST_BYTES: usize = 64 << 20;
const CONFIG: Target =
    Target { read: config, most_bytes: MOST_BYTES, begin: &["config.json: ", "model.safetensors: "] };
const CHECKPOINT: Target = Target { read: checkpoint, most_bytes: MOST_BYTES, begin: &["model.safetensors: "] };
const CSV: Target =
    Target { read: csv, most_bytes: MOST_BYTES, begin: &["row ", "there is ", "the data ", "the name "] };

type Cases = Vec<(String, Vec<u8>)>;

/// Good bytes, mutated so many times.
fn mutated(name: &str, good: &[u8], times: usize, rng: &mut Rng) -> Cases {
    let case = |time| {
        let mut bytes = good.to_vec();
        mutate(&mut bytes, rng);
        (format!("{name}, mutation {time}: {}", String::from_utf8_lossy(&bytes[..bytes.len().min(2000)])), bytes)
    };
    (0..times).map(case).collect()
}

/// One value in every place, all of them in turn.
fn replaced(name: &str, good: &Value, with: &[Value], write: impl Fn(Value) -> Vec<u8>) -> Cases {
    let at = |place: String| with.iter().map(move |value| (place.clone(), value.clone()));
    let case =
        |(place, value): (String, Value)| (format!("{name}: {place} = {value}"), write(changed(good, &place, value)));
    places(good).into_iter().flat_map(at).map(case).collect()
}

#[test]
fn no_configuration_breaks_the_program() {
    // Small numbers fit somewhere; large ones must not be believed.
    let values = [json!(0), json!(1), json!(2), json!(7), json!(64), json!(1 << 20), json!(u64::MAX), json!(-1)];
    let others = [json!(0.5), json!(1e300), json!(true), json!("gelu"), json!([0, 1])];
    let (mut rng, mut cases) = (Rng::new(11), Cases::new());
    for (text, _) in TINY {
        let good: Value = serde_json::from_str(text).unwrap();
        let name = good["model_type"].to_string();
        assert_eq!(config(text.as_bytes()), Ok(()), "{name}");
        cases.extend(replaced(&name, &good, &[&values[..], &others].concat(), |value| value.to_string().into_bytes()));
        cases.extend(mutated(&name, text.as_bytes(), 40, &mut rng));
    }
    let tried = cases.len();
    let good = CONFIG.survives(cases);
    println!("{tried} configurations, {good} of them run");
    assert!(tried > 3000 && good > 1000 && good < tried, "{good} of {tried}");
}

#[test]
fn no_checkpoint_breaks_the_program() {
    let good = TINY[0].1;
    assert_eq!(checkpoint(good), Ok(()));
    let data = 8 + u64::from_le_bytes(*good.first_chunk().unwrap()) as usize;
    let (header, weights) = (&good[8..data], &good[data..]);
    let json: Value = serde_json::from_slice(header).unwrap();
    let values = [json!(0), json!(1), json!(u64::MAX), json!(-1), json!("F16"), json!([1, 2]), json!({})];
    let mut cases = replaced("header", &json, &values, |value| file(&value.to_string(), weights));
    let mut rng = Rng::new(12);
    for (name, header) in mutated("header", header, 600, &mut rng) {
        cases.push((name, [&(header.len() as u64).to_le_bytes(), header.as_slice(), weights].concat()));
    }
    for length in [0, 1, 2, data as u64 - 9, data as u64 - 7, 100 << 20, u64::MAX] {
        cases.push((format!("length {length}"), [&length.to_le_bytes(), &good[8..]].concat()));
    }
    for _ in 0..300 {
        // The highest bits of a float: not a number, infinite, or far away.
        let (value, cut) = (below(&mut rng, weights.len() / 4), below(&mut rng, good.len()));
        let mut strange = good.to_vec();
        strange[data + 4 * value + 3] ^= 1 << below(&mut rng, 8);
        strange[data + 4 * value + 2] ^= 0x80;
        cases.push((format!("value {value}"), strange));
        cases.push((format!("cut at {cut}"), good[..cut].to_vec()));
    }
    cases.extend(mutated("another", &valid(), 300, &mut rng));
    let tried = cases.len();
    let good = CHECKPOINT.survives(cases);
    println!("{tried} checkpoints, {good} of them run");
    assert!(tried > 2000 && good > 100 && good < tried, "{good} of {tried}");
}

#[test]
fn no_table_breaks_the_program() {
    let quoted = "x,name\r\n1.5,\"a, \"\"b\"\"\"\r\n-2,\"two\nlines\"\r\n,c\r\n1e-3,d\r\n";
    let german = "x;y;Wort\n1,5;2;eins\n-2;3,25;zwei\n0,001;;drei\nNA;4;vier\n";
    let tabs = "\u{feff}a\tb\r1\t2\r3\t4\r5\t6\r";
    let alone = "x\n1\n\"\"\n3\n4\n";
    let (mut rng, mut cases) = (Rng::new(13), Cases::new());
    for text in [quoted, german, tabs, alone] {
        assert_eq!(csv(text.as_bytes()), Ok(()), "{text:?}");
        cases.extend(mutated("table", text.as_bytes(), 1000, &mut rng));
    }
    let tried = cases.len();
    let good = CSV.survives(cases);
    println!("{tried} tables, {good} of them read");
    assert!(good > 400 && good < tried, "{good} of {tried}");
}
