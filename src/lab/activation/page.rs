//! Who uses which layers: the map of activations, and each pair of figures that the theory relates.

use std::sync::Arc;

use leptos::prelude::*;

use crate::components::{
    chart::ChartView,
    footnotes::Footnotes,
    lab::{LabShell, asked, sees_layers},
    quantization::Quantization,
    save::SaveChart,
    select::{ShownPart, offers},
    table::SortableTable,
    term::Prose,
    texts::Texts,
    threshold::Threshold,
};
use crate::lab::activation::{self, Pair, Report, Shade};
use crate::protocol::Kind;

/// The page `#/activation`.
pub fn view() -> AnyView {
    let told = |config: &activation::Config| sees_layers(&config.texts, config.quantizer.bits);
    let (chosen, hint) = asked(Kind::Activation, told);
    let result = |id, report| view! { <ResultView id report/> }.into_any();
    view! {
        <LabShell title="Which languages use which layers?" kind=Kind::Activation chosen hint result before>
            <Texts/>
            <Quantization/>
            <Threshold note="R̂ is the share of a language's activation in outlier layers. The theory calls layers with κ above 50 heavy-tailed and those below 5 light-tailed."/>
        </LabShell>
    }
    .into_any()
}

#[component]
fn ResultView(id: u64, report: Arc<Report>) -> impl IntoView {
    let notes = activation::footnotes(&report);
    view! {
        <section id="result" class="panel result" data-run=id.to_string() aria-labelledby="result-heading">
            <h2 id="result-heading">"Who uses which layers"</h2>
            <p id="sentence" class="sentence" aria-live="polite">{activation::sentence(&report)}</p>
            {map_view(report.clone())}
            {pairs_view(report.clone())}
            {layers_view(&report)}
            <Footnotes notes/>
        </section>
    }
}

/// Language × layer, and the figures of each language.
fn map_view(report: Arc<Report>) -> impl IntoView {
    let shade = RwSignal::new(Shade::Share);
    let of = report.clone();
    let map = move || {
        let drawing = Arc::new(activation::heat(&of, shade.get()));
        let stem = format!("{}-{}", activation::file_stem(&of), shade.get().key());
        view! {
            <h3>{drawing.title.clone()}</h3>
            <ChartView id="heat" label="Languages and layers" mark="cell" drawing=drawing.clone()/>
            <SaveChart id="heat" stem drawing table=activation::heat_table(&of)/>
        }
    };
    view! {
        <div class="block">
            <div class="picks">
                <ShownPart id="shade" label="Shade" offered=offers(Shade::ALL, Shade::key, Shade::title) shown=shade/>
            </div>
            {map}
            <SortableTable id="table" label="Usage and loss of each language" table=activation::languages_table(&report)/>
        </div>
    }
}

/// The scatter of a pair, and all correlations.
fn pairs_view(report: Arc<Report>) -> impl IntoView {
    let pair = RwSignal::new(Pair::KurtosisLoss);
    let of = report.clone();
    let scatter = move || {
        let pair = pair.get();
        let chart = activation::scatter(&of, pair).map(|drawing| {
            let drawing = Arc::new(drawing);
            let stem = format!("{}-{}", activation::file_stem(&of), activation::pair_key(pair));
            view! {
                <h3>{drawing.title.clone()}</h3>
                <ChartView id="scatter" label="Two figures of each language" mark="language" drawing=drawing.clone()/>
                <SaveChart id="scatter" stem drawing table=activation::scatter_table(&of, pair)/>
            }
        });
        view! {
            <p id="pair-sentence" class="note">{activation::correlation_sentence(&of, pair)}</p>
            {chart}
        }
    };
    view! {
        <div class="block">
            <h3>"Does usage go with loss?"</h3>
            <div class="picks">
                <ShownPart id="pair" label="Figures" offered=offers(Pair::ALL, activation::pair_key, activation::pair_title) shown=pair/>
            </div>
            {scatter}
            <SortableTable id="correlations" label="Every pair of figures" table=activation::correlations_table(&report)/>
            {activation::bounds(&report).map(|bounds| view! { <p id="bounds" class="note">{bounds}</p> })}
        </div>
    }
}

/// What each layer says.
fn layers_view(report: &Report) -> impl IntoView + use<> {
    view! {
        <div class="block">
            <h3>"Layer by layer"</h3>
            <SortableTable id="layers-table" label="Each layer's kurtosis, its variance over languages and its r with the loss" table=activation::layers_table(report)/>
        </div>
    }
}

/// What stands where the result will be.
fn before() -> AnyView {
    view! {
        <p>
            <Prose text="Every layer of the model adds to what it knows of a text, and languages need not lean on the same layers. The page measures how large the hidden states are after each layer, [a_ℓ], for each language, and which share of the whole each layer has, [ā_ℓ]."/>
        </p>
        <p>
            <Prose text="The theory says that languages which lean less on heavy-tailed layers lose more when the model is quantized. The page puts both figures of every language side by side, with [r] and [ρ], their intervals, and the chance that a shuffle would show as much."/>
        </p>
        <p>"Choose and press Run."</p>
    }
    .into_any()
}
