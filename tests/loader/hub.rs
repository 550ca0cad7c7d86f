//! Models of a hub: which questions are asked, what is made of the answers, and what a hub that answers wrongly is told.

use std::{cell::RefCell, collections::BTreeMap, rc::Rc};

use fairbits::{
    arch::load::open,
    backend::cpu::Cpu,
    model::{
        ModelError,
        hub::{HOST, Reference, Resolved, resolve},
        source::{
            Source, git_blob,
            http::{Answer, Body, Fault, Transport},
            sha256,
        },
    },
};

const COMMIT: &str = "0123456789abcdef0123456789abcdef01234567";
const MIRROR: &str = "http://mirror:8080";

/// A hub in memory: what it answers to each address, and what it was asked.
#[derive(Clone, Default)]
struct Hub {
    answers: Rc<BTreeMap<String, (u16, Vec<u8>)>>,
    asked: Rc<RefCell<Vec<String>>>,
}

struct Whole(Option<Vec<u8>>);

impl Body for Whole {
    async fn next(&mut self) -> Result<Option<Vec<u8>>, Fault> {
        Ok(self.0.take().filter(|bytes| !bytes.is_empty()))
    }
}

impl Transport for Hub {
    type Body = Whole;

    async fn get(&self, url: &str, _: Option<(u64, u64)>) -> Result<Answer<Whole>, Fault> {
        self.asked.borrow_mut().push(url.into());
        let (status, bytes) = self.answers.get(url).cloned().unwrap_or((404, Vec::new()));
        Ok(Answer { status, length: Some(bytes.len() as u64), range: None, version: None, body: Whole(Some(bytes)) })
    }
}

fn hub(answers: impl IntoIterator<Item = (String, u16, Vec<u8>)>) -> Hub {
    let answers = answers.into_iter().map(|(url, status, bytes)| (url, (status, bytes))).collect();
    Hub { answers: Rc::new(answers), asked: Rc::default() }
}

fn question(of: &str) -> String {
    format!("{MIRROR}/api/models/{of}?blobs=true")
}

fn ask(hub: &Hub, text: &str) -> Result<Resolved<Hub>, ModelError> {
    pollster::block_on(resolve(&format!("{MIRROR}/"), &Reference::parse(text).unwrap(), hub.clone()))
}

/// The tiny GPT-2 on a hub that says `digest` of its weights, and of its config what it is.
fn tiny(digest: &str) -> Hub {
    with_config(digest, &format!(r#""blobId":"{}""#, git_blob(CONFIG)))
}

/// The same on a hub that says `of_config` of its config.
fn with_config(digest: &str, of_config: &str) -> Hub {
    let said = format!(
        r#"{{"id":"org/tiny","sha":"{COMMIT}","siblings":[{{"rfilename":"config.json","size":1,{of_config}}},{{"rfilename":"model.safetensors","size":2,"blobId":"{COMMIT}","lfs":{{"sha256":"{digest}","size":2}}}}]}}"#
    );
    let file = |name: &str, bytes: &[u8]| (format!("{MIRROR}/org/tiny/resolve/{COMMIT}/{name}"), 200, bytes.to_vec());
    hub([
        (question("org/tiny/revision/refs%2Fpr%2F3"), 200, said.clone().into_bytes()),
        (question("org/tiny/revision/main"), 200, said.into_bytes()),
        file("config.json", CONFIG),
        file("model.safetensors", WEIGHTS),
    ])
}

const CONFIG: &[u8] = include_bytes!("../fixtures/gpt2-tiny/config.json");
const WEIGHTS: &[u8] = include_bytes!("../fixtures/gpt2-tiny/model.safetensors");

#[test]
fn a_revision_becomes_a_commit_and_files_come_from_it() {
    let hub = tiny(&sha256(WEIGHTS));
    let found = ask(&hub, "org/tiny@refs/pr/3").unwrap();
    assert_eq!(found.reference.to_string(), format!("org/tiny@{COMMIT}"));
    assert_eq!(found.source.digest("model.safetensors"), Some(sha256(WEIGHTS).as_str()));
    assert_eq!(found.source.digest("config.json"), None);
    let opened = pollster::block_on(open(Cpu, &found.source, found.reference.name(), &mut ())).unwrap();
    assert_eq!((opened.name.as_str(), opened.file.sha256), ("tiny", sha256(WEIGHTS)));
    let asked = hub.asked.borrow().clone();
    assert_eq!(asked[0], question("org/tiny/revision/refs%2Fpr%2F3"));
    assert!(asked[1..].iter().all(|url| url.starts_with(&format!("{MIRROR}/org/tiny/resolve/{COMMIT}/"))), "{asked:?}");
    assert!(ask(&hub, "org/tiny").is_ok(), "without a revision it is main");
    assert!(HOST.starts_with("https://"));
}

#[test]
fn a_file_that_is_not_the_hubs_is_refused() {
    let other = sha256(b"other");
    let found = ask(&tiny(&other), "org/tiny").unwrap();
    let fault =
        pollster::block_on(open(Cpu, &found.source, "tiny", &mut ())).err().expect("a wrong digest").to_string();
    let came = sha256(WEIGHTS);
    assert_eq!(fault, format!("model.safetensors: its SHA-256 is {came}, the place it comes from says {other}"));
}

/// Law: small files are held to what the hub says of them too: git's id, or the SHA-256 of those that are stored apart.
#[test]
fn a_config_that_is_not_the_hubs_is_refused() {
    let (right, wrong) = (git_blob(CONFIG), git_blob(b"other"));
    let refused = |of_config: String| {
        let found = ask(&with_config(&sha256(WEIGHTS), &of_config), "org/tiny").unwrap();
        let opened = pollster::block_on(open(Cpu, &found.source, "tiny", &mut ()));
        opened.err().map(|fault| fault.to_string())
    };
    let told = refused(format!(r#""blobId":"{wrong}""#));
    let sentence = format!("config.json: its git id is {right}, the place it comes from says {wrong}");
    assert_eq!(told, Some(sentence.clone()));
    assert_eq!(refused(format!(r#""oid":"{wrong}""#)), Some(sentence));
    // What is stored apart has the id of what points to it, and a digest of its own.
    let (apart, other) = (sha256(CONFIG), sha256(b"other"));
    assert_eq!(refused(format!(r#""blobId":"{wrong}","lfs":{{"sha256":"{apart}"}}"#)), None);
    let told = refused(format!(r#""blobId":"{right}","lfs":{{"sha256":"{other}"}}"#));
    assert_eq!(told, Some(format!("config.json: its SHA-256 is {apart}, the place it comes from says {other}")));
    assert_eq!(refused(format!(r#""blobId":"{right}""#)), None);
}

#[test]
fn what_is_no_digest_is_not_taken_for_one() {
    for wrong in ["", "../x", &sha256(WEIGHTS)[1..], &"g".repeat(64)] {
        let found = ask(&tiny(wrong), "org/tiny").unwrap();
        assert_eq!(found.source.digest("model.safetensors"), None, "{wrong}");
    }
}

#[test]
fn a_hub_that_answers_wrongly_gets_a_sentence() {
    let told = |status: u16, bytes: &[u8]| {
        let hub = hub([(question("a/b/revision/main"), status, bytes.to_vec())]);
        ask(&hub, "a/b").err().expect("a fault").to_string()
    };
    for status in [401, 403, 404] {
        assert!(told(status, b"").starts_with(&format!("a/b is not on {MIRROR}, or it is not for everybody")));
    }
    let unreadable = format!("{MIRROR} did not say what is in the model: ");
    assert!(told(500, b"").starts_with(&unreadable));
    assert!(told(200, b"<html>").starts_with(&unreadable));
    for commit in ["", "main", "../../../x", &COMMIT[1..], &format!("{COMMIT}0")] {
        let sentence = told(200, format!(r#"{{"sha":"{commit}"}}"#).as_bytes());
        assert_eq!(sentence, format!("{unreadable}it names no commit for a/b"));
    }
    assert!(told(200, &vec![b' '; (8 << 20) + 1]).contains("larger than"));
}
