//! Looking into a text: every token's loss is there, and together they are the loss that other analyses report.

use std::path::PathBuf;

use fairbits::{
    arch::{load::open, recipe::Recipe},
    backend::cpu::Cpu,
    lab::{
        AnalysisError,
        plan::{Plan, Taps},
        runner::{Alone, Lab},
        sample,
        tokens::{self, Report},
    },
    math::metrics,
    model::{
        corpus::CorpusCard,
        source::{Folder, Source},
        tokenizer::{Besides, Cut},
    },
};

use super::{CODES, UNITS, alone, config, model, named, report, report_of, texts};

/// The unit of this number under the settings of the Languages test.
fn asked(unit: usize) -> tokens::Config {
    let of = config();
    tokens::Config { quantizer: of.quantizer, corpus: of.texts.corpus, languages: of.texts.languages, unit }
}

/// Law: the losses of a text's tokens add up to the text's loss, to the bit, however the model scores; and nothing but what is
/// scored has one.
#[test]
fn tokens_add_up_to_their_text() {
    for name in ["gpt2-tiny", "llama-tiny", "mamba-tiny", "xlm-roberta-tiny", "mt5-tiny"] {
        let model = named(name);
        let report: Report = report_of(asked(4), &alone(&model));
        let scoring = model.device.spec.scoring;
        for row in &report.rows {
            let losses: Vec<(f64, f64)> = row.tokens.iter().filter_map(|token| token.nats).collect();
            assert_eq!(losses.len() as u64, row.scored, "{name}");
            // A masked model's losses come in another order than the text's.
            let length = row.tokens.len() + usize::from(scoring.begins_with_start());
            let order = scoring.order(length, model.device.spec.context);
            let before = usize::from(scoring.begins_with_start());
            let nats = |at: &usize| row.tokens[*at - before].nats.expect("it is scored");
            assert_eq!(order.iter().map(|at| nats(at).0).sum::<f64>(), row.full, "{name}");
            assert_eq!(order.iter().map(|at| nats(at).1).sum::<f64>(), row.quantized, "{name}");
        }
    }
}

/// Law: over all units, these losses give the figures of the Languages report.
#[test]
fn all_texts_together_are_the_languages_report() {
    let of_languages = report(&config());
    let all: Vec<Report> = (1..=UNITS).map(|unit| report_of(asked(unit), &alone(&model()))).collect();
    for (at, row) in of_languages.rows.iter().enumerate() {
        let sum = |of: fn(&tokens::Row) -> f64| all.iter().map(|report| of(&report.rows[at])).sum::<f64>();
        let (full, quantized) = (sum(|row| row.full), sum(|row| row.quantized));
        let (count, bytes) = (sum(|row| row.scored as f64) as u64, sum(|row| row.bytes as f64) as u64);
        assert_eq!((count, bytes), (row.tokens, row.bytes));
        assert_eq!(metrics::degradation(full, quantized, count), row.degradation.value);
        assert_eq!(metrics::delta_bits_per_byte(full, quantized, bytes), row.delta_bits_per_byte.value);
    }
    assert!(all.iter().all(|report| report.origin.corpus_sha256 == of_languages.origin.corpus_sha256));
}

/// Law: the tokens are the text.
#[test]
fn tokens_are_the_text_in_its_order() {
    let (report, texts): (Report, _) = (report_of(asked(2), &alone(&model())), texts());
    assert_eq!(report.rows.iter().map(|row| row.language.code.as_str()).collect::<Vec<_>>(), CODES);
    for (row, of) in report.rows.iter().zip(&texts) {
        let joined: String = row.tokens.iter().filter_map(|token| token.text.clone()).collect();
        assert_eq!(joined, of.units[1]);
    }
}

#[test]
fn what_the_corpus_does_not_hold_is_refused() {
    let model = model();
    let refused = |config: tokens::Config| pollster::block_on(tokens::run(&config, &alone(&model))).unwrap_err();
    assert!(matches!(refused(asked(UNITS + 1)), AnalysisError::Range { .. }));
    assert!(matches!(refused(asked(0)), AnalysisError::Range { .. }));
    let nobody = tokens::Config { languages: Vec::new(), ..asked(1) };
    assert!(matches!(refused(nobody), AnalysisError::NoLanguages));
}

/// A plan that asks for tokens answers all else as well.
#[test]
fn tokens_come_beside_all_other_taps() {
    let model = model();
    let reading = pollster::block_on(sample::read(config().texts.sample(), &alone(&model))).unwrap();
    let every = Taps { tokens: true, ..super::ALL_TAPS };
    let (mut plain, mut both) = (Plan::new(reading.texts.clone()), Plan::new(reading.texts));
    plain.ask(&Recipe::default(), 0..4, super::ALL_TAPS);
    both.ask(&Recipe::default(), 0..4, every);
    let [plain, seen] = [plain, both].map(|plan| pollster::block_on(alone(&model).run(&plan)).unwrap());
    for text in 0..4 {
        assert_eq!(seen.norms(0, text), plain.norms(0, text));
        assert_eq!(seen.inputs(0, text), plain.inputs(0, text));
        assert_eq!(seen.means(0, text), plain.means(0, text));
        assert_eq!(seen.tokens(0, text).iter().sum::<f64>(), plain.nats(0, text));
        assert!(plain.tokens(0, text).is_empty());
    }
}

/// Law, on the texts and the tokenizer that come with the page: the bytes of the tokens are the bytes of the text, in every
/// language, also where a character is cut.
#[test]
fn every_shipped_text_is_its_tokens() {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("public");
    let site = Folder::new(&root);
    let model = pollster::block_on(open(Cpu, &site.folder("models/skew-skew"), "skew-skew", &mut ())).unwrap();
    let tokenizer = model.tokenizer.as_ref().unwrap();
    let corpora = pollster::block_on(CorpusCard::read_all(&site)).unwrap();
    let (mut texts, mut cut) = (0, 0);
    for corpus in &corpora {
        for language in &corpus.languages {
            let file = pollster::block_on(corpus.texts(&site, &language.code)).unwrap();
            let in_tokens = pollster::block_on(tokenizer.cut(file.units.clone(), Besides::Pieces)).unwrap();
            for (text, Cut { ids, pieces, .. }) in file.units.iter().zip(in_tokens) {
                assert_eq!(pieces.len(), ids.len(), "a piece for each token");
                assert_eq!(pieces.concat(), text.as_bytes(), "{}", language.code);
                cut += pieces.iter().filter(|piece| str::from_utf8(piece).is_err()).count();
                texts += 1;
            }
        }
    }
    assert!(texts > 1000 && cut > 1000, "{texts} texts, {cut} tokens that are parts of characters");
    let lab = Alone { model: &model, site, progress: &|_| () };
    let languages = ["eng", "amh", "ara"].map(String::from).to_vec();
    let report: Report = report_of(tokens::Config { corpus: "udhr".into(), languages, ..asked(1) }, &lab);
    assert_eq!(report.rows[2].language.direction, "rtl");
    assert!(report.rows[1].tokens.iter().any(|token| token.text.is_none() && token.bytes.is_some()));
}
