//! A search on several machines: the same report as on one, and nothing but a whole is joined.

use std::fs;

use fairbits::lab::{Config, Report, gateway::shards::Part};

use super::{
    program::{ended, fairbits, scratch},
    run, small,
};

const SHARDS: usize = 4;

/// The search among the small runs, with more sets: enough branches for every shard.
fn config() -> Config {
    let search = |config| if let Config::Gateway(config) = config { Some(config) } else { None };
    let mut config = small::configs().into_iter().find_map(search).expect("one is the search");
    config.texts.languages.truncate(2);
    config.budgets = vec![1, 2];
    config.into()
}

/// The program's parts, by their files' names.
fn parts() -> Vec<String> {
    let settings = scratch("search.json");
    fs::write(&settings, serde_json::to_vec(&config()).unwrap()).unwrap();
    let part = |number: usize| {
        let file = scratch(&format!("part-{number}.json")).to_str().unwrap().to_string();
        let shard = format!("{number}/{SHARDS}");
        let model = "public/models/skew-skew";
        let arguments = ["run", settings.to_str().unwrap(), "--model", model, "--shard", &shard, "--out", &file];
        let (code, _, err) = ended(&fairbits(&arguments));
        assert_eq!(code, Some(0), "{err}");
        file
    };
    (0..SHARDS).map(part).collect()
}

fn merge(parts: &[&str]) -> (Option<i32>, String, String) {
    ended(&fairbits(&[&["merge"], parts].concat()))
}

fn changed(file: &str, name: &str, change: fn(&mut Part)) -> String {
    let mut part: Part = serde_json::from_slice(&fs::read(file).unwrap()).unwrap();
    change(&mut part);
    let file = scratch(name).to_str().unwrap().to_string();
    fs::write(&file, serde_json::to_vec(&part).unwrap()).unwrap();
    file
}

#[test]
fn four_shards_make_the_report_of_one_run() {
    let files = parts();
    let files: Vec<&str> = files.iter().map(String::as_str).collect();
    let mut shuffled = files.clone();
    shuffled.rotate_left(1);
    let (code, out, err) = merge(&shuffled);
    assert_eq!(code, Some(0), "{err}");
    let whole = run(&config());
    let merged: Report = serde_json::from_str(&out).unwrap();
    assert_eq!(merged, whole);
    assert_eq!(fairbits::share::canonical(&merged), fairbits::share::canonical(&whole), "to the last bit");

    let refused = |parts: &[&str], sentence: &str| {
        let (code, out, err) = merge(parts);
        assert_eq!((code, out.as_str()), (Some(3), ""), "{err}");
        assert!(err.contains(sentence), "{err}");
    };
    let [first, second, third, fourth] = files[..] else { panic!() };
    refused(&[first, fourth], "of 4 shards these are missing: 1, 2");
    refused(&[first, second, third, fourth, second], "part-1.json: it is shard 1 of 4, as is ");
    let other = |name, change| changed(second, name, change);
    let with = |file: &str, sentence: &str| refused(&[first, file, third, fourth], sentence);
    with(&other("other-seed.json", |part| part.config.draws.seed += 1), "other-seed.json: its settings are not as in");
    with(
        &other("other-model.json", |part| part.origin.files.model_sha256 = "0".into()),
        "other-model.json: its model is not",
    );
    with(&other("cut.json", |part| drop(part.pieces.pop())), "cut.json: it does not hold the pieces of shard 1 of 4");
    with(
        &other("moved.json", |part| part.pieces.swap(0, 1)),
        "moved.json: it does not hold the pieces of shard 1 of 4",
    );
    with(&other("short.json", |part| part.pieces[0].nats.truncate(1)), "short.json: it does not hold");
    // A nat that came out otherwise shows in the report: the parts are what is joined, nothing is walked again.
    let file = other("nat.json", |part| part.pieces[0].nats[0] += 1.0);
    let (code, out, _) = merge(&[first, &file, third, fourth]);
    assert_eq!(code, Some(0));
    assert_ne!(serde_json::from_str::<Report>(&out).unwrap(), whole);
    let (code, _, err) = ended(&fairbits(&["run", first, "--shard", "4/4"]));
    assert_eq!(code, Some(3));
    assert!(err.contains("a shard is written i/n, with i from 0 to n − 1"), "{err}");
}
