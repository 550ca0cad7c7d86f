//! A web server that can be told to misbehave.

use std::{
    io::{BufRead, BufReader, Write},
    net::{TcpListener, TcpStream},
    sync::{Arc, Mutex},
    thread,
};

use fairbits::model::source::{Http, native::Client};

/// What the server does with its one file.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Manner {
    /// Answers ranges.
    Ranges,
    /// Ignores ranges: 200 and the whole file.
    Plain,
    /// No length, the end of the connection is the end of the file.
    Unsized,
    /// Chunked transfer.
    Chunked,
    /// Whole file; announces this many bytes more than it sends.
    AnnouncesMore(usize),
    /// Whole file; announces this many bytes fewer than it sends.
    AnnouncesFewer(usize),
    /// Ranges; every body ends after this many bytes.
    CutRanges(usize),
    /// Ranges, shifted by one byte.
    ShiftedRanges,
    /// Ranges whose length and range disagree.
    LengthAgainstRange,
    /// Ranges, without saying which.
    SilentRanges,
    /// Ranges of a file of unknown size.
    StarRanges,
    /// Ranges at first, the whole file for every later question.
    ForgetsRanges,
    /// The file grows after the first question.
    Grows,
    /// This status, without a file.
    Status(u16),
}

/// The inclusive range that a request asked for, if any.
pub type Asked = Option<(usize, usize)>;

/// A running server; it answers until the process ends.
pub struct Server {
    address: String,
    asked: Arc<Mutex<Vec<Asked>>>,
}

impl Server {
    /// Serves `bytes` as `model.safetensors` (and under every other name but `absent…`).
    pub fn start(bytes: Vec<u8>, manner: Manner) -> Server {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let asked = Arc::new(Mutex::new(Vec::new()));
        let log = asked.clone();
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let _ = answer(stream, &bytes, manner, &log);
            }
        });
        Server { address, asked }
    }

    /// The folder that it serves.
    pub fn source(&self) -> Http<Client> {
        Http::new(&self.address, Client::default())
    }

    /// The ranges that were asked for, in order.
    pub fn asked(&self) -> Vec<Asked> {
        self.asked.lock().unwrap().clone()
    }
}

/// Reads one request and answers it; each connection serves one.
fn answer(stream: TcpStream, file: &[u8], manner: Manner, asked: &Mutex<Vec<Asked>>) -> std::io::Result<()> {
    let mut lines = BufReader::new(stream.try_clone()?).lines();
    let path = lines.next().transpose()?.unwrap_or_default();
    let mut range = None;
    for line in lines {
        let line = line?.to_ascii_lowercase();
        if let Some((first, last)) = line.strip_prefix("range: bytes=").and_then(|span| span.split_once('-')) {
            range = first.parse().ok().zip(last.parse().ok());
        }
        if line.is_empty() {
            break;
        }
    }
    let first_question = {
        let mut asked = asked.lock().unwrap();
        asked.push(range);
        asked.len() == 1
    };
    if path.contains("/absent") {
        return send(stream, 404, &["Content-Length: 7".into()], b"nothing");
    }
    use Manner::*;
    let whole = |length: usize| send(stream.try_clone()?, 200, &[format!("Content-Length: {length}")], file);
    match (manner, range) {
        (Status(status), _) => send(stream, status, &["Content-Length: 0".into()], b""),
        (Unsized, _) => send(stream, 200, &[], file),
        (Chunked, _) => {
            let mut body = Vec::new();
            for piece in file.chunks(5) {
                body.extend(format!("{:x}\r\n", piece.len()).bytes().chain(piece.iter().copied()).chain(*b"\r\n"));
            }
            body.extend(b"0\r\n\r\n");
            send(stream, 200, &["Transfer-Encoding: chunked".into()], &body)
        }
        (AnnouncesMore(by), _) => whole(file.len() + by),
        (AnnouncesFewer(by), _) => whole(file.len() - by),
        (Plain, _) | (_, None) => whole(file.len()),
        (ForgetsRanges, _) if !first_question => whole(file.len()),
        (_, Some((first, _))) if first >= file.len() => {
            send(stream, 416, &["Content-Length: 0".into(), format!("Content-Range: bytes */{}", file.len())], b"")
        }
        (manner, Some((first, last))) => {
            let last = last.min(file.len() - 1);
            let body = &file[first..=last];
            let size = file.len() + usize::from(manner == Grows && !first_question);
            let (length, content_range, body) = match manner {
                CutRanges(after) => (body.len(), format!("{first}-{last}/{size}"), &body[..after.min(body.len())]),
                ShiftedRanges => (body.len(), format!("{}-{}/{size}", first + 1, last + 1), body),
                LengthAgainstRange => (body.len() + 1, format!("{first}-{last}/{size}"), body),
                StarRanges => (body.len(), format!("{first}-{last}/*"), body),
                _ => (body.len(), format!("{first}-{last}/{size}"), body),
            };
            let mut headers = vec![format!("Content-Length: {length}")];
            if manner != SilentRanges {
                headers.push(format!("Content-Range: bytes {content_range}"));
            }
            send(stream, 206, &headers, body)
        }
    }
}

fn send(mut stream: TcpStream, status: u16, headers: &[String], body: &[u8]) -> std::io::Result<()> {
    let headers: String = headers.iter().map(|header| format!("{header}\r\n")).collect();
    stream.write_all(format!("HTTP/1.1 {status} Answer\r\n{headers}Connection: close\r\n\r\n").as_bytes())?;
    stream.write_all(body)?;
    stream.flush()
}
