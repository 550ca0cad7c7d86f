//! The native transport: a blocking client in the caller's thread, plain HTTP only (the command line and the tests talk
//! to local servers).

use std::io::{self, Read};

use ureq::{Agent, BodyReader, http::header};

use super::http::{Answer, Body, Fault, PATIENCE, Transport};

/// Bytes read at a time.
const CHUNK: usize = 64 << 10;

/// Plain HTTP with a pool of connections.
#[derive(Debug, Clone)]
pub struct Client {
    agent: Agent,
}

impl Default for Client {
    fn default() -> Client {
        let config = Agent::config_builder()
            .http_status_as_error(false)
            .proxy(None)
            .timeout_connect(Some(PATIENCE))
            .timeout_per_read(Some(PATIENCE))
            .build();
        Client { agent: config.new_agent() }
    }
}

impl Transport for Client {
    type Body = ClientBody;

    async fn get(&self, url: &str, range: Option<(u64, u64)>) -> Result<Answer<ClientBody>, Fault> {
        let mut request = self.agent.get(url).header(header::ACCEPT_ENCODING, "identity");
        if let Some((first, last)) = range {
            request = request.header(header::RANGE, format!("bytes={first}-{last}"));
        }
        let response = request.call().map_err(|error| fault(&error))?;
        let text = |name| response.headers().get(name).and_then(|value| value.to_str().ok());
        let encoded = text(header::CONTENT_ENCODING).is_some_and(|encoding| encoding != "identity");
        Ok(Answer {
            status: response.status().as_u16(),
            length: text(header::CONTENT_LENGTH).filter(|_| !encoded).and_then(|length| length.parse().ok()),
            range: text(header::CONTENT_RANGE).map(str::to_string),
            version: text(header::ETAG).or_else(|| text(header::LAST_MODIFIED)).map(str::to_string),
            body: ClientBody(response.into_body().into_with_config().limit(u64::MAX).reader()),
        })
    }
}

/// Bytes of an answer to a [`Client`].
pub struct ClientBody(BodyReader<'static>);

impl Body for ClientBody {
    async fn next(&mut self) -> Result<Option<Vec<u8>>, Fault> {
        let mut chunk = vec![0; CHUNK];
        let came = self.0.read(&mut chunk).map_err(|error| fault_of_read(&error))?;
        chunk.truncate(came);
        Ok((came > 0).then_some(chunk))
    }
}

fn fault(error: &ureq::Error) -> Fault {
    match error {
        ureq::Error::Timeout(_) => Fault::Silent,
        other => Fault::Failed(other.to_string()),
    }
}

/// The client hands its own faults out inside those of reading.
fn fault_of_read(error: &io::Error) -> Fault {
    let own = error.get_ref().and_then(|inner| inner.downcast_ref());
    own.map_or_else(|| Fault::Failed(error.to_string()), fault)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_read_that_took_too_long_is_silence() {
        let late = io::Error::other(ureq::Error::Timeout(ureq::Timeout::RecvBody));
        assert_eq!(fault_of_read(&late), Fault::Silent);
        assert_eq!(fault_of_read(&io::Error::other("broken")), Fault::Failed("broken".into()));
    }
}
