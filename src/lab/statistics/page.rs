//! What figures can say together: a bench for any table.

use std::sync::Arc;

use leptos::prelude::*;

use crate::components::{
    chart::ChartView,
    footnotes::Footnotes,
    lab::{LabShell, asked},
    save::SaveChart,
    select::{ShownPart, places},
    statistics::{ColumnsPanel, DataPanel, FamilyPanel, PowerPanel},
    table::SortableTable,
    term::Prose,
};
use crate::lab::statistics::{self, Report};
use crate::protocol::Kind;
use crate::report::format;
use crate::state::State;

/// Rows of a table that are shown until all are asked for.
const SHOWN: usize = 40;

/// The page `#/statistics`.
pub fn view() -> AnyView {
    let told = |config: &statistics::Config| {
        let pairs = config.pairs_asked().len();
        let groups = config
            .groups
            .as_ref()
            .map_or(String::new(), |groups| format!(", {} against {}", groups.names.0, groups.names.1));
        format!(
            "{} of columns{groups}, corrected with {}.",
            format::counted(pairs as u64, "pair"),
            format::counted(config.earlier.len() as u64, "earlier test")
        )
    };
    let (chosen, hint) = asked(Kind::Statistics, told);
    let result = |id, report| view! { <ResultView id report/> }.into_any();
    view! {
        <LabShell title="What can figures say together?" kind=Kind::Statistics chosen hint result before below without_model=true>
            <DataPanel/>
            <ColumnsPanel/>
            <FamilyPanel/>
            <PowerPanel/>
        </LabShell>
    }
    .into_any()
}

#[component]
fn ResultView(id: u64, report: Arc<Report>) -> impl IntoView {
    let notes = statistics::footnotes(&report);
    let any = !report.pairs.is_empty();
    view! {
        <section id="result" class="panel result" data-run=id.to_string() aria-labelledby="result-heading">
            <h2 id="result-heading">"What the figures say"</h2>
            <p id="sentence" class="sentence" aria-live="polite">{statistics::sentence(&report)}</p>
            {any.then(|| pairs_view(report.clone()).into_any())}
            {(!report.contrasts.is_empty()).then(|| contrasts_view(&report).into_any())}
            {(!report.tests.is_empty()).then(|| tests_view(&report).into_any())}
            {power_view(&report).into_any()}
            <div class="block">
                <h3>"What this says of the claims"</h3>
                <SortableTable id="verdicts" label="Claims and verdicts" table=statistics::verdict_table(&report)/>
            </div>
            {any.then(|| view! {
                <div class="block">
                    <h3>"Columns"</h3>
                    <SortableTable id="columns-table" label="Every column of figures" table=statistics::columns_table(&report)/>
                </div>
            })}
            <Footnotes notes/>
        </section>
    }
}

/// All pairs, and one of them closely.
fn pairs_view(report: Arc<Report>) -> impl IntoView {
    let stem = statistics::file_stem(&report);
    let chart = statistics::coefficients_chart(&report).map(|drawing| {
        let drawing = Arc::new(drawing);
        view! {
            <h3>{drawing.title.clone()}</h3>
            <ChartView id="coefficients" label="r of each pair" mark="pair" drawing=drawing.clone()/>
            <SaveChart id="coefficients" stem=format!("{stem}-r") drawing table=statistics::pairs_table(&report)/>
        }
    });
    let pick = RwSignal::new(0_usize);
    let names: Vec<String> = report.pairs.iter().map(|pair| statistics::pair_name(&report, pair)).collect();
    let table = statistics::pairs_table(&report);
    let closely = move || {
        let pair = report.pairs.get(pick.get())?;
        let stem = format!("{}-{}", statistics::file_stem(&report), statistics::pair_key(pair));
        let dots = statistics::scatter(&report, pair).map(|drawing| {
            let drawing = Arc::new(drawing);
            view! {
                <h3>{drawing.title.clone()}</h3>
                <ChartView id="scatter" label="Two figures of each row" mark="row" drawing=drawing.clone()/>
                <SaveChart id="scatter" stem=stem.clone() drawing table=statistics::scatter_table(&report, pair)/>
            }
        });
        let rows = statistics::influence_chart(&report, pair).map(|drawing| {
            let drawing = Arc::new(drawing);
            view! {
                <h3>{drawing.title.clone()}</h3>
                <ChartView id="influence" label="r without one row" mark="row" drawing=drawing.clone()/>
                <SaveChart id="influence" stem=format!("{stem}-influence") drawing table=statistics::influence_table(&report, pair)/>
            }
        });
        Some(view! {
            <p id="pair-sentence" class="note">{statistics::pair_sentence(&report, pair)}</p>
            {dots}
            {rows}
        })
    };
    view! {
        <div class="block">
            {chart}
            <SortableTable id="pairs-table" label="Every pair of columns" table most=Some(SHOWN)/>
        </div>
        <div class="block">
            <div class="picks">
                <ShownPart id="pair" label="One pair closely" offered=places(names) shown=pick/>
            </div>
            {closely}
        </div>
    }
}

fn contrasts_view(report: &Report) -> impl IntoView + use<> {
    view! {
        <div class="block">
            <h3>"Two groups of rows"</h3>
            <SortableTable id="contrasts" label="Each column of both groups" table=statistics::contrasts_table(report)/>
        </div>
    }
}

fn tests_view(report: &Report) -> impl IntoView + use<> {
    view! {
        <div class="block">
            <h3>{format!("The family “{}”", report.config.family)}</h3>
            <SortableTable id="tests" label="Every test of the family, corrected for their number" table=statistics::tests_table(report) most=Some(SHOWN)/>
        </div>
    }
}

fn power_view(report: &Report) -> impl IntoView + use<> {
    let drawing = Arc::new(statistics::power_chart(report));
    let stem = format!("{}-power", statistics::file_stem(report));
    view! {
        <div class="block">
            <h3>{drawing.title.clone()}</h3>
            <p id="power-sentence" class="note">{statistics::power_sentence(report)}</p>
            <ChartView id="power" label="Power by number of pairs" mark="number of pairs" drawing=drawing.clone()/>
            <SaveChart id="power" stem drawing table=statistics::power_table(report)/>
        </div>
    }
}

/// The ledger, with or without a result.
fn below() -> AnyView {
    let state: State = expect_context();
    let table = move || {
        let table = state.tests_made.with(|ledger| ledger.table());
        match table.keys.is_empty() {
            true => view! { <p class="note">"No test was made since the page was opened."</p> }.into_any(),
            false => view! { <SortableTable id="ledger" label="Every test made since the page was opened" table most=Some(SHOWN)/> }.into_any(),
        }
    };
    view! {
        <section class="panel" aria-labelledby="ledger-heading">
            <h2 id="ledger-heading">"Every test since the page was opened"</h2>
            {table}
        </section>
    }
    .into_any()
}

/// What stands where the result will be.
fn before() -> AnyView {
    view! {
        <p>
            <Prose text="Of many tests some come out by chance. This page takes any table, pasted, from a file or from a report of the lab, and says how its columns go together: [r] and [ρ] with intervals, with other columns held constant, and without each row in turn."/>
        </p>
        <p>
            <Prose text="Every [p] is corrected ([Holm], [Benjamini–Hochberg]) for all tests of its family, and every test that any page made since it was opened is in the family unless you take it out. [Power] says how likely a test was to find what is there."/>
        </p>
        <p>"Put data in and press Run; without data, power alone is worked out."</p>
    }
    .into_any()
}
