//! Which layers to protect: every set, ranked, as the search goes on.

use std::{sync::Arc, time::Duration};

use leptos::prelude::*;

use crate::components::{
    chart::ChartView,
    gateway::GatewayPanel,
    lab::{LabShell, asked, counted},
    quantization::Quantization,
    save::SaveChart,
    select::{Select, or_none, places},
    table::SortableTable,
    term::Prose,
    texts::Texts,
};
use crate::lab::gateway::{self, Branch, Config, Report, Sweep};
use crate::protocol::Kind;
use crate::report::format;
use crate::state::State;

/// Rows of the ranking that are shown at first: more take time to lay out, at every tenth of a search.
const ROWS: usize = 100;
/// Steps of the slider from the least compression to the largest.
const STEPS: f64 = 200.0;

/// How the person reads the result. It outlives a report, of which a search sends one after another.
#[derive(Clone, Copy)]
struct Reading {
    /// The size that is ranked; none for the first.
    size: RwSignal<Option<usize>>,
    /// Only sets that hold this layer.
    holds: RwSignal<Option<usize>>,
    /// E_min as a share of the way from the least compression to the largest.
    least: RwSignal<f64>,
}

impl Reading {
    fn size(self, report: &Report) -> Option<usize> {
        let chosen = self.size.get().filter(|size| gateway::sizes(report).contains(size));
        chosen.or_else(|| gateway::first_size(report))
    }

    fn holds(self, report: &Report) -> Option<usize> {
        self.holds.get().filter(|layer| *layer < report.layers.len())
    }
}

/// The page `#/gateway`.
pub fn view() -> AnyView {
    let state: State = expect_context();
    provide_context(Reading { size: RwSignal::new(None), holds: RwSignal::new(None), least: RwSignal::new(0.5) });
    let layers = Memo::new(move |_| state.layer_count());
    let (chosen, hint) = asked(Kind::Gateway, move |config| told(config, layers.get()));
    let result = |id, report| view! { <ResultView id report/> }.into_any();
    view! {
        <LabShell title="Which layers should be protected?" kind=Kind::Gateway chosen hint result before>
            <Texts/>
            <Quantization/>
            <GatewayPanel layers/>
        </LabShell>
    }
    .into_any()
}

/// What a run will do, and how much of it sets share.
fn told(config: &Config, layers: usize) -> String {
    let family = config.family(layers);
    let sets = u64::try_from(family.count(Branch::ROOT)).unwrap_or(u64::MAX);
    let texts = counted(&config.texts);
    format!(
        "{} × {texts}: {} layer evaluations of each text instead of {}, because sets that begin alike share the work. A \
         search that was stopped goes on where it stopped, also after the tab was closed.",
        format::counted(sets, "set"),
        format::count(family.steps(Branch::ROOT) as u64),
        format::count(sets * layers as u64)
    )
}

/// A report of the search, and whether it is of a part.
type Shown = (Arc<Report>, bool);

/// Milliseconds between two blocks of the page that take in a new report: time for a frame, and for what the person does.
const BETWEEN_BLOCKS_MS: u64 = 40;

/// The newest report for each block of the page, one block after another: all at once would hold the page up.
fn in_turn<const BLOCKS: usize>(newest: Signal<Option<Shown>>, first: &Shown) -> [RwSignal<Shown>; BLOCKS] {
    let blocks = [(); BLOCKS].map(|()| RwSignal::new(first.clone()));
    Effect::new(move |before: Option<()>| {
        let shown = newest.get();
        if before.is_none() {
            return;
        }
        for (place, block) in blocks.into_iter().enumerate() {
            let shown = shown.clone();
            let take = move || {
                // The page may have been left meanwhile.
                if let (Some(shown), false) = (shown, block.is_disposed()) {
                    block.set(shown);
                }
            };
            set_timeout(take, Duration::from_millis(BETWEEN_BLOCKS_MS * place as u64));
        }
    });
    blocks
}

#[component]
fn ResultView(id: u64, report: Arc<Report>) -> impl IntoView {
    let state: State = expect_context();
    let reading: Reading = expect_context();
    let newest = Signal::derive(move || -> Option<Shown> {
        let shown = state.finished(Kind::Gateway).filter(|shown| shown.id == id)?;
        let report = <&Report>::try_from(&*shown.report).ok()?.clone();
        Some((Arc::new(report), shown.partial))
    });
    let first = untrack(|| newest.get()).unwrap_or_else(|| (report.clone(), false));
    let [said, ranked, mapped, front, swept, judged] = in_turn(newest, &first);
    let unit = state.corpora.with_untracked(|corpora| {
        corpora.iter().find(|corpus| corpus.name == report.config.texts.corpus).map(|corpus| corpus.unit.clone())
    });
    let unit = unit.unwrap_or_else(|| "text".into());
    let size = Memo::new(move |_| reading.size(&ranked.get().0));
    let sentence = move || match (said.get().0, size.get()) {
        (report, Some(size)) => gateway::sentence(&report, size),
        (report, None) => gateway::so_far(&report).map(|text| format!("{text}.")).unwrap_or_default(),
    };
    let notes = move || {
        let notes = gateway::footnotes(&judged.get().0, &unit);
        notes.into_iter().map(|note| view! { <li>{note}</li> }).collect_view()
    };
    let word = move || if judged.get().1 { "partial" } else { "whole" };
    view! {
        <section id="result" class="panel result" data-run=id.to_string() data-state=word aria-labelledby="result-heading">
            <h2 id="result-heading">"Which layers to protect"</h2>
            <p id="sentence" class="sentence" aria-live="polite">{sentence}</p>
            <Ranking ranked mapped size/>
            {move || view! { <Front report=front.get().0/> }}
            {move || view! { <Sweeps report=swept.get().0/> }}
            {move || {
                let (report, partial) = judged.get();
                view! {
                    <Judged report=report.clone() size partial/>
                    <div class="block">
                        <h3>"What is known of each layer beforehand"</h3>
                        <SortableTable id="layers-table" label="Kurtosis, output error and variance of each layer" table=gateway::layers_table(&report)/>
                    </div>
                }
            }}
            <ul class="footnotes">{notes}</ul>
        </section>
    }
}

/// The sets of a size: table, pairs, top.
#[component]
fn Ranking(ranked: RwSignal<Shown>, mapped: RwSignal<Shown>, size: Memo<Option<usize>>) -> impl IntoView {
    let reading: Reading = expect_context();
    let table = move || {
        let (ranked, _) = ranked.get();
        let (size, holds) = (size.get()?, reading.holds(&ranked));
        let part = Some(format!("{size}-layers"));
        Some(view! {
            <div class="tall">
                <SortableTable id="table" label="Sets of layers by disparity" table=gateway::ranking_table(&ranked, size, holds) most=Some(ROWS) part/>
            </div>
        })
    };
    let maps = move || {
        let ((mapped, _), size) = (mapped.get(), size.get()?);
        let (pairs, top) = (Arc::new(gateway::pairs(&mapped, size)), Arc::new(gateway::top_heat(&mapped, size)));
        let stem = format!("{}-{size}-layers", gateway::file_stem(&mapped));
        Some(view! {
            <div class="block">
                <h3>{pairs.title.clone()}</h3>
                <p class="note">"Each cell is the best set that holds both layers; lighter is better."</p>
                <ChartView id="pairs" label="Least disparity with each pair of layers" mark="pair" drawing=pairs.clone()/>
                <SaveChart id="pairs" stem=format!("{stem}-pairs") drawing=pairs table=gateway::pairs_table(&mapped, size)/>
            </div>
            <div class="block">
                <h3>{top.title.clone()}</h3>
                <ChartView id="top" label="How often each layer stands in the best sets" mark="layer" drawing=top.clone()/>
                <SaveChart id="top" stem=format!("{stem}-top") drawing=top table=gateway::top_table(&mapped, size)/>
                <SortableTable id="top-table" label="Share of the best sets that hold each layer" table=gateway::top_table(&mapped, size)/>
            </div>
        })
    };
    view! {
        <div class="block">
            <h3>"The ranking"</h3>
            <div class="picks">{move || view! { <Picks report=ranked.get().0 size/> }}</div>
            {table}
        </div>
        {maps}
    }
}

/// Which size, and which layer the sets must hold.
#[component]
fn Picks(report: Arc<Report>, size: Memo<Option<usize>>) -> impl IntoView {
    let reading: Reading = expect_context();
    let (sizes, layers) = (gateway::sizes(&report), report.layers.len());
    let holds = Memo::new(move |_| reading.holds(&report));
    let sizes = sizes.into_iter().map(|own| (own.to_string(), own.to_string(), Some(own))).collect::<Vec<_>>();
    let layers = or_none("any", "any layer", places((0..layers).map(|own| format!("layer {own}"))));
    view! {
        <div><Select id="size" label="Layers protected" offered=sizes chosen=size choose=move |own| reading.size.set(own)/></div>
        <div><Select id="holds" label="Only sets that contain" offered=layers chosen=holds choose=move |own| reading.holds.set(own)/></div>
    }
}

/// Disparity against memory, and the best set that is small enough.
#[component]
fn Front(report: Arc<Report>) -> impl IntoView {
    let reading: Reading = expect_context();
    let stem = format!("{}-front", gateway::file_stem(&report));
    let chart = gateway::front_chart(&report).map(|drawing| {
        let drawing = Arc::new(drawing);
        view! {
            <h3>{drawing.title.clone()}</h3>
            <p class="note">"Every set evaluated is a grey point; lines through dots are 95% intervals."</p>
            <ChartView id="front" label="Disparity of every set against its memory" mark="set" drawing=drawing.clone()/>
            <SaveChart id="front" stem drawing table=gateway::everything_table(&report)/>
        }
    });
    let constraint = gateway::reach(&report).map(|(low, high)| {
        let least = move || low + (high - low) * reading.least.get();
        let shown = move || format!("E ≥ {}", format::fixed(least(), 2));
        view! {
            <label class="field" for="least">"Least disparity under a bound on memory: " <output id="least-value">{shown}</output></label>
            <input
                id="least"
                type="range"
                min="0"
                max=STEPS.to_string()
                step="1"
                aria-valuetext=shown
                prop:value=move || (reading.least.get() * STEPS).to_string()
                on:input=move |ev| {
                    if let Ok(step) = event_target_value(&ev).parse::<f64>() {
                        reading.least.set((step / STEPS).clamp(0.0, 1.0));
                    }
                }
            />
            <p id="within" class="note" aria-live="polite">{move || gateway::within(&report, least())}</p>
        }
    });
    view! { <div class="block">{chart}{constraint}</div> }
}

/// One layer at a time, both ways, and pairs against the sum.
#[component]
fn Sweeps(report: Arc<Report>) -> impl IntoView {
    let stem = gateway::file_stem(&report);
    let ways = [
        (Sweep::Only, "only", "Disparity with only one layer protected"),
        (Sweep::AllBut, "all-but", "Disparity with all layers but one protected"),
    ];
    let charts = ways.into_iter().filter(|_| report.config.sweeps).filter_map(|(sweep, id, label)| {
        let drawing = Arc::new(gateway::sweep_chart(&report, sweep)?);
        Some(view! {
            <div class="block">
                <h3>{drawing.title.clone()}</h3>
                <ChartView id label mark="layer" drawing=drawing.clone()/>
                <SaveChart id stem=format!("{stem}-{id}") drawing table=gateway::sweep_table(&report)/>
            </div>
        })
    });
    let charts = charts.collect_view();
    let table = report.config.sweeps.then(|| view! {
        <SortableTable id="sweeps-table" label="Disparity with only one layer protected and with all but one" table=gateway::sweep_table(&report)/>
    });
    let interactions = gateway::interactions(&report).map(|drawing| {
        let drawing = Arc::new(drawing);
        view! {
            <div class="block">
                <h3>{drawing.title.clone()}</h3>
                <p class="note">
                    "D({i, j}) − D({i}) − D({j}) + D(∅), where D is disparity. Below 0, two layers together help more than the sum of both; 0 everywhere is what every method assumes that adds up the effects of single layers."
                </p>
                <ChartView id="interactions" label="Interaction of each pair of layers" mark="pair" drawing=drawing.clone()/>
                <SaveChart id="interactions" stem=format!("{stem}-interactions") drawing table=gateway::interactions_table(&report)/>
            </div>
        }
    });
    view! { {charts}{table}{interactions} }
}

/// What others would have picked, and the verdicts; both need every set.
#[component]
fn Judged(report: Arc<Report>, size: Memo<Option<usize>>, partial: bool) -> impl IntoView {
    let verdicts = (!report.verdicts.is_empty()).then(|| {
        view! {
            <div class="block">
                <h3>"What the ranking says of the claims"</h3>
                <SortableTable id="verdicts" label="Claims and verdicts" table=gateway::verdict_table(&report)/>
            </div>
        }
    });
    let picks = move || {
        let size = size.get()?;
        let table = gateway::picks_table(&report, size);
        (!table.keys.is_empty()).then(|| view! {
            <div class="block">
                <h3>{format!("What others would have picked, sets of {}", format::counted(size as u64, "layer"))}</h3>
                <SortableTable id="picks" label="What each method would have protected" table/>
            </div>
        })
    };
    let waiting = partial.then(|| view! {
        <p id="waiting" class="note">"Interactions, what others would have picked, and the verdicts need every set: they come at the end of the search."</p>
    });
    view! { {waiting}{picks}{verdicts} }
}

/// What stands where the result will be.
fn before() -> AnyView {
    view! {
        <p>
            <Prose text="A few layers can be kept in full precision while all others are rounded. The theory says which: the first, the last, and one at three quarters of the depth, because there languages meet the model's gateways. Most studies try a handful of such sets; this page tries all of them, exactly, and ranks them by [disparity]."/>
        </p>
        <ol class="steps">
            <li>"Sets that begin with the same layers share the work up to where they part, so a search takes less than half of what its sets would take one by one. The figures have the same bits."</li>
            <li>"The ranking appears after the first tenth of the search and is renewed after each. Cancel keeps what is there."</li>
            <li>"At the end the page shows what cheaper methods would have picked and what that costs, which layers interact, and what all this says of the theory's claims."</li>
        </ol>
        <p>"Choose and press Run. Three languages and two articles each take a minute or two; time grows with the number of texts."</p>
    }
    .into_any()
}
