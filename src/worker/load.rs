//! A model on its way in: the page watches, the pool gets its copies.

use std::{collections::BTreeMap, future::Future, pin::Pin, rc::Rc};

use futures::future::try_join_all;

use super::{
    coordinator::Coordinator,
    messages::Ask,
    pool::{Pool, PoolError},
    port::buffer_of,
    yield_now::now,
};
use crate::{
    arch::{
        ArchError,
        load::Watcher,
        preview::{How, Preview, Room},
        recipe::Quantization,
        tensors::{Role, TensorSpec},
    },
    backend::cpu::{Cpu, is_cpu},
    lab::rounding::Rounding,
    math::moments::Summary,
    model::checkpoint::Progress,
    protocol::{Event, TensorLanded},
};

/// Often enough to look smooth.
const BETWEEN_EVENTS_MS: f64 = 50.0;

/// How the matrices of a model were packed when they landed, by their names.
pub type Ahead = (Rounding, BTreeMap<String, Quantization>);

type Delivery = Pin<Box<dyn Future<Output = Result<(), PoolError>>>>;

/// Tells the page and feeds the pool.
pub struct Streaming<'a> {
    coordinator: &'a Coordinator,
    /// None where the model is looked through.
    pool: Option<Rc<Pool>>,
    how: How,
    room: Room,
    /// What the person is about to run: packed as it lands, where only that is held.
    rounding: Option<Rounding>,
    /// How matrices were packed.
    packed: BTreeMap<String, Quantization>,
    began: f64,
    told: f64,
    deliveries: Vec<Delivery>,
}

impl<'a> Streaming<'a> {
    pub fn new(
        coordinator: &'a Coordinator,
        pool: Option<Rc<Pool>>,
        how: How,
        room: Room,
        rounding: Option<Rounding>,
    ) -> Streaming<'a> {
        let (began, packed) = (now(), BTreeMap::new());
        Streaming { coordinator, pool, how, room, rounding, packed, began, told: began, deliveries: Vec::new() }
    }

    /// Waits until every member has all that was sent; gives how matrices were packed.
    pub async fn delivered(self) -> Result<Option<Ahead>, PoolError> {
        try_join_all(self.deliveries).await?;
        Ok(self.rounding.map(|rounding| (rounding, self.packed)))
    }

    fn packs(&self) -> bool {
        matches!(self.how, How::Packed(_))
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
        self.coordinator.replicas.expect(config, self.how, preview.room_for_packed(&self.room));
        if let Some(pool) = &self.pool {
            pool.expect(preview.parameters);
        }
        let packed = self.packs();
        self.deliver(|| Ask::Model { config: config.to_string(), packed }, &[]);
        Ok(())
    }

    /// What a GPU holds lies in memory of its own, which may be lost with it, and from which reading is slow.
    fn holds(&self) -> bool {
        self.pool.as_ref().is_some_and(|pool| !is_cpu(pool.backend())) && !self.packs()
    }

    fn takes_tables(&self) -> bool {
        self.pool.is_some() && !self.packs()
    }

    fn bytes(&mut self, progress: Progress) {
        if now() - self.told >= BETWEEN_EVENTS_MS || progress.bytes == progress.total {
            self.told = now();
            self.coordinator.tell(&Event::Loading {
                bytes: progress.bytes,
                total: Some(progress.total),
                seconds: (now() - self.began) / 1000.0,
            });
        }
    }

    fn tensor(&mut self, spec: &TensorSpec, values: &[f32]) -> Result<(), ArchError> {
        match (spec.role, self.rounding.filter(|_| self.packs())) {
            (Role::Matrix { layout, .. }, Some(rounding)) => {
                let how = rounding.of(values, layout);
                self.deliver(|| Ask::Pack { name: spec.name.clone(), how: how.clone() }, values);
                self.packed.insert(spec.name.clone(), how);
            }
            (role, _) if self.packs() && role.is_large() => {}
            _ => self.deliver(|| Ask::Tensor { name: spec.name.clone(), shape: spec.shape.clone() }, values),
        }
        self.coordinator.tell(&Event::Tensor(TensorLanded { name: spec.name.clone(), shape: spec.shape.clone() }));
        Ok(())
    }

    fn layer(&mut self, layer: usize, whole: &Summary) {
        self.coordinator.tell(&Event::Layer { layer, summary: *whole });
    }
}
