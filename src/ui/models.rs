//! Models that were screened in this browser, kept from visit to visit; see [`ScreenedModels`].

use leptos::prelude::*;

use super::browser;
use super::state::Finished;
use crate::lab::screening::ScreenedModels;
use crate::protocol::Report;
use crate::report::labels;

/// Under which name they are kept.
const MODELS: &str = "fairbits-models";

/// The screened, and what was wrong with what lay there.
#[derive(Clone, Copy)]
pub struct Models {
    /// As it stands.
    pub screened: RwSignal<ScreenedModels>,
    /// A sentence where what had been kept could not be read.
    pub fault: RwSignal<Option<String>>,
}

impl Models {
    /// What was kept.
    pub fn new() -> Models {
        let (screened, fault) = match browser::kept(MODELS).map(|text| ScreenedModels::parse(&text)) {
            None => (ScreenedModels::default(), None),
            Some(Ok(screened)) => (screened, None),
            Some(Err(fault)) => (ScreenedModels::default(), Some(labels::as_sentence(&fault.to_string()))),
        };
        Models { screened: RwSignal::new(screened), fault: RwSignal::new(fault) }
    }

    /// Takes in a whole screening.
    pub fn record(self, finished: &Finished) {
        if let (Report::Screening(report), false) = (&*finished.report, finished.partial) {
            self.change(|screened| screened.add(report, finished.from_file));
        }
    }

    /// Changes it here and where it is kept. Another tab may have added to it meanwhile, so that it is read anew.
    pub fn change(self, change: impl FnOnce(&mut ScreenedModels)) {
        let mut screened = browser::kept(MODELS).and_then(|text| ScreenedModels::parse(&text).ok()).unwrap_or_default();
        change(&mut screened);
        browser::keep(MODELS, &screened.to_json());
        self.screened.set(screened);
    }
}

impl Default for Models {
    fn default() -> Models {
        Models::new()
    }
}
