//! The control of a setting, as the setting is declared.

use std::collections::BTreeSet;

use leptos::prelude::*;
use serde_json::Value;

use super::select::{Offer, Select};
use crate::lab::settings::{Control, Key, Offer as Choice, Setting, flat};
use crate::protocol::Kind;
use crate::state::State;

/// Which analysis the page is of, and which of its settings have been given a place on it.
#[derive(Clone, Copy)]
pub struct Placed {
    kind: Kind,
    places: StoredValue<BTreeSet<&'static str>>,
}

impl Placed {
    /// None yet.
    pub fn new(kind: Kind) -> Placed {
        Placed { kind, places: StoredValue::new(BTreeSet::new()) }
    }

    /// The setting of a place, which is thereby on the page.
    fn take(self, place: &'static str) -> Option<Setting> {
        self.places.update_value(|places| {
            places.insert(place);
        });
        flat(&self.kind.settings()).into_iter().find(|setting| setting.place == place).cloned()
    }

    /// Settings of the analysis alone that have no place yet, under “More” or not.
    fn rest(self, aside: bool) -> Vec<Setting> {
        let own = format!("{}.", self.kind.name());
        let settings = self.kind.settings();
        let left = |setting: &&Setting| {
            setting.place.starts_with(&own)
                && setting.aside == aside
                && setting.control != Control::Own
                && self.places.with_value(|places| !places.contains(setting.place))
        };
        let left: Vec<Setting> = flat(&settings).into_iter().filter(left).cloned().collect();
        left.into_iter().filter_map(|setting| self.take(setting.place)).collect()
    }
}

/// Says that the page has a control of its own for a setting.
pub fn placed<T>(key: Key<T>) {
    expect_context::<Placed>().take(key.place);
}

/// The control of one setting, where the page wants it.
#[component]
pub fn Field<T: 'static>(
    /// Which.
    key: Key<T>,
) -> impl IntoView {
    let placed: Placed = expect_context();
    placed.take(key.place).map(|setting| view! { <Shown setting/> })
}

/// Settings that few people change.
#[component]
pub fn Aside() -> impl IntoView {
    let placed: Placed = expect_context();
    placed.rest(true).into_iter().map(|setting| view! { <Shown setting/> }).collect_view()
}

/// Settings that the page has given no place: whatever an analysis declares can be chosen.
#[component]
pub fn Rest() -> impl IntoView {
    let placed: Placed = expect_context();
    let rest = [placed.rest(false), placed.rest(true)].concat();
    (!rest.is_empty()).then(|| {
        view! {
            <section class="panel" aria-labelledby="rest-heading">
                <h2 id="rest-heading">"Settings of this analysis"</h2>
                {rest.into_iter().map(|setting| view! { <Shown setting/> }).collect_view()}
            </section>
        }
    })
}

/// A value as its field shows it.
pub fn written(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(all) => all.iter().map(written).collect::<Vec<_>>().join(", "),
        other => other.to_string(),
    }
}

#[component]
fn Shown(setting: Setting) -> impl IntoView {
    let help = (!setting.help.is_empty()).then_some(setting.help);
    view! {
        {control(setting)}
        {help.map(|help| view! { <p class="note">{help}</p> })}
    }
}

fn control(Setting { name, place, label, control, .. }: Setting) -> AnyView {
    let state: State = expect_context();
    let (id, settings) = (name.replace('_', "-"), state.settings);
    let kept = move || settings.value(place);
    let typed = |kind: &'static str, least: Option<String>, most: Option<String>| {
        view! {
            <label class="field" for=id.clone()>{label}</label>
            <input
                id=id.clone()
                type=kind
                step=(kind == "number").then_some("any")
                min=least
                max=most
                prop:value=move || written(&kept())
                on:input=move |ev| settings.put(place, event_target_value(&ev).into())
            />
        }
        .into_any()
    };
    let bound = |bound: f64| bound.is_finite().then(|| bound.to_string());
    match control {
        Control::Whole { least, most } => {
            typed("number", Some(least.to_string()), (most < u64::MAX).then(|| most.to_string()))
        }
        Control::Number { least, most } => typed("number", bound(least), bound(most)),
        Control::Numbers { .. } | Control::Text => typed("text", None, None),
        Control::Flag => view! {
            <label class="check">
                <input
                    id=id
                    type="checkbox"
                    prop:checked=move || kept() == true
                    on:change=move |ev| settings.put(place, event_target_checked(&ev).into())
                />
                <span>{label}</span>
            </label>
        }
        .into_any(),
        Control::OneOf(of) => {
            let offered: Vec<Offer<Value>> = of.iter().map(offer).collect();
            view! {
                <Select id label offered chosen=Signal::derive(kept) choose=move |value| settings.put(place, value)/>
                {move || explained(&of, &kept()).map(|help| view! { <p class="note">{help}</p> })}
            }
            .into_any()
        }
        Control::SeveralOf { of, .. } => several(name, place, label, of),
        Control::Own | Control::Group(_) => ().into_any(),
    }
}

fn offer(choice: &Choice) -> Offer<Value> {
    (choice.key(), choice.title.clone(), choice.value.clone())
}

fn explained(of: &[Choice], chosen: &Value) -> Option<&'static str> {
    of.iter().find(|choice| choice.value == *chosen).map(|choice| choice.help).filter(|help| !help.is_empty())
}

/// A box for each: short titles side by side, others below each other.
fn several(name: &'static str, place: &'static str, label: &'static str, of: Vec<Choice>) -> AnyView {
    let settings = expect_context::<State>().settings;
    let short = of.iter().all(|choice| choice.title.chars().count() < 3);
    let (list, one) = if short { ("segments", "segment") } else { ("methods", "check") };
    let all: Vec<Value> = of.iter().map(|choice| choice.value.clone()).collect();
    let ticked = move |value: &Value| settings.value(place).as_array().is_some_and(|chosen| chosen.contains(value));
    let boxes = of.into_iter().map(|choice| {
        let (key, shown, all) = (choice.key(), choice.value.clone(), all.clone());
        let change = move |on: bool| {
            let kept = untrack(|| settings.value(place));
            let has = |value: &Value| kept.as_array().is_some_and(|kept| kept.contains(value));
            let chosen = all.iter().filter(|value| if **value == choice.value { on } else { has(value) });
            settings.put(place, chosen.cloned().collect());
        };
        view! {
            <label class=one title=choice.help>
                <input
                    type="checkbox"
                    name=name
                    value=key
                    prop:checked=move || ticked(&shown)
                    on:change=move |ev| change(event_target_checked(&ev))
                />
                <span>{choice.title}</span>
            </label>
        }
    });
    let boxes = boxes.collect_view();
    view! {
        <fieldset class=list>
            <legend>{label}</legend>
            {if short { view! { <div class="segments-row">{boxes}</div> }.into_any() } else { boxes.into_any() }}
        </fieldset>
    }
    .into_any()
}
