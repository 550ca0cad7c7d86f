//! Work that is shared out to the members, item by item.

use std::{cell::RefCell, collections::VecDeque};

use super::{failure::Failure, messages::Ask, pool::PoolError, run::Session};
use crate::{arch::recipe::Recipe, backend::cpu::is_cpu, lab::AnalysisError, lab::preview::no_room_for_packed};

impl From<PoolError> for AnalysisError {
    fn from(error: PoolError) -> AnalysisError {
        said(error.into())
    }
}

fn said(failure: Failure) -> AnalysisError {
    match failure {
        Failure::Said(sentence) | Failure::TooLarge(sentence) => AnalysisError::Worker(sentence),
        Failure::Silent => AnalysisError::Cancelled,
    }
}

/// The first of those that are left.
pub(super) fn first<T>(_: usize, _: &VecDeque<T>) -> usize {
    0
}

impl Session<'_> {
    /// Refuses recipes whose packed weights the members have no room for, where they hold nothing else.
    fn check_room(&self, recipes: &[Recipe]) -> Result<(), AnalysisError> {
        if !self.coordinator.replicas.packs(&self.model) {
            return Ok(());
        }
        let (device, room) = (&self.model.device, self.coordinator.replicas.room());
        for recipe in recipes {
            let needed = device.packed_bytes(recipe)?;
            if needed > room {
                return Err(AnalysisError::Worker(no_room_for_packed(needed, room)));
            }
        }
        Ok(())
    }

    /// Has members answer for every item; each takes the next as soon as it has done its last, `pick` says which of those that are
    /// left. Where the device is lost or has
    /// no memory left, or a member is gone, what is left goes on elsewhere: also what the others had under way, whose answers
    /// nobody hears any more.
    pub(super) async fn on_every_replica<T>(
        &self,
        recipes: &[Recipe],
        items: Vec<T>,
        ask: impl Fn(&T) -> Ask,
        take: impl FnMut(&T, &[f64]),
        pick: impl Fn(usize, &VecDeque<T>) -> usize,
    ) -> Result<(), AnalysisError> {
        self.check_room(recipes)?;
        let (left, take) = (RefCell::new(VecDeque::from(items)), RefCell::new(take));
        loop {
            let pool = self.pool.borrow().clone();
            let under_way = RefCell::new(Vec::from_iter((0..pool.size()).map(|_| None)));
            let answered = async {
                // A run of another model, or one that was cancelled, may have left its own there.
                self.coordinator.replicas.replica(&pool, &self.config, &self.model).await?;
                pool.ask_all(|| Ask::Recipes(recipes.to_vec()), Vec::new).await?;
                let work = async |number: usize| -> Result<(), PoolError> {
                    loop {
                        let picked = pick(number, &left.borrow());
                        let Some(item) = left.borrow_mut().remove(picked) else { return Ok(()) };
                        let asked = pool.ask(number, ask(&item));
                        under_way.borrow_mut()[number] = Some(item);
                        let figures = asked.await?;
                        if let Some(item) = under_way.borrow_mut()[number].take() {
                            (take.borrow_mut())(&item, &figures);
                        }
                    }
                };
                futures::future::try_join_all((0..pool.size()).map(work)).await.map(drop)
            };
            let answered = answered.await;
            left.borrow_mut().extend(under_way.into_inner().into_iter().flatten());
            match answered {
                Ok(()) => return Ok(()),
                Err(fault @ (PoolError::Lost(_) | PoolError::Died(_))) => {
                    let next = self.coordinator.replicas.recover(fault).await.map_err(said)?;
                    // Another worker on the CPU gives the same bits; another device may not.
                    if self.backends.borrow().last().is_none_or(|last| last != next.backend() || !is_cpu(last)) {
                        self.backends.borrow_mut().push(next.backend().to_string());
                    }
                    *self.pool.borrow_mut() = next;
                }
                Err(other) => return Err(other.into()),
            }
        }
    }
}
