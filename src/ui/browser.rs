//! The few things the page asks of the browser outside its own elements.

use gloo_file::{Blob, FileReadError, ObjectUrl, futures::read_as_bytes};
use gloo_net::http::Request;
use wasm_bindgen::{Clamped, JsCast, JsValue, closure::Closure};
use wasm_bindgen_futures::JsFuture;
use web_sys::{
    CanvasRenderingContext2d, HtmlAnchorElement, HtmlCanvasElement, HtmlElement, HtmlImageElement, ImageData, Url,
};

/// Pixels of a PNG for each of the figure's own, so that it is sharp in print and on dense screens.
const PNG_SCALE: f64 = 3.0;

/// Absolute URL of the page's folder: files of the site are resolved against it, also under a sub-path.
pub fn base() -> String {
    let document = leptos::prelude::document();
    document.base_uri().ok().flatten().unwrap_or_else(|| document.url().unwrap_or_default())
}

/// Name of the worker's module: as the build has put it into the page, else as Trunk calls it.
pub fn worker_program() -> String {
    let named = leptos::prelude::document().query_selector("meta[name=fairbits-worker]").ok().flatten();
    named.and_then(|meta| meta.get_attribute("content")).unwrap_or_else(|| "worker.js".into())
}

/// `location.hash` and `location.search`.
pub fn location() -> (String, String) {
    let location = leptos::prelude::window().location();
    (location.hash().unwrap_or_default(), location.search().unwrap_or_default())
}

/// The page's address with another fragment.
pub fn address(fragment: &str) -> String {
    let whole = leptos::prelude::window().location().href().unwrap_or_default();
    format!("{}{fragment}", whole.split('#').next().unwrap_or_default())
}

/// What the address asks to be shown of its page: `t1` of `#/theory?at=t1`.
pub fn asked_for() -> Option<String> {
    let (fragment, _) = location();
    let (_, options) = fragment.split_once('?')?;
    let at = options.split('&').find_map(|option| option.strip_prefix("at="))?;
    at.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-').then(|| at.to_string())
}

/// The text of a file of the site; none where it does not come.
pub async fn file_of_the_site(path: &str) -> Option<String> {
    let address = Url::new_with_base(path, &base()).ok()?.href();
    let answer = Request::get(&address).send().await.ok()?;
    if answer.ok() { answer.text().await.ok() } else { None }
}

/// Puts a fragment into the address, as a step in the history, and changes nothing else.
pub fn step(fragment: &str) {
    if let Ok(history) = leptos::prelude::window().history() {
        // Refused only when a page takes hundreds of steps within seconds.
        let _ = history.push_state_with_url(&JsValue::NULL, "", Some(&address(fragment)));
    }
}

/// What was kept under a name, where it is not empty.
pub fn kept(name: &str) -> Option<String> {
    let storage = leptos::prelude::window().local_storage().ok().flatten()?;
    storage.get_item(name).ok().flatten().filter(|text| !text.is_empty())
}

/// Keeps a text for the next visit, where the browser lets the page.
pub fn keep(name: &str, text: &str) {
    if let Ok(Some(storage)) = leptos::prelude::window().local_storage() {
        // A browser that keeps nothing asks again next time.
        let _ = storage.set_item(name, text);
    }
}

/// What this tab was told to remember under a name, where it is not empty.
pub fn kept_in_tab(name: &str) -> Option<String> {
    let storage = leptos::prelude::window().session_storage().ok().flatten()?;
    storage.get_item(name).ok().flatten().filter(|text| !text.is_empty())
}

/// Remembers a text while this tab is open, over reloads.
pub fn keep_in_tab(name: &str, text: &str) {
    if let Ok(Some(storage)) = leptos::prelude::window().session_storage() {
        // A browser that remembers nothing asks again.
        let _ = storage.set_item(name, text);
    }
}

/// Loads the page again.
pub fn reload() {
    // Refused only while the page is being left.
    let _ = leptos::prelude::window().location().reload();
}

/// Puts a text on the clipboard; fails where the browser does not let the page.
pub async fn copy(text: &str) -> Result<(), JsValue> {
    let navigator = leptos::prelude::window().navigator();
    if js_sys::Reflect::get(&navigator, &"clipboard".into())?.is_undefined() {
        return Err("no clipboard".into());
    }
    JsFuture::from(navigator.clipboard().write_text(text)).await.map(drop)
}

/// Goes to another page of the app, as a step in the history.
pub fn go(fragment: &str) {
    // A browser refuses only a malformed URL; a fragment cannot make one.
    let _ = leptos::prelude::window().location().set_hash(fragment);
}

/// Offers `text` as a file.
pub fn download(name: &str, mime: &str, text: &str) -> Result<(), JsValue> {
    offer(name, Blob::new_with_options(text, Some(mime)))
}

/// Draws an SVG figure of a width and a height in pixels, and offers it as a PNG.
pub async fn download_png(name: &str, svg: &str, (width, height): (f64, f64)) -> Result<(), JsValue> {
    let url = ObjectUrl::from(Blob::new_with_options(svg, Some("image/svg+xml")));
    offer(name, png(&draw(&url, (width, height)).await?).await?)
}

/// Has somebody paint a picture of a width and a height in pixels on white ground, and offers it as a PNG.
pub async fn download_picture(
    name: &str,
    size: (f64, f64),
    paint: impl FnOnce(&CanvasRenderingContext2d) -> Result<(), JsValue>,
) -> Result<(), JsValue> {
    let (canvas, context) = canvas(size)?;
    context.scale(PNG_SCALE, PNG_SCALE)?;
    context.set_fill_style_str("#fff");
    context.fill_rect(0.0, 0.0, size.0, size.1);
    paint(&context)?;
    offer(name, png(&canvas).await?)
}

/// Puts pixels on a canvas of the page: red, green, blue and opacity of each, row after row.
pub fn put_pixels(canvas: &HtmlCanvasElement, pixels: &[u8], width: usize) -> Result<(), JsValue> {
    let height = pixels.len() / (4 * width.max(1));
    canvas.set_width(width as u32);
    canvas.set_height(height as u32);
    let context = canvas.get_context("2d")?.ok_or("no canvas")?.unchecked_into::<CanvasRenderingContext2d>();
    let image = ImageData::new_with_u8_clamped_array_and_sh(Clamped(pixels), width as u32, height as u32)?;
    context.put_image_data(&image, 0.0, 0.0)
}

/// Gives focus to an element of the page.
pub fn focus(id: &str) {
    if let Some(element) = leptos::prelude::document().get_element_by_id(id)
        && let Some(element) = element.dyn_ref::<HtmlElement>()
    {
        // What cannot take focus leaves it where it is.
        let _ = element.focus();
    }
}

/// A canvas with [`PNG_SCALE`] pixels for each of a figure's own.
fn canvas((width, height): (f64, f64)) -> Result<(HtmlCanvasElement, CanvasRenderingContext2d), JsValue> {
    let canvas: HtmlCanvasElement = leptos::prelude::document().create_element("canvas")?.unchecked_into();
    canvas.set_width((width * PNG_SCALE) as u32);
    canvas.set_height((height * PNG_SCALE) as u32);
    let context = canvas.get_context("2d")?.ok_or("no canvas")?.unchecked_into::<CanvasRenderingContext2d>();
    Ok((canvas, context))
}

async fn draw(url: &str, (width, height): (f64, f64)) -> Result<HtmlCanvasElement, JsValue> {
    let image = HtmlImageElement::new()?;
    image.set_src(url);
    JsFuture::from(image.decode()).await?;
    let (canvas, context) = canvas((width, height))?;
    context.draw_image_with_html_image_element_and_dw_and_dh(
        &image,
        0.0,
        0.0,
        width * PNG_SCALE,
        height * PNG_SCALE,
    )?;
    Ok(canvas)
}

async fn png(canvas: &HtmlCanvasElement) -> Result<Blob, JsValue> {
    let made = js_sys::Promise::new(&mut |resolve, _| {
        let take = Closure::once_into_js(move |blob: JsValue| drop(resolve.call1(&JsValue::NULL, &blob)));
        // A canvas of its own content can be read; what it gives back for one that is too large is null.
        let _ = canvas.to_blob(take.unchecked_ref());
    });
    JsFuture::from(made).await?.dyn_into::<web_sys::Blob>().map(Blob::from)
}

/// An address of a program that does nothing but import another one. A worker that is started from it is bound by the policy
/// of the page; one that is started from a file of the site would only be bound by what the host says of that file.
pub fn bound_program(module: &str) -> Result<ObjectUrl, JsValue> {
    let import = format!("import init from {}; await init();", js_sys::JSON::stringify(&module.into())?);
    Ok(Blob::new_with_options(import.as_str(), Some("text/javascript")).into())
}

fn offer(name: &str, blob: Blob) -> Result<(), JsValue> {
    let url = ObjectUrl::from(blob);
    let anchor: HtmlAnchorElement = leptos::prelude::document().create_element("a")?.unchecked_into();
    anchor.set_href(&url);
    anchor.set_download(name);
    anchor.click();
    Ok(())
}

/// Asks the browser not to clear what is kept when the disk gets full. Some ask the person, others decide by themselves.
pub fn persist() {
    let navigator = leptos::prelude::window().navigator();
    if js_sys::Reflect::get(&navigator, &"storage".into()).is_ok_and(|storage| !storage.is_undefined())
        && let Ok(asked) = navigator.storage().persist()
    {
        leptos::task::spawn_local(async move {
            // Kept or not, the model is loaded.
            let _ = JsFuture::from(asked).await;
        });
    }
}

/// The bytes of a file that the person chose.
pub async fn read(file: &Blob) -> Result<Vec<u8>, FileReadError> {
    read_as_bytes(file).await
}

/// Scrolls to an element of the page; who goes on by keyboard goes on from there.
pub fn show(id: &str) {
    let element = leptos::prelude::document().get_element_by_id(id);
    if let Some(element) = element.and_then(|element| element.dyn_into::<HtmlElement>().ok()) {
        element.scroll_into_view();
        element.set_tab_index(-1);
        // An element of the page that has tabindex takes focus.
        let _ = element.focus();
    }
}

/// Runs when the page is laid out next. A view that is gone by then, and its signals with it, is left alone: a search that goes on
/// from its notes shows several reports within a frame.
pub fn next_frame(run: impl FnOnce() + 'static) {
    if let Ok(frame) = leptos::prelude::request_animation_frame_with_handle(run) {
        leptos::prelude::on_cleanup(move || frame.cancel());
    }
}

/// Milliseconds since the page began; differences only.
pub fn now() -> f64 {
    leptos::prelude::window().performance().map_or(0.0, |performance| performance.now())
}
