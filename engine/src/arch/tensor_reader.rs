//! Tensors that are not held, read again one by one where they are asked for.

use std::{cell::RefCell, collections::BTreeMap, future::Future, pin::Pin, rc::Rc};

use futures::lock::Mutex;

use super::spec::Spec;
use crate::model::{
    ModelError,
    checkpoint::{Header, read_tensor},
    source::Ranged,
};

/// A tensor's values on their way.
pub type Reading = Pin<Box<dyn Future<Output = Result<Vec<f32>, ModelError>>>>;

/// Reads a tensor by the spec's name.
#[derive(Clone)]
pub struct TensorReader(Rc<dyn Fn(String) -> Reading>);

/// What a tensor's values are known by: a file may change between two looks at it.
pub fn mark(values: &[f32]) -> u32 {
    crc32fast::hash(bytemuck::cast_slice(values))
}

/// Files whose headers are known.
struct Files<S> {
    source: S,
    headers: Vec<Header>,
    /// File and entry of each tensor.
    places: BTreeMap<String, (usize, usize)>,
    /// Of the tensors that were looked at.
    marks: RefCell<BTreeMap<String, u32>>,
    /// One tensor at a time: who keeps files opens each of them once.
    turn: Mutex<()>,
}

impl<S: Ranged> Files<S> {
    async fn read(&self, name: &str) -> Result<Vec<f32>, ModelError> {
        let missing = || ModelError::MissingTensor { file: "the checkpoint".into(), tensor: name.into() };
        let (file, at) = *self.places.get(name).ok_or_else(missing)?;
        let (header, _turn) = (&self.headers[file], self.turn.lock().await);
        let values = read_tensor(&self.source, header, &header.entries()[at]).await?.data;
        let mark = mark(&values);
        // What nobody has looked at before is known from now on.
        match *self.marks.borrow_mut().entry(name.to_string()).or_insert(mark) == mark {
            true => Ok(values),
            false => Err(ModelError::Changed { file: header.file().into(), tensor: name.into() }),
        }
    }
}

impl TensorReader {
    /// In a way of one's own.
    pub fn by(read: impl Fn(String) -> Reading + 'static) -> TensorReader {
        TensorReader(Rc::new(read))
    }

    /// From files whose headers are known; `marks` are those of tensors that were looked at.
    pub(super) fn from_files(
        source: impl Ranged + 'static,
        headers: Vec<Header>,
        spec: &Spec,
        marks: BTreeMap<String, u32>,
    ) -> TensorReader {
        let mut places = BTreeMap::new();
        for (file, header) in headers.iter().enumerate() {
            for (at, entry) in header.entries().iter().enumerate() {
                places.insert(spec.canonical(&entry.name).to_string(), (file, at));
            }
        }
        let files = Rc::new(Files { source, headers, places, marks: RefCell::new(marks), turn: Mutex::new(()) });
        TensorReader::by(move |name| {
            let files = files.clone();
            Box::pin(async move { files.read(&name).await })
        })
    }

    /// A tensor's values.
    pub async fn read(&self, name: &str) -> Result<Vec<f32>, ModelError> {
        (self.0)(name.to_string()).await
    }
}
