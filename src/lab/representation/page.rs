//! What happens to hidden states: how far they move, whether translations find each other, and what probes read off.

use std::sync::Arc;

use leptos::prelude::*;

use crate::components::{
    chart::ChartView,
    footnotes::Footnotes,
    lab::{LabShell, asked, counted},
    quantization::Quantization,
    reference::ReferenceField,
    save::SaveChart,
    select::{ShownPart, offers, places},
    table::SortableTable,
    term::Prose,
    texts::Texts,
};
use crate::lab::representation::{self, Report, Shade};
use crate::protocol::Kind;

/// The page `#/representation`.
pub fn view() -> AnyView {
    let told = |config: &representation::Config| {
        let texts = counted(&config.texts);
        format!(
            "{texts}, each read in full precision and at {} bits, with all hidden states of both.",
            config.quantizer.bits.get()
        )
    };
    let (chosen, hint) = asked(Kind::Representation, told);
    let result = |id, report| view! { <ResultView id report/> }.into_any();
    view! {
        <LabShell title="What happens inside?" kind=Kind::Representation chosen hint result before>
            <Texts/>
            <Quantization/>
            <section class="panel" aria-labelledby="alignment-heading">
                <h2 id="alignment-heading">"Alignment"</h2>
                <ReferenceField label="Language whose articles the others are to find"/>
            </section>
        </LabShell>
    }
    .into_any()
}

#[component]
fn ResultView(id: u64, report: Arc<Report>) -> impl IntoView {
    let notes = representation::footnotes(&report);
    view! {
        <section id="result" class="panel result" data-run=id.to_string() aria-labelledby="result-heading">
            <h2 id="result-heading">"What happens inside"</h2>
            <p id="sentence" class="sentence" aria-live="polite">{representation::sentence(&report)}</p>
            {map_view(report.clone())}
            {probes_view(report.clone())}
            {entropy_view(report.clone())}
            <div class="block">
                <h3>"What this says of the claims"</h3>
                <SortableTable id="verdicts" label="Claims and verdicts" table=representation::verdict_table(&report)/>
            </div>
            <Footnotes notes/>
        </section>
    }
}

/// Language × layer and lines over layers, of one measure; and each language.
fn map_view(report: Arc<Report>) -> AnyView {
    let first = Shade::ALL[0];
    let shade = RwSignal::new(first);
    let of = report.clone();
    let charts = move || {
        let (map, lines) =
            (Arc::new(representation::heat(&of, shade.get())), Arc::new(representation::lines(&of, shade.get())));
        let stem = format!("{}-{}", representation::file_stem(&of), shade.get().key());
        view! {
            <h3>{map.title.clone()}</h3>
            <ChartView id="heat" label="Languages and layers" mark="cell" drawing=map.clone()/>
            <SaveChart id="heat" stem=stem.clone() drawing=map table=representation::heat_table(&of)/>
            <h3>{lines.title.clone()}</h3>
            <ChartView id="lines" label="Languages over the layers" mark="layer" drawing=lines.clone()/>
            <SaveChart id="lines" stem=format!("{stem}-lines") drawing=lines table=representation::heat_table(&of)/>
        }
    };
    view! {
        <div class="block">
            <div class="picks">
                <ShownPart id="shade" label="Measure" offered=offers(Shade::ALL, Shade::key, Shade::title) shown=shade/>
            </div>
            {charts}
            <SortableTable id="table" label="How far each language moves and what it loses" table=representation::languages_table(&report)/>
        </div>
    }
    .into_any()
}

/// Accuracy of probes over the layers.
fn probes_view(report: Arc<Report>) -> AnyView {
    if report.probes.is_empty() {
        return view! { <p class="note">"These texts leave nothing to ask a probe: it takes two languages, and two articles of each."</p> }.into_any();
    }
    let asked = RwSignal::new(0usize);
    let of = report.clone();
    let chart = move || {
        let probe = of.probes.get(asked.get()).or(of.probes.first())?;
        let drawing = Arc::new(representation::probes_chart(&of, probe));
        let stem = format!("{}-probe-{}", representation::file_stem(&of), representation::question_key(probe.question));
        Some(view! {
            <h3>{drawing.title.clone()}</h3>
            <ChartView id="probes" label="Right answers over the layers" mark="layer" drawing=drawing.clone()/>
            <SaveChart id="probes" stem drawing table=representation::probes_table(&of)/>
        })
    };
    let questions: Vec<&'static str> =
        report.probes.iter().map(|probe| representation::question(probe.question)).collect();
    view! {
        <div class="block">
            <h3>"What can still be read off?"</h3>
            <div class="picks">
                <ShownPart id="question" label="Question" offered=places(questions) shown=asked/>
            </div>
            {chart}
        </div>
    }
    .into_any()
}

/// Whether middle layers compress.
fn entropy_view(report: Arc<Report>) -> AnyView {
    let chart = representation::entropy_chart(&report).map(|drawing| {
        let drawing = Arc::new(drawing);
        let stem = format!("{}-entropy", representation::file_stem(&report));
        view! {
            <div class="block">
                <h3>{drawing.title.clone()}</h3>
                <ChartView id="entropy" label="Entropy over the layers" mark="layer" drawing=drawing.clone()/>
                <SaveChart id="entropy" stem drawing table=representation::entropy_table(&report)/>
            </div>
        }
    });
    view! { {chart} }.into_any()
}

/// What stands where the result will be.
fn before() -> AnyView {
    view! {
        <p>
            <Prose text="A loss says that a model got worse, not where. The page reads every text in full precision and quantized, and compares the hidden states after each layer: how far they move ([CKA], [Wasserstein] distance), and whether they still say the same."/>
        </p>
        <p>
            "The articles are translations of each other, so the page also asks whether an article still lies nearest to its own translation, and what a linear probe can still read off: language, script, article."
        </p>
        <p>"Choose and press Run."</p>
    }
    .into_any()
}
