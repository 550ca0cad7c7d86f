//! Several bit-widths and several clipping rules at once.

use std::collections::BTreeSet;

use leptos::prelude::*;

use crate::choices::Choices;
use crate::report::{Bits, Rule, words};
use crate::state::State;

/// Where a page keeps its widths and rules.
pub type Read = fn(&Choices) -> (&BTreeSet<Bits>, &Vec<Rule>);
/// The same, to change them.
pub type Write = fn(&mut Choices) -> (&mut BTreeSet<Bits>, &mut Vec<Rule>);

/// `input[name=bits]` and `input[name=rules]`.
#[component]
pub fn WidthsAndRules(
    /// To show them.
    read: Read,
    /// To change them.
    write: Write,
) -> impl IntoView {
    let state: State = expect_context();
    view! {
        <fieldset class="segments">
            <legend>"Bits per weight, one or more"</legend>
            <div class="segments-row">
                {Bits::ALL.into_iter().map(|bits| view! {
                    <label class="segment">
                        <input
                            type="checkbox"
                            name="bits"
                            value=bits.get().to_string()
                            prop:checked=move || state.choices.with(|choices| read(choices).0.contains(&bits))
                            on:change=move |ev| state.choices.update(|choices| {
                                let own = write(choices).0;
                                if event_target_checked(&ev) { own.insert(bits); } else { own.remove(&bits); }
                            })
                        />
                        <span>{bits.get()}</span>
                    </label>
                }).collect_view()}
            </div>
        </fieldset>
        <fieldset class="methods">
            <legend>"Where the grid ends (clipping rules)"</legend>
            {words::RULES.into_iter().map(|rule| view! {
                <label class="check" title=words::rule_explained(rule)>
                    <input
                        type="checkbox"
                        name="rules"
                        value=words::rule_key(rule)
                        prop:checked=move || state.choices.with(|choices| read(choices).1.contains(&rule))
                        on:change=move |ev| state.choices.update(|choices| {
                            let own = write(choices).1;
                            own.retain(|other| *other != rule);
                            if event_target_checked(&ev) { own.push(rule); }
                        })
                    />
                    <span>{words::rule(rule)}</span>
                </label>
            }).collect_view()}
        </fieldset>
    }
}
