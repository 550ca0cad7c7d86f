//! Changed tensors, kept for the next recipe that asks for the same: recipes differ in a few layers or thresholds, and a
//! tensor is turned and quantized once for all of them.

use std::collections::BTreeMap;

use super::{dial::Scaling, recipe::Quantization, weights::Weight};

/// Beyond this the tensors used least recently leave. A set of weights in use keeps its own tensors alive.
pub const BUDGET: u64 = 256 << 20;

/// What a recipe does to one tensor.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Treatment {
    /// First.
    pub scaling: Scaling,
    /// Then, where the tensor is quantized.
    pub quantization: Option<Quantization>,
}

/// Changed tensors by name and by what was done to them.
pub struct WeightCache<T> {
    kept: BTreeMap<String, Vec<Cached<T>>>,
    bytes: u64,
    budget: u64,
    clock: u64,
}

struct Cached<T> {
    how: Treatment,
    weight: Weight<T>,
    bytes: u64,
    used: u64,
}

impl<T: Clone> WeightCache<T> {
    /// An empty cache for so many bytes.
    pub fn new(budget: u64) -> WeightCache<T> {
        WeightCache { kept: BTreeMap::new(), bytes: 0, budget, clock: 0 }
    }

    /// Room for at least so many bytes from now on.
    pub fn widen(&mut self, budget: u64) {
        self.budget = self.budget.max(budget);
    }

    /// What is on it.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// The tensor, where exactly this was done to it before.
    pub fn find(&mut self, name: &str, how: &Treatment) -> Option<Weight<T>> {
        self.clock += 1;
        let kept = self.kept.get_mut(name)?.iter_mut().find(|kept| kept.how == *how)?;
        kept.used = self.clock;
        Some(kept.weight.clone())
    }

    /// Keeps a tensor that was changed just now.
    pub fn keep(&mut self, name: &str, how: &Treatment, weight: &Weight<T>, bytes: u64) {
        self.clock += 1;
        let kept = Cached { how: how.clone(), weight: weight.clone(), bytes, used: self.clock };
        self.kept.entry(name.to_string()).or_default().push(kept);
        self.bytes += bytes;
        while self.bytes > self.budget && self.drop_oldest() {}
    }

    /// Forgets a tensor whose values have changed.
    pub fn forget(&mut self, name: &str) {
        for kept in self.kept.remove(name).unwrap_or_default() {
            self.bytes -= kept.bytes;
        }
    }

    fn drop_oldest(&mut self) -> bool {
        let all = self.kept.values_mut().flat_map(|of_name| {
            let oldest = of_name.iter().enumerate().min_by_key(|(_, kept)| kept.used).map(|(at, kept)| (kept.used, at));
            oldest.map(|(used, at)| (used, at, of_name))
        });
        let Some((_, at, of_name)) = all.min_by_key(|(used, ..)| *used) else { return false };
        self.bytes -= of_name.remove(at).bytes;
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::quantizer::Format;

    fn how(alpha: f32) -> Treatment {
        let how = Quantization { format: Format::all().next().unwrap(), numbers: vec![alpha] };
        Treatment { quantization: Some(how), ..Treatment::default() }
    }

    fn found(cache: &mut WeightCache<u32>, name: &str, alpha: f32) -> Option<u32> {
        match cache.find(name, &how(alpha))? {
            Weight::Full(number) => Some(number),
            Weight::Halves(_) | Weight::Packed { .. } => None,
        }
    }

    #[test]
    fn what_was_changed_in_the_same_way_is_found_and_nothing_else() {
        let mut cache = WeightCache::new(100);
        cache.keep("a", &how(1.0), &Weight::Full(7), 10);
        assert_eq!(found(&mut cache, "a", 1.0), Some(7));
        assert_eq!(found(&mut cache, "a", 1.5), None);
        assert_eq!(found(&mut cache, "b", 1.0), None);
        cache.forget("a");
        assert_eq!((found(&mut cache, "a", 1.0), cache.bytes), (None, 0));
    }

    #[test]
    fn the_least_recently_used_leaves_first() {
        let mut cache = WeightCache::new(30);
        for (number, name) in ["a", "b", "c"].into_iter().enumerate() {
            cache.keep(name, &how(1.0), &Weight::Full(number as u32), 10);
        }
        assert!(found(&mut cache, "a", 1.0).is_some());
        cache.keep("d", &how(1.0), &Weight::Full(3), 10);
        let left: Vec<bool> = ["a", "b", "c", "d"].map(|name| found(&mut cache, name, 1.0).is_some()).into();
        assert_eq!(left, [true, false, true, true]);
        assert_eq!(cache.bytes, 30);
    }
}
