//! Laws: however a file is cut, its tensors are those that the `safetensors` crate reads; whatever is changed in it, it
//! is refused or read as that crate reads it, without panic and without believing a size.

use fairbits::model::{
    ModelError, checkpoint,
    checkpoint::Dtype,
    source::{Memory, Reader, Source},
};
use half::{bf16, f16};
use proptest::{collection::vec, prelude::*};
use safetensors::{
    SafeTensors,
    tensor::{TensorView, serialize},
};

use crate::{
    allocations::watched,
    safetensors_file::{file, load, load_bytes, valid},
};

/// Files of the laws are under 2 kB; the loader reserves up to 4 MiB for a tensor whose bytes have not yet come.
const LARGEST_ALLOCATION: usize = 5 << 20;

/// Bytes without a known size, cut at the given lengths over and over.
struct Stream {
    bytes: Vec<u8>,
    cuts: Vec<usize>,
}

struct StreamReader {
    rest: Vec<u8>,
    cuts: Vec<usize>,
    turn: usize,
}

impl Source for Stream {
    type Reader = StreamReader;
    fn folder(&self, _: &str) -> Stream {
        Stream { bytes: self.bytes.clone(), cuts: self.cuts.clone() }
    }
    async fn open(&self, _: &str) -> Result<StreamReader, ModelError> {
        Ok(StreamReader { rest: self.bytes.clone(), cuts: self.cuts.clone(), turn: 0 })
    }
}

impl Reader for StreamReader {
    fn size(&self) -> Option<u64> {
        None
    }
    async fn next(&mut self) -> Result<Option<Vec<u8>>, ModelError> {
        let length = self.cuts[self.turn % self.cuts.len()].min(self.rest.len());
        self.turn += 1;
        let rest = self.rest.split_off(length);
        let chunk = std::mem::replace(&mut self.rest, rest);
        Ok((!chunk.is_empty()).then_some(chunk))
    }
}

/// Finite tensors of every kind that may stand in a file.
fn tensors() -> impl Strategy<Value = Vec<u8>> {
    let types = prop::sample::select(vec![Dtype::F32, Dtype::F16, Dtype::BF16, Dtype::U8, Dtype::I64]);
    let tensor = (types, vec(0usize..5, 0..3), vec(-1000f32..1000.0, 25));
    vec(tensor, 0..6).prop_map(|tensors| {
        let data: Vec<Vec<u8>> = tensors
            .iter()
            .map(|(dtype, shape, values)| {
                let values = &values[..shape.iter().product()];
                match dtype {
                    Dtype::F32 => values.iter().flat_map(|x| x.to_le_bytes()).collect(),
                    Dtype::F16 => values.iter().flat_map(|x| f16::from_f32(*x).to_le_bytes()).collect(),
                    Dtype::BF16 => values.iter().flat_map(|x| bf16::from_f32(*x).to_le_bytes()).collect(),
                    Dtype::U8 => values.iter().map(|x| *x as u8).collect(),
                    _ => values.iter().flat_map(|x| (*x as i64).to_le_bytes()).collect(),
                }
            })
            .collect();
        let views = tensors.iter().zip(&data).enumerate().map(|(i, ((dtype, shape, _), data))| {
            (format!("tensor.{i}"), TensorView::new(*dtype, shape.clone(), data).unwrap())
        });
        serialize(views, None).unwrap()
    })
}

/// Name, shape and bits of a tensor's values.
type Bits = (String, Vec<usize>, Vec<u32>);

/// Every float tensor, as the `safetensors` crate has them.
fn reference(bytes: &[u8]) -> Option<Vec<Bits>> {
    let read = SafeTensors::deserialize(bytes).ok()?;
    let mut tensors = Vec::new();
    for (name, view) in read.iter() {
        let data = view.data();
        let pairs = || data.chunks_exact(2).map(|pair| [pair[0], pair[1]]);
        let values: Vec<f32> = match view.dtype() {
            Dtype::F32 => data.chunks_exact(4).map(|word| f32::from_le_bytes(word.try_into().unwrap())).collect(),
            Dtype::F16 => pairs().map(|pair| f16::from_le_bytes(pair).to_f32()).collect(),
            Dtype::BF16 => pairs().map(|pair| bf16::from_le_bytes(pair).to_f32()).collect(),
            _ => continue,
        };
        tensors.push((name.to_string(), view.shape().to_vec(), values.iter().map(|x| x.to_bits()).collect()));
    }
    tensors.sort();
    Some(tensors)
}

/// The same, as the loader has them.
fn ours(source: &impl Source) -> Result<Vec<Bits>, ModelError> {
    let (tensors, _) = load(source)?;
    let mut tensors: Vec<_> = tensors
        .into_iter()
        .map(|tensor| (tensor.name, tensor.shape, tensor.data.iter().map(|x| x.to_bits()).collect()))
        .collect();
    tensors.sort();
    Ok(tensors)
}

#[test]
fn bytes_after_the_last_tensor_of_a_file_of_unknown_size() {
    let mut bytes = valid();
    let right = bytes.len();
    bytes.push(0);
    assert_eq!(
        load(&Stream { bytes, cuts: vec![7] }).unwrap_err().to_string(),
        format!("model.safetensors: its header describes {right} bytes, it goes on after them")
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn a_file_may_be_cut_anywhere(bytes in tensors(), cuts in vec(1usize..40, 1..20)) {
        let expected = reference(&bytes).unwrap();
        prop_assert_eq!(&ours(&Memory::new([(checkpoint::FILE, bytes.clone())])).unwrap(), &expected);
        prop_assert_eq!(&ours(&Stream { bytes, cuts }).unwrap(), &expected);
    }

    #[test]
    fn a_changed_file_is_read_as_the_reference_reads_it_or_refused(
        bytes in tensors(),
        changes in vec((any::<prop::sample::Index>(), any::<u8>()), 1..4),
        in_header in any::<bool>(),
        cut in prop::option::of(any::<prop::sample::Index>()),
        cuts in vec(1usize..40, 1..20),
    ) {
        let mut bytes = bytes;
        let header = 8 + u64::from_le_bytes(bytes[..8].try_into().unwrap()) as usize;
        let within = if in_header { header } else { bytes.len() };
        for (place, value) in changes {
            bytes[place.index(within)] = value;
        }
        if let Some(cut) = cut {
            bytes.truncate(cut.index(bytes.len() + 1));
        }
        let memory = Memory::new([(checkpoint::FILE, bytes.clone())]);
        let stream = Stream { bytes: bytes.clone(), cuts };
        let ((whole, streamed), largest) = watched(|| (ours(&memory), ours(&stream)));
        prop_assert!(largest <= LARGEST_ALLOCATION, "{largest} bytes at once");
        prop_assert_eq!(whole.is_ok(), streamed.is_ok(), "{:?} {:?}", whole, streamed);
        match (whole, reference(&bytes)) {
            (Ok(ours), Some(expected)) => prop_assert_eq!(ours, expected),
            (Ok(_), None) => prop_assert!(false, "read what the reference refuses"),
            // The reference does not look at values and lets the last of two equal names win.
            (Err(fault), Some(_)) => prop_assert!(
                matches!(fault, ModelError::NotFinite { .. } | ModelError::DuplicateTensor { .. }),
                "{}", fault
            ),
            (Err(_), None) => {}
        }
    }

    #[test]
    fn any_bytes_at_all_are_refused_or_read(bytes in vec(any::<u8>(), 0..200)) {
        let (_, largest) = watched(|| load_bytes(&bytes));
        prop_assert!(largest <= LARGEST_ALLOCATION);
    }
}

#[test]
fn a_declared_size_is_not_allocated_before_it_comes() {
    let header = r#"{"a":{"dtype":"F32","shape":[250000000000],"data_offsets":[0,1000000000000]}}"#;
    let bytes = file(header, &[0; 100]);
    let (outcome, largest) = watched(|| load(&Stream { bytes: bytes.clone(), cuts: vec![64] }));
    assert!(matches!(outcome, Err(ModelError::Truncated { .. })), "{outcome:?}");
    assert!(largest <= LARGEST_ALLOCATION, "{largest} bytes at once");

    let mut long_header = bytes;
    long_header[..8].copy_from_slice(&99_000_000u64.to_le_bytes());
    let (outcome, largest) = watched(|| load(&Stream { bytes: long_header, cuts: vec![64] }));
    assert!(matches!(outcome, Err(ModelError::HeaderBeyondFile { .. })), "{outcome:?}");
    assert!(largest <= LARGEST_ALLOCATION, "{largest} bytes at once");
}
