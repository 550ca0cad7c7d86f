//! The few things the page asks of the browser outside its own elements.

use wasm_bindgen::{JsCast, JsValue};
use web_sys::{Blob, BlobPropertyBag, HtmlAnchorElement, Url};

/// Absolute URL of the page's folder: files of the site are resolved against it, also under a sub-path.
pub fn base() -> String {
    let document = leptos::prelude::document();
    document.base_uri().ok().flatten().unwrap_or_else(|| document.url().unwrap_or_default())
}

/// `location.hash` and `location.search`.
pub fn location() -> (String, String) {
    let location = leptos::prelude::window().location();
    (location.hash().unwrap_or_default(), location.search().unwrap_or_default())
}

/// Goes to another page of the app, as a step in the history.
pub fn go(fragment: &str) {
    // A browser refuses only a malformed URL; a fragment cannot make one.
    let _ = leptos::prelude::window().location().set_hash(fragment);
}

/// Offers `text` as a file.
pub fn download(name: &str, mime: &str, text: &str) -> Result<(), JsValue> {
    let options = BlobPropertyBag::new();
    options.set_type(mime);
    let parts = js_sys::Array::of1(&JsValue::from_str(text));
    let blob = Blob::new_with_str_sequence_and_options(&parts, &options)?;
    let url = Url::create_object_url_with_blob(&blob)?;
    let anchor: HtmlAnchorElement = leptos::prelude::document().create_element("a")?.unchecked_into();
    anchor.set_href(&url);
    anchor.set_download(name);
    anchor.click();
    Url::revoke_object_url(&url)
}

/// Scrolls to an element of the page.
pub fn show(id: &str) {
    if let Some(element) = leptos::prelude::document().get_element_by_id(id) {
        element.scroll_into_view();
    }
}

/// Milliseconds since the page began; differences only.
pub fn now() -> f64 {
    leptos::prelude::window().performance().map_or(0.0, |performance| performance.now())
}
