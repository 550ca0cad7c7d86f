//! A report that was saved, shown again without computing anything.

use std::sync::Arc;

use gloo_file::File;
use leptos::prelude::*;
use web_sys::HtmlInputElement;

use crate::browser;
use crate::client::Client;
use crate::lab;
use crate::lab::{import::ImportError, import::MOST_BYTES};
use crate::report::labels;
use crate::state::{Finished, State};

/// `#import`, a file to choose.
#[component]
pub fn Import() -> impl IntoView {
    let state: State = expect_context();
    let client: Client = expect_context();
    let take = move |ev: web_sys::Event| {
        let input: HtmlInputElement = event_target(&ev);
        let Some(file) = input.files().and_then(|files| files.get(0)).map(File::from) else { return };
        leptos::task::spawn_local(async move {
            let name = file.name();
            let told = |fault: ImportError| labels::with_step(&format!("{fault}."), fault.what_to_do());
            let read = match file.size() <= MOST_BYTES as u64 {
                true => {
                    browser::read(&file).await.map_err(|_| "the browser could not read it; choose it again.".into())
                }
                false => Err(told(ImportError::TooLarge { came: file.size() as usize, most: MOST_BYTES })),
            };
            match read.and_then(|bytes| lab::import(&bytes).map_err(told)) {
                Ok(report) => {
                    state.error.set(None);
                    let page = crate::share::page(report.kind());
                    let (id, report) = (client.number(), Arc::new(report));
                    state.show(Finished { id, report, digest: None, seconds: 0.0, partial: false, from_file: true });
                    browser::go(&format!("#/{page}"));
                }
                Err(fault) => state.error.set(Some(format!("{name} is not shown: {fault}"))),
            }
        });
    };
    view! {
        <section class="panel import">
            <label class="field" for="import">"Show a report that was saved (JSON)"</label>
            <input id="import" type="file" accept=".json,application/json" on:change=take/>
        </section>
    }
}
