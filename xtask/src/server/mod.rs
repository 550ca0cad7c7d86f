//! A static file server on the loopback interface: what `cargo xtask serve` shows, and what the browser tests load.
//!
//! It serves folders under path prefixes, answers single ranges, and sends no isolation headers, as a plain static host
//! would. A [`Hook`] may take over a request: the tests use it to misbehave like the servers one meets.

mod files;
mod http;
mod meter;

use std::{
    fs::File,
    io::{self, BufReader, Read, Seek, SeekFrom, Write},
    net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream},
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    thread::{self, JoinHandle},
    time::Duration,
};

use files::Part;
use http::{Head, Request};
pub use meter::Line;

/// An idle connection is dropped after this long, so that its thread ends.
const IDLE: Duration = Duration::from_secs(60);

/// What a hook sees of a request.
#[derive(Debug)]
pub struct Ask<'a> {
    /// `GET`, `HEAD` or `POST`.
    pub method: &'a str,
    /// Decoded path, from the server's root.
    pub path: &'a str,
    /// What was posted.
    pub body: &'a [u8],
    /// The range that was asked for, as it was asked.
    pub range: Option<&'a str>,
}

/// What a hook decides.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reply {
    /// The file, as it is.
    File,
    /// The file, after a while.
    Late(Duration),
    /// The whole file even where a range was asked for.
    WithoutRanges,
    /// A `Content-Length` of this many bytes more than there are; the connection closes after those there are.
    Overstated(u64),
    /// An empty answer with this status.
    Status(u16),
    /// This text, of this MIME type.
    Text(&'static str, String),
    /// The head and so many bytes of the file, then nothing, until the peer hangs up. A file that has no more comes whole.
    Stalled(u64),
    /// The connection closes without a word, as if there were no network.
    Nothing,
}

/// How a file is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Manner {
    Plain,
    Overstated(u64),
    Stalled(u64),
}

/// Looks at each request before the files do.
pub type Hook = Box<dyn Fn(&Ask) -> Reply + Send + Sync>;

/// Folders and the path prefixes they are served under.
#[derive(Default)]
pub struct Site {
    mounts: Vec<(String, PathBuf)>,
    hook: Option<Hook>,
    line: Option<Line>,
    shared: bool,
    count: Option<Arc<AtomicU64>>,
}

/// Files that a slow line is for.
const HEAVY: &str = "safetensors";

impl Site {
    /// A site that serves `folder` at `/`.
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Self::default().mount("/", folder)
    }

    /// Serves `folder` under `prefix`, which begins and ends with `/`. The longest prefix that fits a path wins.
    pub fn mount(mut self, prefix: &str, folder: impl Into<PathBuf>) -> Self {
        assert!(prefix.starts_with('/') && prefix.ends_with('/'), "a prefix begins and ends with '/', got {prefix:?}");
        self.mounts.push((prefix.to_owned(), folder.into()));
        self.mounts.sort_by_key(|(prefix, _)| std::cmp::Reverse(prefix.len()));
        self
    }

    /// Sends weights over a slow line, with a version that a browser may keep them by.
    pub fn line(mut self, line: Line) -> Self {
        self.line = Some(line);
        self
    }

    /// Adds the bytes of every body that is sent to a count.
    pub fn counted(mut self, count: Arc<AtomicU64>) -> Self {
        self.count = Some(count);
        self
    }

    /// Lets pages of other hosts read it.
    pub fn shared(mut self) -> Self {
        self.shared = true;
        self
    }

    /// Lets `hook` answer first.
    pub fn hook(mut self, hook: impl Fn(&Ask) -> Reply + Send + Sync + 'static) -> Self {
        self.hook = Some(Box::new(hook));
        self
    }

    /// Listens on 127.0.0.1; port 0 takes any free one.
    pub fn serve(self, port: u16) -> io::Result<Server> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port))?;
        let address = listener.local_addr()?;
        let closing = Arc::new(AtomicBool::new(false));
        let site = Arc::new(self);
        let accepting = thread::spawn({
            let closing = closing.clone();
            move || {
                for stream in listener.incoming() {
                    if closing.load(Ordering::SeqCst) {
                        return;
                    }
                    let (Ok(stream), site) = (stream, site.clone()) else { continue };
                    // A peer that hangs up in the middle is its own affair.
                    thread::spawn(move || site.converse(stream).ok());
                }
            }
        });
        Ok(Server { address, closing, accepting: Some(accepting) })
    }

    fn converse(&self, stream: TcpStream) -> io::Result<()> {
        stream.set_read_timeout(Some(IDLE))?;
        stream.set_nodelay(true)?;
        let mut reader = BufReader::new(stream.try_clone()?);
        let mut writer = stream;
        while let Some(request) = http::read_request(&mut reader) {
            if !self.answer(&request, &mut writer)? {
                break;
            }
        }
        Ok(())
    }

    /// Answers one request; says whether the connection may serve another.
    fn answer(&self, request: &Request, out: &mut TcpStream) -> io::Result<bool> {
        let Some(path) = files::decode(&request.target) else { return empty(403, request, out) };
        let range = request.range.as_deref();
        let ask = Ask { method: &request.method, path: &path, body: &request.body, range };
        match self.hook.as_ref().map_or(Reply::File, |hook| hook(&ask)) {
            Reply::File => self.file(&path, request, request.range.as_deref(), Manner::Plain, out),
            Reply::Late(delay) => {
                thread::sleep(delay);
                self.file(&path, request, request.range.as_deref(), Manner::Plain, out)
            }
            Reply::WithoutRanges => self.file(&path, request, None, Manner::Plain, out),
            Reply::Overstated(excess) => {
                self.file(&path, request, request.range.as_deref(), Manner::Overstated(excess), out)
            }
            Reply::Stalled(after) => self.file(&path, request, request.range.as_deref(), Manner::Stalled(after), out),
            Reply::Status(status) => empty(status, request, out),
            Reply::Nothing => Ok(false),
            Reply::Text(mime, text) => {
                let headers = vec![("Content-Type", mime.to_owned()), ("Cache-Control", "no-cache".to_owned())];
                send(&Head { status: 200, headers, length: text.len() as u64 }, text.as_bytes(), request, out)
            }
        }
    }

    fn file(
        &self,
        path: &str,
        request: &Request,
        range: Option<&str>,
        manner: Manner,
        out: &mut TcpStream,
    ) -> io::Result<bool> {
        if !matches!(request.method.as_str(), "GET" | "HEAD") {
            return empty(405, request, out);
        }
        let mount = self.mounts.iter().find_map(|(prefix, folder)| Some((folder, path.strip_prefix(prefix.as_str())?)));
        let Some((folder, relative)) = mount else { return empty(404, request, out) };
        let Some(mut file_path) = files::resolve(folder, relative) else { return empty(403, request, out) };
        if file_path.is_dir() {
            // Relative addresses in a page resolve against its folder, so the address must end with a slash.
            if !path.ends_with('/') {
                let raw = request.target.split(['?', '#']).next().unwrap_or_default();
                let headers = vec![("Location", format!("{raw}/"))];
                return send(&Head { status: 301, headers, length: 0 }, io::empty(), request, out);
            }
            file_path.push("index.html");
        }
        let mut headers = file_headers(&file_path);
        // A range is of the file itself.
        let squeezed =
            files::squeezed(&file_path).filter(|_| request.takes_gzip && range.is_none() && manner == Manner::Plain);
        if squeezed.is_some() {
            headers.push(("Content-Encoding", "gzip".to_owned()));
        }
        // As static hosts do: what the browser has already is not sent again. Weights have a version only on a line of their own.
        if let Some(version) = files::version(&file_path) {
            if request.has_version.as_deref() == Some(version.as_str()) {
                return empty(304, request, out);
            }
            headers.push(("ETag", version));
        }
        let Ok(mut file) = File::open(squeezed.as_ref().unwrap_or(&file_path)) else { return empty(404, request, out) };
        let size = file.metadata()?.len();
        if self.shared {
            headers.push(("Access-Control-Allow-Origin", "*".to_owned()));
        }
        let (status, first, length) = match files::part(range, size) {
            Part::Whole => (200, 0, size),
            Part::Range(first, last) => {
                headers.push(("Content-Range", format!("bytes {first}-{last}/{size}")));
                (206, first, last - first + 1)
            }
            Part::Unsatisfiable => {
                headers.push(("Content-Range", format!("bytes */{size}")));
                return send(&Head { status: 416, headers, length: 0 }, io::empty(), request, out);
            }
        };
        if let Some(count) = self.count.as_ref().filter(|_| request.method == "GET") {
            count.fetch_add(length, Ordering::Relaxed);
        }
        file.seek(SeekFrom::Start(first))?;
        let (line, body) =
            (self.line.as_ref().filter(|_| file_path.extension() == Some(HEAVY.as_ref())), file.take(length));
        match (line, manner) {
            (_, Manner::Stalled(after)) if after < length => {
                send(&Head { status, headers, length }, body.take(after), request, out)?;
                // Until the peer hangs up, or an idle connection is dropped.
                out.read_exact(&mut [0]).ok();
                Ok(false)
            }
            (_, Manner::Overstated(excess)) => {
                send(&Head { status, headers, length: length + excess }, body, request, out)?;
                Ok(false)
            }
            (Some(line), _) => {
                headers.push(("ETag", format!("\"{size}\"")));
                send(&Head { status, headers, length }, line.slow(body), request, out)
            }
            (None, _) => send(&Head { status, headers, length }, body, request, out),
        }
    }
}

fn file_headers(path: &Path) -> Vec<(&'static str, String)> {
    vec![
        ("Content-Type", files::mime(path).to_owned()),
        ("Accept-Ranges", "bytes".to_owned()),
        // The worker's files keep their names from build to build.
        ("Cache-Control", "no-cache".to_owned()),
    ]
}

fn empty(status: u16, request: &Request, out: &mut TcpStream) -> io::Result<bool> {
    send(&Head { status, headers: vec![], length: 0 }, io::empty(), request, out)
}

fn send(head: &Head, mut body: impl Read, request: &Request, out: &mut TcpStream) -> io::Result<bool> {
    head.write(out, request.keep_alive)?;
    if request.method != "HEAD" {
        io::copy(&mut body, out)?;
    }
    out.flush()?;
    Ok(request.keep_alive)
}

/// A running server; it stops listening when dropped.
pub struct Server {
    address: SocketAddr,
    closing: Arc<AtomicBool>,
    accepting: Option<JoinHandle<()>>,
}

impl Server {
    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Absolute URL of a path that begins with `/`.
    pub fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// Serves until the process ends.
    pub fn run(mut self) {
        if let Some(accepting) = self.accepting.take() {
            accepting.join().ok();
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.closing.store(true, Ordering::SeqCst);
        if let Some(accepting) = self.accepting.take() {
            // The listener sleeps until someone calls.
            TcpStream::connect(self.address).ok();
            accepting.join().ok();
        }
    }
}
