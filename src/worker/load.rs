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
        ArchError,
        load::Watcher,
        preview::{How, Preview, Room},
        tensors::{Role, TensorSpec},
        weights::{Device, Weight},
    },
    backend::cpu::Cpu,
    math::moments::{Moments, Summary},
    model::checkpoint::Progress,
    protocol::{Event, TensorLanded},
    report::preview::fit,
};

/// Often enough to look smooth.
const BETWEEN_EVENTS_MS: f64 = 50.0;

type Delivery = Pin<Box<dyn Future<Output = Result<(), PoolError>>>>;

/// Tells the page and feeds the pool.
pub struct Streaming<'a> {
    lead: &'a Lead,
    /// None where the model is looked through.
    pool: Option<Rc<Pool>>,
    how: How,
    room: Room,
    began: f64,
    told: f64,
    /// Moments of each layer's weight matrices so far, merged, and their names.
    layers: BTreeMap<usize, (Moments, Vec<String>)>,
    deliveries: Vec<Delivery>,
}

impl<'a> Streaming<'a> {
    pub fn new(lead: &'a Lead, pool: Option<Rc<Pool>>, how: How, room: Room) -> Streaming<'a> {
        let began = now();
        Streaming { lead, pool, how, room, began, told: began, layers: BTreeMap::new(), deliveries: Vec::new() }
    }

    /// Waits until every member has all that was sent.
    pub async fn delivered(self) -> Result<(), PoolError> {
        try_join_all(self.deliveries).await.map(|_| ())
    }

    fn deliver(&mut self, ask: impl Fn() -> Ask, values: &[f32]) {
        let buffer = || if values.is_empty() { Vec::new() } else { vec![buffer_of(values)] };
        if let Some(pool) = &self.pool {
            self.deliveries.push(Box::pin(pool.ask_all(ask, buffer)));
        }
    }
}

impl Watcher<Cpu> for Streaming<'_> {
    fn begin(&mut self, config: &str, preview: &Preview) -> Result<(), ArchError> {
        if !preview.fits(self.how, &self.room) {
            return Err(ArchError::TooLarge(fit(preview, &self.room)));
        }
        self.lead.keep_config(config);
        self.deliver(|| Ask::Model { config: config.to_string() }, &[]);
        Ok(())
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

    fn tensor(&mut self, spec: &TensorSpec, values: &[f32], device: &Device<Cpu>) {
        self.deliver(|| Ask::Tensor { name: spec.name.clone(), shape: spec.shape.clone() }, values);
        let moments = Moments::of(values);
        let quantizable = matches!(spec.role, Role::Matrix { .. });
        let layer = match spec.role {
            Role::Matrix { layer, .. } | Role::Vector { layer } => Some(layer),
            Role::Table { .. } | Role::Outside => None,
        };
        let held = layer.filter(|_| quantizable && self.pool.is_some());
        let layer_summary = held.map(|layer| {
            let (merged, names) = self.layers.entry(layer).or_default();
            *merged = merged.merge(&moments);
            names.push(spec.name.clone());
            // The tails are counted around the merged mean, so all of the layer is looked at again.
            let parts: Vec<Vec<f32>> = names.iter().filter_map(|name| held_values(device, name)).collect();
            let parts: Vec<&[f32]> = parts.iter().map(Vec::as_slice).collect();
            Summary::with_tails(merged, &parts)
        });
        self.lead.tell(&Event::Tensor(TensorLanded {
            name: spec.name.clone(),
            shape: spec.shape.clone(),
            layer,
            quantizable,
            summary: Summary::with_tails(&moments, &[values]),
            layer_summary,
        }));
    }

    fn layer(&mut self, layer: usize, whole: &Summary) {
        self.lead.tell(&Event::Layer { layer, summary: *whole });
    }
}

/// Fills members that are new with the lead's own copy of a model.
pub async fn refill(pool: &Pool, config: &str, device: &Device<Cpu>) -> Result<(), PoolError> {
    pool.ask_all(|| Ask::Model { config: config.to_string() }, Vec::new).await?;
    for tensor in device.spec.tensors() {
        let values = held_values(device, &tensor.name).unwrap_or_default();
        let ask = || Ask::Tensor { name: tensor.name.clone(), shape: tensor.shape.clone() };
        pool.ask_all(ask, || vec![buffer_of(&values)]).await?;
    }
    Ok(())
}

/// A tensor of the CPU device, for which nothing has to be waited for.
fn held_values(device: &Device<Cpu>, name: &str) -> Option<Vec<f32>> {
    match device.full().get(name) {
        Ok(Weight::Full(buffer)) => Some(buffer.to_f32()),
        _ => None,
    }
}
