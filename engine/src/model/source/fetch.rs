//! The browser's transport: `fetch` with a streamed body, in a window or a worker. A browser waits for ever for a server that is
//! silent; here [`PATIENCE`] ends.

use futures::future::{Either, select};
use gloo_timers::future::sleep;
use js_sys::{Promise, Reflect, Uint8Array};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{
    AbortController, Headers, ReadableStreamDefaultReader, RequestInit, Response, Window, WorkerGlobalScope,
};

use super::http::{Answer, Body, Fault, PATIENCE, Transport};

/// `fetch`.
#[derive(Debug, Clone, Default)]
pub struct Fetch {
    uncached: bool,
}

impl Fetch {
    /// Past the browser's own cache, for files that are kept otherwise. That cache has one place for an address: of several
    /// ranges asked for at once it breaks most off and asks for them again, so that a tenth would travel twice.
    pub fn uncached() -> Fetch {
        Fetch { uncached: true }
    }
}

/// What a rejected promise means.
fn fault(thrown: JsValue) -> Fault {
    let message = string_of(&thrown, "message").or_else(|| thrown.as_string());
    Fault::Failed(message.unwrap_or_else(|| "the request failed".into()))
}

impl Transport for Fetch {
    type Body = FetchBody;

    async fn get(&self, url: &str, range: Option<(u64, u64)>) -> Result<Answer<FetchBody>, Fault> {
        let headers = Headers::new().map_err(fault)?;
        if let Some((first, last)) = range {
            headers.set("Range", &format!("bytes={first}-{last}")).map_err(fault)?;
        }
        let call = Call(AbortController::new().map_err(fault)?);
        let init = RequestInit::new();
        init.set_headers_headers(&headers);
        init.set_signal(Some(&call.0.signal()));
        if self.uncached {
            Reflect::set(&init, &"cache".into(), &"no-store".into()).map_err(fault)?;
        }

        let global: JsValue = js_sys::global().into();
        let promise = match global.dyn_into::<WorkerGlobalScope>() {
            Ok(worker) => worker.fetch_with_str_and_init(url, &init),
            Err(global) => global.unchecked_into::<Window>().fetch_with_str_and_init(url, &init),
        };
        let response: Response = in_time(promise).await?.unchecked_into();

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
            body: FetchBody { stream: stream.map(|stream| (stream, call)) },
        })
    }
}

/// A request under way; dropped before its end, it is broken off, and its connection is free for others.
struct Call(AbortController);

impl Drop for Call {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// Bytes of an answer to a [`Fetch`]; dropped before its end, it ends the download.
pub struct FetchBody {
    /// None once nothing more can come.
    stream: Option<(ReadableStreamDefaultReader, Call)>,
}

impl Body for FetchBody {
    async fn next(&mut self) -> Result<Option<Vec<u8>>, Fault> {
        // The stream stays in place while a read is under way, so that dropping this future ends the download too.
        let Some((stream, _)) = &self.stream else {
            return Ok(None);
        };
        let chunk = read(stream).await;
        if !matches!(chunk, Ok(Some(_))) {
            self.stream = None;
        }
        chunk
    }
}

async fn read(stream: &ReadableStreamDefaultReader) -> Result<Option<Vec<u8>>, Fault> {
    let result = in_time(stream.read()).await?;
    let property = |name: &str| Reflect::get(&result, &JsValue::from_str(name)).map_err(fault);
    if property("done")?.is_truthy() {
        return Ok(None);
    }
    Ok(Some(property("value")?.unchecked_into::<Uint8Array>().to_vec()))
}

/// What a promise gives, if it does while [`PATIENCE`] lasts.
async fn in_time(promise: Promise) -> Result<JsValue, Fault> {
    // The promise is looked at first: what came while nobody looked has come in time.
    match select(JsFuture::from(promise), sleep(PATIENCE)).await {
        Either::Left((came, _)) => came.map_err(fault),
        Either::Right(_) => Err(Fault::Silent),
    }
}

fn string_of(object: &JsValue, name: &str) -> Option<String> {
    Reflect::get(object, &JsValue::from_str(name)).ok()?.as_string()
}
