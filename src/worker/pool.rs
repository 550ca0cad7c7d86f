//! The lead's view of its members.

use std::{
    cell::{Cell, RefCell},
    collections::HashMap,
    rc::Rc,
};

use futures::{channel::oneshot, future::try_join_all};
use js_sys::ArrayBuffer;
use wasm_bindgen::{JsCast, JsValue, closure::Closure};
use wasm_bindgen_futures::spawn_local;
use web_sys::{ErrorEvent, MessageEvent, Worker, WorkerGlobalScope, WorkerOptions, WorkerType};

use super::{
    asks::{Answer, Ask},
    failure::Failure,
    port::{Parcel, buffer_of, doubles, floats},
};
use crate::{
    arch::again::Again,
    backend::{
        choose::Wanted,
        cpu::{FUSED, is_cpu},
    },
    protocol::Profile,
    report::words::OUR_FAULT,
};

/// Hears how many of how many steps of opening a device are done.
pub type Opening = Rc<dyn Fn(usize, usize)>;

/// Beyond this many members memory grows and speed does not.
pub const MOST_MEMBERS: usize = 8;

/// What a member's failure is called: a sentence for the person, or the silence after a Cancel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PoolError {
    /// Said by the member.
    Failed(String),
    /// The member's device is gone or has no memory left; what it was asked can be asked of another.
    Lost(String),
    /// The member itself is gone, as a clause; what it was asked can be asked of another.
    Died(String),
    /// The run is no longer wanted.
    Cancelled,
}

/// What can be done where a worker is one too many.
pub(super) const FEWER: &str = "Close other tabs and try again; if it happens again, open the page with #/?workers=1 at the end of its \
                     address, which takes the least memory.";

/// A member's failure, and what can be done about it.
fn failed(clause: String, step: &str) -> PoolError {
    PoolError::Failed(Failure::told(clause, step).sentence())
}

/// What a member answers with when all is well.
#[derive(Debug)]
enum Said {
    Figures(Vec<f64>),
    Values(Vec<f32>),
    Opened { backend: String, why: String },
    Profiled(Profile),
}

type Waiting = Rc<RefCell<HashMap<u64, oneshot::Sender<Result<Said, PoolError>>>>>;

struct Member {
    worker: Worker,
    next: Cell<u64>,
    waiting: Waiting,
    /// Why it is gone, as a clause.
    gone: Rc<RefCell<Option<String>>>,
    _receive: Closure<dyn FnMut(MessageEvent)>,
    _fail: Closure<dyn FnMut(ErrorEvent)>,
}

/// Members in a row. Dropping it ends them.
pub struct Pool {
    members: Vec<Member>,
    backend: String,
    why: String,
}

impl Member {
    /// Starts a worker with the lead's own script and waits for its first word. `opening` hears how far its device is, `again`
    /// reads what it does not hold.
    async fn spawn(opening: Opening, again: Again) -> Result<Member, PoolError> {
        let scope: WorkerGlobalScope = js_sys::global().unchecked_into();
        let options = WorkerOptions::new();
        options.set_type(WorkerType::Module);
        let worker = Worker::new_with_options(&scope.location().href(), &options)
            .map_err(|error| failed(format!("a worker could not be started: {}", text_of(&error)), FEWER))?;
        let waiting = Waiting::default();
        let (up, booted) = oneshot::channel();
        waiting.borrow_mut().insert(0, up);
        let (answers, failures, needing) = (waiting.clone(), waiting.clone(), worker.clone());
        let receive = Closure::new(move |message: MessageEvent| {
            let Some(Parcel { number, body, buffers }) = Parcel::<Answer>::from_message(&message) else {
                // Its first word.
                if let Some(waiter) = answers.borrow_mut().remove(&0) {
                    let _ = waiter.send(Ok(Said::Figures(Vec::new())));
                }
                return;
            };
            let result = match body {
                Answer::Opening { done, total } => return opening(done, total),
                Answer::Need { name } => return spawn_local(give(needing.clone(), number, name, again.clone())),
                Answer::Values => Ok(Said::Values(buffers.first().map(floats).unwrap_or_default())),
                Answer::Done => Ok(Said::Figures(buffers.first().map(doubles).unwrap_or_default())),
                Answer::Opened { backend, why } => Ok(Said::Opened { backend, why }),
                Answer::Profiled(profile) => Ok(Said::Profiled(profile)),
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
        let fail = Closure::new(move |event: ErrorEvent| {
            event.prevent_default();
            let fault = format!("a worker stopped ({}); most often the device is out of memory", event.message());
            *died.borrow_mut() = Some(fault.clone());
            for (_, waiter) in failures.borrow_mut().drain() {
                let _ = waiter.send(Err(PoolError::Died(fault.clone())));
            }
        });
        worker.set_onmessage(Some(receive.as_ref().unchecked_ref()));
        worker.set_onerror(Some(fail.as_ref().unchecked_ref()));
        let member = Member { worker, next: Cell::new(1), waiting, gone, _receive: receive, _fail: fail };
        booted.await.unwrap_or(Err(PoolError::Cancelled))?;
        Ok(member)
    }

    /// Posts at once; the future is the answer. One that is gone answers nothing, so nothing is asked of it.
    fn ask(&self, body: Ask, buffers: Vec<ArrayBuffer>) -> impl Future<Output = Result<Said, PoolError>> + 'static {
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

    fn cancel(&self) {
        self.waiting.borrow_mut().clear();
        let parcel = Parcel { number: self.next.get() - 1, body: Ask::Cancel, buffers: Vec::new() };
        // A member that takes no message has nothing to cancel.
        let _ = parcel.post_to_worker(&self.worker);
    }
}

/// Reads a tensor for a member.
async fn give(worker: Worker, number: u64, name: String, again: Again) {
    let (fault, buffers) = match again.read(&name).await {
        Ok(values) => (None, vec![buffer_of(&values)]),
        Err(fault) => (Some(Failure::from(fault).sentence()), Vec::new()),
    };
    // A member that takes no message needs nothing any more.
    let _ = Parcel { number, body: Ask::Values { fault }, buffers }.post_to_worker(&worker);
}

impl Drop for Pool {
    fn drop(&mut self) {
        self.members.iter().for_each(|member| member.worker.terminate());
    }
}

impl Pool {
    /// Starts members: one where that one opens a GPU, else `size` side by side. `opening` hears how far a device is, `again`
    /// reads tensors that members do not hold.
    pub async fn spawn(
        size: usize,
        wanted: Wanted,
        profile: bool,
        opening: Opening,
        again: Again,
    ) -> Result<Pool, PoolError> {
        let first = Member::spawn(opening.clone(), again.clone()).await?;
        let (backend, why) = match first.ask(Ask::Open { wanted, profile }, Vec::new()).await? {
            Said::Opened { backend, why } => (backend, why),
            other => return Err(failed(format!("a worker opened no device and said {other:?}"), OUR_FAULT)),
        };
        let more = if is_cpu(&backend) { size - 1 } else { 0 };
        let others = try_join_all((0..more).map(|_| Member::spawn(opening.clone(), again.clone()))).await?;
        if backend == FUSED {
            let open = || Ask::Open { wanted: Wanted::Fused, profile };
            try_join_all(others.iter().map(|member| member.ask(open(), Vec::new()))).await?;
        }
        Ok(Pool { members: [first].into_iter().chain(others).collect(), backend, why })
    }

    /// `cpu`, `fused` or `webgpu`.
    pub fn backend(&self) -> &str {
        &self.backend
    }

    /// Why this one.
    pub fn why(&self) -> &str {
        &self.why
    }

    /// Where the time of the first member went since this was last asked.
    pub async fn profile(&self) -> Result<Profile, PoolError> {
        match self.members[0].ask(Ask::Profile, Vec::new()).await? {
            Said::Profiled(profile) => Ok(profile),
            other => Err(failed(format!("a worker was asked for times and said {other:?}"), OUR_FAULT)),
        }
    }

    /// Members.
    pub fn size(&self) -> usize {
        self.members.len()
    }

    /// Whether every member can still be asked.
    pub fn alive(&self) -> bool {
        self.members.iter().all(|member| member.gone.borrow().is_none())
    }

    /// Forgets all that was asked.
    pub fn cancel(&self) {
        self.members.iter().for_each(Member::cancel);
    }

    /// The same to every member. `buffer` makes the transferred copy for each.
    pub fn ask_all(
        &self,
        body: impl Fn() -> Ask,
        buffer: impl Fn() -> Vec<ArrayBuffer>,
    ) -> impl Future<Output = Result<(), PoolError>> + 'static {
        let answers: Vec<_> = self.members.iter().map(|member| member.ask(body(), buffer())).collect();
        async { try_join_all(answers).await.map(|_| ()) }
    }

    /// A tensor's values in full precision, from the first member.
    pub fn read(&self, name: String) -> impl Future<Output = Result<Vec<f32>, PoolError>> + 'static {
        let answer = self.members[0].ask(Ask::Read { name }, Vec::new());
        async {
            match answer.await? {
                Said::Values(values) => Ok(values),
                other => Err(failed(format!("a worker was asked for values and said {other:?}"), OUR_FAULT)),
            }
        }
    }

    /// Asks one member; what it answers with is numbers.
    pub fn ask(&self, member: usize, body: Ask) -> impl Future<Output = Result<Vec<f64>, PoolError>> + 'static {
        let answer = self.members[member].ask(body, Vec::new());
        async {
            match answer.await? {
                Said::Figures(figures) => Ok(figures),
                other => Err(PoolError::Failed(format!("a worker was asked for figures and said {other:?}"))),
            }
        }
    }
}

fn text_of(error: &JsValue) -> String {
    error.dyn_ref::<js_sys::Error>().map_or_else(|| format!("{error:?}"), |error| error.message().into())
}
