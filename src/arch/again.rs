//! Tensors of a model that is not held, read again one by one where they are asked for.

use std::{collections::BTreeMap, future::Future, pin::Pin, rc::Rc};

use super::spec::Spec;
use crate::model::{
    ModelError,
    checkpoint::{Header, read_tensor},
    source::Ranged,
};

type Reading = Pin<Box<dyn Future<Output = Result<Vec<f32>, ModelError>>>>;

/// Reads a tensor by the spec's name.
#[derive(Clone)]
pub struct Again(Rc<dyn Fn(String) -> Reading>);

/// What a tensor's values are known by: a file may change between two looks at it.
pub fn mark(values: &[f32]) -> u32 {
    crc32fast::hash(bytemuck::cast_slice(values))
}

impl Again {
    /// Of files whose headers are known; `marks` has the tensors that may be read.
    pub fn new(
        source: impl Ranged + Clone + 'static,
        headers: Vec<Header>,
        spec: &Spec,
        marks: BTreeMap<String, u32>,
    ) -> Again {
        let mut places = BTreeMap::new();
        for (file, header) in headers.iter().enumerate() {
            for (at, entry) in header.entries().iter().enumerate() {
                places.insert(spec.canonical(&entry.name).to_string(), (file, at));
            }
        }
        let known = Rc::new((headers, places, marks));
        Again(Rc::new(move |name| {
            let (source, known) = (source.clone(), known.clone());
            Box::pin(async move {
                let (headers, places, marks) = &*known;
                let (Some((file, at)), Some(expected)) = (places.get(&name), marks.get(&name)) else {
                    return Err(ModelError::MissingTensor { file: "the checkpoint".into(), tensor: name });
                };
                let header = &headers[*file];
                let values = read_tensor(&source, header, &header.entries()[*at]).await?.data;
                match mark(&values) == *expected {
                    true => Ok(values),
                    false => Err(ModelError::Changed { file: header.file().into(), tensor: name }),
                }
            })
        }))
    }

    /// A tensor's values.
    pub async fn read(&self, name: &str) -> Result<Vec<f32>, ModelError> {
        (self.0)(name.to_string()).await
    }
}
