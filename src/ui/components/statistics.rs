//! The choices of the bench: data, columns, groups, the family of tests, power.

use gloo_file::File;
use leptos::prelude::*;
use web_sys::HtmlInputElement;

use super::setting::Field;
use crate::browser;
use crate::lab::statistics::Config;
use crate::lab::tables::tables;
use crate::protocol::Kind;
use crate::report::csv::{self, CsvError, MOST_BYTES};
use crate::report::{format, labels};
use crate::sheet::Sheet;
use crate::state::State;

fn get<T>(of: impl Fn(&Sheet) -> T + Copy + Send + Sync + 'static) -> impl Fn() -> T + Copy + Send + Sync {
    let state: State = expect_context();
    move || state.sheet.with(of)
}

fn set(state: State, change: impl FnOnce(&mut Sheet)) {
    state.sheet.update(change);
}

fn told(fault: &CsvError) -> String {
    labels::with_step(&format!("The data is not read: {fault}."), fault.what_to_do())
}

/// Pasted, dropped, or of a report.
#[component]
pub fn DataPanel() -> impl IntoView {
    let state: State = expect_context();
    let text = RwSignal::new(String::new());
    untrack(|| {
        state.sheet.with(|Sheet { data, .. }| {
            if !data.columns.is_empty() {
                text.set(data.write());
            }
        });
        // What could not be read when the page was left is no longer in its field.
        if state.sheet.with(|sheet| !sheet.unread.is_empty()) {
            set(state, |sheet| sheet.unread.clear());
        }
    });
    let take = move |bytes: &[u8]| {
        let read = csv::read(bytes);
        set(state, |sheet| match read {
            Ok(data) => sheet.take(data),
            Err(_) if bytes.iter().all(u8::is_ascii_whitespace) => sheet.take(csv::Data::default()),
            Err(wrong) => sheet.refuse(told(&wrong)),
        });
    };
    let refuse_file = move |sentence: String| {
        text.set(String::new());
        set(state, |sheet| sheet.refuse(sentence));
    };
    let from_file = move |ev: web_sys::Event| {
        let input: HtmlInputElement = event_target(&ev);
        let Some(file) = input.files().and_then(|files| files.get(0)).map(File::from) else { return };
        leptos::task::spawn_local(async move {
            // A little more than allowed is enough to say in which row that ends.
            match browser::read(&file.slice(0, (MOST_BYTES + 1) as u64)).await {
                Ok(bytes) if bytes.len() <= MOST_BYTES => {
                    text.set(String::from_utf8_lossy(&bytes).into_owned());
                    take(&bytes);
                }
                Ok(bytes) => {
                    if let Err(CsvError::TooLarge { most, row, .. }) = csv::read(&bytes) {
                        let came = file.size() as usize;
                        refuse_file(told(&CsvError::TooLarge { came, most, row }));
                    }
                }
                Err(_) => refuse_file(format!(
                    "The browser could not read {}. Choose it again, or paste what is in it.",
                    file.name()
                )),
            }
        });
    };
    let offered = move || {
        let of = |kind: &Kind| {
            let finished = state.finished(*kind)?;
            let names = tables(&finished.report).into_iter().enumerate();
            Some(
                names
                    .map(|(at, (name, _))| (format!("{}-{at}", kind.name()), format!("{}: {name}", kind.name())))
                    .collect::<Vec<_>>(),
            )
        };
        Kind::ALL.iter().filter_map(of).flatten().collect::<Vec<_>>()
    };
    let from_report = move |ev: web_sys::Event| {
        let key = event_target_value(&ev);
        let Some((kind, at)) = key.rsplit_once('-') else { return };
        let kind = Kind::ALL.iter().find(|own| own.name() == kind);
        let finished = kind.and_then(|kind| untrack(|| state.finished(*kind)));
        let at: usize = at.parse().unwrap_or(usize::MAX);
        if let Some((_, table)) = finished.and_then(|finished| tables(&finished.report).into_iter().nth(at)) {
            let written = table.csv();
            take(written.as_bytes());
            text.set(written);
        }
    };
    let notes = get(|sheet| sheet.data.notes());
    let (read, fault) = (get(Sheet::told), get(|sheet| sheet.unread.clone()));
    view! {
        <section class="panel" aria-labelledby="data-heading">
            <h2 id="data-heading">"Data"</h2>
            <label class="field" for="data">"Paste CSV; its first row names the columns"</label>
            <textarea
                id="data"
                class="wide"
                rows="8"
                spellcheck="false"
                prop:value=text
                on:input=move |ev| {
                    let typed = event_target_value(&ev);
                    take(typed.as_bytes());
                    text.set(typed);
                }
            ></textarea>
            <label class="field" for="data-file">"Or choose a file, or drop one here"</label>
            <input id="data-file" class="wide" type="file" accept=".csv,.tsv,.txt,text/csv,text/plain" on:change=from_file/>
            <label class="field" for="data-report">"Or take a table of the last reports"</label>
            <select id="data-report" on:change=from_report>
                <option value="">"none"</option>
                {move || offered().into_iter().map(|(key, name)| view! { <option value=key>{name}</option> }).collect_view()}
            </select>
            <p id="data-fault" class="fault" role="alert">{fault}</p>
            <p id="data-told" class="note">{read}</p>
            <ul class="footnotes">{move || notes().into_iter().map(|note| view! { <li>{note}</li> }).collect_view()}</ul>
        </section>
    }
}

type Named = fn(&mut Sheet) -> &mut std::collections::BTreeSet<String>;

/// One box per column of figures.
fn boxes(name: &'static str, of: Named) -> impl IntoView {
    let state: State = expect_context();
    let columns = get(|sheet| sheet.data.numbers().map(|(name, _)| name.to_string()).collect::<Vec<_>>());
    move || {
        columns()
            .into_iter()
            .map(|column| {
                let (own, shown) = (column.clone(), column.clone());
                let ticked = get(move |sheet| of(&mut sheet.clone()).clone());
                let toggle = move |on: bool| {
                    set(state, |sheet| {
                        if on { of(sheet).insert(own.clone()) } else { of(sheet).remove(&own) };
                    });
                };
                let asked = column.clone();
                view! {
                    <label class="check">
                        <input type="checkbox" name=name value=column prop:checked=move || ticked().contains(&asked) on:change=move |ev| toggle(event_target_checked(&ev))/>
                        <span>{shown}</span>
                    </label>
                }
            })
            .collect_view()
    }
}

fn select(
    id: &'static str,
    title: &'static str,
    none: &'static str,
    offered: impl Fn() -> Vec<String> + Send + Sync + 'static,
    of: fn(&mut Sheet) -> &mut String,
) -> impl IntoView {
    let state: State = expect_context();
    let chosen = get(move |sheet| of(&mut sheet.clone()).clone());
    view! {
        <label class="field" for=id>{title}</label>
        <select id=id on:change=move |ev| { let value = event_target_value(&ev); set(state, |sheet| *of(sheet) = value); }>
            <option value="" prop:selected=move || chosen().is_empty()>{none}</option>
            {move || offered().into_iter().map(|word| {
                let own = word.clone();
                view! { <option value=word.clone() prop:selected=move || chosen() == own>{word.clone()}</option> }
            }).collect_view()}
        </select>
    }
}

/// Which columns go together, what is held constant, and groups of rows.
#[component]
pub fn ColumnsPanel() -> impl IntoView {
    let any = get(|sheet| !sheet.data.columns.is_empty());
    let grouped = get(|sheet| sheet.data.words().next().is_some());
    let parted = get(|sheet| !sheet.split.column.is_empty());
    let numbers = get(|sheet| sheet.data.numbers().map(|(name, _)| name.to_string()).collect());
    let texts = get(|sheet| sheet.data.words().map(|(name, _)| name.to_string()).collect());
    let groups = get(|sheet| sheet.words(&sheet.split.column));
    view! {
        <Show when=any>
            <section class="panel" aria-labelledby="columns-heading">
                <h2 id="columns-heading">"What goes together"</h2>
                <fieldset class="boxes"><legend>"Columns"</legend>{boxes("columns", |sheet| &mut sheet.columns).into_any()}</fieldset>
                {select("target", "Each of them with", "every other", numbers, |sheet| &mut sheet.target).into_any()}
                <fieldset class="boxes"><legend>"Held constant, for partial correlations"</legend>{boxes("given", |sheet| &mut sheet.given).into_any()}</fieldset>
                <Show when=grouped>
                    {select("group-column", "Compare two groups of rows by", "no column", texts, |sheet| &mut sheet.split.column).into_any()}
                    <Show when=parted>
                        {select("group-first", "First group", "choose", groups, |sheet| &mut sheet.split.first).into_any()}
                        {select("group-second", "Second group", "choose", groups, |sheet| &mut sheet.split.second).into_any()}
                    </Show>
                </Show>
            </section>
        </Show>
    }
}

/// Which tests are corrected together.
#[component]
pub fn FamilyPanel() -> impl IntoView {
    let state: State = expect_context();
    let runs = move || {
        let row = |made: &crate::tests_made::Made| (made.run, made.kind.name(), made.tests.len());
        state.tests_made.with(|ledger| ledger.runs().iter().map(row).collect::<Vec<_>>())
    };
    let left_out = get(|sheet| sheet.left_out.clone());
    let toggle = move |run: u64, on: bool| {
        set(state, |sheet| {
            if on {
                sheet.left_out.remove(&run)
            } else {
                sheet.left_out.insert(run)
            };
        });
    };
    view! {
        <section class="panel" aria-labelledby="family-heading">
            <h2 id="family-heading">"Family of tests"</h2>
            <Field key=Config::KEYS.family/>
            <Field key=Config::KEYS.alpha/>
            <fieldset class="boxes">
                <legend>"Counted with the tests of this run"</legend>
                {move || runs().into_iter().map(|(run, kind, tests)| view! {
                    <label class="check">
                        <input type="checkbox" name="ledger" value=run.to_string() prop:checked=move || !left_out().contains(&run) on:change=move |ev| toggle(run, event_target_checked(&ev))/>
                        <span>{labels::as_sentence(&format!("{kind}, run {run}: {}", format::counted(tests as u64, "test")))}</span>
                    </label>
                }).collect_view()}
                <p class="note">"Every test that any page makes is written down here. Leave one out only if you would have left it out before seeing it."</p>
            </fieldset>
        </section>
    }
}

/// What power is worked out for.
#[component]
pub fn PowerPanel() -> impl IntoView {
    view! {
        <section class="panel" aria-labelledby="power-heading">
            <h2 id="power-heading">"Power"</h2>
            <Field key=Config::KEYS.rho/>
            <Field key=Config::KEYS.pairs/>
            <Field key=Config::KEYS.wanted/>
            <Field key=Config::KEYS.permutations/>
        </section>
    }
}
