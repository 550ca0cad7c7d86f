//! One tab at a time: the others wait for it, and go on from what it has done.

use futures::channel::oneshot;
use js_sys::{Function, Object, Promise, Reflect};
use wasm_bindgen::{JsCast, JsValue, closure::Closure};
use wasm_bindgen_futures::{JsFuture, spawn_local};
use web_sys::DedicatedWorkerGlobalScope;

/// A name that only this worker has, among all of the site in this browser, until it is dropped.
pub struct Lock(Function);

impl Drop for Lock {
    fn drop(&mut self) {
        // Resolving a promise cannot fail.
        let _ = self.0.call0(&JsValue::NULL);
    }
}

impl Lock {
    /// Waits until nobody else has the name; `waiting` hears of it where somebody does. None where the browser has no locks.
    pub async fn take(scope: &DedicatedWorkerGlobalScope, name: &str, waiting: impl Fn()) -> Option<Lock> {
        if let Some(lock) = Lock::try_take(scope, name).await? {
            return Some(lock);
        }
        waiting();
        request(scope, name, false).await?
    }

    /// The name at once; the inner none where somebody else has it.
    pub async fn try_take(scope: &DedicatedWorkerGlobalScope, name: &str) -> Option<Option<Lock>> {
        request(scope, name, true).await
    }
}

/// Asks for a lock; the outer none where the browser has none to give.
async fn request(scope: &DedicatedWorkerGlobalScope, name: &str, if_available: bool) -> Option<Option<Lock>> {
    let locks = Reflect::get(&scope.navigator(), &"locks".into()).ok()?;
    let ask: Function = Reflect::get(&locks, &"request".into()).ok()?.dyn_into().ok()?;
    let options = Object::new();
    Reflect::set(&options, &"ifAvailable".into(), &if_available.into()).ok()?;
    let (send, granted) = oneshot::channel();
    // The lock is ours until the promise that the callback returns is resolved. Whoever no longer waits drops it at once.
    let grant = Closure::once_into_js(move |lock: JsValue| {
        if lock.is_null() {
            let _ = send.send(None);
            return JsValue::UNDEFINED;
        }
        let mut release = None;
        let held = Promise::new(&mut |resolve, _| release = Some(resolve));
        drop(send.send(release.map(Lock)));
        held.into()
    });
    let ended: Promise = ask.call3(&locks, &name.into(), &options, &grant).ok()?.dyn_into().ok()?;
    spawn_local(async move {
        // What is refused is refused through `granted`, which is then never sent to.
        let _ = JsFuture::from(ended).await;
    });
    granted.await.ok()
}
