//! The harness itself, on a page of three lines: what it reports must be what is there.

use std::{fs, panic, path::PathBuf, time::Duration};

use serde_json::json;
use xtask::server::Site;

use crate::page::Page;

const SOON: Duration = Duration::from_secs(5);

fn site(name: &str) -> Site {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    fs::create_dir_all(&folder).unwrap();
    fs::write(
        folder.join("index.html"),
        "<!doctype html><p id=status>loading</p><p id=error></p><button id=run>Run</button>\
         <select id=bits><option value=4>four<option value=8>eight</select>\
         <details id=report-details><summary>Report</summary><pre id=report-json>{\"rows\": [1.5]}</pre></details>\
         <script>console.log('hello from the page');\
         document.querySelector('#run').onclick = () => setTimeout(() => { \
           document.querySelector('#status').textContent = 'ran ' + document.querySelector('#bits').value; }, 200);\
         </script>",
    )
    .unwrap();
    Site::new(folder)
}

#[test]
#[ignore = "needs Chromium: cargo xtask test"]
fn it_clicks_waits_and_reads() {
    let page = Page::open(site("harness"), "/");
    assert_eq!(page.text("#status").as_deref(), Some("loading"));
    assert_eq!(page.text("#absent"), None);
    assert!(page.shows("#run") && !page.shows("#absent"));
    page.choose("#bits", "8");
    page.click("#run");
    assert_eq!(page.wait_text("#status", SOON, |text| text.starts_with("ran")), "ran 8");
    assert_eq!(page.report(), json!({ "rows": [1.5] }));
    assert_eq!(page.texts("option"), ["four", "eight"]);
    page.screenshot("harness");
    let picture = fs::read(xtask::target().join("screenshots/harness.png")).unwrap();
    assert!(picture.starts_with(b"\x89PNG"));
}

#[test]
#[ignore = "needs Chromium: cargo xtask test"]
fn a_wait_in_vain_tells_what_the_page_said() {
    let page = Page::open(site("harness-vain"), "/");
    let vain = panic::catch_unwind(panic::AssertUnwindSafe(|| {
        page.wait_text("#status", Duration::from_millis(200), |text| text == "never");
    }));
    let message = *vain.unwrap_err().downcast::<String>().unwrap();
    assert!(message.contains("the text of #status"), "{message}");
    assert!(message.contains("#status: loading"), "{message}");
    assert!(message.contains("hello from the page"), "{message}");
}
