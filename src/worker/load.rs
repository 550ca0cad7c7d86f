//! A model on its way in: the page watches, the pool gets its copies.

use std::{collections::BTreeMap, future::Future, pin::Pin, rc::Rc};

use futures::future::try_join_all;

use super::{
    breath::now,
    lead::Lead,
    member::Ask,
    pool::{Pool, PoolError},
    port::buffer_of,
};
use crate::{
    arch::{
        load::Watcher,
        spec::{Role, Spec, TensorSpec},
    },
    math::moments::{Moments, Summary},
    model::checkpoint::{Progress, Tensor},
    protocol::{Event, TensorLanded},
};

/// Often enough to look smooth.
const BETWEEN_EVENTS_MS: f64 = 50.0;

type Delivery = Pin<Box<dyn Future<Output = Result<(), PoolError>>>>;

/// Tells the page and feeds the pool.
pub struct Streaming<'a> {
    lead: &'a Lead,
    pool: Rc<Pool>,
    began: f64,
    told: f64,
    layers: BTreeMap<usize, Layer>,
    deliveries: Vec<Delivery>,
}

/// Weight matrices of one layer so far.
#[derive(Default)]
struct Layer {
    moments: Option<Moments>,
    parts: Vec<Vec<f32>>,
}

impl<'a> Streaming<'a> {
    pub fn new(lead: &'a Lead, pool: Rc<Pool>) -> Streaming<'a> {
        let began = now();
        Streaming { lead, pool, began, told: began, layers: BTreeMap::new(), deliveries: Vec::new() }
    }

    /// Waits until every member has all that was sent.
    pub async fn delivered(self) -> Result<(), PoolError> {
        try_join_all(self.deliveries).await.map(|_| ())
    }

    fn deliver(&mut self, ask: impl Fn() -> Ask, values: &[f32]) {
        let buffer = || if values.is_empty() { Vec::new() } else { vec![buffer_of(values)] };
        self.deliveries.push(Box::pin(self.pool.ask_all(ask, buffer)));
    }
}

impl Watcher for Streaming<'_> {
    fn begin(&mut self, config: &str, _: &Spec) {
        self.deliver(|| Ask::Model { config: config.to_string() }, &[]);
    }

    fn bytes(&mut self, progress: Progress) {
        if now() - self.told >= BETWEEN_EVENTS_MS || progress.bytes == progress.total {
            self.told = now();
            self.lead.tell(&Event::Loading {
                bytes: progress.bytes,
                total: Some(progress.total),
                seconds: (now() - self.began) / 1000.0,
            });
        }
    }

    fn tensor(&mut self, tensor: &Tensor, spec: &TensorSpec) {
        let ask = || Ask::Tensor { name: tensor.name.clone(), shape: tensor.shape.clone() };
        self.deliver(ask, &tensor.data);
        let moments = Moments::of(&tensor.data);
        let layer = match spec.role {
            Role::Matrix { layer, .. } | Role::Vector { layer } => Some(layer),
            Role::Outside => None,
        };
        let quantizable = matches!(spec.role, Role::Matrix { .. });
        let layer_summary = layer.filter(|_| quantizable).map(|layer| {
            let layer = self.layers.entry(layer).or_default();
            let merged = layer.moments.map_or(moments, |before| before.merge(&moments));
            layer.moments = Some(merged);
            layer.parts.push(tensor.data.clone());
            let parts: Vec<&[f32]> = layer.parts.iter().map(|part| &part[..]).collect();
            Summary::with_tails(&merged, &parts)
        });
        self.lead.tell(&Event::Tensor(TensorLanded {
            name: spec.name.clone(),
            shape: tensor.shape.clone(),
            layer,
            quantizable,
            summary: Summary::with_tails(&moments, &[&tensor.data]),
            layer_summary,
        }));
    }
}
