use serde_json::json;

use super::*;
use crate::lab::{Config, Kind};

/// Law: a setting's name is told once in an analysis, and so is its place.
#[test]
fn names_and_places_are_told_apart() {
    for kind in Kind::ALL {
        let settings = kind.settings();
        let all = flat(&settings);
        for (at, setting) in all.iter().enumerate() {
            assert!(all[..at].iter().all(|other| other.place != setting.place), "{kind:?} {}", setting.place);
            assert!(!setting.label.is_empty() && setting.place.ends_with(setting.name), "{kind:?} {}", setting.name);
        }
    }
}

/// Law: what is declared is what JSON holds, no more and no less.
#[test]
fn what_is_declared_is_what_json_holds() {
    for kind in Kind::ALL {
        let json = Config::of(*kind, json!({})).unwrap().settings();
        let names: Vec<&str> = kind.settings().iter().map(|setting| setting.name).collect();
        assert_eq!(json.as_object().unwrap().len(), names.len(), "{kind:?}");
        assert!(names.iter().all(|name| json.get(name).is_some()), "{kind:?}");
    }
}

/// Law: a number beyond the ends of its range is refused by its label, and those at the ends are not.
#[test]
fn ranges_are_kept() {
    for kind in Kind::ALL {
        for setting in flat(&kind.settings()) {
            let Control::Whole { least, most } = setting.control else { continue };
            assert!(setting.check(&json!(least)).is_ok() && setting.check(&json!(most)).is_ok());
            let beyond = [least.checked_sub(1), most.checked_add(1)].into_iter().flatten().map(|number| json!(number));
            for wrong in beyond.chain([json!(-1), json!(1.5), json!(null), json!("x")]) {
                let said = setting.check(&wrong).unwrap_err().to_string();
                assert!(said.starts_with(setting.label) && said.contains("must be a whole number"), "{said}");
            }
        }
    }
}

#[test]
fn an_unknown_setting_is_refused_and_a_missing_one_has_its_default() {
    let wrong = Config::of(Kind::Languages, json!({ "bit": 3 })).unwrap_err();
    assert!(wrong.to_string().contains("unknown field `bit`"), "{wrong}");
    let some = Config::of(Kind::Languages, json!({ "texts": { "units": 3 } })).unwrap();
    assert_eq!(some.settings()["texts"], json!({ "corpus": "udhr", "languages": [], "units": 3 }));
}
