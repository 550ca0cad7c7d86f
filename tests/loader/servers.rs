//! The same file from servers of every manner: right bytes or one sentence.

use fairbits::model::{
    ModelError,
    source::{
        Http, Source,
        http::{Answer, Body, Fault, Transport},
    },
};

use crate::{
    safetensors_file::{file, load, load_bytes, valid},
    server::{Asked, Manner, Server},
};

fn from_server(manner: Manner) -> (Result<(), String>, Vec<Asked>) {
    let server = Server::start(valid(), manner);
    let outcome = load(&server.source());
    if outcome.is_ok() {
        assert_eq!(outcome, load_bytes(&valid()));
    }
    (outcome.map(|_| ()).map_err(|fault| fault.to_string()), server.asked())
}

#[test]
fn ranges_are_used_where_the_server_has_them() {
    let (outcome, asked) = from_server(Manner::Ranges);
    assert_eq!(outcome, Ok(()));
    assert_eq!(asked, [Some((0, 7)), Some((8, valid().len() - 1))]);
}

#[test]
fn a_large_file_comes_in_several_ranges() {
    let values = 5_000_000; // 20 MB: three ranges of 8 MiB after the first question
    let header = format!(r#"{{"a":{{"dtype":"F32","shape":[{values}],"data_offsets":[0,{}]}}}}"#, values * 4);
    let data: Vec<u8> = (0..values).flat_map(|i| (i as f32).to_le_bytes()).collect();
    let bytes = file(&header, &data);
    let server = Server::start(bytes.clone(), Manner::Ranges);
    let (tensors, finished) = load(&server.source()).unwrap();
    assert_eq!(finished.bytes, bytes.len() as u64);
    assert!(tensors[0].data.iter().enumerate().all(|(i, x)| *x == i as f32));
    assert_eq!(tensors[0].data.len(), values);
    let asked = server.asked();
    assert_eq!(asked.len(), 4);
    assert_eq!(asked[1], Some((8, 8 + (8 << 20) - 1)));
    assert_eq!(asked[3].unwrap().1, bytes.len() - 1);
}

#[test]
fn a_server_without_ranges_is_asked_once() {
    for manner in [Manner::Plain, Manner::Unsized, Manner::Chunked] {
        let (outcome, asked) = from_server(manner);
        assert_eq!(outcome, Ok(()), "{manner:?}");
        assert_eq!(asked, [Some((0, 7))], "{manner:?}");
    }
}

#[test]
fn ranges_that_cannot_be_checked_are_not_used() {
    for manner in [Manner::SilentRanges, Manner::StarRanges] {
        let (outcome, asked) = from_server(manner);
        assert_eq!(outcome, Ok(()), "{manner:?}");
        assert_eq!(asked, [Some((0, 7)), None], "{manner:?}");
    }
}

#[test]
fn a_404_names_the_file_and_the_place() {
    let server = Server::start(valid(), Manner::Ranges);
    let source = server.source().folder("absent");
    let said = load(&source).unwrap_err().to_string();
    assert!(said.starts_with("model.safetensors: not found at http://127.0.0.1:"), "{said}");
    assert!(said.ends_with("/absent/model.safetensors"), "{said}");
    assert_eq!(pollster::block_on(source.read_if_there("card.json", 10)), Ok(None));
    let (outcome, _) = from_server(Manner::Status(404));
    assert!(outcome.unwrap_err().contains("not found"));
}

#[test]
fn other_statuses_are_named() {
    for status in [403, 500, 503] {
        let said = from_server(Manner::Status(status)).0.unwrap_err();
        assert!(
            said.contains(&format!("model.safetensors: the server answered with status {status} at http")),
            "{said}"
        );
    }
}

#[test]
fn a_server_that_announces_more_than_it_sends() {
    let said = from_server(Manner::AnnouncesMore(100)).0.unwrap_err();
    // The header knows the true size, so the lie shows before the data is read.
    let (all, told) = (valid().len(), valid().len() + 100);
    assert_eq!(said, format!("model.safetensors: its header describes {all} bytes, its size is given as {told}"));
    let server = Server::start(b"{}".to_vec(), Manner::AnnouncesMore(5));
    let said = pollster::block_on(server.source().read("config.json", 100)).unwrap_err().to_string();
    assert!(said.starts_with("config.json: the connection ended after 2 of 7 bytes: "), "{said}");
}

#[test]
fn a_server_that_announces_fewer_than_it_sends() {
    let said = from_server(Manner::AnnouncesFewer(10)).0.unwrap_err();
    let (held, all) = (valid().len() - 10, valid().len());
    assert!(said.contains(&format!("is cut short: it holds {held} of the {all} bytes")), "{said}");
}

#[test]
fn ranges_that_end_early() {
    let said = from_server(Manner::CutRanges(8)).0.unwrap_err();
    let rest = valid().len() - 8;
    assert!(said.starts_with(&format!("model.safetensors: the connection ended after 8 of {rest} bytes: ")), "{said}");
}

#[test]
fn ranges_that_are_not_what_was_asked() {
    let said = from_server(Manner::ShiftedRanges).0.unwrap_err();
    let size = valid().len();
    assert_eq!(said, format!("model.safetensors: asked for bytes 0-7, the server answered with \"bytes 1-8/{size}\""));
    let said = from_server(Manner::Grows).0.unwrap_err();
    assert!(said.ends_with(&format!("answered with \"bytes 8-{}/{}\"", size - 1, size + 1)), "{said}");
    let said = from_server(Manner::ForgetsRanges).0.unwrap_err();
    assert!(said.ends_with("the server answered with \"status 200 and no range\""), "{said}");
    let said = from_server(Manner::LengthAgainstRange).0.unwrap_err();
    assert_eq!(said, "model.safetensors: the server announced 9 bytes in one place and 8 in another");
}

#[test]
fn an_empty_file_behind_ranges() {
    let server = Server::start(Vec::new(), Manner::Ranges);
    assert_eq!(load(&server.source()).unwrap_err().to_string(), "model.safetensors: is empty");
}

#[test]
fn no_server_at_all() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    drop(listener);
    let source = Http::new(&address, fairbits::model::source::native::Client::default());
    let said = load(&source).unwrap_err().to_string();
    assert!(said.starts_with("model.safetensors: cannot be read: "), "{said}");
}

#[test]
fn a_small_file_has_a_limit_and_comes_in_one_request() {
    let server = Server::start(vec![b' '; 100], Manner::Ranges);
    assert_eq!(pollster::block_on(server.source().read("x.json", 100)).map(|bytes| bytes.len()), Ok(100));
    assert_eq!(server.asked(), [None]);
    for manner in [Manner::Plain, Manner::Unsized, Manner::Chunked] {
        let server = Server::start(vec![b' '; 101], manner);
        let said = pollster::block_on(server.source().read("x.json", 100)).unwrap_err().to_string();
        assert_eq!(said, "x.json: larger than the 100 bytes that are allowed", "{manner:?}");
    }
}

/// A transport that, unlike an HTTP/1.1 client, hands on what comes after the announced length.
#[derive(Clone)]
struct Overflowing {
    announced: u64,
    sent: usize,
}

struct Pieces(usize);

impl Body for Pieces {
    async fn next(&mut self) -> Result<Option<Vec<u8>>, Fault> {
        let piece = self.0.min(3);
        self.0 -= piece;
        Ok((piece > 0).then(|| vec![b'x'; piece]))
    }
}

impl Transport for Overflowing {
    type Body = Pieces;
    async fn get(&self, _: &str, _: Option<(u64, u64)>) -> Result<Answer<Pieces>, Fault> {
        Ok(Answer { status: 200, length: Some(self.announced), range: None, version: None, body: Pieces(self.sent) })
    }
}

#[test]
fn a_body_is_held_to_its_length_whatever_the_transport() {
    let read = |announced, sent| {
        let source = Http::new("http://somewhere", Overflowing { announced, sent });
        pollster::block_on(source.read("x.json", 1000))
    };
    assert_eq!(read(10, 10).map(|bytes| bytes.len()), Ok(10));
    assert_eq!(read(10, 11), Err(ModelError::SentMore { file: "x.json".into(), expected: 10 }));
    assert!(matches!(read(10, 9), Err(ModelError::CutShort { came: 9, expected: 10, .. })));
}

#[test]
fn folders_are_joined_and_absolute_ones_replace() {
    let server = Server::start(b"{}".to_vec(), Manner::Plain);
    let elsewhere = Http::new("http://127.0.0.1:9/page/?x=1#y", fairbits::model::source::native::Client::default());
    let address = load(&server.source().folder("absent")).unwrap_err().to_string();
    let address = address.split("at ").nth(1).unwrap().split("/absent").next().unwrap().to_string();
    assert_eq!(pollster::block_on(elsewhere.folder(&address).read("x", 9)), Ok(b"{}".to_vec()));
}
