//! Where models from elsewhere are kept: for each of their files, its data, a journal, and whose file it is.

use std::{
    cell::RefCell,
    collections::BTreeMap,
    rc::{Rc, Weak},
};

use serde::{Deserialize, Serialize};
use web_sys::DedicatedWorkerGlobalScope;

use super::{
    files::{self, PrivateFile},
    lock::Lock,
    yield_now::Yielder,
};
use crate::{
    model::store::{CacheEntry, Disk, FileCache},
    protocol::{Keeping, KeptModel},
};

/// What a file that is kept is called: its key and one of these.
const ENDINGS: [&str; 3] = [".data", ".journal", ".about"];
/// What files of models are called whose name was not noted.
const UNNAMED: &str = "without a name";

/// Whose file it is.
#[derive(Serialize, Deserialize)]
struct About {
    /// The model's name.
    model: String,
    /// When it was last read, in milliseconds since 1970.
    read: f64,
}

/// The cache of this browser.
#[derive(Clone)]
pub struct OpfsCache {
    scope: DedicatedWorkerGlobalScope,
    /// Whose files are put there.
    model: Rc<str>,
    /// Hears of a file that there is no room for.
    full: Rc<dyn Fn(&str)>,
    /// Hears that another tab has a file.
    waiting: Rc<dyn Fn()>,
    yielder: Rc<Yielder>,
    /// Locks of this load, by key: who waits for itself waits for ever.
    own: Rc<RefCell<BTreeMap<String, Weak<Lock>>>>,
}

impl OpfsCache {
    /// For the files of a model. `full` hears of a file that there is no room for, `waiting` that another tab has one.
    pub fn new(
        scope: &DedicatedWorkerGlobalScope,
        model: &str,
        full: impl Fn(&str) + 'static,
        waiting: impl Fn() + 'static,
    ) -> OpfsCache {
        OpfsCache {
            scope: scope.clone(),
            model: model.into(),
            full: Rc::new(full),
            waiting: Rc::new(waiting),
            yielder: Rc::new(Yielder::new()),
            own: Rc::default(),
        }
    }

    /// Notes whose file it is and that it is read now. Nothing but the list of what is kept depends on it.
    async fn note(&self, key: &str) {
        let about = About { model: self.model.to_string(), read: js_sys::Date::now() };
        let text = serde_json::to_string(&about).unwrap_or_default();
        if let Some(file) = PrivateFile::open(&self.scope, &format!("{key}.about"), None).await {
            file.truncate(0);
            file.write(0, text.as_bytes());
        }
    }
}

/// The name of the lock on a file.
fn lock_of(key: &str) -> String {
    format!("fairbits-{key}")
}

impl FileCache for OpfsCache {
    type Disk = PrivateFile;

    async fn entry(&self, key: &str, size: u64) -> Option<CacheEntry<PrivateFile>> {
        // Two files of one digest are not both kept.
        if self.own.borrow().get(key).is_some_and(|lock| lock.strong_count() > 0) {
            return None;
        }
        let lock = Lock::take(&self.scope, &lock_of(key), &*self.waiting).await.map(Rc::new);
        self.own.borrow_mut().extend(lock.iter().map(|lock| (key.to_string(), Rc::downgrade(lock))));
        self.note(key).await;
        let data = PrivateFile::open(&self.scope, &format!("{key}.data"), lock.clone()).await?;
        let journal = PrivateFile::open(&self.scope, &format!("{key}.journal"), lock).await?;
        Some(CacheEntry::open(data, journal, size))
    }

    async fn remove(&self, key: &str) {
        // Our own lock may not have come back yet.
        let _lock = Lock::take(&self.scope, &lock_of(key), || ()).await;
        remove(&self.scope, key).await;
    }

    fn full(&self, file: &str) {
        (self.full)(file);
    }

    async fn pause(&self) {
        self.yielder.pause().await;
    }
}

async fn remove(scope: &DedicatedWorkerGlobalScope, key: &str) {
    for ending in ENDINGS {
        files::remove(scope, &format!("{key}{ending}")).await;
    }
}

/// Keys of what is kept by the model's name, with what is known of each.
async fn kept(scope: &DedicatedWorkerGlobalScope) -> BTreeMap<String, (Vec<String>, KeptModel)> {
    let mut models = BTreeMap::new();
    for name in files::names(scope).await {
        let Some(key) = name.strip_suffix(".data") else { continue };
        let about = files::text(scope, &format!("{key}.about")).await;
        let about = about.and_then(|text| serde_json::from_str::<About>(&text).ok());
        let About { model, read } = about.unwrap_or(About { model: UNNAMED.into(), read: 0.0 });
        let bytes = files::size(scope, &name).await;
        let fresh = || (Vec::new(), KeptModel { name: model.clone(), bytes: 0, read: 0.0 });
        let (keys, all) = models.entry(model.clone()).or_insert_with(fresh);
        keys.push(key.to_string());
        all.bytes += bytes;
        all.read = all.read.max(read);
    }
    models
}

/// What is kept, and what the browser allows; there was no room for `unkept`.
pub async fn keeping(scope: &DedicatedWorkerGlobalScope, unkept: Option<String>) -> Keeping {
    let mut models: Vec<KeptModel> = kept(scope).await.into_values().map(|(_, model)| model).collect();
    models.sort_by(|a, b| a.read.total_cmp(&b.read));
    let (used, allowed) = files::estimate(scope).await;
    Keeping { models, used, allowed, unkept }
}

/// Drops models by name, but for files that are being read.
pub async fn forget(scope: &DedicatedWorkerGlobalScope, names: &[String]) {
    let kept = kept(scope).await;
    for (keys, _) in names.iter().filter_map(|name| kept.get(name)) {
        for key in keys {
            let lock = Lock::try_take(scope, &lock_of(key)).await;
            if !matches!(lock, Some(None)) {
                remove(scope, key).await;
            }
        }
    }
}
