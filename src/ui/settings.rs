//! What the person has chosen, kept from visit to visit.

use std::time::Duration;

use leptos::prelude::*;

use super::browser;
use super::chosen::Chosen;
use super::state::{Model, State};

/// Under which name it is kept.
const SETTINGS: &str = "fairbits-settings";
/// A person who types is not written down letter by letter.
const PAUSE: Duration = Duration::from_millis(400);
/// Tables that were pasted may be large, and belong to their visit.
const OF_THE_VISIT: &str = "statistics.";

/// Puts back what was kept once the first model is in, and keeps what changes from then on. Settings of a link are not the
/// person's own.
pub fn follow(state: State) {
    Effect::new(move |restored: Option<bool>| {
        let restored = restored.unwrap_or(false);
        if !matches!(state.model.get(), Model::Loaded(_)) || state.corpora.with(|corpora| corpora.is_empty()) {
            return restored;
        }
        let now = state.settings.all();
        if !restored {
            let foreign = state.opened.with_untracked(Option::is_some);
            if let Some(kept) = browser::kept(SETTINGS).filter(|_| !foreign) {
                state.settings.change(|chosen| chosen.restore(&kept));
            }
            return true;
        }
        set_timeout(
            move || {
                if state.opened.with_untracked(Option::is_none) && untrack(|| state.settings.all()) == now {
                    browser::keep(SETTINGS, &written(&now));
                }
            },
            PAUSE,
        );
        true
    });
}

fn written(chosen: &Chosen) -> String {
    let kept: serde_json::Map<_, _> = chosen
        .iter()
        .filter(|(place, _)| !place.starts_with(OF_THE_VISIT))
        .map(|(place, value)| (place.to_string(), value.clone()))
        .collect();
    serde_json::Value::Object(kept).to_string()
}

/// Forgets it, here and for the next visit.
pub fn forget(state: State) {
    browser::keep(SETTINGS, "");
    state.settings.take(&Chosen::default());
    state.choose_trained();
}
