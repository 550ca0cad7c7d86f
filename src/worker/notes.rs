//! What must outlive a run and a page. A browser without private storage, or with the file open in another tab, keeps no
//! notes; runs go on all the same.

use web_sys::DedicatedWorkerGlobalScope;

use super::files::{self, PrivateFile};
use crate::model::store::Disk;

/// Notes of one run.
pub struct Notes(PrivateFile);

impl Notes {
    /// Opens notes by name, with what is in them. Whoever wrote them checks that they are as they were written.
    pub async fn open(scope: &DedicatedWorkerGlobalScope, name: &str) -> Option<(Notes, Vec<u8>)> {
        let notes = Notes(PrivateFile::open(scope, name, None).await?);
        let mut before = vec![0; usize::try_from(notes.0.size()).unwrap_or_default()];
        let read = notes.0.read(0, &mut before);
        before.truncate(read);
        Some((notes, before))
    }

    /// Whether there are notes whose name begins so, with something in them.
    pub async fn any(scope: &DedicatedWorkerGlobalScope, beginning: &str) -> bool {
        for name in files::names(scope).await {
            if name.starts_with(beginning) && files::size(scope, &name).await > 0 {
                return true;
            }
        }
        false
    }

    /// Adds bytes at the end. A full disk loses them: what was noted before stays whole.
    pub fn add(&self, bytes: &[u8]) {
        let size = self.0.size();
        if !self.0.write(size, bytes) {
            self.0.truncate(size);
        }
        self.0.flush();
    }

    /// Empties them.
    pub fn clear(&self) {
        self.0.truncate(0);
        self.0.flush();
    }
}
