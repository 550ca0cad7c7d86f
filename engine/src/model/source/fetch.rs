//! The browser's transport: `fetch` with a streamed body, in a window or a worker.

use js_sys::{Reflect, Uint8Array};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{AbortSignal, Headers, ReadableStreamDefaultReader, RequestInit, Response, Window, WorkerGlobalScope};

use super::http::{Answer, Body, Fault, Transport};

/// `fetch`, ended by an abort signal where there is one.
#[derive(Debug, Clone, Default)]
pub struct Fetch {
    signal: Option<AbortSignal>,
    uncached: bool,
}

impl Fetch {
    /// Requests end with [`Fault::Cancelled`] when `signal` fires.
    pub fn new(signal: Option<AbortSignal>) -> Fetch {
        Fetch { signal, uncached: false }
    }

    /// Past the browser's own cache, for files that are kept otherwise. That cache has one place for an address: of several
    /// ranges asked for at once it breaks most off and asks for them again, so that a tenth would travel twice.
    pub fn uncached() -> Fetch {
        Fetch { signal: None, uncached: true }
    }
}

impl Fetch {
    /// What a rejected promise means: after an abort, whatever was thrown, it is the person's wish.
    fn fault(&self, thrown: JsValue) -> Fault {
        if self.signal.as_ref().is_some_and(AbortSignal::aborted) {
            return Fault::Cancelled;
        }
        let message = string_of(&thrown, "message").or_else(|| thrown.as_string());
        Fault::Failed(message.unwrap_or_else(|| "the request failed".into()))
    }
}

impl Transport for Fetch {
    type Body = FetchBody;

    async fn get(&self, url: &str, range: Option<(u64, u64)>) -> Result<Answer<FetchBody>, Fault> {
        let fault = |thrown| self.fault(thrown);
        let headers = Headers::new().map_err(fault)?;
        if let Some((first, last)) = range {
            headers.set("Range", &format!("bytes={first}-{last}")).map_err(fault)?;
        }
        let init = RequestInit::new();
        init.set_headers_headers(&headers);
        init.set_signal(self.signal.as_ref());
        if self.uncached {
            Reflect::set(&init, &"cache".into(), &"no-store".into()).map_err(fault)?;
        }

        let global: JsValue = js_sys::global().into();
        let promise = match global.dyn_into::<WorkerGlobalScope>() {
            Ok(worker) => worker.fetch_with_str_and_init(url, &init),
            Err(global) => global.unchecked_into::<Window>().fetch_with_str_and_init(url, &init),
        };
        let response: Response = JsFuture::from(promise).await.map_err(fault)?.unchecked_into();

        let headers = response.headers();
        let text = |name| headers.get(name).ok().flatten();
        // Content-Length counts what travels, the body hands out what was decoded. From another origin an encoding may
        // be hidden, so a length proves nothing there.
        let foreign = string_of(&response, "type").as_deref() == Some("cors");
        let encoded = text("Content-Encoding").is_some_and(|encoding| encoding != "identity");
        let length = text("Content-Length").filter(|_| !foreign && !encoded).and_then(|length| length.parse().ok());
        let stream = response.body().map(|body| ReadableStreamDefaultReader::new(&body)).transpose().map_err(fault)?;
        Ok(Answer {
            status: response.status(),
            length,
            range: text("Content-Range"),
            version: text("ETag").or_else(|| text("Last-Modified")),
            body: FetchBody { stream, request: self.clone() },
        })
    }
}

/// Bytes of an answer to a [`Fetch`]; dropped before its end, it ends the download.
pub struct FetchBody {
    /// None once nothing more can come.
    stream: Option<ReadableStreamDefaultReader>,
    request: Fetch,
}

impl Body for FetchBody {
    async fn next(&mut self) -> Result<Option<Vec<u8>>, Fault> {
        // The stream stays in place while a read is under way, so that dropping this future ends the download too.
        let Some(stream) = self.stream.clone() else {
            return Ok(None);
        };
        let chunk = self.read(&stream).await;
        if !matches!(chunk, Ok(Some(_))) {
            self.stream = None;
        }
        chunk
    }
}

impl FetchBody {
    async fn read(&self, stream: &ReadableStreamDefaultReader) -> Result<Option<Vec<u8>>, Fault> {
        let fault = |thrown| self.request.fault(thrown);
        let result = JsFuture::from(stream.read()).await.map_err(fault)?;
        let property = |name: &str| Reflect::get(&result, &JsValue::from_str(name)).map_err(fault);
        if property("done")?.is_truthy() {
            return Ok(None);
        }
        Ok(Some(property("value")?.unchecked_into::<Uint8Array>().to_vec()))
    }
}

impl Drop for FetchBody {
    fn drop(&mut self) {
        if let Some(stream) = self.stream.take() {
            // Its promise tells only that the stream has ended, which nobody waits for.
            let ended = JsFuture::from(stream.cancel());
            wasm_bindgen_futures::spawn_local(async move {
                let _ = ended.await;
            });
        }
    }
}

fn string_of(object: &JsValue, name: &str) -> Option<String> {
    Reflect::get(object, &JsValue::from_str(name)).ok()?.as_string()
}
