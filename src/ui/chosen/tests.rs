use serde_json::json;

use super::*;
use crate::lab::rounding::Rounding;
use crate::lab::settings::{Control, REFERENCE, Resampling, THRESHOLD};
use crate::lab::{clipping, dial, redundancy, screening, tokens};
use crate::report::Bits;

pub const LAYERS: usize = 12;

pub fn corpora() -> Vec<CorpusCard> {
    let language = |code: &str| {
        format!(
            r#"{{"code":"{code}","name":"","endonym":"","script":"","family":"","direction":"ltr","file":"","bytes":1,"sha256":""}}"#
        )
    };
    let languages = ["eng", "kor", "tha"].map(language).join(",");
    let corpus = format!(
        r#"[{{"name":"udhr","title":"","description":"","unit":"article","units":30,"source":"","licence":"","languages":[{languages}]}}]"#
    );
    serde_json::from_str(&corpus).unwrap()
}

pub fn around(corpora: &[CorpusCard]) -> Around<'_> {
    Around { corpora, layers: LAYERS }
}

/// The defaults with these languages.
pub fn of_languages(codes: &[&str]) -> Chosen {
    Chosen::default().with(Texts::KEYS.languages, codes.iter().map(ToString::to_string).collect())
}

fn config(chosen: &Chosen, kind: Kind) -> Result<Config, String> {
    chosen.config(kind, &around(&corpora()))
}

#[test]
fn languages_come_in_the_order_of_the_corpus() {
    let Config::Languages(config) = config(&of_languages(&["kor", "eng", "xyz"]), Kind::Languages).unwrap() else {
        panic!("another analysis")
    };
    assert_eq!(config.texts.languages, ["eng", "kor"]);
    assert_eq!((config.texts.units, config.quantizer.bits.get()), (8, 3));
    assert_eq!((config.draws.resamples, config.draws.seed), (2000, 1));
}

#[test]
fn what_is_wrong_is_named() {
    let typed = |place, text: &str| {
        let mut chosen = of_languages(&["eng"]);
        chosen.put(place, text.into());
        config(&chosen, Kind::Languages).unwrap_err()
    };
    assert_eq!(config(&Chosen::default(), Kind::Languages).unwrap_err(), "Choose at least one language.");
    assert_eq!(typed("texts.units", "31"), "Number of articles is “31”; it must be a whole number from 2 to 30.");
    assert!(typed("texts.units", "1").ends_with("from 2 to 30."));
    assert_eq!(
        typed("draws.resamples", ""),
        "Bootstrap resamples is “”; it must be a whole number from 100 to 100000."
    );
    assert!(typed("draws.seed", "-1").starts_with("Seed is “-1”; it must be a whole number"));
    assert!(typed("texts.corpus", "x").contains("“x” is not on this site"));
    let mut bounds = of_languages(&["eng"]).with(screening::Config::KEYS.light, 60.0);
    assert!(config(&bounds, Kind::Screening).unwrap_err().contains("must be below that of heavy tails"));
    bounds.put("screening.light", "x".into());
    assert!(config(&bounds, Kind::Screening).unwrap_err().contains("is “x”; it must be a finite number."));
    bounds.put("screening.light", "−0.50".into());
    let Ok(Config::Screening(read)) = config(&bounds, Kind::Screening) else { panic!("a number as people write it") };
    assert_eq!(read.light, -0.5);
}

/// Every setting of every analysis with another value than its default.
pub fn unusual() -> Chosen {
    let mut chosen = of_languages(&["kor", "tha"])
        .with(Texts::KEYS.units, 5)
        .with(Resampling::KEYS.resamples, 300)
        .with(Resampling::KEYS.seed, 77)
        .with(THRESHOLD, 1.5)
        .with(REFERENCE, "tha".into())
        .with(dial::Config::KEYS.listed, vec![1, 2, 5])
        .with(tokens::Config::KEYS.unit, 4);
    for kind in Kind::ALL {
        for setting in flat(&kind.settings()) {
            let other = match &setting.control {
                Control::Flag => json!(!chosen.0[setting.place].as_bool().unwrap()),
                Control::OneOf(of) => of.last().unwrap().value.clone(),
                Control::SeveralOf { of, .. } => json!([of[0].value]),
                _ => continue,
            };
            if setting.place != "gateway.every" {
                chosen.put(setting.place, other);
            }
        }
    }
    chosen.with(Texts::KEYS.units, 5)
}

/// Law: what a page makes of its choices leads back to choices that make the same.
#[test]
fn settings_lead_back_to_themselves_on_every_page() {
    let choices = unusual();
    for kind in Kind::ALL {
        let config = choices.config(*kind, &around(&corpora())).unwrap();
        let mut adopted = Chosen::default();
        adopted.adopt(&config);
        assert_eq!(adopted.config(*kind, &around(&corpora())).unwrap(), config, "{kind:?}");
        assert_ne!(config.settings(), Config::of(*kind, json!({})).unwrap().settings(), "{kind:?} has its defaults");
    }
}

/// Law: a place has one default, whoever names it, and analyses that name it read the same type.
#[test]
fn a_place_has_one_default() {
    let all = Chosen::default();
    for kind in Kind::ALL {
        let default = Config::of(*kind, json!({})).unwrap().settings();
        for (place, value) in spread(&kind.settings(), &default) {
            assert_eq!(all.0[place], *value, "{kind:?} {place}");
        }
    }
}

/// Law: every analysis takes what its page asks where nothing but languages was chosen.
#[test]
fn defaults_can_be_run() {
    for kind in Kind::ALL {
        let config = config(&of_languages(&["eng", "kor"]), *kind).unwrap();
        assert_eq!(config.kind(), *kind);
        config.check().unwrap();
    }
}

#[test]
fn a_half_typed_number_is_kept_and_read_as_the_default() {
    let mut chosen = Chosen::default();
    chosen.put(Texts::KEYS.units.place, "1x".into());
    assert_eq!(chosen.0["texts.units"], "1x");
    assert_eq!(chosen.get(Texts::KEYS.corpus), "udhr");
}

#[test]
fn clipping_wants_no_language_but_a_reference_among_those_chosen() {
    let of = |chosen: Chosen| match config(&chosen, Kind::Clipping).unwrap() {
        Config::Clipping(config) => config,
        _ => panic!("another analysis"),
    };
    let config = of(of_languages(&["eng", "kor"]));
    assert_eq!((config.texts.languages.len(), config.reference.as_str(), config.losses), (2, "eng", false));
    let korean = of(of_languages(&["kor"]).with(clipping::Config::KEYS.losses, true));
    assert_eq!((korean.reference.as_str(), korean.losses), ("kor", true));
    let none = of(Chosen::default().with(clipping::Config::KEYS.losses, true));
    assert!(none.texts.languages.is_empty() && !none.losses && none.check().is_ok());
}

#[test]
fn settings_are_fitted_to_the_model() {
    let own = vec![Some(Bits::ALL[0]); LAYERS - 1];
    let widths = of_languages(&["eng"]).with(crate::lab::mitigation::Config::KEYS.own, own);
    let Ok(Config::Mitigation(fitted)) = config(&widths, Kind::Mitigation) else { panic!("widths of another model") };
    assert!(fitted.own.is_empty());
    let top = of_languages(&["eng"]).with(redundancy::Config::KEYS.top, LAYERS + 1);
    assert!(config(&top, Kind::Redundancy).is_err());
    let listed = of_languages(&["eng"]).with(dial::Config::KEYS.layers, dial::Layers::Listed);
    let mut beyond = listed.clone();
    beyond.put(dial::Config::KEYS.listed.place, "4-12".into());
    assert!(config(&beyond, Kind::Dial).is_err(), "there are layers 0 to 11");
    for (text, read) in
        [("7, 0-3,2", Some(vec![0, 1, 2, 3, 7])), ("5 – 6", Some(vec![5, 6])), ("3-1", None), ("", None)]
    {
        let mut chosen = listed.clone();
        chosen.put(dial::Config::KEYS.listed.place, text.into());
        match (config(&chosen, Kind::Dial), read) {
            (Ok(Config::Dial(config)), Some(read)) => assert_eq!(config.listed, read, "{text}"),
            (Err(said), None) => assert!(said.contains("numbers and ranges, such as 0-3, 7"), "{text}: {said}"),
            other => panic!("{text}: {other:?}"),
        }
    }
    let gateway = |chosen: Chosen| config(&chosen, Kind::Gateway);
    let none = of_languages(&["eng"]).with(crate::lab::gateway::Config::KEYS.budgets, vec![LAYERS]);
    assert_eq!(gateway(none).unwrap_err(), "Choose at least one number of layers to protect.");
}

/// Law: a look inside takes no language away, nor any other choice but which text it is.
#[test]
fn a_look_into_a_text_keeps_what_is_chosen() {
    let chosen = unusual().with(Texts::KEYS.languages, ["eng", "kor", "tha"].map(String::from).to_vec());
    let Config::Tokens(mut look) = config(&chosen, Kind::Tokens).unwrap() else { panic!("another analysis") };
    (look.languages, look.unit) = (vec!["kor".into()], 9);
    let mut after = chosen.clone();
    after.look_at(&look.clone().into());
    assert_eq!(after, chosen.clone().with(tokens::Config::KEYS.unit, 9));
    look.corpus = "help".into();
    let mut after = chosen.clone();
    after.look_at(&look.into());
    assert_eq!(after, chosen, "the number of a text of another corpus");
}

#[test]
fn what_is_kept_comes_back_and_what_is_not_settings_changes_nothing() {
    let chosen = unusual();
    let kept = serde_json::to_string(&chosen.0).unwrap();
    let mut back = Chosen::default();
    back.restore(&kept);
    assert_eq!(back, chosen);
    for wrong in
        ["", "{}", "[1]", r#"{"quantizer.bits": 99, "texts.languages": 1, "nowhere": 2, "gateway.budgets": "x"}"#]
    {
        back.restore(wrong);
        assert_eq!(back, chosen, "{wrong}");
    }
}

#[test]
fn trained_languages_leave_out_the_unseen() {
    let card: Card = serde_json::from_str(
        r#"{"name":"m","title":"","description":"","parameters":1,"languages":{"eng":{"bytes_seen":9},"tha":{"bytes_seen":0}}}"#,
    )
    .unwrap();
    assert_eq!(trained(&corpora()[0], Some(&card)), ["eng".to_string()].into());
    assert_eq!(trained(&corpora()[0], None).len(), 3);
}

/// The page's default is the lab's.
#[test]
fn a_rounding_is_one_choice_on_every_page() {
    let mut chosen = of_languages(&["eng"]);
    chosen.set(Rounding::KEYS.bits, Bits::ALL[4]);
    for kind in [Kind::Languages, Kind::Clipping, Kind::Mitigation, Kind::Matrix] {
        let settings = config(&chosen, kind).unwrap().settings();
        let bits = spread(&kind.settings(), &settings).into_iter().find(|(place, _)| *place == "quantizer.bits");
        assert_eq!(bits.map(|(_, bits)| bits.clone()), Some(json!(6)), "{kind:?}");
    }
}
