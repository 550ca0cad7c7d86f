//! The coordinator: hears the page, loads models, plans runs and shares them out to the pool.

use std::{
    cell::{Cell, RefCell},
    rc::Rc,
};

use futures::future::{AbortHandle, abortable};
use gloo_events::EventListener;
use js_sys::Array;
use wasm_bindgen::JsCast;
use wasm_bindgen_futures::spawn_local;
use web_sys::{Blob, DedicatedWorkerGlobalScope, MessageEvent};

use super::{
    bench, failure::Failure, models::chosen_of, notes::Notes, opfs_cache, pool::MOST_MEMBERS, port::post_event,
    replicas::Replicas, run, yield_now::Yielder,
};
use crate::{
    lab::{gateway::notes_begin, origin, result_cache::ResultCache},
    model::{
        catalog::Catalog,
        corpus::CorpusCard,
        source::{Http, fetch::Fetch},
    },
    protocol::{Config, Event, Request, VERSION, Wanted},
};

/// What outlives an operation.
pub struct Coordinator {
    scope: DedicatedWorkerGlobalScope,
    yielder: Yielder,
    base: RefCell<String>,
    afresh: Cell<bool>,
    /// Who holds the model.
    pub(super) replicas: Rc<Replicas>,
    /// What passes have shown before; the model's digest is part of where it lies.
    memory: RefCell<ResultCache>,
    /// The model that was last loaded, where there was no room to keep all of it.
    pub(super) unkept: Rc<RefCell<Option<String>>>,
    /// Files of this device that the person chose, by their paths.
    chosen: RefCell<Vec<(String, Blob)>>,
    current: RefCell<Option<AbortHandle>>,
}

pub(super) fn start(scope: DedicatedWorkerGlobalScope, first: MessageEvent) {
    let coordinator = Rc::new(Coordinator {
        scope: scope.clone(),
        yielder: Yielder::new(),
        base: RefCell::default(),
        afresh: Cell::new(false),
        replicas: Rc::new(Replicas::new(scope.clone())),
        memory: RefCell::default(),
        unkept: Rc::default(),
        chosen: RefCell::default(),
        current: RefCell::default(),
    });
    let hear = move |message: &MessageEvent| {
        // Files that were chosen come behind the request, each behind its path.
        let parts: Option<Array> = message.data().dyn_into().ok();
        if let Some(parts) = &parts {
            *coordinator.chosen.borrow_mut() = chosen_of(parts);
        }
        let text = parts.map_or_else(|| message.data(), |parts| parts.get(0)).as_string().unwrap_or_default();
        match serde_json::from_str(&text) {
            Ok(request) => coordinator.clone().hear(request),
            Err(error) => coordinator.fail(format!(
                "The page sent a message that its engine does not know: {error}. Reload the page without cache \
                 (Ctrl+Shift+R)."
            )),
        }
    };
    // The first message decided the part; it is a request like any other.
    hear(&first);
    EventListener::new(&scope, "message", move |event| hear(event.unchecked_ref())).forget();
}

impl Coordinator {
    fn hear(self: Rc<Coordinator>, request: Request) {
        let coordinator = self.clone();
        match request {
            Request::Start { base, workers, backend, profile, afresh } => {
                self.afresh.set(afresh);
                self.begin(async move { coordinator.start(base, workers, backend, profile).await });
            }
            Request::Load { url, hub, how, rounding } => {
                self.begin(async move {
                    let loaded = coordinator.load(&url, &hub, how, rounding).await;
                    if matches!(loaded, Err(Failure::TooLarge(_))) {
                        // What would fit can be chosen.
                        coordinator.tell_preview(&url, &hub).await;
                    }
                    loaded
                });
            }
            // Beside whatever is under way.
            Request::Preview { url, hub } => spawn_local(async move { coordinator.tell_preview(&url, &hub).await }),
            Request::Kept => spawn_local(async move { coordinator.tell_kept(&[]).await }),
            Request::Remove { names } => spawn_local(async move { coordinator.tell_kept(&names).await }),
            Request::Begun { config } => spawn_local(async move { coordinator.tell_begun(config).await }),
            Request::Run { id, config } => self.begin(async move { run::run(&coordinator, id, &config).await }),
            Request::Bench { url, tokens } => self.begin(async move { bench::run(&coordinator, &url, tokens).await }),
            Request::Alive => spawn_local(async move {
                coordinator.replicas.answered().await;
                coordinator.tell(&Event::Alive);
            }),
            Request::Cancel => {
                self.stop();
                self.tell(&Event::Cancelled);
            }
        }
    }

    /// Runs an operation in place of the one under way.
    fn begin(self: Rc<Coordinator>, work: impl Future<Output = Result<(), Failure>> + 'static) {
        self.stop();
        let (work, handle) = abortable(work);
        *self.current.borrow_mut() = Some(handle);
        spawn_local(async move {
            let ended = work.await;
            let in_vain = !matches!(ended, Ok(Ok(())));
            if let Ok(Err(Failure::Said(sentence) | Failure::TooLarge(sentence))) = ended {
                self.fail(sentence);
            }
            // A load that came to nothing leaves the model that was there before.
            if in_vain && self.replicas.model().is_some() {
                self.tell(&Event::StillThere);
            }
        });
    }

    fn stop(&self) {
        if let Some(current) = self.current.borrow_mut().take() {
            current.abort();
        }
        self.replicas.cancel();
    }

    pub(super) fn tell(&self, event: &Event) {
        post_event(&self.scope, event);
    }

    fn fail(&self, message: String) {
        self.tell(&Event::Failed { message });
    }

    pub(super) fn scope(&self) -> &DedicatedWorkerGlobalScope {
        &self.scope
    }

    pub(super) fn base(&self) -> String {
        self.base.borrow().clone()
    }

    pub(super) fn yielder(&self) -> &Yielder {
        &self.yielder
    }

    pub(super) fn site(&self) -> Http<Fetch> {
        Http::new(&self.base.borrow(), Fetch::default())
    }

    /// What passes have shown before; none where everything is to be computed afresh.
    pub(super) fn memory(&self) -> Option<&RefCell<ResultCache>> {
        (!self.afresh.get()).then_some(&self.memory)
    }

    pub(super) fn chosen(&self) -> Vec<(String, Blob)> {
        self.chosen.borrow().clone()
    }

    /// Says what a model is, before its weights are asked for.
    async fn tell_preview(&self, url: &str, hub: &str) {
        match self.preview(url, hub).await {
            Ok(previewed) => self.tell(&Event::Preview(Ok(previewed))),
            Err(Failure::Said(sentence) | Failure::TooLarge(sentence)) => self.tell(&Event::Preview(Err(sentence))),
            Err(Failure::Silent) => {}
        }
    }

    /// Drops kept models by name, and says what is kept.
    pub(super) async fn tell_kept(&self, without: &[String]) {
        opfs_cache::forget(&self.scope, without).await;
        if !without.is_empty() {
            self.unkept.take();
        }
        let unkept = self.unkept.borrow().clone();
        self.tell(&Event::Kept(opfs_cache::keeping(&self.scope, unkept).await));
    }

    /// Says whether notes of a search with these settings on this model are there.
    async fn tell_begun(&self, config: Box<Config>) {
        let begun = match (&*config, self.replicas.model(), self.replicas.backend()) {
            (Config::Gateway(search), Some(model), Some(backend)) => {
                let name = notes_begin(search, &origin::without_texts(&model, backend));
                Notes::any(&self.scope, &name).await
            }
            _ => false,
        };
        self.tell(&Event::Begun { config, begun });
    }

    async fn start(&self, base: String, workers: usize, wanted: Wanted, profile: bool) -> Result<(), Failure> {
        let cores = self.scope.navigator().hardware_concurrency() as usize;
        let size = if workers == 0 { cores.clamp(1, MOST_MEMBERS) } else { workers.min(MOST_MEMBERS) };
        *self.base.borrow_mut() = base;
        let pool = self.replicas.start(size, wanted, profile).await?;
        self.tell(&Event::Ready {
            version: VERSION.to_string(),
            backend: pool.backend().to_string(),
            why: pool.why().to_string(),
            workers: pool.size(),
        });
        let site = self.site();
        let lacking = |fault| Failure::of_site(&fault);
        let catalog = Catalog::read(&site).await.map_err(lacking)?;
        let corpora = CorpusCard::read_all(&site).await.map_err(lacking)?;
        self.tell(&Event::Catalog { catalog, corpora });
        Ok(())
    }
}
