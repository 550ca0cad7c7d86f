//! What each token pays: one text in every language, token by token.

use std::sync::Arc;

use leptos::prelude::*;

use crate::components::{
    footnotes::Footnotes,
    lab::{LabShell, asked},
    quantization::Rounding,
    table::SortableTable,
    texts::Texts,
    tokens::TokensView,
};
use crate::lab::tokens::{self, Report};
use crate::protocol::Kind;
use crate::report::format;

/// The page `#/tokens`.
pub fn view() -> AnyView {
    let told = |config: &tokens::Config| {
        let languages = format::counted(config.languages.len() as u64, "language");
        format!("One text in {languages}, read twice: in full precision and at {} bits.", config.quantizer.bits.get())
    };
    let (chosen, hint) = asked(Kind::Tokens, told);
    let result = |id, report| view! { <ResultView id report/> }.into_any();
    view! {
        <LabShell title="What does each token pay?" kind=Kind::Tokens chosen hint result before>
            <Texts one=true/>
            <Rounding/>
        </LabShell>
    }
    .into_any()
}

#[component]
fn ResultView(id: u64, report: Arc<Report>) -> impl IntoView {
    let (notes, table) = (tokens::footnotes(&report), tokens::table(&report));
    view! {
        <section id="result" class="panel result" data-run=id.to_string() aria-labelledby="result-heading">
            <h2 id="result-heading">{tokens::title(&report)}</h2>
            <p id="sentence" class="sentence" aria-live="polite">{tokens::sentence(&report)}</p>
            <TokensView report/>
            <SortableTable id="table" label="What the text lost in each language" table/>
            <Footnotes notes/>
        </section>
    }
}

/// What stands where the result will be.
fn before() -> AnyView {
    view! {
        <p>
            "A language model reads a text as tokens: words, parts of words, in some scripts parts of a letter. Before each token it gives every possible token a probability; the less it gave the one that came, the larger the loss."
        </p>
        <p>
            "This page shows one text in every language you choose, cut into tokens as the model cuts it, and colours each token by what rounding the weights added to its loss, in bits, or took from it. Parallel texts say the same thing, so they can be compared."
        </p>
        <p>"Choose a text and press Run."</p>
    }
    .into_any()
}
