//! Which languages pay: choose on the left, read on the right.

use leptos::prelude::*;

use crate::components::{
    card::CardPanel,
    lab::{LabShell, asked, counted},
    layers::Layers,
    profile::ProfilePanel,
    quantization::Quantization,
    result::ResultView,
    term::Prose,
    texts::Texts,
};
use crate::lab::languages;
use crate::protocol::Kind;

/// The page `#/`.
pub fn view() -> AnyView {
    let told = |config: &languages::Config| {
        let texts = counted(&config.texts);
        format!("{texts}, each read twice: in full precision and at {} bits.", config.quantizer.bits.get())
    };
    let (chosen, hint) = asked(Kind::Languages, told);
    let result = |id, report| view! { <ResultView id report/> }.into_any();
    view! {
        <LabShell
            title="Which languages pay when a language model is quantized?"
            kind=Kind::Languages
            chosen
            hint
            result
            before
            below
        >
            <Texts/>
            <Quantization/>
        </LabShell>
    }
    .into_any()
}

/// About the model, with or without a result.
fn below() -> AnyView {
    view! {
        <ProfilePanel/>
        <Layers/>
        <CardPanel/>
    }
    .into_any()
}

/// What stands where the result will be.
fn before() -> AnyView {
    view! {
        <p>
            <Prose text="A language model stores what it learned as millions of numbers, its weights. [Quantization] rounds each of them to a few bits, which makes the model several times smaller. The price is accuracy, and it need not be the same in every language."/>
        </p>
        <ol class="steps">
            <li>"A small model streams into this page and runs here."</li>
            <li>"The same texts, in every language you choose, are read twice: with full weights and with rounded ones."</li>
            <li><Prose text="For each language the page shows by how much its [perplexity] rose: [D] = 0.10 means 10% higher. Each figure comes with its [95% interval]."/></li>
        </ol>
        <p>"Choose and press Run."</p>
    }
    .into_any()
}
