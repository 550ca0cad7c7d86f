//! Three pictures of a matrix with one cursor: before, after, and the difference.

use std::sync::Arc;

use leptos::html;
use leptos::prelude::*;
use wasm_bindgen::JsValue;
use web_sys::{CanvasRenderingContext2d, HtmlCanvasElement};

use super::chart::ChartView;
use super::drilldown::{look, wanted_focus};
use super::save::{SaveChart, save};
use super::term::Term;
use crate::browser;
use crate::client::Client;
use crate::lab::matrix::{self, Picture, Report, Window};
use crate::lab::rounding::Rounding;
use crate::protocol::Config;
use crate::report::chart::diverging::Diverging;
use crate::report::{Bits, format};
use crate::state::State;

/// Id of what takes the arrow keys.
const PICTURES: &str = "pictures";
/// Pixels of the legend's bar.
const LEGEND: usize = 201;
/// Where the legend has a figure, as shares of the colour.
const TICKS: [f64; 5] = [-1.0, -0.5, 0.0, 0.5, 1.0];

/// Everything about a matrix but its title and its notes.
#[component]
pub fn MatrixView(
    /// The report.
    report: Arc<Report>,
) -> impl IntoView {
    let (state, client): (State, Client) = (expect_context(), expect_context());
    let config = report.config.clone();
    let again = move |config: matrix::Config, focus: &'static str| look(state, client, config.into(), focus);
    let widths = Bits::ALL.map(|bits| {
        let quantizer = Rounding { bits, ..config.quantizer };
        let (own, config) = (quantizer == config.quantizer, matrix::Config { quantizer, ..config.clone() });
        view! {
            <button
                id=format!("inside-bits-{}", bits.get())
                type="button"
                aria-pressed=own.to_string()
                disabled=move || state.running()
                on:click=move |_| again(config.clone(), BITS[usize::from(bits.get()) - 2])
            >{bits.get()}</button>
        }
    });
    let whole = config.window.is_some().then(|| {
        let config = matrix::Config { window: None, ..config.clone() };
        view! {
            <button id="whole-matrix" type="button" disabled=move || state.running() on:click=move |_| again(config.clone(), PICTURES)>
                "The whole matrix"
            </button>
        }
    });
    let figures = matrix::key_figures(&report).into_iter().map(|figure| {
        view! {
            <div data-figure=figure.key>
                <dt><Term name=figure.title/></dt>
                <dd><span class="value">{figure.value}</span></dd>
                <dd class="explained">{figure.explained}</dd>
            </div>
        }
    });
    let (codes, stem) = (Arc::new(matrix::codes(&report)), matrix::file_stem(&report));
    Effect::new(move |_| wanted_focus());
    view! {
        <div class="row" role="group" aria-label="Bits per weight">
            <span class="note" id="inside-bits-label">"Bits per weight"</span>
            {widths}
            {whole}
        </div>
        <dl id="matrix-figures" class="key-figures">{figures.collect_view()}</dl>
        <Pictures report=report.clone()/>
        <div class="row files" role="group" aria-label="Save"><SavePictures report=report.clone()/></div>
        <ChartView id="codes" label="Weights on each value of the grid" mark="value" drawing=codes.clone()/>
        <SaveChart id="codes" stem=format!("{stem}-codes") drawing=codes table=matrix::codes_table(&report)/>
    }
}

/// Ids of the buttons, so that focus comes back to the one that was pressed.
const BITS: [&str; 7] = [
    "inside-bits-2",
    "inside-bits-3",
    "inside-bits-4",
    "inside-bits-5",
    "inside-bits-6",
    "inside-bits-7",
    "inside-bits-8",
];

/// The pictures, their cursor and what lies under it.
#[component]
fn Pictures(report: Arc<Report>) -> impl IntoView {
    let (state, client): (State, Client) = (expect_context(), expect_context());
    let (rows, columns) = report.size;
    let (pictures, scale) = (matrix::pictures(&report), matrix::scale(&report));
    let cursor = RwSignal::new(None::<(usize, usize)>);
    let kept = StoredValue::new(report);
    let readout = move || match cursor.get() {
        Some((row, column)) => kept.with_value(|report| matrix::told(report, row, column)),
        None => {
            "Point at a cell, or use Tab and the arrow keys, to read it here. A click or Enter looks closer.".into()
        }
    };
    let closer = move || {
        let Some((row, column)) = cursor.get_untracked() else { return };
        let (config, window) = kept.with_value(|report| (report.config.clone(), matrix::closer(report, row, column)));
        if let Some(window) = window {
            look(state, client, Config::from(matrix::Config { window: Some(window), ..config }), PICTURES);
        }
    };
    let keys = move |ev: web_sys::KeyboardEvent| {
        let (row, column) = cursor.get_untracked().unwrap_or((rows / 2, columns / 2));
        let next = match ev.key().as_str() {
            "ArrowRight" => (row, (column + 1).min(columns - 1)),
            "ArrowLeft" => (row, column.saturating_sub(1)),
            "ArrowDown" => ((row + 1).min(rows - 1), column),
            "ArrowUp" => (row.saturating_sub(1), column),
            "Home" => (row, 0),
            "End" => (row, columns - 1),
            "Enter" | " " => {
                ev.prevent_default();
                return closer();
            }
            _ => return,
        };
        ev.prevent_default();
        cursor.set(Some(next));
    };
    let point = move |ev: web_sys::PointerEvent| {
        let canvas: HtmlCanvasElement = event_target(&ev);
        let place = |offset: i32, side: i32, cells: usize| {
            let share = f64::from(offset.max(0)) / f64::from(side.max(1));
            ((share * cells as f64) as usize).min(cells - 1)
        };
        let (width, height) = (canvas.client_width(), canvas.client_height());
        cursor.set(Some((place(ev.offset_y(), height, rows), place(ev.offset_x(), width, columns))));
    };
    let frame = move |picture: Picture| {
        let at = move |of: fn((usize, usize)) -> usize, cells: usize| {
            cursor.get().map(|cursor| format!("{}%", (of(cursor) as f64 + 0.5) * 100.0 / cells as f64))
        };
        view! {
            <figure class="picture">
                <figcaption>{picture.title}</figcaption>
                <div class="picture-frame">
                    <Canvas
                        id=format!("picture-{}", picture.key)
                        label=picture.description
                        width=picture.size.0
                        pixels=picture.pixels
                        point
                        pick=closer
                    />
                    <span
                        class="cursor"
                        aria-hidden="true"
                        hidden=move || cursor.get().is_none()
                        style:left=move || at(|(_, column)| column, columns)
                        style:top=move || at(|(row, _)| row, rows)
                    ></span>
                </div>
            </figure>
        }
    };
    let Window { inputs, outputs } = kept.with_value(|report| report.window);
    let seen = format!(
        "Input channels {} to {} from top to bottom, output channels {} to {} from left to right.",
        inputs.0,
        inputs.1 - 1,
        outputs.0,
        outputs.1 - 1
    );
    view! {
        <p class="note">{seen}</p>
        <div
            id=PICTURES
            class="pictures"
            role="group"
            tabindex="0"
            aria-label="The matrix before, after, and the difference; arrow keys go from cell to cell, Enter looks closer"
            aria-describedby="pictures-readout"
            on:keydown=keys
            on:focus=move |_| if cursor.get_untracked().is_none() { cursor.set(Some((rows / 2, columns / 2))) }
            on:pointerleave=move |_| cursor.set(None)
        >
            {pictures.map(frame).into_iter().collect_view()}
        </div>
        <Legend scale/>
        <p id="pictures-readout" class="readout" aria-live="polite">{readout}</p>
    }
}

/// Pixels on a canvas.
#[component]
fn Canvas(
    id: String,
    /// What it shows, for screen readers.
    label: String,
    /// Pixels to a row.
    width: usize,
    pixels: Vec<u8>,
    /// Where the pointer is.
    point: impl Fn(web_sys::PointerEvent) + Copy + 'static,
    /// A click.
    pick: impl Fn() + Copy + 'static,
) -> impl IntoView {
    let canvas: NodeRef<html::Canvas> = NodeRef::new();
    Effect::new(move |_| {
        if let Some(canvas) = canvas.get() {
            // A browser without a canvas has the table and the figures.
            let _ = browser::put_pixels(&canvas, &pixels, width);
        }
    });
    view! {
        <canvas id=id node_ref=canvas role="img" aria-label=label on:pointermove=point on:pointerdown=point on:click=move |_| pick()></canvas>
    }
}

/// The scale of all three.
#[component]
fn Legend(scale: Diverging) -> impl IntoView {
    let pixels: Vec<u8> = (0..LEGEND).flat_map(|at| scale.pixel(legend(&scale, at))).collect();
    let ticks = TICKS.map(|share| view! { <span>{format::small(scale.at(share))}</span> });
    view! {
        <div class="legend" aria-hidden="true">
            <Canvas id="legend".into() label=String::new() width=LEGEND pixels point=|_| () pick=|| ()/>
            <div class="ticks">{ticks.into_iter().collect_view()}</div>
        </div>
    }
}

/// The figure at a place of the legend's bar.
fn legend(scale: &Diverging, at: usize) -> f64 {
    scale.at(2.0 * at as f64 / (LEGEND - 1) as f64 - 1.0)
}

/// The pictures as a PNG, the cells as CSV.
#[component]
fn SavePictures(report: Arc<Report>) -> impl IntoView {
    let state: State = expect_context();
    let stem = matrix::file_stem(&report);
    let (png, csv, table) = (format!("{stem}.png"), format!("{stem}-cells.csv"), report.clone());
    let picture = move |_| {
        let (name, report) = (png.clone(), report.clone());
        leptos::task::spawn_local(async move {
            let paint = |context: &CanvasRenderingContext2d| paint(context, &report);
            if browser::download_picture(&name, SHEET, paint).await.is_err() {
                state.error.set(Some(format!("This browser did not draw {name}; save the cells as CSV instead.")));
            }
        });
    };
    view! {
        <button id="pictures-png" type="button" on:click=picture>"Pictures as PNG"</button>
        <button id="pictures-csv" type="button" on:click=move |_| {
            save(state, &csv, "text/csv;charset=utf-8", &matrix::table(&table).csv());
        }>"Cells as CSV"</button>
    }
}

/// Pixels of the sheet that is saved, and of a picture on it.
const SHEET: (f64, f64) = (940.0, 420.0);
const SIDE: f64 = 288.0;
const MARGIN: f64 = 24.0;

/// The sheet: what it is, three pictures that the page shows, the scale, and where it is from.
fn paint(context: &CanvasRenderingContext2d, report: &Report) -> Result<(), JsValue> {
    let text = |size: f64, words: &str, x: f64, y: f64| {
        context.set_font(&format!("{size}px sans-serif"));
        context.fill_text(words, x, y)
    };
    let picture = |id: &str, (x, y): (f64, f64), (width, height): (f64, f64)| -> Result<(), JsValue> {
        let canvas = document().get_element_by_id(id).ok_or("no picture")?;
        let canvas: HtmlCanvasElement = wasm_bindgen::JsCast::dyn_into(canvas)?;
        context.draw_image_with_html_canvas_element_and_dw_and_dh(&canvas, x, y, width, height)
    };
    context.set_image_smoothing_enabled(false);
    context.set_fill_style_str("#1b1f24");
    text(15.0, &format!("{} of {}", matrix::title(report), report.origin.model), MARGIN, 28.0)?;
    let most = report.size.0.max(report.size.1) as f64;
    let size = (SIDE * report.size.1 as f64 / most, SIDE * report.size.0 as f64 / most);
    for (at, own) in matrix::pictures(report).iter().enumerate() {
        let x = MARGIN + at as f64 * (SIDE + 14.0);
        text(12.0, own.title, x, 52.0)?;
        picture(&format!("picture-{}", own.key), (x, 60.0), size)?;
    }
    let scale = matrix::scale(report);
    picture("legend", (MARGIN, 366.0), (SIDE, 10.0))?;
    context.set_fill_style_str("#57606a");
    context.set_text_align("center");
    for share in TICKS {
        text(11.0, &format::small(scale.at(share)), MARGIN + (share + 1.0) / 2.0 * SIDE, 390.0)?;
    }
    context.set_text_align("left");
    for (at, note) in matrix::key_figures(report).iter().take(4).enumerate() {
        let x = MARGIN + SIDE + 40.0 + (at % 2) as f64 * 290.0;
        text(11.0, &format!("{} {}: {}", note.title, note.value, note.explained), x, 374.0 + (at / 2) as f64 * 17.0)?;
    }
    Ok(())
}
