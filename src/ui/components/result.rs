//! The result of a run: figures on top, the sentence, chart, table, notes.

use std::sync::Arc;

use leptos::prelude::*;

use super::chart::ChartView;
use super::drilldown::PickedText;
use super::footnotes::Footnotes;
use super::level_name;
use super::save::SaveChart;
use super::table::SortableTable;
use super::term::{Prose, Term};
use crate::lab::languages::sentence;
use crate::lab::languages::{self, Report};
use crate::report::{coverage, format};
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
    let (table, drawing) = (languages::table(&report), Arc::new(languages::chart(&report)));
    view! {
        <section id="result" class="panel result" data-run=id.to_string() aria-labelledby="result-heading">
            <h2 id="result-heading">"Which languages pay"</h2>
            <p id="sentence" class="sentence" aria-live="polite">{sentence::finding(&report)}</p>
            {coverage::caution(report.config.texts.units).map(|caution| view! { <p id="caution" class="caution">{caution}</p> })}
            <KeyFigures report=report.clone()/>
            <h3>{languages::title(&report)}</h3>
            <p class="note">
                <Prose text="[D] is the loss: 0.10 means the [perplexity] is 10% higher than before [quantization]. Dots are the figures, lines their 95% [interval]s; the shaded bands are the means of high- and low-resource languages."/>
            </p>
            <ChartView id="chart" label="Loss of each language" mark="language" drawing=drawing.clone()/>
            <SaveChart id="chart" stem=languages::file_stem(&report) drawing table=table.clone()/>
            <SortableTable
                id="table"
                label="Figures of each language with 95% intervals"
                table
                sorted_by=Some((languages::SORTED_BY, true))
            />
            <PickedText id report=report.clone() unit/>
            <Footnotes notes/>
        </section>
    }
}

#[component]
fn KeyFigures(report: Arc<Report>) -> impl IntoView {
    let (sizes, times) = languages::size(&report);
    let figures = languages::key_figures(&report)
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
