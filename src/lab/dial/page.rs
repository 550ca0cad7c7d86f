//! What heavier tails do: the outlier dial, its proof, D(λ) and disparity against κ, and the verdicts.

use std::sync::Arc;

use leptos::prelude::*;

use crate::components::{
    chart::ChartView,
    dial::{DialPanel, RoundingPanel},
    footnotes::Footnotes,
    lab::{LabShell, asked, counted},
    save::SaveChart,
    select::{ShownPart, of_widths, offers},
    table::SortableTable,
    term::Prose,
    texts::Texts,
    threshold::Threshold,
};
use crate::lab::dial::{self, Pick, Report};
use crate::protocol::Kind;
use crate::report::format;
use crate::state::State;

/// The page `#/dial`.
pub fn view() -> AnyView {
    let (chosen, hint) = asked(Kind::Dial, told);
    let result = |id, report| view! { <ResultView id report/> }.into_any();
    view! {
        <LabShell title="What do heavier tails do?" kind=Kind::Dial chosen hint result before>
            <DialPanel/>
            <RoundingPanel/>
            <Threshold note="P2 gives outlier layers 8 bits and all others the width chosen."/>
            <Texts/>
        </LabShell>
    }
    .into_any()
}

/// What a run will do.
fn told(config: &dial::Config) -> String {
    let texts = counted(&config.texts);
    let points = config.exponents().len() + usize::from(config.flatten);
    let roundings = config.bits.len() * config.rules.len();
    format!(
        "{texts}, each read {} times: {} of the dial, in full precision and under {}.",
        points * (1 + roundings),
        format::counted(points as u64, "point"),
        format::counted(roundings as u64, "rounding")
    )
}

#[component]
fn ResultView(id: u64, report: Arc<Report>) -> impl IntoView {
    let state: State = expect_context();
    let unit = state.corpora.with_untracked(|corpora| {
        corpora.iter().find(|corpus| corpus.name == report.config.texts.corpus).map(|corpus| corpus.unit.clone())
    });
    let notes = dial::footnotes(&report, unit.as_deref().unwrap_or("text"));
    let (holds, proof) = dial::proof(&report);
    let picks = Pick::all(&report);
    // A config without a rounding is refused before it runs.
    let pick = RwSignal::new(picks[0]);
    let report = StoredValue::new(report);
    let losses = move || report.with_value(|report| losses_view(report, pick.get()).into_any());
    view! {
        <section id="result" class="panel result" data-run=id.to_string() aria-labelledby="result-heading">
            <h2 id="result-heading">"What heavier tails do"</h2>
            <p id="sentence" class="sentence" aria-live="polite">
                {move || report.with_value(|report| dial::sentence(report, pick.get()))}
            </p>
            <p id="proof" class="proof" data-holds=holds.to_string()>{proof}</p>
            <div class="block">
                <div class="picks"><ShownPart id="pick" label="Bits and clipping rule" offered=offers(picks, |own| own.key(), |own| own.title()) shown=pick/></div>
                {losses}
            </div>
            {report.with_value(|report| disparity_view(report.clone()).into_any())}
            <div class="block">
                <h3>"What the dial says of the claims"</h3>
                <SortableTable id="verdicts" label="Claims and verdicts" table=report.with_value(|report| dial::verdict_table(report))/>
            </div>
            <div class="block">
                <h3>"Where the dial stood"</h3>
                <p class="note">
                    "At every point all texts are also read in full precision, and each text's loss is compared bit by bit with that of the model as it is."
                </p>
                <SortableTable id="points" label="Points of the dial" table=report.with_value(|report| dial::points_table(report))/>
            </div>
            <Footnotes notes/>
        </section>
    }
}

/// D(λ) under one rounding: chart and table.
fn losses_view(report: &Report, pick: Pick) -> impl IntoView + use<> {
    let drawing = Arc::new(dial::degradation_chart(report, pick));
    let stem = format!("{}-{}", dial::file_stem(report), pick.key());
    let table = dial::degradation_table(report, pick);
    view! {
        <h3>{drawing.title.clone()}</h3>
        <ChartView id="losses" label="Loss of each language by largest κ" mark="dot" drawing=drawing.clone()/>
        <div class="tall">
            <SortableTable id="table" label="D of each language at each point" table=table.clone()/>
        </div>
        <SaveChart id="losses" stem drawing table/>
    }
}

/// Disparity under every rule, at a width that can be chosen where there are several.
fn disparity_view(report: Arc<Report>) -> impl IntoView {
    let widths = report.config.bits.clone();
    let width = RwSignal::new(widths[0]);
    let choice = (widths.len() > 1).then(move || view! { <div class="picks"><ShownPart id="width" label="Bits per weight" offered=of_widths(widths) shown=width/></div> });
    let drawn = move || {
        let bits = width.get();
        let table = dial::disparity_table(&report, bits);
        let chart = dial::disparity_chart(&report, bits).map(|drawing| {
            let (drawing, table) = (Arc::new(drawing), table.clone());
            let stem = format!("{}-disparity-{}bit", dial::file_stem(&report), bits.get());
            view! {
                <h3>{drawing.title.clone()}</h3>
                <ChartView id="disparity" label="Disparity by largest κ under each rule" mark="dot" drawing=drawing.clone()/>
                <SaveChart id="disparity" stem drawing table/>
            }
        });
        view! {
            {chart}
            <SortableTable id="disparity-table" label="Disparity under each rule at each point" table/>
        }
    };
    view! { <div class="block">{choice}{drawn}</div> }
}

/// What stands where the result will be.
fn before() -> AnyView {
    view! {
        <p>
            "The theory says that quantization hurts some languages more than others only where a few layers have heavy tails: weights far larger than the rest. Models differ in many ways at once, so comparing models cannot show it. This page turns the tails of one model up and changes nothing else."
        </p>
        <ol class="steps">
            <li>"In the layers you choose, a few input channels are multiplied by s, and whatever makes them is divided by s. With s a power of two the model in full precision computes the same numbers, bit by bit; the page checks that and says so."</li>
            <li>"The turned weights are then rounded. A grid that must reach the few large weights is coarse for all others."</li>
            <li><Prose text="For each s the page shows [D] of every language against the largest [κ], [disparity] under each clipping rule, and what that says of the theory's claims. Last, the tails are flattened again as far as powers of two go."/></li>
        </ol>
        <p>"Choose and press Run. A few languages and articles show the pattern in under a minute."</p>
    }
    .into_any()
}
