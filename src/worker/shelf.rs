//! Where models from elsewhere are kept: two private files for each of their files, data and journal.

use std::rc::Rc;

use web_sys::DedicatedWorkerGlobalScope;

use super::files::PrivateFile;
use crate::model::store::{Entry, Shelf};

/// The shelf of this browser.
#[derive(Clone)]
pub struct BrowserShelf {
    scope: DedicatedWorkerGlobalScope,
    /// Hears of a file that there is no room for.
    full: Rc<dyn Fn(&str)>,
}

impl BrowserShelf {
    /// `full` hears of a file that there is no room for.
    pub fn new(scope: &DedicatedWorkerGlobalScope, full: impl Fn(&str) + 'static) -> BrowserShelf {
        BrowserShelf { scope: scope.clone(), full: Rc::new(full) }
    }
}

impl Shelf for BrowserShelf {
    type Disk = PrivateFile;

    async fn entry(&self, key: &str, size: u64) -> Option<Entry<PrivateFile>> {
        let data = PrivateFile::open(&self.scope, &format!("{key}.data")).await?;
        let journal = PrivateFile::open(&self.scope, &format!("{key}.journal")).await?;
        Some(Entry::open(data, journal, size))
    }

    fn full(&self, file: &str) {
        (self.full)(file);
    }
}
