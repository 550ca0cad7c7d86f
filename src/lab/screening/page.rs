//! Whether to expect disparity: document 004's conditions, checklist and decision rule for the loaded model, and models side by side.

use std::sync::Arc;

use leptos::prelude::*;

use crate::components::{
    chart::ChartView,
    footnotes::Footnotes,
    lab::{LabShell, asked, sees_layers},
    quantization::Quantization,
    save::SaveChart,
    screened::ModelsPanel,
    setting::Field,
    table::SortableTable,
    term::Prose,
    texts::Texts,
};
use crate::lab::screening::{self, Advice, Config, Report};
use crate::protocol::Kind;

/// The page `#/screening`.
pub fn view() -> AnyView {
    let told = |config: &screening::Config| sees_layers(&config.texts, config.quantizer.bits);
    let (chosen, hint) = asked(Kind::Screening, told);
    let result = |id, report| view! { <ResultView id report/> }.into_any();
    let below = || view! { <ModelsPanel/> }.into_any();
    view! {
        <LabShell title="Is disparity to be expected?" kind=Kind::Screening chosen hint result before below>
            <Bounds/>
            <Quantization/>
            <Texts/>
        </LabShell>
    }
    .into_any()
}

/// `#light`, `#heavy`, `#variance` and `#safe`.
#[component]
fn Bounds() -> impl IntoView {
    view! {
        <section class="panel" aria-labelledby="bounds-heading">
            <h2 id="bounds-heading">"Bounds"</h2>
            <Field key=Config::KEYS.light/>
            <Field key=Config::KEYS.heavy/>
            <Field key=Config::KEYS.variance/>
            <Field key=Config::KEYS.safe/>
            <p class="note">"5, 50 and 0.001 are document 004's. It gives no figure for B_safe."</p>
        </section>
    }
}

#[component]
fn ResultView(id: u64, report: Arc<Report>) -> impl IntoView {
    let notes = screening::footnotes(&report);
    let list = screening::checklist(&report).into_iter().map(|(caution, item)| {
        let (word, shown) = match caution {
            Some(true) => ("caution", "Caution. "),
            Some(false) => ("fine", ""),
            None => ("done", ""),
        };
        view! { <li data-state=word><strong>{shown}</strong>{item}</li> }
    });
    let kurtosis = Arc::new(screening::kurtosis_chart(&report));
    let layers = screening::layers_table(&report);
    let stem = screening::file_stem(&report);
    let languages = screening::languages_table(&report);
    let scatter = screening::scatter(&report).map(|drawing| {
        let (drawing, stem) = (Arc::new(drawing), format!("{stem}-scatter"));
        view! {
            <h3>{drawing.title.clone()}</h3>
            <ChartView id="scatter" label="Use of outlier layers and loss of each language" mark="language" drawing=drawing.clone()/>
            <SaveChart id="scatter" stem drawing table=languages.clone()/>
        }
    });
    view! {
        <section id="result" class="panel result" data-run=id.to_string() aria-labelledby="result-heading">
            <h2 id="result-heading">"Is disparity to be expected?"</h2>
            <p id="sentence" class="sentence" aria-live="polite">{screening::sentence(&report)}</p>
            <p id="branch" class=if screening::decided(&report) == Advice::Standard { "proof" } else { "caution" }>
                {screening::branch(&report)}
            </p>
            <div class="block">
                <h3>"The theory's checklist"</h3>
                <ol id="checklist" class="steps">{list.collect_view()}</ol>
            </div>
            <div class="block">
                <h3>"Conditions and claims"</h3>
                <SortableTable id="verdicts" label="Conditions, claims and verdicts" table=screening::verdict_table(&report)/>
            </div>
            <div class="block">
                <h3>{kurtosis.title.clone()}</h3>
                <ChartView id="kurtosis" label="κ of every layer" mark="layer" drawing=kurtosis.clone()/>
                <SaveChart id="kurtosis" stem=format!("{stem}-kurtosis") drawing=kurtosis table=layers.clone()/>
                <SortableTable id="layers-table" label="κ of every layer" table=layers most=Some(12)/>
            </div>
            <div class="block">
                {scatter}
                <SortableTable id="table" label="Use and loss of each language" table=languages/>
            </div>
            <Footnotes notes/>
        </section>
    }
}

/// What stands where the result will be.
fn before() -> AnyView {
    view! {
        <p>
            <Prose text="Document 004 says that quantization treats languages differently only where three conditions meet: some layers have heavy tails (a large [κ]), languages use these layers to different degrees, and the weights get few bits. It gives a checklist for new models and a rule for what to do."/>
        </p>
        <p>
            "The page goes through that list for the model you loaded, with bounds you can move, says which branch of the rule applies, and then measures whether what the seed expects is what happens."
        </p>
        <p>
            "Every model that you screen is added to a table below, with its design and its figures, so that models can be compared. The table stays in this browser."
        </p>
        <p>"Choose and press Run."</p>
    }
    .into_any()
}
