//! The lead's view of its members.

use std::{
    cell::{Cell, RefCell},
    collections::HashMap,
    rc::Rc,
};

use futures::{channel::oneshot, future::try_join_all};
use js_sys::ArrayBuffer;
use wasm_bindgen::{JsCast, JsValue, closure::Closure};
use web_sys::{ErrorEvent, MessageEvent, Worker, WorkerGlobalScope, WorkerOptions, WorkerType};

use super::{
    member::{Answer, Ask},
    port::{Parcel, doubles},
};

/// Beyond this many members memory grows and speed does not.
pub const MOST_MEMBERS: usize = 8;

/// What a member's failure is called: a sentence for the person, or the silence after a Cancel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PoolError {
    /// Said by the member.
    Failed(String),
    /// The run is no longer wanted.
    Cancelled,
}

type Waiting = Rc<RefCell<HashMap<u64, oneshot::Sender<Result<Vec<f64>, PoolError>>>>>;

struct Member {
    worker: Worker,
    next: Cell<u64>,
    waiting: Waiting,
    dead: Rc<Cell<bool>>,
    _receive: Closure<dyn FnMut(MessageEvent)>,
    _fail: Closure<dyn FnMut(ErrorEvent)>,
}

/// Members in a row. Dropping it ends them.
pub struct Pool {
    members: Vec<Member>,
}

impl Member {
    /// Starts a worker with the lead's own script and waits for its first word.
    async fn spawn() -> Result<Member, PoolError> {
        let scope: WorkerGlobalScope = js_sys::global().unchecked_into();
        let options = WorkerOptions::new();
        options.set_type(WorkerType::Module);
        let worker = Worker::new_with_options(&scope.location().href(), &options)
            .map_err(|error| PoolError::Failed(format!("a worker could not be started: {}", text_of(&error))))?;
        let waiting = Waiting::default();
        let (up, booted) = oneshot::channel();
        waiting.borrow_mut().insert(0, up);
        let (answers, failures) = (waiting.clone(), waiting.clone());
        let receive = Closure::new(move |message: MessageEvent| {
            let (number, result) = match Parcel::<Answer>::from_message(&message) {
                Some(Parcel { number, body: Answer::Done, buffers }) => {
                    (number, Ok(buffers.first().map(doubles).unwrap_or_default()))
                }
                Some(Parcel { number, body: Answer::Failed(sentence), .. }) => {
                    (number, Err(PoolError::Failed(sentence)))
                }
                Some(Parcel { number, body: Answer::Cancelled, .. }) => (number, Err(PoolError::Cancelled)),
                None => (0, Ok(Vec::new())),
            };
            if let Some(waiter) = answers.borrow_mut().remove(&number) {
                // Nobody listens after a Cancel.
                let _ = waiter.send(result);
            }
        });
        let dead = Rc::new(Cell::new(false));
        let died = dead.clone();
        let fail = Closure::new(move |event: ErrorEvent| {
            event.prevent_default();
            died.set(true);
            let sentence = format!("a worker stopped ({}); most often the device is out of memory", event.message());
            for (_, waiter) in failures.borrow_mut().drain() {
                let _ = waiter.send(Err(PoolError::Failed(sentence.clone())));
            }
        });
        worker.set_onmessage(Some(receive.as_ref().unchecked_ref()));
        worker.set_onerror(Some(fail.as_ref().unchecked_ref()));
        let member = Member { worker, next: Cell::new(1), waiting, dead, _receive: receive, _fail: fail };
        booted.await.unwrap_or(Err(PoolError::Cancelled))?;
        Ok(member)
    }

    /// Posts at once; the future is the answer.
    fn ask(&self, body: Ask, buffers: Vec<ArrayBuffer>) -> impl Future<Output = Result<Vec<f64>, PoolError>> + 'static {
        let number = self.next.replace(self.next.get() + 1);
        let (send, receive) = oneshot::channel();
        self.waiting.borrow_mut().insert(number, send);
        let posted = Parcel { number, body, buffers }.post_to_worker(&self.worker);
        async move {
            posted.map_err(|error| PoolError::Failed(format!("a worker took no message: {}", text_of(&error))))?;
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

impl Drop for Pool {
    fn drop(&mut self) {
        self.members.iter().for_each(|member| member.worker.terminate());
    }
}

impl Pool {
    /// Starts `size` members side by side.
    pub async fn spawn(size: usize) -> Result<Pool, PoolError> {
        let members = try_join_all((0..size).map(|_| Member::spawn())).await?;
        Ok(Pool { members })
    }

    /// Members.
    pub fn size(&self) -> usize {
        self.members.len()
    }

    /// Whether every member can still be asked.
    pub fn alive(&self) -> bool {
        self.members.iter().all(|member| !member.dead.get())
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

    /// Asks one member; what it answers with is numbers.
    pub fn ask(&self, member: usize, body: Ask) -> impl Future<Output = Result<Vec<f64>, PoolError>> + 'static {
        self.members[member].ask(body, Vec::new())
    }
}

fn text_of(error: &JsValue) -> String {
    error.dyn_ref::<js_sys::Error>().map_or_else(|| format!("{error:?}"), |error| error.message().into())
}
