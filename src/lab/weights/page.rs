//! How the weights are spread: heat map, histograms, outlier layers by a threshold that can be moved.

use std::sync::Arc;

use leptos::prelude::*;

use crate::client::Client;
use crate::components::{
    chart::ChartView,
    drilldown::{PickedMatrix, look},
    footnotes::Footnotes,
    lab::LabShell,
    save::SaveChart,
    scopes::ScopeSelect,
    select::{ShownPart, offers},
    table::SortableTable,
    term::Prose,
    threshold::Threshold,
};
use crate::lab::matrix;
use crate::lab::settings::THRESHOLD;
use crate::lab::weights::{self, Metric, Report};
use crate::protocol::{Config, Kind};
use crate::report::scope::Scope;
use crate::state::State;

/// The page `#/weights`.
pub fn view() -> AnyView {
    let state: State = expect_context();
    let chosen = Signal::derive(move || state.wanted(Kind::Weights));
    let hint = Signal::derive(|| "Every weight is looked at once; no text is read.".to_string());
    let result = |id, report| view! { <ResultView id report/> }.into_any();
    view! {
        <LabShell title="How are the weights spread?" kind=Kind::Weights chosen hint result before>
            <Threshold note="The theory expects no disparity where every κ is below 5, and warn above 50. Moving the threshold flags layers at once, without another run."/>
        </LabShell>
    }
    .into_any()
}

#[component]
fn ResultView(id: u64, report: Arc<Report>) -> impl IntoView {
    let (state, client): (State, Client) = (expect_context(), expect_context());
    let threshold = Memo::new(move |_| state.settings.get(THRESHOLD));
    let metric = RwSignal::new(Metric::Kurtosis);
    let scope = RwSignal::new(Scope::Layer(0));
    let stem = weights::file_stem(&report);
    let matrices: Vec<_> = report.tensors.iter().map(|tensor| (tensor.layer, tensor.part)).collect();
    let model = report.origin.files.clone();
    let report = StoredValue::new(report);
    // A cell of the first row is a whole layer: its histogram is shown, a matrix is looked into.
    let pick = Callback::new(move |at: usize| {
        let picked = report.with_value(|report| weights::picked(report, at));
        if let Some(picked) = picked {
            scope.set(picked);
        }
        if let Some(Scope::Tensor(layer, part)) = picked {
            let Ok(Config::Matrix(config)) = untrack(|| state.wanted(Kind::Matrix)) else { return };
            look(state, client, matrix::Config { layer, part, window: None, ..config }.into(), "pictures");
        }
    });
    let map = move || {
        let (metric, threshold, stem) = (metric.get(), threshold.get(), stem.clone());
        report.with_value(|report| {
            let drawing = Arc::new(weights::heat(report, metric, threshold));
            let (stem, table) = (format!("{stem}-{}", metric.key()), weights::table(report, threshold));
            view! {
                <h3>{drawing.title.clone()}</h3>
                <ChartView id="heat" label="Layers and matrices" mark="cell" drawing=drawing.clone() pick/>
                <SaveChart id="heat" stem drawing table/>
            }
        })
    };
    let bars = move || {
        let scope = scope.get();
        report.with_value(|report| {
            let drawing = Arc::new(weights::histogram(report, scope)?);
            let stem = format!("{}-{}", weights::file_stem(report), scope.key());
            let table = weights::histogram_table(report, scope);
            Some(view! {
                <h3>{drawing.title.clone()}</h3>
                <ChartView id="histogram" label="Weights by distance from the mean" mark="cell" drawing=drawing.clone()/>
                <SaveChart id="histogram" stem drawing table/>
            })
        })
    };
    let rows = move || {
        let table = report.with_value(|report| weights::table(report, threshold.get()));
        view! { <div class="tall"><SortableTable id="table" label="Figures of each layer and matrix" table/></div> }
    };
    let notes = report.with_value(|report| weights::footnotes(report));
    view! {
        <section id="result" class="panel result" data-run=id.to_string() aria-labelledby="result-heading">
            <h2 id="result-heading">"How the weights are spread"</h2>
            <p id="sentence" class="sentence" aria-live="polite">
                {move || report.with_value(|report| weights::sentence(report, threshold.get()))}
            </p>
            <div class="block">
                <div class="picks">
                    <ShownPart id="metric" label="Shade by" offered=offers(Metric::ALL, Metric::key, Metric::title) shown=metric/>
                </div>
                {map}
            </div>
            <PickedMatrix model/>
            <div class="block">
                <div class="picks"><ScopeSelect id="scope" matrices whole=false scope/></div>
                {bars}
                <p class="note">
                    "Counts are on a logarithmic axis, so that single weights far out can be seen. Bars above both curves far from the middle are the tails that stretch a grid."
                </p>
            </div>
            <div class="block">{rows}</div>
            <Footnotes notes/>
        </section>
    }
}

/// What stands where the result will be.
fn before() -> AnyView {
    view! {
        <p>
            "Rounding to a few bits lays one grid over all weights of a matrix. Where most weights are small and a few are very large, the grid must either reach out to the few, and becomes coarse for the many, or cut the few off."
        </p>
        <p>
            <Prose text="For every weight matrix and every layer this page shows how far out its weights reach: the spread [σ], the excess kurtosis [κ] (0 for a bell curve, more for heavy tails), and the shares beyond 3σ and 6σ; and the weights themselves against a Gaussian and a Laplace curve of the same σ."/>
        </p>
        <p>"Press Run. It takes a second."</p>
    }
    .into_any()
}
