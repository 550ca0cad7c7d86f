//! Configurations, cards, catalogs and corpora.

use fairbits::model::{
    ModelError,
    card::{Card, Resource},
    catalog::Catalog,
    config::{self, Config},
    corpus::CorpusCard,
    source::{Memory, Source, sha256},
};
use serde_json::{Value, json};

fn said<T>(outcome: Result<T, ModelError>) -> String {
    outcome.map(|_| ()).unwrap_err().to_string()
}

#[test]
fn configuration_keys_are_typed_and_bounded() {
    let config = Config::parse(
        br#"{"n_head": "abc", "n_layer": 12, "eps": 1e-5, "n_inner": null, "n_embd": -3, "huge": 12.5,
             "model_type": "gpt2", "tied": true, "n_positions": 128.5}"#,
    )
    .unwrap();
    assert_eq!(config.whole("n_layer", 1..=100), Ok(12));
    assert_eq!(config.number("eps", 0.0..=1.0), Ok(1e-5));
    assert_eq!(config.text("model_type"), Ok("gpt2"));
    assert_eq!(config.flag_if_there("tied"), Ok(Some(true)));
    assert_eq!(config.flag_if_there("absent"), Ok(None));
    assert_eq!(config.whole_if_there("n_inner", 1..=9), Ok(None));

    assert_eq!(
        said(config.whole("n_head", 1..=64)),
        r#"config.json: n_head is "abc", expected a whole number from 1 to 64"#
    );
    assert_eq!(said(config.whole("n_inner", 1..=9)), "config.json: n_inner is missing");
    assert_eq!(said(config.whole("absent", 1..=9)), "config.json: absent is missing");
    assert_eq!(
        said(config.whole("n_layer", 1..=11)),
        "config.json: n_layer is 12, expected a whole number from 1 to 11"
    );
    assert_eq!(said(config.whole("n_embd", 1..=9)), "config.json: n_embd is -3, expected a whole number from 1 to 9");
    assert_eq!(
        said(config.whole("n_positions", 1..=999)),
        "config.json: n_positions is 128.5, expected a whole number from 1 to 999"
    );
    assert_eq!(said(config.number("huge", 0.0..=1.0)), "config.json: huge is 12.5, expected a number from 0 to 1");
    assert_eq!(said(config.text("n_layer")), "config.json: n_layer is 12, expected a text");
    assert_eq!(
        said::<()>(Err(config.wrong("model_type", "an architecture in the table"))),
        r#"config.json: model_type is "gpt2", expected an architecture in the table"#
    );
}

#[test]
fn a_configuration_that_is_none() {
    let read = |bytes: &[u8]| pollster::block_on(Config::read(&Memory::new([(config::FILE, bytes)])));
    assert_eq!(said(read(b"")), "config.json: is empty");
    for wrong in [b"[]".as_slice(), b"<!doctype html>", b"{\"a\":", b"{\"a\":\"\xff\"}"] {
        assert!(said(read(wrong)).starts_with("config.json: is not JSON of the expected form: "));
    }
    assert_eq!(said(read(&vec![b' '; (1 << 20) + 1])), "config.json: larger than the 1,048,576 bytes that are allowed");
    assert!(
        said(read(&[b"[".repeat(100_000)].concat())).contains("is not JSON"),
        "deep nesting is refused, not run out of stack"
    );
}

fn model_card(name: &str) -> Value {
    json!({
        "name": name, "title": "A model", "description": "For tests.", "parameters": 10,
        "languages": {"eng": {"bytes_seen": 30}, "fra": {"bytes_seen": 20}, "fin": {"bytes_seen": 10},
                      "heb": {"bytes_seen": 0}},
        "unused": [1, 2, 3]
    })
}

fn catalog(index: Value) -> Result<Catalog, ModelError> {
    let site = Memory::new([
        ("models/catalog.json", index.to_string()),
        ("models/one/card.json", model_card("one").to_string()),
        ("models/two/card.json", model_card("two").to_string()),
        ("models/false/card.json", model_card("other").to_string()),
    ]);
    pollster::block_on(Catalog::read(&site))
}

#[test]
fn a_catalog_comes_with_its_cards() {
    let catalog_read = catalog(json!({"default": "two", "models": ["one", "two"]})).unwrap();
    assert_eq!(catalog_read.default, "two");
    let names: Vec<&str> = catalog_read.models.iter().map(|card| card.name.as_str()).collect();
    assert_eq!(names, ["one", "two"]);

    assert_eq!(
        said(catalog(json!({"default": "three", "models": ["one"]}))),
        r#"models/catalog.json: default is "three", expected a name in the list of models"#
    );
    assert_eq!(
        said(catalog(json!({"default": "one", "models": ["one", "../../secret"]}))),
        r#"models/catalog.json: "../../secret" is not a plain file or folder name"#
    );
    assert!(said(catalog(json!({"default": "x", "models": ["x"]}))).starts_with("models/x/card.json: not found"));
    assert_eq!(
        said(catalog(json!({"default": "false", "models": ["false"]}))),
        r#"models/false/card.json: name is "other", expected "false", as its folder"#
    );
}

#[test]
fn a_model_folder_may_be_without_a_card() {
    let site = Memory::new([("one/card.json", model_card("one").to_string()), ("two/card.json", "{".into())]);
    let read = |folder: &str| pollster::block_on(Card::read_if_there(&site.folder(folder)));
    let card = read("one").unwrap().unwrap();
    assert_eq!(
        ["eng", "fra", "fin", "heb", "tha"].map(|code| Resource::of(Some(&card), code)),
        [Resource::High, Resource::Middle, Resource::Low, Resource::Unseen, Resource::Unseen]
    );
    assert_eq!((card.bytes_seen("fra"), card.bytes_seen("tha")), (20, 0));
    assert_eq!(read("three"), Ok(None));
    assert!(said(read("two")).starts_with("card.json: is not JSON"));
}

/// A corpus of two units in two languages, with `change` made to its card, and the Finnish file as given.
fn corpus(finnish: &str, change: impl Fn(&mut Value)) -> Memory {
    let english = r#"{"code":"eng","units":["One.","Two."]}"#;
    let language = |code: &str, text: &str, bytes: usize| {
        json!({"code": code, "name": code, "endonym": code, "script": "Latn", "family": "x", "direction": "ltr",
               "file": format!("{code}.json"), "bytes": bytes, "sha256": sha256(text.as_bytes())})
    };
    let mut card = json!({
        "name": "udhr", "title": "t", "description": "d", "unit": "article", "units": 2, "source": "s", "licence": "l",
        "languages": [language("eng", english, 8), language("fin", finnish, 11)]
    });
    change(&mut card);
    Memory::new([
        ("corpora/udhr/card.json", card.to_string()),
        ("corpora/udhr/eng.json", english.into()),
        ("corpora/udhr/fin.json", finnish.into()),
    ])
}

#[test]
fn corpora_are_those_that_the_site_lists() {
    let listed = |names: Value| {
        let (list, none) = (json!({ "corpora": names }).to_string(), corpus(FINNISH, |_| {}));
        let files = ["card", "eng", "fin"].map(|name| format!("corpora/udhr/{name}.json"));
        let known = files.each_ref().map(|file| pollster::block_on(none.read(file, 1 << 20)).unwrap());
        let known = files.iter().zip(known).map(|(file, bytes)| (&file[..], String::from_utf8(bytes).unwrap()));
        let site = Memory::new(known.chain([("corpora/catalog.json", list)]));
        let cards = pollster::block_on(CorpusCard::read_all(&site));
        cards.map(|cards| cards.into_iter().map(|card| card.name).collect::<Vec<_>>())
    };
    assert_eq!(listed(json!(["udhr"])), Ok(vec!["udhr".to_string()]));
    assert_eq!(said(listed(json!([]))), "corpora/catalog.json: corpora is a list of 0, expected 1 to 64");
    assert_eq!(
        said(listed(json!(vec!["udhr"; 65]))),
        "corpora/catalog.json: corpora is a list of 65, expected 1 to 64"
    );
    assert!(said(listed(json!(["../x"]))).contains("is not a plain file or folder name"));
    assert!(said(listed(json!(["other"]))).starts_with("corpora/other/card.json: not found"));
}

const FINNISH: &str = r#"{"code":"fin","units":["Yksi.","Kaksi."]}"#;

fn texts(site: &Memory) -> Result<Vec<String>, ModelError> {
    pollster::block_on(async {
        let card = CorpusCard::read(site, "udhr").await?;
        card.texts(site, "eng").await?;
        Ok(card.texts(site, "fin").await?.units)
    })
}

#[test]
fn texts_are_those_of_the_card() {
    assert_eq!(texts(&corpus(FINNISH, |_| {})), Ok(vec!["Yksi.".to_string(), "Kaksi.".to_string()]));
}

#[test]
fn each_fault_of_a_corpus_has_its_sentence() {
    let with_text = |text: &str| said(texts(&corpus(text, |_| {})));
    assert_eq!(with_text(r#"{"code":"fin","units":["Yksi."]}"#), "corpora/udhr/fin.json: has 1 units, the card says 2");
    assert_eq!(
        with_text(r#"{"code":"swe","units":["Yksi.","Kaksi."]}"#),
        r#"corpora/udhr/fin.json: code is "swe", expected "fin""#
    );
    assert_eq!(with_text(r#"{"code":"fin","units":["Yksi."," "]}"#), "corpora/udhr/fin.json: unit 1 is empty");
    assert_eq!(
        with_text(r#"{"code":"fin","units":["Yksi.","Kolme, neljä."]}"#),
        "corpora/udhr/fin.json: the text of all units is 19 bytes, expected 11 by the card"
    );
    let with_card = |change: &dyn Fn(&mut Value)| said(texts(&corpus(FINNISH, change)));
    let digest = with_card(&|card| card["languages"][1]["sha256"] = json!("00"));
    assert!(digest.starts_with("corpora/udhr/fin.json: its SHA-256 is ") && digest.ends_with("the card says 00"));
    assert_eq!(
        with_card(&|card| card["languages"][1]["direction"] = json!("up")),
        r#"corpora/udhr/card.json: direction of fin is "up", expected "ltr" or "rtl""#
    );
    assert_eq!(
        with_card(&|card| card["languages"][1]["file"] = json!("../../../etc/passwd")),
        r#"corpora/udhr/card.json: "../../../etc/passwd" is not a plain file or folder name"#
    );
    assert_eq!(
        with_card(&|card| card["languages"][0]["code"] = json!("fin")),
        "corpora/udhr/card.json: language fin appears twice"
    );
    assert_eq!(with_card(&|card| card["units"] = json!(0)), "corpora/udhr/card.json: units is 0, expected at least 1");
    assert_eq!(
        with_card(&|card| card["name"] = json!("help")),
        r#"corpora/udhr/card.json: name is "help", expected "udhr""#
    );
    assert_eq!(
        with_card(&|card| {
            card["languages"].as_array_mut().unwrap().pop();
        }),
        "corpora/udhr/card.json: there is no language fin"
    );
}
