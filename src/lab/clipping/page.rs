//! Where the grid should end: MSE(α) with every rule, the fit of f(κ, B), and Theorem 2's threshold per language.

use std::sync::Arc;

use leptos::prelude::*;

use crate::components::{
    chart::ChartView,
    footnotes::Footnotes,
    lab::{LabShell, asked},
    quantization::BitsField,
    reference::ReferenceField,
    save::SaveChart,
    scopes::ScopeSelect,
    select::{ShownPart, offers, or_none},
    setting::Field,
    table::SortableTable,
    term::Prose,
    texts::Texts,
};
use crate::lab::clipping::{self, Config, Report};
use crate::protocol::Kind;
use crate::report::scope::Scope;
use crate::report::{Part, format, labels};

/// The page `#/clipping`.
pub fn view() -> AnyView {
    let told = |config: &clipping::Config| match (config.texts.languages.len(), config.losses) {
        (0, _) => "The weights alone: no text is read.".to_string(),
        (languages, losses) => {
            let texts = format::counted((languages * config.texts.units) as u64, "text");
            let times =
                if losses { "then once more for each of five rules" } else { "to see what each channel carries" };
            format!("{texts}, read once in full precision, {times}.")
        }
    };
    let (chosen, hint) = asked(Kind::Clipping, told);
    let result = |id, report| view! { <ResultView id report/> }.into_any();
    view! {
        <LabShell title="Where should the grid end?" kind=Kind::Clipping chosen hint result before>
            <section class="panel" aria-labelledby="grid-heading">
                <h2 id="grid-heading">"Grid"</h2>
                <BitsField/>
            </section>
            <Texts/>
            <Comparison/>
        </LabShell>
    }
    .into_any()
}

#[component]
fn Comparison() -> impl IntoView {
    view! {
        <section class="panel" aria-labelledby="comparison-heading">
            <h2 id="comparison-heading">"Comparison"</h2>
            <ReferenceField label="Language whose threshold is tried on all others"/>
            <Field key=Config::KEYS.losses/>
        </section>
    }
}

#[component]
fn ResultView(id: u64, report: Arc<Report>) -> impl IntoView {
    let scope = RwSignal::new(Scope::Model);
    let matrices: Vec<_> = report.tensors.iter().map(|tensor| (tensor.layer, tensor.part)).collect();
    let notes = clipping::footnotes(&report);
    let (fit, languages) =
        (fit_view(&report).into_any(), (!report.languages.is_empty()).then(|| languages_view(report.clone())));
    let report = StoredValue::new(report);
    let curve = move || {
        let scope = scope.get();
        report.with_value(|report| {
            let drawing = Arc::new(clipping::chart(report, scope));
            let stem = format!("{}-{}", clipping::file_stem(report), scope.key());
            view! {
                <p class="note">{clipping::sentence(report, scope)}</p>
                <h3>{drawing.title.clone()}</h3>
                <ChartView id="curve" label="Error by clipping threshold" mark="place" drawing=drawing.clone()/>
                <SortableTable id="rules" label="What each rule costs" table=clipping::rules_table(report, scope)/>
                <SaveChart id="curve" stem drawing table=clipping::curve_table(report, scope)/>
            }
        })
    };
    view! {
        <section id="result" class="panel result" data-run=id.to_string() aria-labelledby="result-heading">
            <h2 id="result-heading">"Where the grid should end"</h2>
            <p id="sentence" class="sentence" aria-live="polite">
                {report.with_value(|report| clipping::sentence(report, Scope::Model))}
            </p>
            <div class="block">
                <div class="picks"><ScopeSelect id="scope" matrices whole=true scope/></div>
                {curve}
            </div>
            {languages}
            {fit}
            <Footnotes notes/>
        </section>
    }
}

/// Theorem 2: the map of α*/σ, the two definitions side by side, and D under every rule where it was measured.
fn languages_view(report: Arc<Report>) -> impl IntoView {
    let part = RwSignal::new(None::<Part>);
    let of = report.clone();
    let map = move || {
        let (part, report) = (part.get(), &of);
        let drawing = Arc::new(clipping::heat(report, part));
        let stem = format!("{}-languages-{}", clipping::file_stem(report), part.map_or("layers", labels::part_key));
        view! {
            <h3>{drawing.title.clone()}</h3>
            <ChartView id="heat" label="Languages and layers" mark="cell" drawing=drawing.clone()/>
            <SaveChart id="heat" stem drawing table=clipping::effective_table(report)/>
        }
    };
    let has = |part: &Part| report.tensors.iter().any(|tensor| tensor.part == *part);
    let parts = offers(Part::ALL.into_iter().filter(has), labels::part_key, labels::part);
    let parts = or_none("all", "mean over all", parts);
    let losses = clipping::losses_table(&report).map(|table| {
        view! {
            <h3>"D(λ) under each rule"</h3>
            <SortableTable id="losses-table" label="D of each language under each rule" table/>
        }
    });
    view! {
        <div class="block">
            <h3>"A threshold per language (Theorem 2)"</h3>
            <p id="languages-sentence" class="note">{clipping::languages_sentence(&report)}</p>
            <p class="note">
                "Effective weights are W ⊙ a: each weight times a, the mean absolute input of its input channel for that language, scaled to [0, 1] by the matrix's busiest channel."
            </p>
            <div class="picks">
                <ShownPart id="part" label="Matrices" offered=parts shown=part/>
            </div>
            {map}
            <SortableTable id="table" label="Both definitions for each language" table=clipping::languages_table(&report)/>
            {clipping::wrong_threshold_sentence(&report).map(|told| view! { <p id="wrong-sentence" class="note">{told}</p> })}
            {losses}
        </div>
    }
}

/// f(κ, B) fitted to the model's own matrices.
fn fit_view(report: &Report) -> impl IntoView + use<> {
    let chart = clipping::fit_chart(report).map(|drawing| {
        let (drawing, stem) = (Arc::new(drawing), format!("{}-fit", clipping::file_stem(report)));
        view! {
            <ChartView id="fit" label="Best threshold by kurtosis" mark="matrix" drawing=drawing.clone()/>
            <SaveChart id="fit" stem drawing table=clipping::fit_table(report)/>
        }
    });
    view! {
        <div class="block">
            <h3>"Does the best threshold follow f(κ, B) = c + d·ln(1 + κ)?"</h3>
            <p id="fit-sentence" class="note">{clipping::fit_sentence(report)}</p>
            {chart}
        </div>
    }
}

/// What stands where the result will be.
fn before() -> AnyView {
    view! {
        <p>
            <Prose text="A grid of a few values from −α to [α] replaces the weights. A small α cuts large weights off ([clipping error]); a large α makes the steps coarse ([rounding error]). The page measures both on the real weights and marks where each rule puts α."/>
        </p>
        <p>
            <Prose text="Theorem 2 says that the best [α*] depends on the language, because languages use the weights differently. The page works it out for each language you choose, and what it costs to take one language's threshold for all."/>
        </p>
        <p>"Choose and press Run."</p>
    }
    .into_any()
}
