//! Safetensors files, right and wrong, and what the loader makes of them.

use fairbits::model::{
    ModelError,
    checkpoint::{self, Finished, Tensor},
    source::{Memory, Source},
};

/// A file of `header` with its true length, and `data`.
pub fn file(header: &str, data: &[u8]) -> Vec<u8> {
    [&(header.len() as u64).to_le_bytes(), header.as_bytes(), data].concat()
}

/// Two tensors: `a` (2, 3) of f32 and `b` (2) of f16.
pub fn valid() -> Vec<u8> {
    let header = r#"{"__metadata__":{"format":"pt"},"b":{"dtype":"F16","shape":[2],"data_offsets":[24,28]},"a":{"dtype":"F32","shape":[2,3],"data_offsets":[0,24]}}"#;
    let mut data: Vec<u8> = [1.0f32, -2.5, 3.25, 0.0, 1e-38, -4e8].iter().flat_map(|x| x.to_le_bytes()).collect();
    data.extend([0x00, 0x3c, 0x00, 0xc1]); // 1 and −2.5 in binary16
    file(header, &data)
}

/// Everything that comes out of `model.safetensors`.
pub fn load(source: &impl Source) -> Result<(Vec<Tensor>, Finished), ModelError> {
    let mut tensors = Vec::new();
    let finished = pollster::block_on(checkpoint::stream(
        source,
        checkpoint::FILE,
        || false,
        |_| {},
        |tensor| {
            tensors.push(tensor);
            Ok::<(), ModelError>(())
        },
    ))?;
    Ok((tensors, finished))
}

/// The same from memory.
pub fn load_bytes(bytes: &[u8]) -> Result<(Vec<Tensor>, Finished), ModelError> {
    load(&Memory::new([(checkpoint::FILE, bytes)]))
}

/// The sentence for a faulty file.
pub fn sentence(bytes: &[u8]) -> String {
    match load_bytes(bytes) {
        Ok((tensors, _)) => panic!("accepted: {tensors:?}"),
        Err(fault) => fault.to_string(),
    }
}
