//! How much a language could lose: redundancy measured in four ways, and the loss against it.

use std::sync::Arc;

use leptos::prelude::*;

use crate::components::{
    chart::ChartView,
    footnotes::Footnotes,
    lab::{LabShell, asked, counted},
    quantization::Quantization,
    save::SaveChart,
    select::{ShownPart, offers},
    setting::Field,
    table::SortableTable,
    term::Prose,
    texts::Texts,
    threshold::Threshold,
};
use crate::lab::redundancy::{self, Config, Error, Measure, Pick, Report};
use crate::protocol::Kind;

/// The page `#/redundancy`.
pub fn view() -> AnyView {
    let told = |config: &redundancy::Config| {
        let texts = counted(&config.texts);
        format!(
            "{texts}, each read three times: in full precision, at {} bits, and with layers left out.",
            config.quantizer.bits.get()
        )
    };
    let (chosen, hint) = asked(Kind::Redundancy, told);
    let result = |id, report| view! { <ResultView id report/> }.into_any();
    view! {
        <LabShell title="How much could a language lose?" kind=Kind::Redundancy chosen hint result before>
            <Texts/>
            <Quantization/>
            <Threshold note="Outlier layers are left out to see what they add. Where no layer is one, those of the largest κ stand for them."/>
            <LeftOut/>
        </LabShell>
    }
    .into_any()
}

#[component]
fn LeftOut() -> impl IntoView {
    view! {
        <section class="panel" aria-labelledby="left-out-heading">
            <h2 id="left-out-heading">"Information"</h2>
            <Field key=Config::KEYS.top/>
            <Field key=Config::KEYS.baseline/>
        </section>
    }
}

#[component]
fn ResultView(id: u64, report: Arc<Report>) -> impl IntoView {
    let notes = redundancy::footnotes(&report);
    view! {
        <section id="result" class="panel result" data-run=id.to_string() aria-labelledby="result-heading">
            <h2 id="result-heading">"How much a language could lose"</h2>
            <p id="sentence" class="sentence" aria-live="polite">{redundancy::sentence(&report)}</p>
            {relation_view(report.clone())}
            {languages_view(&report)}
            {ratio_view(&report)}
            {spectrum_view(report.clone())}
            <Footnotes notes/>
        </section>
    }
}

/// ε against 1/R with line and bound.
fn relation_view(report: Arc<Report>) -> AnyView {
    let first = Pick { measure: Measure::Information, error: Error::Loss };
    let pick = RwSignal::new(first);
    let of = report.clone();
    let chart = move || {
        let pick = pick.get();
        let chart = redundancy::chart(&of, pick).map(|drawing| {
            let drawing = Arc::new(drawing);
            let stem = format!("{}-{}", redundancy::file_stem(&of), pick.key());
            view! {
                <h3>{drawing.title.clone()}</h3>
                <ChartView id="relation" label="Redundancy and loss of each language" mark="language" drawing=drawing.clone()/>
                <SaveChart id="relation" stem drawing table=redundancy::chart_table(&of, pick)/>
            }
        });
        view! {
            <p id="pick-sentence" class="note">{redundancy::pick_sentence(&of, pick)}</p>
            <p class="note">{redundancy::measure_explained(pick.measure)}</p>
            {chart}
        }
    };
    view! {
        <div class="block">
            <h3>"Does the loss go with 1/R?"</h3>
            <div class="picks">
                <ShownPart id="pick" label="Figures" offered=offers(Pick::all(), Pick::key, Pick::title) shown=pick/>
            </div>
            {chart}
            <SortableTable id="relations" label="Loss against 1/R, every way" table=redundancy::relations_table(&report)/>
        </div>
    }
    .into_any()
}

fn languages_view(report: &Report) -> AnyView {
    view! {
        <div class="block">
            <h3>"Every language"</h3>
            <SortableTable id="table" label="Redundancy and loss of each language" table=redundancy::languages_table(report)/>
        </div>
    }
    .into_any()
}

/// The corollary and the verdicts.
fn ratio_view(report: &Report) -> AnyView {
    view! {
        <div class="block">
            <h3>"Low against high resource"</h3>
            <SortableTable id="ratios" label="Observed and predicted ratios" table=redundancy::ratios_table(report)/>
            <h3>"What this says of the claims"</h3>
            <SortableTable id="verdicts" label="Claims and verdicts" table=redundancy::verdict_table(report)/>
        </div>
    }
    .into_any()
}

/// H_max − H, language by layer.
fn spectrum_view(report: Arc<Report>) -> AnyView {
    let drawing = Arc::new(redundancy::heat(&report));
    let stem = format!("{}-spectrum", redundancy::file_stem(&report));
    view! {
        <div class="block">
            <h3>{drawing.title.clone()}</h3>
            <ChartView id="heat" label="Languages and layers" mark="cell" drawing=drawing.clone()/>
            <SaveChart id="heat" stem drawing table=redundancy::layers_table(&report)/>
        </div>
    }
    .into_any()
}

/// What stands where the result will be.
fn before() -> AnyView {
    view! {
        <p>
            <Prose text="The theory says that a language loses less the more redundant its states are: its error is at most [C/(R + δ)]. They define [R] in four ways, so the page measures all four and says which is which."/>
        </p>
        <p>
            "Each is put against the loss of every language, with the line through the points, the bound, and the languages that lie above it."
        </p>
        <p>"Choose and press Run."</p>
    }
    .into_any()
}
