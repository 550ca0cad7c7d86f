//! The chart with its readout: pointer or arrow keys go from point to point.

use std::sync::Arc;

use leptos::html;
use leptos::prelude::*;

use crate::report::chart::Ground;
use crate::report::{Report, Row, format, languages, words};

/// Narrower the labels and the axis do not fit; wider the eye loses the row.
const WIDTHS: (f64, f64) = (280.0, 980.0);
/// Used until the page has been laid out.
const FIRST_WIDTH: f64 = 720.0;

/// The sorted chart of a report.
#[component]
pub fn ChartView(
    /// The report.
    report: Arc<Report>,
) -> impl IntoView {
    let frame: NodeRef<html::Div> = NodeRef::new();
    let width = RwSignal::new(FIRST_WIDTH);
    let measure = move || {
        if let Some(frame) = frame.get_untracked() {
            let own = frame.get_bounding_client_rect().width();
            if own > 0.0 {
                width.set(libm::floor(own).clamp(WIDTHS.0, WIDTHS.1));
            }
        }
    };
    Effect::new(move |_| {
        frame.track();
        request_animation_frame(measure);
    });
    let listener = window_event_listener(leptos::ev::resize, move |_| measure());
    on_cleanup(move || listener.remove());

    let chart = languages::chart(&report);
    let summary = languages::summary(&report);
    let figure = Memo::new(move |_| chart.draw(width.get(), Ground::Page));
    let current = RwSignal::new(0_usize);
    let shown = RwSignal::new(None::<usize>);
    let rows = StoredValue::new(report);

    let readout = move || {
        shown
            .get()
            .and_then(|at| figure.with(|figure| figure.marks.get(at).map(|mark| mark.key.clone())))
            .and_then(|key| rows.with_value(|report| report.rows.iter().find(|row| row.code == key).map(told)))
    };
    let to_point = move |at: usize| {
        current.set(at);
        let selector = figure.with_untracked(|figure| format!("#chart [data-language=\"{}\"]", figure.marks[at].key));
        if let Ok(Some(element)) = document().query_selector(&selector) {
            focus(&element);
        }
    };
    let keys = move |ev: web_sys::KeyboardEvent| {
        let last = figure.with_untracked(|figure| figure.marks.len().saturating_sub(1));
        let at = current.get_untracked();
        let next = match ev.key().as_str() {
            "ArrowDown" | "ArrowRight" => (at + 1).min(last),
            "ArrowUp" | "ArrowLeft" => at.saturating_sub(1),
            "Home" => 0,
            "End" => last,
            _ => return,
        };
        ev.prevent_default();
        to_point(next);
    };
    view! {
        <div id="chart" class="chart" node_ref=frame role="group" aria-label="Loss of each language; arrow keys go from point to point">
            <div class="chart-frame" style=move || figure.with(|figure| format!("width:{}px;height:{}px", figure.width, figure.height))>
                <div class="chart-drawing" aria-hidden="true" inner_html=move || figure.with(|figure| figure.svg.clone())></div>
                <div class="chart-points" role="list" on:keydown=keys on:pointerleave=move |_| shown.set(None)>
                    {move || {
                        let figure = figure.get();
                        let (row, right) = (figure.row, figure.width);
                        figure.marks.into_iter().enumerate().map(|(at, mark)| {
                            let label = rows.with_value(|report| {
                                report.rows.iter().find(|row| row.code == mark.key).map(told).unwrap_or_default()
                            });
                            view! {
                                <div
                                    class="chart-point"
                                    class:shown=move || shown.get() == Some(at)
                                    role="listitem"
                                    tabindex=move || if current.get() == at { "0" } else { "-1" }
                                    data-language=mark.key
                                    aria-label=label
                                    style=format!("top:{}px;height:{row}px;width:{right}px;--x:{}px", mark.y - row / 2.0, mark.x)
                                    on:pointerenter=move |_| shown.set(Some(at))
                                    on:focus=move |_| { current.set(at); shown.set(Some(at)); }
                                    on:blur=move |_| shown.set(None)
                                ></div>
                            }
                        }).collect_view()
                    }}
                </div>
            </div>
            <p id="readout" class="readout">{move || readout().unwrap_or_else(|| "Point at a language, or use Tab and the arrow keys, to read its figures here.".into())}</p>
            <p class="unseen-text">{summary}</p>
        </div>
    }
}

/// A row's figures as a line.
fn told(row: &Row) -> String {
    let own = if row.endonym == row.name { String::new() } else { format!(" {}", row.endonym) };
    let seen =
        row.bytes_seen.filter(|seen| *seen > 0).map_or(String::new(), |seen| format!(", {} seen", format::bytes(seen)));
    format!(
        "{}{own} ({}{seen}): D {}; perplexity {} → {}; Δ bits per byte {}",
        row.name,
        words::resource_long(row.resource),
        format::interval(&row.degradation),
        format::figure(row.perplexity_full.value),
        format::figure(row.perplexity_quantized.value),
        format::interval(&row.delta_bits_per_byte),
    )
}

fn focus(element: &web_sys::Element) {
    use wasm_bindgen::JsCast;
    if let Some(element) = element.dyn_ref::<web_sys::HtmlElement>() {
        // An element of the page that has tabindex takes focus.
        let _ = element.focus();
    }
}
