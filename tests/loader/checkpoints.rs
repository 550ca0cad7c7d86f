//! Each fault of a checkpoint, and what a right one gives.

use std::cell::Cell;

use fairbits::model::{
    ModelError,
    checkpoint::{self, Checkpoint, Dtype, Header, Progress},
    source::{self, Folder, Memory, Source},
};
use safetensors::tensor::{TensorView, serialize};

use crate::safetensors_file::{file, load, load_bytes, sentence, valid};

#[test]
fn a_right_file_gives_its_tensors_in_the_order_of_their_bytes() {
    let (tensors, finished) = load_bytes(&valid()).unwrap();
    let names: Vec<&str> = tensors.iter().map(|tensor| tensor.name.as_str()).collect();
    assert_eq!(names, ["a", "b"]);
    assert_eq!(tensors[0].shape, [2, 3]);
    assert_eq!(tensors[0].data, [1.0, -2.5, 3.25, 0.0, 1e-38, -4e8]);
    assert_eq!((tensors[1].dtype, tensors[1].data.as_slice()), (Dtype::F16, [1.0, -2.5].as_slice()));
    assert_eq!(finished.bytes, valid().len() as u64);
    assert_eq!(finished.sha256, source::sha256(&valid()));
}

#[test]
fn sha256_is_the_standard_one() {
    // FIPS 180-2, appendix B.1.
    assert_eq!(source::sha256(b"abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

#[test]
fn tensors_come_before_the_file_has_ended() {
    let bytes = valid();
    let source = Memory::new([(checkpoint::FILE, bytes.clone())]).in_chunks_of(3);
    let so_far = Cell::new(0);
    let mut landed = Vec::new();
    let total = bytes.len() as u64;
    pollster::block_on(checkpoint::stream(
        &source,
        checkpoint::FILE,
        || false,
        |progress| {
            assert_eq!(progress.total, total);
            so_far.set(progress.bytes);
        },
        |tensor| {
            landed.push((tensor.name, so_far.get()));
            Ok::<(), ModelError>(())
        },
    ))
    .unwrap();
    assert_eq!(so_far.get(), total);
    // `a` ends 4 bytes before the file does; it is handed on with the chunk that completes it.
    assert_eq!(landed[0].0, "a");
    assert!(landed[0].1 < total - 4, "{landed:?}");
}

#[test]
fn a_stop_is_heard_between_chunks() {
    let source = Memory::new([(checkpoint::FILE, valid())]).in_chunks_of(1);
    let seen = Cell::new(Progress { bytes: 0, total: 0 });
    let stop_at = valid().len() as u64 - 10;
    let outcome = pollster::block_on(checkpoint::stream(
        &source,
        checkpoint::FILE,
        || seen.get().bytes >= stop_at,
        |progress| seen.set(progress),
        |_| Ok::<(), ModelError>(()),
    ));
    assert_eq!(outcome, Err(ModelError::Cancelled));
    assert_eq!(seen.get().bytes, stop_at);
}

#[test]
fn the_receiver_of_tensors_can_refuse_one() {
    #[derive(Debug, PartialEq)]
    enum Refusal {
        Full,
        Model(ModelError),
    }
    impl From<ModelError> for Refusal {
        fn from(fault: ModelError) -> Refusal {
            Refusal::Model(fault)
        }
    }
    let source = Memory::new([(checkpoint::FILE, valid())]);
    let run = |source: &Memory| {
        pollster::block_on(checkpoint::stream(source, checkpoint::FILE, || false, |_| {}, |_| Err(Refusal::Full)))
    };
    assert_eq!(run(&source), Err(Refusal::Full));
    assert!(matches!(run(&Memory::default()), Err(Refusal::Model(ModelError::NotFound { .. }))));
}

#[test]
fn the_three_float_types_are_read_as_the_half_crate_reads_them() {
    let values = [0.0f32, -0.0, 1.0, -65504.0, 6e-8, 0.333];
    let f16: Vec<u8> = values.iter().flat_map(|x| half::f16::from_f32(*x).to_le_bytes()).collect();
    let bf16: Vec<u8> = values.iter().flat_map(|x| half::bf16::from_f32(*x).to_le_bytes()).collect();
    let views = [
        ("x", TensorView::new(safetensors::Dtype::F16, vec![2, 3], &f16).unwrap()),
        ("y", TensorView::new(safetensors::Dtype::BF16, vec![6], &bf16).unwrap()),
    ];
    let (tensors, _) = load_bytes(&serialize(views, None).unwrap()).unwrap();
    for tensor in tensors {
        let expected: Vec<u32> =
            values
                .iter()
                .map(|x| {
                    if tensor.name == "x" {
                        half::f16::from_f32(*x).to_f32()
                    } else {
                        half::bf16::from_f32(*x).to_f32()
                    }
                })
                .map(f32::to_bits)
                .collect();
        assert_eq!(tensor.data.iter().map(|x| x.to_bits()).collect::<Vec<_>>(), expected, "{}", tensor.name);
    }
}

#[test]
fn truncated_file() {
    let bytes = valid();
    let cut = sentence(&bytes[..bytes.len() - 3]);
    let (held, all) = (bytes.len() - 3, bytes.len());
    assert_eq!(
        cut,
        format!(
            "model.safetensors: is cut short: it holds {held} of the {all} bytes that its header describes, and ends in tensor `b`"
        )
    );
    for end in 0..bytes.len() {
        assert!(sentence(&bytes[..end]).starts_with("model.safetensors: "), "cut at {end}");
    }
}

#[test]
fn empty_file_and_one_too_short_for_a_length() {
    assert_eq!(sentence(b""), "model.safetensors: is empty");
    assert_eq!(
        sentence(b"1234"),
        "model.safetensors: 4 bytes are too few for a safetensors file, which starts with 8 bytes of header length"
    );
}

#[test]
fn wrong_header_length() {
    let with_length = |length: u64| {
        let mut bytes = valid();
        bytes[..8].copy_from_slice(&length.to_le_bytes());
        sentence(&bytes)
    };
    let size = valid().len();
    assert_eq!(
        with_length(9_000_000_000),
        format!("model.safetensors: the header says it has 9,000,000,000 bytes, more than the file holds ({size})")
    );
    assert_eq!(
        with_length(1),
        "model.safetensors: the header says it has 1 bytes, fewer than the 2 of the smallest one"
    );
    assert!(with_length(u64::MAX).contains("more than the file holds"));
    let right = u64::from_le_bytes(valid()[..8].try_into().unwrap());
    assert!(with_length(right - 1).contains("the header is not JSON"));
    assert!(with_length(right + 1).contains("the header is not JSON"));
}

#[test]
fn a_header_may_not_exceed_the_limit_of_the_format() {
    /// A file that is larger than it could ever be read into memory.
    struct Huge;
    impl source::Reader for Huge {
        fn size(&self) -> Option<u64> {
            Some(1 << 40)
        }
        async fn next(&mut self) -> Result<Option<Vec<u8>>, ModelError> {
            Ok(Some(100_000_001u64.to_le_bytes().to_vec()))
        }
    }
    impl Source for Huge {
        type Reader = Huge;
        fn folder(&self, _: &str) -> Huge {
            Huge
        }
        async fn open(&self, _: &str) -> Result<Huge, ModelError> {
            Ok(Huge)
        }
    }
    assert_eq!(
        load(&Huge).unwrap_err().to_string(),
        "model.safetensors: the header says it has 100,000,001 bytes, more than the 100,000,000 that are allowed"
    );
}

#[test]
fn header_that_is_not_text_or_not_json() {
    let mut bytes = file("{    }", b"");
    bytes[10] = 0xff;
    assert_eq!(sentence(&bytes), "model.safetensors: the header is not UTF-8 text");
    for wrong in ["[]", "{\"a\"", "{\"a\":1}", "<!doctype html>", r#"{"a":{"dtype":"F32","shape":[1]}}"#] {
        let said = sentence(&file(wrong, b"0000"));
        assert!(said.starts_with("model.safetensors: the header is not JSON of the safetensors form: "), "{said}");
    }
}

#[test]
fn overlapping_offsets() {
    let header = r#"{"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},"b":{"dtype":"F32","shape":[2],"data_offsets":[4,12]}}"#;
    assert_eq!(
        sentence(&file(header, &[0; 12])),
        "model.safetensors: tensors `a` and `b` overlap at byte 4 of the data"
    );
}

#[test]
fn hole_between_tensors() {
    let header = r#"{"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},"b":{"dtype":"F32","shape":[1],"data_offsets":[8,12]}}"#;
    assert_eq!(
        sentence(&file(header, &[0; 12])),
        "model.safetensors: bytes 4-7 of the data, before tensor `b`, belong to no tensor"
    );
    let late = r#"{"a":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}}"#;
    assert!(sentence(&file(late, &[0; 8])).contains("bytes 0-3 of the data, before tensor `a`"));
}

#[test]
fn offsets_that_run_backwards() {
    let header = r#"{"a":{"dtype":"F32","shape":[1],"data_offsets":[4,0]}}"#;
    assert_eq!(sentence(&file(header, &[0; 4])), "model.safetensors: tensor `a` ends at byte 0, before it begins at 4");
}

#[test]
fn offsets_beyond_the_file() {
    let header = r#"{"a":{"dtype":"F32","shape":[1000000000],"data_offsets":[0,4000000000]}}"#;
    let said = sentence(&file(header, &[0; 4]));
    assert!(said.contains("ends in tensor `a`") && said.contains("4,000,000,0"), "{said}");
}

#[test]
fn bytes_after_the_last_tensor() {
    let mut bytes = valid();
    let right = bytes.len();
    bytes.push(0);
    let more = right + 1;
    assert_eq!(
        sentence(&bytes),
        format!("model.safetensors: its header describes {right} bytes, its size is given as {more}")
    );
}

#[test]
fn shape_times_type_that_overflows() {
    let header = r#"{"a":{"dtype":"F32","shape":[4294967296,4294967296],"data_offsets":[0,0]}}"#;
    assert_eq!(
        sentence(&file(header, b"")),
        "model.safetensors: tensor `a` of shape [4294967296, 4294967296] and type F32 is too large to count"
    );
    let by_type = r#"{"a":{"dtype":"F32","shape":[4611686018427387904],"data_offsets":[0,0]}}"#;
    assert!(sentence(&file(by_type, b"")).contains("too large to count"));
}

/// Tensors that can each be counted, and all together cannot, from the file's first byte on.
#[test]
fn tensors_that_end_beyond_all_numbers() {
    let each = 1u64 << 60;
    let entry = |at: u64| {
        let (begin, end) = (at * each, if at < 15 { (at + 1) * each } else { u64::MAX });
        format!(r#""t{at}":{{"dtype":"U8","shape":[{}],"data_offsets":[{begin},{end}]}}"#, end - begin)
    };
    let header = format!("{{{}}}", (0..16).map(entry).collect::<Vec<_>>().join(","));
    let told = Header::parse("model.safetensors", header.as_bytes()).unwrap_err().to_string();
    assert!(told.starts_with("model.safetensors: tensor `t15` of shape"), "{told}");
    assert!(told.ends_with("is too large to count"), "{told}");
}

#[test]
fn shape_that_does_not_fill_its_offsets() {
    let header = r#"{"a":{"dtype":"F32","shape":[2],"data_offsets":[0,4]}}"#;
    assert_eq!(
        sentence(&file(header, &[0; 4])),
        "model.safetensors: tensor `a` of shape [2] and type F32 needs 8 bytes, its offsets 0-4 span 4"
    );
    let nibble = r#"{"a":{"dtype":"F4","shape":[3],"data_offsets":[0,2]}}"#;
    assert!(sentence(&file(nibble, &[0; 2])).contains("does not fill whole bytes"));
}

#[test]
fn a_name_used_twice() {
    let header = r#"{"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},"a":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}}"#;
    assert_eq!(sentence(&file(header, &[0; 8])), "model.safetensors: tensor `a` is named twice in the header");
}

#[test]
fn unknown_type_and_a_type_that_cannot_be_weights() {
    let unknown = r#"{"a":{"dtype":"F31","shape":[1],"data_offsets":[0,4]}}"#;
    assert_eq!(
        sentence(&file(unknown, &[0; 4])),
        "model.safetensors: tensor `a` has type `F31`, which safetensors does not know"
    );
    // A mask is passed over, and refused by name where it is wanted as a weight.
    let mask = r#"{"m":{"dtype":"BOOL","shape":[3],"data_offsets":[0,3]},"w":{"dtype":"F32","shape":[1],"data_offsets":[3,7]}}"#;
    let bytes = file(mask, &[1, 1, 1, 0, 0, 0x80, 0x3f]);
    let (tensors, _) = load_bytes(&bytes).unwrap();
    assert_eq!(tensors.len(), 1);
    assert_eq!((tensors[0].name.as_str(), tensors[0].data.as_slice()), ("w", [1.0].as_slice()));

    let source = Memory::new([(checkpoint::FILE, bytes)]);
    let open = pollster::block_on(Checkpoint::open(&source, checkpoint::FILE)).unwrap();
    let header = open.header();
    assert!(header.weight("w", &[1]).is_ok());
    assert_eq!(
        header.weight("m", &[3]).unwrap_err().to_string(),
        "model.safetensors: tensor `m` has type BOOL; weights are read from F32, F16 and BF16"
    );
    assert_eq!(header.weight("v", &[3]).unwrap_err().to_string(), "model.safetensors: tensor `v` is missing");
    assert_eq!(
        header.weight("w", &[1, 2]).unwrap_err().to_string(),
        "model.safetensors: tensor `w` has shape [1], expected [1, 2]"
    );
}

#[test]
fn weights_that_are_not_finite() {
    let at = |value: f32| {
        let mut bytes = valid();
        let data = bytes.len() - 28;
        bytes[data + 8..data + 12].copy_from_slice(&value.to_le_bytes());
        sentence(&bytes)
    };
    assert_eq!(at(f32::NAN), "model.safetensors: tensor `a` is not finite: value 2 is NaN");
    assert_eq!(at(f32::NEG_INFINITY), "model.safetensors: tensor `a` is not finite: value 2 is -inf");
    let mut half = valid();
    let end = half.len();
    half[end - 2..].copy_from_slice(&[0x00, 0x7c]);
    assert_eq!(sentence(&half), "model.safetensors: tensor `b` is not finite: value 1 is inf");
}

#[test]
fn empty_tensors_and_scalars_are_tensors() {
    let header = r#"{"none":{"dtype":"F32","shape":[0,7],"data_offsets":[0,0]},"one":{"dtype":"F32","shape":[],"data_offsets":[0,4]},"z":{"dtype":"F16","shape":[0],"data_offsets":[4,4]}}"#;
    let (tensors, _) = load_bytes(&file(header, &2f32.to_le_bytes())).unwrap();
    let held: Vec<(&str, usize)> = tensors.iter().map(|tensor| (tensor.name.as_str(), tensor.data.len())).collect();
    assert_eq!(held, [("none", 0), ("one", 1), ("z", 0)]);
}

#[test]
fn a_folder_on_disk_gives_what_memory_gives() {
    let path = std::env::temp_dir().join(format!("fairbits-loader-{}", std::process::id()));
    std::fs::create_dir_all(path.join("m")).unwrap();
    std::fs::write(path.join("m/model.safetensors"), valid()).unwrap();
    let from_disk = load(&Folder::new(&path).folder("m"));
    let missing = load(&Folder::new(&path));
    std::fs::remove_dir_all(&path).unwrap();
    assert_eq!(from_disk, load_bytes(&valid()));
    assert!(matches!(missing, Err(ModelError::NotFound { .. })), "{missing:?}");
}
