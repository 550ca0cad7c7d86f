//! A worker that the coordinator has started, as the coordinator sees it.

use std::{
    cell::{Cell, RefCell},
    collections::HashMap,
    rc::{Rc, Weak},
    time::Duration,
};

use futures::channel::oneshot;
use gloo_events::{EventListener, EventListenerOptions};
use gloo_timers::future::sleep;
use js_sys::ArrayBuffer;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::spawn_local;
use web_sys::{ErrorEvent, MessageEvent, Worker, WorkerGlobalScope, WorkerOptions, WorkerType};

use super::{
    failure::Failure,
    messages::{Answer, Ask},
    pool::{FEWER, PoolError, failed},
    port::{Parcel, buffer_of, doubles, floats},
};
use crate::{
    arch::tensor_reader::TensorReader,
    model::tokenizer::{About, Cut},
    protocol::Profile,
    report::labels::OUR_FAULT,
};

/// What a worker answers with when all is well.
#[derive(Debug)]
pub enum Said {
    Figures(Vec<f64>),
    Values(Vec<f32>),
    Opened { backend: String, why: String },
    Profiled(Profile),
    Tokenizer(About),
    Cut(Vec<Cut>),
}

/// Hears what a worker says before its answer.
pub type OnTheWay = Rc<dyn Fn(Answer)>;

/// How often a worker that owes an answer is asked whether it is there.
const BETWEEN_CALLS: Duration = Duration::from_secs(5);
/// One that has not said a word for so many calls is taken for gone: a minute. Calls are counted, not time, as a device that was
/// asleep wakes up with all its workers.
const MOST_UNHEARD: u64 = 12;
/// One call more for so many parameters. A worker hears calls between the blocks of a pass: a window of 2,048 tokens over 6 million
/// parameters takes a slow phone, at 5 GFLOP/s, as long as there is between two calls.
const PARAMETERS_OF_A_CALL: u64 = 6_000_000;

type Waiting = Rc<RefCell<HashMap<u64, oneshot::Sender<Result<Said, PoolError>>>>>;

/// A worker. Dropping it ends it.
pub struct Thread {
    worker: Worker,
    next: Cell<u64>,
    waiting: Waiting,
    /// Whether it has said something since it was last called.
    heard: Rc<Cell<bool>>,
    /// Parameters of the model that it computes with.
    parameters: Cell<u64>,
    /// Why it is gone, as a clause.
    gone: Rc<RefCell<Option<String>>>,
    _hears: [EventListener; 2],
}

impl Drop for Thread {
    fn drop(&mut self) {
        self.worker.terminate();
    }
}

impl Thread {
    /// Starts a worker with the coordinator's own script and waits for its first word. `on_the_way` hears what it says before its
    /// answers, `reader` reads what it does not hold.
    pub async fn spawn(on_the_way: OnTheWay, reader: TensorReader) -> Result<Thread, PoolError> {
        let scope: WorkerGlobalScope = js_sys::global().unchecked_into();
        let options = WorkerOptions::new();
        options.set_type(WorkerType::Module);
        let worker = Worker::new_with_options(&scope.location().href(), &options)
            .map_err(|error| failed(format!("a worker could not be started: {}", text_of(&error)), FEWER))?;
        let waiting = Waiting::default();
        let (up, booted) = oneshot::channel();
        waiting.borrow_mut().insert(0, up);
        let heard = Rc::new(Cell::new(true));
        let (answers, failures, needing, hears) = (waiting.clone(), waiting.clone(), worker.clone(), heard.clone());
        let receive = EventListener::new(&worker, "message", move |event| {
            hears.set(true);
            let message = event.unchecked_ref::<MessageEvent>();
            let Some(Parcel { number, body, buffers }) = Parcel::<Answer>::from_message(message) else {
                // Its first word.
                if let Some(waiter) = answers.borrow_mut().remove(&0) {
                    let _ = waiter.send(Ok(Said::Figures(Vec::new())));
                }
                return;
            };
            let result = match body {
                Answer::Opening { .. } | Answer::At(_) => return on_the_way(body),
                Answer::Need { name } => return spawn_local(give(needing.clone(), number, name, reader.clone())),
                Answer::Values => Ok(Said::Values(buffers.first().map(floats).unwrap_or_default())),
                Answer::Done => Ok(Said::Figures(buffers.first().map(doubles).unwrap_or_default())),
                Answer::Opened { backend, why } => Ok(Said::Opened { backend, why }),
                Answer::Profiled(profile) => Ok(Said::Profiled(profile)),
                Answer::Tokenizer(about) => Ok(Said::Tokenizer(about)),
                Answer::Cut(texts) => Ok(Said::Cut(texts)),
                Answer::Failed(sentence) => Err(PoolError::Failed(sentence)),
                Answer::Lost(sentence) => Err(PoolError::Lost(sentence)),
                Answer::Cancelled => Err(PoolError::Cancelled),
            };
            if let Some(waiter) = answers.borrow_mut().remove(&number) {
                // Nobody listens after a Cancel.
                let _ = waiter.send(result);
            }
        });
        let gone = Rc::new(RefCell::new(None));
        let died = gone.clone();
        let options = EventListenerOptions::enable_prevent_default();
        let fail = EventListener::new_with_options(&worker, "error", options, move |event| {
            event.prevent_default();
            let message = event.unchecked_ref::<ErrorEvent>().message();
            let fault = format!("a worker stopped ({message}); most often the device is out of memory");
            give_up(&died, &failures, fault);
        });
        let (next, parameters) = (Cell::new(1), Cell::new(0));
        let thread = Thread { worker, next, waiting, heard, parameters, gone, _hears: [receive, fail] };
        booted.await.unwrap_or(Err(PoolError::Cancelled))?;
        Ok(thread)
    }

    /// Posts at once; the future is the answer. One that is gone answers nothing, so nothing is asked of it.
    pub fn ask(&self, body: Ask, buffers: Vec<ArrayBuffer>) -> impl Future<Output = Result<Said, PoolError>> + 'static {
        let number = self.next.replace(self.next.get() + 1);
        let (send, receive) = oneshot::channel();
        let gone = self.gone.borrow().clone();
        let posted = match gone {
            Some(_) => Ok(()),
            None => {
                self.waiting.borrow_mut().insert(number, send);
                Parcel { number, body, buffers }.post_to_worker(&self.worker)
            }
        };
        async move {
            if let Some(clause) = gone {
                return Err(PoolError::Died(clause));
            }
            posted.map_err(|error| failed(format!("a worker took no message: {}", text_of(&error)), OUR_FAULT))?;
            receive.await.unwrap_or(Err(PoolError::Cancelled))
        }
    }

    /// Whether it can still be asked.
    pub fn alive(&self) -> bool {
        self.gone.borrow().is_none()
    }

    /// It is about to compute with a model of so many parameters.
    pub fn expect(&self, parameters: u64) {
        self.parameters.set(parameters);
    }

    /// Forgets all that was asked.
    pub fn cancel(&self) {
        self.waiting.borrow_mut().clear();
        self.tell(self.next.get() - 1, Ask::Cancel);
    }

    fn tell(&self, number: u64, body: Ask) {
        // One that takes no message is found to be silent.
        let _ = Parcel { number, body, buffers: Vec::new() }.post_to_worker(&self.worker);
    }

    /// Calls it as long as it is there. One that owes an answer and does not say a word is given up: a browser may stop a worker
    /// without telling anybody.
    pub fn watch(self: &Rc<Thread>) {
        spawn_local(watch(Rc::downgrade(self)));
    }
}

async fn watch(watched: Weak<Thread>) {
    let mut unheard = 0;
    loop {
        sleep(BETWEEN_CALLS).await;
        let Some(thread) = watched.upgrade().filter(|thread| thread.alive()) else { return };
        let owes = !thread.waiting.borrow().is_empty();
        unheard = if thread.heard.replace(false) || !owes { 0 } else { unheard + 1 };
        if unheard > MOST_UNHEARD + thread.parameters.get() / PARAMETERS_OF_A_CALL {
            let clause = "a worker has stopped without a word; the browser or the device may have too little memory";
            return give_up(&thread.gone, &thread.waiting, clause.into());
        }
        if owes {
            thread.tell(0, Ask::Alive);
        }
    }
}

/// A worker is gone: whoever waits for it hears why.
fn give_up(gone: &RefCell<Option<String>>, waiting: &Waiting, clause: String) {
    *gone.borrow_mut() = Some(clause.clone());
    let waiters: Vec<_> = waiting.borrow_mut().drain().collect();
    for (_, waiter) in waiters {
        let _ = waiter.send(Err(PoolError::Died(clause.clone())));
    }
}

/// Reads a tensor for a member.
async fn give(worker: Worker, number: u64, name: String, reader: TensorReader) {
    let (fault, buffers) = match reader.read(&name).await {
        Ok(values) => (None, vec![buffer_of(&values)]),
        Err(fault) => (Some(Failure::from(fault).sentence()), Vec::new()),
    };
    // A member that takes no message needs nothing any more.
    let _ = Parcel { number, body: Ask::Values { fault }, buffers }.post_to_worker(&worker);
}

fn text_of(error: &JsValue) -> String {
    error.dyn_ref::<js_sys::Error>().map_or_else(|| format!("{error:?}"), |error| error.message().into())
}
