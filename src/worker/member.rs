//! A member of the pool: holds the model on a device and runs what the coordinator asks for, one request after another.
//!
//! On WebGPU the pool has one member, with one device: a second would hold the weights a second time in the same memory, and
//! the two would only take turns on the same hardware. The coordinator has no device at all, so that it answers while shaders are
//! compiled; it keeps the weights in its own memory, from which a lost device is filled again. Of members on the CPU it keeps no
//! copy: it reads from the first of them, and again from where the model came where none is left.

use std::{
    cell::{Cell, RefCell},
    collections::HashMap,
    rc::Rc,
};

use futures::{
    StreamExt,
    channel::{
        mpsc::{UnboundedReceiver, unbounded},
        oneshot,
    },
    future::{AbortHandle, abortable},
};
use gloo_events::EventListener;
use wasm_bindgen::JsCast;
use wasm_bindgen_futures::spawn_local;
use web_sys::{DedicatedWorkerGlobalScope, MessageEvent};

use super::{
    messages::{Answer, Ask},
    port::{Parcel, bytes, floats},
    replica::{Fault, Replica},
    yield_now::Yielder,
};
use crate::{
    arch::tensor_reader::TensorReader,
    backend::{
        choose::{Choice, choose},
        cpu::Cpu,
    },
    model::{
        ModelError,
        tokenizer::{About, Files, Tokenizer},
    },
};

/// What Cancel must reach while a request is being run.
#[derive(Default)]
struct Running {
    cancelled_up_to: u64,
    current: Option<AbortHandle>,
}

/// A tensor's values, or why they do not come.
type Come = Result<Vec<f32>, String>;

/// Tensors that the coordinator was asked for.
#[derive(Default)]
struct Needs {
    next: Cell<u64>,
    waiting: RefCell<HashMap<u64, oneshot::Sender<Come>>>,
}

impl Needs {
    /// A tensor has come, or does not come. Nobody waits for it after a Cancel.
    fn take(&self, number: u64, values: Come) {
        if let Some(waiter) = self.waiting.borrow_mut().remove(&number) {
            let _ = waiter.send(values);
        }
    }

    /// Asks the coordinator for tensors that are not held.
    fn reader(self: &Rc<Needs>, scope: &DedicatedWorkerGlobalScope) -> TensorReader {
        let (needs, scope) = (self.clone(), scope.clone());
        TensorReader::by(move |name| {
            let number = needs.next.replace(needs.next.get() + 1);
            let (send, receive) = oneshot::channel();
            needs.waiting.borrow_mut().insert(number, send);
            let parcel = Parcel { number, body: Answer::Need { name }, buffers: Vec::new() };
            // A coordinator that is gone gives no answer.
            let _ = parcel.post_to_parent(&scope);
            Box::pin(async move {
                let come = receive
                    .await
                    .unwrap_or_else(|_| Err("A tensor that is read again did not come: run it again.".into()));
                come.map_err(|sentence| ModelError::Told { sentence })
            })
        })
    }
}

pub(super) fn start(scope: DedicatedWorkerGlobalScope, first: MessageEvent) {
    let (queue, requests) = unbounded();
    let running = Rc::new(RefCell::new(Running::default()));
    let needs = Rc::new(Needs::default());
    let (shared, come, answers) = (running.clone(), needs.clone(), scope.clone());
    let hear = move |message: &MessageEvent| {
        let Some(parcel) = Parcel::<Ask>::from_message(message) else { return };
        match parcel.body {
            Ask::Cancel => {
                let mut running = shared.borrow_mut();
                running.cancelled_up_to = parcel.number;
                if let Some(current) = running.current.take() {
                    current.abort();
                }
            }
            // Heard between two blocks of a layer, as Cancel is.
            Ask::Alive => {
                let parcel = Parcel { number: parcel.number, body: Answer::Done, buffers: Vec::new() };
                // A coordinator that is gone does not read the answer.
                let _ = parcel.post_to_parent(&answers);
            }
            Ask::Values { fault } => {
                let values = parcel.buffers.first().map(floats).unwrap_or_default();
                come.take(parcel.number, fault.map_or(Ok(values), Err));
            }
            // The receiver lives as long as the worker.
            _ => _ = queue.unbounded_send(parcel),
        }
    };
    // The first message decided the part; it is a request like any other.
    hear(&first);
    EventListener::new(&scope, "message", move |event| hear(event.unchecked_ref())).forget();
    let reader = needs.reader(&scope);
    spawn_local(serve(scope, requests, running, reader));
}

async fn serve(
    scope: DedicatedWorkerGlobalScope,
    mut requests: UnboundedReceiver<Parcel<Ask>>,
    running: Rc<RefCell<Running>>,
    reader: TensorReader,
) {
    let (mut replica, yielder) = (Replica::new(None, Cpu, reader.clone()), Yielder::new());
    let mut tokenizer: Option<Tokenizer> = None;
    while let Some(Parcel { number, body, buffers }) = requests.next().await {
        if number <= running.borrow().cancelled_up_to {
            continue;
        }
        let tell = |body, buffers| {
            // A coordinator that is gone does not read the answer.
            let _ = Parcel { number, body, buffers }.post_to_parent(&scope);
        };
        let work = async {
            match body {
                Ask::Open { wanted, profile } => {
                    let opening = |done, total| tell(Answer::Opening { done, total }, Vec::new());
                    let Choice { gpu, cpu, why } = choose(wanted, profile, opening).await;
                    replica = Replica::new(gpu, cpu, reader.clone());
                    Ok((Answer::Opened { backend: replica.name().to_string(), why }, Vec::new()))
                }
                Ask::Profile => Ok((Answer::Profiled(replica.profile()), Vec::new())),
                Ask::Tokenizer { vocabulary } => {
                    let mut files = buffers.iter().map(bytes);
                    let (file, settings) = (files.next().unwrap_or_default(), files.next());
                    let read = Tokenizer::parse_files(&Files { file, settings, vocabulary })?;
                    Ok((Answer::Tokenizer(About::of(tokenizer.insert(read))), Vec::new()))
                }
                Ask::Cut { texts, besides } => {
                    let tokenizer = tokenizer.as_ref().ok_or("texts came before their tokenizer")?;
                    let at = |part| tell(Answer::At(part), Vec::new());
                    Ok((Answer::Cut(tokenizer.cut(&texts, besides, at)?), Vec::new()))
                }
                other => replica.answer(other, &buffers, &yielder).await,
            }
        };
        let (work, handle) = abortable(work);
        running.borrow_mut().current = Some(handle);
        let outcome = work.await;
        running.borrow_mut().current = None;
        match outcome {
            Ok(Ok((body, buffers))) => tell(body, buffers),
            Ok(Err(Fault::Said(sentence))) => tell(Answer::Failed(sentence), Vec::new()),
            Ok(Err(Fault::Lost(sentence))) => tell(Answer::Lost(sentence), Vec::new()),
            Err(_) => tell(Answer::Cancelled, Vec::new()),
        }
    }
}
