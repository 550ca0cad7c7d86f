//! The static server over real sockets.

use std::{
    fs,
    io::{Read, Write},
    net::TcpStream,
    path::PathBuf,
    time::{Duration, Instant},
};

use xtask::server::{Reply, Server, Site};

/// A folder of its own for each test, with `index.html` and a ten-byte `digits.bin`.
fn folder(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    fs::create_dir_all(folder.join("sub")).unwrap();
    fs::write(folder.join("index.html"), "<p>home</p>").unwrap();
    fs::write(folder.join("sub/index.html"), "<p>sub</p>").unwrap();
    fs::write(folder.join("digits.bin"), "0123456789").unwrap();
    folder
}

/// Sends one request on a connection of its own; returns head and body.
fn fetch(server: &Server, method: &str, path: &str, headers: &str) -> (String, String) {
    let mut stream = TcpStream::connect(server.address()).unwrap();
    write!(stream, "{method} {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n{headers}\r\n").unwrap();
    let mut text = String::new();
    stream.read_to_string(&mut text).unwrap();
    let (head, body) = text.split_once("\r\n\r\n").unwrap();
    (head.to_owned(), body.to_owned())
}

fn status(head: &str) -> u16 {
    head.split(' ').nth(1).unwrap().parse().unwrap()
}

#[test]
fn a_stalled_file_announces_more_than_comes() {
    let server = Site::new(folder("stalled")).hook(|_| Reply::Stalled(4)).serve(0).unwrap();
    let mut stream = TcpStream::connect(server.address()).unwrap();
    stream.set_read_timeout(Some(Duration::from_millis(300))).unwrap();
    write!(stream, "GET /digits.bin HTTP/1.1\r\nHost: x\r\n\r\n").unwrap();
    let mut came = Vec::new();
    assert!(stream.read_to_end(&mut came).is_err(), "the connection stays open, and nothing more comes");
    let text = String::from_utf8(came).unwrap();
    assert!(text.contains("Content-Length: 10") && text.ends_with("\r\n\r\n0123"), "{text}");
}

#[test]
fn it_listens_on_loopback_only() {
    let server = Site::new(folder("loopback")).serve(0).unwrap();
    assert!(server.address().ip().is_loopback());
    assert!(server.url("/a").starts_with("http://127.0.0.1:"));
}

#[test]
fn whole_files_and_heads() {
    let server = Site::new(folder("whole")).serve(0).unwrap();
    let (head, body) = fetch(&server, "GET", "/digits.bin?v=2", "");
    assert_eq!((status(&head), body.as_str()), (200, "0123456789"));
    assert!(head.contains("Content-Length: 10") && head.contains("Accept-Ranges: bytes"), "{head}");
    assert!(!head.contains("Cross-Origin"), "a plain static host isolates nothing: {head}");
    let (head, body) = fetch(&server, "HEAD", "/digits.bin", "");
    assert_eq!((status(&head), body.as_str()), (200, ""));
    assert!(head.contains("Content-Length: 10"), "{head}");
    assert_eq!(fetch(&server, "GET", "/", "").1, "<p>home</p>");
    assert_eq!(status(&fetch(&server, "GET", "/none", "").0), 404);
    assert_eq!(status(&fetch(&server, "DELETE", "/digits.bin", "").0), 405);
    let (head, _) = fetch(&server, "GET", "/sub?x", "");
    assert_eq!(status(&head), 301);
    assert!(head.contains("Location: /sub/\r\n"), "{head}");
}

#[test]
fn single_ranges() {
    let server = Site::new(folder("ranges")).serve(0).unwrap();
    let (head, body) = fetch(&server, "GET", "/digits.bin", "Range: bytes=3-5\r\n");
    assert_eq!((status(&head), body.as_str()), (206, "345"));
    assert!(head.contains("Content-Range: bytes 3-5/10") && head.contains("Content-Length: 3"), "{head}");
    let (head, body) = fetch(&server, "GET", "/digits.bin", "Range: bytes=12-\r\n");
    assert_eq!((status(&head), body.as_str()), (416, ""));
    assert!(head.contains("Content-Range: bytes */10"), "{head}");
}

#[test]
fn nothing_outside_the_folder_is_served() {
    let folder = folder("escape");
    fs::write(folder.parent().unwrap().join("secret.txt"), "secret").unwrap();
    let server = Site::new(&folder).serve(0).unwrap();
    for path in ["/../secret.txt", "/%2e%2e/secret.txt", "/sub/..%2f..%2fsecret.txt"] {
        let (head, body) = fetch(&server, "GET", path, "");
        assert_eq!((status(&head), body.as_str()), (403, ""), "{path}");
    }
}

#[test]
fn a_site_may_live_under_a_prefix() {
    let (page, models) = (folder("prefix-page"), folder("prefix-models"));
    fs::write(models.join("digits.bin"), "models").unwrap();
    let server = Site::default().mount("/deep/lab/", page).mount("/deep/lab/models/", models).serve(0).unwrap();
    assert_eq!(fetch(&server, "GET", "/deep/lab/", "").1, "<p>home</p>");
    assert_eq!(fetch(&server, "GET", "/deep/lab/models/digits.bin", "").1, "models");
    assert_eq!(status(&fetch(&server, "GET", "/digits.bin", "").0), 404);
}

#[test]
fn one_connection_serves_many_requests() {
    let server = Site::new(folder("alive")).serve(0).unwrap();
    let mut stream = TcpStream::connect(server.address()).unwrap();
    for _ in 0..3 {
        write!(stream, "GET /digits.bin HTTP/1.1\r\nHost: x\r\n\r\n").unwrap();
        let mut text = Vec::new();
        while !text.ends_with(b"0123456789") {
            let mut byte = [0];
            stream.read_exact(&mut byte).unwrap();
            text.push(byte[0]);
        }
    }
}

#[test]
fn a_hook_makes_it_misbehave() {
    let late = Duration::from_millis(300);
    let server = Site::new(folder("hook"))
        .hook(move |ask| match ask.path {
            "/digits.bin" if ask.method == "HEAD" => Reply::Late(late),
            "/digits.bin" => Reply::WithoutRanges,
            "/sub/" => Reply::Overstated(5),
            "/gone" => Reply::Status(404),
            "/echo" => Reply::Text("text/plain", String::from_utf8_lossy(ask.body).into_owned()),
            _ => Reply::File,
        })
        .serve(0)
        .unwrap();
    let (head, body) = fetch(&server, "GET", "/digits.bin", "Range: bytes=3-5\r\n");
    assert_eq!((status(&head), body.as_str()), (200, "0123456789"));
    let (head, body) = fetch(&server, "GET", "/sub/", "");
    assert!(head.contains("Content-Length: 15"), "{head}");
    assert_eq!(body, "<p>sub</p>");
    assert_eq!(status(&fetch(&server, "GET", "/gone", "").0), 404);
    let start = Instant::now();
    fetch(&server, "HEAD", "/digits.bin", "");
    assert!(start.elapsed() >= late);
    let mut stream = TcpStream::connect(server.address()).unwrap();
    write!(stream, "POST /echo HTTP/1.1\r\nConnection: close\r\nContent-Length: 2\r\n\r\nhi").unwrap();
    let mut text = String::new();
    stream.read_to_string(&mut text).unwrap();
    assert!(text.ends_with("\r\n\r\nhi"), "{text}");
}

#[test]
fn dropping_it_frees_the_port() {
    let server = Site::new(folder("drop")).serve(0).unwrap();
    let address = server.address();
    drop(server);
    assert!(TcpStream::connect(address).is_err());
}
