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
        load::{Watcher, look_through, open},
        passes::run_texts,
        preview::{Preview, preview},
        recipe::Recipe,
        tensor_reader::TensorReader,
        tensors::{Role, TensorSpec},
        weights::Device,
    },
    backend::cpu::Cpu,
    lab::rounding::Rounding,
    math::{
        clipping::Rule,
        grouping::Layout,
        quantizer::{Bits, Granularity},
    },
    model::{
        ModelError,
        source::{
            Folder, Http, Memory, Stated,
            http::{Answer, Body, Fault, Transport},
            sha256,
        },
        store::Cached,
    },
};

use crate::{allocations::held, store::MemoryCache};

const WEIGHTS: &str = "model.safetensors";

/// A folder on a server that answers ranges, and the bytes that it sent.
#[derive(Clone, Default)]
struct Served {
    files: Rc<RefCell<BTreeMap<String, Vec<u8>>>>,
    sent: Rc<Cell<u64>>,
    /// Whether every file comes whole, whatever is asked for.
    whole: Rc<Cell<bool>>,
}

impl Served {
    fn new(files: impl IntoIterator<Item = (&'static str, Vec<u8>)>) -> Served {
        let files = files.into_iter().map(|(name, bytes)| (name.to_string(), bytes)).collect();
        Served { files: Rc::new(RefCell::new(files)), ..Served::default() }
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
        let range = range.filter(|_| !self.whole.get());
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
    let (served, cache) = (Served::tiny(), MemoryCache::with_room(u64::MAX));
    let right = sha256(&fixture("gpt2-tiny", WEIGHTS));
    let said = BTreeMap::from([(WEIGHTS.to_string(), Stated::sha256(&right).unwrap())]);
    let load = || {
        let source = Cached::new(served.source().with_stated(said.clone()), cache.clone());
        pollster::block_on(open(Cpu, &source, "m", &mut ())).map(|opened| opened.file.sha256)
    };
    // The last byte is the sign and exponent of a weight: one bit of it leaves a finite number.
    let last = fixture("gpt2-tiny", WEIGHTS).len() - 1;
    served.flip(last);
    assert!(matches!(load(), Err(ArchError::Config(ModelError::WrongDigest { .. }))));
    served.flip(last);
    assert_eq!(load().unwrap(), right);
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
    assert!(!ahead.tokenizer, "the folder has none, and whoever looks is told so");
    let opened = pollster::block_on(open(Cpu, &served.source(), "m", &mut ())).unwrap();
    served.files.borrow_mut().insert("tokenizer.json".into(), b"{}".to_vec());
    assert!(pollster::block_on(preview(&served.source())).unwrap().tokenizer);
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
    assert_eq!(looked.file.sha256, held.file.sha256);
    for (name, ..) in held.device.matrices() {
        let [ours, theirs] = [&held, &looked].map(|model| pollster::block_on(model.device.values(&name)).unwrap());
        assert_eq!(ours, theirs, "{name}");
    }
    // From a server that has no ranges they are cut out of the whole.
    served.whole.set(true);
    for (name, ..) in held.device.matrices() {
        let [ours, theirs] = [&held, &looked].map(|model| pollster::block_on(model.device.values(&name)).unwrap());
        assert_eq!(ours, theirs, "{name}");
    }
    served.whole.set(false);
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

/// The files of a GPT-2 of random bytes, and how many of them are weights of one layer.
fn shaped(width: usize, layers: usize, vocabulary: usize) -> (Memory, usize, usize) {
    let config = format!(
        r#"{{"model_type":"gpt2","n_embd":{width},"n_layer":{layers},"n_head":4,"n_positions":64,"vocab_size":{vocabulary}}}"#
    );
    let spec = fairbits::arch::spec(&fairbits::model::config::Config::parse(config.as_bytes()).unwrap()).unwrap();
    let tensors = spec.tensors();
    let bytes = |shape: &[usize]| 4 * shape.iter().product::<usize>();
    // Some hundredths, of either sign.
    let value = |at: usize| f32::from_bits(0x3d00_0000 | ((at * 0x9e37) & 0xff_ffff) as u32 | ((at as u32 & 1) << 31));
    let data: Vec<Vec<u8>> = tensors
        .iter()
        .map(|tensor| (0..bytes(&tensor.shape) / 4).flat_map(|at| value(at).to_le_bytes()).collect())
        .collect();
    let views = tensors.iter().zip(&data).map(|(tensor, data)| {
        let view = safetensors::tensor::TensorView::new(safetensors::Dtype::F32, tensor.shape.clone(), data).unwrap();
        (tensor.name.clone(), view)
    });
    let file = safetensors::serialize(views, None).unwrap();
    let (total, layer) = (file.len(), 4 * 12 * width * width);
    (Memory::new([("config.json", config.into_bytes()), (WEIGHTS, file)]).in_chunks_of(10_000), total, layer)
}

/// Looking through holds a layer at most, and of a tensor that no layer has only what comes at a time.
#[test]
fn looking_through_holds_a_layer_at_most() {
    let layers = 12;
    let (source, total, layer) = shaped(64, layers, 40_000);
    let (looked, most) = held(|| pollster::block_on(look_through(Cpu, &source, "m", &mut ())).unwrap());
    assert!(
        looked.layer_stats.as_ref().is_some_and(|layer_stats| (0..layers).all(|at| layer_stats.layer(at).is_some()))
    );
    // The layer, its last matrix once more while it grows, the first reserve of a tensor, and names.
    let bound = 2 * layer + (4 << 20) + 400_000;
    assert!(most < bound && bound < total, "{most} of {total} bytes held, {bound} allowed");
    let (_, whole) = held(|| pollster::block_on(open(Cpu, &source, "m", &mut ())).unwrap());
    assert!(whole > total - 10_000, "{whole}");
}

/// A run at 4 bits on a model that is not held has about an eighth of it and a layer; its losses, before and after, are those of
/// the held model.
#[test]
fn a_run_at_four_bits_holds_about_an_eighth() {
    let (source, total, layer) = shaped(256, 12, 300);
    let rounded = |device: &Device<Cpu>| {
        let rounding = Rounding { bits: Bits::new(4).unwrap(), rule: Rule::Absmax, granularity: Granularity::Channel };
        let quantization = |(name, _, layout): (String, usize, Layout)| {
            let how = rounding.of(&pollster::block_on(device.values(&name)).unwrap(), layout);
            (name, how)
        };
        Recipe { tensors: device.matrices().into_iter().map(quantization).collect(), ..Recipe::default() }
    };
    let losses = |device: &Device<Cpu>| {
        let tokens = [[1u32, 50, 120, 7, 280, 33, 2, 9]];
        [Recipe::default(), rounded(device)].map(|recipe| {
            let weights = pollster::block_on(device.apply(&recipe)).unwrap();
            pollster::block_on(run_texts(device, &weights, &tokens, &async || ())).unwrap()
        })
    };
    let looked = pollster::block_on(look_through(Cpu, &source, "m", &mut ())).unwrap().device;
    let (ours, most) = held(|| losses(&looked));
    // Beside an eighth: scales and vectors, the layer in hand, and one of its tensors on its way in three forms.
    let eighth = total / 8 + total / 100;
    assert!(looked.held() as usize <= eighth, "{} of {total} bytes are held", looked.held());
    assert!(most < eighth + 3 * layer, "{most} of {total} bytes at most, {eighth} and {layer}");
    let whole = pollster::block_on(open(Cpu, &source, "m", &mut ())).unwrap().device;
    assert_eq!(ours, losses(&whole));
    assert!(ours[0] != ours[1] && whole.held() as usize > total);
}

/// Matrices that are packed as they land are not read again by the recipe that asks for the same.
#[test]
fn what_was_packed_as_it_landed_is_not_read_again() {
    struct Packing(Option<Device<Cpu>>, Recipe, Rounding);
    impl Watcher<Cpu> for Packing {
        fn begin(&mut self, config: &str, _: &Preview) -> Result<(), ArchError> {
            let spec = fairbits::arch::spec(&fairbits::model::config::Config::parse(config.as_bytes())?)?;
            self.0 = Some(Device::new(Cpu, spec));
            Ok(())
        }
        fn tensor(&mut self, tensor: &TensorSpec, values: &[f32]) -> Result<(), ArchError> {
            let device = self.0.as_mut().unwrap();
            match tensor.role {
                Role::Matrix { layout, .. } => {
                    let how = self.2.of(values, layout);
                    device.pack_ahead(&tensor.name, values, &how)?;
                    self.1.tensors.insert(tensor.name.clone(), how);
                    Ok(())
                }
                _ => device.insert(&tensor.name, &tensor.shape, values),
            }
        }
    }
    let (source, ..) = shaped(32, 3, 60);
    let rounding = Rounding { bits: Bits::new(4).unwrap(), rule: Rule::Absmax, granularity: Granularity::Tensor };
    let mut packing = Packing(None, Recipe::default(), rounding);
    let looked = pollster::block_on(look_through(Cpu, &source, "m", &mut packing)).unwrap().device;
    let Packing(Some(mut member), recipe, _) = packing else { panic!("it began") };
    let (asked, files) = (Rc::new(RefCell::new(Vec::new())), looked.reader().unwrap().clone());
    let heard = asked.clone();
    member.reads(TensorReader::by(move |name| {
        heard.borrow_mut().push(name.clone());
        let files = files.clone();
        Box::pin(async move { files.read(&name).await })
    }));
    let run = |device: &Device<Cpu>| {
        let weights = pollster::block_on(device.apply(&recipe)).unwrap();
        pollster::block_on(run_texts(device, &weights, &[[1u32, 5, 9, 40]], &async || ())).unwrap()
    };
    let nats = run(&member);
    assert_eq!(*asked.borrow(), ["wte.weight", "wte.weight"], "only the table, first and last");
    assert_eq!(nats, run(&pollster::block_on(open(Cpu, &source, "m", &mut ())).unwrap().device));
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
