//! A chromedriver of our own on a free port, with the headless Chromium it drives.

use std::{
    fs,
    io::{BufRead, BufReader, Read, Write},
    net::{Ipv4Addr, TcpStream},
    path::PathBuf,
    process::{Child, Command, Stdio},
    sync::atomic::{AtomicUsize, Ordering},
    time::{Duration, Instant},
};

use fantoccini::{Client, ClientBuilder, wd::Capabilities};
use hyper_util::client::legacy::connect::HttpConnector;
use serde_json::{Value, json};
use xtask::{chromium, spent::Meter};

/// chromedriver closes its browsers when asked to shut down; one that hangs is killed after this long.
const FAREWELL: Duration = Duration::from_secs(10);
/// What chromedriver says once it listens; its port follows.
const STARTED: &str = "started successfully on port ";

/// It takes a free port of one protocol and asks for the same of the other, which another process may have: then it ends.
const STARTS_AT_MOST: usize = 3;

static STARTS: AtomicUsize = AtomicUsize::new(0);

/// A running chromedriver and the folder of its browser's profile.
pub struct Driver {
    process: Child,
    port: u16,
    folder: PathBuf,
    meter: Meter,
}

impl Driver {
    /// Starts chromedriver, for a browser with these environment variables, and waits until it listens.
    pub fn start(environment: &[(&str, &str)]) -> Self {
        let program = chromium::driver().expect("chromedriver must be on PATH; `cargo xtask test` sees to it");
        let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!(
            "browser-{}-{}",
            std::process::id(),
            STARTS.fetch_add(1, Ordering::Relaxed)
        ));
        fs::create_dir_all(&folder).unwrap();
        let (process, port) = (0..STARTS_AT_MOST)
            .find_map(|_| {
                let mut process = Command::new(&program)
                    .arg("--port=0")
                    .envs(environment.iter().copied())
                    .stdin(Stdio::null())
                    .stdout(Stdio::piped())
                    .stderr(Stdio::null())
                    .spawn()
                    .expect("chromedriver starts");
                let mut lines = BufReader::new(process.stdout.take().unwrap()).lines().map_while(Result::ok);
                let port = lines.find_map(|line| line.split(STARTED).nth(1)?.trim_end_matches('.').parse().ok());
                let Some(port) = port else {
                    process.wait().ok();
                    return None;
                };
                // It goes on talking; nobody may leave it with a full pipe.
                std::thread::spawn(move || lines.for_each(drop));
                Some((process, port))
            })
            .expect("chromedriver says which port it listens on");
        let meter = Meter::new(process.id());
        Self { process, port, folder, meter }
    }

    /// Opens a window of `size` pixels in a browser with this driver's profile, which is fresh the first time.
    pub async fn open(&self, size: (u32, u32)) -> Client {
        let browser = chromium::browser().expect("Chromium must be on PATH; `cargo xtask test` sees to it");
        let arguments: Vec<String> = chromium::FLAGS
            .iter()
            .map(|flag| flag.to_string())
            .chain([
                format!("--user-data-dir={}", self.profile().display()),
                format!("--window-size={},{}", size.0, size.1),
                // The log holds what pages and their workers say on the console.
                "--enable-logging".into(),
                format!("--log-file={}", self.log().display()),
            ])
            .collect();
        let mut capabilities = Capabilities::new();
        capabilities.insert("goog:chromeOptions".into(), json!({ "binary": browser, "args": arguments }));
        ClientBuilder::new(HttpConnector::new())
            .capabilities(capabilities)
            .connect(&format!("http://127.0.0.1:{}", self.port))
            .await
            .expect("Chromium opens a window")
    }

    /// Ends the browser as a full memory or a cut wire would, and waits until nothing of it is left.
    pub fn kill_browser(&self) {
        let own = |command: &str| command.contains(&format!("--user-data-dir={}", self.profile().display()));
        let all = || processes().into_iter().filter(|(_, command)| own(command));
        // What it has started itself has a type.
        let browsers: Vec<u32> = all().filter(|(_, command)| !command.contains("--type=")).map(|(id, _)| id).collect();
        assert!(!browsers.is_empty(), "a browser runs with this profile");
        for id in browsers {
            Command::new("kill").args(["-KILL", &id.to_string()]).status().expect("kill runs");
        }
        let start = Instant::now();
        while all().next().is_some() && start.elapsed() < FAREWELL {
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Where its browser keeps everything.
    fn profile(&self) -> PathBuf {
        self.folder.join("profile")
    }

    /// What was said on the console so far, one message per line.
    pub fn console(&self) -> String {
        let log = fs::read_to_string(self.log()).unwrap_or_default();
        log.lines().filter(|line| line.contains("CONSOLE")).collect::<Vec<_>>().join("\n")
    }

    fn log(&self) -> PathBuf {
        self.folder.join("chromium.log")
    }

    /// Ends the browser's GPU process, as a faulty driver does; every WebGPU device is lost. The answer may not come: what
    /// answers is what ends.
    pub fn crash_gpu(&self, session: &str) {
        self.command(session, "Browser.crashGpuProcess", &json!({}));
    }

    /// Gives a command of the browser's own protocol; what came back, where something did.
    pub fn command(&self, session: &str, name: &str, parameters: &Value) -> Option<Value> {
        let body = json!({ "cmd": name, "params": parameters }).to_string();
        let mut stream = TcpStream::connect((Ipv4Addr::LOCALHOST, self.port)).expect("chromedriver listens");
        stream.set_read_timeout(Some(FAREWELL)).unwrap();
        let length = body.len();
        write!(
            stream,
            "POST /session/{session}/goog/cdp/execute HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\
             Content-Type: application/json\r\nContent-Length: {length}\r\n\r\n{body}"
        )
        .expect("chromedriver takes the command");
        // It leaves the connection open, whatever it is asked.
        let mut answer = BufReader::new(stream);
        let mut length = 0;
        for line in answer.by_ref().lines().map_while(Result::ok).take_while(|line| !line.is_empty()) {
            if let Some((name, value)) =
                line.split_once(':').filter(|(name, _)| name.eq_ignore_ascii_case("content-length"))
            {
                length = value.trim().parse().unwrap_or_else(|_| panic!("{name} is a number"));
            }
        }
        let mut body = vec![0; length];
        answer.read_exact(&mut body).ok()?;
        let answer: Value = serde_json::from_slice(&body).ok()?;
        Some(answer["value"].clone())
    }

    /// Asks chromedriver to close its browsers and itself, over a plain socket: this also runs while a test unwinds.
    fn shut_down(&self) -> std::io::Result<()> {
        let mut stream = TcpStream::connect((Ipv4Addr::LOCALHOST, self.port))?;
        stream.set_read_timeout(Some(FAREWELL))?;
        write!(stream, "GET /shutdown HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n")?;
        stream.read_to_end(&mut Vec::new()).map(drop)
    }
}

/// Processes of this machine by their number, with their command lines.
fn processes() -> Vec<(u32, String)> {
    let entries = fs::read_dir("/proc").expect("processes can be looked at").map_while(Result::ok);
    let ids = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    // One that has ended meanwhile has no command line.
    ids.filter_map(|id: u32| Some((id, fs::read(format!("/proc/{id}/cmdline")).ok()?)))
        .map(|(id, command)| (id, String::from_utf8_lossy(&command).replace('\0', " ")))
        .filter(|(_, command)| !command.is_empty())
        .collect()
}

impl Drop for Driver {
    fn drop(&mut self) {
        // Past the capture of what a test prints.
        writeln!(std::io::stdout(), "{}", self.meter.line()).ok();
        self.shut_down().ok();
        let start = Instant::now();
        while start.elapsed() < FAREWELL && matches!(self.process.try_wait(), Ok(None)) {
            std::thread::sleep(Duration::from_millis(20));
        }
        self.process.kill().ok();
        self.process.wait().ok();
        fs::remove_dir_all(&self.folder).ok();
    }
}
