//! Linear centred kernel alignment between two sets of states of the same tokens (Kornblith et al. 2019), from the unbiased
//! estimate of HSIC (Song et al. 2012), which adds up over batches (Nguyen et al. 2021): so texts add up to a language, and
//! few tokens do not pass for likeness.

/// HSIC₁ of x with y, of x with itself and of y with itself, for K = xxᵀ and L = yyᵀ.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Hsic {
    /// Of both.
    pub both: f64,
    /// Of x with itself.
    pub of_x: f64,
    /// Of y with itself.
    pub of_y: f64,
}

/// HSIC₁ needs so many rows.
const FEWEST: usize = 4;

/// CKA = HSIC(K, L)/√(HSIC(K, K)·HSIC(L, L)); NaN where one of them does not vary.
pub fn cka(sum: Hsic) -> f64 {
    let square = sum.of_x * sum.of_y;
    if sum.of_x > 0.0 && sum.of_y > 0.0 { sum.both / libm::sqrt(square) } else { f64::NAN }
}

/// Of x and y, each (rows, width) and centred: every column adds up to 0. With that, the row sums of K are 0, and
/// HSIC₁ = (tr KL − Σ K_ii L_ii + Σ K_ii·Σ L_ii/((n − 1)(n − 2)) − 2/(n − 2)·Σ K_ii L_ii)/(n(n − 3)).
/// Zeros for fewer than four rows.
pub fn hsic(x: &[f64], y: &[f64], width: usize) -> Hsic {
    let rows = x.len() / width.max(1);
    if rows < FEWEST {
        return Hsic::default();
    }
    let squares = |of: &[f64]| of.chunks_exact(width).map(|row| row.iter().map(|x| x * x).sum()).collect::<Vec<f64>>();
    let (of_x, of_y) = (squares(x), squares(y));
    let [both, xx, yy] = traces(x, y, width);
    let n = rows as f64;
    let estimate = |trace: f64, k: &[f64], l: &[f64]| {
        let shared: f64 = k.iter().zip(l).map(|(k, l)| k * l).sum();
        let apart = k.iter().sum::<f64>() * l.iter().sum::<f64>() / ((n - 1.0) * (n - 2.0));
        (trace - shared + apart - 2.0 / (n - 2.0) * shared) / (n * (n - 3.0))
    };
    Hsic { both: estimate(both, &of_x, &of_y), of_x: estimate(xx, &of_x, &of_x), of_y: estimate(yy, &of_y, &of_y) }
}

/// tr KL, tr KK and tr LL: from products of columns, or of rows where these are fewer.
fn traces(x: &[f64], y: &[f64], width: usize) -> [f64; 3] {
    let inner = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    if x.len() / width < width {
        let (k, l) = (kernel(x, width), kernel(y, width));
        [inner(&k, &l), inner(&k, &k), inner(&l, &l)]
    } else {
        // tr XXᵀYYᵀ = ‖XᵀY‖².
        let square = |of: Vec<f64>| inner(&of, &of);
        [square(products(x, y, width)), square(products(x, x, width)), square(products(y, y, width))]
    }
}

/// xxᵀ (rows, rows)
fn kernel(x: &[f64], width: usize) -> Vec<f64> {
    let rows = x.len() / width;
    let mut columns = vec![0.0; x.len()];
    for (row, values) in x.chunks_exact(width).enumerate() {
        values.iter().enumerate().for_each(|(c, value)| columns[c * rows + row] = *value);
    }
    products(&columns, &columns, rows)
}

/// Rows whose products are added at once; the order of sums is fixed by it.
const TOGETHER: usize = 4;

/// xᵀy (width, width) of x and y, each (rows, width).
pub fn products(x: &[f64], y: &[f64], width: usize) -> Vec<f64> {
    let mut out = vec![0.0; width * width];
    let step = TOGETHER * width;
    let whole = x.len() / step * step;
    for (x, y) in x[..whole].chunks_exact(step).zip(y[..whole].chunks_exact(step)) {
        let (y0, y1, y2, y3) = (&y[..width], &y[width..2 * width], &y[2 * width..3 * width], &y[3 * width..]);
        for (i, line) in out.chunks_exact_mut(width).enumerate() {
            let [x0, x1, x2, x3] = [0, 1, 2, 3].map(|row| x[row * width + i]);
            for ((((out, y0), y1), y2), y3) in line.iter_mut().zip(y0).zip(y1).zip(y2).zip(y3) {
                *out += (x0 * y0 + x1 * y1) + (x2 * y2 + x3 * y3);
            }
        }
    }
    for (x, y) in x[whole..].chunks_exact(width).zip(y[whole..].chunks_exact(width)) {
        for (x, line) in x.iter().zip(out.chunks_exact_mut(width)) {
            line.iter_mut().zip(y).for_each(|(out, y)| *out += x * y);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::super::rng::Rng;
    use super::*;

    fn cloud(rows: usize, width: usize, seed: u64) -> Vec<f64> {
        let mut rng = Rng::new(seed);
        (0..rows * width).map(|_| rng.normal()).collect()
    }

    fn centred(x: &[f64], width: usize) -> Vec<f64> {
        let rows = (x.len() / width) as f64;
        let mean: Vec<f64> = (0..width).map(|c| x.iter().skip(c).step_by(width).sum::<f64>() / rows).collect();
        x.iter().enumerate().map(|(at, x)| x - mean[at % width]).collect()
    }

    fn of(x: &[f64], y: &[f64], width: usize) -> f64 {
        cka(hsic(&centred(x, width), &centred(y, width), width))
    }

    /// CKA does not see turns, scales and shifts; states that have nothing to do with each other are not alike, however few.
    #[test]
    fn it_sees_the_shape_alone() {
        for (rows, width) in [(40, 6), (6, 40)] {
            let x = cloud(rows, width, 1);
            assert!((of(&x, &x, width) - 1.0).abs() < 1e-12);
            // Channels in another order, doubled and moved.
            let turned: Vec<f64> =
                x.chunks_exact(width).flat_map(|row| row.iter().rev().map(|x| 2.0 * x + 5.0)).collect();
            assert!((of(&x, &turned, width) - 1.0).abs() < 1e-12);
        }
        let mut sum = Hsic::default();
        for seed in 0..60 {
            let Hsic { both, of_x, of_y } =
                hsic(&centred(&cloud(12, 30, 100 + seed), 30), &centred(&cloud(12, 30, 900 + seed), 30), 30);
            sum = Hsic { both: sum.both + both, of_x: sum.of_x + of_x, of_y: sum.of_y + of_y };
        }
        assert!(cka(sum).abs() < 0.05, "{}", cka(sum));
        assert!(of(&[1.0; 20], &cloud(10, 2, 1), 2).is_nan());
        assert_eq!(hsic(&[1.0, -1.0, 0.0], &[1.0, -1.0, 0.0], 1), Hsic::default());
    }

    /// Columns or rows, whichever are fewer: the same traces.
    #[test]
    fn both_ways_agree() {
        let (x, y) = (cloud(9, 10, 1), cloud(9, 10, 2));
        let wide = traces(&x, &y, 10);
        // A channel of zeros less changes nothing, and now there are fewer columns than rows.
        let narrow = |of: &[f64]| of.chunks_exact(10).flat_map(|row| row[..9].to_vec()).collect::<Vec<f64>>();
        let zeroed =
            |of: &[f64]| of.chunks_exact(10).flat_map(|row| [&row[..9], &[0.0]].concat()).collect::<Vec<f64>>();
        for (a, b) in traces(&zeroed(&x), &zeroed(&y), 10).iter().zip(traces(&narrow(&x), &narrow(&y), 9)) {
            assert!((a - b).abs() < 1e-9 * (1.0 + b.abs()));
        }
        assert!(wide[1] > 0.0);
    }
}
