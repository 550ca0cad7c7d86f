//! The engine in the browser. One script plays two parts: the *coordinator*, which the page speaks to, loads models, plans and
//! assembles; and the pool's *members*, which the coordinator starts and which do the arithmetic, each in an instance of its own
//! (no SharedArrayBuffer, so any static host will do). The coordinator never computes for long, so it always answers. It never runs what
//! a stranger's file can break or hold up either: a tokenizer has a worker of its own, which plays the part of a member.
//!
//! The first message tells a new instance which part it plays: a string comes from a page, an array from a coordinator.

#![cfg(target_arch = "wasm32")]

mod bench;
mod coordinator;
mod failure;
mod files;
mod leaving;
mod load;
mod lock;
mod member;
mod messages;
mod models;
mod notes;
mod opfs_cache;
mod pool;
mod port;
mod replica;
mod replicas;
mod run;
mod scheduler;
mod thread;
mod tokens;
mod yield_now;

use fairbits::{arch, backend, lab, math, model, protocol, report, share};
use gloo_events::EventListener;
use wasm_bindgen::JsCast;
use web_sys::{DedicatedWorkerGlobalScope, MessageEvent};

use crate::protocol::{Event, VERSION};

/// Called once by the worker's program.
pub fn start() {
    console_error_panic_hook::set_once();
    let scope: DedicatedWorkerGlobalScope = js_sys::global().unchecked_into();
    let post_to = scope.clone();
    EventListener::once(&scope, "message", move |event| {
        let message: MessageEvent = event.clone().unchecked_into();
        if message.data().is_string() {
            coordinator::start(post_to, message);
        } else {
            member::start(post_to, message);
        }
    })
    .forget();
    // Messages sent before this point could be lost, so both page and coordinator wait for it.
    port::post_event(&scope, &Event::Booted { version: VERSION.to_string() });
}
