//! The first result: a quick run that the page makes by itself, so that something stands on it before anything is pressed.

use std::collections::BTreeSet;

use super::choices::Choices;
use crate::protocol::Config;
use crate::report::{Card, CorpusCard, Resource};

/// Units of each language: few, for an answer within seconds; its intervals are as wide as that makes them.
const UNITS: usize = 3;
/// A run that is guessed to take longer is left to the person.
#[cfg(target_arch = "wasm32")]
const PATIENCE_SECONDS: f64 = 8.0;

/// What the first run asks: a few texts of each language chosen; where a model has high- and low-resource languages, of those.
pub fn config(choices: &Choices, corpora: &[CorpusCard], card: Option<&Card>) -> Option<Config> {
    let of = |level: Resource| choices.languages.iter().filter(move |code| Resource::of(card, code) == level).cloned();
    let languages: BTreeSet<String> = match (of(Resource::High).next(), of(Resource::Low).next()) {
        (Some(_), Some(_)) => of(Resource::High).chain(of(Resource::Low)).collect(),
        _ => choices.languages.clone(),
    };
    let few = Choices { units: UNITS.to_string(), languages, ..choices.clone() };
    few.config(corpora).ok().map(Config::from)
}

/// Makes the first run when the start page has its model and nothing else is asked for.
#[cfg(target_arch = "wasm32")]
pub fn follow(state: super::state::State, client: super::client::Client) {
    use super::effort;
    use super::route::Route;
    use super::state::{Engine, Model, Run};
    use crate::protocol::{How, Kind, Wanted};
    use leptos::prelude::*;
    Effect::new(move |done: Option<bool>| {
        let asked = match state.route.get() {
            Route::Lab { page: 0, link: None, asked, .. } => asked,
            _ => return done.unwrap_or(false),
        };
        let (Engine::Ready { workers, .. }, Model::Loaded(loaded)) = (state.engine.get(), state.model.get()) else {
            return done.unwrap_or(false);
        };
        let corpora = state.corpora.get();
        if done == Some(true) || corpora.is_empty() {
            return done.unwrap_or(false);
        }
        let free = state.run.get_untracked() == Run::Idle && untrack(|| state.finished(Kind::Languages)).is_none();
        // Whoever asks for a device by name, or for times, measures that; another run would be in the way. A model that is
        // not held whole reads no text, or slowly.
        let plain =
            asked.backend != Wanted::WebGpu && !asked.profile && matches!(loaded.how, How::Whole | How::Fewer(_));
        let card = untrack(|| state.card());
        let config = state.choices.with_untracked(|choices| config(choices, &corpora, card.as_ref()));
        let size = (loaded.parameters, loaded.layers);
        let quick = |config: &Config| effort::seconds(config, &corpora, size, workers) < PATIENCE_SECONDS;
        if let Some(config) = config.filter(quick).filter(|_| free && plain) {
            state.first_run.set(Some(client.run(config)));
        }
        true
    });
}

#[cfg(test)]
mod tests {
    use super::super::choices::tests::corpora;
    use super::*;

    #[test]
    fn the_first_run_reads_few_texts_of_what_is_chosen() {
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
    }
}
