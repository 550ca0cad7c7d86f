//! HTTP/1.1 as far as a static server needs it: one request head in, one response out, connections kept open.

use std::io::{self, BufRead, Read, Write};

/// A request head longer than this is refused: browsers send a few hundred bytes.
const LONGEST_HEAD: usize = 32 * 1024;
/// A posted body longer than this is refused: measurements are a few kilobytes.
const LONGEST_BODY: usize = 16 * 1024 * 1024;
/// Header lines read of one request.
const MOST_HEADERS: usize = 64;

/// One request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    /// `GET`, `HEAD`, `POST`.
    pub method: String,
    /// Path and query as sent, still percent-encoded.
    pub target: String,
    /// The `Range` header.
    pub range: Option<String>,
    /// The `If-None-Match` header: what the peer has already.
    pub has_version: Option<String>,
    /// Whether the body may come under gzip.
    pub takes_gzip: bool,
    /// Whether the connection stays open afterwards.
    pub keep_alive: bool,
    /// What was posted.
    pub body: Vec<u8>,
}

/// Reads the next request; `None` where the peer closed the connection or sent what is not HTTP.
pub fn read_request(stream: &mut impl BufRead) -> Option<Request> {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        let room = LONGEST_HEAD.checked_sub(head.len()).filter(|room| *room > 0)?;
        let read = stream.by_ref().take(room as u64).read_until(b'\n', &mut head).ok()?;
        if read == 0 {
            return None;
        }
    }
    let mut headers = [httparse::EMPTY_HEADER; MOST_HEADERS];
    let mut parsed = httparse::Request::new(&mut headers);
    parsed.parse(&head).ok()?;
    let header = |name: &str| {
        let found = parsed.headers.iter().find(|header| header.name.eq_ignore_ascii_case(name))?;
        std::str::from_utf8(found.value).ok().map(str::trim)
    };
    let length = header("content-length").map_or(Some(0), |value| value.parse::<usize>().ok())?;
    let mut body = vec![0; Some(length).filter(|length| *length <= LONGEST_BODY)?];
    stream.read_exact(&mut body).ok()?;
    Some(Request {
        method: parsed.method?.to_owned(),
        target: parsed.path?.to_owned(),
        range: header("range").map(str::to_owned),
        has_version: header("if-none-match").map(str::to_owned),
        takes_gzip: header("accept-encoding").is_some_and(|all| all.contains("gzip")),
        keep_alive: parsed.version == Some(1) && header("connection").is_none_or(|c| !c.eq_ignore_ascii_case("close")),
        body,
    })
}

/// Head of a response; the body follows it.
#[derive(Debug)]
pub struct Head {
    /// Status code.
    pub status: u16,
    /// Header lines beside `Content-Length` and `Connection`.
    pub headers: Vec<(&'static str, String)>,
    /// What `Content-Length` says.
    pub length: u64,
}

impl Head {
    /// Writes the head and the empty line after it.
    pub fn write(&self, out: &mut impl Write, keep_alive: bool) -> io::Result<()> {
        let mut text = format!("HTTP/1.1 {} {}\r\n", self.status, reason(self.status));
        for (name, value) in &self.headers {
            text.push_str(&format!("{name}: {value}\r\n"));
        }
        let connection = if keep_alive { "keep-alive" } else { "close" };
        text.push_str(&format!("Content-Length: {}\r\nConnection: {connection}\r\n\r\n", self.length));
        out.write_all(text.as_bytes())
    }
}

fn reason(status: u16) -> &'static str {
    match status {
        200 => "OK",
        206 => "Partial Content",
        301 => "Moved Permanently",
        304 => "Not Modified",
        403 => "Forbidden",
        404 => "Not Found",
        405 => "Method Not Allowed",
        416 => "Range Not Satisfiable",
        _ => "Error",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Option<Request> {
        read_request(&mut text.as_bytes())
    }

    #[test]
    fn a_request_is_read_with_its_body() {
        let request = read("POST /a?b HTTP/1.1\r\ncontent-LENGTH: 3\r\nRange: bytes=0-1\r\n\r\nxyz").unwrap();
        assert_eq!((request.method.as_str(), request.target.as_str()), ("POST", "/a?b"));
        assert_eq!((request.range.as_deref(), request.body.as_slice()), (Some("bytes=0-1"), &b"xyz"[..]));
        assert!(request.keep_alive);
    }

    #[test]
    fn connections_close_when_asked_or_old() {
        assert!(!read("GET / HTTP/1.1\r\nConnection: Close\r\n\r\n").unwrap().keep_alive);
        assert!(!read("GET / HTTP/1.0\r\n\r\n").unwrap().keep_alive);
    }

    #[test]
    fn what_is_not_http_ends_the_connection() {
        assert_eq!(read(""), None);
        assert_eq!(read("hello\r\n\r\n"), None);
        assert_eq!(read("POST / HTTP/1.1\r\nContent-Length: 9\r\n\r\nshort"), None);
        assert_eq!(read("POST / HTTP/1.1\r\nContent-Length: 99999999999\r\n\r\n"), None);
        assert_eq!(read(&format!("GET /{} HTTP/1.1\r\n\r\n", "a".repeat(LONGEST_HEAD))), None);
    }
}
