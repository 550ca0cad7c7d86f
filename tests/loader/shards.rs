//! A checkpoint in several files gives what it gives in one, and an index that lies has its sentence.

use fairbits::model::{
    ModelError,
    checkpoint::{self, Finished, INDEX, Progress, Shards, Tensor},
    source::{Memory, sha256},
};

use crate::safetensors_file::{file, load_bytes, valid};

const FIRST: &str = "model-00001-of-00002.safetensors";
const SECOND: &str = "model-00002-of-00002.safetensors";

/// `b` of the valid file, then `a`: in the other order than in one file.
fn halves() -> [Vec<u8>; 2] {
    let (whole, data) = (valid(), valid().len() - 28);
    let of = |header: &str, from: usize, to: usize| file(header, &whole[data + from..data + to]);
    [
        of(r#"{"b":{"dtype":"F16","shape":[2],"data_offsets":[0,4]}}"#, 24, 28),
        of(r#"{"a":{"dtype":"F32","shape":[2,3],"data_offsets":[0,24]}}"#, 0, 24),
    ]
}

fn index(a: &str, b: &str) -> String {
    format!(r#"{{"metadata":{{"total_size":28}},"weight_map":{{"a":"{a}","b":"{b}"}}}}"#)
}

fn folder(index: &str) -> Memory {
    let [first, second] = halves();
    Memory::new([(INDEX, index.as_bytes().to_vec()), (FIRST, first), (SECOND, second)])
}

type Loaded = (Vec<Tensor>, Finished, Vec<(String, Finished)>, Vec<Progress>);

fn load(source: &Memory) -> Result<Loaded, ModelError> {
    pollster::block_on(async {
        let (mut tensors, mut files, mut told) = (Vec::new(), Vec::new(), Vec::new());
        let shards = Shards::open(source).await?;
        let on_tensor = |tensor| {
            tensors.push(tensor);
            Ok::<(), ModelError>(())
        };
        let on_file = |name: &str, finished: &Finished| {
            files.push((name.to_string(), finished.clone()));
            Ok(())
        };
        let finished = shards.stream(|| false, |progress| told.push(progress), on_tensor, on_file).await?;
        Ok((tensors, finished, files, told))
    })
}

fn sentence(index: &str) -> String {
    match load(&folder(index)) {
        Ok((tensors, ..)) => panic!("accepted: {tensors:?}"),
        Err(fault) => fault.to_string(),
    }
}

#[test]
fn several_files_give_the_tensors_of_one() {
    let (mut tensors, finished, files, told) = load(&folder(&index(SECOND, FIRST)).in_chunks_of(5)).unwrap();
    tensors.sort_by(|a, b| a.name.cmp(&b.name));
    assert_eq!(tensors, load_bytes(&valid()).unwrap().0);
    let [first, second] = halves().map(|bytes| (bytes.len() as u64, sha256(&bytes)));
    assert_eq!(finished.bytes, first.0 + second.0);
    let list = format!("{}  {FIRST}\n{}  {SECOND}\n", first.1, second.1);
    assert_eq!(finished.sha256, sha256(list.as_bytes()));
    assert_eq!(files.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>(), [FIRST, SECOND]);
    assert_eq!([&files[0].1.sha256, &files[1].1.sha256], [&first.1, &second.1]);
    assert!(told.is_sorted_by_key(|progress| progress.bytes));
    assert!(told.iter().all(|progress| progress.total == finished.bytes));
    assert_eq!(told.last().map(|progress| progress.bytes), Some(finished.bytes));
}

#[test]
fn one_file_goes_before_an_index() {
    let source = Memory::new([(checkpoint::FILE, valid()), (INDEX, b"{".to_vec())]);
    let (tensors, finished, files, _) = load(&source).unwrap();
    assert_eq!((tensors, finished.clone()), load_bytes(&valid()).unwrap());
    assert_eq!(files, [(checkpoint::FILE.to_string(), finished)]);
}

#[test]
fn a_folder_with_neither_lacks_the_one_file() {
    let fault = load(&Memory::default()).unwrap_err();
    assert!(matches!(&fault, ModelError::NotFound { file, .. } if file == checkpoint::FILE), "{fault}");
}

#[test]
fn an_index_that_lies_has_its_sentence() {
    assert_eq!(
        sentence(&index(FIRST, SECOND)),
        format!("{FIRST}: lacks the tensor a, which the checkpoint's index says is there")
    );
    assert!(sentence(r#"{"weight_map":{}}"#).starts_with(&format!("{INDEX}: names 0 files of weights")));
    assert!(sentence("{}").starts_with(&format!("{INDEX}: is not JSON of the expected form")));
    assert_eq!(
        sentence(&index("../secret", FIRST)),
        format!("{INDEX}: \"../secret\" is not a plain file or folder name")
    );
    assert!(sentence(&index("absent.safetensors", FIRST)).starts_with("absent.safetensors: not found"));
    let thousands: Vec<String> = (0..1001).map(|i| format!("\"t{i}\":\"f{i}.safetensors\"")).collect();
    assert!(sentence(&format!(r#"{{"weight_map":{{{}}}}}"#, thousands.join(","))).contains("names 1,001 files"));
}

#[test]
fn a_tensor_in_two_files_is_refused() {
    let [first, _] = halves();
    let twice = r#"{"weight_map":{"b":"one.safetensors","c":"two.safetensors"}}"#;
    let source = Memory::new([
        (INDEX, twice.as_bytes().to_vec()),
        ("one.safetensors", first.clone()),
        ("two.safetensors", first),
    ]);
    let fault = load(&source).unwrap_err();
    let wanted = ModelError::DuplicateTensor { file: "two.safetensors".into(), tensor: "b".into() };
    assert_eq!(fault, wanted);
}
