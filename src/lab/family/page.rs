//! What data and tokenizer do: four models that differ in nothing else.

use std::sync::Arc;

use leptos::prelude::*;

use crate::components::{
    chart::ChartView,
    footnotes::Footnotes,
    lab::{LabShell, asked, counted},
    quantization::Quantization,
    save::SaveChart,
    select::{Select, ShownPart, offers},
    table::SortableTable,
    term::Prose,
    texts::Texts,
};
use crate::lab::family::{self, Config, Factor, NAMES, Report};
use crate::protocol::Kind;
use crate::state::State;

/// The page `#/family`.
pub fn view() -> AnyView {
    let told = |config: &family::Config| {
        let texts = counted(&config.texts);
        format!("{texts}, each read twice by each of four models, which are fetched one after another.")
    };
    let (chosen, hint) = asked(Kind::Family, told);
    let result = |id, report| view! { <ResultView id report/> }.into_any();
    view! {
        <LabShell title="What do training data and tokenizer do?" kind=Kind::Family chosen hint result before>
            <Models/>
            <Texts/>
            <Quantization/>
        </LabShell>
    }
    .into_any()
}

/// Which models of the site are compared.
#[component]
fn Models() -> impl IntoView {
    let state: State = expect_context();
    let offered = move || {
        let names = state.catalog.with(|catalog| {
            catalog.iter().flat_map(|catalog| catalog.models.iter().map(|card| card.name.clone())).collect::<Vec<_>>()
        });
        let chosen = state.settings.get(Config::KEYS.models);
        let missing: Vec<String> = chosen.into_iter().filter(|name| !names.contains(name)).collect();
        [names, missing].concat()
    };
    let select = move |at: usize| {
        let own = move || offered().into_iter().map(|name| (name.clone(), name.clone(), name)).collect::<Vec<_>>();
        let chosen = Signal::derive(move || state.settings.get(Config::KEYS.models)[at].clone());
        let choose = move |name| state.settings.update(Config::KEYS.models, |models| models[at] = name);
        view! { <Select id=format!("family-{at}") label=NAMES[at] offered=Signal::derive(own) chosen choose/> }
    };
    view! {
        <section class="panel" aria-labelledby="family-heading">
            <h2 id="family-heading">"Four models of this site"</h2>
            {(0..NAMES.len()).map(select).collect_view()}
        </section>
    }
}

#[component]
fn ResultView(id: u64, report: Arc<Report>) -> impl IntoView {
    let notes = family::footnotes(&report);
    view! {
        <section id="result" class="panel result" data-run=id.to_string() aria-labelledby="result-heading">
            <h2 id="result-heading">"What data and tokenizer do"</h2>
            <p id="sentence" class="sentence" aria-live="polite">{family::sentence(&report)}</p>
            {effects_view(report.clone()).into_any()}
            {fit_view(&report).into_any()}
            <div class="block">
                <h3>"Over all languages"</h3>
                <SortableTable id="over-all" label="Means and disparity under each model" table=family::over_all_table(&report)/>
            </div>
            <div class="block">
                <h3>"What this says of the claims"</h3>
                <SortableTable id="verdicts" label="Claims and verdicts" table=family::verdict_table(&report)/>
            </div>
            <Footnotes notes/>
        </section>
    }
}

fn effects_view(report: Arc<Report>) -> impl IntoView {
    let factor = RwSignal::new(Factor::Tokenizer);
    let of = report.clone();
    let chart = move || {
        let factor = factor.get();
        let drawing = Arc::new(family::effects_chart(&of, factor));
        let stem = format!("{}-{}", family::file_stem(&of), factor.key());
        view! {
            <h3>{drawing.title.clone()}</h3>
            <ChartView id="effects" label="Effect on each language" mark="language" drawing=drawing.clone()/>
            <SaveChart id="effects" stem drawing table=family::table(&of)/>
        }
    };
    view! {
        <div class="block">
            <div class="picks">
                <ShownPart id="factor" label="Effect of" offered=offers(Factor::ALL, Factor::key, Factor::title) shown=factor/>
            </div>
            {chart}
            <SortableTable id="table" label="Every language under each model" table=family::table(&report)/>
        </div>
    }
}

fn fit_view(report: &Report) -> impl IntoView + use<> {
    let chart = family::fit_chart(report).map(|drawing| {
        let drawing = Arc::new(drawing);
        let stem = format!("{}-tokens", family::file_stem(report));
        view! {
            <h3>{drawing.title.clone()}</h3>
            <ChartView id="fit" label="Tokens and loss of each language" mark="language" drawing=drawing.clone()/>
            <SaveChart id="fit" stem drawing table=family::table(report)/>
        }
    });
    view! {
        <div class="block">
            {chart}
            <p id="fit-sentence" class="note">{family::fit_sentence(report)}</p>
        </div>
    }
}

/// What stands where the result will be.
fn before() -> AnyView {
    view! {
        <p>
            "Languages that a model saw little of also fare worse with its tokenizer, so from one model nobody can tell which of the two costs them. This page compares four models that were trained alike, but for the mix of languages in their text and in their tokenizer's."
        </p>
        <p>
            <Prose text="Each model is fetched in turn and quantized. For every language the page shows what balanced data adds to its loss [D], what a balanced tokenizer adds, and whether the two do more together than each alone."/>
        </p>
        <p>"Choose and press Run. The model at the top is put back afterwards."</p>
    }
    .into_any()
}
