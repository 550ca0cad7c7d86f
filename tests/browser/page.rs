//! The page in a real browser: look, wait, click, and on failure tell what the page said.

use std::{
    fs,
    path::PathBuf,
    thread,
    time::{Duration, Instant},
};

use base64::Engine;
use fantoccini::{Client, Locator, wd::WindowHandle};
use serde_json::{Value, json};
use tokio::runtime::{Builder, Runtime};
use xtask::server::{Ask, Reply, Server, Site};

use crate::driver::Driver;

/// How often a condition is looked at.
const GLANCE: Duration = Duration::from_millis(25);
/// A laptop's window.
const WINDOW: (u32, u32) = (1280, 900);
/// Longest screenshot: charts of all languages fit.
const TALLEST: u64 = 6000;

/// Time for the worker to start, on a machine that does other things too.
pub const STARTED: Duration = Duration::from_secs(30);
/// Time for the default model to load.
pub const LOADED: Duration = Duration::from_secs(60);

/// Folder of the built page; `cargo xtask test` builds it and says where it is.
pub fn dist() -> PathBuf {
    let dist = std::env::var_os(xtask::checks::DIST).map(PathBuf::from);
    dist.unwrap_or_else(|| panic!("{} is not set: run `cargo xtask test`, which builds the page", xtask::checks::DIST))
}

/// The page as it was built, with another script before its worker's own; the rest is answered by `hook`.
pub fn with_prelude(prelude: &'static str, hook: impl Fn(&Ask) -> Reply + Send + Sync + 'static) -> Site {
    let is_script = |path: &str| path.starts_with("/worker-") && path.ends_with(".js");
    Site::new(dist()).hook(move |ask| match ask.path.strip_prefix('/') {
        Some(name) if is_script(ask.path) => {
            let own = fs::read_to_string(dist().join(name)).expect("the worker's script");
            Reply::Text("text/javascript", format!("{prelude}{own}"))
        }
        _ => hook(ask),
    })
}

/// A browser window that shows a page of a server; both end with it.
pub struct Page {
    // Fields are dropped in this order: the session before the driver that holds it.
    client: Client,
    runtime: Runtime,
    driver: Driver,
    server: Server,
}

impl Page {
    /// Serves `site` and opens `path` (which begins with `/`) in a window of its own.
    pub fn open(site: Site, path: &str) -> Self {
        Self::open_under(site, path, &[])
    }

    /// The same in a browser with these environment variables.
    pub fn open_under(site: Site, path: &str, environment: &[(&str, &str)]) -> Self {
        let server = site.serve(0).expect("a free port");
        let runtime = Builder::new_current_thread().enable_all().build().unwrap();
        let driver = Driver::start(environment);
        let client = runtime.block_on(driver.open(WINDOW));
        let page = Self { client, runtime, driver, server };
        page.go(path);
        page
    }

    /// Absolute URL of a path of the server.
    pub fn url(&self, path: &str) -> String {
        self.server.url(path)
    }

    /// Loads another path. Only a change of the fragment does not reload the page, as in any browser.
    pub fn go(&self, path: &str) {
        self.runtime.block_on(self.client.goto(&self.url(path))).expect("the page loads");
    }

    /// Ends the browser without a warning.
    pub fn kill_browser(&self) {
        self.driver.kill_browser();
    }

    /// Starts a browser again with the same profile.
    pub fn start_again(&mut self, path: &str) {
        self.client = self.runtime.block_on(self.driver.open(WINDOW));
        self.go(path);
    }

    /// Loads the same address again.
    pub fn reload(&self) {
        self.runtime.block_on(self.client.refresh()).expect("the page loads again");
    }

    /// Value of a script (`return …`), which sees `arguments`.
    pub fn evaluate(&self, script: &str, arguments: Vec<Value>) -> Value {
        self.runtime
            .block_on(self.client.execute(script, arguments))
            .unwrap_or_else(|error| self.fail(&format!("{script}: {error}")))
    }

    /// What a script hands to its last argument, a callback.
    pub fn evaluate_later(&self, script: &str) -> Value {
        let value = self.runtime.block_on(self.client.execute_async(script, vec![]));
        value.unwrap_or_else(|error| self.fail(&format!("{script}: {error}")))
    }

    /// Text of the first element that fits a CSS selector, trimmed; `None` where there is none.
    pub fn text(&self, selector: &str) -> Option<String> {
        let script = "return document.querySelector(arguments[0])?.textContent ?? null";
        self.evaluate(script, vec![json!(selector)]).as_str().map(|text| text.trim().to_owned())
    }

    /// Texts of all elements that fit.
    pub fn texts(&self, selector: &str) -> Vec<String> {
        let script = "return [...document.querySelectorAll(arguments[0])].map((element) => element.textContent.trim())";
        serde_json::from_value(self.evaluate(script, vec![json!(selector)])).expect("a list of texts")
    }

    /// Whether an element that fits takes room on the page.
    pub fn shows(&self, selector: &str) -> bool {
        let script = "const box = document.querySelector(arguments[0])?.getBoundingClientRect(); \
                      return !!box && box.width > 0 && box.height > 0";
        self.evaluate(script, vec![json!(selector)]) == json!(true)
    }

    /// Waits until the element's text is as wished and returns it.
    pub fn wait_text(&self, selector: &str, limit: Duration, wished: impl Fn(&str) -> bool) -> String {
        self.wait(&format!("the text of {selector}"), limit, || self.text(selector).filter(|text| wished(text)))
    }

    /// Waits until an element that fits is there with some text in it, and returns that.
    pub fn wait_for(&self, selector: &str, limit: Duration) -> String {
        self.wait_text(selector, limit, |text| !text.is_empty())
    }

    /// Waits until `look` finds something; fails with what the page said where it does not.
    pub fn wait<T>(&self, what: &str, limit: Duration, look: impl Fn() -> Option<T>) -> T {
        let start = Instant::now();
        loop {
            if let Some(found) = look() {
                return found;
            }
            if start.elapsed() > limit {
                self.fail(&format!("{what} did not come as expected within {} s", limit.as_secs_f64()));
            }
            thread::sleep(GLANCE);
        }
    }

    /// Scrolls to the element, opens the menu that it is in, and clicks as a person would: it must be in sight and not covered.
    pub fn click(&self, selector: &str) {
        let centre = "const wanted = document.querySelector(arguments[0]); \
                      if (wanted && wanted.tagName !== 'SUMMARY') wanted.closest('details')?.setAttribute('open', ''); \
                      wanted?.scrollIntoView({ block: 'center', behavior: 'instant' })";
        self.evaluate(centre, vec![json!(selector)]);
        let clicked = self.runtime.block_on(async { self.client.find(Locator::Css(selector)).await?.click().await });
        clicked.unwrap_or_else(|error| self.fail(&format!("{selector} could not be clicked: {error}")));
    }

    /// Chooses the option of a `<select>` that has this value.
    pub fn choose(&self, selector: &str, value: &str) {
        let chosen = self
            .runtime
            .block_on(async { self.client.find(Locator::Css(selector)).await?.select_by_value(value).await });
        chosen.unwrap_or_else(|error| self.fail(&format!("{selector} has no option {value}: {error}")));
    }

    /// Puts a value into an input and tells the page that a person did.
    pub fn fill(&self, selector: &str, value: &str) {
        let script = "const input = document.querySelector(arguments[0]); input.value = arguments[1]; \
                      for (const name of ['input', 'change']) input.dispatchEvent(new Event(name, { bubbles: true }));";
        self.evaluate(script, vec![json!(selector), json!(value)]);
    }

    /// Chooses files or a folder of this device.
    pub fn choose_files(&self, selector: &str, paths: &[PathBuf]) {
        let paths: Vec<String> = paths.iter().map(|path| path.display().to_string()).collect();
        let chosen = self
            .runtime
            .block_on(async { self.client.find(Locator::Css(selector)).await?.send_keys(&paths.join("\n")).await });
        chosen.unwrap_or_else(|error| self.fail(&format!("{selector} took no files: {error}")));
    }

    /// Drops files and folders onto an element, as from the desktop.
    pub fn drop_files(&self, selector: &str, paths: &[PathBuf]) {
        let script = "const el = document.querySelector(arguments[0]); el.scrollIntoView({ block: 'center' });
                      const box = el.getBoundingClientRect(); return [box.x + box.width / 2, box.y + 4]";
        let at = self.evaluate(script, vec![json!(selector)]);
        let data = json!({ "items": [], "files": paths, "dragOperationsMask": 1 });
        for kind in ["dragEnter", "dragOver", "drop"] {
            let event = json!({ "type": kind, "x": at[0], "y": at[1], "data": data });
            self.driver.command(&self.session(), "Input.dispatchDragEvent", &event);
        }
    }

    fn session(&self) -> String {
        self.runtime.block_on(self.client.session_id()).ok().flatten().expect("a session")
    }

    /// Lets the site keep so many bytes and no more. What the browser says that it allows stays as it is.
    pub fn allow_bytes(&self, bytes: u64) {
        let origin = self.evaluate("return location.origin", vec![]);
        self.command("Storage.overrideQuotaForOrigin", &json!({ "origin": origin, "quotaSize": bytes }));
    }

    /// Opens a second tab of the same browser at a path of the server; what follows is seen there. Gives the first one.
    pub fn second_tab(&self, path: &str) -> WindowHandle {
        let first = self.runtime.block_on(async {
            let first = self.client.window().await.expect("a tab");
            let second = self.client.new_window(true).await.expect("a second tab");
            self.client.switch_to_window(second.handle).await.expect("the second tab");
            first
        });
        self.go(path);
        first
    }

    /// Goes to another tab.
    pub fn switch_to(&self, tab: WindowHandle) {
        self.runtime.block_on(self.client.switch_to_window(tab)).expect("the other tab");
    }

    /// The report that the page shows, as it leaves it in `pre#report-json` when its details are opened.
    pub fn report(&self) -> Value {
        // A result that still grows may move what is clicked away from under the pointer.
        let text = self.wait("the report as JSON", STARTED, || {
            if self.evaluate("return document.querySelector('#report-details').open", vec![]) == json!(false) {
                self.click("#report-details summary");
            }
            self.text("pre#report-json").filter(|text| !text.is_empty())
        });
        let mut report: Value =
            serde_json::from_str(&text).unwrap_or_else(|error| self.fail(&format!("the report is not JSON: {error}")));
        // The form's own version stands beside the report.
        report.as_object_mut().expect("a report is an object").remove("schema");
        report
    }

    /// Figures of the table: what `tr[data-language]` and `td[data-figure]` hold in full precision, as `{code: {figure: x}}`.
    pub fn figures(&self) -> Value {
        let script = "return Object.fromEntries([...document.querySelectorAll('#table tr[data-language]')].map((row) => \
                      [row.dataset.language, Object.fromEntries([...row.querySelectorAll('td[data-value]')].map((cell) => \
                      [cell.dataset.figure, Number(cell.dataset.value)]))]))";
        self.evaluate(script, vec![])
    }

    /// Writes the whole page as `target/screenshots/<name>.png`.
    pub fn screenshot(&self, name: &str) {
        let height = self.evaluate("return Math.ceil(document.documentElement.scrollHeight)", vec![]);
        let height = height.as_u64().unwrap_or_default().clamp(WINDOW.1.into(), TALLEST) as u32;
        let image = self.runtime.block_on(async {
            // Headless windows have a frame too: about 140 pixels that the page does not get.
            self.client.set_window_size(WINDOW.0, height + 140).await?;
            let image = self.client.screenshot().await?;
            self.client.set_window_size(WINDOW.0, WINDOW.1).await?;
            Ok::<_, fantoccini::error::CmdError>(image)
        });
        let folder = xtask::target().join("screenshots");
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join(format!("{name}.png")), image.expect("a screenshot")).unwrap();
    }

    /// Ends the browser's GPU process.
    pub fn crash_gpu(&self) {
        self.driver.crash_gpu(&self.session());
    }

    /// Shows the page as in a window of this width, in a theme.
    pub fn emulate(&self, width: u32, theme: &str) {
        let screen = json!({ "width": width, "height": WINDOW.1, "deviceScaleFactor": 1, "mobile": false });
        let media = json!({ "features": [{ "name": "prefers-color-scheme", "value": theme }] });
        self.command("Emulation.setDeviceMetricsOverride", &screen);
        self.command("Emulation.setEmulatedMedia", &media);
        // What is laid out by its own measure of the room follows a frame later.
        self.evaluate_later("const done = arguments[arguments.length - 1]; requestAnimationFrame(() => requestAnimationFrame(() => done(1)));");
    }

    /// Shows the page as on paper of this width, of a person whose screen is dark.
    pub fn emulate_paper(&self, width: u32) {
        self.emulate(width, "dark");
        let media = json!({ "media": "print", "features": [{ "name": "prefers-color-scheme", "value": "dark" }] });
        self.command("Emulation.setEmulatedMedia", &media);
    }

    /// The page as a PDF, in base64.
    pub fn printed(&self) -> String {
        let answer = self.command("Page.printToPDF", &json!({ "printBackground": true }));
        answer["data"].as_str().expect("a file").to_owned()
    }

    /// A picture of the whole page, beyond the window too.
    pub fn whole_picture(&self) -> Vec<u8> {
        let size = "const { scrollWidth, scrollHeight } = document.documentElement; return [scrollWidth, scrollHeight]";
        let size = self.evaluate(size, vec![]);
        let clip = json!({ "x": 0, "y": 0, "width": size[0], "height": size[1], "scale": 1 });
        let wanted = json!({ "format": "png", "captureBeyondViewport": true, "optimizeForSpeed": true, "clip": clip });
        let answer = self.command("Page.captureScreenshot", &wanted);
        base64::engine::general_purpose::STANDARD.decode(answer["data"].as_str().expect("a picture")).expect("base64")
    }

    /// What was said on the console so far.
    pub fn console(&self) -> String {
        self.driver.console()
    }

    /// The first word on the console of a program that broke.
    pub fn broken(&self) -> Option<String> {
        let words = ["panicked", "Uncaught", "disposed", "unreachable"];
        self.console().lines().find(|line| words.iter().any(|word| line.contains(word))).map(str::to_owned)
    }

    /// Gives a command of the browser's own protocol.
    pub fn command(&self, name: &str, parameters: &Value) -> Value {
        let answer = self.driver.command(&self.session(), name, parameters);
        answer.unwrap_or_else(|| self.fail(&format!("{name}: no answer")))
    }

    /// Fails the test with what the page and its console said, and a screenshot.
    pub fn fail(&self, why: &str) -> ! {
        let element = |selector: &str| {
            let script = "return document.querySelector(arguments[0])?.textContent ?? null";
            let said = self.runtime.block_on(self.client.execute(script, vec![json!(selector)]));
            said.ok()
                .and_then(|text| text.as_str().map(|text| text.trim().to_owned()))
                .unwrap_or_else(|| "(none)".into())
        };
        let test = thread::current().name().unwrap_or("page").replace("::", "-");
        let image = self.runtime.block_on(self.client.screenshot()).unwrap_or_default();
        let picture = xtask::target().join("screenshots").join(format!("failed-{test}.png"));
        fs::create_dir_all(picture.parent().unwrap()).unwrap();
        fs::write(&picture, image).unwrap();
        panic!(
            "{why}\n  #status: {}\n  #error: {}\n  #progress: {}\n  screenshot: {}\n  console:\n{}",
            element("#status"),
            element("#error"),
            element("#progress"),
            picture.display(),
            self.driver.console()
        );
    }
}
