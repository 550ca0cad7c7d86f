//! Mamba's mixer in the interpreter: projection, convolution, selection, scan, gate.

use super::{
    ArchError,
    forward::Observer,
    pass::Pass,
    spec::{Scan, Side},
    weights::Weights,
};
use crate::backend::{
    Backend,
    kernels::activate::SOFTPLUS,
    kernels::{Activate, Convolve, Gather, Multiply, Scan as ScanKernel},
};

impl<B: Backend> Pass<'_, B> {
    /// What the output projection reads (rows, inner): scan(activation(convolution(x)))·activation(gate).
    pub(super) async fn scan(
        &self,
        weights: &Weights<B>,
        scan: &Scan,
        side: Side,
        x: &B::Buffer,
        observer: &mut impl Observer<B>,
    ) -> Result<B::Buffer, ArchError> {
        let (rows, backend) = (self.rows(side), self.backend);
        let (inner, rank, selected) = (scan.step.layout.n, scan.step.layout.k, scan.select.layout.n);
        let alloc = |columns: usize| backend.alloc(rows.count * columns);
        let [p_rows, width, both, size, state, stride, first] =
            [rows.count, inner, 2 * inner, scan.size, scan.state, selected, rank].map(|figure| figure as u32);
        let activate = |x: &B::Buffer, kind| backend.dispatch(&Activate { len: p_rows * width, kind }, &[x]);

        // The scan's input and its gate, side by side.
        let projected = alloc(2 * inner)?;
        observer.see_input(backend, &scan.into, x, side).await?;
        self.linear(weights, &scan.into, x, &projected, rows.count)?;
        let input = alloc(inner)?;
        let convolution = weights.full(&scan.convolution)?;
        let bias = scan.convolution_bias.as_ref().map_or(Ok(convolution), |bias| weights.full(bias))?;
        let biased = u32::from(scan.convolution_bias.is_some());
        let params = Convolve { rows: p_rows, width, stride: both, size, biased };
        backend.dispatch(&params, &[&projected, convolution, bias, &rows.starts, &input])?;
        activate(&input, scan.activation.kind())?;

        // The step before its projection, B and C, side by side.
        let chosen = alloc(selected)?;
        observer.see_input(backend, &scan.select, &input, side).await?;
        self.linear(weights, &scan.select, &input, &chosen, rows.count)?;
        let every = backend.upload(&(0..p_rows).collect::<Vec<u32>>())?;
        let take = |from: &B::Buffer, stride: u32, first: u32, columns: u32, out: &B::Buffer| {
            let params = Gather { rows: p_rows, width: columns, count: p_rows, stride, first };
            backend.dispatch(&params, &[from, &every, out])
        };
        let (narrow, steps) = (alloc(rank)?, alloc(inner)?);
        take(&chosen, stride, 0, first, &narrow)?;
        observer.see_input(backend, &scan.step, &narrow, side).await?;
        self.linear(weights, &scan.step, &narrow, &steps, rows.count)?;
        activate(&steps, SOFTPLUS)?;

        let out = alloc(inner)?;
        let params = ScanKernel { rows: p_rows, width, state, stride, first };
        let (rates, skip) = (weights.full(&scan.rates)?, weights.full(&scan.skip)?);
        backend.dispatch(&params, &[&input, &steps, &chosen, rates, skip, &rows.starts, &out])?;
        let gate = input;
        take(&projected, both, width, width, &gate)?;
        activate(&gate, scan.activation.kind())?;
        backend.dispatch(&Multiply { len: p_rows * width }, &[&out, &gate])?;
        Ok(out)
    }
}
