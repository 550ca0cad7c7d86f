//! Letting messages in while computing.

use std::cell::Cell;

use js_sys::Promise;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{MessageChannel, WorkerGlobalScope};

/// A Cancel waits no longer than this plus one block of a layer.
const BETWEEN_YIELDS_MS: f64 = 40.0;

/// Milliseconds on the worker's clock.
pub fn now() -> f64 {
    let scope: WorkerGlobalScope = js_sys::global().unchecked_into();
    scope.performance().map_or(0.0, |clock| clock.now())
}

/// Gives the event loop a turn now and then. A message to oneself is used because timers wait at least 4 ms.
pub struct Yielder {
    channel: MessageChannel,
    last: Cell<f64>,
}

impl Yielder {
    /// One per worker.
    pub fn new() -> Yielder {
        Yielder { channel: MessageChannel::new().expect("every worker has MessageChannel"), last: Cell::new(now()) }
    }

    /// Returns at once, or after one turn of the event loop if the last one is long ago.
    pub async fn pause(&self) {
        if now() - self.last.get() < BETWEEN_YIELDS_MS {
            return;
        }
        let turn = Promise::new(&mut |resolve, _| {
            self.channel.port2().set_onmessage(Some(&resolve));
            // Posting nothing to an open port cannot fail.
            let _ = self.channel.port1().post_message(&JsValue::NULL);
        });
        let _ = JsFuture::from(turn).await;
        self.last.set(now());
    }
}
