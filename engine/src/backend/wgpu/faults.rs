//! What a device complains of: errors of each dispatch and of each buffer by name, and the loss of the device itself.

use std::cell::RefCell;
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard};

use ::wgpu::{Device, Error, ErrorFilter};

use crate::backend::BackendError;

/// A note that the device's callbacks may write from wherever they run.
type Note = Arc<Mutex<Option<String>>>;
type Outcome = Pin<Box<dyn Future<Output = Option<Error>>>>;

/// What was being done in an error scope.
#[derive(Debug, Clone)]
pub enum Doing {
    /// A dispatch of this kernel was recorded, or a submission whose only kernels are these was made.
    Kernel(String),
    /// So many bytes were asked for.
    Memory(u64),
    /// A buffer was filled.
    Upload,
}

/// Everything that went wrong, and the scopes whose outcome is still to come.
pub struct Faults {
    device: Device,
    lost: Note,
    /// Outside every scope.
    stray: Note,
    scopes: RefCell<Vec<(Doing, Outcome)>>,
}

fn lock(note: &Note) -> MutexGuard<'_, Option<String>> {
    note.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

impl Faults {
    /// Listens to a device.
    pub fn new(device: &Device) -> Faults {
        let (lost, stray) = (Note::default(), Note::default());
        let (on_loss, on_stray) = (lost.clone(), stray.clone());
        device.on_uncaptured_error(Arc::new(move |error: Error| {
            lock(&on_stray).get_or_insert(error.to_string());
        }));
        device.set_device_lost_callback(move |reason, message| {
            let message = if message.is_empty() { format!("{reason:?}") } else { message };
            lock(&on_loss).get_or_insert(message);
        });
        Faults { device: device.clone(), lost, stray, scopes: RefCell::default() }
    }

    /// Does something in an error scope; what comes of it is heard when [`Faults::settle`] is awaited.
    pub fn within<T>(&self, doing: Doing, work: impl FnOnce() -> T) -> T {
        let filter = match doing {
            Doing::Kernel(_) | Doing::Upload => ErrorFilter::Validation,
            Doing::Memory(_) => ErrorFilter::OutOfMemory,
        };
        let scope = self.device.push_error_scope(filter);
        let made = work();
        self.scopes.borrow_mut().push((doing, Box::pin(scope.pop())));
        made
    }

    fn lost(&self) -> Result<(), BackendError> {
        lock(&self.lost).clone().map_or(Ok(()), |reason| Err(BackendError::Lost { reason }))
    }

    /// What is known without waiting.
    pub fn known(&self) -> Result<(), BackendError> {
        self.lost()?;
        match lock(&self.stray).clone() {
            Some(fault) => Err(BackendError::Device { kernels: "no kernel in particular".into(), fault }),
            None => Ok(()),
        }
    }

    /// Waits for the outcome of every scope so far; the first error is told. A buffer that could not be had makes an error of
    /// everything that is done with it, also outside the scopes: these come last.
    pub async fn settle(&self) -> Result<(), BackendError> {
        let scopes = std::mem::take(&mut *self.scopes.borrow_mut());
        let mut first = None;
        for (doing, outcome) in scopes {
            let error = outcome.await.map(|error| named(doing, &error));
            first = first.or(error);
        }
        self.lost()?;
        first.map_or(Ok(()), Err)?;
        self.known()
    }
}

fn named(doing: Doing, error: &Error) -> BackendError {
    match doing {
        Doing::Kernel(kernels) => BackendError::Device { kernels, fault: error.to_string() },
        Doing::Memory(bytes) => BackendError::OutOfMemory { bytes },
        Doing::Upload => BackendError::Device { kernels: "an upload".into(), fault: error.to_string() },
    }
}
