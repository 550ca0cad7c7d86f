//! Time of a forward pass on any model folder.

use leptos::prelude::*;

use crate::browser;
use crate::client::{Client, Plan};
use crate::components::profile::ProfilePanel;
use crate::protocol::BenchResult;
use crate::report::format;
use crate::route::{Asked, Bench, MOST_WORKERS};
use crate::state::State;

/// The page `#/bench?model=…&tokens=256&backend=auto&workers=1`. With a model in the link it measures by itself.
#[component]
pub fn BenchPage(
    /// Options of the link.
    bench: Bench,
) -> impl IntoView {
    let state: State = expect_context();
    let json = move || {
        state
            .bench
            .get()
            .map(|result| serde_json::to_string_pretty(&result).expect("a result holds numbers and strings only"))
    };
    view! {
        <div class="bench">
            <section class="panel" aria-labelledby="bench-heading">
                <h1 id="bench-heading">"Speed of the forward pass"</h1>
                <p class="note">
                    "Runs a model over a sequence of tokens and takes the best of several rounds; loading is not counted. With more workers, as many sequences run side by side, and the time is per sequence. On the CPU, rounds in exact mode (what the lab uses) and rounds with fused products (backend=fused) take turns where the browser has them; the faster one is the result."
                </p>
                <Form bench=bench.clone()/>
            </section>
            <div class="read">
            <section class="panel" aria-labelledby="bench-result-heading">
                <h2 id="bench-result-heading">"Result"</h2>
                <p class="note" role="status">{move || match (state.measuring.get(), state.bench.get()) {
                    (true, _) => "Loading and measuring…",
                    (false, Some(_)) => "Measured.",
                    (false, None) => "Nothing measured yet.",
                }}</p>
                {move || state.bench.get().map(figures)}
                <pre id="bench" tabindex="0">{json}</pre>
            </section>
            <ProfilePanel/>
            </div>
        </div>
    }
}

#[component]
fn Form(bench: Bench) -> impl IntoView {
    let state: State = expect_context();
    let client: Client = expect_context();
    let typed = RwSignal::new(bench.model.clone());
    let tokens = RwSignal::new(bench.tokens.to_string());
    let workers = RwSignal::new(bench.asked.workers.to_string());
    // Until the person types, the catalog's default.
    let model = move || {
        typed.get().unwrap_or_else(|| {
            state.catalog.get().map(|catalog| format!("models/{}", catalog.default)).unwrap_or_default()
        })
    };
    let measure = move || {
        let wanted = untrack(|| Bench {
            model: Some(model().trim().to_string()).filter(|model| !model.is_empty()),
            tokens: tokens.get().trim().parse().unwrap_or(0),
            asked: Asked { workers: workers.get().trim().parse().unwrap_or(0), ..bench.asked },
        });
        if wanted == bench {
            // The link is the same, so no change of the fragment will start it.
            if let Some(url) = wanted.model {
                state.error.set(None);
                state.bench.set(None);
                client.start(wanted.asked, Plan::Bench { url, tokens: wanted.tokens });
            }
        } else {
            browser::go(&wanted.fragment());
        }
    };
    view! {
        <form class="bench-form" on:submit=move |ev| { ev.prevent_default(); measure(); }>
            <label class="field" for="bench-model">"Folder URL of the model"</label>
            <input id="bench-model" type="text" inputmode="url" autocomplete="off" required=true prop:value=model
                on:input=move |ev| typed.set(Some(event_target_value(&ev)))/>
            <label class="field" for="bench-tokens">"Tokens per sequence"</label>
            <input id="bench-tokens" type="number" min="2" required=true prop:value=move || tokens.get()
                on:input=move |ev| tokens.set(event_target_value(&ev))/>
            <label class="field" for="bench-workers">"Workers (sequences side by side)"</label>
            <input id="bench-workers" type="number" min="1" max=MOST_WORKERS.to_string() required=true
                prop:value=move || workers.get() on:input=move |ev| workers.set(event_target_value(&ev))/>
            <button id="bench-run" class="primary" type="submit" disabled=move || state.measuring.get()>"Measure"</button>
        </form>
    }
}

fn figures(result: BenchResult) -> impl IntoView {
    view! {
        <dl class="key-figures">
            <div data-figure="tokens_per_second">
                <dt>"Tokens per second"</dt>
                <dd><span class="value">{format::figure(result.tokens_per_second)}</span></dd>
                <dd class="explained">{format!("of one sequence of {}", format::counted(result.tokens as u64, "token"))}</dd>
            </div>
            <div data-figure="milliseconds">
                <dt>"Milliseconds"</dt>
                <dd><span class="value">{format::figure(result.milliseconds)}</span></dd>
                <dd class="explained">{format!("per sequence, best of {}", format::counted(result.rounds as u64, "round"))}</dd>
            </div>
            {result.exact_milliseconds.map(|exact| view! {
                <div data-figure="exact_milliseconds">
                    <dt>"Milliseconds in exact mode"</dt>
                    <dd><span class="value">{format::figure(exact)}</span></dd>
                    <dd class="explained">"in turns with the other, where this browser has fused products"</dd>
                </div>
            })}
            <div data-figure="gflops">
                <dt>"GFLOP/s"</dt>
                <dd><span class="value">{format::figure(result.gflops)}</span></dd>
                <dd class="explained">{format!("{} backend, {}", result.backend, format::counted(result.workers as u64, "worker"))}</dd>
            </div>
        </dl>
    }
}
