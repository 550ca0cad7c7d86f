//! The lead: hears the page, loads models, plans runs and shares them out to the pool.

use std::{
    cell::{Cell, RefCell},
    rc::Rc,
};

use futures::future::{AbortHandle, abortable};
use js_sys::Array;
use wasm_bindgen::{JsCast, closure::Closure};
use wasm_bindgen_futures::spawn_local;
use web_sys::{Blob, DedicatedWorkerGlobalScope, MessageEvent};

use super::{
    bench,
    breath::Breath,
    load::refill,
    models::chosen_of,
    pool::{MOST_MEMBERS, Pool, PoolError},
    port::post_event,
    run, shelf,
};
use crate::{
    analysis::{AnalysisError, memory::Memory},
    arch::{ArchError, load::Opened},
    backend::cpu::{Cpu, is_cpu},
    model::{
        ModelError,
        catalog::Catalog,
        corpus::CorpusCard,
        source::{Http, fetch::Fetch},
    },
    protocol::{Event, Request, VERSION, Wanted},
};

/// So many failed devices are enough.
const MOST_LOSSES: u32 = 2;

/// Why an operation ended without its result.
pub enum Failure {
    /// A sentence for the person.
    Said(String),
    /// It was cancelled; whoever cancelled it has answered.
    Silent,
}

impl From<PoolError> for Failure {
    fn from(error: PoolError) -> Failure {
        match error {
            PoolError::Failed(sentence) | PoolError::Lost(sentence) => Failure::Said(sentence),
            PoolError::Cancelled => Failure::Silent,
        }
    }
}

macro_rules! said {
    ($($error:ty),*) => { $(impl From<$error> for Failure {
        fn from(error: $error) -> Failure { Failure::Said(error.to_string()) }
    })* };
}
said!(ModelError, ArchError);

impl From<AnalysisError> for Failure {
    fn from(error: AnalysisError) -> Failure {
        match error {
            AnalysisError::Cancelled => Failure::Silent,
            fault => Failure::Said(fault.to_string()),
        }
    }
}

/// What outlives an operation.
pub struct Lead {
    scope: DedicatedWorkerGlobalScope,
    breath: Breath,
    base: RefCell<String>,
    /// Members that there may be.
    most: Cell<usize>,
    /// Members that there are to be.
    size: Cell<usize>,
    wanted: Cell<Wanted>,
    profile: Cell<bool>,
    afresh: Cell<bool>,
    /// What passes have shown before; the model's digest is part of where it lies.
    memory: RefCell<Memory>,
    /// Devices that were lost or ran out of memory so far.
    losses: Cell<u32>,
    pool: RefCell<Option<Rc<Pool>>>,
    model: RefCell<Option<Rc<Opened<Cpu>>>>,
    /// Text of the config of the model that came last.
    config: RefCell<String>,
    /// Which model the pool holds; empty while that is not known.
    seated: RefCell<String>,
    /// Files of this device that the person chose, by their paths.
    chosen: RefCell<Vec<(String, Blob)>>,
    current: RefCell<Option<AbortHandle>>,
}

pub(super) fn start(scope: DedicatedWorkerGlobalScope, first: MessageEvent) {
    let lead = Rc::new(Lead {
        scope: scope.clone(),
        breath: Breath::new(),
        base: RefCell::default(),
        most: Cell::new(1),
        size: Cell::new(1),
        wanted: Cell::default(),
        profile: Cell::new(false),
        afresh: Cell::new(false),
        memory: RefCell::default(),
        losses: Cell::new(0),
        pool: RefCell::default(),
        model: RefCell::default(),
        config: RefCell::default(),
        seated: RefCell::default(),
        chosen: RefCell::default(),
        current: RefCell::default(),
    });
    let receive = Closure::<dyn Fn(MessageEvent)>::new(move |message: MessageEvent| {
        // Files that were chosen come behind the request, each behind its path.
        let parts: Option<Array> = message.data().dyn_into().ok();
        if let Some(parts) = &parts {
            *lead.chosen.borrow_mut() = chosen_of(parts);
        }
        let text = parts.map_or_else(|| message.data(), |parts| parts.get(0)).as_string().unwrap_or_default();
        match serde_json::from_str(&text) {
            Ok(request) => lead.clone().hear(request),
            Err(error) => lead.fail(format!("the page sent a message that the worker does not know: {error}")),
        }
    });
    scope.set_onmessage(Some(receive.as_ref().unchecked_ref()));
    let deliver: &js_sys::Function = receive.as_ref().unchecked_ref();
    // The first message decided the part; it is a request like any other.
    let _ = deliver.call1(&wasm_bindgen::JsValue::NULL, &first);
    receive.forget();
}

/// A model by its files.
fn seat_of(model: &Opened<Cpu>) -> String {
    format!("{} {}", model.file.sha256, model.config_sha256)
}

impl Lead {
    fn hear(self: Rc<Lead>, request: Request) {
        let lead = self.clone();
        match request {
            Request::Start { base, workers, backend, profile, afresh } => {
                self.wanted.set(backend);
                self.profile.set(profile);
                self.afresh.set(afresh);
                self.begin(async move { lead.start(base, workers).await });
            }
            Request::Load { url, hub, how } => self.begin(async move { lead.load(&url, &hub, how).await }),
            // Beside whatever is under way.
            Request::Preview { url, hub } => spawn_local(async move {
                match lead.preview(&url, &hub).await {
                    Ok(previewed) => lead.tell(&Event::Preview(Ok(previewed))),
                    Err(Failure::Said(sentence)) => lead.tell(&Event::Preview(Err(sentence))),
                    Err(Failure::Silent) => {}
                }
            }),
            Request::Kept => spawn_local(async move { lead.tell_kept(&[]).await }),
            Request::Remove { names } => spawn_local(async move { lead.tell_kept(&names).await }),
            Request::Run { id, config } => self.begin(async move { run::run(&lead, id, &config).await }),
            Request::Bench { url, tokens } => self.begin(async move { bench::run(&lead, &url, tokens).await }),
            Request::Cancel => {
                self.stop();
                self.tell(&Event::Cancelled);
            }
        }
    }

    /// Runs an operation in place of the one under way.
    fn begin(self: Rc<Lead>, work: impl Future<Output = Result<(), Failure>> + 'static) {
        self.stop();
        let (work, handle) = abortable(work);
        *self.current.borrow_mut() = Some(handle);
        spawn_local(async move {
            if let Ok(Err(Failure::Said(sentence))) = work.await {
                self.fail(sentence);
            }
        });
    }

    fn stop(&self) {
        if let Some(current) = self.current.borrow_mut().take() {
            current.abort();
        }
        if let Some(pool) = &*self.pool.borrow() {
            pool.cancel();
        }
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

    pub(super) fn breath(&self) -> &Breath {
        &self.breath
    }

    pub(super) fn model(&self) -> Option<Rc<Opened<Cpu>>> {
        self.model.borrow().clone()
    }

    pub(super) fn site(&self) -> Http<Fetch> {
        Http::new(&self.base.borrow(), Fetch::default())
    }

    /// The pool, started anew if there is none: a member that died took it down.
    pub(super) async fn pool(&self) -> Result<Rc<Pool>, Failure> {
        if let Some(pool) = &*self.pool.borrow()
            && pool.alive()
        {
            return Ok(pool.clone());
        }
        // Its memory is needed for the next.
        self.pool.borrow_mut().take();
        self.seated.borrow_mut().clear();
        let scope = self.scope.clone();
        let opening = Rc::new(move |done, total| post_event(&scope, &Event::Opening { done, total }));
        let pool = Rc::new(Pool::spawn(self.size.get(), self.wanted.get(), self.profile.get(), opening).await?);
        if let Some(model) = self.model().filter(|model| model.device.holds_all()) {
            self.seat(&pool, &self.config(), &model).await?;
        }
        *self.pool.borrow_mut() = Some(pool.clone());
        Ok(pool)
    }

    /// Another pool with the model on it, after a device was lost or ran out of memory. The first time it may be a passing
    /// trouble; after the second, or where the next device does not take the model, the CPU goes on.
    pub(super) async fn recover(&self, fault: &str) -> Result<Rc<Pool>, Failure> {
        self.losses.set(self.losses.get() + 1);
        self.pool.borrow_mut().take();
        let gives_up = self.losses.get() >= MOST_LOSSES;
        if gives_up {
            self.wanted.set(Wanted::Cpu);
        }
        let (pool, why) = match self.pool().await {
            Ok(pool) if gives_up => (pool, format!("exact mode; WebGPU failed {MOST_LOSSES} times")),
            Ok(pool) => (pool.clone(), pool.why().to_string()),
            Err(Failure::Said(_)) if !gives_up => {
                self.wanted.set(Wanted::Cpu);
                (self.pool().await?, "exact mode; WebGPU failed, and no other device took the model".to_string())
            }
            Err(failure) => return Err(failure),
        };
        let place = if is_cpu(pool.backend()) { "on the CPU" } else { "on a new device" };
        self.tell(&Event::Moved {
            sentence: format!("{}; the run continues {place} from its last finished text", fault.trim_end_matches('.')),
            backend: pool.backend().to_string(),
            why,
            workers: pool.size(),
        });
        Ok(pool)
    }

    /// What passes have shown before; none where everything is to be computed afresh.
    pub(super) fn memory(&self) -> Option<&RefCell<Memory>> {
        (!self.afresh.get()).then_some(&self.memory)
    }

    pub(super) fn config(&self) -> String {
        self.config.borrow().clone()
    }

    /// Sees to it that the pool holds a model. What a Cancel cuts short is done anew the next time.
    pub(super) async fn seat(&self, pool: &Pool, config: &str, model: &Opened<Cpu>) -> Result<(), PoolError> {
        let name = seat_of(model);
        if *self.seated.borrow() != name {
            self.seated.borrow_mut().clear();
            refill(pool, config, &model.device).await?;
            *self.seated.borrow_mut() = name;
        }
        Ok(())
    }

    /// Members that there may be; one where it has a GPU.
    pub(super) async fn most_workers(&self) -> Result<usize, Failure> {
        let pool = self.pool().await?;
        Ok(if is_cpu(pool.backend()) { self.most.get() } else { pool.size() })
    }

    /// Another pool, of so many members.
    pub(super) async fn pool_of(&self, members: usize) -> Result<Rc<Pool>, Failure> {
        self.size.set(members);
        self.pool.borrow_mut().take();
        self.pool().await
    }

    /// The model makes room for the next.
    pub(super) fn forget_model(&self) {
        *self.model.borrow_mut() = None;
        self.seated.borrow_mut().clear();
    }

    /// The model leaves, with the members that hold it.
    pub(super) fn let_go(&self) {
        self.seated.borrow_mut().clear();
        if self.model.borrow_mut().take().is_some_and(|model| model.device.holds_all()) {
            self.pool.borrow_mut().take();
        }
    }

    /// The model that the members hold, where they hold one, or that was looked through.
    pub(super) fn keep(&self, model: Rc<Opened<Cpu>>) {
        if model.device.holds_all() {
            *self.seated.borrow_mut() = seat_of(&model);
        }
        *self.model.borrow_mut() = Some(model);
    }

    pub(super) fn chosen(&self) -> Vec<(String, Blob)> {
        self.chosen.borrow().clone()
    }

    /// Drops kept models by name, and says what is kept.
    async fn tell_kept(&self, without: &[String]) {
        shelf::forget(&self.scope, without).await;
        self.tell(&Event::Kept(shelf::keeping(&self.scope).await));
    }

    pub(super) fn keep_config(&self, config: &str) {
        *self.config.borrow_mut() = config.to_string();
    }

    /// Tells where the time went, where that was asked for.
    pub(super) async fn tell_profile(&self, pool: &Pool) -> Result<(), PoolError> {
        if self.profile.get() {
            self.tell(&Event::Profile(pool.profile().await?));
        }
        Ok(())
    }

    async fn start(&self, base: String, workers: usize) -> Result<(), Failure> {
        let cores = self.scope.navigator().hardware_concurrency() as usize;
        let size = if workers == 0 { cores.clamp(1, MOST_MEMBERS) } else { workers.min(MOST_MEMBERS) };
        self.most.set(size);
        self.size.set(size);
        *self.base.borrow_mut() = base;
        let pool = self.pool().await?;
        self.tell(&Event::Ready {
            version: VERSION.to_string(),
            backend: pool.backend().to_string(),
            why: pool.why().to_string(),
            workers: pool.size(),
        });
        let site = self.site();
        let (catalog, corpora) = (Catalog::read(&site).await?, CorpusCard::read_all(&site).await?);
        self.tell(&Event::Catalog { catalog, corpora });
        Ok(())
    }
}
