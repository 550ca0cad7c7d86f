//! Models that are looked through, previewed, and not believed: what is asked of a server, what is held, what is dropped.

use std::{
    cell::{Cell, RefCell},
    collections::BTreeMap,
    path::PathBuf,
    rc::Rc,
};

use fairbits::{
    arch::{
        ArchError,
        load::{look_through, open},
        preview::preview,
    },
    backend::cpu::Cpu,
    model::{
        ModelError,
        source::{
            Folder, Http, Memory,
            http::{Answer, Body, Fault, Transport},
            sha256,
        },
        store::Kept,
    },
};

use crate::{allocations::held, store::Shelves};

const WEIGHTS: &str = "model.safetensors";

/// A folder on a server that answers ranges, and the bytes that it sent.
#[derive(Clone, Default)]
struct Served {
    files: Rc<RefCell<BTreeMap<String, Vec<u8>>>>,
    sent: Rc<Cell<u64>>,
}

impl Served {
    fn new(files: impl IntoIterator<Item = (&'static str, Vec<u8>)>) -> Served {
        let files = files.into_iter().map(|(name, bytes)| (name.to_string(), bytes)).collect();
        Served { files: Rc::new(RefCell::new(files)), sent: Rc::default() }
    }

    fn tiny() -> Served {
        Served::new(["config.json", WEIGHTS].map(|name| (name, fixture("gpt2-tiny", name))))
    }

    fn flip(&self, at: usize) {
        self.files.borrow_mut().get_mut(WEIGHTS).unwrap()[at] ^= 1;
    }

    fn source(&self) -> Http<Served> {
        Http::new("http://somewhere/model", self.clone())
    }
}

struct Bytes(Vec<u8>, Rc<Cell<u64>>);

impl Body for Bytes {
    async fn next(&mut self) -> Result<Option<Vec<u8>>, Fault> {
        let rest = self.0.split_off(self.0.len().min(1000));
        let chunk = std::mem::replace(&mut self.0, rest);
        self.1.set(self.1.get() + chunk.len() as u64);
        Ok((!chunk.is_empty()).then_some(chunk))
    }
}

impl Transport for Served {
    type Body = Bytes;

    async fn get(&self, url: &str, range: Option<(u64, u64)>) -> Result<Answer<Bytes>, Fault> {
        let files = self.files.borrow();
        let body = |bytes: &[u8]| Bytes(bytes.to_vec(), self.sent.clone());
        let version = Some("one".to_string());
        Ok(match (files.get(url.rsplit('/').next().unwrap()), range) {
            (None, _) => Answer { status: 404, length: Some(0), range: None, version, body: body(&[]) },
            (Some(bytes), None) => {
                Answer { status: 200, length: Some(bytes.len() as u64), range: None, version, body: body(bytes) }
            }
            (Some(bytes), Some((first, last))) => {
                let (at, end) = (first as usize, bytes.len().min(last as usize + 1));
                let range = Some(format!("bytes {at}-{}/{}", end - 1, bytes.len()));
                Answer { status: 206, length: Some((end - at) as u64), range, version, body: body(&bytes[at..end]) }
            }
        })
    }
}

fn fixture(model: &str, file: &str) -> Vec<u8> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures");
    std::fs::read(folder.join(model).join(file)).unwrap()
}

/// A hub says one digest and sends another file: nothing of it stays, so that the right file is taken afterwards.
#[test]
fn what_is_not_what_was_said_is_not_kept() {
    let (served, shelf) = (Served::tiny(), Shelves::with_room(u64::MAX));
    let said = BTreeMap::from([(WEIGHTS.to_string(), sha256(&fixture("gpt2-tiny", WEIGHTS)))]);
    let load = || {
        let source = Kept::new(served.source().with_digests(said.clone()), shelf.clone());
        pollster::block_on(open(Cpu, &source, "m", &mut ())).map(|opened| opened.file.sha256)
    };
    // The last byte is the sign and exponent of a weight: one bit of it leaves a finite number.
    let last = fixture("gpt2-tiny", WEIGHTS).len() - 1;
    served.flip(last);
    assert!(matches!(load(), Err(ArchError::Config(ModelError::WrongDigest { .. }))));
    served.flip(last);
    assert_eq!(load().unwrap(), said[WEIGHTS]);
}

/// Config and header, and no more.
#[test]
fn a_preview_asks_for_a_few_kilobytes() {
    let served = Served::tiny();
    let weights = fixture("gpt2-tiny", WEIGHTS);
    let header = 8 + u64::from_le_bytes(*weights.first_chunk().unwrap());
    let config = fixture("gpt2-tiny", "config.json").len() as u64;
    let ahead = pollster::block_on(preview(&served.source())).unwrap();
    assert!(served.sent.get() <= config + header + 8, "{} bytes", served.sent.get());
    assert_eq!((ahead.architecture.as_str(), ahead.layers, ahead.files), ("gpt2", 3, 1));
    assert_eq!((ahead.bytes, ahead.types), (weights.len() as u64, vec!["F32".to_string()]));
    let opened = pollster::block_on(open(Cpu, &served.source(), "m", &mut ())).unwrap();
    assert_eq!(ahead.parameters, opened.device.full().bytes() / 4);
}

/// A preview refuses what a load would refuse, with the same sentence.
#[test]
fn a_preview_refuses_what_cannot_be_loaded() {
    let told = |served: &Served| {
        let ahead = pollster::block_on(preview(&served.source())).unwrap_err().to_string();
        let loaded = pollster::block_on(open(Cpu, &served.source(), "m", &mut ())).err().unwrap().to_string();
        assert_eq!(ahead, loaded);
        ahead
    };
    let other = Served::new([("config.json", br#"{"model_type":"other"}"#.to_vec()), (WEIGHTS, Vec::new())]);
    assert!(told(&other).contains("model_type \"other\" is not supported"));
    let missing = Served::new([("config.json", fixture("gpt2-tiny", "config.json"))]);
    assert!(told(&missing).starts_with("model.safetensors: not found"));
    let wrong =
        Served::new([("config.json", fixture("gpt2-tiny", "config.json")), (WEIGHTS, fixture("opt-tiny", WEIGHTS))]);
    assert!(!told(&wrong).is_empty());
}

/// Tensors are read again one by one, and a file that has changed in between is noticed.
#[test]
fn a_file_that_changed_after_it_was_looked_through_is_noticed() {
    let served = Served::tiny();
    let held = pollster::block_on(open(Cpu, &served.source(), "m", &mut ())).unwrap();
    let looked = pollster::block_on(look_through(Cpu, &served.source(), "m", &mut ())).unwrap();
    assert_eq!((looked.device.full().bytes(), looked.file.sha256.as_str()), (0, held.file.sha256.as_str()));
    for (name, ..) in held.device.matrices() {
        let [ours, theirs] = [&held, &looked].map(|model| pollster::block_on(model.device.values(&name)).unwrap());
        assert_eq!(ours, theirs, "{name}");
    }
    // The last bit of every tenth number.
    let weights = fixture("gpt2-tiny", WEIGHTS);
    let data = 8 + u64::from_le_bytes(*weights.first_chunk().unwrap()) as usize;
    (data..weights.len()).step_by(40).for_each(|at| served.flip(at));
    let faults =
        held.device.matrices().into_iter().filter_map(|(name, ..)| {
            pollster::block_on(looked.device.values(&name)).err().map(|fault| fault.to_string())
        });
    let faults: Vec<String> = faults.collect();
    assert_eq!(faults.len(), held.device.matrices().len());
    assert!(faults.iter().all(|fault| fault.contains("is not what it was")), "{faults:?}");
}

/// Looking through holds a layer at most, and of a tensor that no layer has only what comes at a time.
#[test]
fn looking_through_holds_a_layer_at_most() {
    let (width, layers, vocabulary) = (64, 12, 40_000);
    let config = format!(
        r#"{{"model_type":"gpt2","n_embd":{width},"n_layer":{layers},"n_head":4,"n_positions":64,"vocab_size":{vocabulary}}}"#
    );
    let spec = fairbits::arch::spec(&fairbits::model::config::Config::parse(config.as_bytes()).unwrap()).unwrap();
    let tensors = spec.tensors();
    let bytes = |shape: &[usize]| 4 * shape.iter().product::<usize>();
    let data: Vec<Vec<u8>> = tensors.iter().map(|tensor| vec![1; bytes(&tensor.shape)]).collect();
    let views = tensors.iter().zip(&data).map(|(tensor, data)| {
        let view = safetensors::tensor::TensorView::new(safetensors::Dtype::F32, tensor.shape.clone(), data).unwrap();
        (tensor.name.clone(), view)
    });
    let file = safetensors::serialize(views, None).unwrap();
    let (total, layer) = (file.len(), 4 * 12 * width * width);
    let source = Memory::new([("config.json", config.into_bytes()), (WEIGHTS, file)]).in_chunks_of(10_000);
    let (looked, most) = held(|| pollster::block_on(look_through(Cpu, &source, "m", &mut ())).unwrap());
    assert!(looked.spreads.as_ref().is_some_and(|spreads| (0..layers).all(|at| spreads.layer(at).is_some())));
    // The layer, its last matrix once more while it grows, the first reserve of a tensor, and names.
    let bound = 2 * layer + (4 << 20) + 400_000;
    assert!(most < bound && bound < total, "{most} of {total} bytes held, {bound} allowed");
    let (_, whole) = held(|| pollster::block_on(open(Cpu, &source, "m", &mut ())).unwrap());
    assert!(whole > total - 10_000, "{whole}");
}

#[test]
fn a_folder_is_read_in_parts() {
    use fairbits::model::source::Ranged;
    let folder = Folder::new(PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/gpt2-tiny"));
    let bytes = fixture("gpt2-tiny", WEIGHTS);
    let size = pollster::block_on(folder.extent(WEIGHTS)).unwrap().unwrap().size;
    assert_eq!(size, bytes.len() as u64);
    for range in [0..8, 100..5000, size - 1..size, 7..7] {
        let part = pollster::block_on(folder.part(WEIGHTS, range.clone(), size)).unwrap();
        assert_eq!(part, bytes[range.start as usize..range.end as usize]);
    }
    assert!(pollster::block_on(folder.part(WEIGHTS, 0..size + 1, size + 1)).is_err());
}
