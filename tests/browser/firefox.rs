//! The page in Firefox, driven by WebDriver BiDi over its own socket: no driver to install, none to be of the wrong version.

use std::{
    fs,
    io::{BufRead, BufReader},
    net::TcpStream,
    path::PathBuf,
    process::{Child, Command, Stdio},
};

use serde_json::{Value, json};
use tungstenite::{Message, WebSocket, stream::MaybeTlsStream};
use xtask::others;

use crate::other::{Window, loads_runs_and_stays_at_home};

/// What Firefox says once it listens; its address follows.
const LISTENS: &str = "WebDriver BiDi listening on ";

struct Firefox {
    process: Child,
    socket: WebSocket<MaybeTlsStream<TcpStream>>,
    said: u64,
    context: String,
    profile: PathBuf,
}

impl Firefox {
    fn start() -> Self {
        let profile = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("firefox-{}", std::process::id()));
        fs::create_dir_all(&profile).unwrap();
        let mut process =
            Command::new(others::firefox().expect("Firefox must be on PATH; `cargo xtask test` sees to it"))
                .args(["--headless", "--no-remote", "--remote-debugging-port", "0", "--profile"])
                .arg(&profile)
                // Its own folder, so that it needs none of the person's.
                .env("HOME", &profile)
                .stdin(Stdio::null())
                .stdout(Stdio::null())
                .stderr(Stdio::piped())
                .spawn()
                .expect("Firefox starts");
        let mut lines = BufReader::new(process.stderr.take().unwrap()).lines().map_while(Result::ok);
        let address = lines.find_map(|line| Some(line.split_once(LISTENS)?.1.trim().to_owned()));
        let address = address.expect("Firefox says where it listens");
        // It goes on talking; nobody may leave it with a full pipe.
        std::thread::spawn(move || lines.for_each(drop));
        let (socket, _) = tungstenite::connect(format!("{address}/session")).expect("Firefox listens");
        let mut firefox = Self { process, socket, said: 0, context: String::new(), profile };
        firefox.ask("session.new", json!({ "capabilities": {} }));
        let tree = firefox.ask("browsingContext.getTree", json!({}));
        firefox.context = tree["contexts"][0]["context"].as_str().expect("a tab").to_owned();
        firefox
    }

    fn ask(&mut self, method: &str, params: Value) -> Value {
        self.said += 1;
        let command = json!({ "id": self.said, "method": method, "params": params });
        self.socket.send(Message::text(command.to_string())).expect("Firefox hears");
        loop {
            let Message::Text(text) = self.socket.read().expect("Firefox answers") else { continue };
            let answer: Value = serde_json::from_str(&text).expect("BiDi is JSON");
            if answer["id"] == json!(self.said) {
                assert_eq!(answer["type"], json!("success"), "{method}: {answer}");
                return answer["result"].clone();
            }
        }
    }
}

impl Window for Firefox {
    fn go(&mut self, url: &str) {
        let context = self.context.clone();
        self.ask("browsingContext.navigate", json!({ "context": context, "url": url, "wait": "complete" }));
    }

    fn evaluate(&mut self, expression: &str) -> Value {
        // Values come back in a form of the protocol's own; a text of JSON does not need it.
        let expression = format!("(async () => JSON.stringify((await ({expression})) ?? null))()");
        let target = json!({ "context": self.context });
        let answer =
            self.ask("script.evaluate", json!({ "expression": expression, "target": target, "awaitPromise": true }));
        assert_eq!(answer["type"], json!("success"), "{expression}: {answer}");
        serde_json::from_str(answer["result"]["value"].as_str().expect("a text")).expect("JSON")
    }
}

impl Drop for Firefox {
    fn drop(&mut self) {
        self.process.kill().ok();
        self.process.wait().ok();
        fs::remove_dir_all(&self.profile).ok();
    }
}

#[test]
#[ignore = "needs Firefox: cargo xtask test"]
fn the_page_runs_in_firefox_with_the_bits_of_the_native_program() {
    loads_runs_and_stays_at_home(&mut Firefox::start());
}
