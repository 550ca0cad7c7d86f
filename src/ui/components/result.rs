//! The result of a run: figures on top, the sentence, chart, table, notes.

use std::sync::Arc;

use leptos::prelude::*;

use super::chart::ChartView;
use super::drilldown::PickedText;
use super::footnotes::Footnotes;
use super::level_name;
use super::save::SaveChart;
use super::select::{Select, offers};
use super::table::SortableTable;
use super::term::{Prose, Term};
use crate::lab::languages::sentence;
use crate::lab::languages::{self, Report};
use crate::report::{Measure, format};
use crate::state::State;

/// Everything about one finished run.
#[component]
pub fn ResultView(
    /// The run's number.
    id: u64,
    /// Its report.
    report: Arc<Report>,
) -> impl IntoView {
    let state: State = expect_context();
    let unit = state.corpora.with_untracked(|corpora| {
        corpora.iter().find(|corpus| corpus.name == report.config.texts.corpus).map(|corpus| corpus.unit.clone())
    });
    let unit = unit.unwrap_or_else(|| "text".into());
    let notes = languages::footnotes(&report, &unit);
    let (table, shifts, measures) =
        (languages::table(&report), languages::shifts_table(&report), languages::measures_table(&report));
    let by = RwSignal::new(Measure::Text);
    let (found, key_figures, charted) = (report.clone(), report.clone(), report.clone());
    let charts = table.clone();
    view! {
        <section id="result" class="panel result" data-run=id.to_string() aria-labelledby="result-heading">
            <h2 id="result-heading">"Which languages pay"</h2>
            <p id="sentence" class="sentence" aria-live="polite">{move || sentence::finding(&found, by.get())}</p>
            {sentence::disagreement(&report).map(|told| view! { <p id="disagreement" class="caution">{told}</p> })}
            <Select
                id="measure"
                label="Loss by"
                offered=offers(Measure::ALL, Measure::key, Measure::title)
                chosen=by
                choose=move |measure| by.set(measure)
            />
            {move || view! { <KeyFigures report=key_figures.clone() by=by.get()/> }}
            <p class="note">
                <Prose text="[KL] is what is lost beside full precision, in bits; [D] is by how much the [perplexity] rose. Dots are the figures, lines their 95% [interval]s; the shaded bands are the means of high- and low-resource languages."/>
            </p>
            {move || {
                let drawing = Arc::new(languages::chart(&charted, by.get()));
                view! {
                    <h3>{languages::title(&charted, by.get())}</h3>
                    <ChartView id="chart" label="Loss of each language" mark="language" drawing=drawing.clone()/>
                    <SaveChart id="chart" stem=languages::file_stem(&charted) drawing table=charts.clone()/>
                }
            }}
            <SortableTable
                id="table"
                label="Figures of each language with 95% intervals"
                table
                sorted_by=Some((languages::SORTED_BY, true))
            />
            <h3>"By every measure"</h3>
            <SortableTable id="measures-table" label="Every measure over all languages" table=measures/>
            <h3>"How the probability of the right token changes"</h3>
            <SortableTable id="shifts-table" label="Change of the right token's probability, by language" table=shifts/>
            <PickedText id report=report.clone() unit/>
            <Footnotes notes/>
        </section>
    }
}

#[component]
fn KeyFigures(report: Arc<Report>, by: Measure) -> impl IntoView {
    let (sizes, times) = languages::size(&report);
    let figures = languages::key_figures(&report, by)
        .into_iter()
        .map(|figure| {
            let (value, bounds) = match &figure.value {
                Some(interval) => format::interval_parts(interval),
                None => ("–".into(), "needs both groups".into()),
            };
            view! {
                <div data-figure=figure.key data-level=figure.resource.map(level_name)>
                    <dt><Term name=figure.title/></dt>
                    <dd><span class="value">{value}</span><span class="bounds">{bounds}</span></dd>
                    <dd class="explained">{figure.explained}</dd>
                </div>
            }
        })
        .collect_view();
    view! {
        <dl id="key-figures" class="key-figures">
            {figures}
            <div data-figure="size">
                <dt>"Weights"</dt>
                <dd><span class="value">{sizes}</span></dd>
                <dd class="explained">{times}</dd>
            </div>
        </dl>
    }
}
