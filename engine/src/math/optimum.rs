//! The exact optimum: the step of least squared error on given values, over every α > 0.
//!
//! With s the step, L the levels and c_i = min(L, round(|x_i|/s)) the codes, the loss is
//!
//!   f(s) = Σ (|x_i| − s·c_i)² = X − 2s·A(s) + s²·C(s),  X = Σ x², A = Σ c|x|, C = Σ c².
//!
//! It is piecewise quadratic with up to n·L pieces and many local minima. Two facts make the global one certain:
//! - For the codes at any s, the best step is A/C with loss X − A²/C ≥ f(A/C). So each place looked at gives an upper
//!   bound, and the global minimum is the least of them over all pieces.
//! - f′ = 2(sC − A). Where s rises past the edge at which x_i's code falls from c + 1 to c, (2c + 1)s = 2x_i, so f′ falls by
//!   2(2x_i − x_i): by twice what A falls. Elsewhere f″ = 2C, and C never rises. So on an interval [s₁, s₂] of width w, with
//!   ΔA = A(s₁) − A(s₂), g(s) = f(s) + C(s₂)·(s − s₁)(s₂ − s) has slopes between f′(s₁) − 2ΔA + C(s₂)w and
//!   f′(s₂) + 2ΔA − C(s₂)w: two lines from its ends bound g from below, and f is at most C(s₂)w²/4 lower.
//!
//! Branch and bound on s then ends with a loss within `TOLERANCE` of the global minimum, proved. α may lie above the
//! largest magnitude (that leaves top codes unused): for few values the best lattice is often there.
//!
//! A and C come from the values one by one where there are few, else from the sorted values and their running sums, a
//! cumulative histogram with one value to a cell: then a look costs L searches, however many values there are.

use super::clipping::mse;

/// How far from the least loss the search may stop, relative to the loss.
const TOLERANCE: f64 = 1e-10;
/// The same relative to X, the loss of all-zero codes: below what rounding α to f32 changes (2^−24 squared).
const FLOOR: f64 = 2e-15;
/// Neighbouring steps of the first look differ by this factor.
const FIRST_RATIO: f64 = 1.06;
/// Places of the first look below the step that clips nothing; smaller steps form one interval.
const FIRST_BELOW: i32 = 40;
/// A search in the sorted values takes about as long as this many values one by one.
const SEARCH_COST: usize = 12;
/// Values that [`one_by_one`] takes side by side; sums are joined in a fixed order.
const LANES: usize = 4;
/// 1.5·2^52: rounds to an integer, half to even, as in the quantizer.
const ROUNDER: f64 = 6_755_399_441_055_744.0;

/// The threshold of least squared error on the symmetric grid of `levels`, rounded to f32; 0 where all values are zero.
/// Where several are equally good, the largest magnitude if it is one of them.
pub fn optimum(values: &[f32], levels: u32) -> f32 {
    let absmax = values.iter().fold(0f32, |most, x| most.max(x.abs()));
    if absmax == 0.0 || !absmax.is_finite() {
        return absmax;
    }
    let alpha = (best(values, levels).step * levels as f64).min(f32::MAX as f64) as f32;
    // The step was rounded: of the neighbours the least, and never worse than no clipping.
    let loss = |alpha: f32| {
        let (clip, round) = mse(values, alpha, levels);
        clip + round
    };
    let near = [alpha, alpha.next_up().min(f32::MAX), alpha.next_down()];
    near.into_iter()
        .fold((absmax, loss(absmax)), |best, a| {
            let l = loss(a);
            if l < best.1 { (a, l) } else { best }
        })
        .0
}

/// A, C and Σ of the codes at a step, and the loss there.
#[derive(Clone, Copy)]
struct Look {
    step: f64,
    a: f64,
    c: f64,
    codes: f64,
    loss: f64,
}

/// Magnitudes of the non-zero values, ready to be looked at.
enum Values {
    /// Few: one by one, in any order, filled up with zeros (whose codes are 0).
    Few(Vec<[f64; LANES]>),
    /// Many: ascending, with above[i] = Σ of values from i on, and the first value at or above each of `cells` equal cells.
    Many { sorted: Vec<f32>, above: Vec<f64>, cells: Vec<u32>, per_unit: f64 },
}

struct Search {
    values: Values,
    levels: u32,
    /// X.
    power: f64,
    /// Largest A²/C so far, and its A/C.
    gain: f64,
    step: f64,
    /// How many steps were looked at: what the search costs.
    looks: usize,
}

/// The finished search.
fn best(values: &[f32], levels: u32) -> Search {
    let mut search = Search::new(values, levels);
    let absmax = values.iter().fold(0f32, |most, x| most.max(x.abs())) as f64;
    // Above 2·absmax every code is 0 and the loss is X; the end is included, half to even.
    let highest = 2.0 * absmax;
    let unclipped = absmax / levels as f64;
    let mut step = unclipped;
    for _ in 0..FIRST_BELOW {
        step /= FIRST_RATIO;
    }
    let mut looks = Vec::with_capacity(160);
    looks.push(search.look(search.lowest()));
    while step < highest {
        if step > looks[0].step {
            looks.push(search.look(step));
        }
        step *= FIRST_RATIO;
    }
    looks.push(search.look(highest));
    search.settle();
    // Small steps last: the best is mostly among the large codes.
    let mut open: Vec<(Look, Look)> = looks.windows(2).map(|w| (w[0], w[1])).collect();
    while let Some((low, high)) = open.pop() {
        if !search.may_hold_better(&low, &high) {
            continue;
        }
        let middle = middle(low.step, high.step);
        if middle <= low.step || middle >= high.step {
            continue;
        }
        let look = search.look(middle);
        open.push((low, look));
        open.push((look, high));
    }
    search
}

/// Halves an interval: by ratio where it spans more than a factor of two.
fn middle(low: f64, high: f64) -> f64 {
    if high > 2.0 * low { (low * high).sqrt() } else { 0.5 * (low + high) }
}

impl Search {
    fn new(values: &[f32], levels: u32) -> Search {
        let mut sorted: Vec<f32> = values.iter().map(|x| x.abs()).filter(|&x| x > 0.0).collect();
        let power = sorted.iter().map(|&x| x as f64 * x as f64).sum();
        let values = if sorted.len() <= SEARCH_COST * levels as usize {
            let filled = |chunk: &[f32]| std::array::from_fn(|lane| chunk.get(lane).map_or(0.0, |&x| x as f64));
            Values::Few(sorted.chunks(LANES).map(filled).collect())
        } else {
            // Positive floats are in the order of their bits.
            sorted.sort_unstable_by_key(|x| x.to_bits());
            let mut above = vec![0.0; sorted.len() + 1];
            for i in (0..sorted.len()).rev() {
                above[i] = above[i + 1] + sorted[i] as f64;
            }
            let count = sorted.len();
            let per_unit = count as f64 / sorted[count - 1] as f64;
            let mut cells = Vec::with_capacity(count + 2);
            let mut next = 0;
            for cell in 0..=count + 1 {
                while next < count && ((sorted[next] as f64 * per_unit) as usize) < cell {
                    next += 1;
                }
                cells.push(next as u32);
            }
            Values::Many { sorted, above, cells, per_unit }
        };
        Search { values, levels, power, gain: 0.0, step: 0.0, looks: 0 }
    }

    /// A step at and below which every code is L.
    fn lowest(&self) -> f64 {
        let least = match &self.values {
            Values::Few(values) => {
                values.iter().flatten().fold(f64::INFINITY, |least, &x| if x > 0.0 { least.min(x) } else { least })
            }
            Values::Many { sorted, .. } => sorted[0] as f64,
        };
        least / self.levels as f64
    }

    /// Looks at a step and keeps the best.
    fn look(&mut self, step: f64) -> Look {
        self.looks += 1;
        let (a, c, codes) = match &self.values {
            Values::Few(values) => one_by_one(values, step, self.levels),
            Values::Many { sorted, above, cells, per_unit } => {
                let (mut a, mut c, mut codes) = (0.0, 0u64, 0u64);
                for level in 0..self.levels {
                    // A value from (level + ½)·step on has a code above `level`: A grows by it, C by 2·level + 1.
                    let edge = (level as f64 + 0.5) * step;
                    let cell = ((edge * per_unit) as usize).min(sorted.len());
                    let (from, to) = (cells[cell] as usize, cells[cell + 1] as usize);
                    let first = from + sorted[from..to].partition_point(|&x| (x as f64) < edge);
                    if first == sorted.len() {
                        break;
                    }
                    a += above[first];
                    let count = (sorted.len() - first) as u64;
                    c += u64::from(2 * level + 1) * count;
                    codes += count;
                }
                (a, c as f64, codes as f64)
            }
        };
        if c > 0.0 && a * a / c > self.gain {
            self.gain = a * a / c;
            self.step = a / c;
        }
        Look { step, a, c, codes, loss: self.power - step * (2.0 * a - step * c) }
    }

    /// Walks down to the local minimum below the best so far: the step of the codes, the codes of the step.
    fn settle(&mut self) {
        loop {
            let before = self.gain;
            self.look(self.step);
            if self.gain <= before {
                return;
            }
        }
    }

    /// Whether the bound from below on an interval leaves room for a loss that matters.
    fn may_hold_better(&self, low: &Look, high: &Look) -> bool {
        // Both ends were looked at, and one edge leaves two pieces.
        if low.codes - high.codes <= 1.0 {
            return false;
        }
        let width = high.step - low.step;
        let fall = 2.0 * (low.a - high.a);
        let curve = high.c * width;
        let least = 2.0 * (low.step * low.c - low.a) - fall + curve;
        let most = 2.0 * (high.step * high.c - high.a) + fall - curve;
        let line = if least >= 0.0 {
            low.loss
        } else if most <= 0.0 {
            high.loss
        } else {
            let meet = (low.loss - high.loss + most * width) / (most - least);
            low.loss + least * meet.clamp(0.0, width)
        };
        let bound = line - 0.25 * curve * width;
        let best = self.power - self.gain;
        // A bound that is not a number must not keep the search alive.
        bound < best - TOLERANCE * best - FLOOR * self.power
    }
}

/// A, C and the sum of codes over few values, side by side in lanes that vectorise.
fn one_by_one(values: &[[f64; LANES]], step: f64, levels: u32) -> (f64, f64, f64) {
    let per_step = 1.0 / step;
    let most = levels as f64;
    let (mut a, mut c, mut codes) = ([0.0; LANES], [0.0; LANES], [0.0; LANES]);
    for x in values {
        for lane in 0..LANES {
            let place = x[lane] * per_step;
            let code = ((if place < most { place } else { most }) + ROUNDER) - ROUNDER;
            a[lane] += code * x[lane];
            c[lane] += code * code;
            codes[lane] += code;
        }
    }
    let join = |lanes: [f64; LANES]| (lanes[0] + lanes[1]) + (lanes[2] + lanes[3]);
    (join(a), join(c), join(codes))
}

#[cfg(test)]
mod tests {
    use super::super::rng::Rng;
    use super::*;

    #[test]
    fn equal_values_are_met_exactly() {
        for levels in [1, 7, 127] {
            assert_eq!(optimum(&[0.3, -0.3, 0.3], levels), 0.3);
            assert_eq!(optimum(&[-2.0], levels), 2.0);
        }
    }

    #[test]
    fn a_lattice_above_the_largest_value_is_found() {
        // Steps near 1 come close to all but the largest; under α ≤ 6.4 none does.
        let alpha = optimum(&[6.4, 5.0, 4.0, 3.0, 2.0, 1.0, 1.0, 2.0, 3.0, 5.0], 7);
        assert!((7.0..7.2).contains(&alpha), "{alpha}");
    }

    /// A look costs the values or L searches; a search without its bounds would need one for each of n·L pieces.
    #[test]
    fn few_looks_are_enough() {
        let mut rng = Rng::new(3);
        let tensor: Vec<f32> = (0..50_000).map(|_| rng.normal() as f32).collect();
        for (levels, most_tensor, most_group) in [(1, 300, 90), (7, 300, 150), (127, 1000, 600)] {
            let looks = best(&tensor, levels).looks;
            assert!(looks <= most_tensor, "{looks} looks at 50,000 values on {levels} levels");
            let groups = tensor.chunks(32).take(500).map(|group| best(group, levels).looks).sum::<usize>() / 500;
            assert!(groups <= most_group, "{groups} looks at 32 values on {levels} levels");
        }
    }
}
