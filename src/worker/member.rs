//! A member of the pool: holds the model on a device and runs what the lead asks for, one request after another.

use std::{cell::RefCell, rc::Rc};

use futures::{
    StreamExt,
    channel::mpsc::{UnboundedReceiver, unbounded},
    future::{AbortHandle, abortable},
};
use js_sys::ArrayBuffer;
use serde::{Deserialize, Serialize};
use wasm_bindgen::{JsCast, closure::Closure};
use wasm_bindgen_futures::spawn_local;
use web_sys::{DedicatedWorkerGlobalScope, MessageEvent};

use super::{
    breath::Breath,
    port::{Parcel, buffer_of_f64, floats},
};
use crate::{
    analysis::{passes::see_texts, plan::Taps},
    arch::{batch::Batch, forward::forward, recipe::Recipe, spec, weights::Device},
    backend::cpu::Cpu,
    model::config::Config,
};

/// Lead → member.
#[derive(Debug, Serialize, Deserialize)]
pub enum Ask {
    /// Begin a model; what was there is dropped.
    Model {
        /// Text of config.json.
        config: String,
    },
    /// A tensor of it; its floats come as the parcel's buffer.
    Tensor {
        /// Name in the file.
        name: String,
        /// Shape in the file.
        shape: Vec<usize>,
    },
    /// The weights of the jobs to come.
    Recipes(Vec<Recipe>),
    /// Texts under one of the recipes; the answer's buffer holds their figures.
    Job {
        /// Index into the recipes.
        recipe: usize,
        /// Tokens.
        texts: Vec<Vec<u32>>,
        /// What is to be seen of each.
        taps: Taps,
    },
    /// One forward pass over a sequence, timed by the lead.
    Sequence {
        /// Tokens.
        tokens: Vec<u32>,
    },
    /// Forget every request up to this number, also the one being run.
    Cancel,
}

/// Member → lead.
#[derive(Debug, Serialize, Deserialize)]
pub enum Answer {
    /// It is done; results are in the buffer.
    Done,
    /// It could not be done, as a sentence.
    Failed(String),
    /// It was cancelled.
    Cancelled,
}

/// A model and the recipes in use. The device keeps what it has packed, also for the recipes of another plan.
#[derive(Default)]
struct Member {
    device: Option<Device<Cpu>>,
    recipes: Vec<Recipe>,
}

/// What Cancel must reach while a request is being run.
#[derive(Default)]
struct Running {
    cancelled_up_to: u64,
    current: Option<AbortHandle>,
}

pub(super) fn start(scope: DedicatedWorkerGlobalScope, first: MessageEvent) {
    let (queue, requests) = unbounded();
    let running = Rc::new(RefCell::new(Running::default()));
    let shared = running.clone();
    let receive = Closure::<dyn Fn(MessageEvent)>::new(move |message: MessageEvent| {
        let Some(parcel) = Parcel::<Ask>::from_message(&message) else { return };
        if matches!(parcel.body, Ask::Cancel) {
            let mut running = shared.borrow_mut();
            running.cancelled_up_to = parcel.number;
            if let Some(current) = running.current.take() {
                current.abort();
            }
        } else {
            // The receiver lives as long as the worker.
            let _ = queue.unbounded_send(parcel);
        }
    });
    scope.set_onmessage(Some(receive.as_ref().unchecked_ref()));
    let deliver: &js_sys::Function = receive.as_ref().unchecked_ref();
    // The first message decided the part; it is a request like any other.
    let _ = deliver.call1(&wasm_bindgen::JsValue::NULL, &first);
    receive.forget();
    spawn_local(serve(scope, requests, running));
}

async fn serve(
    scope: DedicatedWorkerGlobalScope,
    mut requests: UnboundedReceiver<Parcel<Ask>>,
    running: Rc<RefCell<Running>>,
) {
    let (mut member, breath) = (Member::default(), Breath::new());
    while let Some(Parcel { number, body, buffers }) = requests.next().await {
        if number <= running.borrow().cancelled_up_to {
            continue;
        }
        let (work, handle) = abortable(member.answer(body, &buffers, &breath));
        running.borrow_mut().current = Some(handle);
        let outcome = work.await;
        running.borrow_mut().current = None;
        let (body, buffers) = match outcome {
            Ok(Ok(figures)) => (Answer::Done, vec![buffer_of_f64(&figures)]),
            Ok(Err(sentence)) => (Answer::Failed(sentence), Vec::new()),
            Err(_) => (Answer::Cancelled, Vec::new()),
        };
        // A lead that is gone does not read the answer.
        let _ = Parcel { number, body, buffers }.post_to_parent(&scope);
    }
}

impl Member {
    async fn answer(&mut self, ask: Ask, buffers: &[ArrayBuffer], breath: &Breath) -> Result<Vec<f64>, String> {
        let sentence = |error: crate::arch::ArchError| error.to_string();
        let pause = async || breath.pause().await;
        match ask {
            Ask::Model { config } => {
                let config = Config::parse(config.as_bytes()).map_err(|error| error.to_string())?;
                *self = Member::default();
                self.device = Some(Device::new(Cpu, spec_of(&config)?));
            }
            Ask::Tensor { name, shape } => {
                let device = self.device.as_mut().ok_or("a tensor came before its model")?;
                let values = buffers.first().map(floats).ok_or("a tensor came without its values")?;
                device.insert(&name, &shape, &values).map_err(sentence)?;
            }
            Ask::Recipes(recipes) => self.recipes = recipes,
            Ask::Job { recipe, texts, taps } => {
                let device = self.device.as_ref().ok_or("a job came before its model")?;
                let recipe = self.recipes.get(recipe).ok_or("a job came before its recipe")?;
                let weights = device.apply(recipe).await.map_err(sentence)?;
                return see_texts(device, &weights, &texts, taps, &pause).await.map_err(sentence);
            }
            Ask::Sequence { tokens } => {
                let device = self.device.as_ref().ok_or("a sequence came before its model")?;
                let mut batch = Batch::default();
                let targets: Vec<u32> = tokens.iter().cycle().skip(1).take(tokens.len()).copied().collect();
                batch.push_window(&tokens, &targets);
                let losses = forward(&device.backend, &device.spec, device.full(), &batch, &mut (), &pause).await;
                return losses.map(|losses| losses.into_iter().map(f64::from).collect()).map_err(sentence);
            }
            Ask::Cancel => {}
        }
        Ok(Vec::new())
    }
}

fn spec_of(config: &Config) -> Result<spec::Spec, String> {
    crate::arch::spec(config).map_err(|error| error.to_string())
}
