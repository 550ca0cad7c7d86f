//! Quick looks: small runs that the page makes by itself, so that a result stands on it before anything is pressed and follows
//! what is chosen until the person runs something of their own.

use std::collections::BTreeSet;

use super::choices::Choices;
use crate::lab::{languages, tokens};
use crate::protocol::Config;
use crate::report::{Card, CorpusCard, Resource};

/// Units of each language: few, for an answer within seconds; the result says what so few are worth.
pub const UNITS: usize = 3;
/// A run that is guessed to take longer is left to the person.
#[cfg(target_arch = "wasm32")]
const PATIENCE_SECONDS: f64 = 8.0;

/// What a quick look asks: a few texts of each language chosen; where a model has high- and low-resource languages, of those.
pub fn config(choices: &Choices, corpora: &[CorpusCard], card: Option<&Card>) -> Option<Config> {
    let of = |level: Resource| choices.languages.iter().filter(move |code| Resource::of(card, code) == level).cloned();
    let languages: BTreeSet<String> = match (of(Resource::High).next(), of(Resource::Low).next()) {
        (Some(_), Some(_)) => of(Resource::High).chain(of(Resource::Low)).collect(),
        _ => choices.languages.clone(),
    };
    let few = Choices { units: UNITS.to_string(), languages, ..choices.clone() };
    few.config(corpora).ok().map(Config::from)
}

/// What a look into one text of a Languages result asks: the text in each of its languages. A quick look reads fewer than are
/// chosen, so below it the text is shown in every language `chosen`.
pub fn text(
    result: &languages::Config,
    chosen: Option<&Choices>,
    corpora: &[CorpusCard],
    unit: usize,
) -> tokens::Config {
    let languages::Config { corpus, languages, bits, rule, granularity, .. } = result.clone();
    let all = chosen.filter(|chosen| chosen.corpus == corpus).and_then(|chosen| {
        let chosen = Choices { unit: unit.to_string(), ..chosen.clone() };
        chosen.tokens(corpora).ok().map(|config| config.languages)
    });
    tokens::Config { corpus, languages: all.unwrap_or(languages), unit, bits, rule, granularity }
}

/// Looks anew whenever the start page has a model and other choices than those looked at last, and nothing of the person's own
/// runs or stands there.
#[cfg(target_arch = "wasm32")]
pub fn follow(state: super::state::State, client: super::client::Client) {
    use super::effort;
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
        let size = (loaded.parameters, loaded.layers);
        let config = state.choices.with(|choices| config(choices, &corpora, card.as_ref()));
        let quick = |config: &Config| effort::seconds(config, &corpora, size, workers) < PATIENCE_SECONDS;
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
    use super::super::choices::tests::corpora;
    use super::*;

    #[test]
    fn a_quick_look_reads_few_texts_of_what_is_chosen() {
        let choices = Choices { languages: ["eng".to_string(), "kor".into()].into(), ..Choices::default() };
        let Some(Config::Languages(config)) = config(&choices, &corpora(), None) else { panic!("a config") };
        assert_eq!((config.units, config.languages.len(), config.bits), (UNITS, 2, choices.bits));
        assert_eq!(
            super::config(&Choices::default(), &corpora(), None),
            None,
            "without a language there is nothing to run"
        );
        let card = r#"{"name":"m","title":"","description":"","parameters":1,
            "languages":{"eng":{"bytes_seen":9},"kor":{"bytes_seen":4},"tha":{"bytes_seen":1}}}"#;
        let all = Choices { languages: ["eng", "kor", "tha"].map(String::from).into(), ..choices };
        let Some(Config::Languages(config)) = super::config(&all, &corpora(), serde_json::from_str(card).ok().as_ref())
        else {
            panic!("a config")
        };
        assert_eq!(config.languages, ["eng", "tha"], "those that are compared");
        // What is looked into below it is every language that is chosen.
        let text = |chosen| super::text(&config, chosen, &corpora(), 4);
        assert_eq!(
            (text(Some(&all)).languages, text(Some(&all)).unit),
            (vec!["eng".into(), "kor".into(), "tha".into()], 4)
        );
        assert_eq!(text(None).languages, ["eng", "tha"]);
    }
}
