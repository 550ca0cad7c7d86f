//! Who holds the model: the members of the pool, whole or only what a run packs. Beside members on the CPU the coordinator holds nothing
//! large: it reads tensors from a member that has them, else again from where the model came.

use std::{
    cell::{Cell, RefCell},
    rc::Rc,
};

use futures::{FutureExt, future::LocalBoxFuture};
use web_sys::DedicatedWorkerGlobalScope;

use super::{
    failure::Failure,
    load::Ahead,
    messages::Ask,
    pool::{Pool, PoolError},
    port::{buffer_of, post_event},
};
use crate::{
    arch::{load::Opened, recipe::Quantization, tensor_reader::TensorReader, tensors::TensorSpec},
    backend::cpu::{Cpu, is_cpu},
    lab::rounding::Rounding,
    model::ModelError,
    protocol::{Event, Files, How, Wanted},
};

/// So many failed devices are enough.
const MOST_LOSSES: u32 = 2;

/// A model that has left its replicas, and all that must be known to have it back.
pub struct Former {
    pub model: Option<Rc<Opened<Cpu>>>,
    pub how: How,
    ahead: Option<Ahead>,
    room: u64,
    config: String,
    /// Members that there were to be.
    size: usize,
}

/// The pool, and the model that came last.
pub struct Replicas {
    scope: DedicatedWorkerGlobalScope,
    /// Members that there may be.
    most: Cell<usize>,
    /// Members that there are to be.
    size: Cell<usize>,
    wanted: Cell<Wanted>,
    profile: Cell<bool>,
    /// Devices that were lost or ran out of memory so far.
    losses: Cell<u32>,
    pool: RefCell<Option<Rc<Pool>>>,
    model: RefCell<Option<Rc<Opened<Cpu>>>>,
    /// How it was loaded.
    how: Cell<How>,
    /// How its matrices were packed when they landed.
    ahead: RefCell<Option<Ahead>>,
    /// Bytes that each member may have of packed weights.
    room: Cell<u64>,
    /// Text of its config.
    config: RefCell<String>,
    /// Which model the pool holds; none while that is not known.
    seated: RefCell<Option<Files>>,
}

fn continues(clause: &str, place: &str) -> String {
    format!("{}; the run continues {place} from its last finished text", clause.trim_end_matches('.'))
}

impl Replicas {
    pub fn new(scope: DedicatedWorkerGlobalScope) -> Replicas {
        Replicas {
            scope,
            most: Cell::new(1),
            size: Cell::new(1),
            wanted: Cell::default(),
            profile: Cell::new(false),
            losses: Cell::new(0),
            pool: RefCell::default(),
            model: RefCell::default(),
            how: Cell::default(),
            ahead: RefCell::default(),
            room: Cell::new(u64::MAX),
            config: RefCell::default(),
            seated: RefCell::default(),
        }
    }

    /// The first pool, of so many members.
    pub async fn start(self: &Rc<Replicas>, size: usize, wanted: Wanted, profile: bool) -> Result<Rc<Pool>, Failure> {
        self.most.set(size);
        self.size.set(size);
        self.wanted.set(wanted);
        self.profile.set(profile);
        self.pool().await
    }

    /// Forgets all that the members were asked.
    pub fn cancel(&self) {
        if let Some(pool) = &*self.pool.borrow() {
            pool.cancel();
        }
    }

    /// Waits until every member has answered; also where one answers that it is gone, which whoever asked it hears too.
    pub async fn answered(&self) {
        // Boxed, it does not borrow the pool, which may be given up meanwhile.
        let ask = |pool: &Rc<Pool>| pool.ask_all(|| Ask::Alive, Vec::new).boxed_local();
        let answers: Option<LocalBoxFuture<'static, _>> = self.pool.borrow().as_ref().map(ask);
        if let Some(answers) = answers {
            let _ = answers.await;
        }
    }

    /// The model that came last.
    pub fn model(&self) -> Option<Rc<Opened<Cpu>>> {
        self.model.borrow().clone()
    }

    /// What the members compute on, where there are any.
    pub fn backend(&self) -> Option<String> {
        self.pool.borrow().as_ref().map(|pool| pool.backend().to_string())
    }

    /// Text of its config.
    pub fn config(&self) -> String {
        self.config.borrow().clone()
    }

    /// How it was loaded.
    pub fn how(&self) -> How {
        self.how.get()
    }

    /// Whether members hold of a model only what a run packs.
    pub fn packs(&self, model: &Opened<Cpu>) -> bool {
        !model.device.holds_all() && matches!(self.how.get(), How::Packed(_))
    }

    /// How a matrix of a model was rounded when it landed, where it was in this way.
    pub fn rounded_ahead(&self, model: &Opened<Cpu>, rounding: &Rounding, name: &str) -> Option<Quantization> {
        let ahead = self.ahead.borrow();
        let own = self.model.borrow().as_ref().is_some_and(|own| own.files() == model.files());
        let (_, packed) = ahead.as_ref().filter(|(of, _)| of == rounding && own && self.packs(model))?;
        packed.get(name).cloned()
    }

    /// Bytes that each member may have of packed weights.
    pub fn room(&self) -> u64 {
        self.room.get()
    }

    /// Another model begins to come.
    pub fn expect(&self, config: &str, how: How, room: u64) {
        *self.config.borrow_mut() = config.to_string();
        self.how.set(how);
        self.room.set(room);
    }

    /// The pool, started anew if there is none: a member that died took it down.
    pub async fn pool(self: &Rc<Replicas>) -> Result<Rc<Pool>, Failure> {
        if let Some(pool) = &*self.pool.borrow()
            && pool.alive()
        {
            return Ok(pool.clone());
        }
        // Its memory is needed for the next.
        self.pool.borrow_mut().take();
        self.seated.take();
        let scope = self.scope.clone();
        let opening = Rc::new(move |done, total| post_event(&scope, &Event::Opening { done, total }));
        let spawning = Pool::spawn(self.size.get(), self.wanted.get(), self.profile.get(), opening, self.reader());
        let pool = Rc::new(spawning.await?);
        if let Some(model) = self.model().filter(|_| self.how.get() != How::Weights) {
            self.replica(&pool, &self.config(), &model).await?;
        }
        *self.pool.borrow_mut() = Some(pool.clone());
        Ok(pool)
    }

    /// Reads, for members, what they do not hold of the model that came last.
    fn reader(self: &Rc<Replicas>) -> TensorReader {
        let replicas = Rc::downgrade(self);
        TensorReader::by(move |name| {
            let model = replicas.upgrade().and_then(|replicas| replicas.model());
            Box::pin(async move {
                let gone = || ModelError::Told { sentence: "The model is no longer there: load it again.".into() };
                model.as_ref().and_then(|model| model.device.reader()).ok_or_else(gone)?.read(&name).await
            })
        })
    }

    /// The pool, where its members hold this model whole.
    fn holding(&self, model: &Files) -> Option<Rc<Pool>> {
        let whole =
            matches!(self.how.get(), How::Whole | How::Fewer(_)) && self.seated.borrow().as_ref() == Some(model);
        self.pool.borrow().clone().filter(|pool| whole && pool.alive())
    }

    /// Has what is asked of a model read from a member, as long as members hold it.
    pub fn lend(self: &Rc<Replicas>, model: &mut Opened<Cpu>) {
        let Some(files) = model.device.reader().cloned() else { return };
        let (own, replicas) = (model.files(), Rc::downgrade(self));
        model.device.reads(TensorReader::by(move |name| {
            let (files, pool) = (files.clone(), replicas.upgrade().and_then(|replicas| replicas.holding(&own)));
            Box::pin(async move {
                if let Some(pool) = pool
                    && let Ok(values) = pool.read(name.clone()).await
                {
                    return Ok(values);
                }
                files.read(&name).await
            })
        }));
    }

    /// Another pool with the model on it, after a device was lost or ran out of memory, or a member was gone. The first time it may
    /// be a passing trouble; after the second, or where the next device does not take the model, the CPU goes on, with half the
    /// members each time that one of them is gone. The last one is not replaced a second time.
    pub async fn recover(self: &Rc<Replicas>, fault: PoolError) -> Result<Rc<Pool>, Failure> {
        self.losses.set(self.losses.get() + 1);
        let on_cpu = self.pool.borrow().as_ref().is_some_and(|pool| is_cpu(pool.backend()));
        self.pool.borrow_mut().take();
        let clause = match fault {
            PoolError::Died(clause) if on_cpu => return self.replace(clause).await,
            PoolError::Lost(clause) | PoolError::Died(clause) => clause,
            other => return Err(other.into()),
        };
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
        self.tell_moved(&pool, continues(&clause, place), why);
        Ok(pool)
    }

    /// Members on the CPU anew, after one of them was gone.
    async fn replace(self: &Rc<Replicas>, clause: String) -> Result<Rc<Pool>, Failure> {
        if self.losses.get() > MOST_LOSSES && self.size.get() == 1 {
            return Err(PoolError::Died(clause).into());
        }
        if self.losses.get() > 1 {
            self.size.set((self.size.get() / 2).max(1));
        }
        let pool = self.pool().await?;
        let place = if pool.size() == 1 { "on one worker" } else { "on new workers" };
        self.tell_moved(&pool, continues(&clause, place), pool.why().to_string());
        Ok(pool)
    }

    fn tell_moved(&self, pool: &Pool, sentence: String, why: String) {
        let (backend, workers) = (pool.backend().to_string(), pool.size());
        post_event(&self.scope, &Event::Moved { sentence, backend, why, workers });
    }

    /// Sees to it that the pool holds a model. What a Cancel cuts short is done anew the next time.
    pub async fn replica(&self, pool: &Pool, config: &str, model: &Opened<Cpu>) -> Result<(), PoolError> {
        let own = model.files();
        if self.seated.borrow().as_ref() == Some(&own) {
            return Ok(());
        }
        self.seated.take();
        let packed = self.packs(model);
        let tensors = model.device.spec.tensors();
        pool.expect(tensors.iter().map(TensorSpec::values).sum());
        pool.ask_all(|| Ask::Model { config: config.to_string(), packed }, Vec::new).await?;
        for tensor in tensors.into_iter().filter(|tensor| !packed || !tensor.role.is_large()) {
            let failed = |fault| PoolError::Failed(Failure::from(fault).sentence());
            let values = model.device.values(&tensor.name).await.map_err(failed)?;
            let ask = || Ask::Tensor { name: tensor.name.clone(), shape: tensor.shape.clone() };
            pool.ask_all(ask, || vec![buffer_of(&values)]).await?;
        }
        *self.seated.borrow_mut() = Some(own);
        Ok(())
    }

    /// Members that there may be; one where it has a GPU.
    pub async fn most_workers(self: &Rc<Replicas>) -> Result<usize, Failure> {
        let pool = self.pool().await?;
        Ok(if is_cpu(pool.backend()) { self.most.get() } else { pool.size() })
    }

    /// Members that would hold a model that is loaded like this.
    pub async fn workers_for(self: &Rc<Replicas>, how: How) -> Result<usize, Failure> {
        Ok(match how {
            How::Whole => self.most_workers().await?,
            How::Fewer(workers) | How::Packed(workers) => workers.clamp(1, self.most_workers().await?),
            How::Weights => 0,
        })
    }

    /// The pool with as many members as there may be, or fewer; told of where that is a change.
    pub async fn resized(self: &Rc<Replicas>, fewer: Option<usize>) -> Result<Rc<Pool>, Failure> {
        let (before, most) = (self.pool().await?, self.most_workers().await?);
        let wanted = fewer.map_or(most, |fewer| fewer.clamp(1, most));
        if before.size() == wanted || !is_cpu(before.backend()) {
            return Ok(before);
        }
        drop(before);
        self.size.set(wanted);
        self.pool.borrow_mut().take();
        let pool = self.pool().await?;
        let why = if fewer.is_some() { ", so that the model fits" } else { "" };
        self.tell_moved(&pool, format!("the number of workers is now {wanted}{why}"), pool.why().to_string());
        Ok(pool)
    }

    /// The model makes room for the next; what is left of it is small, unless the coordinator itself holds it.
    pub fn empty(&self) -> Former {
        self.seated.take();
        Former {
            model: self.model.take(),
            how: self.how.get(),
            ahead: self.ahead.take(),
            room: self.room.get(),
            config: self.config(),
            size: self.size.get(),
        }
    }

    /// What was there before is there again; members get it when they are asked next.
    pub fn fill(&self, held: Former) {
        self.seated.take();
        let Former { model, how, ahead, room, config, size } = held;
        *self.model.borrow_mut() = model;
        *self.ahead.borrow_mut() = ahead;
        *self.config.borrow_mut() = config;
        self.how.set(how);
        self.room.set(room);
        if self.size.replace(size) != size
            && let Some(pool) = self.pool.take()
        {
            let (backend, why, workers) = (pool.backend().to_string(), pool.why().to_string(), size);
            let sentence = format!("the number of workers is {workers} again");
            post_event(&self.scope, &Event::Moved { sentence, backend, why, workers });
        }
    }

    /// The members leave.
    pub fn dismiss(&self) {
        self.pool.take();
    }

    /// The model that has come, and that the members hold, unless it was only looked through.
    pub fn keep(&self, model: Rc<Opened<Cpu>>, ahead: Option<Ahead>) {
        *self.ahead.borrow_mut() = ahead;
        if self.how.get() != How::Weights {
            *self.seated.borrow_mut() = Some(model.files());
        }
        *self.model.borrow_mut() = Some(model);
    }

    /// Tells where the time went, where that was asked for.
    pub async fn tell_profile(&self, pool: &Pool) -> Result<(), PoolError> {
        if self.profile.get() {
            post_event(&self.scope, &Event::Profile(pool.profile().await?));
        }
        Ok(())
    }
}
