//! The shipped models are what their cards say: every digest, and the held-out bits per byte recomputed by our engine.

use std::path::{Path, PathBuf};

use engine::{
    arch::{load::open, passes::run_texts},
    backend::cpu::Cpu,
    math::metrics::bits_per_byte,
    model::{
        catalog::Catalog,
        corpus::CorpusCard,
        source::{Folder, sha256},
        tokenizer::Besides,
    },
};

/// The card's figures come from PyTorch in f32 with another order of summation.
const TOLERANCE: f64 = 1e-3;
/// First in the mix, a script of its own, no spaces between words, and one of the smallest shares.
const LANGUAGES: [&str; 4] = ["eng", "rus", "jpn", "hin"];

fn site() -> Folder {
    Folder::new(public())
}

fn public() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../public")
}

#[test]
fn every_model_has_the_digests_and_the_bits_per_byte_of_its_card() {
    let catalog = pollster::block_on(Catalog::read(&site())).unwrap();
    let corpus = pollster::block_on(CorpusCard::read(&site(), "help")).unwrap();
    assert!(catalog.models.iter().any(|card| card.name == catalog.default));
    for card in &catalog.models {
        let folder = public().join("models").join(&card.name);
        for file in ["config.json", "tokenizer.json", "model.safetensors"] {
            let expected = card.files.get(file).unwrap_or_else(|| panic!("{}: no digest of {file}", card.name));
            assert_eq!(sha256(&std::fs::read(folder.join(file)).unwrap()), *expected, "{} {file}", card.name);
        }
        let model = pollster::block_on(open(Cpu, &Folder::new(folder), &card.name, &mut ())).unwrap();
        let tokenizer = model.tokenizer.as_ref().unwrap();
        for code in LANGUAGES {
            let texts = pollster::block_on(corpus.texts(&site(), code)).unwrap();
            let cut = pollster::block_on(tokenizer.cut(texts.units.clone(), Besides::Nothing)).unwrap();
            let tokens: Vec<Vec<u32>> =
                cut.into_iter().map(|text| tokenizer.text_start().into_iter().chain(text.ids).collect()).collect();
            let run = run_texts(&model.device, model.device.full(), &tokens, &async || ());
            let nats: f64 = pollster::block_on(run).unwrap().iter().sum();
            let ours = bits_per_byte(nats, texts.units.iter().map(|text| text.len() as u64).sum());
            let card = card.languages[code].help_bpb.unwrap();
            assert!((ours - card).abs() <= TOLERANCE, "{} {code}: {ours} against the card's {card}", model.name);
        }
    }
}

/// Aligned, complete, and as their cards say; [`CorpusCard::texts`] checks digest, count and empty units.
#[test]
fn every_text_of_every_corpus_can_be_read() {
    let listed = pollster::block_on(CorpusCard::read_all(&site())).unwrap();
    assert_eq!(listed.iter().map(|corpus| &corpus.name[..]).collect::<Vec<_>>(), ["udhr", "help"]);
    for corpus in listed {
        for language in &corpus.languages {
            let texts = pollster::block_on(corpus.texts(&site(), &language.code)).unwrap();
            assert_eq!(texts.units.len(), corpus.units);
        }
    }
    let udhr = pollster::block_on(CorpusCard::read(&site(), "udhr")).unwrap();
    assert_eq!(udhr.units, 30);
    assert!(udhr.languages.len() >= 24);
    let required = "eng fra deu vie rus zho tur fin kor heb tha hin jpn ara swa yor amh tam ben ind ell";
    for code in required.split(' ') {
        assert!(udhr.language(code).is_ok(), "{code}");
    }
}
