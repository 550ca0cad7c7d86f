//! A tokenizer in a thread of its own, which may panic, and which nobody waits for longer than it may take.

use std::{
    any::Any,
    cell::RefCell,
    panic::{AssertUnwindSafe, catch_unwind},
    rc::Rc,
    sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel},
    thread,
    time::{Duration, Instant},
};

use super::{
    Besides, Cut, Files, Tokenizer,
    guarded::{About, Ending, Guarded, Part, Reader},
};
use crate::model::error::ModelError;

/// As much as a program's first thread has on most systems.
const STACK: usize = 8 << 20;

/// What the thread says.
enum Word {
    At(Part),
    Read(Result<About, ModelError>),
    Cut(Result<Vec<Cut>, ModelError>),
    Broke(String),
}

/// The thread as it is seen from outside.
struct Guard {
    asks: Sender<(Vec<String>, Besides)>,
    words: Receiver<Word>,
    limit: Duration,
    /// How it ended. A thread cannot be stopped from outside: it is left alone until the program ends.
    ended: RefCell<Option<ModelError>>,
}

impl Reader {
    /// In a thread of its own, which may take so long for each thing that it is asked.
    pub fn within(limit: Duration) -> Reader {
        Reader::by(move |files| Box::pin(async move { read(files, limit) }))
    }
}

fn read(files: Files, limit: Duration) -> Result<Guarded, ModelError> {
    let guard = Rc::new(Guard::start(limit, move |asks, tell| {
        let read = Tokenizer::parse_files(&files);
        tell(Word::Read(read.as_ref().map(About::of).map_err(Clone::clone)));
        let Ok(tokenizer) = read else { return };
        for (texts, besides) in asks {
            tell(Word::Cut(tokenizer.cut(&texts, besides, |part| tell(Word::At(part)))));
        }
    })?);
    let about = match guard.wait()? {
        Word::Read(about) => about?,
        Word::At(_) | Word::Cut(_) | Word::Broke(_) => return Err(guard.end(Part::File, contradicts())),
    };
    Ok(Guarded::by(about, move |texts, besides| {
        let guard = guard.clone();
        Box::pin(async move { guard.cut(texts, besides) })
    }))
}

fn contradicts() -> Ending {
    Ending::Broke("it answered something that it was not asked".into())
}

impl Guard {
    /// Starts a thread that does this, and says so where it panics.
    fn start(
        limit: Duration,
        work: impl FnOnce(Receiver<(Vec<String>, Besides)>, &dyn Fn(Word)) + Send + 'static,
    ) -> Result<Guard, ModelError> {
        let ((asks, asked), (tell, words)) = (channel(), channel());
        let run = move || {
            // Whoever no longer listens has ended it.
            let say = |word| _ = tell.send(word);
            if let Err(panic) = catch_unwind(AssertUnwindSafe(|| work(asked, &say))) {
                say(Word::Broke(said(&*panic)));
            }
        };
        let started = thread::Builder::new().name("tokenizer".into()).stack_size(STACK).spawn(run);
        started.map_err(|fault| Ending::Broke(fault.to_string()).of(Part::File))?;
        Ok(Guard { asks, words, limit, ended: RefCell::default() })
    }

    fn cut(&self, texts: Vec<String>, besides: Besides) -> Result<Vec<Cut>, ModelError> {
        if let Some(fault) = &*self.ended.borrow() {
            return Err(fault.clone());
        }
        // A thread that is gone is found to be when its word is waited for.
        let _ = self.asks.send((texts, besides));
        match self.wait()? {
            Word::Cut(cut) => cut,
            Word::At(_) | Word::Read(_) | Word::Broke(_) => Err(self.end(Part::Model, contradicts())),
        }
    }

    /// The next word that is an answer.
    fn wait(&self) -> Result<Word, ModelError> {
        let (began, mut part) = (Instant::now(), Part::default());
        loop {
            match self.words.recv_timeout(self.limit.saturating_sub(began.elapsed())) {
                Ok(Word::At(now)) => part = now,
                Ok(Word::Broke(reason)) => return Err(self.end(part, Ending::Broke(reason))),
                Ok(answer) => return Ok(answer),
                Err(RecvTimeoutError::Timeout) => return Err(self.end(part, Ending::Slow(self.limit))),
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(self.end(part, Ending::Broke("its thread ended".into())));
                }
            }
        }
    }

    fn end(&self, part: Part, ending: Ending) -> ModelError {
        self.ended.borrow_mut().insert(ending.of(part)).clone()
    }
}

/// What a panic says.
fn said(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().copied().or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    text.unwrap_or("it panicked").to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn guard(work: impl FnOnce(&dyn Fn(Word)) + Send + 'static, limit: Duration) -> Guard {
        Guard::start(limit, move |asks, tell| {
            // Nothing is done before it is asked.
            let _ = asks.recv();
            work(tell);
        })
        .unwrap()
    }

    /// Law: a panic of the library ends its thread and nothing else, and is told with the part that it was in, every time that
    /// something is asked.
    #[test]
    fn a_panic_is_told_by_its_part() {
        let panics = |tell: &dyn Fn(Word)| {
            tell(Word::At(Part::PreTokenizer));
            panic!("index out of bounds");
        };
        let guard = guard(panics, Duration::from_secs(60));
        for _ in 0..2 {
            let fault = guard.cut(vec!["a".into()], Besides::Nothing).unwrap_err();
            assert_eq!(fault.to_string(), "tokenizer.json: its pre_tokenizer broke off: index out of bounds");
        }
    }

    /// Law: nobody waits longer than the limit.
    #[test]
    fn what_does_not_end_is_left() {
        let hangs = |tell: &dyn Fn(Word)| {
            tell(Word::At(Part::Normalizer));
            thread::sleep(Duration::from_secs(600));
        };
        let (guard, began) = (guard(hangs, Duration::from_millis(50)), Instant::now());
        let fault = guard.cut(Vec::new(), Besides::Nothing).unwrap_err();
        assert_eq!(fault.to_string(), "tokenizer.json: its normalizer took longer than 0.05 seconds and was ended");
        assert!(began.elapsed() < Duration::from_secs(60));
    }
}
