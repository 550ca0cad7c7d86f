//! Models that were screened in this browser, kept from visit to visit; see [`Ledger`].

use leptos::prelude::*;

use super::browser;
use super::state::Finished;
use crate::lab::screening::Ledger;
use crate::protocol::Report;
use crate::report::words;

/// Under which name they are kept.
const MODELS: &str = "fairbits-models";

/// The ledger, and what was wrong with what lay there.
#[derive(Clone, Copy)]
pub struct Models {
    /// As it stands.
    pub ledger: RwSignal<Ledger>,
    /// A sentence where what had been kept could not be read.
    pub fault: RwSignal<Option<String>>,
}

impl Models {
    /// What was kept.
    pub fn new() -> Models {
        let (ledger, fault) = match browser::kept(MODELS).map(|text| Ledger::parse(&text)) {
            None => (Ledger::default(), None),
            Some(Ok(ledger)) => (ledger, None),
            Some(Err(fault)) => (Ledger::default(), Some(words::as_sentence(&fault.to_string()))),
        };
        Models { ledger: RwSignal::new(ledger), fault: RwSignal::new(fault) }
    }

    /// Takes in a whole screening.
    pub fn record(self, finished: &Finished) {
        if let (Report::Screening(report), false) = (&*finished.report, finished.partial) {
            self.change(|ledger| ledger.add(report, finished.from_file));
        }
    }

    /// Changes it here and where it is kept. Another tab may have added to it meanwhile, so that it is read anew.
    pub fn change(self, change: impl FnOnce(&mut Ledger)) {
        let mut ledger = browser::kept(MODELS).and_then(|text| Ledger::parse(&text).ok()).unwrap_or_default();
        change(&mut ledger);
        browser::keep(MODELS, &ledger.to_json());
        self.ledger.set(ledger);
    }
}

impl Default for Models {
    fn default() -> Models {
        Models::new()
    }
}
