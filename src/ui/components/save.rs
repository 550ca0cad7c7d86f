//! Files of one chart: the figure as SVG, its data as CSV, one click each.

use std::sync::Arc;

use leptos::prelude::*;

use crate::report::chart::{Drawing, Ground};
use crate::report::table::Table;
use crate::ui::browser;
use crate::ui::state::State;

/// Width of the figure in a file.
const FILE_WIDTH: f64 = 860.0;

/// The buttons `#<id>-svg` and `#<id>-csv`.
#[component]
pub fn SaveChart(
    /// Id of the chart.
    id: &'static str,
    /// How the files' names begin.
    stem: String,
    /// The figure.
    drawing: Arc<dyn Drawing + Send + Sync>,
    /// Its data.
    table: Table,
) -> impl IntoView {
    let state: State = expect_context();
    let save = move |name: String, mime: &str, text: &str| {
        if browser::download(&name, mime, text).is_err() {
            state.error.set(Some(format!("This browser did not let the page save {name}.")));
        }
    };
    let csv_name = format!("{stem}.csv");
    let svg_name = format!("{stem}.svg");
    view! {
        <div class="row files" role="group" aria-label="Save">
            <button id=format!("{id}-svg") type="button" on:click=move |_| {
                save(svg_name.clone(), "image/svg+xml", &drawing.draw(FILE_WIDTH, Ground::File).svg);
            }>"Chart as SVG"</button>
            <button id=format!("{id}-csv") type="button" on:click=move |_| {
                save(csv_name.clone(), "text/csv;charset=utf-8", &table.csv());
            }>"Data as CSV"</button>
        </div>
    }
}

/// The button `#<id>-csv` of a table that no chart is drawn from.
#[component]
pub fn SaveTable(
    /// Id of the table.
    id: &'static str,
    /// How the file's name begins.
    stem: String,
    /// What is saved, made when it is wanted.
    table: impl Fn() -> Table + Send + Sync + 'static,
) -> impl IntoView {
    let state: State = expect_context();
    let name = format!("{stem}.csv");
    view! {
        <div class="row files">
            <button id=format!("{id}-csv") type="button" on:click=move |_| {
                if browser::download(&name, "text/csv;charset=utf-8", &table().csv()).is_err() {
                    state.error.set(Some(format!("This browser did not let the page save {name}.")));
                }
            }>"Table as CSV"</button>
        </div>
    }
}

/// `#download-json`, and the report in the page once its details are opened: a report of thousands of rows is not written
/// out unless somebody wants it.
#[component]
pub fn SaveLargeReport(
    /// How the file's name begins.
    stem: String,
    /// The report, made when it is wanted.
    json: impl Fn() -> String + Clone + Send + Sync + 'static,
) -> impl IntoView {
    let state: State = expect_context();
    let (name, text, written) = (format!("{stem}.json"), json.clone(), RwSignal::new(String::new()));
    view! {
        <div class="row files">
            <button id="download-json" type="button" on:click=move |_| {
                if browser::download(&name, "application/json", &text()).is_err() {
                    state.error.set(Some(format!("This browser did not let the page save {name}.")));
                }
            }>"Report as JSON"</button>
        </div>
        <details id="report-details" on:toggle=move |_| {
            if written.with_untracked(String::is_empty) {
                written.set(json());
            }
        }>
            <summary>"Report as JSON"</summary>
            <pre id="report-json" tabindex="0">{written}</pre>
        </details>
    }
}

/// `#download-json`, and the report in the page.
#[component]
pub fn SaveReport(
    /// How the file's name begins.
    stem: String,
    /// The report.
    json: String,
) -> impl IntoView {
    let state: State = expect_context();
    let (name, text) = (format!("{stem}.json"), json.clone());
    view! {
        <div class="row files">
            <button id="download-json" type="button" on:click=move |_| {
                if browser::download(&name, "application/json", &text).is_err() {
                    state.error.set(Some(format!("This browser did not let the page save {name}.")));
                }
            }>"Report as JSON"</button>
        </div>
        <details>
            <summary>"Report as JSON"</summary>
            <pre id="report-json" tabindex="0">{json}</pre>
        </details>
    }
}
