//! Tokenizers run in a worker of their own: one that a stranger's file breaks or holds up is ended, and with it nothing else.

use std::{
    cell::{Cell, RefCell},
    pin::pin,
    rc::Rc,
};

use futures::{
    channel::oneshot,
    future::{Either, select},
};
use gloo_timers::future::sleep;
use js_sys::Uint8Array;
use wasm_bindgen_futures::spawn_local;

use super::{
    messages::{Answer, Ask},
    pool::PoolError,
    port::buffer_of_bytes,
    thread::{Said, Thread},
};
use crate::{
    arch::tensor_reader::TensorReader,
    model::{
        ModelError,
        tokenizer::{About, Besides, Cut, Ending, Files, Guarded, PATIENCE, Part, Reader},
    },
    report::labels::OUR_FAULT,
};

/// Reads tokenizers in workers. The first of them is started at once, while its files are still on their way.
pub fn reader() -> Reader {
    let first = RefCell::new(Some(start()));
    Reader::by(move |files| {
        let started = first.borrow_mut().take().unwrap_or_else(start);
        Box::pin(async move {
            let desk = Rc::new(Desk::new(&files));
            let (seated, about) = desk.read(started).await?;
            *desk.seated.borrow_mut() = Some(seated);
            Ok(Guarded::by(about, move |texts, besides| {
                let desk = desk.clone();
                Box::pin(async move { desk.cut(texts, besides).await })
            }))
        })
    })
}

/// A worker, and the part of a tokenizer that it is at.
struct Seated {
    thread: Thread,
    part: Rc<Cell<Part>>,
}

type Started = oneshot::Receiver<Result<Seated, PoolError>>;

/// A worker on its way. Where nobody waits for it any more it is ended.
fn start() -> Started {
    let (send, started) = oneshot::channel();
    spawn_local(async move {
        let part = Rc::new(Cell::default());
        let at = part.clone();
        let on_the_way = Rc::new(move |said: Answer| {
            if let Answer::At(part) = said {
                at.set(part);
            }
        });
        let reads_nothing = TensorReader::by(|_| Box::pin(async { Err(ModelError::Cancelled) }));
        let thread = Thread::spawn(on_the_way, reads_nothing).await;
        let _ = send.send(thread.map(|thread| Seated { thread, part }));
    });
    started
}

/// A tokenizer's files, outside of this program's memory, and the worker that has read them.
struct Desk {
    file: Uint8Array,
    settings: Option<Uint8Array>,
    vocabulary: usize,
    /// None while it is at work, so that a run which is cancelled meanwhile ends it; and after it broke.
    seated: RefCell<Option<Seated>>,
}

impl Desk {
    fn new(Files { file, settings, vocabulary }: &Files) -> Desk {
        let settings = settings.as_deref().map(Uint8Array::from);
        Desk { file: Uint8Array::from(&file[..]), settings, vocabulary: *vocabulary, seated: RefCell::default() }
    }

    async fn read(&self, started: Started) -> Result<(Seated, About), ModelError> {
        let seated = started.await.unwrap_or(Err(PoolError::Cancelled)).map_err(|fault| told(fault, Part::File))?;
        let ask = Ask::Tokenizer { vocabulary: self.vocabulary };
        let files = [Some(&self.file), self.settings.as_ref()].into_iter().flatten().map(buffer_of_bytes).collect();
        match within_patience(seated.thread.ask(ask, files), &seated.part).await? {
            Said::Tokenizer(about) => Ok((seated, about)),
            other => Err(contradicts(&other)),
        }
    }

    async fn cut(&self, texts: Vec<String>, besides: Besides) -> Result<Vec<Cut>, ModelError> {
        let there = self.seated.borrow_mut().take().filter(|seated| seated.thread.alive());
        let seated = match there {
            Some(seated) => seated,
            None => self.read(start()).await?.0,
        };
        let said = within_patience(seated.thread.ask(Ask::Cut { texts, besides }, Vec::new()), &seated.part).await;
        // A text that cannot be cut breaks nothing.
        if matches!(said, Ok(_) | Err(ModelError::Told { .. })) {
            *self.seated.borrow_mut() = Some(seated);
        }
        match said? {
            Said::Cut(texts) => Ok(texts),
            other => Err(contradicts(&other)),
        }
    }
}

/// The answer, where it comes in time.
async fn within_patience(
    answer: impl Future<Output = Result<Said, PoolError>>,
    part: &Cell<Part>,
) -> Result<Said, ModelError> {
    match select(pin!(answer), pin!(sleep(PATIENCE))).await {
        Either::Left((answer, _)) => answer.map_err(|fault| told(fault, part.get())),
        Either::Right(_) => Err(Ending::Slow(PATIENCE).of(part.get())),
    }
}

fn told(fault: PoolError, part: Part) -> ModelError {
    match fault {
        PoolError::Failed(sentence) => ModelError::Told { sentence },
        PoolError::Died(clause) | PoolError::Lost(clause) => Ending::Broke(clause).of(part),
        PoolError::Cancelled => ModelError::Cancelled,
    }
}

fn contradicts(said: &Said) -> ModelError {
    ModelError::Told { sentence: format!("A worker was asked about a tokenizer and said {said:?}. {OUR_FAULT}") }
}
