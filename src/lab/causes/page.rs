//! What goes before a loss: tokenization, alignment, redundancy, and the paths between them.

use std::sync::Arc;

use leptos::prelude::*;

use crate::components::{
    chart::ChartView,
    footnotes::Footnotes,
    lab::{LabShell, asked, sees_layers},
    quantization::Quantization,
    reference::ReferenceField,
    save::SaveChart,
    select::{ShownPart, offers},
    setting::Field,
    table::SortableTable,
    term::Prose,
    texts::Texts,
    threshold::Threshold,
};
use crate::lab::causes::{self, Config, Pair, Report, Scm};
use crate::protocol::Kind;
use crate::report::format;
use crate::state::State;

/// The page `#/causes`.
pub fn view() -> AnyView {
    let told = |config: &causes::Config| sees_layers(&config.texts, config.quantizer.bits);
    let (chosen, hint) = asked(Kind::Causes, told);
    let result = |id, report| view! { <ResultView id report/> }.into_any();
    view! {
        <LabShell title="What goes before a loss?" kind=Kind::Causes chosen hint result before>
            <Texts/>
            <Measures/>
            <Quantization/>
            <Threshold note="R̂ is the share of a language's activation in outlier layers. Where no layer is one, the heavier half is taken."/>
        </LabShell>
    }
    .into_any()
}

/// What T is, and with whom alignment is.
#[component]
fn Measures() -> impl IntoView {
    view! {
        <section class="panel" aria-labelledby="measures-heading">
            <h2 id="measures-heading">"What is measured"</h2>
            <Field key=Config::KEYS.quality/>
            <ReferenceField label="Alignment A is with"/>
        </section>
    }
}

#[component]
fn ResultView(id: u64, report: Arc<Report>) -> impl IntoView {
    let notes = causes::footnotes(&report);
    view! {
        <section id="result" class="panel result" data-run=id.to_string() aria-labelledby="result-heading">
            <h2 id="result-heading">"What goes before a loss"</h2>
            <p id="sentence" class="sentence" aria-live="polite">{causes::sentence(&report)}</p>
            {paths_view(&report).into_any()}
            {pairs_view(report.clone()).into_any()}
            {simulation(report.clone()).into_any()}
            <div class="block">
                <h3>"What this says of the claims"</h3>
                <SortableTable id="verdicts" label="Claims and verdicts" table=causes::verdict_table(&report)/>
            </div>
            <Footnotes notes/>
        </section>
    }
}

fn paths_view(report: &Report) -> Option<impl IntoView + use<>> {
    let drawing = Arc::new(causes::paths_chart(report, report.paths.as_ref()?));
    let (stem, table) = (format!("{}-paths", causes::file_stem(report)), causes::paths_table(report));
    Some(view! {
        <div class="block">
            <h3>{drawing.title.clone()}</h3>
            <ChartView id="paths" label="Coefficient of each path" mark="path" drawing=drawing.clone()/>
            <SaveChart id="paths" stem drawing table=table.clone()/>
            <SortableTable id="paths-table" label="Coefficient of each path" table/>
        </div>
    })
}

fn pairs_view(report: Arc<Report>) -> impl IntoView {
    let pair = RwSignal::new(Pair::AlignmentLoss);
    let of = report.clone();
    let scatter = move || {
        let pair = pair.get();
        causes::scatter(&of, pair).map(|drawing| {
            let drawing = Arc::new(drawing);
            let stem = format!("{}-{}", causes::file_stem(&of), pair.key());
            view! {
                <h3>{drawing.title.clone()}</h3>
                <ChartView id="scatter" label="Two figures of each language" mark="language" drawing=drawing.clone()/>
                <SaveChart id="scatter" stem drawing table=causes::scatter_table(&of, pair)/>
            }
        })
    };
    view! {
        <div class="block">
            <div class="picks">
                <ShownPart id="pair" label="Figures" offered=offers(Pair::ALL, Pair::key, Pair::title) shown=pair/>
            </div>
            {scatter}
            <SortableTable id="table" label="T, A, R and D of each language" table=causes::table(&report)/>
        </div>
    }
}

/// A coefficient of the simulated model: id, title, least, most, and where it stands.
type Coefficient = (&'static str, &'static str, f64, f64, fn(&mut Scm) -> &mut f64);

const COEFFICIENTS: [Coefficient; 4] = [
    ("beta1", "β₁, T → A", 0.05, 2.0, |scm| &mut scm.beta1),
    ("beta2", "β₂, A → R", 0.05, 2.0, |scm| &mut scm.beta2),
    ("gamma", "γ, R → D", 0.05, 3.0, |scm| &mut scm.gamma),
    ("noise", "noise ε", 0.0, 0.5, |scm| &mut scm.noise),
];

/// The simulated model moves with its sliders, without another run.
fn simulation(report: Arc<Report>) -> impl IntoView {
    let state: State = expect_context();
    let scm = Memo::new(move |_| state.settings.get(Config::KEYS.scm));
    let slider = move |(id, title, least, most, of): Coefficient| {
        let value = move || *of(&mut scm.get());
        view! {
            <label class="field" for=id>{title} " = " <output>{move || format::figure(value())}</output></label>
            <input id=id type="range" min=least max=most step="0.01" prop:value=move || value().to_string() on:input=move |ev| {
                if let Ok(place) = event_target_value(&ev).parse::<f64>() {
                    state.settings.update(Config::KEYS.scm, |scm| *of(scm) = place);
                }
            }/>
        }
    };
    let chart = move || {
        let scm = scm.get();
        let drawing = Arc::new(causes::intervene_chart(&report, &scm));
        let stem = format!("{}-do", causes::file_stem(&report));
        view! {
            <h3>{drawing.title.clone()}</h3>
            <p id="do-sentence" class="note">{causes::intervene_sentence(&report, &scm)}</p>
            <ChartView id="do" label="D under do(T)" mark="place" drawing=drawing.clone()/>
            <SaveChart id="do" stem drawing table=causes::intervene_table(&report, &scm)/>
        }
    };
    view! {
        <div class="block">
            <div class="picks" role="group" aria-label="Coefficients of the simulated model">
                {COEFFICIENTS.into_iter().map(|own| view! { <div>{slider(own)}</div> }).collect_view()}
            </div>
            {chart}
        </div>
    }
}

/// What stands where the result will be.
fn before() -> AnyView {
    view! {
        <p>
            <Prose text="The documents draw a chain: how well a tokenizer fits a language ([T]) decides how well its texts are aligned with those of other languages inside the model ([A]), that decides how much it is carried redundantly ([R]), and that decides what quantization costs it ([D])."/>
        </p>
        <p>
            <Prose text="The page measures all four of every language, fits the chain with its short cuts, and splits the effect of tokenization into what goes through the chain and what goes past it. Beside it stands the theory's own model, simulated, with sliders for its coefficients [β] and [γ]."/>
        </p>
        <p>"Choose and press Run. With few languages the intervals are wide; they are the result."</p>
    }
    .into_any()
}
