//! What the person has chosen, kept from visit to visit: as the configs that the choices make.

use super::choices::Choices;
use crate::protocol::{Config, Kind};
use crate::report::CorpusCard;

/// What is to be kept of some choices: whatever they make whole settings for.
pub fn of(choices: &Choices, corpora: &[CorpusCard], layers: usize) -> Vec<Config> {
    // Tables that were pasted may be large, and belong to their visit.
    let kinds = Kind::ALL.iter().filter(|kind| **kind != Kind::Statistics);
    kinds.filter_map(|kind| choices.of_kind(*kind, corpora, layers).ok()).collect()
}

/// Choices that were kept. What cannot be read or does not hold leaves them as they are.
pub fn restore(choices: &mut Choices, kept: &str, layers: usize) {
    let configs: Vec<Config> = serde_json::from_str(kept).unwrap_or_default();
    for config in configs.iter().filter(|config| config.check().is_ok()) {
        choices.adopt(config, layers);
    }
}

#[cfg(target_arch = "wasm32")]
pub use here::*;

#[cfg(target_arch = "wasm32")]
mod here {
    use std::time::Duration;

    use leptos::prelude::*;

    use super::super::browser;
    use super::super::state::{Model, State};
    use super::*;

    /// Under which name they are kept.
    const SETTINGS: &str = "fairbits-settings";
    /// A person who types is not written down letter by letter.
    const PAUSE: Duration = Duration::from_millis(400);

    /// Puts back what was kept once the first model is in, and keeps what changes from then on. Settings of a link are not the
    /// person's own.
    pub fn follow(state: State) {
        Effect::new(move |restored: Option<bool>| {
            let Model::Loaded(loaded) = state.model.get() else { return restored.unwrap_or(false) };
            let corpora = state.corpora.get();
            if corpora.is_empty() {
                return restored.unwrap_or(false);
            }
            let layers = loaded.layers;
            state.choices.track();
            if restored != Some(true) {
                let foreign = state.opened.with_untracked(Option::is_some);
                if let Some(kept) = browser::kept(SETTINGS).filter(|_| !foreign) {
                    state.choices.update(|choices| restore(choices, &kept, layers));
                }
                return true;
            }
            let now = state.choices.get_untracked();
            set_timeout(
                move || {
                    let own = state.opened.with_untracked(Option::is_none)
                        && state.choices.with_untracked(|then| *then == now);
                    if own && let Ok(text) = serde_json::to_string(&of(&now, &corpora, layers)) {
                        browser::keep(SETTINGS, &text);
                    }
                },
                PAUSE,
            );
            true
        });
    }

    /// Forgets them, here and for the next visit.
    pub fn forget(state: State) {
        browser::keep(SETTINGS, "");
        state.choices.set(Choices::default());
        state.choose_trained();
    }
}

#[cfg(test)]
mod tests {
    use super::super::choices::tests::corpora;
    use super::*;
    use crate::report::Bits;

    #[test]
    fn what_is_kept_comes_back_and_what_is_not_settings_changes_nothing() {
        let chosen = Choices {
            languages: ["kor".to_string(), "tha".into()].into(),
            units: "5".into(),
            bits: Bits::new(4).unwrap(),
            threshold: 7.0,
            losses: true,
            reference: "kor".into(),
            ..Choices::default()
        };
        let kept = serde_json::to_string(&of(&chosen, &corpora(), 12)).unwrap();
        let mut back = Choices::default();
        restore(&mut back, &kept, 12);
        assert_eq!(back, chosen);
        for wrong in ["", "{}", "[1]", "[{\"analysis\":\"languages\"}]"] {
            restore(&mut back, wrong, 12);
            assert_eq!(back, chosen, "{wrong}");
        }
    }
}
