//! Files: a figure as SVG and PNG, its data as CSV, a report as JSON, one click each.

use std::sync::Arc;

use leptos::prelude::*;
use web_sys::HtmlDetailsElement;

use crate::browser;
use crate::fairness;
use crate::lab;
use crate::protocol::Report;
use crate::report::chart::{Drawing, Ground};
use crate::report::{self, table::Table};
use crate::state::State;

/// A report, and its link where there is one, as the text of a file.
type Written = fn(&Report, Option<&str>) -> String;

/// Width of the figure in a file.
const FILE_WIDTH: f64 = 860.0;

/// Name of the files of what is shown: pages of the lab provide it from their report.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stem(pub String);

/// Whether the report is written out in the page; it outlives a report, of which a search sends one after another.
#[derive(Clone, Copy)]
pub struct Unfolded(pub RwSignal<bool>);

/// Offers a text as a file, or says that the browser did not take it.
pub fn save(state: State, name: &str, mime: &str, text: &str) {
    if browser::download(name, mime, text).is_err() {
        state.error.set(Some(format!(
            "This browser did not let the page save {name}. Allow downloads for this site, and save it again."
        )));
    }
}

/// The menu `#<id>-save` with the buttons `#<id>-svg`, `#<id>-png` and `#<id>-csv`.
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
    let (csv_name, svg_name, png_name) = (format!("{stem}.csv"), format!("{stem}.svg"), format!("{stem}.png"));
    let drawn = drawing.clone();
    let to_png = move |_| {
        let (figure, name) = (drawn.draw(FILE_WIDTH, Ground::File), png_name.clone());
        leptos::task::spawn_local(async move {
            if browser::download_png(&name, &figure.svg, (figure.width, figure.height)).await.is_err() {
                state.error.set(Some(format!("This browser did not draw {name}; save the chart as SVG instead.")));
            }
        });
    };
    let menu = NodeRef::<leptos::html::Details>::new();
    let close = move || {
        if let Some(menu) = menu.get_untracked() {
            menu.set_open(false);
        }
    };
    let chosen = move |ev: leptos::ev::MouseEvent| {
        if event_target::<web_sys::Element>(&ev).tag_name() == "BUTTON" {
            close();
        }
    };
    let escaped = move |ev: leptos::ev::KeyboardEvent| {
        if ev.key() == "Escape" {
            close();
        }
    };
    // Menus of one name are open one at a time.
    view! {
        <details class="menu" name="save" id=format!("{id}-save") node_ref=menu
            on:click=chosen
            on:keydown=escaped
        >
            <summary>"Save the chart"</summary>
            <div class="files">
                <button id=format!("{id}-svg") type="button" on:click=move |_| {
                    save(state, &svg_name, "image/svg+xml", &drawing.draw(FILE_WIDTH, Ground::File).svg);
                }>"Chart as SVG"</button>
                <button id=format!("{id}-png") type="button" on:click=to_png>"Chart as PNG"</button>
                <button id=format!("{id}-csv") type="button" on:click=move |_| {
                    save(state, &csv_name, "text/csv;charset=utf-8", &table.csv());
                }>"Data as CSV"</button>
            </div>
        </details>
    }
}

/// The button `#<id>-csv` of a table that is there before any report.
#[component]
pub fn SaveTable(
    /// Id of the table.
    id: &'static str,
    /// What is saved, made when it is wanted.
    table: impl Fn() -> Table + Send + Sync + 'static,
) -> impl IntoView {
    let state: State = expect_context();
    let save = move |_| {
        let name = untrack(|| state.card()).map_or_else(|| "model".to_string(), |card| card.name);
        let name = format!("{}.csv", report::file_stem(&format!("{name}-{id}")));
        save(state, &name, "text/csv;charset=utf-8", &untrack(&table).csv());
    };
    view! { <div class="row files"><button id=format!("{id}-csv") type="button" on:click=save>"Table as CSV"</button></div> }
}

/// `#download-json`, `#download-fairness-html` and `#download-fairness-markdown`; and the report in the page once its
/// details are opened: a report of thousands of rows is not written out unless somebody wants it.
#[component]
pub fn SaveReport(
    /// The report.
    report: Arc<Report>,
    /// Its link, where it has one.
    link: Option<String>,
) -> impl IntoView {
    let state: State = expect_context();
    let Stem(stem) = expect_context();
    let Unfolded(unfolded) = expect_context();
    let shown = report.clone();
    let written = move || if unfolded.get() { lab::json(&shown) } else { String::new() };
    let kept = StoredValue::new((report, link));
    let file = move |id: &'static str, title: &'static str, (ending, mime): (&str, &'static str), text: Written| {
        let name = format!("{stem}{ending}");
        let write = move |_| kept.with_value(|(report, link)| save(state, &name, mime, &text(report, link.as_deref())));
        view! { <button id=id type="button" on:click=write>{title}</button> }
    };
    view! {
        <div class="row files">
            {file("download-fairness-html", "Fairness report to print", ("-fairness.html", "text/html;charset=utf-8"), fairness::html)}
            {file("download-fairness-markdown", "Fairness report as Markdown", ("-fairness.md", "text/markdown;charset=utf-8"), fairness::markdown)}
            {file("download-json", "Report as JSON", (".json", "application/json"), |report, _| lab::json(report))}
        </div>
        <details
            id="report-details"
            prop:open=unfolded
            on:toggle=move |ev| unfolded.set(event_target::<HtmlDetailsElement>(&ev).open())
        >
            <summary>"Report as JSON"</summary>
            <pre id="report-json" tabindex="0">{written}</pre>
        </details>
    }
}
