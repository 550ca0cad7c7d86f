//! One of several: a select under its label.

use std::iter;

use leptos::prelude::*;

use crate::report::Bits;

/// What can be chosen: how the page's elements call it, how a reader does, and itself.
pub type Offer<T> = (String, String, T);

/// The offers of these, by the functions that name them.
pub fn offers<T: Copy, Key: Into<String>, Title: Into<String>>(
    all: impl IntoIterator<Item = T>,
    key: impl Fn(T) -> Key,
    title: impl Fn(T) -> Title,
) -> Vec<Offer<T>> {
    all.into_iter().map(|own| (key(own).into(), title(own).into(), own)).collect()
}

/// The offers of a list that names each.
pub fn named<T>(all: impl IntoIterator<Item = (T, &'static str, &'static str)>) -> Vec<Offer<T>> {
    all.into_iter().map(|(own, key, title)| (key.into(), title.into(), own)).collect()
}

/// The offers of these by their places.
pub fn numbered<T: Copy, Title: Into<String>>(
    all: impl IntoIterator<Item = T>,
    title: impl Fn(T) -> Title,
) -> Vec<Offer<T>> {
    all.into_iter().enumerate().map(|(at, own)| (at.to_string(), title(own).into(), own)).collect()
}

/// Places in a list of titles.
pub fn places(titles: impl IntoIterator<Item = impl Into<String>>) -> Vec<Offer<usize>> {
    titles.into_iter().enumerate().map(|(at, title)| (at.to_string(), title.into(), at)).collect()
}

/// One of the offers, or none of them, which comes first.
pub fn or_none<T>(key: &str, title: &str, offers: Vec<Offer<T>>) -> Vec<Offer<Option<T>>> {
    let none = (key.to_string(), title.to_string(), None);
    iter::once(none).chain(offers.into_iter().map(|(key, title, own)| (key, title, Some(own)))).collect()
}

/// Bit-widths.
pub fn of_widths(all: impl IntoIterator<Item = Bits>) -> Vec<Offer<Bits>> {
    offers(all, |own| own.get().to_string(), |own| own.get().to_string())
}

/// A label and its select.
#[component]
pub fn Select<T>(
    /// Of the select.
    #[prop(into)]
    id: String,
    /// What is chosen here.
    label: &'static str,
    /// What can be chosen.
    #[prop(into)]
    offered: Signal<Vec<Offer<T>>>,
    /// What is chosen now.
    #[prop(into)]
    chosen: Signal<T>,
    /// Takes what the person chooses.
    choose: impl Fn(T) + 'static,
) -> impl IntoView
where
    T: Clone + PartialEq + Send + Sync + 'static,
{
    let change = move |ev| {
        let value = event_target_value(&ev);
        let found =
            offered.with_untracked(|all| all.iter().find(|(key, ..)| *key == value).map(|(.., own)| own.clone()));
        if let Some(own) = found {
            choose(own);
        }
    };
    let options = move || {
        let option = |(key, title, own): Offer<T>| {
            view! { <option value=key prop:selected=move || chosen.with(|chosen| *chosen == own)>{title}</option> }
        };
        offered.get().into_iter().map(option).collect_view()
    };
    view! {
        <label class="field" for=id.clone()>{label}</label>
        <select id=id on:change=change>{options}</select>
    }
}

/// A select above a result: which part of it is shown.
#[component]
pub fn ShownPart<T>(
    /// Of the select.
    id: &'static str,
    /// What is chosen here.
    label: &'static str,
    /// What can be shown.
    offered: Vec<Offer<T>>,
    /// What is.
    shown: RwSignal<T>,
) -> impl IntoView
where
    T: Clone + PartialEq + Send + Sync + 'static,
{
    view! { <div><Select id label offered chosen=shown choose=move |own| shown.set(own)/></div> }
}
