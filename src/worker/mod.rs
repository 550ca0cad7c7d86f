//! The engine in the browser. One script plays two parts: the *lead*, which the page speaks to, loads models, plans and
//! assembles; and the pool's *members*, which the lead starts and which do the arithmetic, each in an instance of its own
//! (no SharedArrayBuffer, so any static host will do). The lead never computes for long, so it always answers. It never runs what
//! a stranger's file can break or hold up either: a tokenizer has a worker of its own, which plays the part of a member.
//!
//! The first message tells a new instance which part it plays: a string comes from a page, an array from a lead.

#![cfg(target_arch = "wasm32")]

mod asks;
mod bench;
mod breath;
mod everywhere;
mod failure;
mod files;
mod lead;
mod leaving;
mod load;
mod lock;
mod member;
mod models;
mod notes;
mod pool;
mod port;
mod run;
mod seat;
mod seats;
mod shelf;
mod thread;
mod tokens;

use fairbits::{arch, backend, lab, math, model, protocol, report, share};
use wasm_bindgen::{JsCast, closure::Closure};
use web_sys::{DedicatedWorkerGlobalScope, MessageEvent};

use crate::protocol::{Event, VERSION};

/// Called once by the worker's program.
pub fn start() {
    console_error_panic_hook::set_once();
    let scope: DedicatedWorkerGlobalScope = js_sys::global().unchecked_into();
    let post_to = scope.clone();
    let first = Closure::once_into_js(move |message: MessageEvent| {
        if message.data().is_string() {
            lead::start(post_to, message);
        } else {
            member::start(post_to, message);
        }
    });
    scope.set_onmessage(Some(first.unchecked_ref()));
    // Messages sent before this point could be lost, so both page and lead wait for it.
    port::post_event(&scope, &Event::Booted { version: VERSION.to_string() });
}
