//! Messages between threads: strings of JSON, with raw buffers handed over beside them between a coordinator and its members.

use js_sys::{Array, ArrayBuffer, Float32Array, Float64Array, JsString, Uint8Array};
use serde::{Serialize, de::DeserializeOwned};
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{DedicatedWorkerGlobalScope, MessageEvent, Worker};

use crate::protocol::Event;

/// To the page.
pub fn post_event(scope: &DedicatedWorkerGlobalScope, event: &Event) {
    let text = serde_json::to_string(event).expect("events have no map with keys other than strings");
    // Fails only for a value that cannot be cloned; a string always can.
    let _ = scope.post_message(&JsValue::from_str(&text));
}

/// A message between a coordinator and a member: a number that its answer repeats, a body, and buffers.
pub struct Parcel<T> {
    /// Of the request.
    pub number: u64,
    /// What is asked or answered.
    pub body: T,
    /// Transferred, not copied.
    pub buffers: Vec<ArrayBuffer>,
}

impl<T: Serialize + DeserializeOwned> Parcel<T> {
    fn to_js(&self) -> (Array, Array) {
        let text = serde_json::to_string(&(self.number, &self.body)).expect("bodies serialize");
        let transfer: Array = self.buffers.iter().collect();
        let message = Array::of1(&JsValue::from_str(&text));
        for buffer in &self.buffers {
            message.push(buffer);
        }
        (message, transfer)
    }

    /// Coordinator → member.
    pub fn post_to_worker(&self, worker: &Worker) -> Result<(), JsValue> {
        let (message, transfer) = self.to_js();
        worker.post_message_with_transfer(&message, &transfer)
    }

    /// Member → coordinator.
    pub fn post_to_parent(&self, scope: &DedicatedWorkerGlobalScope) -> Result<(), JsValue> {
        let (message, transfer) = self.to_js();
        scope.post_message_with_transfer(&message, &transfer)
    }

    /// None for a message that is not a parcel (a member's first word is an [`Event::Booted`]).
    pub fn from_message(message: &MessageEvent) -> Option<Parcel<T>> {
        let parts: Array = message.data().dyn_into().ok()?;
        let text: JsString = parts.get(0).dyn_into().ok()?;
        let (number, body) = serde_json::from_str(&String::from(text)).ok()?;
        let buffers = parts.iter().skip(1).filter_map(|part| part.dyn_into().ok()).collect();
        Some(Parcel { number, body, buffers })
    }
}

/// A copy of floats outside wasm's memory, ready to be transferred.
pub fn buffer_of(values: &[f32]) -> ArrayBuffer {
    Float32Array::from(values).buffer().unchecked_into()
}

/// A copy of doubles: JSON has no NaN, and a broken model gives some.
pub fn buffer_of_f64(values: &[f64]) -> ArrayBuffer {
    Float64Array::from(values).buffer().unchecked_into()
}

/// A copy of bytes.
pub fn buffer_of_bytes(bytes: &Uint8Array) -> ArrayBuffer {
    bytes.slice(0, bytes.length()).buffer().unchecked_into()
}

/// Bytes of a transferred buffer.
pub fn bytes(buffer: &ArrayBuffer) -> Vec<u8> {
    Uint8Array::new(buffer).to_vec()
}

/// Floats of a transferred buffer.
pub fn floats(buffer: &ArrayBuffer) -> Vec<f32> {
    Float32Array::new(buffer).to_vec()
}

/// Doubles of a transferred buffer.
pub fn doubles(buffer: &ArrayBuffer) -> Vec<f64> {
    Float64Array::new(buffer).to_vec()
}
