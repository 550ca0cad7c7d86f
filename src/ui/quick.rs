//! Quick looks: small runs that the page makes by itself, so that a result stands on it before anything is pressed and follows
//! what is chosen until the person runs something of their own.

use super::chosen::Chosen;
use crate::lab::settings::{Around, Texts};
use crate::lab::{languages, tokens};
use crate::protocol::{Config, Kind};
use crate::report::{Card, Resource};

/// Units of each language: few, for an answer within seconds; the result says what so few are worth.
pub const UNITS: usize = 3;
/// A run that is guessed to take longer is left to the person.
#[cfg(target_arch = "wasm32")]
const PATIENCE_SECONDS: f64 = 8.0;

/// What a quick look asks: a few texts of each language chosen; where a model has high- and low-resource languages, of those.
pub fn config(chosen: &Chosen, around: &Around, card: Option<&Card>) -> Option<Config> {
    let all = chosen.get(Texts::KEYS.languages);
    let of = |level: Resource| all.iter().filter(move |code| Resource::of(card, code) == level).cloned();
    let languages: Vec<String> = match (of(Resource::High).next(), of(Resource::Low).next()) {
        (Some(_), Some(_)) => of(Resource::High).chain(of(Resource::Low)).collect(),
        _ => all.clone(),
    };
    let few = chosen.clone().with(Texts::KEYS.units, UNITS).with(Texts::KEYS.languages, languages);
    few.config(Kind::Languages, around).ok()
}

/// What a look into one text of a Languages result asks: the text in each of its languages. A quick look reads fewer than are
/// chosen, so below it the text is shown in every language `chosen`.
pub fn text(result: &languages::Config, chosen: Option<&Chosen>, around: &Around, unit: usize) -> tokens::Config {
    let languages::Config { texts: Texts { corpus, languages, .. }, quantizer, .. } = result.clone();
    let all = chosen.filter(|chosen| chosen.get(Texts::KEYS.corpus) == corpus).and_then(|chosen| {
        let asked = chosen.clone().with(tokens::Config::KEYS.unit, unit).config(Kind::Tokens, around);
        asked.ok().and_then(|config| if let Config::Tokens(config) = config { Some(config.languages) } else { None })
    });
    tokens::Config { quantizer, corpus, languages: all.unwrap_or(languages), unit }
}

/// Looks anew whenever the start page has a model and other choices than those looked at last, and nothing of the person's own
/// runs or stands there.
#[cfg(target_arch = "wasm32")]
pub fn follow(state: super::state::State, client: super::client::Client) {
    use super::cost_estimate;
    use super::queue::Queue;
    use super::route::Route;
    use super::state::{Engine, Model};
    use crate::protocol::{Files, How, Kind, Wanted};
    use leptos::prelude::*;
    // A look that failed or was cancelled is not taken again before something changes.
    Effect::new(move |last: Option<Option<(Config, Files)>>| {
        let last = last.flatten();
        let Route::Lab { page: 0, link: None, asked, .. } = state.route.get() else { return last };
        let (Engine::Ready { workers, .. }, Model::Loaded(loaded)) = (state.engine.get(), state.model.get()) else {
            return last;
        };
        let own = state.finished(Kind::Languages).is_some_and(|finished| !state.is_quick(finished.id));
        // Whoever asks for a device by name, or for times, measures that; another run would be in the way. A model that is
        // not held whole, or has no tokenizer, reads no text, or slowly.
        let held = matches!(loaded.how, How::Whole | How::Fewer(_)) && loaded.files.tokenizer_sha256.is_some();
        let plain = asked.backend != Wanted::WebGpu && !asked.profile && held;
        if own || !plain || state.running() || state.queue.with(Queue::going) {
            return last;
        }
        let (corpora, card) = (state.corpora.get(), state.card());
        let around = Around { corpora: &corpora, layers: loaded.layers };
        let size = (loaded.parameters, loaded.layers);
        let config = config(&state.settings.all(), &around, card.as_ref());
        let quick = |config: &Config| cost_estimate::seconds(config, &corpora, size, workers) < PATIENCE_SECONDS;
        let Some(wanted) = config.filter(quick).map(|config| (config, loaded.files.clone())) else { return last };
        if last.as_ref() != Some(&wanted) {
            let id = client.run(wanted.0.clone());
            state.quick.update(|quick| {
                quick.insert(id);
            });
        }
        Some(wanted)
    });
}

#[cfg(test)]
mod tests {
    use super::super::chosen::tests::{around, corpora, of_languages};
    use super::*;
    use crate::lab::rounding::Rounding;

    fn looked(chosen: &Chosen, card: Option<&Card>) -> Option<languages::Config> {
        match config(chosen, &around(&corpora()), card)? {
            Config::Languages(config) => Some(config),
            _ => panic!("another analysis"),
        }
    }

    #[test]
    fn a_quick_look_reads_few_texts_of_what_is_chosen() {
        let chosen = of_languages(&["eng", "kor"]);
        let config = looked(&chosen, None).unwrap();
        assert_eq!((config.texts.units, config.texts.languages.len()), (UNITS, 2));
        assert_eq!(config.quantizer.bits, chosen.get(Rounding::KEYS.bits));
        assert_eq!(looked(&Chosen::default(), None), None, "without a language there is nothing to run");
        let card = r#"{"name":"m","title":"","description":"","parameters":1,
            "languages":{"eng":{"bytes_seen":9},"kor":{"bytes_seen":4},"tha":{"bytes_seen":1}}}"#;
        let all = of_languages(&["eng", "kor", "tha"]);
        let config = looked(&all, serde_json::from_str(card).ok().as_ref()).unwrap();
        assert_eq!(config.texts.languages, ["eng", "tha"], "those that are compared");
        // What is looked into below it is every language that is chosen.
        let text = |chosen| super::text(&config, chosen, &around(&corpora()), 4);
        assert_eq!(
            (text(Some(&all)).languages, text(Some(&all)).unit),
            (vec!["eng".into(), "kor".into(), "tha".into()], 4)
        );
        assert_eq!(text(None).languages, ["eng", "tha"]);
    }
}
