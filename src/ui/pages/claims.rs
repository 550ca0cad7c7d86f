//! What becomes of the theory's claims: one card each, with the figures that decide and the rule by which they do.

use leptos::prelude::*;

use crate::browser;
use crate::claim_choices::{ORDER, asked};
use crate::claims::{self, CLAIMS, Claim, Judged, Ruling};
use crate::client::Client;
use crate::components::{
    model::ModelPanel, quantization::Quantization, run::RunProgress, setting::Placed, texts::Texts,
};
use crate::cost_estimate;
use crate::links::link_of;
use crate::pages::LAB;
use crate::protocol::{Config, Kind};
use crate::queue::Queue;
use crate::report::theory;
use crate::share::View;
use crate::state::{Engine, Finished, Model, Run, State};

/// The page `#/claims`.
pub fn view() -> AnyView {
    // Texts and grid are chosen for all analyses; this one has both.
    provide_context(Placed::new(Kind::Languages));
    // `#/claims?at=T1`, once the cards are there.
    if let Some(id) = browser::asked_for() {
        browser::next_frame(move || browser::show(&format!("claim-{id}")));
    }
    view! {
        <h1 class="unseen-text">"What becomes of the theory's claims?"</h1>
        <div class="lab">
            <div class="choose">
                <ModelPanel/>
                <Texts/>
                <Quantization/>
                <RunAll/>
            </div>
            <div class="read">
                <section class="panel" aria-labelledby="claims-heading">
                    <h2 id="claims-heading">"What becomes of the claims"</h2>
                    <p>
                        "Five documents of theory say why languages should lose differently. Here each of their claims meets a measurement. A verdict is worked out from a report by the rule that stands beside it; where the interval lies on both sides, the claim cannot be decided here. They contradict each other in places; that is said too. "
                        <a href="#/theory">"The theory, statement by statement"</a>"."
                    </p>
                    <Tally/>
                </section>
                {CLAIMS.iter().map(|claim| view! { <CardView claim/> }).collect_view()}
            </div>
        </div>
    }
    .into_any()
}

/// What the page would run for an analysis.
fn config_of(state: State, kind: Kind) -> Result<Config, String> {
    match kind {
        Kind::Statistics => state.statistics().map(Config::from),
        _ => state.around(|around| asked(&state.settings.all(), kind, around, state.card().as_ref())),
    }
}

/// Whether a report is there that such a run would make again.
fn is_there(state: State, config: &Config) -> bool {
    let Model::Loaded(loaded) = state.model.get() else { return false };
    // These two ask nothing of the page's model.
    let of_model = !matches!(config, Config::Family(_) | Config::Statistics(_));
    let same = |finished: Finished| {
        !finished.partial
            && finished.report.config() == *config
            && (!of_model || finished.report.origin().model().is_some_and(|of| of.files == loaded.files))
    };
    state.finished(config.kind()).is_some_and(same)
}

/// Analyses that are to be run, or what is wrong with the choices.
fn missing(state: State, kinds: &[Kind]) -> Result<Vec<Config>, String> {
    let in_order = ORDER.iter().filter(|kind| kinds.contains(kind));
    let allowed = |kind: &Kind| config_of(state, *kind).and_then(|config| state.allowed(config));
    let configs = in_order.map(allowed).collect::<Result<Vec<_>, _>>()?;
    Ok(configs.into_iter().filter(|config| !is_there(state, config)).collect())
}

/// Run all, stop, resume, and how long it takes.
#[component]
fn RunAll() -> impl IntoView {
    let state: State = expect_context();
    let client: Client = expect_context();
    let todo = Memo::new(move |_| missing(state, ORDER));
    let ready =
        Memo::new(move |_| matches!((state.engine.get(), state.model.get()), (Engine::Ready { .. }, Model::Loaded(_))));
    let going = Memo::new(move |_| state.queue.with(Queue::going));
    let stopped = Memo::new(move |_| !going.get() && state.queue.with(|queue| queue.left() > 0));
    let hint = move || match (todo.get(), ready.get()) {
        (Err(sentence), _) => sentence,
        (_, false) => "Run all can be pressed when the model is in.".into(),
        (Ok(todo), true) if todo.is_empty() => "Everything is measured with these choices.".into(),
        (Ok(todo), true) => {
            let analyses = if todo.len() == 1 { "analysis" } else { "analyses" };
            format!(
                "{} {analyses} to run; roughly, that takes {}. What analyses share is computed once.",
                todo.len(),
                time(state, &todo)
            )
        }
    };
    let press = move |_| {
        if stopped.get_untracked() {
            return state.queue.update(Queue::resume);
        }
        if let Ok(todo) = todo.get_untracked() {
            state.error.set(None);
            state.queue.update(|queue| queue.add(todo));
        }
    };
    let stop = move |_| {
        client.cancel();
    };
    view! {
        <div class="run" role="group" aria-label="Run">
            <div class="row">
                <button id="run-all" class="primary" type="button" on:click=press
                    disabled=move || going.get() || !ready.get() || (!stopped.get() && todo.get().map_or(true, |todo| todo.is_empty()))
                >
                    {move || if stopped.get() { "Resume" } else { "Run all" }}
                </button>
                <button id="cancel" type="button" on:click=stop disabled=move || !matches!(state.run.get(), Run::Running { .. })>"Stop"</button>
            </div>
            <Show when=move || state.run.get() != Run::Idle fallback=move || view! { <p id="run-hint" class="note">{hint}</p> }>
                <p id="queue" class="note" aria-live="polite">
                    {move || format!("{} left, this one included.", crate::report::format::counted(state.queue.with(Queue::left) as u64, "run"))}
                </p>
                <RunProgress/>
            </Show>
        </div>
    }
}

/// Roughly, how long runs take.
fn time(state: State, configs: &[Config]) -> String {
    let (Model::Loaded(loaded), Engine::Ready { workers, .. }) = (state.model.get(), state.engine.get()) else {
        return "unknown".into();
    };
    let size = (loaded.parameters, loaded.layers);
    let corpora = state.corpora.get();
    cost_estimate::told(configs.iter().map(|config| cost_estimate::seconds(config, &corpora, size, workers)).sum())
}

/// What the reports that are there say of a claim.
fn judged(state: State, claim: &Claim) -> Vec<Judged> {
    let reports: Vec<_> = claim.by.iter().filter_map(|kind| state.finished(*kind)).filter(|of| !of.partial).collect();
    claims::judge(claim, |kind| reports.iter().map(|of| &*of.report).find(|report| report.kind() == kind))
}

#[component]
fn Tally() -> impl IntoView {
    let state: State = expect_context();
    let told = move || claims::tally(CLAIMS.iter().map(|claim| claims::overall(&judged(state, claim))));
    view! { <p id="tally" class="sentence" aria-live="polite">{told}</p> }
}

/// One claim.
#[component]
fn CardView(claim: &'static Claim) -> impl IntoView {
    let state: State = expect_context();
    let found = Memo::new(move |_| judged(state, claim));
    let word = move || found.with(|found| claims::overall(found)).map_or("open", key);
    let verdict = move || found.with(|found| claims::overall(found)).map_or("not measured yet", claims::ruling);
    let run = move |_| {
        if let Ok(todo) = missing(state, claim.by) {
            state.error.set(None);
            state.queue.update(|queue| queue.add(todo));
        }
    };
    let able = move || {
        matches!((state.engine.get(), state.model.get()), (Engine::Ready { .. }, Model::Loaded(_)))
            && missing(state, claim.by).is_ok_and(|todo| !todo.is_empty())
    };
    let label = format!("Run this one: what measures {}", claim.id);
    view! {
        <article class="panel claim" id=format!("claim-{}", claim.id) data-ruling=word aria-labelledby=format!("claim-{}-words", claim.id)>
            <header>
                <span class="claim-id">{claim.id}</span>
                <h3 id=format!("claim-{}-words", claim.id)>{claim.words}</h3>
                <span class="ruling">{verdict}</span>
            </header>
            <p class="note">
                <a href=format!("#/theory?at={}", theory::anchor(claim.id))>"What the theory says"</a>
                {format!(" (documents {}). Its figure: {}.", claim.documents, claim.figure)}
            </p>
            {claim.contradiction.map(|text| view! { <p class="note contradiction">{text}</p> })}
            {move || found.with(|found| judged_views(found))}
            <div class="row">
                <button type="button" class="quiet" aria-label=label disabled=move || !able() on:click=run>"Run this one"</button>
                {claim.by.iter().map(|kind| measured_on(state, *kind)).collect_view()}
            </div>
        </article>
    }
}

fn key(of: Ruling) -> &'static str {
    match of {
        Ruling::Supported => "supported",
        Ruling::NotSupported => "not-supported",
        Ruling::Undecided => "undecided",
    }
}

/// What the reports say; a rule that gave several verdicts in a row stands below the last of them.
fn judged_views(found: &[Judged]) -> impl IntoView + use<> {
    let view = |(at, own): (usize, &Judged)| {
        let under = if own.under.is_empty() { String::new() } else { format!(" ({})", own.under) };
        let rule = found.get(at + 1).is_none_or(|next| next.rule != own.rule).then(|| own.rule.clone());
        view! {
            <div class="judged" data-ruling=key(own.ruling)>
                <p><strong>{claims::ruling(own.ruling)}</strong>{under}": " {own.measured.clone()}</p>
                {rule.map(|rule| view! { <p class="note">{rule}</p> })}
            </div>
        }
    };
    found.iter().enumerate().map(view).collect_view()
}

/// The page that measures, on what, and the link that repeats it.
fn measured_on(state: State, kind: Kind) -> impl IntoView {
    let path = crate::share::page(kind);
    let title = LAB.iter().find(|page| page.path == path).map_or("", |page| page.title);
    let made = move || {
        let finished = state.finished(kind).filter(|of| !of.partial)?;
        let link = untrack(|| link_of(state, &finished, View::default())).ok();
        let link = link.map(|link| browser::address(&link.to_string()));
        Some(view! {
            <span class="note">{format!("on {}", claims::made_on(&finished.report))}</span>
            {link.map(|href| view! { " · " <a class="reproduce" href=href>"link that repeats it"</a> })}
        })
    };
    view! { <span class="measured"><a href=format!("#/{path}")>{title}</a> " " {made}</span> }
}
