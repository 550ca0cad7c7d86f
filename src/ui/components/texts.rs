//! What to measure on: corpus, languages, number of units.

use leptos::prelude::*;

use super::level_name;
use super::setting::{placed, written};
use crate::lab::settings::{Key, Texts as Keys};
use crate::lab::tokens;
use crate::report::{CorpusLanguage, Resource, format, labels};
use crate::state::State;

/// Groups of the chips, in order.
const LEVELS: [Resource; 5] = [Resource::High, Resource::Middle, Resource::Low, Resource::Unknown, Resource::Unseen];

/// Corpus cards, language chips, units.
#[component]
pub fn Texts(
    /// Whether one unit is looked at, instead of the first so many.
    #[prop(optional)]
    one: bool,
) -> impl IntoView {
    let state: State = expect_context();
    let unit = move || state.corpus().map_or("unit".to_string(), |corpus| corpus.unit);
    let most = move || state.corpus().map_or(0, |corpus| corpus.units);
    let (id, least, key): (_, _, Key<usize>) =
        if one { ("unit", "1", tokens::Config::KEYS.unit) } else { ("units", "2", Keys::KEYS.units) };
    let label = move || match one {
        true => format!("Which {}, from 1 to {}", unit(), most()),
        false => format!("Number of {}s of each language, up to {}", unit(), most()),
    };
    placed(key);
    view! {
        <section class="panel" aria-labelledby="texts-heading">
            <h2 id="texts-heading">"Text and languages"</h2>
            <Corpora/>
            <Chips/>
            <label class="field" for=id>{label}</label>
            <input
                id=id
                type="number"
                min=least
                max=most
                prop:value=move || written(&state.settings.value(key.place))
                on:input=move |ev| state.settings.put(key.place, event_target_value(&ev).into())
            />
        </section>
    }
}

#[component]
fn Corpora() -> impl IntoView {
    let state: State = expect_context();
    let choose = move |name: String| {
        state.settings.set(Keys::KEYS.corpus, name);
        state.choose_trained();
    };
    view! {
        <fieldset class="corpora">
            <legend>"Text"</legend>
            {move || state.corpora.get().iter().map(|corpus| {
                let (name, own) = (corpus.name.clone(), corpus.name.clone());
                let about = corpus.description.split_once(". ").map_or(corpus.description.as_str(), |(first, _)| first);
                view! {
                    <label class="option" title=corpus.description.clone()>
                        <input
                            type="radio"
                            name="corpus"
                            value=name.clone()
                            prop:checked=move || state.settings.get(Keys::KEYS.corpus) == own
                            on:change=move |_| choose(name.clone())
                        />
                        <span class="option-title">{corpus.title.clone()}</span>
                        <span class="option-note">
                            {format!("{}, {} languages. {}.", format::counted(corpus.units as u64, &corpus.unit), corpus.languages.len(), about.trim_end_matches('.'))}
                        </span>
                    </label>
                }
            }).collect_view()}
        </fieldset>
    }
}

#[component]
fn Chips() -> impl IntoView {
    let state: State = expect_context();
    // (level, languages) of the corpus; depends on the corpus and the model, not on what is ticked.
    let groups = Memo::new(move |_| {
        let card = state.card();
        let languages = state.corpus().map(|corpus| corpus.languages).unwrap_or_default();
        LEVELS
            .iter()
            .map(|level| {
                let of_level = |language: &&CorpusLanguage| Resource::of(card.as_ref(), &language.code) == *level;
                (*level, languages.iter().filter(of_level).cloned().collect::<Vec<_>>())
            })
            .filter(|(_, languages)| !languages.is_empty())
            .collect::<Vec<_>>()
    });
    let even = move || state.card().is_some_and(|card| card.even());
    let count = move || {
        let chosen = state.settings.get(Keys::KEYS.languages).len();
        format!("{} chosen", format::counted(chosen as u64, "language"))
    };
    view! {
        <fieldset class="languages">
            <legend>"Languages"</legend>
            <div class="row">
                <button id="languages-trained" type="button" on:click=move |_| state.choose_trained()>"All trained"</button>
                <button id="languages-none" type="button" on:click=move |_| state.settings.set(Keys::KEYS.languages, Vec::new())>"None"</button>
                <span class="note">{count}</span>
            </div>
            {move || groups.get().into_iter().map(|(level, languages)| view! {
                <div class="chips" role="group" aria-label=labels::resource_long(level) data-level=level_name(level)>
                    <p class="chips-title"><span class="swatch" aria-hidden="true"></span>{title(level, even())}</p>
                    {languages.into_iter().map(|language| view! { <Chip language/> }).collect_view()}
                </div>
            }).collect_view()}
        </fieldset>
    }
}

fn title(level: Resource, even: bool) -> &'static str {
    match level {
        Resource::Middle if even => "Seen about equally: neither high- nor low-resource",
        Resource::High => "High-resource: upper third by bytes seen",
        Resource::Middle => "Middle third",
        Resource::Low => "Low-resource: lower third",
        Resource::Unknown => "The model has no card that says what it saw",
        Resource::Unseen => "Not in the training text: shown apart, left out of the disparity figures",
    }
}

#[component]
fn Chip(language: CorpusLanguage) -> impl IntoView {
    let state: State = expect_context();
    let (code, own) = (language.code.clone(), language.code.clone());
    let toggle = move |on: bool| {
        state.settings.update(Keys::KEYS.languages, |chosen| {
            chosen.retain(|code| *code != own);
            if on {
                chosen.push(own.clone());
            }
        });
    };
    let asked = code.clone();
    let same = language.name == language.endonym;
    view! {
        <label class="chip">
            <input
                type="checkbox"
                name="language"
                value=code.clone()
                prop:checked=move || state.settings.get(Keys::KEYS.languages).contains(&asked)
                on:change=move |ev| toggle(event_target_checked(&ev))
            />
            <span class="chip-name">{language.name.clone()}</span>
            {(!same).then(|| view! {
                <span class="chip-own" lang=labels::tag(&code).to_string() dir=language.direction.clone()>{language.endonym.clone()}</span>
            })}
        </label>
    }
}
