//! What helps: ways of rounding at one width, side by side.

use std::sync::Arc;

use leptos::prelude::*;

use crate::components::{
    chart::ChartView,
    footnotes::Footnotes,
    lab::{LabShell, asked, counted},
    quantization::BitsField,
    save::SaveChart,
    setting::placed,
    table::SortableTable,
    term::Prose,
    texts::Texts,
    threshold::Threshold,
    widths::Widths,
};
use crate::lab::mitigation::{self, Config, Method, Report};
use crate::protocol::Kind;
use crate::report::format;
use crate::state::State;

/// The page `#/mitigation`.
pub fn view() -> AnyView {
    let state: State = expect_context();
    let layers = Memo::new(move |_| state.layer_count());
    let told = |config: &mitigation::Config| {
        let texts = counted(&config.texts);
        let methods = format::counted(config.methods.len() as u64, "method");
        format!("{texts}, read in full precision and then once for each distinct set of weights of {methods}.")
    };
    let (chosen, hint) = asked(Kind::Mitigation, told);
    let result = |id, report| view! { <ResultView id report/> }.into_any();
    view! {
        <LabShell title="What helps against disparity?" kind=Kind::Mitigation chosen hint result before>
            <Texts/>
            <section class="panel" aria-labelledby="methods-heading">
                <h2 id="methods-heading">"Methods"</h2>
                <BitsField/>
                <Methods/>
            </section>
            <Threshold note="Strategy B protects the layers above it."/>
            <Widths layers/>
        </LabShell>
    }
    .into_any()
}

#[component]
fn Methods() -> impl IntoView {
    let settings = expect_context::<State>().settings;
    placed(Config::KEYS.methods);
    let compared = Method::ALL.into_iter().filter(|method| *method != Method::Absmax);
    view! {
        <fieldset class="methods">
            <legend>"Compared with absmax"</legend>
            {compared.map(|method| view! {
                <label class="check" title=mitigation::explained(method)>
                    <input
                        type="checkbox"
                        value=mitigation::method_key(method)
                        prop:checked=move || settings.get(Config::KEYS.methods).contains(&method)
                        on:change=move |ev| settings.update(Config::KEYS.methods, |methods| {
                            methods.retain(|own| *own != method);
                            if event_target_checked(&ev) {
                                methods.push(method);
                            }
                        })
                    />
                    <span>{mitigation::method(method)}</span>
                </label>
            }).collect_view()}
        </fieldset>
    }
}

#[component]
fn ResultView(id: u64, report: Arc<Report>) -> impl IntoView {
    let stem = mitigation::file_stem(&report);
    let notes = mitigation::footnotes(&report);
    let disparity = mitigation::chart(&report).map(|drawing| {
        let drawing = Arc::new(drawing);
        view! {
            <h3>{drawing.title.clone()}</h3>
            <ChartView id="chart" label="Disparity by method" mark="method" drawing=drawing.clone()/>
            <SaveChart id="chart" stem=stem.clone() drawing table=mitigation::table(&report)/>
        }
    });
    let heat = Arc::new(mitigation::heat(&report));
    let confusion = mitigation::confusion(&report).map(|drawing| {
        let (drawing, stem) = (Arc::new(drawing), format!("{stem}-confusion"));
        view! {
            <div class="block">
                <h3>{drawing.title.clone()}</h3>
                <ChartView id="confusion" label="Languages and guesses" mark="cell" drawing=drawing.clone()/>
                <SaveChart id="confusion" stem drawing table=mitigation::confusion_table(&report)/>
            </div>
        }
    });
    view! {
        <section id="result" class="panel result" data-run=id.to_string() aria-labelledby="result-heading">
            <h2 id="result-heading">"What helps"</h2>
            <p id="sentence" class="sentence" aria-live="polite">{mitigation::sentence(&report)}</p>
            <div class="block">
                {disparity}
                <SortableTable id="table" label="What each method costs and saves" table=mitigation::table(&report)/>
            </div>
            <div class="block">
                <h3>{heat.title.clone()}</h3>
                <ChartView id="heat" label="Methods and languages" mark="cell" drawing=heat.clone()/>
                <SaveChart id="heat" stem=format!("{stem}-languages") drawing=heat table=mitigation::heat_table(&report)/>
            </div>
            {confusion}
            <Footnotes notes/>
        </section>
    }
}

/// What stands where the result will be.
fn before() -> AnyView {
    view! {
        <p>
            "There are many ways to round the same weights to the same number of bits. They differ in where the grid ends, in how many weights share a grid, and in which layers are spared. The page runs the same texts under each of them and shows what it costs every language."
        </p>
        <p>
            <Prose text="Differences are paired: both methods meet the same texts, so what the texts have in common drops out of the [interval]."/>
        </p>
        <p>"Choose and press Run."</p>
    }
    .into_any()
}
