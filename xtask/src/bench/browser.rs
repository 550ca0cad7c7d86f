//! A measurement made by a page in headless Chromium, without a driver: the page is shown in a frame, and what it leaves
//! in an element is posted back to our server.

use std::{sync::mpsc, time::Duration};

use serde_json::Value;

use crate::{
    Error, Result,
    chromium::Window,
    server::{Reply, Site},
};

/// Page that holds the frame; SHOWN and ELEMENT are filled in.
const FRAME: &str = r#"<!doctype html><title>measuring</title><iframe width="1200" height="800" src="SHOWN"></iframe>
<script>
const text = (selector) => document.querySelector('iframe').contentDocument?.querySelector(selector)?.textContent.trim();
const look = setInterval(() => {
  const found = text('ELEMENT'), error = text('#error');
  if (!found?.startsWith('{') && !error) return;
  clearInterval(look);
  fetch('/.measured', { method: 'POST', body: error ? error : found });
}, 100);
</script>"#;

/// Shows `path` of `site` and returns the JSON object that appears in the element `selector`, with `peak_megabytes`, the
/// memory that the page and its workers held at most, added where it can be read.
pub fn measure(site: Site, path: &str, selector: &str, limit: Duration) -> Result<Value> {
    let (post, posted) = mpsc::channel();
    let frame = FRAME.replace("SHOWN", &path.replace('&', "&amp;")).replace("ELEMENT", selector);
    let server = site
        .hook(move |ask| match ask.path {
            "/.measure" => Reply::Text("text/html; charset=utf-8", frame.clone()),
            "/.measured" => {
                post.send(String::from_utf8_lossy(ask.body).into_owned()).ok();
                Reply::Status(200)
            }
            _ => Reply::File,
        })
        .serve(0)
        .map_err(Error::io("the server of a measurement"))?;
    let window = Window::open(&server.url("/.measure"))?;
    let text =
        posted.recv_timeout(limit).map_err(|_| Error::Silent { what: path.to_owned(), seconds: limit.as_secs() })?;
    let mut found: Value =
        serde_json::from_str(&text).map_err(|_| Error::Unreadable { what: path.to_owned(), text })?;
    found["peak_megabytes"] = window.peak_megabytes().into();
    Ok(found)
}
