//! The lead: hears the page, loads models, plans runs and shares them out to the pool.

use std::{
    cell::{Cell, RefCell},
    rc::Rc,
};

use futures::future::{AbortHandle, abortable};
use wasm_bindgen::{JsCast, closure::Closure};
use wasm_bindgen_futures::spawn_local;
use web_sys::{DedicatedWorkerGlobalScope, MessageEvent, Url};

use super::{
    bench,
    breath::{Breath, now},
    load::{Streaming, refill},
    pool::{MOST_MEMBERS, Pool, PoolError},
    port::post_event,
    run,
    shelf::BrowserShelf,
};
use crate::{
    analysis::{AnalysisError, memory::Memory},
    arch::{
        ArchError,
        load::{Opened, open},
    },
    backend::{Backend, cpu::Cpu},
    model::{
        ModelError,
        catalog::Catalog,
        corpus::CorpusCard,
        hub::{self, Resolved},
        source::{Http, fetch::Fetch},
        store::Kept,
    },
    protocol::{Event, Loaded, Request, VERSION, Wanted},
    share::Place,
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
    current: RefCell<Option<AbortHandle>>,
}

pub(super) fn start(scope: DedicatedWorkerGlobalScope, first: MessageEvent) {
    let lead = Rc::new(Lead {
        scope: scope.clone(),
        breath: Breath::new(),
        base: RefCell::default(),
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
        current: RefCell::default(),
    });
    let receive = Closure::<dyn Fn(MessageEvent)>::new(move |message: MessageEvent| {
        let text = message.data().as_string().unwrap_or_default();
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
            Request::Load { url, hub } => self.begin(async move { lead.load(&url, &hub).await }),
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
        if let Some(model) = self.model() {
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
        let place = if pool.backend() == Cpu.name() { "on the CPU" } else { "on a new device" };
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

    /// A model's files, what it is called, and where a hub has it.
    async fn find(&self, url: &str, hub: &str) -> Result<(Http<Fetch>, String, Option<Place>), Failure> {
        if let Ok(Place::Hub(reference)) = Place::parse(url) {
            let Resolved { reference, source } = hub::resolve(hub, &reference, Fetch::default()).await?;
            return Ok((source, reference.name().to_string(), Some(Place::Hub(reference))));
        }
        let bad = |_| Failure::Said(format!("\"{url}\" is not the address of a folder"));
        let folder = Url::new_with_base(url, &self.base.borrow()).map_err(bad)?.href();
        let name = folder.trim_end_matches('/').rsplit('/').next().unwrap_or(url).to_string();
        Ok((Http::new(&folder, Fetch::default()), name, None))
    }

    /// Where models from elsewhere are kept.
    fn shelf(&self) -> BrowserShelf {
        let scope = self.scope().clone();
        BrowserShelf::new(&scope.clone(), move |file| {
            let sentence = format!("there is no room to keep {file} for the next visit; this run goes on from memory");
            post_event(&scope, &Event::Note { sentence });
        })
    }

    /// Streams a model into the lead and the pool.
    pub(super) async fn open(
        &self,
        url: &str,
        hub: &str,
        pool: &Rc<Pool>,
    ) -> Result<(Rc<Opened<Cpu>>, Option<Place>), Failure> {
        let (source, name, found) = self.find(url, hub).await?;
        // The site's own models are kept with the page.
        let own = matches!(Place::parse(url), Ok(Place::Site(_)));
        *self.model.borrow_mut() = None;
        self.seated.borrow_mut().clear();
        let mut streaming = Streaming::new(self, pool.clone());
        let opened = if own {
            open(Cpu, &source, &name, &mut streaming).await?
        } else {
            open(Cpu, &Kept { source, shelf: self.shelf() }, &name, &mut streaming).await?
        };
        let opened = Rc::new(opened);
        streaming.delivered().await?;
        *self.seated.borrow_mut() = seat_of(&opened);
        *self.model.borrow_mut() = Some(opened.clone());
        Ok((opened, found))
    }

    async fn load(&self, url: &str, hub: &str) -> Result<(), Failure> {
        let began = now();
        let pool = self.pool().await?;
        let (opened, found) = self.open(url, hub, &pool).await?;
        let spec = &opened.device.spec;
        self.tell(&Event::Loaded(Loaded {
            name: opened.name.clone(),
            architecture: spec.architecture.to_string(),
            layers: spec.blocks.len(),
            width: spec.width,
            context: spec.context,
            vocabulary: spec.vocabulary,
            parameters: opened.device.full().bytes() / 4,
            bytes: opened.file.bytes,
            seconds: (now() - began) / 1000.0,
            sha256: opened.file.sha256.clone(),
            found: found.map(|place| place.to_string()),
            card: opened.card.clone(),
        }));
        Ok(())
    }
}
