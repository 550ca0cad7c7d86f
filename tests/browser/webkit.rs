//! The page in WebKitGTK's small browser, on a display without a screen.

use std::{
    net::TcpListener,
    process::{Child, Command, Stdio},
    thread,
    time::Duration,
};

use fantoccini::{Client, ClientBuilder, wd::Capabilities};
use hyper_util::client::legacy::connect::HttpConnector;
use serde_json::{Value, json};
use tokio::runtime::{Builder, Runtime};
use xtask::others;

use crate::other::{Window, loads_runs_and_stays_at_home};

/// Tries to reach the driver, a tenth of a second apart.
const TRIES: usize = 100;

struct WebKit {
    client: Client,
    runtime: Runtime,
    /// The driver, then the display that it needs.
    processes: [Child; 2],
}

fn quiet(command: &mut Command) -> Child {
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("it starts")
}

impl WebKit {
    fn start() -> Self {
        let (driver, browser, xvfb) = others::webkit().expect("WebKitGTK must be there; `cargo xtask test` sees to it");
        let display = format!(":{}", 100 + std::process::id() % 500);
        let screen = quiet(Command::new(xvfb).args([&display, "-screen", "0", "1280x900x24", "-nolisten", "tcp"]));
        let port = TcpListener::bind("127.0.0.1:0").and_then(|free| free.local_addr()).expect("a free port").port();
        let driver = quiet(
            Command::new(driver)
                .arg(format!("--port={port}"))
                .env("DISPLAY", &display)
                // Without a GPU and without the kernel's namespaces, which a container may not have.
                .envs([
                    ("LIBGL_ALWAYS_SOFTWARE", "1"),
                    ("WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS", "1"),
                    ("GDK_BACKEND", "x11"),
                ]),
        );
        let runtime = Builder::new_current_thread().enable_all().build().unwrap();
        let options = json!({ "binary": browser, "args": ["--automation"] });
        let capabilities = Capabilities::from_iter([("webkitgtk:browserOptions".to_owned(), options)]);
        let mut builder = ClientBuilder::new(HttpConnector::new());
        builder.capabilities(capabilities);
        let client = (0..TRIES).find_map(|_| {
            thread::sleep(Duration::from_millis(100));
            runtime.block_on(builder.connect(&format!("http://127.0.0.1:{port}"))).ok()
        });
        Self { client: client.expect("WebKitGTK opens a window"), runtime, processes: [driver, screen] }
    }
}

impl Window for WebKit {
    fn go(&mut self, url: &str) {
        self.runtime.block_on(self.client.goto(url)).expect("the page loads");
    }

    fn evaluate(&mut self, expression: &str) -> Value {
        let script = format!(
            "const done = arguments[arguments.length - 1]; (async () => await ({expression}))().then(done, (fault) => done(String(fault)));"
        );
        self.runtime.block_on(self.client.execute_async(&script, vec![])).expect("a value")
    }
}

impl Drop for WebKit {
    fn drop(&mut self) {
        self.runtime.block_on(self.client.clone().close()).ok();
        for process in &mut self.processes {
            process.kill().ok();
            process.wait().ok();
        }
    }
}

#[test]
#[ignore = "needs WebKitGTK: cargo xtask test"]
fn the_page_runs_in_webkitgtk_with_the_bits_of_the_native_program() {
    loads_runs_and_stays_at_home(&mut WebKit::start());
}
