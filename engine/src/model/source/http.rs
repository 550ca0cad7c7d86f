//! A folder at a URL: what to ask of a server and what to check in its answers.
//!
//! The browser's fetch and the native client are thin [`Transport`]s below this file, so that native tests run the code
//! that the page runs. A large file is first asked for its bytes 0-7: a server that has ranges answers 206 with a
//! `Content-Range` that also tells the file's size; one that ignores the question answers 200, and that body is read to
//! its end instead.

use std::{collections::BTreeMap, ops::Range, rc::Rc, time::Duration};

use super::{Extent, ModelError, Ranged, Reader, Source, Stated, collect, sha256};

/// Bytes per range request. One round trip of 100 ms per 8 MiB costs under a tenth of the time up to 9 MB/s, and a
/// stopped load wastes little.
const RANGE_BYTES: u64 = 8 << 20;
/// The first question: a safetensors file starts with 8 bytes of header length.
const PROBE_BYTES: u64 = 8;

/// A server that is silent for this long has gone. The slowest that are used answer and go on within seconds, and who waits longer
/// than this before anything is said takes the page for dead.
pub const PATIENCE: Duration = Duration::from_secs(30);

/// Why a transport gave no bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fault {
    /// Nothing came while [`PATIENCE`] lasted.
    Silent,
    /// Anything else, in the transport's words.
    Failed(String),
}

/// What a server says before the body.
pub struct Answer<B> {
    /// HTTP status, after redirects.
    pub status: u16,
    /// `Content-Length`, where it counts the very bytes that the body will hand out.
    pub length: Option<u64>,
    /// `Content-Range`, where it can be seen.
    pub range: Option<String>,
    /// `ETag` or else `Last-Modified`, where either can be seen.
    pub version: Option<String>,
    /// The bytes.
    pub body: B,
}

/// Sends one GET request.
#[allow(async_fn_in_trait)] // used through generics in one thread
pub trait Transport: Clone {
    /// Bytes of an answer.
    type Body: Body;
    /// Asks for `url`, or for the inclusive byte range of it.
    async fn get(&self, url: &str, range: Option<(u64, u64)>) -> Result<Answer<Self::Body>, Fault>;
}

/// The bytes of an answer.
#[allow(async_fn_in_trait)]
pub trait Body {
    /// The next bytes, None after the last.
    async fn next(&mut self) -> Result<Option<Vec<u8>>, Fault>;
}

/// A folder at a URL.
#[derive(Debug, Clone)]
pub struct Http<T> {
    url: String,
    transport: T,
    /// What the place says of some files.
    stated: Rc<BTreeMap<String, Stated>>,
}

impl<T: Transport> Http<T> {
    /// The folder at an absolute `url`; a query or a fragment is left off.
    pub fn new(url: &str, transport: T) -> Http<T> {
        let path = url.split(['?', '#']).next().unwrap_or_default();
        Http { url: path.trim_end_matches('/').to_string(), transport, stated: Rc::default() }
    }

    /// The same folder, with what its place says of some of its files. Those that are read whole are held to it here.
    pub fn with_stated(self, stated: BTreeMap<String, Stated>) -> Http<T> {
        Http { stated: Rc::new(stated), ..self }
    }

    async fn get(&self, file: &str, range: Option<(u64, u64)>) -> Result<Answer<T::Body>, ModelError> {
        let place = format!("{}/{file}", self.url);
        let answer = self.transport.get(&place, range).await.map_err(|fault| match fault {
            Fault::Silent => silent(file),
            Fault::Failed(reason) => ModelError::Unreadable { file: file.into(), reason },
        })?;
        match answer.status {
            200 => Ok(answer),
            206 | 416 if range.is_some() => Ok(answer),
            404 | 410 => Err(ModelError::NotFound { file: file.into(), place }),
            status => Err(ModelError::Status { file: file.into(), place, status }),
        }
    }

    /// The file from its first byte to its last in one answer.
    async fn open_plain(&self, file: &str) -> Result<HttpReader<T>, ModelError> {
        Ok(self.plain_reader(file, self.get(file, None).await?))
    }

    /// Bytes of a file of `size` bytes, in one answer.
    async fn ask_range(&self, file: &str, range: Range<u64>, size: u64) -> Result<Counted<T::Body>, ModelError> {
        let (first, last) = (range.start, range.end - 1);
        let answer = self.get(file, Some((first, last))).await?;
        let text = answer.range.unwrap_or_else(|| format!("status {} and no range", answer.status));
        match ContentRange::parse(&text) {
            Some(range) if answer.status == 206 && range == (ContentRange { first, last, size: Some(size) }) => {
                Counted::of_range(file, answer.body, answer.length, &range)
            }
            _ => Err(ModelError::WrongRange { file: file.into(), first, last, answer: text }),
        }
    }

    /// Some bytes of a file that comes only whole.
    async fn cut_out(&self, file: &str, range: Range<u64>) -> Result<Vec<u8>, ModelError> {
        let (mut reader, mut at, mut bytes) = (self.open_plain(file).await?, 0, Vec::new());
        while at < range.end
            && let Some(chunk) = reader.next().await?
        {
            let within = |place: u64| place.saturating_sub(at).min(chunk.len() as u64) as usize;
            bytes.extend_from_slice(&chunk[within(range.start)..within(range.end)]);
            at += chunk.len() as u64;
        }
        Ok(bytes)
    }

    fn plain_reader(&self, file: &str, answer: Answer<T::Body>) -> HttpReader<T> {
        HttpReader {
            size: answer.length,
            body: Some(Counted::new(answer.body, answer.length)),
            ranged: false,
            position: 0,
            file: file.into(),
            source: self.clone(),
        }
    }
}

impl<T: Transport> Source for Http<T> {
    type Reader = HttpReader<T>;

    /// `path` may also be an absolute http or https URL.
    fn folder(&self, path: &str) -> Http<T> {
        if path.starts_with("http://") || path.starts_with("https://") {
            Http::new(path, self.transport.clone())
        } else {
            Http::new(&format!("{}/{path}", self.url), self.transport.clone())
        }
    }

    fn digest(&self, file: &str) -> Option<&str> {
        match self.stated.get(file)? {
            Stated::Sha256(digest) => Some(digest),
            Stated::GitBlob(_) => None,
        }
    }

    async fn open(&self, file: &str) -> Result<HttpReader<T>, ModelError> {
        let answer = self.get(file, Some((0, PROBE_BYTES - 1))).await?;
        if answer.status == 200 {
            return Ok(self.plain_reader(file, answer));
        }
        // 416 is the right answer for an empty file; a range that other origins may not see has no use either.
        let Some(text) = answer.range.as_deref().filter(|_| answer.status == 206) else {
            return self.open_plain(file).await;
        };
        let wrong =
            || ModelError::WrongRange { file: file.into(), first: 0, last: PROBE_BYTES - 1, answer: text.into() };
        let range = ContentRange::parse(text).ok_or_else(wrong)?;
        let Some(size) = range.size else {
            return self.open_plain(file).await;
        };
        if size == 0 || (range.first, range.last) != (0, PROBE_BYTES.min(size) - 1) {
            return Err(wrong());
        }
        let body = Counted::of_range(file, answer.body, answer.length, &range)?;
        Ok(HttpReader {
            size: Some(size),
            body: Some(body),
            ranged: true,
            position: 0,
            file: file.into(),
            source: self.clone(),
        })
    }

    async fn read(&self, file: &str, limit: u64) -> Result<Vec<u8>, ModelError> {
        let bytes = collect(self.open_plain(file).await?, file, limit).await?;
        self.stated.get(file).map_or(Ok(()), |stated| stated.check(file, &bytes))?;
        Ok(bytes)
    }
}

impl<T: Transport> Ranged for Http<T> {
    async fn extent(&self, file: &str) -> Result<Option<Extent>, ModelError> {
        let answer = self.get(file, Some((0, PROBE_BYTES - 1))).await?;
        let range = answer.range.as_deref().filter(|_| answer.status == 206).and_then(ContentRange::parse);
        let Some(size) = range.and_then(|range| range.size) else { return Ok(None) };
        let versioned = |version| sha256(format!("{}/{file}\n{size}\n{version}", self.url).as_bytes());
        let key = self.digest(file).map(str::to_string).or_else(|| answer.version.map(versioned));
        Ok(Some(Extent { size, key }))
    }

    async fn part(&self, file: &str, range: Range<u64>, size: u64) -> Result<Vec<u8>, ModelError> {
        let mut bytes = Vec::with_capacity(usize::try_from(range.end - range.start).unwrap_or_default());
        let mut body = match self.ask_range(file, range.clone(), size).await {
            Err(ModelError::WrongRange { .. }) if self.extent(file).await?.is_none() => {
                return self.cut_out(file, range).await;
            }
            asked => asked?,
        };
        while let Some(chunk) = body.next(file).await? {
            bytes.extend_from_slice(&chunk);
        }
        Ok(bytes)
    }
}

/// Reads one file of an [`Http`] folder.
pub struct HttpReader<T: Transport> {
    source: Http<T>,
    file: String,
    size: Option<u64>,
    ranged: bool,
    /// Bytes handed out.
    position: u64,
    body: Option<Counted<T::Body>>,
}

impl<T: Transport> HttpReader<T> {
    /// Whether the server answers ranges.
    pub fn ranged(&self) -> bool {
        self.ranged
    }

    async fn ask_range(&self, first: u64, size: u64) -> Result<Counted<T::Body>, ModelError> {
        let end = first.saturating_add(RANGE_BYTES).min(size);
        self.source.ask_range(&self.file, first..end, size).await
    }
}

impl<T: Transport> Reader for HttpReader<T> {
    fn size(&self) -> Option<u64> {
        self.size
    }

    async fn next(&mut self) -> Result<Option<Vec<u8>>, ModelError> {
        loop {
            if let Some(body) = &mut self.body {
                if let Some(chunk) = body.next(&self.file).await? {
                    self.position += chunk.len() as u64;
                    return Ok(Some(chunk));
                }
                self.body = None;
            }
            match self.size {
                Some(size) if self.ranged && self.position < size => {
                    self.body = Some(self.ask_range(self.position, size).await?);
                }
                _ => return Ok(None),
            }
        }
    }
}

fn silent(file: &str) -> ModelError {
    ModelError::Silent { file: file.into(), seconds: PATIENCE.as_secs() }
}

/// A body held to its announced length.
struct Counted<B> {
    body: B,
    expected: Option<u64>,
    came: u64,
}

impl<B: Body> Counted<B> {
    fn new(body: B, expected: Option<u64>) -> Counted<B> {
        Counted { body, expected, came: 0 }
    }

    fn of_range(file: &str, body: B, length: Option<u64>, range: &ContentRange) -> Result<Counted<B>, ModelError> {
        let span = range.last - range.first + 1;
        match length {
            Some(length) if length != span => {
                Err(ModelError::LengthsDisagree { file: file.into(), length, range: span })
            }
            _ => Ok(Counted::new(body, Some(span))),
        }
    }

    async fn next(&mut self, file: &str) -> Result<Option<Vec<u8>>, ModelError> {
        let cut_short = |came, expected, reason| ModelError::CutShort { file: file.into(), came, expected, reason };
        loop {
            match (self.body.next().await, self.expected) {
                (Ok(Some(chunk)), _) if chunk.is_empty() => {}
                (Ok(Some(chunk)), expected) => {
                    self.came += chunk.len() as u64;
                    return match expected {
                        Some(expected) if self.came > expected => {
                            Err(ModelError::SentMore { file: file.into(), expected })
                        }
                        _ => Ok(Some(chunk)),
                    };
                }
                (Ok(None), Some(expected)) if self.came < expected => {
                    return Err(cut_short(self.came, expected, "no more came".into()));
                }
                (Ok(None), _) => return Ok(None),
                (Err(Fault::Silent), _) => return Err(silent(file)),
                (Err(Fault::Failed(reason)), Some(expected)) => return Err(cut_short(self.came, expected, reason)),
                (Err(Fault::Failed(reason)), None) => {
                    return Err(ModelError::Unreadable { file: file.into(), reason });
                }
            }
        }
    }
}

/// `bytes first-last/size`, both ends inclusive, size None where it is `*`.
#[derive(Debug, PartialEq, Eq)]
struct ContentRange {
    first: u64,
    last: u64,
    size: Option<u64>,
}

impl ContentRange {
    fn parse(text: &str) -> Option<ContentRange> {
        let (span, size) = text.trim().strip_prefix("bytes ")?.split_once('/')?;
        let (first, last) = span.trim().split_once('-')?;
        let (first, last) = (first.parse().ok()?, last.parse().ok()?);
        let size = match size.trim() {
            "*" => None,
            size => Some(size.parse().ok()?),
        };
        (first <= last && size.is_none_or(|size| last < size)).then_some(ContentRange { first, last, size })
    }
}

#[cfg(test)]
mod tests {
    use super::ContentRange;

    #[test]
    fn content_ranges_are_read_strictly() {
        let range = |first, last, size| Some(ContentRange { first, last, size });
        assert_eq!(ContentRange::parse("bytes 0-7/100"), range(0, 7, Some(100)));
        assert_eq!(ContentRange::parse("bytes 8-8/*"), range(8, 8, None));
        for wrong in
            ["", "bytes */100", "bytes 7-0/100", "bytes 0-100/100", "items 0-7/100", "bytes 0-7", "bytes -1-7/9"]
        {
            assert_eq!(ContentRange::parse(wrong), None, "{wrong}");
        }
    }
}
