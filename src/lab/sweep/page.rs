//! What each bit buys: D(λ), the weights' error and disparity against the width, slopes, B* and the verdicts.

use std::sync::Arc;

use leptos::prelude::*;

use crate::components::{
    chart::ChartView,
    footnotes::Footnotes,
    lab::{LabShell, asked, counted},
    quantization::Resampling,
    save::SaveChart,
    select::{ShownPart, offers},
    setting::Field,
    table::SortableTable,
    term::Prose,
    texts::Texts,
};
use crate::lab::sweep::{self, Report};
use crate::protocol::Kind;
use crate::report::chart::Drawing;
use crate::report::table::Table;
use crate::report::{Rule, format, labels};
use crate::state::State;

/// The page `#/bits`.
pub fn view() -> AnyView {
    let (chosen, hint) = asked(Kind::Sweep, told);
    let result = |id, report| view! { <ResultView id report/> }.into_any();
    view! {
        <LabShell title="What does each bit buy?" kind=Kind::Sweep chosen hint result before>
            <section class="panel" aria-labelledby="rounding-heading">
                <h2 id="rounding-heading">"Quantization"</h2>
                <Field key=sweep::Config::KEYS.bits/>
                <Field key=sweep::Config::KEYS.rules/>
                <Field key=sweep::Config::KEYS.granularity/>
                <details class="more">
                    <summary>"More"</summary>
                    <Resampling/>
                </details>
            </section>
            <Texts/>
        </LabShell>
    }
    .into_any()
}

/// What a run will do.
fn told(config: &sweep::Config) -> String {
    let texts = counted(&config.texts);
    let roundings = config.bits.len() * config.rules.len();
    format!(
        "{texts}, each read {} times: in full precision and under {}.",
        1 + roundings,
        format::counted(roundings as u64, "rounding")
    )
}

#[component]
fn ResultView(id: u64, report: Arc<Report>) -> impl IntoView {
    let state: State = expect_context();
    let unit = state.corpora.with_untracked(|corpora| {
        corpora.iter().find(|corpus| corpus.name == report.config.texts.corpus).map(|corpus| corpus.unit.clone())
    });
    let notes = sweep::footnotes(&report, unit.as_deref().unwrap_or("text"));
    let rules = report.config.rules.clone();
    // A config without a rule is refused before it runs.
    let rule = RwSignal::new(rules[0]);
    let stem = sweep::file_stem(&report);
    let widths = sweep::widths_table(&report);
    let chart = |id, label, part: &str, drawing: Arc<dyn Drawing + Send + Sync>, title: String, table: Table| {
        let stem = format!("{stem}-{part}");
        view! {
            <div class="block">
                <h3>{title}</h3>
                <ChartView id label mark="dot" drawing=drawing.clone()/>
                <SaveChart id stem drawing table/>
            </div>
        }
        .into_any()
    };
    let disparity = sweep::disparity_chart(&report).map(|drawing| {
        let title = drawing.title.clone();
        chart("disparity", "Disparity by width under each rule", "disparity", Arc::new(drawing), title, widths.clone())
    });
    let error = sweep::error_chart(&report);
    let title = error.title.clone();
    let error = chart("mse", "Squared error of the weights by width", "error", Arc::new(error), title, widths.clone());
    let (slopes, critical, verdicts) =
        (sweep::slopes_table(&report), sweep::critical_table(&report), sweep::verdict_table(&report));
    let report = StoredValue::new(report);
    let losses = move || report.with_value(|report| losses_view(report, rule.get()));
    view! {
        <section id="result" class="panel result" data-run=id.to_string() aria-labelledby="result-heading">
            <h2 id="result-heading">"What each bit buys"</h2>
            <p id="sentence" class="sentence" aria-live="polite">
                {move || report.with_value(|report| sweep::sentence(report, rule.get()))}
            </p>
            <div class="block">
                <div class="picks"><ShownPart id="rule" label="Clipping rule" offered=offers(rules, labels::rule_key, labels::rule) shown=rule/></div>
                {losses}
            </div>
            {disparity}
            {error}
            <div class="block">
                <h3>"Width by width"</h3>
                <SortableTable id="widths" label="Every width under every rule" table=widths/>
            </div>
            <div class="block">
                <h3>"Where disparity appears: B*"</h3>
                <SortableTable id="critical" label="Critical widths under each rule" table=critical/>
            </div>
            <div class="block">
                <h3>"How fast it falls"</h3>
                <SortableTable id="slopes" label="Slopes per bit beside rate–distortion" table=slopes/>
            </div>
            <div class="block">
                <h3>"What the sweep says of the claims"</h3>
                <SortableTable id="verdicts" label="Claims and verdicts" table=verdicts/>
            </div>
            <Footnotes notes/>
        </section>
    }
}

/// D(λ) under one rule: chart and table.
fn losses_view(report: &Report, rule: Rule) -> AnyView {
    let drawing = Arc::new(sweep::degradation_chart(report, rule));
    let stem = format!("{}-{}", sweep::file_stem(report), labels::rule_key(rule));
    let table = sweep::degradation_table(report, rule);
    view! {
        <h3>{drawing.title.clone()}</h3>
        <ChartView id="losses" label="Loss of each language by width" mark="dot" drawing=drawing.clone()/>
        <div class="tall">
            <SortableTable id="table" label="D of each language at each width" table=table.clone()/>
        </div>
        <SaveChart id="losses" stem drawing table/>
    }
    .into_any()
}

/// What stands where the result will be.
fn before() -> AnyView {
    view! {
        <p>
            <Prose text="Every bit that a weight is given halves the steps of its grid. Rate–distortion theory says that for weights spread like a bell curve each bit cuts the [squared error] to a quarter; the theory says that [disparity] between languages appears only below a critical width [B*], which depends on how heavy the tails are."/>
        </p>
        <p>
            "The page rounds the model to every width you choose, under every rule, and shows what each language loses, how far the languages lie apart, and how much error the weights have: with intervals, with the slopes beside the theory's, and with B* read in two ways."
        </p>
        <p>"Choose and press Run. Seven widths under two rules read every text fifteen times."</p>
    }
    .into_any()
}
