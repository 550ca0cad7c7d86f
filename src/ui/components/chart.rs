//! The chart with its readout: pointer or arrow keys go from point to point.

use std::{cell::Cell, sync::Arc};

use leptos::html;
use leptos::prelude::*;

use crate::browser;
use crate::report::chart::{Drawing, Ground};

/// Narrower the labels and the axis do not fit; wider the eye loses the row.
const WIDTHS: (f64, f64) = (280.0, 980.0);
/// Used until the page has been laid out.
const FIRST_WIDTH: f64 = 720.0;

thread_local! {
    /// Width of the last chart: the next one most likely has the same, and is then drawn once.
    static LAST_WIDTH: Cell<f64> = const { Cell::new(FIRST_WIDTH) };
}

/// A chart of any kind.
#[component]
pub fn ChartView(
    /// Id of the chart; its readout has the same with `-readout`.
    id: &'static str,
    /// What it shows, for screen readers.
    label: &'static str,
    /// What a mark is: `language`.
    mark: &'static str,
    /// The chart.
    drawing: Arc<dyn Drawing + Send + Sync>,
    /// Called with the number of a mark that is clicked, or on which Enter is pressed.
    #[prop(optional, into)]
    pick: Option<Callback<usize>>,
) -> impl IntoView {
    let frame: NodeRef<html::Div> = NodeRef::new();
    let width = RwSignal::new(LAST_WIDTH.get());
    let measure = move || {
        if let Some(frame) = frame.get_untracked() {
            let own = frame.get_bounding_client_rect().width();
            if own > 0.0 {
                let own = libm::floor(own).clamp(WIDTHS.0, WIDTHS.1);
                LAST_WIDTH.set(own);
                if width.get_untracked() != own {
                    width.set(own);
                }
            }
        }
    };
    Effect::new(move |_| {
        frame.track();
        browser::next_frame(measure);
    });
    let listener = window_event_listener(leptos::ev::resize, move |_| measure());
    on_cleanup(move || listener.remove());

    let summary = drawing.description().to_string();
    let figure = Memo::new(move |_| drawing.draw(width.get(), Ground::Page));
    let current = RwSignal::new(0_usize);
    let shown = RwSignal::new(None::<usize>);

    let readout = move || {
        let at = shown.get()?;
        figure.with(|figure| figure.marks.get(at).map(|mark| mark.told.clone()))
    };
    let to_point = move |at: usize| {
        let marks = figure.with_untracked(|figure| figure.marks.len());
        if at >= marks {
            return;
        }
        current.set(at);
        let selector = figure.with_untracked(|figure| format!("#{id} [data-key=\"{}\"]", figure.marks[at].key));
        if let Ok(Some(element)) = document().query_selector(&selector) {
            focus(&element);
        }
    };
    let keys = move |ev: web_sys::KeyboardEvent| {
        let (last, stride) = figure.with_untracked(|figure| (figure.marks.len().saturating_sub(1), figure.stride));
        let at = current.get_untracked();
        if let (Some(pick), "Enter" | " ") = (pick, ev.key().as_str()) {
            ev.prevent_default();
            return pick.run(at);
        }
        let next = match ev.key().as_str() {
            "ArrowRight" => (at + 1).min(last),
            "ArrowLeft" => at.saturating_sub(1),
            "ArrowDown" => Some(at + stride).filter(|next| *next <= last).unwrap_or(at),
            "ArrowUp" => at.checked_sub(stride).unwrap_or(at),
            "Home" => 0,
            "End" => last,
            _ => return,
        };
        ev.prevent_default();
        to_point(next);
    };
    view! {
        <div id=id class="chart" node_ref=frame role="group" aria-label=format!("{label}; arrow keys go from {mark} to {mark}")>
            <div class="chart-frame" style=move || figure.with(|figure| format!("width:{}px;height:{}px", figure.width, figure.height))>
                <div class="chart-drawing" aria-hidden="true" inner_html=move || figure.with(|figure| figure.svg.clone())></div>
                <div class="chart-points" role="list" on:keydown=keys on:pointerleave=move |_| shown.set(None)>
                    {move || {
                        figure.get().marks.into_iter().enumerate().map(|(at, mark)| {
                            let ((left, top), (width, height)) = (mark.from, mark.size);
                            let x = mark.at.0 - left;
                            view! {
                                <div
                                    class="chart-point"
                                    class:shown=move || shown.get() == Some(at)
                                    role="listitem"
                                    tabindex=move || if current.get() == at { "0" } else { "-1" }
                                    data-key=mark.key
                                    aria-label=mark.told
                                    style=format!("left:{left}px;top:{top}px;width:{width}px;height:{height}px;--x:{x}px")
                                    class:picked=pick.is_some()
                                    on:click=move |_| if let Some(pick) = pick { pick.run(at) }
                                    on:pointerenter=move |_| shown.set(Some(at))
                                    on:focus=move |_| { current.set(at); shown.set(Some(at)); }
                                    on:blur=move |_| shown.set(None)
                                ></div>
                            }
                        }).collect_view()
                    }}
                </div>
            </div>
            <p id=format!("{id}-readout") class="readout">
                {move || readout().unwrap_or_else(|| format!("Point at a {mark}, or use Tab and the arrow keys, to read its figures here."))}
            </p>
            <p class="unseen-text">{summary}</p>
        </div>
    }
}

fn focus(element: &web_sys::Element) {
    use wasm_bindgen::JsCast;
    if let Some(element) = element.dyn_ref::<web_sys::HtmlElement>() {
        // An element of the page that has tabindex takes focus.
        let _ = element.focus();
    }
}
